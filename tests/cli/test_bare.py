"""The wheel as `pip install privsc` leaves it: beside numpy and scipy alone."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
ASKED = """
import contextlib, io, json, sys
import privsc_core as pv
from privsc_core import draw
from privsc_core.cli import main
from privsc_core.errors import InputError

def ask(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words.split())
    return status, out.getvalue(), err.getvalue()

found = {words: ask(words) for words in sys.argv[1:]}
try:
    draw.plotly_figure(draw.picture(pv.Scenario("point", ("erm",))))
except InputError as error:
    found["plotly_figure"] = 2, "", str(error)
print(json.dumps(found))
"""
ANSWERS = (
    "list --json", "need --concept halfspace -d 3 --json", "success --concept line --learner erm -m 300 -d 8",
    "bound --concept interval -d 8", "audit --learner exponential --json", "reach -m 2000 -d 16",
    "dimensions --ready points-4", "figure --json", "figure --view map-m-d --csv",
    "learn examples.csv -d 8 --simulate --seed 1",
)  # fmt: skip
REFUSALS = {
    "serve": "streamlit must be installed: pip install 'privsc[app]'",
    "certify --learner erm -d 8": "python-flint must be installed: pip install 'privsc[certify]'",
    "learn examples.csv -d 8 --learner exponential": "opendp must be installed: pip install 'privsc[release]'",
    "sweep plan.toml -o r.csv": "loky must be installed: pip install 'privsc[sweep]'",
    "sweep plan.toml -o r.csv --scheduler tcp://x": "distributed must be installed: pip install 'privsc[cluster]'",
}  # fmt: skip


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a folder with an environment that has the wheel, numpy and scipy."""
    here = tmp_path_factory.mktemp("bare")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(here), versions=["standard"])
    zipfile.ZipFile(wheel).extractall(here / "site")
    for package in (np, scipy):
        folder = Path(package.__file__).parent
        for part in folder.parent.glob(f"{folder.name}*"):  # with its libraries and its metadata
            (here / "site" / part.name).symlink_to(part)
    return here


@pytest.fixture(scope="module")
def found(here):
    """Return what commands answer there."""
    (here / "examples.csv").write_text("x,y\n9,1\n4,0\n")
    (here / "plan.toml").write_text("[[sweep]]\n")
    # Without -S Python adds the packages of this environment.
    done = subprocess.run(
        [sys.executable, "-S", "-c", ASKED, *ANSWERS, *REFUSALS], cwd=here, capture_output=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(here / "site")}, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_wheel_has_every_document(here):
    own = [
        path.relative_to(ROOT)
        for path in (ROOT / "privsc_core").rglob("*.*")
        if path.suffix in {".bib", ".toml"}
    ]
    assert len(own) > 10
    assert all((here / "site" / path).exists() for path in (*own, "privsc_core/py.typed"))


def test_it_answers(found):
    for words in ANSWERS:
        status, out, err = found[words]
        assert (status, err) == (0, ""), words
        assert len(out) > 100, words
    (one,) = json.loads(found["audit --learner exponential --json"][1])
    assert one["private"]


def test_what_needs_an_extra_says_which(found):
    for words, said in REFUSALS.items():
        status, out, err = found[words]
        assert (status, out, err) == (2, "", f"privsc: error: {said}; got no such module.\n"), words
    assert "plotly must be installed: pip install 'privsc[figure]'" in found["plotly_figure"][2]
