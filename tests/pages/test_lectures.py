"""Lectures: what a lecturer writes is read or refused in one sentence, and what is shipped holds.

Every number in a caption of a shipped lecture is recomputed here: `CLAIMS` has, for each scene,
the phrases that the core gives, and no digit may be left over.
"""

import functools
import math
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import privsc_core as pv
from pages.shared.frame import sitemap
from pages.shared.hall import lectures, presenter
from pages.shared.page import declaration
from pages.shared.state import state
from pages.shared.state.link import parse
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool
from privsc_core.draw.boxes_figures import amount
from privsc_core.errors import InputError
from privsc_core.evaluate.asking import asking
from privsc_core.evaluate.boxes import packed
from privsc_core.evaluate.contrast import by_distribution
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.interval import noise_channel
from privsc_core.exhibits.interval.climb import climbed
from privsc_core.exhibits.parity.queries import least_queries
from privsc_core.exhibits.point import pictures
from privsc_core.exhibits.point.labels import against, plane, plenty
from privsc_core.exhibits.point.optimum import over_votes, price
from privsc_core.exhibits.rectangle.run import follow
from privsc_core.exhibits.threshold.coarse import too_coarse
from privsc_core.exhibits.threshold.knowing import over_bits, over_reference
from privsc_core.finite.asked import dimensions_of, points_of
from privsc_core.finite.families import priced
from privsc_core.finite.game import leaf_mistakes
from privsc_core.numerics.decimals import decimal
from tests.pages import app as apps
from tests.pages.declared import DECLARED

ROOT = Path(__file__).parents[2]
CONCEPT = {page.slug: name for name, page in DECLARED.items()}
EVERY_D = [2, 3, 5, 8, 16, 100, 1024, 10**4, 10**6]
SCENES = [
    pytest.param(lecture, number, id=f"{lecture.name}-{number}")
    for lecture in lectures.shipped()
    for number in range(1, len(lecture.scenes) + 1)
]


# --- The shipped lectures ----------------------------------------------------------------------


@functools.cache
def run(page, params):
    return apps.run(f"pages/{page}.py", **dict(params))


def opened(scene):
    """Return the page of a scene, as somebody sees it who follows its link.

    Of a page of no class an audience sees the parts that the scene names: these are drawn, and no
    others.
    """
    staged = {} if scene.page in CONCEPT else {"present": "1"}
    return run(scene.page, tuple((scene.params | staged).items()))


class Setting:
    """The setting of a scene, and short words to ask the core about it."""

    def __init__(self, scene):
        fields = opened(scene).session_state["privsc_state"].fields
        now, self.notes = parse(scene.params, fields)
        self.now = now
        if scene.page not in CONCEPT:  # the laboratory, labels: no learners to choose
            self.scenario = None
            return
        member = f"({now['l']})" if now.get("l", "sqrt") != "sqrt" else ""
        self.scenario = Scenario(
            concept=CONCEPT[scene.page] + member,
            learners=now["learners"], distribution=now["dist"], constants=now["const"],
            m=now["m"], d=now["d"], epsilon=now["eps"], alpha=now["alpha"], beta=now["beta"],
            trials=now["trials"], seed=now["seed"], delta=now.get("delta", 0.0),
        )  # fmt: skip

    def need(self, learner, *, concept="", distribution="hard", **over):
        setting = {"concept": concept or self.scenario.concept, "distribution": distribution}
        found = pv.need(learner=learner, **setting, **(self.scenario.settings() | over)).m
        return int(found) if found.ndim == 0 else [int(m) for m in found]

    def bound(self, name, **over):
        found = pv.bound(
            concept=self.scenario.concept, bound=name, **(self.scenario.settings() | over)
        )
        return int(found.m)

    def __getattr__(self, name):
        return getattr(self.scenario, name)


def measured(word, name):
    """Return a dimension of a ready-made class, which must be known."""
    found = dimensions_of(word, epsilon=0.5, beta=0.1)[name]
    assert found.exact
    return int(found.low)


def same(values):
    """Return the one value that a list has."""
    assert len(set(values)) == 1
    return values[0]


def _without_privacy(s):
    return [f"{max(s.need('erm', d=EVERY_D))} examples are enough to find one point among 2⁶⁴"]


def _with_privacy(s):
    erm, private = s.need("erm"), s.need("exponential")
    return [
        f"privacy ε = {s.epsilon:g}", f"needs {private:,} examples instead of {erm}",
        f"{private // erm} times as many",
    ]  # fmt: skip


def _follows_d(s):
    small, large = s.need("exponential"), s.need("exponential", d=1024)
    assert s.d == 128
    assert round((large - small) / (1024 - 128)) == 28
    return [
        f"{small:,} examples at d = 128 and {large:,} at d = 1,024", "about 28 for every bit",
        f"stays at {s.need('erm', d=1024)}",
    ]  # fmt: skip


def _improper(s):
    small = same(s.need("representation", d=[16, 64, 1024, 10**4, 10**6]))
    return [
        f"{small} examples with the random class",
        f"{same(s.need('noise', d=EVERY_D)):,} with independent noise",
        "From d = 16 on",
    ]


def _improper_efficient(s):
    assert all(catalog.learner("point", e).efficient for e in ("noise-pseudorandom", "hash"))
    return [
        f"{same(s.need('noise-pseudorandom', d=EVERY_D)):,} examples at every d",
        f"Hashing needs {same(s.need('hash', d=EVERY_D))}",
    ]


