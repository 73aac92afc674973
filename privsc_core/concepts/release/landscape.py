"""What data release puts on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Gap, Line

__all__ = ["GAPS", "LINES", "SLACK_LINES"]

LINES = (
    Line(
        kind="learner",
        name="laplace",
        role="improper",
        label="Release, pure",
        rate="Θ(d)",
        exponent=1.0,
        says=(
            "Data for points can be released with pure privacy from O(d) entries, here by a "
            "histogram with noise."
        ),
        source=Source("BBKN13", "Theorem 7.1"),
        shown=("laplace", "stability"),
    ),
    Line(
        kind="bound",
        name="packing-two",
        role="improper",
        label="Release, pure, any: at least",
        rate="Ω(d)",
        exponent=1.0,
        says="Every purely private release of data for points needs Ω(d) entries.",
        source=Source("BBKN13", "Theorem 7.2"),
        shown=("laplace", "stability"),
    ),
    Line(
        kind="learner",
        name="stability",
        role="delta",
        label="Release with δ",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "With a slack δ the stability-based histogram releases data for points from a number "
            "of entries that does not depend on d."
        ),
        source=Source("ours", "the histogram of Korolova, Kenthapadi, Mishra, Ntoulas 2009"),
        shown=("laplace", "stability"),
    ),
)

GAPS = (
    Gap(
        low="learner-stability",
        high="bound-packing-two",
        name="δ = 0 (release)",
        says=(
            "Between a release with a slack δ and what every purely private one needs: a factor "
            "that grows like d."
        ),
    ),
)

SLACK_LINES = tuple(line for line in LINES if line.kind == "learner")
