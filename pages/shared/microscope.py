"""One run under the microscope: the exhibit that every class page has.

A page gives `fields` to the shell and draws what `exhibits` returns.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared import exhibit, shell, state
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import distribution as find_distribution
from privsc_core.draw.microscope_figures import step_figure, step_height
from privsc_core.draw.style import number, share
from privsc_core.evaluate.microscope import Examination, examine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from privsc_core.concepts.trace import Step
    from privsc_core.draw.picture import Picture

__all__ = ["exhibits", "fields"]

_LONGEST_RUN = 12  # steps


def fields(concept: str, learner: str) -> dict[str, state.Field]:
    """Return the parameters of the exhibit, by name; `learner` is watched at first."""
    own: dict[str, Any] = {"scope": concept}
    return {
        "who": state.Field(
            key="who", kind="choice", default=learner, name="learner under the microscope",
            choices=tuple(entry.name for entry in find_concept(concept).learners), **own,
        ),
        "run": state.Field(
            key="run", kind="integer", default=1, name="number of the run", low=1, high=999_999, **own,
        ),
        "step": state.Field(
            key="step", kind="integer", default=0, name="step of the run", low=0,
            high=_LONGEST_RUN, **own,
        ),
    }  # fmt: skip


def exhibits(concept: str, learner: str) -> dict[str, Callable[[], None]]:
    """Return the exhibit under its name, which stands in links: fixed for ever."""
    own = fields(concept, learner)

    @st.fragment
    def microscope() -> None:
        _show(concept, own)

    return {"microscope": microscope}


def _show(concept: str, own: dict[str, state.Field]) -> None:
    exhibit.intro(
        "One run under the microscope",
        "microscope",
        "**One sample, one draw of coins, one hypothesis: a probability of success is how often "
        "such a run ends well.** Follow it from the sample to the error, and draw another one.",
    )
    part = exhibit.part("Watch one run, step by step", "microscope", own.values())
    if not part.open:
        return
    with part, shell.guard():
        buttons = _controls(concept, own)
        run, pictures = _examined(**_setting(concept, own))
        at = int(state.current()[own["step"].key])  # type: ignore[arg-type]
        last = len(run.steps)
        at = at if 0 < at < last else last
        with buttons:
            _buttons(own, at, last)
        _steps(run, pictures, at)
        if at == last:
            _outcome(run)
        _caption(run)


def _controls(concept: str, own: dict[str, state.Field]) -> Any:
    left, right = st.columns([1, 1.6], vertical_alignment="bottom")
    titles = {entry.name: entry.title for entry in find_concept(concept).learners}
    with left:
        state.select(own["who"], "Learner", names=titles)
    return right.container(horizontal=True, gap="small")


def _buttons(own: dict[str, state.Field], at: int, last: int) -> None:
    key = own["step"].key
    st.button(
        "Next draw", key="pv_run_next", on_click=exhibit.step, args=(own["run"],),
        help="Another sample and other coins.",
    )  # fmt: skip
    st.button(
        "Same draw again", key="pv_run_again", on_click=lambda: state.assign(**{key: 1}),
        help="The same sample and the same coins, step by step.",
    )  # fmt: skip
    if at < last:
        st.button("Next step", key="pv_run_step", on_click=lambda: state.assign(**{key: at + 1}))
        st.button("All steps", key="pv_run_all", on_click=lambda: state.assign(**{key: 0}))


def _setting(concept: str, own: dict[str, state.Field]) -> dict[str, Any]:
    """Return the setting of the page, as `examine` takes it."""
    now: dict[str, Any] = dict(state.current())
    law = find_distribution(concept, now["dist"])
    law = law.resized(*(now[knob.key] for knob in law.knobs))
    family = find_concept(concept).variant is not None
    return {
        "concept": f"{concept}({now['l']})" if family else concept, "learner": now[own["who"].key],
        "distribution": law.label, "m": now["m"], "d": now["d"], "epsilon": now["eps"],
        "alpha": now["alpha"], "beta": now["beta"], "delta": now.get("delta", 0.0),
        "seed": now[own["run"].key],
    }  # fmt: skip


@st.cache_resource(max_entries=64, show_spinner=False)
def _examined(**setting: Any) -> tuple[Examination, tuple[Picture | None, ...]]:
    run = examine(**setting)
    return run, tuple(step_figure(run, step) for step in run.steps)


# --- The steps ----------------------------------------------------------------------------------


def _steps(run: Examination, pictures: Sequence[Picture | None], at: int) -> None:
    """Draw the first steps, two beside each other; one without a figure joins the next."""
    cells: list[tuple[list[tuple[int, Step]], Picture | None]] = []
    waiting: list[tuple[int, Step]] = []
    for place, (step, picture) in enumerate(zip(run.steps, pictures, strict=True), start=1):
        if place > at:
            break
        waiting.append((place, step))
        if picture is not None:
            cells.append((waiting, picture))
            waiting = []
    for pair in zip(cells[::2], [*cells[1::2], None], strict=False):
        for column, cell in zip(st.columns(2, gap="medium"), pair, strict=True):
            if cell is not None:
                with column:
                    _cell(*cell)
    if waiting:
        _words(waiting)


def _cell(told: list[tuple[int, Step]], picture: Picture | None) -> None:
    # So high that two figures beside each other stand level; less on a phone.
    _words(told, style="min-height: min(7.2rem, 10vw)")
    place, step = told[-1]
    if picture is not None:
        exhibit.draw(picture, f"run-{place}", step_height(step))


def _words(told: Sequence[tuple[int, Step]], *, style: str = "") -> None:
    lines = "".join(
        f"<p><strong>{place}. {html.escape(step.title)}.</strong> {html.escape(step.words)}</p>"
        for place, step in told
    )
    st.html(f'<div style="{style}">{lines}</div>')


# --- How it ended -------------------------------------------------------------------------------


def _outcome(run: Examination) -> None:
    shell.cards(_error(run), _verdict(run), *_chance(run))


def _error(run: Examination) -> shell.Card:
    name = "True error" if run.learner.labelled else "Largest deviation"
    if run.failed_to_answer:
        return shell.card(name, "none", "⊥ counts as wrong everywhere")
    if run.error is None:
        return shell.card(name, "unknown", f"it would have to be asked at 2^{run.d} points")
    note = f"just above α = {run.alpha:g}" if run.barely else f"α = {run.alpha:g}"
    return shell.card(name, _number(run.error), note)


def _number(value: float) -> str:
    return f"{value:.3g}" if value else "0"


def _verdict(run: Examination) -> shell.Card:
    if run.succeeded is None:
        return shell.card("This run", "not judged", "its error is unknown")
    if run.succeeded:
        return shell.card(
            "This run",
            "success",
            "error at most α" if run.learner.labelled else "every fraction is less than α off",
            "good",
        )
    return shell.card(
        "This run",
        "failure",
        "error above α" if run.learner.labelled else "a fraction is α or more off",
        "bad",
    )


def _chance(run: Examination) -> list[shell.Card]:
    if run.chance is None:
        return []
    return [
        shell.card(
            "Such runs succeed with probability", share(run.chance), f"exact, at m = {run.m:,}",
            "accent",
        )
    ]  # fmt: skip


def _caption(run: Examination) -> None:
    given = "the examples" if run.learner.labelled else "the database"
    st.caption(
        f"**Real**: run {run.seed} of the algorithm itself, what `privsc_core.learn` returns for "
        f"{given} and `seed={run.seed}`. **Exact**: what is computed from that, nothing is "
        f"averaged. The page's setting: m = {run.m:,}, d = {run.d:,}, ε = {number(run.epsilon)}, "
        f"α = {number(run.alpha)}."
    )
