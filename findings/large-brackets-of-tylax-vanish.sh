#!/usr/bin/env bash
# tylax 0.3.8
#
# Behaviour: tylax turns formulas of LaTeX into formulas of Typst. Brackets whose size is set by \bigl and
# \bigr, or \Bigl and \Bigr, vanish: the bound e^eps (p + delta) k becomes e^eps p + delta k, which is another
# number. The conversion with diagnostics has no warning. Brackets set by \Big, or by \left and \right, stay.
#
# Expected: \bigl and \bigr are the usual form (with \Big the space around a bracket is wrong), so a converter keeps the
# bracket and drops its size, as tylax does for \Big; or it warns.
#
# Seen:
#   e^{\varepsilon}\Bigl(p+\delta\Bigr)k        -> e^(epsilon)p + delta k         0 warnings
#   e^{\varepsilon}\bigl(p+\delta\bigr)k        -> e^(epsilon)p + delta k         0 warnings
#   e^{\varepsilon}\Big(p+\delta\Big)k          -> e^(epsilon)(p + delta) k       0 warnings
#   e^{\varepsilon}\left(p+\delta\right)k       -> e^(epsilon)(p + delta) k       0 warnings
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "tylax==0.3.8"
"$folder/venv/bin/python" - <<'PY'
import tylax

for opened, closed, stays in (
    (r"\Bigl", r"\Bigr", False), (r"\bigl", r"\bigr", False), (r"\Big", r"\Big", True), (r"\left", r"\right", True),
):
    formula = rf"e^{{\varepsilon}}{opened}(p+\delta{closed})k"
    found = tylax.latex_to_typst(f"${formula}$").strip("$ ")
    warnings = tylax.latex_to_typst_diagnostics(f"${formula}$").warnings
    print(f"{formula:43} -> {found:30} {len(warnings)} warnings")
    assert ("(p + delta)" in found) is stays, found
    assert not warnings
PY
