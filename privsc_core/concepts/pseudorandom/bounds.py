"""The bounds for pseudorandom points: those of finite classes, with images or all points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Source, Whom
from privsc_core.concepts.generic.packing import HALFWAY, OPTIMUM, PackingBound, PackingTwoBound
from privsc_core.concepts.generic.rate import FiniteClassBound
from privsc_core.concepts.pseudorandom.generator import SQUARE_ROOT, SeedLength, images
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound


def _log_others(seeds: SeedLength, d: int) -> float:
    """Return log(n - 1), n the number of images other than point 1."""
    return images(seeds.bits(d), d).log_others


@dataclass(frozen=True)
class PackingProper(PackingBound):
    """The packing converse over the images."""

    seeds: SeedLength = SQUARE_ROOT

    name = "packing-proper"
    title = "Packing bound, proper"
    legend = "Impossible for every proper ε-DP learner, by the simple packing bound"
    shaded = False
    source = Source(
        "ours",
        "the packing argument over the images",
        "BBKN13, Lemma 3.9, the packing argument for points",
    )
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "As for points, with the $n$ distinct images other than point 1 for targets: a proper "
        "learner outputs an image, and on the hard distribution only the target is accurate. "
        "$n \\le 2^l$, so this lower bound grows with the length $l$ of the seeds, not with $d$."
    )

    validity = "where there are two images or more"
    one, many = "image", "images"
    way_out = (
        "With fewer targets there are fewer boxes: there are at most as many images as seeds. A "
        "learner that does not know which points are images has to succeed for all points."
    )

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return _log_others(self.seeds, d)

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


@dataclass(frozen=True)
class PackingTwoProper(PackingTwoBound):
    """The packing converse with a halfway database, over the images."""

    seeds: SeedLength = SQUARE_ROOT

    name = "packing-two-proper"
    title = "Packing bound, halfway, proper"
    legend = "Impossible for every proper ε-DP learner"
    shaded = False
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(n-1)}\Bigr] \ge 1-\beta"
    derivation = (
        "As for points, with the $n$ distinct images other than point 1 for targets, and samples $S_i$ that share "
        f"the positions of the $K$ rare examples.\n\n{HALFWAY}\n\n{OPTIMUM} The margin learner over the images comes "
        "close to this bound on every distribution, if there are more than $1/(\\alpha\\beta)$ images."
    )
    validity = PackingProper.validity
    one, many = "image", "images"
    way_out = PackingProper.way_out

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return _log_others(self.seeds, d)

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class PackingRelaxed(PackingBound):
    """The packing converse over all points: conditional on the generator."""

    name = "packing-relaxed"
    title = "Packing bound, efficient"
    legend = (
        "Impossible for efficient ε-DP learners that answer with a point, by the simple packing "
        "bound (conditional)"
    )
    shaded = False
    thin = True
    source = Source("ours", "sharpens BBKN13, Theorem 6.1")
    applies_to = "every efficient, purely private learner that answers with a point, if the generator is secure"
    whom = Whom(privacy=("pure",), efficient=True)
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(T-2)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
        r"\quad\text{(conditional)}"
    )
    derivation = (
        "**Conditional.** An efficient learner that succeeds on images must succeed, up to a negligible difference, "
        "on uniformly random points: otherwise it tells the generator's output from randomness (see the "
        "distinguisher). So if it answers with a point, the bound for proper learners of POINT applies. This assumes "
        "that SHAKE-256 is secure as a generator, which is not proved.\n\n"
        "**The condition on the answers is needed:** hashing (see the Points page) is efficient and private, but "
        "answers with a large set. It needs a number of examples that does not depend on $d$.\n\n"
        "Theorem 6.1 says $\\Omega((d+\\log(1/\\beta))/\\varepsilon)$: the constants are ours, and so is the factor "
        "$1/\\alpha$, as in Lemma 3.9.\n\n"
        "For the efficient learner shown here the bound holds without this assumption, because this learner does not "
        "use the generator and treats all targets alike."
    )
    validity = "for d ≥ 2"
    fewer = 2
    one, many = "point", "points"
    way_out = (
        "Conditional: if the generator is secure, an efficient learner cannot tell images from "
        "other points, so every point must have its box. The bound does not apply to answers "
        "that label many points 1, as on the page Points."
    )

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class PackingTwoRelaxed(PackingTwoBound):
    """The packing converse with a halfway database, over all points: conditional."""

    name = "packing-two-relaxed"
    title = "Packing bound, halfway, efficient"
    legend = "Impossible for efficient ε-DP learners that answer with a point (conditional)"
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    applies_to = PackingRelaxed.applies_to
    whom = Whom(privacy=("pure",), efficient=True)
    validity = PackingRelaxed.validity
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(T-2)}\Bigr] \ge 1-\beta"
        r"\quad\text{(conditional)}"
    )
    derivation = (
        "**The bound is conditional,** as the packing bound for efficient learners that answer with a point: it "
        "assumes that SHAKE-256 is secure as a generator. The constants are ours, the factor $1/\\alpha$ included. "
        f"The proof is that for points.\n\n{HALFWAY}"
    )
    fewer = 2
    one, many = "point", "points"
    way_out = PackingRelaxed.way_out

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


@dataclass(frozen=True)
class FiniteClassProper(FiniteClassBound):
    """(|H| - 1) r^m <= beta over the images."""

    seeds: SeedLength = SQUARE_ROOT

    name = "finite-class-proper"
    title = "Finite class, proper"
    legend = "Guaranteed: inefficient, images only"
    shaded = False
    whom = Whom("exponential-proper")
    statement = r"(2^l-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The bound for finite classes, whose proof stands on the Points page, over the at most "
        "$2^l$ images. $\\square$"
    )
    applies_to = "the exponential mechanism over the images"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of images other than the target, at most 2^l - 1."""
        length = self.seeds.bits(d)
        return log_domain_scalar(length, 1)


class FiniteClassRelaxed(FiniteClassBound):
    """(T - 1) r^m <= beta over all points."""

    name = "finite-class-relaxed"
    title = "Finite class, efficient"
    legend = "Guaranteed: efficient, any point"
    whom = Whom("exponential-relaxed")
    statement = r"(T-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The bound for finite classes, whose proof stands on the Points page, over all $T$ "
        "points: this learner does not use the generator. $\\square$"
    )
    applies_to = "the exponential mechanism over all points"
    fewer = 1


def bounds_of(seeds: SeedLength) -> tuple[Bound, ...]:
    """Return the bounds of the class with seeds of a length."""
    return (
        PackingProper(seeds),
        PackingTwoProper(seeds),
        PackingRelaxed(),
        PackingTwoRelaxed(),
        FiniteClassProper(seeds),
        FiniteClassRelaxed(),
    )
