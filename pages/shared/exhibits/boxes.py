"""The packing argument to play with: the exhibit of every class with a bound that packs."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell, tables
from pages.shared.hall import presenter
from pages.shared.state import controls, state
from pages.shared.state.fields import explanation, label
from privsc_core.catalog import concept as find_concept
from privsc_core.draw.style import integer, number
from privsc_core.exhibits.boxes import packing_names, shared

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Own, Values
    from privsc_core.evaluate.boxes import Hand
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.boxes import Shared

_LIKELIEST = -1
_HANDS: dict[str, Hand] = {"asked": "asked", "best": "best", "own": "own"}
_PROMISES = tuple(round(0.05 * step, 2) for step in range(1, 21))
_COUNTS = (_LIKELIEST, 0, *(s * 10**p for p in range(7) for s in (1, 2, 3, 5, 7)), 10**7)


@dataclass(frozen=True, slots=True)
class _Own:
    bound: Own[str]
    hand: Own[str]
    give: Own[float]
    differ: Own[int]
    merge: Own[str]


# Rows of examples: one target's, a halfway database, another target's.
_HALFWAY = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 96" width="240" height="96">
<g fill="none" stroke-width="13" stroke-linecap="round" stroke-dasharray="0 20">
<path d="M16 16H120M16 48H60" stroke="#6a7b94"/><path d="M76 48H120M16 80H120" stroke="#cc6699"/></g>
<g fill="#808a99" font-size="15" font-family="sans-serif"><text x="136" y="21">one target</text>
<text x="136" y="53">halfway</text><text x="136" y="85">another</text></g></svg>
"""


@functools.cache
def boxes(concept: str) -> tuple[Exhibit, ...]:
    """Return the exhibit of a class; none where no bound of it packs."""
    names = packing_names(find_concept(concept))
    if not names:
        return ()
    fields, said = Fields(concept), find_concept(concept).words
    own = _Own(
        fields.choice("pack", "bound whose proof is acted out", names[0], names),
        fields.choice("hand", "how probability is divided", "asked", tuple(_HANDS)),
        fields.number("give", "promise to every target", 0.5, (0.001, 1.0), _PROMISES),
        fields.integer(
            "differ", "examples in which samples differ", _LIKELIEST, (_LIKELIEST, 10**7), _COUNTS
        ),
        fields.choice("merge", "boxes", "apart", ("apart", "merged")),
    )
    found = Exhibit(
        name="boxes",
        title="Why privacy costs examples: a box for every target",
        claim=f"**A purely private {said.learner} cannot give all its probability to the right output.** The outputs "
        "that are good for one target form its *box*; the boxes of different targets do not overlap. Let the data of "
        f"two targets differ in $K$ {said.records}. Then, on the data of one target, privacy leaves to each other "
        "box at least $e^{-\\varepsilon K}$ times the probability that it has on its own data. The probabilities of "
        "all boxes add up to at most 1, so many boxes require a large $K$. **A halfway database** mixes the data of "
        "two targets: neither box may have lost too much of its probability there, which gives a stronger bound.",
        label="Distribute the probability yourself",
        sketch=(_HALFWAY, "Three rows of six examples: of one target, of both, of another target"),
        fields=(own.bound, own.hand, own.give, own.differ, own.merge),
        draw=functools.partial(_draw, own),
    )
    return (found,)


def _draw(own: _Own, scenario: Scenario, values: Values) -> None:
    if state.moved():  # d and m are the page's: its figure moves with them
        exhibit.everywhere()
    differ, merge = values[own.differ], values[own.merge] == "merged"
    scene = exhibit.computed(
        shared, concept=scenario.concept, bound=values[own.bound], m=scenario.m,
        hand=_HANDS[values[own.hand]], give=values[own.give],
        differ=None if differ == _LIKELIEST else differ, merge=merge, **scenario.settings(),
    )  # fmt: skip
    _choices(own, scene, values)
    if scene.nothing:
        shell.message(scene.nothing, "plain")
        _setting(own, scene)
        return
    _figures(own, scene, merge=merge)
    shell.said(scene.words)
    _edge(scene)
    if presenter.place() is not None:  # the caption of the scene says the rest
        return
    _cards(scene, scenario, merge=merge)
    _answers(scene)
    _caption(scene, merge=merge)


def _figures(own: _Own, scene: Shared, *, merge: bool) -> None:
    """Draw the figures, and between them, where both are seen on a phone, what moves them."""
    height = 300 if merge and scene.merged_many else 190
    one_sample, over_k, over_m = scene.pictures
    if shell.mode() == "present":  # on one screen: the sample beside the average
        first, last = st.columns([1.5, 1], gap="medium")
        with first:
            exhibit.draw(one_sample, "boxes-shares", height)
        with last:
            exhibit.draw(over_m, "boxes-average", 250)
        _setting(own, scene)
        return
    exhibit.draw(one_sample, "boxes-shares", height)
    _setting(own, scene)
    middle, last = st.columns(2, gap="medium")
    with middle:
        exhibit.draw(over_k, "boxes-cliff", 250)
    with last:
        exhibit.draw(over_m, "boxes-average", 250)


