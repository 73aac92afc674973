"""What a learner that somebody brings is told, and what it may answer, in the terms of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.shared.sample import BITS_MOST

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.shared.hypotheses import Hypothesis


def whole_numbers(points: Sequence[Any], bits: int) -> NDArray[Any]:
    """Return whole numbers of so many bits as int64, or as Python's integers where these are longer."""
    return np.array(points, dtype=np.int64 if bits <= BITS_MOST else np.object_)


def same(bits: int) -> int:
    """Return the bits of a point: in most classes they are d."""
    return bits


def every_point(bits: int) -> int:
    """Return how many points of so many bits there are."""
    return 1 << bits


def single(bits: int) -> tuple[int, ...]:
    """Return the shape of a concept that is one number."""
    del bits
    return ()


@dataclass(frozen=True, slots=True)
class Notation:
    """How a class writes a point and a concept.

    Attributes
    ----------
    point, concept : str
        What each is, in words that follow "is".
    read : callable, optional
        (numbers, bits of a point) -> the concept that they name, None where they name none: one
        Python number where `shape` is (), else a tuple. None where concepts have no such names.
    shape : callable
        Bits of a point -> the shape of the numbers that name a concept.
    points : callable
        (distinct points of a sample, bits of a point) -> array, one entry or row for each.
    size : callable
        Bits of a point -> d, the size of the class.
    labels : callable
        Bits of a point -> how many points there are, the length of a row of labels. A point beyond has label 0.
    functions : bool
        Whether the error of a function that is no concept of the class is computed.
    """

    point: str = "a whole number from 1 to 2^d"
    concept: str = ""
    read: Callable[[Any, int], Hypothesis | None] | None = None
    shape: Callable[[int], tuple[int, ...]] = single
    points: Callable[[Sequence[int], int], NDArray[Any]] = whole_numbers
    size: Callable[[int], int] = same
    labels: Callable[[int], int] = every_point
    functions: bool = True


def numbered(concept: str, make: Callable[[int, int], Hypothesis], more: int = 0) -> Notation:
    """Return the notation of a class with concepts c_1, c_2, ..., as many as points or a few `more`.

    Parameters
    ----------
    concept : str
        What the number is, in words.
    make : callable
        (number, bits of a point) -> the concept.
    more : int
        How many more concepts than points there are.
    """

    def read(number: Any, bits: int) -> Hypothesis | None:
        if number != int(number) or not 1 <= number <= (1 << bits) + more:
            return None
        return make(int(number), bits)

    return Notation(concept=concept, read=read)
