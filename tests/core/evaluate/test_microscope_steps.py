"""One run taken apart, learner by learner: probabilities by brute force, noise as it was released."""

import math
import re

import numpy as np
import pytest

from privsc_core.evaluate.microscope import examine
from privsc_core.numerics.text import whole
from tests.core.evaluate.test_microscope import choices, examples

# --- The probabilities, by brute force on tiny domains ------------------------------------------


def rows_of(run):
    return {
        row.name.removesuffix(" (target)"): math.exp(row.log_share) for row in choices(run)[0].rows
    }


@pytest.mark.parametrize("seed", range(1, 6))
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
        listed = run.learner.output_distribution(run.sample, epsilon=1.3, alpha=0.25, beta=0.1)
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


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_hash_learner_is_shown_with_the_hash_it_drew(seed):
    run = examine(
        concept="point", learner="hash", m=9, d=3, epsilon=1.0, alpha=0.4, beta=0.4, seed=seed
    )
    law = run.learner.output_distribution(run.sample, epsilon=1.0, alpha=0.4, beta=0.4, public=seed)
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
    law = run.learner.output_distribution(run.sample, epsilon=1.0, alpha=0.3, beta=0.1)
    assert sum(int(row.members) for row in shows.rows[:-1]) <= len(law)


@pytest.mark.parametrize("concept", ["point", "pseudorandom-point"])
def test_no_chance_is_called_0_because_a_float_does_not_hold_it(concept):
    run = examine(
        concept=concept, learner="margin", distribution="single", m=50_000, d=8, epsilon=2.0,
        alpha=0.1, seed=1, delta=0.0,
    )  # fmt: skip
    (words,) = [step.words for step in run.steps if step.title == "The probabilities"]
    assert re.search("remains, 10⁻²¹[⁰¹²³⁴⁵⁶⁷⁸⁹]{3}, a uniformly", words)


# --- Histograms and noise -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["laplace", "geometric", "stability"])
@pytest.mark.parametrize("seed", range(1, 6))
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


@pytest.mark.parametrize("seed", range(1, 30))
def test_the_noise_learner_declines_when_its_first_coin_says_so(seed):
    run = examine(concept="point", learner="noise", m=50, d=6, epsilon=1.0, alpha=0.45, seed=seed)
    declined = np.random.default_rng(seed).random() < 0.45 / 8
    assert ("⊥" in run.steps[1].words) == declined
    if declined:
        assert run.failed_to_answer
    kept = [step.shows for step in run.steps if step.title.startswith("Most")]
    assert bool(kept) != declined


@pytest.mark.parametrize("seed", range(1, 13))
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


@pytest.mark.parametrize("seed", range(1, 9))
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
@pytest.mark.parametrize("seed", range(1, 13))
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


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_threshold_that_is_shown_lies_beneath_the_noise(seed):
    run = examine(concept="interval", learner="noise", m=4, d=5, epsilon=1.0, alpha=0.3, seed=seed)
    beneath = next(s.words for s in run.steps if s.title == "The threshold beneath")
    j = int(re.search(r"c_(\d+):", beneath)[1])
    assert [run.hypothesis._rule(x) for x in range(1, 33)] == [int(x < j) for x in range(1, 33)]
