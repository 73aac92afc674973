"""The success laws of deeper trees: what counts of points beside the target say of all paths.

On a sample that c_j labels, D(A) = E(A) is how many points lie between A and j, and -D(B) = E(B) how many
between j and B; so a few counts at the levels where these change are all that `interval.stages` asks for.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.interval.nodes import LARGEST, bits_of
from privsc_core.concepts.interval.stages import CENTRE, LEFT, RIGHT, Ends, paths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.nodes import Ancestors, Scale

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reach:
    """Which of the thresholds next to j are accurate: A of the levels up to one, B up to another."""

    low: int
    high: int

    @classmethod
    def of(cls, size: int, j: int, allowed: tuple[int, int]) -> Reach:
        """Return it of a target, from the largest offsets of accurate thresholds."""
        own = (j & -j).bit_length() - 1

        def last(fine: Callable[[int], bool]) -> int:
            low, high = own, size
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if fine(middle) else (low, middle - 1)
            return low

        return cls(
            last(lambda level: j & ((1 << level) - 1) <= allowed[0]),
            last(lambda level: (1 << level) - (j & ((1 << level) - 1)) <= allowed[1]),
        )


def chances(ends: Ends, scale: Scale, reach: Reach, lucky: float) -> tuple[Numbers, Numbers]:
    """Return the probability of an accurate output given each sample, and 1 minus it.

    Parameters
    ----------
    ends : Ends
        Of samples that the target labels.
    scale : Scale
    reach : Reach
    lucky : float
        The share of accurate ones among all T + 1 thresholds.
    """
    found = paths(ends, scale.centres, scale.most)
    log_weight = scale.log_gain(found.score) - scale.log_lump
    weight = np.exp(np.minimum(log_weight, LARGEST))
    level = found.level
    inner = np.maximum(level - 1, 0)
    centre = np.where(ends.upper[inner], inner <= reach.low, inner <= reach.high)
    good = np.where(
        found.way == CENTRE,
        centre,
        np.where(found.way == LEFT, level <= reach.low, level <= reach.high),
    )
    accurate = (weight * good).sum(axis=1)
    wrong = (weight * ~good).sum(axis=1)
    total = 1.0 + accurate + wrong
    return (accurate + lucky) / total, (wrong + 1.0 - lucky) / total


def ends_of(ancestors: Ancestors, within: NDArray[np.int64], d: int, j: int) -> Ends:
    """Return what counts of points within each cut say of the levels; see `Ancestors.draw`."""
    first = ancestors.shells[0].size + 1
    columns = [
        np.where(places < 0, np.inf, within[:, places + shift])
        for places, shift in ((ancestors.left, 0), (ancestors.right, first))
    ]
    # Up to its own level j is A, and no cell there holds it.
    left, right = (np.pad(column, ((0, 0), (1, 0))) for column in columns)
    level = np.append(0, ancestors.level + 1)
    return Ends(d + 1, level, left, right, left, right, bits_of(j, d + 2))


# --- On `hard`: two counts beside the step ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """Where the target stands in the tree, at any number of bits.

    Attributes
    ----------
    size : int
        n = d + 1.
    own : int
        How often 2 divides j.
    top : int
        The least level at which A is 0.
    j : int
        0 where j alternates and is too large to be written out.
    """

    size: int
    own: int
    top: int
    j: int = 0

    @classmethod
    def of(cls, d: int, j: int) -> Step:
        """Return it of a target below 2^d."""
        return cls(d + 1, (j & -j).bit_length() - 1, j.bit_length(), j)

    @classmethod
    def alternating(cls, d: int) -> Step:
        """Return it of the target with ones at the even bits up to d - 2."""
        return cls(d + 1, 0, d - 1 - d % 2)

    def upper(self, level: int) -> bool:
        """Return whether j has a one there: then the centre of the cell above is A."""
        return bool(self.j >> level & 1) if self.j else level % 2 == 0 and level < self.top

    def ends(self, left: Numbers, right: Numbers) -> Ends:
        """Return the ends in samples with so many points on j - 1 and on j."""
        level = np.unique([0, self.own + 1, self.top, self.size])
        at = level[None] > self.own
        columns = [
            np.where(level >= end, np.inf, np.where(at, count[:, None], 0.0))
            for count, end in ((left, self.top), (right, self.size))
        ]
        lower, upper = columns
        return Ends(self.size, level, lower, upper, lower, upper, bits_of(self.j, self.size + 1))


# Levels where M is 0, least of both counts, the right one alone, infinite.
_NONE, _BOTH, _RIGHT, _ENDLESS = range(4)
_MARGINS = {_BOTH: ("above left", "above right"), _RIGHT: ("above right",), _ENDLESS: ()}
_UNDER = {_NONE: "centre", _BOTH: "below", _RIGHT: "below right"}
_HALVES = {_BOTH: ("half left", "half right"), _RIGHT: ("half right",), _ENDLESS: ()}

Parts = tuple[str, ...]
# Half an ulp of 1.
_NO_LUCK = 1e-16


class Regime(NamedTuple):
    """All paths of samples in which M first reaches theta at one level, alike ones together.

    Attributes
    ----------
    kind : int
        What M is there: `_BOTH`, `_RIGHT` or `_ENDLESS`.
    own : tuple of str or None
        What the score of the target is the least of; None where no path leads to it.
    others : mapping
        The same of the others, with how many there are.
    """

    kind: int
    own: Parts | None
    others: Mapping[Parts, float]


def regimes(step: Step, more: int = 0) -> list[Regime]:
    """Return the paths of depth 2 on `hard`.

    `more` is how many more levels of the second tree there are than `step` has, all alike.
    """
    kinds = {
        kind: level
        for kind, level, end in (
            (_BOTH, step.own + 1, step.top), (_RIGHT, max(step.own + 1, step.top), step.size),
            (_ENDLESS, step.size, step.size + 1),
        ) if level < end
    }  # fmt: skip

    def kind_at(level: int) -> int:
        return max((kind for kind, first in kinds.items() if first <= level), default=_NONE)

    return [_regime(step, kind, first, kind_at, more) for kind, first in kinds.items()]


def _regime(step: Step, kind: int, first: int, kind_at: Callable[[int], int], more: int) -> Regime:
    before, own, others = 2 * (first - 1), None, Counter[Parts]()
    for power in range(1, 2 + (step.size - 1).bit_length()):
        low = before >> power << power
        high = low + (1 << power)
        margins: Parts = _MARGINS[kind_at(high // 2)]
        if low:
            margins += (_UNDER[kind_at(low // 2)],)
        level = (low + (1 << power - 1) + 1) // 2
        cell = kind_at(level)
        if cell == _NONE or level > step.size:
            continue
        parts = margins + _HALVES[cell]
        ways = (CENTRE,) if power == 1 else (LEFT, RIGHT)
        for way in ways:
            at, side = level, way
            if way == CENTRE:
                at, side = level - 1, LEFT if step.upper(level - 1) else RIGHT
                if at == step.own:
                    own = tuple(sorted({*parts, "most"}))
                    continue
            ended = at >= (step.top if side == LEFT else step.size)
            if not ended:
                others[tuple(sorted({*parts, "room left" if side == LEFT else "room right"}))] += 1
    if more:
        most = max(others.values())
        others.update({parts: more for parts, number in others.items() if number == most})
    return Regime(kind, own, {parts: float(number) for parts, number in others.items()})


class _Weights:
    """Weights relative to the lump, of the least of several parts; tables on one axis are kept."""

    def __init__(self, left: Numbers, right: Numbers, scale: Scale) -> None:
        (centre,) = scale.centres
        self.scale, self.base = scale, math.exp(-scale.log_lump)
        self.scores: dict[str, Numbers] = {
            "above left": left - centre, "above right": right - centre,
            "below right": centre - right, "half left": 0.5 * left, "half right": 0.5 * right,
            "room left": scale.most - left, "room right": scale.most - right,
            "centre": np.array(float(centre)), "most": np.array(float(scale.most)),
        }  # fmt: skip
        self.tables: dict[str, Numbers] = {}

    def of(self, parts: Parts | None, number: float = 1.0) -> Numbers:
        """Return so many times the weight of the least of these; 0 for none."""
        if parts is None:
            return np.zeros(())
        # What varies along one axis first: then one minimum over both is left.
        along: dict[tuple[int, ...], Numbers] = {}
        for table in map(self._table, parts):
            least = along.get(table.shape)
            along[table.shape] = table if least is None else np.minimum(least, table)
        tables = sorted(along.values(), key=lambda one: one.size)
        return reduce(np.minimum, [number * table for table in tables] if number > 1 else tables)

    def _table(self, name: str) -> Numbers:
        if name == "below":
            left = self.scale.centres[0] - 2.0 * self.scores["half left"]
            return np.maximum(self._gain(left), self._table("below right"))
        if name not in self.tables:
            self.tables[name] = self._gain(self.scores[name])
        return self.tables[name]

    def _gain(self, score: Numbers) -> Numbers:
        shifted = self.scale.rate * np.maximum(score, 0.0) - self.scale.log_lump
        return np.asarray(np.exp(np.minimum(shifted, LARGEST)) - self.base)


def hard_by_regimes(
    left: Numbers, right: Numbers, scale: Scale, found: list[Regime], lucky: float
) -> tuple[Numbers, Numbers]:
    """Return `chances` at depth 2 given the counts beside the step, which broadcast."""
    weights, (centre,) = _Weights(left, right, scale), scale.centres

    def chances_in(regime: Regime) -> tuple[Numbers, Numbers]:
        own, others = weights.of(regime.own), np.zeros(())
        for parts, number in regime.others.items():
            others = others + weights.of(parts, number)
        total = 1.0 + own + others
        return (own + lucky) / total, (others + 1.0 - lucky) / total

    # Below theta the target has no weight: where the lump never hits it either, the others do not matter.
    if found[0].kind == _BOTH and (lucky < _NO_LUCK or min(left.min(), right.min()) >= centre):
        return chances_in(found[0])
    reached = {_BOTH: (left >= centre) & (right >= centre), _RIGHT: right >= centre}
    shape = np.broadcast_shapes(left.shape, right.shape)
    good, bad = np.empty(shape), np.empty(shape)
    open_ = np.ones(good.shape, dtype=np.bool_)
    for regime in found:
        here = open_ & reached.get(regime.kind, np.True_)
        open_ &= ~here
        if here.any():
            for target, part in zip((good, bad), chances_in(regime), strict=True):
                np.copyto(target, part, where=here)
    return good, bad


def hard_by_paths(
    left: Numbers, right: Numbers, scale: Scale, step: Step, lucky: float
) -> tuple[Numbers, Numbers]:
    """Return `chances` of any depth given the counts beside the step, which broadcast."""
    shape = np.broadcast_shapes(left.shape, right.shape)
    counts = (np.broadcast_to(count, shape).ravel() for count in (left, right))
    reach = Reach(step.own, step.own)
    good, bad = chances(step.ends(*counts), scale, reach, lucky)
    return good.reshape(shape), bad.reshape(shape)
