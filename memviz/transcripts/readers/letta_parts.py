"""What one message of a Letta agent holds: texts, thoughts, calls, results, and what the user decided about calls.

Letta packs JSON into the texts of user messages: the words of the user, and events that nobody said."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.blocks import read_call
from memviz.transcripts.readers.json_access import (
    count_at,
    first_text,
    first_value,
    id_text,
    joined,
    json_text,
    object_at,
    objects_at,
    text_at,
    texts_at,
)
from memviz.transcripts.times import time_text

REPLY_TOOL, REPLY_ARGUMENT = "send_message", "message"
THOUGHTS = {"reasoning": "reasoning", "summarized_reasoning": "summary"}
NO_TEXT = frozenset(
    {"redacted_reasoning", "omitted_reasoning", "tool_call", "tool_return", *THOUGHTS}
)
SUMMARY_ROLE = "summary"
WORDS = "user_message"
ALERT = "system_alert"
EVENTS = frozenset({"heartbeat", "login", ALERT})
HIDDEN = re.compile(r"prior messages .{0,200}have been hidden from view", re.DOTALL)
SUMMARY = re.compile(
    r"The following is a summary of the previous (?:\d+ )?messages:\s*"
)
"""What stands before the summary in an alert that older messages have left the context."""


def is_role(item: object, role: str) -> bool:
    """Return whether an item has this role."""
    return text_at(item, "role") == role


def parts_of(item: object) -> list[dict[str, Any]]:
    """The parts of an item; a text is one part."""
    content = item.get("content", item.get("text")) if isinstance(item, dict) else None
    if isinstance(content, list):
        return [
            part if isinstance(part, dict) else {"type": "text", "text": part}
            for part in content
        ]
    return [] if content is None else [{"type": "text", "text": content}]


def texts_of(item: object) -> list[str]:
    """The texts of an item, with stand-ins for its images."""
    texts = []
    for part in parts_of(item):
        kind = part.get("type")
        text = part.get("text")
        if text is not None and not (isinstance(kind, str) and kind in NO_TEXT):
            texts.append(json_text(text))
        elif isinstance(kind, str) and kind != "text" and kind not in NO_TEXT:
            texts.append(stand_in(kind))
    return texts


def is_unknown(part: Mapping[str, Any]) -> bool:
    """Return whether a part is of a kind that is shown by its name only."""
    kind = part.get("type")
    return (
        part.get("text") is None
        and isinstance(kind, str)
        and kind not in NO_TEXT | {"text", "image"}
    )


def text_of(item: object) -> str:
    """All texts of an item as one."""
    return joined(texts_of(item))


def thoughts_of(item: object) -> list[str]:
    """Return what the model thought, where that has parts of its own."""
    texts = []
    for part in parts_of(item):
        thought = part.get(THOUGHTS.get(text_at(part, "type"), ""))
        if isinstance(thought, str):
            texts.append(thought)
        texts += [text_at(piece, "text") for piece in objects_at(thought)]
    return texts


def calls_of(item: object) -> list[dict[str, Any]]:
    """The calls of an item, in the shape of the OpenAI API or as parts."""
    return objects_at(item, "tool_calls") or [
        part for part in parts_of(item) if part.get("type") == "tool_call"
    ]


def reply_of(call: Mapping[str, Any]) -> str | None:
    """Return what a call says to the user; ``None`` if it calls another tool, or says nothing that can be read."""
    tool_call = read_call(call, lambda _: None)
    if tool_call.name != REPLY_TOOL:
        return None
    said = packed(tool_call.arguments).get(REPLY_ARGUMENT)
    return said if isinstance(said, str) else None


def is_reply(call: Mapping[str, Any]) -> bool:
    """Return whether a call says something to the user."""
    return reply_of(call) is not None


def returned_text(part: Mapping[str, Any]) -> str | None:
    """The text of a result that is a part; ``None`` where it has none."""
    found = first_value(part, "func_response", "tool_return", "content")
    if isinstance(found, list):
        return text_of({"content": found})
    return None if found is None else json_text(found)


def printed(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a tool printed while it ran, which Letta keeps beside the result and does not send."""
    return {key: part[key] for key in ("stdout", "stderr") if part.get(key)}


def packed(text: str) -> dict[str, Any]:
    """The object that a text is in JSON; empty for any other text."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def spoken(text: str, kind: str = WORDS) -> str:
    """The words in a packed message of this kind; any other text as it is."""
    event = packed(text)
    words = event.get("message")
    return words if event.get("type") == kind and isinstance(words, str) else text


def is_event(text: str) -> bool:
    """Return whether a text is an event that the program reported to the model, which nobody said."""
    return text_at(packed(text), "type") in EVENTS


def compaction(
    text: str, after_message: int, item: Mapping[str, Any]
) -> RecordedEvent | None:
    """The compaction that a message reports, with the summary if there is one; ``None`` if it reports none."""
    event = packed(text)
    alert = spoken(text, ALERT)
    found = SUMMARY.search(alert)
    is_alert = event.get("type") == ALERT and (found or HIDDEN.search(alert))
    if not is_alert and item.get("role") != SUMMARY_ROLE:
        return None
    given = texts_at(event, "summary").get("summary", "" if is_alert else alert)
    stats = object_at(event, "compaction_stats")
    return RecordedEvent(
        "compaction",
        after_message,
        text=alert[found.end() :] if found else given,
        reason=text_at(stats, "trigger"),
        tokens_before=count_at(stats, "context_tokens_before"),
        tokens_after=count_at(stats, "context_tokens_after"),
        time=time_text(item.get("created_at")),
    )


APPROVAL = "approval"
"""Key in the ``meta`` of a result: what the user said about the call, where the result itself does not say it."""


class Decision(NamedTuple):
    """The user's answer for the call with this ``id``.

    ``said`` is the user's text: a reason, or a result. ``result`` is the text of the result where no message of the
    tool follows; ``None`` if there has to be one, because the call was allowed.
    """

    id: str
    said: str
    result: str | None

    def beside(self, text: str) -> dict[str, str]:
        """The ``meta`` of the tool's own message with this text."""
        return {} if self.said in text else {APPROVAL: self.said}


def decisions_of(item: Mapping[str, Any], asked: str) -> list[Decision]:
    """The decisions that an answer holds. Older files have one, which does not name its call: that is ``asked``."""
    answers = objects_at(item, "approvals")
    if not answers and isinstance(item.get("approve"), bool):
        reason = item.get("denial_reason")
        answer = {"approve": item["approve"], "reason": reason, "tool_call_id": asked}
        answers = [answer]
    return [_decision(answer) for answer in answers]


def _decision(answer: Mapping[str, Any]) -> Decision:
    id = id_text(answer.get("tool_call_id"))
    result = returned_text(answer)
    if result is not None:
        return Decision(id, result, result)
    reason = first_text(answer, "reason")
    if answer.get("approve") is False:
        result = stand_in("denied", reason)
    return Decision(id, reason, result)
