"""The least value of a function over intervals, by halving them until its sign is proved."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from privsc_core.certify.balls import Uncertified, ball, hull, least_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privsc_core.certify.balls import Ball

__all__ = ["Part", "sign_of_least"]

Piece = TypeVar("Piece")


class Part(NamedTuple, Generic[Piece]):
    """An interval, a value that the function has in it, and what it is at least in all of it."""

    piece: Piece
    value: Ball
    least: Ball


class _Halves(Protocol[Piece]):
    def __call__(self, piece: Piece, /) -> Iterable[Part[Piece]]: ...


def sign_of_least(
    parts: Iterable[Part[Piece]], halves: _Halves[Piece], bits: int, most: int
) -> Ball:
    """Return a ball that contains the least value, as narrow as its sign takes.

    Parameters
    ----------
    parts : iterable of Part
        All of the intervals.
    halves : callable
        Splits an interval.
    bits : int
        More bits make the ball narrower, never wider.
    most : int
        So many intervals may be split.
    """
    tick = count()
    known: list[tuple[float, int, Part[Piece]]] = []
    best: Ball | None = None

    def take(found: Iterable[Part[Piece]]) -> None:
        nonlocal best
        for part in found:
            best = part.value if best is None else least_of(part.value, best)
            heapq.heappush(known, (float(part.least.mid()), next(tick), part))

    take(parts)
    for _ in range(most):
        assert best is not None  # noqa: S101 - for mypy; there is an interval
        if best < 0 or known[0][2].least >= 0:
            return _between(_lowest(part.least for *_, part in known), best, bits)
        take(halves(heapq.heappop(known)[2].piece))
    raise Uncertified(f"{most:,} intervals do not tell its sign")


def _lowest(values: Iterable[Ball]) -> Ball:
    first, *others = values
    for value in others:
        first = least_of(value, first)
    return first


def _between(low: Ball, high: Ball, bits: int) -> Ball:
    """Return the hull with some room that shrinks with more bits: rounding may not widen it."""
    room = ball(1) / bits
    low, high = (
        (x * (1 - sign * room) if x >= 0 else x * (1 + sign * room))
        for x, sign in ((low, 1), (high, -1))
    )
    return hull(low, high)