def _images(s):
    assert s.now["l"] == "sqrt"
    return [
        "Only 2ˡ points", "all 2ˡ seeds", f"Without privacy: {s.need('erm')} examples",
        f"{s.need('exponential-proper'):,} at d = {s.d:,}",
    ]  # fmt: skip


def _efficient(s):
    relaxed, proper = s.need("exponential-relaxed"), s.need("exponential-proper")
    return [
        f"{relaxed:,} examples, not {proper:,}",
        f"below {s.bound('packing-two-relaxed'):,} none succeeds if the generator is secure",
        f"Hashing ({s.need('hash', concept='point')}) answers with a set",
        "factor 1/α ours",
    ]


def _release(s):
    assert s.delta == 1e-6
    return [
        f"{s.need('laplace'):,} entries at d = {s.d:,}", f"below {s.bound('packing-two'):,} no ε-private release works for every database",
        f"With δ = 10⁻⁶: {same(s.need('stability', d=EVERY_D))} at every d",
    ]  # fmt: skip


def _shares(s):
    """Return what the scene's exhibit shows, and its boxes."""
    merge = s.now["merge"] == "merged"
    cell = Cell(s.d, s.epsilon, s.alpha, s.beta)
    found = packed(catalog.bound("point", s.now["pack"]), cell, s.m, hand=s.now["hand"])
    assert (s.now["hand"], s.now["differ"]) == ("asked", -1)
    return found, found.merged if merge else found.apart


def _debt(s):
    found, shares = _shares(s)
    assert not shares.fits
    assert shares.least == s.bound("packing")
    assert s.d == 64
    return [
        f"2⁶⁴ - 1 targets {found.asked:g} on", f"K = {found.count}", "and 1 is all",
        f"{amount(shares.log_owed)} is owed", f"from m = {shares.least:,} on",
    ]  # fmt: skip


def _merged(s):
    found, shares = _shares(s)
    assert shares.fits
    assert math.isclose(found.boxes.merged.log_each, 55 * math.log(2))
    buckets = 2 ** math.ceil(math.log2(4 / (s.alpha * s.beta)))
    return [
        "2⁵⁵ points", f"one of {buckets}:",
        f"{round(math.exp(shares.log_rivals))} others are owed {amount(shares.log_owed)} in all",
        f"ends at {shares.least} examples", f"needs {s.need('hash')}",
    ]  # fmt: skip


def _two_classes(s):
    point = s.need("erm", concept="point")
    return [f"take {s.need('erm')} examples at d = {s.d}, points {point}", "is 1 below", "is 1 in"]


def _hash(s):
    buckets = 2 ** math.ceil(math.log2(4 / (s.alpha * s.beta)))
    return [f"into {buckets} such sets", f"takes {same(s.need('hash', d=EVERY_D))} examples"]


def _noise_hides(s):
    return [
        f"takes {same(s.need('noise', d=EVERY_D)):,} examples at every d",
        f"needs {s.need('exponential'):,} at d = {s.d:,}",
    ]


def _noise_fails(s):
    mu = s.now["mu"]
    exact = noise_channel.recovery_probability((1 << 15) + 1, 16, mu)
    assert exact == pytest.approx((1 - 2 * mu) ** 2, abs=1e-12)
    return [f"μ = {mu:g}", f"(1-2μ)² = {exact:.2g}"]


def _worst_case(s):
    compared = by_distribution(s.scenario, "exponential", ("uniform",), (1024,), trials=250)
    exact = s.need("exponential", d=1024)
    assert exact == 29_210
    assert abs(compared.curves[0].m.item() - 100) <= 3
    assert compared.curves[0].method == "rao-blackwell"
    return [f"at d = 1,024: on the hard distribution {exact:,} examples (exact)", "about 100"]


def _gap(s):
    lower, upper = s.bound("lemma-3.9"), s.bound("theorem-3.2")
    assert s.constants == "paper"
    return [
        f"At d = {s.d} Lemma 3.9 excludes fewer than {lower} examples",
        f"promises success from {upper:,}", f"a gap of {upper // lower}",
    ]  # fmt: skip


def _between(s):
    lower, exact, upper = s.bound("lemma-3.9"), s.need("exponential"), s.bound("theorem-3.2")
    return [
        f"The exact law says {exact:,}", f"({lower}) is {exact / lower:.1f} times too low",
        f"({upper:,}, constants", f"is {upper / exact:.1f} times too high",
    ]  # fmt: skip


def _rate(s):
    assert s.bound("lemma-3.9", alpha=0.25) == s.bound("corollary-3.8", alpha=0.25)
    return [
        f"a rate of 1/α = {1 / s.alpha:g}", "a factor 4", "At α = 0.25 nothing remains",
        f"{s.bound('lemma-3.9')} and {s.bound('corollary-3.8')} at d = {s.d}",
    ]  # fmt: skip


def _small_alpha(s):
    old, new, exact = s.bound("corollary-3.8"), s.bound("lemma-3.9"), s.need("exponential")
    assert old == s.bound("corollary-3.8", alpha=0.1)
    return [
        f"At α = {s.alpha:g} Corollary 3.8 still says {old}", f"says {new:,}",
        f"{round(new / old)} times as much", f"The exact law says {exact:,}",
        f"factor of about {exact // new}",
    ]  # fmt: skip


