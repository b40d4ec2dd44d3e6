"""The sweep over a fleet that lies in a folder, opened by what the folder alone says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memviz.core.errors import MemvizError, SweepError
from memviz.core.translation import _
from memviz.strategies import strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.fleet.source import Fleet
from memviz.transcripts.mapping.declaration import read_mapping
from memviz.tuning.fleet.folder import FleetFolder
from memviz.tuning.fleet.results import FleetSweep
from memviz.tuning.fleet.tables import SCHEMA_VERSION

FLEET_VARIABLE = "MEMVIZ_FLEET"
"""Environment variable that names the folder of the sweep that the dashboard shows. Only who starts the server says it,
never a visitor: the manifest in the folder names the files that are read."""


def open_fleet_sweep(path: str | Path) -> FleetSweep:
    """Return the sweep that ``memviz sweep --write`` wrote to a folder, as far as it has come. Conversations are read
    from the addresses that its manifest names.

    Raises :class:`memviz.SweepError` where the folder holds no sweep, or that of another version.
    """
    folder = FleetFolder(Path(path))
    try:
        manifest = folder.manifest() or {}
        if manifest["schema"][0] != SCHEMA_VERSION:
            raise _make_unreadable_error(
                path, _("It was written by another version of memviz.")
            )
        return FleetSweep(
            folder.path,
            _read_fleet(manifest),
            _read_settings(folder),
            folder.row_count("conversations"),
            folder.row_count("failures"),
            manifest["is_complete"] is True,
        )
    except MemvizError:
        raise
    # pyarrow's errors are ValueError and OSError; a manifest that is something else lacks what is asked of it.
    except (OSError, LookupError, TypeError, ValueError):
        raise _make_unreadable_error(path, _("It holds no sweep.")) from None


def _read_fleet(manifest: dict[str, Any]) -> Fleet:
    fields = manifest["fleet"]
    mapping = fields["mapping"]
    share, seed = manifest["sample"]
    return Fleet(
        fields["sources"],
        fields["format"],
        None if mapping is None else read_mapping(mapping),
        fields["user"],
        share,
        seed,
    )


def _read_settings(folder: FleetFolder) -> tuple[Strategy, ...]:
    rows = folder.read("settings").to_pylist()
    return tuple(
        strategy(row["strategy"], **json.loads(row["parameters"])) for row in rows
    )


def _make_unreadable_error(path: str | Path, problem: str) -> SweepError:
    return SweepError(
        _(
            "The folder {folder} cannot be shown. {problem} Name one that memviz sweep --write has written.",
            folder=path,
            problem=problem,
        )
    )
