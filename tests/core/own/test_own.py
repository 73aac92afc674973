"""A learner that somebody brings: what it is given, what it may answer, and how its runs are counted."""

import os
from dataclasses import dataclass

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell, Learner
from privsc_core.concepts.halfspace.hypotheses import encoded
from privsc_core.concepts.line.plane import LARGEST
from privsc_core.concepts.rectangle.distributions import Board
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.own import own
from privsc_core.own.runs import counted
from tests import budget
from tests.classes import known
from tests.core.support import CLASS_LAWS, exists, fitted, fitting, law, setting, useful_m
from tests.depth import firsts

SETTING = {"d": 4, "epsilon": 1.0, "alpha": 0.2}


def noisy_max(x, y, *, d, epsilon, rng):
    """The exponential mechanism over points, by Gumbel noise."""
    ones, zeros = (np.bincount(x[y == label] - 1, minlength=2**d) for label in (1, 0))
    return 1 + int(np.argmax(ones - zeros + rng.gumbel(scale=2 / epsilon, size=2**d)))


def asked(learner, **more):
    at = {"concept": "point", "m": 40, "trials": 400} | SETTING | more
    return pv.success(learner=learner, **at)


def test_every_door_takes_objects():
    concept = catalog.concept("interval")
    distribution, bound = concept.distributions[1], concept.bounds[0]
    assert catalog.concept(concept) is concept
    assert catalog.distribution("interval", distribution) is distribution
    assert catalog.bound("interval", bound) is bound
    entry = concept.learners[1]
    assert catalog.learner(concept, entry) is entry
    at = {"m": 50, "trials": 50, "d": 8, "epsilon": 1.0, "alpha": 0.1}
    named = pv.success(
        concept="interval", learner=entry.name, distribution=distribution.label, **at
    )
    given = pv.success(concept=concept, learner=entry, distribution=distribution, **at)
    assert named.value == given.value


# --- Ours through the same door ------------------------------------------------------------------


@dataclass(frozen=True)
class Brought:
    """A learner of the catalog as somebody else would bring it: arrays in, an answer out."""

    entry: Learner
    points: object
    factor: float = 1.0

    def learn(self, x, y, *, bits, epsilon, alpha, beta, rng):
        at = Cell(bits, self.factor * epsilon, alpha, beta)
        found = self.entry.run(Sample.of(bits, self.points(x, bits), y.tolist()), at, rng)
        return getattr(found, "j", found)  # a number where concepts have one


def _circle(x, bits):
    turns = np.arctan2(x[:, 1], x[:, 0]) / (2 * np.pi) % 1.0
    return [1 + int(turn * 2**bits) % 2**bits for turn in turns.tolist()]


POINTS = {
    "halfspace": lambda x, bits: _circle(x, bits) if x.shape[1] == 2 else encoded(x),
    "line": lambda x, bits: [LARGEST.plane(bits).code(*pair) for pair in x.tolist()],
    "rectangle": lambda x, bits: [Board.of(bits).code(*pair) for pair in x.tolist()],
}
EXACT = [
    p
    for p in CLASS_LAWS
    if p.values[0].labelled and p.values[1].laws[p.values[2].name] == "exact"
    and not p.values[1].unlabelled
]  # fmt: skip
TRIALS = 100


@pytest.mark.parametrize(
    ("concept", "entry", "distribution"),
    [p for p in firsts(EXACT, lambda concept, entry, _: (concept.name, entry.name)) if not p.marks],
)
def test_ours_have_their_laws_as_somebody_elses(concept, entry, distribution):
    epsilon, beta, alpha = 2.0, 0.2, fitting(distribution, 0.2, instead=0.1)
    here = known(concept)
    entry = fitted(here.quick.get(entry.name, entry), distribution)
    d = max(min(3, here.most_bits.get(entry.name, 3)), distribution.least_d)
    if not exists(distribution, d, alpha):
        distribution = distribution.resized(3)
    m = useful_m(entry, distribution, d, epsilon, alpha, beta, most=256)
    brought = Brought(entry, POINTS.get(concept.name, lambda x, _: x.tolist()))
    found = counted(
        own(brought, concept), distribution, setting(m, d, epsilon, alpha, beta, trials=TRIALS), 1
    )
    expected = law(entry, distribution, m, d, epsilon, alpha, beta)
    budget.assert_rate(round(found.value.item() * TRIALS), TRIALS, expected, entry.name)


