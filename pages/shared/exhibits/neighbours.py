"""Privacy made visible: the exhibit of two neighbours that every class page has."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell, tables
from pages.shared.state import controls, state
from privsc_core.catalog import concept as find_concept
from privsc_core.draw.style import number
from privsc_core.evaluate.audit import instance
from privsc_core.exhibits.neighbours import changed

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Own, Values
    from privsc_core.concepts.contracts import Learner, Words
    from privsc_core.evaluate.audit import Record
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.neighbours import Changed

_EXAMPLES_MOST = 4
_WORST = "worst"


@dataclass(frozen=True, slots=True)
class _Own:
    learner: Own[str]
    place: Own[str]
    into: Own[str]
    base: Own[str]


@functools.cache
def neighbours(concept: str, learner: str) -> Exhibit:
    """Return the exhibit of a class; `learner` is asked at first."""
    entries, said = find_concept(concept).learners, find_concept(concept).words
    what = said.record
    places = tuple(str(place) for place in range(1, _EXAMPLES_MOST + 1))
    every = dict.fromkeys(_word(record) for entry in entries for record in _records(entry))
    fields = Fields(concept)
    names = tuple(entry.name for entry in entries)
    own = _Own(
        fields.choice("nwho", "learner on two neighbours", learner, names),
        fields.choice("rec", "example that changes", _WORST, (_WORST, *places)),
        fields.choice("into", "what it becomes", _WORST, (_WORST, *every)),
        fields.text("base", "the sample", "([1-8][pn]){0,4}"),
    )
    return Exhibit(
        name="neighbours",
        part="private",
        title="Privacy made visible",
        claim=f"**Changing one {what} barely changes the output distribution of a private {said.learner}:** no "
        "output becomes more than $e^{\\varepsilon}$ times as likely, or as unlikely. (With δ > 0, a probability may "
        "change by δ more.) At a small $\\varepsilon$ a reader of the output learns next to nothing about any single "
        f"{what}, whatever else the reader knows.",
        label=f"Change one {what}",
        fields=(own.learner, own.place, own.into, own.base),
        draw=functools.partial(_draw, own, concept),
    )


def _draw(own: _Own, concept: str, scenario: Scenario, values: Values) -> None:
    entries = scenario.concept_class.learners
    said = scenario.concept_class.words
    what = said.record
    who, which, into = st.columns([1.3, 0.8, 1], vertical_alignment="bottom")
    with who:
        titles = {entry.name: entry.title for entry in entries}
        controls.select(own.learner, said.learner.capitalize(), names=titles)
    place, becomes = values[own.place], values[own.into]
    pair = exhibit.computed(
        changed, concept, values[own.learner], scenario.epsilon, scenario.delta,
        sample=_split(values[own.base]),
        place=None if place == _WORST else int(place) - 1,
        record=None if becomes == _WORST else _record(becomes),
    )  # fmt: skip
    with which:
        _choose_place(pair, own, what)
    with into:
        _choose_record(pair, own)
    _samples(pair, said)
    _walk(pair, own)
    _cards(pair)
    exhibit.draw(pair.outputs, "neighbours-outputs", 470)
    exhibit.draw(pair.pairs, "neighbours-pairs", 300)
    _caption(pair)


# --- The pair -----------------------------------------------------------------------------------


def _split(text: str) -> tuple[Record, ...]:
    """Return the records of a sample."""
    return tuple(_record(word) for word in re.findall("[0-9]+[pn]", text))


def _record(word: str) -> Record:
    return int(word[:-1]), int(word[-1] == "p")


def _word(record: Record) -> str:
    """Return a record as a link has it: the point, and p or n for label 1 or 0."""
    return f"{record[0]}{'p' if record[1] else 'n'}"


def _records(entry: Learner) -> list[Record]:
    labels = (0, 1) if entry.labelled else (1,)
    return [(x, y) for x in range(1, (1 << instance(entry).d) + 1) for y in labels]


def _choose_place(pair: Changed, own: _Own, what: str) -> None:
    places = [str(place) for place in range(1, pair.tiny.m + 1)]
    controls.bound(
        own.place, st.segmented_control, f"Change {what}", places,
        to_widget=lambda _: str(pair.place + 1), required=True,
    )  # fmt: skip


def _choose_record(pair: Changed, own: _Own) -> None:
    labelled = pair.learner.labelled
    words = {_word(record): _said(record, labelled=labelled) for record in pair.records}
    controls.bound(
        own.into, st.selectbox, "into", list(words), format_func=lambda word: words[word],
        to_widget=lambda _: _word(pair.neighbour[pair.place]),
    )  # fmt: skip


def _walk(pair: Changed, own: _Own) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Go on from the neighbour", key="pv_neighbour_go", on_click=_go, args=(own, pair),
            help=(
                "The neighbour becomes the sample, so that you can reach every sample step by step."
            ),
        )  # fmt: skip
        st.button("Back to the worst pair", key="pv_neighbour_worst", on_click=_back, args=(own,))


def _go(own: _Own, pair: Changed) -> None:
    """Swap the two, so that the next change starts from the neighbour."""
    state.assign(
        **{
            own.base.key: "".join(map(_word, pair.neighbour)),
            own.place.key: str(pair.place + 1),
            own.into.key: _word(pair.sample[pair.place]),
        }
    )


def _back(own: _Own) -> None:
    state.assign(**{item.key: item.default for item in (own.base, own.place, own.into)})


def _said(record: Record, *, labelled: bool) -> str:
    return f"point {record[0]}, label {record[1]}" if labelled else f"value {record[0]}"


def _samples(pair: Changed, said: Words) -> None:
    labelled = pair.learner.labelled

    def row(name: str, sample: tuple[Record, ...], mark: str) -> list[str]:
        cells = [_said(record, labelled=labelled) for record in sample]
        if sample[pair.place] != pair.sample[pair.place]:
            cells[pair.place] = f"{mark} {cells[pair.place]}"
        return [name, *cells]

    head = ["which", *(f"{said.record} {place}" for place in range(1, len(pair.sample) + 1))]
    rows = [row(said.sample, pair.sample, ""), row("its neighbour", pair.neighbour, "➜")]
    st.html(tables.table(head, rows, label=f"Two neighbouring {said.sample}s"))


def _cards(pair: Changed) -> None:
    audit = pair.audit
    approximate = pair.learner.privacy == "approximate"
    here = shell.card(
        "This pair: largest log ratio", _number(pair.worst), _of_epsilon(pair.ratio, pair),
        "good" if pair.within else "plain" if approximate else "bad",
    )  # fmt: skip
    slack = shell.card(
        "This pair: least δ", number(float(f"{pair.least_delta:.3g}")),
        "the least δ at which this pair is private", "accent",
    )  # fmt: skip
    verdict: shell.Tone = "good" if audit.private else "bad"
    everywhere = shell.card(
        f"Audit: all {audit.pairs:,} pairs", _number(audit.worst),
        f"at worst: {_of_epsilon(audit.ratio, pair)}", "plain" if approximate else verdict,
    )  # fmt: skip
    cards = [here, slack, everywhere] if approximate else [here, everywhere]
    shell.cards(*cards, _claim(pair, verdict))


def _claim(pair: Changed, verdict: shell.Tone) -> shell.Card:
    audit = pair.audit
    if pair.learner.privacy == "approximate":
        return shell.card(
            "Audit: least δ", number(float(f"{audit.least_delta:.3g}")),
            f"claimed: δ = {number(audit.delta)}", verdict,
        )  # fmt: skip
    if pair.learner.privacy == "none":
        words = "on this tiny domain; it claims nothing" if audit.private else "and claims nothing"
    else:
        words = "as it claims, on every pair" if audit.private else "though it claims to be"
    return shell.card("ε-DP here", "yes" if audit.private else "no", words, verdict)


def _of_epsilon(ratio: float, pair: Changed) -> str:
    if math.isinf(ratio):
        return "an output that is possible on one side only"
    return f"{_number(ratio)} · ε, ε = {number(pair.tiny.epsilon)}"


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.3g}"


def _caption(pair: Changed) -> None:
    tiny = pair.tiny
    merged = (
        " Outputs with the same log ratio are shown as one: they reveal the same." * pair.merged
    )
    listed = f" {pair.learner.enumerated}".rstrip()
    if pair.learner.adjacency == "label":
        listed += " This learner protects only labels: adjacent samples have the same points, and one label "
        listed += "is flipped."
    st.caption(
        f"**Exact**: nothing is simulated. On a tiny domain, d = {tiny.d}, with m = {tiny.m} and α = {tiny.alpha:g}, "
        "every output was enumerated on every sample, also on samples that no concept fits, at the page's ε = "
        f"{number(tiny.epsilon)}. The pair shown first is the worst one.{merged}{listed}"
    )
