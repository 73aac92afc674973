"""Settings at which laws and bounds are asked, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from privsc_core.concepts.shared.inequalities import log_tail, tiny_beta
from privsc_core.errors import InputError
from privsc_core.numerics.intervals import Draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Simulated samples are drawn in parts of this many, each with a seed of its own.
CHUNK = 250

Method = Literal["exact", "bracketed", "rao-blackwell", "monte-carlo"]
Privacy = Literal["none", "pure", "approximate", "label"]
Adjacency = Literal["full", "label"]
Kind = Literal["lower", "upper"]
Constants = Literal["sharp", "paper", "rate", "yours"]
Demand = Literal["d", "epsilon", "alpha", "beta"]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """The settings of one evaluation: arrays that broadcast, and scalars.

    Attributes
    ----------
    m, d : ndarray of int64
        Sample sizes and bits.
    epsilon : ndarray of float64
        Privacy losses.
    alpha, beta, delta : float
        Accuracy, confidence and privacy slack, the same throughout.
    trials : int
        Simulated samples per cell where the law is simulated.
    seed : int
        Seed of the simulation.
    first_trial : int
        Where in the stream of simulated samples to start, a multiple of `CHUNK`: long
        simulations are done, and shown, part by part.
    """

    m: NDArray[np.int64]
    d: NDArray[np.int64]
    epsilon: NDArray[np.float64]
    alpha: float
    beta: float
    delta: float = 0.0
    trials: int = 1000
    seed: int = 1
    first_trial: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The broadcast shape of m, d and epsilon."""
        return np.broadcast_shapes(self.m.shape, self.d.shape, self.epsilon.shape)

    @property
    def log_tail(self) -> float:
        """How small a probability must not be neglected, as -log of it; see `log_tail`."""
        return log_tail(self.beta)

    @property
    def tiny_beta(self) -> bool:
        """Whether beta or 1 - beta is so small that success must come with its failure."""
        return tiny_beta(self.beta)

    def cells(self) -> list[tuple[int, int, float]]:
        """Return (m, d, epsilon) of every cell of the broadcast shape, in C order."""
        columns = np.broadcast_arrays(self.m, self.d, self.epsilon)
        return list(zip(*(column.ravel().tolist() for column in columns), strict=True))


class Sized:
    """What may be asked of domains too large for a number d to say."""

    name: ClassVar[str]

    def sized(self, log2_d: float) -> Self:
        """Return the variant for domains with log2(d + 1) = log2_d, whatever d is; itself for 0.

        Raises
        ------
        InputError
            Where nothing is known of such domains.
        """
        if log2_d:
            raise InputError("log2_d", f"must be left out for {self.name}, which takes d", log2_d)
        return self


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting: scalars, as in `Setting`. Where m is what is asked for, it is 0."""

    d: int
    epsilon: float
    alpha: float
    beta: float
    delta: float = 0.0
    m: int = 0

    def at(self, m: int) -> Setting:
        """Return the setting with m samples."""
        return Setting(
            np.array(m), np.array(self.d), np.array(self.epsilon), self.alpha, self.beta, self.delta
        )


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Probabilities of success: values with two ends (equal to the value when exact).

    Attributes
    ----------
    value, low, high : ndarray of float64
        See above.
    method : {"exact", "bracketed", "rao-blackwell", "monte-carlo"}
        How they were computed. Ends are proved where bracketed, and where nothing was drawn; else
        they are those of 95% intervals.
    failure : ndarray of float64, optional
        1 - value computed without cancellation: right relative to itself as far down as the
        setting's beta. An exact law must have it where the setting is `tiny_beta`.
    drawn : Draws, optional
        Of a simulated law what the ends are made of, so that parts of a simulation add up.
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: Method
    failure: NDArray[np.float64] | None = None
    drawn: Draws | None = None

    @property
    def sums(self) -> Draws:
        """What the ends are made of; no draws where they are exact or proved."""
        return self.drawn or Draws.between(self.low, self.high)


def sure(setting: Setting) -> Estimate:
    """Return that success is certain, at every cell."""
    one = np.ones(setting.shape)
    return Estimate(one, one, one, "exact", 0.0 * one)
