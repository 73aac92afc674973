"""The setting that a question is made of: what a scenario shows, and its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate import bounds
from privsc_core.evaluate.need import need
from privsc_core.evaluate.reach import reach
from privsc_core.evaluate.success import success

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.parameters import Wanted

T = TypeVar("T")
_FEW = 400  # simulated samples


@dataclass(frozen=True)
class Shown:
    """A scenario as a question asks it; see `contracts.practice.Asked`.

    Parameters
    ----------
    scenario : Scenario
    turn : int
        Which one of several things the question speaks of.
    """

    scenario: Scenario
    turn: int = 0

    @property
    def concept(self) -> ConceptClass:
        """The class."""
        return self.scenario.concept_class

    @property
    def law(self) -> Distribution:
        """The distribution."""
        return self.scenario.law

    @property
    def m(self) -> int:
        """The number of examples on the screen."""
        return self.scenario.m

    @cached_property
    def cell(self) -> Cell:
        """The setting, with m = 0."""
        return Cell(**self.scenario.settings())

    @cached_property
    def learners(self) -> tuple[Learner, ...]:
        """The learners with an exact law on the distribution, the shown ones first, with their slack.

        Without the learners that take unlabelled examples, too: their labelled ones alone compare nothing.
        """
        shown, here = self.scenario.chosen, self.law.name
        every = (*shown, *(one for one in self.scenario.entries if one not in shown))
        return tuple(
            one.at(self.scenario.delta) for one in every
            if one.laws.get(here) == "exact" and here not in one.slow and not one.unlabelled
        )  # fmt: skip

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds with numbers that hold on the distribution; not a reader's own."""
        return tuple(
            one for one in self.concept.bounds
            if one.constants != "rate" and self.scenario.holds(one)
        )  # fmt: skip

    @property
    def every(self) -> tuple[Learner, ...]:
        """All learners with a law on the distribution, exact or simulated."""
        return tuple(one for one in self.scenario.entries if self.law.name in one.laws)

    def on(self, law: Distribution) -> Shown:
        """Return the same setting on another distribution."""
        return Shown(replace(self.scenario, distribution=law.label), self.turn)

    def learner(self, name: str) -> Learner:
        """Return a learner by its name, with its slack."""
        found = next(one for one in self.scenario.entries if one.name == name)
        return found.at(self.scenario.delta)

    def least(self, learner: Learner, **instead: Any) -> int | None:
        """Return the exact least m of a learner, at the setting or another one; None where there is none."""
        at = self.scenario.settings() | instead
        try:
            m = float(need(learner.at(at["delta"]), self.law, **at).m)
        except InputError:
            return None
        return None if math.isnan(m) else int(m)

    def leasts(self, learner: Learner, name: str, values: Sequence[float]) -> list[int | None]:
        """Return the exact least m of a learner at several values of one parameter."""
        at = self.scenario.settings() | {name: np.array(values)}
        try:
            found = need(learner.at(self.scenario.delta), self.law, **at).m.tolist()
        except InputError:
            return [None] * len(values)
        return [None if math.isnan(m) else int(m) for m in found]

    def reach(self, wanted: Wanted, learner: Learner, m: int) -> float | None:
        """Return the most demanding value of a parameter with which m examples are enough."""
        found = reach(learner, self.law, wanted=wanted, m=m, **self.scenario.settings())
        return None if math.isnan(found.value) or not found.complete else found.value

    def number(self, bound: Bound, **instead: Any) -> int | None:
        """Return the number of a bound, at the setting or another one; None where it has none."""
        m = float(bounds.bound(bound, **self.scenario.settings() | instead).m)
        return None if math.isnan(m) else int(m)

    def rough(self, learner: Learner, **instead: Any) -> float | None:
        """Return about the least m of a learner whose law is simulated, from few samples."""
        at = self.scenario.settings() | instead
        try:
            m = float(
                need(learner, self.law, **at, trials=_FEW, seed=self.scenario.seed, rough=True).m
            )
        except InputError:
            return None
        return None if math.isnan(m) else m

    def success(self, learner: Learner, m: int, **instead: Any) -> float:
        """Return the probability that a learner succeeds with m examples."""
        at = self.scenario.settings() | instead
        return float(success(learner.at(at["delta"]), self.law, m=m, **at).value)

    def pick(self, many: Sequence[T]) -> T:
        """Return one of several things: another one at every turn."""
        return many[self.turn % len(many)]
