"""All lines of a plane in bundles that a sample cannot tell apart.

The mistakes of a line depend on which of the sample's n places it passes: those through two of them
or more are listed, at most n (n - 1) / 2; the others through a place are alike, and so are those
through none. So p^2 lines take O(n^2) steps, whatever p is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import uniform_below
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Uniform
    from privsc_core.concepts.line.plane import Plane
    from privsc_core.concepts.sample import Sample

__all__ = ["Bundles"]

# Pairs of them are gone through.
_PLACES_MOST = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Bundles:
    """Lines through two places or more, through one alone, and through none, in this order.

    Attributes
    ----------
    plane : Plane
    places : tuple of (x, y)
        Of the sample, in the plane.
    lines : tuple of (a, b)
        Those through two places or more.
    sizes : tuple of int
        How many lines a bundle has.
    gains : ndarray of int64
        How many mistakes fewer than a line makes that passes no place.
    """

    plane: Plane
    places: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    gains: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample, plane: Plane) -> Bundles:
        """Return the bundles of a sample of a plane.

        Raises
        ------
        InputError
            For more places than whose pairs are gone through.
        """
        positive, negative = sample.tallies()
        gain = {
            place: g
            for x, g in zip(sample.points, (positive - negative).tolist(), strict=True)
            if (place := plane.place(x))
        }
        if len(gain) > _PLACES_MOST:
            raise InputError("m", f"must give at most {_PLACES_MOST} different points", len(gain))
        places = sorted(gain)
        on = _through_two(places, plane)
        alone = dict.fromkeys(places, plane.p)
        for passed in on.values():
            for place in passed:
                alone[place] -= 1
        sizes = [1] * len(on) + list(alone.values())
        gains = [sum(gain[place] for place in passed) for passed in on.values()]
        gains += [gain[place] for place in places]
        return cls(
            plane, tuple(places), tuple(on),
            (*sizes, plane.p * plane.p - sum(sizes)), np.array([*gains, 0], dtype=np.int64),
        )  # fmt: skip

    def log_weights(self, rate: float) -> NDArray[np.float64]:
        """Return the log weight of each bundle where a mistake costs `rate`."""
        sizes = [math.log(size) if size else -math.inf for size in self.sizes]
        return np.asarray(np.array(sizes) + rate * self.gains)

    def line(self, bundle: int, rng: Uniform) -> tuple[int, int]:
        """Return (a, b) of a line of a bundle, all of which are equally likely."""
        if bundle < len(self.lines):
            return self.lines[bundle]
        p, listed = self.plane.p, set(self.lines)
        if bundle < len(self.sizes) - 1:
            x, y = self.places[bundle - len(self.lines)]
            while True:
                a = uniform_below(rng, p)
                if (found := (a, (y - a * x) % p)) not in listed:
                    return found
        while True:
            a, b = uniform_below(rng, p), uniform_below(rng, p)
            if all(self.plane.height(a, b, x) != y for x, y in self.places):
                return a, b

    def passing(self, a: int, b: int) -> int:
        """Return the bundle of a line."""
        if (a, b) in self.lines:
            return self.lines.index((a, b))
        for row, (x, y) in enumerate(self.places):
            if self.plane.height(a, b, x) == y:
                return len(self.lines) + row
        return len(self.sizes) - 1


def _through_two(
    places: list[tuple[int, int]], plane: Plane
) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the lines through two places or more, with what they pass."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            line = plane.through(one, other)
            if line is None:
                continue
            passed = found.setdefault(line, [one])
            # Seen from an earlier place it is listed with all that it passes.
            if passed[0] == one:
                passed.append(other)
    return found