def _sharp(s):
    lower, upper = s.bound("packing-two"), s.bound("finite-class")
    paper = s.bound("theorem-3.2") // s.bound("lemma-3.9")
    assert lower < s.need("exponential") < upper
    return [
        f"below {lower:,} impossible for proper learners", f"from {upper:,} guaranteed",
        f"the gap of {paper} is now {upper / lower:.1f}",
    ]  # fmt: skip


def _two_in_epsilon(s):
    return [
        f"At ε = {s.epsilon:g} the mechanism needs {s.need('exponential'):,} examples",
        "At ε = 0.25", f"fewer than {s.bound('packing', epsilon=0.25):,} (ours)",
    ]  # fmt: skip


def _hundred_million(s):
    far = s.need("exponential", d=10**6)
    assert far < s.bound("claim-4.5")
    return [
        f"with {s.bound('claim-4.5'):,} examples", f"needs {far:,} even at d = 1,000,000",
    ]  # fmt: skip


def _small_constant(s):
    hashed = same(s.need("hash", d=EVERY_D))
    note = str(pv.bound(concept="point", bound="hash", **s.scenario.settings()).note)
    guaranteed, runs = re.findall(r"t = (\d+)", note)
    assert s.need("exponential", d=9) < hashed < s.need("exponential", d=10)
    return [
        f"with t = {guaranteed} bits guaranteed from {s.bound('hash')} examples",
        f"runs t = {runs}: {hashed} on this", "from d = 10 on",
    ]  # fmt: skip


def _half(s):
    return [
        f"needs {s.need('exponential'):,} examples",
        f"margin learner {s.need('margin'):,}",
        "2⁶⁴",
    ]


def _slopes(s):
    k = np.arange(200.0)
    found = over_votes(k, s.d * math.log(2), s.d * math.log(2), s.epsilon)
    assert np.diff(found.mechanism) == pytest.approx(s.epsilon / 2)
    assert np.diff(found.margin)[60:] == pytest.approx(s.epsilon / 2, rel=1e-3)
    # From the first votes to one half: about epsilon.
    climb = (found.margin[int(found.half)] - found.margin[4]) / (int(found.half) - 4)
    assert climb == pytest.approx(s.epsilon, rel=0.1)
    return ["falls at ε/2", "has ε/2 all"]


def _halfway(s):
    found, shares = _shares(s)
    assert found.boxes.halfway
    assert shares.least == s.m == s.bound("packing-two")
    return [f"fewer than {shares.least:,} examples"]


def _program(s):
    n, m, epsilon = (s.now[key] for key in ("cands", "recs", "peps"))
    found = pictures.program(n, m, epsilon)
    assert found.value == pytest.approx(found.bound, abs=1e-9)
    assert found.dual == pytest.approx(found.bound, abs=1e-9)
    return [f"{n} candidates, {m} records, ε = {epsilon:g}", f"{found.value:.6f}"]


def _price(s):
    votes = s.now["mine"]
    found = price(votes, np.arange(float(votes)), s.d, s.epsilon)
    last = int(np.flatnonzero(found.margin > 0.5)[-1])
    assert found.mechanism[: last + 1].min() > 0.97
    return [f"K = {votes}", f"up to V = {last}"]


def _guarantee(s):
    large, small = s.need("exponential"), s.need("exponential", d=128)
    assert s.d == 1024
    assert round((large - small) / (1024 - 128)) == 28
    return [f"needs {large:,} examples at d = {s.d:,}", "about 28 more"]


def _one_in_a_million(s):
    assert s.delta == 1e-6
    pure, far = s.need("exponential"), s.need("exponential", d=10**6)
    return [
        f"needs {same(s.need('seen', d=[s.d, 1024, 10**6]))} examples at d = {s.d}",
        "at d = 1,000,000 as well", f"needs {pure:,} and {far:,}", "δ = 10⁻⁶",
    ]  # fmt: skip


def _lump(s):
    assert s.m == s.need("seen")
    return [f"of {s.m} people up to mδ = {s.m * s.delta:.6f}"]


def _size_of_a_domain(s):
    size = math.expm1(s.epsilon / 2) / s.delta
    assert s.d == round(math.log2(size))
    return [
        "δ = 10⁻⁶", f"{size:,.0f} points, {math.log2(size):.1f} bits",
        f"At d = {s.d} the pure learner needs {s.need('exponential')} examples",
        f"it is {same(s.need('seen', d=[64, 10**6]))} however",
    ]  # fmt: skip


def _copies(s):
    never = pv.need(
        concept="interval", learner="atoms", distribution="uniform", **s.scenario.settings()
    )
    assert math.isnan(never.m)
    return [f"{s.need('atoms')} examples instead of {s.need('exponential'):,}"]


def _hard_for_whom(s):
    pure, tree = (
        s.need(learner, distribution="cascade", trials=s.trials)
        for learner in ("exponential", "tree")
    )
    assert pure == pytest.approx(470, rel=0.02)
    assert tree == pytest.approx(1670, rel=0.02)
    copies = s.need("atoms", distribution="cascade")
    assert copies > tree > pure
    return ["about 470 examples", f"copies {copies:,} (exact)", "about 1,670 (simulated)"]


def _ladder(s):
    now = s.now
    found = climbed(
        law=now["on"], d=now["rungs"], m=now["many"], seed=now["again"], epsilon=s.epsilon, alpha=s.alpha,
        beta=s.beta, delta=s.delta, change=now["change"], example=now["nth"], place=now["place"],
    )  # fmt: skip
    assert found.moved <= 1
    assert now["rungs"] == 8
    return [f"{len(found.here.rungs)} candidates for 2⁸", "d + 1", "more than 1"]


