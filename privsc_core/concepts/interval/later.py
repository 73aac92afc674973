"""Later results on thresholds with a little slack δ: named, not computed.

In the papers the domain X is finite and ordered; here |X| = 2^d, and log*(2^d) = 1 + log* d.
"""

from __future__ import annotations

from privsc_core.literature.statements import Later, Source

__all__ = ["LATER"]

_RATE = "A rate, up to factors that depend on $\\alpha$, $\\beta$, $\\varepsilon$ and $\\delta$"

LATER = (
    Later(
        name="bns13b-upper",
        title="2 to the order of log* d",
        source=Source("BNS13b", "the proper learner of thresholds"),
        kind="upper",
        privacy="approximate",
        statement=r"m = 2^{O(\log^* d)}",
        applies_to="a proper learner with slack δ",
        remark=f"{_RATE}: with slack the linear growth in $d$ of the purely private bounds is gone.",
    ),
    Later(
        name="bnsv15-upper",
        title="2 to the log* d",
        source=Source("BNSV15", "the upper bound for proper learning"),
        kind="upper",
        privacy="approximate",
        statement=r"m = 2^{(1+o(1)) \log^* d}",
        applies_to="a proper learner with slack δ",
        remark=f"{_RATE}. It improves the exponent.",
        supersedes=("bns13b-upper",),
    ),
    Later(
        name="bnsv15-lower",
        title="log* d, proper learners",
        source=Source("BNSV15", "the lower bound for proper learning"),
        kind="lower",
        privacy="approximate",
        statement=r"m = \Omega(\log^* d)",
        applies_to="every proper learner with slack δ up to about 1/m²",
        remark=f"{_RATE}: even with so little slack the size of the domain does not drop out.",
    ),
    Later(
        name="almm19-lower",
        title="log* d, every learner",
        source=Source("ALMM19", "the lower bound by the Littlestone dimension"),
        kind="lower",
        privacy="approximate",
        statement=r"m = \Omega(\log^* d)",
        applies_to="every learner with slack δ up to about 1/m², proper or not",
        remark=f"{_RATE}. It holds for improper learners too.",
        supersedes=("bnsv15-lower",),
    ),
    Later(
        name="klmns20-upper",
        title="(log* d) to the 1.5",
        source=Source("KLMNS20", "the upper bound"),
        kind="upper",
        privacy="approximate",
        statement=r"m = \tilde O\bigl((\log^* d)^{1.5}\bigr)",
        applies_to="a proper learner with slack δ",
        remark=f"{_RATE}: polynomial in $\\log^* d$ for the first time.",
        supersedes=("bnsv15-upper",),
    ),
    Later(
        name="clnss23-upper",
        title="About log* d",
        source=Source("CLNSS23", "the upper bound"),
        kind="upper",
        privacy="approximate",
        statement=r"m = \tilde O(\log^* d)",
        applies_to="a proper learner with slack δ",
        remark=f"{_RATE}. It meets the lower bounds up to lower-order factors.",
        supersedes=("klmns20-upper",),
    ),
)
