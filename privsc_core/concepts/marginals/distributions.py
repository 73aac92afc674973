"""Tables of people's attributes, each given by the second moments of a population.

They are not drawn: a mechanism gets the very answers, and only its own coins are random. The rows
that stand for them are shown; the answers are those of the population, whatever the number m of rows.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


# --- Tables of 0/1 attributes and their marginals: how signs, pairs and moments are written ------
#
# A row is a point of [2^d]: bit j of x - 1 tells attribute j + 1, and counts as the sign +1 or -1. In
# front stands a constant sign, so that the moments of pairs of the D = d + 1 signs are the means of all
# attributes and of all products of two: P = D (D - 1) / 2 answers, from which every cell of every table
# of two attributes follows, Pr[x_j = a, x_k = b] = (1 + a X_0j + b X_0k + a b X_jk) / 4.


# A projection takes some 50 ms there; matrices grow with the square.
BITS_MOST = 128


@dataclass(frozen=True, eq=False, slots=True)
class Population(Sample):
    """Rows as they occur in a population with known moments.

    Attributes
    ----------
    moments : ndarray, shape (D, D)
        What the answers are, whatever the number of rows: those of the population.
    """

    moments: NDArray[np.float64]


def pairs(d: int) -> int:
    """Return P, the number of answers."""
    return d * (d + 1) // 2


def signs(points: Sequence[int], d: int) -> NDArray[np.float64]:
    """Return the signs of rows, the constant one in front, shape (points, d + 1)."""
    if d > BITS_MOST:
        raise InputError("d", f"must be at most {BITS_MOST} to list all marginals", d)
    bits = [[(x - 1) >> j & 1 for j in range(d)] for x in points]
    found = np.ones((len(bits), d + 1))
    found[:, 1:] = 2.0 * np.array(bits, dtype=np.float64).reshape(len(bits), d) - 1.0
    return found


def moments(sample: Sample) -> NDArray[np.float64]:
    """Return the matrix of second moments of the rows of a table, shape (D, D)."""
    if isinstance(sample, Population):
        return sample.moments
    rows = signs(sample.points, sample.d)
    weights = np.bincount(sample.index, minlength=len(rows)) / sample.size
    return np.asarray(rows.T @ (weights[:, None] * rows))


def answers(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the P answers of a symmetric matrix, row by row above its diagonal."""
    return np.asarray(matrix[np.triu_indices(len(matrix), 1)])


def symmetric(values: NDArray[np.float64], size: int, diagonal: float) -> NDArray[np.float64]:
    """Return the matrix with these P values on both sides of a constant diagonal."""
    found = np.zeros((size, size))
    found[np.triu_indices(size, 1)] = values
    found += found.T
    np.fill_diagonal(found, diagonal)
    return found


# --- What a mechanism for marginals outputs: an answer for every pair of signs -------------------


RECORD_KEYS = ("answers", "more")
_SHOWN = 20


@dataclass(frozen=True, eq=False, slots=True)
class Marginals(Hypothesis):
    """Released second moments of d attributes and a constant.

    Attributes
    ----------
    d : int
        Attributes.
    matrix : ndarray, shape (d + 1, d + 1)
        Symmetric, with a diagonal of ones.
    """

    d: int
    matrix: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        """Return whether another release says the same."""
        return isinstance(other, Marginals) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        """Return what equal releases share."""
        return hash(self.matrix.tobytes())

    def answer(self, point: int) -> float | None:
        """Return the answer to query number `point`, from 1 to P, row by row; nothing beyond."""
        return float(answers(self.matrix)[point - 1]) if point <= pairs(self.d) else None

    def predict(self, point: int) -> int:
        """Return 1 where the answer to query number `point` is positive."""
        return int((self.answer(point) or 0.0) > 0.0)

    @property
    def description(self) -> str:
        """One line that says what was released."""
        found = answers(self.matrix)
        return (
            f"{len(found):,} answers, from {found.min():.4g} to {found.max():.4g}; the smallest "
            f"eigenvalue of their matrix is {np.linalg.eigvalsh(self.matrix)[0]:.4g}"
        )

    def record(self) -> dict[str, object]:
        """Return the first answers, row by row, and how many more there are."""
        found = answers(self.matrix)
        return {
            "answers": [float(f"{value:.6g}") for value in found[:_SHOWN].tolist()],
            "more": max(len(found) - _SHOWN, 0),
        }


_STAYS = 0.8  # how alike neighbouring attributes of `chain` are
_PROTOTYPES = 3
_ROWS = 256  # that are kept to be shown, over and over
_SEED = 7


