"""`success`, `need`, `bound`, `reach` and `audit`: one record per combination.

The order is that of nested loops over what was typed: learner or bound, distribution, m, d,
epsilon, alpha, beta; the last one varies fastest.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import api, catalog
from privsc_core.cli.numbers import axes, collect, names, number, numbers, targeted
from privsc_core.concepts.contracts.idle import of_need, said
from privsc_core.concepts.shared.unlabelled import beside
from privsc_core.evaluate import calculator
from privsc_core.evaluate.reach import WANTED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from privsc_core.cli.formats import Record
    from privsc_core.concepts.contracts import Distribution, Learner
    from privsc_core.evaluate.results import AuditResult

_NO_NUMBER = "the answer is no number"
_SLACK = "approximate"
_WANTED = {"m": "it is what is looked for"}
_INFINITE = "infinite: an output is possible on one side only"


def own_slack(entry: Learner, delta: float) -> str | None:
    """Say which privacy slack stands in for a delta of 0, where a learner cannot do with 0."""
    own = entry.at(0.0).privacy_slack
    if delta > 0.0 or not own:
        return None
    return f"with delta = 0 {entry.name} uses its own delta, {own:g}"


def remarks(entry: Learner, delta: float) -> str | None:
    """Say which slack stands in for a delta of 0, and how many unlabelled examples it takes."""
    return "; ".join(filter(None, (own_slack(entry, delta), beside(entry)))) or None


def unmoved(
    options: argparse.Namespace, idle: Mapping[str, str], law: Distribution | None = None
) -> list[str]:
    """Say of what was typed what cannot change the answer."""
    typed = getattr(options, "given", ())
    found = {name: why for name, why in idle.items() if name in typed}
    for knob in law.knobs if law else ():
        if knob.key in idle and getattr(law, knob.key) != knob.default:
            found[knob.symbol] = idle[knob.key]
    return said(found)


def success(options: argparse.Namespace) -> list[Record]:
    """Return success probabilities."""

    def ask(**question: Any) -> list[Record]:
        found = api.success(**question)
        columns = (_flat(found.value), _flat(found.low), _flat(found.high))
        return [
            {"value": value, "low": low, "high": high, "method": found.method,
             "reason": _NO_NUMBER if value is None else None}
            for value, low, high in zip(*columns, strict=True)
        ]  # fmt: skip

    nothing = dict.fromkeys(("value", "low", "high", "method"))
    return _about_learners(options, ("m", "d", "epsilon", "alpha", "beta"), ask, nothing, dict)


def need(options: argparse.Namespace) -> list[Record]:
    """Return least numbers of samples."""

    def ask(**question: Any) -> list[Record]:
        found = api.need(**question)
        return [
            {
                "m": m, "m_from": m_from, "at_least": at_least, "method": found.method,
                "reason": reason or None, "note": note or None,
            }
            for m, m_from, at_least, reason, note in zip(
                _counts(found.m), _counts(found.m_from), _counts(found.at_least),
                found.reason.ravel().tolist(), found.note.ravel().tolist(), strict=True,
            )
        ]  # fmt: skip

    nothing = dict.fromkeys(("m", "m_from", "at_least", "method"))
    return _about_learners(
        options, ("d", "epsilon", "alpha", "beta"), ask, nothing,
        lambda idle: of_need(idle) | _WANTED,
    )  # fmt: skip


def bound(options: argparse.Namespace) -> list[Record]:
    """Return the numbers of samples of bounds."""
    concept, fixed = _fixed(options)
    bounds = names("bound", options.bound, concept)
    names("distribution", options.distribution, concept)
    values = axes(options, ("d", "epsilon", "alpha", "beta"), bounds)
    settings = _settings(values, fixed["delta"])

    def record(name: str, setting: Record, answer: Record) -> Record:
        entry = catalog.bound(concept, name)
        who = {"concept": concept, "bound": name, "kind": entry.kind, "constants": entry.constants}
        return who | setting | answer

    def answer(name: str) -> list[Record]:
        found = api.bound(concept=concept, bound=name, **_open_mesh(values), delta=fixed["delta"])
        columns = (_counts(found.m), found.reason.ravel().tolist(), found.note.ravel().tolist())
        more = unmoved(options, {**found.idle, **_WANTED})
        # One that says nothing here may say something elsewhere: a lower bound of 1 excludes nothing.
        return [
            record(name, setting, {
                "m": m, "reason": reason or None,
                "note": "; ".join(filter(None, (note, *(more if m and m > 1 else ())))) or None,
            })
            for setting, m, reason, note in zip(settings, *columns, strict=True)
        ]  # fmt: skip

    def refused(who: tuple[str, ...], why: str) -> list[Record]:
        nothing = {"m": None, "reason": why, "note": None}
        return [record(who[0], setting, nothing) for setting in settings]

    return collect((bounds,), answer, refused)


def reach(options: argparse.Namespace) -> list[Record]:
    """Return what every learner reaches, and what is out of anyone's reach."""
    concept = catalog.concept(options.concept).name
    wanted, delta = options.wanted, number("delta", options.delta)
    u = int(number("u", options.u))
    learners = names("learner", options.learner, concept)
    distributions = targeted(
        names("distribution", options.distribution, concept), concept, options.target
    )
    given = axes(options, (name for name in WANTED if name != wanted), learners, distributions)
    simulation = {}
    if options.trials is not None:
        simulation = {
            name: int(number(name, getattr(options, name))) for name in ("trials", "seed")
        }

    def questions(distribution: str) -> list[calculator.Question]:
        return [
            calculator.Question(
                concept=concept, wanted=wanted, distribution=distribution, delta=delta, u=u,
                **dict(zip(given, chosen, strict=True)),  # type: ignore[arg-type]
            )
            for chosen in itertools.product(*given.values())
        ]  # fmt: skip

    def answer(learner: str, distribution: str) -> list[Record]:
        slack = own_slack(catalog.learner(concept, learner, u), delta)
        found = [
            calculator.record(asked, calculator.line(asked, learner, **simulation))
            for asked in questions(distribution)
        ]
        return [
            one | {"note": "; ".join(filter(None, (one["note"], slack))) or None} for one in found
        ]

    def refused(pair: tuple[str, ...], why: str) -> list[Record]:
        nothing = calculator.Line(pair[0], math.nan, why)
        return [calculator.record(asked, nothing) for asked in questions(pair[1])]

    return collect((learners, distributions), answer, refused)


