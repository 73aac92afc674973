"""What phones and the lecturer's screen ask by HTTP, in front of Streamlit.

- ``GET join/CODE``: the phone's page, the same for all letters.
- ``POST room/CODE/join`` ``{"number": 32 hexadecimal digits, "answers": {question: value}}``: let a phone in. Answers
  ``{phone, token, epoch, state}``. A phone that has a token sends it, also one of before the room began anew, and stays
  the phone that it was. The number is random and made by the phone: when it asks again because no answer came, it is
  still one phone.
- ``GET room/CODE/state?seen=NUMBER``: the state, or 204 where `seen` is its number.
- ``GET room/CODE/events?token=TOKEN``: the same states as server-sent events, a comment every 15 s.
- ``POST room/CODE/commit`` ``{"question": id, "value": number}``: answers ``{kept, mine, count}``, where `mine` is the answer
  that is kept, the first.
- ``GET room/CODE/screen`` with the header X-Room-Secret: what the lecturer's screen shows, see `rooms.Seen`.

Phones show their token in the header X-Room-Token. What is refused is ``{"error": sentence}``: 400 for no JSON or no
answer, 403 for another site or a phone that has not joined (it joins again), 404 where there is no open room, 409 when
the room has begun anew (the phone joins again), 410 for a question that is over, 413 for too much; 429 and 503 with
Retry-After.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import os
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.responses import Response

from pages.shared.host import static_files
from pages.shared.room import rooms
from pages.shared.room.rooms import RefusedError
from pages.shared.room.store import StoreError

It = TypeVar("It")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from pages.shared.room.rooms import Phone, Rooms
    from pages.shared.room.store import Room

    _Kept = tuple[tuple[object, ...], asyncio.Future[It]]

SILENCE = 15.0  # seconds until a stream says that it is there
WATCH = 0.1  # seconds between two looks at the store
BODY = {"join": 4096, "commit": 1024}  # bytes
STREAMS, OF_ONE = 6000, 3  # open streams of this process, and of one phone
_PATIENCE = 10.0  # seconds for a body, or for a phone that takes nothing
_THREADS = 4
_HERE = Path(__file__).parent
_LOG = logging.getLogger("privsc")
_NEVER = {"Cache-Control": "no-store"}


def page() -> str:
    """Return the phone's page as one text: its style sheet and its program are in it."""
    text = (_HERE / "phone.html").read_text(encoding="utf-8")
    for tag, named, file in (
        ("style", '<link rel="stylesheet" href="phone.css">', "phone.css"),
        ("script", '<script src="phone.js" defer></script>', "phone.js"),
    ):
        inside = (_HERE / file).read_text(encoding="utf-8")
        text = text.replace(named, f"<{tag}>{inside}</{tag}>")
    return text


class Join:
    """ASGI application that sends the phone's page, for all letters the same."""

    def __init__(self) -> None:
        self._text = static_files.Text.of(page())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if scope["method"] not in {"GET", "HEAD"}:
            answer: Response = _refused(RefusedError(405, "This address is only read."))
        elif len(scope["path"]) > rooms.CODE or not (scope["path"] or "A").isalnum():
            answer = _refused(RefusedError(404, rooms.CLOSED))
        else:
            answer = self._text.answer(Headers(scope=scope))
        await answer(scope, receive, send)


