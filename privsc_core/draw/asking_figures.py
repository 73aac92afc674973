"""The picture of asking few of many: labels and people against the privacy loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.draw.budgets_figures import LEARNER, sources_of
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import ORANGE, THICK, THIN, hover, line, marks

if TYPE_CHECKING:
    from privsc_core.draw.budgets_figures import Told
    from privsc_core.evaluate.asking import Asking

__all__ = ["asking_figure"]

_BILL = "#a05fb5"


def asking_figure(found: Asking, told: Told, *, published: bool) -> Picture:
    """Draw labels, and people, against epsilon, with what the setting promises.

    Parameters
    ----------
    found : Asking
    told : Told
        Of the class.
    published : bool
        Whether the world sees whose label was asked.
    """
    at, own = found.at, told.colours[0]
    promise = found.inner if published else at.epsilon
    asked = np.full(found.epsilon.shape, found.asked)
    rows = [
        ("Labels, and it is known who gives them", found.known, told.colours[1], "solid"),
        ("Labels of a random few, nobody knows whose", asked, own, "solid"),
        ("The people they are drawn from", found.people, _BILL, "dash"),
        ("The same by the paper", found.paper, _BILL, "dot"),
    ]
    data = [
        line(found.epsilon, y, name, colour, dash=dash, width=THICK if dash == "solid" else THIN)
        | hover(f"<b>{name}</b><br>ε = %{{x:.3g}}: %{{y:,.0f}}")
        for name, y, colour, dash in rows
    ]
    dot = marks([promise], [found.asked], "what is promised", ORANGE, "circle", 13)
    dot["marker"]["line"] = {"color": "#ffffff", "width": THIN}
    data.append(dot | hover(f"ε = {number(promise)}: {integer(found.asked)} labels"))
    values = np.concatenate([y for _, y, *_ in rows])
    values = values[np.isfinite(values)]
    span = float(values.min()) / 1.5, float(values.max()) * 1.5
    ends = float(found.epsilon[0]), float(found.epsilon[-1])
    few, crowd = integer(found.asked), integer(found.crowd)
    says = (
        f"{few} labels, and everybody sees whose: each of the {few} is protected by "
        f"ε = {number(found.inner)} only"
        if published
        else f"{few} labels of a random few among {crowd} people: everybody is protected by "
        f"ε = {number(at.epsilon)}"
    )
    if not published and found.inner <= at.epsilon:
        says = f"{few} labels: at ε = {number(at.epsilon)} nobody need hide"
    return Picture(
        figure={
            "data": data,
            "layout": log_layout("privacy loss ε promised to everybody", ends, "examples", span),
        },
        title=says[0].upper() + says[1:],
        caption=(
            f"{told.symbol}, d = {at.d:,}, α = {number(at.alpha)}, β = {number(at.beta)}: labels of "
            f"{told.learner} on {told.hard}, with any number of unlabelled examples of others. A random few "
            "of the people are asked, and the choice is private by "
            f"ε = {number(found.inner)} for them: that is log(1 + share · (e^ε - 1)) for everybody (exact, ours; the paper "
            "draws the smallest indices and needs more people), as long as nobody sees whose label was asked (BNS15, "
            "Definition 5.3). Who publishes it (Definition 5.4) keeps the inner loss alone, and at the "
            f"setting's ε must ask for at least {number(round(found.least, 2))} labels (ours)."
        ),
        summary=f"{says}. By the paper the people would be "
        f"{integer(float(found.paper[np.searchsorted(found.epsilon, at.epsilon)]))}.",
        filename=f"privsc-labels{told.own}-asked-eps{at.epsilon:g}-inner{found.inner:g}",
        table={
            "line": [name for name, *_ in rows for _ in found.epsilon],
            "epsilon": plains(np.tile(found.epsilon, len(rows))),
            "examples": plains(np.concatenate([y for _, y, *_ in rows])),
        },
        sources=(Source("BNS15", "Definitions 5.3 and 5.4"), *sources_of(told, LEARNER)),
    )  # fmt: skip
