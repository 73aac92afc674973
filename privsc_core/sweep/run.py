"""Runs a sweep: parts that are missing go to a pool of processes, their rows to disk as they come."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter, deque
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy

from privsc_core.errors import InputError, needed
from privsc_core.sweep.files import Shelf, table
from privsc_core.sweep.rows import answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from privsc_core.sweep.plan import Cut, Plan

_Found = TypeVar("_Found")

_AHEAD = 3  # parts that wait at each worker, so that none is idle
_STRIKES = 3  # workers that a part may lose
_PATIENCE = 10.0  # seconds in which a scheduler has to answer
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Told:
    """How far a sweep is.

    Attributes
    ----------
    done, rows : int
        Rows that are on disk, and all.
    found : int
        Those of `done` that were there before this run.
    seconds : float
        Since the first part was asked for.
    """

    done: int
    rows: int
    found: int
    seconds: float

    @property
    def rate(self) -> float:
        """Rows a second in this run."""
        return (self.done - self.found) / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left at this rate; None before the first part."""
        return (self.rows - self.done) / self.rate if self.rate else None


def sweep(
    plan: Plan,
    results: str | os.PathLike[str],
    *,
    client: Any = None,
    hear: Callable[[Told], None] | None = None,
) -> tuple[Told, int]:
    """Compute all rows of a plan into one file, and go on where a run was killed.

    Parameters
    ----------
    plan : Plan
    results : path
        Must not exist yet; CSV where it ends in .csv, else Parquet. Until the end the parts are kept
        beside it, in ``<results>.parts``.
    client : distributed.Client or Pool, optional
        Where to compute, see `cluster`; without one in this process.
    hear : callable, optional
        Hears how far it is, after every part.

    Returns
    -------
    told : Told
        The end.
    missing : int
        Rows that have a reason instead of an answer.

    Raises
    ------
    InputError
        For a file that cannot be written, is being written or goes with another plan, other versions
        on a worker, a scheduler that is gone, or a part that killed its workers.

    Notes
    -----
    The same plan gives the same bytes on however many workers, of one kind of processor and with
    the versions that the manifest names: parts and seeds follow from the plan alone.
    """
    made_by = {"plan": plan.digest, "rows": plan.rows, **versions_here()}
    pool = Pool() if client is None else client if isinstance(client, Pool) else _Dask(client)
    cuts = plan.cuts()
    sizes = [cut.rows for cut in cuts]
    with Shelf(results, made_by).held() as shelf:
        wanted = [number for number in range(len(sizes)) if not shelf.has(number)]
        found = plan.rows - sum(sizes[number] for number in wanted)
        told, begin = Told(found, plan.rows, found, 0.0), time.monotonic()
        try:
            for number, part in _computed(cuts, wanted, pool):
                shelf.put(number, part)
                told = Told(told.done + sizes[number], plan.rows, found, time.monotonic() - begin)
                if hear is not None:
                    hear(told)
        except CancelledError:
            requirement = "must answer until the end; parts that are done are kept"
            raise InputError("scheduler", requirement, "no more answers") from None
        return told, shelf.finish(sizes)


class Pool:
    """Where parts are computed: in this process, one after the other."""

    room = 1  # parts that may be under way
    lost: tuple[type[BaseException], ...] = ()  # what a part raises that is not to be tried again

    def submit(self, cut: Cut) -> Future[Any]:
        """Submit a part; a worker with other versions of the packages answers with them."""
        found: Future[Any] = Future()
        found.set_result(table(answers(cut.part())))
        return found


class _Own(Pool):
    """Processes of this machine, by loky; when one dies all of them begin anew."""

    def __init__(self, workers: int) -> None:
        loky = needed("loky", "sweep")
        context = loky.backend.get_context("loky")
        # They hear when our end of the pipe closes, which a kill does too.
        hears, self._alive = context.Pipe(duplex=False)
        self._new = partial(
            loky.ProcessPoolExecutor, workers, context=context, env=dict.fromkeys(_THREADS, "1"),
            initializer=_end_with, initargs=(hears,),
        )  # fmt: skip
        self._executor, self.room = _apart(self._new), _AHEAD * workers

    def submit(self, cut: Cut) -> Future[Any]:
        """Submit a part, to new processes where the others have ended."""

        def submitted() -> Future[Any]:
            return self._executor.submit(_task, cut, versions_here())  # type: ignore[no-any-return]

        try:
            return _apart(submitted)
        except BrokenExecutor:
            self.close()
            self._executor = _apart(self._new)
            return _apart(submitted)

    def close(self) -> None:
        """End the processes, whatever they compute."""
        self._executor.shutdown(kill_workers=True)


class _Dask(Pool):
    """Workers of a Dask scheduler, which has a part of one that died computed by another."""

    def __init__(self, client: Any) -> None:
        self._client, self._executor = client, client.get_executor(pure=False)
        self.lost = (needed("distributed", "cluster").KilledWorker,)

    def submit(self, cut: Cut) -> Future[Any]:
        """Submit a part."""
        try:
            self.room = _AHEAD * max(len(self._client.nthreads()), 1)
            return self._executor.submit(_task, cut, versions_here())  # type: ignore[no-any-return]
        except Exception:  # noqa: BLE001 - however the connection broke
            raise CancelledError from None


