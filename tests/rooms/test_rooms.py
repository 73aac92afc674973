"""The rules of rooms: who comes in, what is counted, what a lecturer's session brings back."""

import contextlib
import math
from dataclasses import replace

import pytest

from pages.shared.room import rooms as rules
from pages.shared.room.question import Axis, Question
from pages.shared.room.rooms import Pace, RefusedError, Rooms
from pages.shared.room.server import Server
from pages.shared.room.store import StoreError
from privsc_core.errors import InputError
from tests.rooms import stores

NUMBER = Question("least-m", "How many?", axis=Axis(1, 1000, log=True, label="m"), truth=100)
CHOICE = Question(
    "which", "Which?", choices=("A", "B"), truth=1, truth_text="B", feedback=("No.", "Yes.")
)


@pytest.fixture
def rooms(store):
    return Rooms(store, store.now)


def come(rooms, code, token="", answers=None, address="192.0.2.1"):
    return rooms.join(code, token, answers or {}, address)


def refusal(call, *arguments):
    with pytest.raises(RefusedError) as caught:
        call(*arguments)
    return caught.value.status


def commit(rooms, code, token, question, value):
    return rooms.commit(rooms.phone(code, token, "192.0.2.1"), question, value)


def test_a_lecture(rooms):
    code, secret = rooms.open_room()
    assert len(code) == 6
    assert set(code) <= set(rules.LETTERS)
    assert not set(rules.LETTERS) & set("IO01")
    tokens = [come(rooms, code)[1] for _ in range(3)]
    assert rooms.seen(secret)[:5] == (code, "waiting", 3, 0, 0)
    rooms.ask(secret, NUMBER)
    for token, value in zip(tokens, (10, 60, 150), strict=True):
        commit(rooms, code, token, NUMBER.id, value)
    assert rooms.seen(secret)[1:5] == ("asked", 3, 3, 0)
    state = rooms.state(rooms.rooms[rooms.codes[code]])
    assert state["phase"] == "asked"
    assert "truth" not in state
    assert "100" not in str(state["question"]).replace("1000", "")
    rooms.reveal(secret)
    state = rooms.state(rooms.rooms[rooms.codes[code]])
    assert (state["phase"], state["truth"], state["median"], state["within"]) == (
        "revealed",
        100,
        60,
        2 / 3,
    )
    assert sum(count for _, count in state["answers"]) == 3
    assert refusal(commit, rooms, code, come(rooms, code)[1], NUMBER.id, 5) == 410
    rooms.ask(secret, CHOICE)
    for token, value in zip(tokens, (0, 1, 1), strict=True):
        commit(rooms, code, token, CHOICE.id, value)
    rooms.reveal(secret)
    assert rooms.state(rooms.rooms[rooms.codes[code]])["answers"] == [1, 2]
    assert rooms.answers(secret, NUMBER.id) == [10, 60, 150]
    assert rooms.record(secret) == [(NUMBER, [10, 60, 150]), (CHOICE, [0, 1, 1])]
    rooms.close(secret)
    assert refusal(come, rooms, code) == 404
    assert rooms.record(secret) == [(NUMBER, [10, 60, 150]), (CHOICE, [0, 1, 1])]
    assert rooms.phone(code, tokens[0], "").room.closed
    with pytest.raises(InputError, match="room must be open"):
        rooms.ask(secret, NUMBER)


def test_what_is_asked_again_is_asked_once(rooms):
    _, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    number = rooms.seen(secret).number
    rooms.ask(secret, NUMBER)
    assert rooms.seen(secret).number == number
    rooms.reveal(secret)
    rooms.reveal(secret)
    assert rooms.seen(secret).number == number + 1


def test_two_lecturers_with_one_link_have_one_room(rooms, store):
    code, secret = rooms.open_room()
    other = Rooms(store)
    other.ask(secret, NUMBER)
    assert rooms.seen(secret).question == NUMBER.id
    rooms.watch()
    token = come(rooms, code)[1]
    commit(rooms, code, token, NUMBER.id, 5)
    other.reveal(secret)
    rooms.reveal(secret)
    assert rooms.answers(secret, NUMBER.id) == other.answers(secret, NUMBER.id) == [5]


