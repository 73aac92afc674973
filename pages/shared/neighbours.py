"""Privacy made visible: the exhibit of two neighbours that every class page has.

A page gives `fields` to the shell and draws what `exhibits` returns.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared import exhibit, shell, state
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.draw.neighbour_figures import outputs_figure, pairs_figure
from privsc_core.draw.style import number
from privsc_core.evaluate.neighbours import Neighbours, audited, compare, instance

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.audit import Audited, Record

__all__ = ["exhibits", "fields"]

_EXAMPLES_MOST = 4
_WORST = "worst"


def fields(concept: str, learner: str) -> dict[str, state.Field]:
    """Return the parameters of the exhibit, by name; `learner` is asked at first."""
    own: dict[str, Any] = {"scope": concept}
    places = tuple(str(place) for place in range(1, _EXAMPLES_MOST + 1))
    entries = find_concept(concept).learners
    every = dict.fromkeys(_word(r) for entry in entries for r in _records(entry.name, concept))
    return {
        "learner": state.Field(
            key="nwho", kind="choice", default=learner, name="learner on two neighbours",
            choices=tuple(entry.name for entry in entries), **own,
        ),
        "place": state.Field(
            key="rec", kind="choice", default=_WORST, name="example that changes",
            choices=(_WORST, *places), **own,
        ),
        "into": state.Field(
            key="into", kind="choice", default=_WORST, name="what it becomes",
            choices=(_WORST, *every), **own,
        ),
        "base": state.Field(
            key="base", kind="text", default="", name="the sample",
            pattern="([1-8][pn]){0,4}", **own,
        ),
    }  # fmt: skip


def exhibits(concept: str, learner: str) -> dict[str, Callable[[], None]]:
    """Return the exhibit under its name, which stands in links: fixed for ever."""
    own = fields(concept, learner)

    @st.fragment
    def neighbours() -> None:
        _show(concept, own)

    return {"neighbours": neighbours}


def _show(concept: str, own: dict[str, state.Field]) -> None:
    entries = find_concept(concept).learners
    what = "example" if entries[0].labelled else "entry"
    exhibit.intro(
        "Privacy made visible",
        "neighbours",
        f"**Change one {what}, and a private learner's output hardly tells: no result becomes "
        "more than $e^{\\varepsilon}$ times as likely, or as unlikely.** At a small $\\varepsilon$, "
        f"whoever sees the output learns next to nothing about any single {what}, whatever else "
        "they know.",
    )
    part = exhibit.part(f"Change one {what}", "neighbours", own.values())
    if not part.open:
        return
    with part, shell.guard():
        now: dict[str, Any] = dict(state.current())
        who, which, into = st.columns([1.3, 0.8, 1], vertical_alignment="bottom")
        with who:
            titles = {entry.name: entry.title for entry in entries}
            state.select(own["learner"], "Learner", names=titles)
        name = now[own["learner"].key]
        found = _audited(concept, name, now["eps"], now.get("delta", 0.0))
        pair = _chosen(found, own)
        with which:
            _choose_place(pair, own, what)
        with into:
            _choose_record(pair, own)
        _samples(pair, what)
        _walk(pair, own)
        _cards(pair)
        outputs, pairs = _drawn(
            concept=concept, learner=name, epsilon=now["eps"], delta=now.get("delta", 0.0),
            sample=pair.sample, place=pair.place, record=pair.neighbour[pair.place],
        )  # fmt: skip
        exhibit.draw(outputs, "neighbours-outputs", 470)
        exhibit.draw(pairs, "neighbours-pairs", 300)
        _caption(pair)


@st.cache_resource(max_entries=64, show_spinner=False)
def _audited(concept: str, learner: str, epsilon: float, delta: float) -> Audited:
    return audited(find_learner(concept, learner), epsilon=epsilon, delta=delta)


@st.cache_resource(max_entries=64, show_spinner=False)
def _drawn(
    *,
    concept: str,
    learner: str,
    epsilon: float,
    delta: float,
    sample: tuple[Record, ...],
    place: int,
    record: Record,
) -> tuple[Picture, Picture]:
    pair = compare(_audited(concept, learner, epsilon, delta), sample, place, record)
    return outputs_figure(pair), pairs_figure(pair)


# --- The pair -----------------------------------------------------------------------------------


def _chosen(found: Audited, own: dict[str, state.Field]) -> Neighbours:
    """Return the pair of the link; what does not fit this learner comes from the worst pair."""
    now: dict[str, Any] = dict(state.current())
    records = {_word(record): record for record in found.records}
    words = _split(now[own["base"].key])
    sample = tuple(records[word] for word in words if word in records)
    base = sample if len(sample) == found.tiny.m else None
    worst = compare(found)
    word = now[own["place"].key]
    place = int(word) - 1 if word != _WORST and int(word) <= found.tiny.m else worst.place
    record = records.get(now[own["into"].key], worst.neighbour[worst.place])
    return compare(found, base, place, record)


def _split(text: str) -> list[str]:
    """Return the words of a sample: each ends with its label's letter."""
    words, word = [], ""
    for letter in text:
        word += letter
        if letter in "pn":
            words.append(word)
            word = ""
    return words


