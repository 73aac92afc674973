"""The atlas: a table of every bound of the catalog, one row open, and the slips of the papers."""

from __future__ import annotations

import functools
import html
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, sitemap, words
from pages.shared.page import declaration
from pages.shared.page.rows import Rows, anchor, facts
from pages.shared.state import controls, state
from pages.shared.state.fields import EVERYWHERE, explanation, label, slack
from privsc_core import export
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.draw.bounds_figures import bound_beside_others
from privsc_core.draw.style import integer, number
from privsc_core.evaluate import atlas
from privsc_core.evaluate.scenario import Scenario
from privsc_core.literature.papers import papers
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from pages.shared.page.declaration import ClassPage
    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.evaluate.atlas import Entry, Number
    from privsc_core.literature.documents import Erratum, Later
    from privsc_core.literature.papers import Source


# -------------------------------------------------------------------------------------------------
# What stands in the atlas: a bound, a later result, a slip; each is drawn when it is open.


_CHECKS = Path(__file__).parents[3] / "assets" / "checks"
_HEIGHT = 340
_SIDES = {"lower": "lower bound", "upper": "upper bound"}
_SIGNS = re.compile(r"([*_`\[\]$\\])")


def bound_part(entry: Entry) -> str:
    """Return the name of an entry in links: fixed for ever."""
    return f"bound-{entry.key}"


def erratum_part(one: Erratum) -> str:
    """Return the name of an erratum in links: fixed for ever."""
    return f"slip-{one.key}"


# --- Bounds ------------------------------------------------------------------------------------


def bound(entry: Entry, setting: Mapping[str, float], number: Number | None) -> None:
    """Draw an open entry.

    Parameters
    ----------
    entry : Entry
    setting : mapping of str to float
        d, epsilon, alpha, beta, delta.
    number : Number, optional
        What it says at the setting; None for what is not computed.
    """
    label = f"**{_plain(entry.bound.title)}** · {entry.concept.title} · {_says(entry, number)}"
    part = exhibit.part(label, bound_part(entry))
    if not part.open:
        return
    with part, shell.guard():
        st.latex(entry.bound.statement)
        known = entry.computed
        if known is None or number is None:
            _facts(entry, _of_later(entry))
            st.markdown(f"{_later(entry).remark} **It is listed here, but not computed.**")
        else:
            _facts(entry, _of_bound(entry, known, number))
            _figure(entry, known, setting)
            st.markdown(f"**Why it holds, and where its constants are from.** {known.derivation}")
        _cite(entry.bound.source, f"{_SIDES[entry.bound.kind]} “{entry.bound.title}” for "
              f"{entry.concept.title.lower()}")  # fmt: skip


def _later(entry: Entry) -> Later:
    """Return the later result of an entry that is one."""
    return next(one for one in entry.concept.documents.later if one is entry.bound)


def _says(entry: Entry, number: Number | None) -> str:
    if number is None:
        return f"later {_SIDES[entry.bound.kind]}, not computed"
    if number.m is None:
        return "no number here"
    side = "impossible below" if entry.bound.kind == "lower" else "suffices from"
    return f"{side} {integer(number.m)}"


def _whom(entry: Entry) -> str:
    """Return whom an entry binds, in a few words."""
    brief = entry.computed.applies_briefly if entry.computed else ""
    return textwrap.shorten(brief or entry.bound.applies_to, 70, placeholder=" …")


def _where(entry: Entry) -> str:
    key = papers()[entry.bound.source.paper].key
    return key if entry.year is None else f"{entry.bound.source.paper}, {entry.year}"


def _of_bound(entry: Entry, known: Bound, number: Number) -> list[tuple[str, str]]:
    """Return what is known of a bound: pairs of HTML."""
    side = "impossible below" if known.kind == "lower" else "suffices from"
    unit = entry.concept.unit
    says = f"{side} {integer(number.m)} {unit}" if number.m is not None else "no number"
    if number.words:
        says += f": {number.words}" if number.m is None else f" ({number.words})"
    whose = words.term(known.origin, stop=False)
    if known.completed:
        whose += html.escape(f"; ours is {known.completed}")
    here = ", ".join(learner.title for learner in entry.learners)
    return [
        ("At this setting", html.escape(says)),
        ("Kind", words.term(_SIDES[known.kind], stop=False)),
        (words.term("constants", "Constants", stop=False), whose),
        ("Valid", html.escape(known.validity or "at every setting")),
        ("Binds", html.escape(f"{known.applies_to}. Of the learners here: {here}.")),
        ("Distributions", html.escape(_distributions(known))),
    ]


