"""What long computations tell of how much is done: it grows to 1, and means something before."""

import pytest

from privsc_core import draw, progress
from privsc_core.catalog import CONCEPTS, learner
from privsc_core.draw.least import contrast_picture
from privsc_core.evaluate import audit, maps, views
from privsc_core.evaluate.audit import instance
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits import pseudorandom as efficiency
from privsc_core.exhibits.interval import noise_channel
from privsc_core.progress import heard, stage, steps
from tests.depth import spread


def told(call):
    """Return the shares that a call tells."""
    shares = []
    with heard(shares.append):
        call()
    return shares


# --- The loops -----------------------------------------------------------------------------------


def test_loops_inside_loops_fill_their_part():
    def nested():
        for n in steps((1, 2), weights=(1.0, 3.0)):
            for _ in steps(range(n)):
                pass

    assert told(nested) == [0.25, 0.625, 1.0]


def test_stages_follow_each_other():
    def staged():
        with stage(0.0, 0.5):
            list(steps("ab"))
        list(steps("cd", begin=0.5, end=0.9))

    assert told(staged) == [0.25, 0.5, 0.7, 0.9, 1.0]


def test_it_never_goes_back_and_ends_at_one():
    def twice():  # a planted fault: two loops, each of which takes itself for the whole
        list(steps("ab"))
        list(steps("abcd"))

    assert told(twice) == [0.5, 1.0]
    assert told(lambda: None) == [1.0]


def test_where_nobody_listens_it_is_the_loop_itself():
    assert list(steps(iter("ab"))) == ["a", "b"]
    with stage(0.0, 0.5):
        assert list(steps(range(3), weights=(1, 1, 1))) == [0, 1, 2]


def test_a_listener_inside_keeps_it_from_the_one_outside():
    inner = []

    def call():
        for _ in steps("ab"):
            with heard(inner.append):
                list(steps("ab"))
            with heard(None):
                list(steps("abcd"))

    assert told(call) == [0.5, 1.0]
    assert inner == [0.5, 1.0] * 2


def test_what_fails_does_not_say_that_it_is_done():
    shares = []

    def fails():
        with heard(shares.append):
            return [1 / n for n in steps((1, 0))]

    with pytest.raises(ZeroDivisionError):
        fails()
    assert shares == [0.5]
    assert told(lambda: list(steps("ab"))) == [0.5, 1.0]


def test_weights_belong_to_items():
    with pytest.raises(ValueError, match="zip"):
        told(lambda: list(steps("ab", weights=(1.0,))))


# --- Who tells -----------------------------------------------------------------------------------

POINTS = Scenario(concept="point", learners=("erm", "exponential"), d=8)
SIMULATED = Scenario(
    concept="point", learners=("exponential",), distribution="uniform", d=4, trials=500
)
BAND = Scenario(concept="interval", learners=("exponential",), epsilon=2.0, alpha=0.2, beta=0.2)

# How many shares at least: a bar that knows nothing but its end is none.
LONG = {
    "numbers": (lambda: views.numbers(POINTS), 8),
    "success curves": (lambda: views.success_curves(POINTS, "m"), 5),
    "a simulation": (lambda: views.success_curves(SIMULATED, "epsilon"), 3),
    "least m": (lambda: views.least_m(POINTS, "d"), 6),
    "a map": (lambda: maps.phase_diagram(POINTS, "exponential", "d", "m"), 3),
    "a picture": (lambda: draw.picture(POINTS, "need-eps"), 6),
    "distributions": (
        lambda: contrast_picture(BAND, "exponential", ("hard", "uniform"), (6, 8), trials=250),
        3,
    ),
    "times": (
        lambda: efficiency.paid(
            ((4, 0.1),), 0.1, d=64, epsilon=0.5, alpha=0.1, beta=0.1, longest=20
        ),
        15,
    ),
    "the distinguisher": (lambda: efficiency.distinguisher(4, 8, 5, 1.0, trials=5, seed=1), 20),
    "noise": (lambda: noise_channel.recovery_curve(5, 4, 20, 1), 10),
}


@pytest.mark.parametrize("name", LONG)
def test_long_computations_tell_how_far_they_are(name):
    call, least = LONG[name]
    shares = told(call)
    assert shares == sorted(set(shares))
    assert shares[-1] == 1.0
    assert all(0.0 < share <= 1.0 for share in shares)
    assert len(shares) >= least
    # Not all of it is told in one leap, such as by a loop that takes itself for the whole.
    leaps = [after - before for before, after in zip([0.0, *shares], shares, strict=False)]
    assert max(leaps) <= 0.75


@pytest.mark.parametrize("concept", spread(CONCEPTS, 3), ids=lambda concept: concept.name)
def test_an_audit_tells_after_every_database(concept):
    entry = learner(concept.name, concept.learners[-1].name)
    tiny = instance(entry)
    found = []
    shares = told(lambda: found.append(audit.audited(entry, tiny, delta=entry.privacy_slack)))
    assert shares[-1] == 1.0
    assert shares == sorted(set(shares))
    assert len(shares) >= len(found[0].table)


def test_a_result_is_the_same_whoever_listens():
    alone = views.least_m(POINTS, "d")
    with heard(lambda _: None):
        watched = views.least_m(POINTS, "d")
    for one, other in zip(alone.learners, watched.learners, strict=True):
        assert one.x.tolist() == other.x.tolist()
        assert one.y.tolist() == other.y.tolist()


def test_the_example_of_the_module_is_true():
    import doctest

    assert doctest.testmod(progress).failed == 0


def test_a_pulse_is_felt_in_loops_that_are_gone_through_again_and_can_end_them():
    shares, felt = [], []
    with heard(shares.append, pulse=lambda: felt.append(None)):
        for _ in range(3):
            for _ in steps(range(4)):
                pass
    assert shares == [0.25, 0.5, 0.75, 1.0]
    assert len(felt) == 9  # after all steps but the last, which could be the end of everything

    def enough():
        if len(felt) > 12:
            raise TimeoutError

    def endless():
        while True:
            felt.extend(steps(range(4)))

    felt.clear()
    with heard(shares.append, pulse=enough), pytest.raises(TimeoutError):
        endless()
