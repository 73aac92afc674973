"""The class pages through AppTest: they run, bad links get a note, numbers are the core's."""

import random
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import privsc_core as pv
from pages.shared.chart import chart
from pages.shared.frame import shell
from pages.shared.frame.sitemap import PAGES as SITEMAP
from pages.shared.frame.sitemap import address, file_of
from pages.shared.page import pinned
from pages.shared.state import controls
from privsc_core import catalog, draw
from privsc_core.concepts.contracts.style import HUES
from privsc_core.draw.style import price
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.scenario import Scenario
from tests.classes import known
from tests.depth import deep, spread, whole
from tests.pages.app import draw_alone, html, run
from tests.pages.declared import DECLARED
from tests.pages.declared import FILES as PAGES

ROOT = Path(__file__).parents[2]
ALL = {file for _, entries in SITEMAP for _, file in entries}
EACH = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 4), ids=lambda c: c.name)
SOME = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 2), ids=lambda c: c.name)


def test_every_concept_class_has_a_page():
    listed, beside = ({c.name for c in some} for some in (catalog.CONCEPTS, catalog.BESIDE))
    assert listed <= set(PAGES) <= listed | beside
    assert set(PAGES.values()) == {file for file in ALL if file_of(address(file)) == file}
    files = {f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")} - {"pages/__init__.py"}
    assert {"app.py", *files} == ALL


@EACH
def test_the_cards_are_the_numbers_of_the_core_and_the_theory_opens(concept):
    parts = [f"bound-{e.name.replace('.', '-')}" for e in concept.bounds]
    app = run(PAGES[concept.name], d="16", open=".".join(parts))
    assert not app.exception
    assert app.title
    assert len(app.latex) == len(parts)
    setting = {"concept": concept.name, "d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    setting["delta"] = known(concept).defaults.get("delta", 0.0)
    shown = html(app)
    assert "could not be computed" not in shown
    learners, bounds = known(concept).cards
    numbers = [pv.need(learner=name, **setting).m for name in learners]
    numbers += [pv.bound(bound=name, **setting).m for name in bounds]
    for number in numbers:
        assert f"{number.item():,.0f}" in shown
    # Each card says whom its bound binds.
    said, whom = text_of(app), known(concept).whom
    assert [one for one in whom.values() if one not in said] == []
    assert said.lower().count("impossible below") >= len(whom)


def text_of(app: AppTest) -> str:
    return re.sub(r"<[^>]*>|\*", " ", html(app) + " ".join(str(m.value) for m in app.markdown))


# recipe: privsc bounds --concept interval, bounds labels and littlestone, at the defaults
@pytest.mark.parametrize(
    ("d", "least", "says"),
    [(16, 72, "labels"), (64, 72, "labels"), (128, 126, "littlestone")],
)
def test_the_card_of_anyone_on_intervals_has_the_strongest_bound(d, least, says):
    shown = html(run("pages/intervals.py", d=str(d)))
    card = re.search(r'<div class="pv-card pv-bad" data-about="([a-z]+)"><dt>Any: .*?</div>', shown)
    assert card[1] == says
    assert f"<strong>{least}</strong>" in card[0]
    # That of two thresholds is the same at every d.
    grows = "at larger d it grows" if says == "labels" else "grows with d"
    assert f"for every ε-DP learner, proper or not; {grows}</span>" in card[0]


@pytest.mark.whole
def test_what_efficiency_costs_is_said_of_learners_that_answer_with_a_point():
    """Hashing is efficient and private, and pays neither in time nor for d."""
    assert (
        pv.need(concept="point", learner="hash", d=1024, epsilon=0.5, alpha=0.1, beta=0.1).m == 366
    )
    app = run("pages/pseudorandom.py", open="time.distinguisher")
    claims = [
        str(block.value) for block in app.markdown
        if re.search("efficien", block.value) and re.search(r"price|pays|fewer examples|more examples", block.value)
    ]  # fmt: skip
    assert len(claims) >= 2
    for claim in claims:
        assert "with a point" in " ".join(claim.split()), claim


def captions(app: AppTest) -> str:
    return " ".join(block.value for block in app.caption)


def test_what_cannot_change_the_picture_is_said_at_its_control():
    said = "n does not change this picture: the data lie on a circle, whatever the dimension."
    for place in ({"d": "400"}, {"dist": "band-in", "view": "need-d"}):
        circle = run("pages/halfspaces.py", **place)
        assert not any(slider.key == "w_d" for slider in circle.select_slider), place
        assert captions(circle).count(said) == 1, place
        assert " n = " not in captions(circle)
    sphere = run("pages/halfspaces.py", dist="uniform", d="40")
    assert any(slider.key == "w_d" for slider in sphere.select_slider)
    assert "does not change this picture" not in captions(sphere)
    points = captions(run("pages/points.py", v="2", open="more"))
    assert "trials do not change this picture: nothing here is simulated." in points
    assert " d does not change" not in points
    rows = captions(run("pages/calculator.py", concept="halfspace", dist="circle"))
    assert "n does not change any row: the data lie on a circle" in rows


def test_a_card_compares_with_the_first_one_and_a_page_names_the_picture_that_has_its_curves():
    circle, sphere = (run("pages/halfspaces.py", v="2", dist=law) for law in ("circle", "uniform"))
    assert ">32<" in html(circle)  # the mean; 75 is 3.4 times the 22 of all labels
    assert "non-private number" not in html(circle)
    assert "2.2× the non-private number" in html(sphere)
    for file, named in (("points", True), ("halfspaces", False), ("marginals", False)):
        app = run(f"pages/{file}.py")
        assert any("choose *Least m" in block.value for block in app.markdown) == named


VIEWS = ("m", "eps", "d", "need-d", "need-eps", "map-m-d", "map-m-eps", "map-d-eps")
# Each view with the first distribution, each other distribution with one view;
# that the core draws all views of all of them: tests/core/export/test_export.py.
PICTURES = [
    (c.name, view, x.name)
    for c in catalog.CONCEPTS
    for number, x in enumerate(c.distributions)
    for view in deep(VIEWS[number % 8 :][:1] if number else VIEWS, VIEWS)
]


@pytest.mark.parametrize(("concept", "view", "law"), spread(PICTURES, 4))
def test_every_picture_of_every_distribution_is_drawn(concept, view, law):
    # With many examples a slow simulation has nothing to find out.
    slow = any(law in entry.slow for entry in catalog.concept(concept).learners)
    many = {"m": "100000"} if slow else {}
    app = run(PAGES[concept], view=view, dist=law, trials="250", d="16", **many)
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert "must take at most" not in html(app)


def test_a_setting_that_does_not_exist_is_one_sentence_at_its_control():
    app = run("pages/points.py", dist="bystanders", d="2")
    assert not app.exception
    assert "d must be at least 4 for 8 bystanders and a target: it is 2 here." in html(app)
    app = run("pages/intervals.py", d="2")  # no distribution of the class has so few bits
    assert not app.exception
    assert "d must be a whole number from 3 to 1000000; got “2”." in " ".join(html(app).split())


def test_a_control_that_a_browser_has_forgotten_starts_where_it_stood():
    # A control is told its value only where that changes; else what it starts with has to be right.
    setting = {"d": "96", "alpha": "0.05", "view": "need-eps", "learners": "hash"}
    app = run("pages/points.py", const="paper", **setting).run()
    begins = {}
    for control in (*app.get("select_slider"), *app.selectbox, *app.get("button_group")):
        proto = control.proto
        if proto.set_value:  # told, as what is greyed out is each time
            continue
        places = [proto.default] if isinstance(proto.default, int) else proto.default[:]
        names = [getattr(option, "content", option) for option in proto.options]
        begins[control.key] = [names[int(place)] for place in places]
    assert begins["w_d"] == ["96"]
    assert begins["w_alpha"] == ["0.05"]
    assert begins["w_learners"] == ["Hash learner"]
    assert begins["w_const"] == ["as in the paper"]
    assert begins["w_view"] == [app.selectbox(key="w_view").options[4]]


# Planted: a page that never draws them again has the slider of d in use over d; one that always does, all of them.
@pytest.mark.parametrize(
    ("move", "again"),
    [
        (lambda app: app.select_slider(key="w_d").set_value(32), False),
        (lambda app: app.selectbox(key="w_view").set_value(draw.VIEWS["d"].said("d")), True),
    ],
)
def test_controls_are_drawn_again_where_they_say_something_else(monkeypatch, move, again):
    app = run("pages/points.py", v="2", open="numbers")
    assert html(app).count("What each learner needs") == 1
    before = html(app)
    draw_alone(monkeypatch, app._fragment_storage.resolve_target(controls.FOLLOWS)[0])
    move(app).run()
    assert not app.exception
    assert not app.title, "the whole page is drawn"
    assert html(app).count("What each learner needs") == 1, "an open part follows"
    assert html(app) not in before
    drawn = {slider.key: slider.disabled for slider in app.select_slider}
    assert drawn == ({"w_d": True, "w_eps": False} if again else {})


def test_a_control_moves_while_an_open_part_waits_for_a_prediction(monkeypatch):
    app = run("pages/points.py", v="2", predict="1", guess="100", open="numbers")
    draw_alone(monkeypatch, app._fragment_storage.resolve_target(controls.FOLLOWS)[0])
    app.select_slider(key="w_d").set_value(32).run()
    assert not app.exception
    assert not app.title, "the whole page is drawn"


def test_a_part_that_has_lost_its_place_has_the_whole_page_drawn(monkeypatch):
    app = run("pages/points.py", v="2")
    draw_alone(monkeypatch, app._fragment_storage.resolve_target(controls.FOLLOWS)[0])
    app._fragment_storage.clear_outside_wrappers()  # as two runs of the page do that come close upon each other
    app.select_slider(key="w_d").set_value(32).run()
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert app.title
    assert app.select_slider(key="w_d").value == 32


def test_lower_bounds_are_not_drawn_where_they_do_not_hold():
    shown = html(run("pages/points.py", dist="single"))
    assert "on the hard distribution" in shown


@pytest.mark.whole
def test_the_exhibits_of_intervals_open():
    app = run("pages/intervals.py", open="contrast.noise.switching.tree", d="8")
    assert not app.exception
    assert "could not be computed" not in html(app)


def test_the_exhibits_of_points_open_and_say_their_numbers():
    app = run("pages/points.py", open="optimum.program.margin-proof", opt="success", d="64")
    shown = html(app)
    assert not app.exception
    assert "could not be computed" not in shown
    # The program's primal, dual and bound, see test_optimum; d = 64 for the proof.
    assert len(re.findall(r"<strong>0\.704487063</strong>", shown)) == 3
    said = " ".join(block.value for block in app.markdown)
    assert said.count("✓") >= 4
    assert "✗" not in said


def test_the_exhibits_of_pseudorandom_points_open():
    app = run(
        "pages/pseudorandom.py", opened=("pv_time_stopped",), open="time.distinguisher", l="12"
    )
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert app.button(key="pv_time_stop").label == "Continue"


@pytest.mark.parametrize("length", ["64", *map(whole, ("sqrt", "log2", "4log", "4"))])
def test_every_length_of_seeds_is_drawn_or_refused_at_its_control(length):
    app = run("pages/pseudorandom.py", l=length, d="48")
    assert not app.exception
    refused = "d must be above the 64 bits of the seeds: it is 48 here." in html(app)
    assert refused == (length == "64")


WORDS = ["", "nan", "inf", "-1", "0", "1e999", "1e-999", "x" * 5000, "<b>x</b>", "'\"><script>",
         "٣", "1,2", "null", "🎯", "%00", "hard,single", "[1]", "../..", "__import__('os')", "9" * 40]  # fmt: skip


@SOME
def test_malformed_links_give_a_page_and_a_note(concept):
    # What each page reads is the same parser: tests/pages/test_links.py gives it thousands.
    rng = random.Random(concept.name)  # noqa: S311 - test data
    keys = ["d", "m", "eps", "alpha", "beta", "learners", "dist", "s", "w", "lam", "mu", "tree",
            "view", "const", "map", "trials", "seed", "v", "unknown", "eps "]  # fmt: skip
    for _ in range(deep(3, 300)):
        chosen = rng.sample(keys, rng.randint(1, 4))
        params = {key: rng.choice(WORDS) for key in chosen}
        app = run(PAGES[concept.name], **params)
        assert not app.exception, params
        shown = html(app)
        assert "could not be computed" not in shown, params
        assert "<script" not in shown
        # What a field may take after all: numbers, words of the tree.
        accepted = all(
            value in {"0", "1"}
            or key == "v"
            or (key, value) == ("lam", "1e-999")  # which is 0
            or (key in {"learners", "tree"} and value in {"", "0", "1"})
            for key, value in params.items()
        )
        assert accepted or "pv-notes" in shown or app.button(key="pv_notes_dismiss"), params


# Links of version 1: they must open the same setting for ever.
GOLDEN = (
    ("points", "v=1&d=16&eps=1.0"),
    ("points", "v=1&view=need-d&learners=exponential,hash&beta=0.05"),
    ("points", "v=1&dist=single&m=300&view=d"),
    ("points", "v=1&dist=bystanders&s=20"),
    ("points", "v=1&eps=0.37"),
    ("points", "v=1&d=256&pin=d-64_eps-0.5_dist-bystanders_s-20"),
    ("intervals", "v=1&d=32&eps=1.0&learners=exponential"),
    ("intervals", "v=1&dist=band&w=64&lam=0.9&view=m"),
    ("intervals", "v=1&mu=0.09&draw=4&tree=0110"),
    ("pseudorandom", "v=1&l=12&d=128"),
    ("release", "v=1&d=16&eps=1.0&delta=1e-9"),
    ("pseudorandom", "v=1&l=log2&view=need-d&learners=exponential-proper"),
)


@pytest.mark.parametrize(("page", "link"), spread(GOLDEN, 3))
def test_golden_links_still_open_what_they_opened(page, link):
    params = dict(pair.split("=") for pair in link.split("&"))
    app = run(f"pages/{page}.py", open="recipe", **params)
    assert not app.exception
    assert not any(button.key == "pv_notes_dismiss" for button in app.button)
    code = " ".join(block.value for block in app.code)
    if "lam" in params:
        assert "'band(64,0.9)'" in code
    if params.get("l") == "12":
        assert "--concept 'pseudorandom-point(12)'" in code
    if "s" in params:
        assert "'bystanders(20)'" in code
    for key, option in (("d", "-d"), ("eps", "--epsilon"), ("beta", "--beta")):
        if key in params:
            assert f"{option} {float(params[key]) if key != 'd' else params[key]}" in code
    # The next run gives controls a value to start with, not the one to take.
    app.run()
    assert not app.exception
    assert code == " ".join(block.value for block in app.code)


@pytest.mark.parametrize("concept", ["pseudorandom-point", "release"])
def test_the_table_of_symbols_has_the_domain_and_what_the_page_takes(concept):
    app = run(PAGES[concept], tab="notation", beta="1e-6")
    assert not app.exception
    found = html(app)
    assert "got “1e-6”. 0.0001, the nearest, is used instead." in found
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in found.split("<tr")]
    taken = {row[0]: row[2:] for row in rows if len(row) == 4}
    assert taken["β"] == ["(0, 1)", "[0.0001, 0.5]"]
    assert taken["m"] == ["[1, 1000000000000]", "[1, 10000000]"]
    assert taken["ε"] == ["(0, inf)", "[0.001, 20]"]
    slack = "[1e-15, 0.1]" if concept == "release" else "not used here"
    assert taken["δ"] == ["[0, 0.5)", slack]


def unfolded(block):
    """Yield the HTML of a part of the page that no expander hides."""
    for child in block.children.values():
        if child.type == "html":
            yield str(child.proto.body)
        elif hasattr(child, "children") and child.type != "expander":
            yield from unfolded(child)


@pytest.mark.parametrize("present", ["0", "1"])
def test_the_reason_why_there_is_no_figure_stands_where_it_would(present):
    app = run("pages/release.py", alpha="0.4", present=present)
    assert "α must be at most 1/3 for hard: it is 0.4 here." in " ".join(unfolded(app.main))


def test_a_refusal_calls_the_size_as_the_page_does():
    app = run("pages/halfspaces.py", v="2", d="1")
    said = " ".join(unfolded(app.main))
    assert (
        said.count("n must be at least 2 for uniform: it is 1 here.") == 2
    )  # at its slider as well
    assert "d must be" not in said
    app = run("pages/halfspaces.py", d="-3")  # which no class takes
    assert "n (d) must be a whole number from 1 to 1000; got “-3”." in " ".join(html(app).split())


# Planted: "none the non-private number".
def test_a_card_without_a_number_names_no_price():
    assert price(float("nan"), "time 2ˡ") == "time 2ˡ"
    assert price(2.0, "grows with d") == "2.0× the non-private number; grows with d"


@pytest.mark.parametrize("name", ["point", "pseudorandom-point"])
def test_a_card_has_the_colour_of_its_curve(name):
    learners = {entry.name: entry.role for entry in catalog.concept(name).learners}
    tones = re.findall(r'pv-card pv-([a-z]+)" data-about="([^"]+)"', html(run(PAGES[name])))
    about = {of: tone for tone, of in tones}
    assert about.keys() & learners.keys()
    for of, tone in about.items():
        assert tone == learners.get(of, "bad"), of
        assert f".pv-card.pv-{tone}{{--pv-tone:var(--pv-{tone})}}" in shell.tones()
    assert f"--pv-proper:{HUES['proper']};" in shell.tones()


def test_what_changed_since_a_setting_was_pinned_is_in_a_table_and_before_an_audience_in_a_line():
    app = run("pages/points.py", d="256", pin="d-64_eps-0.5")
    then, now = (
        views.numbers(Scenario("point", ("exponential",), d=d)).learner("exponential").m
        for d in (64, 256)
    )
    shown = html(app)
    assert f'least m: Exponential mechanism</th><td class="pv-number">{then:,}</td>' in shown
    assert f'{now:,}</td><td class="pv-number">×{now / then:.3g}</td>' in shown
    assert [b.label for b in app.button if b.key in {"pv_pin_now", "pv_unpin"}] == [
        "Pin this instead", "Unpin",
    ]  # fmt: skip
    app = run("pages/points.py", d="256", pin="d-64_eps-0.5", present="1")
    assert f"Exponential mechanism {then:,} → {now:,} (×{now / then:.3g})" in html(app)


@pytest.mark.parametrize("present", [whole("0"), "1"])
def test_the_cards_stand_although_the_numbers_of_a_pinned_setting_are_refused(monkeypatch, present):
    original = chart.numbers

    def numbers(scenario, told=None):
        if scenario.d == 64:
            raise InputError("This computation", "must take at most 60 s on this server", "longer")
        return original(scenario, told)

    monkeypatch.setattr(chart, "numbers", numbers)
    app = run("pages/points.py", d="256", pin="d-64_eps-0.5", present=present)
    assert not app.exception
    assert "must take at most 60 s" in html(app)
    assert 'class="pv-cards' in html(app)


@pytest.mark.parametrize(
    "text", ["d-banana", *map(whole, ("x-1_d-64", "d-64_alpha-0.4", "----", "d-2_d"))]
)
def test_a_pin_that_cannot_be_is_said_and_nothing_is_drawn(text):
    app = run("pages/release.py", pin=text)
    assert not app.exception
    assert "The pinned setting of this link is not possible here" in html(app)
    assert 'pv-pinned"' not in html(app)


def test_every_setting_can_be_pinned_and_is_read_back():
    rng = random.Random(16)  # noqa: S311 - test data
    for page in DECLARED.values():
        fields = page.settings
        for _ in range(deep(40, 1000)):
            now = {item.key: _any(rng, item) for item in fields.values()}
            text = pinned.written(fields, now)
            assert fields["pin"].valid(text) == text
            found = pinned.read(text, fields)
            assert found
            assert all(found[name] == now[fields[name].key] for name in found)


def _any(rng, item):
    if item.kind in {"integer", "number"}:
        at = rng.choice([item.low, item.high, rng.uniform(item.low, item.high), *item.stops])
        return int(at) if item.kind == "integer" else float(at)
    return rng.choice(item.choices) if item.kind == "choice" else item.default
