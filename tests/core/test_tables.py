"""The one reader of tables: 200 made files, each right or refused in a sentence, nothing shifted."""

import io
import itertools
import random
import re
import tracemalloc
from pathlib import Path

import pytest

from privsc_core import tables
from privsc_core.cli.examples import read_examples
from privsc_core.errors import InputError
from privsc_core.exhibits.marginals.tables import surveyed
from privsc_core.finite.matrix import rows_of_text
from privsc_core.progress import heard
from tests.depth import deep

ROOT = Path(__file__).parents[2]
SENTENCE = re.compile(r"[^\n]+ must [^\n]+; got [^\n]+\.")


# --- Files that a generator writes ----------------------------------------------------------------


NAMES = ["n", "title, long", "a;b", "who", 'say "so"', "two\nlines", "tab\there"]
VALUES = [
    "red",
    "blue",
    "7",
    "1,5",
    "c;d",
    'he said "no, no"',
    "line\nand line",
    "",
    "NA",
    "#1",
    "t\tb",
]


class Made:
    """A file made from a seed: its text, what is in it, and whether it can only be refused."""

    def __init__(self, seed, kind):
        rng = self.rng = random.Random(f"{kind} {seed}")  # noqa: S311 - the same files every time
        self.separator = rng.choice(",;\t")
        self.bare = kind == "matrix" and rng.random() < 0.2  # no separators, or blanks
        self.loose = False  # whether other separators stand outside quotes
        self.wrong = 0  # the line that must be refused
        width, height = rng.randint(2, 6), rng.randint(3, 8)
        rows = self.rows = getattr(self, kind)(width, height)
        self.index = not self.bare and self.header and rng.random() < 0.3
        if self.index:
            start = rng.randint(0, 1)
            marks = ["", *(str(start + k) for k in range(height))]
            rows = [[mark, *row] for mark, row in zip(marks, rows, strict=True)]
        rows = [list(row) for row in rows]
        self.torn = rng.choice([None, None, "empty", "short", "long"])
        at = rng.randrange(len(rows))
        if self.torn == "short":
            del rows[at][rng.randrange(len(rows[at]))]
            rows[at][0] = rows[at][0] or "7"  # an empty cell alone is a blank line
        elif self.torn == "long":
            rows[at].insert(rng.randrange(len(rows[at])), rows[at][-1])
        elif self.torn == "empty" and not self.bare:
            begin = int(self.header and kind == "people")  # an upload may miss a value
            at = rng.randrange(begin, len(rows))
            column = rng.randrange(int(self.index), len(rows[at]))
            rows[at][column] = ""
            if kind == "people":
                self.rows[at] = rows[at][self.index :]
        self.text, places = self.written(rows)
        if self.torn in {"short", "long"} and at:  # below a torn first row every other one is wrong
            self.wrong = places[at]

    def matrix(self, width, height):
        rows = [[self.rng.choice("01") for _ in range(width)] for _ in range(height)]
        names = self.rng.choice([None, NAMES[:width], [str(k) for k in range(width)],
                                 [str(k + 1) for k in range(width)]])  # fmt: skip
        self.header = names is not None and not self.bare
        return [names, *rows] if self.header else rows

    def people(self, width, height):
        self.header = True
        names = self.rng.sample(NAMES, width)
        values = [[self.rng.choice(VALUES) for _ in range(width)] for _ in range(height)]
        return [names, *values]

    def examples(self, width, height):
        self.header = True
        names = self.rng.sample(["x", "y", *NAMES[: width - 2]], width)
        rows = [[self.rng.choice(VALUES) for _ in names] for _ in range(height)]
        for row in rows:
            row[names.index("x")] = str(self.rng.randint(1, 16))
            row[names.index("y")] = self.rng.choice("01")
        return [names, *rows]

    def written(self, rows):
        """Return the rows as a spreadsheet, pandas or a person may write them, and their lines."""
        rng, cut = self.rng, self.separator
        end = rng.choice(["\n", "\r\n", "\r"])
        lines, places = [], []
        if not self.bare and rng.random() < 0.3:
            lines.append(rng.choice([f"sep={cut}", f'"sep={cut}"']))
        blank = self.blank = rng.choice(["", " "]) if self.bare or cut != "\t" else ""
        for row in rows:
            while rng.random() < 0.15:
                lines.append(rng.choice(["", '# a; comment, with\tall, and "a quote', "  # 0,1"]))
            places.append(1 + sum(1 + line.count("\n") for line in lines))
            lines.append(blank.join(row) if self.bare else (cut + blank).join(map(self.cell, row)))
        return rng.choice(["", "\ufeff"]) + end.join(lines) + rng.choice(["", end]), places

    def cell(self, text):
        must = any(sign in text for sign in (self.separator, '"', "\n")) or text.startswith("#")
        if must or self.rng.random() < 0.5:
            return '"' + text.replace('"', '""') + '"'
        self.loose |= any(sign in text for sign in ",;\t")
        return text


