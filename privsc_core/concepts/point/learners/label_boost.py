"""LabelBoost for points: few labels label many examples, on which another private learner runs."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import expit

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.generic.labels import UNLABELLED, kept_share, relabelling
from privsc_core.concepts.point.laws import by_profile, lump_odds
from privsc_core.concepts.point.learners.exponential import Exponential
from privsc_core.concepts.point.learners.generic import enough_labels
from privsc_core.concepts.point.trace import thinned
from privsc_core.concepts.shared.laws import averaged, certain, exact
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.trace import choice
from privsc_core.concepts.shared.variants import WithUnlabelled
from privsc_core.numerics.binomial import LOG_TAIL, binomial_window
from privsc_core.numerics.logspace import draw, log_domain, log_domain_scalar, probabilities

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.trace import Recorder


# -------------------------------------------------------------------------------------------------
# The exact law of LabelBoost on `hard`: the labelling that is picked, and then the base learner.
#
# K of the kept labelled examples and J of the kept unlabelled ones are on the target's point, the
# others on point 1. The labelling picked depends on K, the concept found on it and on K + J: a sum over
# J for every K, which is a correlation.


_NEVER = -np.inf


def _picked(
    hits: NDArray[np.float64], m: int, d: int, pick: float, *, target: bool, one: bool
) -> NDArray[np.float64]:
    """Return the chances of the labellings target, none and one, shape (3, places).

    Of m labelled examples `hits` are on the target's point; whether that point and point 1 are among
    all that were kept decides which labellings there are.
    """
    log_weights = np.full((3, hits.size), _NEVER)
    if target:
        log_weights[0] = 0.0
    if d > 1 or not (target and one):  # else every concept is 1 on one of the two
        log_weights[1] = -0.5 * pick * hits
    if one:
        log_weights[2] = -0.5 * pick * m
    weights = np.exp(log_weights - log_weights.max(axis=0))
    return np.asarray(weights / weights.sum(axis=0))


def _found(on_target: NDArray[np.float64], size: int, d: int, base: float) -> NDArray[np.float64]:
    """Return success and failure of the base learner, by labelling; shape (3, 2, places).

    `on_target` of `size` relabelled examples are on the target's point, the others on point 1.
    """
    rate = 0.5 * base
    others = log_domain_scalar(d, 2)
    hits, rest = rate * on_target, rate * (size - on_target)
    whole = np.full(hits.shape, rate * size)
    odds = [  # of the target's concept, in logarithms, against all others
        -np.logaddexp(others - hits, -whole),
        -hits - np.logaddexp(others, -rest),
        -whole - np.logaddexp(0.0, others - rest),
    ]
    return np.array([[expit(one), expit(-one)] for one in odds])


@functools.lru_cache(maxsize=4096)
def boosted_law(
    m: int, u: int, d: int, pick: float, base: float, mass: float, log_tail: float = LOG_TAIL
) -> tuple[float, float]:
    """Return success and failure with m labelled and u unlabelled examples, all of them kept.

    Parameters
    ----------
    m, u : int
        After the subsampling.
    d : int
    pick, base : float
        Privacy losses of the pick of a labelling, and of the base learner.
    mass : float
        Of the target's point.
    log_tail : float
        Minus the logarithm of what may be left out.
    """
    m = min(m, enough_labels(d, min(pick, base), mass, log_tail))
    u = min(u, enough_labels(d, base, mass, log_tail))
    size = m + u
    first_k, of_k = binomial_window(m, mass, log_tail)
    first_j, of_j = binomial_window(u, mass, log_tail)
    k = first_k + np.arange(of_k.size, dtype=np.float64)
    both = first_k + first_j + np.arange(of_k.size + of_j.size - 1, dtype=np.float64)
    found = _found(both, size, d, base)
    # Where only one of the points is there, the labellings are others: apart.
    found[:, :, (both == 0) | (both == size)] = 0.0
    picked = _picked(k, m, d, pick, target=True, one=True)
    total = np.zeros(2)
    for chances, law in zip(picked, found, strict=True):
        total += [float((of_k * chances) @ np.correlate(part, of_j, "valid")) for part in law]
    for on_target in {0, size}:
        hits = 0 if on_target == 0 else m
        place_k, place_j = hits - first_k, (0 if on_target == 0 else u) - first_j
        if not (0 <= place_k < of_k.size and 0 <= place_j < of_j.size):
            continue
        shares = _picked(
            np.array([float(hits)]), m, d, pick, target=on_target > 0, one=on_target < size
        )
        law = _found(np.array([float(on_target)]), size, d, base)
        weight = of_k[place_k] * of_j[place_j]
        total += weight * sum(
            share[0] * part[:, 0] for share, part in zip(shares, law, strict=True)
        )
    return float(total[0]), float(total[1])


_BASE = Exponential()


@dataclass(frozen=True)
class LabelBoost(WithUnlabelled, Learner):
    """One round of LabelBoost before the exponential mechanism, which so needs few labels.

    Parameters
    ----------
    u : int
        Unlabelled examples.
    pick : float
        The privacy loss at which the labelling is picked.
    base : float
        That of the base learner; 0 for epsilon.

    Notes
    -----
    Of the labelled examples a random share is kept, and one of the unlabelled ones, such that the
    whole is eps-private. Of all labellings of the points kept by a concept the exponential mechanism
    picks one on the labelled examples; all that was kept gets its labels by it, and the exponential
    mechanism over all of POINT_d learns from that. Relabelling costs log (1 + e^{pick/2})^2 for a
    labelled example and log 4 for another one (`relabelling`); the paper's factor is 4e for both.
    """

    pick: float = 1.0
    base: float = 0.0

    name = "label-boost"
    title = "LabelBoost"
    source = Source("BNS15", "Algorithms 2 and 3, one round; constants ours")
    summary = (
        "Takes a random part of all examples, and chooses labels for it privately by the labelled examples. Then it "
        "learns from this part."
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard": "exact"}
    # All is kept at this epsilon, which is what relabelling and the base learner cost together.
    one_point = True
    tiny = Cell(d=2, m=3, epsilon=3.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)

    def audited(self) -> Self:
        """Return the variant for the tiny instance: with a base learner that leaves it room."""
        return replace(self, u=self.tiny_u, pick=1.0, base=1.0)

    def _base(self, epsilon: float) -> float:
        return self.base or epsilon

    def kept(self, m: int, epsilon: float) -> tuple[int, int]:
        """Return how many of m labelled examples, and of the unlabelled ones, are kept."""
        labelled, unlabelled = self._shares(epsilon)
        return math.floor(m * labelled), math.floor(self.u * unlabelled)

    def _shares(self, epsilon: float) -> tuple[float, float]:
        """Return which shares of the labelled and of the unlabelled examples are kept."""
        base = self._base(epsilon)
        labelled, unlabelled = (
            kept_share(epsilon, base, factor) for factor in (relabelling(self.pick), UNLABELLED)
        )
        return labelled, unlabelled

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Keep a part, pick its labelling, learn from it."""
        labelled, unlabelled = sample.parts(self.u)
        counts = self.kept(labelled.size, at.epsilon)
        chosen = [
            rng.permutation(part.size)[:count]
            for part, count in zip((labelled, unlabelled), counts, strict=True)
        ]
        few, many = labelled.subset(chosen[0]), unlabelled.subset(chosen[1])
        points, weights = self._weights(few, many)
        pick, best = draw(weights, rng)
        ready = _relabelled(few, many, points[pick])
        if recorder is not None:
            mask = np.zeros(labelled.size, dtype=bool)
            mask[chosen[0]] = True
            recorder.step(
                "The subsample",
                f"A random {few.size:,} of the {labelled.size:,} labelled examples is kept, and a random "
                f"{many.size:,} of the {unlabelled.size:,} unlabelled ones: subsampling protects people better.",
                thinned(recorder, labelled, mask),
            )
            places = {x: row for row, x in enumerate(points) if x is not None}
            recorder.mechanism(
                choice(
                    name=lambda row: (
                        "all 0" if points[row] is None else recorder.name_of(points[row])  # type: ignore[arg-type] # a point
                    ),
                    members=lambda _row: "1", scores=_mistakes(few, points), log_weights=weights,
                    best=best, drawn=pick, score="mistakes", what="labellings",
                    target=recorder.row_of_target(places, len(points) - 1),
                ),
                "A concept labels at most one of the kept points 1. The score of such a labelling is its mistakes on "
                f"the {few.size:,} labelled examples that were kept.",
                epsilon=self.pick,
            )  # fmt: skip
            recorder.step(
                "The new labels",
                f"All {ready.size:,} examples kept are labelled by it, {int(ready.labels.sum()):,} of "
                "them 1; their old labels are forgotten.",
            )
        return _BASE.run(ready, replace(at, epsilon=self._base(at.epsilon)), rng, recorder=recorder)

    def _weights(self, few: Sample, many: Sample) -> tuple[list[int | None], NDArray[np.float64]]:
        """Return the labellings of the points kept, by where they are 1, and their log weights."""
        points: list[int | None] = [*sorted({*few.points, *many.points})]
        if len(points) < few.domain_size:
            points.append(None)  # 0 on all of them, by a concept of another point
        return points, -0.5 * self.pick * _mistakes(few, points)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output: all subsamples of a tiny sample."""
        labelled, unlabelled = sample.parts(self.u)
        counts = self.kept(labelled.size, at.epsilon)
        parts = [
            list(_parts(part, n)) for part, n in zip((labelled, unlabelled), counts, strict=True)
        ]
        found: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 1), 0.0)
        for few, many in itertools.product(*parts):
            points, weights = self._weights(few, many)
            for point, chance in zip(points, probabilities(weights).tolist(), strict=True):
                outputs = _BASE.output_distribution(
                    _relabelled(few, many, point), replace(at, epsilon=self._base(at.epsilon))
                )
                for key, share in outputs.items():
                    found[key] += chance * share / (len(parts[0]) * len(parts[1]))
        return found

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since with a larger epsilon more points survive, which may be wrong ones.
        """
        return wanted != "epsilon" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`.

        Where hardly ever so few of the kept labels are on the target's point that another labelling
        than the target's may be picked, it is the law of the base learner on all that was kept.
        """

        def law(profile: Profile, at: Setting) -> Estimate:
            if profile.every_concept_succeeds:
                return certain(at)
            m, d, epsilon = np.array(at.cells()).T
            losses = epsilon.tolist()
            shares = {loss: self._shares(loss) for loss in set(losses)}
            few, many = np.array([shares[loss] for loss in losses]).T
            labelled, people = np.floor([m * few, self.u * many]).astype(np.int64)
            base = np.where(self.base, self.base, epsilon)
            told, enough = profile.mass * labelled, 2.0 / self.pick * (at.log_tail + 1.0)
            # Chernoff's bound on the chance of fewer.
            sure = told - np.sqrt(2.0 * at.log_tail * told) > enough
            value, failure = np.empty((2, told.size))
            for i in np.flatnonzero(~sure).tolist():
                value[i], failure[i] = boosted_law(
                    int(labelled[i]), int(people[i]), int(d[i]), self.pick, float(base[i]),
                    profile.mass, at.log_tail,
                )  # fmt: skip
            if sure.any():
                size, bits = labelled + people, d.astype(np.int64)
                all_ = replace(at, m=size[sure], d=bits[sure], epsilon=base[sure])
                columns = log_domain(all_.d, 2), all_.epsilon
                found = averaged(all_, profile.mass, columns, lump_odds, rate=0.5 * all_.epsilon)
                value[sure] = found.value
                failure[sure] = 1.0 - found.value if found.failure is None else found.failure
            return exact(value.reshape(at.shape), at, failure.reshape(at.shape))

        return by_profile(distribution, setting, law)


def _mistakes(sample: Sample, points: list[int | None]) -> NDArray[np.float64]:
    """Return the mistakes of every labelling; None is 0 on all."""
    positive, negative = sample.tallies()
    gain = dict(zip(sample.points, (negative - positive).tolist(), strict=True))
    total = int(positive.sum())
    return np.array([total + (gain.get(x, 0) if x else 0) for x in points], dtype=np.float64)


def _relabelled(few: Sample, many: Sample, point: int | None) -> Sample:
    """Return all examples of both with label 1 where they are on the point."""
    places = dict.fromkeys((*few.points, *many.points))
    points = tuple(places)
    place = {x: row for row, x in enumerate(points)}
    index = np.concatenate(
        [
            np.array([place[x] for x in part.points], dtype=np.intp)[part.index]
            for part in (few, many)
        ]
    )
    ones = np.array([x == point for x in points], dtype=np.uint8)
    return Sample(few.d, points, index, ones[index])


def _parts(sample: Sample, count: int) -> Iterator[Sample]:
    """Yield every part of so many examples."""
    for chosen in itertools.combinations(range(sample.size), count):
        yield sample.subset(np.array(chosen, dtype=np.intp))
