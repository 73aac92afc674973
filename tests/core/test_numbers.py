"""Every surface says the reference numbers: Python, the command line, cards, certificates."""

import json

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli import main
from privsc_core.evaluate import views
from privsc_core.evaluate.certificate import certify, lacking
from privsc_core.evaluate.question import Question
from privsc_core.evaluate.scenario import Scenario
from tests.classes import inequality, known
from tests.core.support import saying
from tests.depth import deep, spread
from tests.numbers import ASKS, rows

EACH = pytest.mark.parametrize("row", rows(), ids=str)
CERTIFIED_MOST, WRITTEN_MOST = (
    700,
    2_100,
)  # examples: certificates and fifty digits of more take long


NAMES = sorted({row.concept.partition("(")[0] for row in rows()})
CLASSES = pytest.mark.parametrize("name", NAMES)


def of(name, *asks):
    """Return the rows of a class, whatever stands in its parentheses."""
    return [r for r in rows() if r.concept.partition("(")[0] == name and r.ask in (asks or ASKS)]


def agrees(row, found, wanted):
    return found == pytest.approx(wanted, rel=0, abs=row.digits)


@EACH
def test_python_and_the_command_line_say_the_reference_number(row, capsys):
    what = "value" if row.ask == "success" else "m"
    at = {k: np.array(v) if isinstance(v, list) else v for k, v in row.settings.items()}
    if np.ndim(at.get("delta", 0)) == 0:  # it is one for all settings of a call
        found = getattr(getattr(pv, row.ask)(**row.names, **at), what)
        assert agrees(row, np.atleast_1d(found).tolist(), row.numbers)
    every = list(row.each())
    for setting, wanted in deep(every[-1:], every):
        words = [f"{'--' if len(k) > 1 else '-'}{k}={v}" for k, v in (row.names | setting).items()]
        assert main([row.ask, *words, "--json"]) == 0
        (record,) = json.loads(capsys.readouterr().out)
        assert agrees(row, record[what], wanted), setting
        assert all(record.get(name, value) == value for name, value in setting.items())


@pytest.mark.parametrize("name", spread(NAMES, 5))
def test_cards_say_the_reference_number(name):
    """Of every third row the first; on a card a learner stands on the distribution that is shown."""
    for row in of(name, "need", "bound")[::3]:
        setting, wanted = next(row.each())
        learner = (row.name,) if row.ask == "need" else ()
        first = row.distribution or catalog.concept(row.concept).distributions[0].name
        numbers = views.numbers(Scenario(row.concept, learner, first, **setting))
        found = numbers.learner(row.name) if learner else numbers.bound(row.name)
        assert found.m == wanted, str(row)


def test_reference_numbers_are_certified():
    pytest.importorskip("flint")
    seen = 0
    for row in rows():
        setting, wanted = next(row.each())
        question = Question(**row.names, **setting).checked()
        if max(wanted, setting.get("m", 0)) > CERTIFIED_MOST or lacking(question):
            continue
        with saying(row):
            found = certify(question)
            if found["claim"] is None:
                assert found["reason"]
                continue
            assert found["agrees"]
            seen += 1
            if row.ask == "success":
                assert agrees(row, float(found["low"]), wanted)
                assert agrees(row, float(found["high"]), wanted)
            else:
                assert found["least"] == wanted
    assert seen > 40


def test_reference_numbers_of_points_are_the_least_by_their_second_writing():
    concept = catalog.concept("point")
    for row in of("point", "bound"):
        for setting, m in row.each():
            if m <= WRITTEN_MOST and "delta" not in setting and row.name in known(concept).holds:
                holds = inequality(concept, row.name)
                at = [setting[name] for name in ("d", "epsilon", "alpha", "beta")]
                assert holds(m, *at), str(row)
                assert m == 1 or not holds(m - 1, *at), str(row)