class Web:
    """ASGI application that answers below ``room/``.

    Parameters
    ----------
    known : Rooms
    """

    def __init__(self, known: Rooms) -> None:
        self.rooms = known
        known.tell = self._tell
        self._threads = CapacityLimiter(_THREADS)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bells: dict[str, asyncio.Event] = {}
        self._states: dict[str, _Kept[bytes]] = {}
        self._given: dict[str, _Kept[dict[str, float]]] = {}
        self._streams: dict[tuple[str, str], list[asyncio.Event]] = {}
        self._open = 0
        self._ended = threading.Event()

    # --- what changes ------------------------------------------------------------------------------

    def watch(self) -> None:
        """Look after the store until the server ends; in a thread of its own."""
        silent = False
        while not self._ended.wait(WATCH):
            try:
                self.rooms.watch()
                silent = False
            except StoreError as error:
                if not silent:
                    _LOG.error("%s", error)
                silent = True
            except Exception:  # noqa: BLE001 - without this thread no phone is ever told anything
                if not silent:
                    _LOG.exception("the rooms could not be watched")
                silent = True

    def _tell(self, news: set[str]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._ring, news)

    def _ring(self, news: set[str]) -> None:
        for name in news:
            bell = self._bells.pop(name, None)
            if bell is not None:
                bell.set()
            if name not in self.rooms.rooms:
                self._states.pop(name, None)
                self._given.pop(name, None)

    def end(self) -> None:
        """End all streams: a server waits for its answers before it ends."""
        self._ended.set()
        self._tell(set(self._bells))

    # --- requests ----------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        self._loop = asyncio.get_running_loop()
        code, _, what = scope["path"].partition("/")
        headers = Headers(scope=scope)
        client = scope.get("client")
        address = client[0] if client else ""
        try:
            method, answer = self._route(what, scope["method"])
            _same_site(headers, must=method == "POST")
            said = _Said(code, headers, _query(scope["query_string"]), address)
            if method == "POST":
                said.body = await _body(receive, headers, BODY[what])
            done = await answer(said)
        except RefusedError as refusal:
            done = _refused(refusal)
        except StoreError as error:
            _LOG.error("%s", error)
            done = _refused(RefusedError(503, "This room does not answer just now.", 2.0))
        await done(scope, receive, send)

    def _route(self, what: str, method: str) -> tuple[str, Callable[[_Said], Any]]:
        routes = {
            "join": ("POST", self._join), "commit": ("POST", self._commit), "state": ("GET", self._state),
            "events": ("GET", self._events), "screen": ("GET", self._screen),
        }  # fmt: skip
        if what not in routes:
            raise RefusedError(404, rooms.CLOSED)
        if routes[what][0] != method:
            raise RefusedError(405, f"This address takes {routes[what][0]} alone.")
        return routes[what]

    async def _do(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return await to_thread.run_sync(partial(call, *arguments), limiter=self._threads)

    async def _join(self, said: _Said) -> Response:
        phone, token, wait = await self._do(
            self.rooms.join, said.code, said.token, said.body.get("answers"), said.address,
            said.body.get("number"),
        )  # fmt: skip
        if wait:
            await asyncio.sleep(wait)
        state = json.loads(await self._told(phone, fresh=True))
        return _json(
            {"phone": phone.name, "token": token, "epoch": phone.room.stamp, "state": state}
        )

    async def _commit(self, said: _Said) -> Response:
        phone = self.rooms.phone(said.code, said.token, said.address)
        kept = await self._do(
            self.rooms.commit, phone, said.body.get("question"), said.body.get("value")
        )
        return _json(kept)

    async def _screen(self, said: _Said) -> Response:
        secret = said.headers.get("x-room-secret", "")
        seen = await self._do(self.rooms.screen, said.code, secret, said.address)
        return _json(seen._asdict())

    async def _state(self, said: _Said) -> Response:
        phone = self.rooms.phone(said.code, said.token, said.address)
        self.rooms.here(phone)
        if said.query.get("seen") == str(phone.room.number):
            return Response(status_code=204, headers=_NEVER)
        return Response(await self._told(phone, fresh=True), 200, _NEVER, "application/json")

    async def _events(self, said: _Said) -> ASGIApp:
        phone = self.rooms.phone(said.code, said.query.get("token", said.token), said.address)
        if self._open >= STREAMS:
            raise RefusedError(503, "Too many phones listen. This one asks instead.", 30.0)
        return partial(self._stream, phone, said.headers.get("last-event-id", ""))

    # --- states ------------------------------------------------------------------------------------

    async def _told(self, phone: Phone, *, fresh: bool) -> bytes:
        """Return the state for one phone: what all are told, and its own answer.

        `fresh` reads that answer from the store; without, all answers are read once for all phones that are told
        the same change.
        """
        room = self.rooms.rooms.get(phone.room.id, phone.room)
        shared = await self._shared(room)
        mine = None
        if room.question and room.stamp == phone.room.stamp:
            if fresh:
                mine = await self._do(self.rooms.store.answer, room.id, room.question, phone.name)
            else:
                mine = (await self._all(room)).get(phone.name)
        own = f',"mine":{json.dumps(mine)},"count":{room.committed}}}'
        return shared[:-1] + own.encode()

    async def _shared(self, room: Room) -> bytes:
        """Return the state of a room as all its phones are told it, as text."""
        return await self._once(self._states, room, lambda: _packed(self.rooms.state(room)))

    async def _all(self, room: Room) -> dict[str, float]:
        """Return the answers to the present question by phone, as they were when it became so."""
        return await self._once(
            self._given, room, lambda: self.rooms.store.answers(room.id, room.question)
        )

    async def _once(self, kept: dict[str, _Kept[It]], room: Room, call: Callable[[], It]) -> It:
        """Return what a function returns, called once for each change of a room however many ask at once."""
        found = kept.get(room.id)
        if found is None or found[0] != _look(room) or _failed(found[1]):
            found = kept[room.id] = _look(room), asyncio.ensure_future(self._do(call))
        return await asyncio.shield(found[1])

    async def _stream(
        self, phone: Phone, last: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Send states as they come, until the phone, the room or the server has gone."""
        key = (phone.room.id, phone.name)
        ended = asyncio.Event()
        theirs = self._streams.setdefault(key, [])
        theirs.append(ended)
        for older in theirs[:-OF_ONE]:
            older.set()
        self._open += 1
        gone = asyncio.ensure_future(_until_gone(receive, ended))
        try:
            with contextlib.suppress(
                OSError, TimeoutError
            ):  # it has gone, or takes nothing any more
                await send({"type": "http.response.start", "status": 200, "headers": _STREAM})
                await self._speak(phone, last, gone, send)
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            self._open -= 1
            theirs.remove(ended)
            if not theirs:
                self._streams.pop(key, None)

    async def _speak(self, phone: Phone, last: str, gone: asyncio.Future[None], send: Send) -> None:
        async def say(text: bytes) -> None:
            async with asyncio.timeout(_PATIENCE):
                await send({"type": "http.response.body", "body": text, "more_body": True})

        await say(b"retry: 2000\n\n")
        while True:
            bell = self._bells.setdefault(phone.room.id, asyncio.Event())
            room = self.rooms.rooms.get(phone.room.id)
            self.rooms.here(phone)
            if room is None:
                return
            if str(room.number) != last:
                last = str(room.number)
                try:
                    text = await self._told(phone, fresh=False)
                except StoreError:
                    return
                await say(b"id: %d\ndata: %b\n\n" % (room.number, text))
            if room.closed or room.stamp != phone.room.stamp:
                return
            while not await _rings(bell, gone):
                if gone.done() or self._ended.is_set():
                    return
                self.rooms.here(phone)
                await say(b": here\n\n")
            if self._ended.is_set():
                return


async def _rings(bell: asyncio.Event, gone: asyncio.Future[None]) -> bool:
    """Wait for news, for the phone's end, or for the time to say something; tell whether there is news."""
    ringing: asyncio.Future[Any] = asyncio.ensure_future(bell.wait())
    try:
        await asyncio.wait({ringing, gone}, timeout=SILENCE, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ringing.cancel()
    return bell.is_set() and not gone.done()


async def _until_gone(receive: Receive, ended: asyncio.Event) -> None:
    async def listening() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    both = [asyncio.ensure_future(listening()), asyncio.ensure_future(ended.wait())]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in both:
            one.cancel()


def _look(room: Room) -> tuple[object, ...]:
    """Return what differs where phones are told something new."""
    return room.number, room.stamp, room.closed


def _failed(it: asyncio.Future[Any]) -> bool:
    return it.done() and (it.cancelled() or it.exception() is not None)


class _Said:
    """What a request says."""

    def __init__(self, code: str, headers: Headers, query: Mapping[str, str], address: str) -> None:
        self.code, self.headers, self.query, self.address = code, headers, query, address
        self.token = headers.get("x-room-token", "")
        self.body: dict[str, Any] = {}


def _same_site(headers: Headers, *, must: bool) -> None:
    """Refuse what a page of another site asks; what changes something must say where it comes from."""
    origin, host = headers.get("origin"), headers.get("host", "")
    site = headers.get("sec-fetch-site", "same-origin")
    ours = host and origin is not None and origin.partition("://")[2] == host
    if site not in {"same-origin", "none"} or not (ours or (origin is None and not must)):
        raise RefusedError(403, "Only pages of this site may ask this.")


def _query(text: bytes) -> dict[str, str]:
    try:
        found = parse_qs(text.decode("latin-1"), max_num_fields=4)
    except ValueError:
        raise RefusedError(400, "This address says too much.") from None
    return {key: some[0] for key, some in found.items()}


async def _body(receive: Receive, headers: Headers, most: int) -> dict[str, Any]:
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most:
        raise RefusedError(413, f"A body has at most {most} bytes.")
    content, more = b"", True
    try:
        async with asyncio.timeout(_PATIENCE):
            while more:
                message = await receive()
                content += message.get("body", b"")
                more = message.get("more_body", False)
                if len(content) > most:
                    raise RefusedError(413, f"A body has at most {most} bytes.")
    except TimeoutError:
        raise RefusedError(408, "The body did not come.") from None
    try:
        found = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RefusedError(400, "A body is a JSON object.")
    return found


def _packed(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _json(value: object, status: int = 200, headers: Mapping[str, str] = _NEVER) -> Response:
    return Response(_packed(value), status, dict(headers), "application/json")


def _refused(refusal: RefusedError) -> Response:
    said = dict(_NEVER)
    if refusal.wait:
        said["Retry-After"] = str(math.ceil(refusal.wait))
    return _json({"error": refusal.sentence}, refusal.status, said)


_STREAM = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # of front servers of nginx's kind
]


def open_to(store: static_files.Store) -> None:
    """Let a server answer for rooms, if PRIVSC_ROOMS does not say `off`.

    Raises
    ------
    InputError
        When the store that it names does not answer. The default file may fail: then there are no rooms.
    """
    known = rooms.chosen()
    if known is None:
        return
    try:
        known.watch()
    except StoreError as error:
        if os.environ.get("PRIVSC_ROOMS"):
            raise
        _LOG.warning("no rooms: %s", error)
        return
    web = Web(known)
    store.mount("join/", Join())
    store.mount("room/", web)
    store.at_end(web.end)
    threading.Thread(target=web.watch, name="rooms", daemon=True).start()
    rooms.OPEN.set()
