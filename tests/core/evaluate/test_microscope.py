"""One run taken apart: nothing that is shown may differ from what was run."""

import functools
import math
import re
from fractions import Fraction

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.learners import Exponential
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.trace import Choice, Recorder
from privsc_core.errors import InputError
from privsc_core.evaluate import microscope
from privsc_core.evaluate.microscope import drawn_sample, examine
from privsc_core.exhibits.microscope import step_figure, step_height
from privsc_core.numerics.text import chance, lowered, small, span, whole
from tests.classes import known
from tests.core.suites import TARGETED
from tests.core.support import LEARNERS, accurate, masses, saying, truth
from tests.depth import deep

# m, d, epsilon, alpha: small and exact, large d, a loss at which the coins hardly matter, and so many
# examples that some chances are below the least float.
SETTINGS = (
    (12, 4, 1.0, 0.2), (300, 64, 0.5, 0.1), (40, 100_000, 0.001, 0.1), (60, 5, 20.0, 0.3),
    (50_000, 8, 2.0, 0.1),
)  # fmt: skip


def choices(run):
    return [step.shows for step in run.steps if isinstance(step.shows, Choice)]


def examined(concept, learner, law, setting, seed):
    """Examine a run, or return None where the learner or the exhibit refuses the setting."""
    m, d, epsilon, alpha = setting
    try:
        return examine(
            concept=concept.name, learner=learner.name, distribution=law.label, m=m, d=d,
            epsilon=epsilon, alpha=alpha, seed=seed, delta=learner.privacy_slack,
        )  # fmt: skip
    except InputError:
        return None


@functools.cache
def runs_of(entry, seed):
    """Return the runs of a learner that can be taken apart, on all its distributions and settings."""
    concept, learner = entry
    runs = [
        examined(concept, learner, catalog.distribution(concept.name, name), setting, seed)
        for number, name in enumerate(learner.laws)
        for setting in (SETTINGS if number == 0 else deep(SETTINGS[:1], SETTINGS))
    ]
    return [run for run in runs if run is not None]


def on_every_run(test):
    """Run a test on every run of a learner that can be taken apart; what fails says on which."""

    def on_each(concept, learner, seed):
        for run in runs_of((concept, learner), seed):
            with saying(f"{run.distribution.name}, {run.m=}, {run.d=}, {run.epsilon=}"):
                test(concept, run)

    on_each.__name__ = test.__name__
    return EACH(on_each)


EACH = pytest.mark.parametrize(
    ("concept", "learner", "seed"),
    [
        pytest.param(*entry.values, seed, id=f"{entry.id}-{seed}", marks=[pytest.mark.whole] * (seed > 1))
        for entry in LEARNERS
        for seed in (1, 2)
    ],
)  # fmt: skip


def test_what_fails_on_a_run_says_on_which():
    def fails(_, run):
        assert run is None

    with pytest.raises(AssertionError) as caught:
        on_every_run(fails)(*LEARNERS[0].values, 1)
    assert "run.m=12" in caught.value.__notes__[0]


@EACH
def test_every_learner_is_taken_apart_at_some_setting(concept, learner, seed):
    found = runs_of((concept, learner), seed)
    assert bool(found) == (learner.name not in known(concept).shown_apart)
    assert all(len(run.steps) > 2 for run in found)  # more than the sample and what came out


def examples(sample):
    return [sample.points[i] for i in sample.index.tolist()], sample.labels.tolist()


def same(first, second, points):
    """Tell whether two hypotheses are the same, as far as anybody can ask."""
    if first is FAILURE or second is FAILURE:
        return first is second
    return (
        first.description == second.description
        and (getattr(first, "j", 0) == getattr(second, "j", 0))
        and getattr(first, "values", 0) == getattr(second, "values", 0)
        and [first.predict(x) for x in points] == [second.predict(x) for x in points]
    )


