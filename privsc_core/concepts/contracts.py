"""What a distribution, a learner, a bound and a concept class are.

The registry, the pages, the command line and the tests rely on these contracts alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from privsc_core.certify.routes import Routes
from privsc_core.concepts.extremes import extreme, log_tail
from privsc_core.concepts.hypotheses import FAILURE
from privsc_core.concepts.rows import checked_rows
from privsc_core.concepts.sample import Sample
from privsc_core.concepts.source import Source
from privsc_core.concepts.style import completed, dashed
from privsc_core.errors import InputError
from privsc_core.numerics.text import lowered, whole
from privsc_core.parameters import Parameter, parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.boxes import Boxes
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.landscape import Contest, Exchange, Gap, Line
    from privsc_core.concepts.literature import Later, Slip
    from privsc_core.concepts.style import Style
    from privsc_core.concepts.trace import Recorder
    from privsc_core.parameters import Word

__all__ = [
    "CHUNK",
    "Adjacency",
    "Bound",
    "BoundValue",
    "Cell",
    "ConceptClass",
    "Constants",
    "Distribution",
    "Estimate",
    "Kind",
    "Knob",
    "Learner",
    "Method",
    "Privacy",
    "Setting",
    "Source",
    "TinyInstance",
]

# Simulated samples are drawn in parts of this many, each with a seed of its own.
CHUNK = 250

Method = Literal["exact", "rao-blackwell", "monte-carlo"]
Privacy = Literal["none", "pure", "approximate", "label"]
Adjacency = Literal["full", "label"]
Kind = Literal["lower", "upper"]
Constants = Literal["sharp", "paper", "rate"]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """The settings of one evaluation: arrays that broadcast, and scalars.

    Attributes
    ----------
    m, d : ndarray of int64
        Sample sizes and bits.
    epsilon : ndarray of float64
        Privacy losses.
    alpha, beta, delta : float
        Accuracy, confidence and privacy slack, the same throughout.
    trials : int
        Simulated samples per cell where the law is simulated.
    seed : int
        Seed of the simulation.
    first_trial : int
        Where in the stream of simulated samples to start, a multiple of `CHUNK`: long
        simulations are done, and shown, part by part.
    """

    m: NDArray[np.int64]
    d: NDArray[np.int64]
    epsilon: NDArray[np.float64]
    alpha: float
    beta: float
    delta: float = 0.0
    trials: int = 1000
    seed: int = 1
    first_trial: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The broadcast shape of m, d and epsilon."""
        return np.broadcast_shapes(self.m.shape, self.d.shape, self.epsilon.shape)

    @property
    def log_tail(self) -> float:
        """How small a probability must not be neglected, as -log of it; see `log_tail`."""
        return log_tail(self.beta)

    @property
    def extreme(self) -> bool:
        """Whether beta or 1 - beta is so small that success must come with its failure."""
        return extreme(self.beta)

    def cells(self) -> list[tuple[int, int, float]]:
        """Return (m, d, epsilon) of every cell of the broadcast shape, in C order."""
        columns = np.broadcast_arrays(self.m, self.d, self.epsilon)
        return list(zip(*(column.ravel().tolist() for column in columns), strict=True))


