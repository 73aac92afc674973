"""Every result that is ours as one list: statement, proof, how to check it, the nearest in the literature.

Ours is what the catalog says is: a learner, a bound or a correction whose source is ``ours``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.concepts.contracts import Bound, Learner
from privsc_core.literature.papers import mentioned
from privsc_core.numerics.text import capital

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import ConceptClass, Source
    from privsc_core.literature.documents import Erratum
    from privsc_core.literature.papers import Paper
    from privsc_core.records import Record

Kind = Literal["lower bound", "upper bound", "learner", "correction"]
KINDS: tuple[Kind, ...] = ("lower bound", "upper bound", "learner", "correction")

_UNKNOWN = "we know of no reference"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PRIVACY = {
    "none": "It protects no example.",
    "pure": "It is $\\varepsilon$-differentially private.",
    "approximate": "It is $(\\varepsilon, \\delta)$-differentially private.",
    "label": "It is $\\varepsilon$-differentially private for the labels; the points are public.",
}
# Where a success law is certified, and the slack of what needs one.
_AT, _SLACK = "-m 100 -d 16", " --delta 1e-6"
_SUITES = "tests/core/concepts/contracts tests/referee"


class Check(NamedTuple):
    """A command that checks a result, and what it shows."""

    shows: str
    command: str


@dataclass(frozen=True)
class Result:
    """A learner, a bound or a correction that is ours.

    Attributes
    ----------
    concept : ConceptClass
        The class that it is about.
    entry : Learner or Bound or Erratum
        What the catalog says of it.
    """

    concept: ConceptClass
    entry: Learner | Bound | Erratum

    @property
    def name(self) -> str:
        """Its name in commands; of a correction its key."""
        entry = self.entry
        return entry.name if isinstance(entry, Learner | Bound) else entry.key

    @cached_property
    def key(self) -> str:
        """Its name in links, unique among all."""
        # A dot separates the words of a list.
        kind = self.kind.replace(" ", "-")
        return f"{kind}-{self.concept.name}-{self.name}".replace(".", "-")

    @property
    def kind(self) -> Kind:
        """What it is."""
        entry = self.entry
        if isinstance(entry, Bound):
            return "lower bound" if entry.kind == "lower" else "upper bound"
        return "learner" if isinstance(entry, Learner) else "correction"

    @property
    def title(self) -> str:
        """What a person calls it."""
        return capital(self.entry.title)

    @property
    def formula(self) -> str:
        """The inequality of a bound, in LaTeX; else nothing."""
        return self.entry.statement if isinstance(self.entry, Bound) else ""

    @property
    def statement(self) -> str:
        """What is claimed in words, in Markdown with $LaTeX$."""
        entry = self.entry
        if isinstance(entry, Bound):
            valid = f" Valid {entry.validity}." if entry.validity else ""
            needed = (
                "Excluded is every m that violates it"
                if entry.kind == "lower"
                else "Every m that satisfies it suffices"
            )
            whom = "Binds" if entry.kind == "lower" else "Holds for"
            return f"{needed}. {whom} {entry.applies_to}.{valid}"
        if isinstance(entry, Learner):
            proper = (
                " Every answer is a concept of the class." if entry.proper else ""
            ) * entry.labelled
            return f"{entry.summary} {_PRIVACY[entry.privacy]}{proper}"
        return entry.correction

    @property
    def proof(self) -> str:
        """Why it holds, in Markdown with $LaTeX$."""
        return (
            self.entry.known_by
            if not isinstance(self.entry, Learner | Bound)
            else self.entry.derivation
        )

    @property
    def source(self) -> Source:
        """What it is made from."""
        return self.entry.source

    @property
    def nearest(self) -> str:
        """The nearest in the literature: what the source says of it, or the source itself if it names it."""
        return self.source.nearest or (self.source.place if _names(self.source.place) else "")

    @cached_property
    def papers(self) -> tuple[Paper, ...]:
        """The papers of the list that its source or the nearest in the literature names."""
        return mentioned(f"{self.source.place} {self.source.nearest}")

    @cached_property
    def certified(self) -> str:
        """The command whose answer is a certificate; nothing where no route is declared."""
        entry, routes = self.entry, self.concept.certified
        if isinstance(entry, Bound) and routes.certifies(entry.name):
            return f"privsc certify {self._who}{'' if entry.free_of_delta else _SLACK}"
        if isinstance(entry, Learner):
            laws = (law for name, law in routes.success if name == entry.name)
            if law := next(laws, ""):
                slack = "" if entry.free_of_delta else _SLACK
                return f"privsc certify {self._who} --distribution {law} {_AT}{slack}"
        return ""

    @property
    def checks(self) -> tuple[Check, ...]:
        """The commands that check it, the certificate's last."""
        entry, found = self.entry, []
        if isinstance(entry, Bound):
            slack = "" if entry.free_of_delta else _SLACK
            found.append(
                Check("The number at the default setting", f"privsc bound {self._who}{slack}")
            )
        elif not isinstance(entry, Learner):
            return (Check("A program that shows it", f"python assets/checks/{entry.key}.py"),)
        elif entry.privacy != "none" and entry.lists_outputs:
            slack = "" if entry.free_of_delta else _SLACK
            words = "Privacy, on all neighbouring samples of a tiny instance"
            # As many examples as are enumerated while a reader waits.
            few = f" -m {entry.shown_m}" if entry.shown_m else ""
            found.append(Check(words, f"privsc audit {self._who}{few}{slack}"))
        elif not self.certified:
            found.append(Check("Success at the default setting", f"privsc success {self._who}"))
        if self.concept in CONCEPTS:  # the suites know no other class
            named = f"{self.concept.name}-{entry.name}"
            words = "Tests against other ways to compute it"
            found.append(Check(words, f'python -m pytest {_SUITES} -k "{named}"'))
        if self.certified:
            found.append(
                Check("A certificate: digits with a proof, in ball arithmetic", self.certified)
            )
        return tuple(found)

    @property
    def _who(self) -> str:
        kind = "bound" if isinstance(self.entry, Bound) else "learner"
        return f"--concept {self.concept.name} --{kind} {self.name}"

    @property
    def words(self) -> str:
        """What a search looks through."""
        parts = (
            self.title, self.name, self.kind, self.concept.title, self.concept.name,
            self.statement, self.proof, self.source.place, self.nearest,
            *(paper.short for paper in self.papers),
        )  # fmt: skip
        return " ".join(parts).lower()

    def record(self) -> Record:
        """Return it as a record."""
        return {
            "concept": self.concept.name, "kind": self.kind, "name": self.name, "title": self.title,
            "statement": self.formula or None, "words": self.statement, "proof": self.proof,
            "source": self.source.place, "nearest": self.nearest,
            "checks": [check.command for check in self.checks],
            "certificate": self.certified or None,
        }  # fmt: skip


def _names(place: str) -> bool:
    """Return whether what a result is made from names the literature, or says that there is none."""
    return bool(mentioned(place) or _UNKNOWN in place or _YEAR.search(place))


def of_class(concept: ConceptClass) -> list[Result]:
    """Return what is ours about a class: lower bounds, upper bounds, learners, corrections."""
    entries: tuple[Learner | Bound | Erratum, ...] = (
        *concept.bounds,
        *concept.learners,
        *concept.documents.errata,
    )
    mine = (Result(concept, one) for one in entries if one.source.paper == "ours")
    return sorted(mine, key=lambda one: KINDS.index(one.kind))


@cache
def results() -> tuple[Result, ...]:
    """Return every result that is ours, class by class."""
    return tuple(one for concept in (*CONCEPTS, *BESIDE) for one in of_class(concept))
