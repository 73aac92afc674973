"""Bad values, generated from the declared domains, get one clear sentence each."""

import doctest
import inspect
import itertools
import json
import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privsc_core as pv
from privsc_core import api, catalog
from privsc_core.cli.main import main
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.microscope import examine
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from privsc_core.parameters import PARAMETERS, parameter, scalar, validated
from tests.core.support import LEARNERS, saying

GRAMMAR = re.compile(r"^(?P<name>[a-z_]+) must .+; got .+\.$")
NOT_NUMBERS = [
    "12",
    "",
    "many",
    True,
    False,
    None,
    [],
    [[]],
    {},
    object(),
    1 + 2j,
    b"3",
    [1, "2"],
    [True],
]
CELL = {"m": 20, "d": 4, "epsilon": 0.5, "alpha": 0.2, "beta": 0.2, "trials": 10, "seed": 1}


def bad_numbers(entry):
    """Values just outside and far outside the domain, by its declaration."""
    bad = [math.nan, math.inf, -math.inf, -1, -1e-300, -(10**400), 10**5000]
    if not entry.contains(np.array(0.0)):
        bad += [0, 0.0, -0.0]
    if math.isfinite(entry.high):
        bad += [
            math.nextafter(entry.high, math.inf) if not entry.integer else entry.high + 2,
            10**300,
        ]
        if not entry.contains(np.array(float(entry.high))):
            bad.append(entry.high)
    if entry.integer:
        bad += [entry.low + 0.5, 2.0000001]
    return bad


def refuses(name, act):
    with pytest.raises(InputError) as caught:
        act()
    match = GRAMMAR.match(str(caught.value))
    assert match, str(caught.value)
    assert match["name"] == caught.value.parameter == name
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("entry", PARAMETERS, ids=lambda e: e.name)
def test_bad_values_are_named(entry):
    for number, value in enumerate([*bad_numbers(entry), *NOT_NUMBERS]):
        with saying(f"value {number}, {type(value).__name__}"):
            refuses(entry.name, lambda value=value: validated(entry.name, value))


@pytest.mark.parametrize("entry", PARAMETERS, ids=lambda e: e.name)
def test_one_bad_value_among_good_ones_is_found(entry):
    good = entry.default
    for bad in bad_numbers(entry):
        refuses(entry.name, lambda bad=bad: validated(entry.name, [good, bad, good]))


@pytest.mark.parametrize("entry", PARAMETERS, ids=lambda e: e.name)
def test_declarations_are_whole(entry):
    assert entry.low < entry.high
    assert entry.low <= entry.typical[0] < entry.typical[1] <= entry.high
    assert entry.low <= entry.page[0] <= entry.default <= entry.page[1] <= entry.high or (
        entry.name == "delta"  # 0, its default, is that of pages without a slack
    )
    assert entry.contains(np.array(entry.page, dtype=float)).all()
    assert entry.meaning
    assert len({p.key for p in PARAMETERS}) == len(PARAMETERS)
    assert validated(entry.name, entry.default).item() == entry.default
    for value in entry.typical:
        assert scalar(entry.name, value) == value
    kind = np.int64 if entry.integer else np.float64
    assert validated(entry.name, [entry.default] * 3).dtype == kind
    with pytest.raises(InputError, match="must be a single number"):
        scalar(entry.name, [entry.default, entry.default])


@pytest.mark.parametrize(
    "entry", [p for p in PARAMETERS if p.name != "delta"], ids=lambda e: e.name
)
def test_the_public_functions_refuse_them_too(entry):
    for number, value in enumerate([*bad_numbers(entry), *NOT_NUMBERS]):
        if not isinstance(value, list):
            with saying(f"value {number}, {type(value).__name__}"):
                the_public_functions_refuse(entry, value)


def the_public_functions_refuse(entry, value):
    cell = CELL | {entry.name: value}
    refuses(
        entry.name,
        lambda: pv.success(
            concept="point", learner="exponential", distribution="bystanders(3)", **cell
        ),
    )
    if entry.name != "m":
        needed = {k: v for k, v in cell.items() if k != "m"}
        refuses(entry.name, lambda: pv.need(concept="point", learner="hash", **needed))
    if entry.name not in {"m", "trials", "seed", "u"}:
        known = {k: cell[k] for k in ("d", "epsilon", "alpha", "beta")}
        refuses(entry.name, lambda: pv.bound(concept="point", bound="packing", **known))
    if entry.name not in {"m", "trials", "u"}:
        known = {k: cell[k] for k in ("d", "epsilon", "alpha", "beta", "seed")}
        refuses(
            entry.name,
            lambda: pv.learn(concept="point", learner="erm", x=[1], y=[1], **known),
        )


