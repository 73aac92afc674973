"""Tails of counts and of noise: binomial, near-normal, Poisson, Gaussian.

Binomial tails for numbers of draws far beyond what a table could hold.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special
from scipy.special import gammaln, xlogy

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LARGE_BITS = 40
_CERTAIN_EXPONENT = 745.0


def binomial_at_most(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) <= count] elementwise in `probability`.

    For more than 2^40 draws the tail is rounded to 0 or 1 where Hoeffding's bound is below
    the smallest float; elsewhere it is the regularised incomplete beta function.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.zeros_like(p)
    if count >= draws:
        return np.ones_like(p)
    if draws.bit_length() > _LARGE_BITS:
        gap = count / draws - p
        scale = min(draws, 1 << 1000)
        certain = 2.0 * math.sqrt(scale) * np.abs(gap) > math.sqrt(2.0 * _CERTAIN_EXPONENT)
        near = special.betaincc(
            float(min(count, 1 << 1000)) + 1.0, float(min(draws - count, 1 << 1000)), p
        )
        # Within rounding of the mean the beta function may not converge: there the normal law
        # is exact to the same rounding.
        spread = np.sqrt(np.maximum(p * (1.0 - p), 1e-300))
        middle = special.ndtr(math.sqrt(scale) * np.clip(gap / spread, -1e3, 1e3))
        near = np.where(np.isnan(near), middle, near)
        return np.where(certain, (gap > 0.0).astype(np.float64), near)
    return np.asarray(special.betaincc(count + 1.0, float(draws - count), p))


def binomial_above(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) > count], relative to itself up to 2^40 draws.

    For more it is 1 - `binomial_at_most`.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.ones_like(p)
    if count >= draws:
        return np.zeros_like(p)
    if draws.bit_length() > _LARGE_BITS:
        return np.asarray(1.0 - binomial_at_most(count, draws, p))
    return np.asarray(special.betainc(count + 1.0, float(draws - count), p))


# -------------------------------------------------------------------------------------------------
# Binomial chances and tails so far out that they are no float: logs of chances, and sums beside
# one.


_STEPS = 20


def log_chance(
    count: NDArray[np.float64],
    size: NDArray[np.float64],
    share: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return log Pr[Bin(size, share) = count], by the deviance, without the cancellation of n log n."""
    ratio = count / size
    deviance = special.rel_entr(ratio, share) + special.rel_entr(1.0 - ratio, 1.0 - share)
    inside = np.maximum(count, 1.0) * np.maximum(size - count, 1.0) / size
    stirling = _beyond(size) - _beyond(count) - _beyond(size - count)
    edge = (count == 0.0) | (count == size)
    return np.asarray(
        -size * deviance + np.where(edge, 0.0, stirling - 0.5 * np.log(2.0 * math.pi * inside))
    )


