"""What the exhibits of intervals show, from values that can be a key: computed and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.exhibits.interval import noise_channel
from privsc_core.exhibits.interval import switching as switches
from privsc_core.exhibits.interval.noise_channel import (
    mismatch_figure,
    recovery_figure,
    strip_figure,
)
from privsc_core.exhibits.interval.switching import selection_figure, switching_figure

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.exhibits.interval.noise_channel import RecoveryCurve

__all__ = ["Flipped", "noise", "picked", "recovery", "selection"]

_BITS = 16  # 65,536 labels, drawn as shares of at most 512 bins
_J = (1 << 15) + 1
# A thousand runs at every noise rate: the law is the same to twelve digits, and this takes a
# fifth of a second.
_CURVE_BITS = 12
_CURVE_J = (1 << 11) + 1
_TRIALS = 1000
_SEED = 1
_SWITCH_BITS = 5  # 32 labels can be told apart on a phone


@dataclass(frozen=True, slots=True, eq=False)
class Flipped:
    """One draw of the noise.

    Attributes
    ----------
    labels, mismatch : Picture
        What goes out, and what comes back.
    size, j : int
        The number of labels, and the threshold that went in.
    flips : int
        How many labels were flipped.
    found : int or None
        What came back; None for a tie.
    chance, promised : float
        The probability that j comes back, exactly and as the paper bounds it from below.
    """

    labels: Picture
    mismatch: Picture
    size: int
    j: int
    flips: int
    found: int | None
    chance: float
    promised: float


def noise(mu: float, draw: int) -> Flipped:
    """Flip every label with probability `mu` and take the noise off again.

    Parameters
    ----------
    mu : float
        In [0, 1/2).
    draw : int
        The seed of the coins.
    """
    sent = noise_channel.channel(_J, _BITS, mu, draw)
    return Flipped(
        labels=strip_figure(sent),
        mismatch=mismatch_figure(sent),
        size=sent.labels.size,
        j=_J,
        flips=sent.dirty.size,
        found=sent.found,
        chance=noise_channel.recovery_probability(_J, _BITS, mu),
        promised=noise_channel.paper_bound(mu),
    )


def recovery(mu: float) -> Picture:
    """Draw the probability that the threshold comes back, with a mark at `mu`."""
    return recovery_figure(_curve(), (mu, noise_channel.recovery_probability(_J, _BITS, mu)))


@lru_cache(maxsize=1)
def _curve() -> RecoveryCurve:
    return noise_channel.recovery_curve(_CURVE_J, _CURVE_BITS, _TRIALS, _SEED)


def picked(target: int, switching_points: int, draw: int) -> Picture:
    """Draw a random hypothesis with so many switching points and what is picked from it."""
    return switching_figure(switches.switching(_SWITCH_BITS, target, switching_points, draw))


def selection(switching_points: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw what the choice among switching points costs."""
    return selection_figure(switches.selection_curve(epsilon, alpha, beta, switching_points))
