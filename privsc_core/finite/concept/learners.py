"""The learners of a class that is given as a matrix: they go through all concepts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Cell, Source
from privsc_core.concepts.shared.choosing import Choosing, FewestMistakes, Groups
from privsc_core.concepts.shared.inequalities import mechanism_rate
from privsc_core.finite.concept.distributions import FIRST, OnPoints, concept, size_of
from privsc_core.finite.concept.laws import (
    SUBSETS_MOST,
    ByCoins,
    ByFit,
    ByWeight,
    fitting_law,
    law,
    reduced,
    span,
)
from privsc_core.numerics import expectations

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Method, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder
    from privsc_core.finite.concept.laws import Rule
    from privsc_core.finite.matrix import FiniteClass

_TINY_BITS = 4  # up to so many, two examples are audited, else one


@dataclass(frozen=True)
class OverMatrix(Choosing):
    """A choice among all concepts of the matrix, by their numbers of mistakes.

    Attributes
    ----------
    of : FiniteClass
    rule : Rule
        How its law follows from the mistakes.
    """

    of: FiniteClass = field(default=FIRST, repr=False)

    rule: ClassVar[Rule]
    proper = True
    efficient = True
    symmetric = True
    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(("uniform", "weights"), "rao-blackwell")
    record_keys = ("labels",)

    def __post_init__(self) -> None:
        """Audit as many examples as can be enumerated."""
        bits = size_of(self.of)
        tiny = Cell(bits, 1.0, 0.2, 0.2, m=2 if bits <= _TINY_BITS else 1)
        object.__setattr__(self, "tiny", tiny)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return all concepts, each by itself."""
        positive, negative = sample.tallies()
        # A point beyond those of the matrix has label 0 by every concept.
        labels = np.array(
            [[labels >> (x - 1) & 1 for x in sample.points] for labels in self.of.concepts]
        )
        mistakes = labels @ negative + (1 - labels) @ positive
        return Groups(
            mistakes=mistakes.astype(np.int64),
            zero=0,
            member=lambda row, _: concept(self.of, row + 1),
            name=lambda row, _: f"concept {row + 1}",
            target=lambda number: number - 1,
            outputs=lambda row: [row + 1],
            every=range(1, len(self.of) + 1),
            words=f"The score is the number of mistakes on the sample; it is counted for all {len(self.of):,} concepts.",
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact where samples have few types, else a mean over drawn types."""
        return law(self.rule, _own(distribution), setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls.

        It does not where the concepts with error at most alpha make no mistakes: on more of the same
        examples the others make no fewer. Where an accurate concept errs, more examples count against it.
        """
        of = reduced(_own(distribution))
        good = of.good(alpha)
        return bool(good.all()) or int(good.sum()) == 1

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return the ends of success on intervals of m."""
        if self.monotone(distribution, first.alpha):
            return self.success(distribution, first), self.success(distribution, last)
        return span(self.rule, _own(distribution), first, last)

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where the mean weight of all wrong concepts is about beta."""
        of = reduced(_own(distribution))
        good = of.good(setting.alpha)
        if good.all():
            return np.ones(setting.shape)
        least = min(float(e) for e, fine in zip(of.errors, good, strict=True) if not fine)
        wrong = math.log(float(of.sizes[~good].sum())) - math.log(setting.beta)
        rate = math.inf if self.privacy == "none" else setting.epsilon
        found = wrong / mechanism_rate(np.asarray(rate, dtype=np.float64), min(least, 0.999))
        return np.broadcast_to(np.maximum(found, 1.0), setting.shape)


def _own(distribution: Distribution) -> OnPoints:
    """Return a distribution of this class as what it is."""
    assert isinstance(distribution, OnPoints)  # noqa: S101 - laws tell no other name
    return distribution


@dataclass(frozen=True)
class Erm(OverMatrix, FewestMistakes):
    """Any concept with fewest mistakes, all equally likely."""

    source = Source(
        "ours",
        "empirical risk minimisation",
        "Blumer, Ehrenfeucht, Haussler and Warmuth 1989, learning without privacy",
    )
    summary = "Chooses a random one among the concepts with fewest mistakes on the sample."
    derivation = (
        "This learner protects no example. The target makes no mistake, so every answer agrees with the target on the "
        "whole sample. It fails only if a concept of error above $\\alpha$ is left, that is, agrees with the target on "
        "all points of the sample. Where the domain is small the law is exact, by the set of points that were seen."
    )
    rule = ByFit()

    def __post_init__(self) -> None:
        """Have an exact law where the points are few."""
        super().__post_init__()
        if self.of.points <= SUBSETS_MOST:
            object.__setattr__(self, "laws", dict.fromkeys(self.laws, "exact"))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: by which points were seen where they are few, else as the others."""
        if reduced(_own(distribution)).masses.size > SUBSETS_MOST:
            return super().success(distribution, setting)
        return fitting_law(_own(distribution), setting)

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return the ends of success on intervals of m."""
        if reduced(_own(distribution)).masses.size > SUBSETS_MOST or self.monotone(
            distribution, first.alpha
        ):
            return super().span(distribution, first, last)
        own = _own(distribution)
        return fitting_law(own, first, end="low"), fitting_law(own, last, end="high")


@dataclass(frozen=True)
class Exponential(OverMatrix):
    """Weight e^{-eps mistakes / 2} for every concept."""

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Theorem 3.2 (after Kasiviswanathan et al.)")
    summary = "Chooses a concept with probability proportional to exp(-ε · its mistakes / 2)."
    privacy = "pure"
    rule = ByWeight()


@dataclass(frozen=True)
class PermuteAndFlip(OverMatrix):
    """Go through the concepts in random order, accept each with its chance, stop at the first."""

    name = "permute-and-flip"
    title = "Permute-and-flip"
    source = Source("MS20", "Algorithm 1")
    summary = (
        "Goes through all concepts in random order and stops at a concept with probability exp(-ε · (its mistakes - "
        "the fewest mistakes) / 2)."
    )
    privacy = "pure"
    rule = ByCoins()

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Let every concept accept or not, and draw one that does."""
        groups = self.groups(sample, at)
        accepts = self._accepts(groups, at.epsilon)
        accepting = np.flatnonzero(rng.random(accepts.size) < accepts)
        pick = int(rng.choice(accepting))
        if recorder is not None:
            fewest = int(groups.mistakes.min())
            shown = groups.choice(recorder, np.log(np.maximum(accepts, 1e-300)), None, pick)
            recorder.step("The scores", f"{groups.words} The smallest is {fewest:,}.", shown)
            recorder.step(
                "The coins",
                f"Every concept accepts with probability exp(−ε · (mistakes − fewest) / 2): {accepting.size:,} do.",
            )
            recorder.step(
                "The draw",
                "The answer is the first one, in a random order, that accepts: a uniformly random accepting concept.",
            )
        return groups.member(pick, rng)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw a concept by its mistakes."""
        scores = self.groups(sample, at).mistakes.tolist()
        return concept(self.of, 1 + noise.permute_and_flip(scores))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        accepts = self._accepts(self.groups(sample, at), at.epsilon)
        chances = expectations.first_accepted(accepts).tolist()
        return dict(zip(range(1, len(self.of) + 1), chances, strict=True))

    @staticmethod
    def _accepts(groups: Groups, epsilon: float) -> NDArray[np.float64]:
        """Return the chance of each concept to accept."""
        return np.asarray(np.exp(-0.5 * epsilon * (groups.mistakes - groups.mistakes.min())))
