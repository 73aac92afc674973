"""Links of the real pages: random states come back, hostile texts do not get in."""

import random
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from urllib.parse import parse_qs, quote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.shared.state.fields import EVERYWHERE, PRESENTING
from pages.shared.state.link import SHOWN, VERSION, parse
from tests.depth import deep
from tests.pages.addresses import EACH, PAGES, read, written

LONGEST_LINK = 1500  # characters of a query that any program passes on
FUZZED = 10_000


# --- every state ---------------------------------------------------------------------------------


def values_of(item):
    """Return a strategy for all values of a field."""
    if item.kind == "flag":
        return st.booleans()
    if item.kind == "text":
        return st.from_regex(rf"\A(?:{item.pattern})\Z")
    if item.kind == "choice":
        return st.sampled_from(item.choices)
    if item.kind == "choices":
        some = st.sets(st.sampled_from(item.choices), max_size=item.most or None)
        return some.map(lambda chosen: tuple(word for word in item.choices if word in chosen))
    if item.kind == "integer":
        return st.integers(int(item.low), int(item.high))
    return st.floats(item.low, item.high).map(lambda value: value + 0.0)


def states_of(fields):
    return st.fixed_dictionaries({item.key: values_of(item) for item in fields})


@EACH
@settings(max_examples=deep(25, 1_000))
@given(data=st.data())
def test_every_state_comes_back_from_its_link(page, data):
    fields = PAGES[page]
    values = data.draw(states_of(fields))
    query = written(values, fields)
    assert len(query) < LONGEST_LINK
    assert read(query, fields) == (values, [])
    # A link says one thing in one way.
    assert written(read(query, fields)[0], fields) == query


@EACH
def test_the_longest_link_stays_short(page):
    values = {}
    for item in PAGES[page]:
        if item.kind == "choices":
            longest = sorted(item.choices, key=len)[-item.most :]
            values[item.key] = tuple(word for word in item.choices if word in longest)
        elif item.kind == "choice":
            values[item.key] = max(item.choices, key=len)
        elif item.kind == "number":
            values[item.key] = np.nextafter(item.high, item.low).item()
        elif item.kind == "integer":
            values[item.key] = int(item.high)
        else:
            values[item.key] = item.default
    query = written(values, PAGES[page])
    assert len(query) < LONGEST_LINK
    assert read(query, PAGES[page]) == (values, [])


@EACH
def test_keys_are_unique_readable_and_free(page):
    keys = [item.key for item in PAGES[page]]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z]{1,9}", key) for key in keys)
    assert not {"v", "embed", "embed_options"} & set(keys)


def test_a_key_means_the_same_on_every_page():
    met = {}
    for fields in PAGES.values():
        for item in fields:
            other = met.setdefault((item.scope, item.key), item)
            assert item == other
    kinds = {}
    for (_, key), item in met.items():
        assert kinds.setdefault(key, item.kind) == item.kind


def test_what_the_sidebar_takes_along_is_known_everywhere():
    known = {item.key for item in EVERYWHERE}
    for fields in PAGES.values():
        assert known <= {item.key for item in fields}
        taken = {item.key for item in fields if not item.scope}
        assert taken <= known | {PRESENTING["present"].key}  # no sidebar in the presenter view


# --- hostile texts -------------------------------------------------------------------------------

NASTY = (
    "", " ", "\x00", "\n", "\r\n", "\t", "\u202e", "\u2066", "\ufeff", "\ud800", "\udfff",
    "\U0010ffff", "é", "é", "٣", "𝟏𝟐", "½", "∞", "🎯" * 60, "a\u0300\u0301\u0302" * 40,
    "nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "0x10", "1_000", "1,5", "+1", " 1", "1 ",
    "1.", ".5", "--1", "1e", "9" * 17, "9" * 18, "9" * 19, "9" * 5000, "0" * 250 + "1", "-0",
    "-0.0", "1e" + "9" * 200, "[" * 3000, "{" * 3000, "(((((((((a+)+)+)+)+)+)+)+)$", "a" * 100_000,
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\"><svg/onload=alert(1)>",
    "javascript:alert(1)", "</style><script>", "&lt;b&gt;", "**bold**", "[a](http://evil)", "$x$",
    ":red[x]", "`code`", "{{7*7}}", "${7*7}", "%s%n", "../../etc/passwd", "..\\..\\x", "file:///",
    "'; DROP TABLE x; --", "__import__('os')", "None", "null", "true", "True", "0", "1", "2",
    ".", ",", "..", ",,", "erm", "erm.", "erm,erm", "erm.nobody", "hard", "HARD", "hard ", "m",
)  # fmt: skip
QUERIES = (
    "", "&", "=", "==", "&&&", "?", "#", "%", "%%", "%zz", "%ff", "%c0%af", "%00", "%ed%a0%80",
    "d", "d=", "=d", "d=%", "d=%ff", "d=16;eps=1", "d=16&d=32", "d[]=1", "d[a][b]=1", "D=16",
    "d%3D16", "d=16#x", "%64=16", "v", "v=", "v=0", "v=1", "v=2", "v=-1", "v=99999999999999999999",
    "v=1&v=2", "v=1.0", "embedx=1", "tab=nothing", "open=nothing", "&".join(["x=1"] * 200),
    "&".join(f"x{number}=1" for number in range(200)),
)  # fmt: skip


