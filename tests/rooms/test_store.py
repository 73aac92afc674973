"""The contract of a store, on every kind that is there."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from pages.shared.room import store as store_module
from pages.shared.room.server import Server
from pages.shared.room.store import Asked, File, Room, StoreError
from privsc_core.errors import InputError
from tests.rooms import stores

MOST = 3


@pytest.fixture
def store(any_store):
    return any_store


ROOM = Room("r", "ABCDEF", "k", "s", 1000.0, 1000.0)


def opened(store, name="r", code="ABCDEF", **more):
    room = replace(ROOM, id=name, code=code, opened=store.now(), touched=store.now(), **more)
    assert store.open(room, MOST, 60)
    return room


def joined(store, *phones, room="r"):
    for phone in phones:
        assert store.join(room, phone, 100, 0, 0) == 0


def test_a_room_is_found_as_it_was_opened(store):
    room = opened(store)
    assert store.room("r") == room
    assert store.rooms() == {"r": room}
    assert store.codes() == {"ABCDEF": "r"}
    assert store.room("none") is None
    assert store.open(replace(room, code="GHJKLM"), MOST, 60)  # it is there and stays
    assert store.room("r") == room


def test_letters_belong_to_one_room_and_old_ones_are_not_given_away(store):
    opened(store)
    assert not store.open(replace(ROOM, id="other"), MOST, 60)
    assert store.rename("r", "GHJKLM")
    assert store.room("r").code == "GHJKLM"
    assert store.codes() == {"ABCDEF": "r", "GHJKLM": "r"}
    assert not store.open(replace(ROOM, id="other"), MOST, 60)
    opened(store, "other", "NPQRST")
    assert not store.rename("other", "GHJKLM")


def test_a_full_house_lets_an_idle_empty_room_go_and_no_other(store, clock):
    for place in range(MOST):
        opened(store, f"r{place}", f"AAAAA{place}")
    joined(store, "p", room="r0")
    clock.pass_(30)
    with pytest.raises(InputError, match="at most 3 at a time"):
        opened(store, "late", "BBBBBB")
    clock.pass_(31)
    store.touch("r1")
    opened(store, "late", "BBBBBB")
    assert set(store.rooms()) == {"r0", "r1", "late"}
    store.close("r0")
    opened(store, "last", "CCCCCC")
    assert store.room("r0").closed


def test_closed_rooms_do_not_pile_up(store, clock):
    for place in range(5 * MOST):
        clock.pass_(1)
        opened(store, f"r{place}", f"AAAA{place:02d}")
        store.close(f"r{place}")
    assert len(store.rooms()) <= MOST + 1


def test_a_phone_has_one_answer_the_first(store):
    opened(store)
    joined(store, "p", "q", "p")
    assert store.room("r").joined == 2
    store.ask("r", "one", "body")
    assert store.commit("r", "one", 0, "p", 3.5) == 3.5
    assert store.commit("r", "one", 0, "p", 4) == 3.5
    assert store.commit("r", "one", 0, "q", 4) == 4
    assert store.commit("r", "one", 0, "stranger", 4) is None
    assert store.commit("r", "two", 0, "p", 4) is None
    assert store.commit("other", "one", 0, "p", 4) is None
    assert store.room("r").committed == 2
    assert store.answers("r", "one") == {"p": 3.5, "q": 4}
    assert store.answer("r", "one", "p") == 3.5
    assert store.answer("r", "one", "stranger") is None


def test_a_revealed_question_takes_no_answer_and_is_revealed_once(store):
    opened(store)
    joined(store, "p", "q")
    store.ask("r", "one", "body")
    store.commit("r", "one", 0, "p", 1)
    number = store.room("r").number
    store.reveal("r", "one", "body as it was revealed", json.dumps)
    store.reveal("r", "one", "late", lambda _: "again")
    room = store.room("r")
    assert (room.revealed, room.number) == (True, number + 1)
    assert store.question("r", "one") == Asked("one", "body as it was revealed", "[1.0]", 0, 1)
    assert store.commit("r", "one", 0, "q", 2) is None
    assert store.commit("r", "one", 0, "p", 2) == 1  # which it had sent before
    assert store.answers("r", "one") == {"p": 1}


def test_a_question_that_comes_back_has_its_answers(store):
    opened(store)
    joined(store, "p")
    store.ask("r", "one", "body")
    store.commit("r", "one", 0, "p", 1)
    store.ask("r", "two", "other body")
    assert store.room("r").committed == 0
    assert store.commit("r", "one", 0, "p", 1) == 1
    store.ask("r", "one", "a body that comes too late")
    assert store.room("r").committed == 1
    assert [asked.id for asked in store.asked("r")] == ["one", "two"]
    assert store.asked("r")[0].body == "body"
    numbers = [store.room("r").number]
    store.ask("r", "two", "a body without answers yet")
    assert store.question("r", "two").body == "a body without answers yet"
    assert store.room("r").number > numbers[0]


def test_clearing_puts_phones_out_and_asks_anew(store):
    opened(store)
    joined(store, "p", "q")
    store.ask("r", "old", "body")
    store.commit("r", "old", 0, "p", 1)
    store.reveal("r", "old", "body", json.dumps)
    store.ask("r", "earlier", "body")
    store.commit("r", "earlier", 0, "p", 1)
    store.ask("r", "one", "body")
    store.commit("r", "one", 0, "p", 1)
    before = store.room("r")
    store.clear("r", "s2", "k2")
    room = store.room("r")
    assert store.question("r", "earlier")[3:] == (1, 0)
    assert not store.answers("r", "earlier")
    assert (room.stamp, room.key, room.joined, room.committed) == ("s2", "k2", 0, 0)
    assert room.number > before.number
    assert store.commit("r", "one", 1, "p", 1) is None
    joined(store, "p")
    assert store.commit("r", "one", 0, "p", 1) is None  # an answer to the question as it was
    assert store.commit("r", "one", 1, "p", 2) == 2
    store.ask("r", "old", "body")
    store.clear("r", "s3", "k3")
    assert store.answers("r", "old") == {"p": 1}


def test_a_closed_room_takes_nothing_and_keeps_its_answers(store):
    opened(store)
    joined(store, "p", "q")
    store.ask("r", "one", "body")
    store.commit("r", "one", 0, "p", 1)
    store.close("r")
    store.ask("r", "two", "body")
    assert store.room("r").closed
    assert store.room("r").question == "one"
    assert store.commit("r", "one", 0, "q", 1) is None
    assert store.answers("r", "one") == {"p": 1}


def test_stopping_is_kept(store):
    opened(store)
    for stopped in (True, False):
        store.stop("r", stopped=stopped)
        assert store.room("r").stopped is stopped


def test_phones_join_one_after_the_other(store, clock):
    opened(store)
    waits = [store.join("r", f"p{place}", 100, 0.25, 1.0) for place in range(10)]
    assert waits[:5] == [0, 0.25, 0.5, 0.75, 1.0]
    assert waits[5:] == [1.25] * 5  # these have not joined
    assert store.room("r").joined == 5
    assert store.join("r", "p0", 100, 0.25, 1.0) == 0
    clock.pass_(0.25)
    assert store.join("r", "p5", 100, 0.25, 1.0) == 1.0
    clock.pass_(60)
    assert store.join("r", "p6", 100, 0.25, 1.0) == 0


def test_a_full_room_is_full_but_for_its_phones(store):
    opened(store)
    joined(store, "p", "q")
    assert store.join("r", "x", 2, 0, 0) == float("inf")
    assert store.join("r", "p", 2, 0, 0) == 0
    assert store.join("none", "p", 2, 0, 0) == float("inf")


def test_silent_phones_are_counted(store, clock):
    opened(store)
    opened(store, "other", "GHJKLM")
    joined(store, "p", "q", "x")
    joined(store, "p", room="other")
    clock.pass_(50)
    store.seen({"r": ["p", "stranger"], "none": ["p"]})
    assert store.silent(store.now() - 45) == {"r": 2, "other": 1}
    assert store.silent(store.now() - 60) == {}


def test_a_question_is_put_back_once(store):
    opened(store)
    asked = Asked("one", "body", "result", 2, 1)
    for answers in ({"p": 1.0}, {"p": 2.0}):
        store.restore("r", asked, answers)
    assert store.asked("r") == [asked]
    assert store.answers("r", "one") == {"p": 1}
    store.ask("r", "one", "body")
    assert store.room("r").revealed
    store.restore("none", asked, {})
    assert store.asked("none") == []


def test_old_rooms_go_with_all_that_is_theirs(store, clock):
    opened(store)
    joined(store, "p")
    store.ask("r", "one", "body")
    store.commit("r", "one", 0, "p", 1)
    clock.pass_(10)
    opened(store, "new", "GHJKLM")
    store.purge(store.now() - 5)
    assert set(store.rooms()) == {"new"}
    assert store.codes() == {"GHJKLM": "new"}
    assert (store.asked("r"), store.answers("r", "one")) == ([], {})
    opened(store)
    assert store.join("r", "p", 1, 0, 0) == 0


def test_a_change_is_seen_and_nothing_else_is(store):
    opened(store)
    first = store.version()
    assert store.version() == first
    store.room("r")
    store.join("r", "p", 100, 0, 0)
    second = store.version()
    assert second != first
    store.join("r", "p", 100, 0, 0)  # which is there
    store.commit("r", "none", 0, "p", 1)
    store.purge(0)
    assert store.epoch() == store.epoch()


@pytest.mark.parametrize(
    "strange", ["'; DROP TABLE rooms; --", "\x00", "ä" * 300, "*", "%", "privsc:*"]
)
def test_names_are_names(store, strange):
    opened(store, strange, strange)
    joined(store, strange, room=strange)
    store.ask(strange, strange, strange)
    assert store.commit(strange, strange, 0, strange, 1) == 1
    assert store.answers(strange, strange) == {strange: 1}
    assert store.codes() == {strange: strange}


def hammer(make, phones, values):
    store = make()
    for phone in phones:
        store.join("r", phone, 10**6, 0, 9)
        for value in values:
            store.commit("r", "one", 0, phone, value)


def test_nothing_is_lost_or_doubled_by_threads(store):
    opened(store)
    store.ask("r", "one", "body")
    phones = [f"p{place}" for place in range(40)]
    threads = [
        threading.Thread(target=hammer, args=(lambda: store, phones[first::2], (place, 9)))
        for place in range(4)
        for first in (0, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.finish()
    room = store.room("r")
    assert room.joined == room.committed == len(store.answers("r", "one")) == 40


# Another process, with nothing but the store in it.
OTHER = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("store", sys.argv[1])
store = sys.modules["store"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(store)
file = store.File(store.Path(sys.argv[2]))
for place in range(300):
    phone = f"p{(place + int(sys.argv[3])) % 300}"
    file.join("r", phone, 10**6, 0, 9)
    for value in (1, 2):
        file.commit("r", "one", 0, phone, value)
"""


