"""BBKN13, Lemma 4.4: how much of the sample has to be dropped."""

from itertools import product
from math import exp, log


def paper(epsilon, star):
    """The share that the lemma keeps."""
    return (exp(epsilon) - 1) / (exp(star) + exp(epsilon) - exp(epsilon - star) - 1)


def enough(epsilon, star):
    """The share that may be kept."""
    return (exp(epsilon) - 1) / (exp(star) - 1)


def loss(keep, star, steps=80):
    """The largest log ratio over all that an epsilon*-private algorithm may do.

    It answers with probability 1 (in some unit) when the example is dropped, and with u and v when
    the one or the other is kept: any two of the three are within a factor of e^star.
    """
    factors = [exp(star * (2 * i / steps - 1)) for i in range(steps + 1)]
    allowed = [(u, v) for u, v in product(factors, repeat=2) if u <= v * exp(star) * (1 + 1e-12)]
    return max(log((keep * u + 1 - keep) / (keep * v + 1 - keep)) for u, v in allowed)


star = log(4)
print("kept at epsilon = ln 4: paper", paper(star, star), "enough", enough(star, star))
assert abs(paper(star, star) - 0.5) < 1e-12
assert abs(enough(star, star) - 1) < 1e-12
for epsilon in (0.1, 0.5, 1.0, star):
    keep = enough(epsilon, star)
    print(f"epsilon {epsilon:.3f}: keep {keep:.4f} (paper {paper(epsilon, star):.4f}),",
          f"loss {loss(keep, star):.4f}")  # fmt: skip
    assert keep > paper(epsilon, star)
    assert loss(keep, star) <= epsilon + 1e-9
    assert loss(min(1, 1.05 * keep), star) > epsilon or keep == 1
