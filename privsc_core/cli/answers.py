"""Every command that answers questions about the catalog: one record per combination.

The order is that of nested loops over what was typed: learner or bound, distribution, m, d,
epsilon, alpha, beta; the last one varies fastest.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.cli.examples import read_text
from privsc_core.cli.numbers import (
    MOST_RECORDS,
    axes,
    brought,
    combinations,
    names,
    number,
    numbers,
    picked,
)
from privsc_core.concepts.contracts.idle import said
from privsc_core.concepts.shared.variants import joined, own_slack, remarks
from privsc_core.errors import InputError
from privsc_core.evaluate.question import Question
from privsc_core.evaluate.several import Pick, collect
from privsc_core.parameters import PARAMETERS, WANTED, parameter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from privsc_core.concepts.contracts import ConceptClass, Distribution
    from privsc_core.evaluate.results import AuditResult
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.finite import FiniteClass
    from privsc_core.records import Record

_SLACK = "approximate"
_WANTED = {"m": "it is what is looked for"}
_ROWS = "must have a row of 0 and 1 for each concept"
_INFINITE = "infinite: an output is possible on one side only"
_LEARNERS = ("learner", "distribution")
_BOUNDS = ("bound",)


def unmoved(
    options: argparse.Namespace, idle: Mapping[str, str], law: Distribution | None = None
) -> list[str]:
    """Return remarks on typed options that cannot change the answer."""
    typed = getattr(options, "given", ())
    found = {name: why for name, why in idle.items() if name in typed}
    for knob in law.knobs if law else ():
        if knob.key in idle and getattr(law, knob.key) != knob.default:
            found[knob.symbol] = idle[knob.key]
    return said(found)


# --- All settings at once: success, need, bound --------------------------------------------------


def success(options: argparse.Namespace) -> list[Record]:
    """Return success probabilities."""
    return _at_all(options, _LEARNERS, WANTED, {})


def need(options: argparse.Namespace) -> list[Record]:
    """Return least numbers of samples."""
    return _at_all(options, _LEARNERS, WANTED[1:], _WANTED)


def bound(options: argparse.Namespace) -> list[Record]:
    """Return the numbers of samples of bounds."""
    return _at_all(options, _BOUNDS, WANTED[1:], _WANTED)


def chosen_class(options: argparse.Namespace) -> ConceptClass:
    """Return the class that is named, or that of a file of labels; d is left out where it has one size."""
    text = options.concept
    if text.endswith((".csv", ".txt")):
        from privsc_core.finite import from_text

        known = catalog.concept(from_text(read_text(text, _ROWS)))
    else:
        known = catalog.concept(text)
    if (
        known.only_size is not None
        and "d" not in getattr(options, "given", ())
        and options.d is not None
    ):
        options.d = str(known.only_size)
    return known


def _at_all(
    options: argparse.Namespace,
    kinds: tuple[str, ...],
    wanted: tuple[str, ...],
    idle: Mapping[str, str],
) -> list[Record]:
    """Return the records of each chosen learner or bound, all settings in one question."""
    known = brought(chosen_class(options), options.learner if "learner" in kinds else None)
    numbers("m", options.m)  # checked even where it is the answer
    fixed: Record = {
        n: number(n, getattr(options, n)) for n in ("delta", "u", "trials", "seed", "log2_d")
    }
    if fixed["log2_d"]:
        if "d" in options.given:
            raise InputError("log2_d", "must stand without d", fixed["log2_d"])
        options.d = f"{parameter('d').high}"
    picks = picked(options, kinds, known)
    values = axes(options, wanted, *picks)
    mesh: Record = dict(zip(values, np.ix_(*map(np.asarray, values.values())), strict=True))

    def asked(who: tuple[str, ...]) -> Question:
        one: Any = dict(zip(kinds, who, strict=True))
        return Question(known, **one, **mesh, **fixed)

    def answer(*who: str) -> list[Record]:
        one = asked(who)
        found = one.answer()
        more = unmoved(options, {**found.idle, **idle}, None if one.bound else one.law)
        # A bound that says nothing here may say something elsewhere: a lower bound of 1 excludes nothing.
        return [
            each | {"note": joined(each["note"], *(more if one.learner or (each["m"] or 0) > 1 else ())) or None}
            for each in found.records()
        ]  # fmt: skip

    return collect(picks, answer, lambda who, why: asked(who).refused(why).records())


# --- One setting after the other: reach, certify, audit ------------------------------------------


def reach(options: argparse.Namespace) -> list[Record]:
    """Return what every learner reaches, and what is out of anyone's reach."""
    from privsc_core.evaluate import calculator

    concept = chosen_class(options).name
    wanted, delta = options.wanted, number("delta", options.delta)
    u = int(number("u", options.u))
    picks = picked(options, _LEARNERS, concept)
    proper = None if options.form is None else options.form == "proper"
    kind = calculator.Kind(options.privacy or "", proper)
    picks[0][:] = [n for n in picks[0] if kind.has(catalog.learner(concept, n, u), delta)]
    if not picks[0]:
        words = " ".join(filter(None, (options.form, options.privacy)))
        raise InputError(
            "learner",
            f"must be one that is {words}, of which {concept} lists none",
            options.learner,
        )
    one = calculator.guarantee if options.guaranteed else calculator.line
    given = axes(options, (name for name in WANTED if name != wanted), *picks)
    fixed: Record = {"wanted": wanted, "delta": delta, "u": u}
    if options.trials is not None:
        fixed |= {name: int(number(name, getattr(options, name))) for name in ("trials", "seed")}

    def questions(law: str) -> list[Question]:
        every = combinations(given)
        return [Question(concept, distribution=law, **fixed, **one).checked() for one in every]

    def answer(learner: str, law: str) -> list[Record]:
        slack = own_slack(catalog.learner(concept, learner, u), delta)
        found = [calculator.record(asked, one(asked, learner)) for asked in questions(law)]
        return [one | {"note": joined(one["note"], slack) or None} for one in found]

    def refused(pair: tuple[str, ...], why: str) -> list[Record]:
        return [
            calculator.record(asked, calculator.Line(pair[0], math.nan, why, on=asked.law.label))
            for asked in questions(pair[1])
        ]

    return collect(picks, answer, refused)


