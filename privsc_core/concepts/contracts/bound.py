"""What a bound is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts.idle import ALONE, IN_BOUNDS
from privsc_core.concepts.contracts.settings import Sized

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts.distribution import Distribution
    from privsc_core.concepts.contracts.learner import Learner
    from privsc_core.concepts.contracts.settings import (
        Adjacency,
        Cell,
        Constants,
        Demand,
        Kind,
        Privacy,
        Setting,
    )
    from privsc_core.concepts.shared.boxes import Boxes
    from privsc_core.literature.papers import Source


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A number of samples, or the reason why there is none.

    For a lower bound `m` is the least whole number not excluded (at least 1); for an upper
    bound the least whole number that the theorem guarantees to suffice.
    """

    m: int | None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Whom:
    """The learners that a bound binds: all that meet every condition.

    Attributes
    ----------
    name : str
        The name of the only learner that is bound; empty where names do not matter.
    privacy : tuple of {"none", "pure", "approximate", "label"}
        The kinds of privacy that are bound; empty for all of them.
    proper, efficient : bool
        Whether only proper, or only efficient, learners are bound.
    unlabelled : bool
        Whether learners that take unlabelled examples are bound as well.
    """

    name: str = ""
    privacy: tuple[Privacy, ...] = ()
    proper: bool = False
    efficient: bool = False
    unlabelled: bool = True

    def has(self, learner: Learner) -> bool:
        """Return whether a learner meets every condition."""
        return (
            self.name in {"", learner.name}
            and (not self.privacy or learner.privacy in self.privacy)
            and (learner.proper or not self.proper)
            and (learner.efficient or not self.efficient)
            and (self.unlabelled or not learner.unlabelled)
        )


