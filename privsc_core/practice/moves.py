"""Kinds of questions about what changes when one parameter of the setting moves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from privsc_core.concepts.contracts.practice import Choice, choose, exercise
from privsc_core.practice.common import private, ratio_of, strongest, symbol, times, value

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner
    from privsc_core.concepts.contracts.practice import Asked, Exercise, ExerciseKind


# --- What a move of one parameter changes --------------------------------------------------------


class _Move(NamedTuple):
    """A move of one parameter: how it is said, by which factor, and which laws explain the answers.

    A law is a power of d, or of one over another parameter; 0 stands for the logarithm.
    """

    kind: str
    name: str
    said: str
    factor: float
    view: str
    laws: tuple[int, ...]


# Between ranges: at most so many times as many. Of a factor so near to an end no question is made.
_ENDS, _CLEAR = (1.0, 1.5, 2.5), 1.02
_RANGES = (
    "It stays the same.",
    "It grows, but to at most 1.5 times as many.",
    "It about doubles: 1.5 to 2.5 times as many.",
    "It grows to more than 2.5 times as many.",
)
_MOVES = (
    _Move("double-d", "d", "doubles", 2.0, "need-d", (0, 1, 2)),
    _Move("halve-epsilon", "epsilon", "is halved", 0.5, "need-eps", (1, 2)),
    _Move("halve-alpha", "alpha", "is halved", 0.5, "m", (1, 2)),
    _Move("beta-tenth", "beta", "is divided by 10", 0.1, "m", (0, 1)),
    _Move("delta-tenth", "delta", "is divided by 10", 0.1, "numbers", (0, 1)),
)


def _range_of(ratio: float) -> int | None:
    """Return in which range a factor is; None where it is below 1 or too near to an end."""
    if ratio < 1.0 or any(1 / _CLEAR < ratio / end < _CLEAR for end in _ENDS if ratio != 1.0):
        return None
    return sum(ratio > end for end in _ENDS)


def _laws(move: _Move, letter: str, here: float, there: float) -> list[tuple[float, str]]:
    """Return by which factors simple laws grow at a move, from the least on, and which laws these are."""
    over, low, high = ("", here, there) if move.name == "d" else ("1/", 1 / here, 1 / there)
    found = [(1.0, f"without {letter}")]
    if 0 in move.laws and low > 1.0:
        growth = math.log(high) / math.log(low)
        found.append((growth, f"proportional to log({over}{letter})"))
    found += [
        ((high / low) ** power, f"proportional to {over}{letter}{'²' * (power == 2)}")
        for power in move.laws if power
    ]  # fmt: skip
    return sorted(found)


def _means(place: int, laws: list[tuple[float, str]]) -> str:
    """Return which simple laws grow as a range says, or between which two it is."""
    ranged = [(sum(growth > end for end in _ENDS), growth, said) for growth, said in laws]
    inside = [(growth, said) for at, growth, said in ranged if at == place]
    if inside:
        return " ".join(f"A number {said} would grow {growth:.3g} times." for growth, said in inside if place) or (
            f"That holds for a number {inside[0][1]}."
        )  # fmt: skip
    below = [said for at, _, said in ranged if at < place][-1]
    above = next(said for at, _, said in ranged if at > place)
    return f"That is more than a number {below} grows, and less than one {above}."


def _moves(move: _Move) -> ExerciseKind:
    def told(at: Asked) -> list[Learner]:
        if move.name == "delta":
            return (
                [one for one in private(at) if one.privacy == "approximate"]
                if at.cell.delta > 0
                else []
            )
        return (private(at) or list(at.learners))[:4]

    def fits(at: Asked) -> bool:
        return bool(told(at)) and not (move.name == "d" and at.concept.only_size is not None)

    def make(at: Asked) -> Exercise | None:
        one = at.pick(told(at))
        here = getattr(at.cell, move.name)
        there = round(here * move.factor) if move.name == "d" else here * move.factor
        before, after = at.least(one), at.least(one, **{move.name: there})
        if before is None or after is None:
            return None
        right = _range_of(after / before)
        if right is None:
            return None
        letter = symbol(at, move.name)
        moved = f"{value(here)} to {value(there)}"
        laws = _laws(move, letter, here, there)
        fact = f"From {letter} = {moved} it goes from {before:,} to {after:,}: a factor of {after / before:.3g}."

        def choice(place: int) -> Choice:
            # A number may grow like a law by chance: the right answer states no reason.
            said = "Right." if place == right else _means(place, laws)
            return Choice(_RANGES[place], f"{said} {fact}", place)

        return choose(
            f"{letter} {move.said}, and everything else stays. What happens to the number of {at.concept.unit} that "
            f"“{one.title}” needs?",
            choice(right),
            *(choice(place) for place in range(len(_RANGES)) if place != right),
            about={"learner": one.name, move.name: there},
        )

    return exercise(move.kind, move.view, fits)(make)


def _four_moves(at: Asked) -> dict[str, tuple[str, float]]:
    """Return four moves that demand more: how each is said, and the value of its parameter."""
    found = {
        "epsilon": ("ε is halved", at.cell.epsilon / 2),
        "alpha": ("α is halved", at.cell.alpha / 2),
    }
    found["beta"] = ("β is divided by 10", at.cell.beta / 10)
    if at.concept.only_size is None and 2 * at.cell.d <= at.law.most_d:
        found["d"] = (f"{at.concept.size.symbol} doubles", 2.0 * at.cell.d)
    return found


def _costliest(
    at: Asked, sentence: str, here: int, numbers: dict[str, int | None], about: dict[str, str]
) -> Exercise | None:
    """Return the question which of four moves raises a number most."""
    known = sorted(((m, name) for name, m in numbers.items() if m is not None), reverse=True)
    if len(known) < 3 or known[0][0] < 1.05 * known[1][0]:
        return None
    said = _four_moves(at)
    (most, first), *rest = known
    return choose(
        sentence,
        Choice(said[first][0], f"Right: from {here:,} to {most:,}.", first),
        *(
            Choice(
                said[name][0],
                f"That takes it from {here:,} to {m:,}, but “{said[first][0]}” to {most:,}.",
                name,
            )
            for m, name in rest
        ),
        about=about,
    )


@exercise("costliest-move", "need-eps", lambda at: bool(private(at)))
def _costliest_move(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:3])
    here = at.least(one)
    moved = {
        name: at.least(one, **{name: _whole(name, to)}) for name, (_, to) in _four_moves(at).items()
    }
    if here is None:
        return None
    return _costliest(
        at, f"Which of these moves costs “{one.title}” the most {at.concept.unit}?", here, moved,
        {"learner": one.name},
    )  # fmt: skip


def _whole(name: str, value: float) -> float:
    return int(value) if name == "d" else value


@exercise("edge-moves", "need-d", lambda at: bool(private(at)))
def _edge_moves(at: Asked) -> Exercise | None:
    found = strongest(at, at.pick(private(at)[:3]))
    if found is None:
        return None
    bound, here = found
    moved = {
        name: at.number(bound, **{name: _whole(name, to)})
        for name, (_, to) in _four_moves(at).items()
    }
    return _costliest(
        at, f"Which of these moves raises the lower bound “{bound.title}” the most?", here, moved,
        {"bound": bound.name},
    )  # fmt: skip


@exercise("idle", "m", lambda at: bool(at.learners))
def _idle(at: Asked) -> Exercise | None:
    names = [
        name
        for name in ("d", "epsilon", "alpha", "beta")
        if name != "d" or at.concept.only_size is None
    ]
    told = [
        (one, [n for n in names if n != "beta" and n in one.idle(at.law)]) for one in at.learners
    ]
    alone = [(one, still[0]) for one, still in told if len(still) == 1]
    if not alone:
        return None
    one, still = at.pick(alone)
    here = at.least(one)
    moves = _four_moves(at)
    moved = {n: at.least(one, **{n: _whole(n, moves[n][1])}) for n in names if n in moves}
    # A whole number may stay although its parameter counts a little.
    if here is None or any(m is None or (m == here) is not (n == still) for n, m in moved.items()):
        return None
    why = one.idle(at.law)[still]
    return choose(
        f"Which parameter does not change how many {at.concept.unit} “{one.title}” needs here?",
        Choice(symbol(at, still), f"Right: {why}.", still),
        *(
            Choice(symbol(at, n), f"When {moves[n][0]}, the number goes from {here:,} to {moved[n]:,}.", n)
            for n in moved if n != still
        ),
        about={"learner": one.name},
        where=next((move.view for move in _MOVES if move.name == still), ""),
    )  # fmt: skip


@exercise("halve-both", "need-eps", lambda at: bool(private(at)))
def _halve_both(at: Asked) -> Exercise | None:
    one, cell = at.pick(private(at)[:3]), at.cell
    here, less = at.least(one), at.least(one, epsilon=cell.epsilon / 2)
    finer = at.least(one, alpha=cell.alpha / 2)
    both = at.least(one, epsilon=cell.epsilon / 2, alpha=cell.alpha / 2)
    if None in {here, less, finer, both} or not (here and less and finer and both):
        return None
    return ratio_of(
        f"ε and α are both halved. How many times as many {at.concept.unit} does “{one.title}” need?",
        both / here,
        f"From {here:,} to {both:,}. Half the ε alone makes it {less:,}, half the α alone {finer:,}.",
        ((less + finer) / here - 1, "That adds both costs."),
        (max(less, finer) / here, "That is the larger one of both costs alone."),
        (8.0, "That would be a factor of 2 for each of three parameters."),
        (1.0, "That would mean that neither matters."),
        learner=one.name,
    )


_POWERS = (0.0, 0.5, 1.0, 1.5, 2.0)


def _power(at: Asked, sentence: str, few: int, many: int, about: dict[str, str]) -> Exercise | None:
    """Return the question for the power of the size with which a number grows, from two numbers."""
    grown = math.log(many / few) / math.log(_FAR)
    right = min(_POWERS, key=lambda power: abs(power - grown))
    if abs(right - grown) > 0.1:
        return None
    name = symbol(at, "d")
    texts = ("Not at all, or hardly", f"Like the root of {name}", f"In proportion to {name}", f"Like {name} to the power 1.5", f"Like the square of {name}")  # fmt: skip
    facts = f"From {name} = {at.cell.d:,} to {_FAR * at.cell.d:,} it goes from {few:,} to {many:,}: a power of {round(grown, 2) + 0.0:.2f}."

    def choice(power: float) -> Choice:
        place = _POWERS.index(power)
        if power == right:
            return Choice(texts[place], f"Right. {facts}", f"power {power:g}")
        grown = f"make it about {times(_FAR**power)} as large" if power else "leave it as it is"
        return Choice(
            texts[place], f"{_FAR} times the {name} would then {grown}. {facts}", f"power {power:g}"
        )

    return choose(sentence, choice(right), *(choice(p) for p in _POWERS if p != right), about=about)


_FAR = 8  # so many times the size


@exercise("power-of-d", "need-d", lambda at: bool(at.learners) and at.concept.only_size is None)
def _power_of_d(at: Asked) -> Exercise | None:
    one = at.pick((private(at) or at.learners)[:4])
    few, many = at.least(one), at.least(one, d=_FAR * at.cell.d)
    words = f"How does the number of {at.concept.unit} that “{one.title}” needs grow with {symbol(at, 'd')} here?"
    return _power(at, words, few, many, {"learner": one.name}) if few and many else None


@exercise("power-of-guarantee", "need-d", lambda at: at.concept.only_size is None)
def _power_of_guarantee(at: Asked) -> Exercise | None:
    told = [one for one in at.bounds if one.kind == "upper"]
    if not told:
        return None
    bound = at.pick(told)
    few, many = at.number(bound), at.number(bound, d=_FAR * at.cell.d)
    words = f"How does the number that “{bound.title}” guarantees to be enough grow with {symbol(at, 'd')} here?"
    return _power(at, words, few, many, {"bound": bound.name}) if few and many else None


KINDS: tuple[ExerciseKind, ...] = (
    *map(_moves, _MOVES), _costliest_move, _edge_moves, _idle, _halve_both, _power_of_d, _power_of_guarantee,
)  # fmt: skip
