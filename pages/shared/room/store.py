"""Where rooms are kept: the contract of a store, and the store in one SQLite file.

A store knows no rules but those that must hold however many processes change it at once: one answer of a
phone to a question, the first; sums that are right; letters that belong to one room. All else is in
rooms.py. Every method is one short transaction. Times are the store's own (`Store.now`), in seconds.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sqlite3
import stat
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

BUSY = 5.0  # seconds that a change waits for another process's


class StoreError(InputError):
    """A store that does not answer: its server is gone, its disk is full, its folder is somebody else's."""

    def __init__(self, why: object) -> None:
        super().__init__("rooms", "must have a store that answers", why)

    def __reduce__(self) -> tuple[type[StoreError], tuple[object]]:  # type: ignore[override]
        """Pickle by the reason alone."""
        return (type(self), (self.got,))


@dataclass(frozen=True, slots=True)
class Room:
    """A room without its phones, answers and the words of its question.

    Attributes
    ----------
    id : str
        A hash of the lecturer's secret.
    code : str
        The letters that let phones in.
    key : str
        Tokens of phones are made with it.
    stamp : str
        A random name that changes when the room begins anew: phones then join again.
    number : int
        Grows with each change that phones are told of.
    question, turn : str, int
        The present question, and how often it was cleared; an empty name where there is none.
    revealed, stopped, closed : bool
    joined, committed : int
        Phones, and answers to the present question.
    missing : int
        Phones that had joined before the store began anew, and have not come back.
    opened, touched : float
        When it was opened, and when its lecturer last looked.
    """

    id: str
    code: str
    key: str
    stamp: str
    opened: float
    touched: float
    number: int = 1
    question: str = ""
    turn: int = 0
    revealed: bool = False
    stopped: bool = False
    closed: bool = False
    joined: int = 0
    committed: int = 0
    missing: int = 0


class Asked(NamedTuple):
    """A question that was asked in a room: its words and, once revealed, its result, as JSON texts."""

    id: str
    body: str
    result: str
    turn: int
    committed: int


LEFT = 15  # a lecturer who has not looked so much longer has left, whatever phones are there


