"""The lower bounds for half-spaces: all of them bind whoever protects labels at least."""

from __future__ import annotations

import functools
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.halfspace.sphere import log_cap
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.concepts.threshold.bounds.lower import PAIR_PROOF
from privsc_core.concepts.threshold.bounds.lower import Pair as OnLine
from privsc_core.numerics.binomial_windows import binomial_window
from privsc_core.numerics.decimals import ceiling, decimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner

__all__ = ["CirclePacking", "Packing", "Pair", "Theorem12", "avoided", "log_rivals"]

_EVERYWHERE = ("uniform", "circle", "sphere", "band-in", "band-out")
_TOO_FAR = f"more than {SEARCH_LIMIT:.0e} samples: not searched further"
# So many radii are tried by a rough formula, and the best of them in earnest.
_TRIED, _NEAR = 240, 6
# Also of one that knows the distribution: here everybody does.
_WHOM = "every learner that protects labels at least, without a slack δ, proper or not"
_EXACT, _NEGLIGIBLE = 36.0, 40.0
_MOST = 1000
_TOO_MANY = f"needs n from 2 to {_MOST}"
# Beyond so many targets on the circle nobody waits for the sum.
_FINEST = 0.005


class Pair(OnLine):
    """As for thresholds: two targets, and the points between them; here all are alike."""

    without = ("d", "delta")
    derivation = f"Take two half-spaces with mass just over $2\\alpha$ between them. {PAIR_PROOF}"
    legend = "Impossible even with labels alone private: two targets"
    headline = True
    applies_to = _WHOM
    proved_on = _EVERYWHERE
    alpha_below = 0.5
    validity = "for α < 1/2"


class _ByLabels(Bound):
    """What bounds share that hold two samples with the same points against each other."""

    kind = "lower"
    adjacency = "label"
    applies_to = _WHOM

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy in {"pure", "label"}


def _least(allowed: Callable[[int], bool], guess: float) -> int | None:
    """Return the least m that is allowed; more are as well."""
    high = max(1, int(guess))
    while not allowed(high):
        if high > SEARCH_LIMIT:
            return None
        high *= 2
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return high


def avoided(m: int, share: float, epsilon: float, beta: float) -> float:
    """Return the log of sum_k e^{-eps k} min(pmf(k), max(0, cdf(k) - beta)), K ~ Bin(m, share)."""
    if share >= 1.0:
        return math.log1p(-beta) - epsilon * m
    first, kept = _kept(m, share, beta)
    # The factors fall from 1; what is e^-40 of the first two terms counts for nothing.
    most = kept[:2].sum()
    if not most:
        return -math.inf
    counting = kept[: int(min((_NEGLIGIBLE - math.log(most)) / epsilon, kept.size)) + 2]
    total = float((counting * np.exp(-epsilon * np.arange(counting.size))).sum())
    return math.log(total) - epsilon * float(first)


@lru_cache(maxsize=128)
def _kept(m: int, share: float, beta: float) -> tuple[int, NDArray[np.float64]]:
    """Return min(pmf(k), max(0, cdf(k) - beta)) from where it is not 0, and that k."""
    start, pmf = binomial_window(m, share, log_tail(beta))
    kept: NDArray[np.float64] = np.minimum(pmf, np.maximum(np.cumsum(pmf) - beta, 0.0))
    first = int(np.argmax(kept > 0.0))
    kept = kept[first:].copy()
    kept.flags.writeable = False  # shared
    return start + first, kept


def log_rivals(n: int, alpha: float, r: float) -> float:
    """Return the log of N - 1, N = ceil(cap(pi r) / cap(2 pi alpha))."""
    logs = (log_cap(n, math.pi * r) if r < 1.0 else 0.0) - log_cap(n, 2.0 * math.pi * alpha)
    if logs > _EXACT:
        return logs
    # One smaller cap never covers, however little it leaves.
    return math.log(max(math.ceil(math.exp(logs) * (1.0 - 1e-13)), 2) - 1)


