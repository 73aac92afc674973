"""The state in the link and its controls; thousands of hostile links are in test_links.py."""

import math
from dataclasses import replace

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from pages.shared.state.link import NOTES, Field, parse, write
from tests.pages.app import draw_alone

FIELDS = (
    Field(key="d", kind="integer", default=16, name="d", low=1, high=10**6),
    Field(key="eps", kind="number", default=0.5, name="epsilon", low=5e-324, high=1e300),
    Field(key="alpha", kind="number", default=0.1, name="alpha", low=0.005, high=0.49),
    Field(key="dist", kind="choice", default="hard", name="distribution", choices=("hard", "one")),
    Field(
        key="learners",
        kind="choices",
        default=("erm", "noise"),
        name="learners",
        choices=("erm", "exponential", "noise"),
    ),
    Field(key="run", kind="text", default="", name="run", pattern=r"[a-z0-9-]{0,20}"),
    Field(key="log", kind="flag", default=True, name="logarithmic"),
)
BY_KEY = {item.key: item for item in FIELDS}
DEFAULTS = {item.key: item.default for item in FIELDS}


def test_the_first_view_needs_no_parameters_and_all_others_carry_the_version():
    assert write(DEFAULTS, FIELDS) == {}
    assert write(DEFAULTS | {"d": 20, "eps": 2.0}, FIELDS) == {"v": "2", "d": "20", "eps": "2"}
    assert parse({}, FIELDS) == (DEFAULTS, [])


@pytest.mark.parametrize(
    ("key", "text", "note"),
    [
        ("d", "twelve", "d must be a whole number from 1 to 1000000; got “twelve”. 16"),
        ("d", "nan", "d must be a whole number from 1 to 1000000; got “nan”. 16"),
        ("alpha", "1/3", "alpha must be a number from 0.005 to 0.49; got “1/3”. 0.1"),
        ("alpha", "", "alpha must be a number from 0.005 to 0.49; got “”. 0.1"),
        ("dist", "<script>", "distribution (dist) must be one of hard, one; got “<script>”. hard"),
        (
            "learners",
            "erm,x",
            "learners must be some of erm, exponential, noise, separated by dots or commas; got “erm,x”. erm.noise",
        ),
        ("log", "yes", "logarithmic (log) must be 0 or 1; got “yes”. 1"),
        ("d", "1\u202e\x00\n2", "d must be a whole number from 1 to 1000000; got “1���2”. 16"),
        ("run", "Ü", "run must be a text of the expected form; got “Ü”. Nothing"),
    ],
)
def test_what_cannot_be_read_is_named_and_becomes_the_default(key, text, note):
    values, notes = parse({"v": "1", key: text}, FIELDS)
    assert values == DEFAULTS
    assert notes == [f"{note}, the default, is used instead."]


def test_a_newer_version_is_read_as_well_as_possible():
    values, notes = parse({"v": "3", "d": "20"}, FIELDS)
    assert values["d"] == 20
    assert "newer version" in notes[0]
    _, notes = parse({"v": "x"}, FIELDS)
    assert notes == ["The version (v) must be 1 or 2; got “x”. 1 is assumed."]


def test_what_a_link_leaves_out_is_what_its_version_showed_at_first():
    fields = (replace(BY_KEY["dist"], default="one", default_v1="hard"), BY_KEY["d"])
    for params, shown in (
        ({}, "one"), ({"v": "2"}, "one"), ({"v": "3", "d": "20"}, "one"), ({"v": "1"}, "hard"),
        ({"d": "20"}, "hard"), ({"v": ["2", "1"]}, "hard"), ({"dist": "nonsense"}, "hard"),
        ({"v": "2", "dist": "hard"}, "hard"),
    ):  # fmt: skip
        assert parse(params, fields)[0]["dist"] == shown, params
    assert write({"dist": "hard", "d": 16}, fields) == {"v": "2", "dist": "hard"}


@pytest.mark.parametrize("value", [True, math.nan, math.inf, "16", None, [16], 16.5, 10**400])
def test_a_client_cannot_make_a_number_of_anything_else(value):
    assert BY_KEY["d"].valid(value) is None


