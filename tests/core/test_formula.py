"""A formula is read by a grammar of its own: values by another route, and no text gets further than it should."""

import contextlib
import math
import random
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.own_bound import own_bound
from privsc_core.formula import DEPTH, LONGEST, MOST, NODES, Formula
from privsc_core.numerics.wide import Wide
from tests.depth import deep

NAMES = ("d", "epsilon", "delta", "alpha", "beta", "T")
D = (3, 16, 40)
AT = {"epsilon": 0.5, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}
VALUES = AT | {"d": D, "T": Wide.power_of_two(np.array(D, dtype=float))}
HOSTILE = (
    "__import__('os').system('x')", "().__class__.__bases__", "lambda: 0", "9**9**9**9**9", "d if d else 1",
    "[d for d in d]", "d;d", "0x10", "1_000", "1e999", "d\x00", "\ud800", "𝟏+d", "ｄ", "log" * 60, "(" * 150,
    "-" * 190 + "d", "d!", "d'", '"d"', "<b>d</b>", "=d", "@d", "+d-", "1/0", "0^-1", "(-1)^0.5", "log(-d)",
    "log(0)", "exp(exp(exp(d)))", "2^2^2^2^2^2^2", "T^T^T", "min()", "min(1)", "log(1,2)", "sqrt", "log*", "log*(",
    "d d", "2d", "2(d)", "(d)(d)", "d,d", "1..2", ".", "1e", "e", "pi", "m", "d.real", "d[0]", "{d}", "d\\", "d%2",
    "d//2", "d^", "^d", "*", "d=1", "$d$", "\u202ed", "d\n+1", "True", "None", "inf", "nan", "1" * 250,
)  # fmt: skip


# --- Random formulas: each as we write it, and as Python does ---------------------------------------


def grown(rng, depth):
    """Return a random formula in two languages: ours and Python's."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.7:
            name = rng.choice(NAMES)
            return rng.choice(
                {"epsilon": ["epsilon", "eps", "ε"], "beta": ["beta", "β"]}.get(name, [name])
            ), name
        text = rng.choice(["2", "0.5", "1e3", "3.25", ".75", "10"])
        return text, text
    left, right = grown(rng, depth - 1), grown(rng, depth - 1)
    form = rng.choice(FORMS)
    to = rng.choice(("2", "0.5", "-1", "3"))
    log = rng.choice(("log", "ln"))
    return tuple(
        one.format(a, b, to=to, log=log) for one, a, b in zip(form, left, right, strict=True)
    )


FORMS = (
    *((form, form) for form in ("({} + {})", "({} - {})", "({} * {})", "({} / {})", "(-{})", "log2({})", "sqrt({})",
                                "exp({})", "min({}, {})", "max({}, {})", "({}/{})")),
    ("({})^{to}", "pow({}, {to})"), ("({})**{to}", "pow({}, {to})"), ("{log}({})", "log({})"),
)  # fmt: skip


def power(base, to):
    if base == 0 and to < 0:
        raise ZeroDivisionError
    return math.pow(base, to)


PYTHON = {
    "log": math.log, "log2": math.log2, "sqrt": math.sqrt, "exp": math.exp, "min": min, "max": max, "pow": power,
}  # fmt: skip


def by_python(code, d):
    """Return what Python's own arithmetic says of a formula that we grew ourselves, None for no number."""
    try:
        value = eval(code, {"__builtins__": {}}, PYTHON | AT | {"d": d, "T": 2.0**d})  # noqa: S307 - ours
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def broken(rng, text):
    """Return a text with a few characters exchanged, doubled or dropped."""
    letters = list(text)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(letters))
        letters[at : at + rng.randrange(2)] = rng.choice("d()+-*/^,. eαm2<>=\x00é'")
    return "".join(letters)