def _distributions(known: Bound) -> str:
    if known.kind == "upper":
        return known.only_on or "every one"
    parts = []
    if known.proved_on:
        parts.append(f"proved on {' and '.join(known.proved_on)}")
    if known.shown_on:
        parts.append(
            f"proved for the worst case; shown on {' and '.join(known.shown_on)}, where it is not proved"
        )
    return "; ".join(parts) or "proved for the worst case, which is none of the distributions here"


def _of_later(entry: Entry) -> list[tuple[str, str]]:
    one = _later(entry)
    rows = [
        ("Kind", words.term(_SIDES[one.kind], stop=False)),
        (words.term("constants", "Constants", stop=False), words.term("rate", stop=False)),
        ("Binds", html.escape(f"{one.applies_to}.")),
    ]
    before = [e.title for e in entry.concept.documents.later if e.name in one.supersedes]
    if before:
        rows.append(("Improves on", html.escape(", ".join(before))))
    return rows


def _facts(entry: Entry, rows: list[tuple[str, str]]) -> None:
    source = entry.bound.source
    rows.append(("Source", html.escape(export.cite(source) + ".")))
    cited = [papers()[key].citation for key in entry.papers if papers()[key].bibtex]
    if cited:
        rows.append(("Papers", "<br>".join(map(html.escape, cited))))
    if entry.superseded_by:
        after = (f"{e.title} ({papers()[e.source.paper].short})" for e in entry.superseded_by)
        rows.append(("Superseded by", html.escape(", ".join(after))))
    rows.append(("Link", anchor({"open": bound_part(entry)}, "to this entry")))
    facts(rows)


def _figure(entry: Entry, known: Bound, setting: Mapping[str, float]) -> None:
    law = next(iter(known.valid_on or known.promised_on), "")
    scenario = Scenario(concept=entry.concept.name, learners=(), distribution=law, **setting)  # type: ignore[arg-type] # d is whole
    picture = exhibit.computed(bound_beside_others, scenario, known.name)
    exhibit.draw(picture, f"atlas-{entry.key}", _HEIGHT)
    found = _pages().get(entry.concept.name)
    if found is None:
        return
    label, file, page = found
    st.page_link(
        file, label=f"On the page {label}, beside its learners",
        query_params=door(page, known, entry.learners, scenario),
    )  # fmt: skip


@functools.cache
def _pages() -> dict[str, tuple[str, str, ClassPage]]:
    """Return label, file and declaration of the page of every class, by the class's name."""
    pages = ((label, file, declaration.declared(file)) for label, file in sitemap.classes())
    return {page.concept: (label, file, page) for label, file, page in pages}


def door(
    page: ClassPage, known: Bound, learners: tuple[Learner, ...], scenario: Scenario
) -> dict[str, str]:
    """Return the link parameters of a class page that shows a bound at a setting."""
    law = scenario.law
    # Who does better where the bound is only shown takes it off the picture.
    beside = {
        *page.learners,
        *(e.name for e in learners if law.name in e.laws and not known.passed(e, law)),
    }
    views = page.settings["view"].choices
    values = {
        "view": "need-d" if "need-d" in views else "need-eps", "bounds": "all", "const": "paper" if known.constants == "paper" else "sharp",
        "dist": scenario.law.name, "d": scenario.d, "eps": scenario.epsilon,
        "alpha": scenario.alpha, "beta": scenario.beta, "delta": scenario.delta,
    }  # fmt: skip
    found: dict[str, state.Value] = {}
    for item in page.fields:
        value = item.valid(values.get(item.key))
        if value is not None:
            found[item.key] = value
    shown = page.settings["learners"]
    found[shown.key] = tuple(name for name in shown.choices if name in beside)
    return state.write(found, page.fields)


# --- Slips -------------------------------------------------------------------------------------


