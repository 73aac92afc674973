"""The improper pure learner: the exponential mechanism over lines told by a public hash."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import by_d
from privsc_core.concepts.line.hashes import LISTED, Bucket, Hash, design, gains
from privsc_core.concepts.line.hashes_law import law
from privsc_core.concepts.line.laws import by_profile
from privsc_core.concepts.line.plane import LARGEST, Modulus
from privsc_core.concepts.style import PURPLE, Style
from privsc_core.concepts.trace import choice
from privsc_core.errors import InputError
from privsc_core.numerics.text import raised

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins, Uniform
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.line.hashes import Design
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["HashLine"]


@dataclass(frozen=True)
class HashLine(Learner):
    """Pick a slope and a bucket of intercepts by the exponential mechanism.

    Parameters
    ----------
    bits : int or None
        t; None for what the guarantee is least with, at most floor(log2 p) - 1 (but 1 for
        p < 4).
    """

    bits: int | None = None
    modulus: Modulus = LARGEST

    name: ClassVar[str] = "hash-line"
    title: ClassVar[str] = "Hashed lines"
    source: ClassVar[Source] = Source("ours", "the route of FX14, Section 3.1, on lines")
    summary: ClassVar[str] = (
        "Hashes the p intercepts to t random bits and picks one of the p · 2ᵗ pairs of a slope and a "
        "bucket with probability proportional to exp(-ε · mistakes / 2): all parallels of the bucket."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"anchor": "exact", "pair": "rao-blackwell"}
    eased: ClassVar[tuple[str, ...]] = ("spread", "anchor", "pair")
    reads: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    tiny: ClassVar[TinyInstance] = TinyInstance(d=4, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("a", "bucket")
    style: ClassVar[Style] = PURPLE
    enumerated: ClassVar[str] = "The public hash is the one of seed 1."
    caveat: ClassVar[str] = (
        "Runs go through all slopes, so they need a p below 2¹⁰. On spread and mixture it "
        "has no law: beyond runs only its guarantee is known there."
    )

    def design(self, d: int, epsilon: float, alpha: float, beta: float) -> Design:
        """Return what the guarantee is least with, but for a t of its own."""
        found = design(self.modulus, d, epsilon, alpha, beta)
        return found if self.bits is None else replace(found, bits=self.bits)

    def _drawn(
        self, sample: Sample, epsilon: float, alpha: float, beta: float, rng: Uniform
    ) -> Hash:
        """Draw the hash."""
        plane = self.modulus.plane(sample.d)
        found = self.design((plane.p - 1).bit_length() or 1, epsilon, alpha, beta)
        return Hash.drawn(plane, found.bits, rng)

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Draw the hash, then a slope and a bucket; O(m p + p 2^t)."""
        found = self._drawn(sample, epsilon, alpha, beta, rng)
        table = gains(sample, found)
        pick, best = draw(0.5 * epsilon * table.ravel(), rng)
        answer = _answer(found, pick)
        if recorder is not None:
            _tell(recorder, sample, found, table, best, pick, epsilon)
        return answer

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw the hash, which sees no data, then a slope and a bucket."""
        found = self._drawn(sample, epsilon, alpha, beta, coins)
        return _answer(found, coins.exponential((-gains(sample, found).ravel()).tolist()))

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a p of which not all slopes are gone through."""
        del alpha, beta
        if self.modulus.bits(d) > LISTED:
            raise InputError("d", f"must be at most {LISTED} to run hash-line on lines", d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every row of labels, for the hash drawn from `public`."""
        rng = np.random.default_rng(public)
        found = self._drawn(sample, epsilon, alpha, beta, rng)
        shares = probabilities(0.5 * epsilon * gains(sample, found).ravel())
        chances: Counter[Hashable] = Counter()
        for pick, share in enumerate(shares.tolist()):
            answer = _answer(found, pick)
            row = tuple(answer.predict(x) for x in range(1, (1 << sample.d) + 1))
            chances[row] += share
        return dict(chances)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on an anchor, else over simulated counts where p is small."""
        if distribution.name not in self.laws:
            raise InputError(
                "distribution", f"must be one of {', '.join(self.laws)}", distribution.label
            )

        def at(_d: int, part: Setting) -> Estimate:
            return by_profile(
                distribution, part, lambda profile, p, cells: law(profile, p, cells, self)
            )

        # However large p is, t depends on it.
        return by_d(setting, at)


def _answer(found: Hash, pick: int) -> Bucket:
    return Bucket(found, pick >> found.bits, pick & ((1 << found.bits) - 1))


def _tell(
    recorder: Recorder, sample: Sample, found: Hash, table: NDArray[np.int64],
    best: NDArray[np.float64],
    pick: int, epsilon: float,
) -> None:  # fmt: skip
    p, t, flat = found.plane.p, found.bits, table.ravel()
    total = int(sample.labels.sum())
    wanted = None
    if recorder.target is not None:
        a, b = divmod(recorder.target - 1, p)
        wanted = (a << t) + found.of(b)
    # Pairs of the same score are one row, but for what is drawn and the target's.
    own = list(dict.fromkeys([pick, *([] if wanted is None else [wanted])]))
    rest = np.ones(flat.size, dtype=np.bool_)
    rest[own] = False
    levels = np.unique(flat[rest]).tolist()
    groups = [[i] for i in own] + [np.flatnonzero(rest & (flat == level)) for level in levels]
    scores = [float(total - flat[group[0]]) for group in groups]

    def name(row: int) -> str:
        if row < len(own):
            return f"slope {own[row] >> t}, bucket {own[row] & ((1 << t) - 1)}"
        return f"{len(groups[row]):,} more with {scores[row]:,.0f} mistakes"

    recorder.step(
        "The hash",
        f"g(u) = (({found.r} u + {found.shift}) mod {p}) mod 2{raised(t)} is drawn, before any data "
        f"are seen. A hypothesis is 1 where g(y − ax) is one bucket: {flat.size:,} pairs of a slope "
        f"and a bucket in place of {p * p:,} lines.",
    )
    recorder.mechanism(
        choice(
            name=name,
            members=lambda row: f"{len(groups[row]):,}",
            scores=scores,
            log_weights=[
                float(np.log(len(group))) - 0.5 * epsilon * score
                for group, score in zip(groups, scores, strict=True)
            ],
            best=[float(best[group].max()) - 0.5 * epsilon * total for group in groups],
            drawn=0,
            target=None if wanted is None else own.index(wanted),
            what="pairs",
        ),
        "The score of a pair is the number of mistakes of its hypothesis on the sample.",
        epsilon=epsilon,
    )
