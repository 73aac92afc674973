"""`learn`: run a learner on a file of examples and print what it gives out, never the data."""

from __future__ import annotations

import json
import math
import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from privsc_core import api, catalog
from privsc_core.cli.answers import chosen_class, unmoved
from privsc_core.cli.examples import exact_digits, point, read_examples
from privsc_core.cli.numbers import MOST_VALUES, number
from privsc_core.cli.streams import ROOM, tell
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.variants import remarks
from privsc_core.errors import InputError
from privsc_core.parameters import parameter
from privsc_core.records import as_json, cell
from privsc_core.trusted import release

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from privsc_core.concepts.contracts import Learner
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.records import Record

# Above this, a JSON reader that has only floating point would change the number.
_EXACT_IN_JSON = 2**53
_NOT_PRIVATE = "this learner is not private: what it releases may reveal the examples"
_SIMULATED = "a simulation on floating-point noise: not for people's data"
_SEEDED = (
    "the random choices follow from the seed: with the seed one can test guesses about the examples"
)
_TWICE = "the same data again spend again: --budget keeps the account"


def learn(options: argparse.Namespace, show: Callable[[Record], None]) -> None:
    """Show one record, the setting, the hypothesis and what was promised; then keep the receipt.

    What has been paid for is not lost: where it cannot be shown, standard error gets it.
    """
    known = chosen_class(options)
    private = next((e.name for e in known.learners if e.privacy != "none"), known.learners[0].name)
    chosen = private if options.learner is None else options.learner.strip()
    entry = catalog.learner(known, chosen, int(number("u", options.u)))
    setting = {n: number(n, getattr(options, n)) for n in ("epsilon", "alpha", "beta", "delta")}
    d = int(number("d", options.d))
    if options.simulate:
        for name in ("budget", "receipt"):
            if getattr(options, name) is not None:
                wanted = "must be left out where --simulate is given: it is of a release"
                raise InputError(name, wanted, getattr(options, name))
    else:
        if options.seed is not None:
            wanted = (
                "must be left out for a release, whose random numbers must stay secret (or add "
                "--simulate)"
            )
            raise InputError("seed", wanted, options.seed)
        release.check(entry)
    with exact_digits():
        asked = _points(options.predict, d)
        x, y = read_examples(options.file, d, labelled=entry.labelled)
        run = _simulated if options.simulate else _released
        with _receipt(options.receipt, d) as keep:
            hypothesis, said, notes, receipt = run(options, known.name, entry, x, y, d, setting)
            try:
                slack = remarks(entry, setting["delta"])
                notes += [slack] if slack else []
                notes += unmoved(options, entry.idle())
                record: Record = {
                    "concept": known.name, "learner": entry.name, "privacy": entry.privacy,
                    "m": len(x), "d": d, **setting, **said,
                    "hypothesis": hypothesis.description,
                    **_weight(hypothesis.weight),
                    **_no_parameters(),
                    **hypothesis.record(),
                    "predictions": {str(p): hypothesis.answer(p) for p in asked} or None,
                    "note": "; ".join(notes) or None,
                }  # fmt: skip
                _show(record, show, paid=bool(receipt))
            finally:
                keep(receipt)


def _show(record: Record, show: Callable[[Record], None], *, paid: bool) -> None:
    try:
        show(record)
    except (InputError, OSError):
        if paid:
            tell(as_json([record]))
        raise


def _simulated(
    options: argparse.Namespace, concept: str, entry: Learner, x: list[int], y: list[int] | None,
    d: int, setting: dict[str, float],
) -> tuple[Hypothesis, Record, list[str], Record]:  # fmt: skip
    secret = options.seed is None
    coins = secrets.randbelow(int(parameter("seed").high)) if secret else options.seed
    seed = int(number("seed", str(coins)))
    found = api.learn(
        concept=concept, learner=entry.name, x=x, y=y, d=d, **setting, u=entry.unlabelled, seed=seed
    )
    notes = [
        _SIMULATED,
        *([_NOT_PRIVATE] if entry.privacy == "none" else [] if secret else [_SEEDED]),
    ]
    nothing = dict.fromkeys(("adjacency", "public", "noise", "left"))
    return found, {"seed": None if secret else seed, **nothing}, notes, {}


def _released(
    options: argparse.Namespace, concept: str, entry: Learner, x: list[int], y: list[int] | None,
    d: int, setting: dict[str, float],
) -> tuple[Hypothesis, Record, list[str], Record]:  # fmt: skip
    learner = entry.at(setting["delta"])
    sample = Sample.of(d, x, [1] * len(x) if y is None else y)
    who: Record = {"concept": concept, "learner": entry.name}
    made = release.release(
        learner, sample, epsilon=setting["epsilon"], alpha=setting["alpha"], beta=setting["beta"],
        words=who, budget=options.budget,
    )  # fmt: skip
    found, said, drawn = made.hypothesis, made.statement, made.drawn
    return (
        found,
        {
            "delta": learner.privacy_slack, "seed": None, "adjacency": said["adjacency"],
            "public": said["public"],
            "noise": f"{drawn.mechanism}, by {drawn.sampler}; {drawn.promise}", "left": made.left,
        },
        [] if options.budget else [_TWICE],
        {
            **said, **who, "m": len(x), "d": d, "alpha": setting["alpha"], "beta": setting["beta"],
            "hypothesis": found.description, **found.record(), "left": made.left,
        },
    )  # fmt: skip


@contextmanager
def _receipt(path: str | None, d: int) -> Iterator[Callable[[Record], None]]:
    """Take a new file, and room on its disk, before anything is spent; what comes out is written into it."""
    if path is None:
        yield lambda _: None
        return
    file, kept = Path(path), False

    def keep(record: Record) -> None:
        nonlocal kept
        stream.seek(0)
        fill(json.dumps(record, indent=1).encode() + b"\n", "must take what is written to it")
        kept = True

    def fill(data: bytes, wanted: str) -> None:
        try:
            while data:  # a disk that fills up takes a part of it first
                data = data[stream.write(data) :]
            stream.truncate()
            os.fsync(stream.fileno())
        except OSError as error:
            raise InputError("receipt", f"{wanted} ({error.strerror})", path) from None

    new = "must be a new file that can be written"
    try:
        stream = file.open("xb", buffering=0)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError("receipt", f"{new} ({why})", path) from None
    try:
        with stream:
            # Twenty points of d bits are the most that a hypothesis has.
            fill(b" " * (ROOM + 8 * d), new)
            yield keep
    finally:
        if not kept:
            file.unlink(missing_ok=True)


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
