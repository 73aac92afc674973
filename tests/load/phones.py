"""A lecture with phones: a room, an audience behind one address, questions; nothing lost, nothing doubled.

The lecturer is this program, on the store that the server's processes share; phones speak HTTP as phone.js does:
one connection that listens, one that asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pages.shared.room.question import Axis, Question
from pages.shared.room.rooms import Rooms, store_at
from tests.load.front import Front
from tests.load.measure import Tally
from tests.load.scenarios import watched
from tests.load.visitor import trusting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.load.host import Host
    from tests.load.scenarios import Hall
    from tests.rooms import stores

PATIENCE = 60.0
POLL = 0.7  # seconds between two looks of the lecturer's screen
FAULTS = (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError)


class Line:
    """One connection that asks and is answered, opened again where it was cut."""

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        self.host, self.port, self.root = parts.hostname, parts.port, parts.path
        self.secure, self.origin = parts.scheme == "https", f"{parts.scheme}://{parts.netloc}"
        self.netloc = parts.netloc
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        try:
            async with asyncio.timeout(PATIENCE):
                status, said = await self.begin(method, path, body, **headers)
                assert self.reader is not None
                content = b""
                if said.get("transfer-encoding") == "chunked":
                    while size := int(await self.reader.readline(), 16):
                        content += await self.reader.readexactly(size)
                        await self.reader.readline()
                    await self.reader.readline()
                elif status != 204:
                    content = await self.reader.readexactly(int(said.get("content-length", "0")))
        except BaseException:
            self.close()
            raise
        if said.get("connection") == "close":
            self.close()
        return status, said, content

    async def begin(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, str]]:
        """Send a request; return status and headers of the answer."""
        if self.reader is not None and self.reader.at_eof():  # the server has hung up meanwhile
            self.close()
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(
                self.host, self.port, ssl=trusting() if self.secure else None
            )
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {self.root}/{path} HTTP/1.1", f"Host: {self.netloc}", f"Origin: {self.origin}",
            "Sec-Fetch-Site: same-origin", f"Content-Length: {len(content)}",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items() if value),
        ]  # fmt: skip
        assert self.reader is not None
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        await self.writer.drain()
        first = (await self.reader.readline()).split()
        if not first:
            raise ConnectionResetError("the server had hung up")
        status = int(first[1])
        said = {}
        while line := (await self.reader.readline()).strip().decode():
            name, _, value = line.partition(":")
            said[name.lower()] = value.strip()
        return status, said

    def close(self) -> None:
        """Hang up."""
        if self.writer is not None:
            self.writer.transport.abort()
        self.reader = self.writer = None


@dataclass
class Lecture:
    """What is measured of a lecture."""

    join: Tally = field(default_factory=Tally)
    asked: Tally = field(default_factory=Tally)
    commit: Tally = field(default_factory=Tally)
    revealed: Tally = field(default_factory=Tally)
    count: Tally = field(default_factory=Tally)
    kept: list[float] = field(default_factory=list)  # when commits were acknowledged


class Phone:
    """One phone: it joins, listens, commits what it has until that is acknowledged, and sees the truth."""

    def __init__(self, base: str, code: str, lecture: Lecture, seed: int) -> None:
        self.code, self.lecture, self.random = code, lecture, random.Random(seed)  # noqa: S311 - no secret
        self.line, self.listening = Line(base), Line(base)
        self.token, self.state, self.values = "", {}, {}
        self.number = f"{self.random.getrandbits(128):032x}"
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def join(self) -> None:
        """Fetch the page, and join."""
        begin = time.perf_counter()
        await self.line.ask("GET", f"join/{self.code}", Accept_Encoding="gzip")
        await self.come()
        self.lecture.join.add(time.perf_counter() - begin)
        self.task = asyncio.create_task(self._listen())

    async def come(self) -> None:
        """Join, or join again with what was committed."""
        body = {"number": self.number, "answers": self.values}
        said = await self._patient("POST", f"room/{self.code}/join", body)
        self.token, self.state = said["token"], said["state"]
        self.news.set()

    async def _patient(self, method: str, path: str, body: object) -> dict[str, Any]:
        ends = time.perf_counter() + PATIENCE
        while True:
            try:
                status, said, content = await self.line.ask(
                    method, path, body, X_Room_Token=self.token
                )
            except FAULTS:
                status, said, content = 0, {}, b""
            if status == 200:
                return json.loads(content)  # type: ignore[no-any-return]
            if status in {403, 409} and "join" not in path:
                await self.come()
            elif status not in {0, 429, 502, 503, 504} or time.perf_counter() > ends:
                raise TimeoutError(f"{status} {content[:100]!r}")
            else:
                wait = float(said.get("retry-after", 1))
                await asyncio.sleep(wait * self.random.uniform(0.8, 1.2))

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(*FAULTS):
                await self._hear()
            self.listening.close()
            await asyncio.sleep(self.random.uniform(0.5, 2))

    async def _hear(self) -> None:
        path = f"room/{self.code}/events?token={self.token}"
        last = str(self.state.get("number", ""))
        status, _ = await self.listening.begin("GET", path, Last_Event_ID=last)
        if status in {403, 409}:
            await self.come()
            return
        reader = self.listening.reader
        assert reader is not None
        while status == 200:
            async with asyncio.timeout(20):
                line = await reader.readline()
            if line in {b"", b"0\r\n"}:  # cut, or the last chunk
                return
            if line.startswith(b"data: "):
                state = json.loads(line[6:])
                if self.state.get("epoch") != state["epoch"]:
                    await self.come()
                else:
                    self.state = state
                self.news.set()

    async def until(self, question: str, phase: str, begin: float, tally: Tally) -> None:
        """Wait until the phone shows a question in a phase."""
        async with asyncio.timeout(PATIENCE):
            while (self.state.get("question") or {}).get("id") != question or self.state[
                "phase"
            ] != phase:
                self.news.clear()
                await self.news.wait()
        tally.add(time.perf_counter() - begin)

    async def commit(self, question: str, value: float) -> None:
        """Commit, again and again until it is kept."""
        begin = time.perf_counter()
        self.values[question] = value
        body = {"question": question, "value": value}
        said = await self._patient("POST", f"room/{self.code}/commit", body)
        if said["mine"] != value:
            self.lecture.commit.errors.append("another answer is kept than the first")
        self.lecture.commit.add(time.perf_counter() - begin)
        self.lecture.kept.append(time.perf_counter())

    async def close(self) -> None:
        """Leave."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        self.line.close()
        self.listening.close()


