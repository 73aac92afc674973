"""A class of one's own: its learners beside the best private mechanism of all, on few examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts.style import IMPOSSIBLE, RED
from privsc_core.draw.picture import columns, plot, setting
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
    pure, slack : tuple of float
        No mechanism has more, purely private or with the slack; `slack` may end earlier.
    learners : dict of str to tuple of float
        Success of each learner, over the same targets.
    proper : bool
        Whether the mechanisms answer with a concept, as there are too many other hypotheses.
    apart : float
        How far the success of the mechanisms that were found is from these bounds, at most.
    """

    pure: tuple[float, ...]
    slack: tuple[float, ...]
    learners: dict[str, tuple[float, ...]]
    proper: bool
    apart: float


def best(scenario: Scenario, targets: Targets, delta: float) -> Best:
    """Return the best that is possible on few examples from the distribution of a scenario.

    Raises
    ------
    InputError
        When even one example is too much for the linear program.
    """
    law: OnPoints = scenario.law  # type: ignore[assignment] # of a finite class
    of, weights = law.of, law.whole[1]
    at = {"alpha": scenario.alpha, "proper": False}
    most = min(most_examples(of, weights, **at), _MOST)  # type: ignore[arg-type]
    if not most:
        at["proper"] = True
        most = min(most_examples(of, weights, **at), _MOST)  # type: ignore[arg-type]
    if not most:
        raise InputError(
            "class", "must be smaller for the linear program, as 9 thresholds on 8 points are",
            f"{len(of)} concepts on {of.points} points",
        )  # fmt: skip
    fewer = min(most, most_examples(of, weights, delta=delta, **at))  # type: ignore[arg-type]
    asked = [
        (m, slack) for m in range(1, most + 1) for slack in (0.0, delta) if not slack or m <= fewer
    ]
    found = {
        (m, slack): optimum(
            of, m, weights, epsilon=scenario.epsilon, delta=slack, targets=targets, **at  # type: ignore[arg-type]
        )
        for m, slack in progress.steps(asked, end=0.7)
    }  # fmt: skip
    return Best(
        tuple(found[m, 0.0].high for m in range(1, most + 1)),
        tuple(found[m, delta].high for m in range(1, fewer + 1)),
        _learners(scenario, law, targets, most),
        bool(at["proper"]),
        max(one.high - one.low for one in found.values()),
    )


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
    m = list(range(1, len(found.pure) + 1))
    data = [
        joined(m, found.pure, "best of all, ε-DP", RED, "circle-open", uid="optimum")
        | hover("m = %{x}: at most %{y:.4f}", "best of all, ε-DP")
    ]
    for learner in scenario.drawn:
        curve = joined(
            m, found.learners[learner.name], learner.title,
            scenario.concept_class.style_of(learner.name), uid=learner.name,
        )  # fmt: skip
        data.append(curve | hover("m = %{x}: %{y:.4f}", learner.title) | {"of": learner.name})
    table = columns(data, "m")
    if found.slack:
        name = f"best of all, with δ = {number(delta)}"
        data.append(
            joined(
                m[: len(found.slack)], found.slack, name, RED, "diamond-open", dash="dot",
                uid="optimum with delta",
            )
            | hover("m = %{x}: at most %{y:.4f}", name)
        )  # fmt: skip
        table["optimum with delta"] = [*found.slack, *[None] * (len(m) - len(found.slack))]
    shade = [line(m, [1.0] * len(m), "ceiling", RED, width=0) | QUIET,
             line(m, found.pure, "floor", RED, width=0) | QUIET
             | {"fill": "tonexty", "fillcolor": IMPOSSIBLE}]  # fmt: skip
    return plot(
        [*shade, *data],
        axis("number of labelled examples m", (0.8, m[-1] + 0.2)) | {"dtick": 1},
        axis("probability of success", (0.0, 1.03)),
        title=_title(scenario, found),
        caption=f"{scenario.law.label} distribution, success {_WORDS[targets]}; {setting(scenario, 'epsilon', 'alpha')}. "
        "Red: no purely private mechanism reaches it"
        f"{' that answers with a concept' if found.proper else ', whatever hypothesis it answers with'}. "
        f"Linear programs, proved to {max(found.apart, 1e-12):.0e}; learners: {_method(scenario, len(m))}.",
        summary=f"Success of the best mechanisms and of the learners on 1 to {m[-1]} examples.",
        filename=f"privsc-best-of-all-eps{scenario.epsilon:g}",
        table=table,
    )


def _title(scenario: Scenario, found: Best) -> str:
    private = [e for e in scenario.drawn if e.privacy != "none"]
    m = len(found.pure)
    on = f"{m} example{'s' * (m > 1)}"
    if not private:
        return f"On {on} no ε-DP mechanism succeeds with more than {share(found.pure[-1])}"
    name, title = max((found.learners[e.name][-1], e.title) for e in private)
    return (
        f"On {on} {title.lower()} reaches {share(name)}; the best mechanism {share(found.pure[-1])}"
    )


def _method(scenario: Scenario, most: int) -> str:
    """Return how the learners' numbers were computed."""
    few = scenario.settings() | {"m": most, "trials": 2}
    methods: Sequence[str] = [success(e, scenario.law, **few).method for e in scenario.drawn]
    return "exact" if set(methods) <= {"exact"} else "exact or simulated"
