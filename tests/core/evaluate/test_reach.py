"""What m examples can reach, against `need` and `bound`, which find the same line the other way."""

import contextlib
import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.catalog import CONCEPTS
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.cascade import Cascade
from privsc_core.concepts.parity.distributions import Spikes
from privsc_core.concepts.parity.learners import Exponential
from privsc_core.concepts.shared.cube import ShatteredDistribution
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need, scores, suffices
from privsc_core.evaluate.reach import easier, reach, reach_bound
from privsc_core.evaluate.success import success
from privsc_core.parameters import WANTED, parameter
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
SETTINGS = deep(3, 250)
CLASSES = Counter(case.id.split("-")[0] for case in EXACT)
# Settings of a class that are scanned: 1,000 of each in a deep run.
SCANNED = {name: deep(1, -(-1_000 // count)) for name, count in CLASSES.items()}
EACH, JUMPS = deep((60, 15), (2_000, 10_000))  # of whole numbers from 1 on; of where laws jump


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
    if not found.complete or sign * found.value <= sign * setting[wanted]:
        return
    assert tied(success(learner, law, m=m, **setting), setting["beta"])


def jumps(law, alpha, most):
    """Return the d at which a further mistake fits into alpha, and those beside them."""
    step, begin = 0.0, 0
    if isinstance(law, ShatteredDistribution):
        step = law.a / alpha
    elif isinstance(law, Cascade):
        step, begin = 0.5 / alpha, 2
    if not step:
        return []
    every = np.arange(1.0, most / step + 2.0)
    at = np.ceil(every[:: -(-every.size // JUMPS)] * step - 1e-9).astype(int) + begin
    return (at[:, None] + np.arange(-1, 2)).ravel().tolist()


def looked_at(learner, law, wanted, setting, found):
    """Return values that demand more than what was found: of d all that a scan looks at, else some."""
    if wanted != "d":
        low, high = {"epsilon": (-6, 3), "alpha": (-6, 0), "beta": (-12, 0)}[wanted]
        end = 10.0**high if math.isnan(found) else found
        far = np.geomspace(10.0**low, end, 60)
        near = [] if math.isnan(found) else found * (1.0 - 10.0 ** np.linspace(-3.0, -0.3, 20))
        values = {float(f"{x:.3e}") for x in (*far, *near)}
        return [x for x in values if 10.0**low <= x < end]
    most, begin = learner.most_d(law), 0 if math.isnan(found) else int(found)
    d = {*range(1, min(EACH, most) + 1), *range(begin, begin + 40)}
    d |= {round(x) for x in np.geomspace(1, most, 40)} | set(jumps(law, setting["alpha"], most))
    return [x for x in d if max(begin, law.least_d - 1) < x <= most]


def sufficient(learner, law, wanted, setting, m, values):  # noqa: PLR0917 - as the others, and values
    """Return those of some values with which m examples are enough, by more than rounding."""
    if wanted in {"d", "epsilon"} and values:
        row = setting | {wanted: sorted(values)}
        with contextlib.suppress(InputError):  # at one of them
            found = success(learner, law, m=m, **row)
            return [x for x, good in zip(row[wanted], suffices(found, row["beta"], 1e-9), strict=True) if good]  # fmt: skip
    good = []
    for value in values:
        at = setting | {wanted: value}
        with contextlib.suppress(InputError):
            if suffices(success(learner, law, m=m, **at), at["beta"], 1e-9):
                good.append(value)
    return good


def check_scan(learner, law, wanted, setting, m):
    """Hold what is reached against a scan: nothing suffices that demands more."""
    try:
        found = reach(learner, law, wanted=wanted, m=m, **setting)
    except InputError:
        return
    if not found.complete:
        assert "not all values" in found.note or "that was looked at" in found.reason
        if wanted != "d":
            return
    values = looked_at(learner, law, wanted, setting, found.value)
    assert sufficient(learner, law, wanted, setting, m, values) == [], found


def check_bound(entry, wanted, setting, m):
    """Hold what a bound excludes or promises against its own number of samples."""
    found = reach_bound(entry, wanted=wanted, m=m, **setting)
    if math.isnan(found.value):
        assert found.reason
        return
    value = int(found.value) if wanted == "d" else found.value
    there = bound(entry, **setting | {wanted: value}).m
    assert there > m if entry.kind == "lower" else there <= m
    if wanted != "d" or entry.kind == "upper":
        return
    # Of d a lower bound excludes every one from there on, where it says something.
    beyond = {*range(value, value + 20), *(round(x) for x in np.geomspace(value, 1e6, 10))}
    assert all((entry.over(Cell(**setting | {"d": d}), m) or -1.0) < 0.0 for d in beyond)


def row_of(wanted, draw, law, learner, count=12):
    """Return random values of a parameter, from the most demanding one on."""
    if wanted == "d":
        d = [round(2 ** draw.uniform(0, 7)) for _ in range(count // 2)]
        d += [round(math.exp(draw.uniform(0, math.log(learner.most_d(law))))) for _ in d]
        near = {min(x + 1, learner.most_d(law)) for x in d}
        return sorted(x for x in {*d, *near} if x >= law.least_d)[::-1]
    low, high = {"epsilon": (-3, 1.5), "alpha": (-3, -0.1), "beta": (-4, -0.1)}[wanted]
    first = [10 ** draw.uniform(low, high) for _ in range(count)]
    return sorted({float(f"{x * more:.3e}") for x in first for more in (1.0, 1.003)})


def check_words(learner, law, wanted, setting, m):
    """Hold what a law says of values that demand less: that it eases, or what success is at most."""
    eases, at_best = learner.eases(law, wanted), learner.at_best(law, wanted)
    draw = random.Random(f"{setting} {m}")  # noqa: S311 - no secret
    cells, found = [], []
    for value in row_of(wanted, draw, law, learner):
        at = Cell(**setting | {wanted: value})
        try:
            law.check(d=at.d, alpha=at.alpha)
            there = learner.success(law, at.at(m))
        except InputError:
            continue
        # Beyond 25 success and failure are rounding.
        found.append(min(max(float(scores(there, at.beta)), -25.0), 25.0))
        cells.append(at)
    if eases and found:
        best = np.maximum.accumulate(found)
        fell = best - found > 1e-5 * (1.0 + np.abs(best))
        assert not fell.any(), (wanted, setting, m, cells[int(np.argmax(fell))])
    if at_best is None:
        return
    pairs = list(itertools.combinations_with_replacement(range(len(cells)), 2))
    for first, last in draw.sample(pairs, min(len(pairs), 60)):
        with contextlib.suppress(InputError):
            most = scores(at_best(cells[first].at(m), cells[last].at(m)), cells[last].beta)
            inside = max(found[first : last + 1])
            assert max(most, -25.0) >= inside - 1e-8 * (1.0 + abs(inside)), (wanted, setting, m)


@pytest.mark.parametrize(("learner", "law"), spread(EXACT, 28))
def test_a_law_eases_as_it_says_and_is_below_what_it_is_at_best(learner, law):
    name = next(c.name for c in CONCEPTS if learner in c.learners)
    count = SCANNED[name.split("-")[0]]
    for number, (setting, m) in enumerate(settings(f"{learner.name} {law.name} words", count)):
        check_words(learner, law, INVERSES[(number + len(law.name)) % len(INVERSES)], setting, m)


@pytest.mark.parametrize(("learner", "law"), spread(EXACT, 9))
def test_nothing_suffices_that_demands_more_than_what_is_reached(learner, law):
    name = next(c.name for c in CONCEPTS if learner in c.learners)
    count = SCANNED[name.split("-")[0]]
    for number, (setting, m) in enumerate(settings(f"{learner.name} {law.name} scan", count)):
        check_scan(learner, law, INVERSES[number % len(INVERSES)], setting, m)


@pytest.mark.parametrize("entry", BOUNDS)
def test_a_bound_eases_as_it_says_and_m_exceeds_it_by_no_more_than_at_best(entry):
    draw = random.Random(entry.name)  # noqa: S311 - no secret
    for number, (setting, m) in enumerate(settings(f"{entry.name} words", deep(2, 250))):
        wanted = INVERSES[(number + len(entry.name)) % len(INVERSES)]
        at_best = entry.at_best(wanted)
        if not entry.eases(wanted) and at_best is None:
            continue
        row = row_of(wanted, draw, Spikes(), Exponential(), 4)
        cells = [Cell(**setting | {wanted: value}) for value in row]
        found = [entry.over(at, m) for at in cells]
        spoken = [value >= 0.0 for value in found if value is not None]
        assert not entry.eases(wanted) or spoken == sorted(spoken), (wanted, setting, m)
        if at_best is None:
            continue
        for first, last in itertools.combinations_with_replacement(range(len(cells)), 2):
            inside = max(found[first : last + 1])
            most = at_best(cells[first], cells[last], m)
            assert most >= inside or math.isclose(most, inside, rel_tol=1e-9, abs_tol=1e-9)


class Sure(Exponential):
    """Planted: takes success on spikes for what never rises with d."""

    def eases(self, *_):
        return True


class Shy(Exponential):
    """Planted: counts the mistakes that may be made at the smaller d."""

    def at_best(self, distribution, _wanted):
        return lambda _hard, easy: self.success(distribution, easy)


ZIGZAG = {"epsilon": 0.781, "alpha": 0.286, "beta": 0.272}


@pytest.mark.parametrize("planted", [Sure(), Shy()], ids=lambda learner: type(learner).__name__)
def test_a_law_that_comes_and_goes_and_does_not_say_so_is_noticed(planted):
    at = {"d": 5, "epsilon": 0.48, "alpha": 0.122, "beta": 0.25}
    check_scan(Exponential(), Spikes(), "d", at, 23)
    check_words(Exponential(), Spikes(), "d", at, 23)
    with pytest.raises(AssertionError):
        check_words(planted, Spikes(), "d", at, 23)
    if isinstance(planted, Sure):
        with pytest.raises(AssertionError):
            check_scan(planted, Spikes(), "d", ZIGZAG | {"d": 5}, 7)


def test_on_spikes_more_bits_may_be_easier():
    """0.8855 at d = 2, 0.6599 at 3, 0.8447 at 7, 0.9417 at 100, and 1 from 1,000 on."""
    found = reach(Exponential(), Spikes(), wanted="d", m=7, **ZIGZAG)
    assert (found.value, found.at_end, found.complete) == (10_000.0, True, True)
    assert found.note == "the search ends here; some values of d below it do not suffice"


def test_blocks_and_counts_are_whole_in_beta_and_alpha_too():
    """Recipe: the least of all 9,000 values of a decade, one by one."""
    parity, release = (next(c for c in CONCEPTS if c.name == n) for n in ("parity", "release"))
    klnrs = next(x for x in parity.learners if x.name == "elimination-klnrs")
    at = {"d": 1000, "epsilon": 4.074, "alpha": 0.206}
    values = np.round(np.arange(0.0149, 0.0151, 1e-5), 5).tolist()
    good = sufficient(klnrs, Spikes(), "beta", at | {"beta": 0.1}, 4109, values)
    assert reach(klnrs, Spikes(), wanted="beta", m=4109, **at).value == min(good)
    assert 0.0149 < min(good) < 0.0151
    laplace = next(x for x in release.learners if x.name == "laplace")
    at = {"d": 16, "epsilon": 0.017, "beta": 0.103}
    found = reach(laplace, release.distributions[0], wanted="alpha", m=7938, **at)
    assert found.complete
    assert 0.18 < found.value < 0.19
    assert "values of alpha above it may not suffice" in found.note


@pytest.mark.parametrize(("learner", "law"), spread(EXACT, 24))
def test_a_learner_needs_no_more_at_what_is_reached_and_more_at_the_next_value(learner, law):
    for number, (setting, m) in enumerate(settings(f"{learner.name} {law.name}")):
        wanted = INVERSES[number % len(INVERSES)]
        check_learner(learner, law, wanted, setting, m)
        if number % 2:
            check_round_trip(learner, law, wanted, setting)


@pytest.mark.parametrize("entry", spread(BOUNDS, 41))
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
    assert "some values of alpha above it do not suffice" in found.note
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


# --- Simulated laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", INVERSES)
def test_what_is_simulated_is_reached_at_least(wanted):
    """The truth is taken from more trials of another seed: they share no sample."""
    learner, law = (
        catalog.learner("interval", "exponential"),
        catalog.distribution("interval", "uniform"),
    )
    given = {"m": 140, "d": 8, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    asked = {name: value for name, value in given.items() if name != wanted}
    with pytest.raises(InputError, match="or trials must be given"):
        reach(learner, law, wanted=wanted, **asked)
    found = reach(learner, law, wanted=wanted, **asked, trials=300)
    assert not found.complete
    assert "at least" in found.note
    there = asked | {wanted: int(found.value) if wanted == "d" else found.value}
    at_least = success(learner, law, **there, trials=4_000, seed=9)
    assert at_least.high >= 1 - there["beta"]
    if not found.at_end:  # and not far from all that is reached
        harder = there | {wanted: there[wanted] * (2 if wanted == "d" else 0.5)}
        assert success(learner, law, **harder, trials=4_000, seed=9).low < 1 - harder["beta"]


def test_the_least_m_of_a_simulated_law_says_so():
    learner, law = catalog.learner("interval", "erm"), catalog.distribution("interval", "uniform")
    asked = {"d": 12, "alpha": 0.1, "epsilon": 0.5, "beta": 0.1}
    found = reach(learner, law, wanted="m", **asked, trials=1000)
    assert (found.value, found.complete) == (need(learner, law, **asked).m, False)
    assert "simulated" in found.note
