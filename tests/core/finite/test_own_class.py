"""A class of one's own: laws by enumeration, by the classes that they coincide with, by simulation."""

import itertools
import json
import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli import main
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.hypotheses import FAILURE, LabelFunction
from privsc_core.concepts.shared.sample import Sample
from privsc_core.draw import picture
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.finite import ready, to_code
from privsc_core.finite.concept import FINITE, of_matrix
from privsc_core.finite.concept import laws as own_laws
from privsc_core.finite.concept.distributions import FIRST, Weights
from privsc_core.finite.littlestone import MistakeTree
from privsc_core.finite.samples import sample_bounds
from tests import budget
from tests.core.support import conditionals, law, setting

LEARNERS = [entry.name for entry in FINITE.learners]
NAMED = pytest.mark.parametrize("name", LEARNERS)


def learner(concept, name):
    return next(entry for entry in concept.learners if entry.name == name)


def drawn(number, seed):
    """Yield small random classes, each with a distribution that has weights and a target."""
    coins = np.random.default_rng(seed)
    for _ in range(number):
        rows, points = coins.integers(2, 9), coins.integers(1, 5)
        of = pv.FiniteClass(coins.integers(0, 2, (rows, points)))
        weights = [*coins.integers(0, 4, points - 1).tolist(), 1]
        concept = of_matrix(of)
        target = int(coins.integers(1, len(of) + 1))
        yield concept, concept.distributions[1].resized(*weights, target)
        yield concept, concept.distributions[0].resized(target)


def by_samples(entry, distribution, m, epsilon, alpha):
    """Sum over all samples and over what the learner puts out, errors from the rows of the matrix."""
    rows, goal = np.array(entry.of.rows()), distribution.number - 1
    masses = np.array([float(mass) for mass in distribution.masses()])
    bits, total = entry.tiny.d, 0.0
    good = {i + 1 for i, row in enumerate(rows) if masses @ (row != rows[goal]) <= alpha + 1e-12}
    for points in itertools.product(np.flatnonzero(masses).tolist(), repeat=m):
        sample = Sample.of(bits, [x + 1 for x in points], rows[goal][list(points)].tolist())
        found = entry.output_distribution(sample, Cell(bits, epsilon, alpha, 0.1))
        total += masses[list(points)].prod() * sum(found[j] for j in good)
    return total


# Points that may be exchanged: of their counts one order stands for all.
ALIKE = [
    (FINITE, catalog.distribution("finite", x)) for x in ("uniform(9)", "weights(2,2,1,1,1,2)")
]


@NAMED
def test_the_law_is_the_sum_over_all_samples(name):
    cases = zip((*drawn(8, 3), *ALIKE), itertools.cycle((1, 2, 4, 3)))
    for (concept, distribution), m in cases:
        entry = learner(concept, name)
        found = entry.success(distribution, setting(m, 1, 0.7, 0.25, 0.1))
        assert found.method == "exact"
        assert float(found.value) == pytest.approx(
            by_samples(entry, distribution, m, 0.7, 0.25), abs=1e-13
        )


def test_the_types_of_all_samples_have_probability_one():
    for concept, distribution in (*drawn(6, 3), *ALIKE):
        del concept
        for m in (1, 7, 30):
            found = own_laws.types(m, own_laws.reduced(distribution), 40.0)
            assert found[1].sum() == pytest.approx(1.0, abs=1e-12)
    assert len(found[1]) < 20_000  # of 324,632 in all
    assert own_laws.types(300, own_laws.reduced(distribution), 40.0) is None


# --- The same numbers as classes of the catalog --------------------------------------------------


def matrix_of(name, d):
    """Return the matrix of a class of the catalog and of its points, 1 to 2^d, by formula."""
    points = range(1, 2**d + 1)
    rows = {
        "point": [[x == j for x in points] for j in points],
        "interval": [[x < j for x in points] for j in range(1, 2**d + 2)],
        "parity": [[((j - 1) & (x - 1)).bit_count() & 1 for x in points] for j in points],
    }[name]
    return pv.FiniteClass(np.array(rows, dtype=int))


