"""Kinds of questions about pseudorandom points alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number, written

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("bits-of-a-seed", "theory")
def _seed(at: Asked) -> Exercise | None:
    d = at.cell.d
    length = at.law.seeds.bits(d)  # type: ignore[attr-defined] # all of this class have some
    return number(
        f"A point of d = {d} bits is the image of a seed. How many bits has the seed here?",
        (float(length), f"Right: so there are only 2 to the power {length} targets, and a learner that can tell them apart pays for these bits alone."),
        (float(d), "That would be a class with all points as targets."),
        (d / 2, "That is half of the bits. The rule of this class gives another number."),
        (math.log2(d), "Seeds so short could be tried out in time d: the generator could not be pseudorandom."),
        (2.0**length if length < 40 else 0.0, "That is the number of seeds, not of bits."),
        form="{} bits",
    )  # fmt: skip


@exercise("share-of-images", "theory")
def _share(at: Asked) -> Exercise | None:
    d = at.cell.d
    length = at.law.seeds.bits(d)  # type: ignore[attr-defined] # all of this class have some
    if d > 900:
        return None
    return number(
        f"Seeds of {length} bits have images among the points of d = {d} bits. Which share of all points are images, at most?",
        (
            2.0 ** (length - d),
            f"Right: 2 to the power {length} of 2 to the power {d} points. A random point is hardly ever a target.",
        ),
        (length / d, "That is the share of the bits, not of the points."),
        (2.0**-length, "That is the chance to guess a seed."),
        (2.0**-d, "That is the share of a single point."),
        (0.5, f"That would take seeds of {written(d - 1.0)} bits."),
    )


KINDS = (_seed, _share)
