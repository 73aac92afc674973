"""The learners of parities."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.parity.certificate import by_rank, with_noise
from privsc_core.concepts.parity.distributions import Noisy, Parity, Spikes
from privsc_core.concepts.parity.linear import System, one_of, solved
from privsc_core.concepts.shared.choosing import NonPrivate
from privsc_core.concepts.shared.cube import OverAll
from privsc_core.concepts.shared.inequalities import mechanism_rate
from privsc_core.concepts.shared.laws import by_d, exact, narrowed, rao_blackwell
from privsc_core.concepts.shared.shattered_law import shattered_law
from privsc_core.concepts.shared.trace import Thinned
from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.expectations import uniform_counts
from privsc_core.numerics.logspace import log_domain_scalar
from privsc_core.numerics.sums import walsh

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# -------------------------------------------------------------------------------------------------
# What random linear equations with noisy labels tell: the target, another parity, or nothing at
# all.
#
# Of k equations all labels are right with probability (1 - eta)^k, and then R(k, d) finds the target.
# Else a wrong label contradicts the others unless the vector of all wrong labels is among the values that
# some parity takes on the points: for uniform points with probability E[2^rank - 1] / (2^k - 1), whichever
# labels are wrong, and then no solution is the target. E 2^rank = 2^d R.


SPOILT = "among many equations some are wrong, and then no parity solves them"
"""Why success falls short at every large m, as a clause."""

# So many unknowns more than equations: these are independent to every digit.
_FREE = 60
_LOG2 = math.log(2.0)


def consistent(count: NDArray[Any], d: NDArray[Any]) -> NDArray[np.float64]:
    """Return how likely equations have a solution some of whose labels are wrong; 0 for none."""
    count, d = np.broadcast_arrays(count, d)
    share = np.where(count > 0, 1.0, 0.0)
    # With fewer equations R may be 0 in floats, and the quotient 0/0.
    here = (count > 0) & (count >= d - _FREE)
    size, bits = count[here].astype(np.float64), d[here].astype(np.float64)
    log_found = np.log(solved(size, bits)[0])
    above = bits * _LOG2 + log_found
    spare = (bits - size) * _LOG2 + log_found
    share[here] = np.exp(np.minimum(spare, 0.0)) * np.expm1(-above) / np.expm1(-size * _LOG2)
    return np.minimum(share, 1.0)


def silent(count: NDArray[Any], d: NDArray[Any], eta: float) -> NDArray[np.float64]:
    """Return how likely equations with noisy labels have no solution; it grows with their number."""
    wrong = -np.expm1(count * math.log1p(-eta))
    return np.asarray(wrong * (1.0 - consistent(count, d)))


def boosted(
    found: NDArray[np.float64],
    none: NDArray[np.float64],
    blocks: NDArray[Any] | int,
    d: NDArray[Any],
) -> NDArray[np.float64]:
    """Return the success of the first of some blocks that answers, and of a guess if none does.

    Parameters
    ----------
    found, none : ndarray
        How likely a block finds the target, and says nothing. Success grows with both.
    blocks : ndarray or int
    d : ndarray
        Bits: the guess is right with probability 2^-d.
    """
    tries = sum(none**before * (before < blocks) for before in range(int(np.max(blocks))))
    return np.asarray(found * tries + none**blocks * np.exp2(-np.asarray(d, dtype=np.float64)))


# --- What the runs of several learners of parities tell in the same words ------------------------


def reduced(recorder: Recorder, found: System | None, examples: int, which: str = "") -> None:
    """Add the step of the row reduction of so many examples; `which` says whose."""
    if found is None:
        words = (
            f"{examples:,} examples are {examples:,} equations ⟨r, x⟩ = y modulo 2. Their reduction "
            "ends in 0 = 1: no parity fits them all."
        )
    else:
        fit = f"2^{found.free:,} parities fit" if found.free else "one parity fits"
        words = (
            f"{examples:,} examples are {examples:,} equations ⟨r, x⟩ = y modulo 2 for the {found.d:,} "
            f"bits of r. Reduced, {len(found.rows):,} are left: {found.shown()}. So {fit}."
        )
    recorder.step(f"The row reduction{which}", words)


def coin(recorder: Recorder, found: System | None) -> None:
    """Add the step of the draw among the solutions."""
    if found is not None and not found.free:
        recorder.step("The coin", "There is one solution, and nothing to draw.")
        return
    many = "all parities" if found is None else f"the 2^{found.free:,} solutions"
    recorder.step("The coin", f"One of {many} is drawn, each with the same probability.")


# --- The non-private learner ---------------------------------------------------------------------


@dataclass(frozen=True)
class Erm(NonPrivate):
    """Gaussian elimination: a uniform solution of the equations, any r where there is none."""

    source = Source("KLNRS11", "the learner for parities, without the privacy")
    summary = (
        "Solves equations by Gaussian elimination: every example is a linear equation for the target. The answer is "
        "a random solution."
    )
    proper = True
    laws = {"uniform": "exact", "spikes": "exact", "noisy": "exact"}
    record_keys = ("r",)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return a uniform solution."""
        found = System.of(sample)
        if recorder is not None:
            reduced(recorder, found, sample.size)
            coin(recorder, found)
        return Parity(1 + (found or System(sample.d, {})).draw(rng), sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        good = (System.of(sample) or System(sample.d, {})).solutions()
        return {j: (j - 1 in good) / len(good) for j in range(1, sample.domain_size + 1)}

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return the guess for at least as many independent examples as there are bits."""
        return setting.d + super().initial_guess(distribution, setting)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return R(m, d) on `uniform`; on `spikes` an unseen bit is a coin."""
        if isinstance(distribution, Spikes):
            return shattered_law(
                distribution, setting, lambda m: m, lambda k, *_: np.where(k == 0.0, 0.5, 0.0)
            )
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        if isinstance(distribution, Noisy):
            return _noisy(distribution.eta, setting, setting.m, setting.m)
        found, missed = solved(setting.m, setting.d)
        return exact(found, setting, missed)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls.

        It may, since with noisy labels more equations are soon without a solution.
        """
        return distribution.realizable

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why many examples are too many where labels are wrong."""
        return "" if distribution.realizable else SPOILT

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return the law with the rank of the fewest equations and the noise of the most; and reversed."""
        if not isinstance(distribution, Noisy):
            return super().span(distribution, first, last)
        eta = distribution.eta
        return _noisy(eta, first, first.m, last.m), _noisy(eta, last, last.m, first.m)


def _noisy(
    eta: float, setting: Setting, rank: NDArray[np.int64], wrong: NDArray[np.int64]
) -> Estimate:
    """Return the law with the equations of one m, the wrong labels among those of another."""
    right = np.exp(wrong * math.log1p(-eta)) * solved(rank, setting.d)[0]
    return exact(boosted(right, silent(rank, setting.d, eta), 1, setting.d), setting)


# --- The efficient private learner: elimination on a random part of a block of the sample --------


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
    name = "elimination"
    title = "Private elimination"
    source = Source("ours", "KLNRS11, the learner for parities, with sharp constants")
    summary = (
        "Keeps every example with probability p = tanh(ε/2), and solves the linear equations that are kept. It "
        "sometimes declines to answer, so that no single equation has a large effect. Fast."
    )
    derivation = (
        r"Blocks are disjoint, and what follows them only processes their outputs: so one block decides. It "
        r"declines with probability $\varphi$, and else keeps every example with probability $p$ and answers "
        r"with a random solution of the kept equations, or declines if there is none."
        "\n\n"
        r"One more equation leaves the set of solutions, halves it or empties it. So the probability of each "
        r"answer changes by a factor in $[1-p, 1+p]$, and that of declining by at most $(1-\varphi)p$. To "
        r"exchange an example is to take one away and add one. Thus a block is $\varepsilon$-DP if and only if "
        r"$\frac{1+p}{1-p} \le e^{\varepsilon}$ and $1 + (1-\varphi)\frac{p}{\varphi} \le e^{\varepsilon}$. "
        r"The choices $p = \tanh(\varepsilon/2)$ and $\varphi = (1-p)/(3-p)$ meet both with equality. "
        r"$\square$"
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"uniform": "exact", "spikes": "exact", "noisy": "exact"}
    reads = ("beta",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True  # a block is, and blocks are what is audited
    record_keys = ("r",)
    enumerated = (
        "The audit is of one block, which may also output ⊥ (no answer). Blocks are disjoint, and the rest of the "
        "learner only processes their outputs."
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
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return what the first block that answers says; any parity if all decline."""
        loss = np.array(at.epsilon)
        p, phi = float(self.kept(loss)), float(self.declined(loss))
        many = int(self.blocks(loss, at.beta))
        each = sample.size // many
        for block in range(many):
            part = sample.subset(slice(block * each, (block + 1) * each))
            which = f" of block {block + 1} of {many}"
            if rng.random() < phi:
                if recorder is not None:
                    recorder.step(
                        f"The coin{which}",
                        f"The block declines to answer (⊥): this happens at random, with probability φ = {phi:.4g} "
                        "alone.",
                    )
                continue
            chosen = rng.random(each) < p
            found = System.of(part.subset(chosen))
            if recorder is not None:
                _tell(recorder, part, chosen, found, which, p)
            if found is not None:
                return Parity(1 + found.draw(rng), sample.d)
        if recorder is not None:
            recorder.step(
                "The last resort", "All blocks declined. One of all parities is drawn uniformly."
            )
        return Parity(1 + System(sample.d, {}).draw(rng), sample.d)

    def audited(self) -> Learner:
        """Return a single block, which says ⊥ itself."""
        return replace(self, one_block=True)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, of one block also of ⊥ (None)."""
        loss = np.array(at.epsilon)
        p, phi = float(self.kept(loss)), float(self.declined(loss))
        if self.one_block:
            return _block(sample, p, phi)
        many = int(self.blocks(loss, at.beta))
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
            found = shattered_law(distribution, setting, lambda m: m // many, self._wrong)
            guess = shattered_law(
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
        """Return whether success never falls.

        It may, since with noisy labels more equations are soon without a solution.
        """
        return distribution.realizable

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since epsilon and beta choose the number of blocks, which are whole.
        """
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
        return exact(found, setting, mean(1) if setting.tiny_beta else 1.0 - found)


@dataclass(frozen=True)
class EliminationKlnrs(Elimination):
    """The same with p = eps/4 and phi = 1/2, as we remember the paper's constants."""

    name = "elimination-klnrs"
    title = "Elimination, KLNRS"
    source = Source("KLNRS11", "the learner for parities; constants from memory")
    summary = (
        "Private elimination with p = ε/4 and φ = 1/2, which uses about half of its privacy budget."
    )
    caveat = "the paper's constants are from memory, unverified"
    fewest = 1

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
    """Record what a block keeps and solves."""
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


# --- The exponential mechanism over all 2^d parities ---------------------------------------------


# Up to so many bits the law is averaged over drawn samples where the certificate is wide.
_DRAWN_MOST = 8
# Nothing is drawn where the certificate is so narrow; of up to so many bits only where it has no width.
_NARROW, _NOTHING, _TINY = 1e-4, 1e-13, 3


@dataclass(frozen=True)
class Exponential(OverAll):
    """Pick r with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    The mistakes of all r are (m - walsh(sum of (-1)^y at the examples)) / 2: O(m + d 2^d).
    """

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("V17", "Theorem 8.3; the law is ours")
    summary = (
        "Picks every parity with probability proportional to exp(-ε · mistakes / 2); it goes through "
        "all 2^d of them."
    )
    laws = {"uniform": "rao-blackwell", "spikes": "exact", "noisy": "rao-blackwell"}
    guess_within = {"uniform": 2.0, "noisy": 2.0}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("r",)
    what = "parities"
    counting = (
        "a parity is named by the bits that it adds up. One Walsh-Hadamard transform counts them for "
        "all"
    )
    caveat = (
        "where no simulation is possible (above d = 8 on distributions other than spikes), the curve is a proved "
        "lower limit, and its band ends at a proved upper limit. The band is at most 0.018 wide, with wrong labels "
        "0.06 up to ε = 2 and 0.27 beyond; 0.0001 at d = 16 and ε = 0.5"
    )

    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a parity by its number."""
        return Parity(number, d)

    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every parity, by r."""
        positive, negative = sample.tallies()
        signs = np.zeros(sample.domain_size, dtype=np.int64)
        signs[np.array(sample.points) - 1] = negative - positive
        return np.asarray((sample.size - walsh(signs)) // 2)

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return the guess for parities that are wrong on half of the points, except on `spikes`."""
        if not isinstance(distribution, Spikes):
            setting = replace(setting, alpha=0.5)
        return super().initial_guess(distribution, setting)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `spikes`, where bits are chosen apart; else by its certificate."""
        if isinstance(distribution, Spikes):
            return self.on_spikes(distribution, setting)
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        eta = distribution.eta if isinstance(distribution, Noisy) else 0.0
        return by_d(setting, partial(self._certified, eta=eta))

    def _certified(self, d: int, setting: Setting, eta: float = 0.0) -> Estimate:
        """Return the law at one d: the certificate, or drawn samples where it is wide and d small."""
        if eta:
            least, most, missed = with_noise(
                setting.m, d, 0.5 * setting.epsilon, eta, setting.log_tail
            )
        else:
            least, most, missed = by_rank(setting.m, d, 0.5 * setting.epsilon)
        wide = most - least > (_NOTHING if d <= _TINY else _NARROW)
        if (most - least).max() <= _NOTHING:
            return exact(least, setting, missed)
        if d > _DRAWN_MOST or not wide.any():
            return Estimate(least, least, most, "bracketed", missed)
        part = replace(setting, m=setting.m[wide], d=setting.d[wide], epsilon=setting.epsilon[wide])
        drawn = rao_blackwell(part, lambda *at: _wrong_of_all(d, *at, eta=eta), self._given)
        low = least
        if not eta:  # The guarantee on this distribution.
            lost = log_domain_scalar(d, 1) - mechanism_rate(setting.epsilon, 0.5) * setting.m
            low = np.where(wide, np.clip(-np.expm1(lost), least, most), least)
        proved = Estimate(least, low, np.where(wide, most, least), "rao-blackwell")
        return narrowed(proved, wide, drawn)

    def _given(self, _: int, epsilon: float, wrong: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of success given the wrong labels of all r, the target's first."""
        rate = self.score_rate(epsilon)
        # Further off no weight is a float.
        behind = np.minimum(wrong - wrong.min(axis=1, keepdims=True), 800.0 / rate)
        weights = np.exp(-rate * behind)
        return np.asarray(weights[:, 0] / weights.sum(axis=1))


def _wrong_of_all(
    d: int, m: int, trials: int, rng: np.random.Generator, *, eta: float = 0.0
) -> tuple[NDArray[np.float64], ...]:
    """Return the mistakes of every r, by its difference from the target, on m uniform points."""
    counts = uniform_counts(m, 1 << d, trials, rng)
    if eta:
        counts = counts - 2 * rng.binomial(counts, eta)
    return (((m - walsh(counts)) // 2).astype(np.float64),)
