"""BBKN13, Theorem 4.2: what grows with log d, and what does not."""

import privsc_core as pv

bits = [16, 64, 1024, 10**4, 10**6]
setting = {"concept": "point", "d": bits, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
paper = pv.bound(bound="theorem-4.2", **setting).m
ours = pv.bound(bound="representation", **setting).m
for d, theirs, flat in zip(bits, paper, ours, strict=True):
    print(f"d = {d}: with the union bound {theirs:.0f}, without {flat:.0f}")
assert all(paper[1:] > paper[:-1])
assert all(ours == ours[0])
assert ours[0] < paper[0]
