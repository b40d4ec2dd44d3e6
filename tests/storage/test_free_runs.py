"""Free runs in the file, and what a chat has recalled and pinned for requests to come."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import reduce
from itertools import count
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import (
    Chat,
    FreeRun,
    MemvizError,
    Message,
    ModelError,
    Recall,
    Run,
    ScriptedModel,
    StorageError,
)
from memviz.storage.kept_values import packed
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.postgres import PostgresCluster
from tests.same_runs import contents
from tests.storage.stored_runs import stored_runs
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)
BUFFER = memviz.strategy("buffer")


@pytest.fixture(
    scope="module", params=["file", pytest.param("server", marks=pytest.mark.slow)]
)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "file":
        store = Store(":memory:")
        yield store
        store.close()
        return
    cluster: PostgresCluster = request.getfixturevalue("postgres")
    with cluster.library() as address:
        store = Store(address)
        yield store
        store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.db"


def a_free_run(
    turns: int = 3,
    script: Sequence[Any] = (),
    strategy: memviz.Strategy = BUFFER,
    **options: Any,
) -> FreeRun:
    replies = ScriptedModel(
        script or (f"first line {n}\nsecond line {n}" for n in range(99))
    )
    return FreeRun(
        talk(turns),
        strategy,
        model=replies,
        summarizer=Digest(),
        counter="chars4",
        **options,
    )


def a_run(turns: int = 3, **options: Any) -> Run:
    free = a_free_run(turns, **options)
    while not free.is_complete:
        list(free.next_turn())
    return free.run


def a_conversation(store: Store, turns: int = 3) -> str:
    return store.add_conversation(Transcript(tuple(talk(turns))))


def execute(path: Path | str, statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        return connection.execute(statement, values).fetchall()


class TestKeeping:
    @given(
        messages=conversations(),
        plan=outcomes,
        prompt=st.sampled_from([None, "Be kind."]),
    )
    @every_kind
    def test_comes_back_equal_whole_or_half(
        self,
        store: Store,
        id: str,
        messages: list[Message],
        plan: list[str],
        prompt: str | None,
    ) -> None:
        free = FreeRun(
            messages,
            small(id),
            model=ScriptedModel(f"reply {n}" for n in count()),
            summarizer=summarizer(plan),
            counter="chars4",
            system_prompt=prompt,
            recalls={2: Recall(turns=[1, 99])},
        )
        conversation = store.add_conversation(Transcript(tuple(messages)))
        assert store.find_free_run(conversation, "k") is None
        while True:
            store.save_free_run(conversation, free.run, "k", len(messages))
            assert contents(store.find_free_run(conversation, "k")) == contents(
                free.run
            )
            if free.is_complete:
                break
            list(free.next_turn())
        assert store.find_free_run(conversation, "other") is None
        assert store.conversation(conversation).messages == tuple(messages)
        assert stored_runs(store, conversation) == [], (
            "it is no run over the stored messages"
        )

    def test_of_the_offline_model_with_its_recalls_and_thoughts_comes_back_equal(
        self, store: Store
    ) -> None:
        run = memviz.free_run(
            talk(4), memviz.strategy("summary_only", enable_reflective_thinking=True)
        )
        assert run.has_calls
        id = a_conversation(store, 4)
        store.save_free_run(id, run, "k", 8)
        assert contents(store.find_free_run(id, "k")) == contents(run)

    def test_a_later_one_takes_the_place_of_an_earlier_one_under_its_key_alone(
        self, store: Store
    ) -> None:
        ids = [a_conversation(store), a_conversation(store)]
        free = a_free_run()
        for number in range(3):
            list(free.next_turn())
            store.save_free_run(ids[0], free.run, "k", 6)
            if number == 0:
                first = free.run
                store.save_free_run(ids[0], first, "other", 6)
                store.save_free_run(ids[1], first, "k", 6)
        assert contents(store.find_free_run(ids[0], "k")) == contents(free.run)
        assert (
            contents(store.find_free_run(ids[0], "other"))
            == contents(store.find_free_run(ids[1], "k"))
            == contents(first)
        )

    def test_goes_on_after_a_failure_with_what_was_recalled_for_that_turn(
        self, path: Path
    ) -> None:
        script = ["Yes.", ModelError("down")]
        free = a_free_run(
            2,
            script,
            memviz.strategy("window", window_size=1),
            recalls={2: Recall(turns=[1])},
        )
        list(free.next_turn())
        with pytest.raises(ModelError):
            list(free.next_turn())
        store = Store(path)
        id = a_conversation(store, 2)
        store.save_free_run(id, free.run, "k", 4)
        store.close()
        kept = Store(path).find_free_run(id, "k")
        assert kept is not None
        again = FreeRun(talk(2), BUFFER, model=ScriptedModel(["Now."]), so_far=kept)
        list(again.next_turn())
        assert [m.content for m in again.run.turns[-1].context.messages] == [
            "user says number 0",
            "Yes.",
            "user says number 1",
        ]
        assert again.is_complete

    def test_halves_of_surrogate_pairs_are_no_failure(self, store: Store) -> None:
        id = store.add_conversation(
            Transcript((Message("user", "x\ud800"),)), "a\ud800"
        )
        strategy = memviz.strategy(
            "chat_summary_buffer", summarize_prompt="Sum\ud800 up"
        )
        lead = Message("assistant", "\ud800", meta={"key": "\udfff"})
        run = memviz.free_run(
            [lead, Message("user", "x\ud800")],
            strategy,
            counter="chars4",
            system_prompt="Be \ud800",
            model=ScriptedModel(["y\udfff"]),
            summarizer=ScriptedModel(["z\ud800"]),
        )
        assert (len(run.summaries), run.turns[0].reply) == (1, "y\ufffd")
        store.save_free_run(id, run, "k\udfff", 1)
        assert contents(store.find_free_run("a\ud800", "k\udfff")) == contents(run)
        assert contents(store.find_free_run(id, "k\ufffd")) == contents(run)

    def test_under_a_counter_that_cannot_be_found_again_is_refused(
        self, store: Store
    ) -> None:
        id = a_conversation(store)
        for name in ("mine", "chars4"):
            counter = memviz.core.counters.Counter(name, len)
            run = memviz.free_run(talk(3), BUFFER, model=Digest(), counter=counter)
            with pytest.raises(
                StorageError, match=f"'{name}' cannot be stored.*chars4"
            ):
                store.save_free_run(id, run, "k", 6)
        assert store.find_free_run(id, "k") is None


class TestConversation:
    def test_unknown_or_deleted_is_an_error(self, path: Path) -> None:
        store, run = Store(path), a_run()
        id = a_conversation(store)
        store.save_free_run(id, run, "k", 6)
        store.delete(id)
        for unusable, sentence in ((id, "was deleted"), ("nobody", "no conversation")):
            with pytest.raises(StorageError, match=sentence):
                store.save_free_run(unusable, run, "k", 6)
            with pytest.raises(StorageError, match=sentence):
                store.find_free_run(unusable, "k")
        store.restore(id)
        assert contents(store.find_free_run(id, "k")) == contents(run)
        store.delete(id)
        assert execute(path, "SELECT count(*) FROM kept") == [(1,)]
        store.purge(older_than_days=0)
        assert execute(path, "SELECT count(*) FROM kept") == [(0,)]
        store.close()

    def test_taken_back_or_changed_takes_free_runs_over_what_is_gone_with_it(
        self, store: Store
    ) -> None:
        chat = Chat(
            BUFFER, model=ScriptedModel(f"Reply {n}" for n in count()), counter="chars4"
        )
        for number in range(3):
            chat.send(f"Question {number}")
        ids = [store.add_conversation(Transcript(())) for _ in range(2)]
        for id in ids:
            store.save_turn(id, chat.run)
            for messages in (2, 4, 5, 6):
                store.save_free_run(id, a_run(1), f"over {messages}", messages)

        def kept(id: str) -> list[int]:
            return [
                n
                for n in (2, 4, 5, 6)
                if store.find_free_run(id, f"over {n}") is not None
            ]

        chat.send("Question 3")
        store.save_turn(ids[0], chat.run)
        store.rewrite_chat(ids[0], chat.run)
        assert kept(ids[0]) == [2, 4, 5, 6], "nothing that they are over has changed"
        list(chat.retry())
        store.rewrite_chat(ids[0], chat.run)
        assert kept(ids[0]) == [2, 4, 5, 6]
        chat.undo()
        chat.undo()
        store.rewrite_chat(ids[0], chat.run)
        assert kept(ids[0]) == [2, 4]
        assert kept(ids[1]) == [2, 4, 5, 6], "another conversation"


class TestDamage:
    @for_each(
        "record", ["{}", "{", "[]", '"x"', "7", '{"messages": []}', '{"messages": 7}']
    )
    def test_is_an_error_in_plain_words(self, path: Path, record: str) -> None:
        store = Store(path)
        id, run = a_conversation(store), a_run()
        store.save_free_run(id, run, "k", 6)
        execute(path, "UPDATE kept SET value = ?", zlib.compress(record.encode()))
        with pytest.raises(StorageError, match="damaged"):
            store.find_free_run(id, "k")
        store.save_free_run(id, run, "k", 6)
        assert contents(store.find_free_run(id, "k")) == contents(run)
        store.close()

    @for_each("junk", [None, 7, "junk", [], {}, [7], {"junk": 7}])
    def test_of_any_value_is_an_error_of_memviz_or_no_matter(
        self, path: Path, junk: object
    ) -> None:
        store = Store(path)
        id = a_conversation(store)
        strategy = memviz.strategy("chat_summary_buffer", token_limit=20)
        free = a_free_run(
            3, (), strategy, recalls={3: Recall(turns=[1])}, system_prompt="Be kind."
        )
        while not free.is_complete:
            list(free.next_turn())
        assert free.run.summaries
        store.save_free_run(id, free.run, "k", 6)
        record = json.loads(json.dumps(free.run.to_dict()))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for *way, last in [*places(record)]:
                holder = reduce(getitem, way, record)
                whole = holder[last]
                holder[last] = junk
                connection.execute("UPDATE kept SET value = ?", [packed(record)])
                holder[last] = whole
                try:
                    store.find_free_run(id, "k")
                except MemvizError as error:
                    assert str(error), [*way, last]  # noqa: PT017 - many a value can be read all the same
        store.close()


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a JSON value; of a list only to its last item."""
    items = (
        value.items()
        if isinstance(value, dict)
        else list(enumerate(value))[-1:]
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(inner))


