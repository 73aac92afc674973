"""The best private mechanism of a small instance, as a linear program with its certificate.

A mechanism sees the votes of n candidates, of m records at most one each, and names a candidate.
Averaging over all renamings of the candidates keeps it private and as good, so it may be taken to
treat them alike: a database is then how many votes there are of each size, and candidates with
equally many votes are one variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from privsc_core import progress
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

ROWS_MOST = 60_000  # inequalities of a program that is solved while a visitor waits

Votes = tuple[int, ...]  # of those who have any, most first


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The optimum, and why it is one.

    Attributes
    ----------
    success : ndarray, shape (m + 1,)
        Of the optimal mechanism where the target alone has k = 0, 1, ..., m votes.
    value, dual : float
        What is maximised, the mean of these over `weights`, and the bound that the dual proves.
    slip : float
        By how much the mechanism breaks a constraint at most; rounding of the solver.
    variables, rows, bases : int
        Sizes: unknowns, inequalities, databases.
    """

    success: NDArray[np.float64]
    value: float
    dual: float
    slip: float
    variables: int
    rows: int
    bases: int


def databases(most: int, parts: int) -> Iterator[Votes]:
    """Yield all vote counts with at most `most` votes for at most `parts` candidates."""

    def grow(left: int, room: int, largest: int) -> Iterator[Votes]:
        yield ()
        if room:
            for first in range(1, min(left, largest) + 1):
                for rest in grow(left - first, room - 1, first):
                    yield (first, *rest)

    yield from grow(most, parts, most)


def _sorted(votes: list[int]) -> Votes:
    return tuple(sorted((v for v in votes if v), reverse=True))


def _replaced(votes: Votes, n: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield neighbours by a vote dropped or moved: votes before and after, place by place.

    Added votes are dropped ones read backwards. One candidate without votes stands for all, so a
    second one is listed where there is one.
    """
    blank = min(n - len(votes), 2)
    full = [*votes, *[0] * blank]
    for i in range(len(votes)):
        if i and votes[i] == votes[i - 1]:
            continue  # equally many votes: the same again
        dropped = full.copy()
        dropped[i] -= 1
        yield full, dropped
        for j in range(len(full)):
            if j != i and (j == 0 or full[j] != full[j - 1] or j - 1 == i):
                moved = dropped.copy()
                moved[j] += 1
                yield full, moved


@lru_cache(maxsize=64)
def solve(n: int, m: int, epsilon: float, weights: tuple[float, ...] = ()) -> Solved:
    """Return the best mechanism for n candidates and m records.

    Parameters
    ----------
    n : int
        Candidates, at least 2; a record that votes for none of them is a further kind.
    m : int
        Records.
    epsilon : float
    weights : tuple of float, optional
        What the successes at k = 0, ..., m count for; equally much, where it is left out.

    Raises
    ------
    InputError
        Where the program would be too large to be solved while a visitor waits.
    """
    weights = weights or (1.0 / (m + 1),) * (m + 1)
    bases = list(databases(m, min(n, m)))
    place: dict[tuple[Votes, int], int] = {}
    sizes: list[tuple[Votes, int, int]] = []
    for votes in bases:
        for v in sorted(set(votes)):
            place[votes, v] = len(place)
            sizes.append((votes, v, votes.count(v)))
        if n > len(votes):
            place[votes, 0] = len(place)
            sizes.append((votes, 0, n - len(votes)))
    pairs: set[tuple[int, int]] = set()
    for votes in progress.steps(bases, end=0.3):
        for before, after in _replaced(votes, n):
            one, other = _sorted(before), _sorted(after)
            for v, w in zip(before, after, strict=True):
                a, b = place[one, v], place[other, w]
                pairs |= {(a, b), (b, a)}
    if len(pairs) > ROWS_MOST:
        raise InputError("m", f"must leave at most {ROWS_MOST:,} inequalities", len(pairs))
    return _solved(m, epsilon, weights, bases, place, sizes, sorted(pairs))


def _solved(
    m: int,
    epsilon: float,
    weights: tuple[float, ...],
    bases: list[Votes],
    place: dict[tuple[Votes, int], int],
    sizes: list[tuple[Votes, int, int]],
    pairs: list[tuple[int, int]],
) -> Solved:
    number = {votes: row for row, votes in enumerate(bases)}
    columns = np.arange(len(place))
    counts = np.array([float(count) for _, _, count in sizes])
    owner = np.array([number[votes] for votes, _, _ in sizes])
    # Unknown is what all candidates of a group get together: then every sum is of ones.
    sums: Any = csr_array(
        (np.ones(columns.size), (owner, columns)), shape=(len(bases), columns.size)
    )
    one, other = np.array(pairs).T
    rows = np.arange(len(pairs))
    lower, upper = 1.0 / counts[one], np.exp(epsilon) / counts[other]
    scale = np.maximum(lower, upper)
    budget: Any = csr_array(
        (
            np.concatenate([lower / scale, -upper / scale]),
            (np.concatenate([rows, rows]), np.concatenate([one, other])),
        ),
        shape=(len(pairs), columns.size),
    )
    target = np.array([place[(k,) if k else (), k] for k in range(m + 1)])
    gain = np.zeros(columns.size)
    np.add.at(gain, target, np.array(weights) / counts[target])
    found = linprog(
        -gain, A_ub=budget, b_ub=np.zeros(len(pairs)), A_eq=sums, b_eq=np.ones(len(bases)),
        bounds=(0.0, None), method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.x is None:
        raise InputError("epsilon", "must leave a program that the solver finishes", epsilon)
    x = found.x
    # Prices of the databases, with whatever the prices of pairs leave open added to them: then
    # every unknown is paid for, whatever the solver rounded, and their sum bounds every mechanism.
    pair_prices = np.minimum(found.ineqlin.marginals, 0.0)
    open_ = gain + budget.T @ pair_prices
    prices = np.full(len(bases), -np.inf)
    np.maximum.at(prices, owner, open_)
    slip = max(
        float(np.abs(sums @ x - 1.0).max()), float((budget @ x).max(initial=0.0)),
        float((-x).max(initial=0.0)),
    )  # fmt: skip
    return Solved(
        success=x[target] / counts[target], value=float(gain @ x), dual=float(prices.sum()),
        slip=slip, variables=columns.size, rows=len(pairs), bases=len(bases),
    )  # fmt: skip
