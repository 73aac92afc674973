"""Laplace noise on every answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.laws import by_d, exact_log, rao_blackwell
from privsc_core.concepts.marginals.hypotheses import Marginals
from privsc_core.concepts.marginals.laws import laplace_scale, log_within, turned
from privsc_core.concepts.marginals.learners.additive import Additive
from privsc_core.concepts.marginals.tables import answers, moments, pairs, symmetric
from privsc_core.concepts.style import PURPLE, Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Estimate, Method, Privacy, Setting
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.marginals.distributions import Table
    from privsc_core.concepts.sample import Sample

    # Root mean squares of draws over the sums of their absolute values.
    _Shares = NDArray[np.float64]

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace(Additive):
    """Noise of scale 2 floor(D^2/4) / (m eps) on every answer, D = d + 1."""

    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace noise"
    source: ClassVar[Source] = Source("V17", "Theorem 2.1 with the exact sensitivity, ours")
    summary: ClassVar[str] = (
        "Adds Laplace noise to every answer, large enough for all the answers that one row can turn "
        "at once."
    )
    privacy: ClassVar[Privacy] = "pure"
    laws: ClassVar[Mapping[str, Method]] = {
        "clusters": "rao-blackwell", "chain": "rao-blackwell", "uniform": "rao-blackwell",
        "copies": "rao-blackwell", "largest": "exact",
    }  # fmt: skip
    slow: ClassVar[tuple[str, ...]] = ("clusters", "chain", "uniform", "copies")
    foretold: ClassVar[Mapping[str, float]] = dict.fromkeys(slow, 2.0)
    style: ClassVar[Style] = PURPLE
    of_scale: ClassVar[str] = "2⌊D²/4⌋/(mε)"

    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return b."""
        return laplace_scale(n, d, epsilon)

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the root mean square of the noise is about alpha."""
        # The square of a draw has twice the mean of 1, and deviates by root 5 times its mean.
        many = np.array([pairs(d) for d in setting.d.ravel().tolist()]).reshape(setting.d.shape)
        square = 2.0 * np.maximum(1.0 - special.ndtri(setting.beta) * np.sqrt(5.0 / many), 0.1)
        return np.asarray(np.sqrt(square) * super().roughly(distribution, setting))

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x < 0.0, tail, 1.0 - tail)

    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""
        return rng.laplace(size=number)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Release the sums of all products with noise, as means."""
        del epsilon, alpha, beta
        d, m = sample.d, sample.size
        sums = np.rint(m * answers(moments(sample))).astype(np.int64)
        noisy = coins.laplace(sums.tolist(), sensitivity=2 * int(turned(np.array(d))))
        return Marginals(d, symmetric(np.array(noisy) / m, d + 1, 1.0))

    def on_largest(self, setting: Setting) -> Estimate:
        """Return (1 - e^{-alpha / b})^P."""
        outside = -setting.alpha / self.scale(setting.m, setting.d, setting.epsilon)
        return exact_log(log_within(setting.d, outside), setting)

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return it by the size of the noise, which is independent of its direction.

        The sum of the absolute values of P draws is Gamma(P); what they are as shares of it is
        simulated, and the size is integrated out.
        """
        del distribution

        def law(d: int, part: Setting) -> Estimate:
            many = pairs(d)

            def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[int, _Shares]:
                return m, _shares(many, trials, *rng.bit_generator.seed_seq.entropy)  # type: ignore[attr-defined]

            def conditional(bits: int, epsilon: float, m: int, shares: _Shares) -> _Shares:
                scale = laplace_scale(np.array(m), np.array(bits), np.array(epsilon))
                return np.asarray(special.gammainc(many, part.alpha / (scale * shares)))

            return rao_blackwell(part, draw, conditional)

        return by_d(setting, law)


@lru_cache(maxsize=1024)
def _shares(many: int, trials: int, *stream: int) -> _Shares:
    """Return them of draws of so many answers' noise: whatever m is, so a search draws them once."""
    noise = np.random.default_rng(stream).standard_exponential((trials, many))
    found = np.asarray(np.sqrt((noise * noise).mean(axis=1)) / noise.sum(axis=1))
    found.setflags(write=False)
    return found
