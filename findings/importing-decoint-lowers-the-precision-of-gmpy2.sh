#!/usr/bin/env bash
# decoint 1.0.1 (gmpy2 2.3.2)
#
# Behaviour: importing the interval library decoint sets the gmpy2 context of the whole process to 53 bits and
# to the exponents of doubles, and does not set it back. A program that had asked gmpy2 for 200 bits goes on with
# 53, and 10^400 becomes infinite. The order of two imports decides how many digits an unrelated part has.
#
# Expected: a library that needs a context of its own uses a local one, and leaves the program's alone.
#
# Seen:
#   before: 200 bits, 1/3 has 62 digits, 10^400 is finite
#   after:  53 bits, 1/3 has 17 digits, 10^400 is infinite
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "decoint==1.0.1" "gmpy2==2.3.2"
"$folder/venv/bin/python" - <<'PY'
import gmpy2


def told(when):
    bits = gmpy2.get_context().precision
    digits = len(str(gmpy2.mpfr(1) / 3).split(".")[1])
    large = gmpy2.is_infinite(gmpy2.mpfr(10) ** 400)
    print(f"{when}: {bits} bits, 1/3 has {digits} digits, 10^400 is {'infinite' if large else 'finite'}")
    return bits, large


gmpy2.get_context().precision = 200
assert told("before") == (200, False)
import decoint  # noqa: E402, F401

assert told("after") == (53, True)
PY
