"""Releases: the law of every mechanism, the exact sampler, and the attack on floating-point noise.

Their coins are the system's, so no seed makes these tests repeat themselves: what the budget of
false alarms allows holds for every run.
"""

import decimal
import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privsc_core import catalog
from privsc_core.concepts.conjunction.distributions import Conjunction
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.distributions import Threshold
from privsc_core.concepts.line.learners import HashLine
from privsc_core.concepts.line.plane import LARGEST, Line
from privsc_core.concepts.parity.distributions import Parity
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.learners.hashing import Hash
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.threshold.distributions import Cut
from privsc_core.errors import InputError
from privsc_core.trusted import exact
from privsc_core.trusted.noise import LISTED_BITS, Noise
from privsc_core.trusted.release import check, release
from tests import budget
from tests.depth import deep, spread, whole

pytest.importorskip("opendp")

EPSILON, ALPHA, BETA = 2.5, 0.4, 0.2


def noise(epsilon):
    return Noise(epsilon, lambda: None)


def tell(counts, law):
    """Compare counts with a law twice: outcome by outcome, and all together by chi-square."""
    budget.assert_distribution(counts, law)
    trials = sum(counts.values())
    common = [key for key, p in law.items() if p * trials >= 20]
    rest = 1.0 - math.fsum(law[key] for key in common)
    seen, expected = [counts[key] for key in common], [law[key] * trials for key in common]
    if rest * trials >= 20:
        seen.append(trials - sum(seen))
        expected.append(rest * trials)
    if len(seen) > 1:
        budget._spend("chi-square")
        scale = sum(seen) / math.fsum(expected)
        assert stats.chisquare(seen, [scale * e for e in expected]).pvalue > budget.SHARE


def holds(counts, law, fault):
    """Accept the law, and reject the fault."""
    tell(counts, law)
    with pytest.raises(AssertionError):
        tell(counts, fault)


# --- Every learner that has a release ------------------------------------------------------------


def row_of(hypothesis, d):
    return tuple(int(hypothesis.predict(x)) for x in range(1, (1 << d) + 1))


def released(hypothesis, d):
    return tuple(hypothesis.answer(x) for x in range(1, (1 << d) + 1))


# Who has a release, and what tells its outputs apart. A new one is asked for.
RELEASING = {
    ("point", "exponential"), ("point", "hash"), ("point", "permute-and-flip"),
    ("interval", "exponential"), ("threshold", "net"), ("threshold", "noisy-count"),
    ("threshold", "ranks"), ("threshold", "ranks-coarse"), ("line", "exponential"), ("line", "hash-line"), ("line", "vote"), ("parity", "exponential"), ("conjunction", "exponential"), ("conjunction", "sq-laplace"),
    ("pseudorandom-point", "exponential-proper"), ("pseudorandom-point", "exponential-relaxed"),
    ("marginals", "laplace"),
    ("release", "laplace"), ("release", "geometric"), ("release", "stability"), ("release", "blr"),
}  # fmt: skip
# Their laws are of binned counts, or of buckets: below.
APART = {("point", "hash"), ("line", "hash-line"), ("line", "vote"), ("marginals", "laplace")} | {
    ("release", n) for n in ("laplace", "geometric", "stability")
}


def test_who_has_a_release():
    found = {(c.name, e.name) for c in catalog.CONCEPTS for e in c.learners if e.releases}
    assert found == RELEASING
    assert not [
        e for c in catalog.CONCEPTS for e in c.learners if e.releases and e.privacy == "none"
    ]


@pytest.mark.parametrize(("concept", "learner"), spread(sorted(RELEASING - APART), 3))
def test_a_release_has_the_law_of_the_learner(concept, learner):
    entry = catalog.learner(concept, learner)
    d = 2 if concept in {"line", "release"} else 3
    sample = Sample.of(d, [1, 2, 2, 4, 3], [1, 0, 1, 0, 1])
    words = {"alpha": ALPHA, "beta": BETA}
    law, fault = (
        entry.output_distribution(sample, Cell(sample.d, epsilon=e, **words))
        for e in (EPSILON, EPSILON / 3)
    )
    keys = {output: key_of(concept, output, d) for output in law}
    law, fault = (add_up(keys, one) for one in (law, fault))
    trials = deep(600, 1500)
    runs = (
        entry.release(sample, Cell(sample.d, epsilon=EPSILON, **words), noise(EPSILON))
        for _ in range(trials)
    )
    tell_of = released if concept == "release" else row_of
    holds(Counter(tell_of(found, d) for found in runs), law, fault)


