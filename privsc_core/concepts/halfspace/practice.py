"""Kinds of questions about half-spaces alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, number, written

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise

_LEAST, _FAR = 10, 8


@exercise("power-of-averaging", "dimensions", lambda at: at.law.name == "uniform")
def _power(at: Asked) -> Exercise | None:
    n = min(max(at.cell.d, _LEAST), 1000 // _FAR)
    few, many = (at.rough(at.learner("averaging"), d=size) for size in (n, _FAR * n))
    if few is None or many is None:
        return None
    grown = math.log(many / few) / math.log(_FAR)
    facts = f"In simulated runs it goes from about {few:,.0f} at n = {n} to about {many:,.0f} at n = {_FAR * n}."

    def choice(power: float, said: str) -> Choice | None:
        if power != grown and abs(power - grown) < 0.25:
            return None
        text = {0.0: "Not at all", 1.0: "Like n"}.get(
            power, f"Like n to the power {round(power, 1):g}"
        )
        return Choice(text, f"{said} {facts}", f"power {power:.3f}")

    right = choice(
        grown,
        "Right: noise has a length of about 2n/ε, and each example shows only about a part 1/√n of the target.",
    )
    return right and choose(
        "The points are uniform on the sphere. How does the number of examples of the fast private learner, “averaging with "
        "noise”, grow with the dimension n here?",
        right,
        choice(0.0, "That would mean that the dimension does not matter, as on the circle."),
        choice(0.5, "That would be less than without privacy."),
        choice(1.0, "That is the rate that a learner which is too slow to run attains."),
        choice(2.0, "That is more than the noise takes: its length grows like n, and the part that an example shows falls like 1/√n."),
        choice(3.0, "That is far more than the runs show."),
    )  # fmt: skip


@exercise("random-direction", "why")
def _error(at: Asked) -> Exercise | None:
    angle = 180.0 * at.cell.alpha
    return number(
        f"The points are uniform directions, and the hypothesis is a half-space whose normal is {written(angle)} degrees off. "
        "What is its error?",
        (at.cell.alpha, "Right: the error is the angle divided by 180 degrees, in each dimension."),
        (
            at.cell.alpha / 2,
            "That divides by the full circle. But the labels differ in two opposite wedges.",
        ),
        (
            1 - math.cos(math.pi * at.cell.alpha),
            "That is one minus the cosine, which is far smaller for small angles.",
        ),
        (
            math.sin(math.pi * at.cell.alpha),
            "That is the sine of the angle, not its share of 180 degrees.",
        ),
        (2 * at.cell.alpha, "That counts each wedge twice."),
    )


KINDS = (_power, _error)
