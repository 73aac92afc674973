"""Every kind of question at 50 settings: the right answer by another route, and no other answer is right."""

import dataclasses
import itertools
import random
import re

import pytest

from privsc_core import catalog, practice
from privsc_core.concepts.contracts.practice import Choice, choose, exercise, predict
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.core.practice.routes import chance, least

SETTINGS = 50
_MARKUP = re.compile(r"[*_`$<>\\\[\]{}|~#&]|\n|  ")
# Classes whose numbers come in a moment, and their sizes: kinds that fit every class are asked of these.
CHEAP = {"point": (4, 4000), "pseudorandom-point": (4, 4000), "parity": (3, 40)}


def settings(name, sizes):
    """Return settings of a class, the same ones in every run: kinds share them, and what is known of them."""
    draw = random.Random(name)  # noqa: S311 - settings, not secrets
    concept = catalog.concept(name)
    shown = tuple(one.name for one in concept.learners[:3])
    for _ in range(SETTINGS):
        yield Scenario(
            name, shown, m=round(10 ** draw.uniform(1, 4)), d=draw.randint(*sizes),
            epsilon=round(draw.uniform(0.1, 2.0), 3), alpha=round(draw.uniform(0.03, 0.25), 3),
            beta=round(draw.uniform(0.02, 0.3), 3), delta=draw.choice([0.0, 1e-6, 1e-4]),
        )  # fmt: skip


POOL = {name: tuple(settings(name, sizes)) for name, sizes in CHEAP.items()}


def factor(scenario, said, name):
    """Return by which factor the least m grows when a parameter has the value that is asked about."""
    learner = said["learner"]
    return least(scenario, learner, **{name: said[name]}) / least(scenario, learner)


def ranged(name):
    """Return what tells whether a range of factors holds the true one."""
    ranges = ((1 / 1.01, 1.01), (1.01, 1.5), (1.5, 2.5), (2.5, 1e9))

    def holds(scenario, asked, value):
        low, high = ranges[value]
        return low < factor(scenario, asked.about, name) <= high

    return holds


def least_m(scenario, asked, value):
    learner = next(one for one in scenario.entries if one.name == asked.about["learner"])
    before, here = chance(scenario, learner, [max(value - 1, 1), value])
    return here >= 1 - scenario.beta and (value == 1 or before < 1 - scenario.beta)


def ordered(scenario, _, value):
    numbers = [least(scenario, name) for name in value]
    return all(one < other for one, other in itertools.pairwise(numbers))


# What tells of an answer whether it is right, by the kind; and the classes of which it is asked.
CHECKS = {
    "least-m": (least_m, CHEAP),
    "order-three": (ordered, CHEAP),
    "double-d": (ranged("d"), CHEAP),
    "halve-epsilon": (ranged("epsilon"), CHEAP),
    "halve-alpha": (ranged("alpha"), CHEAP),
    "beta-tenth": (ranged("beta"), CHEAP),
}


def faults(kind, holds, classes):
    """Yield what is wrong with a kind: at 50 settings, dealt to the classes in turn."""
    seen = 0
    for turn, scenario in enumerate(
        itertools.chain.from_iterable(zip(*(POOL[name] for name in classes), strict=True))
    ):
        asked = kind.ask(practice.Shown(scenario, turn))
        if asked is None:
            continue
        seen += 1
        yield from texts(asked)
        answers = asked.values if asked.number is None else (asked.number,)
        wrong = () if asked.number is None else [one.number for one in asked.mistakes]
        for place, value in enumerate((*answers, *wrong)):
            right = place == (asked.right or 0)
            if bool(holds(scenario, asked, value)) is not right:
                yield f"{kind.name}: {value} is said to be {right} at {scenario} ({asked})"
        if seen == SETTINGS:
            return
    yield f"{kind.name} could be asked at {seen} settings only"


def texts(asked):
    """Yield what is wrong with the texts of a question."""
    number = asked.number is not None
    every = asked.sentence, *asked.choices, *asked.feedback, *(one.said for one in asked.mistakes)
    yield from (f"{asked.kind} has markup: {text}" for text in every if _MARKUP.search(text))
    yield from (f"{asked.kind} has an empty text" for text in every if not text.strip())
    if number and (asked.choices or asked.right is not None or len(asked.feedback) != 1):
        yield f"{asked.kind} asks for a number and for a choice"
    if not number and not 2 <= len(set(asked.choices)) == len(asked.feedback) <= 6:
        yield f"{asked.kind} has choices that are alike, or too many: {asked.choices}"


@pytest.mark.parametrize("name", CHECKS)
def test_right_answers_are_right_and_no_others(name):
    kinds = {kind.name: kind for one in catalog.CONCEPTS for kind in practice.known(one).values()}
    holds, classes = CHECKS[name]
    assert not list(itertools.islice(faults(kinds[name], holds, classes), 3))


def test_every_kind_is_checked():
    classes = (*catalog.CONCEPTS, *catalog.BESIDE)
    every = [kind.name for one in classes for kind in one.kinds]
    every += [kind.name for kind in practice.GENERAL]
    assert len(every) == len(set(every))
    assert set(every) == set(CHECKS)


@pytest.mark.parametrize("change", [
    lambda asked: dataclasses.replace(asked, right=1 - asked.right),
    lambda asked: dataclasses.replace(asked, choices=("<b>x</b>", *asked.choices[1:])),
    lambda asked: dataclasses.replace(asked, choices=asked.choices[:1] * 2),
    lambda asked: dataclasses.replace(asked, values=(asked.values[asked.right],) * 2),
    lambda _: None,
])  # fmt: skip
def test_a_wrong_kind_is_found(change):
    @exercise("planted", "m")
    def planted(at):
        right = Choice("larger", "Right.", at.cell.d > 100)
        return change(choose("Is d above 100?", right, Choice("smaller", "No.", at.cell.d <= 100)))

    def holds(scenario, asked, value):
        return value == (scenario.d > 100)

    assert list(faults(planted, holds, ["point"]))


def test_a_wrong_number_is_found():
    @exercise("planted", "m")
    def planted(at):
        return predict(
            "How many?",
            at.least(at.learners[0]) + 1,
            "So many.",
            about={"learner": at.learners[0].name},
        )

    assert list(faults(planted, least_m, ["point"]))


def test_equal_answers_are_one():
    right = Choice("100", "Right.", 100)
    asked = choose("How many?", right, Choice("102", "Nearly.", 102), Choice("200", "No.", 200))
    assert asked.choices == ("100", "200")
    assert choose("How many?", right, Choice("102", "Nearly.", 102)) is None


def test_a_mistake_is_recognised():
    asked = practice.ask("least-m", Scenario("point", ("exponential",)))
    assert asked.verdict(asked.number * 1.1).right
    wrong = asked.verdict(22)
    assert not wrong.right
    assert "without privacy" in wrong.said
    assert "factor" in asked.verdict(10**6).said


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="ask must be a kind of question"):
        practice.ask("none-such", Scenario("point", ("exponential",)))