def hostile_text(rng):
    """Return a text as nobody should write it."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(NASTY)
    if kind == 1:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randrange(30)))
    if kind == 2:
        return "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(400)))
    if kind == 3:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-320, 308))
    return rng.choice(NASTY) + rng.choice(NASTY)


def hostile_query(rng, keys):
    """Return a whole query string: percent-encoded, half encoded, or raw."""
    if rng.random() < 0.05:
        return rng.choice(QUERIES)
    pairs = []
    for _ in range(rng.randint(1, 6)):
        key = rng.choice(keys) if rng.random() < 0.8 else hostile_text(rng)
        text = hostile_text(rng)
        how = rng.randrange(3)
        if how == 0:
            key, text = (quote(part, safe="", errors="surrogatepass") for part in (key, text))
        elif how == 1:
            text = text.replace("&", "").replace("%", "%25")
        pairs.append(f"{key}={text}")
        if rng.random() < 0.1:
            pairs.append(rng.choice(pairs))
    return "&".join(pairs)


def shown_in(text, note):
    """Tell whether a note repeats the start of a text, as far as it can be shown."""
    part = "".join(c if c.isprintable() else "�" for c in text[: SHOWN - 1])
    return part in note


def check(params, fields):
    """Check what a link gave: valid values, and a note for each thing that was not taken."""
    values, notes = parse(params, fields)
    known = {item.key: item for item in fields}
    assert values.keys() == known.keys()
    for key, value in values.items():
        assert known[key].valid(value) == value
        assert type(known[key].valid(value)) is type(value)
    for note in notes:
        assert note.isprintable()
        assert len(note) < 300
    left = list(notes)
    for key, given_ in params.items():
        texts = [given_] if isinstance(given_, str) else given_
        text = texts[-1] if texts else ""
        if key == "v":
            wanted = 0 if text == str(VERSION) else 1
            about = [note for note in left if "version" in note and shown_in(text, note)]
        elif key not in known:
            wanted = 1
            about = [n for n in left if "not a parameter here" in n and shown_in(key, n)][:1]
        else:
            item = known[key]
            taken = text == item.written(values[key]) or read_alike(item, text, values[key])
            wanted = (not taken) + (len(texts) > 1)
            if not taken:
                assert values[key] == replaced(item, text)
            called = item.name if item.name == key else f"{item.name} ({key})"
            about = [n for n in left if n.startswith((f"{called} must be", f"{called} is given"))]
        assert len(about) == wanted, (key, text[:100], notes)
        for note in about:
            left.remove(note)
            if "must be" in note and key in known:
                assert shown_in(text, note)
                assert f"{known[key].written(values[key]) or 'Nothing'}, the " in note
    assert not left


def replaced(item, text):
    """Say by another route what stands in for a text: the nearest number, else the default."""
    plain = re.fullmatch(r"[-+0-9.eE]{1,200}", text) and not re.search(r"[eE][-+]?[0-9]{4}", text)
    try:
        exact = Fraction(Decimal(text)) if plain else None
    except InvalidOperation:
        exact = None
    if exact is None or item.kind not in {"integer", "number"}:
        return item.default
    low, high = Fraction(item.low), Fraction(item.high)
    if not low <= exact <= high:
        return item.low if exact < low else item.high
    return round(float(exact)) if item.kind == "integer" else float(exact)


def read_alike(item, text, value):
    """Tell by another route whether a text means a value: Python's own reading of it."""
    if item.kind in {"choice", "text"}:
        return text == value
    if item.kind == "choices":
        words = [word for word in text.replace(",", ".").split(".") if text]
        return len(text) < 1000 and set(words) == set(value) and bool(set(words)) == bool(text)
    if item.kind == "flag" or not text.isascii() or "_" in text or text != text.strip():
        return False
    try:
        found = float(text)
    except ValueError:
        return False
    return (
        found == value
        and (item.kind == "number" or text.lstrip("-").isdigit())
        and (len(text.lstrip("-")) <= 200)
        and not re.search(r"e[+-]?\d{4}", text.lower())  # an exponent of four digits is none
    )


def test_a_number_beyond_what_a_page_takes_is_brought_to_its_end():
    for page, fields in PAGES.items():
        for item in fields:
            if item.kind in {"integer", "number"}:
                for text, used in (("-1e30", item.low), ("1e30", item.high)):
                    values, notes = parse({item.key: text}, fields)
                    assert values[item.key] == used, (page, item.key)
                    assert len(notes) == 1
    # What it was for: one failure in a million is not one in ten.
    values, notes = read("v=1&beta=1e-6", PAGES["points"])
    assert values["beta"] == 0.0001
    assert notes == [
        "beta must be a number from 0.0001 to 0.5; got “1e-6”. 0.0001, the nearest, is used instead."
    ]


def test_no_text_gets_past_the_parser_and_each_refusal_is_named():
    rng = random.Random(20)  # noqa: S311 - test data
    tables = list(PAGES.values())
    for number in range(FUZZED):
        fields = tables[number % len(tables)]
        keys = [item.key for item in fields] + ["v", "x", "embedded", "eps "]
        if number % 4:
            params = parse_qs(hostile_query(rng, keys), keep_blank_values=True)
        else:  # what no query string can hold reaches the parser all the same
            params = {
                rng.choice(keys) if rng.random() < 0.8 else hostile_text(rng): [
                    hostile_text(rng) for _ in range(rng.choice((0, 1, 1, 1, 2, 50)))
                ]
                for _ in range(rng.randint(0, 6))
            }
        check(params, fields)


@pytest.mark.parametrize("query", QUERIES)
def test_a_broken_query_is_read_as_far_as_it_goes(query):
    for fields in PAGES.values():
        check(parse_qs(query, keep_blank_values=True), fields)
