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

from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.errors import InputError
from privsc_core.evaluate.need import suffices
from privsc_core.parameters import parameter, scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner

__all__ = ["WANTED", "Reached", "Wanted", "reach", "reach_bound"]

Wanted: TypeAlias = Literal["d", "epsilon", "alpha", "beta"]
WANTED: tuple[Wanted, ...] = ("d", "epsilon", "alpha", "beta")
# Decades in which a parameter is looked for, by powers of ten.
_DECADES: dict[str, tuple[int, int]] = {"epsilon": (-6, 3), "alpha": (-6, 0), "beta": (-12, 0)}
_DIGITS = 10_000
# Looks along the whole range before one crossing is closed in on.
_LOOKS = 33


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
    """

    value: float
    reason: str = ""
    note: str = ""


@functools.cache
def _values(wanted: Wanted) -> NDArray[np.float64]:
    """Return the values that are looked at, from the most demanding one on."""
    entry = parameter(wanted)
    if wanted == "d":
        return np.arange(int(entry.high), 0, -1).astype(np.float64)
    low, high = _DECADES[wanted]
    digits = np.arange(_DIGITS // 10, _DIGITS)
    # As they are read: 1.234e-05 and not a float beside it.
    texts = [f"{n}e{power - 3}" for power in range(low, high) for n in digits.tolist()]
    found = np.array([float(text) for text in texts])
    return found[entry.contains(found)]


def reach(
    learner: Learner,
    distribution: Distribution,
    *,
    wanted: Wanted,
    m: int,
    d: int = 1,
    epsilon: float = 1.0,
    alpha: float = 0.5,
    beta: float = 0.5,
    delta: float = 0.0,
) -> Reached:
    """Return the most demanding value with which a learner succeeds on m examples.

    That is the greatest d, or the least epsilon, alpha or beta, with success probability at least
    1 - beta at exactly m examples. Values have four digits, d all of them; the next more demanding
    one is too much. Where success crosses its target more than once, every less demanding value
    that was looked at suffices too.

    Parameters
    ----------
    learner, distribution
        From the catalog; the law must be exact.
    wanted : {"d", "epsilon", "alpha", "beta"}
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
        For values outside their domain, or a law that is not exact.
    """
    here = _cell(wanted, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    size = scalar("m", m)
    if learner.laws.get(distribution.name) != "exact":
        sentence = f"must be one on which the law of {learner.name} is exact"
        raise InputError("distribution", sentence, distribution.label)

    def good(values: NDArray[np.float64]) -> NDArray[np.bool_]:
        if wanted in {"d", "epsilon"}:
            bits = values.astype(np.int64) if wanted == "d" else np.array(here.d)
            loss = values if wanted == "epsilon" else np.array(here.epsilon)
            at = Setting(np.array(size), bits, loss, here.alpha, here.beta, here.delta)
            return suffices(learner.success(distribution, at), here.beta)
        cells = [_moved(here, wanted, value) for value in values.tolist()]
        return np.array(
            [suffices(learner.success(distribution, c.at(size)), c.beta).item() for c in cells]
        )

    def exists(value: float) -> bool:
        at = _moved(here, wanted, value)
        try:
            distribution.check(d=at.d, alpha=at.alpha)
            learner.success(distribution, at.at(size))
        except InputError:
            return False
        return True

    values = _existing(_values(wanted), exists)
    if not values.size:  # then not at this one either, and it says why
        distribution.check(d=here.d, alpha=here.alpha)
        learner.success(distribution, here.at(size))
        raise InputError(wanted, "must be one at which both learner and distribution exist", None)
    place = _first(good, values)
    if place is None:
        least = values[-1]
        return Reached(math.nan, f"{m:,} examples are too few even at {wanted} = {least:,.10g}")
    if not place:
        return Reached(float(values[0]), note=f"no more demanding {wanted} was looked at")
    return Reached(float(values[place]))


def reach_bound(
    entry: Bound,
    *,
    wanted: Wanted,
    m: int,
    d: int = 1,
    epsilon: float = 1.0,
    alpha: float = 0.5,
    beta: float = 0.5,
    delta: float = 0.0,
) -> Reached:
    """Return what a bound says of m examples, as a value of one parameter.

    Of a lower bound it is the least demanding value that is impossible with m examples (all that
    demand more are impossible too, where the bound speaks of them); of an upper bound the most
    demanding one that m examples are promised to suffice for.

    Parameters and errors are those of `reach`.

    Returns
    -------
    Reached
        NaN with a reason where the bound excludes, or promises, nothing.
    """
    here = _cell(wanted, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    size = scalar("m", m)
    lower = entry.kind == "lower"

    def good(values: NDArray[np.float64]) -> NDArray[np.bool_]:
        cells = [_moved(here, wanted, value) for value in values.tolist()]
        # Together are asked settings that differ in d and epsilon alone.
        together = [cells] if wanted in {"d", "epsilon"} else [[cell] for cell in cells]
        found = [one for part in together for one in entry.leasts(part)]
        # Where a bound says nothing a lower one excludes nothing, and an upper one promises nothing.
        return np.array([lower if one.m is None else one.m <= size for one in found])

    values = _values(wanted)
    place = _first(good, values)
    if lower:
        last = len(values) if place is None else place
        if not last:
            return Reached(math.nan, f"it excludes no {wanted} with {m:,} examples")
        return Reached(float(values[last - 1]))
    if place is None:
        return Reached(math.nan, f"it promises nothing for {m:,} examples")
    return Reached(float(values[place]))


def _cell(wanted: Wanted, **setting: float) -> Cell:
    """Return the setting; what is wanted is any valid value."""
    if wanted not in WANTED:
        raise InputError("wanted", f"must be one of {', '.join(WANTED)}", wanted)
    checked: dict[str, Any] = {
        name: parameter(name).default if name == wanted else scalar(name, value)
        for name, value in setting.items()
    }
    return Cell(**checked)


def _moved(at: Cell, wanted: Wanted, value: float) -> Cell:
    parts = {name: getattr(at, name) for name in ("d", "epsilon", "alpha", "beta", "delta")}
    return Cell(**parts | {wanted: int(value) if wanted == "d" else value})


def _existing(values: NDArray[np.float64], exists: Callable[[float], bool]) -> NDArray[np.float64]:
    """Return the values at which the distribution exists: one stretch of them."""
    looks = _looks(values.size)
    there = [n for n in looks if exists(float(values[n]))]
    if not there:
        return values[:0]
    first, last = there[0], there[-1]
    before, after = looks.index(first) - 1, looks.index(last) + 1
    if before >= 0:
        first = _close_in(lambda n: exists(float(values[n])), looks[before], first)
    if after < len(looks):
        last = _close_in(lambda n: not exists(float(values[n])), last, looks[after]) - 1
    return values[first : last + 1]


def _first(
    good: Callable[[NDArray[np.float64]], NDArray[np.bool_]], values: NDArray[np.float64]
) -> int | None:
    """Return the place from which on all looks are good; None where the last one is bad."""
    looks = _looks(values.size)
    bad = np.flatnonzero(~good(values[looks]))
    if not bad.size:
        return 0
    if bad[-1] == len(looks) - 1:
        return None
    low, high = looks[bad[-1]], looks[bad[-1] + 1]
    return _close_in(lambda n: bool(good(values[n : n + 1])[0]), low, high)


def _looks(count: int) -> Sequence[int]:
    return sorted({round(n) for n in np.linspace(0, count - 1, min(count, _LOOKS)).tolist()})


def _close_in(good: Callable[[int], bool], low: int, high: int) -> int:
    """Return a place that is good, while the one before it is not: low is bad, high is good."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high
