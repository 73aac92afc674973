"""One run under the microscope: the exhibit that every class page has."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.chart import chart
from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls, state
from privsc_core.catalog import concept as find_concept
from privsc_core.draw.style import number, share
from privsc_core.exhibits.microscope import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pages.shared.exhibits.exhibit import Own, Values
    from privsc_core.concepts.contracts import ConceptClass, Words
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.microscope import Told, Watched

_LONGEST_RUN = 12  # steps


@dataclass(frozen=True, slots=True)
class _Own:
    who: Own[str]
    run: Own[int]
    step: Own[int]


@functools.cache
def microscope(concept: str, learner: str) -> Exhibit:
    """Return the exhibit of a class; `learner` is watched at first."""
    fields = Fields(concept)
    names = tuple(entry.name for entry in find_concept(concept).learners)
    said = find_concept(concept).words
    own = _Own(
        fields.choice("who", "learner under the microscope", learner, names),
        fields.draw("run", "number of the run"),
        fields.integer("step", "step of the run", 0, (0, _LONGEST_RUN)),
    )
    return Exhibit(
        name="microscope",
        part="run",
        title="One run under the microscope",
        claim=f"**One {said.sample}, one draw of the random bits, one {said.output}: the probability of success is "
        f"the long-run share of such runs that succeed.** Follow one run from the {said.sample} to the error, and "
        "draw another one.",
        label="Watch one run, step by step",
        fields=(own.who, own.run, own.step),
        draw=functools.partial(_draw, own),
    )


def _draw(own: _Own, scenario: Scenario, values: Values) -> None:
    left, right = st.columns([1, 1.6], vertical_alignment="bottom")
    titles = {entry.name: entry.title for entry in scenario.concept_class.learners}
    with left:
        controls.select(own.who, scenario.concept_class.words.learner.capitalize(), names=titles)
    buttons = right.container(horizontal=True, gap="small")
    run = exhibit.computed(
        watched,
        concept=scenario.concept,
        learner=values[own.who],
        distribution=scenario.distribution,
        m=scenario.m,
        seed=values[own.run],
        **scenario.settings(),
    )
    at, last = values[own.step], len(run.steps)
    at = at if 0 < at < last else last
    with buttons:
        _buttons(own, at, last)
        _enough(scenario, values[own.who])
    _steps(run, at)
    if at == last:
        _outcome(run, scenario.concept_class.words)
    _caption(run, scenario.concept_class)


def _buttons(own: _Own, at: int, last: int) -> None:
    exhibit.redraw(
        own.run, "Next draw", "pv_run_next", help=("Draws another sample and other random bits.")
    )
    st.button(
        "Same draw again", key="pv_run_again", on_click=_go, args=(own, 1),
        help="Shows the same sample and the same random bits step by step.",
    )  # fmt: skip
    if at < last:
        st.button("Next step", key="pv_run_step", on_click=_go, args=(own, at + 1))
        st.button("All steps", key="pv_run_all", on_click=_go, args=(own, 0))


def _enough(scenario: Scenario, learner: str) -> None:
    """Offer as many examples as the learner needs, where there are fewer: most runs fail there."""
    least = chart.numbers(scenario, (learner,)).learner(learner).m
    if least is None or not scenario.m < least <= state.field_of("m").high:
        return
    words = f"With m = {least:,}"
    if st.button(
        words,
        key="pv_run_enough",
        help=("The least m of this learner at this setting: from there on most runs succeed."),
    ):
        state.assign(m=least)
        st.rerun()  # all of the page: m stands in other places too


def _go(own: _Own, step: int) -> None:
    state.assign(**{own.step.key: step})


# --- The steps ----------------------------------------------------------------------------------


def _steps(run: Watched, at: int) -> None:
    """Draw the first steps, two beside each other; one without a figure joins the next."""
    cells: list[list[tuple[int, Told]]] = []
    waiting: list[tuple[int, Told]] = []
    for place, step in enumerate(run.steps[:at], start=1):
        waiting.append((place, step))
        if step.picture is not None:
            cells.append(waiting)
            waiting = []
    for pair in zip(cells[::2], [*cells[1::2], None], strict=False):
        for column, cell in zip(st.columns(2, gap="medium"), pair, strict=True):
            if cell is not None:
                with column:
                    _cell(cell)
    if waiting:
        _words(waiting)


def _cell(told: list[tuple[int, Told]]) -> None:
    # So high that two figures beside each other stand level; less on a phone.
    _words(told, style="min-height: min(7.2rem, 10vw)")
    place, step = told[-1]
    if step.picture is not None:
        exhibit.draw(step.picture, f"run-{place}", step.height)


def _words(told: Sequence[tuple[int, Told]], *, style: str = "") -> None:
    lines = "".join(
        f"<p><strong>{place}. {html.escape(step.title)}.</strong> {html.escape(step.words)}</p>"
        for place, step in told
    )
    st.html(f'<div style="{style}">{lines}</div>')


# --- How it ended -------------------------------------------------------------------------------


def _outcome(run: Watched, words: Words) -> None:
    shell.cards(_error(run, words), _verdict(run), *_chance(run))


def _error(run: Watched, words: Words) -> shell.Card:
    name = words.error.capitalize()
    if not run.answered:
        return shell.card(name, "none", "⊥ counts as wrong everywhere")
    if run.error is None:
        return shell.card(
            name, "unknown", f"to compute it, all 2^{run.d} points would have to be labelled"
        )
    note = f"just above α = {run.alpha:g}" if run.barely else f"α = {run.alpha:g}"
    return shell.card(name, _number(run.error), note)


def _number(value: float) -> str:
    return f"{value:.3g}" if value else "0"


def _verdict(run: Watched) -> shell.Card:
    if run.succeeded is None:
        return shell.card("This run", "not judged", "its error is unknown")
    if run.succeeded:
        return shell.card("This run", "success", "error within α", "good")
    return shell.card("This run", "failure", "error not within α", "bad")


def _chance(run: Watched) -> list[shell.Card]:
    if run.chance is None:
        return []
    return [
        shell.card(
            "Such runs succeed with probability", share(run.chance), f"exact, at m = {run.m:,}",
            "accent",
        )
    ]  # fmt: skip


def _caption(run: Watched, concept: ConceptClass) -> None:
    st.caption(
        f"**Real**: run {run.seed} of the algorithm itself; `privsc_core.learn` returns it for the {concept.words.sample} "
        f"and `seed={run.seed}`. **Exact**: everything is computed from this run, and nothing is averaged. The "
        f"page's setting: m = {run.m:,}, {concept.size.symbol} = {run.d:,}, ε = {number(run.epsilon)}, α = {number(run.alpha)}."
    )
