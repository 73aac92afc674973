"""The rows of one part: computed together where they share work, refused one by one."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import api, catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.sweep.plan import Part, Who

    Columns = dict[str, NDArray[Any]]

# Every file has all of them, so that files of different questions can be joined.
COLUMNS: dict[str, str] = {
    "row": "int64", "ask": "string", "concept": "string", "learner": "string", "bound": "string",
    "distribution": "string", "m": "int64", "d": "int64", "epsilon": "double", "alpha": "double",
    "beta": "double", "delta": "double", "trials": "int64", "seed": "int64", "value": "double",
    "low": "double", "high": "double", "failure": "double", "m_from": "int64",
    "least_delta": "double", "private": "bool", "method": "string", "hypothesis": "string",
    "reason": "string", "note": "string",
}  # fmt: skip
_TEXT = 200
_TINY = ("m", "d", "epsilon", "alpha", "beta")
_WHO = ("concept", "learner", "bound", "distribution")


def row_seed(seed: int, row: int) -> int:
    """Return the seed of a row, a whole number in [0, 2^53), from that of the plan."""
    state = np.random.SeedSequence(seed, spawn_key=(row,)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(11))


def answers(part: Part) -> Columns:
    """Return the columns of a part.

    Strings are object arrays with None where there is nothing, numbers float64 with NaN there; a
    setting that is refused has the refusal as its `reason`.
    """
    size = part.rows.size
    found: Columns = {
        name: np.full(size, None, dtype=object)
        if kind in {"string", "bool"}
        else np.full(size, math.nan)
        for name, kind in COLUMNS.items()
    }
    found["row"] = part.rows
    found["ask"][:] = part.ask
    for name in _WHO:
        names = np.array([getattr(one, name) or None for one in part.who], dtype=object)
        found[name] = names[part.asked]
    found.update(part.given)
    for which in np.unique(part.asked).tolist():
        _ask(part, part.who[which], np.flatnonzero(part.asked == which), found)
    return found


def _ask(part: Part, who: Who, here: NDArray[np.intp], found: Columns) -> None:
    """Fill in the answers of one whom is asked."""
    coins = part.ask in {"learn", "audit"} or not who.exact
    if coins:
        found["seed"][here] = [
            row_seed(part.seed, row) if part.fixed is None else part.fixed
            for row in part.rows[here].tolist()
        ]
    if coins and part.ask in {"success", "need"}:
        found["trials"][here] = part.trials
    ask = _ASKED[part.ask]

    def fill(rows: NDArray[np.intp]) -> None:
        """Ask for these at once; where one is refused, for each half."""
        setting: dict[str, Any] = {name: v[rows] for name, v in part.given.items()}
        seed = int(found["seed"][rows[0]]) if coins else 1
        try:
            got = ask(who, setting, part.trials, seed)
        except InputError as error:
            if rows.size == 1:
                found["reason"][rows] = str(error)
                return
            fill(rows[: rows.size // 2])
            fill(rows[rows.size // 2 :])
            return
        for name, values in got.items():
            found[name][rows] = values

    # Rows with coins of their own are asked one by one; those with none, or the same, together.
    together = not coins or (part.fixed is not None and part.ask in {"success", "need"})
    if together:
        fill(here)
    else:
        for row in here:
            fill(np.array([row]))


def _names(who: Who) -> dict[str, Any]:
    return {
        "concept": who.concept,
        "learner": who.learner,
        "distribution": who.distribution or None,
    }


def _success(who: Who, setting: dict[str, Any], trials: int, seed: int) -> dict[str, Any]:
    got = api.success(**_names(who), **setting, trials=trials, seed=seed)
    failure = {} if got.failure is None else {"failure": got.failure}
    return {
        "value": got.value, "low": got.low, "high": got.high, "method": got.method, **failure,
    }  # fmt: skip


def _need(who: Who, setting: dict[str, Any], trials: int, seed: int) -> dict[str, Any]:
    got = api.need(**_names(who), **setting, trials=trials, seed=seed)
    return _least(got)


def _bound(who: Who, setting: dict[str, Any], trials: int, seed: int) -> dict[str, Any]:
    del trials, seed  # a bound has no coins
    return _least(api.bound(concept=who.concept, bound=who.bound, **setting))


def _least(got: Any) -> dict[str, Any]:
    return {
        "value": got.m, "m_from": got.m_from, "method": got.method,
        "reason": _texts(got.reason), "note": _texts(got.note),
    }  # fmt: skip


def _texts(given: NDArray[np.str_]) -> NDArray[Any]:
    """Return texts, None for the empty ones."""
    found = given.astype(object)
    found[given == ""] = None
    return found


def _learn(who: Who, setting: dict[str, Any], trials: int, seed: int) -> dict[str, Any]:
    """Draw one sample, run the learner on it, and tell whether it succeeded."""
    del trials
    at = {name: scalar(name, v.item()) for name, v in setting.items()}
    bits, alpha = at["d"], at["alpha"]
    law = catalog.distribution(who.concept, who.distribution or None)
    law.check(d=bits, alpha=alpha)
    rng = np.random.default_rng(seed)
    learner = catalog.learner(who.concept, who.learner).at(at["delta"])
    sample = law.draw(m=at["m"] + learner.unlabelled, d=bits, alpha=alpha, rng=rng)
    hypothesis = learner.run(sample, Cell(sample.d, at["epsilon"], alpha, at["beta"]), rng)
    success = law.succeeds(hypothesis, d=bits, alpha=alpha)
    words = textwrap.shorten(hypothesis.description, _TEXT, placeholder=" …")
    return {"value": float(success), "method": "run", "hypothesis": words}


def _audit(who: Who, setting: dict[str, Any], trials: int, seed: int) -> dict[str, Any]:
    del trials
    at = {name: scalar(name, v.item()) for name, v in setting.items()}
    own = catalog.learner(who.concept, who.learner).tiny
    at = {name: getattr(own, name) for name in _TINY} | at
    got = api.audit(concept=who.concept, learner=who.learner, **at, seed=seed)
    slack = got.least_delta if got.delta else math.nan
    return {
        **at, "value": got.worst, "least_delta": slack, "private": got.private, "method": "enumerated", "delta": got.delta,
    }  # fmt: skip


_ASKED: dict[str, Callable[[Who, dict[str, Any], int, int], dict[str, Any]]] = {
    "success": _success, "need": _need, "bound": _bound, "learn": _learn, "audit": _audit,
}  # fmt: skip
