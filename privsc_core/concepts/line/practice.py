"""Kinds of questions about lines alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("bits-of-a-line", "theory")
def _bits(at: Asked) -> Exercise | None:
    log_p = at.concept.member.log2(at.cell.d)
    return number(
        "How many bits does it take to name a line y = ax + b modulo p? A guarantee for finite classes depends on this number.",
        (2 * log_p, "Right: a and b are two numbers below p, so the class has p² lines."),
        (log_p, "That names one coefficient only."),
        (4 * log_p, "So many bits name two points. A line is decided by two numbers."),
        (
            2.0,
            "That is the VC dimension of lines: two points decide a line, but do not name it in two bits.",
        ),
        (2.0**at.cell.d, "That is about p: the number of values of one coefficient, not of bits."),
        form="{} bits",
    )


@exercise("chance-through-a-point", "theory")
def _through(at: Asked) -> Exercise | None:
    log_p = at.concept.member.log2(at.cell.d)
    if log_p > 30:
        return None
    p = round(2.0**log_p)
    return number(
        f"Here p = {p:,}. How many of all lines y = ax + b go through one given point?",
        (float(p), "Right: for each a exactly one b fits. Two points leave a single line."),
        (float(p * p), "That is the number of all lines."),
        (1.0, "Two points with different x leave a single line; one point leaves more."),
        (p / 2, "For each a there is exactly one b, so no a is lost."),
        (2.0 * p, "For each a exactly one b fits, not two."),
        p=p,
    )


KINDS = (_bits, _through)
