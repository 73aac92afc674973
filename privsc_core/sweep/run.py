"""Runs a sweep: parts that are missing go to workers, their rows to disk as they come."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from privsc_core.errors import InputError
from privsc_core.sweep.files import Shelf, needed
from privsc_core.sweep.rows import answers

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from privsc_core.sweep.plan import Cut, Part, Plan
    from privsc_core.sweep.rows import Columns

__all__ = ["Told", "cluster", "sweep"]

_AHEAD = 3  # parts that wait at each worker, so that none is idle


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
    """Compute all rows of a plan into one Parquet file, and go on where a run was killed.

    Parameters
    ----------
    plan : Plan
    results : path
        Must not exist yet. Until the end the parts are kept beside it, in ``<results>.parts``.
    client : distributed.Client, optional
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
        For a file that cannot be written or goes with another plan, other versions on a worker, or
        a part that killed its workers.

    Notes
    -----
    The same plan gives the same bytes on however many workers, of one kind of processor and with
    the versions that the manifest names: parts and seeds follow from the plan alone.
    """
    made_by = {"plan": plan.digest, "rows": plan.rows, **_versions()}
    shelf = Shelf(results, made_by)
    shelf.open()
    cuts = plan.cuts()
    sizes = [cut.rows for cut in cuts]
    wanted = [number for number in range(len(sizes)) if not shelf.has(number)]
    found = plan.rows - sum(sizes[number] for number in wanted)
    told, begin = Told(found, plan.rows, found, 0.0), time.monotonic()
    computed = _here(cuts, wanted) if client is None else _there(cuts, wanted, client)
    for number, columns in computed:
        shelf.put(number, columns)
        told = Told(told.done + sizes[number], plan.rows, found, time.monotonic() - begin)
        if hear is not None:
            hear(told)
    return told, shelf.finish(sizes)


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
    distributed.Client

    Raises
    ------
    InputError
        Where nobody answers, or Dask is not installed.
    """
    distributed = needed("distributed")
    with contextlib.ExitStack() as stack:
        if scheduler is None:
            # A worker's memory is the machine's affair; nothing listens to the outside, or on a fixed
            # port, which another may have.
            host: Any = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, host="127.0.0.1", memory_limit=0,
                    dashboard_address="127.0.0.1:0", silence_logs="CRITICAL",
                )
            )  # fmt: skip
        else:
            host = scheduler
        try:
            client = stack.enter_context(distributed.Client(host, set_as_default=False))
        except (OSError, ValueError) as error:
            why = " ".join(str(error).split())
            requirement = f"must be the address of a Dask scheduler that answers ({why})"
            raise InputError("scheduler", requirement, str(scheduler)) from None
        yield client


def _versions() -> dict[str, str]:
    from privsc_core import __version__  # noqa: PLC0415 - the package does not import this

    return {"privsc": __version__, "numpy": np.__version__, "scipy": scipy.__version__}


def _task(part: Part, versions: dict[str, str]) -> Columns | dict[str, str]:
    """Compute a part, on a worker; its versions where they are others."""
    if (own := _versions()) != versions:
        return own
    with warnings.catch_warnings():
        # Extreme but valid settings overflow on their way to the right limit.
        warnings.simplefilter("ignore", RuntimeWarning)
        return answers(part)


def _here(cuts: Sequence[Cut], wanted: Sequence[int]) -> Iterator[tuple[int, Columns]]:
    for number in wanted:
        yield number, answers(cuts[number].part())


def _there(
    cuts: Sequence[Cut], wanted: Sequence[int], client: Any
) -> Iterator[tuple[int, Columns]]:
    """Yield the parts as they come; few are under way at a time, however many there are."""
    distributed = needed("distributed")
    versions = _versions()
    rest = iter(wanted)
    numbers: dict[Any, int] = {}
    ready = distributed.as_completed(loop=client.loop)

    def more() -> None:
        for number in rest:
            future = client.submit(_task, cuts[number].part(), versions, pure=False)
            numbers[future] = number
            ready.add(future)
            if len(numbers) >= _AHEAD * max(len(client.nthreads()), 1):
                return

    more()
    for future in ready:
        number = numbers.pop(future)
        try:
            columns = future.result()
        except distributed.KilledWorker:
            raise InputError(
                "part", "must leave its workers alive (memory?); the others are kept", number
            ) from None
        if "row" not in columns:
            raise InputError("workers", f"must have the versions {versions}", columns)
        yield number, columns
        more()
