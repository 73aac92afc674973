"""Hostile traffic: after each kind of it an honest visitor must be answered as before."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.load import scenarios
from tests.load.measure import Tally
from tests.load.visitor import TroubleError, Visitor, trusting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.load.scenarios import Hall

SILENT = 500
# What an answer to a stranger may never hold. (Streamlit tells every browser the path of app.py.)
INTERNAL = (b"Traceback", b"site-packages", b"streamlit/runtime", b"privsc_core/")
QUIET = (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, EOFError, TroubleError)


@dataclass
class _Field:
    """The attacked address, and what came back that must not."""

    base: str
    leaks: list[str] = field(default_factory=list)

    def note(self, data: bytes | str, what: str) -> None:
        data = data.encode() if isinstance(data, str) else data
        self.leaks += [f"{what}: the answer holds {word!r}" for word in INTERNAL if word in data]

    def socket(self, **settings: Any) -> Any:
        parts = urlsplit(self.base)
        secure = parts.scheme == "https"
        settings.setdefault("origin", f"{parts.scheme}://{parts.netloc}")
        return connect(
            f"{'wss' if secure else 'ws'}://{parts.netloc}{parts.path}/_stcore/stream",
            subprotocols=["streamlit"], max_size=None, open_timeout=20, proxy=None,
            ssl=trusting() if secure else None, **settings,
        )  # fmt: skip

    async def http(self, data: bytes, *, read: bool = True) -> bytes:
        """Send raw bytes; return the beginning of what comes back."""
        where = urlsplit(self.base)
        reader, writer = await asyncio.open_connection(
            where.hostname, where.port, ssl=trusting() if where.scheme == "https" else None
        )
        try:
            with contextlib.suppress(OSError):
                writer.write(data)
                await writer.drain()
            return await asyncio.wait_for(reader.read(2**16), 10) if read else b""
        finally:
            writer.close()

    @property
    def host(self) -> str:
        return urlsplit(self.base).netloc

    @property
    def root(self) -> str:
        return urlsplit(self.base).path


async def _send(at: _Field, frame: bytes | str, what: str, **settings: Any) -> None:
    """Send one frame on a connection of its own, and read until the server has had enough."""
    async with at.socket(**settings) as socket:
        await socket.send(frame)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(3):
                while True:
                    at.note(await socket.recv(), what)


async def malformed(at: _Field) -> None:
    """Send frames that are no messages, text where bytes belong, and half a message."""
    whole = BackMsg()
    whole.rerun_script.query_string = "d=64"
    for frame in (
        secrets.token_bytes(500), "text", b"", whole.SerializeToString()[:-2], b"\xff" * 4096,
    ):  # fmt: skip
        with contextlib.suppress(*QUIET):
            await _send(at, frame, "malformed frame")


async def mistyped(at: _Field) -> None:
    """Send widget states of the wrong kind, of widgets that are there and that are not."""
    visitor = Visitor(at.base)
    await visitor.open()
    await visitor.arrive()
    message = BackMsg()
    message.rerun_script.page_name = "points"
    for slider in visitor.sliders.values():
        state = message.rerun_script.widget_states.widgets.add()
        state.id = slider.identifier
        state.double_array_value.data.append(1e308)
    state = message.rerun_script.widget_states.widgets.add()
    state.id = "x" * 10_000
    state.json_value = "[" * 10_000
    assert visitor.socket is not None
    await visitor.socket.send(message.SerializeToString())
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(3):
            while True:
                at.note(await visitor.socket.recv(), "mistyped widget")  # type: ignore[arg-type]
    await visitor.close()


async def oversized(at: _Field) -> None:
    """Send messages of 64 MB: as they are, and as a few kB that unpack to it."""
    message = BackMsg()
    message.rerun_script.query_string = "x" * 2**26
    frame = message.SerializeToString()
    for compression in (None, "deflate"):
        with contextlib.suppress(*QUIET):
            await _send(at, frame, "oversized message", compression=compression)


async def uploads(at: _Field) -> None:
    """Upload 100 MB where 5 are allowed, with and without saying so, to a session and to none."""
    visitor = Visitor(at.base)
    await visitor.open()
    await visitor.arrive()
    for session in (visitor.session, "nobody"):
        for length in ("Content-Length: 104857600", "Transfer-Encoding: chunked"):
            head = (
                f"PUT {at.root}/_stcore/upload_file/{session}/f HTTP/1.1\r\nHost: {at.host}\r\n"
                f"Content-Type: multipart/form-data; boundary=b\r\n{length}\r\n\r\n"
            )
            chunk = b"x" * 2**20
            if "chunked" in length:
                chunk = b"100000\r\n" + chunk + b"\r\n"
            with contextlib.suppress(*QUIET):
                at.note(await at.http(head.encode() + chunk * 100), "upload")
    await visitor.close()


async def foreign(at: _Field) -> None:
    """Connect from another site; being let in is a leak."""
    with contextlib.suppress(*QUIET):
        async with at.socket(origin="https://elsewhere.example") as socket:
            await socket.send(BackMsg().SerializeToString())
            await asyncio.wait_for(socket.recv(), 3)
            at.leaks.append("a page of another site was let in")


async def queries(at: _Field) -> None:
    """Ask with 100 kB of query string, over HTTP and over the websocket, and for odd paths."""
    long = "&".join(f"d={i}" for i in range(14_000))[:100_000]
    odd = "d=nan&eps=1e999&m=-1&learners=%00,%F0%9F%98%80&seed=" + "9" * 90_000
    for path in (
        f"points?{long}", f"points?{odd}", "app/static/../../pyproject.toml",
        "app/static/%2e%2e/%2e%2e/pyproject.toml", "static/../../config.py", "%00", "a" * 60_000,
        "app/stop/../../pyproject.toml", "app/stop/%00/1", "app/stop/0/" + "9" * 60_000,
    ):  # fmt: skip
        request = f"GET {at.root}/{path} HTTP/1.1\r\nHost: {at.host}\r\nConnection: close\r\n\r\n"
        with contextlib.suppress(*QUIET):
            answer = await at.http(request.encode())
            at.note(answer, "query")
            if b"build-backend" in answer:
                at.leaks.append(f"{path} is a file of ours")
    for query in (long, odd):
        visitor = Visitor(at.base, query=query)
        await visitor.open()
        await visitor.arrive()  # an honest answer: what cannot be used is said on the page
        await visitor.close()


async def rooms(at: _Field) -> None:
    """Guess letters of rooms, with tokens and bodies of all kinds; being let in is a leak, and so is a fault."""
    odd = (
        "ABCDEF",
        "%00",
        "A" * 9000,
        "..",
        "%2e%2e/%2e%2e",
        "<script>",
        "ABCDEF%0d%0aSet-Cookie:x",
    )
    bodies = (b"", b"{}", b"[" * 4000, b"\xff" * 100, b'{"question": 1, "value": NaN}')
    requests = [
        ("GET", f"room/{code}/{what}", head, b"")
        for code in odd
        for what in ("state?seen=" + "9" * 5000, "events?token=" + "0" * 5000, "screen", "join", "")
        for head in ("X-Room-Token: 0.0.0\r\nX-Room-Secret: " + "0" * 32,)
    ]
    requests += [
        ("POST", f"room/{code}/{what}", f"Origin: {at.base}\r\nContent-Length: {length}", body)
        for code in odd
        for what in ("join", "commit")
        for body in bodies
        for length in (len(body), 10**8)
    ]
    for method, path, head, body in requests:
        text = f"{method} {at.root}/{path} HTTP/1.1\r\nHost: {at.host}\r\nConnection: close\r\n{head}\r\n\r\n"
        with contextlib.suppress(*QUIET):
            answer = await at.http(text.encode() + body)
            at.note(answer, "room")
            status = answer.split(maxsplit=2)[1] if answer else b""
            if status.startswith((b"2", b"500")) and b"text/html" not in answer:
                at.leaks.append(f"room: {status!r} for {method} {path[:60]}")


async def _silent(at: _Field) -> list[Any]:
    """Open connections that say nothing, half of them websockets; they stay open."""
    where = urlsplit(at.base)
    open_ones: list[Any] = []
    for _ in range(SILENT // 2):
        with contextlib.suppress(*QUIET):
            open_ones.append(await asyncio.open_connection(where.hostname, where.port))
        with contextlib.suppress(*QUIET):
            open_ones.append(await at.socket().__aenter__())
    return open_ones


ATTACKS: dict[str, Callable[[_Field], Awaitable[None]]] = {
    function.__name__: function
    for function in (malformed, mistyped, oversized, uploads, foreign, queries, rooms)
}


async def attack(hall: Hall, *, only: tuple[str, ...] = (), silent: bool = True) -> dict[str, Any]:
    """Attack in every way; an honest visitor comes after each, and one more beside the silent."""
    at = _Field(hall.base)
    tally, record = Tally(), {"scenario": "hostile", "sessions": 1}
    honest: dict[str, float] = {}

    async def visit(after: str) -> None:
        visitor = Visitor(hall.base)
        begin = time.perf_counter()
        try:
            await visitor.open()
            await visitor.arrive()
            await visitor.change("w_d")
            honest[after] = round(time.perf_counter() - begin, 2)
            tally.seconds.append(time.perf_counter() - begin)
        except TroubleError as trouble:
            tally.errors.append(f"after {after}: {trouble}")
        finally:
            await visitor.close()

    async with scenarios.watched(hall, record):
        for name, run in ATTACKS.items():
            if only and name not in only:
                continue
            try:
                await run(at)
            except QUIET as error:
                tally.errors.append(f"{name}: {type(error).__name__}: {error}")
            await visit(name)
        if silent:
            held = await _silent(at)
            await visit(f"{len(held)} silent connections")
            for one in held:
                if isinstance(one, tuple):
                    one[1].close()
                else:
                    one.transport.abort()
    tally.errors += at.leaks
    return record | {"honest": honest} | tally.record()
