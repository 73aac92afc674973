"""The page of a concept class: everything but the words, for every class."""

from __future__ import annotations

import contextlib
import html
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Look
from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, tour, words
from pages.shared.hall import prediction, presenter
from pages.shared.page import live, numbers, pinned, theory
from pages.shared.page.class_controls import Controls
from pages.shared.page.declaration import HEIGHT, scenario_of
from pages.shared.scheduling import gate, waiting
from pages.shared.scheduling.scheduler import Priority
from pages.shared.scheduling.waiting import again, wait_quietly
from pages.shared.state import state
from pages.shared.take import share, takeaway
from privsc_core import draw
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.contracts import CHUNK
from privsc_core.draw.reading import reading
from privsc_core.draw.style import integer, number
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from pages.shared.frame.tour import Step
    from pages.shared.page.declaration import ClassPage
    from pages.shared.page.live import Stop
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.prediction import Answer
    from privsc_core.evaluate.scenario import Scenario


# --- A figure whose simulated curves come later: part by part, each one a chance to stop ---------
#
# The page is complete without them. The next part is computed while the browser draws what it was
# sent; then the figure is drawn again. What goes quickly is not cut into many parts: each of them
# draws everything that depends on the controls.


# In the session: (scenario, samples that are done, whether it was stopped); and how many parts at
# a time go quickly, by the kind of the scenario.
_SIMULATED, _PACE = "pv_simulated", "pv_simulated_at_a_time"
_GROWN = "pv_grown"  # in the session: whether the run that comes is one that nobody has asked for
_KEPT = 0.002  # seconds: what took less had been computed before
_QUICK, _SLOW = 0.15, 0.6  # seconds: what takes less is too little at a time, and too much
_FASTER = 4


def simulates(scenario: Scenario, view: str) -> bool:
    """Return whether a picture has curves that are simulated."""
    if draw.VIEWS[view].quantity != "success":
        return False
    return any(e.laws[scenario.law.name] != "exact" for e in scenario.drawn)


def done(scenario: Scenario, view: str) -> int:
    """Return how many simulated samples of a picture have been done in this session.

    Pictures without simulation are the same at any number: 0.
    """
    return _state(scenario)[1] if simulates(scenario, view) else 0


def offer(
    scenario: Scenario, view: str, begin: Callable[[int], Task] | None
) -> Callable[[], None] | None:
    """Draw the progress of a simulation with a stop button; return the function that continues it.

    Parameters
    ----------
    scenario : Scenario
    view : str
    begin : callable, optional
        Number of samples -> the job of the figure with so many; None where there is no such job.

    Returns
    -------
    callable or None
        To be called when the page is complete: it computes one more part and draws again.
        None when nothing is to be simulated.
    """
    if not simulates(scenario, view):
        return None
    _, so_far, stopped = _state(scenario)
    if so_far >= scenario.trials:
        return None

    def halt() -> None:
        st.session_state[_SIMULATED] = (scenario, so_far, not stopped)

    left, right = st.columns([4, 1], vertical_alignment="center")
    place = left.empty()
    words = f"{so_far:,} of {scenario.trials:,} simulated samples" + " (stopped)" * stopped
    tell = partial(waiting.Bar(place).draw, said=words)
    tell(so_far / scenario.trials)
    right.button("Continue" if stopped else "Stop", key="pv_stop", on_click=halt)
    return None if stopped else partial(_go_on, scenario, so_far, begin, tell)


