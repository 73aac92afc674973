"""The page about labels: its sliders, the plane of two budgets, labels against d.

Which class it is about the page says by what computes its pictures.
"""

from __future__ import annotations

import contextlib
import functools
import html
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Strip, of_picture
from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.hall import prediction, presenter
from pages.shared.page import labels_taken, live, pinned
from pages.shared.state import state
from pages.shared.state.fields import COMMON, EVERYWHERE, PIN, PRESENTING, explanation, label
from pages.shared.take import share, takeaway
from pages.shared.work import office
from pages.shared.work.waiting import wait_briefly, wait_for
from privsc_core import export
from privsc_core.concepts.contracts import Cell
from privsc_core.draw.budgets_figures import (
    PLANE_AXES,
    PLANE_QUANTITY,
    against_claim,
    cards,
    plane_answer,
    plane_beside,
    plane_frame,
    plane_marked,
    plane_numbers,
    plane_question,
    plane_strip,
)
from privsc_core.draw.style import number
from privsc_core.errors import InputError
from privsc_core.evaluate.pinned import compared, moved
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.work.office import Job
    from privsc_core.draw.budgets_figures import Told
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane

__all__ = ["HEADING", "Budgets", "fields", "show"]

HEADING = "Few labels, many people"
_SETTING = {name: COMMON[name] for name in ("d", "epsilon", "alpha", "beta")}
# Beside the plane of now the one of a setting that was pinned; see pinned.py.
_PINNED = _SETTING | {
    "pin": state.Field(
        key="pin", kind="text", default="", name="pinned setting", pattern=PIN, scope="labels"
    )
}
_STAGED = ("present", "lecture", "scene", "predict", "guess")
_HEIGHT, _LOW, _TALL = 430, 400, 520
_WAITS = 1000  # where the line of a guess stands first: near no answer of the first view
_SOON = 0.3  # seconds; a plane that takes longer is shown of few draws first
_HEADED = "pv_labels_asked"  # in the session: whether the head was drawn for a question
_WHOLE = "pv_labels_whole"  # in the session: whose plane was shown of all draws last
_AGAIN = state.Field(
    key="rerun",
    kind="integer",
    default=1,
    name="number of the run",
    low=1,
    high=10**6,
    scope="labels",
)
_INNER = state.Field(
    key="inner", kind="number", default=1.0, name="privacy loss of whoever is asked", low=0.01, high=4.0,
    stops=(0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0), scope="labels",
)  # fmt: skip
_SEEN = {"hidden": "Nobody", "published": "Everybody"}
_TRANSCRIPT = state.Field(
    key="seen", kind="choice", default="hidden", name="who sees whose label was asked",
    choices=tuple(_SEEN), scope="labels",
)  # fmt: skip
# What an audience sees: the parts that the link names, and first of all the plane.
_PARTS = ("plane", "run", "against", "asked", "fresh")
_OPEN = state.Field(
    key="open", kind="choices", default=(), name="parts to show", choices=(*_PARTS, *takeaway.PARTS),
    scope="labels",
)  # fmt: skip
_OTHERS = state.Field(
    key="others", kind="integer", default=12, name="others who get labels", low=1, high=40,
    stops=tuple(range(1, 41)), scope="labels",
)  # fmt: skip
_CLAIM = (
    "**Proper, pure private learners pay for $d$ in people (unlabelled examples), not in labels.** Move "
    "$d$: the frontier rises, the wall stays. Both move with $\\varepsilon$."
)
_WHAT = (
    "Each of $m$ people gives a labelled example, each of $u$ others an unlabelled one; which are which is "
    "public, and both are private: the output may depend on any one person by a factor of "
    "$e^{\\varepsilon}$ only. The unlabelled ones make a small class, the labelled ones choose in it."
)
_FRESH = (
    "**LabelBoost may label the points that its labellings are made for, and no others.** It picks a labelling "
    "of some points by few labels, labels all of these by it and lets another private learner have them: few "
    "labels become many. Which concept stands for the labelling is arbitrary, and one person more or less changes "
    "it; who labels other people by it gives that away, with every one of them a little more."
)
_ASKED = (
    "**Ask a random few of many, and keep secret whom: then a weak promise to the few is a strong "
    "one to everybody.** Labels stay as few as at the inner loss, and only the number of people who might "
    "have been asked grows. Publish the list, and the strong promise is gone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """What computes the pictures of a class.

    Attributes
    ----------
    label : str
        What the class is called.
    plane : callable
        (d, epsilon, alpha, beta) -> what was found, and the picture of the plane.
    against : callable
        (epsilon, alpha, beta) -> what was found, and the picture over d.
    told : Told
        What they say of it.
    asking : callable, optional
        (d, epsilon, alpha, beta, inner, hidden or published) -> the picture of asking few of many.
    fresh : callable, optional
        (epsilon, number of others) -> the picture of relabelling points that nobody asked for.
    run : callable, optional
        (d, epsilon, alpha, seed, step) -> the picture of one run up to a step.
    steps : mapping of str to str
        The steps of such a run, with their labels; the last one shows all.
    exact : bool
        Whether the plane is computed from laws, and follows the hand on a slider.
    """

    label: str
    plane: Callable[..., tuple[Plane, Picture]]
    against: Callable[..., tuple[Against, Picture]]
    told: Told
    asking: Callable[..., Picture] | None = None
    fresh: Callable[..., Picture] | None = None
    run: Callable[..., Picture] | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False


def fields(families: Mapping[str, Budgets]) -> tuple[state.Field, ...]:
    """Return the parameters of the page's link, for those classes."""
    staged = (PRESENTING[name] for name in _STAGED)
    return *EVERYWHERE, *staged, _OPEN, _of(families), *_of_parts(families), _PINNED["pin"]


def _of_parts(families: Mapping[str, Budgets]) -> tuple[state.Field, ...]:
    """Return the parameters of the parts below the plane."""
    return _step(families), _AGAIN, _INNER, _TRANSCRIPT, _OTHERS


def _of(families: Mapping[str, Budgets]) -> state.Field:
    """Return the field of which class is shown; the first one in the first view."""
    names = tuple(families)
    return state.Field(
        key="plane", kind="choice", default=names[0], name="class", scope="labels", choices=names
    )


def _step(families: Mapping[str, Budgets]) -> state.Field:
    """Return the field of how much of a run is shown; all of it in the first view."""
    steps = tuple(step for one in families.values() for step in one.steps)
    return state.Field(
        key="upto",
        kind="choice",
        default=steps[-1],
        name="step of a run",
        scope="labels",
        choices=steps,
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
    st.session_state[_HEADED] = prediction.asks()
    named = tuple(part for part in _PARTS if part in state.words(_OPEN.key))
    _body(families, _PARTS if mode == "full" else named or _PARTS[:1])
    lift()
    if mode == "present":
        presenter.bar(lambda: share.code(HEADING))
    shell.footer("", mode)


def _head(families: Mapping[str, Budgets]) -> None:
    title, tools = st.columns([1.9, 1], vertical_alignment="center")
    title.title(HEADING)
    with tools.container(key="pv_tools", horizontal=True, horizontal_alignment="right"):
        share.button(HEADING, _PINNED, (_OPEN, *_of_parts(families)))
        if not prediction.asks():
            prediction.button()
        st.button(
            "Present", key="pv_present", on_click=presenter.start,
            help="Large type for a lecture hall: the plane, with the controls of d and ε.",
        )  # fmt: skip


def _setting() -> Cell:
    now: Any = state.current()
    return Cell(*(now[item.key] for item in _SETTING.values()))


def _numbers(at: Cell) -> tuple[Any, ...]:
    return at.d, at.epsilon, at.alpha, at.beta


@st.fragment
def _body(families: Mapping[str, Budgets], parts: Sequence[str]) -> None:
    """Draw everything that depends on the controls."""
    whole = shell.mode() == "full"
    if whole and st.session_state[_HEADED] != prediction.asks():
        st.rerun()  # the head is no part of this
    if whole:
        claim, choice = st.columns([1.8, 1], gap="medium", vertical_alignment="center")
        claim.markdown(_CLAIM)
        with choice:
            names = {name: one.label for name, one in families.items()}
            state.segmented(_of(families), "Concept class", names=names)
    chosen = str(state.current()[_of(families).key])
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
    taken = [export.Drawn(one.picture, budgets.plane, setting, found=True) for one in planes]
    with rest:
        if whole:
            st.markdown(_WHAT)
        if "plane" in parts and prediction.asks():
            return  # what is below tells the answer
        for part in parts:
            taken += _part(part, chosen, budgets, _step(families), whole=whole)
        for one in planes if whole else ():  # none where the picture was refused
            figures = export.labels_figures(
                HEADING, taken, one.found, budgets.told, claim=_CLAIM, link=takeaway.here({})
            )
            kind = functools.partial(_kind_of, chosen)
            labels_taken.show(
                labels_taken.Taken(
                    budgets.label, budgets.plane, kind, budgets.told, one.found, one.pinned, figures
                ),
                _SETTING,
            )


def _part(
    part: str, chosen: str, budgets: Budgets, step: state.Field, *, whole: bool
) -> list[export.Drawn]:
    """Draw a part below the plane, where the class has it."""
    setting = _numbers(_setting())
    if part == "run" and budgets.run:
        return _run(budgets.run, step, budgets.steps, setting, whole=whole)
    if part == "against":
        return _against(chosen, budgets, whole=whole)
    if part == "asked" and budgets.asking:
        return _asking(budgets.asking, chosen, setting, whole=whole)
    if part == "fresh" and budgets.fresh:
        return _fresh(budgets.fresh, setting[1], whole=whole)
    return []


def _controls(keys: Sequence[str]) -> None:
    """Draw the controls of some keys: below each other on the page, in a row for an audience."""
    kept = {name: item for name, item in _PINNED.items() if item.key in keys}
    below = len(kept) == len(_PINNED)
    places = [st.container()] * len(kept) if below else st.columns(max(1, len(kept)), gap="medium")
    for place, (name, item) in zip(places, kept.items(), strict=False):
        with place:
            if name in _SETTING:
                state.slider(item, label(name), help=explanation(name), show=number)
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
        if asks or not budgets.exact:
            return None
        drawn = functools.partial(_strip, chosen, budgets.plane)
        packed = functools.partial(_packed, told, prediction.guess(), tuple(beside))
        name = f"{chosen}/{state.current()['pin']}/{prediction.guess()}"
        return live.Sheet(name, _setting(), tuple(_SETTING), drawn, packed)

    def said(found: Plane, _: object = None) -> dict[str, str]:
        then = {".pv-pinned": _compared(beside[0], found)} if beside else {}
        if shell.mode() != "embed":
            then[".pv-cards"] = shell.inside(*_cards(found, told))
        if prediction.guess():
            words = prediction.verdict_on(plane_answer(found, told))
            then[".st-key-pv_verdict .pv-message"] = html.escape(words)
        return then

    at = _setting()
    seen = chosen, at
    with (
        figure,
        shell.guard(),
        office.start(*_asked(budgets, at), kind=_kind_of(chosen, at)) as job,
    ):
        rough = (
            not budgets.exact
            and not asks
            and st.session_state.get(_WHOLE) != seen
            and not wait_briefly(job, _SOON)
        )
        if rough:
            # While few draws are made many are, in another lane.
            kind = ("rough", *_kind_of(chosen, at))
            with contextlib.suppress(InputError):  # where these take long too, all are waited for
                few = wait_for(
                    *_asked(budgets, at), kind=kind, where="_rough", rough=True, brief=True
                )
                _drawn(few, told, above, None)
        found, picture = wait_for(*_asked(budgets, at), kind=_kind_of(chosen, at))
        if asks:
            _question(picture, found, told, above)
        else:
            st.session_state[_WHOLE] = seen
            if rough:
                exhibit.again()
            beside += _kept(chosen, budgets)
            now = sheet()
            as_shown = _dressed(picture, found, prediction.guess(), *beside)
            _drawn((found, as_shown), told, above, live.setting(now, _SETTING) if now else None)
            # Before an audience above the figure, as on the pages of the classes.
            with above if shell.mode() == "present" else contextlib.nullcontext():
                if beside:
                    st.html(f'<div class="pv-pinned">{said(found)[".pv-pinned"]}</div>')
        taken.append(_Shown(found, picture, tuple(beside)))
    live.answer(sheet, _SETTING, said)
    return taken


def _question(picture: Picture, found: Plane, told: Told, above: DeltaGenerator) -> None:
    """Draw the empty plane and what is to be predicted."""
    words = prediction.question(plane_question(told))
    with above:
        prediction.commit(words, _WAITS)
    frame = plane_frame(picture, found, told)
    hidden = prediction.hidden(frame, PLANE_AXES, PLANE_QUANTITY, words, start=_WAITS)
    exhibit.draw(hidden, "main", _HEIGHT, on_guess=prediction.dragged)


def _kept(chosen: str, budgets: Budgets) -> list[Plane]:
    """Return the plane of the pinned setting; none if nothing is pinned, or it does not exist."""
    if not state.current()["pin"]:
        return []
    try:
        at = Cell(**pinned.values(_PINNED))
        return [wait_for(*_asked(budgets, at), kind=_kind_of(chosen, at))[0]]
    except (InputError, TypeError):  # without a setting there is nothing to make a cell of
        shell.message("The pinned setting of this link does not exist here; none is drawn.")
        return []


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
    chart.chart(_sent(picture, _HEIGHT, export.labels_credit(told)), key="main", setting=setting)
    with above:
        if prediction.guess():
            prediction.said(plane_answer(found, told))
        if shell.mode() != "embed":
            shell.cards(*_cards(found, told))


def _cards(found: Plane, told: Told) -> list[shell.Card]:
    return [shell.card(*one) for one in cards(found, told)]


def _strip(chosen: str, plane: Callable[..., tuple[Plane, Picture]], at: tuple[Cell, ...]) -> Job:
    """Have the worker draw the plane at every stop."""
    return office.start(
        plane_strip, plane, at, kind=("strip", *_kind_of(chosen, at[0])), aside=True, brief=True
    )


@functools.lru_cache(maxsize=8)
def _packed(
    told: Told, guess: int, beside: tuple[Plane, ...],
    planes: tuple[tuple[Plane, Picture] | None, ...],
) -> Strip:  # fmt: skip
    """Return what is sent of planes as they are shown, and their numbers."""
    credit = export.labels_credit(told)
    lines = (
        _sent(_dressed(one[1], one[0], guess, *beside), _HEIGHT, credit) if one else b""
        for one in planes
    )
    return Strip.of(lines, [one and one[0] for one in planes])


# Two hundred visitors of one picture share what is sent.
@functools.lru_cache(maxsize=64)
def _sent(picture: Picture, height: int, credit: str = "") -> bytes:
    return of_picture(picture, height, credit)


def _kind_of(chosen: str, at: Cell) -> tuple[Any, ...]:
    return _kind(f"labels-{chosen}", *_numbers(at))


def _kind(what: str, *values: float) -> tuple[Any, ...]:
    """Return what settings have in common that take about as long."""
    return (what, *(round(math.log10(value)) for value in values))


# --- The other parts ---------------------------------------------------------------------------


def _against(chosen: str, budgets: Budgets, *, whole: bool) -> list[export.Drawn]:
    """Draw labels, and people, against d."""
    if whole:
        st.subheader("Labels against d", anchor="against-d")
    taken: list[export.Drawn] = []
    with shell.guard():
        rest = _numbers(_setting())[1:]
        found, picture = wait_for(budgets.against, *rest, kind=_kind(f"labels-{chosen}-d", *rest))
        if whole:
            st.markdown(against_claim(found, budgets.told))
        chart.chart(_sent(picture, _LOW), key="against")
        taken.append(export.Drawn(picture, budgets.against, rest, found=True))
    return taken


def _asking(
    asking: Callable[..., Picture], chosen: str, setting: Sequence[Any], *, whole: bool
) -> list[export.Drawn]:
    """Draw what it costs to ask a random few, and what is left if it is seen whom."""
    found: list[export.Drawn] = []
    if whole:
        st.subheader("Whose label was asked?", anchor="asked")
        st.markdown(_ASKED)
    left, right = st.columns([1.4, 1], gap="medium", vertical_alignment="bottom")
    with left:
        state.slider(
            _INNER, "**ε inside** ← more labels | fewer labels →", show=number,
            help="The privacy loss of what is done with the labels that were asked.",
        )  # fmt: skip
    with right:
        seen = state.segmented(_TRANSCRIPT, "Who sees whose label was asked?", names=_SEEN)
    inner: Any = state.current()[_INNER.key]
    with shell.guard():
        given = (*setting, inner, str(seen))
        picture = wait_for(asking, *given, kind=_kind(f"labels-{chosen}-asked", *setting, inner))
        chart.chart(_sent(picture, _LOW), key="asked")
        found.append(export.Drawn(picture, asking, given))
    return found


def _fresh(fresh: Callable[..., Picture], epsilon: float, *, whole: bool) -> list[export.Drawn]:
    """Draw what is lost where points get labels that no labelling was made for."""
    found: list[export.Drawn] = []
    if whole:
        st.subheader("Relabel fresh points", anchor="fresh")
        st.markdown(_FRESH)
    state.slider(
        _OTHERS, "**Others who get labels**", show=number,
        help="People beside the two of the database; they stay the same, only their labels are made.",
    )  # fmt: skip
    others: Any = state.current()[_OTHERS.key]
    with shell.guard():
        picture = wait_for(fresh, epsilon, others, kind=_kind("labels-fresh", epsilon))
        chart.chart(_sent(picture, _LOW), key="fresh")
        found.append(export.Drawn(picture, fresh, (epsilon, others)))
    return found


def _run(
    run: Callable[..., Picture], step: state.Field, names: Mapping[str, str], setting: Sequence[Any],
    *, whole: bool,
) -> list[export.Drawn]:  # fmt: skip
    """Draw one run of the learner, up to the step that is chosen."""
    d, epsilon, alpha, _ = setting
    found: list[export.Drawn] = []
    if whole:
        st.subheader("Follow a run", anchor="run")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        upto = state.segmented(step, "Up to", names=names)
        st.button("Run again", key="pv_rerun", on_click=_rerun)
    with shell.guard():
        given = (d, epsilon, alpha, state.whole(_AGAIN.key), str(upto))
        picture = wait_for(run, *given, kind=_kind("labels-run", d, epsilon))
        chart.chart(_sent(picture, _TALL), key="run")
        found.append(export.Drawn(picture, run, given))
    return found


def _rerun() -> None:
    state.assign(**{_AGAIN.key: state.whole(_AGAIN.key) + 1})
