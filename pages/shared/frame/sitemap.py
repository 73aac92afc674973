"""The pages: a new one is one line here; which class it shows it declares itself."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

CLASSES = "Concept classes"
# Group, then label and file of each page.
PAGES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Start", (("Overview", "app.py"), ("Lectures", "pages/lectures.py"))),
    (
        "Tools",
        (
            ("Calculator", "pages/calculator.py"),
            ("What δ buys", "pages/delta.py"),
            ("What log* costs", "pages/logstar.py"),
            ("Labels", "pages/labels.py"),
            ("Laboratory", "pages/laboratory.py"),
            ("Atlas of bounds", "pages/atlas.py"),
            ("Ours", "pages/ours.py"),
            ("Sweeps", "pages/sweep.py"),
        ),
    ),
    (
        CLASSES,
        (
            ("Points", "pages/points.py"),
            ("Thresholds on 2ᵈ points", "pages/intervals.py"),
            ("Thresholds on [0, 1]", "pages/thresholds.py"),
            ("Half-spaces", "pages/halfspaces.py"),
            ("Lines", "pages/lines.py"),
            ("Parities", "pages/parities.py"),
            ("Conjunctions", "pages/conjunctions.py"),
            ("Pseudorandom", "pages/pseudorandom.py"),
            ("Data release", "pages/release.py"),
            ("Marginals", "pages/marginals.py"),
            ("Your own class", "pages/yours.py"),
        ),
    ),
)

# Pages beside those of the classes that can be shown to an audience; they declare `FIELDS`.
_STAGED = ("pages/labels.py", "pages/logstar.py", "pages/laboratory.py")


def address(file: str) -> str:
    """Return the name of a page in addresses: ``points``; empty for the home page."""
    path = PurePosixPath(file)
    return path.stem if path.parent.name == "pages" else ""


def classes() -> tuple[tuple[str, str], ...]:
    """Return label and file of every class page."""
    return dict(PAGES).get(CLASSES, ())


def file_of(page: str) -> str:
    """Return the file of a class page by its name in addresses, or an empty text."""
    return next((file for _, file in classes() if address(file) == page), "")


def staged() -> dict[str, str]:
    """Return the files of the pages that can be shown to an audience, by their names in addresses."""
    known = {file for _, group in PAGES for _, file in group}
    files = [*(file for _, file in classes()), *(file for file in _STAGED if file in known)]
    return {address(file): file for file in files}


# --- Heading and first words of every page beside those of the classes ---------------------------
#
# They stand here because they are said twice: by the page, and by what a browser is sent before it
# (first.py), which no page can be asked for.


class Head(NamedTuple):
    """A heading, and Markdown below it; none where the page begins with a figure."""

    title: str
    claim: str = ""


HEADS = {
    "lectures": Head(
        "Lectures",
        "**A lecture is a list of scenes; each scene is a live figure in large type, with a caption.** Step through "
        "the scenes with the buttons Back and Next, a clicker, or the keys **→** and **←**. The key **L** lists the "
        "other keys.",
    ),
    "calculator": Head(
        "Calculator",
        "Say what you have and what you look for. Each row shows what one learner reaches, and the proved limit for "
        "**all learners of its kind**.",
    ),
    "delta": Head(
        "What δ buys",
        "**Under approximate privacy, with a small $\\delta > 0$, the number of examples nearly stops growing with "
        "the bits $d$ of a domain point.**",
    ),
    "logstar": Head(
        "What log* costs",
        "**Recursing once more replaces $\\log d$ by $\\log\\log d$, but raises a factor from 3 to 5.** It pays only at "
        "very many bits.",
    ),
    "labels": Head(
        "Few labels, many people",
        "**Proper, purely private learners pay for $d$ in unlabelled examples, not in labels.** Move $d$: "
        "the unlabelled examples grow, the labels stay. Both change with $\\varepsilon$.",
    ),
    "laboratory": Head(
        "Dimension laboratory",
        "**Which number of a class decides what pure privacy costs?** Its representation dimension decides: the "
        "number of bits that it takes to name a good hypothesis. Pick a class, or set the labels of a matrix (a row "
        "is a concept, a column a point), and compare it with the Littlestone and the VC dimension.",
    ),
    "atlas": Head(
        "Atlas of bounds",
        "Every bound of this dashboard, with its number at your setting. **Open a row** for the statement, its "
        "proof, its source, and its curve beside the others. Later results of the literature are listed, but not "
        "computed.",
    ),
    "ours": Head(
        "Ours",
        "Lower bounds, upper bounds and learners that this project derives itself. Some sharpen a theorem of a paper, some "
        "are textbook facts with constants, and for some we know of no reference. **Open a row** for the statement, its "
        "proof, commands that check it, and what is nearest in the literature.",
    ),
    "sweep": Head(
        "Sweeps",
        "**Compute up to a million settings on your own machine or cluster, and look at the results "
        "here.** A sweep draws what no page draws, such as learners of several classes in one figure. The figure shows an "
        "example; below it you load what `privsc sweep` wrote.",
    ),
}
"""By the names of pages in addresses."""
