"""Processes that compute for this one: how they begin, what they share, and how they end.

On Linux each is a copy of one process, the fork server. That imports once what all of them need,
and then does nothing but copy itself: a copy begins within some milliseconds, and shares all memory
that neither side has written to since. The fork server is a fresh interpreter itself, because this
one has threads, which a copy would not have; or a copy of this one from before it had any (`share`), and shares
memory with it as well. Elsewhere each process is such an interpreter.

No process runs the main module of this one again, which under Streamlit is the page of whichever
visitor came last. All of them end with this one, however it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import itertools
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

FORKS = sys.platform == "linux"  # macOS has libraries that do not bear a copy of their process
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_SIZE = 8  # bytes that say how long a message is


class Channel:
    """A connection between two processes: whole values, in the order in which they were sent."""

    def __init__(self, reads: BinaryIO, writes: BinaryIO) -> None:
        self._reads, self._writes = reads, writes
        self._lock = threading.Lock()

    @classmethod
    def of(cls, pair: socket.socket) -> Channel:
        """Return the channel of one end of a pair of sockets."""
        with pair:
            return cls(pair.makefile("rb"), pair.makefile("wb"))

    def send(self, value: Any) -> None:
        """Send a value that pickles; several threads may.

        Raises
        ------
        OSError
            When the other process has ended.
        """
        said = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._writes.write(len(said).to_bytes(_SIZE, "big"))
            self._writes.write(said)
            self._writes.flush()

    def receive(self) -> Any:
        """Return the next value, once it is there.

        Raises
        ------
        EOFError
            When the other process has ended.
        """
        size = self._exactly(_SIZE)
        return pickle.loads(self._exactly(int.from_bytes(size, "big")))  # noqa: S301 - of our own process

    def _exactly(self, size: int) -> bytes:
        try:
            said = self._reads.read(size)
        except OSError:
            raise EOFError from None
        if len(said) < size:
            raise EOFError
        return said

    def close(self) -> None:
        """Let go of it; what has not been sent is lost."""
        for end in (self._writes, self._reads):
            with contextlib.suppress(OSError):
                end.close()


def start(program: str, niceness: int) -> tuple[Channel, Callable[[], None]]:
    """Start a process; return the channel to it, and what ends it, whatever it does.

    Parameters
    ----------
    program : str
        A module with two functions: ``prepare()`` imports what is needed, in the fork server where
        there is one; ``serve(channel, niceness)`` is what the process does then.
    niceness : int
        How much it leaves to others.
    """
    if FORKS:
        return _fork_server(program).start(niceness)
    command, environment = _interpreter(f"serve_alone({program!r}, {niceness})")
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)  # noqa: S603 - our own

    def end() -> None:
        process.kill()
        # One of low priority may take long to end.
        threading.Thread(target=process.wait, daemon=True).start()

    return Channel(process.stdout, process.stdin), end  # type: ignore[arg-type] # they are pipes


def share(program: str) -> None:
    """Make the fork server of a program a copy of this process, which must have no other thread.

    Then it shares memory with this process as well: what was imported until now.
    """
    if FORKS:
        _fork_server(program).begin(copied=True)


# Of the C library, where it is glibc: else there is no such function.
_NO_GLIBC = (OSError, AttributeError, TypeError)
_M_MMAP_THRESHOLD = -3


def trim() -> None:
    """Give the system the memory back that this process has freed.

    Else a heap stays as large as it was at its largest: after large tables by some tens of megabytes.
    """
    with contextlib.suppress(*_NO_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)


def keep_apart(size: int) -> None:
    """Give what is larger than so many bytes memory of its own from now on, and back once it is freed.

    Else that size grows with what was freed, and a heap fills with holes between figures of some
    kilobytes that are kept and of megabytes that are not.
    """
    with contextlib.suppress(*_NO_GLIBC):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, size)


def _interpreter(call: str) -> tuple[list[str], dict[str, str]]:
    """Return the command of an interpreter that calls a function of this module, and its environment."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "  # Ctrl+C is for the server
        f"sys.path[:] = {sys.path!r}; from {__name__} import *; {call}"
    )
    return [sys.executable, "-c", code], os.environ | dict.fromkeys(_THREADS, "1")


def serve_alone(program: str, niceness: int) -> None:
    """Run a program in an interpreter of its own: its input and output are the channel."""
    channel = Channel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    _to_nothing(0)
    os.dup2(2, 1)  # what it prints
    module = importlib.import_module(program)
    module.prepare()
    module.serve(channel, niceness)


def _to_nothing(descriptor: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)


# --- The fork server -----------------------------------------------------------------------------


_servers: dict[str, _ForkServer] = {}  # by their programs


