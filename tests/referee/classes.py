"""The tiny games of every concept class: all that the referee is told.

One object per class, by name in `CLASSES`. It says which tasks a distribution of the catalog stands
for, with every target (`picture`); which families of tasks the class is hard on (`worst`); and what
learners of a kind may answer with (`stand_ins`, `answers`).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from privsc_core.catalog import concept
from tests.core.support import decimal, exists, generated, seed_bits
from tests.referee.anyone import anyone
from tests.referee.games import Game, Task, above, exactly, game, largest

__all__ = ["CLASSES", "Intervals", "Points", "PseudorandomPoints", "Releases"]

HALF = Fraction(1, 2)
PRIVACIES = ("none", "approximate", "pure", "label")


class Points:
    """POINT_d."""

    name = "point"
    bits = (1, 2, 3)
    stand_ins = tuple(
        anyone(answers, privacy, proper=answers == "concepts")
        for privacy in PRIVACIES
        for answers in ("functions", "concepts")
    )

    def __init__(self):
        self._known = {}

    @property
    def concept(self):
        return concept(self.name)

    # --- What learners may answer with ---------------------------------------------------------

    def targets(self, d):
        """Return the points that a concept may label 1."""
        return range(1, 2**d + 1)

    def row(self, target, d):
        """Return the labels of a concept."""
        return tuple(int(x == target) for x in range(1, 2**d + 1))

    def answers(self, kind, d, support):
        """Yield rows of labels: concepts, or every function (0 where it does not matter)."""
        if kind == "concepts":
            yield from (self.row(t, d) for t in self.targets(d))
        elif kind == "points":
            yield from (tuple(int(x == t) for x in range(1, 2**d + 1)) for t in range(1, 2**d + 1))
        else:
            for labels in itertools.product((0, 1), repeat=len(support)):
                known = dict(zip(support, labels, strict=True))
                yield tuple(known.get(x, 0) for x in range(1, 2**d + 1))

    # --- Families of tasks ---------------------------------------------------------------------

    def picture(self, distribution, d, alpha):
        """Return the tasks that a distribution stands for, or None where nobody said."""
        a, points = decimal(alpha), self.targets(d)
        if distribution.name == "hard":
            return [self._rare(i, 1, d, a) for i in points if i != 1]
        if distribution.name == "bystanders":
            return [self._rare(i, distribution.s, d, a) for i in points if i > distribution.s]
        if distribution.name == "single":
            return [Task(self.row(i, d), {i: exactly(1)}) for i in points]
        if distribution.name == "uniform":
            flat = {x: exactly(Fraction(1, 2**d)) for x in range(1, 2**d + 1)}
            return [Task(self.row(i, d), flat) for i in points]
        return None

    def worst(self, d, alpha):
        """Yield (name, tasks, candidates for symmetries): the families that the class is hard on."""
        for distribution in self.concept.distributions:
            if distribution.name in {"hard", "single"} and exists(distribution, d, alpha):
                tasks = self.picture(distribution, d, alpha)
                if tasks:
                    yield distribution.name, tasks, None
        a = decimal(alpha)
        if d >= 2:
            pair = {2: above(a), 1: above(1 - a, -1)}
            yield "pair", [Task(self.row(2, d), pair), Task(self.row(3, d), pair)], None

    def _rare(self, target, crowd, d, a):
        rest = {x: above((1 - a) / crowd, Fraction(-1, crowd)) for x in range(1, crowd + 1)}
        return Task(self.row(target, d), {target: above(a), **rest})

    # --- Games ---------------------------------------------------------------------------------

    def games(self, stand_in, d, alpha, m):
        """Return {name: game} of the families that the class is hard on."""
        del m
        key = (stand_in.answers, d, alpha)
        if key not in self._known:
            self._known[key] = {
                name: self._game(tasks, stand_in, d, alpha, candidates)
                for name, tasks, candidates in self.worst(d, alpha)
            }
        return self._known[key]

    def pictured(self, stand_in, distribution, d, alpha, m):
        """Return the game of a distribution's family, or None where there is none."""
        del m
        if not exists(distribution, d, alpha):
            return None
        key = (stand_in.answers, d, alpha, distribution.label)
        if key not in self._known:
            tasks = self.picture(distribution, d, alpha)
            if tasks is None:
                msg = f"{self.name}: tell the referee which tasks {distribution.name} stands for"
                raise LookupError(msg)
            self._known[key] = self._game(tasks, stand_in, d, alpha, None) if tasks else None
        return self._known[key]

    def _game(self, tasks, stand_in, d, alpha, candidates):
        support = sorted(set().union(*(task.masses for task in tasks)))
        answers = self.answers(stand_in.answers, d, support)
        return game(tasks, answers, decimal(alpha), candidates or (lambda _: ()))