def test_a_phone_that_comes_again_is_itself(rooms):
    code, secret = rooms.open_room()
    phone, token, _ = come(rooms, code)
    again, same, _ = come(rooms, code, token)
    assert (again.name, same) == (phone.name, token)
    assert rooms.seen(secret).joined == 1
    assert come(rooms, code, token[:-1] + "x")[0].name != phone.name


def test_other_letters_keep_phones_and_let_nobody_in_by_the_old_ones(rooms):
    code, secret = rooms.open_room()
    token = come(rooms, code)[1]
    new = rooms.reopen(secret)
    assert new == rooms.seen(secret).code != code
    assert refusal(come, rooms, code) == 404
    assert refusal(rooms.phone, code, "", "192.0.2.1") == 404
    rooms.ask(secret, NUMBER)
    assert commit(rooms, code, token, NUMBER.id, 5)["count"] == 1
    assert come(rooms, code, token)[0].room.code == new
    come(rooms, new)
    assert rooms.reopen(secret) not in {code, new}


NUMBER_OF_PHONE = "0123456789abcdef" * 2


def test_a_phone_that_has_not_heard_the_answer_joins_once(rooms):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    names = set()
    for _ in range(3):  # the answers are lost, and with them the token
        phone, token, _ = rooms.join(code, "", {NUMBER.id: 7}, "192.0.2.1", NUMBER_OF_PHONE)
        names.add(phone.name)
    assert len(names) == 1
    assert NUMBER_OF_PHONE not in token
    rooms.stop(secret, stopped=True)
    rooms.join(code, "", {}, "192.0.2.1", NUMBER_OF_PHONE)  # it is in
    assert rooms.seen(secret)[2:4] == (1, 1)
    rooms.stop(secret, stopped=False)
    for number in ("1" * 32, "", "x" * 32, "1" * 31, None, 5, ["1" * 32]):
        rooms.join(code, "", {}, "192.0.2.1", number)
    assert rooms.seen(secret).joined == 8
    other, others = rooms.open_room()
    there = rooms.join(other, "", {}, "192.0.2.1", NUMBER_OF_PHONE)[0].name
    assert there not in names  # nothing tells that it is one phone in two rooms
    assert rooms.seen(others).joined == 1


def test_a_stopped_room_lets_in_those_that_were_in(rooms):
    code, secret = rooms.open_room()
    token = come(rooms, code)[1]
    rooms.stop(secret, stopped=True)
    assert refusal(come, rooms, code) == 403
    come(rooms, code, token)
    rooms.stop(secret, stopped=False)
    come(rooms, code)
    assert rooms.seen(secret).joined == 2


def test_clearing_puts_out_phones_and_asks_the_question_anew(rooms):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    token = come(rooms, code)[1]
    commit(rooms, code, token, NUMBER.id, 5)
    rooms.clear(secret)
    assert rooms.seen(secret)[2:5] == (0, 0, 0)
    assert refusal(commit, rooms, code, token, NUMBER.id, 5) == 403
    _, fresh, _ = come(rooms, code, token, {NUMBER.id: 5})
    assert rooms.seen(secret)[2:5] == (1, 0, 0)
    assert refusal(commit, rooms, code, fresh, NUMBER.id, 5) == 410
    asked = rooms.state(rooms.rooms[rooms.codes[code]])["question"]["id"]
    commit(rooms, code, fresh, asked, 7)
    assert rooms.answers(secret, NUMBER.id) == [7]


@pytest.mark.parametrize(
    "value", [0, 1001, math.nan, math.inf, -math.inf, True, None, "5", [5], {}, 10**400]
)
def test_an_answer_is_a_number_on_the_axis(rooms, value):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    token = come(rooms, code)[1]
    assert refusal(commit, rooms, code, token, NUMBER.id, value) == 400
    come(rooms, code, token, {NUMBER.id: value})
    assert rooms.seen(secret).committed == 0


