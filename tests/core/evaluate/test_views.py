"""What pages draw is what the core computes: views against direct calls, for every class."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog, draw
from privsc_core.concepts.interval.learners import Atoms
from privsc_core.concepts.shared import shattered_cells as spikes_cells
from privsc_core.concepts.shared.cube import ShatteredDistribution
from privsc_core.draw.reading import reading
from privsc_core.errors import InputError
from privsc_core.evaluate import maps, views
from privsc_core.evaluate.scenario import Scenario
from tests.depth import deep, in_turn


def slack(concept):
    """Return a delta with which all learners of a class answer."""
    return max(entry.privacy_slack for entry in concept.learners)


def scenario(concept, constants="sharp"):
    first = concept.distributions[0].name
    names = tuple(e.name for e in concept.learners if e.laws.get(first) == "exact")
    assert names
    return Scenario(
        concept.name,
        names,
        d=20,
        epsilon=0.7,
        alpha=0.12,
        constants=constants,
        m=300,
        delta=slack(concept),
    )


# Of the maps each learner has one, as learners take turns; in a deep run all.
AXES = [("m", "d"), ("m", "epsilon"), ("d", "epsilon")]
CONCEPTS = pytest.mark.parametrize("concept", catalog.CONCEPTS, ids=lambda c: c.name)


@pytest.mark.parametrize(
    ("concept", "axis", "constants"),
    in_turn(catalog.CONCEPTS, ["m", "d", "epsilon"], ["sharp", "paper"]),
)
def test_success_curves_are_the_exact_laws(concept, axis, constants):
    shown = scenario(concept, constants)
    curves = views.success_curves(shown, axis)
    assert {c.name for c in curves.learners} == set(shown.learners)
    for curve in curves.learners:
        setting = {"m": shown.m, **shown.settings()} | {axis: curve.x}
        direct = pv.success(learner=curve.name, concept=concept.name, **setting)
        np.testing.assert_allclose(curve.y, direct.value, rtol=1e-12, atol=1e-13)
    picture = draw.success_figure(curves)
    draw.plotly_figure(picture)  # Plotly's own validation of every property
    assert {t["uid"] for t in picture.figure["data"]} >= set(shown.learners)


def near(curves):
    """Return how near curves are that were computed together: on spikes rare success less so."""
    return 2e-13 if isinstance(curves.scenario.law, ShatteredDistribution) else 4e-15


@pytest.mark.parametrize(("concept", "name"), in_turn(catalog.CONCEPTS, ["d", "epsilon", "alpha"]))
def test_curves_of_several_settings_are_those_of_each(concept, name):
    values = {"d": (3, 64), "epsilon": (0.1, 2.0), "alpha": (0.07, 0.12)}[name]
    every = [replace(scenario(concept), **{name: value}) for value in values]
    together = views.success_strip(every, "m", [None, (5.0, 3000.0), None][: len(every)])
    alone = [
        views.success_curves(one, "m", x_range=curves.x_range)
        for one, curves in zip(every, together, strict=True)
    ]
    assert together[1].x_range == (5.0, 3000.0)
    for found, wanted in zip(together, alone, strict=True):
        assert (found.scenario, found.missing) == (wanted.scenario, wanted.missing)
        for one, other in itertools.zip_longest(
            (*found.learners, *found.bounds), (*wanted.learners, *wanted.bounds)
        ):
            assert (one.name, one.method, one.shaded) == (
                other.name,
                other.method,
                other.shaded,
            )
            assert repr(one.at) == repr(other.at)
            np.testing.assert_array_equal(one.x, other.x)
            for side in ("y", "low", "high"):
                np.testing.assert_allclose(
                    getattr(one, side), getattr(other, side), rtol=near(found), atol=1e-300
                )


def test_a_law_that_sees_its_company_is_noticed(monkeypatch):
    every = [replace(scenario(catalog.concept("conjunction")), d=d) for d in (3, 20, 64)]
    honest = views.success_strip(every, "m", [None] * 3)
    true = spikes_cells._level
    monkeypatch.setattr(
        spikes_cells, "_level", lambda size, ratio: true(size, ratio) + (size.size > 40)
    )
    together = views.success_strip(every, "m", [None] * 3)
    pairs = [
        (one.y, other.y)
        for found, wanted in zip(together, honest, strict=True)
        for one, other in zip(found.learners, wanted.learners, strict=True)
    ]
    assert not all(np.allclose(*pair, rtol=near(honest[0]), atol=1e-300) for pair in pairs)
    assert all(np.allclose(*pair, rtol=0, atol=1e-11) for pair in pairs)


def test_who_is_refused_at_one_setting_is_so_there_alone(monkeypatch):
    every = [replace(scenario(catalog.concept("point")), d=d) for d in (8, 16, 32)]
    true = views.success

    def picky(learner, law, **at):
        if learner.name == "erm" and 16 in np.unique(at["d"]):
            raise InputError("d", "must not be 16", 16)
        return true(learner, law, **at)

    monkeypatch.setattr(views, "success", picky)
    found = views.success_strip(every, "m", [None] * 3)
    drawn = ["erm" in {curve.name for curve in curves.learners} for curves in found]
    assert drawn == [True, False, True]
    assert found[1].missing == (("Non-private", "d must not be 16; got 16."),)


@pytest.mark.parametrize(("concept", "axis"), in_turn(catalog.CONCEPTS, ["d", "epsilon"]))
def test_least_m_curves_are_need_and_bound(concept, axis):
    shown = scenario(concept)
    curves = views.least_m(shown, axis)
    for curve in (*curves.learners, *curves.bounds):
        setting = shown.settings() | {axis: curve.x[::10]}
        call = pv.need if curve.kind == "learner" else pv.bound
        which = {"learner" if curve.kind == "learner" else "bound": curve.name}
        direct = call(concept=concept.name, **which, **setting)
        np.testing.assert_array_equal(curve.y[::10], direct.m)
    draw.plotly_figure(draw.least_m_figure(curves))


@CONCEPTS
@pytest.mark.parametrize("axes", AXES)
def test_maps_are_the_exact_laws(concept, axes):
    shown = scenario(concept)
    turn = AXES.index(axes)
    for name in deep(shown.learners[turn::3][:1] or shown.learners[:1], shown.learners):
        phase = maps.phase_diagram(shown, name, *axes)
        rows, columns = phase.y[::20, None], phase.x[None, ::20]
        setting = {"m": shown.m, **shown.settings()} | {axes[0]: columns, axes[1]: rows}
        direct = pv.success(learner=name, concept=concept.name, **setting).value
        np.testing.assert_allclose(phase.z[::20, ::20], direct, rtol=1e-12, atol=1e-13)
    draw.plotly_figure(draw.phase_figure(phase))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"constants": "best"}, "constants must be one of sharp, paper; got"),
        ({"d": 0}, "d must be"),
        ({"learners": ("none",)}, "learner must be"),
        ({"alpha": 0.0}, "alpha must be"),
    ],
)
def test_a_scenario_refuses_with_one_sentence(change, words):
    with pytest.raises(InputError, match=words):
        Scenario(**({"concept": "point", "learners": ("erm",)} | change))


def test_a_map_needs_two_axes_and_an_exact_law():
    shown = Scenario("point", ("erm",))
    with pytest.raises(InputError, match="axes must be two different"):
        maps.phase_diagram(shown, "erm", "m", "m")
    with pytest.raises(InputError, match="learner must have an exact law"):
        maps.phase_diagram(shown, "nobody", "m", "d")


@pytest.mark.parametrize("law", ["band", "uniform"])
def test_a_map_says_which_distributions_have_one(law, monkeypatch):
    shown = Scenario("interval", ("exponential",), law)
    words = f"^learner must have an exact law on {law}: atoms; got exponential"
    with pytest.raises(InputError, match=words):
        maps.phase_diagram(shown, "exponential", "m", "d")
    # Without that one nobody has.
    monkeypatch.setattr(Atoms, "laws", {"hard": "exact"})
    words = f"^distribution must be one of hard for a map, where laws are exact; got {law}"
    with pytest.raises(InputError, match=words):
        maps.phase_diagram(shown, "exponential", "m", "d")


def test_a_simulated_curve_has_its_points_where_it_climbs():
    who = ("exponential", "sq-laplace")
    shown = Scenario("conjunction", who, "product", d=6, epsilon=1.0, trials=50)
    curve, _ = views.success_curves(shown, "m").learners
    assert curve.method == "rao-blackwell"
    # It had 13 of 61 there.
    near = (curve.x > curve.at / 1.8) & (curve.x < 1.8 * curve.at)
    assert near.sum() >= 15
    assert curve.x.size < 61


def test_where_every_d_takes_seconds_few_are_simulated():
    # With so many samples nothing has to be simulated; 61 places took longer than anybody may.
    shown = Scenario("marginals", ("projected",), d=16, m=10**6, epsilon=1.0, delta=1e-6, trials=50)
    (curve,) = views.success_curves(shown, "d").learners
    assert curve.method == "rao-blackwell"
    assert (curve.x <= 24).sum() >= 21
    assert (curve.x > 24).sum() <= 5
    assert curve.x[-1] == catalog.learner("marginals", "projected").most_d(shown.law)


# Planted: the caption as it was, which claimed all of them from the first part on.
def test_a_caption_says_how_much_has_been_simulated():
    # Of maps and least numbers nothing is.
    drawn = Scenario("parity", ("exponential", "elimination"), d=8, m=60)
    for view in ("need-eps", "map-m-eps"):
        assert "simulated samples" not in draw.picture(drawn, view, on_map="elimination").caption
    scenario = Scenario("interval", ("exponential",), "uniform", d=16, trials=500)
    assert "simulated samples" not in draw.picture(scenario, trials=0).caption
    assert "; 250 of 500 simulated samples a point" in draw.picture(scenario, trials=250).caption
    assert "; 500 simulated samples a point" in draw.picture(scenario).caption


@pytest.mark.parametrize(("epsilon", "side"), [(0.05, "bottom right"), (0.5, "top left")])
def test_the_name_of_a_low_area_runs_into_no_number(epsilon, side):
    """The number without privacy stands where the area is, below the target line or above it."""
    names = ("erm", "exponential", "sq-laplace")
    drawn = Scenario("conjunction", names, d=10_000, epsilon=epsilon)
    data = {t["uid"]: t for t in draw.picture(drawn, trials=0).figure["data"]}
    assert data["erm-at"]["textposition"] == side
    assert not any(uid.endswith(" area") for uid in data)


def test_the_name_of_an_area_makes_way_for_a_number_below_the_target_line():
    names = ("erm", "exponential")
    levels = []
    for d, epsilon in ((64, 0.5), (64, 3.0)):  # at the second the number is in front of the name
        drawn = Scenario("interval", names, d=d, epsilon=epsilon)
        data = {t["uid"]: t for t in draw.picture(drawn, trials=0).figure["data"]}
        assert data["erm-at"]["textposition"] == "bottom right"
        levels.append(max(t["y"][0] for uid, t in data.items() if uid.endswith(" area")))
    assert levels == pytest.approx([0.72, 0.9 - 2 * 0.15])


@pytest.mark.parametrize("d", [16, 128])
def test_the_name_of_an_area_without_a_curve_stands_below_the_numbers(d):
    """A number below the target line ends 0.15 below it at most, and the curves are beside the words."""
    drawn = Scenario("point", ("erm", "exponential", "hash"), d=d, constants="paper")
    data = {t["uid"]: t for t in draw.picture(drawn, trials=0).figure["data"]}
    (name,) = (uid for uid in data if uid.endswith(" area"))
    assert data[name]["textposition"] == "bottom center"
    (at,), (level,) = data[name]["x"], data[name]["y"]
    assert level <= data["erm-at"]["y"][0] - 0.15 + 1e-12
    assert data["erm-at"]["textposition"] == "bottom right"
    for learner in drawn.learners:
        curve = data[learner]
        crossing = np.interp(level - 0.1, curve["y"], np.log(curve["x"]))
        assert abs(crossing - math.log(at)) > 0.1 * math.log(curve["x"][-1] / curve["x"][0])


@pytest.mark.parametrize(("beta", "named"), [(0.5, True), (0.6, False), (0.99, False)])
def test_the_name_of_an_area_never_runs_into_the_axis(beta, named):
    drawn = Scenario("point", ("erm", "exponential"), d=128, beta=beta, constants="paper")
    data = draw.picture(drawn, trials=0).figure["data"]
    assert any(t["uid"].endswith("-lower") for t in data)
    assert any(t["uid"].endswith(" area") for t in data) == named


def test_a_figure_draws_the_bounds_it_is_told_to_and_all_where_none_of_them_applies():
    def drawn(**given):
        scenario = Scenario("point", ("exponential",), trials=250, **given)
        data = draw.picture(scenario, trials=0).figure["data"]
        uids = {trace["uid"] for trace in data}
        return {uid.removesuffix("-lower") for uid in uids if uid.endswith("-lower")}

    every, single = drawn(), drawn(distribution="single")
    assert drawn(regions=("packing",)) == {"packing"} < every
    assert "packing" not in single  # which speaks of another distribution
    assert drawn(regions=("packing",), distribution="single") == single
    with pytest.raises(InputError, match="bound must be one of"):
        Scenario("point", (), regions=("nothing",))


@pytest.mark.parametrize("concept", catalog.CONCEPTS, ids=lambda concept: concept.name)
def test_a_red_area_says_whom_it_binds_and_curves_that_it_does_not(concept):
    names = tuple(entry.name for entry in concept.learners)
    scenario = Scenario(concept=concept.name, learners=names, d=64, delta=slack(concept))
    data = draw.picture(scenario, trials=0).figure["data"]
    areas = [
        entry
        for entry in scenario.bounds
        if entry.kind == "lower" and entry.shaded and scenario.applies(entry)
    ]
    lower = (entry for entry in scenario.bounds if entry.kind == "lower")
    assert areas or all(scenario.law.name not in entry.valid_on for entry in lower)
    texts = [t["text"][0].replace("<br>", " ") for t in data if t["mode"] == "text"]
    written = [text.removeprefix("↑ ") for text in texts]
    # Each once; those of narrow areas stand in the legend alone.
    assert len(set(written)) == len(written)
    more = any(learner.unlabelled for learner in scenario.drawn)
    alone = " without unlabelled examples" if more else ""
    assert set(written) <= {
        f"impossible for {entry.applies_briefly or entry.applies_to}{alone}" for entry in areas
    }
    assert all(len(entry.applies_briefly) <= 60 for entry in areas)
    # Each stands in its area: above the edge, with room for its lines.
    tall, at = 0.15, 0.26
    # What is shaded above the target alone has no curve, and its name below: an arrow points there.
    edges = {
        t["uid"].removesuffix("-lower"): t for t in data
        if t["uid"].endswith("-lower") and len(t["x"]) > 4
    }  # fmt: skip
    for t in data:
        edge = edges.get(t["uid"].removesuffix(" area"))
        if t["mode"] == "text":
            assert t["text"][0].startswith("↑ ") == (edge is None)
        if t["mode"] == "text" and edge:
            high = np.interp(np.log(t["x"][0]), np.log(edge["x"]), edge["y"])
            assert high + tall <= t["y"][0] + 1e-9 <= 1 - tall + 2e-9
    # It is missing where at a quarter of the width there is no room above the edge.
    low, high = views.frame(scenario, "m")
    place = math.log(low) + at * math.log(high / low)
    shaded = [edges.get(entry.name) for entry in areas]
    narrow = [t and np.interp(place, np.log(t["x"]), t["y"]) > 1 - 2 * tall for t in shaded]
    assert bool(written) == (bool(areas) and not all(narrow))
    # They may be wider than their areas: no two at one height.
    assert len({t["y"][0] for t in data if t["mode"] == "text"}) == len(written)
    # Below the target line nothing crosses the number of the one that needs most.
    crossings = [t for t in data if t["uid"].endswith("-at")]
    assert crossings[-1]["textposition"] == "bottom right"
    shown = {t["uid"]: t["name"] for t in data}
    for learner in scenario.drawn:
        if learner.laws[scenario.law.name] == "exact":
            bound = not areas or any(entry.binds(learner) for entry in areas)
            assert shown[learner.name].endswith("(red does not apply)") != bound


@pytest.mark.parametrize("view", ["m", "need-d", "map-m-d", "map-m-eps"])
def test_a_guess_is_drawn_wherever_it_is_and_the_empty_axis_tells_nothing(view):
    chosen = draw.VIEWS[view]
    side = "x" if chosen.axes[0] == "m" else "y"
    frames = []
    for d in (8, 1024):
        picture = draw.picture(
            Scenario(concept="point", learners=("exponential",), d=d), view, on_map="exponential"
        )
        for guess in (1, 10**6, 10**7):
            marked = draw.mark(picture, guess, chosen.axes, chosen.quantity, float(d))
            low, high = marked.figure["layout"][f"{side}axis"]["range"]
            assert low <= math.log10(guess) <= high
        hidden = draw.conceal(picture, "?", chosen.axes, chosen.quantity).figure
        frames.append((hidden["data"], hidden["layout"]))
    assert frames[0] == frames[1]


def test_the_least_m_is_marked_at_the_chosen_d():
    scenario = Scenario(concept="point", learners=("erm", "exponential"), d=256)
    picture = draw.picture(scenario, "need-d")
    marked = {
        t["uid"]: (*t["x"], *t["y"], *t["text"])
        for t in picture.figure["data"]
        if t["mode"] == "markers+text"
    }
    assert marked == {
        "erm-at": (256.0, 22.0, "22"),
        "exponential-at": (256.0, 7442.0, "7,442"),
    }
    asked = draw.conceal(picture, "?", ("d",), "m")
    asked = draw.mark(asked, 100, ("d",), "m", 256.0, ask=True)
    assert asked.figure["data"][-1]["x"] == [256.0]


def test_the_strongest_lower_bound_stands_on_a_card():
    def strongest(concept, law, d, *names, here=False):
        at = Scenario(concept, (), law, d=d)
        return views.numbers(at).strongest(*names, here=here)

    # Few targets fit into three dimensions, many into a hundred; on the circle n plays no part.
    labels = ("packing-circle", "packing", "pair")
    for law, d, name, m in (
        ("uniform", 3, "pair", 26), ("uniform", 100, "packing", 130), ("circle", 100, "packing-circle", 28),
    ):  # fmt: skip
        found = strongest("halfspace", law, d, *labels, here=True)
        assert (found.name, found.m) == (name, m)
    assert strongest("line", "spread", 64, "blind-guess", "littlestone").m == 961
    assert strongest("line", "spread", 5, "blind-guess", "littlestone").m == 53


@pytest.mark.parametrize("named", ["hash", "seen"])
def test_a_map_tells_a_learner_from_a_bound_of_its_name(named):
    drawn = Scenario("point", ("hash", "seen"), delta=1e-6)
    picture = draw.picture(drawn, "map-m-d", on_map=named, trials=0)
    uids = [trace["uid"] for trace in picture.figure["data"]]
    assert len(set(uids)) == len(uids)
    entry = catalog.learner("point", named)
    said = {line.name: line.words for line in reading(drawn, "map-m-d", picture)}
    assert "The least m of this learner" in said[f"{entry.title}: least m"]
    assert sum("The least m of this learner" in words for words in said.values()) == 1
