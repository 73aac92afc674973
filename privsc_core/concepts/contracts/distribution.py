"""What a distribution is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.errors import InputError
from privsc_core.numerics.text import exact, whole
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    from privsc_core.concepts.contracts.settings import Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.literature.papers import Source
    from privsc_core.parameters import Word


@dataclass(frozen=True, slots=True)
class Knob:
    """A parameter of a distribution, in the order of its label ``name(first,second,word)``.

    Attributes
    ----------
    key : str
        The attribute that holds it, and its key in links.
    symbol, meaning : str
        For controls and refusals.
    low, high : float
        The ends of its domain, both included.
    default : float, str or tuple of float
        What the plain name stands for; a tuple where the parameter is so many numbers.
    integer : bool
        Whether it is a whole number.
    words : mapping of str to str
        Where it is no number, what it may be and what that means; such knobs come last.
    """

    key: str
    symbol: str
    meaning: str
    low: float
    high: float
    default: float | str | tuple[float, ...]
    integer: bool = True
    words: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, word: Word) -> Knob:
        """Return the knob of a declared parameter that is a word."""
        return cls(word.key, word.name, word.meaning, 0.0, 0.0, word.default, words=word.words)

    @property
    def requirement(self) -> str:
        """What a value must be, as an error message says it."""
        if self.words:
            return f"must have as {self.symbol} one of {', '.join(self.words)}"
        kind = "a whole number " if self.integer else ""
        return f"must have {kind}{self.symbol} from {self.low:.10g} to {self.high:.10g}"

    @property
    def count(self) -> int:
        """How many values it takes."""
        return len(self.default) if isinstance(self.default, tuple) else 1

    def read(self, text: float | str) -> float | str | tuple[float, ...]:
        """Return a value, of several numbers from their text: ``3,1,0``; refuse too few and too many."""
        if not isinstance(self.default, tuple) or not isinstance(text, str):
            return text
        found = tuple(map(float, text.split(","))) if text else self.default
        if len(found) != self.count:
            needs = f"must have {self.count} {self.meaning}"
            raise InputError("distribution", needs, len(found))
        return found

    def valid(self, value: float | str) -> float | str | None:
        """Return a value in its normal form, None where it is not one."""
        if isinstance(value, str):
            return value if value in self.words else None
        if not self.low <= value <= self.high or (self.integer and value != int(value)):
            return None
        return int(value) if self.integer else value


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else exact(value)


def _flat(values: Iterable[float | str | tuple[float, ...]]) -> list[float | str]:
    """Return the values of all parameters in one list."""
    return [one for value in values for one in (value if isinstance(value, tuple) else (value,))]


class Distribution(ABC):
    """A target concept and a distribution on the domain, for every d.

    Attributes
    ----------
    name, title : str
        The fixed name and what a person calls it.
    source : Source
        Where it comes from.
    meaning : str
        What it is, in words.
    brief : str
        The same in half a line, below figures; may be empty.
    idle : mapping of str to str
        Which parameters it does not depend on, each with the reason as a clause, so that they cannot
        change the success of a learner that does not read them itself (`Learner.reads`).
    depends_on_d : bool
        Whether it is another problem at every d, so that numbers of samples over d compare
        nothing.
    steps_to : float
        Up to which d an error has so few values that success may rise with d: 0 for none, infinity for
        every d.
    few_points : bool
        Whether it lives on a few points whatever d is, so that a large sample is small to keep.
    ordered : bool
        Whether concepts follow the order of the points: a sample of many points is then shown
        along the domain, in bins.
    knobs : tuple of Knob
        The parameters of its family.
    realizable : bool
        Whether some concept gives all labels. Where none does upper bounds promise nothing, and a
        learner may succeed less with more examples or a larger epsilon: it says so itself.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[Source]
    meaning: ClassVar[str]
    brief: ClassVar[str] = ""
    idle: ClassVar[Mapping[str, str]] = {}
    depends_on_d: ClassVar[bool] = False
    few_points: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    knobs: ClassVar[tuple[Knob, ...]] = ()
    realizable: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """The name with its parameters, as it is typed; without those at their defaults."""
        values = [getattr(self, knob.key) for knob in self.knobs if not knob.words]
        while values and values[-1] == self.knobs[len(values) - 1].default:
            values.pop()
        texts = list(map(_text, _flat(values)))
        words = [(getattr(self, knob.key), knob.default) for knob in self.knobs if knob.words]
        texts += [word for word, usual in words if word != usual]
        return f"{self.name}({','.join(texts)})" if texts else self.name

    def words(self) -> dict[str, str]:
        """Return what records say of it beside its label: its parameters that are words."""
        return {knob.symbol: getattr(self, knob.key) for knob in self.knobs if knob.words}

    def worded(self, word: Word, value: str) -> Distribution:
        """Return the member of the family with another word, or refuse one that is not its own."""
        knob = next((knob for knob in self.knobs if knob.key == word.key), None)
        if value not in word.words:
            raise InputError(word.name, word.requirement, value)
        if knob is not None:
            return replace(self, **{knob.key: value})  # type: ignore[type-var] # families are dataclasses
        if self.words().get(word.name) == value:
            return self
        raise InputError(word.name, f"must not be given for {self.label}", value)

    def resized(self, *values: float | str | tuple[float, ...]) -> Distribution:
        """Return the member of the family that is written ``name(value,…)``, or refuse.

        A word belongs to the first parameter that is a word and has none yet; a parameter of several
        numbers takes so many.

        Raises
        ------
        InputError
            For more values than the family has, and values outside their domains.
        """
        found: dict[str, Any] = {knob.key: knob.default for knob in self.knobs}
        given = _flat(values)
        for worded in (False, True):
            rest = [value for value in given if isinstance(value, str) == worded]
            for knob in self.knobs:
                if not rest or bool(knob.words) != worded:
                    continue
                mine = [knob.valid(value) for value in rest[: knob.count]]
                if None in mine:
                    value = rest[mine.index(None)]
                    raise InputError("distribution", knob.requirement, _text(value))
                if len(mine) < knob.count:
                    needs = f"must have {knob.count} {knob.meaning}"
                    raise InputError("distribution", needs, len(mine))
                found[knob.key] = tuple(mine) if isinstance(knob.default, tuple) else mine[0]
                del rest[: knob.count]
            if rest:
                raise InputError("distribution", self._most(worded=worded), _text(rest[0]))
        # Families are dataclasses.
        return replace(self, **found) if found else self  # type: ignore[type-var]

    def _most(self, *, worded: bool) -> str:
        most = sum(knob.count for knob in self.knobs if bool(knob.words) == worded)
        kind = "word" if worded else "number"
        return f"must be {self.name} " + (
            f"with at most {most} {kind}s" if most else f"without a {kind}"
        )

    @abstractmethod
    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""

    @abstractmethod
    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha.

        A mass that is stated to be "just above alpha" counts as more than alpha.
        """

    def target(self, d: int) -> int | None:
        """Return the number of the target concept, where there is one that has a number."""
        return None

    def name_of(self, point: int, d: int) -> str:
        """Return what a reader sees for a point of a sample of d bits."""
        return whole(point, d)

    def error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the true error exactly, a mass "just above alpha" as alpha; 1 for ⊥.

        None where it would take too long, or is not known for such a hypothesis. `m` matters
        only where what is estimated has a size, as a database has.
        """
        if hypothesis is FAILURE:
            return Fraction(1)
        return self._error(hypothesis, m=m, d=d, alpha=alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a hypothesis other than ⊥."""
        return None

    def easiest(self, hard: Setting, easy: Setting) -> Setting | None:
        """Return a setting with at least the success of any between two; None where that may be 1.

        The two have one cell and differ in one parameter alone; the first demands more. It holds for a
        learner whose success never rises as a parameter demands more, except by the steps of the
        distribution. Here nothing is known of two settings with steps between them.
        """
        bits = easy.d.item()
        return easy if bits == hard.d.item() or bits > self.steps_to else None

    @property
    def steps_to(self) -> float:
        """Up to which d success may rise with d."""
        return 0.0

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the distribution exists."""
        return 1

    @property
    def most_d(self) -> int:
        """The largest number of bits at which it is simulated, the whole domain of d mostly."""
        return int(parameter("d").high)

    @abstractmethod
    def check(self, *, d: int, alpha: float) -> None:
        """Refuse, by `InputError`, a d at which the distribution does not exist."""
