"""Two-way marginals: reference numbers, sensitivities by enumeration, laws by plain runs and by quadrature."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy import integrate

import privsc_core as pv
from privsc_core.catalog import CONCEPTS, distribution, learner
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.marginals import learners
from privsc_core.concepts.marginals.distributions import (
    Chain,
    Clusters,
    Uniform,
    answers,
    moments,
    pairs,
    symmetric,
)
from privsc_core.concepts.marginals.laws import deviation, laplace_scale, within_root
from privsc_core.concepts.marginals.learners import Gauss, Laplace, Projected, critical_radii
from privsc_core.concepts.shared.laws import corrected
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.exhibits.marginals.figures import errors_picture, population_pictures
from privsc_core.exhibits.marginals.tables import (
    errors,
    population,
    released,
    tabled,
    worst_of_signs,
)
from privsc_core.numerics.elliptope import nearest_correlation
from tests import budget
from tests.core.support import setting
from tests.depth import deep, spread

AT = {"concept": "marginals", "epsilon": 1.0, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}
CLASS = next(c for c in CONCEPTS if c.name == "marginals")
TABLES = [x for x in CLASS.distributions if x.name != "largest"]


def test_noise_at_a_thousand_rows():
    at = np.array(1000), np.array(16), np.array(1.0)
    assert float(deviation(*at, 1e-6)) == pytest.approx(0.0716952, abs=5e-8)
    assert float(laplace_scale(*at)) == pytest.approx(0.144, abs=1e-12)
    # At d = 512 no table is kept, but the law of the noise knows no limit.
    sizes = np.array([21_726, 21_727])
    ratio = 0.1 / deviation(sizes, np.array(512), np.array(1.0), 1e-6)
    few, enough = within_root(np.full(2, 512), ratio)[0]
    assert few < 0.9 <= enough


# The rough numbers of the simulated column, 60 draws a point: here 1,000 directions, with the 95%
# intervals of the least number of rows.
@pytest.mark.parametrize(
    ("where", "rough"), [("uniform", 768), ("chain", 632), ("clusters", 480), ("copies", 332)]
)
def test_simulated_numbers_are_near_the_rough_ones(where, rough):
    found = pv.need(learner="projected", distribution=where, d=16, trials=1000, **AT)
    assert abs(int(found.m) - rough) <= 0.03 * rough


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_row_turns_as_many_answers_as_said(d):
    points = range(1, 2**d + 1)
    most = {1: 0.0, 2: 0.0}
    for x, y in itertools.combinations(points, 2):
        gap = answers(moments(Sample.of(d, [x], [1])) - moments(Sample.of(d, [y], [1])))
        most = {norm: max(was, float(np.linalg.norm(gap, norm))) for norm, was in most.items()}
    turned = (d + 1) ** 2 // 4
    assert most == {1: 2.0 * turned, 2: pytest.approx(2.0 * math.sqrt(turned))}
    # Planted: the crude sensitivities, of all answers, are larger.
    assert 2.0 * pairs(d) > most[1] or d == 1


class ForOne(Laplace):
    """Planted: noise as if a row turned one answer alone."""

    def scale(self, n, d, epsilon):
        return 2.0 / (n * epsilon) + 0.0 * d


class TooLittle(Gauss):
    """Planted: a fifth of the noise is missing."""

    def scale(self, n, d, epsilon):
        return 0.8 * super().scale(n, d, epsilon)


def test_audits_reach_epsilon_and_find_too_little_noise():
    assert audit(Laplace(), d=1, m=2).worst == pytest.approx(1.0, abs=1e-9)
    assert audit(Laplace(), d=2, m=2).private
    assert audit(ForOne(), d=2, m=2).worst == pytest.approx(2.0, abs=1e-9)
    assert audit(Gauss(), d=2, m=2, delta=0.05).private
    assert audit(Projected(), d=2, m=2, delta=0.05).private
    # What the bins of one answer show of the slack is nearly all of it, with a fifth less far more.
    near, above = (audit(x, d=1, m=2, delta=0.05).least_delta for x in (Gauss(), TooLittle()))
    assert 0.8 * 0.05 < near <= 0.05
    assert above > 1.5 * 0.05
    assert not audit(TooLittle(), d=1, m=2, delta=0.05).private


def test_moments_are_those_of_the_rows():
    rng = np.random.default_rng(3)
    x = rng.integers(1, 17, 50)
    found = moments(Sample.of(4, x.tolist(), [1] * 50))
    rows = np.array([[1, *(1 if (p - 1) >> j & 1 else -1 for j in range(4))] for p in x.tolist()])
    assert found == pytest.approx(rows.T @ rows / 50)
    assert answers(symmetric(np.arange(10.0), 5, 1.0)).tolist() == list(range(10))


@pytest.mark.parametrize("table", TABLES, ids=lambda x: x.name)
@pytest.mark.parametrize("d", [1, 2, 7, 40])
def test_tables_have_moments_of_tables(table, d):
    true = table.moments(d)
    assert true == pytest.approx(true.T)
    assert np.diag(true) == pytest.approx(np.ones(d + 1))
    assert np.linalg.eigvalsh(true)[0] > -1e-12
    assert nearest_correlation(true) == pytest.approx(true, abs=1e-9)
    # The rows that are shown are of that population.
    signs = 2.0 * table.rows(d) - 1.0
    means = np.concatenate([np.ones((len(signs), 1)), signs], axis=1)
    gap = means.T @ means / len(signs) - true
    assert np.abs(gap).max() <= (0.4 if len(signs) > 3 else 1e-12)


def test_the_law_of_laplace_noise_by_quadrature():
    # Three answers: the density of the sum of squares of three Laplace variables, integrated.
    scale, alpha = 0.07, 0.1
    m = round(2 * 2 / scale)  # at d = 2 and epsilon = 1 the scale is 4 / m
    scale = 4 / m

    def outer(x):
        def inner(y):
            rest = 3 * alpha**2 - x * x - y * y
            last = -math.expm1(-math.sqrt(rest) / scale) if rest > 0 else 0.0
            return math.exp(-y / scale) / scale * last

        top = math.sqrt(max(3 * alpha**2 - x * x, 0.0))
        return math.exp(-x / scale) / scale * integrate.quad(inner, 0, top)[0]

    wanted = integrate.quad(outer, 0, math.sqrt(3) * alpha)[0]
    found = learner("marginals", "laplace").success(
        Uniform(), setting([m], 2, 1.0, alpha, 0.1, trials=20_000)
    )
    assert abs(float(found.value[0]) - wanted) < 2.5 * float((found.high - found.low)[0])
    assert float((found.high - found.low)[0]) < 0.01


def test_the_law_of_gaussian_noise_in_fifty_digits():
    sigma, many = mp.mpf("0.11"), 136
    mp.mp.dps = 50
    wanted = mp.gammainc(
        mp.mpf(many) / 2, 0, many * mp.mpf("0.01") / sigma**2 / 2, regularized=True
    )
    inside, outside = within_root(np.array(16), np.array(0.1 / 0.11))
    assert float(inside) == pytest.approx(float(wanted), rel=1e-12)
    assert float(outside) == pytest.approx(float(1 - wanted), rel=1e-12)


@pytest.mark.parametrize("who", ["laplace", "gauss", "projected"])
@pytest.mark.parametrize(
    "table", spread([*TABLES, distribution("marginals", "largest")], 3), ids=lambda x: x.name
)
def test_laws_are_what_plain_runs_do(who, table):
    mechanism = learner("marginals", who)
    if table.name not in mechanism.laws:
        with pytest.raises(InputError, match="must have a law for projected"):
            mechanism.success(table, setting([100], 6, 1.0, 0.2, 0.1))
        return
    alpha, trials, rng = 0.2, deep(600, 1500), np.random.default_rng(11)
    # Where it succeeds about as often as not.
    m = int(pv.need(learner=who, distribution=table.name, d=6, concept="marginals", epsilon=1.0,
                    alpha=alpha, beta=0.5, trials=500).m)  # fmt: skip
    law = mechanism.success(table, setting([m], 6, 1.0, alpha, 0.1, trials=deep(1500, 4000)))
    # A simulated law may be three of its half widths, six standard errors, off.
    low, high = (float((law.value + k * 3 * (law.high - law.value))[0]) for k in (-1, 1))
    sample = table.draw(m=m, d=6, alpha=alpha, rng=rng)
    hits = sum(
        table.succeeds(
            mechanism.run(sample, Cell(sample.d, 1.0, alpha, 0.1), rng), d=6, alpha=alpha
        )
        for _ in range(trials)
    )
    budget.assert_rate(hits, trials, min(max(hits / trials, low), high), f"{who} on {table.name}")


def test_a_projection_with_too_little_noise_would_be_noticed():
    # Planted: noise for the crude sensitivity, which is 1.4 times as large, at the law's own m.
    rng, trials = np.random.default_rng(5), 400
    table, alpha = Clusters(), 0.2
    mechanism = learner("marginals", "projected")
    m = int(pv.need(learner="projected", distribution="clusters", d=6, concept="marginals",
                    epsilon=1.0, alpha=alpha, beta=0.5, trials=500).m)  # fmt: skip
    law = float(mechanism.success(table, setting([m], 6, 1.0, alpha, 0.1, trials=1000)).value[0])
    true, scale = table.moments(6), float(deviation(np.array(m), np.array(6), np.array(1.0), 1e-6))
    noise = scale * math.sqrt(pairs(6) / 12) * rng.standard_normal((trials, pairs(6)))
    noisy = np.stack([true + symmetric(row, 7, 0.0) for row in noise])
    gap = [answers(found - true) for found in nearest_correlation(noisy)]
    hits = sum(math.sqrt((row * row).mean()) <= alpha for row in gap)
    assert not budget.agrees(hits, trials, law)


@pytest.mark.parametrize(("told", "wanted"), [(np.nan, None), (np.inf, np.inf)])
def test_radii_are_the_same_whichever_method_finds_them(monkeypatch, told, wanted):
    """Where Newton's method does not settle another one goes on; beyond what is asked they are infinite."""
    table = TABLES[0]
    known, _ = critical_radii(table, 8, 0.1, 12, 3)
    assert np.isfinite(known).all()
    monkeypatch.setattr(
        learners, "where_distant",
        lambda _, ways, *__: (np.full(len(ways), told), np.zeros(ways.shape[:2])),
    )  # fmt: skip
    for kept in (critical_radii, learners._guide):
        kept.cache_clear()
    found, _ = critical_radii(table, 8, 0.1, 12, 3)
    for kept in (critical_radii, learners._guide):
        kept.cache_clear()
    assert found == pytest.approx(known if wanted is None else wanted, rel=1e-3)


