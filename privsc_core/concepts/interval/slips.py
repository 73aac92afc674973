"""What was found to correct in what the papers say about thresholds."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="bbkn13-lemma-5-2",
        source=Source("BBKN13", "Lemma 5.2"),
        title="log(1/β), not 1/β",
        says="Proper private learning takes $\\Omega((d + (1/\\beta))/\\varepsilon)$ samples.",
        correction="$\\Omega((d + \\log(1/\\beta))/\\varepsilon)$, which is what the proof gives.",
        known_by="The exponential mechanism needs a number that grows with $\\log(1/\\beta)$: the "
        "program follows its bound until $1/\\beta$ is far above it.",
        check=True,
    ),
    Slip(
        key="bbkn13-theorem-5-4-step",
        source=Source("BBKN13", "Theorem 5.4, the exponential mechanism step"),
        title="more is asked of VC theory than it gives, and than is needed",
        says="From about $1/\\alpha'$ samples empirical and true error are taken to agree within "
        "$\\alpha'$, on both sides. The last paragraph speaks of an inner learner without its "
        "parameters.",
        correction="Only “empirical error at most $3\\alpha'$ implies error at most $4\\alpha'$” is "
        "needed, and that many samples do give it. The last paragraph must speak of "
        "$2^{o(d)}$ switching points and an $(\\alpha/4, \\beta/6)$ inner learner.",
        known_by="By reading the proof: two-sided deviations take about $1/\\alpha'^2$ samples.",
    ),
    Slip(
        key="bbkn13-theorem-5-4-switch",
        source=Source("BBKN13", "Theorem 5.4, SWITCH(h)"),
        title="half of the switching points suffice",
        says="$\\mathrm{SWITCH}(h)$ has a concept for every switching point of $h$.",
        correction="The proof only ever picks a decreasing one: those are enough, about half.",
        known_by="Both cases of the proof end with a decreasing switching point ($j$ in the first, "
        "$k$ in the second).",
    ),
    Slip(
        key="bbkn13-theorem-5-8-failure",
        source=Source("BBKN13", "Theorem 5.8, the reconstruction"),
        title="it fails with probability about 4μ, not 8μ",
        says="The inner learner's threshold is not recovered with probability at most $8\\mu$.",
        correction="True, and loose: with both sides long it is exactly $1-(1-2\\mu)^2$, about "
        "$4\\mu$.",
        known_by="On each side a walk with steps $+1$ (clean) and $-1$ (dirty) must stay positive, "
        "which it does with probability $1-2\\mu$. The program follows the walk step by step.",
        check=True,
    ),
    Slip(
        key="bbkn13-theorem-5-8-step-8",
        source=Source("BBKN13", "Theorem 5.8, step (8)"),
        title="the event biases the noise",
        says="Given the event that both learners succeed, the expected disagreement of outer and "
        "inner hypothesis is still $\\mu$.",
        correction="Not given that event, for it includes the outer learner's success, which speaks "
        "about the noise. Repair: $\\mu$ does not depend on the distribution, so take the uniform "
        "one.",
        known_by="By reading the proof: the outer hypothesis succeeds more often when it has less "
        "noise.",
    ),
    Slip(
        key="fx14-lemma-4-2",
        source=Source("FX14", "Lemma 4.2"),
        title="prefixes have 0 to d - 1 bits",
        says="$m_X$ is defined on bit strings of the lengths $1$ to $d$.",
        correction="On those of the lengths $0$ to $d-1$: the root of the mistake tree belongs to "
        "the empty prefix.",
        known_by="The lemma applies $m_X$ to $x_{[i-1]}$ for $i = 1, \\dots, d$.",
    ),
)
