"""The SQLite log of the command-line tool llm, in the tables of its newer and of its older versions.

The older tables have a row for each response. In the newer ones (0.32 and later) threads point into a tree of
messages, each made of parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, stand_in
from memviz.transcripts.document import OTHER_FORMAT, Document, Reader
from memviz.transcripts.readers.blocks import (
    MEDIA,
    Part,
    add_parts,
    add_result,
    call_parts,
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
ASKED_COLUMNS = ("model", "resolved_model", "datetime_utc")
RESPONSE_COLUMNS = (
    *("id", "conversation_id", "prompt", "system", "response", "reasoning"),
    *ASKED_COLUMNS,
)
CALL_FIELDS = ("name", "arguments", "tool_call_id")
CALL_COLUMNS = ("id", "response_id", *CALL_FIELDS)
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
    title = "llm logs (logs.db)"

    def recognise(self, document: Document) -> bool:
        """A database with the tables of either version."""
        return _has(document, OLD) or _has(document, NEW)

    def conversations(self, document: Document) -> Sequence[Thread | Conversation]:
        """The threads, then what only the older tables have: llm copies nothing when it is updated, and a thread that
        continues an older conversation keeps its id."""
        tables = document.tables
        if not self.recognise(document):
            raise TranscriptError(
                "there are no tables of llm's logs.", remedy=OTHER_FORMAT
            )
        names = {
            cell_text(row["id"]): cell_text(row["name"])
            for row in tables.rows("conversations", ("id", "name"))
        }
        newer = _threads(tables, names) if _has(document, NEW) else []
        older: list[Conversation] = []
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


def _attachment_labels(tables: Tables) -> dict[str, str]:
    """Return a stand-in for every attachment by its id; the bytes are not read."""
    labels = {}
    for row in tables.rows("attachments", ("id", "type", "path", "url")):
        family = cell_text(row["type"]).split("/")[0]
        where = cell_text(row["path"]) or cell_text(row["url"]).split("?")[0]
        name = where.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        shown = stand_in(family) if family in MEDIA else stand_in("file", name)
        labels[cell_text(row["id"])] = shown
    return labels


def _fragment_texts(tables: Tables) -> dict[str, str]:
    """Return the text of every fragment by its id."""
    return {
        cell_text(row["id"]): cell_text(row["content"])
        for row in tables.rows("fragments", ("id", "content"))
    }


def _asked(row: Row) -> dict[str, str]:
    """Return the ``meta`` of a reply: when the model was asked, and which one it was."""
    model = cell_text(row["resolved_model"]) or cell_text(row["model"])
    return with_time(row["datetime_utc"], model=model)


class Conversation(NamedTuple):
    """The responses of one conversation of the older tables in order, and what the other tables say of them."""

    name: str
    responses: Sequence[Row]
    beside: Beside


class Beside:
    """What the other tables of the older versions say of each response, by its id."""

    def __init__(self, tables: Tables) -> None:
        labels = _attachment_labels(tables)
        fragments = _fragment_texts(tables)

        def linked(table: str, owner: str, column: str) -> dict[str, list[str]]:
            """Return the texts that the rows of a linking table join to each owner, in order."""
            texts = labels if column == "attachment_id" else fragments
            found: dict[str, list[str]] = {}
            for row in tables.rows(table, (owner, column, "order"), (owner, "order")):
                id = cell_text(row[column])
                if id in texts:
                    found.setdefault(cell_text(row[owner]), []).append(texts[id])
            return found

        def rows(table: str, columns: Sequence[str]) -> dict[str, list[Row]]:
            return grouped(tables.rows(table, columns, ("id",)), "response_id")

        self.attachments = linked("prompt_attachments", "response_id", "attachment_id")
        self.fragments = linked("prompt_fragments", "response_id", "fragment_id")
        self.system_fragments = linked("system_fragments", "response_id", "fragment_id")
        self.shown = linked(
            "tool_results_attachments", "tool_result_id", "attachment_id"
        )
        self.calls = rows("tool_calls", CALL_COLUMNS)
        self.results = rows("tool_results", RESULT_COLUMNS)

    def system(self, row: Row) -> str:
        """Return a system prompt as llm sends it: its fragments, then what was typed."""
        fragments = self.system_fragments.get(cell_text(row["id"]), [])
        texts = (text.strip() for text in (*fragments, cell_text(row["system"])))
        return "\n\n".join(text for text in texts if text)

    def prompt(self, row: Row) -> str:
        """Return a prompt as llm sends it: its fragments, then what was typed and what was attached."""
        id = cell_text(row["id"])
        typed = cell_text(row["prompt"])
        fragments = self.fragments.get(id, [])
        prompt = "\n".join([*fragments, typed] if row["prompt"] else fragments)
        return joined([prompt, *self.attachments.get(id, [])])


def _older(
    tables: Tables, names: Mapping[str, str], in_threads: set[str]
) -> list[Conversation]:
    """Return all conversations of the older tables but those that the newer ones have whole."""
    rows = tables.rows("responses", RESPONSE_COLUMNS, ("datetime_utc", "id"))
    for row in rows:
        row["conversation_id"] = row["conversation_id"] or f"response {row['id']}"
    found = grouped(rows, "conversation_id")
    if not found.keys() - in_threads:
        return []
    beside = Beside(tables)
    return [
        Conversation(names.get(id, ""), responses, beside)
        for id, responses in found.items()
        if id not in in_threads
    ]


def _read_conversation(piece: Conversation, builder: TranscriptBuilder) -> Transcript:
    """Return the conversation. Its first system prompt becomes the transcript's; a changed one is a message."""
    first = piece.responses[0]
    beside = piece.beside
    first_system = system = beside.system(first)
    for row in piece.responses:
        place = f"response {cell_text(row['id'])[:40]}"
        time = with_time(row["datetime_utc"])
        changed = beside.system(row)
        prompt = beside.prompt(row)
        if changed and changed != system:
            builder.add_text("system", changed, place, meta=time)
            system = changed
        for result in beside.results.get(cell_text(row["id"]), []):
            shown = beside.shown.get(cell_text(result["id"]), [])
            part = _result(result, result["tool_call_id"], result["name"], shown)
            add_result(
                builder, place, part.id, part.text, part.name, **time, **part.meta
            )
        if prompt:
            builder.add_text("user", prompt, place, meta=time)
        _add_reply(row, beside, builder, place)
    return builder.build(
        title=piece.name or UNTITLED,
        system_prompt=first_system or None,
        held_at=moment(first["datetime_utc"]),
    )


