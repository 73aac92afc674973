"""The files of a sweep: parts beside the results, with a manifest, and the results of all parts.

Parts are Parquet, the results by their ending that or CSV. Every file is written whole under another name, then renamed: a kill leaves either all of it or
nothing. pyarrow is imported when the first file is touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError, needed
from privsc_core.sweep.rows import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from privsc_core.sweep.rows import Columns

_CSV = ".csv"
_FORM = 1  # of the manifest and the columns
# Most of their values differ: a dictionary of them would take room and time.
_PLAIN = {"row", "seed", "value", "low", "high", "failure", "m_from", "hypothesis"}
_PACKED = {"use_dictionary": [name for name in COLUMNS if name not in _PLAIN]}


def vacant(results: str | os.PathLike[str]) -> Path:
    """Return the path of results that are to be written.

    Raises
    ------
    InputError
        Where they exist, or end in what would be of another form.
    """
    path = Path(results)
    if path.suffix.lower() not in {"", ".parquet", ".pq", _CSV}:
        raise InputError("output", f"must end in .parquet or {_CSV}", str(path))
    if path.exists():
        raise InputError("output", "must be a file that does not exist yet", str(path))
    return path


class Shelf:
    """The parts of one sweep on disk.

    Parameters
    ----------
    results : path
        Where the results will be; the parts stand beside them, in ``<results>.parts``.
    made_by : dict
        All that the bytes depend on: parts of another are never mixed in.
    """

    def __init__(self, results: str | os.PathLike[str], made_by: dict[str, Any]) -> None:
        self.results = vacant(results)
        self.folder = self.results.with_name(self.results.name + ".parts")
        self.made_by = {"form": _FORM, **made_by}

    @contextlib.contextmanager
    def held(self) -> Iterator[Shelf]:
        """Begin, or go on with what is there; no other run may write there meanwhile.

        Raises
        ------
        InputError
            Where the results exist, another run writes them, the parts are those of another plan or
            version, or nothing can be written.
        """
        try:
            self.folder.mkdir(exist_ok=True)
            lock = (self.folder / "lock").open("ab")
        except (OSError, ValueError) as error:
            raise self._refusal("must stand where parts can be kept", error) from None
        with lock:
            _hold(lock, self.results)
            try:
                vacant(self.results)  # another run may have ended since
            except InputError:
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            self._begin()
            yield self

    def _begin(self) -> None:
        manifest = self.folder / "manifest.json"
        if not manifest.exists():
            text = json.dumps(self.made_by, indent=1, sort_keys=True)
            _whole(manifest, lambda path: path.write_text(text, encoding="utf-8"))
        try:
            before = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self._refusal("must stand where parts can be kept", error) from None
        if before != self.made_by:
            raise InputError(
                "output", "must have parts of this very plan and version, or none (delete them)",
                str(self.folder),
            )  # fmt: skip

    def _refusal(self, wanted: str, error: Exception) -> InputError:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        return InputError("output", f"{wanted} ({why.lower()})", str(self.folder))

    def _part(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"

    def has(self, number: int) -> bool:
        """Return whether a part is there."""
        return self._part(number).exists()

    def put(self, number: int, part: Any) -> None:
        """Keep a part, as `table` returns it."""
        parquet = needed("pyarrow.parquet", "sweep")
        _whole(self._part(number), lambda path: parquet.write_table(part, path, **_PACKED))

    def finish(self, sizes: Sequence[int]) -> int:
        """Write the results of all parts in their order, then remove these.

        Returns
        -------
        int
            How many rows have a reason why they have no answer.
        """
        parquet, missing = needed("pyarrow.parquet", "sweep"), 0

        def write(path: Path) -> None:
            nonlocal missing
            with self._writer(path) as writer:
                for number, size in enumerate(sizes):
                    part = parquet.read_table(self._part(number))
                    if part.num_rows != size:
                        raise InputError("part", f"must have {size} rows", part.num_rows)
                    missing += size - part["reason"].null_count
                    writer.write_table(part)

        whole = self.folder / "results"
        _whole(whole, write)
        whole.replace(self.results)
        shutil.rmtree(self.folder, ignore_errors=True)
        return missing

    def _writer(self, path: Path) -> Any:
        schema = _schema({"privsc": json.dumps(self.made_by, sort_keys=True)})
        if self.results.suffix.lower() != _CSV:
            return needed("pyarrow.parquet", "sweep").ParquetWriter(path, schema, **_PACKED)
        csv = needed("pyarrow.csv", "sweep")
        plain = csv.WriteOptions(quoting_style="needed")
        return csv.CSVWriter(path, schema, write_options=plain)


def _schema(said: dict[str, str] | None = None) -> Any:
    arrow = needed("pyarrow", "sweep")
    kinds = {"string": arrow.string(), "double": arrow.float64(), "int64": arrow.int64(),
             "bool": arrow.bool_()}  # fmt: skip
    return arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()], metadata=said)


def table(columns: Columns) -> Any:
    """Return columns as a table of Arrow's; what is NaN or None is null there."""
    arrow, schema, arrays = needed("pyarrow", "sweep"), _schema(), []
    for field in schema:
        values = columns[field.name]
        if values.dtype == np.float64:
            found = arrow.array(values, mask=np.isnan(values)).cast(field.type)
        else:
            found = arrow.array(values, type=field.type)
        arrays.append(found)
    return arrow.Table.from_arrays(arrays, schema=schema)


def _hold(lock: IO[bytes], results: Path) -> None:
    """Hold a lock, which the system lets go when this process ends; there is none on Windows."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 - see above

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "output", "must be written by one sweep at a time", str(results)
            ) from None


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that it is there whole or not at all."""
    other = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        write(other)
        with other.open("rb+") as stream:
            os.fsync(stream.fileno())
        other.replace(path)
    except OSError as error:
        why = error.strerror or " ".join(str(error).split())
        requirement = f"must have room on its disk ({why.lower()}); parts that are done are kept"
        raise InputError("output", requirement, str(path)) from None
