"""The page about labels, without a browser."""

import json
import math
import re
import shlex
import zlib
from dataclasses import replace
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

import privsc_core as pv
from pages.labels import PAGE
from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.page import labels, live
from pages.shared.page.declaration import CARDS
from pages.shared.page.parts import PARTS
from pages.shared.scheduling import waiting
from pages.shared.take import standalone
from pages.shared.take.standalone import Stop
from privsc_core import export
from privsc_core.catalog import concept
from privsc_core.cli.main import main
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool
from privsc_core.draw.budgets_figures import cards, plane_beside, plane_marked, plane_strip
from privsc_core.errors import InputError
from privsc_core.evaluate.budgets import asking
from privsc_core.exhibits.point import labels as points
from tests.depth import spread, whole
from tests.pages.app import html, param, press, run

FAMILIES = PAGE.families


def parts(app):
    """Return the titles of the parts of a page."""
    titles = [one.label.partition("**")[2].partition("**") for one in app.main.expander]
    return [title for title, _, says in titles if says.startswith(" · ") and title in TITLES]


TITLES = {part.title for part in PARTS}
LINK = "https://example.org/labels?v=1&d=4"


@pytest.mark.parametrize(
    ("file", "there"), [("labels", 'class="pv-cards'), ("laboratory", 'class="pv-dims')]
)
def test_an_audience_sees_the_first_screen_whatever_parts_were_open(file, there):
    app = run(f"pages/{file}.py", v="2", open="see.why", present="1")
    assert not app.exception
    assert there in html(app)


def test_the_page_shows_its_pictures_and_the_numbers_of_its_setting():
    app = run("pages/labels.py", d="8", open="see.numbers.files.html")
    said = " ".join(str(m.value) for m in app.markdown)
    shown = html(app)
    assert not app.exception
    assert "could not be computed" not in shown
    names = [button.proto.label for button in app.get("download_button")]
    assert names[:4] == [
        "Data (CSV)", "Notebook (Jupyter)", "References (BibTeX)", "Manifest (JSON)",
    ]  # fmt: skip
    assert names[4:6] == ["Certificate (JSON)", "Labels and people (CSV)"]
    assert names[-1] == "One HTML file"
    axis = app.selectbox(key="pv_html_axis")
    assert [option.split(":")[0] for option in axis.options] == ["d", "ε", "α", "β"]
    assert "pay for $d$ [in unlabelled" in said
    # Least u with 120 labels at d = 8, the wall, and the need of all labelled.
    for cell in ("120 + 403", ">72<", ">96<", ">335<"):
        assert cell in shown
    assert "From d = 8 to d = 1,024 GenericLearner stays at 96 labels" in said


@pytest.mark.parametrize(("pin", "guess"), [whole("", 0), ("d-4_eps-1", 300)])
def test_every_frame_of_a_slider_is_what_the_server_would_send(monkeypatch, pin, guess):
    sent, stops, points = {}, (0.01, 0.5, 1.0), FAMILIES["points"]

    def figure(data, *, key, **more):
        if key == "main":
            sent.update(figure=data, setting=more["setting"])

    monkeypatch.setattr(chart, "chart", figure)
    monkeypatch.setattr(chart, "strips", lambda data, **_: sent.update(strip=data))
    monkeypatch.setitem(labels.SETTING, "epsilon", replace(labels.SETTING["epsilon"], stops=stops))
    monkeypatch.setattr(live.Sheet, "begin", _at_once)
    link = {"d": "8", "eps": "0.5", "pin": pin, "guess": str(guess)}
    app = run("pages/labels.py", opened={"pv_strip_asked": "eps"}, **link)
    before, _ = points.plane(4, 1.0, 0.1, 0.1)
    head, _, frames = sent["strip"].partition(b"\n")
    head = json.loads(head)
    assert sent["setting"]["sliders"]["eps"] == {"at": 1, "key": head["key"]}
    assert set(sent["setting"]["sliders"]) == {"d", "eps", "alpha", "beta"}
    for place, frame in enumerate(zlib.decompress(frames).split(b"\n")):
        found, picture = points.plane(8, stops[place], 0.1, 0.1)
        if pin:
            picture = plane_marked(plane_beside(picture, found, before), guess)
        assert frame == of_picture(picture, 430)
        said = shell.inside(
            *(shell.card(*one[:3], about=one.about) for one in cards(found, points.told)[:CARDS])
        )
        assert head["pages"][place].pop(".pv-cards") == said
        told = [".pv-pinned", ".st-key-pv_verdict .pv-message"]
        assert list(head["pages"][place]) == (told if pin else [])
        if pin and stops[place] == 0.5:  # what the page says at its own setting
            assert f'<div class="pv-pinned">{head["pages"][place][".pv-pinned"]}</div>' in html(app)
    assert zlib.decompress(frames).split(b"\n")[1] == sent["figure"]


