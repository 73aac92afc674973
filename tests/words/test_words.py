"""Every sentence is short enough to be understood at first reading, and needs no picture decoded."""

import re
import statistics

from tests.words.collect import ROOT, full, said, texts, words

LONGEST = 35
MEDIAN = 20
# Pictures of ours in place of the thing, and subjects that hide the actor.
_HIDDEN = re.compile(
    r"\b([Dd]oors?|[Ww]alls?|[Bb]ills?|[Cc]rowd(s|ed)?|(?<!lecture )[Hh]alls?|[Ll]umps?)\b"
    r"|nobody of that kind|^Who(ever)? (?!.*\?$)"
)


def test_no_sentence_is_long():
    lengths = [words(one.text) for one in said() if full(one.text)]
    assert len(lengths) > 1000
    assert statistics.median(lengths) <= MEDIAN
    long = [f"{one.place}: {one.text}" for one in said() if words(one.text) > LONGEST]
    assert not long, "\n".join(long)


def test_no_sentence_leans_on_a_picture_or_hides_its_subject():
    found = [f"{one.place}: {one.text}" for one in said() if _HIDDEN.search(one.text)]
    assert not found, "\n".join(found)


def test_what_is_bold_ends():
    odd = [
        f"{path.relative_to(ROOT)}:{line}" for path, line, text in texts() if text.count("**") % 2
    ]
    assert not odd


def test_what_is_long_or_hidden_is_noticed():
    assert words("a " * 36) > LONGEST
    assert _HIDDEN.search("Each line is a door.")
    assert _HIDDEN.search("Who hides whole examples weighs arcs.")
    assert not _HIDDEN.search("Who sees the labels?")