def given(columns):
    """Return the rows that counts of columns come from, as sorted columns."""
    return [
        sorted(itertools.chain.from_iterable(map(itertools.repeat, c.labels, c.counts)))
        for c in columns
    ]


def read(made, kind):
    """Return what is read in a file, to be compared with `true`."""
    if kind == "matrix":
        return rows_of_text(made.text)
    if kind == "people":
        table = tables.counted(made.text.encode(), "x.csv")
        return [column.name for column in table.columns], given(table.columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(made.text.encode())))
        return read_examples("-", 4)


def true(made, kind):
    """Return what is in a file, or None where it can only be refused."""
    names, *below = made.rows
    if kind == "matrix":
        unclear = not made.index and made.rows[0] == ["0", "1"] and (made.blank or not made.bare)
        torn = made.torn and not (made.bare and made.torn == "empty")
        return None if torn or unclear else ["".join(row) for row in made.rows[made.header :]]
    if made.torn in {"short", "long"}:
        return None
    if kind == "people":
        kept = [[v for v in column if v not in {"", "NA"}] for column in zip(*below, strict=True)]
        return names, [sorted(column) for column in kept]
    return (
        [int(row[names.index("x")]) for row in below], [int(row[names.index("y")]) for row in below]
    )  # fmt: skip


def judged(seed, kind):
    """Return what is wrong with how a file is read, and whether it was read."""
    made = Made(seed, kind)
    wanted = true(made, kind)
    try:
        found = read(made, kind)
    except InputError as refused:
        said = str(refused)
        if SENTENCE.fullmatch(said) is None:
            return f"no sentence: {said}", False
        if made.wrong and not made.loose and not said.startswith(f"line {made.wrong} "):
            return f"not line {made.wrong}: {said}", False
        fine = wanted is None or made.loose or (kind == "examples" and made.torn == "empty")
        return (None if fine else f"refused: {said}"), False
    return (None if found == wanted else f"read as {found}, not {wanted}"), True


def wrong(kind):
    found = {seed: judged(seed, kind) for seed in range(deep(40, 700))}
    return {seed: words for seed, (words, _) in found.items() if words}, sum(
        r for _, r in found.values()
    )


@pytest.mark.parametrize("kind", ["matrix", "people", "examples"])
def test_a_made_file_is_read_right_or_refused(kind, monkeypatch):
    faults, read_right = wrong(kind)
    assert not faults
    assert read_right > 0.3 * deep(40, 700)
    plain = tables.Reader._records
    # Planted: a reader that drops empty cells.
    monkeypatch.setattr(
        tables.Reader,
        "_records",
        lambda self: ((at, [*filter(None, row)]) for at, row in plain(self)),
    )
    assert wrong(kind)[0]


def tallied(text, file="x.csv"):
    return tables.counted(text if isinstance(text, bytes) else text.encode(), file)


# --- Columns as counts --------------------------------------------------------------------------


def test_a_column_is_counted_in_the_order_of_its_numbers():
    table = tallied("n,who\n10,b\n9,a\n10,b\n-1,C\n")
    assert table.rows == 4
    first, second = table.columns
    assert (first.labels, first.counts) == (("-1", "9", "10"), (1, 1, 2))
    assert (second.labels, second.counts) == (("a", "b", "C"), (1, 2, 1))


