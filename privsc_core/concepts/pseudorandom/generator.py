"""The generator of the pseudorandom points: SHAKE-256 of the seed, d bits of output."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_256

from privsc_core.errors import InputError

# So many bits of seeds are enumerated to count images for a law: a tenth of a second.
COUNTED = 16
# And so many by the learner that really enumerates them.
ENUMERABLE = 22
_LOG2 = math.log(2.0)
# With this many bits to spare two seeds share an image with probability below 2^-60.
_SPARE = 60


@dataclass(frozen=True, slots=True)
class SeedLength:
    """How long seeds are: a rule in d, or a number.

    Attributes
    ----------
    rule : {"sqrt", "log2", "4log", ""}
        The square root of d, the square of log2 d, four times log2 d (all rounded up and at
        most d - 1), or a number.
    fixed : int
        The number.
    """

    rule: str = "sqrt"
    fixed: int = 0

    @classmethod
    def of(cls, text: str) -> SeedLength:
        """Read ``sqrt``, ``log2``, ``4log`` or a whole number from 1 to 999999.

        Raises
        ------
        InputError
            For any other text.
        """
        if text in {"sqrt", "log2", "4log"}:
            return cls(text)
        if text.isdecimal() and len(text) <= 6 and int(text) >= 1:
            return cls("", int(text))
        raise InputError("concept", "must have seeds of sqrt, log2, 4log or a number of bits", text)

    def bits(self, d: int) -> int:
        """Return l at this d.

        Raises
        ------
        InputError
            When l is not below d.
        """
        if self.fixed:
            if self.fixed >= d:
                raise InputError("d", f"must be above the {self.fixed} bits of the seeds", d)
            return self.fixed
        log = math.log2(d)
        wanted = {"sqrt": math.sqrt(d), "log2": log * log, "4log": 4.0 * log}[self.rule]
        return min(math.ceil(wanted - 1e-9), d - 1)

    @property
    def label(self) -> str:
        """The rule as it is typed."""
        return self.rule or str(self.fixed)


SQUARE_ROOT = SeedLength()


def image(seed: int, length: int, d: int) -> int:
    """Return G(seed) as a point of [2^d]; seeds are the numbers from 0 to 2^length - 1."""
    size = (d + 7) // 8
    digest = shake_256(b"privsc %d " % length + seed.to_bytes((length + 7) // 8, "big"))
    return 1 + (int.from_bytes(digest.digest(size), "big") >> (-d % 8))


@dataclass(frozen=True, slots=True)
class Images:
    """How many points the generator reaches.

    Attributes
    ----------
    log_distinct : float
        Log of the number n of distinct images other than point 1.
    first : bool
        Whether point 1 is an image.
    log_guess : float
        Log of the probability that the image of a random seed is the target.
    """

    log_distinct: float
    first: bool
    log_guess: float

    @property
    def log_others(self) -> float:
        """Log of n - 1; -inf for a single image."""
        if self.log_distinct > 30.0:
            return self.log_distinct
        others = math.expm1(self.log_distinct)
        return math.log(others) if others > 0.5 else -math.inf


@lru_cache(maxsize=1024)
def images(length: int, d: int) -> Images:
    """Count the images of the generator.

    Exact by enumeration up to 2^16 seeds. For more it is the expected number of distinct values
    of a random function: of 2^l seeds a share of about 2^{l-d-1} collides, and the true share
    differs from that by its square root over 2^{l/2}.
    """
    if length > COUNTED:
        load = math.ldexp(1.0, length - d) if d - length < 1000 else 0.0
        # T (1 - e^{-load}) over 2^l.
        share = -math.expm1(-load) / load if load > 0.0 else 1.0
        return Images(length * _LOG2 + math.log(share), first=False, log_guess=-length * _LOG2)
    if d >= 2 * length + _SPARE:
        return Images(length * _LOG2, first=False, log_guess=-length * _LOG2)
    counts = Counter(image(seed, length, d) for seed in range(1 << length))
    first = 1 in counts
    if len(counts) == first:
        return Images(-math.inf, first, -math.inf)
    target = image(target_seed(length, d), length, d)
    return Images(math.log(len(counts) - first), first, math.log(counts[target]) - length * _LOG2)


@lru_cache(maxsize=1024)
def target_seed(length: int, d: int) -> int:
    """Return the first seed whose image is not point 1.

    Raises
    ------
    InputError
        When every image is point 1.
    """
    for seed in range(1 << min(length, COUNTED)):
        if image(seed, length, d) != 1:
            return seed
    raise InputError("d", "must leave an image other than point 1", d)