@pytest.mark.parametrize("value", [-1, 2, 0.5, "0", None, True])
def test_a_choice_is_an_index(rooms, value):
    code, secret = rooms.open_room()
    rooms.ask(secret, CHOICE)
    assert refusal(commit, rooms, code, come(rooms, code)[1], CHOICE.id, value) == 400


@pytest.mark.parametrize("question", ["", "none", "least-m~1", None, 5, ["least-m"], "x" * 900])
def test_only_the_present_question_is_answered(rooms, question):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    assert refusal(commit, rooms, code, come(rooms, code)[1], question, 5) in {400, 410}
    assert rooms.seen(secret).committed == 0


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"id": "a b"}, "question"), ({"id": ""}, "question"), ({"id": "x" * 81}, "question"),
        ({"text": "x" * 501}, "text"), ({"axis": None}, "question"), ({"choices": ("A", "B")}, "question"),
        ({"axis": None, "choices": ("A",)}, "choices"), ({"axis": None, "choices": tuple("ABCDEFG")}, "choices"),
        ({"axis": None, "choices": ("A", "B"), "feedback": ("x",)}, "feedback"), ({"truth": math.nan}, "truth"),
        ({"axis": None, "choices": ("A", "B"), "truth": 2}, "truth"), ({"picture": "<img>"}, "picture"),
        ({"picture": "<svg" + "x" * 40_000}, "picture"),
    ],
)  # fmt: skip
def test_a_bad_question_is_one_sentence(more, name):
    with pytest.raises(InputError, match=f"^{name} must "):
        replace(NUMBER, **{"truth": None} | more)


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (math.nan, 1), (0, math.inf)])
def test_an_axis_has_ends(ends):
    with pytest.raises(InputError, match="axis must end above"):
        Axis(*ends)
    with pytest.raises(InputError, match="axis must begin above 0"):
        Axis(0, 1, log=True)


# --- limits ---------------------------------------------------------------------------------------


def test_a_pace_has_so_many_at_once_and_so_many_a_second():
    pace = Pace(2, 3)
    assert [pace.take("a", 10) for _ in range(4)] == [0, 0, 0, 0.5]
    assert pace.take("b", 10) == 0
    assert [pace.take("a", 10.5) for _ in range(2)] == [0, 0.5]
    assert [pace.push("c", 10) for _ in range(5)] == [0, 0, 0, 0.5, 1]


def test_what_a_pace_remembers_is_bounded(monkeypatch):
    monkeypatch.setattr(rules, "_KEPT", 10)
    pace = Pace(1, 1)
    for key in range(100):
        pace.take(key, 0)
    assert len(pace._full) == 10


def test_guessing_letters_is_slow_and_harms_nobody_who_is_in(rooms, clock):
    code, secret = rooms.open_room()
    other, _ = rooms.open_room()
    token = come(rooms, code)[1]
    statuses = [refusal(come, rooms, f"AAAAA{place}") for place in "23456789ABCD"]
    assert statuses == [404] * 10 + [429] * 2
    # From the same network: phones of the room go on, new ones come in, other rooms are not told from none.
    rooms.phone(code, token, "192.0.2.1")
    come(rooms, code)
    assert refusal(come, rooms, other) == refusal(come, rooms, "ZZZZZZ") == 429
    come(rooms, other, address="192.0.2.2")
    clock.pass_(6)
    come(rooms, other)
    assert rooms.seen(secret).joined == 2


def test_the_lecturers_network_is_welcome_before_the_first_phone(rooms):
    code, secret = rooms.open_room()
    rooms.screen(code, secret, "2001:db8::1")
    for _ in range(20):
        with pytest.raises(RefusedError):
            come(rooms, "AAAAAA", address="2001:db8::2")
    come(rooms, code, address="2001:db8::3")


def test_a_flood_of_guesses_asks_the_store_nothing(rooms, monkeypatch):
    rooms.open_room()
    now = rooms.store.now
    monkeypatch.setattr(rooms, "store", type("Deaf", (), {"now": staticmethod(now)}))
    for _ in range(100):
        with pytest.raises(RefusedError):
            come(rooms, "AAAAAA")