@dataclass
class Given:
    """A lecture that is being given: the lecturer, the audience, and what went wrong."""

    base: str
    rooms: Rooms
    code: str
    secret: str
    audience: list[Phone]
    seen: Lecture
    think: float
    wrong: list[str] = field(default_factory=list)

    async def all(self, each: Callable[[Phone], Awaitable[None]]) -> None:
        """Let every phone do something, and note what fails."""
        results = await asyncio.gather(*map(each, self.audience), return_exceptions=True)
        self.wrong += [
            f"{type(it).__name__}: {it}" for it in results if isinstance(it, BaseException)
        ]

    async def ask(self, name: str, fault: Callable[[Rooms], Awaitable[None]] | None) -> None:
        """Ask a question, let all commit, let something fail, reveal, and compare."""
        question = Question(name, "How many?", axis=Axis(1, 1000, log=True), truth=100)
        begin = time.perf_counter()

        async def answer(phone: Phone) -> None:
            await phone.until(name, "asked", begin, self.seen.asked)
            await asyncio.sleep(phone.random.uniform(0, self.think))
            await phone.commit(name, float(phone.random.randint(1, 1000)))

        async def shown(phone: Phone) -> None:
            await phone.until(name, "revealed", begin, self.seen.revealed)

        await asyncio.to_thread(self.rooms.ask, self.secret, question)
        looking = asyncio.create_task(_looking(self))
        await self.all(answer)
        await asyncio.sleep(2 * POLL)
        looking.cancel()
        await asyncio.wait({looking})
        if fault is not None:
            await fault(self.rooms)
            await self._back()
        begin = time.perf_counter()
        await asyncio.to_thread(self.rooms.reveal, self.secret)
        await self.all(shown)
        sent = sorted(phone.values.get(name, -1.0) for phone in self.audience)
        kept = self.rooms.answers(self.secret, name)
        if sent != kept:
            self.wrong.append(f"{len(sent)} committed, {len(kept)} kept")
        if any(phone.state.get("mine") != phone.values.get(name) for phone in self.audience):
            self.wrong.append("a phone shows another answer than its own")

    async def _back(self) -> None:
        """Wait until all phones are there again with their answers."""
        looks = int(PATIENCE / 0.2)
        for _ in range(looks):
            seen = await asyncio.to_thread(self.rooms.seen, self.secret)
            if seen.committed >= len(self.audience):
                return
            await asyncio.sleep(0.2)
        self.wrong.append(f"{seen.committed} phones came back")


