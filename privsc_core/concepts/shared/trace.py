"""What a run tells about itself: counts of a sample, a choice among concepts, noise on counts.

A learner's `run` computes and draws as ever; with a `Recorder` it also says what it computed and
drew, step by step. Without one it says nothing and does nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import logsumexp

from privsc_core.numerics.text import chance, small, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

ROWS_MOST = 9  # of a sample or a choice, before the least likely ones are merged
_ALMOST = -1e-300

Aspect = Literal["score", "chance", "draw"]


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

    @property
    def drawn(self) -> Row:
        """The row of what was drawn."""
        return next(row for row in self.rows if row.drawn)


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
        The points that occur in the database, or what else is counted.
    counts, noisy : tuple of float
        Before and after the noise.
    threshold : float
        The least count that is released.
    empty : tuple of float
        Released counts of points that do not occur, largest first, at most a few.
    empties : int
        How many of those there are.
    what : str
        What the names are, in the plural.
    passed, failed : str
        What becomes of a count above the threshold, and of another one.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]
    noisy: tuple[float, ...]
    threshold: float
    empty: tuple[float, ...] = ()
    empties: int = 0
    what: str = "points that occur"
    passed: str = "released"
    failed: str = "released as 0"


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


@dataclass(eq=False)
class Recorder:
    """Collects the steps of a run between the sample and what comes out.

    Attributes
    ----------
    target : int or None
        The number of the target concept, where there is one: to mark it, for readers. A learner
        does not know it.
    name_of : callable
        Point -> how it is called.
    steps : list of Step
        What the run said so far.
    output : Step or None
        The last step, where the learner has words of its own for what comes out.
    """

    target: int | None = None
    name_of: Callable[[int], str] = lambda x: whole(x, x.bit_length())
    steps: list[Step] = field(default_factory=list)
    output: Step | None = None

    def row_of_target(self, rows: Mapping[int, int], other: int | None) -> int | None:
        """Return the row of the target, `other` where it has none of its own."""
        return None if self.target is None else rows.get(self.target, other)

    def step(
        self,
        title: str,
        words: str,
        shows: Choice | Thinned | Noised | None = None,
        aspect: Aspect = "score",
    ) -> None:
        """Add a step."""
        self.steps.append(Step(title, words, shows, aspect))

    def mechanism(self, found: Choice, scores: str, *, epsilon: float) -> None:
        """Add the steps of an exponential mechanism; `scores` are words for its scores."""
        self.step("The scores", scores, found)
        self.step(
            "The probabilities",
            f"Every one of the {found.what} gets the weight exp(−ε · {found.score} / 2), divided "
            f"by the sum of all weights. ε = {epsilon:g}. Exact.",
            found,
            "chance",
        )
        self.step("The draw", f"{_GUMBEL} {_drawn(found)}.", found, "draw")

    def lump(self, found: Choice, scores: str, *, epsilon: float, delta: float, size: str) -> None:
        """Add the steps of a choice between seen answers and a lump, see `concepts.shared.unseen`.

        `scores` are words for the scores, `size` is the lump's weight C in words.
        """
        self.step("The scores", scores, found)
        without = "δ = 0: C is their number." if delta == 0.0 else f"δ = {small(delta)}."
        self.step(
            "The probabilities",
            f"Every one of the {found.what} gets the weight exp(ε · {found.score} / 2) − 1, and all answers share a "
            f"further weight C = {size} equally. Each weight is divided by the sum of all weights. ε = {epsilon:g}, "
            f"{without} Exact.",
            found,
            "chance",
        )
        self.step("The draw", f"{_GUMBEL} {_drawn(found)}.", found, "draw")

    def uniform_choice(self, found: Choice, scores: str) -> None:
        """Add the steps of a uniform choice among the best; `scores` are words for the scores."""
        self.step("The scores", scores, found)
        self.step(
            "The probabilities",
            "Only the best ones can be drawn, all with equal probability: no privacy. Exact.",
            found,
            "chance",
        )
        if found.coins:
            self.step("The draw", f"{_drawn(found)}.", found, "draw")
        else:
            self.step("The draw", f"{_drawn(found)}.")


_GUMBEL = (
    "Each row gets its log weight plus random Gumbel noise, and the row with the largest sum is drawn. So each row "
    "is drawn with its probability."
)


def _drawn(found: Choice) -> str:
    return f"Drawn: {found.drawn.name}, with probability {chance(found.drawn.log_share)}"


def choice(
    *,
    name: Callable[[int], str],
    members: Callable[[int], str],
    scores: Sequence[float] | NDArray[np.float64],
    log_weights: Sequence[float] | NDArray[np.float64],
    best: Sequence[float] | NDArray[np.float64] | None,
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
    coins = None if best is None else np.asarray(best, dtype=np.float64)
    number = len(shares)
    kept = set(range(number))
    if number > ROWS_MOST:
        likely = np.argsort(-shares, kind="stable")[: ROWS_MOST - 2].tolist()
        kept = {*likely, drawn} | ({target} if target is not None else set())
    rows = [
        Row(
            name(i), members(i), float(values[i]), float(values[i]), float(log_weights[i]),
            float(shares[i]), math.nan if coins is None else float(coins[i]), i == drawn,
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
                math.nan if coins is None else float(coins[rest].max()), drawn=False, target=False,
            )
        )  # fmt: skip
    return Choice(tuple(rows), score, what)


def summed(
    values: NDArray[np.float64], own: Sequence[int], rest: NDArray[np.bool_], *, best: bool = False
) -> list[float]:
    """Return the values at `own` and, where `rest` holds any, one value for all of those.

    The log of the sum of their exponentials for log weights; with `best` the largest, for coins.
    """
    found = [float(values[i]) for i in own]
    if rest.any():
        found.append(float(values[rest].max() if best else logsumexp(values[rest])))
    return found
