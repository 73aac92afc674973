"""Kinds of questions about a class of one's own: its dimensions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, number
from privsc_core.finite.littlestone import littlestone
from privsc_core.finite.shatter import vc

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("vc-dimension", "theory")
def _vc(at: Asked) -> Exercise | None:
    of = at.concept.member
    found = vc(of)
    if not found.exact:
        return None
    bits = math.log2(len(of))
    return number(
        f"The class has {len(of):,} concepts on {of.points:,} points. What is its VC dimension, the most points on which all labellings "
        "occur?",
        (
            float(found.found),
            f"Right: on some set of so many points all {2**found.found} labellings occur, and on no larger one.",
        ),
        (float(of.points), "That would take a class with all labellings of all points."),
        (
            float(math.floor(bits)),
            f"The VC dimension is at most log₂ of the number of concepts, {bits:.3g}, but this class does not reach it.",
        ),
        (found.found + 1.0, "On no set of so many points do all labellings occur."),
        (float(len(of)), "That is the number of concepts."),
    )


@exercise("littlestone-dimension", "theory")
def _littlestone(at: Asked) -> Exercise | None:
    of = at.concept.member
    found, shattered = littlestone(of), vc(of)
    if not (found.exact and shattered.exact):
        return None
    return number(
        f"The class has {len(of):,} concepts on {of.points:,} points. How many mistakes can the best online learner be forced to make on "
        "it: what is its Littlestone dimension?",
        (float(found.found), "Right: there is a full tree of questions of so many levels, and no deeper one."),
        (float(shattered.found), "That is the VC dimension. In a tree the next question may depend on the last answer, so it can be deeper."),
        (float(math.floor(math.log2(len(of)))), "Halving gives at most log₂ of the number of concepts; here fewer can be forced."),
        (float(of.points), "Not every point can force a mistake."),
        (found.found + 1.0, "No tree of questions is so deep."),
    )  # fmt: skip


@exercise("which-number-decides", "theory")
def _decides(at: Asked) -> Exercise | None:
    of = at.concept.member
    found, shattered = littlestone(of), vc(of)
    if not (found.exact and shattered.exact):
        return None
    return choose(
        "Which number of a class gives the number of examples of pure private learning, proper or not, up to constants?",
        Choice(
            "The (probabilistic) representation dimension",
            "Right: the logarithm of the size of the smallest random class that has a good hypothesis for each target and distribution.",
            "representation",
        ),
        Choice("The VC dimension", f"It decides the number without privacy. It is {shattered.found} here. Pure privacy can cost more.", "vc"),
        Choice("The Littlestone dimension", f"It is a lower bound, {found.found} here. Some classes cost far more.", "littlestone"),
        Choice("The logarithm of the number of concepts", f"It is always enough, {math.log2(len(of)):.3g} here. But points need far fewer, with improper learners.", "size"),
    )  # fmt: skip


KINDS = (_vc, _littlestone, _decides)