@pytest.mark.parametrize("table", TABLES, ids=lambda x: x.name)
def test_radii_are_where_the_error_is_alpha_and_it_only_grows(table):
    d, alpha = 9, 0.15
    radii, _ = critical_radii(table, d, alpha, 25, 77)
    noise = np.random.default_rng(77).standard_normal((25, pairs(d)))
    noise /= np.sqrt((noise * noise).mean(axis=1, keepdims=True))
    true = table.moments(d)
    assert (radii >= alpha * (1 - 1e-9)).all()
    for radius, row in zip(radii.tolist(), noise, strict=True):
        sizes = np.array([0.3, 0.8, 1.0, 1.3, 3.0]) * min(radius, 20.0)
        found = nearest_correlation(
            np.stack([true + s * symmetric(row, d + 1, 0.0) for s in sizes])
        )
        gap = np.array([math.sqrt((answers(x - true) ** 2).mean()) for x in found])
        assert (np.diff(gap) >= -1e-9).all()
        if math.isfinite(radius):
            assert gap[2] == pytest.approx(alpha, rel=1e-3)


@pytest.mark.parametrize("table", TABLES[:2], ids=lambda x: x.name)
def test_radii_are_foretold_where_attributes_are_many(table, monkeypatch):
    d, trials = learners._FORETOLD, 96
    radii, foretold = critical_radii(table, d, 0.1, trials, 5)
    assert radii.size == trials * learners._FOUND // d
    monkeypatch.setattr(learners, "_FORETOLD", d + 1)
    critical_radii.cache_clear()
    every, known = critical_radii(table, d, 0.1, trials, 5)
    critical_radii.cache_clear()
    assert known is every
    assert radii == pytest.approx(every[: radii.size], rel=1e-6)
    off = np.log(foretold / every)
    assert off.std() < 0.5 * np.log(every).std()


