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
from privsc_core.finite.concept.learners import OverMatrix
from privsc_core.finite.optimum import HEAVIEST, alike, most_examples, optimum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
    if max(weights) > HEAVIEST // of.points:
        raise InputError("weights", "must have fewer digits for the linear program", law.label)

    def sizes(slack: float, *, proper: bool) -> range:
        most = most_examples(of, weights, alpha=alpha, delta=slack, proper=proper)
        return range(1, min(most, _MOST) + 1)

    free = sizes(0.0, proper=False)
    only = not free  # then there are too many hypotheses to try
    asked = {
        "free": (0.0, False, free),
        "proper": (0.0, True, sizes(0.0, proper=True)),
        "slack": (delta, only, sizes(delta, proper=only)),
    }
    pairs = [(kind, m) for kind, (*_, few) in asked.items() for m in few]
    if not pairs:
        raise InputError(
            "class", "must be smaller for the linear program, as 9 thresholds on 8 points are",
            f"{len(of)} concepts on {of.points} points",
        )  # fmt: skip
    found = {
        (kind, m): optimum(
            of, m, weights, epsilon=scenario.epsilon, alpha=alpha, targets=targets,
            delta=asked[kind][0], proper=asked[kind][1],
        )
        for kind, m in progress.steps(pairs, end=0.7)
    }  # fmt: skip
    curves = {kind: tuple(found[kind, m].high for m in few) for kind, (*_, few) in asked.items()}
    shown = len(curves["free"] or curves["proper"])
    with progress.stage(0.7, 1.0):
        orbits = alike(of, weights, alpha=alpha, proper=only)
        learners = _learners(scenario, law, targets, shown, orbits)
    apart = max(one.high - one.low for one in found.values())
    return Best(**curves, learners=learners, apart=apart)


def _learners(
    scenario: Scenario, law: OnPoints, targets: Targets, most: int, orbits: NDArray[np.int64]
) -> dict[str, tuple[float, ...]]:
    """Return the success of each shown learner, over all concepts as targets.

    Ours count mistakes and draw lots, so they are as good on each target of an orbit: one stands for all. A learner of
    a reader's own may prefer names.
    """
    whole = scenario.settings() | scenario.simulation() | {"m": np.arange(1, most + 1)}
    one_each = np.unique(orbits, return_index=True, return_counts=True)[1:]
    every = np.arange(orbits.size), np.ones(orbits.size)
    found = {}
    for learner in progress.steps(scenario.drawn):
        goals, counts = one_each if isinstance(learner, OverMatrix) else every
        values = [
            success(learner, replace(law, number=goal + 1), **whole).value
            for goal in progress.steps(goals.tolist())
        ]
        over = (
            np.average(values, axis=0, weights=counts)
            if targets == "average"
            else np.min(values, axis=0)
        )
        found[learner.name] = tuple(over.tolist())
    return found


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