def test_thousands_of_formulas_have_a_value_a_gap_with_a_reason_or_a_sentence():
    rng = random.Random(63)  # noqa: S311 - test data
    seen = {"value": 0, "gap": 0, "sentence": 0, "compared": 0}
    for number in range(deep(2_000, 10_000)):
        ours, python = grown(rng, rng.choice((1, 2, 2, 3)))
        whole = number % 3 == 0
        text = ours if whole else rng.choice(HOSTILE) if number % 7 == 1 else broken(rng, ours)
        try:
            found = Formula(text, NAMES)(VALUES)
        except InputError as refused:
            assert not whole, text
            said = str(refused)
            assert said.startswith("formula must ")
            assert said.endswith(".")
            assert said.isprintable()
            assert len(said.split()) <= 35
            seen["sentence"] += 1
            continue
        gaps = np.isnan(found.m)
        assert found.m.shape == found.reason.shape
        assert ((found.reason != "") == gaps).all(), text
        assert (found.m[~gaps] >= 1).all()
        assert (found.m[~gaps] <= MOST).all()
        seen["gap"] += gaps.any()
        seen["value"] += not gaps.any()
        code = compile(python, "grown", "eval") if whole else None
        for m, exact, d in (
            zip(found.m, found.value, D, strict=True) if code and found.m.shape else ()
        ):
            value = by_python(code, d)
            if value is None or not 1e-6 < abs(value) < 1e14:
                continue  # beyond floats, or what is left of a difference
            if value < 0:
                assert np.isnan(m), text
            elif not np.isnan(m):
                assert value * (1 - 1e-9) <= m <= max(1.0, value * (1 + 1e-9) + 1), text
                assert exact == pytest.approx(value, rel=1e-9, abs=1e-9), text
                seen["compared"] += 1
    assert min(seen.values()) > 100, seen


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_hostile_text_is_run(text):
    with contextlib.suppress(InputError):
        found = Formula(text, NAMES)(VALUES)
        assert ((found.reason == "") == np.isfinite(found.m)).all()
        assert set(text) <= set(" \n+-*/^()., 0123456789.") | set("".join(NAMES)) | set("logexpmin")


# --- Far beyond floats: Decimal has no such limits ---------------------------------------------------


class Far(NamedTuple):
    d: Decimal
    T: Decimal


FAR = (
    ("log(T)", lambda one: one.T.ln()),
    ("log2(T)", lambda one: Decimal(one.d)),
    ("log(T/3 - 5/3)/epsilon", lambda one: (one.T / 3 - Decimal(5) / 3).ln() * 2),
    ("log(T^3*exp(-d)/beta)", lambda one: (one.T**3 * Decimal(-one.d).exp() * 20).ln()),
    ("log(sqrt(T) + 1)", lambda one: (one.T.sqrt() + 1).ln()),
    ("log2(1/T)^2", lambda one: Decimal(one.d) ** 2),
    ("1e3*T/(T + 1)", lambda one: 1000 * one.T / (one.T + 1)),
    ("min(T, 7*d)", lambda one: min(one.T, Decimal(7 * one.d))),
    ("max(log(T), 1e5*T/2^d)", lambda one: max(one.T.ln(), Decimal(100000))),
    ("exp(log(T)/d)*100", lambda one: 200 * one.d / one.d),
)


@pytest.mark.parametrize("d", [3, 64, 1500, 10**6])
@pytest.mark.parametrize(("text", "truth"), FAR, ids=[text for text, _ in FAR])
def test_two_to_a_million_is_a_number_like_any_other(text, truth, d):
    values = AT | {"d": d, "T": Wide.power_of_two(np.array(float(d)))}
    with localcontext(prec=60, Emax=10**12, Emin=-(10**12)):
        wanted = truth(Far(Decimal(d), Decimal(2) ** d))
        found = Formula(text, NAMES)(values).m.item()
        least = max(1, math.ceil(wanted * (1 - Decimal(10) ** -14)))
    assert abs(found - least) <= max(1e-8 * least * (d == 10**6), 0), (found, wanted)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5])
def test_the_iterated_logarithm_climbs_at_each_tower(size):
    tower = [0.5, 2, 4, 16, 65536, None][size]
    x = Wide.power_of_two(np.array(65536.0)) if tower is None else Wide.of(float(tower))
    with np.errstate(over="ignore"):
        assert x.iterated_log() == size
        assert (x * Wide.of(1.5)).iterated_log() == size + (size > 0)


