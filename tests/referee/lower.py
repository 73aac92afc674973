"""Every lower bound against the optimum, for whom and where it claims to hold."""
# ruff: noqa: PLR0917 - a setting is (d, m, epsilon, alpha, beta), in this order everywhere

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from privsc_core.concepts.contracts import Cell
from tests.core.support import setting
from tests.referee.anyone import stronger
from tests.referee.optimum import TOLERANCE, alike, optimum, program_size, sure_failure
from tests.referee.report import Comparison

# Confidences tried besides those that the optimum only just reaches.
BETAS = (1e-5, 0.1, 0.5, 0.9, 1 - 1e-9)
# Optimal learners are only as private as e^-epsilon is large, so at this epsilon the best
# learner without privacy, mixed with a guess of this probability, is a private one.
_FREE, _GUESS = 700.0, 1e-300
_TINY = (1e-100, 1e-17, 1e-16, 1e-12)
# The most databases, task by task, that are gone through in fractions.
_COUNTED = 20_000


@dataclass(frozen=True)
class Place:
    """Where bounds are compared.

    Attributes
    ----------
    largest : int
        The most (database, answer) pairs of a linear program.
    thorough : bool
        Whether to look for the worst family even where one confirms the bound already.
    """

    d: int
    m: int
    epsilon: float
    alpha: float
    delta: float = 0.01
    largest: int = 3_000
    thorough: bool = False

    @property
    def words(self):
        return {"d": self.d, "m": self.m, "epsilon": self.epsilon, "alpha": self.alpha}


def stand_ins(bound, known):
    """Return the stand-ins that the bound binds, without those weaker than another of them."""
    bound_by = [x for x in known if bound.binds(x)]
    return [x for x in bound_by if not any(stronger(y, x) for y in bound_by)]


def pictures(known, bound):
    """Return the distributions on whose families the bound is proved; see `_claimed`."""
    return [x for x in known.concept.distributions if x.name in bound.proved_on]


def _claimed(bound, distribution, words, beta):
    """Tell whether the bound is claimed at a setting; on the worst family (None) everywhere."""
    if distribution is None:
        return True
    at = {name: words[name] for name in ("d", "epsilon", "alpha")}
    return bound.holds_on(distribution, Cell(beta=beta, **at))


def compare(known, bound, cell):
    """Yield comparisons of one lower bound at one cell, on the worst family and on pictures."""
    for who in stand_ins(bound, known.stand_ins):
        games = known.games(who, cell.d, cell.alpha, cell.m)
        yield from _on_some(known, bound, cell, who, games)
    for distribution in pictures(known, bound):
        for who in stand_ins(bound, known.stand_ins):
            game = known.pictured(who, distribution, cell.d, cell.alpha, cell.m)
            value = None if game is None else _value(game, cell, who)
            if value is not None:
                yield from held_to(known, bound, cell, who, distribution.label, value, distribution)


def _on_some(known, bound, cell, who, games):
    """Return the comparisons on the first family that confirms the bound, else on the worst."""
    worst, best, left_out = [], math.inf, False
    for name, game in sorted(games.items(), key=lambda item: program_size(item[1], cell.m)):
        value = _value(game, cell, who)
        if value is None:
            left_out = True
        if value is None or value >= best:
            continue
        best = value
        worst = list(held_to(known, bound, cell, who, f"worst: {name}", value))
        if not cell.thorough and not any(one.false for one in worst):
            break
    # A family that is too large to solve may be the one that confirms the bound.
    return [] if left_out and any(one.false for one in worst) else worst


def _value(game, cell, who):
    # The slacks of delta make a program much larger.
    size = program_size(game, cell.m) * (20 if who.privacy == "approximate" else 1)
    if size > cell.largest:
        return None
    loss = math.inf if who.privacy == "none" else cell.epsilon
    return optimum(game, cell.m, epsilon=loss, delta=cell.delta, privacy=who.privacy)


def held_to(known, bound, cell, who, where, best, distribution=None):
    """Yield comparisons of a bound's two claims with the success of the best learner."""
    told = (known.concept.name, bound.name)
    where = f"{where}, {who.name}"
    slack = cell.delta if who.privacy == "approximate" else 0.0
    at = setting(cell.m, cell.d, cell.epsilon, cell.alpha, 0.1, delta=slack)
    limit = bound.limit(at)
    if limit is not None:
        limit = float(limit)
        margin = limit - best
        yield Comparison(*told, "limit", where, cell.words, limit, best, margin, TOLERANCE)
    # The optimum reaches 1 - beta with m samples, so no more than m may be asked for.
    only_just = 1.0 - best + 2 * TOLERANCE
    for beta in (only_just, *BETAS):
        if only_just <= beta < 1.0 and _claimed(bound, distribution, cell.words, beta):
            asked = bound.least(Cell(cell.d, cell.epsilon, cell.alpha, beta, delta=slack))
            words = cell.words | {"beta": beta}
            yield from _samples(told, where, words, asked, cell.m)


def _samples(told, where, words, asked, m):
    if asked.m is not None:
        yield Comparison(*told, "samples", where, words, asked.m, m, m - asked.m)


def compare_surely(known, bound, d, alpha, sizes, *, epsilon=_FREE):
    """Yield comparisons of numbers of samples at a huge epsilon, down to tiny beta, in fractions.

    On families whose tasks are all alike; not where one of them is too large to go through.
    """
    for who, m in itertools.product(stand_ins(bound, known.stand_ins), sizes):
        words = {"d": d, "m": m, "epsilon": epsilon, "alpha": alpha}
        games = known.games(who, d, alpha, 1)
        same = {name: g for name, g in games.items() if not g.fixed and alike(g)}
        if same and all(_countable(g, m) for g in same.values()):
            lost = {name: _lost(g, m) for name, g in same.items()}
            name = max(lost, key=lost.get)
            yield from _surely(known, bound, words, f"worst: {name}, {who.name}", lost[name])
        for distribution in pictures(known, bound):
            game = known.pictured(who, distribution, d, alpha, 1)
            if game is not None and alike(game) and _countable(game, m):
                where = f"{distribution.label}, {who.name}"
                yield from _surely(known, bound, words, where, _lost(game, m), distribution)
                if any(len(p) == len(game.laws) for p in game.patterns):
                    # One answer suits every task: privacy costs nothing, at any epsilon.
                    cheap = words | {"epsilon": 0.5}
                    yield from _surely(known, bound, cheap, where, 0, distribution)


def _countable(game, m):
    points = max(sum(p > 0 for p in law) for law in game.laws)
    return math.comb(m + points - 1, m) * len(game.laws) <= _COUNTED


def _lost(game, m):
    key = ("lost", m)
    if key not in game.known:
        game.known[key] = sure_failure(game, m)
    return game.known[key]


def _surely(known, bound, words, where, lost, distribution=None):
    only_just = float(lost) * (1 + 1e-9) + _GUESS
    told = (known.concept.name, bound.name)
    for beta in (only_just, *_TINY):
        reached = max(only_just, 1e-290) <= beta < 1.0 - 1e-9
        if reached and _claimed(bound, distribution, words, beta):
            asked = bound.least(Cell(words["d"], words["epsilon"], words["alpha"], beta))
            yield from _samples(told, where, words | {"beta": beta}, asked, words["m"])
