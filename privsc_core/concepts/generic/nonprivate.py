"""What any learner needs, by two concepts that differ on one rare point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.rate import RateBound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner

__all__ = ["NonprivateBound"]


class NonprivateBound(RateBound):
    """(1 - alpha)^m / 2 <= beta: two concepts cannot be told apart until the point is seen.

    It is proved on the pair of distributions of its proof alone. A learner that knows that the
    family is `hard` may do better there.

    Attributes
    ----------
    least_d : int
        From how many bits on the class has two such concepts.
    """

    name = "nonprivate"
    title = "Without privacy, any learner"
    legend = "Impossible for every learner, even without privacy"
    source = Source("ours", "theory of PAC learning; BBKN13, Theorem 2.4 for the rate")
    hugs_baseline = True
    dash = "dashdot"
    without = ("d", "epsilon", "delta")
    kind = "lower"
    constants = "sharp"
    statement = r"\tfrac12 (1-\alpha)^m \le \beta"
    applies_to = "every learner, private or not"
    shown_on: ClassVar[tuple[str, ...]] = ("hard",)
    least_d: int = 1

    def binds(self, _learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner: about every one."""
        return True

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return the log of the failure with the rare point unseen, for the worse target."""
        return -math.log(2.0) if d >= self.least_d else -math.inf

    def rate(self, _epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of the chance to miss the rare point."""
        return np.asarray(-math.log1p(-alpha))

    def note(self, at: Cell) -> str:
        """Return that nothing is said where the class is too small."""
        small = f"says nothing at d = {at.d}: the domain is too small"
        return small if at.d < self.least_d else ""
