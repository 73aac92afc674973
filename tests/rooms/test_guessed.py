"""What is left of a room: the numbers in its files are those of the answers, and texts are no markup."""

import io
import re
import xml.etree.ElementTree as ET
import zipfile

from pages.shared.room import guessed
from pages.shared.room.question import Axis, Question

NUMBER = Question(
    "n", "How many <b>?", axis=Axis(1, 1e7, log=True), truth=3803, truth_text="It needs 3,803."
)
CHOICE = Question(
    "c", "Which?", choices=("=1+1", "</svg><b>"), truth=0, truth_text="Right: the first.",
    feedback=("Yes & no.", "No."),
)  # fmt: skip
RECORD = [(NUMBER, [100.0, 3000.0, 4000.0, 4000.0]), (CHOICE, [1.0, 0.0, 1.0])]


def test_a_table_has_every_answer_and_nothing_that_a_spreadsheet_computes():
    assert guessed.table(*RECORD[0]) == "answer\n100\n3000\n4000\n4000\n"
    assert guessed.table(*RECORD[1]) == "choice,right,answers\n'=1+1,1,1\n</svg><b>,0,2\n"


def circles(svg):
    found = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle")  # noqa: S314 - made here
    return sorted(float(one.get("cx")) for one in found)


def test_a_figure_has_a_dot_for_each_answer_where_it_lies():
    where = circles(guessed.figure(*RECORD[0]))
    assert len(where) == 4
    assert where[2] == where[3]
    # 30 units of margin on both sides of seven powers of ten; an answer is off by half of a place at most.
    for x, power in zip(where, (2, 3.477, 3.602, 3.602), strict=True):
        assert abs(x - (30 + 700 * power / 7)) <= 700 / 200
    many = circles(guessed.figure(NUMBER, [50.0] * 2000))
    assert len(set(many)) == 1
    assert len(many) <= 20


def test_a_figure_of_choices_has_bars_as_long_as_their_shares():
    root = ET.fromstring(guessed.figure(*RECORD[1]))  # noqa: S314 - made here
    bars = [float(one.get("width")) for one in root if one.tag.endswith("rect")][1:]
    assert bars == [200.0, 400.0]


def test_the_page_says_what_was_asked_answered_and_right():
    page = guessed.page(RECORD)
    assert "How many &lt;b&gt;?" in page
    assert not re.search(r"<b>|<script|https?://(?!www\.w3\.org/2000/svg)", page)
    assert "It needs 3,803. 4 answers. Their median is 3,500. 75% of them" in page
    assert "<strong>=1+1</strong>: Yes &amp; no." in page
    assert "No phone has answered" in guessed.page([])


def test_the_zip_has_all_and_is_the_same_each_time():
    packed = guessed.packed(RECORD)
    assert packed == guessed.packed(RECORD)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert set(archive.namelist()) == {
            "how-the-audience-guessed.html", "question-1.csv", "question-1.svg", "question-2.csv",
            "question-2.svg",
        }  # fmt: skip
        assert archive.read("question-1.csv").decode() == guessed.table(*RECORD[0])
