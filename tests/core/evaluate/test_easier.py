"""What is easier never needs more: numbers of bounds and of learners, along each of their parameters."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from privsc_core.catalog import bound, distribution, learner
from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.need import need
from tests.classes import known
from tests.core.support import BOUNDS, CLASS_LAWS, exists
from tests.depth import deep, firsts, whole

# Every parameter from the hardest value on.
HARDER = {
    "d": [40, 17, 13, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    "epsilon": [0.1, 0.5, 1.0, 2.0, 5.0],
    "alpha": [0.07, 0.167, 0.25, 0.3, 0.4],
    "beta": [0.001, 0.021, 0.1, 0.3],
    "delta": [0.0, 1e-6, 1e-3],
}
# The first is one at which a bound by the number of points was seen to fall from 19 to 13.
BASES = [
    Cell(5, 3.694, 0.167, 0.021),
    *deep(
        [],
        [
            Cell(16, 0.5, 0.1, 0.1),
            Cell(4, 1.0, 0.3, 0.3, 1e-06),
            Cell(8, 0.1, 0.25, 0.05, 0.001),
            Cell(40, 2.0, 0.05, 0.2),
        ],
    ),
]
LOWER = [p for p in BOUNDS if p.values[1].kind == "lower" and p.values[1].constants != "rate"]


def rises(entry, names, share=0.0):
    """List where a lower bound asks for more at an easier setting, by more than its own search may miss."""
    found = []
    for base in BASES:
        for name in names:
            cells = [dataclasses.replace(base, **{name: value}) for value in HARDER[name]]
            # Together where that is how a picture asks.
            said = (
                entry.leasts(cells)
                if name in {"d", "epsilon"}
                else [entry.least(cell) for cell in cells]
            )
            told = [(at, x.m) for at, x in zip(cells, said, strict=True) if x.m is not None]
            found += [
                (name, one, m, other, more)
                for (one, m), (other, more) in itertools.pairwise(told)
                if more > m + math.ceil(share * m)
            ]
    return found


@pytest.mark.parametrize(("concept", "entry"), LOWER)
def test_a_lower_bound_never_asks_for_more_where_less_is_to_be_learned(concept, entry):
    names = [name for name in HARDER if name != "d" or not entry.falls_with_d]
    assert not rises(entry, names, known(concept).searched.get(entry.name, 0.0))


@pytest.mark.parametrize(("concept", "entry"), [p for p in LOWER if p.values[1].falls_with_d])
def test_a_bound_says_truly_that_it_falls_with_d(concept, entry):
    assert rises(entry, ["d"]), concept


class Mirrored:
    """A bound that is easier where it should be harder."""

    def __init__(self, entry, name):
        self.entry, self.name = entry, name

    def least(self, at):
        values = HARDER[self.name]
        turned = values[-1 - values.index(getattr(at, self.name))]
        return self.entry.least(dataclasses.replace(at, **{self.name: turned}))

    def leasts(self, cells):
        return [self.least(at) for at in cells]


@pytest.mark.parametrize("name", HARDER)
def test_a_planted_bound_is_found_to_be_turned_around(name):
    entry = bound("point", "packing-delta") if name == "delta" else bound("conjunction", "vc")
    assert not rises(entry, [name])
    if name == "delta":  # at the first bases the slack changes less than a sample
        entry = Sloping()
        assert rises(entry, [name])
        return
    assert rises(Mirrored(entry, name), [name])


class Sloping:
    """A bound that asks for more where the slack is larger."""

    def least(self, at):
        return dataclasses.replace(bound("point", "packing").least(at), m=1 + round(1e6 * at.delta))


# --- Learners ------------------------------------------------------------------------------------

SETTINGS = [(16, 0.1, 0.1), (8, 0.5, 0.2), *deep([], [(5, 3.0, 0.25), (64, 2.0, 0.05)])]
BETAS = [
    0.0677,
    0.0783,
    0.08,
    0.1,
    0.121,
    0.125,
    *deep([], [0.002, 0.01, 0.03, 0.0937, 0.25, 0.3, 0.45, 0.5]),
]
BETAS.sort()
# Whose least numbers take seconds.
LONG = {
    "ranks-coarse", "laplace", "noise-boosted", "generic-flip", "generic", "sq-gauss", "sq-laplace",
    "label-boost", "blr", "atoms",
}  # fmt: skip
ALPHAS = [0.02, 0.05, 0.1, 0.17, 0.25, 0.33, 0.4, 0.45]
EXACT = [
    p
    for p in CLASS_LAWS
    if p.values[1].laws[p.values[2].name] == "exact" and p.values[2].realizable
]


def needs(entry, place, name, values, settings=None, *, beta=0.1):
    """List where a learner needs more examples at a larger alpha or beta."""
    found = []
    for d, epsilon, alpha in settings or SETTINGS:
        told = []
        for value in values:
            at = {
                "d": min(d, entry.most_d(place)),
                "epsilon": epsilon,
                "alpha": alpha,
                "beta": beta,
            }
            at |= {name: value}
            if not exists(place, at["d"], at["alpha"]):
                continue
            try:
                m = need(entry, place, **at).m.item()
            except InputError:
                continue
            told.append((value, math.inf if math.isnan(m) else m))
        found += [
            (d, epsilon, alpha, one, other)
            for one, other in itertools.pairwise(told)
            if other[1] > one[1]
        ]
    return found


FIRST = firsts(EXACT, lambda concept, entry, _: (concept.name, entry.name))
QUICK = [whole(*p.values) if p.values[1].name in LONG else p for p in FIRST]


@pytest.mark.parametrize(("concept", "entry", "place"), QUICK)
def test_a_learner_never_needs_more_for_a_larger_beta(concept, entry, place):
    assert not needs(entry, place, "beta", BETAS), concept


@pytest.mark.whole
@pytest.mark.parametrize(("concept", "entry", "place"), FIRST)
def test_a_learner_never_needs_more_for_a_larger_alpha(concept, entry, place):
    if not entry.looser_costs:
        assert not needs(entry, place, "alpha", ALPHAS), concept


@pytest.mark.whole
def test_a_learner_says_truly_that_a_larger_alpha_costs():
    costly = {}
    fine = np.geomspace(0.01, 0.49, 40).round(4).tolist()
    for concept, entry, place in (p.values for p in EXACT):
        if entry.looser_costs:
            for d, epsilon, beta in ((8, 0.5, 0.05), (5, 1.0, 0.3)):
                found = needs(entry, place, "alpha", fine, [(d, epsilon, 0.1)], beta=beta)
                costly.setdefault((concept.name, entry.name), []).extend(found)
    assert costly
    assert all(costly.values())


def test_planted_blocks_that_ignore_epsilon_are_found():
    uniform = distribution("parity", "uniform")
    old = type(learner("parity", "elimination"))

    class Fixed(old):
        def blocks(self, _epsilon, beta):
            return np.array(max(2, math.ceil(math.log(1.0 / beta) / math.log(3.5))))

    assert needs(Fixed(), uniform, "beta", BETAS)
    assert not needs(old(), uniform, "beta", BETAS)
