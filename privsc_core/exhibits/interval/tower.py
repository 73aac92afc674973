"""What forces failure at the interior point problem: tiny domains by linear programming, a game, towers.

Of n points a mechanism is to output one between the least and the largest.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts.style import AMBER, BLUE, PALER, RED, STEEL, TEAL, WHITE, faint
from privsc_core.concepts.interval.towers import Domain, interior
from privsc_core.concepts.shared.inequalities import walked
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import number, share
from privsc_core.draw.traces import (
    axis,
    bar,
    beside,
    hover,
    joined,
    marks,
    rows_axis,
    share_axis,
    stroke,
    told,
    words,
)
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.traces import Trace

# --- The best mechanism of a tiny domain, by linear programming -----------------------------------

LARGEST = {1: 12, 2: 9, 3: 6}
"""Up to which domain the program is solved in a figure, by the number of points: all in a second."""

_MOST_CELLS = 3_000  # (database, answer): minutes


@lru_cache(maxsize=512)
def best_success(size: int, n: int, epsilon: float, delta: float) -> float:
    """Return the largest success of a private mechanism on its worst database.

    Parameters
    ----------
    size : int
        T, the points of the domain.
    n : int
        Points of a database.
    epsilon, delta : float
        delta in [0, 1).

    Returns
    -------
    float
        The optimum of a linear program, as a solver in floating point finds it: not certified.

    Raises
    ------
    InputError
        For a program that would take minutes.

    Notes
    -----
    The unknowns are the probabilities of the answers z on every database, and their least success t.
    Two assumptions cost nothing. *A database is a multiset, and both are mirrored alike.* Let a
    mechanism be given, and let it first permute the n points at random, and with probability 1/2 turn
    domain and answer around, x to T + 1 - x. This carries neighbours to neighbours, so each of the 2 n!
    mechanisms is private, and their mixture too: the constraints are linear. It carries points between
    the least and the largest to such points, so the success of the mixture on a database is an average
    of successes on its images, none below the least. (epsilon, delta)-privacy of a pair: there are
    u_z >= 0 with p(z) <= e^eps p'(z) + u_z and sum u_z <= delta.
    """
    if n < 1 or size < 2:
        raise InputError(
            "n" if n < 1 else "T", f"must be at least {1 if n < 1 else 2}", min(n, size)
        )
    if math.comb(size + n - 1, n) * size > _MOST_CELLS:
        raise InputError("T", f"must be smaller for the linear program of {n} points", size)
    from scipy.optimize import linprog  # noqa: PLC0415 - it takes long to import
    from scipy.sparse import coo_array  # noqa: PLC0415

    every = list(itertools.combinations_with_replacement(range(size), n))

    def turned(points: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(size - 1 - x for x in reversed(points))

    cell: dict[tuple[tuple[int, ...], int], int] = {}
    unknowns = 0
    for points, z in itertools.product(every, range(size)):
        there = cell.get((turned(points), size - 1 - z), unknowns)
        cell[points, z] = there
        unknowns += there == unknowns
    chosen = [points for points in every if points <= turned(points)]
    pairs = _pairs(chosen, size, turned)
    entries: list[tuple[int, int, float]] = []
    right: list[float] = []

    def limit(terms: Sequence[tuple[int, float]], most: float) -> None:
        entries.extend((len(right), column, value) for column, value in terms)
        right.append(most)

    for points in chosen:
        inside = range(points[0], points[-1] + 1)
        limit([(unknowns, 1.0), *((cell[points, z], -1.0) for z in inside)], 0.0)
    shrink, column = math.exp(-epsilon), unknowns + 1
    for one, two in pairs:
        extra = range(column, column + size) if delta else ()
        for z in range(size):
            terms = [(cell[one, z], shrink), (cell[two, z], -1.0)]
            limit([*terms, (extra[z], -shrink)] if extra else terms, 0.0)
        if extra:
            limit([(u, 1.0) for u in extra], delta)
            column += size
    rows, columns, values = zip(*entries, strict=True)
    whole = [(row, cell[points, z]) for row, points in enumerate(chosen) for z in range(size)]
    cost = np.zeros(column)
    cost[unknowns] = -1.0
    limits: Any = coo_array((values, (rows, columns)), shape=(len(right), column)).tocsr()
    ones = np.ones(len(whole)), tuple(zip(*whole, strict=True))
    sums: Any = coo_array(ones, shape=(len(chosen), column)).tocsr()
    found = linprog(
        cost, A_ub=limits, b_ub=right, A_eq=sums, b_eq=np.ones(len(chosen)), bounds=(0.0, 1.0),
        method="highs-ds",
    )  # fmt: skip
    return math.nan if found.fun is None else float(min(-found.fun, 1.0))


def _pairs(
    chosen: Sequence[tuple[int, ...]], size: int, turned: Any
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return ordered pairs of databases that differ in one point, one of a pair and its mirror image."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
    for points in chosen:
        for place, x in itertools.product(range(len(points)), range(size)):
            other = tuple(sorted((*points[:place], *points[place + 1 :], x)))
            if other != points:
                for pair in ((points, other), (other, points)):
                    found.setdefault(min(pair, (turned(pair[0]), turned(pair[1]))))
    return list(found)


@dataclass(frozen=True, slots=True, eq=False)
class Forced:
    """Which domains force failure.

    Attributes
    ----------
    picture : Picture
    first : dict of int to int
        By n the least T at which every mechanism fails with a probability above beta; 0 where none of
        those that were solved does.
    """

    picture: Picture
    first: dict[int, int]


_LOOKS = {1: (AMBER, "solid", "circle"), 2: (TEAL, "dash", "square"), 3: (BLUE, "dot", "diamond")}


def forced(epsilon: float, beta: float, delta: float) -> Forced:
    """Draw the best success against T for one to three points, and where it falls below 1 - beta."""
    wanted, first, data = complement(beta), {}, []
    found: dict[int, list[float]] = {n: [] for n in LARGEST}
    plan = [(n, size) for n, most in LARGEST.items() for size in range(2, most + 1)]
    for n, size in progress.steps(plan, weights=[size ** (2 * n) for n, size in plan]):
        found[n].append(best_success(size, n, epsilon, delta))
    for n, values in found.items():
        colour, dash, symbol = _LOOKS[n]
        name = f"n = {n}"
        sizes = list(range(2, 2 + len(values)))
        trace = joined(sizes, values, name, colour, symbol, dash=dash)
        data.append(trace | hover("T = %{x}: success at most %{y:.4f}", name))
        first[n] = next((t for t, value in zip(sizes, values, strict=True) if value < wanted), 0)
    fails = [(t, found[n][t - 2]) for n, t in first.items() if t]
    if fails:
        places, heights_ = [t for t, _ in fails], [value for _, value in fails]
        ring = marks(
            places, heights_, "first T that forces failure", RED, "circle-open", 17, edge=2
        )
        data.append(ring | hover("T = %{x}"))
    said = "; ".join(
        f"n = {n}: " + (f"from T = {t} on" if t else f"not up to T = {LARGEST[n]}")
        for n, t in first.items()
    )
    most = max(LARGEST.values())
    return Forced(plot(
        data,
        axis("T, points of the domain", (1.6, most + 0.4), at=list(range(2, most + 1, 2))),
        share_axis("best success"),
        shapes=[stroke((1.6, most + 0.4), (wanted, wanted), RED)],
        legend=0.24,
        title="The best private mechanism for a point in between, on its worst database",
        caption=(
            f"ε = {number(epsilon)}, δ = {number(delta)}; dashed: 1 − β = {number(wanted)}. Failure above β is forced: "
            f"{said}. Numerical optima of linear programs over all mechanisms (HiGHS), not certified."
        ),
        summary=f"Every mechanism fails with a probability above {number(beta)}: {said}.",
        filename=f"privsc-interior-optimum-eps{epsilon:g}",
        table={"T": list(range(2, most + 1))} | {
            f"n = {n}": [*values, *[None] * (most - 1 - len(values))] for n, values in found.items()
        },
    ), first)  # fmt: skip


# --- The digit game -------------------------------------------------------------------------------

BASES, PLACES, COPIES = (2, 10), (3, 8), (0, 40)
_POINTS = 3


@dataclass(frozen=True, slots=True)
class Round:
    """One round: points of the small problem, the secret number, and the numbers made of them.

    Attributes
    ----------
    points : tuple of int
        x_1, .., x_n, sorted.
    secret : tuple of int
        The digits of y_0.
    numbers : tuple of tuple of int
        y_i: the first x_i digits of y_0, then zeros.
    answer : tuple of int
        z, the lower median of the y_i and the copies of y_0.
    shared : int
        Digits that z and y_0 have in common from the left.
    """

    points: tuple[int, ...]
    secret: tuple[int, ...]
    numbers: tuple[tuple[int, ...], ...]
    answer: tuple[int, ...]
    shared: int

    @property
    def solved(self) -> bool:
        """Whether the common digits are between the least and the largest of the points."""
        return self.points[0] <= self.shared <= self.points[-1]


def played(base: int, places: int, copies: int, seed: int) -> Round:
    """Return one round; some digit of y_0 is in none of the y_i.

    Raises
    ------
    InputError
        For a base, a number of digits or of copies outside of the ends.
    """
    for name, value, (low, high) in (
        ("b", base, BASES), ("digits", places, PLACES), ("g", copies, COPIES),
    ):  # fmt: skip
        if not low <= value <= high:
            raise InputError(name, f"must be in [{low}, {high}]", value)
    rng = np.random.default_rng(seed)
    points = tuple(sorted(rng.integers(0, places, size=_POINTS).tolist()))
    secret = tuple(rng.integers(0, base, size=places).tolist())
    numbers = tuple((*secret[:x], *[0] * (places - x)) for x in points)
    order = sorted([*numbers, *[secret] * copies])
    answer = order[(len(order) - 1) // 2]
    pairs = zip(answer, secret, strict=True)
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Round(points, secret, numbers, answer, shared)


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A round as it is drawn.

    Attributes
    ----------
    picture : Picture
    points, shared, says : str
        The x_i, how many digits z and y_0 share, and what that means.
    digit : int
        The place of the digit that is to be guessed.
    most : str
        How likely a private answer has guessed it, at most.
    right : bool or None
        Whether the reader has guessed it; None before.
    """

    picture: Picture
    points: str
    shared: str
    says: str
    digit: int
    most: str
    right: bool | None