def certify(options: argparse.Namespace) -> list[Record]:
    """Return certificates, or the check of those in a file."""
    from privsc_core.evaluate import certificate

    if options.check is not None:
        return _checked(options.check, certificate.verify)
    concept = chosen_class(options).name
    every = options.learner is None and options.bound is None
    fixed: Record = {"delta": number("delta", options.delta), "u": int(number("u", options.u))}
    learners, laws, bounds = Pick(), Pick(), Pick()
    if every or options.learner is not None:
        learners, laws = picked(options, _LEARNERS, concept, default="all")
    if every or options.bound is not None:
        bounds = names("bound", options.bound or "all", concept)
    values = axes(options, WANTED, Pick([*learners, *bounds]), laws or Pick([""]))

    def questions(who: tuple[str, ...]) -> list[Question]:
        one: Any = dict(zip(_LEARNERS if len(who) > 1 else _BOUNDS, who, strict=True))
        return [Question(concept, **one, **fixed, **at) for at in combinations(values)]

    def certified(*who: str) -> list[Record]:
        return [certificate.certify(asked) for asked in questions(who)]

    def answered(who: tuple[str, ...], why: str) -> list[Record]:
        del why  # each question has a reason of its own
        return [certificate.answer(asked) for asked in questions(who)]

    return [
        *collect((learners, laws), certified, answered),
        *collect((bounds,), certified, answered),
    ]


def _checked(path: str, verify: Callable[[Record], Record]) -> list[Record]:
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


