"""Sessions of real programs, written piece by piece, are kept as they would be imported."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileModifiedEvent

from memviz.core.messages import Message
from memviz.storage.store import Store
from memviz.transcripts.loading import load_transcript
from memviz.watching import growing_files
from memviz.watching.folders import FolderWatch
from memviz.watching.growing_files import GrowingFile
from memviz.watching.keeper import Keeper
from memviz.watching.programs import PROGRAMS as KNOWN
from memviz.watching.programs import Place
from tests.watching.growing import SAMPLES, append, keeper_in, kept, lines_of, said

PROGRAMS = ("claude_code", "codex", "gemini_cli")
PROGRAM = replace(KNOWN["codex"], pattern="*.jsonl")


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_grows_line_by_line_is_what_an_import_of_the_whole_file_gives(
    program: str, tmp_path: Path
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    path.touch()
    session = GrowingFile(path, program, "one", keeper)
    for number, line in enumerate(lines_of(program)):
        append(path, line[: len(line) // 2])
        session.read_on()
        append(path, line[len(line) // 2 :])
        assert session.read_on()
        if number % 5 == 2:  # the watcher is started anew
            session = GrowingFile(path, program, "one", keeper)
    whole = load_transcript(SAMPLES / f"{program}.jsonl", program)
    watched = keeper.store.find_watched(session.key)
    assert watched is not None
    live = keeper.store.conversation(watched.id)
    assert [one.to_dict() for one in live.events] == [
        one.to_dict() for one in whole.events
    ]
    assert live.messages == whole.messages
    assert live.system_prompt == whole.system_prompt


def test_compactions_of_the_programs_themselves_are_events(tmp_path: Path) -> None:
    counts = {}
    for program in ("claude_code", "codex"):
        keeper = keeper_in(tmp_path)
        GrowingFile(SAMPLES / f"{program}.jsonl", program, "one", keeper).read_on()
        watched = keeper.store.find_watched(f"{program}/one")
        assert watched is not None
        counts[program] = watched.event_count
    assert counts == {"claude_code": 1, "codex": 4}


def test_a_session_of_copilot_is_told_with_its_calls_and_their_results(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = SAMPLES / "copilot_cli.jsonl"
    GrowingFile(path, "copilot_cli", "one", keeper).read_on()
    user, call, result, reply = kept(keeper, "copilot_cli/one")
    assert user == Message("user", user.content, meta=user.meta)
    assert "3,600 euros" in user.content
    assert [one.name for one in call.tool_calls] == ["bash"]
    assert result.tool_call_id == call.tool_calls[0].id
    assert "hello from the tool" in result.content
    assert reply.role == "assistant"
    watched = keeper.store.find_watched("copilot_cli/one")
    assert watched is not None
    assert watched.state["window_tokens"] == 128_000
    assert watched.title.startswith("Please use the TOOL")


def test_each_line_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = growing_files.parse_row

    def count(line: str) -> dict[str, Any] | None:
        parsed.append(line)
        return parse(line)

    monkeypatch.setattr(growing_files, "parse_row", count)
    path = tmp_path / "session.jsonl"
    path.touch()
    session = GrowingFile(path, "codex", "one", keeper_in(tmp_path))
    lines = lines_of("codex")
    for line in lines:
        append(path, line)
        session.read_on()
    assert len(parsed) == len(lines)


def test_what_codex_overwrites_when_it_compacts_in_place_is_kept(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "rollout.jsonl"
    lines = lines_of("codex")
    rows = [json.loads(line) for line in lines]
    first = next(at for at, row in enumerate(rows) if row["type"] == "compacted")
    path.write_bytes(b"".join(lines[:first]))
    session = GrowingFile(path, "codex", "one", keeper)
    session.read_on()
    before = kept(keeper, "codex/one")
    assert any(one.role == "assistant" for one in before)

    # The head and the compaction alone, as in versions that write the file anew.
    path.write_bytes(lines[0] + lines[first])
    session.read_on()
    assert kept(keeper, "codex/one") == before
    watched = keeper.store.find_watched("codex/one")
    assert watched is not None
    (event,) = keeper.store.about(watched.id).events
    assert event.after_message == len(before)
    assert "Another language model started" in event.text

    append(path, b"".join(lines[first + 1 :]))
    GrowingFile(path, "codex", "one", keeper).read_on()
    after = kept(keeper, "codex/one")
    assert after[: len(before)] == before
    whole = load_transcript(SAMPLES / "codex.jsonl", "codex")
    assert said(after) == said(whole.messages)


def test_two_watchers_of_one_session_keep_it_once(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.touch()
    one = GrowingFile(path, "claude_code", "one", keeper_in(tmp_path))
    other = GrowingFile(path, "claude_code", "one", keeper_in(tmp_path))
    for number, line in enumerate(lines_of("claude_code")):
        append(path, line)
        one.read_on()
        if number % 3 == 0:
            other.read_on()
    other.read_on()
    whole = load_transcript(SAMPLES / "claude_code.jsonl", "claude_code")
    assert kept(keeper_in(tmp_path), "claude_code/one") == whole.messages


def test_a_library_that_cannot_be_written_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memviz.core.errors import StorageError

    keeper = keeper_in(tmp_path)
    session = GrowingFile(SAMPLES / "codex.jsonl", "codex", "one", keeper)

    def full(*arguments: object) -> None:
        raise StorageError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "grow_watched", full)
        with pytest.raises(StorageError):
            session.read_on()
    assert session.read_on()
    assert len(kept(keeper, "codex/one")) == len(
        load_transcript(SAMPLES / "codex.jsonl", "codex").messages
    )


def test_a_session_written_anew_loses_nothing_where_the_first_write_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memviz.core.errors import StorageError

    keeper = keeper_in(tmp_path)
    path = tmp_path / "rollout.jsonl"
    lines = lines_of("codex")
    path.write_bytes(b"".join(lines[:20]))
    session = GrowingFile(path, "codex", "one", keeper)
    session.read_on()
    before = kept(keeper, "codex/one")
    path.write_bytes(lines[0] + b"".join(lines[20:]))

    def full(*arguments: object) -> None:
        raise StorageError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "grow_watched", full)
        with pytest.raises(StorageError):
            session.read_on()
    assert session.read_on()
    after = kept(keeper, "codex/one")
    assert after[: len(before)] == before
    assert len(after) > len(before)


@pytest.mark.parametrize(
    "hostile",
    [
        b"\x00" * 100 + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"type": "user"}\n',
        b"not json\n",
        b'{"type": "response_item", "payload": 3}\n',
        b'{"type": "compacted", "payload": {"replacement_history": [1, {}]}}\n',
        b'{"type": "user", "uuid": "x", "parentUuid": "x", "message": {"content": {}}}\n',
        b'{"$set": {"messages": [[], 3, {"type": "user", "content": 5}]}}\n',
        b'{"type": "assistant.message", "data": {"toolRequests": [{"name": 3}]}}\n',
        b'{"type": "tool.execution_complete", "data": {"result": []}}\n',
        b'{"type": "event_msg", "payload": {"type": "token_count", "info": "x"}}\n',
        b'{"type": "user", "message": {"role": "user", "content": "\\ud800"}}\n',
    ],
)
@pytest.mark.parametrize("program", [*PROGRAMS, "copilot_cli"])
def test_a_hostile_line_costs_no_more_than_itself(
    program: str, hostile: bytes, tmp_path: Path
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    lines = lines_of(program)
    path.write_bytes(b"".join([*lines[:3], hostile, *lines[3:], hostile]))
    session = GrowingFile(path, program, "one", keeper)
    session.read_on()
    texts = [one.content for one in kept(keeper, session.key)]
    assert any("3,600 euros" in text for text in texts)


def test_a_line_without_an_end_fills_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_files, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(growing_files, "MAX_LINE_BYTES", 5_000)
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    row = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Hello"}}
    path.write_bytes(b"x" * 20_000)
    session = GrowingFile(path, "claude_code", "one", keeper)
    assert not session.read_on()
    append(path, b"\n" + json.dumps(row).encode() + b"\n")
    session.read_on()
    assert said(kept(keeper, "claude_code/one")) == [("user", "Hello")]


def test_what_its_user_deleted_stays_deleted(tmp_path: Path) -> None:
    keeper: Keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    lines = lines_of("claude_code")
    path.write_bytes(b"".join(lines[:9]))
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    watched = keeper.store.find_watched(session.key)
    assert watched is not None
    keeper.store.delete(watched.id)
    append(path, b"".join(lines[9:]))
    session.read_on()
    assert keeper.store.newest_watched() == []
    still = keeper.store.find_watched(session.key)
    assert still is not None
    assert still.message_count == watched.message_count


def test_a_pipe_among_the_sessions_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "one.jsonl")
    keeper = keeper_in(tmp_path)
    for program in (None, PROGRAM):
        watch = FolderWatch([Place(tmp_path, program)], keeper)
        watch.on_any_event(FileModifiedEvent(str(tmp_path / "one.jsonl")))
        watch.read_changed()
        assert watch.sessions == 0


def test_a_file_whose_name_is_no_utf8_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.jsonl")
    path.write_bytes(b"".join(lines_of("claude_code")))
    keeper = keeper_in(tmp_path)
    watch = FolderWatch([Place(tmp_path)], keeper)
    watch.on_any_event(FileModifiedEvent(str(path)))
    watch.read_changed()
    assert kept(keeper, "claude_code/\ufffd")


def test_what_a_program_writes_aside_is_no_session(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    subagents = tmp_path / "project" / "one" / "subagents"
    subagents.mkdir(parents=True)
    (tmp_path / "project" / "chats").mkdir()
    aside = [
        (tmp_path / "one.jsonl.tmp", None),
        (tmp_path / ".one.jsonl.swp", None),
        (subagents / "agent-1.jsonl", KNOWN["claude_code"]),
        (tmp_path / "project" / "chats" / "one.json.tmp", KNOWN["gemini_cli"]),
    ]
    for path, program in aside:
        path.write_bytes(b"".join(lines_of("claude_code")))
        watch = FolderWatch([Place(tmp_path, program)], keeper)
        watch.on_any_event(FileModifiedEvent(str(path)))
        watch.read_changed()
        assert watch.sessions == 0


def test_what_this_user_may_not_look_at_ends_no_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed", "open"):
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines_of("claude_code")))
    of_any = Path.stat

    def stat(path: Path, **options: Any) -> os.stat_result:
        if path.name == "closed.jsonl":
            raise PermissionError(13, "Permission denied")
        return of_any(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    keeper = keeper_in(tmp_path)
    FolderWatch([Place(tmp_path)], keeper)._look()
    assert kept(keeper, "claude_code/open")


def test_a_folder_that_goes_while_it_is_looked_through_ends_no_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gone", "there"):
        (tmp_path / name).mkdir()
    (tmp_path / "there" / "one.jsonl").write_bytes(b"".join(lines_of("claude_code")))
    of_any = Path.glob

    def glob(path: Path, pattern: str) -> Any:
        if path.name == "gone":
            raise FileNotFoundError(2, "No such file or directory")
        return of_any(path, pattern)

    monkeypatch.setattr(Path, "glob", glob)
    keeper = keeper_in(tmp_path)
    places = [Place(tmp_path / "gone"), Place(tmp_path / "there")]
    FolderWatch(places, keeper)._look()
    assert kept(keeper, "claude_code/one")
