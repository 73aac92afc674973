"""The map of all classes, and what δ buys: least m over d of the lines that classes declare."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.shared.unseen import bits_of
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from privsc_core.evaluate.scenario import Scenario
from privsc_core.parameters import parameter, scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.evaluate.curves import Curves
    from privsc_core.literature.documents import Contest, Exchange, Gap, Line, Where

# Which lines are drawn: those that the documents show first, or all.
Extent = Literal["first", "all"]

# Between them the lines are straight on logarithmic axes, or flat, as far as the eye tells.
PLACES: tuple[int, ...] = tuple(4**k for k in range(2, 9))
SLACK_PLACES: tuple[int, ...] = (8, 12, 16, 24, 32, 64, 128, 1024, 10**4, 10**5, 10**6)
FITTED_FROM = 64  # exponents are fitted from here on
_LEAST = 3  # places
_ACROSS = 9  # points along the edge of a gap


@dataclass(frozen=True, slots=True)
class Standpoint:
    """The setting of the map: what is the same for all its lines.

    Attributes
    ----------
    epsilon, alpha, beta, delta : float
        Privacy loss, accuracy, confidence, and the privacy slack of those lines that have one.
    """

    epsilon: float
    alpha: float
    beta: float
    delta: float

    def __post_init__(self) -> None:
        """Refuse anything out of its domain."""
        for name in ("epsilon", "alpha", "beta", "delta"):
            object.__setattr__(self, name, scalar(name, getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Fit:
    """The exponent of d in m: by least squares on logarithmic axes, and how it varies.

    Attributes
    ----------
    exponent : float
        NaN where there are too few numbers.
    low, high : float
        The smallest and the largest exponent between neighbouring places. The fitted one lies
        between them, because it is an average of theirs with positive weights.
    """

    exponent: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One line of the map with its numbers.

    Attributes
    ----------
    concept : str
        The name of the class.
    line : Line
        As the class declares it.
    d, m : ndarray of float64
        Places, and least m there; NaN where there is none.
    fit : Fit
    delta : float
        The slack that it uses; 0 for none.
    reason : str
        Why a number is missing; mostly empty.
    """

    concept: str
    line: Line
    d: NDArray[np.float64]
    m: NDArray[np.float64]
    fit: Fit
    delta: float = 0.0
    reason: str = ""

    @property
    def key(self) -> str:
        """What tells it apart on the map."""
        return f"{self.concept}-{self.line.key}"

    def at(self, d: int) -> float:
        """Return least m at a place, NaN where there is none."""
        found = self.m[self.d == d]
        return float(found[0]) if found.size else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """A gap of the map: two courses of one class, and where on the axis it is shown.

    Attributes
    ----------
    gap : Gap
        As the class declares it.
    low, high : Course
    d, below, above : ndarray of float64
        Where it is shown: places, and the numbers of the two lines there. Empty where the lines
        leave no gap.
    name_at : (float, float)
        Where there is most room for its name: d, and m.
    at : int
        The place next to the middle of it.
    ratio : float
        By which factor the lines differ there.
    """

    gap: Gap
    low: Course
    high: Course
    d: NDArray[np.float64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    name_at: tuple[float, float]
    at: int
    ratio: float


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """The lines of a map at one setting, in the order of the catalog, and its gaps.

    Attributes
    ----------
    standpoint : Standpoint
    courses : tuple of Course
        Those that are drawn.
    separations : tuple of Separation
        None of what δ buys. One that is shown first may have a lower edge that is not drawn.
    span : (float, float)
        Ends of the axis of m.
    """

    standpoint: Standpoint
    courses: tuple[Course, ...]
    separations: tuple[Separation, ...]
    span: tuple[float, float]

    def of(self, concept: str) -> tuple[Course, ...]:
        """Return the courses of a class, by its name."""
        return tuple(course for course in self.courses if course.concept == concept)


def landscape(standpoint: Standpoint, extent: Extent = "all") -> Landscape:
    """Return the lines of the map of all classes, over `PLACES`, and the gaps.

    A learner is taken on the first distribution of its class, on which its law is exact: all
    numbers are exact laws or bounds, none is simulated.
    """
    known = _courses(_needed(extent), standpoint, PLACES, 0.9)
    drawn = tuple(course for course in known if _shown("map", course.line, extent))
    separations = _separations(_gaps(extent), known, drawn)
    return Landscape(standpoint, drawn, separations, _frame(standpoint, drawn))


def bought(standpoint: Standpoint, extent: Extent = "all") -> Landscape:
    """Return the lines of the page about δ, over `SLACK_PLACES`, likewise."""
    declared = [one for one in _declared("slack") if _shown("slack", one[1], extent)]
    courses = _courses(declared, standpoint, SLACK_PLACES)
    values = np.concatenate([c.m for c in courses] or [np.array([10.0, 1000.0])])
    values = values[np.isfinite(values)]
    span = 10.0 ** math.floor(math.log10(values.min())), 2.0 * float(values.max())
    return Landscape(standpoint, courses, (), span)


def _courses(
    declared: list[tuple[ConceptClass, Line]],
    standpoint: Standpoint,
    places: tuple[int, ...],
    end: float = 1.0,
) -> tuple[Course, ...]:
    """Return declared lines with their numbers at some places."""
    d, found = np.array(places, dtype=np.float64), []
    for concept, line in progress.steps(declared, end=end):
        m, delta, reason = _numbers(concept, line, standpoint, places)
        found.append(Course(concept.name, line, d, m, fitted(d, m), delta, reason))
    return tuple(found)


def _declared(of: Where) -> list[tuple[ConceptClass, Line]]:
    return [(concept, line) for concept in catalog.CONCEPTS for line in concept.documents.on(of)]


def _shown(of: Where, line: Line, extent: Extent) -> bool:
    return extent == "all" or of in line.first


def _gaps(extent: Extent) -> list[tuple[ConceptClass, Gap]]:
    return [
        (concept, gap)
        for concept in catalog.CONCEPTS
        for gap in concept.documents.gaps
        if extent == "all" or gap.first
    ]


def _needed(extent: Extent) -> list[tuple[ConceptClass, Line]]:
    """Return the lines of the map that are drawn, or are an edge of a gap."""
    edges = {(concept.name, key) for concept, gap in _gaps(extent) for key in (gap.low, gap.high)}
    return [
        (concept, line)
        for concept, line in _declared("map")
        if _shown("map", line, extent) or (concept.name, line.key) in edges
    ]


def foresee(standpoints: Sequence[Standpoint], extent: Extent = "all") -> None:
    """Find together all numbers of the map at some settings that differ in epsilon alone.

    They are remembered, so that each map is quick.
    """
    first = standpoints[0]
    epsilons = np.array([one.epsilon for one in standpoints])[:, None]
    for concept, line in _needed(extent):
        _numbers(concept, line, first, PLACES, epsilons)


def fitted(d: NDArray[np.float64], m: NDArray[np.float64]) -> Fit:
    """Return the exponent of d in m from `FITTED_FROM` on.

    Parameters
    ----------
    d, m : ndarray of float64, shape (n,)
        Places in increasing order and numbers of samples; NaN where there is none.
    """
    there = np.isfinite(m) & (d >= FITTED_FROM)
    if there.sum() < _LEAST:
        return Fit(math.nan, math.nan, math.nan)
    x, y = np.log(d[there]), np.log(m[there])
    local = np.diff(y) / np.diff(x)
    # The last bits depend on the processor.
    slope = round(float(np.polyfit(x, y, 1)[0]), 9) + 0.0
    return Fit(slope, round(float(local.min()), 9) + 0.0, round(float(local.max()), 9) + 0.0)


def _frame(standpoint: Standpoint, courses: tuple[Course, ...]) -> tuple[float, float]:
    """Return round ends that hold the map at every usual epsilon: lines move, not the axis.

    As epsilon falls it is the line on top that rises most; as it grows none of a learner falls far
    below those without privacy.
    """
    learners = [course.m for course in courses if course.line.kind == "learner"]
    values = np.concatenate([*learners, np.array([10.0, 1000.0])])
    values = values[np.isfinite(values)]
    most = float(np.nanmax([1000.0, *(course.m[-1] for course in courses)]))
    least_usual = parameter("epsilon").typical[0]
    if courses and standpoint.epsilon > least_usual:
        top = max(courses, key=lambda course: np.nan_to_num(course.m[-1]))
        there = replace(standpoint, epsilon=least_usual)
        concept = catalog.concept(top.concept)
        risen = _numbers(concept, top.line, there, PLACES[-1:])[0]
        most = float(np.nanmax([most, *risen]))
    return 10.0 ** math.floor(math.log10(values.min())), _round_up(most)


def _round_up(value: float) -> float:
    base = 10.0 ** math.floor(math.log10(value))
    return next(step * base for step in (1, 2, 5, 10) if step * base >= value)


def _numbers(
    concept: ConceptClass,
    line: Line,
    standpoint: Standpoint,
    places: tuple[int, ...],
    epsilons: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], float, str]:
    """Return least m at some places, the slack that was used, and why a number is missing.

    With several epsilons, shape (n, 1), for each of them. A bound has the slack of the standpoint where
    the role of its line is "delta".
    """
    at: dict[str, Any] = {
        "d": np.array(places), "epsilon": standpoint.epsilon if epsilons is None else epsilons, "alpha": standpoint.alpha,
        "beta": standpoint.beta,
    }  # fmt: skip
    if line.kind == "bound":
        entry = next(e for e in concept.bounds if e.name == line.name)
        delta = standpoint.delta if line.role == "delta" else 0.0
        found = bound(entry, **at, delta=delta)
        return found.m, delta, _first(found.reason)
    learner = next(e for e in concept.learners if e.name == line.name)
    delta = standpoint.delta if learner.privacy == "approximate" else 0.0
    try:
        found = need(learner, concept.distributions[0], **at, delta=delta)
    except InputError as refused:
        return np.full(len(places), math.nan), delta, concept.lacking(refused)
    return found.m, delta, _first(found.reason)


