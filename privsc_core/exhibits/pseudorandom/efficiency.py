"""Time against samples for pseudorandom points, and the distinguisher (BBKN13, Section 6)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog, progress
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED
from privsc_core.concepts.pseudorandom.generator import image, target_seed
from privsc_core.concepts.pseudorandom.learners import enumerate_images
from privsc_core.concepts.shared.sample import Sample, uniform_below
from privsc_core.draw.figures import plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    BLUE,
    axis,
    below,
    hover,
    joined,
    line,
    log_axis,
    marks,
    told,
    whisker,
    words,
)
from privsc_core.errors import InputError
from privsc_core.evaluate.need import need
from privsc_core.numerics.intervals import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


_CONCEPT = "pseudorandom-point"
_EFFICIENT, _PROPER = "exponential-relaxed", "exponential-proper"


def measured_seconds(length: int | None, d: int, *, m: int = 500, epsilon: float = 0.5) -> float:
    """Run a learner once on a sample from the hard distribution and return the seconds it took.

    Parameters
    ----------
    length : int or None
        Bits of the seeds for the learner that enumerates them; None for the efficient one.
    d, m, epsilon
        The setting.

    Returns
    -------
    float
        Wall-clock time of this machine, the enumeration of the images included.
    """
    name = _CONCEPT if length is None else f"{_CONCEPT}({length})"
    entry = find_learner(name, _EFFICIENT if length is None else _PROPER)
    law = find_concept(name).distributions[0]
    rng = np.random.default_rng(1)
    sample = law.draw(m=m, d=d, alpha=0.1, rng=rng)
    enumerate_images.cache_clear()
    begin = time.perf_counter()
    entry.run(sample, Cell(sample.d, epsilon, 0.1, 0.1), rng)
    return time.perf_counter() - begin


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """What a private learner of pseudorandom points pays, by the length of the seeds.

    Attributes
    ----------
    lengths : ndarray of float64
        l, the bits of the seeds.
    samples : ndarray of float64
        Least m of the learner that enumerates, from its law.
    seconds : ndarray of float64
        What it took here where `measured`, doubled with every bit beyond.
    measured : ndarray of bool
    efficient_samples, efficient_seconds : float
        The same of the efficient learner; the time NaN until it is measured.
    d : int
    epsilon, alpha, beta : float
    """

    lengths: NDArray[np.float64]
    samples: NDArray[np.float64]
    seconds: NDArray[np.float64]
    measured: NDArray[np.bool_]
    efficient_samples: float
    efficient_seconds: float
    d: int
    epsilon: float
    alpha: float
    beta: float


def tradeoff(
    known: Mapping[int, float],
    efficient: float,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    longest: int,
) -> Tradeoff:
    """Put measured times and least numbers of samples side by side.

    Parameters
    ----------
    known : mapping of int to float
        Length of the seeds -> measured seconds.
    efficient : float
        Measured seconds of the efficient learner, NaN if not measured.
    d, epsilon, alpha, beta
        The setting of the laws.
    longest : int
        Up to which length to go on, by doubling, at most d - 1.

    Raises
    ------
    InputError
        When nothing was measured.
    """
    if not known:
        raise InputError("known", "must have at least one measured length", "none")
    lengths = np.arange(min(known), max(min(longest, d - 1), *known) + 1)
    last = max(known)
    samples, seconds = [], []
    for length in progress.steps(lengths.tolist()):
        samples.append(_least(f"{_CONCEPT}({length})", _PROPER, d, epsilon, alpha, beta))
        seconds.append(known.get(length, math.ldexp(known[last], length - last)))
    relaxed = _least(_CONCEPT, _EFFICIENT, d, epsilon, alpha, beta)
    return Tradeoff(
        lengths.astype(np.float64), np.array(samples), np.array(seconds),
        np.array([length in known for length in lengths.tolist()]),
        relaxed, efficient, d, epsilon, alpha, beta,
    )  # fmt: skip


@lru_cache(maxsize=1024)  # every newly measured length asks for all of them again
def _least(concept: str, learner: str, d: int, epsilon: float, alpha: float, beta: float) -> float:
    law = find_concept(concept).distributions[0]
    entry = find_learner(concept, learner)
    return float(need(entry, law, d=d, epsilon=epsilon, alpha=alpha, beta=beta).m)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How often a learner answers c_j on (j, 1)^m, for one kind of j.

    Attributes
    ----------
    learner, title : str
    kind : {"image", "uniform"}
        Whether j is an image of the generator or a uniformly random point.
    value, low, high : float
        Share of the runs, with the 95% interval of Clopper and Pearson.
    """

    learner: str
    title: str
    kind: str
    value: float
    low: float
    high: float