def test_a_learner_with_a_tenth_of_the_privacy_loss_is_noticed():
    concept = catalog.concept("point")
    entry, hard = concept.learners[1], concept.distributions[0]
    at = (64, 4, 2.0, 0.2, 0.2)
    assert (
        budget.power(TRIALS, law(entry, hard, *at), law(entry, hard, 64, 4, 0.2, 0.2, 0.2)) > 0.999
    )
    broken = own(Brought(entry, lambda x, _: x.tolist(), factor=0.1), concept)
    found = counted(broken, hard, setting(*at, trials=TRIALS), 1)
    assert not budget.agrees(round(found.value.item() * TRIALS), TRIALS, law(entry, hard, *at))


# --- Counting ------------------------------------------------------------------------------------


def test_the_number_of_processes_changes_nothing():
    concept = catalog.concept("point")
    entry, hard = own(noisy_max, concept), concept.distributions[0]
    at = setting([10, 40, 80], 3, 1.0, 0.2, 0.1, trials=600)
    one, three = (counted(entry, hard, at, processes) for processes in (1, 3))
    assert one.value.tolist() == three.value.tolist()
    assert one.drawn.table.tolist() == three.drawn.table.tolist()
    assert len(set(one.value.tolist())) == 3
    first = counted(entry, hard, setting(40, 3, 1.0, 0.2, 0.1, trials=250), 1)
    rest = setting(40, 3, 1.0, 0.2, 0.1, trials=350)
    second = counted(entry, hard, type(rest)(**{
        name: getattr(rest, name) for name in rest.__dataclass_fields__
    } | {"first_trial": 250}), 1)  # fmt: skip
    assert first.drawn.total + second.drawn.total == one.drawn.total[1]


def test_a_process_that_ends_is_told():
    def end(*_):
        os._exit(3)

    concept = catalog.concept("point")
    with pytest.raises(InputError, match="end its process"):
        counted(own(end, concept), concept.distributions[0],
                setting(5, 3, 1.0, 0.2, 0.1, trials=4), 2)  # fmt: skip


def test_need_says_what_other_runs_show():
    at = {"concept": "point", "beta": 0.1, "trials": 400} | SETTING
    found = pv.need(learner=noisy_max, **at)
    exact = pv.need(learner="exponential", **at).m
    assert 0.7 * exact < found.m < 1.4 * exact
    assert "400 more runs" in found.note.item()
    again = pv.need(learner=noisy_max, **at)
    assert again.note == found.note
    assert pv.need(learner="exponential", **at).note == ""


# --- What it is given, and what it may answer ----------------------------------------------------


def test_it_gets_what_it_asks_for():
    seen = {}

    def learn(x, y, d, *, bits, alpha, rng, u=0, delta=None):
        seen.update(locals())

    found = asked(learn, concept="threshold", d=9, m=7, u=2, delta=1e-6, trials=2, beta=0.1)
    assert found.value == 0.0  # it returns None
    assert (seen["d"], seen["bits"], seen["alpha"]) == (9, 49, 0.2)
    assert (seen["u"], seen["delta"]) == (2, 1e-6)
    assert seen["x"].shape == (9,)
    assert seen["y"].shape == (7,)
    assert seen["x"].dtype == seen["y"].dtype == np.int64
    assert seen["x"].min() >= 1
    pairs = []
    asked(lambda x, _: pairs.append(x), concept="line", d=3, m=5, alpha=0.1, trials=2)
    assert pairs[0].shape == (5, 2)
    assert pairs[0].max() < 7


RIGHT = {
    "point": [16, np.int64(16), 16.0, lambda p: p == 16, np.arange(16) == 15, [0] * 15 + [1]],
    "interval": [8, lambda p: p < 8, [1] * 7 + [0] * 9],
    "threshold": [0.5, 2**43 + 1],
    "halfspace": [(2.0, 0.0), np.array([1.0, 0.0])],
    "line": [(0, 0), lambda p: p[1] == 0],
    "parity": [16, lambda p: (int(p) - 1).bit_count() % 2],
    "conjunction": [2**2, lambda p: (int(p) - 1) & 3 == 3],
    "rectangle": [(4, 12, 4, 12), lambda p: min(p) >= 4 and max(p) <= 12],
}


