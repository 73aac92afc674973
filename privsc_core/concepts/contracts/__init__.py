"""What a distribution, a learner, a bound and a concept class are.

The registry, the pages, the command line and the tests rely on these contracts alone.
"""

from privsc_core.concepts.contracts.bound import Bound, BoundValue, Whom
from privsc_core.concepts.contracts.concept_class import RELEASING, ConceptClass, Words
from privsc_core.concepts.contracts.distribution import Distribution, Knob
from privsc_core.concepts.contracts.learner import Learner
from privsc_core.concepts.contracts.notation import Notation, numbered, whole_numbers
from privsc_core.concepts.contracts.settings import (
    CHUNK,
    Adjacency,
    Cell,
    Constants,
    Demand,
    Estimate,
    Kind,
    Method,
    Privacy,
    Setting,
)
from privsc_core.literature.papers import Source

__all__ = [
    "CHUNK",
    "RELEASING",
    "Adjacency",
    "Bound",
    "BoundValue",
    "Cell",
    "ConceptClass",
    "Constants",
    "Demand",
    "Distribution",
    "Estimate",
    "Kind",
    "Knob",
    "Learner",
    "Method",
    "Notation",
    "Privacy",
    "Setting",
    "Source",
    "Whom",
    "Words",
    "numbered",
    "whole_numbers",
]
