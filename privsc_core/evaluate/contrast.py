"""One learner on several distributions: what the worst case costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.catalog import distribution as find_distribution
from privsc_core.evaluate.need import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner
    from privsc_core.evaluate.scenario import Scenario


@dataclass(frozen=True, slots=True, eq=False)
class OneDistribution:
    """The least number of samples over d on one distribution.

    Attributes
    ----------
    label, title : str
        Of the distribution.
    d, m : ndarray of float64
        Bits at which it exists, and the least numbers of samples, or up to where simulation tells them.
    method : {"exact", "rao-blackwell", "monte-carlo"}
    at_least : bool
        Whether the numbers are what m is at least, see `NeedResult`.
    """

    label: str
    title: str
    d: NDArray[np.float64]
    m: NDArray[np.float64]
    method: str
    at_least: bool


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """One learner over d, a curve for each distribution, with so many trials where simulated."""

    learner: Learner
    curves: tuple[OneDistribution, ...]
    scenario: Scenario
    trials: int


def by_distribution(
    scenario: Scenario,
    learner: str,
    labels: tuple[str, ...],
    bits: tuple[int, ...],
    *,
    trials: int,
) -> Contrast:
    """Return a learner's least number of samples on each distribution, over d.

    Parameters
    ----------
    scenario : Scenario
        Its concept class, epsilon, alpha, beta and seed count.
    learner : str
        A name in the catalog with a law on each distribution.
    labels : tuple of str
        Distributions as they are typed, e.g. ``band(64)``.
    bits : tuple of int
        Values of d; each curve has those at which its distribution exists.
    trials : int
        Simulated samples where the law is not exact.

    Raises
    ------
    InputError
        For names that do not exist and distributions without a law.
    """
    entry = next(e for e in scenario.concept_class.learners if e.name == learner)
    curves = []
    for label in progress.steps(labels):
        law = find_distribution(scenario.concept, label)
        d = np.array([b for b in bits if b >= law.least_d])
        found = need(
            entry, law, d=d, epsilon=scenario.epsilon, alpha=scenario.alpha, beta=scenario.beta,
            delta=scenario.delta, trials=trials, seed=scenario.seed,
        )  # fmt: skip
        least = bool(np.isfinite(found.at_least).any())
        curves.append(
            OneDistribution(
                law.label, law.title, d.astype(np.float64), found.told, found.method, least
            )
        )
    return Contrast(entry, tuple(curves), scenario, trials)
