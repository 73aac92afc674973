"""The learners of INTERVAL_d, one file each."""

from privsc_core.concepts.interval.learners.atoms import Atoms
from privsc_core.concepts.interval.learners.exponential import Erm, Exponential, Noise
from privsc_core.concepts.interval.learners.generic import Generic
from privsc_core.concepts.interval.learners.search import Search
from privsc_core.concepts.interval.learners.tree import Tree, Tree2, Tree3

__all__ = ["Atoms", "Erm", "Exponential", "Generic", "Noise", "Search", "Tree", "Tree2", "Tree3"]
