"""Points and the empty concept, written a second time."""

import mpmath as mp

from tests.classes.known import Known
from tests.classes.point import PointGames
from tests.core.references import exact


def finite_class(m, d, epsilon, alpha, beta):
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return mp.mpf(2) ** d * r**m <= exact(beta)


class Games(PointGames):
    """Target 0 is the empty concept; `single` stands for the points."""

    name = "optional-point"

    def targets(self, d):
        return range(2**d + 1)


KNOWN = Known(
    is_concept=lambda row: sum(row) <= 1,
    holds={"finite-class": finite_class},
    referee=Games(),
    cards=(("hash",), ("finite-class",)),
    defaults={
        "learners": ("hash",), "dist": "single", "map": "hash", "who": "hash", "nwho": "hash",
    },
    rich="open=microscope.neighbours.recipe",
    moving="hash",
)  # fmt: skip
