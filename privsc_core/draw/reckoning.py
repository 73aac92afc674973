"""A calculation in words and marks: numbers that keep their safe side, places on one scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.draw.style import integer
from privsc_core.evaluate.calculator import Kind, beside_kind, of_kind
from privsc_core.numerics.text import raised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.evaluate.calculator import Answer, Line
    from privsc_core.parameters import Wanted

_PRIVACY = {
    "pure": "pure",
    "approximate": "(ε, δ)-private",
    "label": "label-private",
    "none": "non-private",
}
_SMALL = 1e-3
_MARGIN = 0.06  # of the scale's width on each side


def reached(value: float, wanted: Wanted) -> str:
    """Return a number as it was found: four digits, of m and d all. Nothing is rounded again."""
    if math.isnan(value):
        return "none"
    if wanted in {"m", "d"}:
        return f"{value:,.0f}"
    if value >= _SMALL:
        return f"{value:,.4g}"
    exponent = math.floor(math.log10(value * (1.0 + 1e-9)))
    digits = f"{value / 10.0**exponent:.4g}"
    return f"10{raised(exponent)}" if digits == "1" else f"{digits}·10{raised(exponent)}"


def left_by_bound(best: float, wanted: Wanted) -> str:
    """Return what a lower bound leaves: at least so many examples, more than such an epsilon."""
    if math.isnan(best):
        return "–"
    sign = {"m": "≥", "d": "≤"}.get(wanted, ">")
    return f"{sign} {reached(best, wanted)}"


def at_most(ratio: float) -> str:
    """Return a ratio as a factor of three digits, rounded up: it is an upper bound."""
    if math.isnan(ratio):
        return "–"
    unit = 10.0 ** (math.floor(math.log10(ratio)) - 2)
    up = math.ceil(round(ratio / unit, 6)) * unit
    return f"{up:.3g}×" if up < 1000.0 else f"{integer(up)}×"


def where(line: Line) -> str:
    """Return on which distributions a number stands, as the beginning of the remark on it."""
    if not line.promise:
        return "on this distribution only; "
    said = ", on " in line.note  # by the words for whom the promise is
    return "guaranteed " if said else f"guaranteed on {line.only_on or 'every distribution'}, "


def kind_named(kind: Kind) -> str:
    """Return a kind of learners as adjectives: "improper pure"."""
    form = "" if kind.proper is None else "proper" if kind.proper else "improper"
    return " ".join(filter(None, (form, _PRIVACY.get(kind.privacy, "private"))))


def beside(found: Answer, kind: Kind, *, guaranteed: bool = False) -> str:
    """Return a sentence about the best learner of another kind; mostly empty.

    It is said where no learner of this kind has a number, or one of another kind does all that is asked
    of this kind and is better.
    """
    question, concept = found.question, found.question.concept_class
    lines, other = of_kind(found, kind), beside_kind(found, kind)
    none, best = "", ""
    if all(math.isnan(line.value) for line in lines):
        meant = [e for e in concept.learners if kind.privacy or e.privacy != "none"]
        listed = [e.title for e in meant if kind.has(e, question.delta)]
        none = f"No {kind_named(kind)} learner for {concept.title[0].lower()}{concept.title[1:]} "
        lacks = (
            "has a guarantee"
            if guaranteed
            else "has an exact number or a guarantee on this distribution"
        )
        none += f"{lacks} here ({', '.join(listed)})" if listed else "is listed here"
        absent, near = dict(found.left_out), Kind(kind.privacy)
        simulated = [
            e.title for e in meant
            if e.name in absent and e.laws.get(question.law.name) not in {None, "exact"}
            and (near.has(e, question.delta) or kind.met_by(e, question.delta))
        ]  # fmt: skip
        if simulated and not guaranteed:
            none += f"; simulated numbers are left out: {', '.join(simulated)}"
    if other is not None:
        entry = next(e for e in concept.learners if e.name == other.name)
        what = Kind(entry.promise(question.delta), entry.proper if concept.labelled else None)
        number = reached(other.value, question.wanted)
        does = f"needs {number} {concept.unit}" if question.wanted == "m" else (
            f"reaches {concept.parameter(question.wanted).symbol} = {number}"
        )  # fmt: skip
        if other.promise:
            does += f", guaranteed on {other.only_on or 'every distribution'}"
        best = f"{'the' if none else 'The'} best {kind_named(what)} one, {entry.title}, {does}"
        if not none:
            best = f"{entry.title} is {kind_named(what)}, meets the same demand, and {does}"
    said = "; ".join(filter(None, (none, best)))
    limited = guaranteed and lines and all(line.only_on or math.isnan(line.value) for line in lines)
    if limited and not none:
        said += (". " if said else "") + (
            "No learner in these rows is guaranteed on every distribution: each row names those that its "
            "guarantee is about"
        )
    return said and f"{said}."


def places(lines: Sequence[Line]) -> tuple[tuple[float | None, float | None], ...]:
    """Return where value and bound of each line lie on one logarithmic scale, from 0 to 1."""
    pairs = [(found.value, found.best) for found in lines]
    logs = [math.log(x) for pair in pairs for x in pair if x > 0.0]  # not NaN
    if not logs:
        return tuple((None, None) for _ in pairs)
    low, width = min(logs), max(logs) - min(logs)

    def place(x: float) -> float | None:
        if math.isnan(x):
            return None
        share = (math.log(x) - low) / width if width else 0.5
        return _MARGIN + (1.0 - 2.0 * _MARGIN) * share

    return tuple((place(value), place(best)) for value, best in pairs)
