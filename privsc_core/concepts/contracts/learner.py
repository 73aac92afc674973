"""What a learner is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privsc_core.concepts.contracts.idle import ABSENT, UNREAD
from privsc_core.concepts.contracts.settings import Cell, Sized, sure
from privsc_core.concepts.shared.sample import Sample, checked_rows
from privsc_core.errors import InputError
from privsc_core.numerics.text import lowered

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts.distribution import Distribution
    from privsc_core.concepts.contracts.settings import (
        Adjacency,
        Demand,
        Estimate,
        Method,
        Privacy,
        Setting,
    )
    from privsc_core.concepts.contracts.style import Role
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.trace import Recorder
    from privsc_core.literature.papers import Source

_BITS = 10  # of some thousand hypotheses
_ROLES: dict[str, Role] = {"none": "free", "approximate": "delta", "label": "labels"}


@dataclass(frozen=True)
class Learner(Sized, ABC):
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
        For each distribution how `success` is computed; at a setting it may be exact or bracketed.
    tiny : Cell
        Where its privacy is audited: small enough to enumerate all samples and their neighbours.
    reads : tuple of str
        Which of d, alpha and beta the algorithm itself looks at; d as the size of the class, which the
        points of a sample may not tell.
    unmoved : mapping of str to mapping
        Which parameters and knobs cannot change its success although others' may: by distribution, ""
        for all of them, each with the reason as a clause. Of d where the distribution itself does not
        depend on it.
    labelled : bool
        Whether the labels of the examples matter; without them an example is a point alone.
    symmetric : bool
        Whether the order of the examples does not matter to its output distribution: then fewer
        samples are enumerated.
    derivation : str
        Of what is ours why it is private, or right where it is not, in Markdown with $LaTeX$; else empty.
    caveat : str
        What to know before relying on its numbers; mostly empty.
    outputs : str
        What `output_distribution` lists, in the plural.
    enumerated : str
        A sentence on what `audited` and `output_distribution` made smaller or coarser, so that
        all outputs can be listed; mostly empty.
    shown_m : int or None
        How many examples of `tiny` are enumerated while a reader waits; None for all of them.
    eased : tuple of str
        Distributions that are hard for others and easy for this one, as its answers may be good for
        many targets: a bound that is only shown there (`Bound.shown_on`) does not speak of it there.
    guess_within : mapping of str to float
        Distributions on which `initial_guess` is about right where the least m is simulated: at least half of
        it, and at most so many times as much.
    slow : tuple of str
        Distributions on which its least m takes seconds to simulate: what moves does not wait for it.
    light_to : float
        Up to which d simulating takes a second at most where it is `slow`: beyond it, curves over d have
        fewer places.
    looser_costs : str
        Why it may need more examples for a larger alpha, as a clause: what it does depends on alpha. Empty
        where it never does. For a larger beta no learner needs more, where a concept fits all examples.
    one_point : bool
        Whether every answer labels one point 1 and all others 0.
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
    tiny: ClassVar[Cell]
    reads: ClassVar[tuple[str, ...]] = ()
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    labelled: ClassVar[bool] = True
    symmetric: ClassVar[bool] = False
    derivation: ClassVar[str] = ""
    caveat: ClassVar[str] = ""
    outputs: ClassVar[str] = "outputs"
    enumerated: ClassVar[str] = ""
    shown_m: ClassVar[int | None] = None
    eased: ClassVar[tuple[str, ...]] = ()
    guess_within: ClassVar[Mapping[str, float]] = {}
    slow: ClassVar[tuple[str, ...]] = ()
    light_to: ClassVar[float] = math.inf
    looser_costs: ClassVar[str] = ""
    one_point: ClassVar[bool] = False
    record_keys: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Run the algorithm on a sample, consistent or not.

        The domain is the sample's; of the setting it reads epsilon, alpha and beta.
        With a recorder it also tells its steps, of what it computes and draws anyway: the same
        coins in the same order, the same hypothesis.
        """

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Run the algorithm on people's data: `run`, drawn from this noise source alone.

        All that depends on the data is what one of its mechanisms returns. It spends epsilon, and
        the slack of the learner. What cannot be drawn so has no release.

        Raises
        ------
        InputError
            Where there is none, or not at this setting; before anything is drawn.
        """
        wanted = (
            "must be a learner whose noise can be drawn exactly (--simulate runs every learner)"
        )
        raise InputError("learner", wanted, self.name)

    @property
    def releases(self) -> bool:
        """Whether it has a `release`."""
        return type(self).release is not Learner.release

    def run_many(
        self, x: ArrayLike, y: ArrayLike | None, at: Cell, rng: np.random.Generator
    ) -> Sequence[Hypothesis]:
        """Run once on every data set, each with coins of its own.

        Parameters
        ----------
        x, y : array_like, shape (data sets, m)
            Points in [1, 2^d], and labels, 0 or 1; they need not agree with any concept. Without
            labels all are 1.
        at, rng
            As for `run`; d are the bits of a point.

        Returns
        -------
        sequence of Hypothesis, length (data sets)
            In law what `run` gives on the rows.

        Raises
        ------
        InputError
            For arrays of another shape or type, values outside the domain, and what `run` refuses.
        """
        x, y, d = checked_rows(x, y, at.d)
        return self._run_many(x, y, replace(at, d=d), rng)

    def _run_many(
        self, x: NDArray[np.integer], y: NDArray[np.uint8], at: Cell, rng: np.random.Generator
    ) -> Sequence[Hypothesis]:
        """Run on checked rows: here one after the other, where a batch is faster together."""
        return [
            self.run(Sample.of(at.d, points, labels), at, rng)
            for points, labels in zip(x.tolist(), y.tolist(), strict=True)
        ]

    @property
    def lists_outputs(self) -> bool:
        """Whether it has an `output_distribution`: then its privacy is audited exactly."""
        return True

    @abstractmethod
    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
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

    def idle(self, distribution: Distribution | None = None) -> dict[str, str]:
        """Return what cannot change `success` on a distribution, each with the reason as a clause.

        Parameters and the distribution's knobs, by their names. Without a distribution what cannot
        change the law of its output on any sample, whatever that is.
        """
        absent = {
            "epsilon": self.privacy == "none",
            "delta": self.free_of_delta,
            "u": not self.unlabelled,
            "beta": "beta" not in self.reads,
        }
        found = {name: ABSENT[name] for name, holds in absent.items() if holds}
        if distribution is None:
            return found | ({} if "alpha" in self.reads else {"alpha": UNREAD})
        if self.laws.get(distribution.name) == "exact":
            found |= {name: ABSENT[name] for name in ("trials", "seed")}
        found |= {name: why for name, why in distribution.idle.items() if name not in self.reads}
        own = dict(self.unmoved.get("", {}))
        if distribution.depends_on_d:
            own.pop("d", None)
        return {**found, **own, **self.unmoved.get(distribution.name, {})}

    def most_d(self, distribution: Distribution) -> int:
        """Return the largest d at which `success` answers; above it, it refuses."""
        return distribution.most_d

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls as m grows, at this alpha and whatever the rest is.

        Where a database has whole counts of size ceil(c m), it may, and where no concept fits all
        examples (`Distribution.realizable`): such a learner says so here, and brackets its success
        by `span`.
        """
        return True

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return about how many examples it needs, whatever the setting's m: where a search starts.

        Any number is right, and one of about the right size is soon left. Here the weight of all 2^d
        points is about beta of the target's, or of some thousand where d does not matter. Without
        privacy a mass of alpha is seen.
        """
        if self.privacy == "none":
            seen = max(-math.log(setting.beta) / setting.alpha, 1.0)
            return np.full(np.broadcast_shapes(setting.d.shape, setting.epsilon.shape), seen)
        idle = "d" in self.idle(distribution)
        bits = np.full_like(setting.d, _BITS) if idle else setting.d
        weight = math.log(2.0) * bits - math.log(setting.beta)
        return np.asarray(2.0 * weight / (setting.epsilon * setting.alpha))

    def monotone_at(self, distribution: Distribution, setting: Setting) -> NDArray[np.bool_]:
        """Return for every cell whether success never falls as m grows there, from whatever m on.

        Everywhere where it is `monotone`; a learner that is not, but for many d and epsilon, says
        here for which, and is searched there as if it were.
        """
        return np.full(setting.shape, self.monotone(distribution, setting.alpha))

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether m examples that suffice at a value suffice at each that demands less.

        That is at a smaller d, or a larger epsilon, alpha or beta, whatever the rest is: success never
        falls as d falls, or epsilon or alpha grows, and that of a learner that reads beta not faster
        than its target. Here only a distribution may say otherwise, of d (`Distribution.steps_to`). A
        learner says so of more: where it chooses by alpha or beta, where its numbers are whole, where
        it trusts examples that mislead more at a larger epsilon.
        """
        return wanted != "d" or not distribution.steps_to

    def at_best(
        self, distribution: Distribution, wanted: Demand
    ) -> Callable[[Setting, Setting], Estimate] | None:
        """Return what tells how much success is at most between two settings.

        The two have one cell and differ in what is wanted alone; the first demands more. A search learns
        from it where it need not look. Here it is that of `Distribution.easiest`. None where no such
        function is known, and where success `eases`.
        """
        if wanted != "d" or not distribution.steps_to:
            return None

        def most(hard: Setting, easy: Setting) -> Estimate:
            at = distribution.easiest(hard, easy)
            return sure(easy) if at is None else self.success(distribution, at)

        return most

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
            Here, where success never falls, they are the values at the ends; of a learner that
            says how by `envelope` both of these.
        """
        if type(self).envelope is Learner.envelope:
            return self.success(distribution, first), self.success(distribution, last)
        low, high = (
            self.envelope(distribution, first, last, upper=upper) for upper in (False, True)
        )
        return low, high

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return one end of `span`: a learner that can find it alone says how here, and not there."""
        if type(self).span is not Learner.span:
            return self.span(distribution, first, last)[upper]
        return self.success(distribution, last if upper else first)

    def chain(self, distribution: Distribution, alpha: float) -> tuple[int, int]:
        """Return (q, m0) such that success never falls along m, m + q, m + 2 q, ..., m >= m0.

        (0, 0) where no such numbers are known. It spares a search where `span` is wide.
        """
        return 0, 0

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why success falls short at some m however large, as a clause; mostly empty."""
        return ""

    def log_ones(self, at: Cell) -> float | None:
        """Return log2 of how many points an answer labels 1, on average over its coins.

        Up to the one point of the target. None where it depends on the target, or means nothing.
        """
        return 0.0 if self.one_point else None

    def check_shown(self, at: Cell) -> None:
        """Refuse, by `InputError`, a setting at which one run has too much to show."""

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

    def at(self, delta: float) -> Self:
        """Return the variant for a privacy slack; the learner itself where it has none."""
        return self

    @property
    def free_of_delta(self) -> bool:
        """Whether the slack is nothing to it: then one computation serves every one."""
        return type(self).at is Learner.at

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
        return self

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims; of one in the catalog its own, taken where delta is 0."""
        return 0.0

    @property
    def role(self) -> Role:
        """What the learner may do, which is its hue in figures: a key of `style.HUES`."""
        if self.privacy == "pure":
            return "proper" if self.proper else "improper"
        return _ROLES[self.privacy]

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

    def tried(self, bits: int) -> range:
        """Return the points, of so many bits, of which an audit by runs makes its samples."""
        return range(1, (1 << bits) + 1)

    def neighbours(self, record: tuple[int, int], /) -> Callable[[tuple[int, int]], bool]:
        """Return what tells which records may stand in place of one in an adjacent sample."""
        if self.adjacency == "label":
            return lambda other: other[0] == record[0] and other[1] != record[1]
        return lambda other: other != record
