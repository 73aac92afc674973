"""The page about labels: its sliders, the plane of two budgets, labels against d, and more parts.

A page chooses the class by the functions that compute its pictures, see `Budgets`.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Strip
from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields, Values
from pages.shared.frame import shell, words
from pages.shared.frame.sitemap import HEADS
from pages.shared.hall import prediction
from pages.shared.page import class_page, live, numbers, pinned, theory
from pages.shared.page.declaration import CARDS, HEIGHT, Section
from pages.shared.page.parts import Parts, named
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import again, alone, wait_briefly, wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import (
    COMMON,
    EVERYWHERE,
    LEADS,
    PIN,
    PRESENTING,
    TABS,
    explanation,
    label,
)
from pages.shared.take import standalone, takeaway
from privsc_core import export
from privsc_core.catalog import concept as find_concept
from privsc_core.concepts.contracts import Cell
from privsc_core.draw.budgets_figures import (
    PLANE_AXES,
    PLANE_QUANTITY,
    against_claim,
    cards,
    example_words,
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

    from privsc_core.draw.budgets_figures import Told
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane


HEADING, CLAIM = HEADS["labels"]
SETTING = {name: COMMON[name] for name in ("d", "epsilon", "alpha", "beta")}
_OWN = Fields("labels")
# Beside the plane of now the one of a setting that was pinned; see pinned.py.
_PINNED = SETTING | {"pin": _OWN.text("pin", "pinned setting", PIN)}
_STAGED = ("present", "lecture", "scene", "predict", "guess", "room")
_WAITS = 1000  # where the line of a guess stands first: near no answer of the first view
_SOON = 0.3  # seconds; a plane that takes longer is first shown with few draws
_ASKED_FOR = "pv_labels_asked"  # in the session: whether the head was drawn for a prediction
_WHOLE = "pv_labels_whole"  # in the session: class and setting of the last plane with all draws
_EXACT, _SIMULATED = 13, 9  # positions of the slider in a file
# Words of the claim, and the lines on the plane that they light up.
NAMED = (
    ("in unlabelled examples", ("people",)), ("the unlabelled examples grow", ("generic",)),
    ("the labels stay", ("wall",)),
)  # fmt: skip
_WHAT = (
    "Each of $m$ people gives a labelled example, each of $u$ other people an unlabelled one. It is public which "
    "people are labelled. Both kinds of examples are private: one person changes the probability of an output by a "
    "factor of at most $e^{\\varepsilon}$. From the unlabelled examples the learner makes a small class. By the "
    "labelled examples it chooses a concept of this class."
)
_FRESH = (
    "**LabelBoost may label only the points for which it chose the labelling.** By few labels it chooses a labelling "
    "of some points, and gives these points with their labels to another private learner: few labels become many. "
    "Several concepts give the same labelling, and one person can change which of these concepts is used. If "
    "LabelBoost labels other points by this concept, each such point reveals a little about the choice."
)
_ASKED = (
    "**If a few of many people, chosen at random and in secret, are asked for labels, weak privacy for these few is "
    "strong privacy for everybody.** This is privacy amplification by subsampling. The number of labels is that for "
    "the privacy loss ε inside. Only the number of people who might be asked grows. If the list of the people asked "
    "is published, these people are protected by ε inside only."
)


# --- What the page declares ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """What computes the pictures of a class; the optional ones may be missing.

    Attributes
    ----------
    label : str
        What the class is called.
    told : Told
        The words for it in the pictures.
    plane : callable
        (d, epsilon, alpha, beta) -> what was found, and the picture of the plane.
    against : callable
        (epsilon, alpha, beta) -> what was found, and the picture over d.
    asked : callable, optional
        (d, epsilon, alpha, beta, inner, hidden or published) -> the picture of asking few of many.
    fresh : callable, optional
        (epsilon, number of others) -> the picture of relabelling points that LabelBoost did not ask for.
    run : callable, optional
        (d, epsilon, alpha, seed, step) -> the picture of one run up to a step.
    steps : mapping of str to str
        The steps of such a run, with their labels; the last one shows all.
    """

    label: str
    told: Told
    plane: Callable[..., tuple[Plane, Picture]]
    against: Callable[..., tuple[Against, Picture]]
    asked: Callable[..., Picture] | None = None
    fresh: Callable[..., Picture] | None = None
    run: Callable[..., Picture] | None = None
    steps: Mapping[str, str] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether the plane is computed from laws, and follows the hand on a slider."""
        return not self.told.of.trials


