"""A run as files: lossless JSON, one request ready to be sent once more, and tables of
requests and compactions that a spreadsheet opens."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

import numpy as np

from memviz.core.messages import clean_text
from memviz.core.text.wording import message_number
from memviz.core.translation import ENGLISH, use_language
from memviz.dashboard.words.compactions import outcome_words, reason_words
from memviz.engine.assembly import reduced_forms
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.run_frame import FRAME_COLUMNS
from memviz.metrics.summaries.events import (
    CompactionEvent,
    compaction_events,
    summary_author,
)
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.models.names import OFFLINE
from memviz.models.tools import TOOLS
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
built-in model*, or *live*; ``notes`` is the kind of what was written: *summary*, or *facts* and the like."""

Row = Mapping[str, Any]
"""What is not known is left out."""
_LOOK: Any = {"ensure_ascii": False, "indent": 1}


def requests_csv(run: Run) -> str:
    """Return one row a request; the columns are :data:`REQUEST_COLUMNS`."""
    known: Any = run.frame().to_dict("records")
    rows = []
    for row, record in zip(known, run.requests, strict=True):
        rows.append(
            {**row, **_limit(run, record), **_reply(record), **_reduced(record)}
        )
    return _csv(REQUEST_COLUMNS, rows)


def _limit(run: Run, record: TurnRecord) -> Row:
    strategy = record.strategy or run.strategy
    budget = strategy.budget_tokens
    if not budget:
        return {"budget_tokens": budget}
    counted = strategy.counted_tokens(record.tokens)
    return {"budget_tokens": budget, "counted_tokens": counted}


def _reply(record: TurnRecord) -> Row:
    facts = record.facts
    if facts is None:
        return {}
    return {
        "reply_model": facts.model,
        "reply_seconds": facts.seconds,
        "reply_cost_usd": facts.cost_usd,
    }


def _reduced(record: TurnRecord) -> Row:
    counts = {"cleared_messages": 0, "shortened_messages": 0}
    for piece in record.parts.messages:
        for form in reduced_forms(record.memory.space, piece).values():
            counts[f"{form.fate}_messages"] += 1
    return counts


def compactions_csv(run: Run) -> str:
    """Return one row a compaction, those after the last request included; the columns are
    :data:`COMPACTION_COLUMNS`."""
    with use_language(ENGLISH):
        rows = [_compaction(run, event) for event in compaction_events(run)]
    return _csv(COMPACTION_COLUMNS, rows)


def _compaction(run: Run, event: CompactionEvent) -> Row:
    compaction = event.compaction
    sizes = request_sizes(compaction, run)
    row: dict[str, Any] = {
        "compaction": event.number + 1,
        "after_message": message_number(compaction.after_message),
        "what": outcome_words(event.what),
        "reason": reason_words(compaction),
        "request_before_tokens": sizes.before_tokens,
        "request_after_tokens": sizes.after_tokens,
        "version": compaction.version,
        "replaces_version": event.base,
        "summarizer_calls": compaction.calls,
        "failed_calls": compaction.failed_calls,
        "summarizer_prompt_tokens": compaction.prompt_tokens,
        "summarizer_output_tokens": compaction.output_tokens,
        "seconds": compaction.seconds,
        "cost_usd": compaction.total_cost_usd,
        "model": compaction.model,
        "error": compaction.error,
        "summary": compaction.summary,
    }
    if event.request is not None:
        row["request_turn"], row["request_call"], _ = event.request
    taken = compaction.summarized
    if taken:
        row["first_message"] = message_number(taken.start)
        row["last_message"] = taken.stop
    if event.version:
        row["summary_tokens"] = compaction.summary_tokens
        row["notes"] = compaction.track
    author = summary_author(compaction)
    if author is not None:
        row["author"] = author.value
    return row


def _csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    out = StringIO()
    # Its line ends are \r\n: with \n alone it would leave a \r in a cell unquoted.
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in columns])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a number as it is, nothing for what is not known, and text such that no spreadsheet takes it for a
    formula."""
    if isinstance(value, np.generic):
        value = value.item()
    return spreadsheet_safe(value) if isinstance(value, str) else value


def run_json(run: Run) -> str:
    """Return the run as JSON text; ``memviz.Run.from_dict(json.loads(text))`` is the same run.

    What a message's ``meta`` holds that JSON does not know is written as text, and NaN and Infinity as ``null``.
    """
    value = run.to_dict()
    try:
        text = json.dumps(value, **_LOOK, default=str, allow_nan=False)
    except ValueError:
        plain = json.dumps(value, default=str)
        finite = json.loads(plain, parse_constant=lambda _: None)
        text = json.dumps(finite, **_LOOK)
    return clean_text(text)


def request_json(record: TurnRecord) -> str:
    """Return the request of a record as the body of a call to an API like OpenAI's.

    It has the ``messages`` as they were sent, ``tools`` where any were offered, and the ``model`` that answered; a
    replay asks none, and nobody can be sent to the offline model, so then there is no ``model``.
    """
    request: dict[str, Any] = {}
    if record.facts is not None and record.facts.model not in ("", OFFLINE):
        request["model"] = record.facts.model
    request["messages"] = [one.to_request() for one in record.context.messages]
    if record.parts.tools:
        request["tools"] = [TOOLS[name].to_request() for name in record.parts.tools]
    return json.dumps(request, ensure_ascii=False, indent=2)
