"""`python -m tests.benchmarks reach [settings [first [processes]]]`: every inverse, held and timed.

Each setting asks one learner or one bound of one class for one parameter, the classes in turn. What
is reached is held against `need` and `bound`, and back, and against a scan of what demands more; the
time is that of the processor, and of a single `reach`.
"""

import collections
import concurrent.futures
import contextlib
import functools
import math
import multiprocessing
import random
import time
from dataclasses import dataclass

from privsc_core.catalog import CONCEPTS
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import forget
from privsc_core.evaluate.reach import reach, reach_bound
from tests.core.evaluate.test_reach import (
    BOUNDS,
    EXACT,
    INVERSES,
    check_bound,
    check_learner,
    check_round_trip,
    check_scan,
)  # fmt: skip

WANTED_SECONDS = 0.1
SHARE = 0.6  # of the settings that ask a learner and no bound
CHUNK, EVERY, SLOWEST = 5, 100, 40
SPAWNED = multiprocessing.get_context("spawn")
NAMES = [concept.name for concept in CONCEPTS]
LEARNERS = collections.defaultdict(list)
ENTRIES = collections.defaultdict(list)
for _cases, _by in ((EXACT, LEARNERS), (BOUNDS, ENTRIES)):
    for _case in _cases:
        _by[next(n for n in NAMES if _case.id.startswith(f"{n}-"))].append(_case)


@dataclass(frozen=True, slots=True)
class Row:
    """What came out at one setting; seconds of one `reach`, and of the checks."""

    number: int
    concept: str
    name: str
    kind: str
    wanted: str
    m: int
    setting: dict[str, float]
    seconds: float
    checking: float
    wrong: list[str]


def extreme(draw):
    """Return a setting from the whole range of the page, and beyond."""
    return {
        "d": round(10 ** draw.uniform(0.31, 6)),
        "epsilon": float(f"{10 ** draw.uniform(-3, 1.3):.3g}"),
        "alpha": float(f"{10 ** draw.uniform(-2.3, -0.31):.3g}"),
        "beta": float(f"{10 ** draw.uniform(-9, -0.31):.3g}"),
    }, round(10 ** draw.uniform(0, 7))


def everyday(draw):
    """Return a setting as a first visitor chooses it."""
    return {
        "d": round(2 ** draw.uniform(1, 10)),
        "epsilon": float(f"{10 ** draw.uniform(-1, 0.5):.3g}"),
        "alpha": float(f"{10 ** draw.uniform(-1.5, -0.5):.3g}"),
        "beta": float(f"{10 ** draw.uniform(-2, -0.5):.3g}"),
    }, round(10 ** draw.uniform(1, 5))


def main(count=10_000, first=0, processes=1) -> bool:
    """Print what does not hold, and the times; tell whether all held.

    Setting number n is the same in every run, so that a range of numbers is a part of the whole:
    `reach 1000 3000` computes numbers 3000 to 3999.
    """
    begin, rows = time.monotonic(), []
    with concurrent.futures.ProcessPoolExecutor(processes, SPAWNED) as pool:
        every = pool.map(one, range(first, first + count), chunksize=CHUNK)
        for row in every:
            rows.append(row)
            for word in row.wrong:
                print(
                    "WRONG ", row.number, row.name, row.wanted, row.m, row.setting, word, flush=True
                )
            if len(rows) % EVERY == 0:
                spent = sum(r.seconds + r.checking for r in rows)
                print(f"{len(rows)} of {count}: {spent:.0f} s of processor time, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)  # fmt: skip
    report(rows)
    return not any(row.wrong for row in rows)


def one(number) -> Row:
    """Ask for one inverse, time it, and hold it against the other way round."""
    draw = random.Random(f"setting {number}")  # noqa: S311 - no secret
    name = NAMES[number % len(NAMES)]
    kind = (everyday, extreme)[number // len(NAMES) % 2]
    setting, m = kind(draw)
    wanted = draw.choice(INVERSES)
    learners, bounds = LEARNERS.get(name, []), ENTRIES.get(name, [])
    if learners and (draw.random() < SHARE or not bounds):
        case = draw.choice(learners)
        learner, law = case.values
        checks = (
            functools.partial(check_learner, learner, law, wanted, setting, m),
            functools.partial(check_round_trip, learner, law, wanted, setting),
            functools.partial(check_scan, learner, law, wanted, setting, m),
        )
        ask = functools.partial(reach, learner, law, wanted=wanted, m=m, **setting)
    else:
        case = draw.choice(bounds)
        (entry,) = case.values
        checks = (functools.partial(check_bound, entry, wanted, setting, m),)
        ask = functools.partial(reach_bound, entry, wanted=wanted, m=m, **setting)
    seconds, wrong = seconds_of(ask, InputError), []
    start = time.process_time()
    for check in checks:
        try:
            check()
        except Exception as error:  # noqa: BLE001 - all are told
            wrong.append(f"{check.func.__name__}: {error!r}"[:300])
    forget()
    checking = time.process_time() - start
    return Row(number, name, case.id, kind.__name__, wanted, m, setting, seconds, checking, wrong)


def seconds_of(ask, refused) -> float:
    """Return the processor time of a question."""
    begin = time.process_time()
    with contextlib.suppress(refused):
        ask()
    return time.process_time() - begin


def report(rows):
    """Print how many settings of which class there were, and how long they took."""
    for name in NAMES:
        these = [row for row in rows if row.concept == name]
        late = sum(row.seconds > WANTED_SECONDS for row in these)
        print(f"{name}: {len(these)} settings, {late} above {1e3 * WANTED_SECONDS:.0f} ms")
    for kind in ("everyday", "extreme"):
        ranked = sorted(row.seconds for row in rows if row.kind == kind)
        if not ranked:
            continue
        at = {
            q: ranked[min(math.floor(q * len(ranked)), len(ranked) - 1)] for q in (0.5, 0.9, 0.99)
        }
        within = sum(s <= WANTED_SECONDS for s in ranked) / len(ranked)
        print(f"{kind}: median {1e3 * at[0.5]:.1f} ms, 90% {1e3 * at[0.9]:.0f} ms, "
              f"99% {1e3 * at[0.99]:.0f} ms, most {1e3 * ranked[-1]:.0f} ms; "
              f"{100 * within:.1f}% within 100 ms")  # fmt: skip
    worst: dict[tuple[str, str], Row] = {}
    late = collections.Counter()
    for row in sorted(rows, key=lambda row: -row.seconds):
        worst.setdefault((row.name, row.wanted), row)
        late[row.name, row.wanted] += row.seconds > WANTED_SECONDS
    print("slowest setting of each question:")
    for key, row in list(worst.items())[:SLOWEST]:
        print(f"{row.seconds:.3f} s ({late[key]} above) #{row.number} {row.name} "
              f"{row.wanted} m={row.m} {row.setting}")  # fmt: skip
    print("checks that took longest:")
    for row in sorted(rows, key=lambda row: -row.checking)[:SLOWEST]:
        print(f"{row.checking:.3f} s #{row.number} {row.name} {row.wanted} m={row.m} {row.setting}")
    spent = sum(row.seconds + row.checking for row in rows)
    wrong = sum(bool(row.wrong) for row in rows)
    print(f"{len(rows)} settings, {wrong} wrong, {spent:.0f} s of processor time")
