"""Balls: real numbers with a proof of how far off they are at most (Arb, by python-flint).

python-flint is optional and slow to import, so it is imported where the first ball is made.
Nothing here calls floating-point code: a certificate is worth what its route is independent.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from privsc_core.errors import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flint import arb

    Ball: TypeAlias = arb
else:
    Ball: TypeAlias = Any

PACKAGE = "python-flint"


class Uncertified(Exception):  # noqa: N818 - it says what a number is not, and is no error
    """A number has no certificate at a setting; the message is the reason, a clause."""


class Undecided(Uncertified):
    """More bits may tell."""


@dataclass(frozen=True, slots=True)
class At:
    """An exact setting: numbers are the decimals that were typed.

    Attributes
    ----------
    m, d : int
        Samples and bits.
    epsilon, alpha, beta, delta : Fraction
        As everywhere.
    law : object
        The distribution of the class; None for bounds.
    bits : int
        What is left out weighs at most 2^-bits.
    u : int
        Unlabelled examples.
    """

    m: int
    d: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    delta: Fraction
    law: Any = None
    bits: int = 100
    u: int = 0

    @property
    def precision(self) -> int:
        """The bits of the mantissas: more where large exponents cancel."""
        examples = max(self.m, self.u).bit_length()
        return self.bits + 64 + 3 * examples + 2 * self.d.bit_length()


def _flint() -> Any:
    return needed("flint", "certify", PACKAGE)


def software() -> str:
    """Return the names and versions of what computes."""
    flint = _flint()
    return f"Arb in FLINT {flint.__FLINT_VERSION__}, python-flint {flint.__version__}"


@contextmanager
def working(bits: int) -> Iterator[None]:
    """Compute with mantissas of so many bits."""
    with _flint().ctx.workprec(bits):
        yield


def ball(value: Fraction | int) -> Ball:
    """Return the ball of an exact number."""
    flint = _flint()
    if isinstance(value, Fraction):
        value = flint.fmpq(value.numerator, value.denominator)
    found: Ball = flint.arb(value)
    return found


def quadrature(function: Callable[..., Any], low: int, high: int, bits: int) -> Ball:
    """Return the integral of a real function, given on complex balls; Arb proves the rest."""
    flint = _flint()
    tiny = flint.arb(2) ** -bits
    found: Ball = flint.acb.integral(function, low, high, rel_tol=tiny, abs_tol=tiny).real
    return found


def beta_share(a: Fraction, b: Fraction, x: Ball) -> Ball:
    """Return the regularised incomplete beta function I_x(a, b), x in [0, 1)."""
    flint = _flint()
    found: Ball = (
        flint.acb(x).beta_lower(flint.acb(ball(a)), flint.acb(ball(b)), regularized=True).real
    )
    return found


def on_circle(share: Fraction) -> Any:
    """Return the complex ball at a share of the way around the circle from 1, counterclockwise."""
    return _flint().acb(ball(2 * share)).exp_pi_i()


def polynomial(coefficients: list[Ball] | list[int]) -> Callable[[Any], Any]:
    """Return a polynomial by its coefficients, the constant first, as a function of complex balls."""
    flint = _flint()
    found: Callable[[Any], Any] = flint.acb_poly([flint.acb(value) for value in coefficients])
    return found


def products(one: list[Ball], two: list[Ball]) -> list[Ball]:
    """Return the sums of one[i] two[j] over i + j = 0, 1, ...: the product of two polynomials."""
    flint = _flint()
    found = flint.arb_poly(one) * flint.arb_poly(two)
    return [found[i] for i in range(len(one) + len(two) - 1)]


def standard_normal(x: Ball) -> Ball:
    """Return Pr[Normal <= x], right relative to itself."""
    return (-x / ball(2).sqrt()).erfc() / 2


def hull(low: Ball, high: Ball) -> Ball:
    """Return a ball that contains both and all between."""
    return low.union(high)


def power_of_two(exponent: int) -> Ball:
    """Return 2^exponent, exactly, however large the exponent is."""
    return ball(2) ** exponent if exponent >= 0 else 1 / ball(2) ** -exponent


def decided(x: Ball) -> bool:
    """Return whether x >= 0; refuse a ball that does not tell."""
    if x >= 0:
        return True
    if x < 0:
        return False
    raise Undecided("it is too near to a tie for the arithmetic to tell")


def at_least(x: Ball, least: Ball | int) -> Ball:
    """Return max(x, least)."""
    return x.max(ball(least) if isinstance(least, int) else least)


def least_of(x: Ball, most: Ball | int) -> Ball:
    """Return min(x, most)."""
    return x.min(ball(most) if isinstance(most, int) else most)


def whole_below(x: Ball) -> int:
    """Return a whole number that is at most x and more than x - 2, whatever rounding did."""
    low = x.lower().floor().unique_fmpz()
    if low is None or not 2 * x.rad() < 1:
        raise Uncertified("a whole number cannot be told from its neighbours")
    return int(low)


def ends(x: Ball, digits: int = 25) -> tuple[str, str]:
    """Return two decimals between which the ball lies, rounded outwards to so many digits."""
    if not x.is_finite():
        raise Uncertified("the arithmetic lost the number")
    with working(_EXACT):  # the ends of a ball are rounded to what is worked with
        low, high = x.lower(), x.upper()
    return _decimal(low, digits, up=False), _decimal(high, digits, up=True)


def _decimal(x: Ball, digits: int, *, up: bool) -> str:
    """Return an exact binary number as a decimal, rounded in the stated direction."""
    mantissa, exponent = (int(part) for part in x.man_exp())
    if mantissa == 0:
        return "0"
    # Far below every other number: the exact decimal would have a line for each digit.
    size = mantissa.bit_length() + exponent
    if size < _LEAST_BITS:
        if (mantissa > 0) == up:
            return f"{'' if mantissa > 0 else '-'}1e{_LEAST_TENS}"
        return "0"
    exact = Fraction(mantissa) * (
        Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
    )
    tens = _tens(abs(exact))
    scaled = exact * Fraction(10) ** (digits - 1 - tens)
    cut = scaled.numerator // scaled.denominator
    cut += up and cut != scaled
    return _written(cut, tens - digits + 1)


def _written(digits: int, tens: int) -> str:
    """Return digits times 10^tens as it is written: without an exponent where that is short."""
    if not -_PLAIN < tens <= 0:
        return f"{digits}e{tens}"
    whole, part = divmod(abs(digits), 10**-tens)
    text = f"{whole}.{part:0{-tens}d}" if tens else str(whole)
    return f"{'-' if digits < 0 else ''}{text.rstrip('0').rstrip('.') if tens else text}"


_PLAIN = 400
_EXACT = 1 << 14
_LEAST_BITS, _LEAST_TENS = -20_000, -6000


def _tens(value: Fraction) -> int:
    """Return the n with 10^n <= value < 10^(n+1)."""
    guess = (value.numerator.bit_length() - value.denominator.bit_length()) * 30103 // 100000
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess
