"""The shipped lectures: what they say holds, and every scene opens as it is meant.

Every number in a caption is recomputed from the core: `CLAIMS` has, for each scene, the phrases
that the core gives, and no digit may be left over.
"""

import html
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from pages.shared.frame import sitemap
from pages.shared.hall import lectures, presenter
from pages.shared.page import declaration, lecture_list
from pages.shared.state import state
from privsc_core import practice
from privsc_core.errors import InputError
from privsc_core.exhibits.interval import noise_channel
from tests.depth import spread
from tests.pages import app as apps
from tests.pages.claims import CLAIMS, QUESTIONS
from tests.pages.claims.setting import Setting, opened, run

ROOT = Path(__file__).parents[2]
SCENES = [
    pytest.param(lecture, number, id=f"{lecture.name}-{number}")
    for lecture in lectures.shipped()
    for number in range(1, len(lecture.scenes) + 1)
]
SOURCES = re.compile(
    r"(Lemma|Theorem|Corollary|Claim|Section) \d\.\d+|Table 1|Feldman and Xiao 2014|ITCS 2013|[ΘO]\(1\)|1/m²"
)
# What tells in a caption whose number it is: no learner's need is that of all learners of its kind.
NAMED = {
    "arcs": "2m arcs", "atoms": "copies", "density": "density learner", "elimination": "limination",
    "exponential": "xponential mechanism", "exponential-proper": "xponential mechanism",
    "exponential-relaxed": "xponential mechanism", "gauss": "Gaussian noise", "hash": "[Hh]ash",
    "label-boost": "LabelBoost", "laplace": "Laplace histogram", "margin": "margin learner",
    "noise": "independent noise|flip every label", "noise-pseudorandom": "Pseudorandom noise",
    "noisy-count": "count the ones, add noise", "projected": "nearest answers",
    "representation": "random class", "search": "binary search", "seen": "seen", "sq-gauss": "Gaussian noise",
    "sq-laplace": "noise d/ε on every count|Laplace noise|noisy counts", "stability": "δ", "tree": "tree",
}  # fmt: skip


def left_over(text, phrases):
    """Return the digits of a text that are in none of the phrases; all phrases must be there."""
    for phrase in phrases:
        assert phrase in text
        text = text.replace(phrase, "")
    return re.findall(r"[0-9]+", SOURCES.sub("", text))


def unnamed(text, setting):
    """Return the private learners whose needs stand in a text that does not name them."""
    return [
        learner
        for learner, needs in setting.asked.items()
        if any(re.search(rf"(?<![\d,.]){m:,}(?![\d,])", text) for m in needs)
        and not re.search(NAMED[learner], text)
    ]


@pytest.mark.parametrize(("lecture", "number"), spread(SCENES, 7))
def test_every_number_of_a_caption_is_the_cores(lecture, number):
    scene = lecture.scenes[number - 1]
    setting = Setting(scene)
    assert not left_over(scene.caption, CLAIMS[lecture.name][number - 1](setting))
    assert not unnamed(scene.caption, setting)
    asked = QUESTIONS.get((lecture.name, number), lambda _: [])
    assert not left_over(scene.question, asked(setting))


@pytest.mark.parametrize(("lecture", "number"), spread(SCENES, 7))
def test_a_shipped_scene_opens_without_a_note(lecture, number):
    scene = lecture.scenes[number - 1]
    app = opened(scene)
    assert not app.exception
    shown = apps.html(app)
    assert "could not be" not in shown  # neither a part of the link nor a part of the page
    setting = Setting(scene)
    assert not setting.notes
    if scene.page == "labels":  # the chart of the part that the scene is about, and no other
        drawn = [one.proto for one in app.get("bidi_component")]
        charts = {p.id.rpartition("-")[2] for p in drawn if p.component_name == "privsc_chart"}
        assert charts - {"chart_preload"} == {*(setting.now["open"] or ("main",))}
    if setting.scenario is None:
        return
    # Every learner that the scene names has a law here, or the figure would lack its curve.
    assert setting.drawn == setting.chosen
    assert setting.drawn


@pytest.mark.parametrize("lecture", lectures.shipped(), ids=lambda lecture: lecture.name)
def test_a_shipped_lecture_can_be_read_from_the_last_row(lecture):
    assert len(lecture.about) <= 250
    assert len({scene.title for scene in lecture.scenes}) == len(lecture.scenes)
    for scene in lecture.scenes:
        assert len(scene.caption) <= 200
        assert len(scene.title) <= 50
        assert not re.search(r"[`*_$<>\\]", scene.title + scene.caption + scene.question)


def test_what_a_prediction_asks_is_on_the_screen_nowhere():
    scenes = [scene for lecture in lectures.shipped() for scene in lecture.scenes]
    asked = [scene for scene in scenes if scene.question and not scene.choices]
    assert len(asked) == len(QUESTIONS)
    for scene in asked:
        setting = Setting(scene)
        answer = setting.need(setting.now["map"])
        assert setting.learners == (setting.now["map"],)
        assert f"{answer:,}" not in scene.title + scene.caption + scene.question
        assert scene.params["predict"] == "1"


