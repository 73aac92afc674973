"""What the exhibits of pseudorandom points show, from values that can be a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.exhibits.pseudorandom.efficiency import distinguisher, tradeoff
from privsc_core.exhibits.pseudorandom.figures import distinguisher_figure, tradeoff_figure

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture

__all__ = ["POINT_BITS", "RUNS", "SEED_BITS", "distinguished", "paid"]

SEED_BITS, POINT_BITS = 8, 40  # of the distinguisher
RUNS = 300
_LAST_DRAWN = 64


def paid(
    known: tuple[tuple[int, float], ...],
    efficient: float,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
) -> Picture:
    """Draw time against samples.

    Parameters
    ----------
    known : tuple of (int, float)
        Length of the seeds, and the seconds that were measured; lengths from d on are left out.
    efficient : float
        Seconds of the efficient learner.
    d, epsilon, alpha, beta
        The setting of the laws.

    Raises
    ------
    InputError
        When no length below d was measured.
    """
    fit = {length: seconds for length, seconds in known if length < d}
    return tradeoff_figure(
        tradeoff(fit, efficient, d=d, epsilon=epsilon, alpha=alpha, beta=beta, longest=_LAST_DRAWN)
    )


def distinguished(m: int, epsilon: float, seed: int) -> Picture:
    """Run both private learners on images and on random points and draw what they answer."""
    return distinguisher_figure(
        distinguisher(SEED_BITS, POINT_BITS, m, epsilon, trials=RUNS, seed=seed)
    )
