"""The exact law of the number of wrong bits on `spikes`.

The d bits are seen K_1, ..., K_d times, multinomial(m; a/d each), and given these they err
independently, with probability rho(K_b). Were the sample's size Poisson the K_b were independent; a
Cauchy integral over the circle |z| = m takes the coefficient of z^m, and a Fourier transform that of
every number of wrong bits. The integrand falls like e^{-m (1 - cos theta)}: of the 9 sqrt(m) + 21
nodes only some thirty matter.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import bdtrc, gammaln, xlog1py, xlogy
from scipy.stats import binom

from privsc_core.concepts.laws import exact

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.cube import SpikesDistribution

__all__ = ["spikes_law", "wrong_bits"]

_STRIDE = 64  # counts whose waves are those of the first of them, times few others
_DEEP = 45.0  # e^-45 of the integrand is nothing
_SURE = 1e-17  # expected wrong bits that are none
_WIDE = 1e4
_FEW_EXAMPLES = 2_000  # up to so many are kept: 15 MB at most
# Smaller probabilities are computed again, where the setting asks, relative to themselves.
_RARE = 1e-3
# So small a share of a sum is not seen.
_UNSEEN = 1e-17
# Up to here log k! is taken from its definition, beyond from Stirling's series.
_FEW = 40.0
# (1 + u) log(1 + u) - u = u^2 (1/2 - u/6 + u^2/12 - ...), the highest power first.
_NEAR = 0.1
_SERIES = np.array([(-1.0) ** n / (n * (n - 1)) for n in range(18, 1, -1)])


def _log_poisson(k: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return log of the Poisson weights, without the cancellation of mean - k + k log(k / mean)."""
    u = (k - mean) / mean
    near = np.abs(u) < _NEAR
    deviance = np.where(near, u * u * np.polyval(_SERIES, np.where(near, u, 0.0)),
                        xlogy(1.0 + u, np.maximum(1.0 + u, 0.0)) - u)  # fmt: skip
    some = np.maximum(k, 1.0)
    inverse = 1.0 / some**2
    far = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / some
    few = gammaln(some + 1.0) - (some + 0.5) * np.log(some) + some - 0.5 * math.log(2.0 * math.pi)
    stirling = 0.5 * np.log(2.0 * math.pi * some) + np.where(some > _FEW, far, few)
    return np.asarray(-mean * deviance - np.where(k > 0.0, stirling, 0.0))


