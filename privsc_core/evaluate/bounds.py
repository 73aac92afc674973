"""Bounds over whole ranges of settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.evaluate.tables import Found, recalled, tabulate
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Bound
    from privsc_core.evaluate.results import NeedResult
    from privsc_core.evaluate.tables import Row

__all__ = ["bound", "bound_limit"]


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