def digit_game(
    base: int, places: int, copies: int, seed: int, guess: int, epsilon: float, delta: float
) -> Game:
    """Draw a round; `guess` is what the reader says the next digit is, below 0 before."""
    one = played(base, places, copies, seed)
    digit, hidden = one.points[-1], guess < 0
    rows = [
        (f"y₀, {copies} copies", one.secret, digit if hidden else places),
        *((f"y{sub}, x = {x}", y, places) for sub, x, y in zip("₁₂₃", one.points, one.numbers, strict=True)),
        ("z, the median", one.answer, digit if hidden else places),
    ]  # fmt: skip
    seen = list(range(1, places + 1))
    shown: list[tuple[int, int, str, str]] = []
    for row, (_, digits, known) in enumerate(rows):
        own = one.points[row - 1] if 0 < row <= _POINTS else known if not row else one.shared
        for place, y in enumerate(digits):
            paint = STEEL if place < min(own, known) else PALER
            if row in {0, _POINTS + 1} and place == digit:
                paint = AMBER if hidden else TEAL if guess == one.secret[digit] else RED
            shown.append((place + 1, row, paint, str(y) if place < known else "?"))
    data = []
    # White on what is dark.
    for name, dark in (("first digits", True), ("zeros", False)):
        part = [cell for cell in shown if (cell[2] != PALER) == dark]
        if part:
            x, y_, paints, texts = (list(column) for column in zip(*part, strict=True))
            trace = marks(x, y_, name, paints, "square", 30, showlegend=False)
            trace |= beside(texts, "middle center") | told(
                [f"digit {p}: {t}" for p, _, _, t in part]
            )
            trace["textfont"] = {"size": 17} | ({"color": WHITE} if dark else {})
            data.append(trace)
    most = float(walked(
        np.array(float(copies)), np.array(math.log(base)), np.array(epsilon), np.array(delta)
    )[0])  # fmt: skip
    low, high = one.points[0], one.points[-1]
    says = (
        f"between {low} and {high}: the small problem is solved" if one.solved
        else f"more than {high}: z knows a digit of y₀ that no yᵢ has"
    )  # fmt: skip
    shared = "?" if hidden and one.shared > high else str(one.shared)
    words_ = f"x: {', '.join(map(str, one.points))}; z shares {shared} digits with y₀"
    return Game(
        plot(
            data,
            axis("digit", (0.4, places + 0.6), at=seen, showgrid=False, fixedrange=True),
            rows_axis([name for name, *_ in rows]),
            legend=None,
            title="A secret number and its first digits",
            caption=(
                f"Base b = {base}, {places} digits, g = {copies} copies of y₀. Filled: the first x digits of y₀. The answer "
                f"here is the median, which is not private. Digit {digit + 1} of y₀ is in no yᵢ."
            ),
            summary=f"{words_}.",
            filename=f"privsc-digit-game-b{base}-seed{seed}",
            table={"digit": seen} | {
                name: [y if place < known else None for place, y in enumerate(digits)]
                for name, digits, known in rows
            },
        ),
        ", ".join(map(str, one.points)), shared, says, digit + 1, share(most),
        None if hidden else guess == one.secret[digit],
    )  # fmt: skip


