"""FX14, Claim 5.4: log2(1 + gamma) against gamma."""

from math import log, log2

for gamma in (0.1, 0.25, 0.5, 0.9):
    print(f"gamma {gamma}: log2(1 + gamma) = {log2(1 + gamma):.4f}, ln {log(1 + gamma):.4f}")
    assert log(1 + gamma) <= gamma < log2(1 + gamma)
