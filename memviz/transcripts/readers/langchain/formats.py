"""LangChain: lists of messages, the JSON of a memory or of a graph's state, and the table of a message history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Placed, Reader, mismatch
from memviz.transcripts.readers.database_rows import (
    cell_json,
    conversations_in,
    row_place,
)
from memviz.transcripts.readers.json_access import list_at, objects_at, text_at
from memviz.transcripts.readers.langchain.containers import (
    EMPTY,
    Held,
    are_messages,
    held_in,
    listed,
    newest_states,
)
from memviz.transcripts.readers.langchain.messages import Shape, add_message, shape_of

TABLE_COLUMNS = ("id", "session_id", "message")
PRUNED = "turns before the first message were already replaced by the stored summary when it was saved"
NO_JSON = "is not JSON"


class LangChain(Reader):
    """Messages as LangChain and LangGraph write them."""

    name = "langchain"
    title = "LangChain or LangGraph messages"

    def recognise(self, document: Document) -> bool:
        """Messages of LangChain's types, alone or in what it keeps them in; or the table of a message history."""
        if document.columns:
            return bool(_tables(document))
        return bool(_held(document))

    def conversations(self, document: Document) -> Sequence[Held]:
        """One for each list of messages, for each thread of a graph, for each session of a table."""
        found = (
            _sessions(document) if document.columns else newest_states(_held(document))
        )
        if not found and document.items:
            return [Held(document.placed)]
        if not found:
            raise mismatch("messages of LangChain", document)
        return found

    def read(self, piece: Held, builder: TranscriptBuilder) -> Transcript:
        """The conversation, with the summary that is kept beside it."""
        if piece.states > 1:
            builder.note(
                f"the file holds {piece.states} saved states of this conversation, and the newest was read"
            )
        if piece.is_pruned:
            builder.note(PRUNED)
            builder.add_event("summary", piece.summary)
        for item, place in joined_chunks(_parsed(piece, builder)):
            add_message(item, builder, place)
        if piece.summary and not piece.is_pruned:
            builder.add_event("summary", piece.summary)
        return builder.build(title=piece.title or UNTITLED, held_at=piece.saved_at)


def _held(document: Document) -> list[Held]:
    """The conversations of a JSON document; none where it is of another kind."""
    if document.object:
        return held_in(document.object)
    if are_messages(document.items):
        return [Held(document.placed)]
    found: list[Held] = []
    for item, place in document.placed:
        if item in EMPTY:
            continue
        inner = (
            [Held(listed(item, place))]
            if isinstance(item, list) and are_messages(item)
            else []
        )
        inner = held_in(item) if isinstance(item, dict) else inner
        if not inner:
            return []
        found += inner
    return found


def _parsed(piece: Held, builder: TranscriptBuilder) -> Iterator[Placed]:
    for item, place in piece.items:
        if not piece.is_text:
            yield item, place
            continue
        try:
            yield cell_json(item, builder), place
        except TranscriptError:
            builder.leave_out(place, NO_JSON)


def _tables(document: Document) -> list[str]:
    return [
        name
        for name, columns in document.columns.items()
        if set(columns) == set(TABLE_COLUMNS)
    ]


def _sessions(document: Document) -> list[Held]:
    expected = "of id, session_id and message"
    stored = conversations_in(
        document, _tables(document), TABLE_COLUMNS, ("id",), "session_id", expected
    )
    return [
        Held(
            [(row["message"], row_place(row)) for row in rows],
            title=session,
            is_text=True,
        )
        for session, rows in stored
    ]


def joined_chunks(placed: Iterable[Placed]) -> Iterator[Placed]:
    """The items with neighbouring chunks of one id put together, each reply in the place of its first piece."""
    run: list[Shape] = []
    started_at = ""
    for item, place in placed:
        shape = shape_of(item)
        if run and not (shape and _continues(run[-1], shape)):
            yield _joined(run), started_at
            run = []
        if shape and shape.is_chunk and _id(shape):
            started_at = started_at if run else place
            run.append(shape)
        else:
            yield item, place
    if run:
        yield _joined(run), started_at


def _continues(last: Shape, shape: Shape) -> bool:
    return shape.is_chunk and shape.type == last.type and _id(shape) == _id(last)


def _id(shape: Shape) -> str:
    return text_at(shape.data, "id")


def _joined(run: list[Shape]) -> dict[str, Any]:
    data = dict(run[0].data)
    for shape in run[1:]:
        data = {**data, **{key: value for key, value in shape.data.items() if value}}
    data["content"] = _content([shape.data.get("content") for shape in run])
    if len(run) > 1:
        data["tool_calls"] = _calls(run)
        data["invalid_tool_calls"] = []
    return {"type": run[0].type, "data": data}


def _content(pieces: list[Any]) -> Any:
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    blocks: list[Any] = []
    for piece in pieces:
        for block in piece if isinstance(piece, list) else [piece]:
            block = {"type": "text", "text": block} if isinstance(block, str) else block
            if not (blocks and _extend(blocks[-1], block)):
                blocks.append(dict(block) if isinstance(block, dict) else block)
    return blocks


def _extend(last: Any, block: Any) -> bool:
    """Add a block to the one before it, if it is the next piece of the same text or thought."""
    if not isinstance(last, dict) or not isinstance(block, dict):
        return False
    if (last.get("type"), last.get("index")) != (block.get("type"), block.get("index")):
        return False
    for key in ("text", "thinking", "reasoning"):
        if isinstance(last.get(key), str) and isinstance(block.get(key), str):
            last[key] += block[key]
            return True
    return False


def _calls(run: list[Shape]) -> list[Any]:
    """The calls of a reply: put together from their pieces by index, or whole where no pieces are kept."""
    pieces = [
        piece for shape in run for piece in objects_at(shape.data, "tool_call_chunks")
    ]
    if not pieces:
        keys = ("tool_calls", "invalid_tool_calls")
        return [
            call for shape in run for key in keys for call in list_at(shape.data, key)
        ]
    calls: dict[str, dict[str, Any]] = {}
    for piece in pieces:
        call = calls.setdefault(str(piece.get("index")), {"args": ""})
        call.update({key: piece[key] for key in ("name", "id") if piece.get(key)})
        call["args"] += text_at(piece, "args")
    return list(calls.values())