def _logarithm(s):
    at = {"distribution": "hard(alternating)"}
    assert s.now["goal"] == "alternating"
    return [
        f"At d = {s.d:,}: pure {s.need('exponential', **at):,}",
        f"search {s.need('search', **at):,}, the tree {s.need('tree', **at):,}",
        f"at d = 1,000,000 it is {s.need('tree', d=10**6, **at):,}",
    ]  # fmt: skip


def _look_alike(s):
    points, thresholds = (
        same(s.need("erm", concept=c, d=[32, 64, 1024])) for c in ("point", "interval")
    )
    for word in ("points-8", "thresholds-8"):
        assert measured(word, "vc") == 1
    return [
        "VC dimension 1", f"points take {points} examples at d = {s.d}", f"thresholds {thresholds}",
    ]  # fmt: skip


def _way_out(s):
    hashing = same(s.need("hash", d=[64, 1024, 10**6]))
    return [
        f"Littlestone dimension {measured('points-8', 'littlestone')}",
        f"takes {hashing} examples at every d", f"needs {s.need('exponential'):,} at d = {s.d:,}",
    ]  # fmt: skip


def _coins(s):
    of = dimensions_of(s.now["of"], epsilon=0.5, beta=0.1)
    ones = sum(1 << x for x in points_of(s.now["h"], of.of.points))
    wrong = list(leaf_mistakes(of.tree, ones))
    paths = [wrong.count(i) for i in range(4)]
    return [
        f"on {of.of.points} points: a tree of depth {measured(s.now['of'], 'littlestone')}",
        f"0, 1, 2 and 3 mistakes on {paths[0]}, {paths[1]}, {paths[2]} and {paths[3]} of the {len(wrong)}",
    ]


def _adaptive(s):
    vc, depth = (measured(s.now["of"], name) for name in ("vc", "littlestone"))
    return ["a grid of 4 × 4 points", f"VC dimension {vc}, but Littlestone dimension {depth}"]


def _any_size(s):
    found = {
        one.family.name: one for one in priced(s.now["axes"], epsilon=0.5, alpha=0.1, beta=0.1)
    }
    half, box = found["HS"], found["BOX"]
    at = int(np.flatnonzero(half.b == 16)[0]), int(np.flatnonzero(box.b == 16)[0])
    return [
        f"in {s.now['axes']} dimensions have VC dimension {same(half.vc.tolist())}",
        f"With 16 bits an axis every ε-private learner needs {half.lower[at[0]]:.0f}",
        f"of VC dimension {same(box.vc.tolist())}, need {box.lower[at[1]]:.0f}",
    ]


def _all_two(s):
    names = ("vc", "littlestone", "threshold", "teaching")
    assert s.now["of"] == "lines-5"
    value = same([measured(f"lines-{p}", name) for p in (3, 5) for name in names])
    return ["modulo 5", f"are all {value}"]


def _blind(s):
    return [f"1 in {measured(s.now['of'], 'guess')} here", "logarithm of 1/ρ"]


EVERY_B = [1, 2, 4, 16, 64, 1024, 10**6]


def _line_without_privacy(s):
    free = same(s.need("erm", distribution="window", d=EVERY_B))
    return ["the label is 1, right of it 0", f"{free} examples are enough"]


def _line_private(s):
    few, more = (s.need("density", distribution="window", d=d, trials=s.trials) for d in (16, 17))
    assert few < more
    return [f"At b = {s.d} it takes {few:,} examples"]


def _no_number(s):
    small, large = s.bound("packing-two"), s.bound("packing-two", d=1024)
    assert s.bound("packing-two", d=10**6) > 10**6
    return [f"Below {small:,} examples at b = {s.d} and {large:,} at b = 1,024"]


def _net(s):
    picture = too_coarse(s.scenario, s.now["guessed"])
    assert (s.d, s.now["guessed"]) == (16, 12)
    wrong, right = (picture.table[name][-1] for name in list(picture.table)[:0:-1][:2])
    assert wrong < 1e-9
    assert right > 0.99
    return ["2κ/α thresholds", "κ = 2¹² where it is 2¹⁶"]


def _told(s):
    known = over_reference(s.scenario).table
    need = dict(zip(known["r"], known["density"], strict=True))
    assert over_bits(s.scenario).table["m"][-1] == s.need("erm", distribution="window")
    return [
        f"with half of the bits known {need[s.d // 2]:,}", f"with the crowd itself {need[s.d]:,}"
    ]  # fmt: skip


def _labels_alone(s):
    assert s.d == 16
    return [
        f"{same(s.need('noisy-count', distribution='window', d=EVERY_B))} examples suffice at every b",
        f"Below {s.bound('pair')} nobody",
    ]


def _arcs(s):
    laws = [
        law.label for law in s.scenario.concept_class.distributions if "arcs" in _lawful(s, law)
    ]
    needed = same([s.need("arcs", distribution=law) for law in laws])
    assert len(laws) == 3
    return [
        "into 2m arcs",
        f"{needed} examples suffice",
        f"below {s.bound('packing-circle')} nobody",
    ]


def _lawful(s, law):
    return [entry.name for entry in s.scenario.concept_class.learners if law.name in entry.laws]


def _dimension(s):
    at = [max(s.bound(name, d=d) for name in ("packing", "pair")) for d in (s.d, 100)]
    return [f"below {at[0]} examples at n = {s.d} and {at[1]} at n = 100 nobody"]