def test_few_costly_numbers_correct_cheap_ones():
    rng = np.random.default_rng(6)
    right, rough = rng.random((2, 3, 40))
    found = corrected(rough, right[:, :8])
    wanted = rough.mean(axis=1) + (right - rough)[:, :8].mean(axis=1)
    assert found.mean(axis=1) == pytest.approx(wanted)
    assert found[:, 8:].tolist() == rough[:, 8:].tolist()
    assert corrected(right, right[:, :1]) == pytest.approx(right)
    assert corrected(rough, right) == pytest.approx(right)


def test_far_matrices_have_a_nearest_one_too():
    rng = np.random.default_rng(2)
    for size, scale in itertools.product((2, 3, 5, 9), (1e2, 1e4, 1e6, 1e9)):
        noise = rng.standard_normal((20, size, size)) * scale
        noise = np.triu(noise, 1) + np.triu(noise, 1).transpose(0, 2, 1) + np.eye(size)
        found = nearest_correlation(noise)
        assert np.linalg.eigvalsh(found)[:, 0].min() > -1e-9
        # Nothing of the elliptope lies further in the matrix's direction: rank one matrices of signs.
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=size)))
        corners = np.einsum("sj,nji,si->ns", signs, noise, signs).max(axis=1)
        assert (np.einsum("nij,nij->n", found, noise) >= corners - 1e-3 * scale * size).all()


