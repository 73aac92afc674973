"""What is said about papers beside their bounds: slips found in them, and results that came later.

A class lists those that are about it. Slips in parts of the papers that no class shows stand in
`privsc_core.concepts.slips`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# --- Where a statement comes from ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A key of `privsc_core.literature.papers`, or ``ours``, and a place."""

    paper: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A place in a paper that is to be read differently. The texts are Markdown with $LaTeX$.

    Attributes
    ----------
    key : str
        Stands in links and file names: fixed for ever.
    source : Source
        The paper and the place in it.
    title : str
        What is the matter, in half a line.
    says, correction : str
        What the paper says, and what to read instead.
    known_by : str
        How we know.
    check : bool
        Whether a program shows it: ``assets/checks/<key>.py``.
    """

    key: str
    source: Source
    title: str
    says: str
    correction: str
    known_by: str
    check: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A result of the literature that is named and not computed.

    Attributes
    ----------
    name, title : str
        The name in links, fixed for ever, and what a person calls it.
    source : Source
        Where it comes from.
    kind : {"lower", "upper"}
        Which side it bounds.
    privacy : {"pure", "approximate"}
        Of the learners of which it speaks.
    statement : str
        In LaTeX; a rate.
    applies_to : str
        Which learners it binds, in words.
    remark : str
        What it says about what is computed here; Markdown.
    supersedes : tuple of str
        Names of earlier results of the class in this list that it improves on.
    """

    name: str
    title: str
    source: Source
    kind: Literal["lower", "upper"]
    privacy: Literal["pure", "approximate"]
    statement: str
    applies_to: str
    remark: str = ""
    supersedes: tuple[str, ...] = ()


# -------------------------------------------------------------------------------------------------
# Slips in parts of the papers that no class shows: whoever adds that class takes them along.


