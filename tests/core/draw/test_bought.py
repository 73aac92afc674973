"""The page about δ: what its lines say, and that δ is a domain size."""

from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog, export
from privsc_core.draw.landscape import (
    bought_claim,
    bought_picture,
    exchange_claim,
    traded_picture,
    worth_claim,
)
from privsc_core.evaluate.landscape import SLACK_PLACES, Standpoint

AT = Standpoint(epsilon=0.5, alpha=0.1, beta=0.1, delta=1e-6)
CELL = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


@pytest.fixture(scope="module")
def drawn():
    return bought_picture(AT)


def test_every_number_is_that_of_the_core_with_the_slack_that_the_line_has(drawn):
    found, _ = drawn
    assert {c.concept for c in found.courses} == {
        c.name for c in catalog.CONCEPTS if c.documents.on("slack")
    }
    for course in found.courses:
        delta = 1e-6 if course.line.role == "delta" else 0.0
        assert course.delta == delta
        ask = {"concept": course.concept, "d": list(SLACK_PLACES), "delta": delta} | CELL
        if course.line.kind == "learner":
            assert (pv.need(learner=course.line.name, **ask).m == course.m).all()
            learner = catalog.learner(course.concept, course.line.name)
            assert learner.promise(delta) == ("approximate" if delta else "pure")
        else:
            assert (pv.bound(bound=course.line.name, **ask).m == course.m).all()


def test_the_claim_says_the_numbers_of_the_picture_and_what_they_cost(drawn):
    said = bought_claim(drawn[0])
    assert "Points with δ: 635 (purely private, by Exponential mechanism: 27,746,139)" in said
    assert "mδ = 0.0026 in all." in said  # of the tree: 2,562 examples
    assert "copies" not in said  # no PAC learner
    assert "no privacy" not in said
    spent = bought_claim(bought_picture(replace(AT, delta=0.01))[0])
    assert "no privacy" in spent
    assert exchange_claim(AT).startswith(
        "**With δ = 2⁻ᵇ every larger domain counts like one of b − 1.8 bits**"
    )
    assert "b + 0.8" in exchange_claim(replace(AT, epsilon=2.0))
    assert worth_claim(AT).startswith("**δ = 10⁻⁶ is worth 18.1 bits:**")
    assert "is worth 11.1 bits" in worth_claim(replace(AT, delta=2.0**-12.9))
    assert not worth_claim(replace(AT, epsilon=0.01, delta=0.01))


def test_only_curves_with_a_slack_are_grey_where_it_is_spent(drawn):
    assert not [t for t in drawn[1].figure["data"] if t["uid"].endswith("-published")]
    found, picture = bought_picture(replace(AT, delta=0.01))
    grey = {t["uid"] for t in picture.figure["data"] if t["uid"].endswith("-published")}
    learners = {c.key for c in found.courses if c.line.kind == "learner" and c.delta}
    assert grey == {f"{key}-published" for key in learners}


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_a_slack_is_a_domain_size(epsilon):
    found, picture = traded_picture(replace(AT, epsilon=epsilon))
    assert found
    for one in found:
        large = one.bits >= 8
        assert one.delta == pytest.approx(np.expm1(epsilon / 2) * 2.0**-one.bits)
        assert np.abs(one.slack / one.pure - 1)[large].max() < 0.02
        # The other way round: as little as two bits more show.
        assert (one.pure[large][1:] / one.slack[large][:-1]).min() > 1.02
    assert "bits" in picture.table


def test_the_commands_print_these_numbers(drawn):
    lines = export.slack_commands(AT)
    # Of bounds alone there is nothing to need.
    assert len(lines) == len({c.concept for c in drawn[0].courses if c.line.kind == "learner"})
    assert lines[0] == (
        "privsc need --concept point --learner exponential,seen -d "
        f"{','.join(map(str, SLACK_PLACES))} --epsilon=0.5 --alpha=0.1 --beta=0.1 --delta=1e-06"
    )
