"""The dashboard as `privsc serve` starts it (__main__.py): Streamlit's own command, in a process that visits itself first.

The first visitor of a fresh server would wait for imports and first computations, and two hundred
first visitors for ten seconds. So this one comes before them, to every page, over the websocket
like a visitor; afterwards what is in memory to stay is taken out of garbage collection.
"""

from __future__ import annotations

import atexit
import gc
import itertools
import logging
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from streamlit import config, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web import cli
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from pages.shared.host import opening, ops, static_files
from pages.shared.host.static_files import STORE
from pages.shared.page import live
from pages.shared.room import web
from pages.shared.scheduling import processes, scheduler
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_PATIENCE = 60.0
_SCHEDULER = "--scheduler="
_LANES_MOST = 16
_LARGE = 128 * 2**10  # bytes: more than a figure as it is sent
_LOG = logging.getLogger("privsc")
_ROOT = Path(__file__).parents[2]


def main() -> None:
    """Start the dashboard; the options are those of `streamlit run`, and ``--scheduler=ADDRESS``."""
    processes.keep_apart(_LARGE)
    words = sys.argv[1:]
    named = [word for word in words if word.startswith(_SCHEDULER)]
    ops.start()
    try:
        if named:
            _send_away(named[-1].removeprefix(_SCHEDULER))
        web.open_to(STORE)
    except InputError as error:
        sys.stderr.write(f"privsc: error: {error}\n")
        sys.exit(2)
    live.open_to(STORE)
    static_files.in_front(STORE, announce)
    threading.Thread(target=visit_all, name="first-visit", daemon=True).start()
    words = [word for word in words if word not in named]
    cli.main(["run", "app.py", *words], prog_name="streamlit")


def _send_away(address: str) -> None:
    """Let a Dask cluster compute long tasks."""
    # Not at the top: who names no cluster needs no Dask.
    from pages.shared.scheduling.cluster import Remote  # noqa: PLC0415 - see above
    from privsc_core.sweep.calls import Cluster  # noqa: PLC0415 - see above

    cluster = Cluster(address, scheduler.SCHEDULER.stay)
    atexit.register(cluster.close)
    lanes = min(cluster.workers, _LANES_MOST)
    scheduler.SCHEDULER.send_away(lambda: Remote(cluster), lanes)
    _LOG.info("the cluster at %s computes what takes long, %d at a time", address, lanes)


def visit_all() -> None:
    """Visit every page once, then freeze what is there; never in a visitor's way."""
    ends = time.monotonic() + _PATIENCE
    pages = ["", *sorted(path.stem for path in (_ROOT / "pages").glob("[a-z]*.py"))]
    while pages and time.monotonic() < ends:
        # Not sooner: the first reading of the configuration fixes it.
        if not runtime.exists():
            time.sleep(0.02)
            continue
        try:
            _visit(pages[0])
            del pages[0]
        except (OSError, TimeoutError, WebSocketException):  # it does not listen yet
            time.sleep(0.1)
    open_all()
    if pages:
        _LOG.warning("the first visit did not end within %g s", _PATIENCE)
    gc.collect()
    gc.freeze()
    processes.trim()
    prepare_all()
    processes.trim()


def announce() -> None:
    """Send every page with our program from the first request on; its still follows."""
    # Not at the top: what this imports may read the configuration before Streamlit's command.
    from pages.shared.page import first  # noqa: PLC0415 - see above

    _put(first.plain)


def open_all() -> None:
    """Prepare what browsers are sent first: pages that name their files, and the files."""
    from pages.shared.page import first  # noqa: PLC0415 - see above

    _put(first.documents)
    STORE.warm([*opening.needed(), *(f"app/static/{name}" for name in static_files.PUBLISHED)])


def _put(documents: Callable[[], Iterable[tuple[str, str]]]) -> None:
    try:
        static_files.publish()
        STORE.put(dict(documents()))
    except Exception:  # noqa: BLE001 - then they are sent as Streamlit has them, or without a still
        _LOG.exception("no first pages")


def prepare_all() -> None:
    """Compute the first visitors' figures in the worker; it takes about a minute."""
    # Not at the top: what these import may read the configuration before Streamlit's command.
    from pages.shared.frame import sitemap  # noqa: PLC0415 - see above
    from pages.shared.page import declaration, first, lines  # noqa: PLC0415 - see above

    moves = [first.likely(declaration.declared(file)) for _, file in sitemap.classes()]
    moves += [lines.likely(), lines.likely_slacks()]
    for prepare in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*moves))):
        try:
            prepare()
        except (InputError, RuntimeError):  # refused like a visitor's, or stopped with the server
            continue


def _visit(page: str) -> None:
    host = config.get_option("server.address") or "127.0.0.1"
    # Listening everywhere includes loopback.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    host = f"[{host}]" if ":" in host else host
    base = str(config.get_option("server.baseUrlPath")).strip("/")
    address = "/".join(
        filter(None, (f"ws://{host}:{config.get_option('server.port')}", base, "_stcore/stream"))
    )
    message = BackMsg()
    message.rerun_script.page_name = page
    # All that comes is taken in: what were left would keep the line from being closed for 10 s.
    with connect(address, open_timeout=5, max_size=None, max_queue=None, proxy=None) as socket:
        socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(socket.recv(timeout=_PATIENCE, decode=False))
            # A simulation that goes on is not waited for.
            if answer.WhichOneof("type") == "script_finished":
                return
