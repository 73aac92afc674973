"""The rows of one part: computed together where they share work, refused one by one."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.parameters import WANTED, scalar
from privsc_core.sweep.plan import WHO

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.evaluate.question import Question
    from privsc_core.sweep.plan import Part

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
    for name in WHO:
        names = np.array([getattr(one, name) or None for one in part.who], dtype=object)
        found[name] = names[part.asked]
    found.update(part.given)
    for which in np.unique(part.asked).tolist():
        _ask(part, part.who[which], np.flatnonzero(part.asked == which), found)
    return found


def _ask(part: Part, who: Question, here: NDArray[np.intp], found: Columns) -> None:
    """Fill in the answers of one learner or bound."""
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
            got = ask(replace(who, **setting, trials=part.trials, seed=seed), setting)
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


def _success(asked: Question, _: dict[str, Any]) -> dict[str, Any]:
    got = asked.success()
    failure = {} if got.failure is None else {"failure": got.failure}
    return {
        "value": got.value, "low": got.low, "high": got.high, "method": got.method, **failure,
    }  # fmt: skip


def _need(asked: Question, _: dict[str, Any]) -> dict[str, Any]:
    got = asked.need()
    return {
        "value": got.m, "m_from": got.m_from, "method": got.method,
        "reason": _texts(got.reason), "note": _texts(got.note),
    }  # fmt: skip


def _texts(given: NDArray[np.str_]) -> NDArray[Any]:
    """Return texts, None for the empty ones."""
    found = given.astype(object)
    found[given == ""] = None
    return found


def _learn(asked: Question, setting: dict[str, Any]) -> dict[str, Any]:
    """Draw one sample, run the learner on it, and tell whether it succeeded."""
    at = {name: scalar(name, v.item()) for name, v in setting.items()}
    bits, alpha, law = at["d"], at["alpha"], asked.law
    law.check(d=bits, alpha=alpha)
    rng = np.random.default_rng(asked.seed)
    learner = asked.entry.at(at["delta"])
    sample = law.draw(m=at["m"] + learner.unlabelled, d=bits, alpha=alpha, rng=rng)
    hypothesis = learner.run(sample, Cell(sample.d, at["epsilon"], alpha, at["beta"]), rng)
    success = law.succeeds(hypothesis, d=bits, alpha=alpha)
    words = textwrap.shorten(hypothesis.description, _TEXT, placeholder=" …")
    return {"value": float(success), "method": "run", "hypothesis": words}


def _audit(asked: Question, setting: dict[str, Any]) -> dict[str, Any]:
    own = asked.entry.tiny
    at: dict[str, Any] = {name: getattr(own, name) for name in WANTED}
    at |= {name: scalar(name, v.item()) for name, v in setting.items()}
    got = audit(asked.entry, **at, seed=asked.seed)
    slack = got.least_delta if got.delta else math.nan
    return {
        **at, "value": got.worst, "least_delta": slack, "private": got.private,
        "method": "enumerated", "delta": got.delta,
    }  # fmt: skip


_ASKED: dict[str, Callable[[Question, dict[str, Any]], dict[str, Any]]] = {
    "success": _success, "need": _need, "bound": _need, "learn": _learn, "audit": _audit,
}  # fmt: skip
