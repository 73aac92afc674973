"""The privacy audit from runs: it can show that a mechanism is not private, never that it is.

A mechanism M is (ε, δ)-private if P[M(D) in S] ≤ e^ε P[M(D') in S] + δ for all neighbours D, D' and all
events S. Half of the runs choose one pair and one event; the other half, which are independent of the
first, count how often the event happens.

**Why the verdict is right.** Fix the choice (D, D', S), and let p and q be the two probabilities of S. Of n
further runs on D and n on D' it happens in K ~ Bin(n, p) and L ~ Bin(n, q). The bounds of Clopper and
Pearson at level γ/2 satisfy P[p_low(K) > p] ≤ γ/2 and P[q_high(L) < q] ≤ γ/2. So with probability at least
1 - γ both hold, and then a private M has p_low ≤ p ≤ e^ε q + δ ≤ e^ε q_high + δ. "Not private" is said if
p_low > e^ε q_high + δ: of a private mechanism with probability at most γ. This holds for each
choice, so also on average over the first half of the runs: however many pairs and events were tried there,
nothing is paid for them. The verdict has γ = 10⁻⁶. At γ = 1 % the same two bounds say, both at once, that
M needs at least ε = log((p_low - δ) / q_high) at this δ, and at least δ = p_low - e^ε q_high at this ε.

The proof needs runs that are independent: a mechanism must draw all its coins from the generator that it is
given (or from another source that does not repeat itself), and remember nothing from run to run.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from privsc_core import progress
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.events import Claim, Event, Token, best_event, tokens
from privsc_core.evaluate.results import AuditResult
from privsc_core.own.calls import mechanism, watched
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from privsc_core.concepts.contracts import Cell, Learner

Data = TypeVar("Data")
# A data set: for each example its place in a list of all there can be.
Places: TypeAlias = tuple[int, ...]
Run: TypeAlias = "Callable[[Data, np.random.Generator], object]"
Fits: TypeAlias = "Callable[[int, int], bool]"  # whether one example may replace another
Vary: TypeAlias = "Callable[[tuple[Data, Data], np.random.Generator], tuple[Data, Data]]"

TRIALS = 200_000
"""Runs in all, if nothing else is asked for."""

NUMBER_MISS = 0.01
"""How often the least epsilon and delta may be above the true ones."""

_AT_ONCE = 500  # runs between two reports of progress
_LEAST = 128  # runs for each pair
_PAIRS_MOST = 48  # of the catalogue
_LISTED = 128  # examples of which all pairs are listed


def of_learner(
    learner: Learner, tiny: Cell, *, delta: float, trials: int, seed: int
) -> AuditResult:
    """Audit a learner by runs on samples of a tiny instance.

    Its output is what its hypothesis says about every point. Neighbours are as in the exact audit. A learner that
    takes unlabelled examples gets them beside the m labelled ones.

    Parameters
    ----------
    learner : Learner
        Anything that has a `run`.
    tiny : Cell
        The instance, with the epsilon that is to be kept.
    delta : float
        The privacy slack; at 0 that of the learner.
    trials, seed
        As for `audit_runs`.
    """
    variant = learner.at(delta)
    domain = variant.tried(tiny.d)
    records = list(itertools.product(domain, (0, 1) if variant.labelled else (1,)))

    def run(places: Places, rng: np.random.Generator) -> object:
        points, labels = zip(*(records[place] for place in places), strict=True)
        hypothesis = variant.run(Sample.of(tiny.d, points, labels), tiny, rng)
        return [hypothesis.answer(point) for point in domain]

    def fits(old: int, new: int) -> bool:
        return variant.neighbours(records[old])(records[new])

    claim = Claim(tiny.epsilon, delta or variant.privacy_slack)
    size = tiny.m + variant.unlabelled
    found = _of_examples(run, records, fits, size, claim, trials, seed)
    named = re.sub(
        r"output\[(\d+)\]", lambda match: f"label of point {int(match[1]) + 1}", found.output
    )
    return replace(found, output=named)


def of_mechanism(
    function: Any,
    *,
    neighbours: Sequence[tuple[Any, Any]] | None = None,
    examples: Sequence[Any] | None = None,
    m: int | None = None,
    epsilon: float,
    delta: float = 0.0,
    trials: int = TRIALS,
    seed: int = 1,
) -> AuditResult:
    """Audit any function of a data set by runs.

    Parameters
    ----------
    function : callable
        Called as ``mechanism(x, epsilon=..., delta=..., rng=...)``, with those of the three that it
        takes. It returns a number, a text, None, or a list, tuple or array of them, at most 256.
    neighbours : sequence of (data set, data set), optional
        Pairs of lists, tuples or arrays that differ in one example. Each run gets a copy.
    examples : sequence, optional
        In place of pairs: what an example can be. Pairs of arrays of m of them are tried.
    m : int, optional
        The number of examples, with `examples`.
    epsilon, delta : float
        What is claimed.
    trials, seed
        As for `audit_runs`.

    Raises
    ------
    InputError
        For pairs that are no neighbours, and for what `audit_runs` refuses.
    """
    call, claim = mechanism(function), Claim(scalar("epsilon", epsilon), scalar("delta", delta))

    def run(data: Any, rng: np.random.Generator) -> object:
        return call(
            data.copy() if hasattr(data, "copy") else data,
            epsilon=claim.epsilon,
            delta=claim.delta,
            rng=rng,
        )

    if (neighbours is None) == (examples is None):
        given = "neither" if neighbours is None else "both"
        raise InputError("neighbours", "must be given, or examples and m in their place", given)
    if examples is None:
        if not isinstance(neighbours, Iterable):
            raise InputError("neighbours", "must be a list of pairs of data sets", neighbours)
        pairs = [_adjacent(pair) for pair in neighbours]
        if not pairs:
            raise InputError("neighbours", "must have at least one pair of data sets", "none")
        return audit_runs(run, pairs, claim, trials=trials, seed=seed)
    try:
        every = np.asarray(examples)
    except ValueError:
        every = np.array(None)
    if m is None or not every.ndim or len(every) < 2:
        wanted = "must be a list of at least two, all of one shape, beside m"
        raise InputError("examples", wanted, f"{examples} and m = {m}")
    return _of_examples(
        lambda places, rng: run(every[list(places)], rng),
        examples,
        operator.ne,
        scalar("m", m),
        claim,
        trials,
        seed,
    )


def _adjacent(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return two data sets that differ in one example, or refuse them."""
    try:
        here, there = pair
        different = [not np.array_equal(a, b) for a, b in zip(here, there, strict=True)]
    except (TypeError, ValueError):
        different = []
    if sum(different) != 1:
        wanted = "must be pairs of data sets of one size that differ in exactly one example"
        raise InputError("neighbours", wanted, pair)
    return here, there


