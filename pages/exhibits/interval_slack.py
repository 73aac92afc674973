"""What intervals show of the slack: the candidates of the tree, and the interior point problem."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls, state
from privsc_core.exhibits.interval.interior import needs, reduced
from privsc_core.exhibits.interval.tree import (
    CHANGES,
    LARGEST_D,
    LAWS,
    LEAST_D,
    STEPS,
    tree_exhibit,
)

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from pages.shared.state.state import Field
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.interval.tree import TreeExhibit

_OWN = Fields("interval")
DEEPER = ("pages/logstar.py", "Deeper trees: **What log\\* costs**")
"""The page about further depths, and the words of a link to it."""

# --- The candidates of the tree -------------------------------------------------------------------

_ON = _OWN.choice("on", "distribution of the candidates", "cascade", tuple(LAWS))
_RUNGS = _OWN.integer(
    "rungs", "bits of the candidates", LARGEST_D, (LEAST_D, LARGEST_D),
    tuple(range(LEAST_D, LARGEST_D + 1)),
)  # fmt: skip
_MANY = _OWN.integer(
    "many", "examples of the candidates", 1000, (10, 3000),
    (10, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000),
)  # fmt: skip
_CLIMB = _OWN.choice("climb", "step of the candidates", tuple(STEPS)[-1], tuple(STEPS))
_AGAIN = _OWN.draw("again", "draw of the candidates")
_CHANGE = _OWN.choice("change", "change of one example", CHANGES[0], CHANGES)
_NTH = _OWN.integer("nth", "example that changes", 1, (1, 12), tuple(range(1, 13)))
_PLACE = _OWN.integer(
    "place", "where it moves to", 1, (1, 1 << LARGEST_D), tuple(range(1, (1 << LARGEST_D) + 1))
)
_CHANGED = {"none": "No change", "flip": "Flip its label", "move": "Move it"}


def _ladder(scenario: Scenario, values: Values) -> None:
    first, second, third = st.columns([1.3, 1, 1], vertical_alignment="bottom")
    with first:
        controls.segmented(_ON, "Distribution")
    with second:
        controls.slider(
            _RUNGS,
            "**d** ← few | many →",
            help=("d: bits of a domain point, in this figure alone."),
        )
    with third:
        controls.slider(
            _MANY, "**m** ← few | many →", help=("m: number of examples, in this figure alone.")
        )
    steps, more = st.columns([3, 1], vertical_alignment="bottom")
    with steps:
        controls.segmented(_CLIMB, "Step by step", names=STEPS)
    with more:
        exhibit.redraw(_AGAIN, "Next draw", "pv_ladder_again", width="stretch")
    change, place = st.columns([1.3, 2], vertical_alignment="bottom")
    with change:
        controls.segmented(_CHANGE, "One example", names=_CHANGED)
    with place:
        where(values[_CHANGE], _NTH, _PLACE)
    found = exhibit.computed(
        tree_exhibit, law=values[_ON], d=values[_RUNGS], m=values[_MANY], seed=values[_AGAIN],
        epsilon=scenario.epsilon, alpha=scenario.alpha, beta=scenario.beta, delta=scenario.delta,
        step=values[_CLIMB], change=values[_CHANGE], example=values[_NTH], place=values[_PLACE],
    )  # fmt: skip
    _cards(found)
    height = 190 + 42 * (values[_RUNGS] + 2)
    left, right = st.columns(2, gap="medium")
    with left:
        exhibit.draw(found.cells, "ladder-cells", height)
    with right:
        exhibit.draw(found.scores, "ladder-scores", height)
    lines = "".join(
        f"<p><strong>{place}. {html.escape(title)}.</strong> {html.escape(said)}</p>"
        for place, (title, said) in enumerate(found.said, start=1)
    )
    st.html(f'<div class="pv-steps">{lines}</div>')
    st.caption(
        "**Exact**: cells, scores, probabilities, and the δ that a pair of samples needs. **Simulated**: the sample "
        "and the draw. **Ours**: the learner; it is one level of RecConcave (Beimel, Nissim and Stemmer 2013b) in a "
        "single step. Where δ is 0 on this page, the learner uses its own, 10⁻⁶."
    )
    file, words = DEEPER
    st.page_link(file, label=words, query_params=state.carried())


def where(change: str, nth: Field, place: Field) -> None:
    """Draw which example changes, and where it goes, while one does."""
    if change == CHANGES[0]:
        return
    one, two = st.columns(2)
    with one:
        controls.slider(
            nth, "**point no.** ← | →",
            help="Which point of the sample, counted from the left, loses one example.",
        )  # fmt: skip
    if change == CHANGES[-1]:
        with two:
            controls.slider(
                place, "**to x** ← | →", help="x: the point to which the example moves."
            )


def _cards(found: TreeExhibit) -> None:
    """Draw what one example changes, while it does."""
    if found.changed:
        shell.cards(
            shell.card("One example", found.changed, "point and label"),
            shell.card("A score moves by at most", found.moved, "never more than 1"),
            shell.card("A candidate of one sample alone", found.appeared, f"at most δ/(d+1) = {found.share}"),
            shell.card("This pair needs δ =", found.slack, f"promised: {found.promised}", "accent"),
        )  # fmt: skip


_LADDER = Exhibit(
    name="ladder",
    title="The candidates of the tree",
    claim="**With $\\delta$ a threshold is chosen among $d+1$ candidates, not among $2^d+1$.** A binary tree has one "
    "cell of each size around the target's step. A cell is a candidate while positive examples lie on one "
    "side and negative ones on the other. One example may add or remove a candidate; $\\delta$ allows for that.",
    label="Follow the candidates, and replace one example",
    fields=(_ON, _RUNGS, _MANY, _CLIMB, _AGAIN, _CHANGE, _NTH, _PLACE),
    draw=_ladder,
)

# --- The interior point problem -------------------------------------------------------------------

_LABELLED = _OWN.integer(
    "labelled", "examples of the reduction", 700, (50, 6000),
    (50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4500, 6000),
)  # fmt: skip
_RERUN = _OWN.draw("rerun", "draw of the reduction")


def _interior(scenario: Scenario, values: Values) -> None:
    at = (scenario.epsilon, scenario.alpha, scenario.beta, scenario.delta)
    exhibit.draw(exhibit.computed(needs, *at), "interior-needs", 380)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.slider(
            _LABELLED,
            "**m** ← fewer examples | more →",
            help=("m: number of examples in this run."),
        )
    with right:
        exhibit.redraw(_RERUN, "Next draw", "pv_reduction_again", width="stretch")
    run = exhibit.computed(
        reduced, values[_LABELLED], values[_RERUN], scenario.epsilon, scenario.beta, scenario.delta
    )
    exhibit.draw(run.picture, "interior-run", 360)
    shell.cards(
        shell.card("Entries of each label", f"{run.h:,}", "h: the rest of the sample is not used"),
        shell.card("The solver fails", run.failure, "exact, for this sample"),
        shell.card("Mistakes on the sample", f"≤ {run.mistakes:,}", f"promised: at most h − 1 = {run.allowed:,}",
                   "accent"),
    )  # fmt: skip
    st.caption(
        "**Exact**: probabilities, given the simulated sample. **Ours**: the solver (the tree without labels) and "
        "all constants. It is enough to have n = 4u − 2 points, where u is the least score at which the solver fails "
        "with probability at most β. For thresholds it is enough to have m examples with β/2 + 2 Pr[Bin(m, α) < h] ≤ "
        "β. **Paper**: the reduction (Bun, Nissim, Stemmer and Vadhan 2015). Where δ is 0 on this page, the solver "
        "uses 10⁻⁶. At the defaults this way takes 1.5 to 1.7 times as many examples as the tree with labels."
    )


_INTERIOR = Exhibit(
    name="interior",
    title="A point in between",
    claim="**Learning a threshold amounts to finding a point between others.** A mechanism that privately outputs a "
    "number between the least and the largest of $n$ numbers gives a learner of thresholds. A good threshold lies "
    "between the largest positive and the smallest negative examples.",
    label="Solve it, and learn thresholds by it",
    fields=(_LABELLED, _RERUN),
    draw=_interior,
)

EXHIBITS = (_LADDER, _INTERIOR)
