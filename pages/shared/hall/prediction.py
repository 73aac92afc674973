"""Predict, then reveal: the curves wait until the audience has committed."""

from __future__ import annotations

import contextlib
import functools
import html
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.frame import shell
from pages.shared.hall import audience, lectures, presenter
from pages.shared.state import controls, state
from privsc_core import draw, practice
from privsc_core.draw.style import integer
from privsc_core.errors import InputError
from privsc_core.evaluate.prediction import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pages.shared.hall.lectures import Scene
    from privsc_core.concepts.contracts.practice import Exercise
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.prediction import Answer
    from privsc_core.evaluate.scenario import Scenario

START = 100  # where the line waits
_POSED = "pv_posed"  # in the session: the place of a scene that names a kind of question, and the scene with it


def asks() -> bool:
    """Return whether the curves are hidden now."""
    return bool(state.current()["predict"])


def scene() -> Scene | None:
    """Return the scene of a lecture that asks its own question here, if there is one."""
    where = presenter.place()
    if where and where.scene.ask:
        at, posed = st.session_state.get(_POSED, ("", None))
        return posed if at == place() else None
    return where.scene if where and where.scene.question else None


def question(usual: str, scenario: Scenario | None = None) -> str:
    """Return what the audience is asked: the scene's question, or the usual one of the page.

    A scene that names a kind of question asks the one of that kind at a setting, if there is one.
    """
    where = presenter.place()
    if where and where.scene.ask and scenario is not None:
        st.session_state[_POSED] = place(), posed(where.scene, scenario)
    asked = scene()
    return asked.question if asked else usual


@functools.lru_cache(maxsize=64)
def _asked(kind: str, scenario: Scenario) -> Exercise | None:
    with contextlib.suppress(InputError):
        return practice.ask(kind, scenario)
    return None


def posed(scene: Scene, scenario: Scenario) -> Scene | None:
    """Return a scene with the question of its kind at a setting; None where that has no choices."""
    found = _asked(scene.ask, scenario)
    if found is None or found.right is None:
        return None
    return replace(
        scene, question=found.sentence, choices=found.choices, right=found.right + 1,
        feedback=found.feedback,
    )  # fmt: skip


def choices() -> tuple[str, ...]:
    """Return the answers that the scene's question offers; none where the answer is a number."""
    asked = scene()
    return asked.choices if asked else ()


def guess() -> int:
    """Return the guess of the number of samples, 0 while there is none."""
    return state.whole("guess")


def _set(value: float) -> None:
    state.assign(guess=max(1, round(value)))


def commit(words: str, start: int = START, truth: Answer | None = None, setting: str = "") -> None:
    """Draw the question, the guess, which waits at `start`, or the choices, and the button that reveals.

    Where phones answer, they are asked as well. `truth` is what they are told afterwards, and `setting` says in
    words what a lecturer's own question says by itself.
    """
    offered = choices()
    where = presenter.place()
    own = where is not None and bool(where.scene.question)
    _ask_phones(words if own or not setting else f"{words}\n{setting}", offered, truth)
    phones = audience.present()
    if not (offered or phones or guess()):
        _set(start)
    with st.container(key="pv_ask", border=True):
        shares = [10, 2] if offered or phones else [6, 4, 2]
        text, *slider, reveal = st.columns(shares, vertical_alignment="center", gap="medium")
        text.container(key="pv_question").markdown(f"**Predict first.** {lectures.typeset(words)}")
        for place in slider:
            with place:
                controls.slider(
                    state.field_of("guess"), "**Your prediction of m**: drag the line, or this",
                    show=integer,
                )  # fmt: skip
        reveal.button("Reveal", key="pv_reveal", on_click=_reveal, width="stretch")
        if offered:
            st.html(listed(offered))
        _room()


