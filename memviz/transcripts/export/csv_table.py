"""Writing a conversation as a table that spreadsheets open, and that run nothing."""

from __future__ import annotations

import csv
import io
import json

from memviz.core.conversation import Message, clean_text
from memviz.transcripts.base import Transcript
from memviz.transcripts.csv_cells import COLUMNS, guarded_label, spreadsheet_safe

__all__ = ["spreadsheet_safe", "to_csv"]


def to_csv(transcript: Transcript) -> str:
    """The messages as comma-separated values with every cell in quotation marks: position, role, name, content,
    tool_calls (JSON text) and tool_call_id. The system prompt is a first row without position.

    No cell is one that a spreadsheet takes for a formula: see :func:`spreadsheet_safe`. Imported again, all of it is
    as it was, but for the title and ``meta``. Excel wants the text encoded as "utf-8-sig".
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    if transcript.system_prompt is not None:
        writer.writerow(["", *_cells(Message("system", transcript.system_prompt))])
    for position, message in enumerate(transcript.messages):
        writer.writerow([position, *_cells(message)])
    return clean_text(out.getvalue())


def _cells(message: Message) -> list[str]:
    calls = [call.to_dict() for call in message.tool_calls]
    return [
        message.role,
        guarded_label(message.name),
        spreadsheet_safe(message.content),
        json.dumps(calls, ensure_ascii=False) if calls else "",
        guarded_label(message.tool_call_id),
    ]
