"""The hosted setup, really started: nginx with the shipped configuration, TLS, two processes."""

import asyncio
import contextlib
import gzip
import http.client
import itertools
import json
import re
import ssl
import time
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from pages.shared.host.static_files import HEADERS
from tests.depth import deep
from tests.load import phones, scenarios
from tests.load.front import Front, nginx
from tests.load.scenarios import Hall
from tests.load.visitor import trusting

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(nginx() is None, reason="nginx is not installed"),
]


@pytest.fixture(
    scope="module", params=deep(["privsc"], ["", "privsc"]), ids=lambda path: path or "root"
)
def front(request):
    front = Front(base_path=request.param, level=1)
    with contextlib.closing(front):
        front.start()
        front.root = f"/{request.param}".rstrip("/")
        yield front
        assert not front.trouble()


def ask(front, path, method="GET", **headers):
    context = ssl.create_default_context(cafile=front.prefix / "cert.pem")
    connection = http.client.HTTPSConnection("127.0.0.1", front.port, timeout=120, context=context)
    try:
        connection.request(method, front.root + path, headers=headers)
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def test_a_small_hall_through_the_front(front):
    hall = Hall(front.url, front.pids, sessions=8)

    async def lecture():
        records = [await scenarios.first(hall), await scenarios.instant(hall, rounds=1)]
        await hall.empty()
        return records

    assert [record["errors"] for record in asyncio.run(lecture())] == [0, 0]


def test_phones_in_a_room_are_with_any_process(front):
    """With a process that is killed between commits and the truth, and a store that is removed after them."""
    hall = Hall(front.url, front.pids)

    async def killed(_):
        await asyncio.to_thread(front.hosts[0].kill)
        await asyncio.to_thread(front.hosts[0].start)

    async def removed(_):
        await asyncio.to_thread(Path(front.rooms).unlink)

    for fault in (killed, removed):
        record = asyncio.run(
            phones.lecture(
                hall, front.rooms, phones=20, questions=2, spread=0.5, think=0.5, fault=fault
            )
        )
        assert record["errors"] == 0, record["what"]
        assert (record["joined"], record["lost"]) == (20, 0)
    said = [json.loads(line) for line in (front.prefix / "access.log").read_text().splitlines()]
    paths = {line["path"] for line in said if "room" in line["path"] or "join" in line["path"]}
    assert paths == {"/join", "/room/join", "/room/events", "/room/commit", "/room/screen"}
    assert len({line["process"] for line in said if line["path"] == "/room/commit"}) == 2


def test_letters_are_guessed_slowly_through_the_front(front):
    """Of the address that the front server sees, whatever a request says of it."""
    statuses = [
        ask(front, "/room/ZZZZZZ/state", **{"X-Forwarded-For": f"198.51.100.{place}"})[0].status
        for place in range(24)
    ]
    assert statuses[:10] == [404] * 10
    assert statuses[-1] == 429
    answer, _ = ask(front, "/join/ZZZZZZ")
    assert answer.getheader("Set-Cookie") is None


def test_static_files_come_compressed_and_may_be_kept(front):
    bundle = front.prefix / "bundle"
    for file in (next(bundle.glob("static/js/index.*.js")), next(bundle.glob("app/static/*.js"))):
        path = f"/{file.relative_to(bundle)}"
        answer, body = ask(front, path, **{"Accept-Encoding": "gzip"})
        assert (answer.status, answer.getheader("Content-Encoding")) == (200, "gzip")
        assert gzip.decompress(body) == file.read_bytes()
        assert "immutable" in answer.getheader("Cache-Control")


def test_every_page_is_the_program_and_is_asked_for_anew(front):
    for path in ("/", "/points?d=64", "/no-such-page"):
        answer, body = ask(front, path)
        assert (answer.status, answer.getheader("Cache-Control")) == (200, "no-cache")
        assert b"<noscript>" in body


@pytest.mark.parametrize(
    "path", ["/", "/points", "/_stcore/health", "/favicon.png", "/_stcore/metrics", "#"]
)
def test_every_answer_has_each_header_once(front, path):
    file = next((front.prefix / "bundle").glob("static/js/index.*.js"))
    answer, _ = ask(front, path.replace("#", f"/{file.relative_to(front.prefix / 'bundle')}"))
    for name, value in HEADERS.items():
        assert answer.headers.get_all(name) == [value]


def test_every_page_has_its_own_first_words(front):
    words = {"/": "How many examples", "/points?d=64": "one point", "/intervals": "a threshold"}
    for path, said in words.items():
        answer, body = ask(front, path, **{"Accept-Encoding": "gzip"})
        assert answer.getheader("Content-Encoding") == "gzip"
        assert re.search(rf"<h1[^>]*>[^<]*{said}", gzip.decompress(body).decode())


@pytest.mark.parametrize("name", ["metrics", "script-health-check", "agent/interact"])
def test_what_is_not_for_visitors(front, name):
    assert ask(front, f"/_stcore/{name}")[0].status == 404


def test_a_long_query_string_is_refused(front):
    assert ask(front, "/points?" + "d=1&" * 5_000)[0].status == 414


def test_a_cookie_keeps_a_visitor_with_one_process(front):
    def given(path="/", **headers):
        cookies = ask(front, path, **headers)[0].headers.get_all("Set-Cookie", [])
        return "".join(cookie for cookie in cookies if cookie.startswith("visitor="))

    said = [given(path) for path in ("/", "/points", "/_stcore/health")]
    for cookie in said:
        assert all(flag in cookie.lower() for flag in ("httponly", "secure", "samesite=lax"))
        assert "expires" not in cookie.lower()
        assert re.match(r"visitor=[0-9a-f]{32};", cookie)
    # Nothing of one can be told from another: planted, the counted identifiers of nginx's own module.
    known = [bytes.fromhex(cookie[8:40]) for cookie in said]
    shared = [
        sum(a == b for a, b in zip(*pair, strict=True)) for pair in itertools.combinations(known, 2)
    ]
    assert max(shared) < 6  # of 16 bytes: by chance once in 10^10
    kept = said[0].split(";")[0]
    assert not given(Cookie=kept)
    assert given(Cookie="visitor=x")
    log = front.prefix / "access.log"

    def processes():
        """Return who answered the requests of method HEAD so far; only this test makes them."""
        lines = map(json.loads, log.read_text().splitlines())
        return [line["process"] for line in lines if line["method"] == "HEAD"]

    def answered_by(number):
        before = len(processes())
        ask(front, "/_stcore/health", "HEAD", Cookie=f"visitor={number:032x}")
        ends = time.monotonic() + 60  # nginx writes the line when it has sent the answer
        while len(found := processes()) == before:
            assert time.monotonic() < ends
        return found[-1]

    visitors = range(40)
    first = [answered_by(number) for number in visitors]
    assert first == [answered_by(number) for number in visitors]
    assert len(set(first)) == 2


def test_a_page_of_another_site_is_not_let_in(front):
    async def come(origin):
        address = front.url.replace("https", "wss") + "/_stcore/stream"
        async with connect(address, origin=origin, ssl=trusting(), proxy=None):
            return True

    own = front.url.removesuffix("/privsc")
    assert asyncio.run(come(own))
    for origin in ("https://elsewhere.example", "null", own + ".elsewhere.example", own[:-1]):
        with pytest.raises(InvalidStatus, match="403"):
            asyncio.run(come(origin))
