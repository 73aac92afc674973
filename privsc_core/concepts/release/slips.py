"""What was found to correct, or to know, in data release."""

from __future__ import annotations

from privsc_core.literature.statements import Slip, Source

__all__ = ["SLIPS"]

SLIPS = (
    Slip(
        key="bbkn13-theorem-7-2",
        source=Source("BBKN13", "Theorem 7.2"),
        title="2αm changed entries are enough",
        says="The databases of the proof differ in $3\\alpha m$ entries.",
        correction="With queries answered to within less than $\\alpha$, $2\\alpha m$ are enough "
        "(the bound “Packing bound”): a lower bound half as large again, and valid up to "
        "$\\alpha = \\frac12$.",
        known_by="The sets of useful releases are then still disjoint; the proof stands at that "
        "bound. The program compares the two.",
        check=True,
    ),
    Slip(
        key="ours-threshold",
        source=Source("ours", "the Laplace histogram with threshold αm"),
        title="a count exactly at the threshold is lost half of the time",
        says="A histogram that drops noisy counts below $\\alpha m$ looks useful for every database "
        "once $m$ is large.",
        correction="A count of exactly $\\alpha m$ is lost with probability $\\frac12$, however large "
        "$m$ is: it is useful for every database without a count from $\\alpha m$ to "
        "$2\\alpha m$, and with a slightly lower threshold for every database.",
        known_by="The noise is as often negative as positive. The program asks for the exact law at "
        "$\\alpha = \\frac14$, where the hard database has such a count.",
        check=True,
    ),
)