@dataclass(frozen=True, slots=True)
class Cell:
    """The setting of one number of samples: scalars, as in `Setting`, without the m."""

    d: int
    epsilon: float
    alpha: float
    beta: float
    delta: float = 0.0

    def at(self, m: int) -> Setting:
        """Return the setting with m samples."""
        return Setting(
            np.array(m), np.array(self.d), np.array(self.epsilon), self.alpha, self.beta, self.delta
        )


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
    default : float or str
        What the plain name stands for.
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
    default: float | str
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

    def valid(self, value: float | str) -> float | str | None:
        """Return the value in its normal form, None where it is not one."""
        if isinstance(value, str):
            return value if value in self.words else None
        whole = int(value) if self.integer and value == int(value) else value
        if (self.integer and whole != int(whole)) or not self.low <= whole <= self.high:
            return None
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Probabilities of success: values with 95% intervals (equal to the value when exact).

    Attributes
    ----------
    value, low, high : ndarray of float64
        See above.
    method : {"exact", "rao-blackwell", "monte-carlo"}
        How they were computed.
    failure : ndarray of float64, optional
        1 - value computed without cancellation: right relative to itself as far down as the
        setting's beta. An exact law must have it where the setting is `extreme`.
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: Method
    failure: NDArray[np.float64] | None = None


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"


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
    depends_on_d : bool
        Whether it is another problem at every d, so that numbers of samples over d compare
        nothing.
    few_points : bool
        Whether it lives on a few points whatever d is, so that a large sample is small to keep.
    ordered : bool
        Whether concepts follow the order of the points: a sample of many points is then shown
        along the domain, in bins.
    knobs : tuple of Knob
        The parameters of its family.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[Source]
    meaning: ClassVar[str]
    brief: ClassVar[str] = ""
    depends_on_d: ClassVar[bool] = False
    few_points: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    knobs: ClassVar[tuple[Knob, ...]] = ()

    @property
    def label(self) -> str:
        """The name with its parameters, as it is typed; without those at their defaults."""
        values = [getattr(self, knob.key) for knob in self.knobs if not knob.words]
        while values and values[-1] == self.knobs[len(values) - 1].default:
            values.pop()
        texts = [f"{value:.10g}" for value in values]
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

    def resized(self, *values: float | str) -> Distribution:
        """Return the member of the family that is written ``name(value,…)``, or refuse.

        A word belongs to the first parameter that is a word and has none yet.

        Raises
        ------
        InputError
            For more values than the family has, and values outside their domains.
        """
        free = list(self.knobs)
        chosen: dict[str, float | str] = {}
        for value in values:
            worded = isinstance(value, str)
            knob = next((knob for knob in free if bool(knob.words) == worded), None)
            if knob is None:
                raise InputError("distribution", self._most(worded=worded), _shown(value))
            free.remove(knob)
            found = knob.valid(value)
            if found is None:
                given = int(value) if not worded and knob.integer and value == int(value) else value
                raise InputError("distribution", knob.requirement, given)
            chosen[knob.key] = found
        return type(self)(**chosen)

    def _most(self, *, worded: bool) -> str:
        most = sum(bool(knob.words) == worded for knob in self.knobs)
        kind = "word" if worded else "number"
        return f"must be {self.name} " + (
            f"with at most {most} {kind}s" if most else f"without a {kind}"
        )

    @abstractmethod
    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""

    @abstractmethod
    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Tell whether the hypothesis has error at most alpha.

        A mass that is stated to be "just above alpha" counts as more than alpha.
        """

    def target(self, d: int) -> int | None:
        """Return the number of the target concept, where there is one that has a number."""
        del d
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
        del hypothesis, m, d, alpha
        return None

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


@dataclass(frozen=True, slots=True)
class TinyInstance:
    """A domain small enough to enumerate every database and every neighbour."""

    d: int
    m: int
    epsilon: float
    alpha: float
    beta: float


@dataclass(frozen=True)
class Learner(ABC):
    """A learner: described, run on real samples, enumerated on tiny domains, evaluated.

    Attributes
    ----------
    name, title : str
        The fixed name and what a person calls it.
    source : Source
        Where it comes from.
    summary : str
        One sentence: what it does.
    privacy : {"none", "pure", "approximate", "label"}
        What it guarantees.
    proper : bool
        Whether every output is a concept of the class.
    efficient : bool
        Whether time is polynomial in d, 1/alpha, 1/epsilon and log(1/beta).
    laws : mapping of str to {"exact", "rao-blackwell"}
        For each distribution how `success` is computed.
    tiny : TinyInstance
        Where its privacy is audited by enumeration.
    free_of_d : bool
        Whether success does not depend on d, where the distribution itself does not.
    labelled : bool
        Whether the labels of the examples matter; without them an example is a point alone.
    symmetric : bool
        Whether the order of the examples does not matter to its output distribution: then fewer
        samples are enumerated.
    caveat : str
        What to know before relying on its numbers; mostly empty.
    style : Style or None
        How its curves are drawn; None for what the palette has left in its class.
    outputs : str
        What `output_distribution` lists, in the plural.
    enumerated : str
        A sentence on what `audited` and `output_distribution` made smaller or coarser, so that
        all outputs can be listed; mostly empty.
    shown_m : int or None
        How many examples of `tiny` are enumerated while a reader waits; None for all of them.
    record_keys : tuple of str
        The keys of what its hypotheses `record`, so that every record has the same ones.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[Source]
    summary: ClassVar[str]
    privacy: ClassVar[Privacy]
    proper: ClassVar[bool]
    efficient: ClassVar[bool]
    laws: ClassVar[Mapping[str, Method]]
    tiny: ClassVar[TinyInstance]
    free_of_d: ClassVar[bool] = False
    labelled: ClassVar[bool] = True
    symmetric: ClassVar[bool] = False
    caveat: ClassVar[str] = ""
    style: ClassVar[Style | None] = None
    outputs: ClassVar[str] = "outputs"
    enumerated: ClassVar[str] = ""
    shown_m: ClassVar[int | None] = None
    record_keys: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Run the algorithm on a sample, consistent or not.

        With a recorder it also tells its steps, of what it computes and draws anyway: the same
        coins in the same order, the same hypothesis.
        """

    def run_many(
        self,
        x: ArrayLike,
        y: ArrayLike | None,
        *,
        d: int,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
    ) -> Sequence[Hypothesis]:
        """Run once on every data set, each with coins of its own.

        Parameters
        ----------
        x, y : array_like, shape (data sets, m)
            Points in [1, 2^d], and labels, 0 or 1; they need not agree with any concept. Without
            labels all are 1.
        d : int
            Bits of a point.
        epsilon, alpha, beta, rng
            As for `run`.

        Returns
        -------
        sequence of Hypothesis, length (data sets)
            In law what `run` gives on the rows.

        Raises
        ------
        InputError
            For arrays of another shape or type, values outside the domain, and what `run` refuses.
        """
        x, y, d = checked_rows(x, y, d)
        return self._run_many(x, y, d=d, epsilon=epsilon, alpha=alpha, beta=beta, rng=rng)

    def _run_many(
        self,
        x: NDArray[np.integer],
        y: NDArray[np.uint8],
        *,
        d: int,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
    ) -> Sequence[Hypothesis]:
        """Run on checked rows: here one after the other, where a batch is faster together."""
        return [
            self.run(Sample.of(d, points, labels), epsilon=epsilon, alpha=alpha, beta=beta, rng=rng)
            for points, labels in zip(x.tolist(), y.tolist(), strict=True)
        ]

    @abstractmethod
    def output_distribution(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        public: int = 0,
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains.

        `public` seeds what the learner draws before it looks at the data (a random class, a
        hash function): privacy must hold for every value of it.
        """

    @abstractmethod
    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the probability that the output has error at most alpha.

        The probability is over the sample and the learner's coins. Only for distributions
        in `laws`.
        """

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell whether success never falls as m grows, at this alpha and whatever the rest is.

        Where a database has whole counts of size ceil(c m), it may: such a learner says so here,
        and brackets its success by `span`.
        """
        del distribution, alpha
        return True

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, for every m of an interval.

        Parameters
        ----------
        distribution : Distribution
            One in `laws` with an exact law.
        first, last : Setting
            They differ in m alone: the ends of the intervals, both included.

        Returns
        -------
        low, high : Estimate
            low <= success(m) <= high for every whole m in [first.m, last.m]: envelopes, from
            which a search learns where it need not look. A shorter interval has no wider span.
            Here, where success never falls, they are the values at the ends.
        """
        return self.success(distribution, first), self.success(distribution, last)

    def chain(self, distribution: Distribution, alpha: float) -> tuple[int, int]:
        """Return (q, m0) such that success never falls along m, m + q, m + 2 q, ..., m >= m0.

        (0, 0) where no such numbers are known. It spares a search where `span` is wide.
        """
        del distribution, alpha
        return 0, 0

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why success falls short at some m however large, as a clause; mostly empty."""
        del distribution, alpha
        return ""

    def log_ones(self, *, d: int, epsilon: float, alpha: float, beta: float) -> float | None:
        """Return log2 of how many points an answer labels 1, on average over its coins.

        Up to the one point of the target. None where it depends on the target, or means nothing.
        """
        del d, epsilon, alpha, beta
        return None

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse, by `InputError`, a setting at which one run has too much to show."""
        del d, alpha, beta

    def output_name(self, output: Hashable) -> str:
        """Return an output of `output_distribution` in a few characters.

        None is ⊥, a whole number a concept and a tuple a row of labels; anything else speaks
        for itself.
        """
        match output:
            case None:
                return "⊥"
            case int():
                return f"c{lowered(output)}"
            case tuple():
                return "".join(map(str, output))
        return str(output)

    def at(self, delta: float) -> Learner:
        """Return the variant for a privacy slack; the learner itself where it has none."""
        del delta
        return self

    @property
    def unlabelled(self) -> int:
        """How many unlabelled examples it takes beside m labelled ones.

        A sample that it is given has m + u examples; the last u are the unlabelled ones, whose
        labels it must not read. Which they are is public, so adjacent samples are as ever.
        """
        return 0

    def beside(self, u: int) -> Learner:
        """Return the variant for u unlabelled examples, its own number of them for 0.

        The learner itself where it takes none.
        """
        del u
        return self

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims; of one in the catalog its own, taken where delta is 0."""
        return 0.0

    def promise(self, delta: float) -> Privacy:
        """Return what it guarantees at a privacy slack: without one (epsilon, 0) is pure."""
        # Who has a slack of its own cannot do without.
        pure = self.privacy == "approximate" and not (
            self.privacy_slack or self.at(delta).privacy_slack
        )
        return "pure" if pure else self.privacy

    def audited(self) -> Learner:
        """Return the variant whose outputs can be enumerated; mostly the learner itself."""
        return self

    @property
    def adjacency(self) -> Adjacency:
        """Which samples its privacy compares: one example replaced, or one label flipped."""
        return "label" if self.privacy == "label" else "full"

    def neighbours(self, record: tuple[int, int], /) -> Callable[[tuple[int, int]], bool]:
        """Return what tells which records may stand in place of one in an adjacent sample."""
        if self.adjacency == "label":
            return lambda other: other[0] == record[0] and other[1] != record[1]
        return lambda other: other != record


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A number of samples, or the reason why there is none.

    For a lower bound `m` is the least whole number not excluded (at least 1); for an upper
    bound the least whole number that the theorem guarantees to suffice.
    """

    m: int | None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True)
class Bound(ABC):
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
        Ours with derivation; as in the paper's proof; or a rate without a number.
    completed : str
        Where the constants are the paper's: what it leaves open and is ours; mostly empty.
    statement : str
        The inequality in LaTeX.
    derivation : str
        Why it holds, in Markdown with $LaTeX$.
    applies_to : str
        Which learners it binds, in words.
    validity : str
        Where it is proved, as the end of "Valid …"; where empty, at every setting.
    legend : str
        How a picture's legend says it; the title, where empty.
    headline : bool
        Whether pictures shade it and reach as far as it, instead of leaving it to the legend.
    behind : bool
        Whether a sharper bound of the same argument stands beside it: pictures then draw it thin.
    hugs_baseline : bool
        Whether it lies on the curve of the non-private learner: pictures then leave it out.
    dash : str
        How its line is broken, in Plotly's words; its colour says its kind. Empty for what is
        left among the bounds beside it.
    proved_on : tuple of str
        For a lower bound the distributions on which it is proved: on average over the targets no
        learner that it binds does better there, at the settings that `reaches` tells. For a single
        target, which it may just know, a learner may do better anywhere. Upper bounds hold on every
        distribution, or on what `applies_to` says.
    shown_on : tuple of str
        Further distributions in whose pictures a lower bound stands. It is proved for the worst
        case, which is not these; no learner of the class passes it there, another one might.
    promised_on : tuple of str
        Of an upper bound the distributions that its promise speaks of; empty for every one.
    packs : bool
        Whether its proof packs disjoint sets of answers: then `boxes` tells them.
    adjacency : {"full", "label"}
        Of a lower bound for private learners: which samples its proof compares. One for learners
        that protect the labels alone (`label`) binds fully private ones as well; one for those
        (`full`) says nothing about the others.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[Source]
    kind: ClassVar[Kind]
    constants: ClassVar[Constants]
    statement: ClassVar[str]
    derivation: ClassVar[str]
    applies_to: ClassVar[str]
    validity: ClassVar[str] = ""
    completed: ClassVar[str] = ""
    legend: ClassVar[str] = ""
    headline: ClassVar[bool] = False
    behind: ClassVar[bool] = False
    hugs_baseline: ClassVar[bool] = False
    dash: ClassVar[str] = ""
    proved_on: ClassVar[tuple[str, ...]] = ()
    shown_on: ClassVar[tuple[str, ...]] = ()
    promised_on: ClassVar[tuple[str, ...]] = ()
    packs: ClassVar[bool] = False
    adjacency: ClassVar[Adjacency] = "full"

    @abstractmethod
    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""

    @property
    def origin(self) -> str:
        """Whose constants these are, in a word of the glossary."""
        if self.constants == "sharp":
            return "ours"
        return "paper, in part" if self.completed else self.constants

    @property
    def stands_on(self) -> tuple[str, ...]:
        """The distributions in whose pictures a lower bound may stand."""
        return (*self.proved_on, *self.shown_on)

    def holds_on(
        self, distribution: Distribution, *, d: int, epsilon: float, alpha: float, beta: float
    ) -> bool:
        """Tell whether it belongs in pictures of this distribution, at this setting.

        Upper bounds do on what they promise something on; lower bounds on what they are proved or
        shown on, where they reach it.
        """
        if self.kind == "upper":
            return not self.promised_on or distribution.name in self.promised_on
        at = Cell(d, epsilon, alpha, beta)
        return distribution.name in self.stands_on and self.reaches(distribution, at)

    def reaches(self, _distribution: Distribution, _at: Cell, /) -> bool:
        """Tell whether it stands at a setting, on a distribution of `stands_on`.

        The setting matters where the bound is proved on other distributions and follows on this
        one at some settings only.
        """
        return True

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.least(Cell(d, epsilon, alpha, beta, delta))

    @abstractmethod
    def least(self, at: Cell, /) -> BoundValue:
        """Return the bound's number of samples at one setting, handed whole."""

    def leasts(self, cells: Sequence[Cell], /) -> list[BoundValue]:
        """Return `least` at several settings: here one after the other."""
        return [self.least(at) for at in cells]

    def limit(self, _setting: Setting, /) -> NDArray[np.float64] | None:
        """Return the success probability that the bound allows (lower) or promises (upper).

        None where the bound says nothing about probabilities at a given m.
        """
        return None

    def boxes(self, _at: Cell, /) -> Boxes | None:
        """Return what the proof packs at a setting; None where it says nothing there."""
        return None


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
