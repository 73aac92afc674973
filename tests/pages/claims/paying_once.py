"""What the captions of “Paying once” say."""

import math

import numpy as np
import pytest

from privsc_core.exhibits.point import optimum as figures
from privsc_core.exhibits.point.optimum import over_votes, price
from tests.pages.claims.packing import shares_of


def _half(s):
    return [
        f"needs {s.need('exponential'):,} examples",
        f"margin learner {s.need('margin'):,}",
        "2⁶⁴",
    ]


def _slopes(s):
    k = np.arange(200.0)
    found = over_votes(k, s.d * math.log(2), s.d * math.log(2), s.epsilon)
    assert np.diff(found.mechanism) == pytest.approx(s.epsilon / 2)
    assert np.diff(found.margin)[60:] == pytest.approx(s.epsilon / 2, rel=1e-3)
    # From the first votes to one half: about epsilon.
    climb = (found.margin[int(found.half)] - found.margin[4]) / (int(found.half) - 4)
    assert climb == pytest.approx(s.epsilon, rel=0.1)
    return ["falls at rate ε/2", "rate is ε/2 throughout"]


def _halfway(s):
    found, shares = shares_of(s)
    assert found.boxes.halfway
    assert shares.least == s.m == s.bound("packing-two")
    return [f"below {shares.least:,} examples"]


def _program(s):
    n, m, epsilon = (s.now[key] for key in ("cands", "recs", "peps"))
    found = figures.program(n, m, epsilon)
    assert found.value == pytest.approx(found.bound, abs=1e-9)
    assert found.dual == pytest.approx(found.bound, abs=1e-9)
    return [f"{n} candidates, {m} examples, ε = {epsilon:g}", f"{found.value:.6f}"]


def _price(s):
    votes = s.now["mine"]
    found = price(votes, np.arange(float(votes)), s.d, s.epsilon)
    last = int(np.flatnonzero(found.margin > 0.5)[-1])
    assert found.mechanism[: last + 1].min() > 0.97
    return [f"K = {votes}", f"up to V = {last}"]


SCENES = (
    _half, _slopes, lambda _: ["log((T+1)/2)/ε"], lambda _: [], _halfway, _program, _price,
    lambda _: [], lambda _: [],
)  # fmt: skip
