"""The bounds for INTERVAL_d."""

from privsc_core.concepts.interval.bounds.entropy import (
    LittlestoneEntropy,
    LittlestoneQuarter,
    LittlestoneRate,
)
from privsc_core.concepts.interval.bounds.finite import (
    FiniteClass,
    Labels,
    Lemma52,
    Nonprivate,
    Packing,
    PackingSlack,
    PackingTwo,
    Theorem32,
)
from privsc_core.concepts.interval.bounds.littlestone import Littlestone
from privsc_core.concepts.interval.bounds.tree import TreeBound

__all__ = ["BOUNDS"]

BOUNDS = (
    Nonprivate(),
    Labels(),
    Packing(),
    PackingTwo(),
    PackingSlack(),
    Littlestone(),
    LittlestoneEntropy(),
    LittlestoneQuarter(),
    LittlestoneRate(),
    Lemma52(),
    FiniteClass(),
    Theorem32(),
    TreeBound(),
)
