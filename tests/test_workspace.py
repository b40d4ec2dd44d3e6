"""The workspace: samples, import, runs that are made once, chats, and several windows on one file."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

import memviz
from memviz import Chat, Message, ModelError, ScriptedModel, StorageError, TranscriptError
from memviz.transcripts.samples import bundled
from memviz.workspace import DATABASE_VARIABLE, FIRST_SAMPLE, TITLE_CHARS, RunKey, Workspace
from tests.engine.probes import Digest, talk, timeless

NOBODY = ScriptedModel([])  # whoever asks it is told off


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "memviz.db"


@pytest.fixture
def workspace(database: Path) -> Workspace:
    return Workspace(database)


def as_file(messages: list[Message]) -> bytes:
    return json.dumps([message.to_dict() for message in messages]).encode()


def imported(workspace: Workspace, turns: int = 6) -> str:
    return workspace.import_file("talk.json", as_file(talk(turns)))[0].id


def key_of(id: str, **changes: object) -> RunKey:
    return dataclasses.replace(RunKey(id, memviz.strategy("summary", buffer_size=1), "chars4", "digest"), **changes)


def a_chat(turns: int = 0) -> Chat:
    chat = Chat(
        memviz.strategy("summary", buffer_size=1), counter="chars4", system_prompt="Be brief.",
        model=ScriptedModel(f"Reply {n}" for n in count(1)), summarizer=Digest(),
    )  # fmt: skip
    for number in range(1, turns + 1):
        chat.send(f"Question {number}")
    return chat


def saved(workspace: Workspace, chat: Chat) -> str:
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "digest")
    return id


def resumed(workspace: Workspace, id: str, **changes: object) -> Chat:
    strategy = changes.get("strategy", memviz.strategy("buffer"))
    replies = ScriptedModel(f"Later reply {n}" for n in count(1))
    return workspace.resume_chat(id, "chars4", replies, Digest(), strategy)  # type: ignore[arg-type]


class TestLibrary:
    def test_starts_with_the_samples(self, workspace: Workspace) -> None:
        entries = workspace.conversations()
        assert {entry.id for entry in entries} == {f"sample-{name}" for name in bundled()}
        assert FIRST_SAMPLE in {entry.id for entry in entries}
        assert workspace.count() == len(entries)

    def test_samples_are_added_once_and_not_again_after_they_were_deleted(self, database: Path) -> None:
        first = Workspace(database)
        first.rename("sample-support", "My own title")
        first.delete(FIRST_SAMPLE)
        again = Workspace(database)
        ids = {entry.id for entry in again.conversations()}
        assert ids == {f"sample-{name}" for name in bundled()} - {FIRST_SAMPLE}
        assert again.store.entry("sample-support").title == "My own title"
        again.restore(FIRST_SAMPLE)
        assert len(Workspace(database).conversations()) == len(bundled())

    def test_the_file_can_be_named_in_the_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(DATABASE_VARIABLE, str(tmp_path / "named.db"))
        imported(Workspace())
        assert (tmp_path / "named.db").is_file()
        monkeypatch.delenv(DATABASE_VARIABLE)
        monkeypatch.chdir(tmp_path)
        Workspace()
        assert (tmp_path / "memviz.db").is_file()

    def test_an_imported_file_is_a_conversation(self, workspace: Workspace) -> None:
        entry, warnings = workspace.import_file("Talk about rain.json", as_file(talk(3)))
        transcript, log = workspace.conversation(entry.id)
        assert (entry.title, entry.message_count, entry.turn_count, warnings) == ("Talk about rain", 6, 3, ())
        assert list(transcript.messages) == list(log) == talk(3)
        assert workspace.conversations("NUMBER 2")[0].id == entry.id
        assert workspace.conversation(entry.id)[1] is log, "so that its tokens are counted once"

    def test_what_the_reader_mended_is_told(self, workspace: Workspace) -> None:
        _, warnings = workspace.import_file("talk.json", b'[{"role": "user", "content": "caf\xe9"}]')
        assert len(warnings) == 1

    def test_a_file_that_cannot_be_read_leaves_nothing_behind(self, workspace: Workspace) -> None:
        before = workspace.conversations()
        with pytest.raises(TranscriptError, match=r"notes\.txt"):
            workspace.import_file("notes.txt", b"Dear diary")
        assert workspace.conversations() == before

    def test_renaming_shows_at_once(self, workspace: Workspace) -> None:
        id = imported(workspace)
        assert workspace.conversation(id)[0].title == "talk"
        workspace.rename(id, "Numbers")
        assert workspace.conversation(id)[0].title == "Numbers"

    def test_a_deleted_conversation_is_not_there(self, workspace: Workspace) -> None:
        id = imported(workspace)
        workspace.run(key_of(id), Digest())
        workspace.delete(id)
        with pytest.raises(StorageError, match="was deleted"):
            workspace.conversation(id)
        with pytest.raises(StorageError, match="was deleted"):
            workspace.kept_run(key_of(id))
        workspace.restore(id)
        assert list(workspace.conversation(id)[1]) == talk(6)


class TestRuns:
    def test_is_the_replay_of_the_conversation(self, workspace: Workspace) -> None:
        done: list[tuple[int, int]] = []
        transcript, _ = workspace.conversation(FIRST_SAMPLE)
        run = workspace.run(key_of(FIRST_SAMPLE), Digest(), lambda *at: done.append(at))
        again = memviz.replay(transcript, run.strategy, model=Digest(), counter="chars4")
        assert timeless(run) == timeless(again)
        assert run.system_prompt == transcript.system_prompt
        assert done == [(turn, len(run.turns)) for turn in range(1, len(run.turns) + 1)]

    def test_made_once_is_found_again(self, workspace: Workspace, database: Path) -> None:
        key = key_of(imported(workspace))
        assert workspace.kept_run(key) is None
        run = workspace.run(key, Digest())
        assert len(run.compactions) > 2
        assert workspace.run(key, NOBODY) is run
        elsewhere = Workspace(database)
        found = elsewhere.run(key, NOBODY, lambda *_: pytest.fail("was made again"))
        assert found == run
        assert elsewhere.run(key, NOBODY) is found
        assert found.log is elsewhere.conversation(key.conversation_id)[1], "so that its tokens are counted once"

    def test_is_found_whatever_happened_to_the_title(self, workspace: Workspace) -> None:
        key = key_of(imported(workspace))
        run = workspace.run(key, Digest())
        workspace.rename(key.conversation_id, "Numbers")
        assert workspace.run(key, NOBODY) == run

    @pytest.mark.parametrize(
        "changes",
        [
            {"strategy": memviz.strategy("summary", buffer_size=2)},
            {"strategy": memviz.strategy("summary_buffer", max_token_limit=20)},
            {"counter": "bytes4"},
            {"summarizer": "another"},
        ],
    )
    def test_another_setting_counter_or_summarizer_is_another_run(
        self, workspace: Workspace, database: Path, changes: dict[str, object]
    ) -> None:
        key = key_of(imported(workspace))
        workspace.run(key, Digest())
        other = dataclasses.replace(key, **changes)
        for place in (workspace, Workspace(database)):
            assert place.kept_run(other) is None
            assert place.kept_run(key) is not None
        run = workspace.run(other, ScriptedModel(f"other {n}" for n in count(1)))
        assert (run.strategy, run.counter.name) == (other.strategy, other.counter)
        assert run.summaries[0].text == "other 1"

    @pytest.mark.parametrize("failures", [1, 99])
    def test_with_a_failed_summarization_is_not_kept(self, workspace: Workspace, database: Path, failures: int) -> None:
        key = key_of(imported(workspace))
        answers = (ModelError("down") if n <= failures else f"summary {n}" for n in count(1))
        run = workspace.run(key, ScriptedModel(answers))
        assert sum(bool(c.error) for c in run.compactions) >= 1
        assert Workspace(database).kept_run(key) is None
        better = Workspace(database).run(key, Digest())
        assert not any(c.error for c in better.compactions)
        assert Workspace(database).run(key, NOBODY) == better

    def test_of_a_conversation_that_went_on_is_made_anew(self, workspace: Workspace) -> None:
        id = saved(workspace, a_chat(turns=3))
        key = key_of(id, strategy=memviz.strategy("summary", buffer_size=2))
        assert len(workspace.run(key, Digest()).turns) == 3
        chat = resumed(workspace, id)
        chat.send("One more")
        workspace.save_chat(id, chat, "digest")
        assert len(workspace.run(key, Digest()).turns) == 4

    def test_of_a_conversation_that_was_changed_is_made_anew(self, workspace: Workspace) -> None:
        chat = a_chat(turns=3)
        id = saved(workspace, chat)
        key = key_of(id, strategy=memviz.strategy("window"))
        workspace.run(key, Digest())
        before = list(chat.log)
        list(chat.retry())
        workspace.save_chat(id, chat, "digest", before)
        assert workspace.run(key, Digest()).turns[-1].reply == "Reply 4", "as many messages as before, but another"

    def test_several_threads_get_the_same(self, workspace: Workspace) -> None:
        keys = [key_of(imported(workspace), strategy=memviz.strategy("summary", buffer_size=n)) for n in (1, 2)]
        with ThreadPoolExecutor(6) as threads:
            runs = list(threads.map(lambda n: workspace.run(keys[n % 2], Digest()), range(12)))
        assert [run.summaries for run in runs] == [workspace.run(keys[n % 2], NOBODY).summaries for n in range(12)]


class TestChats:
    def test_goes_on_as_it_was_left(self, workspace: Workspace, database: Path) -> None:
        chat = a_chat(turns=4)
        id = saved(workspace, chat)
        again = resumed(Workspace(database), id, strategy=memviz.strategy("window"))
        assert again.run == chat.run
        assert again.send("And then?").reply == "Later reply 1"

    def test_is_named_after_its_first_message(self, workspace: Workspace) -> None:
        chat = a_chat()
        chat.send("  What about\n  " + "the rain " * 20)
        title = workspace.store.entry(saved(workspace, chat)).title
        assert title.startswith("What about the rain the rain")
        assert title.endswith("…")
        assert len(title) == TITLE_CHARS
        assert workspace.store.entry(saved(workspace, a_chat(turns=1))).title == "Question 1"

    def test_saved_turn_by_turn_is_whole(self, workspace: Workspace, database: Path) -> None:
        chat = a_chat(turns=1)
        id = saved(workspace, chat)
        for number in range(4):
            chat.send(f"More {number}")
            workspace.save_chat(id, chat, "digest")
            assert list(workspace.conversation(id)[1]) == list(chat.log)
            assert resumed(Workspace(database), id).run == chat.run

    def test_over_an_imported_conversation_is_derived_under_the_strategy(self, workspace: Workspace) -> None:
        id = imported(workspace)
        chat = resumed(workspace, id, strategy=memviz.strategy("summary", buffer_size=1))
        assert (chat.strategy.id, list(chat.log), len(chat.run.summaries) > 0) == ("summary", talk(6), True)
        chat.send("One more")
        assert list(workspace.conversation(id)[1]) == talk(6), "not saved, so not there"

    def test_after_an_undo_is_as_it_is_now(self, workspace: Workspace, database: Path) -> None:
        chat = a_chat(turns=4)
        id, before = saved(workspace, chat), list(chat.log)
        chat.undo()
        workspace.save_chat(id, chat, "digest", before)
        assert resumed(Workspace(database), id).run == chat.run
        assert list(workspace.conversation(id)[1]) == before[:-2]


class TestTwoWindowsOnOneFile:
    def test_see_each_others_library(self, workspace: Workspace, database: Path) -> None:
        other = Workspace(database)
        id = imported(workspace)
        other.rename(id, "From the other window")
        other.delete(FIRST_SAMPLE)
        entries = {entry.id: entry.title for entry in workspace.conversations()}
        assert entries[id] == "From the other window"
        assert FIRST_SAMPLE not in entries

    def test_see_what_the_other_wrote_last(self, workspace: Workspace, database: Path) -> None:
        id = saved(workspace, a_chat(turns=2))
        assert len(workspace.conversation(id)[1]) == 4
        other = Workspace(database)
        chat = resumed(other, id)
        chat.send("From the other window")
        other.save_chat(id, chat, "digest")
        assert list(workspace.conversation(id)[1]) == list(chat.log)
        assert len(workspace.run(key_of(id), Digest()).turns) == 3

    def test_do_not_overwrite_each_other(self, workspace: Workspace, database: Path) -> None:
        mine = a_chat(turns=2)
        id = saved(workspace, mine)
        other = Workspace(database)
        theirs = resumed(other, id)
        theirs.send("Me first")
        other.save_chat(id, theirs, "digest")
        mine.send("No, me")
        with pytest.raises(StorageError, match="another tab"):
            workspace.save_chat(id, mine, "digest")
        before = list(mine.log)
        mine.undo()
        with pytest.raises(StorageError, match="another tab"):
            workspace.save_chat(id, mine, "digest", before)
        assert resumed(workspace, id).run == theirs.run
