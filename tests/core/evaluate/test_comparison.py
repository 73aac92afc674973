"""A formula held against exact numbers: every ratio and every contradiction, computed again by the public functions."""

import re
from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.evaluate import views
from privsc_core.evaluate.comparison import axis_for, compare, here, watched
from privsc_core.formula import Formula

POINT = pv.Scenario("point", ("erm", "exponential"), epsilon=0.7, alpha=0.12)


def numbers(scenario, axis, learner, x):
    """Return the least m, the m from which on every one is enough, and the edge, by the public functions."""
    at = scenario.settings() | {axis: x, "concept": scenario.concept}
    need = pv.need(learner=learner, distribution=scenario.distribution, **at)
    entry = catalog.learner(scenario.concept, learner)
    lower = np.full(x.shape, np.nan)
    for bound in scenario.concept_class.bounds:
        if bound.kind == "lower" and bound.constants == "sharp" and bound.binds(entry):
            there = [scenario.holds(bound, **{axis: type(getattr(scenario, axis))(v)}) for v in x]
            lower = np.fmax(lower, np.where(there, pv.bound(bound=bound.name, **at).m, np.nan))
    return need.m, need.m_from, np.where(lower > 1, lower, np.nan)


@pytest.mark.parametrize(
    ("concept", "learner", "formula"),
    [
        ("point", "exponential", "2*(d*log(2) + log(1/beta))/(alpha*epsilon)"),
        ("point", "hash", "20*d"),
        ("release", "laplace", "d/(alpha*epsilon)"),
        ("interval", "exponential", "max(d - 100, 5)/epsilon"),
    ],
)
@pytest.mark.parametrize("axis", ["d", "epsilon"])
def test_ratios_and_constants_are_those_of_the_numbers(concept, learner, formula, axis):
    scenario = pv.Scenario(concept, (learner,), epsilon=0.7, alpha=0.12, formula=formula)
    found = compare(scenario, axis, learner)
    need, enough, lower = numbers(scenario, axis, learner, found.x)
    np.testing.assert_array_equal(found.need, need)
    np.testing.assert_array_equal(found.enough, enough)
    np.testing.assert_array_equal(found.lower, lower)
    at = scenario.settings() | {"T": 1.0, axis: found.x}
    own = Formula(formula)({name: at[name] for name in ("d", "epsilon", "delta", "alpha", "beta")})
    np.testing.assert_array_equal(found.own, np.broadcast_to(own.m, found.x.shape))
    np.testing.assert_array_equal(found.impossible, own.m < lower)
    for ratio, other in ((found.to_need, need), (found.to_edge, lower)):
        assert ratio.low == np.nanmin(own.value / other)
        assert ratio.high == np.nanmax(own.value / other)
        # Times the constant it touches, and is nowhere below.
        raised = ratio.constant * own.value
        assert (raised >= other * (1 - 1e-12))[np.isfinite(other)].all()
        np.testing.assert_allclose((raised / other)[found.x == ratio.at], 1, rtol=1e-12)
    said = " ".join(found.sentences())
    for text in (f"{found.to_need.constant:.3g}", f"{found.to_edge.constant:.3g}"):
        assert text in said


def test_times_its_constant_a_formula_that_was_rounded_up_to_1_is_enough_everywhere():
    found = compare(replace(POINT, formula="0.01*d"))
    assert (found.own == 1).any()
    raised = compare(replace(POINT, formula=f"{found.to_need.constant}*0.01*d"))
    assert (raised.own >= found.need).all()
    # Of no constant is that true where it is 0.
    nothing = compare(replace(POINT, formula="max(d - 10, 0)"))
    assert nothing.to_need.constant == np.inf
    assert "0 to 0." in nothing.sentences()[0]
    assert "times no constant" in nothing.sentences()[1]


def verdicts(formula, scenario=POINT, axis="d"):
    enough, needed = compare(replace(scenario, formula=formula), axis).sentences()[-2:]
    return enough.partition("”: ")[2], needed.partition("”: ")[2]


def test_each_reading_meets_what_contradicts_it():
    # Far too few: a theorem excludes it, and as a lower bound it follows.
    enough, needed = verdicts("2 + 0*d")
    assert "a learner exists where none can (d = 2 to 10,000)" in enough
    assert "every proper, purely private learner" in enough
    assert "follows from the lower bounds" in needed
    # Far too many: the learner keeps the promise, and needs fewer than "needed" says.
    enough, needed = verdicts("1e9")
    assert "keeps this promise" in enough
    assert "needs fewer (d = 2 to 10,000)" in needed
    # Between both: a promise that no learner here keeps and no theorem excludes.
    enough, needed = verdicts("1.5*(d*log(2) + log(1/beta))/(alpha*epsilon)")
    assert "promises less than" in enough
    assert needed == "no number here contradicts it."