def _fork_server(program: str) -> _ForkServer:
    # Never two, even if two threads ask at once.
    return _servers.get(program) or _servers.setdefault(program, _ForkServer(program))


class _ForkServer:
    """The fork server of a program, as this process sees it: it begins when it is first asked."""

    def __init__(self, program: str) -> None:
        self._program, self._numbers = program, itertools.count(1)
        self._lock = threading.RLock()
        self._asks: Any = None  # a socket
        self._pid = 0

    def start(self, niceness: int) -> tuple[Channel, Callable[[], None]]:
        """See `start`."""
        number = next(self._numbers)
        ours, its = socket.socketpair()
        with its:
            self._ask(f"{number} {niceness}", its.fileno())
        return Channel.of(ours), functools.partial(self._kill, number, ours)

    def _kill(self, number: int, line: socket.socket) -> None:
        # A fork server that has ended has nothing to kill; its copies end with their lines.
        with self._lock, contextlib.suppress(OSError):
            socket.send_fds(self._asks, [str(number).encode()], ())
        with contextlib.suppress(OSError):  # it has ended
            line.shutdown(socket.SHUT_RDWR)  # for a copy whose fork server has ended before it

    def _ask(self, words: str, *descriptors: int) -> None:
        with self._lock:
            if self._asks is None:
                self.begin()
            try:
                socket.send_fds(self._asks, [words.encode()], descriptors)
            except OSError:  # it was killed: another takes its place
                self._asks.close()
                self._asks = None
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self._pid, 0)
                self.begin()
                socket.send_fds(self._asks, [words.encode()], descriptors)

    def begin(self, *, copied: bool = False) -> None:
        """Begin, as a fresh interpreter or as a copy of this process."""
        with self._lock:
            asks, its = socket.socketpair(type=socket.SOCK_SEQPACKET)  # each message is one
            with its:
                if copied:
                    _prepare(self._program)
                    pid = os.fork()
                    if not pid:
                        asks.close()
                        _serve_forks(its, self._program)
                    gc.enable()
                else:
                    command, environment = _interpreter(f"serve_forks({self._program!r})")
                    stdin = (os.POSIX_SPAWN_DUP2, its.fileno(), 0)
                    pid = os.posix_spawn(command[0], command, environment, file_actions=[stdin])
            self._asks, self._pid = asks, pid


def serve_forks(program: str) -> None:
    """Be the fork server of a program in a fresh interpreter, asked by standard input."""
    asked = socket.socket(fileno=os.dup(0))
    _prepare(program)
    _serve_forks(asked, program)


def _prepare(program: str) -> None:
    """Import what copies need, and leave it where nothing will be written to."""
    gc.disable()  # what it collects leaves holes, which are filled after a copy
    importlib.import_module(program).prepare()
    gc.freeze()


def _serve_forks(asked: socket.socket, program: str) -> NoReturn:
    """Copy this process whenever it is asked to, and end with the process that asks."""
    copies: dict[int, int] = {}  # their process identifiers, by the numbers that they were given

    def forget(*_: object) -> None:
        for number, copy in [*copies.items()]:
            with contextlib.suppress(ChildProcessError):  # the next signal has come meanwhile
                if os.waitpid(copy, os.WNOHANG)[0]:
                    copies.pop(number, None)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Never waited for: a copy of low priority may take long to end.
    signal.signal(signal.SIGCHLD, forget)
    _to_nothing(0)
    try:
        while words := (said := socket.recv_fds(asked, 64, 1))[0].split():
            number, descriptors = int(words[0]), said[1]
            for descriptor in descriptors:
                copy = _copy(asked, program, descriptor, int(words[1]))
                if copy > 0:
                    copies[number] = copy
            if not descriptors and number in copies:
                _kill(copies[number])
        for copy in [*copies.values()]:
            _kill(copy)
    except BaseException:  # noqa: BLE001 - nothing is above it
        traceback.print_exc()
    finally:
        os._exit(0)


def _copy(asked: socket.socket, program: str, descriptor: int, niceness: int) -> int:
    """Copy this process, and return the copy's identifier, or -1 where the system has no more processes."""
    copy = -1
    try:
        copy = os.fork()
    except OSError:  # the end of its line tells the server
        traceback.print_exc()
    if not copy:
        asked.close()
        _copied(program, descriptor, niceness)
    os.close(descriptor)
    return copy


def _kill(copy: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(copy, signal.SIGKILL)


def _copied(program: str, descriptor: int, niceness: int) -> NoReturn:
    """Serve in a copy, which must not go on as a fork server."""
    try:
        gc.enable()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        channel = Channel.of(socket.socket(fileno=descriptor))
        importlib.import_module(program).serve(channel, niceness)
    except BaseException:  # noqa: BLE001 - nothing is above it
        traceback.print_exc()
    finally:
        os._exit(1)
