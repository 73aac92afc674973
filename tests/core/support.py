"""What the core's tests share: the catalog as parameters, and slow, independent arithmetic.

Nothing here calls a law, a bound or a profile of the core: targets and distributions are written
out again from their definitions, in fractions, with a mass "just above alpha" as a pair
(value, slope).
"""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import functools
import itertools
import math
import sys
from fractions import Fraction
from hashlib import shake_256

import numpy as np
import pytest

from privsc_core.catalog import CONCEPTS, concept
from privsc_core.concepts import laws
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.hypotheses import FAILURE, LabelFunction
from privsc_core.concepts.interval import distributions as intervals
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.point import distributions as points
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.pseudorandom import distributions as images
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError

POINT, INTERVAL = concept("point"), concept("interval")
LEARNERS = [pytest.param(c, a, id=f"{c.name}-{a.name}") for c in CONCEPTS for a in c.learners]
PRIVATE = [p for p in LEARNERS if p.values[1].privacy == "pure"]
BOUNDS = [pytest.param(c, b, id=f"{c.name}-{b.name}") for c in CONCEPTS for b in c.bounds]
DISTRIBUTIONS = [
    pytest.param(c, x, id=f"{c.name}-{x.name}") for c in CONCEPTS for x in c.distributions
]
# Data release has no target concept, no labels and no error of a hypothesis: these need them.
LABELLED = [p for p in LEARNERS if p.values[1].labelled]
TARGETED = [p for p in DISTRIBUTIONS if p.values[0].name != "release"]
DATABASES = [p for p in DISTRIBUTIONS if p.values[0].name == "release"]
CLASS_LAWS = [
    pytest.param(c, a, x, id=f"{c.name}-{a.name}-{x.name}")
    for c in CONCEPTS
    for a in c.learners
    for x in c.distributions
    if x.name in a.laws
]
LAWS = [pytest.param(*p.values[1:], id=p.id) for p in CLASS_LAWS]


def setting(m, d, epsilon, alpha, beta, *, trials=1000, seed=1):
    """Build a setting from numbers or arrays."""
    return Setting(
        m=np.asarray(m, dtype=np.int64),
        d=np.asarray(d, dtype=np.int64),
        epsilon=np.asarray(epsilon, dtype=np.float64),
        alpha=alpha,
        beta=beta,
        trials=trials,
        seed=seed,
    )


def law(learner, distribution, m, d, epsilon, alpha, beta, **more):
    """Return one success probability, as computed by the core."""
    return float(learner.success(distribution, setting(m, d, epsilon, alpha, beta, **more)).value)


def exists(distribution, d, alpha):
    """Tell whether a distribution exists at this setting."""
    try:
        distribution.check(d=d, alpha=alpha)
    except InputError:
        return False
    return True


def fitting(distribution, alpha, *, instead=0.2):
    """Return alpha, or another one where the distribution does not exist at any d."""
    return alpha if exists(distribution, 40, alpha) else instead


def decimal(value):
    """Return the number that was typed."""
    return Fraction(str(value))


# --- Targets and distributions, written out again ----------------------------------------------


# What the target of a distribution is; of a type the nearest ancestor counts. A class that uses
# another one's distribution has its targets.
TARGETS = {
    points.PointDistribution: "point",
    images.Hard: "image",
    images.Single: "image",
    intervals.IntervalDistribution: "threshold",
}


def kind_of_target(distribution):
    """Return what the target of a distribution is: a point, an image or a threshold."""
    return next(TARGETS[kind] for kind in type(distribution).__mro__ if kind in TARGETS)


