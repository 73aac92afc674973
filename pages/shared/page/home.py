"""The words of the home page that are there before any program runs."""

from __future__ import annotations

__all__ = ["CLAIM", "TITLE"]

TITLE = "How many examples does private learning cost?"
CLAIM = (
    "A learner is **differentially private** when replacing any one labelled example changes the "
    "probability of every output by a factor of at most $e^{\\varepsilon}$. This dashboard shows, "
    "for simple concept classes, how many examples $m$ a learner then needs to be accurate: exact "
    "laws and simulations of the real algorithms, with the bounds of the papers around them."
)
