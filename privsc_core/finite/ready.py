"""Ready-made classes, by a name with its sizes: ``thresholds-8``, ``subsets-6-2``."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.errors import InputError
from privsc_core.finite.budget import USUAL
from privsc_core.finite.game import Game, played
from privsc_core.finite.matrix import (
    CODE_FORM,
    CODE_LIMITS,
    FiniteClass,
    bits,
    code_of_rows,
    from_code,
    of_rows,
    rows_of_code,
    rows_of_text,
    to_code,
)
from privsc_core.finite.report import Dimensions, dimensions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Size:
    """A size that a ready-made class has: what it is, its range, and its first value."""

    name: str
    low: int
    high: int
    first: int


@dataclass(frozen=True, slots=True)
class Ready:
    """A ready-made class.

    Attributes
    ----------
    name, title, words : str
        In links and on the command line; on the page; what its concepts are.
    sizes : tuple of Size
    make : callable
        The sizes -> the class.
    """

    name: str
    title: str
    words: str
    sizes: tuple[Size, ...]
    make: Callable[..., FiniteClass]


def _of(concepts: Iterable[int], points: int) -> FiniteClass:
    return FiniteClass(tuple(concepts), points)


def _points(n: int) -> FiniteClass:
    return _of((1 << x for x in range(n)), n)


def _singletons(n: int) -> FiniteClass:
    return _of((0, *(1 << x for x in range(n))), n)


def _thresholds(n: int) -> FiniteClass:
    return _of(((1 << n) - (1 << t) for t in range(n, -1, -1)), n)


def _runs(n: int) -> list[int]:
    """Return the runs of ones among n places."""
    return [(1 << b) - (1 << a) for a in range(n) for b in range(a + 1, n + 1)]


def _intervals(n: int) -> FiniteClass:
    return _of((0, *_runs(n)), n)


def _cube(n: int) -> FiniteClass:
    return _of(range(1 << n), n)


def _subsets(n: int, k: int) -> FiniteClass:
    if k > n:
        raise InputError("size of a subset", f"must be at most {n}, the number of points", k)
    return _of((sum(1 << x for x in s) for s in itertools.combinations(range(n), k)), n)


def _parities(k: int) -> FiniteClass:
    points = range(1 << k)
    return _of((sum(((a & x).bit_count() & 1) << x for x in points) for a in points), 1 << k)


def _rectangles(w: int, h: int) -> FiniteClass:
    whole = (sum(across << (w * y) for y in bits(up)) for across in _runs(w) for up in _runs(h))
    return _of((0, *whole), w * h)


def _lines(p: int) -> FiniteClass:
    if any(p % q == 0 for q in range(2, p)):
        raise InputError("p", "must be a prime", p)
    pairs = itertools.product(range(p), repeat=2)
    return _of((sum(1 << (x * p + (a * x + b) % p) for x in range(p)) for a, b in pairs), p * p)


def _prefixes(values: list[int]) -> set[int]:
    """Return the sets {x : value <= t} of points for all t, the empty one too."""
    return {0, *(sum(1 << x for x, v in enumerate(values) if v <= t) for t in set(values))}


@lru_cache(maxsize=8)
def _half_planes(n: int) -> FiniteClass:
    # Between two critical directions lies one with coordinates below 2n.
    reach, grid = range(-2 * n, 2 * n + 1), list(itertools.product(range(n), repeat=2))
    found: set[int] = set()
    for a, b in itertools.product(reach, repeat=2):
        found |= _prefixes([a * x + b * y for x, y in grid])
    return _of(sorted(found), n * n)


@lru_cache(maxsize=8)
def _balls(n: int) -> FiniteClass:
    # Large discs are half-planes; centres on a grid of sixteenths show the others (by count).
    grid = [(16 * x, 16 * y) for x, y in itertools.product(range(n), repeat=2)]
    found = set(_half_planes(n).concepts)
    for a, b in itertools.product(range(-16 * n, 32 * n + 1, 3), repeat=2):
        found |= _prefixes([(a - x) ** 2 + (b - y) ** 2 for x, y in grid])
    return _of(sorted(found), n * n)


def _random(n: int, size: int, seed: int) -> FiniteClass:
    if size > 1 << n:
        raise InputError("number of concepts", f"must be at most 2^{n}", size)
    coins = np.random.Generator(np.random.PCG64(seed))
    return _of(coins.choice(1 << n, size=size, replace=False).tolist(), n)


_N = "number of points"
READY: tuple[Ready, ...] = (
    Ready("points", "Points", "one point labelled 1", (Size(_N, 1, 64, 6),), _points),
    Ready(
        "singletons", "Points and the empty concept", "at most one point labelled 1",
        (Size(_N, 1, 64, 6),), _singletons,
    ),
    Ready(
        "thresholds", "Thresholds", "all points from a place on labelled 1",
        (Size(_N, 1, 128, 8),), _thresholds,
    ),
    Ready(
        "intervals", "Intervals", "a run of points labelled 1, or none",
        (Size(_N, 1, 32, 6),), _intervals,
    ),
    Ready("cube", "All labellings", "the cube", (Size(_N, 1, 8, 4),), _cube),
    Ready(
        "subsets", "Subsets of one size", "exactly k points labelled 1",
        (Size(_N, 1, 12, 6), Size("size of a subset", 1, 12, 2)), _subsets,
    ),
    Ready(
        "parities", "Parities", "the linear functions of k bits", (Size("bits", 1, 6, 3),), _parities,
    ),
    Ready(
        "rectangles", "Rectangles", "axis-parallel rectangles of a grid, and the empty one",
        (Size("width", 1, 6, 3), Size("height", 1, 6, 2)), _rectangles,
    ),
    Ready(
        "lines", "Lines modulo p", "y = ax + b over the integers modulo a prime p",
        (Size("p", 2, 7, 3),), _lines,
    ),
    Ready(
        "half-planes", "Half-planes", "half-planes on an n × n grid", (Size("n", 1, 4, 3),),
        _half_planes,
    ),
    Ready("balls", "Discs", "discs and half-planes on an n × n grid", (Size("n", 1, 3, 3),), _balls),
    Ready(
        "random", "Random", "distinct rows, uniform, by a seed",
        (Size(_N, 1, 16, 6), Size("number of concepts", 1, 512, 12), Size("seed", 0, 10**6, 1)),
        _random,
    ),
)  # fmt: skip


def ready(word: str) -> FiniteClass:
    """Return a ready-made class by its word: the name, then its sizes, joined by hyphens.

    Raises
    ------
    InputError
        When there is none of that name, or a size is missing, superfluous or out of range.
    """
    entry, values = parts(word)
    return entry.make(*values)


def parts(word: str) -> tuple[Ready, tuple[int, ...]]:
    """Return the entry and the sizes of a word.

    Raises
    ------
    InputError
        As `ready`.
    """
    entry = next((e for e in READY if word == e.name or word.startswith(f"{e.name}-")), None)
    if entry is None:
        raise InputError("class", f"must be one of {', '.join(e.name for e in READY)}", word)
    texts = word[len(entry.name) + 1 :].split("-") if word != entry.name else []
    usual = [size.first for size in entry.sizes]
    if texts and len(texts) != len(entry.sizes):
        names = ", ".join(size.name for size in entry.sizes)
        raise InputError(entry.name, f"must be followed by {names}, as in {example(entry)}", word)
    values = []
    for size, text, first in zip(entry.sizes, texts or map(str, usual), usual, strict=True):
        good = text.isascii() and text.isdigit() and len(text) <= 8
        if not good or not size.low <= int(text) <= size.high:
            must = f"must be a whole number from {size.low} to {size.high}, such as {first}"
            raise InputError(f"{size.name} of {entry.name}", must, text)
        values.append(int(text))
    return entry, tuple(values)


def example(entry: Ready) -> str:
    """Return the word of a ready-made class at its first sizes."""
    return "-".join([entry.name, *(str(size.first) for size in entry.sizes)])


# --- A class as a link has it: the word of a ready-made one, or the code of its rows -------------


# Steps after which a click is answered with what is known: some forty milliseconds for 64 concepts
# on 16 points.
AT_ONCE = 4_000

# Of a word or a code, for a field of a link.
FORM = rf"[a-z]{{1,12}}(-[a-z]{{1,12}}){{0,2}}(-[0-9]{{1,7}}){{0,3}}|{CODE_FORM}"
LONGEST = 700  # characters of it
# A matrix of at most so many rows and columns is set by clicks.
CLICKED = 64, 16


def class_of(asked: str) -> FiniteClass:
    """Return the class.

    Raises
    ------
    InputError
        When it is neither the word of a ready-made class nor a code.
    """
    return from_code(asked) if "." in asked else ready(asked)


def rows_to_edit(asked: str) -> tuple[str, ...]:
    """Return the rows, equal ones too, or none where there are too many to be set by clicks."""
    rows = rows_of_code(asked) if "." in asked else tuple(ready(asked).text().split())
    return rows if len(rows) <= CLICKED[0] and len(rows[0]) <= CLICKED[1] else ()


def code_of(text: str) -> str:
    """Return the code of a matrix that was typed, pasted or drawn; equal rows stay.

    Raises
    ------
    InputError
        When it is none, or more than a link holds.
    """
    rows = rows_of_text(text)
    code = code_of_rows(rows) or to_code(of_rows(rows))
    if not code:
        raise InputError(
            "matrix", f"must have {CODE_LIMITS} here (privsc dimensions takes more)",
            f"{len(rows)} rows and {len(rows[0])} columns",
        )  # fmt: skip
    return code


def dimensions_of(asked: str, *, epsilon: float, beta: float, steps: int = USUAL) -> Dimensions:
    """Return the dimensions of a class as a link has it, see `report.dimensions`."""
    return dimensions(class_of(asked), epsilon=epsilon, beta=beta, steps=steps)


def game_of(asked: str, side: str, moves: str) -> Game:
    """Return a game on a class as a link has it, see `game.played`."""
    return played(class_of(asked), side, moves)


def points_of(text: str, points: int) -> tuple[int, ...]:
    """Return the places, from 0, of a list of points such as ``1.3``; of those that are there."""
    return tuple(sorted({int(w) - 1 for w in text.split(".") if w and 1 <= int(w) <= points}))
