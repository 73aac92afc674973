"""What a bound of a reader's own costs, beside one success curve.

`python -m tests.benchmarks formulas [count]` prints two rows: a formula at the places of a curve, and the mean over
so many random formulas (10,000), hostile ones among them, each read and evaluated at three settings.
"""

import contextlib
import random

import numpy as np

from privsc_core.errors import InputError
from privsc_core.evaluate import bounds, views
from privsc_core.evaluate.scenario import Scenario
from privsc_core.formula import Formula
from tests.benchmarks.timing import compare, head, row, within
from tests.core.test_formula import HOSTILE, NAMES, VALUES, broken, grown

TEXT = "2*(d*log(2) + log(1/beta))/(alpha*epsilon)"


def texts(count):
    """Return random formulas, every third of them broken and every seventh hostile."""
    rng = random.Random(63)  # noqa: S311 - test data
    for number in range(count):
        whole, _ = grown(rng, rng.choice((1, 2, 2, 3)))
        yield (
            rng.choice(HOSTILE) if number % 7 == 1 else broken(rng, whole) if number % 3 else whole
        )


def main(count=10_000):
    scenario = Scenario("point", ("exponential",), formula=TEXT)
    alone = Scenario("point", ("exponential",))
    places = views.success_curves(alone, "m").learners[0].x
    every = list(texts(count))

    def curve():
        bounds.forget()
        return views.success_curves(alone, "m")

    def formula():
        return scenario.own.along(**scenario.settings("d"), d=np.arange(2, 2 + places.size))

    def many():
        for text in every:
            with contextlib.suppress(InputError):
                Formula(text, NAMES)(VALUES)

    head()
    within("", f"a formula, {places.size} places", "a success curve", formula, curve, wanted=1)
    ours, peer, _ = compare(many, curve)
    row("", f"one of {count:,} random formulas", "a success curve", (ours / count, peer, peer * count / ours),
        wanted=None)  # fmt: skip
