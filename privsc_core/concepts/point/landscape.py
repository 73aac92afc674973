"""What points put on the map of all classes."""

from privsc_core.concepts.contracts import Source
from privsc_core.literature.landscape import Exchange, Gap, Line

__all__ = ["EXCHANGES", "GAPS", "LINES", "SLACK_LINES"]

_SHOWN = ("exponential", "seen")
# On both maps: of all classes, and of what a slack buys.
_SLACK = Line(
    kind="learner",
    name="seen",
    role="delta",
    label="Points with δ",
    rate="Θ(1)",
    exponent=0.0,
    says=(
        "With a slack δ points are learned properly by a number of examples that does not grow "
        "with d beyond log(1/δ)."
    ),
    source=Source("ours", "a choosing mechanism in one formula"),
    shown=_SHOWN,
)

LINES = (
    Line(
        kind="learner",
        name="erm",
        role="free",
        label="Points, no privacy",
        rate="Θ(1)",
        exponent=0.0,
        says="Without privacy a number of examples that does not depend on d suffices for points.",
        source=Source("BBKN13", "Table 1"),
        shown=("erm",),
    ),
    Line(
        kind="learner",
        name="hash",
        role="improper",
        label="Points, improper",
        rate="Θ(1)",
        exponent=0.0,
        says=(
            "For a purely private learner of points that may answer with a larger set, a number of "
            "examples that does not depend on d suffices."
        ),
        source=Source("FX14", "Section 3.1"),
        shown=("erm", "hash", "exponential"),
    ),
    Line(
        kind="learner",
        name="exponential",
        role="proper",
        label="Points, proper",
        rate="Θ(d)",
        exponent=1.0,
        says="The exponential mechanism learns points privately and properly with O(d) examples.",
        source=Source("BBKN13", "Lemma 3.4"),
        shown=("erm", "exponential"),
    ),
    Line(
        kind="bound",
        name="packing-two",
        role="proper",
        label="Points, pure, proper: at least",
        rate="Ω(d)",
        exponent=1.0,
        says="Every proper, purely private learner of points needs Ω(d) examples.",
        source=Source("BBKN13", "Corollary 3.8 and Lemma 3.9"),
        shown=("erm", "exponential"),
    ),
    _SLACK,
)

GAPS = (
    Gap(
        low="learner-erm",
        high="learner-hash",
        name="privacy (points)",
        says="Between the learner without privacy and an improper, purely private one: a constant factor.",
    ),
    Gap(
        low="learner-hash",
        high="bound-packing-two",
        name="being proper (points)",
        says=(
            "Between an improper, purely private learner and what every proper one needs: a factor "
            "that grows like d."
        ),
    ),
)

SLACK_LINES = (
    Line(
        kind="learner",
        name="exponential",
        role="proper",
        label="Points, pure",
        rate="Θ(d)",
        exponent=1.0,
        says="The exponential mechanism learns points privately and properly with O(d) examples.",
        source=Source("BBKN13", "Lemma 3.4"),
        shown=_SHOWN,
    ),
    _SLACK,
    Line(
        kind="bound",
        name="seen",
        role="delta",
        label="Points with δ: enough anywhere",
        rate="Θ(1)",
        exponent=0.0,
        says="So many examples suffice on every distribution, for domains that are not tiny.",
        source=Source("ours", "by the mass of the target"),
        shown=_SHOWN,
    ),
    Line(
        kind="bound",
        name="packing-delta",
        role="delta",
        label="Points, proper with δ: at least",
        rate="Ω(1)",
        exponent=0.0,
        says="No proper (ε, δ)-private learner of points does with fewer on the hard distribution.",
        source=Source("ours", "the packing converse, step by step"),
        shown=_SHOWN,
    ),
)
EXCHANGES = (Exchange(pure="exponential", slack="seen", label="points"),)
