"""What the figure of the page about depths of recursion costs, beside one success curve.

`python -m tests.benchmarks staircase` prints three rows: its curves alone, its lower bound alone, and all that
a slider value takes; each time at another delta, so that nothing is kept. A fourth row is the least m of the
learner of depth 2 at sixty places of d, beside that of depth 1.
"""

import itertools

import numpy as np

import privsc_core as pv
from privsc_core.evaluate import bounds, views
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.interval.staircase import Standing, floor, staircase_picture, stairs
from tests.benchmarks.timing import head, within

PLACES = np.unique(np.geomspace(16, 10**6, 60).astype(np.int64))


def main():
    numbers = itertools.count(1)

    def setting():
        return Standing(0.5, 1e-6 * (1.0 + 1e-6 * next(numbers)), 0.1, 0.1).anywhere

    def curve():
        bounds.forget()
        return views.success_curves(Scenario("interval", ("tree",), d=64, delta=1e-6), "m")

    def needs(learner):
        pv.need(
            concept="interval", learner=learner, target="alternating", d=PLACES, epsilon=0.5,
            alpha=0.1, beta=0.1, delta=1e-6 * (1.0 + 1e-6 * next(numbers)),
        )  # fmt: skip

    head()
    for what, ours in (
        ("the staircase: three depths", lambda: stairs(setting())),
        ("the staircase: lower bound", lambda: floor(setting(), "bits")),
        ("the staircase: all of a slider value", lambda: staircase_picture(setting(), "bits")),
    ):
        within("", what, "a success curve", ours, curve, wanted=3)
    what = "least m of tree-2 at 60 places of d"
    within("", what, "of tree", lambda: needs("tree-2"), lambda: needs("tree"), wanted=2)
