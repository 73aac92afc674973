"""The entry: it hears Ctrl-C before anything slow is imported."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; see `commands.main`.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after the program's name; by default those of this process, which then ends at
        once at Ctrl-C.
    """
    if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from privsc_core.cli import commands  # it takes half a second, in which Ctrl-C must work

    return commands.main(argv)


def _end(*_: object) -> NoReturn:
    """End this process and its workers.

    No `KeyboardInterrupt` is raised: libraries in C turn it into errors of their own, and what ends with the
    interpreter would print it. All that we write is whole at any moment, as a kill needs it too.
    """
    try:
        # Not imported here: who has not imported it has no workers.
        if processes := sys.modules.get("multiprocessing"):
            for worker in processes.active_children():
                worker.terminate()
    finally:
        os._exit(INTERRUPTED)
