"""The learners of lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.line.distributions import Mixture
from privsc_core.concepts.line.hashes import LISTED, Bucket, Hash, design, gains, hash_line_law
from privsc_core.concepts.line.laws import Bundles, by_profile, exponential_law, log_unseen, over_p
from privsc_core.concepts.line.plane import KEYS, LARGEST, MOST, Empty, Line, Modulus, Plane, Spot
from privsc_core.concepts.line.votes import block_size, law, released, threshold
from privsc_core.concepts.shared.choosing import Choosing, Fit, Fitting, Groups
from privsc_core.concepts.shared.laws import by_d, certain, exact
from privsc_core.concepts.shared.trace import ROWS_MOST, Noised, choice
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import raised, small, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.line.hashes import Design
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource, Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- The non-private learner ---------------------------------------------------------------------


@dataclass(frozen=True)
class Erm(Fitting):
    """The line through two positive examples; with only one place seen, that point alone."""

    modulus: Modulus = LARGEST

    source = Source("FX14", "Section 6, the basic learner")
    summary = (
        "Answers with the line through two positive examples. If all positive examples are at one point, it answers "
        "with that point alone; if there are none, with the empty set."
    )
    proper = False
    laws = {"spread": "exact", "anchor": "exact", "pair": "exact", "mixture": "exact"}
    unmoved = {
        "anchor": {"d": "only points that are seen count"},
        "pair": {"d": "only points that are seen count"},
    }
    record_keys = KEYS

    def fit(self, sample: Sample) -> Fit:
        """Return what two positive examples say."""
        plane = self.modulus.plane(sample.d)
        found, seen = fitted(sample, plane), len(_positives(sample))
        return Fit(
            found,
            "The positive examples",
            f"The examples with label 1 are at {seen:,} different place{'' if seen == 1 else 's'}. Two points "
            f"determine a line. The answer: {found.description}.",
            lambda: (number_of(found, sample.d), outputs_of(sample.d, plane)),
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: two places of the target must be seen where one is not good enough."""
        profile, mass, p = over_p(distribution, setting)
        m = setting.m.astype(np.float64)
        enough = setting.alpha * (1.0 + 1e-12)
        if profile.off[0] and mass.max() <= enough:
            return certain(setting)
        lost = log_unseen(profile, mass, p, m)
        if profile.off[0]:
            # Where one place of the target will do.
            lost = np.where(mass * (1.0 - 1.0 / p) <= enough, m * np.log1p(-mass), lost)
        return exact(-np.expm1(lost), setting, np.exp(lost))


def _positives(sample: Sample) -> list[int]:
    positive, _ = sample.tallies()
    return sorted(x for x, n in zip(sample.points, positive.tolist(), strict=True) if n)


def fitted(sample: Sample, plane: Plane) -> Hypothesis:
    """Return what the basic learner answers, whether or not a line fits the sample."""
    return through(plane, _positives(sample))


def through(plane: Plane, seen: list[int]) -> Hypothesis:
    """Return the answer to positive examples at these points, in increasing order."""
    if not seen:
        return Empty()
    first = plane.place(seen[0])
    for point in seen[1:] if first else ():
        other = plane.place(point)
        if other and first and (line := plane.through(first, other)):
            return Line(plane, *line)
    return Spot(plane, seen[0])


def number_of(hypothesis: Hypothesis, bits: int) -> Hashable:
    """Return how an answer is listed on a tiny domain: a line's number, or the labels of all points."""
    if isinstance(hypothesis, Line):
        return 1 + hypothesis.a * hypothesis.plane.p + hypothesis.b
    return tuple(hypothesis.predict(x) for x in range(1, (1 << bits) + 1))


def outputs_of(bits: int, plane: Plane) -> list[Hashable]:
    """Return all that the basic learner may answer: lines by their numbers, points and nothing."""
    size = 1 << bits
    lines: list[Hashable] = list(range(1, plane.p * plane.p + 1))
    spots = [number_of(Spot(plane, x), bits) for x in range(1, size + 1)]
    return [*lines, *spots, (0,) * size]


# --- The proper private learner: the exponential mechanism over all p^2 lines --------------------