def test_missing_values_are_counted_and_left_out():
    column = tallied("a,b\n1,x\n,x\nNA,x\nnan,x\n  ,x\nN/A,x\nnull,x\n2,x\n").columns[0]
    assert (column.labels, column.missing) == (("1", "2"), 6)


def test_blank_lines_are_missing_values_of_a_single_column_only():
    column = tallied("\na\n1\n\n2\n\n\n").columns[0]
    assert (column.labels, column.missing) == (("1", "2"), 1)
    assert tallied("\na,b\n1,1\n\n2,2\n\n").columns[0].missing == 0


def test_a_column_of_missing_values_is_one_sentence():
    column = tallied("a,b\n,x\n,x\n").columns[0]
    with pytest.raises(InputError, match="The column “a” must have at least one value; got 2 miss"):
        column.check()


def test_separators_marks_and_line_ends_of_spreadsheets():
    for text in (
        "a,b\r\n1,2\r\n", "a;b\n1;2", "a\tb\n1\t2\n", "\ufeffa,b\n1,2\n", 'a,b\n"1","2"',
        "sep=;\r\na;b\r\n1;2", '"sep=,"\na,b\n1,2', "sep=\t\na\tb\n1\t2", "# c, d\na;b\n#, \n1;2\n",
        ",a,b\n0,1,2\n", '"","a","b"\n"1",1,2\n', 'a, b\n1, "2"',
    ):  # fmt: skip
        table = tallied(text)
        assert [column.name for column in table.columns] == ["a", "b"]
        assert [column.labels for column in table.columns] == [("1",), ("2",)]


