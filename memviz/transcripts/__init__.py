"""Conversations from elsewhere: reading, writing and bundled samples.

Begin with ``Transcript`` and ``Probe`` (``base``), ``load_transcripts`` (``loading``),
``Document`` and ``Reader`` (``document``), ``TranscriptBuilder`` (``builder``); one
module a format is in ``readers``. Files are untrusted: whatever is in one, it is read
or refused in one sentence. Nothing here knows a strategy, a model or a page. The names
are loaded when first used, so that importing this package costs nothing.

``mapping`` reads files that no reader knows, by what a small YAML file says of them;
``fleet`` reads thousands of conversations as a stream.

Open to other rooms: ``background``, ``base``, ``csv_cells``, ``document``, ``event_streams``,
``export``, ``file_bytes``, ``fleet.addresses``, ``fleet.reading``, ``fleet.source``, ``growing``, ``limits``,
``loading``, ``mapping.declaration``, ``mapping.guess``, ``mapping.interpreter``,
``mapping.places``, ``markdown``, ``readers.json_access``, ``samples``, ``times``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memviz.transcripts.base import Category, Probe, RecordedEvent, Transcript

if TYPE_CHECKING:
    from memviz.transcripts.export import to_json
    from memviz.transcripts.loading import (
        formats,
        load_file,
        load_transcript,
        load_transcripts,
    )
    from memviz.transcripts.samples import bundled, sample

__all__ = [
    "Category",
    "Probe",
    "RecordedEvent",
    "Transcript",
    "bundled",
    "formats",
    "load_file",
    "load_transcript",
    "load_transcripts",
    "sample",
    "to_json",
]

_MODULES = {
    "bundled": "samples",
    "formats": "loading",
    "load_file": "loading",
    "load_transcript": "loading",
    "load_transcripts": "loading",
    "sample": "samples",
    "to_json": "export",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
