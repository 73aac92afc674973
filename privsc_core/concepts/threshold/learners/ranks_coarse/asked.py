"""What the law of `RanksCoarse` is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting

__all__ = ["Asked", "gap"]


def gap(m: int, alpha: Fraction) -> int:
    """Return by how many ranks neighbouring candidates differ: floor(alpha m / 4) + 1."""
    return alpha.numerator * m // (4 * alpha.denominator) + 1


class Asked(NamedTuple):
    """Numbers of samples for which the law is asked, each for one speed or more.

    Attributes
    ----------
    setting : Setting
        What they have in common.
    share : Fraction
        Alpha, as it was typed.
    m, step : ndarray of int64, shape (numbers,)
        Of samples, and how many ranks lie between candidates.
    speed : ndarray of float64, shape (numbers, speeds)
        eps / 2.
    """

    setting: Setting
    share: Fraction
    m: NDArray[np.int64]
    step: NDArray[np.int64]
    speed: NDArray[np.float64]

    @property
    def rare(self) -> bool:
        """Whether failure is what has digits of its own, and not success."""
        return self.setting.extreme and self.setting.beta < 0.5

    def part(self, rows: NDArray[Any] | slice) -> Asked:
        """Return what is asked of some numbers of samples."""
        return self._replace(m=self.m[rows], step=self.step[rows], speed=self.speed[rows])
