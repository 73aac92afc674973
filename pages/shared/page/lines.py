"""The pages of lines over d, each a link to the page of its class: the map of all classes, at home, and
what δ buys. Both show a few lines first, and all on request.

A further picture of δ is an entry of `PICTURES`: its anchor and title, and what draws it at a setting.
Exhibits, which know their class, are named by the page.
"""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlencode

import streamlit as st

from pages.shared.chart.payload import Door, Strip
from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Fields, Own, Values
from pages.shared.frame import shell, sitemap, tables
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import live
from pages.shared.page.declaration import declared
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, explanation, label, slack
from pages.shared.take import share, takeaway
from privsc_core import export
from privsc_core.catalog import CONCEPTS
from privsc_core.catalog import bound as find_bound
from privsc_core.catalog import learner as find_learner
from privsc_core.draw import landscape as drawing
from privsc_core.draw.style import integer, number, short, times
from privsc_core.evaluate.landscape import FITTED_FROM, PLACES, Standpoint, contests, landscape
from privsc_core.evaluate.scenario import Scenario
from privsc_core.literature.documents import ROLES
from privsc_core.literature.papers import papers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.exhibits.exhibit import Exhibit
    from pages.shared.page.declaration import ClassPage
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.landscape import Course, Extent, Landscape, Separation
    from privsc_core.literature.documents import Role, Where


_COMMON = {name: COMMON[name] for name in ("epsilon", "alpha", "beta")}


def _at(fields: Mapping[str, state.Field], **instead: Any) -> Standpoint:
    """Return the setting of now."""
    return Standpoint(**(state.named(fields) | instead))


def _first(fields: Mapping[str, state.Field], **instead: Any) -> Standpoint:
    """Return the setting before any control was moved."""
    at: dict[str, Any] = {name: item.default for name, item in fields.items()}
    return Standpoint(**(at | instead))


def _sliders(fields: Mapping[str, state.Field], places: Sequence[DeltaGenerator]) -> None:
    for place, (name, item) in zip(places, fields.items(), strict=True):
        with place:
            controls.slider(item, label(name), help=explanation(name), show=number)


def _extent_field(scope: str) -> Own[str]:
    """Return the field that says which lines are drawn: links of version 1 show all."""
    return Own(
        key="lines", kind="choice", default="first", default_v1="all", name="lines of the figure",
        choices=("first", "all"), scope=scope,
    )  # fmt: skip


def _extent(item: Own[str]) -> Extent:
    return cast("Extent", Values(state.current())[item])


def _choose(item: Own[str], of: Where) -> None:
    """Draw the switch between a few lines and all."""
    every = [line for concept in CONCEPTS for line in concept.documents.on(of)]
    few = sum(of in line.first for line in every)
    names = {"first": f"{few} lines", "all": f"All {len(every)} lines"}
    controls.segmented(item, "Lines of the figure", names=names, label_visibility="collapsed")


# --- The door of a line: the address of its class's page in the state that the line shows --------


@functools.cache
def _pages() -> dict[str, tuple[str, str, ClassPage]]:
    """Return label, file and declaration of the page of each class, by the name of the class."""
    found = ((name, file, declared(file)) for name, file in sitemap.classes())
    return {page.concept: (name, file, page) for name, file, page in found}


def _link(course: Course, at: Standpoint) -> str:
    """Return the address of the page of a line in the state that the line shows."""
    _, file, page = _pages()[course.concept]
    fields = page.settings
    values: dict[str, Any] = {name: item.default for name, item in fields.items()}
    # In the order of the page: else it would write the link anew, and Back would lead there.
    learners = tuple(name for name in fields["learners"].choices if name in course.line.shown)
    values |= {"view": "need-d", "learners": learners}
    values |= {name: getattr(at, name) for name in _COMMON if name in fields}
    shown = (find_learner(course.concept, name) for name in course.line.shown)
    if any(entry.privacy == "approximate" for entry in shown):
        values["delta"] = at.delta
    if course.line.kind == "bound":
        constants = find_bound(course.concept, course.line.name).constants
        values["bounds"] = "all"
        values["constants"] = fields["constants"].valid(constants) or values["constants"]
    by_key = {item.key: values[name] for name, item in fields.items()}
    query = urlencode(state.write(by_key, tuple(fields.values())), safe=",")
    return f"./{sitemap.address(file)}?{query}"