@dataclass(frozen=True, slots=True)
class LabelsPage:
    """The page of some classes by their names in links; the first one is shown in the first view."""

    families: Mapping[str, Budgets]

    @property
    def of(self) -> state.Field:
        """The field that chooses the class."""
        names = tuple(self.families)
        return _OWN.choice("plane", "class", names[0], names)

    @property
    def chosen(self) -> Budgets:
        """The class that is shown."""
        return self.families[str(state.current()[self.of.key])]

    @property
    def step(self) -> exhibit.Own[str]:
        """The field of how much of a run is shown; all of it in the first view."""
        steps = tuple(step for one in self.families.values() for step in one.steps)
        return _OWN.choice("upto", "step of a run", steps[-1], steps)

    @property
    def own_fields(self) -> tuple[state.Field, ...]:
        """The parameters of the parts, and which of them are shown or unfolded."""
        concepts = (find_concept(one.told.of.concept) for one in self.families.values())
        names = (name for concept in concepts for name in theory.parts(concept))
        shown = state.Field(
            key="open", kind="choices", default=(), default_v1=_SHOWN, name="parts", scope="labels",
            leads=LEADS,
            choices=tuple(dict.fromkeys(("plane", *_PARTS, *_SHOWN, *takeaway.PARTS, *names))),
        )  # fmt: skip
        return shown, self.step, _AGAIN, _INNER, _TRANSCRIPT, _OTHERS

    @property
    def fields(self) -> tuple[state.Field, ...]:
        """All that a link to the page can say."""
        shown, *own = self.own_fields
        tab = _OWN.choice("tab", "tab of the theory", TABS[0], TABS)
        staged = (PRESENTING[name] for name in _STAGED)
        return (*EVERYWHERE, *staged, shown, tab, self.of, *own, _PINNED["pin"])

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts, each with the link of the first class that has it."""
        first, *_ = self.families
        found = []
        for name, one in _PARTS.items():
            where = next(key for key, family in self.families.items() if getattr(family, name))
            link = {} if where == first else {self.of.key: where}
            found.append(one.section._replace(link=link))
        return tuple(found)


# --- The parts below the plane -------------------------------------------------------------------


_AGAIN = _OWN.integer("rerun", "number of the run", 1, (1, 10**6))
_INNER = _OWN.number(
    "inner", "inner privacy loss", 1.0, (0.01, 4.0),
    (0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0),
)  # fmt: skip
_SEEN = {"hidden": "Nobody", "published": "Everybody"}
_TRANSCRIPT = _OWN.choice("seen", "who sees which people were asked", "hidden", tuple(_SEEN))
_OTHERS = _OWN.integer("others", "others who get labels", 12, (1, 40), tuple(range(1, 41)))


def _run_controls(page: LabelsPage) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.segmented(page.step, "Up to", names=page.chosen.steps)
        exhibit.redraw(_AGAIN, "Run again", "pv_rerun")


def _asked_controls(_: LabelsPage) -> None:
    left, right = st.columns([1.4, 1], gap="medium", vertical_alignment="bottom")
    with left:
        controls.slider(
            _INNER, "**ε inside** ← more labels | fewer labels →", show=number,
            help="ε inside: privacy loss of the learner for the people asked for labels.",
        )  # fmt: skip
    with right:
        controls.segmented(_TRANSCRIPT, "Who sees which people were asked?", names=_SEEN)


def _fresh_controls(_: LabelsPage) -> None:
    controls.slider(
        _OTHERS, "**Others who get labels**", show=number,
        help="The number of other people. Their points stay the same; LabelBoost only gives them labels.",
    )  # fmt: skip


class _Part(NamedTuple):
    """An exhibit below the plane: in which part of the page it stands, and how high it is.

    `given` has what its picture is computed from: (page, setting, values of fields) -> arguments.
    """

    section: Section
    part: str
    height: int
    given: Callable[[LabelsPage, Cell, Values], tuple[Any, ...]]
    controls: Callable[[LabelsPage], None] = lambda _: None


# By their names in a link, and in `Budgets`, in the order in which an audience sees them.
_PARTS = {
    "run": _Part(
        Section("run", "Follow a run", "One run of GenericLearner on one sample, step by step."), "run", 520,
        lambda page, at, now: (at.d, at.epsilon, at.alpha, now[_AGAIN], now[page.step]),
        _run_controls,
    ),
    "against": _Part(
        Section("against-d", "Labels against d", "The labels stay, the number of people grows."), "see", 400,
        lambda *given: _values(given[1])[1:],
    ),
    "asked": _Part(
        Section("asked", "Who was asked for a label?", _ASKED), "why", 400,
        lambda _, at, now: (*_values(at), now[_INNER], now[_TRANSCRIPT]), _asked_controls,
    ),
    "fresh": _Part(
        Section("fresh", "Relabel fresh points", _FRESH), "why", 400,
        lambda _, at, now: (at.epsilon, now[_OTHERS]), _fresh_controls,
    ),
}  # fmt: skip
_SHOWN = ("run", "see", "why", "numbers", "theory", "take-away")  # by version 1, all of them
_SAYS = {
    "see": "how to read the figure, and labels against d",
    "why": "asking few of many, and labels for further points",
    "run": "what GenericLearner makes of one sample, step by step",
    "numbers": "of the learners and the bounds of this page",
}


def _exhibits(page: LabelsPage) -> tuple[Exhibit, ...]:
    """Return what the class that is shown has below the plane."""
    return tuple(
        Exhibit(
            name=name, title=one.section.title, anchor=one.section.anchor, part=one.part,
            claim="" if name == "against" else one.section.claim,  # which is said with its numbers
            draw=lambda at, _, name=name: _draw_part(page, name, at),  # type: ignore[misc] # its name now
        )
        for name, one in _PARTS.items() if getattr(page.chosen, name)
    )  # fmt: skip


def _draw_part(page: LabelsPage, name: str, at: Cell) -> None:
    _PARTS[name].controls(page)
    shown, found = _figure(page, name, at)
    if found and shell.mode() == "full":
        st.markdown(against_claim(found, page.chosen.told))
    exhibit.draw(shown.picture, name, _PARTS[name].height)


def _figure(page: LabelsPage, name: str, at: Cell) -> tuple[export.Drawn, Against | None]:
    """Return the picture of an exhibit, and what was found for the one against d."""
    function: Callable[..., Any] = getattr(page.chosen, name)
    given = _PARTS[name].given(page, at, Values(state.current()))
    picture, found, counts = exhibit.computed(function, *given), None, name == "against"
    if counts:
        found, picture = picture
    return export.Drawn(picture, function, given, found=counts), found


# --- The page ------------------------------------------------------------------------------------


def show(page: LabelsPage) -> None:
    """Draw the whole page, or to an audience or inside another page some of its parts."""

    def head() -> None:
        class_page.tools(
            HEADING, _PINNED, page.own_fields, ": the plane, with the controls of d and ε."
        )

    with class_page.framed(HEADING, "labels", "🏷️", page.fields, head) as (mode, lift):
        st.session_state[_ASKED_FOR] = prediction.asks()
        _body(page, ("plane",) if mode == "full" else named(("plane", *_PARTS)) or ("plane",))
        lift()


def _setting() -> Cell:
    return Cell(**state.named(SETTING))


def _values(at: Cell) -> tuple[Any, ...]:
    return at.d, at.epsilon, at.alpha, at.beta


@st.fragment
def _body(page: LabelsPage, shown: Sequence[str]) -> None:
    """Draw everything that depends on the controls."""
    whole = shell.mode() == "full"
    if whole and st.session_state[_ASKED_FOR] != prediction.asks():
        st.rerun()
    if whole:
        _claim(page)
    above, figure = st.container(key="pv_above"), st.container()
    if whole:
        figure, beside = shell.stage()
        with beside:
            _controls(tuple(item.key for item in _PINNED.values()))
    rest = st.container()
    if not whole:  # as on the pages of the classes, the controls stand below
        with st.container(key="pv_kept"):
            _controls(state.words("controls"))
    plane = _plane(page.chosen, _setting(), above, figure) if "plane" in shown else None
    with rest:
        waits = "plane" in shown and prediction.asks()  # what is below tells the answer
        if whole:
            st.markdown(_WHAT)
            _below(page, None if waits else plane)
        elif not waits:
            for one in _exhibits(page):
                if one.name in shown:
                    with shell.guard():
                        one.draw(_setting(), Values(state.current()))


def _below(page: LabelsPage, plane: Shown | None) -> None:
    """Draw the parts below a plane; without one only what is the same at any setting."""
    told = page.chosen.told
    concept = find_concept(told.of.concept)
    fills: dict[str, Callable[[], None]] = {
        "theory": lambda: theory.inside(concept, {*told.learners, *told.of.bounds})
    }
    if plane:
        fills |= {
            "see": lambda: words.explain(plane_reading(plane.found, told)),
            "numbers": lambda: _numbered(plane.found, told),
            "take-away": lambda: _taken(page, plane),
        }
    below = Parts(
        exhibits=_exhibits(page) if plane else (), setting=_setting, says=_SAYS, fills=fills,
        inner={"theory": theory.parts(concept), "take-away": takeaway.PARTS},
    )  # fmt: skip
    below.place()
    for part in below.there():
        below.draw(part)


def _claim(page: LabelsPage) -> None:
    claim, choice = st.columns([1.8, 1], gap="medium", vertical_alignment="center")
    law = page.chosen.told.of.law
    claim.container(key="pv_claim").markdown(
        f"{words.lit(CLAIM, NAMED)}  \n**The numbers of learners hold on the distribution *{law}* only;** on other "
        "distributions a learner may need more."
    )
    with choice:
        names = {name: one.label for name, one in page.families.items()}
        controls.segmented(page.of, "Concept class", names=names)


def _numbered(found: Plane, told: Told) -> None:
    """Draw the numbers of the learners and bounds that the page speaks of."""
    at = export.labels_scenario(found, told)
    shown = chart.numbers(at).only(told.learners, told.of.bounds)
    more = example_words(found, told, at.u)
    numbers.inside(shown, at.concept_class, at.law, f" {more}")


def _controls(keys: Sequence[str]) -> None:
    """Draw the controls of some keys: below each other on the page, in a row for an audience."""
    kept = {name: item for name, item in _PINNED.items() if item.key in keys}
    below = len(kept) == len(_PINNED)
    places = [st.container()] * len(kept) if below else st.columns(max(1, len(kept)), gap="medium")
    for place, (name, item) in zip(places, kept.items(), strict=False):
        with place:
            if name in SETTING:
                controls.slider(item, label(name), help=explanation(name), show=number)
            else:
                pinned.button(_PINNED)


# --- The plane ---------------------------------------------------------------------------------


class Shown(NamedTuple):
    """A plane as it is shown: its class, the numbers, its picture, and the plane of the pinned setting."""

    family: Budgets
    found: Plane
    picture: Picture
    pinned: tuple[Plane, ...] = ()

    def dressed(self, guess: int = 0) -> Picture:
        """Return the picture with the guess, and with the plane of the pinned setting."""
        return _dressed(self.picture, self.found, guess, *self.pinned)

    @property
    def drawn(self) -> export.Drawn:
        """The plane with what draws it, and the pinned one beside it."""
        before = [_values(one.at) for one in self.pinned]
        return export.Drawn(
            self.dressed(), self.family.plane, _values(self.found.at), found=True,
            pinned=next(iter(before), ()), beside=plane_beside if before else None,
        )  # fmt: skip

    def told(self) -> class_page.Told:
        """Return the verdict, the cards and the comparison, which follow a slider."""
        changed = ""
        for before in self.pinned:
            values = compared(plane_numbers(before), plane_numbers(self.found))
            parameters = moved(before.at, self.found.at)
            changed = pinned.said(parameters, values, parameter, shell.mode())
        of = self.family.told
        truth = plane_answer(self.found, of) if prediction.guess() else None
        said = (
            shell.card(one.label, one.value, one.note, about=one.about)
            for one in cards(self.found, of)
        )
        first = CARDS if shell.mode() == "full" else None
        return class_page.Told(tuple(said)[:first], changed, truth)


# Cached as in `exhibit.sent`: frames and figure are then the same picture.
@functools.lru_cache(maxsize=64)
def _dressed(picture: Picture, found: Plane, guess: int, *before: Plane) -> Picture:
    with_both = plane_beside(picture, found, *before) if before else picture
    return plane_marked(with_both, guess) if guess else with_both


def _plane(
    family: Budgets, at: Cell, above: DeltaGenerator, figure: DeltaGenerator
) -> Shown | None:
    """Draw the plane of two budgets with its numbers; return it unless it is refused."""
    shown: list[Shown] = []
    plane, given, asks = family.plane, _values(at), prediction.asks()
    kind = exhibit.kind_of(plane, *given)

    def sheet() -> live.Sheet | None:
        if prediction.asks() or not family.exact:
            return None
        before = shown[0].pinned if shown else ()
        name = f"{family.label}/{state.current()['pin']}/{prediction.guess()}"
        packed = functools.partial(_packed, prediction.guess(), before)
        return live.Sheet(name, _setting(), tuple(SETTING), (plane_strip, family.plane), packed)

    def said(found: Plane, _: object) -> dict[str, str]:
        return shown[0]._replace(found=found).told().html() if shown else {}

    seen = family.label, at
    with (
        figure,
        shell.guard(),
        scheduler.start(plane, *given, kind=kind) as job,
    ):
        late = not asks and st.session_state.get(_WHOLE) != seen and not wait_briefly(job, _SOON)
        rough = late and not family.exact
        if rough:  # of few draws; another process makes all of them meanwhile
            # Where even these take too long, the run waits for all.
            with contextlib.suppress(InputError):
                few = wait_for(
                    plane, *given, rough=True, kind=("rough", *kind), where="_rough", run_in="frames"
                )  # fmt: skip
                _draw(Shown(family, *few), above, None)
        found, picture = wait_for(plane, *given, kind=kind, gives_way=alone())
        if asks:
            _question(picture, found, family.told, above)
            shown.append(Shown(family, found, picture))
        else:
            st.session_state[_WHOLE] = seen
            if rough:
                again()
            shown.append(Shown(family, found, picture, _kept(family)))
            now = sheet()
            _draw(shown[0], above, live.setting(now, SETTING) if now else None)
            # Before an audience above the figure, as on the pages of the classes.
            with above if shell.mode() == "present" else contextlib.nullcontext():
                shown[0].told().draw_changed()
    live.answer(sheet, SETTING, said)
    return shown[0] if shown else None


def _question(picture: Picture, found: Plane, told: Told, above: DeltaGenerator) -> None:
    """Draw the empty plane and what is to be predicted."""
    asked = prediction.question(plane_question(told))
    frame = plane_frame(picture, found, told)
    with above:
        prediction.commit(asked, _WAITS, plane_answer(found, told), frame.caption)
    hidden = prediction.hidden(frame, PLANE_AXES, PLANE_QUANTITY, asked, start=_WAITS)
    exhibit.draw(hidden, "main", HEIGHT, on_guess=prediction.dragged)


def _kept(family: Budgets) -> tuple[Plane, ...]:
    """Return the plane of the pinned setting; none if nothing is pinned, or it does not exist."""
    if not state.current()["pin"]:
        return ()
    try:
        at = Cell(**pinned.values(_PINNED))
        asked = (family.plane, *_values(at))
        found, _ = wait_for(*asked, kind=exhibit.kind_of(*asked), where="_pinned")
    except (InputError, TypeError):  # without a setting there is nothing to make a cell of
        shell.message(pinned.NONE)
        return ()
    return (found,)


def _draw(shown: Shown, above: DeltaGenerator, setting: dict[str, Any] | None) -> None:
    exhibit.draw(shown.dressed(prediction.guess()), "main", HEIGHT, setting=setting)
    with above:
        shown.told().draw()


@functools.lru_cache(maxsize=8)
def _packed(
    guess: int, beside: tuple[Plane, ...], planes: tuple[tuple[Plane, Picture] | None, ...]
) -> Strip:
    """Return the strip of some planes as they are shown: the encoded figures, and the numbers."""
    frames = (
        exhibit.sent(_dressed(one[1], one[0], guess, *beside), HEIGHT) if one else b""
        for one in planes
    )
    return Strip.of(frames, [one and one[0] for one in planes])


# --- What is taken away: the files, the plane with a slider, the commands ------------------------


def _taken(page: LabelsPage, plane: Shown) -> None:
    """Draw what can be taken away of the plane, and of all exhibits that its setting allows."""
    told, at = page.chosen.told, plane.found.at
    drawn = [plane.drawn]
    for one in _exhibits(page):
        with contextlib.suppress(InputError):  # it says so where it stands
            drawn.append(_figure(page, one.name, at)[0])
    link = takeaway.here({})
    take(plane, export.labels_figures(HEADING, drawn, plane.found, told, claim=CLAIM, link=link))


def take(plane: Shown, figures: export.Figures) -> None:
    """Draw the files and commands; the sliders of the page are those that a file can have."""
    filename, *_ = (one.picture.filename for one in figures.drawn)
    takeaway.folds(
        lambda: _files(plane, figures),
        lambda: takeaway.film(
            SETTING, parameter, functools.partial(_positions, plane.found),
            functools.partial(film, plane, figures), filename,
        ),
        lambda: _recipe(figures),
    )  # fmt: skip


def _files(plane: Shown, figures: export.Figures) -> None:
    first, *others = (one.picture for one in figures.drawn)
    takeaway.rows(export.bundle(figures), first.filename)
    at = export.labels_scenario(plane.found, plane.family.told)
    takeaway.certificate(export.Shown(at), first.filename)
    st.caption("Data of the other figures")
    takeaway.tables(others)


def _positions(found: Plane, name: str, stops: Sequence[float]) -> list[float]:
    return standalone.thinned(
        getattr(found.at, name), stops, _SIMULATED if found.trials else _EXACT
    )


def film(
    plane: Shown, figures: export.Figures, name: str, stops: tuple[standalone.Stop, ...]
) -> standalone.Film:
    """Return the plane over one of its parameters, beside the pinned one if there is one."""
    at, family, picture = plane.found.at, plane.family, figures.drawn[0].picture

    def start(stop: standalone.Stop) -> Any:
        asked = (family.plane, *_values(replace(at, **{name: stop.value})))  # type: ignore[arg-type]
        return scheduler.start(*asked, kind=exhibit.kind_of(*asked))

    credit = export.credit_of(picture.sources)
    settings = [(key, str(value)) for key, value in figures.setting.items()]
    settings += [("pinned beside it", standalone.beside(one.at, at)) for one in plane.pinned]
    return standalone.Film(
        title=f"{family.label}: {picture.title.lower()}", claim=figures.claim,
        parameter=parameter(name), now=getattr(at, name), stops=stops, start=start,
        picture=lambda drawn: Shown(family, drawn[0], drawn[1], plane.pinned).dressed(),
        credit=lambda _: credit, thanks=credit, settings=settings,
        papers=export.papers_of(picture.sources),
        bibtex=export.bibtex_of(picture.sources, figures.link),
    )  # fmt: skip


def _recipe(figures: export.Figures) -> None:
    st.caption("Command line: labels with so many unlabelled examples, and without them")
    st.code(figures.commands, language="bash", wrap_lines=True)
    st.caption("Python")
    st.code(figures.snippet, language="python")
    takeaway.ending()
