"""Thresholds on [0, 1]: reference values, laws at huge b, planted faults, and the reference R."""

import math

import numpy as np
import pytest
from scipy import special, stats

from privsc_core import catalog
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.threshold import THRESHOLD, laws
from privsc_core.concepts.threshold.distributions import FINE, Crowd, middle
from privsc_core.concepts.threshold.laws import Net
from privsc_core.concepts.threshold.learners import (
    NoisyCount,
    OnNet,
)
from privsc_core.concepts.threshold.learners.density import Cells, log_mass
from privsc_core.draw.figures import axis_name, least_m_figure
from privsc_core.draw.least import least_m_traces
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.scenario import Scenario
from privsc_core.evaluate.views import least_m
from privsc_core.exhibits.threshold import STANCES, over_reference, the_line, too_coarse
from tests import budget
from tests.core.support import law, runs
from tests.depth import whole

WINDOW, UNIFORM = THRESHOLD.distributions
WIDE = WINDOW.resized(0.5)


def learner(name, known="0"):
    return catalog.learner(f"threshold({known})" if known != "0" else "threshold", name)


def bound(name, known="0"):
    return catalog.bound(f"threshold({known})" if known != "0" else "threshold", name)


def test_chernoff_and_hoeffding_allow_our_constants():
    """A threshold of error above alpha rarely makes 9/10 of its mistakes; shares stay near means."""
    for m, alpha in ((50, 0.1), (400, 0.1), (2000, 0.05), (900, 0.3)):
        few = special.bdtr(math.ceil(0.9 * alpha * m) - 1, m, alpha)
        assert few <= math.exp(-alpha * m / 200)
        for error in (alpha, 0.5):
            off = 1 - special.bdtr(math.floor((error + alpha / 4) * m), m, error)
            assert off <= math.exp(-(alpha**2) * m / 8)


@pytest.mark.parametrize(("known", "sharper"), [("0", False), ("all", True)])
@pytest.mark.parametrize(("m", "epsilon"), [(1, 0.5), (2, 9.0), (3, 2.0), (40, 1.0), (700, 0.3)])
def test_the_density_guarantee_is_the_least_over_what_counts_as_good(known, sharper, m, epsilon):
    alpha, b, t = 0.3, 16, -math.expm1(-0.5 * epsilon)
    good = np.geomspace(1e-5 * alpha, alpha, 200_001)
    power, kappa = (m + 2, 1.0) if sharper else (m + 1, 2.0**b)
    rise = (1 - (alpha - good) * t) ** power - (1 - alpha * t) ** power
    scale = (m + 1) * (m + 2) * t**2 / 2 if sharper else (m + 1) * t
    least = float((kappa * rise / (good**2 * scale)).min())
    setting = Setting(np.array([m]), np.array([b]), np.array([epsilon]), alpha, 0.1, 0.0)
    assert bound("density", known).failure(setting).item() == pytest.approx(
        min(least, 1.0), rel=1e-6
    )


# recipe: plain simulation on real points, theory-ch11.md, section 6
def test_the_net_at_its_reference_setting():
    entry, crowd = learner("net"), WINDOW.resized(0.3)
    assert Net.of(1, 0.15).size == 27
    assert law(entry, crowd, 40, 1, 1, 0.15, 0.1, trials=5000) == pytest.approx(0.938, abs=0.01)


@pytest.mark.parametrize(("guess", "b", "m", "alpha"), [
    (3, 5, 200, 0.1), (None, 35, 40, 0.3), (None, 3, 60, 0.13), (12, 5, 60, 0.1),
])  # fmt: skip
def test_runs_on_a_net_agree_with_the_law(guess, b, m, alpha):
    entry = OnNet(guess)
    hits = runs(entry, WINDOW, m, b, 1.0, alpha, 0.1, trials=250)
    p = law(entry, WINDOW, m, b, 1.0, alpha, 0.1, trials=5000)
    budget.assert_rate(int(hits.sum()), 250, p, f"net, guess {guess}, b = {b}")


def test_a_net_too_coarse_fails_at_every_m():
    # kappa = 32 and N = 20: the nearest thresholds lie 1/40 from z, beyond alpha / kappa.
    assert Net.of(0, 0.1).size == 20
    for m in (100, 10_000, 10**6):
        assert law(OnNet(0), WINDOW, m, 5, 0.5, 0.1, 0.1, trials=100) < 1e-12
    assert law(OnNet(5), WINDOW, 10_000, 5, 0.5, 0.1, 0.1, trials=100) > 0.999
    picture = too_coarse(Scenario(concept="threshold", learners=("erm",), d=16), 12)
    assert picture.title.startswith("No threshold of the net is accurate")


@pytest.mark.parametrize("m", [60, 3000])
def test_a_fine_net_is_as_good_as_a_density(m):
    for b in (6, 50, 10**6):
        fine = law(OnNet(b + 20), WINDOW, m, b, 0.1, 0.1, 0.1, trials=250)
        assert fine == pytest.approx(
            law(learner("density"), WINDOW, m, b, 0.1, 0.1, 0.1, trials=250), abs=0.02
        )


