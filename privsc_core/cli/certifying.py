"""`certify`: numbers with a proof of their digits, and the check of such certificates."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.cli.examples import read_text
from privsc_core.cli.grid import MOST_RECORDS, Pick, axes, collect, names, targeted
from privsc_core.cli.numbers import number
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import Question, certify, verify

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record

__all__ = ["certificates"]


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

    def questions(**who: str) -> list[dict[str, Any]]:
        unset: list[float | None] = [None]
        columns = [values[name] or unset for name in wanted]
        return [
            {
                "concept": concept,
                **who,
                **dict(zip(wanted, chosen, strict=True)),
                "delta": delta,
                "u": u,
            }
            for chosen in itertools.product(*columns)
        ]

    def answer(**who: str) -> list[Record]:
        return [certify(Question(**asked)) for asked in questions(**who)]

    def refused(why: str, **who: str) -> list[Record]:
        nothing = dict.fromkeys(("learner", "bound", "distribution"))
        unsaid = {"u": u or None, "reason": why}
        return [nothing | asked | unsaid for asked in questions(**who)]

    found = collect(
        (learners, laws),
        lambda learner, law: answer(learner=learner, distribution=law),
        lambda pair, why: refused(why, learner=pair[0], distribution=pair[1]),
    )
    found += collect(
        (bounds,),
        lambda bound: answer(bound=bound),
        lambda one, why: refused(why, bound=one[0]),
    )
    keys = dict.fromkeys(key for record in found for key in record)
    return [dict.fromkeys(keys) | record for record in found]


def _checked(path: str) -> list[Record]:
    try:
        given = json.loads(read_text(path, "must have certificates", "JSON"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("file", "must be JSON", " ".join(str(error).split())) from None
    records = given if isinstance(given, list) else [given]
    if not 1 <= len(records) <= MOST_RECORDS:
        raise InputError("file", f"must have 1 to {MOST_RECORDS} certificates", len(records))
    # Those of numbers without a certificate claim nothing: they are passed over, unless all are.
    claims = [r for r in records if not (isinstance(r, dict) and r.get("claim") is None)]
    found = [verify(record) for record in claims or records]
    for record in found:
        if not record["holds"]:
            who = record["learner"] or record["bound"]
            requirement = f"must hold when it is recomputed ({record['reason']})"
            raise InputError("certificate", requirement, who)
    return found