def _says(course: Course) -> str:
    """Return the theorem of a line, and where it is proved."""
    paper, place = papers()[course.line.source.paper], course.line.source.place
    cited = f"{paper.short}, {place}" if paper.bibtex else f"Ours: {place}"
    return f"{course.line.says} {cited}."


@functools.lru_cache(maxsize=64)  # two hundred visitors of one map share its doors
def doors(found: Landscape) -> tuple[Door, ...]:
    """Return the door of every line."""
    at = found.standpoint
    return tuple(
        Door(
            course.key, course.line.label, _says(course), _link(course, at),
            _pages()[course.concept][0],
        )
        for course in found.courses
    )  # fmt: skip


# --- The home page: the map, what to do next, the classes, and the table of what is known --------


TITLE = "How many examples does private learning need?"
CLAIM = (
    "A learner is *purely private* if replacing one example changes the probability of any output by a factor of at "
    "most $e^{\\varepsilon}$. **To find one of $2^d$ points it needs more examples as $d$ grows if its answer must "
    "be a point (*proper*), but not otherwise (*improper*).** For thresholds learners of both kinds need more; "
    "approximate privacy ($\\delta > 0$) nearly removes this cost. For parities privacy costs a constant factor."
)
MAP = {**_COMMON, "delta": slack("all classes")}
EXTENT = _extent_field("all classes")
FIELDS = (*EVERYWHERE, MAP["delta"], EXTENT)
_FEW = 8  # lines, whose names stand at their ends
_MOVING = "epsilon"
_SHOWN_AT = (64, 1024, 65536)  # bits at which the table says its numbers
_HOME_STYLE = Path(__file__).with_name("home.css").read_text(encoding="utf-8")


def first() -> tuple[Landscape, Picture]:
    """Return the map before any control was moved."""
    return drawing.landscape_picture(_first(MAP), "first")


@functools.cache
def _whole() -> Landscape:
    """Return all lines at the setting before any control was moved."""
    return landscape(_first(MAP))


def likely() -> Iterator[Callable[[], None]]:
    """Yield computations that visitors of the map will ask for: moves of epsilon, and its strip."""
    yield lambda: _map(_first(MAP), "first").begin(_MOVING, MAP[_MOVING].stops).result()
    for extent in ("first", "all"):
        for stop in (MAP[_MOVING].default, *MAP[_MOVING].stops):
            yield exhibit.prepared(drawing.landscape_picture, _first(MAP, epsilon=stop), extent)


def height(found: Landscape) -> int:
    """Return the height of the map in pixels: many lines need more room."""
    return 400 if len(found.courses) <= _FEW else 520


def _map(at: Standpoint, extent: Extent) -> live.Sheet:
    """Return the map as a figure that follows its slider."""
    return live.Sheet(f"map-{extent}", at, (_MOVING,), (drawing.landscape_strip, extent), _packed)


@functools.lru_cache(maxsize=8)
def _packed(maps: tuple[tuple[Landscape, Picture], ...]) -> Strip:
    lines = (exhibit.sent(picture, height(found), "", doors(found)) for found, picture in maps)
    # What stands outside of the figure waits until the hand has left the slider.
    return Strip.of(lines, [True] * len(maps))


@st.fragment
def home() -> None:
    """Draw all of the home page that depends on the setting."""
    st.html(f"<style>{_HOME_STYLE}</style>")
    with st.container(key="pv_head"):
        claim, slider = st.columns([2.2, 1], gap="large", vertical_alignment="center")
    claim.markdown(CLAIM)
    _sliders({_MOVING: MAP[_MOVING]}, [slider])
    with shell.guard():
        extent = _extent(EXTENT)
        found, picture = exhibit.computed(drawing.landscape_picture, _at(MAP), extent)
        setting = live.setting(_map(found.standpoint, extent), MAP)
        exhibit.draw(picture, "main", height(found), doors=doors(found), setting=setting)
        _choose(EXTENT, "map")
        if extent == "all":
            _everything(found)
        live.answer(lambda: _map(_at(MAP), _extent(EXTENT)), MAP, lambda *_: {})


