"""Heading and first words of every page beside those of the classes.

They stand here because they are said twice: by the page, and by what a browser is sent before it
(first.py), which no page can be asked for.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HEADS", "Head"]


class Head(NamedTuple):
    """A heading, and Markdown below it; none where the page begins with a figure."""

    title: str
    claim: str = ""


HEADS = {
    "lectures": Head(
        "Lectures",
        "Scenes in large type, one figure each. Step with a clicker, with **Page down** and **Page up**, "
        "or with **→** and **←**; **Home** and **End** are the first and the last, **B** blanks the "
        "screen, **L** lists the scenes and all keys, **Q** shows the QR code, **Esc** leaves. "
        "Everything stays alive: the controls that a scene keeps can be moved, by mouse, or with "
        "**Tab** and the arrows **↑** and **↓**.",
    ),
    "calculator": Head(
        "Calculator",
        "Say what you have: every learner of a class with an exact law answers with what it reaches, "
        "and beside it stands what is out of reach of **anyone**.",
    ),
    "delta": Head("What δ buys"),
    "labels": Head(
        "Few labels, many people",
        "**Proper, pure private learners pay for $d$ in people (unlabelled examples), not in labels.** Move "
        "$d$: the frontier rises, the wall stays. Both move with $\\varepsilon$.",
    ),
    "laboratory": Head(
        "Dimension laboratory",
        "**Which number of a class decides what pure privacy costs?** Click a matrix together, a row a "
        "concept and a column a point, or pick a class: every dimension is computed, with what it "
        "implies for numbers of samples.",
    ),
    "atlas": Head(
        "Atlas of bounds",
        "Every bound of this dashboard: what it says, from where, when, whom it binds, where it is valid, "
        "why it holds, and its curve beside the others at your setting. What the literature has found "
        "since is named, with its year, and not computed.",
    ),
    "sweep": Head(
        "Sweeps",
        "**A million settings are a matter for your own machine, or your cluster; the picture is one "
        "for this page.** Load what `privsc sweep` wrote: Parquet, or CSV with the same columns.",
    ),
}
"""By the names of pages in addresses."""
