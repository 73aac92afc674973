"""BBKN13, Lemma 3.4: how many concepts a sample does not name."""

from math import exp

import privsc_core as pv

d, m, epsilon = 4, 3, 1.0
# On `single` all m examples are one point: its concept makes no mistake, each other one m.
law = pv.success(
    concept="point", learner="exponential", distribution="single",
    m=m, d=d, epsilon=epsilon, alpha=0.1,
).value.item()  # fmt: skip


def with_unseen(number):
    """The exponential mechanism's law, if so many concepts are not named by the sample."""
    return 1 / (1 + number * exp(-epsilon * m / 2))


print("exact law", law)
print("2^d - distinct points", with_unseen(2**d - 1))
print("2^d - m, the paper's", with_unseen(2**d - m))
assert abs(law - with_unseen(2**d - 1)) < 1e-12
assert abs(law - with_unseen(2**d - m)) > 0.01
