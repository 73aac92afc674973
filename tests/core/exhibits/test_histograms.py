"""The released histogram against direct computation, and what delta buys."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privsc_core.concepts.release.learners import Laplace, Stability
from privsc_core.draw import plotly_figure
from privsc_core.draw.picture import plain_text
from privsc_core.errors import InputError
from privsc_core.exhibits.release import (
    MECHANISMS,
    Histogram,
    compared,
    delta_curves,
    histogram_figure,
    released_histogram,
    zipf,
)

SETTING = {"epsilon": 0.5, "alpha": 0.1, "delta": 1e-6}
EACH = pytest.mark.parametrize("mechanism", MECHANISMS)
UNEVEN = Histogram("letter", tuple("abcde"), (90, 60, 0, 30, 20))


def run(data, mechanism, seed=1, **setting):
    return released_histogram(data, mechanism, seed=seed, **{**SETTING, **setting})


@EACH
@pytest.mark.parametrize("seed", range(1, 9))
def test_values_worst_query_and_usefulness_agree_with_direct_computation(mechanism, seed):
    # alpha m = 8 of 200 entries: noise of scale 4 makes useful and useless releases alike.
    found = run(UNEVEN, mechanism, seed, alpha=0.04)
    truth = np.zeros(len(found.points))
    truth[:5] = [0.45, 0.3, 0.0, 0.15, 0.1]
    assert found.truth.tolist() == truth.tolist()
    assert found.points[:5] == (1, 2, 3, 4, 5)
    gaps = np.abs(found.released.fractions - truth)
    assert found.released.error == pytest.approx(gaps.max(), abs=1e-12)
    assert gaps[found.released.worst] == pytest.approx(gaps.max(), abs=1e-12)
    assert found.released.useful == bool((gaps < 0.04).all())


def test_some_runs_are_useful_and_some_are_not():
    verdicts = {run(UNEVEN, "laplace", seed, alpha=0.04).released.useful for seed in range(1, 20)}
    assert verdicts == {True, False}


def test_the_verdict_is_the_one_of_the_threshold():
    # No noise can be seen at this epsilon: 21 of 1,000 entries are below alpha m and released as
    # 0, off by less than alpha; with delta the threshold is about 1 and nothing is lost.
    data = Histogram("v", ("a", "b"), (979, 21))
    for mechanism, released in (("laplace", 0.0), ("geometric", 0.0), ("stability", 0.021)):
        found = run(data, mechanism, epsilon=1000.0)
        assert found.released.fractions.tolist() == pytest.approx([0.979, released], abs=1e-3)
        assert found.released.useful


@EACH
def test_the_run_is_the_one_of_the_mechanism_and_repeats(mechanism):
    first, second, other = (run(zipf(16, 400), mechanism, seed) for seed in (3, 3, 4))
    assert first.released.fractions.tolist() == second.released.fractions.tolist()
    assert first.released.fractions.tolist() != other.released.fractions.tolist()
    entry = MECHANISMS[mechanism]
    if mechanism == "stability":
        assert first.threshold == pytest.approx(1 + 4 * math.log(0.5e6))
        assert first.delta == SETTING["delta"]
    else:
        assert first.threshold == entry.threshold(400, epsilon=0.5, alpha=0.1)
        assert first.delta == 0.0


@EACH
def test_the_synthetic_database_has_whole_entries_and_its_own_error(mechanism):
    found = run(zipf(20, 400), mechanism)
    counts = found.synthetic.fractions * 400
    assert np.allclose(counts, np.round(counts))
    assert round(counts.sum()) + found.elsewhere == 400
    assert found.synthetic.error >= np.abs(found.synthetic.fractions - found.truth).max() - 1e-12
    assert found.synthetic.useful == (found.synthetic.error < 0.1)


def test_released_points_that_stand_for_no_value_are_shown():
    # Three unused points of eight, and noise far above alpha m.
    shown = [run(UNEVEN, "laplace", seed, epsilon=0.01) for seed in range(1, 10)]
    unused = [found for found in shown if len(found.points) > 5]
    assert unused
    assert all(label.startswith("unused ") for found in unused for label in found.labels[5:])
    # With delta an empty point is never released.
    assert all(
        len(run(UNEVEN, "stability", seed, epsilon=0.01).points) == 5 for seed in range(1, 10)
    )


def test_zipf_is_the_nearest_whole_database():
    data = zipf(32, 500)
    assert data.size == 500
    assert data.d == 5
    harmonic = sum(Fraction(1, j) for j in range(1, 33))
    for j, count in enumerate(data.counts, start=1):
        assert abs(count - 500 / (harmonic * j)) < 1


@pytest.mark.parametrize(
    ("values", "d"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (32, 5), (33, 6), (64, 6)]
)
def test_every_value_has_a_point_and_one_bit_less_is_too_few(values, d):
    assert Histogram("v", ("x",) * values, (1,) * values).d == d


def test_what_is_no_histogram_is_refused():
    with pytest.raises(InputError, match="must be at most 64 to be drawn"):
        Histogram("v", ("x",) * 65, (1,) * 65)
    for labels, counts in ((("a",), (1, 2)), (("a", "b"), (0, 0)), (("a", "b"), (2, -1)), ((), ())):
        with pytest.raises(InputError, match="counts must be"):
            Histogram("v", labels, counts)
    with pytest.raises(InputError, match="mechanism must be one of laplace"):
        run(UNEVEN, "blr")
    with pytest.raises(InputError, match="delta must be"):
        run(UNEVEN, "stability", delta=0.7)


@EACH
@pytest.mark.parametrize("data", [UNEVEN, zipf(1, 3), zipf(32, 500), zipf(64, 10_000)])
def test_the_picture_is_a_valid_figure(mechanism, data):
    picture = histogram_figure(run(data, mechanism))
    plotly_figure(picture)
    assert len({len(column) for column in picture.table.values()}) == 1
    assert ("Not useful" in picture.title) != run(data, mechanism).released.useful


def test_numbers_may_be_left_out_of_a_crowded_axis_and_names_may_not():
    numbers = histogram_figure(run(zipf(32, 500), "laplace")).figure["layout"]["xaxis"]
    assert numbers["ticktext"][:3] == ["1", "3", "5"]
    names = Histogram("v", tuple(f"n{i}" for i in range(32)), (9,) * 32)
    assert (
        len(histogram_figure(run(names, "stability")).figure["layout"]["xaxis"]["ticktext"]) >= 32
    )


def test_words_of_others_carry_no_markup_into_a_figure():
    labels = ("<b>x</b>", "<a href='javascript:alert(1)'>y</a>", "&lt;i&gt;", "%{x}", "$a$", "\n")
    data = Histogram("<i>name</i>", labels, (5, 4, 3, 2, 1, 1))
    figure = histogram_figure(run(data, "laplace")).figure
    texts = str([figure["layout"], [trace.get("hovertext") for trace in figure["data"]]])
    assert not set("<>") & set(texts.replace("&\u200b", "").replace("&\\u200b", ""))
    assert "&" not in texts.replace("&\u200b", "").replace("&\\u200b", "")
    assert plain_text("x" * 100, 10) == "x" * 9 + "…"
    assert plain_text("\u202eabc\n") == "abc"
    assert plain_text(" ") == "(blank)"


# --- What delta buys ----------------------------------------------------------------------------


def test_the_curves_are_the_least_m_of_the_laws():
    """Both closed forms for m equal entries, written down again and searched from below."""
    exact, approximate = (one["y"] for one in delta_curves(0.5, 0.1, 0.1, 1e-6, (1, 4, 16)))

    def pure(m, d):
        tail = 0.5 * math.exp(-0.25 * 0.1 * m)
        return (1 - tail) ** (2**d - 1) * (1 - 2 * tail)

    def slack(m):
        threshold = 1 + 4 * math.log(0.5e6)
        up = 0.25 * 0.1 * m
        lost = 0.25 * (threshold - m)
        low = max(-up, lost)
        below = 0.5 * math.exp(low) if low < 0 else 1 - 0.5 * math.exp(-low)
        return 1 - 0.5 * math.exp(-up) - below

    for d, m in zip((1, 4, 16), exact.tolist(), strict=True):
        assert m == next(k for k in range(1, 10_000) if pure(k, d) >= 0.9)
    assert set(approximate) == {next(k for k in range(1, 10_000) if slack(k) >= 0.9)}


def test_pure_grows_with_d_and_delta_does_not():
    pure, slack = (one["y"] for one in delta_curves(0.5, 0.1, 0.1, 1e-6))
    assert (np.diff(pure) > 0).all()
    assert len(set(slack)) == 1
    # A smaller delta costs entries.
    few, many = (delta_curves(0.1, 0.3, 0.1, delta)[1]["y"][0] for delta in (1e-3, 1e-12))
    assert many > few


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 0.1])
def test_the_picture_of_delta_is_a_valid_figure(epsilon, delta):
    picture = compared(epsilon, 0.1, 0.1, delta)
    plotly_figure(picture)
    assert len(picture.table["d"]) == len(picture.table["laplace"])


def test_delta_without_an_advantage_is_said():
    picture = compared(10.0, 0.49, 0.1, 1e-12, (1, 2))
    assert picture.table["stability"] >= picture.table["laplace"]
    assert "no fewer" in picture.title


def test_the_mechanisms_are_those_of_the_class():
    assert isinstance(MECHANISMS["laplace"], Laplace)
    assert isinstance(MECHANISMS["stability"], Stability)
