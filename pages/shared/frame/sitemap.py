"""The pages: a new one is one line here; which class it shows it declares itself."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["CLASSES", "PAGES", "address", "classes", "file_of"]

CLASSES = "Concept classes"
# Group, then label and file of each page.
PAGES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Start", (("Overview", "app.py"), ("Lectures", "pages/lectures.py"))),
    (
        "Tools",
        (
            ("Calculator", "pages/calculator.py"),
            ("What δ buys", "pages/delta.py"),
            ("Laboratory", "pages/laboratory.py"),
            ("Atlas of bounds", "pages/atlas.py"),
        ),
    ),
    (
        CLASSES,
        (
            ("Points", "pages/points.py"),
            ("Intervals", "pages/intervals.py"),
            ("Thresholds", "pages/thresholds.py"),
            ("Parities", "pages/parities.py"),
            ("Pseudorandom", "pages/pseudorandom.py"),
            ("Data release", "pages/release.py"),
        ),
    ),
)


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
