"""What a concept class is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.contracts.notation import Notation
from privsc_core.concepts.contracts.style import BOUND_STYLES, HUES, RED, dashed, styled
from privsc_core.literature.wording import lacking, told
from privsc_core.parameters import Parameter, parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.routes import Routes
    from privsc_core.concepts.contracts.bound import Bound
    from privsc_core.concepts.contracts.distribution import Distribution
    from privsc_core.concepts.contracts.learner import Learner
    from privsc_core.concepts.contracts.style import Style
    from privsc_core.errors import InputError
    from privsc_core.literature.documents import Documents


_NAME_MOST = 60


@dataclass(frozen=True, slots=True)
class Words:
    """What a class calls what takes part; at first the words of learning.

    Attributes
    ----------
    learner, record, sample, output : str
        The algorithm, one of the m parts of its data, its data, and what it puts out.
    target, everywhere : str
        What an algorithm made for one case alone knows, and what all others must succeed on.
    error, success : str
        What the error measures, and what has happened when a run succeeds.
    """

    learner: str = "learner"
    record: str = "example"
    sample: str = "sample"
    output: str = "hypothesis"
    target: str = "target"
    everywhere: str = "for every target and every distribution"
    error: str = "true error"
    success: str = "the error of the hypothesis is at most α"

    @property
    def records(self) -> str:
        """Several parts of the data."""
        return f"{self.record[:-1]}ies" if self.record.endswith("y") else f"{self.record}s"


RELEASING = Words(
    learner="mechanism", record="entry", sample="database", output="release", target="database",
    everywhere="on every database", error="largest error", success="every answer is less than α off",
)  # fmt: skip
"""Where answers about the data are released, and nothing is learned."""


@dataclass(frozen=True)
class ConceptClass:
    """A concept class with all that is known about it.

    Attributes
    ----------
    name, title, symbol, definition : str
        The fixed name, what a person calls it, its symbol and its definition in Markdown.
    package : str
        Its folder, in which are `BOUNDS` of its `bounds`, and maybe `ROUTES` of its `certified`, `KINDS` of its
        `practice` and a `literature.toml`: errata, later results, lines of the map. Each is read when first asked for.
    learners, distributions : tuple
        What is known, in the order in which it is listed.
    variant : callable, optional
        Text in parentheses behind the name, or what stands for it -> the member of the family of classes.
    member : object, optional
        Of a family: what `bounds_of` and `routes_of` in its folder take to return those of this member.
    unit : str
        What m counts.
    words : Words
        What its algorithms, their data and their output are called.
    criterion : str
        What is adjacent and what success is, in Markdown.
    size : Parameter
        What its one size parameter is called here, and its first value: always named, and typed,
        as ``d``, whatever it counts.
    notation : Notation
        How a learner that somebody brings is told a point, and how it names a concept.
    called : tuple of (str, callable)
        What a formula may call the number that the size is the bits of, such as T = 2^d: its name, and size -> its
        logarithm to base 2.
    """

    package: str
    name: str
    title: str
    symbol: str
    definition: str
    learners: tuple[Learner, ...]
    distributions: tuple[Distribution, ...]
    variant: Callable[[Any], ConceptClass] | None = None
    member: Any = None
    unit: str = "labelled examples"
    words: Words = field(default_factory=Words)
    criterion: str = (
        "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when its error is at most "
        "α. Where a distribution is said to put mass α on a target, the mass is slightly above α, so a hypothesis "
        "that misses the target fails."
    )
    size: Parameter = field(default_factory=lambda: parameter("d"))
    notation: Notation = field(default_factory=Notation)
    called: tuple[tuple[str, Callable[[int], float]], ...] = (("T", float),)

    def __post_init__(self) -> None:
        """Refuse a class that lists a name twice; offer no size that no distribution has."""
        for entries in (self.learners, self.distributions):
            _refuse_twice(self.name, [entry.name for entry in entries])
        low, high = self.size.page
        low = max(low, min(entry.least_d for entry in self.distributions))
        high = min(high, max(entry.most_d for entry in self.distributions))
        object.__setattr__(self, "size", replace(self.size, page=(low, high)))

    def __str__(self) -> str:
        """Return its name."""
        return self.name

    @property
    def label(self) -> str:
        """Its name for a file; the digest of a long one."""
        if len(self.name) <= _NAME_MOST:
            return self.name
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:12]
        return f"{self.name.partition('(')[0]}-{digest}"

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Its bounds, in the order in which they are listed."""
        found: tuple[Bound, ...] = self._declared("bounds", "bounds")
        _refuse_twice(self.name, [entry.name for entry in found])
        return found

    @cached_property
    def certified(self) -> Routes:
        """Which of its numbers can be recomputed with proof, and how; none where no file says so."""
        from privsc_core.certify.routes import Routes  # noqa: PLC0415 - most numbers need none

        if find_spec(f"{self.package}.certified") is None:
            return Routes()
        found: Routes = self._declared("certified", "routes")
        return found

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """Its own kinds of questions to readers, each an `ExerciseKind`; none where no file has some."""
        if find_spec(f"{self.package}.practice") is None:
            return ()
        return tuple(import_module(f"{self.package}.practice").KINDS)

    @cached_property
    def documents(self) -> Documents:
        """What is written about the class."""
        from privsc_core.literature.documents import documents  # noqa: PLC0415 - numbers need none

        return self.checked(documents(self.package))

    def _declared(self, file: str, what: str) -> Any:
        module = import_module(f"{self.package}.{file}")
        if self.member is None:
            return getattr(module, what.upper())
        return getattr(module, f"{what}_of")(self.member)

    def checked(self, found: Documents) -> Documents:
        """Return documents again if they are about learners, bounds and lines that the class has.

        Raises
        ------
        ValueError
            If they are not.
        """
        bounds, learners = ([e.name for e in entries] for entries in (self.bounds, self.learners))
        _refuse_twice(self.name, [*bounds, *(entry.name for entry in found.later)])
        keys = {f"learner-{name}" for name in learners} | {f"bound-{name}" for name in bounds}
        for line in found.lines:
            if line.key not in keys or not set(line.shown) <= set(learners):
                raise ValueError(f"{self.name} has a line of what it does not have: {line.key}")
        traded = {name for pair in found.exchanges for name in (pair.pure, pair.slack)}
        if not traded.union(found.contest.learners if found.contest else ()) <= set(learners):
            raise ValueError(f"{self.name} trades or compares learners that it does not have")
        drawn = {line.key for line in found.on("map")}
        for gap in found.gaps:
            if not {gap.low, gap.high} <= drawn:
                raise ValueError(
                    f"{self.name} has a gap between lines it does not have: {gap.name}"
                )
        return found

    def beside(self, *more: Learner) -> ConceptClass:
        """Return the class with more learners, after its own."""
        return replace(self, learners=(*self.learners, *more))

    @property
    def only_size(self) -> int | None:
        """Its size, where it has no other: then nothing is drawn against d, and d may be left out."""
        low, high = self.size.page
        return int(low) if low == high else None

    def parameter(self, name: str) -> Parameter:
        """Return the declaration of a parameter as this class means it."""
        return self.size if name == self.size.name else parameter(name)

    def refusal(self, error: InputError) -> str:
        """Return the sentence of bad input to a reader, with the symbol that the size has in this class."""
        return told(error, self.size.name, self.size.symbol)

    def lacking(self, error: InputError) -> str:
        """Return bad input as a remark in a table, with the symbol of the size: "needs δ > 0"."""
        return lacking(error, self.size.name, self.size.symbol)

    def mapped(self, distribution: str) -> str:
        """Return the default learner of a map: the first private one with an exact law, if any.

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

    @property
    def unlisted(self) -> str:
        """What is said of a kind of learner that a reader may miss; empty where none is missing."""
        pure = [entry for entry in self.learners if entry.labelled and entry.privacy == "pure"]
        if not pure or not all(entry.proper for entry in pure):
            return ""
        return (
            "No improper learner with pure privacy is listed: we know of none that needs fewer examples than the "
            "proper ones."
        )

    def style_of(self, learner: str) -> Style:
        """Return how a learner of the class is drawn, in all figures."""
        styles = styled(tuple([entry.role for entry in self.learners]))
        return styles[[entry.name for entry in self.learners].index(learner)]

    def bound_style(self, bound: str) -> Style:
        """Return how a bound is drawn, with a dash that no other one beside it has.

        A lower bound has the red of what is impossible, an upper one the hue of its learner.
        """
        own = next(entry for entry in self.bounds if entry.name == bound)
        beside = [e for e in self.bounds if (e.kind, e.constants) == (own.kind, own.constants)]
        dash = dashed(own.kind, tuple([entry.dash for entry in beside]))[beside.index(own)]
        hues = [HUES[e.role] for e in self.learners if own.kind == "upper" and own.binds(e)]
        return replace(BOUND_STYLES[own.kind], colour=(hues or [RED])[0], dash=dash)


def _refuse_twice(concept: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise ValueError(f"{concept} lists a name twice: {names}")
