"""The learner `tree` on `cascade` in huge domains: between occupied scales nothing changes.

Let L(i) and R(i) count the points at scales up to i to the left and to the right of the step. The
digits of the target alternate, so the cell of its ancestor t of level l ends 2^l or 2^{l-1} and a
little more away from it, and with the counts at an i below 0 being 0,

    l even:  D(A) = L(l),      -D(B) = R(l - 1),  E(t) = L(l - 2);
    l odd:   D(A) = L(l - 1),  -D(B) = R(l),      E(t) = R(l - 2);

only at the ends of the tree it is otherwise: see `_ends`. Between one occupied scale and the next,
two scales after the first, all levels of one parity score alike: so few rungs stand for all.

And few points matter: scores end at v, and v - E is 0 from the v-th point on. So counts above 2v
may be cut there, and only the 2v points next to the step are drawn, on either side: no law has to
look at more than 4v points, however large m and d are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.concepts.interval.ladder import LARGEST
from privsc_core.concepts.interval.spacings import nearest
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.cascade import Cascade
    from privsc_core.concepts.interval.rungs import Scale

__all__ = ["Occupied", "Runs"]

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

    def until(self, scale: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return L and R at one scale, in every sample."""
        # The scale -1 is always there, and within a sample scales increase.
        last = np.bincount(self.trial[self.scale <= scale])
        starts = np.flatnonzero(self.scale < 0)
        place = starts + last - 1
        return self.left[place], self.right[place]


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
            row, column = np.nonzero(np.arange(part.share.shape[1]) < count[:, None])
            # A share of 1 is a rounded one.
            scale = (part.share[row, column] * self.scales).astype(np.int64)
            np.minimum(scale, self.scales - 1, out=scale)
            keys.append(2 * (cells * row + 1 + scale) + side)
        every = np.sort(np.concatenate(keys))
        last = np.flatnonzero(np.diff(every >> 1, append=-1))
        trial, scale = np.divmod(every[last] >> 1, cells)
        on_right = np.cumsum(every & 1)[last]
        on_left = last + 1 - on_right
        starts = np.flatnonzero(scale == 0)[trial]
        return Occupied(trial, scale - 1, on_left - on_left[starts], on_right - on_right[starts])

    def chances(self, found: Occupied, scale: Scale) -> NDArray[np.float64]:
        """Return the probability of an accurate output given each sample, shape (trials,)."""
        trials, weigh = found.trials, _Weights.of(scale)
        good, bad = np.zeros((2, trials))
        # At scale s itself, one above it, and from s + 2 to below the next occupied one.
        before = np.concatenate([[0], np.arange(found.scale.size - 1)])
        after = np.append(found.scale[1:], self.scales)
        after = np.where(after < 0, self.scales, after)
        here = np.arange(found.scale.size)
        close = found.scale - found.scale[before] == 1
        levels = found.scale
        for low, high, places in (
            (levels, levels, (here, before, np.where(close, before[before], before))),
            (levels + 1, np.minimum(levels + 1, after - 1), (here, here, before)),
            (levels + 2, after - 1, (here, here, here)),
        ):
            first, last = np.maximum(low, _LOW), np.minimum(high, self.d - _HIGH)
            for odd in (0, 1):
                number, accurate = (
                    _alike(first, np.minimum(last, end), odd) for end in (self.d, self.reached + 1)
                )
                some = number > 0
                same, other = (found.right, found.left) if odd else (found.left, found.right)
                at = [place[some] for place in places]
                weight = weigh(same[at[0]], other[at[1]], same[at[2]])
                good += np.bincount(found.trial[some], weight * accurate[some], trials)
                bad += np.bincount(found.trial[some], weight * (number - accurate)[some], trials)
        for weight, fine in self._ends(found, weigh):
            good += weight * fine
            bad += weight * (not fine)
        return np.asarray((good + self.lucky) / (good + bad + 1.0))

    def _ends(self, found: Occupied, weigh: _Weights) -> Iterator[tuple[NDArray[np.float64], bool]]:
        """Yield the weights of the levels at the leaf and at the root, and whether they are accurate.

        At levels 0 and 1 two more points lie inside. From the highest one bit of the target on A is
        0, where D is infinite; at the last two levels t errs on all negatives, and B is 2T at last.
        """

        def margin(side: int, last: int) -> NDArray[np.int64]:
            return found.until(last)[side]

        yield weigh(margin(0, 0), margin(1, 0), np.zeros(found.trials, dtype=np.int64)), True
        yield weigh(margin(0, 0), margin(1, 1), margin(1, 0)), self.reached >= 1
        endless, every = np.full(found.trials, 2 * weigh.most), margin(1, self.scales)
        for level in range(self.d - _HIGH + 1, self.d + 1):
            odd, whole = level % 2, level >= self.d - 1
            at_zero = level >= self.d - 2 - self.d % 2
            left = endless if at_zero else margin(0, level - odd)
            right = margin(1, level - 1 + odd) if level < self.d else endless
            off = every if whole else margin(odd, level - 2)
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


def _alike(first: NDArray[np.int64], last: NDArray[np.int64], odd: int) -> NDArray[np.int64]:
    """Return how many whole numbers of one parity lie in [first, last]."""
    return np.maximum(((last - odd) >> 1) - ((first - 1 - odd) >> 1), 0)
