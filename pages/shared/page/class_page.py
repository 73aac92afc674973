"""The page of a concept class: everything but the words, for every class."""

from __future__ import annotations

import contextlib
import html
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Look
from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, tour, words
from pages.shared.hall import prediction, presenter
from pages.shared.page import live, numbers, pinned, practise, theory
from pages.shared.page.class_controls import Controls
from pages.shared.page.declaration import CARDS, HEIGHT, scenario_of
from pages.shared.page.parts import PARTS, TIMELESS, Parts, named
from pages.shared.scheduling import gate, waiting
from pages.shared.scheduling.scheduler import Priority
from pages.shared.scheduling.waiting import again, wait_quietly
from pages.shared.state import controls, state
from pages.shared.take import share, takeaway
from privsc_core import draw
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.contracts import CHUNK
from privsc_core.draw.reading import reading
from privsc_core.draw.style import integer, number
from privsc_core.errors import InputError
from privsc_core.evaluate import comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from pages.shared.frame.tour import Step
    from pages.shared.page.declaration import ClassPage
    from pages.shared.page.live import Stop
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.concepts.contracts import ConceptClass
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
_GROWN = "pv_grown"  # in the session: whether the next run only adds samples, with every control as it was
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
        except InputError:  # too many wait: a visitor can ask again
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
# As many paragraphs as at rest: in a drag no element comes or goes.
_PENDING_OWN = ("The comparison over a whole axis comes when the slider rests.", "", "", "")
# In the session: what the last run of the whole page drew below, of which class it spoke, and that it is under way.
_SECTIONS, _HEAD, _WHOLE = "pv_sections", "pv_head", "pv_whole"
_BELOW = "pv_below"  # in the session: what the open parts below were drawn from last


def show(page: ClassPage) -> None:
    """Draw the whole page."""
    with gate.turn():
        _Page(page, page.settings).show()


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
        Draws the top of a page that is shown in full.

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
    shell.footer("", mode)


def tools(
    heading: str,
    fields: Mapping[str, state.Field],
    own: Collection[state.Field],
    presented: str,
    steps: tuple[Step, ...] = (),
) -> None:
    """Draw the title of a page with its buttons: take the tour, share, predict first, present."""
    with shell.head(heading):
        if steps and not prediction.asks():
            tour.offer(steps)
        share.button(heading, fields, own)
        if not prediction.asks():
            prediction.button()
        st.button(
            "Present", key="pv_present", on_click=presenter.start,
            help=f"Large type for a lecture hall{presented}",
        )  # fmt: skip


class Told(NamedTuple):
    """What stands above a figure and follows its sliders.

    Attributes
    ----------
    cards : tuple of Card
    changed : str
        HTML of what has changed since a setting was pinned; empty where none is.
    truth : Answer, optional
        The number that was to be predicted, after a prediction.
    own : tuple of str
        Sentences about a bound of the visitor's own; empty where there is none.
    """

    cards: tuple[shell.Card, ...]
    changed: str
    truth: Answer | None
    own: tuple[str, ...] = ()

    def draw(self) -> None:
        """Draw the verdict and the cards."""
        prediction.said(self.truth)
        if shell.mode() != "embed":
            shell.cards(*self.cards)

    def draw_changed(self) -> None:
        """Draw what has changed."""
        if self.changed:
            st.html(f'<div class="pv-pinned">{self.changed}</div>')

    def draw_own(self) -> None:
        """Draw what is said of a bound of the visitor's own."""
        if self.own:
            st.html(f'<div class="pv-yours">{self._own}</div>')

    @property
    def _own(self) -> str:
        return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self.own)

    def html(self) -> dict[str, str]:
        """Return the HTML of it by CSS selectors."""
        parts = {}
        if shell.mode() != "embed":
            parts[".pv-cards"] = shell.inside(*self.cards)
        if self.changed:
            parts[".pv-pinned"] = self.changed
        if self.own:
            parts[".pv-yours"] = self._own
        if self.truth:
            verdict = html.escape(prediction.verdict_on(self.truth))
            parts[".st-key-pv_verdict .pv-message"] = verdict
        return parts


