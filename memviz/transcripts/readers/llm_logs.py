"""The SQLite log of the command-line tool llm, in the tables of its newer and of its older versions.

The older tables have a row for each response. In the newer ones (0.32 and later) threads point into a tree of
messages, each made of parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.core.messages import TIME
from memviz.core.translation import noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, stand_in
from memviz.transcripts.document import OTHER_FORMAT, Document, Reader
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.readers.blocks import (
    Part,
    add_parts,
    call_parts,
    file_label,
    named_call,
    result_part,
)
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_object,
    cell_text,
    grouped,
    no_rows,
)
from memviz.transcripts.readers.json_access import (
    id_text,
    joined,
    list_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.message_trees import branch, leaves
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import moment, with_time

OLD = {
    "responses": {"id", "prompt", "response", "conversation_id"},
    "conversations": {"id", "name"},
}
NEW = {
    "threads": {"id", "tip_message_hash"},
    "messages": {"hash", "parent_hash", "role"},
    "parts": {"message_hash", "type"},
}
CIRCLE = noop("the messages go round in a circle; those of one round were read")
MISSING_BEGINNING = noop(
    "what comes before the first message is missing in the database"
)
MISSING_FRAGMENT = noop("a fragment of a message is missing in the database")
NO_TABLES = Refusal(noop("there are no tables of llm's logs."), OTHER_FORMAT)
ASKED_COLUMNS = ("model", "resolved_model", "datetime_utc")
RESPONSE_COLUMNS = (
    *("id", "conversation_id", "prompt", "system", "response", "reasoning"),
    *ASKED_COLUMNS,
)
CALL_COLUMNS = ("id", "response_id", "name", "arguments", "tool_call_id")
RESULT_COLUMNS = ("id", "response_id", "name", "output", "exception", "tool_call_id")
PART_COLUMNS = (
    "id",
    "message_hash",
    "position",
    "type",
    "tool_name",
    "text",
    "payload",
)
TURN_COLUMNS = ("parent_message_hash", "tip_message_hash", *ASKED_COLUMNS)


class LlmLogs(Reader):
    """One conversation for each thread, and for each older conversation that no thread continues."""

    name = "llm_logs"
    title = noop("llm logs (logs.db)")

    def recognise(self, document: Document) -> bool:
        """A database with the tables of either version."""
        return _has(document, OLD) or _has(document, NEW)

    def conversations(self, document: Document) -> Sequence[Thread | Conversation]:
        """The threads, then what only the older tables have: llm copies nothing when it is updated, and a thread that
        continues an older conversation keeps its id."""
        tables = document.tables
        if not self.recognise(document):
            raise NO_TABLES.error()
        named = _rows(tables, "conversations", ("id", "name"))
        names = {row["id"]: row["name"] for row in named}
        newer = _threads(tables, names) if _has(document, NEW) else []
        older = []
        if _has(document, OLD):
            older = _older(tables, names, {thread.id for thread in newer})
        if not newer and not older:
            raise no_rows(document, "messages")
        return [*older, *newer]

    def read(
        self, piece: Thread | Conversation, builder: TranscriptBuilder
    ) -> Transcript:
        """The messages of a thread or of an older conversation."""
        if isinstance(piece, Thread):
            return _read_thread(piece, builder)
        return _read_conversation(piece, builder)


def _has(document: Document, tables: dict[str, set[str]]) -> bool:
    there = document.columns
    return all(
        columns.issubset(there.get(name, ())) for name, columns in tables.items()
    )


def _rows(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Return the rows of a table with every cell as text, an empty one for NULL."""
    found = tables.rows(table, columns, order)
    return [dict(zip(row, map(cell_text, row.values()), strict=True)) for row in found]


def _attachment_labels(tables: Tables) -> dict[str, str]:
    """Return a stand-in for every attachment by its id; the bytes are not read."""
    labels = {}
    for row in _rows(tables, "attachments", ("id", "type", "path", "url")):
        label = file_label(row["type"])
        where = row["path"] or row["url"].split("?")[0]
        name = where.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        labels[row["id"]] = stand_in(label, name if label == "file" else None)
    return labels


