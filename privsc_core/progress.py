"""Progress of long computations: loops report it, the caller may listen.

A loop that can take long goes through `steps`, and what has several of them says with `stage`
which part of the whole each fills. Nothing is passed down: `heard` says who listens to all that a
call does inside, and loops inside loops fill the part of the one around them. Without
a listener `steps` is the loop itself.

>>> shares = []
>>> with heard(shares.append):
...     for _ in steps(range(2)):
...         for _ in steps(range(2)):
...             pass
>>> shares
[0.25, 0.5, 0.75, 1.0]
"""

from __future__ import annotations

import contextlib
import itertools
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")


class _Ear:
    """Whoever listens; hears each share once, and never a smaller one."""

    def __init__(self, progress: Callable[[float], None], pulse: Callable[[], None] | None) -> None:
        self._progress, self._pulse, self._last = progress, pulse, 0.0

    def hear(self, share: float) -> None:
        if self._pulse is not None and share < 1.0:  # what has ended cannot be ended
            self._pulse()
        share = min(share, 1.0)
        if share > self._last:
            self._last = share
            self._progress(share)


@dataclass(frozen=True, slots=True, eq=False)
class _Span:
    """The part of the whole that what runs now fills."""

    ear: _Ear
    low: float
    high: float

    def between(self, begin: float, end: float) -> _Span:
        length = self.high - self.low
        return _Span(self.ear, self.low + begin * length, self.low + end * length)


_NOW: ContextVar[_Span | None] = ContextVar("privsc_progress", default=None)


@contextlib.contextmanager
def heard(
    progress: Callable[[float], None] | None, *, pulse: Callable[[], None] | None = None
) -> Iterator[None]:
    """Report the progress of what runs inside to a callable.

    Parameters
    ----------
    progress : callable or None
        (share) -> None, with shares that grow from above 0 to 1; 1 comes last, at an end
        without an exception. None: without a listener; one outside hears nothing of it either.
    pulse : callable, optional
        Called after every step but the last, also of a loop that is gone through again and so
        tells nothing new; what it raises ends the call.
    """
    ear = _Ear(progress, pulse) if progress is not None else None
    before = _NOW.get()
    _NOW.set(_Span(ear, 0.0, 1.0) if ear is not None else None)
    try:
        yield
    finally:
        _NOW.set(before)
    if ear is not None:
        ear.hear(1.0)


@contextlib.contextmanager
def stage(begin: float, end: float) -> Iterator[None]:
    """Scale the progress of what runs inside to a part, from `begin` to `end`.

    Parameters
    ----------
    begin, end : float
        Shares of it, from 0 to 1.
    """
    span = _NOW.get()
    if span is None:
        yield
        return
    part = span.between(begin, end)
    _NOW.set(part)
    try:
        yield
    finally:
        _NOW.set(span)
    span.ear.hear(part.high)


def steps(
    items: Iterable[T],
    *,
    begin: float = 0.0,
    end: float = 1.0,
    weights: Sequence[float] | None = None,
) -> Iterator[T]:
    """Loop over items, and tell after each how much is done.

    Parameters
    ----------
    items : iterable
    begin, end : float
        What part of what runs now they fill, see `stage`.
    weights : sequence of float, optional
        How long each takes beside the others, positive; equally long if left out.

    Raises
    ------
    ValueError
        When there are more or fewer weights than items, and progress is reported.
    """
    span = _NOW.get()
    if span is None:
        yield from items
        return
    every, all_of_it = list(items), span.between(begin, end)
    done = [0.0, *itertools.accumulate(weights if weights is not None else [1.0] * len(every))]
    for item, low, high in zip(every, done[:-1], done[1:], strict=True):
        part = all_of_it.between(low / done[-1], high / done[-1])
        _NOW.set(part)
        try:
            yield item
        finally:
            # A loop that was left by an exception may end much later: then it is another's turn.
            if _NOW.get() is part:
                _NOW.set(span)
        span.ear.hear(part.high)
