"""Numbers of any size as short texts: points of [2^d], sizes of groups, probabilities."""

from __future__ import annotations

import math

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_PLAIN = 10**7  # smaller numbers are written out
_NEAR = 1000  # and this close to a power of two as 2^k plus or minus
_LOG10 = math.log(10.0)

NUMBER = r"[0-9]{1,19}(?:\.[0-9]{1,25})?(?:e-?[0-9]{1,3})?"
"""What `exact` writes of numbers from 0 on, as a regular expression."""


def exact(value: float) -> str:
    """Return the shortest text that reads back as this number, without a plus: it is a blank in a URL."""
    if isinstance(value, int):
        return str(value)
    return repr(float(value)).removesuffix(".0").replace("e+", "e")


def raised(number: int) -> str:
    """Return a whole number as an exponent."""
    return str(number).translate(_RAISED)


def lowered(number: int) -> str:
    """Return a whole number from 0 on as an index."""
    return str(number).translate(_LOWERED)


def capital(text: str) -> str:
    """Return a text with a capital letter in front, and else as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def whole(number: int, d: int) -> str:
    """Return a whole number from 0 to a few times 2^d: exactly where that is short."""
    if number < _PLAIN:
        return f"{number:,}"
    for power in (number.bit_length(), number.bit_length() - 1):
        rest = number - (1 << power)
        if abs(rest) <= _NEAR:
            sign = "" if not rest else f" {'−' if rest < 0 else '+'} {abs(rest)}"
            return f"2{raised(power)}{sign}"
    power = d if number.bit_length() > d - 9 else number.bit_length() - 1
    low = max(power - 60, 0)
    return f"≈{(number >> low) / 2.0 ** (power - low):.4g}·2{raised(power)}"


def span(first: int, last: int, d: int) -> str:
    """Return a range of whole numbers."""
    if first == last:
        return whole(first, d)
    return f"{whole(first, d)} … {whole(last, d)}"


def small(value: float) -> str:
    """Return a positive number; below a thousandth as a power of ten."""
    if value >= 1e-3:
        return f"{value:g}"
    digits, exponent = f"{value:.2e}".split("e")
    power = f"10{raised(int(exponent))}"
    return power if float(digits) == 1.0 else f"{float(digits):g}·{power}"


def large(log_value: float) -> str:
    """Return a number from 1 on from its logarithm, however large: four digits of it."""
    if log_value < math.log(_PLAIN):
        return (
            f"{math.exp(log_value):,.4g}"
            if log_value < _LOG10 * 4
            else f"{math.exp(log_value):,.0f}"
        )
    power = math.floor(log_value / _LOG10)
    return f"{math.exp(log_value - power * _LOG10):.3g}·10{raised(power)}"


def chance(log_chance: float) -> str:
    """Return a probability from its logarithm, however small."""
    if log_chance == -math.inf:
        return "0"
    value = math.exp(min(log_chance, 0.0))
    if value >= 0.9995:
        return "1" if log_chance >= 0.0 else ">0.999"
    if value >= 0.001:
        return f"{value:.3f}"
    power = log_chance / _LOG10
    exponent = math.floor(power)
    if exponent < -999:
        return f"10{raised(exponent)}"
    return f"{10.0 ** (power - exponent):.1f}·10{raised(exponent)}"
