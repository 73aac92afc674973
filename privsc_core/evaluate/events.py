"""Events on which the outputs of a mechanism may differ most: chosen on some runs, counted on others."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtri

from privsc_core.errors import InputError, shown
from privsc_core.numerics.intervals import at_least, at_most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Token: TypeAlias = float | str
Outputs: TypeAlias = "Sequence[tuple[Token, ...]]"

VERDICT_MISS = 1e-6  # how often a private mechanism may be called not private
_Z = float(ndtri(1.0 - VERDICT_MISS / 2.0))  # what the search ranks events by: close to the verdict

_TOKENS_MOST = 256  # numbers in one output
_THRESHOLDS = 48  # of a number
_CELLS = 16  # of a number, where its likelihood ratio is learned
_VALUES = 24  # single values of a number that are events
_JOINED = 8  # conditions on one number that are combined with others
_SEEN_LEAST = 4  # of one output, before its likelihood ratio is learned


@dataclass(frozen=True, slots=True)
class Claim:
    """What a mechanism claims: (epsilon, delta)-privacy."""

    epsilon: float
    delta: float = 0.0

    def needed(self, hits: int, others: int, runs: int, miss: float) -> tuple[float, float]:
        """Return the least epsilon (at delta) and delta (at epsilon) that the counts allow.

        Parameters
        ----------
        hits, others : int
            How often an event happened in `runs` runs on a data set, and in as many on a neighbour.
        runs : int
            See above.
        miss : float
            With at most this probability one of the two is larger than is true.
        """
        p, q = at_least(hits, runs, miss / 2.0), at_most(others, runs, miss / 2.0)
        epsilon = math.log((p - self.delta) / q) if p > self.delta else 0.0
        with np.errstate(over="ignore"):
            return max(epsilon, 0.0), max(p - float(np.exp(self.epsilon)) * q, 0.0)

    def refuted(self, hits: int, others: int, runs: int, miss: float = VERDICT_MISS) -> bool:
        """Return whether the counts show that the claim is false; see `evaluate.audit_runs`."""
        return self.needed(hits, others, runs, miss)[1] > self.delta

    def strength(
        self, hits: NDArray[np.int64], others: NDArray[np.int64], runs: int
    ) -> NDArray[np.float64]:
        """Return how much events say against the claim, by Wilson's bounds: quick, to rank them."""
        square = _Z * _Z

        def end(k: NDArray[np.int64], sign: float) -> NDArray[np.float64]:
            spread = np.sqrt(square / 4.0 + k * (1.0 - k / runs))
            return np.asarray((k + square / 2.0 + sign * _Z * spread) / (runs + square))

        p, q = end(hits, -1.0), end(others, 1.0)
        if self.delta:
            return np.asarray(p - math.exp(min(self.epsilon, 700.0)) * q)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(p, 0.0)) - np.log(q))


# --- Outputs as tables of numbers ----------------------------------------------------------------


def tokens(output: object) -> tuple[Token, ...]:
    """Return the numbers and texts of an output, in order; None and NaN are texts.

    Raises
    ------
    InputError
        For what is neither a number, a text nor a sequence of them, and for more than 256 of them.
    """
    if type(output) is float:  # most are
        return (output if output == output else "nan",)  # noqa: PLR0124 - NaN alone differs from itself
    if isinstance(output, bool | int | float | np.number | np.bool_):
        try:
            value = float(output)
        except (OverflowError, TypeError):
            return (hex(output) if isinstance(output, int) else str(output),)
        return ("nan",) if math.isnan(value) else (value,)
    if output is None or isinstance(output, str | bytes):
        return ("⊥" if output is None else str(output),)
    if isinstance(output, np.ndarray):
        output = output.ravel().tolist()
    elif isinstance(output, set | frozenset):
        output = sorted(output, key=repr)
    elif isinstance(output, dict):
        output = [part for item in output.items() for part in item]
    if not isinstance(output, list | tuple):
        raise InputError("output", "must be a number, a text, or a list or array of them", output)
    found = tuple(itertools.chain.from_iterable(map(tokens, output)))
    if len(found) > _TOKENS_MOST:
        raise InputError("output", f"must have at most {_TOKENS_MOST} numbers", len(found))
    return found


