"""LangChain: lists of messages, the JSON of a memory or of a graph's state, and the table of a message history."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import (
    HEAD_ITEMS,
    Document,
    PlacedValue,
    Reader,
    require_pieces,
)
from memviz.transcripts.readers.database_rows import (
    group_conversations,
    parse_cell,
    row_place,
)
from memviz.transcripts.readers.json_access import (
    as_list,
    at_least_half,
    drop_empty,
    id_text,
    list_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.readers.langchain_messages import (
    SPOKEN,
    Shape,
    add_message,
    read_shape,
)
from memviz.transcripts.times import parse_first_moment

MESSAGE_PATHS = (
    ("messages",), ("values", "messages"), ("channel_values", "messages"), ("checkpoint", "channel_values", "messages"),
    ("kwargs", "messages"),
)  # fmt: skip
EMPTY: tuple[Any, ...] = ([], {"messages": []})
"""Histories in which nothing was said yet."""
THREAD_PATHS = (
    ("thread_id",),
    ("checkpoint", "thread_id"),
    ("config", "configurable", "thread_id"),
)
TIME_PATHS = (("created_at",), ("ts",), ("checkpoint", "ts"))
EXPECTED = noop("messages of LangChain")


class Held(NamedTuple):
    """The messages of one conversation with what is kept beside them."""

    items: Sequence[PlacedValue]
    title: str = ""
    summary: str = ""
    """One that was stored."""
    is_pruned: bool = False
    """The messages that the summary replaced are gone."""
    thread: str = ""
    """The id of a LangGraph thread."""
    saved_at: datetime | None = None
    """The time at which this state of the thread was saved."""
    states: int = 1
    """The number of states of the thread in the file."""
    is_text: bool = False
    """The messages are JSON text still, as in the cells of a table."""


TABLE_COLUMNS = ("id", "session_id", "message")
PRUNED = noop(
    "turns before the first message were already replaced by the stored summary when it was saved"
)
OLDER_STATES = noop(
    "the file holds {states} saved states of this conversation, and the newest was read"
)


class LangChain(Reader):
    """Messages as LangChain and LangGraph write them."""

    name = "langchain"
    title = noop("LangChain or LangGraph messages")

    def recognise(self, document: Document) -> bool:
        """Messages of LangChain's types, alone or in what it keeps them in; or the table of a message history."""
        if document.columns:
            return bool(_find_tables(document))
        return bool(_find_conversations(document))

    def conversations(self, document: Document) -> Sequence[Held]:
        """One for each list of messages, for each thread of a graph, for each session of a table."""
        conversations = (
            _read_sessions(document)
            if document.columns
            else keep_newest_states(_find_conversations(document))
        )
        if not conversations and document.items:
            return [Held(document.placed)]
        return require_pieces(conversations, EXPECTED, document)

    def read(self, piece: Held, builder: TranscriptBuilder) -> Transcript:
        """The conversation, with the summary that is kept beside it."""
        if piece.states > 1:
            builder.note(Said(OLDER_STATES, states=piece.states))
        if piece.is_pruned:
            builder.note(PRUNED)
            builder.add_event("summary", piece.summary)
        for item, place in join_chunks(_parse_cells(piece, builder)):
            add_message(item, builder, place)
        if piece.summary and not piece.is_pruned:
            builder.add_event("summary", piece.summary)
        return builder.build(title=piece.title or UNTITLED, held_at=piece.saved_at)


def _find_conversations(document: Document) -> list[Held]:
    """The conversations of a JSON document; none where it is of another kind."""
    if document.object:
        return find_conversations(document.object)
    if are_messages(document.items):
        return [Held(document.placed)]
    conversations = []
    for item, place in document.placed:
        if item in EMPTY:
            continue
        held = find_conversations(item) if isinstance(item, dict) else []
        if are_messages(item):
            held = [Held(listed(item, place))]
        if not held:
            return []
        conversations += held
    return conversations


def _parse_cells(piece: Held, builder: TranscriptBuilder) -> Iterator[PlacedValue]:
    for item, place in piece.items:
        if piece.is_text:
            yield from parse_cell(item, place, builder)
        else:
            yield item, place


def _find_tables(document: Document) -> list[str]:
    expected_columns = set(TABLE_COLUMNS)
    return [
        name
        for name, columns in document.columns.items()
        if set(columns) == expected_columns
    ]


def _read_sessions(document: Document) -> list[Held]:
    expected = "of id, session_id and message"
    stored = group_conversations(
        document, _find_tables(document), TABLE_COLUMNS, ("id",), "session_id", expected
    )
    conversations = []
    for session, rows in stored:
        items = [(row["message"], row_place(row)) for row in rows]
        conversations.append(Held(items, title=session, is_text=True))
    return conversations


