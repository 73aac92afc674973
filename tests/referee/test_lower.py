"""No lower bound of the catalog is beaten by the best learner of a tiny game."""

import random

import pytest

from tests.depth import deep
from tests.referee import lower
from tests.referee.classes import CLASSES
from tests.referee.lower import Place
from tests.referee.report import Tally

BOUNDS = [
    pytest.param(known, bound, id=f"{known.name}-{bound.name}")
    for known in CLASSES.values()
    for bound in known.concept.bounds
    # A class on a continuum may pack more targets than a tiny game has: it says so.
    if bound.kind == "lower" and bound.name not in getattr(known, "unplayed", ())
]
# (m, epsilon, alpha): little and much privacy, alpha near 0, 1/2 and 1.
CELLS = [
    (1, 0.05, 0.3),
    (1, 30.0, 0.499),
    (2, 1.0, 0.5),
    (2, 4.0, 0.01),
    (2, 0.3, 0.95),
    (3, 1.0, 0.2),
]
DRAW = random.Random(1)  # noqa: S311 - no secret
EPSILONS = (1e-4, 0.02, 0.1, 0.3, 0.7, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0)
ALPHAS = (0.001, 0.05, 0.1, 0.25, 0.33, 0.45, 0.499, 0.5, 0.501, 0.6, 0.75, 0.95, 0.999)
CELLS += deep([], [
    (DRAW.choice((1, 2, 2, 3)), DRAW.choice(EPSILONS), DRAW.choice(ALPHAS)) for _ in range(60)
])  # fmt: skip


@pytest.mark.parametrize(("known", "bound"), BOUNDS)
def test_the_best_learner_stays_below(known, bound):
    tally = Tally()
    for d in known.bits:
        for m, epsilon, alpha in CELLS:
            # Two examples of three bits make programs that take a tenth of a second, three take seconds.
            if d <= 2 or m == 1 or (m, epsilon) == (2, 1.0) or deep(False, m == 2):
                place = Place(d, m, epsilon, alpha, thorough=deep(False, True))
                tally.add(lower.compare(known, bound, place))
    assert not tally.false, "\n".join(map(str, tally.false))
    # A rate promises no number, and there is nothing to hold against it.
    assert tally.count or bound.constants == "rate"


@pytest.mark.parametrize(("known", "bound"), BOUNDS)
def test_numbers_are_right_down_to_the_smallest_beta(known, bound):
    tally = Tally()
    for d in known.bits:
        # 0.6^74 is 4e-17 and 0.8^164 is 1e-16: 1 - beta is then 1 in floating point, or nearly so.
        for alpha, sizes in ((0.49, (1, 8)), (0.2, deep((164,), (23, 74, 164)))):
            tally.add(lower.compare_surely(known, bound, d, alpha, sizes))
    assert not tally.false, "\n".join(map(str, tally.false))
