"""Time against samples for pseudorandom points, and the distinguisher (BBKN13, Section 6)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privsc_core import progress
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.pseudorandom.generator import image, target_seed
from privsc_core.concepts.pseudorandom.learners import enumerate_images
from privsc_core.concepts.shared.sample import Sample, uniform_below
from privsc_core.draw.picture import Picture, plains, plot
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    PINK,
    STEEL,
    axis,
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


def paid(
    known: tuple[tuple[int, float], ...],
    efficient: float,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    longest: int = 64,
) -> Picture:
    """Draw running time against samples: one point for every length of the seeds.

    Parameters
    ----------
    known : tuple of (int, float)
        Length of the seeds, and the seconds that were measured; lengths from d on are left out.
    efficient : float
        Seconds of the efficient learner, NaN if not measured.
    d, epsilon, alpha, beta
        The setting of the laws.
    longest : int
        Up to which length to go on, by doubling, at most d - 1.

    Raises
    ------
    InputError
        When no length below d was measured.
    """
    fit = {length: seconds for length, seconds in known if length < d}
    if not fit:
        raise InputError("known", "must have at least one measured length", "none")
    last = max(fit)
    lengths = list(range(min(fit), max(min(longest, d - 1), last) + 1))
    least = [
        _least(f"{_CONCEPT}({length})", _PROPER, d, epsilon, alpha, beta)
        for length in progress.steps(lengths)
    ]
    samples = np.array(least)
    seconds = np.array([fit.get(n, math.ldexp(fit[last], n - last)) for n in lengths])
    here = np.isin(lengths, list(fit))
    relaxed = _least(_CONCEPT, _EFFICIENT, d, epsilon, alpha, beta)
    look = find_concept(_CONCEPT).style_of
    proper = look(_PROPER)
    texts = [f"l = {n}" if n % 8 == 0 or n == lengths[-1] else "" for n in lengths]
    says = [
        f"l = {n}: m = {integer(m)}, {_duration(s)}"
        for n, m, s in zip(lengths, samples, seconds, strict=True)
    ]
    join = lengths.index(last)
    slow = "enumerates 2<sup>l</sup> seeds"
    data = [
        line(
            samples[join:], seconds[join:], f"{slow}: extrapolated", proper, dash="dot",
            uid="extrapolated",
        )
        | told(says[join:]) | {"of": _PROPER},
        joined(samples[here], seconds[here], f"{slow}: measured here", proper, uid="measured")
        | told([t for t, h in zip(says, here, strict=True) if h]) | {"of": _PROPER},
        words(samples, seconds, texts, "lengths", "bottom right", proper.colour),
    ]  # fmt: skip
    if math.isfinite(efficient):
        style = look(_EFFICIENT)
        point = marks(
            [relaxed], [efficient], "efficient: any point", style.colour, style.marker, 15
        )
        says = [f"m = {integer(relaxed)}, {_duration(efficient)}"]
        data.append(point | told(says) | {"uid": "efficient", "of": _EFFICIENT})
    top = float(seconds.max())
    ticks = [(value, text) for value, text in _UNITS if value <= 30 * top]
    at, units = zip(*ticks, strict=True)
    return plot(
        data,
        log_axis((0.7 * float(samples.min()), 1.6 * relaxed), "least number of examples m"),
        axis("time of one run", at=at, texts=units, type="log"),
        title="Much time or many examples",
        caption=(
            f"d = {d}, ε = {epsilon:g}, α = {alpha:g}, β = {beta:g}. Numbers of examples come from exact laws. Times "
            "were measured on this server. Beyond the last measured time they are doubled with every bit (dotted: "
            "extrapolated, not measured)."
        ),
        summary=(
            f"The learner that enumerates the seeds needs from {integer(samples[0])} to "
            f"{integer(samples[-1])} examples and from {_duration(seconds[0])} to "
            f"{_duration(seconds[-1])} for seeds of {lengths[0]} to {lengths[-1]} bits; the "
            f"efficient one needs {integer(relaxed)} examples."
        ),
        filename=f"privsc-pseudorandom-time-d{d}",
        table={
            "l": lengths,
            "m": plains(samples),
            "seconds": [float(f"{s:.4g}") for s in seconds],
            "method": ["measured" if m else "extrapolated" for m in here],
        },
    )


def distinguisher_figure(found: tuple[Acceptance, ...]) -> Picture:
    """Draw how often each learner accepts an image and a uniform point, with intervals."""
    titles = list(dict.fromkeys(row.title for row in found))
    data = []
    # A little apart, so that equal shares do not hide each other.
    for kind, colour, marker, name, lift in (
        ("image", STEEL, "circle", "j an image of the generator", 0.14),
        ("uniform", PINK, "diamond", "j uniformly random", -0.14),
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
    return plot(
        data,
        axis("share of runs that answer j", (-0.03, 1.03), at=[0, 0.25, 0.5, 0.75, 1]),
        axis(span=(-0.6, 1.6), at=list(range(len(titles))), texts=titles),
        legend=0.25,
        title="The distinguisher: which learner notices that j is no image?",
        caption=(
            "Each point is a share of real runs on m copies of (j, 1), with the 95% interval of Clopper and Pearson."
        ),
        summary="; ".join(
            f"{row.title}, j {'an image' if row.kind == 'image' else 'uniform'}: {row.value:.2f}"
            for row in found
        )
        + ".",
        filename="privsc-pseudorandom-distinguisher",
        table={
            name: [getattr(row, of) for row in found]
            for name, of in (
                ("learner", "learner"), ("j", "kind"), ("share", "value"), ("low", "low"), ("high", "high"),
            )
        },
    )  # fmt: skip


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


def distinguished(m: int, epsilon: float, seed: int) -> Picture:
    """Run both private learners on images and on random points and draw what they answer."""
    return distinguisher_figure(
        distinguisher(SEED_BITS, POINT_BITS, m, epsilon, trials=RUNS, seed=seed)
    )
