"""Every class of the catalog is known to the tests, by a second writing of its own."""

import importlib.util
import itertools

import pytest

from privsc_core.catalog import CONCEPTS
from tests.classes import Known, known, module_of, target_of

EACH = pytest.mark.parametrize("concept", CONCEPTS, ids=lambda c: c.name)


@EACH
def test_every_class_has_a_module_that_says_what_the_suites_ask(concept):
    module = module_of(concept)
    assert importlib.util.find_spec(module), (
        f"write {module.replace('.', '/')}.py, as its neighbours"
    )
    missing = known(concept).missing(concept)
    if concept.labelled:
        own = known(concept).continuum
        strange = [
            x.name for x in concept.distributions if target_of(x) is None and x.name not in own
        ]
        missing += [f"targets: what the target of {name} is" for name in strange]
    assert not missing, f"{module} must say:\n" + "\n".join(missing)


@EACH
def test_it_speaks_of_nobody_else(concept):
    own, learners = known(concept), {x.name for x in concept.learners}
    bounds = {x.name for x in concept.bounds}
    said = (own.enumerating, own.least_alpha, own.capped, own.shown_apart, own.enumerators,
            own.variants, own.quick, own.public_coins, own.most_bits, own.slow, own.cards[0])  # fmt: skip
    assert set(itertools.chain(*said)) <= learners
    said = (own.holds, own.binds, own.searched, own.without_limit, own.thinned,
            own.whom, own.cards[1], *own.weaker)  # fmt: skip
    assert set(itertools.chain(*said)) <= bounds


def test_a_class_without_a_module_is_noticed():
    assert len(Known().missing(CONCEPTS[0])) == 7


def test_a_class_without_an_improper_pure_learner_says_that_none_is_known():
    said = {entry.name for entry in CONCEPTS if entry.unlisted}
    assert {"interval", "threshold", "halfspace"} <= said
    assert said.isdisjoint({"point", "line", "release", "marginals"})
