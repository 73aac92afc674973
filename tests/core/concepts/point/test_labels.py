"""Labelled and unlabelled examples: laws, walls and amplification against their reference values."""

import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import (
    UNLABELLED,
    amplified,
    kept_share,
    pool,
    proved_labels,
    relabelling,
    transcript_labels,
)
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import (
    Exponential,
    Generic,
    GenericFlip,
    GenericStable,
    LabelBoost,
    generic,
)
from privsc_core.concepts.point.learners import generic as laws
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from privsc_core.exhibits.point.fresh import fresh_picture, losses
from privsc_core.exhibits.point.labels import least_stable
from tests import budget
from tests.core.support import runs, setting
from tests.depth import deep, whole

AT = {"concept": "point", "d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# Values of 60,000 full runs and of a program written apart from this one.
@pytest.mark.parametrize(
    ("m", "u", "d", "spurious", "epsilon", "alpha", "expected"),
    [
        (100, 600, 16, 0.1, 0.5, 0.1, 0.76259),
        (150, 400, 16, 1.0, 0.5, 0.1, 0.38967),
        (100, 2000, 64, 0.1, 0.5, 0.1, 0.78134),
        (120, 500, 16, 0.01, 0.5, 0.1, 0.11369),
        (20, 40, 3, 1.0, 1.0, 0.2, 0.72929),
        (10, 30, 4, 1.0, 1.0, 0.3, 0.63527),
    ],
)
def test_the_law_of_points(  # noqa: PLR0917 - a setting with its value
    m, u, d, spurious, epsilon, alpha, expected
):
    found = success(Generic(u=u, spurious=spurious), Hard(), m=m, d=d, epsilon=epsilon, alpha=alpha)
    assert found.value == pytest.approx(expected, abs=6e-6)
    assert found.value + found.failure == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("flip", "expected"), [(False, (448, 96, 53, 31)), (True, (330, 72, 41, 25))]
)
def test_labels_with_all_people_of_the_world(flip, expected):
    learner = (GenericFlip if flip else Generic)(u=10**6, spurious=0.001)
    for epsilon, m in zip((0.1, 0.5, 1.0, 2.0), expected, strict=True):
        one = need(learner, Hard(), d=16, epsilon=epsilon, alpha=0.1, beta=0.1)
        assert one.m == m


@pytest.mark.parametrize(
    ("learner", "m", "cell"),
    [
        (Generic(u=60, spurious=1.0), 20, (3, 1.0, 0.2)),
        (GenericFlip(u=60, spurious=1.0), 20, (3, 1.0, 0.2)),
        (LabelBoost(u=40, base=0.5), 60, (2, 2.0, 0.2)),
        (GenericStable(u=60, delta=0.05), 20, (3, 1.0, 0.2)),
        (LabelBoost(u=300), 200, (4, 1.0, 0.3)),
    ],
)
def test_runs_agree_with_the_law(learner, m, cell):
    d, epsilon, alpha = cell
    trials = deep(800, 2000)
    hits = runs(learner, Hard(), m, d, epsilon, alpha, 0.1, trials=trials)
    law = success(learner, Hard(), m=m, d=d, epsilon=epsilon, alpha=alpha).value.item()
    budget.assert_rate(int(hits.sum()), trials, law, learner.name)


def test_its_budget_reaches_every_public_function():
    found = pv.success(
        learner="generic", m=120, u=1000, **{k: v for k, v in AT.items() if k != "beta"}
    )
    assert found.value == pytest.approx(0.938, abs=5e-4)
    assert pv.need(learner="generic", u=816, **AT).m >= 100
    assert pv.need(learner="generic", u=10**6, **AT).m < pv.need(learner="generic", u=900, **AT).m
    reached = pv.reach(
        concept="point",
        learner="generic",
        wanted="d",
        m=120,
        u=2000,
        epsilon=0.5,
        alpha=0.1,
        beta=0.1,
    )
    assert reached.value > 16
    assert catalog.learner("point", "generic", 7).unlabelled == 7
    assert catalog.learner("point", "exponential", 7) == Exponential()
    assert pv.Scenario("point", ("generic",), u=5).chosen[0].unlabelled == 5


