"""The process that computes what takes long: a child of the server, started by office.py.

Reads pickled requests on standard input, answers on what was standard output; ends with its
parent. Imports no Streamlit: what it runs are functions of the core. It has one thread of its own
for linear algebra, a low priority, and a bound on its memory.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import sys
import time
import traceback
from typing import TYPE_CHECKING, BinaryIO

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MEMORY", "NICENESS", "Answer", "main"]

NICENESS = 10
MEMORY = 1500 * 2**20  # bytes of data; a large request takes a tenth of it

# ("done", value, seconds) | ("refused", (parameter, requirement, got), 0) | ("failed", trace, 0)
_WANTED = ("pages.shared.chart.payload",)

Answer = tuple[str, object, float]


def main() -> None:
    """Serve until the parent closes the pipe."""
    _humble()
    for name in _WANTED:  # now, and not in the time of the first request
        importlib.import_module(name)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints, prints into the log
    pickle.dump("ready", answers)
    answers.flush()
    while _one(requests, answers):
        pass


def _humble() -> None:
    """Take little: others drag sliders meanwhile."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _one(requests: BinaryIO, answers: BinaryIO) -> bool:
    try:
        function, arguments, keywords = pickle.load(requests)  # noqa: S301 - from our own parent
    except EOFError:
        return False
    try:
        reply = pickle.dumps(_computed(function, arguments, keywords))
    except Exception:  # noqa: BLE001 - a result that cannot travel is a failure like any other
        reply = pickle.dumps(("failed", traceback.format_exc(), 0.0))
    try:
        answers.write(reply)
        answers.flush()
    except BrokenPipeError:  # the server was killed: nobody to tell
        os._exit(0)  # closing the pipe at the end would fail as well, and say so
    return True


def _computed(
    function: Callable[..., object], arguments: tuple[object, ...], keywords: dict[str, object]
) -> Answer:
    begin = time.process_time()
    try:
        value = function(*arguments, **keywords)
    except InputError as refused:
        return "refused", (refused.parameter, refused.requirement, refused.got), 0.0
    except MemoryError:
        limit = f"must fit in {MEMORY // 2**20} MB of memory on this server"
        return "refused", ("This computation", limit, "more"), 0.0
    except Exception:  # noqa: BLE001 - the boundary between two processes
        return "failed", traceback.format_exc(), 0.0
    return "done", value, time.process_time() - begin


if __name__ == "__main__":
    main()
