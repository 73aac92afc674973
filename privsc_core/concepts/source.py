"""Where a statement comes from."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A key of `privsc_core.concepts.papers`, or ``ours``, and a place."""

    paper: str
    place: str
