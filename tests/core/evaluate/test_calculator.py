"""The calculator: its lines against the catalog, its words against the numbers, its ways out."""

import csv
import io
import json
import math
import random
import shlex
from dataclasses import replace

import numpy as np
import pytest

from privsc_core import catalog, cli, export
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.draw.reckoning import at_most, beside, left_by_bound, places, reached
from privsc_core.errors import InputError
from privsc_core.evaluate import calculator
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.question import Question
from privsc_core.evaluate.reach import easier as after
from privsc_core.numerics.crossing import crossing, first_good
from privsc_core.parameters import WANTED
from tests.depth import deep, spread

LAWS = [(concept, law) for concept in CONCEPTS for law in concept.distributions]
ROUNDS = deep(1, 40)


def questions():
    """Yield a question for every distribution and everything that can be looked for."""
    draw = random.Random(5)  # noqa: S311 - no secret
    for number in range(ROUNDS):
        for concept, law in LAWS:
            yield Question(
                concept=concept.name, distribution=law.name, delta=1e-6,
                wanted=WANTED[(number + len(law.name)) % len(WANTED)],
                m=round(10 ** draw.uniform(1, 5)), d=round(2 ** draw.uniform(1, 12)),
                epsilon=round(10 ** draw.uniform(-1, 0.5), 3), alpha=round(draw.uniform(0.02, 0.3), 3),
                beta=round(10 ** draw.uniform(-3, -0.4), 4),
            )  # fmt: skip


@pytest.mark.parametrize(
    "question", list(questions()), ids=lambda q: f"{q.concept}-{q.wanted}-{q.law.name}"
)
def test_nobody_is_beyond_the_bound_beside_it_and_no_bound_is_stronger(question):
    concept, law, wanted = question.concept_class, question.law, question.wanted
    try:
        found = calculator.answer(question)
    except InputError:
        for learner in concept.learners:
            with pytest.raises(InputError):
                calculator.line(question, learner.name)
        return
    known = {line.name for line in found.lines} | {name for name, _ in found.left_out}
    assert known == {learner.name for learner in concept.learners}
    for line in found.lines:
        learner = catalog.learner(concept.name, line.name)
        assert math.isnan(line.value) == bool(line.reason)
        # Without an exact law there, it is what an upper bound promises there.
        assert bool(line.promise) == (learner.laws.get(law.name) != "exact")
        if not math.isnan(line.ratio):
            assert line.ratio >= 1.0
        binding = [
            b for b in concept.bounds
            if b.kind == "lower" and b.binds(learner) and law.name in b.valid_on
            and not b.passed(learner, law)
        ]  # fmt: skip
        if line.promise or not line.bound:
            continue
        assert line.bound in {b.name for b in binding}
        assert line.proved == (law.name in catalog.bound(concept.name, line.bound).proved_on)
        given = question.given()
        m = given.pop("m", None)
        if wanted == "m":
            assert line.best == bound(catalog.bound(concept.name, line.bound), **given).m.item()
            continue
        # One step more demanding than what it excludes no: it is excluded; and none excludes more.
        step = {wanted: int(line.best) + 1 if wanted == "d" else line.best}
        excluded = [b for b in binding if bound(b, **given, **step).m.item() > m]
        assert line.bound in {b.name for b in excluded}
        easier = {wanted: int(line.best) if wanted == "d" else float(f"{line.best * 1.0011:.3e}")}
        if wanted != "d" and after(wanted, line.best) is None:
            continue  # the end of what is looked at
        for b in binding:
            at = question.at(easier[wanted])
            # One that comes and goes may exclude a value and not all that demand more.
            if at.alpha < 1 and at.beta < 1 and b.reaches(law, at) and b.eases(wanted):
                assert not bound(b, **given, **easier).m.item() > m


@pytest.mark.parametrize(
    ("value", "wanted", "said"),
    [
        (0.136, "epsilon", "0.136"), (1e-6, "epsilon", "10⁻⁶"), (1.234e-05, "beta", "1.234·10⁻⁵"),
        (9.999e-12, "beta", "9.999·10⁻¹²"), (0.001, "alpha", "0.001"), (999.9, "epsilon", "999.9"),
        (1234567.0, "m", "1,234,567"), (1e12, "m", "1,000,000,000,000"), (math.nan, "d", "none"),
    ],
)  # fmt: skip
def test_a_number_is_said_with_all_its_digits(value, wanted, said):
    assert reached(value, wanted) == said


