"""What Chat says is limited: the numbers are those that the strategy acts on."""

from __future__ import annotations

import re

import pytest

import memviz
from memviz.memory import Memory
from memviz.ui.chat.limits_in_words import next_summary, request_size
from tests.engine.probes import IDS, Digest, small


def numbers(sentence: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", sentence)]


@pytest.mark.parametrize("id", IDS)
def test_a_summary_is_written_when_there_is_more_than_the_limit_named(id: str) -> None:
    chat = memviz.Chat(small(id), model=Digest())
    for number in range(20):
        chat.say(f"question {number} " + "word " * (number % 4))
        said = next_summary(chat.strategy, chat.memory)
        list(chat.go_on())
        if " of " in said:
            held, limit = numbers(said)
            assert held <= limit, "what is over a limit is not shown as if nothing happened"
        else:
            assert "never" in said or "each turn" in said.lower() or "next message" in said


def test_of_messages_and_of_tokens() -> None:
    chat = memviz.Chat(memviz.strategy("summary", buffer_size=2), model=Digest())
    chat.send("Hello")
    assert numbers(next_summary(chat.strategy, chat.memory)) == [2, 4]
    chat.change_strategy(memviz.strategy("summary_buffer", max_token_limit=100))
    assert numbers(next_summary(chat.strategy, chat.memory)) == [chat.memory.pending_tokens, 100]
    assert next_summary(chat.strategy, chat.memory).startswith("Messages not yet summarized: ")


def test_a_summary_that_counts_is_no_message() -> None:
    strategy = memviz.strategy("chat_summary_buffer", token_limit=250)
    chat = memviz.Chat(strategy, model=Digest(), summarizer=Digest())
    while not chat.run.summaries:
        chat.send("word " * 40)
    memory = Memory(chat.run.space, chat.memory.length, chat.memory.summary_count, chat.memory.length - 1)
    said = next_summary(strategy, memory)
    assert said.startswith("What counts toward the limit: ")
    assert numbers(said)[1] == 250


def test_of_a_request_it_says_what_counts() -> None:
    chat = memviz.Chat(memviz.strategy("summary_buffer", max_token_limit=100), model=Digest())
    record = chat.send("Hello")
    size, counts = request_size(chat.strategy, record)
    assert numbers(size) == [record.total_tokens]
    assert numbers(counts) == [record.tokens["history"] + record.tokens["input"], 100]
    assert "history and input" in counts
    assert request_size(memviz.strategy("buffer"), record)[1] == ""
