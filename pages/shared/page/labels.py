"""The page about labels: its sliders, the plane of two budgets, labels against d.

Which class it is about the page says by what computes its pictures.
"""

from __future__ import annotations

import contextlib
import functools
import html
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Strip
from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, words
from pages.shared.frame.sitemap import HEADS
from pages.shared.hall import prediction, presenter
from pages.shared.page import labels_parts, labels_taken, live, numbers, pinned, theory
from pages.shared.page.labels_parts import PARTS, Budgets, kind, sent
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import again, alone, wait_briefly, wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import (
    COMMON,
    EVERYWHERE,
    PIN,
    PRESENTING,
    TABS,
    explanation,
    label,
)
from pages.shared.take import share, takeaway
from privsc_core import export
from privsc_core.catalog import concept as find_concept
from privsc_core.concepts.contracts import Cell
from privsc_core.draw.budgets_figures import (
    PLANE_AXES,
    PLANE_QUANTITY,
    bill_words,
    cards,
    plane_answer,
    plane_beside,
    plane_frame,
    plane_marked,
    plane_numbers,
    plane_question,
    plane_reading,
    plane_strip,
)
from privsc_core.draw.style import number
from privsc_core.errors import InputError
from privsc_core.evaluate.pinned import compared, moved
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.scheduling.scheduler import Task
    from privsc_core.draw.budgets_figures import Told
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Plane

__all__ = ["HEADING", "Budgets", "fields", "show"]

HEADING, _CLAIM = HEADS["labels"]
_SETTING = {name: COMMON[name] for name in ("d", "epsilon", "alpha", "beta")}
# Beside the plane of now the one of a setting that was pinned; see pinned.py.
_PINNED = _SETTING | {
    "pin": state.Field(
        key="pin", kind="text", default="", name="pinned setting", pattern=PIN, scope="labels"
    )
}
_STAGED = ("present", "lecture", "scene", "predict", "guess")
_HEIGHT = 430
_WAITS = 1000  # where the line of a guess stands first: near no answer of the first view
_SOON = 0.3  # seconds; a plane that takes longer is shown of few draws first
_AROUND = "pv_labels_around"  # in the session: what is around the body was drawn for what
_WHOLE = "pv_labels_whole"  # in the session: whose plane was shown of all draws last
# What an audience sees: the parts that the link names, and first of all the plane.
_PARTS = ("plane", *PARTS)
# Words of the claim, and the lines on the plane that they light up.
_NAMED = (
    ("people (unlabelled examples)", ("people",)), ("the frontier", ("generic",)),
    ("the wall", ("wall",)),
)  # fmt: skip
_WHAT = (
    "Each of $m$ people gives a labelled example, each of $u$ others an unlabelled one; which are which is "
    "public, and both are private: the output may depend on any one person by a factor of "
    "$e^{\\varepsilon}$ only. The unlabelled ones make a small class, the labelled ones choose in it."
)


def fields(families: Mapping[str, Budgets]) -> tuple[state.Field, ...]:
    """Return the parameters of the page's link, for those classes."""
    staged = (PRESENTING[name] for name in _STAGED)
    return (
        *EVERYWHERE,
        *staged,
        _open(families),
        _TAB,
        _of(families),
        *labels_parts.fields(families),
        _PINNED["pin"],
    )


_TAB = state.Field(
    key="tab",
    kind="choice",
    default=TABS[0],
    name="tab of the theory",
    choices=TABS,
    scope="labels",
)


def _open(families: Mapping[str, Budgets]) -> state.Field:
    """Return the field of the parts that a link shows or unfolds."""
    concepts = (find_concept(one.told.concept) for one in families.values())
    names = dict.fromkeys(name for concept in concepts for name in theory.parts(concept))
    return state.Field(
        key="open", kind="choices", default=(), name="parts to show", scope="labels",
        choices=(*_PARTS, *takeaway.PARTS, *names),
    )  # fmt: skip


def _of(families: Mapping[str, Budgets]) -> state.Field:
    """Return the field of which class is shown; the first one in the first view."""
    names = tuple(families)
    return state.Field(
        key="plane", kind="choice", default=names[0], name="class", scope="labels", choices=names
    )


