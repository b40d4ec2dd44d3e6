"""The older tables of llm's logs: conversations, with a row for each response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memviz.transcripts.base import REASONING, UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.database_rows import Row, cell_text, grouped
from memviz.transcripts.readers.json_access import joined
from memviz.transcripts.readers.llm.parts import (
    asked,
    attachment_labels,
    fragment_texts,
    links,
    prompt_text,
    system_text,
)
from memviz.transcripts.readers.message_parts import Part, add_parts, call_parts
from memviz.transcripts.sqlite_tables import Tables
from memviz.transcripts.times import moment, with_time

COLUMNS = (
    "id", "model", "resolved_model", "prompt", "system", "response", "reasoning", "conversation_id", "datetime_utc",
)  # fmt: skip
CALL_FIELDS = ("name", "arguments", "tool_call_id")
CALL_COLUMNS = ("id", "response_id", *CALL_FIELDS)
RESULT_COLUMNS = ("id", "response_id", "name", "output", "exception", "tool_call_id")


class Exchange(NamedTuple):
    """One response with what was asked: the texts of its prompts, the calls that it made, the results it was given."""

    row: Row
    system: str
    prompt: str
    calls: list[Row]
    results: list[tuple[Row, list[str]]]


class Conversation(NamedTuple):
    """The exchanges of one conversation in order."""

    name: str
    exchanges: Sequence[Exchange]


def conversations(tables: Tables, in_threads: Iterable[str] = ()) -> list[Conversation]:
    """All conversations of the older tables but those with an id in ``in_threads``, which the newer ones have whole."""
    rows = tables.rows("responses", COLUMNS, ("datetime_utc", "id"))
    names = conversation_names(tables)
    known = set(in_threads)
    whole = [
        {**row, "conversation_id": row["conversation_id"] or f"response {row['id']}"}
        for row in rows
    ]
    chosen = {
        id: inside
        for id, inside in grouped(whole, "conversation_id").items()
        if id not in known
    }
    if not chosen:
        return []
    exchange = _Beside(tables).exchange
    return [
        Conversation(names.get(id, ""), [exchange(row) for row in inside])
        for id, inside in chosen.items()
    ]


def conversation_names(tables: Tables) -> dict[str, str]:
    """The name of every conversation of the older tables, by its id."""
    return {
        cell_text(row["id"]): cell_text(row["name"])
        for row in tables.rows("conversations", ("id", "name"))
    }


def read_conversation(piece: Conversation, builder: TranscriptBuilder) -> Transcript:
    """The conversation. Its first system prompt becomes the transcript's; a changed one is a message."""
    first = piece.exchanges[0]
    system = first.system
    for exchange in piece.exchanges:
        place, time = (
            f"response {cell_text(exchange.row['id'])[:40]}",
            with_time(exchange.row["datetime_utc"]),
        )
        if exchange.system and exchange.system != system:
            builder.add_text("system", exchange.system, place, meta=time or None)
            system = exchange.system
        for result, shown in exchange.results:
            output, exception = (
                cell_text(result[key]) for key in ("output", "exception")
            )
            text = joined([output or exception, *shown])
            failed = {"exception": exception} if output and exception else {}
            name, id = (
                cell_text(result[key]) or None for key in ("name", "tool_call_id")
            )
            builder.add_text(
                "tool",
                text,
                place,
                name=name,
                tool_call_id=id,
                meta={**time, **failed} or None,
            )
        if exchange.prompt:
            builder.add_text("user", exchange.prompt, place, meta=time or None)
        _add_reply(exchange, builder, place)
    held_at = moment(first.row["datetime_utc"])
    return builder.build(
        title=piece.name or UNTITLED,
        system_prompt=first.system or None,
        held_at=held_at,
    )


def _add_reply(exchange: Exchange, builder: TranscriptBuilder, place: str) -> None:
    row = exchange.row
    if row["response"] is None and not exchange.calls:
        return
    calls = [
        {key: cell_text(call[key]) or None for key in CALL_FIELDS}
        for call in exchange.calls
    ]
    parts = [
        Part("text", cell_text(row["response"])),
        *call_parts(calls, builder, place),
    ]
    thoughts = {REASONING: cell_text(row["reasoning"])} if row["reasoning"] else {}
    add_parts(
        builder, "assistant", parts, place, meta={**asked(row), **thoughts} or None
    )


class _Beside:
    """What the other tables say of each response."""

    def __init__(self, tables: Tables) -> None:
        labels, texts = attachment_labels(tables), fragment_texts(tables)
        self._attachments = links(
            tables, "prompt_attachments", "response_id", "attachment_id", labels
        )
        self._fragments = links(
            tables, "prompt_fragments", "response_id", "fragment_id", texts
        )
        self._system_fragments = links(
            tables, "system_fragments", "response_id", "fragment_id", texts
        )
        self._shown = links(
            tables,
            "tool_results_attachments",
            "tool_result_id",
            "attachment_id",
            labels,
        )
        self._calls = grouped(
            tables.rows("tool_calls", CALL_COLUMNS, ("id",)), "response_id"
        )
        self._results = grouped(
            tables.rows("tool_results", RESULT_COLUMNS, ("id",)), "response_id"
        )

    def exchange(self, row: Row) -> Exchange:
        """The response of this row with all that belongs to it."""
        id = cell_text(row["id"])
        prompt = prompt_text(self._fragments.get(id, []), row["prompt"])
        return Exchange(
            row,
            system_text(self._system_fragments.get(id, []), row["system"]),
            joined([prompt, *self._attachments.get(id, [])]),
            self._calls.get(id, []),
            [
                (result, self._shown.get(cell_text(result["id"]), []))
                for result in self._results.get(id, [])
            ],
        )
