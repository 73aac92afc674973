"""The least m that suffices, and the least from which on every m does: by scanning, not bisecting."""

import itertools
import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from privsc_core import draw
from privsc_core.catalog import CONCEPTS
from privsc_core.cli.main import main
from privsc_core.concepts.contracts import Estimate, Setting
from privsc_core.concepts.release.distributions import Hard, Single, entries_scalar, spare
from privsc_core.concepts.release.learners import Blr, Geometric, Laplace, Stability
from privsc_core.errors import InputError
from privsc_core.evaluate import bounds, maps, views
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from privsc_core.numerics import crossing
from privsc_core.numerics.crossing import Unsettled, answers, ladder, nearest
from tests.depth import deep, in_turn, spread

ALPHAS = [0.03, 0.07, 0.1, 0.137, 0.2, 0.21, 0.22, 0.23, 0.24, 0.245, 0.249, 0.25, 0.251, 0.26,
          0.3, 0.31, 0.33]  # fmt: skip
RELEASES = [
    Laplace(), Laplace(lost=0.02), Laplace(lost=0.3), Geometric(), Geometric(lost=0.05), Blr(),
    Stability(), Stability(0.1),
]  # fmt: skip
FAR = 4000


def setting(m, d, epsilon, alpha, delta=0.0):
    return Setting(np.asarray(m), np.asarray(d), np.asarray(epsilon), alpha, 0.1, delta)


def scan(learner, database, d, epsilon, alpha, most=FAR):  # noqa: PLR0917 - always this order
    return learner.success(database, setting(np.arange(1, most + 1), d, epsilon, alpha)).value


def by_hand(values, beta):
    """Return the least m of a scan that suffices, and the last that does not."""
    good = values >= 1.0 - beta
    first = int(np.argmax(good)) + 1 if good.any() else math.inf
    bad = np.flatnonzero(~good)
    return first, int(bad[-1]) + 1 if bad.size else 0


# recipe: a scan over m = 1..5000, by `by_hand`.
KNOWN = [
    # learner, d, epsilon, alpha, beta: m, m_from
    ("laplace", 16, 0.2, 0.25, 0.1, 506, None),
    ("laplace", 16, 0.5, 0.25, 0.1, 203, None),
    ("stability", 16, 0.5, 0.25, 0.1, 81, 237),
    ("laplace", 16, 0.5, 0.24, 0.01, 393, 415),
    ("blr", 2, 0.2, 0.1, 0.1, 462, 481),
    ("geometric", 16, 0.5, 0.25, 0.1, 205, None),
]


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_both_numbers_where_they_differ(known):
    name, d, epsilon, alpha, beta, m, m_from = known
    cell = {"concept": "release", "learner": name, "d": d, "epsilon": epsilon, "alpha": alpha}
    found = pv.need(**cell, beta=beta)
    assert found.m == m
    values = pv.success(**cell, m=np.arange(1, 5001)).value
    first, last = by_hand(values, beta)
    assert first == m
    if m_from is None:
        assert last == 5000
        assert np.isnan(found.m_from)
        assert "at every multiple of 4" in str(found.reason)
        assert not str(found.note)
        # However large: at multiples of 4, and only there.
        far = 10**11 + np.arange(8)
        assert (pv.success(**cell, m=far).value >= 1 - beta).tolist() == [
            False,
            True,
            True,
            True,
        ] * 2
    else:
        assert last + 1 == m_from == found.m_from
        assert str(found.reason) == ""
        assert f"from {m_from} on every m suffices" in str(found.note)