@dataclass(frozen=True)
class Exponential(Choosing):
    """Pick a line with probability proportional to exp(-eps * mistakes / 2)."""

    modulus: Modulus = LARGEST

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Theorem 3.2, over all lines")
    summary = (
        "Picks every one of the p² lines with probability proportional to exp(-ε · mistakes / 2)."
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {
        "spread": "rao-blackwell", "anchor": "exact", "pair": "rao-blackwell",
        "mixture": "rao-blackwell",
    }  # fmt: skip
    guess_within = {"spread": 2.0, "pair": 2.0}
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True
    record_keys = ("a", "b")

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return bundles of lines that the sample cannot tell apart."""
        bundles = Bundles.of(sample, self.modulus.plane(sample.d))
        plane, lines, last = bundles.plane, len(bundles.lines), len(bundles.sizes) - 1
        bits, positives = plane.p.bit_length(), int(sample.labels.sum())

        def name(row: int, recorder: Recorder) -> str:
            if row < lines:
                a, b = bundles.lines[row]
                return f"y = {whole(a, bits)} x + {whole(b, bits)}"
            if row < last:
                return f"through {recorder.name_of(plane.code(*bundles.places[row - lines]))} alone"
            return "through no point of the sample"

        return Groups(
            mistakes=positives - bundles.gains,
            zero=positives,
            sizes=bundles.sizes,
            member=lambda row, coins: Line(plane, *bundles.line(row, coins)),
            name=name,
            members=lambda row: whole(bundles.sizes[row], 2 * bits),
            order=[row for row, size in enumerate(bundles.sizes) if size],
            target=lambda number: bundles.passing(*divmod(number - 1, plane.p)),
            words="The score of a line is its number of mistakes on the sample. Lines through "
            "the same points of the sample make the same mistakes.",
            what="lines",
        )

    def check_shown(self, at: Cell) -> None:
        """Refuse a p that is not looked for."""
        if self.modulus.bits(at.d) > MOST:
            raise InputError("d", f"must be at most {MOST} to run on lines", at.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every line, all of them gone through."""
        plane = self.modulus.plane(sample.d)
        positive, negative = sample.tallies()
        gains = []
        for number in range(plane.p * plane.p):
            line = Line(plane, *divmod(number, plane.p))
            hits = np.array([line.predict(x) for x in sample.points])
            gains.append(float(hits @ (positive - negative)))
        shares = probabilities(self.score_rate(at.epsilon) * np.array(gains))
        return dict(enumerate(shares.tolist(), 1))

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return the guess for p^2 lines; a p that is given may have far fewer bits than d."""
        bits = np.full_like(setting.d, self.modulus.bits(0)) if self.modulus.given else setting.d
        setting = replace(setting, d=2 * bits)
        return super().initial_guess(distribution, setting)

    def idle(self, distribution: Distribution | None = None) -> dict[str, str]:
        """Return what cannot change `success`; alpha neither where wrong lines err on half or more.

        One that crosses the target errs on kappa + (1 - 2 kappa) / p, a parallel on more than kappa.
        """
        found = super().idle(distribution)
        if isinstance(distribution, Mixture) and 2.0 * distribution.k >= 1.0:
            found["alpha"] = "at κ ≥ 1/2 every wrong line has error at least 1/2"
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on two points and for large p, else over simulated counts."""
        if distribution.name not in self.laws:
            raise InputError(
                "distribution", f"must be one of {', '.join(self.laws)}", distribution.label
            )
        return by_profile(distribution, setting, exponential_law)


# -------------------------------------------------------------------------------------------------
# The (epsilon, delta)-private learner: blocks of the sample vote, and a clear majority is
# released.


@dataclass(frozen=True)
class Vote(Learner):
    """Release what most blocks fit, if it has clearly more votes than one.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    block : int or None
        Examples of a block; None for ceil(2 / alpha).

    Notes
    -----
    (eps, delta)-DP: replacing one example changes one block, which moves one vote. Where a
    candidate has votes on both sides its noise Lap(2 / eps) costs e^{eps/2}, and at most two such
    counts change. A candidate that is there on one side only has one vote, and passes the threshold
    with probability delta; if it does not, it might as well not be there.
    """

    delta: float = 1e-6
    block: int | None = None
    modulus: Modulus = LARGEST

    name = "vote"
    title = "Vote of blocks"
    source = Source("ours", "simplifies FX14, Theorem 6.1")
    summary = (
        "Every block of 2/α examples votes for the answer that fits it. Noise Lap(2/ε) is added to the counts that "
        "are not 0. The answer with the largest noisy count is released if this count is above 1 + (2/ε) ln(1/(2δ)), "
        "and otherwise the empty set. The size p does not matter."
    )
    derivation = (
        r"A replaced example changes one block, which moves one vote: at most two counts change, by 1 each. An "
        r"answer with votes on both sides has noise $\mathrm{Lap}(2/\varepsilon)$ on its count and costs "
        r"$e^{\varepsilon/2}$. An answer with votes on one side only has one vote there, and $1 + "
        r"\mathrm{Lap}(2/\varepsilon)$ passes the threshold $1 + \frac2\varepsilon\ln\frac{1}{2\delta}$ with "
        r"probability $\delta$. If it does not pass, both sides look alike. $\square$"
    )
    privacy = "approximate"
    proper = False
    efficient = True
    laws = {
        "spread": "rao-blackwell", "anchor": "rao-blackwell", "pair": "rao-blackwell",
        "mixture": "rao-blackwell",
    }  # fmt: skip
    guess_within = dict.fromkeys(laws, 2.0)
    reads = ("alpha",)
    unmoved = {
        "anchor": {"d": "only points that are seen count"},
        "pair": {"d": "only points that are seen count"},
    }
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True  # as it is enumerated, with blocks of one example
    record_keys = KEYS
    enumerated = "On the tiny domain each example is a block of its own."
    caveat = (
        "(ε, δ)-private with δ > 0, so lower bounds for pure privacy do not apply to it. Where δ is set to 0, this "
        "learner uses its own default, 10⁻⁶."
    )

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack; at 0, which it cannot have, itself."""
        return replace(self, delta=delta) if delta > 0.0 else self

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims."""
        return self.delta

    def audited(self) -> Vote:
        """Return the variant with blocks of one example."""
        return replace(self, block=self.block or 1)

    def least(self, epsilon: float) -> float:
        """Return the noisy count that must be passed."""
        return threshold(epsilon, self.delta)

    def votes(self, sample: Sample, alpha: float) -> Counter[Hypothesis]:
        """Return how many blocks fit what, in the order of the blocks; what is left over is not used."""
        t, plane = self.block or block_size(alpha), self.modulus.plane(sample.d)
        seen: list[set[int]] = [set() for _ in range(sample.size // t)]
        places = np.flatnonzero(sample.labels[: len(seen) * t])
        for block, point in zip((places // t).tolist(), sample.index[places].tolist(), strict=True):
            seen[block].add(sample.points[point])
        return Counter(through(plane, sorted(points)) for points in seen)

    @staticmethod
    def noisy(
        votes: Counter[Hypothesis], epsilon: float, rng: np.random.Generator
    ) -> dict[Hypothesis, float]:
        """Return the counts with noise Lap(2 / eps)."""
        noise = rng.laplace(0.0, 2.0 / epsilon, size=len(votes)).tolist()
        return {
            candidate: count + more
            for (candidate, count), more in zip(votes.items(), noise, strict=True)
        }

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Count the votes of the blocks and release the largest noisy count that passes."""
        votes, least = self.votes(sample, at.alpha), self.least(at.epsilon)
        noisy = self.noisy(votes, at.epsilon, rng)
        best = max(noisy, key=noisy.__getitem__, default=None)
        found = best if best is not None and noisy[best] > least else Empty()
        if recorder is not None:
            _tell(recorder, votes, noisy, least, at.epsilon)
            recorder.step(
                "The release",
                f"The largest noisy count {'passes' if found is best else 'does not pass'} the threshold "
                f"{least:,.4g} = 1 + (2/ε) ln(1/(2δ)), which a candidate with a single vote exceeds with probability "
                f"δ = {small(self.delta)}. The answer: {found.description}.",
            )
        return found

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Count the votes of the blocks; release the largest noisy count, here whole, that passes."""
        kept = noise.stable(self.votes(sample, at.alpha), delta=self.delta)
        return max(kept, key=lambda found: (kept[found], found.description), default=Empty())

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        votes = self.votes(sample, at.alpha)
        shares = released(list(votes.values()), at.epsilon, self.delta)
        chances = dict.fromkeys(outputs_of(sample.d, self.modulus.plane(sample.d)), 0.0)
        for candidate, share in zip(votes, shares, strict=True):
            chances[number_of(candidate, sample.d)] += share
        chances[number_of(Empty(), sample.d)] += max(1.0 - sum(shares), 0.0)
        return chances

    def initial_guess(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where somewhat more than half of the votes are the threshold."""
        t, delta = self.block or block_size(setting.alpha), setting.delta or self.delta
        least = 1.75 * t * threshold(setting.epsilon, delta)
        return np.broadcast_to(least, np.broadcast_shapes(setting.d.shape, least.shape))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law over simulated counts of votes."""
        t, delta = self.block or block_size(setting.alpha), setting.delta or self.delta
        return by_profile(
            distribution, setting, lambda profile, p, part: law(profile, p, part, t, delta)
        )


def _tell(
    recorder: Recorder, votes: Counter[Hypothesis], noisy: Mapping[Hypothesis, float], least: float,
    epsilon: float,
) -> None:  # fmt: skip
    shown = sorted(noisy, key=lambda candidate: -noisy[candidate])[:ROWS_MOST]
    more = len(votes) - len(shown)
    recorder.step(
        "The votes",
        f"{sum(votes.values()):,} blocks vote, for {len(votes):,} different answers. One example can change only the "
        f"vote of its block. Laplace noise of mean absolute size {2.0 / epsilon:.3g} (2/ε) is added to each count."
        + (f" Those of {more:,} other answers are smaller than what is shown." if more else ""),
        Noised(
            tuple(_name(candidate) for candidate in shown),
            tuple(votes[candidate] for candidate in shown),
            tuple(noisy[candidate] for candidate in shown),
            least, what="largest", passed="above the threshold", failed="not above it",
        ) if votes else None,
    )  # fmt: skip


def _name(candidate: Hypothesis) -> str:
    match candidate:
        case Line(plane=plane, a=a, b=b):
            bits = plane.p.bit_length()
            return f"y = {whole(a, bits)} x + {whole(b, bits)}"
        case Spot(plane=plane, point=point):
            return f"{plane.name(point)} alone"
    return "empty"


# --- The improper pure learner: the exponential mechanism over lines told by a public hash -------


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

    name = "hash-line"
    title = "Hashed lines"
    source = Source("ours", "the route of FX14, Section 3.1, on lines")
    summary = (
        "Hashes the p intercepts to t random bits and picks a slope and a hash value (a bucket) "
        "with probability proportional to exp(-ε · mistakes / 2). The hypothesis is 1 on all "
        "lines of that slope with intercepts in the bucket."
    )
    derivation = (
        r"The hash is drawn before the learner sees the data. For every hash the rest is an exponential "
        r"mechanism over pairs of a slope and a bucket. One replaced example changes the mistakes of every "
        r"pair by at most 1, so with weights $e^{-\varepsilon\,\mathrm{mistakes}/2}$ it is $\varepsilon$-DP. "
        r"$\square$"
        "\n\n"
        r"How many examples suffice is the upper bound *Hashed lines*."
    )
    privacy = "pure"
    proper = False
    efficient = False
    laws = {"anchor": "exact", "pair": "rao-blackwell"}
    eased = ("spread", "anchor", "pair")
    reads = ("alpha", "beta")
    tiny = Cell(d=4, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True
    record_keys = ("a", "bucket")
    enumerated = "The public hash is that of seed 1."
    caveat = (
        "A run goes through all slopes, so it needs p below 2¹⁰. On the distributions spread and mixture its success "
        "probability is not known; there the page has only its guarantee and single runs."
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
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw the hash, then a slope and a bucket; O(m p + p 2^t)."""
        found = self._drawn(sample, at.epsilon, at.alpha, at.beta, rng)
        table = gains(sample, found)
        pick, best = draw(0.5 * at.epsilon * table.ravel(), rng)
        answer = _answer(found, pick)
        if recorder is not None:
            _tell_hash(recorder, sample, found, table, best, pick, at.epsilon)
        return answer

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw the hash, which sees no data, then a slope and a bucket."""
        found = self._drawn(sample, at.epsilon, at.alpha, at.beta, noise)
        return _answer(found, noise.exponential((-gains(sample, found).ravel()).tolist()))

    def check_shown(self, at: Cell) -> None:
        """Refuse a p with too many slopes to list."""
        if self.modulus.bits(at.d) > LISTED:
            raise InputError("d", f"must be at most {LISTED} to run hash-line on lines", at.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every row of labels, for the hash drawn from `public`."""
        rng = np.random.default_rng(public)
        found = self._drawn(sample, at.epsilon, at.alpha, at.beta, rng)
        shares = probabilities(0.5 * at.epsilon * gains(sample, found).ravel())
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
                distribution,
                part,
                lambda profile, p, cells: hash_line_law(profile, p, cells, self.design),
            )

        # However large p is, t depends on it.
        return by_d(setting, at)


def _answer(found: Hash, pick: int) -> Bucket:
    return Bucket(found, pick >> found.bits, pick & ((1 << found.bits) - 1))


def _tell_hash(
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
        f"g(u) = (({found.r} u + {found.shift}) mod {p}) mod 2{raised(t)} is drawn before any data are seen. A "
        f"hypothesis labels 1 where g(y − ax) is one value, its bucket: {flat.size:,} pairs of a slope and a bucket "
        f"in place of {p * p:,} lines.",
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
