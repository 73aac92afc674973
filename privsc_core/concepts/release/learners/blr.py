"""The exponential mechanism over synthetic databases (Blum, Ligett, Roth)."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.release.distributions import Hard, Release, entries
from privsc_core.concepts.release.learners.mechanism import Mechanism, database, tally
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.trace import Choice, choice
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.logspace import draw, log_domain_scalar, log_sum, probabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- Multisets of points, listed in tiny domains and counted in domains of any size --------------


@lru_cache(maxsize=8)
def multisets(size: int, points: int) -> NDArray[np.int64]:
    """Return all multisets of `size` entries as rows of counts, one column per point."""
    # Stars and bars: the counts are the gaps between points - 1 bars.
    slots = size + points - 1
    bars = np.array(list(itertools.combinations(range(slots), points - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), slots)
    return np.diff(np.hstack([np.full_like(ends, -1), bars, ends]), axis=1) - 1


@lru_cache(maxsize=256)
def log_multisets(d: int, fewer: int, size: int) -> NDArray[np.float64]:
    """Return the log number of multisets of r entries whose largest multiplicity is s.

    Over 2^d - fewer points; row r and column s run from 0 to `size`. With k_v points of
    multiplicity v and u points in all there are (M)_u / (k_1! k_2! ...) of them, (M)_u a
    falling factorial: a sum of positive terms, in log space because of (M)_u.
    """
    steps = [log_domain_scalar(d, fewer + i) for i in range(size)]
    falling = np.concatenate([[0.0], np.cumsum(steps)])
    patterns = _patterns(size)
    terms = falling[patterns.points] + patterns.logs
    top = np.maximum.reduceat(terms, patterns.starts)
    top[np.isneginf(top)] = 0.0
    sums = np.add.reduceat(np.exp(terms - top[patterns.group]), patterns.starts)
    out = np.full((size + 1, size + 1), -math.inf)
    with np.errstate(divide="ignore"):
        out[patterns.total, patterns.largest] = top + np.log(sums)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """All (largest part, sum of the parts, number of parts) that exist, grouped by the first two.

    Attributes
    ----------
    points, logs : ndarray
        Per pattern the number of parts, and the log of the sum of 1 / (k_1! k_2! ...).
    group : ndarray
        Per pattern the number of its group.
    starts, largest, total : ndarray
        Per group its first pattern, its largest part and the sum of the parts.
    """

    points: NDArray[np.intp]
    logs: NDArray[np.float64]
    group: NDArray[np.intp]
    starts: NDArray[np.intp]
    largest: NDArray[np.intp]
    total: NDArray[np.intp]


@lru_cache(maxsize=8)
def _patterns(size: int) -> _Patterns:
    sums = np.zeros((size + 1, size + 1, size + 1))
    sums[0, 0, 0] = 1.0
    smaller = sums[0].copy()
    for part in range(1, size + 1):
        for times in range(1, size // part + 1):
            weight = 1.0 / math.factorial(times)
            moved = smaller[: size + 1 - part * times, : size + 1 - times]
            sums[part, part * times :, times:] += weight * moved
        smaller += sums[part]
    largest, total, points = np.nonzero(sums)
    new = np.diff(largest * (size + 1) + total, prepend=-1) > 0
    starts = np.flatnonzero(new)
    logs = np.log(sums[largest, total, points])
    return _Patterns(points, logs, np.cumsum(new) - 1, starts, largest[starts], total[starts])


# --- How likely an accurate synthetic database is, counted without listing any -------------------


_TERMS_AT_ONCE = 1 << 14
# Logs from here down are those of nothing.
_LEAST = -1e300
# e^-45 is 3e-20: of what sums of a few thousand terms do not see.
_NOTHING = 45.0


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """All counts of some points with a sum of at most `size`, and what is left.

    Attributes
    ----------
    size : int
    counts : ndarray, shape (points, splits)
    left : ndarray, shape (splits,)
    """

    size: int
    counts: NDArray[np.int64]
    left: NDArray[np.int64]

    def furthest(self, away: Callable[[int], NDArray[Any]]) -> NDArray[np.float64]:
        """Return the largest distance over the points, as floats, which hold such whole numbers."""
        return functools.reduce(
            np.maximum, (np.abs(away(j)).astype(np.float64) for j in range(len(self.counts)))
        )


@lru_cache(maxsize=8)
def splits_of(size: int, points: int) -> Splits:
    """Return the splits among `points` points."""
    counts = np.indices((size + 1,) * points).reshape(points, -1)
    left = size - counts.sum(axis=0)
    return Splits(size, counts[:, left >= 0].copy(), left[left >= 0])


class _Counts(NamedTuple):
    """`log_multisets` by their largest multiplicity: s itself, at most s, at least s."""

    equal: NDArray[np.float64]
    at_most: NDArray[np.float64]
    at_least: NDArray[np.float64]


@lru_cache(maxsize=256)
def _counts(d: int, fewer: int, size: int) -> _Counts:
    """Return the counts, with a column for s = size + 1."""
    equal = np.pad(log_multisets(d, fewer, size), ((0, 0), (0, 1)), constant_values=-math.inf)
    at_least = np.logaddexp.accumulate(equal[:, ::-1], axis=1)[:, ::-1]
    return _Counts(equal, np.logaddexp.accumulate(equal, axis=1), at_least)


def _tables(d: NDArray[np.int64], fewer: int, size: int) -> tuple[NDArray[np.intp], _Counts]:
    """Return where each d is in the tables of all of them, one below the other."""
    bits, place = np.unique(d, return_inverse=True)
    every = [_counts(one, fewer, size) for one in bits.tolist()]
    if len(every) == 1:
        return place, every[0]
    return place, _Counts(*[np.concatenate(parts) for parts in zip(*every, strict=True)])


def log_odds(
    d: NDArray[np.int64],
    splits: Splits,
    gap: Callable[[slice], NDArray[np.float64]],
    limit: NDArray[np.int64] | NDArray[np.float64],
    rate: NDArray[np.float64],
    m: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the log odds of an error below alpha, cell by cell: they tell even tiny chances.

    A synthetic database is grouped by its counts of the points that occur in the database,
    whose largest deviation is `gap`, and by the largest count s of all others, which ought to
    be 0. The error times size times m is max(gap, s m), and it is good iff that is below
    `limit`; in whole numbers for the law itself. Where s m is above the gap there are mostly so
    few that they cannot matter: only the others are summed.
    """
    size, left = splits.size, splits.left
    place, counts = _tables(d, len(splits.counts), size)
    every = counts.at_most[:, size].reshape(-1, size + 1)[:, left]
    found = np.empty(m.size)
    step = max(1, _TERMS_AT_ONCE // left.size)
    for start in range(0, m.size, step):
        here = slice(start, start + step)
        far, at, most = gap(here), place[here], limit[here].astype(np.float64)
        part = _Part(counts, at * (size + 1), m[here].astype(np.float64), rate[here] / size)
        fits = far < most[:, None]
        # From this s on an error is too large.
        ends = (np.arange(size + 1) * part.m[:, None] < most[:, None]).sum(axis=1)
        cell, split = np.nonzero(fits)
        near = part.near(cell, left[split], far[cell, split])
        good = part.log_sum(near, near, ends)
        # Of the many that are too far off only those are looked at that may matter beside the best.
        upper = every[at] - part.loss[:, None] * far
        upper[fits] = -np.inf
        rows, best = np.arange(at.size), upper.argmax(axis=1)
        least = part.near(rows, left[best], far[rows, best]).logs
        cell, split = np.nonzero(upper > (least - _NOTHING)[:, None])
        off = part.near(cell, left[split], far[cell, split])
        beyond = (near.cell, near.of, ends[near.cell], near.logs)
        tails = _Near(*map(np.concatenate, zip(off, beyond, strict=True)))
        found[here] = good - part.log_sum(off, tails, np.full_like(ends, size + 1))
    return found


class _Near(NamedTuple):
    """Splits of some cells, one after the other.

    Attributes
    ----------
    cell, of : ndarray of int
        And the row of the table for what is left.
    first : ndarray of int
        The largest count s from which on s m is above the gap.
    logs : ndarray of float64
        Of the weight of what has a smaller one.
    """

    cell: NDArray[np.intp]
    of: NDArray[np.intp]
    first: NDArray[np.intp]
    logs: NDArray[np.float64]


class _Part(NamedTuple):
    """Cells that are looked at together: the tables and where theirs begin, m, and what a gap costs."""

    counts: _Counts
    at: NDArray[np.intp]
    m: NDArray[np.float64]
    loss: NDArray[np.float64]

    def near(
        self, cell: NDArray[np.intp], left: NDArray[np.int64], far: NDArray[np.float64]
    ) -> _Near:
        """Return splits by what they leave and by their gaps."""
        of, size = self.at[cell] + left, self.counts.equal.shape[1] - 2
        below = np.minimum(far / self.m[cell], size).astype(np.intp)
        return _Near(cell, of, below + 1, self.counts.at_most[of, below] - self.loss[cell] * far)

    def log_sum(self, near: _Near, beyond: _Near, after: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return cell by cell the log of the sum of the weights of both.

        Of `near` with a gap above s m, of `beyond` with each s from `first` to before `after`; what cannot
        matter is left out.
        """
        top = np.full(self.m.size, _LEAST)
        np.maximum.at(top, near.cell, near.logs)
        speed, size = self.loss * self.m, self.counts.equal.shape[1]
        most = self.counts.at_least[beyond.of, beyond.first] - speed[beyond.cell] * beyond.first
        heavy = most > np.maximum(top - _NOTHING, _LEAST)[beyond.cell]
        heavy &= beyond.first < after[beyond.cell]
        total = np.zeros(top.size)
        if heavy.any():
            # What several splits that leave as many have in common is summed once.
            cell, of, first = (column[heavy] for column in beyond[:3])
            alike = np.bincount(
                (cell * size + of - self.at[cell]) * size + first, minlength=top.size * size**2
            ).reshape(-1, size)
            row = np.flatnonzero(alike.any(axis=1))
            cell, of = row // size, self.at[row // size] + row % size
            steps = np.arange(size)
            logs = np.empty(row.size)
            part = max(1, _TERMS_AT_ONCE // size)
            for start in range(0, row.size, part):
                here = slice(start, start + part)
                times = alike[row[here]].cumsum(axis=1)
                times[steps >= after[cell[here], None]] = 0
                terms = self.counts.equal[of[here]] - speed[cell[here], None] * steps
                logs[here] = log_sum(np.where(times, terms, -np.inf), times)
            np.maximum.at(top, cell, logs)
            total += np.bincount(cell, np.exp(logs - top[cell]), minlength=top.size)
        total += np.bincount(near.cell, np.exp(near.logs - top[near.cell]), minlength=top.size)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(total) + top)


# Running it lists every synthetic database.
_LISTED_MOST = 200_000
_BITS_MOST = 20
# Counting the multisets takes about size^3 / 6 terms.
_SIZE_MOST = 100


def synthetic_size(alpha: float) -> int:
    """Return the public number n = ceil(2 / alpha) of entries of a synthetic database.

    Whole counts come within 1 / n <= alpha / 2 of any vector of fractions, so that a synthetic
    database of error below alpha exists, with alpha / 2 to spare.
    """
    return ceiling(2 / decimal(alpha))


@dataclass(frozen=True)
class Blr(Mechanism):
    """Pick a synthetic database with probability proportional to exp(-eps m error / 2).

    Notes
    -----
    The synthetic databases are the multisets of n = ceil(2 / alpha) points, the error is the
    largest deviation of a fraction. Replacing one entry of the database changes every error by
    at most 1 / m, so the choice is eps-DP. It lists all C(n + T - 1, n) of them, which is why
    it runs on tiny domains only. Its law needs no list: the points that do not occur in the
    database are alike, and multisets with a given largest count can be counted.
    """

    name = "blr"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Theorem 7.1 (Blum, Ligett, Roth 2008)")
    summary = (
        "Picks a synthetic database of ⌈2/α⌉ entries with probability proportional to exp(-εm · error / 2). The "
        "error is the largest over all queries."
    )
    privacy = "pure"
    efficient = False
    reads = ("alpha",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.4, beta=0.2)
    outputs = "databases"

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of m times the error in the exponent; eps / 2 is allowed."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw a synthetic database; time grows as the number of all of them.

        Raises
        ------
        InputError
            For a domain with too many synthetic databases.
        """
        table, error, weights = self._weights(sample, at.epsilon, at.alpha)
        pick, best = draw(weights, rng)
        size = synthetic_size(at.alpha)
        if recorder is not None:
            recorder.step(
                "The candidates",
                f"All {len(table):,} databases of {size} entries over the "
                f"{sample.domain_size:,} points are listed, whatever the data are.",
            )
            recorder.mechanism(
                _choice_of_databases(error / size, weights, best, sample.size),
                "The score of a synthetic database is m times its error, the largest deviation of a fraction from "
                "the true one. Databases of equal error share a row.",
                epsilon=at.epsilon,
            )
        counts: dict[int, float] = dict(enumerate(table[pick].tolist(), start=1))
        return Release.of(sample.d, sample.size, counts, size)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw a synthetic database; size times m times its error is a whole number."""
        size = synthetic_size(at.alpha)
        table, error, _ = self._weights(sample, 1.0, at.alpha)
        row = table[noise.exponential(error.tolist(), sensitivity=size)]
        counts: dict[int, float] = dict(enumerate(row.tolist(), start=1))
        return Release.of(sample.d, sample.size, counts, size)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every synthetic database, as its counts by point."""
        table, _, log_weights = self._weights(sample, at.epsilon, at.alpha)
        chances = probabilities(log_weights).tolist()
        return dict(zip(map(tuple, table.tolist()), chances, strict=True))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law, at any d.

        Raises
        ------
        InputError
            For an alpha with too long synthetic databases.
        """
        size = synthetic_size(setting.alpha)
        if size > _SIZE_MOST:
            raise InputError("alpha", f"must be at least {2 / _SIZE_MOST:g} for blr", setting.alpha)
        target = database(distribution)

        m, d = (np.broadcast_to(x, setting.shape).ravel() for x in (setting.m, setting.d))
        epsilon = np.broadcast_to(setting.epsilon, setting.shape).ravel()
        counts = np.stack(target.heights(m, setting.alpha), axis=-1)
        splits = splits_of(size, counts.shape[-1])

        def gap(here: slice) -> NDArray[np.float64]:
            own, truth = m[here, None], counts[here] * size
            return splits.furthest(lambda j: splits.counts[j] * own - truth[:, j, None])

        limits = entries(size, setting.alpha, m)
        found = log_odds(d, splits, gap, limits, self.score_rate(1.0) * epsilon, m)
        return _from_log_odds(found.reshape(setting.shape), setting)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the size of a synthetic database is a whole number that alpha moves.
        """
        return wanted != "alpha" and super().eases(distribution, wanted)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls as m grows: not on `hard`.

        On `single` the fractions are 1 and 0 whatever m is, and so are all errors; more weight on
        each of them moves the choice from larger errors to smaller ones.
        """
        return not isinstance(distribution, Hard)

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return what success is at least, or at most, from m = first.m to last.m.

        Compare with the law of fractions 3 alpha + c and 1 - 3 alpha - c, c = 1 / (first + last), which
        are the same for all m. The counts on `hard` are 3 alpha m + t and the rest, t in [0, 1), so m times
        an error differs from that by at most the larger of c m and 1 - c m, so at most by
        g = last / (first + last). So the weights differ by factors of at most e^(g eps/2), the
        odds of being good by at most e^(g eps); and what is good has there an error below
        alpha + g / m, while an error below alpha - g / m is enough. For such a fixed set
        the odds grow with m, as on `single`. A shorter interval has another c, and may have a slightly
        wider end: what is told stays true.
        """
        if self.monotone(distribution, first.alpha):
            return super().envelope(distribution, first, last, upper=upper)
        low, high = np.broadcast_arrays(first.m, last.m)
        end, sign = (last, 1.0) if upper else (first, -1.0)
        return _from_log_odds(self._fixed(end, low, high, sign), end)

    def chain(self, distribution: Distribution, alpha: float) -> tuple[int, int]:
        """Return (q, m0): success never falls along m, m + q, m + 2 q, ... from m0 on.

        On `hard` let 3 alpha = p / q and t = ceil(3 alpha m) - 3 alpha m, which is the same along
        a chain. For a synthetic database of n entries with counts x, m times its error is the
        largest of m x_j / n for the points that do not occur, |u_1 m - t| and |u_2 m + t| for the
        others, where u_1 = x_1 / n - 3 alpha and u_2 = x_2 / n - 1 + 3 alpha. Let every |u| that
        is not 0, and every distance of a |u| from alpha that is not 0, be at least 1 / m. Then m
        times the error is linear in m, with the slope |u| of its largest term: at most alpha
        where the database is good, that is m |u| -+ t < alpha m, and at least alpha where it is
        not. So good ones stay good, bad ones stay bad, and the log odds have the derivative
        (eps / 2) (mean slope of the bad - mean slope of the good) >= 0.
        """
        if self.monotone(distribution, alpha):
            return super().chain(distribution, alpha)
        return (3 * decimal(alpha)).denominator, _settled(alpha)

    def _fixed(
        self, setting: Setting, first: NDArray[np.int64], last: NDArray[np.int64], sign: float
    ) -> NDArray[np.float64]:
        """Return log odds for the fractions of `envelope`, pessimistic (-1) or optimistic (1).

        Errors count as good up to alpha + sign g / first, and the odds are e^(sign g eps) times theirs.
        """
        size, share = synthetic_size(setting.alpha), float(3 * decimal(setting.alpha))
        splits = splits_of(size, 2)
        shape = np.broadcast_shapes(setting.shape, first.shape)
        low, high = (np.broadcast_to(x, shape).ravel() for x in (first, last))
        m, d = (np.broadcast_to(x, shape).ravel() for x in (setting.m, setting.d))
        epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
        differs = high / (low + high)
        rare = m * share + m / (low + high)
        centre = size * np.stack([rare, m - rare])

        def gap(here: slice) -> NDArray[np.float64]:
            return splits.furthest(
                lambda j: splits.counts[j] * m[here, None] - centre[j, here, None]
            )

        # Errors that are alpha up to rounding count as what is safe to assume.
        slack = sign * (size * differs / low + 1e-9)
        limit = m * (size * setting.alpha + slack)
        found = log_odds(d, splits, gap, limit, self.score_rate(1.0) * epsilon, m)
        return np.asarray(found + sign * differs * epsilon).reshape(shape)

    def _weights(
        self, sample: Sample, epsilon: float, alpha: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the synthetic databases, their errors times size times m, and log weights."""
        size = synthetic_size(alpha)
        points = sample.domain_size
        if sample.d > _BITS_MOST or math.comb(size + points - 1, size) > _LISTED_MOST:
            requirement = f"must leave at most {_LISTED_MOST} synthetic databases of {size} entries to run blr"
            raise InputError("d", requirement, sample.d)
        table = multisets(size, points)
        seen = tally(sample)
        truth = np.array([seen.get(j, 0) for j in range(1, points + 1)])
        error = np.abs(table * sample.size - truth * size).max(axis=1)
        return table, error, -self.score_rate(epsilon) * error / size


def _choice_of_databases(
    scores: NDArray[np.float64],
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
    m: int,
) -> Choice:
    levels, place = np.unique(scores, return_inverse=True)
    groups = [np.flatnonzero(place == row) for row in range(len(levels))]
    return choice(
        name=lambda row: f"{len(groups[row]):,} with error {levels[row] / m:.3g}",
        members=lambda row: f"{len(groups[row]):,}",
        scores=levels,
        log_weights=[float(log_sum(weights[group])) for group in groups],
        best=[float(best[group].max()) for group in groups],
        drawn=int(place[np.argmax(best)]),
        target=None,
        score="m · error",
        what="synthetic databases",
    )


@lru_cache(maxsize=256)
def _settled(alpha: float) -> int:
    """Return the m0 of `Blr.chain`: 1 over the least distance that is not 0, rounded up."""
    size, exact_alpha = synthetic_size(alpha), decimal(alpha)
    centres = (3 * exact_alpha, 1 - 3 * exact_alpha)
    far = {abs(Fraction(x, size) - c) for x in range(size + 1) for c in centres}
    distances = far | {abs(u - exact_alpha) for u in far}
    return ceiling(1 / min(x for x in distances if x))


def _from_log_odds(log_odds: NDArray[np.float64], setting: Setting) -> Estimate:
    return exact(special.expit(log_odds), setting, special.expit(-log_odds))