def test_points_drawn_in_blocks_are_as_good_as_single_ones(monkeypatch):
    cell = (learner("density"), WINDOW, 2500, 3, 0.02, 0.1, 0.1)
    together = law(*cell, trials=1000)
    monkeypatch.setattr(laws, "_SINGLY", 10**9)
    # The error of both is 0.001.
    assert together == pytest.approx(law(*cell, trials=1000), abs=0.006)


@pytest.mark.parametrize(("concept", "b", "sight"), [
    ("threshold", 16, "mass"), ("threshold", 10**6, "line"), ("threshold", 10**6, "mass"), ("threshold(4)", 9, "window"),
])  # fmt: skip
def test_the_line_is_laid_out_whole(concept, b, sight):
    scenario = Scenario(concept=concept, learners=("erm",), d=b, m=80)
    picture = the_line(scenario, sight, 1)
    assert sum(picture.table["probability"]) == pytest.approx(1)
    assert (np.diff(picture.table["from"]) >= 0).all()
    assert f"b = {b:,}" in picture.caption


# recipe: least m of plain simulations on real points, +-1%: success there is 0.9 up to noise.
@pytest.mark.parametrize(("known", "distribution", "b", "m"), [
    ("0", WINDOW, 4, 218), ("0", WINDOW, 16, 589), ("0", WINDOW, 64, 2000),
    ("0", WINDOW, 8, 347), ("0", WINDOW, 1024, 29216), ("0", WIDE, 4, 116), ("0", WIDE, 16, 241),
    ("0", WIDE, 1024, 11666), ("half", WINDOW, 4, 201), ("half", WINDOW, 8, 297),
    ("0", WIDE, 8, 152), ("0", WIDE, 64, 803), ("half", WINDOW, 16, 443), ("half", WINDOW, 64, 1193),
    ("4", WINDOW, 12, 431), ("56", WINDOW, 64, 443), ("all", WINDOW, 16, 101), ("0", UNIFORM, 9, 101),
])  # fmt: skip
def test_the_density_learner_needs_what_it_needed(known, distribution, b, m):
    entry = learner("density", known)
    few, about, many = (
        law(entry, distribution, size, b, 0.5, 0.1, 0.1, trials=2000)
        for size in (int(0.93 * m), m, int(1.07 * m))
    )
    assert few < 0.9 < many
    assert about == pytest.approx(0.9, abs=0.02)


# recipe: as above, at other settings; and success itself at m = 400 and 600
@pytest.mark.parametrize(("cell", "value", "off"), [
    ((673, 1.0, 0.05), 0.95, 0.012), ((2752, 0.1, 0.1), 0.9, 0.015),
    ((400, 0.5, 0.1), 0.189, 0.015), ((600, 0.5, 0.1), 0.920, 0.012),
])  # fmt: skip
def test_the_density_learner_at_other_settings(cell, value, off):
    m, epsilon, alpha = cell
    found = law(learner("density"), WINDOW, m, 16, epsilon, alpha, 0.1, trials=4000)
    assert found == pytest.approx(value, abs=off)


def test_the_packing_bound_beside_its_number():
    # recipe: theory-ch11.md, section 6: at v = 1/32, which is not the best v
    share, rivals = 0.2 + 0.8 / 32, math.ceil(2**16 / 32 / 0.2) - 1
    for m, value in ((114, 0.89780), (115, 0.90412)):
        k = np.arange(m + 1)
        one = stats.binom.pmf(k, m, share) @ (1 / (1 + rivals * np.exp(-0.5 * k)))
        assert one == pytest.approx(value, abs=6e-6)
        best = bound("packing").success(
            Setting(np.array([m]), np.array([16]), np.array([0.5]), 0.1, 0.1, 0.0)
        )
        assert value - 0.005 < best.item() < value
        assert (best.item() >= 0.9) == (m == 115)


def test_b_may_be_a_million():
    # About 4 log 2 / (epsilon lambda) examples a bit: 27,725,887.
    few, many = (
        law(learner("density"), WINDOW, m, 10**6, 0.5, 0.1, 0.1, trials=50)
        for m in (27_500_000, 27_900_000)
    )
    assert few < 0.1
    assert many > 0.9
    assert law(learner("density", "all"), WINDOW, 101, 10**6, 0.5, 0.1, 0.1) == pytest.approx(
        0.9, abs=0.02
    )


@pytest.mark.parametrize(
    ("known", "b", "m"), [("8", 16, 300), whole("all", 200, 60), ("half", 6, 150)]
)
def test_runs_with_a_reference_agree_with_the_law(known, b, m):
    entry = learner("density", known)
    hits = runs(entry, WINDOW, m, b, 0.5, 0.1, 0.1, trials=250)
    p = law(entry, WINDOW, m, b, 0.5, 0.1, 0.1, trials=5000)
    # The law's own error is a tenth of what 250 runs can tell.
    budget.assert_rate(int(hits.sum()), 250, p, f"density, r = {known}")


