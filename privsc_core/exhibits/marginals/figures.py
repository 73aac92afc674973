"""The figures of marginals: matrices with their spectra, and errors against rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts.style import SIGNED_SCALE, TEAL, faint
from privsc_core.draw.picture import Picture, plain_text
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    AMBER,
    BLUE,
    GREY,
    QUIET,
    above,
    axis,
    band,
    below,
    cells,
    fixed_axis,
    hover,
    joined,
    line,
    log_axis,
    marks,
    stroke,
)
from privsc_core.exhibits.marginals.tables import errors, population, released, worst_of_signs
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from privsc_core.exhibits.marginals.tables import Errors, Released, Survey


_SCALE = [[place / 4, colour] for place, colour in enumerate(SIGNED_SCALE)]
_PANELS = ((0.0, 0.31), (0.345, 0.655), (0.69, 1.0))
_TOP = 0.82  # of the panels; their titles are above
_NAME_LONGEST = 28


def _setting(found: Released) -> str:
    return (
        f"m = {integer(found.survey.rows)} rows, {len(found.survey.names)} attributes, ε = "
        f"{found.epsilon:g}, δ = {small(found.delta)}, noise of standard deviation {found.sigma:.3g}, "
        f"seed {found.seed}"
    )


def _titled(found: Released) -> str:
    before, after = found.error(found.noisy), found.error(found.projected)
    return f"Thrown away, at no cost: {before:.3g} off before the projection, {after:.3g} after it"


def matrices_figure(found: Released) -> Picture:
    """Draw the true, the noisy and the projected answers side by side."""
    survey = found.survey
    names = ["constant", *(plain_text(name, _NAME_LONGEST) for name in survey.names)]
    # Places of equal names would be one place.
    names = [n if names.count(n) == 1 else f"{n} ({place})" for place, n in enumerate(names)]
    size = len(names)
    panels = (
        ("true", survey.moments, "not private"),
        ("noisy", found.noisy, f"off by {found.error(found.noisy):.3g}"),
        ("projected", found.projected, f"off by {found.error(found.projected):.3g}"),
    )
    data, layout = [], {}
    notes = []
    for place, ((name, matrix, words), domain) in enumerate(zip(panels, _PANELS, strict=True)):
        suffix = "" if place == 0 else str(place + 1)
        data.append(
            cells(matrix, name, _SCALE, -1.0, 1.0, showscale=place == 2)
            | hover("%{x} × %{y}: %{z:.3f}", name)
            | {"x": names, "y": names, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
            | {"colorbar": {"thickness": 10}}
        )
        ends = (-0.5, size - 0.5)
        layout[f"xaxis{suffix}"] = fixed_axis(
            ends,
            domain=list(domain),
            at=[],
            type="category",
            constrain="domain",
            anchor=f"y{suffix}",
        )
        layout[f"yaxis{suffix}"] = fixed_axis(
            (ends[1], ends[0]), at=[], type="category", scaleanchor=f"x{suffix}", constrain="domain",
            constraintoward="top", domain=[0.0, _TOP], anchor=f"x{suffix}"
        )  # fmt: skip
        notes.append({
            "text": f"<b>{name}</b><br>{words}", "x": 0.5, "y": 1.0, "xref": f"x{suffix} domain",
            "yref": f"y{suffix} domain", "yanchor": "bottom", "showarrow": False,
        })  # fmt: skip
    upper = np.triu_indices(size, 1)
    cell_words = (
        f"Of the cells of all tables of two attributes {found.impossible:,} are negative before the "
        f"projection and {found.still:,} after it: the elliptope is somewhat larger than what tables allow."
    )
    return Picture(
        figure={"data": data, "layout": layout | {"annotations": notes}},
        title=_titled(found),
        caption=(
            f"{_setting(found)}. One real run. Means of products of two attributes as signs, from −1 to 1; the "
            f"first row is the means themselves. The true answers are not private. {cell_words}"
        ),
        summary=(
            f"Three matrices of {size} by {size} answers: true, with noise, projected. {_titled(found)}. {cell_words}"
        ),
        filename=f"privsc-marginals-eps{found.epsilon:g}-seed{found.seed}",
        table={
            "first": [names[j] for j in upper[0].tolist()],
            "second": [names[k] for k in upper[1].tolist()],
            "true": survey.moments[upper].tolist(),
            "noisy": found.noisy[upper].tolist(),
            "projected": found.projected[upper].tolist(),
        },
    )


def spectra_figure(found: Released) -> Picture:
    """Draw the eigenvalues of the three matrices, the largest first."""
    spectra = {
        "true": (np.linalg.eigvalsh(found.survey.moments)[::-1], GREY, "diamond"),
        "noisy": (np.linalg.eigvalsh(found.noisy)[::-1], BLUE, "circle"),
        "projected": (np.linalg.eigvalsh(found.projected)[::-1], TEAL, "triangle-down"),
    }
    order = np.arange(1, len(found.survey.names) + 2)
    data = [
        joined(order, values, name, colour, symbol, 7)
        | hover(f"{name}: eigenvalue %{{x}} is %{{y:.3g}}")
        for name, (values, colour, symbol) in spectra.items()
    ]
    negative = int((spectra["noisy"][0] < 0.0).sum())
    low = min(0.0, float(spectra["noisy"][0][-1]))
    high = max(float(values.max()) for values, _, _ in spectra.values())
    pad = 0.06 * (high - low)
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": axis("eigenvalue, the largest first", (0.5, order[-1] + 0.5), zoom="spectra"),
                "yaxis": axis("size", (low - pad, high + pad), zoom="spectra"),
                "shapes": [stroke((0, 1), (0, 0), GREY, xref="paper", yref="y")],
                "legend": above(),
            },
        },
        title=f"{negative} of {order[-1]} eigenvalues are impossible",
        caption=(
            "No table has a negative eigenvalue. The projection cuts them off and lowers the others, until the "
            "diagonal is 1 again: noise spread over all directions goes, what the table has stays."
        ),
        summary=(
            f"Eigenvalues of the true, noisy and projected matrix in order. {negative} of the noisy ones are "
            f"negative, down to {spectra['noisy'][0][-1]:.3g}."
        ),
        filename=f"privsc-marginals-spectra-eps{found.epsilon:g}-seed{found.seed}",
        table={"order": order.tolist()} | {n: v.tolist() for n, (v, _, _) in spectra.items()},
    )  # fmt: skip


def errors_figure(found: Errors, table: str, d: int, epsilon: float, delta: float) -> Picture:
    """Draw root mean square errors against the number of rows, on log axes."""
    x = found.rows
    projected, synthetic = found.projected, found.synthetic
    data = [
        band(x, projected[0] - projected[1], projected[0] + projected[1], "95% of projected", faint(TEAL)) | QUIET,
        band(x, synthetic[0] - synthetic[1], synthetic[0] + synthetic[1], "95% of synthetic", faint(AMBER)) | QUIET,
        line(x, found.noise, "Gaussian noise", BLUE) | hover("m = %{x:,}: noise %{y:.3g}"),
        line(x, found.guaranteed, "guaranteed after the projection", TEAL, dash="dash", width=2)
        | hover("m = %{x:,}: guaranteed %{y:.3g}"),
        marks(x, projected[0], "projected", TEAL, "triangle-down", 9) | hover("m = %{x:,}: projected %{y:.3g}"),
        marks(x, synthetic[0], "synthetic table", AMBER, "square", 8) | hover("m = %{x:,}: synthetic %{y:.3g}"),
    ]  # fmt: skip
    if found.floor > 0.0:
        ends = np.array([x[0], x[-1]])
        data.append(
            line(ends, np.full(2, found.floor), "synthetic, endless rows", AMBER, dash="dot", width=2)
            | hover("synthetic table with endless rows: %{y:.3g}")
        )  # fmt: skip
    every = np.concatenate([found.noise, found.guaranteed, projected[0], synthetic[0]])
    low, high = float(every[every > 0].min()) / 1.3, float(every.max()) * 1.3
    gain = float((found.noise / np.maximum(projected[0], 1e-12)).max())
    floor = (
        f"The synthetic table, of signs of Gaussian vectors, keeps an error of {found.floor:.3g} however many "
        f"rows there are (on any table an answer is at most {worst_of_signs():.4f} off)."
        if found.floor > 1e-9
        else "On this table the synthetic one has no error of its own."
    )
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": log_axis((float(x[0]), float(x[-1])), "number of rows m", uirevision=f"{table}{d}"),
                "yaxis": log_axis((low, high), "root mean square error", uirevision=f"{table}{d}"),
                "legend": below(0.24),
            },
        },
        title=f"The projection is up to {gain:.3g} times nearer than the noise",
        caption=(
            f"{table}, d = {d}, ε = {epsilon:g}, δ = {small(delta)}. Noise and guarantee are exact, the latter "
            f"on average over the noise and on every table; projected and synthetic errors are simulated, "
            f"{found.draws} draws of the noise, the same at every m. The noise falls like 1/m, the guarantee like "
            f"1/√m as long as it is below. {floor}"
        ),
        summary=(
            f"At m = {integer(float(x[0]))} the noise is {found.noise[0]:.3g} and the projected error "
            f"{projected[0][0]:.3g}; at m = {integer(float(x[-1]))} they are {found.noise[-1]:.3g} and "
            f"{projected[0][-1]:.3g}. {floor}"
        ),
        filename=f"privsc-marginals-errors-{table}-d{d}-eps{epsilon:g}",
        table={
            "rows": x.tolist(), "noise": found.noise.tolist(), "guaranteed": found.guaranteed.tolist(),
            "projected": projected[0].tolist(), "synthetic": synthetic[0].tolist(),
        },
    )  # fmt: skip


# --- What the exhibits of marginals show, from values that can be a key --------------------------


def survey_pictures(
    survey: Survey, epsilon: float, delta: float, seed: int
) -> tuple[Released, Picture, Picture]:
    """Release a table once, and draw its matrices and their spectra."""
    found = released(survey, epsilon, delta, seed)
    return found, matrices_figure(found), spectra_figure(found)


def population_pictures(
    table: str, d: int, rows: int, epsilon: float, delta: float, seed: int
) -> tuple[Released, Picture, Picture]:
    """Do so with one of the tables of the class."""
    return survey_pictures(population(table, d, rows), epsilon, delta, seed)


def errors_picture(table: str, d: int, epsilon: float, delta: float, seed: int) -> Picture:
    """Draw the errors of one of the tables of the class against the number of rows."""
    return errors_figure(errors(table, d, epsilon, delta, seed), table, d, epsilon, delta)
