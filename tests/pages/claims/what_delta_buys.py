"""What the captions of “What a small δ buys” say."""

import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.exhibits.interval.tree import tree_run
from tests.pages.claims.setting import same


def _guarantee(s):
    large, small = s.need("exponential"), s.need("exponential", d=128)
    assert s.d == 1024
    assert round((large - small) / (1024 - 128)) == 28
    assert 2 * s.bound("packing-two") > large
    return [
        f"needs {large:,} examples at d = {s.d:,}",
        "about 28 more",
        "No proper ε-DP learner does with half",
    ]


def _one_in_a_million(s):
    assert s.delta == 1e-6
    pure, far = s.need("exponential"), s.need("exponential", d=10**6)
    return [
        f"needs {same(s.need('seen', d=[s.d, 1024, 10**6]))} examples at d = {s.d}",
        "at d = 1,000,000", f"needs {pure:,} and {far:,}", "δ = 10⁻⁶",
    ]  # fmt: skip


def _lump(s):
    assert s.m == s.need("seen")
    return [f"of {s.m} people up to mδ = {s.m * s.delta:.6f}"]


def _size_of_a_domain(s):
    size = math.expm1(s.epsilon / 2) / s.delta
    assert s.d == round(math.log2(size))
    return [
        "δ = 10⁻⁶", f"{size:,.0f} points, {math.log2(size):.1f} bits",
        f"At d = {s.d} the exponential mechanism needs {s.need('exponential')} examples",
        f"needs {same(s.need('seen', d=[64, 10**6]))} however",
    ]  # fmt: skip


def _copies(s):
    bits = np.arange(3, 11)
    assert (np.array(s.need("atoms", distribution="uniform", d=bits.tolist())) > 2**bits).all()
    found = pv.need(
        concept="interval", learner="atoms", distribution="uniform", **s.scenario.settings()
    )
    assert math.isnan(found.m)  # more than are searched
    return [
        f"{s.need('atoms')} examples",
        f"The exponential mechanism needs {s.need('exponential'):,}",
    ]


def _hard_for_whom(s):
    pure, tree = (
        s.need(learner, distribution="cascade", trials=s.trials)
        for learner in ("exponential", "tree")
    )
    assert pure == pytest.approx(470, rel=0.02)
    assert tree == pytest.approx(1670, rel=0.02)
    copies = s.need("atoms", distribution="cascade")
    assert copies > tree > pure
    return [
        "about 470 examples",
        f"learner of copies {copies:,} (exact)",
        "about 1,670 (simulated)",
    ]


def _ladder(s):
    now = s.now
    found = tree_run(
        law=now["on"], d=now["rungs"], m=now["many"], seed=now["again"], epsilon=s.epsilon, alpha=s.alpha,
        beta=s.beta, delta=s.delta, change=now["change"], example=now["nth"], place=now["place"],
    )  # fmt: skip
    assert found.moved <= 1
    assert now["rungs"] == 8
    return [f"{len(found.here.candidates)} candidates for 2⁸", "d + 1", "more than 1"]


def _logarithm(s):
    at = {"distribution": "hard(alternating)"}
    assert s.now["goal"] == "alternating"
    return [
        f"At d = {s.d:,}: exponential mechanism {s.need('exponential', **at):,}",
        f"search {s.need('search', **at):,}, tree {s.need('tree', **at):,}",
        f"at d = 1,000,000 tree {s.need('tree', d=10**6, **at):,}",
        "iterated logarithm of 2ᵈ",
    ]  # fmt: skip


SCENES = (
    _guarantee, _one_in_a_million, _lump, _size_of_a_domain, _copies, _hard_for_whom, _ladder,
    _logarithm, lambda _: [],
)  # fmt: skip
