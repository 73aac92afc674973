"""Three exhibits of points: how good it can get, the linear program, the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.hall import presenter
from pages.shared.state import controls, state
from pages.shared.state.fields import explanation, label
from privsc_core.draw.style import number
from privsc_core.exhibits.point.optimum import (
    checked,
    needed,
    program,
    slopes,
    successes,
    traded,
)
from privsc_core.exhibits.point.proof import MOVES

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("point")


# --- How good can it get? -----------------------------------------------------------------------

_VIEWS = {
    "slopes": "Two slopes", "success": "Success", "need": "Need and ratio", "price": "The price",
}  # fmt: skip
_VIEW = _OWN.choice("opt", "picture of the optimum", "slopes", tuple(_VIEWS))
_MINE = _OWN.integer(
    "mine", "votes for the target", 60, (1, 10_000),
    (10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000),
)  # fmt: skip


def _optimum(scenario: Scenario, values: Values) -> None:
    if state.moved():  # d and epsilon are the page's: its figure moves with them
        exhibit.everywhere()
    view = values[_VIEW]
    if presenter.place() is None:
        controls.segmented(_VIEW, "Picture", names=_VIEWS)
    exhibit.draw(_picture(scenario, values), f"optimum-{view}", 400)
    _setting(several=view == "price")
    if presenter.place() is not None:  # the caption of the scene says the rest
        return
    st.caption(
        "**Exact**: closed formulas and sums, nothing is simulated. **Ours**: the halfway bound and the margin "
        "learner; we know of no reference. No proper, purely private learner can be above the bound. In every case "
        "that we could solve some mechanism attains it (next figure). Whether this is always so is open. "
        "Permute-and-flip: McKenna and Sheldon 2020; exponential mechanism: BBKN13, Lemma 3.4."
    )


def _picture(scenario: Scenario, values: Values) -> Picture:
    d, epsilon = scenario.d, scenario.epsilon
    goal = (scenario.alpha, scenario.beta)
    match values[_VIEW]:
        case "success":
            return exhibit.computed(successes, d, epsilon, *goal)
        case "need":
            return exhibit.computed(needed, d, epsilon, *goal)
        case "price":
            return exhibit.quickly(traded, values[_MINE], d, epsilon)
    return exhibit.quickly(slopes, d, epsilon)


def _setting(*, several: bool) -> None:
    """Draw the page's d and epsilon, and the votes of the target where they count."""
    columns = st.columns(3 if several else 2, gap="medium")
    for column, name, key in ((columns[0], "d", "d"), (columns[1], "epsilon", "eps")):
        with column:
            controls.slider(
                state.field_of(key), label(name), help=explanation(name), show=number,
                place="optimum",
            )  # fmt: skip
    if several:
        with columns[2]:
            controls.slider(
                _MINE,
                "K: votes for the target",
                help=("K: the number of positive examples of the target."),
            )


_OPTIMUM = Exhibit(
    name="optimum",
    title="How good can a private learner be?",
    claim="**As $d$ grows, a proper, purely private learner needs half as many examples as the exponential "
    "mechanism, and no such learner needs much fewer.** Without votes the target has probability about $1/T$. Under "
    "$\\varepsilon$-DP each vote raises this by a factor of at most $e^{\\varepsilon}$. In the exponential mechanism "
    "it is only $e^{\\varepsilon/2}$, so twice as many votes are needed to reach one half. The margin learner "
    "subtracts the same number of votes from every point: half of all votes beyond the first "
    "$\\log((T+1)/2)/\\varepsilon$. The votes left decide how likely the point is.",
    label="See the optimum",
    fields=(_VIEW, _MINE),
    draw=_optimum,
)


# --- The linear program -------------------------------------------------------------------------