def show(families: Mapping[str, Budgets]) -> None:
    """Draw the whole page, or to an audience or inside another page some of its parts."""
    shell.page(HEADING, "labels", "🏷️", fields(families))
    mode = shell.mode()
    presenter.turn("labels", presenting=mode == "present")
    lift = presenter.veil(presenting=mode == "present")
    if mode == "present":
        presenter.head(HEADING)
    elif mode == "full":
        _head(families)
    st.session_state[_AROUND] = _around(families)
    named = tuple(part for part in _PARTS if part in state.words("open"))
    _body(families, _PARTS if mode == "full" else named or _PARTS[:1])
    lift()
    if mode == "present":
        presenter.bar(lambda: share.code(HEADING))
    if mode == "full":
        told = families[_chosen(families)].told
        with shell.guard():
            theory.show(find_concept(told.concept), {*told.learners, *told.bounds})
    shell.footer("#theory" if mode == "full" else "", mode)


def _head(families: Mapping[str, Budgets]) -> None:
    with shell.head(HEADING):
        share.button(HEADING, _PINNED, (_open(families), *labels_parts.fields(families)))
        if not prediction.asks():
            prediction.button()
        st.button(
            "Present", key="pv_present", on_click=presenter.start,
            help="Large type for a lecture hall: the plane, with the controls of d and ε.",
        )  # fmt: skip


def _chosen(families: Mapping[str, Budgets]) -> str:
    return str(state.current()[_of(families).key])


def _around(families: Mapping[str, Budgets]) -> tuple[bool, str]:
    """Return what head and theory depend on, which are no part of the body."""
    return prediction.asks(), _chosen(families)


def _setting() -> Cell:
    now: Any = state.current()
    return Cell(*(now[item.key] for item in _SETTING.values()))


def _numbers(at: Cell) -> tuple[Any, ...]:
    return at.d, at.epsilon, at.alpha, at.beta


@st.fragment
def _body(families: Mapping[str, Budgets], parts: Sequence[str]) -> None:
    """Draw everything that depends on the controls."""
    whole = shell.mode() == "full"
    if whole and st.session_state[_AROUND] != _around(families):
        st.rerun()
    if whole:
        claim, choice = st.columns([1.8, 1], gap="medium", vertical_alignment="center")
        claim.container(key="pv_claim").markdown(words.lit(_CLAIM, _NAMED))
        with choice:
            names = {name: one.label for name, one in families.items()}
            controls.segmented(_of(families), "Concept class", names=names)
    chosen = _chosen(families)
    budgets = families[chosen]
    above, figure = st.container(key="pv_above"), st.container()
    if whole:
        figure, beside = shell.stage()
        with beside:
            _controls(tuple(item.key for item in _PINNED.values()))
    rest = st.container()
    if not whole:  # as on the pages of the classes, the controls stand below
        with st.container(key="pv_kept"):
            _controls(state.words("controls"))
    planes = _plane(chosen, budgets, above, figure) if "plane" in parts else []
    setting = _numbers(_setting())
    taken = [_taken(one, budgets) for one in planes]
    with rest:
        if whole:
            st.markdown(_WHAT)
        if "plane" in parts and prediction.asks():
            return  # what is below tells the answer
        for one in planes if whole else ():
            _numbered(one.found, budgets.told)
        for part in parts:
            taken += labels_parts.part(part, chosen, budgets, families, setting, whole=whole)
        for one in planes if whole else ():  # none where the picture was refused
            every = export.labels_figures(
                HEADING, taken, one.found, budgets.told, claim=_CLAIM, link=takeaway.here({})
            )
            labels_taken.show(
                labels_taken.Taken(
                    budgets.label,
                    budgets.plane,
                    functools.partial(_kind_of, chosen),
                    budgets.told,
                    one.found,
                    one.pinned,
                    every,
                ),
                _SETTING,
            )


