"""A run as a table: one row a request, or one a turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memviz.core.context import ALL_PARTS
from memviz.engine.part_tokens import message_count
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
    row: dict[str, Any] = {"turn": record.turn, "call": record.call}
    for part in ALL_PARTS:
        row[f"{part}_tokens"] = record.tokens.get(part, 0)
    compactions = record.compactions
    row["total_tokens"] = record.total_tokens
    row["reply_tokens"] = record.reply_tokens
    row["messages"] = message_count(record.memory.space, record.parts, record.thoughts)
    row["compactions"] = sum(
        compaction.is_summarization or compaction.dropped for compaction in compactions
    )
    row["failed_compactions"] = sum(
        bool(compaction.error) for compaction in compactions
    )
    row["summary_version"] = record.summary.version if record.summary else 0
    row["flags"] = ", ".join(record.flags)
    row["kind"] = record.kind
    return row


def _turn_row_of(record: TurnRecord) -> dict[str, Any]:
    rows = [_row_of(request) for request in record.requests]
    row: dict[str, Any] = {}
    for name in SUMMED_COLUMNS:
        row[name] = sum(request_row[name] for request_row in rows)
    flags: dict[str, None] = {}
    for request in record.requests:
        flags |= dict.fromkeys(request.flags)
    row["turn"] = record.turn
    row["requests"] = len(rows)
    row["summary_version"] = rows[-1]["summary_version"]
    row["flags"] = ", ".join(flags)
    return row
