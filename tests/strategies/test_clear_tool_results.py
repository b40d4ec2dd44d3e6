"""Old tool results give way to a placeholder, as LangChain and Anthropic do it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, ToolCall
from tests.strategies.conversations import COUNTERS, answered
from tests.strategies.libraries import clearing_reference
from tests.strategies.libraries.conversations import TOOLS, conversations
from tests.tool_loops import loops

NAMES = {
    "trigger": "trigger_tokens", "keep": "keep_results", "clear_at_least": "clear_at_least_tokens",
    "clear_tool_inputs": "clear_arguments", "placeholder": "placeholder",
}  # fmt: skip
"""Names of LangChain's parameters, and those here."""

parameters = st.fixed_dictionaries(
    {
        "trigger": st.integers(0, 80),
        "keep": st.integers(0, 4),
        "clear_at_least": st.sampled_from([0, 0, 1, 5, 10, 30]),
        "clear_tool_inputs": st.booleans(),
        "exclude_tools": st.sampled_from([(), (), TOOLS[:1], TOOLS[1:]]),
        "placeholder": st.sampled_from(
            ["[cleared]", "", "a longer text than many of the results have"]
        ),
    }
)


def replay(
    messages: list[Message], rule: str, counter: str, theirs: dict[str, Any]
) -> memviz.Run:
    ours = {name: theirs[other] for other, name in NAMES.items()}
    excluded = ", ".join(theirs["exclude_tools"])
    strategy = memviz.strategy(
        "clear_tool_results", rule=rule, excluded_tools=excluded, **ours
    )
    return memviz.replay(messages, strategy, counter=counter)


def sent(run: memviz.Run) -> list[list[Message]]:
    return [list(record.context.messages) for record in run.requests]


@given(
    messages=conversations(), parameters=parameters, counter=st.sampled_from(COUNTERS)
)
def test_each_request_is_what_langchain_sends(
    messages: list[Message], parameters: Any, counter: str
) -> None:
    pytest.importorskip("langchain.agents.middleware")
    from tests.strategies.libraries import langchain_runner

    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    run = replay(messages, "stop", counter, parameters)
    assert sent(run) == langchain_runner.cleared_requests(
        messages, memviz.counter(counter), **parameters
    )


@given(
    messages=conversations(),
    parameters=parameters,
    counter=st.sampled_from(COUNTERS),
    rule=st.sampled_from(["stop", "gate", "gate"]),
)
def test_each_request_is_what_the_rule_says(
    messages: list[Message], parameters: Any, counter: str, rule: str
) -> None:
    assume(any(message.role == "user" for message in messages))
    messages = answered(messages)
    expected = clearing_reference.cleared_requests(
        messages, memviz.counter(counter), rule, **parameters
    )
    run = replay(messages, rule, counter, parameters)
    assert sent(run) == expected
    assert_records_agree(run, memviz.counter(counter))


def assert_records_agree(run: memviz.Run, count: memviz.core.counters.Counter) -> None:
    """Tokens, fates and compactions say what the messages show."""
    fates = run.fates()
    for row, record in enumerate(run.requests):
        said = [
            (b.indices, b.messages)
            for b in record.context.blocks
            if b.kind in ("history", "input")
        ]
        assert record.tokens["history"] + record.tokens["input"] == sum(
            count(m.content) for _, ms in said for m in ms
        )
        for indices, messages in said:
            for position, message in zip(indices, messages, strict=True):
                expected = (
                    Fate.VERBATIM if message == run.log[position] else Fate.CLEARED
                )
                assert fates[row, position] == expected, (row, position)
    for compaction in run.compactions:
        assert (compaction.kind, compaction.request, compaction.error) == (
            "cleared",
            (),
            None,
        )
        assert len(compaction.summarized)


def talk(*results: str, tool: str = "look_up") -> list[Message]:
    """One turn in which the model calls a tool once for each result."""
    said = [Message("user", "?")]
    for number, result in enumerate(results):
        said.append(
            Message(
                "assistant", "", tool_calls=(ToolCall(str(number), tool, '{"q": 1}'),)
            )
        )
        said.append(Message("tool", result, tool_call_id=str(number)))
    return [*said, Message("assistant", "done"), Message("user", "and?")]


