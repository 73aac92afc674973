"""Refusals and reasons as a page says them: symbols and words, nothing of a program."""

import re

import pytest

from pages.shared.page.first import scenario_of
from privsc_core.errors import InputError
from privsc_core.evaluate.views import numbers
from privsc_core.literature.wording import in_symbols, lacking, told
from tests.depth import whole
from tests.pages.declared import DECLARED

# What a program says: our grammar of errors, its numbers, its names and signs.
PROGRAM = re.compile(
    r"; got |\bin [(\[][^,]+, [^)\]]+[)\]]|\d[eE][+-]?\d|\b(?:alpha|beta|epsilon|delta|kappa)\b|[<>]=|sqrt\("
    r"|\^\d|\b(?:None|nan|inf|Traceback)\b"
)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (("delta", "must be in (0, 0.5)", 0.0), "δ must be between 0 and 0.5: it is 0 here. Move δ."),
        (("epsilon", "must be in (0, inf)", -1e-6), "ε must be above 0: it is -1e-06 here. Move ε."),
        (("m", "must be a whole number in [1, 10]", 12345), "m must be a whole number from 1 to 10: it is 12,345 here. Move m."),
        (("alpha", "must be less than beta", 1e-6), "α must be less than β: it is 10⁻⁶ here. Move α."),
        (("d", "must be at least 3 for hard", 2), "d must be at least 3 for hard: it is 2 here. Move d."),
        (("python-flint", "must be installed: pip install x", "nothing"), "python-flint is not installed where this runs: pip install x."),
        (("the column “a”", "must have a value", "none"), "the column “a” must have a value; got none."),
    ],
)  # fmt: skip
def test_a_refusal_is_said_with_what_to_move(error, sentence):
    assert told(InputError(*error)) == sentence


@pytest.mark.parametrize(
    ("error", "remark"),
    [
        (("delta", "must be in (0, 0.5) for search", 0.0), "needs δ > 0"),
        (("alpha", "must be in (0, 1/2) for the learner x", 0.75), "needs α < 1/2"),
        (("epsilon", "must be in [1, inf)", 0.5), "needs ε ≥ 1"),
        (("d", "must be at least 3 for hard", 2), "needs n ≥ 3 for hard"),
        (("d", "must be 2 for arcs, which works on the circle", 3), "n must be 2 for arcs, which works on the circle: it is 3 here. Move n."),
        (("distribution", "must be hard8", "uniform"), "distribution must be hard8; got uniform."),
    ],
)  # fmt: skip
def test_a_table_says_what_is_needed(error, remark):
    assert lacking(InputError(*error), "d", "n") == remark


def test_the_size_has_the_symbol_of_its_class():
    error = InputError("d", "must be at most 1000 for circle", 4096)
    assert told(error, "d", "n") == "n must be at most 1000 for circle: it is 4,096 here. Move n."


def test_reasons_are_written_as_mathematics():
    said = in_symbols("1.3e+24 or 1e+12 once d >= 16: sqrt(d log(1/delta)) / (epsilon alpha^2)")
    assert said == "1.3·10²⁴ or 10¹² once d ≥ 16: √(d log(1/δ)) / (ε α²)"
    assert in_symbols("200 trials, POINT_d, in steps") == "200 trials, POINT_d, in steps"


def moves(settings):
    """Return the first view, and each slider at both of its ends."""
    sliders = [name for name in ("d", "epsilon", "delta", "alpha", "beta", "u") if name in settings]
    return [{}] + [{name: settings[name].stops[end]} for name in sliders for end in (0, -1)]


@pytest.mark.parametrize("everyone", [False, whole(True)])
@pytest.mark.parametrize("concept", list(DECLARED))
def test_no_page_says_what_a_program_says(concept, everyone):
    # Of the learners only those that answer at once; in a whole run all, which search.
    page = DECLARED[concept]
    first = {name: item.default for name, item in page.settings.items()}
    for move in moves(page.settings):
        try:
            scenario = scenario_of(page, first | move)
            found = numbers(scenario, None if everyone else (), brief=True)
        except InputError as refused:
            said = [told(refused)]
        else:
            said = [row.remark for row in (*found.learners, *found.bounds)]
        assert not [text for text in said if PROGRAM.search(text)], move


def test_learners_that_cannot_answer_say_what_is_missing():
    first = {name: item.default for name, item in DECLARED["interval"].settings.items()}
    found = numbers(scenario_of(DECLARED["interval"], first), ("search", "tree"), brief=True)
    said = {row.name: row.remark for row in found.learners}
    for name in ("search", "tree"):
        assert said[name].startswith("needs δ > 0")
    first = {name: item.default for name, item in DECLARED["point"].settings.items()}
    found = numbers(scenario_of(DECLARED["point"], first), ("generic",), brief=True)
    remark = {row.name: row.remark for row in found.learners}["generic"]
    assert "even at m = 10¹², more than β = 0.1" in remark
    assert "move u" in remark
