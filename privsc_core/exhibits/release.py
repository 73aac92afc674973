"""What data release alone shows: a histogram released, and what delta buys (BBKN13, Section 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import PALE, RED, TEAL, faint
from privsc_core.concepts.release.distributions import Release
from privsc_core.concepts.release.learners import Geometric, Laplace, Stability
from privsc_core.concepts.shared.sample import Sample
from privsc_core.draw.least import LeastM, least_m_plot, least_m_traces
from privsc_core.draw.picture import Picture, columns, plain_text, plot, setting
from privsc_core.draw.style import integer, share
from privsc_core.draw.traces import MUTE, PINK, STEEL, Trace, axis, bar, marks, told
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner


_CONCEPT = "release"
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
    release = entry.run(sample, Cell(sample.d, epsilon, alpha, 0.1), rng)
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


# --- The figure of a histogram beside its private release ----------------------------------------


_LABEL_LONGEST = 14
# On a phone sixteen ticks can be read. A left-out number is easily guessed, a name is not.
_NUMBERS_MOST, _NAMES_MOST = 16, 32


def histogram_figure(found: ReleasedHistogram) -> Picture:
    """Draw true fractions as bars with a band of alpha, released and synthetic ones as marks."""
    x = np.arange(len(found.points), dtype=np.float64)
    names = [plain_text(label) for label in found.labels]
    low = np.maximum(found.truth - found.alpha, 0.0)
    high = np.minimum(found.truth + found.alpha, 1.0)
    released, synthetic = found.released, found.synthetic
    says = told(
        [
            f"{name}: true {true:.4g}, released {seen:.4g}, synthetic {made:.4g}"
            for name, true, seen, made in zip(
                names, found.truth, released.fractions, synthetic.fractions, strict=True
            )
        ]
    )
    free = {"cliponaxis": False}
    near = bar(x, high - low, "true fraction ± α", faint(TEAL, 0.24), uid="band")
    truth = bar(x, found.truth, "true fraction", PALE, uid="truth", width=0.56)
    made = marks(x, synthetic.fractions, "synthetic database", PINK, "square-open", 11, edge=2)
    seen = marks(x, released.fractions, "released", STEEL, "diamond")
    at = released.worst
    worst_at = [float(at)], [float(released.fractions[at])]
    ring = marks(*worst_at, "worst query", RED, "circle-open", 22, edge=3, uid="worst")
    data = [
        near | MUTE | {"base": low, "width": 0.92},
        truth | says,
        made | says | free | {"uid": "synthetic"},
        seen | says | free,
        ring | MUTE | free,
    ]
    top = 1.1 * max(float(v.max()) for v in (high, released.fractions, synthetic.fractions))
    numbers = all(label.removeprefix("-").isdecimal() for label in found.histogram.labels)
    step = math.ceil(len(names) / (_NUMBERS_MOST if numbers else _NAMES_MOST))
    shown = [plain_text(label, _LABEL_LONGEST) for label in found.labels]
    what = plain_text(found.histogram.name)
    zoom = f"{what}/{len(found.points)}"
    worst = f"“{names[released.worst]}”, off by {released.error:.3g}"
    verdict = (
        "Useful: every fraction is" if released.useful else "Not useful: not every fraction is"
    )
    if found.empty and released.useful:  # by the definition, and no merit of the mechanism
        verdict = "All counts released are 0: every fraction is"
    slack = f", δ = {small(found.delta)}" if found.delta else ""
    rest = ""
    if found.elsewhere:
        rest = f" Not shown: unused values with {found.elsewhere:,} synthetic entries."
    useful = "useful" if released.useful else "not useful"
    return plot(
        data,
        axis(what, (-0.6, len(names) - 0.4), at=x[::step].tolist(), texts=shown[::step], zoom=zoom),
        axis("fraction of the entries", (0, top), zoom=zoom),
        barmode="overlay",
        legend=0.28,
        title=f"{verdict} within α = {found.alpha:g}",
        caption=(
            f"One real run of the {found.mechanism.title}: m = {integer(found.histogram.size)}, "
            f"ε = {found.epsilon:g}{slack}, seed {found.seed}. Counts below "
            f"{found.threshold:,.4g} are released as 0. Worst query: {worst}.{rest}"
        ),
        summary=(
            f"Bars of {len(found.histogram.labels)} true fractions with a band of {found.alpha:g} around each, and "
            f"the released fractions. Worst query: {worst}. The release is {useful}. The synthetic database has a "
            f"largest error of {synthetic.error:.3g} at most."
        ),
        filename=f"privsc-release-{found.mechanism.name}-eps{found.epsilon:g}-seed{found.seed}",
        table={"value": names}
        | {
            name: values.tolist()
            for name, values in (
                ("true", found.truth),
                ("released", released.fractions),
                ("synthetic", synthetic.fractions),
            )
        },
    )


# --- What delta buys: least m of pure and of approximate privacy against d, on `single` -----------


_BITS = tuple(2**power for power in range(1, 17))


def delta_curves(
    epsilon: float, alpha: float, beta: float, delta: float, bits: tuple[int, ...] = _BITS
) -> list[Trace]:
    """Return the curves of the least number of entries, without and with delta, by exact laws."""
    pure = LeastM("pure: Laplace histogram", "laplace", law="single")
    slack = LeastM(
        f"δ = {small(delta)}: stability histogram", "stability", law="single", delta=delta
    )
    at = Scenario(_CONCEPT, (), "single", epsilon=epsilon, alpha=alpha, beta=beta)
    return least_m_traces((pure, slack), at, bits)


def compared(
    epsilon: float, alpha: float, beta: float, delta: float, bits: tuple[int, ...] = _BITS
) -> Picture:
    """Draw the least number of entries against d, without and with delta."""
    data = delta_curves(epsilon, alpha, beta, delta, bits)
    pure, slack = (trace["y"] for trace in data)
    ahead = np.flatnonzero(slack < pure)
    better = "With δ no fewer entries are needed here"
    if ahead.size:
        better = f"From d = {integer(bits[ahead[0]])} on fewer entries are needed with δ"
        better += ", however many values are possible"
    at = Scenario(_CONCEPT, (), "single", epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    return least_m_plot(
        data,
        at,
        up="least number of entries m",
        title=better,
        caption=f"m equal entries, {setting(at, 'epsilon', 'alpha', 'beta')}, δ = {small(delta)}. "
        f"Exact: least m with success probability at least {share(1 - beta)}.",
        summary=(
            "Least number of entries against d on logarithmic axes: the purely private mechanism goes from "
            f"{integer(pure[0])} to {integer(pure[-1])}, the one with δ = {small(delta)} stays at "
            f"{integer(slack[-1])}."
        ),
        filename=f"privsc-release-delta-eps{epsilon:g}",
        table=columns(data, "d"),
    )


# --- What the exhibits of data release show, from values that can be a key -----------------------


def released(
    data: Histogram, mechanism: str, epsilon: float, alpha: float, delta: float, seed: int
) -> tuple[ReleasedHistogram, Picture]:
    """Release a histogram once and draw it, see `released_histogram`."""
    found = released_histogram(
        data, mechanism, epsilon=epsilon, alpha=alpha, delta=delta, seed=seed
    )
    return found, histogram_figure(found)