def turned_away(rooms, code):
    with pytest.raises(RefusedError) as caught:
        come(rooms, code)
    assert caught.value.status == 503
    return caught.value.wait


def test_a_crowd_queues(rooms, clock):
    code, secret = rooms.open_room()
    waits = [come(rooms, code)[2] for _ in range(51)]
    later = [turned_away(rooms, code) for _ in range(449)]
    assert max(waits) == pytest.approx(1)
    assert rooms.seen(secret).joined == 51
    assert later == sorted(later)
    assert later[-1] == pytest.approx(1.02 + 448 / 50, abs=0.1)
    clock.pass_(12)
    come(rooms, code)


def test_a_full_room_says_so(rooms, monkeypatch):
    monkeypatch.setattr(rules, "PHONES", 2)
    code, _ = rooms.open_room()
    come(rooms, code)
    token = come(rooms, code)[1]
    assert refusal(come, rooms, code) == 403
    come(rooms, code, token)


def test_a_phone_in_a_hurry_waits(rooms):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    phone = come(rooms, code)[0]
    for _ in range(10):
        rooms.commit(phone, NUMBER.id, 5)
    assert refusal(rooms.commit, phone, NUMBER.id, 5) == 429
    assert rooms.seen(secret).committed == 1


def test_a_house_is_full_and_says_so(rooms, monkeypatch, clock):
    monkeypatch.setattr(rules, "ROOMS", 2)
    codes = [rooms.open_room()[0] for _ in range(2)]
    with pytest.raises(InputError, match="rooms must be at most 2"):
        rooms.open_room()
    come(rooms, codes[0])
    clock.pass_(rules.IDLE + 1)
    rooms.open_room()
    come(rooms, codes[0])
    assert refusal(come, rooms, codes[1]) == 404


def test_a_room_lives_half_a_day(rooms, clock):
    code, _ = rooms.open_room()
    clock.pass_(rules.LIFE - 1)
    rooms.watch()
    come(rooms, code)
    clock.pass_(61)
    rooms.watch()
    rooms.watch()
    assert refusal(come, rooms, code) == 404
    assert not rooms.rooms
    assert not rooms._memory


def test_so_many_questions_and_no_more(rooms, monkeypatch):
    monkeypatch.setattr(rules, "ASKED", 2)
    _, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    rooms.ask(secret, CHOICE)
    with pytest.raises(InputError, match="questions must be at most 2"):
        rooms.ask(secret, replace(NUMBER, id="third"))
    rooms.ask(secret, NUMBER)


# --- what goes wrong -----------------------------------------------------------------------------


def test_a_phone_is_silent_until_it_says_something(rooms, clock):
    code, secret = rooms.open_room()
    token = come(rooms, code)[1]
    come(rooms, code)
    for _ in range(12):
        clock.pass_(5)
        rooms.here(rooms.phone(code, token, ""))
        rooms.watch()
    seen = rooms.seen(secret)
    assert (seen.joined, seen.lost, seen.silent) == (2, 0, 1)


def test_a_store_that_begins_anew_is_given_its_rooms(rooms, store, clock):
    code, secret = rooms.open_room()
    gone = rooms.open_room()[1]
    rooms.close(gone)
    tokens = [come(rooms, code)[1] for _ in range(3)]
    rooms.ask(secret, CHOICE)
    for token in tokens:
        commit(rooms, code, token, CHOICE.id, 1)
    rooms.reveal(secret)
    rooms.ask(secret, NUMBER)
    commit(rooms, code, tokens[0], NUMBER.id, 5)
    commit(rooms, code, tokens[1], NUMBER.id, 6)
    before = rooms.seen(secret)
    store.path.unlink()
    rooms.watch()
    seen = rooms.seen(secret)
    assert (seen.code, seen.phase, seen.question) == (code, "asked", NUMBER.id)
    assert (seen.joined, seen.committed, seen.lost, seen.anew) == (0, 0, 3, True)
    assert seen.number > before.number
    assert set(rooms.rooms) == {rules.derived(secret, "room")}
    assert refusal(commit, rooms, code, tokens[0], NUMBER.id, 5) == 409
    # Each phone joins again with its token and what it has committed; twice changes nothing.
    for _ in range(2):
        for token, value in zip(tokens[:2], (5, 6), strict=True):
            come(rooms, code, token, {NUMBER.id: value, CHOICE.id: 0, "none": 7})
    assert rooms.seen(secret)[2:5] == (2, 2, 1)
    come(rooms, code)  # a new phone does not take the place of one that is lost
    assert rooms.seen(secret)[2:5] == (3, 2, 1)
    rooms.reveal(secret)
    assert rooms.record(secret) == [(CHOICE, [1, 1, 1]), (NUMBER, [5, 6])]


