"""FX14, Claim 6.3: how many integers lie in the two intervals of bad log t, and what that costs."""

from math import ceil, floor, log, log2


def integers(low, high):
    """Count the whole numbers strictly between two numbers."""
    return ceil(high) - floor(low) - 1


def most(below, above):
    """The most integers in (s - below, s + above), over where s may be."""
    return max(integers(s / 1000 - below, s / 1000 + above) for s in range(1000))


first, second = most(log2(3), log2(log(6))), most(log2(6), log2(2 * log(6)))
print(f"up to {first} and {second} bad values")
assert (first, second) == (3, 5)

# Theorem 6.1 at alpha = beta = 0.1, epsilon = 0.5, delta = 1e-6 (our letters): k runs at a quarter,
# of so many blocks, the largest of 2^i examples. It has 6/(1/4) values of i above u, or 16/(1/4).
alpha, beta, epsilon, delta, fails = 0.1, 0.1, 0.5, 1e-6, 0.25
runs = ceil(log(2 / beta) / log(4 / 3))
blocks = ceil(max(12 / epsilon * log(2 / (delta * fails)) + 13, 72 * log(16)))
u = log2(log(3 / 2) / (alpha / 4))
printed, corrected = (runs * blocks * 2 ** floor(u + each / fails) for each in (6, 16))
print(
    f"{runs} runs of {blocks} blocks: {printed:.2e} examples as printed, {corrected:.2e} corrected"
)
assert (runs, blocks, floor(u + 24), floor(u + 64)) == (11, 395, 28, 68)
assert (f"{printed:.1e}", f"{corrected:.1e}") == ("1.2e+12", "1.3e+24")