def _beyond(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what Stirling's formula leaves out of log n!."""
    some = np.maximum(n, 1.0)
    few = special.gammaln(some + 1.0) - (some + 0.5) * np.log(some) + some
    few -= 0.5 * math.log(2.0 * math.pi)
    inverse = 1.0 / (some * some)
    return np.where(
        some < 16.0, few, (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / some
    )


def tail_sum(
    a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the continued fraction of the incomplete beta function, far out in its tail; shape (cells,).

    I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times it; so far out it has settled after ten steps or so.
    """
    step = np.arange(1.0, _STEPS)[:, None]
    twice = a + 2.0 * step
    even = step * (b - step) * x / ((twice - 1.0) * twice)
    odd = -(a + step) * (a + b + step) * x / (twice * (twice + 1.0))
    found = np.ones(x.shape)
    # From the last one backwards: each step is two operations.
    for one, other in zip(even[::-1], odd[::-1], strict=True):
        found = 1.0 + one / (1.0 + other / found)
    return np.asarray(np.maximum(1.0 / (1.0 - (a + b) * x / ((a + 1.0) * found)), 1e-300))


# -------------------------------------------------------------------------------------------------
# Binomial chances and tails of very many counts, as the normal law and the little that it misses.
#
# With x = count + 1/2 and w the root of 2 (x log (x / mean) + ...), the deviance of x, of the sign of x -
# mean, the tail is Phi(w) + phi(w) R. R is below a hundredth and so smooth in log(x / (draws - x)) and
# 1 / draws that a polynomial says it to rounding: the incomplete beta function, a microsecond and more
# each, is asked at its nodes alone.


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
    logs += _beyond_stirling(draws) - _beyond_stirling(count) - _beyond_stirling(misses)
    return np.asarray(np.exp(logs) * np.sqrt(draws / (2.0 * math.pi * count * misses)))


def _beyond_stirling(n: NDArray[np.float64]) -> NDArray[np.float64]:
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


# --- Poisson weights to rounding, also where the mean is large -----------------------------------


# Up to here log k! is taken from its definition, beyond from Stirling's series.
_FEW = 40.0
_DIGITS = 40.0  # as a logarithm: what is below does not matter
# (1 + u) log(1 + u) - u = u^2 (1/2 - u/6 + u^2/12 - ...), the highest power first.
_POISSON_NEAR = 0.1
_POISSON_SERIES = np.array([(-1.0) ** n / (n * (n - 1)) for n in range(18, 1, -1)])


def log_poisson(k: NDArray[np.float64], mean: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of Poisson weights, without the cancellation of mean - k + k log(k / mean).

    Parameters
    ----------
    k : ndarray of float64
        Whole numbers, of any shape.
    mean : float or ndarray of float64
        Above 0.
    """
    u = (k - mean) / mean
    size = np.abs(u)
    near = size < _POISSON_NEAR
    if near.all():
        deviance = _near(u, float(size.max(initial=0.0)))
    else:
        deviance = np.where(near, _near(np.where(near, u, 0.0), _POISSON_NEAR),
                            xlogy(1.0 + u, np.maximum(1.0 + u, 0.0)) - u)  # fmt: skip
    deviance *= mean
    return np.asarray(log_poisson_mean(k) - deviance)


def _near(u: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """Return (1 + u) log(1 + u) - u where |u| is at most so large: by as many terms as that takes."""
    terms = (
        _POISSON_SERIES.size
        if most >= _POISSON_NEAR
        else math.ceil(_DIGITS / -math.log(most))
        if most
        else 1
    )
    terms = min(max(terms, 1), _POISSON_SERIES.size)
    found = np.full_like(u, _POISSON_SERIES[-terms])
    for term in _POISSON_SERIES[_POISSON_SERIES.size - terms + 1 :]:
        found *= u
        found += term
    found *= u
    found *= u
    return found


def log_poisson_mean(k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of Poisson weights of the mean itself, whole numbers; 0 has all weight."""
    some = np.maximum(k, 1.0)
    inverse = 1.0 / some
    square = inverse * inverse
    rest = np.asarray((1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0)) * inverse)
    small = some <= _FEW
    if small.any():
        few = some[small]
        rest[small] = (
            gammaln(few + 1.0) - (few + 0.5) * np.log(few) + few - 0.5 * math.log(2.0 * math.pi)
        )
    rest += 0.5 * np.log(2.0 * math.pi * some)
    return np.asarray(np.where(k > 0.0, -rest, 0.0))


def poisson_weights(k: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return Poisson weights but for a factor, such that the largest is 1.

    Parameters
    ----------
    k : ndarray of float64, shape (numbers,)
        Whole numbers, one after the other.
    mean : float
        Above 0.
    """
    mode = min(max(math.floor(mean) - int(k[0]), 0), k.size - 1)
    weights = np.ones(k.size)
    np.cumprod(mean / k[mode + 1 :], out=weights[mode + 1 :])
    np.cumprod(k[mode:0:-1] / mean, out=weights[:mode][::-1])
    return weights


# --- Gaussian noise and (epsilon, delta): exact, not by a tail bound -----------------------------


_NOISE_HALVINGS = 220
_NOISE_LEAST, _MOST = -700.0, 400.0  # logs between which the parameter is looked for


def gaussian_slack(mu: float, epsilon: float) -> float:
    """Return the least delta for which mu-Gaussian privacy is (epsilon, delta)-privacy.

    Phi(a) - e^epsilon Phi(b), a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu (Balle and Wang 2018).
    As b^2 = a^2 + 2 epsilon, the second term is the density at a times Mills' ratio at b: nothing
    overflows.

    Parameters
    ----------
    mu : float
        The sensitivity divided by the standard deviation of the noise; of k queries sqrt(k) times
        that of one.
    epsilon : float
        Above 0.
    """
    a, b = 0.5 * mu - epsilon / mu, -0.5 * mu - epsilon / mu
    mills = math.exp(-0.5 * a * a) * 0.5
    far = float(special.erfcx(-b / math.sqrt(2.0)))
    if a < 0.0:
        return mills * (float(special.erfcx(-a / math.sqrt(2.0))) - far)
    return float(special.ndtr(a)) - mills * far


@lru_cache(maxsize=4096)
def gaussian_parameter(epsilon: float, delta: float) -> float:
    """Return the largest mu whose slack at epsilon is at most delta, by bisection of its logarithm."""
    low, high = _NOISE_LEAST, _MOST
    for _ in range(_NOISE_HALVINGS):
        middle = 0.5 * (low + high)
        if gaussian_slack(math.exp(middle), epsilon) <= delta:
            low = middle
        else:
            high = middle
    return math.exp(low)