def test_no_mechanism_on_more_attributes_than_are_kept():
    with pytest.raises(InputError, match=r"^d must be at most 128 for chain; got 129\.$"):
        pv.success(learner="gauss", distribution="chain", m=100, d=129, **AT)


# --- The exhibits -------------------------------------------------------------------------------


def test_a_release_of_voters_is_what_it_says():
    found = released(population("clusters", 16, 500), 0.5, 1e-6, 1)
    true = found.survey.moments
    assert found.sigma == pytest.approx(
        float(deviation(np.array(500), np.array(16), np.array(0.5), 1e-6))
    )
    assert found.error(found.projected) < found.error(found.noisy)
    assert found.error(found.noisy) == pytest.approx(found.sigma, rel=0.2)
    assert found.projected == pytest.approx(nearest_correlation(found.noisy))
    assert found.worst(found.noisy) == np.abs((found.noisy - true)[np.triu_indices(17, 1)]).max()
    # Cells of a table of two attributes, one by one.
    wrong = 0
    for j, k in itertools.combinations(range(1, 17), 2):
        for a, b in itertools.product((-1, 1), repeat=2):
            cell = 1 + a * found.noisy[0, j] + b * found.noisy[0, k] + a * b * found.noisy[j, k]
            wrong += cell < -1e-12
    assert found.impossible == wrong > 0
    assert released(population("copies", 5, 10**7), 1.0, 1e-6, 1).still >= 0


def test_synthetic_rows_have_the_moments_that_are_claimed():
    matrix = Chain().moments(4)
    rng, draws = np.random.default_rng(8), 200_000
    rows = np.sign(rng.multivariate_normal(np.zeros(5), matrix, size=draws))
    rows *= rows[:, :1]
    wanted = 2 / math.pi * np.arcsin(matrix)
    off = np.abs(rows.T @ rows / draws - wanted).max()
    assert off < 8 / math.sqrt(draws)
    # Planted: the correlations themselves are further off.
    assert np.abs(rows.T @ rows / draws - matrix).max() > 0.1
    at = np.linspace(0, 1, 100_001)
    assert worst_of_signs() == pytest.approx((at - 2 / math.pi * np.arcsin(at)).max(), abs=1e-9)
    assert worst_of_signs() == pytest.approx(0.2105, abs=5e-5)


def test_errors_fall_as_said():
    found = errors("clusters", 16, 0.5, 1e-6, 1)
    assert found.noise * found.rows == pytest.approx(np.full(15, found.noise[0] * found.rows[0]))
    mean, half = found.projected
    assert (mean - 3 * half <= found.guaranteed).all()
    assert (np.diff(mean) < 0).all()
    assert found.floor == pytest.approx(
        math.sqrt(
            (
                answers(2 / math.pi * np.arcsin(Clusters().moments(16)) - Clusters().moments(16))
                ** 2
            ).mean()
        )
    )
    assert found.synthetic[0][-1] == pytest.approx(found.floor, abs=0.01)
    assert errors("copies", 3, 1.0, 1e-6, 1).floor == pytest.approx(0.0, abs=1e-7)


def test_a_table_of_categories_becomes_attributes():
    columns = (("a", ("0", "1")), ("b", ("x", "y", "z")))
    rows = [["0", "x"], ["1", "y"], ["1", "z"], ["", "x"], ["0", ""]]
    found = tabled(columns, [rows[:2], rows[2:]], "The file")
    assert found.names == ("a", "b = x", "b = y", "b = z")
    assert found.rows == 3
    signs = np.array([[1, -1, 1, -1, -1], [1, 1, -1, 1, -1], [1, 1, -1, -1, 1]])
    assert found.moments == pytest.approx(signs.T @ signs / 3)
    with pytest.raises(InputError, match="must make at most 128 attributes"):
        tabled([(f"c{k}", [str(v) for v in range(3, 67)]) for k in range(3)], [], "The file")
    with pytest.raises(InputError, match="at least one row with a value in every column"):
        tabled(columns, [[["", "x"]]], "The file")


def test_captions_are_plain_and_titles_stand_over_their_matrices():
    pictures = (
        *population_pictures("clusters", 4, 500, 1.0, 1e-6, 1)[1:],
        errors_picture("clusters", 3, 1.0, 1e-6, 1),
    )
    assert not any("*" in picture.caption for picture in pictures)
    titles = pictures[0].figure["layout"]["annotations"]
    assert [note["xref"] for note in titles] == ["x domain", "x2 domain", "x3 domain"]
    assert {note["x"] for note in titles} == {0.5}
