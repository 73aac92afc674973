"""One scenario: everything that a picture or a table of a concept class depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.idle import IN_BOUNDS, of_need, shared
from privsc_core.errors import InputError
from privsc_core.evaluate.own_bound import own_bound
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
    from privsc_core.evaluate.own_bound import OwnBound


class _Named(NamedTuple):
    """What the names of a scenario stand for, whatever its numbers are."""

    concept: ConceptClass
    law: Distribution
    entries: tuple[Learner, ...]
    chosen: tuple[Learner, ...]
    drawn: tuple[Learner, ...]
    bounds: tuple[Bound, ...]
    own: OwnBound | None


# A picture asks for these hundreds of times, and a slider moves none of them.
@lru_cache(maxsize=64)
def _named(
    name: Any, learners: tuple[str, ...], distribution: str, constants: str, u: int, formula: str
) -> _Named:
    concept = catalog.concept(name)
    law = catalog.distribution(name, distribution)
    entries = tuple(entry.beside(u) for entry in concept.learners)
    chosen = tuple(e for e in entries if e.name in learners)
    drawn = tuple(e for e in chosen if law.name in e.laws)
    bounds = tuple(e for e in concept.bounds if e.constants == constants)
    own = own_bound(concept, formula) if formula else None
    return _Named(concept, law, entries, chosen, drawn, (*bounds, own) if own else bounds, own)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A validated setting with the learners and bounds to show: hashable, so it can be cached.

    Attributes
    ----------
    concept, distribution : str
        Names in the catalog, or a class that has none there; a distribution that is not named is the first of
        the class.
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
    regions : tuple of str, or one name
        The bounds that figures draw; all that apply where none of these does.
    formula : str
        A bound of one's own, drawn beside these: see `formula`.

    Examples
    --------
    >>> import privsc_core as pv
    >>> from privsc_core import draw
    >>> drawn = draw.picture(pv.Scenario("point", ("exponential", "hash"), d=16), "need-eps")
    >>> drawn.title
    'Least number of labelled examples against ε'
    """

    concept: Any
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
    regions: tuple[str, ...] | str = ()
    formula: str = ""

    def __post_init__(self) -> None:
        """Refuse anything out of its domain, and normalise the order of the learners."""
        for name in ("m", "d", "epsilon", "alpha", "beta", "trials", "seed", "delta", "u"):
            object.__setattr__(self, name, scalar(name, getattr(self, name)))
        if self.constants not in {"sharp", "paper"}:
            raise InputError("constants", "must be one of sharp, paper", self.constants)
        wanted = {catalog.learner(self.concept, name).name for name in self.learners}
        concept = catalog.concept(self.concept)
        if not isinstance(self.concept, str):
            object.__setattr__(self, "concept", catalog.told(concept))
        ordered = tuple(e.name for e in concept.learners if e.name in wanted)
        object.__setattr__(self, "learners", ordered)
        if not self.distribution:
            object.__setattr__(self, "distribution", catalog.distribution(self.concept).label)
        if isinstance(self.regions, str):
            object.__setattr__(self, "regions", (self.regions,))
        for name in self.regions:
            catalog.bound(self.concept, name)
        if self.formula:
            read = own_bound(self.concept, self.formula).formula
            object.__setattr__(self, "formula", read.text)
        if concept.only_size is not None:
            object.__setattr__(self, "d", concept.only_size)
        self.law.check(d=self.d, alpha=self.alpha)

    @property
    def _names(self) -> _Named:
        names = self.concept, self.learners, self.distribution, self.constants
        return _named(*names, self.u, self.formula)

    @property
    def concept_class(self) -> ConceptClass:
        """The concept class."""
        return self._names.concept

    @property
    def law(self) -> Distribution:
        """The distribution."""
        return self._names.law

    @property
    def entries(self) -> tuple[Learner, ...]:
        """All learners of the class, with as many unlabelled examples as here."""
        return self._names.entries

    @property
    def chosen(self) -> tuple[Learner, ...]:
        """The learners to show."""
        return self._names.chosen

    @property
    def drawn(self) -> tuple[Learner, ...]:
        """The learners to show that have a law on the distribution."""
        return self._names.drawn

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds with the chosen constants, in catalog order, and one's own."""
        return self._names.bounds

    @property
    def own(self) -> OwnBound | None:
        """The bound of one's own, if there is one."""
        return self._names.own

    @property
    def silent(self) -> str:
        """The distributions of the lower bounds when this is none of them; empty otherwise."""
        lower = [e for e in self.bounds if e.kind == "lower"]
        if not lower or any(self.holds(e) for e in lower):
            return ""
        return " or ".join(dict.fromkeys(name for e in lower for name in e.valid_on))

    def holds(self, entry: Bound, **instead: Any) -> bool:
        """Return whether a bound holds on this distribution, at this or another setting."""
        cell = self.settings("delta")
        # What a drawn learner passes, for which the worst case is another one, is not drawn.
        passed = entry.shown_on and any(entry.passed(e, self.law) for e in self.drawn)
        return entry.holds_on(self.law, Cell(**cell | instead)) and not passed

    def holding(self, entry: Bound, axis: str, along: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return at which values of an axis a bound holds on this distribution."""
        kind = int if axis == "d" else float
        return np.array([self.holds(entry, **{axis: kind(at)}) for at in along.tolist()])

    def applies(self, entry: Bound) -> bool:
        """Return whether a bound says something about a shown learner, and is among those to draw."""
        if entry == self.own:
            return True
        if not self._speaks(entry):
            return False
        named = [e for e in self.bounds if e.name in self.regions]
        return entry in named or not any(map(self._speaks, named))

    def _speaks(self, entry: Bound) -> bool:
        return self.holds(entry) and any(map(entry.binds, self.chosen))

    def idle(self, told: Collection[str] = ()) -> dict[str, str]:
        """Return what changes nothing of a picture, nor of some learners' numbers, and why.

        Parameters of the setting and of the distribution, each with its reasons.
        """
        names = {*self.learners, *told}
        here = [e for e in self.entries if e.name in names and self.law.name in e.laws]
        # The numbers' prices are against one without privacy.
        here += [e for e in self.entries if e.privacy == "none" and self.law.name in e.laws]
        knobs = dict.fromkeys((knob.key for knob in self.law.knobs), IN_BOUNDS)
        bounds = [entry.idle | knobs for entry in self.bounds if self.holds(entry)]
        return shared([*(of_need(e.idle(self.law)) for e in dict.fromkeys(here)), *bounds])

    @property
    def sizeless(self) -> bool:
        """Whether d means nothing on the distribution, whichever learners are shown."""
        return "d" in self.law.idle and "d" in self.idle([entry.name for entry in self.entries])

    def settings(self, *without: str) -> dict[str, Any]:
        """Return the setting as keyword arguments, without those that an axis replaces."""
        setting = {
            "d": self.d, "epsilon": self.epsilon, "alpha": self.alpha, "beta": self.beta,
            "delta": self.delta,
        }  # fmt: skip
        for name in without:
            setting.pop(name, None)  # m is none of them
        return setting

    def simulation(self) -> dict[str, int]:
        """Return trials and seed as keyword arguments."""
        return {"trials": self.trials, "seed": self.seed}