class Store(ABC):
    """What keeps rooms, for all processes that name the same store."""

    @abstractmethod
    def epoch(self) -> str:
        """Return the random name that the store has from its beginning."""

    @abstractmethod
    def version(self) -> object:
        """Return what differs after any change, for one caller who asks again and again."""

    @abstractmethod
    def now(self) -> float:
        """Return the store's time in seconds, which no clock of a phone or of a wall moves."""

    @abstractmethod
    def rooms(self) -> dict[str, Room]:
        """Return all rooms by their ids."""

    @abstractmethod
    def codes(self) -> dict[str, str]:
        """Return the ids of rooms by all letters that they have or had."""

    @abstractmethod
    def room(self, room: str) -> Room | None:
        """Return one room."""

    @abstractmethod
    def open(self, room: Room, most: int, idle: float) -> bool:
        """Add a room; tell whether its letters were free. A room that is there stays as it is.

        Where `most` rooms are open, the one goes whose lecturer has not looked for the longest: for `idle`
        seconds, or `LEFT` times that where it has phones.

        Raises
        ------
        InputError
            When all of them are in use.
        """

    @abstractmethod
    def touch(self, room: str) -> None:
        """Note that the lecturer looks."""

    @abstractmethod
    def ask(self, room: str, question: str, body: str) -> None:
        """Make a question the present one; one that was asked before keeps its answers and its result."""

    @abstractmethod
    def reveal(
        self, room: str, question: str, body: str, result: Callable[[list[float]], str]
    ) -> None:
        """Keep the words of a question and the result of all its answers; it takes none from now on. Once for each."""

    @abstractmethod
    def stop(self, room: str, *, stopped: bool) -> None:
        """Let no new phones in, or let them in again."""

    @abstractmethod
    def clear(self, room: str, stamp: str, key: str) -> None:
        """Put all phones out, and drop the answers to all questions that are not revealed."""

    @abstractmethod
    def rename(self, room: str, code: str) -> bool:
        """Give a room other letters; tell whether they were free."""

    @abstractmethod
    def close(self, room: str) -> None:
        """Let the room take nothing any more; its answers stay."""

    @abstractmethod
    def join(
        self, room: str, phone: str, most: int, gap: float, slack: float, *, back: bool = False
    ) -> float:
        """Add a phone, at most one each `gap` seconds; return the seconds that it has to wait.

        Parameters
        ----------
        room, phone : str
            A phone that is in the room already is not added, and does not wait.
        most : int
            Phones that the room takes.
        gap, slack : float
            In seconds. A phone that had to wait for longer than `slack` is not added.
        back : bool
            Whether the phone was in the room before the store began anew: then it is missing no more.

        Returns
        -------
        float
            Infinity where the room is full.
        """

    @abstractmethod
    def seen(self, phones: Mapping[str, Iterable[str]]) -> None:
        """Note that phones are here, by their rooms."""

    @abstractmethod
    def silent(self, before: float) -> dict[str, int]:
        """Return how many phones of each room were last seen before a time; rooms without one are left out."""

    @abstractmethod
    def commit(self, room: str, question: str, turn: int, phone: str, value: float) -> float | None:
        """Keep an answer, and return the one that is kept: the phone's first.

        None means that the question takes none, or that the phone has not joined.
        """

    @abstractmethod
    def answer(self, room: str, question: str, phone: str) -> float | None:
        """Return the answer of one phone."""

    @abstractmethod
    def answers(self, room: str, question: str) -> dict[str, float]:
        """Return the answers to a question by phone."""

    @abstractmethod
    def asked(self, room: str) -> list[Asked]:
        """Return all questions of a room, in the order in which they were first asked."""

    @abstractmethod
    def question(self, room: str, question: str) -> Asked | None:
        """Return one question of a room."""

    @abstractmethod
    def restore(self, room: str, asked: Asked, answers: Mapping[str, float]) -> None:
        """Put a question back into a room that does not have it."""

    @abstractmethod
    def purge(self, before: float) -> None:
        """Drop rooms that were opened before a time, with all that is theirs."""

    @abstractmethod
    def finish(self) -> None:
        """Give back what the store holds in this process."""


