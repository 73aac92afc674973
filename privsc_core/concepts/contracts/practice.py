"""What a question is that a reader answers: a number or one of a few choices, all computed at a setting.

A kind of question has a name, which stands in lecture files, and a function that makes a question of a
setting. The kinds that fit every class are in `privsc_core.practice`; a class that has kinds of its own lists
them as `KINDS` in `practice.py` of its folder.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from privsc_core.numerics.text import raised, small

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from privsc_core.concepts.contracts.bound import Bound
    from privsc_core.concepts.contracts.concept_class import ConceptClass
    from privsc_core.concepts.contracts.distribution import Distribution
    from privsc_core.concepts.contracts.learner import Learner
    from privsc_core.concepts.contracts.settings import Cell
    from privsc_core.parameters import Wanted

MOST = 6  # choices
# A number that was predicted is right if it is at most this factor off.
NEAR = 1.25
# Two numbers nearer to one another than this are one answer.
_SAME = 1.05
T = TypeVar("T")


class Choice(NamedTuple):
    """One answer to choose.

    Attributes
    ----------
    text : str
        What stands on it.
    said : str
        What it would mean, and why it is right or wrong: shown when it was chosen.
    value : hashable
        The answer as a number, a name or a truth value; numbers are ordered by it.
    """

    text: str
    said: str
    value: Hashable


class Mistake(NamedTuple):
    """A number that a reader may predict by a mistake, and which mistake that is."""

    number: float
    said: str


class Verdict(NamedTuple):
    """Whether an answer is right, and what is said of it."""

    right: bool
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A question to a reader, with its answer; every text is plain, without markup.

    Attributes
    ----------
    kind : str
        The name of its kind.
    sentence : str
        The question.
    choices : tuple of str
        From 2 to 6, all different; none where a number is asked for.
    right : int or None
        The place of the right choice; None where a number is asked for.
    feedback : tuple of str
        For each choice what it would mean, and why it is right or wrong; where a number is asked for, one
        sentence about the right one.
    number : float or None
        The right number, where one is asked for.
    where : str
        The view of the figure, or the part of the page, that shows the answer.
    values : tuple of hashable
        What the choices are as numbers, names or truth values.
    mistakes : tuple of Mistake
        Wrong numbers that a reader may predict.
    about : mapping
        What the question speaks of: names, and the numbers in it.
    """

    kind: str = ""
    sentence: str
    choices: tuple[str, ...] = ()
    right: int | None = None
    feedback: tuple[str, ...]
    number: float | None = None
    where: str = ""
    values: tuple[Hashable, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def verdict(self, answer: float) -> Verdict:
        """Return what is said of an answer: the place of a choice, or a number."""
        if self.number is None:
            place = int(answer)
            return Verdict(place == self.right, self.feedback[place])
        said, off = self.feedback[0], _factor(answer, self.number)
        if off <= NEAR:
            return Verdict(right=True, said=said)
        near = [one for one in self.mistakes if _factor(answer, one.number) <= min(NEAR, off)]
        why = min(near, key=lambda one: _factor(answer, one.number)).said if near else ""
        wide = f"Your number is a factor of {written(off)} too {'large' if answer > self.number else 'small'}."
        return Verdict(right=False, said=" ".join((why or wide, said)))


def _factor(one: float, other: float) -> float:
    """Return how many times the smaller of two positive numbers the larger one is."""
    low, high = sorted((one, other))
    return high / low if low > 0.0 else math.inf


def same(one: Hashable, other: Hashable) -> bool:
    """Return whether two answers are one: equal, or numbers within a twentieth."""
    numbers = (int, float)
    if isinstance(one, bool) or isinstance(other, bool) or one == other:
        return one == other
    if isinstance(one, numbers) and isinstance(other, numbers):
        return _factor(one, other) < _SAME
    return False


def choose(
    sentence: str,
    right: Choice,
    *wrong: Choice | None,
    about: Mapping[str, Any] | None = None,
    where: str = "",
) -> Exercise | None:
    """Return a question with choices; None where no wrong one is left.

    A wrong choice that says the same as the right one, or as one before it, is dropped. Numbers stand in their
    order; other choices in an order that the question decides, so that it is the same for every reader.
    """
    kept = [right]
    for one in wrong:
        if one is not None and not any(
            same(one.value, other.value) or one.text == other.text for other in kept
        ):
            kept.append(one)
    if len(kept) < 2:
        return None
    kept = kept[:MOST]
    values = [one.value for one in kept]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        kept.sort(key=lambda one: one.value)  # type: ignore[arg-type, return-value] # numbers
    else:
        kept.sort(key=lambda one: hashlib.sha256(f"{sentence}{one.text}".encode()).digest())
    return Exercise(
        sentence=sentence,
        choices=tuple(one.text for one in kept),
        right=kept.index(right),
        feedback=tuple(one.said for one in kept),
        values=tuple(one.value for one in kept),
        about=about or {},
        where=where,
    )


def number(
    sentence: str,
    right: tuple[float, str],
    *wrong: tuple[float, str],
    form: str = "{}",
    **about: object,
) -> Exercise | None:
    """Return a question with numbers to choose from; a wrong one near the right one is left out.

    Parameters
    ----------
    sentence : str
    right, *wrong : (float, str)
        The numbers, and what is said of them.
    form : str
        What stands on a choice, with {} in place of the number.
    **about
        As for `Exercise`.
    """
    kept = [
        (n, said) for n, said in wrong
        if math.isfinite(n) and n >= 0.0 and max(n, right[0]) > 1.08 * min(n, right[0])
    ]  # fmt: skip
    choices = [Choice(form.replace("{}", written(n)), said, n) for n, said in (right, *kept)]
    return choose(sentence, *choices, about=about)


def written(of: float) -> str:
    """Return a number in words, three digits of it."""
    of = float(f"{of:.3g}") if of < 1e4 or of % 1 else of
    if of >= 1e9:
        return (
            f"about 10{raised(round(math.log10(of)))}"
            if of >= 1e15
            else f"{float(f'{of:.3g}'):,.0f}"
        )
    return small(of) if 0.0 < of < 1.0 else f"{of:,.4g}" if of % 1 else f"{of:,.0f}"


def predict(
    sentence: str,
    number: float,
    right: str,
    *mistakes: tuple[float | None, str],
    about: Mapping[str, Any] | None = None,
    where: str = "",
) -> Exercise:
    """Return a question for a number.

    Parameters
    ----------
    sentence : str
    number : float
        The right one.
    right : str
        What is said of it.
    *mistakes : (float or None, str)
        Wrong numbers, and what they would mean, with {} in place of the number; those that would count as
        right are dropped.
    about : mapping, optional
    where : str
        As for `Exercise`; empty for that of the kind.
    """
    kept = tuple(
        Mistake(wrong, said.replace("{}", f"{wrong:,.4g}" if wrong % 1 else f"{wrong:,.0f}"))
        for wrong, said in mistakes
        if wrong and _factor(wrong, number) > NEAR
    )
    return Exercise(
        sentence=sentence, feedback=(right,), number=number, mistakes=kept, about=about or {}, where=where
    )  # fmt: skip


class Asked(Protocol):
    """The setting of which a question is made: what is shown on the screen, and its numbers.

    Attributes
    ----------
    concept : ConceptClass
    law : Distribution
    cell : Cell
    m : int
    learners : tuple of Learner
        Those with an exact law on the distribution, the shown ones first, with their slack.
    bounds : tuple of Bound
        Those with numbers that hold on the distribution.
    """

    @property
    def concept(self) -> ConceptClass:
        """The class."""

    @property
    def law(self) -> Distribution:
        """The distribution."""

    @property
    def cell(self) -> Cell:
        """The setting, with m = 0."""

    @property
    def m(self) -> int:
        """The number of examples on the screen."""

    @property
    def learners(self) -> tuple[Learner, ...]:
        """The learners with an exact law."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds that hold."""

    def least(self, learner: Learner, **instead: Any) -> int | None:
        """Return the least m of a learner, at the setting or another one; None where there is none."""

    def number(self, bound: Bound, **instead: Any) -> int | None:
        """Return the number of a bound."""

    def rough(self, learner: Learner, **instead: Any) -> float | None:
        """Return about the least m of a learner whose law is simulated."""

    def success(self, learner: Learner, m: int, **instead: Any) -> float:
        """Return the probability that a learner succeeds with m examples."""

    def pick(self, many: Sequence[T]) -> T:
        """Return one of several things: another one at every turn."""

    @property
    def every(self) -> tuple[Learner, ...]:
        """All learners with a law on the distribution, exact or simulated."""

    def on(self, law: Distribution) -> Asked:
        """Return the same setting on another distribution."""

    def leasts(self, learner: Learner, name: str, values: Sequence[float]) -> list[int | None]:
        """Return the least m of a learner at several values of one parameter."""

    def reach(self, wanted: Wanted, learner: Learner, m: int) -> float | None:
        """Return the most demanding value of a parameter with which m examples are enough; None for none."""

    def learner(self, name: str) -> Learner:
        """Return a learner by its name."""


@dataclass(frozen=True, slots=True)
class ExerciseKind:
    """A kind of question.

    Attributes
    ----------
    name : str
        Stands in lecture files: fixed for ever.
    where : str
        The view of the figure, or the part of the page, that shows the answer.
    make : callable
        Setting -> the question, or None where there is none.
    fits : callable, optional
        Setting -> whether the question makes sense there: quick, it computes no numbers of samples.
    """

    name: str
    where: str
    make: Callable[[Asked], Exercise | None]
    fits: Callable[[Asked], bool] | None = None

    def ask(self, at: Asked) -> Exercise | None:
        """Return the question of this kind at a setting; None where there is none."""
        if self.fits is not None and not self.fits(at):
            return None
        made = self.make(at)
        if made is None:
            return None
        say = _in_words_of(at.concept)
        return replace(
            made, kind=self.name, where=made.where or self.where, sentence=say(made.sentence),
            choices=tuple(map(say, made.choices)), feedback=tuple(map(say, made.feedback)),
            mistakes=tuple(Mistake(wrong, say(said)) for wrong, said in made.mistakes),
        )  # fmt: skip


def _in_words_of(concept: ConceptClass) -> Callable[[str], str]:
    """Return what puts the words of a class in place of those of learning: entries for examples."""
    usual, own = type(concept.words)(), concept.words
    if own == usual:
        return str
    names = ("learner", "record", "records", "sample", "target")
    words = {getattr(usual, name): getattr(own, name) for name in names}
    words |= {f"{usual.learner}s": f"{own.learner}s"}
    words |= {f"an {usual.record}": f"{'an' if own.record[0] in 'aeiou' else 'a'} {own.record}"}
    found = re.compile(rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b")
    return lambda text: found.sub(lambda met: words[met[0]], text)


def exercise(
    name: str, where: str, fits: Callable[[Asked], bool] | None = None
) -> Callable[[Callable[[Asked], Exercise | None]], ExerciseKind]:
    """Return what makes a kind of question of a function of the setting."""
    return lambda make: ExerciseKind(name, where, make, fits)
