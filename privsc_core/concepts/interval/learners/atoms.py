"""The (epsilon, delta)-private learner of intervals that repeated points give the step away to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell, Source
from privsc_core.concepts.interval.distributions import Hard, IntervalDistribution, Threshold
from privsc_core.concepts.shared import unseen
from privsc_core.concepts.shared.choosing import Groups, WithLump
from privsc_core.concepts.shared.laws import against, by_d, certain, from_smaller
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.expectations import lesser_expectation
from privsc_core.numerics.logspace import log_domain, log_domain_scalar
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


@dataclass(frozen=True)
class Atoms(WithLump):
    """Pick c_t with probability proportional to C/(T+1) + e^{eps n_t / 2} - 1.

    n_t = min(#(t-1, 1), #(t, 0)): (x, 1) can raise n_{x+1} alone, (x, 0) n_x alone. For C and the
    proof of privacy see `concepts.shared.unseen`, with T + 1 answers.

    Parameters
    ----------
    delta : float
        The privacy slack, in [0, 1/2); at 0 the learner is purely private.
    """

    name = "atoms"
    title = "Copies of the points at the step"
    source = Source(
        "ours", "stability; a choosing mechanism in one formula", "BNS13b, the choosing mechanism"
    )
    summary = (
        "Picks every threshold with probability proportional to C/(T+1) + exp(ε · n/2) - 1, where n is how often "
        "both points next to the threshold were seen with their labels. With δ > 0 the constant C replaces T+1."
    )
    derivation = (
        r"Let $n_t$ be the smaller of two counts: of the examples $(t-1, 1)$ and of $(t, 0)$. The example $(x, "
        r"1)$ can raise $n_{x+1}$ alone, and $(x, 0)$ can raise $n_x$ alone. So a replaced example raises one "
        r"$n_t$ by at most 1, and lowers one."
        "\n\n"
        r"Threshold $t$ has the weight $C/N + e^{\varepsilon n_t/2} - 1$, where $N = T+1$ and "
        r"$(e^{\varepsilon/2}-1)(1-C/N) \le C\delta$, $C \ge 1$. The sum of all weights changes by a factor of "
        r"at most $e^{\varepsilon/2}$. The weight that gains becomes $e^{\varepsilon/2}$ times what it was, "
        r"plus $(e^{\varepsilon/2}-1)(1-C/N)$; divided by a sum of at least $C$, what exceeds the factor "
        r"$e^{\varepsilon}$ is at most $\delta$. $\square$"
    )
    privacy = "approximate"
    proper = True
    efficient = True
    laws = {"hard": "exact", "band": "exact", "uniform": "exact", "cascade": "exact"}
    unmoved = {"hard": {"goal": "only the copies of the two points beside the step count"}}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("j",)
    symmetric = True
    caveat = (
        "This is no PAC learner of thresholds: it needs many copies of each of the two points at the step (some "
        "sixty at ε = 0.5 and δ = 10⁻⁶). The hard distribution supplies such copies. On the uniform distribution "
        "they take more examples than there are points."
    )

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the thresholds with a score, and all others together; O(m) time for any d."""
        scores = _atoms(sample)
        known, last = list(scores), len(scores)
        place = {t: row for row, t in enumerate(known)}
        rest = sample.domain_size + 1 - last
        others, every = whole(rest, sample.d), range(1, sample.domain_size + 2)

        def member(row: int, coins: Uniform) -> Hypothesis:
            if row < last:
                return Threshold(known[row])
            t = 1 + uniform_below(coins, rest)
            for other in sorted(known):
                t += other <= t
            return Threshold(t)

        def name(row: int, recorder: Recorder) -> str:
            if row == last:
                return f"{others} others" if known else "all thresholds"
            t = known[row]
            return f"j = {whole(t, sample.d)}" + (" (target)" if t == recorder.target else "")

        return Groups(
            mistakes=np.array([*scores.values(), 0], dtype=np.int64),
            sizes=[1] * last + [rest],
            member=member,
            name=name,
            members=lambda row: "1" if row < last else others,
            order=[*sorted(range(last), key=known.__getitem__), last],
            target=lambda t: place.get(t, last),
            outputs=lambda row: (
                [known[row]] if row < last else [t for t in every if t not in place]
            ),
            every=every,
            words="The score of threshold j is the smaller of two numbers of examples: of the last "
            "point before it with label 1, and of its own point with label 0.",
            score="copies",
            what="thresholds",
        )

    def log_all(self, d: int, minus: int = 0) -> float:
        """Return the log of how many thresholds there are, less `minus`."""
        return log_domain_scalar(d, minus - 1)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: only the target can have a score."""
        if not isinstance(distribution, IntervalDistribution):
            raise InputError("distribution", "must belong to INTERVAL_d", distribution.name)
        law = distribution
        for d in np.unique(setting.d).tolist():
            law.check(d=d, alpha=setting.alpha)
        if isinstance(law, Hard):
            return self._law(law, setting)
        return by_d(setting, lambda _, part: self._law(law, part))

    def _law(self, distribution: IntervalDistribution, setting: Setting) -> Estimate:
        """Return the law where the masses beside the step do not depend on d, or d is one."""
        bits = np.unique(setting.d).tolist()
        logs = np.array([_log_shares(distribution, d, setting.alpha) for d in bits])
        if (logs[:, 1] == -math.inf).all():
            return certain(setting)
        log_good, log_bad = np.moveaxis(logs[np.searchsorted(bits, setting.d)], -1, 0)
        every = log_domain(setting.d, -1)
        effective = unseen.log_effective(every, setting.epsilon, setting.delta or self.delta)
        columns = log_good, log_bad, effective, 0.5 * setting.epsilon
        masses = distribution.beside(d=bits[0], alpha=setting.alpha)

        def mean(function: Any) -> NDArray[np.float64]:
            # Of two sums of weights, which together may pass 1 by some ulps.
            return np.minimum(
                lesser_expectation(setting.m, masses, columns, function, log_tail=setting.log_tail),
                1.0,
            )

        success, failure = against(unseen.odds)
        return from_smaller(setting, lambda: mean(success), lambda: mean(failure))


@lru_cache(maxsize=256)  # numbers of so many bits take a while
def _log_shares(distribution: IntervalDistribution, d: int, alpha: float) -> tuple[float, float]:
    """Return the logs of the shares of accurate and of other thresholds among all."""
    every = log_domain_scalar(d, -1)
    good = 1 + sum(distribution.allowed(d=d, alpha=alpha))
    if good == 1:
        return -every, log_domain_scalar(d) - every
    bad = (1 << d) + 1 - good
    return math.log(good) - every, math.log(bad) - every if bad else -math.inf


def _atoms(sample: Sample) -> dict[int, int]:
    """Return the thresholds with a score, and their scores."""
    positive, negative = sample.tallies()
    ones = dict(zip(sample.points, positive.tolist(), strict=True))
    zeros = zip(sample.points, negative.tolist(), strict=True)
    scores = {x: min(ones.get(x - 1, 0), count) for x, count in zeros}
    return {x: score for x, score in scores.items() if score}
