"""Dimensions by their definitions, slowly: rows are tuples of 0 and 1, nothing is shared."""

import itertools
from functools import cache


def rows(of):
    return [tuple(row) for row in of.rows()]


def vc(table):
    n = len(table[0])
    return max(
        k for k in range(n + 1) if 2**k <= len(table)
        for s in itertools.combinations(range(n), k)
        if len({tuple(row[x] for x in s) for row in table}) == 2**k
    )  # fmt: skip


def dual(table):
    return sorted(set(zip(*table, strict=True)))


def growth(table, s):
    sets = itertools.combinations(range(len(table[0])), min(s, len(table[0])))
    return max(len({tuple(row[x] for x in xs) for row in table}) for xs in sets)


@cache
def _littlestone(table):
    if not table:
        return -1
    best = 0
    for x in range(len(next(iter(table)))):
        sides = [frozenset(row for row in table if row[x] == label) for label in (0, 1)]
        if all(sides):
            best = max(best, 1 + min(map(_littlestone, sides)))
    return best


def littlestone(table):
    return _littlestone(frozenset(table))


def threshold(table):
    n, found = len(table[0]), 0
    for k in range(1, min(len(table), n) + 1):
        if not any(
            all(table[c[i]][xs[j]] == (i <= j) for i in range(k) for j in range(k))
            for xs in itertools.permutations(range(n), k)
            for c in _choices(table, xs)
        ):
            return found
        found = k
    return found


def _choices(table, xs):
    """For each place of the chain all rows with its pattern on the points."""
    wanted = [tuple(int(i <= j) for j in range(len(xs))) for i in range(len(xs))]
    fitting = [
        [i for i, row in enumerate(table) if tuple(row[x] for x in xs) == pattern]
        for pattern in wanted
    ]
    return itertools.product(*fitting)


def teaching_sets(table):
    return [_teaching_set(table, row) for row in table]


def _teaching_set(table, row):
    n = len(row)
    return next(
        k for k in range(n + 1) for s in itertools.combinations(range(n), k)
        if sum(all(other[x] == row[x] for x in s) for other in table) == 1
    )  # fmt: skip


def learner_mistakes(table, predict):
    """The most mistakes of a deterministic learner, over all sequences: a point helps once."""

    def worst(space, points):
        best = 0
        for x in points:
            guess = predict(space, x)
            for label in (0, 1):
                left = frozenset(row for row in space if row[x] == label)
                if left:
                    best = max(best, (guess != label) + worst(left, points - {x}))
        return best

    return worst(frozenset(table), frozenset(range(len(table[0]))))
