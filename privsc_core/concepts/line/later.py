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
        "the likeliest, then proposes, tests and releases. A plain vote of blocks of one size is shown "
        "here instead, `vote`: nobody needs a unique likeliest answer when a good share of the votes and "
        "a small one of every bad answer will do.",
    ),
)
