"""The document of what is ours: it opens, and says all of it."""

import io
import re

import pytest
from pypdf import PdfReader

from privsc_core.errors import InputError
from privsc_core.evaluate import ours
from privsc_core.typeset import paper
from privsc_core.typeset.citation import EDITION, SOFTWARE, TITLE

SOME = ours.results()[:5]


@pytest.fixture(scope="module")
def opened():
    return PdfReader(io.BytesIO(paper.pdf()))


def flat(outline):
    """Yield the titles of an outline of any depth."""
    for one in outline:
        if isinstance(one, list):
            yield from flat(one)
        else:
            yield re.sub(r"^[\d.]+ ", "", one.title)


def test_every_result_stands_in_its_outline_and_in_its_text(opened):
    titles = list(flat(opened.outline))
    wanted = []
    for one in ours.results():
        if one.concept.title not in wanted:
            wanted.append(one.concept.title)
        wanted.append(one.title)
    assert titles == [*wanted, "References", "How to cite"]
    text = " ".join(page.extract_text() for page in opened.pages)
    assert len(re.findall(r"\bProof\.", text)) == len(ours.results())
    squeezed = "".join(text.split())
    for one in ours.results():
        # The word at the end of a line may be broken.
        command = "".join(one.checks[0].command.split())
        assert command in squeezed, one.key


def test_it_says_what_it_is(opened):
    first = " ".join(opened.pages[0].extract_text().split())
    assert opened.metadata.title == TITLE
    assert TITLE in first
    assert EDITION in first
    assert "Contents" in first
    last = "".join(opened.pages[-1].extract_text().split())
    assert "".join(SOFTWARE.split()) in last
    assert len(opened.pages) > 30
    assert all(page.mediabox.width == opened.pages[0].mediabox.width for page in opened.pages)


def test_the_same_results_give_the_same_bytes():
    assert paper.pdf(SOME) == paper.pdf(SOME)
    assert len(PdfReader(io.BytesIO(paper.pdf(SOME))).pages) < 10


def test_text_is_taken_apart_as_markdown_says():
    said = "A **bold $x^2$** word, *italics*, `code *x*`, 2 * 3 * 4.\n\n$$y$$"
    first, second = paper.marked(said)
    assert [one["kind"] for one in first] == [
        "text", "strong", "formula", "text", "emph", "text", "code", "text",
    ]  # fmt: skip
    assert first[-1]["said"] == ", 2 * 3 * 4."
    assert second == [{"kind": "display", "said": "y"}]


def test_without_the_typesetter_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(InputError, match=r"pip install 'privsc\[paper\]'"):
        paper.pdf(SOME)
