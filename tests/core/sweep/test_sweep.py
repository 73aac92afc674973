"""Sweeps: every row beside the single call, the same bytes however they are made, and refusals."""

import contextlib
import errno
import io
import json
import os
import signal
import sys
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli.sweeping import plan_of
from privsc_core.concepts.contracts.style import HUES
from privsc_core.draw.sweep_figures import axes, choices, sweep_picture
from privsc_core.errors import InputError
from privsc_core.sweep import Plan, cluster, sweep
from privsc_core.sweep import run as running
from privsc_core.sweep import sheet as sheets
from privsc_core.sweep.files import table
from privsc_core.sweep.rows import COLUMNS, answers, row_seed
from privsc_core.sweep.sheet import read_sheet
from tests import dask

MIXED = """
seed = 7
[[sweep]]
learner = ["exponential", "hash", "erm", "noise"]
distribution = ["hard", "bystanders"]
m = "50:500:4"
d = [4, 16]
alpha = [0.1, 0.2]
trials = 100
[[sweep]]
ask = "need"
concept = ["point", "interval"]
d = "4,8"
learner = ["erm", "exponential"]
[[sweep]]
ask = "bound"
how = "list"
d = [4, 8, 16]
epsilon = [0.5, 1, 2]
[[sweep]]
ask = "learn"
learner = "exponential"
d = 8
m = [50, 300]
repeat = 5
[[sweep]]
ask = "audit"
learner = ["erm", "exponential", "seen"]
[[sweep]]
how = "random"
count = 60
learner = ["exponential", "erm"]
m = "10:1000:log"
d = "2:9"
epsilon = "0.1:2:log"
alpha = [0.1, 0.2]
"""
SETTING = ["m", "d", "epsilon", "alpha", "beta", "delta"]


@pytest.fixture(scope="module")
def plan():
    return plan_of(MIXED)


