"""Rooms on a server of Redis or Valkey, for processes on several machines.

Each change is one program (Lua), which the server runs without another in between. All keys begin with ``privsc:``
and the number of their layout, and end by themselves some time after the longest life of a room. It is one server,
not a cluster of several: a program names its keys itself.

A server that was started again may have read an older state from its disk. So the store begins anew with each start
of its server, which every new connection asks for: no connection outlives its server.
"""

from __future__ import annotations

import secrets
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pages.shared.room.store import LAYOUT, LEFT, Asked, Room, Store, StoreError
from privsc_core.errors import InputError, needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_PATIENCE = 3.0  # seconds for one answer
_AGREES = 60.0  # seconds after which the server's clock is read again
_ENDS = 14 * 3600  # seconds until a key that nothing dropped goes
_KEYS = f"privsc:{LAYOUT}:"

# What all programs share: names of keys, and how a room goes with all that is its own.
_SHARED = """
local function of(kind, id) return 'KEYS' .. kind .. ':' .. id end
local function asked(id, question) return 'KEYSquestion:' .. #id .. ':' .. id .. ':' .. question end
local function given(id, question) return 'KEYSanswers:' .. #id .. ':' .. id .. ':' .. question end
local call, store, rooms, codes = redis.call, 'KEYSstore', 'KEYSrooms', 'KEYScodes'
local function ends(key) call('EXPIRE', key, ENDS) end
local function changed() call('INCR', 'KEYSversion') end
local function told(id) call('HINCRBY', of('room', id), 'number', 1) changed() end
local function there(id) return call('EXISTS', of('room', id)) == 1 end
local function field(id, name) return call('HGET', of('room', id), name) end
local function drop(id)
  for _, question in ipairs(call('LRANGE', of('asked', id), 0, -1)) do
    call('DEL', asked(id, question), given(id, question))
  end
  call('DEL', of('room', id), of('asked', id), of('phones', id))
  call('SREM', rooms, id)
  local all = call('HGETALL', codes)
  for place = 1, #all, 2 do
    if all[place + 1] == id then call('HDEL', codes, all[place]) end
  end
end
local function add(id, question, body, result, turn, committed)
  if call('EXISTS', asked(id, question)) == 1 then return false end
  call('RPUSH', of('asked', id), question)
  call('HSET', asked(id, question), 'body', body, 'result', result, 'turn', turn, 'committed', committed)
  ends(of('asked', id)) ends(asked(id, question))
  return true
end
"""

