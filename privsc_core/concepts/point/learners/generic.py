"""GenericLearner for points: unlabelled examples make a small class, labelled ones choose in it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import certain, exact
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.unlabelled_laws import (
    generic_law,
    stable_shares,
    threshold_of,
    with_labels,
)
from privsc_core.concepts.sample import uniform_point
from privsc_core.concepts.slack import WithSlack
from privsc_core.concepts.style import Style
from privsc_core.concepts.trace import choice
from privsc_core.concepts.unlabelled import WithUnlabelled
from privsc_core.errors import InputError
from privsc_core.numerics import flips
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Generic", "GenericFlip", "GenericStable"]

_COINS = (1 << 62) - 1


@dataclass(frozen=True)
class Generic(WithUnlabelled, Learner):
    """Sanitise the unlabelled points, keep one concept per labelling of them, choose by labels.

    Parameters
    ----------
    u : int
        Unlabelled examples.
    spurious : float
        How many cells that nobody is in survive the noise on average, at most half of them.

    Notes
    -----
    Noise Lap(2/eps) on every count of D and a threshold make B; the concepts are c_b for b in B and
    one c_t, t uniformly outside B. The exponential mechanism on S chooses. S and D are disjoint, so
    the whole is eps-private. Time O(m + u + survivors) at any d.
    """

    spurious: float = 0.01

    name: ClassVar[str] = "generic"
    title: ClassVar[str] = "GenericLearner"
    source: ClassVar[Source] = Source("BNS15", "Algorithm 1, with a histogram as sanitizer (ours)")
    summary: ClassVar[str] = (
        "Finds private representatives on u unlabelled examples, and chooses among their labellings "
        "with m labelled ones."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("point",)
    style: ClassVar[Style] = Style("#128a86", "dash", "diamond-tall")
    caveat: ClassVar[str] = (
        "Its threshold is tuned for the hard distribution; nothing is proved for all of them."
    )
    flip: ClassVar[bool] = False
    counted: ClassVar[str] = "Every count of the domain"

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def log_ones(self, *, d: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return that of one point."""
        del d, epsilon, alpha, beta
        return 0.0

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
        """Draw B from the unlabelled points and a concept by the labelled ones."""
        del alpha, beta
        labelled, unlabelled = sample.parts(self.u)
        d, seen = sample.d, unlabelled.points
        tau = self.threshold(d, epsilon)
        kept = self._survivors(unlabelled, epsilon, tau, rng)
        others = frozenset(kept)
        if len(others) < 1 << d:
            kept.append(uniform_point(rng, d, others))
        kept.sort()
        mistakes = _mistakes(labelled, kept)
        weights = -self.score_rate(epsilon) * mistakes
        if self.flip:
            accepts = np.exp(weights - weights.max())
            order = rng.permutation(len(kept))
            pick = next(i for i in itertools.cycle(order.tolist()) if rng.random() < accepts[i])
            best = None
        else:
            pick, best = draw(weights, rng)
        if recorder is not None:
            recorder.step(
                "The unlabelled points",
                f"{unlabelled.size:,} unlabelled examples lie on {len(seen):,} points. {self.counted} "
                f"gets noise Lap(2/ε); those that reach {tau:.1f} survive: {len(others):,}, of which "
                f"{len(others - set(seen)):,} hold nobody.",
            )
            shown = choice(
                name=lambda row: (
                    recorder.name_of(kept[row]) if kept[row] in others else
                    f"{whole(kept[row], d)}, for all 0"
                ),
                members=lambda _row: "1", scores=mistakes, log_weights=weights, best=best,
                drawn=pick, score="mistakes",
                target=recorder.row_of_target({x: row for row, x in enumerate(kept)}, None),
            )  # fmt: skip
            words = (
                f"One concept for every survivor, and one for the labelling all 0: {len(kept):,} in "
                f"place of {whole(1 << d, d)}. Their scores are their mistakes on the "
                f"{labelled.size:,} labelled examples."
            )
            if self.flip:
                recorder.step("The choice", words, shown)
            else:
                recorder.mechanism(shown, words, epsilon=epsilon)
        return Point(kept[pick])

    def threshold(self, d: int, epsilon: float) -> float:
        """Return the noisy count from which on a point survives."""
        return threshold_of(d, epsilon, self.spurious)

    def _survivors(
        self, unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator
    ) -> list[int]:
        """Draw B: seen points, and others among all that nobody is at."""
        kept = _passed(unlabelled, epsilon, tau, rng)
        taken = set(unlabelled.points)
        empty = self._empty_survivors(unlabelled.d, len(taken), epsilon, tau, rng)
        for _ in range(empty):
            point = uniform_point(rng, unlabelled.d, frozenset(taken))
            taken.add(point)
            kept.append(point)
        return kept

    @staticmethod
    def _empty_survivors(
        d: int, seen: int, epsilon: float, tau: float, rng: np.random.Generator
    ) -> int:
        chance = 0.5 * math.exp(-0.5 * epsilon * tau)
        empty = (1 << d) - seen
        if empty <= _COINS:
            return int(rng.binomial(empty, chance))
        return int(rng.poisson(math.exp(d * math.log(2.0) - 0.5 * epsilon * tau - math.log(2.0))))

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output: all sets B of a tiny domain."""
        del alpha, beta, public
        if sample.d > 3:
            raise InputError(
                "d", "must be at most 3 where every set of survivors is listed", sample.d
            )
        labelled, unlabelled = sample.parts(self.u)
        size = sample.domain_size
        counts = np.zeros(size)
        places = np.array(unlabelled.points, dtype=np.intp)[unlabelled.index] - 1
        np.add.at(counts, places, 1.0)
        inside = self._inside(counts, self.threshold(sample.d, epsilon), epsilon)
        every = np.array(list(itertools.product((0, 1), repeat=size)), dtype=bool)
        chances = np.where(every, inside, 1.0 - inside).prod(axis=1)
        weights = -self.score_rate(epsilon) * _mistakes(labelled, list(range(1, size + 1)))
        found = np.zeros(size)
        for kept, chance in zip(every, chances.tolist(), strict=True):
            # With all in B there is no representative.
            classes = (
                [kept] if kept.all() else [_with(kept, t) for t in np.flatnonzero(~kept).tolist()]
            )
            for members in classes:
                found[members] += chance / len(classes) * self._choose(weights[members])
        return dict(zip(range(1, size + 1), found.tolist(), strict=True))

    def _inside(
        self, counts: NDArray[np.float64], tau: float, epsilon: float
    ) -> NDArray[np.float64]:
        """Return how likely each cell survives."""
        gap = (tau - counts) * (0.5 * epsilon)
        small = 0.5 * np.exp(-np.abs(gap))
        return np.where(gap >= 0.0, small, 1.0 - small)

    def _choose(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.flip:
            return flips.first_accepted(np.exp(weights - weights.max()))
        return probabilities(weights)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that with a larger epsilon more points survive, which may be wrong ones."""
        return wanted != "epsilon" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`."""

        def law(profile: Profile, at: Setting) -> Estimate:
            if profile.every_concept_succeeds:
                return certain(at)
            cells = [self._found(*cell, profile.mass, at.log_tail) for cell in at.cells()]
            value, failure = np.array(cells).T
            return exact(value.reshape(at.shape), at, failure.reshape(at.shape))

        return by_profile(distribution, setting, law)

    def _found(
        self, m: int, d: int, epsilon: float, mass: float, log_tail: float
    ) -> tuple[float, float]:
        """Return success and failure on `hard`."""
        return generic_law(m, self.u, d, epsilon, mass, self.spurious, log_tail, flip=self.flip)


@dataclass(frozen=True)
class GenericStable(WithSlack, Generic):
    """The same, but only points that are seen can survive: d plays no role, for a slack.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).

    Notes
    -----
    The stability histogram: noise Lap(2/eps) on the counts of the seen points, and those from
    1 + (2/eps) log(1/(2 delta)) on survive. It is (eps, delta)-private; the choice is eps-private on
    other examples.
    """

    delta: float = 1e-6

    name: ClassVar[str] = "generic-stable"
    title: ClassVar[str] = "GenericLearner, with a slack"
    source: ClassVar[Source] = Source("ours", "BNS15, Algorithm 1, with a stability histogram")
    summary: ClassVar[str] = (
        "As GenericLearner, but only points that occur survive, from 1 + (2/ε) ln(1/(2δ)) people on: neither "
        "labels nor people grow with d."
    )
    privacy: ClassVar[Privacy] = "approximate"
    style: ClassVar[Style] = Style("#447450", "longdashdot", "star-triangle-up")
    caveat: ClassVar[str] = (
        "Private only up to δ: lower bounds for pure privacy do not bind it. Where δ is 0 it uses its own "
        "default, 10⁻⁶."
    )
    counted: ClassVar[str] = "Every count of these"

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    def threshold(self, d: int, epsilon: float) -> float:
        """Return the noisy count from which on a seen point survives."""
        del d
        return 1.0 - 2.0 / epsilon * math.log(2.0 * self.delta)

    def _survivors(
        self, unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator
    ) -> list[int]:
        """Draw B among the seen points."""
        return _passed(unlabelled, epsilon, tau, rng)

    def _inside(
        self, counts: NDArray[np.float64], tau: float, epsilon: float
    ) -> NDArray[np.float64]:
        """Return how likely each cell survives; never where nobody is."""
        return np.where(counts > 0.0, super()._inside(counts, tau, epsilon), 0.0)

    def _found(
        self, m: int, d: int, epsilon: float, mass: float, log_tail: float
    ) -> tuple[float, float]:
        """Return success and failure on `hard`: there are no others that survive."""
        kept = stable_shares(self.u, self.threshold(d, epsilon), epsilon, mass, log_tail)
        return with_labels(kept, m, d, epsilon, mass, 0.0, log_tail)


@dataclass(frozen=True)
class GenericFlip(Generic):
    """The same with permute-and-flip for the choice: never worse on average, as private."""

    name: ClassVar[str] = "generic-flip"
    title: ClassVar[str] = "GenericLearner, permute-and-flip"
    source: ClassVar[Source] = Source("ours", "BNS15, Algorithm 1, with MS20's choice")
    summary: ClassVar[str] = (
        "As GenericLearner, but takes the first survivor in a random order that accepts."
    )
    style: ClassVar[Style] = Style("#b3541e", "dot", "bowtie")
    flip: ClassVar[bool] = True


def _passed(unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator) -> list[int]:
    """Draw which of the seen points survive."""
    seen = unlabelled.points
    counts = np.bincount(unlabelled.index, minlength=len(seen))
    noisy = counts + rng.laplace(0.0, 2.0 / epsilon, len(seen))
    return [point for point, value in zip(seen, noisy.tolist(), strict=True) if value >= tau]


def _with(kept: NDArray[np.bool_], place: int) -> NDArray[np.bool_]:
    found = kept.copy()
    found[place] = True
    return found


def _mistakes(sample: Sample, points: list[int]) -> NDArray[np.float64]:
    """Return the mistakes on the labelled examples of the concept of every point."""
    positive, negative = sample.tallies()
    gain = dict(zip(sample.points, (negative - positive).tolist(), strict=True))
    total = int(positive.sum())
    return np.array([total + gain.get(point, 0) for point in points], dtype=np.float64)