def audit(options: argparse.Namespace) -> list[Record]:
    """Return the worst privacy losses on tiny instances: exact, or at least so large by runs."""
    from privsc_core import api

    concept = brought(chosen_class(options), options.learner)
    seed, delta = int(number("seed", options.seed)), number("delta", options.delta)
    trials = None if options.trials is None else int(number("trials", options.trials))
    learners = names("learner", options.learner, concept)
    settings = combinations(axes(options, WANTED, learners))

    def record(name: str, asked: Record, found: AuditResult | None, reason: str | None) -> Record:
        entry = catalog.learner(concept, name).audited()
        # Of epsilon whether it is private depends in any case.
        idle = {key: why for key, why in entry.idle().items() if key != "epsilon"}
        own = {
            key: getattr(entry.tiny, key) if typed is None else typed
            for key, typed in asked.items()
        }
        words = found.verdict.rstrip(".") if found and found.runs else ""
        return {
            "concept": concept.name, "learner": name, "privacy": entry.privacy, **own,
            "delta": found.delta if found else delta, "seed": seed,
            "worst": _finite(found.worst) if found else None,
            "least_delta": found.least_delta if found and (found.runs or entry.privacy == _SLACK) else None,
            "private": found.private if found else None,
            "pairs": found.pairs if found else None,
            "method": found.method if found else None,
            "runs": found.runs if found else None,
            "database": [list(row) for row in found.database] if found else None,
            "neighbour": [list(row) for row in found.neighbour] if found else None,
            "output": found.output if found else None,
            "reason": reason,
            "note": joined(words, remarks(entry, delta), *unmoved(options, idle)) or None if found else None,
        }  # fmt: skip

    def answer(name: str) -> list[Record]:
        records = []
        for asked in settings:
            found = api.audit(name, concept=concept, delta=delta, trials=trials, seed=seed, **asked)
            reason = None if math.isfinite(found.worst) else _INFINITE
            records.append(record(name, asked, found, reason))
        return records

    def refused(who: tuple[str, ...], why: str) -> list[Record]:
        return [record(who[0], asked, None, why) for asked in settings]

    return collect((learners,), answer, refused)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# --- figure: the numbers behind a figure of the dashboard, one record a point --------------------


def figure(options: argparse.Namespace) -> list[Record]:
    """Return every point of every curve, or every cell of a map and the lines on it."""
    from privsc_core import draw
    from privsc_core.evaluate.scenario import Scenario

    concept = chosen_class(options)
    shown = () if options.learner == "none" else names("learner", options.learner, concept)
    setting: Record = {
        entry.name: number(entry.name, getattr(options, entry.name)) for entry in PARAMETERS
    }
    law = catalog.distribution(concept, options.distribution, options.target)
    regions = tuple(names("bound", options.regions, concept)) if options.regions else ()
    scenario = Scenario(
        concept, tuple(shown), law.label, options.constants, **setting, regions=regions,
        formula=options.formula,
    )  # fmt: skip
    on_map = catalog.learner(concept, options.map).name if options.map else ""
    pinned = _pinned(scenario, options.pin) if options.pin else None
    drawn = draw.picture(scenario, options.view, on_map=on_map, pinned=pinned)
    head, rows = draw.data_rows(drawn)
    if not rows:
        raise InputError("learner", "must have a curve in this figure", options.learner)
    return [dict(zip(head, row, strict=True)) for row in rows]


def _pinned(scenario: Scenario, pairs: list[str]) -> Scenario:
    """Return the scenario with the values of the pairs."""
    changed: Record = {}
    numbers = {entry.name for entry in PARAMETERS} - {"trials", "seed"}
    known = (*sorted(numbers), "constants", "distribution", "concept")
    for pair in pairs:
        name, is_pair, text = pair.partition("=")
        if name not in known or not is_pair:
            raise InputError("pin", f"must be NAME=VALUE with a name of {', '.join(known)}", pair)
        changed[name] = number(name, text) if name in numbers else text
    return replace(scenario, **changed)


# --- dimensions: those of a class that a file or a word gives, or of one of any size --------------


def dimension_records(options: argparse.Namespace) -> list[Record]:
    """Return a record for each dimension, then one for each bound on samples."""
    from privsc_core.finite import dimensions
    from privsc_core.finite.families import priced_at

    epsilon, alpha, beta = (
        float(number(name, getattr(options, name))) for name in ("epsilon", "alpha", "beta")
    )
    if options.family:
        return priced_at(options.file, epsilon=epsilon, alpha=alpha, beta=beta)
    return dimensions(_class(options), epsilon=epsilon, alpha=alpha, beta=beta).records()


def _class(options: argparse.Namespace) -> FiniteClass:
    """Return the class of a file, of a word (``--ready``) or of a link's text (``--code``)."""
    from privsc_core.finite import from_code, from_text, ready

    if options.ready:
        return ready(options.file)
    if options.code:
        return from_code(options.file)
    return from_text(read_text(options.file, _ROWS))
