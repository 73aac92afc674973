"""Independent routes to the answers of questions: from laws, inequalities and definitions, never from `need`."""

import functools

import numpy as np

from privsc_core.concepts.contracts import Setting
from privsc_core.numerics.decimals import complement

_TOP = 10**9


def chance(scenario, learner, m, **instead):
    """Return the success probability by the learner's own law, at many m at once."""
    at = scenario.settings() | instead
    here = Setting(
        np.atleast_1d(np.asarray(m, dtype=np.int64)), np.array(at["d"]), np.array(at["epsilon"]),
        at["alpha"], at["beta"], at["delta"],
    )  # fmt: skip
    return learner.at(at["delta"]).success(scenario.law, here).value


@functools.cache
def _least(scenario, learner, instead):
    low, high = 0, _TOP  # success falls short at low, and suffices at high
    goal = complement(dict(instead).get("beta", scenario.beta))
    if chance(scenario, learner, high, **dict(instead))[0] < goal:
        return None
    while high - low > 1:
        grid = np.unique(np.round(np.geomspace(max(low, 0.5), high, 40)).astype(np.int64))
        grid = grid[(grid > low) & (grid < high)]
        if not grid.size:
            grid = np.array([(low + high) // 2])
        enough = chance(scenario, learner, grid, **dict(instead)) >= goal
        low = max([low, *grid[~enough].tolist()])
        high = min([high, *(x for x in grid[enough].tolist() if x > low)])
    return high


def least(scenario, name, **instead):
    """Return the least m, closed in on from both sides by the law alone; None where there is none."""
    learner = next(one for one in scenario.entries if one.name == name)
    return _least(scenario, learner, tuple(sorted(instead.items())))