@dataclass(frozen=True)
class Table(Distribution):
    """A population of rows of d attributes, for every d."""

    few_points = True

    @abstractmethod
    def moments(self, d: int) -> NDArray[np.float64]:
        """Return the matrix of second moments of the population, shape (d + 1, d + 1)."""

    @abstractmethod
    def rows(self, d: int) -> NDArray[np.int8]:
        """Return rows of the population to show, 0 or 1, shape (rows, d)."""

    @property
    def most_d(self) -> int:
        """The largest number of attributes: matrices of all pairs are kept."""
        return BITS_MOST

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse more attributes than a matrix of all pairs is kept for."""
        if d > self.most_d:
            raise InputError("d", f"must be at most {self.most_d} for {self.name}", d)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return the table: nothing about it is random."""
        self.check(d=d, alpha=alpha)
        points = [
            1 + sum(int(bit) << j for j, bit in enumerate(row)) for row in self.rows(d).tolist()
        ]
        known: dict[int, int] = {}
        place = [known.setdefault(x, len(known)) for x in points]
        index = np.resize(np.array(place, dtype=np.intp), m)
        return Population(d, tuple(known), index, np.ones(m, dtype=np.uint8), self.moments(d))

    def distance(self, hypothesis: Marginals, d: int) -> float:
        """Return how far the released answers are off: root mean square over all of them."""
        gap = answers(hypothesis.matrix - self.moments(d))
        return float(np.sqrt((gap * gap).mean()))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return how far it is off, up to rounding."""
        return Fraction(self.distance(_released(hypothesis), d))

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether it is at most alpha off."""
        if hypothesis is FAILURE:
            return False
        return self.distance(_released(hypothesis), d) <= alpha


def _released(hypothesis: Hypothesis) -> Marginals:
    if not isinstance(hypothesis, Marginals):
        msg = f"only released marginals can be compared, not a {type(hypothesis).__name__}"
        raise TypeError(msg)
    return hypothesis


@lru_cache(maxsize=64)
def _prototypes(d: int) -> NDArray[np.float64]:
    rows = np.random.default_rng(_SEED).choice([-1.0, 1.0], (_PROTOTYPES, d + 1))
    rows[:, 0] = 1.0
    return rows


@dataclass(frozen=True)
class Clusters(Table):
    """Three kinds of people."""

    name = "clusters"
    title = "Clusters: three kinds of people"
    source = Source("ours", "an example of low rank")
    brief = "every row is one of three prototypes"
    meaning = (
        "Every row is one of three prototypes, and each prototype is a third of the rows. The attributes of the "
        "prototypes were drawn once at random. The matrix of all answers has rank 3. The error is the root mean "
        "square over all answers."
    )

    def moments(self, d: int) -> NDArray[np.float64]:
        """Return the mean outer product of the prototypes."""
        rows = _prototypes(d)
        return np.asarray(rows.T @ rows / len(rows))

    def rows(self, d: int) -> NDArray[np.int8]:
        """Return the prototypes."""
        return (_prototypes(d)[:, 1:] > 0).astype(np.int8)


@dataclass(frozen=True)
class Chain(Table):
    """Attributes that resemble their neighbours."""

    name = "chain"
    title = "Chain: neighbours alike"
    source = Source("ours", "an example of falling correlations")
    brief = "attributes j and k have correlation 0.8^|j−k|"
    meaning = (
        "Attribute j differs from attribute j − 1 with probability 1/10. So attributes j and k "
        "have correlation 0.8^|j−k|, and the mean of attribute j is 0.8^j. The error is the root "
        "mean square over all answers."
    )

    def moments(self, d: int) -> NDArray[np.float64]:
        """Return the powers of the correlation of neighbours."""
        place = np.arange(d + 1)
        return np.asarray(_STAYS ** np.abs(place[:, None] - place[None, :]))

    def rows(self, d: int) -> NDArray[np.int8]:
        """Return rows drawn from it, once for every d."""
        rng = np.random.default_rng([_SEED, d])
        turns = rng.random((_ROWS, d)) < (1.0 - _STAYS) / 2.0
        return ((1 + np.cumsum(turns, axis=1)) % 2).astype(np.int8)


@dataclass(frozen=True)
class Uniform(Table):
    """Attributes that are independent fair coins."""

    name = "uniform"
    title = "Uniform: nothing to find"
    source = Source("ours", "the example without structure")
    brief = "attributes are independent and uniform"
    meaning = (
        "Attributes are independent and uniform, so every answer is 0. The error is the root mean square over all "
        "answers."
    )

    def moments(self, d: int) -> NDArray[np.float64]:
        """Return the identity."""
        return np.eye(d + 1)

    def rows(self, d: int) -> NDArray[np.int8]:
        """Return rows drawn from it, once for every d."""
        return np.random.default_rng([_SEED, d]).integers(0, 2, (_ROWS, d), dtype=np.int8)


@dataclass(frozen=True)
class Copies(Table):
    """Everybody has every attribute."""

    name = "copies"
    title = "Copies: all rows equal"
    source = Source("ours", "the corner of the elliptope")
    brief = "every row has every attribute"
    meaning = (
        "In every row every attribute is 1, so every answer is 1. This is a corner of the set of possible answers. "
        "The error is the root mean square over all answers."
    )

    def moments(self, d: int) -> NDArray[np.float64]:
        """Return ones."""
        return np.ones((d + 1, d + 1))

    def rows(self, d: int) -> NDArray[np.int8]:
        """Return the one row."""
        return np.ones((1, d), dtype=np.int8)


@dataclass(frozen=True)
class Largest(Copies):
    """The same by the largest error, which noise alone decides."""

    name = "largest"
    title = "Largest error of all answers"
    source = Source("ours", "the error of every answer at once")
    brief = "the largest error counts, on every table"
    meaning = (
        "Every single answer must be at most α off, not only the root mean square. For this only the noise matters, "
        "and it is the same on every table. The figure uses the table of equal rows."
    )

    def distance(self, hypothesis: Marginals, d: int) -> float:
        """Return how far the worst of the released answers is off."""
        return float(np.abs(answers(hypothesis.matrix - self.moments(d))).max())
