"""The page of sweeps: a file in, a figure out, and one sentence for any other file."""

import numpy as np
import pytest

from pages.shared.scheduling import scheduler
from privsc_core.catalog import bound
from privsc_core.cli.sweeping import plan_of
from privsc_core.sweep import sweep
from privsc_core.sweep.sheet import read_sheet
from tests.pages.app import ROOT, html, param, run

FILE, EXAMPLE = "pages/sweep.py", ROOT / "assets" / "sweep"
PLAN = '[[sweep]]\nlearner=["erm","exponential"]\nm="50:500:4"\nd=[4,16]\n[[sweep]]\nask="bound"\nd=[4,8]'


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "results.parquet"
    sweep(plan_of(PLAN), path)
    return path.read_bytes()


def upload(data, name="results.parquet"):
    app = run(FILE)
    app.file_uploader(key="pv_sweep_file").set_value((name, data, "")).run()
    assert not app.exception
    return app


def summary(app):
    return next(block.value for block in app.markdown if "pv-said" in block.value)


def test_a_file_is_drawn_and_stays_out_of_links_and_caches(data):
    before = len(scheduler.SCHEDULER._kept)
    app = upload(data)
    assert "could not be computed" not in html(app)
    first = summary(app)
    assert "Exponential mechanism from" in first
    app.select_slider(key="pv_sweep_at_success_m_d").set_value(16.0).run()
    assert "Exponential mechanism from" in summary(app) != first
    next(b for b in app.get("button_group") if b.key == "pv_sweep_ask").set_value("bound").run()
    assert any(f"{bound('point', 'packing').title} from" in block.value for block in app.markdown)
    assert set(app.query_params) <= {"v"}
    assert not any(key[1] and data in key[1] for key in scheduler.SCHEDULER._kept)
    assert len(scheduler.SCHEDULER._kept) == before


def test_the_example_is_what_its_plan_gives_and_its_view_is_in_the_link(tmp_path):
    # Of each line the cheapest row: all of them are computed when the plan changes.
    plan = plan_of((EXAMPLE / "plan.toml").read_text())
    rows = read_sheet((EXAMPLE / "results.csv").read_bytes())
    assert plan.rows == rows.rows
    few = plan_of(
        (EXAMPLE / "plan.toml")
        .read_text()
        .replace("2:1024:10:log", "8")
        .replace("[0.1, 0.5, 1.0]", "0.5")
    )
    sweep(few, path := tmp_path / "few.csv")
    found = read_sheet(path.read_bytes())
    same = np.flatnonzero((rows.numbers["d"] == 8) & (rows.numbers["epsilon"] == 0.5))
    assert rows.numbers["value"][same].tolist() == found.numbers["value"].tolist()
    app = run(FILE, ask="bound", eps="0.9")
    assert not app.exception
    assert app.select_slider(key="w_eps").value == 1.0, "the nearest of the example"
    first = summary(app)
    packing = f"{bound('point', 'packing-two').title} from"
    assert packing in first
    app.select_slider(key="w_eps").set_value(0.1).run()
    assert packing in summary(app) != first
    assert param(app, "eps") == "0.1"
    assert param(app, "ask") == "bound"


@pytest.mark.parametrize(("name", "content"), [
    ("x.parquet", b"PAR1 and no more"),
    ("<b>x</b>.csv", b"ask,concept,value\n<script>alert(1)</script>,point,1\n"),
])  # fmt: skip
def test_another_file_is_one_sentence(name, content):
    app = upload(content, name)
    shown = html(app)
    assert " must " in shown
    assert "; got " in shown
    assert "<script" not in shown
    assert "<b>x" not in shown
    assert any("privsc sweep plan.toml" in block.value for block in app.code)