def distinguisher(
    length: int, d: int, m: int, epsilon: float, *, trials: int, seed: int
) -> tuple[Acceptance, ...]:
    """Run the private learners on (j, 1)^m with j an image and with j uniform.

    Every run draws its own j; a learner accepts when its hypothesis labels j with 1.

    Parameters
    ----------
    length, d, m, epsilon
        Bits of the seeds and of a point, samples, privacy loss.
    trials, seed : int
        Runs for each learner and kind.

    Raises
    ------
    InputError
        For a length that is not below d, or too long to enumerate.
    """
    member = find_concept(f"{_CONCEPT}({length})")
    target_seed(length, d)
    rng = np.random.default_rng(seed)
    found = []
    for name in progress.steps((_EFFICIENT, _PROPER)):
        entry = find_learner(member.name, name)
        for kind in progress.steps(("image", "uniform")):
            hits = 0
            for _ in progress.steps(range(trials)):
                if kind == "image":
                    j = image(uniform_below(rng, 1 << length), length, d)
                else:
                    j = 1 + uniform_below(rng, 1 << d)
                sample = Sample(d, (j,), np.zeros(m, dtype=np.intp), np.ones(m, dtype=np.uint8))
                h = entry.run(sample, Cell(sample.d, epsilon, 0.1, 0.1), rng)
                hits += h.predict(j)
            low, high = counted(np.array(float(hits)), trials)
            found.append(
                Acceptance(name, entry.title, kind, hits / trials, float(low), float(high))
            )
    return tuple(found)


# --- The figures of pseudorandom points: time against samples, and the distinguisher -------------


_YEAR = 86400.0 * 365.25
_UNITS = (
    (1e-6, "1 µs"),
    (1e-3, "1 ms"),
    (1.0, "1 s"),
    (3600.0, "1 h"),
    (_YEAR, "1 year"),
    (_YEAR * 1e3, "1,000 years"),
    (_YEAR * 1e6, "10⁶ years"),
    (_YEAR * 1.38e10, "age of the universe"),
)


def tradeoff_figure(found: Tradeoff) -> Picture:
    """Draw running time against samples: one point for every length of the seeds."""
    concept = catalog.concept("pseudorandom-point")
    proper = concept.style_of("exponential-proper")
    relaxed = concept.style_of("exponential-relaxed")
    here = found.measured
    texts = [f"l = {n:g}" if n % 8 == 0 or n == found.lengths[-1] else "" for n in found.lengths]
    says = [
        f"l = {n:g}: m = {integer(m)}, {_duration(s)}"
        for n, m, s in zip(found.lengths, found.samples, found.seconds, strict=True)
    ]
    join = int(np.flatnonzero(here)[-1])
    slow = "enumerates 2<sup>l</sup> seeds"
    data = [
        line(
            found.samples[join:],
            found.seconds[join:],
            f"{slow}: extrapolated",
            proper.colour,
            dash="dot",
            uid="extrapolated",
        )
        | told(says[join:]),
        joined(
            found.samples[here],
            found.seconds[here],
            f"{slow}: measured here",
            proper.colour,
            proper.marker,
            dash="solid",
            uid="measured",
        )
        | told([t for t, h in zip(says, here, strict=True) if h]),
        words(found.samples, found.seconds, texts, "lengths", "bottom right", proper.colour),
    ]
    if np.isfinite(found.efficient_seconds):
        m, seconds = found.efficient_samples, found.efficient_seconds
        point = marks(
            [m],
            [seconds],
            "efficient: any point",
            relaxed.colour,
            relaxed.marker,
            15,
            uid="efficient",
        )
        data.append(point | told([f"m = {integer(m)}, {_duration(seconds)}"]))
    top = float(found.seconds.max())
    ticks = [(value, text) for value, text in _UNITS if value <= 30 * top]
    low, high = 0.7 * float(found.samples.min()), 1.6 * found.efficient_samples
    layout = {
        "xaxis": log_axis((low, high), "least number of examples m", uirevision="tradeoff"),
        "yaxis": axis(
            "time of one run",
            at=[value for value, _ in ticks],
            texts=[text for _, text in ticks],
            zoom="tradeoff",
            type="log",
        ),
        "legend": below(0.18),
    }
    return Picture(
        figure={"data": data, "layout": layout},
        title="Pay in time or pay in samples",
        caption=(
            f"d = {found.d}, ε = {found.epsilon:g}, α = {found.alpha:g}, β = {found.beta:g}. Samples "
            "from the exact laws; times measured on this server, doubled with every bit beyond "
            "the last measured one (dotted: extrapolation, not measurement)."
        ),
        summary=(
            f"The learner that enumerates the seeds needs from {integer(found.samples[0])} to "
            f"{integer(found.samples[-1])} examples and from {_duration(found.seconds[0])} to "
            f"{_duration(found.seconds[-1])} for seeds of {found.lengths[0]:g} to "
            f"{found.lengths[-1]:g} bits; the efficient one needs "
            f"{integer(found.efficient_samples)} examples."
        ),
        filename=f"privsc-pseudorandom-time-d{found.d}",
        table={
            "l": plains(found.lengths),
            "m": plains(found.samples),
            "seconds": [float(f"{s:.4g}") for s in found.seconds],
            "method": ["measured" if m else "extrapolated" for m in here],
        },
    )