# (class, its learner, its distribution, weights of the points or none for uniform, target, settings)
# `hard` has mass just above alpha where weights have alpha: they are asked a little below.
SAME = [
    ("point", "hard", {1: 9, 8: 1}, 8, LEARNERS, ((20, 0.5), (100, 0.7), (500, 0.2))),
    ("interval", "hard", {1: 8, 3: 1, 4: 1}, 4, LEARNERS[:2], ((20, 0.5), (60, 1.0), (150, 0.3))),
    ("parity", "uniform", None, 8, LEARNERS[:1], ((3, 0.5), (9, 1.5), (14, 0.4))),
    (
        "parity",
        "spikes",
        {1: 3, 2: 1, 3: 1, 5: 1},
        8,
        LEARNERS[:2],
        ((3, 0.5), (20, 1.5), (60, 0.4)),
    ),
]


@pytest.mark.parametrize("same", SAME, ids=lambda same: f"{same[0]}-{same[1]}")
def test_a_matrix_of_a_class_of_the_catalog_has_its_laws(same):
    name, law_name, weights, target, names, settings = same
    theirs, d = catalog.concept(name), 3
    concept = of_matrix(matrix_of(name, d))
    distribution = concept.distributions[0].resized(target)
    if weights:
        every = [weights.get(x, 0) for x in range(1, 2**d + 1)]
        distribution = concept.distributions[1].resized(*every, target)
    other = catalog.distribution(name, law_name)
    for entry, (m, epsilon) in itertools.product(names, settings):
        own = law(learner(concept, entry), distribution, m, 1, epsilon, 0.0999, 0.1)
        ours = law(learner(theirs, entry), other, m, d, epsilon, 0.1, 0.1)
        assert own == pytest.approx(ours, abs=1e-12), (entry, m, epsilon)


# --- Drawn types ---------------------------------------------------------------------------------


@NAMED
def test_drawn_types_agree_with_the_sum_over_all(name, monkeypatch):
    concept = of_matrix(ready("subsets-6-2"))
    entry, distribution = (
        learner(concept, name),
        concept.distributions[1].resized(3, 1, 2, 1, 1, 4, 5),
    )
    cell = (9, 1, 0.8, 0.3, 0.1)
    exact = law(entry, distribution, *cell)
    with monkeypatch.context() as patch:
        patch.setattr(own_laws, "TYPES_MOST", 0)
        patch.setattr("privsc_core.finite.concept.learners.SUBSETS_MOST", 0)
        estimate, given = conditionals(entry, distribution, cell, monkeypatch, trials=4000)
        assert estimate.method == "rao-blackwell"
        budget.assert_mean(given, exact, what=name)
        # Planted: a group of points that is seen as often as another one.
        planted = concept.distributions[1].resized(1, 1, 2, 1, 3, 4, 5)
        _, wrong = conditionals(entry, planted, cell, monkeypatch, trials=4000)
    with pytest.raises(AssertionError):
        budget.assert_mean(wrong, exact, what=name)


# --- Success that falls --------------------------------------------------------------------------

# Eight accurate concepts err on point 1, which costs at most alpha; one bad concept errs on point 2.
FALLING = pv.FiniteClass([[0] * 6, [0, 1, 0, 0, 0, 0]] + [
    [1, 0, 0, *rest] for rest in itertools.product((0, 1), repeat=3)
])  # fmt: skip
FALLING_CLASS = catalog.concept(FALLING)
FALLING_LAW = catalog.distribution(FALLING, "weights(2,3,5,0,0,0)")


def test_where_success_falls_the_least_m_is_not_the_one_from_which_all_suffice():
    at = {"concept": FALLING, "learner": "exponential", "distribution": "weights(2,3,5,0,0,0)",
          "epsilon": 5.0, "alpha": 0.25}  # fmt: skip
    success = pv.success(**at, m=np.arange(1, 40)).value
    assert success[1] < success[0]
    beta = 1.0 - (success[0] + success[1]) / 2.0
    good = np.flatnonzero(success >= 1.0 - beta) + 1
    found = pv.need(**at, beta=beta)
    last = np.flatnonzero(success < 1.0 - beta)[-1] + 1
    assert (found.m, found.m_from) == (good[0], last + 1) == (1, 3)
    for entry in FALLING_CLASS.learners:
        assert not entry.monotone(FALLING_LAW, 0.25)
        assert entry.monotone(FALLING_LAW, 0.15)


