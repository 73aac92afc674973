"""What a class declares: which of its numbers have a certified route."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

    Route: TypeAlias = Callable[[At], Ball]
else:
    Route: TypeAlias = Callable

__all__ = ["Route", "Routes"]


@dataclass(frozen=True, eq=False)
class Routes:
    """Independent computations in balls, by name; what is missing is not certified.

    A route takes an exact setting (`balls.At`) and may refuse by `balls.Uncertified`. It is written
    from the formula and calls no floating-point code.

    Attributes
    ----------
    success : mapping of (learner, distribution) to Route
        The probability of success.
    limits : mapping of bound to Route
        The success that the bound allows or promises at m.
    excess : mapping of bound to Route
        Of bounds whose number of samples comes from another inequality: at least 0 where m
        satisfies it, below 0 elsewhere.
    without : mapping of learner or bound to str
        Why something of it cannot have a route; said where none is found.
    """

    success: Mapping[tuple[str, str], Route] = field(default_factory=dict)
    limits: Mapping[str, Route] = field(default_factory=dict)
    excess: Mapping[str, Route] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)

    def certifies(self, bound: str) -> bool:
        """Tell whether the number of samples of a bound has a route."""
        return bound in self.limits or bound in self.excess
