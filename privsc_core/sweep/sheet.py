"""Results in a file of the visitor, to be drawn: Parquet or CSV with our columns, read with limits.

Nothing in them is trusted: names are letters, digits and a few signs or the file is refused, numbers are
numbers, all else is left unread. A page reads them in its worker, whose memory and time are bounded.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError, needed
from privsc_core.sweep.plan import ASKS, AXES
from privsc_core.tables import Reader, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

BYTES_MOST = 5 * 2**20  # as server.maxUploadSize
ROWS_MOST = 100_000
_COLUMNS_MOST = 64
_NAMES_MOST = 500  # different ones in a column
_UNPACKED_MOST = 200 * 2**20
SETTING = AXES[::-1]
_NUMBERS = (*SETTING, "value", "low", "high")
_WORDS = ("ask", "concept", "learner", "bound", "distribution", "method")
_NEEDED = ("ask", "concept", "value")
_NAME = re.compile(r"[A-Za-z0-9 .,()_-]{0,80}", re.ASCII)
_WHAT = "file"


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The rows of a sweep, as columns.

    Attributes
    ----------
    numbers : dict of str to ndarray of float64, shape (rows,)
        Settings, `value`, `low` and `high`; NaN where there is nothing.
    codes : dict of str to ndarray of int32, shape (rows,)
        Of `ask`, `concept`, `learner`, `bound`, `distribution`, `method`: places in `names`.
    names : dict of str to tuple of str
        Different ones; nothing is the empty text.
    """

    numbers: dict[str, NDArray[np.float64]]
    codes: dict[str, NDArray[np.int32]]
    names: dict[str, tuple[str, ...]]

    @property
    def rows(self) -> int:
        """How many."""
        return int(self.numbers["value"].size)

    def where(self, ask: str) -> NDArray[np.intp]:
        """Return the rows of a question."""
        known = self.names["ask"]
        code = known.index(ask) if ask in known else -1
        return np.flatnonzero(self.codes["ask"] == code)

    def asks(self) -> tuple[str, ...]:
        """Return the questions that it has rows of."""
        return tuple(ask for ask in ASKS if ask in self.names["ask"])


def read_sheet(data: bytes) -> Sheet:
    """Read results of `privsc sweep`, as Parquet, or as CSV with the same columns.

    Raises
    ------
    InputError
        For what cannot be read or is too large, in one sentence.
    """
    if len(data) > BYTES_MOST:
        raise InputError(_WHAT, f"must be at most {BYTES_MOST // 2**20} MB", f"{len(data):,} bytes")
    return _parquet(data) if data[:4] == b"PAR1" else _csv(data)


def _check(names: list[str], rows: int) -> None:
    if len(names) > _COLUMNS_MOST:
        raise InputError(_WHAT, f"must have at most {_COLUMNS_MOST} columns", f"{len(names):,}")
    for name in _NEEDED:
        if names.count(name) != 1:
            raise InputError(_WHAT, f"must have one column named {name}", names.count(name))
    if not 1 <= rows <= ROWS_MOST:
        raise InputError(_WHAT, f"must have 1 to {ROWS_MOST:,} rows", f"{rows:,}")


def _parquet(data: bytes) -> Sheet:
    arrow, parquet = needed("pyarrow", "sweep"), needed("pyarrow.parquet", "sweep")
    try:
        about = parquet.read_metadata(arrow.BufferReader(data))
        names = list(about.schema.to_arrow_schema().names)
        _check(names, about.num_rows)
        size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
        if size > _UNPACKED_MOST:
            limit = f"must be at most {_UNPACKED_MOST // 2**20} MB when it is unpacked"
            raise InputError(_WHAT, limit, f"{size:,} bytes")  # noqa: TRY301 - it is none of arrow's
        wanted = [name for name in (*_NUMBERS, *_WORDS) if names.count(name) == 1]
        # What repeats stays packed: a small file cannot unpack into a large one.
        packed = [name for name in _WORDS if name in wanted]
        file = parquet.ParquetFile(arrow.BufferReader(data), read_dictionary=packed)
        table = file.read(columns=wanted, use_threads=False)
        _check(names, table.num_rows)

        def numbers(name: str) -> NDArray[np.float64]:
            column = table[name].cast(arrow.float64()).fill_null(math.nan)
            return np.array(column.to_numpy(), dtype=np.float64)

        def words(name: str) -> tuple[list[str], NDArray[np.int32]]:
            column = table[name].cast(arrow.dictionary(arrow.int32(), arrow.string()))
            column = column.unify_dictionaries().combine_chunks()
            known = _names(name, column.dictionary.to_pylist())
            places = column.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
            return [*known, ""], places.astype(np.int32)

        return _sheet(numbers, words, set(wanted), table.num_rows)
    except InputError:
        raise
    except (arrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        why = " ".join(str(error).split())
        raise InputError(_WHAT, "must be Parquet with the columns of a sweep", why) from None


def _csv(data: bytes) -> Sheet:
    text = decoded(data, _WHAT, BYTES_MOST, "must be Parquet, or CSV with the columns of a sweep")
    reader = Reader(text, _WHAT, columns=_COLUMNS_MOST, rows=ROWS_MOST)
    names, *table = [row.cells for row in reader] or [[]]
    _check(names, len(table))
    given = dict(zip(names, zip(*table, strict=True), strict=True))

    def numbers(name: str) -> NDArray[np.float64]:
        try:
            return np.array([float(v) if v else math.nan for v in given[name]])
        except ValueError as error:
            raise InputError(name, "must have numbers only", str(error)) from None

    def words(name: str) -> tuple[list[str], NDArray[np.int32]]:
        known = list(dict.fromkeys(given[name]))
        place = {word: number for number, word in enumerate(known)}
        return _names(name, known), np.array([place[v] for v in given[name]], dtype=np.int32)

    return _sheet(numbers, words, set(names), len(table))


def _names(column: str, known: Sequence[str | None]) -> list[str]:
    if len(known) > _NAMES_MOST:
        raise InputError(column, f"must have at most {_NAMES_MOST} different names", len(known))
    for name in known:
        if name is None or _NAME.fullmatch(name) is None:
            requirement = "must have names of at most 80 letters, digits and .,()_-"
            raise InputError(column, requirement, name)
    return [name for name in known if name is not None]


def _sheet(
    numbers: Callable[[str], NDArray[np.float64]],
    words: Callable[[str], tuple[list[str], NDArray[np.int32]]],
    there: set[str],
    rows: int,
) -> Sheet:
    found: dict[str, Any] = {
        name: numbers(name) if name in there else np.full(rows, math.nan) for name in _NUMBERS
    }
    texts = {
        name: words(name) if name in there else ([""], np.zeros(rows, dtype=np.int32))
        for name in _WORDS
    }
    known = {name: tuple(text) for name, (text, _) in texts.items()}
    if not set(known["ask"]) & set(ASKS):
        raise InputError("ask", f"must be one of {', '.join(ASKS)}", known["ask"][0])
    return Sheet(found, {name: code for name, (_, code) in texts.items()}, known)