def key_of(concept, output, d):
    """Return the labels, or the fractions, of an output of an output distribution."""
    if concept == "release":
        return tuple(count / sum(output) for count in output)
    return row_of(HYPOTHESES[concept](output, d), d)


def add_up(keys, law):
    found = dict.fromkeys(keys.values(), 0.0)
    for output, chance in law.items():
        found[keys[output]] += chance
    return found


def _line(output, d):
    plane = LARGEST.plane(d)
    return Line(plane, *divmod(output - 1, plane.p))


HYPOTHESES = {
    "point": lambda output, _: Point(output), "pseudorandom-point": lambda output, _: Point(output),
    "interval": lambda output, _: Threshold(output), "threshold": Cut, "line": _line,
    "parity": Parity, "conjunction": Conjunction,
}  # fmt: skip


def test_the_hash_learner_picks_its_bucket_by_the_law():
    # With two bits and one point the chance of its bucket is the same for every hash.
    sample, trials = Sample.of(3, [6, 6, 6], [1, 1, 1]), 400
    runs = (
        Hash(bits=2).release(sample, Cell(sample.d, 1.0, ALPHA, BETA), noise(1.0))
        for _ in range(trials)
    )
    hits = sum(found.predict(6) for found in runs)
    heavy = math.exp(1.5)
    budget.assert_rate(hits, trials, heavy / (heavy + 3))
    assert budget.power(trials, heavy / (heavy + 3), 1 / 4) > 0.999


def test_hashed_lines_pick_their_bucket_by_the_law():
    # Each slope has one point in one of the two buckets, whatever the hash.
    sample, trials = Sample.of(4, [2, 2, 2], [1, 1, 1]), 400
    runs = (
        HashLine(bits=1).release(sample, Cell(sample.d, 1.0, ALPHA, BETA), noise(1.0))
        for _ in range(trials)
    )
    heavy = math.exp(1.5)
    budget.assert_rate(sum(found.predict(2) for found in runs), trials, heavy / (heavy + 1))
    assert budget.power(trials, heavy / (heavy + 1), 1 / 2) > 0.999


def _geometric(k, rate):
    return math.tanh(rate / 2) * math.exp(-rate * abs(k))


def test_histograms_have_their_noise():
    trials, m = 400, 6
    sample, size = Sample.of(1, [1] * m, [1] * m), 1 << 1
    rate = EPSILON / size
    for name in ("geometric", "laplace"):
        entry = catalog.learner("release", name)
        tau = entry.threshold(m, epsilon=EPSILON, alpha=ALPHA)
        runs = [
            entry.release(sample, Cell(sample.d, EPSILON, ALPHA, BETA), noise(EPSILON))
            for _ in range(trials)
        ]
        whole = name == "geometric"
        for point, count in ((1, m), (2, 0)):
            seen = Counter(math.floor(found.answer(point) * m + 1e-9) for found in runs)
            law, fault = (binned(count, tau, r, whole=whole) for r in (rate, rate / 8))
            holds(Counter({cap(k): 0 for k in law}) + capped(seen), law, fault)


def test_marginals_have_their_noise():
    trials, m = 400, 6
    entry = catalog.learner("marginals", "laplace")
    sample = Sample.of(1, [2] * 4 + [1] * 2, [1] * m)
    runs = [
        entry.release(sample, Cell(sample.d, EPSILON, ALPHA, BETA), noise(EPSILON))
        for _ in range(trials)
    ]
    # The bins of an answer times m, which may be outside of what answers are.
    seen = Counter((min(max(math.floor(x.answer(1) * m), -m - 1), m),) for x in runs)
    law, fault = (
        entry.output_distribution(sample, Cell(sample.d, e, ALPHA, BETA))
        for e in (EPSILON, EPSILON / 8)
    )
    holds(Counter(dict.fromkeys(law, 0)) + seen, law, fault)


MOST = 14


def cap(k):
    return min(k, MOST)


def capped(seen):
    found = Counter()
    for k, n in seen.items():
        found[cap(k)] += n
    return found


def binned(count, tau, rate, *, whole):
    """Return the law of one released count, rounded down, and MOST for all from there on."""
    if whole:
        law = {k: _geometric(k - count, rate) for k in range(math.ceil(tau), MOST)}
        law[MOST] = math.exp(-rate * (MOST - count)) / (1 + math.exp(-rate))
    else:
        edges = [tau, *range(math.floor(tau) + 1, MOST + 1), math.inf]
        cdf = stats.laplace(loc=count, scale=1 / rate).cdf
        law = {math.floor(a): float(cdf(b) - cdf(a)) for a, b in itertools.pairwise(edges)}
    law[0] = law.get(0, 0.0) + 1.0 - math.fsum(law.values())
    return law


