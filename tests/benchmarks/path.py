"""How much code a move of d on Points runs through, between the setting and the encoded figure.

``python -m tests.benchmarks.path`` counts files, functions and calls of the product, with nothing
prepared: a new process, and a setting that no test and no warm-up uses.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pages.shared.chart import payload
from pages.shared.page import first
from pages.shared.page.declaration import declared
from privsc_core import draw
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
UNPREPARED = 23  # no stop of a slider
OURS = (str(ROOT / "privsc_core"), str(ROOT / "pages"))


def counted() -> Counter[tuple[str, str, int]]:
    """Return how often each function of the product was called, by file, name and line."""
    page = declared("pages/points.py")
    scenario, _, _ = first.first(page)  # what a server has computed before its first visitor
    calls: Counter[tuple[str, str, int]] = Counter()

    def told(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS):
            calls[code.co_filename, code.co_qualname, code.co_firstlineno] += 1

    sys.setprofile(told)
    try:
        moved = replace(scenario, d=UNPREPARED)
        views.numbers(moved)
        payload.of_picture(draw.picture(moved, on_map=page.on_map), height=400)
    finally:
        sys.setprofile(None)
    return calls


if __name__ == "__main__":
    CALLS = counted()
    FILES = {file for file, _, _ in CALLS}
    print(f"{len(FILES)} files, {len(CALLS)} functions, {sum(CALLS.values()):,} calls")
