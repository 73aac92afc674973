"""The words of the field, once: what pages, tables and figures explain in place.

Symbols stand in `privsc_core.parameters`. Every meaning is plain text that stands alone, because
it is shown in tooltips and read out.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GROUPS", "TERMS", "Term", "find"]


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the field.

    Attributes
    ----------
    word : str
        As a reader meets it in a sentence.
    meaning : str
        One to three plain sentences.
    group : str
        A name in `GROUPS`.
    also : tuple of str
        Other forms that mean the same: what tables and cards write.
    """

    word: str
    meaning: str
    group: str
    also: tuple[str, ...] = ()


GROUPS: dict[str, str] = {
    "learning": "Learning",
    "privacy": "Privacy",
    "evidence": "Where a number comes from",
    "figure": "What figures show",
}

TERMS: tuple[Term, ...] = (
    Term(
        "domain", "The set of all points that can occur: here the 2^d strings of d bits.", "learning",
    ),
    Term(
        "concept",
        "A rule that labels every point of the domain 0 or 1. A concept class is a set of such "
        "rules, known to the learner beforehand.",
        "learning",
        ("concept class",),
    ),
    Term(
        "target",
        "The concept that labels the examples. The learner knows the class, not which concept of "
        "it is the target.",
        "learning",
    ),
    Term(
        "distribution",
        "How the points of the examples are drawn, each independently. A learner has to succeed "
        "on every distribution; pictures show one, mostly one that is hard.",
        "learning",
    ),
    Term(
        "sample",
        "The learner's data: m labelled examples, each a random point with its label.",
        "learning",
        ("labelled examples",),
    ),
    Term(
        "learner",
        "An algorithm that turns a sample into a hypothesis. Every learner here is the real "
        "algorithm and can be run.",
        "learning",
    ),
    Term(
        "hypothesis",
        "What a learner puts out: a rule that labels every point. Its error is the probability "
        "that it labels a fresh random point differently from the target.",
        "learning",
        ("error",),
    ),
    Term(
        "success",
        "The learner's hypothesis has error at most α; for a release, every answer is less than α "
        "off. The probability of success is over the sample and the learner's own coins.",
        "learning",
        ("success probability",),
    ),
    Term(
        "least m",
        "The sample complexity: the least number of examples with which the probability of "
        "success is at least 1-β. A larger number suffices too, with two exceptions: where a rule rounds "
        "a share of m (data release, noisy counts for conjunctions, every g-th cut), or where labels may "
        "be wrong, it may fall short again; a remark then says from which m on all suffice.",
        "learning",
        ("sample complexity",),
    ),
    Term(
        "proper",
        "A proper learner's hypothesis is always a concept of the class. An improper one may put "
        "out any rule, which can save examples.",
        "learning",
        ("improper",),
    ),
    Term(
        "adjacent",
        "Two samples of equal size are adjacent when they differ in one example, point or label "
        "or both. Privacy compares outputs on adjacent samples.",
        "privacy",
        ("adjacency", "adjacent samples"),
    ),
    Term(
        "differential privacy",
        "On adjacent samples the probability of every set of outputs differs by a factor of at "
        "most e^ε: from the output nobody can tell much about any one example.",
        "privacy",
        ("private", "privacy"),
    ),
    Term(
        "pure",
        "ε-differential privacy: the factor e^ε holds for every output, without exception (δ = 0).",
        "privacy",
        ("pure privacy", "ε-DP"),
    ),
    Term(
        "approximate",
        "(ε, δ)-differential privacy: the factor e^ε may fail by a probability of at most δ, which "
        "must be much smaller than 1/m.",
        "privacy",
        ("approximate privacy", "(ε, δ)"),
    ),
    Term(
        "labels only",
        "Only the labels of the examples are protected; the points count as public. Adjacent samples "
        "then have the same points, and one label is flipped.",
        "privacy",
        ("label privacy",),
    ),
    Term(
        "exponential mechanism",
        "Chooses each concept with a probability that falls exponentially, at rate ε/2, in the "
        "number of examples it gets wrong: good concepts are likely, none is impossible.",
        "privacy",
    ),
    Term(
        "price",
        "The price of privacy: the least m of this learner, divided by the least m of the first "
        "learner without privacy.",
        "privacy",
        ("price of privacy", "the price"),
    ),
    Term(
        "law",
        "How the success probability of a learner at a given m is known: by an exact formula, or "
        "by simulating the algorithm.",
        "evidence",
    ),
    Term(
        "exact",
        "Computed from a formula, up to rounding errors of the computer. No randomness is in it.",
        "evidence",
        ("exact law",),
    ),
    Term(
        "bracketed",
        "Between two ends that are proved, of which the lower one is drawn and counted: no simulation, "
        "and no formula for the value itself.",
        "evidence",
        ("proved ends",),
    ),
    Term(
        "Rao-Blackwell",
        "Simulated, with less noise: random samples are drawn, for each the learner's probability "
        "of success over its own coins is computed exactly, and these are averaged.",
        "evidence",
        ("simulated, averaged exactly",),
    ),
    Term(
        "Monte Carlo",
        "Simulated: the algorithm is run on random samples, and its successes are counted.",
        "evidence",
        ("monte-carlo", "simulated", "simulated, counted"),
    ),
    Term(
        "lower bound",
        "A theorem: below this m none of the learners that it speaks of succeeds with probability "
        "1-β for every target and distribution, or a release on every database. A learner that "
        "just knows one target needs no examples for it.",
        "evidence",
        ("impossible below",),
    ),
    Term(
        "upper bound",
        "A theorem: with this m or more, the learner that it speaks of succeeds with probability "
        "at least 1-β, on every distribution; a release on the databases that it names.",
        "evidence",
        ("suffices", "guaranteed from"),
    ),
    Term(
        "bound",
        "A theorem about the least m. Its statement and its proof or source stand under Theory.",
        "evidence",
    ),
    Term(
        "constants",
        "Theorems are often stated up to a constant factor. Ours: derived here, as sharp as we "
        "can, with proof under Theory. Paper: those of the paper's own proof. Rate: the shape "
        "only, no number.",
        "evidence",
    ),
    Term(
        "ours",
        "With constants derived here; the proof stands under Theory.",
        "evidence",
        ("sharp",),
    ),
    Term("paper", "With the constants of the paper's own proof.", "evidence"),
    Term(
        "paper, in part",
        "With the constants of the paper's own proof where it has them; what it leaves open is "
        "ours, as the bound's title under Theory says.",
        "evidence",
    ),
    Term("rate", "Only how it grows, without a number.", "evidence"),
    Term(
        "impossible region",
        "Shaded red: no learner of the kind named in the legend is here for every target, or a "
        "release for every database. One that always answers the target of this picture is here, "
        "and fails at the other targets.",
        "figure",
    ),
    Term(
        "guaranteed region",
        "Shaded green: the curve of the learner named in the legend cannot enter it, whatever the "
        "target is; its success is at least what the edge says.",
        "figure",
    ),
    Term(
        "target line",
        "The dotted line at success probability 1-β. Where a curve first reaches it, a marker and a "
        "number tell the least m.",
        "figure",
    ),
    Term(
        "band",
        "A pale strip around a simulated curve: the 95% confidence interval of every point. It covers "
        "what was not drawn as well: where none of n samples fails, it begins at 1 − 3.7/n. "
        "More simulated samples make it narrower. Of a bracketed curve it ends where its proof does.",
        "figure",
    ),
    Term(
        "slope",
        "On two logarithmic axes a power law is a straight line, and its slope the exponent: "
        "slope 1 means proportional, slope −1 inversely proportional, slope 0 constant. Fitted "
        "over the upper half of the axis.",
        "figure",
    ),
)  # fmt: skip

_BY_WORD = {form.lower(): term for term in TERMS for form in (term.word, *term.also)}


def find(word: str) -> Term | None:
    """Return the term that explains `word` in one of its forms, or None."""
    return _BY_WORD.get(word.lower())
