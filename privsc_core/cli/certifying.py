"""`certify`: numbers with a proof of their digits, and the check of such certificates."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.cli.examples import read_text
from privsc_core.cli.numbers import MOST_RECORDS, Pick, axes, collect, names, number, targeted
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import Question, answer, certify, verify

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record


def certificates(options: argparse.Namespace) -> list[Record]:
    """Return certificates, or what became of those in a file."""
    return _made(options) if options.check is None else _checked(options.check)


def _made(options: argparse.Namespace) -> list[Record]:
    concept = catalog.concept(options.concept).name
    every = options.learner is None and options.bound is None
    wanted = ("m", "d", "epsilon", "alpha", "beta")
    delta, u = number("delta", options.delta), int(number("u", options.u))
    learners, laws, bounds = Pick(), Pick(), Pick()
    if every or options.learner is not None:
        learners = names("learner", options.learner or "all", concept)
        laws = names("distribution", options.distribution, concept)
        laws = targeted(laws, concept, options.target)
    if every or options.bound is not None:
        bounds = names("bound", options.bound or "all", concept)
    asked_for = Pick([*learners, *bounds])
    values = axes(options, wanted, asked_for, laws or Pick([""]))

    def questions(who: tuple[str, ...]) -> list[dict[str, Any]]:
        names = ("learner", "distribution") if len(who) > 1 else ("bound",)
        shared = {"concept": concept, **dict(zip(names, who, strict=True)), "delta": delta, "u": u}
        unset: list[float | None] = [None]
        columns = [values[name] or unset for name in wanted]
        return [
            shared | dict(zip(wanted, chosen, strict=True))
            for chosen in itertools.product(*columns)
        ]

    def certified(*who: str) -> list[Record]:
        return [certify(Question(**asked)) for asked in questions(who)]

    def answered(who: tuple[str, ...], why: str) -> list[Record]:
        del why  # each question has a reason of its own
        return [answer(**asked) for asked in questions(who)]

    return [
        *collect((learners, laws), certified, answered),
        *collect((bounds,), certified, answered),
    ]


def _checked(path: str) -> list[Record]:
    try:
        text = read_text(path, "must have certificates", "JSON")
        given = json.loads(text, object_pairs_hook=_fields)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("file", "must be JSON", " ".join(str(error).split())) from None
    records = given if isinstance(given, list) else [given]
    if not 1 <= len(records) <= MOST_RECORDS:
        raise InputError("file", f"must have 1 to {MOST_RECORDS} certificates", len(records))
    found = [verify(record) for record in records]
    for record in found:
        if not record["holds"]:
            who = record["learner"] or record["bound"]
            requirement = f"must hold when it is recomputed ({record['reason']})"
            raise InputError("certificate", requirement, who)
    claims = [record for record in found if record["claim"]]
    if not claims:
        raise InputError("certificate", "must claim something", "no number")
    return claims


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, in which a field may stand once: readers differ in which one counts."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise InputError(name, "must stand once in a certificate", "it twice")
        fields[name] = value
    return fields
