"""Results that a visitor loads: what was written is read, nothing else gets in, the figure says it."""

import contextlib
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privsc_core.cli.sweeping import plan_of
from privsc_core.draw.sweep_figures import axes, choices, sweep_picture
from privsc_core.errors import InputError
from privsc_core.sweep import sheet as sheets
from privsc_core.sweep import sweep
from privsc_core.sweep.sheet import read_sheet

PLAN = """
[[sweep]]
learner = ["erm", "exponential"]
m = "50:500:4"
d = [0, 4, 16]
[[sweep]]
ask = "need"
concept = ["point", "interval"]
learner = ["erm", "exponential"]
d = "4:16:4"
[[sweep]]
ask = "learn"
learner = "exponential"
d = 8
m = [50, 400]
repeat = 20
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("sheet") / "results.parquet"
    sweep(plan_of(PLAN), path)
    return path


@pytest.fixture(scope="module")
def frame(path):
    return pd.read_parquet(path)


def parquet(frame):
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def as_csv(frame):
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize("form", ["written", "by pandas", "csv"])
def test_what_was_written_is_read(path, frame, form):
    data = {"written": path.read_bytes, "by pandas": lambda: parquet(frame),
            "csv": lambda: as_csv(frame)}[form]()  # fmt: skip
    found = read_sheet(data)
    assert (found.rows, found.asks()) == (len(frame), ("success", "need", "learn"))
    for name, values in found.numbers.items():
        np.testing.assert_array_equal(values, frame[name].astype(float))
    for name, codes in found.codes.items():
        words = [found.names[name][code] for code in codes]
        assert words == frame[name].fillna("").tolist()


def bad(frame, **columns):
    return frame.assign(**columns)


HOSTILE = ["<img src=x onerror=alert(1)>", "x" * 81, "a\nb", "é", "&lt;", "$x$", "*a*", "[a](b)"]


@pytest.mark.parametrize("write", [parquet, as_csv])
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_names(frame, write, name):
    words = frame.learner.where(frame.index != 5, name)
    with pytest.raises(InputError, match="learner must have names of at most 80 letters"):
        read_sheet(write(bad(frame, learner=words)))


@pytest.mark.parametrize("write", [parquet, as_csv])
@pytest.mark.parametrize(("change", "says"), [
    (lambda f: f.drop(columns="value"), "must have one column named value; got 0"),
    (lambda f: f[:0], "must have 1 to 100,000 rows; got 0"),
    (lambda f: bad(f, ask="guess"), "ask must be one of success"),
    (lambda f: bad(f, value="many"), "must"),
    (lambda f: bad(f, learner=[f"x{k}" for k in range(len(f))]), "must have at most 9 different"),
    (lambda f: pd.concat([f] * 3), "200 rows; got"),
    (lambda f: bad(f, **{f"c{k}": 1 for k in range(60)}), "must have at most 64 columns"),
])  # fmt: skip
def test_other_tables_are_refused(frame, write, change, says, monkeypatch):
    monkeypatch.setattr(sheets, "_NAMES_MOST", 9)
    if "200" in says:
        monkeypatch.setattr(sheets, "ROWS_MOST", 200)
    with pytest.raises(InputError) as refused:
        read_sheet(write(change(frame)))
    assert says in str(refused.value)


@pytest.mark.parametrize("data", [
    b"", b"PAR1", b"PAR1" + b"\x00" * 100 + b"PAR1", b"\xff\xfe", b'ask\n"x', b"\x00", b"ask,concept,value\n1,2",
    b"x" * (sheets.BYTES_MOST + 1),
])  # fmt: skip
def test_other_bytes_are_refused(data):
    with pytest.raises(InputError, match=r" must .*; got "):
        read_sheet(data)


def test_bytes_turned_over_in_a_file_never_do_more_than_refuse(path):
    data, rng = path.read_bytes(), np.random.default_rng(1)
    for place in rng.integers(4, len(data), size=150).tolist():
        torn = bytearray(data)
        torn[place] ^= 1 << int(rng.integers(8))
        with contextlib.suppress(InputError):
            read_sheet(bytes(torn))


def test_a_small_file_does_not_unpack_into_a_large_one(monkeypatch):
    once = pa.DictionaryArray.from_arrays(np.zeros(90_000, dtype=np.int32), ["a" * 2**20])
    table = pa.table({"ask": ["need"] * 90_000, "concept": once, "value": np.ones(90_000)})
    out = io.BytesIO()
    pq.write_table(table, out)
    assert len(out.getvalue()) < sheets.BYTES_MOST
    with pytest.raises(InputError, match="concept must have names"):
        read_sheet(out.getvalue())
    monkeypatch.setattr(sheets, "_UNPACKED_MOST", 1000)
    with pytest.raises(InputError, match="when it is unpacked"):
        read_sheet(out.getvalue())


# --- the figure --------------------------------------------------------------------------------


def test_the_figure_has_the_numbers_of_the_file(path, frame):
    sheet = read_sheet(path.read_bytes())
    assert axes(sheet, "success") == ("m", "d")
    assert choices(sheet, "success", "m") == {"d": (0.0, 4.0, 16.0)}
    shown = sweep_picture(sheet, "success", "m", {"d": 16.0})
    for trace, learner in zip(shown.figure["data"], ("erm", "exponential"), strict=True):
        rows = frame[(frame.ask == "success") & (frame.learner == learner) & (frame.d == 16)]
        assert trace["name"] == learner
        assert trace["mode"] == "lines+markers"
        np.testing.assert_array_equal(trace["x"], rows.m)
        np.testing.assert_array_equal(trace["y"], rows.value)
    with pytest.raises(InputError, match="m must be one at which rows have an answer"):
        sweep_picture(sheet, "success", "m", {"d": 0.0})


def test_lines_are_named_by_what_they_differ_in(path):
    sheet = read_sheet(path.read_bytes())
    shown = sweep_picture(sheet, "need", "d", {})
    names = [trace["name"] for trace in shown.figure["data"]]
    assert (
        names == ["point, erm", "point, exponential", "interval, erm", "interval, exponential"]
        or len(names) == 4
    )
    assert shown.figure["layout"]["yaxis"]["type"] == "log"


def test_runs_are_their_mean_and_said_to_be_simulated(path, frame):
    shown = sweep_picture(read_sheet(path.read_bytes()), "learn", "m", {})
    (trace,) = shown.figure["data"]
    runs = frame[frame.ask == "learn"].groupby("m").value.mean()
    np.testing.assert_allclose(trace["y"], runs)
    assert trace["name"] == "exponential ≈"
    assert trace["line"]["dash"] == "dot"
    assert "simulated" in shown.caption


def test_settings_that_differ_elsewhere_are_points(path):
    shown = sweep_picture(read_sheet(path.read_bytes()), "success", "m", {})
    assert {trace["mode"] for trace in shown.figure["data"]} == {"markers"}
    assert "points, not lines" in shown.caption
    assert "8 without a finite answer" in shown.caption
