"""One scenario: everything that a picture or a table of a concept class depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A validated setting with the learners and bounds to show: hashable, so it can be cached.

    Attributes
    ----------
    concept, distribution : str
        Names in the catalog; a distribution that is not named is the first of the class.
    learners : tuple of str
        The learners to show, in catalog order.
    constants : {"sharp", "paper"}
        Which constants the bounds have.
    m, d, epsilon, alpha, beta
        The setting; an axis of a picture overrides its own.
    trials, seed : int
        Of simulated laws.
    delta : float
        The slack of learners that have one.
    u : int
        The unlabelled examples of learners that take some; 0 for each one's own number.
    """

    concept: str
    learners: tuple[str, ...]
    distribution: str = ""
    constants: str = "sharp"
    m: int = 500
    d: int = 64
    epsilon: float = 0.5
    alpha: float = 0.1
    beta: float = 0.1
    trials: int = 1000
    seed: int = 1
    delta: float = 0.0
    u: int = 0

    def __post_init__(self) -> None:
        """Refuse anything out of its domain, and normalise the order of the learners."""
        for name in ("m", "d", "epsilon", "alpha", "beta", "trials", "seed", "delta", "u"):
            object.__setattr__(self, name, scalar(name, getattr(self, name)))
        if self.constants not in {"sharp", "paper"}:
            raise InputError("constants", "must be one of sharp, paper", self.constants)
        wanted = {catalog.learner(self.concept, name).name for name in self.learners}
        ordered = tuple(e.name for e in self.concept_class.learners if e.name in wanted)
        object.__setattr__(self, "learners", ordered)
        if not self.distribution:
            object.__setattr__(self, "distribution", catalog.distribution(self.concept).label)
        self.law.check(d=self.d, alpha=self.alpha)

    @property
    def concept_class(self) -> ConceptClass:
        """The concept class."""
        return catalog.concept(self.concept)

    @property
    def law(self) -> Distribution:
        """The distribution."""
        return catalog.distribution(self.concept, self.distribution)

    @property
    def entries(self) -> tuple[Learner, ...]:
        """All learners of the class, with as many unlabelled examples as here."""
        return tuple(entry.beside(self.u) for entry in self.concept_class.learners)

    @property
    def chosen(self) -> tuple[Learner, ...]:
        """The learners to show."""
        return tuple(e for e in self.entries if e.name in self.learners)

    @property
    def drawn(self) -> tuple[Learner, ...]:
        """The learners to show that have a law on the distribution."""
        return tuple(e for e in self.chosen if self.law.name in e.laws)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds with the chosen constants, in catalog order."""
        return tuple(e for e in self.concept_class.bounds if e.constants == self.constants)

    @property
    def silent(self) -> str:
        """The distributions of the lower bounds when this is none of them; empty otherwise."""
        lower = [e for e in self.bounds if e.kind == "lower"]
        if not lower or any(self.holds(e) for e in lower):
            return ""
        return " or ".join(dict.fromkeys(name for e in lower for name in e.stands_on))

    def holds(self, entry: Bound, **instead: Any) -> bool:
        """Tell whether a bound holds on this distribution, at this or another setting."""
        cell = {name: getattr(self, name) for name in ("d", "epsilon", "alpha", "beta")}
        return entry.holds_on(self.law, **(cell | instead))

    def speaks(self, entry: Bound) -> bool:
        """Tell whether a bound says something about a shown learner on this distribution."""
        return self.holds(entry) and any(entry.binds(e) for e in self.chosen)

    def settings(self, *without: str) -> dict[str, Any]:
        """Return the setting as keyword arguments, without those that an axis replaces."""
        names = ("d", "epsilon", "alpha", "beta", "delta")
        return {name: getattr(self, name) for name in names if name not in without}

    def simulation(self) -> dict[str, int]:
        """Return trials and seed as keyword arguments."""
        return {"trials": self.trials, "seed": self.seed}
