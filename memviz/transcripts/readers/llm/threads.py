"""The newer tables of llm's logs (0.32 and later): threads that point into a tree of messages, each made of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.readers.branches import branch, leaves
from memviz.transcripts.readers.database_rows import Row, cell_object, cell_text, grouped
from memviz.transcripts.readers.llm.parts import asked, attachment_labels, fragment_texts
from memviz.transcripts.readers.message_parts import Part, call_part, label, say_parts
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import moment, with_time

PART_COLUMNS = ("id", "message_hash", "position", "type", "tool_name", "text", "payload")
TURN_COLUMNS = ("thread_id", "parent_message_hash", "tip_message_hash", "model", "resolved_model", "datetime_utc")


class Store:
    """All messages of a database, by hash, with their parts, and what the turns say of them."""

    def __init__(self, tables: Tables) -> None:
        rows = tables.rows("messages", ("hash", "parent_hash", "role"))
        self.roles = {cell_text(row["hash"]): row["role"] for row in rows}
        self.parent_of = {cell_text(row["hash"]): cell_text(row["parent_hash"]) or None for row in rows}
        self.parts = grouped(tables.rows("parts", PART_COLUMNS, ("message_hash", "position", "id")), "message_hash")
        self.attachments, self.fragments = attachment_labels(tables), fragment_texts(tables)
        self.meta: dict[str, dict[str, Any]] = {}
        for turn in tables.rows("turns", TURN_COLUMNS, ("datetime_utc",)):
            # A message is shared by all that say it after the same history: the first turn is when it was said.
            self.meta.setdefault(cell_text(turn["parent_message_hash"]), dict(with_time(turn["datetime_utc"])))
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
    return found or [Thread("", "", hash, None, store) for hash in leaves(store.parent_of)]


def read_thread(piece: Thread, builder: TranscriptBuilder) -> Transcript:
    """The messages from the root of the tree to the tip of the thread."""
    store = piece.store
    path, is_cycle = branch(piece.tip, store.parent_of)
    if is_cycle:
        builder.note("the messages go round in a circle; those of one round were read")
    elif path and store.parent_of[path[0]] is not None:
        builder.note("what comes before the first message is missing in the database")
    for hash in path:
        _say(hash, store, builder)
    return builder.build(title=piece.name or UNTITLED, held_at=moment(piece.started))


def _say(hash: str, store: Store, builder: TranscriptBuilder) -> None:
    place, role = f"message {hash[:40]}", known_role(store.roles[hash])
    if role is None:
        builder.leave_out(place, f"has the unknown role {cell_text(store.roles[hash])[:40]!r}")
        return
    found = [_part(row, store, builder, place) for row in store.parts.get(hash, [])]
    parts = [part for part in found if part is not None]
    say_parts(builder, role, parts, place, meta=store.meta.get(hash) or None)


def _part(row: Row, store: Store, builder: TranscriptBuilder, place: str) -> Part | None:
    kind, payload = cell_text(row["type"]), cell_object(row["payload"], builder)
    if kind in ("text", "reasoning"):
        text = _text(row, payload, store, builder, place)
        return Part("text", text) if kind == "text" else Part("reasoning", text) if text else None
    if kind == "tool_call":
        call = call_part(
            {**payload, "id": payload.get("tool_call_id"), "name": payload.get("name") or row["tool_name"]}
        )
        if call is None:
            builder.note("a tool call that names no tool was left out", place)
        return call
    if kind == "tool_result":
        return _result(row, payload, store)
    if kind == "attachment":
        return Part("text", _shown(payload.get("attachment"), store))
    builder.note("content of a kind that is not known is shown by its name only", place)
    return Part("text", stand_in(kind or "part"))


def _text(row: Row, payload: Mapping[str, Any], store: Store, builder: TranscriptBuilder, place: str) -> str:
    """The text of a part; one that borrows from fragments is a list of pieces."""
    pieces = payload.get("text_ref")
    if row["text"] is not None or not isinstance(pieces, list):
        return cell_text(row["text"]) or cell_text(payload.get("text"))
    texts = [_piece(piece, store) for piece in pieces]
    if None in texts:
        builder.note("a fragment of a message is missing in the database", place)
    return "".join(text for text in texts if text)


def _piece(piece: object, store: Store) -> str | None:
    if not isinstance(piece, dict):
        return None
    literal = piece.get("literal")
    return literal if isinstance(literal, str) else store.fragments.get(cell_text(piece.get("fragment")))


def _result(row: Row, payload: Mapping[str, Any], store: Store) -> Part:
    shown = payload.get("attachments")
    pieces = [_shown(item, store) for item in shown] if isinstance(shown, list) else []
    text = "\n".join([cell_text(payload.get("output")) or cell_text(payload.get("exception")), *pieces])
    name = label(payload.get("name")) or label(row["tool_name"])
    return Part("result", text, id=label(payload.get("tool_call_id")), name=name)


def _shown(attachment: object, store: Store) -> str:
    id = attachment.get("id") if isinstance(attachment, dict) else None
    return store.attachments.get(cell_text(id), "[file]")
