"""The newer tables of the log of llm (0.32 and later): threads point into a tree of messages, each made of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.core.messages import TIME
from memviz.core.translation import noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, stand_in
from memviz.transcripts.readers.blocks import Part, add_parts, read_calls
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_text,
    group_rows,
    read_cell_object,
)
from memviz.transcripts.readers.json_access import id_text, list_at, texts_at, value_at
from memviz.transcripts.readers.llm_tables import (
    MODEL_COLUMNS,
    attachment_labels,
    fragment_texts,
    read_table,
    reply_meta,
    result_with_attachments,
)
from memviz.transcripts.readers.message_trees import find_leaves, walk_branch
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import meta_with_time, moment

CIRCLE = noop("the messages go round in a circle; those of one round were read")
MISSING_BEGINNING = noop(
    "what comes before the first message is missing in the database"
)
MISSING_FRAGMENT = noop("a fragment of a message is missing in the database")
PART_COLUMNS = (
    "id",
    "message_hash",
    "position",
    "type",
    "tool_name",
    "text",
    "payload",
)
TURN_COLUMNS = ("parent_message_hash", "tip_message_hash", *MODEL_COLUMNS)


class Store:
    """All messages of the newer tables, by hash, with their parts, and the ``meta`` that their turns have."""

    def __init__(self, tables: Tables) -> None:
        self.roles: dict[str, str] = {}
        self.parent_of: dict[str, str | None] = {}
        for row in read_table(tables, "messages", ("hash", "parent_hash", "role")):
            self.roles[row["hash"]] = row["role"]
            self.parent_of[row["hash"]] = row["parent_hash"] or None
        order = ("message_hash", "position", "id")
        self.parts = group_rows(
            read_table(tables, "parts", PART_COLUMNS, order), order[0]
        )
        self.attachments = attachment_labels(tables)
        self.fragments = fragment_texts(tables)
        self.meta: dict[str, dict[str, str]] = {}
        for turn in read_table(tables, "turns", TURN_COLUMNS, ("datetime_utc",)):
            # A message is shared by all threads that say it after the same history: it was said in the first turn.
            asked_at = meta_with_time(turn["datetime_utc"])
            self.meta.setdefault(turn["parent_message_hash"], asked_at)
            self.meta.setdefault(turn["tip_message_hash"], reply_meta(turn))

    def label(self, attachment: object) -> str:
        """Return the stand-in of an attachment."""
        return self.attachments.get(id_text(value_at(attachment, "id")), "[file]")


class Thread(NamedTuple):
    """One thread: the message that it ends with."""

    id: str
    name: str
    tip: str
    started: str
    store: Store


def find_threads(tables: Tables, names: Mapping[str, str]) -> list[Thread]:
    """Return all threads that have messages; where no thread is kept, one for each end of the tree."""
    store = Store(tables)
    columns = ("id", "name", "tip_message_hash", "datetime_utc")
    threads = []
    for row in read_table(tables, "threads", columns, ("datetime_utc", "id")):
        name = names.get(row["id"]) or row["name"]
        tip = row["tip_message_hash"]
        if tip:
            threads.append(Thread(row["id"], name, tip, row["datetime_utc"], store))
    if threads:
        return threads
    tips = find_leaves(store.parent_of)
    return [Thread("", names.get("", ""), tip, "", store) for tip in tips]


def read_thread(piece: Thread, builder: TranscriptBuilder) -> Transcript:
    """Return the messages from the root of the tree to the tip of the thread."""
    store = piece.store
    path, is_cycle = walk_branch(piece.tip, store.parent_of)
    if is_cycle:
        builder.note(CIRCLE)
    elif path and store.parent_of[path[0]] is not None:
        builder.note(MISSING_BEGINNING)
    for hash in path:
        place = f"message {hash[:40]}"
        role = builder.speaker({"role": store.roles[hash] or None}, place)
        if role is None:
            continue
        meta = store.meta.get(hash, {})
        time = {TIME: meta[TIME]} if TIME in meta else {}
        parts = []
        for row in store.parts.get(hash, []):
            for part in _parts(row, store, builder, place):
                if part.kind == "result":
                    part = part._replace(meta={**time, **part.meta})
                parts.append(part)
        add_parts(builder, role, parts, place, meta=meta)
    return builder.build(title=piece.name or UNTITLED, held_at=moment(piece.started))


def _parts(
    row: Row, store: Store, builder: TranscriptBuilder, place: str
) -> list[Part]:
    kind = row["type"]
    payload = read_cell_object(row["payload"], builder)
    id = payload.get("tool_call_id")
    name = id_text(payload.get("name")) or row["tool_name"]
    if kind in ("text", "reasoning"):
        return [Part(kind, _text(row, payload, store, builder, place))]
    if kind == "tool_call":
        call = {**payload, "id": id, "name": name}
        return read_calls([call], builder.note_at(place))
    if kind == "tool_result":
        attachments = map(store.label, list_at(payload, "attachments"))
        return [result_with_attachments(payload, id, name, attachments)]
    if kind == "attachment":
        return [Part("text", store.label(payload.get("attachment")))]
    builder.note(UNKNOWN_KIND, place)
    return [Part("text", stand_in(kind or "part"))]


def _text(
    row: Row,
    payload: Mapping[str, Any],
    store: Store,
    builder: TranscriptBuilder,
    place: str,
) -> str:
    """Return the text of a part. One that borrows from fragments is a list of pieces: ``{"fragment": 3}`` or
    ``{"literal": "And this?"}``."""
    if row["text"]:
        return str(row["text"])
    texts = []
    for piece in list_at(payload, "text_ref"):
        fragment = store.fragments.get(id_text(value_at(piece, "fragment")))
        text = texts_at(piece, "literal").get("literal", fragment)
        if text is None:
            builder.note(MISSING_FRAGMENT, place)
        texts.append(text or "")
    return "".join(texts) or cell_text(payload.get("text"))
