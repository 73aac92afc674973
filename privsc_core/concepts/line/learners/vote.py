"""The (epsilon, delta)-private learner: blocks of the sample vote, and a clear majority is released."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privsc_core.concepts.contracts import Learner, Source, TinyInstance
from privsc_core.concepts.line.hypotheses import KEYS, Empty, Line, Spot
from privsc_core.concepts.line.laws import by_profile
from privsc_core.concepts.line.learners.erm import number_of, outputs_of, through
from privsc_core.concepts.line.plane import LARGEST, Modulus
from privsc_core.concepts.line.votes import block_size, law, released, threshold
from privsc_core.concepts.style import GREEN, Style
from privsc_core.concepts.trace import ROWS_MOST, Noised
from privsc_core.numerics.text import small, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Estimate, Method, Privacy, Setting
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Vote"]


@dataclass(frozen=True)
class Vote(Learner):
    """Release what most blocks fit, if it has clearly more votes than one.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    block : int or None
        Examples of a block; None for ceil(2 / alpha).

    Notes
    -----
    (eps, delta)-DP: replacing one example changes one block, which moves one vote. Where a
    candidate has votes on both sides its noise Lap(2 / eps) costs e^{eps/2}, and at most two such
    counts change. A candidate that is there on one side only has one vote, and passes the threshold
    with probability delta; if it does not, it might as well not be there.
    """

    delta: float = 1e-6
    block: int | None = None
    modulus: Modulus = LARGEST

    name: ClassVar[str] = "vote"
    title: ClassVar[str] = "Vote of blocks"
    source: ClassVar[Source] = Source("ours", "simplifies FX14, Theorem 6.1")
    summary: ClassVar[str] = (
        "Fits every block of 2/α examples, counts equal answers, adds noise Lap(2/ε) to the counts "
        "that are not 0, and releases the largest if it is above 1 + (2/ε) ln(1/(2δ)), else the empty "
        "set: p plays no role."
    )
    privacy: ClassVar[Privacy] = "approximate"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "spread": "rao-blackwell", "anchor": "rao-blackwell", "pair": "rao-blackwell",
        "mixture": "rao-blackwell",
    }  # fmt: skip
    foretold: ClassVar[Mapping[str, float]] = dict.fromkeys(laws, 2.0)
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "anchor": {"d": "only points that are seen count"},
        "pair": {"d": "only points that are seen count"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True  # as it is enumerated, with blocks of one example
    record_keys: ClassVar[tuple[str, ...]] = KEYS
    style: ClassVar[Style] = GREEN
    enumerated: ClassVar[str] = "Each example is a block of its own, so that there are some."
    caveat: ClassVar[str] = (
        "Private only up to δ: lower bounds for pure privacy do not bind it. Where δ is 0 it uses its "
        "own default, 10⁻⁶."
    )

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack; at 0, which it cannot have, itself."""
        return replace(self, delta=delta) if delta > 0.0 else self

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims."""
        return self.delta

    def audited(self) -> Vote:
        """Return the variant with blocks of one example."""
        return replace(self, block=self.block or 1)

    def least(self, epsilon: float) -> float:
        """Return the noisy count that must be passed."""
        return threshold(epsilon, self.delta)

    def votes(self, sample: Sample, alpha: float) -> Counter[Hypothesis]:
        """Return how many blocks fit what, in the order of the blocks; what is left over is not used."""
        t, plane = self.block or block_size(alpha), self.modulus.plane(sample.d)
        seen: list[set[int]] = [set() for _ in range(sample.size // t)]
        places = np.flatnonzero(sample.labels[: len(seen) * t])
        for block, point in zip((places // t).tolist(), sample.index[places].tolist(), strict=True):
            seen[block].add(sample.points[point])
        return Counter(through(plane, sorted(points)) for points in seen)

    @staticmethod
    def noisy(
        votes: Counter[Hypothesis], epsilon: float, rng: np.random.Generator
    ) -> dict[Hypothesis, float]:
        """Return the counts with noise Lap(2 / eps)."""
        noise = rng.laplace(0.0, 2.0 / epsilon, size=len(votes)).tolist()
        return {
            candidate: count + more
            for (candidate, count), more in zip(votes.items(), noise, strict=True)
        }

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
        """Let the blocks vote and release the largest noisy count that passes."""
        del beta
        votes, least = self.votes(sample, alpha), self.least(epsilon)
        noisy = self.noisy(votes, epsilon, rng)
        best = max(noisy, key=noisy.__getitem__, default=None)
        found = best if best is not None and noisy[best] > least else Empty()
        if recorder is not None:
            _tell(recorder, votes, noisy, least, epsilon)
            recorder.step(
                "The release",
                f"The largest noisy count {'passes' if found is best else 'does not pass'} the threshold "
                f"{least:,.4g} = 1 + (2/ε) ln(1/(2δ)), which a candidate of a single vote passes with "
                f"probability δ = {small(self.delta)}. The answer: {found.description}.",
            )
        return found

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Let the blocks vote; of the noisy counts that pass, here whole ones, release the largest."""
        del epsilon, beta
        kept = coins.stable(self.votes(sample, alpha), delta=self.delta)
        return max(kept, key=lambda found: (kept[found], found.description), default=Empty())

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del beta, public
        votes = self.votes(sample, alpha)
        shares = released(list(votes.values()), epsilon, self.delta)
        chances = dict.fromkeys(outputs_of(sample.d, self.modulus.plane(sample.d)), 0.0)
        for candidate, share in zip(votes, shares, strict=True):
            chances[number_of(candidate, sample.d)] += share
        chances[number_of(Empty(), sample.d)] += max(1.0 - sum(shares), 0.0)
        return chances

    def roughly(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where somewhat more than half of the votes are the threshold."""
        t, delta = self.block or block_size(setting.alpha), setting.delta or self.delta
        least = 1.75 * t * threshold(setting.epsilon, delta)
        return np.broadcast_to(least, np.broadcast_shapes(setting.d.shape, least.shape))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law over simulated counts of votes."""
        t, delta = self.block or block_size(setting.alpha), setting.delta or self.delta
        return by_profile(
            distribution, setting, lambda profile, p, part: law(profile, p, part, t, delta)
        )


def _tell(
    recorder: Recorder, votes: Counter[Hypothesis], noisy: Mapping[Hypothesis, float], least: float,
    epsilon: float,
) -> None:  # fmt: skip
    shown = sorted(noisy, key=lambda candidate: -noisy[candidate])[:ROWS_MOST]
    more = len(votes) - len(shown)
    recorder.step(
        "The votes",
        f"{sum(votes.values()):,} blocks vote, for {len(votes):,} different answers. An example moves "
        f"one vote. Laplace noise of mean absolute size {2.0 / epsilon:.3g} (2/ε) is added to each count."
        + (f" Those of {more:,} other answers are smaller than what is shown." if more else ""),
        Noised(
            tuple(_name(candidate) for candidate in shown),
            tuple(votes[candidate] for candidate in shown),
            tuple(noisy[candidate] for candidate in shown),
            least, what="largest", passed="above the threshold", failed="not above it",
        ) if votes else None,
    )  # fmt: skip


def _name(candidate: Hypothesis) -> str:
    match candidate:
        case Line(plane=plane, a=a, b=b):
            bits = plane.p.bit_length()
            return f"y = {whole(a, bits)} x + {whole(b, bits)}"
        case Spot(plane=plane, point=point):
            return f"{plane.name(point)} alone"
    return "empty"
