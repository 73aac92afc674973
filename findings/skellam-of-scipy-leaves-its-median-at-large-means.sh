#!/usr/bin/env bash
# scipy 1.17.1 (numpy 2.4.6)
#
# Behaviour: the Skellam mechanism adds the difference of two Poisson numbers of one mean mu. With
# `scipy.stats.skellam` the probability that this noise is at most 0 is right up to mu = 1e10. From
# mu = 1e11 on it falls below one half: 0.499 there, 0.379 at 1e12, 0.336 at 1e13. The probability of 0
# itself, and cdf just below it, are nan. A RuntimeWarning of a series that did not converge is all that tells.
#
# Expected: the law is symmetric, so cdf(0) is 1/2 + P(0)/2, and P(0) = exp(-2 mu) I_0(2 mu) is what
# `scipy.special.i0e` gives at every mu. At mu = 1e12 the noise has standard deviation 1.4e6. That is no
# rare choice for counts in fixed point in secure aggregation, and a normal law would be near enough.
#
# Seen:
#   mu = 1e+10: cdf(0) = 0.500001, exact 0.500001, pmf(0) = 2.82095e-06, cdf(-1) = 0.499999
#   mu = 1e+11: cdf(0) = 0.499219, exact 0.5, pmf(0) = nan, cdf(-1) = nan
#   mu = 1e+12: cdf(0) = 0.379102, exact 0.5, pmf(0) = nan, cdf(-1) = nan
#   mu = 1e+13: cdf(0) = 0.336053, exact 0.5, pmf(0) = nan, cdf(-1) = nan
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "scipy==1.17.1" "numpy==2.4.6"
"$folder/venv/bin/python" -W ignore::RuntimeWarning - <<'PY'
import math

from scipy.special import i0e
from scipy.stats import skellam


def told(mu):
    at_most, none, below = skellam.cdf(0, mu, mu), skellam.pmf(0, mu, mu), skellam.cdf(-1, mu, mu)
    exact = 0.5 + i0e(2 * mu) / 2
    print(f"mu = {mu:g}: cdf(0) = {at_most:.6g}, exact {exact:.6g}, pmf(0) = {none:.6g}, cdf(-1) = {below:.6g}")
    return at_most - exact, math.isnan(none), math.isnan(below)


error, *lost = told(1e10)
assert abs(error) < 1e-11 and lost == [False, False]
for mu, off in ((1e11, -7.8e-4), (1e12, -0.12), (1e13, -0.16)):
    error, *lost = told(mu)
    assert abs(error - off) < 0.05 * abs(off), error
    assert lost == [True, True]
PY
