"""Single calls on a Dask cluster: what the dashboard computes there, one call a time and worker.

A call tells how far it is, ends itself when it took too long or is no longer waited for, and has the
value that it would have here: workers of other versions are refused. Once the scheduler is gone,
or calls wait and there is no worker, the cluster is lost, and stays so.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import threading
import time
import uuid
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privsc_core.errors import needed
from privsc_core.progress import heard
from privsc_core.sweep.run import cluster, versions_here

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERY = 0.5  # seconds between two messages of a call
_LOOKS = 2.0  # seconds between two looks whether the cluster is there
_PATIENCE = 30.0  # seconds without a worker that calls wait


class LostError(Exception):
    """The cluster cannot compute; the message is the reason, a clause."""


class LateError(Exception):
    """A call has used up its processor time, or is no longer wanted."""


class Cluster:
    """A connection to a Dask scheduler.

    Parameters
    ----------
    address : str
        ``tcp://host:8786``; its owner runs what we send, and we read what it returns.
    lost : callable, optional
        Hears why it is lost, once.

    Raises
    ------
    InputError
        Where no scheduler answers, or Dask is not installed.
    """

    def __init__(self, address: str, lost: Callable[[str], None] | None = None) -> None:
        self.address, self._told = address, lost
        self._stack = contextlib.ExitStack()
        self._client = self._stack.enter_context(cluster(0, address))
        self._topic = f"privsc-{uuid.uuid4().hex}"
        self._shares: dict[str, float] = {}
        self._calls: dict[str, tuple[Any, Future[Any]]] = {}
        self._lock = threading.Lock()
        self._lost: str | None = None
        self._closed = threading.Event()
        self._client.subscribe_topic(self._topic, self._hear)
        self._client.register_plugin(_plugin())
        threading.Thread(target=self._watch, name="privsc-cluster", daemon=True).start()

    @property
    def workers(self) -> int:
        """How many calls it computes at once, as far as is known."""
        return max(1, sum(int(count) for count in self._client.nthreads().values()))

    def call(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        seconds: float,
    ) -> tuple[str, Future[Any]]:
        """Submit a call; return its key, and a future of its value and processor seconds.

        Raises
        ------
        LostError
            When there is no cluster any more.
        """
        key, answer = f"privsc-{uuid.uuid4().hex}", Future[Any]()
        with self._lock:
            if self._lost is not None:
                raise LostError(self._lost)
            try:
                remote = self._client.submit(
                    _answer, function, arguments, keywords, seconds, self._topic, versions_here(),
                    key=key, pure=False,
                )  # fmt: skip
            except Exception as error:  # noqa: BLE001 - however the connection broke
                raise LostError(_words(error)) from None
            self._calls[key] = remote, answer
        remote.add_done_callback(lambda ended: self._end(key, ended))
        return key, answer

    def told(self, key: str) -> float | None:
        """Return how much of a call is done, as it told last."""
        return self._shares.get(key)

    def cancel(self, key: str) -> None:
        """Give a call up; it ends where one of its loops is heard."""
        with self._lock:
            remote, _ = self._calls.pop(key, (None, None))
            self._shares.pop(key, None)
        if remote is not None:
            with contextlib.suppress(Exception):  # the scheduler is gone
                remote.cancel()

    def close(self) -> None:
        """Leave the cluster."""
        self._closed.set()
        self._lose("it was left")
        self._stack.close()

    def _hear(self, event: tuple[float, dict[str, float]]) -> None:
        for key, share in event[1].items():
            if key in self._calls:
                self._shares[key] = share

    def _end(self, key: str, remote: Any) -> None:
        """Pass on how a call ended, in a thread of Dask's."""
        distributed = needed("distributed", "cluster")
        if key not in self._calls:  # given up
            return
        try:
            said, value = remote.result()
        except distributed.KilledWorker:
            found: BaseException = BrokenExecutor("a worker died")
        except ImportError as error:  # where they read what they are sent
            self._lose(f"its workers lack a module ({_words(error)})")
            return
        except Exception as error:  # noqa: BLE001 - of the call, or of a connection
            if remote.status != "error" or isinstance(error, OSError):
                self._lose(_words(error))
                return
            found = error
        else:
            if said == "versions":
                self._lose(f"its workers must have the versions {versions_here()}, not {value}")
                return
            if said == "done":
                self._settle(key, value)
                return
            found = LateError()
        self._settle(key, found)

    def _settle(self, key: str, value: Any) -> None:
        with self._lock:
            _, answer = self._calls.pop(key, (None, None))
            self._shares.pop(key, None)
        if answer is None:
            return
        if isinstance(value, BaseException):
            answer.set_exception(value)
        else:
            answer.set_result(value)

    def _lose(self, why: str) -> None:
        with self._lock:
            first, self._lost = self._lost is None, self._lost or why
            calls, self._calls = self._calls, {}
        if first and self._told is not None and not self._closed.is_set():
            self._told(why)
        for _, answer in calls.values():
            answer.set_exception(LostError(self._lost))

    def _watch(self) -> None:
        """Look every now and then whether somebody is there."""
        since = time.monotonic()
        while not self._closed.wait(_LOOKS) and self._lost is None:
            try:
                there = self._client.sync(self._client.scheduler.ncores, callback_timeout=10)
            except Exception:  # noqa: BLE001 - however it is gone
                self._lose("the scheduler does not answer")
                return
            now = time.monotonic()
            since = now if there or not self._calls else since
            if now - since > _PATIENCE:
                self._lose("it has no workers")


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _plugin() -> Any:
    """Return what has every worker find the dashboard's modules beside the package, as here."""
    plugin = needed("distributed", "cluster").WorkerPlugin

    class Beside(plugin):  # type: ignore[valid-type, misc] # distributed is imported when needed
        name = "privsc"

        def setup(self, worker: Any) -> None:
            _find_pages()

    return Beside()


def _find_pages() -> None:
    if importlib.util.find_spec("pages") is None:
        root = Path(__file__).resolve().parents[2]
        sys.path.append(str(root / "privsc_dashboard"))


def _answer(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any],
    seconds: float, topic: str, wanted: dict[str, str],
) -> tuple[str, Any]:  # fmt: skip
    """Compute a call, on a worker; return "done" and its value and seconds, or what hindered it."""
    if (own := versions_here()) != wanted:
        return "versions", own
    worker = needed("distributed", "cluster").get_worker()
    key, begin, last, done = worker.get_current_task(), time.thread_time(), 0.0, 0.0

    def hear(share: float) -> None:
        nonlocal done
        done = share

    def look() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _EVERY:
            return
        last = now
        task = worker.state.tasks.get(key)
        if time.thread_time() - begin > seconds or task is None or task.state == "cancelled":
            raise LateError
        worker.log_event(topic, {key: done})

    try:
        with heard(hear, pulse=look):
            value = function(*arguments, **keywords)
    except LateError:
        return "late", None
    return "done", (value, time.thread_time() - begin)
