"""The exponential mechanism over synthetic databases (Blum, Ligett, Roth)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import logsumexp

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.laws import by_d, exact
from privsc_core.concepts.release.entries import entries
from privsc_core.concepts.release.hypotheses import Release
from privsc_core.concepts.release.learners.mechanism import Mechanism, database, tally
from privsc_core.concepts.release.multisets import log_multisets, multisets
from privsc_core.concepts.style import AMBER, Style
from privsc_core.concepts.trace import Choice, choice
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import ceiling, decimal

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Blr", "synthetic_size"]

# Running it lists every synthetic database.
_LISTED_MOST = 200_000
_BITS_MOST = 20
# Counting the multisets takes about size^3 / 6 terms.
_SIZE_MOST = 100
_TERMS_AT_ONCE = 1 << 21


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

        def law(d: int, part: Setting) -> Estimate:
            counts = np.stack(target.heights(part.m, part.alpha), axis=-1)
            rate = self.score_rate(1.0) * part.epsilon
            return exact(_good_share(d, size, counts, rate, part), part)

        return by_d(setting, law)

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
        log_weights=[float(logsumexp(weights[group])) for group in groups],
        best=[float(best[group].max()) for group in groups],
        drawn=int(place[np.argmax(best)]),
        target=None,
        score="m · error",
        what="synthetic databases",
    )


@lru_cache(maxsize=8)
def _splits(size: int, points: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all counts of `points` points with a sum of at most `size`, and what is left."""
    counts = np.array(list(itertools.product(range(size + 1), repeat=points)))
    left = size - counts.sum(axis=1)
    return counts[left >= 0], left[left >= 0]


def _good_share(
    d: int, size: int, counts: NDArray[np.int64], rate: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the probability of an error below alpha, cell by cell.

    A synthetic database is grouped by its counts of the points that occur in the database,
    whose largest deviation is `gap`, and by the largest count s of all others, which ought to
    be 0. The error times size times m is max(gap, s m), in whole numbers, and it is below
    alpha iff that is below ceil(alpha size m). `counts` are the true ones.
    """
    number = log_multisets(d, counts.shape[-1], size)
    at_most = np.logaddexp.accumulate(number, axis=1)
    split, left = _splits(size, counts.shape[-1])
    tops = np.arange(size + 1)
    limits = entries(size, setting.alpha, setting.m)
    value = np.empty(setting.m.size)
    step = max(1, _TERMS_AT_ONCE // number.size)
    for start in range(0, setting.m.size, step):
        here = slice(start, start + step)
        m, limit, loss = setting.m[here, None], limits[here, None], rate[here, None] / size
        gap = np.abs(split * m[..., None] - counts[here, None, :] * size).max(axis=-1)
        inner = np.minimum(gap // m, size)
        by_gap = at_most[left, inner] - loss * gap
        rows = np.arange(len(m))[:, None]
        by_top = number - (loss * tops * m)[:, None, :]
        good_top = np.where((tops * m < limit)[:, None, :], by_top, -np.inf)
        total = np.logaddexp(by_gap, _beyond(by_top)[rows, left, inner])
        good = np.logaddexp(by_gap, _beyond(good_top)[rows, left, inner])
        good = np.where(gap < limit, good, -np.inf)
        top = total.max(axis=1, keepdims=True)
        value[here] = np.exp(good - top).sum(axis=1) / np.exp(total - top).sum(axis=1)
    return value


def _beyond(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return at every place the log of the sum of all later ones, along the last axis."""
    later = np.full_like(logs, -np.inf)
    later[..., :-1] = np.logaddexp.accumulate(logs[..., :0:-1], axis=-1)[..., ::-1]
    return later
