"""Many data sets at once: any learner, the same law as one at a time, and plain refusals."""

import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import BITS_MOST, Sample
from privsc_core.errors import InputError
from tests import budget
from tests.core.support import LEARNERS

X = [[1, 2, 2, 3], [4, 4, 1, 4], [8, 8, 8, 8]]
Y = [[0, 1, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
TOGETHER = {("point", "exponential"), ("interval", "exponential"),
            ("pseudorandom-point", "exponential-relaxed")}  # fmt: skip


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_any_learner_runs_on_many_data_sets(concept, learner):
    cell = {"epsilon": 1.0, "alpha": 0.2, "beta": 0.2}
    who = {"concept": concept.name, "learner": learner.name, "d": 3, "seed": 3}
    who["delta"] = learner.privacy_slack
    found = pv.run_many(x=X, y=Y, **who, **cell)
    assert len(found) == 3
    together = (concept.name, learner.name) in TOGETHER
    assert hasattr(found, "numbers") == together
    if not together:  # one after the other, on the same stream of coins
        rng = np.random.default_rng(3)
        each = [
            learner.run(Sample.of(3, *row), Cell(3, **cell), rng) for row in zip(X, Y, strict=True)
        ]
        assert [h.description for h in found] == [h.description for h in each]
    for hypothesis in found:
        assert hypothesis is FAILURE or hypothesis.answer(1) is not None
    if not learner.labelled:
        blind = pv.run_many(x=X, **who, **cell)
        assert list(blind) == list(found)


@pytest.mark.parametrize(("concept", "learner"), sorted(TOGETHER))
def test_together_and_one_by_one_have_the_same_law(concept, learner):
    # The seams of a batch: the most bits that it takes, and one more.
    runs = 1_500
    for d in (3, BITS_MOST, BITS_MOST + 1):
        top = 2**d
        x, y = [[1, top, top]] * runs, [[1, 1, 1]] * runs
        found = pv.run_many(concept=concept, learner=learner, x=x, y=y, d=d, epsilon=100.0)
        assert hasattr(found, "numbers") == (d <= BITS_MOST)
        j = [h.j for h in found]
        if concept == "interval":  # only T + 1 labels T with 1
            assert set(j) == {top + 1}
        else:
            assert set(j) == {top}
        weak = pv.run_many(concept=concept, learner=learner, x=x, y=y, d=d, epsilon=1e-6, seed=2)
        budget.assert_rate(sum(h.j > top // 2 for h in weak), runs, upper(concept, d), f"d = {d}")


def upper(concept, d):
    """Return how likely a uniform concept is to lie in the upper half."""
    return (2 ** (d - 1) + 1) / (2**d + 1) if concept == "interval" else 0.5


def test_a_part_of_the_hypotheses_is_one_too():
    found = pv.run_many(concept="point", learner="exponential", x=X, y=Y, d=3, epsilon=1.0)
    assert [h.j for h in found] == found.numbers.tolist()
    assert found[1:].numbers.tolist() == found.numbers[1:].tolist()
    assert found[-1].j == found.numbers[-1]
    again = pv.run_many(concept="point", learner="exponential", x=X, y=Y, d=3, epsilon=1.0, seed=1)
    assert (found.numbers == again.numbers).all()


@pytest.mark.parametrize("learner", ["exponential", "erm"])
@pytest.mark.parametrize(("name", "bad"), [
    ("x", {"x": [[0]]}), ("x", {"x": [[9]]}), ("x", {"x": [[1.0]]}), ("x", {"x": [1], "y": [1]}),
    ("x", {"x": [[1], [1, 2]]}), ("x", {"x": [[]], "y": [[]]}), ("x", {"x": []}),
    ("x", {"x": np.empty((0, 3), dtype=int)}), ("x", {"x": [["1"]]}), ("x", {"x": [[None]]}),
    ("x", {"x": [[10**400]]}), ("x", {"x": [[True]]}), ("x", {"x": 3}),
    ("y", {"y": [[2]]}), ("y", {"y": [[-1]]}), ("y", {"y": [[0.5]]}), ("y", {"y": [[1, 0]]}),
    ("y", {"y": [[1], [0]]}), ("y", {"y": [[1], [0, 1]]}), ("y", {"y": None}), ("d", {"d": 0}),
    ("d", {"d": 2.5}), ("epsilon", {"epsilon": 0.0}), ("epsilon", {"epsilon": math.nan}),
    ("alpha", {"alpha": 1}), ("beta", {"beta": 0}), ("seed", {"seed": -1}),
    ("delta", {"delta": 1}), ("learner", {"learner": "nobody"}), ("concept", {"concept": "circle"}),
])  # fmt: skip
def test_refusals_name_the_parameter(learner, name, bad):
    good = {"concept": "point", "learner": learner, "x": [[1]], "y": [[1]], "d": 3, "epsilon": 1.0}
    assert len(pv.run_many(**good)) == 1
    with pytest.raises(InputError, match=rf"^{name} must .*; got .*\.$") as caught:
        pv.run_many(**good | bad)
    assert caught.value.parameter == name


def test_points_of_any_length_run_where_learners_do():
    top = 2**200
    found = pv.run_many(
        concept="interval", learner="erm", x=[[top, 5]] * 2, y=[[0, 1]] * 2, d=200, epsilon=1.0
    )
    assert all(5 < h.j <= top for h in found)
    with pytest.raises(InputError, match=r"^x must be a whole number from 1 to 2"):
        pv.run_many(concept="interval", learner="erm", x=[[top + 1]], y=[[0]], d=200, epsilon=1.0)
