"""Writing a conversation in the shapes of the OpenAI API."""

from __future__ import annotations

import json
from typing import Any

from memviz.core.conversation import Message, clean_text
from memviz.transcripts.base import Transcript
from memviz.transcripts.chat_messages import PROMPT_NAME

# Programs that split a text into lines by themselves take these for line ends too.
_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}


def to_openai_messages(transcript: Transcript) -> str:
    """The messages as a JSON list in the shape of the OpenAI chat API, without ``meta``.

    A system prompt is a first message with a name, by which it is told from the messages of the conversation when it
    is read again.
    """
    return (
        clean_text(
            json.dumps(
                _requests(transcript), ensure_ascii=False, indent=1, allow_nan=False
            )
        )
        + "\n"
    )


def to_finetuning_row(transcript: Transcript) -> str:
    """The same messages as one row of a fine-tuning file: ``{"messages": [...]}`` on a line."""
    row = json.dumps(
        {"messages": _requests(transcript)}, ensure_ascii=False, allow_nan=False
    )
    return clean_text(row).translate(_LINE_ENDS) + "\n"


def _requests(transcript: Transcript) -> list[dict[str, Any]]:
    prompt = (
        []
        if transcript.system_prompt is None
        else [Message("system", transcript.system_prompt, PROMPT_NAME)]
    )
    return [message.to_request() for message in (*prompt, *transcript.messages)]