def test_the_last_examples_are_the_unlabelled_ones():
    x = [3] * 40 + [5] * 40
    told = {"concept": "point", "learner": "generic", "x": x, "d": 4, "epsilon": 50.0, "u": 40}
    ones = pv.learn(y=[0] * 80, **told)
    assert ones.description == pv.learn(y=[0] * 40 + [1] * 40, **told).description
    with pytest.raises(InputError, match="u must be less than the number of examples, 80; got 80"):
        pv.learn(y=[0] * 80, **told | {"u": 80})


class Twice(Generic):
    """Planted: the whole epsilon in the exponent."""

    def score_rate(self, epsilon):
        return epsilon


class Peeking(Generic):
    """Planted: reads the labels of the unlabelled examples."""

    def output_distribution(self, sample, at, public=0):
        zeros = int((sample.labels[-self.u :] == 0).sum())
        return super().output_distribution(
            sample, dataclasses.replace(at, epsilon=at.epsilon * (1 + zeros)), public
        )


def test_the_audit_catches_what_is_planted(monkeypatch):
    assert audit(Peeking(), d=1, m=4).worst > 1.0
    monkeypatch.setattr(generic, "threshold_of", lambda *_: -80.0)
    assert audit(Generic(), d=1, m=5).private
    assert not audit(Twice(), d=1, m=5).private


def test_unlabelled_labels_are_not_read():
    law = Generic(u=2).output_distribution
    at = Cell(2, 1.0, 0.1, 0.1)
    assert law(Sample.of(2, [1, 2, 3], [1, 0, 1]), at) == law(
        Sample.of(2, [1, 2, 3], [1, 1, 0]), at
    )


def allowed(m, epsilon, alpha):
    """Return the success that the bound on labels allows for points."""
    return float(catalog.bound("point", "labels").limit(setting(m, 8, epsilon, alpha, 0.1)))


def test_the_ceiling_is_what_the_best_flips_give():
    """On k labels of the point the best chain of probabilities, step by step."""
    m, epsilon, alpha = 6, 0.7, 0.3
    grown, total = math.exp(epsilon), 0.0
    for k in range(m + 1):
        # The largest p with 1 - p reached from p in k flips, by halving.
        low, high = 0.0, 1.0
        for _ in range(60):
            p = q = 0.5 * (low + high)
            q = 1.0 - q
            for _ in range(k):
                q = min(grown * q, 1.0 - (1.0 - q) / grown)
            low, high = (p, high) if q >= p else (low, p)
        total += math.comb(m, k) * alpha**k * (1 - alpha) ** (m - k) * low
    assert allowed(m, epsilon, alpha) == pytest.approx(total, abs=1e-12)


def test_nobody_beats_the_ceiling():
    for m in (10, 40, 72):
        best = success(GenericFlip(u=10**6), Hard(), m=m, d=8, epsilon=0.5, alpha=0.1).value
        assert best <= allowed(m, 0.5, 0.1)


def test_amplification_and_transcript():
    assert amplified(1.0, 0.1) == pytest.approx(0.158565, abs=5e-7)
    assert amplified(4.0, 0.01) == pytest.approx(0.429170, abs=5e-7)
    assert transcript_labels(0.5, 0.1, 0.1) == pytest.approx(5.17, abs=0.005)
    assert transcript_labels(0.5, 0.01, 0.1) == pytest.approx(48.84, abs=0.3)


def test_the_pool_to_ask_from():
    found = [(m, pool(m, inner, 0.1)) for m, inner in ((448, 0.1), (53, 1.0), (31, 2.0), (20, 4.0))]
    assert found == [(448, 448), (53, 866), (31, 1884), (20, 10193)]
    assert pool(53, 1.0, 0.01) == 9062
    for m, inner in ((53, 1.0), (31, 2.0)):
        size = pool(m, inner, 0.1)
        assert amplified(inner, m / size) <= 0.1 < amplified(inner, m / (size - 1))


