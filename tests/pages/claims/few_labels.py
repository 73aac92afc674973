"""What the captions of “Few labels, many people” say."""

import functools

import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool
from privsc_core.evaluate.budgets import against, asking, plane
from privsc_core.exhibits.point.labels import PLANE, plenty
from privsc_core.exhibits.rectangle.run import follow
from tests.pages.claims.setting import same


@functools.cache
def _of_labels(d, epsilon, alpha, beta):
    return plane(PLANE, Cell(d, epsilon, alpha, beta))


def _plane(s, **over):
    now = s.now | over
    return _of_labels(*(now[key] for key in ("d", "eps", "alpha", "beta")))


def _everybody(s):
    needs = s.need("exponential", d=[16, 64])
    return [
        f"needs {needs[0]} labelled points at d = {s.d} and {needs[1]:,} at d = 64",
        f"Without privacy {s.need('erm')} are enough",
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
    over = against(PLANE, Cell(s.d, s.epsilon, s.alpha, s.beta))
    assert labels == same(over.boosted)
    return [
        f"At d = {s.d} it takes {labels} labels, and {u:,} people without",
        f"the exponential mechanism needs {s.need('exponential'):,}",
    ]


def _over_bits(s):
    found = against(PLANE, Cell(*(s.now[key] for key in ("d", "eps", "alpha", "beta"))))
    assert (found.d[0], found.d[-1]) == (8, 1024)
    return [
        f"stays at {same(found.labels):g}",
        f"from {found.people[0]:g} to {found.people[-1]:,.0f}", f"needs {same(found.improper):g} labelled",
    ]  # fmt: skip


def _wall(s):
    return [
        f"fewer than {_plane(s).wall:g} labels",
        f"With ε = 0.1 it is {_plane(s, eps=0.1).wall:g}",
    ]


def _floor(s):
    return [f"fewer than {_plane(s).people:,.0f} people, labelled or not", f"at d = {s.now['d']}"]


def _follows(s):
    return follow(s.now["d"], s.now["eps"], s.now["rerun"])


def _many(s):
    found = _follows(s)
    parts = same([len(cuts) + 1 for cuts in found.cuts])
    assert 4.0e9 < 4 ** s.now["d"] < 4.5e9
    return [f"medians of {len(found.people):,} people", f"into {parts} parts", f"{parts**2} cells"]


def _few(s):
    found = _follows(s)
    assert found.error <= s.now["alpha"]
    return [f"With {len(found.labelled)} labels"]


def _asked_at(s):
    now = s.now
    at = Cell(now["d"], now["eps"], now["alpha"], now["beta"])
    return asking(PLANE, pool, at, now["inner"], 1.0)


def _asked(s):
    found, now = _asked_at(s), s.now
    assert now["inner"] == pytest.approx(10 * now["eps"])
    return [
        f"For ε = {now['eps']:g} GenericLearner takes {plenty(found.at):g} labels",
        f"ask {found.asked:g} random people among {found.crowd:g}, at ε = {now['inner']:g}",
        f"protected by ε = {now['eps']:g}",
    ]


def _list(s):
    return [
        f"each of the {_asked_at(s).asked:g} people is protected by ε = {s.now['inner']:g} only"
    ]


SCENES = (
    _everybody, _two_kinds, _few_make_many, _over_bits, _wall, _floor, _many, _few, _asked, _list,
)  # fmt: skip