def test_until_a_prediction_is_revealed_nothing_tells_the_answer(monkeypatch):
    drawn = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: drawn.append(json.loads(data)))
    monkeypatch.setattr(chart, "strips", lambda data, **_: drawn.append(data))
    app = run("pages/labels.py", opened={"pv_strip_asked": "eps"}, d="8", predict="1")
    assert not app.exception
    sent, strip = drawn
    assert strip is None
    assert [trace["x"] for trace in sent["figure"]["data"]] == [[]]
    assert sent["figure"]["layout"]["meta"] == {"ask": "x"}
    assert sent["caption"] == "POINT_d, d = 8, ε = 0.5, α = 0.1, β = 0.1."
    assert not sent["table"]["cells"]
    assert "How many labels does GenericLearner need" in sent["summary"]
    assert '<dl class="pv-cards">' not in html(app)
    assert not app.code
    assert parts(app) == ["Theory"]
    assert [str(head.value) for head in app.subheader] == []
    app = press(app, "pv_reveal")
    assert not app.exception
    said = "Predicted 1,000. GenericLearner with any number of unlabelled examples needs 96: 904 fewer than predicted"
    assert said in html(app)
    names = {shape["name"] for shape in drawn[2]["figure"]["layout"]["shapes"]}
    assert names == {"guess"}
    for cell in (">72<", ">96<", ">335<"):
        assert cell in html(app)
    assert parts(app)[-1] == "Take it away"


def _at_once(sheet, name, stops):
    drawn, plane = sheet.drawn
    settings = tuple(sheet.moved(name, stop) for stop in stops)
    return SimpleNamespace(state="done", wait=lambda _: True, result=lambda: drawn(plane, settings))


def test_a_pinned_setting_stays_beside_the_one_of_now(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        chart, "chart", lambda data, *, key, **_: drawn.append(json.loads(data)) if key == "main" else None
    )  # fmt: skip
    app = run("pages/labels.py", d="16")
    assert param(press(app, "pv_pin_now"), "pin") == "d-16_eps-0.5"
    app = run("pages/labels.py", d="64", pin="d-16_eps-0.5")
    assert not app.exception
    figure = drawn[-1]
    assert figure["caption"].endswith("Thin: frontier and limits, pinned: d = 16, ε = 0.5.")
    names = {trace["name"] for trace in figure["figure"]["data"]}
    assert {"pinned: d = 16, ε = 0.5: success 0.9", "pinned: d = 16, ε = 0.5: wall"} <= names
    # Labels stay as they are; what grows is people.
    said = html(app)
    for name, then, now in (("d", "16", "64"), ("Unlabelled, in the example", "648", "2,081")):
        assert (
            f'<th scope="row">{name}</th><td class="pv-number">{then}</td><td class="pv-number">{now}</td>'
            in said
        )
    assert (
        '<th scope="row">Labels of the example</th><td class="pv-number">120</td><td class="pv-number">120</td>'
        in said
    )
    assert [b.label for b in app.button if b.key in {"pv_pin_now", "pv_unpin"}] == [
        "Pin this instead", "Unpin",
    ]  # fmt: skip
    app = run("pages/labels.py", d="64", pin="d-16_eps-0.5", present="1")
    assert "Unlabelled, in the example 648 → 2,081 (×3.21)" in html(app)