@on_every_run
def test_the_run_is_the_one_that_anybody_gets_with_the_seed(concept, run):
    x, y = examples(run.sample)
    asked = [*run.sample.points, 1, 2]
    fresh = run.learner.run(
        Sample.of(run.sample.d, x, y),
        Cell(run.sample.d, run.epsilon, run.alpha, run.beta),
        np.random.default_rng(run.seed),
    )
    # The hypotheses that draw their values when asked are asked in the same order.
    again = examine(
        concept=concept.name, learner=run.learner.name, distribution=run.distribution.label,
        m=run.m, d=run.d, epsilon=run.epsilon, alpha=run.alpha, seed=run.seed,
        delta=run.learner.privacy_slack,
    )  # fmt: skip
    run.distribution.error(fresh, m=run.m, d=run.d, alpha=run.alpha)
    if run.error is not None:
        run.distribution.succeeds(fresh, d=run.d, alpha=run.alpha)
    assert same(again.hypothesis, fresh, asked)
    public = pv.learn(
        concept=concept.name, learner=run.learner.name, x=x, y=y, d=run.sample.d, epsilon=run.epsilon,
        alpha=run.alpha, beta=run.beta, seed=run.seed, delta=run.learner.privacy_slack,
    )  # fmt: skip
    assert (public is FAILURE) == (fresh is FAILURE)
    assert public.description == fresh.description


@on_every_run
def test_probabilities_sum_to_one_and_the_best_coin_is_what_came_out(concept, run):
    for shows in choices(run):
        total = math.fsum(math.exp(row.log_share) for row in shows.rows)
        assert total == pytest.approx(1.0, abs=1e-9)
        drawn = [row for row in shows.rows if row.drawn]
        assert len(drawn) == 1
        assert drawn[0].log_share > -math.inf
        if shows.coins:
            assert drawn[0].best == max(row.best for row in shows.rows)


@on_every_run
def test_every_step_is_drawn(concept, run):
    for step in run.steps:
        picture = step_figure(run, step)
        assert (picture is None) == (step.shows is None)
        if picture is not None:
            assert step_height(step) > 100
            lengths = {len(column) for column in picture.table.values()}
            assert len(lengths) == 1
            assert picture.title
            assert picture.summary


def told_and_untold(learner, run, seed):
    """Return for a run with and one without a recorder what came out, and the next coin."""
    found = []
    for recorder in (None, Recorder()):
        rng = np.random.default_rng(seed)
        setting = {"epsilon": run.epsilon, "alpha": run.alpha, "beta": run.beta}
        h = learner.run(run.sample, Cell(run.sample.d, **setting), rng, recorder=recorder)
        answers = [h.answer(x) for x in [*run.sample.points[:20], 1, 2]]
        told_of = (h.description, getattr(h, "j", 0), getattr(h, "values", 0))
        found.append((told_of, answers, rng.random()))
        told = recorder.steps if recorder else []
    return (*found, told)


@on_every_run
def test_a_run_is_the_same_whether_it_is_told_or_not(concept, run):
    for seed in range(deep(1, 2)):
        untold, told, steps = told_and_untold(run.learner, run, seed)
        assert told == untold
        assert steps
        # Nobody said what the target is: none is marked.
        assert not any(row.target for step in steps if isinstance(step.shows, Choice)
                       for row in step.shows.rows)  # fmt: skip


class Talkative(Exponential):
    """Draws a coin more where it tells."""

    def run(self, sample, at, rng, recorder=None):
        if recorder is not None:
            rng.random()
        return super().run(sample, at, rng, recorder)


def test_the_check_of_the_coins_rejects_a_learner_that_tosses_more_when_it_tells():
    run = runs_of(LEARNERS[0].values, 1)[0]
    untold, told, _ = told_and_untold(Talkative(), run, 1)
    assert told != untold


class Silent(Exponential):
    """Tells nothing."""

    def run(self, sample, at, rng, recorder=None):
        return super().run(sample, at, rng)


def test_a_learner_that_tells_nothing_shows_its_sample_and_what_came_out(monkeypatch):
    setting = {"m": 20, "d": 5, "epsilon": 0.5, "alpha": 0.1, "seed": 3}
    full = examine(concept="point", learner="exponential", **setting)
    monkeypatch.setattr(catalog, "learner", lambda *_: Silent())
    run = examine(concept="point", learner="exponential", **setting)
    assert run.steps == (full.steps[0], full.steps[-1])
    assert run.hypothesis == full.hypothesis


