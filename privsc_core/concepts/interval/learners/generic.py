"""GenericLearner for intervals: private medians of unlabelled examples, a choice by labelled ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.generic.medians import Node, drawn_cuts, law_of_cuts
from privsc_core.concepts.generic.medians_many import check_bits
from privsc_core.concepts.interval.cut_laws import cut_law, points_of
from privsc_core.concepts.interval.distributions import Hard
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.style import Style
from privsc_core.concepts.trace import choice
from privsc_core.concepts.unlabelled import WithUnlabelled
from privsc_core.errors import InputError
from privsc_core.numerics.text import span, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.generic.medians import Cut
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Generic"]

_LEVELS_MOST = 12  # 4095 cuts


@dataclass(frozen=True)
class Generic(WithUnlabelled, Learner):
    """Cut the domain by medians of medians of u points, then choose among the cuts.

    Parameters
    ----------
    u : int
        Unlabelled examples.
    levels : int
        Of the tree of medians, 1 to 12: up to 2^levels - 1 cuts.

    Notes
    -----
    Every level is a private median of each node's points at eps / levels. The concepts are c_b for
    every cut b, and c_{T+1}. S and D are disjoint, so the whole is eps-private. Time
    O(m log m + u log u + levels * u) up to d = 62.
    """

    u: int = 4000
    levels: int = 4

    name: ClassVar[str] = "generic"
    title: ClassVar[str] = "GenericLearner"
    source: ClassVar[Source] = Source(
        "BNS15", "Algorithm 1, with private medians as sanitizer (ours)"
    )
    summary: ClassVar[str] = (
        "Cuts the domain by private medians of u unlabelled examples, and chooses among the cuts "
        "with m labelled ones."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard": "rao-blackwell"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("j",)
    style: ClassVar[Style] = Style("#128a86", "dash", "diamond-tall")
    caveat: ClassVar[str] = (
        "Four levels of medians: with fewer labels than about 176 at ε = 1/2 no number of people "
        "suffices on hard. Runs up to d = 62."
    )

    def __post_init__(self) -> None:
        """Refuse a tree that is too deep."""
        if not 1 <= self.levels <= _LEVELS_MOST:
            raise InputError("levels", f"must be from 1 to {_LEVELS_MOST}", self.levels)

    def audited(self) -> Self:
        """Return the variant for the tiny instance, with two levels of cuts."""
        return replace(super().audited(), levels=2)

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def cut_rate(self, epsilon: float) -> float:
        """Return the factor of a median's score; eps / 2 over the levels is what privacy allows."""
        return 0.5 * epsilon / self.levels

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
        """Draw the cuts, then one of them."""
        del alpha, beta
        check_bits(sample.d)
        labelled, people = sample.parts(self.u)
        size = sample.domain_size
        cuts = drawn_cuts(
            Node.of(points_of(people), size), self.levels, self.cut_rate(epsilon), rng
        )
        listed = _listed(cuts, size)
        mistakes = _mistakes(labelled, listed)
        weights = -self.score_rate(epsilon) * mistakes
        pick, best = draw(weights, rng)
        if recorder is not None:
            _tell(recorder, cuts, people.size, sample.d, self.levels)
            recorder.mechanism(
                choice(
                    name=lambda row: _name(listed[row], sample.d, recorder.target),
                    members=lambda _row: "1", scores=mistakes, log_weights=weights, best=best,
                    drawn=pick, target=recorder.row_of_target({j: i for i, j in enumerate(listed)}, None),
                    what="thresholds",
                ),
                f"One threshold for every cut, and one behind the whole domain: {len(listed):,} in place of "
                f"{whole(size + 1, sample.d)}. Their scores are their mistakes on the "
                f"{labelled.size:,} labelled examples.",
                epsilon=epsilon,
            )  # fmt: skip
        return Threshold(listed[pick])

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, over all sets of cuts of a tiny domain."""
        del alpha, beta, public
        labelled, people = sample.parts(self.u)
        size = sample.domain_size
        mistakes = _mistakes(labelled, range(1, size + 2))
        found = np.zeros(size + 1)
        law = law_of_cuts(Node.of(points_of(people), size), self.levels, self.cut_rate(epsilon))
        for cuts, chance in law.items():
            places = np.array([*cuts, size + 1]) - 1
            found[places] += chance * probabilities(-self.score_rate(epsilon) * mistakes[places])
        return dict(zip(range(1, size + 2), found.tolist(), strict=True))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over drawn samples and cuts."""
        if not isinstance(distribution, Hard):
            raise InputError("distribution", "must be hard", distribution.label)
        return cut_law(distribution, setting, self.u, self.levels, self.score_rate, self.cut_rate)


def _listed(cuts: Sequence[Cut], size: int) -> list[int]:
    return [*sorted(cut.at for cut in cuts), size + 1]


def _name(j: int, d: int, target: int | None) -> str:
    return f"j = {whole(j, d)}" + (" (target)" if j == target else "")


def _mistakes(sample: Sample, thresholds: Sequence[int]) -> NDArray[np.float64]:
    """Return the mistakes of thresholds on the labelled examples."""
    positive, negative = sample.tallies()
    points = np.array(sample.points, dtype=np.int64).reshape(-1)
    order = np.argsort(points)
    lost = np.concatenate(([0], np.cumsum((negative - positive)[order])))
    below = np.searchsorted(points[order], np.array(thresholds, dtype=np.int64))
    return np.asarray(positive.sum() + lost[below], dtype=np.float64)


def _tell(recorder: Recorder, cuts: Sequence[Cut], people: int, d: int, levels: int) -> None:
    """Tell the medians, a step a level."""
    for level in range(levels):
        own = [cut for cut in cuts if cut.level == level]
        if not own:
            break
        shown = "; ".join(
            f"{whole(cut.at, d)} in {span(cut.low, cut.high, d)} ({cut.count:,})" for cut in own[:8]
        )
        start = f"{people:,} unlabelled examples: a" if not level else "A"
        recorder.step(
            f"Medians, level {level + 1}",
            f"{start} private median of every range, ε/{levels} for the level; what lies on a cut is dropped. "
            f"Cut, range and how many it holds: {shown}{'; …' if len(own) > 8 else '.'}",
        )
