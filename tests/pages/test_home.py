"""The home page: its map and table say what the core says, and every link leads where it says."""

import html as markup
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

import privsc_core as pv
from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import sitemap
from pages.shared.hall import lectures
from pages.shared.page import declaration, first, lines, live
from pages.shared.state.fields import COMMON
from pages.shared.state.link import parse
from privsc_core import catalog, draw
from privsc_core.draw import landscape as drawing
from privsc_core.draw.style import short
from privsc_core.evaluate import landscape as core
from privsc_core.evaluate.scenario import Scenario
from tests.pages.app import html, param, run

LINES = [(concept, line) for concept in catalog.CONCEPTS for line in concept.documents.on("map")]


@pytest.fixture(scope="module")
def moved():
    return run("app.py", eps="1.3", alpha="0.15", beta="0.07", delta="1e-5")


FIRST = core.Standpoint(epsilon=0.5, alpha=0.1, beta=0.1, delta=1e-6)
AT = core.Standpoint(epsilon=1.3, alpha=0.15, beta=0.07, delta=1e-5)


def numbers(concept, line):
    """Return what the public interface says of a line at the setting of `moved`."""
    cell = {"d": [64, 1024, 65536], "epsilon": 1.3, "alpha": 0.15, "beta": 0.07}
    if line.kind == "bound":
        return pv.bound(concept=concept.name, bound=line.name, **cell).m
    learner = catalog.learner(concept.name, line.name)
    slack = {"delta": 1e-5} if learner.privacy == "approximate" else {}
    return pv.need(concept=concept.name, learner=line.name, **cell, **slack).m


def test_the_table_has_the_numbers_of_the_core_in_each_cell(moved):
    assert not moved.exception
    shown = html(moved)
    assert "could not be computed" not in shown
    for concept, line in LINES:
        (cell,) = re.findall(
            rf'<a class="pv-cell"[^>]*data-about="{concept.name}-{line.key}".*?</a>', shown
        )
        found = re.findall(r"<span>([^<]*)</span>", cell)
        assert found == [short(m) for m in numbers(concept, line).tolist()]
        assert line.rate in markup.unescape(cell)
        assert re.search(r"exponent \d\.\d\d \[-?\d\.\d\d, \d\.\d\d\]", cell)


def test_every_door_leads_to_the_state_that_its_line_shows(moved):
    found = core.landscape(AT)
    doors = lines.doors(found)
    assert [door.uid for door in doors] == [c.key for c in found.courses]
    cells = re.findall(r'<a class="pv-cell" href="([^"]*)"', html(moved))
    assert {markup.unescape(link) for link in cells} == {door.href for door in doors}
    pages = {sitemap.address(file): declaration.declared(file) for _, file in sitemap.classes()}
    for course, door in zip(found.courses, doors, strict=True):
        assert course.line.says in door.says
        link = urlsplit(door.href)
        page = pages[link.path.removeprefix("./")]
        values, notes = parse(parse_qs(link.query, keep_blank_values=True), page.fields)
        assert notes == []
        said = {item.key: value for item, value in ((f, values[f.key]) for f in page.fields)}
        assert (said["eps"], said["alpha"], said["beta"]) == (1.3, 0.15, 0.07)
        # The slack of the map goes along where a learner that is shown has one.
        slack = any(
            catalog.learner(course.concept, name).privacy == "approximate"
            for name in course.line.shown
        )
        own = {item.key: item.default for item in page.fields}.get("delta", 0.0)
        assert said.get("delta", 0.0) == (1e-5 if slack else own)
        # The curve that the door leads to is there, and passes where the line passes.
        there = Scenario(
            concept=page.concept, learners=said["learners"], constants=said["const"],
            epsilon=said["eps"], alpha=said["alpha"], beta=said["beta"],
            delta=said.get("delta", 0.0),
        )  # fmt: skip
        kinds = {"learner": ("learner",), "bound": ("lower", "upper")}[course.line.kind]
        uids = {trace["uid"] for trace in draw.picture(there, said["view"]).figure["data"]}
        assert uids & {f"{course.line.name}-{kind}" for kind in kinds}


def test_all_lines_are_one_press_away():
    app = run("app.py")
    assert 'class="pv-cell"' not in html(app)
    switch = next(one for one in app.button_group if one.key == "w_lines")
    switch.set_value("all").run()
    assert not app.exception
    assert param(app, "lines") == "all"
    for concept, line in LINES:
        assert f'data-about="{concept.name}-{line.key}"' in html(app)


def test_the_readme_counts_the_lectures():
    count = len(lectures.shipped())
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert (
        f"there are {('eight', 'nine', 'ten', 'eleven', 'twelve')[count - 8]}, and you step"
        in readme
    )


def test_the_map_is_sent_with_its_doors():
    found, picture = lines.first()
    assert len(lines.doors(found)) == len(found.courses) < len(LINES)
    sent = json.loads(of_picture(picture, lines.height(found), doors=lines.doors(found)))
    uids = {trace["uid"] for trace in sent["figure"]["data"]}
    assert {door["uid"] for door in sent["doors"]} <= uids
    assert "doors" not in json.loads(of_picture(picture, lines.height(found)))


def test_the_first_document_has_the_map_and_the_classes():
    document = dict(first.documents())[""]
    assert document.count('class="pv-still"') == 1
    found, _ = lines.first()
    for course in found.courses:
        assert f'data-of="{course.key}"' in document
    assert document.count('<img class="pv-small"') == sum(
        bool(c.documents.on("map")) for c in catalog.CONCEPTS
    )


def test_a_class_without_lines_is_shown_by_its_sketch():
    page = declaration.declared(sitemap.classes()[0][1])
    assert 'class="pv-small"' in lines.small(page)
    assert 'class="pv-sketched"' in lines.small(replace(page, concept="none"))


def test_every_frame_of_the_slider_is_what_the_server_would_send(monkeypatch):
    sent, stops = {}, (0.2, 0.5, 1.0)
    monkeypatch.setattr(
        chart, "chart", lambda data, **more: sent.update(figure=data, setting=more["setting"])
    )
    monkeypatch.setattr(chart, "strips", lambda data, **_: sent.update(strip=data))
    monkeypatch.setitem(lines.MAP, "epsilon", replace(COMMON["epsilon"], stops=stops))
    at_once = SimpleNamespace(
        state="done",
        wait=lambda _: True,
        result=lambda: drawing.landscape_strip(
            "all", tuple(replace(FIRST, epsilon=stop) for stop in stops)
        ),
    )
    monkeypatch.setattr(live.Sheet, "begin", lambda *_: at_once)
    run("app.py", opened={"pv_strip_asked": "eps"}, eps="0.5")
    head, _, frames = sent["strip"].partition(b"\n")
    head = json.loads(head)
    slider = sent["setting"]["sliders"]["eps"]
    assert slider == {"at": stops.index(0.5), "key": head["key"]}
    for place, frame in enumerate(zlib.decompress(frames).split(b"\n")):
        found, picture = drawing.landscape_picture(replace(FIRST, epsilon=stops[place]))
        assert frame == of_picture(picture, lines.height(found), doors=lines.doors(found))
    assert zlib.decompress(frames).split(b"\n")[1] == sent["figure"]


def test_the_slider_moves_the_map_and_the_link(moved):  # the last: it moves what the others look at
    before = html(moved)
    slider = next(one for one in moved.select_slider if one.key == "w_eps")
    slider.set_value(1.0).run()
    assert not moved.exception
    assert html(moved) != before
    assert "eps=1&amp;" in html(moved)
