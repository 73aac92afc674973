"""What the catalog says in words is what it says in numbers: for whom, where, and by whom."""

import itertools
import math
import re

import numpy as np
import pytest

from privsc_core import catalog, draw
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.learners import Erm
from privsc_core.concepts.point.learners.hashing import default_bits
from privsc_core.concepts.point.learners.representation import class_size
from privsc_core.concepts.release.distributions import entries_scalar
from privsc_core.draw.reading import reading, said_by
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export.bundle import figures_of, manifest
from privsc_core.export.shown import Shown
from privsc_core.literature.glossary import find
from tests.classes import known
from tests.core.support import BOUNDS, LEARNERS, exists, law
from tests.depth import deep

LOWER = [p for p in BOUNDS if p.values[1].kind == "lower"]


# --- Whom a bound binds -------------------------------------------------------------------------


def probe(*, proper, privacy, efficient):
    """Return a learner of which nothing is known but what a bound may ask about."""
    words = {"proper": proper, "privacy": privacy, "efficient": efficient, "name": "probe"}
    return type("Probe", (Erm,), words)()


def only(entry, **wanted):
    """Tell whether the bound binds some learners, and none that is not as `wanted`."""
    bound = [
        {"proper": proper, "privacy": privacy, "efficient": efficient}
        for proper, privacy, efficient in itertools.product(
            (True, False), ("none", "pure", "approximate", "label"), (True, False)
        )
        if entry.binds(probe(proper=proper, privacy=privacy, efficient=efficient))
    ]
    return bool(bound) and all(b.items() >= wanted.items() for b in bound)


def says(text, word):
    """Tell whether a text restricts itself by a word: "proper or not" does not."""
    return bool(re.search(word, re.sub(r"(proper|private) or not", "", text)))


WORDS = {
    "proper": r"\bproper\b",
    "privacy": r"purely private|ε-DP",
    "efficient": r"\befficient\b",
}


@pytest.mark.parametrize(("concept", "entry"), LOWER)
@pytest.mark.parametrize("where", ["applies_to", "legend"])
def test_a_lower_bound_says_whom_it_binds(concept, entry, where):
    text = getattr(entry, where)
    if not text:
        return
    for key, value in (("proper", True), ("privacy", "pure"), ("efficient", True)):
        assert says(text, WORDS[key]) == only(entry, **{key: value}), (key, text)


def test_a_learner_that_knows_the_target_is_not_called_impossible():
    """It is proper, private, and right from m = 1 on, in the midst of the red region."""
    for word in ("impossible region", "lower bound"):
        assert "every target" in find(word).meaning
        assert "every database" in find(word).meaning
    seen = 0
    for concept in catalog.CONCEPTS[:: deep(3, 1)]:
        setting = Scenario(concept.name, tuple(e.name for e in concept.learners), d=16, delta=1e-6)
        for line in reading(setting, "m", draw.picture(setting, "m")):
            if line.name == "Red shade":
                seen += 1
                assert "every target" in line.words
    assert seen


# --- Whose constants ----------------------------------------------------------------------------


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_what_is_ours_in_a_bound_of_the_paper_is_said_wherever_it_is_labelled(concept, entry):
    said = f"{entry.source.place} {entry.derivation}"
    ours = bool(re.search(r"\bours?\b|\bour (Chernoff )?proof", said))
    if entry.constants == "paper":
        assert bool(entry.completed) == ours, said
    else:
        assert not entry.completed
    assert find(entry.origin), entry.origin
    if entry.completed:
        assert entry.origin == "paper, in part"
        assert f"but ours: {entry.completed}" in said_by(entry)


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_a_bound_is_not_called_proved_where_it_is_only_shown(concept, entry):
    """Every lower bound says where it stands, nowhere twice; a caption says where it is unproved.

    One that stands on no distribution of the catalog says that it is about learners that succeed on all.
    """
    assert len(set(entry.valid_on)) == len(entry.valid_on)
    nowhere = entry.kind == "lower" and entry.applies_to.endswith("succeeds on every distribution")
    assert bool(entry.valid_on) == (entry.kind == "lower" and not nowhere)
    for where in concept.distributions:
        aside = f"on {where.name} it is shown, not proved"
        assert (aside in said_by(entry, "m", where.name)) == (where.name in entry.shown_on)


def test_the_manifest_says_it_too():
    seen = 0
    for concept in catalog.CONCEPTS:
        names = tuple(e.name for e in concept.learners)
        shown = Shown(Scenario(concept.name, names, constants="paper", d=16, delta=1e-6), "m", "")
        records = manifest(figures_of(shown, draw.picture(shown.scenario, "m")))["bounds"]
        by_name = {e.name: e for e in concept.bounds}
        for record in records:
            completed = by_name[record["name"]].completed
            seen += bool(completed)
            assert ("but ours" in record["constants"]) == bool(completed)
    assert seen >= 4