async def _looking(given: Given) -> None:
    """Look as the lecturer's screen does; note how long after a commit the count has it."""
    line, lecture = Line(given.base), given.seen
    begin, told = len(lecture.kept), 0
    try:
        while True:
            with contextlib.suppress(*FAULTS):
                _, _, content = await line.ask(
                    "GET", f"room/{given.code}/screen", X_Room_Secret=given.secret
                )
                now, count = time.perf_counter(), json.loads(content).get("committed", 0)
                kept = lecture.kept[begin:]
                for at in kept[told:count]:
                    lecture.count.add(max(0.0, now - at))
                told = max(told, min(count, len(kept)))
            await asyncio.sleep(POLL)
    finally:
        line.close()


async def lecture(
    hall: Hall, where: str, *, phones: int = 500, questions: int = 3, spread: float = 20.0, think: float = 8.0,
    pause: float = 0.0,
    fault: Callable[[Rooms], Awaitable[None]] | None = None, until: asyncio.Future[Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Give a lecture; return what was measured.

    Parameters
    ----------
    hall : Hall
    where : str
        The file or the server of the rooms that all processes share.
    phones, questions : int
    spread, think, pause : float
        Seconds in which the phones come in, in which they answer, and for which the lecturer speaks after each truth.
    fault : callable, optional
        What goes wrong between the commits and the reveal of the second question.
    until : future, optional
        The lecturer asks until it is done, instead of `questions`.
    """
    rooms, seen = Rooms(store_at(where)), Lecture()
    watching = asyncio.create_task(_watch(rooms))
    code, secret = rooms.open_room()
    audience = [Phone(hall.base, code, seen, hall.seed * 10_007 + place) for place in range(phones)]
    given = Given(hall.base, rooms, code, secret, audience, seen, think)
    record: dict[str, Any] = {"scenario": "room", "sessions": phones}

    async def come(phone: Phone) -> None:
        await asyncio.sleep(phone.random.uniform(0, spread))
        await phone.join()

    coming: dict[str, Any] = {}
    asked = 0
    try:
        async with watched(hall, coming):
            await known(hall.base, code, secret)
            await given.all(come)
        async with watched(hall, record):
            while asked < questions if until is None else not until.done():
                await given.ask(f"q{asked}", fault if asked == 1 else None)
                asked += 1
                await asyncio.sleep(pause)
        last = rooms.seen(secret)
        record |= {"asked": asked, "joined": last.joined, "lost": last.lost, "silent": last.silent}
    finally:
        await asyncio.gather(*(phone.close() for phone in audience))
        watching.cancel()
        await asyncio.sleep(0.1)  # what was cut off is closed
        rooms.close(secret)
        rooms.store.finish()
    record |= seen.commit.record()
    if given.wrong:
        record |= {
            "errors": record["errors"] + len(given.wrong),
            "what": sorted(set(given.wrong))[:5],
        }
    kinds = {
        "joining": seen.join, "shown a question": seen.asked, "counted": seen.count,
        "shown the truth": seen.revealed,
    }  # fmt: skip
    record["kinds"] = {name: tally.record() for name, tally in kinds.items()}
    if record.get("server_cpu") and until is None:
        record["cpu_ms_each"] = round(1000 * record["server_cpu"] / (phones * asked), 2)
        record["cpu_ms_joining"] = round(1000 * coming["server_cpu"] / phones, 2)
    return record


def failure(
    what: str, host: Host | Front | None, redis: stores.Redis | None
) -> Callable[[Rooms], Awaitable[None]] | None:
    """Return what goes wrong with a server: its first process is killed, its file removed, or its Redis restarted."""

    def fails() -> None:
        if what == "removed":
            Path(host.rooms).unlink()  # type: ignore[union-attr]
            return
        one = redis if what == "restarted" else host.hosts[0] if isinstance(host, Front) else host
        assert one is not None
        one.kill()
        one.start()

    async def fault(_: Rooms) -> None:
        await asyncio.to_thread(fails)

    return fault if what else None


async def known(base: str, code: str, secret: str) -> None:
    """Wait until the server's processes know a room."""
    line = Line(base)
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):  # more than processes, and then some
            path = f"room/{code}/screen"
            while (await line.ask("GET", path, X_Room_Secret=secret))[0] != 200:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.25)
    line.close()


async def _watch(rooms: Rooms) -> None:
    while True:
        await asyncio.sleep(0.1)
        await asyncio.to_thread(rooms.watch)