def erratum(one: Erratum) -> None:
    """Draw an open slip."""
    place = _plain(one.source.place)
    part = exhibit.part(f"**{place}** · {_plain(one.title)}", erratum_part(one))
    if not part.open:
        return
    with part, shell.guard():
        st.markdown(
            f"**The paper says.** {one.says}\n\n**Read instead.** {one.correction}\n\n"
            f"**How we know.** {one.known_by}"
            if one.source.paper != "ours"
            else f"**One would think.** {one.says}\n\n**But.** {one.correction}\n\n"
            f"**How we know.** {one.known_by}"
        )
        if one.check:
            st.code(_program(one.key), language="python")
            st.caption(
                "The program needs only Python and `privsc_core`. It prints nothing if the correction holds."
            )
        facts([("Link", anchor({"open": erratum_part(one)}, "to this slip"))])
        _cite(one.source, f"Slips found in the papers: {one.source.place}, {one.title}")


@functools.cache
def _program(key: str) -> str:
    return (_CHECKS / f"{key}.py").read_text(encoding="utf-8").strip()


# --- Both --------------------------------------------------------------------------------------


def _cite(source: Source, what: str) -> None:
    st.markdown("**To cite it**")
    st.code(export.cited(source, what), language="bibtex")


def _plain(text: str) -> str:
    """Return Markdown that shows a text as it stands."""
    return _SIGNS.sub(r"\\\1", text)


_ALL = "all"
_TABS = {"bounds": "Bounds", "slips": "Slips found in the papers"}
_KINDS = {"lower": "lower bounds", "upper": "upper bounds"}
_PRIVACIES = {
    "none": "no privacy", "pure": "ε-DP", "approximate": "(ε, δ)-DP", "label": "labels only",
}  # fmt: skip
_SETTING = ("d", "epsilon", "alpha", "beta", "delta")
_ACROSS = 3
_OPEN = 8  # entries at a time that a link may name, each with a figure
_FIRST = 16  # rows at first
_DOWN = "-down"
# The columns of the table: what a row is sorted by, and what stands above it.
_COLUMNS = {
    "title": "bound", "class": "class", "m": "at this setting", "kind": "kind", "year": "source",
}  # fmt: skip
_OF_SETTING = "setting"  # the part with their sliders


def _key(name: str) -> str:
    return parameter(name).key


def _choice(key: str, name: str, words: tuple[str, ...]) -> state.Field:
    return state.Field(
        key=key, kind="choice", default=words[0], name=name, choices=words, scope="atlas"
    )


_CLASSES = (*CONCEPTS, *BESIDE)
_ENTRIES, _ERRATA = atlas.entries(), atlas.errata()
_SOURCES = tuple(key for key in papers() if any(key in entry.papers for entry in _ENTRIES))
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
    "source": {_ALL: "all sources"} | {key: papers()[key].short for key in _SOURCES},
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
    _SORT := _choice("sort", "order of the rows", ("class", *(
        word + way for word in _COLUMNS for way in ("", _DOWN) if word + way != "class"
    ))),
    _EVERY := state.Field(key="rows", kind="flag", default=False, default_v1=True, name="all rows", scope="atlas"),
    _choice("tab", "tab", tuple(_TABS)),
    state.Field(
        key="open", kind="choices", default=(), name="unfolded entries", scope="atlas", most=_OPEN,
        choices=(_OF_SETTING, *map(bound_part, _ENTRIES), *map(erratum_part, _ERRATA)),
        leads=(("bound-", "tab", "bounds"), ("slip-", "tab", "slips")),
    ),
)  # fmt: skip


_ROWS = Rows(FIELDS, (_SORT.key, _EVERY.key), (_OF_SETTING,))


@st.fragment
def show() -> None:
    """Draw both parts; only the one that is looked at."""
    bounds, slips = controls.tabs(state.field_of("tab"), _TABS)
    with bounds:
        if bounds.open:
            _bounds()
    with slips:
        if slips.open:
            _errata()


def _bounds() -> None:
    now = {name: state.current()[_key(name)] for name in _SETTING}
    with st.container(key="pv_rows_filters"):
        search, *places = st.columns([1.6, 1, 1, 1])
        with search:
            controls.text_input(
                _QUERY, "Search the bounds", placeholder="mechanism, δ, Lemma 3.9, …"
            )
        for place, name in zip(places, ("class", "kind", "privacy"), strict=True):
            with place:
                controls.select(_FILTERS[name], name.capitalize(), names=_WORDS[name])
    said = ", ".join(f"{parameter(name).symbol} = {number(now[name])}" for name in _SETTING)  # type: ignore[arg-type] # numbers all
    fold = exhibit.part(f"Setting: {said}; and the source", _OF_SETTING)
    if fold.open or state.current()["source"] != _ALL:
        with fold:
            controls.select(_FILTERS["source"], "Source", names=_WORDS["source"])
            _sliders()
    shown = [entry for entry in _ENTRIES if _wanted(entry)]
    count = f"{len(shown)} of {len(_ENTRIES)} entries"
    shell.said(
        f"{count}." if shown else f"{count}: no bound fits. Use fewer filters or a shorter search."
    )
    with shell.guard():
        _found(shown)


