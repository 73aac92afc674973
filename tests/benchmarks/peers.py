"""What a user would write without privsc: scipy, numpy by hand, diffprivlib, OpenDP."""

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

Pick = Callable[[np.ndarray, np.ndarray, int, float, np.random.Generator], int]


# --- The exact law -----------------------------------------------------------------------------


def log_lump(d):
    """Return log(2^d - 2)."""
    return d * math.log(2) + np.log1p(-(2.0 ** (1.0 - d)))


def _shares(counts, m, lump, epsilon):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(lump - epsilon * counts / 2) + np.exp(-epsilon * m / 2))


def scipy_per_m(m, d, epsilon, alpha):
    """Return a diagram with one call of binom.pmf per sample size."""
    columns = np.broadcast_shapes(d.shape, epsilon.shape)[-1]
    out, lump = np.empty((m.size, columns)), log_lump(d)
    for row, size in enumerate(m.ravel().tolist()):
        counts = np.arange(size + 1)
        out[row] = binom.pmf(counts, size, alpha) @ _shares(counts[:, None], size, lump, epsilon)
    return out


def scipy_per_cell(m, d, epsilon, alpha):
    """Return a diagram with one call of binom.pmf per cell."""
    shape = np.broadcast_shapes(m.shape, d.shape, epsilon.shape)
    out = np.empty(shape)
    cells = (np.broadcast_to(a, shape) for a in (m, log_lump(d), epsilon))
    for index, (size, lump, eps) in enumerate(
        zip(*(c.ravel().tolist() for c in cells), strict=True)
    ):
        counts = np.arange(size + 1)
        out.flat[index] = binom.pmf(counts, size, alpha) @ _shares(counts, size, lump, eps)
    return out


class Limit:
    """One exp-and-reciprocal pass over a 60 x 312 table and one product: the least to be done.

    `block` columns of the product at a time; with all 60 the BLAS library starts threads, which
    on a busy machine can take a hundred times as long.
    """

    def __init__(self, rows: int = 60, counts: int = 312, columns: int = 60, block: int = 13):
        rng = np.random.default_rng(1)
        self.weights, self.logs = rng.random((rows, counts)), rng.normal(size=(counts, columns))
        self.table, self.out, self.block = (
            np.empty((counts, columns)),
            np.empty((rows, columns)),
            block,
        )

    def __call__(self) -> None:
        np.exp(self.logs, out=self.table)
        self.table += 1.0
        np.reciprocal(self.table, out=self.table)
        for start in range(0, self.table.shape[1], self.block):
            here = slice(start, start + self.block)
            self.out[:, here] = self.weights @ self.table[:, here]


# --- One run on one given sample ---------------------------------------------------------------


def _grouped(x, y):
    points, where = np.unique(x, return_inverse=True)
    return points, np.bincount(where, weights=2.0 * y - 1.0)


def _unseen(points, d, rng):
    seen = set(points.tolist())
    while True:
        j = int(rng.integers(1, (1 << d) + 1))
        if j not in seen:
            return j


def numpy_grouped(x, y, d, epsilon, rng):
    """Lemma 3.4 by hand: distinct points and one lump, in log space."""
    points, net = _grouped(x, y)
    logs = np.append(net * (epsilon / 2), math.log(max((1 << d) - points.size, 1e-300)))
    pick = int(np.argmax(logs + rng.gumbel(size=logs.size)))
    return int(points[pick]) if pick < points.size else _unseen(points, d, rng)


def numpy_dense(x, y, d, epsilon, rng):
    """Gumbel-max over all 2^d points."""
    net = np.bincount(x - 1, weights=2.0 * y - 1.0, minlength=1 << d)
    return 1 + int(np.argmax(net * (epsilon / 2) + rng.gumbel(size=net.size)))


def diffprivlib_peers() -> tuple[Pick, Pick] | None:
    """Return diffprivlib's mechanism over distinct points and a lump, and over 2^d utilities."""
    try:
        from diffprivlib.mechanisms import Exponential
    except ImportError:
        return None

    def grouped(x, y, d, epsilon, rng):
        points, net = _grouped(x, y)
        unseen = (1 << d) - points.size
        mechanism = Exponential(
            epsilon=epsilon, sensitivity=1.0, utility=[*net.tolist(), 0.0],
            measure=[1.0] * points.size + [float(unseen)],
        )  # fmt: skip
        pick = mechanism.randomise()
        return int(points[pick]) if pick < points.size else _unseen(points, d, rng)

    def dense(x, y, d, epsilon, rng):
        net = np.bincount(x - 1, weights=2.0 * y - 1.0, minlength=1 << d)
        mechanism = Exponential(epsilon=epsilon, sensitivity=1.0, utility=net.tolist())
        return 1 + int(mechanism.randomise())

    return grouped, dense


def opendp_peer() -> Pick | None:
    """Return OpenDP's noisy max in its Gumbel form, which is the exponential mechanism."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    measure = dp.zero_concentrated_divergence()

    def dense(x, y, d, epsilon, rng):
        net = np.bincount(x - 1, weights=2.0 * y - 1.0, minlength=1 << d).astype(np.int64)
        mechanism = dp.m.make_noisy_max(*space, measure, scale=2 / epsilon)
        return 1 + int(mechanism(net.tolist()))

    return dense
