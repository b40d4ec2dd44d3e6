"""Sessions that their program writes anew each time, as older versions of Gemini CLI do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memviz.dashboard.words.live import problem_words
from memviz.storage.watched import WatchedConversation
from memviz.watching.folders import FolderWatch
from memviz.watching.keeper import Keeper, key_of
from memviz.watching.programs import PROGRAMS, WatchedFolder, name_of
from memviz.watching.whole_files import WholeFile
from tests.watching.growing import keeper_in, kept, lines_of, said


def rows() -> list[dict[str, Any]]:
    """The messages of a session of Gemini CLI, the newest form of each."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines_of("gemini_cli"):
        row = json.loads(line)
        if "id" in row:
            found[row["id"]] = row
    return list(found.values())


def test_a_file_that_is_written_anew_adds_what_is_new_and_loses_nothing(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session-one.json"
    session = WholeFile(path, "gemini_cli", "one", keeper)
    assert not session.read_on()
    messages = rows()
    head = {"sessionId": "1", "projectHash": "2", "startTime": "2026-11-29T23:24:11Z"}
    for stop in range(1, len(messages) + 1):
        path.write_text(json.dumps({**head, "messages": messages[:stop]}))
        assert session.read_on()
        assert not session.read_on()
    path.write_text('{"sessionId": "1", "mess')  # it is being written
    assert not session.read_on()
    whole = kept(keeper, "gemini_cli/one")
    assert [one.role for one in whole] == ["user", "assistant", "tool", "assistant"]

    # The program keeps only the end, and goes on.
    later = {"id": "9", "type": "user", "content": "And then?"}
    path.write_text(json.dumps({**head, "messages": [messages[-1], later]}))
    assert WholeFile(path, "gemini_cli", "one", keeper).read_on()
    after = kept(keeper, "gemini_cli/one")
    assert after[: len(whole)] == whole
    assert said(after[len(whole) :]) == [("user", "And then?")]


def test_no_secret_is_kept_of_a_session(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path, [r"ACME-\d+"])
    path = tmp_path / "session-one.json"
    summary = {
        "id": "0",
        "type": "user",
        "content": "<state_snapshot>of ACME-1</state_snapshot>",
    }
    asked = {"id": "1", "type": "user", "content": "Find ACME-2"}
    head = {"sessionId": "1", "projectHash": "2", "summary": "Finds ACME-3"}
    path.write_text(json.dumps({**head, "messages": [summary, asked]}))
    WholeFile(path, "gemini_cli", "one", keeper).read_on()
    watched = keeper.store.find_watched("gemini_cli/one")
    assert watched is not None
    about = keeper.store.about(watched.id)
    assert about.title == "Finds ***"
    assert ["of ***" in event.text for event in about.events] == [True]
    assert "ACME" not in repr(kept(keeper, "gemini_cli/one"))


def test_a_short_session_that_was_compacted_keeps_what_its_file_no_longer_has(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session-one.json"
    head = {"sessionId": "1", "projectHash": "2"}
    texts = ["Budget 3,600 euros.", "Noted.", "Which hotel?"]
    first = [
        {"id": str(at), "type": "gemini" if at == 1 else "user", "content": text}
        for at, text in enumerate(texts)
    ]
    summary = {
        "id": "8",
        "type": "user",
        "content": "<state_snapshot>a budget</state_snapshot>",
    }
    later = [
        {"id": "9", "type": "gemini", "content": "The one at the port."},
        {"id": "10", "type": "user", "content": "Why?"},
    ]
    path.write_text(json.dumps({**head, "messages": first}))
    WholeFile(path, "gemini_cli", "one", keeper).read_on()
    for stop in (1, 2):
        messages = [summary, first[-1], *later[:stop]]
        path.write_text(json.dumps({**head, "messages": messages}))
        WholeFile(path, "gemini_cli", "one", keeper).read_on()
    whole = kept(keeper, "gemini_cli/one")
    assert [one.content for one in whole] == [*texts, "The one at the port.", "Why?"]
    watched = keeper.store.find_watched("gemini_cli/one")
    assert watched is not None
    (event,) = keeper.store.about(watched.id).events
    assert (event.after_message, event.kept_newest) == (3, 1)
    assert "a budget" in event.text


def test_sessions_of_one_name_in_two_folders_are_two_conversations(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    for text in ("Which hotel?", "Which train?"):
        path = tmp_path / text / "session.json"
        path.parent.mkdir()
        said = {"id": "1", "type": "user", "content": text}
        head = {"sessionId": "1", "projectHash": "2"}
        path.write_text(json.dumps({**head, "messages": [said]}))
        WholeFile(path, "gemini_cli", "session", keeper).read_on()
    titles = [one.title for one in keeper.store.newest_watched()]
    assert sorted(titles) == ["Which hotel?", "Which train?"]


def test_a_session_that_is_too_large_says_so_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "a" / "chats" / "session-one.json"
    path.parent.mkdir(parents=True)
    head = {"sessionId": "1", "projectHash": "2"}
    asked = {"id": "1", "type": "user", "content": "How far?"}
    later = {"id": "2", "type": "user", "content": "far " * 500}
    path.write_text(json.dumps({**head, "messages": [asked]}))
    sentences: list[str] = []
    place = WatchedFolder(tmp_path, PROGRAMS["gemini_cli"])
    watch = FolderWatch([place], keeper, sentences.append)
    key = key_of("gemini_cli", name_of(path, PROGRAMS["gemini_cli"]))
    session = WholeFile(path, "gemini_cli", key.partition("/")[2], keeper)
    session.read_on()
    assert problem_words(watched_at(keeper, key)) == ""

    monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "1000")
    path.write_text(json.dumps({**head, "messages": [asked, later]}))
    for _time in range(2):
        watch._read(path)
    (sentence,) = sentences
    assert sentence.startswith(
        "session-one.json is larger than the limit of 1,000 bytes"
    )
    assert problem_words(watched_at(keeper, key)) == sentence
    assert said(kept(keeper, key)) == [("user", "How far?")]

    monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "100000")
    assert WholeFile(path, "gemini_cli", key.partition("/")[2], keeper).read_on()
    assert problem_words(watched_at(keeper, key)) == ""
    assert len(kept(keeper, key)) == 2


def watched_at(keeper: Keeper, key: str) -> WatchedConversation:
    watched = keeper.store.find_watched(key)
    assert watched is not None
    return watched