def test_what_a_bound_leaves_says_on_which_side():
    assert left_by_bound(302.0, "m") == "≥ 302"
    assert left_by_bound(131.0, "d") == "≤ 131"
    assert left_by_bound(0.06797, "epsilon") == "> 0.06797"
    assert left_by_bound(math.nan, "beta") == "–"


def test_a_ratio_is_never_said_to_be_smaller_than_it_is():
    assert [at_most(x) for x in (1.0, 2.00088, 1.89404, 9.999, 99.91, 123.4, 12345.0, math.nan)] == [
        "1×", "2.01×", "1.9×", "10×", "100×", "124×", "12,400×", "–",
    ]  # fmt: skip
    draw = random.Random(1)  # noqa: S311 - no secret
    for _ in range(500):
        ratio = 10 ** draw.uniform(0, 6)
        said = float(at_most(ratio).replace("×", "").replace(",", ""))
        assert ratio * (1 - 1e-6) <= said <= ratio * 1.011


def test_places_share_a_scale_and_rows_sort_with_the_missing_last():
    lines = [
        calculator.Line("a", 100.0, best=10.0, ratio=10.0),
        calculator.Line("b", math.nan, "too few"),
        calculator.Line("c", 1.0, best=1.0, ratio=1.0),
    ]
    (a, low), missing, (c, _) = places(lines)
    assert c < low < a
    assert low == pytest.approx((a + c) / 2)
    assert missing == (None, None)

    private = [x.name for x in CONCEPTS[0].learners if x.privacy != "none"]
    public = next(x.name for x in CONCEPTS[0].learners if x.privacy == "none")
    of = dict(zip("abc", private, strict=False))
    lines = [replace(line, name=of[line.name]) for line in lines]
    # Limited guarantees and learners without privacy come after what they would be better than.
    lines += [
        replace(lines[2], name=private[3], value=0.5, only_on="some"),
        replace(lines[2], name=public, value=0.1),
    ]
    letters = {name: letter for letter, name in of.items()} | {private[3]: "s", public: "e"}

    def names(by, wanted="epsilon"):
        question = Question(concept=CONCEPTS[0].name, wanted=wanted)
        found = calculator.Answer(question, tuple(lines), ())
        return "".join(letters[line.name] for line in calculator.ordered(found, by))

    assert [names("catalog"), names("value"), names("ratio")] == ["abcse", "casbe", "casbe"]
    assert [names("value", "d"), names("best", "d"), names("ratio", "d")] == [
        "acsbe",
        "acsbe",
        "casbe",
    ]


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda entry: entry.name)
def test_every_distribution_has_an_answer_whatever_is_looked_for(concept, capsys):
    """Also where no learner has an exact law: then it is what is promised there, in the command as well."""
    for number, law in enumerate(concept.distributions):
        some = deep(WANTED[number % len(WANTED) :][:1], WANTED)  # distributions take turns
        exact = [x.laws.get(law.name) == "exact" for x in concept.learners]
        for wanted in () if all(exact) else some:
            asked = Question(
                concept.name, distribution=law.name, wanted=wanted, m=300, d=8, delta=1e-6
            ).checked()
            found = calculator.answer(asked)
            assert len(found.lines) + len(found.left_out) == len(concept.learners)
            at = asked.at(0.5 if wanted in {"alpha", "beta"} else 1.0)
            for line in found.lines:
                if line.promise:
                    assert catalog.bound(concept.name, line.promise).holds_on(law, at)
            if found.lines and not any(exact):
                seen = {line.name: line for line in found.lines}
                assert cli.main([*shlex.split(export.reach_command(asked))[1:], "--json"]) == 0
                for row in json.loads(capsys.readouterr().out):
                    assert row["distribution"] == law.name
                    line = seen.get(row["learner"])
                    assert row["promise"] == (line.promise if line else None)
                    assert bool(row["value"] is None) == (not line or math.isnan(line.value))


