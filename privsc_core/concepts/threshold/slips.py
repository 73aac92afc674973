"""What was found to correct in what the papers say about thresholds on [0, 1] and their proofs."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="ch11-theorem-5",
        source=Source("CH11", "Theorem 5, the last step of the proof"),
        title="m ≤ M, not m ≥ M",
        says="“Since $m \\ge M$”, the right-hand side, with $1/\\eta - 2$, is more than "
        "$\\frac23$.",
        correction="Since $m \\le M$; the number of other centres is $\\lfloor 1/\\eta\\rfloor - 2 "
        "\\ge 1/\\eta - 3$, and the right-hand side is then above 2, which a probability cannot "
        "be.",
        known_by="The theorem is about $m \\le M$, and $1/\\eta = 6 + 4e^{\\alpha M}$.",
    ),
    Slip(
        key="ch11-theorem-9",
        source=Source("CH11", "Theorem 9, the proof's event E₁"),
        title="the event is about bad hypotheses",
        says="$\\mathcal{G}_1$ is the set of hypotheses with error **at most** $\\varepsilon$.",
        correction="Of those with error **above** $\\varepsilon$.",
        known_by="The next line bounds $e^{-|S|\\,\\mathrm{err}(g)/400}$ by "
        "$e^{-|S|\\,\\varepsilon/400}$, which takes $\\mathrm{err}(g) \\ge \\varepsilon$.",
    ),
    Slip(
        key="ch11-theorem-9-constants",
        source=Source("CH11", "Theorem 9, the last steps of the proof"),
        title="an α and a 3.09 are missing",
        says="The mechanism fails with probability $\\exp(-3\\varepsilon|S|/20)$ a hypothesis, and "
        "$\\exp(-\\delta^2\\mu/3)$ bounds a deviation by $\\delta = 2$.",
        correction="$\\exp(-3\\alpha\\varepsilon|S|/40)$, with the paper's $\\alpha$ for the privacy "
        "loss; and 3.09 for 3: the bound with 3 holds for $\\delta \\le 1$.",
        known_by="The weights have $\\alpha/2$ in the exponent; at $\\delta = 2$ the exponent is "
        "$\\mu\\,(3\\ln 3 - 2) = 4\\mu/3.09$.",
    ),
)
