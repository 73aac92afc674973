"""2-way marginals: all means and pair products of d attributes, released (V17, Theorem 7.7)."""

from dataclasses import replace

from privsc_core.concepts.contracts import RELEASING, ConceptClass
from privsc_core.concepts.marginals.distributions import Chain, Clusters, Copies, Largest, Uniform
from privsc_core.concepts.marginals.learners import Gauss, Laplace, Projected
from privsc_core.parameters import parameter

__all__ = ["MARGINALS"]

MARGINALS = ConceptClass(
    package=__name__,
    name="marginals",
    title="2-way marginals",
    symbol="MARGINALS_d",
    unit="rows",
    words=replace(
        RELEASING,
        record="row",
        sample="table",
        target="table",
        everywhere="on every table",
        error="error of the answers",
        success="the answers together are at most α off",
    ),
    criterion=(
        "Adjacent tables differ by **replacing** one row. A release succeeds when the root mean square error over "
        "all answers is at most α. Under “Largest error of all answers” it succeeds when every answer is at most α "
        "off."
    ),
    definition=(
        r"A table has $m$ rows, one for each person, with $d$ attributes $x_j = \pm 1$. The release answers the mean "
        r"of every attribute and of every product of two: $d(d+1)/2$ answers, which determine the table of counts of "
        r"every two attributes (V17, Section 7.3)."
    ),
    learners=(Laplace(), Gauss(), Projected()),
    distributions=(Clusters(), Chain(), Uniform(), Copies(), Largest()),
    size=replace(
        parameter("d"), short="attributes", meaning="number of attributes of a row", default=16
    ),
    called=(),
)
