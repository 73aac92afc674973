"""Tasks, and the game that a family of tasks is for a learner."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np


def exactly(value):
    """Return a mass as a pair (value, slope)."""
    return Fraction(value), Fraction(0)


def above(value, slope=1):
    """Return a mass just above a value (below for a negative slope)."""
    return Fraction(value), Fraction(slope)


@dataclass(frozen=True)
class Task:
    """A target and a distribution on the points.

    Attributes
    ----------
    labels : tuple of int
        The target's label of the points 1, 2, ...
    masses : dict of int to pair of Fraction
        (value, slope) of every point of the support.
    """

    labels: tuple
    masses: dict

    def law(self):
        """Return the probability of every labelled example."""
        return {(x, self.labels[x - 1]): v for x, (v, _) in self.masses.items() if v}

    def suits(self, answer, alpha):
        """Tell whether a row of labels has error at most alpha."""
        wrong = [mass for x, mass in self.masses.items() if answer[x - 1] != self.labels[x - 1]]
        return (sum(v for v, _ in wrong), sum(s for _, s in wrong)) <= (alpha, 0)


@dataclass(frozen=True, eq=False)
class Game:
    """A family of tasks as a learner meets it.

    Attributes
    ----------
    symbols : tuple
        The examples that occur. Others need no thought: a learner may read them as one of these
        (with the same point, if there is one), and stays as private as it was.
    laws : tuple of tuple
        Per task the probability of every symbol; or, with `fixed`, how often it occurs.
    patterns : tuple of frozenset
        For which tasks an answer is good, largest sets only: another answer is never better.
    candidates : tuple of tuple
        Permutations of the symbols that may be symmetries; each is checked before it is used.
    fixed : bool
        Whether the databases are given, in place of drawn.
    """

    symbols: tuple
    laws: tuple
    patterns: tuple
    candidates: tuple = ()
    fixed: bool = False
    known: dict = field(default_factory=dict, repr=False)

    @functools.cached_property
    def symmetries(self):
        """The symmetries found: triples of permutations of symbols, tasks and patterns."""
        found = []
        tasks = {law: t for t, law in enumerate(self.laws)}
        patterns = {pattern: o for o, pattern in enumerate(self.patterns)}
        for moved in dict.fromkeys((*self.candidates, *self._swaps())):
            to = [tasks.get(permuted(law, moved)) for law in self.laws]
            if None in to:
                continue
            there = [patterns.get(frozenset(to[t] for t in p)) for p in self.patterns]
            if None not in there:
                found.append((np.array(moved), np.array(to), np.array(there)))
        return found

    def _swaps(self):
        """Yield candidates: neighbouring symbols exchanged, or what two tasks have for their own."""
        size = len(self.symbols)
        for a in range(size - 1):
            yield _exchange(size, [(a, a + 1)])
        for one, two in zip(self.laws, self.laws[1:], strict=False):
            mine = sorted((p, -a) for a, (p, q) in enumerate(zip(one, two, strict=True)) if p > q)
            yours = sorted((q, -a) for a, (p, q) in enumerate(zip(one, two, strict=True)) if q > p)
            if len(mine) == len(yours):
                yield _exchange(
                    size, [(-a, -b) for (_, a), (_, b) in zip(mine, yours, strict=True)]
                )


def permuted(values, moved):
    """Return the values with that of place a at place moved[a]."""
    out = [None] * len(values)
    for a, value in enumerate(values):
        out[moved[a]] = value
    return tuple(out)


def _exchange(size, pairs):
    moved = list(range(size))
    for a, b in pairs:
        moved[a], moved[b] = b, a
    return tuple(moved)


def game(tasks, answers, alpha, candidates=lambda _: ()):
    """Return the game of a family of tasks for learners that give one of these answers."""
    laws = [task.law() for task in tasks]
    symbols = tuple(sorted(set().union(*laws)))
    return Game(
        symbols,
        tuple(tuple(law.get(s, Fraction(0)) for s in symbols) for law in laws),
        largest(
            frozenset(t for t, task in enumerate(tasks) if task.suits(a, alpha)) for a in answers
        ),
        tuple(candidates(symbols)),
    )


def largest(sets):
    """Return the sets that are not inside another, in a fixed order."""
    kept = []
    for one in sorted(set(sets), key=lambda s: (-len(s), sorted(s))):
        if not any(one <= other for other in kept):
            kept.append(one)
    return tuple(kept)