def _ask_phones(words: str, offered: tuple[str, ...], truth: Answer | None) -> None:
    spoken = lectures.untypeset(words)
    asked = scene()
    if asked and offered:
        right = asked.right - 1 if asked.right else None
        told = f"Right: {offered[asked.right - 1]}." if asked.right else ""
        audience.ask(place(), spoken, offered, truth=right, told=told, feedback=asked.feedback)
    elif truth is None or truth.m is None:
        audience.ask(place(), spoken, told=truth.remark if truth else "")
    else:
        told = f"{truth.title} needs {truth.m:,}."
        audience.ask(place(), spoken, truth=float(truth.m), told=told)


def _room() -> None:
    """Draw the room where the presenter's bar does not."""
    if shell.mode() == "full":
        with st.container(horizontal=True, vertical_alignment="center"):
            audience.show()


def place() -> str:
    """Return the place of the question among those of a room: a lecture and a scene, or a page."""
    where = presenter.place()
    if where:
        return f"{where.lecture.name}.{where.number}"
    return (st.context.url or "").partition("?")[0].rstrip("/").rpartition("/")[2] or "page"


def _reveal() -> None:
    median = audience.reveal()
    state.assign(predict=False, **({"guess": median} if median and not choices() else {}))


def button() -> None:
    """Draw the button that hides the curves on request."""
    st.button(
        "Predict first", key="pv_predict", on_click=lambda: state.assign(predict=True, guess=0),
        help="Hides the curves and the numbers until you have made a guess.",
    )  # fmt: skip


def hidden(
    picture: Picture, axes: tuple[str, ...], quantity: str, words: str, *, at: float = 0.0,
    start: int = START,
) -> Picture:  # fmt: skip
    """Return the picture without its curves, with the line of the guess; see `draw.mark`.

    `at` is the setting's value on the horizontal axis, about which the question is; 0 for nowhere.
    """
    empty = draw.conceal(picture, words, axes, quantity)
    if choices() or audience.present():
        return empty
    return draw.mark(empty, guess() or start, axes, quantity, at, ask=True)


def listed(
    offered: Sequence[str],
    right: int = 0,
    feedback: Sequence[str] = (),
    counts: Sequence[int] = (),
) -> str:
    """Return choices as an HTML list with letters.

    Parameters
    ----------
    offered : sequence of str
    right : int
        The number of the right one, from 1; 0 where none is, or where it is not told yet.
    feedback : sequence of str
        What is said of each; may be empty.
    counts : sequence of int
        How many phones chose each; empty where none was asked.
    """
    items, everybody = [], sum(counts)
    for number, words in enumerate(offered, start=1):
        mark = " data-right" if number == right else ""
        told = '<em class="pv-right">right</em>' if mark else ""
        if everybody:
            count = counts[number - 1]
            told += f'<em class="pv-chosen" style="--share:{count / everybody:.3f}">{count:,} of {everybody:,}</em>'
        told += f"<span>{html.escape(feedback[number - 1])}</span>" if feedback else ""
        items.append(f"<li{mark}><strong>{html.escape(words)}</strong>{told}</li>")
    return f'<ol class="pv-choices" type="A">{"".join(items)}</ol>'


def said(truth: Answer | None) -> None:
    """State what the guess missed, or which choice of the scene's question is right."""
    asked, found = scene(), audience.revealed(place())
    if asked and asked.choices:
        st.html(listed(asked.choices, asked.right, asked.feedback, found.counts if found else ()))
    if found:
        _room()
    if truth is None:
        return
    with st.container(key="pv_verdict", horizontal=True, vertical_alignment="center"):
        shell.message(verdict_on(truth), "accent")
        st.button("Clear", key="pv_clear", on_click=lambda: state.assign(guess=0))


def verdict_on(truth: Answer) -> str:
    """Return what the guess missed, in words, and what phones have answered."""
    found = audience.revealed(place())
    return verdict(guess(), truth) + (f" {audience.said(found)}" if found else "")


def crowd() -> tuple[tuple[float, int], ...]:
    """Return where the answers of phones lie, and how many lie there, once they are revealed."""
    found = None if asks() or not guess() else audience.revealed(place())
    return found.places if found else ()


def dragged(key: str) -> None:
    """Take the place of the line that was dragged in a figure."""
    value = st.session_state.get(key, {}).get("guess")
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 10**7:
        _set(value)
