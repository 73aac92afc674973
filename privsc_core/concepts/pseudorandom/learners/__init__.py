"""The learners of pseudorandom points, one file each."""

from privsc_core.concepts.pseudorandom.learners.erm import Erm
from privsc_core.concepts.pseudorandom.learners.exponential_proper import ExponentialProper
from privsc_core.concepts.pseudorandom.learners.exponential_relaxed import ExponentialRelaxed
from privsc_core.concepts.pseudorandom.learners.margin import Margin

__all__ = ["Erm", "ExponentialProper", "ExponentialRelaxed", "Margin"]