class TestSharing:
    def test_two_stores_on_one_file_see_what_the_other_kept_last(
        self, path: Path
    ) -> None:
        stores = [Store(path), Store(path)]
        id = a_conversation(stores[0])
        free = a_free_run()
        for turn in range(3):
            list(free.next_turn())
            stores[turn % 2].save_free_run(id, free.run, "k", 6)
            assert (
                contents(stores[0].find_free_run(id, "k"))
                == contents(stores[1].find_free_run(id, "k"))
                == contents(free.run)
            )
        for store in stores:
            store.close()

    def test_several_at_once_end_with_one_of_them(self, path: Path) -> None:
        stores = [Store(path), Store(path)]
        id = a_conversation(stores[0], 4)
        runs = [a_run(4, script=[f"voice {n}"] * 4) for n in range(4)]
        with ThreadPoolExecutor(4) as threads:
            list(
                threads.map(
                    lambda n: stores[n % 2].save_free_run(id, runs[n % 4], "k", 8),
                    range(20),
                )
            )
        assert contents(stores[0].find_free_run(id, "k")) in [
            contents(run) for run in runs
        ]
        assert execute(path, "SELECT count(*) FROM kept") == [(1,)]
        for store in stores:
            store.close()


def a_chat(strategy: memviz.Strategy = BUFFER, turns: int = 4) -> Chat:
    replies = ScriptedModel(f"Reply {n}" for n in count())
    chat = Chat(strategy, model=replies, summarizer=Digest(), counter="chars4")
    for number in range(turns):
        chat.send(f"Question {number}")
    return chat


