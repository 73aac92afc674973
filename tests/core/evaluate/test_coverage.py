"""95% intervals of simulations: how they are made, what they hold, and what `need` says by them."""

import contextlib
import dataclasses
import math
import random
import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import privsc_core as pv
from privsc_core.catalog import distribution, learner
from privsc_core.concepts.shared import laws
from privsc_core.draw.least import contrast_picture
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.need import enough_trials
from privsc_core.evaluate.scenario import Scenario
from privsc_core.evaluate.success import success
from privsc_core.numerics.intervals import Draws, counted, trials_for
from tests import budget
from tests.depth import deep

RANGES = ((1e-6, 1e-3), (1e-3, 0.02), (0.02, 0.98), (0.98, 0.999), (0.999, 1 - 1e-6))
"""Of success, near both ends as far as simulation is asked."""

# Their exact laws are means over one binomial count, by `laws.averaged`.
ROUTED = (
    ("point", "exponential", "hard"), ("threshold", "ranks", "window"),
    ("line", "exponential", "anchor"), ("pseudorandom-point", "exponential-proper", "hard"),
)  # fmt: skip
_NORMAL = 1.959963984540054
_SIZES = np.unique(np.geomspace(1, 3e4, 120).astype(np.int64))


@dataclasses.dataclass(frozen=True)
class Case:
    """A learner on a distribution at a setting, and its exact or nearly exact success."""

    concept: str
    learner: str
    distribution: str
    setting: dict[str, float]
    truth: float
    seed: int

    def asked(self, **more):
        """Return the success probability by the core."""
        return success(
            learner(self.concept, self.learner), distribution(self.concept, self.distribution),
            **self.setting | more,
        )  # fmt: skip


@contextlib.contextmanager
def routed():
    """Let laws that are means over a binomial count simulate this count."""
    original = laws.averaged

    def simulating(setting, probability, columns, odds, *, rate):
        del rate
        hit, _ = laws.against(odds)

        def draw(m, trials, rng):
            count = rng.binomial(m, probability, size=trials).astype(np.float64)
            return count, m - count

        def conditional(d, epsilon, count, rest):
            del d, epsilon
            return hit(count, rest, *(np.array([np.ravel(c).item()]) for c in columns))

        return laws.rao_blackwell(setting, draw, conditional)

    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("privsc_core.") and vars(module).get("averaged") is original:
                stack.enter_context(mock.patch.object(module, "averaged", simulating))
        yield


def _odds(value):
    return np.log((value + 1e-9) / (1 - value + 1e-9))


def routed_case(low, high, number):
    """Return a case by an exact law, with success in a range: the same for every number."""
    draw = random.Random(f"coverage {low} {number}")  # noqa: S311 - no secret
    a, b = np.log(low / (1 - low)), np.log(high / (1 - high))
    while True:
        names = draw.choice(ROUTED)
        at = {
            "d": round(2 ** draw.uniform(1, 8)), "epsilon": 10 ** draw.uniform(-1.5, 1),
            "alpha": 10 ** draw.uniform(-1.7, -0.61), "beta": 1e-5, "delta": 0.0,
        }  # fmt: skip
        goal = 1 / (1 + np.exp(-draw.uniform(a, b)))
        case = Case(*names, at, 0.0, 1 + 1000 * draw.randrange(10**6))
        try:
            found = case.asked(m=_SIZES)
        except InputError:
            continue
        place = int(np.abs(_odds(found.value) - _odds(goal)).argmin())
        truth = found.value[place].item()
        if low < truth < high:
            return dataclasses.replace(case, setting=at | {"m": int(_SIZES[place])}, truth=truth)


def held(case, seeds, *, trials=1000):
    """Return how often our interval holds the truth, and how often the normal one does, a planted one."""
    ours = planted = 0
    for seed in range(case.seed, case.seed + seeds):
        found = case.asked(trials=trials, seed=seed)
        drawn = found.drawn
        assert drawn.count == trials
        ours += found.low <= case.truth <= found.high
        spread = np.maximum(drawn.squares / trials - found.value**2, 0.0) / (trials - 1)
        planted += abs(found.value - case.truth) <= _NORMAL * np.sqrt(spread)
    return int(ours), int(planted)


ERM = {"concept": "interval", "learner": "erm", "distribution": "uniform", "d": 12, "epsilon": 0.5,
       "alpha": 0.1}  # fmt: skip


def drawn(values, floor=0.0, ceiling=1.0):
    found = Draws.between(np.array([floor]), np.array([ceiling]))
    found.add(0, np.asarray(values, dtype=np.float64))
    return found


# --- How they are made -------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [2, 30, 1000, 10**6])
def test_counts_have_the_interval_of_clopper_and_pearson(trials):
    hits = np.unique(np.round(trials * np.array([0, 1e-3, 0.1, 0.5, 0.97, 1])))
    low, high = counted(hits, trials)
    with np.errstate(invalid="ignore"):
        below = np.where(hits > 0, beta.ppf(0.025, hits, trials - hits + 1), 0)
        above = np.where(hits < trials, beta.ppf(0.975, hits + 1, trials - hits), 1)
    assert low == pytest.approx(below, rel=1e-9)
    assert high == pytest.approx(above, rel=1e-9)


