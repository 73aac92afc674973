"""What holds the sentences: each function is given those that lean on it, and asserts what they say.

`whom` reads in a sentence which learners it speaks of, by its adjectives: a sentence that loses its "purely"
speaks of more learners than its theorem, and fails.
"""

import itertools
import math
import re
from functools import cache
from types import SimpleNamespace

import numpy as np

import privsc_core as pv
from pages.shared.hall import lectures
from privsc_core import catalog
from privsc_core.concepts.point.learners import Erm
from privsc_core.draw.traces import named
from privsc_core.evaluate.scenario import Scenario
from privsc_core.literature.papers import papers
from tests.sentences.collect import ROOT, plain

DEFAULTS = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# --- Whom a sentence speaks of ------------------------------------------------------------------

_PRIVACY = (  # what is said first, and which kinds of privacy it leaves
    (r"private or not|even without privacy|[Ww]ithout privacy, any", ("none", "pure", "approximate", "label")),
    (r"protects labels|labels are private|labels alone private|hides? labels", ("pure", "label")),
    (r"purely private|[Pp]ure,? privacy|pure private|[Pp]urely|ε-private|ε-DP|Pure", ("pure",)),
    (r"\(ε, δ\)", ("approximate",)),
    (r"private", ("pure", "approximate")),
)  # fmt: skip


def whom(sentence):
    """Return the learners that a sentence speaks of: all combinations of privacy, proper, efficient."""
    kinds = next((k for words, k in _PRIVACY if re.search(words, sentence)), None)
    kinds = kinds or ("none", "pure", "approximate", "label")
    improper = re.search(r"proper or not|improper", sentence)
    proper = (True,) if re.search(r"\bproper\b", sentence) and not improper else (True, False)
    efficient = (True,) if re.search(r"\befficient\b", sentence) else (True, False)
    return list(itertools.product(kinds, proper, efficient))


def _probe(privacy, proper, efficient):
    """Return a learner of which nothing is known but what a bound may ask about."""
    words = {"proper": proper, "privacy": privacy, "efficient": efficient, "name": "probe"}
    return type("Probe", (Erm,), words)()


def _bound(path):
    return catalog.bound(*path.split("/"))


def _assert_bound(sentence, entry):
    for one in whom(sentence):
        assert entry.binds(_probe(*one)), f"{entry.name} says nothing of {one}: {sentence!r}"


def binds(sentences, of, given=""):
    """The lower bounds bind every learner that the sentences speak of; `given`: what their place tells."""
    for sentence, path in itertools.product(sentences, of):
        entry = _bound(path)
        assert entry.kind == "lower"
        _assert_bound(f"{given} {sentence}", entry)


def said_of_a_bound(sentences):
    """Each stands in a bound's own words: a lower bound binds all of whom it speaks."""
    entries = [
        entry for concept in (*catalog.CONCEPTS, *catalog.BESIDE) for entry in concept.bounds
    ]
    for sentence in sentences:
        where = [e for e in entries if sentence in {plain(e.applies_to), plain(e.legend)}]
        assert where, sentence
        for entry in where:
            if entry.kind == "lower":
                words = "purely private" if re.search("mechanism", sentence) else ""
                _assert_bound(f"{words} {sentence}", entry)


# --- How numbers grow ---------------------------------------------------------------------------


@cache
def _need(concept, learner, d, **over):
    return float(pv.need(concept=concept, learner=learner, d=d, **DEFAULTS | over).m)


@cache
def _needs(concept, delta=1e-6):
    """Return of each learner of a class what kind it is, and what it needs at 256 and at 4,096 bits."""
    found = {}
    for learner in catalog.concept(concept).learners:
        law = catalog.concept(concept).distributions[0]
        if learner.unlabelled or learner.laws.get(law.name) != "exact":
            continue  # unlabelled people pay for d in place of labels
        needs = [
            float(pv.need(concept=concept, learner=learner.name, d=d, delta=delta, **DEFAULTS).m)
            for d in (256, 4096)
        ]
        found[learner.name] = (learner.privacy, learner.proper, learner.efficient), needs
    return found


def learners_need_more(sentence, concept):
    """Every learner of a class of whom a sentence speaks needs more examples of more bits."""
    for learner, (kind, needs) in _needs(concept).items():
        if kind in whom(sentence):
            assert needs[1] > 2 * needs[0], (
                f"{learner} needs {needs} at 256 and 4,096 bits: {sentence!r}"
            )


