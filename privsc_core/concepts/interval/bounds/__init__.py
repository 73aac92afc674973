"""The bounds for INTERVAL_d."""

from privsc_core.concepts.interval.bounds.finite import (
    FiniteClass,
    Labels,
    Lemma52,
    Littlestone,
    Nonprivate,
    Packing,
    PackingSlack,
    PackingTwo,
    Theorem32,
    Tree2Bound,
    Tree3Bound,
    TreeBound,
)
from privsc_core.concepts.interval.bounds.guesses import (
    LittlestoneEntropy,
    LittlestoneQuarter,
    LittlestoneRate,
)
from privsc_core.concepts.interval.bounds.tower import Tower

__all__ = ["BOUNDS"]

BOUNDS = (
    Nonprivate(),
    Labels(),
    Packing(),
    PackingTwo(),
    PackingSlack(),
    Tower(),
    Littlestone(),
    LittlestoneEntropy(),
    LittlestoneQuarter(),
    LittlestoneRate(),
    Lemma52(),
    FiniteClass(),
    Theorem32(),
    TreeBound(),
    Tree2Bound(),
    Tree3Bound(),
)
