"""A count of exactly alpha m is lost half of the time, however large the database is."""

import privsc_core as pv

# At alpha = 1/4 the hard database has three quarters of one value, and a quarter of another one.
m = [400, 4000, 40_000, 400_000]
found = pv.success(
    concept="release", learner="laplace", distribution="hard", m=m, d=16, epsilon=0.5, alpha=0.25
).value
print(dict(zip(m, found, strict=True)))
assert abs(found[-1] - 0.5) < 1e-6
assert all(found < 0.51)
