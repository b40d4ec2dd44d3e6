"""A run as a table: one row a request, or one a turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memviz.core.context import ALL_PARTS
from memviz.engine.part_tokens import count_messages
from memviz.engine.records import TurnRecord

if TYPE_CHECKING:
    from pandas import DataFrame

SUMMED_COLUMNS = [
    *(f"{part}_tokens" for part in ALL_PARTS),
    "total_tokens",
    "reply_tokens",
    "messages",
    "compactions",
    "failed_compactions",
]
FRAME_COLUMNS = ["turn", "call", *SUMMED_COLUMNS, "summary_version", "flags", "kind"]
TURN_FRAME_COLUMNS = [
    "turn",
    "requests",
    *SUMMED_COLUMNS,
    "summary_version",
    "flags",
]


def frame_of_requests(records: Iterable[TurnRecord]) -> DataFrame:
    """Return one row a request."""
    from pandas import DataFrame

    return DataFrame([_row_of(record) for record in records], columns=FRAME_COLUMNS)


def frame_of_turns(turns: Iterable[TurnRecord]) -> DataFrame:
    """Return one row a turn, of the last record of each: sums of its requests, and what the last of them had."""
    from pandas import DataFrame

    rows = [_turn_row_of(record) for record in turns]
    return DataFrame(rows, columns=TURN_FRAME_COLUMNS)


def _row_of(record: TurnRecord) -> dict[str, Any]:
    compactions = record.compactions
    has_changed = [
        compaction.is_summarization or compaction.dropped for compaction in compactions
    ]
    has_failed = [bool(compaction.error) for compaction in compactions]
    return {
        "turn": record.turn,
        "call": record.call,
        **{f"{part}_tokens": record.tokens.get(part, 0) for part in ALL_PARTS},
        "total_tokens": record.total_tokens,
        "reply_tokens": record.reply_tokens,
        "messages": count_messages(record.memory.space, record.parts, record.thoughts),
        "compactions": sum(has_changed),
        "failed_compactions": sum(has_failed),
        "summary_version": record.summary.version if record.summary else 0,
        "flags": ", ".join(record.flags),
        "kind": record.kind,
    }


def _turn_row_of(record: TurnRecord) -> dict[str, Any]:
    rows = [_row_of(request) for request in record.requests]
    flags: dict[str, None] = {}
    for request in record.requests:
        flags |= dict.fromkeys(request.flags)
    sums = {}
    for name in SUMMED_COLUMNS:
        sums[name] = sum(row[name] for row in rows)
    return {
        **sums,
        "turn": record.turn,
        "requests": len(rows),
        "summary_version": rows[-1]["summary_version"],
        "flags": ", ".join(flags),
    }