# --- The error ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("concept", "law"), TARGETED)
def test_the_error_is_the_mass_where_the_hypothesis_is_wrong(concept, law):
    d, alpha, checked = 5, 0.2, 0
    right, mass = truth(law, d), masses(law, d, alpha)
    for learner in concept.learners:
        if law.name not in learner.laws:
            continue
        for seed in range(1, deep(3, 6)):
            run = examine(
                concept=concept.name, learner=learner.name, distribution=law.label, m=15, d=d,
                epsilon=0.7, alpha=alpha, delta=learner.privacy_slack, seed=seed,
            )  # fmt: skip
            if run.failed_to_answer:
                assert not run.succeeded
                continue
            wrong = [x for x in mass if run.hypothesis.predict(x) != right(x)]
            assert run.error == pytest.approx(float(sum((mass[x][0] for x in wrong), Fraction())))
            assert run.succeeded == accurate(law, run.hypothesis.predict, d, alpha)
            assert run.barely == (run.error == pytest.approx(alpha) and not run.succeeded)
            checked += 1
    assert checked >= 2


def test_an_error_that_would_take_too_long_is_left_open():
    run = examine(
        concept="point", learner="noise", distribution="uniform", m=20, d=40, epsilon=1.0, alpha=0.1
    )
    assert run.failed_to_answer or (run.error is None and run.succeeded is None)


# --- Refusals and names -------------------------------------------------------------------------


def test_what_would_take_too_long_is_refused_in_one_sentence():
    base = {"concept": "point", "learner": "exponential", "epsilon": 0.5, "alpha": 0.1}
    with pytest.raises(InputError, match=r"^m must be at most 100,000 for one run"):
        examine(**base, m=200_000, d=16)
    with pytest.raises(
        InputError, match=r"^m must be at most 4 for one run on uniform .* d = 1,000,000"
    ):
        examine(**base, distribution="uniform", m=50, d=10**6)
    with pytest.raises(InputError, match=r"^m must be at most 5,000 for one run on uniform"):
        examine(**base, distribution="uniform", m=5001, d=64)
    with pytest.raises(InputError, match=r"^distribution must be hard or single for represent"):
        examine(**base | {"learner": "representation"}, distribution="uniform", m=5, d=3)
    with pytest.raises(InputError, match=r"^d must leave at most 2\^16 images"):
        examine(
            concept="pseudorandom-point", learner="exponential-proper", m=5, d=10**4,
            epsilon=1.0, alpha=0.1,
        )  # fmt: skip
    assert microscope.EXAMPLES_MOST == 100_000


def test_the_sample_has_its_points_in_the_order_of_a_user():
    law = catalog.distribution("point", "bystanders")
    sample = drawn_sample(law, m=50, d=10, alpha=0.1, seed=3)
    again = Sample.of(10, *examples(sample))
    assert again.points == sample.points
    assert again.index.tolist() == sample.index.tolist()


def test_numbers_of_any_size_have_short_names():
    assert whole(1234567, 30) == "1,234,567"
    assert whole(1 << 64, 64) == "2⁶⁴"
    assert whole((1 << 64) - 2, 64) == "2⁶⁴ − 2"
    assert whole((1 << 63) + 1, 64) == "2⁶³ + 1"
    assert whole(3 << 62, 64) == "≈0.75·2⁶⁴"
    assert whole((1 << 10**6) - 1, 10**6) == "2¹⁰⁰⁰⁰⁰⁰ − 1"
    assert span(2, 2, 4) == "2"
    assert lowered(10) == "₁₀"
    assert span(2, (1 << 63) - 1, 64) == "2 … 2⁶³ − 1"
    assert [chance(math.log(p)) for p in (1.0, 0.5, 1e-20)] == ["1", "0.500", "1.0·10⁻²⁰"]
    assert chance(-1e-20) == ">0.999"
    assert chance(-693_147.0).startswith("10⁻³⁰¹")
    assert chance(-math.inf) == "0"
    assert (small(0.25), small(1e-6), small(2.5e-7)) == ("0.25", "10⁻⁶", "2.5·10⁻⁷")


# One run taken apart, learner by learner: probabilities by brute force, noise as it was released.


# --- The probabilities, by brute force on tiny domains ------------------------------------------