def cells(count, seed):
    """Yield random settings, with the alphas where counts meet thresholds among them."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        alpha = float(rng.choice(ALPHAS))
        if rng.random() < 0.2:
            alpha = round(float(rng.uniform(0.03, 0.33)), int(rng.integers(2, 5)))
        d = int(rng.choice([1, 2, 3, 5, 8, 16, 40]))
        yield (
            d,
            float(np.exp(rng.uniform(-2.5, 1.5))),
            alpha,
            float(rng.choice([0.001, 0.05, 0.1, 0.4, 0.6])),
        )


@pytest.mark.parametrize("database", [Single(), Hard()], ids=lambda x: x.name)
@pytest.mark.parametrize("learner", RELEASES, ids=str)
def test_need_is_what_a_scan_finds(learner, database):
    # Planted: a search by bisection alone fails here on every learner of `hard`.
    count = 8 if isinstance(learner, Blr) else deep(20, 40)
    compared = 0
    for d, epsilon, alpha, beta in cells(count, 7):
        most = 1500 if isinstance(learner, Blr) else FAR
        if isinstance(learner, Blr) and alpha < 0.07:
            continue
        first, last = by_hand(scan(learner, database, d, epsilon, alpha, most), beta)
        found = need(learner, database, d=d, epsilon=epsilon, alpha=alpha, beta=beta)
        m, m_from = found.m.item(), found.m_from.item()
        if first > most:
            assert not m <= most
            continue
        assert m == first, (d, epsilon, alpha, beta)
        if last == most:
            assert not m_from <= most
        elif last < most - 200:
            assert m_from == max(last + 1, first), (d, epsilon, alpha, beta)
        compared += 1
    assert compared > count / 3


# beta, and 1 - beta as it is typed.
EXTREMES = [
    (1e-5, None), (1e-12, None), (1e-17, None), (1e-100, None), (1e-300, None),
    (0.99999, 1e-5), (0.9999999999, 1e-10), (0.9999999999999, 1e-13), (0.999999999999999, 1e-15),
]  # fmt: skip


def extreme_cells(count, seed, most_bits=60):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        alpha = float(rng.choice([a for a in ALPHAS if a >= 0.1]))
        yield int(rng.integers(1, most_bits)), float(np.exp(rng.uniform(-1.5, 2.0))), alpha


@pytest.mark.parametrize(("learner", "database"), in_turn(RELEASES, [Single(), Hard()]))
def test_need_is_what_a_scan_finds_at_an_extreme_beta(learner, database):
    # Planted: 1 - beta rounded to a float, or spans without their failure.
    blr = isinstance(learner, Blr)
    most = 2500 if blr else 30_000
    compared = differing = 0
    for number, (d, epsilon, alpha) in enumerate(
        extreme_cells(deep(4, 6) if blr else deep(15, 27), 29)
    ):
        m = np.arange(1, most + 1)
        here = setting(m, d, epsilon * (3 if blr else 1), alpha)
        found = learner.success(database, here)
        for beta, goal in EXTREMES[number % 3 :: 3]:
            good = found.failure <= beta if goal is None else found.value >= goal
            bad = np.flatnonzero(~good)
            first, last = int(np.argmax(good)) + 1, int(bad[-1]) + 1 if bad.size else 0
            answer = need(learner, database, d=d, epsilon=here.epsilon, alpha=alpha, beta=beta)
            least, least_from = answer.m.item(), answer.m_from.item()
            cell = (d, here.epsilon.item(), alpha, beta)
            if not good.any():
                assert not least <= most, cell
                continue
            assert least == first, cell
            if last > most - 200:
                assert not least_from <= last, cell
            else:
                assert least_from == max(last + 1, first), cell
                differing += least_from > least
            compared += 1
    assert compared > (5 if blr else 20)
    assert differing or not isinstance(database, Hard) or isinstance(learner, Laplace | Geometric)


@pytest.mark.parametrize("beta", [1e-5, 1e-40, 1e-300])
def test_need_of_releases_in_forty_digits(beta):
    """The product over the points, from the laws of the noise themselves."""
    d, epsilon, alpha, delta = 16, 1.5, 0.2, 1e-6
    rate, a = mp.mpf(epsilon) / 2, mp.mpf(1) / 5

    def heavy(up, down):
        return 1 - (mp.exp(-rate * up) + mp.exp(-rate * down)) / 2

    def laplace(m):
        counts = (-(-3 * m // 5), m - -(-3 * m // 5))
        light = (1 - mp.exp(-rate * a * m) / 2) ** (2**d - sum(5 * c >= m for c in counts))
        for count in counts:
            if 5 * count >= m:
                light *= heavy(a * m, min(a * m, count - a * m))
        return 1 - light

    def stability(m):
        counts, right = (-(-3 * m // 5), m - -(-3 * m // 5)), mp.mpf(1)
        least = 1 + mp.log(1 / (2 * mp.mpf(delta))) / rate
        for count in counts:
            if 5 * count >= m:
                right *= heavy(a * m, min(a * m, count - least))
            elif count:
                right *= 1 - mp.exp(-rate * max(a * m, least - count)) / 2
        return 1 - right

    with mp.workdps(400):
        for learner, lost in ((Laplace(), laplace), (Stability(delta), stability)):
            found = need(learner, Hard(), d=d, epsilon=epsilon, alpha=alpha, beta=beta)
            m, m_from = int(found.m.item()), int(found.m_from.item())
            assert lost(m) <= beta < lost(m - 1)
            assert all(lost(k) <= beta for k in range(m_from, m_from + 20))
            assert m_from == m or lost(m_from - 1) > beta
            law = learner.success(Hard(), setting(m, d, epsilon, alpha)).failure
            assert abs(mp.mpf(float(law)) / lost(m) - 1) < 1e-11


def test_small_epsilon_is_no_longer_than_large():
    # Billions of entries: only what the envelopes leave open is tried.
    for learner, alpha in [
        (Laplace(), 0.24),
        (Geometric(), 0.25),
        (Stability(), 0.25),
        (Blr(), 0.2),
    ]:
        found = need(learner, Hard(), d=16, epsilon=1e-7, alpha=alpha, beta=0.1)
        m = int(found.m.item())
        around = learner.success(Hard(), setting(m + np.arange(-50, 1), 16, 1e-7, alpha)).value
        assert (around >= 0.9).tolist() == [False] * 50 + [True]


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda c: c.name)
def test_numbers_over_an_axis_are_what_each_is_alone(concept):
    """Searches of an axis start between each other's answers; nothing of that may show."""
    law = concept.distributions[0]
    rng = np.random.default_rng(7)
    many = deep(4, 15)
    d = np.unique(np.geomspace(max(3, law.least_d), 40, many).astype(int))
    for axis in ({"d": d}, {"epsilon": np.geomspace(0.05, 5.0, many)}):
        at = {"d": 12, "epsilon": 0.517, "alpha": round(rng.uniform(0.05, 0.3), 3), "beta": 0.137}
        name, values = next(iter(axis.items()))
        for ask in (
            *(
                lambda e=e, **o: need(e, law, delta=e.privacy_slack, **o)
                for e in concept.learners
                if e.laws.get(law.name) == "exact"
            ),
            *(lambda e=e, **o: bound(e, **o) for e in concept.bounds),
        ):
            bounds.forget()
            together = ask(**(at | axis))
            alone = []
            for value in values.tolist():
                bounds.forget()
                alone.append(ask(**(at | {name: value})))
            np.testing.assert_array_equal(together.m, [one.m for one in alone])
            np.testing.assert_array_equal(together.m_from, [one.m_from for one in alone])
            assert together.reason.tolist() == [str(one.reason) for one in alone]


