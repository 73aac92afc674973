"""Bounds that limit success: the number of samples is searched for."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import SEARCH_LIMIT, least_allowed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting

__all__ = ["SearchBound"]


class SearchBound(Bound):
    """success(setting) must reach 1 - beta: at most that often (lower), or least, m succeed."""

    @abstractmethod
    def success(self, setting: Setting, /) -> NDArray[np.float64]:
        """Return the limit on success, of the setting's shape; it does not fall with m."""

    @abstractmethod
    def failure(self, setting: Setting, /) -> NDArray[np.float64]:
        """Return 1 - `success` without cancellation."""

    @abstractmethod
    def guess(self, at: Cell, /) -> float:
        """Return about how many samples it takes."""

    def note(self, _at: Cell, /) -> str:
        """Return a remark on the number."""
        return ""

    def beyond(self, _at: Cell, /) -> str:
        """Return why there is no number."""
        return f"more than {SEARCH_LIMIT:.0e} samples: not searched further"

    def least(self, at: Cell) -> BoundValue:
        """Return the least m whose limit reaches 1 - beta."""
        found = least_allowed(
            at.beta,
            lambda m: float(self.success(at.at(m))),
            lambda m: float(self.failure(at.at(m))),
            guess=self.guess(at),
        )
        if found is None:
            return BoundValue(None, self.beyond(at))
        return BoundValue(found, note=self.note(at))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is allowed (lower) or promised (upper)."""
        return self.success(setting)
