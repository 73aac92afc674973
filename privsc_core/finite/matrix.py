"""A finite concept class: a table of labels, rows are concepts and columns points."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from privsc_core.errors import InputError
from privsc_core.tables import Reader, counting, indexed, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from privsc_core.tables import Row

MOST_CONCEPTS, MOST_POINTS = 4096, 256
# What a link holds: six labels take a character.
CODE_CONCEPTS, CODE_POINTS, CODE_CELLS = 512, 64, 4096
CODE_FORM = rf"[0-9]{{1,3}}x[0-9]{{1,2}}\.[A-Za-z0-9_-]{{1,{-(-CODE_CELLS // 6)}}}"
CODE_LIMITS = f"at most {CODE_CONCEPTS} rows, {CODE_POINTS} columns and {CODE_CELLS:,} labels"
_MOST_TEXT = 4 * MOST_CONCEPTS * MOST_POINTS
_LABELS = {"0", "1"}
_TABLE = "must be rows of 0 and 1, all of one length"


@dataclass(frozen=True, init=False, repr=False)
class FiniteClass:
    """A class of concepts over finitely many points; every concept once, in the order given.

    It is a concept class that every public function takes as `concept`.

    Parameters
    ----------
    matrix : array_like or sequence of int
        Labels 0 and 1, shape (concepts, points); or concepts as whole numbers, see `concepts`.
    points : int, optional
        How many points there are; where concepts are whole numbers.

    Attributes
    ----------
    concepts : tuple of int
        Bit x of a concept is its label of point x, counted from 0.
    points : int
        How many points there are.
    family : str
        The family of the catalog whose member it is.

    Raises
    ------
    InputError
        When there are more than 4096 concepts or 256 points, or labels other than 0 and 1.

    Examples
    --------
    >>> import privsc_core as pv
    >>> pairs = pv.FiniteClass([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    >>> pairs
    FiniteClass(3 concepts on 3 points)
    >>> pv.need(concept=pairs, learner="exponential", epsilon=1.0, alpha=0.1, beta=0.1).m.item()
    10.0
    """

    family: ClassVar[str] = "finite"
    concepts: tuple[int, ...]
    points: int

    def __init__(self, matrix: ArrayLike | Sequence[int], points: int | None = None) -> None:
        concepts: Iterable[int]
        if points is None:
            concepts, points = _packed(matrix)
        else:
            concepts = tuple(cast("Sequence[int]", matrix))
        if not 1 <= points <= MOST_POINTS:
            raise InputError("number of points", f"must be from 1 to {MOST_POINTS}", points)
        kept = tuple(dict.fromkeys(concepts))
        if not 1 <= len(kept) <= MOST_CONCEPTS:
            raise InputError("number of concepts", f"must be from 1 to {MOST_CONCEPTS}", len(kept))
        if any(not 0 <= concept < 1 << points for concept in kept):
            raise InputError("concepts", f"must be whole numbers below 2^{points}", kept)
        object.__setattr__(self, "concepts", kept)
        object.__setattr__(self, "points", points)

    @classmethod
    def from_labels(
        cls,
        labels: Callable[[Any, Any], int],
        concepts: int | Iterable[Any],
        points: int | Iterable[Any],
    ) -> FiniteClass:
        """Return the class of a function that tells the label of a point by a concept.

        Parameters
        ----------
        labels : callable
            Concept, point -> label, 0 or 1.
        concepts, points : int or iterable
            What the function is asked about; a number n stands for 0, 1, ..., n - 1.

        Raises
        ------
        InputError
            When there are too many, or a label is neither 0 nor 1.

        Examples
        --------
        >>> import itertools
        >>> import privsc_core as pv
        >>> pairs = itertools.combinations(range(12), 2)
        >>> len(pv.FiniteClass.from_labels(lambda pair, point: point in pair, pairs, 12))
        66
        """
        rows, columns = (
            range(given) if isinstance(given, int)
            else list(itertools.islice(given, max(MOST_CONCEPTS, MOST_POINTS) + 1))
            for given in (concepts, points)
        )  # fmt: skip
        _sized(len(rows), len(columns))
        return cls([[labels(concept, point) for point in columns] for concept in rows])

    def __repr__(self) -> str:
        """Return its sizes: the labels may be a million."""
        concepts = f"{len(self):,} concept{'s' * (len(self) > 1)}"
        return f"FiniteClass({concepts} on {self.points:,} point{'s' * (self.points > 1)})"

    def __len__(self) -> int:
        """Return the number of concepts."""
        return len(self.concepts)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns of the matrix: for each point a number whose bit i is the label by concept i."""
        return turned(self.concepts, self.points)

    @property
    def everyone(self) -> int:
        """The version space of all concepts."""
        return (1 << len(self.concepts)) - 1

    def rows(self) -> list[list[int]]:
        """Return the matrix as lists of 0 and 1."""
        return [[concept >> x & 1 for x in range(self.points)] for concept in self.concepts]

    def text(self, separator: str = "") -> str:
        """Return a line a concept: ``0110``, or below a line of names with a separator."""
        rows = [list(map(str, row)) for row in self.rows()]
        names = [[f"x{x + 1}" for x in range(self.points)]] if separator else []
        return "".join(separator.join(row) + "\n" for row in names + rows)

    def labelled(self, x: int, label: int) -> FiniteClass | None:
        """Return the concepts that label point x so, or None where there is none."""
        kept = tuple(c for c in self.concepts if c >> x & 1 == label)
        return FiniteClass(kept, self.points) if kept else None

    def transposed(self) -> FiniteClass:
        """Return the dual class: points label concepts."""
        if len(self) > MOST_POINTS:
            raise InputError("concepts", f"must be at most {MOST_POINTS} to transpose", len(self))
        return FiniteClass(self.columns, len(self.concepts))

    def reduced(self) -> FiniteClass:
        """Return the class without points that say nothing new.

        Left out are points that all label alike, and points that repeat another one or its
        complement, which is then relabelled. Dimensions that do not depend on the names of labels
        and points stay: VC, Littlestone, teaching, the growth of patterns, and the blind guess.
        """
        return self._reduced

    @cached_property
    def _reduced(self) -> FiniteClass:
        # Kept: every search of a click in the laboratory asks for it again.
        kept: list[int] = []
        seen: set[int] = set()
        for column in self.columns:
            normal = min(column, self.everyone ^ column)
            if normal and normal not in seen:
                seen.add(normal)
                kept.append(column)
        if not kept:
            return FiniteClass((0,), 1)
        return FiniteClass(turned(kept, len(self)), len(kept))


def turned(rows: Sequence[int], width: int) -> tuple[int, ...]:
    """Return the columns of a matrix of bits, lowest first, as whole numbers: by text, which is fast."""
    words = [f"{row:0{width}b}" for row in reversed(rows)]
    return tuple(int("".join(column), 2) for column in zip(*words, strict=True))[::-1]


def bits(mask: int) -> Iterable[int]:
    """Yield the places of the ones of a whole number, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def from_matrix(matrix: ArrayLike | FiniteClass) -> FiniteClass:
    """Return the class of a matrix of 0 and 1, shape (concepts, points).

    Raises
    ------
    InputError
        When it is ragged, too large, not two-dimensional, or holds anything but 0 and 1.
    """
    return matrix if isinstance(matrix, FiniteClass) else FiniteClass(matrix)


def _packed(matrix: ArrayLike) -> tuple[list[int], int]:
    """Return the concepts of a matrix as whole numbers, and how many points there are; or refuse it."""
    try:
        array = np.asarray(matrix)
    except ValueError:  # ragged
        raise InputError("matrix", _TABLE, matrix) from None
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InputError("matrix", _TABLE, matrix)
    _sized(*array.shape)
    if not np.isin(array, (0, 1)).all():
        raise InputError("matrix", _TABLE, array[~np.isin(array, (0, 1))][0].item())
    ones = (np.flatnonzero(row).tolist() for row in array)
    return [sum(1 << x for x in row) for row in ones], array.shape[1]


def from_text(text: str) -> FiniteClass:
    """Return the class of a text, see `rows_of_text`."""
    return of_rows(rows_of_text(text))


def rows_of_text(text: str) -> list[str]:
    """Return the rows of labels, such as ``0110``, of a text with a line a concept; equal ones too.

    What separates labels, and what else a file may hold, is that of `tables.Reader`. Left out is a
    first line of names: none of them a number, or all of them counting up from 0 or 1; and below an
    empty first one of them a first column that counts up as well, which pandas and R write.

    Raises
    ------
    InputError
        Naming line and column of what is no label, or may be a name or a label.
    """
    if len(text) > _MOST_TEXT:
        raise InputError("matrix", f"must be at most {_MOST_TEXT} characters", len(text))
    reader = Reader(text, "matrix", columns=MOST_POINTS, rows=MOST_CONCEPTS, digits=True)
    rows = list(reader)
    named = bool(rows) and _named(reader, rows[0], alone=len(rows) == 1)
    index = named and rows[0].cells[0] == ""
    begin = rows[1].cells[0] == "1" if index and len(rows) > 1 else 0
    for place, row in enumerate(rows[named:], begin):
        if index and row.cells[0] != str(place):
            needs = "must number the rows from 0 or 1 below a first column without a name"
            raise reader.refused(row, 0, needs)
        for column, cell in enumerate(row.cells[index:], int(index)):
            if cell not in _LABELS:
                raise reader.refused(row, column, "must be 0 or 1")
    labels = ["".join(row.cells[index:]) for row in rows[named:]]
    _sized(len(labels), len(labels[0]) if labels else 0)
    return labels


def _named(reader: Reader, row: Row, *, alone: bool) -> bool:
    """Return whether the first row has names; refuse one in which a label may be mistyped."""
    if not reader.separator:
        return False
    if set(row.cells) <= _LABELS:
        if row.cells == ["0", "1"] and not alone:
            needs = (
                "must tell names from labels, and pandas names two columns 0,1 (for labels put a "
                "line such as a,b above it, for names in its place)"
            )
            raise InputError(f"line {row.line} of the matrix", needs, "0,1")
        return False
    skip = int(indexed(row.cells))
    names = row.cells[skip:]
    if counting(names, 0) or (counting(names, 1) and len(names) > 1):
        return True
    mixed = bool(_LABELS & set(names))
    for column, name in enumerate(names):
        if not name or (name not in _LABELS if mixed else _no_name(name, names[:column])):
            raise reader.refused(row, skip + column, "must be 0 or 1, or the name of a point")
    return True


def _no_name(text: str, before: Sequence[str]) -> bool:
    return text in before or number(text) is not None


def _sized(concepts: int, points: int) -> None:
    if not (1 <= concepts <= MOST_CONCEPTS and 1 <= points <= MOST_POINTS):
        raise InputError(
            "matrix", f"must have 1 to {MOST_CONCEPTS} rows and 1 to {MOST_POINTS} columns",
            f"{concepts} rows and {points} columns",
        )  # fmt: skip


def to_code(of: FiniteClass) -> str:
    """Return the class as a short text for a link, or an empty one where it is too large."""
    return code_of_rows(of.text().split())


def from_code(code: str) -> FiniteClass:
    """Return the class that a link holds, see `code_of_rows`.

    Raises
    ------
    InputError
        When it is no such text.
    """
    return of_rows(rows_of_code(code))


def of_rows(rows: Sequence[str]) -> FiniteClass:
    """Return the class of rows of labels, such as ``0110``, all of one length."""
    return FiniteClass(tuple(int(row[::-1], 2) for row in rows), len(rows[0]))


def coded(concepts: int, points: int) -> bool:
    """Return whether a link holds a matrix of this size."""
    few = 1 <= concepts <= CODE_CONCEPTS and 1 <= points <= CODE_POINTS
    return few and concepts * points <= CODE_CELLS


def code_of_rows(rows: Sequence[str]) -> str:
    """Return rows of labels, equal ones too, as a short text, or an empty one: too large.

    ``4x3.`` and the labels, row by row, six to a character of the base64 of web addresses.
    """
    if not coded(len(rows), len(rows[0])):
        return ""
    labels = "".join(rows)
    octets = [labels[i : i + 8].ljust(8, "0") for i in range(0, len(labels), 8)]
    packed = base64.urlsafe_b64encode(bytes(int(octet, 2) for octet in octets))
    return f"{len(rows)}x{len(rows[0])}.{packed.decode().rstrip('=')}"


def rows_of_code(code: str) -> tuple[str, ...]:
    """Return the rows of labels that a link holds.

    Raises
    ------
    InputError
        When it is no such text.
    """
    refused = InputError("class", f"must be ROWSxCOLUMNS.LABELS with {CODE_LIMITS}", code)
    if re.fullmatch(CODE_FORM, code) is None:
        raise refused
    size, _, text = code.partition(".")
    concepts, points = map(int, size.split("x"))
    if not coded(concepts, points):
        raise refused
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise refused from None
    if len(packed) != -(-concepts * points // 8):
        raise refused
    labels = "".join(f"{octet:08b}" for octet in packed)
    return tuple(labels[i * points : (i + 1) * points] for i in range(concepts))