# --- Towers of twos -------------------------------------------------------------------------------

HEIGHTS = range(4, 9)
_KINDS = ("copies of one point", *(f"copies of y₀, step {step}" for step in range(1, 5)))


def heights(epsilon: float, beta: float, delta: float) -> Picture:
    """Draw how many points are excluded on towers of twos, by the kind of point."""
    found = {
        h: interior(Domain.of_height(h), epsilon=epsilon, delta=delta, beta=beta)
        for h in progress.steps(list(HEIGHTS))
    }
    names, at = [f"2↑↑{h}" for h in found], list(found)
    data: list[Trace] = []
    for kind, name in enumerate(_KINDS):
        column = [one.copies[kind] if kind < len(one.copies) else 0 for one in found.values()]
        if any(column):
            paint = STEEL if kind == 0 else faint(TEAL, 1.0 - 0.2 * (kind - 1))
            data.append(bar(at, column, name, paint, width=0.6) | hover("%{y}", name))
    n = [one.n for one in found.values()]
    top = max(n) * 1.15 or 1.0
    data.append(words(at, n, [str(one) for one in n], "excluded", "top center"))
    grows = n[-1] - n[-2]
    return plot(
        data,
        axis("points of the domain, a tower of twos", at=at, texts=names),
        axis("points excluded", (0.0, top)),
        barmode="stack",
        legend=0.26,
        title="Points excluded on towers of twos",
        caption=(
            f"ε = {number(epsilon)}, δ = {number(delta)}, β = {number(beta)}. 2↑↑4 = 2^16, 2↑↑5 = 2^65536, and so on: each "
            f"further tower is an exponential, and excludes {grows} points more. Proved; ours."
        ),
        summary="; ".join(f"2↑↑{h}: {one.n} points" for h, one in found.items()) + ".",
        filename=f"privsc-towers-eps{epsilon:g}-delta{delta:g}",
        table={"h": list(found), "excluded": n, "copies": [" + ".join(map(str, one.copies)) for one in found.values()]},
    )  # fmt: skip
