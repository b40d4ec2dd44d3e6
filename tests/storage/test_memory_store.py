"""Memories of many conversations by name, kept in a file or not, and the classic way to build one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import ChatMemory, MemoryStore, Message, ParameterError, ScriptedModel
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.engine.probes import (
    REPRESENTATIVES,
    SUMMARIZING,
    Digest,
    Slow,
    Waiting,
    small,
    talk,
)
from tests.storage.stored_runs import stored_runs
from tests.tables import for_each

# One more process that goes on with session "u": argv is the file and how many messages it adds.
OTHER_PROCESS = """
import json, sys
import memviz
from itertools import count

store = memviz.MemoryStore(memviz.strategy("summary", buffer_size=1), counter="chars4", persistence=sys.argv[1],
                           model=memviz.ScriptedModel(f"other {n}" for n in count(1)))
for number in range(int(sys.argv[2])):
    store.append("u", {"role": ("assistant", "user")[number % 2], "content": f"other process {number}"})
print(json.dumps([message.to_dict() for message in store.load("u")]))
"""


def in_another_process(path: str, adds: int) -> list[Message]:
    command = [sys.executable, "-c", OTHER_PROCESS, str(path), str(adds)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=300
    )
    return [Message.of(message) for message in json.loads(done.stdout)]


def kept(path: str | Path, id: str = "summary", **options: Any) -> MemoryStore:
    options = {"model": Digest(), "counter": "chars4", "persistence": path, **options}
    return MemoryStore(small(id), **options)


def kept_nowhere(**options: Any) -> MemoryStore:
    return MemoryStore(
        small("summary"), **{"model": Digest(), "counter": "chars4", **options}
    )


@pytest.fixture
def place(library_or_slow: str) -> str:
    """A file, and among what is marked pytest.mark.slow a library on a server."""
    return library_or_slow


@pytest.fixture
def kinds(place: str) -> list[str]:
    """The strategies that are kept there. A server holds the same texts as a file and answers slower: it keeps one that
    writes summaries, and one that writes facts."""
    is_server = place.startswith("postgresql")
    return ["summary_buffer", "fifo_facts"] if is_server else REPRESENTATIVES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


def nobody_waits_for(
    model: Waiting, slow: Callable[[], object], store: MemoryStore
) -> None:
    """While ``slow`` waits for the summarizer, another session takes a message in."""
    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(slow)
        assert model.asked.wait(60)
        quick = threads.submit(store.append, "quick", Message("user", "Hello"))
        try:
            quick.result(timeout=60)
        finally:
            model.may_answer.set()
        waiting.result(timeout=60)


class TestSessions:
    def test_are_told_apart(self) -> None:
        store = MemoryStore(memviz.strategy("buffer"), counter="chars4")
        store.append("ann", {"role": "user", "content": "I am Ann."})
        store.append("bob", Message("user", "I am Bob."))
        assert store.load("ann") == [Message("user", "I am Ann.")]
        assert store.sessions() == ("ann", "bob")
        store.clear("ann")
        assert (store.load("ann"), store.load("bob")) == (
            [],
            [Message("user", "I am Bob.")],
        )

    def test_share_strategy_counter_model_and_system_prompt(self) -> None:
        model = ScriptedModel(f"summary {n}" for n in count(1))
        store = MemoryStore(
            small("summary"), model=model, counter="chars4", system_prompt="Be brief."
        )
        for session in ("ann", "bob"):
            for message in talk(2)[:3]:
                store.append(session, message)
        memory = store.memory("bob")
        assert memory is store.memory("bob")
        assert (memory.strategy, memory.run.counter.name) == (
            small("summary"),
            "chars4",
        )
        assert [m.content for m in store.load("bob")[:2]] == [
            "Be brief.",
            "Summary of earlier conversation: summary 2",
        ]

    def test_without_a_strategy_are_chat_summary_buffers(self) -> None:
        assert MemoryStore().memory("ann").strategy == memviz.strategy(
            "chat_summary_buffer"
        )

    def test_may_have_any_name(self, place: str) -> None:
        names = ["", "../../etc/passwd", "a/b?c=d&e", "搬家", "two\nlines", "\ud800"]
        names += ["x" * 5_000, "another"]
        for name in names:
            kept(place).append(name, Message("user", f"Hello, {name[:20]!r}"))
        reopened = kept(place)
        for name in names:
            hello = Message("user", f"Hello, {name[:20]!r}")
            assert reopened.load(name) == [hello], name


class TestKept:
    def test_goes_on_after_every_message_as_one_that_was_never_closed(
        self, kinds: list[str], place: str
    ) -> None:
        for id in kinds:
            never_closed = ChatMemory(small(id), model=Digest(), counter="chars4")
            for message in talk(4):
                never_closed.append(message)
                reopened = kept(place, id)
                reopened.append(id, message)
                if message.role == "user":
                    assert reopened.load(id) == never_closed.load(), id
            memory = reopened.memory(id)
            assert memory.get_all() == never_closed.get_all() == talk(4), id
            assert memory.run.summaries == never_closed.run.summaries, id

    @pytest.mark.slow
    def test_goes_on_in_another_process_and_back(self, place: str) -> None:
        first = kept(place, model=ScriptedModel(["mine 1"]))
        for message in talk(2)[:3]:
            first.append("u", message)
        assert [m.content for m in in_another_process(place, 0)] == [
            "Summary of earlier conversation: mine 1",
            "user says number 1",
        ]
        sent = in_another_process(place, 3)
        assert [m.content for m in sent] == [
            "Summary of earlier conversation: other 1",
            "other process 1",
            "other process 2",
        ]
        back = kept(place, model=ScriptedModel([]))
        assert back.load("u") == sent
        assert [m.content for m in back.memory("u").get_all()[2:4]] == [
            "user says number 1",
            "other process 0",
        ]

    def test_goes_on_with_what_another_program_stored_meanwhile(
        self, kinds: list[str], place: str
    ) -> None:
        words = r"by another program or tab.* put the message again"
        for id in kinds:
            mine, others = kept(place, id), kept(place, id)
            mine.load(id)
            others.put_messages(id, talk(4)[:7])
            with pytest.raises(memviz.StorageError, match=words):
                mine.put(id, talk(4)[7])
            assert mine.get_all(id) == talk(4)[:7], id
            mine.put(id, talk(4)[7])
            reopened = kept(place, id)
            assert mine.get_all(id) == reopened.get_all(id) == talk(4), id
            summaries = mine.memory(id).run.summaries
            assert summaries == reopened.memory(id).run.summaries, id

    def test_goes_on_after_a_load_that_found_it_changed(self, place: str) -> None:
        mine, others = kept(place), kept(place)
        mine.load("u")
        others.put("u", Message("user", "Hello"))
        with pytest.raises(memviz.StorageError, match="by another program or tab"):
            mine.load("u")
        assert mine.load("u") == [Message("user", "Hello")]

    @pytest.mark.slow
    @for_each("id", ["summary_buffer", "fifo_facts", "llama_index"])
    def test_a_message_that_cannot_be_stored_is_not_taken_in(
        self, id: str, tmp_path: Path
    ) -> None:
        path = tmp_path / f"{id}.db"
        store = kept(path, id)
        store.put_messages("u", talk(4)[:6])
        before = store.load("u")
        path.rename(path.with_suffix(".away"))
        for _ in range(2):
            with pytest.raises(memviz.StorageError):
                store.put("u", talk(4)[6])
            assert store.get_all("u") == talk(4)[:6]
        path.with_suffix(".away").rename(path)
        assert store.load("u") == before
        store.put_messages("u", talk(4)[6:])
        assert store.get_all("u") == kept(path, id).get_all("u") == talk(4)
        undisturbed = kept(path, id)
        undisturbed.put_messages("another", talk(4)[:6])
        undisturbed.load("another")
        undisturbed.put_messages("another", talk(4)[6:])
        assert (
            store.memory("u").run.summaries
            == undisturbed.memory("another").run.summaries
        )

    def test_what_cannot_be_forgotten_in_the_file_is_not_forgotten(
        self, path: Path
    ) -> None:
        store = kept(path)
        store.put("u", Message("user", "Hello"))
        path.rename(path.with_suffix(".away"))
        with pytest.raises(memviz.StorageError):
            store.clear("u")
        assert store.get_all("u") == [Message("user", "Hello")]

    @for_each("id", SUMMARIZING)
    def test_reopening_asks_nobody(self, id: str, place: str) -> None:
        before = kept(place, id)
        for message in talk(6)[:11]:
            before.append(id, message)
        sent = before.load(id)
        assert before.memory(id).run.summaries
        assert kept(place, id, model=ScriptedModel([])).load(id) == sent

    def test_under_another_strategy_is_derived_from_the_messages(
        self, place: str
    ) -> None:
        before, other = (
            kept(place),
            ChatMemory(small("summary_only"), model=Digest(), counter="chars4"),
        )
        for message in talk(5)[:9]:
            before.append("u", message)
            other.append(message)
        for _ in range(2):  # the second time it is the kept one
            after = kept(place, "summary_only")
            assert after.load("u") == other.load()
        assert after.memory("u").get_all() == talk(5)[:9]

    @for_each(
        "clear", [MemoryStore.clear, lambda store, name: store.memory(name).reset()]
    )
    def test_forgetting_is_kept_too(self, place: str, clear: Any) -> None:
        store = kept(place)
        for message in talk(3):
            store.append("u", message)
        clear(store, "u")
        assert kept(place).memory("u").get_all() == []
        store.append("u", Message("user", "Again"))
        assert kept(place).load("u") == [Message("user", "Again")]

    def test_both_interfaces_keep(self, place: str) -> None:
        memory = kept(place, "buffer").memory("u")
        memory.put({"role": "user", "content": "one"})
        assert [m.content for m in kept(place, "buffer").memory("u").get()] == ["one"]
        memory.set([Message("user", "two"), Message("assistant", "three")])
        assert [m.content for m in kept(place, "buffer").memory("u").get_all()] == [
            "two",
            "three",
        ]

    def test_stands_in_the_library_with_messages_and_summarizer(
        self, place: str
    ) -> None:
        store = kept(place)
        for message in talk(3):
            store.append("Ann's chat", message)
        library = Store(place)
        entry = library.conversations()[0]
        assert (entry.title, entry.format, entry.message_count) == (
            "Ann's chat",
            "memory",
            6,
        )
        assert list(library.conversation(entry.id).messages) == talk(3)
        assert stored_runs(library, entry.id)[0].summarizer == "digest"

    def test_a_summarizer_that_fails_loses_nothing(self, place: str) -> None:
        store = kept(place, model=ScriptedModel([memviz.ModelError("down")] * 9))
        for message in talk(3)[:5]:
            store.append("u", message)
        assert kept(place, model=ScriptedModel([])).load("u") == talk(3)[:5]

    def test_without_a_file_nothing_is_kept(self) -> None:
        MemoryStore(counter="chars4").append("u", Message("user", "Hello"))
        assert MemoryStore(counter="chars4").load("u") == []


class TestFaces:
    def test_put_and_get_are_append_and_load(self) -> None:
        store, alone = (
            kept_nowhere(),
            ChatMemory(small("summary"), model=Digest(), counter="chars4"),
        )
        for message in talk(3)[:5]:
            store.put("ann", message)
            alone.put(message)
        assert (
            store.get("ann", input="ignored")
            == store.get("ann")
            == store.load("ann")
            == alone.get()
        )
        assert store.get_all("ann") == talk(3)[:5]
        store.set("ann", talk(1))
        store.put_messages("ann", talk(3)[2:5])
        assert store.get("ann") == alone.get()
        store.reset("ann")
        assert store.get_all("ann") == []

    @for_each("keep", [False, True])
    def test_async_twins_on_one_event_loop(self, place: str, keep: bool) -> None:
        async def converse(store: MemoryStore, session: str) -> list[Message]:
            await store.aset(session, talk(1))
            await store.aput_messages(session, talk(3)[2:5])
            await store.aput(session, talk(4)[5])
            await store.aappend(session, talk(4)[6])
            assert await store.aload(session) == await store.aget(
                session, input="ignored"
            )
            assert (
                await store.aget_all(session)
                == (await store.amemory(session)).get_all()
                == talk(4)[:7]
            )
            return await store.aget(session)

        async def everybody() -> list[list[Message]]:
            names = [f"session {number}" for number in range(6)]
            sent = await asyncio.gather(*(converse(store, name) for name in names))
            assert sorted(await store.asessions()) == names
            await store.aclear(names[0])
            await store.areset(names[1])
            assert (
                await store.aget_all(names[0]) == await store.aget_all(names[1]) == []
            )
            return sent

        store = kept(place, model=Slow()) if keep else kept_nowhere(model=Slow())
        alone = ChatMemory(small("summary"), model=Digest(), counter="chars4")
        alone.set(talk(4)[:7])
        assert asyncio.run(everybody()) == [alone.get()] * 6

    def test_sessions_of_a_reopened_store_are_all_that_were_kept(
        self, place: str
    ) -> None:
        store = kept(place)
        for name in ("bob", "ann's", "memory-x", "搬家"):
            store.append(name, Message("user", "Hello"))
        Store(place).add_conversation(
            Transcript(tuple(talk(1)), title="another", format="role_content")
        )
        again = kept(place)
        assert (
            again.sessions() == store.sessions() == ("bob", "ann's", "memory-x", "搬家")
        )
        assert again.load("memory-x") == [Message("user", "Hello")]
        Store(place).delete("memory-bob")
        assert again.sessions() == ("ann's", "memory-x", "搬家"), (
            "what was deleted in the library is no session"
        )

    def test_opening_a_session_keeps_no_other_waiting(self, place: str) -> None:
        """Under another strategy the messages are summarized again while the memory is opened."""
        before = kept(place)
        for message in talk(2)[:3]:
            before.append("slow", message)
        model = Waiting()
        store = kept(place, "summary_only", model=model)
        nobody_waits_for(model, lambda: store.load("slow"), store)

    @for_each(
        ("options", "name"),
        [
            ({"strategy": "summary"}, "strategy"),
            ({"strategy": 0}, "strategy"),
            ({"model": lambda messages: "short"}, "model"),
            ({"persistence": 5}, "persistence"),
            ({"persistence": "sqlite"}, "persistence"),
            ({"persistence": {"backend": "redis"}}, "persistence.backend"),
        ],
    )
    def test_wrong_types_are_refused_at_once(
        self, options: dict[str, Any], name: str
    ) -> None:
        with pytest.raises(
            ParameterError, match=rf"Parameter '{name}' is .*; allowed is .*\.$"
        ):
            MemoryStore(**options)

    @for_each("session", [None, 7, ["ann"]])
    def test_a_session_is_named_by_a_text(self, session: Any) -> None:
        with pytest.raises(ParameterError, match="the name of the session"):
            kept_nowhere().append(session, Message("user", "Hello"))


class TestThreads:
    @for_each("keep", [False, True])
    def test_talk_in_sessions_of_their_own(self, place: str, keep: bool) -> None:
        store = kept(place) if keep else kept(place, persistence=None)

        def converse(number: int) -> list[Message]:
            for message in talk(4)[:7]:
                store.append(f"session {number}", message)
            return store.load(f"session {number}")

        alone = ChatMemory(small("summary"), model=Digest(), counter="chars4")
        alone.set(talk(4)[:7])
        with ThreadPoolExecutor(6) as threads:
            assert all(
                sent == alone.load() for sent in threads.map(converse, range(12))
            )
        assert len(store.sessions()) == 12

    def test_write_to_one_session_as_if_one_after_the_other(self, place: str) -> None:
        store = kept(place, model=Slow())
        with ThreadPoolExecutor(6) as threads:
            list(
                threads.map(
                    lambda n: store.append("u", Message("user", f"message {n}")),
                    range(30),
                )
            )
        said, alone = (
            store.memory("u").get_all(),
            ChatMemory(small("summary"), model=Digest(), counter="chars4"),
        )
        assert sorted(message.content for message in said) == sorted(
            f"message {n}" for n in range(30)
        )
        alone.set(said)
        assert store.memory("u").run.summaries == alone.run.summaries
        assert kept(place).memory("u").run.summaries == alone.run.summaries
        assert kept(place).memory("u").get_all() == said

    def test_do_not_wait_for_the_summarizer_of_another_session(self) -> None:
        model = Waiting()
        store = MemoryStore(small("summary"), model=model, counter="chars4")
        nobody_waits_for(
            model,
            lambda: [store.append("slow", message) for message in talk(2)[:3]],
            store,
        )


class TestBuildChatMemory:
    LONG = tuple(
        Message(message.role, message.content + " word" * 40) for message in talk(4)
    )[:7]

    def test_is_a_chat_summary_buffer(self) -> None:
        memory = memviz.build_chat_memory(
            "offline", token_limit=300, summarize_prompt="Sum up."
        )
        assert memory.strategy == memviz.strategy(
            "chat_summary_buffer", token_limit=300, summarize_prompt="Sum up."
        )
        assert memviz.build_chat_memory(None).strategy == memviz.strategy(
            "chat_summary_buffer"
        )

    def test_summarizes_with_the_model(self) -> None:
        model = ScriptedModel(["what was said"])
        memory = memviz.build_chat_memory(
            model, token_limit=120, summarize_prompt="Sum up."
        )
        memory.set(self.LONG)
        assert memory.get()[0] == Message("system", "what was said")
        assert model.requests[0][0] == Message("system", "Sum up.")

    def test_drops_without_one(self) -> None:
        memory = memviz.build_chat_memory(None, token_limit=120)
        memory.set(self.LONG)
        assert memory.get() == [self.LONG[-1]], (
            "two fit, of which the first is the assistant's"
        )
        assert memory.get_all() == list(self.LONG)

    def test_takes_its_place_in_a_chat_store(self, place: str) -> None:
        store = kept(place, model=ScriptedModel([]))
        memory = memviz.build_chat_memory(
            None, token_limit=500, chat_store=store, chat_store_key="ann"
        )
        memory.put(Message("user", "Hello"))
        assert store.memory("ann") is memory
        assert memory.strategy == memviz.strategy(
            "chat_summary_buffer", token_limit=500
        )
        assert memviz.build_chat_memory(None, chat_store=store) is store.memory(
            "default"
        )
        again = memviz.build_chat_memory(
            None, token_limit=500, chat_store=kept(place), chat_store_key="ann"
        )
        assert again.get() == [Message("user", "Hello")]

    @for_each("limit", [0, -1, 2.5, "64000"])
    def test_refuses_a_limit_below_one(self, limit: Any) -> None:
        with pytest.raises(ParameterError, match="token_limit"):
            memviz.build_chat_memory(None, token_limit=limit)

    def test_says_so_where_the_store_has_the_session_under_other_settings(self) -> None:
        store, model = kept_nowhere(), ScriptedModel([])
        memory = memviz.build_chat_memory(
            model, token_limit=500, chat_store=store, chat_store_key="ann"
        )
        assert memory.summarizer is model, "not the store's own: it was given"
        same = memviz.build_chat_memory(
            model, token_limit=500, chat_store=store, chat_store_key="ann"
        )
        assert same is memory is store.memory("ann")
        for llm, limit in (
            (model, 600),
            (None, 500),
            (ScriptedModel([]), 500),
            ("offline", 500),
        ):
            with pytest.raises(
                memviz.SessionExistsError, match=r"'ann' already.*buffer · 500 tokens"
            ):
                memviz.build_chat_memory(
                    llm, token_limit=limit, chat_store=store, chat_store_key="ann"
                )
        store.append("bob", Message("user", "Hello"))
        with pytest.raises(
            memviz.SessionExistsError, match=r"Running summary.*by digest"
        ):
            memviz.build_chat_memory("offline", chat_store=store, chat_store_key="bob")

    def test_a_model_of_the_same_name_and_settings_is_the_same(self) -> None:
        store = kept_nowhere()
        memory = memviz.build_chat_memory("offline", chat_store=store)
        assert (
            memviz.build_chat_memory(memviz.model("offline"), chat_store=store)
            is memory
        )
        with pytest.raises(memviz.SessionExistsError):
            memviz.build_chat_memory(
                memviz.model("offline", summary_budget_tokens=9), chat_store=store
            )

    @for_each(
        ("options", "name"),
        [
            ({"llm": lambda messages: "short"}, "llm"),
            ({"llm": 7}, "llm"),
            ({"llm": None, "chat_store": {}}, "chat_store"),
            ({"llm": None, "chat_store": "memory.db"}, "chat_store"),
            ({"llm": None, "chat_store_key": 7}, "session"),
            ({"llm": None, "token_limit": "500"}, "token_limit"),
            ({"llm": None, "persistence": 7}, "persistence"),
            (
                {"llm": None, "chat_store": MemoryStore(), "persistence": "x.db"},
                "persistence",
            ),
            (
                {"llm": None, "chat_store": MemoryStore(), "counter": "chars4"},
                "counter",
            ),
        ],
    )
    def test_wrong_types_are_refused_at_once(
        self, options: dict[str, Any], name: str
    ) -> None:
        with pytest.raises(
            ParameterError, match=rf"Parameter '{name}'.* is .*; allowed is .*\.$"
        ):
            memviz.build_chat_memory(**options)


class TestPersistence:
    """What configs/memory.yaml says is what happens."""

    @pytest.mark.parametrize(
        ("persistence", "file"),
        [
            ("memory", None),
            ("null", None),
            ("{enabled: false, connection_string: sqlite:///chats.db}", None),
            ("{enabled: true, backend: memory}", None),
            ("chats.db", "chats.db"),
            ("talks/chats.db", "talks/chats.db"),
            ("sqlite:///chats.db", "chats.db"),
            (
                "{enabled: true, backend: sqlite, connection_string: sqlite:///chats.db}",
                "chats.db",
            ),
            ("{connection_string: chats.db}", "chats.db"),
        ],
    )
    @pytest.mark.parametrize("whole", [True, False])
    def test_a_memory_built_from_the_file_is_kept_there(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        persistence: str,
        file: str | None,
        whole: bool,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("memory.yaml").write_text(
            f"memory:\n  token_limit: 300\n  persistence: {persistence}\n"
        )
        config = memviz.load_memory_config("memory.yaml")
        for said in ("one", "two"):
            memory = memviz.build_chat_memory(
                "offline", **(config if whole else config["memory"])
            )
            memory.put(Message("user", said))
        assert memory.strategy == memviz.strategy(
            "chat_summary_buffer", token_limit=300
        )
        files = {str(found.relative_to(tmp_path)) for found in tmp_path.rglob("*.db")}
        assert files == ({file} if file else set())
        assert [message.content for message in memory.get_all()] == (
            ["one", "two"] if file else ["two"]
        )
        assert MemoryStore(persistence=config["memory"]["persistence"]).sessions() == (
            ("default",) if file else ()
        )

    def test_every_setting_of_the_file_is_taken(self, tmp_path: Path) -> None:
        text = (
            "memory:\n  strategy: summary\n  parameters: {buffer_size: "
            "2}\n  counter: chars4\n  summarizer: offline\n"
        )
        (tmp_path / "memory.yaml").write_text(text)
        config = memviz.load_memory_config(tmp_path / "memory.yaml")
        memory = memviz.build_chat_memory(None, **config)
        assert memory.strategy == memviz.strategy("summary", buffer_size=2)
        assert (memory.run.counter.name, memory.summarizer_name) == (
            "chars4",
            "offline",
        )
        model = ScriptedModel([])
        assert memviz.build_chat_memory(model, **config).summarizer is model, (
            "the one that is given"
        )

    def test_a_changed_limit_is_obeyed_when_it_is_opened_again(
        self, place: str
    ) -> None:
        memviz.build_chat_memory(None, token_limit=500, persistence=place).set(talk(3))
        again = memviz.build_chat_memory(None, token_limit=600, persistence=place)
        assert again.strategy == memviz.strategy("chat_summary_buffer", token_limit=600)
        assert again.get_all() == talk(3)

    def test_the_shipped_file_is_one_to_build_with(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shipped = Path(__file__).parents[2] / "configs" / "memory.yaml"
        monkeypatch.chdir(tmp_path)
        memviz.build_chat_memory("offline", **memviz.load_memory_config(shipped)).put(
            Message("user", "Hello")
        )
        assert "memory.db" in os.listdir(tmp_path)
