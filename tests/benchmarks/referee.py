"""The referee at length: random tiny settings, extremes among them, until the time is up.

    python -m tests.benchmarks referee          (about ten minutes)
    python -m tests.benchmarks referee 60       (a minute)

Prints how much was compared, the smallest margin of every bound, and everything that is false.
"""

import time
import traceback

import numpy as np

from tests.core.support import exists
from tests.referee import lower, upper
from tests.referee.classes import CLASSES
from tests.referee.lower import Cell
from tests.referee.optimum import solved
from tests.referee.report import Tally

SECONDS = 600.0
ALPHAS = (
    0.001,
    0.05,
    0.1,
    0.2,
    0.25,
    0.3,
    0.33,
    0.4,
    0.45,
    0.499,
    0.5,
    0.501,
    0.6,
    0.75,
    0.95,
    0.999,
)
EPSILONS = (1e-4, 0.02, 0.1, 0.3, 0.7, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0)
BETAS = (1e-9, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.8, 0.99)


def main(seconds=SECONDS, seed=1):
    """Run for so many seconds; return whether nothing false was found."""
    rng = np.random.default_rng(seed)
    begin, tally, broken = time.monotonic(), Tally(), []
    kinds = [
        (known, bound) for known in CLASSES.values() for bound in known.concept.bounds
        if bound.constants != "rate"
    ]  # fmt: skip
    rounds = 0
    while time.monotonic() - begin < seconds:
        rounds += 1
        # One cell for all bounds of a class: they share its optima.
        cells = {name: _cell(known, rng) for name, known in CLASSES.items()}
        for known, bound in kinds:
            try:
                tally.add(_comparisons(known, bound, cells[known.name], rng, rounds))
            except Exception:  # noqa: BLE001 - a bound that fails is a finding, not the end
                broken.append((known.name, bound.name, cells[known.name], traceback.format_exc()))
            if time.monotonic() - begin > seconds:
                break
    _print(tally, broken, rounds, time.monotonic() - begin)
    return not tally.false and not broken


def _cell(known, rng):
    d = int(rng.choice(known.bits))
    m = int(rng.integers(1, {1: 8, 2: 5}.get(d, 4)))
    return Cell(
        d, m, float(rng.choice(EPSILONS)), float(rng.choice(ALPHAS)), delta=0.05,
        largest=2_500, thorough=True,
    )  # fmt: skip


def _comparisons(known, bound, cell, rng, number):
    if bound.kind == "lower":
        yield from lower.compare(known, bound, cell)
        if number % 5 == 0 and cell.d <= known.bits[1]:
            sizes = rng.integers(1, 40, size=2).tolist()
            yield from lower.compare_surely(known, bound, cell.d, cell.alpha, sizes)
        return
    beta = float(rng.choice(BETAS))
    if known.given:
        m = int(rng.integers(1, 40 if cell.d == 1 else 12))
        yield from upper.on_databases(known, bound, cell.d, m, cell.epsilon, cell.alpha, beta)
    else:
        m = int(rng.integers(1, {1: 60, 2: 13}.get(cell.d, 5)))
        yield from upper.compare(
            known, bound, cell.d, m, cell.epsilon, cell.alpha, beta, effort=200
        )
    for d in (cell.d, int(rng.integers(16, 200))):
        if any(exists(x, d, cell.alpha) for x in known.concept.distributions):
            epsilon = max(cell.epsilon, 0.02)
            yield from upper.by_law(known, bound, d, epsilon, min(cell.alpha, 0.9), beta)


def _print(tally, broken, rounds, seconds):
    print(f"{rounds} rounds in {seconds:.0f} s: {solved():,} linear programs, "
          f"{sum(tally.count.values()):,} comparisons of "
          f"{len({key[:2] for key in tally.count})} bounds, {len(tally.false)} false, "
          f"{len(broken)} broken")  # fmt: skip
    row = "{:<20}{:<22}{:<9}{:>12}  {}"
    print(row.format("class", "bound", "claim", "comparisons", "smallest margin"))
    for key, number in tally.count.items():
        print(row.format(*key, f"{number:,}", f"{tally.least[key]:.3g}"))
    shown = {}
    for one in tally.false:
        shown.setdefault((one.concept, one.bound, one.claim), []).append(one)
    for some in shown.values():
        worst = sorted(some, key=lambda one: one.margin)
        print(f"FALSE, {len(some)} times, e.g. {worst[0]}")
        for one in worst[1:4]:
            print(f"    {one}")
    for known, bound, cell, text in broken[:5]:
        print(f"BROKEN {known} {bound} {cell}\n{text}")
