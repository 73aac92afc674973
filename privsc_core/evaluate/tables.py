"""Numbers of samples over ranges of settings: validated, found together, remembered."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from cachetools import LRUCache

from privsc_core import progress
from privsc_core.concepts.contracts import Cell
from privsc_core.evaluate.results import NeedResult
from privsc_core.parameters import validated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike

__all__ = ["Found", "forget", "recalled", "tabulate"]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer at one setting: numbers (NaN where there is none), why, and a remark."""

    m: float
    m_from: float
    reason: str = ""
    note: str = ""

    @classmethod
    def single(cls, m: float, reason: str = "", note: str = "") -> Found:
        """Return an answer where every larger m suffices too."""
        return cls(m, m, reason, note)


_known: LRUCache[Hashable, Found] = LRUCache(maxsize=1 << 15)
_lock = threading.Lock()


def forget() -> None:
    """Forget all answers."""
    with _lock:
        _known.clear()


def tabulate(
    owner: Hashable,
    many: Callable[[Sequence[Cell]], Sequence[Found]],
    method: str,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike,
    same: Callable[[Cell], Cell] | None = None,
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
    same : callable, optional
        Setting -> the setting that has the same answer.

    Raises
    ------
    InputError
        For values outside their domain.
    """
    arrays = np.broadcast_arrays(
        validated("d", d), validated("epsilon", epsilon), validated("alpha", alpha),
        validated("beta", beta), validated("delta", delta),
    )  # fmt: skip
    shape = arrays[0].shape
    cells = [Cell(*row) for row in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
    # What several settings share is known for itself: the setting that stands for them may be invalid.
    keys: list[tuple[Any, ...]] = [
        (owner, same(cell), True) if same else (owner, cell) for cell in cells
    ]
    with _lock:
        found = {key: _known.get(key) for key in keys}
    groups: dict[tuple[float, ...], list[tuple[Any, ...]]] = {}
    for key in (key for key, answer in found.items() if answer is None):
        cell = key[1]
        groups.setdefault((cell.alpha, cell.beta, cell.delta), []).append(key)
    for wanted in progress.steps(list(groups.values()), weights=[len(g) for g in groups.values()]):
        found |= dict(zip(wanted, many([key[1] for key in wanted]), strict=True))
    answers: list[Found] = [found[key] for key in keys]  # type: ignore[misc]
    with _lock:
        _known.update(zip(keys, answers, strict=True))
        _known.update(((owner, cell), answer) for cell, answer in zip(cells, answers, strict=True))
    return _result(answers, shape, method)


def recalled(owner: Hashable, method: str, **setting: ArrayLike) -> NeedResult | None:
    """Return what `tabulate` said of a single setting of plain numbers: asked before, it is valid."""
    if any(type(value) not in {int, float} for value in setting.values()):
        return None
    cell = Cell(**setting)  # type: ignore[arg-type]
    with _lock:
        known = _known.get((owner, cell))
    return None if known is None else _result([known], (), method)


def _result(rows: Sequence[Found], shape: tuple[int, ...], method: str) -> NeedResult:
    return NeedResult(
        np.array([row.m for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.m_from for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.reason for row in rows], dtype=np.str_).reshape(shape),
        np.array([row.note for row in rows], dtype=np.str_).reshape(shape),
        method,
    )
