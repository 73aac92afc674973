"""BBKN13, Theorem 7.2: two alpha m changed entries in place of three."""

import privsc_core as pv

bits = [16, 64, 1024, 10**4]
setting = {"concept": "release", "d": bits, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
two = pv.bound(bound="packing", **setting).m
three = pv.bound(bound="theorem-7.2", **setting).m
for d, more, less in zip(bits, two, three, strict=True):
    print(f"d = {d}: at least {more:.0f} with 2 alpha m, {less:.0f} with 3 alpha m")
assert all(abs(two / three - 1.5) < 0.1)