def _equations(s):
    return [
        f"some of {s.d} bits", "modulo 2", f"{s.need('erm', distribution='uniform')} random ones",
        f"at d = 64 it takes {s.need('erm', distribution='uniform', d=64)}",
    ]  # fmt: skip


def _queries(s):
    tolerance = s.now["tol"]
    wanted = 1 - decimal(s.beta)
    at, large = (least_queries(d, tolerance, wanted) for d in (s.d, 32))
    assert round(least_queries(33, tolerance, wanted) / large, 6) == 2
    return [f"right to {tolerance:g}", f"{at} of them at d = {s.d} and {large:,} at d = 32"]


def _elimination(s):
    law = "uniform"
    return [
        f"needs {s.need('elimination', distribution=law)} examples",
        f"at d = 64 it is {s.need('elimination', distribution=law, d=64)}",
    ]


def _all_parities(s):
    needs = [s.need(name, distribution="uniform") for name in ("exponential", "elimination")]
    return ["all 2ᵈ parities", f"needs {needs[0]} where elimination needs {needs[1]}"]


def _converse(s):
    return [
        f"Below {s.bound('converse')} examples at d = {s.d}",
        f"and {s.bound('converse', d=64)} at d = 64 every",
    ]


def _counts(s):
    free, noisy = (s.need(name, distribution="spikes") for name in ("erm", "sq-laplace"))
    return [
        "must be 1", "it is 0", f"Without privacy {free} examples suffice on spikes",
        f"noise d/ε on every count {noisy:,}",
    ]  # fmt: skip


def _gauss(s):
    gauss, laplace = (s.need(name, distribution="spikes") for name in ("sq-gauss", "sq-laplace"))
    assert s.delta == 1e-6
    return [
        f"At d = {s.d} Gaussian noise with δ = 10⁻⁶ takes {gauss:,} examples",
        f"Laplace noise {laplace:,}",
    ]


def _one_answer(s):
    once, noisy = (s.need(name, distribution="spikes") for name in ("exponential", "sq-laplace"))
    return [f"{once} examples instead of {noisy:,}", "all 2ᵈ conjunctions"]


def _wherever(s):
    return [
        f"{s.bound('finite-class')} examples for the exponential mechanism",
        f"{s.bound('queries-laplace'):,} for counts", f"fewer than {s.bound('converse-spikes')} no",
    ]  # fmt: skip


def _pairs(s):
    noisy, nearest = (
        s.need(who, distribution=s.distribution, trials=s.trials) for who in ("gauss", "projected")
    )
    return [
        f"pairs of {s.d} attributes", f"{noisy:,} rows with Gaussian noise",
        f"{nearest:,} after going to the nearest",
    ]  # fmt: skip


@functools.cache
def _of_labels(d, epsilon, alpha, beta):
    return plane(Cell(d, epsilon, alpha, beta))


def _plane(s, **over):
    now = s.now | over
    return _of_labels(*(now[key] for key in ("d", "eps", "alpha", "beta")))


def _everybody(s):
    needs = s.need("exponential", d=[16, 64])
    return [
        f"takes {needs[0]} labelled examples at d = {s.d} and {needs[1]:,} at d = 64",
        f"where {s.need('erm')} would do",
    ]


def _two_kinds(s):
    found = _plane(s)
    return [
        f"{found.example} labels and {found.u_tuned:g} examples without a label",
        f"as well as {found.labelled:g} labels",
    ]


def _few_make_many(s):
    u = s.now["u"]
    # More people do not save a label; the labels of the next scene's line, at every d.
    labels = same([s.need("label-boost", u=u), s.need("label-boost", u=10 * u)])
    over = against(Cell(s.d, s.epsilon, s.alpha, s.beta))
    assert labels == same(over.boosted)
    return [
        f"at d = {s.d} it takes {labels} labels beside {u:,} people without",
        f"All labelled it takes {s.need('exponential'):,}",
    ]


def _over_bits(s):
    found = against(Cell(*(s.now[key] for key in ("d", "eps", "alpha", "beta"))))
    assert (found.d[0], found.d[-1]) == (8, 1024)
    return [
        f"stay at {same(found.labels):g}",
        f"from {found.people[0]:g} to {found.people[-1]:,.0f}", f"needs {same(found.improper):g} labelled",
    ]  # fmt: skip


def _wall(s):
    return [
        f"fewer than {_plane(s).wall:g} labels",
        f"With ε = 0.1 it is {_plane(s, eps=0.1).wall:g}",
    ]


def _floor(s):
    return [f"fewer than {_plane(s).people:,.0f} altogether", f"at d = {s.now['d']}"]


def _follows(s):
    return follow(s.now["d"], s.now["eps"], s.now["rerun"])


def _many(s):
    found = _follows(s)
    parts = same([len(cuts) + 1 for cuts in found.cuts])
    assert 100 < parts**2 < 1000
    assert 4.0e9 < 4 ** s.now["d"] < 4.5e9
    return [f"medians of {len(found.people):,} people", f"into {parts} parts"]


def _few(s):
    found = _follows(s)
    assert found.error <= s.now["alpha"]
    return [f"With {len(found.labelled)} labels"]


def _asked_at(s):
    now = s.now
    at = Cell(now["d"], now["eps"], now["alpha"], now["beta"])
    return asking(plenty, pool, at, now["inner"], 1.0)


def _asked(s):
    found, now = _asked_at(s), s.now
    assert now["inner"] == pytest.approx(10 * now["eps"])
    return [
        f"For ε = {now['eps']:g} it takes {plenty(found.at):g} labels",
        f"Or {found.asked:g}, of a random few among {found.crowd:g} people, with ε = {now['inner']:g} inside",
    ]


