"""The messages that the records of a Gemini CLI session are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memviz.conversation import TIME
from memviz.transcripts.base import EventKind
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import named
from memviz.transcripts.readers.gemini.parts import instruction_text, response_text
from memviz.transcripts.readers.gemini.session import SUMMARIES, text_of
from memviz.transcripts.readers.json_access import (
    id_text,
    joined,
    objects_at,
    text_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.message_parts import ReplyBuilder, add_result
from memviz.transcripts.times import with_time

GREETINGS = (
    "This is the Gemini CLI",
    "Okay, just setting up the context for our chat.",
)
THANKS = "Got it. Thanks for the context!"
THANKS_FOR_SUMMARY = "Got it. Thanks for the additional context!"
TYPES = {
    "gemini": "assistant",
    "user": "user",
    **dict.fromkeys(("info", "error", "warning"), "notice"),
}
COMPRESSED = re.compile(
    r"compressed (?:from )?(?:from:? )?(\d[\d,]*) to (\d[\d,]*) tokens"
)


class Records:
    """Where the messages of a session go, and which calls have their results already."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self.builder = builder
        self.answered: set[str] = set()
        self.before = ""  # what came last, if it was part of the set-up or a summary


def add_record(value: Any, place: str, records: Records) -> None:
    """Add the messages that one record of a session is."""
    role = records.builder.speaker(
        value, place, "type", called="type", role_of=named(TYPES)
    )
    if role == "assistant":
        _add_reply(value, place, records)
    elif role == "user":
        _add_prompt(value, place, records)
    elif role is not None:
        _add_notice(value, records)


def opening_length(texts: Sequence[str]) -> int:
    """How many of the first texts are what the CLI and the model say to begin with."""
    first = texts[0].strip().removeprefix("<session_context>").lstrip() if texts else ""
    if not first.startswith(GREETINGS):
        return 0
    return 2 if texts[1:] and texts[1].strip() == THANKS else 1


def summary_length(
    texts: Sequence[str], builder: TranscriptBuilder, time: str = ""
) -> int:
    """How many of these texts are a summary and the model's thanks for it; the summary becomes an event."""
    if not texts or not texts[0].lstrip().startswith(SUMMARIES):
        return 0
    after = len(builder.messages)
    kind: EventKind = "compaction" if after else "summary"
    builder.add_event(kind, texts[0].strip(), time=time)
    return 2 if texts[1:] and texts[1].strip() == THANKS_FOR_SUMMARY else 1


def _add_prompt(value: Mapping[str, Any], place: str, records: Records) -> None:
    builder, meta = records.builder, with_time(value.get("timestamp"))
    parts, text = _parts(value.get("content")), text_of(value)
    if (not builder.messages and opening_length([text])) or summary_length(
        [text], builder, meta.get(TIME, "")
    ):
        records.before = text
        return
    results = [
        part["functionResponse"]
        for part in parts
        if isinstance(value_at(part, "functionResponse"), dict)
    ]
    for result in results:
        if id_text(result.get("id")) not in records.answered:
            add_result(
                builder,
                place,
                result.get("id"),
                response_text(result.get("response")),
                result.get("name"),
                **meta,
            )
    said = [part for part in parts if value_at(part, "functionResponse") is None]
    content = instruction_text(said, builder.note_at(place)) or ""
    if content or not results:
        builder.add_text("user", content, place, meta=dict(meta) or None)
    records.before = ""


def _add_reply(value: Mapping[str, Any], place: str, records: Records) -> None:
    before, records.before = records.before, ""
    if before and text_of(value).strip() in (THANKS, THANKS_FOR_SUMMARY):
        return
    builder = records.builder
    model = text_at(value, "model")
    meta = {**with_time(value.get("timestamp")), **({"model": model} if model else {})}
    parts, calls = _parts(value.get("content")), objects_at(value, "toolCalls")
    known = {id_text(call.get("id")) for call in calls}
    asked = [
        call
        for part in parts
        if isinstance(call := value_at(part, "functionCall"), dict)
    ]
    said = [
        part
        for part in parts
        if value_at(part, "functionCall") is None
        and value_at(part, "thought") is not True
    ]
    text = instruction_text(said, builder.note_at(place)) or ""
    every = [*[call for call in asked if id_text(call.get("id")) not in known], *calls]
    if not text and not every:
        return
    reply = ReplyBuilder(builder, place, meta)
    for thought in [
        *objects_at(value, "thoughts"),
        *[part for part in parts if value_at(part, "thought") is True],
    ]:
        reply.think(
            joined(
                [
                    id_text(thought.get(key))
                    for key in ("subject", "description", "text")
                ]
            )
        )
    reply.text(text)
    for call in every:
        reply.call(call.get("id"), call.get("name"), call.get("args"))
    reply.end()
    for call in calls:
        result = _result_text(call, builder, place)
        if result is not None:
            records.answered.add(id_text(call.get("id")))
            add_result(
                builder,
                place,
                call.get("id"),
                result,
                call.get("name"),
                **with_time(call.get("timestamp")),
            )


def _result_text(
    call: Mapping[str, Any], builder: TranscriptBuilder, place: str
) -> str | None:
    result = call.get("result")
    if result is None:
        return texts_at(call, "resultDisplay").get("resultDisplay")
    parts = _parts(result)
    responses = [
        part["functionResponse"]
        for part in parts
        if isinstance(value_at(part, "functionResponse"), dict)
    ]
    rest = [part for part in parts if value_at(part, "functionResponse") is None]
    beside = instruction_text(rest, builder.note_at(place)) or ""
    return joined(
        [*[response_text(response.get("response")) for response in responses], beside]
    )


def _add_notice(value: Mapping[str, Any], records: Records) -> None:
    """A notice to the user is no message, but one that the history was compressed is an event."""
    found = COMPRESSED.search(text_of(value))
    if found:
        before, after = (int(number.replace(",", "")[:12]) for number in found.groups())
        time = with_time(value.get("timestamp")).get(TIME, "")
        records.builder.add_event(
            "compaction", tokens_before=before, tokens_after=after, time=time
        )


def _parts(content: object) -> list[Any]:
    if isinstance(content, list):
        return content
    return [] if content in (None, "") else [content]
