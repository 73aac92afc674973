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
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pages.shared.state.fields import EVERYWHERE, ends
from pages.shared.state.link import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "CHART",
    "FIND_FOLDER",
    "FOLDER",
    "PLOTLY",
    "PUBLISHED",
    "ZIP",
    "ZIPPER",
    "chart_program",
    "offer",
    "offered",
    "plotly_program",
    "publish",
]

_ROOMS = Path(__file__).parents[1]
# One file: one request.
_PROGRAMS = (
    "chart/chart.js", "chart/dress.js", "chart/live.js", "chart/hand.js", "chart/steady.js", "chart/frames.js",
    "chart/sketch.js", "chart/doors.js", "chart/turn.js", "chart/paper.js", "chart/tips.js", "chart/arrive.js", "frame/aloud.js", "frame/connection.js",
    "frame/drawer.js", "frame/history.js", "frame/typed.js", "frame/lit.js", "frame/tour.js", "frame/search.js", "frame/seen.js",
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
    """Tell whether a program was published by `offer`."""
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