@dataclass(frozen=True)
class Bound(Sized, ABC):
    """A bound on the number of samples: described, and evaluated at one setting.

    Attributes
    ----------
    name, title : str
        The fixed name and what a person calls it.
    source : Source
        Where it comes from.
    kind : {"lower", "upper"}
        Which side it bounds.
    constants : {"sharp", "paper", "rate"}
        "sharp": ours with derivation, where the source is ours. "paper": as in the paper's proof. "rate":
        a bound that sets this has no number.
    completed : str
        Where the constants are the paper's: what it leaves open and is ours; mostly empty.
    statement : str
        The inequality in LaTeX.
    derivation : str
        Why it holds, in Markdown with $LaTeX$.
    applies_to : str
        Which learners it binds, in words.
    applies_briefly : str
        The same in at most sixty letters, for a figure; empty where `applies_to` is no longer.
    whom : Whom
        The same as a value. A bound with a `binds` of its own needs none.
    validity : str
        Where it is proved, as the end of "Valid …"; where empty, at every setting.
    legend : str
        How a picture's legend says it; the title, where empty.
    shaded : bool
        Whether pictures shade it and reach as far as it, instead of leaving it to the legend.
    thin : bool
        Whether a sharper bound of the same argument stands beside it: pictures then draw it thin.
    on_demand : bool
        Whether it lies on the curve of the non-private learner: pictures then draw it on demand, or not.
    dash : str
        How its line is broken, in Plotly's words; its colour says its kind. Empty for what is
        left among the bounds beside it.
    proved_on : tuple of str
        For a lower bound the distributions on which it is proved: on average over the targets no
        learner that it binds does better there, at the settings that `reaches` tells. For a single
        target, which it may just know, a learner may do better anywhere. Upper bounds hold on every
        distribution, or on what `applies_to` says. A lower bound with none here and in `shown_on` is
        proved on distributions that the catalog has not, and stands in no picture of a distribution.
    shown_on : tuple of str
        Further distributions in whose pictures a lower bound stands. It is proved for the worst
        case, which is not these; no learner of the class passes it there, another one might.
    promised_on : tuple of str
        Of an upper bound the distributions of the catalog that its promise speaks of; empty for all of them.
    only_on : str
        Of an upper bound that does not hold on every distribution: on which ones it holds, in words.
    packs : bool
        Whether its proof packs disjoint sets of answers: then `boxes` tells them.
    without : tuple of str
        Which of d, epsilon, alpha, beta and delta its number never depends on, where it says
        something; without the slack one computation serves every one.
    falls_with_d : str
        Of a lower bound why it may ask for less at a larger d, as a clause. Where it is empty the class
        at d holds those at smaller ones, and what is proved of these is said of it too. That it never rises
        with epsilon, alpha, beta or delta needs no word: what learns with less has learned with more.
    adjacency : {"full", "label"}
        Of a lower bound for private learners: which samples its proof compares. One for learners
        that protect the labels alone (`label`) binds fully private ones as well; one for those
        (`full`) says nothing about the others.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[Source]
    kind: ClassVar[Kind]
    statement: ClassVar[str]
    derivation: ClassVar[str]
    applies_to: ClassVar[str]
    applies_briefly: ClassVar[str] = ""
    whom: ClassVar[Whom]
    validity: ClassVar[str] = ""
    completed: ClassVar[str] = ""
    legend: ClassVar[str] = ""
    shaded: ClassVar[bool] = False
    thin: ClassVar[bool] = False
    on_demand: ClassVar[bool] = False
    dash: ClassVar[str] = ""
    proved_on: ClassVar[tuple[str, ...]] = ()
    shown_on: ClassVar[tuple[str, ...]] = ()
    promised_on: ClassVar[tuple[str, ...]] = ()
    only_on: ClassVar[str] = ""
    packs: ClassVar[bool] = False
    without: ClassVar[tuple[str, ...]] = ("delta",)
    falls_with_d: ClassVar[str] = ""
    adjacency: ClassVar[Adjacency] = "full"

    def binds(self, learner: Learner) -> bool:
        """Return whether the bound speaks about this learner."""
        return self.whom.has(learner)

    @property
    def free_of_delta(self) -> bool:
        """Whether the slack is nothing to it."""
        return "delta" in self.without

    @property
    def idle(self) -> dict[str, str]:
        """What cannot change its number, each parameter with the reason as a clause."""
        own = dict.fromkeys(self.without, IN_BOUNDS)
        return own | dict.fromkeys(("u", "trials", "seed", "distribution", "target"), ALONE)

    @property
    def constants(self) -> Constants:
        """Whose constants these are."""
        return "sharp" if self.source.paper == "ours" else "paper"

    @property
    def origin(self) -> str:
        """Whose constants these are, in a word of the glossary."""
        if self.constants == "sharp":
            return "ours"
        return "paper, in part" if self.completed else self.constants

    @property
    def valid_on(self) -> tuple[str, ...]:
        """The distributions in whose pictures a lower bound may stand."""
        return (*self.proved_on, *self.shown_on)

    def holds_on(self, distribution: Distribution, at: Cell) -> bool:
        """Return whether it belongs in pictures of this distribution, at this setting.

        Upper bounds do on what they promise something on, if a concept fits all examples there;
        lower bounds on what they are proved or shown on, where they reach it.
        """
        if self.kind == "upper":
            return self.covers(distribution)
        return distribution.name in self.valid_on and self.reaches(distribution, at)

    def covers(self, distribution: Distribution) -> bool:
        """Return whether an upper bound promises something on a distribution: a concept fits all examples there."""
        named = not self.promised_on or distribution.name in self.promised_on
        return named and distribution.realizable

    def passed(self, learner: Learner, distribution: Distribution) -> bool:
        """Return whether a learner may do better on a distribution on which nothing is proved."""
        name = distribution.name
        return self.binds(learner) and name in self.shown_on and name in learner.eased

    def reaches(self, _distribution: Distribution, _at: Cell, /) -> bool:
        """Return whether it stands at a setting, on a distribution of `valid_on`.

        The setting matters where the bound is proved on other distributions and follows on this
        one at some settings only.
        """
        return True

    @abstractmethod
    def least(self, at: Cell, /) -> BoundValue:
        """Return the bound's number of samples at one setting."""

    def leasts(self, cells: Sequence[Cell], /) -> list[BoundValue]:
        """Return `least` at several settings: here one after the other."""
        return [self.least(at) for at in cells]

    def over(self, at: Cell, m: int, /) -> float | None:
        """Return by how much m exceeds the number: negative, too few; None where there is none.

        It rises with m; its unit is the bound's own.
        """
        found = self.least(at).m
        return None if found is None else 0.0 if found == m else math.log(m) - math.log(found)

    def eases(self, _wanted: Demand, /) -> bool:
        """Return whether its number never grows as a parameter demands less, where it has one.

        That is as d falls, or epsilon, alpha or beta grows, whatever the rest is.
        """
        return True

    def at_best(self, _wanted: Demand, /) -> Callable[[Cell, Cell, int], float] | None:
        """Return what tells how much `over` is at most between two cells, as `Learner.at_best`.

        The second one demands less. None where no such function is known.
        """
        return None

    def limit(self, _setting: Setting, /) -> NDArray[np.float64] | None:
        """Return the success probability that the bound allows (lower) or promises (upper).

        None where the bound says nothing about probabilities at a given m.
        """
        return None

    def boxes(self, _at: Cell, /) -> Boxes | None:
        """Return what the proof packs at a setting; None where it says nothing there."""
        return None
