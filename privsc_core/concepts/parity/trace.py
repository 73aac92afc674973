"""What the runs of several learners of parities tell in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privsc_core.concepts.parity.linear import System
    from privsc_core.concepts.trace import Recorder

__all__ = ["coin", "reduced"]


def reduced(recorder: Recorder, found: System | None, examples: int, which: str = "") -> None:
    """Add the step of the row reduction of so many examples; `which` says whose."""
    if found is None:
        words = (
            f"{examples:,} examples are {examples:,} equations ⟨r, x⟩ = y modulo 2. Their reduction "
            "ends in 0 = 1: no parity fits them all."
        )
    else:
        fit = f"2^{found.free:,} parities fit" if found.free else "one parity fits"
        words = (
            f"{examples:,} examples are {examples:,} equations ⟨r, x⟩ = y modulo 2 for the {found.d:,} "
            f"bits of r. Reduced, {len(found.rows):,} are left: {found.shown()}. So {fit}."
        )
    recorder.step(f"The row reduction{which}", words)


def coin(recorder: Recorder, found: System | None) -> None:
    """Add the step of the draw among the solutions."""
    if found is not None and not found.free:
        recorder.step("The coin", "There is one solution, and nothing to draw.")
        return
    many = "all parities" if found is None else f"the 2^{found.free:,} solutions"
    recorder.step("The coin", f"One of {many} is drawn, each with the same probability.")
