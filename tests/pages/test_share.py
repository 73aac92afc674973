"""What is shared: the address, the code that embeds it, the QR code."""

import html
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.hall.code import COMFORT, LONGEST, comfortable, qr_svg, stays_here
from pages.shared.state.fields import CONTROLS, PRESENTING, class_fields
from pages.shared.state.link import parse, write
from pages.shared.take.share import (
    HEIGHTS,
    Shared,
    address,
    embed_code,
    parts,
)
from privsc_core.catalog import CONCEPTS, concept
from privsc_core.errors import InputError

BASE = "https://lectures.example.org/privsc/points"
NOW = {"v": "1", "d": "96", "eps": "0.2", "learners": "erm.hash", "view": "eps", "seed": "3"}
HOSTILE = ['"><script>alert(1)</script>', "a&b=c#d", "' onload='x", "ε → ∞ 🎯", "%00%", "a b+c", ""]


def fields_of(name):
    entry = concept(name)
    names = tuple(e.name for e in entry.learners)
    return class_fields(entry, learners=names[:2], on_map=names[0])


def query(link):
    return {key: found[-1] for key, found in parse_qs(urlsplit(link).query).items()}


def test_the_link_of_the_first_view_is_the_plain_address():
    assert address(BASE, {}, Shared()) == BASE


def test_a_link_is_short_and_readable():
    assert address(BASE, NOW, Shared()) == (
        BASE + "?v=1&d=96&eps=0.2&learners=erm.hash&view=eps&seed=3"
    )


def test_what_is_left_out_stays_behind():
    link = address(BASE, NOW, Shared(left_out={"seed", "learners"}))
    assert link == BASE + "?v=1&d=96&eps=0.2&view=eps"
    assert address(BASE, {"v": "1", "seed": "3"}, Shared(left_out={"seed"})) == BASE


def test_how_the_page_is_shown_here_is_not_shared():
    shown = {"v": "1", "d": "96", "present": "1", "controls": "d", "predict": "1", "guess": "7"}
    assert address(BASE, shown, Shared()) == BASE + "?v=1&d=96"


def test_a_presenter_link_names_its_controls_in_their_order():
    shared = Shared(purpose="present", controls=("eps", "d"), predict=True)
    assert query(address(BASE, {}, shared)) == {
        "v": "2", "present": "1", "controls": "d.eps", "predict": "1",
    }  # fmt: skip


def test_a_theme_in_a_presenter_link_needs_the_embedding():
    link = address(BASE, {}, Shared(purpose="present", theme="dark"))
    assert link == BASE + "?v=2&present=1&embed=true&embed_options=dark_theme"


def test_an_embedded_page():
    assert address(BASE, {}, Shared(purpose="embed")) == BASE + "?embed=true"
    link = address(BASE, NOW, Shared(purpose="embed", controls=("d",), theme="light"))
    assert query(link) == NOW | {
        "controls": "d", "embed": "true", "embed_options": "light_theme",
    }  # fmt: skip


@pytest.mark.parametrize("purpose", ["link", "present", "embed"])
@pytest.mark.parametrize("theme", ["system", "light", "dark"])
@pytest.mark.parametrize("name", [entry.name for entry in CONCEPTS])
def test_the_page_reads_its_own_links(name, theme, purpose):
    fields = fields_of(name)
    every = (*fields.values(), *PRESENTING.values())
    values = {item.key: item.default for item in every} | {
        "d": 96, "eps": 0.2, "seed": 7, "learners": fields["learners"].choices[-1:],
    }  # fmt: skip
    shared = Shared(purpose=purpose, theme=theme, controls=("m", "d"), predict=True)
    found = query(address(BASE, write(values, every), shared))
    # These two are Streamlit's own; a page does not see them.
    read, notes = parse({k: v for k, v in found.items() if not k.startswith("embed")}, every)
    assert notes == []
    wanted = values | {"predict": True}
    if purpose != "link":
        wanted |= {"controls": ("d", "m"), "present": purpose == "present"}
    assert read == wanted


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_values_stay_values(text):
    link = address(BASE, {"v": "1", "k": text}, Shared(purpose="embed"))
    assert not set(link) & set("\"'<> \n")
    assert link.isascii()
    assert parse_qs(urlsplit(link).query, keep_blank_values=True)["k"] == [text]
    assert urlsplit(link).fragment == ""


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.integers(*HEIGHTS))
def test_embedding_code_is_one_frame_whatever_the_title(title, height):
    link = address(BASE, NOW, Shared(purpose="embed"))
    seen = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.append((tag, dict(attrs)))

        def handle_data(self, data):
            seen.append(data)

    reader = Reader()
    reader.feed(embed_code(link, title, height))
    reader.close()
    ((tag, found),) = seen
    assert tag == "iframe"
    assert found["src"] == link
    assert found["height"] == str(height)
    assert found["title"] == " ".join(title.split())