def test_a_field_whose_default_is_not_valid_is_refused():
    with pytest.raises(ValueError, match="default"):
        Field(key="d", kind="integer", default=0, name="d", low=1, high=9)
    with pytest.raises(ValueError, match="taken"):
        Field(key="v", kind="integer", default=1, name="v", low=1, high=9)
    with pytest.raises(ValueError, match="needs a low and a high end"):
        Field(key="d", kind="number", default=1.0, name="d", low=1)


APP = """
import streamlit as st
from pages.shared.state import controls, state
from pages.shared.state.state import Field
D = Field(key="d", kind="integer", default=16, name="d", low=1, high=100, stops=(8, 16, 32))
L = Field(key="learners", kind="choices", default=("a",), name="learners", choices=("a", "b"))
S = Field(key="shape", kind="choice", default="x", name="shape", choices=("x", "y"))
T = Field(key="log", kind="flag", default=False, name="log")
N = Field(key="alpha", kind="number", default=0.1, name="alpha", low=0.01, high=1)
E = Field(key="e", kind="integer", default=3, name="e", low=1, high=9, stops=(1, 3, 9))
state.adopt((D, L, S, T, N, E))
state.show_notes()
controls.slider(D, "d")
controls.pills(L, "learners")
controls.segmented(S, "shape")
controls.toggle(T, "log")
controls.number_input(N, "alpha")
if st.toggle("more", value=True):
    controls.slider(E, "e")
st.text_input("typed", key="typed", on_change=lambda: controls.take(D, st.session_state["typed"]))
st.button("preset", on_click=state.assign, kwargs={"d": 32, "alpha": 7})
st.text(repr({key: value for key, value in state.current().items() if key != "e"}))
state.finish()
"""


@pytest.fixture
def app():
    from streamlit.testing.v1 import AppTest

    return AppTest.from_string(APP)


def shown(app):
    assert not app.exception
    return eval(app.text[0].value)  # noqa: S307 - our own repr


def test_widgets_start_from_the_link_and_write_back(app):
    app.query_params["d"] = "20"
    app.query_params["learners"] = "b,a"
    app.run()
    assert shown(app) == {"d": 20, "learners": ("a", "b"), "shape": "x", "log": False, "alpha": 0.1}
    assert app.select_slider[0].options == ["8", "16", "20", "32"]
    app.select_slider[0].set_value(32).run()
    app.toggle[0].set_value(True).run()
    app.number_input[0].set_value(0.25).run()
    assert shown(app)["d"] == 32
    assert shown(app) == {"d": 32, "learners": ("a", "b"), "shape": "x", "log": True, "alpha": 0.25}


def test_a_number_between_two_stops_can_be_typed(app):
    app.run()
    app.text_input[0].set_value("23").run()  # as the box sends it
    assert shown(app)["d"] == 23
    assert app.query_params["d"] in ("23", ["23"])
    assert app.select_slider[0].value == 23
    assert app.select_slider[0].options == ["8", "16", "23", "32"]
    app.text_input[0].set_value("101").run()
    assert shown(app)["d"] == 23
    (said,) = [e.proto.body for e in app.get("html") if "alert" in e.proto.body]
    assert "d must be a whole number from 1 to 100; got “101”." in said
    app.select_slider[0].set_value(32).run()
    assert not [e for e in app.get("html") if "alert" in e.proto.body]
    app.text_input[0].set_value("24").run()  # one stop for what was typed, not one more each time
    assert app.select_slider[0].options == ["8", "16", "24", "32"]
    assert app.select_slider[0].value == 24


def test_a_number_beyond_its_ends_is_refused_in_a_sentence_until_something_changes(app):
    app.run()
    app.number_input[0].set_value(7.0).run()
    (said,) = [e.proto.body for e in app.get("html") if "alert" in e.proto.body]
    assert "alpha must be a number from 0.01 to 1; got “7”." in said
    assert app.number_input[0].value == shown(app)["alpha"] == 0.1
    app.select_slider[0].set_value(32).run()
    assert not [e for e in app.get("html") if "alert" in e.proto.body]