def test_shipped_questions_with_choices_can_be_asked_and_have_a_right_one():
    scenes = [scene for lecture in lectures.shipped() for scene in lecture.scenes]
    computed = [scene for scene in scenes if scene.ask]
    assert len(computed) == 5
    for scene in computed:
        assert lecture_list.poses(scene)
    written = [scene for scene in scenes if scene.choices]
    assert len(written) == 2
    for scene in written:
        assert 1 <= scene.right <= len(scene.choices) == len(scene.feedback)
        assert not re.search(r"[`*_$<>\\\\0-9]", "".join((*scene.choices, *scene.feedback)))


def test_a_scene_shows_the_numbers_of_what_it_shows_and_no_others():
    scene = lectures.shipped()[0].scenes[0]
    app = run(scene.page, (*scene.params.items(), ("present", "1")))
    cards = " ".join(b.proto.body for b in app.get("html") if "pv-cards" in b.proto.body)
    assert re.findall(r"<strong>(.*?)</strong>", cards) == ["22"]


def test_the_first_draw_of_the_noise_shows_what_the_caption_says():
    scene = lectures.shipped()[1].scenes[4]
    assert "can still be computed exactly, as in this draw" in scene.caption
    now = Setting(scene).now
    sent = noise_channel.channel((1 << 15) + 1, 16, now["mu"], now["draw"])
    assert sent.found == sent.j


def test_the_list_is_what_is_in_the_folder():
    names = [lecture.name for lecture in lectures.shipped()]
    assert names == list(CLAIMS)
    assert {path.stem for path in (ROOT / "assets" / "lectures").glob("*.toml")} == set(names)
    assert [len(lecture.scenes) for lecture in lectures.shipped()] == [
        len(claims) for claims in CLAIMS.values()
    ]
    assert len(lectures.shipped()[0].scenes) == 12  # Table 1 in ten, and the reason