# --- The learner that is drawn and the one that is guaranteed -----------------------------------

SETTINGS = [
    (d, epsilon, alpha, beta)
    for d in (18, 64)
    for epsilon in (0.5, 2.0)
    for alpha in (0.05, 0.1, 0.3)
    for beta in (0.01, 0.1)
]


def test_the_guarantee_of_hashing_says_which_t_it_took_and_which_one_runs():
    entry = catalog.bound("point", "hash")
    different = 0
    for d, epsilon, alpha, beta in SETTINGS:
        found = entry.least(Cell(d, epsilon, alpha, beta))
        bits, good, runs = map(
            float, re.search(r"t = (\d+) .*α' = ([\d.e-]+); .*t = (\d+)", found.note).groups()
        )
        assert runs == default_bits(alpha, beta)
        different += bits != runs
        # What the note says gives the number, up to the three digits of alpha'.
        spend = min(epsilon, math.log(alpha / good))
        rate = -math.log1p(alpha * math.expm1(-spend / 2) + good * math.expm1(spend / 2))
        needed = math.log((2**bits - 1) / (beta - 2**-bits / good)) / rate
        assert found.m == pytest.approx(needed, rel=0.02, abs=1)
    assert different, "then the words have no point"
    assert "best t" in entry.legend
    assert "runs" in entry.legend
    assert "runs" in entry.applies_to


@pytest.mark.parametrize("name", ["theorem-4.2", "representation"])
def test_the_guarantees_of_the_representation_say_that_the_class_is_selected(name):
    entry, learner = catalog.bound("point", name), catalog.learner("point", "representation")
    assert entry.binds(learner)
    assert "average over this draw" in learner.caveat
    found = entry.least(Cell(64, 0.5, 0.1, 0.1))
    for text in (entry.applies_to, found.note):
        assert "select" in text
        assert "runs" in text
    if name == "representation":
        # p / d of the class that is guaranteed, and of the one that runs.
        wanted = [class_size(64, 0.1, per_alpha=k).copies // 64 for k in (4, 2)]
        assert [1 + int(n) for n in re.findall(r"d\(1\+(\d+)\)", found.note)] == wanted
        assert "4/α" in entry.legend
        assert "2/α" in entry.legend


# --- Caveats with formulas ----------------------------------------------------------------------

FACTOR = re.compile(r"(?:\(1-α/\d\)[²³]?)+")


def caps(text):
    """Return the formulas of a caveat as functions of alpha, for alpha below 1/2 and from there."""

    def read(formula):
        code = (
            formula.replace("²", "**2").replace("³", "**3").replace("α", "a").replace(")(", ")*(")
        )
        return lambda a: eval(code, {"a": a})  # noqa: S307 - digits, brackets and one letter

    return [read(formula) for formula in FACTOR.findall(text)]


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_a_cap_in_a_caveat_is_the_limit_of_the_law(concept, learner):
    found = caps(learner.caveat)
    assert bool(found) == (learner.name in known(concept).capped)
    for alpha in (0.1, 0.3, 0.49, 0.5, 0.7) if found else ():
        distribution = concept.distributions[0]
        below, above = found
        limit = law(learner, distribution, 10**7, 16, 5.0, alpha, 0.1)
        cap = (below if alpha < 0.5 else above)(alpha)
        assert limit == pytest.approx(cap, abs=1e-12), alpha


@pytest.mark.parametrize("name", ["laplace", "geometric"])
def test_a_caveat_does_not_exclude_a_database_that_is_shown(name):
    """For alpha in (1/5, 1/4] `hard` has a count from alpha m up to 2 alpha m."""
    learner = catalog.learner("release", name)
    for label, alpha in itertools.product(learner.laws, (0.1, 0.2, 0.22, 0.24, 0.25, 0.3)):
        database = catalog.distribution("release", label)
        if not exists(database, 16, alpha):
            continue
        counts = [int(h) for h in database.heights(np.array(100), alpha)]
        low, high = (entries_scalar(k, alpha, 100) for k in (1, 2))
        if any(low <= count < high for count in counts):
            assert not re.search(r"databases? without counts", learner.caveat)
            return
    raise AssertionError("no such database: the test is empty")


def test_the_guarantee_of_the_histogram_names_the_databases_it_covers():
    entry = catalog.bound("release", "laplace")
    covered = set(re.findall(r"`(\w+)`", entry.applies_to))
    assert covered == {e.name for e in catalog.concept("release").distributions}