def _of_examples(
    run: Run[Places], records: Sequence[Any], fits: Fits, m: int, claim: Claim,
    trials: int, seed: int,
) -> AuditResult:  # fmt: skip
    """Audit on pairs of a catalogue, and on changed ones, and name their examples."""
    rng = np.random.default_rng([seed, m])
    most = max(1, min(_PAIRS_MOST, trials // (4 * _LEAST)))

    def vary(pair: tuple[Places, Places], rng: np.random.Generator) -> tuple[Places, Places]:
        return _varied(pair, len(records), fits, rng)

    found = audit_runs(
        run,
        _catalogue(len(records), fits, m, rng, most),
        claim,
        trials=trials,
        seed=seed,
        vary=vary,
    )
    named = (tuple(records[place] for place in data) for data in (found.database, found.neighbour))
    database, neighbour = named
    return replace(found, database=database, neighbour=neighbour)


def _catalogue(
    number: int, fits: Fits, m: int, rng: np.random.Generator, most: int
) -> list[tuple[Places, Places]]:
    """Return at most so many pairs of neighbours, of three kinds in turn.

    One example against all others equal; one that tips the balance of two halves; and any. `number` is how many
    examples there can be.
    """
    if number <= _LISTED:
        others = [(a, b) for a in range(number) for b in range(number) if fits(a, b)]
        rng.shuffle(others)
    else:  # of so many no more than are tried
        others = [
            (a, int(rng.choice([b for b in range(number) if fits(a, b)])))
            for a in rng.permutation(number)[:most].tolist()
        ]
    kinds: tuple[list[tuple[Places, Places]], ...] = ([], [], [])
    for a, b in others:
        kinds[0].append(((a,) * m, (a,) * (m - 1) + (b,)))
        kinds[1].append(
            (
                (a,) * (m - m // 2) + (b,) * (m // 2),
                (b,) + (a,) * (m - m // 2 - 1) + (b,) * (m // 2),
            )
        )
        rest = tuple(rng.integers(number, size=m - 1).tolist())
        kinds[2].append(((*rest, a), (*rest, b)))
    turns = itertools.chain.from_iterable(zip(*kinds, strict=True))
    return list({frozenset(pair): pair for pair in turns}.values())[:most]


def _varied(
    pair: tuple[Places, Places], number: int, fits: Fits, rng: np.random.Generator
) -> tuple[Places, Places]:
    """Return a pair in which one example is another one, mostly one that both have."""
    here, there = map(list, pair)
    place = int(rng.integers(len(here)))
    new = int(rng.integers(number))
    if here[place] == there[place]:
        here[place] = there[place] = new
    else:
        choice = [other for other in range(number) if fits(here[place], other)]
        there[place] = choice[int(rng.integers(len(choice)))]
    return tuple(here), tuple(there)


# --- The search ----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Pair(Generic[Data]):
    """Neighbours with what came out so far, and the event that says most against the claim."""

    data: tuple[Data, Data]
    outputs: tuple[list[tuple[Token, ...]], list[tuple[Token, ...]]] = field(
        default_factory=lambda: ([], [])
    )
    strength: float = -math.inf
    event: Event | None = None

    def look(self, claim: Claim) -> None:
        self.strength, self.event = best_event(*self.outputs, claim)


def audit_runs(
    run: Run[Data],
    pairs: Sequence[tuple[Data, Data]],
    claim: Claim,
    *,
    trials: int,
    seed: int,
    vary: Vary[Data] | None = None,
) -> AuditResult:
    """Look for a violation of privacy in runs on pairs of neighbours.

    Half of the runs are spent on choosing. Round by round the pairs get more runs; the half of them that
    says least against the claim is left out, and some changed copies of the best ones come in.

    Parameters
    ----------
    run : callable
        Data set, generator -> output.
    pairs : sequence of (data set, neighbour)
        With which to begin.
    claim : Claim
        What is to be refuted.
    trials : int
        Runs in all.
    seed : int
        Of all coins, those of the search included.
    vary : callable, optional
        Pair, generator -> another pair of neighbours.

    Returns
    -------
    AuditResult
        With `private` False or None, and bounds of 99 % confidence in place of exact numbers.

    Raises
    ------
    InputError
        When there are fewer than 128 runs for each pair.
    """
    trials, seed = scalar("trials", trials), scalar("seed", seed)
    if trials < (least := _LEAST * len(pairs)):
        wanted = f"must be at least {least}: {_LEAST} for each pair of data sets"
        raise InputError("trials", wanted, trials)
    rng, decisive = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    with progress.stage(0.0, 0.5):
        best, seen = _search(run, pairs, claim, trials // 2, rng, vary)
    event = best.event
    assert event is not None  # noqa: S101 - the last round looked
    each = trials // 4
    sides = best.data[::-1] if event.swapped else best.data
    with progress.stage(0.5, 1.0):
        hits, others = (
            sum(
                event.count(_run(run, data, min(_AT_ONCE, each - done), decisive))
                for done in progress.steps(
                    range(0, each, _AT_ONCE), begin=place / 2, end=(place + 1) / 2
                )
            )
            for place, data in enumerate(sides)
        )
    epsilon, delta = claim.needed(hits, others, each, NUMBER_MISS)
    return AuditResult(
        epsilon=claim.epsilon, worst=epsilon, pairs=seen,
        private=False if claim.refuted(hits, others, each) else None,
        database=sides[0], neighbour=sides[1], output=str(event), delta=claim.delta,
        least_delta=delta, method="monte-carlo", runs=trials, hits=(hits, others, each),
    )  # fmt: skip


def _run(
    run: Run[Data], data: Data, number: int, rng: np.random.Generator
) -> list[tuple[Token, ...]]:
    try:
        with watched():
            return [tokens(run(data, rng)) for _ in range(number)]
    except RecursionError:
        raise InputError("output", "must not be nested so deep", "too many levels") from None


def _search(
    run: Run[Data],
    pairs: Sequence[tuple[Data, Data]],
    claim: Claim,
    budget: int,
    rng: np.random.Generator,
    vary: Vary[Data] | None,
) -> tuple[_Pair[Data], int]:
    """Return the pair that says most against a claim, and how many pairs were looked at."""
    kept = [_Pair(pair) for pair in pairs]
    seen, rounds = len(kept), (len(kept) - 1).bit_length() + 1
    for left in progress.steps(range(rounds - 1, -1, -1)):
        each = max(budget // rounds // (2 * len(kept)), 4)
        for pair in kept:
            for data, outputs in zip(pair.data, pair.outputs, strict=True):
                outputs.extend(_run(run, data, each, rng))
            pair.look(claim)
        kept.sort(key=lambda pair: -pair.strength)
        wanted = -(-len(kept) // 2)
        new = wanted // 4 if vary is not None and left > 1 else 0
        kept = kept[: wanted - new]
        if vary is not None:
            kept += [_Pair(vary(pair.data, rng)) for pair in kept[:new]]
        seen += new
    return kept[0], seen
