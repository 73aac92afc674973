"""What people take away really runs, and really gives the page's numbers."""

import contextlib
import csv
import io
import pickle
import shlex
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from hypothesis import HealthCheck, example, given, reject, settings
from hypothesis import strategies as st

from privsc_core import catalog, draw
from privsc_core.cli.main import main
from privsc_core.draw import VIEWS
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.evaluate.views import numbers
from privsc_core.export import Shown, command_line, data_csv, figure_command, python_snippet
from tests.depth import deep, spread


def scenarios():
    for concept in catalog.CONCEPTS:
        for law in concept.distributions:
            learners = tuple(e.name for e in concept.learners if law.name in e.laws)
            yield Scenario(
                concept.name, learners, law.label, d=12, epsilon=1.0, alpha=0.15, trials=deep(10, 250), seed=3,
                delta=max(e.privacy_slack for e in concept.learners),
            )  # fmt: skip


EACH, SOME = (
    pytest.mark.parametrize("scenario", some, ids=lambda s: f"{s.concept}-{s.distribution}")
    for some in (list(scenarios()), spread(scenarios(), 8))
)


@pytest.fixture
def printed(monkeypatch):
    """Run a snippet; return what it printed and the figures that it showed."""
    figures = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: figures.append(figure))  # noqa: PLW0108 - bound

    def run(text):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(text, "snippet", "exec"), {})  # noqa: S102 - our own text
        return said.getvalue(), figures

    return run


@pytest.fixture
def answered(capsys):
    """Type a command; return what it said, as CSV."""

    def call(text):
        program, *words = shlex.split(text)
        assert program == "privsc"
        status = main([word for word in words if word != "--csv"] + ["--csv"])
        out, err = capsys.readouterr()
        assert bool(err) == bool(status)
        return out or err

    return call


@SOME
def test_the_snippet_runs_and_names_every_learner(scenario, printed):
    said, figures = printed(python_snippet(Shown(scenario)))
    assert len(figures) == 1
    for name in scenario.learners:
        assert f"\n{name}," in said


@pytest.mark.parametrize("view", VIEWS)
def test_the_snippet_of_every_view_prints_the_data_of_the_figure(view, printed):
    scenario = Scenario("point", ("erm", "exponential"), "bystanders(20)", d=12)
    if VIEWS[view].quantity == "map":
        scenario = Scenario("point", ("hash",), d=12)
    shown = Shown(scenario, view, "hash")
    said, figures = printed(python_snippet(shown))
    picture = shown.picture()
    assert said == data_csv(picture) + "\n"
    assert len(figures[0].data) == len(picture.figure["data"])


@st.composite
def shown_figures(draw):
    """Draw any figure that a page may show: class, distribution, view, learners and setting."""
    concept = draw(st.sampled_from(catalog.CONCEPTS))
    law = draw(st.sampled_from(concept.distributions))
    learners = draw(st.sets(st.sampled_from([e.name for e in concept.learners]), min_size=1))
    exact = [e.name for e in concept.learners if e.laws.get(law.name) == "exact"]
    view = draw(st.sampled_from([v for v in VIEWS if exact or VIEWS[v].quantity != "map"]))
    # Where the frames end is random too: least numbers from tens to beyond a million.
    setting = {
        "d": draw(st.integers(3, 2000)), "m": draw(st.integers(10, 10**6)),
        "epsilon": draw(st.floats(0.05, 5)), "alpha": draw(st.floats(0.05, 0.24)),
        "beta": draw(st.floats(1e-4, 0.3)), "delta": draw(st.sampled_from([0.0, 1e-6])),
        "constants": draw(st.sampled_from(["sharp", "paper"])), "seed": draw(st.integers(0, 99)),
    }  # fmt: skip
    try:
        scenario = Scenario(concept.name, tuple(learners), law.label, trials=2, **setting)
    except InputError:
        reject()
    return Shown(scenario, view, draw(st.sampled_from(exact)) if exact else "")


FAR = Shown(
    Scenario("point", ("erm", "exponential", "hash"), d=1024, epsilon=0.1), "m"
)  # up to 143,484
BESIDE = Shown(Scenario("point", ("representation",), d=64, epsilon=0.1), "map-m-d", "hash")


# Planted: a grid of its own (10 to 10,000); the constants, the learners beside a map or delta
# forgotten; digits cut. A picture of two classes is a second of work: few of them.
@settings(max_examples=deep(4, 200), suppress_health_check=list(HealthCheck))
@given(shown_figures())
@example(FAR)
@example(BESIDE)
@example(replace(FAR, pinned=replace(FAR.scenario, d=64, epsilon=1.0)))
@example(replace(BESIDE, view="map-d-eps", pinned=BESIDE.scenario))
@example(replace(FAR, scenario=replace(FAR.scenario, constants="paper"), view="need-d"))
def test_every_recipe_gives_exactly_its_figure(printed, answered, shown):
    try:
        picture = shown.picture()
    except InputError:
        reject()
    data = data_csv(picture)
    if data.count("\n") > 1:
        assert answered(figure_command(shown)) == data
        said, figures = printed(python_snippet(shown))
        assert said == data + "\n"
        drawn = pickle.dumps(draw.plotly_figure(picture).to_dict())
        assert pickle.dumps(figures[-1].to_dict()) == drawn


@SOME
def test_the_command_of_the_least_numbers_gives_the_table_of_the_page(scenario, answered):
    said = csv.DictReader(io.StringIO(answered(command_line(scenario))))
    table = {row.name: "" if row.m is None else str(row.m) for row in numbers(scenario).learners}
    assert {row["learner"]: row["m"] for row in said} == table


def test_a_figure_without_a_curve_is_refused(capsys):
    assert main(["figure", "--learner", "none"]) == 2
    assert "learner must have a curve in this figure; got none." in capsys.readouterr().err
    assert main(["figure", "--view", "x"]) == 2
    assert "view must be one of m, eps" in capsys.readouterr().err
