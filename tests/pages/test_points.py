"""The pages through AppTest: they run, they answer bad links with a note, numbers are the core's."""

import random
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import privsc_core as pv
from privsc_core import catalog

ROOT = Path(__file__).parents[2]
TIMEOUT = 60


def run(file: str, opened: tuple[str, ...] = (), **params: str) -> AppTest:
    """Run a page; `opened` names expanders and tabs that a reader has opened."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIMEOUT)
    for key in opened:
        app.session_state[key] = True
    if file != "app.py":
        app.switch_page(file)
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def html(app: AppTest) -> str:
    return " ".join(str(block.proto.body) for block in app.get("html"))


@pytest.mark.parametrize("file", ["app.py", "pages/points.py"])
def test_a_page_runs_alone(file):
    app = run(file)
    assert not app.exception
    assert app.title


def test_the_cards_are_the_numbers_of_the_core():
    app = run("pages/points.py", d="16")
    setting = {"concept": "point", "d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    shown = html(app)
    for number in (
        pv.need(learner="erm", **setting).m,
        pv.need(learner="exponential", **setting).m,
        pv.need(learner="hash", **setting).m,
        pv.bound(bound="packing", **setting).m,
        pv.bound(bound="finite-class", **setting).m,
    ):
        assert f"{number.item():,.0f}" in shown


@pytest.mark.parametrize(
    "view", ["m", "eps", "d", "need-d", "need-eps", "map-m-d", "map-m-eps", "map-d-eps"]
)
@pytest.mark.parametrize("law", ["hard", "single", "bystanders", "uniform"])
def test_every_picture_of_every_distribution_is_drawn(view, law):
    app = run("pages/points.py", view=view, dist=law, trials="250")
    assert not app.exception
    assert "could not be computed" not in html(app)


def test_a_setting_that_does_not_exist_is_one_sentence_at_its_control():
    app = run("pages/points.py", dist="bystanders", d="2")
    assert not app.exception
    assert "d must be at least 4 for 8 bystanders and a target; got 2." in html(app)


def test_every_part_of_the_theory_opens():
    concept = catalog.concept("point")
    parts = [f"pv_bound_{e.name}" for e in concept.bounds]
    app = run("pages/points.py", opened=tuple(parts))
    assert not app.exception
    assert len(app.latex) == len(parts)
    assert "could not be computed" not in html(app)


WORDS = ["", "nan", "inf", "-1", "0", "1e999", "1e-999", "x" * 5000, "<b>x</b>", "'\"><script>",
         "٣", "1,2", "null", "🎯", "%00", "hard,single", "[1]", "../..", "__import__('os')", "9" * 40]  # fmt: skip


def test_two_hundred_malformed_links_give_a_page_and_a_note():
    rng = random.Random(7)  # noqa: S311 - test data
    keys = ["d", "m", "eps", "alpha", "beta", "learners", "dist", "s", "view", "const", "map",
            "trials", "seed", "v", "unknown", "eps "]  # fmt: skip
    for _ in range(200):
        chosen = rng.sample(keys, rng.randint(1, 4))
        params = {key: rng.choice(WORDS) for key in chosen}
        app = run("pages/points.py", **params)
        assert not app.exception, params
        shown = html(app)
        assert "could not be computed" not in shown, params
        assert "<script" not in shown
        accepted = all(value in {"0", "1"} or key == "v" for key, value in params.items())
        assert accepted or "pv-notes" in shown or app.button(key="pv_notes_dismiss"), params


# Links of version 1: they must open the same setting for ever.
GOLDEN = (
    "v=1&d=16&eps=1.0",
    "v=1&view=need-d&learners=exponential,hash&beta=0.05",
    "v=1&dist=single&m=300&view=d",
    "v=1&eps=0.37",
)


@pytest.mark.parametrize("link", GOLDEN)
def test_golden_links_still_open_what_they_opened(link):
    params = dict(pair.split("=") for pair in link.split("&"))
    app = run("pages/points.py", opened=("pv_recipe",), **params)
    assert not app.exception
    assert not any(button.key == "pv_notes_dismiss" for button in app.button)
    code = " ".join(block.value for block in app.code)
    for key, option in (("d", "-d"), ("eps", "--epsilon"), ("beta", "--beta")):
        if key in params:
            assert f"{option} {float(params[key]) if key != 'd' else params[key]}" in code
