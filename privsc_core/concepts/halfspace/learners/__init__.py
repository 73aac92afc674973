"""The learners of half-spaces, one file each."""

from privsc_core.concepts.halfspace.learners.arcs import Arcs
from privsc_core.concepts.halfspace.learners.averaging import Averaging, Mean
from privsc_core.concepts.halfspace.learners.density import Density
from privsc_core.concepts.halfspace.learners.erm import Erm
from privsc_core.concepts.halfspace.learners.net import OnNet

__all__ = ["Arcs", "Averaging", "Density", "Erm", "Mean", "OnNet"]
