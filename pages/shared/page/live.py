"""Live sliders: the figure and the cards follow the hand, without a question per stop.

When a visitor touches a slider, the browser asks once for its strip: what the page would show at
every stop of it, the rest of the setting as it is. It draws from that (live.js) until the slider
is let go; then the server answers as ever. Every figure tells the browser the setting it belongs
to (`setting`), so that a strip of another setting is never drawn.

Where the server has little to do, the browser asks before a visitor touches a slider: then the first touch
finds its strip there. Where it has much to do, the browser asks only when a visitor drags, and for a part of
the strip at a time, where the hand is: a strip takes the server ten times as long as the one stop that a
click needs.

A prediction that is still open has no strips: there is nothing in the browser to be found out.

`draw.strip` computes every stop (to rounding the numbers are those of each stop alone, so no law may tell
by its value what it was computed together with), live.js says what to show, hand.js moves the thumb, and
sketch.js draws a frame by moving what Plotly drew. Where the slider is let go the server sends that frame
again instead of computing it (`known`); what else moves with a slider belongs into `said` of `answer`. Who
moves a slider before its strip is there gets the figure of that stop alone. A drag adds no element to the
page, takes none away, and keeps the height of words (steady.js): else the browser would lay out all anew.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import fields as parts_of
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st
from cachetools import LRUCache

from pages.shared.chart import chart
from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.host.static_files import Made
from pages.shared.page.class_controls import SLIDERS, replaced
from pages.shared.scheduling import gate, scheduler
from pages.shared.scheduling.waiting import patient, wait_briefly
from pages.shared.state import controls, state
from privsc_core import draw
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pages.shared.chart.payload import Look, Strip
    from pages.shared.host.static_files import Store
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


# --- The figure of one stop of a slider, for a browser that has no strip of it (yet) -------------
#
# A strip is asked for when a hand comes near a slider; who clicks at once, on a phone or by a key, is
# there before it. A run of the page takes a tenth of a second to show the new figure, most of it
# for what stands around it. So the browser asks for that figure alone, by HTTP, where the server has
# little to do: the run of the page, which comes all the same, waits for it at the gate and finds it
# computed.
#
# Only `privsc serve` answers (`open_to`). What can be asked for are figures beside one that was sent, by
# its key (live.py): nothing of a setting is read from an address.


_FOLDER = "app/stop/"  # beside that of the programs, see static_files.FIND_FOLDER
_KEPT = 4096  # sliders of settings
_LONGEST = 1.0  # seconds of waiting for what is not quick


class _Offered(NamedTuple):
    drawn: Callable[[float], Task]
    stops: tuple[float, ...]


_offered: LRUCache[str, _Offered] = LRUCache(_KEPT)
_lock = threading.Lock()
_open = threading.Event()


def open_to(store: Store) -> None:
    """Let a server answer requests for the figure at a slider value."""
    store.mount(_FOLDER, Made(_figure))
    _open.set()


def offer(key: str, drawn: Callable[[float], Task], stops: tuple[float, ...]) -> bool:
    """Offer the figures at the stops of a slider by its key; tell whether a browser can ask."""
    if _open.is_set():
        with _lock:
            _offered[key] = _Offered(drawn, stops)
    return _open.is_set()


def _figure(address: str) -> bytes | None:
    """Return the figure at ``key/place``; None where there is none, or it takes long."""
    key, _, place = address.partition("/")
    with _lock:
        found = _offered.get(key)
    if found is None or not (place.isascii() and place.isdigit() and len(place) < 4):
        return None
    if int(place) >= len(found.stops):
        return None
    try:
        with gate.turn(gate.CONTROL):  # before the page that shows it as well
            begun = found.drawn(found.stops[int(place)])
        with begun as task:
            done: bytes | None = task.result() if task.wait(_LONGEST) else None
    except (InputError, RuntimeError):  # there is no such setting, or it was stopped
        return None
    return done


# In the session; the last one is what the figure was drawn from.
_TASK, _TOUCHED, _SHOWN = "pv_strip_job", "pv_strip_asked", "pv_strip_shown"
_ASKS, _ALONE = "pv_strip_asks", "pv_strip_alone"
_WAIT_LONGEST = 4.0  # seconds of waiting; then the browser asks again
# How many settings were shown in the last ten seconds, to all visitors. Below the first number there is
# time to draw strips before a slider is touched; below the second, to draw them before it is dragged; below
# the third, to draw the figure of a single stop.
_CALM, _BUSY, _QUIET = 20, 40, 100
_PART = 7  # stops of a part of a strip; visitors share parts, as they begin at the same stops


class Followed(ABC):
    """A figure that follows sliders, at the setting that it shows.

    Attributes
    ----------
    at : dataclass
        The setting; a slider has the name of its number.
    same : str
        Equal for two figures whose simulated curves are those of the same learners.
    what : tuple
        What its frames depend on besides the setting.
    alone : callable, optional
        Draws and encodes the figure of one stop of a slider; None where a strip is as quick.
    """

    at: Any
    same: str
    what: tuple[Any, ...]
    alone: Callable[[str, float], Task] | None = None

    @abstractmethod
    def moving(self, fields: Mapping[str, state.Field]) -> dict[str, str]:
        """Return the parameters whose sliders have frames now, by their keys in a link."""

    def moved(self, name: str, stop: float) -> Any:
        """Return the setting at a stop."""
        moved: dict[str, Any] = {name: stop}
        return replace(self.at, **moved)

    def refusal(self, name: str, stop: float) -> str:
        """Return why there is no such setting, empty if there is."""
        return ""

    @abstractmethod
    def begin(self, name: str, stops: tuple[float, ...]) -> Task:
        """Start drawing every frame in the worker."""

    def strip(self, task: Task) -> Strip:
        """Return the frames of a task that has ended, or raise what went wrong."""
        found: Strip = task.result()
        return found


class Asked(Followed):
    """The main figure of a class page: setting, style, and the learners whose numbers are shown."""

    def __init__(self, scenario: Scenario, look: Look, told: tuple[str, ...]) -> None:
        self.at, self.look, self.told, self.what = scenario, look, told, (look, told)
        self.same = f"{scenario.concept}/{scenario.distribution}/{look.view}"
        self.alone = lambda name, stop: chart.begin(self.moved(name, stop), look, 0)

    def moving(self, fields: Mapping[str, state.Field]) -> dict[str, str]:
        """Return what the axes of the picture do not replace."""
        view = draw.VIEWS[self.look.view]
        away = {"trials", *(["d"] if self.at.sizeless else [])}
        names = (name for name in SLIDERS if name in fields and name not in away)
        return {fields[name].key: name for name in names if not replaced(name, view)}

    def refusal(self, name: str, stop: float) -> str:
        """Return what the page will say."""
        try:
            self.moved(name, stop)
        except InputError as error:
            return str(self.at.concept_class.refusal(error))
        return ""

    def begin(self, name: str, stops: tuple[float, ...]) -> Task:
        """Start drawing every frame in the worker."""
        return chart.strip(self.at, self.look, name, stops, self.told)


class Sheet(Followed):
    """A figure whose frames are computations of their own; none of it is simulated.

    Parameters
    ----------
    name : str
        Its name among the figures of all pages.
    at : dataclass
    names : tuple of str
        The sliders that it follows.
    drawn : tuple
        A function that draws it at several settings, and its arguments before these.
    packed : callable
        Result of the function -> the frames.
    """

    def __init__(
        self, name: str, at: Any, names: tuple[str, ...], drawn: tuple[Any, ...],
        packed: Callable[[Any], Strip],
    ) -> None:  # fmt: skip
        self.at, self.same, self.what = at, "", (name,)
        self.names, self.drawn, self.packed = names, drawn, packed

    def moving(self, fields: Mapping[str, state.Field]) -> dict[str, str]:
        """Return the sliders that it follows."""
        return {fields[name].key: name for name in self.names}

    def begin(self, name: str, stops: tuple[float, ...]) -> Task:
        """Start drawing every frame in the worker."""
        settings = tuple(self.moved(name, stop) for stop in stops)
        kind = ("strip", *exhibit.kind_of(*self.drawn, settings[0]))
        return scheduler.start(*self.drawn, settings, kind=kind, priority=scheduler.Priority.FRAMES)

    def strip(self, task: Task) -> Strip:
        """Return what the worker has drawn, as it is sent."""
        return self.packed(task.result())


def _key(asked: Followed, name: str, stops: tuple[float, ...]) -> str:
    """Return the key of a strip."""
    at = [
        (of.name, stops if of.name == name else getattr(asked.at, of.name))
        for of in parts_of(asked.at)
    ]
    text = repr((asked.what, at, shell.mode()))
    return hashlib.blake2s(text.encode(), digest_size=9).hexdigest()


def setting(asked: Followed, fields: Mapping[str, state.Field]) -> dict[str, Any]:
    """Return what a figure tells the browser of its setting: places of sliders, keys of strips.

    And when it asks for strips ("ahead" of a touch, at a "touch" or at a "drag"), and whether for single stops.
    """
    shown = state.current()
    if st.session_state.get(_SHOWN) != shown:  # a figure that is sent twice counts once
        lately = gate.GATE.shown()
        asks = "ahead" if lately < _CALM else "touch" if lately < _BUSY else "drag"
        st.session_state[_ASKS], st.session_state[_ALONE] = asks, lately < _QUIET
    st.session_state[_SHOWN] = shown
    sliders: dict[str, dict[str, Any]] = {}
    for key, name in asked.moving(fields).items():
        places = controls.stops_of(fields[name])
        known = _key(asked, name, places)
        sliders[key] = {"at": places.index(getattr(asked.at, name)), "key": known}
        drawn = asked.alone if st.session_state[_ALONE] else None
        if drawn is not None and offer(known, partial(drawn, name), places):
            sliders[key]["alone"] = True
    # Simulated curves of the same learners on the same distribution are kept for a while.
    return {"sliders": sliders, "same": asked.same, "asks": st.session_state[_ASKS]}


class Stop(NamedTuple):
    """What a strip has of one stop: what the chart is sent, and the numbers in brief."""

    figure: bytes
    numbers: Numbers


def known(asked: Asked, fields: Mapping[str, state.Field]) -> Stop | None:
    """Return what a page shows where a strip has been drawn that its setting is in.

    The hand that had the strip drawn has come to rest there: nothing is computed twice.
    """
    for name in asked.moving(fields).values():
        every, value = controls.stops_of(fields[name]), getattr(asked.at, name)
        for stops in (every, every[_part(every.index(value))]):
            strip = chart.known_strip(asked.at, asked.look, name, stops, asked.told)
            if strip is not None:
                place = stops.index(value)
                numbers = strip.numbers[place]
                return None if numbers is None else Stop(strip.frame(place), numbers)
    return None


def _part(place: int) -> slice:
    """Return the part of a strip that a stop is in."""
    first = place - place % _PART
    return slice(first, first + _PART)


@st.fragment
def answer(
    asked: Callable[[], Followed | None],
    fields: Mapping[str, state.Field],
    said: Callable[[Any, Any], dict[str, str]],
) -> None:
    """Send the strip that the browser asks for, if it does.

    A fragment of its own: neither figure nor controls are drawn again, so nothing moves under
    the hand that is dragging. Outside of that of the controls it is not drawn with them either.

    Parameters
    ----------
    asked : callable
        () -> the setting as it is now, or None while there is nothing to follow.
    fields : mapping of str to Field
    said : callable
        (numbers, setting) of a stop -> what else follows: HTML by CSS selector.
    """
    patient()
    touched = st.session_state.pop(_TOUCHED, None)
    sent = None
    # A page that has been left may still be asked, in the name of the one that came after it.
    here = {item.key for item in fields.values()} <= state.current().keys()
    now = asked() if here and touched is not None else None
    if now is not None:
        key, _, place = touched.partition(" ")
        name = now.moving(fields).get(key)
        if name is not None:
            # A client can send anything.
            near = int(place) if place.isascii() and place.isdigit() and len(place) < 4 else None
            sent = _strip(now, name, fields[name], said, near)
    chart.strips(sent, on_ask=_note)


def _note(touched: object) -> None:
    if isinstance(touched, str):  # a client can send anything
        st.session_state[_TOUCHED] = touched


def _strip(
    asked: Followed,
    name: str,
    field: state.Field,
    said: Callable[[Any, Any], dict[str, str]],
    near: int | None,
) -> bytes:
    """Return a strip as it is sent, or its part near a stop."""
    stops = controls.stops_of(field)
    key, first, of = _key(asked, name, stops), 0, len(stops)
    if near is not None:
        part = _part(near)
        stops, first = stops[part], part.start
    # Never twice the same: what has not changed does not reach the program.
    at = time.monotonic_ns()
    head: dict[str, Any] = {"key": key, "first": first, "of": of, "pages": None, "at": at}
    try:
        task = _task(asked, name, stops)
        if not wait_briefly(task, _WAIT_LONGEST):
            if task.state == "waiting":  # in a long queue: it would be done for a hand that is gone
                task.leave()  # one that is still there asks again, and comes first
                st.session_state[_TASK] = None
            return json.dumps(head | {"wait": True}).encode()
        strip = asked.strip(task)
    except InputError:  # it takes too long
        return json.dumps(head).encode()
    except RuntimeError:  # it had too little of a processor: perhaps not the next time
        return json.dumps(head | {"lost": True}).encode()
    with gate.turn(gate.LATER):
        pages = [
            said(numbers, asked.moved(name, stop)) if numbers else asked.refusal(name, stop)
            for stop, numbers in zip(stops, strip.numbers, strict=True)
        ]
    words = controls.texts_of(field)  # for the slider itself
    text = json.dumps(head | {"pages": pages, "words": words}, ensure_ascii=False)
    return text.encode() + b"\n" + strip.frames


def _task(asked: Followed, name: str, stops: tuple[float, ...]) -> Task:
    """Return the task of a strip, and leave this visitor's last one: no hand lies on its slider.

    One at a time: who touches every slider leaves the queue to others.
    """
    before: Task | None = st.session_state.get(_TASK)
    task = asked.begin(name, stops)
    if before is not None:  # it may be the same one, which now has this visitor twice
        before.leave()
    st.session_state[_TASK] = task
    return task
