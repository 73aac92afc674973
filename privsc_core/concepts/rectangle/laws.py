"""Success laws of rectangles: lists of small boards, four sides, private grids."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from privsc_core.concepts.contracts import Estimate
from privsc_core.concepts.generic.medians import (
    Node,
    cuts_of_many,
    drawn_cuts,
    in_scale,
    law_of_cuts,
    slots,
)
from privsc_core.concepts.rectangle.distributions import EMPTY, SIDES, Board, differing
from privsc_core.concepts.shared.laws import by_d, exact, narrowed, rao_blackwell
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_span, binomial_window
from privsc_core.numerics.expectations import by_halves, reach
from privsc_core.numerics.logspace import draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Setting
    from privsc_core.concepts.generic.medians import Cut
    from privsc_core.concepts.rectangle.distributions import Box, Hard8


_DIGITS = 10  # every side is below 10 bits on a board that is listed


def number_of(box: Box) -> int:
    """Return the number of a rectangle, the same on every board."""
    number = 0
    for side in box:
        number = (number << _DIGITS) + side
    return number


def boxes(bits: int) -> list[Box]:
    """Return all rectangles of the board with points of so many bits, the empty one first."""
    wide, high = Board.of(bits).size
    across = list(itertools.combinations_with_replacement(range(1, wide + 1), 2))
    up = list(itertools.combinations_with_replacement(range(1, high + 1), 2))
    return [EMPTY, *((*x, *y) for x in across for y in up)]


def numbers(bits: int) -> list[int]:
    """Return the numbers of all rectangles of a tiny board."""
    return [number_of(box) for box in boxes(bits)]


# -------------------------------------------------------------------------------------------------
# The weights of all rectangles that a sample, or a grid, can tell apart; O(k^3) for O(k^4) of
# them.
#
# Both coordinates are cut into k cells. A rectangle is a range of cells in x and one in y. Its gain is
# the sum of positives minus negatives in it, and its weight exp(rate * gain) times the number of
# rectangles of the board that it stands for: so many left ends for its first cell, and so on.


# Beyond so many distinct coordinates k^3 sums take too long.
CELLS_MOST = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The cells of one coordinate: between which values a range may start and end.

    Attributes
    ----------
    firsts, lasts : tuple of (int, int)
        Of each cell the values, first and last included, at which a range that starts in it may
        start, and those at which one that ends in it may end.
    size : int
        How many values the coordinate has.
    """

    firsts: tuple[tuple[int, int], ...]
    lasts: tuple[tuple[int, int], ...]
    size: int

    @classmethod
    def of_values(cls, values: list[int], size: int) -> Axis:
        """Return one cell a value: ranges hold the same values iff they start and end in the same."""
        if len(values) > CELLS_MOST:
            requirement = f"must have at most {CELLS_MOST:,} different coordinates"
            raise InputError("x", requirement, len(values))
        firsts = tuple(zip([1, *(v + 1 for v in values[:-1])], values, strict=True))
        lasts = tuple(zip(values, [*(v - 1 for v in values[1:]), size], strict=True))
        return cls(firsts, lasts, size)

    @classmethod
    def of_grid(cls, cuts: list[int], size: int) -> Axis:
        """Return the cells between cuts; each cut starts one, and ranges are made of whole cells."""
        starts = sorted({1, *cuts})
        ends = [*(cut - 1 for cut in starts[1:]), size]
        return cls(tuple((s, s) for s in starts), tuple((e, e) for e in ends), size)

    def __len__(self) -> int:
        """Return how many cells there are."""
        return len(self.firsts)

    def logs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of how many starts and how many ends every cell has."""
        first, last = (
            np.array([math.log(high - low + 1) for low, high in ends])
            for ends in (self.firsts, self.lasts)
        )
        return first, last


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All rectangles made of cells, and what holds none of them.

    Attributes
    ----------
    x, y : Axis
        The cells.
    gains : ndarray, shape (cells of x, cells of y)
        Positives minus negatives in every cell.
    rate : float
        The factor of the gain in the exponent.
    log_others : float
        The log of how many rectangles hold no cell: their weight is 1 each.
    """

    x: Axis
    y: Axis
    gains: NDArray[np.float64]
    rate: float
    log_others: float = 0.0

    def ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return first and last cell of every range of x."""
        return np.triu_indices(len(self.x))

    def strip(self, first: int, last: int) -> NDArray[np.float64]:
        """Return rate times the gains of the cells of y, added up over a range of x."""
        return np.asarray(self.rate * self.gains[first : last + 1].sum(axis=0))

    def by_range(self) -> NDArray[np.float64]:
        """Return the log weight of every range of x, with all ranges of y together.

        For one range of x with prefix sums V_0..V_k of its strip the weight of all that end in cell
        j of y is e^{V_(j+1)} times the sum over i <= j of e^{-V_i}.
        """
        start_x, end_x = self.x.logs()
        start_y, end_y = self.y.logs()
        found = []
        for first in range(len(self.x)):
            strips = self.rate * np.cumsum(self.gains[first:], axis=0)
            sums = np.cumsum(strips, axis=1)
            below = np.logaddexp.accumulate(start_y - (sums - strips), axis=1)
            tops = logsumexp(below + sums + end_y, axis=1)
            found.append(tops + start_x[first] + end_x[first:])
        return np.concatenate(found)

    def log_total(self) -> float:
        """Return the log of the sum of all weights."""
        return float(np.logaddexp(logsumexp(self.by_range()), self.log_others))

    def of_strip(self, first: int, last: int) -> NDArray[np.float64]:
        """Return the log weights of all ranges of y, without what belongs to the range of x.

        In the order of `np.triu_indices` over the cells of y.
        """
        start_y, end_y = self.y.logs()
        sums = np.concatenate(([0.0], np.cumsum(self.strip(first, last))))
        low, high = np.triu_indices(len(self.y))
        return np.asarray(start_y[low] - sums[low] + sums[high + 1] + end_y[high])

    def pick(self, rng: np.random.Generator) -> Picked:
        """Draw a range of x, or what holds no cell, and then a range of y."""
        over_x = np.append(self.by_range(), self.log_others)
        place, coins_x = draw(over_x, rng)
        if place == over_x.size - 1:
            return Picked(over_x, coins_x, place, None, None, None)
        first, last = (int(ends[place]) for ends in self.ranges())
        over_y = self.of_strip(first, last)
        within, coins_y = draw(over_y, rng)
        low, high = (int(ends[within]) for ends in np.triu_indices(len(self.y)))
        return Picked(over_x, coins_x, place, over_y, coins_y, (first, last, low, high))


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """One draw: the log weights and coins of the ranges of x and of y, and the cells drawn.

    Attributes
    ----------
    over_x, coins_x : ndarray
        Of all ranges of x, and last of what holds no cell.
    place : int
        Which of them was drawn.
    over_y, coins_y : ndarray or None
        Of all ranges of y, given the range of x.
    cells : tuple of int or None
        First and last cell of x, first and last cell of y.
    """

    over_x: NDArray[np.float64]
    coins_x: NDArray[np.float64]
    place: int
    over_y: NDArray[np.float64] | None
    coins_y: NDArray[np.float64] | None
    cells: tuple[int, int, int, int] | None


# --- The law of the exponential mechanism on `hard8`: four sides, each found apart ---------------
#
# Of a rectangle around the centre every side has three choices: right, too far in (errs on the inner
# point) or too far out (on the outer one). So given the counts success is the product over the sides of
# 1 / (1 + in e^{-rate K_in} + out e^{-rate K_out}), up to the rectangles that miss the centre. Given how
# many examples a side has its two counts are binomial, given those of two sides the share of one is, and
# so on: three sums.


# Examples on the eight points together, up to which the sums are done.
COUNTED_MOST = 40_000
# A failure bounded by this share of what is asked for is as good as none.
_SURE = 1e-17
# A bound so small is rounding; up to so many bits one above the next is replaced by a simulation.
_NOTHING, _NARROW = 1e-10, 1e-4
_DRAWN_MOST = 8
_ROUND = 32  # counts
_LN2 = float(np.log(2.0))


def all_labelled(
    distribution: Distribution, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    """Return the law; `rate` is the factor of the mistakes at an epsilon."""
    for d in (int(setting.d.min(initial=3)), int(setting.d.max(initial=3))):
        distribution.check(d=d, alpha=setting.alpha)
    return by_d(setting, lambda d, part: _at_one_d(d, part, rate))


def _at_one_d(d: int, setting: Setting, rate: Callable[[float], float]) -> Estimate:
    value, lost, miss = np.empty((3, *setting.shape))
    m, epsilon = np.broadcast_arrays(setting.m, setting.epsilon)
    for loss in np.unique(epsilon).tolist():
        here = epsilon == loss
        value[here], lost[here], miss[here] = by_sides(
            d, m[here], setting.alpha, rate(loss), setting.log_tail
        )
    if miss.max(initial=0.0) <= _NOTHING:
        return exact(value, setting, lost if setting.tiny_beta else None)
    estimate = Estimate(value, np.maximum(value - miss, 0.0), value, "rao-blackwell", lost)
    wide = miss > _NARROW
    if d > _DRAWN_MOST or not wide.any():
        return estimate
    part = replace(setting, m=m[wide], d=np.full(wide.sum(), d), epsilon=epsilon[wide])
    drawn = rao_blackwell(
        part,
        lambda size, trials, rng: (_counts(size, setting.alpha, trials, rng),),
        lambda bits, loss, counts: conditional(bits, rate(loss), counts),
    )
    return narrowed(estimate, wide, drawn)


def _counts(m: int, alpha: float, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    shares = [max(1.0 - 2 * SIDES * alpha, 0.0), *[alpha] * (2 * SIDES)]
    return rng.multinomial(m, shares, size=trials)


def conditional(d: int, rate: float, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance that the target's labelling is drawn, given the counts of the nine points.

    Parameters
    ----------
    d : int
        Bits of a side.
    rate : float
        The factor of the mistakes.
    counts : ndarray, shape (samples, 9)
        In the order of `Hard8.atoms`.
    """
    inner, outer = rate * counts[:, 1 : SIDES + 1], rate * counts[:, SIDES + 1 :]
    quarter = 2.0 ** (d - 2)
    low = np.array([1.0, 0.0] * 2)  # left and bottom have one place fewer outside
    around = np.prod(1.0 + quarter * np.exp(-inner) + (quarter - low) * np.exp(-outer), axis=1)
    # What misses the centre holds points of one side at most: its range of one coordinate lies beside
    # the centre, and it holds both points, the inner or the outer one; or it holds nothing.
    every = inner.sum(axis=1, keepdims=True)
    both, alone = (quarter - low) * quarter, (quarter, quarter - low)
    held = (
        both * np.exp(inner - outer - every)
        + alone[0] * np.exp(inner - every)
        + alone[1] * np.exp(-outer - every)
    ).sum(axis=1)
    across, ranges = 2 * quarter * (2 * quarter + 1), 2 * quarter * (4 * quarter + 1)
    nothing = ranges**2 + 1 - across**2 - across * (both + alone[0] + alone[1]).sum()
    missing = np.exp(-rate * counts[:, 0]) * (across * held + nothing * np.exp(-every[:, 0]))
    return np.asarray(1.0 / (around + missing))


