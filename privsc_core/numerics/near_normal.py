"""Binomial chances and tails of very many counts, as the normal law and the little that it misses.

With x = count + 1/2 and w the root of 2 (x log (x / mean) + ...), the deviance of x, of the sign of x -
mean, the tail is Phi(w) + phi(w) R. R is below a hundredth and so smooth in log(x / (draws - x)) and
1 / draws that a polynomial says it to rounding: the incomplete beta function, a microsecond and more
each, is asked at its nodes alone.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["halves", "tails"]

# (1 + u) log(1 + u) - u = u^2 (1/2 - u/6 + u^2/12 - ...), the highest power first.
_NEAR = 0.05
_SERIES = [(-1.0) ** n / (n * (n - 1)) for n in range(14, 1, -1)]
# Nodes in the log odds and in 1 / draws, fewer from so many hits and misses on; how many of both there
# are at least where R is smooth.
_NODES, _MANY, _LEAST = ((20, 6), (12, 3)), 1000.0, 8.0
# Of a polynomial no more than that is left out.
_LEFT_OUT = 3e-16
_HALVINGS = 30


def _deviance(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (1 + u) log(1 + u) - u."""
    if np.abs(u).max(initial=0.0) > _NEAR:
        return np.asarray((1.0 + u) * np.log1p(u) - u)
    found = np.full(u.shape, _SERIES[0])
    for factor in _SERIES[1:]:
        found *= u
        found += factor
    found *= u
    found *= u
    return found


def halves(count: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, 1/2) = count], by Stirling's series also between whole counts.

    Parameters
    ----------
    count, draws : ndarray of float64
        Of one shape; 100 of both outcomes at least.
    """
    misses = draws - count
    u = (count - misses) / draws
    square = u * u
    if square.max(initial=0.0) > _NEAR * _NEAR:
        logs = _deviance(u) + _deviance(-u)
    else:  # odd powers cancel
        logs = np.full(u.shape, 2.0 * _SERIES[0])
        for factor in _SERIES[2::2]:
            logs *= square
            logs += 2.0 * factor
        logs *= square
    logs *= -0.5 * draws
    logs += _beyond(draws) - _beyond(count) - _beyond(misses)
    return np.asarray(np.exp(logs) * np.sqrt(draws / (2.0 * math.pi * count * misses)))


def _beyond(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what log n! has beyond Stirling's formula."""
    inverse = 1.0 / n
    square = inverse * inverse
    return np.asarray(inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0)))