def test_what_is_foreseen_is_what_views_say():
    scenarios = [
        pv.Scenario("point", ("exponential", "hash"), d=d, alpha=0.13, beta=0.07)
        for d in (2, 16, 300)
    ]
    bounds.forget()
    views.foresee(scenarios)
    known = len(bounds._known)
    quick = [views.numbers(scenario) for scenario in scenarios]
    assert len(bounds._known) == known
    bounds.forget()
    for scenario, numbers in zip(scenarios, quick, strict=True):
        assert repr(numbers) == repr(views.numbers(scenario))


@pytest.mark.parametrize("axis", ["d", "epsilon"])
def test_what_is_foreseen_along_an_axis_is_what_pictures_ask_for(axis):
    """And no more: whatever a line is made of is known, and a picture finds nothing new."""
    scenarios = [
        pv.Scenario("interval", ("erm", "exponential"), alpha=0.13, beta=0.07, **{other: value})
        for other, value in (
            (("epsilon", 0.3), ("epsilon", 0.7)) if axis == "d" else (("d", 6), ("d", 40))
        )
    ]
    for foresee, see in (
        (lambda: views.foresee_least(scenarios, axis), lambda one: views.least_m(one, axis)),
        (
            lambda: maps.foresee_lines(scenarios, "exponential", "m", axis),
            lambda one: maps.phase_diagram(one, "exponential", "m", axis, m_range=(10, 1000)),
        ),
    ):
        bounds.forget()
        foresee()
        known = len(bounds._known)
        assert known
        for one in scenarios:
            see(one)
        assert len(bounds._known) == known


