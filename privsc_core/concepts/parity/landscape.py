"""What parities put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Line

__all__ = ["LINES"]

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Parities, no privacy",
        rate="Θ(d)",
        exponent=1.0,
        says="Without privacy d equations, and a few more, tell a parity.",
        source=Source("ours", "the rank of random equations"),
        shown=("erm", "elimination"),
    ),
    Line(
        kind="bound",
        name="converse",
        role="proper",
        label="Parities, pure, proper: at least",
        rate="Ω(d)",
        exponent=1.0,
        says=(
            "Every proper, purely private learner of parities needs Ω(d) examples, as many as without privacy but "
            "for a factor: here privacy costs no power of d."
        ),
        source=Source("ours", "all pairs of targets share the sample points"),
        shown=("erm", "elimination"),
    ),
)
