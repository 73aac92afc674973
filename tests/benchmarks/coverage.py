"""`python -m tests.benchmarks coverage [settings [seeds [draws [processes]]]]`: what 95% intervals hold.

In five ranges of success so many settings each, simulated with so many seeds, 1,000 samples each time.
The truth is an exact law, sent through the simulated route; or of learners whose law is simulated,
on the distributions of their pages, the mean of 10,000,000 other draws (`draws`; 0 leaves them out).
A normal interval beside ours is planted: it must be told.
"""

import collections
import concurrent.futures
import functools
import multiprocessing

import numpy as np

from privsc_core.numerics.intervals import Draws
from tests.core.evaluate.test_coverage import RANGES, Case, held, routed, routed_case

WANTED, WORST = 0.94, 0.8
SHARE = 0.3  # of the settings at most whose truth is drawn
PART, TRUTH_SEED = 1_000_000, 987_654_321
SPAWNED = multiprocessing.get_context("spawn")
# Class, learner, distribution, d, alpha, delta; numbers of samples; values of epsilon.
POOL = (
    (("interval", "erm", "uniform", 12, 0.1, 0.0), (25, 40, 48, 58, 75), (1.0,)),
    (("interval", "erm", "cascade", 12, 0.1, 0.0), (40, 60), (1.0,)),
    (("interval", "tree", "band", 12, 0.1, 1e-6), (250, 320, 400), (0.45, 0.5, 0.55, 0.65)),
    (("interval", "exponential", "cascade", 12, 0.1, 0.0), (3, 60, 250), (0.3, 0.5, 0.8, 1.5)),
    (("point", "exponential", "bystanders", 12, 0.1, 0.0), (3, 100, 400), (0.2, 0.5, 0.7, 0.9)),
    (("halfspace", "averaging", "uniform", 12, 0.1, 0.0), (200, 400, 1500), (0.3, 0.4, 0.6)),
    (("marginals", "laplace", "chain", 6, 0.1, 0.0), (300, 900), (0.3, 0.5, 0.6, 0.9)),
)  # fmt: skip


def main(settings=200, seeds=50, draws=10_000_000, processes=1) -> bool:
    """Print the share of intervals that hold the truth; tell whether ours do, and the planted do not."""
    places = [(at, m, losses) for at, sizes, losses in POOL for m in sizes]
    with concurrent.futures.ProcessPoolExecutor(processes, SPAWNED) as pool:
        drawn = collections.defaultdict(list)
        if draws:
            for cases in pool.map(functools.partial(drawn_cases, draws=draws), places):
                for case in cases:
                    drawn[_range_of(case.truth)].append(case)
                print(f"{cases[0].learner} on {cases[0].distribution}, m = {cases[0].setting['m']}: "
                      + ", ".join(f"{case.truth:.3g}" for case in cases), flush=True)  # fmt: skip
        print(f"{'success':<20}{'settings':>10}{'drawn':>7}{'ours':>9}{'worst':>7}"
              f"{'planted':>9}{'worst':>7}", flush=True)  # fmt: skip
        ours, planted = [], []
        for low, high in RANGES:
            some = drawn[low, high][: int(SHARE * settings)]
            numbers = range(settings - len(some))
            asked = [(low, high, case) for case in (*some, *numbers)]
            counts = np.array(list(pool.map(functools.partial(one, seeds=seeds), asked))) / seeds
            mean, worst = counts.mean(axis=0), counts.min(axis=0)
            ours.append(mean[0] >= WANTED and worst[0] >= WORST)
            planted.append(mean[1] >= WANTED and worst[1] >= WORST)
            print(f"{low:>8g} to {high:<8g}{settings:>10}{len(some):>7}{mean[0]:>9.2%}{worst[0]:>7.0%}"
                  f"{mean[1]:>9.2%}{worst[1]:>7.0%}", flush=True)  # fmt: skip
    if all(planted):
        print("WRONG the planted interval was not told")
    return all(ours) and not all(planted)


def _range_of(truth):
    return next((r for r in RANGES if r[0] < truth < r[1]), None)


def one(asked, *, seeds):
    """Return how often our interval and the planted one hold the truth at one setting."""
    low, high, case = asked
    if isinstance(case, Case):
        return held(case, seeds)
    exact = routed_case(low, high, case)
    with routed():
        return held(exact, seeds)


def drawn_cases(place, *, draws):
    """Return the cases with one number of samples, their truth from independent draws."""
    (concept, learner, distribution, d, alpha, delta), m, losses = place
    at = {"m": m, "d": d, "alpha": alpha, "beta": 1e-5, "delta": delta}
    case = Case(concept, learner, distribution, at | {"epsilon": np.array(losses)}, 0.0, 0)
    parts = [
        case.asked(trials=min(PART, draws - start), seed=TRUTH_SEED, first_trial=start).drawn
        for start in range(0, draws, PART)
    ]
    truths = Draws.pooled(parts).mean()
    return [
        Case(concept, learner, distribution, at | {"epsilon": loss}, truth, 1 + 1000 * (m + 7 * k))
        for k, (loss, truth) in enumerate(zip(losses, truths.tolist(), strict=True))
    ]
