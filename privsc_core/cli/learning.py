"""`learn`: run a learner on a file of examples and print what it releases, never the data."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING

from privsc_core import api, catalog
from privsc_core.cli.answers import remarks
from privsc_core.cli.examples import exact_digits, point, read_examples
from privsc_core.cli.formats import cell
from privsc_core.cli.numbers import MOST_VALUES, number
from privsc_core.errors import InputError
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record

__all__ = ["as_text", "learn"]

# Above this, a JSON reader that has only floating point would change the number.
_EXACT_IN_JSON = 2**53
_NOT_PRIVATE = "this learner is not private: what it releases may reveal the examples"
_SEEDED = (
    "the coins follow from the seed: whoever knows it can test guesses about the examples; "
    "leave --seed out for a release"
)


def learn(options: argparse.Namespace) -> list[Record]:
    """Return one record: the setting and the hypothesis."""
    known = catalog.concept(options.concept)
    concept = known.name
    private = next((e.name for e in known.learners if e.privacy != "none"), known.learners[0].name)
    chosen = private if options.learner is None else options.learner.strip()
    u = int(number("u", options.u))
    entry = catalog.learner(concept, chosen, u)
    d = int(number("d", options.d))
    epsilon, alpha, beta, delta = (
        number(n, getattr(options, n)) for n in ("epsilon", "alpha", "beta", "delta")
    )
    secret = options.seed is None
    coins = secrets.randbelow(int(parameter("seed").high)) if secret else options.seed
    seed = int(number("seed", str(coins)))
    with exact_digits():
        asked = _points(options.predict, d)
        x, y = read_examples(options.file, d, labelled=entry.labelled)
        hypothesis = api.learn(
            concept=concept, learner=entry.name, x=x, y=y, d=d, epsilon=epsilon, alpha=alpha,
            beta=beta, delta=delta, u=u, seed=seed,
        )  # fmt: skip
        notes = [_NOT_PRIVATE] if entry.privacy == "none" else [] if secret else [_SEEDED]
        slack = remarks(entry, delta)
        notes += [slack] if slack else []
        return [
            {
                "concept": concept, "learner": entry.name, "privacy": entry.privacy, "m": len(x),
                "d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta,
                "delta": delta, "seed": None if secret else seed,
                "hypothesis": hypothesis.description,
                **_weight(hypothesis.weight),
                **_no_parameters(),
                **hypothesis.record(),
                "predictions": {str(p): hypothesis.answer(p) for p in asked} or None,
                "note": "; ".join(notes) or None,
            }
        ]  # fmt: skip


def _points(text: str | None, d: int) -> list[int]:
    if text is None:
        return []
    items = text.split(",")
    if len(items) > MOST_VALUES:
        raise InputError("predict", f"must have at most {MOST_VALUES} points", len(items))
    return [point("predict", item, d) for item in items]


def _no_parameters() -> Record:
    """Return the keys that every record has, whatever the class; the shortest descriptions first."""
    known = (entry.record_keys for concept in catalog.CONCEPTS for entry in concept.learners)
    return dict.fromkeys(key for keys in sorted(known, key=len) for key in keys)


def _weight(weight: int | None) -> Record:
    """Return how many points get label 1; a number too long for JSON only by its size."""
    if weight is None or weight <= _EXACT_IN_JSON:
        return {"weight": weight, "weight_log2": None}
    return {"weight": None, "weight_log2": math.log2(weight)}


def as_text(record: Record) -> str:
    """Return a record of `learn` as lines to read."""
    shown = {name: value for name, value in record.items() if value is not None}
    width = max(map(len, shown)) + 2
    return "".join(f"{name:<{width}}{cell(name, value)}\n" for name, value in shown.items())
