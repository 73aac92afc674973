"""What every learner with a privacy slack has in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class WithSlack:
    """A learner whose privacy slack is its own parameter; comes before `Learner` among the bases.

    Parameters
    ----------
    delta : float
        The privacy slack, in [0, 1/2); a learner that cannot do without says so by its default.
    """

    delta: float = 0.0

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack."""
        return replace(self, delta=delta)

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims."""
        return self.delta
