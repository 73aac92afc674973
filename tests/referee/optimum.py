"""The best learner of a tiny game.

`optimum`: a linear program. Its variables are the learner's chances of every answer on every
database, consistent or not (in symmetric form: one variable per orbit of the game's symmetries;
examples are exchangeable, so a database is a row of counts); its constraints are that chances add
up to one and privacy between neighbours, that is databases of which one example was replaced. It
maximises the least success over the tasks. Averaging a learner over the symmetries changes neither
its privacy nor its least success, so nothing is lost.

`sure_failure`: without privacy, in fractions, for numbers of samples and probabilities that no
linear program reaches.
"""

from __future__ import annotations

import itertools
import math
import operator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln, xlogy

# What HiGHS may be off by, generously: its tolerances are 1e-9 and the optimum is at most 1.
TOLERANCE = 1e-6


@lru_cache(maxsize=64)
def databases(symbols, m):
    """Return all databases of m examples as rows of counts."""
    picks = itertools.combinations_with_replacement(range(symbols), m)
    index = np.array(list(picks), dtype=np.int64).reshape(-1, m)
    rows = np.zeros((len(index), symbols), dtype=np.int64)
    np.add.at(rows, (np.arange(len(index))[:, None], index), 1)
    return rows


def program_size(game, m):
    """Return the number of (database, answer) pairs, before symmetries."""
    return math.comb(m + len(game.symbols) - 1, m) * len(game.patterns)


def optimum(game, m, *, epsilon=math.inf, delta=0.0, privacy="pure"):
    """Return the largest success that a learner can have on every task of the game.

    Parameters
    ----------
    privacy : {"none", "pure", "approximate", "label"}
        What neighbouring databases are, and whether `delta` counts: with "label" only the label
        of the replaced example may differ.
    """
    key = (m, epsilon, delta if privacy == "approximate" else 0.0, privacy)
    if key not in game.known:
        game.known[key] = _solve(game, *key)
    return game.known[key]


class _Orbits:
    """The databases of a game, and the orbits of databases, pairs (database, answer) and tasks."""

    def __init__(self, game, m, *, same_point=False):
        self.rows = databases(len(game.symbols), m)
        self.base = (m + 1) ** np.arange(len(game.symbols), dtype=np.int64)
        assert float(m + 1) ** len(game.symbols) < 2**62, "too many symbols to number the databases"
        codes = self.rows @ self.base
        self.order = np.argsort(codes)
        self.codes = codes[self.order]
        size, answers = len(self.rows), len(game.patterns)
        moves, tasks, pairs = [], [], []
        for moved, to, there in game.symmetries:
            if same_point and not _keeps_points(game, moved):
                continue
            rows = np.empty_like(self.rows)
            rows[:, moved] = self.rows
            where = self.find(rows @ self.base)
            moves.append(where)
            tasks.append(to)
            pairs.append((where[:, None] * answers + there).ravel())
        _, first = np.unique(_components(size, moves), return_index=True)
        self.representatives = first
        _, self.tasks = np.unique(_components(len(game.laws), tasks), return_index=True)
        self.pair = _components(size * answers, pairs).reshape(size, answers)

    def find(self, codes):
        return self.order[np.searchsorted(self.codes, codes)]


def _keeps_points(game, moved):
    """Tell whether examples with the same point still have the same point."""
    point = [symbol[0] for symbol in game.symbols]
    pairs = itertools.combinations(range(len(point)), 2)
    return all((point[a] == point[b]) == (point[moved[a]] == point[moved[b]]) for a, b in pairs)


def _components(size, permutations):
    ones = np.ones(size, dtype=np.int8)
    here = np.arange(size)
    graph = csr_array((size, size), dtype=np.int8)
    for to in permutations:
        graph = graph + csr_array((ones, (here, to)), shape=(size, size))
    return connected_components(graph, directed=False)[1]


def _orbits(game, m, *, same_point=False):
    key = ("orbits", m, same_point)
    if key not in game.known:
        game.known[key] = _Orbits(game, m, same_point=same_point)
    return game.known[key]