def test_views_show_both_numbers_only_where_they_differ():
    usual = pv.Scenario(
        concept="release",
        learners=("laplace", "stability"),
        epsilon=0.5,
        alpha=0.25,
        beta=0.1,
        d=16,
    )
    rows = views.numbers(usual)
    laplace, stability = rows.learner("laplace"), rows.learner("stability")
    assert (laplace.m, laplace.m_from) == (203, None)
    assert laplace.remark.startswith("For every m some larger number falls short: at ")
    assert (stability.m, stability.m_from) == (81, 237)
    assert "from 237 on every m suffices." in stability.remark
    table = draw.picture(usual, "need-d").table
    assert any(a != b for a, b in zip(table["m"], table["m_from"], strict=True))
    plain = pv.Scenario(
        concept="release", learners=("laplace", "stability"), epsilon=0.5, alpha=0.3, beta=0.1, d=16
    )
    assert "suffice" not in views.numbers(plain).learner("laplace").remark
    assert "m_from" not in draw.picture(plain, "need-d").table or any(
        a != b
        for a, b in zip(
            *(draw.picture(plain, "need-d").table[k] for k in ("m", "m_from")), strict=True
        )
    )
    points = pv.Scenario(concept="point", learners=("erm", "exponential"))
    assert "m_from" not in draw.picture(points, "need-d").table


def test_the_command_line_shows_both_numbers_only_where_they_differ(capsys):
    def said(*more):
        words = ("need", "--concept", "release", "--learner", "stability", "--epsilon", "0.5")
        assert main([*words, "-d", "16", "--beta", "0.1", *more]) == 0
        return capsys.readouterr().out

    assert "m_from" in said("--alpha", "0.25")
    assert "m_from" not in said("--alpha", "0.3")
    assert '"m": 81, "m_from": 237' in said("--alpha", "0.25", "--json")
    assert '"m": 67, "m_from": 67' in said("--alpha", "0.3", "--json")
    assert ",m,m_from," in said("--alpha", "0.3", "--csv")