def tails(
    count: NDArray[np.float64], draws: NDArray[np.float64], probability: float, log_tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[Bin(draws, probability) <= count] and > count, also between whole counts.

    There they are incomplete beta functions, I_{1-p}(draws - count, count + 1) and 1 less it.

    Parameters
    ----------
    count, draws : ndarray of float64, shape (counts,)
        0 <= count < draws.
    probability : float
        Of one draw.
    log_tail : float
        Tails below e^-log_tail are 0, and those above 1 less it are 1.

    Returns
    -------
    at_most, above : ndarray of float64
        About 1e-14 off, the smaller one so much relative to itself times what its log is.
    """
    mean = draws * probability
    off = count + 0.5 - mean
    hits, misses = off / mean, off / (mean - draws)
    deviance = mean * _deviance(hits) + (draws - mean) * _deviance(misses)
    below = off < 0.0
    smaller = np.zeros(off.shape)
    few = (count < _LEAST) | (draws - count < _LEAST)
    open_ = deviance < log_tail
    if (few & open_).any():
        for here, tail in ((below, special.betaincc), (~below, special.betainc)):
            at = np.flatnonzero(few & open_ & here)
            smaller[at] = tail(count[at] + 1.0, draws[at] - count[at], probability)
    at = np.flatnonzero(open_ & ~few)
    odds = np.log1p(hits[at]) - np.log1p(misses[at])
    missed = np.where(below[at], 1.0, -1.0)
    draws = draws[at]
    octave = np.frexp(draws)[1]
    for power in range(int(octave.min()), int(octave.max()) + 1) if at.size else ():
        here = octave == power
        if here.all():
            missed *= _missed(probability, power, log_tail)(odds, draws)
        elif here.any():
            missed[here] *= _missed(probability, power, log_tail)(odds[here], draws[here])
    smaller[at] = (0.5 * special.erfcx(np.sqrt(deviance[at])) + missed) * np.exp(-deviance[at])
    return np.where(below, smaller, 1.0 - smaller), np.where(below, 1.0 - smaller, smaller)


class _Missed(NamedTuple):
    """R times the root of draws, a polynomial of where the log odds and 1 / draws are, in [-1, 1]."""

    odds: tuple[float, float]
    draws: tuple[float, float]
    powers: list[list[float]]

    def __call__(
        self, odds: NDArray[np.float64], draws: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return R."""
        x = (odds - self.odds[0]) * self.odds[1]
        y = (1.0 / draws - self.draws[0]) * self.draws[1]
        found = np.zeros(x.shape)
        for layer in self.powers:
            part = np.full(x.shape, layer[0])
            for factor in layer[1:]:
                part *= x
                part += factor
            found *= y
            found += part
        return found / np.sqrt(draws)


@lru_cache(maxsize=64)
def _missed(probability: float, power: int, log_tail: float) -> _Missed:
    """Return R for 2^(power - 1) draws to twice as many."""
    least, most = 0.5 * 2.0**power, 2.0**power
    low, high = (_end(probability, log_tail / least, _LEAST / least, s) for s in (-1.0, 1.0))
    nodes, layers = _NODES[least * min(probability, 1.0 - probability) > _MANY]
    t = np.cos((np.arange(nodes) + 0.5) * np.pi / nodes)[:, None]
    s = np.cos((np.arange(layers) + 0.5) * np.pi / layers)
    shift = math.log(probability) - math.log1p(-probability)
    odds = 0.5 * ((low + high) + (high - low) * t)
    n = 1.0 / (0.5 * ((1.0 / least + 1.0 / most) + (1.0 / least - 1.0 / most) * s))
    x = n * special.expit(odds + shift)
    mean = n * probability
    off = x - mean
    deviance = mean * _deviance(off / mean) + (n - mean) * _deviance(off / (mean - n))
    below = off < 0.0
    # Of the incomplete beta function: one more than the count, and what is left.
    hits, misses = x + 0.5, n - x + 0.5
    tail = np.empty(x.shape)
    tail[below] = special.betaincc(hits[below], misses[below], probability)
    tail[~below] = special.betainc(hits[~below], misses[~below], probability)
    # Beside rounding, which would be large there, nothing is missed at the far ends.
    missed = 0.5 * special.erfcx(np.sqrt(deviance)) - tail * np.exp(deviance)
    values = np.where(below, -missed, missed) * np.sqrt(n)
    factors = np.linalg.solve(
        chebyshev.chebvander(t[:, 0], nodes - 1),
        np.linalg.solve(chebyshev.chebvander(s, layers - 1), values.T).T,
    )
    factors[np.abs(factors) < _LEFT_OUT * math.sqrt(least)] = 0.0
    powers = _powers(nodes).T @ factors @ _powers(layers)
    return _Missed(
        (0.5 * (low + high), 2.0 / (high - low)),
        (0.5 * (1.0 / least + 1.0 / most), 2.0 / (1.0 / least - 1.0 / most)),
        [np.trim_zeros(layer[::-1], "f").tolist() or [0.0] for layer in powers.T[::-1]],
    )


def _end(probability: float, most: float, least: float, side: float) -> float:
    """Return the log odds, less those of the probability, at which the deviance of a draw is `most`.

    Or at which one of both shares is `least`.
    """
    p, near, far = probability, probability, least if side < 0.0 else 1.0 - least
    if (far - near) * side > 0.0:
        for _ in range(_HALVINGS):
            share = 0.5 * (near + far)
            other = 1.0 - share
            off = share * math.log(share / p) + other * math.log(other / (1.0 - p))
            near, far = (share, far) if off < most else (near, share)
    return math.log(far / (1.0 - far)) - math.log(p / (1.0 - p))


@lru_cache(maxsize=4)
def _powers(count: int) -> NDArray[np.float64]:
    """Return the coefficients of Chebyshev's polynomials, one a row, the constants first."""
    found = np.zeros((count, count))
    for n in range(count):
        found[n, : n + 1] = chebyshev.cheb2poly(np.eye(count)[n, : n + 1])
    return found
