"""The candidates of `tree` on samples that the target labels: they are its ancestors in the tree.

Bit l of j says on which side of j the ancestor t of level l lies: below for a one, above for a
zero. With j = A + r, r = j mod 2^{l+1}, the points from A on lie at offsets 1..r to the left of the
step and those below B at offsets 1..2^{l+1} - r to the right, and t is an end of the cell one level
down. So a few counts of points by offset decide all scores: nothing needs the sample itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from privsc_core.concepts.interval.stages import Ends, paths
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.distributions import Scattered
    from privsc_core.concepts.shared.sample import Sample


# --- Samples from a band and the whole domain, as the order of their offsets from the target -----
#
# Given a sample that the target labels, with the offsets p_1 <= p_2 <= ... of the points on one
# side, threshold o makes as many mistakes as there are p_i <= o. So with x = e^{-eps/2} the
# weights of the thresholds on that side, and of the target itself, sum to
#
#     A = sum_{i=1..c} (x^{i-1} - x^i) p_i + x^c (side + 1),
#
# and those up to offset `allowed` to the same with every p_i, and `side`, cut at it. Both sides
# together weigh A_left + A_right - 1, as the target counts once. Only the nearest O(1/eps) points of
# each part matter, and their offsets are drawn directly, from the target outwards, as spacings of
# exponential variables: nothing is sorted, nothing has size m.


# By how much the points left out may change a mean: e^{-23}, which is 1e-10.
_NEGLIGIBLE = 23.0
# Numbers per temporary: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The points of one part (band or domain) on one side of the step, in many samples.

    Attributes
    ----------
    count : ndarray of int64, shape (trials,)
        How many points fell there.
    share : ndarray of float64, shape (trials, k)
        The k nearest, as fractions of the part's size, increasing; 1 where there are fewer.
    """

    count: NDArray[np.int64]
    share: NDArray[np.float64]


def nearest(count: NDArray[np.int64], keep: int, rng: np.random.Generator) -> Part:
    """Draw the `keep` smallest of `count` uniform variables, row by row.

    Uniform order statistics are the running sums of count + 1 exponential variables, divided by
    their total; those not kept enter the total as one gamma variable.
    """
    keep = max(1, min(keep, int(count.max(initial=0))))
    share = np.empty((count.size, keep))
    for rows in blocks(count.size, keep):
        half = (rows.stop - rows.start + 1) // 2
        # Two rows as the parts of complex numbers: each addition waits for the one before, so
        # twice as much gets done.
        drawn = rng.standard_exponential((half, keep, 2))
        sums = drawn.view(np.complex128)
        np.cumsum(sums, axis=1, out=sums)
        middle = rows.start + half
        _close(drawn[:, :, 0], count[rows.start : middle], rng, share[rows.start : middle])
        rest = slice(middle, rows.stop)
        _close(drawn[: rest.stop - middle, :, 1], count[rest], rng, share[rest])
    return Part(count, share)


def _close(
    sums: NDArray[np.float64],
    count: NDArray[np.int64],
    rng: np.random.Generator,
    out: NDArray[np.float64],
) -> None:
    """Divide running sums by what all count + 1 variables sum to; from `count` on they reach 1."""
    keep = sums.shape[1]
    total = sums[np.arange(count.size), np.minimum(count, keep - 1)]
    more = np.flatnonzero(count >= keep)
    total[more] += rng.standard_gamma(count[more] - (keep - 1.0))
    # By division: the ratio of equal numbers is exactly 1.
    np.divide(sums, total[:, None], out=out)
    np.minimum(out, 1.0, out=out)


