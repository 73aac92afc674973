#!/usr/bin/env bash
# scipy 1.17.1 (numpy 2.4.6)
#
# Behaviour: `scipy.stats.poisson_binom`, the number of successes in trials of different probabilities,
# gives its probabilities for any number of trials. From 62 trials on its quantiles do not exist: ppf, isf,
# median, interval, expect and entropy raise "Cannot construct a ufunc with more than 64 operands". They hand
# each probability to numpy.vectorize as an argument of its own, and numpy allows 64 arguments in all.
#
# Expected: a median for 62 trials as for 61, since cdf, sf, mean and rvs work for 400.
#
# Seen:
#   61 trials: cdf 0.5, median 30.0
#   62 trials: cdf 0.550462, median: ValueError
#   400 trials: cdf 0.519935, median: ValueError
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "scipy==1.17.1" "numpy==2.4.6"
"$folder/venv/bin/python" - <<'PY'
from scipy.stats import poisson_binom


def told(trials):
    law = poisson_binom([0.5] * trials)
    try:
        median = str(law.median())
    except ValueError as error:
        assert "more than 64 operands" in str(error), error
        median = "ValueError"
    print(f"{trials} trials: cdf {law.cdf(trials // 2):.6g}, median: {median}")
    return median


assert [told(trials) for trials in (61, 62, 400)] == ["30.0", "ValueError", "ValueError"]
PY