def join_chunks(placed: Iterable[PlacedValue]) -> Iterator[PlacedValue]:
    """The items with neighbouring chunks of one id put together, each reply in the place of its first piece."""
    run: list[Shape] = []
    started_at = ""
    for item, place in placed:
        shape = read_shape(item)
        if run and not (shape and _continues_run(run[-1], shape)):
            yield _join_run(run), started_at
            run = []
        if shape and shape.is_chunk and _id_of_shape(shape):
            started_at = started_at if run else place
            run.append(shape)
        else:
            yield item, place
    if run:
        yield _join_run(run), started_at


def _continues_run(last: Shape, shape: Shape) -> bool:
    is_alike = shape.type == last.type and _id_of_shape(shape) == _id_of_shape(last)
    return shape.is_chunk and is_alike


def _id_of_shape(shape: Shape) -> str:
    return text_at(shape.data, "id")


def _join_run(run: list[Shape]) -> dict[str, Any]:
    data = dict(run[0].data)
    for shape in run[1:]:
        data |= drop_empty(shape.data)
    data["content"] = _join_content([shape.data.get("content") for shape in run])
    if len(run) > 1:
        data["tool_calls"] = _join_calls(run)
        data["invalid_tool_calls"] = []
    return {"type": run[0].type, "data": data}


def _join_content(pieces: list[Any]) -> Any:
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    blocks: list[Any] = []
    for piece in pieces:
        for block in as_list(piece):
            if isinstance(block, str):
                block = {"type": "text", "text": block}
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


def _join_calls(run: list[Shape]) -> list[Any]:
    """The calls of a reply: put together from their pieces by index, or whole where no pieces are kept."""
    whole = []
    joined: dict[str, dict[str, Any]] = {}
    for shape in run:
        whole += list_at(shape.data, "tool_calls")
        whole += list_at(shape.data, "invalid_tool_calls")
        for piece in objects_at(shape.data, "tool_call_chunks"):
            call = joined.setdefault(str(piece.get("index")), {"args": ""})
            call.update({key: piece[key] for key in ("name", "id") if piece.get(key)})
            call["args"] += text_at(piece, "args")
    return list(joined.values()) or whole


def are_messages(items: object) -> bool:
    """Return whether at least half of a list are messages, and one of them is not of a type that other products have
    too."""
    if not isinstance(items, list):
        return False
    head = items[:HEAD_ITEMS]
    return any(map(_is_own, head)) and at_least_half(head, read_shape)


def _is_own(item: Any) -> bool:
    shape = read_shape(item)
    if shape is None:
        return False
    return shape.type in SPOKEN or "additional_kwargs" in shape.data or "lc" in item


def find_conversations(value: Mapping[str, Any]) -> list[Held]:
    """Return the conversations that an object holds; none where it is of another kind."""
    single = _as_single_conversation(value)
    if single:
        return single
    return [
        conversation._replace(title=key)
        for key, conversation in _conversations_by_session(value)
    ]


def keep_newest_states(conversations: Iterable[Held]) -> list[Held]:
    """The conversations, of several saved states of one thread the newest alone."""
    chosen: dict[str, Held] = {}
    for number, conversation in enumerate(conversations):
        key = conversation.thread or f"\0{number}"
        other = chosen.get(key)
        if other is None:
            chosen[key] = conversation
            continue
        states = other.states + 1
        if conversation.saved_at and not (
            other.saved_at and conversation.saved_at <= other.saved_at
        ):
            other = conversation
        chosen[key] = other._replace(states=states)
    return list(chosen.values())


def listed(items: Iterable[Any], inside: str = "") -> list[PlacedValue]:
    """The items of a list with their places, which is ``inside`` another."""
    return add_places(items, f"{inside}, index" if inside else "index")


def _as_single_conversation(value: Mapping[str, Any]) -> list[Held]:
    if read_shape(value):
        return [Held(listed([value]))] if are_messages([value]) else []
    items = value_at(value, "chat_memory", "messages")
    if isinstance(items, list):
        pruned = text_at(value, "moving_summary_buffer")
        summary = pruned or text_at(value, "buffer")
        return [Held(listed(items), summary=summary, is_pruned=bool(pruned))]
    for path in MESSAGE_PATHS:
        items = value_at(value, *path)
        if are_messages(items):
            threads = [id_text(value_at(value, *at)) for at in THREAD_PATHS]
            conversation = Held(
                listed(items),
                summary=text_at(value, *path[:-1], "summary"),
                thread=next(filter(None, threads), ""),
                saved_at=parse_first_moment(value_at(value, *at) for at in TIME_PATHS),
            )
            return [conversation]
    return []


def _conversations_by_session(value: Mapping[str, Any]) -> list[tuple[str, Held]]:
    """Dictionaries of session ids, which programs keep their histories in."""
    conversations = []
    for key, inner in value.items():
        if inner in EMPTY:
            continue
        if are_messages(inner):
            conversations.append((key, Held(listed(inner))))
        elif (
            isinstance(inner, dict)
            and (conversations_inside := _as_single_conversation(inner))
            and not read_shape(inner)
        ):
            conversations.append((key, conversations_inside[0]))
        else:
            return []
    return conversations
