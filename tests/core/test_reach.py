"""What m examples can reach, against `need` and `bound`, which find the same line the other way."""

import contextlib
import math
import random

import numpy as np
import pytest

from privsc_core.catalog import CONCEPTS
from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need, suffices
from privsc_core.evaluate.reach import WANTED, easier, reach, reach_bound
from privsc_core.evaluate.success import success
from privsc_core.parameters import parameter
from tests.depth import deep, spread

EXACT = [
    pytest.param(learner, law, id=f"{concept.name}-{learner.name}-{law.name}")
    for concept in CONCEPTS
    for learner in concept.learners
    for law in concept.distributions
    if learner.laws.get(law.name) == "exact"
]
INVERSES = WANTED[1:]
BOUNDS = [
    pytest.param(entry, id=f"{concept.name}-{entry.name}")
    for concept in CONCEPTS
    for entry in concept.bounds
]
SETTINGS = deep(4, 250)


def settings(name, count=SETTINGS):
    """Yield settings with random parameters of a few digits, and a number of examples."""
    draw = random.Random(name)  # noqa: S311 - no secret
    for _ in range(count):
        yield (
            {
                "d": round(2 ** draw.uniform(1, 16)),
                "epsilon": round(math.exp(draw.uniform(math.log(0.05), math.log(4))), 3),
                "alpha": round(draw.uniform(0.02, 0.3), 3),
                "beta": round(math.exp(draw.uniform(math.log(0.002), math.log(0.4))), 4),
            },
            round(10 ** draw.uniform(0.5, 5)),
        )


def more_demanding(wanted, value):
    """Return the next value of four digits, which demands more; None beyond the ends."""
    if wanted == "d":
        return value + 1 if value < parameter("d").high else None
    power = math.floor(math.log10(value) + 1e-12)
    digits = round(value / 10.0 ** (power - 3)) - 1
    if digits < 1000:
        power, digits = power - 1, 9999
    return float(f"{digits}e{power - 3}")


def tied(found, beta):
    """Tell whether success is the target itself, up to rounding."""
    return not suffices(found, beta, 1e-12) and suffices(found, beta, -1e-12)


def check_learner(learner, law, wanted, setting, m):
    """Hold what is reached against `need`: m is enough there, and not at the next value."""
    try:
        found = reach(learner, law, wanted=wanted, m=m, **setting)
    except InputError:
        with pytest.raises(InputError):
            success(learner, law, m=m, **setting)
        return
    if math.isnan(found.value):
        assert "too few" in found.reason
        return
    at = setting | {wanted: int(found.value) if wanted == "d" else found.value}
    there = success(learner, law, m=m, **at)
    assert suffices(there, at["beta"])
    with contextlib.suppress(InputError):  # some other m may be too much for the law
        # Where success is 1 - beta itself for many m, its last digit decides which is the least.
        assert need(learner, law, **at).m <= m or tied(there, at["beta"])
    beyond = more_demanding(wanted, found.value)
    assert found.at_end <= bool(found.note)
    if found.at_end or beyond is None:
        return
    assert easier(wanted, beyond) == found.value
    at[wanted] = int(beyond) if wanted == "d" else beyond
    try:
        then = need(learner, law, **at)
    except InputError:  # the distribution does not exist there
        return
    # Where success falls again as m grows fewer examples may do; not m, and not all from m on.
    assert not then.m_from <= m or tied(success(learner, law, m=m, **at), at["beta"])


def check_round_trip(learner, law, wanted, setting):
    """Hold `reach` at what `need` says against what was asked: it is reached, or more."""
    try:
        needed = need(learner, law, **setting)
    except InputError:
        return
    if not needed.m >= 1 or needed.m != needed.m_from:
        return
    m = int(needed.m)
    found = reach(learner, law, wanted=wanted, m=m, **setting)
    assert not math.isnan(found.value)
    # Rounded up to four digits, which the settings have not more of.
    sign = -1 if wanted == "d" else 1
    if sign * found.value <= sign * setting[wanted]:
        return
    # Then success crosses its target once more in between.
    between = np.geomspace(setting[wanted], found.value, 400)[1:-1].tolist()
    between.append(more_demanding(wanted, found.value))  # it may be the only one
    cells = [setting | {wanted: round(x) if wanted == "d" else x} for x in between]
    assert not all(
        suffices(learner.success(law, Cell(**at).at(m)), at["beta"]).item() for at in cells
    )


