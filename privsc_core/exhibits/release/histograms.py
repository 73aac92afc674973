"""A histogram and its private release, and what delta buys (BBKN13, Section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.release.distributions import Release, Single
from privsc_core.concepts.release.learners import Geometric, Laplace, Stability
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.need import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner

__all__ = [
    "BARS_MOST",
    "MECHANISMS",
    "Answers",
    "DeltaCurve",
    "Histogram",
    "ReleasedHistogram",
    "delta_curve",
    "released_histogram",
    "zipf",
]

# More bars than this cannot be told apart on a screen.
BARS_MOST = 64
MECHANISMS: dict[str, Learner] = {
    entry.name: entry for entry in (Laplace(), Geometric(), Stability())
}


@dataclass(frozen=True, slots=True)
class Histogram:
    """A database as the counts of its values.

    Attributes
    ----------
    name : str
        What the values are.
    labels : tuple of str
        The values, in the order of the picture; value i is the point i + 1.
    counts : tuple of int
        How often each occurs.
    """

    name: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what is no histogram."""
        if len(self.labels) != len(self.counts):
            raise InputError(
                "counts", f"must be as many as the values ({len(self.labels)})", len(self.counts)
            )
        if len(self.labels) > BARS_MOST:
            raise InputError("values", f"must be at most {BARS_MOST} to be drawn", len(self.labels))
        if min(self.counts, default=0) < 0 or not sum(self.counts):
            raise InputError("counts", "must be at least 0, and not all 0", self.counts)

    @property
    def size(self) -> int:
        """The number m of entries."""
        return sum(self.counts)

    @property
    def d(self) -> int:
        """The least d >= 1 with a point of [2^d] for every value."""
        return max(1, (len(self.labels) - 1).bit_length())

    @property
    def truth(self) -> dict[int, int]:
        """The counts by point, without zeros."""
        return {point: n for point, n in enumerate(self.counts, start=1) if n}