@pytest.mark.parametrize(
    ("concept", "answer"),
    [(name, answer) for name, answers in RIGHT.items() for answer in answers],
)
def test_every_form_of_the_target_succeeds(concept, answer):
    at = {"concept": concept, "alpha": 0.1, "m": 3, "trials": 2}
    assert asked(lambda *_: answer, **at).value == 1.0
    assert asked(lambda *_: None, **at).value == 0.0


def _late(*_):
    while True:
        pass


_late.seconds = 0.05


@pytest.mark.parametrize(("learner", "said"), [
    (lambda *_: 1 // 0, r"line \d+ of test_own.py raises ZeroDivisionError"),
    (lambda *_: int("many\nlines <b>"), r"test_own.py raises ValueError; got [^\n]*$"),
    (_late, r"within 0.05 s, but is still at line \d+ of test_own.py"),
    (lambda *_: "text", r"\(line \d+ of test_own.py\) must return a concept of the class"),
    (lambda *_: 17, "must return a concept"), (lambda *_: 0, "must return a concept"),
    (lambda *_: True, "must return a concept"), (lambda *_: np.True_, "must return a concept"),
    (lambda *_: 1.5, "must return a concept"), (lambda *_: np.nan, "must return a concept"),
    (lambda *_: [0, 1], "16 labels"), (lambda *_: [2] * 16, "16 labels"),
    (lambda *_: lambda p: 0.5 * p / p, "its label, 0 or 1"),
    (lambda *_: lambda p: p[0], r"test_own.py raises \w*Error"),
    (lambda _: 1, "must take x, y"), (lambda x, y, scale: x + y + scale, "must take x, y"),
    (5, "must be the name"),
])  # fmt: skip
def test_what_goes_wrong_is_one_sentence(learner, said):
    with pytest.raises(InputError, match=said):
        asked(learner, trials=2)


@pytest.mark.parametrize("title", ["All <b>points</b>", "$x$"])
def test_a_title_has_no_markup(title):
    with pytest.raises(InputError, match=r"^learner must have a title without < and"):
        asked(pv.learner("point", title=title)(lambda *_: 1))


def test_it_is_run_up_to_a_largest_d():
    ready = pv.learner("point", most_d=4)(lambda *_: 16)
    assert asked(ready, trials=2).value == 1.0
    with pytest.raises(InputError, match="d must be at most 4"):
        asked(ready, d=[4, 5], trials=2)


def test_no_error_is_guessed():
    with pytest.raises(InputError, match="must return a threshold"):
        asked(lambda *_: lambda p: p < 5, concept="threshold", trials=2)
    with pytest.raises(InputError, match="must return a half-space"):
        asked(lambda *_: lambda p: p[0] > 0, concept="halfspace", trials=2)
    # No function is offered where the error of none is computed.
    for concept in ("threshold", "halfspace"):
        with pytest.raises(
            InputError, match=r"must return a concept of the class \([^)]*\), or None"
        ):
            asked(lambda *_: "text", concept=concept, d=2, alpha=0.1, trials=2)
    with pytest.raises(InputError, match="no labels"):
        asked(noisy_max, concept="release", trials=2)


def test_it_lists_its_outputs_or_says_that_it_does_not():
    class Coin:
        def learn(self, *_, rng):
            return 1 + rng.integers(2)

        def output_distribution(self, *_):
            return {1: 0.5, 2: 0.5}

    concept = catalog.concept("point")
    sample, at = Sample.of(2, [1, 2], [0, 1]), Cell(2, 1.0, 0.2, 0.2)
    coin = own(Coin(), concept)
    assert coin.lists_outputs
    assert coin.output_distribution(sample, at) == {1: 0.5, 2: 0.5}
    silent = own(noisy_max, concept)
    assert not silent.lists_outputs
    with pytest.raises(InputError, match="output_distribution"):
        silent.output_distribution(sample, at)
