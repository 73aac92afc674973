"""What is known about lines beside what is computed."""

from __future__ import annotations

from privsc_core.concepts.literature import Later
from privsc_core.concepts.source import Source

__all__ = ["LATER"]

LATER = (
    Later(
        name="theorem-6.1",
        title="Theorem 6.1",
        source=Source("FX14", "Theorem 6.1"),
        kind="upper",
        privacy="approximate",
        statement=r"m = \tilde{O}_{\alpha,\beta}\bigl(\tfrac{1}{\varepsilon}\log\tfrac1\delta\bigr),"
        r"\quad \text{for every } p",
        applies_to="the (ε, δ)-private learner of lines in the paper",
        remark="It draws the size of its blocks at random from powers of two, which makes one answer "
        "the likeliest, then proposes, tests and releases. At the defaults and δ = 10⁻⁶ its proof asks for "
        "11 runs of 395 blocks of up to 2²⁸ examples, 1.2·10¹² in all, and 1.3·10²⁴ once Claim 6.3 is "
        "corrected (blocks of up to 2⁶⁸). A plain vote of blocks of one size is shown "
        "here instead, `vote`: nobody needs a unique likeliest answer when a good share of the votes and "
        "a small one of every bad answer will do.",
    ),
)