@pytest.mark.parametrize("concept", spread(CONCEPTS, 5), ids=lambda entry: entry.name)
def test_file_command_and_python_say_the_same(concept, capsys):
    wanted = WANTED[CONCEPTS.index(concept) % len(WANTED)]
    question = Question(concept=concept.name, wanted=wanted, m=3000, d=8, delta=1e-6).checked()
    found = calculator.answer(question)
    text = export.reach_csv(question, found.lines)
    words = shlex.split(export.reach_command(question))
    assert cli.main([*words[1:], "--csv"]) == 0
    answered = {line.name for line in found.lines}
    rows = [
        row
        for row in csv.DictReader(io.StringIO(capsys.readouterr().out))
        if row["learner"] in answered
    ]
    assert rows == list(csv.DictReader(io.StringIO(text)))
    for one in (found, calculator.answer(question, guaranteed=True)):
        line = next((line for line in one.lines if not math.isnan(line.value)), None)
        if line is None and one is not found:
            continue  # so few examples are enough for no guarantee
        place: dict[str, object] = {}
        exec(  # noqa: S102 - what people are given to run
            export.reach_snippet(question, line).replace("pv.reach(", "found = pv.reach("), place
        )
        assert place["found"].value == line.value
        assert cli.main([*shlex.split(export.reach_command(question, line))[1:], "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert (row["learner"], row["value"], row["promise"] or "") == (
            line.name, line.value, line.promise,
        )  # fmt: skip


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda entry: entry.name)
def test_what_is_guaranteed_is_what_the_best_upper_bound_promises(concept):
    wanted = WANTED[(CONCEPTS.index(concept) + 2) % len(WANTED)]
    setting = {"m": 30_000, "d": 8, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}
    question = Question(concept=concept.name, wanted=wanted, **setting).checked()
    try:
        found = calculator.answer(question, guaranteed=True)
    except InputError:
        found = calculator.Answer(question, (), ())
    for line in found.lines:
        learner = catalog.learner(concept.name, line.name)
        uppers = [b for b in concept.bounds if b.kind == "upper" and b.binds(learner)]
        if math.isnan(line.value):
            assert line.reason
            continue
        taken = catalog.bound(concept.name, line.promise)
        assert taken in uppers
        assert line.only_on == taken.only_on
        if wanted == "m":
            rivals = [b for b in uppers if b.only_on == taken.only_on]
            at = question.at(line.value)
            assert line.value == min(m for b in rivals if (m := b.least(at).m) is not None)
        # A lower bound speaks of this learner, and of a distribution that the promise covers.
        assert not line.ratio < 1.0
        if line.bound and line.only_on:
            lower = catalog.bound(concept.name, line.bound)
            assert {*lower.proved_on} & {
                *(taken.promised_on or [x.name for x in concept.distributions])
            }
    if not any(b.kind == "upper" and b.constants != "rate" for b in concept.bounds):
        assert not found.lines


def test_a_promise_on_some_distributions_says_on_which():
    limited = [b for c in (*CONCEPTS, *BESIDE) for b in c.bounds if b.promised_on or b.only_on]
    assert limited
    assert all(b.kind == "upper" and b.only_on for b in limited)
    for concept in (*CONCEPTS, *BESIDE):
        for b in concept.bounds:
            if b.kind == "upper" and ", on " in b.applies_to:
                assert bool(b.only_on) != b.applies_to.partition(", on ")[2].startswith(
                    "every distribution"
                ) or b.only_on.startswith("distributions"), b.name


def test_learners_of_another_kind_are_named_where_they_do_better():
    question = Question(concept="interval", wanted="m", d=16, epsilon=0.5, delta=1e-6).checked()
    found = calculator.answer(question)
    kind = calculator.Kind("pure", proper=False)
    assert calculator.of_kind(found, kind) == ()
    said = beside(found, kind)
    other = calculator.beside_kind(found, kind)
    entry = catalog.learner("interval", other.name)
    assert entry.proper
    assert entry.privacy == "pure"
    assert said.startswith("No improper pure learner for ")
    assert f"{int(other.value):,}" in said
    # A learner with a slack does better at this d, and does not protect labels with epsilon alone.
    question = Question(concept="interval", wanted="m", d=1024, epsilon=0.5, delta=1e-6).checked()
    found = calculator.answer(question)
    label, any_private = (
        calculator.beside_kind(found, calculator.Kind(x, proper=True)) for x in ("label", "none")
    )
    assert catalog.learner("interval", label.name).privacy == "pure"
    assert catalog.learner("interval", any_private.name).privacy == "approximate"
    assert any_private.value < label.value
    # What is guaranteed on some distributions only is not said to be enough on all.
    question = Question(concept="threshold", wanted="m", d=16, epsilon=0.5).checked()
    found = calculator.answer(question, guaranteed=True)
    assert calculator.beside_kind(found, kind).only_on in beside(found, kind, guaranteed=True)
    # Of points the best improper learner is better than any proper one: nothing is to be said.
    question = Question(concept="point", wanted="m", d=1024, epsilon=0.5, delta=1e-6).checked()
    found = calculator.answer(question)
    assert beside(found, calculator.Kind("pure", proper=False)) == ""
    for kind in (calculator.Kind("label"), calculator.Kind("approximate", proper=False)):
        assert not calculator.of_kind(found, kind)
        best = calculator.beside_kind(found, kind)
        known = [(line.value, catalog.learner("point", line.name)) for line in found.lines]
        every = [m for m, x in known if kind.met_by(x, 1e-6) and not x.unlabelled]
        assert best.value == np.nanmin(every)
        assert "is listed here; the best" in beside(found, kind)


