"""The best private learner of a finite class on few examples, by linear programming.

A mechanism gives every sample of m examples, consistent or not, a distribution over answers. An answer
is a set of targets for which one hypothesis has error at most alpha; a set inside another one is never
needed. Examples are exchangeable, so a sample is a multiset. Points on which all concepts agree, and
points that repeat another one or its complement, are drawn together: which of them it was says nothing
about the target. Averaging a mechanism over the symmetries of class and weights keeps it private and as
good, so cells (sample, answer) that a symmetry carries to each other are one unknown.

Both ends are proved, the rounding of sums included: the solver's mechanism is mended until it is
private, and its prices until they bound every mechanism.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core.errors import InputError
from privsc_core.finite.trial import weights_of
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from privsc_core.finite.matrix import FiniteClass

Targets = Literal["average", "worst"]

MOST_FREE = 12  # points whose labels are all tried, where an answer may be any hypothesis
MOST_ANSWERS = 1024
MOST_CELLS = 400_000  # (sample, answer), before symmetries
HEAVIEST = 2**53  # the sum of all weights: a whole number that a float holds
MOST_ENTRIES = 30_000  # numbers that are not 0 in the inequalities of a program
_LARGE = 300  # unknowns from which an interior-point method is faster
_ROUNDING = 1e-12  # of a sum of some thousand floats, generously
_SEARCHED = 4_000  # steps of the search for symmetries
_MOST_M = 64  # examples
_FREE = 700.0  # an epsilon that is as good as none: e^700 is the power that a float holds


@dataclass(frozen=True, slots=True)
class Optimum:
    """The largest success of a private mechanism, between two proved ends.

    Attributes
    ----------
    low : float
        A private mechanism has at least this success.
    high : float
        None has more.
    answers, unknowns, entries : int
        Sizes of the program: answers that are tried, unknowns, numbers in its inequalities.
    """

    low: float
    high: float
    answers: int
    unknowns: int
    entries: int


def optimum(
    of: FiniteClass, m: int, weights: Sequence[int] = (), *, epsilon: float, alpha: float,
    delta: float = 0.0, targets: Targets = "average", proper: bool = False,
) -> Optimum:  # fmt: skip
    """Return the largest success of a mechanism that knows the weights of the points but not the target.

    Success is an error of at most alpha. It is the average over all concepts as targets, or that of the
    worst target: no private learner has more, on the average over the targets or on its worst one. A
    single target may be easier: a mechanism may just name it.

    Parameters
    ----------
    of : FiniteClass
    m : int
        Number of examples, from 1.
    weights : sequence of int
        Of the points; none for the uniform distribution.
    epsilon, alpha : float
    delta : float
        In [0, 1); with 0 the mechanism is purely private.
    targets : {"average", "worst"}
    proper : bool
        Whether the hypothesis must be a concept of the class.

    Raises
    ------
    InputError
        When the program is too large; see `most_examples`.
    """
    if targets not in {"average", "worst"}:
        raise InputError("targets", "must be one of average, worst", targets)
    epsilon, alpha, m = (
        scalar(name, value) for name, value in (("epsilon", epsilon), ("alpha", alpha), ("m", m))
    )
    delta = scalar("delta", delta) if delta else 0.0
    game = _game(of, _weighed(of, weights), alpha, proper)
    if not game.fits(m, delta):
        most = most_examples(of, weights, alpha=alpha, delta=delta, proper=proper)
        raise InputError("m", f"must be at most {most} for the linear program of this class", m)
    return _solve(game, m, epsilon, delta, targets)


def most_examples(
    of: FiniteClass, weights: Sequence[int] = (), *, alpha: float, delta: float = 0.0,
    proper: bool = False,
) -> int:  # fmt: skip
    """Return for how many examples the program is solved; 0 where even one example is too much.

    Raises
    ------
    InputError
        When the weights are no distribution of the points.
    """
    given = _weighed(of, weights)
    try:
        game = _game(of, given, alpha, proper)
    except InputError:
        return 0
    m = 0
    while m < _MOST_M and game.fits(m + 1, delta):
        m += 1
    return m


def alike(
    of: FiniteClass, weights: Sequence[int] = (), *, alpha: float, proper: bool = False
) -> NDArray[np.int64]:
    """Return a number for each concept; those with one number are carried to each other by symmetries.

    A symmetry permutes points of one weight, may exchange their labels, and keeps the class. A learner that does
    not look at the names of points and labels is as good on each of them.

    Raises
    ------
    InputError
        When the program is too large whatever the number of examples.
    """
    game = _game(of, _weighed(of, weights), alpha, proper)
    return np.asarray(game.alike[game.of])


def _weighed(of: FiniteClass, weights: Sequence[int]) -> tuple[int, ...]:
    """Return the weights of the points, or refuse them."""
    return weights_of(of, weights, HEAVIEST // of.points)


# --- The game: what examples say, and which answers suit which targets ---------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Game:
    """Targets with the laws of one example, and answers.

    Attributes
    ----------
    laws : ndarray of float64, shape (targets, records)
        Probability of each record; a record is a place (points that are drawn together) with a label.
    prior : ndarray of float64, shape (targets,)
    good : ndarray of bool, shape (answers, targets)
    moves : tuple of (ndarray, ndarray)
        Symmetries: where each record goes, and each answer.
    alike : ndarray of int64, shape (targets,)
        Targets that symmetries carry to each other have one number.
    of : ndarray of int64, shape (concepts,)
        The target that each concept is: some are one, where they differ on points without weight.
    """

    laws: NDArray[np.float64]
    prior: NDArray[np.float64]
    good: NDArray[np.bool_]
    moves: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    alike: NDArray[np.int64]
    of: NDArray[np.int64]

    def fits(self, m: int, delta: float) -> bool:
        """Return whether the program of m examples is small enough."""
        answers, records = len(self.good), self.laws.shape[1]
        samples = math.comb(records + m - 1, m)
        if samples * max(answers, m * len(self.laws)) > MOST_CELLS:
            return False
        return _program_of(self, m, slack=delta > 0.0).entries <= MOST_ENTRIES


@lru_cache(maxsize=64)
def _game(of: FiniteClass, weights: tuple[int, ...], alpha: float, proper: bool) -> _Game:  # noqa: FBT001 - cached by place
    places: dict[int, list[int]] = {}  # of a column, or its complement: its points
    for x, column in enumerate(of.columns):
        if weights[x]:
            places.setdefault(min(column, of.everyone ^ column), []).append(x)
    blank = sum(weights[x] for x in places.pop(0, ()))
    kinds = [tuple(sorted(weights[x] for x in xs)) for xs in places.values()]
    rows, row, prior = np.unique(
        np.array([[column >> i & 1 for column in places] for i in range(len(of))], dtype=np.int64)
        .reshape(len(of), -1),
        axis=0, return_inverse=True, return_counts=True,
    )  # fmt: skip
    masses = np.array([*map(sum, kinds), *([blank] if blank else [])]) / sum(weights)
    laws = np.zeros((len(rows), 2 * len(places) + (blank > 0)))
    for g in range(len(places)):
        laws[np.arange(len(rows)), 2 * g + rows[:, g]] = masses[g]
    laws[:, 2 * len(places) :] = masses[len(places) :]
    good = _answers(rows, kinds, floor(decimal(alpha) * sum(weights)), proper)
    return _Game(laws, prior / len(of), good, *_moves(rows, prior, kinds, good), row.ravel())


def _answers(
    rows: NDArray[np.int64], kinds: list[tuple[int, ...]], most: int, proper: bool  # noqa: FBT001
) -> NDArray[np.bool_]:  # fmt: skip
    """Return the largest sets of targets for which one hypothesis errs on a weight of at most `most`."""
    # Exact: no sum is above HEAVIEST.
    more = (rows * np.array([float(sum(kind)) for kind in kinds])) @ (1.0 - rows).T
    wrong = more + more.T  # (targets, targets)
    apart = (wrong <= 2 * most).sum() == len(rows)  # no hypothesis suits two targets
    if proper or apart:
        return _largest(wrong <= most)
    points = [(g, w) for g, kind in enumerate(kinds) for w in kind]
    if len(points) > MOST_FREE:
        must = f"must have at most {MOST_FREE} points that differ, for all hypotheses to be tried"
        raise InputError("class", must, f"{len(points)} points")
    weights = np.array([w for _, w in points], dtype=np.int64)
    labels = np.arange(1 << len(points))[:, None] >> np.arange(len(points)) & 1
    targets = rows[:, [g for g, _ in points]]
    ones = (targets * weights).sum(axis=1)
    return _largest(labels @ weights[:, None] + ones - 2 * (labels * weights) @ targets.T <= most)


def _largest(good: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows, as sets, that are not inside another one."""
    good = np.unique(good[good.any(axis=1)], axis=0)
    inside = good.astype(np.float32)  # whose sums of products are exact
    around = ((inside @ inside.T) == inside.sum(axis=1)[:, None]).sum(axis=1)
    kept: NDArray[np.bool_] = good[around == 1]  # only the row itself is
    if len(kept) > MOST_ANSWERS:
        must = f"must leave at most {MOST_ANSWERS} answers worth giving"
        raise InputError("class", must, len(kept))
    return kept


