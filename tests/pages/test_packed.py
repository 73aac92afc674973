"""What `privsc serve` answers before Streamlit does: programs and pages, compressed once."""

import asyncio
import gzip
import re
from pathlib import Path

import pytest

from pages.shared.host import opening, static_files
from pages.shared.host.static_files import FOREVER, HEADERS, Packed, Store

ALWAYS = {name.lower(): value for name, value in HEADERS.items()}
ELSEWHERE = (299, ALWAYS, b"passed on")
ROOT = Path(__file__).parents[2]
PAGES = {"": "<!DOCTYPE html>" + "home " * 99, "points": "<!DOCTYPE html>" + "points " * 99}


@pytest.fixture(scope="module")
def store():
    static_files.publish()
    store = Store()
    store.open()
    store.put(PAGES)
    return store


def ask(store, path, *, base="", method="GET", query=b"", encoding="gzip, deflate", **headers):
    async def other(scope, receive, send):
        await send({"type": "http.response.start", "status": ELSEWHERE[0], "headers": []})
        await send({"type": "http.response.body", "body": ELSEWHERE[2]})

    async def call():
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "http.request", "body": b""}

        given = {"accept-encoding": encoding, **headers}
        scope = {
            "type": "http", "method": method, "path": path, "query_string": query, "root_path": "",
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items()],
        }  # fmt: skip
        await Packed(other, store, base)(scope, receive, send)
        return sent

    start, *bodies = asyncio.run(call())
    heads = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], heads, b"".join(part.get("body", b"") for part in bodies)


@pytest.mark.parametrize(
    "path", ["/", "/points", f"/app/static/{static_files.PLOTLY}", "/_stcore/health"]
)
def test_every_answer_has_the_headers_of_the_front_server(store, path):
    text = (ROOT / ".hosting" / "nginx" / "headers.conf").read_text(encoding="utf-8")
    said = dict(re.findall(r'^add_header (\S+) "?(.*?)"? always;$', text, re.MULTILINE))
    assert said == HEADERS
    assert ask(store, path)[1].items() >= ALWAYS.items()
    main = (ROOT / ".hosting" / "nginx" / "nginx.conf").read_text(encoding="utf-8")
    for block in re.findall(r"location [^{]+(?:{[^{}]*(?:{[^{}]*}[^{}]*)*})", main):
        assert ("add_header" in block) == ("include headers.conf" in block), block
    hidden = (ROOT / ".hosting" / "nginx" / "proxy.conf").read_text(encoding="utf-8")
    assert set(re.findall(r"proxy_hide_header (\S+);", hidden)) == {"Server", *HEADERS}


def test_a_program_comes_compressed_and_may_be_kept_for_ever(store):
    for address in (opening.needed()[0], f"app/static/{static_files.PLOTLY}"):
        status, heads, body = ask(store, f"/{address}")
        assert (status, heads["content-encoding"], heads["cache-control"]) == (200, "gzip", FOREVER)
        assert heads["content-type"].startswith("text/javascript")
        assert int(heads["content-length"]) == len(body)
        plain = gzip.decompress(body)
        assert len(body) < 0.5 * len(plain) or len(plain) < 2000
    assert plain == (static_files.FOLDER / static_files.PLOTLY).read_bytes()


@pytest.mark.parametrize("encoding", ["", "identity", "br", "gzip;q=0", "gzip; q=0.000"])
def test_who_takes_no_gzip_gets_none(store, encoding):
    assert ask(store, f"/{opening.needed()[0]}", encoding=encoding) == ELSEWHERE
    _, heads, body = ask(store, "/points", encoding=encoding)
    assert "content-encoding" not in heads
    assert body.decode() == PAGES["points"]


