"""How to get a scenario's numbers elsewhere: a command line and a Python snippet."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["command_line", "python_snippet"]


def command_line(scenario: Scenario) -> str:
    """Return the command that prints the least number of samples of the shown learners."""
    learners = ",".join(scenario.learners) or "all"
    return (
        f"privsc need --concept {shlex.quote(scenario.concept)} --learner {learners} "
        f"--distribution '{scenario.law.label}' -d {scenario.d} --epsilon {scenario.epsilon!r} "
        f"--alpha {scenario.alpha!r} --beta {scenario.beta!r} "
        f"{f'--delta {scenario.delta!r} ' if scenario.delta else ''}"
        f"--trials {scenario.trials} --seed {scenario.seed}"
    )


def python_snippet(scenario: Scenario) -> str:
    """Return a program that computes the shown success curves against m and the numbers."""
    return f"""import numpy as np
import privsc_core as pv

setting = dict(
    concept="{scenario.concept}", distribution="{scenario.law.label}",
    d={scenario.d}, epsilon={scenario.epsilon!r}, alpha={scenario.alpha!r}, beta={scenario.beta!r},
    delta={scenario.delta!r}, trials={scenario.trials}, seed={scenario.seed},
)
m = np.unique(np.geomspace(10, 10_000, 61).round().astype(int))
for learner in {list(scenario.learners)!r}:
    curve = pv.success(learner=learner, m=m, **setting)
    least = pv.need(learner=learner, **setting)
    print(learner, curve.method, curve.value.round(3), least.m, least.reason)
"""
