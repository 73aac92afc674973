"""FX14, Lemma B.1: the weights of the proof, and the repaired ones."""

from itertools import product


def weights(w, theta, margin, added):
    """Scale a half-space to a margin and add something to each weight."""
    return [2 * margin * v + a for v, a in zip(w, added, strict=True)], 2 * margin * theta - margin


def values(w, b):
    """W x at every point of the grid with sides 0 .. 2^b - 1."""
    grid = product(range(2**b), repeat=len(w))
    return {x: sum(p * q for p, q in zip(w, x, strict=True)) for x in grid}


def faithful(w, theta, new, new_theta, b):
    before, after = values(w, b), values(new, b)
    return all((before[x] >= theta) == (after[x] >= new_theta) for x in before)


d = 2
paper = [2**i for i in range(1, d + 1)]
empty = ([0] * d, 1)  # the half-space that labels every point 0
new, theta = weights(*empty, 2**d, paper)
print("b = 1: the same labels?", faithful(*empty, new, theta, 1))
assert not faithful(*empty, new, theta, 1)
found = list(values(new, 2).values())
print("b = 2:", len(found), "points,", len(set(found)), "values")
assert len(set(found)) < len(found)

for b, v in product((1, 2), product(range(-2, 3), repeat=3)):
    half = (list(v[:2]), v[2])
    new, theta = weights(*half, 2 ** (b * d), [2 ** (b * i) for i in range(d)])
    assert faithful(*half, new, theta, b)
    assert len(set(values(new, b).values())) == 2 ** (b * d)
print("repaired: the same labels and no collision, at b = 1 and 2")
