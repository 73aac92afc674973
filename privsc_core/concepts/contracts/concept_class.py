"""What a concept class is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privsc_core.certify.routes import Routes
from privsc_core.concepts.contracts.style import completed, dashed
from privsc_core.literature.wording import told
from privsc_core.parameters import Parameter, parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.concepts.contracts.bound import Bound
    from privsc_core.concepts.contracts.distribution import Distribution
    from privsc_core.concepts.contracts.learner import Learner
    from privsc_core.concepts.contracts.style import Style
    from privsc_core.errors import InputError
    from privsc_core.literature.landscape import Contest, Exchange, Gap, Line
    from privsc_core.literature.statements import Later, Slip

__all__ = ["ConceptClass"]


@dataclass(frozen=True)
class ConceptClass:
    """A concept class with all that is known about it.

    Attributes
    ----------
    name, title, symbol, definition : str
        The fixed name, what a person calls it, its symbol and its definition in Markdown.
    learners, bounds, distributions : tuple
        What is known, in the order in which it is listed.
    variant : callable, optional
        Text in parentheses behind the name -> the member of the family of classes.
    unit : str
        What m counts.
    criterion : str
        What is adjacent and what success is, in Markdown.
    lines, gaps : tuple
        What it puts on the map of all classes; a class may have none.
    slack_lines, exchanges : tuple
        What it puts on the page about δ, likewise: lines with the role "delta" have the slack of
        the page, all others none.
    contest : Contest, optional
        Its learners against its distributions, on the same page.
    slips : tuple of Slip
        What was found to correct in what the papers say about the class.
    later : tuple of Later
        Results about the class that are named and not computed, the oldest first.
    size : Parameter
        What its one size parameter is called here, and its first value: always named, and typed,
        as ``d``, whatever it counts.
    certified : Routes
        Which of its numbers can be recomputed with proof, and how.
    """

    name: str
    title: str
    symbol: str
    definition: str
    learners: tuple[Learner, ...]
    bounds: tuple[Bound, ...]
    distributions: tuple[Distribution, ...] = field(default=())
    variant: Callable[[str], ConceptClass] | None = None
    unit: str = "labelled examples"
    criterion: str = (
        "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when "
        "its error is at most α; mass “α” on a target stands for just above α, so missing it "
        "fails."
    )
    lines: tuple[Line, ...] = ()
    gaps: tuple[Gap, ...] = ()
    slack_lines: tuple[Line, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    contest: Contest | None = None
    slips: tuple[Slip, ...] = ()
    later: tuple[Later, ...] = ()
    size: Parameter = field(default_factory=lambda: parameter("d"))
    certified: Routes = field(default_factory=Routes)

    def __post_init__(self) -> None:
        """Refuse a class that lists a name twice, or a line or gap of what it does not have."""
        bounds = [entry.name for entry in self.bounds] + [entry.name for entry in self.later]
        listed, laws = ([e.name for e in es] for es in (self.learners, self.distributions))
        for names in (listed, bounds, laws):
            if len(set(names)) < len(names):
                raise ValueError(f"{self.name} lists a name twice: {names}")
        learners = {entry.name for entry in self.learners}
        known = {"learner": learners, "bound": {entry.name for entry in self.bounds}}
        drawn = {line.key for line in self.lines}
        for line in (*self.lines, *self.slack_lines):
            if line.name not in known[line.kind] or not learners.issuperset(line.shown):
                raise ValueError(f"{self.name} has a line of what it does not have: {line.key}")
        if not learners.issuperset(n for pair in self.exchanges for n in (pair.pure, pair.slack)):
            raise ValueError(f"{self.name} trades learners that it does not have")
        if self.contest and not learners.issuperset(self.contest.learners):
            raise ValueError(f"{self.name} compares learners that it does not have")
        for gap in self.gaps:
            if not drawn.issuperset((gap.low, gap.high)):
                raise ValueError(
                    f"{self.name} has a gap between lines it does not have: {gap.name}"
                )

    def parameter(self, name: str) -> Parameter:
        """Return the declaration of a parameter as this class means it."""
        return self.size if name == self.size.name else parameter(name)

    def refusal(self, error: InputError) -> str:
        """Return the sentence of bad input to a reader, with the symbol that the size has in this class."""
        return told(error, self.size.name, self.size.symbol)

    def mapped(self, distribution: str) -> str:
        """Return whom a map shows unless told: the first private learner with an exact law, if any.

        Else any learner with one, and else the first private one.
        """
        private = [entry for entry in self.learners if entry.privacy != "none"]
        every = [entry for entry in self.learners if entry.laws.get(distribution) == "exact"]
        exact = [entry for entry in private if entry in every]
        return (exact or every or private)[0].name

    @property
    def labelled(self) -> bool:
        """Whether there are labels to learn; without them nothing has an error or a proper form."""
        return any(entry.labelled for entry in self.learners)

    def style_of(self, learner: str) -> Style:
        """Return how a learner of the class is drawn: as it declares, or as no other one is."""
        styles = completed([entry.style for entry in self.learners])
        return styles[[entry.name for entry in self.learners].index(learner)]

    def dash_of(self, bound: str) -> str:
        """Return the dash of a bound: as it declares, or as no other one beside it has."""
        own = next(entry for entry in self.bounds if entry.name == bound)
        beside = [e for e in self.bounds if (e.kind, e.constants) == (own.kind, own.constants)]
        return dashed(own.kind, [entry.dash for entry in beside])[beside.index(own)]