@dataclass(frozen=True, slots=True)
class _Page:
    """A class page as it is drawn: what it declares, and its fields by name."""

    page: ClassPage
    fields: Mapping[str, state.Field]

    @property
    def concept(self) -> ConceptClass:
        """The class, of a family the member that the page shows."""
        with contextlib.suppress(InputError):
            return find_concept(self.page.member(state.named(self.fields)))
        return find_concept(self.page.concept)

    @property
    def on_map(self) -> str:
        """The name of the learner of the map."""
        return str(state.current()["map"])

    def scenario(self, **instead: Any) -> Scenario:
        """Return the setting as it is now: a fragment may be drawn long after the page was."""
        return scenario_of(self.page, state.named(self.fields) | instead)

    def tried(self) -> Scenario | InputError:
        """Return the setting as it is now, or why there is no such setting."""
        try:
            return self.scenario()
        except InputError as refused:
            return refused

    def pinned(self) -> Scenario | None:
        """Return the setting that is drawn beside the one of now, if there is one."""
        kept = pinned.values(self.fields)
        if not kept or prediction.asks():
            return None
        try:
            return self.scenario(**kept)
        except InputError:
            return None

    # --- The whole page, and what follows its controls ---

    def show(self) -> None:
        """Draw the whole page."""
        page = self.page
        given = page.heading, page.slug, page.icon, page.fields, self.draw_head
        with framed(*given) as (mode, lift):
            sections = mode == "full" and self.has_sections()
            st.session_state[_SECTIONS] = sections
            st.session_state[_HEAD] = self.concept.name
            st.session_state[_WHOLE] = True
            cards = st.container(key="pv_above")
            if mode == "full":
                figure, beside = shell.stage()
            else:
                figure, beside = st.container(), st.container(key="pv_kept")
            # Its place does not depend on what else is drawn: an older bar never stays below it.
            progress = st.container()
            # The figure first: it is what the eye waits for. Where it takes long, the controls meanwhile.
            with self.begun() as there:
                if not there:
                    self.draw_controls(beside)
                go_on = self.draw_body(cards, figure, progress, lift)
            if there:
                self.draw_controls(beside)
            gate.later()
            with shell.guard():
                # The figure and the numbers above it follow the sliders.
                live.answer(self.moving, self.fields, lambda *found: self.told(*found).html())
            if mode == "full":
                self.below.place()
                for part in self.below.there():
                    if sections or part.name == TIMELESS:
                        self.below.draw(part)
        if go_on is not None:
            go_on()

    def draw_head(self) -> None:
        """Draw the title, the claim and the sketch."""
        page = self.page
        presented = (
            ", with the controls of d and ε; other controls and a theme are chosen under Share."
        )
        tools(page.heading, self.fields, page.own_fields, presented, page.tour)
        claim, picture = st.columns([3.4, 1], gap="medium", vertical_alignment="center")
        fixed = self.concept.only_size is not None
        moved, over = ("ε", "need-eps") if fixed else (self.concept.size.symbol, "need-d")
        law = page.distribution or self.concept.distributions[0].name
        # That picture has no curve of a learner whose law is simulated.
        traced = all(
            e.laws.get(law) == "exact" for e in self.concept.learners if e.name in page.learners
        )
        said = (
            words.lit(page.claim, page.named),
            f"Move ${moved}$, or choose *{draw.VIEWS[over].said(moved)}*."
            if traced
            else f"Move ${moved}$ and see which curves move.",
            f":small[{self.concept.definition}]",
        )
        claim.container(key="pv_claim").markdown("  \n".join(said))
        picture.container(key="pv_sketch").image(
            page.sketch, width=230,
            alt=f"Sketch of {self.concept.title[0].lower()}{self.concept.title[1:]}",
        )  # fmt: skip

    @st.fragment(key=controls.FOLLOWS)
    @shell.placed()
    @gate.turn(gate.CONTROL)  # that of the whole page, where it is drawn
    def draw_body(
        self, cards: Any, figure: Any, progress: Any, lift: Callable[[], None]
    ) -> Callable[[], None] | None:
        """Draw everything that depends on the controls; a control redraws only this.

        `lift` is called when it is drawn: see `presenter.veil`. In a run of the whole page, a
        function is returned that goes on with the simulation when the page is complete.

        What else is another one now is drawn afterwards: the open parts below, and the controls where they
        say something else than what was moved. When the parts come back, or another member of a family of classes
        is picked, the whole page is drawn.
        """
        if grown():  # no control has moved
            gate.later()
        mode, whole = shell.mode(), st.session_state.pop(_WHOLE, False)
        if not whole and st.session_state[_HEAD] != self.concept.name:
            st.rerun()  # the head speaks of another member
        there, below = self.has_sections(), self.below.unfolded() if mode == "full" else []
        if (
            mode == "full"
            and not whole
            and there != st.session_state[_SECTIONS]
            and (there or below)
        ):
            st.rerun()
        scenario = self.tried()
        if not whole and not self.controls_of(scenario).as_shown():
            waiting.afterwards(controls.PART)
        if isinstance(scenario, InputError):
            # Here too: the control may be in a folded part, and this is where people look.
            with cards:
                shell.message(self.concept.refusal(scenario))
            with figure:
                shell.stead("No figure is drawn: there is no such setting.")
            lift()
            return None
        if mode == "present" and self.draw_exhibits(figure):
            cards.empty()  # Streamlit wants each place used in a run of the whole page
            lift()
            return None
        known = self.known(scenario)
        with figure, shell.guard():
            self.draw_figure(scenario, known)
        gate.later()  # in a full hall all figures come before all numbers
        with shell.guard():
            self.draw_numbers(scenario, known, cards, figure)
        lift()
        now = state.current()
        # Not what a part is opened by: it draws itself.
        at = (
            {key: now[key] for key in now if key not in {"open", "tab"}},
            done(scenario, str(now["view"])),
        )
        if there and not whole and at != st.session_state.get(_BELOW):
            waiting.afterwards(*below)
        st.session_state[_BELOW] = at
        with progress:
            go_on = self.simulation(scenario)
        if go_on is None or whole:
            return go_on
        go_on()
        return None

    def controls_of(self, found: Scenario | InputError) -> Controls:
        """Return the controls, which say why there is no such setting, or what some of them cannot change."""
        given = self.concept, self.fields, self.page.family
        if isinstance(found, InputError):
            return Controls(*given, found if shell.mode() == "full" else None)
        idle = found.idle((*self.page.told, self.on_map))
        return Controls(*given, idle=idle, sizeless=found.sizeless)

    @st.fragment(key=controls.PART)
    @shell.placed()
    @gate.turn(gate.CONTROL)
    def draw_controls(self, beside: Any) -> None:
        """Draw the controls beside the figure, or the few of a presenter."""
        kept = self.controls_of(self.tried())
        with beside:
            if shell.mode() == "full":
                kept.beside(self.page.controls)
            else:
                kept.below(state.words("controls"))
        kept.note()

    # --- The figure ---

    def asked(self, scenario: Scenario) -> tuple[Scenario, str, str, int, Scenario | None]:
        """Return what the main figure is computed from."""
        view = str(state.current()["view"])
        on_map = self.on_map if draw.VIEWS[view].quantity == "map" else self.page.on_map
        return scenario, view, on_map, done(scenario, view), self.pinned()

    def followed(self, scenario: Scenario) -> live.Asked:
        """Return what the strips of the sliders depend on."""
        _, view, on_map, _, beside = self.asked(scenario)
        guess = prediction.guess()
        told = (*self.page.told, self.on_map) if guess else self.page.told
        return live.Asked(
            scenario, Look(view, on_map, HEIGHT, guess, beside, prediction.crowd()), told
        )

    def moving(self) -> live.Asked | None:
        """Return the main figure at the current setting; None where nothing follows a slider."""
        found = self.tried()
        return None if isinstance(found, InputError) or prediction.asks() else self.followed(found)

    def known(self, scenario: Scenario) -> Stop | None:
        """Return the frame that a slider's strip has of this setting, if nothing in it is simulated."""
        if prediction.asks() or done(scenario, str(state.current()["view"])):
            return None
        stop = live.known(self.followed(scenario), self.fields)
        return None if stop is None or any(row.pending for row in stop.numbers.learners) else stop

    @contextlib.contextmanager
    def begun(self) -> Iterator[bool]:
        """Start computing the figure that is drawn inside; yield whether it is there at once."""
        scenario = self.tried()
        if isinstance(scenario, InputError) or prediction.asks() or self.known(scenario):
            yield True
            return
        look = self.followed(scenario).look
        with contextlib.ExitStack() as held:
            there = False
            with contextlib.suppress(InputError):  # says so where it is drawn
                job = chart.begin(scenario, look, done(scenario, look.view))
                there = held.enter_context(job).wait(0.0)
            yield there

    def draw_figure(self, scenario: Scenario, known: Stop | None) -> None:
        """Draw the figure, and how it is read; before a prediction its empty frame."""
        if not scenario.learners:
            word = self.concept.words.learner
            shell.message(f"Choose at least one {word} to draw its curve.", "plain")
        asked = self.asked(scenario)
        view = asked[1]
        if prediction.asks():
            chosen = draw.VIEWS[view]
            hidden = prediction.hidden(
                chart.picture(*asked), chosen.axes, chosen.quantity, self.question(scenario),
                at=float(getattr(scenario, chosen.axes[0])),
            )  # fmt: skip
            exhibit.draw(hidden, "main", HEIGHT, on_guess=prediction.dragged)
            return
        followed = self.followed(scenario)
        drawn = known.figure if known else chart.main_figure(scenario, followed.look, asked[3])
        chart.chart(drawn, key="main", setting=live.setting(followed, self.fields))

    def question(self, scenario: Scenario) -> str:
        """Return what is asked before the curves are shown."""
        learner, unit = find_learner(self.page.concept, self.on_map), scenario.concept_class.unit
        usual = f"How many {unit} does “{learner.title}” need at this setting?"
        return prediction.question(usual, scenario)

    def simulation(self, scenario: Scenario) -> Callable[[], None] | None:
        """Draw how far the simulation is; return what continues it."""
        look = self.followed(scenario).look
        begin = partial(chart.begin, scenario, look, priority=Priority.PREPARED)
        return offer(scenario, look.view, None if prediction.asks() else begin)

    # --- The numbers ---

    def draw_numbers(self, scenario: Scenario, known: Stop | None, cards: Any, figure: Any) -> None:
        """Draw the numbers above the figure, and what has changed since a setting was pinned.

        Below the figure what is said of a bound of the visitor's own.
        """
        mode = shell.mode()
        with cards:
            if known:
                st.empty()  # as `chart.numbers` does: what comes after it keeps its place
            names = self.followed(scenario).told
            found = known.numbers if known else chart.numbers(scenario, names)
            if prediction.asks():
                truth, setting = found.learner(self.on_map), draw.setting_of(scenario, "m")
                prediction.commit(self.question(scenario), truth=truth, setting=f"{setting}.")
                return
            told = self.above(found, scenario)
            told.draw()
        if mode == "embed":
            return
        # After the cards, which neither wait for the numbers of the pinned setting nor fail with them.
        with cards if mode == "present" else contextlib.nullcontext():
            told = told._replace(changed=self.changed(found, scenario))
            told.draw_changed()
            if state.current()["pin"] and not told.changed:
                shell.message(pinned.NONE)
        # Before an audience above the figure, which takes the room that is left.
        with cards if mode == "present" else figure:
            more = self.compared if mode == "full" else None
            told._replace(own=self.own(found, scenario, more)).draw_own()

    def told(self, found: Numbers, scenario: Scenario) -> Told:
        """Return everything about the figure that follows its sliders."""
        return self.above(found, scenario)._replace(
            changed=self.changed(found, scenario),
            own=self.own(found, scenario, lambda _: _PENDING_OWN),
        )

    def own(
        self, found: Numbers, scenario: Scenario, more: Callable[[Scenario], tuple[str, ...]] | None
    ) -> tuple[str, ...]:
        """Return what is said of a bound of the visitor's own: of the setting, and `more`."""
        if scenario.own is None:
            return ()
        learner = comparison.watched(scenario, self.on_map)
        return comparison.here(found, scenario, learner), *(more(scenario) if more else ())

    def compared(self, scenario: Scenario) -> tuple[str, ...]:
        """Return what is said of a bound of the visitor's own over a whole axis."""
        axes = draw.VIEWS[str(state.current()["view"])].axes
        axis = comparison.axis_for(scenario, axes)
        learner = comparison.watched(scenario, self.on_map)
        return chart.compared(scenario, axis, learner).sentences()

    def above(self, found: Numbers, scenario: Scenario) -> Told:
        """Return the verdict and the cards."""
        truth = found.learner(self.on_map) if prediction.guess() else None
        return Told(_cards(self.page, found, scenario, shell.mode()), "", truth)

    def changed(self, found: Numbers, scenario: Scenario) -> str:
        """Return the HTML of what has changed since a setting was pinned; empty if none is."""
        beside = self.pinned()
        if beside is None:
            return ""
        before = chart.numbers(beside, self.page.told)
        return pinned.inside(beside, before, scenario, found, shell.mode())

    # --- The parts below ---

    @property
    def below(self) -> Parts:
        """The parts below the figure."""
        return Parts(
            exhibits=self.page.sections, setting=self.scenario, apart=True,
            fills={
                "see": self.explain,
                "numbers": self.draw_all_numbers,
                "theory": lambda: theory.inside(self.concept),
                "take-away": self.take,
                "practise": lambda: practise.inside(self.scenario(), self.titles),
            },
            inner={"theory": theory.parts(self.concept), "take-away": takeaway.PARTS},
        )  # fmt: skip

    @property
    def titles(self) -> dict[str, str]:
        """The titles of what a link may unfold, by name."""
        known = {part.name: part.title for part in PARTS}
        known |= {section.name: section.title for section in self.page.sections}
        return {name: known.get(name, "open the part") for name in self.page.parts}

    def has_sections(self) -> bool:
        """Return whether there is something to show below: no prediction is waited for, no refusal."""
        return not isinstance(self.tried(), InputError) and not prediction.asks()

    def explain(self) -> None:
        """Draw how the figure is read."""
        asked = self.asked(self.scenario())
        words.explain(reading(asked[0], asked[1], chart.picture(*asked, where="reading")))

    def draw_all_numbers(self) -> None:
        """Draw the numbers of all learners and bounds."""
        scenario = self.scenario()
        numbers.inside(chart.numbers(scenario), scenario.concept_class, scenario.law)

    def take(self) -> None:
        """Draw what can be taken away."""
        asked = self.asked(self.scenario())
        takeaway.show(
            asked[0], lambda: chart.picture(*asked, where="files"), self.fields, self.page.claim,
            asked[-1],
        )  # fmt: skip

    @st.fragment
    def draw_exhibit(self, section: exhibit.Exhibit) -> None:
        """Draw an exhibit below its own title."""
        with shell.guard(), gate.turn():
            section.show(self.scenario)

    def draw_exhibits(self, figure: Any) -> bool:
        """Draw the exhibits that a link unfolds in place of the main figure; tell if there are any."""
        asked = named({section.name for section in self.page.sections})
        wanted = [section for section in self.page.sections if section.name in asked]
        with figure.container():  # which this run draws, unlike the place itself
            for section in wanted:
                self.draw_exhibit(section)
        return bool(wanted)


def _cards(
    page: ClassPage, found: Numbers, scenario: Scenario, mode: shell.Mode
) -> tuple[shell.Card, ...]:
    """Return the cards of a page; to an audience those of what the figure shows.

    The first scene of a lecture would otherwise give away the answers of all others.
    """
    pending = {row.name: row.m for row in found.learners if row.pending}
    untold = {row.name: row.at_least for row in found.learners if row.at_least is not None}
    cards = tuple(
        _at_rest(_at_least(card, untold, scenario), pending)
        for card in page.in_hues(page.cards(found, scenario))
    )
    if mode != "present":
        return cards[:CARDS]
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
