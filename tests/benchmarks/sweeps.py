"""python -m tests.benchmarks sweep: a million exact settings, beside `pv.success` called singly.

Rates by the clock depend on what else the machine does; the comparison is in processor time, of
all processes together, the start of the workers included.
"""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import privsc_core as pv
from privsc_core.cli.sweeping import plan_of
from privsc_core.sweep import cluster, sweep

PLAN = """
[[sweep]]
concept = "point"
learner = ["exponential", "hash", "noise", "erm"]
m = "20:2000:125"
d = "2:120:50"
epsilon = "0.1:2:20:log"
alpha = [0.1, 0.2]
"""
SINGLY = 2000
WANTED = 5.0


def main(workers=2):
    plan = plan_of(PLAN)
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.parquet")
        before = _processor()
        with cluster(workers) as client:
            told, missing = sweep(plan, results, client=client)
        spent = _processor() - before
        size = results.stat().st_size
    print(
        f"{told.rows:,} exact settings on {workers} workers: {told.rate:,.0f} a second by the clock"
    )
    print(f"{missing} without an answer; {size / 2**20:.1f} MB; {spent:.1f} s of processors in all")
    each, singly = spent / told.rows, _singly(plan)
    ratio = singly / each
    print(
        f"a setting: {1e6 * each:.1f} us here, {1e6 * singly:.1f} us singly: {ratio:.1f} times (wanted {WANTED:g})"
    )
    return ratio >= WANTED


def _singly(plan):
    """Return the processor seconds of one call, over settings of the plan taken at random."""
    rng, calls, cuts = np.random.default_rng(1), [], plan.cuts()
    for number in rng.integers(len(cuts), size=SINGLY).tolist():
        part = cuts[number].part()
        row = int(rng.integers(part.rows.size))
        who = part.who[part.asked[row]]
        setting = {name: float(v[row]) for name, v in part.given.items()}
        calls.append({"concept": who.concept, "learner": who.learner, **setting})
    begin = time.process_time()
    for call in calls:
        pv.success(**call)
    return (time.process_time() - begin) / len(calls)


def _processor():
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