def test_the_table_of_the_command_shows_small_numbers(capsys):
    assert cli.main(shlex.split("reach --for beta --learner erm -m 90 -d 4")) == 0
    out = capsys.readouterr().out
    value = calculator.line(
        Question(concept=CONCEPTS[0].name, wanted="beta", m=90, d=4), "erm"
    ).value
    assert f" {value!r}" in out
    assert value < 1e-3


def test_who_is_not_private_reaches_no_epsilon():
    question = Question(concept=CONCEPTS[0].name, wanted="epsilon", m=3000, d=8)
    lines = {line.name: line for line in calculator.answer(question).lines}
    public = [x.name for x in CONCEPTS[0].learners if x.privacy == "none"]
    assert public
    assert all("not private" in lines[name].reason for name in public)


# --- the search ----------------------------------------------------------------------------------


def test_a_crossing_is_found_with_few_looks_wherever_it_is():
    at = np.log(np.arange(1.0, 100_001.0))
    for root in (0, 1, 2, 17, 999, 50_000, 99_998, 99_999):
        for power in (0.3, 1.0, 5.0):
            asked = []

            def score(place, root=root, power=power, asked=asked):
                asked.append(place)
                gap = at[place] - at[root]
                return math.copysign(abs(gap) ** power, gap) if gap else 0.0

            assert crossing(score, at, [0, 30, 1000, 30_000, 99_999]).place == root
            assert len(asked) < 45


def test_a_crossing_minds_gaps_and_ends():
    at, looks = np.arange(101.0), [0, 20, 40, 60, 80, 100]
    assert crossing(lambda _: None, at, looks).last is None
    nothing = crossing(lambda _: -1.0, at, looks)
    assert (nothing.place, nothing.last) == (None, 100)
    everything = crossing(lambda _: 1.0, at, looks)
    assert (everything.place, everything.first) == (0, True)
    # There from 13 to 91, good from 55 on.
    inside = crossing(lambda n: n - 55.0 if 13 <= n <= 91 else None, at, looks)
    assert (inside.place, inside.last, inside.first) == (55, 91, False)
    edge = crossing(lambda n: 1.0 if n >= 13 else None, at, looks)
    assert (edge.place, edge.first) == (13, True)


def looked(score, at, looks, most=None):
    """Return what the search for a first good place finds."""
    return first_good(score, lambda places: np.array([score(n) for n in places]), at, looks, most)


def test_the_first_good_place_is_found_where_they_come_and_go():
    at, looks = np.arange(101.0), [0, 20, 40, 60, 80, 100]
    again = looked(lambda n: 1.0 if 10 <= n <= 30 or n >= 70 else -9.0, at, looks)
    assert (again.place, again.falls, again.complete) == (10, True, False)
    hill = looked(lambda n: 30.0 - abs(n - 50), at, looks)
    assert (hill.place, hill.falls) == (20, True)
    narrow = looked(lambda n: 4.0 - abs(n - 49), at, looks)
    assert (narrow.place, narrow.falls) == (45, True)
    low = looked(lambda n: -1.0 - abs(n - 49), at, looks)
    assert (low.place, low.complete) == (None, False)
    every = looked(lambda n: 1.0 if n == 37 else -1.0, at, range(101))
    assert (every.place, every.complete) == (37, True)
    assert looked(lambda n: None if n < 13 else 1.0, at, looks).first
    # A hill of seven in a hundred thousand.
    many, top = np.arange(100_000.0), 71_234
    assert looked(lambda p: 3.0 - abs(p - top), many, range(0, 100_000, 9_999)).place == top - 3


def test_with_a_bound_on_scores_between_any_first_good_place_is_found():
    """As a scan finds it, whatever the scores are and however shy the bound is."""
    draw = np.random.default_rng(7)
    at = np.log1p(np.arange(3_000.0))
    for share in (0.0, 1e-3, 0.5):
        for shy in (0.0, 0.3):
            values = np.where(
                draw.random(at.size) < share, 0.1, -draw.exponential(1.0, at.size) - 1e-6
            )

            def most(low, high, values=values, shy=shy):
                return values[low : high + 1].max() + shy * (high - low) / at.size

            found = looked(lambda n, values=values: float(values[n]), at, [0, 2_999], most)
            good = np.flatnonzero(values >= 0.0)
            assert found.complete
            assert found.place == (good[0] if good.size else None)
