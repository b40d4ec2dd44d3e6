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

OLD_TABLES = {
    "responses": {"id", "prompt", "response", "conversation_id"},
    "conversations": {"id", "name"},
}
"""The tables of the older versions, each with the columns by which they are recognised."""
NEW_TABLES = {
    "threads": {"id", "tip_message_hash"},
    "messages": {"hash", "parent_hash", "role"},
    "parts": {"message_hash", "type"},
}
"""The tables of the newer versions (0.32 and later), each with the columns by which they are recognised."""
CIRCLE = noop("the messages go round in a circle; those of one round were read")
MISSING_BEGINNING = noop(
    "what comes before the first message is missing in the database"
)
MISSING_FRAGMENT = noop("a fragment of a message is missing in the database")
NO_TABLES = Refusal(noop("there are no tables of llm's logs."), OTHER_FORMAT)
MODEL_COLUMNS = ("model", "resolved_model", "datetime_utc")
RESPONSE_COLUMNS = (
    *("id", "conversation_id", "prompt", "system", "response", "reasoning"),
    *MODEL_COLUMNS,
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
TURN_COLUMNS = ("parent_message_hash", "tip_message_hash", *MODEL_COLUMNS)


class LlmLogs(Reader):
    """One conversation for each thread, and for each older conversation that no thread continues."""

    name = "llm_logs"
    title = noop("llm logs (logs.db)")

    def recognise(self, document: Document) -> bool:
        """Return true for a database with the tables of either version."""
        return _has_tables(document, OLD_TABLES) or _has_tables(document, NEW_TABLES)

    def conversations(self, document: Document) -> Sequence[Thread | Conversation]:
        """Return the conversations that only the older tables have, then the threads. An update of llm copies nothing,
        and a thread that continues an older conversation keeps its id."""
        tables = document.tables
        if not self.recognise(document):
            raise NO_TABLES.error()
        rows = _rows(tables, "conversations", ("id", "name"))
        names = {row["id"]: row["name"] for row in rows}
        threads = []
        if _has_tables(document, NEW_TABLES):
            threads = _threads(tables, names)
        older = []
        if _has_tables(document, OLD_TABLES):
            thread_ids = {thread.id for thread in threads}
            older = _older_conversations(tables, names, thread_ids)
        if not threads and not older:
            raise no_rows(document)
        return [*older, *threads]

    def read(
        self, piece: Thread | Conversation, builder: TranscriptBuilder
    ) -> Transcript:
        """Return the messages of a thread or of an older conversation."""
        if isinstance(piece, Thread):
            return _read_thread(piece, builder)
        return _read_conversation(piece, builder)


def _has_tables(document: Document, tables: dict[str, set[str]]) -> bool:
    columns_of_tables = document.columns
    return all(
        columns.issubset(columns_of_tables.get(name, ()))
        for name, columns in tables.items()
    )


def _rows(
    tables: Tables, table: str, columns: Sequence[str], order: Sequence[str] = ()
) -> list[dict[str, str]]:
    """Return the rows of a table with every cell as text, an empty one for NULL."""
    rows = []
    for row in tables.rows(table, columns, order):
        rows.append({column: cell_text(cell) for column, cell in row.items()})
    return rows


def _attachment_labels(tables: Tables) -> dict[str, str]:
    """Return a stand-in for every attachment by its id, such as ``[image]`` or ``[file: plan.pdf]``; the bytes are not
    read."""
    labels = {}
    for row in _rows(tables, "attachments", ("id", "type", "path", "url")):
        label = file_label(row["type"])
        path = row["path"] or row["url"].split("?")[0]
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        labels[row["id"]] = stand_in(label, name if label == "file" else None)
    return labels


def _fragment_texts(tables: Tables) -> dict[str, str]:
    """Return the text of every fragment by its id."""
    rows = _rows(tables, "fragments", ("id", "content"))
    return {row["id"]: row["content"] for row in rows}


def _texts_by_owner(
    tables: Tables,
    table: str,
    owner_column: str,
    column: str,
    texts: Mapping[str, str],
) -> dict[str, list[str]]:
    """Return the texts that the rows of a linking table give to each owner, in order: with the rows (response 7,
    fragment 2) and (response 7, fragment 5) the response 7 has the texts of the fragments 2 and 5."""
    texts_by_owner: dict[str, list[str]] = {}
    order = (owner_column, "order")
    for row in _rows(tables, table, (owner_column, column, "order"), order):
        if row[column] in texts:
            texts_by_owner.setdefault(row[owner_column], []).append(texts[row[column]])
    return texts_by_owner


def _reply_meta(row: Mapping[str, str]) -> dict[str, str]:
    """Return the ``meta`` of a reply: the time at which the model was asked, and its name."""
    model = row["resolved_model"] or row["model"]
    return with_time(row["datetime_utc"], model=model)


class Conversation(NamedTuple):
    """One conversation of the older tables."""

    name: str
    responses: Sequence[Row]
    """In the order in which they were written."""
    extras: ResponseExtras


class ResponseExtras:
    """The rows of other tables of the older versions that belong to each response, by its id."""

    def __init__(self, tables: Tables) -> None:
        labels = _attachment_labels(tables)
        fragments = _fragment_texts(tables)
        fragments_by_response = ("response_id", "fragment_id", fragments)
        self.fragments = _texts_by_owner(
            tables, "prompt_fragments", *fragments_by_response
        )
        self.system_fragments = _texts_by_owner(
            tables, "system_fragments", *fragments_by_response
        )
        self.attachments = _texts_by_owner(
            tables, "prompt_attachments", "response_id", "attachment_id", labels
        )
        self.result_attachments = _texts_by_owner(
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
        texts = list(self.fragments.get(row["id"], []))
        if row["prompt"]:
            texts.append(row["prompt"])
        return joined(["\n".join(texts), *self.attachments.get(row["id"], [])])


def _older_conversations(
    tables: Tables, names: Mapping[str, str], thread_ids: set[str]
) -> list[Conversation]:
    """Return the conversations of the older tables that no thread continues."""
    rows = _rows(tables, "responses", RESPONSE_COLUMNS, ("datetime_utc", "id"))
    for row in rows:
        row["conversation_id"] = row["conversation_id"] or f"response {row['id']}"
    responses_by_id = grouped(rows, "conversation_id")
    ids = [id for id in responses_by_id if id not in thread_ids]
    if not ids:
        return []
    extras = ResponseExtras(tables)
    return [Conversation(names.get(id, ""), responses_by_id[id], extras) for id in ids]


def _read_conversation(piece: Conversation, builder: TranscriptBuilder) -> Transcript:
    """Return the conversation. Its first system prompt becomes the transcript's; a changed one is a message."""
    first_response = piece.responses[0]
    extras = piece.extras
    first_system = extras.system(first_response)
    system_before = first_system
    for row in piece.responses:
        place = f"response {row['id'][:40]}"
        time = with_time(row["datetime_utc"])
        system = extras.system(row)
        if system and system != system_before:
            builder.add_text("system", system, place, meta=time)
            system_before = system
        user_parts = []
        for result in extras.results.get(row["id"], []):
            attachments = extras.result_attachments.get(result["id"], [])
            part = _result(result, result["tool_call_id"], result["name"], attachments)
            user_parts.append(part._replace(meta={**time, **part.meta}))
        prompt = extras.prompt(row)
        if prompt or user_parts:
            user_parts.append(Part("text", prompt))
            add_parts(builder, "user", user_parts, place, meta=time)
        _add_reply(row, extras, builder, place)
    return builder.build(
        title=piece.name or UNTITLED,
        system_prompt=first_system or None,
        held_at=moment(first_response["datetime_utc"]),
    )


def _add_reply(
    row: Row, extras: ResponseExtras, builder: TranscriptBuilder, place: str
) -> None:
    calls = extras.calls.get(row["id"], [])
    if not row["response"] and not calls:
        return
    note = builder.note_at(place)
    parts = [Part("reasoning", row["reasoning"]), Part("text", row["response"])]
    for call in calls:
        arguments = call["arguments"] or None
        parts.append(named_call(call["tool_call_id"], call["name"], arguments, note))
    add_parts(builder, "assistant", parts, place, meta=_reply_meta(row))


def _result(
    fields: Mapping[str, Any], id: object, name: object, attachments: Iterable[str]
) -> Part:
    """Return the result of a tool: its output, or else the exception that it raised, and its attachments."""
    output = cell_text(fields.get("output"))
    exception = cell_text(fields.get("exception"))
    text = joined([output or exception, *attachments])
    # It stands in the text already where there is no output.
    extra_exception = exception if output and exception else None
    return result_part(cell_text(id), text, name, exception=extra_exception)


class Store:
    """All messages of the newer tables, by hash, with their parts, and the ``meta`` that their turns have."""

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
            # A message is shared by all threads that say it after the same history: it was said in the first turn.
            asked_at = with_time(turn["datetime_utc"])
            self.meta.setdefault(turn["parent_message_hash"], asked_at)
            self.meta.setdefault(turn["tip_message_hash"], _reply_meta(turn))

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
    threads = []
    for row in _rows(tables, "threads", columns, ("datetime_utc", "id")):
        name = names.get(row["id"]) or row["name"]
        tip = row["tip_message_hash"]
        if tip:
            threads.append(Thread(row["id"], name, tip, row["datetime_utc"], store))
    if threads:
        return threads
    tips = leaves(store.parent_of)
    return [Thread("", names.get("", ""), tip, "", store) for tip in tips]


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
        attachments = map(store.label, list_at(payload, "attachments"))
        return [_result(payload, id, name, attachments)]
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