def test_a_plane_is_the_product_of_its_tables():
    kept = laws.kept_shares(400, 16, 0.5, 0.1, 0.1)
    assert kept.sum() == pytest.approx(1.0, abs=1e-13)
    drawn = laws.drawn_shares(120, 16, 0.5, 0.1, 0.1)
    assert np.allclose(drawn.sum(axis=0), 1.0)


# recipe: theory-bns15.md, section 6: with a slack of 10^-6 u is the same at any d
@pytest.mark.parametrize(("m", "u"), [(100, 778), (120, 702), (150, 675), (200, 661)])
def test_with_a_slack_people_do_not_grow(m, u):
    for d in (64, 10**4):
        assert least_stable(m, Cell(d, 0.5, 0.1, 0.1)) == u
        one = success(GenericStable(u=u), Hard(), m=m, d=d, epsilon=0.5, alpha=0.1)
        assert one.value >= 0.9
        assert one.value + one.failure == pytest.approx(1.0, abs=1e-12)
    assert math.isnan(least_stable(90, Cell(64, 0.5, 0.1, 0.1)))


@dataclasses.dataclass(frozen=True)
class Open(GenericStable):
    """Planted: whoever is there survives."""

    def threshold(self, d, epsilon):
        del d, epsilon
        return -1e3


def test_a_seen_point_must_not_simply_survive():
    assert audit(GenericStable(), epsilon=0.3, delta=0.02).private
    assert not audit(Open(), epsilon=0.3, delta=0.02).private


# --- LabelBoost ---------------------------------------------------------------------------------


# recipe: theory-bns15.md, section 6: least u at m = 962, of which 59 are kept
@pytest.mark.parametrize(("d", "u"), [(16, 5098), (64, 17405), (256, 65305), (1024, 253181)])
def test_few_labels_at_every_d(d, u):
    def at(people):
        learner = LabelBoost(u=people)
        assert learner.kept(962, 0.5)[0] == 59
        return success(learner, Hard(), m=962, d=d, epsilon=0.5, alpha=0.1)

    enough, fewer = at(u), at(u - 1)
    assert enough.value >= 0.9 > fewer.value
    assert enough.value + enough.failure == pytest.approx(1.0, abs=1e-12)


def on_one(points, size):
    """Return the labellings of points of one point each, or none."""
    labellings = [tuple(int(x == one) for x in points) for one in points]
    return labellings + [tuple(0 for _ in points)] * (len(points) < size)


def below(points, _):
    """Return the labellings of thresholds."""
    return [tuple(int(i < cut) for i in range(len(points))) for cut in range(len(points) + 1)]


@pytest.mark.parametrize(("labellings", "least"), [whole(on_one, (3.7, 1.9)), (below, (5.7, 3.7))])
def test_relabelling_costs_what_brute_force_finds(labellings, least):
    """The labels of what two databases share, for all pairs that differ in one example."""
    size, m, found = 3, 6, {"labelled": 0.0, "unlabelled": 0.0}
    examples = list(itertools.product(range(size), (0, 1)))
    law = functools.partial(_shared_labels, labellings=labellings, size=size)
    for labelled in itertools.combinations_with_replacement(examples, m):
        for person in range(size):
            others = [
                ("labelled", (*labelled[:i], new, *labelled[i + 1 :]), person)
                for i in range(m) for new in examples
            ] + [("unlabelled", labelled, new) for new in range(size)]  # fmt: skip
            for kind, *other in others:
                shared = tuple(sorted(_points(labelled, person) & _points(*other)))
                one, two = law(labelled, person, shared), law(*other, shared)
                found[kind] = max(found[kind], *(one[z] / two[z] for z in one))
    assert least[0] < found["labelled"] <= relabelling(1.0)
    assert least[1] < found["unlabelled"] <= UNLABELLED


