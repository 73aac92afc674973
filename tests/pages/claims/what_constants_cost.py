"""What the captions of “How much does a constant cost?” say."""

import re

import privsc_core as pv
from tests.pages.claims.setting import EVERY_D, same


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
        f"needs {exact:,}, exactly", f"({lower}), about", f"is {exact / lower:.1f} times lower",
        f"({upper:,}, constants", f"is {upper / exact:.1f} times higher",
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
        f"{round(new / old)} times as much", f"needs {exact:,}, exactly",
        f"still about {exact // new} times",
    ]  # fmt: skip


def _sharp(s):
    lower, upper = s.bound("packing-two"), s.bound("finite-class")
    paper = s.bound("theorem-3.2") // s.bound("lemma-3.9")
    assert lower < s.need("exponential") < upper
    return [
        f"below {lower:,} impossible for proper ε-DP learners", f"from {upper:,} guaranteed",
        f"the gap of {paper} is now {upper / lower:.1f}",
    ]  # fmt: skip


def _two_in_epsilon(s):
    return [
        f"At ε = {s.epsilon:g} the exponential mechanism needs {s.need('exponential'):,} examples",
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


SCENES = (
    _gap, _between, _rate, _small_alpha, _sharp, _two_in_epsilon, _hundred_million,
    _small_constant, lambda _: [], lambda _: [],
)  # fmt: skip
QUESTIONS = {
    1: lambda s: [
        f"Between {s.bound('lemma-3.9')} and {s.bound('theorem-3.2'):,}", f"at d = {s.d}",
    ],
}  # fmt: skip