def _everything(found: Landscape) -> None:
    """Draw what comes with all lines: the rest of the setting, their sentences, their numbers."""
    others = {name: item for name, item in MAP.items() if name != _MOVING}
    _sliders(others, st.columns(3))
    _gaps(found)
    st.subheader("Examples needed, class by class", anchor="table")
    st.markdown(
        "Each cell shows the rate of the theorem; the least number of examples at d = "
        f"{', '.join(f'{d:,}' for d in _SHOWN_AT)}; and the exponent of d. It is fitted from d = {FITTED_FROM} to "
        f"{PLACES[-1]:,}. In brackets: the least and the largest exponent between two neighbouring points of the "
        "line. “≥” marks a lower bound for all learners of the kind. Click a cell to open its page. The table "
        "extends Table 1 of Beimel, Brenner, Kasiviswanathan and Nissim (2013)."
    )
    st.html(f'<div class="pv-landscape">{table(found)}</div>')


def _gaps(found: Landscape) -> None:
    """Draw the sentences of lines and gaps, for visitors who do not hover."""
    with st.expander("Each line and each shaded gap in a sentence"):
        gaps = "".join(
            f"<div><dt>The cost of {html.escape(one.gap.name)}</dt><dd>{html.escape(one.gap.says)}"
            f"{_ratio(one)}</dd></div>"
            for one in found.separations
        )
        lines = "".join(
            f'<div><dt><a href="{html.escape(_link(course, found.standpoint))}" target="_self">'
            f"{html.escape(course.line.label)}</a></dt><dd>{html.escape(_says(course))}</dd></div>"
            for course in found.courses
        )
        st.html(f'<dl class="pv-reading">{gaps}{lines}</dl>')


def _ratio(one: Separation) -> str:
    if not one.ratio > 1.0:
        return " At this setting there is no gap between the two lines."
    return f" At d = {one.at:,}: {times(one.ratio)}."


def classes() -> None:
    """Draw a card for each class: its lines in small, its name, what is learned there."""
    with st.container(key="pv_classes"):
        for name, file in sitemap.classes():
            page = declared(file)
            with st.container(key=f"pv_class_{page.slug}"):
                st.html(small(page))
                st.page_link(file, label=f"**{name}**", help=page.summary)
                st.caption(page.heading)


def small(page: ClassPage) -> str:
    """Return the lines of a class in small, as HTML; without lines its sketch."""
    found = _whole()
    courses = found.of(page.concept)
    if not courses:
        return _image(page.sketch, "A concept of the class", "pv-sketched")
    said = "; ".join(
        f"{course.line.label} {integer(course.at(_SHOWN_AT[-1]))}" for course in courses
    )
    words = f"Least m at d = {_SHOWN_AT[-1]:,}: {said}"
    return _image(drawing.thumbnail(courses, found.span), words)


def _image(svg: str, words: str, name: str = "pv-small") -> str:
    """Return a picture as an image with its words; SVG itself does not pass through `st.html`."""
    return f'<img class="{name}" alt="{html.escape(words)}" src="data:image/svg+xml,{quote(svg)}">'


def table(found: Landscape) -> str:
    """Return the table as HTML: a row for each class, a column for what learners may do."""
    roles: list[Role] = [r for r in ROLES if any(c.line.role == r for c in found.courses)]
    rows: list[list[Any]] = []
    for name, (title, _, _) in _pages().items():
        courses = found.of(name)
        if courses:
            rows.append([title, *([c for c in courses if c.line.role == role] for role in roles)])

    def cell(inside: Any, column: int) -> str:
        if not column:
            return html.escape(inside)
        cells = "".join(_cell(course, found) for course in inside)
        return cells or '<span class="pv-none">–</span>'

    return tables.table(
        ("class", *(ROLES[role] for role in roles)), rows, label="Examples needed", cell=cell
    )


