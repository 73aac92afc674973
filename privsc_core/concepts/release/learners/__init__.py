"""The mechanisms for the data release of POINT_d, one file each."""

from privsc_core.concepts.release.learners.blr import Blr
from privsc_core.concepts.release.learners.histogram import Geometric, Laplace
from privsc_core.concepts.release.learners.stability import Stability

__all__ = ["Blr", "Geometric", "Laplace", "Stability"]
