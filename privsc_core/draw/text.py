"""Somebody else's words in a figure."""

from __future__ import annotations

__all__ = ["plain_text"]

_LONGEST = 60
# Plotly reads a subset of HTML in its texts. ‹ and › look alike and mean nothing; behind an
# ampersand an invisible blank keeps it from starting an entity.
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "&": "&\u200b"})


def plain_text(text: str, longest: int = _LONGEST) -> str:
    """Return somebody else's text for a figure: short, one line, without any markup."""
    part = "".join(c if c.isprintable() else " " for c in text[: longest + 1]).strip()
    part = part if len(part) <= longest else part[: longest - 1] + "…"
    return part.translate(_HARMLESS) or "(blank)"