def test_a_pinned_plane_that_takes_long_waits_beside_the_one_of_now(monkeypatch):
    monkeypatch.setattr(waiting, "_AT_ONCE", -1.0)  # every computation shows how far it is
    monkeypatch.setattr(waiting, "_TICK", 0.0)
    monkeypatch.setattr(labels, "_SOON", 0.0)
    app = run("pages/labels.py", d="13", eps="0.7", pin="d-14_eps-0.7", present="1")
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert "d 14 → 13" in html(app)


@pytest.mark.parametrize("text", ["d-banana", *map(whole, ("x-1_d-64", "----", "d-8_alpha-0.2"))])
def test_a_pin_that_cannot_be_is_said_and_nothing_is_drawn(text):
    family = "rectangles" if "alpha" in text else "points"
    app = run("pages/labels.py", d="4", plane=family, pin=text, present="1", open="plane")
    assert not app.exception
    assert "The pinned setting of this link is not possible here" in html(app)
    assert 'pv-pinned"' not in html(app)


@pytest.mark.whole
def test_a_simulated_plane_is_there_of_few_draws_before_it_is_of_all(monkeypatch):
    drawn = []
    monkeypatch.setattr(labels, "_SOON", 0.0)
    monkeypatch.setattr(
        chart, "chart", lambda data, *, key, **_: drawn.append((key, json.loads(data)["caption"]))
    )
    app = run("pages/labels.py", plane="intervals", d="9", present="1")
    assert not app.exception
    assert [key for key, _ in drawn] == ["main", "main"]
    for (_, caption), draws in zip(drawn, ("60", "1,000"), strict=True):
        assert f"simulated ({draws} draws" in caption


def test_few_draws_that_take_too_long_do_not_refuse_all_of_them(monkeypatch):
    drawn, original = [], labels.wait_for

    def slow(*arguments, rough=False, **more):
        if rough:
            raise InputError("This computation", "must take at most 4 s on this server", "longer")
        return original(*arguments, **more)

    monkeypatch.setattr(labels, "_SOON", 0.0)
    monkeypatch.setattr(labels, "wait_for", slow)
    monkeypatch.setattr(chart, "chart", lambda data, **_: drawn.append(json.loads(data)["caption"]))
    app = run("pages/labels.py", plane="intervals", d="9", present="1")
    assert not app.exception
    assert ["simulated (1,000 draws" in caption for caption in drawn] == [True]
    assert "must take at most" not in html(app)


def test_a_frame_that_is_refused_is_empty():
    def plane(d, *_):
        if d > 8:
            raise InputError("d", "must be at most 8", d)
        return d

    at = Cell(8, 0.5, 0.1, 0.1)
    assert plane_strip(plane, (at, replace(at, d=9), at)) == (8, None, 8)


@pytest.mark.parametrize(
    ("part", "title"),
    [
        ("", "Success over labelled"), ("against", "Labels and people"), ("asked", "53 labels of people chosen at random"),
    ],
)  # fmt: skip
def test_an_audience_sees_the_part_that_a_link_names(monkeypatch, part, title):
    drawn = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: drawn.append(json.loads(data)["title"]))
    app = run(
        "pages/labels.py", d="8", present="1", controls="d,eps", **({"open": part} if part else {})
    )
    assert not app.exception
    assert [one.startswith(title) for one in drawn] == [True]
    assert ("Labels that suffice" in html(app)) == (not part)
    assert not app.subheader
    assert "pay for $d$ in" not in " ".join(str(m.value) for m in app.markdown)


@pytest.mark.parametrize("family", spread(FAMILIES, 1))
def test_words_of_the_claim_and_cards_light_up_lines_of_the_plane(family):
    budgets = FAMILIES[family]
    found, picture = budgets.plane(12, 0.5, 0.1, 0.1)
    drawn = {trace["uid"] for trace in picture.figure["data"]}
    about = {name for _, names in labels.NAMED for name in names}
    about |= {one.about for one in cards(found, budgets.told)}
    for name in about:  # as lit.js finds them
        assert any(re.fullmatch(rf"{name}(-at|\d+)?", uid) for uid in drawn)
    for text, _ in labels.NAMED:
        assert labels.CLAIM.count(text) == 1


