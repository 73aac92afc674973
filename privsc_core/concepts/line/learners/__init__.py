"""The learners of lines, one file each."""

from privsc_core.concepts.line.learners.erm import Erm
from privsc_core.concepts.line.learners.exponential import Exponential
from privsc_core.concepts.line.learners.hash_line import HashLine
from privsc_core.concepts.line.learners.vote import Vote

__all__ = ["Erm", "Exponential", "HashLine", "Vote"]
