"""BBKN13, Claim 4.5: the failure probability of its proof, with each of its two logarithms."""

from math import ceil, isnan, log

import privsc_core as pv

setting = {"concept": "point", "bound": "claim-4.5", "d": 64, "epsilon": 0.5, "alpha": 0.1}


def failure(beta, tail):
    """Add up the proof: no good run, good run looks bad, bad run looks good, bad one chosen."""
    runs = ceil(log(5 / beta) / log(5 / 4))
    return beta / 5 + tail + runs * tail + runs * tail**3


for beta in (0.01, 0.05, 0.1, 0.15):
    squared, plain = failure(beta, beta**2 / 3), failure(beta, beta / 3)
    m = pv.bound(**setting, beta=beta).m.item()
    print(f"beta {beta}: with 3/beta^2 {squared:.4f}, with 3/beta {plain:.4f}, bound {m}")
    assert plain > beta
    assert (squared <= beta) == (not isnan(m)) == (beta <= 0.1)
