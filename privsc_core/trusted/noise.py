"""The noise of a release: OpenDP's samplers where it has the mechanism, an exact one elsewhere.

The only module that imports the library. Scales are rounded so that what is spent is never above
the decimal that was typed.
"""

from __future__ import annotations

import bisect
import itertools
import math
import secrets
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import metadata
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.shared.noise_source import LISTED_BITS
from privsc_core.errors import InputError, needed
from privsc_core.numerics.decimals import decimal
from privsc_core.trusted import exact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import TypeVar

    Key = TypeVar("Key", bound=Hashable)

# A list of so many candidates takes OpenDP a fifth of a second.
_LISTED = 1 << LISTED_BITS
_OWN = "privsc, exact sampling"


@dataclass(frozen=True)
class Drawn:
    """The noise of a release: mechanism, library, and what it promises."""

    mechanism: str
    sampler: str
    scale: float | None
    promise: str


def library() -> Any:
    """Return OpenDP, or refuse.

    Raises
    ------
    InputError
        Where it is not installed.
    """
    dp = needed("opendp.prelude", "release")
    # What OpenDP calls contributed: all measurements that are used here. The guide says so.
    dp.enable_features("contrib")
    return dp


def software() -> str:
    """Return name and version of the library."""
    return f"opendp {metadata.version('opendp')}"


