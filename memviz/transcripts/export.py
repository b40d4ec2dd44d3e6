"""Writing a conversation so that it can be read again, with all that is known about it."""

from __future__ import annotations

import json

from memviz.conversation import clean_text
from memviz.transcripts.base import Transcript


def to_json(transcript: Transcript) -> str:
    """The transcript as JSON text: title, description, language, system_prompt, messages, probes.

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
    }
    try:
        text = json.dumps(document, ensure_ascii=False, indent=1, default=str, allow_nan=False)
    except ValueError:  # NaN or Infinity in a message's meta: no JSON reader but Python's would take it
        finite = json.loads(json.dumps(document, default=str), parse_constant=lambda _: None)
        text = json.dumps(finite, ensure_ascii=False, indent=1)
    return clean_text(text)