def _add_reply(
    row: Row, beside: Beside, builder: TranscriptBuilder, place: str
) -> None:
    calls = [
        {key: cell_text(call[key]) or None for key in CALL_FIELDS}
        for call in beside.calls.get(cell_text(row["id"]), [])
    ]
    if row["response"] is None and not calls:
        return
    parts = [
        Part("reasoning", cell_text(row["reasoning"])),
        Part("text", cell_text(row["response"])),
        *call_parts(calls, builder.note_at(place)),
    ]
    add_parts(builder, "assistant", parts, place, meta=_asked(row))


def _result(
    fields: Mapping[str, Any], id: object, name: object, shown: Iterable[str]
) -> Part:
    """Return the result of a tool: its output, or else the exception that it raised, and what it attached."""
    output = cell_text(fields["output"])
    exception = cell_text(fields["exception"])
    return result_part(
        cell_text(id),
        joined([output or exception, *shown]),
        cell_text(name),
        exception=exception if output and exception else None,
    )


class Store:
    """All messages of the newer tables, by hash, with their parts, and what the turns say of them."""

    def __init__(self, tables: Tables) -> None:
        self.roles: dict[str, object] = {}
        self.parent_of: dict[str, str | None] = {}
        for row in tables.rows("messages", ("hash", "parent_hash", "role")):
            hash = cell_text(row["hash"])
            self.roles[hash] = row["role"]
            self.parent_of[hash] = cell_text(row["parent_hash"]) or None
        order = ("message_hash", "position", "id")
        self.parts = grouped(tables.rows("parts", PART_COLUMNS, order), order[0])
        self.attachments = _attachment_labels(tables)
        self.fragments = _fragment_texts(tables)
        self.meta: dict[str, dict[str, str]] = {}
        for turn in tables.rows("turns", TURN_COLUMNS, ("datetime_utc",)):
            # A message is shared by all that say it after the same history: the first turn is when it was said.
            asked = turn["parent_message_hash"]
            answered = turn["tip_message_hash"]
            self.meta.setdefault(cell_text(asked), with_time(turn["datetime_utc"]))
            self.meta.setdefault(cell_text(answered), _asked(turn))

    def label(self, attachment: object) -> str:
        """Return the stand-in of an attachment."""
        return self.attachments.get(cell_text(value_at(attachment, "id")), "[file]")


