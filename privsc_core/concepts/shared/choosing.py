"""Learners that choose, or just compute: each says only its groups of candidates, or its answer.

A sample cannot tell the candidates of a group apart: all make the same mistakes. So one draws a group,
then a member. From the groups follow a run and its steps, a release by exact coins and the list of all
outputs.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from privsc_core.concepts.contracts import Cell, Learner
from privsc_core.concepts.shared import unseen
from privsc_core.concepts.shared.trace import choice
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import large

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Choice, Recorder


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Groups:
    """Candidates in groups.

    Attributes
    ----------
    mistakes : ndarray of int64
        How many mistakes the candidates of each group make, or another score of theirs.
    member : callable
        Group, coins -> a hypothesis of the group, all of them equally likely.
    name : callable
        Group, recorder -> what a reader sees for it.
    sizes : sequence of int, optional
        How many candidates a group has, maybe 0; left out, 1 each.
    logs : ndarray of float64, optional
        Logs of the sizes, or of what else stands for them.
    outputs : callable, optional
        Group -> its candidates, as outputs are listed on a tiny domain.
    every : iterable, optional
        All outputs, in the order in which they are listed.
    words : str
        What the score is, for a reader.
    members : callable, optional
        Group -> its size for a reader.
    target : callable, optional
        Number of the target -> its group.
    order : sequence of int, optional
        The groups that a reader sees, in this order; left out, all.
    zero : int, optional
        The number of mistakes at which a candidate has the weight 1; left out, the fewest.
    score, what : str
        What the score counts, and what the candidates are, in the plural.
    """

    mistakes: NDArray[np.int64]
    member: Callable[[int, Any], Hypothesis]
    name: Callable[[int, Recorder], str]
    sizes: Sequence[int] | None = None
    logs: NDArray[np.float64] | None = None
    outputs: Callable[[int], Sequence[Hashable]] = lambda _: ()
    every: Iterable[Hashable] = ()
    words: str = ""
    members: Callable[[int], str] = lambda _: "1"
    target: Callable[[int], int | None] = lambda _: None
    order: Sequence[int] | None = None
    zero: int | None = None
    score: str = "mistakes"
    what: str = "concepts"

    def log_sizes(self) -> NDArray[np.float64]:
        """Return the logs of the sizes."""
        if self.logs is not None:
            return self.logs
        if self.sizes is None:
            return np.zeros(len(self.mistakes))
        return np.array([math.log(size) if size else -math.inf for size in self.sizes])

    def log_weights(self, rate: float) -> NDArray[np.float64]:
        """Return log(size) - rate * mistakes, up to a constant; an infinite rate keeps the fewest."""
        logs = self.log_sizes()
        fewest = int(self.mistakes[logs > -math.inf].min())
        if math.isinf(rate):
            return np.where(self.mistakes == fewest, logs, -np.inf)
        # Differences first: exact however large the rate.
        return np.asarray(
            logs - rate * (self.mistakes - (fewest if self.zero is None else self.zero))
        )

    def choice(
        self,
        recorder: Recorder,
        log_weights: NDArray[np.float64],
        best: NDArray[np.float64] | None,
        pick: int,
    ) -> Choice:
        """Return how a group was chosen, for a reader: by which weights, with which coins."""
        order = list(range(len(self.mistakes)) if self.order is None else self.order)
        target = None if recorder.target is None else self.target(recorder.target)
        return choice(
            name=lambda row: self.name(order[row], recorder),
            members=lambda row: self.members(order[row]),
            scores=self.mistakes[order].astype(np.float64),
            log_weights=log_weights[order],
            best=None if best is None else best[order],
            drawn=order.index(pick),
            target=order.index(target) if target in order else None,
            score=self.score,
            what=self.what,
        )


class Choosing(Learner):
    """A learner that picks a candidate with probability proportional to exp(-rate * mistakes).

    Attributes
    ----------
    counted : bool
        Whether the sizes of its groups are whole numbers and it may be drawn by exact coins.
    """

    counted: ClassVar[bool] = True

    @abstractmethod
    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the candidates, as a sample tells them apart."""

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def weigh(self, groups: Groups, sample: Sample, at: Cell) -> NDArray[np.float64]:
        """Return the log weight of each group."""
        return groups.log_weights(self.score_rate(at.epsilon))

    def weighed(self, sample: Sample, at: Cell) -> NDArray[np.float64]:
        """Return the log weight of each group of a sample."""
        return self.weigh(self.groups(sample, at), sample, at)

    def tell(
        self, recorder: Recorder, found: Choice, groups: Groups, sample: Sample, at: Cell
    ) -> None:
        """Record how a group was chosen."""
        recorder.mechanism(found, groups.words, epsilon=at.epsilon)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw a group, then a candidate of it."""
        groups = self.groups(sample, at)
        weights = self.weigh(groups, sample, at)
        pick, best = draw(weights, rng)
        if recorder is not None:
            self.tell(recorder, groups.choice(recorder, weights, best, pick), groups, sample, at)
        return groups.member(pick, rng)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw a group, then a candidate of it."""
        if not self.counted:
            return super().release(sample, at, noise)
        groups = self.groups(sample, at)
        return groups.member(noise.exponential(groups.mistakes.tolist(), groups.sizes), noise)

    @property
    def releases(self) -> bool:
        """Whether it has a `release`."""
        return self.counted

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        groups = self.groups(sample, at)
        found = dict.fromkeys(groups.every, 0.0)
        for row, share in enumerate(probabilities(self.weigh(groups, sample, at)).tolist()):
            outputs = groups.outputs(row)
            for output in outputs:
                found[output] += share / len(outputs)
        return found


