"""RECTANGLE_d: axis-parallel rectangles on a square board (BNS15, Section 4: labels and people).

Without a page of its own: its distribution ends at 200 bits and at an alpha of 1/8.
"""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass, Notation, whole_numbers
from privsc_core.concepts.rectangle.distributions import Board, Hard8, Uniform, rectangle_of
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
        r"The rectangle $c_{l,r,b,t}$ labels the points $(x, y)$ with $l \le x \le r$ and $b \le y \le t$ with 1 and "
        r"the others with 0. The empty rectangle belongs to the class. Coordinates are whole numbers from 1 to $T = "
        r"2^d$. The VC dimension is 4 for every $d \ge 2$ (BNS15, RECTANGLE with $\ell = 2$)."
    ),
    learners=(Erm(), Exponential(), Generic()),
    distributions=(Hard8(), Uniform()),
    size=_SIZE,
    notation=Notation(
        point="a pair (x, y) of whole numbers from 1 to 2^d",
        concept="the sides (l, r, b, t) of the rectangle; with l > r it is empty",
        read=rectangle_of,
        shape=lambda _: (4,),
        points=lambda points, bits: whole_numbers([Board.of(bits).place(x) for x in points], bits),
        size=lambda bits: bits // 2,
    ),
)