def _moves(
    rows: NDArray[np.int64],
    prior: NDArray[np.int64],
    kinds: list[tuple[int, ...]],
    good: NDArray[np.bool_],
) -> tuple[tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...], NDArray[np.int64]]:
    """Return the symmetries of a game by records and answers, and which targets are alike."""
    at = {row.tobytes(): i for i, row in enumerate(rows)}
    where = {row.tobytes(): i for i, row in enumerate(good)}
    moves, carried = [], []
    for literals in _symmetries(rows, prior, kinds):
        to, flips = np.array(literals).T
        records = np.arange(2 * len(kinds) + 1)
        records[:-1] = (2 * to[:, None] + (np.arange(2) ^ flips[:, None])).ravel()
        image = np.empty_like(rows)
        image[:, to] = rows ^ flips
        targets = np.array([at[row.tobytes()] for row in image])
        sets = np.empty_like(good)
        sets[:, targets] = good
        moves.append((records, np.array([where[row.tobytes()] for row in sets])))
        carried.append(targets)
    return tuple(moves), _components(len(rows), carried)


def _symmetries(
    rows: NDArray[np.int64], prior: NDArray[np.int64], kinds: list[tuple[int, ...]]
) -> list[list[tuple[int, int]]]:
    """Return generators of the permutations of places, labels flipped or not, that keep the class.

    They are found along a chain of stabilisers. A search that is cut short finds fewer, which makes
    the program larger and its optimum no other.
    """
    search, size = _Search(rows, prior, kinds), rows.shape[1]
    found: list[list[tuple[int, int]]] = []
    for k in reversed(range(size)):
        fixed, orbit = [(i, 0) for i in range(k)], {(k, 0)}
        for x, flip, rank in search.images(fixed, search.ranks[k]):
            if (x, flip) not in orbit:
                one = search.complete([*fixed, (x, flip)], rank)
                if one is not None:
                    found.append(one)
                    _close(orbit, found)
    return found


