"""What was found to correct in what the papers say about half-spaces and their proofs."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="ch11-lemma-25",
        source=Source("CH11", "Lemma 25"),
        title="no packing is that large at radius 1",
        says="A ball of radius $r$ has an $r/2$-packing of $2^{n-2}$ half-spaces, for every $r$, by "
        "$\\mathrm{cap}(\\pi r/2)/\\mathrm{cap}(\\pi r) = 2^{-(n-1)}$.",
        correction="The ratio of the caps is larger than $2^{-(n-1)}$; a packing of size "
        "$\\mathrm{cap}(\\pi r)/\\mathrm{cap}(\\pi r/2)$ exists, which is exponential in $n$ for "
        "$r \\le \\frac12$.",
        known_by="At $r = 1$ the normals of a ½-packing are pairwise obtuse: at most $n + 1$ of them "
        "exist, fewer than $2^{n-2}$ from $n = 5$ on. The program integrates the caps at $n = 30$, "
        "$r = 0.4$: the small one is more than 200 times as large as the lemma says.",
        check=True,
    ),
    Slip(
        key="ch11-lemma-20",
        source=Source("CH11", "Lemmas 20 and 21"),
        title="the mass of a band is only bounded",
        says="$P(W)$ **equals** $1 - 2e^{-n\\gamma^2/2}$, and likewise for the margin.",
        correction="$P(W) \\ge 1 - 2e^{-n\\gamma^2/2}$; exactly it is "
        "$I_{\\gamma^2}(\\frac12, \\frac{n-1}2)$.",
        known_by="For $n\\gamma^2 \\le 2\\ln 2$ the formula is no probability: at the paper's own "
        "$\\gamma = 1/\\sqrt n$ it makes κ negative. The program integrates: truly κ is about 1.5 there.",
        check=True,
    ),
    Slip(
        key="ch11-theorem-12",
        source=Source("CH11", "Theorem 12"),
        title="a condition that is not needed",
        says="The learner outputs a hypothesis in $\\mathcal{H}$.",
        correction="Any function will do.",
        known_by="The proof only uses that $\\rho_D$ is a pseudometric, which it is on all functions.",
    ),
)
