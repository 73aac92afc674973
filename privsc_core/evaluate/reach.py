"""What m examples can reach: the inverses of `need` and of the bounds, one parameter at a time.

A value is looked for among numbers of four digits, d among all whole numbers. Of a learner it is the
most demanding one of all with which the learner succeeds, also where some less demanding ones fall
short; of an upper bound the most demanding one that it promises; of a lower bound the least demanding
one from which on it excludes every value that demands as much or more.

Where success never falls as a value demands less (`eases` of learner and bound) one crossing is closed
in on. Elsewhere intervals of values are looked at, by what success is at most between their ends
(`at_best`). Where that is not known either, many values are looked at, of d every whole number up to
2,000: what is said then is "at least".
"""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need, scores
from privsc_core.evaluate.success import success
from privsc_core.numerics.crossing import crossing, first_good
from privsc_core.parameters import WANTED, parameter, scalar
from privsc_core.records import Answer, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Demand, Distribution, Learner
    from privsc_core.evaluate.results import NeedResult
    from privsc_core.numerics.crossing import Crossing
    from privsc_core.parameters import Wanted
    from privsc_core.records import Record

# Decades in which a parameter is looked for, by powers of ten.
_DECADES: dict[str, tuple[int, int]] = {"epsilon": (-6, 3), "alpha": (-6, 0), "beta": (-12, 0)}
_DIGITS = 10_000
# Looks along the whole range, from the least demanding value on, before one crossing is closed in on.
_LOOKS = 11
# And where success may come and go; d is looked at one by one up to so many.
_MANY_LOOKS, _EACH = 64, 2_000
# Of betas so small that laws are slow, only these: success there is that of an everyday beta.
_RARE, _RAREST = -9.5, -18.5  # log odds


@dataclass(frozen=True, slots=True, repr=False)
class Reached(Answer):
    """What can be reached.

    Attributes
    ----------
    value : float
        NaN where there is none.
    reason : str
        Why there is none; empty where there is one.
    note : str
        A remark on the value, mostly empty.
    at_end : bool
        Whether the search ends at the value: a more demanding one may suffice too.
    complete : bool
        Whether no value that demands more, of those that are searched, suffices; else that is so of
        those that were looked at, and what is reached is at least the value.
    asked : mapping of str to value
        The question as its record tells it; empty for results of inner functions.
    """

    title = "What can be reached"
    columns = ("for", "value", "reason", "note")

    value: float
    reason: str = ""
    note: str = ""
    at_end: bool = False
    complete: bool = True
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def records(self) -> list[Record]:
        """Return one record: the question, the value, and why there is none."""
        there = not math.isnan(self.value)
        answer = {
            "value": self.value,
            "complete": self.complete if there else None,
            "reason": self.reason or None,
            "note": self.note or None,
        }
        return spread((), {**self.asked, **answer})


