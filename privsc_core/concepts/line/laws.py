"""The success laws of lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core.concepts.line.distributions import LineDistribution
from privsc_core.concepts.line.plane import LARGE, MOST
from privsc_core.concepts.shared.laws import averaged, by_d, exact, rao_blackwell
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile
    from privsc_core.concepts.line.plane import Plane
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample


def by_profile(
    distribution: Distribution,
    setting: Setting,
    law: Callable[[Profile, float, Setting], Estimate],
) -> Estimate:
    """Evaluate a law that takes a profile and p; of very large ones the size does not matter."""
    if not isinstance(distribution, LineDistribution):
        raise InputError("distribution", "must belong to lines", distribution.name)
    distribution.check(d=int(setting.d.min()), alpha=setting.alpha)

    modulus = distribution.modulus

    def at(d: int, part: Setting) -> Estimate:
        return law(distribution.profile(modulus.prime(d), part.alpha), modulus.size(d), part)

    least = int(setting.d.min())
    if modulus.given or least > MOST or least == int(setting.d.max()):
        return at(least, setting)
    return by_d(setting, at)


def over_p(
    distribution: Distribution, setting: Setting
) -> tuple[Profile, NDArray[np.float64], NDArray[np.float64]]:
    """Return a profile, and the masses of the target and the sizes of p of the setting's d.

    All d of a distribution have profiles of one kind; those without an even part do not depend on p.
    """
    if not isinstance(distribution, LineDistribution):
        raise InputError("distribution", "must belong to lines", distribution.name)
    least = int(setting.d.min())
    distribution.check(d=least, alpha=setting.alpha)
    modulus = distribution.modulus

    def profile(d: int) -> Profile:
        return distribution.profile(modulus.prime(d), setting.alpha)

    one = profile(least)
    if not one.even[0]:
        return one, np.array(one.mass), np.array(modulus.size(least))
    # A prime of so many bits stands for larger ones.
    mass = each(lambda d: profile(d).mass, np.minimum(setting.d, MOST))
    return one, mass, each(modulus.size, setting.d)


def log_unseen(
    profile: Profile,
    mass: NDArray[np.float64],
    p: NDArray[np.float64],
    m: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the log of the chance that fewer than two places of the target are seen.

    Of the profile only the atoms matter, or that it is even: then it has these masses and p.
    """
    rest = np.maximum(1.0 - mass, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        none = m * np.log(rest)
        if profile.even[0]:
            # p ((1 - r + r/p)^m - (1 - r)^m) for one place among p.
            gain = np.where(rest > 0.0, m * np.log1p(mass / p / rest), np.inf)
            alone = np.log(p) + m * np.log(rest + mass / p) + np.log(-np.expm1(-gain))
            return np.asarray(np.minimum(np.logaddexp(none, alone), 0.0))
    one = [float(value) for value, _ in profile.atoms.values()]
    logs = [m * math.log(float(rest) + share) for share in one]
    # Each atom alone counts the samples without any.
    total = np.logaddexp(*logs)
    return np.asarray(np.minimum(total + np.log1p(-np.exp(np.minimum(none - total, 0.0))), 0.0))


# -------------------------------------------------------------------------------------------------
# How often examples that fall evenly on the target's points meet there, in many samples at once.


FEW = 64  # so many points are counted one by one


class Occupied(NamedTuple):
    """Points by how often they occur: `many` of them `counts` times each in the sample `rows`.

    Attributes
    ----------
    rows, counts, many : ndarray of int64
        By sample, and then by count; only points that occur.
    first : ndarray of int64, shape (samples,)
        How often the first point occurs, which is among those.
    """

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    many: NDArray[np.int64]
    first: NDArray[np.int64]


def occupied(hits: NDArray[np.int64], size: int, rng: np.random.Generator) -> Occupied:
    """Draw where the hits of every sample fall among `size` points.

    Parameters
    ----------
    hits : ndarray of int64, shape (samples,)
    size : int
        At most 2^40.
    rng : Generator
    """
    if size <= FEW:
        table = rng.multinomial(hits, np.full(size, 1.0 / size)).astype(np.int64)
        rows, places = np.nonzero(table)
        return Occupied(*_by_count(rows, table[rows, places]), table[:, 0])
    # Sample by sample, in as few bits as will do: sorting is what takes time here.
    kind = np.uint32 if size <= 1 << 32 else np.uint64
    inside = np.arange(hits.max(initial=0)) < hits[:, None]
    places = np.full(inside.shape, np.iinfo(kind).max, dtype=kind)
    places[inside] = rng.integers(size, size=int(hits.sum()))
    places.sort(axis=1)
    first = np.zeros(hits.size, dtype=np.int64)
    there = np.flatnonzero((places[:, :1] == 0).any(axis=1))
    first[there] = np.count_nonzero(places[there] == 0, axis=1)
    # Almost all of many points occur once, and need not be told apart.
    again = places[:, 1:] == places[:, :-1]
    again &= inside[:, 1:]
    more = np.flatnonzero(again)
    rows, at = np.divmod(more, max(again.shape[1], 1))
    # A row begins anew.
    starts = np.flatnonzero((np.diff(more, prepend=-2) != 1) | (at == 0))
    rows, often, many = _by_count(rows[starts], np.diff(starts, append=more.size) + 1)
    once = hits - np.bincount(rows, many * often, hits.size).astype(np.int64)
    single = np.flatnonzero(once)
    rows, often = np.concatenate([single, rows]), np.concatenate([np.ones_like(single), often])
    many, order = np.concatenate([once[single], many]), np.argsort(rows, kind="stable")
    return Occupied(rows[order], often[order], many[order], first)


def _by_count(
    rows: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (rows, counts, many) of points by their rows and counts."""
    most = int(counts.max(initial=0)) + 1
    keys, many = np.unique(rows * most + counts, return_counts=True)
    return keys // most, keys % most, many


# -------------------------------------------------------------------------------------------------
# The success law of the exponential mechanism over all lines, where examples lie off the target
# too.
#
# A line but the target passes one of its p points or none, and some of the examples beside it. Of a
# small p all p^2 lines are gone through. Of a larger one those examples count by what they do to a line
# on average: all of them together pass every line as often as they must, and only how many of them lie
# on one line is left to chance. For p above 2^8 that moves the odds by less than a part in a thousand,
# far below what a simulation tells.


if TYPE_CHECKING:
    Draw = Callable[[int, int, np.random.Generator], tuple[Any, ...]]

# Up to such a p every line is gone through, so many places of a table at a time.
_EVERY = 1 << 8
_TABLE = 1 << 20
# Odds below e^-40 are none beside 1.
_NEGLIGIBLE = 40.0
_EXAMPLES_MOST = 40_000


def law_off_target(profile: Profile, p: float, setting: Setting) -> Estimate:
    """Return the law of a profile that is even on the target and even beside it, p below 2^40.

    Raises
    ------
    InputError
        For an epsilon at which more examples matter than are simulated.
    """
    mass, size, alpha = profile.even[0], int(p), decimal(setting.alpha)
    # What a line errs on that meets the target, and one that does not.
    if mass + (1 - mass) / (size - 1) <= alpha:
        return exact(np.ones(setting.shape), setting)
    accurate = mass + (1 - 2 * mass) / size <= alpha
    least = float(setting.epsilon.min())
    enough = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / least
    if min(float(setting.m.max()), enough / float(mass)) > _EXAMPLES_MOST:
        needed = enough * least / float(mass) / _EXAMPLES_MOST
        raise InputError("epsilon", f"must be at least {needed:.2g} to simulate here", least)
    law = _every_line if size <= _EVERY else _on_average
    return rao_blackwell(setting, *law(mass, size, enough, accurate=accurate))


def _odds(
    meeting: NDArray[np.float64], apart: NDArray[np.float64], *, accurate: bool
) -> NDArray[np.float64]:
    """Return the chance of success, given what lines weigh that meet the target and that do not."""
    good = 1.0 + meeting if accurate else np.ones(meeting.shape)
    return np.asarray(good / (1.0 + meeting + apart))


def _on_average(
    mass: Fraction, p: int, enough: float, *, accurate: bool
) -> tuple[Draw, Callable[..., NDArray[np.float64]]]:
    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        hits = rng.binomial(m, float(mass), size=trials)
        beside = (m - hits).astype(np.float64)
        hits = np.minimum(hits, math.ceil(enough))
        return (hits.astype(np.float64), beside, *occupied(hits, p, rng)[:3])

    def given(
        d: int, epsilon: float, hits: NDArray[np.float64], beside: NDArray[np.float64],
        rows: NDArray[np.int64], counts: NDArray[np.int64], many: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        half, lost = 0.5 * epsilon, np.expm1(-0.5 * epsilon)
        missed = np.exp(-half * hits)
        passed = np.bincount(rows, many * np.exp(-half * (hits[rows] - counts)), hits.size)
        unseen = p - np.bincount(rows, many, hits.size)
        meeting = (p - 1.0) * (passed + unseen * missed) * np.exp(beside * np.log1p(lost / p))
        apart = (p - 1.0) * missed * np.exp(beside * np.log1p(lost / (p - 1.0)))
        return _odds(meeting, apart, accurate=accurate)

    return sampled, given


def _every_line(
    mass: Fraction, p: int, enough: float, *, accurate: bool
) -> tuple[Draw, Callable[..., NDArray[np.float64]]]:
    del enough
    slopes = np.arange(p)
    # Where the line y = ax + b meets the target: only parallels, in the first row, do not.
    inverses = np.array([0] + [pow(a, -1, p) for a in range(1, p)])
    meets = -slopes[None, :] * inverses[:, None] % p

    def tables(
        m: int, trials: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield the mistakes of all lines, shape (samples, a, b), with the number of the first."""
        at_once = max(_TABLE // (p * max(p, m)), 1)
        for first in range(0, trials, at_once):
            hits = rng.binomial(m, float(mass), size=min(at_once, trials - first))
            on = rng.multinomial(hits, np.full(p, 1.0 / p))
            rows = np.repeat(np.arange(hits.size), m - hits)
            x, y = rng.integers(p, size=rows.size), rng.integers(1, p, size=rows.size)
            lines = (rows[:, None] * p + slopes) * p + (y[:, None] - slopes * x[:, None]) % p
            passed = np.bincount(lines.ravel(), minlength=hits.size * p * p)
            mistakes = passed.reshape(-1, p, p) + hits[:, None, None]
            mistakes[:, 1:] -= on[:, meets[1:]]
            yield first, mistakes

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        found = []
        for first, mistakes in tables(m, trials, rng):
            # The target itself, in the corner, makes none and is told by that.
            rows = first + np.arange(mistakes.shape[0])[:, None, None]
            kinds = 2 * rows + (slopes[:, None] > 0)
            keys = kinds * (2 * m + 1) + mistakes
            keys[:, 0, 0] = -1
            found.append(np.unique(keys, return_counts=True))
        keys, counts = (np.concatenate(part) for part in zip(*found, strict=True))
        keys, counts = keys[keys >= 0], counts[keys >= 0]
        kinds, mistakes = np.divmod(keys, 2 * m + 1)
        return np.array(trials), kinds, mistakes, counts

    def given(
        d: int, epsilon: float, trials: NDArray[np.int64], kinds: NDArray[np.int64],
        mistakes: NDArray[np.int64], counts: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        weights = counts * np.exp(-0.5 * epsilon * mistakes)
        weighed = np.asarray(np.bincount(kinds, weights, 2 * int(trials)), dtype=np.float64)
        weighed = weighed.reshape(-1, 2)
        return _odds(weighed[:, 1], weighed[:, 0], accurate=accurate)

    return sampled, given


# --- The success law of the exponential mechanism over all lines; only the target is good --------
#
# Another line meets the target in one point at most, so it is told by which one, and by whether it
# passes (0, 1).


# Odds above this are certain to lose.
_LARGEST = 460.0
_PLACES_MOST = 20_000


def exponential_law(profile: Profile, p: float, setting: Setting) -> Estimate:
    """Return the law at one p."""
    log_p = np.asarray(setting.d * math.log(2.0) if p > 2.0 ** (LARGE - 1) else math.log(p))
    log_rivals = log_p + math.log1p(-1.0 / p)
    mass, large = profile.mass, p > 2.0 ** (LARGE - 1)
    if profile.off[0] and large and profile.even[0] < decimal(setting.alpha):
        return exact(np.ones(setting.shape), setting)  # of so many points any line misses enough
    if profile.off[0] and not large:
        return law_off_target(profile, p, setting)
    if profile.even[0] and large:
        return averaged(
            setting, mass, (log_p, setting.epsilon), of_count(_spread), rate=0.5 * setting.epsilon
        )
    if profile.even[0]:
        return _of_counts(mass, p, setting)
    if not profile.dummy[0]:
        rare = float(profile.atoms[1][0])
        # The rest counts until it makes up for p lines.
        rate = 0.5 * setting.epsilon / (1.0 + log_p / _NEGLIGIBLE)
        return averaged(setting, rare, (log_rivals, setting.epsilon), _anchor, rate=rate)
    return _of_pair(float(profile.atoms[0][0]), p, setting)


def _capped(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(exponent, _LARGEST)))


def _anchor(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """P - 1 lines pass one of the two points, p - 1 the other, (p - 1)^2 none."""
    half = 0.5 * epsilon
    odds = _capped(log_rivals - half * count)
    if not (isinstance(rest, float) and math.isinf(rest)):
        odds = odds + _capped(log_rivals - half * rest)
        odds = odds + _capped(2.0 * log_rivals - half * (count + rest))
    return odds


def _spread(
    count: NDArray[np.float64], log_p: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For large p no two examples are at one place: p^2 lines pass none of the target's, K p one.

    Those beside the target pass a line with probability 1 / p, which does not count.
    """
    half = 0.5 * epsilon
    one = count * _capped(log_p - half * (count - 1.0))
    return np.asarray(_capped(2.0 * log_p - half * count) + one)


def _of_pair(mass: float, p: float, setting: Setting) -> Estimate:
    """Average over the counts of both points, (0, 0) and (1, 0), and of (0, 1)."""

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        counts = rng.multinomial(m, [mass, mass, 1.0 - 2.0 * mass], size=trials)
        return tuple(counts.T.astype(np.float64))

    def given(
        d: int, epsilon: float, one: NDArray[np.float64], two: NDArray[np.float64],
        none: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        rivals, fewer = _logs_less(p, d)
        half = 0.5 * epsilon
        odds = (
            _capped(rivals - half * two) + _capped(fewer - half * one) + _capped(-half * (one + none))
            + _capped(rivals - half * (one + two + none))
            + _capped(rivals + fewer - half * (one + two))
        )  # fmt: skip
        return np.asarray(1.0 / (1.0 + odds))

    return rao_blackwell(setting, sampled, given)


def _logs_less(p: float, d: int) -> tuple[float, float]:
    """Return log(p - 1) and log(p - 2)."""
    if p > 2.0 ** (LARGE - 1):
        return d * math.log(2.0), d * math.log(2.0)
    return math.log(p - 1.0), math.log(p - 2.0) if p > 2.0 else -math.inf


def _of_counts(mass: float, p: float, setting: Setting) -> Estimate:
    """Average over how often each point of the target occurs."""
    size = int(p)
    least = float(setting.epsilon.min())
    # So many positive examples leave nothing to the p^2 others, if no point has half of them.
    enough = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / least
    most = min(float(setting.m.max()) * mass, enough)
    if size > FEW and most > _PLACES_MOST:
        needed = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / _PLACES_MOST
        raise InputError("epsilon", f"must be at least {needed:.2g} to simulate here", least)

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        hits = rng.binomial(m, mass, size=trials)
        total = np.full(trials, float(m))
        if size > FEW:
            hits = np.minimum(hits, math.ceil(enough))
        return (hits.astype(np.float64), total, *occupied(hits, size, rng))

    def given(
        d: int, epsilon: float, hits: NDArray[np.float64], total: NDArray[np.float64],
        rows: NDArray[np.int64], counts: NDArray[np.int64], many: NDArray[np.int64],
        above: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        half = 0.5 * epsilon
        missed = np.exp(-half * hits)
        # The first point is below (0, 1), which no line joins with it.
        first = np.exp(-half * (hits - above))
        seen = np.bincount(rows, many, hits.size)
        passed = np.bincount(rows, many * np.exp(-half * (hits[rows] - counts)), hits.size)
        through = passed + (p - seen) * missed - first
        negative = np.exp(-half * (total - hits))
        odds = (
            (p - 2.0) * through + (p - 1.0) * first + (p - 2.0) * missed
            + negative * (through + missed)
        )  # fmt: skip
        return np.asarray(1.0 / (1.0 + odds))

    return rao_blackwell(setting, sampled, given)


# --- All lines of a plane in bundles that a sample cannot tell apart -----------------------------
#
# The mistakes of a line depend on which of the sample's n places it passes: those through two of them
# or more are listed, at most n (n - 1) / 2; the others through a place are alike, and so are those
# through none. So p^2 lines take O(n^2) steps, whatever p is.


# Pairs of them are gone through.
_POINTS_MOST = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Bundles:
    """Lines through two places or more, through one alone, and through none, in this order.

    Attributes
    ----------
    plane : Plane
    places : tuple of (x, y)
        Of the sample, in the plane.
    lines : tuple of (a, b)
        Those through two places or more.
    sizes : tuple of int
        How many lines a bundle has.
    gains : ndarray of int64
        How many mistakes fewer than a line makes that passes no place.
    """

    plane: Plane
    places: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    gains: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample, plane: Plane) -> Bundles:
        """Return the bundles of a sample of a plane.

        Raises
        ------
        InputError
            For more places than whose pairs are gone through.
        """
        positive, negative = sample.tallies()
        gain = {
            place: g
            for x, g in zip(sample.points, (positive - negative).tolist(), strict=True)
            if (place := plane.place(x))
        }
        if len(gain) > _POINTS_MOST:
            raise InputError("m", f"must give at most {_POINTS_MOST} different points", len(gain))
        places = sorted(gain)
        on = _through_two(places, plane)
        alone = dict.fromkeys(places, plane.p)
        for passed in on.values():
            for place in passed:
                alone[place] -= 1
        sizes = [1] * len(on) + list(alone.values())
        gains = [sum(gain[place] for place in passed) for passed in on.values()]
        gains += [gain[place] for place in places]
        return cls(
            plane, tuple(places), tuple(on),
            (*sizes, plane.p * plane.p - sum(sizes)), np.array([*gains, 0], dtype=np.int64),
        )  # fmt: skip

    def line(self, bundle: int, rng: Uniform) -> tuple[int, int]:
        """Return (a, b) of a uniformly random line of a bundle."""
        if bundle < len(self.lines):
            return self.lines[bundle]
        p, listed = self.plane.p, set(self.lines)
        if bundle < len(self.sizes) - 1:
            x, y = self.places[bundle - len(self.lines)]
            while True:
                a = uniform_below(rng, p)
                if (found := (a, (y - a * x) % p)) not in listed:
                    return found
        while True:
            a, b = uniform_below(rng, p), uniform_below(rng, p)
            if all(self.plane.height(a, b, x) != y for x, y in self.places):
                return a, b

    def passing(self, a: int, b: int) -> int:
        """Return the bundle of a line."""
        if (a, b) in self.lines:
            return self.lines.index((a, b))
        for row, (x, y) in enumerate(self.places):
            if self.plane.height(a, b, x) == y:
                return len(self.lines) + row
        return len(self.sizes) - 1


def _through_two(
    places: list[tuple[int, int]], plane: Plane
) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the lines through two places or more, with what they pass."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            line = plane.through(one, other)
            if line is None:
                continue
            passed = found.setdefault(line, [one])
            # Seen from an earlier place it is listed with all that it passes.
            if passed[0] == one:
                passed.append(other)
    return found
