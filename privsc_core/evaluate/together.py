"""Curves of several scenarios as few computations: what they share is computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario

Found = TypeVar("Found")

__all__ = ["alike", "apart", "asked", "joined", "once_each"]


def asked(scenario: Scenario, axis: Axis, x: NDArray[np.float64], *, slack: bool) -> Hashable:
    """Return what a curve depends on, of scenarios that differ in numbers alone."""
    names = ("m", "d", "epsilon", "alpha", "beta", *(["delta"] if slack else []))
    return x.tobytes(), *(getattr(scenario, name) for name in names if name != axis)


def once_each(
    keys: Sequence[Hashable], computed: Callable[[list[int]], Sequence[Found]]
) -> list[Found]:
    """Return for each key what is computed at the places of different ones."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    found = dict(zip(places, computed(list(places.values())), strict=True))
    return [found[key] for key in keys]


def alike(scenarios: Sequence[Scenario], axis: Axis) -> bool:
    """Tell whether curves of several scenarios are one computation, and gain by it."""
    return (
        axis == "m"
        and len(scenarios) > 1
        and len({(one.alpha, one.beta, one.delta) for one in scenarios}) == 1
    )


def joined(scenarios: Sequence[Scenario], grids: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """Return the settings of grids of m, one behind the other."""
    sizes = [x.size for x in grids]
    setting = scenarios[0].settings()
    for name in ("d", "epsilon"):
        values = [getattr(one, name) for one in scenarios]
        if len(set(values)) > 1:
            setting[name] = np.repeat(values, sizes)
    return setting | {"m": np.concatenate(grids).astype(np.int64)}


def apart(
    values: NDArray[np.float64], grids: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Return what belongs to each of the grids."""
    return np.split(values, np.cumsum([x.size for x in grids])[:-1])