def test_a_room_that_nothing_knows_is_gone_until_its_lecturer_opens_it_again(rooms, store):
    """The store's file was removed, and the process that had the lecturer's session was killed."""
    code, secret = rooms.open_room()
    phone, token, _ = come(rooms, code)
    store.path.unlink()
    other = Rooms(store)
    other.watch()
    assert refusal(other.phone, code, token, "") == 503  # the phone asks again
    assert other.seen(secret).phase == "gone"
    with pytest.raises(InputError, match="room must be one that this server knows"):
        other.ask(secret, NUMBER)
    assert other.store.rooms() == {}
    assert other.open_room(secret) == (code, secret)
    assert refusal(other.phone, code, token, "") == 409
    other.ask(secret, NUMBER)
    again, _, _ = come(other, code, token, {NUMBER.id: 5})
    assert again.name == phone.name
    assert other.answers(secret, NUMBER.id) == [5]
    assert other.open_room(secret) == (code, secret)  # a second press changes nothing
    assert other.seen(secret)[1:4] == ("asked", 1, 1)


def test_any_digits_of_a_link_open_no_room(rooms):
    assert rooms.seen("0" * 32).phase == "gone"
    assert rooms.store.rooms() == {}
    with pytest.raises(InputError, match="room must be one that a lecturer opened"):
        rooms.open_room("0" * 31)
    assert rooms.store.rooms() == {}


def test_a_room_that_was_closed_stays_closed_when_its_store_begins_anew(rooms, store):
    _, secret = rooms.open_room()
    rooms.close(secret)
    store.path.unlink()
    rooms.watch()
    assert rooms.seen(secret).phase == "closed"
    with pytest.raises(InputError, match="room must be open"):
        rooms.ask(secret, NUMBER)


def test_what_another_process_asked_and_revealed_comes_back(rooms, store):
    """Planted: the process that puts the room back knew the question as it had first looked at it."""
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    other = Rooms(store)
    other.watch()
    assert other.seen(secret).phase == "asked"
    _, token, _ = come(rooms, code)
    commit(rooms, code, token, NUMBER.id, 50)
    rooms.reveal(secret)
    other.watch()
    store.path.unlink()
    other.watch()
    assert other.seen(secret).phase == "revealed"
    assert other.answers(secret, NUMBER.id) == [50]


def test_a_process_that_looks_in_between_is_told_of_the_question_that_is_put_back(
    rooms, store, monkeypatch
):
    """Planted: it had seen the room without its question, at the same number."""
    _, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    other = Rooms(store)
    other.watch()
    store.path.unlink()
    plain, told = store.restore, []

    def restore(*arguments):
        other.rooms = store.rooms()  # the room is there, its question not yet
        plain(*arguments)

    monkeypatch.setattr(store, "restore", restore)
    monkeypatch.setattr(other, "tell", told.append)
    rooms.watch()
    other.watch()
    assert told == [set(other.rooms)]


def test_a_screen_reveals_its_own_question_with_the_truth_as_it_is_known_then(rooms):
    code, secret = rooms.open_room()
    rooms.ask(secret, replace(NUMBER, truth=None))
    _, token, _ = come(rooms, code)
    commit(rooms, code, token, NUMBER.id, 60)
    with pytest.raises(InputError, match="another screen"):
        rooms.reveal(secret, replace(NUMBER, id="another"))
    rooms.reveal(secret, NUMBER)
    state = rooms.state(rooms.rooms[rules.derived(secret, "room")])
    assert (state["truth"], state["within"]) == (100, 1.0)
    assert [(question.truth, given) for question, given in rooms.record(secret)] == [(100, [60])]


