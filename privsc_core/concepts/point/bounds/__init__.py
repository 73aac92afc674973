"""The bounds for POINT_d, one file each."""

from privsc_core.concepts.point.bounds.claim_4_5 import Claim45
from privsc_core.concepts.point.bounds.corollary_3_8 import Corollary38
from privsc_core.concepts.point.bounds.finite_class import FiniteClass
from privsc_core.concepts.point.bounds.hashing import HashBound
from privsc_core.concepts.point.bounds.lemma_3_9 import Lemma39
from privsc_core.concepts.point.bounds.nonprivate import Nonprivate, NonprivateProper
from privsc_core.concepts.point.bounds.packing import Packing
from privsc_core.concepts.point.bounds.representation import RepresentationBound
from privsc_core.concepts.point.bounds.theorem_3_2 import Theorem32
from privsc_core.concepts.point.bounds.theorem_4_2 import Theorem42

__all__ = [
    "Claim45",
    "Corollary38",
    "FiniteClass",
    "HashBound",
    "Lemma39",
    "Nonprivate",
    "NonprivateProper",
    "Packing",
    "RepresentationBound",
    "Theorem32",
    "Theorem42",
]
