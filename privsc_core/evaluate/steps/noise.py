"""Runs that hide a concept in independent noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from privsc_core.concepts.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.interval.learners.erm import Erm as IntervalErm
from privsc_core.concepts.interval.segments import Segments
from privsc_core.concepts.point.learners.noise import Noise, inner_outcome
from privsc_core.evaluate.naming import chance
from privsc_core.evaluate.steps.mechanisms import output_step, threshold_choice
from privsc_core.evaluate.steps.parts import Case, Choice, Step, Thinned, choice, sample_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.point.learners import NoiseBoosted
    from privsc_core.concepts.point.learners.noise import NoiseFamily
    from privsc_core.concepts.sample import Sample

__all__ = ["boosted", "interval", "keyed", "points"]


def points(case: Case) -> tuple[Step, ...]:
    """Take a learner of the noise family apart."""
    before, inner, flip = _thinned(case)
    if case.hypothesis is FAILURE:
        return *before, output_step(case)
    words = (
        f"Every value of the domain is flipped independently with probability {flip:.4g}: "
        f"{'the point' if inner else 'that nothing was found'} is hidden among the flips. The "
        "values are drawn when they are asked for."
    )
    return *before, Step("The noise", words), output_step(case)


def keyed(case: Case) -> tuple[Step, ...]:
    """Take the efficient version apart, which draws a key in place of 2^d coins."""
    before, inner, flip = _thinned(case)
    if case.hypothesis is FAILURE:
        return *before, output_step(case)
    words = (
        f"A keyed pseudorandom function that is 1 on about a share {flip:.4g} of the domain. "
        + ("Keys are drawn until it is 1 at the point." if inner else "The first key will do.")
    )
    return *before, Step("The noise", words), output_step(case)


def _thinned(case: Case) -> tuple[list[Step], int | None, float]:
    """Return the steps up to the inner concept, that concept, and the flip rate."""
    learner = cast("NoiseFamily", case.learner)
    sample, coins = case.sample, case.coins()
    rates = learner.rates(
        np.array(case.epsilon), case.alpha, case.beta, learner.tuning(sample.d, case.alpha)
    )
    fail, keep, flip = (float(rate) for rate in (rates.fail, rates.keep, rates.flip))
    found = [sample_step(case)]
    declined = coins.random() < fail
    words = f"With probability {fail:.4g} the learner declines to answer, whatever the data are. "
    found.append(
        Step("A first coin", words + ("It does now: ⊥." if declined else "Not this time."))
    )
    if declined:
        return found, None, flip
    kept = coins.random(sample.size) < keep
    j = inner_outcome(sample.subset(kept))
    words = (
        f"Every example is kept with probability {chance(float(np.log(keep)))} on its own: "
        f"{int(kept.sum()):,} of {sample.size:,} were. Whoever gave one example is most likely "
        "not looked at."
    )
    found.append(Step("Most examples are dropped", words, _kept(case, kept)))
    if j is None:
        words = "The kept examples contradict every concept: ⊥."
    elif j:
        words = f"A kept example has label 1: its point, {case.point(j)}, is learned."
    else:
        words = "No kept example has label 1: the function that is 0 everywhere."
    return [*found, Step("The concept beneath", words)], j, flip


def _kept(case: Case, kept: NDArray[np.bool_]) -> Thinned:
    sample = case.sample
    names, everything, left = [], [], []
    for label in (1, 0):
        here = sample.labels == label
        if not here.any():
            continue
        places = set(sample.index[here].tolist())
        single = f"{case.point(sample.points[min(places)])}, " if len(places) == 1 else ""
        names.append(f"{single}label {label}")
        everything.append(int(here.sum()))
        left.append(int((here & kept).sum()))
    return Thinned(tuple(names), tuple(everything), tuple(left))


def interval(case: Case) -> tuple[Step, ...]:
    """Take independent noise on a threshold apart: nothing of it is private."""
    inner = IntervalErm().run(
        case.sample, epsilon=case.epsilon, alpha=case.alpha, beta=case.beta, rng=case.coins()
    )
    found = threshold_choice(case, float("inf"), inner)
    fewest = int(Segments.of(case.sample).mistakes.min())
    flip = cast("Any", case.learner).flip(case.alpha)
    return (
        sample_step(case),
        Step("The scores", f"The fewest mistakes that a threshold makes: {fewest:,}.", found),
        Step("The threshold beneath", f"Without any privacy: {inner.description}.", found, "chance"),
        Step(
            "The noise",
            f"Every value is flipped independently with probability {flip:.4g}. For thresholds "
            "that hides nothing, see “Noise hides nothing”.",
        ),
        output_step(case, f"Out comes a hidden threshold with every value flipped with probability {flip:g}."),
    )  # fmt: skip


# --- Boosted ------------------------------------------------------------------------------------


def boosted(case: Case) -> tuple[Step, ...]:
    """Take the boosted learner apart: the same runs with the same coins."""
    learner = cast("NoiseBoosted", case.learner)
    sample, coins = case.sample, case.coins()
    runs, each, selection = learner.split(case.size, case.epsilon, case.alpha, case.beta)
    setting: dict[str, float] = {
        "epsilon": case.epsilon, "alpha": case.alpha / 8.0, "beta": case.beta,
    }  # fmt: skip
    found = [
        Noise().run(sample.subset(slice(r * each, (r + 1) * each)), **setting, rng=coins)
        for r in range(runs)
    ]
    fresh = sample.subset(slice(runs * each, runs * each + selection))
    mistakes = np.array([_mistakes(hypothesis, fresh) for hypothesis in found])
    weights = -0.5 * case.epsilon * mistakes
    best = weights + coins.gumbel(size=runs)
    pick = int(np.argmax(best))
    declined = sum(hypothesis is FAILURE for hypothesis in found)
    runs_words = (
        f"{runs} noise learners run on {each:,} examples each, at accuracy α/8, so that they flip "
        f"values with probability {case.alpha / 64:.4g}. {declined} of them returned ⊥."
    )
    shown: Choice = choice(
        name=lambda row: f"run {row + 1}" + (": ⊥" if found[row] is FAILURE else ""),
        members=lambda _: "1",
        scores=mistakes.astype(np.float64),
        log_weights=weights,
        best=best,
        drawn=pick,
        target=None,
        what="runs",
    )
    drawn = next(row for row in shown.rows if row.drawn)
    return (
        sample_step(case),
        Step("The runs", runs_words),
        Step(
            "The scores",
            f"The score of a run is the number of mistakes of what it returned, on {selection:,} "
            "fresh examples.",
            shown,
        ),
        Step(
            "The probabilities",
            "Every run gets the weight exp(−ε · mistakes / 2), divided by their sum. Exact.",
            shown, "chance",
        ),
        Step(
            "The draw",
            f"Log weight plus a random coin (Gumbel), the largest sum wins: {drawn.name}, "
            f"with probability {chance(drawn.log_share)}.",
            shown, "draw",
        ),
        output_step(case),
    )  # fmt: skip


def _mistakes(hypothesis: Hypothesis, fresh: Sample) -> int:
    if hypothesis is FAILURE:
        return fresh.size
    positive, negative = fresh.tallies()
    return sum(
        int(lost) if hypothesis.predict(x) else int(kept)
        for x, kept, lost in zip(fresh.points, positive, negative, strict=True)
    )
