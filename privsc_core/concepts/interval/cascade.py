"""The distribution `cascade` for INTERVAL_d, and what the thresholds weigh on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.interval.distributions import Scattered
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.interval.spacings import blocks
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.occupancy import uniform_counts
from privsc_core.parameters import TARGET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Knob, Setting
    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Cascade", "Stretches"]

# A point of so many bits is drawn; of more, a thousand would fill a gigabyte.
_DRAWN_MOST = 4096
# Counts are kept for every simulated sample where all thresholds are weighed: of all scales, or of
# those that are seen where there are so many times as many scales as points.
_WEIGHED_MOST, _SPARSE = 1 << 14, 4
_LOG2 = math.log(2.0)


@dataclass(frozen=True)
class Cascade(Scattered):
    """A fair coin for the side and a uniform scale i in 0..d-3: the point at offset 2^i."""

    name: ClassVar[str] = "cascade"
    title: ClassVar[str] = "Cascade: points at every scale"
    source: ClassVar[Source] = Source("ours", "every scale around the step alike")
    meaning: ClassVar[str] = (
        "The 2(d-2) points at distance 1, 2, 4, …, 2^(d-3) on either side of the target's step are "
        "equally likely, the target's binary digits alternate: nothing is special about any scale."
    )
    brief: ClassVar[str] = "points at distances 1, 2, 4, … on both sides of an alternating target"
    knobs: ClassVar[tuple[Knob, ...]] = ()
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
        del side
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
        del alpha
        return 0.5 / self.scales(d), 0.5 / self.scales(d)

    def reached(self, d: int, alpha: float) -> int:
        """Return on how many scales of one side an accurate threshold may err."""
        share = decimal(alpha) * 2 * self.scales(d)
        return min(share.numerator // share.denominator, self.scales(d))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a threshold; None for any other hypothesis."""
        del m, alpha
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
        del alpha
        if d > _DRAWN_MOST:
            raise InputError("d", f"must be at most {_DRAWN_MOST} for a sample of {self.name}", d)
        drawn = rng.integers(2 * self.scales(d), size=m)
        seen, index = np.unique(drawn, return_inverse=True)
        points = tuple(self._points(int(one) >> 1, d)[int(one) & 1] for one in seen)
        return Sample(d, points, index.astype(np.intp), (1 - (drawn & 1)).astype(np.uint8))

    # --- What thresholds weigh --------------------------------------------------------------------

    def draw_stretches(
        self, m: int, trials: int, *, d: int, alpha: float, rng: np.random.Generator
    ) -> Stretches:
        """Draw samples, as the stretches of scales between their points.

        Raises
        ------
        InputError
            For a d that is too large to keep all counts.
        """
        if d > _WEIGHED_MOST:
            requirement = f"must be at most {_WEIGHED_MOST} on {self.name} to weigh all thresholds"
            raise InputError("d", requirement, d)
        scales = self.scales(d)
        if _SPARSE * m < scales:
            points = rng.integers(2 * scales, size=(trials, m))
            return Stretches.between(points, scales, self.reached(d, alpha))
        return Stretches.at_every_scale(uniform_counts(m, 2 * scales, trials, rng))

    def chances(
        self, stretches: Stretches, *, d: int, alpha: float, rate: float
    ) -> NDArray[np.float64]:
        """Return the probability of an accurate threshold among all, each weighed e^{-rate mistakes}.

        There are 2^i thresholds that err on the scales up to i, on either side, and on the last
        scale what is left of the side.

        Parameters
        ----------
        stretches : Stretches
            As `draw_stretches` returns them.
        d, alpha
            The setting.
        rate : float
            Infinity for fewest mistakes.
        """
        scales, reached, j = self.scales(d), self.reached(d, alpha), self.target(d)
        # Those that err on fewer scales than so many, and the target, are a power of 2.
        until = np.tile(np.arange(scales + 1) * _LOG2, 2)
        until[[scales, -1]] = math.log(j), math.log((1 << d) + 2 - j)
        until = np.delete(until, scales + 1)
        since = until.copy()
        since[scales] = 0.0
        found = np.empty(len(stretches.within))
        for rows in blocks(found.size, stretches.within.shape[1]):
            ends = stretches.ends if len(stretches.ends) == 1 else stretches.ends[rows]
            first, last = ends[:, :-1], ends[:, 1:]
            seen = stretches.within[rows]
            with np.errstate(divide="ignore", invalid="ignore"):
                sizes = until[last] + np.log(-np.expm1(since[first] - until[last]))
                weights = np.where(seen > 0, -rate * seen, 0.0)
            weights += np.where(last > first, sizes, -np.inf)
            top = np.maximum(weights.max(axis=1), 0.0)
            weights -= top[:, None]
            shares = np.exp(weights, out=weights)
            own = np.exp(-top)
            good = own + (shares * (first % scales < reached)).sum(axis=1)
            found[rows] = np.minimum(good / (own + shares.sum(axis=1)), 1.0)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Scales that see the same points, in many samples: first those of the left, then of the right.

    Attributes
    ----------
    ends : ndarray of int64, shape (trials or 1, stretches + 1)
        Where each one begins, and the last one ends: a scale to the left, or one to the right plus
        the number of scales. None is partly accurate.
    within : ndarray of int64, shape (trials, stretches)
        How many points lie at its scales or smaller ones of its side.
    """

    ends: NDArray[np.int64]
    within: NDArray[np.int64]

    @classmethod
    def at_every_scale(cls, counts: NDArray[np.int64]) -> Stretches:
        """Return a stretch for each scale, from the number of points at each, shape (trials, 2 scales)."""
        ends = np.arange(counts.shape[1] + 1)[None, :]
        return cls(
            ends, np.cumsum(counts.reshape(len(counts), 2, -1), axis=2).reshape(counts.shape)
        )

    @classmethod
    def between(cls, points: NDArray[np.int64], scales: int, reached: int) -> Stretches:
        """Return the stretches from one point to the next, and those where accuracy ends."""
        trials = len(points)
        marks = np.array([0, reached, scales, scales + reached])
        ends = np.concatenate([points, np.tile([*marks, 2 * scales], (trials, 1))], axis=1)
        ends.sort(axis=1)
        first = ends[:, :-1]
        within = np.arange(1, first.shape[1] + 1) - np.searchsorted(marks, first, side="right")
        on_left = np.count_nonzero(points < scales, axis=1)
        within -= np.where(first >= scales, on_left[:, None], 0)
        return cls(ends, within)