# --- What a formula may be, and where it says that it is not -----------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must not be empty"),
        ("d" + "+d" * (LONGEST // 2), f"must have at most {LONGEST} characters"),
        ("+".join(["d"] * (NODES // 2 + 1)), f"must have at most {NODES} numbers"),
        ("(" * (DEPTH + 1) + "d" + ")" * (DEPTH + 1), f"nested at most {DEPTH} deep"),
        ("2d", "an operator such as * after 2; got d at character 2"),
        ("log d", "a ( after log; got d at character 5"),
        ("3*m/d", "do without m, which is the number that it gives; got m at character 3"),
        ("0,5*d", "commas only between the values of min and max; got , at character 2"),
        ("(d+1", "a ) for every (; got ( at character 1"),
        ("d+1)", "a ( for every ); got ) at character 4"),
        ("d*/2", "a number, a name or a ( here; got / at character 3"),
        ("d*", "a number, a name or a ( here; got the end"),
        ("kappa", "made of the names d, epsilon, delta, alpha, beta, T, log"),
        ("d$2", "got $ at character 2"),
    ],
)
def test_a_refusal_says_what_and_where(text, said):
    with pytest.raises(InputError) as caught:
        Formula(text, NAMES)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2^2+10", 6), ("2^3^2", 512), ("2^-1*8", 4), ("8/4/2", 1), ("10-4-3", 3), ("2**3", 8),
        ("3/(0.1*3)", 10), ("2·3×4−4÷2", 22), ("log*(2^16)+log₂(8)", 7), ("min(3,2,9)", 2), ("+max(1,-2)", 1),
        ("1e-30", 1), ("0", 1),
    ],
)  # fmt: skip
def test_signs_bind_as_in_a_paper(text, value):
    assert Formula(text)({}).m.item() == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1/(d-3)", "1/(d-3) divides by 0"),
        ("log(d-16)", "log(d-16) needs a number above 0"),
        ("d-16", "the formula is below 0 here"),
        ("T^2", "the formula is above 10¹⁵ here"),
        ("sqrt(d-16)", "sqrt(d-16) is no real number"),
        ("exp(exp(d^2))", "exp(exp(d^2)) is too large or too near 0"),
        ("min(5, 1/(d-16))", "1/(d-16) divides by 0"),
    ],
)
def test_a_gap_has_a_reason_that_names_the_part(text, why):
    found = Formula(text, NAMES)(VALUES)
    assert why in set(found.reason.tolist())


# --- As a bound of a class -----------------------------------------------------------------------------


@pytest.mark.parametrize("concept", [*catalog.CONCEPTS, *catalog.BESIDE], ids=lambda c: c.name)
def test_a_class_says_what_its_size_is_called(concept):
    size = concept.size.symbol
    at = Cell(9, 0.5, 0.1, 0.1)
    assert own_bound(concept.name, f"{size} + d").least(at).m == 18
    for name, log2 in concept.called:
        entry = own_bound(concept.name, f"10*log2({name})")
        assert entry.least(at).m == math.ceil(10 * log2(9))
        assert "d" not in entry.idle
        assert "epsilon" in entry.idle
        # The number that a formula names is the one of the page's own words.
        assert {"kappa": "κ"}.get(name, name) in concept.size.meaning + concept.definition
    others = {"T", "kappa", "p", "n", "b"} - {size, *(name for name, _ in concept.called)}
    for name in others:
        with pytest.raises(InputError, match=f"got {name} at"):
            own_bound(concept.name, name)


def test_a_prime_is_the_prime_and_not_a_power_of_two():
    at = Cell(4, 0.5, 0.1, 0.1)
    assert own_bound("line", "p").least(at).m == 13
    assert own_bound("line(101)", "p").least(at).m == 101
    assert own_bound("line", "log(p)*1000").least(Cell(10**6, 0.5, 0.1, 0.1)).m == 693147181
