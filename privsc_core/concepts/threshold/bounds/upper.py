"""The upper bounds for thresholds on [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.threshold.bounds.lower import log_kappa
from privsc_core.concepts.threshold.reference import UNIFORM, Reference
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["Density", "NoisyCount"]

_AT_INFINITY, _STEPS = 1.5936, 6  # the bound is flat where it is least


class NoisyCount(RateBound):
    """(1 - alpha (1 - e^{-eps}))^m <= beta, on every distribution without atoms."""

    name = "noisy-count"
    title = "Noisy count"
    legend = "Guaranteed: noisy count, labels private"
    source = Source("ours", "the learner's exact law")
    without = ("d", "delta")
    kind = "upper"
    constants = "sharp"
    adjacency = "label"
    statement = r"\bigl(1-\alpha(1-e^{-\varepsilon})\bigr)^m \le \beta"
    derivation = (
        "Noise $i \\ge 0$ puts the threshold at the $(i+1)$-st example to the right of the target: "
        "it is accurate iff $i+1$ examples lie within mass $\\alpha$ to the right. Noise $-i$ is iff "
        "$i$ lie within $\\alpha$ to the left. Where both sides have more mass than $\\alpha$ both "
        "numbers are distributed as $J \\sim \\mathrm{Bin}(m, \\alpha)$. With $q = e^{-\\varepsilon}$, "
        "$\\Pr[0 \\le i < J] + \\Pr[-J \\le i < 0] = \\frac{1-q^J}{1+q} + \\frac{q-q^{J+1}}{1+q} = 1-q^J$, "
        "and $\\mathbb{E}\\,q^J = (1-\\alpha(1-q))^m$: exact. Where a side has less mass, the learner "
        "succeeds more often. $\\square$\n\n"
        "No κ, no logarithm, no word about where the crowd is: **hiding only the labels costs a "
        "constant factor.**"
    )
    applies_to = "the noisy count, on every distribution without atoms"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == self.name

    def log_failure(self, _d: int, _alpha: float) -> float:
        """Return the log of the factor, 1."""
        return 0.0

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of what each example leaves of the failure."""
        return np.asarray(-np.log1p(alpha * np.expm1(-epsilon)))


@dataclass(frozen=True)
class Density(SearchBound):
    """The least failure over alpha', for every target and every smooth distribution.

    Attributes
    ----------
    reference : Reference
        What the learner knows.
    """

    reference: Reference = UNIFORM

    name = "density"
    title = "Density learner"
    legend = "Guaranteed: density learner"
    headline = True
    source = Source("ours", "Cauchy and Schwarz on either side of the target")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\min_{0<\alpha'\le\alpha} \kappa\,\frac{\varrho(\alpha-\alpha')^{m+1}-\varrho(\alpha)^{m+1}}"
        r"{\alpha'^2\,(m+1)\,t} \le \beta,\qquad \varrho(x)=1-xt,\; t = 1-e^{-\varepsilon/2}"
    )
    derivation = (
        "Hold an inaccurate $s$ against the accurate thresholds on its own side of $z$. One of them, "
        "of error $x$, makes fewer mistakes by the number of examples between the two, "
        "$\\mathrm{Bin}(m, e-x)$, $e > \\alpha$ the error of $s$. So with $G$ the $R$-mass of those of "
        "error up to $\\alpha'$, the chance that $s$ is drawn is at most "
        "$\\mathbb{E}\\bigl[w_s / \\int w_g\\, R(dg)\\bigr] \\le G^{-2} \\int \\varrho(e-x)^m R(dg)$, by "
        "Cauchy and Schwarz. $D$ is κ-smooth for $R$: the $R$-mass within error $x$ is at least "
        "$x/\\kappa$, and integrating over both gives the claim. $\\square$\n\n"
        "It holds for every target and every $D$ that is κ-smooth for $R$; with $R = D$ the "
        "same integral has no κ, and is smaller:\n\n"
        "$$\\frac{2\\,[\\varrho(\\alpha-\\alpha')^{m+2}-\\varrho(\\alpha)^{m+2}]}"
        "{\\alpha'^2\\,(m+1)(m+2)\\,t^2}$$\n\n"
        "Of the reference only $k = b - r$ matters: κ is $2^k$."
    )
    applies_to = "the density learner, on every distribution that is κ-smooth for its reference"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == self.name

    def guess(self, at: Cell) -> float:
        """Return where kappa rho(alpha)^m is beta, and a little more."""
        rate = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        return (self._log_kappa(at.d) + 8.0 - math.log(at.beta)) / rate

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        return np.asarray(0.0 - np.expm1(self._log_failure(setting)))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the failure that is not exceeded."""
        return np.exp(self._log_failure(setting))

    def _log_kappa(self, b: int) -> float:
        return log_kappa(b - self.reference.bits(b))

    def _log_failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the log of the least failure over alpha', cut at 0."""
        size, t, logs = (
            np.broadcast_to(column, setting.shape).astype(np.float64)
            for column in (
                setting.m, -np.expm1(-0.5 * setting.epsilon), each(self._log_kappa, setting.d)
            )
        )  # fmt: skip

        best = _best_near(size, t, logs, setting.alpha)
        return np.asarray(np.minimum(_log_bound(best, size, t, logs, setting.alpha), 0.0))


def _best_near(
    m: NDArray[np.float64], t: NDArray[np.float64], logs: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Return the best alpha'.

    The bound is a multiple of ((1 + y)^P - 1) / y^2, y = alpha' t / rho(alpha), which is convex:
    P / y plus powers of y. It is least where P y / (1 + y) is 2 (1 - (1 + y)^-P): in w = P log(1 + y)
    that is one root, from 1.59 at P = infinity up to 3.01 at P = 3, and Newton's steps reach it.
    """
    power = m + np.where(logs > 0.0, 1.0, 2.0)
    w = np.full(power.shape, _AT_INFINITY)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(_STEPS):
            over = -power * np.expm1(-w / power) + 2.0 * np.expm1(-w)
            w -= over / (np.exp(-w / power) - 2.0 * np.exp(-w))
        near = np.expm1(w / power) * (1.0 - alpha * t) / t
    # With P = 2 it falls for ever.
    return np.where(power > 2.0, np.minimum(near, alpha), alpha)


def _log_bound(
    near: NDArray[np.float64],
    m: NDArray[np.float64],
    t: NDArray[np.float64],
    logs: NDArray[np.float64],
    alpha: float,
) -> NDArray[np.float64]:
    """Return the log of the failure by alpha' = `near`; with kappa = 1 by the sharper form."""
    better, worse = np.log1p(-(alpha - near) * t), np.log1p(-alpha * t)
    power = m + np.where(logs > 0.0, 1.0, 2.0)
    rise = power * better + np.log(-np.expm1(power * (worse - better)))
    rise -= 2.0 * np.log(near) + np.log((m + 1.0) * t)
    sharper = rise + math.log(2.0) - np.log((m + 2.0) * t)
    return np.asarray(np.where(logs > 0.0, rise + logs, sharper))