ELSEWHERE = (
    Slip(
        key="fx14-boxes",
        source=Source("FX14", "Section 4.1, the class of boxes"),
        title="boxes have VC dimension 2d, not d + 1",
        says="$\\mathrm{VC}(\\mathrm{BOX}_b^d) = d+1$.",
        correction="$2d$, as soon as the grid has three points a side.",
        known_by="The two neighbours of the centre along each axis are shattered: push in the sides "
        "whose point is to be left out. The program finds four such points on the 3 by 3 grid.",
        check=True,
    ),
    Slip(
        key="fx14-theorem-b-2",
        source=Source("FX14", "Theorem B.2"),
        title="a lower bound on a Littlestone dimension, not its value",
        says="$\\mathrm{LDim}(\\mathrm{HS}_b^d) = (d(d-1)/2+1)\\,b$.",
        correction="At least that: the proof builds a mistake tree, and larger ones may exist.",
        known_by="For $d = 2$, $b = 1$ the formula says 2. The program lists the 14 half-spaces of "
        "the square and finds dimension 3.",
        check=True,
    ),
    Slip(
        key="fx14-lemma-b-1",
        source=Source("FX14", "Lemma B.1, the weights of the proof"),
        title="the collision-free weights collide, and change the half-space",
        says="With a margin of $2^d$ the weights $w_i = w''_i + 2^i$, $i = 1, \\dots, d$, represent "
        "the same half-space without collisions.",
        correction="$w_i = w''_i + 2^{b(i-1)}$ with the margin $2^{bd}$ (scale $2^{bd+1}$).",
        known_by="Coordinates go up to $2^b-1$, and $2^1 + \\dots + 2^d$ is larger than $2^d$. The "
        "program has a collision at $b = d = 2$ and a changed label at $b = 1$, $d = 2$, and tries "
        "the repair.",
        check=True,
    ),
    Slip(
        key="fx14-section-3-1",
        source=Source("FX14", "Section 3.1, after Sauer's lemma"),
        title="log VC, not log log VC",
        says="The public coins cost $O(\\log\\log \\mathrm{VC}(C) + \\log\\log|X|)$.",
        correction="$O(\\log \\mathrm{VC}(C) + \\log\\log|X|)$.",
        known_by="From $\\log|C| \\le O(\\mathrm{VC}(C)\\log|X|)$ one logarithm more gives this, not "
        "two.",
    ),
    Slip(
        key="bns15-theorem-3-3",
        source=Source("BNS15", "Theorem 3.3, the labelled sample size"),
        title="a term that the proof uses is missing",
        says="$m = O\\bigl(\\mathrm{VC}(C)\\log(1/\\alpha)/(\\alpha^3\\varepsilon) + "
        "\\log(1/\\beta)/(\\alpha\\varepsilon)\\bigr)$.",
        correction="Also $\\mathrm{VC}(C)\\log(1/\\beta)/\\alpha^2$.",
        known_by="The proof sets $m$ to at least "
        "$\\frac{1250}{\\alpha^2}\\mathrm{VC}(C)\\ln\\frac{25}{\\alpha\\beta}$, of which the theorem's "
        "terms do not cover the part in $\\beta$ when $\\mathrm{VC}(C)\\,\\varepsilon > \\alpha$.",
    ),
    Slip(
        key="bns15-theorem-5-6",
        source=Source("BNS15", "Theorem 5.6"),
        title="δ has to be small, and the constant hides e^{2ε}",
        says="The labelled sample complexity is $\\Omega(1/\\alpha)$, for every $\\varepsilon$ and "
        "$\\delta$.",
        correction="For $\\delta$ well below $e^{-2\\varepsilon}/(\\alpha n)$, with the $n$ of the "
        "proof, and with a constant below $e^{-2\\varepsilon}/9$.",
        known_by="The last line is $m/n \\ge e^{-2\\varepsilon}\\frac{1-25\\beta/9}{9\\alpha n} - "
        "\\delta(1+e^{-\\varepsilon})$. The program finds where it says nothing.",
        check=True,
    ),
    Slip(
        key="bns15-theorem-3-3-sizes",
        source=Source("BNS15", "proof of Theorem 3.3, before (2)"),
        title="n - m and m, not n and m",
        says="Inequalities (2) and (3) hold when $n$ and $m$ are at least "
        "$\\frac{1250}{\\alpha^2}\\mathrm{VC}(C)\\ln\\frac{25}{\\alpha\\beta}$.",
        correction="When $n-m$ and $m$ are.",
        known_by="(3) speaks of the unlabelled part $D$ alone, which has $n-m$ examples.",
    ),
    Slip(
        key="bns15-claim-5-7",
        source=Source("BNS15", "Claim 5.7"),
        title="not for every ε",
        says="For every $\\varepsilon$ there is an active learner on $t = \\frac n\\varepsilon"
        "(3+e^{2\\varepsilon^*})$ examples, of which it picks $n$ at random.",
        correction="For $\\varepsilon \\le 3+e^{2\\varepsilon^*}$. And a random set of labels, in place of the "
        "$m$ smallest indices, needs $\\max\\{n, \\lceil n(e^{\\varepsilon^*}-1)/(e^\\varepsilon-1)\\rceil\\}$ "
        "examples alone.",
        known_by="Beyond, $t$ is below $n$, and there is no such choice. The program goes through all choices of "
        "a small learner: with a random set its loss is what the formula says, with the smallest indices "
        "it is larger.",
        check=True,
    ),
    Slip(
        key="v17-definition-8-1",
        source=Source("V17", "Definition 8.1"),
        title="h(w), not h(d)",
        says="Given a description of $h$ and an input $w$, “evaluate $h(d)$” in polynomial time.",
        correction="Evaluate $h(w)$.",
        known_by="$d$ is the number of bits of $w$.",
    ),
    Slip(
        key="v17-definition-8-2",
        source=Source("V17", "after Definition 8.2, the reduction of ε"),
        title="a share above 1",
        says="Take $\\varepsilon/\\varepsilon'$ times as many samples, and run the learner on a "
        "random $\\varepsilon/\\varepsilon'$ subsample.",
        correction="On a random $\\varepsilon'/\\varepsilon$ subsample, $\\varepsilon'$ being the "
        "smaller one.",
        known_by="A share is at most 1.",
    ),
    Slip(
        key="v17-theorem-8-3",
        source=Source("V17", "Theorem 8.3, log |C| ≤ d · VC(C)"),
        title="in bits it fails by one concept",
        says="$\\log|C| \\le d\\cdot\\mathrm{VC}(C)$.",
        correction="Right with the natural logarithm from $d = 2$ on; with $\\log_2$ it fails at "
        "$\\mathrm{VC} = 1$.",
        known_by="The $2^d + 1$ thresholds have VC dimension 1. The program counts both.",
        check=True,
    ),
)
