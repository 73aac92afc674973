"""What cannot change an answer is declared, and what is declared cannot: over the whole catalog."""

from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.contracts.idle import ALONE, IN_BOUNDS, said, shared
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.errors import InputError
from privsc_core.evaluate import calculator
from privsc_core.evaluate.scenario import Scenario
from tests.core.support import BOUNDS
from tests.depth import deep

EACH = pytest.mark.parametrize("concept", [*CONCEPTS, *BESIDE], ids=lambda c: c.name)
# Simulated laws are asked with few samples: the same ones, as the seed is the same.
SIZES = {"exact": (1, 8, 50, 300), "rao-blackwell": (2, 200, 6000)}
BASES = (
    {"d": 3, "epsilon": 1.0, "alpha": 0.1, "beta": 0.2, "delta": 1e-6},
    {"d": 12, "epsilon": 0.3, "alpha": 0.2, "beta": 0.05, "delta": 1e-9},
    {"d": 6, "epsilon": 0.3, "alpha": 0.45, "beta": 0.1, "delta": 1e-6, "u": 20},
    *deep([], [
        {"d": 2, "epsilon": 0.3, "alpha": 0.2, "beta": 0.1, "delta": 1e-6},
        {"d": 16, "epsilon": 3.0, "alpha": 0.03, "beta": 0.6, "delta": 0.01},
    ]),
)  # fmt: skip
# The first two stand for all others of what is declared idle.
OTHERS = {
    "d": (10, 3, 1, 2, 4),
    "epsilon": (3.0, 0.01, 0.5),
    "alpha": (0.3, 0.02, 0.15, 0.45),
    "beta": (0.6, 0.01, 0.3),
    "delta": (1e-3, 1e-12),
    "u": (30, 400),
    "trials": (3, 5),
    "seed": (2, 3),
}


def answer(learner, law, *, u=0, trials=4, seed=1, **at):
    """Return success at several m, None where there is no such setting."""
    law = replace(law, **{knob.key: at.pop(knob.key) for knob in law.knobs if knob.key in at})
    rest = at["alpha"], at["beta"], at["delta"], trials, seed
    sizes = np.array(SIZES[learner.laws[law.name]])
    try:
        law.check(d=at["d"], alpha=at["alpha"])
        setting = Setting(sizes, np.array(at["d"]), np.array(at["epsilon"]), *rest)
        found = learner.beside(u).at(at["delta"]).success(law, setting)
    except InputError:
        return None
    return found.value.tobytes()


def tried(knob):
    """Return values of a parameter of a distribution: words, or numbers that are not too large."""
    if knob.words:
        return list(knob.words)
    if isinstance(knob.default, tuple):
        return [tuple(range(knob.count)), knob.default]
    values = (min(knob.high, knob.low + 4), knob.low, knob.default, min(knob.high, 0.3))
    return [knob.valid(x) for x in values if knob.valid(x) is not None]


def unlike(learner, law):
    """Return what is declared of a learner on a distribution and is not so, in words."""
    idle = learner.idle(law)
    other = OTHERS | {knob.key: tried(knob) for knob in law.knobs}
    moved, known = set(), set()
    for base in BASES:
        first = answer(learner, law, **base)
        if first is None:
            continue

        def moves(name, base=base, first=first):
            for value in other[name]:
                found = answer(learner, law, **base | {name: value})
                known.update({name} if found is not None else ())
                if found not in {None, first}:
                    return True
            return False

        moved |= {name for name in other.keys() - idle.keys() - moved if moves(name)}
        for turn in range(2):
            together = {name: other[name][turn] for name in idle.keys() & other.keys()}
            if answer(learner, law, **base | together) not in {None, first}:
                moved |= {name for name in together if moves(name)}
    silent = known - moved - idle.keys()
    return [
        *(f"{name} moves it, although {idle[name]}" for name in sorted(moved & idle.keys())),
        *(f"{name} never moves it, which is not said" for name in sorted(silent)),
        *(f"{name} is no parameter" for name in idle.keys() - other.keys()),
    ]


@EACH
def test_what_never_moves_a_learner_is_declared(concept):
    found = [
        f"{learner.name} on {law.name}: {words}"
        for learner in concept.learners
        for law in concept.distributions
        if law.name in learner.laws
        for words in unlike(learner, law)
    ]
    assert not found, "\n".join(found)


# --- The algorithms themselves ---------------------------------------------------------------------


def told(hypothesis):
    labels = [] if hypothesis is FAILURE else [hypothesis.predict(x) for x in range(1, 5)]
    return hypothesis.description, labels


def runs_unlike(learner, law):
    """Return what moves a run although it is idle whatever the distribution is."""
    idle, learner = learner.idle(), learner.beside(5 if learner.unlabelled else 0)
    base = {"epsilon": 1.0, "alpha": 0.2, "beta": 0.2}
    d = max(2, law.least_d)
    sample = law.draw(m=40, d=d, alpha=0.1, rng=np.random.default_rng(1))
    return [
        name
        for name in base.keys() & idle.keys()
        for seed in range(3)
        if len({
            repr(told(learner.run(sample, Cell(sample.d, **base | {name: value}), np.random.default_rng(seed))))
            for value in (0.2, 0.1, 0.4)
        }) > 1
    ]  # fmt: skip


@EACH
def test_what_a_learner_does_not_read_never_changes_a_run(concept):
    for learner in concept.learners:
        law = next(x for x in concept.distributions if x.name in learner.laws)
        assert runs_unlike(learner, law) == [], learner.name


# --- Bounds ----------------------------------------------------------------------------------------