def _first(reasons: NDArray[np.str_]) -> str:
    return next((str(reason) for reason in reasons.ravel() if reason), "")


def _separations(
    gaps: list[tuple[ConceptClass, Gap]], known: tuple[Course, ...], drawn: tuple[Course, ...]
) -> tuple[Separation, ...]:
    """Return the gaps, each on a stretch of the axis of its own: they lie over each other.

    Those that open at a larger d come later.
    """
    by_key = {course.key: course for course in known}
    pairs = [
        (gap, by_key[f"{concept.name}-{gap.low}"], by_key[f"{concept.name}-{gap.high}"])
        for concept, gap in gaps
    ]
    pairs.sort(key=lambda one: int((one[2].m <= one[1].m).sum()))
    edges = np.linspace(math.log(PLACES[0]), math.log(PLACES[-1]), len(pairs) + 1).tolist()
    return tuple(
        _separation(*pair, edges[place : place + 2], drawn) for place, pair in enumerate(pairs)
    )


def _separation(
    gap: Gap, low: Course, high: Course, ends: list[float], courses: tuple[Course, ...]
) -> Separation:
    """Return a gap between two places, whose logarithms are given, in front of all lines."""
    x = np.log(low.d)
    inside = np.linspace(ends[0], ends[1], _ACROSS)
    below, above = (np.interp(inside, x, np.log(course.m)) for course in (low, high))
    there = above > below  # not where a number is missing
    at = int(np.argmin(abs(x - sum(ends) / 2.0)))  # a place with numbers of its own
    name_at = (math.nan, math.nan)
    if there.any():
        lines = np.array([np.interp(inside, x, np.log(course.m)) for course in courses])
        name_at = _roomiest(inside[there], below[there], above[there], lines[:, there])
    return Separation(
        gap, low, high, np.exp(inside[there]), np.exp(below[there]), np.exp(above[there]),
        name_at, int(low.d[at]), float(high.m[at] / low.m[at]),
    )  # fmt: skip


