"""The notebook and the one HTML file: their numbers are the page's, and nothing escapes."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import nbclient
import nbformat
import numpy as np
import pytest

from pages.shared.chart.payload import payload
from pages.shared.host import static_files
from pages.shared.take import standalone
from pages.shared.take.standalone import Stop
from privsc_core import export
from privsc_core.draw import VIEWS
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export import Shown
from privsc_core.parameters import parameter
from tests.depth import deep, whole
from tests.pages.app import html, run

LINK = "https://example.org/points?v=1&d=16"
POINTS = Shown(Scenario("point", ("erm", "exponential", "hash"), d=16), "m", "", LINK)
MAP = Shown(Scenario("interval", ("exponential",), d=16), "map-m-d", "exponential", LINK)
SIMULATED = Shown(Scenario("interval", ("erm", "exponential"), "band", d=16, trials=500), "eps")
# A map, in the browser: tests/browser/test_take_away.py.
FIGURES = pytest.mark.parametrize(
    "shown",
    [
        pytest.param(POINTS, id="points"),
        pytest.param(SIMULATED, id="band"),
        *deep([], [pytest.param(MAP, id="map")]),
    ],
)

# What the test adds to the notebook: its data, and what the page would draw of them.
TELL = """
import json
from pages.shared.chart.payload import payload
sent = payload(picture.figure, height=430, title=picture.title, summary=picture.summary,
               filename=picture.filename, caption=picture.caption)
