"""A question: a learner or a bound, a distribution, a setting.

Python, command line, sweeps, calculator and certificates all ask by this one value: it finds names
in the catalog, checks numbers, and asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.idle import of_need
from privsc_core.concepts.shared.variants import joined, remarks
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from privsc_core.evaluate.results import NeedResult, SuccessResult
from privsc_core.evaluate.success import method_of, success
from privsc_core.parameters import WANTED, scalar, validated

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
    from privsc_core.evaluate.reach import Reached

SETTING = ("d", "epsilon", "alpha", "beta", "delta")


@dataclass(frozen=True, slots=True)
class Question:
    """Names in the catalog, and numbers or arrays that broadcast; hashable where they are numbers.

    In place of a name there may be what it names (`catalog`).

    Attributes
    ----------
    concept : str or ConceptClass
    learner, bound : str, Learner, Bound, or for a learner a function
        One of them; neither where all of a class are asked. `several` takes lists of them, too.
    distribution : str or Distribution, optional
        Of a learner; by default the first of the class.
    m : array_like, optional
        None where the least m is asked for.
    d, epsilon, alpha, beta, delta : array_like
        The setting.
    u : int
        Unlabelled examples of a learner that takes some; its own number for 0.
    wanted : {"m", "d", "epsilon", "alpha", "beta"}, optional
        What is looked for (`reach`); the value of that name is not read.
    trials : int, optional
        Simulated samples; None where only exact laws may answer.
    seed : int
        Of the simulation.
    target : str, optional
        Of the distribution, where it has one.
    log2_d : float
        Above 0 in place of d, see `parameters.LOG2_D`; then d is not read.
    """

    concept: Any
    learner: Any = ""
    bound: Any = ""
    distribution: Any = None
    m: Any = None
    d: Any = 64
    epsilon: Any = 0.5
    alpha: Any = 0.1
    beta: Any = 0.1
    delta: Any = 0.0
    u: int = 0
    wanted: Any = None
    trials: int | None = None
    seed: int = 1
    target: str | None = None
    log2_d: float = 0.0

    def checked(self) -> Question:
        """Return the question with valid numbers, the distribution's label, and u only where it counts.

        Raises
        ------
        InputError
            For a name that is unknown, a number outside its domain, a distribution that does not
            exist there.
        """
        if self.wanted is not None and self.wanted not in WANTED:
            raise InputError("wanted", f"must be one of {', '.join(WANTED)}", self.wanted)
        given: dict[str, Any] = {
            name: scalar(name, value)
            for name in ("m", *SETTING, "u")
            if name != self.wanted and (value := getattr(self, name)) is not None
        }
        if self.bound:
            self.lone()
            catalog.bound(self.concept, self.bound)
            return replace(self, **given | {"distribution": None, "u": 0})
        law = self.law
        given |= {"distribution": law.label, "target": None}
        if self.learner:
            law.check(d=given.get("d", 1), alpha=given.get("alpha", 0.5))
            given["u"] = catalog.learner(self.concept, self.learner, given["u"]).unlabelled
        return replace(self, **given)

    def lone(self) -> None:
        """Refuse a question without a learner or bound, or with both."""
        if bool(self.learner) == bool(self.bound):
            raise InputError("learner", "or bound must be given, one of them", self.learner or None)

    @property
    def exact(self) -> bool:
        """Whether the answer takes no coins; False for names that do not exist together."""
        try:
            return bool(self.bound) or method_of(self.entry, self.law) == "exact"
        except InputError:
            return False

    @property
    def concept_class(self) -> ConceptClass:
        """The concept class."""
        return catalog.concept(self.concept)

    @property
    def entry(self) -> Learner:
        """The learner, with u unlabelled examples."""
        return catalog.learner(self.concept, self.learner, self.u).sized(self.log2_d)

    @property
    def inequality(self) -> Bound:
        """The bound."""
        return catalog.bound(self.concept, self.bound).sized(self.log2_d)

    @property
    def law(self) -> Distribution:
        """The distribution."""
        return catalog.distribution(self.concept, self.distribution, self.target)

    def setting(self) -> dict[str, Any]:
        """Return the setting without m and u, as keyword arguments."""
        return {name: getattr(self, name) for name in SETTING}

    def given(self) -> dict[str, Any]:
        """Return the setting without u and the parameter that is looked for."""
        names = (name for name in (*WANTED, "delta") if name != self.wanted)
        return {name: getattr(self, name) for name in names}

    def at(self, value: float) -> Cell:
        """Return the setting with a value of what is looked for."""
        parts = self.setting()
        if self.wanted != "m":
            parts[self.wanted] = int(value) if self.wanted == "d" else value
        return Cell(**parts)

    def simulation(self) -> dict[str, Any]:
        """Return trials and seed as keyword arguments; nothing where only exact laws may answer."""
        return {} if self.trials is None else {"trials": self.trials, "seed": self.seed}

    # --- Asking -----------------------------------------------------------------------------------

    def asked(self) -> dict[str, Any]:
        """Return the first fields of the records of its answer: the names, the setting, trials and seed."""
        names: dict[str, Any]
        if self.bound:
            said = self.inequality
            # A formula alone says neither that so many examples suffice nor that they are needed.
            kind = None if said.constants == "yours" else said.kind
            names, last = {"bound": said.name, "kind": kind, "constants": said.constants}, {}
        else:
            law, typed = self.law, self.target is None and isinstance(self.distribution, str)
            named = self.distribution if typed else law.label
            names = {"learner": self.entry.name, "distribution": named} | law.words()
            last = self.simulation()
        size = "log2_d" if self.log2_d else "d"
        setting = ("m", size, "epsilon", "delta", "alpha", "beta")
        gone = {self.wanted} | ({"m"} if self.m is None else set())
        numbers = {n: validated(n, getattr(self, n)) for n in setting if n not in gone}
        sought = {"for": self.wanted} if self.wanted else {}
        return {"concept": self.concept_class.name, **names, **numbers, **last, **sought}

    def named(self) -> dict[str, Any]:
        """Return what is asked about as it was given, a name or what it names."""
        return {
            "concept": self.concept, "learner": self.learner, "bound": self.bound,
            "distribution": self.distribution, "target": self.target,
        }  # fmt: skip

    def answer(self) -> SuccessResult | NeedResult:
        """Return success where m is given, else the least m or a bound, with the question beside it."""
        asked, given = self.asked(), self.named()
        if self.bound:
            return replace(self.need(), asked=asked, given=given)
        remark = remarks(self.entry, float(np.min(asked["delta"])))
        if self.m is not None:
            return replace(self.success(), asked=asked, given=given, note=remark)
        found = self.need()
        notes = np.array([joined(note, remark) for note in found.note.ravel().tolist()], np.str_)
        return replace(found, asked=asked, given=given, note=notes.reshape(found.note.shape))

    def refused(self, why: str) -> SuccessResult | NeedResult:
        """Return the answer without a number, for a reason."""
        asked = self.asked()
        shape = np.broadcast_shapes(*(np.shape(value) for value in asked.values()))
        nothing, reason = np.full(shape, math.nan), np.full(shape, why)
        method: Any = "bound" if self.bound else ""
        if self.m is not None:
            return SuccessResult(nothing, nothing, nothing, method, reason=reason, asked=asked)
        note = np.full(shape, "")
        return NeedResult(nothing, nothing, reason, note, method, nothing, asked=asked)

    def success(self) -> SuccessResult:
        """Return the probability that the learner succeeds; see `evaluate.success.success`."""
        entry, law = self.entry, self.law
        found = success(entry, law, m=self.m, **self.setting(), **self.simulation())
        return replace(found, idle=entry.idle(law))

    def need(self) -> NeedResult:
        """Return the least m of the learner, see `evaluate.need.need`, or the number of the bound."""
        if self.bound:
            said = self.inequality
            return replace(bound(said, **self.setting()), idle=said.idle)
        entry, law = self.entry, self.law
        found = need(entry, law, **self.setting(), **self.simulation())
        return replace(found, idle=of_need(entry.idle(law)))

    def reach(self) -> Reached:
        """Return the most demanding value that the rest allows; see `evaluate.reach`."""
        from privsc_core.evaluate.reach import reach, reach_bound  # noqa: PLC0415 - the others need none

        self.lone()
        if self.wanted == "d" and self.concept_class.only_size is not None:
            raise InputError("wanted", "must not be d: the class has one size", self.wanted)
        asked: dict[str, Any] = {"wanted": self.wanted, **self.given()}
        if self.bound:
            found = reach_bound(self.inequality, **asked)
        else:
            found = reach(self.entry, self.law, **asked, **self.simulation())
        return replace(found, asked=self.asked())
