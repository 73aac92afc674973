"""The figures of marginals: matrices with their spectra, and errors against rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts.style import SIGNED_SCALE, Style, faint
from privsc_core.concepts.marginals.distributions import BITS_MOST, pairs
from privsc_core.concepts.marginals.laws import deviation, laplace_scale, turned
from privsc_core.draw.picture import Picture, columns, plain_text, plot
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    GREY,
    above,
    axis,
    band,
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
_STYLE_OF = catalog.concept("marginals").style_of
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
    return (
        f"Removed noise, at no cost: {before:.3g} off before the projection, {after:.3g} after it"
    )


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
    data, notes = [], []
    axes: dict[str, Any] = {}
    ends = (-0.5, size - 0.5)
    for place, ((name, matrix, words), domain) in enumerate(zip(panels, _PANELS, strict=True)):
        suffix = "" if place == 0 else str(place + 1)
        x, y = f"x{suffix}", f"y{suffix}"
        data.append(
            cells(matrix, name, _SCALE, -1.0, 1.0, showscale=place == 2)
            | hover("%{x} × %{y}: %{z:.3f}", name)
            | {"x": names, "y": names, "xaxis": x, "yaxis": y, "colorbar": {"thickness": 10}}
        )
        kind: dict[str, Any] = {"at": [], "type": "category", "constrain": "domain"}
        axes[f"xaxis{suffix}"] = fixed_axis(ends, domain=list(domain), anchor=y, **kind)
        axes[f"yaxis{suffix}"] = fixed_axis(
            ends[::-1], scaleanchor=x, constraintoward="top", domain=[0.0, _TOP], anchor=x, **kind
        )
        notes.append({
            "text": f"<b>{name}</b><br>{words}", "x": 0.5, "y": 1.0, "xref": f"{x} domain",
            "yref": f"{y} domain", "yanchor": "bottom", "showarrow": False,
        })  # fmt: skip
    upper = np.triu_indices(size, 1)
    cell_words = (
        f"Of the cells of all tables of two attributes {found.impossible:,} are negative before the "
        f"projection and {found.still:,} after it: the elliptope is somewhat larger than what tables allow."
    )
    return plot(
        data,
        axes.pop("xaxis"),
        axes.pop("yaxis"),
        **axes,
        annotations=notes,
        legend=None,
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
        }
        | {name: matrix[upper].tolist() for name, matrix, _ in panels},
    )


def spectra_figure(found: Released) -> Picture:
    """Draw the eigenvalues of the three matrices, the largest first."""
    gauss, projected = (_STYLE_OF(name) for name in ("gauss", "projected"))
    looks = (
        ("true", found.survey.moments, Style(GREY, "", "diamond")),
        ("noisy", found.noisy, gauss),
        ("projected", found.projected, projected),
    )
    order = np.arange(1, len(found.survey.names) + 2)
    data = [
        joined(order, np.linalg.eigvalsh(matrix)[::-1], name, look, size=7)
        | hover(f"{name}: eigenvalue %{{x}} is %{{y:.3g}}")
        for name, matrix, look in looks
    ]
    noisy = data[1]["y"]
    negative = int((noisy < 0.0).sum())
    low = min(0.0, float(noisy[-1]))
    high = max(float(trace["y"].max()) for trace in data)
    pad = 0.06 * (high - low)
    return plot(
        data,
        axis("eigenvalue, the largest first", (0.5, order[-1] + 0.5)),
        axis("size", (low - pad, high + pad)),
        shapes=[stroke((0, 1), (0, 0), GREY, xref="paper", yref="y")],
        legend=above(),
        title=f"{negative} of {order[-1]} eigenvalues are impossible",
        caption=(
            "No table has a negative eigenvalue. The projection removes negative eigenvalues and lowers the others "
            "until the diagonal is 1 again. So it removes noise that is spread over all directions, and keeps the "
            "structure of the table."
        ),
        summary=(
            f"Eigenvalues of the true, noisy and projected matrix in order. {negative} of the noisy ones are "
            f"negative, down to {noisy[-1]:.3g}."
        ),
        filename=f"privsc-marginals-spectra-eps{found.epsilon:g}-seed{found.seed}",
        table=columns(data, "order"),
    )


def errors_figure(found: Errors, table: str, d: int, epsilon: float, delta: float) -> Picture:
    """Draw root mean square errors against the number of rows, on log axes."""
    x = found.rows
    projected, synthetic = found.projected, found.synthetic
    gauss, look = _STYLE_OF("gauss"), _STYLE_OF("projected")
    own = look.colour
    data = [
        band(x, mean - half, mean + half, f"95% of {name}", faint(colour))
        for (mean, half), name, colour in ((projected, "projected", own), (synthetic, "synthetic", own))
    ] + [
        line(x, found.noise, "Gaussian noise", gauss)
        | hover("m = %{x:,}: noise %{y:.3g}") | {"of": "gauss"},
        line(x, found.guaranteed, "guaranteed after the projection", own, dash="dash", width=2)
        | hover("m = %{x:,}: guaranteed %{y:.3g}") | {"of": "projected"},
        marks(x, projected[0], "projected", own, look.marker, 9)
        | hover("m = %{x:,}: projected %{y:.3g}") | {"of": "projected"},
        marks(x, synthetic[0], "synthetic table", own, "square", 8)
        | hover("m = %{x:,}: synthetic %{y:.3g}"),
    ]  # fmt: skip
    if found.floor > 0.0:
        endless = line(
            x[[0, -1]], [found.floor] * 2, "synthetic, endless rows", own, dash="dot", width=2
        )
        data.append(endless | hover("synthetic table with endless rows: %{y:.3g}"))
    every = np.concatenate([found.noise, found.guaranteed, projected[0], synthetic[0]])
    low, high = float(every[every > 0].min()) / 1.3, float(every.max()) * 1.3
    gain = float((found.noise / np.maximum(projected[0], 1e-12)).max())
    floor = (
        f"The synthetic table, of signs of Gaussian vectors, keeps an error of {found.floor:.3g} however many rows "
        f"there are (on every table an answer is at most {worst_of_signs():.4f} off)."
        if found.floor > 1e-9
        else "On this table the synthetic table adds no error."
    )
    return plot(
        data,
        log_axis((float(x[0]), float(x[-1])), "number of rows m", uirevision=f"{table}{d}"),
        log_axis((low, high), "root mean square error", uirevision=f"{table}{d}"),
        legend=0.24,
        title=f"The projection is up to {gain:.3g} times nearer to the truth than the noisy answers",
        caption=(
            f"{table}, d = {d}, ε = {epsilon:g}, δ = {small(delta)}. Noise and guarantee are exact; the guarantee is "
            "on average over the noise and on every table. Projected and synthetic errors are simulated, "
            f"{found.draws} draws of the noise, the same at every m. The noise falls like 1/m; where the guarantee "
            f"is below the noise, it falls like 1/√m. {floor}"
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


def noise_picture(d: int, rows: int, epsilon: float, delta: float) -> Picture:
    """Draw the standard deviation of the noise on an answer against the number of attributes."""
    x = np.unique(np.geomspace(2, BITS_MOST, 25).round().astype(np.int64))
    laplace = math.sqrt(2.0) * laplace_scale(np.array(rows), x, np.array(epsilon))
    gauss = deviation(np.array(rows), x, np.array(epsilon), delta)
    most, every = int(turned(np.array(d))), np.concatenate([laplace, gauss])
    data = [
        line(x, y, name, _STYLE_OF(learner)) | hover(f"d = %{{x}}: {name}, %{{y:.3g}}") | {"of": learner}
        for y, name, learner in (
            (laplace, "Laplace noise, grows like d²", "laplace"), (gauss, "Gaussian noise, grows like d", "gauss")
        )
    ]  # fmt: skip
    caption = (
        f"m = {integer(rows)}, ε = {epsilon:g}, δ = {small(delta)} for Gaussian noise. Exact. At d = {d} one row "
        f"changes up to {most:,} of {pairs(d):,} answers by 2/m each: in all by {2 * most:,}/m (ℓ₁), and as the root "
        f"of the sum of squares by {2 * math.sqrt(most):.3g}/m (ℓ₂)."
    )
    return plot(
        data,
        log_axis((2.0, float(BITS_MOST)), "number of attributes d"),
        log_axis((float(every.min()) / 1.3, 1.3 * float(every.max())), "standard deviation of the noise"),
        legend=0.24,
        title="The noise on every answer, against the number of attributes",
        caption=caption,
        summary=f"Two lines on log axes: Laplace noise grows like d², Gaussian noise like d. {caption}",
        filename=f"privsc-marginals-noise-d{d}-eps{epsilon:g}",
        table={"d": x.tolist(), "laplace": laplace.tolist(), "gauss": gauss.tolist()},
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
