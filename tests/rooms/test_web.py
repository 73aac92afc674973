"""Requests by role: what a stranger, a phone, a phone of another room, a lecturer and another site are told."""

import asyncio
import json
import threading

import pytest

from pages.shared.host.static_files import Store
from pages.shared.room import rooms as rules
from pages.shared.room import web as routes
from pages.shared.room.question import Axis, Question
from pages.shared.room.rooms import Rooms
from pages.shared.room.store import StoreError
from pages.shared.room.web import Web
from privsc_core.errors import InputError
from tests.rooms.asking import OURS, SITE, ask, request

QUESTION = Question("q", "How many?", axis=Axis(1, 1000, log=True), picture="<svg></svg>", truth=10)


@pytest.fixture
def app(store, clock):
    return Web(Rooms(store, clock))


class Hall:
    """A room with one phone and a question, another room with a phone, and a third that was closed."""

    def __init__(self, app):
        self.app = app
        self.code, self.secret = app.rooms.open_room()
        other, self.other_secret = app.rooms.open_room()
        self.closed, closed = app.rooms.open_room()
        self.token = self.come(self.code)["token"]
        self.others = self.come(other)["token"]
        self.gone = self.come(self.closed)["token"]
        app.rooms.close(closed)
        app.rooms.ask(self.secret, QUESTION)

    def come(self, code, **more):
        return ask(self.app, "POST", f"{code}/join", body={}, **more).json


@pytest.fixture
def hall(app):
    return Hall(app)


FOREIGN = {"host": SITE, "origin": "https://evil.example", "sec-fetch-site": "cross-site"}
ROLES = {
    "stranger": {},
    "phone": {"token": "token"},
    "phone of another room": {"token": "others"},
    "lecturer": {"secret": "secret"},
    "lecturer of another room": {"secret": "other_secret"},
    "page of another site, with the phone's token": {"token": "token", "headers": FOREIGN},
    "page of another site, with the secret": {"secret": "secret", "headers": FOREIGN},
}
COMMIT = {"question": "q", "value": 5}
REQUESTS = {
    "join": ("POST", "join", {}),
    "commit": ("POST", "commit", COMMIT),
    "state": ("GET", "state?seen=0", b""),
    "screen": ("GET", "screen", b""),
    "events": ("GET", "events", b""),
}
# join, commit, state, screen, events
EXPECTED = {
    "stranger": (200, 403, 403, 403, 403),
    "phone": (200, 200, 200, 403, 200),
    "phone of another room": (200, 403, 403, 403, 403),
    "lecturer": (200, 403, 403, 200, 403),
    "lecturer of another room": (200, 403, 403, 403, 403),
    "page of another site, with the phone's token": (403,) * 5,
    "page of another site, with the secret": (403,) * 5,
}
OF_CLOSED = {role: (404,) * 5 if 200 in EXPECTED[role] else (403,) * 5 for role in ROLES}


@pytest.mark.parametrize("room", ["code", "closed", "none"])
def test_who_may_what(hall, room, clock):
    for role in ROLES:
        clock.pass_(60)
        check(hall, role, room)


def check(hall, role, room):
    given = {
        name: getattr(hall, it) if isinstance(it, str) else it for name, it in ROLES[role].items()
    }
    code = {"code": hall.code, "closed": hall.closed, "none": "ZZZZZZ"}[room]
    expected = EXPECTED if room == "code" else OF_CLOSED
    for place, (method, what, body) in enumerate(REQUESTS.values()):
        if what == "events" and expected[role][place] == 200:
            continue  # a stream: below
        answer = ask(hall.app, method, f"{code}/{what}", body=body, **given)
        assert answer.status == expected[role][place], what
        if answer.status == 200:
            assert "error" not in answer.json
        else:
            assert set(answer.json) == {"error"}
            assert answer.json["error"].endswith(".")
        assert answer.headers["cache-control"] == "no-store"
        assert hall.secret not in answer.body.decode()
        if what != "join":
            assert hall.token not in answer.body.decode()