def test_nothing_is_lost_or_doubled_by_processes(tmp_path):
    path = tmp_path / "rooms.db"
    store = File(path)
    opened(store)
    store.ask("r", "one", "body")
    command = [sys.executable, "-c", OTHER, store_module.__file__, str(path)]
    others = [subprocess.Popen([*command, first]) for first in ("0", "150")]
    assert [other.wait() for other in others] == [0, 0]
    room = store.room("r")
    assert room.joined == room.committed == len(store.answers("r", "one")) == 300
    store.finish()


# --- what is true of a file alone ----------------------------------------------------------------


@pytest.mark.parametrize("harm", ["removed", "folder", "data", "garbage", "emptied"])
def test_a_file_that_is_gone_begins_anew(tmp_path, clock, harm):
    store = stores.file(tmp_path, clock)
    opened(store)
    epoch, version = store.epoch(), store.version()
    if harm == "removed":
        store.path.unlink()
    elif harm == "folder":
        for file in store.path.parent.iterdir():
            file.unlink()
        store.path.parent.rmdir()
    elif harm == "emptied":
        store.path.write_bytes(b"")
    else:
        for file in store.path.parent.glob("rooms.db-*"):
            file.unlink()
            if harm == "garbage":
                file.write_bytes(b"no data base" * 1000)
    assert store.version() != version
    assert store.rooms() == {}
    assert store.epoch() != epoch
    opened(store)
    assert store.room("r")
    store.finish()