def zipf(values: int, entries: int) -> Histogram:
    """Return the database in which value j occurs about 1/j times as often as value 1.

    Whole counts by largest remainders: nothing is random.
    """
    weights = [Fraction(1, j) for j in range(1, values + 1)]
    shares = [entries * weight / sum(weights) for weight in weights]
    counts = [share.numerator // share.denominator for share in shares]
    order = sorted(range(values), key=lambda j: counts[j] - shares[j])
    for j in order[: entries - sum(counts)]:
        counts[j] += 1
    return Histogram("value", tuple(map(str, range(1, values + 1))), tuple(counts))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Released fractions beside the truth.

    Attributes
    ----------
    fractions : ndarray of float64
        One for every value shown.
    error : float
        The largest deviation over all points of the domain, not only those shown.
    worst : int
        The position of the first value shown with the largest deviation of those shown; all
        that a mechanism released above 0 is shown.
    useful : bool
        Whether every deviation is below alpha, decided exactly.
    """

    fractions: NDArray[np.float64]
    error: float
    worst: int
    useful: bool


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedHistogram:
    """One run of a mechanism on a histogram.

    Attributes
    ----------
    histogram : Histogram
    points : tuple of int
        The points shown: those of the values, then the released ones that stand for no value.
    labels : tuple of str
        Their names; the second kind is called "unused" with its number.
    truth : ndarray of float64
        The true fractions.
    released, synthetic : Answers
        Of the noisy release, and of the synthetic database of as many entries made from it.
    elsewhere : int
        Synthetic entries on points that are not shown.
    threshold : float
        The count below which the mechanism releases 0.
    mechanism : Learner
    epsilon, alpha, delta : float
        `delta` is 0 for the pure mechanisms.
    seed : int
    """

    histogram: Histogram
    points: tuple[int, ...]
    labels: tuple[str, ...]
    truth: NDArray[np.float64]
    released: Answers
    synthetic: Answers
    elsewhere: int
    threshold: float
    mechanism: Learner
    epsilon: float
    alpha: float
    delta: float
    seed: int

    @property
    def empty(self) -> bool:
        """Whether every released count is 0."""
        return not self.released.fractions.any()


def released_histogram(
    histogram: Histogram, mechanism: str, *, epsilon: float, alpha: float, delta: float, seed: int
) -> ReleasedHistogram:
    """Run a mechanism once on the database of a histogram.

    Parameters
    ----------
    histogram : Histogram
    mechanism : {"laplace", "geometric", "stability"}
    epsilon, alpha : float
    delta : float
        The privacy slack of `stability`; the others do not use it.
    seed : int

    Returns
    -------
    ReleasedHistogram

    Raises
    ------
    InputError
        For an unknown mechanism, or a delta that the mechanism cannot have.
    """
    entry = MECHANISMS.get(mechanism)
    if entry is None:
        raise InputError("mechanism", f"must be one of {', '.join(MECHANISMS)}", mechanism)
    d, m, counts = histogram.d, histogram.size, histogram.truth
    if isinstance(entry, Stability):
        entry = entry.at(delta)
        threshold = entry.threshold(epsilon)
    else:
        delta = 0.0
        threshold = float(_pure(entry).threshold(m, epsilon=epsilon, alpha=alpha))
    index = np.repeat(np.arange(len(counts)), list(counts.values()))
    sample = Sample(d, tuple(counts), index, np.ones(m, dtype=np.uint8))
    rng = np.random.default_rng(seed)
    release = entry.run(sample, epsilon=epsilon, alpha=alpha, beta=0.1, rng=rng)
    if not isinstance(release, Release):
        msg = f"{mechanism} released a {type(release).__name__}"
        raise TypeError(msg)
    synthetic = release.synthetic()
    values = len(histogram.labels)
    extra = [point for point in release.values if point > values]
    points = (*range(1, values + 1), *extra)
    elsewhere = sum(n for point, n in synthetic.values.items() if point not in points)
    return ReleasedHistogram(
        histogram, points, (*histogram.labels, *(f"unused {point}" for point in extra)),
        np.array([counts.get(point, 0) / m for point in points]),
        _answers(release, counts, points, alpha), _answers(synthetic, counts, points, alpha),
        int(elsewhere), threshold, entry, epsilon, alpha, delta, seed,
    )  # fmt: skip


def _pure(entry: Learner) -> Laplace | Geometric:
    if not isinstance(entry, Laplace | Geometric):
        msg = f"{entry.name} has no threshold that depends on alpha"
        raise TypeError(msg)
    return entry


def _answers(
    release: Release, counts: dict[int, int], points: Sequence[int], alpha: float
) -> Answers:
    size = sum(counts.values())
    fractions = [release.fraction(point) for point in points]
    # Exactly, as `Release.error` does it: the worst query must be the one of that error.
    gaps = [
        abs(
            Fraction(release.values.get(point, 0)) * size - counts.get(point, 0) * release.total
        )
        for point in points
    ]  # fmt: skip
    return Answers(
        np.array(fractions), float(release.error(counts)), gaps.index(max(gaps)),
        release.useful(counts, alpha),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class DeltaCurve:
    """Least m of pure and of approximate privacy against d, on the database `single`.

    Attributes
    ----------
    d : ndarray of int64
    pure, approximate : ndarray of float64
        Least m of the Laplace histogram and of the stability histogram; NaN where there is none.
    epsilon, alpha, beta, delta : float
    """

    d: NDArray[np.int64]
    pure: NDArray[np.float64]
    approximate: NDArray[np.float64]
    epsilon: float
    alpha: float
    beta: float
    delta: float


_BITS = tuple(2**power for power in range(1, 17))


def delta_curve(
    epsilon: float, alpha: float, beta: float, delta: float, bits: Sequence[int] = _BITS
) -> DeltaCurve:
    """Return the least numbers of entries with and without delta, from the exact laws."""
    d = np.array(bits, dtype=np.int64)
    pure = need(Laplace(), Single(), d=d, epsilon=epsilon, alpha=alpha, beta=beta)
    # Not a function of d, so one search serves them all.
    approximate = need(
        Stability().at(delta), Single(), d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta
    )
    return DeltaCurve(d, pure.m, approximate.m, epsilon, alpha, beta, delta)
