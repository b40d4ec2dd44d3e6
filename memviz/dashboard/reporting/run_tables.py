"""The requests and the compactions of a run as tables that a spreadsheet opens. Numbers stay numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

import numpy as np

from memviz.core.text.wording import message_number
from memviz.engine.assembly import reduced
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.run_frame import FRAME_COLUMNS
from memviz.metrics.summaries.authors import summary_author
from memviz.metrics.summaries.compaction_words import reason_words
from memviz.metrics.summaries.events import CompactionEvent, compaction_events
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.transcripts.csv_cells import spreadsheet_safe

REQUEST_COLUMNS = (
    *FRAME_COLUMNS,
    "budget_tokens",
    "counted_tokens",
    "reply_model",
    "reply_seconds",
    "reply_cost_usd",
    "cleared_messages",
    "shortened_messages",
)
"""The columns of a run's frame; the budget that the setting keeps to and what of the request counts against it; of a
live reply who gave it, how long that took and what it cost (empty: unknown); and how many messages were sent cleared
(as a placeholder, or calls without arguments) and shortened."""
COMPACTION_COLUMNS = (
    "compaction", "request_turn", "request_call", "after_message", "what", "reason", "first_message", "last_message",
    "request_before_tokens", "request_after_tokens", "version", "replaces_version", "summary_tokens",
    "summarizer_calls", "failed_calls", "summarizer_prompt_tokens", "summarizer_output_tokens",
    "seconds", "cost_usd", "model", "author", "error", "summary", "notes",
)  # fmt: skip
"""Compactions, messages and versions are numbered from 1, as on the pages. ``request_turn`` is the turn of the first
request that a compaction changed and ``request_call`` which call of the turn that is (empty: none came any more); the
tokens before and after are those of that request. ``author`` says whether a summary is *recorded*, by the *offline
stand-in*, or *live*; ``notes`` is the kind of what was written: *summary*, or *facts* and the like."""


def requests_csv(run: Run) -> str:
    """One row a request; the columns are :data:`REQUEST_COLUMNS`."""
    rows: Any = run.frame().to_dict("records")
    return _csv(
        REQUEST_COLUMNS,
        (
            {**row, **_reply(run, record), **_reduced(record)}
            for row, record in zip(rows, run.requests, strict=True)
        ),
    )


def _reply(run: Run, record: TurnRecord) -> dict[str, Any]:
    facts, strategy = record.facts, record.strategy or run.strategy
    budget = strategy.budget_tokens
    return {
        "budget_tokens": budget,
        "counted_tokens": strategy.counted_tokens(record.tokens) if budget else None,
        "reply_model": facts.model if facts else None,
        "reply_seconds": facts.seconds if facts else None,
        "reply_cost_usd": facts.cost_usd if facts else None,
    }


def _reduced(record: TurnRecord) -> dict[str, int]:
    counts = {"cleared_messages": 0, "shortened_messages": 0}
    for piece in record.parts.messages:
        if piece.form is not None:
            counts[f"{piece.form.fate}_messages"] += len(
                reduced(record.memory.space, piece)
            )
    return counts


def compactions_csv(run: Run) -> str:
    """One row a compaction, those after the last request included; the columns are :data:`COMPACTION_COLUMNS`."""
    return _csv(
        COMPACTION_COLUMNS,
        (_compaction(run, event) for event in compaction_events(run)),
    )


def _compaction(run: Run, event: CompactionEvent) -> dict[str, Any]:
    compaction = event.compaction
    taken, sizes = compaction.summarized, request_sizes(compaction, run)
    return {
        "compaction": event.number + 1,
        "request_turn": event.request_turn,
        "request_call": event.request_call if event.request_turn else None,
        "after_message": message_number(compaction.after_message),
        "what": event.what.value,
        "reason": reason_words(compaction),
        "first_message": message_number(taken.start) if taken else None,
        "last_message": taken.stop if taken else None,
        "request_before_tokens": sizes.before_tokens,
        "request_after_tokens": sizes.after_tokens,
        "version": compaction.version,
        "replaces_version": event.base,
        "summary_tokens": compaction.summary_tokens if event.version else None,
        "summarizer_calls": compaction.calls,
        "failed_calls": compaction.failed_calls,
        "summarizer_prompt_tokens": compaction.prompt_tokens,
        "summarizer_output_tokens": compaction.output_tokens,
        "seconds": compaction.seconds,
        "cost_usd": compaction.total_cost_usd,
        "model": compaction.model,
        "author": author.value if (author := summary_author(compaction)) else None,
        "error": compaction.error,
        "summary": compaction.summary,
        "notes": compaction.track if event.version else None,
    }


def _csv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    out = StringIO()
    writer = csv.writer(
        out
    )  # its line ends are \r\n: with \n alone it would leave a \r in a cell unquoted
    names = list(columns)
    writer.writerow(names)
    writer.writerows([_cell(row[name]) for name in names] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A number as it is, nothing for what is not known, and text such that no spreadsheet takes it for a formula."""
    if isinstance(value, np.generic):
        value = value.item()
    return spreadsheet_safe(value) if isinstance(value, str) else value
