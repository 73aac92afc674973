"""RECTANGLE_d: axis-parallel rectangles on a square board (BNS15, Section 4: labels and people).

Without a page of its own: its distribution ends at 200 bits and at an alpha of 1/8.
"""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.rectangle.distributions import Hard8, Uniform
from privsc_core.concepts.rectangle.learners import Erm, Exponential, Generic
from privsc_core.parameters import parameter

__all__ = ["RECTANGLE"]

_SIZE = replace(
    parameter("d"), default=16, short="bits of a side",
    meaning="bits of a side, d = log2 T: the board has T² points",
)  # fmt: skip

RECTANGLE = ConceptClass(
    package=__name__,
    name="rectangle",
    title="Rectangles",
    symbol="RECTANGLE_d",
    definition=(
        r"$\{c_{l,r,b,t}\}$ on $[T]^2$, $T = 2^d$, with $c_{l,r,b,t}(x,y) = 1$ iff $l \le x \le r$ and "
        r"$b \le y \le t$; the empty one as well. VC dimension 4 for every $d \ge 2$ (BNS15, RECTANGLE with "
        r"$\ell = 2$)."
    ),
    learners=(Erm(), Exponential(), Generic()),
    distributions=(Hard8(), Uniform()),
    size=_SIZE,
)
