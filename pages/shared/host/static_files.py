"""The browser's own programs, served by this server: no request ever leaves for another host.

Streamlit serves the folder ``static/`` beside app.py as ``/app/static/``. It is made, not
committed: Plotly and fflate come out of assets/, the rest out of the rooms beside this one. Every name
carries a version or a hash, because a browser may keep what it once fetched.

Plotly is the project's own "cartesian" build (scatter, heat map, contour): the full one, which
the Python package carries, holds a page up for half a second longer while it is evaluated.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from streamlit import config, file_util
from streamlit.web.server.starlette import starlette_server

from pages.shared.state.fields import EVERYWHERE, ends
from pages.shared.state.link import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from streamlit.runtime import Runtime


_ROOMS = Path(__file__).parents[1]
# One file: one request.
_PROGRAMS = (
    "chart/chart.js", "chart/dress.js", "chart/live.js", "chart/hand.js", "chart/steady.js", "chart/frames.js",
    "chart/sketch.js", "chart/doors.js", "chart/turn.js", "chart/paper.js", "chart/tips.js", "chart/arrive.js", "frame/aloud.js", "frame/connection.js",
    "frame/drawer.js", "frame/history.js", "frame/typed.js", "frame/lit.js", "frame/tour.js", "frame/search.js",
)  # fmt: skip
_STYLES = ("chart/chart.css", "frame/connection.css", "frame/tour.css", "frame/search.css")

# Not resolved: where pages/ is a link, static/ belongs beside the app that links to it.
FOLDER = _ROOMS.parents[1] / "static"


# JavaScript that names the folder's address `folder`. It is taken from Streamlit's own script:
# right on /points as well as on /, and behind a proxy that serves the dashboard under a path of
# its own.
FIND_FOLDER = """const own = document.querySelector('script[src*="static/js/"]')?.src;
const folder = new URL("app/static/", own ? new URL("../../", own) : document.baseURI);"""


def chart_program() -> str:
    """Return the chart's program with its style sheet inside: one request, no flash of bare HTML."""
    parts = [(_ROOMS / name).read_text(encoding="utf-8") for name in _PROGRAMS]
    style = "".join((_ROOMS / name).read_text(encoding="utf-8") for name in _STYLES) + ends()
    told = {"STYLE": style, "CARRIED": [item.key for item in EVERYWHERE], "VERSION": str(VERSION)}
    constants = (f"const {name} = {json.dumps(value)};\n" for name, value in told.items())
    return "\n".join([*constants, *parts])  # first: a part may use them as soon as it runs


def plotly_program() -> str:
    """Return Plotly, for a file that has it inside."""
    return (_ASSETS / PLOTLY).read_text(encoding="utf-8")


def _hashed(stem: str, program: bytes) -> str:
    return f"{stem}-{hashlib.sha256(program).hexdigest()[:12]}.js"


# The npm packages plotly.js-cartesian-dist-min and fflate (umd/index.js), as published. To update:
# replace the file in assets/, and its name here.
PLOTLY = "plotly-cartesian-4.1.1.min.js"
ZIPPER = "fflate-0.8.3.min.js"
_ASSETS = _ROOMS.resolve().parents[1] / "assets"
_ZIP_PROGRAM = _ROOMS / "take" / "zip.js"
CHART = _hashed("chart", chart_program().encode())
ZIP = _hashed("zip", _ZIP_PROGRAM.read_bytes())
PUBLISHED = (PLOTLY, ZIPPER, ZIP, CHART)


@functools.cache
def publish() -> None:
    """Make sure that the programs lie in ``static/``; once per process.

    A folder that cannot be written is fine as long as the files are there already, which is how
    a container image with a read-only file system starts.

    Raises
    ------
    RuntimeError
        When a program is missing and cannot be written.
    """
    for name, source in (
        (PLOTLY, _ASSETS / PLOTLY),
        (ZIPPER, _ASSETS / ZIPPER),
        (ZIP, _ZIP_PROGRAM),
    ):
        _provide(FOLDER / name, source.stat().st_size, source.read_bytes)
    program = chart_program().encode()
    _provide(FOLDER / CHART, len(program), lambda: program)


_offered: set[str] = set()


def offer(stem: str, program: str) -> str:
    """Publish a program that is made while the server runs; return its name, with a hash in it.

    Raises
    ------
    RuntimeError
        When it cannot be written.
    """
    content = program.encode()
    name = _hashed(stem, content)
    _provide(FOLDER / name, len(content), lambda: content)
    _offered.add(name)
    return name


