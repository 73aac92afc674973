"""What the figure of the page about depths of recursion costs, beside one success curve.

`python -m tests.benchmarks staircase` prints three rows: its curves alone, its lower bound alone, and all that
a slider value takes; each time at another delta, so that nothing is kept.
"""

import itertools

from privsc_core.evaluate import bounds, views
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.interval.staircase import Standing, floor, staircase_picture, stairs
from tests.benchmarks.timing import head, within


def main():
    numbers = itertools.count(1)

    def setting():
        return Standing(0.5, 1e-6 * (1.0 + 1e-6 * next(numbers)), 0.1, 0.1).anywhere

    def curve():
        bounds.forget()
        return views.success_curves(Scenario("interval", ("tree",), d=64, delta=1e-6), "m")

    head()
    for what, ours in (
        ("the staircase: three depths", lambda: stairs(setting())),
        ("the staircase: lower bound", lambda: floor(setting(), "bits")),
        ("the staircase: all of a slider value", lambda: staircase_picture(setting(), "bits")),
    ):
        within("", what, "a success curve", ours, curve, wanted=3)
