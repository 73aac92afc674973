"""Lectures: what a lecturer writes is read, or refused in one sentence."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.frame import sitemap
from pages.shared.hall import lectures, presenter
from pages.shared.page import declaration
from pages.shared.state import state
from privsc_core.errors import InputError
from tests.pages import app as apps

# --- Reading -----------------------------------------------------------------------------------

HEAD = 'title = "A"\nabout = "B"\n'
SCENE = '[[scene]]\ntitle = "T"\nlink = "points?d=64"\ncaption = "C"\n'


def test_a_lecture_is_read():
    text = HEAD + SCENE + SCENE.replace('"C"', '"""\nΘ(d)\n  ≤ ½"""').replace("?d=64", "")
    for given_text in (text, text.encode(), text.replace("\n", "\r\n"), "\ufeff" + text):
        lecture = lectures.read(given_text, "mine-1")
        assert (lecture.name, lecture.title, lecture.about) == ("mine-1", "A", "B")
        first, second = lecture.scenes
        assert (first.page, first.params, first.question) == ("points", {"d": "64"}, "")
        assert (second.page, second.params, second.caption) == ("points", {}, "Θ(d) ≤ ½")


@pytest.mark.parametrize(
    "link",
    [
        "points?d=64&learners=&predict=1",
        "/points?d=64&learners=&predict=1",
        "https://school.example/privsc/points/?d=64&learners=&predict=1#take-away",
        "http://127.0.0.1:8501/points?d=32&d=64&learners=&predict=1&guess=5",
        "points?present=1&lecture=other&scene=3&d=64&learners=&embed=true&embed_options=dark_theme&predict=1",
    ],
)
def test_an_address_from_the_browser_is_a_link(link):
    scene = lectures.read(HEAD + SCENE.replace("points?d=64", link), "").scenes[0]
    assert scene.page == "points"
    assert scene.params == {"d": "64", "learners": "", "predict": "1"}


DEEP = "[" * 5000
REFUSED = {
    "": "the lecture must have the key title; got none.",
    'title = "A"': "the lecture must have the key about; got title.",
    HEAD: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 0.",
    HEAD + SCENE * 61: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 61.",
    HEAD + "[scene]": "each scene must start with a line [[scene]]; got a table.",
    HEAD + "scene = 3": "each scene must start with a line [[scene]]; got 3.",
    HEAD + "author = 3\n" + SCENE: (
        "the lecture must have no other keys than title, about, scene; got author."
    ),
    HEAD + SCENE + "colour = 'red'": (
        "scene 1 must have no other keys than title, link, caption, question; got colour."
    ),
    HEAD
    + SCENE
    + SCENE.replace("link", "#"): "scene 2 must have the key link; got title, caption.",
    HEAD + SCENE.replace('"C"', "3"): 'scene 1 caption must be text in "quotes"; got 3.',
    HEAD + SCENE.replace('"C"', "[{a=1}]"): (
        'scene 1 caption must be text in "quotes"; got a list.'
    ),
    HEAD + SCENE.replace('"C"', '" "'): "scene 1 caption must say something; got an empty text.",
    HEAD + SCENE.replace('"T"', f'"{"t" * 61}"'): (
        "scene 1 title must have at most 60 characters; got 61 characters."
    ),
    HEAD + SCENE.replace('"T"', '"a\\u202Eb"'): (
        "scene 1 title must be visible characters; got U+202E."
    ),
    HEAD + SCENE.replace("points?", "home?"): (
        "scene 1 link must start with one of the pages points, intervals, thresholds, "
        "halfspaces, lines, parities, conjunctions, pseudorandom, release, marginals, "
        "labels, laboratory; got home."
    ),
    HEAD + SCENE.replace("64", "6" * 2000): (
        "scene 1 link must have at most 2000 characters; got 2009 characters."
    ),
    HEAD + SCENE.replace("points", "http://[points"): (
        "scene 1 link must read like points?d=64&eps=0.5; got http://[points?d=64."
    ),
    HEAD + SCENE.replace("d=64", "&".join(["d=64"] * 101)): (
        "scene 1 link must read like points?d=64&eps=0.5; got points?d=64&d=64&d=64&d=64&d=64&d=64&d=…."
    ),
    HEAD + SCENE + 'question = "How many?"': (
        "scene 1 link must have predict=1 when the scene has a question; got no predict."
    ),
    HEAD + SCENE + 'title = "again"': (
        'line 7 must be TOML (cannot overwrite a value); got title = "again".'
    ),
    HEAD + "title": (
        "line 3 must be TOML (expected '=' after a key in a key/value pair); got title."
    ),
    HEAD + "x = " + DEEP: "the lecture must not nest lists or tables so deeply; got more.",
    "x = " + "9" * 5000: None,
    "a." * 300 + "a = 1": "line 1 must have at most 200 dots; got " + "a." * 19 + "a….",
    b"title = '\xff'": "the lecture must be UTF-8 text; got byte 0xff in line 1.",
    "#" * 100_001: "the lecture must have at most 100,000 bytes; got 100,001.",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_fault_is_one_sentence(text):
    with pytest.raises(InputError) as refused:
        lectures.read(text, "x")
    sentence = str(refused.value)
    assert re.fullmatch(r"[^\n]+ must [^\n]+; got [^\n]+\.", sentence)
    assert len(sentence) < 250
    if REFUSED[text]:
        assert sentence == REFUSED[text]


@pytest.mark.parametrize("name", ["A", "a b", "../a", "a" * 41, "a\n"])
def test_a_name_that_no_link_can_carry_is_refused(name):
    with pytest.raises(InputError, match="the lecture's name must be"):
        lectures.read(HEAD + SCENE, name)


PARTS = ["[[scene]]", "[scene]", 'title = "a"\n', "link", "=", '"points?d=64"', "\n", "'''", '"""',
         "{", "}", "[", "]", ".", "\\u0000", "é", "\x00", "1e400", "nan", "2020-01-01", "#", ","]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text() | st.binary())