def distinguisher_figure(found: tuple[Acceptance, ...]) -> Picture:
    """Draw how often each learner accepts an image and a uniform point, with intervals."""
    titles = list(dict.fromkeys(row.title for row in found))
    data = []
    # A little apart, so that equal shares do not hide each other.
    for kind, colour, marker, name, lift in (
        ("image", BLUE, "circle", "j an image of the generator", 0.14),
        ("uniform", RED, "diamond", "j uniformly random", -0.14),
    ):
        rows = [row for row in found if row.kind == kind]
        shares = [row.value for row in rows]
        places = [titles.index(row.title) + lift for row in rows]
        ends = [row.low for row in rows], [row.high for row in rows]
        data.append(
            marks(shares, places, name, colour, marker, 14, uid=kind)
            | {"error_x": whisker(shares, *ends, colour, thick=2.5)}
            | hover("accepted in %{x:.1%} of the runs", name)
        )
    layout = {
        "xaxis": axis(
            "share of runs that answer j",
            (-0.03, 1.03),
            at=[0, 0.25, 0.5, 0.75, 1],
            zoom="distinguisher",
        ),
        "yaxis": axis(
            span=(-0.6, 1.6),
            at=list(range(len(titles))),
            texts=titles,
            zoom="distinguisher",
        ),
        "legend": below(0.25),
    }
    return Picture(
        figure={"data": data, "layout": layout},
        title="The distinguisher: who notices that j is no image?",
        caption="Each point a share of real runs on (j, 1) repeated m times, with the 95% interval of Clopper and Pearson.",
        summary="; ".join(
            f"{row.title}, j {'an image' if row.kind == 'image' else 'uniform'}: {row.value:.2f}"
            for row in found
        )
        + ".",
        filename="privsc-pseudorandom-distinguisher",
        table={
            "learner": [row.learner for row in found],
            "j": [row.kind for row in found],
            "share": [row.value for row in found],
            "low": [row.low for row in found],
            "high": [row.high for row in found],
        },
    )


def _duration(seconds: float) -> str:
    """Return a time in the unit that reads best."""
    for size, unit in ((31557600.0, "years"), (86400.0, "days"), (3600.0, "hours"), (1.0, "s")):
        if seconds >= size:
            value = seconds / size
            return f"{integer(value) if value >= 100 else f'{value:.3g}'} {unit}"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


# --- What the exhibits of pseudorandom points show, from values that can be a key ----------------


SEED_BITS, POINT_BITS = 8, 40  # of the distinguisher
RUNS = 300
_LAST_DRAWN = 64


def paid(
    known: tuple[tuple[int, float], ...],
    efficient: float,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
) -> Picture:
    """Draw time against samples.

    Parameters
    ----------
    known : tuple of (int, float)
        Length of the seeds, and the seconds that were measured; lengths from d on are left out.
    efficient : float
        Seconds of the efficient learner.
    d, epsilon, alpha, beta
        The setting of the laws.

    Raises
    ------
    InputError
        When no length below d was measured.
    """
    fit = {length: seconds for length, seconds in known if length < d}
    return tradeoff_figure(
        tradeoff(fit, efficient, d=d, epsilon=epsilon, alpha=alpha, beta=beta, longest=_LAST_DRAWN)
    )


def distinguished(m: int, epsilon: float, seed: int) -> Picture:
    """Run both private learners on images and on random points and draw what they answer."""
    return distinguisher_figure(
        distinguisher(SEED_BITS, POINT_BITS, m, epsilon, trials=RUNS, seed=seed)
    )
