"""No upper bound of the catalog promises what its learners do not keep on some distribution."""

import random

import pytest

from tests.depth import deep
from tests.referee import upper
from tests.referee.classes import CLASSES
from tests.referee.report import Tally

BOUNDS = [
    pytest.param(known, bound, id=f"{known.name}-{bound.name}")
    for known in CLASSES.values()
    for bound in known.concept.bounds
    if bound.kind == "upper"
]
# (bits: the smallest, the next, ...; m, epsilon, alpha, beta)
CELLS = [
    (0, 12, 8.0, 0.499, 0.2),
    (0, 30, 3.0, 0.7, 0.01),
    (1, 5, 4.0, 0.3, 0.3),
    (1, 3, 30.0, 0.5, 0.9),
]
DRAW = random.Random(2)  # noqa: S311 - no secret
CELLS += deep([], [
    (level := DRAW.choice((0, 1)), DRAW.randint(1, 5 if level else 40), DRAW.choice((0.1, 0.7, 2.0, 8.0, 40.0)),
     DRAW.choice((0.05, 0.2, 0.33, 0.5, 0.6, 0.95)), DRAW.choice((1e-9, 0.01, 0.1, 0.5, 0.99)))
    for _ in range(40)
])  # fmt: skip
EFFORT = deep(20, 200)  # distributions that are drawn against a learner
LAW = [(0.5, 0.1, 0.1), (0.05, 0.3, 0.05), (3.0, 0.24, 0.2), (0.9, 0.4, 1e-6)]


@pytest.mark.parametrize(("known", "bound"), BOUNDS)
def test_learners_keep_it_on_every_distribution(known, bound):
    tally = Tally()
    for level, *cell in CELLS:
        d = known.bits[level]
        if known.given:
            tally.add(upper.on_databases(known, bound, d, *cell))
        else:
            tally.add(upper.compare(known, bound, d, *cell, effort=EFFORT))
    for d in deep((known.bits[0], 20), (*known.bits, 20, 64)):
        for epsilon, alpha, beta in LAW[:: deep(2, 1)]:
            tally.add(upper.by_law(known, bound, d, epsilon, alpha, beta))
    assert not tally.false, "\n".join(map(str, tally.false))
    unplayed = getattr(known, "unplayed", ())
    assert tally.count or bound.constants == "rate" or bound.name in unplayed
