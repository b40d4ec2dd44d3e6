"""The JSON that Letta puts into the texts of user messages: words of the user, and events that are no messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memviz.transcripts.base import TIME, RecordedEvent
from memviz.transcripts.readers.json_access import count_at, object_at, text_at, texts_at
from memviz.transcripts.times import with_time

SUMMARY_ROLE = "summary"
WORDS = "user_message"
ALERT = "system_alert"
EVENTS = frozenset({"heartbeat", "login", ALERT})
HIDDEN = re.compile(r"prior messages .{0,200}have been hidden from view", re.DOTALL)
SUMMARY = re.compile(r"The following is a summary of the previous (?:\d+ )?messages:\s*")
"""What stands before the summary in an alert that older messages have left the context."""


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
    """Whether a text is what the program tells the model on behalf of nobody."""
    return text_at(packed(text), "type") in EVENTS


def compaction(text: str, after_message: int, item: Mapping[str, Any]) -> RecordedEvent | None:
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
        time=with_time(item.get("created_at")).get(TIME, ""),
    )
