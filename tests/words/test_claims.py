"""What the product says of all learners is what a lower bound says; its other claims in words are computed.

`whom` reads in a sentence which learners it speaks of, by its adjectives: a sentence that loses its "purely"
speaks of more learners than its theorem, and fails.
"""

import itertools
import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.point.learners import Erm
from privsc_core.draw.traces import named
from privsc_core.evaluate.scenario import Scenario
from tests.words import collect

DEFAULTS = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
CLASSES = (*catalog.CONCEPTS, *catalog.BESIDE)


# --- Whom a sentence speaks of ------------------------------------------------------------------

_PRIVACY = (  # what is said first, and which kinds of privacy it leaves
    (r"private or not|even without privacy|[Ww]ithout privacy, any", ("none", "pure", "approximate", "label")),
    (r"protects? (at least |only )?(the )?labels|labels are private|[Hh]iding labels", ("pure", "label")),
    (r"purely private|[Pp]ure,? privacy|pure private|[Pp]urely|ε-private|ε-DP|Pure", ("pure",)),
    (r"\(ε, δ\)|with δ", ("approximate",)),
    (r"private", ("pure", "approximate")),
)  # fmt: skip
_GROWS = re.compile(r"Ω\(|grows? with|linearly|every (further )?bit|escapes")


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


def _binds(entry, sentence):
    return all(entry.binds(_probe(*one)) for one in whom(sentence))


@cache
def _grows(concept, bound):
    low, high = (
        float(pv.bound(concept=concept, bound=bound, d=d, **DEFAULTS).m) for d in (256, 4096)
    )
    return high > 10 * low


def _source(path):
    return (collect.ROOT / path).read_text(encoding="utf-8")


def _classes(path):
    """Return the classes that a file is about, by its folders, what it declares, or the pages it opens."""
    folders = {one.name: type(one.bounds[0]).__module__.split(".")[2] for one in CLASSES}
    stems = {part.partition(".")[0].partition("_")[0] for part in path.split("/")}
    if path.startswith("assets/lectures"):
        pages = re.findall(r'link = "(\w+)', _source(path))
        return [one for page in pages for one in _classes(f"pages/{page}.py")]
    source = _source(path) if path.startswith("pages/") else ""
    return [
        one for one in CLASSES if folders[one.name] in stems or f'concept="{one.name}"' in source
    ] or [*CLASSES]


def holds(sentence, path):
    """Tell whether a lower bound of the file's classes says what the sentence says, of all whom it names."""
    return any(
        entry.kind == "lower"
        and _binds(entry, sentence)
        and (not _GROWS.search(sentence) or _grows(concept.name, entry.name))
        for concept in _classes(path)
        for entry in concept.bounds
    )


def test_what_is_said_of_all_learners_is_a_lower_bound():
    claimed = [
        one for one in collect.said() if collect.claims(one.text) and "/bounds" not in one.path
    ]
    assert len(claimed) > 20
    wrong = [f"{one.place}: {one.text}" for one in claimed if not holds(one.text, one.path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("Every private learner of points needs Ω(d) examples.", "pages/points.py"),
        ("Every purely private learner of points needs Ω(d) examples.", "pages/points.py"),
        ("Every proper private learner of points needs Ω(d) examples.", "pages/points.py"),
        ("Every efficient private learner needs Ω(d) examples.", "pages/pseudorandom.py"),
        ("Every private learner of thresholds, proper or not, needs Ω(d).", "pages/intervals.py"),
    ],
)
def test_a_sentence_that_speaks_of_more_learners_than_its_theorem_is_noticed(sentence, path):
    assert collect.claims(sentence)
    assert not holds(sentence, path)


def test_what_is_no_claim_is_not_asked_for():
    assert not collect.claims("Drag the slider, and the figure follows every move.")
    assert not collect.claims("The exponential mechanism needs 1,968 examples.")


# --- Claims of other kinds, in numbers ------------------------------------------------------------


@cache
def _need(concept, learner, d, **over):
    return float(pv.need(concept=concept, learner=learner, d=d, **DEFAULTS | over).m)


def test_elimination_on_uniform_points_needs_less_than_twice_the_exponential_mechanism():
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


def test_more_examples_may_fail_where_the_glossary_says():
    falling = {
        (concept.name, learner.name)
        for concept in catalog.CONCEPTS
        for learner in concept.learners
        for law in learner.laws
        if (where := catalog.distribution(concept.name, law)).realizable
        and not learner.monotone(where, DEFAULTS["alpha"])
    }
    assert {concept for concept, _ in falling} == {
        "release",
        "conjunction",
        "threshold",
        "interval",
    }
    assert {name for concept, name in falling if concept == "interval"} == {"tree-2"}
    assert {name for concept, name in falling if concept == "threshold"} == {"ranks-coarse"}


def test_proper_learners_of_lines_need_about_twice_what_improper_ones_need():
    low, high = (
        pv.bound(concept="line", bound=name, d=[16, 64, 1024, 65536], **DEFAULTS).m
        for name in ("blind-guess", "packing")
    )
    assert (np.abs(high / low - 2) < 0.1).all()


def test_noisy_binary_search_lies_between_the_tree_and_the_exponential_mechanism():
    for d in (1024, 10**4):
        pure, search, tree = (
            _need("interval", who, d, delta=1e-6) for who in ("exponential", "search", "tree")
        )
        assert 2 * tree < search < pure


def test_noisy_counts_need_more_than_the_exponential_mechanism():
    for d in (16, 64):
        one, counts = (
            _need("conjunction", who, d, distribution="spikes")
            for who in ("exponential", "sq-laplace")
        )
        assert 2 * one < counts


def test_the_exponential_mechanism_needs_less_on_a_wider_band():
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


def test_copies_need_more_than_the_domain_on_uniform_points():
    bits = list(range(3, 11))
    m = pv.need(
        concept="interval", learner="atoms", distribution="uniform", d=bits, delta=1e-6, **DEFAULTS
    ).m
    assert (m > 2.0 ** np.array(bits)).all()
    m = _need("interval", "atoms", 64, distribution="band(8,0.5)", delta=1e-6)
    assert 50 < m / 16 < 70  # so many copies of each of 16 points


def test_a_learner_with_a_slack_of_its_own_says_so_in_its_name():
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


@pytest.mark.parametrize(
    "path",
    [
        "point/erm",
        "point/hash",
        "point/noise",
        "threshold/erm",
        "threshold/noisy-count",
        "line/erm",
        "release/stability",
    ],
)
def test_what_pages_call_flat_does_not_depend_on_the_size(path):
    concept, learner = path.split("/")
    law = catalog.concept(concept).distributions[0].name
    assert (
        len({_need(concept, learner, d, delta=0.0, distribution=law) for d in (64, 1024, 10**5)})
        == 1
    )