@pytest.mark.parametrize("name", ["erm", "hash"])
@pytest.mark.parametrize(
    ("parameter", "value"), [("d", -5), ("d", 10**7), ("epsilon", -1.0), ("epsilon", 0.0)]
)
def test_what_is_refused_is_so_though_it_would_share_an_answer(name, parameter, value):
    # The number of one needs neither d nor epsilon, that of the other no d.
    at = {"concept": "point", "learner": name, "d": 8, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    found = pv.need(**at)
    assert pv.need(**at | {"d": 64}).m == found.m
    with pytest.raises(InputError, match=f"^{parameter} must be"):
        pv.need(**at | {parameter: value})


# What the search for a least m trusts: spans hold every value between, and laws never fall.


@pytest.mark.parametrize("learner", RELEASES, ids=str)
def test_spans_hold_every_failure_between(learner):
    """Relative to itself, however tiny: the envelopes of success say nothing there."""
    count, most = (4, 300) if isinstance(learner, Blr) else (12, 1500)
    tiny = 0
    for d, epsilon, alpha in extreme_cells(count, 31, 12):
        at = (d, 2 * epsilon, alpha)
        lost = learner.success(Hard(), setting(np.arange(1, most + 1), *at)).failure
        ends = np.sort(np.random.default_rng(3).integers(1, most + 1, (300, 2)), axis=1)
        ends[::2, 1] = np.minimum(ends[::2, 0] + 5, most)
        low, high = learner.span(Hard(), setting(ends[:, 0], *at), setting(ends[:, 1], *at))
        for (a, b), least, worst in zip(ends.tolist(), high.failure, low.failure, strict=True):
            inside = lost[a - 1 : b]
            assert least * (1 - 1e-10) <= inside.min(), (*at, a, b)
            assert inside.max() <= worst * (1 + 1e-10), (*at, a, b)
            tiny += 0 < inside.min() < 1e-20
    assert tiny > 20


def envelopes_hold(learner, database, d, epsilon, alpha, most=600):  # noqa: PLR0917 - as scan
    """Tell whether spans hold every value of a scan: from m on, up to m, and between."""
    values = scan(learner, database, d, epsilon, alpha, most)
    m = np.arange(1, most + 1)
    rng = np.random.default_rng(3)
    some = np.sort(rng.integers(1, most + 1, (200, 2)), axis=1)
    pairs = np.concatenate([
        np.stack([m, m], axis=1), np.stack([m, np.full_like(m, most)], axis=1),
        np.stack([np.ones_like(m), m], axis=1), some,
    ])  # fmt: skip
    low, high = learner.span(
        database, setting(pairs[:, 0], d, epsilon, alpha), setting(pairs[:, 1], d, epsilon, alpha)
    )
    return all(
        lo * (1 - 1e-12) <= values[a - 1 : b].min() and values[a - 1 : b].max() <= hi * (1 + 1e-12)
        for (a, b), lo, hi in zip(pairs.tolist(), low.value, high.value, strict=True)
    )


@pytest.mark.parametrize(("learner", "database"), in_turn(RELEASES, [Single(), Hard()]))
def test_spans_hold_every_value_between(learner, database):
    for d, epsilon, alpha, _ in cells(deep(2, 4) if isinstance(learner, Blr) else deep(6, 12), 11):
        if isinstance(learner, Blr) and alpha < 0.07:
            continue
        most = 250 if isinstance(learner, Blr) else 600
        assert envelopes_hold(learner, database, d, epsilon, alpha, most), (d, epsilon, alpha)


@dataclass(frozen=True)
class TooSure(Laplace):
    """Planted: takes the ends of an interval for all of it."""

    def span(self, distribution, first, last):
        return self.success(distribution, first), self.success(distribution, last)


@dataclass(frozen=True)
class OneOff(Stability):
    """Planted: an upper envelope that is a little too low."""

    def span(self, distribution, first, last):
        low, high = super().span(distribution, first, last)
        value = high.value * 0.999
        return low, Estimate(value, value, value, "exact")


def test_wrong_envelopes_are_noticed():
    assert not envelopes_hold(TooSure(), Hard(), 16, 0.5, 0.24)
    assert not envelopes_hold(OneOff(), Hard(), 16, 0.5, 0.25)
    wrong = need(TooSure(), Hard(), d=16, epsilon=0.5, alpha=0.24, beta=0.01)
    assert wrong.m_from.item() < 415


def test_chains_of_blr_never_fall():
    for alpha, d, epsilon in itertools.product(
        (0.1, 0.2, 0.24, 0.25, 0.28, 0.3), (2, 16), (0.2, 2.0)
    ):
        period, settled = Blr().chain(Hard(), alpha)
        values = scan(Blr(), Hard(), d, epsilon, alpha, 500)[settled - 1 :]
        assert (values[period:] - values[:-period] >= -1e-12).all(), (alpha, d)
    # It does fall from one m to the next, or there would be nothing to test.
    assert (np.diff(scan(Blr(), Hard(), 2, 0.2, 0.1, 500)) < -1e-3).any()


def test_the_rest_has_spare_entries():
    m = np.arange(1, 5000)
    for alpha in ALPHAS:
        rare = np.array([entries_scalar(3, alpha, k) for k in m.tolist()])
        least = np.array([entries_scalar(1, alpha, k) for k in m.tolist()])
        assert set(np.unique(m - rare - least - spare(alpha, m)).tolist()) <= {-1, 0}


def laws():
    for concept in CONCEPTS:
        for learner, law in itertools.product(concept.learners, concept.distributions):
            if learner.laws.get(law.name) == "exact":
                yield pytest.param(learner, law, id=f"{concept.name}-{learner.name}-{law.name}")


@pytest.mark.parametrize(("learner", "law"), spread(laws(), 30))
def test_a_law_that_is_called_monotone_never_falls(learner, law):
    # Planted: Laplace on `hard` fails it at alpha = 0.25, see the last lines.
    m = np.arange(1, 151)
    for alpha, d in itertools.product(deep((0.1, 0.25), (0.1, 0.24, 0.25, 0.3)), (3, 64)):
        if d < law.least_d or not learner.monotone(law, alpha):
            continue
        for epsilon in (0.1, 2.0):
            values = learner.success(law, setting(m, d, epsilon, alpha)).value
            assert (np.diff(values) >= -1e-11).all(), (alpha, d, epsilon)
    assert not Laplace().monotone(Hard(), 0.25)
    assert (np.diff(scan(Laplace(), Hard(), 3, 0.7, 0.25, 300)) < -1e-3).any()


def test_nearest_finds_both_ends_of_any_pattern():
    """Of many patterns at once, whose searches ask together."""
    rng = np.random.default_rng(5)
    goods = [
        np.append(False, rng.random(int(rng.integers(1, 3000))) < rng.choice([0.002, 0.5, 0.998]))
        for _ in range(200)
    ]

    def judge(which, first, last):
        rows = zip(which.tolist(), first.tolist(), last.tolist(), strict=True)
        inside = [goods[at][a : b + 1] for at, a, b in rows]
        # Shy at random.
        return np.array([
            0 if rng.random() < 0.3 else int(x.all()) - int(not x.any()) for x in inside
        ])  # fmt: skip

    def trial(which, m):
        return np.array([goods[at][n] for at, n in zip(which.tolist(), m.tolist(), strict=True)])

    for wanted, from_above in itertools.product((True, False), repeat=2):
        searches = [
            nearest(ladder(1, good.size - 1, 4), wanted=wanted, from_above=from_above)
            for good in goods
        ]
        for good, found in zip(goods, answers(searches, judge, trial), strict=True):
            places = np.flatnonzero(good[1:] == wanted) + 1
            assert found == (None if not places.size else places[-1 if from_above else 0])


def test_a_search_that_would_not_end_says_so(monkeypatch):
    monkeypatch.setattr(crossing, "SCANNED_MOST", 1000)
    with pytest.raises(Unsettled):
        list(answers([nearest([(1, 10**6)])], lambda _, a, b: 0 * a * b, lambda _, m: m > 10**6))
    near = {"d": 16, "epsilon": 1e-4, "alpha": 0.2499, "beta": 0.1}
    monkeypatch.setattr(crossing, "SCANNED_MOST", 1)
    bounds.forget()
    found = need(Laplace(), Hard(), **near)
    bounds.forget()
    assert np.isnan(found.m) or np.isnan(found.m_from)
    assert "too often to tell" in str(found.reason)
