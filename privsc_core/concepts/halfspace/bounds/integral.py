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
from scipy import optimize

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
_ROUGH, _FINE = 16, 26
# How far alpha' is looked for around its guess, as a factor, and how closely.
_WITHIN, _CLOSE = 40.0, 0.003
_STEPS, _STILL = 40, 1e-10
_MOST = 1e12
# Where the guessed alpha' says that m is far from the number, the best one says so too: a log of beta
# below it, and a factor above. What is within the last of these logs is told by the number alone.
_BELOW, _ABOVE, _CLOSEST = 1.0, 1.5, 0.02


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

    def at(self, m: float, nodes: int) -> tuple[float, float]:
        """Return the log of the bound on the failure, and its slope in m."""
        x, log_w = _legendre(nodes)
        axes: list[NDArray[np.float64]] = []
        logs = np.zeros(1)
        for axis, (low, high) in enumerate(self._box(m)):
            shape = [1, 1, 1]
            shape[axis] = nodes
            if self.n == 2 and axis == 2:
                axes.append(np.array([0.0, 1.0]).reshape(1, 1, 2))
                logs = logs - math.log(2.0)
            else:
                axes.append((low + (high - low) * x).reshape(shape))
                logs = logs + math.log(high - low) + log_w.reshape(shape)
        density, base = self._integrand(*axes)
        terms = logs + density + m * base
        most = float(terms.max())
        weights = np.exp(terms - most)
        whole = float(weights.sum())
        total, slope = most + math.log(whole), float((weights * base).sum()) / whole
        return total - 2.0 * log_cap(self.n, math.pi * self.near), slope

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
    return min((n - 0.4) / (m * t), 0.5 * alpha * t / back)


def _nearest(n: int, epsilon: float, alpha: float, m: float) -> float:
    """Return the alpha' with about the least failure at m."""
    middle = math.log(_guess(n, epsilon, alpha, m))
    high = min(middle + math.log(_WITHIN), math.log(0.98 * alpha))
    found = optimize.minimize_scalar(
        lambda x: Failure(n, epsilon, alpha, math.exp(x)).at(m, _ROUGH)[0],
        bounds=(middle - math.log(_WITHIN), high), method="bounded", options={"xatol": _CLOSE},
    )  # fmt: skip
    return math.exp(found.x)


@lru_cache(maxsize=4096)
def samples(n: int, epsilon: float, alpha: float, beta: float) -> float:
    """Return the real number of samples at which the bound falls to beta; inf where it is too large.

    The log of the failure is convex in m, so that Newton's steps cannot go astray; which alpha' is best
    changes little with m, and every alpha' gives a bound.
    """
    wanted = math.log(beta)
    rate = -math.log1p(-alpha * -math.expm1(-0.5 * epsilon))
    m, before = (10.0 + 1.5 * n - wanted) / rate, math.inf
    near = math.nan
    for _ in range(_STEPS):
        if before > 1e-3 * m:
            near = _nearest(n, epsilon, alpha, m)
        failure, slope = Failure(n, epsilon, alpha, near).at(m, _FINE)
        if slope >= 0.0:
            near *= 0.25
            continue
        after = max(m + (failure - wanted) / -slope, 0.1 * m)
        before, m = abs(after - m), after
        if m > _MOST:
            return math.inf
        if before <= _STILL * m:
            break
    return m


@lru_cache(maxsize=4096)
def _best(n: int, epsilon: float, alpha: float, m: int, *, guessed: bool) -> tuple[float, float]:
    """Return the log of the failure at about the best alpha', and its slope in m."""
    near = (_guess if guessed else _nearest)(n, epsilon, alpha, m)
    return Failure(n, epsilon, alpha, near).at(m, _ROUGH if guessed else _FINE)


def over(n: int, epsilon: float, alpha: float, beta: float, m: int) -> float:
    """Return the log of m over the number of samples; roughly, where they are far apart."""
    for guessed in (True, False):
        failure, slope = _best(n, epsilon, alpha, m, guessed=guessed)
        missing = failure - math.log(beta)
        factor = missing / (abs(slope) * m)
        if guessed:
            sure = missing < -_BELOW or factor > _ABOVE
        else:
            sure = slope < 0.0 and abs(missing) > _CLOSEST
        if sure:
            return -factor
    return math.log(m) - math.log(samples(n, epsilon, alpha, beta))
