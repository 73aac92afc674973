"""The exponential mechanism over all 2^d conjunctions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.conjunction.distributions import Spikes
from privsc_core.concepts.conjunction.hypotheses import Conjunction
from privsc_core.concepts.conjunction.mechanism import BITS_MOST, mechanism_law
from privsc_core.concepts.conjunction.product import Product
from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.over_all import OverAll
from privsc_core.errors import InputError
from privsc_core.numerics.supersets import add_supersets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(OverAll):
    """Pick S with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    c_S errs on every positive example but those of the points above S, and on the negative ones
    of these: sums over supersets, O(m + d 2^d).
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("V17", "Theorem 8.3; the law is ours")
    summary: ClassVar[str] = (
        "Picks every conjunction with probability proportional to exp(-ε · mistakes / 2); it goes "
        "through all 2^d of them."
    )
    laws: ClassVar[Mapping[str, Method]] = {
        "spikes": "exact", "product": "rao-blackwell",
    }  # fmt: skip
    slow: ClassVar[tuple[str, ...]] = ("product",)
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "spikes": {"share": "a literal too many costs as much as one too few"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("S",)
    what: ClassVar[str] = "conjunctions"
    counting: ClassVar[str] = (
        "a conjunction is named by its bits. One pass of sums over larger sets for every bit counts "
        "them for all"
    )

    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a conjunction by its number."""
        return Conjunction(number, d)

    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every conjunction, by S."""
        positive, negative = sample.tallies()
        found = np.zeros(sample.domain_size, dtype=np.int64)
        found[np.array(sample.points) - 1] = negative - positive
        add_supersets(found)
        return np.asarray(found + positive.sum())

    def most_d(self, distribution: Distribution) -> int:
        """Return the largest d at which the law is computed: on product it is by all conjunctions."""
        return BITS_MOST if isinstance(distribution, Product) else distribution.most_d

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on spikes, where literals are chosen apart; else over drawn samples."""
        if isinstance(distribution, Product):
            return mechanism_law(distribution, setting, self.score_rate)
        if not isinstance(distribution, Spikes):
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        return self.on_spikes(distribution, setting)
