"""A run as files.

Lossless JSON, one request ready to be sent once more, tables of requests and compactions
that a spreadsheet opens, and figures as pictures, where this machine can draw them: Plotly
draws in a browser and nowhere else.
"""

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from memviz.core.errors import MemvizError
from memviz.core.messages import clean_text
from memviz.core.text.wording import message_number
from memviz.core.translation import ENGLISH, _, use_language
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.reporting.themes import LIGHT, Theme, themed
from memviz.dashboard.words.compactions import outcome_words, reason_words
from memviz.engine.part_tokens import find_reduced_forms
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.run_frame import FRAME_COLUMNS
from memviz.metrics.summaries.events import (
    CompactionEvent,
    count_request_sizes,
    list_compaction_events,
    name_summary_author,
)
from memviz.models.names import OFFLINE
from memviz.models.tools import TOOLS
from memviz.transcripts.csv_cells import escape_formula

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
_OWN_COLUMNS = {
    "version": "version",
    "replaces_version": "base",
    "summarizer_calls": "calls",
    "failed_calls": "failed_calls",
    "summarizer_prompt_tokens": "prompt_tokens",
    "summarizer_output_tokens": "output_tokens",
    "seconds": "seconds",
    "cost_usd": "total_cost_usd",
    "model": "model",
    "error": "error",
    "summary": "summary",
}
"""The columns that hold an attribute of the compaction as it is."""
Row = Mapping[str, Any]
"""A row of a table by the names of its columns, without what is not known."""
_LOOK: Any = {"ensure_ascii": False, "indent": 1}
ImageFormat = Literal["png", "svg"]
INSTALL = "pip install 'memviz[images]'"
NO_PROXY_PORT = "127.0.0.1:9"
"""The browser's only way to any network: the port of the discard service, where nobody answers."""
PIXELS_PER_POINT = 2
"""A PNG has so many pixels a point, to be sharp in print."""


def requests_csv(run: Run) -> str:
    """Return one row a request; the columns are :data:`REQUEST_COLUMNS`."""
    frame_rows: Any = run.frame().to_dict("records")
    rows = []
    for row, record in zip(frame_rows, run.requests, strict=True):
        rows.append(row | _limit(run, record) | _reply(record) | _reduced(record))
    return _csv(REQUEST_COLUMNS, rows)


def _limit(run: Run, record: TurnRecord) -> Row:
    strategy = record.strategy or run.strategy
    limit = {"budget_tokens": strategy.budget_tokens}
    if strategy.budget_tokens:
        limit["counted_tokens"] = strategy.counted_tokens(record.tokens)
    return limit


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
        for form in find_reduced_forms(record.memory.space, piece).values():
            counts[f"{form.fate}_messages"] += 1
    return counts


def compactions_csv(run: Run) -> str:
    """Return one row a compaction, those after the last request included; the columns are
    :data:`COMPACTION_COLUMNS`."""
    with use_language(ENGLISH):
        rows = [_compaction(run, event) for event in list_compaction_events(run)]
    return _csv(COMPACTION_COLUMNS, rows)


def _compaction(run: Run, event: CompactionEvent) -> Row:
    compaction = event.compaction
    sizes = count_request_sizes(compaction, run)
    row = {
        "compaction": event.number + 1,
        "after_message": message_number(compaction.after_message),
        "what": outcome_words(event.what),
        "reason": reason_words(compaction),
        "request_before_tokens": sizes.before_tokens,
        "request_after_tokens": sizes.after_tokens,
    }
    for column, attribute in _OWN_COLUMNS.items():
        row[column] = getattr(compaction, attribute)
    if event.request is not None:
        row["request_turn"], row["request_call"], _ = event.request
    positions = compaction.summarized
    if positions:
        row["first_message"] = message_number(positions.start)
        row["last_message"] = positions.stop
    if event.version:
        row["summary_tokens"] = compaction.summary_tokens
        row["notes"] = compaction.track
    author = name_summary_author(compaction)
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
    return escape_formula(value) if isinstance(value, str) else value


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
    request["messages"] = [message.to_request() for message in record.context.messages]
    if record.parts.tools:
        request["tools"] = [TOOLS[name].to_request() for name in record.parts.tools]
    return json.dumps(request, ensure_ascii=False, indent=2)


def can_render() -> bool:
    """Return whether :func:`image` can work here."""
    return _missing_words() is None


def image(
    figure: go.Figure,
    format: ImageFormat = "png",
    width: int = 1000,
    height: int = height_pixels.FILE,
    theme: Theme = LIGHT,
) -> bytes:
    """Return the figure as a picture of ``width`` x ``height`` points; a PNG has twice as many pixels each way.

    Kaleido lets a headless Chromium draw it with the plotly.js of the installed plotly package, without any network.
    Raises :class:`memviz.MemvizError` that says what to install where something is missing.
    """
    missing = _missing_words()
    if missing:
        raise MemvizError(missing)
    kaleido = import_module("kaleido")
    options = {
        "format": format,
        "width": width,
        "height": height,
        "scale": PIXELS_PER_POINT if format == "png" else 1,
    }
    browser = _browser_options()
    try:
        picture = kaleido.calc_fig_sync(
            themed(figure, theme), opts=options, kopts=browser
        )
    except Exception as error:  # kaleido and choreographer have no common base
        message = str(error.args[0] if error.args else error).strip()
        reason = message or type(error).__name__
        raise MemvizError(
            _(
                "The picture could not be drawn: {reason} Save the chart from a page or from the report instead: each "
                "has a button for it.",
                reason=reason,
            )
        ) from error
    return bytes(picture)


def _browser_options() -> dict[str, Any]:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return {
        "mathjax": False,  # it would come from another machine
        "proxy_server": NO_PROXY_PORT,
        "enable_sandbox": not is_root,  # it does not work for root, as in most containers
    }


def _missing_words() -> str | None:
    """Return a sentence about what is not installed."""
    if not _has_kaleido():
        return _(
            "Charts as picture files need the package kaleido and a Chrome or Chromium. Install it: {command}.",
            command=INSTALL,
        )
    if _browser() is None:
        return _(
            "Charts as picture files need a Chrome or Chromium, and none is on this machine. Install one of them."
        )
    return None


@cache
def _has_kaleido() -> bool:
    return find_spec("kaleido") is not None


@cache
def _browser() -> str | None:
    """Return the place where kaleido finds a browser."""
    chromium = import_module("choreographer.browsers.chromium").Chromium
    path = chromium.find_browser(skip_local=False)
    return path if path and Path(path).is_file() else None