def check_bound(entry, wanted, setting, m):
    """Hold what a bound excludes or promises against its own number of samples."""
    found = reach_bound(entry, wanted=wanted, m=m, **setting)
    if math.isnan(found.value):
        assert found.reason
        return
    value = int(found.value) if wanted == "d" else found.value
    there = bound(entry, **setting | {wanted: value}).m
    assert there > m if entry.kind == "lower" else there <= m


@pytest.mark.parametrize(("learner", "law"), spread(EXACT, 53))
def test_a_learner_needs_no_more_at_what_is_reached_and_more_at_the_next_value(learner, law):
    for number, (setting, m) in enumerate(settings(f"{learner.name} {law.name}")):
        wanted = INVERSES[number % len(INVERSES)]
        check_learner(learner, law, wanted, setting, m)
        if number % 2:
            check_round_trip(learner, law, wanted, setting)


@pytest.mark.parametrize("entry", BOUNDS)
def test_a_bound_says_of_what_is_reached_what_it_says_of_m(entry):
    for number, (setting, m) in enumerate(settings(entry.name)):
        check_bound(entry, INVERSES[number % len(INVERSES)], setting, m)


@pytest.mark.parametrize("entry", BOUNDS)
def test_m_exceeds_a_bound_from_its_number_on(entry):
    for setting, m in settings(f"{entry.name} over"):
        at = Cell(**setting, delta=1e-6)
        number = entry.least(at).m
        if number is None:  # then no m of a page exceeds it
            assert not (entry.over(at, m) or -1.0) >= 0.0
            continue
        assert entry.over(at, number) >= 0.0
        assert number == 1 or entry.over(at, number - 1) < 0.0
        assert (entry.over(at, m) >= 0.0) == (m >= number)


def test_what_cannot_be_asked_is_one_sentence():
    concept = CONCEPTS[0]
    learner, law = concept.learners[0], concept.distributions[0]
    with pytest.raises(InputError, match="wanted must be one of m, d, epsilon, alpha, beta; got x"):
        reach(learner, law, wanted="x", m=10)
    with pytest.raises(InputError, match="m must be a whole number"):
        reach(learner, law, wanted="epsilon", m=0)


def test_a_narrow_hill_of_success_is_found():
    """Of all alpha from 0.0133 to 0.0150 alone 24,398,862 examples are enough; or near 0.2."""
    concept = next(c for c in CONCEPTS if c.name == "point")
    learner = next(x for x in concept.learners if x.name == "noise-pseudorandom")
    law = next(x for x in concept.distributions if x.name == "bystanders")
    setting = {"d": 522_852, "epsilon": 0.0185, "beta": 0.0325}
    check_round_trip(learner, law, "alpha", setting | {"alpha": 0.0133})
    found = reach(learner, law, wanted="alpha", m=24_398_862, **setting)
    assert found.value == 0.0133
    assert "falls short again" in found.note
    # And one whose top alone is high enough.
    learner = next(x for x in concept.learners if x.name == "noise")
    setting = {"d": 17, "epsilon": 0.24, "beta": 0.0467}
    check_round_trip(learner, law, "alpha", setting | {"alpha": 0.141})


def test_a_search_does_not_creep_along_what_a_bound_excludes(monkeypatch):
    """What another path excludes is told in log odds as well, or it takes 31 looks."""
    concept = next(c for c in CONCEPTS if c.name == "interval")
    entry = next(x for x in concept.bounds if x.name == "littlestone")
    over, looked = type(entry).over, []

    def counted(self, at, m):
        looked.append(at.d)
        return over(self, at, m)

    monkeypatch.setattr(type(entry), "over", counted)
    setting = {"epsilon": 0.915, "alpha": 0.00821, "beta": 4.2e-9}
    found = reach_bound(entry, wanted="d", m=1_228_479, **setting)
    assert found.value == 222_358
    assert len(looked) < 28
