"""What half-spaces put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.landscape import Line

__all__ = ["LINES"]

LINES = (
    Line(
        kind="bound",
        name="packing",
        role="improper",
        label="Half-spaces, labels alone private: at least",
        rate="Ω(n)",
        exponent=1.0,
        says=(
            "In n dimensions even a learner that hides the labels alone needs a number of examples that "
            "grows with n, however it represents what it learned."
        ),
        source=Source("CH11", "Theorem 10"),
        shown=("averaging",),
    ),
)
