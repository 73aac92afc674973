"""What a step of a run shows: counts of a sample, a choice among concepts, noise on counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import logsumexp

from privsc_core.evaluate.naming import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Learner
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample

__all__ = [
    "Case",
    "Choice",
    "Noised",
    "Row",
    "Sampled",
    "Step",
    "Thinned",
    "choice",
    "sample_step",
]

_ROWS_MOST = 9
_BINS = 16
_ALMOST = -1e-300

Aspect = Literal["score", "chance", "draw"]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A run that is to be taken apart.

    Attributes
    ----------
    target : int or None
        The number of the target concept, where there is one.
    """

    learner: Learner
    sample: Sample
    hypothesis: Hypothesis
    law: Distribution
    epsilon: float
    alpha: float
    beta: float
    seed: int
    target: int | None

    def coins(self) -> np.random.Generator:
        """Return the generator that the run started from, as it was then."""
        return np.random.default_rng(self.seed)

    def point(self, x: int) -> str:
        """Return the name of a point; the target's says so."""
        name = whole(x, self.sample.d)
        return f"{name} (target)" if x == self.target and self.target_is_point else name

    @property
    def target_is_point(self) -> bool:
        """Whether the target concept is 1 at one point."""
        return self.law.__class__.__module__.split(".")[2] in {"point", "pseudorandom"}

    @property
    def size(self) -> int:
        """The number m of examples."""
        return self.sample.size


