"""Ratios of times taken side by side: nothing else means much on a shared machine."""

import statistics
import time
from collections.abc import Callable

LEAST_ROUNDS, MOST_ROUNDS = 3, 61
TURN = 0.01  # so that the caches and the heap that the other side leaves behind do not count


def compare(
    ours: Callable[[], object], peer: Callable[[], object], seconds: float = 2.0
) -> tuple[float, float, float]:
    """Return the median seconds of both, and the median over rounds of peer / ours.

    They take turns, and the order within a round alternates, so that a disturbance or a slow
    drift of the machine meets both.
    """
    ours()
    peer()
    ours_calls, peer_calls = _calls(ours), _calls(peer)
    rows: list[tuple[float, float]] = []
    begun = time.perf_counter()
    while len(rows) < LEAST_ROUNDS or (
        len(rows) < MOST_ROUNDS and time.perf_counter() - begun < seconds
    ):
        if len(rows) % 2:
            late = _timed(peer, peer_calls)
            rows.append((_timed(ours, ours_calls), late))
        else:
            rows.append((_timed(ours, ours_calls), _timed(peer, peer_calls)))
    return (
        statistics.median(mine for mine, _ in rows),
        statistics.median(theirs for _, theirs in rows),
        statistics.median(theirs / mine for mine, theirs in rows),
    )


def _calls(run: Callable[[], object]) -> int:
    """Return how many calls a turn takes: so many that it lasts about `TURN` seconds."""
    return max(1, min(100, round(TURN / _timed(run, 1))))


def _timed(run: Callable[[], object], calls: int) -> float:
    begun = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begun) / calls


def readable(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


# The table that is printed: what, beside what, how much faster, and what was wanted.


ROW = "{:<5}{:<36}{:<42}{:>9} {:>9} {:>9}  {:<9}{}"


def head():
    """Print what the columns are."""
    print(ROW.format("goal", "what", "peer", "ours", "peer's", "ratio", "wanted", "met"))


def row(goal, what, peer, times, *, wanted, least=True):
    """Print one comparison: `ratio` must be at least (or at most) `wanted`, if anything."""
    ours, theirs, ratio = times
    sign, met = "", ""
    if wanted is not None:
        sign = f"{'>=' if least else '<='} {wanted:,}"
        met = "yes" if (ratio >= wanted) == least or ratio == wanted else "NO"
    shown = f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"
    print(
        ROW.format(goal, what, peer, readable(ours), readable(theirs), shown, sign, met), flush=True
    )


def faster(goal, what, peer, ours, theirs, *, wanted):
    """Print how many times faster ours is than the peer."""
    row(goal, what, peer, compare(ours, theirs), wanted=wanted)


def within(goal, what, peer, ours, theirs, *, wanted):
    """Print how many times as long ours takes as the peer."""
    reference, mine, ratio = compare(theirs, ours)
    row(goal, what, peer, (mine, reference, ratio), wanted=wanted, least=False)
