"""One run of the learner of rectangles: the picture is the run."""

import numpy as np
import pytest

from privsc_core.errors import InputError
from privsc_core.exhibits.rectangle.run import STEPS, follow, run_picture


def test_a_run_chooses_a_rectangle_of_its_grid():
    for seed in range(1, 6):
        found = follow(16, 0.5, seed)
        left, right, bottom, top = found.box
        for sides, cuts in (((left, right), found.cuts[0]), ((bottom, top), found.cuts[1])):
            assert {*sides} <= {0.0, 1.0, *cuts.tolist()}
        # The error is the area of the difference to the target, here by points at random.
        at = np.random.default_rng(seed).random((40_000, 2))
        inside = (at[:, 0] > left) & (at[:, 0] < right) & (at[:, 1] > bottom) & (at[:, 1] < top)
        target = ((at > 0.25) & (at < 0.75)).all(axis=1)
        assert (inside != target).mean() == pytest.approx(found.error, abs=0.012)
        assert (
            found.labels.tolist()
            == ((found.labelled > 0.25 - 1e-4) & (found.labelled < 0.75)).all(axis=1).tolist()
        )


def test_most_runs_are_accurate():
    # recipe: the notes say .928 at m = 300, u = 8000
    good = [follow(16, 0.5, seed).error <= 0.1 for seed in range(1, 21)]
    assert sum(good) >= 14


def test_every_step_adds_to_the_picture():
    sizes = [len(run_picture(8, 1.0, 0.1, 2, step).figure["data"]) for step in STEPS]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == len(STEPS)
    assert "Chosen" not in run_picture(8, 1.0, 0.1, 2, "labels").caption
    # With hardly any privacy loss nothing is found, and the picture says so.
    assert "not accurate" in run_picture(8, 1e-6, 0.1, 2, "choice").caption
    with pytest.raises(InputError, match="d must be from 3 to 31 for a run of rectangles; got 40"):
        follow(40, 0.5, 1)


def test_of_a_larger_board_the_largest_that_can_be_followed_is_drawn_and_said():
    large, most = (run_picture(d, 0.5, 0.1, 3, "choice") for d in (10**6, 31))
    assert large.table == most.table
    assert large.caption.startswith(
        "d = 31 (a run is drawn up to there; the plane has 1,000,000), ε = 0.5"
    )
    assert most.caption.startswith("d = 31, ε = 0.5")