def test_who_knows_a_crowd_is_asked_about_that_crowd_only():
    for distribution in (WIDE, UNIFORM):
        with pytest.raises(
            InputError,
            match=r"^distribution must be window where the learner knows the distribution",
        ):
            law(learner("density", "8"), distribution, 100, 16, 0.5, 0.1, 0.1)
    assert not bound("packing").binds(learner("density", "8"))
    assert bound("packing").binds(learner("density"))
    assert bound("pair").binds(learner("density", "8"))


@pytest.mark.parametrize("text", ["", "-1", "08", "1000001", "most", "٣"])
def test_bad_references_are_refused(text):
    with pytest.raises(InputError, match=r"^concept must be "):
        catalog.concept(f"threshold({text})")


# --- Geometry ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("b", "lam"), [(0, 1.0), (1, 0.2), (4, 0.5), (16, 0.2), (40, 0.8), (3, 1.0)]
)
def test_a_crowd_is_smooth_just_so_and_its_masses_add_up(b, lam):
    crowd, bits = Crowd(b, lam), b + 12
    size = 1 << bits
    assert log_mass(-size, size, crowd, bits) == pytest.approx(0, abs=1e-9)
    assert 2 * crowd.half == pytest.approx(2.0**b * lam / (2**b - 1 + lam))
    assert log_mass(0, 2, crowd, bits) == pytest.approx((b - bits) * math.log(2), abs=1e-3)
    for cells in (1, 7, size >> (b + 3), size // 5):
        mass = math.exp(log_mass(0, 2 * cells, crowd, bits))
        assert float(crowd.error(cells, bits)) == pytest.approx(mass, rel=2e-3)


def test_draws_are_the_crowd():
    rng = np.random.default_rng(3)
    for law_, b in ((WINDOW, 3), (WINDOW, 30), (WINDOW, 2000), (UNIFORM, 5)):
        sample = law_.draw(m=4000, d=b, alpha=0.15, rng=rng)
        j = middle(b + FINE)
        crowd = law_.crowd(b, 0.15)
        masses = [float(crowd.error(abs(x - j), sample.d)) for x in sample.points]
        # Mass from z is uniform on (0, 1/2), on both sides.
        for level in (0.05, 0.15, 0.3):
            hits = sum(mass <= level for mass in masses)
            budget.assert_rate(hits, len(masses), 2 * level, f"{law_.label} at b = {b}")
        assert all(
            y == (sample.points[i] < j)
            for i, y in zip(sample.index.tolist(), sample.labels, strict=True)
        )


def test_cells_are_cut_behind_every_point():
    sample = UNIFORM.draw(m=30, d=4, alpha=0.1, rng=np.random.default_rng(1))
    cells = Cells.of(sample)
    assert len(cells.mistakes) == len(sample.points) + 1
    assert cells.mistakes.min() == 0
    total = sum(math.exp(x) for x in cells.log_masses(Crowd(0, 1.0)))
    assert total == pytest.approx(1)


# --- Planted faults ------------------------------------------------------------------------------


def test_what_is_private_for_labels_is_not_for_examples():
    class Claims(NoisyCount):
        """Claims whole examples for what protects labels."""

        privacy = "pure"

    assert audit(NoisyCount(), m=2).worst == pytest.approx(1)
    assert math.isinf(audit(Claims(), m=2).worst)


def test_the_size_is_called_b():
    scenario = Scenario(concept="threshold", learners=("erm",), distribution="window", m=50, d=16)
    assert axis_name("d", scenario) == "bits of resolution b"
    assert (
        least_m_figure(least_m(scenario, "d")).title
        == "Least number of labelled examples against b"
    )
    assert THRESHOLD.parameter("m") is catalog.concept("point").parameter("m")
    assert catalog.concept("point").parameter("d").symbol == "d"


# recipe: as above; the density learner's numbers are simulated, +-4%
def test_who_may_know_what():
    scenario = Scenario(concept="threshold", learners=("erm",), d=16)
    found = [float(one["y"][0]) for one in least_m_traces(STANCES, scenario, (16,))]
    assert found == pytest.approx([589, 443, 101, 58, 22], rel=0.04)
    assert found[3:] == [58, 22]
    known = over_reference(scenario).table
    assert (known["r"][0], known["r"][-1]) == (0, 16)
    assert (np.diff(known["density"]) <= 0).all()
    assert [known["density"][0], known["density"][-1]] == [found[0], found[2]]


@pytest.mark.parametrize("block", [1, 4])
def test_sums_that_grow_are_those_drawn_at_once(block):
    at_once, grown = (laws._Sums((7, 1), 6, block) for _ in range(2))
    at_once.upto(300)
    for blocks in (1, 40, 41, 10, 300):
        known = grown.upto(blocks).reached
        assert len(known) > blocks
        np.testing.assert_array_equal(known[: blocks + 1], at_once.reached[: blocks + 1])
    slopes = np.exp(-0.1 * np.arange(201))
    plain = [0.0]
    for slope, gap in zip(slopes, np.diff(at_once.reached[:201, 2]), strict=False):
        plain.append(plain[-1] + slope * gap)
    np.testing.assert_allclose(grown.weighed(0.1, slopes)[:, 2], plain, rtol=1e-13)