print(json.dumps([data, json.loads(sent)["figure"]]))
"""


def sent(shown):
    picture = shown.picture()
    text = payload(
        picture.figure, height=standalone.HEIGHT, title=picture.title, summary=picture.summary,
        filename=picture.filename, table=picture.table, caption=picture.caption,
        credit=export.credit_of(shown.behind),
    )  # fmt: skip
    return json.loads(text)


# ipykernel warns of the future of its own event loop, tornado of sockets that it closes late.
@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@FIGURES
def test_the_notebook_gives_the_data_of_the_page(shown):
    picture = shown.picture()
    book = nbformat.reads(
        export.notebook(export.figures_of(shown, picture, "A claim.")), as_version=4
    )
    book.cells.append(nbformat.v4.new_code_cell(TELL))
    nbclient.NotebookClient(book, timeout=600).execute()
    said = "".join(part["text"] for part in book.cells[-1].outputs if part["name"] == "stdout")
    data, figure = json.loads(said)
    assert data == export.data_csv(picture)
    assert figure == sent(shown)["figure"]
    drawn = [kind for cell in book.cells for part in cell.get("outputs", ())
             for kind in part.get("data", ())]  # fmt: skip
    assert "application/vnd.plotly.v1+json" in drawn or "text/html" in drawn


def file(shown, name, values, claim="**Bold** and *proper*: $d$ and $2^d$, <b>."):
    stops = tuple(Stop(value, f"{value:g}", LINK.replace("16", f"{value:g}")) for value in values)
    return standalone.page(standalone.of_shown(shown, name, stops, claim))


def frames(text):
    found = re.search(r'<script type="application/json" id="pv-frames">(.*?)</script>', text)
    return json.loads(found[1])


@FIGURES
def test_the_file_starts_with_the_figure_of_the_page(shown):
    name = standalone.choices(shown, ("d", "epsilon"))[0]
    now = getattr(shown.scenario, name)
    said = frames(file(shown, name, (now, now * 2)))
    assert said["frames"][said["start"]]["sent"] == sent(shown)


def test_each_frame_is_the_figure_of_its_setting():
    said = frames(file(POINTS, "d", (8, 16, 64)))
    for frame, d in zip(said["frames"], (8, 16, 64), strict=True):
        there = replace(POINTS, scenario=replace(POINTS.scenario, d=d))
        assert frame["sent"] == sent(there)
        assert frame["link"].endswith(f"d={d}")


def test_a_refused_frame_says_why():
    said = frames(file(MAP, "alpha", (0.1, 0.49)))
    assert said["frames"][0]["sent"]
    shown = Shown(Scenario("interval", ("exponential",), d=16), "m")
    refused = frames(file(shown, "d", (2, 16)))["frames"][0]
    assert refused["refused"] == "d must be at least 3 for hard: it is 2 here. Move d."
    assert "sent" not in refused


def test_the_policy_allows_the_two_programs_and_no_request():
    text = file(POINTS, "d", (8, 16))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")
    programs = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", text, re.DOTALL)
    assert len(programs) == 2
    for program in programs:
        digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert programs[0] == static_files.plotly_program()
    assert len(text.encode()) < 8e6


def test_texts_are_texts_in_the_file():
    text = file(POINTS, "d", (8, 16))
    assert "<strong>Bold</strong> and <em>proper</em>: <var>d</var>" in text
    assert "<var>2<sup>d</sup></var>, &lt;b&gt;." in text
    hostile = {"a": "</script><script>alert(1)</script>", "b": "<!--", "c": "\u2028 &amp;"}
    safe = standalone._json(hostile)
    assert not re.search("[<>&\u2028]", safe)
    assert json.loads(safe) == hostile
    with pytest.raises(RuntimeError, match="cannot stand inside"):
        standalone._inside("x = '</SCRIPT>'")


def test_the_slider_moves_what_no_axis_has():
    names = ("d", "epsilon", "m", "alpha", "beta", "delta")
    assert standalone.choices(POINTS, names) == ["d", "epsilon", "alpha", "beta"]
    assert standalone.choices(MAP, names) == ["epsilon", "alpha", "beta"]
    least = replace(POINTS, view="need-eps")
    assert standalone.choices(least, names) == ["d", "alpha", "beta"]
    slack = Shown(Scenario("release", ("stability",), d=16, delta=1e-6), "eps")
    assert standalone.choices(slack, names) == ["d", "m", "alpha", "beta", "delta"]


def test_positions_are_few_sorted_and_hold_the_page():
    stops = tuple(float(stop) for stop in np.geomspace(0.01, 10, 60))
    for figure, most in ((POINTS, 25), (MAP, 13), (SIMULATED, 9)):
        shown = replace(figure, scenario=replace(figure.scenario, epsilon=0.377))
        found = standalone.positions(shown, "epsilon", stops)
        assert len(found) <= most
        assert found == sorted(set(found))
        assert {0.377, stops[0], stops[-1]} <= set(found)
    assert max(standalone.positions(POINTS, "d", (2, 10**4, 10**6))) == 10**4


def test_simulated_frames_are_cut_short_and_say_so():
    assert "250 samples" in standalone.cap_words(SIMULATED)
    assert not standalone.cap_words(POINTS)
    said = frames(file(SIMULATED, "d", (8, 16)))["frames"]
    assert "250 simulated samples" in said[0]["sent"]["caption"]
    assert "500 simulated samples" in said[1]["sent"]["caption"]


@pytest.mark.parametrize(
    "link", [whole({}), {"view": "map-m-eps"}, whole({"dist": "bystanders", "view": "d"})]
)
def test_the_section_offers_its_files_when_it_is_unfolded(link):
    app = run("pages/points.py", open="files.html", **link)
    assert not app.exception
    assert "could not be computed" not in html(app)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == [
        "Data (CSV)", "Notebook (Jupyter)", "References (BibTeX)", "Manifest (JSON)",
        "Certificate (JSON)", "One HTML file",
    ]  # fmt: skip
    axis = app.selectbox(key="pv_html_axis")
    axes = VIEWS[link.get("view", "m")].axes
    assert axis.options
    for name in axes:
        assert not any(option.startswith(f"{parameter(name).symbol}:") for option in axis.options)


def test_without_the_arithmetic_there_is_the_command(monkeypatch):
    monkeypatch.setattr(export, "certifiable", lambda: False)
    app = run("pages/points.py", open="files", d="16")
    labels = [button.proto.label for button in app.get("download_button")]
    assert "Certificate (JSON)" not in labels
    assert any(block.value.startswith("privsc certify --concept point") for block in app.code)


def test_nothing_of_the_section_travels_while_it_is_folded():
    app = run("pages/points.py")
    assert not app.get("download_button")
    assert "pv_html_axis" not in [item.key for item in app.selectbox]
