"""Lines whose points are told by a hash: g(u) = ((r u + r0) mod p) mod 2^t, before any data are seen.

A hypothesis (a, sigma) is 1 where g(y - ax) = sigma: a line y = ax + b and whatever shares b's bucket.
There are p 2^t of them in place of p^2 lines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.line.plane import MOST, Modulus, Plane
from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.concepts.shared.laws import averaged, exact, gathered, rao_blackwell
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample


LISTED = 10  # bits of p up to which all slopes are gone through
_MORE = 60
_GRID = np.linspace(0.0, 1.0, 402)[1:-1]


@dataclass(frozen=True, slots=True)
class Design:
    """How the learner is set up, and what is promised of it.

    Attributes
    ----------
    bits : int
        t.
    inner : float
        alpha': how wrong the best hypothesis may be, but with probability 2^-t / alpha'.
    log_bad : float
        Log of p 2^t.
    rate : float
        By how much each example lowers the log of the weight of a bad hypothesis.
    promises : bool
        Whether a failure of beta is promised from some m on.
    """

    bits: int
    inner: float
    log_bad: float
    rate: float
    promises: bool

    @property
    def missed(self) -> float:
        """The chance that the hash leaves no good hypothesis, at most."""
        return math.ldexp(1.0, -self.bits) / self.inner

    def least(self, beta: float) -> float:
        """Return the number of examples from which on the promise is kept."""
        return (self.log_bad - math.log(beta - self.missed)) / self.rate


def designed(log_p: float, most: int, epsilon: float, alpha: float, beta: float) -> Design:
    """Return the design with the least promise of t <= most, alpha' and eps', over a grid of alpha'.

    Pr[fail] <= 2^-t / alpha' + p 2^t r^m, r = 1 - alpha (1 - e^{-eps'/2}) + alpha' (e^{eps'/2} - 1).
    Of a given alpha' the best eps' is min(eps, ln(alpha / alpha')); the mechanism draws with eps. Where nothing is promised t is
    the largest that hashes, at least 1.
    """
    found, fewest = None, math.inf
    first = max(math.floor(-math.log2(alpha * beta)), 1)
    for bits in range(first, min(most, first + _MORE) + 1):
        least = math.ldexp(1.0, -bits) / beta
        if least >= alpha:
            continue
        inner = np.exp(math.log(least) + (math.log(alpha) - math.log(least)) * _GRID)
        loss = np.minimum(epsilon, np.log(alpha / inner))
        rate = -np.log1p(alpha * np.expm1(-0.5 * loss) + inner * np.expm1(0.5 * loss))
        log_bad = log_p + bits * math.log(2.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            m = (log_bad - np.log(beta - math.ldexp(1.0, -bits) / inner)) / rate
        best = int(np.nanargmin(m))
        if m[best] < fewest:
            fewest = float(m[best])
            found = Design(bits, float(inner[best]), log_bad, float(rate[best]), promises=True)
    bits = max(most, 1)
    log_bad = log_p + bits * math.log(2.0)
    return found or Design(bits, alpha, log_bad, 0.0, promises=False)


@lru_cache(maxsize=4096)
def design(modulus: Modulus, d: int, epsilon: float, alpha: float, beta: float) -> Design:
    """Return the learner's design; 2^t is at most p / 2."""
    bits = modulus.bits(d)
    most = modulus.prime(d).bit_length() - 2 if bits <= MOST else d - 2
    return designed(modulus.log(d), most, epsilon, alpha, beta)


@dataclass(frozen=True, slots=True)
class Hash:
    """A drawn g.

    Attributes
    ----------
    plane : Plane
    r, shift, bits : int
        r, from 1 to p - 1, r0 and t.
    """

    plane: Plane
    r: int
    shift: int
    bits: int

    @classmethod
    def drawn(cls, plane: Plane, bits: int, rng: Uniform) -> Hash:
        """Draw one."""
        p = plane.p
        return cls(plane, 1 + uniform_below(rng, p - 1), uniform_below(rng, p), bits)

    def of(self, height: int) -> int:
        """Return the bucket of a height u."""
        return (self.r * height + self.shift) % self.plane.p % (1 << self.bits)

    def along(self, x: int, y: int) -> NDArray[np.int64]:
        """Return the buckets of y - ax for all a, of small planes."""
        slopes = np.arange(self.plane.p)
        heights = (y - slopes * x) % self.plane.p
        return np.asarray((self.r * heights + self.shift) % self.plane.p % (1 << self.bits))

    def size(self, bucket: int) -> int:
        """Return how many heights a bucket has."""
        many, more = divmod(self.plane.p, 1 << self.bits)
        return many + (bucket < more)


@dataclass(frozen=True, slots=True)
class Bucket(Hypothesis):
    """1 where g(y - ax) is one bucket."""

    hash: Hash
    a: int
    bucket: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        place = self.hash.plane.place(point)
        if place is None:
            return 0
        return int(self.hash.of((place[1] - self.a * place[0]) % self.hash.plane.p) == self.bucket)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        many, p = self.hash.size(self.bucket), self.hash.plane.p
        return f"{many} of the parallels y = {self.a} x + b modulo {p}, bucket {self.bucket}"

    @property
    def weight(self) -> int:
        """Every parallel has p points."""
        return self.hash.plane.p * self.hash.size(self.bucket)

    @property
    def parameters(self) -> dict[str, str]:
        """Slope and bucket, as exact texts."""
        return {"a": str(self.a), "bucket": str(self.bucket)}


def gains(sample: Sample, found: Hash) -> NDArray[np.int64]:
    """Return how many mistakes fewer than the empty set every (a, bucket) makes, shape (p, 2^t).

    Raises
    ------
    InputError
        Where there are too many slopes to go through.
    """
    plane = found.plane
    if plane.p >> LISTED:
        bits = (plane.p - 1).bit_length()
        raise InputError("d", f"must be at most {LISTED} to run hash-line on lines", bits)
    table = np.zeros((plane.p, 1 << found.bits), dtype=np.int64)
    slopes = np.arange(plane.p)
    positive, negative = sample.tallies()
    for point, gain in zip(sample.points, (positive - negative).tolist(), strict=True):
        place = plane.place(point)
        if place is not None and gain:
            table[slopes, found.along(*place)] += gain
    return table


# --- The success laws of the hashed lines: in closed form but for the counts of the sample -------
#
# Multiplied by r and moved by r0 all of Z_p is reached, so that of all slopes exactly a share N / p
# takes a point beside x = 0 into a bucket of N heights.


_LARGEST = 460.0
_EXACT = 2.0**41  # beyond it all buckets are alike


def hash_line_law(
    profile: Profile,
    p: float,
    setting: Setting,
    choose: Callable[[int, float, float, float], Design],
) -> Estimate:
    """Return the law at one p, of a learner by its design at d, epsilon, alpha and beta."""

    def at(epsilon: float) -> int:
        return choose(int(setting.d.min()), epsilon, setting.alpha, setting.beta).bits

    if profile.dummy[0]:
        return _by_epsilon(setting, lambda part, one: _pair(profile, p, part, at(one)))
    return _by_epsilon(setting, lambda part, one: _anchor(profile, p, part, at(one)))


def _by_epsilon(setting: Setting, one: Callable[[Setting, float], Estimate]) -> Estimate:
    """Evaluate a law that takes one epsilon at a time, on which the hash depends."""
    m, d, epsilon = (x.ravel() for x in np.broadcast_arrays(setting.m, setting.d, setting.epsilon))
    parts = []
    for loss in np.unique(epsilon).tolist():
        here = np.flatnonzero(epsilon == loss)
        part = replace(setting, m=m[here], d=d[here], epsilon=epsilon[here])
        parts.append((here, one(part, loss)))
    return gathered(setting.shape, parts)


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def _sizes(p: float, bits: int) -> list[tuple[float, int | float]]:
    """Return (N / p, how many buckets) for each size N of a bucket."""
    if p >= _EXACT:
        return [(math.ldexp(1.0, -bits), math.ldexp(1.0, bits))]
    many, more = divmod(int(p), 1 << bits)
    found = [((many + 1) / p, more), (many / p, (1 << bits) - more)]
    return [pair for pair in found if pair[1]]


def _mixed(setting: Setting, parts: list[tuple[float, Estimate]]) -> Estimate:
    """Return the mean of exact laws."""
    value = sum(share * part.value for share, part in parts)
    lost = [share * part.failure for share, part in parts if part.failure is not None]
    return exact(np.asarray(value), setting, np.asarray(sum(lost)) if lost else None)


# --- Two points ----------------------------------------------------------------------------------


def _anchor(profile: Profile, p: float, setting: Setting, bits: int) -> Estimate:
    """Return the exact law: a share f of the slopes takes both points into the target's bucket."""
    rare = float(profile.atoms[1][0])
    whole = math.ldexp(1.0, bits)
    shape = setting.epsilon.shape
    rate = 0.5 * setting.epsilon.item(0)

    def one(share: float) -> Estimate:
        inverse = 1.0 / share
        columns = (
            np.full(shape, _log(inverse - 1.0)),
            np.full(shape, _log((whole - 2.0) * inverse + 1.0 if bits else 0.0)),
            np.full(shape, rate),
        )
        slow = rate / (1.0 + (bits + 1) * 2.0 * math.log(2.0) / 40.0)
        return averaged(setting, rare, columns, _on_anchor, rate=slow)

    return _mixed(setting, [(share * many, one(share)) for share, many in _sizes(p, bits)])


def _on_anchor(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_one: NDArray[np.float64],
    log_none: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    odds = _capped(log_one - rate * count)
    if not (isinstance(rest, float) and math.isinf(rest)):
        odds = odds + _capped(log_one - rate * rest) + _capped(log_none - rate * (count + rest))
    return odds


def _capped(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(exponent, _LARGEST)))


def _pair(profile: Profile, p: float, setting: Setting, bits: int) -> Estimate:
    """Return the law over drawn counts; the buckets of the target and of (0, 1) are gone through."""
    share = float(profile.atoms[0][0])
    off, slope = profile.dummy
    forgiven = (off, slope) <= (decimal(setting.alpha), 0)
    whole, sizes = math.ldexp(1.0, bits), _sizes(p, bits)
    less = 1.0 / p if p < _EXACT else 0.0
    cases = [
        (f * many * (f - less) / (1.0 - less), f, None) for f, many in sizes
    ] + [
        (f * many * g * (others - (f == g)) / (1.0 - less), f, g)
        for f, many in sizes for g, others in sizes
    ]  # fmt: skip

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        drawn = rng.multinomial(m, [share, share, max(1.0 - 2.0 * share, 0.0)], size=trials)
        return tuple(drawn.T.astype(np.float64))

    def given(
        d: int, epsilon: float, first: NDArray[np.float64], second: NDArray[np.float64],
        dummy: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        rate = 0.5 * epsilon
        one, two = np.exp(-rate * second), np.exp(-rate * first)
        none, lost = one * two, np.exp(-rate * dummy)
        total = np.zeros_like(first)
        for chance, f, g in cases:
            if g is None:
                # The target's bucket has (0, 1) as well.
                two_lost, none_lost = (
                    _capped(rate * (dummy - first)), _capped(rate * (dummy - first - second))
                )  # fmt: skip
                odds = ((1.0 - f) * (one + two_lost) + (whole - 2.0 + f) * none_lost) / f
                total += chance * forgiven / (1.0 + odds)
            else:
                other = (1.0 - f) * one + g * two * lost + (1.0 - g) * none * lost
                apart = max(1.0 - f - g, 0.0)
                other = other + apart * two + max(whole - 2.0 - apart, 0.0) * none
                total += chance * f / (f + other)
        return total

    return rao_blackwell(setting, sampled, given)