def _fragment_texts(tables: Tables) -> dict[str, str]:
    """Return the text of every fragment by its id."""
    rows = _rows(tables, "fragments", ("id", "content"))
    return {row["id"]: row["content"] for row in rows}


def _linked(
    tables: Tables, table: str, owner: str, column: str, texts: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the texts that the rows of a linking table join to each owner, in order."""
    linked: dict[str, list[str]] = {}
    for row in _rows(tables, table, (owner, column, "order"), (owner, "order")):
        if row[column] in texts:
            linked.setdefault(row[owner], []).append(texts[row[column]])
    return linked


def _asked(row: Mapping[str, str]) -> dict[str, str]:
    """Return the ``meta`` of a reply: when the model was asked, and which one it was."""
    model = row["resolved_model"] or row["model"]
    return with_time(row["datetime_utc"], model=model)


class Conversation(NamedTuple):
    """The responses of one conversation of the older tables in order, and what the other tables say of them."""

    name: str
    responses: Sequence[Row]
    beside: Beside


class Beside:
    """The rows of other tables of the older versions that belong to each response, by its id."""

    def __init__(self, tables: Tables) -> None:
        labels = _attachment_labels(tables)
        fragments = _fragment_texts(tables)
        by_response = ("response_id", "fragment_id", fragments)
        self.fragments = _linked(tables, "prompt_fragments", *by_response)
        self.system_fragments = _linked(tables, "system_fragments", *by_response)
        self.attachments = _linked(
            tables, "prompt_attachments", "response_id", "attachment_id", labels
        )
        self.shown = _linked(
            tables,
            "tool_results_attachments",
            "tool_result_id",
            "attachment_id",
            labels,
        )
        calls = _rows(tables, "tool_calls", CALL_COLUMNS, ("id",))
        self.calls = grouped(calls, "response_id")
        results = _rows(tables, "tool_results", RESULT_COLUMNS, ("id",))
        self.results = grouped(results, "response_id")

    def system(self, row: Row) -> str:
        """Return a system prompt as llm sends it: its fragments, then what was typed."""
        texts = [*self.system_fragments.get(row["id"], []), row["system"]]
        return "\n\n".join(filter(None, map(str.strip, texts)))

    def prompt(self, row: Row) -> str:
        """Return a prompt as llm sends it: its fragments, then what was typed and what was attached."""
        typed = [row["prompt"]] if row["prompt"] else []
        prompt = "\n".join([*self.fragments.get(row["id"], []), *typed])
        return joined([prompt, *self.attachments.get(row["id"], [])])


def _older(
    tables: Tables, names: Mapping[str, str], in_threads: set[str]
) -> list[Conversation]:
    """Return all conversations of the older tables but those that the newer ones have whole."""
    rows = _rows(tables, "responses", RESPONSE_COLUMNS, ("datetime_utc", "id"))
    for row in rows:
        row["conversation_id"] = row["conversation_id"] or f"response {row['id']}"
    groups = grouped(rows, "conversation_id")
    older = [id for id in groups if id not in in_threads]
    if not older:
        return []
    beside = Beside(tables)
    return [Conversation(names.get(id, ""), groups[id], beside) for id in older]


def _read_conversation(piece: Conversation, builder: TranscriptBuilder) -> Transcript:
    """Return the conversation. Its first system prompt becomes the transcript's; a changed one is a message."""
    first = piece.responses[0]
    beside = piece.beside
    first_system = beside.system(first)
    system = first_system
    for row in piece.responses:
        place = f"response {row['id'][:40]}"
        time = with_time(row["datetime_utc"])
        changed = beside.system(row)
        if changed and changed != system:
            builder.add_text("system", changed, place, meta=time)
            system = changed
        asked = []
        for result in beside.results.get(row["id"], []):
            shown = beside.shown.get(result["id"], [])
            part = _result(result, result["tool_call_id"], result["name"], shown)
            asked.append(part._replace(meta={**time, **part.meta}))
        prompt = beside.prompt(row)
        if prompt or asked:
            asked.append(Part("text", prompt))
            add_parts(builder, "user", asked, place, meta=time)
        _add_reply(row, beside, builder, place)
    return builder.build(
        title=piece.name or UNTITLED,
        system_prompt=first_system or None,
        held_at=moment(first["datetime_utc"]),
    )


def _add_reply(
    row: Row, beside: Beside, builder: TranscriptBuilder, place: str
) -> None:
    calls = beside.calls.get(row["id"], [])
    if not row["response"] and not calls:
        return
    note = builder.note_at(place)
    parts = [Part("reasoning", row["reasoning"]), Part("text", row["response"])]
    for call in calls:
        given = call["arguments"] or None
        parts.append(named_call(call["tool_call_id"], call["name"], given, note))
    add_parts(builder, "assistant", parts, place, meta=_asked(row))


def _result(
    fields: Mapping[str, Any], id: object, name: object, shown: Iterable[str]
) -> Part:
    """Return the result of a tool: its output, or else the exception that it raised, and what it attached."""
    output = cell_text(fields.get("output"))
    exception = cell_text(fields.get("exception"))
    text = joined([output or exception, *shown])
    raised = exception if output and exception else None
    return result_part(cell_text(id), text, name, exception=raised)


class Store:
    """All messages of the newer tables, by hash, with their parts, and what the turns say of them."""

    def __init__(self, tables: Tables) -> None:
        self.roles: dict[str, str] = {}
        self.parent_of: dict[str, str | None] = {}
        for row in _rows(tables, "messages", ("hash", "parent_hash", "role")):
            self.roles[row["hash"]] = row["role"]
            self.parent_of[row["hash"]] = row["parent_hash"] or None
        order = ("message_hash", "position", "id")
        self.parts = grouped(_rows(tables, "parts", PART_COLUMNS, order), order[0])
        self.attachments = _attachment_labels(tables)
        self.fragments = _fragment_texts(tables)
        self.meta: dict[str, dict[str, str]] = {}
        for turn in _rows(tables, "turns", TURN_COLUMNS, ("datetime_utc",)):
            # A message is shared by all that say it after the same history: the first turn is when it was said.
            asked = with_time(turn["datetime_utc"])
            self.meta.setdefault(turn["parent_message_hash"], asked)
            self.meta.setdefault(turn["tip_message_hash"], _asked(turn))

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


def _threads(tables: Tables, names: Mapping[str, str]) -> list[Thread]:
    """Return all threads that have messages; where no thread is kept, one for each end of the tree."""
    store = Store(tables)
    columns = ("id", "name", "tip_message_hash", "datetime_utc")
    found = []
    for row in _rows(tables, "threads", columns, ("datetime_utc", "id")):
        name = names.get(row["id"]) or row["name"]
        tip = row["tip_message_hash"]
        if tip:
            found.append(Thread(row["id"], name, tip, row["datetime_utc"], store))
    if found:
        return found
    ends = leaves(store.parent_of)
    return [Thread("", names.get("", ""), hash, "", store) for hash in ends]


def _read_thread(piece: Thread, builder: TranscriptBuilder) -> Transcript:
    """Return the messages from the root of the tree to the tip of the thread."""
    store = piece.store
    path, is_cycle = branch(piece.tip, store.parent_of)
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
    payload = cell_object(row["payload"], builder)
    id = payload.get("tool_call_id")
    name = id_text(payload.get("name")) or row["tool_name"]
    if kind in ("text", "reasoning"):
        return [Part(kind, _text(row, payload, store, builder, place))]
    if kind == "tool_call":
        call = {**payload, "id": id, "name": name}
        return call_parts([call], builder.note_at(place))
    if kind == "tool_result":
        shown = map(store.label, list_at(payload, "attachments"))
        return [_result(payload, id, name, shown)]
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
    """Return the text of a part; one that borrows from fragments is a list of pieces."""
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
