"""The atlas: every bound of the catalog, searched and filtered, and the slips of the papers."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.page import entries
from pages.shared.state import controls, state
from pages.shared.state.fields import EVERYWHERE, explanation, label, slack
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.concepts.papers import PAPERS
from privsc_core.draw.style import number
from privsc_core.evaluate import atlas
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from privsc_core.evaluate.atlas import Entry

__all__ = ["FIELDS", "show"]

_ALL = "all"
_TABS = {"bounds": "Bounds", "slips": "Slips found in the papers"}
_KINDS = {"lower": "lower bounds", "upper": "upper bounds"}
_PRIVACIES = {
    "none": "no privacy", "pure": "ε-DP", "approximate": "(ε, δ)-DP", "label": "labels only",
}  # fmt: skip
_SETTING = ("d", "epsilon", "alpha", "beta", "delta")
_ACROSS = 3
_OPEN = 8  # entries at a time, each with a figure
_OF_SETTING = "setting"  # the part with their sliders


def _key(name: str) -> str:
    return parameter(name).key


def _choice(key: str, name: str, words: tuple[str, ...]) -> state.Field:
    return state.Field(
        key=key, kind="choice", default=words[0], name=name, choices=words, scope="atlas"
    )


_CLASSES = (*CONCEPTS, *BESIDE)
_ENTRIES, _SLIPS = atlas.entries(), atlas.slips()
_SOURCES = tuple(key for key in PAPERS if any(key in entry.papers for entry in _ENTRIES))
_KNOWN = tuple(word for word in _PRIVACIES if any(word in entry.privacies for entry in _ENTRIES))
_FILTERS = {
    "class": _choice("class", "class", (_ALL, *(concept.name for concept in _CLASSES))),
    "kind": _choice("kind", "kind of bound", (_ALL, *_KINDS)),
    "privacy": _choice("privacy", "privacy of the learners", (_ALL, *_KNOWN)),
    "source": _choice("source", "source", (_ALL, *_SOURCES)),
}
_WORDS = {
    "class": {_ALL: "all classes"} | {concept.name: concept.title for concept in _CLASSES},
    "kind": {_ALL: "both"} | _KINDS,
    "privacy": {_ALL: "any privacy"} | _PRIVACIES,
    "source": {_ALL: "all sources"} | {key: PAPERS[key].short for key in _SOURCES},
}
_QUERY = state.Field(
    key="q", kind="text", default="", name="search", pattern=r"[^\x00-\x1f\x7f]{0,40}",
    form="at most 40 characters, none a control character", scope="atlas",
)  # fmt: skip
FIELDS = (
    *EVERYWHERE,
    slack("atlas"),
    _QUERY,
    *_FILTERS.values(),
    _choice("tab", "tab", tuple(_TABS)),
    state.Field(
        key="open", kind="choices", default=(), name="unfolded entries", scope="atlas", most=_OPEN,
        choices=(_OF_SETTING, *map(entries.bound_part, _ENTRIES), *map(entries.slip_part, _SLIPS)),
    ),
)  # fmt: skip


@st.fragment
def show() -> None:
    """Draw both parts; only the one that is looked at."""
    bounds, slips = controls.tabs(state.field_of("tab"), _TABS)
    with bounds:
        if bounds.open:
            _bounds()
    with slips:
        if slips.open:
            _slips()


def _bounds() -> None:
    with st.container(key="pv_atlas_filters"):
        search, *places = st.columns([1.6, 1, 1, 1, 1.3])
        with search:
            controls.text_input(
                _QUERY, "Search the bounds", placeholder="mechanism, δ, Lemma 3.9, …"
            )
        for place, (name, item) in zip(places, _FILTERS.items(), strict=True):
            with place:
                controls.select(item, name.capitalize(), names=_WORDS[name])
    now = {name: state.current()[_key(name)] for name in _SETTING}
    said = ", ".join(f"{parameter(name).symbol} = {number(now[name])}" for name in _SETTING)  # type: ignore[arg-type] # numbers all
    fold = exhibit.part(f"Setting of all numbers and curves: {said}", _OF_SETTING)
    if fold.open:
        with fold:
            _sliders()
    shown = [entry for entry in _ENTRIES if _wanted(entry)]
    count = f"{len(shown)} of {len(_ENTRIES)} entries"
    shell.said(f"{count}." if shown else f"{count}: nothing fits; widen the filters or the search.")
    with shell.guard():
        _listed(shown)


def _sliders() -> None:
    for start in range(0, len(_SETTING), _ACROSS):
        row = _SETTING[start : start + _ACROSS]
        for place, name in zip(st.columns(_ACROSS, gap="medium"), row, strict=False):
            with place:
                item = state.field_of(_key(name))
                controls.slider(item, label(name), help=explanation(name), show=number)


def _listed(shown: list[Entry]) -> None:
    setting: dict[str, Any] = {name: state.current()[_key(name)] for name in _SETTING}
    numbers = exhibit.computed(atlas.numbers, **setting)
    for concept, group in groupby(shown, key=lambda entry: entry.concept):
        st.subheader(concept.title, anchor=f"class-{concept.name}")
        for entry in group:
            entries.bound(entry, setting, numbers.get(entry.key))


def _wanted(entry: Entry) -> bool:
    """Tell whether an entry passes the filters and has all words that are searched."""
    now = state.current()
    has: dict[str, AbstractSet[str]] = {
        "class": {entry.concept.name}, "kind": {entry.bound.kind},
        "privacy": entry.privacies, "source": set(entry.papers),
    }  # fmt: skip
    if any(now[key] not in {_ALL, *words} for key, words in has.items()):
        return False
    return all(word in entry.words for word in str(now[_QUERY.key]).lower().split())


def _slips() -> None:
    st.markdown(
        "What we found to correct on the way, each with its place, what to read instead and how we "
        "know; with a program wherever a computer can show it. Most are small; where a statement has to "
        "change, the entry says to what. If you find one of ours, tell us."
    )
    ordered = sorted(_SLIPS, key=lambda one: list(PAPERS).index(one.source.paper))
    for paper, group in groupby(ordered, key=lambda one: one.source.paper):
        short = PAPERS[paper].short
        st.subheader(f"{short[:1].upper()}{short[1:]}", anchor=f"paper-{paper.lower()}")
        for one in group:
            entries.slip(one)
