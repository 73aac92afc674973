"""The learners of INTERVAL_d, one file each."""

from privsc_core.concepts.interval.learners.atoms import Atoms
from privsc_core.concepts.interval.learners.erm import Erm
from privsc_core.concepts.interval.learners.exponential import Exponential
from privsc_core.concepts.interval.learners.noise import Noise

__all__ = ["Atoms", "Erm", "Exponential", "Noise"]
