"""How often 95% intervals hold the truth: exact laws sent through the simulated route."""

import contextlib
import dataclasses
import random
import sys
from unittest import mock

import numpy as np

from privsc_core.catalog import distribution, learner
from privsc_core.concepts.shared import laws
from privsc_core.errors import InputError
from privsc_core.evaluate.success import success

RANGES = ((1e-6, 1e-3), (1e-3, 0.02), (0.02, 0.98), (0.98, 0.999), (0.999, 1 - 1e-6))
"""Of success, near both ends as far as simulation is asked."""

# Their exact laws are means over one binomial count, by `laws.averaged`.
ROUTED = (
    ("point", "exponential", "hard"), ("threshold", "ranks", "window"),
    ("line", "exponential", "anchor"), ("pseudorandom-point", "exponential-proper", "hard"),
)  # fmt: skip
_NORMAL = 1.959963984540054
_SIZES = np.unique(np.geomspace(1, 3e4, 120).astype(np.int64))


@dataclasses.dataclass(frozen=True)
class Case:
    """A learner on a distribution at a setting, and its exact or nearly exact success."""

    concept: str
    learner: str
    distribution: str
    setting: dict[str, float]
    truth: float
    seed: int

    def asked(self, **more):
        """Return the success probability by the core."""
        return success(
            learner(self.concept, self.learner), distribution(self.concept, self.distribution),
            **self.setting | more,
        )  # fmt: skip


@contextlib.contextmanager
def routed():
    """Let laws that are means over a binomial count simulate this count."""
    original = laws.averaged

    def simulating(setting, probability, columns, odds, *, rate):
        del rate
        hit, _ = laws.against(odds)

        def draw(m, trials, rng):
            count = rng.binomial(m, probability, size=trials).astype(np.float64)
            return count, m - count

        def conditional(d, epsilon, count, rest):
            del d, epsilon
            return hit(count, rest, *(np.array([np.ravel(c).item()]) for c in columns))

        return laws.rao_blackwell(setting, draw, conditional)

    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("privsc_core.") and vars(module).get("averaged") is original:
                stack.enter_context(mock.patch.object(module, "averaged", simulating))
        yield


def _odds(value):
    return np.log((value + 1e-9) / (1 - value + 1e-9))


def routed_case(low, high, number):
    """Return a case by an exact law, with success in a range: the same for every number."""
    draw = random.Random(f"coverage {low} {number}")  # noqa: S311 - no secret
    a, b = np.log(low / (1 - low)), np.log(high / (1 - high))
    while True:
        names = draw.choice(ROUTED)
        at = {
            "d": round(2 ** draw.uniform(1, 8)), "epsilon": 10 ** draw.uniform(-1.5, 1),
            "alpha": 10 ** draw.uniform(-1.7, -0.61), "beta": 1e-5, "delta": 0.0,
        }  # fmt: skip
        goal = 1 / (1 + np.exp(-draw.uniform(a, b)))
        case = Case(*names, at, 0.0, 1 + 1000 * draw.randrange(10**6))
        try:
            found = case.asked(m=_SIZES)
        except InputError:
            continue
        place = int(np.abs(_odds(found.value) - _odds(goal)).argmin())
        truth = found.value[place].item()
        if low < truth < high:
            return dataclasses.replace(case, setting=at | {"m": int(_SIZES[place])}, truth=truth)


def held(case, seeds, *, trials=1000):
    """Return how often our interval holds the truth, and how often the normal one does, a planted one."""
    ours = planted = 0
    for seed in range(case.seed, case.seed + seeds):
        found = case.asked(trials=trials, seed=seed)
        drawn = found.drawn
        assert drawn.count == trials
        ours += found.low <= case.truth <= found.high
        spread = np.maximum(drawn.squares / trials - found.value**2, 0.0) / (trials - 1)
        planted += abs(found.value - case.truth) <= _NORMAL * np.sqrt(spread)
    return int(ours), int(planted)