def test_a_room_whose_lecturer_has_left_makes_way_with_its_phones(rooms, clock, monkeypatch):
    monkeypatch.setattr(rules, "ROOMS", 1)
    code, secret = rooms.open_room()
    come(rooms, code)
    clock.pass_(14 * rules.IDLE)
    rooms.seen(secret)
    clock.pass_(14 * rules.IDLE)
    with pytest.raises(InputError, match="at most 1 at a time"):
        rooms.open_room()
    clock.pass_(2 * rules.IDLE)
    rooms.open_room()


def test_letters_change_so_many_times(rooms, monkeypatch):
    monkeypatch.setattr(rules, "LETTERS_MOST", 2)
    _, secret = rooms.open_room()
    rooms.reopen(secret)
    rooms.reopen(secret)
    with pytest.raises(InputError, match="at most 2 times"):
        rooms.reopen(secret)


def test_a_process_that_has_not_seen_it_yet_lets_phones_ask_again(rooms, store):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    other = Rooms(stores.file(store.path.parents[1], store.now))
    other.watch()
    token = come(other, code)[1]
    store.path.unlink()
    assert refusal(commit, other, code, token, NUMBER.id, 5) == 503
    assert refusal(come, other, code) == 503
    rooms.watch()
    other.watch()
    come(other, code, token, {NUMBER.id: 5})
    assert rooms.answers(secret, NUMBER.id) == [5]
    other.store.finish()


def test_a_killed_process_takes_nothing_along(rooms, store):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    token = come(rooms, code)[1]
    commit(rooms, code, token, NUMBER.id, 5)
    other = Rooms(store)
    other.watch()
    assert other.phone(code, token, "").room.committed == 1
    other.reveal(secret)
    assert other.record(secret) == [(NUMBER, [5])]
    store.path.unlink()
    other.watch()
    assert other.record(secret) == [(NUMBER, [5])]


def test_a_lecture_goes_on_when_its_server_is_started_again(redis, clock):
    """What it had in memory is gone, as is every connection to it."""
    store = Server(redis.url, clock)
    rooms = Rooms(store)
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    token = come(rooms, code)[1]
    commit(rooms, code, token, NUMBER.id, 5)
    rooms.watch()
    redis.kill()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"^rooms must have a store that answers; got \w+\.$"):
            rooms.watch()
    redis.start()
    rooms.watch()
    assert rooms.seen(secret)[:6] == (code, "asked", 0, 0, 1, False)
    assert refusal(commit, rooms, code, token, NUMBER.id, 5) == 409
    come(rooms, code, token, {NUMBER.id: 5})
    rooms.reveal(secret)
    assert rooms.record(secret) == [(NUMBER, [5])]
    store.finish()


