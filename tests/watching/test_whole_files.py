"""Sessions that their program writes anew each time, as older versions of Gemini CLI do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