class Intervals(Points):
    """INTERVAL_d."""

    name = "interval"

    def targets(self, d):
        return range(1, 2**d + 2)

    def row(self, target, d):
        return tuple(int(x < target) for x in range(1, 2**d + 1))

    def picture(self, distribution, d, alpha):
        a, size = decimal(alpha), 2**d
        if distribution.name == "hard":
            # At a = 1/2 nothing is left for point 1.
            rest = above(1 - 2 * a, -2 if a < HALF else 0)
            return [
                Task(self.row(j, d), {1: rest, j - 1: above(a), j: above(a)})
                for j in range(3, size + 1)
            ]
        if distribution.name == "uniform":
            flat = {x: exactly(Fraction(1, size)) for x in range(1, size + 1)}
            return [Task(self.row(j, d), flat) for j in self.targets(d)]
        return None

    def worst(self, d, alpha):
        a, size = decimal(alpha), 2**d
        if d >= 2 and a <= HALF:
            hard = next(x for x in self.concept.distributions if x.name == "hard")
            yield "hard", self.picture(hard, d, alpha), None
        # Half of the mass on either side of the step.
        halves = [
            Task(self.row(j, d), {j - 1: exactly(HALF), j: exactly(HALF)})
            for j in range(2, size + 1)
        ]
        halves.append(Task(self.row(1, d), {1: exactly(1)}))
        halves.append(Task(self.row(size + 1, d), {size: exactly(1)}))
        yield "halves", halves, None
        pair = {2: above(a), 1: above(1 - a, -1)}
        yield "pair", [Task(self.row(2, d), pair), Task(self.row(3, d), pair)], None
        yield from self._paths(d, a)

    def _paths(self, d, a):
        """Yield the families of binary search over the points 2..T, which c_2..c_{T+1} solve.

        The path of a target gets mass s, point 1 the rest. As little as k of its d points must
        suffice to fail: s just above d a / k, or all of the mass.
        """
        size = 2**d
        paths = {j: _search(j, 2, size + 1) for j in range(2, size + 2)}
        shares = [(f"path-{k}", above(d * a / k)) for k in range(1, d + 1) if d * a / k < 1]
        for name, (value, slope) in [*shares, ("path", exactly(1))]:
            tasks = [
                Task(
                    self.row(j, d),
                    {1: (1 - value, -slope)} | dict.fromkeys(path, (value / d, slope / d)),
                )
                for j, path in paths.items()
            ]
            yield name, tasks, lambda symbols: _flips(symbols, 2, size + 1)


def _middle(low, high):
    return low + (high - low + 1) // 2 - 1


def _search(j, low, high):
    """Return the points that binary search for c_j asks, j from low to high: is it beyond x?"""
    path = []
    while low < high:
        x = _middle(low, high)
        path.append(x)
        low, high = (x + 1, high) if x < j else (low, x)
    return path


def _flips(symbols, low, high):
    """Yield, for every node of the tree, the exchange of its labels and of its two subtrees."""
    if low >= high:
        return
    x = _middle(low, high)
    moved = {(x, 0): (x, 1), (x, 1): (x, 0)}
    shift = x + 1 - low
    for point in range(low, x):
        for y in (0, 1):
            moved |= {(point, y): (point + shift, y), (point + shift, y): (point, y)}
    place = {symbol: a for a, symbol in enumerate(symbols)}
    yield tuple(place[moved.get(symbol, symbol)] for symbol in symbols)
    yield from _flips(symbols, low, x)
    yield from _flips(symbols, x + 1, high)


