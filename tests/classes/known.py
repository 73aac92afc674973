"""What a module about a class may say. Each field stands beside the suite that asks for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Target(ABC):
    """The targets of some distributions and these distributions, from their definitions."""

    @abstractmethod
    def truth(self, distribution, d):
        """Return the target concept, as a function of the point."""

    @abstractmethod
    def critical(self, distribution, d):
        """Return the points at which a hypothesis that is nearly the target may err."""

    @abstractmethod
    def masses(self, distribution, d, alpha):
        """Return {point: (mass, slope)}: the mass is value + slope * (something infinitesimal)."""

    def wrong(self, distribution):
        """Return the probability that a label is not the target's."""
        del distribution
        return 0.0

    @abstractmethod
    def concepts(self, d):
        """Return concepts as hypotheses, the target among them."""

    @abstractmethod
    def read(self, number):
        """Return the hypothesis that an enumerated whole number is."""

    def small(self, distribution):
        """Return values with which a family of distributions fits into tiny domains."""
        del distribution
        return ()


@dataclass(frozen=True, kw_only=True)
class Known:
    """All of it has a default; what a class cannot do without says `missing`.

    Attributes
    ----------
    targets : mapping of type to Target
        Of the distributions that are the class's own.
    continuum : set of distributions
        Those that live on no grid: nobody can list their points, and `enumerators` say what the
        learners do there.
    own_grid : set of distributions
        Those of the continuum whose points have a grid that does not follow d.
    alpha_most : float
        Above it no distribution of the class need exist.
    is_concept : callable
        Row of labels -> whether it is a concept of the class.
    enumerating : mapping of learner to (int, str)
        The largest d of the learners' suite at which it can list what it lists, and what it says
        above that.
    least_alpha : mapping of learner to float
        Below it the learner refuses to run.
    capped : set of learners
        Whose caveat names the limit of their law.
    shown_apart : set of learners
        Those whose runs are taken apart in a test of their own, as the usual settings are too large.
    enumerators : mapping of learner to callable
        What sums over samples and outputs, where outputs are no label rows or concepts.
    variants, quick : mapping of learner to list, to learner
        What is enumerated, and what is simulated, in its place.
    public_coins : mapping of learner to callable
        (d, alpha, rng) -> the table of labels that it draws first; averaged by simulation.
    tiny_bits : tuple of int
        Domains that are enumerated.
    most_bits : mapping of learner to int
        The largest of them that it lists in time.
    holds : mapping of bound to callable
        (m, d, epsilon, alpha, beta) -> whether m samples are allowed (lower) or suffice (upper), in
        fifty digits: an independent route for every bound that has a number.
    binds : mapping of lower bound to callable
        Learner -> whether the bound speaks of it.
    changed : callable
        (m, alpha) -> in how many entries the databases of its packing bound differ, where that is
        always the same number.
    searched : mapping of bound to float
        The best of a grid: another grid may find this share more.
    without_limit : set of bounds
        Those with sharp constants that say nothing at a given m.
    thinned, slow : mapping of bound or learner to int
        Only every so-manieth setting of the sandwich, as they take milliseconds each.
    weaker : mapping of (bound, bound) to callable
        The first number is never above the second, but for settings that the callable excuses.
    slack : mapping of bound to float
        The delta with which those are asked that say nothing without one.
    referee : object
        The tiny games of the class, see `tests.referee.classes`.
    cards : (learners, bounds)
        Whose numbers the page's cards show.
    whom : mapping of bound to str
        Whom a card "impossible below" says that it binds.
    defaults : mapping of str to value
        Golden: the defaults of the page's own keys in a link of version 1.
    now : mapping of str to value
        Golden: those of them that an address without parameters shows differently.
    rich : str
        A query that unfolds what the page has, for the accessibility checks.
    moving : str
        A learner of the first view whose curve moves with d.
    moves_on : str
        The distribution on which it does, if not on the first.
    """

    targets: Mapping[type, Target] = field(default_factory=dict)
    continuum: frozenset[str] = frozenset()
    own_grid: frozenset[str] = frozenset()
    alpha_most: float = 1.0
    is_concept: Callable[[Sequence[int]], bool] | None = None
    enumerating: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    least_alpha: Mapping[str, float] = field(default_factory=dict)
    capped: frozenset[str] = frozenset()
    shown_apart: frozenset[str] = frozenset()
    enumerators: Mapping[str, Callable] = field(default_factory=dict)
    variants: Mapping[str, list] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    public_coins: Mapping[str, Callable] = field(default_factory=dict)
    tiny_bits: tuple[int, ...] = (1, 2, 3)
    most_bits: Mapping[str, int] = field(default_factory=dict)
    holds: Mapping[str, Callable] = field(default_factory=dict)
    binds: Mapping[str, Callable] = field(default_factory=dict)
    changed: Callable | None = None
    searched: Mapping[str, float] = field(default_factory=dict)
    without_limit: frozenset[str] = frozenset()
    thinned: Mapping[str, int] = field(default_factory=dict)
    slow: Mapping[str, int] = field(default_factory=dict)
    weaker: Mapping[tuple[str, str], Callable] = field(default_factory=dict)
    slack: Mapping[str, float] = field(default_factory=dict)
    referee: Any = None
    cards: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    whom: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    now: Mapping[str, Any] = field(default_factory=dict)
    rich: str = ""
    moving: str = ""
    moves_on: str = ""

    def missing(self, concept):
        """Return what the tests should know of a class and do not, in words."""
        lower = {b.name for b in concept.bounds if b.kind == "lower"}
        numbered = {b.name for b in concept.bounds if b.constants != "rate"}
        wanted = {
            "holds: an inequality of its own for every number without a certified route": (
                all(name in self.holds or concept.certified.certifies(name) for name in numbered)
            ),
            "binds: whom every lower bound with a number speaks of": (
                set(self.binds) == lower & numbered
            ),
            "is_concept: which rows of labels are concepts": (
                self.is_concept is not None or not concept.labelled
            ),
            "referee: its tiny games": self.referee is not None,
            "cards: whose numbers the page shows": bool(self.cards[0]),
            "whom: whom a card says that a lower bound binds": (
                set(self.whom) == lower & set(self.cards[1])
            ),
            "defaults: of the page's own keys": bool(self.defaults),
            "rich: a query that unfolds the page": bool(self.rich),
            "moving: a curve of the first view that moves with d": bool(self.moving),
        }
        return [words for words, there in wanted.items() if not there]
