"""The workspace: samples, import, runs that are made once, chats, and several windows on one file."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

import memviz
from memviz import (
    Chat,
    FreeRun,
    Message,
    ModelError,
    Recall,
    Run,
    ScriptedModel,
    StorageError,
)
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.storage.conversations import TITLE_CHARS
from memviz.storage.recent_runs import MAX_RUN_RECORDS
from memviz.storage.workspace import (
    DATABASE_VARIABLE,
    FIRST_SAMPLE,
    RunKey,
    Workspace,
)
from memviz.transcripts.base import Probe, Transcript
from memviz.transcripts.loading import load_transcript
from memviz.transcripts.samples import bundled
from tests.engine.probes import Digest, talk, timeless
from tests.same_runs import contents
from tests.tool_loops import loops

NOBODY = ScriptedModel([])  # whoever asks it is told off


@pytest.fixture
def database(library_or_slow: str) -> str:
    """A file, and among what is marked pytest.mark.slow a library on a server."""
    return library_or_slow


@pytest.fixture
def workspace(database: str) -> Workspace:
    return Workspace(database)


def as_file(messages: list[Message]) -> bytes:
    return json.dumps([message.to_dict() for message in messages]).encode()


def imported(workspace: Workspace, turns: int = 6) -> str:
    return workspace.add([load_transcript(as_file(talk(turns)), name="talk.json")])[
        0
    ].id


def key_of(id: str, **changes: object) -> RunKey:
    return replace(
        RunKey(id, memviz.strategy("summary", buffer_size=1), "chars4", "digest"),
        **changes,
    )


def a_chat(turns: int = 0) -> Chat:
    chat = Chat(
        memviz.strategy("summary", buffer_size=1),
        counter="chars4",
        system_prompt="Be brief.",
        model=ScriptedModel(f"Reply {n}" for n in count(1)),
        summarizer=Digest(),
    )
    for number in range(1, turns + 1):
        chat.send(f"Question {number}")
    return chat


def saved(workspace: Workspace, chat: Chat) -> str:
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "digest")
    return id


def resumed(workspace: Workspace, id: str, **changes: object) -> Chat:
    strategy, summarizer = (
        changes.get("strategy", memviz.strategy("buffer")),
        changes.get("summarizer", Digest()),
    )
    replies = ScriptedModel(f"Later reply {n}" for n in count(1))
    run = workspace.store.chat_run(id)
    if run is None:
        work = workspace.deriving_chat(id, "chars4", summarizer, strategy)  # type: ignore[arg-type]
        assert work.wait(20.0)
        run = work.run
    assert run is not None
    return Chat.resume(run, model=replies, summarizer=summarizer)  # type: ignore[arg-type]


def test_six_settings_over_a_long_conversation_are_kept_together() -> None:
    """Of one run too many, each time the page is drawn it would be replayed, and push out the one that is asked for
    next."""
    requests, summaries = (
        30_000,
        17_000,
    )  # of 60,000 messages under a summary buffer of 500 tokens
    assert MAX_SETTINGS * requests + 3 * 3 * summaries < MAX_RUN_RECORDS


class TestLibrary:
    def test_starts_with_the_samples(self, workspace: Workspace) -> None:
        entries = workspace.store.conversations()
        assert {entry.id for entry in entries} == {
            f"sample-{name}" for name in bundled()
        }
        assert FIRST_SAMPLE in {entry.id for entry in entries}
        assert workspace.store.count() == len(entries)

    def test_samples_are_added_once_and_not_again_after_they_were_deleted(
        self, database: str
    ) -> None:
        first = Workspace(database)
        first.rename("sample-support", "My own title")
        first.store.delete(FIRST_SAMPLE)
        again = Workspace(database)
        ids = {entry.id for entry in again.store.conversations()}
        assert ids == {f"sample-{name}" for name in bundled()} - {FIRST_SAMPLE}
        assert again.store.entry("sample-support").title == "My own title"
        again.store.restore(FIRST_SAMPLE)
        assert len(Workspace(database).store.conversations()) == len(bundled())

    def test_the_file_can_be_named_in_the_environment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(DATABASE_VARIABLE, str(tmp_path / "named.db"))
        imported(Workspace())
        assert (tmp_path / "named.db").is_file()
        monkeypatch.delenv(DATABASE_VARIABLE)
        monkeypatch.chdir(tmp_path)
        Workspace()
        assert (tmp_path / "memviz.db").is_file()

    def test_an_imported_file_is_a_conversation(self, workspace: Workspace) -> None:
        (entry,) = workspace.add(
            [load_transcript(as_file(talk(3)), name="Talk about rain.json")]
        )
        transcript, log = workspace.conversation(entry.id)
        assert (entry.title, entry.message_count, entry.turn_count) == (
            "Talk about rain",
            6,
            3,
        )
        assert list(transcript.messages) == list(log) == talk(3)
        assert workspace.store.conversations("NUMBER 2")[0].id == entry.id
        assert workspace.conversation(entry.id)[1] is log, (
            "so that its tokens are counted once"
        )

    def test_a_conversation_that_only_greets_can_be_gone_on_with(
        self, workspace: Workspace
    ) -> None:
        (entry,) = workspace.add(
            [Transcript((Message("assistant", "Hello! How can I help?"),))]
        )
        chat = resumed(
            workspace,
            entry.id,
            strategy=memviz.strategy("summary_buffer"),
            summarizer=NOBODY,
        )
        record = chat.send("How do I get to Lisbon?")
        assert record.context.messages[0].content == "Hello! How can I help?"
        workspace.save_chat(entry.id, chat, "offline")
        assert workspace.store.entry(entry.id).message_count == 3

    def test_renaming_shows_at_once(self, workspace: Workspace) -> None:
        id = imported(workspace)
        assert workspace.conversation(id)[0].title == "talk"
        workspace.rename(id, "Numbers")
        assert workspace.conversation(id)[0].title == "Numbers"

    def test_a_deleted_conversation_is_not_there(self, workspace: Workspace) -> None:
        id = imported(workspace)
        workspace.run(key_of(id), Digest())
        workspace.store.delete(id)
        with pytest.raises(StorageError, match="was deleted"):
            workspace.conversation(id)
        with pytest.raises(StorageError, match="was deleted"):
            workspace.kept_run(key_of(id))
        workspace.store.restore(id)
        assert list(workspace.conversation(id)[1]) == talk(6)


class TestRuns:
    def test_is_the_replay_of_the_conversation(self, workspace: Workspace) -> None:
        done: list[tuple[int, int]] = []
        transcript, _ = workspace.conversation(FIRST_SAMPLE)
        run = workspace.run(key_of(FIRST_SAMPLE), Digest(), lambda *at: done.append(at))
        again = memviz.replay(
            transcript, run.strategy, model=Digest(), counter="chars4"
        )
        assert timeless(run) == timeless(again)
        assert run.system_prompt == transcript.system_prompt
        assert done == [(turn, len(run.turns)) for turn in range(1, len(run.turns) + 1)]

    def test_made_once_is_found_again(
        self, workspace: Workspace, database: str
    ) -> None:
        key = key_of(imported(workspace))
        assert workspace.kept_run(key) is None
        run = workspace.run(key, Digest())
        assert len(run.compactions) > 2
        assert workspace.run(key, NOBODY) is run
        elsewhere = Workspace(database)
        found = elsewhere.run(key, NOBODY, lambda *_: pytest.fail("was made again"))
        assert contents(found) == contents(run)
        assert elsewhere.run(key, NOBODY) is found
        assert found.log is elsewhere.conversation(key.conversation_id)[1], (
            "so that its tokens are counted once"
        )

    def test_is_found_whatever_happened_to_the_title(
        self, workspace: Workspace
    ) -> None:
        key = key_of(imported(workspace))
        run = workspace.run(key, Digest())
        workspace.rename(key.conversation_id, "Numbers")
        assert contents(workspace.run(key, NOBODY)) == contents(run)

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
        self, workspace: Workspace, database: str, changes: dict[str, object]
    ) -> None:
        key = key_of(imported(workspace))
        workspace.run(key, Digest())
        other = replace(key, **changes)
        for place in (workspace, Workspace(database)):
            assert place.kept_run(other) is None
            assert place.kept_run(key) is not None
        run = workspace.run(other, ScriptedModel(f"other {n}" for n in count(1)))
        assert (run.strategy, run.counter.name) == (other.strategy, other.counter)
        assert run.summaries[0].text == "other 1"

    @pytest.mark.parametrize("failures", [1, 99])
    def test_with_a_failed_summarization_is_not_kept(
        self, workspace: Workspace, database: str, failures: int
    ) -> None:
        key = key_of(imported(workspace))
        answers = (
            ModelError("down") if n <= failures else f"summary {n}" for n in count(1)
        )
        run = workspace.run(key, ScriptedModel(answers))
        assert sum(bool(c.error) for c in run.compactions) >= 1
        assert Workspace(database).kept_run(key) is None
        better = Workspace(database).run(key, Digest())
        assert not any(c.error for c in better.compactions)
        assert contents(Workspace(database).run(key, NOBODY)) == contents(better)

    def test_of_a_conversation_that_went_on_is_made_anew(
        self, workspace: Workspace
    ) -> None:
        id = saved(workspace, a_chat(turns=3))
        key = key_of(id, strategy=memviz.strategy("summary", buffer_size=2))
        assert len(workspace.run(key, Digest()).turns) == 3
        chat = resumed(workspace, id)
        chat.send("One more")
        workspace.save_chat(id, chat, "digest")
        assert len(workspace.run(key, Digest()).turns) == 4

    def test_of_a_conversation_that_was_changed_is_made_anew(
        self, workspace: Workspace
    ) -> None:
        chat = a_chat(turns=3)
        id = saved(workspace, chat)
        key = key_of(id, strategy=memviz.strategy("window"))
        workspace.run(key, Digest())
        before = list(chat.log)
        list(chat.retry())
        workspace.save_chat(id, chat, "digest", before)
        assert workspace.run(key, Digest()).turns[-1].reply == "Reply 4", (
            "as many messages as before, but another"
        )

    def test_several_threads_get_the_same(self, workspace: Workspace) -> None:
        keys = [
            key_of(
                imported(workspace), strategy=memviz.strategy("summary", buffer_size=n)
            )
            for n in (1, 2)
        ]
        with ThreadPoolExecutor(6) as threads:
            runs = list(
                threads.map(lambda n: workspace.run(keys[n % 2], Digest()), range(12))
            )
        assert [run.summaries for run in runs] == [
            workspace.run(keys[n % 2], NOBODY).summaries for n in range(12)
        ]


class TestBeginnings:
    """Of a long conversation the beginning alone can be looked at, wherever the library lies."""

    @pytest.fixture
    def database(self, tmp_path: Path, new_libraries_are_copies: None) -> str:
        return str(tmp_path / "memviz.db")

    def test_is_the_first_whole_turns(self, workspace: Workspace) -> None:
        id = imported(workspace, turns=6)
        whole = workspace.conversation(id)[1]
        for first in range(2, len(whole)):
            log = workspace.conversation(id, first)[1]
            assert len(log) <= first
            assert list(log) == list(whole[: len(log)])
            assert whole.turn(log.turn_count).stop == len(log), "no turn is cut"

    def test_one_that_is_no_shorter_is_the_whole_conversation_itself(
        self, workspace: Workspace
    ) -> None:
        id = imported(workspace)
        _, whole = workspace.conversation(id)
        assert workspace.conversation(id, len(whole))[1] is whole
        assert workspace.beginning(id, len(whole)) is None
        assert workspace.beginning(id, len(whole) - 1) == len(whole) - 1
        assert workspace.beginning(id, None) is None

    def test_a_single_turn_ends_before_one_of_its_requests(
        self, workspace: Workspace
    ) -> None:
        (entry,) = workspace.add([Transcript(tuple(loops(1, calls=8)))])
        _, log = workspace.conversation(entry.id, 8)
        assert 0 < len(log) <= 8
        assert log[-1].role == "tool", "its results wait for the next request"

    def test_only_questions_about_it_are_asked(self, workspace: Workspace) -> None:
        early, late = (Probe(f"{at}?", ("x",), (at,), "name") for at in (1, 9))
        (entry,) = workspace.add(
            [replace(Transcript(tuple(talk(6))), probes=(early, late))]
        )
        assert workspace.conversation(entry.id, 4)[0].probes == (early,)
        workspace.add_probe(
            entry.id, typed := replace(late, question="typed?", by_user=True)
        )
        assert workspace.conversation(entry.id, 4)[0].probes == (early,)
        assert workspace.conversation(entry.id)[0].probes == (early, late, typed)

    def test_its_run_is_the_beginning_of_the_whole_run(
        self, workspace: Workspace, database: str
    ) -> None:
        id = imported(workspace, turns=6)
        whole = workspace.run(key_of(id), Digest())
        part = workspace.run(key_of(id, first=6), Digest())
        assert len(part.requests) == 3
        assert [one.context.messages for one in part.requests] == [
            one.context.messages for one in whole.requests[:3]
        ]
        assert workspace.kept_run(key_of(id)) is whole
        assert workspace.kept_run(key_of(id, first=6)) is part
        again = Workspace(database)
        assert len(again.run(key_of(id, first=6), ScriptedModel(())).requests) == 3, (
            "found in the file"
        )

    def test_is_let_go_with_the_conversation(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memviz.storage.conversations.LARGE_MESSAGES", 4)
        id = imported(workspace, turns=6)
        workspace.run(key_of(id, first=6), Digest())
        workspace.conversation(id)
        assert workspace.large_conversations() == [id]
        assert workspace.let_go(id)
        assert not workspace.let_go(id)


class TestChats:
    def test_goes_on_as_it_was_left(self, workspace: Workspace, database: str) -> None:
        chat = a_chat(turns=4)
        id = saved(workspace, chat)
        again = resumed(Workspace(database), id, strategy=memviz.strategy("window"))
        assert contents(again.run) == contents(chat.run)
        assert again.send("And then?").reply == "Later reply 1"

    def test_is_named_after_its_first_message(self, workspace: Workspace) -> None:
        chat = a_chat()
        chat.send("  What about\n  " + "the rain " * 20)
        title = workspace.store.entry(saved(workspace, chat)).title
        assert title.startswith("What about the rain the rain")
        assert title.endswith("…")
        assert len(title) == TITLE_CHARS
        assert (
            workspace.store.entry(saved(workspace, a_chat(turns=1))).title
            == "Question 1"
        )

    def test_saved_turn_by_turn_is_whole(
        self, workspace: Workspace, database: str
    ) -> None:
        chat = a_chat(turns=1)
        id = saved(workspace, chat)
        for number in range(4):
            chat.send(f"More {number}")
            workspace.save_chat(id, chat, "digest")
            assert list(workspace.conversation(id)[1]) == list(chat.log)
            assert contents(resumed(Workspace(database), id).run) == contents(chat.run)

    def test_over_an_imported_conversation_is_derived_under_the_strategy(
        self, workspace: Workspace
    ) -> None:
        id = imported(workspace)
        chat = resumed(
            workspace, id, strategy=memviz.strategy("summary", buffer_size=1)
        )
        assert (chat.strategy.id, list(chat.log), len(chat.run.summaries) > 0) == (
            "summary",
            talk(6),
            True,
        )
        chat.send("One more")
        assert list(workspace.conversation(id)[1]) == talk(6), "not saved, so not there"

    def test_after_an_undo_is_as_it_is_now(
        self, workspace: Workspace, database: str
    ) -> None:
        chat = a_chat(turns=4)
        id, before = saved(workspace, chat), list(chat.log)
        chat.undo()
        workspace.save_chat(id, chat, "digest", before)
        assert contents(resumed(Workspace(database), id).run) == contents(chat.run)
        assert list(workspace.conversation(id)[1]) == before[:-2]


class TestTwoWindowsOnOneFile:
    def test_see_each_others_library(self, workspace: Workspace, database: str) -> None:
        other = Workspace(database)
        id = imported(workspace)
        other.rename(id, "From the other window")
        other.store.delete(FIRST_SAMPLE)
        entries = {entry.id: entry.title for entry in workspace.store.conversations()}
        assert entries[id] == "From the other window"
        assert FIRST_SAMPLE not in entries

    def test_see_what_the_other_wrote_last(
        self, workspace: Workspace, database: str
    ) -> None:
        id = saved(workspace, a_chat(turns=2))
        assert len(workspace.conversation(id)[1]) == 4
        other = Workspace(database)
        chat = resumed(other, id)
        chat.send("From the other window")
        other.save_chat(id, chat, "digest")
        assert list(workspace.conversation(id)[1]) == list(chat.log)
        assert len(workspace.run(key_of(id), Digest()).turns) == 3

    def test_do_not_overwrite_each_other(
        self, workspace: Workspace, database: str
    ) -> None:
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
        assert contents(resumed(workspace, id).run) == contents(theirs.run)


class TestRunsWithRecalls:
    def test_are_other_runs_of_the_same_setting(
        self, workspace: Workspace, database: str
    ) -> None:
        plain = key_of(
            imported(workspace), strategy=memviz.strategy("window", window_size=1)
        )
        keys = [
            plain,
            replace(plain, recalls=((3, Recall(turns=[1])),)),
            replace(plain, recalls=((4, Recall(turns=[1])),)),
            replace(plain, recalls=((3, Recall(messages=[1])),)),
            replace(
                plain, recalls=((3, Recall(keywords=["number 1", "naïve \ud800"])),)
            ),
            replace(plain, recalls=((3, Recall(turns=[1])), (3, Recall(last_n=2)))),
        ]
        assert len({key.digest(12) for key in keys}) == len(keys)
        for number, key in enumerate(keys):
            assert [workspace.kept_run(key) is not None for key in keys] == [
                at < number for at in range(len(keys))
            ]
            workspace.run(key, NOBODY)
        found = [Workspace(database).run(key, NOBODY) for key in keys]
        assert [contents(run) for run in found] == [
            contents(workspace.run(key, NOBODY)) for key in keys
        ]
        sent = [
            {r.turn: r.recalled.indices for r in run.turns if r.recalled}
            for run in found
        ]
        assert sent == [
            {},
            {3: (0, 1)},
            {4: (0, 1)},
            {3: (1,)},
            {3: (2, 3)},
            {3: (0, 1, 2, 3)},
        ]

    def test_group_them_by_turn(self) -> None:
        one, other, third = Recall(turns=[1]), Recall(turns=[2]), Recall(last_n=1)
        assert key_of(
            "id", recalls=((5, one), (3, other), (5, third))
        ).recalls_by_turn() == {5: [one, third], 3: [other]}
        assert key_of("id").recalls_by_turn() == {}

    def test_keep_the_recorded_summaries(self, workspace: Workspace) -> None:
        plain = RunKey(
            FIRST_SAMPLE, memviz.strategy("summary", buffer_size=8), "o200k_base", "any"
        )
        keys = [plain, replace(plain, recalls=((9, Recall(turns=[1])),))]
        assert [workspace.recorded_for(key) for key in keys] == ["recording:trip"] * 2
        keys = [replace(key, summarizer="recording:trip") for key in keys]
        without, recalled = (
            workspace.run(key, workspace.free_summarizer(key)) for key in keys
        )
        assert recalled.turns[8].tokens["recalled"]
        assert all(compaction.recorded for compaction in recalled.compactions)
        assert [one.text for one in recalled.summaries] == [
            one.text for one in without.summaries
        ]

    def test_make_another_digest_as_another_model_does(self) -> None:
        digests = {
            key_of("any", **changes).digest(12)
            for changes in (
                {},
                {"model": "digest"},
                {"recalls": ((3, Recall(turns=[1])),)},
                {"model": "digest", "counter": "bytes4"},
                {"model": "digest", "recalls": ((3, Recall(turns=[1])),)},
            )
        }
        assert len(digests) == 5


def gone_on(workspace: Workspace, key: RunKey, turns: int = 99) -> FreeRun:
    """The free run of this key, ``turns`` further than it was, and kept."""
    free = workspace.free_run(key, Digest(), Digest())
    while not free.is_complete and turns:
        list(free.next_turn())
        turns -= 1
    workspace.keep_free_run(key, free.run)
    return free


def replies_of(run: Run | None) -> list[str]:
    return [record.reply for record in run.turns] if run else []


class TestFreeRuns:
    def test_are_found_again_in_another_process(
        self, workspace: Workspace, database: str
    ) -> None:
        key = key_of(FIRST_SAMPLE, model="digest", recalls=((3, Recall(turns=[1])),))
        assert workspace.kept_free_run(key) is None
        run = gone_on(workspace, key).run
        transcript, log = workspace.conversation(FIRST_SAMPLE)
        assert (len(run.turns), run.system_prompt) == (
            log.turn_count,
            transcript.system_prompt,
        )
        assert run.turns[2].recalled is not None
        again = memviz.free_run(
            transcript,
            key.strategy,
            model=Digest(),
            counter="chars4",
            recalls={3: Recall(turns=[1])},
        )
        assert timeless(run) == timeless(again)
        kept = workspace.kept_free_run(key)
        assert kept is workspace.kept_free_run(key)
        other = Workspace(database)
        found = other.kept_free_run(key)
        assert contents(kept) == contents(found) == contents(run)
        assert other.kept_free_run(key) is found
        assert other.free_run(key, NOBODY, NOBODY).is_complete
        assert list(workspace.conversation(FIRST_SAMPLE)[1]) == list(
            transcript.messages
        )

    def test_left_half_way_go_on_where_they_were(
        self, workspace: Workspace, database: str
    ) -> None:
        key = key_of(
            imported(workspace), model="digest", recalls=((6, Recall(turns=[1])),)
        )
        whole = memviz.free_run(
            talk(6),
            key.strategy,
            model=Digest(),
            counter="chars4",
            recalls=key.recalls_by_turn(),
        )
        for place in (workspace, workspace, Workspace(database), Workspace(database)):
            before = place.kept_free_run(key)
            free = gone_on(place, key, turns=1)
            assert replies_of(free.run)[:-1] == replies_of(before)
        pieces = free.next_turn()
        next(pieces)
        pieces.close()
        workspace.keep_free_run(key, free.run)
        again = gone_on(Workspace(database), key)
        assert (again.is_complete, timeless(again.run)) == (True, timeless(whole))

    def test_a_failed_turn_is_kept_with_what_was_recalled_for_it(
        self, workspace: Workspace, database: str
    ) -> None:
        window = memviz.strategy("window", window_size=1)
        key = key_of(
            imported(workspace),
            model="any",
            strategy=window,
            recalls=((2, Recall(turns=[1])),),
        )
        free = workspace.free_run(
            key, ScriptedModel(["Yes.", ModelError("down")]), NOBODY
        )
        list(free.next_turn())
        with pytest.raises(ModelError):
            list(free.next_turn())
        workspace.keep_free_run(key, free.run)
        again = Workspace(database).free_run(key, ScriptedModel(["Now."]), NOBODY)
        assert again.done == 1
        list(again.next_turn())
        assert [m.content for m in again.run.turns[1].context.messages] == [
            "user says number 0",
            "Yes.",
            "user says number 1",
        ]

    def test_kept_in_the_middle_do_not_change_when_it_goes_on(
        self, workspace: Workspace
    ) -> None:
        key = key_of(imported(workspace), model="digest")
        free = gone_on(workspace, key, turns=2)
        for _ in range(2):
            list(free.next_turn())
        theirs = workspace.free_run(key, Digest(), Digest())
        assert (theirs.done, len(theirs.run.log)) == (2, 4)
        while not theirs.is_complete:
            list(theirs.next_turn())
        assert timeless(theirs.run) == timeless(gone_on(workspace, key).run)

    def test_every_answering_model_has_its_own_and_replays_another(
        self, workspace: Workspace, database: str
    ) -> None:
        replayed = key_of(imported(workspace), strategy=memviz.strategy("buffer"))
        keys = [replace(replayed, model=name) for name in ("one", "other")]
        for key in keys:
            free = workspace.free_run(
                key, ScriptedModel(f"{key.model} {n}" for n in count(1)), NOBODY
            )
            list(free.next_turn())
            workspace.keep_free_run(key, free.run)
        for place in (workspace, Workspace(database)):
            assert [replies_of(place.kept_free_run(key)) for key in keys] == [
                ["one 1"],
                ["other 1"],
            ]
            assert place.kept_free_run(replace(replayed, model="third")) is None
            assert place.kept_run(keys[0]) is None
            assert (
                replies_of(place.run(replayed, NOBODY))[0] == "assistant says number 0"
            )

    def test_survive_a_new_title_and_a_reply_asked_for_again(
        self, workspace: Workspace
    ) -> None:
        """They answer the users' messages; what the conversation's own model said is no matter."""
        chat = a_chat(turns=3)
        id = saved(workspace, chat)
        key = key_of(id, model="digest")
        run = gone_on(workspace, key).run
        workspace.rename(id, "Numbers")
        assert contents(workspace.kept_free_run(key)) == contents(run)
        before = list(chat.log)
        list(chat.retry())
        workspace.save_chat(id, chat, "digest", before)
        assert contents(workspace.kept_free_run(key)) == contents(run)

    def test_over_messages_that_were_taken_back_are_gone(
        self, workspace: Workspace, database: str
    ) -> None:
        chat = a_chat(turns=3)
        id, before = saved(workspace, chat), list(chat.log)
        key = key_of(id, model="digest")
        under_way = workspace.free_run(key, Digest(), Digest())
        gone_on(workspace, key)
        chat.undo()
        chat.send("Something else")
        workspace.save_chat(id, chat, "digest", before)
        assert len(workspace.conversation(id)[1]) == len(before)
        for place in (workspace, Workspace(database)):
            assert place.kept_free_run(key) is None
            assert place.free_run(key, Digest(), Digest()).done == 0
        while not under_way.is_complete:
            list(under_way.next_turn())
        with pytest.raises(StorageError, match="changed in another tab"):
            workspace.keep_free_run(key, under_way.run)
        late = key.digest(len(before)), len(before)
        workspace.store.save_free_run(
            id, under_way.run, *late
        )  # as one does that had looked just before the change
        assert Workspace(database).kept_free_run(key) is None
        assert "Something else" in [m.content for m in gone_on(workspace, key).run.log]

    def test_of_a_conversation_that_went_on_are_begun_anew(
        self, workspace: Workspace
    ) -> None:
        chat = a_chat(turns=2)
        id = saved(workspace, chat)
        key = key_of(id, model="digest")
        gone_on(workspace, key)
        chat.send("One more")
        workspace.save_chat(id, chat, "digest")
        assert workspace.kept_free_run(key) is None
        assert len(gone_on(workspace, key).run.turns) == 3

    def test_of_a_deleted_conversation_are_not_there(
        self, workspace: Workspace
    ) -> None:
        key = key_of(imported(workspace), model="digest")
        run = gone_on(workspace, key).run
        workspace.store.delete(key.conversation_id)
        for job in (
            lambda: workspace.kept_free_run(key),
            lambda: workspace.keep_free_run(key, run),
        ):
            with pytest.raises(StorageError, match="was deleted"):
                job()
        workspace.store.restore(key.conversation_id)
        assert contents(workspace.kept_free_run(key)) == contents(run)


def test_a_chat_is_read_once_until_it_changes(workspace: Workspace) -> None:
    chat = Chat(memviz.strategy("summary", buffer_size=1))
    chat.send("My budget is 900 euros.")
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "offline")
    held = workspace.held_chat(id)
    assert contents(held) == contents(chat.run)
    assert workspace.held_chat(id) is held
    assert held is not None
    assert (
        held.log is workspace.conversation(id)[1]
    )  # so its token counts are shared with replays
    chat.send("How much is it?")
    workspace.save_chat(id, chat, "offline")
    assert contents(workspace.held_chat(id)) == contents(chat.run)
    assert workspace.held_chat(FIRST_SAMPLE) is None


def test_a_run_with_an_edited_summary_is_a_run_of_its_own(workspace: Workspace) -> None:
    id = imported(workspace, 12)
    key = RunKey(id, memviz.strategy("summary", buffer_size=1), "chars4", "offline")
    plain = workspace.run(key, Digest())
    edited_key = replace(key, edits=((1, "Edited."),))
    assert workspace.kept_run(edited_key) is None
    edited = workspace.run(edited_key, Digest())
    assert (plain.summaries[0].text != "Edited.", edited.summaries[0].text) == (
        True,
        "Edited.",
    )
    assert workspace.run(key, Digest()) == plain
    again = Workspace(workspace.store.path)
    assert contents(again.kept_run(edited_key)) == contents(edited)


def test_a_probe_is_added_and_taken_away_and_the_runs_stay(
    workspace: Workspace,
) -> None:
    id = imported(workspace)
    key = RunKey(id, memviz.strategy("buffer"), "chars4", "offline")
    run = workspace.run(key, Digest())
    probe = memviz.Probe("How much?", ("3,000 \ud800",), (1,), "number", by_user=True)
    workspace.add_probe(id, probe)
    workspace.add_probe(id, probe)
    assert workspace.conversation(id)[0].probes == (probe,)
    assert workspace.kept_run(key) is run
    assert Workspace(workspace.store.path).conversation(id)[0].probes == (probe,)
    assert workspace.store.conversations()[0].probe_count == 1
    workspace.remove_probe(id, probe)
    workspace.remove_probe(id, probe)
    assert workspace.conversation(id)[0].probes == ()
    with pytest.raises(StorageError):
        workspace.add_probe("nobody", probe)


def test_two_windows_add_probes_to_one_conversation(workspace: Workspace) -> None:
    id = imported(workspace)
    other = Workspace(workspace.store.path)
    probes = [
        memviz.Probe(
            f"Question {number}?", (str(number),), (0,), "number", by_user=True
        )
        for number in (1, 2)
    ]
    for window, probe in zip((workspace, other), probes, strict=True):
        window.conversation(id)
        window.add_probe(id, probe)
    assert set(Workspace(workspace.store.path).conversation(id)[0].probes) == set(
        probes
    )


def test_an_exported_conversation_keeps_the_probes_of_its_own(
    workspace: Workspace,
) -> None:
    id = imported(workspace)
    probe = memviz.Probe("How much?", ("3,000",), (1,), "number", by_user=True)
    workspace.add_probe(id, probe)
    exported = memviz.transcripts.to_json(workspace.conversation(id)[0])
    assert memviz.load_transcript(exported.encode()).probes == (probe,)