def test_what_was_about_another_value_is_forgotten_by_whatever_sets_that_value():
    app = AppTest.from_string("""
import streamlit as st
from pages.shared.state import state
from pages.shared.state.state import Field
OF = Field(key="of", kind="integer", default=1, name="of", low=1, high=9)
ROW = Field(key="row", kind="integer", default=1, name="row", low=1, high=9, about="of")
state.adopt((OF,) if st.toggle("without") else (ROW, OF))
st.button("both", on_click=state.assign, kwargs={"of": 3, "row": 5})
st.button("of", on_click=state.assign, kwargs={"of": 4})
st.text(repr(state.current()))
state.finish()
""")
    app.query_params["of"], app.query_params["row"] = "2", "7"
    app.run()
    assert shown(app) == {"of": 2, "row": 7}  # a link means what it says
    app.button[0].click().run()
    assert shown(app) == {"of": 3, "row": 5}
    app.toggle[0].set_value(True).run()
    app.button[1].click().run()
    app.toggle[0].set_value(False).run()
    assert shown(app) == {"of": 4, "row": 1}


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("d", " 1,000 ", 1000), ("d", "1e3", 1000), ("d", "7.0", 7), ("d", "2.5", None),
        ("d", "1,00", None), ("d", "1e999", None), ("d", "-1", None), ("d", "٣", None),
        ("d", "10³", 1000), ("d", "105", 105), ("d", "10-2", None), ("eps", "2·10⁻⁷", 2e-7),
        ("eps", "1e-6", 1e-6), ("eps", "0,5", None), ("alpha", "0.5", None), ("alpha", "nan", None),
    ],
)  # fmt: skip
def test_a_typed_number_is_taken_as_it_is_meant_or_not_at_all(key, text, value):
    assert BY_KEY[key].typed(text) == value


def test_an_old_query_string_does_not_undo_a_click(app):
    app.run()
    app.select_slider[0].set_value(32).run()
    app.query_params["d"] = "8"  # what a browser sends that has not heard of the click yet
    app.toggle[0].set_value(True).run()
    assert shown(app)["d"] == 32
    assert app.query_params["d"] in ("32", ["32"])


def test_a_click_taken_back_before_the_address_has_changed_is_in_the_address(app, monkeypatch):
    written = []
    plain = QueryParams.from_dict

    def noted(self, params):
        written.append(dict(params))
        plain(self, params)

    monkeypatch.setattr(QueryParams, "from_dict", noted)
    app.query_params["d"] = "8"
    app.run()
    before = dict(app.query_params)
    app.select_slider[0].set_value(32).run()
    assert written[-1]["d"] == ["32"]
    count = len(written)
    app.toggle[0].run()
    assert len(written) == count  # nothing new
    # Taken back while that was on its way: to the browser its address was the right one.
    app.query_params.clear()
    app.query_params.update(before)
    app.select_slider[0].set_value(8).run()
    assert len(written) == count + 1
    assert written[-1]["d"] == ["8"]


def test_a_preset_sets_what_is_valid(app):
    app.run()
    app.button[-1].click().run()
    assert shown(app)["d"] == 32
    assert shown(app)["alpha"] == 0.1
    assert app.select_slider[0].value == 32


def test_a_control_that_comes_back_shows_the_state(app):
    app.query_params["e"] = "9"
    app.run()
    assert app.select_slider[1].value == 9
    app.toggle[1].set_value(False).run()
    assert len(app.select_slider) == 1
    app.toggle[1].set_value(True).run()
    assert app.select_slider[1].value == 9


def test_notes_are_cut_escaped_and_can_be_dismissed(app):
    app.query_params["d"] = "<img src=x onerror=alert(1)>"
    for number in range(20):
        app.query_params[f"x{number}"] = "1"
    app.run()
    body = "".join(element.proto.body for element in app.get("html"))
    assert "<img" not in body
    assert "&lt;img" in body
    assert body.count("<li>") == NOTES + 1
    assert "and 13 more" in body
    app.button(key="pv_notes_dismiss").click().run()
    assert not app.get("html")