def _taken(one: _Shown, budgets: Budgets) -> export.Drawn:
    """Return the plane with what draws it, and the pinned one beside it."""
    pinned_at = [_numbers(before.at) for before in one.pinned]
    return export.Drawn(
        _dressed(one.picture, one.found, 0, *one.pinned), budgets.plane, _numbers(one.found.at), found=True,
        pinned=next(iter(pinned_at), ()), beside=plane_beside if pinned_at else None,
    )  # fmt: skip


def _numbered(found: Plane, told: Told) -> None:
    """Draw the numbers of the learners and bounds that the page speaks of."""
    at = export.labels_scenario(found, told)
    with shell.guard():
        shown = chart.numbers(at).only(told.learners, told.bounds)
        more = bill_words(found, told, at.u)
        numbers.show(shown, at.concept_class, at.law, f" {more}")


def _controls(keys: Sequence[str]) -> None:
    """Draw the controls of some keys: below each other on the page, in a row for an audience."""
    kept = {name: item for name, item in _PINNED.items() if item.key in keys}
    below = len(kept) == len(_PINNED)
    places = [st.container()] * len(kept) if below else st.columns(max(1, len(kept)), gap="medium")
    for place, (name, item) in zip(places, kept.items(), strict=False):
        with place:
            if name in _SETTING:
                controls.slider(item, label(name), help=explanation(name), show=number)
            else:
                pinned.button(_PINNED)


# --- The plane ---------------------------------------------------------------------------------


class _Shown(NamedTuple):
    """A plane as it is shown: what was found, its picture, and the plane of the pinned setting."""

    found: Plane
    picture: Picture
    pinned: tuple[Plane, ...]


def _plane(
    chosen: str, budgets: Budgets, above: DeltaGenerator, figure: DeltaGenerator
) -> list[_Shown]:
    """Draw the plane of two budgets with its numbers; return it unless it is refused."""

    taken: list[_Shown] = []
    beside: list[Plane] = []
    asks, told = prediction.asks(), budgets.told

    def sheet() -> live.Sheet | None:
        if prediction.asks() or not budgets.exact:
            return None
        drawn = functools.partial(_strip, chosen, budgets.plane)
        packed = functools.partial(_packed, prediction.guess(), tuple(beside))
        name = f"{chosen}/{state.current()['pin']}/{prediction.guess()}"
        return live.Sheet(name, _setting(), tuple(_SETTING), drawn, packed)

    def said(found: Plane, _: object = None) -> dict[str, str]:
        then = {".pv-pinned": _compared(beside[0], found)} if beside else {}
        if shell.mode() != "embed":
            then[".pv-cards"] = shell.inside(*_cards(found, told))
        if prediction.guess():
            verdict = prediction.verdict_on(plane_answer(found, told))
            then[".st-key-pv_verdict .pv-message"] = html.escape(verdict)
        return then

    at = _setting()
    seen = chosen, at
    with (
        figure,
        shell.guard(),
        scheduler.start(*_asked(budgets, at), kind=_kind_of(chosen, at)) as job,
    ):
        late = not asks and st.session_state.get(_WHOLE) != seen and not wait_briefly(job, _SOON)
        rough = late and not budgets.exact
        if rough:
            _roughly(chosen, budgets, at, above)
        found, picture = wait_for(
            *_asked(budgets, at), kind=_kind_of(chosen, at), gives_way=alone()
        )
        if asks:
            _question(picture, found, told, above)
        else:
            st.session_state[_WHOLE] = seen
            if rough:
                again()
            beside += _kept(chosen, budgets)
            now = sheet()
            as_shown = _dressed(picture, found, prediction.guess(), *beside)
            _drawn((found, as_shown), told, above, live.setting(now, _SETTING) if now else None)
            _below(found, told, said(found).get(".pv-pinned", ""), above)
        taken.append(_Shown(found, picture, tuple(beside)))
    live.answer(sheet, _SETTING, said)
    return taken