def test_what_holds_at_some_places_is_not_said_of_all():
    # At small ε this learner has no number, and so no promise to keep.
    shown = pv.Scenario("point", ("generic",), formula="1e9")
    enough, _ = verdicts("1e9", shown, "epsilon")
    least = compare(shown, "epsilon").need
    assert np.isnan(least).any()
    assert np.isfinite(least).any()
    assert "keeps this promise on this distribution (ε = " in enough
    said = compare(replace(shown, formula="1e9"), "epsilon").sentences()[0]
    first = compare(shown, "epsilon").x[np.isfinite(least)][0]
    assert f"least m of “GenericLearner”, for ε from {first:.4g} to 10, and " in said
    assert said.endswith("region, for ε from 0.02 to 10.")
    # From some m on every m is enough: below it a promise is not kept.
    found = compare(replace(POINT, formula="1e9"))
    assert "keeps" in found.sentences()[-2]
    later = np.where(found.x < 64, found.own + 1, found.enough)
    assert "(d = 64 to" in replace(found, enough=later).sentences()[-2]
    assert "keeps" not in replace(found, enough=found.own + 1).sentences()[-2]
    # A lower bound that asks for fewer at one place, or for none, proves nothing.
    found = compare(replace(POINT, formula="2"))
    assert "follows" in found.sentences()[-1]
    for less in (1.5, np.nan):
        lower = np.where(found.x == 64, less, found.lower)
        assert "follows" not in replace(found, lower=lower).sentences()[-1]


@pytest.mark.parametrize("shift", [-1, 0])
def test_one_example_less_than_a_lower_bound_asks_for_is_a_contradiction(shift):
    """At the edge itself nothing is excluded."""
    edge = compare(replace(POINT, formula="1"), "d")
    at = float(edge.lower[edge.x == 64][0])
    found = compare(replace(POINT, formula=f"{at + shift}"), "d")
    assert found.impossible[found.x == 64] == (shift < 0)
    assert not compare(replace(POINT, formula=f"{np.nanmax(edge.lower)}"), "d").impossible.any()


def test_where_there_is_no_number_nothing_is_claimed():
    assert compare(replace(POINT, formula="log(1/delta)")).sentences() == ()
    # A law that is not exact has no curve of least m: nothing is said of it.
    shown = pv.Scenario("threshold", ("density",), formula="log(kappa/3 - 5/3)/epsilon", d=16)
    found = compare(shown, "d")
    assert found.to_need is None
    assert np.isnan(found.own[found.x == 2]).all()  # 4/3 - 5/3 is below 0
    said = found.sentences()
    assert "b from 3 to 10,000" in said[0]
    assert "exists where none can (b = 3 to" in said[-2]
    assert "follows from the lower bounds" in said[-1]


def test_the_sentence_on_the_setting_is_that_of_the_numbers():
    shown = replace(POINT, formula="d/(alpha*epsilon)")
    said = here(views.numbers(shown), shown, "exponential")
    own = pv.bound(concept="point", formula=shown.formula, **shown.settings()).m.item()
    need = pv.need(concept="point", learner="exponential", **shown.settings()).m.item()
    assert f"your bound is {own:,.0f}: {own / need:.3g} times the least m" in said
    # No m is excluded: nothing has an edge.
    easy = pv.Scenario(
        "point", ("exponential",), d=4, epsilon=10.0, alpha=0.4, beta=0.9, formula="20*d"
    )
    assert "edge" not in here(views.numbers(easy), easy, "exponential")
    assert np.isnan(compare(easy).lower[:2]).all()
    gap = replace(POINT, formula="1/delta")
    assert here(views.numbers(gap), gap, "exponential").endswith("1/δ divides by 0.")


@pytest.mark.parametrize("concept", [*catalog.CONCEPTS, *catalog.BESIDE], ids=lambda c: c.name)
def test_every_class_has_sentences_that_are_short(concept):
    names = tuple(entry.name for entry in concept.learners)
    shown = pv.Scenario(
        concept.name,
        names,
        d=concept.size.default,
        formula=f"{concept.size.symbol}/(alpha*epsilon)",
    )
    learner = watched(shown)
    assert catalog.learner(concept.name, learner).privacy != "none"
    # One that the picture's own lower bounds speak of, if there is one.
    drawn = [e for e in shown.bounds if e.kind == "lower" and not e.on_demand and shown.applies(e)]
    private = [e for e in shown.drawn if e.privacy != "none"]
    spoken = [e.name for e in private if any(one.binds(e) for one in drawn)] or [
        e.name for e in private
    ]
    assert learner == spoken[0]
    assert watched(shown, spoken[-1]) == spoken[-1]
    said = compare(shown, axis_for(shown, ("m",))).sentences()
    assert len(said) in {2, 4}
    for sentence in said:
        for one in re.split(r"(?<=[.:]) ", sentence):
            assert len(one.split()) <= 42, one
    for word in ("If it means “so many", "If it means “every"):
        assert sum(sentence.startswith(word) for sentence in said) == 1