@dataclass(frozen=True, slots=True)
class Sampled:
    """How many examples are where, by label.

    Attributes
    ----------
    names : tuple of str
        Points, or bins of the domain where there are too many points.
    ones, zeros : tuple of int
        Examples with label 1 and with label 0.
    labelled : bool
        Whether labels mean anything; if not all counts are in `ones`.
    binned : bool
        Whether the names are left ends of equal bins, as shares of the domain.
    """

    names: tuple[str, ...]
    ones: tuple[int, ...]
    zeros: tuple[int, ...]
    labelled: bool = True
    binned: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Concepts that the sample cannot tell apart.

    Attributes
    ----------
    name : str
        Which concepts.
    members : str
        How many.
    score, score_most : float
        Their score; the ends of a range where rows were merged.
    log_weight, log_share : float
        Of all of them together; the share is the probability that one of them is drawn.
    best : float
        The largest log weight plus coin among them; NaN where the draw needs no such coins.
    drawn, target : bool
        Whether the run drew one of them, and whether the target is among them.
    """

    name: str
    members: str
    score: float
    score_most: float
    log_weight: float
    log_share: float
    best: float
    drawn: bool
    target: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice by weights: all the concepts there are, in rows.

    Attributes
    ----------
    rows : tuple of Row
        In the order in which they are drawn.
    score : str
        What the score counts.
    what : str
        What is chosen, in the plural.
    """

    rows: tuple[Row, ...]
    score: str = "mistakes"
    what: str = "concepts"

    @property
    def coins(self) -> bool:
        """Whether the draw was made by a coin per concept."""
        return not any(math.isnan(row.best) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Thinned:
    """Examples by point and label, and how many of them were kept."""

    names: tuple[str, ...]
    all: tuple[int, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Noised:
    """True counts beside noisy ones, and the threshold below which nothing is released.

    Attributes
    ----------
    names : tuple of str
        The points that occur in the database.
    counts, noisy : tuple of float
        Before and after the noise.
    threshold : float
        The least count that is released.
    empty : tuple of float
        Released counts of points that do not occur, largest first, at most a few.
    empties : int
        How many of those there are.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]
    noisy: tuple[float, ...]
    threshold: float
    empty: tuple[float, ...] = ()
    empties: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One step in words, with what it shows.

    Attributes
    ----------
    title, words : str
        What happens; plain text.
    shows : object, optional
        What a figure draws.
    aspect : str
        Which side of a `Choice` this step shows.
    """

    title: str
    words: str
    shows: Sampled | Choice | Thinned | Noised | None = None
    aspect: Aspect = "score"


def choice(
    *,
    name: Callable[[int], str],
    members: Callable[[int], str],
    scores: Sequence[float] | NDArray[np.float64],
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64] | None,
    drawn: int,
    target: int | None,
    score: str = "mistakes",
    what: str = "concepts",
) -> Choice:
    """Build a choice from rows given by position; the least likely of many become one row."""
    log_weights = np.asarray(log_weights, dtype=np.float64)
    shares = log_weights - logsumexp(log_weights)
    if np.isfinite(log_weights).sum() > 1:
        shares = np.minimum(shares, _ALMOST)  # 1 - 10^-20 rounds to 1, but is not certain
    values = np.asarray(scores, dtype=np.float64)
    number = len(shares)
    kept = set(range(number))
    if number > _ROWS_MOST:
        likely = np.argsort(-shares, kind="stable")[: _ROWS_MOST - 2].tolist()
        kept = {*likely, drawn} | ({target} if target is not None else set())
    rows = [
        Row(
            name(i), members(i), float(values[i]), float(values[i]), float(log_weights[i]),
            float(shares[i]), math.nan if best is None else float(best[i]), i == drawn,
            i == target,
        )
        for i in sorted(kept)
    ]  # fmt: skip
    rest = np.array(sorted(set(range(number)) - kept), dtype=np.intp)
    if rest.size:
        # Merging rows keeps everything exact: weights add up, of the coins the best counts.
        rows.append(
            Row(
                "all others", f"{rest.size:,} more rows", float(values[rest].min()),
                float(values[rest].max()), float(logsumexp(log_weights[rest])),
                float(logsumexp(shares[rest])),
                math.nan if best is None else float(best[rest].max()), drawn=False, target=False,
            )
        )  # fmt: skip
    return Choice(tuple(rows), score, what)


def sample_step(case: Case) -> Step:
    """Return the first step: the sample."""
    sample, law = case.sample, case.law
    shows = _sampled(case)
    positive, negative = (int(tally.sum()) for tally in sample.tallies())
    distinct = len(sample.points)
    points = "1 distinct point" if distinct == 1 else f"{distinct:,} distinct points"
    if not case.learner.labelled:
        words = f"The database {law.name}: {_many(case.size, 'entry', 'entries')} on {points}. It is given, not drawn."
        return Step("The database", words, shows)
    words = (
        f"{_many(case.size, 'example', 'examples')} drawn from the {law.label} distribution: "
        f"{positive:,} with label 1, {negative:,} with label 0, on {points}."
    )
    return Step("The sample", words, shows)


def _many(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {more}"


def _sampled(case: Case) -> Sampled:
    sample = case.sample
    positive, negative = sample.tallies()
    labelled = case.learner.labelled
    ones, zeros = (positive, negative) if labelled else (positive + negative, 0 * negative)
    if len(sample.points) > _ROWS_MOST and not case.target_is_point:
        return _bins(case, ones, zeros)
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    shown = order
    if len(order) > _ROWS_MOST:
        total = ones + zeros
        often = set(sorted(order, key=lambda i: -int(total[i]))[: _ROWS_MOST - 2])
        shown = [i for i in order if i in often or sample.points[i] == case.target]
    names = [case.point(sample.points[i]) for i in shown]
    up, down = [int(ones[i]) for i in shown], [int(zeros[i]) for i in shown]
    if len(shown) < len(order):
        names.append(f"{len(order) - len(shown):,} other points")
        up.append(int(ones.sum()) - sum(up))
        down.append(int(zeros.sum()) - sum(down))
    return Sampled(tuple(names), tuple(up), tuple(down), labelled)


def _bins(case: Case, ones: NDArray[np.int64], zeros: NDArray[np.int64]) -> Sampled:
    d = case.sample.d
    low = max(d - 40, 0)
    size = 1 << (d - low)
    place = [((x - 1) >> low) * _BINS // size for x in case.sample.points]
    return Sampled(
        tuple(f"{i / _BINS:g}" for i in range(_BINS)),
        tuple(np.bincount(place, weights=ones, minlength=_BINS).astype(int).tolist()),
        tuple(np.bincount(place, weights=zeros, minlength=_BINS).astype(int).tolist()),
        binned=True,
    )