class _Nodes(NamedTuple):
    """What the integral needs of m, d and a: the same for every rho.

    Attributes
    ----------
    counts : ndarray of float64, shape (counts,)
        The k that matter, or every so-manieth of them.
    weights : ndarray of float64, shape (counts,)
        Poisson weights of the k.
    waves : ndarray of float64, shape (2, angles, counts)
        The weights times the cosine and the sine of (k - k0) theta, theta at least 0 alone.
    whole : ndarray of complex128, shape (nodes,)
        The sums of the waves.
    turn : ndarray of int64, shape (nodes,)
        Which angle each node has, below 0 against the turn.
    factor : ndarray of complex128, shape (nodes,)
        The rest of the integrand, over the number of nodes and the Poisson weight of m.
    """

    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    waves: NDArray[np.float64]
    whole: NDArray[np.complex128]
    turn: NDArray[np.int64]
    factor: NDArray[np.complex128]

    @classmethod
    def of(cls, m: int, d: int, a: float, rare: float = 0.0) -> _Nodes:
        """Return those for probabilities as small as e^-rare."""
        mean = a * m / d
        total = math.ceil((9.0 + 2.0 * math.sqrt(2.0 * rare)) * math.sqrt(m)) + 21
        deep = _DEEP + 2.0 * rare
        angle = 2.0 * math.asin(min(1.0, math.sqrt(0.5 * deep / m)))
        last = math.ceil(angle / (2.0 * math.pi) * total)
        turn = np.arange(max(-last, -(total // 2)), min(last + 1, total - total // 2))
        theta = 2.0 * math.pi / total * turn
        fall = 2.0 * m * np.sin(0.5 * theta) ** 2  # m (1 - cos theta)
        turn, theta, fall = turn[fall < deep], theta[fall < deep], fall[fall < deep]
        reach = math.sqrt((144.0 + 4.0 * rare) * mean) + 40.0 + rare
        # Where the mean is so large everything is smooth over a twentieth of the deviation.
        step = max(1, math.floor(math.sqrt(mean) / 20.0)) if mean > _WIDE else 1
        first, last = max(0, math.floor(mean - reach)), math.ceil(mean + reach)
        counts = np.arange(first, last + 1, step).astype(np.float64)
        weights = np.exp(_log_poisson(counts, mean))
        weights /= weights.sum()
        middle = round(mean)
        angles = 2.0 * math.pi / total * np.arange(int(np.abs(turn).max()) + 1, dtype=np.float64)
        waves = _waves(angles, int(counts[0]) - middle, step, weights)
        phase = (d * middle - a * m) * theta + (1.0 - a) * m * (np.sin(theta) - theta)
        log_whole = float(_log_poisson(np.array([float(m)]), float(m))[0])
        factor = np.exp(1j * phase - (1.0 - a) * fall - log_whole) / total
        whole = _turned(waves.sum(axis=2), turn)
        return cls(counts, weights, waves, whole, turn, factor)

    def law(self, d: int, rho: NDArray[np.float64], tilt: int | None = None) -> NDArray[np.float64]:
        """Return the probabilities of 0, ..., d wrong bits.

        The error is about 1e-13 of the largest; of what is near `tilt` wrong bits relative to itself.
        """
        # No product of matrices: it would wake threads, which costs more than it gives.
        bad = _turned(np.einsum("ctk,k->ct", self.waves, rho), self.turn)
        # Where rho is at most 1/2 nothing cancels.
        good = (
            self.whole - bad
            if rho.max() <= 0.5
            else _turned(np.einsum("ctk,k->ct", self.waves, 1.0 - rho), self.turn)
        )
        middle = len(self.factor) // 2  # theta = 0
        one, other = float(good[middle].real), float(bad[middle].real)
        odds = 1.0
        if tilt is not None and one > 0.0 < other:
            odds = (tilt + 0.5) / (d - tilt + 0.5) * one / other
        whole = one + odds * other
        good, bad = good / whole, bad * (odds / whole)
        # What is further than ten root d from the mean is nothing: fewer frequencies tell the rest.
        size = min(d + 1, 20 * math.isqrt(d) + 100)
        omega = np.exp(-2j * math.pi / size * np.arange(size // 2 + 1))
        values = np.einsum("t,tf->f", self.factor, _power(good[:, None] + np.outer(bad, omega), d))
        found = np.fft.irfft(values, n=size)
        first = min(max(round(d * odds * other / whole) - size // 2, 0), d + 1 - size)
        count = np.arange(first, first + size)
        total = np.zeros(d + 1)
        total[count] = np.maximum(found[count % size], 0.0)
        if tilt is not None:  # far from it the scale may be more than a float
            with np.errstate(divide="ignore"):
                scaled = np.log(total) + d * math.log(whole) - np.arange(d + 1) * math.log(odds)
            total = np.exp(np.minimum(scaled, 0.0))
        return total


def _waves(
    theta: NDArray[np.float64], first: int, step: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weights times the cosine and sine of k theta, k = first, first + step, ...

    A product of two short tables of powers: most of the time would go into cosines.
    """
    rows = math.ceil(weights.size / _STRIDE)
    far = np.exp(1j * np.outer(theta, first + step * _STRIDE * np.arange(rows)))
    near = np.exp(1j * np.outer(theta, step * np.arange(_STRIDE)))
    waves = (far[:, :, None] * near[:, None, :]).reshape(theta.size, -1)[:, : weights.size]
    return np.stack([waves.real * weights, waves.imag * weights])


def _turned(sums: NDArray[np.float64], turn: NDArray[np.int64]) -> NDArray[np.complex128]:
    """Return sums over waves at every node: against the turn they are conjugate."""
    at = np.abs(turn)
    return np.asarray(sums[0, at] + 1j * np.sign(turn) * sums[1, at])


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Return a power by squaring, many times as fast as in general."""
    found: NDArray[np.complex128] | None = None
    while True:
        if exponent & 1:
            found = base if found is None else found * base
        exponent >>= 1
        if not exponent:
            return base if found is None else found
        base = base * base


@lru_cache(maxsize=160)
def _nodes(m: int, d: int, a: float, rare: float) -> _Nodes:
    return _Nodes.of(m, d, a, rare)


@lru_cache(maxsize=256)
def _coins(d: int, chance: float) -> NDArray[np.float64]:
    """Return the law of wrong bits where nothing was seen."""
    return np.asarray(binom.pmf(np.arange(d + 1), d, chance))


def wrong_bits(
    m: int, d: int, a: float, rho: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the probabilities of 0, ..., d wrong bits, shape (d + 1,), to about 1e-13.

    Parameters
    ----------
    m, d : int
        Examples, at least 0, and bits.
    a : float
        The mass of the points that tell a bit.
    rho : callable
        The probability that a bit that was seen k times is wrong.
    """
    if m == 0:
        return _coins(d, rho(np.zeros(1)).item())
    nodes = _Nodes.of(m, d, a)
    return nodes.law(d, rho(nodes.counts))


def _binomial(count: NDArray[np.int64], draws: int, chance: float) -> NDArray[np.float64]:
    """Return binomial weights, also where scipy's density finds the chance too small."""
    ways = gammaln(draws + 1.0) - gammaln(count + 1.0) - gammaln(draws - count + 1.0)
    return np.asarray(np.exp(ways + xlogy(count, chance) + xlog1py(draws - count, -chance)))


def _sums(law: NDArray[np.float64], most: int) -> tuple[float, float]:
    """Return the chances of at most so many, and of more."""
    return float(law[: most + 1].sum()), float(law[most + 1 :].sum())


def _rarely(
    law: NDArray[np.float64], tilted: Callable[[int], NDArray[np.float64]], most: int
) -> tuple[float, float]:
    """Return the same, the smaller of the two relative to itself."""
    value, lost = _sums(law, most)
    if lost < _RARE:
        lost = float(tilted(most + 1)[most + 1 :].sum())
        return 1.0 - lost, lost
    if value < _RARE:
        value = float(tilted(most)[: most + 1].sum())
        return value, 1.0 - value
    return value, lost


def spikes_law(
    distribution: SpikesDistribution,
    setting: Setting,
    size: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    profile: Callable[[NDArray[np.float64], float, int], NDArray[np.float64]],
    steady: Callable[[int], int] = lambda _: 0,
    chance: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the law of a learner whose bits err independently given how often they were seen.

    Parameters
    ----------
    distribution, setting
        As for `Learner.success`.
    size : callable
        m -> how many examples the learner looks at.
    profile : callable
        (k, epsilon, cell) -> rho(k); cells are numbered as in `Setting.cells`.
    steady : callable
        d -> how many of the d bits err whatever was seen.
    chance : ndarray of float64, shape (cells,), optional
        How likely such a bit is wrong; without it, never.
    """
    sizes = np.broadcast_to(size(setting.m), setting.shape).ravel().tolist()
    value, lost = np.empty((2, len(sizes)))
    nodes: dict[tuple[int, int], _Nodes] = {}
    rare = setting.log_tail if setting.extreme else 0.0
    for cell, (m, (_, every, epsilon)) in enumerate(zip(sizes, setting.cells(), strict=True)):
        distribution.check(d=every, alpha=setting.alpha)
        allowed = distribution.allowed(every, setting.alpha)
        apart = steady(every)
        d = every - apart
        if m and d and (m, every) not in nodes:
            # Cells of one m are neighbours; those of few examples come again.
            make = _nodes if m <= _FEW_EXAMPLES and not rare else _Nodes.of
            nodes = {(m, every): make(m, d, distribution.a * d / every, rare)}
        known = nodes[m, every] if m and d else None
        few = _few(known, d, lambda k: profile(k, epsilon, cell), setting)  # noqa: B023 - called at once
        if chance is None or not apart:
            value[cell], lost[cell] = few(allowed)
            continue
        wrong = np.arange(min(apart, allowed) + 1)
        weights = _binomial(wrong, apart, chance[cell])
        value[cell], lost[cell] = 0.0, bdtrc(min(allowed, apart), apart, chance[cell])
        rest = lost[cell] + np.append(np.cumsum(weights[::-1])[::-1][1:], 0.0)
        for w in np.flatnonzero(weights).tolist():
            one, other = few(allowed - w)
            value[cell] += weights[w] * one
            lost[cell] += weights[w] * other
            # What is left is not seen beside either.
            if rest[w] <= _UNSEEN * min(value[cell], lost[cell]):
                break
    shape = setting.shape
    return exact(value.reshape(shape), setting, lost.reshape(shape))


def _few(
    known: _Nodes | None,
    d: int,
    profile: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    setting: Setting,
) -> Callable[[int], tuple[float, float]]:
    """Return the chances of at most so many of d wrong bits, and of more, as a function."""
    sure = (1.0, 0.0)
    if known is None:
        coins = _coins(d, profile(np.zeros(1)).item())
        return lambda most: sure if most >= d else _sums(coins, most)
    rho = profile(known.counts)
    expected = d * float(np.einsum("k,k->", known.weights, rho))
    if not expected > _SURE * (setting.beta if setting.extreme else 1.0):
        return lambda _: sure
    law = known.law(d, rho)
    if not setting.extreme:
        below, above = np.cumsum(law).tolist(), np.cumsum(law[::-1])[::-1].tolist()
        return lambda most: sure if most >= d else (below[most], above[most + 1])

    @cache
    def tilted(tilt: int) -> NDArray[np.float64]:
        return known.law(d, rho, tilt)

    def near(tilt: int) -> NDArray[np.float64]:
        """Return one of few laws, precise within half a deviation of its own tilt."""
        step = max(1, math.isqrt(tilt * (d - tilt) // d) // 2)
        return tilted(min(round(tilt / step) * step, d))

    return lambda most: sure if most >= d else _rarely(law, near, most)