def test_the_ends_of_erm_hold_its_law_in_between():
    seen = 0
    for concept, distribution in drawn(30, 8):
        entry = learner(concept, "erm")
        sizes = setting(np.arange(2, 10), 1, 1.0, 0.3, 0.1)
        low, high = entry.span(
            distribution, setting(2, 1, 1.0, 0.3, 0.1), setting(9, 1, 1.0, 0.3, 0.1)
        )
        found = entry.success(distribution, sizes).value
        assert low.value - 1e-12 <= found.min() <= found.max() <= high.value + 1e-12
        seen += not entry.monotone(distribution, 0.3)
    assert seen > 5


# --- The algorithms ------------------------------------------------------------------------------


@NAMED
def test_runs_have_the_law_that_is_listed_and_private_ones_keep_their_promise(name):
    entry = learner(FINITE, name)
    sample, at = Sample.of(3, [1, 2, 2, 6], [1, 0, 1, 0]), Cell(3, 1.2, 0.1, 0.1)
    listed = entry.output_distribution(sample, at)
    rng, seen = np.random.default_rng(5), {}
    for _ in range(3000):
        j = entry.run(sample, at, rng).number
        seen[j] = seen.get(j, 0) + 1
    budget.assert_distribution(seen, listed, f"runs of {name}")
    planted = entry.output_distribution(Sample.of(3, [1, 2, 2, 6], [0, 0, 1, 0]), at)
    with pytest.raises(AssertionError):
        budget.assert_distribution(seen, planted, f"runs of {name} on another sample")
    found = audit(entry, epsilon=0.7)
    assert found.private == (entry.privacy == "pure")
    if found.private:
        assert 0.5 < found.worst <= 0.7 + 1e-9


def test_a_rate_that_is_too_large_fails_the_audit():
    class Planted(type(learner(FINITE, "exponential"))):
        def score_rate(self, epsilon):
            return epsilon

    assert not audit(Planted(FINITE.member), epsilon=0.7).private


# --- Bounds --------------------------------------------------------------------------------------


