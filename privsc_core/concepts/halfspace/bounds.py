"""The bounds for half-spaces."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.halfspace.hypotheses import log_cap
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT, log_tail
from privsc_core.concepts.threshold.bounds import PAIR_PROOF
from privsc_core.concepts.threshold.bounds import Pair as OnLine
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.search import least_few

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Setting


# --- The lower bounds for half-spaces: all of them bind learners that protect labels at least ---------


_EVERYWHERE = ("uniform", "circle", "sphere", "band-in", "band-out")
_TOO_FAR = f"more than {SEARCH_LIMIT:.0e}: not searched further"
# So many radii are tried by a rough formula, and the best of them in earnest.
_TRIED, _NEAR = 240, 6
# Also of one that knows the distribution: here everybody does.
_WHOM = "every learner, proper or not, that protects at least the labels with pure privacy"
_BRIEFLY = "every learner with purely private labels"
_EXACT, _NEGLIGIBLE = 36.0, 40.0
_MOST = 1000
_TOO_MANY = f"needs n from 2 to {_MOST}"
# Beyond so many targets on the circle the sum takes too long.
_FINEST = 0.005


class Pair(OnLine):
    """As for thresholds: two targets, and the points between them; here all are alike."""

    without = ("d", "delta")
    derivation = f"Take two half-spaces with mass just over $2\\alpha$ between them. {PAIR_PROOF}"
    legend = "Impossible even if only labels are private (two targets)"
    shaded = True
    applies_to = _WHOM
    applies_briefly = _BRIEFLY
    proved_on = _EVERYWHERE
    alpha_below = 0.5
    validity = "for α < 1/2"


class _ByLabels(Bound):
    """What bounds share that hold two samples with the same points against each other."""

    kind = "lower"
    adjacency = "label"
    applies_to = _WHOM
    applies_briefly = _BRIEFLY
    whom = Whom(privacy=("pure", "label"))


def _least(excess: Callable[[int], float], guess: float) -> int | None:
    """Return the least m with an excess of at least 0, None if it is too large."""
    (found,) = least_few(
        lambda _, m: np.array([[excess(size) for size in m[0].tolist()]]),
        guess=[guess], limit=SEARCH_LIMIT, costly=True,
    )  # fmt: skip
    return found or None


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
    legend = "Impossible even if only labels are private"
    shaded = True
    source = Source("ours", "Theorems 10 and 12 of CH11 with constants")
    proved_on = ("uniform",)
    validity = f"for n from 2 to {_MOST}"
    statement = (
        r"(N-1)\sum_k e^{-\varepsilon k}\min\{\Pr[K=k],\,(\Pr[K \le k]-\beta)_+\} \le \beta,\qquad "
        r"N = \Bigl\lceil \frac{\mathrm{cap}_n(\pi r)}{\mathrm{cap}_n(2\pi\alpha)} \Bigr\rceil,\;"
        r"K \sim \mathrm{Bin}(m, \min\{1, 2r\})"
    )
    derivation = (
        "Measure angles in half turns (180°). Within $r$ of a direction there are $N$ normals more than $2\\alpha$ "
        "apart: while caps of radius $2\\alpha$ around the chosen normals do not cover all of them, one more can be "
        "chosen. No hypothesis is accurate for two of them. The samples have the same points, and two of them differ "
        "in the labels of the $K$ points between the two boundaries, $K \\sim \\mathrm{Bin}(m, \\rho)$ with $\\rho "
        "\\le 2r$.\n\n"
        "Fix the points, and let the good answers for target $j$ have probability $p$ on the sample of $j$. By label "
        "privacy they have probability at least $e^{-\\varepsilon K}p$ on the sample of target 1, where they are "
        "failures. In the worst case the learner fails on the mass $\\beta$ with the smallest $K$. The $N-1$ sets of "
        "good answers are disjoint, so their probabilities add up to at most $\\beta$. At $2r \\ge 1$ all labels may "
        "differ, and $1+(N-1)e^{-\\varepsilon m} \\le 1/(1-\\beta)$. The number is for the best $r$ in $(2\\alpha, "
        "1]$. $\\square$"
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = 1
        for size, r, rivals in _likeliest(at.d, at.alpha, at.epsilon, at.beta):
            excess = partial(_excess, rivals, r, at.epsilon, at.beta)
            least = _least(excess, size)
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
    legend = "Impossible on the circle, even if only labels are private"
    shaded = True
    source = Source(
        "ours",
        "the packing argument for labels, over a circle of targets",
        "CH11, Theorems 10 and 12, with rates in place of our constants",
    )
    without = ("d", "delta")
    proved_on = ("circle", "band-in", "band-out")
    statement = (
        r"\sum_{j=1}^{N-1} E_\beta(\rho_j) \le \beta,\qquad N = \lceil 1/\alpha \rceil - 1,\; "
        r"\rho_j = \tfrac{2}{N}\min\{j, N-j\}"
    )
    derivation = (
        "$N < 1/\\alpha$ targets evenly spaced around the circle, by mass of the distribution, are more than "
        "$2\\alpha$ apart. The argument is that of the packing bound under label privacy, with each pair at its own "
        "distance: $E_\\beta(\\rho)$ is the sum over $k$ there with $K \\sim \\mathrm{Bin}(m, \\rho)$. $\\square$"
    )
    validity = f"in two dimensions, for α from {_FINEST}"

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = _least(partial(self._excess, at), 1.0 / (at.alpha * min(at.epsilon, 1.0)))
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
    shaded = True
    source = Source("CH11", "Theorem 12, from its proof")
    proved_on = ("uniform",)
    validity = f"for α < 1/8 and β < 1/2, and n from 2 to {_MOST}"
    statement = (
        r"m > \frac{(d''-1)\log 2}{\varepsilon},\qquad "
        r"d'' = \log_2 \frac{\mathrm{cap}_n(4\pi\alpha)}{\mathrm{cap}_n(2\pi\alpha)}"
    )
    derivation = (
        "Let $d''$ be the doubling dimension at radius $4\\alpha$: a ball of that radius among the half-spaces is "
        "covered by no fewer than $2^{d''}$ balls of half its radius. So the ball contains as many targets that are "
        "more than $2\\alpha$ apart. The samples of two targets differ in at most $m$ labels, and $\\beta < "
        "\\frac12$ leaves no room for $\\frac12 2^{d''} e^{-\\varepsilon m} \\ge 1$. The theorem says “outputs a "
        "hypothesis in $\\mathcal{H}$”, which its proof does not need."
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


# --- The density learner's failure, bounded by an integral over bad normals and good ones --------
#
# Both have polar angles around the target, s and g, and an azimuth h between them, all in half turns. What
# is integrated is a power with one steep peak, whose place depends on everything: grids find where it
# counts, and Gauss and Legendre's nodes lie there.


_Range: TypeAlias = "tuple[float, float]"

# Less than e^-32 of the peak counts for nothing.
_INTEGRAL_NEGLIGIBLE = 32.0
_GRID = 15
# Grids follow each other while they narrow; the first one is denser where the peak may be.
_BENDS = (3, 1, 1, 1)
# Nodes along s, g and h: the integrand is smoothest in g, and over the widest range of it in h.
_ROUGH, _FINE = (12, 8, 20), (20, 16, 34)
_STEPS, _STILL, _INTEGRAL_MOST = 40, 1e-10, 1e12
# Steps of m and alpha' together: how many, and the relative ones of each that are the last.
_TOGETHER, _ENOUGH = 14, (1e-5, 3e-4)
# How far alpha' goes at once, and how fast what tells it from the best one climbs with it, in logs:
# at first, and at least and at most by the last two looks, once m's relative steps are this small.
_FARTHEST, _CLIMB, _CLIMBS, _CLOSE = 1.5, 0.55, (0.3, 8.0), 0.03
# Where the guessed alpha' says that m is far from the number, the best one says so too: a log of beta
# below it, and a factor above.
_BELOW, _ABOVE = 1.0, 1.5


@lru_cache(maxsize=8)
def _legendre(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes on (0, 1), and the logs of their weights."""
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5 * (x + 1.0), np.log(0.5 * w)