def offered(name: str) -> bool:
    """Return whether a program was published by `offer`."""
    return name in _offered


def _provide(target: Path, size: int, content: Callable[[], bytes]) -> None:
    """Write `target` unless it is there in full; readers never see half a file."""
    with contextlib.suppress(OSError):
        if target.stat().st_size == size:
            return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".partial-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content())
            Path(name).chmod(0o644)  # mkstemp is private, a web server of its own may read these
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RuntimeError(
            f"cannot write {target}, which the charts need: {error}. Make the folder writable "
            "once, or put the file there when the image is built "
            "(python -c 'from pages.shared.host import static_files; static_files.publish()')."
        ) from error


# -------------------------------------------------------------------------------------------------
# Programs and pages as `privsc serve` sends them: compressed once, kept by browsers for good.
#
# Streamlit's own server sends its programs as they are, because compressing them at every request
# would cost it too much. Here each is compressed once, when it is first asked for, and stays in
# memory: 1.3 MB for all that a class page needs. And what a part of the dashboard makes at request
# (`Store.makes`) is sent without a run of a page.


FOREVER = "public, max-age=31536000, immutable"
# With every answer; the front server sends the same (.hosting/nginx/headers.conf).
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    # What the dashboard promises, enforced by every browser: no request to another host.
    "Content-Security-Policy": (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; object-src 'none'; "
        "base-uri 'self'"
    ),
}
_KINDS = {".css": "text/css", ".js": "text/javascript"}
_OURS = "app/static/"  # Streamlit's address of the folder
# How many answers are computed on request at the same time. Other answers do not wait for them.
_MADE_MOST = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A page to send, with and without compression."""

    plain: bytes
    packed: bytes
    tag: str

    @classmethod
    def of(cls, page: str) -> Text:
        """Return a page, compressed once."""
        content = page.encode()
        return cls(content, _pack(content), f'"{hashlib.sha256(content).hexdigest()[:16]}"')

    def answer(self, headers: Headers) -> Response:
        """Return the answer to a request for it: a browser asks each time, and is sent it once."""
        said = {"Cache-Control": "no-cache", "ETag": self.tag, "Vary": "Accept-Encoding"}
        if self.tag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=said)
        zipped = takes_gzip(headers)
        if zipped:
            said["Content-Encoding"] = "gzip"
        return Response(self.packed if zipped else self.plain, 200, said, "text/html")


class Store:
    """What is sent: programs by address below the dashboard's own, pages by name, what others answer."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}
        self._packed: dict[str, bytes] = {}
        self._pages: dict[str, Text] = {}
        self._mounted: dict[str, ASGIApp] = {}
        self._ends: list[Callable[[], None]] = []
        self._lock = Lock()

    def open(self) -> None:
        """List the programs; only names that stand in the list are ever read."""
        top = Path(file_util.get_static_dir())
        found = (path for path in (top / "static").rglob("*") if path.suffix in _KINDS)
        self._files = {path.relative_to(top).as_posix(): path for path in found}
        for name in PUBLISHED:
            self._files[f"{_OURS}{name}"] = FOLDER / name

    def kind(self, address: str) -> str:
        """Return the media type of a program, or an empty text where there is none."""
        file = self._file(address)
        return _KINDS[file.suffix] if file else ""

    def _file(self, address: str) -> Path | None:
        """Return the file of a program: one of the list, or one that was made since."""
        name = address.removeprefix(_OURS)
        if address.startswith(_OURS) and offered(name):
            return FOLDER / name
        return self._files.get(address)

    def packed(self, address: str) -> bytes | None:
        """Return a program, compressed; None where its file is not there (yet)."""
        file = self._file(address)
        if address not in self._packed and file:
            with self._lock:  # two hundred browsers ask at once, one waits for the compression
                if address not in self._packed:
                    try:
                        content = file.read_bytes()
                    except OSError:
                        return None
                    self._packed[address] = _pack(content)
        return self._packed.get(address)

    def ready(self, address: str) -> bytes | None:
        """Return a program that has been compressed before."""
        return self._packed.get(address)

    def put(self, pages: Mapping[str, str]) -> None:
        """Take pages by name: the home page has an empty one."""
        for name, page in pages.items():
            self._pages[name] = Text.of(page)

    def page(self, name: str) -> Text | None:
        """Return a page, or None where it is left to Streamlit."""
        return self._pages.get(name)

    def mount(self, folder: str, app: ASGIApp) -> None:
        """Let an ASGI application answer all requests below a folder, such as ``app/stop/``.

        The path that it is given begins below the folder.
        """
        self._mounted[folder] = app

    def mounted(self, address: str) -> tuple[ASGIApp, str] | None:
        """Return the application that answers an address, and the rest of the address."""
        for folder, app in self._mounted.items():
            if address.startswith(folder):
                return app, address.removeprefix(folder)
        return None

    def at_end(self, call: Callable[[], None]) -> None:
        """Register what ends answers that would go on for ever: a server waits for them before it ends."""
        self._ends.append(call)

    def end(self) -> None:
        """End such answers."""
        for call in self._ends:
            call()

    def warm(self, addresses: Iterable[str]) -> None:
        """Compress programs before they are asked for."""
        for address in addresses:
            self.packed(address)


