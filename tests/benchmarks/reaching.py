"""`python -m tests.benchmarks reach [settings]`: every inverse, at random settings, held and timed.

Each setting asks one learner or one bound of one class for one parameter. What is reached is held
against `need` and `bound`, and back; the time is that of the processor, and of a single `reach`.
"""

import collections
import contextlib
import math
import random
import time

from privsc_core.errors import InputError
from privsc_core.evaluate.reach import reach, reach_bound
from privsc_core.evaluate.tables import forget
from tests.core.test_reach import (
    BOUNDS,
    EXACT,
    INVERSES,
    check_bound,
    check_learner,
    check_round_trip,
)  # fmt: skip

WANTED_SECONDS = 0.1


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


def main(count=10_000, seed=1) -> bool:
    """Print what does not hold, and the times; tell whether all held."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    wrong, slow = [], []
    times = collections.defaultdict(list)
    for number in range(count):
        kind = (everyday, extreme)[number % 2]
        setting, m = kind(draw)
        wanted = draw.choice(INVERSES)
        if draw.random() < 0.6:
            case = draw.choice(EXACT)
            learner, law = case.values
            name = case.id
            checks = [
                lambda a=(learner, law, wanted, setting, m): check_learner(*a),
                lambda a=(learner, law, wanted, setting): check_round_trip(*a),
            ]
            ask = lambda a=(learner, law): reach(*a, wanted=wanted, m=m, **setting)  # noqa: B023, E731 - called here
        else:
            case = draw.choice(BOUNDS)
            (entry,), name = case.values, case.id
            checks = [lambda a=(entry, wanted, setting, m): check_bound(*a)]
            ask = lambda e=entry: reach_bound(e, wanted=wanted, m=m, **setting)  # noqa: B023, E731 - called here
        begin = time.process_time()
        with contextlib.suppress(InputError):
            ask()
        seconds = time.process_time() - begin
        times[kind.__name__].append(seconds)
        slow.append((seconds, name, wanted, m, setting))
        for check in checks:
            try:
                check()
            except Exception as error:  # noqa: BLE001 - all are told
                wrong.append((name, wanted, m, setting, repr(error)[:200]))
        forget()
    for line in wrong:
        print("WRONG ", *line)
    for name, seconds in times.items():
        ranked = sorted(seconds)
        at = {
            q: ranked[min(math.floor(q * len(ranked)), len(ranked) - 1)] for q in (0.5, 0.9, 0.99)
        }
        within = sum(s <= WANTED_SECONDS for s in ranked) / len(ranked)
        print(f"{name}: median {1e3 * at[0.5]:.1f} ms, 90% {1e3 * at[0.9]:.0f} ms, "
              f"99% {1e3 * at[0.99]:.0f} ms, most {1e3 * ranked[-1]:.0f} ms; "
              f"{100 * within:.1f}% within 100 ms")  # fmt: skip
    for seconds, *rest in sorted(slow, key=lambda row: -row[0])[:12]:
        print(f"{seconds:.3f} s", *rest)
    print(f"{count} settings, {len(wrong)} wrong")
    return not wrong
