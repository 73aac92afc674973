"""The empty points whose noise passes the threshold, without visiting all 2^d."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["SURVIVORS_MOST", "distinct_points", "survivor_count", "survivors_most"]

# A release of more points than this is of no use to anybody; at large d, where one point is
# d bits, fewer are allowed.
SURVIVORS_MOST = 100_000
_BITS_MOST = 10**8
# numpy's binomial sampler is wrong for more than about 2^53 draws.
_BINOMIAL_MOST = 1 << 50


def survivors_most(d: int) -> int:
    """Return how many surviving empty points may be expected before a run is refused."""
    return min(SURVIVORS_MOST, max(_BITS_MOST // d, 1))


def survivor_count(d: int, seen: int, log_chance: float, rng: np.random.Generator) -> int:
    """Draw Bin(2^d - seen, chance), or refuse.

    Whether it refuses depends on d and the chance only, not on the data: a refusal that told
    how many points were seen would not be private. Above 2^50 points the count is Poisson,
    which differs by at most `chance`, here below 10^-10, in total variation.

    Raises
    ------
    InputError
        When more points would be expected than `survivors_most`.
    """
    log_most = math.log(survivors_most(d))
    log_expected = log_domain_scalar(d) + log_chance
    if log_expected > log_most:
        expected = f"{log_expected / math.log(10.0):.1f}"
        requirement = (
            f"must be larger at d = {d}: at most {survivors_most(d)} empty points may be "
            "expected to pass the threshold"
        )
        raise InputError("m", requirement, f"10^{expected} of them")
    if d <= _BINOMIAL_MOST.bit_length() - 1:
        return int(rng.binomial((1 << d) - seen, math.exp(log_chance)))
    return int(rng.poisson(math.exp(log_expected)))


def distinct_points(
    d: int, number: int, taken: Collection[int], rng: np.random.Generator
) -> list[int]:
    """Return `number` distinct uniform points of [2^d] outside `taken`."""
    chosen = set(taken)
    if d < 40 and 1 << d <= 4 * (len(chosen) + number):
        free = np.setdiff1d(np.arange(1, (1 << d) + 1), np.fromiter(chosen, dtype=np.int64))
        return [int(point) for point in rng.choice(free, number, replace=False)]
    found: list[int] = []
    while len(found) < number:
        point = 1 + uniform_below(rng, 1 << d)
        if point not in chosen:
            chosen.add(point)
            found.append(point)
    return found