def needs_grow(sentences, of, given=""):
    """What is needed grows with the bits: by the bounds, and of every learner here of whom is spoken."""
    binds(sentences, of, given)
    for path in of:
        concept, name = path.split("/")
        low, high = (
            float(pv.bound(concept=concept, bound=name, d=d, **DEFAULTS).m) for d in (256, 4096)
        )
        assert high > 10 * low
        for sentence in sentences:
            learners_need_more(f"{given} {sentence}", concept)


def flat(sentences, of, delta=0.0):
    """What the learners need does not depend on the bits."""
    del sentences
    for path in of:
        concept, learner = path.split("/")
        law = {"distribution": catalog.concept(concept).distributions[0].name}
        assert len({_need(concept, learner, d, delta=delta, **law) for d in (64, 1024, 10**5)}) == 1


def guarantees(sentences, of, delta=1e-6):
    """The upper bounds are above what their learners need, on every distribution with an exact law."""
    del sentences
    for path in of:
        concept, name = path.split("/")
        entry, d = catalog.bound(concept, name), 16
        assert entry.kind == "upper"
        promised = float(pv.bound(concept=concept, bound=name, d=d, delta=delta, **DEFAULTS).m)
        for learner in catalog.concept(concept).learners:
            if not entry.binds(learner) or learner.unlabelled:
                continue
            for law, how in learner.laws.items():
                where = catalog.distribution(concept, law)
                if how == "exact" and where.realizable and not math.isnan(promised):
                    assert (
                        not _need(concept, learner.name, d, distribution=law, delta=delta)
                        > promised
                    ), (learner.name, law)


# --- Single claims ------------------------------------------------------------------------------


def captions(sentences):
    """Each is of a caption, whose numbers `tests/pages/test_lectures.py` recomputes, and names its learners."""
    texts = [
        plain(f"{s.title} {s.caption}") for lecture in lectures.shipped() for s in lecture.scenes
    ]
    assert all(any(sentence in text for text in texts) for sentence in sentences)


def elimination_on_uniform_points(sentences):
    """Elimination needs less than twice what the exponential mechanism does there, and only there."""
    assert all("On uniform points, at ε = 0.5 and β = 0.1" in sentence for sentence in sentences)
    bits = [1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 256, 1024, 4096]
    slow, fast = (
        pv.need(
            concept="parity", learner=name, distribution="uniform", d=bits, trials=200, **DEFAULTS
        ).m
        for name in ("exponential", "elimination")
    )
    assert (fast < 2 * slow).all()
    elsewhere = {"concept": "parity", "distribution": "spikes(1)", "d": 5, **DEFAULTS}
    assert (
        pv.need(learner="elimination", **elsewhere).m
        > 2 * pv.need(learner="exponential", **elsewhere).m
    )


def where_more_examples_may_fail(sentences):
    """Success may fall as m grows in the places that the glossary names, and in no others."""
    (sentence,) = sentences
    falling = {
        (concept.name, learner.name)
        for concept in catalog.CONCEPTS
        for learner in concept.learners
        for law in learner.laws
        if (where := catalog.distribution(concept.name, law)).realizable
        and not learner.monotone(where, DEFAULTS["alpha"])
    }
    classes = {
        "release": "data release",
        "conjunction": "noisy counts for conjunctions",
        "threshold": "every g-th cut",
    }
    assert {concept for concept, _ in falling} == set(classes)
    assert all(words in sentence for words in classes.values())
    assert {name for concept, name in falling if concept == "threshold"} == {"ranks-coarse"}
    assert "labels may be wrong" in sentence


def lines_cost_twice(sentences):
    """The bound for proper learners of lines is about twice that for all."""
    del sentences
    low, high = (
        pv.bound(concept="line", bound=name, d=[16, 64, 1024, 65536], **DEFAULTS).m
        for name in ("blind-guess", "packing")
    )
    assert (np.abs(high / low - 2) < 0.1).all()
    binds(["Every proper, purely private learner"], ["line/packing"])


def search_between(sentences):
    """Noisy binary search needs less than the exponential mechanism on large domains, more than the tree."""
    del sentences
    for d in (1024, 10**4):
        pure, search, tree = (
            _need("interval", who, d, delta=1e-6) for who in ("exponential", "search", "tree")
        )
        assert 2 * tree < search < pure