def test_names_are_made_different():
    names = [column.name for column in tallied("a,a,,a (2)\n1,2,3,4\n").columns]
    assert len(set(names)) == 4
    assert names[2] == "column 3"


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def words(number):
    for i in range(number):
        yield "".join(DIGITS[i // 36**k % 36] for k in range(4))


def test_many_distinct_values_are_one_sentence_and_little_memory():
    rows = deep(40_000, 300_000)
    data = ("v\n" + "\n".join(words(rows))).encode()
    assert len(data) < tables.BYTES_MOST
    tracemalloc.start()
    table = tallied(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(data)
    assert table.rows == rows
    with pytest.raises(InputError) as caught:
        table.columns[0].check()
    assert str(caught.value) == (
        "The column “v” must have at most 64 distinct values to be drawn; got more than 64."
    )
    assert table.columns[0].labels == ()


MANY = deep(30_000, 500_000)


# Planted: a cut at so many rows; a first row that is always names, or numbers that are refused.
@pytest.mark.parametrize(
    ("text", "header", "names", "counts"),
    [
        ("1\n2\n" * MANY, False, ["column 1"], (MANY, MANY)),
        ("red\nblue\nred\n", False, ["column 1"], (1, 2)),
        ("colour\nblue\nred\n", True, ["colour"], (1, 1)),
        ("1,2\n3,4\n", False, ["column 1", "column 2"], (1, 1)),
        ("land,2019\nx,4\n", True, ["land", "2019"], (1,)),
        (",\n3,4\n", False, ["column 1", "column 2"], (1,)),
        ("7\n", False, ["column 1"], (1,)),
    ],
    ids=["many", "words", "named", "numbers", "years", "blank", "one"],
)
def test_every_row_counts_and_a_first_row_of_data_is_data(text, header, names, counts):
    table = tallied(text)
    assert table.header is header
    assert [column.name for column in table.columns] == names
    assert table.columns[0].counts == counts
    assert sum(counts) + table.columns[0].missing == table.rows


def test_exactly_as_many_values_as_can_be_drawn():
    rows = "\n".join(str(i) for i in range(64))
    tallied(f"v\n{rows}").columns[0].check()
    assert tallied(f"v\n{rows}\n64").columns[0].many


BAD = {
    "huge": (b"a\n" + b"1\n" * 25_000_000, "must be at most 5 MB; got 47.7 MB."),
    "empty": (b"", "must have at least one column; got an empty file."),
    "blank": (b"\n \n\n", "must have at least one column; got an empty file."),
    "no rows": (b"a,b\n", "must have at least one row below the names; got none."),
    "latin-1": ("a\nZürich\n".encode("latin-1"), "encoded in UTF-8; got byte 0xfc at position 3."),
    "utf-16": ("a\nb\n".encode("utf-16"), "must be text encoded in UTF-8; got byte 0xff"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "must be text encoded in UTF-8; got byte 0x89"),
    "zeros": (b"a\n\x00\x00\n", "must be text encoded in UTF-8; got a binary file."),
    "comments": (b"# a,b\n#1,2\n", "must have at least one column; got comments alone."),
    "short row": (b"a,b\n1,2\n\n3\n", "line 4 of the # must have 2 cells, as line 1; got 1 cell."),
    "long row": (b"a,b\n1,2,3\n", "line 2 of the # must have 2 cells, as line 1; got 3 cells."),
    "open quote": (
        b'a\n"1\n',
        "line 2 of the # must be well-formed CSV; got unexpected end of data.",
    ),
    "long cell": (
        b"a\n" + b"x" * 200_000,
        "line 2 of the # must be well-formed CSV; got field larger",
    ),
    "two ways": (b"1,5;2\n3,5;4\n", "where commas and semicolons could both separate its cells"),
    "no way": (b"sep=|\na|b\n1|2\n", "first line of the # must name a comma, a semicolon or a tab"),
    "wide": (b"x," * 1_000_000 + b"x\n", "must have at most 100 columns; got 1,000,001."),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_one_sentence_that_names_the_file(case):
    data, sentence = BAD[case]
    with pytest.raises(InputError) as caught:
        tallied(data, "my data.csv")
    assert "file “my data.csv” must " in str(caught.value)
    assert sentence.replace("#", "file “my data.csv”") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


def test_a_name_from_elsewhere_is_shortened_and_printable():
    with pytest.raises(InputError) as caught:
        tallied(b"", "\u202e\n" + "x" * 500)
    assert len(str(caught.value)) < 120
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("read", [tables.counted, surveyed])
def test_a_long_file_tells_how_far_it_is_and_can_be_ended(read):
    shares = []
    data = b"a;b\n" + b"1;x\n0;y\n" * 10_000
    with heard(shares.append):
        read(data, "x.csv")
    assert len(shares) > 9
    assert max(b - a for a, b in itertools.pairwise([0.0, *shares])) < 0.2

    def ends():
        raise TimeoutError

    with pytest.raises(TimeoutError), heard(shares.append, pulse=ends):
        read(data, "x.csv")


def test_one_module_reads_tables():
    used = [file.name for folder in ("privsc_core", "pages") for file in (ROOT / folder).rglob("*.py")
            if re.search(r"csv\.(reader|DictReader)", file.read_text(encoding="utf-8"))]  # fmt: skip
    assert used == ["tables.py"]


def test_titles_with_commas_stay_whole_in_a_file_of_semicolons():
    for titles in ('"Income, net";"Town; place"', 'Income, net;"Town; place"'):
        table = tallied(f'{titles}\n1;"a, b"\n2;c\n')
        assert [column.name for column in table.columns] == ["Income, net", "Town; place"]
        assert table.columns[1].labels == ("a, b", "c")


def test_an_index_is_no_column_and_what_is_none_stays_one():
    table = tallied(",0,1\n0,0,1\n1,0,0\n2,0,1\n")  # as pandas writes a matrix
    assert ([c.name for c in table.columns], table.rows, table.index) == (["0", "1"], 3, True)
    assert table.columns[1].counts == (1, 2)
    rows = list(range(5_000))
    many = "".join(f"{k},{k % 2}\n" for k in rows)
    assert [c.name for c in tallied(f",a\n{many}").columns] == ["a"]
    assert tallied(f",a\n{many}7,0\n").columns[0].name == "column 1"
    assert tallied("a,b\n0,1\n1,0\n").columns[0].counts == (1, 1)  # it has a name
    survey, table = surveyed(b"# who\n,a,b\n0,1,0\n1,0,0\n2,1,1\n", "x.csv")
    assert (survey.names, survey.rows) == (("a", "b"), 3)
    assert "the first column numbers the rows, 1 comment line was left out" in table.read_as
    with pytest.raises(InputError, match="must have names such as a,b above its rows"):
        surveyed(b"0,1\n1,1\n0,1\n", "x.csv")  # pandas without its index, or people?
