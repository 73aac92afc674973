"""Processor time of a click on the laboratory's matrix, 64 concepts on 16 points.

`python -m tests.benchmarks clicks` flips one label after the other and computes every dimension
anew, as the page does: what is known at once, within the goal of 100 ms, and all, which arrives
later where that was not all. Medians and worst of 15 clicks, in milliseconds.
"""

import statistics
import time

import numpy as np

from privsc_core.finite import dimensions
from privsc_core.finite.budget import USUAL
from privsc_core.finite.ready import AT_ONCE

CONCEPTS, POINTS, CLICKS, GOAL = 64, 16, 15, 100


def matrices():
    """Return matrices of several kinds by name, of distinct rows where the kind has so many."""
    rng = np.random.default_rng(0)
    shape = (CONCEPTS, POINTS)
    places, rows = np.arange(POINTS), np.arange(CONCEPTS)[:, None]
    starts, ends = np.triu_indices(POINTS)
    return {
        "random": rng.integers(2, size=shape),
        "sparse": (rng.random(shape) < 0.2).astype(int),
        "cube of 6, repeated": rows >> places % 6 & 1,
        "intervals": ((starts[:, None] <= places) & (places <= ends[:, None])).astype(int)[
            :CONCEPTS
        ],
        "thresholds": (places < rows % (POINTS + 1)).astype(int),
    }


def clicks(matrix, steps):
    """Return milliseconds of processor time, a number a click."""
    rng, found = np.random.default_rng(1), []
    changed = matrix.copy()
    for _ in range(CLICKS):
        changed[rng.integers(CONCEPTS), rng.integers(POINTS)] ^= 1
        start = time.process_time()
        dimensions(changed, steps=steps)
        found.append(1000 * (time.process_time() - start))
    return found


def main():
    """Print a line a matrix."""
    dimensions([[0, 1], [1, 0], [1, 1], [0, 0]])  # what is loaded once
    print(f"{'class':<22} {'at once':>8} {'worst':>8} {'all':>8} {'worst':>8}   goal {GOAL} ms")
    for name, matrix in matrices().items():
        columns = [
            part(clicks(matrix, n)) for n in (AT_ONCE, USUAL) for part in (statistics.median, max)
        ]
        print(f"{name:<22}", *(f"{column:8.0f}" for column in columns))
