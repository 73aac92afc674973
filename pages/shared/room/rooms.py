"""The rules of rooms: letters, secrets, tokens, limits, and what a phone or a screen is told.

A lecturer's session opens a room, asks questions in it and reveals them (the functions at the end of this
file). Phones come in by six letters and commit one answer to each question (web.py). A room belongs to the
holder of its secret, from which all else follows: its name in the store, its letters, the key of its phones'
tokens. So a store that begins anew can be given the room back, and phones are known again.

Nothing here is personal: a phone is a random number, and the addresses of those who guess letters are kept in
memory for a minute, as hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import math
import os
import re
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pages.shared.room.question import Question, public, read
from pages.shared.room.server import Server
from pages.shared.room.store import Asked, File, Room, usual_file
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pages.shared.room.store import Store

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE = 6  # letters
ROOMS, PHONES = 200, 2000
LIFE = 12 * 3600.0  # seconds
JOINS = 50  # a second in one room
QUEUE = 1.0  # seconds that a phone waits for its turn without asking again
LETTERS_MOST = 50  # times that a room takes other letters
WRONG, MINUTE = 10, 60.0  # wrong letters a minute from one address
COMMITS = 5  # commits a second of one phone: more are a program's
GONE = 45.0  # seconds after which a silent phone counts as lost
IDLE = 120.0  # seconds after which a room without phones makes way for another
ASKED = 100  # questions
_KEPT = 20_000  # phones or addresses whose pace is kept

_LOG = logging.getLogger("privsc")
_SECRET = re.compile(r"[0-9a-f]{32}")
_TOKEN = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{32})")
_NUMBER = _SECRET  # that a phone makes for itself

CLOSED = "There is no open room with these letters."
AGAIN = "This room has begun anew, and phones join again."
AWAY = "The server has lost this room. This phone tries again until the room is back."


# --- Refusals and paces ------------------------------------------------------------------------------


class RefusedError(Exception):
    """A request of a phone that is not granted: the status, one sentence, seconds to wait."""

    def __init__(self, status: int, sentence: str, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.wait = status, sentence, wait


class GoneError(InputError):
    """A room that neither its store nor this process knows: it has ended, or both have lost it."""


class Pace:
    """At most so many a second of each, with so many at once; the least recent are forgotten."""

    def __init__(self, rate: float, at_once: int) -> None:
        self._rate, self._at_once = rate, at_once
        self._full: OrderedDict[object, float] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, key: object, now: float) -> float:
        """Return in how many seconds one more is allowed."""
        wait = self._full.get(key, now) - now - (self._at_once - 1) / self._rate
        return wait if wait > 1e-6 else 0.0

    def take(self, key: object, now: float) -> float:
        """Take one if it is allowed; return what `wait` did."""
        with self._lock:
            wait = self.wait(key, now)
            if not wait:
                self._add(key, now)
            return wait

    def _add(self, key: object, now: float) -> None:
        self._full[key] = max(now, self._full.get(key, now)) + 1 / self._rate
        self._full.move_to_end(key)
        while len(self._full) > _KEPT:
            self._full.popitem(last=False)

    def push(self, key: object, now: float) -> float:
        """Return in how many seconds one more is allowed, and count it in any case."""
        with self._lock:
            wait = self.wait(key, now)
            self._add(key, now)
            return wait


class Phone(NamedTuple):
    """A phone that has shown a token of its room."""

    room: Room
    name: str


class Seen(NamedTuple):
    """What the lecturer's screen shows of a room.

    Attributes
    ----------
    code : str
        The letters that let phones in.
    phase : str
        `waiting`, `asked`, `revealed` or `closed`; `gone` for a room that this server does not know.
    joined, committed : int
        Phones, and answers to the present question.
    lost : int
        Phones that have not come back since the store began anew.
    silent : int
        Phones in the room that have said nothing for `GONE` seconds.
    stopped : bool
        Whether new phones are kept out.
    question : str
        The name of the present question.
    number : int
        See `Room`.
    anew : bool
        Whether the store has begun anew since the room was opened, as far as this process knows.
    """

    code: str
    phase: str
    joined: int = 0
    committed: int = 0
    lost: int = 0
    silent: int = 0
    stopped: bool = False
    question: str = ""
    number: int = 0
    anew: bool = False


@dataclass(slots=True)
class _Memory:
    """What a lecturer's session knows of its room, should the store begin anew."""

    secret: str
    room: Room
    asked: OrderedDict[str, tuple[Asked, dict[str, float]]] = field(default_factory=OrderedDict)
    anew: bool = False


