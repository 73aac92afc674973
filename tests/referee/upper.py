"""Every upper bound against adversarial distributions, for the learners that it speaks of.

The learner's success is computed from its own `output_distribution` on every sample of a tiny
domain, so it is exact; the distribution is chosen against it, for every target: a grid of the
simplex, masses at alpha and just above, random ones, and a search from the worst of them. A mass
"just above" is here a real one, alpha and a billionth: what fails, fails.

Where the promised number of samples is too large to enumerate, the learner's law is asked on the
distributions of the catalog.
"""
# ruff: noqa: PLR0917 - a setting is (d, m, epsilon, alpha, beta), in this order everywhere

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from scipy.special import gammaln, xlogy

import tests.classes
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from tests.core.support import decimal, exists, setting
from tests.referee.optimum import databases
from tests.referee.report import Comparison

_BIT_ABOVE = 1e-9
_ROUNDING = 1e-12
# More than so many samples of a target are not enumerated.
MOST_SAMPLES = 700


def bound_by(known, bound):
    """Return the learners of the catalog that the bound speaks of."""
    return [x for x in known.concept.learners if bound.binds(x)]


# --- What a learner does on every sample ---------------------------------------------------------


def _rows(known, d, outputs):
    """Return the labels that every output stands for; ⊥ has none."""
    rows = []
    for output in outputs:
        if output is None:
            rows.append([2] * 2**d)
        elif isinstance(output, tuple):
            rows.append(output)
        else:
            # A whole number is a concept; for pseudorandom points also a point that is no image.
            rows.append(known.row(output, d))
    return np.array(rows)


def _behaviour(known, learner, d, m, epsilon, alpha, beta, target):
    """Yield (chance, samples as counts, outputs' chances, outputs' labels): the public coins first."""
    size = 2**d
    counts = databases(size, m)
    labels = known.row(target, d)
    given = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    samples = [
        Sample.of(d, x := [p for p in range(1, size + 1) for _ in range(row[p - 1])], [labels[p - 1] for p in x])
        for row in counts.tolist()
    ]  # fmt: skip
    coins = False
    for chance, drawn, shown in known.drawn(learner, d, alpha, beta):
        coins = True
        found = [drawn.output_distribution(s, Cell(s.d, **given)) for s in samples]
        yield chance, counts, *_gathered(found, np.array([shown[b] for b in found[0]]))
    if coins:
        return
    found = [learner.output_distribution(s, Cell(s.d, **given)) for s in samples]
    outputs = list(dict.fromkeys(o for one in found for o in one))
    chances = [{o: one.get(o, 0.0) for o in outputs} for one in found]
    yield 1.0, counts, *_gathered(chances, _rows(known, d, outputs))


def _gathered(found, rows):
    """Return the chances of the different rows of labels, and these rows."""
    table = np.array([list(one.values()) for one in found])
    different, place = np.unique(rows, axis=0, return_inverse=True)
    merged = np.zeros((len(table), len(different)))
    np.add.at(merged.T, place.ravel(), table.T)
    return merged, different