def contents(record: memviz.TurnRecord) -> list[str]:
    return [
        message.content for message in record.context.messages if message.role == "tool"
    ]


def cleared(messages: list[Message], **parameters: Any) -> memviz.Run:
    return memviz.replay(
        answered(messages),
        memviz.strategy("clear_tool_results", **parameters),
        counter=len,
    )


def test_clears_above_the_trigger_and_not_at_it() -> None:
    """1 + 10 + 10 characters before the third request."""
    messages = talk("a" * 10, "b" * 10)
    assert contents(
        cleared(messages, trigger_tokens=21, keep_results=1).requests[2]
    ) == ["a" * 10, "b" * 10]
    run = cleared(messages, trigger_tokens=20, keep_results=1)
    assert contents(run.requests[2]) == ["[cleared]", "b" * 10]
    assert [
        (c.kind, c.reason, list(c.summarized), c.after_message) for c in run.compactions
    ] == [("cleared", "21 tokens > 20", [2], 4)]
    assert [c.tokens_before - c.tokens_after for c in run.compactions] == [1]


def test_the_trigger_counts_what_was_cleared_as_if_it_were_there() -> None:
    """After the first clearing 1 + 9 + 9 + 10 tokens are sent, fewer than 30, and the next result is cleared all the
    same."""
    run = cleared(talk(*["x" * 10] * 5), trigger_tokens=30, keep_results=1)
    assert [c.reason for c in run.compactions] == [
        "31 tokens > 30",
        "41 tokens > 30",
        "51 tokens > 30",
    ]
    assert contents(run.requests[-1]) == ["[cleared]"] * 4 + ["x" * 10]


def test_stop_is_satisfied_for_ever_and_gate_waits() -> None:
    """Each cleared result saves 11 of 20 characters. *stop* at 22 clears two, and no third one however long the
    conversation gets; *gate* at 33 waits for three."""
    messages = talk(*["x" * 20] * 6)
    options = {"trigger_tokens": 0, "keep_results": 0}
    stop = cleared(messages, clear_at_least_tokens=22, **options)
    assert [contents(record).count("[cleared]") for record in stop.requests] == [
        0,
        1,
        2,
        2,
        2,
        2,
        2,
        2,
    ]
    gate = cleared(messages, clear_at_least_tokens=33, rule="gate", **options)
    assert [contents(record).count("[cleared]") for record in gate.requests] == [
        0,
        0,
        0,
        3,
        4,
        5,
        6,
        6,
    ]


def test_the_gate_closes_again_where_placeholders_are_longer_than_results() -> None:
    """The first result saves 11, each of the others costs 8."""
    messages = talk("x" * 20, "y", "y")
    run = cleared(
        messages,
        trigger_tokens=0,
        keep_results=0,
        clear_at_least_tokens=10,
        rule="gate",
    )
    assert [contents(record).count("[cleared]") for record in run.requests] == [
        0,
        1,
        0,
        0,
        0,
    ]
    assert [c.reason for c in run.compactions] == [
        "21 tokens > 0",
        "only 3 tokens would go < 10",
    ]


def test_results_that_the_model_waits_for_are_cleared_too() -> None:
    """Four calls at once, of which three results are kept: what the first returned is never seen by the model."""
    calls = tuple(ToolCall(str(n), "look_up", "{}") for n in range(4))
    results = [Message("tool", "abcd"[n] * 20, tool_call_id=str(n)) for n in range(4)]
    messages = [
        Message("user", "?"),
        Message("assistant", "", tool_calls=calls),
        *results,
        Message("assistant", "!"),
    ]
    run = cleared(messages, trigger_tokens=0)
    assert contents(run.requests[1]) == ["[cleared]", "b" * 20, "c" * 20, "d" * 20]
    assert [block.kind for block in run.requests[1].context.blocks] == [
        "history",
        "input",
    ]
    assert Fate(run.fates()[1, 2]) == Fate.CLEARED


