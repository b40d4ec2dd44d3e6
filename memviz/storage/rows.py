"""Values to rows and back. Rows are plain dictionaries, ready for bulk inserts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Table

from memviz.conversation import Log, Message, ToolCall, clean_text
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.memory import SUMMARY, SummaryVersion
from memviz.storage.run_shapes import expect_sound
from memviz.storage.tables import COMPACTIONS, SUMMARIES, TURNS, ConversationRow, RunRow
from memviz.text.wording import counted
from memviz.transcripts.base import Probe, RecordedEvent, Transcript

Row = dict[str, Any]


def row(**columns: Any) -> Row:
    """A row whose texts SQLite accepts. Lone surrogates inside JSON columns are escaped there instead."""
    return {
        name: clean_text(value) if isinstance(value, str) else value
        for name, value in columns.items()
    }


def same(stored: Mapping[Any, Any], made: Row) -> bool:
    """Whether a stored row is the one that would be written now. Compared as JSON: tuples become lists there."""
    return json.dumps(dict(stored)) == json.dumps(made, default=repr)


def conversation_row(transcript: Transcript) -> Row:
    """The columns of a conversation that come from its transcript."""
    return row(
        title=transcript.title,
        format=transcript.format,
        language=transcript.language,
        description=transcript.description,
        system_prompt=transcript.system_prompt,
        probes=[probe.to_dict() for probe in transcript.probes],
        warnings=list(transcript.warnings),
        message_count=len(transcript.messages),
        turn_count=Log(transcript.messages).turn_count,
        held_at=transcript.held_at,
        events=[event.to_dict() for event in transcript.events] or None,
        tools=list(transcript.tools) or None,
    )


def transcript(stored: ConversationRow, messages: Iterable[Message]) -> Transcript:
    """The transcript of a stored conversation."""
    return Transcript(
        messages=tuple(messages),
        title=stored.title,
        format=stored.format,
        probes=tuple(Probe.from_dict(probe) for probe in stored.probes),
        warnings=tuple(stored.warnings),
        system_prompt=stored.system_prompt,
        description=stored.description,
        language=stored.language,
        events=tuple(RecordedEvent.from_dict(event) for event in stored.events or ()),
        held_at=stored.held_at,
        tools=tuple(stored.tools or ()),
    )


def message_rows(
    conversation_id: str, log: Sequence[Message], start: int = 0
) -> list[Row]:
    """The messages of ``log`` from position ``start`` on."""
    return [
        row(
            conversation_id=conversation_id,
            position=position,
            role=message.role,
            content=message.content,
            name=message.name,
            tool_calls=[asdict(call) for call in message.tool_calls] or None,
            tool_call_id=message.tool_call_id,
            meta=None if message.meta is None else dict(message.meta),
        )
        for position, message in enumerate(log[start:], start)
    ]


_TOOL_CALLS = TypeAdapter(tuple[ToolCall, ...])


def message(stored: Mapping[Any, Any]) -> Message:
    """The message of a stored row. Raises ValueError where the row is damaged."""
    return Message(
        role=stored["role"],
        content=stored["content"],
        name=stored["name"],
        tool_calls=_TOOL_CALLS.validate_python(stored["tool_calls"] or []),
        tool_call_id=stored["tool_call_id"],
        meta=stored["meta"],
    )


def setting(run: Run) -> Row:
    """The columns that say under which setting a run was made."""
    return row(
        strategy_id=run.strategy.id,
        parameters=run.strategy.model_dump(),
        counter=run.counter.name,
        system_prompt=run.system_prompt,
        system_tokens=run.space.prompt_tokens,
        earlier_settings=run.settings_before() or None,
    )


def turn_rows(run_id: str, run: Run, start: int) -> list[Row]:
    """The turns of a run from number ``start`` (0-based) on, each with all its requests."""
    turns = run.turns[start:]
    firsts = iter(
        run.first_compactions()[
            len(run.requests) - sum(len(turn.requests) for turn in turns) :
        ]
    )
    return [_turn_row(run_id, turn.requests, firsts) for turn in turns]


def _turn_row(
    run_id: str, requests: Sequence[TurnRecord], first_compactions: Iterator[int]
) -> Row:
    return row(
        run_id=run_id,
        turn=requests[0].turn,
        total_tokens=sum(request.total_tokens for request in requests),
        reply_tokens=sum(request.reply_tokens for request in requests),
        flags=", ".join(
            dict.fromkeys(flag for request in requests for flag in request.flags)
        ),
        record={
            "requests": [
                request.to_dict(next(first_compactions)) for request in requests
            ]
        },
    )


def compaction_rows(run_id: str, run: Run, start: int) -> list[Row]:
    """The compactions of a run from number ``start`` (0-based) on."""
    return [
        _compaction_row(run_id, number, item)
        for number, item in enumerate(run.compactions[start:], start)
    ]


def _compaction_row(run_id: str, number: int, compaction: Compaction) -> Row:
    return row(
        run_id=run_id,
        number=number,
        turn=compaction.turn,
        after_message=compaction.after_message,
        reason=compaction.reason,
        error=compaction.error,
        tokens_before=compaction.tokens_before,
        tokens_after=compaction.tokens_after,
        seconds=compaction.seconds or 0.0,  # the record says where it is not known
        cost_usd=compaction.cost,
        record=compaction.to_dict(),
    )


def summary_rows(run_id: str, run: Run, start: int) -> list[Row]:
    """The summary versions of a run from index ``start`` (0-based) on."""
    return [_summary_row(run_id, version) for version in run.summaries[start:]]


def _summary_row(run_id: str, version: SummaryVersion) -> Row:
    return row(
        run_id=run_id,
        version=version.version,
        turn=version.turn,
        text=version.text,
        tokens=version.tokens,
        covers_start=version.covers.start,
        covers_stop=version.covers.stop,
        added_start=version.added.start,
        added_stop=version.added.stop,
        replaces=version.replaces,
        track=None if version.track == SUMMARY else version.track,
    )


RECORDS: dict[Table, Callable[[str, Run, int], list[Row]]] = {
    TURNS: turn_rows,
    COMPACTIONS: compaction_rows,
    SUMMARIES: summary_rows,
}
"""The tables that hold what happened in a run, and what makes their rows: ``(run id, run, first number)``."""


def run(
    stored: RunRow, log: Log, records: Mapping[Table, Sequence[Mapping[Any, Any]]]
) -> Run:
    """The run of a stored row over its conversation, from its rows in the tables of ``RECORDS``."""
    record = {
        "strategy": {"id": stored.strategy_id, "parameters": stored.parameters},
        "counter": stored.counter,
        "system_prompt": stored.system_prompt,
        "system_tokens": stored.system_tokens,
        **(stored.ahead or {}),
        **(
            {"earlier_settings": stored.earlier_settings}
            if stored.earlier_settings
            else {}
        ),
        "summaries": [_summary(item) for item in records[SUMMARIES]],
        "compactions": [item["record"] for item in records[COMPACTIONS]],
        "requests": [
            request for item in records[TURNS] for request in item["record"]["requests"]
        ],
    }
    if [item["number"] for item in records[COMPACTIONS]] != list(
        range(len(records[COMPACTIONS]))
    ):
        raise ValueError("a summarization is missing")
    expect_sound(record, log)
    _expect_all_turns(stored, log, len(records[TURNS]))
    run = Run.from_record(record, log)
    if stored.kind == "replay":
        _expect_all_requests(run)
    return run


def _expect_all_turns(stored: RunRow, log: Log, turns: int) -> None:
    is_replay = stored.kind == "replay"
    # A turn that nobody answered has no request; of a chat the last one may have none yet.
    answered = (
        sum(bool(log.requests_of(turn)) for turn in log.turns())
        if is_replay
        else log.turn_count - 1
    )
    # A memory for somebody else's chat loop has no requests at all: they are made elsewhere.
    if turns < answered and (is_replay or turns):
        raise ValueError(f"of {counted(log.turn_count, 'turn')} it has {turns}")


def _expect_all_requests(replay: Run) -> None:
    asked = replay.log.request_count
    if len(replay.requests) != asked:
        raise ValueError(
            f"of {counted(asked, 'request')} it has {len(replay.requests)}"
        )


def _summary(stored: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        **{
            name: stored[name]
            for name in ("version", "turn", "text", "tokens", "replaces")
        },
        "covers": [stored["covers_start"], stored["covers_stop"]],
        "added": [stored["added_start"], stored["added_stop"]],
        "track": SUMMARY if stored["track"] is None else stored["track"],
    }
