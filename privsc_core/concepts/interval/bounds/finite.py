"""The bounds for INTERVAL_d from a class's own numbers: Littlestone's dimension, the tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.labels import FLIPS, LabelsBound
from privsc_core.concepts.generic.littlestone import (
    littlestone_limit,
    over_littlestone,
    sharp_littlestones,
)
from privsc_core.concepts.generic.packing import (
    HALFWAY,
    WALK,
    MinimalClassBound,
    PackingBound,
    PackingSlackBound,
    PackingTwoBound,
)
from privsc_core.concepts.generic.rate import FiniteClassBound, NonprivateBound, Theorem32Bound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.interval.nodes import LOG2_D_MOST, Scale, candidates_most
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT, least_allowed
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Cell, Setting


class Nonprivate(NonprivateBound):
    """Two neighbouring thresholds cannot be told apart until the point between is seen."""

    derivation = (
        "The concepts $c_i$ and $c_{i+1}$, $i \\ge 2$, differ on point $i$ only. Put mass $\\alpha$ on $i$ and the "
        "rest on point 1, which both label 1.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are equal, and an output "
        "is accurate for at most one of the two. So for some target the learner fails with probability at least "
        "$\\frac12 (1-\\alpha)^m$."
    )


class Labels(LabelsBound):
    """Two neighbouring thresholds cannot be told apart but by the labels of the point between."""

    without = ("d", "delta")
    derivation = (
        "The concepts $c_i$ and $c_{i+1}$, $i \\ge 2$, differ on point $i$ only. Put mass just over "
        "$\\alpha$ on $i$ and the rest on point 1, which both label 1: no answer is accurate for both."
        f"\n\n{FLIPS}"
    )


class Packing(PackingBound):
    """E[1 / (1 + (T-3) e^{-eps K})], K ~ Bin(m, 2 alpha), must reach 1 - beta."""

    name = "packing"
    legend = "Impossible for every proper ε-DP learner, by the simple packing bound"
    shaded = False
    thin = True
    source = Source(
        "ours",
        "the packing argument on the hard distribution",
        "BBKN13, Lemma 3.9, the packing argument for points",
    )
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[\frac{1}{1+(T-3)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Let the target $c_j$ range over $j = 3, \\dots, T$, with mass $\\alpha$ on each of the "
        "points $j-1$ and $j$ and the rest on point 1. Among thresholds only $c_j$ is accurate, "
        "so the sets of good outputs are disjoint.\n\n"
        "First draw the positions of the $K$ rare examples, and which of them are on the left, "
        "for all targets alike. The samples of two targets then differ in at most $K$ examples. "
        "As for points, "
        "privacy gives $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$ for the average over the "
        "$n = T-2$ targets; then average over $K \\sim \\mathrm{Bin}(m, 2\\alpha)$. $\\square$"
    )
    validity = "for d ≥ 2 and α ≤ 1/2"
    fewer = 3
    one, many = "threshold", "thresholds"
    way_out = (
        "Merging does not help for thresholds. This argument does not apply to improper learners. The Littlestone "
        "bound does, and it grows with d too."
    )

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class PackingTwo(PackingTwoBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (T-3))], K ~ Bin(m, 2 alpha)."""

    name = "packing-two"
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(T-3)}\Bigr] \ge 1-\beta"
    derivation = (
        "The setting of the packing bound: $n = T-2$ targets, and samples $S_i$ that share the positions of the $K$ "
        f"rare examples and which of them are left ones.\n\n{HALFWAY}\n\n"
        "**What this cannot show.** On the hard distribution alone $(x, 1)$, $x \\ge 2$, votes for $c_{x+1}$ and "
        "$(x, 0)$ for $c_x$: the target gets $\\mathrm{Bin}(m, 2\\alpha)$ votes, and the other thresholds get none. "
        "So the margin mechanism of the page Points comes within 8 examples of this bound (519 against 512 at $d = "
        "64$ and the defaults). This mechanism is ε-DP and proper, but no PAC learner of thresholds. It fails on "
        "smooth distributions, where the best two thresholds differ by at most one mistake. So it only shows that "
        "the hard distribution cannot give a much better lower bound. Whether a proper PAC learner of INTERVAL beats "
        "the exponential mechanism by a constant factor is open."
    )
    validity = Packing.validity
    fewer = 3
    one, many = "threshold", "thresholds"
    way_out = Packing.way_out

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class PackingSlack(PackingSlackBound):
    """E[pi_K], K ~ Bin(m, 2 alpha), from pi_0 = 1/(T-2), must reach 1 - beta."""

    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}[\pi_K] \ge 1-\beta,\quad \pi_0 = \tfrac{1}{T-2},\ \pi_{k} = \min\bigl(e^{\varepsilon}\pi_{k-1}+\delta,\ 1-e^{-\varepsilon}(1-\pi_{k-1}-\delta),\ 1\bigr)"
    derivation = (
        "The setting of the packing bound: the target is one of $T-2$ thresholds, and the samples share the "
        f"positions of the $K$ rare examples and which of them are left ones. {WALK}\n\n"
        "It does not grow with $d$ beyond $\\log(1/\\delta)$. For learners that succeed on all distributions more is "
        "needed: other arguments show that with $\\delta > 0$ the sample complexity of thresholds grows as $\\log^* "
        "T$ (see the later results)."
    )
    validity = Packing.validity
    fewer = 2

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class Lemma52(MinimalClassBound):
    """T e^{-eps m} (1-beta) <= beta."""

    name = "lemma-5.2"
    shaded = True
    title = "Lemma 5.2"
    source = Source("BBKN13", "Theorem 3.6, Lemma 5.2")
    statement = r"T\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation = (
        "INTERVAL is $\\alpha$-minimal for itself when $\\alpha < \\frac12$: with half of the mass on each side of "
        "the step only $c_j$ is accurate. Any two databases differ in at most $m$ examples. So on $D_j$ the learner "
        "outputs each of the $T$ other concepts with probability at least $e^{-\\varepsilon m}(1-\\beta)$. All of "
        "them together have probability at most $\\beta$ there.\n\n"
        "The paper states $\\Omega((d + (1/\\beta))/\\varepsilon)$, where $1/\\beta$ should be $\\log(1/\\beta)$."
    )
    proved_on = ("hard",)
    fewer = 0
    validity = "for α < 1/2"
    below = 0.5
    on_hard = Packing()