def _list(s):
    return [f"each of the {_asked_at(s).asked:g} is protected by ε = {s.now['inner']:g} only"]


CLAIMS = {
    "private-learning-costs-samples": (
        _without_privacy, _with_privacy, lambda _: [], _follows_d,
        lambda s: [f"fails for some target, at d = {s.d} below {s.bound('packing-two'):,} examples"],
        _improper, _improper_efficient, _images, _efficient, _release, _debt, _merged,
    ),
    "points-and-intervals": (
        _two_classes, lambda _: ["2ᵈ points and 2ᵈ + 1 thresholds"], _hash, _noise_hides,
        _noise_fails,
        lambda s: [f"at d = {s.d:,} with fewer than {s.bound('littlestone')} examples"],
        lambda _: ["that of points 1"], _worst_case,
    ),
    "what-constants-cost": (
        _gap, _between, _rate, _small_alpha, _sharp, _two_in_epsilon, _hundred_million,
        _small_constant,
    ),
    "paying-once": (
        _half, _slopes, lambda _: ["log((T+1)/2)/ε"], lambda _: [], _halfway, _program, _price,
        lambda _: [],
    ),
    "what-delta-buys": (
        _guarantee, _one_in_a_million, _lump, _size_of_a_domain, _copies, _hard_for_whom, _ladder,
        _logarithm,
    ),
    "which-dimension": (
        _look_alike, _way_out,
        lambda s: [f"At d = {s.d:,} every", f"with fewer than {s.bound('littlestone')} examples"],
        _coins, _adaptive, _any_size, _all_two, _blind,
    ),
    "no-number-suffices": (
        _line_without_privacy, _line_private, lambda _: [], lambda _: ["more than 2ᵇ times the room"], _no_number,
        _net, _told, _labels_alone, _arcs, _dimension,
    ),
    "what-statistics-tell": (
        _equations, _queries, _elimination, _all_parities, _converse, _counts, _gauss, _one_answer,
        _wherever, _pairs,
    ),
    "few-labels": (
        _everybody, _two_kinds, _few_make_many, _over_bits, _wall, _floor, _many, _few, _asked, _list,
    ),
}  # fmt: skip
QUESTIONS = {
    ("private-learning-costs-samples", 3): lambda s: [
        f"At d = 64 the exponential mechanism needed {s.need('exponential', d=64):,} examples",
        f"at d = {s.d}, in a domain 2⁶⁴ times",
    ],
    ("points-and-intervals", 2): lambda s: [
        f"at d = {s.d} the exponential mechanism needs {s.need('exponential', concept='point'):,}",
    ],
    ("what-constants-cost", 1): lambda s: [
        f"Between {s.bound('lemma-3.9')} and {s.bound('theorem-3.2'):,}", f"at d = {s.d}",
    ],
}  # fmt: skip
SOURCES = re.compile(
    r"(Lemma|Theorem|Corollary|Claim|Section) \d\.\d+|Table 1|Feldman and Xiao 2014|[ΘO]\(1\)"
)


def left_over(text, phrases):
    """Return the digits of a text that are in none of the phrases; all phrases must be there."""
    for phrase in phrases:
        assert phrase in text
        text = text.replace(phrase, "")
    return re.findall(r"[0-9]+", SOURCES.sub("", text))


@pytest.mark.parametrize(("lecture", "number"), SCENES)
def test_every_number_of_a_caption_is_the_cores(lecture, number):
    scene = lecture.scenes[number - 1]
    setting = Setting(scene)
    assert not left_over(scene.caption, CLAIMS[lecture.name][number - 1](setting))
    asked = QUESTIONS.get((lecture.name, number), lambda _: [])
    assert not left_over(scene.question, asked(setting))


@pytest.mark.parametrize(("lecture", "number"), SCENES)
def test_a_shipped_scene_opens_without_a_note(lecture, number):
    scene = lecture.scenes[number - 1]
    app = opened(scene)
    assert not app.exception
    shown = apps.html(app)
    assert "could not be" not in shown  # neither a part of the link nor a part of the page
    setting = Setting(scene)
    assert not setting.notes
    if scene.page == "labels":  # the chart of the part that the scene is about, and no other
        drawn = [one.proto for one in app.get("bidi_component")]
        charts = {p.id.rpartition("-")[2] for p in drawn if p.component_name == "privsc_chart"}
        assert charts - {"chart_preload"} == {*(setting.now["open"] or ("main",))}
    if setting.scenario is None:
        return
    # Every learner that the scene names has a law here, or the figure would lack its curve.
    assert setting.drawn == setting.chosen
    assert setting.drawn


@pytest.mark.parametrize("lecture", lectures.shipped(), ids=lambda lecture: lecture.name)
def test_a_shipped_lecture_can_be_read_from_the_last_row(lecture):
    assert len(lecture.about) <= 250
    assert len({scene.title for scene in lecture.scenes}) == len(lecture.scenes)
    for scene in lecture.scenes:
        assert len(scene.caption) <= 200
        assert len(scene.title) <= 50
        assert not re.search(r"[`*_$<>\\]", scene.title + scene.caption + scene.question)


@pytest.mark.parametrize("page", list(sitemap.staged()))
def test_a_scene_of_ones_own_is_checked_on_every_page_with_a_stage(page):
    known = {item.key for item in declaration.fields_of(sitemap.staged()[page])}
    assert {"present", "lecture", "scene", "open"} <= known