def test_a_closed_room_is_told_from_none_by_its_phones_alone(hall):
    for method, what, body in REQUESTS.values():
        answers = [
            ask(hall.app, method, f"{code}/{what}", body=body, address=f"192.0.2.{place}")
            for place, code in enumerate((hall.closed, "ZZZZZZ", "", "x" * 200, "ABC%DE", "ÄÖÜßéñ"))
        ]
        assert {answer[:1] + answer[2:] for answer in answers} == {answers[0][:1] + answers[0][2:]}
    assert ask(hall.app, "GET", f"{hall.closed}/state", token=hall.gone).json["phase"] == "closed"
    assert (
        ask(hall.app, "POST", f"{hall.closed}/commit", body=COMMIT, token=hall.gone).status == 410
    )
    assert ask(hall.app, "POST", f"{hall.closed}/join", body={}, token=hall.gone).status == 404


SITES = [
        ({}, 200, 204), ({"sec-fetch-site": None}, 200, 204), ({"origin": None}, 403, 204),
        ({"origin": None, "sec-fetch-site": None}, 403, 204), ({"origin": "null"}, 403, 403),
        ({"origin": f"https://{SITE}.evil.example"}, 403, 403), ({"origin": "https://evil.example"}, 403, 403),
        ({"origin": f"http://{SITE}"}, 200, 204), ({"origin": SITE}, 403, 403), ({"origin": ""}, 403, 403),
        ({"sec-fetch-site": "same-site"}, 403, 403), ({"sec-fetch-site": "cross-site"}, 403, 403),
        ({"host": None, "origin": "https://"}, 403, 403),
    ]  # fmt: skip


def test_what_another_site_asks_is_refused(hall):
    number = hall.app.rooms.seen(hall.secret).number
    for headers, post, get in SITES:
        given = {
            "token": hall.token,
            "headers": {k: v for k, v in (OURS | headers).items() if v is not None},
        }
        path = f"{hall.code}/state?seen={number}"
        assert ask(hall.app, "GET", path, **given).status == get, headers
        path = f"{hall.code}/commit"
        assert ask(hall.app, "POST", path, body=COMMIT, **given).status == post, headers


HOSTILE = [
    b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 900, b'{"a":' * 150 + b"1" + b"}" * 150,
    b'{"question": "q"}', b'{"question": "q", "value": NaN}', b'{"question": "q", "value": 1e999}',
    b'{"question": "q", "value": "<script>"}', b'{"question": {"q": 1}, "value": 5}',
    b'{"question": "q", "value": [5]}', b'{"value": 5}', b'{"question": "q", "value": ' + b"9" * 900 + b"}",
    b'{"question": "' + b"q" * 900 + b'", "value": 5}',
]  # fmt: skip


def test_hostile_bodies_are_refused_in_a_sentence(hall, clock):
    for body in HOSTILE:
        clock.pass_(1)
        refuse(hall, body)
    assert hall.app.rooms.seen(hall.secret).committed == 0


def refuse(hall, body):
    answer = ask(hall.app, "POST", f"{hall.code}/commit", body=body, token=hall.token)
    assert answer.status in {400, 410}
    assert set(answer.json) == {"error"}
    assert b"<script>" not in answer.body
    # Of a phone that joins, what is no answer is left out.
    assert ask(hall.app, "POST", f"{hall.code}/join", body=body).status in {200, 400}
    for shape in (b'{"answers": %b}', b'{"answers": {"q": %b}}'):
        assert ask(hall.app, "POST", f"{hall.code}/join", body=shape % (body or b"{}")).status in {
            200,
            400,
        }


def test_a_body_has_a_bound_by_what_it_says_and_by_what_it_is(hall):
    told = [(length, b"{}") for length in ("1025", "99999999999", "-1", "1e3", "", "²")]
    for length, body in (*told, ("0", b" " * 2000)):
        said = {"token": hall.token, "headers": OURS | {"content-length": length}}
        assert ask(hall.app, "POST", f"{hall.code}/commit", body=body, **said).status == 413, length


OTHERS = [
        ("GET", "join", 405), ("HEAD", "state", 405), ("PUT", "commit", 405), ("POST", "state", 405),
        ("DELETE", "screen", 405), ("OPTIONS", "commit", 405), ("GET", "", 404), ("GET", "state/", 404),
        ("GET", "../rooms", 404), ("GET", "__class__", 404), ("GET", "_join", 404),
        ("GET", "state?" + "&".join(f"a{i}=1" for i in range(99)), 400),
    ]  # fmt: skip


