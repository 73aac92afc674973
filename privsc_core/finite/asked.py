"""A class as a link has it: the word of a ready-made one, or the code of its rows."""

from __future__ import annotations

from privsc_core.errors import InputError
from privsc_core.finite.budget import USUAL
from privsc_core.finite.game import Game, played
from privsc_core.finite.matrix import (
    CODE_CONCEPTS,
    CODE_POINTS,
    FiniteClass,
    code_of_rows,
    from_code,
    of_rows,
    rows_of_code,
    rows_of_text,
)  # fmt: skip
from privsc_core.finite.ready import ready
from privsc_core.finite.report import Dimensions, dimensions

__all__ = [
    "AT_ONCE",
    "FORM",
    "class_of",
    "code_of",
    "dimensions_of",
    "game_of",
    "points_of",
    "rows_to_edit",
]

# Steps after which a click is answered with what is known: some forty milliseconds for 64 concepts
# on 16 points.
AT_ONCE = 4_000

# Of a word or a code, for a field of a link.
FORM = (
    r"[a-z]{1,12}(-[a-z]{1,12}){0,2}(-[0-9]{1,7}){0,3}|[0-9]{1,2}x[0-9]{1,2}\.[A-Za-z0-9_-]{1,172}"
)


def class_of(asked: str) -> FiniteClass:
    """Return the class.

    Raises
    ------
    InputError
        When it is neither the word of a ready-made class nor a code.
    """
    return from_code(asked) if "." in asked else ready(asked)


def rows_to_edit(asked: str) -> tuple[str, ...]:
    """Return the rows, equal ones too, or none where there are more than a link holds."""
    if "." in asked:
        return rows_of_code(asked)
    of = ready(asked)
    fits = len(of) <= CODE_CONCEPTS and of.points <= CODE_POINTS
    return tuple(of.text().split()) if fits else ()


def code_of(text: str) -> str:
    """Return the code of a matrix that was typed, pasted or drawn; equal rows stay.

    Raises
    ------
    InputError
        When it is none, or more than a link holds.
    """
    rows = rows_of_text(text)
    if len(rows) > CODE_CONCEPTS:
        rows = of_rows(rows).text().split()
    if len(rows) > CODE_CONCEPTS or len(rows[0]) > CODE_POINTS:
        raise InputError(
            "matrix", f"must have at most {CODE_CONCEPTS} rows and {CODE_POINTS} columns here "
            "(privsc dimensions takes more)", f"{len(rows)} rows and {len(rows[0])} columns",
        )  # fmt: skip
    return code_of_rows(rows)


def dimensions_of(asked: str, *, epsilon: float, beta: float, steps: int = USUAL) -> Dimensions:
    """Return the dimensions of a class as a link has it, see `report.dimensions`."""
    return dimensions(class_of(asked), epsilon=epsilon, beta=beta, steps=steps)


def game_of(asked: str, side: str, moves: str) -> Game:
    """Return a game on a class as a link has it, see `game.played`."""
    return played(class_of(asked), side, moves)


def points_of(text: str, points: int) -> tuple[int, ...]:
    """Return the places, from 0, of a list of points such as ``1.3``; of those that are there."""
    return tuple(sorted({int(w) - 1 for w in text.split(".") if w and 1 <= int(w) <= points}))
