"""One visitor: the browser's side of Streamlit's protocol, without the browser.

Speaks protobuf over the websocket exactly as the front end does: opens a page, finds the controls
among the elements that arrive, moves one, and holds the server to its answer. Nothing is drawn,
so that one process can be a lecture hall.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import random
import re
import ssl
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.load.controls import Fold, Slider, described

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from streamlit.proto.BidiComponent_pb2 import BidiComponent
    from websockets.asyncio.client import ClientConnection

    from tests.load.controls import Control

PATIENCE = 180.0  # seconds until an answer that does not come is an error
MAIN = "-main"  # how the identifier of a page's main chart ends
STRIPS = "-pv_strips"  # and that of what asks for strips, where sliders are live
KEPT = 12  # strips in the browser
PART = 7  # stops of a part of one
NO_CHART = ("-chart_preload", "-pv_tour", "-pv_zip", "-pv_share", "-pv_keys", "-pv_code")
# What stands open beside the figure; the other sliders are in a fold.
MOVED = ("w_d", "w_eps", "w_delta", "w_m")
FAILED = "could not be computed"
OVERLOADED = "This computation must"  # wait, be shorter or smaller: too much for this server
# A sentence instead of a picture is an answer like any other.
REFUSED = ("there is no such setting", 'class="pv-message pv-bad"')


class TroubleError(Exception):
    """Something a visitor should never see; the text says what."""


@dataclass
class Answer:
    """What one request brought.

    Attributes
    ----------
    picture, finished : float
        Seconds until the picture and until the end; 0 for none.
    received : int
        Bytes.
    simulated : bool
        Whether what was drawn first was not yet the whole picture.
    """

    picture: float
    finished: float
    received: int
    simulated: bool = False


@dataclass
class _Asked:
    """One request, and what has come of its answer."""

    wants: str
    before: bytes
    known: (
        bool  # whether what comes now is the answer: the address has changed, or nothing else runs
    )
    key: str = ""  # of the control that has been changed
    fragment: str = ""  # and its part of the page
    answers: str = ""  # and the part that is drawn when it is moved
    start: float = field(default_factory=time.perf_counter)
    begun: bool = False
    early: bool = False
    picture: float = 0.0
    finished: float = 0.0
    received: int = 0

    def wanted(self, drawn: str, visitor: Visitor) -> bool:
        """Tell whether what was drawn is what the visitor waits for."""
        if self.wants == "new":
            return visitor.picture != self.before
        return drawn == {"drawn": "main"}.get(self.wants, self.wants) != ""


@dataclass
class Visitor:
    """One browser tab.

    Attributes
    ----------
    base : str
        The dashboard's address, with its path if it has one.
    page : str
        A page's name in addresses; empty for the home page.
    query : str
        The query string the tab was opened with; follows what the server writes.
    cookies : str
        For a front server that tells visitors apart.
    """

    base: str
    page: str = "points"
    query: str = ""
    seed: int = 0
    cookies: str = ""
    controls: dict[str, Control] = field(default_factory=dict)
    picture: bytes = b""
    session: str = ""
    received: int = 0
    socket: ClientConnection | None = None
    strips: dict[str, bool] = field(default_factory=dict)  # that are here, by their keys
    _strip: bytes = b""
    _asks: tuple[str, str] = ("", "")  # what asks for strips: identifier and fragment
    _following: dict[str, str] = field(default_factory=dict)  # slider -> key of its strip
    at_drags: bool = False  # whether a drag alone asks for strips, part by part
    _page_hash: str = ""
    _follows: str = ""  # the part of the page that has the main figure
    _seen: set[str] = field(default_factory=set)  # controls that the present run has drawn
    _redrawn: set[str] = field(default_factory=set)  # the fragments of these; "" is the page
    _busy: bool = False  # whether the answer before has not ended yet

    def __post_init__(self) -> None:
        self._refusals = 0
        self._random = random.Random(self.seed)  # noqa: S311 - which slider, not a secret

    # --- the connection ------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect, as the front end does after its HTTP requests."""
        parts = urlsplit(self.base)
        secure = parts.scheme == "https"
        address = f"{'wss' if secure else 'ws'}://{parts.netloc}{parts.path.rstrip('/')}"
        # The session to come back to stands third, as the front end has it.
        protocols = ["streamlit", "none", self.session] if self.session else ["streamlit"]
        try:
            self.socket = await connect(
                f"{address}/_stcore/stream",
                subprotocols=protocols,
                origin=f"{parts.scheme}://{parts.netloc}",
                additional_headers={"Cookie": self.cookies} if self.cookies else None,
                user_agent_header="privsc-load",
                open_timeout=PATIENCE,
                max_size=None,
                max_queue=None,  # a reader that is behind still answers pings, as a browser does
                ping_interval=None,
                ssl=trusting() if secure else None,
                proxy=None,
            )
        except (OSError, InvalidHandshake, TimeoutError) as error:
            raise TroubleError(f"no connection: {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """Leave."""
        if self.socket is not None:
            await self.socket.close()
            self.socket = None

    @property
    def sliders(self) -> dict[str, Slider]:
        """The sliders on the page, by their keys, such as ``w_d``."""
        return {key: it for key, it in self.controls.items() if isinstance(it, Slider)}

    # --- what a visitor does -------------------------------------------------------------------

    async def arrive(self, linger: float = PATIENCE) -> Answer:
        """Open the page and wait for its first picture and its end; see `send` for `linger`."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        self.picture = b""
        self._busy = False
        return await self._ask(message, wants="new" if self.page else "", linger=linger)

    def movable(self) -> list[str]:
        """Return the sliders that a visitor would move, of those that are there."""
        sliders = self.sliders
        return [name for name in MOVED if name in sliders and not sliders[name].disabled]

    async def change(self, key: str = "", place: int | None = None) -> Answer:
        """Move a slider and wait for the new picture; which and where is random unless given.

        A slider is named by its key, such as ``w_d``.
        """
        key = key or self._random.choice(self.movable())
        slider = self.sliders[key]
        if place is None:
            place = self._random.choice([i for i in range(len(slider.stops)) if i != slider.place])
        slider.place = place
        return await self.send(slider, wants="new")

    async def touch(self, key: str, *, place: int = 0, drags: bool = True) -> Answer | None:
        """Lay a hand on a slider: ask for its strip unless it is here; None where nothing is asked.

        The strip is what the page would show at every stop, or in a busy hall at the stops beside `place`;
        `Answer.picture` is when it came.
        """
        name, near = self._following.get(key.removeprefix("w_"), ""), ""
        identifier, fragment = self._asks
        if name and self.at_drags:
            near = f" {place // PART * PART}"
            name += near
        if not (name and identifier) or name in self.strips or (self.at_drags and not drags):
            return None
        message = self._message(fragment)
        state = message.rerun_script.widget_states.widgets.add()
        state.id = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{identifier}__events"
        state.json_trigger_value = json.dumps([{"event": "ask", "value": key[2:] + near}])
        busy, self._busy = self._busy, False  # its address stays as it is
        answer = await self._ask(message, wants="strip")
        self._busy = busy and not answer.picture  # it may have been a simulation's run that ended
        if b'"wait"' not in self._strip[:200]:  # it will have to be asked for again
            self.strips[name] = True
        for old in list(self.strips)[:-KEPT]:
            del self.strips[old]
        return answer

    def forget(self) -> None:
        """Know nothing of the page, as a new tab does."""
        self.controls.clear()
        # A server takes no question that a page has not offered yet.
        self._following, self._asks = {}, ("", "")

    def _message(self, fragment: str) -> BackMsg:
        """Return the request for a run, with what all controls say."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self._page_hash
        message.rerun_script.fragment_id = fragment
        for one in self.controls.values():
            state = message.rerun_script.widget_states.widgets.add()
            state.id = one.identifier
            one.tell(state)
        return message

    async def send(self, changed: Control, *, wants: str, linger: float = PATIENCE) -> Answer:
        """Send what the controls say now, of which one has just changed; return the answer.

        Parameters
        ----------
        changed : Control
        wants : {"new", "drawn", "part", ""}
            What the answer is: a main picture that was not there before, one whatever it shows, a
            chart of another part of the page if one comes; nothing but the end.
        linger : float
            Seconds that the visitor goes on looking after that. Who moves on earlier than the end
            of a simulation has it stopped.
        """
        message, key = self._message(changed.fragment), changed.identifier.split("-", 2)[-1]
        return await self._ask(message, wants=wants, linger=linger, key=key)

    # --- the protocol --------------------------------------------------------------------------

    async def _ask(
        self, message: BackMsg, *, wants: str, linger: float = PATIENCE, key: str = ""
    ) -> Answer:
        if self.socket is None:
            raise TroubleError("not connected")
        async with _listening(PATIENCE, "no answer"):
            # Begins here: what arrives from now on is late, whoever is to blame.
            asked = _Asked(wants, self.picture, known=not self._busy, key=key)
            asked.fragment = message.rerun_script.fragment_id
            view = self.controls.get("w_view")  # the main figure is drawn for what stands beside it
            beside = view is not None and view.fragment == asked.fragment
            asked.answers = self._follows if beside else asked.fragment
            self._busy = True
            await self.socket.send(message.SerializeToString())
            await self._listen(asked, until_picture=True)
        async with _listening(linger):
            await self._listen(asked)
        if asked.finished and wants in {"new", "drawn"} and not asked.picture:
            raise TroubleError("the run ended without a new picture")
        self.received += asked.received
        return Answer(
            asked.picture or asked.finished * (wants == "part"),
            asked.finished, asked.received, asked.early,
        )  # fmt: skip

    async def _settle(self) -> None:
        """Wait for the end of what was asked for before."""
        if not self._busy or self.socket is None:
            return
        async with _listening(PATIENCE, "no end"):
            await self._listen(_Asked("", self.picture, known=True, begun=True))

    async def _listen(self, asked: _Asked, *, until_picture: bool = False) -> None:
        """Read until the answer has ended, or its picture is there, and the controls, which come later."""
        while not (asked.finished or (until_picture and asked.picture and self.controls)):
            data = await self.socket.recv()  # type: ignore[union-attr]
            asked.received += len(data)
            message = ForwardMsg()
            message.ParseFromString(data)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                asked.begun = True
                self.session = message.new_session.initialize.session_id
                self._redrawn, self._seen = set(), set()
            elif kind == "navigation":  # the page itself; a new session names what runs first
                self._page_hash = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                asked.known = True
                self.query = message.page_info_changed.query_string
            elif kind == "delta":
                drawn = self._element(message)
                if asked.begun and asked.known and not asked.picture and asked.wanted(drawn, self):
                    asked.picture = time.perf_counter() - asked.start
            elif kind == "script_finished":
                self._end(message.script_finished, asked)
            elif kind == "session_event" and message.session_event.HasField(
                "script_compilation_exception"
            ):
                raise TroubleError(message.session_event.script_compilation_exception.message)

    def _end(self, status: int, asked: _Asked) -> None:
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            raise TroubleError("the page does not compile")
        early = status == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        whole = status == ForwardMsg.FINISHED_SUCCESSFULLY
        if not early:  # what this run could have drawn and did not is gone
            self.controls = {
                key: it
                for key, it in self.controls.items()
                if key in self._seen or not (whole or it.fragment in self._redrawn)
            }
            # What is in a part that has been closed goes with it, whichever part of the page drew it.
            closed = [it for it in self.controls.values() if isinstance(it, Fold)]
            self.controls = {
                key: it
                for key, it in self.controls.items()
                if not any(fold.hides(it) for fold in closed)
            }
        if not asked.begun or (asked.fragment and self._others(status, asked)):
            return
        drawn = asked.wants == "part" and asked.answers in self._redrawn
        # A part that was drawn before the figure in one run is complete; the figure's simulation goes on alone.
        cut = early and not (drawn and len(self._redrawn) > 1)
        # A part that a link had opened by a setting of its own leaves the address as it is.
        if drawn and not (cut or whole):
            asked.known = True
        if not early and self._refused(asked, whole=whole):
            asked.known = True
            asked.picture = asked.picture or time.perf_counter() - asked.start
        # A simulation goes on in further runs until it says so.
        if cut or not asked.known:
            asked.early = asked.early or bool(asked.picture)
            return
        asked.finished = time.perf_counter() - asked.start
        self._busy = early

    def _others(self, status: int, asked: _Asked) -> bool:
        """Tell whether a part of the page has ended that was not asked for: strips run once more by themselves."""
        part = status == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        return part and bool(self._redrawn) and asked.answers not in self._redrawn

    def _refused(self, asked: _Asked, *, whole: bool) -> bool:
        """Tell whether a server takes no change of the control that was changed.

        Its controls come after a picture: that picture has put it out of use meanwhile, or away, or
        the part that it was in, of which nothing is drawn then.
        """
        if asked.key in self._seen:
            return bool(getattr(self.controls.get(asked.key), "disabled", False))
        gone = whole or not self._redrawn or asked.fragment in self._redrawn
        return bool(asked.key) and not asked.known and gone

    def _element(self, message: ForwardMsg) -> str:
        """Take in an element; return what was drawn: "main", "part", or nothing that counts."""
        self._redrawn.add(message.delta.fragment_id)
        found = described(message, self.controls)
        if found is not None:
            key, self.controls[key] = found
            self._seen.add(key)
            return ""
        if message.delta.WhichOneof("type") != "new_element":
            return ""
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise TroubleError(f"an exception on the page: {element.exception.type}")
        if kind == "html":
            return self._sentence(element.html.body)
        if kind != "bidi_component" or element.bidi_component.id.endswith(NO_CHART):
            return ""
        return self._chart(element.bidi_component, message.delta.fragment_id)

    def _chart(self, chart: BidiComponent, fragment: str) -> str:
        if chart.id.endswith(STRIPS):
            self._asks = chart.id, fragment
            self._strip = chart.bytes
            return "strip" if chart.bytes else ""
        if not chart.id.endswith(MAIN):
            return "part"
        self.picture, self._follows = chart.SerializeToString(), fragment
        self._following, self.at_drags = _sliders(chart.bytes)
        return "main"

    def _sentence(self, text: str) -> str:
        if FAILED in text:
            raise TroubleError("a part of the page could not be computed")
        if OVERLOADED in text:
            raise TroubleError(html.unescape(re.sub("<[^>]*>", "", text)))
        if not any(words in text for words in REFUSED):
            return ""
        self._following = {}  # the chart is gone, and with it whoever would ask for strips
        # The same sentence again is an answer again.
        self._refusals += 1
        self.picture = f"{text} {self._refusals}".encode()
        return "main"


@contextlib.asynccontextmanager
async def _listening(seconds: float, late: str = "") -> AsyncIterator[None]:
    """Give a server so long; then it is trouble, where there are words for it."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        if late:
            raise TroubleError(f"{late} within {seconds:g} s") from None
    except ConnectionClosed as error:
        raise TroubleError(f"the connection was closed: {error}") from None


def _sliders(data: bytes) -> tuple[dict[str, str], bool]:
    """Return the sliders that a figure can follow with the keys of their strips, and whether a drag asks."""
    if not data.startswith(b'{"sliders":'):
        return {}, False
    setting = json.loads(data[: data.index(b"\n")])
    keys = {name: slider["key"] for name, slider in setting["sliders"].items()}
    return keys, setting.get("asks") == "drag"


_TRUSTING: list[ssl.SSLContext] = []


def trusting() -> ssl.SSLContext:
    """Return a TLS context for a server on loopback whose certificate is its own."""
    if not _TRUSTING:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        _TRUSTING.append(context)
    return _TRUSTING[0]