class _Search:
    """Depth first: place k goes to a place of its kind, or to the complement of one.

    The targets must show the same patterns on the images as on the places themselves; the rank of a
    target is the number of its pattern.
    """

    def __init__(
        self, rows: NDArray[np.int64], prior: NDArray[np.int64], kinds: list[tuple[int, ...]]
    ) -> None:
        self.rows, self.kinds, self.left = rows, kinds, _SEARCHED
        self.ranks, self.patterns = [_ranked(prior)], []
        for column in rows.T:
            code = 2 * self.ranks[-1] + column
            self.patterns.append(np.sort(code))
            self.ranks.append(_ranked(code))

    def images(
        self, before: Sequence[tuple[int, int]], rank: NDArray[np.int64]
    ) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Yield where the next place may go, and the ranks of the targets there."""
        k, used = len(before), {x for x, _ in before}
        for x, flip in itertools.product(range(len(self.kinds)), (0, 1)):
            if x in used or self.kinds[x] != self.kinds[k] or self.left <= 0:
                continue
            self.left -= 1
            code = 2 * rank + (self.rows[:, x] ^ flip)
            if np.array_equal(np.sort(code), self.patterns[k]):
                yield x, flip, _ranked(code)

    def complete(
        self, before: list[tuple[int, int]], rank: NDArray[np.int64]
    ) -> list[tuple[int, int]] | None:
        """Return the images of all places, these first; None where none are found."""
        if len(before) == len(self.kinds):
            return before
        for x, flip, there in self.images(before, rank):
            if (whole := self.complete([*before, (x, flip)], there)) is not None:
                return whole
        return None


def _ranked(values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].ravel()


def _close(orbit: set[tuple[int, int]], generators: list[list[tuple[int, int]]]) -> None:
    """Add to an orbit of (place, flip) what generators carry it to."""
    new = list(orbit)
    while new:
        x, flip = new.pop()
        for one in generators:
            to = one[x][0], one[x][1] ^ flip
            if to not in orbit:
                orbit.add(to)
                new.append(to)


def _components(size: int, permutations: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return for each place the number of its orbit."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import, and most never ask
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    if not permutations:
        return np.arange(size)
    here, there = np.tile(np.arange(size), len(permutations)), np.concatenate(permutations)
    graph: Any = csr_array((np.ones(here.size, dtype=np.int8), (here, there)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


# --- The program ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """Unknowns, and which of them are bound to each other, whatever epsilon and delta are.

    Attributes
    ----------
    picks : ndarray of int64, shape (samples, m)
        The records of each sample, in order.
    cell : ndarray of int64, shape (samples, answers)
        The number of the unknown.
    first : ndarray of int64
        A sample of each orbit.
    one, other : ndarray of int64
        Purely private: a cell, and a hub that is at least it and at most e^epsilon times it. All
        samples that share all examples but one share a hub, which stands for their pairs. With a
        slack: the cells of an answer on a pair of neighbours.
    slack : bool
    pair, times : ndarray of int64
        With a slack: which pair, and how many answers there are these cells for; else empty.
    """

    picks: NDArray[np.int64]
    cell: NDArray[np.int64]
    first: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    pair: NDArray[np.int64]
    times: NDArray[np.int64]
    slack: bool

    @property
    def entries(self) -> int:
        """How many numbers its inequalities have."""
        return 4 * self.one.size


@lru_cache(maxsize=8)
def _rank_table(top: int, m: int) -> NDArray[np.int64]:
    return np.array([[math.comb(q, i + 1) for i in range(m)] for q in range(top + m)]).reshape(
        top + m, m
    )


def _rank(picks: NDArray[np.int64], records: int) -> NDArray[np.int64]:
    """Return the number of each multiset of records, given in order along the last axis."""
    place = np.arange(picks.shape[-1])
    return np.asarray(_rank_table(records, place.size)[picks + place, place].sum(axis=-1))


@lru_cache(maxsize=16)
def _samples(records: int, m: int) -> NDArray[np.int64]:
    """Return all multisets of m records, each in order, by their number."""
    every = list(itertools.combinations_with_replacement(range(records), m))
    picks = np.array(every, dtype=np.int64).reshape(len(every), m)
    return picks[np.argsort(_rank(picks, records))]


@lru_cache(maxsize=32)
def _program_of(game: _Game, m: int, *, slack: bool) -> _Program:
    records = game.laws.shape[1]
    picks, cell, first = _orbits(game, m)
    smaller, hub, stars = _orbits(game, m - 1)
    # All samples that are a smaller one and an example more: any two of them are neighbours.
    shape = len(stars), records, m - 1
    grown = np.concatenate(
        [np.broadcast_to(smaller[stars][:, None, :], shape),
         np.broadcast_to(np.arange(records)[:, None], (*shape[:2], 1))], axis=2,
    )  # fmt: skip
    rays = cell[_rank(np.sort(grown, axis=2), records)]  # (stars, records, answers)
    base = int(max(cell.max(), hub.max())) + 1
    if not slack:
        one, other = np.divmod(np.unique(rays * base + hub[stars][:, None, :]), base)
        none = np.zeros(0, dtype=np.int64)
        return _Program(picks, cell, first, one, other, none, none, slack)
    i, j = np.nonzero(~np.eye(records, dtype=bool))
    pairs = np.sort((rays[:, i] * base + rays[:, j]).reshape(-1, len(game.good)), axis=1)
    pairs = np.unique(pairs, axis=0)
    new = np.append(np.ones((len(pairs), 1), dtype=bool), pairs[:, 1:] != pairs[:, :-1], axis=1)
    one, other = np.divmod(pairs[new], base)
    times = np.diff(np.append(np.flatnonzero(new), new.size))
    return _Program(picks, cell, first, one, other, np.nonzero(new)[0], times, slack)


def _orbits(game: _Game, m: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the samples of m examples, the number of each cell's orbit, and a sample of each orbit."""
    answers, records = len(game.good), game.laws.shape[1]
    picks = _samples(records, m)
    to = [_rank(np.sort(moved[picks], axis=1), records) for moved, _ in game.moves]
    cell = _components(
        len(picks) * answers,
        [
            (there[:, None] * answers + sets).ravel()
            for there, (_, sets) in zip(to, game.moves, strict=True)
        ],
    )
    _, first = np.unique(_components(len(picks), to), return_index=True)
    return picks, cell.reshape(len(picks), answers), first