class FiniteClass(FiniteClassBound):
    """T (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement = r"T\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with probability "
        "at most its own weight $e^{-\\varepsilon M/2}$, where its number of mistakes $M$ "
        "dominates $\\mathrm{Bin}(m,\\alpha)$. On average that is at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T$ such concepts of the $T+1$. $\\square$\n\n"
        "Holds for every distribution and target."
    )
    applies_to = "the exponential mechanism over INTERVAL"
    fewer = 0


class Theorem32(Theorem32Bound):
    """m >= max(8, 4/eps) / alpha * log(2 (T+1) / beta)."""

    statement = r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2(T+1)}{\beta}"
    derivation = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2(T+1)}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2(T+1)}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $(T+1) e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to = "the exponential mechanism over INTERVAL"
    fewer = 0


# --- The sharp lower bound for every pure private learner, improper ones included ----------------


class Improper(Bound):
    """What the bounds for improper learners share.

    They are proved on mixtures over the paths of a binary search. On `hard` only three labels must
    be right, and a random function may have them.
    """

    kind = "lower"
    applies_to = "every purely private learner, proper or not"
    whom = Whom(privacy=("pure",), unlabelled=False)
    shown_on = ("hard",)


class Littlestone(Improper):
    """E min(1, M / (1 + (2^l - 1) e^{-eps K})) >= 1 - beta, K ~ Bin(m, alpha l / j), all l <= d, j."""

    name = "littlestone"
    title = "Littlestone bound"
    legend = "Impossible for every ε-DP learner, proper or not, on some distribution"
    shaded = True
    source = Source("ours", "replaces the entropy of FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\,\alpha l/j)}\Bigl[\min\Bigl(1,\,\frac{M}"
        r"{1+(2^l-1)\,e^{-\varepsilon K}}\Bigr)\Bigr] \ge 1-\beta"
        r"\quad\text{for all } l \le d,\; j > \alpha l,\qquad M = \sum_{i<j} \binom{l}{i}"
    )
    derivation = (
        "**A mistake tree.** Binary search over $c_2, \\dots, c_{T+1}$ is a complete tree of depth $d$. A node asks "
        "for the label of one point. Each of the $2^l$ paths through the upper $l$ levels is consistent with some "
        "concept. Point 1, which all these concepts label 1, is never asked: call it the **dummy**.\n\n"
        "**No hypothesis does better than a fair coin.** Fix any hypothesis $h$. For each path write down at which "
        "of its $l$ nodes $h$ is wrong. This is a bijection onto $\\{0,1\\}^l$: $h$ and the places where $h$ is "
        "wrong determine the path. So $h$ makes exactly $i$ mistakes on $\\binom{l}{i}$ paths, and fewer than $j$ "
        "mistakes on $M = \\sum_{i<j}\\binom{l}{i}$ of them.\n\n"
        "**Few examples tell.** For a path $y$ let $D_y$ put a mass slightly above $\\alpha/j$ on each of its $l$ "
        "nodes and the rest on the dummy: $j$ mistakes fail. Let $G_y$ be the hypotheses that do not, and $p_y$ the "
        "probability that the learner returns one. Choose the positions of the $K \\sim \\mathrm{Bin}(m, \\alpha "
        "l/j)$ examples off the dummy, and their levels, for all paths alike. The samples of two paths then differ "
        "in at most $K$ examples, so $\\Pr_{y'}[G_y] \\ge e^{-\\varepsilon K} p_y$. By the bijection $\\sum_y "
        "\\Pr_{y'}[G_y] \\le M$ for each $y'$; averaged over $y'$ it gives $\\bar p\\,(1 + (2^l-1)e^{-\\varepsilon "
        "K}) \\le M$. Average over $K$. $\\square$\n\n"
        "Feldman and Xiao prove such a bound by communication protocols and entropy. The bound by entropy below has "
        "the constants of that proof. The case $l = j = 1$ is that of two neighbouring thresholds.\n\n"
        "A learner need not fail on the hard distribution of the figures; it fails on some distribution of this "
        "proof.\n\n"
        "The number is the least $m$ that no pair $(l, j)$ excludes, over all pairs up to $l = 64$. For larger $d$, "
        "$l = d$ is tried with many $j$ too, most near $0.155\\,d$, which is best if m is large. Every pair is a "
        "valid bound."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the least m at settings that differ in d and epsilon alone."""
        found = sharp_littlestones(
            tuple(at.d for at in cells), tuple(at.epsilon for at in cells),
            alpha=cells[0].alpha, beta=cells[0].beta,
        )  # fmt: skip
        beyond = f"more than {SEARCH_LIMIT:.0e}: not searched further"
        return [BoundValue(by.m) if by.m else BoundValue(None, beyond) for by in found]

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta, or by how much m is too small."""
        return over_littlestone(at.d, m, epsilon=at.epsilon, alpha=at.alpha, beta=at.beta)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner.

        By two pairs (l, j): that of the number of samples, and that which is best for many.
        """
        return littlestone_limit(setting)


