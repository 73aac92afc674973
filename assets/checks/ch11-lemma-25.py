"""CH11, Lemma 25: a ball of half the radius has a larger share than 2^-(n-1)."""

import numpy as np


def cap(n, angle):
    """The measure of a spherical cap in R^n, up to a factor: an integral of sin^(n-2)."""
    at = np.linspace(0, angle, 20_001)
    return np.trapezoid(np.sin(at) ** (n - 2), at)


n, r = 30, 0.4
share = cap(n, np.pi * r / 2) / cap(n, np.pi * r)
print(
    f"share {share:.3g}, the lemma's 2^-(n-1) = {2.0 ** -(n - 1):.3g}: {share * 2 ** (n - 1):.0f} times"
)
assert share > 200 * 2.0 ** -(n - 1)
# At r = 1 the points are pairwise at obtuse angles, and R^n has room for n + 1 of them.
assert all(n + 1 < 2 ** (n - 2) for n in range(5, 50))
