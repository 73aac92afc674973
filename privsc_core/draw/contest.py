"""The figure of a contest: learners of a class on one of its distributions, and on all of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.draw.figures import success_figure
from privsc_core.draw.style import integer
from privsc_core.evaluate.slack import TRIALS, contested, contests

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.landscape import Standpoint
    from privsc_core.evaluate.slack import Contested

__all__ = ["SIMULATED", "SIZES", "WORDS", "contest_heads", "contest_picture", "contest_rows"]

_ALL = tuple(one.contest for one in contests() if one.contest)
# What a link may say: the words of all distributions, and the sizes.
WORDS = tuple(dict.fromkeys(word for one in _ALL for word, _ in one.laws))
SIZES = tuple(dict.fromkeys(str(d) for one in _ALL for d in one.bits))
SIMULATED = f"simulated, {TRIALS} samples a number"


def contest_picture(
    standpoint: Standpoint, concept: str, word: str, bits: int
) -> tuple[Contested, Picture]:
    """Compute and draw the contest of a class, see `contested`."""
    found = contested(standpoint, catalog.concept(concept), word, bits)
    drawn = success_figure(found.curves)
    rows = contest_rows(found)
    said = "; ".join(
        f"{row[0]}: "
        + ", ".join(f"{h} {c}" for h, c in zip(contest_heads(found), row[1:], strict=True))
        for row in rows
    )
    return found, replace(
        drawn,
        title=f"Hard for whom? Success against m, on {dict(found.contest.laws)[found.word]}",
        summary=f"{drawn.summary} Least m at d = {bits:,}, by distribution: {said}.",
        filename=f"privsc-{concept}-hard-for-whom-{found.word}-d{bits}",
    )


def contest_rows(found: Contested) -> list[list[str]]:
    """Return least m as a table: distribution, then a number a learner, ≈ where it is simulated."""
    return [
        [label, *(_cell(*pair) for pair in zip(numbers, sure, strict=True))]
        for (_, label), numbers, sure in zip(
            found.contest.laws, found.m.tolist(), found.exact.tolist(), strict=True
        )
    ]


def _cell(m: float, sure: bool) -> str:  # noqa: FBT001 - a pair of the table
    if math.isnan(m):
        return "never"
    return integer(m) if sure else f"≈ {integer(m)}"


def contest_heads(found: Contested) -> list[str]:
    """Return the learners of a contest, as the table's heads."""
    return [catalog.learner(found.concept, name).title for name in found.contest.learners]
