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
from memviz.core.storage_errors import StorageError
from memviz.dashboard.words.live import problem_words
from memviz.storage.store import Store
from memviz.storage.watched import Growth
from memviz.transcripts.growing import GROWING, Rows, SessionPiece
from memviz.transcripts.loading import formats, load_transcript
from memviz.watching import growing_files
from memviz.watching.folders import FolderWatch
from memviz.watching.growing_files import GrowingFile
from memviz.watching.keeper import Keeper
from memviz.watching.programs import PROGRAMS as KNOWN
from memviz.watching.programs import WatchedFolder
from tests.tables import for_each
from tests.watching.growing import SAMPLES, append, keeper_in, kept, lines_of, said

PROGRAMS = ("claude_code", "codex", "copilot_cli", "gemini_cli")
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


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_session_that_is_read_while_it_is_written_anew_is_told_once(
    program: str, is_restarted: bool, tmp_path: Path
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    lines = lines_of(program)
    path.write_bytes(b"".join(lines))
    session = GrowingFile(path, program, "one", keeper)
    session.read_on()
    before = kept(keeper, session.key)
    watched = keeper.store.find_watched(session.key)
    assert watched is not None
    for stop in range(1, len(lines), 5):
        path.write_bytes(b"".join(lines[:stop]))
        session.read_on()
        if is_restarted:
            session = GrowingFile(path, program, "one", keeper)
        append(path, b"".join(lines[stop:]))
        session.read_on()
        assert kept(keeper, session.key) == before
    again = keeper.store.find_watched(session.key)
    assert again is not None
    assert again.event_count == watched.event_count


def claude_row(number: int, role: str, text: str) -> bytes:
    """A row of Claude Code as it is written: a message on a line."""
    message: dict[str, Any] = {"role": role, "content": text}
    if role == "assistant":
        message = {**message, "id": str(number), "content": [text_part(text)]}
    row = {"type": role, "uuid": str(number), "message": message}
    if number:
        row["parentUuid"] = str(number - 1)
    return json.dumps(row).encode() + b"\n"


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def claude_rows(*texts: str) -> list[bytes]:
    """A session of Claude Code in which user and model speak in turn."""
    rows = []
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        rows.append(claude_row(number, role, text))
    return rows


def test_what_is_said_once_more_after_a_session_was_written_anew_is_kept(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    texts = ["Shall I go on?", "Say yes.", "yes", "Done.", "Thanks", "Go on?"]
    rows = claude_rows(*texts, "yes", "Done.", "yes", "All done.")
    path.write_bytes(b"".join(rows[:6]))
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    path.write_bytes(b"".join(rows[:3]))
    for row in rows[3:]:
        session.read_on()
        append(path, row)
    session.read_on()
    contents = [message.content for message in kept(keeper, session.key)]
    assert contents == [*texts, "yes", "Done.", "yes", "All done."]


def test_what_is_said_after_turns_were_taken_back_is_kept(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    rows = claude_rows("One", "1", "Two", "2")
    path.write_bytes(b"".join(rows))
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    path.write_bytes(b"".join(rows[:2]))
    session.read_on()
    for row in claude_rows("One", "1", "Three", "3")[2:]:
        append(path, row)
        session.read_on()
    contents = [message.content for message in kept(keeper, session.key)]
    assert contents == ["One", "1", "Two", "2", "Three", "3"]


def read_on_with_a_full_disk(
    session: GrowingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise StorageError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "grow_watched", full)
        with pytest.raises(StorageError):
            session.read_on()


def test_a_library_that_cannot_be_written_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path)
    session = GrowingFile(SAMPLES / "codex.jsonl", "codex", "one", keeper)

    read_on_with_a_full_disk(session, monkeypatch)
    assert session.read_on()
    assert len(kept(keeper, "codex/one")) == len(
        load_transcript(SAMPLES / "codex.jsonl", "codex").messages
    )


def test_a_session_written_anew_loses_nothing_where_the_first_write_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "rollout.jsonl"
    lines = lines_of("codex")
    path.write_bytes(b"".join(lines[:20]))
    session = GrowingFile(path, "codex", "one", keeper)
    session.read_on()
    before = kept(keeper, "codex/one")
    path.write_bytes(lines[0] + b"".join(lines[20:]))

    read_on_with_a_full_disk(session, monkeypatch)
    assert session.read_on()
    after = kept(keeper, "codex/one")
    assert after[: len(before)] == before
    assert len(after) > len(before)


HOSTILE = [
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
]


@for_each("program", PROGRAMS)
def test_a_hostile_line_costs_no_more_than_itself(program: str, tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    lines = lines_of(program)
    for number, hostile in enumerate(HOSTILE):
        path = tmp_path / f"{program}-{number}.jsonl"
        path.write_bytes(b"".join([*lines[:3], hostile, *lines[3:], hostile]))
        session = GrowingFile(path, program, str(number), keeper)
        session.read_on()
        texts = [message.content for message in kept(keeper, session.key)]
        assert any("3,600 euros" in text for text in texts), hostile[:100]


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
        watch = FolderWatch([WatchedFolder(tmp_path, program)], keeper)
        watch.on_any_event(FileModifiedEvent(str(tmp_path / "one.jsonl")))
        watch.read_changed()
        assert not watch._open


def test_a_file_whose_name_is_no_utf8_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.jsonl")
    path.write_bytes(b"".join(lines_of("claude_code")))
    keeper = keeper_in(tmp_path)
    watch = FolderWatch([WatchedFolder(tmp_path)], keeper)
    watch.on_any_event(FileModifiedEvent(str(path)))
    watch.read_changed()
    assert kept(keeper, "claude_code/\ufffd")


def test_what_a_program_writes_aside_is_no_session(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    subagents = tmp_path / "project" / "one" / "subagents"
    (subagents / "below").mkdir(parents=True)
    (tmp_path / "project" / "chats").mkdir()
    aside = [
        (tmp_path / "one.jsonl.tmp", None),
        (tmp_path / ".one.jsonl.swp", None),
        (subagents / "notes.jsonl", KNOWN["claude_code"]),
        (subagents / "below" / "agent-1.jsonl", KNOWN["claude_code"]),
        (subagents / "agent-acompact-1.jsonl", KNOWN["claude_code"]),
        (tmp_path / "agent-acompact-1.jsonl", None),
        (tmp_path / "project" / "chats" / "one.json.tmp", KNOWN["gemini_cli"]),
    ]
    for path, program in aside:
        path.write_bytes(b"".join(lines_of("claude_code")))
        watch = FolderWatch([WatchedFolder(tmp_path, program)], keeper)
        watch.on_any_event(FileModifiedEvent(str(path)))
        watch.read_changed()
        assert not watch._open


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
    FolderWatch([WatchedFolder(tmp_path)], keeper)._look()
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
    places = [WatchedFolder(tmp_path / "gone"), WatchedFolder(tmp_path / "there")]
    FolderWatch(places, keeper)._look()
    assert kept(keeper, "claude_code/one")


def of_subagent(lines: list[bytes], **more: str) -> list[bytes]:
    """The rows of a session of Claude Code as those of a subagent."""
    rows = [{**json.loads(line), "isSidechain": True, **more} for line in lines]
    return [json.dumps(row).encode() + b"\n" for row in rows]


def test_what_subagents_said_in_a_session_is_told_once_as_a_note(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    lines = lines_of("claude_code")
    talk = [line for line in lines if json.loads(line)["type"] in ("user", "assistant")]
    path = tmp_path / "session.jsonl"
    path.touch()
    for number, line in enumerate([*lines, *of_subagent(talk), *lines[-1:]]):
        append(path, line)
        if number % 3 == 0:  # the watcher is started anew
            session = GrowingFile(path, "claude_code", "one", keeper)
        session.read_on()
    watched = keeper.store.find_watched("claude_code/one")
    assert watched is not None
    assert keeper.store.about(watched.id).warnings == (
        f"what subagents said in side conversations was left out (rows: {len(talk)}).",
    )
    whole = load_transcript(SAMPLES / "claude_code.jsonl", "claude_code")
    assert kept(keeper, "claude_code/one") == whole.messages


def test_what_subagents_of_copilot_said_is_told_as_a_note(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "events.jsonl"
    said = {"content": "Look it up.", "parentToolCallId": "call_1"}
    row = {"type": "user.message", "data": said}
    path.write_bytes(
        b"".join(lines_of("copilot_cli")) + json.dumps(row).encode() + b"\n"
    )
    GrowingFile(path, "copilot_cli", "one", keeper).read_on()
    watched = keeper.store.find_watched("copilot_cli/one")
    assert watched is not None
    (note,) = keeper.store.about(watched.id).warnings
    assert "rows: 1" in note
    assert "Look it up." not in repr(kept(keeper, "copilot_cli/one"))


def test_a_subagent_with_a_file_of_its_own_is_a_conversation(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    folder = tmp_path / "project" / "c7e3a454" / "subagents"
    folder.mkdir(parents=True)
    lines = of_subagent(lines_of("claude_code"), agentId="a1b2")
    (folder / "agent-a1b2.jsonl").write_bytes(b"".join(lines))
    FolderWatch([WatchedFolder(tmp_path, KNOWN["claude_code"])], keeper)._look()
    whole = load_transcript(SAMPLES / "claude_code.jsonl", "claude_code")
    assert kept(keeper, "claude_code/agent-a1b2") == whole.messages
    watched = keeper.store.find_watched("claude_code/agent-a1b2")
    assert watched is not None
    assert watched.state["is_subagent"]
    assert keeper.store.about(watched.id).warnings == ()


def test_a_subagent_of_codex_is_known_as_one(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    first, *others = lines_of("codex")
    row = json.loads(first)
    row["payload"]["source"] = {"subagent": {"thread_spawn": {"depth": 1}}}
    path = tmp_path / "rollout-1.jsonl"
    path.write_bytes(json.dumps(row).encode() + b"\n" + b"".join(others[:12]))
    GrowingFile(path, "codex", "one", keeper).read_on()
    append(path, b"".join(others[12:]))
    GrowingFile(path, "codex", "one", keeper).read_on()
    watched = keeper.store.find_watched("codex/one")
    assert watched is not None
    assert watched.state["is_subagent"]


def test_what_copilot_says_of_a_session_before_its_first_message_is_kept(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "events.jsonl"
    path.touch()
    session = GrowingFile(path, "copilot_cli", "one", keeper)
    described = {"type": "system.message", "data": {"content": "Be kind."}}
    named = {"type": "session.title_changed", "data": {"title": "Ferns"}}
    asked = {"type": "user.message", "data": {"content": "How deep?"}}
    for row in (described, named, asked):
        append(path, json.dumps(row).encode() + b"\n")
        session.read_on()
    watched = keeper.store.find_watched("copilot_cli/one")
    assert watched is not None
    about = keeper.store.about(watched.id)
    assert (about.title, about.system_prompt) == ("Ferns", "Be kind.")


def row_of(text: str) -> bytes:
    message = {"role": "user", "content": text}
    row = {"type": "user", "uuid": text, "sessionId": text, "message": message}
    return json.dumps(row).encode() + b"\n"


def all_kept(keeper: Keeper) -> dict[str, str]:
    """What is kept of each conversation by the beginning of its key."""
    return {
        " ".join(message.content for message in kept(keeper, one.key)): one.key
        for one in keeper.store.newest_watched()
    }


def test_sessions_of_one_name_in_two_folders_are_two_conversations(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path)
    paths = [tmp_path / name / "session.jsonl" for name in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        # Nothing is kept of either yet.
        path.write_bytes(
            b'{"type": "mode", "sessionId": "%s"}\n' % path.parent.name.encode()
        )
    watch = FolderWatch([WatchedFolder(tmp_path)], keeper)
    watch._look()
    for word in ("one", "two", "three"):
        for path in paths:
            append(path, row_of(f"{path.parent.name}{word}"))
            watch.on_any_event(FileModifiedEvent(str(path)))
            watch.read_changed()
        watch = FolderWatch([WatchedFolder(tmp_path)], keeper)
    assert sorted(all_kept(keeper)) == ["aone atwo athree", "bone btwo bthree"]


@pytest.mark.parametrize("is_other_first", [False, True])
def test_a_session_that_is_known_goes_on_under_its_key(
    tmp_path: Path, is_other_first: bool
) -> None:
    keeper = keeper_in(tmp_path)
    paths = [tmp_path / name / "session.jsonl" for name in ("known", "other")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(row_of(path.parent.name))
    GrowingFile(paths[0], "claude_code", "session", keeper).read_on()
    # As an earlier memviz kept it, which noted no folder.
    keeper.store.grow_watched(
        "claude_code/session", lambda kept: Growth(1, [], {"folder": None})
    )
    append(paths[0], row_of("more"))
    for path in reversed(paths) if is_other_first else paths:
        GrowingFile(path, "claude_code", "session", keeper).read_on()
    found = all_kept(keeper)
    assert found["known more"] == "claude_code/session"
    assert sorted(found) == ["known more", "other"]


def test_a_session_whose_folder_was_moved_goes_on(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "before" / "session.jsonl"
    path.parent.mkdir()
    path.write_bytes(row_of("one"))
    GrowingFile(path, "claude_code", "session", keeper).read_on()
    path.parent.rename(tmp_path / "after")
    path = tmp_path / "after" / "session.jsonl"
    append(path, row_of("two"))
    GrowingFile(path, "claude_code", "session", keeper).read_on()
    assert sorted(all_kept(keeper)) == ["one two"]


def test_a_session_that_nobody_foresaw_ends_no_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_on = GrowingFile.read_on

    def fail(session: GrowingFile) -> bool:
        if session.path.name == "a.jsonl":
            raise TypeError("secret words")
        return read_on(session)

    monkeypatch.setattr(GrowingFile, "read_on", fail)
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(row_of(name))
    keeper = keeper_in(tmp_path)
    complaints: list[str] = []
    FolderWatch([WatchedFolder(tmp_path)], keeper, complaints.append)._look()
    assert list(all_kept(keeper)) == ["b"]
    assert complaints == ["What is new in a.jsonl cannot be read (TypeError)."]


def test_a_session_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed", "open"):
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines_of("codex")))
    of_any = Path.open

    def open_file(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "closed.jsonl":
            raise PermissionError(13, "Permission denied")
        return of_any(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_file)
    keeper = keeper_in(tmp_path)
    complaints: list[str] = []
    watch = FolderWatch([WatchedFolder(tmp_path, PROGRAM)], keeper, complaints.append)
    watch._look()
    assert complaints == [
        "What is new in closed.jsonl cannot be read (PermissionError)."
    ]
    assert kept(keeper, "codex/open")
    monkeypatch.setattr(Path, "open", of_any)
    watch._look()
    assert kept(keeper, "codex/closed") == kept(keeper, "codex/open")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_piece_that_no_reader_foresaw_hides_no_other(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = type(formats()[program])
    read = reader.read

    def fail_at_first(self: Any, piece: Any, builder: Any) -> Any:
        monkeypatch.setattr(reader, "read", read)
        raise TypeError

    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    lines = lines_of(program)
    monkeypatch.setattr(reader, "read", fail_at_first)
    path.write_bytes(b"".join(lines))
    GrowingFile(path, program, "one", keeper).read_on()
    assert kept(keeper, f"{program}/one")


def notes_on(keeper: Keeper, key: str) -> list[str]:
    """The notes of a watched conversation."""
    watched = keeper.store.find_watched(key)
    assert watched is not None
    return list(map(str, keeper.store.about(watched.id).warnings))


def test_a_row_that_no_reader_foresaw_is_noted_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    format = GROWING["claude_code"]

    def fail_at_two(rows: Rows) -> SessionPiece:
        if any("Two" in repr(row) for row in rows):
            raise KeyError("text")
        return format.read(rows)

    failing = replace(format, read=fail_at_two)
    monkeypatch.setitem(GROWING, "claude_code", failing)  # type: ignore[arg-type]
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(claude_rows("One", "1", "Two", "2", "Three", "3")))
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    contents = [message.content for message in kept(keeper, session.key)]
    assert contents == ["One", "1", "2", "Three", "3"]
    note = "what could not be read was left out (rows: {})."
    assert notes_on(keeper, session.key) == [note.format(1)]
    # What is no row at all is counted as well, also by a watcher that is started anew.
    append(path, b'{"type": "us\n\n' + claude_row(6, "user", "Two"))
    for _ in range(2):
        session = GrowingFile(path, "claude_code", "one", keeper)
        session.read_on()
        assert notes_on(keeper, session.key) == [note.format(3)]


def test_a_row_without_content_is_not_noted(tmp_path: Path) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    first, second = claude_rows("One", "1")
    path.write_bytes(first + b"{}\n" + second)
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    append(path, b"{}\n")
    session.read_on()
    assert said(kept(keeper, session.key)) == [("user", "One"), ("assistant", "1")]
    assert notes_on(keeper, session.key) == []


def test_whole_lines_of_a_file_written_anew_wait_for_no_long_line_behind_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_files, "CHUNK_BYTES", 1_000)
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(claude_rows("One", "1")))
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    rows = claude_rows("Before", "0", "One", "1", "Two", "2", "x" * 5_000)
    long_row = rows.pop()
    path.write_bytes(b"".join(rows) + long_row[:-1])
    assert session.read_on()
    assert said(kept(keeper, session.key))[-2:] == [("user", "Two"), ("assistant", "2")]
    append(path, b"\n")
    assert session.read_on()
    assert kept(keeper, session.key)[-1].content == "x" * 5_000


def test_a_line_that_is_too_long_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_files, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(growing_files, "MAX_LINE_BYTES", 5_000)
    keeper = keeper_in(tmp_path)
    path = tmp_path / "session.jsonl"
    first, second = claude_rows("One", "1")
    path.write_bytes(first + b'"' + b"x" * 20_000 + b'"\n' + second)
    session = GrowingFile(path, "claude_code", "one", keeper)
    session.read_on()
    contents = [message.content for message in kept(keeper, session.key)]
    assert contents == ["One", "1"]
    assert len(notes_on(keeper, session.key)) == 1


def test_a_database_is_looked_at_with_what_is_written_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"")
    watch = FolderWatch(
        [WatchedFolder(tmp_path, KNOWN["opencode"])], keeper_in(tmp_path)
    )
    looked_at: list[Path] = []
    monkeypatch.setattr(watch, "_read", looked_at.append)
    watch._look()
    watch._look()
    assert looked_at == [path]
    (tmp_path / "opencode.db-wal").write_bytes(b"more")
    watch._look()
    assert looked_at == [path, path]


def test_a_compaction_with_a_secret_is_told_once_where_its_file_is_written_anew(
    tmp_path: Path,
) -> None:
    keeper = keeper_in(tmp_path, ["language"])
    path = tmp_path / "rollout.jsonl"
    lines = lines_of("codex")
    path.write_bytes(b"".join(lines))
    GrowingFile(path, "codex", "one", keeper).read_on()
    watched = keeper.store.find_watched("codex/one")
    assert watched is not None
    events = keeper.store.about(watched.id).events
    assert "Another *** model" in events[0].text
    other = tmp_path / "other"
    other.write_bytes(b"".join(lines))
    other.replace(path)
    GrowingFile(path, "codex", "one", keeper).read_on()
    assert keeper.store.about(watched.id).events == events


def test_a_session_written_anew_that_is_too_large_to_be_compared_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = keeper_in(tmp_path)
    path = tmp_path / "rollout.jsonl"
    lines = lines_of("codex")
    path.write_bytes(b"".join(lines))
    session = GrowingFile(path, "codex", "one", keeper)
    session.read_on()
    assert session.problem == ""
    monkeypatch.setattr(growing_files, "MAX_ANEW_BYTES", 20_000)
    path.write_bytes(lines[0].replace(b"{", b"{ ", 1) + b"".join(lines[1:]))
    session.read_on()
    assert session.problem.startswith("rollout.jsonl was written anew and is larger")
    watched = keeper.store.find_watched("codex/one")
    assert watched is not None
    assert problem_words(watched) == session.problem
    path.write_bytes(lines[0] + lines[1])
    session.read_on()
    assert session.problem == ""
