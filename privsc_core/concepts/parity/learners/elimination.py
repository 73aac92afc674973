"""The efficient private learner: elimination on a random part of a block of the sample."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import exact
from privsc_core.concepts.parity.distributions import Noisy, Spikes
from privsc_core.concepts.parity.hypotheses import Parity
from privsc_core.concepts.parity.linear import System
from privsc_core.concepts.parity.noise import SPOILT, boosted, silent
from privsc_core.concepts.parity.rank import one_of, solved
from privsc_core.concepts.parity.trace import coin, reduced
from privsc_core.concepts.spikes_law import spikes_law
from privsc_core.concepts.style import AMBER, GREEN, Style
from privsc_core.concepts.trace import Thinned
from privsc_core.numerics.binomial import binomial_expectation

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Elimination", "EliminationKlnrs"]

# The largest probability below 1.
_ALMOST = 1.0 - 2.0**-53
# A quotient of logs that is nearly whole is whole; a chance so small is none.
_ROUNDING, _LEAST = 1e-12, 1e-300
# Of few examples a success as rare as 2^-d is right relative to itself.
_TAIL = 80.0


@dataclass(frozen=True)
class Elimination(Learner):
    """N blocks; each declines with probability phi, else solves a p-part of its examples.

    Attributes
    ----------
    one_block : bool
        Whether to be a single block that says ⊥ itself: what privacy is about.

    Notes
    -----
    A block is eps-DP iff (1+p)/(1-p) <= e^eps and 1 + (1-phi) p/phi <= e^eps: one more equation
    leaves the space of solutions, halves or empties it, so that a density moves by a factor
    in [1-p, 1+p] and the probability of ⊥ by at most (1-phi) p. Blocks are disjoint, and the
    first answer of all is post-processing.

    All N decline by their coins with probability phi^N, and then a guess is right with probability
    2^-d. Else the first block whose coin does not decline answers, if the labels are right, and finds the
    target as a sample of that size does.
    """

    one_block: bool = False

    fewest: ClassVar[int] = 2
    name: ClassVar[str] = "elimination"
    title: ClassVar[str] = "Private elimination"
    source: ClassVar[Source] = Source(
        "ours", "KLNRS11, the learner for parities, with sharp constants"
    )
    summary: ClassVar[str] = (
        "Keeps every example with probability p = tanh(ε/2) and solves the linear equations; declines "
        "now and then, so that no equation can give itself away. Fast."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"uniform": "exact", "spikes": "exact", "noisy": "exact"}
    reads: ClassVar[tuple[str, ...]] = ("beta",)
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True  # a block is, and blocks are what is audited
    record_keys: ClassVar[tuple[str, ...]] = ("r",)
    style: ClassVar[Style] = GREEN
    enumerated: ClassVar[str] = (
        "One block is audited, with ⊥ for an output of its own: blocks are disjoint, and the rest "
        "only processes what they say."
    )

    def blocks(self, epsilon: NDArray[np.float64], beta: float) -> NDArray[np.int64]:
        """Return N: the least, from `fewest` on, with phi^N + phi^{N+1} <= beta.

        All coins may say ⊥ with phi^N; what is left of beta is for the blocks that answer, and it is at
        least phi^{N+1}. If it were next to nothing, next to no number of examples would be enough, though
        few are for a smaller beta, which has one more block.

        So a larger beta never needs more. The chance that k examples leave the wrong answer is
        log-concave in k: the dimension of the solutions is a pure death chain, whose hazard grows. At
        beta = phi^N + phi^{N+1}, where N changes, N blocks may err with about phi^{N+1} and N + 1 blocks with
        about phi^N: a block of the former needs at most (N+1)/N as many examples.
        """
        rate = -np.log(np.maximum(self.declined(epsilon), _LEAST))
        many = (np.log1p(np.exp(-rate)) - math.log(beta)) / rate
        return np.maximum(np.ceil(many - _ROUNDING), self.fewest).astype(np.int64)

    def kept(self, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return p, the probability to keep an example."""
        return np.asarray(np.tanh(0.5 * epsilon))

    def declined(self, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return phi = (1 - p) / (3 - p), the probability that a block declines."""
        return np.asarray(np.exp(-epsilon) / (1.0 + 2.0 * np.exp(-epsilon)))

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
        """Return what the first block that answers says; any parity if all decline."""
        del alpha
        loss = np.array(epsilon)
        p, phi = float(self.kept(loss)), float(self.declined(loss))
        many = int(self.blocks(loss, beta))
        each = sample.size // many
        for block in range(many):
            part = sample.subset(slice(block * each, (block + 1) * each))
            which = f" of block {block + 1} of {many}"
            if rng.random() < phi:
                if recorder is not None:
                    recorder.step(
                        f"The coin{which}",
                        f"The block declines, ⊥, by a coin of probability φ = {phi:.4g} alone.",
                    )
                continue
            chosen = rng.random(each) < p
            found = System.of(part.subset(chosen))
            if recorder is not None:
                _tell(recorder, part, chosen, found, which, p)
            if found is not None:
                return Parity(1 + found.draw(rng), sample.d)
        if recorder is not None:
            recorder.step("The last resort", "All blocks declined. One of all parities is drawn.")
        return Parity(1 + System(sample.d, {}).draw(rng), sample.d)

    def audited(self) -> Learner:
        """Return a single block, which says ⊥ itself."""
        return replace(self, one_block=True)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, of one block also of ⊥ (None)."""
        del alpha, public
        loss = np.array(epsilon)
        p, phi = float(self.kept(loss)), float(self.declined(loss))
        if self.one_block:
            return _block(sample, p, phi)
        many = int(self.blocks(loss, beta))
        each = sample.size // many
        total: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 1), 0.0)
        left = 1.0
        for block in range(many):
            said = _block(sample.subset(slice(block * each, (block + 1) * each)), p, phi)
            for j in total:
                total[j] += left * said[j]
            left *= said[None]
        return {j: chance + left / sample.domain_size for j, chance in total.items()}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: a block that does not decline solves Bin(m / N, p) equations."""
        if isinstance(distribution, Noisy):
            return self._noisy(distribution, setting, setting.m, setting.m)
        many = self.blocks(setting.epsilon, setting.beta)
        if isinstance(distribution, Spikes):
            found = spikes_law(distribution, setting, lambda m: m // many, self._wrong)
            guess = spikes_law(
                distribution,
                replace(setting, m=np.ones_like(setting.m)),
                lambda m: 0 * m,
                self._wrong,
            )
        else:
            distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
            found = self._solved(setting, setting.m // many)
            blind, missed = solved(0 * setting.m, setting.d)
            guess = exact(blind, setting, missed)
        silent = np.broadcast_to(self.declined(setting.epsilon) ** many, setting.shape)
        value = (1.0 - silent) * found.value + silent * guess.value
        if found.failure is None or guess.failure is None:
            return exact(value, setting)
        return exact(value, setting, (1.0 - silent) * found.failure + silent * guess.failure)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell that with noisy labels more equations are soon without a solution."""
        del alpha
        return distribution.realizable

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that epsilon and beta choose the number of blocks, which are whole."""
        return wanted not in {"beta", "epsilon"} and super().eases(distribution, wanted)

    def at_best(
        self, distribution: Distribution, wanted: Demand
    ) -> Callable[[Setting, Setting], Estimate] | None:
        """Return the law at the larger epsilon, of as many blocks as one end has and as large as of the other.

        With noisy labels that is told of beta alone. The wrong ones are then those of the smallest blocks;
        more blocks help unless they find less than a guess does, and then fewer do.
        """
        if wanted not in {"beta", "epsilon"}:
            return super().at_best(distribution, wanted)
        if wanted == "epsilon" and not distribution.realizable:
            return None

        def most(hard: Setting, easy: Setting) -> Estimate:
            many, few = (self.blocks(end.epsilon, end.beta) for end in (hard, easy))
            large, small = many * (easy.m // few), few * (easy.m // many)
            if not isinstance(distribution, Noisy):
                phi = self.declined(easy.epsilon)
                # It takes as many blocks, or where all decline next to never at least two.
                beta = max(float((phi**many * (1.0 + phi)).item()), _LEAST)
                return self.success(distribution, replace(easy, m=large, beta=beta))
            either = [
                self._noisy(distribution, hard, large, hard.m).value,
                self._noisy(distribution, easy, easy.m, small).value,
            ]
            return exact(np.maximum(*either), easy)

        return most

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why many examples are too many where labels are wrong."""
        del alpha
        return "" if distribution.realizable else SPOILT

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return the law with the rank of the fewest equations and the noise of the most; or reversed."""
        if not isinstance(distribution, Noisy):
            return super().envelope(distribution, first, last, upper=upper)
        if upper:
            return self._noisy(distribution, last, last.m, first.m)
        return self._noisy(distribution, first, first.m, last.m)

    def _noisy(
        self,
        distribution: Noisy,
        setting: Setting,
        rank: NDArray[np.int64],
        wrong: NDArray[np.int64],
    ) -> Estimate:
        """Return the law with the equations of one m, the wrong labels among those of another.

        All K ~ Bin(s, p) labels kept are right: E (1 - eta)^K R(K) = (1 - p eta)^s E R(K'), with K' of
        probability p (1 - eta) / (1 - p eta).
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        blocks, eta = self.blocks(setting.epsilon, setting.beta), distribution.eta
        every: list[NDArray[Any]] = [
            np.broadcast_to(x, setting.shape).ravel()
            for x in (rank // blocks, wrong // blocks, setting.d, setting.epsilon, blocks)
        ]
        # Numbers of examples side by side have blocks alike.
        new = np.zeros(every[0].size, dtype=np.bool_)
        new[:1] = True
        for column in every:
            new[1:] |= column[1:] != column[:-1]
        size, most, d, epsilon, many = (column[new] for column in every)
        p, phi = np.minimum(self.kept(epsilon), _ALMOST), self.declined(epsilon)

        def mean(chance: NDArray[np.float64], kernel: Callable[..., Any]) -> NDArray[np.float64]:
            found = kernel(0 * size, d)
            for bits in np.unique(d).tolist():
                here = np.flatnonzero((d == bits) & (size > 0))
                if here.size:
                    found[here] = binomial_expectation(
                        size[here], chance[here], (),
                        lambda count, _, bits=bits: kernel(count, np.array(bits)),
                        rate=1.0, log_tail=max(setting.log_tail, _TAIL),
                    )  # fmt: skip
            return np.asarray(found)

        right = np.exp(most * np.log1p(-p * eta))
        told = right * mean(p * (1.0 - eta) / (1.0 - p * eta), lambda k, bits: solved(k, bits)[0])
        none = phi + (1.0 - phi) * mean(p, lambda k, bits: silent(k, bits, eta))
        value = boosted((1.0 - phi) * told, none, many, d)[np.cumsum(new) - 1]
        return exact(value.reshape(setting.shape), setting)

    def _wrong(self, k: NDArray[np.float64], epsilon: float, _cell: int) -> NDArray[np.float64]:
        """Return how likely a bit is wrong that the block saw k times: all k left out, and the coin."""
        p = np.minimum(self.kept(np.asarray(epsilon)), _ALMOST)
        return np.asarray(0.5 * np.exp(k * np.log1p(-p)))

    def _solved(self, setting: Setting, size: NDArray[np.int64]) -> Estimate:
        """Return E R(K, d) for K ~ Bin(size, p)."""
        p = np.minimum(self.kept(setting.epsilon), _ALMOST)

        def mean(side: int) -> NDArray[np.float64]:
            return binomial_expectation(
                size, float(p.item()) if p.size == 1 else p, (setting.d.astype(np.float64),),
                lambda count, _rest, d: one_of(side, count, d),
                rate=math.inf, log_tail=max(setting.log_tail, _TAIL),
            )  # fmt: skip

        found = mean(0)
        return exact(found, setting, mean(1) if setting.extreme else 1.0 - found)


@dataclass(frozen=True)
class EliminationKlnrs(Elimination):
    """The same with p = eps/4 and phi = 1/2, as we remember the paper's constants."""

    name: ClassVar[str] = "elimination-klnrs"
    title: ClassVar[str] = "Elimination, KLNRS"
    source: ClassVar[Source] = Source("KLNRS11", "the learner for parities; constants from memory")
    summary: ClassVar[str] = (
        "Private elimination with p = ε/4 and φ = 1/2, which uses about half of its privacy budget."
    )
    caveat: ClassVar[str] = "the paper's constants are from memory, unverified"
    style: ClassVar[Style] = AMBER
    fewest: ClassVar[int] = 1

    def kept(self, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return eps/4, and no more than what is private where epsilon is above 3.8."""
        return np.asarray(np.minimum(0.25 * epsilon, np.tanh(0.5 * epsilon)))

    def declined(self, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1/2."""
        return np.full(epsilon.shape, 0.5)


def _block(sample: Sample, p: float, phi: float) -> dict[Hashable, float]:
    """Return what one block says, by every set of different examples that it may keep."""
    examples = list(zip(sample.index.tolist(), sample.labels.tolist(), strict=True))
    counts = Counter(examples)
    chances: dict[Hashable, float] = dict.fromkeys(range(1, (1 << sample.d) + 1), 0.0)
    chances[None] = phi
    first = [examples.index(example) for example in counts]
    for kept in product((False, True), repeat=len(counts)):
        chance = 1.0 - phi
        for one, number in zip(kept, counts.values(), strict=True):
            none = (1.0 - p) ** number
            chance *= 1.0 - none if one else none
        rows = np.array([row for row, one in zip(first, kept, strict=True) if one], dtype=np.intp)
        found = System.of(sample.subset(rows))
        if found is None:
            chances[None] += chance
            continue
        good = found.solutions()
        for r in good:
            chances[r + 1] += chance / len(good)
    return chances


def _tell(
    recorder: Recorder,
    part: Sample,
    chosen: NDArray[np.bool_],
    found: System | None,
    which: str,
    p: float,
) -> None:
    """Tell what a block keeps and solves."""
    names = ("label 0", "label 1")
    every = np.bincount(part.labels, minlength=2).tolist()
    some = np.bincount(part.labels[chosen], minlength=2).tolist()
    recorder.step(
        f"The part{which} that is kept",
        f"Of its {part.size:,} examples each is kept with probability p = {p:.4g}: {sum(some):,} are.",
        Thinned(names, tuple(every), tuple(some)),
    )
    reduced(recorder, found, sum(some), which)
    if found is None:
        recorder.step(f"The answer{which}", "⊥: no parity fits what was kept.")
    else:
        coin(recorder, found)
