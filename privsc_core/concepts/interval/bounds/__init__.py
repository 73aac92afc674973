"""The bounds for INTERVAL_d, one file each."""

from privsc_core.concepts.interval.bounds.finite_class import FiniteClass
from privsc_core.concepts.interval.bounds.lemma_5_2 import Lemma52
from privsc_core.concepts.interval.bounds.littlestone import (
    Littlestone,
    LittlestoneQuarter,
    LittlestoneRate,
)
from privsc_core.concepts.interval.bounds.nonprivate import Nonprivate
from privsc_core.concepts.interval.bounds.packing import Packing
from privsc_core.concepts.interval.bounds.theorem_3_2 import Theorem32

__all__ = [
    "FiniteClass",
    "Lemma52",
    "Littlestone",
    "LittlestoneQuarter",
    "LittlestoneRate",
    "Nonprivate",
    "Packing",
    "Theorem32",
]
