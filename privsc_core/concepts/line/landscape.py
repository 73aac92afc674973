"""What lines put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.landscape import Gap, Line

__all__ = ["GAPS", "LINES"]

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Lines, no privacy",
        rate="Θ(1)",
        exponent=0.0,
        says="Without privacy a number of examples that does not depend on p suffices for lines.",
        source=Source("FX14", "Section 6"),
        shown=("erm",),
    ),
    Line(
        kind="bound",
        name="blind-guess",
        role="improper",
        label="Lines, anyone: at least",
        rate="Ω(d)",
        exponent=1.0,
        says=(
            "Every purely private learner of lines, proper or not, needs Ω(log p) examples, although "
            "VC and Littlestone dimension are 2."
        ),
        source=Source("FX14", "Theorem 5.3"),
        shown=("erm", "exponential"),
    ),
    Line(
        kind="learner",
        name="exponential",
        role="proper",
        label="Lines, proper",
        rate="Θ(d)",
        exponent=1.0,
        says="The exponential mechanism learns lines privately and properly with O(log p) examples.",
        source=Source("BBKN13", "Theorem 3.2"),
        shown=("erm", "exponential"),
    ),
)

GAPS = (
    Gap(
        low="learner-erm",
        high="bound-blind-guess",
        name="privacy (lines)",
        says=(
            "Between the learner without privacy and what every purely private one needs, proper or "
            "not: a factor that grows like log p, at Littlestone dimension 2."
        ),
    ),
)
