"""A class costs its folder, its page, its module of the tests and two lines: all else finds it.

Into a copy of the tree goes a class as awkward as they come: it uses another class's distribution
and its learner has a name that exists elsewhere. What fails here has found something that knows
classes by type, by bare name or by a list of its own.
"""

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import budget

ROOT = Path(__file__).parents[2]
PLANT = Path(__file__).parent / "plant"
# The lines that CONTRIBUTING names: (file, what stands there, what stands there then).
LISTED = '        "marginals": "marginals.MARGINALS",\n'
PAGE = '            ("Data release", "pages/release.py"),\n'
LINES = (
    (
        "privsc_core/catalog.py",
        LISTED,
        f'{LISTED}        "optional-point": "optional_point.OPTIONAL_POINT",\n',
    ),
    (
        "pages/shared/frame/sitemap.py",
        PAGE,
        f'{PAGE}            ("Optional points", "pages/optional_points.py"),\n',
    ),
)


def core_suite(name):
    """Return where a suite of the core is."""
    (path,) = (ROOT / "tests/core").rglob(f"test_{name}.py")
    return path.relative_to(ROOT).as_posix()


SUITES = (
    *(core_suite(name) for name in (
        "audit", "bounds", "claims", "classes", "class_names", "distributions", "export", "idle",
        "learners", "microscope", "need", "neighbours", "palette", "recipe", "routes",
        "sandwich", "views",
    )),
    *(f"tests/referee/test_{name}.py" for name in ("lower", "upper")),
    *(f"tests/pages/test_{name}.py" for name in (
        "class_pages", "links", "microscope", "share",
    )),
)  # fmt: skip
# Each would load the page many times: the visit below does so once a view.
VISITED = "every_picture or malformed or bad_link or step_by_step or for_every_learner"
# The pages: a view of every kind, all sections open; with the microscope and privacy made visible at work.
VISIT = """
import json, re
from streamlit.testing.v1 import AppTest
from pages.optional_points import PAGE
from privsc_core.draw import VIEWS

found = {}
for view in [*VIEWS][::3]:
    app = AppTest.from_file("app.py", default_timeout=300)
    app.switch_page("pages/optional_points.py")
    app.query_params["view"] = view
    app.query_params["d"] = "16"
    app.query_params["open"] = ".".join(PAGE.parts)
    app.run()
    words = " ".join(str(block.proto.body) for block in app.get("html"))
    found[view] = [
        [error.message for error in app.exception], "could not be computed" in words,
        re.findall(r'role="alert">([^<]*)', words), "Audit: all" in words, "1. The " in words,
    ]
home = AppTest.from_file("app.py", default_timeout=300).run()
found["home"] = [PAGE.heading in [block.value for block in home.caption]]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a copy of the product and its tests with the class in it."""
    here = tmp_path_factory.mktemp("fifth")
    for name in ("privsc_core", "pages", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, here / name)  # with what is compiled: times are kept
    for name in ("app.py", "pyproject.toml"):
        shutil.copy2(ROOT / name, here / name)
    (here / "assets").symlink_to(ROOT / "assets")
    for file in sorted(PLANT.rglob("*.py")):
        place = here / file.relative_to(PLANT)
        assert not place.exists()
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
    for name, before, after in LINES:
        text = (here / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, (name, before)
        (here / name).write_text(text.replace(before, after), encoding="utf-8")
    return here


def run(tree, *command):
    """Run a command of Python there; return what it printed."""
    done = subprocess.run(
        [sys.executable, *command], cwd=tree, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(tree)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def privsc(tree, *commands):
    """Return the records that each command prints."""
    code = "import sys; from privsc_core.cli import main; [main(c.split()) for c in sys.argv[1:]]"
    printed, found = run(tree, "-c", code, *(f"{command} --json" for command in commands)), []
    while printed.strip():
        records, end = json.JSONDecoder().raw_decode(printed.lstrip())
        found.append(records)
        printed = printed.lstrip()[end:]
    assert len(found) == len(commands), printed
    return found


def test_it_costs_two_lines_outside_its_own_files(tree):
    changed = 0
    for name in {name for name, _, _ in LINES}:
        texts = [(where / name).read_text(encoding="utf-8").splitlines() for where in (ROOT, tree)]
        changed += sum(line.startswith("+ ") for line in difflib.ndiff(*texts))
    assert changed == 2
    own = {file.relative_to(PLANT).parts[:2] for file in PLANT.rglob("*.py")}
    assert {part[0] for part in own} == {"privsc_core", "pages", "tests"}


@pytest.mark.whole
def test_the_contract_suites_take_it_in(tree):
    done = run(
        tree, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-k",
        f"(optional-point or optional_point) and not ({VISITED})", *SUITES,
    )  # fmt: skip
    made = re.search(r"statistical comparisons: (\d+) of", done)
    # They count towards the budget of this run.
    budget._spend("a fifth class", int(made[1]))
    assert int(re.search(r"(\d+) passed", done)[1]) > 100
    assert "skipped" not in done


def test_without_a_second_writing_one_test_says_what_is_missing(tree):
    file = tree / "tests" / "classes" / "optional_point.py"
    hidden = file.rename(file.with_suffix(".hidden"))
    try:
        with pytest.raises(AssertionError, match=r"write tests/classes/optional_point\.py"):
            run(tree, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider",
                "tests/core/concepts/contracts/test_classes.py", "-k", "optional-point")  # fmt: skip
    finally:
        hidden.rename(file)


def test_the_command_line_speaks_of_it(tree):
    at = "--concept optional-point -d 16"
    (tree / "examples.csv").write_text("x,y\n" + "9,1\n" * 400, encoding="utf-8")
    listed, (need,), (bound,), (audit,), (learnt,) = privsc(
        tree, "list", f"need {at}", f"bound {at}", "audit --concept optional-point",
        f"learn examples.csv {at} --epsilon 1 --simulate",
    )  # fmt: skip
    names = {(r["type"], r["name"]) for r in listed if r["concept"] == "optional-point"}
    assert names == {
        ("concept", "optional-point"), ("learner", "hash"), ("bound", "finite-class"),
        ("distribution", "single"),
    }  # fmt: skip
    assert need["distribution"] == "single"
    assert bound["m"] >= need["m"]
    assert audit["private"]
    assert learnt["point"] == "9"
    (both,) = privsc(tree, f"success {at} -m {need['m']},{need['m'] - 1}")
    assert both[0]["value"] >= 0.9 > both[1]["value"]


@pytest.mark.whole
def test_its_page_is_drawn_in_a_view_of_every_kind_with_everything_open(tree):
    found = json.loads(run(tree, "-c", VISIT).splitlines()[-1])
    assert found.pop("home") == [True]
    assert len(found) == 3
    for view, (errors, broken, refused, audited, steps) in found.items():
        assert (errors, broken, refused) == ([], False, []), view
        assert audited, view
        assert steps, view


def test_the_layers_hold_with_it(tree):
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    assert "0 broken" in run(tree, "-c", code)
