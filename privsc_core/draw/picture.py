"""A finished picture: the figure with its words and numbers; words of other people made safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Source


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What a page needs to show, download and read out a figure.

    Attributes
    ----------
    figure : dict
        A Plotly figure, ``{"data": [...], "layout": {...}}``, with arrays and no template.
        A dictionary, because building and checking a `go.Figure` costs more than computing
        the curves; `plotly_figure` makes one.
    title, caption, summary : str
        Above, below, and for those who do not see it.
    filename : str
        Of downloads, without extension.
    table : dict of str to list
        The numbers in columns of equal length.
    sources : tuple of Source
        Where they come from, where no `Scenario` tells.
    """

    figure: dict[str, Any]
    title: str
    caption: str
    summary: str
    filename: str
    table: dict[str, list[Any]]
    sources: tuple[Source, ...] = ()


# --- Somebody else's words in a figure -----------------------------------------------------------


_LONGEST = 60
# Plotly reads a subset of HTML in its texts. ‹ and › look alike and mean nothing; behind an
# ampersand an invisible blank keeps it from starting an entity.
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "&": "&\u200b"})


def plain_text(text: str, longest: int = _LONGEST) -> str:
    """Return somebody else's text for a figure: short, one line, without any markup."""
    part = "".join(c if c.isprintable() else " " for c in text[: longest + 1]).strip()
    part = part if len(part) <= longest else part[: longest - 1] + "…"
    return part.translate(_HARMLESS) or "(blank)"