@pytest.mark.parametrize("delta", [1e-2, whole(1e-6)])
def test_stable_counts_have_their_law_and_their_delta(delta):
    trials, rate = 400, EPSILON / 2
    coins = noise(EPSILON)
    coins.stable({"a": 1}, delta=delta)
    least = int(coins.drawn.mechanism.rpartition(" ")[2]) + 1  # counts are released above it
    runs = [noise(EPSILON).stable({7: least, 9: 1}, delta=delta) for _ in range(trials)]
    law = {k: _geometric(k - least, rate) for k in range(least, least + 6)}
    law["more"] = math.exp(-6 * rate) / (1 + math.exp(-rate))
    law["none"] = 1 - math.fsum(law.values())
    seen = Counter(found.get(7, "none") for found in runs)
    more = sum(n for k, n in seen.items() if k != "none" and k >= least + 6)
    seen = Counter({k: n for k, n in seen.items() if k in law}) + Counter(more=more)
    fault = {k: 1 / len(law) for k in law}
    holds(seen, law, fault)
    # What one entry alone does, twice: it shows at all.
    shown = math.exp(-rate * (least - 1)) / (1 + math.exp(-rate))
    assert delta / 5 < 2 * shown <= delta
    # As the library states it, which forgets the counts at its threshold: `stable` drops them.
    assert float(coins.drawn.promise.split()[4]) == pytest.approx(2 * shown, rel=0.01)
    budget.assert_rate(sum(9 in found for found in runs), trials, shown)


def test_blocks_vote_by_stable_counts():
    entry = catalog.learner("line", "vote").at(1e-3)
    points = [1, 3] * 90
    sample = Sample.of(2, points, [1] * len(points))
    runs = [
        entry.release(sample, Cell(sample.d, 3.0, ALPHA, BETA), noise(3.0)).description
        for _ in range(20)
    ]
    expected = entry.run(
        sample, Cell(sample.d, 50.0, ALPHA, BETA), np.random.default_rng(1)
    ).description
    assert set(runs) == {expected}


# --- Mechanisms ----------------------------------------------------------------------------------

SCORES, MEMBERS = [0, 3, 1, 3, 0], [1, 4, 0, 2, 2]


def exponential_law(rate):
    weights = [n * math.exp(-rate * s) for s, n in zip(SCORES, MEMBERS, strict=True)]
    return {i: w / math.fsum(weights) for i, w in enumerate(weights)}


@pytest.mark.parametrize("listed", [True, False])
def test_the_exponential_mechanism_by_the_library_and_by_ourselves(listed, monkeypatch):
    if not listed:
        monkeypatch.setattr("privsc_core.trusted.noise._LISTED", 0)
    trials, who = 800, noise(1.2)
    counts = Counter(noise(1.2).exponential(SCORES, MEMBERS, sensitivity=2) for _ in range(trials))
    holds(counts, exponential_law(0.3), exponential_law(1.5))
    who.exponential(SCORES, MEMBERS)
    assert ("opendp" in who.drawn.sampler) == listed


def test_permute_and_flip_is_another_law():
    # The library draws it for pure privacy, under a name that the exponential mechanism had before.
    many, trials, accept = 10, deep(2500, 4000), 0.1
    scores, epsilon = [0] + [2] * many, -math.log(accept)
    first = (1 - (1 - accept) ** (many + 1)) / ((many + 1) * accept)
    seen = Counter(min(noise(epsilon).permute_and_flip(scores), 1) for _ in range(trials))
    fault = 1 / (1 + many * accept)
    holds(seen, {0: first, 1: 1 - first}, {0: fault, 1: 1 - fault})


def test_the_exact_sampler_at_any_size():
    # 2^300 candidates at score 800, so that both rows are about as likely: repeatable coins.
    coins = random.Random(1)  # noqa: S311 - to be repeated
    gap, rate = 300, Fraction(1, 2)
    mistakes = round(gap * math.log(2) / float(rate))
    law_of = [1.0, math.exp(gap * math.log(2) - float(rate) * mistakes)]
    law = dict(enumerate(w / sum(law_of) for w in law_of))
    trials = 2000
    counts = Counter(
        exact.exponential([7, 7 + mistakes], [1, 1 << gap], rate, coins.randrange)
        for _ in range(trials)
    )
    holds(counts, law, {0: 0.8, 1: 0.2})