def _points(labelled, person):
    return {x for x, _ in labelled} | {person}


@functools.cache
def _shared_labels(labelled, person, shared, *, labellings, size):
    """Return the chances of the labels that the shared points get, picked at loss 1."""
    points, found = sorted(_points(labelled, person)), {}
    for labels in labellings(points, size):
        given = dict(zip(points, labels, strict=True))
        weight = math.exp(-0.5 * sum(given[x] != y for x, y in labelled))
        key = tuple(given[x] for x in shared)
        found[key] = found.get(key, 0.0) + weight
    return {key: weight / sum(found.values()) for key, weight in found.items()}


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_the_share_kept_makes_the_loss_what_is_promised(epsilon):
    for base, factor in ((epsilon, relabelling(1.0)), (0.1, UNLABELLED)):
        share = kept_share(epsilon, base, factor)
        loss = amplified(base + math.log(factor), share)
        assert loss == pytest.approx(epsilon) if share < 1.0 else loss <= epsilon
    assert kept_share(1e300, 1.0, 4.0) == 1.0


@dataclasses.dataclass(frozen=True)
class KeepsAll(LabelBoost):
    """Planted: no subsampling."""

    def kept(self, m, epsilon):
        del epsilon
        return m, self.u


@pytest.mark.parametrize(
    ("learner", "epsilon", "private"),
    [(LabelBoost(), 0.5, True), (LabelBoost(), 3.0, True), (KeepsAll(), 0.5, False)],
)
def test_label_boost_is_private_and_not_without_its_subsample(learner, epsilon, private):
    assert audit(learner, epsilon=epsilon).private == private


# recipe: theory-bns15.md, section 4
def test_what_the_paper_proves_of_labels():
    assert proved_labels(1, 0.1, 0.1) == (978_006, 162_734_287)
    assert proved_labels(1, 1.1, 0.2)[1] == 11_826_626


# --- Relabelling fresh points -------------------------------------------------------------------


def plain_loss(others, place, base, *, fresh):
    """Return the largest loss by plain loops over databases of one and one example on four points."""

    def law(one, two):
        (point, label) = one
        known = {point, two} | (set() if fresh else {place})
        names = sorted(known) + [c for c in range(4) if c not in known][:1]
        picks = [math.exp(-0.5 * ((c == point) != bool(label))) for c in names]
        chances = [0.0] * 4
        for named, pick in zip(names, picks, strict=True):
            sample = [(x, x == named) for x in (point, two, *[place] * others)]
            scores = [
                math.exp(-0.5 * base * sum((x == c) != y for x, y in sample)) for c in range(4)
            ]
            for c in range(4):
                chances[c] += pick / sum(picks) * scores[c] / sum(scores)
        return chances

    found = 0.0
    examples = list(itertools.product(range(4), (0, 1)))
    for one, two in itertools.product(examples, range(4)):
        pairs = [(other, two) for other in examples] + [(one, other) for other in range(4)]
        for other in pairs:
            laws = zip(law(one, two), law(*other), strict=True)
            found = max(found, *(abs(math.log(p / q)) for p, q in laws))
    return found


def test_fresh_points_lose_more_than_is_promised_and_own_ones_do_not():
    found = losses(0.5)
    assert found.promised == pytest.approx(2.448, abs=5e-4)
    assert (found.own < found.promised).all()
    assert (found.fresh > found.promised).sum() == 32  # from nine others on
    for others in (1, 12):
        for law, fresh in ((found.fresh, True), (found.own, False)):
            plain = max(plain_loss(others, place, 0.5, fresh=fresh) for place in range(4))
            assert law[others - 1] == pytest.approx(plain, rel=1e-12)
    picture = fresh_picture(0.5, 12)
    assert picture.title == (
        "12 others: labelling other points loses 3.29, more than the 2.45 promised; "
        "labelling only the same points 0.81"
    )
    assert "Exact, by enumeration" in picture.caption