def _chances(game: _Game, picks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of each sample, target by target."""
    run, ways = np.ones(len(picks)), np.ones(len(picks))
    for i in range(1, picks.shape[1]):
        run = np.where(picks[:, i] == picks[:, i - 1], run + 1.0, 1.0)
        ways *= (i + 1.0) / run
    return np.asarray(ways * game.laws[:, picks].prod(axis=2))


def _solve(game: _Game, m: int, epsilon: float, delta: float, targets: Targets) -> Optimum:
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import, and most never ask
    from scipy.sparse import csr_array, hstack, vstack  # noqa: PLC0415

    program = _program_of(game, m, slack=delta > 0.0)
    # A mechanism for a larger epsilon, mixed with at most 1024 e^-700 of a uniform answer, is one for this.
    epsilon = min(epsilon, _FREE)
    cell, shrink = program.cell, math.exp(-epsilon)
    size = int(cell.max()) + 1
    # The least of some sums of cells is maximised: of one sum, or of one for each kind of target.
    shares = game.prior[None, :]
    if targets == "worst":
        shares = np.eye(len(game.prior))[np.unique(game.alike, return_index=True)[1]]
    chances = _chances(game, program.picks)
    gains = np.array(
        [np.bincount(cell.ravel(), ((chances.T * s) @ game.good.T).ravel(), size) for s in shares]
    )
    limits, right = _limits(program, size, shrink, delta)
    objective: Any = csr_array(np.hstack([-gains, np.zeros((len(gains), limits.shape[1] - size))]))
    least: Any = csr_array(np.append(np.ones(len(gains)), np.zeros(len(right)))[:, None])
    owned = cell[program.first]
    counts, owner = np.bincount(owned.ravel(), minlength=size), np.empty(size, dtype=np.int64)
    owner[owned.ravel()] = np.repeat(np.arange(len(owned)), owned.shape[1])
    whole: Any = csr_array(
        (counts.astype(np.float64), (owner, np.arange(size))),
        shape=(len(owned), limits.shape[1] + 1),
    )
    found = linprog(
        np.append(np.zeros(limits.shape[1]), -1.0),
        A_ub=hstack([vstack([objective, limits]), least]),
        b_ub=np.append(np.zeros(len(gains)), right),
        A_eq=whole, b_eq=np.ones(len(owned)), bounds=(0.0, None),
        method="highs-ipm" if size > _LARGE else "highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.x is None:
        raise InputError("epsilon", "must leave a program that the solver finishes", epsilon)
    # A mechanism: the solver's, whole again, mixed with a uniform answer until it is private.
    p = np.maximum(found.x[:size], 0.0)
    p /= (whole[:, :size] @ p)[owner]
    slip = _slip(program, p, epsilon, delta)
    room = math.expm1(epsilon) / len(game.good)
    low = float((gains @ p).min()) * (1.0 - slip / (slip + delta + room))
    # Prices: of targets a distribution, of neighbours none below 0, of samples what they leave open.
    marginals = -np.minimum(found.ineqlin.marginals, 0.0)
    prior, prices = marginals[: len(gains)], marginals[len(gains) :]
    paid, spent = _paid(program, prices, size, shrink)
    open_ = (prior / prior.sum() @ gains - paid) / counts
    dearest = np.full(len(owned), -np.inf)
    np.maximum.at(dearest, owner, open_)
    high = float(dearest.sum()) + delta * spent
    return Optimum(
        max(low - _ROUNDING, 0.0), min(high + _ROUNDING, 1.0), len(game.good), size, program.entries
    )


def _limits(
    program: _Program, size: int, shrink: float, delta: float
) -> tuple[Any, NDArray[np.float64]]:
    """Return the inequalities of privacy: a matrix over cells and further unknowns, and what they allow."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import, and most never ask

    one, other, n = program.one, program.other, program.one.size
    row, ones = np.arange(n), np.ones(n)
    if not delta:
        hubs, hub = np.unique(other, return_inverse=True)
        shape = 2 * n, size + hubs.size
        columns = np.concatenate([one, size + hub, one, size + hub])
        values = np.concatenate([ones, -ones, -ones, shrink * ones])
        rows = np.concatenate([row, row, n + row, n + row])
        return csr_array((values, (rows, columns)), shape=shape), np.zeros(2 * n)
    # A pair and answer has an excess, and the excesses of a pair are at most delta.
    pairs = int(program.pair.max(initial=-1)) + 1
    columns = np.concatenate([one, other, size + row, size + row])
    values = np.concatenate([shrink * ones, -ones, -shrink * ones, program.times])
    rows = np.concatenate([row, row, row, n + program.pair])
    right = np.append(np.zeros(n), np.full(pairs, delta))
    return csr_array((values, (rows, columns)), shape=(n + pairs, size + n)), right


def _slip(program: _Program, p: NDArray[np.float64], epsilon: float, delta: float) -> float:
    """Return by how much a mechanism exceeds delta, at most."""
    grow, one = math.exp(epsilon), p[program.one]
    if delta:
        excess = np.maximum(one - grow * p[program.other], 0.0) * program.times
        return max(float(np.bincount(program.pair, excess).max(initial=0.0)) - delta, 0.0)
    hub = np.unique(program.other, return_inverse=True)[1]
    most, least = np.zeros(hub.max() + 1), np.full(hub.max() + 1, np.inf)
    np.maximum.at(most, hub, one)
    np.minimum.at(least, hub, one)
    return max(float((most - grow * least).max(initial=0.0)), 0.0)


def _paid(
    program: _Program, prices: NDArray[np.float64], size: int, shrink: float
) -> tuple[NDArray[np.float64], float]:
    """Return what prices of neighbours take from each cell, and the price of the slack."""
    one, other, n = program.one, program.other, program.one.size
    if not program.slack:
        up, down = prices[:n].copy(), prices[n:]
        hub = np.unique(other, return_inverse=True)[1]
        # A hub is worth nothing: it may not cost less than it brings.
        took, gave = np.bincount(hub, up), shrink * np.bincount(hub, down)
        up *= np.minimum(1.0, gave / np.maximum(took, 1e-300))[hub]
        return _sum(one, up - down, size), 0.0
    rates = prices[:n]
    dearest = np.zeros(program.pair.max(initial=-1) + 1)
    np.maximum.at(dearest, program.pair, shrink * rates / program.times)
    paid = _sum(one, shrink * rates, size) - _sum(other, rates, size)
    return paid, float(dearest.sum())


def _sum(places: NDArray[np.int64], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return the sum of the values at each place."""
    return np.bincount(places, values, size).astype(np.float64)