@pytest.fixture(scope="module")
def results(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "results.parquet"
    sweep(plan, path)
    return path


@pytest.fixture(scope="module")
def rows(results):
    return pd.read_parquet(results)


def given(row, *names):
    return {name: row[name] for name in (*names, *SETTING) if pd.notna(row[name])}


def test_every_row_is_there_in_order(plan, rows):
    assert list(rows.columns) == list(COLUMNS)
    assert rows.row.tolist() == list(range(plan.rows)) == list(range(len(rows)))
    assert rows.reason.isna().equals(rows.value.notna())
    first = rows[:4]
    assert first.m.tolist() == [50, 200, 350, 500]
    assert first[["d", "alpha", "learner"]].drop_duplicates().to_numpy().tolist() == [
        [4, 0.1, "exponential"]
    ]


def test_success_is_that_of_single_calls(rows):
    asked = rows[rows.ask == "success"].iloc[::7]
    for _, row in asked.iterrows():
        coins = {} if pd.isna(row.seed) else {"trials": int(row.trials), "seed": int(row.seed)}
        found = pv.success(**given(row, "concept", "learner", "distribution"), **coins)
        assert row.method == found.method
        assert (row.method == "exact") == (not coins)
        for name in ("value", "low", "high"):
            assert row[name] == pytest.approx(getattr(found, name).item(), abs=1e-12)
        if found.failure is not None:
            assert row.failure == pytest.approx(found.failure.item(), rel=1e-9)
    assert set(asked.method) == {"exact", "rao-blackwell"}


@pytest.mark.parametrize(("ask", "names"), [
    ("need", ("concept", "learner", "distribution")), ("bound", ("concept", "bound")),
])  # fmt: skip
def test_least_m_is_that_of_single_calls(rows, ask, names):
    asked = rows[rows.ask == ask]
    for _, row in asked.iterrows():
        found = getattr(pv, ask)(**given(row, *names))
        assert [row.value, row.m_from] == pytest.approx(
            [found.m.item(), found.m_from.item()], nan_ok=True
        )
        assert (row.reason if pd.notna(row.reason) else "") == found.reason.item()
    assert asked.value.notna().sum() > 7


def test_audits_and_runs(rows):
    for _, row in rows[rows.ask == "audit"].iterrows():
        found = pv.audit(concept="point", learner=row.learner, seed=int(row.seed))
        assert (row.value, row.private) == (found.worst, found.private)
        assert pd.isna(row.least_delta) or row.least_delta == found.least_delta
    runs = rows[rows.ask == "learn"]
    assert set(runs.value) <= {0.0, 1.0}
    assert (runs.value == runs.hypothesis.str.startswith("c_256:")).all()
    assert runs[runs.m == 50].value.mean() < runs[runs.m == 300].value.mean() == 1.0


def test_random_settings_are_where_they_may_be_and_follow_from_the_plan_alone(plan, rows):
    drawn = rows[-60:]
    for name, low, high in (("m", 10, 1000), ("d", 2, 9), ("epsilon", 0.1, 2)):
        assert drawn[name].between(low, high).all()
        assert drawn[name].nunique() > 6
    assert set(drawn.alpha) == {0.1, 0.2}
    assert set(drawn.learner) == {"exponential", "erm"}
    assert (drawn.m < 100).mean() == pytest.approx(0.5, abs=0.25)  # by the logarithm
    # However the rows are cut.
    block, first = plan.blocks[-1], plan.rows - 60
    halves = [block.cut(a, b, first, plan.seed).given for a, b in ((0, 13), (13, 60))]
    for name in SETTING:
        np.testing.assert_array_equal(np.concatenate([h[name] for h in halves]), drawn[name])


def test_each_row_has_coins_of_its_own_unless_the_block_says_otherwise(rows):
    assert rows.seed.dropna().nunique() == rows.seed.notna().sum()
    last = rows[rows.seed.notna()].iloc[-1]
    assert last.seed == row_seed(7, int(last.row)) <= 2**53
    text = '[[sweep]]\nlearner="hash"\ndistribution="bystanders"\nm=[50,60,70]\nseed=5\ntrials=100'
    found = answers(plan_of(text).cuts()[0].part())
    assert set(found["seed"]) == {5}


def test_a_bad_setting_is_a_row_with_its_sentence():
    text = '[[sweep]]\nlearner="exponential"\nm=[0,50,100]\nd=[4,0,8]\nepsilon=[0.5,-1]'
    cut = plan_of(text).cuts()
    found = pd.concat(pd.DataFrame(answers(one.part())) for one in cut)
    bad = (found.m < 1) | (found.d < 1) | (found.epsilon < 0)
    assert found.reason.notna().equals(bad)
    assert found.value.isna().equals(bad)
    for _, row in found.iterrows():
        call = {"concept": "point", "learner": "exponential", **given(row)}
        if row.reason is None:
            assert row.value == pytest.approx(pv.success(**call).value.item(), abs=1e-12)
        else:
            with pytest.raises(InputError) as refused:
                pv.success(**call)
            assert row.reason == str(refused.value)


def test_who_does_not_exist_in_one_class_of_several_is_a_row():
    text = '[[sweep]]\nask="need"\nconcept=["point","threshold"]\nlearner="exponential"\nd=8'
    found = [answers(one.part()) for one in plan_of(text).cuts()]
    reasons = [one["reason"][0] for one in found]
    assert reasons[0] is None
    assert reasons[1].startswith("learner must be one of erm")


# --- files -------------------------------------------------------------------------------------


class Killed(BaseException):
    """What a kill is, in this process."""


def kill_after(parts):
    def hear(_):
        nonlocal parts
        parts -= 1
        if not parts:
            raise Killed

    return hear


def test_killed_twice_and_resumed_gives_equal_bytes(plan, results, tmp_path, monkeypatch):
    path = tmp_path / "results.parquet"
    for parts in (3, 20):
        with pytest.raises(Killed):
            sweep(plan, path, hear=kill_after(parts))
    assert not path.exists()
    (path.with_name("results.parquet.parts") / "000040.parquet.77").write_bytes(b"torn")
    computed = []
    monkeypatch.setattr(running, "answers", lambda part: computed.append(part) or answers(part))
    heard = []
    told, missing = sweep(plan, path, hear=heard.append)
    assert path.read_bytes() == results.read_bytes()
    assert len(computed) == len(plan.cuts()) - 23 == len(heard)
    assert (told.done, told.rows) == (plan.rows, plan.rows)
    assert told.found == sum(cut.rows for cut in plan.cuts()[:23])
    assert heard[0].left > 0.0 == heard[-1].left
    assert missing == pd.read_parquet(path).reason.notna().sum()
    assert list(tmp_path.iterdir()) == [path]


def test_results_are_never_written_over_nor_mixed(plan, results, tmp_path):
    with pytest.raises(InputError, match=r"output must be a file that does not exist yet; got"):
        sweep(plan, results)
    path = tmp_path / "results.parquet"
    with pytest.raises(Killed):
        sweep(plan, path, hear=kill_after(2))
    other = Plan(plan.blocks, seed=8)
    with pytest.raises(InputError, match="output must have parts of this very plan"):
        sweep(other, path)
    manifest = path.with_name("results.parquet.parts") / "manifest.json"
    older = json.loads(manifest.read_text()) | {"numpy": "1.0"}
    manifest.write_text(json.dumps(older))
    with pytest.raises(InputError, match="very plan and version"):
        sweep(plan, path)
    with pytest.raises(InputError, match="must stand where parts can be kept"):
        sweep(plan, tmp_path / "none" / "results.parquet")


def test_two_sweeps_never_write_one_file(plan, tmp_path):
    path = tmp_path / "results.parquet"
    refused = []

    def hear(_):
        if not refused:
            with pytest.raises(
                InputError, match="output must be written by one sweep at a time"
            ) as second:
                sweep(plan, path)
            refused.append(second)
            raise Killed

    with pytest.raises(Killed):
        sweep(plan, path, hear=hear)
    assert refused
    with pytest.raises(Killed):  # the first has ended
        sweep(plan, path, hear=kill_after(1))


def test_a_full_disk_is_one_sentence_and_keeps_what_is_done(plan, tmp_path, monkeypatch):
    path, synced = tmp_path / "results.parquet", []

    def fsync(handle, real=os.fsync):
        synced.append(handle)
        if len(synced) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(InputError, match=r"output must have room on its disk \(no space"):
        sweep(plan, path)
    # The manifest was the first file.
    assert len(list(tmp_path.glob("results.parquet.parts/*.parquet"))) == 2


def test_another_plan_has_another_digest(plan):
    plans = [plan_of(MIXED.replace(*change)) for change in (
        ("seed = 7", "seed = 8"), ("trials = 100", "trials = 101"), ('"2:9"', '"2:10"'),
        ("repeat = 5", "repeat = 6"), ("[0.1, 0.2]", "[0.2, 0.1]"),
    )]  # fmt: skip
    assert len({one.digest for one in (plan, *plans)}) == 6
    assert plan_of(MIXED).digest == plan.digest


@pytest.mark.parametrize(("module", "extra"), [
    ("distributed", "cluster"), ("loky", "sweep"), ("pyarrow", "sweep")
])  # fmt: skip
def test_what_is_not_installed_is_asked_for(plan, tmp_path, monkeypatch, module, extra):
    scheduler = "tcp://127.0.0.1:1" if extra == "cluster" else None
    monkeypatch.setitem(sys.modules, module, None)
    said = rf"{module} must be installed: pip install 'privsc\[{extra}\]'"
    with (
        pytest.raises(InputError, match=said),
        contextlib.nullcontext() if module == "pyarrow" else cluster(1, scheduler),
    ):
        sweep(plan, tmp_path / "results.parquet")


def test_a_worker_with_other_versions_computes_nothing(plan):
    own = running.versions_here()
    assert running._task(plan.cuts()[0], own | {"numpy": "1.0"}) == own


# --- many processes ----------------------------------------------------------------------------


class Fragile(running.Pool):
    """A process in name, a thread: some parts end it so often, and what waits for it fails too."""

    room = 5

    def __init__(self, killers, thread, error=BrokenExecutor):
        self.killers, self.thread, self.error, self.waiting = killers, thread, error, []

    def submit(self, cut):
        found = Future()
        self.waiting.append(found)
        self.thread.submit(self.run, cut, found)
        return found

    def run(self, cut, found):
        if found.done():
            return
        first = cut.first + cut.start
        if not self.killers.get(first):
            found.set_result(table(answers(cut.part())))
            return
        self.killers[first] -= 1
        for one in self.waiting[:]:
            if not one.done():
                one.set_exception(self.error("died"))


@pytest.fixture
def thread():
    with ThreadPoolExecutor(1) as one:
        yield one


def test_a_part_whose_worker_died_is_computed_again(plan, results, tmp_path, thread):
    first = [cut.first + cut.start for cut in plan.cuts()]
    path = tmp_path / "results.parquet"
    pool = Fragile({first[7]: 2, first[30]: 2}, thread)
    sweep(plan, path, client=pool)
    assert path.read_bytes() == results.read_bytes()
    assert not any(pool.killers.values())


@pytest.mark.parametrize(("error", "says"), [
    (BrokenExecutor, "part must leave its workers alive .*; got 7"),
    (CancelledError, "scheduler must answer until the end; parts that are done are kept"),
    (ModuleNotFoundError, "workers must have privsc installed; got died"),
])  # fmt: skip
def test_what_ends_a_sweep_is_one_sentence_and_keeps_the_parts(plan, tmp_path, thread, error, says):
    first = [cut.first + cut.start for cut in plan.cuts()]
    with pytest.raises(InputError, match=says):
        sweep(plan, tmp_path / "results.parquet", client=Fragile({first[7]: 99}, thread, error))
    assert len(list(tmp_path.glob("results.parquet.parts/*.parquet"))) >= 3


def with_one_killed(plan, path, workers):
    """Sweep on processes of this machine, one of which is killed in the middle."""
    heard = []
    with cluster(workers) as pool:

        def hear(told):
            heard.append(told)
            if len(heard) == 10:
                os.kill(min(pool._executor._processes), signal.SIGKILL)

        sweep(plan, path, client=pool, hear=hear)
    assert heard[-1].done == plan.rows


def test_two_workers_one_of_them_killed_give_the_bytes_of_one_process(plan, results, tmp_path):
    path = tmp_path / "results.parquet"
    with_one_killed(plan, path, 2)
    assert path.read_bytes() == results.read_bytes()


@pytest.mark.whole
@pytest.mark.parametrize("workers", [1, 8])
def test_any_number_of_workers_gives_the_same_bytes(plan, results, tmp_path, workers):
    path = tmp_path / "results.parquet"
    with_one_killed(plan, path, workers)
    assert path.read_bytes() == results.read_bytes()


@pytest.mark.whole
def test_dask_gives_the_same_bytes_though_a_worker_dies(plan, results, tmp_path):
    path, heard = tmp_path / "results.parquet", []
    with dask.scheduler(2) as address, cluster(0, address) as client:
        before = set(client.run(os.getpid).values())

        def hear(told):
            heard.append(told)
            if len(heard) == 10:
                os.kill(min(before), signal.SIGKILL)

        sweep(plan, path, client=client, hear=hear)
        client.wait_for_workers(2)
        assert min(before) not in client.run(os.getpid).values()
    assert heard[-1].done == plan.rows
    assert path.read_bytes() == results.read_bytes()


@pytest.mark.whole
def test_a_scheduler_that_dies_is_one_sentence(plan, tmp_path):
    path = tmp_path / "results.parquet"
    with contextlib.ExitStack() as there:
        address = there.enter_context(dask.scheduler(1))
        with (
            pytest.raises(InputError, match="scheduler must answer until the end"),
            cluster(0, address) as client,
        ):
            sweep(plan, path, client=client, hear=lambda _: there.close())
    assert list(path.with_name("results.parquet.parts").glob("*.parquet"))


# Results that a visitor loads: what was written is read, nothing else gets in, the figure says it.


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
        assert trace["name"] == catalog.learner("point", learner).title
        assert trace["mode"] == "lines+markers"
        np.testing.assert_array_equal(trace["x"], rows.m)
        np.testing.assert_array_equal(trace["y"], rows.value)
    with pytest.raises(InputError, match="m must be one at which rows have an answer"):
        sweep_picture(sheet, "success", "m", {"d": 0.0})


def test_lines_are_named_by_what_they_differ_in(path):
    sheet = read_sheet(path.read_bytes())
    shown = sweep_picture(sheet, "need", "d", {})
    names = [trace["name"] for trace in shown.figure["data"]]
    assert names == [
        f"{catalog.concept(concept).title}, {catalog.learner(concept, learner).title}"
        for concept in ("point", "interval")
        for learner in ("erm", "exponential")
    ]
    assert shown.figure["layout"]["yaxis"]["type"] == "log"
    looks = [(trace["line"]["color"], trace["line"]["dash"]) for trace in shown.figure["data"]]
    assert len({colour for colour, _ in looks}) == 2
    assert len(set(looks)) == 4


def test_runs_are_their_mean_and_said_to_be_simulated(path, frame):
    shown = sweep_picture(read_sheet(path.read_bytes()), "learn", "m", {})
    (trace,) = shown.figure["data"]
    runs = frame[frame.ask == "learn"].groupby("m").value.mean()
    np.testing.assert_allclose(trace["y"], runs)
    assert trace["name"] == "Exponential mechanism ≈"
    assert trace["line"]["color"] == HUES["proper"]
    assert "simulated" in shown.caption


def test_settings_that_differ_elsewhere_are_points(path):
    shown = sweep_picture(read_sheet(path.read_bytes()), "success", "m", {})
    assert {trace["mode"] for trace in shown.figure["data"]} == {"markers"}
    assert "points, not lines" in shown.caption
    assert "8 without a finite answer" in shown.caption
