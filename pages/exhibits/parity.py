"""The exhibit of parities: statistical queries cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls
from privsc_core.exhibits.parity import queries_against_examples

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("parity")
_TOLERANCE = _OWN.number(
    "tol", "tolerance of a statistical query", 0.05, (0.001, 0.45),
    (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45),
)  # fmt: skip


def _queries(scenario: Scenario, values: Values) -> None:
    controls.slider(
        _TOLERANCE, "**τ** ← exact answers | rough answers →",
        help=(
            "τ: how far the answer to a query may be off. The mean of m examples is accurate to "
            "about 1/√m."
        ),
    )  # fmt: skip
    exhibit.draw(
        exhibit.computed(queries_against_examples, scenario, values[_TOLERANCE]), "queries", 420
    )


_QUERIES = Exhibit(
    name="queries",
    title="Statistical queries cannot",
    claim="**A learner that asks only for averages (statistical queries) needs exponentially many of them to learn "
    "parities.** The answer to a query is the mean of a function of point and label, up to an error of τ. If points "
    "are uniform, fewer than $1/(4\\tau^2)$ of the $2^d$ targets change this mean by more than τ. So $Q$ queries "
    "succeed with probability at most $(Q/(4\\tau^2)+1)/2^d$, on average over the targets (for α < 1/4). Private "
    "elimination solves equations instead, in polynomial time.",
    label="Count queries and examples",
    fields=(_TOLERANCE,),
    draw=_queries,
)

EXHIBITS = (_QUERIES,)
