"""What the tests of data release share: mechanisms, laws at one setting, databases by counts."""

import numpy as np

from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.release.learners import Geometric, Laplace
from privsc_core.concepts.shared.sample import Sample

USUAL = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
HISTOGRAMS = [Laplace(), Geometric(), Laplace(lost=0.02), Geometric(lost=0.02)]


def setting(m, d, epsilon, alpha, *, beta=0.1, delta=0.0):
    return Setting(np.asarray(m), np.asarray(d), np.asarray(epsilon), alpha, beta, delta)


def law(learner, database, m, d, epsilon, alpha, **more):  # noqa: PLR0917 - always this order
    return float(learner.success(database, setting(m, d, epsilon, alpha, **more)).value)


def sample_of(counts, d):
    """Return the database with these counts, as a dict by point."""
    x = [point for point, n in counts.items() for _ in range(n)]
    return Sample.of(d, x, [1] * len(x))
