"""BNS15, Theorem 5.6: what its last line says, for the n of the proof."""

from math import exp, log

alpha, beta, epsilon = 1 / 9, 0.1, 0.5
n = 100 / alpha**2 * log(1 / (alpha * beta))


def labels(delta):
    """The least m that the last line allows."""
    share = exp(-2 * epsilon) * (1 - 25 * beta / 9) / (9 * alpha * n)
    return n * (share - delta * (1 + exp(-epsilon)))


for delta in (0, 1e-6, 1e-5, 1e-4):
    print(f"delta {delta}: m >= {labels(delta):.3f}")
assert labels(1e-4) < 0 < labels(0) < exp(-2 * epsilon) / (9 * alpha)
