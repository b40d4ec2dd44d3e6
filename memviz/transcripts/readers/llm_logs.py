"""Reads the SQLite log of the command-line tool llm (``logs.db``), of its older and newer versions.

The older tables have a row for each response. In the newer ones (0.32 and later) a thread names its last message in a
tree of messages, each made of parts. ``llm_tables`` reads the tables that both have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    make_call,
    read_calls,
)
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_text,
    group_rows,
    no_rows_error,
    read_cell_object,
)
from memviz.transcripts.readers.json_access import (
    id_text,
    join_lines,
    list_at,
    texts_at,
    value_at,
)
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
NO_TABLES = Refusal(noop("there are no tables of llm's logs."), OTHER_FORMAT)
RESPONSE_COLUMNS = (
    *("id", "conversation_id", "prompt", "system", "response", "reasoning"),
    *MODEL_COLUMNS,
)
CALL_COLUMNS = ("id", "response_id", "name", "arguments", "tool_call_id")
RESULT_COLUMNS = ("id", "response_id", "name", "output", "exception", "tool_call_id")
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


class LlmLogs(Reader):
    """One conversation for each thread, and for each older conversation that no thread continues."""

    name = "llm_logs"
    title = noop("llm logs (logs.db)")

    def recognise(self, document: Document) -> bool:
        """Return true for a database with the tables of either version."""
        return _has_tables(document, OLD_TABLES) or _has_tables(document, NEW_TABLES)

    def conversations(self, document: Document) -> Sequence[Thread | OlderConversation]:
        """Return the conversations that only the older tables have, then the threads. An update of llm copies nothing,
        and a thread that continues an older conversation keeps its id."""
        tables = document.tables
        if not self.recognise(document):
            raise NO_TABLES.error()
        rows = read_table(tables, "conversations", ("id", "name"))
        names = {row["id"]: row["name"] for row in rows}
        threads = []
        if _has_tables(document, NEW_TABLES):
            threads = find_threads(tables, names)
        older = []
        if _has_tables(document, OLD_TABLES):
            thread_ids = {thread.id for thread in threads}
            older = _older_conversations(tables, names, thread_ids)
        if not threads and not older:
            raise no_rows_error(document)
        return [*older, *threads]

    def read(
        self, piece: Thread | OlderConversation, builder: TranscriptBuilder
    ) -> Transcript:
        """Return the messages of a thread or of an older conversation."""
        if isinstance(piece, Thread):
            return read_thread(piece, builder)
        return _read_conversation(piece, builder)


def _has_tables(document: Document, tables: dict[str, set[str]]) -> bool:
    columns_of_tables = document.columns
    return all(
        columns.issubset(columns_of_tables.get(name, ()))
        for name, columns in tables.items()
    )


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
    for row in read_table(tables, table, (owner_column, column, "order"), order):
        if row[column] in texts:
            texts_by_owner.setdefault(row[owner_column], []).append(texts[row[column]])
    return texts_by_owner


class OlderConversation(NamedTuple):
    """One conversation of the older tables."""

    name: str
    responses: Sequence[Row]
    """In the order in which they were written."""
    extras: ResponseExtras


class ResponseExtras:
    """The rows of other tables of the older versions that belong to each response, by its id."""

    def __init__(self, tables: Tables) -> None:
        labels = attachment_labels(tables)
        fragments = fragment_texts(tables)
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
        calls = read_table(tables, "tool_calls", CALL_COLUMNS, ("id",))
        self.calls = group_rows(calls, "response_id")
        results = read_table(tables, "tool_results", RESULT_COLUMNS, ("id",))
        self.results = group_rows(results, "response_id")

    def system(self, row: Row) -> str:
        """Return a system prompt as llm sends it: its fragments, then what was typed."""
        texts = [*self.system_fragments.get(row["id"], []), row["system"]]
        return "\n\n".join(filter(None, map(str.strip, texts)))

    def prompt(self, row: Row) -> str:
        """Return a prompt as llm sends it: its fragments, then what was typed and what was attached."""
        texts = list(self.fragments.get(row["id"], []))
        if row["prompt"]:
            texts.append(row["prompt"])
        return join_lines(["\n".join(texts), *self.attachments.get(row["id"], [])])


def _older_conversations(
    tables: Tables, names: Mapping[str, str], thread_ids: set[str]
) -> list[OlderConversation]:
    """Return the conversations of the older tables that no thread continues."""
    rows = read_table(tables, "responses", RESPONSE_COLUMNS, ("datetime_utc", "id"))
    for row in rows:
        row["conversation_id"] = row["conversation_id"] or f"response {row['id']}"
    responses_by_id = group_rows(rows, "conversation_id")
    ids = [id for id in responses_by_id if id not in thread_ids]
    if not ids:
        return []
    extras = ResponseExtras(tables)
    return [
        OlderConversation(names.get(id, ""), responses_by_id[id], extras) for id in ids
    ]


def _read_conversation(
    piece: OlderConversation, builder: TranscriptBuilder
) -> Transcript:
    """Return the conversation. Its first system prompt becomes the transcript's; a changed one is a message."""
    first_response = piece.responses[0]
    extras = piece.extras
    first_system = extras.system(first_response)
    system_before = first_system
    for row in piece.responses:
        place = f"response {row['id'][:40]}"
        time = meta_with_time(row["datetime_utc"])
        system = extras.system(row)
        if system and system != system_before:
            builder.add_text("system", system, place, meta=time)
            system_before = system
        user_parts = []
        for result in extras.results.get(row["id"], []):
            attachments = extras.result_attachments.get(result["id"], [])
            part = result_with_attachments(
                result, result["tool_call_id"], result["name"], attachments
            )
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
        parts.append(make_call(call["tool_call_id"], call["name"], arguments, note))
    add_parts(builder, "assistant", parts, place, meta=reply_meta(row))


class MessageTree:
    """All messages of the newer tables by their hash, with their parts and the ``meta`` of their turns."""

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
            # Threads with the same history share its messages, so the time of a message is that of its first turn.
            asked_at = meta_with_time(turn["datetime_utc"])
            self.meta.setdefault(turn["parent_message_hash"], asked_at)
            self.meta.setdefault(turn["tip_message_hash"], reply_meta(turn))

    def label(self, attachment: object) -> str:
        """Return the stand-in of an attachment."""
        return self.attachments.get(id_text(value_at(attachment, "id")), "[file]")


class Thread(NamedTuple):
    """One thread of the newer tables: a branch of the tree of messages."""

    id: str
    name: str
    tip: str
    """The hash of its last message."""
    started: str
    store: MessageTree


def find_threads(tables: Tables, names: Mapping[str, str]) -> list[Thread]:
    """Return all threads that have messages; where no thread is kept, one for each end of the tree."""
    store = MessageTree(tables)
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
            for part in _read_parts(row, store, builder, place):
                if part.kind == "result":
                    part = part._replace(meta={**time, **part.meta})
                parts.append(part)
        add_parts(builder, role, parts, place, meta=meta)
    return builder.build(title=piece.name or UNTITLED, held_at=moment(piece.started))


def _read_parts(
    row: Row, store: MessageTree, builder: TranscriptBuilder, place: str
) -> list[Part]:
    kind = row["type"]
    payload = read_cell_object(row["payload"], builder)
    id = payload.get("tool_call_id")
    name = id_text(payload.get("name")) or row["tool_name"]
    if kind in ("text", "reasoning"):
        return [Part(kind, _read_text(row, payload, store, builder, place))]
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


def _read_text(
    row: Row,
    payload: Mapping[str, Any],
    store: MessageTree,
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