def test_the_numbers_of_learners_and_bounds_are_those_of_the_core():
    app = run("pages/labels.py", d="8", eps="1")
    found, _ = FAMILIES["points"].plane(8, 1.0, 0.1, 0.1)
    people, at = math.ceil(found.u_own), {"d": 8, "epsilon": 1.0, "alpha": 0.1, "beta": 0.1}
    assert f"There are also u = {people:,} unlabelled examples" in " ".join(
        c.value for c in app.caption
    )
    rows = re.findall(r'<tr[^>]*><th scope="row"[^>]*>(.*?)</tr>', html(app))
    said = {re.sub("<.*?>", "", row.split("</th>")[0]): row for row in rows}
    for learner in (one for one in concept("point").learners if one.name in points.TOLD.learners):
        u = people if learner.unlabelled else 0
        least = pv.need(concept="point", learner=learner.name, u=u, **at).m
        shown = "none" if np.isnan(least) else f"{int(least.item()):,}"
        assert f'data-label="least m">{shown}</td>' in said.pop(learner.title)
    for bound in (one for one in concept("point").bounds if one.name in points.TOLD.of.bounds):
        least = pv.bound(concept="point", bound=bound.name, **at).m
        assert f'">{int(least.item()):,}</td>' in said.pop(bound.title)
    assert not said.keys() & {entry.title for entry in concept("point").learners}


@pytest.mark.whole
def test_theory_is_about_what_the_page_shows_of_its_class():
    # Small: of rectangles a larger plane is simulated.
    def entries(**link):
        app = run("pages/labels.py", d="2", **link)
        assert not app.exception
        assert "could not be computed" not in html(app)
        said = (str(one.value) for one in app.markdown)
        return " ".join([*(one.label for one in app.expander), *said])

    bounds = entries()
    assert "**Labels bound**" in bounds
    assert "**Corollary 3.8**" not in bounds
    learners = entries(tab="learners", plane="rectangles")
    assert "**GenericLearner**" in learners
    assert "**LabelBoost**" not in learners
    assert "**LabelBoost**" in entries(tab="learners")
    # The theory is outside of what a control draws again: another class draws it, too.
    app = run("pages/labels.py", d="2")
    (choice,) = [one for one in app.get("button_group") if one.label == "Concept class"]
    app = choice.set_value("rectangles").run()
    assert "**Packing bound, halfway**" not in " ".join(one.label for one in app.expander)
    opened = run("pages/labels.py", d="2", open="bound-labels")
    assert any("flipped one by one" in str(one.value) for one in opened.markdown)


def test_the_numbers_of_the_example_have_a_certificate():
    one = FAMILIES["points"]
    found, _ = one.plane(8, 1.0, 0.1, 0.1)
    shown = export.Shown(export.labels_scenario(found, one.told))
    records = {
        (record["learner"] or record["bound"], record["claim"]): record
        for record in json.loads(export.certificate(shown))
    }
    least = {name: record for (name, what), record in records.items() if what == "least m"}
    assert all(record["agrees"] for record in records.values())
    assert least["exponential"]["least"] == int(found.labelled)
    assert least["generic"]["u"] == math.ceil(found.u_own)


@pytest.mark.parametrize("family", spread(list(FAMILIES), 1))
def test_every_picture_names_its_sources_where_it_is_saved(monkeypatch, family):
    named = {}
    monkeypatch.setattr(
        chart, "chart", lambda data, *, key, **_: named.update({key: json.loads(data)["credit"]})
    )
    assert not run("pages/labels.py", d="8", plane=family).exception
    assert set(named) >= {"main", "against"}
    assert all("Beimel et al. 2015" in credit for credit in named.values())
    for key, place in (("asked", "Definitions 5.3 and 5.4"), ("fresh", "Algorithms 2 and 3")):
        assert key not in named or place in named[key]
    assert ("Feldman and Xiao 2014" in named["against"]) == (family == "points")