def least_success(known, learner, d, m, epsilon, alpha, beta, *, effort, seed=1, only=None):
    """Return the least success found, with the target and the distribution.

    Parameters
    ----------
    effort : int
        Random distributions per target, and steps of the search.
    only : ndarray, optional
        The distributions that are tried, where a promise speaks of no others.
    """
    rng = np.random.default_rng(seed)
    best = (math.inf, 0, None)
    for target in known.targets(d):
        parts = list(_behaviour(known, learner, d, m, epsilon, alpha, beta, target))
        labels = np.array(known.row(target, d))

        def success(laws, parts=parts, labels=labels):
            total = 0.0
            for chance, counts, outputs, rows in parts:
                ways = gammaln(m + 1) - gammaln(counts + 1).sum(axis=1)
                weight = np.exp(ways + xlogy(counts[None], laws[:, None, :]).sum(axis=2))
                good = laws @ (rows != labels).T <= alpha + _ROUNDING
                good &= (rows != 2).all(axis=1)
                total = total + chance * ((weight @ outputs) * good).sum(axis=1)
            return total

        laws = adversaries(2**d, alpha, effort, rng) if only is None else only
        values = success(laws)
        at = int(values.argmin())
        law, value = laws[at], float(values[at])
        for step in range(effort // 20 if only is None else 0):
            near = _nearby(law, alpha, 20, rng, width=0.3 * 0.9**step)
            values = success(near)
            if values.min() < value:
                law, value = near[int(values.argmin())], float(values.min())
        if value < best[0]:
            best = (value, target, law)
    return best


def spoken_of(known, bound, d, alpha):
    """Return the distributions that a promise speaks of, as masses; None for every one."""
    if not bound.promised_on:
        return None
    named = [x for x in known.concept.distributions if x.name in bound.promised_on]
    tasks = [task for x in named for task in known.picture(x, d, alpha)]
    laws = [[float(task.masses.get(x, (0, 0))[0]) for x in range(1, 2**d + 1)] for task in tasks]
    return np.unique(np.array(laws), axis=0)


def adversaries(size, alpha, effort, rng):
    """Return distributions on the points: of few points, at and just above alpha, and random."""
    structured = _structured(size, alpha)
    if len(structured) > 4 * effort:
        structured = structured[rng.choice(len(structured), 4 * effort, replace=False)]
    drawn = [rng.dirichlet(np.full(size, c), size=effort // 4) for c in (0.1, 0.3, 1.0, 5.0)]
    return np.concatenate([structured, *drawn, np.full((1, size), 1 / size)])


@functools.lru_cache(maxsize=64)
def _structured(size, alpha):
    edges = (alpha, alpha + _BIT_ABOVE, 2 * alpha, alpha / 2, 1 / 3, 0.5)
    found = []
    for count in (1, 2, 3):
        masses = [(*p, 1.0 - sum(p)) for p in itertools.product(edges, repeat=count - 1)]
        masses = [p for p in dict.fromkeys(masses) if p[-1] >= 0.0]
        for support in itertools.permutations(range(size), count):
            block = np.zeros((len(masses), size))
            block[:, support] = masses
            found.append(block)
    return np.unique(np.concatenate(found), axis=0)


def _nearby(law, alpha, number, rng, *, width):
    """Return distributions near one: mass moved between two points, or set just above alpha."""
    out = np.repeat(law[None], number, axis=0)
    for row in out:
        a, b = rng.choice(len(law), 2, replace=False)
        moved = (
            rng.uniform(0.0, width) * row[a] if rng.random() < 0.7 else row[a] - alpha - _BIT_ABOVE
        )
        moved = min(max(moved, -row[b]), row[a])
        row[a] -= moved
        row[b] += moved
    return np.clip(out, 0.0, 1.0)


# --- Comparisons ---------------------------------------------------------------------------------


def compare(known, bound, d, m, epsilon, alpha, beta, *, effort=200):
    """Yield comparisons on tiny domains: the promise at m, and the promised number of samples."""
    told = (known.concept.name, bound.name)
    only = spoken_of(known, bound, d, alpha)
    for learner in bound_by(known, bound):
        words = {"d": d, "m": m, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        promised = bound.limit(setting(m, d, epsilon, alpha, beta))
        if promised is not None and float(promised) > 0 and _few(d, m):
            value, target, law = least_success(
                known, learner, d, m, epsilon, alpha, beta, effort=effort, only=only
            )
            where = f"{learner.name}, target {target}, masses {np.round(law, 4).tolist()}"
            margin = value - float(promised)
            yield Comparison(
                *told, "limit", where, words, float(promised), value, margin, _ROUNDING
            )
        asked = bound.least(Cell(d, epsilon, alpha, beta))
        if asked.m is not None and _few(d, asked.m):
            words = words | {"m": asked.m}
            value, target, law = least_success(
                known, learner, d, asked.m, epsilon, alpha, beta, effort=effort, only=only
            )
            where = f"{learner.name}, target {target}, masses {np.round(law, 4).tolist()}"
            margin = value - (1.0 - beta)
            yield Comparison(*told, "samples", where, words, asked.m, value, margin, _ROUNDING)


def _few(d, m):
    return math.comb(m + 2**d - 1, m) <= MOST_SAMPLES


def by_law(known, bound, d, epsilon, alpha, beta):
    """Yield comparisons by the learner's law on the catalog's distributions.

    A law that is simulated counts with six standard errors: enough for a promise that is broken by
    more than a hair.
    """
    slack = max((x.privacy_slack for x in bound_by(known, bound)), default=0.0)
    asked = bound.least(Cell(d, epsilon, alpha, beta, delta=slack))
    if asked.m is None:
        return
    told = (known.concept.name, bound.name)
    for learner, x in itertools.product(bound_by(known, bound), known.concept.distributions):
        # Elsewhere than on a continuum distributions are chosen against the learner as well.
        simulated = x.name in tests.classes.known(known.concept).continuum
        if bound.promised_on and x.name not in bound.promised_on:
            continue
        if not exists(x, d, alpha) or not (simulated or learner.laws.get(x.name) == "exact"):
            continue
        try:
            found = learner.success(x, setting(asked.m, d, epsilon, alpha, beta, trials=250))
            value = float(found.value + 3.0 * (found.high - found.value))
        except InputError:  # the learner does not run there, so it breaks no promise
            continue
        words = {"d": d, "m": asked.m, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        margin = value - (1.0 - beta)
        where = f"{learner.name}, {x.label}"
        yield Comparison(*told, "samples", where, words, asked.m, value, margin, _ROUNDING)


def on_databases(known, bound, d, m, epsilon, alpha, beta):
    """Yield comparisons where databases are given: the promises on each that is covered.

    A law that is simulated counts with six standard errors, as in `by_law`.
    """
    told = (known.concept.name, bound.name)
    asked = bound.least(Cell(d, epsilon, alpha, beta))
    cells = [("limit", m)] + ([("samples", asked.m)] if asked.m is not None else [])
    for (claim, size), learner in itertools.product(cells, bound_by(known, bound)):
        exact = "exact" in learner.laws.values()
        if math.comb(size + 2**d - 1, size) > (20 * MOST_SAMPLES if exact else MOST_SAMPLES // 7):
            continue
        at = setting(size, d, epsilon, alpha, beta, trials=100)
        promised = bound.limit(at)
        if claim == "limit" and promised is None:
            continue
        wanted = float(promised) if claim == "limit" else 1.0 - beta
        rows = {known.alike(row) for row in databases(2**d, size).tolist()}
        rows = [row for row in rows if known.covers(bound, row, decimal(alpha))]
        laws = {row: learner.success(known.database(row), at) for row in rows}
        values = {row: float(x.value + 3.0 * (x.high - x.value)) for row, x in laws.items()}
        if not values:
            continue
        worst = min(values, key=values.get)
        words = {"d": d, "m": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        where = f"{learner.name}, counts {list(worst)}"
        claimed = wanted if claim == "limit" else size
        margin = values[worst] - wanted
        yield Comparison(*told, claim, where, words, claimed, values[worst], margin, _ROUNDING)
