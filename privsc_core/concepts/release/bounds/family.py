"""Lower bounds from a family of databases that differ in few entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import SEARCH_LIMIT, least_at_rate, log_odds
from privsc_core.concepts.release.entries import least_m
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Kind, Learner

__all__ = ["FamilyBound"]


@dataclass(frozen=True)
class FamilyBound(Bound):
    """(T-1) e^{-eps k} (1-beta) <= beta for k = ceil(factor alpha m) changed entries.

    Notes
    -----
    It says that some database of the family fails: a mechanism must serve every one. On a
    single database alone anything is possible, for a mechanism may just know it; `worst_on`
    names the databases of the family, on which mechanisms that treat all points alike are
    compared with it.

    Attributes
    ----------
    factor : int
        See above.
    """

    kind: ClassVar[Kind] = "lower"
    applies_to: ClassVar[str] = (
        "every purely private mechanism that is useful on every database, whatever it outputs"
    )
    worst_on: ClassVar[tuple[str, ...]] = ("hard", "single")
    factor: ClassVar[int]

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.privacy == "pure"

    def least(self, d: int, epsilon: float, alpha: float, beta: float) -> BoundValue:
        """Return the least m whose k satisfies the inequality."""
        changed = least_at_rate(log_domain_scalar(d, 1) - log_odds(beta), epsilon)
        m = least_m(self.factor, alpha, changed)
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(m)