_PROGRAMS = {
    # The store's name is of one start of its server: with another one it goes, and all rooms.
    "epoch": """
        local run = string.match(call('INFO', 'server'), 'run_id:(%w+)') or ''
        local has = call('HMGET', store, 'run', 'epoch')
        if has[1] == run then return has[2] end
        for _, id in ipairs(call('SMEMBERS', rooms)) do drop(id) end
        call('DEL', codes)
        call('HSET', store, 'run', run, 'epoch', ARGV[1])
        return ARGV[1]
    """,
    "version": "return {call('HGET', store, 'epoch') or '', call('GET', 'KEYSversion') or ''}",
    "rooms": """
        local found = {}
        for _, id in ipairs(#ARGV > 0 and ARGV or call('SMEMBERS', rooms)) do
          if there(id) then
            local question = field(id, 'question')
            local has = call('HMGET', asked(id, question), 'turn', 'result', 'committed')
            found[#found + 1] = {call('HGETALL', of('room', id)), has[1] or '0', has[2] or '', has[3] or '0'}
          else
            call('SREM', rooms, id)
          end
        end
        return found
    """,
    "open": """
        local id, code, most, now, idle = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
        if there(id) then return 1 end
        local holder = call('HGET', codes, code)
        if holder and there(holder) then return 0 end
        for _, closed in ipairs({'1', '0'}) do
          local number, oldest, when = 0, false, 0
          for _, it in ipairs(call('SMEMBERS', rooms)) do
            local has = call('HMGET', of('room', it), 'closed', 'joined', 'touched')
            if has[1] == closed then
              number = number + 1
              local touched = tonumber(has[3])
              local left = touched <= now - tonumber(ARGV[6]) * idle
              local may = closed == '1' or left or (has[2] == '0' and touched <= now - idle)
              if may and (not oldest or touched < when) then oldest, when = it, touched end
            end
          end
          if number >= most then
            if not oldest then return -1 end
            drop(oldest)
          end
        end
        for place = 7, #ARGV, 2 do call('HSET', of('room', id), ARGV[place], ARGV[place + 1]) end
        ends(of('room', id))
        call('SADD', rooms, id)
        call('HSET', codes, code, id)
        changed()
        return 1
    """,
    "set": """
        if there(ARGV[1]) then call('HSET', of('room', ARGV[1]), ARGV[2], ARGV[3]) changed() end
    """,
    "ask": """
        local id, question, body = ARGV[1], ARGV[2], ARGV[3]
        if not there(id) then return end
        if not add(id, question, body, '', 0, 0) then
          local has = call('HMGET', asked(id, question), 'committed', 'result')
          if has[1] == '0' and has[2] == '' then call('HSET', asked(id, question), 'body', body) end
        end
        if field(id, 'closed') == '0' then
          call('HSET', of('room', id), 'question', question)
          told(id)
        end
    """,
    # Between the two a question takes no answers: what is revealed is all that was taken.
    "seal": """
        local key = asked(ARGV[1], ARGV[2])
        if call('HGET', key, 'result') ~= '' then return 0 end
        call('HSET', key, 'sealed', 1)
        return 1
    """,
    "reveal": """
        local key = asked(ARGV[1], ARGV[2])
        if call('HGET', key, 'result') == '' then
          call('HSET', key, 'body', ARGV[3], 'result', ARGV[4])
          told(ARGV[1])
        end
    """,
    "clear": """
        local id = ARGV[1]
        if not there(id) then return end
        call('HSET', of('room', id), 'stamp', ARGV[2], 'key', ARGV[3], 'joined', 0, 'missing', 0)
        call('DEL', of('phones', id))
        for _, question in ipairs(call('LRANGE', of('asked', id), 0, -1)) do
          if call('HGET', asked(id, question), 'result') == '' then
            call('HINCRBY', asked(id, question), 'turn', 1)
            call('HSET', asked(id, question), 'committed', 0)
            call('HDEL', asked(id, question), 'sealed')
            call('DEL', given(id, question))
          end
        end
        told(id)
    """,
    "rename": """
        local id, code = ARGV[1], ARGV[2]
        local holder = call('HGET', codes, code)
        if not there(id) or (holder and there(holder)) then return 0 end
        call('HSET', codes, code, id)
        call('HSET', of('room', id), 'code', code)
        changed()
        return 1
    """,
    "close": """
        if field(ARGV[1], 'closed') == '0' then call('HSET', of('room', ARGV[1]), 'closed', 1) told(ARGV[1]) end
    """,
    "join": """
        local id, phone, most, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
        local gap, slack = tonumber(ARGV[5]), tonumber(ARGV[6])
        if call('ZSCORE', of('phones', id), phone) then return '0' end
        local has = call('HMGET', of('room', id), 'joined', 'queue')
        if not has[1] or tonumber(has[1]) >= most then return 'inf' end
        local wait = math.max(0, tonumber(has[2] or '0') - now)
        if wait > slack then return tostring(wait) end
        call('ZADD', of('phones', id), ARGV[4], phone)
        ends(of('phones', id))
        call('HINCRBY', of('room', id), 'joined', 1)
        if ARGV[7] == '1' and tonumber(field(id, 'missing')) > 0 then call('HINCRBY', of('room', id), 'missing', -1) end
        call('HSET', of('room', id), 'queue', string.format('%.6f', now + wait + gap))
        changed()
        return tostring(wait)
    """,
    "commit": """
        local id, question, turn, phone, value = unpack(ARGV)
        local kept = call('HGET', given(id, question), phone)
        if kept then return kept end
        local room = call('HMGET', of('room', id), 'question', 'closed')
        local has = call('HMGET', asked(id, question), 'turn', 'result', 'sealed')
        if room[1] ~= question or room[2] ~= '0' or has[1] ~= turn or has[2] ~= '' or has[3] then return false end
        if not call('ZSCORE', of('phones', id), phone) then return false end
        call('HSET', given(id, question), phone, value)
        ends(given(id, question))
        call('HINCRBY', asked(id, question), 'committed', 1)
        changed()
        return value
    """,
    "asked": """
        local found = {}
        local which = ARGV[2] and {ARGV[2]} or call('LRANGE', of('asked', ARGV[1]), 0, -1)
        for _, question in ipairs(which) do
          local has = call('HMGET', asked(ARGV[1], question), 'body', 'result', 'turn', 'committed')
          if has[1] then found[#found + 1] = {question, has[1], has[2], has[3], has[4]} end
        end
        return found
    """,
    "answers": "return call('HGETALL', given(ARGV[1], ARGV[2]))",
    "answer": "return call('HGET', given(ARGV[1], ARGV[2]), ARGV[3])",
    "restore": """
        local id, question = ARGV[1], ARGV[2]
        if not there(id) or not add(id, question, ARGV[3], ARGV[4], ARGV[5], (#ARGV - 5) / 2) then return end
        for place = 6, #ARGV, 2 do call('HSET', given(id, question), ARGV[place], ARGV[place + 1]) end
        ends(given(id, question))
        changed()
    """,
    "seen": """
        for place = 3, #ARGV do call('ZADD', of('phones', ARGV[1]), 'XX', ARGV[2], ARGV[place]) end
    """,
    "silent": """
        local found = {}
        for _, id in ipairs(call('SMEMBERS', rooms)) do
          local number = call('ZCOUNT', of('phones', id), '-inf', '(' .. ARGV[1])
          if number > 0 then found[#found + 1] = id found[#found + 1] = number end
        end
        return found
    """,
    "purge": """
        for _, id in ipairs(call('SMEMBERS', rooms)) do
          local opened = field(id, 'opened')
          if not opened or tonumber(opened) < tonumber(ARGV[1]) then drop(id) changed() end
        end
    """,
}
_WORDS = ("code", "key", "stamp", "question")
_TIMES = ("opened", "touched")
_COUNTS = ("number", "joined", "missing")
_FLAGS = ("stopped", "closed")


