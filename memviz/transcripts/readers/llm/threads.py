"""The newer tables of llm's logs (0.32 and later): threads that point into a tree of messages, each made of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, stand_in
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_object,
    cell_text,
    grouped,
)
from memviz.transcripts.readers.json_access import (
    id_text,
    joined,
    list_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.llm.parts import (
    asked,
    attachment_labels,
    fragment_texts,
)
from memviz.transcripts.readers.message_parts import (
    Part,
    add_parts,
    call_parts,
    result_part,
)
from memviz.transcripts.readers.message_trees import branch, leaves
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import moment, with_time

PART_COLUMNS = (
    "id",
    "message_hash",
    "position",
    "type",
    "tool_name",
    "text",
    "payload",
)
TURN_COLUMNS = (
    "thread_id",
    "parent_message_hash",
    "tip_message_hash",
    "model",
    "resolved_model",
    "datetime_utc",
)


class Store:
    """All messages of a database, by hash, with their parts, and what the turns say of them."""

    def __init__(self, tables: Tables) -> None:
        rows = tables.rows("messages", ("hash", "parent_hash", "role"))
        self.roles = {cell_text(row["hash"]): row["role"] for row in rows}
        self.parent_of = {
            cell_text(row["hash"]): cell_text(row["parent_hash"]) or None
            for row in rows
        }
        self.parts = grouped(
            tables.rows("parts", PART_COLUMNS, ("message_hash", "position", "id")),
            "message_hash",
        )
        self.attachments, self.fragments = (
            attachment_labels(tables),
            fragment_texts(tables),
        )
        self.meta: dict[str, dict[str, Any]] = {}
        for turn in tables.rows("turns", TURN_COLUMNS, ("datetime_utc",)):
            # A message is shared by all that say it after the same history: the first turn is when it was said.
            self.meta.setdefault(
                cell_text(turn["parent_message_hash"]),
                dict(with_time(turn["datetime_utc"])),
            )
            self.meta.setdefault(cell_text(turn["tip_message_hash"]), asked(turn))


class Thread(NamedTuple):
    """One thread: the message that it ends with."""

    id: str
    name: str
    tip: str
    started: Any
    store: Store


def threads(tables: Tables) -> list[Thread]:
    """All threads that have messages; where no thread is kept, one for each end of the tree."""
    store = Store(tables)
    texts = ("id", "name", "tip_message_hash")
    rows = tables.rows("threads", (*texts, "datetime_utc"), ("datetime_utc", "id"))
    found = []
    for row in rows:
        id, name, tip = (cell_text(row[key]) for key in texts)
        if tip:
            found.append(Thread(id, name, tip, row["datetime_utc"], store))
    return found or [
        Thread("", "", hash, None, store) for hash in leaves(store.parent_of)
    ]


def read_thread(piece: Thread, builder: TranscriptBuilder) -> Transcript:
    """The messages from the root of the tree to the tip of the thread."""
    store = piece.store
    path, is_cycle = branch(piece.tip, store.parent_of)
    if is_cycle:
        builder.note("the messages go round in a circle; those of one round were read")
    elif path and store.parent_of[path[0]] is not None:
        builder.note("what comes before the first message is missing in the database")
    for hash in path:
        _add_message(hash, store, builder)
    return builder.build(title=piece.name or UNTITLED, held_at=moment(piece.started))


def _add_message(hash: str, store: Store, builder: TranscriptBuilder) -> None:
    place = f"message {hash[:40]}"
    role = builder.speaker({"role": store.roles[hash]}, place)
    if role is not None:
        parts = [
            part
            for row in store.parts.get(hash, [])
            for part in _parts(row, store, builder, place)
        ]
        add_parts(builder, role, parts, place, meta=store.meta.get(hash) or None)


def _parts(
    row: Row, store: Store, builder: TranscriptBuilder, place: str
) -> list[Part]:
    kind, payload = cell_text(row["type"]), cell_object(row["payload"], builder)
    if kind in ("text", "reasoning"):
        text = _text(row, payload, store, builder, place)
        return (
            [Part("text", text)]
            if kind == "text"
            else [Part("reasoning", text)]
            if text
            else []
        )
    if kind == "tool_call":
        name = payload.get("name") or row["tool_name"]
        return call_parts(
            [{**payload, "id": payload.get("tool_call_id"), "name": name}],
            builder,
            place,
        )
    if kind == "tool_result":
        return [_result(row, payload, store)]
    if kind == "attachment":
        return [Part("text", _shown(payload.get("attachment"), store))]
    builder.note(UNKNOWN_KIND, place)
    return [Part("text", stand_in(kind or "part"))]


def _text(
    row: Row,
    payload: Mapping[str, Any],
    store: Store,
    builder: TranscriptBuilder,
    place: str,
) -> str:
    """The text of a part; one that borrows from fragments is a list of pieces."""
    pieces = payload.get("text_ref")
    if row["text"] is not None or not isinstance(pieces, list):
        return cell_text(row["text"]) or cell_text(payload.get("text"))
    texts = [_piece(piece, store) for piece in pieces]
    if None in texts:
        builder.note("a fragment of a message is missing in the database", place)
    return "".join(text for text in texts if text)


def _piece(piece: object, store: Store) -> str | None:
    literal = texts_at(piece, "literal")
    return (
        literal["literal"]
        if literal
        else store.fragments.get(cell_text(value_at(piece, "fragment")))
    )


def _result(row: Row, payload: Mapping[str, Any], store: Store) -> Part:
    pieces = [_shown(item, store) for item in list_at(payload, "attachments")]
    output, exception = (cell_text(payload.get(key)) for key in ("output", "exception"))
    name = id_text(payload.get("name")) or id_text(row["tool_name"])
    failed = exception if output and exception else None
    return result_part(
        payload.get("tool_call_id"),
        joined([output or exception, *pieces]),
        name,
        exception=failed,
    )


def _shown(attachment: object, store: Store) -> str:
    return store.attachments.get(cell_text(value_at(attachment, "id")), "[file]")
