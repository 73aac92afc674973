"""What people take away really runs, and really gives the page's numbers."""

import contextlib
import io
import math
import shlex

import plotly.graph_objects as go
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli.main import main
from privsc_core.draw import VIEWS
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export import Shown, command_line, data_csv, figure_command, python_snippet


def scenarios():
    for concept in catalog.CONCEPTS:
        for law in concept.distributions:
            learners = tuple(e.name for e in concept.learners if law.name in e.laws)
            yield Scenario(
                concept.name, learners, law.label, d=16, epsilon=1.0, alpha=0.15, trials=250, seed=3
            )


EACH = pytest.mark.parametrize(
    "scenario", list(scenarios()), ids=lambda s: f"{s.concept}-{s.distribution}"
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


@EACH
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


@EACH
def test_the_command_prints_the_least_numbers(scenario, capsys):
    program, *words = shlex.split(command_line(scenario))
    assert program == "privsc"
    assert main([*words, "--csv"]) == 0
    said = capsys.readouterr().out
    for name in scenario.learners:
        found = pv.need(
            learner=name, concept=scenario.concept, distribution=scenario.law.label,
            **scenario.settings(), **scenario.simulation(),
        )  # fmt: skip
        row = next(line for line in said.splitlines() if name in line.split(","))
        if not math.isnan(found.m):
            assert str(int(found.m)) in row.split(",")


@pytest.mark.parametrize("view", VIEWS)
def test_the_command_of_a_figure_gives_numbers_over_its_axes(view, capsys):
    scenario = Scenario("release", ("geometric", "stability"), d=12, delta=1e-6)
    _, *words = shlex.split(figure_command(Shown(scenario, view, "geometric")))
    assert main([*words, "--csv"]) == 0
    head, *rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    for axis in VIEWS[view].axes:
        assert len({row[head.index(axis)] for row in rows}) > 8
