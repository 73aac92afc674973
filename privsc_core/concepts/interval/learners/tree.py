"""The (epsilon, delta)-private learners of thresholds: one choice among the nodes of a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Learner, Source
from privsc_core.concepts.interval.distributions import Hard, Threshold
from privsc_core.concepts.interval.ladders import hard_span, ladder_law, law_beyond
from privsc_core.concepts.interval.nodes import Candidates, Scale
from privsc_core.concepts.interval.trace import tell_tree
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.numerics.logspace import draw, probabilities

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# From so many bits on the chance of a random threshold is below all rounding.
_NO_LUCK = 48


@dataclass(frozen=True)
class Tree(WithSlack, Learner):
    """Pick a node of the tree of thresholds, with a lump for none, in O((m + d) log m).

    For the scores see `interval.nodes` and, of further depths, `interval.stages`; the weight of a
    threshold is e^{eps score / 2} - 1, that of a uniformly random one
    C = k max(1, (e^{eps/2} - 1) / delta), k as in `candidates_most`: d + 1 at depth 1.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    apart : bool
        Whether `output_distribution` lists what is drawn, nodes and the lump.
    depth : int
        1 for the tree of thresholds alone; each further one is a tree over the levels of the one before.
    log2_d : float
        Above 0 the law is that at log2(d + 1) = log2_d, see `Grown.beyond`.

    Notes
    -----
    (eps, delta)-DP. One replaced example moves P, N and E by at most 1 and D by at most 2, so a
    score by at most 1. With w' <= e^(eps/2) w + (e^(eps/2) - 1) for each weight and at most k
    candidates, the sum Z of all weights becomes at most C + e^(eps/2) (Z - C) + k (e^(eps/2) - 1)
    <= e^(eps/2) Z, as C >= k. So w'/Z' <= e^eps w/Z + (e^(eps/2) - 1)/C, and k times the excess is
    at most delta.
    """

    delta: float = 1e-6
    apart: bool = False
    depth: int = 1
    log2_d: float = 0.0

    name = "tree"
    title = "Tree of thresholds"
    source = Source("ours", "one level of RecConcave (Beimel, Nissim, Stemmer 2013b) in one shot")
    summary = (
        "Scores at most d + 1 thresholds: nodes of a binary tree that lie between the labels. It picks one of them "
        "with probability proportional to exp(ε · score / 2) − 1, or a random threshold. With δ > 0 the number of "
        "examples grows only with log d."
    )
    derivation = (
        r"A score is the smallest of several terms, and one replaced example changes each of them by at most 1. "
        r"The terms are counts of examples, and half the difference $D$ of two counts, where $D$ changes by at "
        r"most 2. Where the levels of a tree are searched by a further tree, minima over fixed positions and "
        r"medians with 0 keep this. The differences are monotone along the domain on every sample. So each level "
        r"has at most one cell with a score above 0, and at most $k$ thresholds have one: $k = d+1$ for a single "
        r"tree, and fewer where its levels are searched by further trees."
        "\n\n"
        r"Threshold $t$ with score $s_t$ has the weight $w_t = e^{\varepsilon s_t/2} - 1$, and a uniformly random "
        r"threshold has the weight $C = k\max(1, (e^{\varepsilon/2}-1)/\delta)$. Each weight becomes at most "
        r"$e^{\varepsilon/2} w_t + (e^{\varepsilon/2}-1)$. So the sum $Z$ of all weights becomes at most $C + "
        r"e^{\varepsilon/2}(Z-C) + k(e^{\varepsilon/2}-1) \le e^{\varepsilon/2} Z$, as $C \ge k$. Hence $w'_t/Z' "
        r"\le e^{\varepsilon} w_t/Z + (e^{\varepsilon/2}-1)/C$, and $k$ times the excess is at most $\delta$. "
        r"$\square$"
    )
    privacy = "approximate"
    proper = True
    efficient = True
    laws = {
        "hard": "exact", "band": "rao-blackwell", "uniform": "rao-blackwell",
        "cascade": "rao-blackwell",
    }  # fmt: skip
    reads = ("beta",)
    tiny = Cell(d=2, m=4, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("j",)
    symmetric = True
    caveat = (
        "(ε, δ)-private, for δ > 0 only, so lower bounds for pure privacy do not apply to it. The number of examples "
        "depends on the place of the target in the tree. The target T/2 is the easiest, and a target with "
        "alternating binary digits is hard."
    )

    enumerated = (
        "The outputs listed are the drawn node, or that a random threshold is drawn. They say more than the "
        "threshold alone."
    )

    def audited(self) -> Tree:
        """Return the variant that tells the lump from the nodes: on tiny domains it would hide them."""
        return replace(self, apart=True)

    def scale(self, d: int, epsilon: float, beta: float) -> Scale:
        """Return what the setting fixes, or refuse a delta of 0."""
        return Scale.of(d=d, epsilon=epsilon, beta=beta, delta=self.delta, depth=self.depth)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw a candidate, or a threshold at random."""
        scale = self.scale(sample.d, at.epsilon, at.beta)
        candidates, weights = self._weighed(sample, scale)
        pick, best = draw(weights, rng)
        if pick < candidates.level.size:
            j = candidates.output(pick)
        else:
            j = 1 + uniform_below(rng, sample.domain_size + 1)
        if recorder is not None:
            tell_tree(recorder, sample, candidates, weights, best, scale, at.epsilon, self.delta)
        return Threshold(j)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        candidates, weights = self._weighed(sample, self.scale(sample.d, at.epsilon, at.beta))
        chances = probabilities(weights).tolist()
        if self.apart:
            nodes: dict[Hashable, float] = dict.fromkeys(range(1, 2 << sample.d), 0.0)
            for place, chance in enumerate(chances[:-1]):
                nodes[candidates.node(place)] += chance
            return nodes | {"lump": chances[-1]}
        last = sample.domain_size + 1
        found: dict[Hashable, float] = dict.fromkeys(range(1, last + 1), chances[-1] / last)
        for place, chance in enumerate(chances[:-1]):
            found[candidates.output(place)] += chance
        return found

    def _weighed(self, sample: Sample, scale: Scale) -> tuple[Candidates, NDArray[np.float64]]:
        """Return the candidates and the log weights of them and, last, of the lump."""
        candidates = Candidates.of(sample, scale)
        return candidates, np.append(scale.log_gain(candidates.score), scale.log_lump)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `hard`, elsewhere averaged over simulated samples."""
        if self.log2_d:
            return law_beyond(distribution, self._own(setting), self.depth, self.log2_d)
        return ladder_law(distribution, self._own(setting), self.depth)

    def sized(self, log2_d: float) -> Tree:
        """Return the variant for domains of any size."""
        return replace(self, log2_d=log2_d)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls: at further depths other candidates come before the target."""
        return self.depth == 1 or self.laws.get(distribution.name) != "exact"

    def monotone_at(self, distribution: Distribution, setting: Setting) -> NDArray[np.bool_]:
        """Return where it never falls: at depth 1, and where the lump hits the target with no chance at all."""
        everywhere = self.monotone(distribution, setting.alpha)
        return np.broadcast_to(everywhere | (setting.d >= _NO_LUCK), setting.shape)

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return the laws at both ends where success never falls, else bounds of what the lump adds to them."""
        if self.monotone(distribution, first.alpha) or not isinstance(distribution, Hard):
            return super().span(distribution, first, last)
        return hard_span(distribution, self._own(first), self._own(last))

    def _own(self, setting: Setting) -> Setting:
        return replace(setting, delta=setting.delta or self.delta)


@dataclass(frozen=True)
class Tree2(Tree):
    """`Tree` of depth 2: a tree over the levels of the tree of thresholds."""

    depth: int = 2

    name = "tree-2"
    title = "Tree of thresholds, depth 2"
    source = Source(
        "ours",
        "two levels of the recursion of Bun, Nissim, Stemmer and Vadhan (2015) in one choice",
    )
    summary = (
        "Searches the levels of the tree of thresholds by a second tree, and scores at most 2⌈log₂(d + 1)⌉ + 1 "
        "thresholds. It picks one of them with probability proportional to exp(ε · score / 2) − 1, or a random "
        "threshold. With δ > 0 the number of examples grows only with log log d."
    )
    caveat = (
        "(ε, δ)-private, for δ > 0 only, so lower bounds for pure privacy do not apply to it. At equal weights it "
        "needs about 5/3 of the examples of the learner tree. Its advantage begins where a point has millions of bits."
    )


@dataclass(frozen=True)
class Tree3(Tree2):
    """`Tree` of depth 3: a third tree over the levels of the second."""

    depth: int = 3

    name = "tree-3"
    title = "Tree of thresholds, depth 3"
    source = Source(
        "ours",
        "three levels of the recursion of Bun, Nissim, Stemmer and Vadhan (2015) in one choice",
    )
    summary = (
        "Searches the levels of the tree of thresholds by a tree, and the levels of this tree by a third one. It "
        "picks one of a few thresholds with probability proportional to exp(ε · score / 2) − 1, or a random "
        "threshold. With δ > 0 the number of examples grows only with log log log d."
    )
    laws = dict.fromkeys(Tree.laws, "rao-blackwell")
    caveat = (
        "(ε, δ)-private, for δ > 0 only, so lower bounds for pure privacy do not apply to it. Each further depth "
        "needs nearly twice the examples. This depth needs fewer than depth 2 only at more than 2^(2^29) bits."
    )