def test_both_pictures_offer_their_numbers():
    _, picture = FAMILIES["points"].plane(4, 1.0, 0.1, 0.1)
    assert set(picture.table) == {"m", "u", "success"}
    for word in ("exact", "ours", "on the distribution hard", "nothing is guaranteed"):
        assert word in picture.caption
    _, other = FAMILIES["points"].against(2.0, 0.1, 0.1)
    # The theorem on LabelBoost is about one privacy loss alone, whatever the slider says.
    assert "978,006 labels" in other.caption
    assert "162,734,287 (Theorem 4.13, at ε = 1)" in other.caption
    assert len(other.table["d"]) == len(other.table["examples"])


@pytest.mark.whole
@pytest.mark.parametrize(
    ("family", "wall", "enough", "labelled", "example"),
    [("intervals", 72, 176, 340, 220), ("rectangles", 89, 245, 377, 307)],
)
def test_other_classes_have_their_plane_too(family, wall, enough, labelled, example):
    app = run("pages/labels.py", plane=family, d="8")
    shown = html(app)
    assert not app.exception
    assert "could not be computed" not in shown
    for cell in (f">{wall}<", f">{enough}<", f">{labelled}<", f"{example} + "):
        assert cell in shown
    assert "simulated" in shown
    # Of one rare point the wall is attained, of four it is not.
    audience = html(run("pages/labels.py", plane=family, d="8", present="1"))
    assert ("sharp (ours)" in audience) == (family == "intervals")
    assert ("One run" in parts(app)) == (family == "rectangles")


# recipe: theory-bns15.md, section 6: labels and people at d = 16, epsilon = 0.1
@pytest.mark.parametrize(
    ("inner", "labels", "people"),
    [(0.1, 448, 448), (1.0, 53, 866), (2.0, 31, 1884), (4.0, 20, 10193)],
)
def test_asking_few_of_many(inner, labels, people):
    found = asking(points.PLANE, pool, Cell(16, 0.1, 0.1, 0.1), inner, 1.0)
    assert (found.asked, found.crowd) == (labels, people)
    # Where the list is public the inner loss is all that is left: at it nobody need hide.
    assert np.isnan(found.people[found.epsilon >= inner]).all()
    assert (found.people < found.paper)[found.epsilon < inner].all()


def test_the_page_says_who_is_protected_and_how_well():
    app = run("pages/labels.py", d="16", eps="0.1")
    assert not app.exception
    picture = FAMILIES["points"].asked(16, 0.1, 0.1, 0.1, 1.0, "hidden")
    assert picture.title == (
        "53 labels of people chosen at random among 866: everybody is protected by ε = 0.1"
    )
    seen = FAMILIES["points"].asked(16, 0.1, 0.1, 0.1, 1.0, "published")
    assert "if everybody sees whose: each of the 53 people is protected by ε = 1 only" in seen.title
    assert "Who was asked for a label?" in [str(head.value) for head in app.subheader]


def test_what_is_taken_away_gives_the_numbers_of_the_page(capsys):
    app = run("pages/labels.py", d="8", alpha="0.2", eps="1", open="recipe")
    command, snippet, link = (str(code.value) for code in app.code)
    assert link == "?v=2&d=8&eps=1&alpha=0.2&open=recipe"
    found, _ = FAMILIES["points"].plane(8, 1.0, 0.2, 0.1)
    assert main([*shlex.split(command)[1:], "--json"]) == 0
    few, all_labelled = json.loads(capsys.readouterr().out)
    assert few["m"] <= found.example
    assert all_labelled["m"] == found.labelled
    exec(snippet, {})  # noqa: S102 - it is what the page offers
    m, success = capsys.readouterr().out.split()
    assert float(m) == few["m"]
    assert float(success) >= 0.9


def taken(monkeypatch, **given):
    """Return what the page offers to be taken away."""
    page = []
    monkeypatch.setattr(labels, "take", lambda *one: page.append(one))
    assert not run("pages/labels.py", **given).exception
    (one,) = page
    return one