def rows_of(run):
    return {
        row.name.removesuffix(" (target)"): math.exp(row.log_share) for row in choices(run)[0].rows
    }


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize(
    ("concept", "learner"),
    [
        ("point", "exponential"), ("point", "erm"), ("pseudorandom-point", "exponential-relaxed"),
        ("pseudorandom-point", "exponential-proper"), ("interval", "exponential"),
        ("interval", "erm"),
    ],
)  # fmt: skip
def test_the_probabilities_are_those_of_all_concepts_one_by_one(concept, learner, seed):
    run = examine(concept=concept, learner=learner, m=7, d=3, epsilon=1.3, alpha=0.25, seed=seed)
    x, y = examples(run.sample)
    interval = concept == "interval"
    rate = math.inf if learner == "erm" else 0.65
    numbers = range(1, 10) if interval else range(1, 9)
    if learner == "exponential-proper":
        listed = run.learner.output_distribution(run.sample, Cell(run.sample.d, 1.3, 0.25, 0.1))
        numbers = [j for j in numbers if listed[j] > 0.0]

    def mistakes(j):
        return sum((a < j if interval else a == j) != b for a, b in zip(x, y, strict=True))

    least = min(map(mistakes, numbers))
    weight = {
        j: (math.exp(-rate * mistakes(j)) if math.isfinite(rate) else float(mistakes(j) == least))
        for j in numbers
    }
    whole_weight = sum(weight.values())
    shown, seen = rows_of(run), 0.0
    for name, value in shown.items():
        if name.endswith(("unseen", "other images")):
            own = [j for j in numbers if j not in x]
        else:
            ends = [int(part) for part in name.removeprefix("j = ").split(" … ")]
            own = range(ends[0], ends[-1] + 1)
        assert value == pytest.approx(sum(weight[j] for j in own) / whole_weight, abs=1e-12)
        seen += value
    assert seen == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(1, 4))
def test_the_hash_learner_is_shown_with_the_hash_it_drew(seed):
    run = examine(
        concept="point", learner="hash", m=9, d=3, epsilon=1.0, alpha=0.4, beta=0.4, seed=seed
    )
    law = run.learner.output_distribution(
        run.sample, Cell(run.sample.d, 1.0, 0.4, 0.4), public=seed
    )
    # Weights depend on the examples of a bucket alone: the rows are sums of equal ones.
    for row in choices(run)[0].rows:
        share = math.exp(row.log_share) / int(row.members)
        assert any(share == pytest.approx(p) for p in law.values())
    assert sum(int(row.members) for row in choices(run)[0].rows) == len(law)
    drawn = next(row for row in choices(run)[0].rows if row.drawn)
    assert ("target" in drawn.name) == (run.hypothesis.predict(8) == 1)


def test_merging_rows_loses_no_probability():
    run = examine(
        concept="interval", learner="exponential", distribution="uniform", m=400, d=40,
        epsilon=0.1, alpha=0.1, seed=4,
    )  # fmt: skip
    shows = choices(run)[0]
    assert shows.rows[-1].name == "all others"
    assert len(shows.rows) < 12
    assert math.fsum(math.exp(r.log_share) for r in shows.rows) == pytest.approx(1.0)


def test_blr_is_taken_apart_on_a_tiny_domain():
    run = examine(concept="release", learner="blr", m=20, d=2, epsilon=1.0, alpha=0.3, seed=3)
    shows = choices(run)[0]
    drawn = next(row for row in shows.rows if row.drawn)
    assert drawn.best == max(row.best for row in shows.rows)
    assert drawn.score / 20 == pytest.approx(run.error)
    law = run.learner.output_distribution(run.sample, Cell(run.sample.d, 1.0, 0.3, 0.1))
    assert sum(int(row.members) for row in shows.rows[:-1]) <= len(law)


@pytest.mark.parametrize("concept", ["point", "pseudorandom-point"])
def test_no_chance_is_called_0_because_a_float_does_not_hold_it(concept):
    run = examine(
        concept=concept, learner="margin", distribution="single", m=50_000, d=8, epsilon=2.0,
        alpha=0.1, seed=1, delta=0.0,
    )  # fmt: skip
    (words,) = [step.words for step in run.steps if step.title == "The probabilities"]
    assert re.search(" 10⁻²¹[⁰¹²³⁴⁵⁶⁷⁸⁹]{3}, the answer is a uniformly", words)