# --- The controls -------------------------------------------------------------------------------


def _setting(own: _Own, scene: Shared) -> None:
    """Draw the page's d and m, and K."""
    bits, samples, third = st.columns(3, gap="medium")
    known = find_concept(own.bound.scope).parameter
    for column, name, key in ((bits, "d", "d"), (samples, "m", "m")):
        with column:
            controls.slider(
                state.field_of(key), label(known(name)), help=explanation(known(name)), show=number,
                place="boxes",
            )  # fmt: skip
    if scene.fixed or scene.nothing:
        return
    with third:
        controls.slider(
            own.differ, "K: examples that differ", help=(
                f"{scene.law}. At the left end, K is the most likely number."
            ),
            show=lambda k: f"likeliest: {scene.typical:,}" if k < 0 else f"{k:,.0f}", box=False,
        )  # fmt: skip


def _choices(own: _Own, scene: Shared, values: Values) -> None:
    by_hand = values[own.hand] == "own"
    several, merging = len(own.bound.choices) > 1, bool(scene.merged_many)
    places = iter(
        st.columns(
            [1.5, *([1] * by_hand), *([1.5] * merging), *([1] * several)],
            vertical_alignment="bottom",
        )
    )
    with next(places):
        names = {
            "asked": f"Promise {scene.asked}", "best": "As much as fits", "own": "By hand"
        }  # fmt: skip
        controls.segmented(own.hand, "What every target gets on its own sample", names=names)
    if by_hand:
        with next(places):
            controls.slider(own.give, "Promise", show=lambda value: f"{value:g}")
    if merging:
        with next(places):
            names = {"apart": "one each", "merged": f"merge into {scene.merged_many}"}
            controls.segmented(own.merge, "Boxes", names=names)
    if several:
        with next(places):
            entries = find_concept(own.bound.scope).bounds
            controls.select(
                own.bound, "Bound", names={entry.name: entry.title for entry in entries}
            )


def _edge(scene: Shared) -> None:
    """Draw buttons that lead to where the average passes 1 - beta."""
    if scene.least is None:
        return
    places = [("At the edge of this bound", scene.least), ("One example less", scene.before)]
    with st.container(horizontal=True, gap="small"):
        for words, m in places:
            if m:
                st.button(
                    f"{words}: m = {m:,}", key=f"pv_boxes_{'at' if m == scene.least else 'below'}",
                    on_click=_go, args=(m,),
                )  # fmt: skip


def _go(m: int) -> None:
    state.move(m=m)


# --- What it says -------------------------------------------------------------------------------


def _cards(scene: Shared, scenario: Scenario, *, merge: bool) -> None:
    row = [
        shell.card(
            "On this sample", f"{scene.total} of 1", "it fits" if scene.fits else (
                "more than 1: impossible"
            ),
            "good" if scene.fits else "bad",
        ),
        shell.card(
            "Average over K", scene.average, f"at most, at m = {scenario.m:,}; asked: {scene.asked}",
            "good" if scene.average_fits else "bad",
        ),
        shell.card("Impossible below", integer(scene.least), f"for {scene.applies_to}", "bad"),
    ]  # fmt: skip
    if merge and scene.merged_many:
        row.append(
            shell.card(
                f"Merged: {scene.learner}", integer(scene.least_learner),
                f"examples suffice; the argument with {scene.merged_many} stops at "
                f"{integer(scene.least_merged)}", "accent",
            )
        )  # fmt: skip
    shell.cards(*row)


def _answers(scene: Shared) -> None:
    if not scene.answers:
        return
    rows = [
        [one.learner, "a concept" if one.proper else "a larger set", one.ones, one.part]
        for one in scene.answers
    ]
    head = ["learner", "answers with", "points labelled 1", "share of the domain"]
    st.html(tables.table(head, rows, label="Answers of the learners", numeric=(2, 3)))


def _caption(scene: Shared, *, merge: bool) -> None:
    merged = (
        " The merged boxes are the buckets of a public hash, all equally large. A target in the bucket of the common "
        "part of the sample has no good box; the average includes such targets. So many buckets make merging "
        "accurate on every distribution."
        if merge and scene.merged_many
        else ""
    )
    st.caption(
        f"**Exact**: closed formulas, nothing is simulated; {scene.law}. **Ours**: the bound, after the argument of "
        f"BBKN13. The figure uses the distribution of the proof, not that of the page. {scene.way_out}{merged}"
    )
