"""Bounds over whole ranges of settings."""

from __future__ import annotations

import itertools
import math
import threading
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.evaluate.results import NeedResult
from privsc_core.kept import Kept
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Bound


# --- Numbers of samples over ranges of settings: validated, found together, remembered -----------


Row: TypeAlias = "tuple[int, float, float, float, float]"
"""One setting: d, epsilon, alpha, beta, delta."""


class Found(NamedTuple):
    """The answer at one setting: numbers (NaN where there is none), why, a remark, and `at_least`."""

    m: float
    m_from: float
    reason: str = ""
    note: str = ""
    at_least: float = math.nan

    @classmethod
    def single(
        cls, m: float, reason: str = "", note: str = "", at_least: float = math.nan
    ) -> Found:
        """Return an answer where every larger m suffices too."""
        return cls(m, m, reason, note, at_least)


# Keys are owners' numbers and settings: plain tuples, since whole objects are hashed slowly.
_known: Kept[tuple[Any, ...], Found] = Kept(1 << 15)
_owners: Kept[Hashable, int] = Kept(1 << 15)
_numbers = itertools.count()
_lock = threading.Lock()


def forget() -> None:
    """Forget all answers."""
    with _lock:
        _known.clear()


def tabulate(
    owner: Hashable,
    many: Callable[[Sequence[Row]], Sequence[Found]],
    method: str,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike,
    alike: Mapping[str, float] | None = None,
) -> NeedResult:
    """Validate, broadcast, find what is not known yet, and collect.

    Parameters
    ----------
    owner : hashable
        Whose answers they are.
    many : callable
        Settings that differ in d and epsilon alone -> the answers, in their order.
    method : str
        How they are found.
    d, epsilon, alpha, beta, delta : array_like
        They broadcast.
    alike : mapping, optional
        What changes no answer -> the value that stands for all others.

    Raises
    ------
    InputError
        For values outside their domain.
    """
    given = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta, "delta": delta}
    arrays = {name: validated(name, value) for name, value in given.items()}
    shape = np.broadcast_shapes(*[array.shape for array in arrays.values()])
    count = math.prod(shape)
    columns = {
        name: [array.item()] * count
        if array.size == 1
        else np.broadcast_to(array, shape).ravel().tolist()
        for name, array in arrays.items()
    }
    with _lock:
        if (number := _owners.seen(owner)) is None:
            number = next(_numbers)
            _owners.keep({owner: number})
        own = keys = list(zip(itertools.repeat(number), *columns.values()))
        # What several settings share is known for itself: the setting that stands for them may be invalid.
        if alike:
            columns |= {name: [value] * count for name, value in alike.items()}
            keys = list(zip(itertools.repeat((number, "alike")), *columns.values()))
        found = {key: _known.seen(key) for key in keys}
    groups: dict[tuple[float, ...], list[tuple[Any, ...]]] = {}
    for key, answer in found.items():
        if answer is None:
            groups.setdefault(key[3:], []).append(key)
    for wanted in progress.steps(list(groups.values()), weights=[len(g) for g in groups.values()]):
        found |= dict(zip(wanted, many([key[1:] for key in wanted]), strict=True))
    answers: list[Found] = [found[key] for key in keys]  # type: ignore[misc]
    with _lock:
        _known.keep(dict(zip(keys, answers, strict=True)))
        if alike:
            _known.keep(dict(zip(own, answers, strict=True)))
    return _result(answers, shape, method)


def recalled(
    owner: Hashable, method: str, *, d: ArrayLike, epsilon: ArrayLike, alpha: ArrayLike,
    beta: ArrayLike, delta: ArrayLike,
) -> NeedResult | None:  # fmt: skip
    """Return what `tabulate` said of a single setting of plain numbers: asked before, it is valid."""
    row = d, epsilon, alpha, beta, delta
    if not set(map(type, row)) <= {int, float}:
        return None
    with _lock:
        known = _known.seen((_owners.seen(owner), *row))
    return None if known is None else _result([known], (), method)


def _result(rows: Sequence[Found], shape: tuple[int, ...], method: str) -> NeedResult:
    m, m_from, reason, note, at_least = zip(*rows, strict=True)
    return NeedResult(
        np.array(m, dtype=np.float64).reshape(shape),
        np.array(m_from, dtype=np.float64).reshape(shape),
        np.array(reason, dtype=np.str_).reshape(shape),
        np.array(note, dtype=np.str_).reshape(shape),
        method,
        np.array(at_least, dtype=np.float64).reshape(shape),
    )


def bound(
    entry: Bound,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.0,
) -> NeedResult:
    """Return a bound's number of samples.

    Lower bounds give the least m not excluded, upper bounds the least m that suffices; both
    are whole numbers of at least 1.

    Parameters
    ----------
    entry : Bound
        From the catalog.
    d, epsilon, alpha, beta, delta : array_like
        They broadcast.

    Returns
    -------
    NeedResult
        NaN with a reason where the bound is not valid or has no number.

    Raises
    ------
    InputError
        For values outside their domain.
    """

    def many(rows: Sequence[Row]) -> list[Found]:
        return [
            Found.single(math.nan if found.m is None else float(found.m), found.reason, found.note)
            for found in entry.leasts([Cell(*row) for row in rows])
        ]

    at: dict[str, Any] = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta, "delta": delta}
    owner = type(entry), entry  # see `need`
    alike = {"delta": 0.0} if entry.free_of_delta else None
    return recalled(owner, "bound", **at) or tabulate(owner, many, "bound", alike=alike, **at)


def bound_limit(
    entry: Bound,
    *,
    m: ArrayLike,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: float,
    beta: float,
    delta: float = 0.0,
) -> NDArray[np.float64] | None:
    """Return the success probability that a bound allows (lower) or promises (upper) at m.

    None where the bound makes no statement at a given m.
    """
    setting = Setting(
        validated("m", m), validated("d", d), validated("epsilon", epsilon),
        scalar("alpha", alpha), scalar("beta", beta), scalar("delta", delta),
    )  # fmt: skip
    limit = entry.limit(setting)
    return None if limit is None else np.clip(limit, 0.0, 1.0)
