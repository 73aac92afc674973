"""The exponential mechanism over synthetic databases (Blum, Ligett, Roth)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.laws import exact
from privsc_core.concepts.release.databases import log_odds, splits_of
from privsc_core.concepts.release.distributions import Hard
from privsc_core.concepts.release.entries import entries
from privsc_core.concepts.release.hypotheses import Release
from privsc_core.concepts.release.learners.mechanism import Mechanism, database, tally
from privsc_core.concepts.release.multisets import multisets
from privsc_core.concepts.style import AMBER, Style
from privsc_core.concepts.trace import Choice, choice
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.logspace import log_sum

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Demand, Distribution, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Blr", "synthetic_size"]

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

    name: ClassVar[str] = "blr"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 7.1 (Blum, Ligett, Roth 2008)")
    summary: ClassVar[str] = (
        "Picks a synthetic database of ⌈2/α⌉ entries with probability proportional to "
        "exp(-εm · error / 2), where the error is the largest over all queries."
    )
    privacy: ClassVar[Privacy] = "pure"
    efficient: ClassVar[bool] = False
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.4, beta=0.2)
    style: ClassVar[Style] = AMBER
    outputs: ClassVar[str] = "databases"

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of m times the error in the exponent; eps / 2 is allowed."""
        return 0.5 * epsilon

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Draw a synthetic database; time grows as the number of all of them.

        Raises
        ------
        InputError
            For a domain with too many synthetic databases.
        """
        del beta
        table, error, weights = self._weights(sample, epsilon, alpha)
        pick, best = draw(weights, rng)
        size = synthetic_size(alpha)
        if recorder is not None:
            recorder.step(
                "The candidates",
                f"All {len(table):,} databases of {size} entries over the "
                f"{sample.domain_size:,} points are listed, whatever the data are.",
            )
            recorder.mechanism(
                _choice_of_databases(error / size, weights, best, sample.size),
                "The score of a synthetic database is m times its error, the largest deviation of "
                "a fraction from the true one. Those with the same error stand together.",
                epsilon=epsilon,
            )
        counts: dict[int, float] = dict(enumerate(table[pick].tolist(), start=1))
        return Release.of(sample.d, sample.size, counts, size)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a synthetic database; size times m times its error is a whole number."""
        del epsilon, beta
        size = synthetic_size(alpha)
        table, error, _ = self._weights(sample, 1.0, alpha)
        row = table[coins.exponential(error.tolist(), sensitivity=size)]
        counts: dict[int, float] = dict(enumerate(row.tolist(), start=1))
        return Release.of(sample.d, sample.size, counts, size)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every synthetic database, as its counts by point."""
        del beta, public
        table, _, log_weights = self._weights(sample, epsilon, alpha)
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
        """Tell that the size of a synthetic database is a whole number that alpha moves."""
        return wanted != "alpha" and super().eases(distribution, wanted)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell whether success never falls as m grows: not on `hard`.

        On `single` the fractions are 1 and 0 whatever m is, and so are all errors; more weight on
        each of them moves the choice from larger errors to smaller ones.
        """
        del alpha
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
