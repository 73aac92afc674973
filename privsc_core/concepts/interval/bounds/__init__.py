"""The bounds for INTERVAL_d."""

from privsc_core.concepts.interval.bounds.finite import (
    FiniteClass,
    Lemma52,
    Nonprivate,
    Packing,
    PackingTwo,
    Theorem32,
)
from privsc_core.concepts.interval.bounds.littlestone import (
    Littlestone,
    LittlestoneQuarter,
    LittlestoneRate,
)
from privsc_core.concepts.interval.bounds.tree import TreeBound

__all__ = ["BOUNDS"]

BOUNDS = (
    Nonprivate(),
    Packing(),
    PackingTwo(),
    Littlestone(),
    LittlestoneQuarter(),
    LittlestoneRate(),
    Lemma52(),
    FiniteClass(),
    Theorem32(),
    TreeBound(),
)