class _Reader:
    """Reads outputs as rows of numbers, of which conditions make events.

    They are: each number of the output, each text as a code, how many there are where that varies, and two
    likelihood ratios learned from other runs: the sum over its numbers of that of the cell a number falls
    into, and that of the whole output, if outputs repeat; then also which one it is. The sets on which a
    likelihood ratio is large are the best events there are (Neyman and Pearson).
    """

    def __init__(self, here: Outputs, there: Outputs) -> None:
        both = [*here, *there]
        self.width = max(map(len, both))
        self.varies = self.width != min(map(len, both))
        texts = dict.fromkeys(token for row in both for token in row if isinstance(token, str))
        self.texts = {text: place for place, text in enumerate(texts)}
        first, counts = Counter(here), Counter(both)
        known = counts.most_common() if 2 * len(counts) <= len(both) else []
        self.known = {
            row: (place, math.log((first[row] + 1.0) / (number - first[row] + 1.0)))
            for place, (row, number) in enumerate(known)
            if number >= _SEEN_LEAST
        }
        self.outputs = [_text(row) for row in self.known]
        table = self._plain(both)
        self.cells = [_cells(column, len(here)) for column in table.T]
        table = self.read(both)
        self.cuts = [
            _spread(np.unique(column[~np.isnan(column)]), _THRESHOLDS) if ordered else np.zeros(0)
            for column, ordered in zip(table.T, self._ordered(), strict=True)
        ]
        self.values = [_frequent(column) for column in table.T]

    def _ordered(self) -> list[bool]:
        """Return of which columns half-lines are events."""
        texts, which = self.width if self.texts else 0, bool(self.known)
        return [True] * self.width + [False] * texts + [True] * (self.varies + 2) + [False] * which

    def _plain(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return the numbers, the codes of texts and the lengths."""
        if not self.texts and not self.varies and all(len(row) == self.width for row in outputs):
            try:
                return np.array(outputs, dtype=np.float64).reshape(len(outputs), self.width)
            except ValueError:  # a text that was not seen before
                pass
        table = np.full((len(outputs), 2 * self.width + 1), np.nan)
        for place, row in enumerate(outputs):
            for column, token in enumerate(row[: self.width]):
                if isinstance(token, str):
                    table[place, self.width + column] = self.texts.get(token, -1)
                else:
                    table[place, column] = token
            table[place, -1] = len(row)
        kept = [True, bool(self.texts), self.varies]
        return table[:, np.repeat(kept, [self.width, self.width, 1])]

    def read(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return one row for each output."""
        every = {row: place for place, row in enumerate(dict.fromkeys(outputs))}
        if 2 * len(every) <= len(outputs):
            return np.asarray(self._read(list(every))[[every[row] for row in outputs]])
        return self._read(outputs)

    def _read(self, outputs: Outputs) -> NDArray[np.float64]:
        plain = self._plain(outputs)
        ratio = np.zeros(len(outputs))
        for column, (edges, learned) in zip(plain.T, self.cells, strict=True):
            ratio += learned[_cell(edges, column)]
        if not self.known:
            return np.column_stack([plain, ratio, ratio])
        whole = np.array([self.known.get(row, (math.nan, 0.0)) for row in outputs])
        return np.column_stack([plain, ratio, whole[:, 1], whole[:, 0]])

    def words(self, column: int, sign: str, value: float) -> str:
        """Return a condition in words."""
        plain, width = len(self.cells), self.width
        if column == plain + 2:
            return f"output = {self.outputs[int(value)]}"
        if column == plain + 1 and self.known and sign != "=" and (value > 0.0) == (sign == "≥"):
            # Only outputs that were seen have another ratio than 1.
            ratios = [ratio for _, ratio in self.known.values()]
            if sign == "≤":
                value, ratios = -value, [-ratio for ratio in ratios]
            among = [
                text for text, ratio in zip(self.outputs, ratios, strict=True) if ratio >= value
            ]
            few = ", ".join(among[:3]) + (", …" if len(among) > 3 else "")
            return f"output = {few}" if len(among) == 1 else f"output among {len(among)}: {few}"
        if column >= plain:
            return f"learned log likelihood ratio of the output {sign} {value:.4g}"
        if self.varies and column == plain - 1:
            return f"number of entries {sign} {value:.0f}"
        name = "output" if width == 1 and not self.varies else f"output[{column % width}]"
        if column < width:
            return f"{name} {sign} {value:.6g}"
        return f"{name} = {shown([*self.texts, 'what was not seen'][int(value)])}"


def _spread(values: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return at most so many of some ordered values, evenly."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]


def _frequent(column: NDArray[np.float64]) -> NDArray[np.float64]:
    values, number = np.unique(column[~np.isnan(column)], return_counts=True)
    order = np.argsort(-number, kind="stable")[:_VALUES]
    return values[order][number[order] >= _SEEN_LEAST]


def _cells(
    column: NDArray[np.float64], split: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the edges of cells, and the log likelihood ratio in each; NaN has the last one."""
    edges = np.unique(_spread(np.sort(column[~np.isnan(column)]), _CELLS))
    cell = _cell(edges, column)
    first, second = (
        np.bincount(side, minlength=len(edges) + 2) for side in (cell[:split], cell[split:])
    )
    return edges, np.log((first + 1.0) / (second + 1.0))


def _cell(edges: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[np.intp]:
    inside = np.searchsorted(edges, column, side="right")
    return np.where(np.isnan(column), len(edges) + 1, inside)


def _text(output: tuple[Token, ...]) -> str:
    parts = [f"{part:.6g}" if isinstance(part, float) else shown(part) for part in output]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class _Condition:
    column: int
    sign: str
    value: float

    def holds(self, table: NDArray[np.float64]) -> NDArray[np.bool_]:
        column = table[:, self.column]
        if self.sign == "=":
            return np.asarray(column == self.value)
        return np.asarray(column >= self.value if self.sign == "≥" else column <= self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """An event: all conditions hold. `swapped` if it is likelier on the neighbour."""

    reader: _Reader
    conditions: tuple[_Condition, ...]
    swapped: bool

    def count(self, outputs: Outputs) -> int:
        """Return in how many of some outputs it happened."""
        table = self.reader.read(outputs)
        return int(np.logical_and.reduce([one.holds(table) for one in self.conditions]).sum())

    def __str__(self) -> str:
        words = [self.reader.words(one.column, one.sign, one.value) for one in self.conditions]
        return " and ".join(dict.fromkeys(words))


# --- Events ---------------------------------------------------------------------------------------


def best_event(here: Outputs, there: Outputs, claim: Claim) -> tuple[float, Event]:
    """Return the event that says most against a claim, and how much; both lists are equally long."""
    half = len(here) // 2
    reader = _Reader(here[:half], there[:half])
    tables = reader.read(here[half:]), reader.read(there[half:])
    runs = len(tables[0])
    conditions: list[_Condition] = []
    counts: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for column in range(tables[0].shape[1]):
        sides = [np.sort(table[:, column][~np.isnan(table[:, column])]) for table in tables]
        for sign, values in (
            ("≥", reader.cuts[column]),
            ("≤", reader.cuts[column]),
            ("=", reader.values[column]),
        ):
            conditions += [_Condition(column, sign, value) for value in values.tolist()]
            counts.append(tuple(_counted(side, sign, values) for side in sides))  # type: ignore[arg-type]
    first, second = (np.concatenate(side) for side in zip(*counts, strict=True))
    best = (-math.inf, Event(reader, (), swapped=False))
    for swapped, hits, others in ((False, first, second), (True, second, first)):
        strength = claim.strength(hits, others, runs)
        top = int(np.argmax(strength))
        if strength[top] > best[0]:
            best = float(strength[top]), Event(reader, (conditions[top],), swapped)
        joined = _joined(conditions, strength)
        one, other = (_together([part.holds(table) for part in joined]) for table in tables)
        pairs = claim.strength(*((other, one) if swapped else (one, other)), runs)
        i, j = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
        if pairs[i, j] > best[0]:
            best = float(pairs[i, j]), Event(reader, (joined[i], joined[j]), swapped)
    return best


def _counted(
    ordered: NDArray[np.float64], sign: str, values: NDArray[np.float64]
) -> NDArray[np.int64]:
    below, to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray({"≥": len(ordered) - below, "≤": to, "=": to - below}[sign], dtype=np.int64)


def _together(masks: list[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return how often any two of some conditions hold together; by bits, which needs no threads."""
    packed = np.packbits(np.array(masks), axis=1)
    rows = [np.bitwise_count(packed & row).sum(axis=1, dtype=np.int64) for row in packed]
    return np.array(rows)


def _joined(conditions: list[_Condition], strength: NDArray[np.float64]) -> list[_Condition]:
    """Return the strongest conditions of each kind, to be combined in pairs."""
    kinds: Counter[tuple[int, str]] = Counter()
    found = []
    for place in np.argsort(-strength, kind="stable").tolist():
        one = conditions[place]
        kinds[one.column, one.sign] += 1
        if kinds[one.column, one.sign] <= _JOINED:
            found.append(one)
        if len(found) == 16 * _JOINED:
            break
    return found