def _roomiest(
    x: NDArray[np.float64],
    below: NDArray[np.float64],
    above: NDArray[np.float64],
    lines: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the place in the middle of a gap that is farthest from every line; all in logarithms."""
    middle = x.size // 2
    near = slice(max(0, middle - 2), middle + 3)  # as wide as a name
    heights = np.linspace(below[middle], above[middle], 41)[1:-1]
    away = np.nanmin(abs(lines[:, near, None] - heights), axis=(0, 1))
    return float(np.exp(x[middle])), float(np.exp(heights[np.argmax(away)]))


# --- What delta is worth: least m over bits, and of learners on several distributions ------------


# Bits of a domain, or that a slack is worth.
BITS: tuple[int, ...] = (*range(3, 21), *range(22, 49, 2))
# Bits of a domain so large that the slack alone counts.
_HUGE = 10**6
TRIALS = 250  # simulated samples a number, where a law is not exact


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


def traded(standpoint: Standpoint) -> tuple[Traded, ...]:
    """Return what each class says of the slack as a size of the domain."""
    pairs = [
        (concept, pair) for concept in catalog.CONCEPTS for pair in concept.documents.exchanges
    ]
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
    return tuple(concept for concept in catalog.CONCEPTS if concept.documents.contest)


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
    contest = concept.documents.contest
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