def test_the_readmes_example_is_a_lecture():
    readme = (ROOT / "assets" / "lectures" / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", readme, re.DOTALL)
    lecture = lectures.read(example[1], "example")
    assert [scene.page for scene in lecture.scenes] == ["points", "points"]
    assert not any(Setting(scene).notes for scene in lecture.scenes)


def test_a_need_of_one_learner_that_is_said_of_all_is_noticed():
    lecture = lectures.shipped()[0]
    setting = Setting(lecture.scenes[1])
    CLAIMS[lecture.name][1](setting)
    caption = lecture.scenes[1].caption
    assert "the exponential mechanism needs 1,968" in caption
    of_all = caption.replace("the exponential mechanism", "a proper private learner")
    assert unnamed(of_all, setting) == ["exponential"]


def test_a_caption_with_another_number_is_noticed():
    lecture = lectures.shipped()[0]
    scene = lecture.scenes[1]
    phrases = CLAIMS[lecture.name][1](Setting(scene))
    with pytest.raises(AssertionError):
        left_over(scene.caption.replace("1,968", "1,967"), phrases)
    assert left_over(scene.caption + " And 7 more.", phrases) == ["7"]


# Lectures: what a lecturer writes is read, or refused in one sentence.


# --- Reading -----------------------------------------------------------------------------------

HEAD = 'title = "A"\nabout = "B"\n'
SCENE = '[[scene]]\ntitle = "T"\nlink = "points?d=64"\ncaption = "C"\n'
CHOICE = SCENE.replace("?d=64", "?predict=1") + 'question = "Q"\n'


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


def test_choices_are_read_and_told_only_when_they_are_revealed():
    choices = (
        'choices = ["<b>more</b>", "as many"]\nright = 2\nfeedback = ["For one bit.", "At δ = 0."]'
    )
    lecture = presenter.keep((HEAD + CHOICE + choices).encode())
    scene = lecture.scenes[0]
    assert (scene.choices, scene.right) == (("<b>more</b>", "as many"), 2)
    assert scene.feedback == ("For one bit.", "At δ = 0.")
    shown = {"v": "1", "present": "1", "lecture": lecture.name, "controls": "d"}
    asked = apps.run("pages/points.py", **shown, predict="1")
    assert "&lt;b&gt;more&lt;/b&gt;" in apps.html(asked)
    assert not re.search("<li data-right>|For one bit", apps.html(asked))
    labels = [one.label for kind in ("slider", "select_slider") for one in asked.get(kind)]
    assert labels  # d, and nothing to be guessed
    assert not [label for label in labels if "prediction" in label]
    told = apps.press(asked, "pv_reveal")
    assert re.findall(r"<li data-right><strong>(.*?)</strong>", apps.html(told)) == ["as many"]
    assert "For one bit." in apps.html(told)


def test_a_kind_of_question_is_asked_at_the_setting_of_the_page():
    asks = SCENE.replace("d=64", "d=64&learners=exponential&predict=1") + 'ask = "{}"\n'
    lecture = presenter.keep((HEAD + asks.format("double-d") + asks.format("least-m")).encode())
    double, number = lecture.scenes
    assert lecture_list.poses(double)
    assert not lecture_list.poses(number)  # has no choices
    shown = {**double.params, "v": "1", "present": "1", "lecture": lecture.name}
    asked = apps.run("pages/points.py", **shown)
    exercise = practice.ask("double-d", Setting(double).scenario)
    assert lectures.typeset(exercise.sentence) in " ".join(one.value for one in asked.markdown)
    told = apps.html(apps.press(asked, "pv_reveal"))
    right = re.findall(r"<li data-right><strong>(.*?)</strong>", told)
    assert right == [html.escape(exercise.choices[exercise.right])]
    assert html.escape(exercise.feedback[exercise.right]) in told


DEEP = "[" * 5000
REFUSED = {
    "": "the lecture must have the key title; got none.",
    'title = "A"': "the lecture must have the key about; got title.",
    HEAD: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 0.",
    HEAD + SCENE * 61: "the lecture must have 1 to 60 scenes, each below a line [[scene]]; got 61.",
    HEAD + "[scene]": "each scene must start with a line [[scene]]; got a table.",
    HEAD + "scene = 3": "each scene must start with a line [[scene]]; got 3.",
    HEAD + "author = 3\n" + SCENE: (
        "the lecture must have no other keys than title, about, level, scene; got author."
    ),
    HEAD + SCENE + "colour = 'red'": (
        "scene 1 must have no other keys than title, link, caption, question, ask, choices, right, feedback; got colour."
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
        "yours, labels, logstar, laboratory; got home."
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
    **{
        HEAD + CHOICE + lines: f"scene 1 {said}"
        for lines, said in {
            'choices = "a"': 'choices must be a list of texts, ["a", "b"]; got a.',
            'choices = ["a"]': "choices must be 2 to 6 texts; got 1.",
            'choices = ["a", "b", "c", "d", "e", "f", "g"]': "choices must be 2 to 6 texts; got 7.",
            'choices = ["a", 3]': 'choices must be text in "quotes"; got 3.',
            'choices = ["a", ""]': "choices must say something; got an empty text.",
            f'choices = ["a", "{"b" * 81}"]': (
                "choices must have at most 80 characters; got 81 characters."
            ),
            'choices = ["a", "b", " b "]': "choices must differ from each other; got b.",
            "right = 1": "must have choices when it has right; got none.",
            'feedback = ["x"]': "must have choices when it has feedback; got none.",
            'choices = ["a", "b"]\nright = 3': (
                "right must be the number of the right choice, 1 to 2; got 3."
            ),
            'choices = ["a", "b"]\nright = true': (
                "right must be the number of the right choice, 1 to 2; got True."
            ),
            'choices = ["a", "b"]\nright = "b"': (
                "right must be the number of the right choice, 1 to 2; got b."
            ),
            'choices = ["a", "b"]\nfeedback = ["x"]': (
                "feedback must be 2 texts, one for each choice; got 1."
            ),
            'choices = ["a", "b"]\nfeedback = ["x", "a\\u0007b"]': (
                "feedback must be visible characters; got U+0007."
            ),
        }.items()
    },
    HEAD + SCENE + 'choices = ["a", "b"]': (
        "scene 1 must have a question when it has choices; got none."
    ),
    HEAD + CHOICE.replace("predict=1", "d=4") + 'choices = ["a", "b"]': (
        "scene 1 link must have predict=1 when the scene has a question; got no predict."
    ),
    HEAD + CHOICE + 'ask = "double-d"': (
        "scene 1 must have a question or ask, not both; got double-d."
    ),
    HEAD + SCENE + 'ask = "double-d"': (
        "scene 1 link must have predict=1 when the scene has a question; got no predict."
    ),
    HEAD + SCENE.replace("?d=64", "?predict=1") + 'ask = "doubled"': (
        "scene 1 ask must be a kind of question, such as double-d; got doubled."
    ),
    HEAD + SCENE.replace("points?d=64", "labels?predict=1") + 'ask = "double-d"': (
        "scene 1 link must open the page of a class when the scene asks; got labels."
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


def test_leave_returns_to_the_list_though_the_browser_asks_for_another_run(monkeypatch):
    name = lectures.shipped()[2].name
    app = apps.run("pages/points.py", v="1", present="1", lecture=name)

    def cut_short():  # as Streamlit ends a callback where it sends a message
        monkeypatch.undo()
        raise RerunException(RerunData(page_script_hash=get_script_run_ctx().page_script_hash))

    monkeypatch.setattr(state, "write_url", cut_short)
    assert [title.value for title in apps.press(app, "pv_leave").title] == ["Lectures"]


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
    assert "Scene 2: The link leads to other.example; the page “points” of this" in said[1]
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


def test_a_lecture_that_this_server_does_not_know_leaves_the_picture():
    app = apps.run("pages/points.py", present="1", lecture="own-0123456789abcdef", d="16")
    assert not app.exception
    assert "load its file again" in apps.html(app)
    assert any(one.proto.id.endswith("-main") for one in app.get("bidi_component"))
