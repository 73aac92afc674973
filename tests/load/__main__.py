"""python -m tests.load: how many visitors the dashboard bears, measured.

Without --url it starts the server itself, on loopback, and stops it at the end. Prints a table;
--json writes the same as a file. Ends with status 1 when a visitor met an error. Times have no
say in that: they mean something only beside each other, on one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from tests.load import browsers, hostile, phones, scenarios
from tests.load.front import Front
from tests.load.host import Host
from tests.load.measure import Tally, idle
from tests.load.scenarios import Hall
from tests.load.visitor import Visitor
from tests.rooms import stores

SCENARIOS = (
    "first", "think", "explore", "instant", "soak", "heavy", "cold-browsers", "hostile", "restart", "room",
)  # fmt: skip
ORDER = (0, 1, 1, 0, 1, 0, 0, 1)  # of rounds without and with a room: no trend favours either
COLUMNS = (
    "scenario", "sessions", "count", "errors", "p50", "p95", "max", "wall", "server_cpu",
    "client_cpu", "cpu_ms_each", "rss_after", "rss_peak",
)  # fmt: skip


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("scenario", nargs="+", choices=(*SCENARIOS, "all"))
    parser.add_argument("--url", help="address of a running dashboard (default: start one)")
    parser.add_argument(
        "--pid", type=int, action="append", default=[], help="a process of it, for memory and time"
    )
    parser.add_argument(
        "--server", choices=("serve", "streamlit", "front"), default="serve",
        help="what to start: privsc serve, streamlit run, or two processes behind nginx with TLS",
    )  # fmt: skip
    parser.add_argument("--base-path", default="", help="serve under this path")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--pages", default="points,intervals")
    parser.add_argument("--think", type=float, default=5.0, help="seconds between two changes")
    parser.add_argument("--changes", type=int, default=6, help="changes of each visitor who thinks")
    parser.add_argument("--total", type=int, default=12_000, help="changes of the soak")
    parser.add_argument(
        "--free", action="store_true",
        help="visitors explore in every scenario, as in explore: the mix is in explorer.py",
    )  # fmt: skip
    parser.add_argument("--phones", type=int, default=500, help="phones of the room")
    parser.add_argument(
        "--pause",
        type=float,
        default=0.0,
        help="seconds for which the lecturer speaks after each truth",
    )
    parser.add_argument(
        "--beside", action="store_true",
        help="visitors explore in eight rounds, in four of them beside a room",
    )  # fmt: skip
    parser.add_argument(
        "--rooms",
        help="the file of the rooms of a server that runs (default: that of the one that is started)",
    )
    parser.add_argument(
        "--fault", default="", choices=("killed", "removed", "restarted"), help="between two phases of the room: a process is "
        "killed, the store's file is removed, or the server of --redis is killed and started with what it had saved",
    )  # fmt: skip
    parser.add_argument(
        "--redis",
        action="store_true",
        help="keep rooms on a server of Redis' kind, which is started and saves once a second",
    )
    parser.add_argument("--same", action="store_true", help="all visitors make the same moves")
    parser.add_argument("--cold", action="store_true", help="no visit before the first scenario")
    parser.add_argument(
        "--prepared", action="store_true", help="wait first until the server has nothing to do"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the records to this file")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    options = _options(words)
    # Ended from outside, too, the server ends with us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    host: Host | Front | None = None
    options.store = stores.Redis(save="1 1") if options.redis else None
    if options.store:
        print("rooms on version", options.store.start())
    if options.url is None:
        more = {
            "base_path": options.base_path, "rooms": options.store.url if options.store else "",
        }  # fmt: skip
        host = Front(**more) if options.server == "front" else Host(options.server, **more)
        host.start()
        print(f"started in {host.started:.2f} s at {host.url}")
    try:
        hall = Hall(
            base=options.url or host.url,  # type: ignore[union-attr]
            pids=(lambda: options.pid) if host is None else host.pids,
            sessions=options.sessions,
            pages=tuple(options.pages.split(",")),
            seed=options.seed,
            same=options.same,
            free=options.free,
        )
        records = asyncio.run(_run(hall, host, options))
        if host is not None:
            for line in host.trouble():
                print("server's log:", line)
    finally:
        if host is not None:
            host.close()
        if options.store:
            options.store.close()
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    return int(any(record["errors"] for record in records))


async def _run(hall: Hall, host: Host | Front | None, options: Any) -> list[dict[str, Any]]:
    wanted = SCENARIOS if "all" in options.scenario else tuple(options.scenario)
    if not options.cold:
        for page in hall.pages:
            visitor = Visitor(hall.base, page)
            await visitor.open()
            await visitor.arrive()
            await visitor.close()
    if options.prepared:
        await idle(hall.pids)
    print(" ".join(f"{name:>13}" for name in COLUMNS), flush=True)
    records = []
    for name in wanted:
        record = await _one(name, hall, host, options)
        records.append(record)
        _row(record)
        kinds: dict[str, dict[str, Any]] = record.get("kinds", {})
        for kind, found in kinds.items():
            _row({"scenario": kind, **found, "errors": None})
        hidden = {*COLUMNS, "kinds"}
        more = {key: value for key, value in record.items() if key not in hidden and value}
        print(f"            {more}", flush=True)
    await hall.empty()
    return records


def _row(record: dict[str, Any]) -> None:
    cells = ("" if record.get(name) is None else record[name] for name in COLUMNS)
    print(" ".join(f"{cell!s:>13}" for cell in cells))


async def _one(name: str, hall: Hall, host: Host | Front | None, options: Any) -> dict[str, Any]:
    def again() -> None:
        if host is None:
            sys.exit("restart needs a server of our own: leave --url out")
        host.kill()
        host.start()

    run = {
        "first": lambda: scenarios.first(hall),
        "think": lambda: scenarios.think(hall, seconds=options.think, changes=options.changes),
        "explore": lambda: scenarios.explore(hall, seconds=options.think, changes=options.changes),
        "instant": lambda: scenarios.instant(hall),
        "soak": lambda: scenarios.soak(hall, total=options.total),
        "heavy": lambda: scenarios.heavy(hall, seconds=options.think, changes=options.changes),
        "cold-browsers": lambda: browsers.cold(hall),
        "hostile": lambda: hostile.attack(hall),
        "restart": lambda: scenarios.restart(hall, again),
        "room": lambda: _room(hall, host, options),
    }[name]
    return await run()


async def _room(hall: Hall, host: Host | Front | None, options: Any) -> dict[str, Any]:
    where = options.rooms or (host.rooms if host else "")
    if not where:
        sys.exit("a room on a server that runs needs --rooms, the file of its rooms")
    given = {
        "phones": options.phones, "pause": options.pause,
        "fault": phones.failure(options.fault, host, options.store),
    }  # fmt: skip
    if not options.beside:
        return await phones.lecture(hall, where, **given)
    hall.free = True
    rounds: dict[str, Tally] = {"alone": Tally(), "beside a room": Tally()}
    records: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for name in (("alone", "beside a room")[place] for place in ORDER):
        # The longer visitors explore, the heavier their settings: each round has visitors of its own.
        await hall.empty()
        hall.seed += 1
        await hall.filled()
        exploring = asyncio.create_task(
            scenarios.think(hall, seconds=options.think, changes=options.changes, into=rounds[name])
        )
        if name != "alone":
            records.append(await phones.lecture(hall, where, until=exploring, **given))
        explored = await exploring
        parts.append(explored)
        _row(explored | {"scenario": name})
    late = {name: tally.record()["p95"] for name, tally in rounds.items()}
    parts += records
    return records[-1] | {
        "errors": sum(it["errors"] for it in parts),
        "what": sorted({why for it in parts for why in it["what"]})[:5],
        "explorers": late, "ratio": round(late["beside a room"] / late["alone"], 3),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
