"""Line_p: the lines of the plane over the whole numbers modulo a prime p (FX14, Sections 5, 6)."""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.line.bounds import BOUNDS
from privsc_core.concepts.line.certified import ROUTES
from privsc_core.concepts.line.distributions import Anchor, Mixture, Pair, Spread
from privsc_core.concepts.line.landscape import LINES, SLACK_LINES
from privsc_core.concepts.line.learners import Erm, Exponential, HashLine, Vote
from privsc_core.concepts.line.slips import SLIPS
from privsc_core.parameters import parameter

__all__ = ["LINE"]

_SIZE = replace(
    parameter("d"), short="bits of p",
    meaning="bits of p, d = log2 p: p is the largest prime up to 2^d, and the plane has p² points",
)  # fmt: skip

LINE = ConceptClass(
    name="line",
    title="Lines modulo p",
    symbol="LINE_p",
    definition=(
        r"$\mathrm{Line}_p = \{c_{a,b} : a, b \in \mathbb{Z}_p\}$ on $\mathbb{Z}_p^2$ with "
        r"$c_{a,b}(x,y) = 1$ iff $y = ax+b$ modulo $p$, $p$ the largest prime up to $2^d$ (FX14, "
        r"Section 5). VC and Littlestone dimension are 2 for every $p$."
    ),
    learners=(Erm(), Exponential(), HashLine(), Vote()),
    bounds=BOUNDS,
    distributions=(Spread(), Anchor(), Pair(), Mixture()),
    lines=LINES,
    slack_lines=SLACK_LINES,
    slips=SLIPS,
    size=_SIZE,
    certified=ROUTES,
)