# --- One file ----------------------------------------------------------------------------------------

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (
    id TEXT PRIMARY KEY, code TEXT NOT NULL, key TEXT NOT NULL, stamp TEXT NOT NULL,
    opened REAL NOT NULL, touched REAL NOT NULL, number INTEGER NOT NULL, question TEXT NOT NULL,
    stopped INTEGER NOT NULL, closed INTEGER NOT NULL, joined INTEGER NOT NULL,
    missing INTEGER NOT NULL, queue REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS codes (code TEXT PRIMARY KEY, room TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (
    place INTEGER PRIMARY KEY, room TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    result TEXT NOT NULL DEFAULT '', turn INTEGER NOT NULL DEFAULT 0,
    committed INTEGER NOT NULL DEFAULT 0, UNIQUE (room, id)
);
CREATE TABLE IF NOT EXISTS phones (
    room TEXT NOT NULL, phone TEXT NOT NULL, seen REAL NOT NULL, PRIMARY KEY (room, phone)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    room TEXT NOT NULL, question TEXT NOT NULL, phone TEXT NOT NULL, value REAL NOT NULL,
    PRIMARY KEY (room, question, phone)
) WITHOUT ROWID;
"""
_ROOM = """
SELECT r.id, r.code, r.key, r.stamp, r.opened, r.touched, r.number, r.question,
       COALESCE(q.turn, 0), COALESCE(q.result, '') <> '', r.stopped, r.closed, r.joined,
       COALESCE(q.committed, 0), r.missing
FROM rooms r LEFT JOIN questions q ON q.room = r.id AND q.id = r.question
"""
_THEIRS = ("codes", "questions", "phones", "answers")  # tables that name the room of a row
_IDLE_MOST = 8  # connections that are kept for the next change
_NO_WAIT = "PRAGMA synchronous = OFF"  # for a disk: after a power cut rooms begin anew
_TRIES = 5
_STALE = 10.0  # seconds after which a file of another epoch belongs to no process
LAYOUT = 2  # of what is kept: grows with each change of it
_MARK = re.compile(rb"privsc rooms (?:(\d{1,9}) )?([0-9a-f]{16})\n")


class _Place(NamedTuple):
    epoch: str
    number: int  # of the file of the data


class _Open(NamedTuple):
    place: _Place
    connection: sqlite3.Connection


def usual_file() -> Path:
    """Return the file that all processes of this user on this machine share."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"privsc-rooms-{user}" / "rooms"


class File(Store):
    """Rooms in one SQLite file, for processes of one machine.

    The path that is named holds the layout of the data and the store's epoch; the data stand beside it, in a
    file with that epoch at the end of its name. Where one of the two is removed or unreadable, or of an older
    layout, the store begins anew with another epoch and another file: SQLite deletes its own files of before by
    their names, and these belong to no other store then. A newer layout is left to the version that made it.

    Parameters
    ----------
    path : Path
        Its folder is made if need be, for this user alone.
    clock : callable, optional
        The time in seconds, the same for all processes of the machine.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._clock = clock
        self._idle: list[_Open] = []
        self._lock = threading.Lock()
        self._watching: _Open | None = None
        self._read: tuple[tuple[int, int], str] = ((0, 0), "")

    # --- connections ---------------------------------------------------------------------------------

    def _there(self) -> _Place:
        """Return which store is there; one without an epoch for none."""
        try:
            found = self.path.stat()
            mark = (found.st_ino, found.st_mtime_ns)
            if self._read[0] != mark:
                self._read = mark, self._epoch_of(self.path.read_bytes()[:100])
            return _Place(self._read[1], self._data(self._read[1]).stat().st_ino)
        except FileNotFoundError:
            return _Place("", 0)

    def _epoch_of(self, content: bytes) -> str:
        found = _MARK.fullmatch(content)
        if not found and content:
            raise StoreError("a path where another file is")
        layout = int(found[1] or 1) if found else 0
        if layout > LAYOUT:
            raise StoreError("the file of a newer version of privsc")
        return found[2].decode() if found and layout == LAYOUT else ""

    def _data(self, epoch: str) -> Path:
        return self.path.with_name(f"{self.path.name}-{epoch}")

    def _begin(self) -> None:
        """Begin the store anew; where several processes do, one of them is the last."""
        epoch = secrets.token_hex(8)
        data, mark = self._data(epoch), self.path.with_name(f"{self.path.name}.{epoch}")
        for file in (data, mark):
            file.touch(0o600)
        with contextlib.closing(self._open_file(data)) as connection:
            connection.execute(_NO_WAIT)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
        mark.write_bytes(b"privsc rooms %d %b\n" % (LAYOUT, epoch.encode()))
        mark.replace(self.path)
        kept = self._there().epoch
        for file in self.path.parent.glob(f"{self.path.name}-*"):
            with contextlib.suppress(FileNotFoundError):
                if kept not in file.name and file.stat().st_mtime < time.time() - _STALE:
                    file.unlink()

    def _open_file(self, data: Path) -> sqlite3.Connection:
        return sqlite3.connect(data, timeout=BUSY, isolation_level=None, check_same_thread=False)

    def _connect(self) -> _Open:
        """Open the file; make it where it is missing or unreadable."""
        self._make_folder()
        for _ in range(_TRIES):
            place = self._there()
            if not place.epoch:
                self._begin()
                continue
            connection = self._open_file(self._data(place.epoch))
            try:
                connection.execute(_NO_WAIT)
                # A machine that was started again counts its seconds anew.
                late = self.now() + 60
                if connection.execute("SELECT 1 FROM rooms WHERE opened > ?", (late,)).fetchone():
                    self._drop(connection, "opened > ?", late)
            except sqlite3.DatabaseError as error:
                connection.close()
                ours = "no such table" in str(error)
                if isinstance(error, sqlite3.OperationalError) and not ours:
                    raise
                self._data(place.epoch).unlink(missing_ok=True)  # no data base: ours by its name
            else:
                if place == self._there():
                    return _Open(place, connection)
                connection.close()  # removed meanwhile
        raise StoreError("a file that does not stay where it is")

    def _make_folder(self) -> None:
        folder = self.path.parent
        if not folder.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if hasattr(os, "getuid") and folder == usual_file().parent:
            # Its name can be guessed, and its parent is everybody's.
            ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
            if not ours or stat.S_IMODE(found.st_mode) & 0o077:
                raise StoreError(f"{folder}, which others could write to")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to the file that is there now."""
        try:
            found = self._lent() or self._connect()
            try:
                yield found.connection
            except BaseException as error:
                found.connection.close()
                if type(error) is sqlite3.DatabaseError:  # what is in the file is spoiled
                    self._data(found.place.epoch).unlink(missing_ok=True)
                raise
        except (sqlite3.Error, OSError) as error:
            raise StoreError(str(error)) from None
        with self._lock:
            if len(self._idle) < _IDLE_MOST:
                self._idle.append(found)
                return
        found.connection.close()

    def _lent(self) -> _Open | None:
        place = self._there()
        while True:
            with self._lock:
                if not self._idle:
                    return None
                found = self._idle.pop()
            if found.place == place:
                return found
            found.connection.close()

    @contextlib.contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection within a transaction that may write."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._connection() as connection:
            return connection.execute(query, values).fetchall()

    def finish(self) -> None:
        """Close all connections."""
        with self._lock:
            closed = [*self._idle, *([self._watching] if self._watching else [])]
            self._idle.clear()
            self._watching = None
        for it in closed:
            it.connection.close()

    # --- the contract --------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the time."""
        return self._clock()

    def epoch(self) -> str:
        """Return the store's name."""
        with self._connection():
            return self._read[1]

    def version(self) -> object:
        """Return the file and the number of its last change by another connection."""
        try:
            with self._lock:
                if self._watching is None or self._watching.place != self._there():
                    if self._watching:
                        self._watching.connection.close()
                    self._watching = None
                    self._watching = self._connect()
                place, connection = self._watching
                return place, connection.execute("PRAGMA data_version").fetchone()[0]
        except (sqlite3.Error, OSError) as error:
            raise StoreError(str(error)) from None

    def rooms(self) -> dict[str, Room]:
        """Return all rooms."""
        return {row[0]: _room(row) for row in self._rows(_ROOM)}

    def codes(self) -> dict[str, str]:
        """Return rooms by letters."""
        return dict(self._rows("SELECT code, room FROM codes"))

    def room(self, room: str) -> Room | None:
        """Return a room."""
        rows = self._rows(f"{_ROOM} WHERE r.id = ?", room)
        return _room(rows[0]) if rows else None

    def open(self, room: Room, most: int, idle: float) -> bool:
        """Add a room."""
        with self._change() as change:
            if change.execute("SELECT 1 FROM rooms WHERE id = ?", (room.id,)).fetchone():
                return True
            if change.execute("SELECT 1 FROM codes WHERE code = ?", (room.code,)).fetchone():
                return False
            now = self.now()
            for closed in (1, 0):
                query = "SELECT id FROM rooms WHERE closed = ? ORDER BY touched"
                there = [row[0] for row in change.execute(query, (closed,))]
                query = (
                    "SELECT id FROM rooms WHERE closed = ? AND (closed OR touched <= ? OR (joined = 0 AND touched <= ?)) "
                    "ORDER BY touched LIMIT 1"
                )
                if len(there) < most:
                    continue
                found = change.execute(query, (closed, now - LEFT * idle, now - idle)).fetchone()
                if not found:
                    raise InputError("rooms", f"must be at most {most} at a time", most + 1)
                self._drop(change, "id = ?", found[0])
            change.execute(
                "INSERT INTO rooms (id, code, key, stamp, opened, touched, number, question, stopped, closed, joined, "
                "missing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
                (room.id, room.code, room.key, room.stamp, room.opened, room.touched, room.number,
                 room.question, room.stopped, room.closed, room.missing),
            )  # fmt: skip
            change.execute("INSERT INTO codes VALUES (?, ?)", (room.code, room.id))
        return True

    def _drop(self, change: sqlite3.Connection, which: str, value: object) -> None:
        for table in _THEIRS:
            query = f"DELETE FROM {table} WHERE room IN (SELECT id FROM rooms WHERE {which})"  # noqa: S608 - our own words
            change.execute(query, (value,))
        change.execute(f"DELETE FROM rooms WHERE {which}", (value,))  # noqa: S608 - as above

    def touch(self, room: str) -> None:
        """Note a look."""
        with self._change() as change:
            change.execute("UPDATE rooms SET touched = ? WHERE id = ?", (self.now(), room))

    def ask(self, room: str, question: str, body: str) -> None:
        """Ask."""
        with self._change() as change:
            change.execute(
                "INSERT INTO questions (room, id, body) SELECT id, ?, ? FROM rooms WHERE id = ? "
                "ON CONFLICT DO UPDATE SET body = excluded.body WHERE committed = 0 AND result = ''",
                (question, body, room),
            )
            change.execute(
                "UPDATE rooms SET question = ?, number = number + 1 WHERE id = ? AND NOT closed",
                (question, room),
            )

    def reveal(
        self, room: str, question: str, body: str, result: Callable[[list[float]], str]
    ) -> None:
        """Reveal."""
        with self._change() as change:
            which = (room, question)
            query = "SELECT value FROM answers WHERE room = ? AND question = ?"
            found = result([row[0] for row in change.execute(query, which)])
            query = "UPDATE questions SET result = ?, body = ? WHERE room = ? AND id = ? AND result = ''"
            if change.execute(query, (found, body, *which)).rowcount:
                change.execute("UPDATE rooms SET number = number + 1 WHERE id = ?", (room,))

    def stop(self, room: str, *, stopped: bool) -> None:
        """Stop."""
        with self._change() as change:
            change.execute("UPDATE rooms SET stopped = ? WHERE id = ?", (stopped, room))

    def clear(self, room: str, stamp: str, key: str) -> None:
        """Clear."""
        with self._change() as change:
            change.execute(
                "UPDATE rooms SET stamp = ?, key = ?, joined = 0, missing = 0, number = number + 1 WHERE id = ?",
                (stamp, key, room),
            )
            change.execute("DELETE FROM phones WHERE room = ?", (room,))
            rows = change.execute(
                "UPDATE questions SET committed = 0, turn = turn + 1 WHERE room = ? AND result = '' RETURNING id",
                (room,),
            ).fetchall()
            for (question,) in rows:
                change.execute(
                    "DELETE FROM answers WHERE room = ? AND question = ?", (room, question)
                )

    def rename(self, room: str, code: str) -> bool:
        """Rename."""
        with self._change() as change:
            query = "INSERT OR IGNORE INTO codes SELECT ?, id FROM rooms WHERE id = ?"
            if not change.execute(query, (code, room)).rowcount:
                return False
            change.execute("UPDATE rooms SET code = ? WHERE id = ?", (code, room))
        return True

    def close(self, room: str) -> None:
        """Close."""
        with self._change() as change:
            change.execute(
                "UPDATE rooms SET closed = 1, number = number + 1 WHERE id = ? AND NOT closed",
                (room,),
            )

    def join(
        self, room: str, phone: str, most: int, gap: float, slack: float, *, back: bool = False
    ) -> float:
        """Join."""
        now = self.now()
        known = "SELECT 1 FROM phones WHERE room = ? AND phone = ?"
        query = "SELECT queue, joined FROM rooms WHERE id = ?"
        # Only a phone that comes in writes: refused ones hold up no other.
        for write in (False, True):
            with self._change() if write else self._connection() as it:
                if it.execute(known, (room, phone)).fetchone():
                    return 0.0
                found = it.execute(query, (room,)).fetchone()
                if found is None or found[1] >= most:
                    return float("inf")
                wait = max(0.0, float(found[0]) - now)
                if wait > slack:
                    return wait
                if write:
                    it.execute("INSERT INTO phones VALUES (?, ?, ?)", (room, phone, now))
                    it.execute(
                        "UPDATE rooms SET joined = joined + 1, missing = MAX(0, missing - ?), queue = ? WHERE id = ?",
                        (back, now + wait + gap, room),
                    )
        return wait

    def seen(self, phones: Mapping[str, Iterable[str]]) -> None:
        """Note phones."""
        rows = [(self.now(), room, phone) for room, those in phones.items() for phone in those]
        with self._change() as change:
            change.executemany("UPDATE phones SET seen = ? WHERE room = ? AND phone = ?", rows)

    def silent(self, before: float) -> dict[str, int]:
        """Count phones."""
        query = "SELECT room, COUNT(*) FROM phones WHERE seen < ? GROUP BY room"
        return dict(self._rows(query, before))

    def commit(self, room: str, question: str, turn: int, phone: str, value: float) -> float | None:
        """Commit."""
        kept = self.answer(room, question, phone)
        if kept is not None:
            return kept
        with self._change() as change:
            done = change.execute(
                "INSERT OR IGNORE INTO answers SELECT r.id, q.id, p.phone, ? FROM rooms r "
                "JOIN questions q ON q.room = r.id AND q.id = r.question AND q.result = '' "
                "JOIN phones p ON p.room = r.id AND p.phone = ? "
                "WHERE r.id = ? AND q.id = ? AND q.turn = ? AND NOT r.closed",
                (value, phone, room, question, turn),
            ).rowcount
            if done:
                change.execute(
                    "UPDATE questions SET committed = committed + 1 WHERE room = ? AND id = ?",
                    (room, question),
                )
                return value
        return self.answer(room, question, phone)

    def answer(self, room: str, question: str, phone: str) -> float | None:
        """Return an answer."""
        query = "SELECT value FROM answers WHERE room = ? AND question = ? AND phone = ?"
        rows = self._rows(query, room, question, phone)
        return float(rows[0][0]) if rows else None

    def answers(self, room: str, question: str) -> dict[str, float]:
        """Return answers."""
        query = "SELECT phone, value FROM answers WHERE room = ? AND question = ?"
        return dict(self._rows(query, room, question))

    def asked(self, room: str) -> list[Asked]:
        """Return questions."""
        query = (
            "SELECT id, body, result, turn, committed FROM questions WHERE room = ? ORDER BY place"
        )
        return [Asked(*row) for row in self._rows(query, room)]

    def question(self, room: str, question: str) -> Asked | None:
        """Return a question."""
        query = "SELECT id, body, result, turn, committed FROM questions WHERE room = ? AND id = ?"
        rows = self._rows(query, room, question)
        return Asked(*rows[0]) if rows else None

    def restore(self, room: str, asked: Asked, answers: Mapping[str, float]) -> None:
        """Put back."""
        with self._change() as change:
            done = change.execute(
                "INSERT OR IGNORE INTO questions (room, id, body, result, turn, committed) "
                "SELECT id, ?, ?, ?, ?, ? FROM rooms WHERE id = ?",
                (asked.id, asked.body, asked.result, asked.turn, len(answers), room),
            ).rowcount
            if done:
                change.executemany(
                    "INSERT INTO answers VALUES (?, ?, ?, ?)",
                    [(room, asked.id, phone, value) for phone, value in answers.items()],
                )

    def purge(self, before: float) -> None:
        """Drop what is old."""
        if self._rows("SELECT 1 FROM rooms WHERE opened < ? LIMIT 1", before):
            with self._change() as change:
                self._drop(change, "opened < ?", before)


def _room(row: tuple[Any, ...]) -> Room:
    """Return a room of the columns of _ROOM, which are Room's fields in their order."""
    values: list[Any] = [bool(it) if 9 <= place < 12 else it for place, it in enumerate(row)]
    return Room(*values)