class Server(Store):
    """Rooms on one server that speaks Redis' language.

    Parameters
    ----------
    address : str
        Such as ``redis://127.0.0.1:6379`` or ``rediss://user:password@host:6379/1``; it is said nowhere.
    clock : callable, optional
        The time in seconds; by default that of the server.

    Raises
    ------
    InputError
        For an address that is none, or where the package `redis` is missing.
    """

    def __init__(self, address: str, clock: Callable[[], float] | None = None) -> None:
        redis = needed("redis", "rooms")
        self._clock, self._faults = clock, (redis.RedisError, OSError)
        self._ahead, self._read = 0.0, -_AGREES
        try:
            self._client = redis.Redis.from_url(
                address, decode_responses=True, socket_timeout=_PATIENCE,
                socket_connect_timeout=_PATIENCE, redis_connect_func=_greet,
            )  # fmt: skip
        except ValueError:
            raise InputError(
                "rooms", "must be an address like redis://host:6379", "another one"
            ) from None

    @cached_property
    def _programs(self) -> dict[str, Any]:
        return {name: self._client.register_script(_whole(name)) for name in _PROGRAMS}

    def _ask(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except self._faults as error:
            raise StoreError(type(error).__name__) from None

    def _run(self, program: str, *arguments: Any) -> Any:
        words = [int(it) if isinstance(it, bool) else it for it in arguments]
        return self._ask(self._programs[program], [], words)

    def finish(self) -> None:
        """Close all connections."""
        self._client.close()

    # --- the contract --------------------------------------------------------------------------------

    def epoch(self) -> str:
        """Return the store's name."""
        return str(self._run("epoch", secrets.token_hex(8)))

    def version(self) -> object:
        """Return the store's name and how often it was changed."""
        return tuple(self._run("version"))

    def now(self) -> float:
        """Return the server's time."""
        if self._clock is not None:
            return self._clock()
        here = time.monotonic()
        if here - self._read >= _AGREES:
            seconds, micro = self._ask(self._client.time)
            self._ahead, self._read = seconds + micro / 1e6 - here, here
        return here + self._ahead

    def rooms(self) -> dict[str, Room]:
        """Return all rooms."""
        return {room.id: room for room in map(_room, self._run("rooms"))}

    def codes(self) -> dict[str, str]:
        """Return rooms by letters."""
        return dict(self._ask(self._client.hgetall, f"{_KEYS}codes"))

    def room(self, room: str) -> Room | None:
        """Return a room."""
        found = self._run("rooms", room)
        return _room(found[0]) if found else None

    def open(self, room: Room, most: int, idle: float) -> bool:
        """Add a room."""
        self.epoch()
        names = ("id", *_WORDS, *_TIMES, *_COUNTS, *_FLAGS)
        values = [getattr(room, name) for name in names]
        values[names.index("joined")] = 0
        fields = [it for pair in zip(names, values, strict=True) for it in pair]
        done = self._run("open", room.id, room.code, most, self.now(), idle, LEFT, *fields)
        if done < 0:
            raise InputError("rooms", f"must be at most {most} at a time", most + 1)
        return bool(done)

    def touch(self, room: str) -> None:
        """Note a look."""
        self._run("set", room, "touched", self.now())

    def ask(self, room: str, question: str, body: str) -> None:
        """Ask."""
        self._run("ask", room, question, body)

    def reveal(
        self, room: str, question: str, body: str, result: Callable[[list[float]], str]
    ) -> None:
        """Reveal."""
        if self._run("seal", room, question):
            found = result([*self.answers(room, question).values()])
            self._run("reveal", room, question, body, found)

    def stop(self, room: str, *, stopped: bool) -> None:
        """Stop."""
        self._run("set", room, "stopped", stopped)

    def clear(self, room: str, stamp: str, key: str) -> None:
        """Clear."""
        self._run("clear", room, stamp, key)

    def rename(self, room: str, code: str) -> bool:
        """Rename."""
        return bool(self._run("rename", room, code))

    def close(self, room: str) -> None:
        """Close."""
        self._run("close", room)

    def join(
        self, room: str, phone: str, most: int, gap: float, slack: float, *, back: bool = False
    ) -> float:
        """Join."""
        return float(self._run("join", room, phone, most, f"{self.now():.6f}", gap, slack, back))

    def seen(self, phones: Mapping[str, Iterable[str]]) -> None:
        """Note phones."""
        for room, those in phones.items():
            self._run("seen", room, self.now(), *those)

    def silent(self, before: float) -> dict[str, int]:
        """Count phones."""
        return _pairs(self._run("silent", before), int)

    def commit(self, room: str, question: str, turn: int, phone: str, value: float) -> float | None:
        """Commit."""
        kept = self._run("commit", room, question, turn, phone, repr(float(value)))
        return None if kept is None else float(kept)

    def answer(self, room: str, question: str, phone: str) -> float | None:
        """Return an answer."""
        kept = self._run("answer", room, question, phone)
        return None if kept is None else float(kept)

    def answers(self, room: str, question: str) -> dict[str, float]:
        """Return answers."""
        return _pairs(self._run("answers", room, question), float)

    def asked(self, room: str) -> list[Asked]:
        """Return questions."""
        return [_asked(row) for row in self._run("asked", room)]

    def question(self, room: str, question: str) -> Asked | None:
        """Return a question."""
        found = self._run("asked", room, question)
        return _asked(found[0]) if found else None

    def restore(self, room: str, asked: Asked, answers: Mapping[str, float]) -> None:
        """Put back."""
        given = [it for phone, value in answers.items() for it in (phone, repr(float(value)))]
        self._run("restore", room, asked.id, asked.body, asked.result, asked.turn, *given)

    def purge(self, before: float) -> None:
        """Drop what is old."""
        self._run("purge", before)


def _whole(name: str) -> str:
    """Return a program with what all of them share."""
    return (_SHARED + _PROGRAMS[name]).replace("ENDS", str(_ENDS)).replace("KEYS", _KEYS)


def _greet(connection: Any) -> None:
    """Begin a connection; where the server was started again, the store begins anew."""
    connection.on_connect()
    connection.send_command("EVAL", _whole("epoch"), 0, secrets.token_hex(8))
    connection.read_response()


def _pairs(flat: list[Any], kind: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: kind(value) for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _asked(row: list[str]) -> Asked:
    name, body, result, turn, committed = row
    return Asked(name, body, result, int(turn), int(committed))


def _room(row: list[Any]) -> Room:
    flat, turn, result, committed = row
    has = dict(zip(flat[::2], flat[1::2], strict=True))
    given: dict[str, Any] = {name: has[name] for name in ("id", *_WORDS)}
    given |= {name: float(has[name]) for name in _TIMES}
    given |= {name: int(has[name]) for name in _COUNTS}
    given |= {name: has[name] == "1" for name in _FLAGS}
    return Room(**given, turn=int(turn), revealed=result != "", committed=int(committed))
