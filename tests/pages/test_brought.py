"""What `privsc serve --with` brings stands on the page of its class, beside the others."""

import re

import pytest

from pages.shared.exhibits import microscope, neighbours
from pages.shared.scheduling import scheduler
from privsc_core import catalog
from tests.pages.app import html, run
from tests.pages.declared import FILES

FILE = """
import numpy as np
import privsc_core as pv


@pv.learner("point", title="Noisy max", proper=True)
def noisy_max(x, y, *, d, epsilon, rng):
    ones, zeros = (np.bincount(x[y == label] - 1, minlength=2**d) for label in (1, 0))
    return 1 + np.argmax(ones - zeros + rng.laplace(scale=2 / epsilon, size=2**d))
"""
LINK = {"d": "4", "m": "40", "learners": "erm,noisy-max", "trials": "250", "v": "2"}


@pytest.fixture
def brought(tmp_path, threads, monkeypatch):
    # Processes that compute began before the file was there; a server reads it first.
    monkeypatch.setattr(scheduler, "SCHEDULER", threads())
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    catalog.bring(str(path))
    fields = microscope.microscope, neighbours.neighbours  # a server draws no page before
    for kept in fields:
        kept.cache_clear()
    yield
    catalog.take_back()
    for kept in fields:
        kept.cache_clear()


def test_it_is_drawn_run_and_named_as_the_readers(brought):
    app = run(
        FILES["point"],
        open="numbers.microscope.neighbours",
        who="noisy-max",
        nwho="noisy-max",
        **LINK,
    )
    assert not app.exception
    said = html(app)
    assert "could not be computed" not in said
    assert "Noisy max (yours)" in said
    # Where its outputs are not listed, that is one sentence.
    assert any("output_distribution" in one for one in re.findall(r'role="alert">([^<]*)', said))