WAY = """
import streamlit as st

from pages.shared.state import state
from pages.shared.state.state import Field

state.adopt((Field(key="d", kind="integer", default=2, name="d", low=1, high=9),))
there = {there!r}
st.button("go", on_click=lambda: st.session_state.update(go=True))
if st.session_state.pop("go", False):
    state.follow(there, {{"d": "7"}}, within={within})
st.text(f"{name} {{state.current()['d']}}")
if not st.session_state.get("cut"):
    state.finish()
"""


@pytest.fixture
def two_pages(tmp_path):
    """Return a function (within -> app of two pages, of which one leads away)."""
    from streamlit.testing.v1 import AppTest

    def made(within):
        (tmp_path / "pages").mkdir()
        for name, file in (("a", "a.py"), ("b", "pages/b.py")):
            there = "a.py" if within else "pages/b.py"
            (tmp_path / file).write_text(WAY.format(name=name, there=there, within=within))
        return AppTest.from_file(str(tmp_path / "a.py")).run()

    return made


def texts(app):
    assert not app.exception
    return [one.value for one in app.text]


# A slider that was moved before a visitor left asks for the page that was left, with its address.
# Planted: without the way that is kept until its end is drawn the visitor stayed on "a".
@pytest.mark.parametrize("cut", [True, False])
def test_a_late_move_on_the_page_left_does_not_bring_it_back(two_pages, cut):
    app = two_pages(within=False)
    assert texts(app) == ["a 2"]
    app.session_state["cut"] = cut
    app.button[0].click().run()
    assert texts(app) == ["b 7"]
    app.session_state["cut"] = False
    if cut:
        app.switch_page("a.py")
        app.query_params["d"] = "5"
        assert texts(app.run()) == ["b 7"]
    app.switch_page("a.py")  # now it has been drawn to its end, and one may come back
    app.query_params["d"] = "4"
    assert texts(app.run()) == ["a 4"]


def test_a_way_within_a_page_takes_its_own_state(two_pages):
    app = two_pages(within=True)
    app.session_state["cut"] = True
    assert texts(app.button[0].click().run()) == ["a 7"]
    assert texts(app.run()) == ["a 7"]


# What controls have drawn that change in a run of another part of the page.


PAGE = """
import streamlit as st

from pages.shared.state import controls, state
from pages.shared.state.link import Field

D = Field(key="d", kind="integer", default=8, name="d", low=1, high=99, stops=(8, 16, 32))
state.adopt((D,))


@st.fragment
def body():
    controls.slider(D, "d", box=False)
    st.text(f"body: {state.whole('d')}")


@st.fragment
def table():
    st.text("table")


body()
table()
state.finish()
"""


@pytest.fixture
def page():
    app = AppTest.from_string(PAGE).run()
    assert lines_of(app) == ["body: 8", "table"]
    return app


def lines_of(app):
    assert not app.exception
    return [text.value for text in app.text]


def as_of(monkeypatch, app, name):
    """Have the browser send what comes next in the name of a part of the page."""
    parts = dict(zip(("body", "table"), app._fragment_storage._fragments, strict=True))
    draw_alone(monkeypatch, parts[name])


# Planted: without `_drawn` the body stayed as it was, while the link said 16.
@pytest.mark.parametrize(("part", "drawn"), [("body", ["body"]), ("table", ["body", "table"])])
def test_a_control_that_changes_in_the_name_of_another_part_is_drawn(
    monkeypatch, page, part, drawn
):
    as_of(monkeypatch, page, part)
    page.select_slider[0].set_value(16).run()
    assert page.query_params["d"] == "16"
    assert [text.split(":")[0] for text in lines_of(page)] == drawn
    assert lines_of(page)[0] == "body: 16"


def test_a_part_that_runs_without_a_change_is_drawn_alone(monkeypatch, page):
    as_of(monkeypatch, page, "table")
    page.run()
    assert lines_of(page) == ["table"]
