"""The density learner's failure, bounded by an integral over bad normals and good ones.

Both have polar angles around the target, s and g, and an azimuth h between them, all in half turns. What
is integrated is a power with one steep peak, whose place depends on everything: grids find where it
counts, and Gauss and Legendre's nodes lie there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from privsc_core.concepts.halfspace.sphere import log_cap

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Failure", "over", "samples"]

_Range: TypeAlias = "tuple[float, float]"

# Less than e^-32 of the peak counts for nothing.
_NEGLIGIBLE = 32.0
_GRID = 15
# Grids follow each other while they narrow; the first one is denser where the peak may be.
_BENDS = (3, 1, 1, 1)
# Nodes along s, g and h: the integrand is smoothest in g, and over the widest range of it in h.
_ROUGH, _FINE = (12, 8, 20), (20, 16, 34)
_STEPS, _STILL, _MOST = 40, 1e-10, 1e12
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
        """Return the ranges of s, g and h outside of which nothing counts."""
        middles = (np.arange(_GRID) + 0.5) / _GRID
        box = [(self.alpha, 1.0), (0.0, self.near), (0.0, 1.0)]
        for bend in _BENDS:
            places = [_along(axis, ends, middles, bend) for axis, ends in enumerate(box)]
            if self.n == 2:
                places[2] = np.array([0.0, 1.0])
            density, base = self._integrand(*np.ix_(*places))
            terms = density + m * base
            counts = terms > terms.max() - _NEGLIGIBLE
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
        if after > _MOST:
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
