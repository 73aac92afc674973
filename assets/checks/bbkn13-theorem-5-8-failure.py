"""BBKN13, Theorem 5.8: how often the reconstruction fails, by the walk of one side."""

from math import isclose


def stays_positive(mu, steps=400):
    """The probability that a walk, +1 with probability 1 - mu and -1 otherwise, stays positive."""
    at = {0: 1.0}
    for _ in range(steps):
        after = {}
        for height, chance in at.items():
            for step, weight in ((1, 1 - mu), (-1, mu)):
                if height + step > 0:
                    after[height + step] = after.get(height + step, 0.0) + chance * weight
        at = after
    return sum(at.values())


for mu in (0.01, 0.02, 0.05, 0.09):
    fails = 1 - stays_positive(mu) ** 2
    print(f"mu {mu}: fails with {fails:.6f}, 1 - (1 - 2 mu)^2 = {1 - (1 - 2 * mu) ** 2:.6f},",
          f"the paper allows {8 * mu:.2f}")  # fmt: skip
    assert isclose(fails, 1 - (1 - 2 * mu) ** 2, rel_tol=1e-9)
    assert fails < 4 * mu