def _go_on(
    scenario: Scenario,
    so_far: int,
    begin: Callable[[int], Task] | None,
    tell: Callable[[float], Any],
) -> None:
    paces: dict[Hashable, int] = st.session_state.setdefault(_PACE, {})
    gate.later()
    kind = chart.kind_of(scenario)
    parts = paces.get(kind, 1)
    more = min(so_far + parts * CHUNK, scenario.trials)
    if begin is not None:
        began = time.monotonic()
        try:
            begun = begin(more)
        except InputError:  # too many wait: whoever wants more of it can ask again
            st.session_state[_SIMULATED] = (scenario, so_far, True)
            again()
            return
        with begun as job:
            ended = wait_quietly(
                job,
                lambda: tell(
                    (so_far + (job.progress()[0] or 0.0) * (more - so_far)) / scenario.trials
                ),
            )
        if not ended:
            again()  # together with what the visitor has changed, here or elsewhere
        took = time.monotonic() - max(began, job.began)  # not what others took
        if _KEPT < took < _QUICK:
            paces[kind] = parts * _FASTER
        elif took > _SLOW:
            paces[kind] = max(1, parts // _FASTER)
    st.session_state[_SIMULATED] = (scenario, more, False)
    st.session_state[_GROWN] = True
    again()


def grown() -> bool:
    """Tell, once, whether this run is there to draw what has been simulated meanwhile."""
    return bool(st.session_state.pop(_GROWN, False))


def _state(scenario: Scenario) -> tuple[Scenario, int, bool]:
    nothing = (scenario, 0, False)
    known: tuple[Scenario, int, bool] = st.session_state.get(_SIMULATED, nothing)
    return known if known[0] == scenario else nothing


_PENDING = "simulated when the slider rests"
_SECTIONS, _WHOLE = "pv_sections", "pv_whole"  # what the last run of the whole page drew


def show(page: ClassPage) -> None:
    """Draw the whole page."""
    with gate.turn():
        _show(page)


@contextlib.contextmanager
def framed(
    heading: str, slug: str, icon: str, fields: Sequence[state.Field], head: Callable[[], None]
) -> Iterator[tuple[shell.Mode, Callable[[], None]]]:
    """Begin and end a page that can be presented; see `shell.page`.

    Parameters
    ----------
    heading, slug, icon : str
    fields : sequence of Field
    head : callable
        Draws what stands on top of the page in full.

    Yields
    ------
    (Mode, callable)
        How the page is shown, and what is to be called when it is drawn: see `presenter.veil`.
    """
    shell.page(heading, slug, icon, fields)
    mode = shell.mode()
    presenter.turn(slug, presenting=mode == "present")
    lift = presenter.veil(presenting=mode == "present")  # before the new title
    if mode == "present":
        presenter.head(heading)
    elif mode == "full":
        head()
    yield mode, lift
    if mode == "present":
        presenter.bar(lambda: share.code(heading))
    shell.footer("#theory" if mode == "full" else "", mode)


def tools(
    heading: str,
    fields: Mapping[str, state.Field],
    own: Collection[state.Field],
    presented: str,
    steps: tuple[Step, ...] = (),
) -> None:
    """Draw the title of a page with its buttons: share, predict first, present, take the tour."""
    with shell.head(heading):
        share.button(heading, fields, own)
        if not prediction.asks():
            prediction.button()
        st.button(
            "Present", key="pv_present", on_click=presenter.start,
            help=f"Large type for a lecture hall{presented}",
        )  # fmt: skip
        if steps and not prediction.asks():
            tour.offer(steps)


class Told(NamedTuple):
    """What stands above a figure and follows its sliders.

    Attributes
    ----------
    cards : tuple of Card
    changed : str
        HTML of what has changed since a setting was pinned; empty where none is.
    truth : Answer, optional
        What was to be predicted, where somebody has.
    """

    cards: tuple[shell.Card, ...]
    changed: str
    truth: Answer | None

    def draw(self) -> None:
        """Draw the verdict and the cards."""
        if self.truth:
            prediction.said(self.truth)
        if shell.mode() != "embed":
            shell.cards(*self.cards)

    def draw_changed(self) -> None:
        """Draw what has changed."""
        if self.changed:
            st.html(f'<div class="pv-pinned">{self.changed}</div>')

    def html(self) -> dict[str, str]:
        """Return the HTML of it by CSS selectors."""
        parts = {}
        if shell.mode() != "embed":
            parts[".pv-cards"] = shell.inside(*self.cards)
        if self.changed:
            parts[".pv-pinned"] = self.changed
        if self.truth:
            verdict = html.escape(prediction.verdict_on(self.truth))
            parts[".st-key-pv_verdict .pv-message"] = verdict
        return parts


def _show(page: ClassPage) -> None:
    concept = find_concept(page.concept)
    fields = page.settings
    head = partial(_head, page, concept, fields)
    with framed(page.heading, page.slug, page.icon, page.fields, head) as (mode, lift):
        sections = mode == "full" and _has_sections(page, fields)
        st.session_state[_SECTIONS] = sections
        st.session_state[_WHOLE] = True
        go_on = _body(page, fields, mode, lift)
        gate.later()
        with shell.guard():
            _strips(page, fields)
        if sections:
            _sections(page, fields)
        if mode == "full":
            with shell.guard():
                theory.show(concept)
    if go_on is not None:
        go_on()


def _head(page: ClassPage, concept: ConceptClass, fields: Mapping[str, state.Field]) -> None:
    presented = ", with the controls of d and ε; other controls and a theme are chosen under Share."
    tools(page.heading, fields, page.own_fields, presented, page.tour)
    claim, picture = st.columns([3.4, 1], gap="medium", vertical_alignment="center")
    words_of = claim.container(key="pv_claim")
    said = words.lit(page.claim, page.named)
    words_of.markdown(f"{said}  \n:small[{concept.definition}]")
    picture.container(key="pv_sketch").image(
        page.sketch, width=230, alt=f"Sketch of one of the {concept.title}"
    )


@st.fragment
@gate.turn(gate.CONTROL)  # that of the whole page, where it is drawn
def _body(
    page: ClassPage,
    fields: Mapping[str, state.Field],
    mode: shell.Mode,
    lift: Callable[[], None],
) -> Callable[[], None] | None:
    """Draw everything that depends on the controls; a control redraws only this.

    `lift` is called when it is drawn: see `presenter.veil`. What is returned in a run of the whole
    page, simulates more, once it is complete.

    While the sections below are folded nothing in them depends on anything, and a control does
    not send them again. When one is open, or they come back, the whole page is drawn.
    """
    if grown():  # nobody has moved anything
        gate.later()
    whole = st.session_state.pop(_WHOLE, False)
    missing = not st.session_state[_SECTIONS] and _has_sections(page, fields)
    if mode == "full" and not whole and (missing or _unfolded(page)):
        st.rerun()
    cards = st.container(key="pv_above")
    if mode == "full":
        figure, beside = shell.stage()
    else:
        figure, beside = st.container(), st.container(key="pv_kept")
    control: Callable[..., None] = partial(_control, page, fields, beside, mode)
    try:
        scenario = scenario_of(page, _now(fields))
    except InputError as refused:
        control(refused=refused)
        # Here too: the control may be in a folded part, and this is where people look.
        with cards:
            shell.message(find_concept(page.concept).refusal(refused))
        with figure:
            shell.stead("The figure waits for a setting that exists.")
        lift()
        return None
    control = partial(control, scenario)
    if mode == "present" and _exhibits(page, fields, figure):
        control()
        lift()
        return None
    # The figure first: it is what the eye waits for. Where it takes long, the controls meanwhile.
    known = _known(page, fields, scenario)
    with _begun(page, fields, scenario, known) as there:
        if not there:
            control()
        with figure, shell.guard():
            _figure(page, fields, scenario, known)
    gate.later()  # when many are at work at once, all figures come before anybody's numbers
    if there:
        control()
    with shell.guard():
        _numbers(page, fields, scenario, known, mode=mode, cards=cards, whole=whole)
    lift()
    go_on = _simulation(page, fields, scenario)
    if go_on is None or whole:
        return go_on
    go_on()
    return None


def _control(
    page: ClassPage,
    fields: Mapping[str, state.Field],
    beside: Any,
    mode: shell.Mode,
    scenario: Scenario | None = None,
    *,
    refused: InputError | None = None,
) -> None:
    """Draw the controls, and why there is no such setting, or what some of them cannot change."""
    concept = find_concept(page.concept)
    kept = Controls(
        concept, fields, page.family, refused if mode == "full" else None,
        idle=scenario.idle((*page.told, str(state.current()["map"]))) if scenario else {},
        sizeless=scenario is not None and scenario.sizeless,
    )  # fmt: skip
    with beside:
        if mode == "full":
            kept.beside()
        else:
            kept.below(state.words("controls"))


def _numbers(
    page: ClassPage,
    fields: Mapping[str, state.Field],
    scenario: Scenario,
    known: Stop | None,
    *,
    mode: shell.Mode,
    cards: Any,
    whole: bool,
) -> None:
    """Draw the numbers: those above the figure, what has changed, and all."""
    with cards:
        names = _followed(page, _asked(page, fields, scenario)).told
        found = known.numbers if known else chart.numbers(scenario, names)
        if prediction.asks():
            learner = find_learner(page.concept, str(state.current()["map"]))
            prediction.commit(_question(learner.title, scenario))
            return
        told = _told(page, fields, found, scenario)
        told.draw()
    if mode == "embed":
        return
    with cards if mode == "present" else contextlib.nullcontext():
        told.draw_changed()
        if state.current()[fields["pin"].key] and not told.changed:
            shell.message(pinned.NONE)
    if mode == "full":
        everything, calm = partial(chart.numbers, scenario), live.calm()
        # A hand that goes on to another slider waits for nothing that it does not look at.
        numbers.section(everything, scenario, now=calm and whole, soon=calm)


def _simulation(
    page: ClassPage, fields: Mapping[str, state.Field], scenario: Scenario
) -> Callable[[], None] | None:
    asked = _asked(page, fields, scenario)
    look = _followed(page, asked).look
    begin = (
        None
        if prediction.asks()
        else partial(chart.begin, scenario, look, priority=Priority.PREPARED)
    )
    return offer(scenario, look.view, begin)


def _told(
    page: ClassPage, fields: Mapping[str, state.Field], found: Numbers, scenario: Scenario
) -> Told:
    """Return what stands above the figure."""
    mode, beside, changed = shell.mode(), _pinned(page, fields), ""
    if beside is not None:
        before = chart.numbers(beside, page.told)
        changed = pinned.inside(beside, before, scenario, found, mode)
    truth = found.learner(str(state.current()["map"])) if prediction.guess() else None
    return Told(_cards(page, found, scenario, mode), changed, truth)


def _question(title: str, scenario: Scenario) -> str:
    unit = scenario.concept_class.unit
    return prediction.question(f"How many {unit} does “{title}” need at this setting?")


def _cards(
    page: ClassPage, found: Numbers, scenario: Scenario, mode: shell.Mode
) -> tuple[shell.Card, ...]:
    """Return the cards of a page; to an audience those of what the figure shows.

    The first scene of a lecture would otherwise give away the answers of all others.
    """
    pending = {row.name: row.m for row in found.learners if row.pending}
    untold = {row.name: row.at_least for row in found.learners if row.at_least is not None}
    cards = tuple(
        _at_rest(_at_least(card, untold, scenario), pending) for card in page.cards(found, scenario)
    )
    if mode != "present":
        return cards
    shown = {entry.name for entry in scenario.drawn}
    shown |= {entry.name for entry in scenario.bounds if scenario.applies(entry)}
    return tuple(card for card in cards if not card.about or card.about in shown)


def _at_least(card: shell.Card, untold: Mapping[str, int], scenario: Scenario) -> shell.Card:
    """Return the card of a number with what is known of it where simulation cannot tell it."""
    least = untold.get(card.about)
    if least is None or card.value != integer(None):
        return card
    note = f"simulated: {scenario.trials:,} trials tell no more at β = {number(scenario.beta)}"
    return replace(card, value=f"at least {integer(least)}", note=note)


def _at_rest(card: shell.Card, pending: Mapping[str, int | None]) -> shell.Card:
    """Return a card of a slider that moves: simulated numbers are about right, or come at rest."""
    about = pending.keys() & card.about.split()
    if not about:
        return card
    if any(pending[name] is None for name in about):
        return replace(card, value="…", note=_PENDING)
    return replace(card, value=f"≈ {card.value}")


def _unfolded(page: ClassPage) -> bool:
    """Return whether a section is open."""
    names = {*takeaway.PARTS, *(section.name for section in page.sections)}
    asked = any(section.asked for section in page.sections)
    return asked or not names.isdisjoint(state.words("open"))


def _has_sections(page: ClassPage, fields: Mapping[str, state.Field]) -> bool:
    """Return whether there is something to show below: no prediction is waited for, no refusal."""
    try:
        scenario_of(page, _now(fields))
    except InputError:
        return False
    return not prediction.asks()


def _sections(page: ClassPage, fields: Mapping[str, state.Field]) -> None:
    """Draw what can be unfolded below the numbers."""
    for section in page.sections:
        _exhibit(page, fields, section)
    scenario = scenario_of(page, _now(fields))
    with shell.guard():
        takeaway.show(
            scenario, lambda: _picture(page, fields, scenario, "files"), fields, page.claim,
            _pinned(page, fields),
        )  # fmt: skip


@st.fragment
def _exhibit(page: ClassPage, fields: Mapping[str, state.Field], section: exhibit.Exhibit) -> None:
    with shell.guard(), gate.turn():
        # The setting as it is now: a fragment may be drawn long after the page was.
        section.show(lambda: scenario_of(page, _now(fields)))


def _exhibits(page: ClassPage, fields: Mapping[str, state.Field], figure: Any) -> bool:
    """Draw the exhibits that a link unfolds in place of the main figure; tell if there are any."""
    wanted = [section for section in page.sections if section.name in state.words("open")]
    with figure:
        for section in wanted:
            _exhibit(page, fields, section)
    return bool(wanted)


def _now(fields: Mapping[str, state.Field]) -> dict[str, Any]:
    now = state.current()
    return {name: now[item.key] for name, item in fields.items()}


def _pinned(page: ClassPage, fields: Mapping[str, state.Field]) -> Scenario | None:
    """Return the setting that is drawn beside the one of now, if there is one."""
    kept = pinned.values(fields)
    if not kept or prediction.asks():
        return None
    try:
        return scenario_of(page, _now(fields) | kept)
    except InputError:
        return None


def _asked(
    page: ClassPage, fields: Mapping[str, state.Field], scenario: Scenario
) -> tuple[Scenario, str, str, int, Scenario | None]:
    """Return what the main figure is computed from."""
    now = state.current()
    view, on_map = str(now[fields["view"].key]), str(now[fields["on_map"].key])
    trials = done(scenario, view)
    if draw.VIEWS[view].quantity != "map":
        on_map = page.on_map
    return scenario, view, on_map, trials, _pinned(page, fields)


def _picture(
    page: ClassPage, fields: Mapping[str, state.Field], scenario: Scenario, where: str
) -> Picture:
    return chart.picture(*_asked(page, fields, scenario), where=where)


def _known(page: ClassPage, fields: Mapping[str, state.Field], scenario: Scenario) -> Stop | None:
    """Return what has been drawn for the hand that now rests, where nothing in it is simulated."""
    if prediction.asks():
        return None
    asked = _asked(page, fields, scenario)
    trials = asked[3]
    stop = None if trials else live.known(_followed(page, asked), fields)
    return None if stop is None or any(row.pending for row in stop.numbers.learners) else stop


@contextlib.contextmanager
def _begun(
    page: ClassPage,
    fields: Mapping[str, state.Field],
    scenario: Scenario,
    known: Stop | None,
) -> Iterator[bool]:
    """Start computing the figure that is drawn inside; yield whether it is there at once."""
    if known is not None or prediction.asks():
        yield known is not None
        return
    asked = _asked(page, fields, scenario)
    with contextlib.ExitStack() as held:
        there = False
        with contextlib.suppress(InputError):  # says so where it is drawn
            job = chart.begin(scenario, _followed(page, asked).look, asked[3])
            there = held.enter_context(job).wait(0.0)
        yield there


def _figure(
    page: ClassPage,
    fields: Mapping[str, state.Field],
    scenario: Scenario,
    known: Stop | None,
) -> None:
    if not scenario.learners:
        shell.message("Choose at least one learner to draw its curve.", "plain")
    asked = _asked(page, fields, scenario)
    now = state.current()
    view = str(now["view"])
    if prediction.asks():
        learner, chosen = find_learner(page.concept, str(now["map"])), draw.VIEWS[view]
        question = _question(learner.title, scenario)
        at = float(getattr(scenario, chosen.axes[0]))
        hidden = prediction.hidden(
            chart.picture(*asked), chosen.axes, chosen.quantity, question, at=at
        )
        exhibit.draw(hidden, "main", HEIGHT, on_guess=prediction.dragged)
        return
    followed = _followed(page, asked)
    drawn = known.figure if known else chart.main_figure(scenario, followed.look, asked[3])
    chart.chart(drawn, key="main", setting=live.setting(followed, fields))
    if shell.mode() == "full":
        words.reading(lambda: reading(scenario, view, chart.picture(*asked, where="reading")))


def _followed(
    page: ClassPage, asked: tuple[Scenario, str, str, int, Scenario | None]
) -> live.Asked:
    """Return what the strips of the sliders depend on."""
    scenario, view, on_map, _, beside = asked
    guess = prediction.guess()
    told = (*page.told, str(state.current()["map"])) if guess else page.told
    return live.Asked(scenario, Look(view, on_map, HEIGHT, guess, beside), told)


def _strips(page: ClassPage, fields: Mapping[str, state.Field]) -> None:
    """Make the figure and the numbers above it follow the sliders."""

    def asked() -> live.Asked | None:
        if prediction.asks():
            return None
        try:
            return _followed(page, _asked(page, fields, scenario_of(page, _now(fields))))
        except InputError:
            return None

    live.answer(asked, fields, lambda found, scenario: _told(page, fields, found, scenario).html())
