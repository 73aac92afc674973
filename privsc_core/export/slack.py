"""How to get the numbers of the page about δ elsewhere."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.evaluate.slack import PLACES

if TYPE_CHECKING:
    from privsc_core.evaluate.landscape import Standpoint

__all__ = ["slack_commands"]


def slack_commands(at: Standpoint) -> list[str]:
    """Return the commands that print the least m of every learner of the page, one a class."""
    places = ",".join(str(place) for place in PLACES)
    found = []
    for concept in catalog.CONCEPTS:
        names = [line.name for line in concept.slack_lines if line.kind == "learner"]
        if names:
            words = [
                "privsc", "need", "--concept", shlex.quote(concept.name), "--learner",
                ",".join(names), "-d", places,
                *(f"--{n}={getattr(at, n)!r}" for n in ("epsilon", "alpha", "beta", "delta")),
            ]  # fmt: skip
            found.append(" ".join(words))
    return found
