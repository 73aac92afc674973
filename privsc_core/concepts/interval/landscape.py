"""What thresholds put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Contest, Gap, Line

__all__ = ["CONTEST", "GAPS", "LINES", "SLACK_LINES"]

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Intervals, no privacy",
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
        label="Intervals, pure, any: at least",
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
        label="Intervals, proper",
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
        name="privacy (intervals)",
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
        label="Intervals, pure",
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
        label="Intervals with δ, by a tree",
        rate="Θ(log d)",
        exponent=0.0,
        says=(
            "With a slack the learner of a binary tree needs about the logarithm of the bits. Here the "
            "target is in the middle, where trees have it easy; its guarantee holds for every target."
        ),
        source=Source(
            "ours", "one level of RecConcave (Beimel, Nissim, Stemmer 2013b) in one shot"
        ),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="tree",
        role="delta",
        label="Intervals with δ: enough anywhere",
        rate="Θ(log d)",
        exponent=0.0,
        says="So many examples suffice the learner of a tree on every distribution, for every target.",
        source=Source("ours", "the scores of the tree"),
        shown=_SHOWN,
    ),
    Line(
        kind="learner",
        name="search",
        role="delta",
        label="Intervals with δ, noisy binary search",
        rate="Θ(√(d log d))",
        exponent=0.5,
        says=(
            "Binary search whose every count has Gaussian noise pays about √(d log d): on large domains "
            "less than the exponential mechanism, and far more than the tree."
        ),
        source=Source("ours", "binary search with exact Gaussian composition"),
        shown=(*_SHOWN, "search"),
    ),
    Line(
        kind="learner",
        name="atoms",
        role="delta",
        label="Intervals: copies (no PAC learner)",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "On the hard distribution repeated points give the step away; where points hardly repeat "
            "this learner needs far more, on the uniform distribution more examples than there are points."
        ),
        source=Source("ours", "stability; a choosing mechanism in one formula"),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="packing-delta",
        role="delta",
        label="Intervals, proper with δ: at least",
        rate="Ω(1)",
        exponent=0.0,
        says=(
            "No proper (ε, δ)-private learner of thresholds does with fewer on the hard "
            "distribution. That log* d examples are needed, for δ up to about 1/m², is known from other "
            "arguments."
        ),
        source=Source("ours", "the packing converse, step by step"),
        shown=_SHOWN,
    ),
)

CONTEST = Contest(
    learners=("exponential", "atoms", "tree"),
    laws=(
        ("hard", "hard(alternating)"),
        ("cascade", "cascade"),
        ("band", "band(16,0.5,alternating)"),
        ("uniform", "uniform(alternating)"),
    ),
    bits=(64, 1024),
    says=(
        "**What is hard depends on who learns.** On the hard distribution copies of two points give "
        "the step away to *atoms*, which fail wherever points do not repeat. The *exponential* "
        "mechanism pays for the thresholds that are *not* accurate: nearly all of them on the hard "
        "distribution, few on the uniform one. The *tree* looks at scales, not at thresholds, and "
        "hardly cares. The target alternates, j = 0101…01 in binary: T/2 is a gift to a tree."
    ),
)
