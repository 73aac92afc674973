"""The figure of one stop of a slider, for a browser that has no strip of it (yet).

A strip is asked for when a hand comes near a slider; who clicks at once, on a phone or by a key, is
there before it. A run of the page takes a tenth of a second to show the new figure, most of it
for what stands around it. So the browser asks for that figure alone, by HTTP, where the server has
little to do: the run of the page, which comes all the same, waits for it (flights.py) and finds it computed.

Only `privsc serve` answers (`open_to`). What can be asked for are figures beside one that was sent, by
its key (live.py): nothing of a setting is read from an address.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from cachetools import LRUCache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.host import flights
from pages.shared.work import crowd
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pages.shared.host.packed import Store
    from pages.shared.work.job import Job

__all__ = ["offer", "open_to"]

_FOLDER = "app/stop/"  # beside that of the programs, see static_files.FIND_FOLDER
_KEPT = 4096  # sliders of settings
_LONGEST = 1.0  # seconds of waiting for what is not quick


class _Offered(NamedTuple):
    drawn: Callable[[float], Job]
    stops: tuple[float, ...]


_offered: LRUCache[str, _Offered] = LRUCache(_KEPT)
_lock = threading.Lock()
_open = threading.Event()


def open_to(store: Store) -> None:
    """Have what a server sends include the figures of stops."""
    store.makes(_FOLDER, _figure)
    _open.set()


def offer(key: str, drawn: Callable[[float], Job], stops: tuple[float, ...]) -> bool:
    """Offer the figures at the stops of a slider by its key; tell whether anybody can ask."""
    if _open.is_set():
        with _lock:
            _offered[key] = _Offered(drawn, stops)
        context = get_script_run_ctx()
        if context:
            flights.knows(context.session_id, key)
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
    with flights.flight(key):
        try:
            with crowd.turn(crowd.LATER):  # who asks for many is in nobody's way
                begun = found.drawn(found.stops[int(place)])
            with begun as job:
                done: bytes | None = job.result() if job.wait(_LONGEST) else None
        except (InputError, RuntimeError):  # there is no such setting, or it was stopped
            return None
    return done
