"""One computation: who waits for it, how far it is, and what came of it."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, Self

from pages.shared.work import bar
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from types import TracebackType

    from pages.shared.work.lane import Lane
    from pages.shared.work.office import Office

__all__ = ["Job", "State"]

_GUESSED = 0.8  # the share when it has taken as long as the last of its kind; never all of it
_GUESSED_LEAST = 1.0  # seconds that it took
_TOLD_LEAST = 0.02  # before, what was told says nothing of the rest

State = Literal["waiting", "running", "done", "refused", "failed", "lost", "stopped"]


class Job:
    """One computation, perhaps for several visitors: a context manager that they leave.

    When the last one leaves before the end, it is stopped.
    """

    def __init__(
        self, office: Office, key: Hashable, kind: Hashable, call: tuple[Any, ...]
    ) -> None:
        self._office, self.key, self.kind, self.call = office, key, kind, call
        self.state: State = "waiting"
        self.visitors = 0
        self.began = 0.0
        self.due = 0.0  # shorter ones that come later pass it while theirs is earlier
        self.lane: Lane | None = None
        self.longest = 0.0  # seconds that it may take in its lane
        self._most = 0.0
        self.apart = False  # whether it is quick only where tables are filled
        self.aside = False  # whether it lets all others pass
        self.slow = False  # whether it lets those pass that do: it takes longer than a slice
        self.kept = True  # whether its value is for those who ask later too
        self.weight = 1  # of its value, where it is kept
        self.unwanted: Future[Any] = Future()  # done when nobody waits for it any more
        self._value: Any = None
        self._ended = threading.Event()
        self._listening: list[threading.Event] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Note that one visitor no longer waits for it."""
        self._office.leave(self)

    def linger(self) -> None:
        """Stay for a moment longer than the visitor, who may ask for it again at once."""
        self._office.linger(self)

    def wait(self, seconds: float) -> bool:
        """Wait, at most so long; tell whether it has ended."""
        return self._ended.wait(seconds)

    @contextlib.contextmanager
    def ringing(self, bell: threading.Event) -> Iterator[None]:
        """Ring a bell when it ends; at once where it has."""
        self._listening.append(bell)
        if self._ended.is_set():
            bell.set()
        try:
            yield
        finally:
            self._listening.remove(bell)

    @property
    def ahead(self) -> int:
        """How many computations have to end before this one begins."""
        return self._office.ahead(self)

    def progress(self) -> tuple[float | None, str]:
        """Return how much is done, from 0 to 1 or None if unknown, and where it stands in words.

        The share never goes back, not even where the computation has to begin again.
        """
        if self.state != "running":
            n = self.ahead
            words = (
                f"Queued: {n} longer computation{'s' if n != 1 else ''} of other visitors first."
            )
            return None, words if self.state == "waiting" else ""
        share, seconds = self._known()
        if share is None:
            return None, f"Computing for {time.monotonic() - self.began:.0f} s"
        self._most = max(share, self._most)
        return self._most, bar.words(self._most, seconds)

    def _known(self) -> tuple[float | None, float | None]:
        """Return the share and the seconds that are left, as it tells or else as others took."""
        gone = time.monotonic() - self.began
        told = self.lane.told() if self.lane is not None else None
        if told is not None and told > _TOLD_LEAST:
            return told, gone * (1.0 / told - 1.0)
        lasted = self._office.lasted(self.kind)
        if lasted is None or lasted < _GUESSED_LEAST:  # that one was quick, and this one is not
            return told, None
        ratio = gone / lasted
        if ratio < 1.0:
            return _GUESSED * ratio, lasted - gone
        return 1.0 - (1.0 - _GUESSED) / ratio, None  # it takes longer: nobody knows how long

    def result(self) -> Any:
        """Return the value, or raise what went wrong; waits for the end.

        Raises
        ------
        InputError
            For bad input, for what takes more time or memory than is allowed here, and where the
            worker ended before it.
        RuntimeError
            When it failed, or was stopped.
        """
        self._ended.wait()
        if self.state == "done":
            return self._value
        if self.state in {"refused", "lost"}:
            raise InputError(*self._value)  # a new one: it keeps the frames that it passes
        raise RuntimeError(f"a computation {self.state}: {self._value}")

    def end(self, state: State, value: Any) -> None:
        """Settle it; the office calls this once."""
        self.state, self._value = state, value
        self._ended.set()
        for bell in self._listening.copy():
            bell.set()
