"""The upper bounds for half-spaces."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.halfspace.bounds.integral import over, samples
from privsc_core.concepts.halfspace.sphere import log_cap

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Learner, Setting

__all__ = ["Arcs", "Density", "Simple"]

_MOST = 1000
_TOO_MANY = f"needs n from 2 to {_MOST}"


def _least_over(needed: Callable[[float], float], alpha: float, first: float) -> float:
    """Return the least number over alpha' in (0, alpha), by golden sections around the best of a grid."""
    tried = np.minimum(first * np.geomspace(0.02, 10.0, 11), 0.98 * alpha)
    sizes = [needed(x) for x in tried.tolist()]
    best = int(np.argmin(sizes))
    ends = math.log(tried[max(best - 1, 0)]), math.log(tried[min(best + 1, len(sizes) - 1)])
    if ends[0] == ends[1]:
        return sizes[best]
    found = optimize.minimize_scalar(
        lambda x: needed(math.exp(x)), bounds=ends, method="bounded", options={"xatol": 1e-2}
    )
    return min(float(found.fun), sizes[best])


class _OfDensity(Bound):
    """Promises for the density learner."""

    kind = "upper"
    constants = "sharp"
    applies_to = "the density learner, on uniform directions"
    promised_on = ("uniform",)
    validity = f"for n from 2 to {_MOST}"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "density"

    def eases(self, wanted: Demand) -> bool:
        """Tell that at a large epsilon an answer that is a little wrong loses too much weight."""
        return wanted != "epsilon"

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = self.needed(at.d, at.epsilon, at.alpha, at.beta)
        if math.isinf(found):
            return BoundValue(None, "more than 1e+12 samples: not searched further")
        return BoundValue(max(math.ceil(found), 1))

    @staticmethod
    def silent(at: Cell) -> str:
        """Return why it says nothing; empty where it speaks."""
        if not 2 <= at.d <= _MOST:
            return _TOO_MANY
        return "needs alpha < 1/2" if at.alpha >= 0.5 else ""

    @staticmethod
    @abstractmethod
    def needed(n: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return the real number of samples."""


@lru_cache(maxsize=4096)
def _simple(n: int, epsilon: float, alpha: float, beta: float) -> float:
    t, back = -math.expm1(-0.5 * epsilon), math.expm1(min(0.5 * epsilon, 700.0))

    def needed(near: float) -> float:
        lost = alpha * t - near * back
        if lost <= 0.0:
            return math.inf
        return (log_cap(n, math.pi * near) + math.log(beta)) / math.log1p(-lost)

    first = alpha * t / back / (1.0 + 0.1 * n)
    tried = np.minimum(np.geomspace(1e-3, 1.0, 60), 0.999) * alpha * t / back
    return min(*map(needed, tried[tried < alpha].tolist()), _least_over(needed, alpha, first))


class Simple(_OfDensity):
    """r^m / cap(pi alpha') <= beta."""

    name = "density-simple"
    title = "Density learner, simply"
    legend = "Guaranteed: density learner, by the good normals' mass alone"
    behind = True
    source = Source("ours", "the exponential mechanism with good answers of some mass")
    statement = (
        r"\min_{0<\alpha'<\alpha} \frac{r^m}{\mathrm{cap}_n(\pi\alpha')} \le \beta,\qquad "
        r"r = 1-\alpha(1-e^{-\varepsilon/2})+\alpha'(e^{\varepsilon/2}-1)"
    )
    derivation = (
        "The normals within $\\alpha'$ half turns of the target have the mass $\\mathrm{cap}_n(\\pi\\alpha')$. "
        "A bad one loses $q = e^{-\\varepsilon/2}$ on a share of at least $\\alpha$ of the examples, and wins "
        "$1/q$ on at most $\\alpha'$ against a good one: $\\mathbb{E}[w_s/w_g] \\le r^m$. By Jensen the "
        "chance of the bad ones is at most that over the mass of the good ones. $\\square$"
    )

    @staticmethod
    def needed(n: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return the real number of samples."""
        return _simple(n, epsilon, alpha, beta)


class Density(_OfDensity):
    """The failure by Cauchy and Schwarz, as an integral over the bad and the good normals."""

    name = "density"
    title = "Density learner"
    legend = "Guaranteed: density learner, in every dimension"
    headline = True
    source = Source("ours", "Cauchy and Schwarz over the good normals")
    statement = (
        r"\min_{0<\alpha'\le\alpha} \mu^{-2}\int_{e_s>\alpha}\int_{e_g\le\alpha'} "
        r"\bigl[1-\tfrac12(\delta+e_s-e_g)t+\tfrac12(\delta-e_s+e_g)(\tfrac1q-1)\bigr]^m \le \beta"
    )
    derivation = (
        "Hold a bad normal $s$, of error $e_s$, against the good ones $g$, of error $e_g \\le \\alpha'$ and mass "
        "$\\mu = \\mathrm{cap}_n(\\pi\\alpha')$. By Cauchy and Schwarz the chance of $s$ is at most "
        "$\\mu^{-2}\\int \\mathbb{E}[w_s/w_g]\\,dg$. With $\\delta$ half turns between them, $s$ alone errs on the "
        "share $\\frac12(\\delta+e_s-e_g)$ of the examples and $g$ alone on $\\frac12(\\delta-e_s+e_g)$, so that the mean is the "
        "bracket to the power $m$; $q = e^{-\\varepsilon/2}$, $t = 1-q$. The integrals are over the polar "
        "angles and the azimuth between the two, by Gauss and Legendre. $\\square$\n\n"
        "Nobody can run this learner where $n$ is above 4: on the circle it is a choice among $2m$ arcs, on the "
        "ordinary sphere a net stands for it."
    )

    @staticmethod
    def needed(n: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return the real number of samples."""
        return samples(n, epsilon, alpha, beta)

    def over(self, at: Cell, m: int) -> float | None:
        """Return by how much m exceeds the number, roughly where it is far from it."""
        if self.silent(at):
            return None
        return over(at.d, at.epsilon, at.alpha, at.beta, m)


class Arcs(SearchBound):
    """(1 - (1 - alpha t)^m) / (1 - q^m) >= 1 - beta."""

    name = "arcs"
    title = "Arcs of the circle"
    legend = "Guaranteed on the circle: arcs, labels private"
    headline = True
    source = Source("ours", "the learner's exact law")
    without = ("d", "delta")
    kind = "upper"
    constants = "sharp"
    adjacency = "label"
    promised_on = ("circle", "band-in", "band-out")
    validity = "in two dimensions"
    statement = r"\frac{1-(1-\alpha(1-q))^m}{1-q^m} \ge 1-\beta,\qquad q = e^{-\varepsilon/2}"
    derivation = (
        "The arc $k$ places clockwise of the target has $k$ mistakes and weight $q^k$, up to $m-1$; "
        "anticlockwise they are 1 to $m$. Arcs end clockwise: with $J$ points within mass $\\alpha$ "
        "clockwise the first $J$ are accurate, and as many the other way, with one mistake more. Either "
        "$J \\sim \\mathrm{Bin}(m, \\alpha)$, and "
        "$\\mathbb{E}[(1-q^J)(1+q)]/[(1-q^m)(1+q)]$ is the claim, exactly. $\\square$"
    )
    applies_to = "the choice among the arcs, on every distribution on the circle without atoms"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == self.name

    def guess(self, at: Cell) -> float:
        """Return where (1 - alpha t)^m is beta."""
        return math.log(at.beta) / math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        return 1.0 - self.failure(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the failure that is not exceeded."""
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(setting.alpha * np.expm1(-speed))
        left = np.exp(-slow * setting.m) * -np.expm1(-setting.m * (speed - slow))
        return np.broadcast_to(left / -np.expm1(-speed * setting.m), setting.shape)
