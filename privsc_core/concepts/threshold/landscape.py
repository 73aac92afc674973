"""What thresholds on [0, 1] put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Line

__all__ = ["LINES"]

LINES = (
    Line(
        kind="bound",
        name="packing-two",
        role="proper",
        label="Thresholds, pure, proper: at least",
        rate="Ω(b)",
        exponent=1.0,
        says=(
            "On [0, 1] a proper, purely private learner of thresholds needs more examples for every bit of "
            "resolution b = log2 κ: no finite number does for all smooth distributions."
        ),
        source=Source("CH11", "Theorem 5"),
        shown=("erm", "density", "noisy-count"),
    ),
)
