"""Kinds of questions about the numbers of learners: how many examples, which learner, what a move changes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, predict
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Learner
    from privsc_core.concepts.contracts.practice import Asked, Exercise, ExerciseKind

_WORDS = {"epsilon": "ε", "alpha": "α", "beta": "β", "delta": "δ"}


def _private(at: Asked) -> list[Learner]:
    """Return the private learners with an exact law."""
    return [one for one in at.learners if one.privacy != "none"]


def _free(at: Asked) -> Learner | None:
    """Return the first learner without privacy."""
    return next((one for one in at.learners if one.privacy == "none"), None)


def _numbers(at: Asked, among: Sequence[Learner]) -> list[tuple[Learner, int]]:
    """Return the learners that have a least m, with it."""
    found = ((one, at.least(one)) for one in among)
    return [(one, m) for one, m in found if m is not None]


def _symbol(at: Asked, name: str) -> str:
    return at.concept.size.symbol if name == "d" else _WORDS[name]


def _value(value: float) -> str:
    """Return the value of a parameter in words."""
    return small(value) if value < 1.0 else f"{value:,.4g}" if value % 1 else f"{value:,.0f}"


# --- How many ------------------------------------------------------------------------------------


@exercise("least-m", "m", lambda at: bool(_private(at)))
def _least_m(at: Asked) -> Exercise | None:
    told = _numbers(at, _private(at)[:4])
    if not told:
        return None
    one, m = at.pick(told)
    free = _free(at)
    without = at.least(free) if free else None
    half = at.least(one, epsilon=at.cell.epsilon / 2)
    double = at.least(one, epsilon=at.cell.epsilon * 2)
    others = [(other, n) for other, n in told if other is not one]
    return predict(
        f"How many {at.concept.unit} does “{one.title}” need at this setting?",
        m,
        f"“{one.title}” needs {m:,}: with one example less it succeeds with probability below {1 - at.cell.beta:g}.",
        (without, "About {} would do without privacy."),
        (half, "{} would be needed at half this ε."),
        (double, "{} would be enough at twice this ε."),
        *((n, f"{{}} is the number of “{other.title}”.") for other, n in others),
        about={"learner": one.name},
    )


# --- Which learner -------------------------------------------------------------------------------


@exercise("order-three", "m", lambda at: len(at.learners) > 2)
def _order_three(at: Asked) -> Exercise | None:
    told = _numbers(at, at.learners[:6])
    threes = [
        three for three in itertools.combinations(told, 3)
        if all(max(m, n) >= 1.1 * min(m, n) for (_, m), (_, n) in itertools.combinations(three, 2))
    ]  # fmt: skip
    if not threes:
        return None
    three = at.pick(threes)
    right = sorted(three, key=lambda one: one[1])
    numbers = ", ".join(f"“{one.title}” {m:,}" for one, m in right)

    def said(order: Sequence[tuple[Learner, int]]) -> Choice:
        names = tuple(one.name for one, _ in order)
        text = ", then ".join(one.title for one, _ in order)
        if list(order) == right:
            return Choice(text, f"Right: {numbers}.", names)
        first = next(pair for pair in itertools.pairwise(order) if pair[0][1] > pair[1][1])
        (large, m), (little, n) = first
        return Choice(
            text,
            f"“{large.title}” would need fewer than “{little.title}”. But it needs {m:,}, and “{little.title}” needs {n:,}.",
            names,
        )

    return choose(
        f"Order these by the number of {at.concept.unit} that they need here, the smallest first.",
        *map(said, (right, *(o for o in itertools.permutations(three) if list(o) != right))),
        about={"learners": tuple(one.name for one, _ in three)},
    )


# --- What a move of one parameter changes --------------------------------------------------------


class _Move(NamedTuple):
    """A move of one parameter: how it is said, by which factor, and what each answer would mean."""

    kind: str
    name: str
    said: str
    factor: float
    view: str
    means: tuple[str, str, str, str]


# Between ranges: at most so many times as many. A factor so near to an end is asked of nobody.
_ENDS, _CLEAR = (1.01, 1.5, 2.5), 1.02
_RANGES = (
    "It stays the same.",
    "It grows, but to at most 1.5 times as many.",
    "It about doubles: 1.5 to 2.5 times as many.",
    "It grows to more than 2.5 times as many.",
)
_MOVES = (
    _Move("double-d", "d", "doubles", 2.0, "need-d", (
        "That holds for a learner that reads nothing that grows with {}.",
        "That holds where the number grows like log {}, or where a part without {} is most of it.",
        "That holds where the number is about proportional to {}.",
        "That holds where the number grows like a higher power of {}.",
    )),
    _Move("halve-epsilon", "epsilon", "is halved", 0.5, "need-eps", (
        "That holds without privacy: then nothing depends on {}.",
        "That holds where the examples that learning needs anyway are most of the number.",
        "That holds where the number is about proportional to 1/{}: privacy decides.",
        "That holds where the number grows like 1/{} to a higher power.",
    )),
    _Move("halve-alpha", "alpha", "is halved", 0.5, "m", (
        "That would mean that higher accuracy costs nothing.",
        "That would mean that a part without 1/{} is most of the number.",
        "That holds where the number is about proportional to 1/{}: a rare part of the data must be seen often enough.",
        "That holds where the number grows like 1/{} to a higher power, such as 1/{}².",
    )),
    _Move("beta-tenth", "beta", "is divided by 10", 0.1, "m", (
        "That would mean that higher confidence costs nothing.",
        "That is typical: the number has a term log(1/{}), beside one that does not depend on {}.",
        "That holds where log(1/{}) is most of the number.",
        "That would be a dependence such as 1/{}: far worse than log(1/{}).",
    )),
)  # fmt: skip


def _range_of(ratio: float) -> int | None:
    """Return in which range a factor is; None where it is below 1 or too near to an end."""
    if ratio < 1 / _ENDS[0] or any(1 / _CLEAR < ratio / end < _CLEAR for end in _ENDS[1:]):
        return None
    return sum(ratio > end for end in _ENDS)


def _moves(move: _Move) -> ExerciseKind:
    def fits(at: Asked) -> bool:
        return bool(at.learners) and not (move.name == "d" and at.concept.only_size is not None)

    def make(at: Asked) -> Exercise | None:
        one = at.pick((_private(at) or at.learners)[:4])
        here = getattr(at.cell, move.name)
        there = round(here * move.factor) if move.name == "d" else here * move.factor
        before, after = at.least(one), at.least(one, **{move.name: there})
        if before is None or after is None:
            return None
        right = _range_of(after / before)
        if right is None:
            return None
        symbol = _symbol(at, move.name)
        moved = f"{_value(here)} to {_value(there)}"
        fact = f"From {symbol} = {moved} it goes from {before:,} to {after:,}: a factor of {after / before:.3g}."

        def choice(place: int) -> Choice:
            means = move.means[place].format(*[symbol] * 2)
            return Choice(_RANGES[place], f"{'Right. ' * (place == right)}{means} {fact}", place)

        return choose(
            f"{symbol} {move.said}, and everything else stays. What happens to the number of {at.concept.unit} that "
            f"“{one.title}” needs?",
            choice(right),
            *(choice(place) for place in range(len(_RANGES)) if place != right),
            about={"learner": one.name, move.name: there},
        )

    return exercise(move.kind, move.view, fits)(make)


KINDS = (_least_m, _order_three, *map(_moves, _MOVES))
