"""`python -m tests.benchmarks audit [runs [repeats]]`: what the audit finds in so many runs.

Each planted fault, and its correct twin, with default runs: the verdict, the least ε (or δ) beside the one
that is claimed and the one that is true, and the processor time. Then 400 audits of correct mechanisms,
of which none may be accused: pairs that are given, pairs that are searched for, and learners of classes.
Where diffprivlib is installed (`.[bench]`), a mechanism of it as well.
"""

import time

import privsc_core as pv
from privsc_core.evaluate.audit_runs import TRIALS
from tests.core.evaluate.mechanisms import PLANTED, count, histogram

CORRECT = {
    "count, pairs searched for": {"learner": count(1), "examples": [0, 1], "m": 4},
    "histogram, pairs searched for": {"learner": histogram(2), "examples": [0, 1], "m": 4},
    "points exponential": {"learner": "exponential", "concept": "point", "m": 2},
    "points permute-and-flip": {"learner": "permute-and-flip", "concept": "point", "m": 2},
}


def main(trials=TRIALS, repeats=400) -> bool:
    """Print both tables; tell whether every fault was caught and no correct mechanism accused."""
    print(f"{'planted':24}{'claimed':>9}{'true':>9}{'found':>9}{'twin':>9}{'verdicts':>20}{'s':>7}")
    caught = True
    for planted in PLANTED:
        asked = {"neighbours": planted.neighbours, "epsilon": planted.epsilon, "delta": planted.delta, "trials": trials}  # fmt: skip
        begin = time.process_time()
        found, twin = (pv.audit(x, **asked) for x in (planted.faulty, planted.correct))
        seconds = (time.process_time() - begin) / 2
        least, its = ((x.least_delta if planted.delta else x.worst) for x in (found, twin))
        verdicts = " / ".join(
            "not private" if x.private is False else "nothing" for x in (found, twin)
        )
        caught &= found.private is False and twin.private is None
        claimed = planted.delta or planted.epsilon
        print(f"{planted.name:24}{claimed:9.3g}{planted.least:9.3g}{least:9.3g}{its:9.3g}  {verdicts}{seconds:7.1f}")  # fmt: skip
    asked = [
        (planted.name, {"learner": planted.correct, "neighbours": planted.neighbours,
                        "epsilon": planted.epsilon, "delta": planted.delta})
        for planted in PLANTED
    ] + [(name, {"epsilon": 1.0} | given) for name, given in CORRECT.items()]  # fmt: skip
    if mechanism := of_diffprivlib():
        asked.append(("diffprivlib, geometric", {"learner": mechanism, "neighbours": [([0, 1], [1, 1])], "epsilon": 1.0}))  # fmt: skip
    accused = []
    for seed in range(repeats):
        name, given = asked[seed % len(asked)]
        found = pv.audit(**given, trials=trials // 20, seed=seed)
        if found.private is not None:
            accused.append(f"{name}, seed {seed}: {found.verdict}")
    print(f"{repeats} audits of {len(asked)} correct mechanisms: {len(accused)} accused")
    print(*accused, sep="\n")
    return caught and not accused


def of_diffprivlib():
    """Return how many examples are 1 by a mechanism of diffprivlib, if it is installed."""
    try:
        from diffprivlib.mechanisms import Geometric
    except ImportError:
        return None

    def count_ones(x, *, epsilon, rng):
        seed = int(rng.integers(2**32))
        return Geometric(epsilon=epsilon, sensitivity=1, random_state=seed).randomise(sum(x))

    return count_ones
