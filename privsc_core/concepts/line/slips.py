"""What was found to correct in what the papers say about lines."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="fx14-claim-5-4",
        source=Source("FX14", "Claim 5.4"),
        title="log₂(1+γ) ≤ γ is false between 0 and 1",
        says="The collision entropy is at least $2\\log p - \\gamma$ in bits, from "
        "$\\log_2(1+\\gamma) \\le \\gamma$.",
        correction="In nats, where $\\ln(1+\\gamma) \\le \\gamma$ holds; Pinsker's inequality, for "
        "which it is used, is stated in nats as well.",
        known_by="$\\log_2$ is concave and equals $\\gamma$ at 0 and 1, so it is above in between.",
        check=True,
    ),
    Slip(
        key="fx14-claim-6-3",
        source=Source("FX14", "Claim 6.3, the bad values of log t"),
        title="up to 8 bad values, not 3",
        says="At most 3 integers lie in the two intervals of bad $\\log t$; $k$ is drawn from "
        "$6/\\delta$ values.",
        correction="Up to 8: the intervals have the lengths $\\log_2(3\\ln 6)$ and "
        "$\\log_2(12\\ln 6)$, so $16/\\delta$ values are needed. Nothing changes in the rate; "
        "but the largest block of Theorem 6.1 grows from $2^{28}$ to $2^{68}$ examples at $\\alpha = \\beta = 0.1$, "
        "$\\varepsilon = 0.5$, $\\delta = 10^{-6}$ (privacy as $\\varepsilon, \\delta$), and what its "
        "proof asks for from $1.2 \\cdot 10^{12}$ to $1.3 \\cdot 10^{24}$.",
        known_by="The program places the intervals on a fine grid and counts, then the examples.",
        check=True,
    ),
    Slip(
        key="fx14-appendix-c",
        source=Source("FX14", "Appendix C, the number of runs"),
        title="log 4, not log(4/3)",
        says="$k = \\log(2/\\delta)/\\log(4/3)$ runs, each wrong with probability at most "
        "$\\frac14$.",
        correction="$k = \\log(2/\\delta)/\\log 4$ suffices; the paper's number is almost five "
        "times as large as it has to be, and not wrong.",
        known_by="One good run is enough, and all fail with probability $(1/4)^k$.",
        check=True,
    ),
)