class Thread(NamedTuple):
    """One thread: the message that it ends with."""

    id: str
    name: str
    tip: str
    started: Any
    store: Store


def _threads(tables: Tables, names: Mapping[str, str]) -> list[Thread]:
    """Return all threads that have messages; where no thread is kept, one for each end of the tree."""
    store = Store(tables)
    columns = ("id", "name", "tip_message_hash", "datetime_utc")
    found = []
    for row in tables.rows("threads", columns, ("datetime_utc", "id")):
        id = cell_text(row["id"])
        tip = cell_text(row["tip_message_hash"])
        name = names.get(id) or cell_text(row["name"])
        if tip:
            found.append(Thread(id, name, tip, row["datetime_utc"], store))
    if found:
        return found
    ends = leaves(store.parent_of)
    return [Thread("", names.get("", ""), hash, None, store) for hash in ends]


def _read_thread(piece: Thread, builder: TranscriptBuilder) -> Transcript:
    """Return the messages from the root of the tree to the tip of the thread."""
    store = piece.store
    path, is_cycle = branch(piece.tip, store.parent_of)
    if is_cycle:
        builder.note("the messages go round in a circle; those of one round were read")
    elif path and store.parent_of[path[0]] is not None:
        builder.note("what comes before the first message is missing in the database")
    for hash in path:
        place = f"message {hash[:40]}"
        role = builder.speaker({"role": store.roles[hash]}, place)
        if role is not None:
            parts: list[Part] = []
            meta = store.meta.get(hash, {})
            time = {TIME: meta[TIME]} if TIME in meta else {}
            for row in store.parts.get(hash, []):
                for part in _parts(row, store, builder, place):
                    timed = {**time, **part.meta} if part.kind == "result" else {}
                    parts.append(part._replace(meta=timed))
            add_parts(builder, role, parts, place, meta=meta)
    return builder.build(title=piece.name or UNTITLED, held_at=moment(piece.started))


def _parts(
    row: Row, store: Store, builder: TranscriptBuilder, place: str
) -> list[Part]:
    kind = cell_text(row["type"])
    payload = cell_object(row["payload"], builder)
    id = payload.get("tool_call_id")
    if kind == "text":
        return [Part("text", _text(row, payload, store, builder, place))]
    if kind == "reasoning":
        return [Part("reasoning", _text(row, payload, store, builder, place))]
    if kind == "tool_call":
        name = payload.get("name") or row["tool_name"]
        call = {**payload, "id": id, "name": name}
        return call_parts([call], builder.note_at(place))
    if kind == "tool_result":
        fields = {"output": None, "exception": None, **payload}
        name = id_text(payload.get("name")) or id_text(row["tool_name"])
        shown = map(store.label, list_at(payload, "attachments"))
        return [_result(fields, id, name, shown)]
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
    pieces = payload.get("text_ref")
    if row["text"] is not None or not isinstance(pieces, list):
        return cell_text(row["text"]) or cell_text(payload.get("text"))
    text = ""
    for piece in pieces:
        literal = texts_at(piece, "literal").get("literal")
        if literal is None:
            literal = store.fragments.get(cell_text(value_at(piece, "fragment")))
        if literal is None:
            builder.note("a fragment of a message is missing in the database", place)
        text += literal or ""
    return text