def blocks(trials: int, keep: int) -> list[slice]:
    """Cut trials of so many numbers each into parts that stay in the cache."""
    step = max(1, _BLOCK // keep)
    return [slice(start, min(start + step, trials)) for start in range(0, trials, step)]


def kept(rate: float, span: float) -> int:
    """Return how many nearest points matter when weights fall by e^{-rate} a point.

    `span` is the log of how much larger the weight of what is left out may be.
    """
    if math.isinf(rate):
        return 1
    return int(min((_NEGLIGIBLE + span) / rate, 1e7)) + 2


def side_weights(
    offsets: NDArray[np.float64], count: NDArray[np.int64], cut: float, rate: float
) -> NDArray[np.float64]:
    """Return A = sum (x^{i-1} - x^i) p_i + x^c cut, the positions cut at `cut`.

    Parameters
    ----------
    offsets : ndarray, shape (trials, k)
        p_1 <= p_2 <= ..., the nearest only; at least `cut` where there is none.
    count : ndarray of int64, shape (trials,)
        c, how many there are in all.
    cut : float
        Where the side (or what is counted of it) ends, plus 1.
    rate : float
        eps / 2; infinity leaves p_1.

    Returns
    -------
    ndarray of float64, shape (trials,)
    """
    if math.isinf(rate):
        return np.asarray(np.where(count > 0, np.minimum(offsets[:, 0], cut), cut))
    near = np.minimum(offsets, cut)
    keep = offsets.shape[1]
    # A row with fewer points has `cut` in the other places, which adds up to x^c cut.
    return np.asarray(np.vecdot(near, _drops(keep, rate)) + math.exp(-rate * keep) * cut)


@lru_cache(maxsize=4)
def _drops(keep: int, rate: float) -> NDArray[np.float64]:
    """Return x^{i-1} - x^i for i = 1, 2, ..."""
    return np.asarray(np.exp(-rate * np.arange(keep)) * -math.expm1(-rate))


# --- The tree of thresholds: which of them may come out of a sample, and how high each scores ----
#
# Thresholds t = 1..2T-1 are the nodes of a binary tree: with l the largest such that 2^l divides t,
# t is the middle of its cell (A, B) = (t - 2^l, t + 2^l). With P(t) positives from t on and N(t)
# negatives below t, D = P - N falls from D(0) = inf to D(2T) = -inf, and t makes E = max(P, N)
# mistakes on a consistent sample. A threshold is a candidate if D(A) > 0 > D(B); as D is monotone,
# at most one of each level is. Its score is min(D(A)/2, -D(B)/2, v - E), at least 0.

LOG2_D_MOST = 1 << 32
"""How large the log of the number of levels may be."""

# The largest power of two that doubling keeps a float.
_FLOATS = 1000.0


@dataclass(frozen=True, slots=True)
class Scale:
    """What depends on the setting alone: the weight of the lump, and where scores end.

    Attributes
    ----------
    rate : float
        e' = epsilon / 2, the factor of the scores in the exponent.
    log_lump : float
        log C.
    enough : int
        u, the least score with which one candidate leaves the lump a share of at most beta / 2.
    most : int
        v = (2^r + 1) u - 2^(r-1) at depth r, the largest score; 3 u - 1 at depth 1.
    centres : tuple of int
        theta_1, theta_2, ..., which scores of the levels are taken from, one for each further depth.
    """

    rate: float
    log_lump: float
    enough: int
    most: int
    centres: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, *, epsilon: float, beta: float, delta: float, d: int = 0, log2_d: float = 0.0,
        depth: int = 1,
    ) -> Self:  # fmt: skip
        """Return the scale of a setting; d and log2_d as for `candidates_most`.

        On a sample that some threshold fits, a path down the tree scores at least u: from one depth to
        the next the errors allowed on it grow from w to 2 w + u, the first one being u - 1.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2): without a slack the lump would have to hold all thresholds.
        """
        rate = 0.5 * epsilon
        lump = log_lump(candidates_most(depth, d, log2_d)[1], rate, delta, depth)
        enough = math.ceil(
            np.logaddexp(0.0, lump + math.log(2.0 / beta - 1.0)) / rate * (1 - 1e-14)
        )
        allowed, centres = enough - 1, []
        for _ in range(depth - 1):
            centres.append(allowed + enough)
            allowed = 2 * allowed + enough
        if centres:
            centres[-1] += enough  # D counts half at the bottom
        return cls(rate, lump, enough, allowed + 2 * enough, tuple(reversed(centres)))

    def log_gain(self, score: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return log(e^{rate score} - 1), the log weight of a score; -inf at 0."""
        exponent = self.rate * np.asarray(score, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(exponent + np.log(-np.expm1(-exponent)))


def log_lump(log_candidates: float, rate: float, delta: float, depth: int = 1) -> float:
    """Return log C = log(k max(1, (e^rate - 1) / delta)), k the most candidates there can be.

    Raises
    ------
    InputError
        For a delta outside (0, 1/2).
    """
    if not 0.0 < delta < 0.5:
        raise InputError("delta", f"must be in (0, 0.5) for {named(depth)}", delta)
    # log(e^r - 1) = r + log(1 - e^-r)
    return log_candidates + max(0.0, rate + math.log(-math.expm1(-rate)) - math.log(delta))


def named(depth: int) -> str:
    """Return the name of the learner of a depth, and of its bound."""
    return "tree" if depth == 1 else f"tree-{depth}"


def candidates_most(depth: int, d: int, log2_d: float = 0.0) -> tuple[float, float]:
    """Return k, how many candidates there can be, and its log.

    At depth 1 one for each of the d + 1 levels of the tree. A further depth makes the n levels of one
    stage the positions of the next, which has 1 + ceil(log2 n) levels. Its level 0 leads to 3^(r-2)
    thresholds at most, each other one to 2^(r-1), r the depth.

    Parameters
    ----------
    depth : int
        At least 1.
    d : int
        Bits of a point, at least 1.
    log2_d : float
        Where it is above 0, the tree has 2^log2_d levels instead of d + 1: whole trees, and others that are
        rounded up, up to beyond what floats can count. So log2_d is log2(d + 1).

    Returns
    -------
    k : float
        Infinite beyond all floats.
    log_k : float
    """
    if depth == 1:
        if log2_d:
            return math.inf if log2_d > _FLOATS else math.exp2(log2_d), log2_d * math.log(2.0)
        return d + 1, math.log(d + 1)
    length = 1 + (math.ceil(log2_d) if log2_d else d.bit_length())
    for _ in range(depth - 2):
        length = 1 + (length - 1).bit_length()
    number = (length - 1 << depth - 1) + 3 ** (depth - 2)
    return number, math.log(number)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The candidates of a sample, leaves first, and what the score of each is the least of.

    At depth 1 they are the centres of the cells with D(A) > 0 > D(B). At further depths those cells are
    found by their levels (`interval.stages`); then a threshold may be a candidate more than once.

    Attributes
    ----------
    d : int
        Bits of a point.
    before : int
        The last point at which D is still positive, 0 for none.
    level : ndarray of int64, shape (candidates,)
        How often 2 divides the centre of the cell (A, B).
    way : ndarray of int64, shape (candidates,)
        Which threshold of the cell: A, the centre or B, as `stages.LEFT`, `CENTRE`, `RIGHT`.
    margin : ndarray of float64, shape (candidates,)
        The least margin by which the levels above are right; infinite at depth 1.
    left, right : ndarray of float64, shape (candidates,)
        D(A) / 2 and -D(B) / 2, infinite at the ends of the tree.
    room : ndarray of float64, shape (candidates,)
        v - E(t).
    score : ndarray of float64, shape (candidates,)
        The least of the four, at least 0: multiples of 1/2.
    """

    d: int
    before: int
    level: NDArray[np.int64]
    way: NDArray[np.int64]
    margin: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    room: NDArray[np.float64]
    score: NDArray[np.float64]

    def cell(self, place: int) -> tuple[int, int]:
        """Return (A, B) of a candidate."""
        level = int(self.level[place])
        low = self.before >> (level + 1) << (level + 1)
        return low, low + (2 << level)

    def node(self, place: int) -> int:
        """Return t of a candidate, in [1, 2T - 1]; above T + 1 it means T + 1."""
        low, high = self.cell(place)
        return low + (high - low) * (int(self.way[place]) + 1) // 2

    def output(self, place: int) -> int:
        """Return the threshold that a candidate means, in [1, T + 1]."""
        return min(self.node(place), (1 << self.d) + 1)

    @classmethod
    def of(cls, sample: Sample, scale: Scale) -> Self:
        """Return all candidates of a sample, consistent or not.

        O(m log m + d) operations, some of them on d bits. D(t) = m₊ - #{points below t}, m₊ the
        number of positives: so D(A) > 0 for A up to the m₊-th smallest point p, and the cell of a
        level can only be the one of p. A point lies in it if its highest bit that differs from
        p's is not above the level, and in the half of p unless it is the level's own.

        Parameters
        ----------
        sample : Sample
        scale : Scale
            v, and how the levels are centred.
        """
        before, ends = neighbours(sample)
        found = paths(ends, scale.centres, scale.most)
        # The ends of the tree are no thresholds.
        there = (np.minimum(found.margin, found.right) > 0.0) & np.isfinite(found.room)
        (kept,) = np.nonzero(there[0])
        columns = (found.margin, found.left, found.right, found.room, found.score)
        return cls(
            sample.d, before, found.level[0, kept] - 1, found.way[kept],
            *(column[0, kept] for column in columns),
        )  # fmt: skip


def neighbours(sample: Sample) -> tuple[int, Ends]:
    """Return the last point p with D > 0, 0 for none, and the multiples of each 2^l beside it."""
    d, points = sample.d, sample.points
    ones, zeros = sample.tallies()
    positives = int(ones.sum())
    order = sorted(range(len(points)), key=points.__getitem__)
    place = int(np.searchsorted(np.cumsum((ones + zeros)[order]), positives))
    p = points[order[place]] if positives else 0
    apart = np.array([(x ^ p).bit_length() for x in points])
    below = np.array([x < p for x in points])
    above = np.array([x > p for x in points])
    level = np.arange(d + 2)
    under, over = [], []  # below A and below B, of positives and of negatives
    for counts in (ones, zeros):
        low, high = (
            np.bincount(apart[side], counts[side], d + 2).astype(np.int64)
            for side in (below, above)
        )
        under.append(low.sum() - np.cumsum(low))
        over.append(counts[~above].sum() + np.cumsum(high))
    at_zero = level >= p.bit_length()
    at_top = (level == d + 1) | ((level == d) & (p == 1 << d))
    left, right, lower, upper = (
        np.where(end, np.inf, counts)[None].astype(np.float64)
        for end, counts in (
            (at_zero, positives - under[0] - under[1]),
            (at_top, over[0] + over[1] - positives),
            (at_zero, np.maximum(positives - under[0], under[1])),
            (at_top, np.maximum(positives - over[0], over[1])),
        )
    )
    return p, Ends(d + 1, level, left, right, lower, upper, bits_of(p, d + 2))


def bits_of(number: int, size: int) -> NDArray[np.bool_]:
    """Return the lowest bits of a number, lowest first."""
    raw = np.frombuffer(number.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(np.bool_)


# Up to so many bits every level is kept.
_DENSE = 256
# Log weights relative to the lump above this one are cut there: e^694 times a million is a float,
# and 1 in e^694 is less than the least beta, 1e-300.
LARGEST = 694.0
# Points of a share 2^-72 of the domain do not occur among 10^7.
_FAR = 72
_MARGIN = 3


class Group(NamedTuple):
    """Ancestors of j that look alike where all points but one are next to the step.

    Attributes
    ----------
    number : int
        How many.
    below : bool
        Whether they lie below j, so that they err on positives.
    left, right : bool
        Whether their cell begins at 0, and whether it ends at 2T.
    """

    number: int
    below: bool
    left: bool
    right: bool


def groups(d: int, j: int) -> tuple[bool, list[Group]]:
    """Return whether j's own cell begins at 0, and the ancestors of j in groups; O(1) big numbers."""
    own = (j & -j).bit_length() - 1
    above = j >> (own + 1)
    return _grouped(d, own, above.bit_count(), own + above.bit_length())


def alternating_groups(d: int) -> tuple[bool, list[Group]]:
    """Return `groups` of the alternating target, however many bits there are."""
    top = d - 2 - d % 2
    return _grouped(d, 0, top // 2, top)


def _grouped(d: int, own: int, ones: int, top: int) -> tuple[bool, list[Group]]:
    """Return `groups` from the lowest one bit of j, how many are above it, and the highest one."""
    zeros = max(top - own - 1 - (ones - 1), 0) if ones else 0
    found = (
        [
            Group(ones - 1, below=True, left=False, right=False),
            Group(1, below=True, left=True, right=False),
            Group(zeros, below=False, left=False, right=False),
        ]
        if ones
        else []
    )
    found += [
        Group(d - 1 - top, below=False, left=True, right=False),
        Group(1, below=False, left=True, right=True),
    ]
    return not ones, [group for group in found if group.number]


@dataclass(frozen=True, slots=True, eq=False)
class Ancestors:
    """The ancestors of the target, j among them, at one (distribution, d, alpha).

    Attributes
    ----------
    number : ndarray, shape (candidates,)
        How many ancestors each stands for.
    level : ndarray of int64, shape (candidates,)
        How often 2 divides each.
    left, right : ndarray of intp, shape (candidates,)
        The cell's ends, as places among the shells; -1 where they are the tree's.
    mistakes : ndarray of intp, shape (candidates,)
        The place of what it errs on, in left shells or, behind those, in right ones.
    good : ndarray of bool, shape (candidates,)
        Whether its error is at most alpha.
    shells : (ndarray, ndarray)
        The chances of the shells of offsets on the left and on the right, outwards; they sum to 1.
    lucky : float
        The share of accurate ones among all T + 1 thresholds.
    """

    number: NDArray[np.float64]
    level: NDArray[np.int64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    mistakes: NDArray[np.intp]
    good: NDArray[np.bool_]
    shells: tuple[NDArray[np.float64], NDArray[np.float64]]
    lucky: float

    @classmethod
    def of(cls, distribution: Scattered, d: int, alpha: float, *, merged: bool = True) -> Ancestors:
        """Build it; where a domain is huge few levels stand for many, or if not `merged` only those with points count."""
        j, allowed = distribution.target(d), distribution.allowed(d=d, alpha=alpha)
        own = (j & -j).bit_length() - 1
        marks = distribution.landmarks(d)
        offsets = None if marks is None else (*marks, *allowed) if merged else marks
        kept = _levels(own, d, offsets, merged=merged)
        candidates = []
        for level, number in kept:
            rest, inner = j & ((2 << level) - 1), j & ((1 << level) - 1)
            below = bool(j >> level & 1)
            ends = rest, (2 << level) - rest
            off = 0 if level == own else inner if below else (1 << level) - inner
            candidates.append((number, ends, rest == j, level == d, below, off))
        cuts = [sorted({0, *(one[1][side] for one in candidates),
                        *(one[5] for one in candidates if one[4] == (side == 0))})
                for side in (0, 1)]  # fmt: skip
        place = [{cut: i for i, cut in enumerate(side)} for side in cuts]
        masses = tuple(
            np.array([distribution.mass(side, low, high, d) for low, high in pairwise(cuts[side])])
            for side in (0, 1)
        )
        total = masses[0].sum() + masses[1].sum()
        size = len(cuts[0])
        return cls(
            number=np.array([float(one[0]) for one in candidates]),
            level=np.array([level for level, _ in kept]),
            left=np.array([-1 if one[2] else place[0][one[1][0]] for one in candidates]),
            right=np.array([-1 if one[3] else place[1][one[1][1]] for one in candidates]),
            mistakes=np.array([
                place[0][one[5]] if one[4] else size + place[1][one[5]] for one in candidates
            ]),
            good=np.array([one[5] <= allowed[0 if one[4] else 1] for one in candidates]),
            shells=(masses[0] / total, masses[1] / total),
            lucky=(allowed[0] + allowed[1] + 1) / ((1 << d) + 1),
        )  # fmt: skip

    def draw(self, m: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how many points lie within each cut, shape (trials, cuts left and right)."""
        left, right = self.shells
        counts = rng.multinomial(m, np.concatenate([left, right]), size=trials)
        within = np.zeros((trials, left.size + right.size + 2), dtype=np.int64)
        np.cumsum(counts[:, : left.size], axis=1, out=within[:, 1 : left.size + 1])
        np.cumsum(counts[:, left.size :], axis=1, out=within[:, left.size + 2 :])
        return within

    def chances(self, within: NDArray[np.int64], scale: Scale) -> NDArray[np.float64]:
        """Return the probability of an accurate output given counts as `draw` returns them."""
        first = self.shells[0].size + 1
        left = np.where(self.left < 0, np.inf, 0.5 * within[:, self.left])
        right = np.where(self.right < 0, np.inf, 0.5 * within[:, first + self.right])
        score = np.minimum(np.minimum(left, right), scale.most - within[:, self.mistakes])
        log_weight = scale.log_gain(np.maximum(score, 0.0)) - scale.log_lump
        weight = np.exp(np.minimum(log_weight, LARGEST)) * self.number
        return np.asarray((weight @ self.good + self.lucky) / (weight.sum(axis=1) + 1.0))


def _levels(
    own: int, d: int, offsets: Iterable[int] | None, *, merged: bool
) -> list[tuple[int, int]]:
    """Return levels, each with the number of those that it stands for.

    Where nothing changes, between landmarks far from each other and from the whole domain, one
    level below j and one above stand for all of their kind: bits of j alternate there, if it has any.
    With landmarks everywhere (None) every level is kept. If not `merged`, all are up to the landmarks, and
    those between them and the root, where no points are, are left out.
    """
    if offsets is None or d <= _DENSE:
        return [(level, 1) for level in range(own, d + 1)]
    near = {own, *range(d - _FAR, d + 1)}
    for offset in offsets:
        middle = offset.bit_length()
        near.update(range(middle - _MARGIN if merged else own, middle + _MARGIN + 1))
    kept = sorted(level for level in near if own <= level <= d)
    if not merged:
        return [(level, 1) for level in kept]
    found = []
    for level, after in zip(kept, [*kept[1:], d + 1], strict=True):
        found.append((level, 1))
        gap = after - level - 1
        found += [(level + 1, (gap + 1) // 2), (level + 2, gap // 2)] if gap else []
    return [(level, number) for level, number in found if number]
