"""`sweep`: a plan in TOML, computed by many processes into one file."""

from __future__ import annotations

import itertools
import os
import sys
import time
import tomllib
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.cli.examples import read_text
from privsc_core.cli.numbers import names, number, numbers, whole
from privsc_core.cli.streams import tell
from privsc_core.errors import InputError
from privsc_core.evaluate.question import Question
from privsc_core.parameters import parameter
from privsc_core.sweep import ASKS, HOWS, Block, Plan, Span, Told, cluster, sweep
from privsc_core.sweep.files import vacant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from privsc_core.records import Record
    from privsc_core.sweep.plan import Ask

_AXES = ("m", "d", "epsilon", "alpha", "beta", "delta")
_COUNTS = ("count", "repeat", "trials", "seed")
_KEYS = ("ask", "how", "concept", "learner", "bound", "distribution", *_AXES, *_COUNTS)
_EVERY = 10.0  # seconds between two lines of progress, where they are not written over each other
_BRISKLY = 0.2
_MOST_WORKERS = 1024


def records(options: argparse.Namespace) -> list[Record]:
    """Return one record about the sweep that was computed."""
    plan = plan_of(read_text(options.file, "must have at least one [[sweep]]", "TOML"))
    workers = os.cpu_count() or 1
    if options.workers is not None:
        workers = whole("workers", options.workers, 1, _MOST_WORKERS)
    vacant(options.output)
    with cluster(workers, options.scheduler) as client:
        told, missing = sweep(plan, options.output, client=client, hear=_Line().hear)
    return [
        {
            "output": options.output, "rows": told.rows, "missing": missing, "found": told.found,
            "seconds": round(told.seconds, 3), "rate": round(told.rate, 1), "plan": plan.digest,
        }
    ]  # fmt: skip


def plan_of(text: str) -> Plan:
    """Return the plan that a TOML text is.

    Raises
    ------
    InputError
        Naming the key that is wrong, and the block in which it is.
    """
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError("plan", "must be TOML", " ".join(str(error).split())) from None
    _known(given, ("sweep", "seed"))
    tables = given.get("sweep")
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise InputError("plan", "must have tables [[sweep]]", tables)
    blocks = []
    for place, table in enumerate(tables, start=1):
        try:
            blocks.append(_block(table))
        except InputError as error:
            name = f"{error.parameter} in sweep {place}"
            raise InputError(name, error.requirement, error.got) from None
    return Plan(tuple(blocks), _count(given, "seed", 1))


def _known(given: dict[str, Any], keys: Iterable[str]) -> None:
    for key in given:
        if key not in keys:
            raise InputError("key", f"must be one of {', '.join(keys)}", key)


def _block(given: dict[str, Any]) -> Block:
    _known(given, _KEYS)
    ask, how = _word(given, "ask", ASKS), _word(given, "how", HOWS)
    if how != "random" and "count" in given:
        raise InputError("count", "must be given for random settings only", given["count"])
    return Block(
        ask=ask, how=how, who=tuple(_who(given, ask)),
        values=_settings(given, ask, random=how == "random"), count=_count(given, "count", 0),
        repeat=_count(given, "repeat", 1),
        trials=_count(given, "trials", int(parameter("trials").default)),
        seed=_count(given, "seed", 0) if "seed" in given else None,
    )  # fmt: skip


def _word(given: dict[str, Any], key: str, known: tuple[Any, ...]) -> Any:
    word = given.get(key, known[0])
    if word not in known:
        raise InputError(key, f"must be one of {', '.join(known)}", word)
    return word


def _count(given: dict[str, Any], key: str, default: int) -> int:
    value = given.get(key, default)
    if type(value) is not int:
        raise InputError(key, "must be a whole number", value)
    return value


# --- who is asked ------------------------------------------------------------------------------


