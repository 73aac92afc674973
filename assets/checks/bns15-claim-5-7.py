"""BNS15, Claim 5.7: where there is nothing to choose from, and what the smallest indices cost."""

from itertools import combinations, product
from math import exp, expm1, log, log1p

INNER = 1.0
N, M, T = 2, 1, 3

for epsilon in (0.1, 1, 20):
    people = N / epsilon * (3 + exp(2 * INNER))
    print(f"epsilon {epsilon}: t = {people:.2f}, n = {N}")
assert N / 20 * (3 + exp(2 * INNER)) < N


def answer(points, labels):
    """Randomised response: each point, and each label, is told truly with odds e^inner to 1."""
    true = exp(INNER) / (1 + exp(INNER))
    told = {}
    for said in product((0, 1), repeat=len(points) + len(labels)):
        chance = 1.0
        for one, other in zip(said, (*points, *labels), strict=True):
            chance *= true if one == other else 1 - true
        told[said] = chance
    return told


def outputs(points, labels, asked):
    """The law of the answer: n of t people at random, the labels of m of them."""
    found = {}
    chosen = list(combinations(range(T), N))
    for people in chosen:
        sets = list(combinations(people, M)) if asked == "random" else [people[:M]]
        for few in sets:
            # Entries without a label are told by their points, those with one by their labels.
            rest = [points[i] for i in people if i not in few]
            for said, chance in answer(rest, [labels[i] for i in few]).items():
                share = chance / len(chosen) / len(sets)
                found[said] = found.get(said, 0.0) + share
    return found


def loss(asked):
    """The largest log ratio over all pairs of inputs that differ in one person."""
    worst = 0.0
    people = list(product((0, 1), repeat=2))
    for rows in product(people, repeat=T):
        for i, other in product(range(T), people):
            changed = [*rows[:i], other, *rows[i + 1 :]]
            one = outputs(*zip(*rows, strict=True), asked)
            two = outputs(*zip(*changed, strict=True), asked)
            worst = max(worst, *(abs(log(one[x] / two[x])) for x in one))
    return worst


formula = log1p(N / T * expm1(INNER))
print(
    f"random set {loss('random'):.5f}, smallest indices {loss('smallest'):.5f}, formula {formula:.5f}"
)
assert loss("random") <= formula + 1e-12 < loss("smallest")
