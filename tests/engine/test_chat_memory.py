"""The two classic memory interfaces."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

import memviz
from memviz import ChatMemory, Message, MessageError, ScriptedModel
from tests.engine.probes import (
    REPRESENTATIVES,
    SUMMARIZING,
    Digest,
    Slow,
    Waiting,
    small,
    talk,
)
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)


def memory_of(id: str, messages: list[Message], **options: object) -> ChatMemory:
    options.setdefault("model", Digest())
    memory = ChatMemory(small(id), **options)  # type: ignore[arg-type]
    for message in messages:
        memory.append(message)
    return memory


class TestLoad:
    @given(messages=conversations(), plan=outcomes)
    @every_kind
    def test_at_each_request_gives_what_a_replay_sends(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages,
            small(id),
            model=summarizer(plan),
            counter="chars4",
            system_prompt="Hi.",
            repair_tool_pairs=True,
        )
        memory = ChatMemory(
            small(id), model=summarizer(plan), counter="chars4", system_prompt="Hi."
        )
        requests = {record.memory.length: record for record in run.requests}
        for length, message in enumerate(messages, start=1):
            memory.append(message)
            if length in requests:
                assert memory.load() == list(requests[length].context.messages)

    @every_kind
    def test_asked_twice_gives_the_same_and_summarizes_once(self, id: str) -> None:
        model = ScriptedModel(["short"] * 99)
        memory = ChatMemory(small(id), model=model)
        for message in talk(8)[:15]:
            memory.put(message)
            first = memory.get()
            calls = len(model.requests)
            assert memory.get() == memory.load() == first
            assert len(model.requests) == calls

    @every_kind
    def test_leading_system_messages_are_the_system_prompt_in_every_request(
        self, id: str
    ) -> None:
        leading = [Message("system", "Be kind."), Message("system", "Be brief.")]
        memory = memory_of(
            id,
            [*leading, *talk(9), Message("user", "And?")],
            system_prompt="You are Ada.",
        )
        prompt = [Message("system", "You are Ada."), *leading]
        assert memory.load()[:3] == prompt
        assert not any(
            message.content.startswith("Be ") for message in memory.load()[3:]
        )
        assert memory.get_all()[:2] == leading
        assert all(c.summarized.start >= 2 for c in memory.run.compactions)
        assert all("Be kind." not in c.prompt for c in memory.run.compactions)

    def test_both_names_of_the_same_thing(self) -> None:
        one, other = (
            ChatMemory(memviz.strategy("buffer"), model=None),
            ChatMemory(memviz.strategy("buffer"), model=None),
        )
        one.append({"role": "user", "content": "Hello"})
        other.put(Message("user", "Hello"))
        assert one.load() == other.get() == [Message("user", "Hello")]
        one.clear()
        other.reset()
        assert one.load() == other.get() == []

    def test_empty_memory_gives_the_system_prompt_alone(self) -> None:
        assert ChatMemory(
            memviz.strategy("buffer"), model=None, system_prompt="Hi."
        ).load() == [Message("system", "Hi.")]

    def test_history_for_prompt_is_what_stands_before_the_input(self) -> None:
        memory = memory_of("summary", talk(3)[:5], system_prompt="Hi.")
        assert memory.history_for_prompt() == []
        memory = memory_of("buffer", talk(3)[:5], system_prompt="Hi.")
        assert memory.history_for_prompt() == talk(3)[:4]
        memory = memory_of("window", talk(3)[:5])
        memory.recall_conversation([1])
        assert memory.history_for_prompt() == [*talk(3)[2:4], *talk(3)[:2]]

    @every_kind
    def test_the_results_of_the_open_call_are_sent_whatever_their_size(
        self, id: str
    ) -> None:
        """In the loop of an agent the request after a tool result is about that result, and a provider takes it only
        with the call that it answers."""
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        messages = [
            *talk(3),
            Message("user", "What is the weather?"),
            Message("assistant", "", tool_calls=(call,)),  # type: ignore[arg-type]
            Message("tool", "rain " * 40, tool_call_id="a"),
        ]
        assert memory_of(id, messages).load()[-2:] == messages[-2:]

    @for_each("id", ["summary_only", "recent_only"])
    def test_a_turn_has_one_entry_even_when_looked_at_before_it_is_over(
        self, id: str
    ) -> None:
        """Loading is asking, and must not decide that the assistant has nothing to add."""
        looked_at, left_alone = (
            ChatMemory(small(id), model=Digest()),
            ChatMemory(small(id), model=Digest()),
        )
        for message in [
            *talk(1),
            Message("assistant", "And one thing more."),
            Message("user", "Yes?"),
        ]:
            looked_at.append(message)
            looked_at.load()
            left_alone.append(message)
        assert looked_at.load() == left_alone.load()
        assert sum(m.content.count("[Turn 1]") for m in looked_at.load()) == 1


class TestLogIsNeverCut:
    @given(messages=conversations(), plan=outcomes)
    @every_kind
    def test_get_all_has_every_message(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        memory = memory_of(id, messages, model=summarizer(plan), counter="chars4")
        memory.get()
        assert memory.get_all() == messages

    def test_a_bad_message_changes_nothing(self) -> None:
        memory = memory_of("buffer", talk(2))
        for bad in ({"role": "nobody", "content": "x"}, {"role": "user", "content": 3}):
            with pytest.raises(MessageError):
                memory.append(bad)
            with pytest.raises(MessageError):
                memory.set([*talk(1), bad])
        assert memory.get_all() == talk(2)

    def test_what_is_given_out_is_a_copy(self) -> None:
        memory = memory_of("buffer", talk(2))
        memory.get_all().clear()
        memory.load().clear()
        assert memory.get_all() == talk(2)

    @for_each("id", SUMMARIZING)
    def test_an_interrupted_summarizer_loses_nothing(self, id: str) -> None:
        memory = ChatMemory(
            small(id),
            model=ScriptedModel(["short", KeyboardInterrupt(), *["short"] * 99]),
        )
        for message in talk(8):
            try:
                memory.append(message)
                memory.load()
            except KeyboardInterrupt:
                continue
        assert memory.get_all() == talk(8)
        failed = [c for c in memory.run.compactions if c.error]
        assert len(failed) == 1
        assert failed[0].before == failed[0].after
        assert memory.run.compactions[-1].summary == "short"


class TestSet:
    @every_kind
    def test_is_the_same_as_starting_over(self, id: str) -> None:
        memory = memory_of(
            id, [Message("user", "something else"), Message("assistant", "indeed")]
        )
        memory.set(talk(6)[:11])
        assert memory.load() == memory_of(id, talk(6)[:11]).load()
        assert memory.get_all() == talk(6)[:11]


class TestRecall:
    def test_stands_before_the_input_until_it_is_answered(self) -> None:
        memory = memory_of("window", talk(4)[:7])
        found = memory.recall_conversation(
            turn_numbers=[1, 9], message_indices=[3], last_n=1
        )
        assert found.indices == (0, 1, 3, 5)
        assert found.missing == ("turn 9",)
        recalled = [talk(4)[i] for i in (0, 1, 3)]
        assert memory.load() == memory.load() == [*talk(4)[4:6], *recalled, talk(4)[6]]
        memory.append(talk(4)[7])
        memory.append(Message("user", "next"))
        assert memory.load() == [*talk(4)[6:8], Message("user", "next")]

    def test_before_the_question_is_put(self) -> None:
        memory = memory_of("window", talk(4)[:6])
        memory.recall_conversation(turn_numbers=[1])
        memory.append(talk(4)[6])
        assert memory.load() == [*talk(4)[4:6], *talk(4)[:2], talk(4)[6]]

    def test_can_be_cleared(self) -> None:
        memory = memory_of("window", talk(4)[:7])
        memory.recall_conversation([1])
        memory.clear_recalled_messages()
        assert memory.load() == talk(4)[4:7]

    def test_none_at_all_is_an_error(self) -> None:
        with pytest.raises(memviz.RecallError):
            memory_of("window", talk(4)).recall_conversation()


class TestNoSummarizer:
    def test_messages_stay_verbatim(self) -> None:
        assert memory_of("summary", talk(6)[:11], model=None).load() == talk(6)[:11]

    def test_chat_summary_buffer_drops_as_its_reference_does(self) -> None:
        memory = memory_of(
            "chat_summary_buffer", talk(20)[:39], model=None, counter="chars4"
        )
        loaded = memory.load()
        assert loaded == talk(20)[39 - len(loaded) : 39]
        assert len(loaded) < 39
        assert loaded[0].role == "user"


@for_each("take", ["put", "append"])
def test_a_message_is_taken_in_with_its_text_or_refused(take: str) -> None:
    memory = ChatMemory(memviz.strategy("buffer"))
    getattr(memory, take)({"role": "user", "text": "I live in Lisbon"})
    with pytest.raises(MessageError, match="'words'"):
        getattr(memory, take)({"role": "user", "words": "And in Porto"})
    assert [message.content for message in memory.load()] == ["I live in Lisbon"]


class TestAsync:
    def test_every_method_that_may_block_has_a_twin_with_the_same_arguments(
        self,
    ) -> None:
        for face in (ChatMemory, memviz.MemoryStore):
            methods = {
                name: method
                for name, method in inspect.getmembers(face, inspect.isfunction)
                if name[0] != "_"
            }
            twins = {
                name
                for name, method in methods.items()
                if inspect.iscoroutinefunction(method)
            }
            blocking = set(methods) - twins - {"headroom"}
            assert twins == {"a" + name for name in blocking}
            for name in blocking - {"memory"}:
                assert list(inspect.signature(methods["a" + name]).parameters) == list(
                    inspect.signature(methods[name]).parameters
                )

    @every_kind
    def test_do_what_the_methods_of_their_name_do(self, id: str) -> None:
        async def loop(memory: ChatMemory) -> list[list[Message]]:
            await memory.aset(talk(2))
            await memory.aput_messages(talk(5)[4:8])
            await memory.aappend(talk(5)[8])
            await memory.arecall_conversation([1], None, last_n=2)
            seen = [
                await memory.aget(input="ignored"),
                await memory.aload(),
                await memory.ahistory_for_prompt(),
            ]
            await memory.aclear_recalled_messages()
            seen += [await memory.aget(), await memory.aget_all()]
            await memory.areset()
            return [*seen, await memory.aget_all()]

        alone = memory_of(id, talk(5)[:9])
        alone.recall_conversation([1], last_n=2)
        expected = [alone.get("ignored"), alone.load(), alone.history_for_prompt()]
        alone.clear_recalled_messages()
        expected += [alone.get(), talk(5)[:9], []]
        assert asyncio.run(loop(ChatMemory(small(id), model=Digest()))) == expected

    def test_the_loop_goes_on_while_the_summarizer_writes(self) -> None:
        model = Waiting()

        async def loop(memory: ChatMemory) -> None:
            putting = asyncio.create_task(memory.aput_messages(talk(2)[:3]))
            assert await asyncio.to_thread(model.asked.wait, 60)
            assert (
                not putting.done()
            )  # the loop came here while the summarizer is still at work
            model.may_answer.set()
            await putting

        memory = ChatMemory(small("summary"), model=model)
        asyncio.run(loop(memory))
        assert memory.load()[0].content.endswith("a summary")

    @for_each("read", [lambda memory: memory.run, lambda memory: memory.headroom()])
    def test_who_asks_what_was_done_waits_for_the_call_at_work(
        self, read: Callable[[ChatMemory], object]
    ) -> None:
        model = Waiting()
        memory = ChatMemory(small("summary"), model=model)
        with ThreadPoolExecutor(2) as pool:
            putting = pool.submit(memory.put_messages, talk(2)[:3])
            try:
                assert model.asked.wait(60)
                reading = pool.submit(read, memory)
                with pytest.raises(TimeoutError):
                    reading.result(timeout=0.2)
            finally:
                model.may_answer.set()
            putting.result(60)
            reading.result(60)

    @for_each("id", SUMMARIZING)
    def test_several_at_once_on_one_memory_work_one_after_the_other(
        self, id: str
    ) -> None:
        async def loop(memory: ChatMemory) -> None:
            said = [
                Message(("user", "assistant")[n % 2], f"message {n}") for n in range(40)
            ]
            others = [memory.aget(), memory.aget_all(), memory.ahistory_for_prompt()]
            await asyncio.gather(*(memory.aput(message) for message in said), *others)

        memory = ChatMemory(small(id), model=Slow(), counter="chars4")
        asyncio.run(loop(memory))
        said = memory.get_all()
        assert sorted(m.content for m in said) == sorted(
            f"message {n}" for n in range(40)
        )
        positions = [c.summarized for c in memory.run.compactions]
        assert all(
            before.stop == after.start for before, after in pairwise(positions)
        ), "each summarized once"


class TestSummaryOnly:
    def test_has_no_history_for_the_prompt_at_any_moment(self) -> None:
        """Before and after the answer, in a tool loop, with something recalled, and after a summarizer that failed."""
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        messages = [
            *talk(3),
            Message("user", "What is the weather?"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "rain", tool_call_id="a"),  # type: ignore[arg-type]
            Message("assistant", "It rains."),
            Message("user", "Thanks."),
        ]
        for model in (Digest(), ScriptedModel([memviz.ModelError("down")] * 99), None):
            memory = ChatMemory(small("summary_only"), model=model)
            assert memory.history_for_prompt() == []
            for message in messages:
                memory.append(message)
                assert memory.history_for_prompt() == []
            memory.recall_conversation([1])
            assert memory.history_for_prompt() == []
            assert talk(1)[0] in memory.load()


class TestHeadroom:
    def test_is_that_of_a_chat_too(self) -> None:
        chat = memviz.Chat(small("summary"), model=Digest())
        assert (
            chat.headroom()
            == ChatMemory(small("summary")).headroom()
            == (3, "messages")
        )
        chat.send("Hello")
        assert chat.headroom() == (1, "messages")


class TestRecallInAToolLoop:
    def test_what_was_recalled_stays_until_the_turn_has_its_answer(self) -> None:
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        memory = memory_of("window", talk(4)[:7])
        memory.recall_conversation([1])
        assert set(talk(1)) <= set(memory.load())
        memory.append(Message("assistant", "", tool_calls=(call,)))  # type: ignore[arg-type]
        memory.append(Message("tool", "rain", tool_call_id="a"))
        assert set(talk(1)) <= set(memory.load()), "the second request of the same turn"
        memory.append(Message("assistant", "It rains."))
        memory.append(Message("user", "Thanks."))
        assert not set(talk(1)) & set(memory.load())

    def test_the_tools_arguments_are_taken_as_a_model_writes_them(self) -> None:
        memory = memory_of("window", talk(4)[:7])
        names = memviz.RECALL_CONVERSATION.to_request()["function"]["parameters"][
            "properties"
        ]
        assert list(names) == ["turn_numbers", "message_indices", "last_n"]
        recalled = memory.recall_conversation(
            **json.loads(
                '{"turn_numbers": [1], "message_indices": null, "last_n": null}'
            )
        )
        assert (list(recalled), len(recalled)) == (talk(1), 2)
        with pytest.raises(memviz.RecallError, match="name"):
            memory.recall_conversation(**dict.fromkeys(names))

    @for_each(
        ("arguments", "words"),
        [
            (
                {"turn_numbers": 1},
                "turn_numbers is 1; it has to be a list of whole numbers",
            ),
            ({"message_indices": "3"}, "message_indices is '3'"),
            ({"turn_numbers": ["1"]}, "turn_numbers"),
            ({"last_n": "5"}, "last_n"),
        ],
    )
    def test_a_wrong_type_is_refused_in_a_sentence(
        self, arguments: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(memviz.RecallError, match=words):
            memory_of("window", talk(4)[:7]).recall_conversation(**arguments)


class TestWrongTypes:
    @for_each(
        ("strategy", "options", "name"),
        [
            ("summary", {}, "strategy"),
            (None, {}, "strategy"),
            (memviz.strategies()["summary"], {}, "strategy"),
            (small("summary"), {"model": lambda messages: "short"}, "model"),
            (small("summary"), {"model": 7}, "model"),
        ],
    )
    def test_are_refused_at_once(
        self, strategy: Any, options: dict[str, Any], name: str
    ) -> None:
        for face in (ChatMemory, memviz.Chat):
            with pytest.raises(
                memviz.ParameterError,
                match=rf"Parameter '{name}' is .*; allowed is .*\.$",
            ):
                face(strategy, **options)

    @for_each(
        "messages",
        ["Hello", 5, None, {"role": "user", "content": "x"}, Message("user", "x")],
    )
    def test_a_list_of_messages_is_one(self, messages: Any) -> None:
        memory = memory_of("buffer", talk(1))
        for take in (memory.set, memory.put_messages):
            with pytest.raises(MessageError, match="list of messages"):
                take(messages)
        assert memory.get_all() == talk(1)


def calling(text: str, *ids: str) -> Message:
    """A message of the assistant that calls a tool once for each id."""
    return Message(
        "assistant",
        text,
        tool_calls=[
            {"id": id, "function": {"name": "look_up", "arguments": "{}"}} for id in ids
        ],
    )  # type: ignore[arg-type]


def as_sent(memory: ChatMemory) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (m.role, m.content, tuple(call.id for call in m.tool_calls))
        for m in memory.get()
    ]


def test_the_text_beside_a_call_without_a_result_is_sent_without_the_call() -> None:
    memory = ChatMemory(memviz.strategy("buffer"))
    memory.put_messages(
        [
            Message("user", "Which code?"),
            calling("the code is 7731", "a"),
            Message("user", "And?"),
        ]
    )
    assert as_sent(memory) == [
        ("user", "Which code?", ()),
        ("assistant", "the code is 7731", ()),
        ("user", "And?", ()),
    ]


@for_each("then", [[], [Message("user", "And?")]])
def test_of_two_calls_only_the_answered_one_is_sent(then: list[Message]) -> None:
    memory = ChatMemory(memviz.strategy("buffer"))
    asked = [
        Message("user", "Both?"),
        calling("the code is 7731", "a", "b"),
        Message("tool", "B", tool_call_id="b"),
    ]
    memory.put_messages([*asked, *then])
    assert as_sent(memory) == [
        ("user", "Both?", ()),
        ("assistant", "the code is 7731", ("b",)),
        ("tool", "B", ()),
        *((message.role, message.content, ()) for message in then),
    ]


def test_a_call_without_text_and_result_is_left_out() -> None:
    memory = ChatMemory(memviz.strategy("buffer"))
    memory.put_messages(
        [Message("user", "Which code?"), calling("", "a"), Message("user", "And?")]
    )
    assert as_sent(memory) == [("user", "Which code?", ()), ("user", "And?", ())]
    assert len(memory.get_all()) == 3


def test_what_was_sent_with_fewer_calls_comes_back_from_json() -> None:
    memory = ChatMemory(memviz.strategy("buffer"))
    memory.put_messages(
        [
            Message("user", "Which code?"),
            calling("the code is 7731", "a"),
            Message("user", "And?"),
        ]
    )
    memory.get()
    pending = memory.run.pending
    again = memviz.Run.from_dict(memory.run.to_dict()).pending
    assert pending is not None
    assert again is not None
    assert again.context.messages == pending.context.messages == tuple(memory.get())