@pytest.mark.parametrize("encoding", ["gzip", "br, GZIP", "deflate;q=1, gzip;q=0.5"])
def test_who_takes_gzip_gets_it(store, encoding):
    assert ask(store, "/points", encoding=encoding)[1]["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    "path",
    [
        "/static/js/none.js", "/static/js/../../../config.py", "/app/static/../app.py", "/static/",
        "/_stcore/health", "/points/x", "/media/x.js", "//points", "/POINTS",
    ],
)  # fmt: skip
def test_what_is_not_in_the_list_is_left_to_streamlit(store, path):
    assert ask(store, path) == ELSEWHERE


def test_parts_and_posts_are_left_to_streamlit(store):
    assert ask(store, f"/{opening.needed()[0]}", range="bytes=0-9") == ELSEWHERE
    assert ask(store, "/points", method="POST") == ELSEWHERE


def test_a_page_is_asked_for_anew_and_sent_once(store):
    status, heads, body = ask(store, "/points")
    assert (status, heads["cache-control"]) == (200, "no-cache")
    assert gzip.decompress(body).decode() == PAGES["points"]
    again, _, nothing = ask(store, "/points", if_none_match=f"W/{heads['etag']}")
    assert (again, nothing) == (304, b"")
    assert ask(store, "/", if_none_match=heads["etag"])[0] == 200


def test_nothing_of_an_address_is_in_a_page(store):
    hostile = b"d=%3Cscript%3Ealert(1)%3C/script%3E&x=<script>alert(1)</script>"
    assert ask(store, "/points", query=hostile) == ask(store, "/points")


@pytest.mark.parametrize("base", ["privsc", "/a/b/", "<script>"])
def test_a_path_of_its_own(store, base):
    below = base.strip("/")
    status, _, body = ask(store, f"/{below}/points", base=base)
    assert (status, gzip.decompress(body).decode()) == (200, PAGES["points"])
    assert ask(store, f"/{below}/{opening.needed()[0]}", base=base)[0] == 200
    assert ask(store, "/points", base=base) == ELSEWHERE


def test_before_pages_are_there_streamlit_answers():
    empty = Store()
    empty.open()
    assert ask(empty, "/points") == ELSEWHERE


# --- the document -------------------------------------------------------------------------------


def test_a_document_names_all_that_streamlit_would_find_late():
    names = " ".join(opening.needed())
    for stem in opening._MOUNTED:
        assert re.search(rf"/{stem}\.[\w-]+\.js", names), stem
    page = opening.document("A title", "<p id=ours></p>")
    for address in (*opening.needed(), f"app/static/{static_files.CHART}"):
        assert 'rel="modulepreload" fetchpriority="low" ' in page
        assert f'href="./{address}"' in page
    assert f'src="./app/static/{static_files.PLOTLY}"' in page
    # Once each: what the page names anyway is not named again.
    named = re.findall(r'rel="modulepreload"[^>]*href="([^"]+)"', page)
    assert len(named) == len(set(named))


def test_a_document_is_streamlits_without_what_nobody_sees():
    page = opening.document("A title", "<p id=ours></p>")
    assert re.search(r'<script type="module" crossorigin src="\./static/js/index\.', page)
    assert '<div id="root"></div>' in page
    assert page.index("<p id=ours>") < page.index('<div id="root">')
    assert "<title>A title</title>" in page
    # Half a megabyte of fonts, and a style sheet that everything would wait for.
    assert "SourceSans" not in page
    assert "font-family:Material Symbols Rounded;font-style" not in page
    assert re.search(r'<meta name="pv-icons" content="\./static/media/MaterialSymbols', page)
    assert re.search(r'<link rel="stylesheet" disabled', page)
    assert page.count('rel="stylesheet"') == 1
    assert "font-family:KaTeX_Main" in page
    assert "url(../" not in page


def test_no_two_parts_of_the_program_declare_one_name():
    """They are one file in the browser, where a second declaration stops everything."""
    program = static_files.chart_program()
    names = re.findall(
        r"^(?:export )?(?:const|let|class|(?:async )?function) (\w+)", program, re.MULTILINE
    )
    assert len(names) > 100
    assert sorted(set(names)) == sorted(names)
