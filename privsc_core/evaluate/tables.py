"""Numbers of samples over ranges of settings: validated, found together, remembered."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from cachetools import LRUCache

from privsc_core import progress
from privsc_core.concepts.contracts import Cell
from privsc_core.evaluate.results import NeedResult
from privsc_core.parameters import validated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike

__all__ = ["Found", "forget", "tabulate"]


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
    if (known := _remembered(owner, (d, epsilon, alpha, beta, delta), same)) is not None:
        return _result([known], (), method)
    arrays = np.broadcast_arrays(
        validated("d", d), validated("epsilon", epsilon), validated("alpha", alpha),
        validated("beta", beta), validated("delta", delta),
    )  # fmt: skip
    shape = arrays[0].shape
    cells = [Cell(*row) for row in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
    if same is not None:
        cells = [same(cell) for cell in cells]
    with _lock:
        found = {cell: _known.get((owner, cell)) for cell in cells}
    groups: dict[tuple[float, ...], list[Cell]] = {}
    for cell in (cell for cell, answer in found.items() if answer is None):
        groups.setdefault((cell.alpha, cell.beta, cell.delta), []).append(cell)
    for wanted in progress.steps(list(groups.values()), weights=[len(g) for g in groups.values()]):
        answers = dict(zip(wanted, many(wanted), strict=True))
        found |= answers
        with _lock:
            _known.update(((owner, cell), answer) for cell, answer in answers.items())
    return _result([found[cell] for cell in cells], shape, method)  # type: ignore[misc]


def _remembered(
    owner: Hashable, setting: tuple[ArrayLike, ...], same: Callable[[Cell], Cell] | None
) -> Found | None:
    """Return the answer at a single setting of plain numbers, if it is known: so it is valid."""
    if any(type(value) not in {int, float} for value in setting):
        return None
    cell = Cell(*setting)  # type: ignore[arg-type]
    with _lock:
        return _known.get((owner, same(cell) if same else cell))


def _result(rows: Sequence[Found], shape: tuple[int, ...], method: str) -> NeedResult:
    return NeedResult(
        np.array([row.m for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.m_from for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.reason for row in rows], dtype=np.str_).reshape(shape),
        np.array([row.note for row in rows], dtype=np.str_).reshape(shape),
        method,
    )
