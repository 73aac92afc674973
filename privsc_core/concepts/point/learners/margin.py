"""The margin learner: a point is named by its lead over all other votes, paid for once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.trace import groups_of_points
from privsc_core.concepts.shared.laws import certain
from privsc_core.concepts.shared.sample import uniform_point
from privsc_core.concepts.shared.votes import law_of_votes, name_by_votes
from privsc_core.numerics.logspace import each, log_domain_scalar
from privsc_core.numerics.text import chance, large

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Choice, Recorder
    from privsc_core.concepts.shared.votes import Named


@dataclass(frozen=True)
class Margin(Learner):
    """Name a point by its votes after tax, or else a random one; see `concepts.shared.votes`.

    Notes
    -----
    O(m) time at any d: only points with votes matter.
    """

    name = "margin"
    title = "Margin learner"
    source = Source("ours", "pays for log T once; we know of no reference")
    summary = (
        "Every positive example is a vote for its point. From the votes of each point it subtracts half of all votes "
        "beyond the first log((T+1)/2)/ε. A point with a larger remainder is more likely. With the remaining "
        "probability the answer is a uniformly random point."
    )
    derivation = (
        r"There are $N$ candidates; each example votes for one of them or abstains. Let $s_j$ be the votes of "
        r"candidate $j$, $p$ all votes, and $p_0 = \log((N+1)/2)/\varepsilon$. What is left of its votes is $u_j = "
        r"s_j - \max(0, (p-p_0)/2)$. It is named with probability $F(u_j)$: $F(u) = 0$ for $u \le 0$, $F(u) = "
        r"(e^{\varepsilon u}-1)/(2N)$ up to $u_1 = \log(N+\frac12)/\varepsilon$, and $1-F(u) = "
        r"(\frac12+\frac{1}{4N})e^{-\varepsilon(u-u_1)}$ from there on. So $F' = \varepsilon\min(F+\frac{1}{2N}, "
        r"1-F)$ for $u > 0$. With $G = \sum_j F(u_j)$, candidate $l$ is the answer with probability $P_l = F(u_l) "
        r"+ (1-G)/N$."
        "\n\n"
        r"Take the votes as real numbers, and join two neighbouring vectors of votes by a line with parameter $h "
        r"\in [0,1]$: it suffices that $|dP_l/dh| \le \varepsilon P_l$. Write $f_l = F'(u_l)$. If two or more "
        r"$u_l$ are positive, they sum to at most $p_0$. So either (A) the positive ones sum to at most $p_0$, or "
        r"(B) only one, $u_q$, is positive. In (A) $f_l \le \varepsilon\frac{N+1}{4N}$ and $1-G \ge "
        r"\frac{3N+1}{4N}$."
        "\n\n"
        r"A vote moves from $i$ to $j$: $dG = f_j - f_i$. In (A) $|dG| \le \varepsilon(1-G)$, which suffices for "
        r"all others. For $j$ itself $f_j + f_i/N \le \varepsilon(F(u_j) + (1-G)/N)$ follows from $\frac12 + "
        r"\frac{f_i}{\varepsilon} + G \le 1$, with equality at the worst: this is what fixes $p_0$. In (B) $|dG| "
        r"\le f_q \le \varepsilon(1-G)$ and $f_q(1-\frac1N) \le \varepsilon P_q$."
        "\n\n"
        r"A vote is dropped. Up to $p_0$ votes only $u_i$ moves, which is the case above with $f_j = 0$. Beyond, "
        r"$u_i$ falls by $\frac12$ and all others rise by $\frac12$. In (A) $|dG| \le \frac12\sum_l f_l \le "
        r"\varepsilon(1-G)$ and $|dP_l| \le \frac12 f_l + |dG|/N \le \varepsilon P_l$, as $1-G \ge \frac12$; in "
        r"(B) half of the above. $\square$"
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard": "exact", "single": "exact", "bystanders": "exact", "uniform": "exact"}
    unmoved = {"bystanders": {"s": "bystanders have no votes"}}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    symmetric = True
    caveat = (
        "If T ≤ 1/(αβ), nothing is guaranteed, and at α = β = 0.1 it is no PAC learner up to d = 6. For without "
        "votes it answers with a random point, whose mass may be large. Votes for other points harm this learner "
        "more than the exponential mechanism. Samples that a concept fits have no such votes."
    )

    # --- Who can be named -----------------------------------------------------------------------

    def log_candidates(self, d: int) -> float:
        """Return the log of the number of candidates."""
        return log_domain_scalar(d)

    def votes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the votes of the seen points."""
        return sample.tallies()[0]

    def guess(self, d: int, rng: np.random.Generator) -> int:
        """Return a uniformly random candidate, seen or not."""
        return uniform_point(rng, d, frozenset())

    def candidates(self, d: int) -> Collection[int]:
        """Return all of them, for tiny domains."""
        return range(1, (1 << d) + 1)

    # --- The learner ----------------------------------------------------------------------------

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Count votes, tax them, name a point; O(m) time and memory for any d."""
        votes = self.votes(sample)
        found = name_by_votes(votes, at.epsilon, self.log_candidates(sample.d))
        coin = float(rng.random())
        place = found.at(coin)
        j = self.guess(sample.d, rng) if place is None else sample.points[place]
        if recorder is not None:
            words = f"One random number decides, {coin:.4f}: it falls "
            words += "into the random guess." if place is None else "into the height of a point."
            self._tell(recorder, sample, votes, found, j)
            recorder.step("The draw", words)
        return Point(j)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        found = name_by_votes(self.votes(sample), at.epsilon, self.log_candidates(sample.d))
        known = dict(zip(sample.points, found.chances.tolist(), strict=True))
        named = self.candidates(sample.d)
        lucky = found.guess / len(named)
        return {
            j: known.get(j, 0.0) + lucky if j in named else 0.0
            for j in range(1, sample.domain_size + 1)
        }

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: bystanders never vote, so the mass of the target is all."""

        def law(profile: Profile, part: Setting) -> Estimate:
            if profile.every_concept_succeeds:
                return certain(part)
            return law_of_votes(profile.mass, part, each(self.log_candidates, part.d))

        return by_profile(distribution, setting, law)

    def chosen(
        self, recorder: Recorder, sample: Sample, votes: NDArray[np.int64], found: Named, drawn: int
    ) -> Choice:
        """Return the votes and the probabilities, all unseen points as one row."""
        lucky = found.log_guess - self.log_candidates(sample.d)
        with np.errstate(divide="ignore"):
            weights = np.logaddexp(np.log(found.chances), lucky)
        unseen = lucky + log_domain_scalar(sample.d, len(sample.points))
        groups = replace(groups_of_points(sample), mistakes=np.append(votes, 0), score="votes")
        row = sample.points.index(drawn) if drawn in sample.points else len(sample.points)
        return groups.choice(recorder, np.append(weights, unseen), None, row)

    def _tell(
        self, recorder: Recorder, sample: Sample, votes: NDArray[np.int64], found: Named, drawn: int
    ) -> None:
        shown = self.chosen(recorder, sample, votes, found, drawn)
        recorder.step(
            "The votes",
            f"Every example with label 1 is a vote for its point: {int(votes.sum()):,} in all. "
            "Label 0 is an abstention.",
            shown,
        )
        left = found.left[found.left > 0.0]
        most = f", the most of them {_votes(float(left.max()))}" if left.size else ""
        recorder.step(
            "The tax",
            f"{_votes(found.tax)} votes are subtracted from every point: half of all votes "
            "beyond the first log((N+1)/2)/ε, where N is the number of points to choose from. "
            f"{left.size:,} of "
            f"{len(votes):,} seen points have some left{most}.",
        )
        recorder.step(
            "The probabilities",
            "The votes that are left decide how likely a point is. With the remaining probability, "
            f"{chance(found.log_guess)}, the answer is a uniformly random point, which may be a seen one. Exact.",
            shown,
            "chance",
        )


def _votes(number: float) -> str:
    return large(math.log(number)) if number >= 1.0 else f"{number:.4g}"