@contextlib.contextmanager
def cluster(workers: int, scheduler: str | None = None) -> Iterator[Any]:
    """Connect to a Dask scheduler, or start workers on this machine.

    Parameters
    ----------
    workers : int
        Processes here, each with one thread; not read with a scheduler.
    scheduler : str, optional
        Its address, ``tcp://host:8786``.

    Yields
    ------
    distributed.Client, or Pool on this machine
        What `sweep` takes.

    Raises
    ------
    InputError
        Where no scheduler answers, or Dask is needed and not installed.
    """
    if scheduler is None:
        with contextlib.closing(_Own(workers)) as pool:
            yield pool
        return
    distributed = needed("distributed", "cluster")
    # We say what is lost. It sets up its own levels when it is imported.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with ThreadPoolExecutor(1) as one:  # a notebook's own thread has a loop already
        one.submit(asyncio.run, _greet(scheduler)).result()
    with distributed.Client(scheduler, set_as_default=False, timeout=_PATIENCE) as client:
        yield client


async def _greet(scheduler: str) -> None:
    """Refuse an address at which no Dask scheduler answers: a client there would never end."""
    distributed = needed("distributed", "cluster")

    async def kind() -> object:
        args = distributed.Security().get_connection_args("client")
        async with distributed.rpc(scheduler, timeout=_PATIENCE, connection_args=args) as there:
            return (await there.identity())["type"]

    try:
        found = await asyncio.wait_for(kind(), _PATIENCE)
    except Exception as error:  # noqa: BLE001 - what answers there may be anything
        said = " ".join(str(error).split()) or f"no answer in {_PATIENCE:g} s"
        found = said if isinstance(error, OSError | ValueError) else "what answers there is none"
    if found != "Scheduler":
        requirement = f"must be the address of a Dask scheduler that answers ({found})"
        raise InputError("scheduler", requirement, scheduler)


def _apart(function: Callable[[], _Found]) -> _Found:
    """Call in a thread that Ctrl-C does not reach, nor any process that it starts: it is for this one."""

    def block() -> None:
        # First the processes that remove semaphores: their start would unblock the signal again. This
        # process may end without removing any, so they need not warn of it.
        sys.warnoptions.append("ignore:resource_tracker:UserWarning")
        for name in ("multiprocessing.resource_tracker", "loky.backend.resource_tracker"):
            if name.partition(".")[0] in sys.modules:
                import_module(name).ensure_running()
        sys.warnoptions.pop()
        if hasattr(signal, "pthread_sigmask"):  # not on Windows
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    with ThreadPoolExecutor(1, initializer=block) as one:
        return one.submit(function).result()


def _end_with(alive: Connection) -> None:
    """Make this worker end with the process that started it, however that ends."""

    def hear() -> None:
        with contextlib.suppress(EOFError, OSError):
            alive.recv()
        os._exit(1)

    threading.Thread(target=hear, daemon=True).start()


def versions_here() -> dict[str, str]:
    """Return the versions of what decides the bytes of a result."""
    from privsc_core import __version__  # noqa: PLC0415 - the package does not import this

    return {"privsc": __version__, "numpy": np.__version__, "scipy": scipy.__version__}


def _task(cut: Cut, versions: dict[str, str]) -> Any:
    """Return the table of a part, on a worker; its versions where they are others."""
    if (own := versions_here()) != versions:
        return own
    with warnings.catch_warnings():
        # Extreme but valid settings overflow on their way to the right limit.
        warnings.simplefilter("ignore", RuntimeWarning)
        return table(answers(cut.part()))


def _computed(cuts: Sequence[Cut], wanted: Sequence[int], pool: Pool) -> Iterator[tuple[int, Any]]:
    """Yield the tables of parts as they come; few are under way at a time, however many there are."""
    queue, strikes = deque(wanted), Counter[int]()
    under: dict[Future[Any], int] = {}
    died: tuple[type[BaseException], ...] = (BrokenExecutor, *pool.lost)
    while queue or under:
        # Parts whose workers died go one by one: then it is seen which of them it was.
        while queue and len(under) < (1 if strikes else pool.room):
            number = queue.popleft()
            under[pool.submit(cuts[number])] = number
        done = wait(under, return_when=FIRST_COMPLETED).done
        # First what is to be kept: a failure may end it all.
        for future in sorted(done, key=lambda one: one.cancelled() or one.exception() is not None):
            number = under.pop(future)
            try:
                found = future.result()
            except died as error:
                strikes[number] += 1
                if isinstance(error, pool.lost) or strikes[number] == _STRIKES:
                    requirement = "must leave its workers alive (memory?); the others are kept"
                    raise InputError("part", requirement, number) from None
                queue.appendleft(number)
            except ImportError as error:
                why = " ".join(str(error).split())
                raise InputError("workers", "must have privsc installed", why) from None
            else:
                del strikes[number]
                if isinstance(found, dict):
                    raise InputError("workers", f"must have the versions {versions_here()}", found)
                yield number, found
