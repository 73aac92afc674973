"""The learners of POINT_d, one file each."""

from privsc_core.concepts.point.learners.erm import Erm
from privsc_core.concepts.point.learners.exponential import Exponential, Seen
from privsc_core.concepts.point.learners.generic import Generic, GenericFlip, GenericStable
from privsc_core.concepts.point.learners.hashing import Hash
from privsc_core.concepts.point.learners.label_boost import LabelBoost
from privsc_core.concepts.point.learners.margin import Margin
from privsc_core.concepts.point.learners.noise import Noise, NoisePseudorandom, NoiseTuned
from privsc_core.concepts.point.learners.noise_boosted import NoiseBoosted
from privsc_core.concepts.point.learners.permute_and_flip import PermuteAndFlip
from privsc_core.concepts.point.learners.representation import Representation

__all__ = [
    "Erm",
    "Exponential",
    "Generic",
    "GenericFlip",
    "GenericStable",
    "Hash",
    "LabelBoost",
    "Margin",
    "Noise",
    "NoiseBoosted",
    "NoisePseudorandom",
    "NoiseTuned",
    "PermuteAndFlip",
    "Representation",
    "Seen",
]
