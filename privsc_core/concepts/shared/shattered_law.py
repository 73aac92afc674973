"""The exact law of the number of wrong bits on `spikes`.

The d bits are seen K_1, ..., K_d times, multinomial(m; a/d each), and given these they err
independently, with probability rho(K_b). Were the sample's size Poisson the K_b were independent; a
Cauchy integral over the circle |z| = m takes the coefficient of z^m, and a Fourier transform that of
every number of wrong bits. The integrand falls like e^{-m (1 - cos theta)}: of the 9 sqrt(m) + 21
nodes only some thirty matter, and of the frequencies of the transform mostly as few.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.shattered_cells import UNSEEN, Cells, together
from privsc_core.numerics.binomial import LOG_TAIL
from privsc_core.numerics.tails import log_poisson, poisson_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting


# -------------------------------------------------------------------------------------------------
# How often a bit is seen on `spikes` where the sample's size is Poisson, and what noise makes of
# it.
#
# Of so many counts that all else is smooth over their steps every k-th is looked at.


_STRIDE = 64  # counts whose waves are those of the first of them, times few others
# From this mean on everything but noise is smooth over a twentieth of the deviation, which is looked at
# closer where slopes are those of e^-rare. Noise is so as well if sums over every other count say the same.
_WIDE = 1e4
_PER_DEVIATION, _SLOPE = 20.0, 0.5
_SAME, _SURE = 1e-13, 50.0
# So many steps each way a count speaks for those between, and over how many of them it fades.
_FAR, _FADES = 32, 3.5
_ENTRIES = 1 << 20


class Counts(NamedTuple):
    """How often a bit is seen where the sample's size is Poisson, on a circle |z| = radius m.

    Attributes
    ----------
    m, d : int
    a : float
        The mass of the points of the d bits.
    rare : float
        Probabilities matter down to e^-rare.
    radius : float
        Any is right; 1 where what is looked for is not rare.
    at : ndarray of float64, shape (counts,)
        The k that matter, or every k-th of them.
    weights : ndarray of float64, shape (counts,)
        Poisson weights of the k.
    """

    m: int
    d: int
    a: float
    rare: float
    radius: float
    at: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, m: int, d: int, a: float, rare: float = 0.0, radius: float = 1.0) -> Counts:
        """Return the counts for a radius, as described above."""
        if not m or not d:
            return cls(0, d, a, rare, radius, np.zeros(1), np.ones(1))
        mean = a * radius * m / d
        reach = math.sqrt((144.0 + 4.0 * rare) * mean) + 40.0 + rare
        each = max(_PER_DEVIATION, math.sqrt(2.0 * max(rare - LOG_TAIL, 0.0)) / _SLOPE)
        step = max(1, math.floor(math.sqrt(mean) / each)) if mean > _WIDE else 1
        first, last = max(0, math.floor(mean - reach)), math.ceil(mean + reach)
        at = np.arange(first, last + 1, step).astype(np.float64)
        weights = poisson_weights(at, mean) if step == 1 else np.exp(log_poisson(at, mean))
        return cls(m, d, a, rare, radius, at, weights / weights.sum())

    def seen(
        self, profile: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return rho at the counts; where it is steep what makes up for the counts between them.

        All else is a smooth function g of the count, and g(k) the sum over the counts j that are looked
        at of g(j) phi(k - j), phi a sinc that fades. So rho(j) is the sum of rho(k) phi(k - j), over the
        step: it may be below 0 or above 1 beside a jump.

        Parameters
        ----------
        profile : callable
            Counts -> how likely a bit that was seen so often is wrong; it never rises.
        """
        rho = profile(self.at)
        step = self.step
        if step == 1:
            return rho
        coarse = self.weights[::2] / self.weights[::2].sum()
        sums = [
            (float(np.sum(self.weights * p)), float(np.sum(coarse * p[::2])))
            for p in (rho, 1.0 - rho)
        ]
        # On another circle chances are small that are looked for.
        nothing = math.exp(-max(self.rare, _SURE)) / self.d if self.radius == 1.0 else 0.0
        if all(math.isclose(*both, rel_tol=_SAME, abs_tol=nothing) for both in sums):
            return rho
        offset = np.arange(-_FAR * step, _FAR * step) / step
        phi = (np.sinc(offset) * np.exp(-0.5 * (offset / _FADES) ** 2)).reshape(-1, step) / step
        starts = self.at[0] + step * np.arange(-_FAR, self.at.size + _FAR + 1.0)
        ends = profile(np.maximum(starts, 0.0))
        # What falls is constant between two counts at which it is the same: mostly all but few.
        told = ends[:-1, None] * phi.sum(axis=1)
        open_ = np.flatnonzero(ends[:-1] != ends[1:])
        for some in np.array_split(open_, open_.size * step // _ENTRIES + 1):
            every = starts[some, None] + np.arange(float(step))
            told[some] = np.einsum("jk,ik->ji", profile(np.maximum(every, 0.0)), phi)
        found = np.zeros(self.at.size)
        for far in range(2 * _FAR):
            found += told[far : far + found.size, far]
        return found

    @property
    def step(self) -> int:
        """From one count to the next."""
        return int(self.at[1] - self.at[0]) if self.at.size > 1 else 1

    @property
    def rest(self) -> float:
        """How many examples lie elsewhere on average."""
        return (1.0 - self.a) * self.radius * self.m

    def waves(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights times the cosine and sine of (k - k0) theta, shape (2, angles, counts)."""
        return _waves(theta, int(self.at[0]) - self.middle, self.step, self.weights)

    @property
    def middle(self) -> int:
        """A count about which waves turn slowly."""
        return round(self.a * self.radius * self.m / self.d) if self.m else 0


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


_DEEP = 45.0  # e^-45 of the integrand is nothing
_WIDER = 1.01 * 2.0 ** (0.5 * np.arange(6))
_NONE_WRONG = 1e-17  # expected wrong bits that are none
_FEW_EXAMPLES = 2_000  # up to so many are kept: 15 MB at most
# Smaller probabilities are computed again, where the setting asks, relative to themselves.
_RARE = 1e-3
_FREQUENCIES = 32  # taken together
_TINY, _HUGE = 1e-100, 1e100
_LEAST = 1e-290  # less is nothing
# The log of the radius is looked for in steps that double.
_FIRST_STEP, _FARTHEST = 0.125, 16.0


@lru_cache(maxsize=1024)
def _log_hit(m: int, radius: float) -> float:
    """Return the log of the chance that a Poisson sample of mean radius m has m examples."""
    return float(log_poisson(np.array([float(m)]), radius * m)[0]) if m else 0.0


class _Bits(NamedTuple):
    """How many bits err with what was seen of them, how many whatever was seen, and how likely these."""

    told: int
    steady: int = 0
    chance: float = 0.0

    @property
    def all(self) -> int:
        """How many there are."""
        return self.told + self.steady


def _between(tilt: int, bits: _Bits) -> float:
    """Return about so many, and neither none nor all."""
    return (tilt + 0.5) * bits.all / (bits.all + 1)


class _Odds(NamedTuple):
    """The odds of an error, of both kinds of bits, and the log of what they were multiplied by."""

    told: float
    steady: float
    log: float = 0.0

    @classmethod
    def of(cls, bits: _Bits, right: float, wrong: float, tilt: int | None = None) -> _Odds:
        """Return the odds with about `tilt` bits wrong on average; without a tilt, unchanged.

        Parameters
        ----------
        bits : _Bits
        right, wrong : float
            How likely a bit that tells is right, and wrong.
        tilt : int, optional
        """
        told, steady = wrong / right if right else _HUGE, bits.chance / (1.0 - bits.chance)
        most = max(told, steady)
        if tilt is None or not right or not most:
            return cls(told, steady)
        # Any odds are right, these only spare digits: the smaller ones may be nothing.
        first = max(told / most, _TINY) if bits.told else 0.0
        second = max(steady / most, _TINY) if bits.steady else 0.0
        wanted = _between(tilt, bits)
        # told u / (1 + u) + steady v / (1 + v) = wanted, where u and v are t times as much as now.
        square = first * second * (bits.all - wanted)
        linear = wanted * (first + second) - bits.told * first - bits.steady * second
        root = math.sqrt(linear**2 + 4.0 * square * wanted)
        times = 2.0 * wanted / (root - linear) if linear < 0.0 else (root + linear) / (2.0 * square)
        return cls(times * told / most, times * steady / most, math.log(times) - math.log(most))


class _Nodes(NamedTuple):
    """What the integral needs of m, d and a: the same for every rho.

    Attributes
    ----------
    waves : ndarray of float64, shape (2, angles, counts)
        The weights times the cosine and the sine of (k - k0) theta, theta at least 0 alone.
    turn : ndarray of int64, shape (nodes,)
        Which angle each node has, below 0 against the turn.
    factor : ndarray of complex128, shape (nodes,)
        The rest of the integrand, over the number of nodes.
    """

    waves: NDArray[np.float64]
    turn: NDArray[np.int64]
    factor: NDArray[np.complex128]

    @classmethod
    def of(cls, counts: Counts, widest: float = math.pi) -> _Nodes:
        """Return the nodes of all angles up to the widest that matters."""
        m = counts.m
        total = math.ceil(9.0 * math.sqrt(m * max(counts.radius, 1.0))) + 21 if m else 1
        last = math.floor(widest / (2.0 * math.pi) * total) + 1
        turn = np.arange(max(-last, -(total // 2)), min(last + 1, total - total // 2))
        theta = 2.0 * math.pi / total * turn
        waves = counts.waves(2.0 * math.pi / total * np.arange(int(np.abs(turn).max()) + 1.0))
        phase = (counts.d * counts.middle - m + counts.rest) * theta
        phase += counts.rest * (np.sin(theta) - theta)
        fall = 2.0 * counts.rest * np.sin(0.5 * theta) ** 2
        return cls(waves, turn, np.exp(1j * phase - fall) / total)

    def sums(self, profile: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Return the sum over the counts at every node."""
        # No product of matrices: it would wake threads, which costs more than it gives.
        return _turned(np.einsum("ctk,k->ct", self.waves, profile), self.turn)


class _Law:
    """The law of the number of wrong bits for one rho.

    Parameters
    ----------
    counts : Counts
    bits : _Bits
    rho : ndarray of float64, shape (counts,)
        How likely a bit that was seen so often is wrong, see `Counts.seen`.
    tilt : int, optional
        Near so many wrong bits probabilities are right relative to themselves.
    """

    def __init__(
        self, counts: Counts, bits: _Bits, rho: NDArray[np.float64], tilt: int | None = None
    ) -> None:
        self.counts, self.bits, self.rho, self.tilt = counts, bits, rho, tilt
        self.wrong, self.right = (
            whole if whole > _LEAST else 0.0
            for whole in (float(np.einsum("k,k->", counts.weights, p)) for p in (rho, 1.0 - rho))
        )
        self.odds = _Odds.of(bits, self.right, self.wrong, tilt)

    def excess(self, tilt: int) -> float:
        """Return how many examples there are too many on average where so many bits are wrong."""
        counts, bits = self.counts, self.bits
        share = self.odds.told / (1.0 + self.odds.told) * tilt / _between(tilt, bits)
        seen = 0.0
        for part, whole, rho in (
            (1.0 - share, self.right, 1.0 - self.rho),
            (share, self.wrong, self.rho),
        ):
            if whole:
                seen += part * float(np.einsum("k,k,k->", counts.weights, rho, counts.at)) / whole
        return bits.told * seen + counts.rest - counts.m

    def widest(self) -> float:
        """Return an angle beyond which the integrand is nothing, whatever the frequency."""
        counts, told = self.counts, self.odds.told
        # At the first of these the integrand is nothing if what is wrong tells nothing of the counts.
        first = math.sqrt(2.0 * _DEEP / max(counts.m * max(counts.radius, 1.0), 1.0))
        angles = np.asarray(first * _WIDER[first * _WIDER < math.pi])
        if not angles.size:
            return math.pi
        waves = counts.waves(angles)
        most = np.zeros(angles.size)
        for whole, share in ((self.right, 1.0 - self.rho), (self.wrong, self.rho)):
            if whole:
                sums = np.hypot(*np.einsum("ctk,k->ct", waves, share)) / whole
                most += sums * (1.0 if share is not self.rho else told)
        deep = (
            self.bits.told * np.log(most / (1.0 + told))
            - 2.0 * counts.rest * np.sin(0.5 * angles) ** 2
        )
        beyond = np.flatnonzero(np.maximum.accumulate(deep[::-1])[::-1] < -_DEEP)
        return float(angles[beyond[0]]) if beyond.size else math.pi

    def sums(self, most: int) -> tuple[float, float]:
        """Return the chances of at most so many wrong bits, and of more."""
        first, found = self.probabilities()
        cut = max(most + 1 - first, 0)
        return float(found[:cut].sum()), float(found[cut:].sum())

    def probabilities(self) -> tuple[int, NDArray[np.float64]]:
        """Return a number of wrong bits and the probabilities from it on; of others, next to none.

        The error is about 1e-13 of the largest, of what is near the tilt relative to itself.
        """
        bits, odds, nodes = self.bits, self.odds, _nodes(self.counts, self.widest())
        bad = nodes.sums(self.rho)
        good = nodes.sums(1.0 - self.rho)
        wrong, steady = odds.told / (1.0 + odds.told), odds.steady / (1.0 + odds.steady)
        good *= (1.0 - wrong) / self.right if self.right else 0.0
        bad *= wrong / self.wrong if self.wrong else 0.0
        mean = bits.told * wrong + bits.steady * steady
        spread = bits.told * wrong * (1.0 - wrong) + bits.steady * steady * (1.0 - steady)
        # Further than this from the mean is nothing, so that fewer frequencies tell the rest.
        size = min(bits.all + 1, math.ceil(24.0 * math.sqrt(spread)) + 120)
        values = np.zeros(size // 2 + 1, dtype=np.complex128)
        for first in range(0, values.size, _FREQUENCIES):
            here = slice(first, min(first + _FREQUENCIES, values.size))
            omega = np.exp(-2j * math.pi / size * np.arange(here.start, here.stop))
            terms = _power(good[:, None] + np.outer(bad, omega), bits.told) * nodes.factor[:, None]
            if bits.steady:
                terms *= _power(1.0 - steady + steady * omega, bits.steady)
            values[here] = terms.sum(axis=0)
            # They fall as those of a sum of independent bits do: the others are nothing.
            if float(np.abs(terms).max()) < UNSEEN * abs(values[0]):
                break
        first = min(max(round(mean) - size // 2, 0), bits.all + 1 - size)
        count = np.arange(first, first + size)
        found = np.maximum(np.fft.irfft(values, n=size)[count % size], 0.0)
        scale = -_log_hit(self.counts.m, self.counts.radius)
        if self.tilt is not None:
            scale += (
                bits.told * (math.log(self.right) + math.log1p(odds.told)) if self.right else 0.0
            )
            scale += bits.steady * (math.log1p(-bits.chance) + math.log1p(odds.steady))
        with np.errstate(divide="ignore"):  # far from the tilt the scale may be more than a float
            return first, np.exp(np.minimum(np.log(found) + (scale - count * odds.log), 0.0))


def _turned(sums: NDArray[np.float64], turn: NDArray[np.int64]) -> NDArray[np.complex128]:
    """Return sums over waves at every node: against the turn they are conjugate."""
    at = np.abs(turn)
    return np.asarray(sums[0, at] + 1j * np.sign(turn) * sums[1, at])


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Return a power by squaring, many times as fast as in general."""
    if not exponent:
        return np.ones_like(base)
    found: NDArray[np.complex128] | None = None
    while True:
        if exponent & 1:
            found = base if found is None else found * base
        exponent >>= 1
        if not exponent:
            return base if found is None else found
        base = base * base


@lru_cache(maxsize=160)
def _counts(m: int, d: int, a: float, rare: float) -> Counts:
    return Counts.of(m, d, a, rare)


@lru_cache(maxsize=160)
def _kept(m: int, d: int, a: float, rare: float, widest: float) -> _Nodes:
    return _Nodes.of(_counts(m, d, a, rare), widest)


def _nodes(counts: Counts, widest: float) -> _Nodes:
    """Return the nodes; those of few examples come again and are kept."""
    if counts.m > _FEW_EXAMPLES or counts.radius != 1.0:
        return _Nodes.of(counts, widest)
    return _kept(counts.m, counts.d, counts.a, counts.rare, widest)


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
    counts, found = _counts(m, d, a, 0.0), np.zeros(d + 1)
    first, law = _Law(counts, _Bits(d), counts.seen(rho)).probabilities()
    found[first : first + law.size] = law
    return found


class Shattered(Protocol):
    """A distribution on which each of d points has mass a/d and tells a bit."""

    @property
    def a(self) -> float:
        """The mass of all points that tell a bit."""

    def allowed(self, d: int, alpha: float) -> int:
        """Return how many bits of an accurate concept may be wrong."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a setting at which nothing can be computed."""


def shattered_law(
    distribution: Shattered,
    setting: Setting,
    size: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    profile: Callable[[NDArray[np.float64], Any, Any], NDArray[np.float64]],
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
        (k, epsilon, cell) -> rho(k); cells are numbered as in `Setting.cells`. A row of counts for every
        cell of a column, or one.
    steady : callable
        d -> how many of the d bits err whatever was seen.
    chance : ndarray of float64, shape (cells,), optional
        How likely such a bit is wrong; without it, never.
    """
    shape = setting.shape
    m = np.broadcast_to(size(setting.m), shape).ravel()
    d = np.broadcast_to(setting.d, shape).ravel()
    epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
    bits, at = np.unique(d, return_inverse=True)
    for every in bits.tolist():
        distribution.check(d=every, alpha=setting.alpha)
    never = np.array([steady(every) for every in bits.tolist()])[at]
    most = np.array([distribution.allowed(every, setting.alpha) for every in bits.tolist()])[at]
    apart = np.zeros(d.size) if chance is None else chance
    value, lost = np.full((2, d.size), np.nan)
    if not setting.tiny_beta:
        cells = Cells.of(
            m, d - never, np.where(apart, never, 0), most, apart, distribution.a * m / d
        )
        value = together(cells, lambda k, which: profile(k, epsilon[which], which))
        lost = np.maximum(1.0 - value, UNSEEN)
    rare = setting.log_tail if setting.tiny_beta else 0.0
    for cell in np.flatnonzero(np.isnan(value)).tolist():
        every, loss = int(d[cell]), float(epsilon[cell])
        told, odd = every - int(never[cell]), float(apart[cell])
        value[cell], lost[cell] = _few(
            _counts(int(m[cell]), told, distribution.a * told / every, rare),
            _Bits(told, every - told, odd) if odd else _Bits(told),
            lambda k: profile(k, loss, cell),  # noqa: B023 - called at once
            int(most[cell]), setting,
        )  # fmt: skip
    return exact(value.reshape(shape), setting, lost.reshape(shape))


def _few(
    counts: Counts,
    bits: _Bits,
    profile: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    most: int,
    setting: Setting,
) -> tuple[float, float]:
    """Return the chances of at most so many wrong bits, and of more; rare ones relative to themselves.

    With a above 0.9, few bits or examples and a steep profile, rare ones may be right to 1e-22 alone.
    """
    law = _Law(counts, bits, counts.seen(profile))
    expected = bits.told * law.wrong + bits.steady * bits.chance
    if most >= bits.all or not expected > _NONE_WRONG * (
        setting.beta if setting.tiny_beta else 1.0
    ):
        return 1.0, 0.0
    if most < bits.told and not law.right:
        return 0.0, 1.0
    # It may be that small, and is not nothing.
    value, lost = (max(found, UNSEEN) for found in law.sums(most))
    if setting.tiny_beta and lost < _RARE:
        lost = _tilted(counts, bits, profile, most + 1).sums(most)[1]
        return 1.0 - lost, lost
    if setting.tiny_beta and value < _RARE:
        value = _tilted(counts, bits, profile, most).sums(most)[0]
        return value, 1.0 - value
    return value, lost


def _tilted(
    counts: Counts,
    bits: _Bits,
    profile: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    tilt: int,
) -> _Law:
    """Return the law on the circle where nothing cancels near so many wrong bits."""
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import, and most never ask

    def at(log_radius: float) -> _Law:
        other = Counts.of(counts.m, counts.d, counts.a, counts.rare, math.exp(log_radius))
        return _Law(other, bits, other.seen(profile), tilt)

    def excess(log_radius: float) -> float:
        return at(log_radius).excess(tilt)

    step = math.copysign(_FIRST_STEP, -excess(0.0))
    low, high = 0.0, step
    while abs(high) < _FARTHEST and excess(high) * step < 0.0:
        low, high = high, 2.0 * high
    if not counts.m or abs(high) >= _FARTHEST:
        return at(0.0)
    return at(brentq(excess, low, high, xtol=0.3 / math.sqrt(counts.m)))
