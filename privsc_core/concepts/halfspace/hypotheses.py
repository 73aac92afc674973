"""Half-spaces as hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privsc_core.concepts.halfspace.circle import inside, turn
from privsc_core.concepts.halfspace.sphere import coordinates
from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["KEYS", "HalfPlane", "HalfSpace"]

# What a record of a run has: the normal as an angle, or its first coordinates.
KEYS = ("turns", "w")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class HalfPlane(Hypothesis):
    """The concept h_w on the circle.

    Attributes
    ----------
    phi : int
        The angle of w, 2^(bits + 2) to a turn.
    bits : int
        Of a point.
    """

    phi: int
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(inside(self.phi, point, self.bits))

    @property
    def turns(self) -> float:
        """The angle of w from the target's, in (-1/2, 1/2]."""
        whole = (self.phi << 60) // turn(self.bits) / 2.0**60
        return whole if whole <= 0.5 else whole - 1.0

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the half-plane whose normal is turned by {360.0 * self.turns:.4g}°"

    @property
    def parameters(self) -> dict[str, str]:
        """The angle as a fraction of a turn, as exact text."""
        return {"turns": f"{self.phi}/2^{self.bits + 2}"}


@dataclass(frozen=True, slots=True)
class HalfSpace(Hypothesis):
    """The concept h_w: 1 where w x >= 0, in three dimensions or more.

    Attributes
    ----------
    w : tuple of float
        Its normal.
    bits : int
        Of a point.
    """

    w: tuple[float, ...]
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int((coordinates([point], self.bits) @ np.array(self.w)).item() >= 0.0)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the half-space with normal ({self._first()})"

    def _first(self) -> str:
        shown = ", ".join(f"{x:.4g}" for x in self.w[:_NAMED])
        return shown + (", …" if len(self.w) > _NAMED else "")

    @property
    def parameters(self) -> dict[str, str]:
        """The normal, as exact text."""
        return {"w": " ".join(map(repr, self.w))}

    def record(self) -> dict[str, object]:
        """Return its first coordinates."""
        return {"w": self._first()}
