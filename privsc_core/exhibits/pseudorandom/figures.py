"""The figures of pseudorandom points: time against samples, and the distinguisher."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.draw.figures import plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    BLUE,
    ORANGE,
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

if TYPE_CHECKING:
    from privsc_core.exhibits.pseudorandom.efficiency import Acceptance, Tradeoff

__all__ = ["distinguisher_figure", "tradeoff_figure"]

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
        ("uniform", ORANGE, "diamond", "j uniformly random", -0.14),
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
