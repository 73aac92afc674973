"""Certificates: numbers recomputed in ball arithmetic by routes that classes declare.

A certificate is a record: what was asked, between which decimals the number provably lies (up to
the correctness of Arb), and what the floating-point code says. `certify` makes one, `verify`
recomputes one with more bits.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from privsc_core.certify.balls import (
    PACKAGE,
    At,
    Uncertified,
    Undecided,
    ball,
    decided,
    ends,
    software,
    working,
)
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound_limit
from privsc_core.evaluate.question import SETTING, Question
from privsc_core.numerics.decimals import decimal
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privsc_core.certify.balls import Ball
    from privsc_core.certify.routes import Route

FORMAT = "privsc certificate 1"
NO_ROUTE = "not certified: no independent route is written yet"
_RATE = "not certified: a rate without a constant is no number"
_SIMULATED = "not certified: its law is simulated here, and a simulation proves nothing"
_FALLS = "success may fall again as m grows: that no smaller m suffices is proved for m - 1 alone"
# Twelve decimal digits, and some to spare.
_ACCURATE = 44
_BITS, _TURNS, _BITS_MOST = 100, 4, 10_000
_DIGITS = 22
# A check computes with so many bits more.
_FINER = 64
# So far from what floating point says the least m is looked for.
_NEAR = 8
# How far floating point may be off before it disagrees.
AGREEMENT = 1e-12
_FOUND = ("claim", "least", "low", "high", "below_low", "below_high", "bits", "computed", "agrees",
          "reason", "note", "software")  # fmt: skip


_ASKED = ("concept", "learner", "bound", "distribution", "m", *SETTING, "u")


def exact_setting(question: Question, m: int, bits: int) -> At:
    """Return the setting of a question with m samples: numbers are the decimals that were typed."""
    law = question.law if question.learner else None
    delta = question.entry.at(question.delta).privacy_slack if question.learner else question.delta
    return At(
        m, question.d, decimal(question.epsilon), decimal(question.alpha), decimal(question.beta),
        decimal(delta), law, bits, question.u,
    )  # fmt: skip


def lacking(question: Question) -> str:
    """Return why a number has no certificate whatever the setting; empty where it has a route."""
    question = _checked(question)
    return "" if _route(question) else _no_route(question)


def certify(question: Question) -> dict[str, Any]:
    """Return the certificate of a number, or a record with the reason why it has none.

    Raises
    ------
    InputError
        Without python-flint, and where the setting does not exist.
    """
    question = _checked(question)
    record, route = _record(question), _route(question)
    if route is None:
        return record | {"reason": _no_route(question)}
    record["software"] = software()
    try:
        return record | (
            _success(question, route) if question.m is not None else _least(question, route)
        )
    except Uncertified as refused:
        return record | {"reason": f"not certified here: {refused}"}


def answer(question: Question) -> dict[str, Any]:
    """Return the certificate of a question, or the record of its refusal."""
    try:
        return certify(question)
    except InputError as refused:
        if refused.parameter == PACKAGE:
            raise
        return _record(question) | {"reason": str(refused)}


def verify(record: object) -> dict[str, Any]:
    """Certify a record's question again, with more bits; return a record that says whether it holds.

    Every field must be equal to that of the certificate made now, but that floating point may differ
    in its last digits. Where another version of the software is named, bits and decimals may differ
    too: decimals must then contain what more bits say, and be at most ten times as far apart.

    Raises
    ------
    InputError
        For what is no certificate, in one sentence.
    """
    given = _read(record)
    question = Question(**{name: given[name] for name in _ASKED})
    fresh = answer(question)
    if fresh["claim"] is None and given["claim"] is not None:
        raise InputError("certificate", f"must be of a number that has one ({fresh['reason']})",
                         given["learner"] or given["bound"])  # fmt: skip
    reason = _difference(given, fresh)
    bits = fresh["bits"]
    if reason is None and fresh["claim"]:
        bits += _FINER
        try:
            reason = None if _holds(question.checked(), given, bits) else _ANOTHER
        except Uncertified as refused:
            reason = str(refused)
    shown = {name: fresh[name] for name in (*_ASKED, "claim")}
    shown |= {name: given[name] for name in ("least", "low", "high")}
    return shown | {
        "bits": bits, "holds": reason is None, "reason": reason, "software": fresh["software"],
    }  # fmt: skip


# --- Making one ---------------------------------------------------------------------------------


def _checked(question: Question) -> Question:
    question.lone()
    return question.checked()


def _record(question: Question) -> dict[str, Any]:
    """Return the record of a question that claims nothing yet."""
    told = {name: getattr(question, name) for name in _ASKED}
    unsaid = {name: told[name] or None for name in ("learner", "bound", "distribution", "u")}
    return {"format": FORMAT, **told, **unsaid, **dict.fromkeys(_FOUND)}


def _route(question: Question) -> Route | None:
    routes = question.concept_class.certified
    if question.bound:
        found = routes.limits.get(question.bound)
        return found or (routes.excess.get(question.bound) if question.m is None else None)
    return routes.success.get((question.learner, question.law.name)) if question.exact else None


def _no_route(question: Question) -> str:
    routes = question.concept_class.certified
    why = routes.without.get(question.learner or question.bound)
    known = f"not certified: {why}" if why else NO_ROUTE
    if question.learner:
        return known if question.exact else _SIMULATED
    if question.inequality.constants == "rate":
        return _RATE
    if question.m is not None and routes.certifies(question.bound) and not why:
        return "not certified: it says nothing about success at an m; leave m out"
    return known


def _probability(question: Question) -> bool:
    """Return whether the route gives a probability of success, and no other inequality."""
    return bool(question.learner) or question.bound in question.concept_class.certified.limits


@lru_cache(maxsize=8)  # the least m asks twice
def _ball(question: Question, route: Route, m: int, bits: int) -> Ball:
    at = exact_setting(question, m, bits)
    with working(at.precision):
        found = route(at)
    if not found.is_finite():
        raise Uncertified("the arithmetic lost the number")
    return found


def _bits(question: Question) -> Iterator[int]:
    """Yield ever more bits, the first so many that beta and 1 - beta could tell."""
    beta = decimal(question.beta)
    bits = _BITS + math.ceil(-math.log2(min(beta, 1 - beta)))
    for _ in range(_TURNS):
        yield bits
        bits *= 2


def _success(question: Question, route: Route) -> dict[str, Any]:
    assert question.m is not None  # noqa: S101 - for mypy; the caller asked
    found, bits = None, 0
    for bits in _bits(question):
        found = _ball(question, route, question.m, bits)
        if found.rel_accuracy_bits() >= _ACCURATE or found == 0:
            break
    assert found is not None  # noqa: S101 - there is a first number of bits
    low, high = _clipped(found, _digits(question))
    value = _computed(question)
    return {
        "claim": "success", "low": low, "high": high, "bits": bits, "computed": value,
        "agrees": _agrees(value, low, high),
    }  # fmt: skip


def _least(question: Question, route: Route) -> dict[str, Any]:
    said, note = _candidate(question)
    m, bits = said, _BITS

    def good(n: int) -> bool:
        nonlocal bits
        *early, last = _bits(question)
        for more in early:
            bits = max(bits, more)
            try:
                return _satisfies(question, route, n, more)
            except Undecided:
                continue
        bits = max(bits, last)
        return _satisfies(question, route, n, last)

    while not good(m):
        m += 1
        _near(m, said)
    while m > 1 and good(m - 1):
        m -= 1
        _near(m, said)
    shown, digits = _clipped if _probability(question) else ends, _digits(question)
    low, high = shown(_ball(question, route, m, bits), digits)
    below = shown(_ball(question, route, m - 1, bits), digits) if m > 1 else (None, None)
    return {
        "claim": "least m", "least": m, "low": low, "high": high, "below_low": below[0],
        "below_high": below[1], "bits": bits, "computed": said, "agrees": m == said,
        "note": note or None,
    }  # fmt: skip


def _near(m: int, said: int) -> None:
    if abs(m - said) > _NEAR:
        raise Uncertified(f"the number is not near {said:,}, which floating point says")


def _satisfies(question: Question, route: Route, m: int, bits: int) -> bool:
    """Tell, with proof, whether m samples satisfy what is asked for."""
    found = _ball(question, route, m, bits)
    with working(exact_setting(question, m, bits).precision):
        goal = ball(1 - decimal(question.beta)) if _probability(question) else ball(0)
        return decided(found - goal)


def _digits(question: Question) -> int:
    """Return how many digits are shown: those of a failure as rare as beta too."""
    beta = decimal(question.beta)
    return _DIGITS + math.ceil(-math.log10(min(beta, 1 - beta)))


def _clipped(found: Ball, digits: int) -> tuple[str, str]:
    low, high = ends(found, digits)
    return ("0" if low.startswith("-") else low, "1" if Fraction(high) > 1 else high)


def _computed(question: Question) -> float | None:
    """Return what the floating-point code says at m; None where it says nothing."""
    if question.learner:
        return float(question.success().value)
    limit = bound_limit(question.inequality, m=question.m, **question.setting())
    return None if limit is None else float(limit)


def _candidate(question: Question) -> tuple[int, str]:
    """Return the least m that the floating-point code says, and a remark on what is proved."""
    found = question.need()
    falls = question.learner and not question.entry.monotone(question.law, question.alpha)
    m = float(found.m)
    if not math.isfinite(m):
        raise Uncertified(f"there is no such number: {found.reason.item()}")
    return int(m), _FALLS if falls else ""


def _agrees(value: float | None, low: str, high: str) -> bool:
    """Return whether floating point is within 10^-12 of the enclosure."""
    if value is None:
        return False
    near = Fraction(AGREEMENT)
    return Fraction(low) - near <= Fraction(value) <= Fraction(high) + near


# --- Checking one -------------------------------------------------------------------------------

_DECIMAL = re.compile(r"-?\d{1,400}(?:\.\d{1,400})?(?:e-?\d{1,4})?", re.ASCII)
_SOFTWARE = re.compile(r"Arb in FLINT [\w.]{1,20}, python-flint [\w.]{1,20}", re.ASCII)
_MUST = "must be a record that `privsc certify --json` printed"
_ANOTHER = "with more bits the number is another one"
_DECIMALS = ("low", "high", "below_low", "below_high")
# Decimals of another version of Arb may be so many times as far apart.
_WIDER = 10


def _read(record: object) -> dict[str, Any]:
    """Return a record whose question and decimals can be read; refuse anything else."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError("certificate", f"{_MUST}, of format {FORMAT!r}", "something else")
    odd = record.keys() ^ _record(Question("")).keys()
    if odd:
        raise InputError("certificate", f"{_MUST}, with just its fields", min(map(str, odd)))
    given = dict(record)
    if given["claim"] not in ("success", "least m", None):
        raise InputError("claim", "must be success, least m or null", given["claim"])
    for name in ("concept", "learner", "bound", "distribution"):
        given[name] = _text(record, name)
    if not given["concept"]:
        raise InputError("concept", "must be a name", record["concept"])
    given["distribution"] = given["distribution"] or None
    for name in ("m", "u"):
        given[name] = _number(record, name, whole=True, empty=True)
    if given["u"] == 0:
        raise InputError("u", "must be null without unlabelled examples", 0)
    given |= {"u": given["u"] or 0, "d": _number(record, "d", whole=True)}
    given |= {name: _number(record, name) for name in ("epsilon", "alpha", "beta", "delta")}
    if given["software"] is not None and not _SOFTWARE.fullmatch(_text(record, "software")):
        raise InputError("software", "must name the versions of FLINT", given["software"])
    return given | (_numbers(record) if given["claim"] else {})


