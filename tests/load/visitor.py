"""One visitor: the browser's side of Streamlit's protocol, without the browser.

Speaks protobuf over the websocket exactly as the front end does: opens a page, finds the sliders
among the elements that arrive, moves one, and holds the server to its answer. Nothing is drawn,
so that one process can be a lecture hall.
"""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["PATIENCE", "TroubleError", "Visitor", "trusting"]

PATIENCE = 180.0  # seconds until an answer that does not come is an error
MAIN = "-main"  # how the identifier of a page's main chart ends
# What stands open beside the figure; the other sliders are in a fold.
MOVED = ("w_d", "w_eps", "w_delta", "w_m")
FAILED = "could not be computed"
REFUSED = "waits for a setting that exists"  # instead of a picture; an answer like any other


class TroubleError(Exception):
    """Something a visitor should never see; the text says what."""


@dataclass
class Slider:
    """A slider as the page last described it."""

    identifier: str
    stops: tuple[str, ...]
    place: int
    disabled: bool
    fragment: str


@dataclass
class Answer:
    """What one request brought: seconds until the picture and until the end, and bytes."""

    picture: float
    finished: float
    received: int


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
    sliders: dict[str, Slider] = field(default_factory=dict)
    picture: bytes = b""
    session: str = ""
    received: int = 0
    socket: ClientConnection | None = None
    _page_hash: str = ""

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

    # --- what a visitor does -------------------------------------------------------------------

    async def arrive(self) -> Answer:
        """Open the page and wait for its first picture and its end."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        self.picture = b""
        return await self._ask(message, wants_picture=bool(self.page))

    def movable(self) -> list[str]:
        """Return the sliders that a visitor would move, of those that are there."""
        return [name for name in MOVED if name in self.sliders and not self.sliders[name].disabled]

    async def change(self, key: str = "", place: int | None = None) -> Answer:
        """Move a slider and wait for the new picture; which and where is random unless given.

        A slider is named by its key, such as ``w_d``.
        """
        key = key or self._random.choice(self.movable())
        slider = self.sliders[key]
        if place is None:
            place = self._random.choice([i for i in range(len(slider.stops)) if i != slider.place])
        slider.place = place
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self._page_hash
        message.rerun_script.fragment_id = slider.fragment
        for one in self.sliders.values():
            state = message.rerun_script.widget_states.widgets.add()
            state.id = one.identifier
            state.string_array_value.data.append(one.stops[one.place])
        return await self._ask(message, wants_picture=True)

    # --- the protocol --------------------------------------------------------------------------

    async def _ask(self, message: BackMsg, *, wants_picture: bool) -> Answer:
        if self.socket is None:
            raise TroubleError("not connected")
        start = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.socket.send(message.SerializeToString())
                return await self._answer(start, wants_picture=wants_picture)
        except TimeoutError:
            raise TroubleError(f"no answer within {PATIENCE:g} s") from None
        except ConnectionClosed as error:
            raise TroubleError(f"the connection was closed: {error}") from None

    async def _answer(self, start: float, *, wants_picture: bool) -> Answer:
        begun, picture, received = False, 0.0, 0
        before = self.picture
        while True:
            data = await self.socket.recv()  # type: ignore[union-attr]
            received += len(data)
            message = ForwardMsg()
            message.ParseFromString(data)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                begun = True
                self._page_hash = message.new_session.page_script_hash
                self.session = message.new_session.initialize.session_id
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "delta":
                self._element(message)
                if begun and not picture and self.picture != before:
                    picture = time.perf_counter() - start
            elif kind == "script_finished" and begun:
                self._check_end(message.script_finished)
                # A simulation goes on in further runs until it says so.
                if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                if wants_picture and not picture:
                    raise TroubleError("the run ended without a new picture")
                self.received += received
                return Answer(picture, time.perf_counter() - start, received)
            elif kind == "session_event" and message.session_event.HasField(
                "script_compilation_exception"
            ):
                raise TroubleError(message.session_event.script_compilation_exception.message)

    @staticmethod
    def _check_end(status: int) -> None:
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            raise TroubleError("the page does not compile")

    def _element(self, message: ForwardMsg) -> None:
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "slider":
            it = element.slider
            name, stops = it.id.rsplit("-", 1)[-1], tuple(it.options)
            if it.set_value:
                place = stops.index(it.raw_value[0])
            elif name in self.sliders:
                place = self.sliders[name].place
            else:
                place = int(it.default[0])
            self.sliders[name] = Slider(it.id, stops, place, it.disabled, message.delta.fragment_id)
        elif kind == "bidi_component" and element.bidi_component.id.endswith(MAIN):
            self.picture = element.bidi_component.SerializeToString()
        elif kind == "exception":
            raise TroubleError(f"an exception on the page: {element.exception.type}")
        elif kind == "html" and FAILED in element.html.body:
            raise TroubleError("a part of the page could not be computed")
        elif kind == "html" and REFUSED in element.html.body:
            # The same sentence again is an answer again.
            self._refusals += 1
            self.picture = message.SerializeToString() + b" %d" % self._refusals


_TRUSTING: list[ssl.SSLContext] = []


def trusting() -> ssl.SSLContext:
    """Return a TLS context for a server on loopback whose certificate is its own."""
    if not _TRUSTING:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        _TRUSTING.append(context)
    return _TRUSTING[0]