def by_sides(
    d: int, m: NDArray[np.int64], alpha: float, rate: float, tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return success and failure without what misses the centre, and a bound on what that takes."""
    share = min(2.0 * SIDES * alpha, 1.0)
    # At most so often: by the mean odds of every side, and of all rectangles beside the centre, which err
    # on it and on the inner points of three sides at least.
    gone = -m * np.log1p(alpha * np.expm1(-rate))
    far = -m * np.log1p((1.0 - (SIDES + 1) * alpha) * np.expm1(-rate))
    bound = np.exp(d * _LN2 + _LN2 - gone) + np.exp(np.minimum(4 * d * _LN2 - far, 700.0))
    value, lost, miss = np.ones(m.shape), np.minimum(bound, 1.0), np.zeros(m.shape)
    open_ = bound > np.exp(-tail) * _SURE
    if not open_.any():
        return value, lost, miss
    least, most = binomial_span(m[open_], share, tail)
    if most > COUNTED_MOST:
        requirement = f"must have at most {COUNTED_MOST:,} examples on the eight points of hard8"
        raise InputError("m", requirement, int(m[open_].max()))
    # Rounded outwards: the turns of a search ask for about the same counts, and share them.
    first_counted, past = least // _ROUND * _ROUND, -(-most // _ROUND) * _ROUND
    hit, missed, _, freed = _four(d, rate, first_counted, past, tail)
    log_arm = (4 * d - 4) * _LN2
    for cell in zip(*np.nonzero(open_), strict=True):
        first, weights = binomial_window(int(m[cell]), share, tail)
        at = slice(first - first_counted, first - first_counted + weights.size)
        value[cell] = weights @ hit[at]
        lost[cell] = weights @ missed[at]
        centre = rate * (m[cell] - first - np.arange(weights.size))
        with np.errstate(divide="ignore"):
            taken = np.exp(np.minimum(log_arm - centre + np.log(freed[at]), 0.0))
        miss[cell] = weights @ np.minimum(hit[at], taken) + 4.0 * np.exp(-tail)
    return value, lost, miss


@lru_cache(maxsize=64)
def _four(d: int, rate: float, low: int, high: int, tail: float) -> NDArray[np.float64]:
    """Return means over the four sides, for low to high examples on their eight points.

    The rows are, with f the chance of a side and g = e^{-rate K_in} f^2: the product of the f, 1 minus
    it, the product of the g, and the sum over the sides of f^2 there times g elsewhere.
    """
    least, most = reach(low, high, tail)
    first, last = reach(least, most, tail)
    near = 2.0 ** (d - 2)

    def side(far: float) -> NDArray[np.float64]:
        def values(inner: NDArray[np.intp], outer: NDArray[np.intp]) -> NDArray[np.float64]:
            kept = np.exp(-rate * inner)
            odds = near * kept + far * np.exp(-rate * outer)
            hit = 1.0 / (1.0 + odds)
            return np.stack((hit, odds * hit, kept * hit * hit, hit * hit))

        return by_halves(first, last, tail, values)

    pair = by_halves(least, most, tail, _both(side(near - 1.0), side(near), first))
    return by_halves(low, high, tail, _both(pair, pair, least))


def _both(
    one: NDArray[np.float64], two: NDArray[np.float64], first: int
) -> Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]]:
    """Return the rows of `_four` for two parts together; theirs start at `first` examples."""

    def values(count: NDArray[np.intp], rest: NDArray[np.intp]) -> NDArray[np.float64]:
        hit, lost, kept, freed = one[:, count - first]
        other, failed, left, loose = two[:, rest - first]
        return np.stack(
            (hit * other, lost + hit * failed, kept * left, freed * left + kept * loose)
        )

    return values


# -------------------------------------------------------------------------------------------------
# The law of private grids on `hard8`: what a rectangle does there depends on the slots of its
# sides.
#
# Between the five coordinates that the nine points have lie six slots. Only rectangles whose four sides lie
# in the target's own slots succeed, and those slots have one place each.


_RANGES = tuple(itertools.combinations(range(6), 2))  # slots of the first side, and of the last
_TARGET = _RANGES.index((1, 4))
_SIGNS = np.array([1.0] * 5 + [-1.0] * 4)
# Coordinates of the nine points among the five: centre, four inner ones, four outer ones.
_PLACES = ((2, 2), (1, 2), (3, 2), (2, 1), (2, 3), (0, 2), (4, 2), (2, 0), (2, 4))
_INSIDE = np.array([
    [[a <= x < b and c <= y < e for x, y in _PLACES] for c, e in _RANGES] for a, b in _RANGES
], dtype=np.float64)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Grids:
    """Grids that have the target, by how many ranges of each coordinate hold which of its points.

    Attributes
    ----------
    of : ndarray of int64
        Which of the draws they are; the others lack a side of the target.
    x, y : ndarray of float64, shape (grids, 15)
        How many ranges of cells have their sides in a pair of slots.
    others : ndarray of float64
        How many rectangles hold none of the points, the empty one among them.
    """

    of: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    others: NDArray[np.float64]


def _masses(law: Hard8, alpha: float) -> NDArray[np.float64]:
    shares = np.array([float(mass) for mass in law.masses(alpha)])
    return np.asarray(shares / shares.sum())


def drawn_grids(
    law: Hard8, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int,
    rng: np.random.Generator,
) -> Grids:  # fmt: skip
    """Draw the unlabelled examples and a grid, so many times; `cut_rate` as for a median's score."""
    people = rng.multinomial(u, _masses(law, alpha), size=trials)
    bits, log_scale = in_scale(d)
    places = np.array(sorted({x for x, _ in law.atoms(bits)}))
    ranges, number = [], []
    for coordinate in (0, 1):
        counts = np.zeros((trials, places.size), dtype=np.int64)
        for point, place in enumerate(_PLACES):
            counts[:, place[coordinate]] += people[:, point]
        cuts = cuts_of_many(places, counts, 1 << bits, levels, cut_rate, rng, log_scale)
        # The grid begins at 1 anyway, and ends behind the board.
        sides = slots(np.where(cuts == 1, 0, cuts), places)
        sides[:, 0] += 1
        sides[:, -1] += 1
        ranges.append(np.stack([sides[:, a] * sides[:, b] for a, b in _RANGES], axis=1))
        number.append(sides.sum(axis=1) * (sides.sum(axis=1) - 1) // 2)
    x, y = (found.astype(np.float64) for found in ranges)
    others = number[0] * number[1] - x.sum(axis=1) * y.sum(axis=1) + 1.0
    there = np.flatnonzero((x[:, _TARGET] > 0) & (y[:, _TARGET] > 0))
    return Grids(there, x[there], y[there], others[there])


def drawn_labels(
    law: Hard8, m: int, alpha: float, trials: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw what every pair of ranges gains on m labelled examples, below what the target gains.

    Returns
    -------
    ndarray, shape (trials, 15, 15, 2)
        The last axis: of the pair, and of a rectangle with none of the points.
    """
    seen = rng.multinomial(m, _masses(law, alpha), size=trials) * _SIGNS
    gains = np.einsum("xyp,np->nxy", _INSIDE, seen)
    best = gains[:, _TARGET, _TARGET][:, None, None]
    return np.stack([gains - best, np.broadcast_to(-best, gains.shape)], axis=3)


def shares(grids: Grids, lost: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return the target's share for every draw, 0 where the grid lacks it.

    Parameters
    ----------
    lost : ndarray
        As `drawn_labels` returns it.
    rate : float
        The factor of the mistakes.
    """
    weights = np.exp(rate * lost[grids.of])
    total = np.einsum("nx,ny,nxy->n", grids.x, grids.y, weights[..., 0])
    total += grids.others * weights[:, 0, 0, 1]
    found = np.zeros(len(lost))
    found[grids.of] = 1.0 / total
    return found


# --- Rectangles of a private grid (BNS15's GenericLearner; the sanitizer is ours) ----------------
#
# The unlabelled examples give the cuts of both coordinates, each by medians of medians at epsilon / 2;
# the labelled ones choose among the rectangles of the grid. Both parts are private and disjoint: so is
# the whole.


def cut_rate(epsilon: float, levels: int) -> float:
    """Return the factor of a median's score: half of epsilon for a coordinate, split over levels."""
    return epsilon / (4.0 * levels)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cuts of both coordinates, as drawn.

    Attributes
    ----------
    x, y : list of Cut
        Level by level.
    sizes : (int, int)
        How many values they have.
    """

    x: list[Cut]
    y: list[Cut]
    sizes: tuple[int, int]

    @classmethod
    def drawn(cls, x: Node, y: Node, *, levels: int, rate: float, rng: np.random.Generator) -> Grid:
        """Draw the cuts of the marginals x and y of the unlabelled examples."""
        across = drawn_cuts(x, levels, rate, rng)
        return cls(across, drawn_cuts(y, levels, rate, rng), (x.high, y.high))

    def axes(self) -> tuple[Axis, Axis]:
        """Return the cells of both coordinates."""
        across, up = (
            Axis.of_grid([cut.at for cut in cuts], size)
            for cuts, size in zip((self.x, self.y), self.sizes, strict=True)
        )
        return across, up


def weights_on(
    x: Axis, y: Axis, places: NDArray[np.int64], gains: NDArray[np.float64], rate: float
) -> Weights:
    """Return the weights of the rectangles of a grid, and the empty one.

    Parameters
    ----------
    x, y : Axis
        The cells.
    places : ndarray, shape (points, 2)
        Where labelled examples are.
    gains : ndarray, shape (points,)
        Positives minus negatives there.
    rate : float
        The factor of the gain.
    """
    row, column = (
        np.searchsorted(np.array([start for start, _ in axis.firsts]), values, "right") - 1
        for axis, values in ((x, places[:, 0]), (y, places[:, 1]))
    )
    table = np.zeros((len(x), len(y)))
    np.add.at(table, (row, column), gains)
    return Weights(x, y, table, rate)


def good_share(weights: Weights, target: Box, alpha: float) -> float:
    """Return how likely a rectangle of a grid differs from the target on at most alpha of the board."""
    x, y, rate = weights.x, weights.y, weights.rate
    sums = np.zeros((len(x) + 1, len(y) + 1))
    sums[1:, 1:] = rate * weights.gains.cumsum(axis=0).cumsum(axis=1)
    (first, last), (low, high) = (np.triu_indices(len(axis)) for axis in (x, y))
    strips = sums[last + 1] - sums[first]  # of every range of x
    logs = strips[:, high + 1] - strips[:, low]
    starts, ends = ([np.array(ends)[:, 0] for ends in (axis.firsts, axis.lasts)] for axis in (x, y))
    sides = (
        starts[0][first][:, None], starts[1][last][:, None], ends[0][low][None], ends[1][high][None]
    )  # fmt: skip
    board = float(x.size) * y.size
    good = differing(sides, target) <= alpha * board + 1e-9 * board
    top = max(float(logs.max()), weights.log_others)
    shares = np.exp(logs - top)
    left, right, bottom, up = target
    empty = (right - left + 1) * (up - bottom + 1) <= alpha * board
    others = math.exp(weights.log_others - top)
    return float((shares[good].sum() + others * empty) / (shares.sum() + others))


def law_of_grid(
    data: Iterable[tuple[int, int]], sizes: tuple[int, int], levels: int, rate: float
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """Return the probability of every pair of cuts, for tiny boards."""
    points = np.array(list(data), dtype=np.int64).reshape(-1, 2)
    across, up = (law_of_cuts(Node.of(points[:, i], sizes[i]), levels, rate) for i in (0, 1))
    return {(x, y): p * q for x, p in across.items() for y, q in up.items()}


def law_on_grid(
    cuts: tuple[tuple[int, ...], tuple[int, ...]], sizes: tuple[int, int],
    places: NDArray[np.int64], gains: NDArray[np.float64], rate: float,
) -> dict[Box | None, float]:  # fmt: skip
    """Return the probability of every rectangle of a grid, None for the empty one; for tiny boards."""
    x, y = (Axis.of_grid(list(one), size) for one, size in zip(cuts, sizes, strict=True))
    weights = weights_on(x, y, places, gains, rate)
    total, over_x = weights.log_total(), weights.ranges()
    inside = list(zip(*np.triu_indices(len(y)), strict=True))
    found: dict[Box | None, float] = {None: float(np.exp(weights.log_others - total))}
    for first, last in zip(*over_x, strict=True):
        shares = np.exp(weights.of_strip(int(first), int(last)) - total).tolist()
        left, right = x.firsts[first][0], x.lasts[last][1]
        for (low, high), share in zip(inside, shares, strict=True):
            found[left, right, y.firsts[low][0], y.lasts[high][1]] = share
    return found