def _numbers(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what a record claims, where it can be read."""
    bits, computed = _number(record, "bits", whole=True), _number(record, "computed", empty=True)
    if not 1 <= bits <= _BITS_MOST:
        raise InputError("bits", f"must be in [1, {_BITS_MOST}]", bits)
    if not math.isfinite(computed or 0):
        raise InputError("computed", "must be a number", computed)
    least = record["least"]
    if record["claim"] == "least m":
        least = scalar("m", _number(record, "least", whole=True))
    for name in _DECIMALS[: 4 if record["claim"] == "least m" and least > 1 else 2]:
        text = record[name]
        if not isinstance(text, str) or _DECIMAL.fullmatch(text) is None:
            raise InputError(name, "must be a decimal in quotation marks", text)
    return {"bits": bits, "computed": computed, "least": least}


def _difference(given: dict[str, Any], fresh: dict[str, Any]) -> str | None:
    """Return what of a record is not as it is when made now, as a clause; None if all is."""
    same_software = given["software"] == fresh["software"]
    rounded = () if same_software else ("bits", *_DECIMALS)
    for name, made in fresh.items():
        told = given[name]
        if name in rounded or name == "software":
            same = (told is None) == (made is None)
        elif name == "computed" and fresh["claim"] == "success" and None not in {told, made}:
            same = abs(Fraction(told) - Fraction(made)) <= Fraction(AGREEMENT)
        elif name in _ASKED:
            same = (told or None) == (made or None)
        else:
            same = type(told) is type(made) and told == made
        if not same:
            return f"{name} is {json.dumps(made)}"
    for low, high in (_DECIMALS[:2], _DECIMALS[2:]):
        if fresh[low] is not None:
            width = Fraction(fresh[high]) - Fraction(fresh[low])
            if Fraction(given[high]) - Fraction(given[low]) > _WIDER * width:
                return f"{low} and {high} can be computed to within {float(width):.1g}"
    return None


def _holds(question: Question, given: dict[str, Any], bits: int) -> bool:
    """Return whether what more bits say lies between the decimals and satisfies the claim."""
    route = _route(question)
    assert route is not None  # noqa: S101 - for mypy; there is a claim
    m = question.m or given["least"]
    found = [(m, given["low"], given["high"])]
    if given["below_low"] is not None:
        found.append((m - 1, given["below_low"], given["below_high"]))
    if not all(_inside(_ball(question, route, n, bits), low, high) for n, low, high in found):
        return False
    return question.m is not None or (
        _satisfies(question, route, m, bits)
        and (m == 1 or not _satisfies(question, route, m - 1, bits))
    )


def _text(record: Mapping[Any, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(key, "must be a name", value)
    return value


def _number(
    record: Mapping[Any, Any], key: str, *, whole: bool = False, empty: bool = False
) -> Any:
    value = record.get(key)
    if value is None and empty:
        return None
    kinds: tuple[type, ...] = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise InputError(key, f"must be a {'whole ' if whole else ''}number", value)
    return value


def _inside(found: Ball, low: str, high: str) -> bool:
    """Return whether a ball lies between two decimals, as probabilities are cut to [0, 1]."""
    mine = [Fraction(text) for text in ends(found, 400)]
    if high == "1":
        mine[1] = min(mine[1], Fraction(1))
    if low == "0":
        mine[0] = max(mine[0], Fraction(0))
    return Fraction(low) <= mine[0] and mine[1] <= Fraction(high)