def test_a_server_that_comes_back_from_an_older_state_is_given_all_of_it_anew():
    """Its disk had the room as it was before some phones, answers, a reveal and a question."""
    if stores.missing():
        pytest.skip(stores.missing())
    with contextlib.closing(stores.Redis()) as redis:
        redis.start()
        rooms, other = (Rooms(Server(redis.url)) for _ in range(2))  # of two processes
        code, secret = rooms.open_room()
        other.watch()
        tokens = [come(other, code)[1] for _ in range(3)]
        rooms.ask(secret, CHOICE)
        for token in tokens:
            commit(other, code, token, CHOICE.id, 1)
        rooms.reveal(secret)
        rooms.ask(secret, NUMBER)
        commit(other, code, tokens[0], NUMBER.id, 5)
        redis.client().save()
        commit(other, code, tokens[1], NUMBER.id, 6)
        tokens.append(come(other, code)[1])
        rooms.reveal(secret)
        third = replace(NUMBER, id="third")
        rooms.ask(secret, third)
        for token in tokens:
            commit(other, code, token, third.id, 7)
        rooms.watch()
        redis.kill()
        redis.start()
        # No screen has looked: no answer goes to the question as it was, and none is revealed.
        assert other.store.room(rules.derived(secret, "room")) is None
        rooms.watch()
        other.watch()
        seen = rooms.seen(secret)
        assert (seen.code, seen.phase, seen.question) == (code, "asked", third.id)
        assert (seen.joined, seen.committed, seen.lost, seen.anew) == (0, 0, 4, True)
        for token in tokens:
            assert refusal(commit, other, code, token, third.id, 7) == 409
        for _ in range(2):  # each phone but one comes back, twice
            for token in tokens[1:]:
                come(other, code, token, {NUMBER.id: 6, third.id: 7})
        assert rooms.seen(secret)[2:5] == (3, 3, 1)
        rooms.reveal(secret)
        given = [(CHOICE, [1, 1, 1]), (NUMBER, [5, 6]), (third, [7, 7, 7])]
        assert rooms.record(secret) == other.record(secret) == given
        epoch = rooms.store.epoch()
        redis.client().client_kill_filter(_type="normal")  # connections are cut, the server stays
        other.watch()
        assert rooms.store.epoch() == epoch
        assert rooms.seen(secret).joined == 3
        for it in (rooms, other):
            it.store.finish()


@pytest.mark.parametrize("secret", ["", "x", "0" * 31, "G" * 32, "0" * 33, "0" * 32 + "\n"])
def test_a_secret_that_is_none_is_one_sentence_without_it(rooms, secret):
    with pytest.raises(
        InputError, match="room must be one that a lecturer opened; got another secret"
    ):
        rooms.seen(secret)


def test_the_store_has_no_secret_and_no_address(rooms, store):
    code, secret = rooms.open_room()
    come(rooms, code, address="198.51.100.77")
    rooms.watch()
    store.finish()
    kept = b"".join(file.read_bytes() for file in store.path.parent.iterdir())
    assert code.encode() in kept
    for word in (secret.encode(), b"198.51"):
        assert word not in kept


def test_letters_that_are_taken_are_not_given_twice(store, monkeypatch):
    monkeypatch.setattr(rules, "CODE", 1)
    rooms = Rooms(store)
    codes = {rooms.open_room()[0] for _ in range(10)}
    assert len(codes) == 10


def test_many_commits_from_one_address_are_one_each(rooms, clock):
    code, secret = rooms.open_room()
    rooms.ask(secret, NUMBER)
    for place in range(200):
        clock.pass_(0.02)
        token = come(rooms, code)[1]
        for _ in range(4):
            commit(rooms, code, token, NUMBER.id, 1 + place)
    assert rooms.seen(secret)[2:4] == (200, 200)
    assert rooms.answers(secret, NUMBER.id) == [float(value) for value in range(1, 201)]


@pytest.mark.parametrize("where", ["nothing://host", "redis://:secret@host:x", "redis://[::1"])
def test_an_address_that_is_none_is_one_sentence_without_it(where, monkeypatch):
    if stores.missing().startswith("the package"):
        pytest.skip(stores.missing())
    monkeypatch.setenv("PRIVSC_ROOMS", where)
    monkeypatch.setattr(rules, "_chosen", None)
    with pytest.raises(
        InputError, match=r"^rooms must be an address like redis://host:6379; got another one\.$"
    ):
        rules.chosen()


def test_rooms_are_off_where_a_host_says_so(monkeypatch):
    monkeypatch.setenv("PRIVSC_ROOMS", "off")
    assert rules.chosen() is None
    assert not rules.available()
    with pytest.raises(InputError, match="rooms must be switched on"):
        rules.the_rooms()


def test_rooms_are_in_the_store_that_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVSC_ROOMS", str(tmp_path / "here" / "rooms.db"))
    monkeypatch.setattr(rules, "_chosen", None)
    code, secret = rules.the_rooms().open_room()
    assert rules.the_rooms().seen(secret).code == code
    assert (tmp_path / "here" / "rooms.db").exists()
    rules.the_rooms().store.finish()