def truth(distribution, d):
    """Return the target concept: c_T for points, an image of theirs, c_{T/2} for intervals."""
    if kind_of_target(distribution) == "threshold":
        return lambda x: int(x < 2**d // 2)
    target = target_point(distribution, d)
    return lambda x: int(x == target)


def seed_bits(d):
    """Return the length of seeds of the plain class: the square root of d, below d."""
    return min(math.isqrt(d - 1) + 1, d - 1)


def entries_of(database, m, d, alpha):
    """Return {point: how often} of a database for data release: ceil(3 alpha m) rare entries."""
    if database.name == "single":
        return {2**d: m}
    rare = math.ceil(3 * decimal(alpha) * m)
    return {point: n for point, n in ((2**d, rare), (1, m - rare)) if n}


@functools.cache
def generated(seed, length, d):
    """Return the first d bits of SHAKE-256, by text, as a point."""
    text = b"privsc %d " % length + seed.to_bytes((length + 7) // 8, "big")
    bits = "".join(f"{byte:08b}" for byte in shake_256(text).digest((d + 7) // 8))
    return 1 + int(bits[:d], 2)


def target_point(distribution, d):
    """Return the point that the target labels 1."""
    if kind_of_target(distribution) == "point":
        return 2**d
    length = seed_bits(d)
    return next(g for s in range(2**length) if (g := generated(s, length, d)) != 1)


def is_concept(name, row):
    """Tell whether a row of labels is a concept of the class."""
    if name == "interval":
        return list(row) == sorted(row, reverse=True)
    if sum(row) != 1:
        return False
    d = len(row).bit_length() - 1
    length = seed_bits(d)
    images = {generated(s, length, d) for s in range(2**length)}
    return name == "point" or row.index(1) + 1 in images


def critical(distribution, d):
    """Return the points at which a hypothesis that is nearly the target may err."""
    size = 2**d
    if kind_of_target(distribution) == "threshold":
        return [size // 2 - 1, size // 2]
    return [target_point(distribution, d)]


def masses(distribution, d, alpha):
    """Return {point: (mass, slope)}: the mass is value + slope * (something infinitesimal)."""
    if kind_of_target(distribution) == "threshold":
        return interval_masses(distribution, 2**d, decimal(alpha))
    if distribution.name == "uniform":
        return flat(1, 2**d)
    return point_masses(distribution, target_point(distribution, d), decimal(alpha))


def point_masses(distribution, target, a):
    if distribution.name == "single":
        return {target: (Fraction(1), Fraction(0))}
    count = getattr(distribution, "s", 1)
    crowd = {x: ((1 - a) / count, Fraction(-1, count)) for x in range(1, count + 1)}
    return crowd | {target: (a, Fraction(1))}


def interval_masses(distribution, size, a):
    j = size // 2
    if distribution.name == "hard":
        # More than a on either side of the step, so less than 1 - 2a on point 1 (never below 0).
        above, rest = (a, Fraction(1)), 1 - 2 * a
        return {1: (rest, Fraction(-2 if rest else 0)), j - 1: above, j: above}
    everywhere = flat(1, size)
    if distribution.name == "uniform":
        return everywhere
    w, lam = distribution.w, decimal(distribution.lam)
    first = j - math.ceil(w / 2)
    inside = flat(first, first + w - 1)
    nothing = (Fraction(0), Fraction(0))
    return {
        x: (lam * inside.get(x, nothing)[0] + (1 - lam) * mass, Fraction(0))
        for x, (mass, _) in everywhere.items()
    }


def flat(first, last):
    """Return the uniform distribution on the points from first to last."""
    return {x: (Fraction(1, last - first + 1), Fraction(0)) for x in range(first, last + 1)}


def members(distribution):
    """Return the distribution, and of a family also small members: they fit into tiny domains."""
    small = {
        "bystanders": [(1,), (2,), (3,), (7,), (15,)],
        "band": [(1,), (2, 0.9), (3, 0), (5, 0.25), (6, 1), (14, 0.75)],
    }
    return [distribution, *(distribution.resized(*v) for v in small.get(distribution.name, []))]


def accurate(distribution, predict, d, alpha):
    """Tell whether a hypothesis (a function of the point) has error at most alpha."""
    c = truth(distribution, d)
    wrong = [mass for x, mass in masses(distribution, d, alpha).items() if predict(x) != c(x)]
    error = (sum(v for v, _ in wrong), sum(s for _, s in wrong))
    return error <= (decimal(alpha), 0)


def samples(distribution, m, d, alpha):
    """Yield (probability, sample) over all ordered samples."""
    c = truth(distribution, d)
    support = [(x, float(v)) for x, (v, _) in masses(distribution, d, alpha).items() if v]
    for drawn in itertools.product(support, repeat=m):
        points = [x for x, _ in drawn]
        chance = math.prod(p for _, p in drawn)
        yield chance, Sample.of(d, points, [c(x) for x in points])


def as_hypothesis(output, distribution):
    """Read an enumerated output: None is ⊥, a tuple lists labels, a whole number is a concept."""
    if output is None:
        return FAILURE
    if isinstance(output, tuple):
        return LabelFunction(lambda x: output[x - 1], "a row of labels")
    return Threshold(output) if kind_of_target(distribution) == "threshold" else Point(output)


def enumerated_success(learner, distribution, m, d, epsilon, alpha, beta, *, public=0, read=None):
    """Sum over samples and outputs: probability that the output is accurate."""
    read = read or as_hypothesis
    known = {}
    total = []
    for chance, sample in samples(distribution, m, d, alpha):
        outputs = learner.output_distribution(
            sample, epsilon=epsilon, alpha=alpha, beta=beta, public=public
        )
        for output, share in outputs.items():
            if output not in known:
                h = read(output, distribution)
                known[output] = h is not FAILURE and accurate(distribution, h.predict, d, alpha)
            if known[output]:
                total.append(chance * share)
    return math.fsum(total)


# --- Simulation --------------------------------------------------------------------------------


def fitted(learner, distribution):
    """Return the learner as it must be run to be compared with its law on a distribution."""
    if hasattr(learner, "tuned_for"):
        return type(learner)(tuned_for=distribution)
    return learner


def runs(learner, distribution, m, d, epsilon, alpha, beta, *, trials, seed=1):
    """Run the learner on fresh samples and return the 0/1 successes."""
    rng = np.random.default_rng(seed)
    ready = fitted(learner, distribution)
    hits = np.empty(trials)
    for trial in range(trials):
        sample = distribution.draw(m=m, d=d, alpha=alpha, rng=rng)
        h = ready.run(sample, epsilon=epsilon, alpha=alpha, beta=beta, rng=rng)
        hits[trial] = distribution.succeeds(h, d=d, alpha=alpha)
    return hits


def conditionals(learner, distribution, cell, monkeypatch, *, trials, seed=1):
    """Evaluate a Rao-Blackwellised law and catch the probabilities that it averages."""
    original, caught = laws.rao_blackwell, []
    callers = [
        module
        for name, module in sys.modules.items()
        if name.startswith("privsc_core.") and vars(module).get("rao_blackwell") is original
    ]

    def spying(at, draw, conditional):
        def spy(*statistics):
            given = conditional(*statistics)
            caught.append(given)
            return given

        return original(at, draw, spy)

    with monkeypatch.context() as patch:
        for module in callers:
            patch.setattr(module, "rao_blackwell", spying)
        estimate = learner.success(distribution, setting(*cell, trials=trials, seed=seed))
    # A cell on which every concept succeeds is exact: nothing is averaged.
    assert bool(caught) == (estimate.method == "rao-blackwell")
    values = np.concatenate(caught) if caught else np.ones(1)
    assert values.max() <= 1 + 1e-12
    return estimate, np.minimum(values, 1.0)


def useful_m(learner, distribution, d, epsilon, alpha, beta, *, most=1 << 17):
    """Return the least power of two that reaches 85% of what `most` samples reach."""
    sizes = [1 << k for k in range(most.bit_length())]
    reached = [law(learner, distribution, m, d, epsilon, alpha, beta, trials=200) for m in sizes]
    return next(m for m, v in zip(sizes, reached, strict=True) if v >= 0.85 * max(reached))
