"""python -m tests.benchmarks: the goals for speed, as ratios beside what else one would use.

`python -m tests.benchmarks figures` prints the processor time of figures that nobody prepared;
`python -m tests.benchmarks formulas` prints what a bound of a reader's own costs beside a success curve;
`python -m tests.benchmarks staircase` prints what the figure of three depths of recursion costs beside a success curve;
`python -m tests.benchmarks ends` lists what takes longest at the ends of all controls;
`python -m tests.benchmarks audit` plants faults in mechanisms and audits them, and correct ones, by runs;
`python -m tests.benchmarks coverage` counts how often the 95% intervals of simulations hold the truth;
`python -m tests.benchmarks sweep` computes a million exact settings, beside single calls;
`python -m tests.benchmarks commands` starts `privsc` for one number of every learner with an exact law;
`python -m tests.benchmarks memory COMMIT` measures the processes of the server beside those of a commit;
`python -m tests.benchmarks own` runs a learner of one's own beside a loop written by hand;
`python -m tests.benchmarks browser drag` (or `line`, `cold`) is a visitor with a Chromium.

Prints a table and fails nothing. diffprivlib and OpenDP come with `pip install -e ".[bench]"`.
"""

import sys
import tracemalloc

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import Exponential
from privsc_core.evaluate.success import success
from tests.benchmarks import (
    audits,
    browser,
    commands,
    coverage,
    ends,
    figures,
    formulas,
    memory,
    own,
    peers,
    staircase,
    sweeps,
)
from tests.benchmarks.timing import compare, faster, head, row, within
from tests.core.concepts.point.chances import simulated

LEARNER, HARD = Exponential(), Hard()
M = np.linspace(20, 2000, 60).astype(np.int64)[:, None]
D = np.linspace(2, 120, 60).astype(np.int64)[None, :]
EPSILON = np.linspace(0.05, 3.0, 60)[None, :]
ALPHA, ONE = 0.1, np.array([[0.5]])
SETS, SIZE = 10_000, 200


def hard_data(sets, m, d, rng):
    """Return samples of the hard distribution at alpha = 0.1, target 2^d."""
    y = (rng.random((sets, m)) < 0.1).astype(np.uint8)
    return np.where(y, 1 << d, 1), y


def uniform_data(sets, m, d, rng):
    """Return samples with uniform points and labels: nearly all points distinct."""
    return rng.integers(1, (1 << d) + 1, size=(sets, m)), rng.integers(
        2, size=(sets, m), dtype=np.uint8
    )


DATA = {"hard": hard_data, "uniform": uniform_data}


def diagrams():
    """Goals 1 and 2."""

    def md():
        return success(LEARNER, HARD, m=M, d=D, epsilon=0.5, alpha=ALPHA).value

    def me():
        return success(LEARNER, HARD, m=M, d=20, epsilon=EPSILON, alpha=ALPHA).value

    twenty = np.array([[20]])
    faster("1", "(m, d) diagram, 60 x 60", "scipy binom.pmf per m", md,
           lambda: peers.scipy_per_m(M, D, ONE, ALPHA), wanted=30)  # fmt: skip
    faster("1", "(m, d) diagram, 60 x 60", "scipy binom.pmf per cell", md,
           lambda: peers.scipy_per_cell(M, D, ONE, ALPHA), wanted=700)  # fmt: skip
    faster("1", "(m, ε) diagram, 60 x 60", "scipy binom.pmf per m", me,
           lambda: peers.scipy_per_m(M, twenty, EPSILON, ALPHA), wanted=15)  # fmt: skip
    within("2", "(m, d) diagram, 60 x 60", "exp pass + product, one thread", md,
           peers.Limit(), wanted=8)  # fmt: skip
    within("2", "(m, d) diagram, 60 x 60", "exp pass + product, as BLAS likes", md,
           peers.Limit(block=60), wanted=8)  # fmt: skip


def simulations():
    """Goal 3."""
    rng = np.random.default_rng(1)
    given = {"m": SIZE, "d": 16, "epsilon": 0.5, "alpha": ALPHA, "trials": SETS, "rng": rng}
    for what, smooth in (("10,000 runs, Rao-Blackwell", True), ("10,000 runs, sampled", False)):
        within("3", what, "drawing the binomials alone",
               lambda smooth=smooth: simulated(**given, rao_blackwell=smooth),
               lambda: rng.binomial(SIZE, ALPHA, size=SETS), wanted=1.25)  # fmt: skip


