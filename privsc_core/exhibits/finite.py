"""A class of one's own: its learners beside the best private mechanism of all, on few examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts.style import IMPOSSIBLE, RED
from privsc_core.draw.picture import plot, setting
from privsc_core.draw.style import number, share
from privsc_core.draw.traces import QUIET, axis, hover, joined, line
from privsc_core.errors import InputError
from privsc_core.evaluate.success import success
from privsc_core.finite.optimum import most_examples, optimum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.finite.concept.distributions import OnPoints
    from privsc_core.finite.optimum import Targets

TARGETS: tuple[Targets, ...] = ("worst", "average")
_WORDS = {"worst": "on the worst target", "average": "on average over the targets"}
_MOST = 8  # examples in the figure


@dataclass(frozen=True, slots=True)
class Best:
    """Success of the best mechanisms and of learners, for each number of examples from 1.

    Attributes
    ----------
    free, proper, slack : tuple of float
        No mechanism has more: purely private, with any hypothesis or with a concept as its answer; and
        with the slack. Each ends where its linear program is too large; two that are empty or equal say
        that all answers are concepts.
    learners : dict of str to tuple of float
        Success of each learner, over the same targets.
    apart : float
        How far the success of the mechanisms that were found is from these bounds, at most.
    """

    free: tuple[float, ...]
    proper: tuple[float, ...]
    slack: tuple[float, ...]
    learners: dict[str, tuple[float, ...]]
    apart: float

    @property
    def most(self) -> tuple[float, ...]:
        """What no purely private mechanism of the figure exceeds."""
        return self.free or self.proper


def best(scenario: Scenario, targets: Targets, delta: float) -> Best:
    """Return the best that is possible on few examples from the distribution of a scenario.

    Raises
    ------
    InputError
        When even one example is too much for the linear program.
    """
    law: OnPoints = scenario.law  # type: ignore[assignment] # of a finite class
    of, weights, alpha = law.of, law.whole[1], scenario.alpha

    def sizes(slack: float, *, proper: bool) -> range:
        most = most_examples(of, weights, alpha=alpha, delta=slack, proper=proper)
        return range(1, min(most, _MOST) + 1)

    only = not sizes(0.0, proper=False)  # then there are too many hypotheses to try
    kinds = {"free": (0.0, False), "proper": (0.0, True), "slack": (delta, only)}
    asked = [
        (kind, m) for kind, (slack, proper) in kinds.items() for m in sizes(slack, proper=proper)
    ]
    if not asked:
        raise InputError(
            "class", "must be smaller for the linear program, as 9 thresholds on 8 points are",
            f"{len(of)} concepts on {of.points} points",
        )  # fmt: skip
    found = {
        (kind, m): optimum(
            of, m, weights, epsilon=scenario.epsilon, alpha=alpha, targets=targets,
            delta=kinds[kind][0], proper=kinds[kind][1],
        )
        for kind, m in progress.steps(asked, end=0.7)
    }  # fmt: skip
    free, proper, slack = (
        tuple(one.high for (kind, _), one in found.items() if kind == wanted) for wanted in kinds
    )
    return Best(
        free, proper, slack, _learners(scenario, law, targets, len(free or proper)),
        max(one.high - one.low for one in found.values()),
    )  # fmt: skip


def _learners(
    scenario: Scenario, law: OnPoints, targets: Targets, most: int
) -> dict[str, tuple[float, ...]]:
    """Return the success of each shown learner, over all concepts as targets."""
    goals = [replace(law, number=i + 1) for i in range(len(law.of))]
    whole = scenario.settings() | scenario.simulation() | {"m": np.arange(1, most + 1)}
    over = np.mean if targets == "average" else np.min
    return {
        learner.name: tuple(
            over([success(learner, goal, **whole).value for goal in goals], axis=0).tolist()
        )
        for learner in progress.steps(scenario.drawn, begin=0.7)
    }


def best_picture(scenario: Scenario, targets: Targets, delta: float) -> Picture:
    """Draw over the number of examples the best mechanisms, and the learners below them.

    Raises
    ------
    InputError
        See `best`.
    """
    found = best(scenario, targets, delta)
    m = list(range(1, len(found.most) + 1))
    shown = [
        ("optimum", found.most, f"best of all, {'proper, ' * (not found.free)}ε-DP", "", "circle-open"),
        ("optimum proper", found.proper[: len(m)], "best that answers with a concept", "dash", "square-open"),
        ("optimum with delta", found.slack, f"best of all, with δ = {number(delta)}", "dot", "diamond-open"),
    ]  # fmt: skip
    if not found.free or np.allclose(found.free[: len(found.proper)], found.proper[: len(m)]):
        del shown[1]
    data = [
        joined(m[: len(y)], y, name, RED, mark, dash=dash, uid=uid)
        | hover("m = %{x}: at most %{y:.4f}", name)
        for uid, y, name, dash, mark in shown if y
    ]  # fmt: skip
    table: dict[str, list[Any]] = {"m": m}
    table |= {uid: [*y, *[None] * (len(m) - len(y))] for uid, y, *_ in shown}
    for learner in scenario.drawn:
        curve = joined(
            m, found.learners[learner.name], learner.title,
            scenario.concept_class.style_of(learner.name), uid=learner.name,
        )  # fmt: skip
        data.append(curve | hover("m = %{x}: %{y:.4f}", learner.title) | {"of": learner.name})
        table[learner.name] = list(found.learners[learner.name])
    shade = [line(m, [1.0] * len(m), "ceiling", RED, width=0) | QUIET,
             line(m, found.most, "floor", RED, width=0) | QUIET
             | {"fill": "tonexty", "fillcolor": IMPOSSIBLE}]  # fmt: skip
    return plot(
        [*shade, *data],
        axis("number of labelled examples m", (0.8, m[-1] + 0.2)) | {"dtick": 1},
        axis("probability of success", (0.0, 1.03)),
        title=_title(scenario, found),
        caption=f"On the {scenario.law.label} distribution, success {_WORDS[targets]}; {setting(scenario, 'epsilon', 'alpha')}. "
        "Red: no purely private mechanism reaches it"
        f"{', whatever hypothesis it answers with' if found.free else ' that answers with a concept'}. "
        f"Linear programs, proved to {max(found.apart, 1e-12):.0e}; learners: {_method(scenario, len(m))}.",
        summary=f"Success of the best mechanisms and of the learners on 1 to {m[-1]} examples.",
        filename=f"privsc-best-of-all-eps{scenario.epsilon:g}",
        table=table,
    )


def _title(scenario: Scenario, found: Best) -> str:
    private = [e for e in scenario.drawn if e.privacy != "none"]
    m = len(found.most)
    on = f"{m} example{'s' * (m > 1)}"
    if not private:
        return f"On {on} no ε-DP mechanism succeeds with more than {share(found.most[-1])}"
    name, title = max((found.learners[e.name][-1], e.title) for e in private)
    return f"On {on} “{title}” reaches {share(name)}, the best mechanism {share(found.most[-1])}"


def _method(scenario: Scenario, most: int) -> str:
    """Return how the learners' numbers were computed."""
    few = scenario.settings() | {"m": most, "trials": 2}
    methods: Sequence[str] = [success(e, scenario.law, **few).method for e in scenario.drawn]
    return "exact" if set(methods) <= {"exact"} else "exact or simulated"