def counts_need_more(sentences):
    """Noisy counts for conjunctions need more examples than the exponential mechanism."""
    del sentences
    for d in (16, 64):
        one, counts = (
            _need("conjunction", who, d, distribution="spikes")
            for who in ("exponential", "sq-laplace")
        )
        assert 2 * one < counts


def exponential_on_intervals(sentences):
    """The exponential mechanism needs more examples of more bits on hard, fewer on a wider band."""
    del sentences
    hard, far = (_need("interval", "exponential", d) for d in (64, 1024))
    assert far > 10 * hard
    narrow, wide = (
        [
            _need("interval", "exponential", d, distribution=f"band({w},0.5)", trials=100)
            for d in (64, 512)
        ]
        for w in (2, 1024)
    )
    assert narrow[0] < narrow[1]
    assert wide[0] < wide[1]
    assert narrow[1] > wide[1]


def copies_on_uniform(sentences):
    """The learner of copies needs more examples than points there, and sixty copies on a band."""
    del sentences
    bits = list(range(3, 11))
    m = pv.need(
        concept="interval", learner="atoms", distribution="uniform", d=bits, delta=1e-6, **DEFAULTS
    ).m
    assert (m > 2.0 ** np.array(bits)).all()
    m = _need("interval", "atoms", 64, distribution="band(8,0.5)", delta=1e-6)
    assert 50 < m / 16 < 70  # so many copies of each of 16 points


def learners_run(sentences):
    """Every learner has an algorithm of its own."""
    del sentences
    for concept in catalog.CONCEPTS:
        for learner in concept.learners:
            assert callable(learner.run)
            assert learner.tiny


def pure_without_slack(sentences):
    """At δ = 0 a learner has no slack, or one of its own, which then stands in its name."""
    assert all("but for those whose names have a δ" in sentence for sentence in sentences)
    own = 0
    for concept in catalog.CONCEPTS:
        at_zero = Scenario(concept.name, tuple(one.name for one in concept.learners), delta=0.0)
        for learner in concept.learners:
            slack = learner.at(0.0).privacy_slack
            own += bool(slack)
            assert (
                "(δ = " in named(SimpleNamespace(name=learner.name, title=""), at_zero)
            ) == bool(slack)
    assert own


def rates_and_constants(sentences):
    """Every bound of the lecture about constants is Θ(d) or Θ(1)."""
    del sentences
    for name, ratio in (
        ("lemma-3.9", 16),
        ("theorem-3.2", 16),
        ("packing-two", 16),
        ("claim-4.5", 1),
        ("hash", 1),
    ):
        low, high = (
            float(pv.bound(concept="point", bound=name, d=d, **DEFAULTS).m) for d in (1024, 16384)
        )
        assert abs(high / low - ratio) < 0.05 * ratio


# --- What is held elsewhere, or is no claim -----------------------------------------------------


def tested(sentences, of):
    """A test of another file holds them."""
    del sentences
    for path in of:
        file, name = path.split("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), path


def proved(sentences, of):
    """A paper proves them: its key, and the place in it."""
    del sentences
    for cited in of:
        key, place = cited.split(" ", 1)
        assert papers()[key].bibtex
        assert re.search(r"\d", place) or key in {"BNSV15", "ALMM19", "BNS13a", "BNS13b"}, place


def argued(sentences, of):
    """They follow from the words of `of`, an argument of a line or two."""
    assert sentences
    assert len(of.split()) > 8


_UNIVERSAL = re.compile(
    r"\b(every|no|none|nobody|any|all)\b[\w\s,ε()δ-]{0,60}\blearners?\b[^.;:]*\b(needs?|fails?|succeeds?|pays?|costs?)\b",
    re.IGNORECASE,
)


def no_claim(sentences, of):
    """They define a word, say what an algorithm does or a page shows, or what we do not know."""
    assert of in {"definition", "algorithm", "screen", "open"}
    for sentence in sentences:
        assert of == "open" or not _UNIVERSAL.search(sentence), (
            f"claims something of learners: {sentence!r}"
        )


CHECKS = {
    check.__name__: check
    for check in (
        argued, binds, captions, counts_need_more, copies_on_uniform, elimination_on_uniform_points, exponential_on_intervals, flat, guarantees, learners_run,
        lines_cost_twice, needs_grow, no_claim, proved, pure_without_slack, rates_and_constants, said_of_a_bound,
        search_between, tested, where_more_examples_may_fail,
    )
}  # fmt: skip
