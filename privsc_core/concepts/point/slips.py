"""What was found to correct in what the papers say about points."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="bbkn13-lemma-3-4",
        source=Source("BBKN13", "Lemma 3.4, the sum P"),
        title="the unseen points are not 2^d - m",
        says="The concepts that the sample does not name weigh $(2^d-m)\\,e^{\\varepsilon q_D/2}$ "
        "together.",
        correction="$2^d$ minus the number of **distinct** sample points, which is what runs here.",
        known_by="$m$ examples name fewer than $m$ points as soon as one repeats, and for $m > 2^d$ "
        "the paper's number is negative. The program compares both with the exact law on a sample "
        "of equal examples.",
        check=True,
    ),
    Slip(
        key="bbkn13-lemma-3-9",
        source=Source("BBKN13", "Lemma 3.9"),
        title="mass exactly α is not an error above α",
        says="The target has mass exactly $\\alpha$, and a hypothesis that misses it is taken for "
        "inaccurate.",
        correction="Read the mass as just above $\\alpha$; nothing else changes.",
        known_by="By definition a hypothesis of error exactly $\\alpha$ is accurate.",
    ),
    Slip(
        key="bbkn13-claim-4-5",
        source=Source("BBKN13", "Claim 4.5"),
        title="ln(3/β²), not ln(3/β), and only up to β of about 0.14",
        says="The selection takes $24\\ln(3/\\beta^2)/(\\varepsilon\\alpha)$ fresh samples; further "
        "on it is $24\\ln(3/\\beta)/(\\varepsilon\\alpha)$. It is claimed for every $\\beta$, with "
        "$N \\le 1/\\beta$ (which the proof says of $\\beta \\le 0.01$).",
        correction="The former. The failure probability of the proof is then $\\beta/5 + \\beta^2/3 "
        "+ N\\beta^2/3 + N\\beta^6/27$, which is at most $\\beta$ up to $\\beta$ of about 0.14.",
        known_by="With $\\ln(3/\\beta)$ the Chernoff bounds give $\\beta/3$ in place of "
        "$\\beta^2/3$, and the union over $N$ hypotheses exceeds $\\beta$. The program adds up "
        "both, and asks the bound where it holds.",
        check=True,
    ),
    Slip(
        key="bbkn13-theorem-4-2",
        source=Source("BBKN13", "Theorem 4.2"),
        title="the log d is not needed",
        says="Points are learned with a number of samples that grows with $\\log d$.",
        correction="The paper's own class, chosen with $p = d(1+\\lfloor 4/\\alpha\\rfloor)$, gives "
        "a number without $d$ (the bound “Representation without d”).",
        known_by="More than half of the $p$ sets through a point are good for it, not only one: the "
        "$\\log d$ comes from the union bound. The program computes both bounds from $d = 16$ "
        "to $10^6$.",
        check=True,
    ),
    Slip(
        key="bbkn13-lemma-4-4",
        source=Source("BBKN13", "Lemma 4.4"),
        title="half of the sample is dropped where nothing need be",
        says="To make an $\\varepsilon^\\star$-private algorithm $\\varepsilon$-private, each "
        "example is kept with probability $f(\\varepsilon,\\varepsilon^\\star) = "
        "(e^{\\varepsilon}-1)/(e^{\\varepsilon^\\star}+e^{\\varepsilon}"
        "-e^{\\varepsilon-\\varepsilon^\\star}-1)$.",
        correction="Right, but $f(\\varepsilon^\\star,\\varepsilon^\\star) = \\frac12$ although the "
        "algorithm is then private enough as it is; "
        "$(e^{\\varepsilon}-1)/(e^{\\varepsilon^\\star}-1)$ suffices. What runs here keeps the "
        "paper's $f$ below $\\varepsilon^\\star = \\ln 4$ and everything from there on.",
        known_by="The proof compares the two kept examples by way of the dropped one; compared with "
        "each other they are within $e^{\\varepsilon^\\star}$ as well. The program takes the "
        "largest ratio over a grid of all probabilities that are allowed.",
        check=True,
    ),
)
