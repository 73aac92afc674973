"""FX14, Section 4.1: four points of the 3 by 3 grid that boxes label in every way."""

from itertools import product

side = range(1, 4)
points = [(1, 2), (3, 2), (2, 1), (2, 3)]
labelled = {
    tuple(a <= x <= b and c <= y <= e for x, y in points) for a, b, c, e in product(side, repeat=4)
}
print(f"{len(labelled)} of {2 ** len(points)} labellings")
assert len(labelled) == 2 ** len(points)
