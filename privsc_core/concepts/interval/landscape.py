"""What thresholds put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.landscape import Gap, Line

__all__ = ["GAPS", "LINES", "SLACK_LINES"]

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Thresholds, no privacy",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "Without privacy a number of examples that does not depend on d suffices for "
            "thresholds."
        ),
        source=Source("BBKN13", "Theorem 2.4"),
        shown=("erm",),
    ),
    Line(
        kind="bound",
        name="littlestone",
        role="improper",
        label="Thresholds, anyone: at least",
        rate="Ω(d)",
        exponent=1.0,
        says="Every purely private learner of thresholds, proper or not, needs Ω(d) examples.",
        source=Source("FX14", "Corollary 4.3"),
        shown=("erm", "exponential"),
    ),
    Line(
        kind="learner",
        name="exponential",
        role="proper",
        label="Thresholds, proper",
        rate="Θ(d)",
        exponent=1.0,
        says=(
            "The exponential mechanism learns thresholds privately and properly with O(d) examples."
        ),
        source=Source("BBKN13", "Theorem 3.2 and Lemma 5.2"),
        shown=("erm", "exponential"),
    ),
)

GAPS = (
    Gap(
        low="learner-erm",
        high="bound-littlestone",
        name="privacy (thresholds)",
        says=(
            "Between the learner without privacy and what every purely private one needs, proper "
            "or not: a factor that grows like d."
        ),
    ),
)

_SHOWN = ("exponential", "atoms", "tree")
SLACK_LINES = (
    Line(
        kind="learner",
        name="exponential",
        role="proper",
        label="Thresholds, pure",
        rate="Θ(d)",
        exponent=1.0,
        says=(
            "The exponential mechanism learns thresholds privately and properly with O(d) examples."
        ),
        source=Source("BBKN13", "Theorem 3.2 and Lemma 5.2"),
        shown=_SHOWN,
    ),
    Line(
        kind="learner",
        name="tree",
        role="delta",
        label="Thresholds with δ, by a tree",
        rate="Θ(log d)",
        exponent=0.0,
        says=(
            "With a slack the learner of a binary tree needs about the logarithm of the bits. Here the "
            "target is in the middle, where trees have it easy; its guarantee holds for every target."
        ),
        source=Source("ours", "one level of RecConcave (Beimel, Nissim, Stemmer 2013) in one shot"),
        shown=_SHOWN,
    ),
    Line(
        kind="learner",
        name="atoms",
        role="delta",
        label="Thresholds with δ, by copies (no PAC learner)",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "On the hard distribution repeated points give the step away; elsewhere this learner "
            "needs far more, or never learns."
        ),
        source=Source("ours", "stability; a choosing mechanism in one formula"),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="packing-delta",
        role="delta",
        label="Thresholds, proper with δ: at least",
        rate="Ω(1)",
        exponent=0.0,
        says=(
            "No proper (ε, δ)-private learner of thresholds does with fewer on the hard "
            "distribution. That log* d examples are needed is known from other arguments."
        ),
        source=Source("ours", "the packing converse, step by step"),
        shown=_SHOWN,
    ),
)
