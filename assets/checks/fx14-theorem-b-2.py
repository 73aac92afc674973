"""FX14, Theorem B.2: the Littlestone dimension of half-spaces over the square {0, 1}^2."""

from functools import cache
from itertools import product

points = list(product((0, 1), repeat=2))
halfspaces = frozenset(
    tuple(a * x + b * y >= c for x, y in points) for a, b, c in product(range(-3, 4), repeat=3)
)


@cache
def dimension(concepts):
    """The depth of the largest complete mistake tree; -1 for none."""
    if not concepts:
        return -1
    best = 0
    for point in range(len(points)):
        yes = frozenset(c for c in concepts if c[point])
        both = (
            min(dimension(yes), dimension(concepts - yes)) if 0 < len(yes) < len(concepts) else -1
        )
        best = max(best, 1 + both)
    return best


print(f"{len(halfspaces)} half-spaces, Littlestone dimension {dimension(halfspaces)}")
assert len(halfspaces) == 14
assert dimension(halfspaces) == 3 > (2 * 1 / 2 + 1) * 1