@lru_cache(maxsize=4096)
def _likeliest(
    n: int, alpha: float, epsilon: float, beta: float
) -> tuple[tuple[float, float, float], ...]:
    """Return about how much a radius r excludes, with r and the log of the rivals within: the best few."""

    def needed(rivals: float, r: float) -> float:
        share = min(1.0, 2.0 * r)
        if rivals == -math.inf:
            return 0.0
        rough = rivals + math.log1p(-beta) - math.log(beta)
        return max((1.0 - beta) / (share * epsilon) * rough, 1.0)

    places = np.append(np.geomspace(2.0 * alpha, 0.5, _TRIED)[1:] if alpha < 0.25 else [], 1.0)
    rivals = [(r, log_rivals(n, alpha, r)) for r in places.tolist()]
    tried = sorted(((needed(logs, r), r, logs) for r, logs in rivals), reverse=True)[:_NEAR]
    return tuple(entry for entry in tried if entry[0] > 0.5 * tried[0][0])


def _excess(rivals: float, r: float, epsilon: float, beta: float, m: int) -> float:
    """Return the log of beta less that of the least failure: negative where m is impossible."""
    share, rare = min(1.0, 2.0 * r), math.log(beta)
    if share == 1.0:
        # All labels may differ: the packing converse with K = m.
        return epsilon * m - rivals - math.log1p(-beta) + rare
    return rare - rivals - avoided(m, share, epsilon, beta)