@functools.cache
def _coordinates(wanted: Wanted) -> NDArray[np.float64]:
    """Return where the values lie, from the most demanding one on, evenly for a secant.

    The log odds of a success that does not depend on beta are linear in those of beta.
    """
    if wanted == "d":
        return np.asarray(-np.log(np.arange(int(parameter("d").high), 0, -1.0)))
    low, high = _DECADES[wanted]
    digits = np.arange(_DIGITS // 10, _DIGITS)
    values = (digits * 10.0 ** np.arange(low - 3.0, high - 3.0)[:, None]).ravel()
    return np.asarray(np.log(values) - (np.log1p(-values) if wanted == "beta" else 0.0))


@functools.cache
def _looks(wanted: Wanted, number: int = _LOOKS) -> tuple[int, ...]:
    """Return the places that are looked at in any case, evenly along the coordinate."""
    at = _coordinates(wanted)
    first = _RARE if wanted == "beta" else float(at[0])
    even = np.linspace(first, at[-1], number)
    if wanted == "beta":
        even = np.append([at[0], _RAREST], even)
    places = np.minimum(np.searchsorted(at, even), at.size - 1)
    if wanted == "d" and number > _LOOKS:
        places = np.append(places, np.arange(at.size - _EACH, at.size))
    return tuple(np.unique(places).tolist())


def _value(wanted: Wanted, place: int) -> float:
    """Return the value at a place as it is read: 1.234e-05 and not a float beside it."""
    if wanted == "d":
        return float(parameter("d").high - place)
    power, digits = divmod(place, _DIGITS - _DIGITS // 10)
    return float(f"{_DIGITS // 10 + digits}e{_DECADES[wanted][0] + power - 3}")


def reach(
    learner: Learner,
    distribution: Distribution,
    *,
    wanted: Wanted,
    m: int = 1,
    d: int = 1,
    epsilon: float = 1.0,
    alpha: float = 0.5,
    beta: float = 0.5,
    delta: float = 0.0,
    trials: int | None = None,
    seed: int = 1,
) -> Reached:
    """Return the most demanding value with which a learner succeeds on m examples.

    That is the greatest d, or the least epsilon, alpha or beta, with success probability at least
    1 - beta at exactly m examples; or the least m, as `need` has it. Values have four digits, d and
    m all of them; the next more demanding one is too much. It is the most demanding one of all, even if
    success falls short at some that demand less, which the note tells; where that is not known of all
    values (`Reached.complete`), it is at least that.

    With `trials` the law may be simulated. Then the value is one at which the 95% interval of success lies
    at 1 - beta or above, and the learner reaches at least that.

    Parameters
    ----------
    learner, distribution
        From the catalog; without `trials` the law must be exact.
    wanted : {"m", "d", "epsilon", "alpha", "beta"}
        What is looked for; the argument of that name is not read.
    m : int
    d, epsilon, alpha, beta, delta : float
        The setting.
    trials : int, optional
        Simulated samples at each value that is looked at, where the law is not exact.
    seed : int
        Seed of the simulation.

    Returns
    -------
    Reached
        NaN with a reason where no value suffices.

    Raises
    ------
    InputError
        For values outside their domain, a law that is not exact where no trials are given, or a setting at which the
        distribution or the learner does not exist.
    """
    here = _cell(wanted, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    method = learner.laws.get(distribution.name)
    simulated = method != "exact"
    if method is None or (simulated and trials is None):
        sentence = f"must be one on which the law of {learner.name} is exact"
        sentence += ", or trials must be given" if method else ""
        raise InputError("distribution", sentence, distribution.label)
    if wanted == "m":
        if trials is None or not simulated:
            return _number(need(learner, distribution, **_setting(here)))
        drawn = need(learner, distribution, **_setting(here), trials=trials, seed=seed)
        note = f"simulated, {trials:,} trials"
        return replace(_number(drawn), note=note, complete=False)
    size, learner = scalar("m", m), learner.at(here.delta)

    law = _Law(learner, distribution, here, wanted, size, trials if simulated else None, seed)
    if simulated:
        return _simulated(law)
    eases = learner.eases(distribution, wanted)
    found = _search(wanted, law, eases=eases)
    if found.last is None:  # then not at this one either, and it says why
        distribution.check(d=here.d, alpha=here.alpha)
        learner.success(distribution, here.at(size))
        raise InputError(wanted, "must be one at which both learner and distribution exist", None)
    if found.place is None:
        least = f"even at {wanted} = {_value(wanted, found.last):,.10g}"
        if not eases:
            least = f"at every {wanted}" + (" that was looked at" if not found.complete else "")
        words = f"{size:,} examples are too few {least}"
        return Reached(math.nan, words, complete=found.complete)
    easier_side = "below" if wanted == "d" else "above"
    notes = ["the search ends here" if found.first else _remark(wanted, found)]
    if found.falls:
        notes.append(f"some values of {wanted} {easier_side} it do not suffice")
    elif not eases:
        notes.append(f"some values of {wanted} {easier_side} it may not suffice")
    return Reached(
        _value(wanted, found.place), note="; ".join(filter(None, notes)), at_end=found.first,
        complete=found.complete,
    )  # fmt: skip


def _simulated(law: _Law) -> Reached:
    """Return the most demanding value of those that are looked at which trials show to suffice."""
    wanted = law.wanted
    found = crossing(law.score, _coordinates(wanted), _looks(wanted))
    if found.last is None:
        raise InputError(wanted, "must be one at which both learner and distribution exist", None)
    shown = f"simulated, {law.trials:,} trials"
    if found.place is None:
        words = f"no {wanted} that was looked at is shown to be enough for {law.size:,} examples ({shown})"
        return Reached(math.nan, words, complete=False)
    note = f"at least that: {shown}"
    return Reached(_value(wanted, found.place), note=note, at_end=found.first, complete=False)


def reach_bound(
    entry: Bound,
    *,
    wanted: Wanted,
    m: int = 1,
    d: int = 1,
    epsilon: float = 1.0,
    alpha: float = 0.5,
    beta: float = 0.5,
    delta: float = 0.0,
) -> Reached:
    """Return what a bound says of m examples, as a value of one parameter.

    Of a lower bound it is the least demanding value from which on all that demand more are impossible
    with m examples, where the bound speaks of them: one that it excludes alone, between others that it
    does not, counts for nothing. Of an upper bound it is the most demanding value that m examples are promised to
    suffice for. For m it is the bound's own number.

    Parameters and errors are those of `reach`.

    Returns
    -------
    Reached
        NaN with a reason where the bound excludes, or promises, nothing.
    """
    here = _cell(wanted, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    if wanted == "m":
        return _number(bound(entry, **_setting(here)))
    size = scalar("m", m)
    lower = entry.kind == "lower"

    law = _Limit(entry, here, wanted, size)
    nothing = Reached(math.nan, f"it excludes no {wanted} with {size:,} examples")
    # A bound that lets the most demanding value pass excludes none: that spares the other looks.
    if lower and 0.0 <= (law.score(0) or 0.0) < math.inf:
        return nothing
    found = _search(wanted, law, eases=entry.eases(wanted))
    if not lower:
        if found.place is None:
            return Reached(math.nan, f"it promises nothing for {size:,} examples")
        return Reached(
            _value(wanted, found.place), note=_remark(wanted, found), complete=found.complete
        )
    if found.place is not None and (found.first or not found.place):
        return nothing
    place = _coordinates(wanted).size if found.place is None else found.place
    return Reached(_value(wanted, place - 1), note=_remark(wanted, found), complete=found.complete)


@dataclass(frozen=True, slots=True)
class _Law:
    """How far above its target success is, by the place of what is wanted."""

    learner: Learner
    distribution: Distribution
    here: Cell
    wanted: Demand
    size: int
    trials: int | None = None
    seed: int = 1

    def score(self, place: int) -> float | None:
        """Return the score at a place, None where learner or distribution do not exist.

        Of a simulated law it is that of the lower end of the interval.
        """
        at = _at(self.here, self.wanted, place)
        try:
            if self.trials is not None:
                low = success(
                    self.learner, self.distribution, m=self.size, **_setting(at),
                    trials=self.trials, seed=self.seed,
                ).low  # fmt: skip
                return float(low) - (1.0 - at.beta)
            self.distribution.check(d=at.d, alpha=at.alpha)
            found = self.learner.success(self.distribution, at.at(self.size))
        except InputError:
            return None
        return float(scores(found, at.beta))

    def scores(self, places: Sequence[int]) -> NDArray[np.float64]:
        """Return the scores at several places; -inf where there is none."""
        at, beta = self.here.at(self.size), self.here.beta
        row = np.array([_value(self.wanted, place) for place in places])
        with contextlib.suppress(InputError):  # at one of them
            if self.wanted == "d":
                at = replace(at, d=row.astype(np.int64))
                return scores(self.learner.success(self.distribution, at), beta)
            if self.wanted == "epsilon":
                return scores(
                    self.learner.success(self.distribution, replace(at, epsilon=row)), beta
                )
        return _each(self.score, places)

    def most(self) -> Callable[[int, int], float] | None:
        """Return what tells how large scores are at most between two places."""
        at_best = self.learner.at_best(self.distribution, self.wanted)
        if at_best is None:
            return None

        def most(first: int, last: int) -> float:
            hard, easy = (_at(self.here, self.wanted, place) for place in (first, last))
            try:
                return float(scores(at_best(hard.at(self.size), easy.at(self.size)), easy.beta))
            except InputError:  # not there, but maybe between
                return math.inf

        return most


@dataclass(frozen=True, slots=True)
class _Limit:
    """How far m is above the number of a bound, as `_Law`."""

    entry: Bound
    here: Cell
    wanted: Demand
    size: int

    def score(self, place: int) -> float | None:
        """Return the score at a place: a lower bound that says nothing excludes nothing."""
        found = self.entry.over(_at(self.here, self.wanted, place), self.size)
        return math.inf if found is None and self.entry.kind == "lower" else found

    def scores(self, places: Sequence[int]) -> NDArray[np.float64]:
        """Return the scores at several places; -inf where there is none."""
        return _each(self.score, places)

    def most(self) -> Callable[[int, int], float] | None:
        """Return what tells how large scores are at most between two places."""
        at_best = self.entry.at_best(self.wanted)
        if at_best is None:
            return None

        def most(first: int, last: int) -> float:
            hard, easy = (_at(self.here, self.wanted, place) for place in (first, last))
            return at_best(hard, easy, self.size)

        return most


def _search(wanted: Wanted, law: _Law | _Limit, *, eases: bool) -> Crossing:
    """Search for the most demanding value that suffices."""
    at = _coordinates(wanted)
    if eases:
        return crossing(law.score, at, _looks(wanted))
    return first_good(law.score, law.scores, at, _looks(wanted, _MANY_LOOKS), law.most())


def easier(wanted: Wanted, value: float) -> float | None:
    """Return the next less demanding value than one that was found; None after the last one."""
    if wanted in {"m", "d"}:
        least = wanted == "d" and value <= 1.0
        return None if least else value + (1.0 if wanted == "m" else -1.0)
    digits, power = f"{value:.{len(str(_DIGITS)) - 2}e}".split("e")
    place = int(power) - _DECADES[wanted][0], int(digits.replace(".", "")) - _DIGITS // 10
    after = place[0] * (_DIGITS - _DIGITS // 10) + place[1] + 1
    return _value(wanted, after) if after < _coordinates(wanted).size else None


def _remark(wanted: Wanted, found: Crossing) -> str:
    """Return that not every value that demands more was looked at; mostly nothing."""
    side = "above" if wanted == "d" else "below"
    return "" if found.complete else f"not all values of {wanted} {side} it were tried"


def _each(score: Callable[[int], float | None], places: Sequence[int]) -> NDArray[np.float64]:
    """Return scores one by one; where there is none nothing suffices."""
    found = (score(place) for place in places)
    return np.array([-math.inf if value is None else value for value in found])


def _number(found: NeedResult) -> Reached:
    return Reached(found.m.item(), found.reason.item(), found.note.item())


def _cell(wanted: Wanted, **setting: float) -> Cell:
    """Return the setting; what is wanted is any valid value."""
    if wanted not in WANTED:
        raise InputError("wanted", f"must be one of {', '.join(WANTED)}", wanted)
    checked: dict[str, Any] = {
        name: parameter(name).default if name == wanted else scalar(name, value)
        for name, value in setting.items()
    }
    return Cell(**checked)


def _setting(at: Cell) -> dict[str, Any]:
    return {name: getattr(at, name) for name in ("d", "epsilon", "alpha", "beta", "delta")}


def _at(here: Cell, wanted: Wanted, place: int) -> Cell:
    value = _value(wanted, place)
    return Cell(**_setting(here) | {wanted: int(value) if wanted == "d" else value})