def reopened(path: Path, id: str) -> Chat:
    store = Store(path)
    run = store.chat_run(id)
    store.close()
    assert run is not None
    return Chat.resume(
        run,
        model=ScriptedModel(f"Later reply {n}" for n in count()),
        summarizer=Digest(),
    )


class TestAhead:
    """What a chat has recalled for its next request, and pinned into all of them."""

    @every_kind
    def test_is_there_after_a_restart_and_goes_into_the_same_request(
        self, path: Path, id: str
    ) -> None:
        store, chat = Store(path), a_chat(small(id))
        conversation = store.add_conversation(Transcript(()))
        chat.pin([2])
        chat.recall(turns=[1], messages=[5, 99], last_n=1)
        chat.recall(keywords=["Question 1", "naïve 搬家 \ud800"])
        store.save_turn(conversation, chat.run)
        again = reopened(path, conversation)
        assert contents(again.run) == contents(chat.run)
        assert (again.ahead, again.pinned, again.waiting) == (
            chat.ahead,
            (2,),
            chat.waiting,
        )
        assert again.send("And now?").context == chat.send("And now?").context
        assert again.run.waiting == ()
        store.save_turn(conversation, again.run)
        later = reopened(path, conversation)
        assert (later.run.waiting, later.pinned) == ((), (2,)), (
            "recalled once, pinned for good"
        )
        store.close()

    def test_changes_alone_without_a_new_message(self, path: Path) -> None:
        store, chat = Store(path), a_chat()
        id = store.add_conversation(Transcript(()))
        store.save_turn(id, chat.run)
        steps: list[Any] = [
            lambda: chat.recall(turns=[1]),
            lambda: chat.pin([3]),
            lambda: chat.recall(turns=[2]),
            lambda: chat.unpin([3]),
            chat.clear_recalled,
        ]
        for step in steps:
            step()
            store.save_turn(id, chat.run)
            assert reopened(path, id).ahead == chat.ahead
            assert store.conversation(id).messages == tuple(chat.log)
            assert len(stored_runs(store, id)) == 1
        assert chat.ahead == ((), ())
        store.close()

    def test_survives_a_change_of_strategy_a_retry_and_an_undo(
        self, path: Path
    ) -> None:
        store, chat = Store(path), a_chat()
        id = store.add_conversation(Transcript(()))
        chat.pin([1])
        chat.recall(turns=[1])
        store.save_turn(id, chat.run)
        chat.change_strategy(memviz.strategy("window", window_size=1))
        store.save_turn(id, chat.run)
        assert (
            reopened(path, id).ahead
            == chat.ahead
            == ((Recall(turns=[1]),), (Recall(messages=[1]),))
        )
        before = chat.log
        chat.undo()
        store.rewrite_chat(id, chat.run, replaces=before)
        assert contents(reopened(path, id).run) == contents(chat.run)
        assert reopened(path, id).ahead == (
            (Recall(turns=[1]),),
            (Recall(messages=[1]),),
        )
        before = chat.log
        list(chat.retry())
        store.rewrite_chat(id, chat.run, replaces=before)
        assert reopened(path, id).ahead == ((), (Recall(messages=[1]),)), (
            "the retry has had what was recalled"
        )
        while chat.log:
            chat.undo()
        store.rewrite_chat(id, chat.run)
        assert reopened(path, id).ahead == ((), ())
        store.close()

    def test_is_kept_while_a_question_waits_for_its_answer(self, path: Path) -> None:
        store, chat = Store(path), a_chat(memviz.strategy("window", window_size=1))
        id = store.add_conversation(Transcript(()))
        chat.recall(turns=[1])
        chat.use(ScriptedModel([ModelError("down")]), Digest())
        with pytest.raises(ModelError):
            chat.send("Anybody?")
        store.save_turn(id, chat.run)
        again = reopened(path, id)
        list(again.retry())
        sent = [message.content for message in again.run.turns[-1].context.messages]
        assert sent == ["Question 0", "Reply 0", "Anybody?"]
        store.close()

    @for_each(
        "ahead",
        [
            "{",
            "[7]",
            '{"waiting": 7}',
            '{"pinned": [{"turns": 7}]}',
            '{"waiting": [7]}',
        ],
    )
    def test_that_is_damaged_is_an_error_in_plain_words(
        self, path: Path, ahead: str
    ) -> None:
        store, chat = Store(path), a_chat()
        id = store.add_conversation(Transcript(()))
        store.save_turn(id, chat.run)
        execute(path, "UPDATE run SET ahead = ?", ahead)
        with pytest.raises(StorageError, match="damaged"):
            store.chat_run(id)
        store.close()
