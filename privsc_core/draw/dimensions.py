"""The dimensions of a class as bars, and its mistake tree as a picture and as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privsc_core.finite import Dimensions
    from privsc_core.finite.littlestone import Node
    from privsc_core.finite.report import Inequality, Quantity

__all__ = ["Bar", "Branch", "aloud", "bars", "between", "branches", "sides", "tree_lines"]

_LEVELS = 4  # of a tree that are drawn


@dataclass(frozen=True, slots=True)
class Bar:
    """One number and its bar: shares of the width, from `low`, which is sure, to `high`."""

    name: str
    title: str
    words: str
    text: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree as it is drawn: its point, the answer that led there, what is below.

    `wrong` is whether that answer is a mistake of the hypothesis; a leaf's text counts them.
    """

    text: str
    answer: str
    below: tuple[Branch, ...]
    wrong: bool = False


def between(low: float, high: float) -> str:
    """Return a number, or the ends between which it lies."""
    return _plain(low) if math.isclose(low, high) else f"{_plain(low)} to {_plain(high)}"


def _plain(value: float) -> str:
    return f"{value:.4g}" if value < 10**6 else f"{value:.3g}"


def bars(found: Dimensions) -> tuple[Bar, ...]:
    """Return the bars, all on one logarithmic scale that begins at 0: log2(1 + value)."""
    top = max(_length(q.high) for q in found.quantities) or 1.0
    return tuple(_bar(q, top) for q in found.quantities)


def aloud(found: Dimensions) -> str:
    """Return a class and its dimensions in one sentence, for those who hear the page."""
    size = f"{len(found.of)} different concepts on {found.of.points} points"
    return f"{size}: {', '.join(f'{q.title} {between(q.low, q.high)}' for q in found.quantities)}."


def _bar(q: Quantity, top: float) -> Bar:
    low, high = _length(q.low) / top, _length(q.high) / top
    return Bar(q.name, q.title, q.words, between(q.low, q.high), low, high)


def _length(value: float) -> float:
    return math.log2(1.0 + value)


def sides(entry: Inequality) -> tuple[str, str, str]:
    """Return both numbers of an inequality, and what stands between them."""
    sign = "<" if entry.strict else "=" if entry.tight else "≤"
    return _plain(entry.low), sign, _plain(entry.high)


def branches(tree: Node, hypothesis: int = 0) -> Branch:
    """Return the upper levels of a mistake tree to be drawn, with a hypothesis' mistakes."""

    def grow(node: Node | None, answer: str, level: int, wrong: list[bool]) -> Branch:
        last = bool(wrong) and wrong[-1]
        if node is None:
            return Branch(str(sum(wrong)), answer, (), last)
        if level == _LEVELS:
            return Branch("…", answer, (), last)
        said = hypothesis >> node.x & 1
        below = tuple(
            grow(n, str(y), level + 1, [*wrong, y != said]) for y, n in enumerate(node.below)
        )
        return Branch(str(node.x + 1), answer, below, last)

    return grow(tree, "", 0, [])


def tree_lines(tree: Node) -> list[str]:
    """Return the upper levels as text: a line a node, with the answers that lead to it."""
    lines: list[str] = []

    def tell(node: Node | None, path: tuple[str, ...]) -> None:
        if node is None or len(path) == _LEVELS:
            return
        where = "first" if not path else "after " + ", ".join(path)
        lines.append(f"{where}: ask point {node.x + 1}")
        for label, below in enumerate(node.below):
            tell(below, (*path, f"{node.x + 1} is {label}"))

    tell(tree, ())
    return lines
