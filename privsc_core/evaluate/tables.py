"""Numbers of samples over ranges of settings: validated, found together, remembered."""

from __future__ import annotations

import itertools
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from privsc_core import progress
from privsc_core.evaluate.results import NeedResult
from privsc_core.parameters import validated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import ArrayLike

__all__ = ["Found", "Row", "forget", "recalled", "tabulate"]

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


K = TypeVar("K")
V = TypeVar("V")


class _Kept(OrderedDict[K, V]):
    """The last so many: what nobody asked for longest goes first.

    That of cachetools takes as long for sixty answers as a quick learner for finding them.
    """

    MOST = 1 << 15

    def seen(self, key: K) -> V | None:
        """Return what is kept, None for nothing, and keep it longer."""
        if (value := self.get(key)) is not None:
            self.move_to_end(key)
        return value

    def keep(self, pairs: Mapping[K, V]) -> None:
        self.update(pairs)
        while len(self) > self.MOST:
            self.popitem(last=False)


# Keys are owners' numbers and settings: plain tuples, since whole objects are hashed slowly.
_known: _Kept[tuple[Any, ...], Found] = _Kept()
_owners: _Kept[Hashable, int] = _Kept()
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
    shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
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
    for key in (key for key, answer in found.items() if answer is None):
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
    if any(type(value) not in {int, float} for value in row):
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