def test_no_learner_passes_a_lower_bound_on_the_distribution_of_its_proof():
    # At alpha = 0.4 two points have room, all subsets of them are concepts, and a third one is the base.
    mass, alpha = 0.4 + 1e-6, 0.4
    rows = FINITE.member.rows()
    targets = [i + 1 for i, row in enumerate(rows) if not any(row[2:])]
    every = [FINITE.distributions[1].resized(mass, mass, 1 - 2 * mass, 0, 0, 0, i) for i in targets]
    assert len(every) == 4
    at = setting(np.array([1, 2, 5, 12, 30]), 1, 1.5, alpha, 0.1)
    limits = {
        name: catalog.bound("finite", name).limit(at) for name in ("nonprivate", "vc", "packing")
    }
    for entry in FINITE.learners:
        mean = np.mean([entry.success(one, at).value for one in every], axis=0)
        for name, limit in limits.items():
            if catalog.bound("finite", name).binds(entry):
                assert (mean <= limit + 1e-5).all(), (entry.name, name)  # "just above" is 1e-6
        if entry.privacy == "none":  # and it reaches what is possible without privacy
            np.testing.assert_allclose(mean, limits["nonprivate"], atol=1e-5)
            assert (mean > limits["packing"]).any()


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_an_upper_bound_suffices_and_is_above_all_lower_ones(name):
    seen = 0
    for concept, distribution in drawn(10, 21):
        at = Cell(1, 0.8, 0.2, 0.1)
        bounds = {b: b.least(at).m for b in concept.bounds}
        (top,) = (m for b, m in bounds.items() if b.kind == "upper" and b.whom.name == name)
        assert max(m for b, m in bounds.items() if b.kind == "lower") <= top
        sizes = np.array([max(top // 2, 1), top])
        found = learner(concept, name).success(distribution, setting(sizes, 1, 0.8, 0.2, 0.1))
        assert found.value[1] >= 0.9
        limit = next(b for b in bounds if b.kind == "upper" and b.whom.name == name).limit(
            setting(sizes, 1, 0.8, 0.2, 0.1)
        )
        assert (found.high >= limit).all()
        seen += limit[0] > 0.2
    assert seen > 5


# --- In the catalog ------------------------------------------------------------------------------


def test_a_class_is_the_member_of_its_family_that_its_code_names():
    of = ready("thresholds-5")
    named = catalog.concept(f"finite({to_code(of)})")
    assert named is catalog.concept(of) is of_matrix(pv.FiniteClass(of.rows()))
    assert catalog.concept("finite").member.points == 6
    large = np.random.default_rng(1).integers(0, 2, (700, 12))
    names = {catalog.concept(pv.FiniteClass(rows)).name for rows in (large, 1 - large)}
    assert len(names) == 2
    with pytest.raises(InputError, match="class must be"):
        catalog.concept("finite(no)")


def test_a_label_says_each_weight_to_the_last_digit():
    coins = np.random.default_rng(63)
    family = next(law for law in FINITE.distributions if law.name == "weights")
    edges = (5e-324, 1e-5, 0.00001234567890123, 0.1 + 0.2, 1 / 3, 123456.78901234567, 1e9)
    for trial in range(100):
        free = 10.0 ** coins.uniform(-15, 9, 6) * coins.integers(0, 2, 6)
        weights = (*free.tolist()[:5], edges[trial % len(edges)])
        mine = family.resized(*weights, int(coins.integers(1, 23)))
        found = catalog.distribution("finite", mine.label)
        assert found == mine
        assert found.weights == weights
        assert sum(found.masses()) == 1
    for wrong in ("1e999", "1e10", "1e-5,1e", "1e+5", "1e0.5"):
        with pytest.raises(InputError, match=r"^distribution must"):
            catalog.distribution("finite", f"weights(0,0,0,0,0,{wrong},1)")
    with pytest.raises(InputError, match="whole number s from 1 to 256; got inf"):
        catalog.distribution("point", "bystanders(1e400)")


def test_every_function_takes_it_and_no_size_is_asked_for():
    pairs = pv.FiniteClass.from_labels(lambda s, x: x in s, itertools.combinations(range(5), 2), 5)
    at = {"concept": pairs, "learner": "exponential", "epsilon": 1.0, "alpha": 0.1}
    assert float(pv.success(**at, m=300).value) > 0.9
    m = pv.need(**at, beta=0.1).m
    assert pv.bound(concept=pairs, bound="finite-class", epsilon=1.0, alpha=0.1, beta=0.1).m >= m
    assert pv.audit(concept=pairs, learner="exponential").private
    assert pv.learn(**at, x=[1, 2, 3] * 90, y=[1, 1, 0] * 90).predict(2) == 1
    with pytest.raises(InputError, match="d must be given"):
        pv.success(**at | {"concept": "point"}, m=300)


@pytest.mark.parametrize("answer", ["number", "row", "function"])
def test_a_learner_of_ones_own_may_answer_with_a_row_of_the_matrix(answer):
    rows = np.array(FINITE.member.rows())

    def fits(x, y, rng):
        good = np.flatnonzero((rows[:, np.asarray(x) - 1] == y).all(axis=1))
        row = int(rng.choice(good))
        return {
            "number": row + 1,
            "row": rows[row],
            "function": lambda point: rows[row][point - 1],
        }[answer]

    at = {"concept": "finite", "m": 6, "epsilon": 1.0, "alpha": 0.2}
    found = pv.success(**at, learner=fits, trials=400)
    exact = float(pv.success(**at, learner="erm").value)
    budget.assert_rate(round(float(found.value) * 400), 400, exact)
    # Planted: weights that are not told.
    other = float(pv.success(**at, learner="erm", distribution="weights(1,1,1,0,0,0)").value)
    with pytest.raises(AssertionError):
        budget.assert_rate(round(float(found.value) * 400), 400, other)


def test_it_has_no_picture_against_its_size():
    name = f"finite({to_code(ready('thresholds-4'))})"
    scenario = pv.Scenario(concept=name, learners=("erm", "exponential"), m=60)
    assert scenario.sizeless
    assert (
        pv.Scenario(concept=ready("thresholds-4"), learners=("erm", "exponential"), m=60)
        == scenario
    )
    drawn_ = picture(scenario, "eps")
    assert drawn_ is not None
    for view in ("d", "need-d", "map-m-d"):
        with pytest.raises(InputError, match="view must be one of m, eps, need-eps, map-m-eps"):
            picture(scenario, view)


def test_more_examples_than_are_searched_for_are_not_taken_for_none():
    of, one = ready("thresholds-4"), pv.FiniteClass(((0, 1),))
    for epsilon, beyond in ((1.0, False), (1e-12, True)):
        found = sample_bounds(of, MistakeTree(of), epsilon=epsilon, alpha=0.2, beta=0.1)
        for bound in found:
            if bound.kind == "lower":
                assert not bound.silent
                assert (bound.m is None) == ("more than 1e+12" in bound.how) == beyond
    found = sample_bounds(one, MistakeTree(one), epsilon=1e-12, alpha=0.2, beta=0.1)
    assert all(bound.silent and bound.m is None for bound in found if bound.kind == "lower")


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("weights(1,2)", "must have 6 weights of the points; got 2"),
        ("weights(0,0,0,0,0,0)", "not all of them 0"),
        ("weights(1,1,1,1,1,1,23)", "target from 1 to 22"),
        ("weights(1,1,1,1,1,1,2,3)", "at most 7 numbers"),
        ("uniform(0)", "target from 1 to 22"),
    ],
)
def test_weights_are_a_number_for_each_point(label, words):
    with pytest.raises(InputError, match=words):
        catalog.distribution("finite", label)
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(InputError, match="must have 6 weights of the points, each from 0 to"):
            Weights(FIRST, 1, (1.0, 1.0, 1.0, 1.0, 1.0, wrong))
    found = catalog.distribution("finite", "weights(1,0,2.5,1,1,1,4)")
    assert (found.label, found.number) == ("weights(1,0,2.5,1,1,1,4)", 4)
    assert found.error(LabelFunction(lambda _: 1, ""), m=1, d=3, alpha=0.1) == found.wrong(
        found.goal ^ 0b111111
    )
    assert not found.succeeds(FAILURE, d=3, alpha=0.9)


def test_a_long_name_is_cut_where_people_read_and_in_files():
    of = ready("subsets-12-2")
    found = pv.need(concept=of, learner="erm", epsilon=1, alpha=0.1, beta=0.1)
    assert "…" in str(found)
    assert found.records()[0]["concept"] == catalog.concept(of).name
    assert len(catalog.concept(of).label) < 60
    with pytest.raises(InputError, match="wanted must not be d"):
        pv.reach(concept=of, learner="erm", wanted="d", m=9, epsilon=1, alpha=0.1, beta=0.1)


def test_commands_take_a_file_of_labels(tmp_path, capsys):
    file = tmp_path / "own.csv"
    file.write_text(ready("thresholds-3").text(","), encoding="utf-8")
    at = ["--concept", str(file), "--json"]
    answers = {}
    for command in (["success", "-m", "9"], ["need"], ["bound", "--bound", "packing"], ["audit"]):
        assert main([*command, *at]) == 0
        answers[command[0]] = json.loads(capsys.readouterr().out)
    assert {record["d"] for records in answers.values() for record in records} == {2}
    asked = {"concept": ready("thresholds-3"), "epsilon": 0.5, "alpha": 0.1}
    for record in answers["success"]:
        assert record["value"] == pv.success(**asked, learner=record["learner"], m=9).value
        assert (record["low"], record["method"]) == (record["value"], "exact")
    assert main(["success", "-m", "9", "--concept", str(tmp_path / "none.csv")]) == 2
