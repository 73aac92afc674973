"""What the exhibits of data release show, from values that can be a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.exhibits.release.figures import delta_figure, histogram_figure
from privsc_core.exhibits.release.histograms import delta_curve, released_histogram

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.exhibits.release.histograms import Histogram, ReleasedHistogram

__all__ = ["compared", "released"]


def released(
    data: Histogram, mechanism: str, epsilon: float, alpha: float, delta: float, seed: int
) -> tuple[ReleasedHistogram, Picture]:
    """Release a histogram once and draw it, see `released_histogram`."""
    found = released_histogram(
        data, mechanism, epsilon=epsilon, alpha=alpha, delta=delta, seed=seed
    )
    return found, histogram_figure(found)


def compared(epsilon: float, alpha: float, beta: float, delta: float) -> Picture:
    """Draw the least number of entries against d, without and with delta."""
    return delta_figure(delta_curve(epsilon, alpha, beta, delta))
