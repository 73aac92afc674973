"""The distribution `cascade` for INTERVAL_d, and what the thresholds weigh on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.interval.distributions import Scattered, Threshold
from privsc_core.concepts.interval.nodes import (
    LARGEST,
    Scale,
    nearest,
)
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.expectations import uniform_counts
from privsc_core.parameters import TARGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis


# A point of so many bits is drawn; of more, a thousand would fill a gigabyte.
_DRAWN_MOST = 4096
# Where all thresholds are weighed: bits at most, and scales that are counted together. A stretch of them that
# weighs at most e^-30 of another one is left out: all that are weigh together less than 1e-10 of the others.
WEIGHED_MOST, _STRETCH, _NOTHING = 1 << 14, 32, 30.0
_LOG2 = math.log(2.0)


@dataclass(frozen=True)
class Cascade(Scattered):
    """A fair coin for the side and a uniform scale i in 0..d-3: the point at offset 2^i."""

    name = "cascade"
    title = "Cascade: points at every scale"
    source = Source("ours", "every scale around the step alike")
    meaning = (
        "The 2(d-2) points at distance 1, 2, 4, …, 2^(d-3) on either side of the target's step "
        "are equally likely. The target's binary digits alternate, so that all scales look "
        "alike."
    )
    brief = "points at distances 1, 2, 4, … on both sides of an alternating target"
    knobs = ()
    goal: str = field(default="alternating", init=False)

    @property
    def most_d(self) -> int:
        """The largest number of bits at which every law answers at once; that of `tree` has no end."""
        return _DRAWN_MOST

    @property
    def steps_to(self) -> float:
        """Of every d: on how many scales one may err is whole."""
        return math.inf

    def easiest(self, hard: Setting, easy: Setting) -> Setting | None:
        """Return the easy one, at an alpha that allows as many scales there as at any between.

        With as many scales more bits are worse: there are more thresholds, and examples at the step are rarer.
        """
        scales, most = self.scales(easy.d.item()), self.reached(hard.d.item(), easy.alpha)
        return None if most >= scales else replace(easy, alpha=(most + 0.5) / (2 * scales))

    def words(self) -> dict[str, str]:
        """Return the target, which is always this one."""
        return {TARGET.name: self.goal}

    def scales(self, d: int) -> int:
        """Return how many points lie on either side."""
        return d - 2

    def mass(self, side: int, low: int, high: int, d: int) -> float:
        """Return how likely a point lies there."""
        scales = self.scales(d)
        inside = min(high.bit_length(), scales) - min(low.bit_length(), scales)
        return inside / (2.0 * scales)

    def allowed(self, *, d: int, alpha: float) -> tuple[int, int]:
        """Return the largest offset of an accurate threshold, to the left and to the right."""
        reached = self.reached(d, alpha)
        j = self.target(d)
        if reached >= self.scales(d):
            return j - 1, (1 << d) + 1 - j
        return (1 << reached) - 1, (1 << reached) - 1

    def beside(self, *, d: int, alpha: float) -> tuple[float, float]:
        """Return the masses of the points j-1 and j, beside the step."""
        return 0.5 / self.scales(d), 0.5 / self.scales(d)

    def reached(self, d: int, alpha: float) -> int:
        """Return on how many scales of one side an accurate threshold may err."""
        share = decimal(alpha) * 2 * self.scales(d)
        return min(share.numerator // share.denominator, self.scales(d))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a threshold; None for any other hypothesis."""
        if not isinstance(hypothesis, Threshold):
            return None
        offset, scales = abs(hypothesis.j - self.target(d)), self.scales(d)
        return Fraction(min(offset.bit_length(), scales), 2 * scales)

    def _accurate(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        wrong = sum(
            hypothesis.predict(x) != y
            for i in range(self.scales(d))
            for x, y in zip(self._points(i, d), (1, 0), strict=True)
        )
        return Fraction(wrong, 2 * self.scales(d)) <= decimal(alpha)

    def _points(self, scale: int, d: int) -> tuple[int, int]:
        j = self.target(d)
        return j - (1 << scale), j - 1 + (1 << scale)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        if d > _DRAWN_MOST:
            raise InputError("d", f"must be at most {_DRAWN_MOST} for a sample of {self.name}", d)
        drawn = rng.integers(2 * self.scales(d), size=m)
        seen, index = np.unique(drawn, return_inverse=True)
        points = tuple(self._points(int(one) >> 1, d)[int(one) & 1] for one in seen)
        return Sample(d, points, index.astype(np.intp), (1 - (drawn & 1)).astype(np.uint8))

    # --- What thresholds weigh --------------------------------------------------------------------

    def draw_stretches(
        self, m: int, trials: int, *, d: int, rates: Iterable[float], rng: np.random.Generator
    ) -> Stretches:
        """Draw samples, and in each the scales whose thresholds may matter at one of some rates.

        First how many points fall on each stretch of neighbouring scales: these bound what the thresholds
        of a stretch weigh together. Stretches that weigh nothing beside another one are left out, and only on the
        others points are drawn one by one.

        Raises
        ------
        InputError
            For a d that is too large to count on all stretches.
        """
        if d > WEIGHED_MOST:
            requirement = f"must be at most {WEIGHED_MOST} on {self.name} to weigh all thresholds"
            raise InputError("d", requirement, d)
        scales = self.scales(d)
        begins = np.arange(0, scales, _STRETCH)
        ends = np.append(begins[1:], scales)
        chances = np.tile((ends - begins) / (2.0 * scales), 2)
        counts = rng.multinomial(m, chances / chances.sum(), size=trials).reshape(trials, 2, -1)
        until = np.cumsum(counts, axis=2)
        before = until - counts
        # All thresholds of a stretch are at most four times those of its last scale: those of scales i <= s are 2^i,
        # together less than twice the last; on the very last scale of the left side, with d odd, only
        # (2^(d-3) - 1) / 3 are left, of 2^(d-3) - 1 before it.
        last = self._log_sizes(d)[:, ends - 1]
        heavy = np.zeros(counts.shape, dtype=np.bool_)
        for rate in rates:
            least = (last - _lost(rate, until)).max(axis=(1, 2), keepdims=True)
            heavy |= last + 2.0 * _LOG2 - _lost(rate, before) > np.maximum(least, 0.0) - _NOTHING
        trial, side, place = np.nonzero(heavy)
        found = np.empty((trial.size, _STRETCH), dtype=np.int64)
        widths, sizes = (ends - begins)[place], counts[heavy]
        for width in np.unique(widths).tolist():
            rows = widths == width
            found[rows, :width] = uniform_counts(sizes[rows], width, int(rows.sum()), rng)
            found[rows, width:] = 0
        found = np.cumsum(found, axis=1, out=found)
        found += before[heavy][:, None]
        return Stretches(trials, trial, side, begins[place], found)

    def chances(
        self, stretches: Stretches, *, d: int, alpha: float, rate: float
    ) -> NDArray[np.float64]:
        """Return the probability of an accurate threshold among all, each weighed e^{-rate mistakes}.

        There are 2^i thresholds that err on the scales up to i, on either side, and on the last
        scale what is left of the side.

        Parameters
        ----------
        stretches : Stretches
            As `draw_stretches` returns them, for this rate among others.
        d, alpha
            The setting.
        rate : float
            Infinity for fewest mistakes.
        """
        trial, first = stretches.trial, stretches.first
        sizes = self._log_sizes(d)
        # No thresholds are beyond the last scale.
        beyond = np.full((2, -sizes.shape[1] % _STRETCH), -np.inf)
        table = np.concatenate([sizes, beyond], axis=1).reshape(2, -1, _STRETCH)
        weights = table[stretches.side, first // _STRETCH]
        weights -= _lost(rate, stretches.within)
        top = np.zeros(stretches.trials)  # the target weighs 1
        np.maximum.at(top, trial, weights.max(axis=1))
        weights -= top[trial][:, None]
        shares = np.exp(weights, out=weights)
        accurate = np.arange(_STRETCH) < self.reached(d, alpha) - first[:, None]
        every, good = (
            np.exp(-top) + np.bincount(trial, part.sum(axis=1), stretches.trials)
            for part in (shares, shares * accurate)
        )
        return np.minimum(good / every, 1.0)

    def _log_sizes(self, d: int) -> NDArray[np.float64]:
        """Return the log of how many thresholds err on the scales up to each one and on no others, on either side."""
        scales, j = self.scales(d), self.target(d)
        found = np.tile(np.arange(scales) * _LOG2, (2, 1))
        inside = 1 << (scales - 1)
        found[:, -1] = math.log(j - inside), math.log((1 << d) + 2 - j - inside)
        return found


def _lost(rate: float, mistakes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return rate times mistakes, 0 where there are none, whatever the rate."""
    return np.asarray(
        rate * mistakes if math.isfinite(rate) else np.where(mistakes > 0, math.inf, 0.0)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Stretches of neighbouring scales of one side, in many samples: those that matter.

    Attributes
    ----------
    trials : int
        How many samples there are.
    trial, side, first : ndarray of int64, shape (stretches,)
        The sample, the side (0 for the left, 1 for the right) and the first scale of each stretch.
    within : ndarray of int64, shape (stretches, scales)
        How many points lie at each of its scales or smaller ones of its side.
    """

    trials: int
    trial: NDArray[np.intp]
    side: NDArray[np.intp]
    first: NDArray[np.int64]
    within: NDArray[np.int64]


# --- The learner `tree` on `cascade` in huge domains: between occupied scales nothing changes ----
#
# Let L(i) and R(i) count the points at scales up to i to the left and to the right of the step. The
# digits of the target alternate, so the cell of its ancestor t of level l ends 2^l or 2^{l-1} and a
# little more away from it, and with the counts at an i below 0 being 0,
#
#     l even:  D(A) = L(l),      -D(B) = R(l - 1),  E(t) = L(l - 2);
#     l odd:   D(A) = L(l - 1),  -D(B) = R(l),      E(t) = R(l - 2);
#
# only at the ends of the tree it is otherwise: see `_ends`. Between one occupied scale and the next,
# two scales after the first, all levels of one parity score alike: so few candidates stand for all.
#
# And few points matter: scores end at v, and v - E is 0 from the v-th point on. So counts above 2v
# may be cut there, and only the 2v points next to the step are drawn, on either side: no law has to
# look at more than 4v points, however large m and d are.


# Points kept on one side in one simulated sample: 150 MB for a chunk of samples.
_KEPT_MOST = 6_000
# The levels next to the leaf, and those at the root, are not what the others are.
_LOW, _HIGH = 2, 4


@dataclass(frozen=True, slots=True, eq=False)
class Occupied:
    """The occupied scales of many samples, increasing, sample after sample.

    Each sample begins with the scale -1, which has no points.

    Attributes
    ----------
    trial : ndarray of intp, shape (occupied,)
        Which sample it belongs to.
    scale : ndarray of int64, shape (occupied,)
    left, right : ndarray of int64, shape (occupied,)
        How many points lie at that scale or a smaller one, of those that are kept.
    """

    trial: NDArray[np.intp]
    scale: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @property
    def trials(self) -> int:
        """How many samples there are."""
        return int(self.trial[-1]) + 1

    def until(self, scales: Sequence[int]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return L and R at each of some scales, in every sample."""
        # Within a sample scales increase, from -1, which is always there.
        cells = max(int(self.scale.max()), *scales) + 2
        key, starts = self.trial * cells + self.scale, np.arange(self.trials) * cells
        places = [np.searchsorted(key, starts + scale, side="right") - 1 for scale in scales]
        return [(self.left[place], self.right[place]) for place in places]


@dataclass(frozen=True, slots=True)
class Runs:
    """The law given a sample, at one (d, alpha), for d >= 8.

    Attributes
    ----------
    d : int
        Bits of a point.
    scales : int
        How many points of the cascade lie on either side.
    reached : int
        On how many of them an accurate threshold may err.
    lucky : float
        The share of accurate ones among all T + 1 thresholds.
    """

    d: int
    scales: int
    reached: int
    lucky: float

    @classmethod
    def of(cls, distribution: Cascade, d: int, alpha: float) -> Self:
        """Read what it depends on."""
        lucky = (sum(distribution.allowed(d=d, alpha=alpha)) + 1) / ((1 << d) + 1)
        return cls(d, distribution.scales(d), distribution.reached(d, alpha), lucky)

    def kept(self, m: int, scale: Scale, epsilon: float) -> int:
        """Return how many points of a side matter.

        Raises
        ------
        InputError
            Where these are too many to be kept: privacy is too strict to be simulated here.
        """
        found = min(m, 2 * scale.most)
        if found > _KEPT_MOST:
            enough = epsilon * found / _KEPT_MOST
            raise InputError("epsilon", f"must be at least {enough:.2g} to simulate here", epsilon)
        return found

    def draw(self, m: int, trials: int, keep: int, rng: np.random.Generator) -> Occupied:
        """Draw the points next to the step, `keep` on either side."""
        left = rng.binomial(m, 0.5, size=trials)
        cells = self.scales + 1  # of a sample, the scale -1 among them
        keys = [2 * cells * np.arange(trials)]
        for side, count in enumerate((left, m - left)):
            part = nearest(count, keep, rng)
            # A share of 1 is a rounded one.
            key = np.minimum((part.share * self.scales).astype(np.int64), self.scales - 1)
            key += cells * np.arange(trials)[:, None] + 1
            key *= 2
            key += side
            keys.append(key[np.arange(part.share.shape[1]) < count[:, None]])
        every = np.sort(np.concatenate(keys))
        last = np.flatnonzero(np.diff(every >> 1, append=-1))
        trial, scale = np.divmod(every[last] >> 1, cells)
        on_right = np.cumsum(every & 1)[last]
        on_left = last + 1 - on_right
        starts = np.flatnonzero(scale == 0)[trial]
        return Occupied(trial, scale - 1, on_left - on_left[starts], on_right - on_right[starts])

    def chances(self, found: Occupied, scale: Scale) -> NDArray[np.float64]:
        """Return the probability of an accurate output given each sample, shape (trials,)."""
        weigh = _Weights.of(scale)
        starts = np.flatnonzero(found.scale < 0)
        good, every = np.zeros((2, found.trials))
        for weight, first, last, parity in self._spans(found, weigh):
            for total, end in ((every, self.d), (good, self.reached + 1)):
                number = _alike(first, np.minimum(last, min(end, self.d - _HIGH)), parity)
                np.add(total, np.add.reduceat(weight * number, starts), out=total)
        for weight, fine in self._ends(found, weigh):
            every += weight
            good += weight * fine
        return np.asarray((good + self.lucky) / (every + 1.0))

    def _spans(
        self, found: Occupied, weigh: _Weights
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int | None]]:
        """Yield weights, the first and last level that has each, and of which parity, None for both."""
        # Of the scale before and of that before it; the first of a sample has no points anyway.
        before, left, right = _shifted(found.scale), found.left, found.right
        left_before, right_before = _shifted(left), _shifted(right)
        close = found.scale - before == 1
        left_off = np.where(close, _shifted(left_before), left_before)
        right_off = np.where(close, _shifted(right_before), right_before)
        after = np.append(found.scale[1:], self.scales)
        after[after < 0] = self.scales
        # At an occupied scale itself and one above it.
        for up, other, off in (
            (0, (left_before, right_before), (left_off, right_off)),
            (1, (left, right), (left_before, right_before)),
        ):
            level = found.scale + up
            odd = (level & 1).astype(np.bool_)
            weight = weigh(
                np.where(odd, right, left), np.where(odd, *other), np.where(odd, off[1], off[0])
            )
            yield weight, np.maximum(level, _LOW), np.minimum(level, after - 1), None
        # From two above it to below the next occupied one.
        first = np.maximum(found.scale + 2, _LOW)
        yield weigh(left, right, left), first, after - 1, 0
        yield weigh(right, left, right), first, after - 1, 1

    def _ends(self, found: Occupied, weigh: _Weights) -> Iterator[tuple[NDArray[np.float64], bool]]:
        """Yield the weights of the levels at the leaf and at the root, and whether they are accurate.

        At levels 0 and 1 two more points lie inside. From the highest one bit of the target on A is
        0, where D is infinite; at the last two levels t errs on all negatives, and B is 2T at last.
        """
        levels = range(self.d - _HIGH + 1, self.d + 1)
        scales = [0, 1, self.scales, *range(levels[0] - 2, self.d + 1)]
        at = dict(zip(scales, found.until(scales), strict=True))
        yield weigh(at[0][0], at[0][1], np.zeros(found.trials, dtype=np.int64)), True
        yield weigh(at[0][0], at[1][1], at[0][1]), self.reached >= 1
        endless, every = np.full(found.trials, 2 * weigh.most), at[self.scales][1]
        for level in levels:
            odd, whole = level % 2, level >= self.d - 1
            at_zero = level >= self.d - 2 - self.d % 2
            left = endless if at_zero else at[level - odd][0]
            right = at[level - 1 + odd][1] if level < self.d else endless
            off = every if whole else at[level - 2][odd]
            errs = self.scales if whole else level - 1
            yield weigh(left, right, off), errs <= self.reached


@dataclass(frozen=True, slots=True, eq=False)
class _Weights:
    """The weights relative to the lump of all scores, which are multiples of 1/2 from 0 to v."""

    most: int
    table: NDArray[np.float64]

    @classmethod
    def of(cls, scale: Scale) -> Self:
        score = 0.5 * np.arange(2 * scale.most + 1, dtype=np.float64)
        log_weight = scale.log_gain(score) - scale.log_lump
        return cls(scale.most, np.exp(np.minimum(log_weight, LARGEST)))

    def __call__(
        self, left: NDArray[np.int64], right: NDArray[np.int64], off: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the weights at margins D(A), -D(B) and numbers of mistakes."""
        twice = np.minimum(np.minimum(left, right), 2 * (self.most - off))
        return self.table[np.maximum(twice, 0)]


def _shifted(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at each place what stands before it, 0 at the first."""
    found = np.empty_like(values)
    found[0], found[1:] = 0, values[:-1]
    return found


def _alike(
    first: NDArray[np.int64], last: NDArray[np.int64], parity: int | None
) -> NDArray[np.int64]:
    """Return how many whole numbers lie in [first, last], of one parity or of both."""
    if parity is None:
        return np.asarray(np.maximum(last - first + 1, 0))
    return np.maximum(((last - parity) >> 1) - ((first - 1 - parity) >> 1), 0)
