"""Messages of vendors whose text stands under another key than theirs: it is read there, or the file is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from tests.tables import for_each


def cohere(key: str) -> Any:
    return {
        "message": "x",
        "chat_history": [{"role": "USER", key: "hi"}, {"role": "CHATBOT", key: "ho"}],
    }


def open_webui(key: str) -> Any:
    said = [("1", None, "user", "hi"), ("2", "1", "assistant", "ho")]
    tree = {
        id: {"id": id, "parentId": parent, "role": role, key: text}
        for id, parent, role, text in said
    }
    return [{"chat": {"title": "t", "history": {"currentId": "2", "messages": tree}}}]


def claude_ai(key: str) -> Any:
    said = [("a", "human", "hi"), ("b", "assistant", "ho")]
    return [
        {
            "uuid": "1",
            "chat_messages": [
                {"uuid": id, "sender": sender, key: text} for id, sender, text in said
            ],
        }
    ]


def vercel(key: str) -> Any:
    said = [("user", "hi"), ("assistant", "ho")]
    return [
        {"id": role, "role": role, "parts": [{"type": "text", key: text}]}
        for role, text in said
    ]


def load(value: Any) -> Any:
    return load_transcript(json.dumps(value).encode())


VENDORS = for_each("vendor", [cohere, open_webui, claude_ai, vercel])


@VENDORS
@for_each("key", ["value", "message", "content"])
def test_the_text_is_read_where_it_stands(vendor: Any, key: str) -> None:
    transcript = load(vendor(key))
    assert [(message.role, message.content) for message in transcript.messages[:2]] == [
        ("user", "hi"),
        ("assistant", "ho"),
    ]
    assert transcript.warnings == ()


@VENDORS
def test_an_unknown_key_is_named_and_the_conversation_refused(vendor: Any) -> None:
    with pytest.raises(
        TranscriptError,
        match=r"2 of [23] messages cannot be read: .*'txt', and none of",
    ):
        load(vendor("txt"))


@for_each("content", [None, ""])
def test_a_message_of_the_user_without_text_is_noted(content: str | None) -> None:
    transcript = load(
        [{"role": "user", "content": content}, {"role": "assistant", "content": "b"}]
    )
    assert transcript.warnings == ("a message of the user has no text: index 0.",)
