"""What is measured: percentiles of seconds, and memory and time of the server's processes."""

from __future__ import annotations

import asyncio
import math
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass
class Tally:
    """Times of requests, also by their kinds where they have some, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    kinds: dict[str, Tally] = field(default_factory=dict)

    def add(self, seconds: float, kind: str = "") -> None:
        """Note how long a request of a kind took."""
        self.seconds.append(seconds)
        if kind:
            self.kinds.setdefault(kind, Tally()).add(seconds)

    def record(self) -> dict[str, Any]:
        """Return count, percentiles in seconds and the different errors."""
        ordered = sorted(self.seconds)
        return {
            "count": len(ordered),
            "errors": len(self.errors),
            "p50": _percentile(ordered, 0.5),
            "p95": _percentile(ordered, 0.95),
            "max": _percentile(ordered, 1.0),
            "what": sorted(set(self.errors))[:5],
        }


def _percentile(ordered: list[float], share: float) -> float | None:
    """Return the smallest time that at least this share of requests did not exceed."""
    return round(ordered[math.ceil(share * len(ordered)) - 1], 4) if ordered else None


@dataclass(frozen=True)
class Usage:
    """Memory in MB and processor time in seconds of some processes with their children."""

    rss: float
    cpu: float

    def __sub__(self, other: Usage) -> Usage:
        return Usage(self.rss - other.rss, self.cpu - other.cpu)


def usage(roots: list[int]) -> Usage:
    """Return what the processes `roots` and their descendants use; zero where /proc is not."""
    rss = cpu = 0.0
    for pid in family(roots):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):  # it ended meanwhile, or there is no /proc
            continue
        cpu += sum(map(int, fields[11:15])) / _TICK  # with children that have ended
        rss += pages * _PAGE / 2**20
    return Usage(round(rss, 1), cpu)


def family(roots: list[int]) -> set[int]:
    """Return processes and their descendants."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
            )
        except (OSError, IndexError):
            continue
    family = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


async def idle(pids: Callable[[], list[int]], *, longest: float = 300.0) -> None:
    """Return when the processes have used less than a twentieth of a processor for 3 s."""
    ends, calm = time.monotonic() + longest, 0
    while calm < 3 and time.monotonic() < ends:
        before = usage(pids())
        await asyncio.sleep(1.0)
        calm = calm + 1 if (usage(pids()) - before).cpu < 0.05 else 0
