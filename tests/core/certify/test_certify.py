"""Certificates: floating point against ball arithmetic, its tools, and what has none."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.certify import sums
from privsc_core.certify.balls import (
    At,
    Uncertified,
    ball,
    decided,
    ends,
    standard_normal,
    working,
)
from privsc_core.certify.formulas import Part, best_share, sign_of_least
from privsc_core.certify.routes import few_wrong, few_wrong_halving
from privsc_core.concepts.line.bounds.vote import VoteBound
from privsc_core.concepts.line.learners import Erm as LineErm
from privsc_core.concepts.parity.learners import Elimination, Exponential
from privsc_core.concepts.shared.inequalities import walked
from privsc_core.concepts.threshold.bounds import Density
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import AGREEMENT, certify, exact_setting, lacking
from privsc_core.evaluate.question import Question
from privsc_core.numerics import expectations
from tests.depth import deep, spread

_DOMAINS = (1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 200, 1024, 10**6)


def routes():
    """Return (class, learner, distribution, "") and (class, "", "", bound) of all routes."""
    found = []
    for concept in catalog.CONCEPTS:
        own = concept.certified
        found += [(concept.name, learner, law, "") for learner, law in own.success]
        found += [(concept.name, "", "", bound) for bound in (*own.limits, *own.excess)]
    return found


def answered(rng, concept, learner, law, bound, *, least, large):
    """Return a random question: a few decimals each, at the edges now and then."""
    edge = rng.random() < 0.2
    epsilon = 10 ** (rng.uniform(-4, 2) if edge else rng.uniform(-1.5, 0.7))
    beta = rng.choice([1e-12, 1e-30, 1e-5, 0.9999, 0.75]) if edge else rng.uniform(0.001, 0.45)
    asked = {
        "m": None if least else int(10 ** rng.uniform(0, (5.5 if edge else 3.7) - (not large))),
        "d": rng.choice(_DOMAINS if large else _DOMAINS[:-2]),
        "epsilon": float(f"{epsilon:.3g}"),
        "alpha": float(f"{rng.uniform(0.004, 0.65 if edge else 0.33):.2g}"),
        "beta": float(f"{beta:.3g}"),
        "delta": rng.choice([0.0, 0.0, 1e-6, 1e-15, 0.01]),
    }
    if learner and catalog.learner(concept, learner).unlabelled:
        asked["u"] = int(10 ** rng.uniform(0, 5 if large else 3))
    return Question(concept, learner, bound, law, **asked).checked()


def questions(count, *, large):
    """Yield ((class, number), its questions); what does not exist is drawn again."""
    for concept, learner, law, bound in routes():
        rng = random.Random(f"1 {concept} {learner} {law} {bound}")  # noqa: S311 - settings
        limit = bool(bound) and bound in catalog.concept(concept).certified.limits
        for least in [False, True] if limit or (learner and large) else [not learner]:
            asked = []
            for _ in range(50 * count):
                if len(asked) == count:
                    break
                try:
                    question = answered(rng, concept, learner, law, bound, least=least, large=large)
                except InputError:
                    continue
                if not lacking(question):
                    asked.append(question)
            words = (f"{learner} on {law}" if learner else bound) + (", least m" if least else "")
            yield (concept, words), asked


SETTINGS = 2


def every():
    return [
        pytest.param(*found, id=" ".join(filter(None, (found[0][0], found[0][1]))))
        for found in questions(deep(SETTINGS, 60), large=deep(False, True))
    ]


def test_routes_are_of_what_there_is():
    """A name that no class has would never be asked for, and never be missed."""
    assert routes()
    for concept, learner, law, bound in routes():
        if bound:
            catalog.bound(concept, bound)
        else:
            laws = catalog.learner(concept, learner).laws
            assert laws[catalog.distribution(concept, law).name] == "exact"


def test_reasons_are_of_what_there_is():
    for concept in catalog.CONCEPTS:
        names = {entry.name for entry in (*concept.learners, *concept.bounds)}
        assert set(concept.certified.without) <= names


def test_every_class_has_routes():
    assert all(concept.certified.success for concept in catalog.CONCEPTS)


@pytest.mark.parametrize(("who", "asked"), spread(every(), 70))
def test_floating_point_is_within_the_certificate(who, asked):
    made = 0
    for question in asked:
        found = certify(question)
        assert found["agrees"] in {True, None}, found
        assert (found["claim"] is None) == bool(found["reason"])
        made += found["claim"] == "success"
        if found["claim"] == "success":
            assert Fraction(found["high"]) - Fraction(found["low"]) <= Fraction(AGREEMENT) / 2
    assert asked, who


# --- Against other routes -----------------------------------------------------------------------


def reference(m, d, epsilon, alpha):
    """Return the law of the exponential mechanism in forty digits, by all of its terms."""
    with mpmath.workdps(40):
        loss, mass = mpmath.mpf(epsilon), mpmath.mpf(alpha)
        return mpmath.fsum(
            mpmath.binomial(m, k) * mass**k * (1 - mass) ** (m - k)
            / (1 + (mpmath.mpf(2) ** d - 2) * mpmath.exp(-loss * k / 2) + mpmath.exp(-loss * m / 2))
            for k in range(m + 1)
        )  # fmt: skip


def test_an_enclosure_has_twelve_digits_and_the_number():
    found = certify(Question("point", learner="exponential", m=335, d=8))
    wanted = reference(335, 8, "0.5", "0.1")
    with mpmath.workdps(40):
        low, high = mpmath.mpf(found["low"]), mpmath.mpf(found["high"])
        assert low <= wanted <= high
        assert high - low < mpmath.mpf(10) ** -20


def test_reference_of_the_search():
    """A setting at which every term of the sum counts: d = 6, m = 60, three ways right of seven."""
    with working(200):
        mu = 2 * math.sqrt(7) / 5.90666
        side = [ball(k) * ball(Fraction(mu)) / (2 * ball(7).sqrt()) for k in range(61)]
        right, left = ([standard_normal(x) ** n for x in side] for n in (3, 4))
        found = sums.product_mean(60, Fraction(1, 5), right.__getitem__, left.__getitem__, 100)
        assert float(found.mid()) == pytest.approx(0.78572, abs=6e-6)


def test_permute_and_flip_on_a_small_domain():
    """What floating point got wrong by 4e-11: -log(1 - q) is q (1 + q/2), not q, at q < 1e-9."""
    counts = np.arange(380, 520, 20)
    with mpmath.workdps(40):
        q = [mpmath.exp(-mpmath.mpf("0.0505") * int(k)) for k in counts]
        wanted = [float(1 - (1 - (1 - x) ** 255) / (255 * x)) for x in q]
    rates = -0.0505 * counts
    found = 1.0 - expectations.reached(np.array(math.log(255.0)), rates)
    assert found == pytest.approx(wanted, abs=1e-15)
    assert expectations.missed(np.array(math.log(255.0)), rates) == pytest.approx(wanted, rel=1e-9)


def test_a_rare_failure_of_two_things_is_not_lost():
    """What floating point got wrong by four samples: neither the target nor another point is seen."""
    found = certify(
        Question("point", learner="erm", distribution="uniform", d=4, alpha=0.12, beta=1e-30)
    )
    # 15/2 (14/16)^m <= 10^-30 but for terms of (13/16)^m.
    assert found["least"] == math.ceil(math.log(7.5e30) / -math.log(14 / 16)) == 533
    assert found["agrees"]


@pytest.mark.parametrize(("d", "epsilon", "delta"), [
    # A delta above e^eps - 1: success was said to stay below 1, by up to 1/400.
    (24, 0.00402, 0.01), (24, 0.001, 0.3), (64, 1e-6, 1e-5), (64, 0.5, 1e-6), (8, 2.0, 0.01), (3, 1.0, 0.0),
])  # fmt: skip
def test_the_walk_of_the_packing_bound_is_its_recursion(d, epsilon, delta):
    steps, p, wanted = 400, 2.0**-d, []
    for _ in range(steps):
        wanted.append(p)
        grown = math.exp(epsilon) * p + delta
        p = min(grown, 1.0 - math.exp(-epsilon) * (1.0 - p - delta), 1.0)
    counts = np.arange(steps, dtype=np.float64)
    columns = (np.array(x) for x in (d * math.log(2.0), epsilon, delta))
    reached, lost = walked(counts, *columns)
    assert reached == pytest.approx(wanted, rel=1e-11)
    assert reached + lost == pytest.approx(np.ones(steps), rel=1e-14)


# --- The tools ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "p"), [(1, "0.3"), (60, "0.02"), (400, "0.5"), (900, "0.97")])
def test_means_enclose_sums_of_all_terms(m, p):
    """Windows that leave out much are wide, and still right."""
    for bits in (2, 10, 100):
        with working(200):
            found = sums.binomial_mean(m, Fraction(p), lambda k: ball(Fraction(k, m)), bits)
            assert (found - ball(Fraction(p))).contains(0)
            assert bits < 100 or found.rad() < 1e-25


@pytest.mark.parametrize(("m", "p"), [(1, "0.3"), (7, "0.5"), (60, "0.02"), (60, "0.31")])
def test_means_of_two_counts_are_sums_of_all_terms(m, p):
    mass, rest = Fraction(p), 1 - 2 * Fraction(p)
    wanted = sum(
        math.comb(m, k) * math.comb(m - k, n) * mass ** (k + n) * rest ** (m - k - n)
        * Fraction(1, k + 1) * Fraction(n, m)
        for k in range(m + 1) for n in range(m - k + 1)
    )  # fmt: skip
    for bits in (3, 100):
        with working(200):
            found = sums.product_mean(
                m, mass, lambda k: ball(Fraction(1, k + 1)), lambda n: ball(Fraction(n, m)), bits
            )
            assert (found - ball(wanted)).contains(0)
            assert bits < 100 or found.rad() < 1e-25


@pytest.mark.parametrize(("m", "p", "q"), [
    (1, "0.3", "0.2"), (7, "0.5", "0.5"), (40, "0.02", "0.3"), (60, "0.31", "0.31"), (61, "0.4", "0.6"), (50, "0", "0.5"),
])  # fmt: skip
@pytest.mark.parametrize("bits", [3, 100])
def test_means_of_pairs_and_of_the_lesser_are_sums_of_all_terms(m, p, q, bits):
    one, two = Fraction(p), Fraction(q)
    rest = 1 - one - two
    chances = {
        (k, n): math.comb(m, k) * math.comb(m - k, n) * one**k * two**n * rest ** (m - k - n)
        for k in range(m + 1) for n in range(m - k + 1)
    }  # fmt: skip
    value = lambda k, n: Fraction(k + 1, n + k + 2)  # noqa: E731
    with working(200):
        pairs = sums.two_counts_mean(m, one, two, lambda k, n: ball(value(k, n)), bits)
        lesser = sums.least_count_mean(m, one, two, lambda k: ball(Fraction(1, k + 1)), bits)
        wanted = sum(c * value(*pair) for pair, c in chances.items())
        least = sum(c * Fraction(1, min(pair) + 1) for pair, c in chances.items())
        for found, right in ((pairs, wanted), (lesser, least)):
            assert (found - ball(right)).contains(0)
            assert bits < 100 or found.rad() < 1e-25


@pytest.mark.parametrize(("edge", "above"), [("1/9", True), ("1/9", False), ("1/1000003", True)])
def test_the_sign_of_a_least_value_is_proved(edge, above):
    """|x - 1/3| + 10^-6, or that less 2 10^-6, on [0, 1]: its ends say nothing about it."""
    shift = Fraction(1, 10**6) * (1 if above else -1)

    def part(low, high):
        near = min(max(Fraction(1, 3), low), high)
        here, least = abs(low - Fraction(1, 3)), abs(near - Fraction(1, 3)) - (high - low) / 2
        return Part((low, high), ball(here + shift), ball(least + shift))

    def halves(piece):
        cut = piece[0] + (piece[1] - piece[0]) * (1 + Fraction(edge)) / 2
        return part(piece[0], cut), part(cut, piece[1])

    with working(100):
        found = sign_of_least([part(Fraction(0), Fraction(1))], halves, 100, 500)
        assert (found > 0) if above else (found < 0)
        assert found.contains(ball(shift)) or not above
        with pytest.raises(Uncertified, match="intervals"):
            sign_of_least([part(Fraction(0), Fraction(1))], halves, 100, 3)


@pytest.mark.parametrize(("k", "n", "p"), [(3, 10, "0.4"), (0, 7, "0.1"), (90, 100, "0.5"),
                                           (10, 100, "0.5"), (700, 2**40, "1e-9")])  # fmt: skip
def test_tails_enclose_sums_of_all_terms(k, n, p):
    with mpmath.workdps(40):
        x = mpmath.mpf(p)
        wanted = mpmath.fsum(
            mpmath.binomial(n, i) * x**i * (1 - x) ** (n - i) for i in range(k + 1)
        )
        low, high = (
            mpmath.mpf(e) for e in enclosure(lambda: sums.at_most(k, n, ball(Fraction(p)), 90))
        )
        assert low - mpmath.mpf(10) ** -35 <= wanted <= high + mpmath.mpf(10) ** -35
        assert high - low < mpmath.mpf(10) ** -20


def enclosure(make):
    with working(200):
        return ends(make(), 60)


@pytest.mark.parametrize("k", [0, 1, 7, 40, 41])
def test_halfway_takes_the_best_whole_step(k):
    epsilon, rivals = Fraction(1, 2), 254
    terms = [math.exp(0.5 * t) + math.exp(0.5 * (k - t)) / rivals for t in range(k + 1)]
    near = math.floor((k - math.log(rivals) / 0.5) / 2)
    low, high = enclosure(lambda: best_share(epsilon, k, ball(rivals), near))
    assert float(low) == pytest.approx(1 / min(terms), rel=1e-13)
    assert float(high) == pytest.approx(1 / min(terms), rel=1e-13)


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-1, 3), Fraction(0), Fraction(5),
                                   Fraction(1, 10**300), Fraction(10**50, 7)])  # fmt: skip
def test_ends_are_rounded_outwards(value):
    low, high = map(Fraction, enclosure(lambda: ball(value)))
    assert low <= value <= high
    assert high - low <= abs(value) / 10**50


def test_settings_are_exact_decimals():
    at = exact_setting(Question("point", learner="erm", epsilon=0.1, alpha=0.07), 3, 100)
    assert isinstance(at, At)
    assert (at.epsilon, at.alpha) == (Fraction(1, 10), Fraction(7, 100))


def test_a_tie_is_not_decided():
    with working(100), pytest.raises(Uncertified, match="tie"):
        decided(ball(Fraction(1, 3)) * 3 - 1)
    # (1 - alpha)^1 / 2 = beta exactly.
    found = certify(Question("point", bound="nonprivate", alpha=0.1, beta=0.45))
    assert found["least"] is None
    assert "tie" in found["reason"]


def test_what_takes_too_long_is_refused():
    found = certify(Question("point", learner="exponential", m=10**12, d=10**6))
    assert found["claim"] is None
    assert "more than" in found["reason"]


@pytest.mark.parametrize(("asked", "why"), [
    ({"learner": "exponential", "distribution": "bystanders"}, "simulated"),
    ({"learner": "noise-tuned", "beta": 0.5}, "two rates"),
    ({"learner": "generic", "m": 100, "u": 10**12}, "more than 200,000 terms"),
    ({"bound": "hash", "m": 400}, "a search in floating point finds"),
    ({"bound": "lemma-3.9", "m": 20}, "leave m out"),
    ({"bound": "representation", "d": 8}, "d >= 16"),
    ({"learner": "noise", "beta": 0.01}, "no such number"),
])  # fmt: skip
def test_what_has_no_certificate_says_why(asked, why):
    found = certify(Question("point", **asked))
    assert found["claim"] is None
    assert why in found["reason"]


# Certified routes of parities, lines and thresholds: their tools, and that wrong laws are caught.


def counted(m, d, share, rho, most):
    """Go through all that m examples may be of, and all ways to be wrong."""
    total = Fraction(0)
    for seen in itertools.product(range(d + 1), repeat=m):
        rest = seen.count(d)
        chance = (share / d) ** (m - rest) * (1 - share) ** rest
        wrong = [rho(seen.count(kind)) for kind in range(d)]
        for says in itertools.product((0, 1), repeat=d):
            if sum(says) <= most:
                total += chance * math.prod(
                    w if bad else 1 - w for w, bad in zip(wrong, says, strict=True)
                )
    return total


def within(found, wanted, gap=Fraction(1, 10**25)):
    low, high = (Fraction(end) for end in ends(found, 60))
    return low <= wanted <= high and high - low < gap


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("share", ["1/2", "1", "0.07"])
def test_wrong_kinds_are_counted(share, most):
    a, left = Fraction(share), Fraction(2, 7)
    with working(300):
        found = few_wrong_halving(4, 3, a, lambda: ball(left), most, 100)
        assert within(found, counted(4, 3, a, lambda k: left**k / 2, most))
        rho = [Fraction(1, k + 2) for k in range(5)]  # beyond four it is never asked for, in truth
        found = few_wrong(4, 3, a, lambda k: ball(rho[k] if k < 5 else Fraction(1, 3)), most, 100)
        assert within(found, counted(4, 3, a, rho.__getitem__, most))


@pytest.mark.parametrize(("m", "d", "most"), [(1, 1, 0), (40, 7, 2), (900, 30, 3), (20_000, 2, 0)])
def test_both_ways_to_count_wrong_kinds_agree(m, d, most):
    half, left = Fraction(1, 2), Fraction(9, 10)
    with working(400):
        one = few_wrong(m, d, half, lambda k: ball(left) ** k / 2, most, 120)
        two = few_wrong_halving(m, d, half, lambda: ball(left), most, 120)
        assert one.overlaps(two)
        assert one.rad() < 1e-30


@pytest.mark.parametrize(("law", "asked"), [
    (Elimination, {"concept": "parity", "learner": "elimination", "m": 60, "d": 8}),
    (Elimination, {"concept": "parity", "learner": "elimination", "distribution": "spikes", "m": 90, "d": 8}),
    (Exponential, {"concept": "parity", "learner": "exponential", "distribution": "spikes", "m": 90, "d": 8}),
    (LineErm, {"concept": "line", "learner": "erm", "m": 20, "d": 5}),
    (VoteBound, {"concept": "line", "bound": "vote", "m": 3400, "d": 8, "delta": 1e-6}),
    (Density, {"concept": "threshold", "bound": "density", "m": 600, "d": 8}),
])  # fmt: skip
def test_a_wrong_law_is_caught(monkeypatch, law, asked):
    """One part in ten billion of alpha and epsilon."""
    success = law.success

    def off(self, *given):
        *first, at = given
        more = replace(at, epsilon=at.epsilon * (1 + 1e-10), alpha=at.alpha * (1 + 1e-10))
        return success(self, *first, more)

    assert certify(Question(**asked))["agrees"]
    monkeypatch.setattr(law, "success", off)
    assert certify(Question(**asked, beta=0.0999))["agrees"] is False


@pytest.mark.parametrize("reference", ["", "(half)", "(all)", "(3)"])
def test_the_density_bound_is_the_least_over_all_alpha(reference):
    """A grid of alpha' had it 1e-7 too high."""
    for m in (1, 2, 40, 700):
        asked = {"bound": "density", "m": m, "d": 8, "epsilon": 1.0, "beta": 0.3}
        assert certify(Question(f"threshold{reference}", **asked))["agrees"], m


@pytest.mark.parametrize(("m", "epsilon", "alpha", "delta"), [
    (60, 0.5, 0.1, 1e-6), (3000, 0.5, 0.1, 1e-6), (900, 20.0, 0.1, 0.01), (61, 3.0, 0.1, 0.4),
    # A level far beyond theta is better, and the tilted tails are below every float.
    (40_000, 5.72, 0.157, 1e-9),
])  # fmt: skip
def test_the_vote_takes_the_best_of_all_levels(m, epsilon, alpha, delta):
    """Of 61 levels the best promised nothing at some settings where 0.4 is true."""
    asked = {"bound": "vote", "m": m, "d": 8, "epsilon": epsilon, "alpha": alpha, "delta": delta}
    assert certify(Question("line", **asked))["agrees"]


def test_a_bound_with_a_reason_says_it():
    seen = 0
    for concept in catalog.CONCEPTS:
        reasons = concept.certified.without
        for entry in concept.bounds:
            if entry.name in reasons:
                seen += 1
                found = certify(Question(concept.name, bound=entry.name, m=10, d=8))
                assert found["claim"] is None
                assert reasons[entry.name] in found["reason"]
    assert seen