def _about_learners(
    options: argparse.Namespace,
    wanted: tuple[str, ...],
    ask: Callable[..., list[Record]],
    nothing: Record,
    idle: Callable[[dict[str, str]], dict[str, str]],
) -> list[Record]:
    """Return what `ask` answers for every learner, distribution and setting."""
    concept, fixed = _fixed(options)
    learners = names("learner", options.learner, concept)
    distributions = targeted(
        names("distribution", options.distribution, concept), concept, options.target
    )
    values = axes(options, wanted, learners, distributions)
    settings = _settings(values, fixed["delta"])
    last = {"trials": fixed["trials"], "seed": fixed["seed"]}

    def who(learner: str, distribution: str) -> Record:
        words = catalog.distribution(concept, distribution).words()
        return {"concept": concept, "learner": learner, "distribution": distribution} | words

    def answer(learner: str, distribution: str) -> list[Record]:
        names_ = who(learner, distribution)
        asked = {"concept": concept, "learner": learner, "distribution": distribution}
        found = ask(**asked, **_open_mesh(values), **fixed)
        entry = catalog.learner(concept, learner, fixed["u"])
        law = catalog.distribution(concept, distribution)
        more = (remarks(entry, fixed["delta"]), *unmoved(options, idle(entry.idle(law)), law))
        notes = [
            {"note": "; ".join(filter(None, (one.get("note"), *more))) or None} for one in found
        ]
        return [
            names_ | s | last | one | note
            for s, one, note in zip(settings, found, notes, strict=True)
        ]

    def refused(pair: tuple[str, ...], why: str) -> list[Record]:
        unanswered = nothing | {"reason": why, "note": None}
        return [who(*pair) | s | last | unanswered for s in settings]

    return collect((learners, distributions), answer, refused)


