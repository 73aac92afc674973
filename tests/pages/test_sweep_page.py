"""The page of sweeps: a file in, a figure out, and one sentence for any other file."""

import pytest

from pages.shared.scheduling import scheduler
from privsc_core.cli.sweeping import plan_of
from privsc_core.sweep import sweep
from tests.pages.app import html, run

FILE = "pages/sweep.py"
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


def test_a_file_is_drawn_and_stays_out_of_links_and_caches(data):
    before = len(scheduler.SCHEDULER._kept)
    app = upload(data)
    assert "could not be computed" not in html(app)
    assert "d = 4; 8 rows" in app.caption[0].value
    app.select_slider(key="pv_sweep_at_success_m_d").set_value(16.0).run()
    assert "d = 16; 8 rows" in app.caption[0].value
    next(b for b in app.get("button_group") if b.key == "pv_sweep_ask").set_value("bound").run()
    assert any("packing from" in block.value for block in app.markdown)
    assert set(app.query_params) <= {"v"}
    assert not any(key[1] and data in key[1] for key in scheduler.SCHEDULER._kept)
    assert len(scheduler.SCHEDULER._kept) == before


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
    assert not any("those of the file" in block.value for block in app.caption)
    assert any("privsc sweep plan.toml" in block.value for block in app.code)
