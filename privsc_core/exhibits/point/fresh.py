"""LabelBoost made wrong: it labels points that no labelling was made for, and is private no more.

A labelling is picked for the points that were kept. The paper's procedure relabels these same points.
Who relabels others, by the concept that stands for the labelling, learns which concept that is: one
example more or less changes it, and so the labels of all of them at once. Shown on the smallest
databases that tell: one labelled example, one unlabelled one, and k others who never change.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts.style import RED
from privsc_core.concepts.generic.labels import relabelling
from privsc_core.concepts.point.learners import LabelBoost
from privsc_core.draw.picture import Picture, columns, plot
from privsc_core.draw.style import number
from privsc_core.draw.traces import GREY, UNLISTED, axis, hover, line, marks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MOST = 40
PICK = 1.0
_POINTS = 4

_Example = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """The largest privacy loss between neighbouring databases, against the number of others.

    Attributes
    ----------
    others : ndarray of int64, shape (places,)
        How many people there are beside the two.
    own, fresh : ndarray of float64, shape (places,)
        Where they are among the points that labellings are made for, and where they are not.
    promised : float
        What relabelling and the base learner lose together at most.
    """

    others: NDArray[np.int64]
    own: NDArray[np.float64]
    fresh: NDArray[np.float64]
    promised: float


def losses(base: float) -> Losses:
    """Return the losses of LabelBoost, right and wrong, at a loss of the base learner.

    All databases of a labelled and an unlabelled example on four points are gone through, with all
    their neighbours, and all four points on which the others may be, all of them on the same.
    """
    others = np.arange(1, MOST + 1)
    found = {
        fresh: np.max(
            [_worst(place, others, base, fresh=fresh) for place in range(_POINTS)], axis=0
        )
        for fresh in (False, True)
    }
    promised = base + math.log(relabelling(PICK))
    return Losses(others, found[False], found[True], promised)


def _worst(
    place: int, others: NDArray[np.int64], base: float, *, fresh: bool
) -> NDArray[np.float64]:
    """Return the largest loss for each number of other examples, all on one point."""
    labelled = list(itertools.product(range(_POINTS), (0, 1)))
    law = {
        (one, two): _log_law(one, two, place, others, base, fresh=fresh)
        for one in labelled for two in range(_POINTS)
    }  # fmt: skip
    pairs = _neighbours(labelled)
    return np.asarray(np.max([np.abs(law[a] - law[b]).max(axis=1) for a, b in pairs], axis=0))


def _neighbours(
    labelled: list[_Example],
) -> Iterable[tuple[tuple[_Example, int], tuple[_Example, int]]]:
    """Yield the pairs of databases that differ in one example."""
    for one, two in itertools.product(labelled, range(_POINTS)):
        yield from (((one, two), (other, two)) for other in labelled if other > one)
        yield from (((one, two), (one, other)) for other in range(two + 1, _POINTS))


def _log_law(
    one: _Example, two: int, place: int, others: NDArray[np.int64], base: float, *, fresh: bool
) -> NDArray[np.float64]:
    """Return log probabilities of the concepts, a row for each number of others."""
    (point, label), concepts = one, np.arange(_POINTS)
    known = {point, two} if fresh else {point, two, place}
    # A labelling is 1 on one of the points known, by its concept, or on none, by the first other's.
    names = sorted(known) + [c for c in range(_POINTS) if c not in known][:1]
    picks = np.array([-0.5 * PICK * ((c == point) != label) for c in names])
    picks -= np.log(np.exp(picks).sum())
    rows = []
    for named, chance in zip(names, picks.tolist(), strict=True):
        mistakes = sum(((concepts == x) != (x == named)).astype(float) for x in (point, two))
        more = ((concepts == place) != (place == named)).astype(float)
        scores = -0.5 * base * (mistakes + others[:, None] * more)
        rows.append(chance + scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return np.asarray(np.logaddexp.reduce(rows, axis=0))


def fresh_picture(epsilon: float, count: int) -> Picture:
    """Draw the losses against the number of others, and where so many of them stand."""
    found = losses(epsilon)
    look = catalog.concept("point").style_of(LabelBoost.name)
    promised = np.full(found.others.shape, found.promised)
    data = [
        line(found.others, loss, name, colour, dash=dash, uid=key)
        | hover(f"<b>{name}</b><br>%{{x}} others: a loss of %{{y:.3f}}")
        for key, name, loss, colour, dash in (
            ("fresh", "Other points get labels", found.fresh, RED, "solid"),
            ("own", "Only the same points get labels", found.own, look.colour, "solid"),
            ("promised", "Promised", promised, GREY, "dash"),
        )
    ]
    data[1] |= {"of": LabelBoost.name}
    broken, right = (float(part[count - 1]) for part in (found.fresh, found.own))
    data.append(marks([count], [broken], "shown", RED, "circle", 13) | UNLISTED)
    top = 1.08 * float(max(found.fresh.max(), found.promised))
    verdict = "more than the" if broken > found.promised else "of the"
    people = "1 other" if count == 1 else f"{count} others"
    return plot(
        data,
        axis("others, all on one point", (1.0, float(MOST))),
        axis("privacy loss", (0.0, top)),
        legend=None,
        title=(
            f"{people}: labelling other points loses {number(round(broken, 2))}, {verdict} "
            f"{number(round(found.promised, 2))} promised; labelling only the same points {number(round(right, 2))}"
        ),
        caption=(
            "Exact, by enumeration of every pair of neighbouring databases of one labelled and one unlabelled "
            f"example on {_POINTS} points. Other people, who stay the same, get labels too. The labelling is picked "
            f"at ε = {PICK:g}, and the base learner runs at ε = {number(epsilon)}; promised: ε + log (1 + e^½)² = "
            f"{found.promised:.3f} (ours; the paper has ε + 3)."
        ),
        summary=(
            f"With {people}: loss {broken:.3f} if their points are others, {right:.3f} if they are the same points, "
            f"promised {found.promised:.3f}."
        ),
        filename=f"privsc-labels-fresh-eps{epsilon:g}",
        table=columns(data, "others"),
        sources=(LabelBoost.source,),
    )
