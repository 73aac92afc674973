"""Curves are told apart with every kind of colour vision, in both themes, and in grey."""

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from privsc_core import catalog, draw
from privsc_core.concepts.contracts.style import (
    BOUND_STYLES,
    HUES,
    MAP_SCALE,
    NAVY,
    PINK,
    STEEL,
    TEAL,
    VIOLET,
    dashed,
    styled,
)
from privsc_core.draw.traces import WIDE
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits import conjunction, parity, pseudorandom, release, threshold
from privsc_core.exhibits.interval import interior
from privsc_core.exhibits.point import optimum
from tests.pages.declared import DECLARED

ROOT = Path(__file__).parents[3]
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
WHITE = TO_XYZ.sum(axis=1)
# CIELAB 1976: about 2.3 is just noticeable side by side; thin lines apart want several times that.
FAR = 10.0


def linear(colour):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(colour, sight):
    xyz = TO_XYZ @ np.clip(SIGHT[sight] @ linear(colour), 0, 1) / WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(one, other, sight):
    return float(np.linalg.norm(lab(one, sight) - lab(other, sight)))


def contrast(one, other):
    light, dark = sorted((TO_XYZ[1] @ linear(c) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_knows_black_and_white_and_red_and_green():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert apart("#000000", "#ffffff", "full") == pytest.approx(100, abs=0.1)
    assert apart("#b86a00", "#8f7f00", "deuteranopia") < FAR < apart("#b86a00", "#8f7f00", "full")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_line_has_a_contrast_of_three_to_one(theme):
    background = THEMES[theme]["backgroundColor"]
    bounds = (style.colour for style in BOUND_STYLES.values())
    for colour in (*HUES.values(), *bounds, STEEL, PINK, TEAL, VIOLET):
        assert contrast(colour, background) >= 3, colour


def test_what_is_no_learner_has_no_learner_s_hue():
    for colour in (STEEL, PINK, TEAL):
        for hue in HUES.values():
            assert apart(colour, hue, "full") >= FAR, (colour, hue)


@pytest.mark.parametrize("sight", SIGHT)
def test_a_bound_of_one_s_own_has_a_colour_of_its_own(sight):
    for colour in (*HUES.values(), *(style.colour for style in BOUND_STYLES.values())):
        assert apart(VIOLET, colour, sight) >= 2 * FAR, colour


@pytest.mark.parametrize("sight", SIGHT)
def test_hues_of_what_learners_may_do_are_told_apart(sight):
    for one, other in itertools.combinations(HUES, 2):
        assert apart(HUES[one], HUES[other], sight) >= 1.5 * FAR, (one, other)


def test_the_hue_of_a_learner_says_what_it_may_do():
    hues = {
        ("point", "erm"): "free", ("point", "exponential"): "proper", ("point", "hash"): "improper",
        ("point", "seen"): "delta", ("threshold", "noisy-count"): "labels",
    }  # fmt: skip
    for name, hue in hues.items():
        assert catalog.learner(*name).role == hue
    for concept in catalog.CONCEPTS:
        for entry in concept.learners:
            assert concept.style_of(entry.name).colour == HUES[entry.role]
        for bound in concept.bounds:
            hues = {HUES[entry.role] for entry in concept.learners if bound.binds(entry)}
            expected = {BOUND_STYLES["lower"].colour} if bound.kind == "lower" else hues
            assert {concept.bound_style(bound.name).colour} == expected


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("concept", catalog.CONCEPTS, ids=lambda c: c.name)
def test_curves_of_a_first_view_differ_in_colour_or_in_line(concept, sight):
    setting = Scenario(
        concept=concept.name, learners=DECLARED[concept.name].learners, delta=1e-6, trials=250
    )
    traces = draw.picture(setting, "m").figure["data"]
    shown = [
        (trace["name"], trace["line"])
        for trace in traces
        if trace.get("showlegend", True) and trace.get("visible", True) is True
    ]
    assert len(shown) >= 2
    for (one, a), (other, b) in itertools.combinations(shown, 2):
        distance = apart(a["color"], b["color"], sight)
        same_line = (a["dash"], a["width"]) == (b["dash"], b["width"])
        assert distance >= FAR or not same_line, (one, other, distance)


def test_no_two_learners_of_a_class_are_drawn_alike():
    for concept in catalog.CONCEPTS:
        styles = [concept.style_of(entry.name) for entry in concept.learners]
        for look in ("dash", "marker"):
            assert len({(style.colour, getattr(style, look)) for style in styles}) == len(styles)
    # Of more than there are dashes two lines are alike, and their marks are not.
    assert len(set(styled(("delta",) * 20))) == 20


def test_bounds_that_meet_differ_in_dash():
    for concept in catalog.CONCEPTS:
        for kind, constants in itertools.product(("lower", "upper"), ("sharp", "paper", "rate")):
            dashes = [
                concept.bound_style(bound.name).dash
                for bound in concept.bounds
                if (bound.kind, bound.constants) == (kind, constants)
            ]
            assert len(set(dashes)) == len(dashes)
    assert dashed("lower", ("", "dash", "")) == ("dot", "dash", "dashdot")
    assert len(dashed("upper", ("",) * 9)) == 9


@pytest.mark.parametrize("sight", SIGHT)
def test_the_scale_of_maps_grows_lighter_all_the_way(sight):
    lightness = [lab(colour, sight)[0] for colour in MAP_SCALE]
    assert all(b > a + 2 for a, b in itertools.pairwise(lightness))


# --- One file of colours, and one colour of a learner ---------------------------------------------


COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}\b(?<!#\d{4})|rgba?\(\s*[\d{]")


def test_colours_stand_in_one_file():
    assert COLOUR.search('"#2f80d0"')
    assert COLOUR.search("rgba(214, 90, 49, 0.16)")
    found = {
        path.relative_to(ROOT).as_posix(): COLOUR.findall(path.read_text(encoding="utf-8"))
        for path in (ROOT / "privsc_core").rglob("*.py")
    }
    assert {name for name, colours in found.items() if colours} == {
        "privsc_core/concepts/contracts/style.py"
    }


def test_sketches_of_pages_have_colours_of_that_file():
    style = (ROOT / "privsc_core/concepts/contracts/style.py").read_text(encoding="utf-8")
    used = {
        colour
        for path in (ROOT / "pages").glob("*.py")
        for colour in COLOUR.findall(path.read_text(encoding="utf-8"))
    }
    assert STEEL in used
    assert used <= set(COLOUR.findall(style))


POINTS = (64, 0.5, 0.1, 0.1)
EXHIBITS = {
    "conjunction": lambda: conjunction.price_of_the_route(Scenario("conjunction", ())),
    "parity": lambda: parity.queries_against_examples(Scenario("parity", ()), 0.05),
    "release": lambda: release.compared(0.5, 0.1, 0.1, 1e-6),
    "pseudorandom-point": lambda: pseudorandom.paid(
        ((4, 0.1),), 0.1, d=6, epsilon=0.5, alpha=0.1, beta=0.1
    ),
    "threshold": lambda: threshold.the_line(Scenario("threshold", (), d=16), "line", 1),
    "interval": lambda: interior.needs(0.5, 0.1, 0.1, 1e-6),
    "point": lambda: optimum.successes(*POINTS),
}


@pytest.mark.parametrize("name", EXHIBITS)
def test_a_learner_or_bound_has_one_colour_in_all_figures(name):
    concept, picture = catalog.concept(name), EXHIBITS[name]()
    learners = {entry.name for entry in concept.learners}
    assert picture.stands_for
    for trace in picture.figure["data"]:
        of = picture.stands_for.get(trace["uid"])
        if of is None:
            continue
        style = concept.style_of(of) if of in learners else concept.bound_style(of)
        assert trace.get("line", trace.get("marker"))["color"] == style.colour, (of, trace["uid"])


@pytest.mark.parametrize("name", EXHIBITS)
def test_no_two_curves_of_an_exhibit_look_alike(name):
    looks = [
        (trace.get("line"), trace.get("marker"), trace["mode"])
        for trace in EXHIBITS[name]().figure["data"]
        if trace.get("showlegend", True) and trace["type"] == "scatter"
    ]
    assert looks
    assert not [one for one in looks if looks.count(one) > 1]


@pytest.mark.parametrize("view", ["m", "need-d", "map-d-eps"])
def test_a_bound_of_ones_own_is_the_only_double_line(view):
    scenario = Scenario("threshold", ("erm", "noisy-count"), m=60, formula="d / epsilon")
    traces = draw.picture(scenario, view).figure["data"]
    lines = [(t.get("legendgroup"), t["line"]) for t in traces if "line" in t]
    (own,) = {group for group, line in lines if line["width"] == WIDE}
    inner = [line["color"] for group, line in lines if group == own and line["width"] < WIDE]
    assert inner == [NAVY if view.startswith("map") else "#ffffff"]
    assert len(lines) > 2