class NonPrivate(Learner):
    """The learner that a class's private ones are compared with, called and drawn alike everywhere."""

    name = "erm"
    title = "Non-private"
    privacy = "none"
    efficient = True
    symmetric = True
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)


class Fit(NamedTuple):
    """The answer of a learner without coins to a sample.

    Attributes
    ----------
    hypothesis : Hypothesis
        The answer.
    title, text : str
        How it was found, for a reader.
    listed : callable
        () -> how it is listed on a tiny domain, and all outputs that are.
    """

    hypothesis: Hypothesis
    title: str
    text: str
    listed: Callable[[], tuple[Hashable, Iterable[Hashable]]]


class Fitting(NonPrivate):
    """A learner without privacy and without coins: it says its answer, and the rest follows."""

    @abstractmethod
    def fit(self, sample: Sample) -> Fit:
        """Return the answer to a sample."""

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the answer."""
        found = self.fit(sample)
        if recorder is not None:
            recorder.step(found.title, found.text)
        return found.hypothesis

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        answer, outputs = self.fit(sample).listed()
        return {output: float(output == answer) for output in outputs}


class FewestMistakes(NonPrivate, Choosing):
    """A learner without privacy: any of the candidates with fewest mistakes, all equally likely."""

    counted = False

    def score_rate(self, epsilon: float) -> float:
        """Return infinity."""
        return math.inf

    def tell(
        self, recorder: Recorder, found: Choice, groups: Groups, sample: Sample, at: Cell
    ) -> None:
        """Record which candidates are the best."""
        recorder.uniform_choice(found, groups.words.format(f"{found.drawn.score:,.0f}"))


@dataclass(frozen=True)
class WithLump(WithSlack, Choosing):
    """A choice between candidates with a score and one lump for all, see `concepts.shared.unseen`.

    The last group are the candidates without a score.
    """

    counted = False

    @abstractmethod
    def log_all(self, d: int, minus: int = 0) -> float:
        """Return the log of how many candidates there are, less `minus`."""

    def log_lump(self, d: int, epsilon: float) -> float:
        """Return log C, the log of the lump's weight."""
        return float(unseen.log_effective(self.log_all(d), epsilon, self.delta))

    def weigh(self, groups: Groups, sample: Sample, at: Cell) -> NDArray[np.float64]:
        """Return the log weight of each candidate with a score and, last, of all others together."""
        own = groups.mistakes[:-1]
        return unseen.log_weights(
            own, self.log_all(sample.d), self.log_all(sample.d, len(own)),
            self.score_rate(at.epsilon), self.log_lump(sample.d, at.epsilon),
        )  # fmt: skip

    def tell(
        self, recorder: Recorder, found: Choice, groups: Groups, sample: Sample, at: Cell
    ) -> None:
        """Record how a candidate or the lump was chosen."""
        size = large(self.log_lump(sample.d, at.epsilon))
        recorder.lump(found, groups.words, epsilon=at.epsilon, delta=self.delta, size=size)
