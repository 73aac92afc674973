#!/usr/bin/env bash
# intvalpy 2.0.3 (numpy 2.4.6, and mpmath 1.4.1, which it imports and does not ask for)
#
# Behaviour: sums, products and quotients of intervals are rounded outward, so that they contain the exact result.
# Odd powers of negative intervals are rounded inward: `Interval(-1.1, -1.1) ** 3` has a lower end above its
# upper end, and the exact cube lies outside. A wide interval loses a unit in the last place at both ends.
# The product x * x * x of the same intervals contains the cube in all of 1,000 random cases.
#
# Expected: x ** 3 contains the cube of every number in x, as x * x * x does; it is the only promise of interval
# arithmetic. An interval with ends in the wrong order is legal here (Kaucher arithmetic), so nothing raises.
#
# Seen:
#   (-1.1) ** 3 = [-1.331, -1.331]: lower end above the upper one: True, exact cube inside: False
#   [-1.3, -1.1] ** 3: exact ends inside: False
#   of 1,000 negative numbers x ** 3 contains the exact cube 0 times, x * x * x 1000 times
#   of 1,000 positive numbers x ** 3 contains the exact cube 985 times, x * x * x 1000 times
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "intvalpy==2.0.3" "numpy==2.4.6" "mpmath==1.4.1"
"$folder/venv/bin/python" - <<'PY'
import random
from fractions import Fraction

from intvalpy import Interval


def inside(value, interval):
    return Fraction(float(interval.a)) <= value <= Fraction(float(interval.b))


point = Interval(-1.1, -1.1) ** 3
turned = bool(point.a > point.b)
held = inside(Fraction(-1.1) ** 3, point)
print(f"(-1.1) ** 3 = [{float(point.a):.4g}, {float(point.b):.4g}]: lower end above the upper one: {turned}, "
      f"exact cube inside: {held}")
assert turned and not held

wide = Interval(-1.3, -1.1) ** 3
held = all(inside(Fraction(end) ** 3, wide) for end in (-1.3, -1.1))
print(f"[-1.3, -1.1] ** 3: exact ends inside: {held}")
assert not held

draw = random.Random(1)
for name, low, high in (("negative", -3.0, -0.1), ("positive", 0.1, 3.0)):
    numbers = [draw.uniform(low, high) for _ in range(1000)]
    points = [Interval(x, x) for x in numbers]
    power = sum(inside(Fraction(x) ** 3, p**3) for x, p in zip(numbers, points))
    product = sum(inside(Fraction(x) ** 3, p * p * p) for x, p in zip(numbers, points))
    print(f"of 1,000 {name} numbers x ** 3 contains the exact cube {power} times, x * x * x {product} times")
    assert product == 1000
    assert power == 0 if name == "negative" else 900 < power < 1000
PY
