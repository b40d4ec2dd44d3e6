"""The two classic memory interfaces."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given

import memviz
from memviz import ChatMemory, Message, MessageError, ScriptedModel
from tests.engine.probes import IDS, SUMMARIZING, Digest, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer

every_strategy = pytest.mark.parametrize("id", IDS)


def memory_of(id: str, messages: list[Message], **options: object) -> ChatMemory:
    options.setdefault("model", Digest())
    memory = ChatMemory(small(id), **options)  # type: ignore[arg-type]
    for message in messages:
        memory.append(message)
    return memory


class TestLoad:
    @every_strategy
    @given(messages=conversations(), plan=outcomes)
    def test_at_each_request_gives_what_a_replay_sends(self, id: str, messages: list[Message], plan: list[str]) -> None:
        run = memviz.replay(
            messages, small(id), model=summarizer(plan), counter="chars4", system_prompt="Hi.", repair_tool_pairs=True
        )
        memory = ChatMemory(small(id), model=summarizer(plan), counter="chars4", system_prompt="Hi.")
        requests = {record.memory.length: record for record in run.turns}
        for length, message in enumerate(messages, start=1):
            memory.append(message)
            if length in requests:
                assert memory.load() == list(requests[length].context.messages)

    @every_strategy
    def test_asked_twice_gives_the_same_and_summarizes_once(self, id: str) -> None:
        model = ScriptedModel(["short"] * 99)
        memory = ChatMemory(small(id), model=model)
        for message in talk(8)[:15]:
            memory.put(message)
            first = memory.get()
            calls = len(model.requests)
            assert memory.get() == memory.load() == first
            assert len(model.requests) == calls

    @every_strategy
    def test_leading_system_messages_are_the_system_prompt_in_every_request(self, id: str) -> None:
        leading = [Message("system", "Be kind."), Message("system", "Be brief.")]
        memory = memory_of(id, [*leading, *talk(9), Message("user", "And?")], system_prompt="You are Ada.")
        prompt = [Message("system", "You are Ada."), *leading]
        assert memory.load()[:3] == prompt
        assert not any(message.content.startswith("Be ") for message in memory.load()[3:])
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
        assert ChatMemory(memviz.strategy("buffer"), model=None, system_prompt="Hi.").load() == [
            Message("system", "Hi.")
        ]

    def test_history_for_prompt_is_what_stands_before_the_input(self) -> None:
        memory = memory_of("summary", talk(3)[:5], system_prompt="Hi.")
        assert memory.history_for_prompt() == []
        memory = memory_of("buffer", talk(3)[:5], system_prompt="Hi.")
        assert memory.history_for_prompt() == talk(3)[:4]
        memory = memory_of("window", talk(3)[:5])
        memory.recall_conversation([1])
        assert memory.history_for_prompt() == [*talk(3)[2:4], *talk(3)[:2]]

    @every_strategy
    def test_the_users_message_is_sent_while_a_tool_is_at_work(self, id: str) -> None:
        """In the loop of an agent the request after a tool result still answers the user's message."""
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        messages = [
            *talk(3),
            Message("user", "What is the weather?"),
            Message("assistant", "", tool_calls=(call,)),  # type: ignore[arg-type]
            Message("tool", "rain " * 40, tool_call_id="a"),
        ]
        assert Message("user", "What is the weather?") in memory_of(id, messages).load()

    @pytest.mark.parametrize("id", ["summary_only", "recent_only"])
    def test_a_turn_has_one_entry_even_when_looked_at_before_it_is_over(self, id: str) -> None:
        """Loading is asking, and must not decide that the assistant has nothing to add."""
        looked_at, left_alone = ChatMemory(small(id), model=Digest()), ChatMemory(small(id), model=Digest())
        for message in [*talk(1), Message("assistant", "And one thing more."), Message("user", "Yes?")]:
            looked_at.append(message)
            looked_at.load()
            left_alone.append(message)
        assert looked_at.load() == left_alone.load()
        assert sum(m.content.count("[Turn 1]") for m in looked_at.load()) == 1


class TestLogIsNeverCut:
    @every_strategy
    @given(messages=conversations(), plan=outcomes)
    def test_get_all_has_every_message(self, id: str, messages: list[Message], plan: list[str]) -> None:
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

    @pytest.mark.parametrize("id", SUMMARIZING)
    def test_an_interrupted_summarizer_loses_nothing(self, id: str) -> None:
        memory = ChatMemory(small(id), model=ScriptedModel(["short", KeyboardInterrupt(), *["short"] * 99]))
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
    @every_strategy
    def test_is_the_same_as_starting_over(self, id: str) -> None:
        memory = memory_of(id, [Message("user", "something else"), Message("assistant", "indeed")])
        memory.set(talk(6)[:11])
        assert memory.load() == memory_of(id, talk(6)[:11]).load()
        assert memory.get_all() == talk(6)[:11]


class TestRecall:
    def test_stands_before_the_input_until_it_is_answered(self) -> None:
        memory = memory_of("window", talk(4)[:7])
        found = memory.recall_conversation(turn_numbers=[1, 9], message_indices=[3], last_n=1)
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
        memory = memory_of("chat_summary_buffer", talk(20)[:39], model=None, counter="chars4")
        loaded = memory.load()
        assert loaded == talk(20)[39 - len(loaded) : 39]
        assert len(loaded) < 39
        assert loaded[0].role == "user"


def test_async_twins() -> None:
    async def loop(memory: ChatMemory) -> list[Message]:
        for message in talk(3)[:5]:
            await memory.aput(message)
        return await memory.aget()

    memory = ChatMemory(small("summary"), model=Digest())
    assert asyncio.run(loop(memory)) == memory_of("summary", talk(3)[:5]).load()