def test_the_exact_sampler_looks_closer_where_it_is_undecided():
    # The first 30 digits of the boundary itself: only more of them can tell.
    asked = []
    edge = 1 / (1 + Fraction(3))  # one candidate against three: 1/4, drawn as 0.25000...
    digits = int(edge * 10**30)

    def below(n):
        asked.append(n)
        return digits - 1 if len(asked) == 1 else n - 1

    assert exact.exponential([0, 0, 1], [1, 3, 0], Fraction(1), below) in {0, 1}
    # exp(-1): enclosed, never known; the drawn number follows its digits for three rounds.
    with decimal.localcontext(prec=300):
        share = 1 / (1 + decimal.Decimal(-1).exp())
        text = str(share)[2:]
    read = []

    def follow(n):
        k = len(str(n)) - 1
        start = sum(read)
        read.append(k)
        if start >= 120:
            return n - 1
        return int(text[start : start + k])

    assert exact.exponential([0, 1], [1, 1], Fraction(1), follow) == 1
    assert read == [30, 30, 60, 120, 0]  # and which member of the row


def test_a_release_draws_one_mechanism():
    coins = noise(1.0)
    coins.geometric([1], sensitivity=1)
    with pytest.raises(RuntimeError, match="one mechanism"):
        coins.exponential([1, 2])


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.1, 1e-3, 13.7])
def test_what_is_spent_is_never_above_the_decimal(epsilon):
    for draw in (
        lambda c: c.geometric([1], sensitivity=2), lambda c: c.laplace([1], sensitivity=2),
        lambda c: c.permute_and_flip([1]), lambda c: c.stable({1: 1}, delta=1e-3),
    ):  # fmt: skip
        coins = noise(epsilon)
        draw(coins)
        spent = float(coins.drawn.promise.split()[1])
        assert Fraction(spent) <= Fraction(repr(epsilon))
        assert spent == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-20, 1e30])
def test_what_the_library_cannot_draw_is_refused(epsilon):
    paid = []
    with pytest.raises(InputError, match="epsilon must"):
        Noise(epsilon, lambda: paid.append(1)).geometric([1], sensitivity=1)
    assert not paid


def test_refusals_come_before_the_account():
    paid = []
    sample = Sample.of(LISTED_BITS + 1, [1, 2], [1, 0])
    for concept, name in (("release", "laplace"), ("point", "permute-and-flip")):
        entry = catalog.learner(concept, name)
        with pytest.raises(InputError, match="d must be at most 16"):
            entry.release(sample, Cell(sample.d, 1.0, 0.1, 0.1), Noise(1.0, lambda: paid.append(1)))
    for name in ("erm", "noise"):
        with pytest.raises(InputError, match="simulate"):
            check(catalog.learner("point", name))
    assert not paid


def test_the_statement_says_what_was_spent_and_assumed():
    entry = catalog.learner("release", "stability").at(1e-5)
    made = release(
        entry, Sample.of(4, [3] * 90, [1] * 90), epsilon=0.5, alpha=0.1, beta=0.1, words={}
    )
    said = made.statement
    assert (said["epsilon"], said["delta"]) == (0.5, 1e-5)
    assert "replaced" in said["adjacency"]
    assert "number of examples" in said["public"]
    assert made.left is None


# --- Mironov's attack ----------------------------------------------------------------------------

SCALE = 4.0


def could_be_noise(y):
    """Tell whether the old sampler can put out y on a count of 0, from its coin u = k 2^-53."""
    half = 0.5 * math.exp(-abs(y) / SCALE)
    near = round((half if y <= 0 else 1.0 - half) * 2.0**53)
    coins = (k * 2.0**-53 for k in range(near - 4, near + 5) if 0 < k < 1 << 53)
    return any(
        y == (SCALE * math.log(u + u) if u < 0.5 else -SCALE * math.log(2.0 - u - u)) for u in coins
    )


def test_the_attack_on_floating_point_noise_fails_against_the_new_path():
    trials = 2000
    entry, epsilon = catalog.learner("release", "laplace"), 2.0 / SCALE
    rng = np.random.default_rng(5)

    def old(count):
        return entry.noisy(np.full(trials, count), entry.rate(epsilon), rng).tolist()

    def new(count):
        return entry.noisy_by(noise(epsilon), [count] * trials)

    def told_apart(values):
        return sum(not could_be_noise(value) for value in values)

    # The old path: what cannot come from a count of 0 says that the count is not 0. Its loss is
    # infinite, and half of the time.
    assert told_apart(old(0)) == 0
    assert told_apart(old(1)) > trials / 2
    # The new one: the same question has the same answer, up to what epsilon allows.
    of_0, of_1 = told_apart(new(0)), told_apart(new(1))
    assert of_0 > trials / 2
    budget.assert_same_rate(of_0, trials, of_1, trials)
