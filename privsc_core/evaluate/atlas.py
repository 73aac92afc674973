"""Every bound of the catalog as one list; their numbers at one setting, and their curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from privsc_core import progress
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.concepts.contracts import Bound
from privsc_core.evaluate.bounds import bound
from privsc_core.literature.documents import documents
from privsc_core.literature.papers import papers

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import ConceptClass, Learner
    from privsc_core.literature.documents import Erratum, Later


@dataclass(frozen=True)
class Entry:
    """One bound of one class, or a later result that is named and not computed.

    Attributes
    ----------
    concept : ConceptClass
    bound : Bound or Later
    """

    concept: ConceptClass
    bound: Bound | Later

    @cached_property
    def key(self) -> str:
        """Its name in links, unique among all: the class, and the bound."""
        # A dot separates the words of a list.
        return f"{self.concept.name}-{self.bound.name}".replace(".", "-")

    @property
    def computed(self) -> Bound | None:
        """The bound, where it is computed here."""
        return self.bound if isinstance(self.bound, Bound) else None

    @property
    def learners(self) -> tuple[Learner, ...]:
        """The learners of the class that it binds; none for what is not computed."""
        entry = self.computed
        return tuple(e for e in self.concept.learners if entry and entry.binds(e))

    @property
    def privacies(self) -> frozenset[str]:
        """The privacy of the learners that it binds."""
        entry = self.bound
        if isinstance(entry, Bound):
            return frozenset(learner.privacy for learner in self.learners)
        return frozenset((entry.privacy,))

    @property
    def papers(self) -> tuple[str, ...]:
        """The keys of its source and of the papers that the source names."""
        source = self.bound.source
        named = (key for key, paper in papers().items() if paper.bibtex and key in source.place)
        return tuple(dict.fromkeys((source.paper, *named)))

    @property
    def year(self) -> int | None:
        """When it came out; None for what is ours."""
        return papers()[self.bound.source.paper].year

    @property
    def superseded_by(self) -> tuple[Later, ...]:
        """The later results that improve on it."""
        return tuple(e for e in self.concept.documents.later if self.bound.name in e.supersedes)

    @property
    def words(self) -> str:
        """What a search looks through."""
        entry, source = self.bound, self.bound.source
        said = entry.derivation if isinstance(entry, Bound) else entry.remark
        paper = papers()[source.paper]
        parts = (
            entry.title, entry.name, entry.kind, self.concept.title, self.concept.name,
            entry.applies_to, source.place, paper.key, paper.short, said,
        )  # fmt: skip
        return " ".join(parts).lower()


@dataclass(frozen=True, slots=True)
class Number:
    """A bound's number of samples at a setting, or why there is none.

    Attributes
    ----------
    m : int or None
    words : str
        The reason, or a remark on the number; may be empty.
    """

    m: int | None
    words: str


@cache
def entries() -> tuple[Entry, ...]:
    """Return every bound, class by class: first what is computed, then what came later."""
    found: list[Entry] = []
    for concept in (*CONCEPTS, *BESIDE):
        found += [Entry(concept, entry) for entry in concept.bounds]
        found += [Entry(concept, entry) for entry in concept.documents.later]
    return tuple(found)


@cache
def errata() -> tuple[Erratum, ...]:
    """Return every erratum: those about a class, in the order of the catalog, then the others."""
    return (
        *(one for concept in CONCEPTS for one in concept.documents.errata),
        *documents("privsc_core.literature", "errata.toml").errata,
    )


def numbers(
    *, d: int, epsilon: float, alpha: float, beta: float, delta: float
) -> dict[str, Number]:
    """Return the number of every bound that is computed, by its key, at one setting.

    Raises
    ------
    InputError
        For values outside their domain.
    """
    found = {}
    for entry in progress.steps(entries()):
        if entry.computed is None:
            continue
        one = bound(entry.computed, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
        m = None if math.isnan(float(one.m)) else int(one.m)
        found[entry.key] = Number(m, str(one.reason) or str(one.note))
    return found