def test_embedding_code_of_a_title_with_markup():
    code = embed_code(BASE + "?v=1&d=2", '"><script>alert(1)</script>', 640)
    assert "<script" not in code
    assert html.escape(BASE + "?v=1&d=2") in code


@pytest.mark.parametrize("height", [0, -5, 299, 2001, 10**9])
def test_a_height_that_no_page_has_is_refused(height):
    with pytest.raises(
        InputError, match=r"^height must be a whole number of pixels in \[300, 2000\]"
    ):
        embed_code(BASE, "Points", height)


@pytest.mark.parametrize(
    "base", ["", "javascript:alert(1)", "data:text/html,x", "//host/x", "/points", "http://[", "ftp://h"]
)  # fmt: skip
def test_only_web_addresses_are_shared(base):
    with pytest.raises(InputError, match=r"^address must start with http:// or https://; got "):
        address(base, NOW, Shared())


def test_a_base_loses_its_own_query():
    assert address(BASE + "/?x=1#y", {"v": "1", "d": "2"}, Shared()) == BASE + "/?v=1&d=2"


def test_a_qr_code_is_dark_on_white_with_a_quiet_zone():
    link = address(BASE, NOW, Shared())
    root = ET.fromstring(qr_svg(link))  # noqa: S314 - made one line above
    code = segno.make_qr(link, error="m")
    assert code.error in {"M", "Q", "H"}
    wide, high = code.symbol_size(border=4)
    assert root.attrib["viewBox"] == f"0 0 {wide} {high}"
    ground, dots = root
    assert ground.attrib == {"fill": "#fff", "d": f"M0 0h{wide}v{high}h-{wide}z"}
    assert dots.attrib["stroke"] == "#000"
    assert dots.attrib["d"].startswith("M4 4.5h7")  # the first corner, four dots inside


def test_a_link_that_no_telephone_reads_is_refused():
    qr_svg("h" * LONGEST)
    with pytest.raises(InputError, match=r"^link must have at most 990 characters .*; got 991\."):
        qr_svg("h" * (LONGEST + 1))


def test_comfort_is_a_code_of_57_dots():
    assert comfortable("h" * COMFORT)
    assert not comfortable("h" * (COMFORT + 1))
    assert segno.make_qr("h" * COMFORT, error="m").symbol_size(border=0) == (57, 57)
    assert segno.make_qr("h" * (COMFORT + 1), error="m").symbol_size(border=0) > (57, 57)


@pytest.mark.parametrize("name", [entry.name for entry in CONCEPTS])
def test_every_field_is_a_setting_or_in_one_part(name):
    fields = fields_of(name)
    groups = parts({key: item.key for key, item in fields.items()}, ("data",))
    assert list(groups) == ["learners", "picture", "random", "exhibits"]
    keys = [key for found in groups.values() for key in found]
    assert len(keys) == len(set(keys))
    settings = {item.key for item in fields.values()} - set(keys)
    assert settings <= set(CONTROLS) & {
        "d",
        "eps",
        "delta",
        "m",
        "u",
        "alpha",
        "beta",
        "const",
        "l",
    }
    knobs = {item.key for key, item in fields.items() if "." in key}
    assert knobs <= groups["learners"]


@pytest.mark.parametrize(
    ("link", "here"),
    [
        ("http://localhost:8501/points", True),
        ("http://127.0.0.1:8501/points", True),
        ("http://[::1]:8501/points", True),
        ("http://0.0.0.0:8501/", True),
        ("http://192.168.1.20:8501/points", False),
        ("https://localhost.example.org/points", False),
    ],
)
def test_addresses_of_this_computer_are_known(link, here):
    assert stays_here(link) is here