# --- Histograms and noise -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["laplace", "geometric", "stability"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_the_noisy_counts_are_those_that_were_released(name, seed):
    run = examine(
        concept="release", learner=name, m=60, d=4, epsilon=0.4, alpha=0.1, delta=0.01, seed=seed
    )
    shows = run.steps[1].shows
    released = run.hypothesis.values
    for point, noisy in zip(sorted(run.sample.points), shows.noisy, strict=True):
        kept = noisy >= shows.threshold
        assert (released.get(point, 0) == noisy) if kept else (point not in released)
    others = [v for x, v in released.items() if x not in run.sample.points]
    assert shows.empties == len(others)
    assert list(shows.empty) == sorted(others, reverse=True)[:3]


@pytest.mark.parametrize("seed", range(1, deep(12, 30)))
def test_the_noise_learner_declines_when_its_first_coin_says_so(seed):
    run = examine(concept="point", learner="noise", m=50, d=6, epsilon=1.0, alpha=0.45, seed=seed)
    declined = np.random.default_rng(seed).random() < 0.45 / 8
    assert ("⊥" in run.steps[1].words) == declined
    if declined:
        assert run.failed_to_answer
    kept = [step.shows for step in run.steps if step.title.startswith("Most")]
    assert bool(kept) != declined


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_set_that_is_shown_as_drawn_is_the_hypothesis(seed):
    run = examine(
        concept="point", learner="representation", m=30, d=20, epsilon=0.2, alpha=0.2, seed=seed
    )
    shows = choices(run)[0]
    drawn = next(row for row in shows.rows if row.drawn)
    inside = [x for x in run.sample.points if run.hypothesis.predict(x)]
    held = drawn.name.removeprefix("with ").split(", not ")[0].replace(" (target)", "")
    expected = [] if drawn.name.startswith("without") else held.split(", ")
    names = {x: whole(x, 20) for x in run.sample.points}
    assert sorted(names[x] for x in inside) == sorted(expected)


@pytest.mark.parametrize("seed", range(1, 5))
def test_the_boosted_run_that_is_shown_as_drawn_is_the_hypothesis(seed):
    run = examine(
        concept="point", learner="noise-boosted", m=60_000, d=20, epsilon=0.02, alpha=0.4, seed=seed
    )
    drawn = next(row for row in choices(run)[0].rows if row.drawn)
    runs, each, selection = run.learner.split(run.m, run.epsilon, run.alpha, run.beta)
    fresh = run.sample.subset(slice(runs * each, runs * each + selection))
    x, y = examples(fresh)
    if run.failed_to_answer:
        assert drawn.score == selection
        return
    answers = {point: run.hypothesis.predict(point) for point in set(x)}
    assert drawn.score == sum(answers[a] != b for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("learner", ["noise", "noise-tuned", "noise-pseudorandom"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_concept_that_is_shown_lies_beneath_the_noise(learner, seed):
    run = examine(concept="point", learner=learner, m=40, d=9, epsilon=1.0, alpha=0.3, seed=seed)
    found = [step.words for step in run.steps if step.title == "The concept beneath"]
    if run.failed_to_answer:
        assert "⊥" in run.steps[-2].words
        return
    (words,) = found
    learned = "512 (target), is learned" in words
    assert learned != ("0 everywhere" in words)
    if learner == "noise-pseudorandom":
        assert not learned or run.hypothesis.predict(512) == 1
    else:
        assert run.hypothesis._rule(512) == learned


@pytest.mark.parametrize("seed", range(1, 5))
def test_the_threshold_that_is_shown_lies_beneath_the_noise(seed):
    run = examine(concept="interval", learner="noise", m=4, d=5, epsilon=1.0, alpha=0.3, seed=seed)
    beneath = next(s.words for s in run.steps if s.title == "The threshold beneath")
    j = int(re.search(r"c_(\d+):", beneath)[1])
    assert [run.hypothesis._rule(x) for x in range(1, 33)] == [int(x < j) for x in range(1, 33)]
