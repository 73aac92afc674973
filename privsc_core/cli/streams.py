"""Standard output and standard error, which may be closed, full, or without a reader."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import sys
from typing import TYPE_CHECKING

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from typing import TextIO

ROOM = 1 << 16  # bytes that an answer may take
_OUTPUT = "standard output"


def check() -> None:
    """Refuse a standard output that would not take an answer, before anything is computed or paid.

    Raises
    ------
    InputError
        When it is closed, or full.
    BrokenPipeError
        When its reader is gone.
    """
    if sys.stdout is None:
        raise InputError(_OUTPUT, "must be open", "a closed one")
    try:
        handle = sys.stdout.fileno()
    except (OSError, ValueError):  # kept in memory, by a test or a notebook
        return
    try:
        os.write(handle, b"")  # what a device that is full refuses too
        _check_disk(handle)
    except OSError as error:
        raise _refusal(error) from None
    if hasattr(select, "poll"):
        pipe = select.poll()
        pipe.register(handle, 0)
        if any(event & select.POLLERR for _, event in pipe.poll(0)):
            raise BrokenPipeError


def _check_disk(handle: int) -> None:
    if stat.S_ISREG(os.fstat(handle).st_mode) and hasattr(os, "fstatvfs"):
        disk = os.fstatvfs(handle)
        free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
        if disk.f_blocks and free * disk.f_frsize < ROOM:  # some file systems count nothing
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _refusal(error: OSError) -> InputError:
    return InputError(_OUTPUT, "must take what is written to it", error.strerror or "an error")


def say(text: str) -> None:
    """Print at once on standard output, in any encoding; raises what `check` does."""
    if sys.stdout is None:
        raise InputError(_OUTPUT, "must be open", "a closed one")
    encoding = sys.stdout.encoding or "utf-8"
    data = text.encode(encoding, "replace")
    try:
        sys.stdout.flush()
        try:
            handle = sys.stdout.fileno()
        except (OSError, ValueError):  # kept in memory
            sys.stdout.write(data.decode(encoding))
        else:
            # By hand: of a write that had room for a part, an unbuffered stream forgets the rest.
            while data:
                data = data[os.write(handle, data) :]
    except OSError as error:
        _close(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise _refusal(error) from None


def tell(text: str) -> None:
    """Print at once on standard error; ignore that it is closed or full."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _close(sys.stderr)


def _close(stream: TextIO) -> None:
    """Discard what could not be written: the interpreter would complain when it flushes."""
    with contextlib.suppress(OSError):  # it has no handle
        handle = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), handle)