@pytest.mark.parametrize(
    "values",
    [
        lambda rng: rng.random(400),
        lambda rng: 1 / (1 + np.exp(6 + 3 * rng.normal(size=1000))),
        lambda rng: np.where(rng.random(1000) < 0.003, 1.0, 0.2 + 0.1 * rng.random(1000)),
        lambda rng: np.where(np.arange(1000), 1.0, rng.random()),
    ],
    ids=["even", "heavy", "atoms", "once"],
)
def test_ends_are_those_of_gaffke(values):
    rng = np.random.default_rng(1)
    x = values(rng)
    weights = rng.dirichlet(np.ones(x.size + 1), size=4000)
    low, high = drawn(x).ends()
    for end, wanted in (
        (high, np.quantile(weights @ np.append(x, 1), 0.975)),
        (low, np.quantile(weights @ np.append(x, 0), 0.025)),
    ):
        assert end[0] - x.mean() == pytest.approx(wanted - x.mean(), rel=0.15)


@given(
    st.lists(st.floats(0, 1) | st.sampled_from([0, 1, 1e-300, 1 - 2**-53]), min_size=1, max_size=30)
)
def test_ends_are_around_the_mean(values):
    found = drawn(values)
    low, high = found.ends()
    assert 0 <= low <= found.mean() + 1e-12
    assert found.mean() - 1e-12 <= high <= 1
    assert high - low > 0.9 / len(values) ** 2


def test_what_is_proved_cuts_the_ends_and_stands_without_draws():
    low, high = drawn([0.5] * 100, 0.499, 0.501).ends()
    assert (low.item(), high.item()) == (0.499, 0.501)
    nothing = Draws.between(np.array([0.2]), np.array([0.7]))
    assert [end.item() for end in nothing.ends()] == [0.2, 0.7]
    assert nothing.mean(np.array([0.4])).item() == 0.4


@pytest.mark.parametrize(
    ("named", "d", "m"),
    [
        (("interval", "erm", "uniform"), 12, 20), (("rectangle", "exponential", "hard8"), 3, 30),
        (("conjunction", "exponential", "product"), 4, 60), (("line", "vote", "anchor"), 8, 1400),
        (("parity", "exponential", "uniform"), 6, 30),
    ],
)  # fmt: skip
def test_parts_of_a_simulation_add_up(named, d, m):
    concept, name, law = named
    who = learner(concept, name), distribution(concept, law)
    at = {"m": m, "d": d, "epsilon": np.array([0.5, 1.0]), "alpha": 0.1, "delta": 1e-6}
    whole = success(*who, **at, trials=750)
    assert whole.drawn.count.max() == 750
    parts = [success(*who, **at, trials=250, first_trial=k).drawn for k in (0, 250, 500)]
    pooled = Draws.pooled(parts)
    assert pooled.mean(whole.value) == pytest.approx(whole.value, rel=1e-12)
    for end, one in zip(pooled.ends(), (whole.low, whole.high), strict=True):
        assert end == pytest.approx(one, rel=1e-9)


def test_a_figure_has_the_interval_of_all_its_samples():
    chosen = {key: value for key, value in ERM.items() if key != "learner"}
    scenario = Scenario(learners=("erm",), beta=0.1, m=30, trials=500, **chosen)
    (curve,) = views.success_curves(scenario, "m").learners
    here = int(np.abs(curve.x - 30).argmin())
    found = pv.success(m=int(curve.x[here]), trials=500, **ERM)
    assert (curve.y[here], curve.low[here], curve.high[here]) == pytest.approx(
        (found.value.item(), found.low.item(), found.high.item()), rel=1e-9
    )


# --- What they hold ----------------------------------------------------------------------------


@pytest.mark.parametrize("ends", RANGES, ids=str)
def test_intervals_hold_what_was_not_drawn(ends):
    settings, seeds = deep((14, 12), (200, 50))
    cases = [routed_case(*ends, number) for number in range(settings)]
    with routed():
        ours, planted = np.sum([held(case, seeds) for case in cases], axis=0)
    budget.assert_rate_at_least(ours, settings * seeds, 0.95, f"success from {ends}")
    if ends in {RANGES[0], RANGES[-1]}:
        # Planted: the normal interval of the same samples.
        with pytest.raises(AssertionError, match="expected at least"):
            budget.assert_rate_at_least(planted, settings * seeds, 0.95)


def test_an_interval_covers_a_failure_that_was_not_drawn():
    # 10^6 trials, seed 2: success 0.999521 with 58 samples, within 2.3e-5.
    found = pv.success(m=58, **ERM)
    assert found.low < 0.99952 < found.high
    assert found.high - found.low < 5 / 1000
    # In the middle it is no wider than the normal one by more than what one sample may do.
    middle = pv.success(m=15, **ERM)
    spread = np.sqrt(middle.drawn.squares / 1000 - middle.value**2)
    assert middle.high - middle.low < 2 * 1.96 * spread / np.sqrt(1000) + 2.5 / 1000


