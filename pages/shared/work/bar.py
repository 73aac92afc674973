"""The bar of whatever takes long: the one way in which pages say how much is done."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["Bar", "draw", "left", "words"]

_SECONDS = 90.0  # from here on minutes


class Bar:
    """A bar in a place: it is sent again only where it says something else.

    Who waits for others looks four times a second how far they are, and so do all others who wait.
    """

    def __init__(self, place: DeltaGenerator) -> None:
        self._place, self._drawn = place, ""

    def draw(self, share: float | None, said: str) -> None:
        """Draw it, as `draw` does."""
        now = _html(share, said)
        if now != self._drawn:
            self._place.html(now)
            self._drawn = now


def draw(place: DeltaGenerator, share: float | None, said: str) -> None:
    """Draw the bar in a place, over what was there.

    Parameters
    ----------
    place : DeltaGenerator
    share : float or None
        How much is done, from 0 to 1; None where nobody knows: the bar moves to and fro.
    said : str
        Plain text below it, which is also what the bar is called.
    """
    Bar(place).draw(share, said)


def _html(share: float | None, said: str) -> str:
    text = html.escape(said)
    # The browser's own element: its role and value need no further words.
    value = "" if share is None else f' value="{share:.3f}"'
    return (
        f'<div class="pv-doing"><progress max="1"{value} aria-label="{text}"></progress>'
        f"<p>{text}</p></div>"
    )


def words(share: float, seconds: float | None = None) -> str:
    """Return in words how much is done, and how many seconds are left where that is known."""
    rest = "" if seconds is None else f", {left(seconds)}"
    return f"Computing … {100 * share:.0f} %{rest}"


def left(seconds: float) -> str:
    """Return in words how long something takes yet."""
    if seconds < 1.5:
        return "about a second left"
    if seconds < _SECONDS:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} minutes left"
