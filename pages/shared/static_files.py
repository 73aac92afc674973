"""The browser's own programs, served by this server: no request ever leaves for another host.

Streamlit serves the folder ``static/`` beside app.py as ``/app/static/``. It is made, not
committed: Plotly comes out of assets/, chart.js and chart.css out of this folder. Every name
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

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CHART", "FOLDER", "PLOTLY", "publish"]

_HERE = Path(__file__).parent

# Not resolved: where pages/ is a link, static/ belongs beside the app that links to it.
FOLDER = _HERE.parents[1] / "static"


def _chart_program() -> bytes:
    """Return chart.js with its style sheet inside: one request, and no flash of bare HTML."""
    program = (_HERE / "chart.js").read_text(encoding="utf-8")
    style = (_HERE / "chart.css").read_text(encoding="utf-8")
    return f"{program}\nconst STYLE = {json.dumps(style)};\n".encode()


PLOTLY = "plotly-cartesian-4.1.1.min.js"
_ASSETS = _HERE.resolve().parents[1] / "assets"
CHART = f"chart-{hashlib.sha256(_chart_program()).hexdigest()[:12]}.js"


@functools.cache
def publish() -> None:
    """Make sure that both programs lie in ``static/``; once per process.

    A folder that cannot be written is fine as long as the files are there already, which is how
    a container image with a read-only file system starts.

    Raises
    ------
    RuntimeError
        When a program is missing and cannot be written.
    """
    source = _ASSETS / PLOTLY
    _provide(FOLDER / PLOTLY, source.stat().st_size, source.read_bytes)
    program = _chart_program()
    _provide(FOLDER / CHART, len(program), lambda: program)


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
            "(python -c 'from pages.shared import static_files; static_files.publish()')."
        ) from error