# --- What `need` says --------------------------------------------------------------------------


def test_as_many_trials_tell_that_nothing_fails():
    for chance in (0.3, 1e-2, 1e-4):
        enough = trials_for(chance)
        assert counted(np.array(0.0), enough)[1] <= chance < counted(np.array(0.0), enough - 1)[1]
    assert enough_trials(0.1) == enough_trials(0.9) < 40


@pytest.mark.parametrize(
    ("named", "target", "trials"),
    [
        # With 10^6 trials 72; the values of 1,000 cross at 58.
        (("interval", "erm", "uniform"), 1e-4, 36_887),
        (("point", "exponential", "bystanders"), 1e-3, 3688),
        (("halfspace", "averaging", "uniform"), 1e-3, 3688),
        (("line", "exponential", "pair"), 2e-3, 1843),
    ],
)
def test_too_few_trials_tell_what_the_number_is_at_least(named, target, trials):
    concept, name, law = named
    at = {"concept": concept, "learner": name, "distribution": law, "d": 12, "epsilon": 0.8,
          "alpha": 0.1, "beta": target}  # fmt: skip
    assert enough_trials(target) == trials
    enough = pv.need(**at, trials=trials, seed=7)
    assert math.isnan(enough.at_least.item())
    assert enough.reason.item() == ""
    for seed in (1, 2):
        few = pv.need(**at, trials=500, seed=seed)
        assert np.isnan([few.m.item(), few.m_from.item()]).all()
        assert enough.m / 3 < few.at_least <= enough.m
        assert few.told.item() == few.at_least.item()
        reason = few.reason.item()
        assert f"at least {few.at_least.item():,.0f}, simulated: 500 trials" in reason
        assert f"beta = {target:g}" in reason
        assert f"{trials:,} trials" in reason
        # Below it even the upper end fails.
        below = pv.success(m=int(few.at_least) - 1, **at, trials=500, seed=seed)
        assert below.high < 1 - target


def test_numbers_that_trials_tell_stay():
    # As `need` said before it knew of `at_least`, by values alone.
    assert pv.need(beta=0.1, **ERM).m == 15
    assert pv.need(beta=0.01, **ERM).m == 32


def test_few_trials_tell_of_a_rare_success_what_suffices():
    at = {"concept": "point", "learner": "exponential", "distribution": "bystanders", "d": 16,
          "epsilon": 0.2, "alpha": 0.1}  # fmt: skip
    few = pv.need(beta=0.999, trials=1000, **at)
    assert math.isnan(few.m.item())
    assert math.isnan(few.at_least.item())
    m = int(few.reason.item().split("at most ")[1].split(",")[0])
    assert pv.need(beta=0.999, trials=4000, **at).m <= m
    assert pv.success(m=m, trials=1000, **at).low >= 0.001


def test_a_proved_number_needs_no_trials():
    # Beyond d = 8 parities have a certificate.
    found = pv.need(
        concept="parity", learner="exponential", distribution="uniform", d=12, epsilon=0.5,
        alpha=0.1, beta=1e-3, trials=250,
    )  # fmt: skip
    assert found.m > 100
    assert found.reason.item() == ""


def test_rows_and_figures_say_at_least():
    chosen = {key: value for key, value in ERM.items() if key != "learner"}
    scenario = Scenario(learners=("erm",), beta=1e-4, **chosen)
    row = views.numbers(scenario, ("erm",)).learner("erm")
    least = pv.need(beta=1e-4, **ERM).at_least.item()
    assert (row.m, row.at_least) == (None, least)
    assert "at least" in row.remark
    figure = contrast_picture(scenario, "erm", ("hard", "uniform"), (12,), trials=1000)
    assert figure.table["m"][1] == least
    assert figure.table["method"] == ["exact", "rao-blackwell, at least"]
    assert "36,887" in figure.caption


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.98])
def test_intervals_of_corrected_draws_hold_the_truth(chance):
    """Of 1,000 draws one in eight is corrected from a number that says nothing of it: draws lie outside [0, 1].

    Planted: intervals that take the same sums for those of draws from [0, 1] hold it in fewer cases.
    """
    tries, count, few = 2000, 1000, 125
    right = np.random.default_rng(9).random((tries, few)) < chance
    found = laws.corrected(np.full((tries, count), 0.7), right.astype(np.float64))
    least, most = found.min(axis=1), found.max(axis=1)
    zero, one = np.zeros(tries), np.ones(tries)
    sums = found.sum(axis=1), np.square(found).sum(axis=1)

    def held(least, most):
        low, high = Draws(count * one, *sums, least, most, zero, one).ends()
        return int(((low <= chance) & (chance <= high)).sum())

    budget.assert_rate_at_least(held(least, most), tries, 0.94)
    assert held(np.maximum(least, 0.0), np.minimum(most, 1.0)) < 0.9 * tries
