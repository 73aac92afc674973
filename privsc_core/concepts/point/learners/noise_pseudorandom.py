"""The efficient noise learner: a short keyed function in place of 2^d coins."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.laws import exact
from privsc_core.concepts.point.learners.noise import (
    NoiseFamily,
    Rates,
    outcomes,
    paper_rates,
)
from privsc_core.concepts.style import CYAN, Style
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.tails import binomial_at_most

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Keyed", "NoisePseudorandom"]

_DIGEST = 8


@dataclass(frozen=True, slots=True)
class Keyed(Hypothesis):
    """h(x) = 1 iff the first 64 bits of keyed BLAKE2b of x are below bias * 2^64."""

    key: bytes
    threshold: int
    d: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        text = (point - 1).to_bytes((self.d + 7) // 8, "big")
        digest = blake2b(text, key=self.key, digest_size=_DIGEST).digest()
        return int(int.from_bytes(digest, "big") < self.threshold)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is: a key and a bias, and how heavy it is."""
        bias = self.threshold / 2.0 ** (8 * _DIGEST)
        return (
            f"keyed BLAKE2b, key {self.key.hex()}, 1 on a share {bias:g} of the domain "
            f"(about {bias:g} · 2^{self.d} points)"
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The key in hexadecimal and the threshold, as exact texts."""
        return {"key": self.key.hex(), "threshold": str(self.threshold)}


@dataclass(frozen=True)
class NoisePseudorandom(NoiseFamily):
    """A4 and A5 of Section 4.2.1, thinned as in Lemma 4.4.

    Attributes
    ----------
    key_bits : int
        Length of the key. The audit uses a short one, so that every key can be enumerated.
    """

    key_bits: int = 128

    name: ClassVar[str] = "noise-pseudorandom"
    title: ClassVar[str] = "Independent noise, efficient"
    source: ClassVar[Source] = Source("BBKN13", "Algorithms A4 and A5, Theorem 4.8")
    summary: ClassVar[str] = (
        "Replaces the random flips by a keyed pseudorandom function with bias α/4 that is 1 at "
        "the learned point: a hypothesis of a few bytes, 1 on about αT/4 points."
    )
    efficient: ClassVar[bool] = True
    looser_costs: ClassVar[str] = "its noise grows with alpha"
    caveat: ClassVar[str] = (
        "The law treats the keyed function as random; privacy assumes Pr_key[h(j) = 1] ≥ α/8 "
        "at every point j. Its success is capped, on the hard distribution at (1-α/8)(1-α/4), or at "
        "(1-α/8) for α ≥ 1/2."
    )
    style: ClassVar[Style] = CYAN
    outputs: ClassVar[str] = "keys"
    enumerated: ClassVar[str] = "Keys have 8 bits here, so that all can be listed."
    shown_m: ClassVar[int] = 2
    record_keys: ClassVar[tuple[str, ...]] = ("key", "threshold")

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the paper's rates; here `flip` is the bias alpha/4 of the function."""
        del beta, profile
        paper = paper_rates(epsilon, alpha)
        return Rates(np.full(epsilon.shape, alpha / 4.0), paper.fail, paper.keep)

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Thin, learn the point, then draw keys until the function is 1 there; O(m) time."""
        rates = self.rates(np.array(epsilon), alpha, beta, None)
        j = self.thinned_outcome(sample, rates, rng, recorder)
        if j is None:
            return FAILURE
        if recorder is not None:
            recorder.step(
                "The noise",
                f"A keyed pseudorandom function that is 1 on about a share {float(rates.flip):.4g} "
                "of the domain. "
                + ("Keys are drawn until it is 1 at the point." if j else "The first key will do."),
            )
        threshold = _threshold(alpha)
        while True:
            key = rng.bytes((self.key_bits + 7) // 8)
            hypothesis = Keyed(key, threshold, sample.d)
            if j == 0 or hypothesis.predict(j) == 1:
                return hypothesis

    def audited(self) -> NoisePseudorandom:
        """Return the learner with a key space small enough to enumerate."""
        return NoisePseudorandom(key_bits=8)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of ⊥ (None) and of every key, for short keys."""
        del public
        if self.key_bits > 12:
            raise InputError("key_bits", "must be at most 12 to enumerate keys", self.key_bits)
        rates = self.rates(np.array(epsilon), alpha, beta, None)
        fail = float(rates.fail)
        inner = outcomes(sample, float(rates.keep))
        keys = _key_space(self.key_bits)
        result: dict[Hashable, float] = {None: fail + (1.0 - fail) * inner.pop(None, 0.0)}
        result |= dict.fromkeys(keys, 0.0)
        for j, chance in inner.items():
            fitting = [
                key for key in keys
                if j == 0 or Keyed(key, _threshold(alpha), sample.d).predict(j or 0)
            ]  # fmt: skip
            for key in fitting:
                result[key] += (1.0 - fail) * chance / len(fitting)
        return result

    def output_name(self, output: Hashable) -> str:
        """Return a key in hexadecimal."""
        return f"key {output.hex()}" if isinstance(output, bytes) else super().output_name(output)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        rates = self.rates(setting.epsilon, setting.alpha, setting.beta, profile)
        hit = binomial_at_most(profile.slack, profile.others, rates.flip)
        miss = binomial_at_most(profile.slack_missed, profile.others, rates.flip)
        absent = np.exp(setting.m * np.log1p(-profile.mass * rates.keep))
        blind = rates.flip * hit + (1.0 - rates.flip) * miss
        return exact((1.0 - rates.fail) * ((1.0 - absent) * hit + absent * blind), setting)


def _threshold(alpha: float) -> int:
    bias = decimal(alpha) / 4
    return int(bias * (1 << (8 * _DIGEST)))


def _key_space(bits: int) -> list[bytes]:
    return [value.to_bytes((bits + 7) // 8, "big") for value in range(1 << bits)]
