"""Rollouts of the Codex CLI: what was sent and answered, wrapped in rows or, in older files, bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Placed, Reader, mismatch
from memviz.transcripts.readers.json_access import list_at, objects_at
from memviz.transcripts.readers.json_rows import with_places
from memviz.transcripts.readers.openai.codex_rollout import ROW_TYPES, Rollout
from memviz.transcripts.readers.openai.response_items import is_item
from memviz.transcripts.times import moment


class Codex(Reader):
    """One session of the Codex CLI, with the context that the CLI sends with every call as system messages."""

    name = "codex"
    title = "Codex CLI session"

    def recognise(self, document: Document) -> bool:
        """Rows with a type and a payload; or bare items after a row that describes the session."""
        heads = document.objects or [document.object]
        return (
            any(map(_is_row, heads))
            or _is_bare(heads)
            or bool(_old_items(document.object))
        )

    def conversations(self, document: Document) -> Sequence[list[Placed]]:
        """One conversation: the session."""
        if items := _old_items(document.object):
            return [[(document.object["session"], ""), *with_places(items)]]
        heads = list(document.objects) or [document.object]
        if not any(map(_is_row, heads)) and not any(map(is_item, heads)):
            raise mismatch("rows with a type and a payload", document)
        return [document.placed or [(document.object, "line 1")]]

    def read(self, piece: list[Placed], builder: TranscriptBuilder) -> Transcript:
        """The turns that were not taken back; compactions are events."""
        rollout = Rollout()
        for row, place in piece:
            rollout.add(row, place)
        rollout.write_to(builder)
        return builder.build(
            title=rollout.title,
            system_prompt=rollout.system_prompt or None,
            held_at=moment(rollout.metadata.get("timestamp")),
        )


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return (
        isinstance(kind, str)
        and kind in ROW_TYPES
        and isinstance(row.get("payload"), dict)
    )


def _is_bare(heads: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether items follow a row with the session's id, time and instructions."""
    described = any(
        _is_description(row) or row.get("record_type") == "state" for row in heads[:2]
    )
    return described and any(is_item(row) for row in heads[:20])


def _is_description(row: Mapping[str, Any]) -> bool:
    given = isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str)
    return (
        given
        and "type" not in row
        and "role" not in row
        and ("instructions" in row or "git" in row)
    )


def _old_items(found: Mapping[str, Any]) -> list[Any]:
    """The items of a session of the first versions, which was one object."""
    session = found.get("session")
    if (
        not isinstance(session, dict)
        or "id" not in session
        or not any(map(is_item, objects_at(found, "items")))
    ):
        return []
    return list_at(found, "items")