def _who(given: dict[str, Any], ask: Ask) -> list[Question]:
    """Return the learners and bounds that a block asks, also those that one of several classes lacks."""
    kind = "bound" if ask == "bound" else "learner"
    without = ("learner", "distribution") if ask == "bound" else ("bound",)
    for key in without if ask != "audit" else ("bound", "distribution"):
        if key in given:
            raise InputError(key, f"must not be given for {ask}", given[key])
    concepts = _texts(given, "concept", catalog.CONCEPTS[0].name)
    if concepts == ["all"]:
        concepts = [concept.name for concept in catalog.CONCEPTS]
    concepts = [catalog.concept(name).name for name in concepts]
    asked = _names(kind, _texts(given, kind, "all"), concepts)
    laws: dict[str, list[Any]] = {name: [None] for name in concepts}
    if ask not in {"bound", "audit"}:
        laws = _names("distribution", _texts(given, "distribution", None), concepts)
    return [
        Question(concept, **{kind: name}, distribution=law)  # type: ignore[arg-type] # a name
        for concept in concepts
        for name, law in itertools.product(asked[concept], laws[concept])
    ]


def _names(kind: str, wanted: list[str], concepts: list[str]) -> dict[str, list[str]]:
    if wanted in ([], ["all"]):
        return {c: list(names(kind, wanted[0] if wanted else None, c)) for c in concepts}
    find = getattr(catalog, kind)
    for name in wanted:
        refusals = []
        for concept in concepts:
            try:
                find(concept, name)
            except InputError as error:
                refusals.append(error)
        if len(refusals) == len(concepts):
            raise refusals[0]
    return dict.fromkeys(concepts, wanted)


def _texts(given: dict[str, Any], key: str, default: str | None) -> list[str]:
    value = given.get(key, default)
    if value is None:
        return []
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InputError(key, "must be a name or a list of names", value)
    return list(dict.fromkeys(text.strip() for text in texts))


# --- settings ----------------------------------------------------------------------------------


def _settings(
    given: dict[str, Any], ask: Ask, *, random: bool
) -> dict[str, tuple[float, ...] | Span]:
    """Return the values of each parameter; those that are left out have their defaults."""
    found: dict[str, tuple[float, ...] | Span] = {}
    for name in _AXES:
        if name == "m" and ask in {"need", "bound"}:
            if name in given:
                raise InputError(
                    name, f"must not be given for {ask}: it is the answer", given[name]
                )
        elif name in given:
            found[name] = _values(name, given[name], random=random)
        elif ask != "audit":
            found[name] = (parameter(name).default,)
    return found


def _values(name: str, given: Any, *, random: bool) -> tuple[float, ...] | Span:
    """Return values or what they are drawn from; numbers outside the domain become rows."""
    if isinstance(given, str):
        ends = [part.strip() for part in given.split(":")]
        if random and (len(ends) == 2 or (len(ends) == 3 and ends[2] == "log")):
            return _span(name, ends)
        return tuple(numbers(name, given))
    values = given if isinstance(given, list) else [given]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(name, "must have numbers, or a text such as 10:1000:25", value)
    return tuple(map(float, values))


def _span(name: str, ends: list[str]) -> Span:
    low, high = number(name, ends[0]), number(name, ends[1])
    log = len(ends) == 3
    if low > high or (log and low <= 0):
        requirement = "must be drawn from low:high, with low at most high and above 0 for log"
        raise InputError(name, requirement, ":".join(ends))
    return Span(low, high, log)


# --- progress ----------------------------------------------------------------------------------


class _Line:
    """Progress in words: one line that is written over in a terminal, else one now and then."""

    def __init__(self) -> None:
        self._over = sys.stderr is not None and sys.stderr.isatty()
        self._last = time.monotonic()

    def hear(self, told: Told) -> None:
        now, end = time.monotonic(), told.done == told.rows
        if now - self._last < (_BRISKLY if self._over else _EVERY) and not end:
            return
        self._last = now
        left = "" if told.left is None else f", {_span_of(told.left)} left"
        words = f"privsc: {told.done:,} of {told.rows:,} rows, {told.rate:,.0f} a second{left}"
        tell(f"\r{words:<78}" + ("\n" if end else "") if self._over else words + "\n")


def _span_of(seconds: float) -> str:
    whole_seconds = round(seconds)
    hours, rest = divmod(whole_seconds, 3600)
    minutes, last = divmod(rest, 60)
    return (
        f"{hours} h {minutes:02d} min"
        if hours
        else f"{minutes} min {last:02d} s"
        if minutes
        else f"{last} s"
    )
