"""A chat is saved as it happens, goes on after a restart, and may be taken back, changed or shared."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, event

import memviz
from memviz import Chat, Run, ScriptedModel, StorageError, Strategy
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.engine.probes import REPRESENTATIVES, SUMMARIZING
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs
from tests.strategies.conversations import small_parameters
from tests.tables import for_each


@pytest.fixture(scope="module")
def store(shared_library: str) -> Iterator[Store]:
    store = Store(shared_library)
    yield store
    store.close()


def a_chat(strategy: Strategy | None = None, **options: Any) -> Chat:
    replies = ScriptedModel(f"Reply {number} with a few words." for number in count(1))
    summaries = ScriptedModel(f"Summary {number}." for number in count(1))
    strategy = strategy or memviz.strategy("summary", buffer_size=2)
    return Chat(
        strategy, model=replies, summarizer=summaries, counter="chars4", **options
    )


def saved(store: Store, chat: Chat) -> str:
    """The id of a conversation to which ``chat`` was saved."""
    id = store.add_conversation(Transcript(()))
    store.save_turn(id, chat.run)
    return id


@for_each("id", REPRESENTATIVES)
def test_a_chat_is_stored_turn_by_turn_and_goes_on_after_a_restart(
    id: str, tmp_path: Path
) -> None:
    path = tmp_path / f"new folder of {id}" / "chats.db"
    store, chat = Store(path), a_chat(memviz.strategy(id), system_prompt="Be kind.")
    conversation = store.add_conversation(Transcript((), title="A chat"))
    for number in range(1, 8):
        chat.send(f"Question {number}?")
        store.save_turn(conversation, chat.run)
        assert contents(store.chat_run(conversation)) == contents(chat.run)
    store.close()
    store = Store(str(path))
    assert (entry := store.conversations()[0]).id == conversation
    assert (entry.title, entry.message_count, entry.turn_count) == ("A chat", 14, 7)
    assert store.conversation(conversation).system_prompt == "Be kind."
    stored = store.chat_run(conversation)
    assert stored is not None
    resumed = Chat.resume(stored, model=ScriptedModel(["Go on."] * 9))
    resumed.send("And now?")
    store.save_turn(conversation, resumed.run)
    assert contents(store.chat_run(conversation)) == contents(resumed.run)
    assert len(stored_runs(store, conversation)) == 1
    store.close()


def test_a_question_without_an_answer_is_stored_too(store: Store) -> None:
    chat = Chat(
        memviz.strategy("buffer"),
        model=ScriptedModel([OSError("no network"), "Back."]),
        counter="chars4",
    )
    with pytest.raises(OSError, match="no network"):
        chat.send("Anybody?")
    id = saved(store, chat)
    assert [message.content for message in store.conversation(id).messages] == [
        "Anybody?"
    ]
    list(chat.retry())
    store.save_turn(id, chat.run)
    assert contents(store.chat_run(id)) == contents(chat.run)
    assert chat.run.turns[0].reply == "Back."


def written(store: Store, chat: Chat, id: str) -> int:
    """How many rows saving ``chat`` inserts."""
    rows: list[int] = []

    def note(_c: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT"):
            rows.append(cursor.rowcount)

    event.listen(Engine, "after_cursor_execute", note)
    try:
        store.save_turn(id, chat.run)
    finally:
        event.remove(Engine, "after_cursor_execute", note)
    return sum(rows)


def test_only_what_is_new_is_written(store: Store) -> None:
    chat = a_chat(memviz.strategy("buffer"))
    for number in range(20):
        chat.send(f"Question {number}?")
    id = saved(store, chat)
    assert written(store, chat, id) == 0
    chat.send("One more?")
    assert written(store, chat, id) == 3, "two messages and a turn record"


def test_a_turn_taken_back_or_asked_again_is_replaced(store: Store) -> None:
    chat = a_chat()
    for number in range(6):
        chat.send(f"Question {number}?")
    id = saved(store, chat)
    short = memviz.replay(chat.log[:8], memviz.strategy("buffer"), counter="chars4")
    long = memviz.replay(list(chat.log), memviz.strategy("buffer"), counter="chars4")
    store.save_run(id, short, "short")
    store.save_run(id, long, "long")
    before = chat.log
    list(chat.retry())
    store.rewrite_chat(id, chat.run, replaces=before)
    assert contents(store.chat_run(id)) == contents(chat.run)
    assert (
        contents(store.find_run(id, "short"))
        == contents(store.find_run(id, "short", chat.log))
        == contents(short)
    )
    assert store.find_run(id, "long") is None, "a replay of what is no longer said"
    before = chat.log
    chat.undo()
    with pytest.raises(StorageError, match="Reload"):
        store.save_turn(id, chat.run)
    store.rewrite_chat(id, chat.run, replaces=before)
    assert contents(store.chat_run(id)) == contents(chat.run)
    assert store.entry(id).turn_count == 5
    while chat.log:
        chat.undo()
    store.rewrite_chat(id, chat.run)
    assert store.conversation(id).messages == ()


def test_a_change_of_strategy_keeps_messages_and_records(store: Store) -> None:
    chat = a_chat()
    for number in range(5):
        chat.send(f"Question {number}?")
    id = saved(store, chat)
    chat.change_strategy(memviz.strategy("summary", buffer_size=1))
    chat.send("And now?")
    store.save_turn(id, chat.run, summarizer="scripted")
    assert contents(store.chat_run(id)) == contents(chat.run)
    assert [
        (e.kind, e.parameters, e.summarizer, e.key) for e in stored_runs(store, id)
    ] == [("chat", {"buffer_size": 1, "summary_words": 0}, "scripted", "")]


def test_other_messages_are_noticed_even_where_the_last_one_is_the_same(
    store: Store,
) -> None:
    def chat(first: str) -> Chat:
        chat = Chat(
            memviz.strategy("buffer"),
            model=ScriptedModel(["Sure.", "Sure."]),
            counter="chars4",
        )
        chat.send(first)
        chat.send("Same question?")
        return chat

    one, other = chat("One thing?"), chat("Other things?")
    id = saved(store, one)
    with pytest.raises(StorageError, match="another tab"):
        store.save_turn(id, other.run)
    assert contents(store.chat_run(id)) == contents(one.run)


def two_tabs(store: Store) -> tuple[str, Chat, Chat]:
    first = a_chat()
    first.send("Hello?")
    id = saved(store, first)
    stored = store.chat_run(id)
    assert stored is not None
    return id, first, Chat.resume(stored, model=ScriptedModel(["Another reply."] * 9))


def test_the_second_of_two_tabs_is_told_and_changes_nothing(store: Store) -> None:
    id, first, second = two_tabs(store)
    first.send("Same question?")
    second.send("Same question?")
    store.save_turn(id, first.run)
    with pytest.raises(StorageError, match="another tab"):
        store.save_turn(id, second.run)
    assert contents(store.chat_run(id)) == contents(first.run)


def test_questions_that_two_tabs_asked_in_vain_do_not_mix(store: Store) -> None:
    id, first, second = two_tabs(store)
    for number, chat in enumerate((first, second)):
        chat.use(ScriptedModel([OSError("no network")]), ScriptedModel([]))
        with pytest.raises(OSError, match="no network"):
            chat.send(f"Question of tab {number}")
    store.save_turn(id, first.run)
    with pytest.raises(StorageError, match="another tab"):
        store.save_turn(id, second.run)
    assert store.conversation(id).messages == tuple(first.log)


def test_a_tab_that_takes_back_a_turn_does_not_lose_the_other_s(store: Store) -> None:
    id, first, second = two_tabs(store)
    first.send("More?")
    store.save_turn(id, first.run)
    before = second.log
    second.undo()
    with pytest.raises(StorageError, match="another tab"):
        store.rewrite_chat(id, second.run, replaces=before)
    assert contents(store.chat_run(id)) == contents(first.run)


@given(
    st.lists(
        st.sampled_from(["send", "undo", "retry", "change", "restart"]), max_size=12
    )
)
def test_whatever_is_done_the_stored_chat_is_the_chat(
    store: Store, steps: list[str]
) -> None:
    chat = a_chat()
    id = saved(store, chat)
    for number, step in enumerate(steps):
        before: Any = chat.log
        if step == "send":
            chat.send(f"Question {number}?")
            store.save_turn(id, chat.run)
        elif step == "restart":
            stored: Run | None = store.chat_run(id)
            assert stored is not None
            chat = Chat.resume(stored, model=ScriptedModel([f"After {number}"] * 20))
        elif step == "change":
            chat.change_strategy(memviz.strategy("summary", buffer_size=1 + number % 3))
            store.save_turn(id, chat.run)
        elif chat.log:
            list(chat.retry()) if step == "retry" else chat.undo()
            store.rewrite_chat(id, chat.run, replaces=before)
        assert contents(store.chat_run(id)) == contents(chat.run)
        assert store.conversation(id).messages == tuple(chat.log)


@given(
    id=st.sampled_from(SUMMARIZING),
    steps=st.lists(
        st.sampled_from(["say", "say", "accept", "reword", "skip", "edit", "undo"]),
        min_size=4,
        max_size=14,
    ),
)
def test_what_the_user_decided_is_stored_and_read_back(
    store: Store, id: str, steps: list[str]
) -> None:
    chat = a_chat(memviz.strategy(id, **small_parameters(id)))
    conversation = store.add_conversation(Transcript(()))
    for number, step in enumerate(("say", *steps)):
        chat.review = step in ("accept", "reword", "skip")
        if step == "edit" and chat.summaries_in_force:
            chat.edit_summary(chat.summaries_in_force[0].version, f"Edit {number}.")
        elif step == "undo" and chat.undoable is not None:
            chat.undo_summary()
        elif step not in ("edit", "undo"):
            for _ in chat.stream(f"Question {number}?"):
                pass
        while chat.proposal is not None:
            chat.propose("Be brief.")
            chat.skip() if step == "skip" else chat.accept(
                "My words." if step == "reword" else None
            )
            for _ in chat.go_on():
                pass
        store.save_turn(conversation, chat.run)
        assert contents(store.chat_run(conversation)) == contents(chat.run)
    stored = store.chat_run(conversation)
    assert stored is not None
    resumed = Chat.resume(stored)
    assert resumed.summaries_in_force == chat.summaries_in_force


def test_a_rewording_of_another_tab_is_not_written_over(store: Store) -> None:
    chat = a_chat(memviz.strategy("summary", buffer_size=1))
    for number in range(3):
        chat.send(f"Question {number}?")
    id = saved(store, chat)
    mine, theirs = (
        Chat.resume(run, model=ScriptedModel(["Yes."] * 9)) for run in _twice(store, id)
    )
    mine.edit_summary(mine.summaries_in_force[0].version, "My words.")
    store.save_turn(id, mine.run)
    theirs.send("And now?")
    with pytest.raises(StorageError, match="changed"):
        store.save_turn(id, theirs.run)
    assert contents(store.chat_run(id)) == contents(mine.run)


def _twice(store: Store, id: str) -> Iterator[Run]:
    for _ in range(2):
        run = store.chat_run(id)
        assert run is not None
        yield run


def test_the_settings_that_a_chat_was_held_under_survive_a_restart_and_more_turns(
    store: Store,
) -> None:
    chat = a_chat()
    id = saved(store, chat)
    for strategy in (
        memviz.strategy("summary", buffer_size=1),
        memviz.strategy("window"),
        chat.strategy,
    ):
        for number in range(3):
            chat.send(f"Question {number}?")
            store.save_turn(id, chat.run)
        chat.change_strategy(strategy)
        store.save_turn(id, chat.run)
        stored = store.chat_run(id)
        assert stored is not None
        assert contents(stored) == contents(chat.run)
        chat = Chat.resume(
            stored,
            model=ScriptedModel([f"Answer {n}" for n in range(20)]),
            summarizer="offline",
        )
    assert [setting.last_turn for setting in chat.run.earlier_settings][-1] == len(
        chat.run.turns
    )


def test_another_tab_cannot_take_back_what_was_sent_under_a_setting(
    store: Store,
) -> None:
    id, first, second = two_tabs(store)
    first.change_strategy(memviz.strategy("window", window_size=1))
    first.send("More?")
    store.save_turn(id, first.run)
    second.change_strategy(memviz.strategy("buffer"))
    with pytest.raises(StorageError, match="another tab"):
        store.save_turn(id, second.run)
    assert contents(store.chat_run(id)) == contents(first.run)
