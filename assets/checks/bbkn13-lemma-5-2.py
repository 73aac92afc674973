"""BBKN13, Lemma 5.2: an upper bound below the stated lower bound, as beta falls."""

from itertools import pairwise

import privsc_core as pv

epsilon = 1.0
betas = [1e-2, 1e-4, 1e-8, 1e-12]
shares = []
for beta in betas:
    enough = pv.bound(
        concept="interval", bound="finite-class", d=8, epsilon=epsilon, alpha=0.1, beta=beta
    ).m.item()
    stated = (8 + 1 / beta) / epsilon
    shares.append(enough / stated)
    print(f"beta {beta}: {enough:.0f} samples suffice, (d + 1/beta) / epsilon is {stated:.3g}")
# No constant in front of the stated bound can be right.
assert all(later < earlier / 10 for earlier, later in pairwise(shares))
assert shares[-1] < 1e-8