def test_other_requests_are_refused(hall):
    for method, what, status in OTHERS:
        answer = ask(hall.app, method, f"{hall.code}/{what}", token=hall.token)
        assert answer.status == status, what


def test_a_token_is_made_here_or_none(hall):
    none = "0" * 16 + "." + "0" * 16 + "." + "0" * 32
    for token in ("x", "é", ".", none, "x" * 5000, "\x00", "a.b.c"):
        assert ask(hall.app, "GET", f"{hall.code}/state", token=token).status == 403
        number = hall.app.rooms.seen(hall.secret).joined
        assert ask(hall.app, "POST", f"{hall.code}/join", body={}, token=token).status == 200
        assert hall.app.rooms.seen(hall.secret).joined == number + 1


def test_a_phone_is_told_the_same_by_every_route(hall):
    joined = hall.come(hall.code, token=hall.token)
    assert joined["token"] == hall.token
    state = ask(hall.app, "GET", f"{hall.code}/state?seen=0", token=hall.token).json
    assert joined["state"] == state
    assert joined["epoch"] == state["epoch"]
    assert state["question"] == {
        "id": "q", "kind": "number", "text": "How many?", "choices": [], "picture": "<svg></svg>",
        "axis": {"low": 1, "high": 1000, "log": True, "label": "", "unit": ""},
    }  # fmt: skip
    assert (state["phase"], state["mine"], state["count"]) == ("asked", None, 0)
    answer = ask(hall.app, "POST", f"{hall.code}/commit", body=COMMIT, token=hall.token)
    assert answer.json == {"kept": True, "mine": 5, "count": 1}
    again = ask(
        hall.app, "POST", f"{hall.code}/commit", body=COMMIT | {"value": 7}, token=hall.token
    )
    assert again.json == answer.json
    hall.app.rooms.reveal(hall.secret)
    state = ask(hall.app, "GET", f"{hall.code}/state", token=hall.token).json
    assert (state["phase"], state["mine"], state["truth"], state["count"]) == ("revealed", 5, 10, 1)
    assert len(state["answers"]) == 1


def test_letters_are_read_as_they_are_typed(hall):
    assert "token" in hall.come(hall.code.lower())


def test_a_refusal_that_ends_says_when(hall):
    for _ in range(10):
        ask(hall.app, "GET", "ZZZZZZ/state")
    answer = ask(hall.app, "GET", "ZZZZZZ/state")
    assert (answer.status, answer.headers["retry-after"]) == (429, "6")


def test_a_store_that_fails_is_said_without_a_word_of_it(hall, monkeypatch, caplog):
    hall.app.rooms.store.finish()
    folder = hall.app.rooms.store.path.parent
    folder.rename(folder.with_name("away"))
    folder.write_text("no folder")
    answer = ask(hall.app, "POST", f"{hall.code}/commit", body=COMMIT, token=hall.token)
    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    assert answer.json == {"error": "This room does not answer just now."}
    assert "must have a store that answers" in caplog.text


def test_nothing_of_a_room_is_logged(hall, caplog):
    caplog.set_level(0)
    for method, what, body in REQUESTS.values():
        for token in ("", hall.others):
            ask(hall.app, method, f"{hall.code}/{what}", body=body, token=token)
    hall.app.rooms.clear(hall.secret)
    hall.app.rooms.store.path.unlink()
    hall.app.rooms.watch()
    assert "begun anew" in caplog.text
    for word in (hall.code, hall.token, hall.secret, "192.0.2.1"):
        assert word not in caplog.text


