"""LangChain's SummarizationMiddleware: a summary of all but the newest messages once a threshold is reached."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ModelError, ParameterError, ScriptedModel, ToolCall
from memviz.strategies.prompts import transcript_line
from tests.strategies.conversations import COUNTERS, answered
from tests.strategies.libraries import summarization_settings
from tests.strategies.libraries.conversations import conversations
from tests.strategies.libraries.summarization_settings import (
    ENDS,
    Setting,
    summaries,
    with_input,
)
from tests.tables import for_each

HEADING = "Here is a summary of the conversation to date:\n\n"
TOO_LONG = "Previous conversation was too long to summarize."


@given(
    messages=conversations(),
    setting=summarization_settings.settings(),
    counter=st.sampled_from(COUNTERS),
    ends=st.lists(st.sampled_from(ENDS), min_size=1, max_size=4),
)
def test_each_request_is_what_langchain_sends(
    messages: list[Message], setting: Setting, counter: str, ends: list[str]
) -> None:
    pytest.importorskip("langchain.agents.middleware")
    from tests.strategies.libraries.langchain_runner import summarized_requests

    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    count, script = memviz.counter(counter), summaries(ends)
    theirs = summarized_requests(
        messages, lambda _: next(script), count, **setting.theirs
    )
    model = ScriptedModel(summaries(ends))
    run = memviz.replay(
        messages,
        memviz.strategy("threshold_summary", **setting.ours),
        model=model,
        counter=counter,
    )
    for record, sent, kept in zip(
        run.requests, theirs.requests, theirs.kept, strict=True
    ):
        assert list(record.context.messages) == with_input(
            messages, sent, kept, record.memory.length
        )
        assert_counted(record, count)
    assert_same_read(run, model, theirs.readings)


def assert_counted(
    record: memviz.TurnRecord, count: memviz.core.counters.Counter
) -> None:
    for block in record.context.blocks:
        assert block.tokens == sum(
            count(message.content) for message in block.messages
        ), block.kind
    assert (
        sum(block.tokens for block in record.context.blocks if block.kind == "summary")
        == record.tokens["summary"]
    )


def assert_same_read(
    run: memviz.Run, model: ScriptedModel, readings: list[Any]
) -> None:
    """The summarizer reads the same before the same requests, and not at all where the library has a fixed text."""
    lines = [request[0].content.split("\n\n", 1)[1] for request in model.requests]
    assert lines == [
        "\n".join(map(transcript_line, reading.messages)) for reading in readings
    ]
    before = {
        record.memory.length: number for number, record in enumerate(run.requests)
    }
    asked = [c for c in run.compactions if not c.is_fixed]
    assert [before[c.after_message + 1] for c in asked] == [
        reading.request for reading in readings
    ]
    assert all(c.summary == TOO_LONG for c in run.compactions if c.is_fixed)


def replay(
    messages: list[Message], *answers: str | Exception, **parameters: Any
) -> memviz.Run:
    defaults = {"trigger_tokens": 0, "trigger_messages": 3, "keep_messages": 1}
    strategy = memviz.strategy("threshold_summary", **defaults | parameters)
    return memviz.replay(
        answered(messages), strategy, model=ScriptedModel(answers), counter=len
    )


def talk(*contents: str) -> list[Message]:
    return [
        Message("assistant" if n % 2 else "user", text)
        for n, text in enumerate(contents)
    ]


def call(id: str, said: str = "") -> Message:
    return Message("assistant", said, tool_calls=(ToolCall(id, "look_up", "{}"),))


def result(id: str, text: str) -> Message:
    return Message("tool", text, tool_call_id=id)


def sent(run: memviz.Run) -> list[list[str]]:
    return [
        [m.content.removeprefix(HEADING) for m in record.context.messages]
        for record in run.requests
    ]


def reasons(run: memviz.Run) -> list[str]:
    return [compaction.reason for compaction in run.compactions]


def test_acts_when_the_threshold_is_reached_and_the_summary_is_a_message_of_the_user() -> (
    None
):
    run = replay(talk("a", "b", "c", "d", "e"), "one", "two")
    assert sent(run) == [["a"], ["one", "c"], ["two", "e"]]
    assert run.requests[1].context.messages[0] == Message("user", HEADING + "one")
    assert reasons(run) == ["3 messages ≥ 3", "4 messages ≥ 3"], (
        "the summary is the first of the four"
    )
    assert replay(talk("a", "b", "c"), trigger_messages=4).compactions == ()


def test_thresholds_are_joined_by_any_or_all_and_more_of_them_by_words() -> None:
    messages = talk("aa", "bb", "cc", "dd", "ee")
    both = {"trigger_tokens": 7, "trigger_messages": 3}
    assert (
        reasons(replay(messages, "x", "y", joined_by="any", **both))[0]
        == "3 messages ≥ 3"
    )
    assert reasons(replay(messages, "x", joined_by="all", **both)) == [
        "10 tokens ≥ 7 and 5 messages ≥ 3"
    ]
    more = {
        "trigger_messages": 0,
        "other_triggers": "9 messages or 0.5 of the window and 3 messages",
    }
    run = replay(messages, "x", window_tokens=20, **more)
    assert reasons(run) == ["10 tokens ≥ 10 (50% of the window) and 5 messages ≥ 3"]
    assert replay(messages, trigger_messages=0).compactions == (), (
        "no threshold, no summary"
    )


@for_each("words", ["soon", "4000", "20 messages and", "3 turns"])
def test_words_that_are_no_thresholds_are_refused_when_they_are_given(
    words: str,
) -> None:
    with pytest.raises(ParameterError) as caught:
        memviz.strategy("threshold_summary", other_triggers=words)
    assert caught.value.name == "other_triggers"


def test_a_result_that_would_be_first_keeps_its_call() -> None:
    messages = [
        Message("user", "q"),
        call("1", "I look"),
        result("1", "r"),
        Message("assistant", "!"),
    ]
    run = replay(messages, "one")
    assert sent(run)[1] == ["one", "I look", "r"]
    assert list(run.compactions[0].summarized) == [0]


def test_results_whose_call_is_gone_are_summarized_and_sent_once_more() -> None:
    """LangChain would send its summary alone; the results are the input, which is always sent."""
    messages = [
        *talk("a", "b"),
        result("x", "r"),
        result("x", "s"),
        *talk("?", "!")[1:],
        Message("user", "q"),
    ]
    run = replay(messages, "one", trigger_messages=4)
    assert sent(run)[1:] == [["one", "r", "s"], ["one", "!", "q"]]
    assert list(run.compactions[0].summarized) == [0, 1, 2, 3]
    assert [Fate(code).name for code in run.fates()[1, :4]] == [
        "SUMMARIZED",
        "SUMMARIZED",
        "VERBATIM",
        "VERBATIM",
    ]


def test_the_summary_alone_is_summarized_again_where_only_it_is_too_much() -> None:
    """Heading, "one" and the messages are 73 tokens, of which the messages' 22 may stay: a call is paid for, and not a
    single message goes. So at every request from now on, until the messages are more than 50."""
    run = replay(
        talk("a" * 40, "b" * 10, "c" * 10, "d", "e", "f", "g"),
        "one",
        "two",
        "six",
        trigger_messages=0,
        trigger_tokens=60,
        keep_tokens=50,
    )
    assert [(c.reason, list(c.summarized), c.keep_from) for c in run.compactions] == [
        ("60 tokens ≥ 60", [0], 1),
        ("73 tokens ≥ 60", [], 1),
        ("75 tokens ≥ 60", [], 1),
    ]
    assert [c.prompt.split("\n\n", 1)[1] for c in run.compactions[1:]] == [
        f"user: {HEADING}one",
        f"user: {HEADING}two",
    ]
    assert [run.generations()[row, 0] for row in range(1, 4)] == [1, 2, 3]
    assert list(run.summaries[2].covers) == [0]


def test_the_summarizer_reads_the_last_tokens_only_from_a_users_message_on() -> None:
    """Of 8 tokens "\\nccc" fits beside "dddd", for the part that fits is whole lines; the reply "bb" is gone."""
    messages = talk("a", "bb", "first\nccc", "dddd", "e")
    run = replay(messages, "one", trigger_messages=5, summarizer_reads_tokens=8)
    assert run.compactions[0].prompt.endswith("\n\nuser: ccc\nassistant: dddd")
    assert list(run.compactions[0].summarized) == [0, 1, 2, 3], (
        "a and bb are gone without a word"
    )


def test_lines_are_counted_from_the_last_to_the_first() -> None:
    """Of three tokens "er\\nis" is one too many, but LangChain counts "iser\\n", which are two, and takes all of it."""
    strategy = memviz.strategy(
        "threshold_summary",
        trigger_messages=2,
        keep_messages=1,
        summarizer_reads_tokens=2,
        trigger_tokens=0,
    )
    messages = [
        Message("user", "er\nis"),
        Message("assistant", ""),
        Message("user", ""),
    ]
    run = memviz.replay(
        answered(messages), strategy, model=ScriptedModel(["one"]), counter="o200k_base"
    )
    assert run.compactions[0].prompt.endswith("\n\nuser: er\nis\nassistant: ")


def test_an_old_summary_that_does_not_fit_is_forgotten() -> None:
    run = replay(
        talk("a", "b", "c", "d", "e"), "old\nlines", "new", summarizer_reads_tokens=7
    )
    assert run.compactions[1].prompt.endswith("\n\nuser: lines\nuser: c\nassistant: d")
    run = replay(
        talk("a", "b", "c", "d", "e"),
        "too long a line",
        "new",
        summarizer_reads_tokens=7,
    )
    assert run.compactions[1].prompt.endswith("\n\nuser: c\nassistant: d")


def test_a_loop_of_tools_longer_than_the_summarizer_reads_is_replaced_by_a_fixed_text() -> (
    None
):
    messages = [
        Message("user", "question"),
        call("1"),
        result("1", "r" * 20),
        call("2"),
        result("2", "s" * 20),
    ]
    run = replay(
        [*messages, Message("assistant", "!")],
        trigger_messages=5,
        summarizer_reads_tokens=10,
    )
    assert sent(run)[2] == [TOO_LONG, "", "s" * 20]
    first = run.compactions[0]
    assert (first.is_fixed, first.asked, first.request, first.error) == (
        True,
        False,
        (),
        None,
    )
    assert "no user message in what the summarizer may read" in first.reason


@for_each("answer", ["", "  \n", ModelError("no connection")])
def test_a_failed_summarizer_leaves_all_as_it_is_and_is_asked_in_a_later_turn(
    answer: str | Exception,
) -> None:
    """LangChain takes an empty answer, and what it stands for is gone; an error ends its request."""
    messages = talk("a", "b", "c", "d", "e", "f", "g", "h", "i")
    run = replay(messages, answer, "two", "three")
    assert [(c.turn, bool(c.error)) for c in run.compactions] == [
        (2, True),
        (4, False),
        (5, False),
    ], "2 turns later"
    assert sent(run)[:4] == [
        ["a"],
        ["a", "b", "c"],
        ["a", "b", "c", "d", "e"],
        ["two", "g"],
    ]


def test_keeping_tokens_keeps_at_least_the_newest_message() -> None:
    messages = talk("aaa", "bbb", "ccc")
    assert sent(replay(messages, "one", keep_tokens=6))[1] == ["one", "bbb", "ccc"]
    assert sent(replay(messages, "one", keep_tokens=2))[1] == ["one", "ccc"]
    assert sent(
        replay(messages, "one", keep_percent=60, window_tokens=10, keep_tokens=1)
    )[1] == ["one", "bbb", "ccc"]
    assert replay(messages, keep_tokens=9).compactions == (), "all are kept"


def test_system_prompt_neither_counts_nor_goes_but_a_later_system_message_does() -> (
    None
):
    late = [*talk("a", "b"), Message("system", "late"), *talk("c", "d", "e")]
    run = replay(
        [Message("system", "be kind"), *late], "one", "two", trigger_messages=4
    )
    assert sent(run)[1:] == [["be kind", "one", "c"], ["be kind", "two", "e"]]
    assert "system: late" in run.compactions[0].prompt


def test_nothing_goes_while_summary_and_messages_are_what_may_be_kept() -> None:
    """A heading of 48, "one" and 22 of messages."""
    messages = talk("a" * 60, "b" * 10, "c" * 10, "d", "e")
    run = replay(messages, "one", trigger_messages=0, trigger_tokens=60, keep_tokens=73)
    assert reasons(run) == ["80 tokens ≥ 60"]


def test_the_forecast_waits_for_more_messages_than_are_kept() -> None:
    strategy = memviz.strategy(
        "threshold_summary", trigger_tokens=0, trigger_messages=2, keep_messages=5
    )
    run = memviz.replay(talk("a", "b"), strategy)
    assert strategy.headroom(run.requests[-1].memory.appended(2)) == (4, "messages")


@given(messages=conversations(), setting=summarization_settings.settings())
def test_the_forecast_is_what_happens(
    messages: list[Message], setting: Setting
) -> None:
    """Plain user messages with as much as it says bring a summarization, and with a little less they do not."""
    assume(any(message.role == "user" for message in messages))
    strategy = memviz.strategy("threshold_summary", **setting.ours)
    replied = [*messages, Message("assistant", "ok")]

    def run(*more: Message) -> memviz.Run:
        said = answered([*replied, *more])
        return memviz.replay(
            said, strategy, model=ScriptedModel(summaries(["."])), counter=len
        )

    before = run()
    left = strategy.headroom(before.requests[-1].memory.appended(len(replied)))
    assume(left is not None)
    assert left is not None
    assert len(run(*said_by_user(left.amount, left.unit)).compactions) > len(
        before.compactions
    )
    if left.amount > (1 if left.unit == "messages" else 0):
        less = said_by_user(left.amount - 1, left.unit)
        assert len(run(*less).compactions) == len(before.compactions)


def said_by_user(amount: int, unit: str) -> list[Message]:
    return (
        [Message("user", "x" * amount)]
        if unit == "tokens"
        else [Message("user", "")] * amount
    )