def test_a_file_that_was_spoiled_begins_anew_at_the_second_look(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    opened(store)
    epoch = store.epoch()
    store.finish()
    [data] = store.path.parent.glob("rooms.db-*")
    with contextlib.closing(sqlite3.connect(data)) as connection:
        [place] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'answers'"
        ).fetchone()
    content = data.read_bytes()
    first = 4096 * (place - 1)
    data.write_bytes(content[:first] + b"spoiled!" * 512 + content[first + 4096 :])
    assert set(store.rooms()) == {"r"}
    with pytest.raises(StoreError):
        store.answers("r", "one")
    assert store.rooms() == {}
    assert store.epoch() != epoch
    store.finish()


def test_two_processes_agree_on_a_file_that_was_removed(tmp_path, clock):
    one, other = stores.file(tmp_path, clock), stores.file(tmp_path, clock)
    opened(one)
    assert other.room("r")
    one.path.unlink()
    opened(other, "new", "GHJKLM")
    assert set(one.rooms()) == set(other.rooms()) == {"new"}
    assert one.epoch() == other.epoch()
    one.finish()
    other.finish()


def test_a_file_of_before_the_machine_was_started_is_empty(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    opened(store)
    store.finish()
    clock.now = 5.0
    assert stores.file(tmp_path, clock).rooms() == {}


def test_a_file_and_its_folder_are_for_this_user_alone(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    opened(store)
    files = list(store.path.parent.iterdir())
    assert len(files) >= 2
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert store.path.parent.stat().st_mode & 0o777 == 0o700
    store.finish()


def test_a_store_that_does_not_answer_is_one_sentence(tmp_path, clock):
    (tmp_path / "rooms").write_text("no folder")
    with pytest.raises(StoreError, match=r"^rooms must have a store that answers; got [^\n]+\.$"):
        stores.file(tmp_path, clock).rooms()


def test_a_file_that_is_no_store_is_left_alone(tmp_path, clock):
    path = tmp_path / "rooms" / "rooms.db"
    path.parent.mkdir()
    path.write_text("a thesis")
    with pytest.raises(StoreError, match="a path where another file is"):
        stores.file(tmp_path, clock).rooms()
    assert path.read_text() == "a thesis"
    assert [*path.parent.iterdir()] == [path]


def test_a_file_of_an_older_layout_begins_anew_and_one_of_a_newer_is_left_alone(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    opened(store)
    epoch, mark = store.epoch(), store.path.read_bytes()
    layout = b" %d " % store_module.LAYOUT
    assert layout in mark
    store.path.write_bytes(mark.replace(layout, b" "))  # as the first one was
    assert store.rooms() == {}
    assert store.epoch() != epoch
    newer = store.path.read_bytes().replace(layout, b" %d " % (store_module.LAYOUT + 1))
    store.path.write_bytes(newer)
    for call in (store.rooms, store.version, store.epoch):
        with pytest.raises(StoreError, match="the file of a newer version of privsc"):
            call()
    assert store.path.read_bytes() == newer
    store.finish()


def test_a_server_that_was_emptied_begins_anew(redis, clock):
    store = Server(redis.url, clock)
    opened(store)
    epoch, version = store.epoch(), store.version()
    redis.client().flushall()
    assert store.version() != version
    assert store.epoch() != epoch
    assert store.epoch() == Server(redis.url, clock).epoch()
    assert store.rooms() == {}
    store.finish()


def test_what_is_left_of_other_epochs_goes(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(store_module, "_STALE", -5)
    store = stores.file(tmp_path, clock)
    for _ in range(5):
        opened(store)
        store.path.unlink()
    opened(store)
    store.finish()
    assert len([*store.path.parent.iterdir()]) == 2


# Another process, with nothing but the store in it, while the file is removed again and again.
KEEPS = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("store", sys.argv[1])
store = sys.modules["store"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(store)
file = store.File(store.Path(sys.argv[2]))
for place in range(300):
    file.open(store.Room("r", "ABCDEF", "k", "s", file.now(), file.now()), 3, 60)
    file.join("r", f"p{place}", 10**6, 0, 9)
    file.rooms()
    if place % 60 == int(sys.argv[3]):
        store.Path(sys.argv[2]).unlink(missing_ok=True)
file.finish()
"""


def test_a_file_may_be_removed_while_processes_use_it(tmp_path):
    path = tmp_path / "rooms.db"
    command = [sys.executable, "-c", KEEPS, store_module.__file__, str(path)]
    others = [subprocess.Popen([*command, first]) for first in ("10", "20", "30")]
    assert [other.wait() for other in others] == [0, 0, 0]
    store = File(path)
    opened(store)
    store.ask("r", "one", "body")
    joined(store, "p")
    assert store.commit("r", "one", 0, "p", 1) == 1
    assert File(path).answers("r", "one") == {"p": 1}
    store.finish()


def test_a_folder_whose_name_can_be_guessed_must_be_ours(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    from pages.shared.room.store import usual_file

    File(usual_file()).rooms()
    usual_file().parent.chmod(0o777)
    with pytest.raises(StoreError):
        File(usual_file()).epoch()
    other = tmp_path / "other"
    other.mkdir(0o700)
    for file in usual_file().parent.iterdir():
        file.unlink()
    usual_file().parent.rmdir()
    usual_file().parent.symlink_to(other)
    with pytest.raises(StoreError):
        File(usual_file()).epoch()
