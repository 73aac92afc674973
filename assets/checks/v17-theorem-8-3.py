"""V17, Theorem 8.3: thresholds have VC dimension 1 and number 2^d + 1."""

from itertools import combinations
from math import log, log2

d = 3
points = range(1, 2**d + 1)
thresholds = {tuple(x < j for x in points) for j in range(1, 2**d + 2)}


def shattered(some):
    """Whether some points are labelled in every way."""
    return len({tuple(c[x - 1] for x in some) for c in thresholds}) == 2 ** len(some)


assert any(shattered(some) for some in combinations(points, 1))
assert not any(shattered(some) for some in combinations(points, 2))
count = len(thresholds)
print(f"d = {d}: {count} thresholds, log2 {log2(count):.4f}, natural log {log(count):.4f}")
assert log2(count) > d > log(count)