class PseudorandomPoints(Points):
    """Pseudorandom points, with seeds of the square root of d bits.

    An efficient learner cannot be told from one that never looks at the generator, if the generator
    is secure. So the stand-in for efficient learners serves all points, and answers with a point:
    that is what the bound for efficient learners speaks of.
    """

    name = "pseudorandom-point"
    bits = (2, 3, 4)
    stand_ins = (*Points.stand_ins, anyone("points", "pure", efficient=True))

    def targets(self, d):
        length = seed_bits(d)
        return sorted({generated(seed, length, d) for seed in range(2**length)})

    def games(self, stand_in, d, alpha, m):
        if stand_in.efficient:
            return CLASSES["point"].games(_AS_POINT, d, alpha, m) if d <= 3 else {}
        return super().games(stand_in, d, alpha, m)

    def pictured(self, stand_in, distribution, d, alpha, m):
        if stand_in.efficient:
            plain = {x.name: x for x in CLASSES["point"].concept.distributions}[distribution.name]
            return CLASSES["point"].pictured(_AS_POINT, plain, d, alpha, m) if d <= 3 else None
        return super().pictured(stand_in, distribution, d, alpha, m)

    def worst(self, d, alpha):
        for name, tasks, candidates in super().worst(d, alpha):
            if name != "pair":
                yield name, tasks, candidates
        others = [t for t in self.targets(d) if t != 1]
        if len(others) >= 2:
            a = decimal(alpha)
            pair = {others[0]: above(a), 1: above(1 - a, -1)}
            yield "pair", [Task(self.row(t, d), pair) for t in others[:2]], None


_AS_POINT = anyone("concepts", "pure", proper=True)


class Releases:
    """Data release for POINT_d: a task is a database, an answer is a number for every point.

    A release is good for all databases of a set when for every point their counts lie within less
    than 2 alpha m of each other: then the middle is less than alpha m from each. There is nothing
    to be proper about, and the claims are about the worst database.
    """

    name = "release"
    bits = (1, 2, 3)
    stand_ins = tuple(
        anyone("releases", p, labelled=False) for p in ("none", "approximate", "pure")
    )

    def __init__(self):
        self._known = {}

    @property
    def concept(self):
        return concept(self.name)

    def games(self, stand_in, d, alpha, m):
        """Return the game of all databases, and of those of the paper's proof."""
        del stand_in
        key = (d, alpha, m)
        if key not in self._known:
            found = {}
            # As many windows as a release may have are listed.
            if math.comb(m + 2**d - 1, m) <= 400 and (m + 1) ** 2**d <= 70_000:
                found["all"] = self._game(_counts(2**d, m), decimal(alpha), m)
            for factor in (2, 3):
                rare = math.ceil(factor * decimal(alpha) * m)
                if rare <= m:
                    family = [tuple(m * (x == 0) for x in range(2**d))]
                    family += [
                        tuple((m - rare) * (x == 0) + rare * (x == i) for x in range(2**d))
                        for i in range(1, 2**d)
                    ]
                    found[f"rare-{factor}"] = self._game(family, decimal(alpha), m)
            self._known[key] = found
        return self._known[key]

    def pictured(self, stand_in, distribution, d, alpha, m):
        del stand_in, distribution, d, alpha, m

    def covers(self, bound, row, a):
        """Tell whether an upper bound speaks of a database, given by its counts.

        With the threshold at alpha m a histogram may lose a count near it: such a bound (`lost` is
        1/2) leaves out the databases with a count from alpha m to below 2 alpha m.
        """
        m = sum(row)
        return getattr(bound, "lost", 0.0) < 0.5 or not any(a * m <= n < 2 * a * m for n in row)

    def _game(self, family, a, m):
        size = len(family[0])
        width = math.ceil(2 * a * m) - 1  # counts that differ by less than 2 alpha m
        windows = itertools.product(range(max(m - width, 0) + 1), repeat=size)
        sets = {
            frozenset(
                t for t, row in enumerate(family)
                if all(low <= n <= low + width for low, n in zip(ends, row, strict=True))
            )
            for ends in windows
        }  # fmt: skip
        return Game(tuple(range(1, size + 1)), tuple(family), largest(sets), fixed=True)


def _counts(points, m):
    if points == 1:
        return [(m,)]
    return [(n, *rest) for n in range(m, -1, -1) for rest in _counts(points - 1, m - n)]


CLASSES = {c.name: c for c in (Points(), Intervals(), PseudorandomPoints(), Releases())}