def test_whatever_is_read_is_a_lecture_or_a_sentence(text):
    try:
        lectures.read(text, "x")
    except InputError as refused:
        said = str(refused)
    else:
        said = ""
    assert "\n" not in said


def test_the_parsers_complaints_still_have_the_form_that_is_read():
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at line 2, column \d+\)"):
        tomllib.loads("a = 1\nb b\n")
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at end of document\)"):
        tomllib.loads("a")


# --- A lecture of one's own ----------------------------------------------------------------------


@pytest.mark.parametrize("page", list(sitemap.staged()))
def test_a_scene_of_ones_own_is_checked_on_every_page_with_a_stage(page):
    known = {item.key for item in declaration.fields_of(sitemap.staged()[page])}
    assert {"present", "lecture", "scene", "open"} <= known


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$d$ bits cost $\\Theta(d)$.", ["d", "\\Theta(d)"]),
        ("It costs $5 and $10.", []),
        ("From $5 to $m$: *m* of <b>it</b>, :red[no] [a](b) `c` # d", ["m"]),
    ],
)
def test_formulas_are_set_and_all_else_stays_as_it_is(text, formulas):
    markdown = lectures.typeset(text)
    assert re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", markdown) == formulas
    for formula in formulas:
        text, markdown = (t.replace(f"${formula}$", "") for t in (text, markdown))
    assert not re.search(r"(?<![\\])[*<:\[`#$](?![\\])", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown) == text


def test_what_pages_will_not_take_is_said_when_a_lecture_is_loaded():
    links = ("points?d=banana", "https://other.example/points?d=64", "points?d=64&what=1")
    text = HEAD + "".join(SCENE.replace("points?d=64", link) for link in links)
    page = apps.run("pages/lectures.py")
    page.file_uploader(key="pv_lecture_file").set_value(("my.toml", text.encode(), "")).run()
    assert not page.exception
    said = [str(b.proto.body) for b in page.get("html") if "pv-message" in str(b.proto.body)]
    said = [one for one in said if one.startswith("<p")]
    assert len(said) == 3
    assert "Scene 1: d must be a whole number" in said[0]
    assert "got “banana”" in said[0]
    assert "Scene 2: The link is to other.example; the page “points” of this" in said[1]
    assert "Scene 3: “what” is not a parameter here" in said[2]


def _turned():
    from pages.shared.hall import presenter

    presenter.turn("points", presenting=True)


# Planted: a slider that is moved before the key runs the page that is left, as the next scene.
@pytest.mark.parametrize("page", ["points", "intervals"])
def test_a_scene_that_another_page_was_run_with_is_gone_to_again(monkeypatch, page):
    lecture = lectures.shipped()[1]
    number = next(n for n, scene in enumerate(lecture.scenes, 1) if scene.page == page)
    where, gone = presenter.Place(lecture, number), []
    monkeypatch.setattr(presenter, "place", lambda: where)
    monkeypatch.setattr(state, "follow", lambda *there, **_: gone.append(there))
    assert not AppTest.from_function(_turned).run().exception
    assert gone == ([] if page == "points" else [presenter.scene_link(where)])