def _solve(game, m, epsilon, delta, privacy):
    if not game.patterns or not game.patterns[0]:
        return 0.0
    orbits = _orbits(game, m, same_point=privacy == "label")
    variables = int(orbits.pair.max()) + 1
    chance = _chances(game, orbits.rows)
    good = np.array([[t in p for t in range(len(game.laws))] for p in game.patterns], dtype=float)
    # Columns: one per orbit of pairs, the least success, then the slacks of delta.
    success = [
        np.bincount(orbits.pair.ravel(), (chance[t][:, None] * good[:, t]).ravel(), variables)
        for t in orbits.tasks
    ]
    rows, columns, values, right = [], [], [], []
    for r, weights in enumerate(success):
        used = np.flatnonzero(weights)
        rows += [np.full(len(used) + 1, r)]
        columns += [np.append(used, variables)]
        values += [np.append(-weights[used], 1.0)]
        right += [0.0]
    slacks = 0
    if privacy != "none":
        edges = _neighbours(game, orbits, same_point=privacy == "label")
        shrink = math.exp(-epsilon)
        if delta:
            # p <= e^eps p' + slack, and the slacks of one edge add up to delta.
            edges = np.unique(np.sort(edges[..., 0] * variables + edges[..., 1], axis=1), axis=0)
            one, two = np.divmod(edges, variables)
            slacks = edges.size
            r = len(right) + np.arange(slacks)
            extra = variables + 1 + np.arange(slacks)
            rows += [r, r, r]
            columns += [one.ravel(), two.ravel(), extra]
            values += [np.full(slacks, shrink), np.full(slacks, -1.0), np.full(slacks, -shrink)]
            right += [0.0] * slacks
            r = len(right) + np.repeat(np.arange(len(edges)), edges.shape[1])
            rows, columns, values = [*rows, r], [*columns, extra], [*values, np.ones(slacks)]
            right += [delta] * len(edges)
        else:
            pairs = np.unique(edges.reshape(-1, 2), axis=0)
            one, two = pairs[pairs[:, 0] != pairs[:, 1]].T
            r = len(right) + np.arange(len(one))
            rows, columns = [*rows, r, r], [*columns, one, two]
            values += [np.full(len(one), shrink), np.full(len(one), -1.0)]
            right += [0.0] * len(one)
    shape = variables + 1 + slacks
    pairs = orbits.pair[orbits.representatives]
    whole = coo_array(
        (np.ones(pairs.size), (np.repeat(np.arange(len(pairs)), pairs.shape[1]), pairs.ravel())),
        shape=(len(pairs), shape),
    )
    limits = coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(len(right), shape),
    )
    cost = np.zeros(shape)
    cost[variables] = -1.0
    found = linprog(
        cost, A_ub=limits.tocsr(), b_ub=right, A_eq=whole.tocsr(), b_eq=np.ones(len(pairs)),
        bounds=(0.0, 1.0), method="highs-ipm" if variables > 300 else "highs-ds",
        options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
    )  # fmt: skip
    assert found.status == 0, (found.message, game.symbols, m, epsilon)
    return float(-found.fun)


def _chances(game, rows):
    """Return the probability of every database, task by task."""
    laws = np.array([[float(p) for p in law] for law in game.laws])
    if game.fixed:
        return np.array([(rows == law).all(axis=1) for law in laws], dtype=float)
    ways = gammaln(rows.sum(axis=1) + 1) - gammaln(rows + 1).sum(axis=1)
    return np.array([np.exp(ways + xlogy(rows, law).sum(axis=1)) for law in laws])


def _neighbours(game, orbits, *, same_point):
    """Return, per edge and answer, the orbits of the pairs at its two ends, either way."""
    blocks = []
    for a, b in itertools.permutations(range(len(game.symbols)), 2):
        if same_point and game.symbols[a][0] != game.symbols[b][0]:
            continue
        here = orbits.representatives[orbits.rows[orbits.representatives, a] > 0]
        there = orbits.find(orbits.rows[here] @ orbits.base - orbits.base[a] + orbits.base[b])
        one, two = orbits.pair[here], orbits.pair[there]
        blocks += [np.stack([one, two], axis=-1), np.stack([two, one], axis=-1)]
    if not blocks:
        return np.zeros((0, len(game.patterns), 2), dtype=np.int64)
    return np.unique(np.concatenate(blocks).astype(np.int64), axis=0)


def alike(game):
    """Tell whether the symmetries carry every task to every other."""
    return len(np.unique(_components(len(game.laws), [to for _, to, _ in game.symmetries]))) == 1


def sure_failure(game, m):
    """Return the least failure without privacy, as a fraction.

    Only where the symmetries carry every task to every other: then the average over the tasks is
    what counts, and on every database the best answer is the one with most tasks behind it.
    """
    assert alike(game), "the tasks are not alike"
    # In whole numbers: everything times the common denominator to the m.
    whole = math.lcm(*(p.denominator for law in game.laws for p in law))
    weight = {}
    for t, law in enumerate(game.laws):
        support = [a for a, p in enumerate(law) if p]
        powers = [_powers(int(law[a] * whole), m) for a in support]
        for row in databases(len(support), m).tolist():
            chance, left = 1, m
            for power, n in zip(powers, row, strict=True):
                chance *= math.comb(left, n) * power[n]
                left -= n
            seen = tuple((a, n) for a, n in zip(support, row, strict=True) if n)
            weight.setdefault(seen, {})[t] = chance
    lost = 0
    for chances in weight.values():
        best = max(sum(chances.get(t, 0) for t in p) for p in game.patterns)
        lost += sum(chances.values()) - best
    return Fraction(lost, whole**m * len(game.laws))


def _powers(base, m):
    return list(itertools.accumulate(itertools.repeat(base, m), operator.mul, initial=1))