def test_what_a_prediction_asks_is_on_the_screen_nowhere():
    asked = [s for lecture in lectures.shipped() for s in lecture.scenes if s.question]
    assert len(asked) == len(QUESTIONS)
    for scene in asked:
        setting = Setting(scene)
        answer = setting.need(setting.now["map"])
        assert setting.learners == (setting.now["map"],)
        assert f"{answer:,}" not in scene.title + scene.caption + scene.question
        assert scene.params["predict"] == "1"


def test_a_scene_shows_the_numbers_of_what_it_shows_and_no_others():
    scene = lectures.shipped()[0].scenes[0]
    app = run(scene.page, (*scene.params.items(), ("present", "1")))
    cards = " ".join(b.proto.body for b in app.get("html") if "pv-cards" in b.proto.body)
    assert re.findall(r"<strong>(.*?)</strong>", cards) == ["22"]


def test_the_first_draw_of_the_noise_shows_what_the_caption_says():
    scene = lectures.shipped()[1].scenes[4]
    assert "comes back exactly, as in this draw" in scene.caption
    now = Setting(scene).now
    sent = noise_channel.channel((1 << 15) + 1, 16, now["mu"], now["draw"])
    assert sent.found == sent.j


def test_the_list_is_what_is_in_the_folder():
    names = [lecture.name for lecture in lectures.shipped()]
    assert names == list(CLAIMS)
    assert {path.stem for path in (ROOT / "assets" / "lectures").glob("*.toml")} == set(names)
    assert [len(lecture.scenes) for lecture in lectures.shipped()] == [
        len(claims) for claims in CLAIMS.values()
    ]
    assert len(lectures.shipped()[0].scenes) == 12  # Table 1 in ten, and the reason


def test_the_readmes_example_is_a_lecture():
    readme = (ROOT / "assets" / "lectures" / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", readme, re.DOTALL)
    lecture = lectures.read(example[1], "example")
    assert [scene.page for scene in lecture.scenes] == ["points", "points"]
    assert not any(Setting(scene).notes for scene in lecture.scenes)


def test_a_caption_with_another_number_is_noticed():
    scene = lectures.shipped()[0].scenes[1]
    phrases = _with_privacy(Setting(scene))
    with pytest.raises(AssertionError):
        left_over(scene.caption.replace("1,968", "1,967"), phrases)
    assert left_over(scene.caption + " And 7 more.", phrases) == ["7"]


# --- Reading -----------------------------------------------------------------------------------

HEAD = 'title = "A"\nabout = "B"\n'
SCENE = '[[scene]]\ntitle = "T"\nlink = "points?d=64"\ncaption = "C"\n'


def test_a_lecture_is_read():
    text = HEAD + SCENE + SCENE.replace('"C"', '"""\nΘ(d)\n  ≤ ½"""').replace("?d=64", "")
    for given_text in (text, text.encode(), text.replace("\n", "\r\n"), "\ufeff" + text):
        lecture = lectures.read(given_text, "mine-1")
        assert (lecture.name, lecture.title, lecture.about) == ("mine-1", "A", "B")
        first, second = lecture.scenes
        assert (first.page, first.params, first.question) == ("points", {"d": "64"}, "")
        assert (second.page, second.params, second.caption) == ("points", {}, "Θ(d) ≤ ½")


@pytest.mark.parametrize(
    "link",
    [
        "points?d=64&learners=&predict=1",
        "/points?d=64&learners=&predict=1",
        "https://school.example/privsc/points/?d=64&learners=&predict=1#take-away",
        "http://127.0.0.1:8501/points?d=32&d=64&learners=&predict=1&guess=5",
        "points?present=1&lecture=other&scene=3&d=64&learners=&embed=true&embed_options=dark_theme&predict=1",
    ],
)
def test_an_address_from_the_browser_is_a_link(link):
    scene = lectures.read(HEAD + SCENE.replace("points?d=64", link), "").scenes[0]
    assert scene.page == "points"
    assert scene.params == {"d": "64", "learners": "", "predict": "1"}


DEEP = "[" * 5000
REFUSED = {
    "": "the lecture must have the key title; got none.",
    'title = "A"': "the lecture must have the key about; got title.",
    HEAD: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 0.",
    HEAD + SCENE * 61: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 61.",
    HEAD + "[scene]": "each scene must start with a line [[scene]]; got a table.",
    HEAD + "scene = 3": "each scene must start with a line [[scene]]; got 3.",
    HEAD + "author = 3\n" + SCENE: (
        "the lecture must have no other keys than title, about, scene; got author."
    ),
    HEAD + SCENE + "colour = 'red'": (
        "scene 1 must have no other keys than title, link, caption, question; got colour."
    ),
    HEAD
    + SCENE
    + SCENE.replace("link", "#"): "scene 2 must have the key link; got title, caption.",
    HEAD + SCENE.replace('"C"', "3"): 'scene 1 caption must be text in "quotes"; got 3.',
    HEAD + SCENE.replace('"C"', "[{a=1}]"): (
        'scene 1 caption must be text in "quotes"; got a list.'
    ),
    HEAD + SCENE.replace('"C"', '" "'): "scene 1 caption must say something; got an empty text.",
    HEAD + SCENE.replace('"T"', f'"{"t" * 61}"'): (
        "scene 1 title must have at most 60 characters; got 61 characters."
    ),
    HEAD + SCENE.replace('"T"', '"a\\u202Eb"'): (
        "scene 1 title must be visible characters; got U+202E."
    ),
    HEAD + SCENE.replace("points?", "home?"): (
        "scene 1 link must start with one of the pages points, intervals, thresholds, "
        "halfspaces, lines, parities, conjunctions, pseudorandom, release, marginals, "
        "labels, laboratory; got home."
    ),
    HEAD + SCENE.replace("64", "6" * 2000): (
        "scene 1 link must have at most 2000 characters; got 2009 characters."
    ),
    HEAD + SCENE.replace("points", "http://[points"): (
        "scene 1 link must read like points?d=64&eps=0.5; got http://[points?d=64."
    ),
    HEAD + SCENE.replace("d=64", "&".join(["d=64"] * 101)): (
        "scene 1 link must read like points?d=64&eps=0.5; got points?d=64&d=64&d=64&d=64&d=64&d=64&d=…."
    ),
    HEAD + SCENE + 'question = "How many?"': (
        "scene 1 link must have predict=1 when the scene has a question; got no predict."
    ),
    HEAD + SCENE + 'title = "again"': (
        'line 7 must be TOML (cannot overwrite a value); got title = "again".'
    ),
    HEAD + "title": (
        "line 3 must be TOML (expected '=' after a key in a key/value pair); got title."
    ),
    HEAD + "x = " + DEEP: "the lecture must not nest lists or tables so deeply; got more.",
    "x = " + "9" * 5000: None,
    "a." * 300 + "a = 1": "line 1 must have at most 200 dots; got " + "a." * 19 + "a….",
    b"title = '\xff'": "the lecture must be UTF-8 text; got byte 0xff in line 1.",
    "#" * 100_001: "the lecture must have at most 100,000 bytes; got 100,001.",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_fault_is_one_sentence(text):
    with pytest.raises(InputError) as refused:
        lectures.read(text, "x")
    sentence = str(refused.value)
    assert re.fullmatch(r"[^\n]+ must [^\n]+; got [^\n]+\.", sentence)
    assert len(sentence) < 250
    if REFUSED[text]:
        assert sentence == REFUSED[text]


@pytest.mark.parametrize("name", ["A", "a b", "../a", "a" * 41, "a\n"])
def test_a_name_that_no_link_can_carry_is_refused(name):
    with pytest.raises(InputError, match="the lecture's name must be"):
        lectures.read(HEAD + SCENE, name)


PARTS = ["[[scene]]", "[scene]", 'title = "a"\n', "link", "=", '"points?d=64"', "\n", "'''", '"""',
         "{", "}", "[", "]", ".", "\\u0000", "é", "\x00", "1e400", "nan", "2020-01-01", "#", ","]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text() | st.binary())
def test_whatever_is_read_is_a_lecture_or_a_sentence(text):
    try:
        lectures.read(text, "x")
    except InputError as refused:
        said = str(refused)
    else:
        said = ""
    assert "\n" not in said


def test_the_parsers_complaints_still_have_the_form_that_is_read():
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at line 2, column \d+\)"):
        tomllib.loads("a = 1\nb b\n")
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at end of document\)"):
        tomllib.loads("a")


