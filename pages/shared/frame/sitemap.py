"""The pages: a new one is one line here; which class it shows it declares itself."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["CLASSES", "PAGES", "address", "classes", "file_of", "staged"]

CLASSES = "Concept classes"
# Group, then label and file of each page.
PAGES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Start", (("Overview", "app.py"), ("Lectures", "pages/lectures.py"))),
    (
        "Tools",
        (
            ("Calculator", "pages/calculator.py"),
            ("What δ buys", "pages/delta.py"),
            ("Labels", "pages/labels.py"),
            ("Laboratory", "pages/laboratory.py"),
            ("Atlas of bounds", "pages/atlas.py"),
            ("Sweeps", "pages/sweep.py"),
        ),
    ),
    (
        CLASSES,
        (
            ("Points", "pages/points.py"),
            ("Intervals", "pages/intervals.py"),
            ("Thresholds", "pages/thresholds.py"),
            ("Half-spaces", "pages/halfspaces.py"),
            ("Lines", "pages/lines.py"),
            ("Parities", "pages/parities.py"),
            ("Conjunctions", "pages/conjunctions.py"),
            ("Pseudorandom", "pages/pseudorandom.py"),
            ("Data release", "pages/release.py"),
            ("Marginals", "pages/marginals.py"),
        ),
    ),
)

# Pages beside those of the classes that can be shown to an audience; they declare `FIELDS`.
_STAGED = ("pages/labels.py", "pages/laboratory.py")


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
