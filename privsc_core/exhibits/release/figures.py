"""The figures of data release: a histogram beside its private release, and what delta buys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.draw.figures import plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, share
from privsc_core.draw.text import plain_text
from privsc_core.draw.traces import (
    AMBER,
    BLUE,
    MUTE,
    ORANGE,
    PALE,
    TEAL,
    Trace,
    axis,
    bar,
    below,
    faint,
    hover,
    joined,
    log_axis,
    marks,
    told,
)
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from privsc_core.exhibits.release.histograms import Answers, DeltaCurve, ReleasedHistogram

__all__ = ["delta_figure", "histogram_figure"]

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
    made = marks(
        x,
        synthetic.fractions,
        "synthetic database",
        AMBER,
        "square-open",
        11,
        edge=2,
        uid="synthetic",
    )
    data = [
        near | MUTE | {"base": low, "width": 0.92},
        truth | says,
        made | says | free,
        marks(x, released.fractions, "released", BLUE, "diamond") | says | free,
        _worst(found),
    ]
    top = 1.1 * max(float(v.max()) for v in (high, released.fractions, synthetic.fractions))
    numbers = all(label.removeprefix("-").isdecimal() for label in found.histogram.labels)
    step = math.ceil(len(names) / (_NUMBERS_MOST if numbers else _NAMES_MOST))
    shown = [plain_text(label, _LABEL_LONGEST) for label in found.labels]
    what = plain_text(found.histogram.name)
    zoom = f"{what}/{len(found.points)}"
    layout = {
        "barmode": "overlay",
        "xaxis": axis(
            what,
            (-0.6, len(names) - 0.4),
            at=x[::step].tolist(),
            texts=shown[::step],
            zoom=zoom,
        ),
        "yaxis": axis("fraction of the entries", (0, top), zoom=zoom),
        "legend": below(0.28),
    }
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
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"{verdict} within α = {found.alpha:g}",
        caption=(
            f"One real run of the {found.mechanism.title}: m = {integer(found.histogram.size)}, "
            f"ε = {found.epsilon:g}{slack}, seed {found.seed}. Counts below "
            f"{found.threshold:,.4g} are released as 0. Worst query: {worst}.{rest}"
        ),
        summary=(
            f"Bars of {len(found.histogram.labels)} true fractions with a band of "
            f"{found.alpha:g} around each, and the released fractions. Worst query: {worst}. "
            f"{_verdict(released)}. The synthetic database is off by {synthetic.error:.3g} at most."
        ),
        filename=f"privsc-release-{found.mechanism.name}-eps{found.epsilon:g}-seed{found.seed}",
        table={
            "value": names,
            "true": [float(v) for v in found.truth],
            "released": [float(v) for v in released.fractions],
            "synthetic": [float(v) for v in synthetic.fractions],
        },
    )


def _worst(found: ReleasedHistogram) -> Trace:
    """Ring the released fraction that is furthest off."""
    at = found.released.worst
    y = float(found.released.fractions[at])
    ring = marks([float(at)], [y], "worst query", ORANGE, "circle-open", 22, edge=3, uid="worst")
    return ring | MUTE | {"cliponaxis": False}


def _verdict(answers: Answers) -> str:
    return "The release is useful" if answers.useful else "The release is not useful"


def delta_figure(curve: DeltaCurve) -> Picture:
    """Draw the least number of entries against d, without and with delta."""
    slack = f"δ = {small(curve.delta)}"
    rows = (
        ("laplace", "pure: Laplace histogram", curve.pure),
        ("stability", f"{slack}: stability histogram", curve.approximate),
    )
    data = []
    for learner, name, values in rows:
        style = catalog.concept("release").style_of(learner)
        curve_of = joined(curve.d, values, name, style.colour, style.marker, 8, dash=style.dash)
        data.append(curve_of | {"uid": learner} | hover("d = %{x:,}: m = %{y:,.0f}"))
    known = np.concatenate([values[np.isfinite(values)] for *_, values in rows])
    span = (float(known.min()) / 1.6, float(known.max()) * 1.6) if known.size else (1.0, 1e3)
    ends = (float(curve.d[0]), float(curve.d[-1]))
    ahead = np.flatnonzero(curve.approximate < curve.pure)
    if ahead.size:
        better = f"From d = {integer(float(curve.d[ahead[0]]))} on δ needs fewer entries"
    else:
        better = "δ does not need fewer entries here"
    layout = {
        "xaxis": log_axis(ends, "bits of a value d", uirevision="delta"),
        "yaxis": log_axis(span, "least number of entries m", uirevision="delta"),
        "legend": below(0.2),
    }
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"{better}, however many values are possible" if ahead.size else better,
        caption=(
            f"m equal entries, ε = {curve.epsilon:g}, α = {curve.alpha:g}, β = {curve.beta:g}, "
            f"{slack}. Exact: least m with success probability at least {share(1 - curve.beta)}."
        ),
        summary=(
            f"Least number of entries against d on logarithmic axes: the pure mechanism goes "
            f"from {integer(float(curve.pure[0]))} to {integer(float(curve.pure[-1]))}, the one "
            f"with {slack} stays at {integer(float(curve.approximate[-1]))}."
        ),
        filename=f"privsc-release-delta-eps{curve.epsilon:g}",
        table={
            "d": [int(v) for v in curve.d],
            "laplace": plains(curve.pure),
            "stability": plains(curve.approximate),
        },
    )
