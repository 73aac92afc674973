"""The page of a class of one's own: any class that a link holds, and one sentence for any other."""

import numpy as np
import pytest

from pages.shared.page.declaration import scenario_of
from pages.shared.state import controls
from pages.shared.state.link import parse, write
from pages.yours import PAGE
from privsc_core.errors import InputError
from privsc_core.finite import ready, to_code
from tests.pages.app import draw_alone, html, param, run

FILE = "pages/yours.py"
FIRST = {name: item.default for name, item in PAGE.settings.items()}


def test_weights_come_back_from_a_link_to_the_last_digit():
    coins, fields = np.random.default_rng(64), tuple(PAGE.settings.values())
    for size in (1, 2, 7, 64):
        weights = (10.0 ** coins.uniform(-12, 9, size)).tolist()
        now = {item.key: item.default for item in fields}
        now |= {"of": f"points-{size}", "dist": "weights", "weights": ",".join(map(repr, weights))}
        found, notes = parse(write(now, fields), fields)
        assert not notes
        by_name = {name: found[item.key] for name, item in PAGE.settings.items()}
        assert scenario(**by_name).law.weights == tuple(weights)


def to(app, file):
    app.query_params.clear()  # as by the sidebar: the session knows what is shown
    app.switch_page(file).run()


def scenario(**values):
    return scenario_of(PAGE, FIRST | values)


def test_a_word_and_a_code_are_the_same_class():
    word, code = "subsets-12-2", to_code(ready("subsets-12-2"))
    one, two = scenario(member=word), scenario(member=code)
    assert one.concept_class is two.concept_class
    assert len(one.concept_class.member) == 66
    assert PAGE.settings["member"].read(code) == code
    assert PAGE.settings["member"].read("<b>x</b>") is None
    assert "such as thresholds-8" in PAGE.settings["member"].requirement


def test_weights_and_target_are_those_of_the_class():
    law = {"distribution": "weights", "weights.weights": "1,0,3", "weights.number": 2}
    assert scenario(member="points-3", **law).law.label == "weights(1,0,3,2)"
    for wrong, says in (
        ({"weights.weights": "1,0"}, "must have 3 weights of the points; got 2"),
        ({"weights.weights": "1,2,3,4,5"}, "must have 3 weights of the points; got 5"),
        ({"weights.number": 4}, "must have a whole number target from 1 to 3; got 4"),
    ):
        with pytest.raises(InputError, match=rf"^distribution {says}"):
            scenario(member="points-3", **law | wrong)


def test_another_class_forgets_the_weights_and_the_target_on_whatever_page_it_is_chosen():
    law = {"dist": "weights", "weights": "1,1,1,1,1,1,1,1,5", "number": "9"}
    app = run(FILE, v="2", of="points-9", learners="erm", **law)
    assert app.number_input(key="w_number").value == 9
    to(app, "pages/laboratory.py")
    app.number_input(key="pv_size_points_0").set_value(5).run()
    to(app, FILE)
    assert [param(app, key) for key in ("of", "weights", "number")] == ["points-5", None, None]
    assert (app.number_input(key="w_number").value, app.text_input(key="w_weights").value) == (
        1,
        "",
    )
    app.number_input(key="w_number").set_value(5).run()
    app.selectbox(key="pv_ready").select("cube-4").run()
    assert [param(app, key) for key in ("of", "number")] == ["cube-4", None]
    assert not app.exception


def test_a_link_to_what_the_class_does_not_have_shows_it_and_says_what_it_may_be():
    app = run(FILE, v="2", of="points-5", learners="erm", dist="weights", weights="1,2", number="9")
    assert "must have 5 weights of the points; got 2." in html(app)
    app.text_input(key="w_weights").set_value(" 1, 2 3,4  5").run()
    assert param(app, "weights") == "1,2,3,4,5"
    assert "must have a whole number target from 1 to 5; got 9." in html(app)
    assert app.number_input(key="w_number").value == 9
    app.number_input(key="w_number").set_value(5).run()
    assert "got 9" not in html(app)


def test_the_head_speaks_of_the_class_that_is_shown(monkeypatch):
    app = run(FILE, v="2", of="cube-3", learners="erm")
    # As in a browser, a control has only the part drawn that follows it.
    draw_alone(monkeypatch, app._fragment_storage.resolve_target(controls.FOLLOWS)[0])
    app.number_input(key="pv_size_cube_0").set_value(4).run()
    assert not app.exception
    assert "16 concepts on 4 points" in " ".join(m.value for m in app.markdown)


@pytest.mark.parametrize("asked", ["circles-3", "4x3.zz", "513x2.AAAA"])
def test_a_link_to_no_class_gets_one_sentence(asked):
    app = run(FILE, v="2", of=asked)
    assert not app.exception
    assert "class must be" in html(app)


def test_the_best_mechanism_of_all_is_drawn():
    app = run(FILE, v="2", learners="erm", open="best")
    assert not app.exception
    assert "could not be computed" not in html(app)