def batches():
    """Goal 4: a peer runs on as many sets as it manages, and both times are per set."""
    diffprivlib, opendp = peers.diffprivlib_peers(), peers.opendp_peer()
    _batch("hard", 20, "numpy, grouped per trial", peers.numpy_grouped, wanted=12)
    _batch("hard", 10, "numpy Gumbel-max over 2^10", peers.numpy_dense, wanted=10)
    _batch("hard", 20, "numpy Gumbel-max over 2^20", peers.numpy_dense, wanted=4000)
    _generated("hard")
    # Nearly all points distinct: the goals do not say which data, so this is held to them too.
    _batch("uniform", 20, "numpy, grouped per trial", peers.numpy_grouped, wanted=12)
    _batch("uniform", 10, "numpy Gumbel-max over 2^10", peers.numpy_dense, wanted=10)
    _batch("uniform", 20, "numpy Gumbel-max over 2^20", peers.numpy_dense, wanted=4000)
    _generated("uniform")
    if diffprivlib:
        _batch("hard", 20, "diffprivlib, grouped", diffprivlib[0], wanted=25)
        _batch("uniform", 20, "diffprivlib, grouped", diffprivlib[0], wanted=25)
        _batch("hard", 16, "diffprivlib over 2^16", diffprivlib[1])
    else:
        print("4    diffprivlib: not installed")
    if opendp:
        _batch("hard", 16, "OpenDP noisy max over 2^16", opendp)
    else:
        print("4    OpenDP: not installed")


def _batch(kind, d, name, pick, *, wanted=None):
    rng = np.random.default_rng(3)
    x, y = DATA[kind](SETS, SIZE, d, rng)
    sets = 5 if "over" in name and d > 10 else 200

    def theirs():
        for index in range(sets):
            pick(x[index], y[index], d, 0.5, rng)

    ours, peer, ratio = compare(
        lambda: LEARNER.run_many(x, y, Cell(d, 0.5, ALPHA, 0.1), rng).numbers,
        theirs,
    )
    times = ours / SETS, peer / sets, ratio * SETS / sets
    row("4", f"run_many, {kind} data, d = {d}", f"{name}, per set", times, wanted=wanted)


def _generated(kind):
    rng = np.random.default_rng(4)
    x, y = DATA[kind](SETS, SIZE, 20, rng)

    def ours():
        return LEARNER.run_many(x, y, Cell(20, 0.5, ALPHA, 0.1), rng).numbers

    def data():
        fresh, _ = DATA[kind](SETS, SIZE, 20, rng)
        fresh.sort(axis=1)

    within("4", f"run_many, {kind} data, d = 20", "generating and sorting the data", ours, data,
           wanted=4)  # fmt: skip
    within("4", f"run_many, {kind} data, d = 20", "sorting a copy of x alone", ours,
           lambda: np.sort(x, axis=1), wanted=None)  # fmt: skip


def scaling():
    """Goal 6."""

    def at(m, d):
        return lambda: success(LEARNER, HARD, m=m, d=d, epsilon=0.5, alpha=ALPHA).value

    bits = np.arange(20, 80)
    for what, peer, ours, theirs, wanted in (
        ("exact at d = 10^6, m = 2000", "the same at d = 20", at(2000, 10**6), at(2000, 20), 1.2),
        ("(m, d) diagram, d to 10^6", "the same, d to 120", at(M, D * 8333), at(M, D), 1.2),
        ("exact at m = 10^7, d = 20", "the same at m = 10^4", at(10**7, 20), at(10**4, 20), 12),
        ("60 d at m = 10^7", "the same at m = 10^4", at(10**7, bits), at(10**4, bits), None),
    ):
        within("6", what, peer, ours, theirs, wanted=wanted)
    for what, run in (
        ("m = 10^4, d = 20", at(10**4, 20)),
        ("m = 10^7, d = 20", at(10**7, 20)),
        ("m = 10^7, d = 10^6", at(10**7, 10**6)),
        ("m = 10^7, 60 values of d", at(10**7, bits)),
        ("(m, d) diagram", at(M, D)),
    ):
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"6    memory at its peak, {what}: {peak / 1024:,.0f} KiB")


# Each tells whether it holds.
OTHERS = {
    "figures": lambda words: figures.main(*map(int, words)) or True,
    "staircase": lambda _: staircase.main() or True,
    "formulas": lambda words: formulas.main(*map(int, words)) or True,
    "ends": lambda words: ends.main(*words) or True,
    "audit": lambda words: audits.main(*map(int, words)),
    "coverage": lambda words: coverage.main(*map(int, words)),
    "sweep": lambda words: sweeps.main(*map(int, words)),
    "commands": lambda words: commands.main(*map(int, words)),
    "memory": lambda words: memory.main(*words) or True,
    "own": lambda _: own.compare_all() or True,
    "browser": lambda words: browser.main(*words) or True,
}


def main() -> int:
    if other := OTHERS.get("".join(sys.argv[1:2])):
        return 0 if other(sys.argv[2:]) else 1
    print(f"numpy {np.__version__}, Python {sys.version.split()[0]}")
    head()
    diagrams()
    simulations()
    batches()
    scaling()
    own.compare_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
