"""Bounds that limit success: the number of samples is searched for."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Setting
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    least_allowed,
    over_allowed,
    packing_limit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell


class SearchBound(Bound):
    """success(setting) must reach 1 - beta: at most that often (lower), or least, m succeed.

    Attributes
    ----------
    near : bool
        Whether guesses are good and success is smooth in m: then Newton's steps go first.
    """

    near: ClassVar[bool] = False

    def success(self, setting: Setting, /) -> NDArray[np.float64]:
        """Return the limit on success, of the setting's shape; it does not fall with m."""
        return np.asarray(1.0 - self.failure(setting))

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
        return f"more than {SEARCH_LIMIT:.0e}: not searched further"

    def silent(self, _at: Cell, /) -> str:
        """Return why it says nothing, whatever m is; empty where it speaks."""
        return ""

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit at m less those of 1 - beta: no search for the number."""
        if self.silent(at):
            return None
        setting = at.at(m)
        found = over_allowed(at.beta, lambda: self.success(setting), lambda: self.failure(setting))
        return float(found)

    def least(self, at: Cell) -> BoundValue:
        """Return the least m whose limit reaches 1 - beta."""
        return self.leasts([at])[0]

    def guesses(self, cells: Sequence[Cell]) -> list[float]:
        """Return where to start at cells that differ in d and epsilon alone."""
        return [self.guess(at) for at in cells]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Search for all at once, where it speaks."""
        reasons = [self.silent(at) for at in cells]
        speaks = [at for at, reason in zip(cells, reasons, strict=True) if not reason]
        found = iter(self._searched(speaks) if speaks else ())
        return [BoundValue(None, reason) if reason else next(found) for reason in reasons]

    def _searched(self, cells: Sequence[Cell]) -> list[BoundValue]:
        d, epsilon = np.array([at.d for at in cells]), np.array([at.epsilon for at in cells])
        first = cells[0]
        # They may not differ in more: the family is asked for axes over d or epsilon.
        if any((at.alpha, at.beta) != (first.alpha, first.beta) for at in cells):
            return [self._searched([at])[0] for at in cells]

        def where(which: NDArray[np.intp], m: NDArray[np.int64]) -> Setting:
            cell = d[which, None], epsilon[which, None]
            return Setting(m, *cell, first.alpha, first.beta, first.delta)

        found = least_allowed(
            first.beta,
            lambda which, m: self.success(where(which, m)),
            lambda which, m: self.failure(where(which, m)),
            guess=np.array(self.guesses(cells), dtype=np.float64),
            near=self.near,
        )
        return [
            BoundValue(m, note=self.note(at)) if m else BoundValue(None, self.beyond(at))
            for at, m in zip(cells, found.tolist(), strict=True)
        ]

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is allowed (lower) or promised (upper)."""
        return self.success(setting)


class CountBound(SearchBound):
    """A limit on success that is a mean over how many examples of two samples differ.

    Attributes
    ----------
    mean : callable
        `packing_limit`, or what has its parameters.
    """

    mean: ClassVar[Callable[..., NDArray[np.float64]]] = staticmethod(packing_limit)

    @abstractmethod
    def differing(
        self, setting: Setting, /
    ) -> tuple[NDArray[np.float64], float | NDArray[np.float64], NDArray[np.bool_] | bool]:
        """Return the log of the number of rivals, the mass of what differs, and where nothing is said.

        Where nothing is said any mass is right.
        """

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        return self._limit(setting, lost=False)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        return self._limit(setting, lost=True)

    def _limit(self, setting: Setting, *, lost: bool) -> NDArray[np.float64]:
        rivals, mass, silent = self.differing(setting)
        found = self.mean(setting.m, rivals, mass, setting.epsilon, setting.log_tail, lost=lost)
        return np.broadcast_to(np.where(silent, 0.0 if lost else 1.0, found), setting.shape)
