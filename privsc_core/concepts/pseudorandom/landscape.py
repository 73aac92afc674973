"""What pseudorandom points put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Gap, Line

__all__ = ["GAPS", "LINES"]

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Pseudorandom, no privacy",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "Without privacy a number of examples that does not depend on d suffices for "
            "pseudorandom points, also for an efficient learner."
        ),
        source=Source("BBKN13", "Remark 6.2"),
        shown=("erm",),
    ),
    Line(
        kind="learner",
        name="exponential-proper",
        role="proper",
        label="Pseudorandom, proper, slow",
        rate="Θ(l), l = √d",
        exponent=0.5,
        says=(
            "A proper private learner that may take its time needs examples for the bits of a "
            "seed alone, here √d of them."
        ),
        source=Source("BBKN13", "Theorem 6.1, with Theorem 3.2"),
        shown=("erm", "exponential-relaxed", "exponential-proper"),
    ),
    Line(
        kind="learner",
        name="exponential-relaxed",
        role="efficient",
        label="Pseudorandom, fast",
        rate="Θ(d)",
        exponent=1.0,
        says=(
            "An efficient private learner that answers with any point, image or not, makes do "
            "with O(d) examples."
        ),
        source=Source("BBKN13", "Lemma 3.4"),
        shown=("erm", "exponential-relaxed", "exponential-proper"),
    ),
    Line(
        kind="bound",
        name="packing-two-relaxed",
        role="efficient",
        label="Pseudorandom, pure, fast: at least",
        rate="Ω(d)",
        exponent=1.0,
        says=(
            "Every efficient, purely private learner that answers with a point needs Ω(d) examples, "
            "if the generator is secure."
        ),
        source=Source("BBKN13", "Theorem 6.1"),
        shown=("erm", "exponential-relaxed", "exponential-proper"),
    ),
)

GAPS = (
    Gap(
        low="learner-exponential-proper",
        high="bound-packing-two-relaxed",
        name="efficiency",
        says=(
            "Between a slow, purely private learner and what every efficient one needs, if the "
            "generator is secure and both answer with a point: a factor that grows like √d."
        ),
    ),
)
