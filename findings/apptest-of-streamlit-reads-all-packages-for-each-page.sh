#!/usr/bin/env bash
# streamlit 1.67.0 (numpy 2.4.6, pandas 3.1.1)
#
# Behaviour: every new `AppTest` looks again for components in all installed packages when it runs first: it opens
# the METADATA of each package, several times, also for a page of one line, and also where the same process has
# just done so for the same page. Further runs of one `AppTest` open none.
#
# Expected: what is installed does not change within a process, so it is read once, as a server does.
#
# Seen, in an environment with nothing but streamlit and what it needs:
#   AppTest 1, first run: 153 openings of 36 of 36 packages
#   AppTest 1, second run: 0 openings of 0 of 36 packages
#   AppTest 2, first run: 153 openings of 36 of 36 packages (and so on)
# In an environment with 126 packages this was half of the time of a test of a real page (0.26 of 0.5 s).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  "streamlit==1.67.0" "numpy==2.4.6" "pandas==3.1.1"
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import logging
import sys
from importlib.metadata import distributions

from streamlit.testing.v1 import AppTest

logging.disable(logging.CRITICAL)
opened = []


def heard(event, arguments):
    if event == "open" and str(arguments[0]).endswith("METADATA"):
        opened.append(str(arguments[0]))


sys.addaudithook(heard)
PAGE = "import streamlit as st\nst.write('one line')"
packages = len(list(distributions()))
counts = []
for _ in range(3):
    app = AppTest.from_string(PAGE)
    for run in ("first run", "second run"):
        opened.clear()
        app.run()
        counts.append((run, len(opened), len(set(opened))))
for number, (run, times, files) in enumerate(counts):
    print(f"AppTest {number // 2 + 1}, {run}: {times} openings of {files} of {packages} packages")
first, second = counts[::2], counts[1::2]
assert all(files == packages and times > 2 * packages for _, times, files in first), counts
assert all(times == 0 for _, times, _ in second), counts
PY