def _word(record: Record) -> str:
    """Return a record as a link has it: the point, and p or n for label 1 or 0."""
    return f"{record[0]}{'p' if record[1] else 'n'}"


def _records(learner: str, concept: str) -> list[Record]:
    entry = find_learner(concept, learner)
    labels = (0, 1) if entry.labelled else (1,)
    return [(x, y) for x in range(1, (1 << instance(entry).d) + 1) for y in labels]


def _choose_place(pair: Neighbours, own: dict[str, state.Field], what: str) -> None:
    places = [str(place) for place in range(1, pair.found.tiny.m + 1)]
    state.bound(
        own["place"], st.segmented_control, f"Change {what}", places,
        to_widget=lambda _: str(pair.place + 1), required=True,
    )  # fmt: skip


def _choose_record(pair: Neighbours, own: dict[str, state.Field]) -> None:
    labelled = pair.found.learner.labelled
    words = {_word(record): _said(record, labelled=labelled) for record in pair.found.records}
    state.bound(
        own["into"], st.selectbox, "into", list(words), format_func=lambda word: words[word],
        to_widget=lambda _: _word(pair.neighbour[pair.place]),
    )  # fmt: skip


def _walk(pair: Neighbours, own: dict[str, state.Field]) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Go on from the neighbour", key="pv_neighbour_go", on_click=_go, args=(own, pair),
            help="The neighbour becomes the sample: step by step every sample can be reached.",
        )  # fmt: skip
        st.button("Back to the worst pair", key="pv_neighbour_worst", on_click=_back, args=(own,))


def _go(own: dict[str, state.Field], pair: Neighbours) -> None:
    """Swap the two, so that the next change starts from the neighbour."""
    changed = {
        "base": "".join(map(_word, pair.neighbour)), "place": str(pair.place + 1),
        "into": _word(pair.sample[pair.place]),
    }  # fmt: skip
    state.assign(**{own[name].key: value for name, value in changed.items()})


def _back(own: dict[str, state.Field]) -> None:
    state.assign(**{own[name].key: own[name].default for name in ("base", "place", "into")})


def _said(record: Record, *, labelled: bool) -> str:
    return f"point {record[0]}, label {record[1]}" if labelled else f"point {record[0]}"


def _samples(pair: Neighbours, what: str) -> None:
    labelled = pair.found.learner.labelled

    def row(name: str, sample: tuple[Record, ...], mark: str) -> list[str]:
        cells = [_said(record, labelled=labelled) for record in sample]
        if sample[pair.place] != pair.sample[pair.place]:
            cells[pair.place] = f"{mark} {cells[pair.place]}"
        return [name, *cells]

    head = ["which", *(f"{what} {place}" for place in range(1, len(pair.sample) + 1))]
    shell.table(
        head, [row("sample", pair.sample, ""), row("its neighbour", pair.neighbour, "➜")]
    )  # fmt: skip


def _cards(pair: Neighbours) -> None:
    found = pair.found
    approximate = found.learner.privacy == "approximate"
    here = shell.card(
        "This pair: largest log ratio", _number(pair.worst), _of_epsilon(pair.ratio, found),
        "good" if pair.within else "plain" if approximate else "bad",
    )  # fmt: skip
    slack = shell.card(
        "This pair: least δ", number(float(f"{pair.least_delta:.3g}")),
        "probability that ε does not cover", "accent",
    )  # fmt: skip
    verdict: shell.Tone = "good" if found.private else "bad"
    everywhere = shell.card(
        f"Audit: all {found.losses.size:,} pairs", _number(found.worst),
        f"at worst: {_of_epsilon(found.ratio, found)}", "plain" if approximate else verdict,
    )  # fmt: skip
    cards = [here, slack, everywhere] if approximate else [here, everywhere]
    shell.cards(*cards, _claim(found, verdict))


def _claim(found: Audited, verdict: shell.Tone) -> shell.Card:
    if found.learner.privacy == "approximate":
        return shell.card(
            "Audit: least δ", number(float(f"{found.least_delta:.3g}")),
            f"claimed: δ = {number(found.delta)}", verdict,
        )  # fmt: skip
    if found.learner.privacy == "none":
        words = "on this tiny domain; it claims nothing" if found.private else "and claims nothing"
        return shell.card("ε-private here", "yes" if found.private else "no", words, verdict)
    words = "as it claims, on every pair" if found.private else "though it claims to be"
    return shell.card("ε-private here", "yes" if found.private else "no", words, verdict)


def _of_epsilon(ratio: float, found: Audited) -> str:
    if math.isinf(ratio):
        return "an output that is possible on one side only"
    return f"{_number(ratio)} · ε, ε = {number(found.tiny.epsilon)}"


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.3g}"


def _caption(pair: Neighbours) -> None:
    found, tiny = pair.found, pair.found.tiny
    merged = " Outputs with the same log ratio stand together: they tell the same." * pair.merged
    listed = f" {found.learner.enumerated}".rstrip()
    st.caption(
        f"**Exact**: nothing is simulated. On a tiny domain, d = {tiny.d}, with m = {tiny.m} and "
        f"α = {tiny.alpha:g}, every output was enumerated on every sample, also on those that no "
        f"concept fits, at the page's ε = {number(tiny.epsilon)}. The pair at first is the worst "
        f"there is.{merged}{listed}"
    )
