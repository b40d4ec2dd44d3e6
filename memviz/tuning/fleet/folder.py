"""The folder that a sweep over a fleet writes: a manifest that says which sweep it is, and a file for each batch of
each table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from memviz.core.errors import SweepError
from memviz.core.translation import _, noop
from memviz.tuning.fleet.batches import FleetBatch
from memviz.tuning.fleet.tables import MARK, TABLES

MANIFEST = "manifest.json"
WRITING = ".writing"
"""The ending of the name of a file while it is written."""
LAST_TABLE = "conversations"
"""The table that is written last: a batch with a file of it is finished."""
ABOUT = {
    "schema": noop("written by another version of memviz"),
    "source": noop("over other files"),
    "reading": noop("read in another way"),
    "sample": noop("of another sample"),
    "settings": noop("of other settings"),
    "measuring": noop("with another counter, summarizer or price"),
    "tables": noop("with other tables"),
}
"""The entries of a manifest that have to be the same, each with words for a folder in which it differs."""


@dataclass(frozen=True)
class FleetFolder:
    """The folder of a sweep over a fleet. It only has complete batches, even if the sweep is killed at any moment."""

    path: Path

    def begin(self, manifest: Mapping[str, Any], settings: pa.Table) -> None:
        """Prepare the folder for a new sweep, or check that it holds the sweep that the manifest describes.

        Raises :class:`memviz.SweepError` where the folder holds another sweep or something else, or cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            earlier_manifest = self.manifest()
            if earlier_manifest is None and not self._holds_leftovers_alone():
                raise self._refused(_("It holds something else."))
            if earlier_manifest is not None:
                self._check(earlier_manifest, manifest)
            for table in TABLES:
                (self.path / table).mkdir(exist_ok=True)
            for half in self.path.rglob(f"*{WRITING}"):
                half.unlink(missing_ok=True)
            if earlier_manifest is None:
                self._write_table("settings", 0, settings)
                self.write_manifest(manifest)
        except OSError as error:
            raise self._unwritable(error) from None

    def _holds_leftovers_alone(self) -> bool:
        """Return whether the folder only holds what a sweep leaves that is killed before it has written a manifest."""
        leftovers = {
            *(self.path / table for table in TABLES),
            self._file("settings", 0),
            self.path / MANIFEST,
        }
        others = set(self.path.rglob("*")) - leftovers
        return all(other.name.endswith(WRITING) for other in others)

    def _check(
        self, earlier_manifest: Mapping[str, Any], manifest: Mapping[str, Any]
    ) -> None:
        """Raise :class:`memviz.SweepError` if the folder holds another sweep."""
        for name, words in ABOUT.items():
            if earlier_manifest.get(name) != manifest[name]:
                begun = _("It holds a sweep {difference}.", difference=_(words))
                raise self._refused(begun)

    def manifest(self) -> dict[str, Any] | None:
        """Return the manifest; ``None`` where there is none, or a full disk has left it empty."""
        file = self.path / MANIFEST
        if not _is_written(file):
            return None
        try:
            value = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest at once. Raises :class:`memviz.SweepError` where it cannot be written."""
        half = self.path / (MANIFEST + WRITING)
        try:
            half.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
            _move_into_place(half, self.path / MANIFEST)
        except OSError as error:
            raise self._unwritable(error) from None

    def mark(self, number: int) -> str | None:
        """Return the mark of a finished batch (see :attr:`FleetJob.mark`); ``None`` where it is not finished."""
        file = self._file(LAST_TABLE, number)
        if not _is_written(file):
            return None
        metadata = parquet.read_schema(file).metadata or {}
        return str(metadata.get(MARK.encode(), b""), "utf-8", "replace")

    def keep(self, batch: FleetBatch) -> None:
        """Write a batch. Raises :class:`memviz.SweepError` where it cannot be written."""
        try:
            for name in sorted(batch.tables, key=lambda name: name == LAST_TABLE):
                self._write_table(name, batch.number, batch.tables[name])
        except OSError as error:
            raise self._unwritable(error) from None

    def row_count(self, table: str) -> int:
        """Return the number of rows of a table so far."""
        files = self.files(table)
        return sum(parquet.read_metadata(file).num_rows for file in files)

    def files(self, table: str) -> Iterator[Path]:
        """Yield the files of a table, in the order of the batches, without those of unfinished batches."""
        for file in sorted((self.path / table).glob("*.parquet")):
            last = self.path / LAST_TABLE / file.name
            if table == "settings" or _is_written(last):
                yield file

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a whole table, or some of its columns."""
        names = columns or list(TABLES[table])
        schema = pa.schema([(name, TABLES[table][name]) for name in names])
        parts = list(self.parts(table, names))
        return pa.concat_tables(parts) if parts else schema.empty_table()

    def parts(self, table: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield some columns of a table, batch by batch."""
        for file in self.files(table):
            yield parquet.read_table(file, columns=columns)

    def _file(self, table: str, number: int) -> Path:
        return self.path / table / f"part-{number:06}.parquet"

    def _write_table(self, name: str, number: int, table: pa.Table) -> None:
        file = self._file(name, number)
        half = file.with_name(f"{file.name}.{os.getpid()}{WRITING}")
        parquet.write_table(table, half)
        _move_into_place(half, file)

    def _refused(self, problem: str) -> SweepError:
        return SweepError(
            _(
                "The sweep cannot be written to {folder}. {problem} Choose another folder.",
                folder=self.path,
                problem=problem,
            )
        )

    def _unwritable(self, error: OSError) -> SweepError:
        return self._refused(f"{error.strerror or type(error).__name__}.")


def _is_written(file: Path) -> bool:
    """Return whether a file exists and is not empty, as a full disk or a crash would leave it."""
    return file.is_file() and file.stat().st_size > 0


def _move_into_place(half: Path, file: Path) -> None:
    """Rename a complete file, after the disk has written all of it."""
    with half.open("rb+") as stream:
        os.fsync(stream.fileno())
    half.replace(file)