@given(st.sampled_from(PARAMETERS), st.floats(allow_nan=True, allow_infinity=True))
def test_validation_is_membership_in_the_declared_domain(entry, value):
    inside = math.isfinite(value) and entry.low <= value <= entry.high
    if value == entry.low:
        inside &= entry.ends_included in {"both", "low"}
    if value == entry.high:
        inside &= entry.ends_included in {"both", "high"}
    if entry.integer:
        inside = inside and value == int(value)
    nearest, farthest = entry.margins
    inside = inside and entry.low + nearest <= value <= entry.high - farthest
    if inside:
        assert validated(entry.name, value).item() == value
    else:
        refuses(entry.name, lambda: validated(entry.name, value))


@pytest.mark.parametrize(
    ("entry", "value"),
    [(p, v) for p in PARAMETERS if p.name == "delta" for v in [*bad_numbers(p), *NOT_NUMBERS]],
    ids=lambda x: type(x).__name__,
)
def test_a_bad_delta_is_refused_wherever_one_can_be_given(entry, value):
    cell = {"concept": "release", "learner": "stability", "d": 2, "epsilon": 1.0, "alpha": 0.2}
    refuses("delta", lambda: pv.learn(x=[1], delta=value, **cell))
    if not isinstance(value, list):
        refuses("delta", lambda: pv.audit(m=2, delta=value, **cell))
        refuses("delta", lambda: pv.success(m=9, delta=value, **cell))
        refuses("delta", lambda: pv.need(beta=0.1, delta=value, **cell))


def test_labels_can_be_left_out_only_where_they_do_not_matter():
    for concept, learner in (p.values for p in LEARNERS):
        cell = {"concept": concept.name, "learner": learner.name, "d": 2, "epsilon": 1.0}
        if learner.labelled:
            refuses("y", lambda cell=cell: pv.learn(x=[1, 2], **cell))
        else:
            x = [1, 2] * 200
            blind, told = pv.learn(x=x, **cell), pv.learn(x=x, y=[0, 1] * 200, **cell)
            assert blind == told


def test_names_that_do_not_exist_are_answered_with_those_that_do():
    refuses("parameter", lambda: parameter("zeta"))
    refuses("concept", lambda: catalog.concept("circle"))
    for kind, find in (("learner", catalog.learner), ("bound", catalog.bound),
                       ("distribution", catalog.distribution)):  # fmt: skip
        for name in ("nothing", "", "HARD", "hard(3)(3)", ["hard", "hash"]):
            refuses(kind, lambda find=find, name=name: find("point", name))
    for name in ("hard(3)", "single(2)", "bystanders(0)", "bystanders(999999)"):
        refuses("distribution", lambda name=name: catalog.distribution("point", name))
    assert catalog.distribution("point", "bystanders(20)").label == "bystanders(20)"
    assert catalog.distribution("point", "bystanders(8)").label == "bystanders"


@pytest.mark.parametrize(("name", "x", "y"), [
    ("x", [], []), ("y", [1, 2], [1]), ("y", [], [1]), ("x", [0], [1]), ("x", [-3], [0]),
    ("x", [17], [1]), ("x", [1.5], [1]), ("y", [1], [2]), ("y", [1], [-1]), ("y", [1], ["1"]),
    ("x", [10**400], [1]), ("x", [10**5000], [1]), ("y", [1], [None]), ("y", [1], [math.nan]),
])  # fmt: skip
def test_samples_outside_the_domain_are_refused(name, x, y):
    refuses(name, lambda: Sample.of(4, x, y))


@pytest.mark.parametrize(
    "x",
    ["abc", None, math.nan, math.inf, "3", [1], pytest.param(object(), id="object")],
    ids=repr,
)
def test_points_that_are_no_numbers_are_refused(x):
    refuses("x", lambda: Sample.of(4, [1, x], [0, 1]))


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_a_sample_that_no_concept_fits_is_not_bad_input(concept, learner):
    for seed in range(3):
        h = pv.learn(
            concept=concept.name, learner=learner.name, x=[1, 1, 2, 3], y=[0, 1, 1, 0],
            d=3, epsilon=1.0, alpha=0.2, delta=learner.privacy_slack, u=min(learner.unlabelled, 1),
            seed=seed,
        )  # fmt: skip
        assert h.description


