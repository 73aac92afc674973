"""What the core's tests share: the catalog as parameters, and slow, independent arithmetic.

Nothing here calls a law, a bound or a profile of the core: targets and distributions are written
out again from their definitions, in fractions, with a mass "just above alpha" as a pair
(value, slope).
"""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import contextlib
import itertools
import math
import sys
from fractions import Fraction

import numpy as np
import pytest

from privsc_core.catalog import CONCEPTS, concept
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.shared import laws
from privsc_core.concepts.shared.hypotheses import FAILURE, LabelFunction
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from tests.classes import target_of

POINT, INTERVAL = concept("point"), concept("interval")
LEARNERS = [pytest.param(c, a, id=f"{c.name}-{a.name}") for c in CONCEPTS for a in c.learners]
PRIVATE = [p for p in LEARNERS if p.values[1].privacy in {"pure", "label"}]
BOUNDS = [pytest.param(c, b, id=f"{c.name}-{b.name}") for c in CONCEPTS for b in c.bounds]
DISTRIBUTIONS = [
    pytest.param(c, x, id=f"{c.name}-{x.name}") for c in CONCEPTS for x in c.distributions
]
CLASS_LAWS = [
    pytest.param(c, a, x, id=f"{c.name}-{a.name}-{x.name}")
    for c in CONCEPTS
    for a in c.learners
    for x in c.distributions
    if x.name in a.laws
]
LAWS = [pytest.param(*p.values[1:], id=p.id) for p in CLASS_LAWS]


@contextlib.contextmanager
def saying(case):
    """Say with a failure at which of a test's cases it was."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"at {case}")
        raise


def setting(m, d, epsilon, alpha, beta, *, delta=0.0, trials=1000, seed=1):
    """Build a setting from numbers or arrays."""
    return Setting(
        m=np.asarray(m, dtype=np.int64),
        d=np.asarray(d, dtype=np.int64),
        epsilon=np.asarray(epsilon, dtype=np.float64),
        alpha=alpha,
        beta=beta,
        delta=delta,
        trials=trials,
        seed=seed,
    )


def law(learner, distribution, m, d, epsilon, alpha, beta, **more):
    """Return one success probability, as computed by the core."""
    return float(learner.success(distribution, setting(m, d, epsilon, alpha, beta, **more)).value)


def home(concept, learner):
    """Return the first distribution of a class on which a learner has a law."""
    return next(x for x in concept.distributions if x.name in learner.laws)


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


# --- Targets and distributions, as the modules about classes write them out again ---------------


def truth(distribution, d):
    """Return the target concept, as a function of the point."""
    return target_of(distribution).truth(distribution, d)


def critical(distribution, d):
    """Return the points at which a hypothesis that is nearly the target may err."""
    return target_of(distribution).critical(distribution, d)


def masses(distribution, d, alpha):
    """Return {point: (mass, slope)}: the mass is value + slope * (something infinitesimal)."""
    return target_of(distribution).masses(distribution, d, alpha)


def members(distribution):
    """Return the distribution, and of a family also small members: they fit into tiny domains."""
    target = target_of(distribution)
    small = target.small(distribution) if target else ()
    return [distribution, *(distribution.resized(*values) for values in small)]


def as_hypothesis(output, distribution):
    """Read an enumerated output: None is ⊥, a tuple lists labels, a whole number is a concept."""
    if output is None:
        return FAILURE
    if isinstance(output, tuple):
        return LabelFunction(lambda x: output[x - 1], "a row of labels")
    return target_of(distribution).read(output)


def flat(first, last):
    """Return the uniform distribution on the points from first to last."""
    return {x: (Fraction(1, last - first + 1), Fraction(0)) for x in range(first, last + 1)}


def accurate(distribution, predict, d, alpha):
    """Tell whether a hypothesis (a function of the point) has error at most alpha."""
    c = truth(distribution, d)
    wrong = [mass for x, mass in masses(distribution, d, alpha).items() if predict(x) != c(x)]
    error = (sum(v for v, _ in wrong), sum(s for _, s in wrong))
    return error <= (decimal(alpha), 0)


def samples(distribution, m, d, alpha):
    """Yield (probability, sample) over all ordered samples."""
    c, eta = truth(distribution, d), target_of(distribution).wrong(distribution)
    support = [
        ((x, label), float(v) * (eta if label != c(x) else 1.0 - eta))
        for x, (v, _) in masses(distribution, d, alpha).items() if v
        for label in ((0, 1) if eta else (c(x),))
    ]  # fmt: skip
    for drawn in itertools.product(support, repeat=m):
        points, labels = zip(*(example for example, _ in drawn), strict=True)
        yield math.prod(p for _, p in drawn), Sample.of(d, points, labels)


def enumerated_success(learner, distribution, m, d, epsilon, alpha, beta, *, public=0, read=None):
    """Sum over samples and outputs: probability that the output is accurate."""
    read = read or as_hypothesis
    known = {}
    total = []
    for chance, sample in samples(distribution, m + learner.unlabelled, d, alpha):
        outputs = learner.output_distribution(
            sample, Cell(sample.d, epsilon, alpha, beta), public=public
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
        sample = distribution.draw(m=m + ready.unlabelled, d=d, alpha=alpha, rng=rng)
        h = ready.run(sample, Cell(sample.d, epsilon, alpha, beta), rng)
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