def _log_turn(n: int) -> float:
    """Return the log of the integral of sin^n over a half turn."""
    gammas = math.lgamma(0.5 * (n + 1)) - math.lgamma(0.5 * n + 1.0)
    return gammas - 0.5 * math.log(math.pi)


@dataclass(frozen=True, slots=True)
class Failure:
    """The integral with good normals up to `near`, half turns from the target."""

    n: int
    epsilon: float
    alpha: float
    near: float

    def at(self, m: float, nodes: tuple[int, int, int]) -> tuple[float, float, float]:
        """Return the log of the bound on the failure, its slope in m, and how far `near` is from the best.

        The last rises with `near` and is 0 at the best: the bound's slope there has the sign of what
        the farthest good normals contribute less twice the mean of all, here the log of their ratio.
        """
        axes: list[NDArray[np.float64]] = []
        logs = np.zeros(1)
        for axis, (low, high) in enumerate(self._box(m)):
            x, log_w = _legendre(nodes[axis])
            shape = [1, 1, 1]
            shape[axis] = -1
            if self.n == 2 and axis == 2:
                axes.append(np.array([0.0, 1.0]).reshape(shape))
                logs = logs - math.log(2.0)
                continue
            places, log_w = low + (high - low) * x, math.log(high - low) + log_w
            if axis == 1:  # and the farthest of them, by themselves
                places, log_w = np.append(places, self.near), np.append(log_w, 0.0)
            axes.append(places.reshape(shape))
            logs = logs + log_w.reshape(shape)
        density, base = self._integrand(*axes)
        terms = logs + density + m * base
        most = float(terms.max())
        weights = np.exp(terms - most)
        inside = weights[:, :-1]
        whole = float(inside.sum())
        total, slope = most + math.log(whole), float((inside * base[:, :-1]).sum()) / whole
        log_mass = log_cap(self.n, math.pi * self.near)
        farthest = (self.n - 2) * math.log(math.sin(math.pi * self.near)) - _log_turn(self.n - 2)
        edge = math.log(float(weights[:, -1].sum()) / whole) - farthest
        return total - 2.0 * log_mass, slope, edge + log_mass - math.log(2.0)

    def _integrand(
        self, s: NDArray[np.float64], g: NDArray[np.float64], h: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the density, and of what is taken to the power m."""
        sines = np.sin(math.pi * s), np.sin(math.pi * g)
        density = (self.n - 2) * (np.log(sines[0]) + np.log(sines[1])) - 2.0 * _log_turn(self.n - 2)
        if self.n > 2:
            density = density + (self.n - 3) * np.log(np.sin(math.pi * h)) - _log_turn(self.n - 3)
        # Differences of sines, not of angles: those lose the small ones.
        aside = sines[0] * sines[1] * np.sin(0.5 * math.pi * h) ** 2
        square = np.sin(0.5 * math.pi * (s - g)) ** 2 + aside
        apart = 2.0 / math.pi * np.arcsin(np.sqrt(np.minimum(square, 1.0)))
        whole = np.maximum(np.sin(0.5 * math.pi * (apart + s - g)), 1e-300)
        gained = 2.0 / math.pi * np.arcsin(np.minimum(aside / whole, 1.0))
        t, back = -math.expm1(-0.5 * self.epsilon), math.expm1(min(0.5 * self.epsilon, 300.0))
        change = -0.5 * (apart + s - g) * t + 0.5 * gained * back
        return density, np.log1p(change)

    def _box(self, m: float) -> list[_Range]:
        """Return the ranges of s, g and h beyond which everything is negligible."""
        middles = (np.arange(_GRID) + 0.5) / _GRID
        box = [(self.alpha, 1.0), (0.0, self.near), (0.0, 1.0)]
        for bend in _BENDS:
            places = [_along(axis, ends, middles, bend) for axis, ends in enumerate(box)]
            if self.n == 2:
                places[2] = np.array([0.0, 1.0])
            density, base = self._integrand(*np.ix_(*places))
            terms = density + m * base
            counts = terms > terms.max() - _INTEGRAL_NEGLIGIBLE
            kept = [np.flatnonzero(counts.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
            cut = [
                np.array([max(rows[0] - 1, 0), min(rows[-1] + 2, _GRID)]) / _GRID for rows in kept
            ]
            box = [_along(axis, box[axis], cut[axis], bend).tolist() for axis in range(3)]
            if all(high - low >= 0.5 for low, high in cut):
                break
        return box


def _along(axis: int, ends: _Range, share: NDArray[np.float64], bend: int) -> NDArray[np.float64]:
    """Return the places at these shares of a range, denser where the integrand may be steep."""
    low, high = ends
    if axis == 1:
        return np.asarray(high - (high - low) * (1.0 - share) ** bend)
    return np.asarray(low + (high - low) * (share**bend if axis == 0 else share))


def _guess(n: int, epsilon: float, alpha: float, m: float) -> float:
    """Return about the best alpha'; from a multiple of the latter on nothing falls with m."""
    t, back = -math.expm1(-0.5 * epsilon), math.expm1(min(0.5 * epsilon, 300.0))
    return min(math.atan(math.pi * (n - 0.4) / (m * t)) / math.pi, 0.5 * alpha * t / back)


@lru_cache(maxsize=4096)
def samples(n: int, epsilon: float, alpha: float, beta: float) -> float:
    """Return the real number of samples at which the bound falls to beta; inf where it is too large.

    Steps of m (Newton) and of alpha' (secant) at once. The log of the failure is convex in m, so that
    the former cannot go astray. About the best alpha' failure does not change with it: its last error
    counts by its square. Every alpha' gives a bound: the one after `_TOGETHER` steps is kept.
    """
    wanted = math.log(beta)
    m = (10.0 + 1.5 * n - wanted) / -math.log1p(-alpha * -math.expm1(-0.5 * epsilon))
    near, climb, step = _guess(n, epsilon, alpha, m), _CLIMB, math.inf
    before: tuple[float, float] | None = None
    for turn in range(_STEPS):
        failure, slope, off = Failure(n, epsilon, alpha, near).at(m, _FINE)
        if slope >= 0.0:
            near *= 0.25
            continue
        # The tangent of what is best falls about like 1/m: that is no change.
        place = math.log(math.tan(math.pi * near) * m)
        if before and place != before[0]:
            if step < _CLOSE:
                climb = min(max((off - before[1]) / (place - before[0]), _CLIMBS[0]), _CLIMBS[1])
            elif off * before[1] < 0.0:
                climb *= 2.0
        before = place, off
        after = max(m + (failure - wanted) / -slope, 0.1 * m)
        if after > _INTEGRAL_MOST:
            return math.inf
        shift = min(max(off / climb, -_FARTHEST), _FARTHEST)
        nearer = min(math.atan(math.exp(place - shift) / after) / math.pi, 0.98 * alpha)
        if turn >= _TOGETHER:
            nearer = near
        step, move = abs(after - m) / m, abs(math.log(nearer / near))
        m, near = after, nearer
        if step < _STILL or (step < _ENOUGH[0] and move < _ENOUGH[1]):
            break
    return m


@lru_cache(maxsize=4096)
def _guessed(n: int, epsilon: float, alpha: float, m: int) -> tuple[float, float]:
    """Return the log of the failure at the guessed alpha', and its slope in m."""
    return Failure(n, epsilon, alpha, _guess(n, epsilon, alpha, m)).at(m, _ROUGH)[:2]


def over(n: int, epsilon: float, alpha: float, beta: float, m: int) -> float:
    """Return the log of m over the number of samples; roughly, where they are far apart."""
    failure, slope = _guessed(n, epsilon, alpha, m)
    missing = failure - math.log(beta)
    factor = missing / (abs(slope) * m)
    if missing < -_BELOW or factor > _ABOVE:
        return -factor
    return math.log(m) - math.log(samples(n, epsilon, alpha, beta))


# --- The upper bounds for half-spaces ------------------------------------------------------------


def _least_over(needed: Callable[[float], float], alpha: float, first: float) -> float:
    """Return the least number over alpha' in (0, alpha), by golden sections around the best of a grid."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - slow to import, and most never ask

    tried = np.minimum(first * np.geomspace(0.02, 10.0, 11), 0.98 * alpha)
    sizes = [needed(x) for x in tried.tolist()]
    best = int(np.argmin(sizes))
    ends = math.log(tried[max(best - 1, 0)]), math.log(tried[min(best + 1, len(sizes) - 1)])
    if ends[0] == ends[1]:
        return sizes[best]
    found = minimize_scalar(
        lambda x: needed(math.exp(x)), bounds=ends, method="bounded", options={"xatol": 1e-2}
    )
    return min(float(found.fun), sizes[best])


class _OfDensity(Bound):
    """Promises for the density learner."""

    kind = "upper"
    applies_to = (
        "the density learner, on uniform directions (too slow to run beyond a few dimensions)"
    )
    whom = Whom("density")
    promised_on = ("uniform",)
    only_on = "uniform directions"
    validity = f"for n from 2 to {_MOST}"

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since at a large epsilon an answer that is a little wrong loses too much weight.
        """
        return wanted != "epsilon"

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if reason := self.silent(at):
            return BoundValue(None, reason)
        found = self.needed(at.d, at.epsilon, at.alpha, at.beta)
        if math.isinf(found):
            return BoundValue(None, "more than 1e+12: not searched further")
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
    title = "Density learner, simple bound"
    legend = "Guaranteed: density learner, by the mass of the good normals alone"
    thin = True
    source = Source(
        "ours",
        "the exponential mechanism with good answers of some mass",
        "CH11, the exponential mechanism over a net",
    )
    statement = (
        r"\min_{0<\alpha'<\alpha} \frac{r^m}{\mathrm{cap}_n(\pi\alpha')} \le \beta,\qquad "
        r"r = 1-\alpha(1-e^{-\varepsilon/2})+\alpha'(e^{\varepsilon/2}-1)"
    )
    derivation = (
        "The normals within an angle of $\\alpha'$ half turns (times 180°) of the target have the mass "
        "$\\mathrm{cap}_n(\\pi\\alpha')$. Against a good normal a bad one has a factor $q = e^{-\\varepsilon/2}$ on "
        "a share of at least $\\alpha$ of the examples, and a factor $1/q$ on at most $\\alpha'$: "
        "$\\mathbb{E}[w_s/w_g] \\le r^m$. By Jensen's inequality the probability of the bad normals is at most this, "
        "divided by the mass of the good ones. $\\square$"
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
    shaded = True
    source = Source(
        "ours",
        "Cauchy and Schwarz over the good normals",
        "CH11, the exponential mechanism over a net",
    )
    statement = (
        r"\min_{0<\alpha'\le\alpha} \mu^{-2}\int_{e_s>\alpha}\int_{e_g\le\alpha'} "
        r"\bigl[1-\tfrac12(\delta+e_s-e_g)t+\tfrac12(\delta-e_s+e_g)(\tfrac1q-1)\bigr]^m \le \beta"
    )
    derivation = (
        "Compare a bad normal $s$, of error $e_s$, with the good ones $g$, of error $e_g \\le \\alpha'$ and mass "
        "$\\mu = \\mathrm{cap}_n(\\pi\\alpha')$. By the Cauchy-Schwarz inequality the probability of $s$ is at most "
        "$\\mu^{-2}\\int \\mathbb{E}[w_s/w_g]\\,dg$. With an angle of $\\delta$ half turns between $s$ and $g$, only "
        "$s$ errs on the share $\\frac12(\\delta+e_s-e_g)$ of the examples, and only $g$ on "
        "$\\frac12(\\delta-e_s+e_g)$. So the mean is the bracket to the power $m$, with $q = e^{-\\varepsilon/2}$, "
        "$t = 1-q$. The integrals are over the polar angles and the azimuth between the two, by Gauss and Legendre. "
        "$\\square$\n\n"
        "This learner is too slow to run beyond a few dimensions. On the circle it chooses among $2m$ arcs; on the "
        "ordinary sphere a net of normals replaces it."
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
    shaded = True
    source = Source(
        "ours",
        "the learner's exact law",
        "CH11, lower and upper bounds for learners that protect only the labels",
    )
    without = ("d", "delta")
    kind = "upper"
    adjacency = "label"
    promised_on = ("circle", "band-in", "band-out")
    only_on = "distributions on the circle without atoms (points of positive mass)"
    validity = "in two dimensions"
    statement = r"\frac{1-(1-\alpha(1-q))^m}{1-q^m} \ge 1-\beta,\qquad q = e^{-\varepsilon/2}"
    derivation = (
        "The arc $k$ places clockwise of the target has $k$ mistakes and weight $q^k$, up to $m-1$; anticlockwise "
        "they are 1 to $m$. The output is the clockwise end of an arc. With $J$ points within mass $\\alpha$ "
        "clockwise, the first $J$ arcs are accurate; with $J$ points within mass $\\alpha$ anticlockwise, $J$ arcs "
        "are accurate there, each with one mistake more. Each $J \\sim \\mathrm{Bin}(m, \\alpha)$, and "
        "$\\mathbb{E}[(1-q^J)(1+q)]/[(1-q^m)(1+q)]$ is the claim, exactly. $\\square$"
    )
    applies_to = "the choice among the arcs, on every distribution on the circle without atoms (points of positive mass)"
    whom = Whom("arcs")

    def guess(self, at: Cell) -> float:
        """Return where (1 - alpha t)^m is beta."""
        return math.log(at.beta) / math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the failure that is not exceeded."""
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(setting.alpha * np.expm1(-speed))
        left = np.exp(-slow * setting.m) * -np.expm1(-setting.m * (speed - slow))
        return np.broadcast_to(left / -np.expm1(-speed * setting.m), setting.shape)


BOUNDS = (
    Pair(), Packing(), CirclePacking(), Theorem12(), Density(), Simple(), Arcs(),
)  # fmt: skip
