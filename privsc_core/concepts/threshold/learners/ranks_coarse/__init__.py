"""CH11's A_2 for thresholds: the learner, its law by several ways, and its envelopes."""

from privsc_core.concepts.threshold.learners.ranks_coarse.learner import RanksCoarse

__all__ = ["RanksCoarse"]