# --- A lecture of one's own ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$d$ bits cost $\\Theta(d)$.", ["d", "\\Theta(d)"]),
        ("It costs $5 and $10.", []),
        ("From $5 to $m$: *m* of <b>it</b>, :red[no] [a](b) `c` # d", ["m"]),
    ],
)
def test_formulas_are_set_and_all_else_stays_as_it_is(text, formulas):
    markdown = lectures.typeset(text)
    assert re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", markdown) == formulas
    for formula in formulas:
        text, markdown = (t.replace(f"${formula}$", "") for t in (text, markdown))
    assert not re.search(r"(?<![\\])[*<:\[`#$](?![\\])", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown) == text


def test_what_pages_will_not_take_is_said_when_a_lecture_is_loaded():
    links = ("points?d=banana", "https://other.example/points?d=64", "points?d=64&what=1")
    text = HEAD + "".join(SCENE.replace("points?d=64", link) for link in links)
    page = apps.run("pages/lectures.py")
    page.file_uploader(key="pv_lecture_file").set_value(("my.toml", text.encode(), "")).run()
    assert not page.exception
    said = [str(b.proto.body) for b in page.get("html") if "pv-message" in str(b.proto.body)]
    said = [one for one in said if one.startswith("<p")]
    assert len(said) == 3
    assert "Scene 1: d must be a whole number" in said[0]
    assert "got “banana”" in said[0]
    assert "Scene 2: The link is to other.example; the page “points” of this" in said[1]
    assert "Scene 3: “what” is not a parameter here" in said[2]


def _turned():
    from pages.shared.hall import presenter

    presenter.turn("points", presenting=True)


# Planted: a slider that is moved before the key runs the page that is left, as the next scene.
@pytest.mark.parametrize("page", ["points", "intervals"])
def test_a_scene_that_another_page_was_run_with_is_gone_to_again(monkeypatch, page):
    lecture = lectures.shipped()[1]
    number = next(n for n, scene in enumerate(lecture.scenes, 1) if scene.page == page)
    where, gone = presenter.Place(lecture, number), []
    monkeypatch.setattr(presenter, "place", lambda: where)
    monkeypatch.setattr(state, "follow", lambda *there: gone.append(there))
    assert not AppTest.from_function(_turned).run().exception
    assert gone == ([] if page == "points" else [presenter.scene_link(where)])
