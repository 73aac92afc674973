"""The law of hashed lines at a small p: hash and sample are drawn, hypotheses gone through."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privsc_core.concepts.contracts import Estimate, Setting
from privsc_core.concepts.line.distributions import Profile
from privsc_core.concepts.line.hashes import Hash
from privsc_core.concepts.line.plane import Plane
from privsc_core.concepts.shared.laws import rao_blackwell

TIE = 1e-12


def enumerated(profile: Profile, p: int, setting: Setting, bits: int) -> Estimate:
    """Return the law at one epsilon and a small p: hash and sample are drawn, hypotheses listed."""
    plane, rate = Plane(p), 0.5 * float(setting.epsilon)
    xs = list(profile.atoms)
    parts = [profile.even, profile.dummy, profile.off, *profile.atoms.values()]
    chances = np.array([float(value) for value, _ in parts])
    chances /= chances.sum()
    slopes, buckets = np.arange(p)[:, None], np.arange(1 << bits)

    def one(m: int, rng: np.random.Generator) -> float:
        g = Hash.drawn(plane, bits, rng)
        code = (g.r * np.arange(p) + g.shift) % p % (1 << bits)
        even, dummy, off, *atoms = rng.multinomial(m, chances).tolist()
        tally = np.zeros((p, p), dtype=np.int64)
        tally[:, 0] = rng.multinomial(even, np.full(p, 1.0 / p))
        tally[xs, 0] += np.array(atoms, dtype=np.int64)
        if off:
            tally[:, 1:] = -evenly(off, p * (p - 1), rng).reshape(p, p - 1)
        tally[0, 1] -= dummy
        x, y = np.nonzero(tally)
        gain = tally[x, y]
        cells = (slopes << bits) + code[(y - slopes * x) % p]
        scores = np.bincount(
            cells.ravel(), np.broadcast_to(gain, cells.shape).ravel(), p << bits
        ).reshape(p, -1)  # fmt: skip
        weights = np.exp(rate * (scores - scores.max()))
        return float(
            (weights * good(profile, p, code, buckets, setting.alpha)).sum() / weights.sum()
        )

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        return (np.array([one(m, rng) for _ in range(trials)]),)

    return rao_blackwell(setting, sampled, lambda _d, _epsilon, shares: shares)


def evenly(many: int, cells: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many of some examples fall into each of many cells."""
    if many < cells:
        return np.bincount(rng.integers(cells, size=many), minlength=cells)
    return rng.multinomial(many, np.full(cells, 1.0 / cells))


def good(
    profile: Profile,
    p: int,
    code: NDArray[np.int64],
    buckets: NDArray[np.int64],
    alpha: float,
) -> NDArray[np.bool_]:
    """Tell of every (a, bucket) whether its error is at most alpha."""
    size = np.bincount(code, minlength=buckets.size)
    hits = np.tile(size, (p, 1))
    hits[0] = np.where(buckets == code[0], p, 0)
    slopes = np.arange(p)[:, None]
    terms = [(profile.even, 1.0 - hits / p), (profile.dummy, (buckets == code[1]) + 0.0 * hits)]
    terms += [(mass, (code[-slopes * x % p] != buckets) + 0.0) for x, mass in profile.atoms.items()]
    terms.append((profile.off, (p * size - hits) / (p * (p - 1.0))))
    error = sum(float(mass[0]) * share for mass, share in terms) - alpha
    above = sum(mass[1] * share for mass, share in terms)
    return np.asarray((error < -TIE) | ((error <= TIE) & (above <= TIE)))
