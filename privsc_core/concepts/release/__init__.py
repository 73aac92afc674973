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
        r"A database has $m$ entries, each one of $2^d$ values. The query $Q_j$ asks which fraction of the entries "
        r"equals $j$. All $2^d$ answers must be right within $\alpha$ (BBKN13, Section 7)."
    ),
    learners=(Laplace(), Geometric(), Blr(), Stability()),
    distributions=(Hard(), Single()),
)
