"""Half-spaces, written a second time: masses clockwise from the target's boundary."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import itertools
import math

import mpmath as mp
import numpy as np
from scipy.stats import binom

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.halfspace.hypotheses import log_cap
from privsc_core.concepts.shared.sample import Sample
from tests.classes.known import Known
from tests.classes.threshold import ThresholdGames
from tests.core.references import exact

# --- The success of the circle's learners on one or two examples --------------------------------


def by_order(learner, distribution, m, d, epsilon, alpha, beta):
    """Sum over the zones of all examples, and over what the learner puts out on their order."""
    del distribution, d
    bits = 6
    half = 2 ** (bits - 1)  # points of half a turn: as many places for the boundary
    zones = ((0, alpha), (half // 2, 1 - 2 * alpha), (half - m, alpha))
    total = 0.0
    for drawn in itertools.product(zones, repeat=m):
        # A point whose label changes behind the angle u: at a quarter turn from there.
        places = [start + i + 1 for i, (start, _) in enumerate(drawn)]
        points = [half // 2 + u for u in places]
        # The target's normal is at 0, so that points from a quarter to three quarters have label 0.
        sample = Sample.of(bits, points, [0] * m)
        shares = learner.output_distribution(sample, Cell(sample.d, epsilon, alpha, beta))
        # A tiny domain of 2^bits points has borders behind every second unit, 4u - 2 among them.
        for cell, share in shares.items():
            near = min(cell - 1, 2 * half - cell + 1)
            total += math.prod(mass for _, mass in drawn) * share * (near < 2 * m)
    return total


def share_of(distribution):
    if distribution.name == "circle":
        return 1.0
    if distribution.name == "band-in":
        return 2 * math.asin(distribution.gamma) / math.pi
    return 2 * math.acos(distribution.margin) / math.pi


def by_quadrature(learner, distribution, m, d, epsilon, alpha, beta):
    """Integrate over where one or two points lie; mistakes are counted afresh on a line of angles."""
    del learner, d, beta
    part, q = share_of(distribution), math.exp(-epsilon / 2)

    def angle(u):
        return np.where(u <= 0.5, part * u, 1 - part * (1 - u))

    nodes, weights = np.polynomial.legendre.leggauss(40)
    cuts = [0, alpha, 0.5, 1 - alpha, 1]
    u = np.concatenate([(a + b) / 2 + nodes * (b - a) / 2 for a, b in itertools.pairwise(cuts)])
    w = np.concatenate([weights * (b - a) / 2 for a, b in itertools.pairwise(cuts)])
    points = np.meshgrid(*[angle(u)] * m, indexing="ij")
    chance = math.prod(np.meshgrid(*[w] * m, indexing="ij"))
    edge = part * alpha
    # Normals from -1 to 1 half turn; a point errs between its border and the opposite one.
    fixed = [np.full_like(points[0], x) for x in (-1, -edge, 0, edge, 1)]
    ends = np.sort(np.stack([*fixed, *points, *(x - 1 for x in points)]), axis=0)
    middle, length = (ends[1:] + ends[:-1]) / 2, np.diff(ends, axis=0)
    wrong = sum((middle > x) | (middle < x - 1) for x in points)
    # Between -1 and x - 1 it errs, between x - 1 and x it does not.
    weight = length * q**wrong
    good = (weight * (abs(middle) < edge)).sum(axis=0) / weight.sum(axis=0)
    return float((chance * good).sum())


# --- Inequalities of bounds ----------------------------------------------------------------------


def cap(n, angle):
    """Return log of the share, by quadrature of sin^(n-2) in fifty digits."""
    whole = mp.beta(mp.mpf(n - 1) / 2, mp.mpf(1) / 2)
    angle = mp.mpf(angle)
    if angle > mp.pi / 2:
        return mp.log(1 - mp.exp(cap(n, mp.pi - angle)))
    part = mp.betainc(mp.mpf(n - 1) / 2, mp.mpf(1) / 2, 0, mp.sin(angle) ** 2)
    return mp.log(part / whole / 2)


def avoided(m, share, epsilon, beta):
    """Return E_beta in floats, with the whole binomial."""
    k = np.arange(m + 1)
    kept = np.minimum(binom.pmf(k, m, share), np.maximum(binom.cdf(k, m, share) - beta, 0))
    return np.exp(-epsilon * k) @ kept


def packing(m, d, epsilon, alpha, beta):
    """Tell that no r of another grid excludes m."""
    small = float(cap(d, 2 * exact(alpha) * mp.pi))
    for r in [*np.geomspace(2 * alpha, 0.5, 718)[1:], 1.0] if alpha < 0.25 else [1.0]:
        log_count = (log_cap(d, r * math.pi) if r < 1 else 0.0) - small
        rivals = math.ceil(math.exp(log_count) - 1e-9) - 1 if log_count < 36 else None
        log_rivals = log_count if rivals is None else math.log(rivals) if rivals else -math.inf
        if log_rivals == -math.inf:
            continue
        if 2 * r >= 1:
            allowed = epsilon * m - log_rivals >= math.log((1 - beta) / beta) - 1e-9
        else:
            value = avoided(m, 2 * r, epsilon, beta)
            allowed = value == 0 or log_rivals + math.log(value) <= math.log(beta) + 1e-9
        if not allowed:
            return False
    return True


def density(m, d, epsilon, alpha, beta):
    """The integral on another grid, in the tangents' place of powers: the best of some alpha'."""
    return failure(m, d, epsilon, alpha, 1.6, 2.4) <= beta * 1.001


def failure(m, n, epsilon, alpha, *_):
    t, back = -math.expm1(-epsilon / 2), math.expm1(epsilon / 2)
    x, w = np.polynomial.legendre.leggauss(56)
    x, w = (x + 1) / 2, w / 2
    if n == 2:
        turns, spins = np.array([0.0, math.pi]), np.array([0.5, 0.5])
    else:
        turns = math.pi * x
        spins = w * np.exp((n - 3) * np.log(np.sin(turns)))
        spins = spins / spins.sum()
    a = math.pi * (alpha + (1 - alpha) * x**4)
    log_a = np.log(4 * math.pi * (1 - alpha) * w * x**3) + (n - 2) * np.log(np.sin(a))
    log_whole = float(mp.log(mp.beta(mp.mpf(n - 1) / 2, mp.mpf(1) / 2)))
    best = math.inf
    for near in np.minimum(np.geomspace(0.04, 6, 44) * (n - 0.4) / (m * t), 0.98 * alpha):
        g = math.pi * near * x ** (1 / (n - 1))
        share = w * np.exp((n - 2) * (np.log(np.sin(g)) - np.log(g)))
        share = share / share.sum()
        s, o, f = a[:, None, None], g[None, :, None], turns[None, None, :]
        cosine = np.cos(s) * np.cos(o) + np.sin(s) * np.sin(o) * np.cos(f)
        apart, more = np.arccos(np.clip(cosine, -1, 1)) / math.pi, (s - o) / math.pi
        base = np.log1p(-(apart + more) / 2 * t + (apart - more) / 2 * back)
        logs = (log_a - log_whole - float(cap(n, math.pi * near)))[:, None, None] + m * base
        best = min(best, float((np.exp(logs) * share[None, :, None] * spins).sum()))
    return best


def simple(m, d, epsilon, alpha, beta):
    t, back = -math.expm1(-epsilon / 2), math.expm1(epsilon / 2)
    tried = np.geomspace(1e-5, 0.9999, 1500) * min(alpha, alpha * t / back)
    # The best of a grid: another one may find a hair less.
    return any(
        m * math.log1p(-alpha * t + x * back) - log_cap(d, math.pi * x) <= math.log(beta) + 1e-9
        for x in tried.tolist()
    )


class HalfspaceGames(ThresholdGames):
    """The pair; the other lower bounds pack more targets than a game that can be solved has.

    The promises for the density learner are about spheres on which nobody can run it.
    """

    name = "halfspace"
    unplayed = frozenset({
        "packing", "packing-circle", "theorem-12", "density", "density-simple",
    })  # fmt: skip


def by_labels(learner):
    return learner.privacy in {"pure", "label"}


def is_half(row):
    """Tell whether half of a circle of points has label 1, all of it in one piece."""
    changes = sum(a != b for a, b in zip(row, row[1:] + row[:1], strict=True))
    return sum(row) == len(row) / 2 and changes == 2


KNOWN = Known(
    alpha_most=0.4999,
    is_concept=is_half,
    continuum=frozenset({"uniform", "circle", "sphere", "band-in", "band-out"}),
    own_grid=frozenset({"uniform", "circle", "sphere", "band-in", "band-out"}),
    enumerators={"erm": by_order, "arcs": by_order, "density": by_quadrature},
    holds={"packing": packing, "density": density, "density-simple": simple},
    binds={
        "pair": by_labels, "packing": by_labels, "packing-circle": by_labels, "theorem-12": by_labels,
    },
    searched={"packing": 0.005, "density": 0.005, "density-simple": 0.005},
    without_limit=frozenset({"packing", "packing-circle", "density", "density-simple"}),
    thinned={"packing": 5, "packing-circle": 5, "density": 10, "density-simple": 5},
    slow={"averaging": 5, "mean": 10, "density": 5, "net": 20},
    weaker={("theorem-12", "packing"): lambda d, *_: d < 0, ("density", "density-simple"): lambda d, *_: d < 0},
    referee=HalfspaceGames(),
    cards=(("erm", "density"), ("packing-circle",)),
    whom={"packing-circle": "even if only the labels are private"},
    defaults={
        "d": 3, "learners": ("erm", "arcs", "density", "averaging"), "dist": "circle", "map": "arcs",
        "gamma": 0.1, "margin": 0.1, "who": "density", "nwho": "density", "hides": "density",
        "cdraw": 1, "around": 30, "up": 20, "sdraw": 1,
    },
    now={
        "learners": ("averaging", "mean"), "dist": "uniform", "map": "averaging", "who": "averaging", "nwho": "averaging",
    },
    rich="open=circle.sphere.dimensions.microscope.neighbours.recipe",
    moving="averaging",
    moves_on="uniform",
)  # fmt: skip
