"""What Chat says is limited: the numbers are those that the strategy acts on."""

from __future__ import annotations

import re

import memviz
from memviz.core.memory import Memory
from memviz.dashboard.ui.chat.pictures import forecast_next_summary, measure_request
from tests.engine.probes import REPRESENTATIVES, Digest, small
from tests.tables import for_each
from tests.tool_loops import loops


def numbers(sentence: str) -> list[int]:
    return [
        int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", sentence)
    ]


def of_chat(chat: memviz.Chat) -> str:
    return forecast_next_summary(chat.strategy, chat.memory, chat.headroom())


@for_each("id", REPRESENTATIVES)
def test_a_summary_is_written_when_there_is_more_than_the_limit_named(id: str) -> None:
    chat = memviz.Chat(small(id), model=Digest())
    for number in range(20):
        chat.say(f"question {number} " + "word " * (number % 4))
        said = of_chat(chat)
        list(chat.go_on())
        if " of " in said:
            held, limit = numbers(said)
            assert held <= limit, (
                "what is over a limit is not shown as if nothing happened"
            )
        else:
            known = (
                "never",
                "each turn",
                "next message",
                "cannot be said beforehand",
                "is written after",
            )
            assert any(words in said.lower() for words in known)


def test_without_tools_nothing_is_said_to_be_cleared() -> None:
    chat = memviz.Chat(
        memviz.strategy("clear_tool_results", trigger_tokens=1), model=Digest()
    )
    chat.send("Hello")
    said = of_chat(chat)
    assert (
        said
        == "This setting never summarizes, and nothing is cleared, because no tool was called."
    )
    run = memviz.replay(loops(2, 2), chat.strategy)
    said = forecast_next_summary(chat.strategy, run.memory_after(2), None)
    assert (
        said
        == "This setting never summarizes: its rule clears or shortens older messages."
    )


def test_of_messages_and_of_tokens() -> None:
    chat = memviz.Chat(memviz.strategy("summary", buffer_size=2), model=Digest())
    chat.send("Hello")
    assert numbers(of_chat(chat)) == [2, 4]
    chat.change_strategy(memviz.strategy("summary_buffer", max_token_limit=100))
    assert numbers(of_chat(chat)) == [chat.memory.pending_tokens, 100]
    assert of_chat(chat).startswith("Messages not yet summarized: ")


def test_a_summary_that_counts_is_no_message() -> None:
    strategy = memviz.strategy("chat_summary_buffer", token_limit=250)
    chat = memviz.Chat(strategy, model=Digest(), summarizer=Digest())
    while not chat.run.summaries:
        chat.send("word " * 40)
    memory = Memory(
        chat.run.space,
        chat.memory.length,
        chat.memory.summary_count,
        chat.memory.length - 1,
    )
    said = forecast_next_summary(strategy, memory, strategy.headroom(memory))
    assert said.startswith("Summary and messages not yet summarized: ")
    assert numbers(said) == [memory.pending_tokens + chat.run.summaries[-1].tokens, 250]
    memory = memory._replace(cursor=memory.length)
    said = forecast_next_summary(strategy, memory, strategy.headroom(memory))
    assert said.startswith("Messages not yet summarized: 0 of 250 tokens")
    assert "The summary counts in the size of a request" in said


def test_a_failed_summary_is_said_to_be_tried_again_in_a_later_turn() -> None:
    for id, words in (
        ("summary", "A summary is due"),
        ("summary_only", "Each turn is summarized"),
    ):
        chat = memviz.Chat(
            small(id),
            model=Digest(),
            summarizer=memviz.ScriptedModel([memviz.ModelError("down")]),
        )
        while not chat.run.compactions:
            chat.send("Hello")
        assert of_chat(chat).startswith(words)
        assert numbers(of_chat(chat)) == [2]
        chat.send("Hello")
        assert not numbers(of_chat(chat))


def test_of_a_request_it_says_what_counts() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary_buffer", max_token_limit=100), model=Digest()
    )
    record = chat.send("Hello")
    size, counts = measure_request(chat.strategy, record)
    assert numbers(size) == [record.total_tokens]
    assert numbers(counts) == [record.tokens["history"] + record.tokens["input"], 100]
    assert "history and input" in counts
    assert measure_request(memviz.strategy("buffer"), record)[1] == ""