@pytest.mark.parametrize("many", [400, pytest.param(10_000, marks=pytest.mark.whole)])
def test_of_many_commits_from_one_address_each_phone_has_its_first(app, clock, many):
    """An audience behind one address, each phone at its answer again and again, beside a stranger's flood."""
    code, secret = app.rooms.open_room()
    app.rooms.ask(secret, QUESTION)
    values = [1 + place % 1000 for place in range(many // 5)]

    async def one(value):
        joined = await request(app, "POST", f"{code}/join", body={})
        token = joined.json["token"]
        said = [{"question": "q", "value": given} for given in (value, value, 1001 - value, value)]
        path = f"{code}/commit"
        answers = [await request(app, "POST", path, body=said[0], token=token)]
        answers += await asyncio.gather(
            *(request(app, "POST", path, body=body, token=token) for body in said[1:]),
            request(app, "POST", path, body=said[2], token=f"{token[:-32]}{'0' * 32}"),
        )
        assert [answer.status for answer in answers] == [200] * 4 + [403]
        assert {answer.json["mine"] for answer in answers[:4]} == {value}

    async def go():
        for place in range(0, len(values), 20):
            clock.pass_(1)
            await asyncio.gather(*map(one, values[place : place + 20]))

    asyncio.run(go())
    assert app.rooms.seen(secret)[2:4] == (len(values), len(values))
    assert app.rooms.answers(secret, "q") == sorted(values)


# --- streams --------------------------------------------------------------------------------------


class Stream:
    """A phone that listens."""

    def __init__(self, app, code, token, last=""):
        self.said, self.more, self.left = [], asyncio.Event(), asyncio.Event()
        scope = {
            "type": "http", "method": "GET", "path": f"{code}/events", "query_string": f"token={token}".encode(),
            "headers": [(b"host", SITE.encode()), (b"last-event-id", last.encode())], "client": ("192.0.2.1", 1),
        }  # fmt: skip
        self.task = asyncio.ensure_future(app(scope, self._receive, self._send))

    async def _receive(self):
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        self.said.append(message)
        self.more.set()

    async def states(self, count):
        """Wait for so many states, and return all."""
        async with asyncio.timeout(20):
            while True:
                text = b"".join(it.get("body", b"") for it in self.said).decode()
                found = [
                    json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")
                ]
                if len(found) >= count or self.task.done():
                    return found
                self.more.clear()
                await self.more.wait()


def test_all_phones_of_a_room_are_told_and_the_store_is_asked_once(hall, monkeypatch, clock):
    app, rooms = hall.app, hall.app.rooms

    async def go():
        tokens = [hall.token]
        for _ in range(30):
            clock.pass_(1)
            joined = await request(app, "POST", f"{hall.code}/join", body={})
            tokens += [joined.json["token"]]
        listening = [Stream(app, hall.code, token) for token in tokens]
        for stream in listening:
            assert [state["phase"] for state in await stream.states(1)] == ["asked"]
        commits = [
            request(
                app,
                "POST",
                f"{hall.code}/commit",
                body={"question": "q", "value": place + 1},
                token=token,
            )
            for place, token in enumerate(tokens)
        ]
        assert {answer.status for answer in await asyncio.gather(*commits)} == {200}
        asked = []
        for name in ("answer", "answers", "question"):
            call = getattr(rooms.store, name)
            monkeypatch.setattr(
                rooms.store,
                name,
                lambda *given, call=call, name=name: (asked.append(name), call(*given))[1],
            )
        rooms.reveal(hall.secret)
        for place, stream in enumerate(listening):
            state = (await stream.states(2))[1]
            assert (state["phase"], state["mine"], state["count"]) == ("revealed", place + 1, 31)
        assert asked.count("answers") <= 2
        assert asked.count("answer") == 0
        assert len(asked) < 10
        for stream in listening:
            stream.left.set()
        await asyncio.gather(*(stream.task for stream in listening))
        assert app._open == 0
        assert not app._streams

    asyncio.run(go())


def test_a_phone_that_has_seen_a_state_waits_for_the_next(hall):
    async def go():
        number = hall.app.rooms.seen(hall.secret).number
        stream = Stream(hall.app, hall.code, hall.token, str(number))
        await stream.more.wait()
        hall.app.rooms.reveal(hall.secret)
        assert [state["number"] for state in await stream.states(1)] == [number + 1]
        hall.app.end()
        await stream.task
        assert stream.said[-1] == {"type": "http.response.body", "body": b""}

    asyncio.run(go())


@pytest.mark.parametrize("what", ["close", "clear"])
def test_a_stream_ends_when_its_phone_is_out(hall, what):
    async def go():
        stream = Stream(hall.app, hall.code, hall.token)
        before = (await stream.states(1))[0]
        getattr(hall.app.rooms, what)(hall.secret)
        await stream.task
        after = (await stream.states(2))[1]
        assert (after["phase"] == "closed") == (what == "close")
        assert (after["epoch"] != before["epoch"]) == (what == "clear")

    asyncio.run(go())


def test_a_phone_listens_three_times_and_no_more(hall):
    async def go():
        streams = []
        for _ in range(4):
            streams.append(Stream(hall.app, hall.code, hall.token))
            await streams[-1].states(1)
        await streams[0].task
        assert [stream.task.done() for stream in streams] == [True, False, False, False]
        hall.app.end()
        await asyncio.gather(*(stream.task for stream in streams))

    asyncio.run(go())


def test_silence_is_filled_and_says_that_the_phone_is_there(hall, monkeypatch):
    monkeypatch.setattr(routes, "SILENCE", 0.001)

    async def go():
        stream = Stream(hall.app, hall.code, hall.token)
        async with asyncio.timeout(20):
            while not any(b": here" in it.get("body", b"") for it in stream.said):
                stream.more.clear()
                await stream.more.wait()
        stream.left.set()
        await stream.task

    asyncio.run(go())
    room = hall.app.rooms.codes[hall.code]
    assert hall.app.rooms._alive[room]


def test_too_many_streams_are_told_to_ask_instead(hall, monkeypatch):
    monkeypatch.setattr(routes, "STREAMS", 0)
    assert ask(hall.app, "GET", f"{hall.code}/events?token={hall.token}").status == 503


def test_a_watch_outlives_a_store_that_fails(hall, monkeypatch, caplog):
    monkeypatch.setattr(routes, "WATCH", 0)
    calls = []

    def fails():
        calls.append(1)
        if len(calls) == 3:
            hall.app._ended.set()
        raise (RuntimeError("a fault") if len(calls) < 3 else StoreError("gone"))

    monkeypatch.setattr(hall.app.rooms, "watch", fails)
    hall.app.watch()
    assert len(calls) == 3
    assert caplog.text.count("could not be watched") == 1


@pytest.mark.parametrize("named", [True, False])
def test_a_server_starts_without_rooms_if_nobody_has_named_their_place(
    named, tmp_path, monkeypatch, caplog
):
    (tmp_path / "file").write_text("no folder")
    place = tmp_path / "file" / "rooms.db"
    monkeypatch.setattr(rules, "_chosen", None)
    monkeypatch.setattr(rules, "usual_file", lambda: place)
    monkeypatch.setenv("PRIVSC_ROOMS", str(place) if named else "")
    server = Store()
    if named:
        with pytest.raises(InputError, match="rooms must have a store that answers"):
            routes.open_to(server)
    else:
        routes.open_to(server)
        assert "no rooms: " in caplog.text
    assert server.mounted("join/ABCDEF") is None
    assert not rules.available()


def test_a_server_answers_phones_until_it_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "_chosen", None)
    monkeypatch.setattr(rules, "OPEN", threading.Event())
    monkeypatch.setenv("PRIVSC_ROOMS", str(tmp_path / "rooms.db"))
    server = Store()
    routes.open_to(server)
    assert rules.available()
    web, rest = server.mounted("room/ABCDEF/state")
    assert ask(web, "GET", rest).status == 404
    [watching] = [thread for thread in threading.enumerate() if thread.name == "rooms"]
    server.end()
    watching.join(20)
    assert not watching.is_alive()
    rules.chosen().store.finish()


def test_the_page_of_a_phone_is_the_same_for_all_letters(tmp_path, monkeypatch):
    monkeypatch.setattr(routes, "_HERE", tmp_path)
    (tmp_path / "phone.html").write_text(
        '<head><link rel="stylesheet" href="phone.css"><script src="phone.js" defer></script></head>'
    )
    (tmp_path / "phone.css").write_text("b{}")
    (tmp_path / "phone.js").write_text("go()")
    app = routes.Join()
    answers = {ask(app, "GET", path, headers={"host": SITE}).body for path in ("ABCDEF", "", "zzz")}
    assert answers == {b"<head><style>b{}</style><script>go()</script></head>"}
    for path in ("ABCDEFG", "A/B", "<b>", "%41"):
        assert ask(app, "GET", path).status == 404
    assert ask(app, "POST", "ABCDEF").status == 405