def _roughly(chosen: str, budgets: Budgets, at: Cell, above: DeltaGenerator) -> None:
    """Draw the plane of few draws: while these are made many are, in another lane."""
    roughly = ("rough", *_kind_of(chosen, at))
    with contextlib.suppress(InputError):  # where these take long too, all are waited for
        few = wait_for(*_asked(budgets, at), kind=roughly, where="_rough", rough=True, brief=True)
        _drawn(few, budgets.told, above, None)


def _below(found: Plane, told: Told, changed: str, above: DeltaGenerator) -> None:
    """Draw what stands below the plane: how it is read, what has changed since a pin."""
    if shell.mode() == "full":
        words.reading(lambda: plane_reading(found, told))
    # Before an audience above the figure, as on the pages of the classes.
    with above if shell.mode() == "present" else contextlib.nullcontext():
        if changed:
            st.html(f'<div class="pv-pinned">{changed}</div>')


def _question(picture: Picture, found: Plane, told: Told, above: DeltaGenerator) -> None:
    """Draw the empty plane and what is to be predicted."""
    asked = prediction.question(plane_question(told))
    with above:
        prediction.commit(asked, _WAITS)
    frame = plane_frame(picture, found, told)
    hidden = prediction.hidden(frame, PLANE_AXES, PLANE_QUANTITY, asked, start=_WAITS)
    exhibit.draw(hidden, "main", _HEIGHT, on_guess=prediction.dragged)


def _kept(chosen: str, budgets: Budgets) -> list[Plane]:
    """Return the plane of the pinned setting; none if nothing is pinned, or it does not exist."""
    if not state.current()["pin"]:
        return []
    try:
        at = Cell(**pinned.values(_PINNED))
        found, _ = wait_for(*_asked(budgets, at), kind=_kind_of(chosen, at), where="_pinned")
    except (InputError, TypeError):  # without a setting there is nothing to make a cell of
        shell.message("The pinned setting of this link does not exist here; none is drawn.")
        return []
    return [found]


def _compared(before: Plane, now: Plane) -> str:
    """Return what has changed since a setting was pinned."""
    numbers = compared(plane_numbers(before), plane_numbers(now))
    return pinned.said(moved(before.at, now.at), numbers, parameter, shell.mode())


# As for what is sent, so that frames and figure are the same picture.
@functools.lru_cache(maxsize=64)
def _dressed(picture: Picture, found: Plane, guess: int, *before: Plane) -> Picture:
    """Return the picture with what was guessed, and with the plane of the pinned setting."""
    with_both = plane_beside(picture, found, *before) if before else picture
    return plane_marked(with_both, guess) if guess else with_both


def _asked(budgets: Budgets, at: Cell) -> tuple[Any, ...]:
    return budgets.plane, *_numbers(at)


def _drawn(
    drawn: tuple[Plane, Picture], told: Told, above: DeltaGenerator, setting: dict[str, Any] | None
) -> None:
    found, picture = drawn
    chart.chart(sent(picture, _HEIGHT), key="main", setting=setting)
    with above:
        if prediction.guess():
            prediction.said(plane_answer(found, told))
        if shell.mode() != "embed":
            shell.cards(*_cards(found, told))


def _cards(found: Plane, told: Told) -> list[shell.Card]:
    return [
        shell.card(one.label, one.value, one.note, about=one.about) for one in cards(found, told)
    ]


def _strip(chosen: str, plane: Callable[..., tuple[Plane, Picture]], at: tuple[Cell, ...]) -> Task:
    """Have the worker draw the plane at every stop."""
    return scheduler.start(
        plane_strip, plane, at, kind=("strip", *_kind_of(chosen, at[0])), aside=True, brief=True
    )


@functools.lru_cache(maxsize=8)
def _packed(
    guess: int, beside: tuple[Plane, ...], planes: tuple[tuple[Plane, Picture] | None, ...]
) -> Strip:
    """Return what is sent of planes as they are shown, and their numbers."""
    lines = (
        sent(_dressed(one[1], one[0], guess, *beside), _HEIGHT) if one else b"" for one in planes
    )
    return Strip.of(lines, [one and one[0] for one in planes])


def _kind_of(chosen: str, at: Cell) -> tuple[Any, ...]:
    return kind(f"labels-{chosen}", *_numbers(at))
