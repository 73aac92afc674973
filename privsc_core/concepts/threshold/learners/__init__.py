"""The learners of thresholds on [0, 1], one file each, or a folder."""

from privsc_core.concepts.threshold.learners.density import Density
from privsc_core.concepts.threshold.learners.erm import Erm
from privsc_core.concepts.threshold.learners.ranks import NoisyCount, OnNet, Ranks, RanksCoarse

__all__ = ["Density", "Erm", "NoisyCount", "OnNet", "Ranks", "RanksCoarse"]