class Packing(_ByLabels):
    """(N - 1) E_beta <= beta for the best r."""

    name = "packing"
    title = "Packing, labels private"
    legend = "Impossible even with labels alone private"
    headline = True
    source = Source("ours", "Theorems 10 and 12 of CH11 with constants")
    constants = "sharp"
    proved_on = ("uniform",)
    validity = f"for n from 2 to {_MOST}"
    statement = (
        r"(N-1)\sum_k e^{-\varepsilon k}\min\{\Pr[K=k],\,(\Pr[K \le k]-\beta)_+\} \le \beta,\qquad "
        r"N = \Bigl\lceil \frac{\mathrm{cap}_n(\pi r)}{\mathrm{cap}_n(2\pi\alpha)} \Bigr\rceil,\;"
        r"K \sim \mathrm{Bin}(m, \min\{1, 2r\})"
    )
    derivation = (
        "Within $r$ half turns of a direction there are $N$ normals more than $2\\alpha$ apart: as long "
        "as caps of radius $2\\alpha$ around those chosen do not cover, one more can be chosen. No "
        "hypothesis is accurate for two of them. The samples have the same points, and two of them "
        "differ in the labels of the $K$ points between the two boundaries, $K \\sim "
        "\\mathrm{Bin}(m, \\rho)$ with $\\rho \\le 2r$.\n\n"
        "Privacy for labels: what succeeds with probability $p$ on the sample of target $j$, given the "
        "points, has at least $e^{-\\varepsilon K}p$ on that of target 1, where it is a failure. At "
        "worst success avoids the $\\beta$ of mass with the smallest $K$. The $N-1$ sets of good answers are "
        "disjoint, so that their sum is at most $\\beta$. At $2r \\ge 1$ all labels may differ, and "
        "$1+(N-1)e^{-\\varepsilon m} \\le 1/(1-\\beta)$. The best $r$ in $(2\\alpha, 1]$ counts. $\\square$"
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = 1
        for size, r, rivals in _likeliest(at.d, at.alpha, at.epsilon, at.beta):
            excess = functools.partial(_excess, rivals, r, at.epsilon, at.beta)
            least = _least(lambda m, excess=excess: excess(m) >= 0.0, size)  # type: ignore[misc]
            if least is None:
                return BoundValue(None, _TOO_FAR)
            found = max(found, least)
        return BoundValue(found)

    def over(self, at: Cell, m: int) -> float | None:
        """Return by how much the sum is below beta, in logs: no search for the number."""
        if self.silent(at):
            return None
        near = _likeliest(at.d, at.alpha, at.epsilon, at.beta)
        return min((_excess(logs, r, at.epsilon, at.beta, m) for _, r, logs in near), default=0.0)

    @staticmethod
    def silent(at: Cell) -> str:
        """Return why it says nothing; empty where it speaks."""
        if not 2 <= at.d <= _MOST:
            return _TOO_MANY
        return "needs alpha < 1/2" if at.alpha >= 0.5 else ""


class CirclePacking(_ByLabels):
    """sum_j E_beta(rho_1j) <= beta over evenly spaced targets."""

    name = "packing-circle"
    title = "Packing on the circle, labels private"
    legend = "Impossible on the circle, even with labels alone private"
    headline = True
    source = Source("ours", "the label packing over a circle of targets")
    without = ("d", "delta")
    constants = "sharp"
    proved_on = ("circle", "band-in", "band-out")
    statement = (
        r"\sum_{j=1}^{N-1} E_\beta(\rho_j) \le \beta,\qquad N = \lceil 1/\alpha \rceil - 1,\; "
        r"\rho_j = \tfrac{2}{N}\min\{j, N-j\}"
    )
    derivation = (
        "$N < 1/\\alpha$ targets evenly spaced around the circle, by mass of the distribution, are more than $2\\alpha$ apart. The "
        "argument of the packing under label privacy, with each pair at its own distance: $E_\\beta(\\rho)$ is "
        "the sum over $k$ there with $K \\sim \\mathrm{Bin}(m, \\rho)$. $\\square$"
    )
    validity = f"in two dimensions, for α from {_FINEST}"

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = _least(
            lambda m: self._excess(at, m) >= 0.0, 1.0 / (at.alpha * min(at.epsilon, 1.0))
        )
        if found is None:
            return BoundValue(None, _TOO_FAR)
        return BoundValue(found)

    def over(self, at: Cell, m: int) -> float | None:
        """Return by how much the sum is below beta, in logs: no search for the number."""
        return None if self.silent(at) else self._excess(at, m)

    @staticmethod
    def silent(at: Cell) -> str:
        """Return why it says nothing; empty where it speaks."""
        if at.alpha < _FINEST:
            return f"needs alpha >= {_FINEST}"
        return "" if ceiling(1 / decimal(at.alpha)) > 2 else "needs alpha < 1/2"

    @staticmethod
    def _excess(at: Cell, m: int) -> float:
        count = ceiling(1 / decimal(at.alpha)) - 1
        logs = [
            avoided(m, 2.0 * j / count, at.epsilon, at.beta)
            + (math.log(2.0) if 2 * j < count else 0.0)
            for j in range(1, count // 2 + 1)
        ]
        return math.log(at.beta) - float(np.logaddexp.reduce(logs))


class Theorem12(_ByLabels):
    """m <= (d'' - 1) log 2 / eps is impossible, d'' a doubling dimension."""

    name = "theorem-12"
    without = ("beta", "delta")
    title = "Theorem 12"
    legend = "Impossible with labels private: Theorem 12"
    headline = True
    source = Source("CH11", "Theorem 12, from its proof")
    constants = "paper"
    proved_on = ("uniform",)
    validity = f"for α < 1/8 and β < 1/2, and n from 2 to {_MOST}"
    statement = (
        r"m > \frac{(d''-1)\log 2}{\varepsilon},\qquad "
        r"d'' = \log_2 \frac{\mathrm{cap}_n(4\pi\alpha)}{\mathrm{cap}_n(2\pi\alpha)}"
    )
    derivation = (
        "A ball of radius $4\\alpha$ among the half-spaces is covered by no fewer than $2^{d''}$ balls of "
        "half its radius, $d''$ the doubling dimension at that scale: so it has as many targets more than "
        "$2\\alpha$ apart. Their samples differ in at most all $m$ labels, and $\\beta < \\frac12$ leaves "
        "no room for $\\frac12 2^{d''} e^{-\\varepsilon m} \\ge 1$. The theorem says “outputs a hypothesis in "
        "$\\mathcal{H}$”, which its proof does not need."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if at.alpha >= 0.125 or at.beta >= 0.5:
            return BoundValue(None, "needs alpha < 1/8 and beta < 1/2")
        if not 2 <= at.d <= _MOST:
            return BoundValue(None, _TOO_MANY)
        doubling = log_cap(at.d, 4.0 * math.pi * at.alpha) - log_cap(at.d, 2.0 * math.pi * at.alpha)
        most = (doubling - math.log(2.0)) / at.epsilon
        return BoundValue(max(math.floor(most * (1.0 + 1e-14)) + 1, 1))