_CANDIDATES = _OWN.integer("cands", "candidates", 4, (2, 255), (2, 3, 4, 5, 8, 16, 64, 255))
_RECORDS = _OWN.integer("recs", "records", 8, (1, 10), tuple(range(1, 11)))
_LOSS = _OWN.number(
    "peps", "privacy loss of the program", 0.7, (0.1, 3.0), (0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
)


def _program(scenario: Scenario, values: Values) -> None:
    del scenario  # small instances only: it has a setting of its own
    places = st.columns(3, gap="medium")
    with places[0]:
        controls.slider(
            _CANDIDATES,
            "N: candidates",
            help=("N: the number of candidates, one of which is the answer."),
        )
    with places[1]:
        controls.slider(
            _RECORDS, "m: records", help=("m: the number of examples; each has one vote or none.")
        )
    with places[2]:
        controls.slider(_LOSS, "ε: privacy loss", help="ε: the privacy loss in this program.")
    found = exhibit.computed(program, values[_CANDIDATES], values[_RECORDS], values[_LOSS])
    exhibit.draw(found.picture, "program", 400)
    if presenter.place() is not None:
        return
    shell.cards(
        shell.card(
            "Primal: a mechanism", f"{found.value:.9f}", "mean success over k = 0 … m", "good"
        ),
        shell.card("Dual: a proof", f"{found.dual:.9f}", "no mechanism is above", "bad"),
        shell.card(
            "Halfway bound (P2)", f"{found.bound:.9f}", "our formula, the same mean", "accent"
        ),
    )
    st.caption(
        "**Exact up to rounding**: the linear program over *all* databases of votes has just been solved (by HiGHS). "
        "The first number is what the mechanism that was found achieves; it violates no constraint by more than "
        f"{found.slip:.0e}. The second comes from a solution of the dual program, and bounds every ε-DP mechanism, "
        "however the solver rounded. It suffices to consider mechanisms that treat all candidates alike. That the "
        "optimum always equals the halfway bound is a conjecture; the figure shows single cases."
    )


_PROGRAM = Exhibit(
    name="program",
    title="The best mechanism, computed",
    claim="**Is the bound attained? Compute the best private mechanism.** For few candidates and examples it solves "
    "a linear program over all databases of votes. In every case that we could solve, its optimum is the halfway "
    "bound.",
    label="Solve the linear program",
    fields=(_CANDIDATES, _RECORDS, _LOSS),
    draw=_program,
)


# --- The proof ----------------------------------------------------------------------------------

_VOTES = (*range(11), *range(12, 61, 2), *range(65, 121, 5))
_FIRST = _OWN.integer("va", "votes of candidate 1", 95, (0, 1000), _VOTES)
_SECOND = _OWN.integer("vb", "votes of candidate 2", 6, (0, 1000), _VOTES)
_MOVE = _OWN.choice("swap", "replaced record", "1-2", tuple(MOVES))
_AT = _OWN.number(
    "along", "place on the way", 0.5, (0.0, 1.0), tuple(round(0.05 * i, 2) for i in range(21))
)
_MOVE_NAMES = {
    "1-2": "1 → 2", "2-1": "2 → 1", "1-new": "1 → 3", "drop-1": "drop from 1",
    "drop-2": "drop from 2", "add-1": "add to 1", "add-new": "add to 3",
}  # fmt: skip


def _proof(scenario: Scenario, values: Values) -> None:
    controls.segmented(_MOVE, "Move a vote", names=_MOVE_NAMES)
    places = st.columns(3, gap="medium")
    with places[0]:
        controls.slider(_FIRST, "Votes of 1", help="Candidate 3 and all others have none.")
    with places[1]:
        controls.slider(_SECOND, "Votes of 2", help="Candidate 3 and all others have none.")
    with places[2]:
        controls.slider(_AT, "h: how far it is moved", show=lambda value: f"{value:g}")
    found = exhibit.quickly(
        checked, values[_FIRST], values[_SECOND], values[_MOVE], values[_AT], scenario.d,
        scenario.epsilon,
    )  # fmt: skip
    if not found.possible:
        shell.message("There is no such vote to move, so the figure adds one.", "plain")
    if found.bits < scenario.d:
        shell.message(
            f"Shown at d = {found.bits}: with more bits the probabilities are too small for floating point.",
            "plain",
        )
    exhibit.draw(found.picture, "proof", 360)
    if presenter.place() is not None:
        return
    for step in found.steps:
        verdict = "✓" if step.holds else "✗"
        sides = f"{step.left:.6g} ≤ {step.right:.6g} {verdict}" if step.used else "the other case"
        st.markdown(f"{step.words}  \n${step.formula}$ · **{sides}**")
    st.caption(
        f"At d = {found.bits} and the page's ε: p₀ = {found.free:.4g} and u₁ = {found.half:.4g} votes. The figure "
        "checks the inequalities at this h, for fractional votes; the proof covers all h. The only condition is N ≥ "
        "2. The proof is about real numbers: a sampler in floating point does not guarantee privacy."
    )


_PROOF = Exhibit(
    name="margin-proof",
    title="Why the margin learner is private",
    claim="**Replacing one example moves a vote, removes one or adds one. Let this happen gradually: no log "
    "probability ever changes faster than $\\varepsilon$.** The subtraction ensures this, and $p_0$ is as large as "
    "the proof allows.",
    label="Move a vote and check every step",
    fields=(_FIRST, _SECOND, _MOVE, _AT),
    draw=_proof,
)

EXHIBITS = (_OPTIMUM, _PROGRAM, _PROOF)
