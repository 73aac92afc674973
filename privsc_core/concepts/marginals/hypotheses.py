"""What a mechanism for marginals outputs: an answer for every pair of signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.hypotheses import Hypothesis
from privsc_core.concepts.marginals.tables import answers, pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RECORD_KEYS", "Marginals"]

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
        """Tell whether another release says the same."""
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
