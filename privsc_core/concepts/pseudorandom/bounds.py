"""The bounds for pseudorandom points: those of finite classes, with images or all points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.mechanism import FiniteClassBound
from privsc_core.concepts.generic.packing import PackingBound
from privsc_core.concepts.pseudorandom.generator import SQUARE_ROOT, SeedLength, images
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner

__all__ = ["FiniteClassProper", "FiniteClassRelaxed", "PackingProper", "PackingRelaxed"]


def _log_others(seeds: SeedLength, d: int) -> float:
    """Return log(n - 1), n the number of images other than point 1."""
    return images(seeds.bits(d), d).log_others


@dataclass(frozen=True)
class PackingProper(PackingBound):
    """The packing converse over the images."""

    seeds: SeedLength = SQUARE_ROOT

    name: ClassVar[str] = "packing-proper"
    title: ClassVar[str] = "Packing bound, proper"
    legend: ClassVar[str] = "Impossible for every proper ε-DP learner"
    headline: ClassVar[bool] = False
    source: ClassVar[Source] = Source("ours", "the packing converse over the images")
    statement: ClassVar[str] = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    )
    derivation: ClassVar[str] = (
        "As for points, with the $n$ distinct images other than point 1 for targets: a proper "
        "learner outputs an image, and on the hard distribution only the target is accurate. "
        "$n \\le 2^l$, so this lower bound grows with the length $l$ of the seeds, not with $d$."
    )

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return _log_others(self.seeds, d)

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


@dataclass(frozen=True)
class PackingRelaxed(PackingBound):
    """The packing converse over all points: conditional on the generator."""

    name: ClassVar[str] = "packing-relaxed"
    title: ClassVar[str] = "Packing bound, efficient"
    legend: ClassVar[str] = (
        "Impossible for efficient ε-DP learners that answer with a point (conditional)"
    )
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Theorem 6.1")
    applies_to: ClassVar[str] = (
        "every efficient, purely private learner that answers with a point, if the generator is secure"
    )
    statement: ClassVar[str] = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(T-2)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
        r"\quad\text{(conditional)}"
    )
    derivation: ClassVar[str] = (
        "**Conditional.** An efficient learner that succeeds on images must succeed, up to a "
        "negligible difference, on uniformly random points: otherwise it tells the generator's "
        "output from randomness (see the distinguisher). If it answers with a point, it so obeys "
        "the bound for proper learners of POINT. This rests on the security of SHAKE-256 as a "
        "generator, which nobody has proved.\n\n"
        "**With a point**: hashing (see the Points page) answers with a large set, is efficient "
        "and private, and needs a number of examples without $d$.\n\n"
        "Theorem 6.1 says $\\Omega((d+\\log(1/\\beta))/\\varepsilon)$: the constants are ours, and "
        "so is the factor $1/\\alpha$, as in Lemma 3.9.\n\n"
        "For the learner shown here it holds without the assumption: it never looks at the "
        "generator, so every target is alike to it."
    )
    fewer: ClassVar[int] = 2

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.efficient and learner.privacy == "pure"

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


@dataclass(frozen=True)
class FiniteClassProper(FiniteClassBound):
    """(|H| - 1) r^m <= beta over the images."""

    seeds: SeedLength = SQUARE_ROOT

    name: ClassVar[str] = "finite-class-proper"
    title: ClassVar[str] = "Finite class, proper"
    legend: ClassVar[str] = "Guaranteed: inefficient, images only"
    headline: ClassVar[bool] = False
    mechanism: ClassVar[str] = "exponential-proper"
    statement: ClassVar[str] = r"(2^l-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation: ClassVar[str] = (
        "The bound for finite classes, whose proof stands on the Points page, over the at most "
        "$2^l$ images. $\\square$"
    )
    applies_to: ClassVar[str] = "the exponential mechanism over the images"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of images other than the target, at most 2^l - 1."""
        length = self.seeds.bits(d)
        return log_domain_scalar(length, 1)


@dataclass(frozen=True)
class FiniteClassRelaxed(FiniteClassBound):
    """(T - 1) r^m <= beta over all points."""

    name: ClassVar[str] = "finite-class-relaxed"
    title: ClassVar[str] = "Finite class, efficient"
    legend: ClassVar[str] = "Guaranteed: efficient, any point"
    mechanism: ClassVar[str] = "exponential-relaxed"
    statement: ClassVar[str] = r"(T-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation: ClassVar[str] = (
        "The bound for finite classes, whose proof stands on the Points page, over all $T$ "
        "points: what this learner pays for never looking at the generator. $\\square$"
    )
    applies_to: ClassVar[str] = "the exponential mechanism over all points"
    fewer: ClassVar[int] = 1
