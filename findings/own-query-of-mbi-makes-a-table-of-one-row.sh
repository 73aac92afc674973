#!/usr/bin/env bash
# mbi 2.0.0 (jax 0.10.2, numpy 2.4.6)
#
# Behaviour: a noisy marginal is handed to the estimator as `LinearMeasurement`, with a `query` that says which
# linear function of the marginal was measured. With the default query the number of people is taken from
# the measured counts. With a function of one's own that returns the very same counts it is taken to be 1:
# the model fits counts of about 167 by a table of total 1, and `synthetic_data()` returns one row. Nothing is
# said; `known_total` must be given.
#
# Expected: the same model, since measurement and query are the same numbers; or a sentence that the total is
# unknown.
#
# Seen:
#   default query: total 1000, 1000 synthetic rows
#   own query:     total 1, 1 synthetic rows
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mbi==2.0.0" "jax==0.10.2" "numpy==2.4.6"
"$folder/venv/bin/python" - <<'PY'
import warnings

import numpy as np

with warnings.catch_warnings():  # of the import: float32, and a cache
    warnings.simplefilter("ignore")
    from mbi import Dataset, Domain, LinearMeasurement, estimation

domain = Domain(("a", "b"), (2, 3))
rng = np.random.default_rng(0)
data = Dataset({"a": rng.integers(0, 2, 1000), "b": rng.integers(0, 3, 1000)}, domain)
counts = data.project(("a", "b")).datavector()
default = LinearMeasurement(counts, ("a", "b"), 1.0)
own = LinearMeasurement(counts, ("a", "b"), 1.0, query=lambda marginal: marginal.datavector())
found = []
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for name, measurement in (("default query", default), ("own query", own)):
        model = estimation.MirrorDescent().estimate(domain, [measurement])
        found.append((round(float(model.total)), model.synthetic_data().records))
        print(f"{name}: total {found[-1][0]}, {found[-1][1]} synthetic rows")
assert not any("total" in str(warning.message) for warning in said)
assert found == [(1000, 1000), (1, 1)]
PY
