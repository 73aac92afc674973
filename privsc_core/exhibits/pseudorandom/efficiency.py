"""Time against samples for pseudorandom points, and the distinguisher (BBKN13, Section 6)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.pseudorandom.generator import image, target_seed
from privsc_core.concepts.pseudorandom.learners import enumerate_images
from privsc_core.concepts.sample import Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.evaluate.need import need
from privsc_core.numerics.intervals import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


__all__ = ["Acceptance", "Tradeoff", "distinguisher", "measured_seconds", "tradeoff"]

_CONCEPT = "pseudorandom-point"
_EFFICIENT, _PROPER = "exponential-relaxed", "exponential-proper"


def measured_seconds(length: int | None, d: int, *, m: int = 500, epsilon: float = 0.5) -> float:
    """Run a learner once on a sample from the hard distribution and return the seconds it took.

    Parameters
    ----------
    length : int or None
        Bits of the seeds for the learner that enumerates them; None for the efficient one.
    d, m, epsilon
        The setting.

    Returns
    -------
    float
        Wall-clock time of this machine, the enumeration of the images included.
    """
    name = _CONCEPT if length is None else f"{_CONCEPT}({length})"
    entry = find_learner(name, _EFFICIENT if length is None else _PROPER)
    law = find_concept(name).distributions[0]
    rng = np.random.default_rng(1)
    sample = law.draw(m=m, d=d, alpha=0.1, rng=rng)
    enumerate_images.cache_clear()
    begin = time.perf_counter()
    entry.run(sample, epsilon=epsilon, alpha=0.1, beta=0.1, rng=rng)
    return time.perf_counter() - begin


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """What a private learner of pseudorandom points pays, by the length of the seeds.

    Attributes
    ----------
    lengths : ndarray of float64
        l, the bits of the seeds.
    samples : ndarray of float64
        Least m of the learner that enumerates, from its law.
    seconds : ndarray of float64
        What it took here where `measured`, doubled with every bit beyond.
    measured : ndarray of bool
    efficient_samples, efficient_seconds : float
        The same of the efficient learner; the time NaN until it is measured.
    d : int
    epsilon, alpha, beta : float
    """

    lengths: NDArray[np.float64]
    samples: NDArray[np.float64]
    seconds: NDArray[np.float64]
    measured: NDArray[np.bool_]
    efficient_samples: float
    efficient_seconds: float
    d: int
    epsilon: float
    alpha: float
    beta: float


def tradeoff(
    known: Mapping[int, float],
    efficient: float,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    longest: int,
) -> Tradeoff:
    """Put measured times and least numbers of samples side by side.

    Parameters
    ----------
    known : mapping of int to float
        Length of the seeds -> measured seconds.
    efficient : float
        Measured seconds of the efficient learner, NaN if not measured.
    d, epsilon, alpha, beta
        The setting of the laws.
    longest : int
        Up to which length to go on, by doubling, at most d - 1.

    Raises
    ------
    InputError
        When nothing was measured.
    """
    if not known:
        raise InputError("known", "must have at least one measured length", "none")
    lengths = np.arange(min(known), max(min(longest, d - 1), *known) + 1)
    last = max(known)
    samples, seconds = [], []
    for length in progress.steps(lengths.tolist()):
        samples.append(_least(f"{_CONCEPT}({length})", _PROPER, d, epsilon, alpha, beta))
        seconds.append(known.get(length, math.ldexp(known[last], length - last)))
    relaxed = _least(_CONCEPT, _EFFICIENT, d, epsilon, alpha, beta)
    return Tradeoff(
        lengths.astype(np.float64), np.array(samples), np.array(seconds),
        np.array([length in known for length in lengths.tolist()]),
        relaxed, efficient, d, epsilon, alpha, beta,
    )  # fmt: skip


@lru_cache(maxsize=1024)  # every newly measured length asks for all of them again
def _least(concept: str, learner: str, d: int, epsilon: float, alpha: float, beta: float) -> float:
    law = find_concept(concept).distributions[0]
    entry = find_learner(concept, learner)
    return float(need(entry, law, d=d, epsilon=epsilon, alpha=alpha, beta=beta).m)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How often a learner answers c_j on (j, 1)^m, for one kind of j.

    Attributes
    ----------
    learner, title : str
    kind : {"image", "uniform"}
        Whether j is an image of the generator or a uniformly random point.
    value, low, high : float
        Share of the runs, with the 95% interval of Clopper and Pearson.
    """

    learner: str
    title: str
    kind: str
    value: float
    low: float
    high: float


def distinguisher(
    length: int, d: int, m: int, epsilon: float, *, trials: int, seed: int
) -> tuple[Acceptance, ...]:
    """Run the private learners on (j, 1)^m with j an image and with j uniform.

    Every run draws its own j; a learner accepts when its hypothesis labels j with 1.

    Parameters
    ----------
    length, d, m, epsilon
        Bits of the seeds and of a point, samples, privacy loss.
    trials, seed : int
        Runs for each learner and kind.

    Raises
    ------
    InputError
        For a length that is not below d, or too long to enumerate.
    """
    member = find_concept(f"{_CONCEPT}({length})")
    target_seed(length, d)
    rng = np.random.default_rng(seed)
    found = []
    for name in progress.steps((_EFFICIENT, _PROPER)):
        entry = find_learner(member.name, name)
        for kind in progress.steps(("image", "uniform")):
            hits = 0
            for _ in progress.steps(range(trials)):
                if kind == "image":
                    j = image(uniform_below(rng, 1 << length), length, d)
                else:
                    j = 1 + uniform_below(rng, 1 << d)
                sample = Sample(d, (j,), np.zeros(m, dtype=np.intp), np.ones(m, dtype=np.uint8))
                h = entry.run(sample, epsilon=epsilon, alpha=0.1, beta=0.1, rng=rng)
                hits += h.predict(j)
            low, high = counted(np.array(float(hits)), trials)
            found.append(
                Acceptance(name, entry.title, kind, hits / trials, float(low), float(high))
            )
    return tuple(found)
