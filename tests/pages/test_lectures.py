"""The shipped lectures: what they say holds, and every scene opens as it is meant.

Every number in a caption is recomputed from the core: `CLAIMS` has, for each scene, the phrases
that the core gives, and no digit may be left over.
"""

import re
from pathlib import Path

import pytest

from pages.shared.hall import lectures
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
    "arcs": "2m arcs", "atoms": "copies", "density": "threshold by length", "elimination": "limination",
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


@pytest.mark.parametrize(("lecture", "number"), spread(SCENES, 20))
def test_every_number_of_a_caption_is_the_cores(lecture, number):
    scene = lecture.scenes[number - 1]
    setting = Setting(scene)
    assert not left_over(scene.caption, CLAIMS[lecture.name][number - 1](setting))
    assert not unnamed(scene.caption, setting)
    asked = QUESTIONS.get((lecture.name, number), lambda _: [])
    assert not left_over(scene.question, asked(setting))


@pytest.mark.parametrize(("lecture", "number"), spread(SCENES, 28))
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
    asked = [s for lecture in lectures.shipped() for s in lecture.scenes if s.question]
    assert len(asked) == len(QUESTIONS)
    for scene in asked:
        setting = Setting(scene)
        answer = setting.need(setting.now["map"])
        assert setting.learners == (setting.now["map"],)
        assert f"{answer:,}" not in scene.title + scene.caption + scene.question
        assert scene.params["predict"] == "1"


def test_a_scene_shows_the_numbers_of_what_it_shows_and_no_others():
    scene = lectures.shipped()[0].scenes[0]
    app = run(scene.page, (*scene.params.items(), ("present", "1")))
    cards = " ".join(b.proto.body for b in app.get("html") if "pv-cards" in b.proto.body)
    assert re.findall(r"<strong>(.*?)</strong>", cards) == ["22"]


def test_the_first_draw_of_the_noise_shows_what_the_caption_says():
    scene = lectures.shipped()[1].scenes[4]
    assert "comes back exactly, as in this draw" in scene.caption
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