@pytest.mark.whole
def test_one_zip_has_all_pictures_of_the_page(monkeypatch):
    figures = replace(taken(monkeypatch, d="4", eps="2")[1], link=LINK)
    files = export.bundle(figures)
    assert files == export.bundle(figures)
    plane, *others = (one.picture for one in figures.drawn)
    assert files["data.csv"] == export.data_csv(plane)
    for picture in others:
        assert files[f"{picture.filename}.csv"] == export.data_csv(picture)
    for name in files:
        assert name == "README.txt" or name in files["README.txt"]
    said = json.loads(files["manifest.json"])
    assert (said["parameters"]["concept"], said["parameters"]["d"]) == ("point", 4)
    assert [one["title"] for one in said["figures"]] == [one.picture.title for one in figures.drawn]
    assert said["figures"][0]["arguments"] == [4, 2.0, 0.1, 0.1]
    assert {"labels", "packing"} <= {one["name"] for one in said["bounds"]}
    assert {"generic", "exponential", "label-boost", "hash"} <= {
        one["name"] for one in said["learners"]
    }
    for key in said["papers"]:
        assert f"{{{key}," in files["references.bib"]
    assert "BNS15" in said["papers"]
    assert LINK in files["README.txt"]
    assert said["link"] == LINK


@pytest.mark.parametrize("pin", ["", "d-16_eps-0.5"])
def test_the_file_with_a_slider_has_the_plane_at_each_position(monkeypatch, pin):
    shown = taken(monkeypatch, d="8", eps="1", **({"pin": pin} if pin else {}))
    stops = tuple(Stop(value, str(value), LINK) for value in (4, 8))
    film = labels.film(*shown, "d", stops)
    text = standalone.page(film)
    said = json.loads(text.split('id="pv-frames">')[1].split("</script>")[0])
    assert said["start"] == 1
    points = FAMILIES["points"]
    before, _ = points.plane(16, 0.5, 0.1, 0.1)
    for frame, d in zip(said["frames"], (4, 8), strict=True):
        found, picture = points.plane(d, 1.0, 0.1, 0.1)
        shown = plane_beside(picture, found, before) if pin else picture
        assert frame["sent"] == json.loads(of_picture(shown, standalone.HEIGHT))
    assert "<h1>Points: success over labelled and unlabelled examples</h1>" in text
    assert ("<dd>d 16, epsilon 0.5</dd>" in text) == bool(pin)
    assert "Beimel, Nissim and Stemmer" in text or "Beimel et al." in text


@pytest.mark.parametrize(
    ("given", "pictures"),
    [
        whole({"d": "4", "eps": "2", "others": "5"}, 4),
        ({"d": "4", "eps": "2", "pin": "d-8_eps-1"}, 4),
        whole({"d": "4", "eps": "2", "plane": "intervals"}, 3),
    ],
)
def test_the_notebook_draws_the_pictures_of_the_page_again(monkeypatch, given, pictures):
    figures = replace(taken(monkeypatch, **given)[1], link=LINK)
    assert len(figures.drawn) == pictures
    book = nbformat.reads(export.notebook(figures), as_version=4)
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    space = {}
    exec(code[0], space)  # noqa: S102 - it is what the page offers
    for one, draws, tells in zip(figures.drawn, code[1::2], code[2::2], strict=True):
        exec(draws, space)  # noqa: S102
        exec(tells, space)  # noqa: S102
        assert space["data"] == export.data_csv(one.picture)
        again, shown = (json.loads(of_picture(p, 400)) for p in (space["picture"], one.picture))
        assert again == shown
    words = "".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    assert figures.commands in words
    # A pinned plane is in the first picture, and in its data.
    pinned = [list(one.pinned) for one in figures.drawn if one.pinned]
    assert pinned == ([[8, 1.0, 0.1, 0.1]] if "pin" in given else [])
    assert ("pinned: d = 8" in export.data_csv(figures.drawn[0].picture)) == bool(pinned)
    (said, *_) = json.loads(export.bundle(figures)["manifest.json"])["figures"]
    assert said["pinned"] == (pinned[0] if pinned else None)
    for text in (LINK, "Labels bound", "Packing bound", "@inproceedings", "BNS15"):
        assert text in words


def test_a_plane_that_is_refused_offers_no_command():
    app = run("pages/labels.py", plane="rectangles", d="8", alpha="0.2", open="recipe")
    assert not app.exception
    assert "α must be at most 1/8 for hard8: it is 0.2 here." in html(app)
    assert not app.code
    assert parts(app) == ["Theory"]
