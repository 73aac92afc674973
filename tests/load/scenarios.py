"""What a lecture does to a server, as programs; each returns a record of what was measured."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.load.explorer import KINDS, Explorer
from tests.load.measure import Tally, usage
from tests.load.visitor import PATIENCE, TroubleError, Visitor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

# The heaviest that the controls of a page allow; each visit draws other numbers (the seed).
HEAVY = (
    ("points", "dist=uniform&d=20&trials=5000&eps=0.05&view=m"),
    ("intervals", "dist=uniform&trials=5000&eps=0.05&view=m"),
    ("points", "view=map-m-eps&d=1000000&m=10000000&eps=0.01&alpha=0.005&beta=0.001"),
)


@dataclass
class Hall:
    """Who is in the room, and whose processes are watched.

    Attributes
    ----------
    base : str
        The dashboard's address.
    pids : callable
        () -> the processes of the server, for memory and processor time; [] when unknown.
    sessions : int
    pages : sequence of str
        Visitors are spread over them.
    seed : int
        Of what the visitors do.
    same : bool
        Whether all visitors on a page make the same moves, as when a lecturer says which.
    free : bool
        Whether visitors explore (explorer.py) instead of moving what stands beside the figure.
    """

    base: str
    pids: Callable[[], list[int]]
    sessions: int = 200
    pages: Sequence[str] = ("points", "intervals")
    seed: int = 1
    same: bool = False
    free: bool = False
    visitors: list[Visitor] = field(default_factory=list)

    def visitor(self, number: int) -> Visitor:
        """Return a visitor who has not come in yet."""
        page = self.pages[number % len(self.pages)]
        seed = self.seed if self.same else self.seed * 100_003 + number
        return (Explorer if self.free else Visitor)(self.base, page, seed=seed)

    async def filled(self) -> list[Visitor]:
        """Return the visitors; those who are missing come in first."""
        if not self.visitors:
            await first(self)
        return self.visitors

    async def empty(self) -> None:
        """Everybody leaves."""
        await asyncio.gather(*(visitor.close() for visitor in self.visitors))
        self.visitors = []


@contextlib.asynccontextmanager
async def watched(hall: Hall, record: dict[str, Any]) -> AsyncIterator[None]:
    """Add to `record` how long it took and what the server used meanwhile."""
    before, begin, own = usage(hall.pids()), time.perf_counter(), time.process_time()
    peak = [before.rss]

    async def look() -> None:
        while True:
            await asyncio.sleep(0.5)
            peak.append(usage(hall.pids()).rss)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
    after = usage(hall.pids())
    record["wall"] = round(time.perf_counter() - begin, 2)
    record["client_cpu"] = round(time.process_time() - own, 2)  # of the same two cores, often
    if after.rss:
        record["server_cpu"] = round(after.cpu - before.cpu, 2)
        record["rss_before"], record["rss_after"] = before.rss, after.rss
        record["rss_peak"] = max(*peak, after.rss)


def per_request(record: dict[str, Any]) -> dict[str, Any]:
    if record.get("server_cpu") and record["count"]:
        record["cpu_ms_each"] = round(1000 * record["server_cpu"] / record["count"], 1)
    return record


async def _arrive(visitor: Visitor, tally: Tally, pictures: Tally) -> bool:
    begin = time.perf_counter()
    try:
        await visitor.open()
        there = time.perf_counter() - begin
        answer = await visitor.arrive()
    except TroubleError as trouble:
        tally.errors.append(str(trouble))
        await visitor.close()
        return False
    tally.seconds.append(time.perf_counter() - begin)
    pictures.seconds.append(there + answer.picture)
    return True


async def _change(visitor: Visitor, tally: Tally, linger: float = PATIENCE) -> int:
    kind = ""
    try:
        if isinstance(visitor, Explorer):
            kind, answer = await visitor.explore(linger)
        else:
            answer = await visitor.change()
    except TroubleError as trouble:
        tally.errors.append(str(trouble))
        return 0
    tally.add(answer.picture, kind)
    if isinstance(visitor, Explorer):
        for seconds in visitor.strip_seconds:  # in addition to the change
            tally.kinds.setdefault("strip", Tally()).add(seconds)
        visitor.strip_seconds.clear()
    return answer.received


async def first(hall: Hall) -> dict[str, Any]:
    """Everybody comes in at once: from connecting to the end of the first run."""
    await hall.empty()
    tally, pictures = Tally(), Tally()
    record: dict[str, Any] = {"scenario": "first", "sessions": hall.sessions}
    new = [hall.visitor(number) for number in range(hall.sessions)]
    async with watched(hall, record):
        came = await asyncio.gather(*(_arrive(visitor, tally, pictures) for visitor in new))
    hall.visitors = [visitor for visitor, there in zip(new, came, strict=True) if there]
    record["kinds"] = {"picture": pictures.record()}
    return per_request(record | tally.record())


async def think(
    hall: Hall, *, seconds: float = 5.0, changes: int = 6, into: Tally | None = None
) -> dict[str, Any]:
    """Everybody moves a slider every so often, at times of their own; `into` gets their times, too."""
    visitors = await hall.filled()
    tally, record = Tally(), {"scenario": "think", "sessions": len(visitors), "think": seconds}
    sizes: list[int] = []

    async def listen(visitor: Visitor, pace: random.Random) -> None:
        # Spread over the first interval: a hall is not in step.
        await asyncio.sleep(pace.uniform(0, seconds))
        for _ in range(changes):
            pause = pace.uniform(0.5 * seconds, 1.5 * seconds)
            begin = time.perf_counter()
            sizes.append(await _change(visitor, tally, pause))
            # Who explores has looked on meanwhile, while a simulation went on.
            looked = time.perf_counter() - begin if hall.free else 0.0
            await asyncio.sleep(max(pause - looked, 0.1))

    async with watched(hall, record):
        await asyncio.gather(
            *(
                listen(visitor, random.Random(hall.seed + i))  # noqa: S311 - a pace, not a secret
                for i, visitor in enumerate(visitors)
            )
        )
    if into is not None:
        into.seconds += tally.seconds
    record["bytes_each"] = round(sum(sizes) / max(len(sizes), 1))
    return per_request(record | tally.record() | _by_kind(tally))


async def explore(hall: Hall, *, seconds: float = 15.0, changes: int = 6) -> dict[str, Any]:
    """As `think`, by visitors who explore: any control, any view, exhibits, links of their own.

    Their first pictures, of everybody who comes in at once, are in the record too, and the
    changes that show success curves are told from all others.
    """
    hall.free = True
    came = await first(hall)
    record = await think(hall, seconds=seconds, changes=changes)
    record["kinds"] = {"first picture": came["kinds"]["picture"]} | record["kinds"]
    record["errors"] += came["errors"]
    record["what"] = sorted({*record["what"], *came["what"]})[:5]
    return record | {"scenario": "explore"}


def _by_kind(tally: Tally) -> dict[str, Any]:
    """Return what the kinds of changes took: nothing where there is but one."""
    kinds = {kind: tally.kinds[kind].record() for kind in KINDS if kind in tally.kinds}
    others = Tally(
        [s for kind in KINDS[1:-1] if kind in tally.kinds for s in tally.kinds[kind].seconds]
    )
    return (
        {"kinds": {"success": Tally().record()} | kinds | {"all others": others.record()}}
        if kinds
        else {}
    )


async def instant(hall: Hall, *, rounds: int = 3) -> dict[str, Any]:
    """Everybody moves a slider in the same moment; the record has the worst round."""
    visitors = await hall.filled()
    worst: dict[str, Any] = {}
    errors: Counter[str] = Counter()
    for _ in range(rounds):
        tally, record = Tally(), {"scenario": "instant", "sessions": len(visitors)}
        async with watched(hall, record):
            await asyncio.gather(*(_change(visitor, tally) for visitor in visitors))
        errors.update(tally.errors)
        found = per_request(record | tally.record())
        if not worst or (found["max"] or 0) > (worst["max"] or 0):
            worst = found
    worst |= {"rounds": rounds, "errors": errors.total(), "what": sorted(errors)[:5]}
    return worst


async def soak(hall: Hall, *, total: int = 12_000, settled: int = 8_000) -> dict[str, Any]:
    """Change for long, as fast as answers come with a tenth of a second between.

    Memory after the first `settled` changes, by which all results are there that two servers keep, is compared with memory at the end; and said, in MB, after
    every thousand.
    """
    visitors = await hall.filled()
    tally, record = Tally(), {"scenario": "soak", "sessions": len(visitors)}
    left, early = total, 0.0

    async def keep_on(visitor: Visitor) -> None:
        nonlocal left, early
        while left > 0:
            left -= 1
            if not early and total - left >= min(settled, 2 * total // 3):
                early = usage(hall.pids()).rss
            if not left % 1000:
                print(
                    f"{total - left} changes: {usage(hall.pids()).rss:.0f}",
                    file=sys.stderr,
                    flush=True,
                )
            await _change(visitor, tally, 0.1)
            await asyncio.sleep(0.1)

    async with watched(hall, record):
        await asyncio.gather(*(keep_on(visitor) for visitor in visitors))
    if early:
        record |= {"rss_settled": early, "growth": round(record["rss_after"] / early - 1, 3)}
    return per_request(record | tally.record() | _by_kind(tally))


async def heavy(hall: Hall, *, seconds: float = 5.0, changes: int = 3) -> dict[str, Any]:
    """As `think`, while one visitor asks for the heaviest that there is, again and again."""
    await hall.filled()
    heavies: list[float] = []
    errors: list[str] = []

    async def burden() -> None:
        for seed in range(2, 10_000):
            page, query = HEAVY[seed % len(HEAVY)]
            visitor = Visitor(hall.base, page, f"{query}&seed={seed}")
            try:
                await visitor.open()
                heavies.append((await visitor.arrive()).finished)
            except TroubleError as trouble:
                errors.append(str(trouble))
            finally:
                await visitor.close()

    task = asyncio.create_task(burden())
    record = await think(hall, seconds=seconds, changes=changes)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    record |= {
        "scenario": "heavy",
        "heavy_done": len(heavies),
        "heavy_max": max(heavies, default=0),
    }
    record["errors"] += len(errors)
    record["what"] = sorted({*record["what"], *errors})[:5]
    return record


async def restart(hall: Hall, again: Callable[[], None]) -> dict[str, Any]:
    """Kill the server under everybody; each tab comes back with its own address.

    `again` kills and starts the server; it returns once the server is healthy.
    """
    visitors = await hall.filled()
    await asyncio.gather(*(_change(visitor, Tally()) for visitor in visitors))
    before = {id(visitor): (visitor.query, _places(visitor)) for visitor in visitors}
    record: dict[str, Any] = {"scenario": "restart", "sessions": len(visitors)}
    begin = time.perf_counter()
    await asyncio.to_thread(again)
    record["down"] = round(time.perf_counter() - begin, 2)
    tally = Tally()

    async def come_back(visitor: Visitor) -> None:
        await visitor.close()
        visitor.controls.clear()
        if not await _arrive(visitor, tally, Tally()):
            return
        query, places = before[id(visitor)]
        if (visitor.query, _places(visitor)) != (query, places):
            tally.errors.append("came back with other settings")

    await asyncio.gather(*(come_back(visitor) for visitor in visitors))
    return record | tally.record()


def _places(visitor: Visitor) -> dict[str, str]:
    """Return what the sliders say, by their names."""
    return {name: slider.stops[slider.place] for name, slider in visitor.sliders.items()}
