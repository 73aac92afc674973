"""What lines put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Line

__all__ = ["LINES", "SLACK_LINES"]

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
        label="Lines, pure, any: at least",
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
        kind="bound",
        name="packing",
        role="proper",
        label="Lines, pure, proper: at least",
        rate="Ω(d)",
        exponent=1.0,
        says=(
            "Every proper, purely private learner of lines needs Ω(log p) examples, by our bounds about "
            "twice what improper ones need at least."
        ),
        source=Source("ours", "the packing of points (BBKN13, Lemma 3.9), with lines"),
        shown=("erm", "exponential"),
    ),
)

_SHOWN = ("exponential", "vote")
SLACK_LINES = (
    Line(
        kind="bound",
        name="packing",
        role="proper",
        label="Lines, pure, proper: at least",
        rate="Ω(d)",
        exponent=1.0,
        says=(
            "Every proper, purely private learner of lines needs Ω(log p) examples, by our bounds about "
            "twice what improper ones need at least."
        ),
        source=Source("ours", "the packing of points (BBKN13, Lemma 3.9), with lines"),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="blind-guess",
        role="improper",
        label="Lines, pure, any: at least",
        rate="Ω(d)",
        exponent=1.0,
        says="Every purely private learner of lines, proper or not, needs Ω(log p) examples.",
        source=Source("FX14", "Theorem 5.3"),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="vote",
        role="delta",
        label="Lines with δ: enough anywhere",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "With a slack δ lines are learned by a number of examples that does not depend on p at all: "
            "so many suffice on every distribution."
        ),
        source=Source("FX14", "Theorem 6.1"),
        shown=_SHOWN,
    ),
)
