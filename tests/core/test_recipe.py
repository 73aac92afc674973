"""What people take away really runs, and really gives the page's numbers."""

import contextlib
import io
import math
import shlex

import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli.main import main
from privsc_core.evaluate.recipe import command_line, python_snippet
from privsc_core.evaluate.scenario import Scenario


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


@EACH
def test_the_snippet_runs_and_names_every_learner(scenario):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(python_snippet(scenario), "snippet", "exec"), {})  # noqa: S102 - our own text
    for name in scenario.learners:
        assert f"{name} " in said.getvalue()


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