# --- What the learner `tree` guarantees, for every distribution and target -----------------------


_WITHOUT = "says nothing for delta = 0: the learner needs a delta in (0, 0.5)"


def _guarantee(sizes: str) -> str:
    """Return the inequality of a tree with these k and v in LaTeX."""
    return (
        r"\frac{C}{C+g}+\frac{2k}{C+g}\;\mathbb{E}_{X\sim\mathrm{Bin}(m,\alpha)}"
        r"\bigl(e^{\varepsilon(v-X)/2}-1\bigr)^{+}\le\beta,\quad "
        r"C=k\max\Bigl(1,\tfrac{e^{\varepsilon/2}-1}{\delta}\Bigr),\ g=e^{\varepsilon u/2}-1,\ "
        + sizes
    )


@dataclass(frozen=True)
class TreeBound(SearchBound):
    """C / (C + g) + 2 k E[(e^{eps (v - X) / 2} - 1)^+] / (C + g), X ~ Bin(m, alpha).

    Parameters
    ----------
    depth : int
        r, how often the levels of a tree are the positions of the next; then k and v are
        as in `candidates_most` and `Scale`.
    log2_d : float
        Above 0 the guarantee is that at log2(d + 1) = log2_d.
    """

    depth: int = 1
    log2_d: float = 0.0

    name = "tree"
    title = "Tree of thresholds"
    legend = "Guaranteed: tree of thresholds"
    source = Source(
        "ours",
        "every distribution and target",
        "BNS13b, RecConcave, with a rate in place of our constants",
    )
    without = ()
    kind = "upper"
    statement = (
        r"\frac{C}{C+g}+\frac{2(d+1)}{C+g}\;\mathbb{E}_{X\sim\mathrm{Bin}(m,\alpha)}"
        r"\bigl(e^{\varepsilon(v-X)/2}-1\bigr)^{+}\le\beta,\quad "
        r"C=(d+1)\max\Bigl(1,\tfrac{e^{\varepsilon/2}-1}{\delta}\Bigr),\ g=e^{\varepsilon u/2}-1,\ v=3u-1"
    )
    derivation = (
        "$u$ is the least whole number with $C/(C+g) \\le \\beta/2$. On a sample that a threshold fits, some "
        "candidate scores at least $u$. To see this, take the deepest node $t$ of the tree with $D(A), -D(B) \\ge "
        "2u$. It exists, because the root has $D(0) = \\infty$, $D(2T) = -\\infty$. Neither of its two halves "
        "qualifies, so $|D(t)| \\le 2u-1$, and where the sample is consistent $E(t) = |D(t)|$ (a leaf is the one "
        "consistent threshold, $E = 0$): $v - E(t) \\ge u$.\n\n"
        "So all weights sum to at least $C + g$, and the answer is a random threshold (weight $C$) with probability "
        "at most $C/(C+g)$. A bad threshold below the target errs on a set of mass above $\\alpha$, and all "
        "thresholds below it err on more. So each of them scores at most $v - E$, with $E \\ge X$ for one $X \\sim "
        "\\mathrm{Bin}(m, \\alpha)$. The same above. There are at most $d+1$ candidates. $\\square$\n\n"
        "About $\\alpha m \\approx "
        "\\frac{2}{\\varepsilon}\\bigl[2\\log\\frac{(d+1)\\varepsilon}{2\\delta\\beta}+\\log\\frac{d+1}{\\beta}\\bigr]$: "
        "the logarithm of the number of bits, and that of $1/\\delta$."
    )
    applies_to = "the learner tree"
    whom = Whom("tree")
    validity = "for δ > 0"

    def silent(self, at: Cell) -> str:
        """Return that nothing is said without a slack."""
        return _WITHOUT if at.delta == 0.0 else ""

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised; none without a slack."""
        return None if setting.delta == 0.0 else self.success(setting)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return 1 minus the bound on failure, at least 0."""
        return np.asarray(np.maximum(1.0 - self.failure(setting), 0.0))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the bound on failure, at most 1."""
        d, epsilon = np.broadcast_arrays(setting.d, setting.epsilon)
        trees = [
            self._tree(bits, loss, setting.beta, setting.delta, self.log2_d)
            for bits, loss in zip(d.ravel().tolist(), epsilon.ravel().tolist(), strict=True)
        ]
        columns = (np.array(column).reshape(d.shape) for column in zip(*trees, strict=True))
        return _lost(setting.m, setting.alpha, 0.5 * epsilon, *columns)

    def _tree(
        self, d: int, epsilon: float, beta: float, delta: float, log2_d: float = 0.0
    ) -> tuple[float, float, int, float, float]:
        """Return log C, log g, v, k and log k."""
        scale = Scale.of(
            d=d, log2_d=log2_d, epsilon=epsilon, beta=beta, delta=delta, depth=self.depth
        )
        most = candidates_most(self.depth, d, log2_d)
        return scale.log_lump, float(scale.log_gain(scale.enough)), scale.most, *most

    def leasts_over(self, log2_d: ArrayLike, at: Cell) -> NDArray[np.int64]:
        """Return the least m that suffices, over the log of the number of levels of the tree.

        All places are searched at once, and no domain is formed.

        Parameters
        ----------
        log2_d : array_like
            log2(d + 1) > 0: the domain has d bits, however many. Where no whole d has it, at most as many.
        at : Cell
            The rest of the setting; its d is not read.

        Returns
        -------
        ndarray of int64
            Of the shape of `log2_d`; 0 where more than 10^12 would be needed.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2), and where `log2_d` is not in (0, 2^32].
        """
        levels = np.asarray(log2_d, dtype=np.float64)
        columns = [column[:, None] for column in self._trees(levels, at)]
        rate = np.array(0.5 * at.epsilon)

        def lost(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
            return _lost(m, at.alpha, rate, *(column[which] for column in columns))

        found = least_allowed(
            at.beta, lambda which, m: 1.0 - lost(which, m), lost, guess=columns[2][:, 0] / at.alpha
        )
        return found.reshape(levels.shape)

    def failures_over(self, log2_d: ArrayLike, m: ArrayLike, at: Cell) -> NDArray[np.float64]:
        """Return the bound on failure, at most 1, with m examples at each place; see `leasts_over`."""
        levels, many = np.broadcast_arrays(np.asarray(log2_d, dtype=np.float64), np.asarray(m))
        found = _lost(many.ravel(), at.alpha, np.array(0.5 * at.epsilon), *self._trees(levels, at))
        return found.reshape(levels.shape)

    def _trees(self, levels: NDArray[np.float64], at: Cell) -> list[NDArray[Any]]:
        """Return what `_tree` has of each number of levels, by their logs, in columns."""
        wrong = levels[~((levels > 0.0) & (levels <= LOG2_D_MOST))]
        if wrong.size:
            raise InputError("log2_d", f"must be in (0, {LOG2_D_MOST}]", float(wrong[0]))
        trees = [
            self._tree(0, at.epsilon, at.beta, at.delta, one) for one in levels.ravel().tolist()
        ]
        return [np.array(column) for column in zip(*trees, strict=True)]

    def guess(self, at: Cell) -> float:
        """Return about v / alpha."""
        return self._tree(at.d, at.epsilon, at.beta, at.delta, self.log2_d)[2] / at.alpha

    def sized(self, log2_d: float) -> Self:
        """Return the guarantee for domains of any size."""
        return replace(self, log2_d=log2_d)


@dataclass(frozen=True)
class Tree2Bound(TreeBound):
    """The guarantee at depth 2: k = 2 q + 1 with q = ceil(log2(d + 1)), v = 5 u - 2."""

    depth: int = 2

    name = "tree-2"
    title = "Tree of thresholds, depth 2"
    legend = "Guaranteed: tree of thresholds, depth 2"
    statement = _guarantee(
        r"k=2\lceil\log_2(d+1)\rceil+1,\ v=5u-2",
    )
    derivation = (
        "$u$ is the least whole number with $C/(C+g) \\le \\beta/2$, and $\\theta = 3u-1$. Let $M(l)$ be the least "
        "$E$ at the multiples of $2^l$; it rises with $l$. A second tree stands over the positions $1, \\dots, "
        "2(d+1)$: position $2l$ has the value $f = M(l) - \\theta$, an odd one the median of its neighbours and 0. "
        "A cell $(a, b)$ of it with $f(a) < 0 < f(b)$ and centre $c$ leads to the level $l = \\lceil c/2 \\rceil$: "
        "there to the ends of the cell with $D(A) > 0 > D(B)$, or for odd $c$ to its centre. The score of a threshold "
        "is the least of $-f(a), f(b), D(A)/2, -D(B)/2, v - E$.\n\n"
        "**Some score is at least $u$** on a sample that a threshold fits. Take the deepest cell with $-f(a), f(b) \\ge "
        "u$. If neither half qualifies, $|f(c)| \\le u-1$. So $M(l) \\ge \\theta-u+1 \\ge 2u$, and $D(A)/2$ and "
        "$-D(B)/2$ are at least $u$. One end has $E = M(l) \\le \\theta+u-1$, so $v - E \\ge u$. If the cell has no "
        "halves, its centre leads to a threshold with $E \\le \\theta-u$ inside a cell of depth above $u$.\n\n"
        "**Privacy.** One example moves each term by at most 1. For every sample $f$ and $-D$ rise, so each level of "
        "the second tree has at most one cell and at most two thresholds, the lowest level one. So there are at most $k$ "
        "candidates, and the proof is that of the learner tree.\n\n"
        "The rest is as for the bound of tree, with at most $k$ bad candidates on each side. $\\square$"
    )
    applies_to = "the learner tree-2"
    whom = Whom("tree-2")


@dataclass(frozen=True)
class Tree3Bound(TreeBound):
    """The guarantee at depth 3: k = 4 ceil(log2(q + 1)) + 3 with q = ceil(log2(d + 1)), v = 9 u - 4."""

    depth: int = 3

    name = "tree-3"
    title = "Tree of thresholds, depth 3"
    legend = "Guaranteed: tree of thresholds, depth 3"
    statement = _guarantee(
        r"k=4\lceil\log_2(q+1)\rceil+3,\ q=\lceil\log_2(d+1)\rceil,\ v=9u-4",
    )
    derivation = (
        "As for tree-2, with a third tree over the levels of the second one. There $|f|$ stands for the number of "
        "mistakes. The values are centred at $\\theta_1 = 5u-2$ and $\\theta_2 = 2u-1$.\n\n"
        "**Some score is at least $u$.** In the deepest cell of the third tree, the centre has a value of at most "
        "$w = u-1$. It leads to a level of the second tree whose cell has margins of at least $\\theta_2 - w = u$. One "
        "candidate there has $|f| \\le \\theta_2 + w = 3u-2$. With this in place of $w$ the step to the thresholds gives "
        "margins of at least $u$ and $E \\le \\theta_1 + 3u-2 = 8u-4$, so $v - E \\ge u$.\n\n"
        "**Privacy.** Every term moves by at most 1, and a level of the third tree leads to at most four thresholds, the "
        "lowest one to three: at most $k$ candidates. The rest is as for the bound of tree. $\\square$"
    )
    applies_to = "the learner tree-3"
    whom = Whom("tree-3")


def _lost(
    m: NDArray[np.int64], alpha: float, rate: NDArray[np.float64],
    log_lump: NDArray[np.float64], log_gain: NDArray[np.float64], most: NDArray[np.int64],
    candidates: NDArray[np.float64], log_candidates: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """Return C/(C+g) + 2 k E[(e^{rate (v - X)} - 1)^+]/(C+g), at most 1, of `TreeBound._tree`'s numbers."""
    total = np.logaddexp(log_lump, log_gain)
    # Beyond all floats by its log alone.
    twice = np.where(
        np.isfinite(candidates), np.log(2.0 * candidates), np.log(2.0) + log_candidates
    )
    wrong = twice + _log_mean_gain(m, alpha, rate, most)
    return np.asarray(
        np.minimum(np.exp(log_lump - total) + np.exp(np.minimum(wrong - total, 1.0)), 1.0)
    )


def _log_mean_gain(
    m: NDArray[np.int64],
    alpha: float,
    rate: NDArray[np.float64],
    most: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return log E[(e^{rate (v - X)} - 1)^+] for X ~ Bin(m, alpha), v = most.

    The first term is e^{rate v} (1 - alpha + alpha e^-rate)^m times Pr[X' < v] for the X' whose
    success probability is tilted by e^-rate; the second Pr[X < v].
    """
    kept = -np.expm1(-rate)
    shrink = np.log1p(-alpha * kept)
    tilted = np.exp(np.log(alpha) - rate - shrink)
    count = m.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = rate * most + count * shrink + np.log(_below(most, count, tilted))
        second = np.log(_below(most, count, alpha))
        rest = -np.expm1(np.minimum(second - first, 0.0))
        return np.asarray(np.where(np.isfinite(first), first + np.log(rest), -np.inf))


def _below(
    most: NDArray[np.int64], count: NDArray[np.float64], chance: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[X < most] for X ~ Bin(count, chance), right relative to itself."""
    found = special.betainc(np.maximum(count - most + 1.0, 1.0), most, 1.0 - chance)
    return np.where(most > count, 1.0, found)
