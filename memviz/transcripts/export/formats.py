"""Writing a conversation so that it can be read again, with all that is known about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from memviz.core.conversation import clean_text
from memviz.transcripts.base import Transcript
from memviz.transcripts.export.csv_table import to_csv
from memviz.transcripts.export.markdown import to_markdown
from memviz.transcripts.export.openai import to_finetuning_row, to_openai_messages


def to_json(transcript: Transcript) -> str:
    """The transcript as JSON text: title, description, language, system_prompt, messages, probes, the schemas of tools,
    and when it was held and what its program did to its memory, where that is known.

    :func:`memviz.transcripts.load_transcript` reads it back as the same transcript, but for
    ``format`` and ``warnings``, which tell how it was read. The text can be encoded as UTF-8.
    """
    document = {
        "title": transcript.title,
        "description": transcript.description,
        "language": transcript.language,
        "system_prompt": transcript.system_prompt,
        "messages": [message.to_dict() for message in transcript.messages],
        "probes": [probe.to_dict() for probe in transcript.probes],
        **(
            {"tools": [json.loads(schema) for schema in transcript.tools]}
            if transcript.tools
            else {}
        ),
        **({"held_at": transcript.held_at.isoformat()} if transcript.held_at else {}),
        **(
            {"events": [event.to_dict() for event in transcript.events]}
            if transcript.events
            else {}
        ),
    }
    try:
        text = json.dumps(
            document, ensure_ascii=False, indent=1, default=str, allow_nan=False
        )
    except (
        ValueError
    ):  # NaN or Infinity in a message's meta: no JSON reader but Python's would take it
        finite = json.loads(
            json.dumps(document, default=str), parse_constant=lambda _: None
        )
        text = json.dumps(finite, ensure_ascii=False, indent=1)
    return clean_text(text)


class Export(NamedTuple):
    """A kind of file to save a conversation in: what users call it, how its name ends, its media type, its writer."""

    title: str
    suffix: str
    mime: str
    write: Callable[[Transcript], str]


EXPORTS = {
    "memviz": Export(
        "memviz (JSON, with all that is known)", ".json", "application/json", to_json
    ),
    "openai": Export(
        "OpenAI chat messages (JSON)", ".json", "application/json", to_openai_messages
    ),
    "finetuning": Export(
        "Fine-tuning row (JSON lines)", ".jsonl", "application/jsonl", to_finetuning_row
    ),
    "markdown": Export("Markdown", ".md", "text/markdown", to_markdown),
    "csv": Export("Table (CSV)", ".csv", "text/csv", to_csv),
}
"""The kinds of file that a conversation can be saved in, by name."""