def _sliders() -> None:
    for start in range(0, len(_SETTING), _ACROSS):
        row = _SETTING[start : start + _ACROSS]
        for place, name in zip(st.columns(_ACROSS, gap="medium"), row, strict=False):
            with place:
                item = state.field_of(_key(name))
                controls.slider(item, label(name), help=explanation(name), show=number)


def _found(shown: list[Entry]) -> None:
    """Draw the table; where an entry is open it stands in place of its row."""
    setting: dict[str, Any] = {name: state.current()[_key(name)] for name in _SETTING}
    numbers = exhibit.computed(atlas.numbers, **setting)
    now = state.current()
    opened: tuple[str, ...] = now["open"]  # type: ignore[assignment] # words
    rows = _ordered(shown, numbers, str(now[_SORT.key]))
    if not now[_EVERY.key]:
        rows = [e for n, e in enumerate(rows) if n < _FIRST or bound_part(e) in opened]
    parts = {bound_part(entry): entry for entry in rows}

    def cells(entry: Entry) -> tuple[str, ...]:
        said = f"{_says(entry, numbers.get(entry.key))}: {_whom(entry)}"
        return entry.bound.title, entry.concept.title, said, entry.bound.kind, _where(entry)

    def top(text: str) -> str:
        by, word = str(now[_SORT.key]), next(w for w, name in _COLUMNS.items() if name == text)
        sign = {word: " ▲", word + _DOWN: " ▼"}.get(by, "")
        return _ROWS.pick(_SORT.key, word + _DOWN if by == word else word, f"{text}{sign}")

    def draw(part: str) -> None:
        bound(parts[part], setting, numbers.get(parts[part].key))

    more = _ROWS.pick("rows", "1", f"Show all {len(shown)}") if len(rows) < len(shown) else ""
    listed = {part: cells(entry) for part, entry in parts.items()}
    _ROWS.table("Bounds", tuple(_COLUMNS.values()), listed, draw, top=top, more=more)


def _ordered(shown: list[Entry], numbers: Mapping[str, Number], by: str) -> list[Entry]:
    """Return entries in an order; those without what they are sorted by come last."""
    word = by.removesuffix(_DOWN)

    def key(entry: Entry) -> Any:
        found = numbers.get(entry.key)
        return {
            "title": entry.bound.title.lower(), "class": _CLASSES.index(entry.concept),
            "m": found and found.m, "kind": entry.bound.kind, "year": entry.year,
        }[word]  # fmt: skip

    there = [entry for entry in shown if key(entry) is not None]
    return [
        *sorted(there, key=key, reverse=by.endswith(_DOWN)),
        *(entry for entry in shown if key(entry) is None),
    ]


def _wanted(entry: Entry) -> bool:
    """Return whether an entry passes the filters and has all words that are searched."""
    now = state.current()
    has: dict[str, AbstractSet[str]] = {
        "class": {entry.concept.name}, "kind": {entry.bound.kind},
        "privacy": entry.privacies, "source": set(entry.papers),
    }  # fmt: skip
    if any(now[key] not in {_ALL, *words} for key, words in has.items()):
        return False
    return all(word in entry.words for word in str(now[_QUERY.key]).lower().split())


def _errata() -> None:
    st.markdown(
        "Errors that we found in the papers. Each entry names the place, what to read instead, and how we know; a "
        "program shows it wherever a computer can. Most errors are small; if a statement has to change, the entry "
        "gives the correct one. If you find an error of ours, please tell us."
    )
    ordered = sorted(_ERRATA, key=lambda one: list(papers()).index(one.source.paper))
    parts = {erratum_part(one): one for one in ordered}
    listed = {
        part: (one.title, papers()[one.source.paper].short, one.source.place)
        for part, one in parts.items()
    }
    _ROWS.table(
        "Slips found in the papers",
        ("what is the matter", "paper", "place"),
        listed,
        lambda part: erratum(parts[part]),
    )
