"""What m examples can reach: the inverses of `need` and of the bounds, one parameter at a time.

A value is looked for among numbers of four digits, and rounded so that what is said of it holds: of
a learner it is the most demanding one with which the learner still succeeds, and the next one is
too demanding; of a lower bound it is the least demanding one that the bound still excludes.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need, scores
from privsc_core.numerics.crossing import last_crossing
from privsc_core.parameters import parameter, scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.results import NeedResult

__all__ = ["WANTED", "Reached", "Wanted", "easier", "reach", "reach_bound"]

Wanted: TypeAlias = Literal["m", "d", "epsilon", "alpha", "beta"]
WANTED: tuple[Wanted, ...] = ("m", "d", "epsilon", "alpha", "beta")
# Decades in which a parameter is looked for, by powers of ten.
_DECADES: dict[str, tuple[int, int]] = {"epsilon": (-6, 3), "alpha": (-6, 0), "beta": (-12, 0)}
_DIGITS = 10_000
# Looks along the whole range, from the least demanding value on, before one crossing is closed in on.
_LOOKS = 11
# Turns after which looks around the best epsilon meet, where success rises and then falls.
_CLOSEST = 16
# Of betas so small that laws are slow, only these: success there is that of an everyday beta.
_RARE, _RAREST = -9.5, -18.5  # log odds


@dataclass(frozen=True, slots=True)
class Reached:
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
    """

    value: float
    reason: str = ""
    note: str = ""
    at_end: bool = False


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
def _looks(wanted: Wanted) -> tuple[int, ...]:
    """Return the places that are looked at in any case, evenly along the coordinate."""
    at = _coordinates(wanted)
    first = _RARE if wanted == "beta" else float(at[0])
    even = np.linspace(first, at[-1], _LOOKS)
    if wanted == "beta":
        even = np.append([at[0], _RAREST], even)
    return tuple(np.unique(np.minimum(np.searchsorted(at, even), at.size - 1)).tolist())


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
) -> Reached:
    """Return the most demanding value with which a learner succeeds on m examples.

    That is the greatest d, or the least epsilon, alpha or beta, with success probability at least
    1 - beta at exactly m examples; or the least m, as `need` has it. Values have four digits, d and
    m all of them; the next more demanding one is too much. Where success crosses its target more
    than once, every less demanding value that was looked at suffices too.

    Parameters
    ----------
    learner, distribution
        From the catalog; the law must be exact.
    wanted : {"m", "d", "epsilon", "alpha", "beta"}
        What is looked for; the argument of that name is not read.
    m : int
    d, epsilon, alpha, beta, delta : float
        The setting.

    Returns
    -------
    Reached
        NaN with a reason where no value suffices.

    Raises
    ------
    InputError
        For values outside their domain, a law that is not exact, or a setting at which the
        distribution or the learner does not exist.
    """
    here = _cell(wanted, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    if learner.laws.get(distribution.name) != "exact":
        sentence = f"must be one on which the law of {learner.name} is exact"
        raise InputError("distribution", sentence, distribution.label)
    if wanted == "m":
        return _number(need(learner, distribution, **_setting(here)))
    size, learner = scalar("m", m), learner.at(here.delta)

    def score(place: int) -> float | None:
        at = _at(here, wanted, place)
        try:
            distribution.check(d=at.d, alpha=at.alpha)
            return float(scores(learner.success(distribution, at.at(size)), at.beta))
        except InputError:
            return None

    hill = wanted == "epsilon" and not learner.rises(distribution)
    closer = {"closer": _CLOSEST} if hill else {}
    found = last_crossing(score, _coordinates(wanted), _looks(wanted), **closer)
    if found.last is None:  # then not at this one either, and it says why
        distribution.check(d=here.d, alpha=here.alpha)
        learner.success(distribution, here.at(size))
        raise InputError(wanted, "must be one at which both learner and distribution exist", None)
    if found.place is None:
        if found.falls:
            words = f"{size:,} examples are too few at every {wanted} that was looked at"
            return Reached(math.nan, words)
        least = _value(wanted, found.last)
        return Reached(math.nan, f"{size:,} examples are too few even at {wanted} = {least:,.10g}")
    note = "the search ends here" if found.first else ""
    if found.falls:
        note = f"a far less demanding {wanted} falls short again"
    return Reached(_value(wanted, found.place), note=note, at_end=found.first)


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

    Of a lower bound it is the least demanding value that is impossible with m examples (all that
    demand more are impossible too, where the bound speaks of them); of an upper bound the most
    demanding one that m examples are promised to suffice for. For m it is the bound's own number.

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

    def score(place: int) -> float | None:
        found = entry.over(_at(here, wanted, place), size)
        # Where nothing is said a lower bound excludes nothing.
        return math.inf if found is None and lower else found

    at = _coordinates(wanted)
    if not lower:
        place = last_crossing(score, at, _looks(wanted)).place
        if place is None:
            return Reached(math.nan, f"it promises nothing for {size:,} examples")
        return Reached(_value(wanted, place))
    nothing = Reached(math.nan, f"it excludes no {wanted} with {size:,} examples")
    # A bound that lets the most demanding value pass excludes none: that spares the other looks.
    if 0.0 <= (score(0) or 0.0) < math.inf:
        return nothing
    if (score(at.size - 1) or 0.0) < 0.0:
        return Reached(_value(wanted, at.size - 1))
    place = last_crossing(score, at, _looks(wanted)).place or 0
    return Reached(_value(wanted, place - 1)) if place else nothing


def easier(wanted: Wanted, value: float) -> float | None:
    """Return the next less demanding value than one that was found; None after the last one."""
    if wanted in {"m", "d"}:
        least = wanted == "d" and value <= 1.0
        return None if least else value + (1.0 if wanted == "m" else -1.0)
    digits, power = f"{value:.{len(str(_DIGITS)) - 2}e}".split("e")
    place = int(power) - _DECADES[wanted][0], int(digits.replace(".", "")) - _DIGITS // 10
    after = place[0] * (_DIGITS - _DIGITS // 10) + place[1] + 1
    return _value(wanted, after) if after < _coordinates(wanted).size else None


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