def test_no_law_and_too_many_runs_are_explained():
    cell = {"d": 4, "epsilon": 1.0, "alpha": 0.2, "beta": 0.2}
    refuses("distribution", lambda: pv.need(
        concept="point", learner="hash", distribution="uniform", **cell))  # fmt: skip
    refuses("trials", lambda: pv.success(
        concept="point", learner="hash", distribution="uniform", m=[10] * 50, trials=1000, **cell))  # fmt: skip
    found = pv.success(
        concept="point", learner="hash", distribution="uniform", m=10, trials=40, **cell
    )
    assert found.method == "monte-carlo"
    assert 0 <= found.low <= found.value <= found.high <= 1
    refuses("d", lambda: pv.success(
        concept="point", learner="erm", distribution="bystanders", m=10, **(cell | {"d": 2})))  # fmt: skip
    refuses("alpha", lambda: pv.success(
        concept="point", learner="representation", m=10, **(cell | {"alpha": 0.5})))  # fmt: skip


@pytest.mark.parametrize("name", sorted({*pv.__all__} - {"CONCEPTS", "InputError", "__version__"}))
def test_what_is_public_has_an_example_that_runs(name):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    (test,) = finder.find(getattr(pv, name), name, globs={"__name__": name})
    assert test.examples
    assert runner.run(test).failed == 0


def test_rows_of_different_lengths_are_named():
    with pytest.raises(InputError, match="m must be numbers in rows of the same length"):
        pv.success(concept="point", learner="hash", m=[[1, 2], [3]], d=9, epsilon=1.0, alpha=0.1)


def test_one_bound_of_a_figure_may_be_a_name():
    one, list_of_one = (
        pv.Scenario("point", ("hash",), regions=regions) for regions in ("packing", ("packing",))
    )
    assert one == list_of_one


def test_the_example_of_the_package_runs():
    outcome = doctest.testmod(pv)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_alpha_and_beta_broadcast_too():
    alphas, betas = [0.1, 0.2], [[0.1], [0.3], [0.2]]
    found = pv.success(
        concept="point", learner="hash", m=200, d=9, epsilon=1.0, alpha=alphas, beta=betas
    )
    assert found.value.shape == (3, 2)
    for i, j in itertools.product(range(3), range(2)):
        one = pv.success(
            concept="point", learner="hash", m=200, d=9, epsilon=1.0, alpha=alphas[j],
            beta=betas[i][0],
        )  # fmt: skip
        assert found.value[i, j] == pytest.approx(one.value.item(), rel=1e-12)


def test_a_distribution_that_is_not_named_is_the_first_of_its_class(monkeypatch, capsys):
    known = catalog.concept("point").distributions
    turned = replace(catalog.concept("point"), name="turned", distributions=known[1:])
    listed = catalog.concept
    monkeypatch.setattr(catalog, "concept", lambda x: turned if x == turned.name else listed(x))
    first = known[1].name
    cell = {"concept": "turned", "learner": "exponential", "d": 9, "epsilon": 1.0, "alpha": 0.2}
    for ask in (partial(pv.success, m=40), partial(pv.need, beta=0.1)):
        one, named = ask(**cell), ask(**cell, distribution=first)
        assert str(one) == str(named)
    assert str(pv.success(**cell, m=40)) != str(
        success(
            catalog.learner("turned", "exponential"), known[0], m=40, d=9, epsilon=1.0, alpha=0.2
        )
    ), "the planted fault would show"
    assert pv.Scenario("turned", ("exponential",)).distribution == first
    assert examine(**cell, m=40).distribution.name == first
    words = ["--concept", "turned", "--learner", "exponential", "-d", "9", "--json"]
    for command in ("success", "need"):
        assert main([command, *words]) == 0
        assert {r["distribution"] for r in json.loads(capsys.readouterr().out)} == {first}


PUBLIC = [f for f in vars(api).values() if getattr(f, "__module__", "") == api.__name__]


@pytest.mark.parametrize("question", [*PUBLIC, pv.Scenario, success, need, examine])
def test_what_a_signature_has_as_default_is_what_is_declared(question):
    assert len(PUBLIC) > 5
    declared = {known.name: known.default for known in PARAMETERS}
    for name, entry in inspect.signature(question).parameters.items():
        if name in declared and entry.default not in (inspect.Parameter.empty, None):
            assert entry.default == declared[name], name
