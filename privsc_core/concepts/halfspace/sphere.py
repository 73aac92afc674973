"""The sphere S^{n-1}: its caps, points as whole numbers, and evenly spread directions.

The cap of angle phi <= pi/2 has the share I_{sin^2 phi}((n-1)/2, 1/2) / 2 of the sphere: logs are kept,
as in a thousand dimensions shares are smaller than any float.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "CIRCLE_BITS", "band", "coordinates", "dimension", "encoded", "fibonacci", "log_cap", "point_bits",
]  # fmt: skip

# Points of the circle that are drawn; two are equal with a chance of m^2 / 2^61.
CIRCLE_BITS = 60
# Bits of a coordinate; the rest of 32 n + 7 tells a sphere from a circle.
_EACH, _MARK = 32, 7
_SCALE = float(1 << (_EACH - 1))
_TINY = 1e-250


def dimension(bits: int) -> int:
    """Return the n of a sample whose points have so many bits: 2, unless they hold n >= 3 coordinates."""
    n, rest = divmod(bits - _MARK, _EACH)
    return n if n > 2 and not rest else 2


def point_bits(n: int) -> int:
    """Return how many bits the points of a drawn sample have."""
    return CIRCLE_BITS if n == 2 else _EACH * n + _MARK


def encoded(points: NDArray[np.float64]) -> list[int]:
    """Return unit vectors, n >= 3, as points of a sample, each coordinate to 31 bits."""
    whole = np.clip((points + 1.0) * _SCALE, 0.0, 2.0 * _SCALE - 1.0).astype("<u4")
    return [1 + int.from_bytes(row.tobytes(), "little") for row in whole]


def coordinates(points: Sequence[int], bits: int) -> NDArray[np.float64]:
    """Return points of a sample as vectors, shape (points, n); on the circle exactly of length 1."""
    n = dimension(bits)
    if n == 2:
        half = 1 << bits
        turns = np.array([((2 * x - 1) << 60) // (2 * half) / 2.0**60 for x in points])
        return np.column_stack([np.cos(2.0 * np.pi * turns), np.sin(2.0 * np.pi * turns)])
    size = 4 * n
    raw = b"".join(((x - 1) & ((1 << 8 * size) - 1)).to_bytes(size, "little") for x in points)
    found = (np.frombuffer(raw, dtype="<u4").reshape(-1, n) + 0.5) / _SCALE - 1.0
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def log_cap(n: int, angle: float) -> float:
    """Return the log of the share of S^{n-1} within an angle of a point."""
    if angle >= math.pi:
        return 0.0
    if angle > 0.5 * math.pi:
        return math.log1p(-math.exp(log_cap(n, math.pi - angle)))
    a, sine = 0.5 * (n - 1), math.sin(angle)
    x = sine * sine
    share = float(special.betainc(a, 0.5, x))
    if share > _TINY:
        return math.log(0.5 * share)
    series = float(special.hyp2f1(a + 0.5, 1.0, a + 1.0, x))
    log_beta = float(special.betaln(a, 0.5))
    # Not the log of x, which underflows at angles of 1e-170.
    return 2.0 * a * math.log(sine) + math.log(math.cos(angle) * series / (2.0 * a)) - log_beta


def band(n: int, gamma: float) -> float:
    """Return the share of S^{n-1} with |u x| <= gamma, for a direction u."""
    return float(special.betainc(0.5, 0.5 * (n - 1), gamma * gamma))


@lru_cache(maxsize=4)
def fibonacci(count: int) -> NDArray[np.float64]:
    """Return directions that are spread evenly over the sphere, shape (count, 3)."""
    i = np.arange(count) + 0.5
    height, azimuth = 1.0 - 2.0 * i / count, math.pi * (1.0 + math.sqrt(5.0)) * i
    level = np.sqrt(1.0 - height * height)
    found = np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), height])
    found.flags.writeable = False  # shared
    return found
