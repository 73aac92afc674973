"""FX14, Claim 6.3: how many integers lie in the two intervals of bad log t."""

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