class Packed:
    """ASGI middleware that answers for what a store has; all else goes on to `app`.

    It adds `HEADERS` to every answer.

    Parameters
    ----------
    app : ASGI application
    store : Store
    base : str
        The path under which the dashboard is served; may be empty.
    """

    def __init__(self, app: ASGIApp, store: Store, base: str = "") -> None:
        self.app = app
        self._store = store
        self._base = f"/{base.strip('/')}/".replace("//", "/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        answer: ASGIApp | None = None
        path = str(scope.get("path", ""))
        if scope["type"] == "http" and path.startswith(self._base):
            address = path.removeprefix(self._base)
            found = self._store.mounted(address)
            if found:
                answer, rest = found
                scope = {**scope, "path": rest}
            elif scope["method"] in {"GET", "HEAD"}:
                answer = await self._answer(address, Headers(scope=scope))

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (answer or self.app)(scope, receive, secured)

    async def _answer(self, address: str, headers: Headers) -> Response | None:
        page = self._store.page(address)
        if page is not None:
            return page.answer(headers)
        kind = self._store.kind(address)
        if not (kind and takes_gzip(headers)) or "range" in headers:
            return None
        content = self._store.ready(address)
        if content is None:
            content = await to_thread.run_sync(self._store.packed, address)
        if content is None:
            return None
        said = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding", "Content-Encoding": "gzip"}
        return Response(content, 200, said, kind)


class Made:
    """ASGI application that answers each address by JSON that a function makes of it, two at the same time.

    Parameters
    ----------
    make : callable
        Returns what is sent, None for no content.
    """

    def __init__(self, make: Callable[[str], bytes | None]) -> None:
        self._make, self._making = make, CapacityLimiter(_MADE_MOST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        made = None
        if scope["method"] in {"GET", "HEAD"}:
            made = await to_thread.run_sync(self._make, scope["path"], limiter=self._making)
        answer = _just_made(made, zipped=takes_gzip(Headers(scope=scope)))
        await answer(scope, receive, send)


def in_front(store: Store, fill: Callable[[], None]) -> None:
    """Let the server that Streamlit's command starts answer from `store` first.

    Parameters
    ----------
    store : Store
    fill : callable
        Called before the server listens, when the configuration is settled.
    """
    plain = starlette_server.create_starlette_app  # type: ignore[attr-defined] # imported there

    def create(runtime: Runtime) -> ASGIApp:
        # Not sooner: the first reading of the configuration fixes it.
        base = str(config.get_option("server.baseUrlPath") or "")
        store.open()
        fill()
        app = plain(runtime)
        app.add_middleware(Packed, store=store, base=base)
        return app

    ends = starlette_server.UvicornServer.stop

    def end(self: starlette_server.UvicornServer) -> None:
        store.end()
        ends(self)

    # Middleware of one's own is only for st.App, which is another server with other habits (its
    # end, its log); so the one place where this one is made is replaced. A test starts it.
    starlette_server.create_starlette_app = create  # type: ignore[attr-defined, assignment]
    starlette_server.UvicornServer.stop = end  # type: ignore[method-assign]


def takes_gzip(headers: Headers) -> bool:
    """Return whether a browser takes what is compressed."""
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() == "gzip":
            return weight.strip().removeprefix("q=").strip("0.") != "" or "q=" not in weight
    return False


def _just_made(content: bytes | None, *, zipped: bool) -> Response:
    """Return what is sent once, so that packing it must cost little; None is no content."""
    said = {"Cache-Control": "no-store"}
    if content is None:
        return Response(status_code=204, headers=said)
    if zipped:
        said |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        content = _pack(content, 1)
    return Response(content, 200, said, "application/json")


def _pack(content: bytes, effort: int = 9) -> bytes:
    return gzip.compress(content, effort, mtime=0)


STORE = Store()
