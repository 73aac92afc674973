"""A learner of one's own as one of the catalog's kind: then everything that takes a learner takes it.

`own` makes it from a function; the audit from runs asks the same adapter, by `Own.run` and, where
`Own.lists_outputs`, by `output_distribution`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import Cell, Learner, Privacy, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.errors import InputError
from privsc_core.own.calls import Call, answered, module_of, watched
from privsc_core.own.runs import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import ConceptClass, Demand, Distribution, Estimate, Setting
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

# A row of labels has one for every point of the domain; with more bits it is refused.
_ROW_BITS = 16
# So many examples are drawn at once: they stay near the processor.
_TOGETHER = 1 << 14
_WORD = 1 << 62
_NAME = re.compile(r"[^a-z0-9]+")
_UNNAMED = ("learn", "<lambda>", "")


@dataclass(frozen=True, slots=True)
class Rule(Hypothesis):
    """A function that somebody's learner returned: one point -> its label."""

    call: Call
    function: Any
    concept: ConceptClass
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the function gives to `point`; refuse what is neither 0 nor 1."""
        (shown,) = self.concept.notation.points((point,), self.bits)
        label = answered(self.function, shown, seconds=self.call.seconds)
        if np.size(label) != 1 or np.asarray(label).item() not in (0, 1):
            wanted = "must return a function from one point to its label, 0 or 1"
            raise self.call.refusal(wanted, label)
        return int(np.asarray(label).item())

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return "a function of your learner"


@dataclass(frozen=True, slots=True)
class Row(Hypothesis):
    """The labels of all points, one byte each."""

    labels: bytes

    def predict(self, point: int) -> int:
        """Return the label of a point."""
        return self.labels[point - 1]

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"a row of {len(self.labels):,} labels, {self.weight:,} of them 1"

    @property
    def weight(self) -> int:
        """How many points get label 1."""
        return sum(self.labels)


@dataclass(frozen=True, eq=False, kw_only=True)
class Own(Learner):
    """A learner that somebody brings: simulated on every distribution of its class.

    Two are never equal, for what a function does may change while its name stays.

    Attributes
    ----------
    call : Call
        What is called.
    concept : ConceptClass
        What it learns.
    delta : float
        The privacy slack that it is told; 0 for none.
    u : int
        The unlabelled examples that it is given beside m labelled ones.
    """

    call: Call
    concept: ConceptClass = field(repr=False)
    # What is the same for all objects of another learner differs from one of these to the other.
    name: str  # type: ignore[misc]
    title: str  # type: ignore[misc]
    summary: str  # type: ignore[misc]
    privacy: Privacy  # type: ignore[misc]
    proper: bool  # type: ignore[misc]
    reads: tuple[str, ...]  # type: ignore[misc]
    laws: Mapping[str, Any]  # type: ignore[misc]
    slow: tuple[str, ...]  # type: ignore[misc]
    delta: float = 0.0
    u: int = 0

    source = Source("yours", "simulated")
    efficient = False
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    light_to = 0.0
    outputs = "answers"
    looser_costs = "nothing is known of a learner of your own"

    def __post_init__(self) -> None:
        """Audit a class of one size at that size."""
        if self.concept.only_size is not None:
            object.__setattr__(self, "tiny", replace(self.tiny, d=self.concept.only_size))

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Call the function on a sample and return its answer as a hypothesis; it tells no steps.

        Raises
        ------
        InputError
            Where it fails, takes too long, or answers with something that is no hypothesis.
        """
        return self.hypothesis(self.call(*self._shown(sample), self._at(sample, at, rng)), sample.d)

    def run_often(
        self, distribution: Distribution, at: Cell, trials: int, rng: np.random.Generator
    ) -> int:
        """Return in how many runs it succeeds: as `runs.run_often`, with many samples drawn at once.

        The examples of a distribution are independent, so a large sample may be cut into several.
        An answer that is a whole number is judged once.
        """
        hits, known = 0, dict[int, bool]()
        size = at.m + self.u
        rows = max(1, _TOGETHER // size)
        with watched():
            for begin in range(0, trials, rows):
                count = min(rows, trials - begin)
                drawn = distribution.draw(m=count * size, d=at.d, alpha=at.alpha, rng=rng)
                x = self._points(drawn)
                x = x.reshape(count, size, *x.shape[1:])
                y = drawn.labels.astype(np.int64).reshape(count, size)[:, : at.m]
                asked = self._at(drawn, at, rng)
                asked = {name: asked[name] for name in self.call.takes}
                for row in progress.steps(
                    range(count), begin=begin / trials, end=(begin + count) / trials
                ):
                    answer = self.call(x[row], y[row], asked)
                    plain = isinstance(answer, int | np.integer) and not isinstance(answer, bool)
                    number = int(answer) if plain else 0
                    good = known.get(number)
                    if good is None:
                        found = self.hypothesis(answer, drawn.d)
                        good = distribution.succeeds(found, d=at.d, alpha=at.alpha)
                        if number:
                            known[number] = good
                    hits += good
        return hits

    def _points(self, sample: Sample) -> NDArray[Any]:
        """Return the points as the function gets them, shape (m,) or (m, numbers of a point)."""
        return self.concept.notation.points(sample.points, sample.d)[sample.index]

    def _shown(self, sample: Sample) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return points and labels as the function gets them: arrays of its own."""
        labels = sample.labels[: max(0, sample.size - self.u)]
        return self._points(sample), labels.astype(np.int64)

    def _at(self, sample: Sample, at: Cell, rng: np.random.Generator) -> dict[str, Any]:
        """Return all keywords that it may take."""
        return {
            "d": self.concept.notation.size(sample.d), "bits": sample.d, "epsilon": at.epsilon,
            "alpha": at.alpha, "beta": at.beta, "delta": self.delta, "u": self.u, "rng": rng,
        }  # fmt: skip

    def hypothesis(self, answer: Any, bits: int) -> Hypothesis:
        """Return an answer as a hypothesis on points of so many bits.

        None is ⊥, no hypothesis. A function tells the label of one point. Numbers name a concept as
        the class does (`ConceptClass.notation`), or are the labels of all points in their order.

        Raises
        ------
        InputError
            For anything else.
        """
        if answer is None:
            return FAILURE
        if isinstance(answer, Hypothesis):
            return answer
        if callable(answer):
            return Rule(self.call, answer, self.concept, bits)
        notation = self.concept.notation
        numbers = _numbers(answer)
        if (
            numbers is not None
            and notation.read is not None
            and numbers.shape == notation.shape(bits)
        ):
            found = notation.read(
                numbers.item() if not numbers.ndim else tuple(numbers.tolist()), bits
            )
            if found is not None:
                return found
        points = notation.labels(bits)
        row = numbers is not None and bits <= _ROW_BITS and numbers.shape == (points,)
        if numbers is not None and row and np.isin(numbers, (0, 1)).all():
            return Row(numbers.astype(np.uint8).tobytes().ljust(1 << bits, b"\0"))
        ways = [f"a concept of the class ({notation.concept})"] if notation.concept else []
        if notation.functions:
            ways.append("a function from one point to its label")
            ways += [f"{points} labels, one a point"] if bits <= _ROW_BITS else []
        raise self.call.refusal(f"must return {', or '.join(ways)}, or None", answer)

    def tried(self, bits: int) -> range:
        """Return the points of the class."""
        return range(1, self.concept.notation.labels(bits) + 1)

    @property
    def lists_outputs(self) -> bool:
        """Whether it says with which probability it gives which answer."""
        return self.call.listed is not None

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the probability of every answer, as its own `output_distribution` says.

        Raises
        ------
        InputError
            Where it has none, or where the probabilities do not add up to 1.
        """
        if self.call.listed is None:
            wanted = "must list its answers here, by an output_distribution (privsc audit runs it without)"
            raise InputError("learner", wanted, self.name)
        given = self._at(sample, at, np.random.default_rng(public))
        found = self.call.listed(*self._shown(sample), given)
        wanted = "must have an output_distribution that maps answers to probabilities with sum 1"
        try:
            chances = {answer: float(chance) for answer, chance in found.items()}
        except (AttributeError, TypeError, ValueError):
            raise self.call.listed.refusal(wanted, found) from None
        total = math.fsum(chances.values())
        if min(chances.values(), default=-1.0) < 0.0 or abs(total - 1.0) > 1e-9:
            raise self.call.listed.refusal(wanted, f"a sum of {total:.12g}")
        return chances

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the share of real runs in which the answer was accurate, with 95% intervals."""
        most, largest = self.most_d(distribution), int(setting.d.max())
        if largest > most:
            raise InputError("d", f"must be at most {most} for {self.name}", largest)
        return counted(self, distribution, setting)

    def most_d(self, distribution: Distribution) -> int:
        """Return the largest d at which it is run."""
        most: int = self.call.told.get("most_d", distribution.most_d)
        return min(distribution.most_d, most)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return False: nothing is known of it."""
        return False

    def at(self, delta: float) -> Self:
        """Return the variant that is told this privacy slack."""
        return self if self.free_of_delta else replace(self, delta=delta)

    def audited(self) -> Self:
        """Return itself: its outputs are listed for labelled examples alone.

        Raises
        ------
        InputError
            Where it takes unlabelled examples.
        """
        if self.u:
            wanted = "must be 0 where listed outputs are audited (trials audits runs)"
            raise InputError("u", wanted, self.u)
        return self

    @property
    def free_of_delta(self) -> bool:
        """Whether it does not ask for a privacy slack."""
        return "delta" not in self.call.takes

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it is told."""
        return self.delta

    @property
    def unlabelled(self) -> int:
        """How many unlabelled examples it takes."""
        return self.u

    def beside(self, u: int) -> Learner:
        """Return the variant for u unlabelled examples; the learner itself where it asks for none."""
        return replace(self, u=u) if "u" in self.call.takes and u != self.u else self


def _numbers(answer: Any) -> NDArray[Any] | None:
    """Return an answer as an array of numbers; None where it is none."""
    if isinstance(answer, bool | np.bool_):
        return None
    if isinstance(answer, int | np.integer):
        return np.array(int(answer), dtype=None if abs(int(answer)) < _WORD else np.object_)
    try:
        numbers = np.asarray(answer)
    except (ValueError, TypeError, OverflowError):
        return None
    if numbers.dtype.kind == "O":
        plain = all(isinstance(x, int) for x in numbers.ravel())
        return numbers if plain else None
    return numbers if numbers.dtype.kind in "biuf" and np.isfinite(numbers).all() else None


def own(given: Any, concept: ConceptClass, learns: str | None = None) -> Own:
    """Return a function, or an object with a method `learn`, as a learner of a class.

    Parameters
    ----------
    given : callable or object
        Called as ``learn(x, y, d=..., epsilon=..., ...)`` with those of `calls.KEYWORDS` that it
        takes by name. x are the m points as the class writes them, shape (m,) or (m, numbers of a
        point); y are their labels, int64, shape (m,), without those of the last u, which are the
        unlabelled ones. `d` is the size of the class, `bits` are those of a point of the sample,
        `rng` is a numpy Generator, the only source of chance it may use if runs are to be repeated.
        It answers as `Own.hypothesis` says.
    concept : ConceptClass
        What it learns.
    learns : str, optional
        The name of the class that it says it learns, if it does not say so itself.

    Raises
    ------
    InputError
        For what takes other arguments, or says something of itself that cannot be; for a class
        without labels, or another one than it learns.
    """
    if not concept.labelled:
        raise InputError("learner", "must be one of the class, which has no labels to learn", given)
    call = Call.of(given)
    told = {key: value for key, value in call.told.items() if isinstance(value, str)}
    learns = told.get("concept", learns)
    if isinstance(learns, str) and learns not in (concept.name, concept.name.partition("(")[0]):
        raise InputError("concept", f"must be {learns}, which this learner learns", concept.name)
    privacy = told.get("privacy") or _claimed(call)
    if privacy not in get_args(Privacy):
        wanted = f"must claim as privacy one of {', '.join(get_args(Privacy))}"
        raise InputError("learner", wanted, privacy)
    owner = getattr(call.function, "__self__", None)
    plain = str(getattr(call.function if owner is None else type(owner), "__name__", ""))
    if plain in _UNNAMED:
        plain = module_of(call.function) or "mine"
    name = _NAME.sub("-", told.get("name", plain).lower()).strip("-") or "mine"
    while any(entry.name == name for entry in concept.learners):
        name = f"my-{name}"
    title = told.get("title") or plain.replace("_", " ").strip().capitalize()
    if any(sign in title for sign in "<$"):
        raise InputError("learner", "must have a title without < and $", title)
    names = [entry.name for entry in concept.distributions]
    return Own(
        call=call, concept=concept, name=name, title=f"{title} (yours)",
        summary=told.get("summary", "A learner of your own."),
        privacy=privacy,  # type: ignore[arg-type] # one of them
        proper=bool(call.told.get("proper", False)),
        reads=tuple([name for name in ("d", "alpha", "beta") if name in call.takes]),
        laws=dict.fromkeys(names, "monte-carlo"), slow=tuple(names),
    )  # fmt: skip


def _claimed(call: Call) -> str:
    """Return what a learner claims that says nothing of it."""
    if "epsilon" not in call.takes:
        return "none"
    return "approximate" if "delta" in call.takes else "pure"