NUMBERED = [case for case in BOUNDS if case.values[1].constants != "rate"]
CELLS = (
    Cell(16, 0.5, 0.1, 0.1, 1e-6), Cell(3, 2.0, 0.2, 0.3, 1e-3), Cell(40, 0.05, 0.05, 0.2, 1e-9),
)  # fmt: skip
IN_CELLS = {
    "d": (5, 100), "epsilon": (1.0, 0.001), "alpha": (0.15, 0.08, 0.4, 0.6), "beta": (0.05, 0.6, 1e-12),
    "delta": (0.0, 1e-4),
}  # fmt: skip


def number(entry, cell):
    """Return its number, None where it says nothing: a lower bound of 1 excludes nothing."""
    found = entry.least(cell).m
    return None if found == 1 and entry.kind == "lower" else found


def bound_unlike(entry):
    """Return what is declared of a bound and is not so, in words."""
    moved = set()
    for cell in CELLS:
        first = number(entry, cell)
        for name in IN_CELLS.keys() - moved if first is not None else ():
            others = (number(entry, replace(cell, **{name: x})) for x in IN_CELLS[name])
            moved |= {name} if any(other not in {None, first} for other in others) else set()
    idle = entry.idle.keys() & IN_CELLS.keys()
    return [f"{name} moves it" for name in sorted(moved & idle)] + [
        f"{name} never moves it, which is not said"
        for name in sorted(IN_CELLS.keys() - moved - idle)
    ]


@pytest.mark.parametrize(("concept", "entry"), NUMBERED)
def test_what_never_moves_a_bound_is_declared(concept, entry):
    assert bound_unlike(entry) == [], concept.name
    allowed = [limits(entry, delta) for delta in (0.0, 1e-9, 0.01)]
    assert allowed[0] == allowed[1] == allowed[2] or not entry.free_of_delta


def limits(entry, delta):
    """Return which success it allows or promises at a few m."""
    found = entry.limit(replace(CELLS[0], delta=delta).at(30))
    return None if found is None else found.tolist()


# --- Planted ---------------------------------------------------------------------------------------


def test_wrong_declarations_are_found_out():
    erm, law = catalog.learner("halfspace", "erm"), catalog.distribution("halfspace", "circle")
    told_of_d = "d never moves it, which is not said"

    class Silent(type(law)):
        idle = {}

    assert unlike(erm, law) == []
    assert unlike(erm, Silent()) == [told_of_d]

    class Bold(type(catalog.learner("point", "exponential"))):
        unmoved = {"": {"d": "planted"}, "hard": {"alpha": "planted"}}
        reads = ("beta",)

    assert unlike(Bold(), catalog.distribution("point", "hard")) == [
        "alpha moves it, although planted", "d moves it, although planted",
        "beta never moves it, which is not said",
    ]  # fmt: skip

    class Deaf(type(catalog.learner("point", "hash"))):
        reads = ()

    assert runs_unlike(Deaf(), catalog.distribution("point", "hard"))

    class Wrong(type(catalog.bound("point", "packing-delta"))):
        without = ("delta",)

    class Quiet(type(catalog.bound("point", "nonprivate"))):
        without = ()

    assert bound_unlike(Wrong()) == ["delta moves it"]
    assert limits(Wrong(), 0.0) != limits(Wrong(), 0.01)
    assert bound_unlike(Quiet()) == [
        f"{name} never moves it, which is not said" for name in ("d", "delta", "epsilon")
    ]


# --- What is said ----------------------------------------------------------------------------------


def test_results_say_what_cannot_change_them():
    at = {"d": 40, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    circle = pv.need(concept="halfspace", learner="averaging", **at).idle
    assert set(circle) == {"d", "delta", "u"}
    assert circle["d"] == "the data lie on a circle, whatever the dimension"
    sphere = {"concept": "halfspace", "learner": "averaging", "distribution": "uniform", "m": 9}
    assert set(pv.success(**sphere, **at).idle) == {"beta", "delta", "u"}
    free = pv.success(concept="point", learner="erm", m=9, **at).idle
    assert set(free) == {"epsilon", "beta", "delta", "u", "trials", "seed"}
    assert {"d", "epsilon"} <= set(pv.bound(concept="point", bound="nonprivate", **at).idle)


@EACH
def test_what_changes_no_picture_changes_no_number(concept):
    for law in concept.distributions:
        scenario = Scenario(concept.name, tuple(e.name for e in concept.learners), law.label, d=9)
        idle = scenario.idle()
        laws = [e.idle(law) for e in scenario.entries if law.name in e.laws]
        for one in laws:
            assert idle.keys() - {"u"} <= one.keys()
        holding = [e for e in scenario.bounds if scenario.holds(e)]
        assert (
            idle.keys() & IN_CELLS.keys() <= {n for e in holding for n in e.without} or not holding
        )
        assert scenario.sizeless == ("d" in idle and "d" in law.idle)
        assert calculator.idle(concept.name, law.label).keys() >= idle.keys() & {"trials", "seed"}


def test_a_picture_of_the_circle_has_no_dimension():
    pages = {
        law.name: Scenario("halfspace", ("erm", "averaging"), law.label, d=9).sizeless
        for law in catalog.concept("halfspace").distributions
    }
    assert pages == {
        "circle": True, "uniform": False, "sphere": True, "band-in": True, "band-out": True,
    }  # fmt: skip


def test_a_sentence_for_each_reason():
    idle = {"d": "so it is", "trials": "none is drawn", "seed": "so it is"}
    assert said(idle) == [
        "d and seed do not change the answer: so it is",
        "trials do not change the answer: none is drawn",
    ]
    assert shared([]) == {}
    assert shared([{"d": "one", "u": "two"}, {"d": IN_BOUNDS}, {"d": "three"}]) == {
        "d": "one; three"
    }
    assert shared([{"d": ALONE}, {"d": ALONE}]) == {"d": ALONE}
