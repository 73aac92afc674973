"""BBKN13, Section 6: how many images 2^16 seeds have among 2^17 points."""

from math import exp

import privsc_core as pv

m, epsilon = 20, 1.0
# On `single` the law is 1 / (1 + (n - 1) e^{-epsilon m / 2}) for a class of n concepts.
law = pv.success(
    concept="pseudorandom-point(16)", learner="exponential-proper", distribution="single",
    m=m, d=17, epsilon=epsilon, alpha=0.1,
).value.item()  # fmt: skip
n = 1 + (1 / law - 1) * exp(epsilon * m / 2)
expected = 2**17 * (1 - exp(-1 / 2))  # of a random function
print(f"{n:.1f} images of {2**16} seeds; of a random function one expects {expected:.0f}")
assert abs(n - round(n)) < 1e-3
assert abs(n - expected) < 500 < 2**16 - n