def test_only_the_arguments_of_cleared_results_are_emptied() -> None:
    calls = (ToolCall("a", "look_up", '{"q": 1}'), ToolCall("b", "look_up", '{"q": 2}'))
    messages = [
        Message("user", "?"),
        Message("assistant", "", tool_calls=calls),
        Message("tool", "one", tool_call_id="a"),
        Message("tool", "two", tool_call_id="b"),
        Message("assistant", "!"),
    ]
    run = cleared(messages, trigger_tokens=0, keep_results=1, clear_arguments=True)
    caller = run.requests[1].context.messages[1]
    assert [call.arguments for call in caller.tool_calls] == ["{}", '{"q": 2}']


def test_orphans_and_excluded_results_stay_and_count_as_kept() -> None:
    messages = talk("x" * 20, "y" * 20)
    messages[4] = Message("tool", "z" * 20, tool_call_id="nobody's")
    run = cleared(messages, trigger_tokens=0, keep_results=1)
    assert contents(run.requests[-1]) == ["[cleared]", "z" * 20]
    run = cleared(
        talk("x" * 20, "y" * 20),
        trigger_tokens=0,
        keep_results=0,
        excluded_tools="book, look_up",
    )
    assert run.compactions == ()


def test_the_name_that_a_result_bears_decides_whether_it_is_excluded() -> None:
    messages = talk("x" * 20)
    messages[2] = Message("tool", "x" * 20, tool_call_id="0", name="book")
    options = {"trigger_tokens": 0, "keep_results": 0, "clear_arguments": True}
    assert cleared(messages, excluded_tools="book", **options).compactions == ()
    run = cleared(messages, excluded_tools="look_up", **options)
    assert contents(run.requests[-1]) == ["[cleared]"]
    assert run.requests[-1].context.messages[1].tool_calls[0].arguments == "{}"


def test_no_summarizer_is_asked_and_nothing_is_lost_from_the_log() -> None:
    strategy = memviz.strategy("clear_tool_results", trigger_tokens=10, keep_results=0)
    assert not strategy.writes_notes
    model = memviz.ScriptedModel([])
    messages = loops(3, 3)
    run = memviz.replay(messages, strategy, model=model, counter="chars4")
    assert model.requests == []
    assert list(run.log) == messages
    assert memviz.Run.from_dict(run.to_dict()).to_dict() == run.to_dict()
    assert sent(memviz.Run.from_dict(run.to_dict())) == sent(run)


def test_forecast_ends_where_the_next_result_decides() -> None:
    chat = memviz.Chat(
        memviz.strategy("clear_tool_results", trigger_tokens=40, keep_results=1),
        counter=len,
        model=memviz.ScriptedModel([]),
    )
    assert chat.headroom() is None, "there is nothing to clear yet"
    for rule in ("stop", "gate"):
        strategy = memviz.strategy(
            "clear_tool_results", trigger_tokens=40, keep_results=1, rule=rule
        )
        run = memviz.replay(answered(talk("a" * 10, "b" * 10)), strategy, counter=len)
        left = strategy.headroom(run.requests[-1].memory)
        assert (left.amount, left.unit) == (41 - 29, "tokens")


def test_a_rule_is_one_of_two_and_is_named_where_it_is_not_the_usual_one() -> None:
    with pytest.raises(
        memviz.ParameterError, match=r"'rule' .*'never'.*one of stop, gate"
    ):
        memviz.strategy("clear_tool_results", rule="never")
    strategy = memviz.strategy("clear_tool_results", rule="gate")
    assert (
        strategy.label == "Clear tool results · 100,000 tokens · rule gate (Anthropic)"
    )
    assert (
        strategy.code_label
        == "Clear tool results · trigger_tokens=100000 · rule='gate'"
    )
    other = memviz.strategy("clear_tool_results", clear_at_least_tokens=500)
    assert (
        other.label == "Clear tool results · 100,000 tokens · clear at least 500 tokens"
    )
    assert [value for value, _ in strategy.parameters()[3].choices] == ["stop", "gate"]
