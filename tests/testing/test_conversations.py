"""The kinds of values that are conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz.core.conversation import Log
from memviz.testing.conversations import read_conversations
from tests.testing.memories import talk, write_talk


def lengths(given: Any) -> list[int]:
    return [len(transcript.messages) for transcript in read_conversations(given)]


def test_a_path_a_folder_messages_and_lists_of_them(tmp_path: Path) -> None:
    path = write_talk(tmp_path)
    messages = [memviz.Message.of(message) for message in talk()]
    assert lengths(path) == lengths(str(path)) == lengths(tmp_path) == [21]
    assert lengths(talk()) == lengths(messages) == lengths(Log(messages)) == [21]
    transcript = memviz.load_transcript(path)
    assert lengths([transcript, talk()[:5], path]) == [21, 5, 21]


def test_the_files_of_a_folder_come_in_the_order_of_their_names(
    tmp_path: Path,
) -> None:
    for name in "cab":
        write_talk(tmp_path).rename(tmp_path / f"{name}.json")
    (tmp_path / ".hidden").write_text("no conversation")
    titles = [one.title for one in read_conversations(tmp_path)]
    assert titles == ["a", "b", "c"]


def test_a_conversation_that_cannot_be_read_is_an_error_and_leaves_no_gap(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chats.jsonl"
    rows = [{"messages": talk()}, {"messages": []}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for given in (path, tmp_path):
        with pytest.raises(memviz.TranscriptError, match="conversation 2: the conv"):
            read_conversations(given)


@pytest.mark.parametrize("given", [[], 3, [3], None])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(memviz.MessageError):
        read_conversations(given)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(memviz.MessageError, match="no conversation to replay"):
        read_conversations(tmp_path)