def audit(options: argparse.Namespace) -> list[Record]:
    """Return the worst privacy losses on tiny instances."""
    concept = catalog.concept(options.concept).name
    seed, delta = int(number("seed", options.seed)), number("delta", options.delta)
    learners = names("learner", options.learner, concept)
    values = axes(options, ("m", "d", "epsilon", "alpha", "beta"), learners)
    unset: list[float | None] = [None]
    combinations = [
        dict(zip(values, chosen, strict=True))
        for chosen in itertools.product(*(column or unset for column in values.values()))
    ]

    def record(name: str, asked: Record, found: AuditResult | None, reason: str | None) -> Record:
        entry = catalog.learner(concept, name).audited()
        # Of epsilon whether it is private depends in any case.
        idle = {key: why for key, why in entry.idle().items() if key != "epsilon"}
        own = {
            key: getattr(entry.tiny, key) if typed is None else typed
            for key, typed in asked.items()
        }
        return {
            "concept": concept, "learner": name, "privacy": entry.privacy, **own,
            "delta": found.delta if found else delta, "seed": seed,
            "worst": _finite(found.worst) if found else None,
            "least_delta": found.least_delta if found and entry.privacy == _SLACK else None,
            "private": found.private if found else None,
            "pairs": found.pairs if found else None,
            "database": [list(row) for row in found.database] if found else None,
            "neighbour": [list(row) for row in found.neighbour] if found else None,
            "output": found.output if found else None,
            "reason": reason,
            "note": "; ".join(filter(None, (remarks(entry, delta), *unmoved(options, idle)))) or None
            if found else None,
        }  # fmt: skip

    def answer(name: str) -> list[Record]:
        records = []
        for asked in combinations:
            chosen: dict[str, Any] = asked
            found = api.audit(concept=concept, learner=name, delta=delta, seed=seed, **chosen)
            reason = None if math.isfinite(found.worst) else _INFINITE
            records.append(record(name, asked, found, reason))
        return records

    def refused(who: tuple[str, ...], why: str) -> list[Record]:
        return [record(who[0], asked, None, why) for asked in combinations]

    return collect((learners,), answer, refused)


def _fixed(options: argparse.Namespace) -> tuple[str, Record]:
    """Return the options with a single value; m is checked even where it is the answer."""
    concept = catalog.concept(options.concept).name
    numbers("m", options.m)
    return concept, {n: number(n, getattr(options, n)) for n in ("delta", "u", "trials", "seed")}


def _settings(values: dict[str, list[float]], delta: float) -> list[Record]:
    """Return every combination as a record, in the order of `_open_mesh`."""
    rows = []
    for chosen in itertools.product(*values.values()):
        row = dict(zip(values, chosen, strict=True))
        place = list(row).index("epsilon") + 1
        entries = list(row.items())
        rows.append(dict([*entries[:place], ("delta", delta), *entries[place:]]))
    return rows


def _open_mesh(values: dict[str, list[float]]) -> dict[str, NDArray[Any]]:
    """Return one array per parameter, each along an axis of its own."""
    mesh = np.ix_(*(np.asarray(column) for column in values.values()))
    return dict(zip(values, mesh, strict=True))


def _flat(array: NDArray[np.float64]) -> list[float | None]:
    return [_finite(entry) for entry in array.ravel().tolist()]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _counts(array: NDArray[np.float64]) -> list[int | None]:
    return [int(m) if math.isfinite(m) else None for m in array.ravel().tolist()]