@dataclass
class Noise:
    """A `concepts.shared.noise_source.NoiseSource` that cannot be repeated.

    Parameters
    ----------
    epsilon : float
        What the one mechanism spends, as the decimal that prints so.
    spend : function
        Called right before the first coin that depends on the data; raises where that is too much.
    """

    epsilon: float
    spend: Callable[[], None]
    drawn: Drawn | None = field(default=None, init=False)
    _begun: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._dp = library()

    def integers(self, low: int, /) -> int:
        """Return a uniformly random whole number from 0 to low - 1, from the system's source."""
        return secrets.randbelow(low)

    def bytes(self, length: int, /) -> bytes:
        """Return uniformly random bytes, from the system's source."""
        return secrets.token_bytes(length)

    def exponential(
        self, scores: Sequence[int], members: Sequence[int] | None = None, *, sensitivity: int = 1
    ) -> int:
        """Return a row; see `NoiseSource`. By Gumbel noise where all candidates can be listed."""
        numbers = [1] * len(scores) if members is None else members
        if sum(numbers) > _LISTED:
            rate = decimal(self.epsilon) / (2 * sensitivity)
            self._begin()
            row = exact.exponential(scores, numbers, rate, secrets.randbelow)
            self.drawn = Drawn(
                "exponential mechanism", _OWN, None, f"epsilon {self.epsilon:g}: its law is exact"
            )
            return row
        # With the divergence of pure privacy this measurement, and the older one that has Gumbel in
        # its name, add exponential noise: that is permute-and-flip.
        scale = _up(2 * sensitivity / decimal(self.epsilon))
        measure = self._dp.zero_concentrated_divergence()
        pick = self._made("make_noisy_max", *self._scores(), measure, scale, negate=True)
        rho = pick.map(sensitivity)
        every = [score for score, n in zip(scores, numbers, strict=True) for _ in range(n)]
        self._begin()
        row = bisect.bisect_right(list(itertools.accumulate(numbers)), pick(every))
        self.drawn = Drawn(
            "exponential mechanism", "opendp make_noisy_max, Gumbel noise", scale,
            f"rho {rho:g} (zero-concentrated) by the library; epsilon {self.epsilon:g} because its law "
            "is that of the exponential mechanism",
        )  # fmt: skip
        return row

    def permute_and_flip(self, scores: Sequence[int]) -> int:
        """Return a row; see `NoiseSource`."""
        space, measure = self._scores(), self._dp.max_divergence()
        pick, scale, spent, _ = self._private(
            2, 1, lambda scale: self._made("make_noisy_max", *space, measure, scale, negate=True)
        )
        self._begin()
        row = int(pick(list(scores)))
        self.drawn = Drawn(
            "permute-and-flip", "opendp make_noisy_max, exponential noise", scale, _promise(spent)
        )
        return row

    def geometric(self, counts: Sequence[int], *, sensitivity: int) -> list[int]:
        """Return counts with two-sided geometric noise; see `NoiseSource`."""
        noisy = self._noisy(list(counts), "i64", sensitivity, "discrete Laplace noise")
        return [int(value) for value in noisy]

    def laplace(self, counts: Sequence[int], *, sensitivity: int) -> list[float]:
        """Return counts with Laplace noise; see `NoiseSource`. It lives on the multiples of 2^-1074."""
        name = "Laplace noise on the multiples of 2^-1074, rounded to floats after it was added"
        return self._noisy([float(n) for n in counts], "f64", float(sensitivity), name)

    def _noisy(self, values: list[Any], kind: str, sensitivity: float, name: str) -> list[Any]:
        dp = self._dp
        atoms = dp.atom_domain(T=kind, nan=False) if kind == "f64" else dp.atom_domain(T=kind)
        space = dp.vector_domain(atoms), dp.l1_distance(T=kind)
        add, scale, spent, _ = self._private(
            sensitivity, sensitivity, lambda scale: self._made("make_laplace", *space, scale)
        )
        self._begin()
        noisy: list[Any] = add(values)
        self.drawn = Drawn(name, "opendp make_laplace", scale, _promise(spent))
        return noisy

    def stable(self, counts: Mapping[Key, int], *, delta: float) -> dict[Key, int]:
        """Return the noisy counts above a threshold; see `NoiseSource`."""
        dp = self._dp
        space = (
            dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64")),
            dp.l01inf_distance(dp.absolute_distance(T="i64")),
        )
        # What is enough for two keys, each with the tail of its noise; the library has the last word.
        step = _up(2 / decimal(self.epsilon))
        tail = math.log(2.0 / delta) - math.log1p(math.exp(-1.0 / step))
        least = max(math.floor(step * tail), 1)
        while True:

            def made(scale: float, least: int = least) -> Any:
                return self._made("make_laplace_threshold", *space, scale, least)

            release, scale, spent, slack = self._private(2, (2, 2, 1), made)
            if Fraction(slack) <= decimal(delta):
                break
            least += math.ceil(step / 64)
        keys = list(counts)
        self._begin()
        kept = release({str(i): counts[key] for i, key in enumerate(keys)})
        self.drawn = Drawn(
            f"discrete Laplace noise on the counts that are not 0, released above {least}",
            "opendp make_laplace_threshold", scale,
            _promise(spent, slack),
        )  # fmt: skip
        # OpenDP 0.16 also keeps counts at the threshold, but leaves them out of the delta that it
        # states (opendp/opendp#2922): here they go, and the statement is right.
        found = {key: kept.get(str(i), least) for i, key in enumerate(keys)}
        return {key: value for key, value in found.items() if value > least}

    def _scores(self) -> tuple[Any, Any]:
        dp = self._dp
        return dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")

    def _private(
        self, numerator: float, distance: Any, made: Callable[[float], Any]
    ) -> tuple[Any, float, float, float]:
        """Return a measurement, its scale, and what the library says it spends: never too much.

        The scale is numerator / epsilon, and some ulps more where the library's own rounding asks
        for them.
        """
        wanted = decimal(self.epsilon)
        scale = _up(Fraction(numerator) / wanted)
        # Beyond this noise would leave the whole numbers of 64 bits, or be none.
        if not 1e-9 < scale < 1e15:
            limits = f"must be in ({numerator:g}e-15, {numerator:g}e9) for a release"
            raise InputError("epsilon", limits, self.epsilon)
        while True:
            measurement = made(scale)
            spent = measurement.map(distance)
            loss, slack = spent if isinstance(spent, tuple) else (spent, 0.0)
            if Fraction(loss) <= wanted:
                return measurement, scale, loss, slack
            scale = math.nextafter(scale, math.inf)

    def _made(self, name: str, *words: Any, **more: Any) -> Any:
        try:
            return getattr(self._dp.m, name)(*words, **more)
        except self._dp.OpenDPException as error:
            raise InputError(
                "epsilon", f"must suit {name} of opendp ({error})", self.epsilon
            ) from None

    def _begin(self) -> None:
        """Pay, once: a second mechanism would spend the same epsilon again."""
        if self._begun:
            msg = "a release draws one mechanism"
            raise RuntimeError(msg)
        self._begun = True
        self.spend()


def _up(value: Fraction) -> float:
    """Return the least float that is not below a fraction; infinity where there is none."""
    try:
        found = float(value)
    except OverflowError:
        return math.inf
    return found if Fraction(found) >= value else math.nextafter(found, math.inf)


def _promise(epsilon: float, delta: float = 0.0) -> str:
    slack = f" and delta {delta:.17g}" if delta else ""
    return f"epsilon {epsilon:.17g}{slack} by the library"
