"""Every sentence that claims something of all learners is held by a check, and false ones do not pass."""

import tomllib
from pathlib import Path

import pytest

from tests.sentences import checks, collect

HELD = tomllib.loads(Path(__file__).with_name("held.toml").read_text(encoding="utf-8"))["held"]
LISTED = [sentence for entry in HELD for sentence in entry["sentences"]]
FALSE = "Every private learner of points needs Ω(d) examples."


def missing(said):
    """Return the sentences that nothing holds."""
    return sorted(set(said) - set(LISTED))


def hold(entry):
    """Run the check of an entry of the list."""
    given = {key: value for key, value in entry.items() if key not in {"by", "sentences"}}
    checks.CHECKS[entry["by"]](entry["sentences"], **given)


def test_every_sentence_that_claims_something_is_held():
    found = missing(collect.said())
    assert not found, (
        f"{len(found)} sentences claim something of all learners and no check holds them. Rewrite them without the "
        "quantifier, or enter them in tests/sentences/held.toml under the check that computes what they say (a new "
        "one goes into checks.py), or the paper and theorem; `python -m tests.sentences` prints them:\n"
        + "\n".join(found)
    )


def test_the_list_holds_only_what_is_said():
    gone = sorted(set(LISTED) - set(collect.said()))
    assert not gone, (
        "not said any more, so take them out of tests/sentences/held.toml:\n" + "\n".join(gone)
    )
    assert len(set(LISTED)) == len(LISTED)


@pytest.mark.parametrize("entry", HELD, ids=lambda entry: entry["by"])
def test_what_is_said_holds(entry):
    hold(entry)


def test_a_false_sentence_is_noticed():
    """It has no entry; and under the check of the true one it is refuted, by the bound and by a learner."""
    assert collect.claims(FALSE) == [FALSE]
    assert missing([*collect.said(), FALSE]) == [FALSE]
    true = "Every proper, purely private learner of points needs Ω(d) examples."
    (entry,) = (entry for entry in HELD if true in entry["sentences"])
    assert entry["by"] == "needs_grow"
    with pytest.raises(AssertionError, match="packing-two says nothing of"):
        hold(entry | {"sentences": [FALSE]})
    with pytest.raises(AssertionError, match=r"needs .* at 256 and 4,096 bits"):
        checks.learners_need_more(FALSE, "point")


@pytest.mark.parametrize(
    ("sentence", "bound"),
    [
        ("Every proper private learner of points needs Ω(d) examples.", "point/packing-two"),
        ("Every efficient private learner that answers with a point needs Ω(d).", "pseudorandom-point/packing-two-relaxed"),
        ("Below 26 no learner succeeds.", "threshold/pair"),
        ("Every private learner of thresholds, proper or not, needs Ω(d).", "interval/littlestone"),
    ],
)  # fmt: skip
def test_a_sentence_that_speaks_of_more_learners_than_its_theorem_is_noticed(sentence, bound):
    with pytest.raises(AssertionError, match="says nothing of"):
        checks.binds([sentence], [bound])


@pytest.mark.parametrize("of", ["definition", "algorithm", "screen"])
def test_a_claim_on_all_learners_does_not_pass_as_none(of):
    with pytest.raises(AssertionError, match="claims something of learners"):
        checks.no_claim([FALSE], of)


def test_what_is_no_claim_is_not_asked_for():
    assert not collect.claims("Drag the slider, and the figure follows every move.")
    assert not collect.claims("The exponential mechanism needs 1,968 examples.")
    assert collect.claims("Nobody learns points privately. It rains.") == [
        "Nobody learns points privately."
    ]