def _cell(course: Course, found: Landscape) -> str:
    """Return one line of the map as part of a cell: rate, picture, numbers, exponent."""
    least = "≥ " if course.line.kind == "bound" else ""
    numbers = " · ".join(f"<span>{short(course.at(d))}</span>" for d in _SHOWN_AT)
    picture = _image(drawing.thumbnail((course,), found.span), "")
    return (
        f'<a class="pv-cell" href="{html.escape(_link(course, found.standpoint))}" target="_self" '
        f'data-about="{html.escape(course.key)}" data-tip="{html.escape(_says(course))}">'
        f"<em>{html.escape(ROLES[course.line.role])}</em>"
        f"<strong>{html.escape(course.line.rate)}</strong>{picture}"
        f"<small>{least}{numbers}</small><small>exponent {drawing.slope(course)}</small></a>"
    )


# --- What δ buys: its sliders, a picture after the other, and exhibits of classes ----------------


HEADING = HEADS["delta"].title
_SLACK = slack("delta")
_OWN = Fields("delta")
_LAW = _OWN.choice("law", "distribution of the contest", drawing.WORDS[0], drawing.WORDS)
_BITS = _OWN.choice("bits", "bits in the contest", drawing.SIZES[0], drawing.SIZES)
_SLACK_EXTENT = _extent_field("delta")
_SETTING = {
    name: (_COMMON | {"delta": _SLACK})[name] for name in ("epsilon", "delta", "alpha", "beta")
}
_DELTA_HEIGHT, _LOW = 460, 370
_WHAT = (
    "Under pure privacy one example changes *every* probability by a factor of at most $e^{\\varepsilon}$. "
    "Approximate privacy allows $\\delta$ more."
)
_DELTA_STYLE = f"<style>{Path(__file__).with_name('given.css').read_text(encoding='utf-8')}</style>"
_TOLD_AT = (8, 64, 1024, 10**6)  # bits at which the table says its numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Exhibits of a class that are about δ, with the parameters that they have on its own page.

    `further` is the file of a page that goes on, and the words of a link to it.
    """

    concept: str
    exhibits: tuple[Exhibit, ...]
    further: tuple[str, str]


def fields(beside: Beside) -> tuple[state.Field, ...]:
    """Return all that a link to the page can say."""
    folded = state.Field(
        key="open", kind="choices", default=(), default_v1=tuple(_FOLDED), name="unfolded parts",
        choices=(_NUMBERS, *_FOLDED, *(one.name for one in beside.exhibits)), scope=_OWN.scope,
    )  # fmt: skip
    own = (item for one in beside.exhibits for item in one.fields)
    return (*EVERYWHERE, _SLACK, _LAW, _BITS, _SLACK_EXTENT, folded, *own)


def likely_slacks() -> Iterator[Callable[[], None]]:
    """Yield what visitors will look at: the first view, and each slack at it."""
    for stop in (_SLACK.default, *_SLACK.stops):
        at = _first(_SETTING, delta=stop)
        yield exhibit.prepared(drawing.bought_picture, at, "first")
        yield exhibit.prepared(drawing.traded_picture, at)
    for word in drawing.WORDS:
        for concept in contests():
            given = _first(_SETTING), concept.name, word, int(drawing.SIZES[0])
            yield exhibit.prepared(drawing.contest_picture, *given)


def _bought(at: Standpoint, place: DeltaGenerator) -> list[Picture]:
    with place:
        st.markdown(drawing.worth_claim(at))
        found, picture = exhibit.computed(drawing.bought_picture, at, _extent(_SLACK_EXTENT))
        exhibit.draw(picture, "main", _LOW, doors=doors(found))
        _choose(_SLACK_EXTENT, "slack")
    st.markdown(drawing.bought_claim(found))
    inside = exhibit.part("Numbers and theorems", _NUMBERS)
    if inside.open:
        inside.html(_bought_table(found))
    return [picture]


def _bought_table(found: Landscape) -> str:
    rows = [
        [course, number(course.delta), *(short(course.at(d)) for d in _TOLD_AT), _says(course)]
        for course in found.courses
    ]  # fmt: skip

    def cell(inside: Any, column: int) -> str:
        if column:
            return html.escape(inside)
        where = html.escape(_link(inside, found.standpoint))
        return f'<a href="{where}" target="_self">{html.escape(inside.line.label)}</a>'

    heads = ("line", "δ", *(f"d = {d:,}" for d in _TOLD_AT), "what it says")
    numeric = tuple(range(1, 2 + len(_TOLD_AT)))
    return tables.table(heads, rows, label="Least m", numeric=numeric, cell=cell, flows=True)


def _traded(at: Standpoint) -> list[Picture]:
    _, picture = exhibit.computed(drawing.traded_picture, at)
    st.markdown(drawing.exchange_claim(at))
    exhibit.draw(picture, "bits", _DELTA_HEIGHT)
    return [picture]


def _contested(at: Standpoint) -> list[Picture]:
    """Draw the contest of every class that declares one."""
    pictures = []
    for concept in contests():
        if concept.documents.contest:
            st.markdown(concept.documents.contest.says)
        left, right = st.columns([2.4, 1], vertical_alignment="bottom")
        with left:
            controls.segmented(_LAW, "Distribution")
        with right:
            controls.segmented(_BITS, "d: bits of a domain point")
        now = Values(state.current())
        word, bits = now[_LAW], int(now[_BITS])
        found, picture = exhibit.computed(drawing.contest_picture, at, concept.name, word, bits)
        exhibit.draw(picture, f"contest-{concept.name}", _DELTA_HEIGHT)
        rows, heads = drawing.contest_rows(found), drawing.contest_heads(found)
        st.html(
            tables.table(
                ("least m on", *heads), rows, label=f"Least m at d = {bits:,}, by distribution",
                numeric=tuple(range(1, 1 + len(heads))), cell=lambda inside, _: html.escape(inside),
            )
        )  # fmt: skip
        st.caption(f"Least m at d = {bits:,}; ≈: {drawing.SIMULATED}. The others are exact.")
        pictures.append(picture)
    return pictures


@dataclass(frozen=True, slots=True)
class _Part:
    """A folded picture: title, label, and what draws it at a setting and returns what is offered as files."""

    title: str
    label: str
    draw: Callable[[Standpoint], list[Picture]]


# By their anchors.
PICTURES: dict[str, _Part] = {
    "bits": _Part("δ counts as a domain size", "Show the picture", _traded),
    "contest": _Part(
        "Further: which distribution is hard?", "Show the picture and its table", _contested
    ),
}
_NUMBERS, _TAKE = "numbers", "take"
_FOLDED = (*PICTURES, _TAKE)


def delta(beside: Beside) -> None:
    """Draw the whole page about δ."""
    shell.page(HEADING, "delta", "🪙", fields(beside))
    st.html(_DELTA_STYLE)
    with shell.head(HEADING):
        share.button(HEADING, {}, purposes=("link", "qr"))
    st.markdown(HEADS["delta"].claim)
    _body()
    file, words = beside.further
    st.page_link(file, label=words, query_params=state.carried())
    for one in beside.exhibits:
        _exhibit(replace(one, title=f"Further: {one.title}"), beside.concept)
    shell.footer()


@st.fragment
def _exhibit(one: Exhibit, concept: str) -> None:
    with shell.guard():
        one.show(lambda: _scenario(concept))


def _scenario(concept: str) -> Scenario:
    """Return the setting of the page as one of a class."""
    shared = {name: COMMON[name] for name in ("m", "d", "trials", "seed")}
    return Scenario(concept, (), **state.named(_SETTING | shared))


@st.fragment
def _body() -> None:
    """Draw everything that depends on the controls."""
    # The figure first, then the controls: both are above the fold of a laptop.
    figure = st.container()
    with st.container(key="pv_given"):
        _sliders(_SETTING, st.columns(4, gap="medium"))
    at = _at(_SETTING)
    taken: list[Picture] = []
    with shell.guard():
        taken += _bought(at, figure)
    st.markdown(_WHAT)
    for anchor, part in PICTURES.items():
        st.header(part.title, anchor=anchor)
        inside = exhibit.part(part.label, anchor)
        if inside.open:
            with inside, shell.guard():
                taken += part.draw(at)
    st.header("Take it away", anchor="take-away")
    inside = exhibit.part("Files and commands", _TAKE)
    if inside.open:
        with inside:
            takeaway.tables(taken)
            st.caption("Command line: the learners of the first picture")
            st.code("\n".join(export.slack_commands(at)), language="bash", wrap_lines=True)