# --- Rooms -------------------------------------------------------------------------------------------


class Rooms:
    """The rooms of one store, as one process knows them."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self._clock = clock  # of this process: letters are guessed where no store is asked
        self._salt = secrets.token_bytes(16)
        self._wrong = Pace(WRONG / MINUTE, WRONG)
        self._commits = Pace(COMMITS, 2 * COMMITS)
        self._turned_away = Pace(JOINS, 1)
        self._trusted: OrderedDict[tuple[bytes, str], None] = OrderedDict()
        self._memory: OrderedDict[str, _Memory] = OrderedDict()
        self._lock = threading.RLock()
        self._version: object = None
        self._epoch = ""
        self._alive: dict[str, set[str]] = {}
        self._told = 0.0  # when the phones that are here were last noted in the store
        self._purged = 0.0
        self.rooms: dict[str, Room] = {}
        self.codes: dict[str, str] = {}
        self._silent: dict[str, int] = {}
        self.tell: Callable[[set[str]], None] = lambda _: None

    # --- what this process knows -------------------------------------------------------------------

    def watch(self) -> None:
        """Take in what any process changed, and tell of rooms whose phones must know.

        To be called again and again, some ten times a second; it costs next to nothing when nothing changed.
        """
        with self._lock:
            now = self.store.now()
            version = self.store.version()
            if version != self._version:
                news = self._take_in(version)
                if news:
                    self.tell(news)
            if now - self._told >= 5:
                self._told = now
                alive, self._alive = self._alive, {}
                if alive:
                    self.store.seen(alive)
                if self.rooms:
                    self._silent = self.store.silent(now - GONE)
            if now - self._purged >= 60:
                self._purged = now
                self.store.purge(now - LIFE)
                for known in [
                    key for key, it in self._memory.items() if it.room.opened < now - LIFE
                ]:
                    del self._memory[known]

    def _take_in(self, version: object) -> set[str]:
        epoch = self.store.epoch()
        if self._epoch not in {"", epoch}:
            _LOG.warning("the store of the rooms has begun anew; rooms are put back into it")
            for known in list(self._memory.values()):
                self._put_back(known)
        self._epoch = epoch
        before, self.rooms = self.rooms, self.store.rooms()
        self.codes = self.store.codes()
        self._version = version

        def told(rooms: dict[str, Room], room: str) -> object:
            it = rooms.get(room)
            return it and (it.number, it.stamp, it.closed)

        news = {
            name for name in {*before, *self.rooms} if told(before, name) != told(self.rooms, name)
        }
        for name, known in self._memory.items():
            known.room = self.rooms.get(name, known.room)
            if name in news and name in self.rooms:
                self._learn(known)  # what another process has asked or revealed
        return news

    def _learn(self, known: _Memory) -> None:
        """Remember the questions of a room as the store has them; one that is revealed changes no more."""
        for asked in self.store.asked(known.room.id):
            before = known.asked.get(asked.id)
            if before is None or not before[0].result:
                answers = self.store.answers(known.room.id, asked.id) if asked.result else {}
                known.asked[asked.id] = (asked, answers)

    def here(self, phone: Phone) -> None:
        """Note that a phone is there."""
        self._alive.setdefault(phone.room.id, set()).add(phone.name)

    # --- phones ------------------------------------------------------------------------------------

    def _find(self, code: str, address: str, token: str = "", secret: str = "") -> Room:
        """Return the room that has these letters, or had them for those who can show that they belong to it.

        Raises
        ------
        RefusedError
            404 where there is none, or it is closed, or has other letters now, all alike; 429 for an address that
            guesses too often.
        """
        who, now = self._hashed(address), self._clock()
        found = self.rooms.get(self.codes.get(code.upper(), ""))
        room = found or _NONE
        theirs = bool(self._known(room, token)[0]) | _opens(room, secret)
        if found and theirs:
            return found
        if found and not found.closed and found.code == code.upper():
            # Others behind its address may guess: an address from which somebody came in stays welcome.
            wait = 0.0 if (who, found.id) in self._trusted else self._wrong.wait(who, now)
            if not wait:
                return found
        else:
            wait = self._wrong.take(who, now)
        if wait:
            raise RefusedError(429, "Too many wrong letters came from this network.", wait)
        stamp = _TOKEN.fullmatch(token)
        if not found and stamp and stamp[2][:8] != self._epoch[:8]:
            raise RefusedError(503, AWAY, 2.0)
        raise RefusedError(404, CLOSED)

    def _hashed(self, address: str) -> bytes:
        # The owner of one address of the newer kind has all that begin like it.
        near = ":".join(address.split(":")[:4]) if ":" in address else address
        return hashlib.blake2b(
            near.encode(errors="replace"), key=self._salt, digest_size=16
        ).digest()

    def _trust(self, address: str, room: Room) -> None:
        with self._lock:
            self._trusted[self._hashed(address), room.id] = None
            while len(self._trusted) > _KEPT:
                self._trusted.popitem(last=False)

    def _token(self, room: Room, phone: str, stamp: str = "") -> str:
        said = f"{phone}.{stamp or room.stamp}"
        return f"{said}.{hmac.digest(room.key.encode(), said.encode(), 'sha256').hex()[:32]}"

    def _known(self, room: Room, token: str) -> tuple[str, bool]:
        """Return the name of the phone that has a token, and whether it holds as the room is now."""
        found = _TOKEN.fullmatch(token)
        if found and hmac.compare_digest(self._token(room, found[1], found[2]), token):
            return found[1], found[2] == room.stamp
        return "", False

    def phone(self, code: str, token: str, address: str) -> Phone:
        """Return the phone that asks.

        Raises
        ------
        RefusedError
            404 for letters that are none's, 403 for a token of no phone of this room, 409 when phones must join
            again, 503 when the room may come back.
        """
        room = self._find(code, address, token)
        name, holds = self._known(room, token)
        if not name:
            raise RefusedError(403, "This phone has not joined this room.")
        if not holds and not room.closed:
            raise RefusedError(409, AGAIN)
        return Phone(room, name)

    def join(
        self, code: str, token: str, answers: object, address: str, number: object = ""
    ) -> tuple[Phone, str, float]:
        """Let a phone in; return it, its token, and the seconds until its answer is due.

        A phone that shows a token of this room, of before it began anew as well, stays the phone that it was; so
        does one that shows its number again, as a phone does that has not heard the answer. Its answer to the
        present question is taken if the question takes any.

        Parameters
        ----------
        code, token, address : str
        answers : dict of str to float
            Answers of this phone, by the names of questions as it was told them.
        number : str
            A random number that the phone has made: 32 hexadecimal digits. Anything else is none.
        """
        found = self._find(code, address, token)
        room = self.store.room(
            found.id
        )  # a token of a key that another process has changed is of no use
        if room is None:
            raise RefusedError(503, AWAY, 2.0)  # the store has begun anew a moment ago
        if room.closed:
            raise RefusedError(404, CLOSED)
        name, _ = self._known(room, token)
        back, most = bool(name), 0 if room.stopped and not name else PHONES
        if not name and isinstance(number, str) and _NUMBER.fullmatch(number):
            name = derived(room.key, f"phone {number}")[:16]
        name = name or secrets.token_hex(8)
        wait = self.store.join(room.id, name, most, 1 / JOINS, QUEUE, back=back)
        if math.isinf(wait):
            full = f"This room is full: it takes {PHONES} phones."
            raise RefusedError(
                403, full if most else "The lecturer lets no more phones into this room."
            )
        if wait > QUEUE:
            # Those that are turned away are told to come back one after the other.
            ahead = self._turned_away.push(room.id, self.store.now())
            raise RefusedError(
                503, "Many phones are joining. This one tries again.", wait + min(ahead, 20.0)
            )
        self._trust(address, room)
        phone = Phone(room, name)
        self.here(phone)
        if isinstance(answers, dict):
            self._take_again(phone, answers)
        return phone, self._token(room, name), wait

    def _take_again(self, phone: Phone, answers: Mapping[Any, object]) -> None:
        asked = self._present(phone.room)
        if asked is None or asked.result:
            return
        told = public(asked.id, asked.turn)
        if told not in answers:
            return
        try:
            value = read(asked.body).value(answers[told])
        except InputError:
            return
        self.store.commit(phone.room.id, asked.id, asked.turn, phone.name, value)

    def _present(self, room: Room) -> Asked | None:
        return self.store.question(room.id, room.question) if room.question else None

    def commit(self, phone: Phone, question: object, value: object) -> dict[str, Any]:
        """Keep a phone's answer, and tell which one is kept: the first.

        Raises
        ------
        RefusedError
            400 for what is no answer, 410 when the question takes none any more, 429 for a phone in a hurry.
        """
        wait = self._commits.take((phone.room.id, phone.name), self.store.now())
        if wait:
            raise RefusedError(429, "This phone sends too much.", wait)
        room = self.store.room(phone.room.id)
        asked = self._present(room) if room else None
        if not isinstance(question, str):
            raise RefusedError(400, "A commit names its question.")
        if room is None:
            raise RefusedError(503, AWAY, 2.0)
        if asked is None or question != public(asked.id, asked.turn):
            raise RefusedError(410, "This question is over.")
        try:
            number = read(asked.body).value(value)
        except InputError as error:
            raise RefusedError(400, str(error)) from None
        kept = self.store.commit(room.id, asked.id, asked.turn, phone.name, number)
        if kept is None:
            raise RefusedError(410, "This question is over.")
        self.here(phone)
        now = self._present(room)
        return {"kept": True, "mine": kept, "count": now.committed if now else asked.committed}

    def state(self, room: Room) -> dict[str, Any]:
        """Return what all phones of a room are told: the same for each."""
        asked = self._present(room)
        phase = phase_of(room)
        told: dict[str, Any] = {
            "epoch": room.stamp, "number": room.number, "phase": phase, "question": None,
        }  # fmt: skip
        if asked is not None and not room.closed:
            told["question"] = read(asked.body).shown(asked.turn)
            if asked.result:
                told["phase"] = "revealed"  # perhaps since the room was read
                told |= json.loads(asked.result)
        return told

    # --- the lecturer ------------------------------------------------------------------------------

    def open_room(self, secret: str = "") -> tuple[str, str]:
        """Open a room; return its letters and its secret.

        With the secret of a room that is gone, that room is opened again: with its letters if they are free,
        and its phones come back.
        """
        secret = secret or secrets.token_hex(16)
        place = 0
        while not self.store.open(self._fresh(secret, place), ROOMS, IDLE):
            place += 1
        self.watch()
        return self._mine(secret)[0].code, secret

    def _fresh(self, secret: str, place: int) -> Room:
        now = self.store.now()
        return Room(
            id=_name(secret), code=letters(secret, place), key=derived(secret, "phones"),
            stamp=self._stamp(), opened=now, touched=now,
        )  # fmt: skip

    def _stamp(self) -> str:
        """Return a random name that tells which epoch of the store it began in."""
        return self.store.epoch()[:8] + secrets.token_hex(4)

    def _remember(self, secret: str, room: Room) -> _Memory:
        with self._lock:
            known = self._memory.setdefault(room.id, _Memory(secret, room))
            known.room = room
            self._memory.move_to_end(room.id)
            while len(self._memory) > 2 * ROOMS:
                self._memory.popitem(last=False)
            return known

    def _mine(self, secret: str) -> tuple[Room, _Memory]:
        """Return the room of a secret, and what is remembered of it; a store that has lost it is given it back."""
        name = _name(secret)
        known, room = self._memory.get(name), self.store.room(name)
        if room is None and known is not None:
            self._put_back(known)
            self.watch()
            room = self.store.room(name) or (known.room if known.room.closed else None)
        if room is None:
            raise GoneError("room", "must be one that this server knows", "one that is gone")
        if known is None:
            known = self._remember(secret, room)
            self._learn(known)
        return room, known

    def _open(self, secret: str) -> tuple[Room, _Memory]:
        """Return the room of a secret, unless it is closed."""
        room, known = self._mine(secret)
        if room.closed:
            raise InputError("room", "must be open", "a room that was closed")
        return room, known

    def _put_back(self, known: _Memory) -> None:
        """Give a store that has begun anew a room with the questions that its lecturer has asked."""
        if known.room.closed or known.room.opened < self.store.now() - LIFE:
            return
        room = replace(
            known.room, stamp=self._stamp(), number=known.room.number + 1,
            missing=known.room.joined + known.room.missing, touched=self.store.now(),
        )  # fmt: skip
        place = 0
        while not self.store.open(room, ROOMS, IDLE):
            room, place = replace(room, code=letters(known.secret, place)), place + 1
        for asked, answers in list(known.asked.values()):
            self.store.restore(room.id, asked, answers)
        if (
            room.question in known.asked
        ):  # told again: a process may have looked before it was there
            self.store.ask(room.id, room.question, known.asked[room.question][0].body)
        known.anew = True
        self._remember(known.secret, self.store.room(room.id) or room).anew = True

    def _after(self, known: _Memory) -> None:
        """Remember what was changed, and let this process know at once."""
        self.watch()
        room = self.rooms.get(known.room.id)
        if room is not None:
            known.room = room

    def ask(self, secret: str, question: Question) -> None:
        """Ask a question; it is the present one then, with the answers that it has."""
        room, known = self._open(secret)
        if question.id not in known.asked and len(known.asked) >= ASKED:
            raise InputError(
                "questions", f"must be at most {ASKED} in a room", len(known.asked) + 1
            )
        if room.question == question.id and question.id in known.asked:
            return
        self.store.ask(room.id, question.id, json.dumps(asdict(question)))
        self._after(known)

    def reveal(self, secret: str, question: Question | None = None) -> None:
        """Reveal the present question: it takes no more answers, and phones show everybody's.

        Parameters
        ----------
        secret : str
        question : Question, optional
            What is revealed, with the truth as it is known now; it must be the present question.
        """
        room, known = self._open(secret)
        asked = self._present(room)
        if asked is None or (question is not None and question.id != asked.id):
            got = "a room without one" if asked is None else "another one, of another screen"
            raise InputError("room", "must have this question as its present one", got)
        if asked.result:
            return
        told = question or read(asked.body)
        self.store.reveal(
            room.id,
            asked.id,
            json.dumps(asdict(told)),
            lambda answers: json.dumps(told.result(answers)),
        )
        self._after(known)

    def stop(self, secret: str, *, stopped: bool) -> None:
        """Let no new phones in, or let them in again."""
        room, known = self._open(secret)
        self.store.stop(room.id, stopped=stopped)
        self._after(known)

    def clear(self, secret: str) -> None:
        """Put all phones out and drop the answers to all questions that are not revealed; phones may join again."""
        room, known = self._open(secret)
        self.store.clear(room.id, self._stamp(), secrets.token_hex(16))
        self._after(known)

    def reopen(self, secret: str) -> str:
        """Give the room other letters, and return them; phones that are in stay in."""
        room, known = self._open(secret)
        place = 1
        while not self.store.rename(room.id, letters(secret, place)):
            place += 1
            if place > LETTERS_MOST:
                raise InputError(
                    "letters", f"must be changed at most {LETTERS_MOST} times", "one time more"
                )
        self._after(known)
        return letters(secret, place)

    def close(self, secret: str) -> None:
        """Close the room: its letters lead nowhere any more, its answers stay for its lecturer."""
        room, known = self._mine(secret)
        self.store.close(room.id)
        known.room = replace(known.room, closed=True)
        self._after(known)

    def seen(self, secret: str) -> Seen:
        """Return what the lecturer's screen shows."""
        try:
            room, known = self._mine(secret)
        except GoneError:
            return Seen(letters(secret, 0), "gone")
        self._look(room)
        return self.shown(room)._replace(anew=known.anew)

    def _look(self, room: Room) -> None:
        if self.store.now() - room.touched > IDLE / 4:
            self.store.touch(room.id)

    def shown(self, room: Room) -> Seen:
        """Return a room as its lecturer's screen shows it."""
        return Seen(
            code=room.code, phase=phase_of(room), joined=room.joined, committed=room.committed,
            lost=room.missing, silent=self._silent.get(room.id, 0), stopped=room.stopped,
            question=room.question, number=room.number, anew=room.missing > 0,
        )  # fmt: skip

    def screen(self, code: str, secret: str, address: str) -> Seen:
        """Return the same for a request of the lecturer's screen, which shows the secret."""
        room = self._find(code, address, secret=secret)
        if not _opens(room, secret):
            raise RefusedError(403, "Only the lecturer who opened this room sees this.")
        self._trust(address, room)
        self._look(room)
        return self.shown(room)

    def answers(self, secret: str, question: str) -> list[float]:
        """Return all answers to a question, in increasing order: nothing tells whose they are."""
        room, _ = self._mine(secret)
        return sorted(self.store.answers(room.id, question).values())

    def record(self, secret: str) -> list[tuple[Question, list[float]]]:
        """Return all questions of a room in the order in which they were asked, each with its answers."""
        room, _ = self._mine(secret)
        return [
            (read(asked.body), sorted(self.store.answers(room.id, asked.id).values()))
            for asked in self.store.asked(room.id)
        ]


