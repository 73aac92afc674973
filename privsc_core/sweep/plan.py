"""What a sweep asks: blocks of settings, cut into parts that depend on the plan alone."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from privsc_core.errors import InputError
from privsc_core.parameters import parameter, scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.question import Question

Ask: TypeAlias = Literal["success", "need", "bound", "learn", "audit"]
How: TypeAlias = Literal["grid", "list", "random"]
ASKS: tuple[Ask, ...] = ("success", "need", "bound", "learn", "audit")
HOWS: tuple[How, ...] = ("grid", "list", "random")

WHO = ("concept", "learner", "bound", "distribution")
# Of a grid the last varies fastest: rows that share a law's tables then stand together.
AXES = ("delta", "beta", "alpha", "epsilon", "d", "m")
MOST_ROWS = 10**9
_MOST_REPEATS = 10**6
# Rows of a part: few enough that a kill costs little, many enough that they share their work.
_PARTS = 64
_MOST = 16_384
_FEWER = {"need": 512, "learn": 512, "audit": 16}
_SIMULATED = 256
_WHOLE_MOST = 2**53  # above, not every one is a float


@dataclass(frozen=True, slots=True)
class Span:
    """What random values are drawn from, both ends included.

    Attributes
    ----------
    low, high : float
    log : bool
        Whether the logarithm is uniform.
    """

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Consecutive rows of a block, as a worker gets them.

    Attributes
    ----------
    ask : str
    who : tuple of Question
        Names alone.
    rows : ndarray of int64, shape (rows,)
        Their numbers in the whole sweep.
    asked : ndarray of int64, shape (rows,)
        Which of `who`.
    given : dict of str to ndarray of float64, shape (rows,)
        The settings, by parameter.
    trials : int
    seed : int
        Of the plan, from which each row takes its own.
    fixed : int or None
        The seed of all rows, where the block names one.
    """

    ask: Ask
    who: tuple[Question, ...]
    rows: NDArray[np.int64]
    asked: NDArray[np.int64]
    given: dict[str, NDArray[np.float64]]
    trials: int
    seed: int
    fixed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Settings of one question.

    Attributes
    ----------
    ask : {"success", "need", "bound", "learn", "audit"}
    how : {"grid", "list", "random"}
        All combinations; the first values of all, the second ones, …; or drawn.
    who : tuple of Question
        Names alone; each is asked all of a grid or list; in a random block it is drawn too.
    values : dict of str to (tuple of float or Span)
        By parameter. A span is for random blocks alone.
    count : int
        How many settings are drawn.
    repeat : int
        How often each setting stands there, one row after the other, with coins of its own each.
    trials : int
        Of simulations.
    seed : int, optional
        Of all rows; without one each row has its own.
    """

    ask: Ask
    how: How
    who: tuple[Question, ...]
    values: dict[str, tuple[float, ...] | Span]
    count: int = 0
    repeat: int = 1
    trials: int = 1000
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.who:
            raise InputError("learner", "or bound must be given", "none")
        for name, values in self.values.items():
            self._check(name, values)
        if self.how == "random" and self.count < 1:
            raise InputError("count", "must be at least 1 in a random block", self.count)
        if not 1 <= self.repeat <= _MOST_REPEATS:
            raise InputError("repeat", f"must be in [1, {_MOST_REPEATS}]", self.repeat)
        lengths = {len(v) for v in self._lists().values() if len(v) > 1}
        if self.how == "list" and len(lengths) > 1:
            got = " and ".join(map(str, sorted(lengths)))
            raise InputError("values", "must be equally many, or one, in a list block", got)
        scalar("trials", self.trials)
        if self.seed is not None:
            scalar("seed", self.seed)

    def _check(self, name: str, values: tuple[float, ...] | Span) -> None:
        if isinstance(values, Span):
            if self.how != "random":
                raise InputError(name, "must be drawn in a random block only", self.how)
        elif not values:
            raise InputError(name, "must have at least one value", "none")
        elif parameter(name).integer:
            bad = [v for v in values if not (float(v).is_integer() and abs(v) < _WHOLE_MOST)]
            if bad:
                raise InputError(name, "must be whole numbers below 2^53", bad[0])

    def _lists(self) -> dict[str, tuple[float, ...]]:
        known = ((name, self.values[name]) for name in AXES if name in self.values)
        return {name: v for name, v in known if not isinstance(v, Span)}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many of each: the last varies fastest."""
        lists = self._lists().values()
        if self.how == "random":
            return (self.count, self.repeat)
        if self.how == "list":
            return (len(self.who), max((len(v) for v in lists), default=1), self.repeat)
        return (len(self.who), *(len(v) for v in lists), self.repeat)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return math.prod(self.shape)

    @property
    def part_most(self) -> int:
        """How many rows a part may have."""
        most = _FEWER.get(self.ask, _MOST)
        return most if all(one.exact for one in self.who) else min(most, _SIMULATED)

    def cut(self, start: int, stop: int, first: int, seed: int) -> Part:
        """Return rows `start` to `stop` of this block, which begins with row `first` of all."""
        here = np.arange(start, stop, dtype=np.int64)
        asked, values = self._drawn(here, first, seed) if self.how == "random" else self._at(here)
        return Part(
            self.ask, self.who, first + here, asked, values, self.trials, seed, self.seed
        )  # fmt: skip

    def _at(
        self, here: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        which, *places = np.unravel_index(here, self.shape)
        lists = self._lists()
        if self.how == "list":
            places = [places[0] if len(v) > 1 else np.zeros_like(places[0]) for v in lists.values()]
        return which, {
            name: np.array(v, dtype=np.float64)[place]
            for (name, v), place in zip(lists.items(), places, strict=False)
        }

    def _drawn(
        self, here: NDArray[np.int64], first: int, seed: int
    ) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        """Draw the settings of these rows, each from the coins of its own first row."""
        settings, back = np.unique(here // self.repeat, return_inverse=True)
        wanted = [name for name in AXES if name in self.values]
        coins = np.array([
            np.random.default_rng(
                np.random.SeedSequence(seed, spawn_key=(first + s * self.repeat, 0))
            ).random(1 + len(wanted))
            for s in settings.tolist()
        ])[back]  # fmt: skip
        values = {
            name: _from(self.values[name], name, u)
            for name, u in zip(wanted, coins.T[1:], strict=True)
        }
        return (coins[:, 0] * len(self.who)).astype(np.int64), values


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a part is: rows `start` to `stop` of a block, which begins with row `first` of all."""

    block: Block
    start: int
    stop: int
    first: int
    seed: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.stop - self.start

    def part(self) -> Part:
        """Return the part."""
        return self.block.cut(self.start, self.stop, self.first, self.seed)


@dataclass(frozen=True, slots=True)
class Plan:
    """A sweep: blocks, one after the other, and the seed of all coins."""

    blocks: tuple[Block, ...]
    seed: int = 1

    def __post_init__(self) -> None:
        scalar("seed", self.seed)
        if not self.blocks:
            raise InputError("sweep", "must have at least one block", "none")
        if self.rows > MOST_ROWS:
            raise InputError("rows", f"must be at most {MOST_ROWS}", self.rows)

    @property
    def rows(self) -> int:
        """How many rows the results have."""
        return sum(block.rows for block in self.blocks)

    @property
    def digest(self) -> str:
        """The SHA-256 of all that the rows depend on, as far as it is the plan's."""
        blocks = [
            asdict(block) | {"who": [{n: getattr(one, n) or "" for n in WHO} for one in block.who]}
            for block in self.blocks
        ]
        said = {"seed": self.seed, "blocks": blocks}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def cuts(self) -> list[Cut]:
        """Return the parts in the order of their rows: how many each has, and how to make it."""
        even, first, found = math.ceil(self.rows / _PARTS), 0, []
        for block in self.blocks:
            size = max(1, min(even, block.part_most))
            found += [
                Cut(block, start, min(start + size, block.rows), first, self.seed)
                for start in range(0, block.rows, size)
            ]
            first += block.rows
        return found


def _from(
    values: tuple[float, ...] | Span, name: str, coins: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values that coins, uniform on [0, 1), choose."""
    if not isinstance(values, Span):
        return np.array(values, dtype=np.float64)[(coins * len(values)).astype(np.int64)]
    if parameter(name).integer and not values.log:
        drawn = values.low + np.floor(coins * (values.high - values.low + 1.0))
    elif values.log:
        low, high = math.log(values.low), math.log(values.high)
        drawn = np.exp(low + coins * (high - low))
    else:
        drawn = values.low + coins * (values.high - values.low)
    drawn = np.rint(drawn) if parameter(name).integer else drawn
    return np.clip(drawn, values.low, values.high)
