"""The files of a sweep: parts beside the results, with a manifest, and the results of all parts.

Every file is written whole under another name, then renamed: a kill leaves either all of it or
nothing. pyarrow is imported when the first file is touched.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError
from privsc_core.sweep.rows import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from privsc_core.sweep.rows import Columns

__all__ = ["Shelf", "needed"]

_FORM = 1  # of the manifest and the columns


def needed(module: str) -> Any:
    """Return an optional module, or refuse with how to get it."""
    import importlib  # noqa: PLC0415 - what is here is named by a variable

    try:
        return importlib.import_module(module)
    except ImportError:
        requirement = "must be installed: pip install 'privsc[sweep]'"
        raise InputError(module.partition(".")[0], requirement, "no such module") from None


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
        self.results = Path(results)
        self.folder = self.results.with_name(self.results.name + ".parts")
        self.made_by = {"form": _FORM, **made_by}

    def open(self) -> None:
        """Begin, or go on with what is there.

        Raises
        ------
        InputError
            Where the results exist, or the parts are those of another plan or version, or nothing
            can be written.
        """
        if self.results.exists():
            raise InputError("output", "must be a file that does not exist yet", str(self.results))
        manifest = self.folder / "manifest.json"
        try:
            self.folder.mkdir(exist_ok=True)
            if not manifest.exists():
                text = json.dumps(self.made_by, indent=1, sort_keys=True)
                _whole(manifest, lambda path: path.write_text(text, encoding="utf-8"))
            before = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(
                "output", f"must stand where parts can be kept ({why.lower()})", str(self.folder)
            ) from None
        if before != self.made_by:
            raise InputError(
                "output", "must have parts of this very plan and version, or none (delete them)",
                str(self.folder),
            )  # fmt: skip

    def _part(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"

    def has(self, number: int) -> bool:
        """Tell whether a part is there."""
        return self._part(number).exists()

    def put(self, number: int, columns: Columns) -> None:
        """Keep a part."""
        parquet = needed("pyarrow.parquet")
        table = _table(columns, self._schema())
        _whole(self._part(number), lambda path: parquet.write_table(table, path))

    def finish(self, sizes: Sequence[int]) -> int:
        """Write the results of all parts in their order, then remove these.

        Returns
        -------
        int
            How many rows have a reason why they have no answer.
        """
        parquet = needed("pyarrow.parquet")
        missing = 0

        def write(path: Path) -> None:
            nonlocal missing
            with parquet.ParquetWriter(path, self._schema()) as writer:
                for number, size in enumerate(sizes):
                    table = parquet.read_table(self._part(number))
                    if table.num_rows != size:
                        raise InputError("part", f"must have {size} rows", table.num_rows)
                    missing += size - table["reason"].null_count
                    writer.write_table(table)

        whole = self.folder / "results"
        _whole(whole, write)
        whole.replace(self.results)
        shutil.rmtree(self.folder)
        return missing

    def _schema(self) -> Any:
        arrow = needed("pyarrow")
        kinds = {"string": arrow.string(), "double": arrow.float64(), "int64": arrow.int64(),
                 "bool": arrow.bool_()}  # fmt: skip
        said = {"privsc": json.dumps(self.made_by, sort_keys=True)}
        return arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()], metadata=said)


def _table(columns: Columns, schema: Any) -> Any:
    """Return columns as a table; what is NaN or None is null there."""
    arrow = needed("pyarrow")
    arrays = []
    for field in schema:
        values = columns[field.name]
        if values.dtype == np.float64:
            found = arrow.array(values, mask=np.isnan(values)).cast(field.type)
        else:
            found = arrow.array(values, type=field.type)
        arrays.append(found)
    return arrow.Table.from_arrays(arrays, schema=schema)


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that it is there whole or not at all."""
    other = path.with_name(f"{path.name}.{os.getpid()}")
    write(other)
    with other.open("rb+") as stream:
        os.fsync(stream.fileno())
    other.replace(path)