def phase_of(room: Room) -> str:
    """Return what a room is doing: waiting, asked, revealed or closed."""
    if room.closed:
        return "closed"
    if not room.question:
        return "waiting"
    return "revealed" if room.revealed else "asked"


def derived(secret: str, what: str) -> str:
    """Return what follows from a secret, from which the secret does not."""
    return hmac.digest(secret.encode(), what.encode(), "sha256").hex()[:32]


def _name(secret: str) -> str:
    """Return the name of a lecturer's room in the store."""
    if not _SECRET.fullmatch(secret):
        raise InputError("room", "must be one that a lecturer opened", "another secret")
    return derived(secret, "room")


def letters(secret: str, place: int) -> str:
    """Return the letters of a room: the first ones, or those after so many changes."""
    number = int(derived(secret, f"letters {place}"), 16)
    return "".join(LETTERS[number >> 5 * i & 31] for i in range(CODE))


def _opens(room: Room, secret: str) -> bool:
    return bool(_SECRET.fullmatch(secret)) and hmac.compare_digest(derived(secret, "room"), room.id)


# What letters are held against that are no room's: that takes as long as with a room.
_NONE = Room("", "", "", "", 0.0, 0.0, closed=True)


# --- The rooms of this process -----------------------------------------------------------------------


_OFF = "off"
_choice = threading.Lock()
_chosen: Rooms | None = None


def chosen() -> Rooms | None:
    """Return the rooms of the store that PRIVSC_ROOMS names, the file of this user by default; None for `off`."""
    global _chosen  # noqa: PLW0603 - one for the process, made when it is first needed
    where = os.environ.get("PRIVSC_ROOMS", "")
    if where == _OFF:
        return None
    with _choice:
        if _chosen is None:
            _chosen = Rooms(store_at(where))
        return _chosen


def store_at(where: str) -> Store:
    """Return the store at the address of a server or the path of a file, by default that of this user."""
    return Server(where) if "://" in where else File(Path(where or usual_file()))


OPEN = threading.Event()  # set once this process answers phones: `privsc serve` does


def available() -> bool:
    """Return whether a lecturer can open a room here."""
    return OPEN.is_set() and chosen() is not None


def the_rooms() -> Rooms:
    """Return the rooms of the store that this host names.

    Raises
    ------
    InputError
        Where rooms are switched off.
    """
    found = chosen()
    if found is None:
        raise InputError("rooms", "must be switched on where the dashboard is started", _OFF)
    return found
