"""Data release for POINT_d: estimates of all point fractions (BBKN13, Section 7)."""

from privsc_core.concepts.contracts import RELEASING, ConceptClass
from privsc_core.concepts.release.distributions import Hard, Single
from privsc_core.concepts.release.learners import Blr, Geometric, Laplace, Stability

__all__ = ["RELEASE"]

RELEASE = ConceptClass(
    package=__name__,
    name="release",
    title="Data release",
    symbol="POINT_d queries",
    unit="entries",
    words=RELEASING,
    criterion=(
        "Adjacent databases differ by **replacing** one entry. A release succeeds when every "
        "answer is less than α off."
    ),
    definition=(
        r"Answer every query $Q_j(D)$, the fraction of entries of $D \in [2^d]^m$ that equal $j$, "
        r"within $\alpha$ (BBKN13, Section 7)."
    ),
    learners=(Laplace(), Geometric(), Blr(), Stability()),
    distributions=(Hard(), Single()),
)
