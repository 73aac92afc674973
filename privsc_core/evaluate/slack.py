"""What delta buys: least m over d of what classes declare, without a slack and with one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.lump import bits_of
from privsc_core.evaluate import views
from privsc_core.evaluate.landscape import course
from privsc_core.evaluate.need import need
from privsc_core.evaluate.scenario import Scenario

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.concepts.landscape import Contest, Exchange
    from privsc_core.evaluate.curves import Curves
    from privsc_core.evaluate.landscape import Course, Standpoint

__all__ = [
    "BITS",
    "PLACES",
    "TRIALS",
    "Bought",
    "Contested",
    "Rate",
    "Traded",
    "bought",
    "contested",
    "contests",
    "traded",
]

# Between them the lines are straight on logarithmic axes, or flat, as far as the eye tells.
PLACES: tuple[int, ...] = (8, 12, 16, 24, 32, 64, 128, 1024, 10**4, 10**5, 10**6)
# Of a domain, and as much as a slack is worth.
BITS: tuple[int, ...] = (*range(3, 21), *range(22, 49, 2))
# A domain beside which every slack that is worth so many bits is what counts.
_HUGE = 10**6
TRIALS = 250  # simulated samples a number, where a law is not exact


@dataclass(frozen=True, slots=True)
class Rate:
    """What a class pays at the largest domain, without and with a slack.

    Attributes
    ----------
    concept : str
        The name of the class.
    pure, slack : Course
        The first line of a learner of each kind.
    """

    concept: str
    pure: Course
    slack: Course

    @property
    def published(self) -> float:
        """How many examples may be published with so many of them."""
        return float(self.slack.m[-1]) * self.slack.delta


@dataclass(frozen=True, slots=True, eq=False)
class Bought:
    """All lines of the page at one setting, in the order of the catalog.

    Attributes
    ----------
    standpoint : Standpoint
    courses : tuple of Course
        Over `PLACES`; with a slack where `Course.delta` is not 0.
    """

    standpoint: Standpoint
    courses: tuple[Course, ...]

    @property
    def rates(self) -> tuple[Rate, ...]:
        """What each class pays that has a learner of both kinds."""
        found = []
        for name in dict.fromkeys(one.concept for one in self.courses):
            learners = [c for c in self.courses if c.concept == name and c.line.kind == "learner"]
            pure = next((c for c in learners if not c.delta), None)
            slack = next((c for c in learners if c.delta), None)
            if pure and slack:
                found.append(Rate(name, pure, slack))
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Traded:
    """Two learners of a class over bits: of the domain, and as many as the slack is worth.

    Attributes
    ----------
    concept : str
        The name of the class.
    exchange : Exchange
        As the class declares it.
    bits, delta : ndarray of float64
        The axis, and the slack that is worth so many bits.
    pure, slack : ndarray of float64
        Least m at d = bits without a slack, and at a huge d with this one.
    """

    concept: str
    exchange: Exchange
    bits: NDArray[np.float64]
    delta: NDArray[np.float64]
    pure: NDArray[np.float64]
    slack: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Contested:
    """The learners of a contest on one of its distributions, and their numbers on all of them.

    Attributes
    ----------
    concept : str
        The name of the class.
    contest : Contest
        As the class declares it.
    word : str
        Of the distribution whose curves are shown.
    m : ndarray of float64, shape (laws, learners)
        Least m; NaN where none suffices.
    exact : ndarray of bool, shape (laws, learners)
        Whether it comes from an exact law.
    curves : Curves
        Success against m, on the same axis for each distribution.
    """

    concept: str
    contest: Contest
    word: str
    m: NDArray[np.float64]
    exact: NDArray[np.bool_]
    curves: Curves


def bought(standpoint: Standpoint) -> Bought:
    """Return every line that a class of the catalog declares for the page, over `PLACES`.

    Learners on the first distribution of their class, where the laws are exact, as on the map.
    """
    declared = [(concept, line) for concept in catalog.CONCEPTS for line in concept.slack_lines]
    return Bought(
        standpoint,
        tuple(
            course(concept, line, standpoint, PLACES) for concept, line in progress.steps(declared)
        ),
    )


def traded(standpoint: Standpoint) -> tuple[Traded, ...]:
    """Return what each class says of the slack as a size of the domain."""
    pairs = [(concept, pair) for concept in catalog.CONCEPTS for pair in concept.exchanges]
    return tuple(_traded(concept, pair, standpoint) for concept, pair in progress.steps(pairs))


def _traded(concept: ConceptClass, pair: Exchange, standpoint: Standpoint) -> Traded:
    """Return least m over the bits of the domain, and over those that a slack is worth."""
    bits = np.array(BITS)
    gain = bits_of(standpoint.epsilon, 1.0)
    # Worth so many bits, and small enough to be a slack.
    delta = np.exp2(gain - bits)
    there = delta < 0.5
    known = {entry.name: entry for entry in concept.learners}
    law = concept.distributions[0]
    at: dict[str, Any] = {name: getattr(standpoint, name) for name in ("epsilon", "alpha", "beta")}
    pure = need(known[pair.pure], law, d=bits, **at).m
    slack = np.full(bits.shape, math.nan)
    slack[there] = need(known[pair.slack], law, d=_HUGE, delta=delta[there], **at).m
    return Traded(concept.name, pair, bits.astype(np.float64), delta, pure, slack)


def contests() -> tuple[ConceptClass, ...]:
    """Return the classes that declare a contest, in the order of the catalog."""
    return tuple(concept for concept in catalog.CONCEPTS if concept.contest)


def contested(standpoint: Standpoint, concept: ConceptClass, word: str, bits: int) -> Contested:
    """Return how the learners of a class's contest do on one of its distributions.

    Parameters
    ----------
    standpoint : Standpoint
    concept : ConceptClass
        One of `contests`.
    word : str
        Of a distribution of the contest; the first one for a word that it does not have.
    bits : int
        The size d.

    Raises
    ------
    ValueError
        For a class without a contest.
    """
    contest = concept.contest
    if contest is None:
        raise ValueError(f"{concept.name} has no contest")
    found = [
        [_least(standpoint, concept, learner, label, bits) for learner in contest.learners]
        for _, label in progress.steps(contest.laws, end=0.6)
    ]  # fmt: skip
    m = np.array([[least for least, _ in row] for row in found])
    words = [one for one, _ in contest.laws]
    word = word if word in words else words[0]
    label = dict(contest.laws)[word]
    scenario = Scenario(
        concept.name, contest.learners, label, d=bits, trials=TRIALS, epsilon=standpoint.epsilon,
        alpha=standpoint.alpha, beta=standpoint.beta, delta=standpoint.delta,
    )  # fmt: skip
    ends = float(np.nanmin(m)) / 3.0, float(np.nanmax(m)) * 1.5
    with progress.stage(0.6, 1.0):
        curves = views.success_curves(scenario, "m", x_range=ends)
    exact = np.array([[sure for _, sure in row] for row in found])
    return Contested(concept.name, contest, word, m, exact, curves)


def _least(
    standpoint: Standpoint, concept: ConceptClass, learner: str, label: str, bits: int
) -> tuple[float, bool]:
    """Return least m on a distribution, and whether its law is exact there."""
    found = need(
        catalog.learner(concept.name, learner), catalog.distribution(concept.name, label), d=np.array(bits),
        epsilon=standpoint.epsilon, alpha=standpoint.alpha, beta=standpoint.beta,
        delta=standpoint.delta, trials=TRIALS,
    )  # fmt: skip
    return float(found.m), found.method == "exact"
