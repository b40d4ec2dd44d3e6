"""The plain Python against memviz's engine: the same requests, byte for byte."""

from __future__ import annotations

import logging
from itertools import cycle
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memviz
from memviz import Message, ModelError, ScriptedModel
from memviz.code_export import Setting
from memviz.transcripts.samples import bundled
from tests.code_export.running import (
    load,
    requests,
    setting,
    summarize_with,
    talk,
    with_code,
)
from tests.engine.probes import SUMMARIZING
from tests.strategies.conversations import (
    answers,
    conversations,
    outcomes,
    small_parameters,
)
from tests.tables import for_each

OFF = [
    ("recent_only", {"enable_summarization": False}),
    ("summary_only", {"enable_summarization": False}),
    ("chat_summary_buffer", {"count_initial_tokens": True}),
    ("chat_summary_buffer", {"summarize_prompt": 'Keep "all" {names}.\nAnd dates.'}),
]
WITH_TOOLS = [
    name
    for name, each in bundled().items()
    if any(message.role == "tool" for message in each.messages)
]
SETTINGS = [(id, {}) for id in with_code("plain_python")] + OFF


def contexts(
    names: dict[str, Any], messages: list[Message], lengths: list[int]
) -> list[list[dict[str, Any]]]:
    """What the code sends when the log has these lengths."""
    memory, sent = names["Memory"](), []
    for length, message in enumerate(messages, start=1):
        memory.append(message.to_request())
        if length in lengths:
            sent.append(memory.context())
    return sent


def compare(
    messages: list[Message], wanted: Setting, model: Any, own: Any, **options: Any
) -> None:
    expected = requests(messages, wanted, model, **options)
    names = load("plain_python", wanted)
    names["summarize"] = own
    found = contexts(names, messages, [length for length, _ in expected])
    assert len(found) == len(expected) > 0
    for number, (mine, (_, memvizs)) in enumerate(
        zip(found, expected, strict=True), start=1
    ):
        assert mine == memvizs, f"request {number}"


@pytest.mark.parametrize(
    "counter",
    [
        "o200k_base",
        *(pytest.param(id, marks=pytest.mark.slow) for id in ("chars4", "bytes4")),
    ],
)
@pytest.mark.parametrize(("id", "parameters"), SETTINGS)
@pytest.mark.parametrize(
    "sample", [name for name in bundled() if name not in WITH_TOOLS]
)
def test_the_same_requests_as_a_replay(
    sample: str, id: str, parameters: dict[str, Any], counter: str
) -> None:
    model, transcript = memviz.model("offline"), bundled()[sample]
    wanted = setting(
        id,
        parameters=parameters,
        counter=counter,
        system_prompt=transcript.system_prompt,
    )
    compare(list(transcript.messages), wanted, model, summarize_with(model))


@pytest.mark.parametrize("sample", WITH_TOOLS)
@for_each("repair", [False, True])
@for_each(("id", "parameters"), SETTINGS)
def test_with_tools_broken_pairs_are_sent_or_left_out_as_in_the_replay(
    sample: str, id: str, parameters: dict[str, Any], repair: bool
) -> None:
    model, transcript = memviz.model("offline"), bundled()[sample]
    wanted = setting(
        id,
        parameters=parameters,
        system_prompt=transcript.system_prompt,
        repair_tool_pairs=repair,
    )
    compare(list(transcript.messages), wanted, model, summarize_with(model))


def scripted(plan: list[str]) -> Any:
    """The answers of a plan as a function to fill in."""
    items = answers(plan)

    def summarize(messages: list[dict[str, Any]]) -> str:
        item = next(items)
        if isinstance(item, BaseException):
            raise item
        return item

    return summarize


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    messages=conversations(), plan=outcomes, small=st.booleans(), repair=st.booleans()
)
@for_each("id", with_code("plain_python"))
def test_odd_conversations_and_failing_summarizers(
    id: str, messages: list[Message], plan: list[str], small: bool, repair: bool
) -> None:
    logging.disable(logging.CRITICAL)
    try:
        wanted = setting(
            id,
            parameters=small_parameters(id) if small else {},
            counter="chars4",
            system_prompt="Hi.",
            repair_tool_pairs=repair,
        )
        model = ScriptedModel(answers(plan))
        compare(messages, wanted, model, scripted(plan))
    finally:
        logging.disable(logging.NOTSET)


@given(messages=conversations())
def test_while_tools_are_under_way(messages: list[Message]) -> None:
    """After every message, not only at requests: as memviz's memory for one's own chat loop."""
    for id in ("buffer", "window", "token_buffer", "summary"):
        wanted = setting(
            id,
            parameters=small_parameters(id),
            counter="chars4",
            repair_tool_pairs=True,
        )
        names = load("plain_python", wanted)
        names["summarize"] = lambda _: "all that was said"
        model = ScriptedModel(cycle(["all that was said"]))
        memory, memvizs = (
            names["Memory"](),
            memviz.ChatMemory(wanted.strategy, model=model, counter="chars4"),
        )
        for message in messages:
            memory.append(message.to_request())
            memvizs.append(message)
            assert memory.context() == [m.to_request() for m in memvizs.load()]


def test_a_result_answers_the_newest_call_of_its_name() -> None:
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "look_up", "arguments": "{}"},
    }
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    log = [
        {"role": "user", "content": "Rain?"},
        asked,
        {"role": "user", "content": "Still there?"},
        asked,
        {"role": "tool", "content": "sunny", "tool_call_id": "a"},
        {"role": "user", "content": "And now?"},
    ]
    wanted = setting("buffer", repair_tool_pairs=True)
    memory = load("plain_python", wanted)["Memory"]()
    for message in log:
        memory.append(message)
    assert memory.context() == [log[0], *log[2:]]
    assert requests([Message.of(m) for m in log], wanted)[-1][1] == memory.context()


def test_asking_twice_summarizes_once() -> None:
    names, asked = (
        load(
            "plain_python",
            setting("chat_summary_buffer", parameters={"token_limit": 60}),
        ),
        [],
    )
    names["summarize"] = lambda messages: asked.append(messages) or "very long " * 40
    memory = names["Memory"]()
    for message in talk(4):
        memory.append(message.to_request())
        first, second = memory.context(), memory.context()
        assert first == second
    assert 0 < len(asked) < 8


@for_each("id", SUMMARIZING)
def test_a_failing_summarizer_is_asked_again_after_the_waits_of_memviz(id: str) -> None:
    plan = [
        outcome
        for failures in range(1, 7)
        for outcome in ["raise"] * failures + ["good"]
    ]
    wanted = setting(id, parameters=small_parameters(id), counter="chars4")
    model, own, messages = (
        ScriptedModel(answers(plan)),
        Mock(side_effect=scripted(plan)),
        talk(260),
    )
    compare(messages, wanted, model, own)
    assert len(plan) < own.call_count <= len(model.requests)


def test_a_failing_summarizer_is_reported_and_loses_nothing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    names = load("plain_python", setting("summary", parameters={"buffer_size": 1}))
    memory = names["Memory"]()
    for message in talk(3):
        memory.append(message.to_request())
    assert "OPENAI_API_KEY" in caplog.text
    assert memory.context() == [m.to_request() for m in talk(3)]


def test_the_summarizer_reads_what_memvizs_reads() -> None:
    for id in SUMMARIZING:
        model, asked = ScriptedModel(cycle(["S"])), []
        wanted, messages = setting(id), list(bundled()["support"].messages)
        names = load("plain_python", wanted)
        names["summarize"] = lambda sent, asked=asked: asked.append(sent) or "S"
        run = memviz.replay(messages, wanted.strategy, model=model)
        contexts(names, messages, [record.memory.length for record in run.requests])
        theirs = [
            [message.to_request() for message in request] for request in model.requests
        ]
        assert asked == theirs[: len(asked)]
        assert (
            len(asked) >= len(theirs) - 1 > 0
        )  # a replay also summarizes after the last turn


@pytest.mark.parametrize("id", with_code("plain_python"))
def test_the_example_runs(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = load("plain_python", setting(id))
    names["complete"] = lambda model, messages: (
        f"{model} heard: {messages[-1]['content']}"
    )
    names["main"]()
    assert "What is my name?" in capsys.readouterr().out


def test_a_system_prompt_over_the_limit_is_refused() -> None:
    wanted = setting(
        "chat_summary_buffer",
        system_prompt="one two three four",
        parameters={"token_limit": 2, "count_initial_tokens": True},
    )
    memory = load("plain_python", wanted)["Memory"]()
    memory.append({"role": "user", "content": "Hello"})
    with pytest.raises(ValueError, match="TOKEN_LIMIT"):
        memory.context()


def test_model_error_is_an_error_like_any_other() -> None:
    names = load("plain_python", setting("summary", parameters={"buffer_size": 1}))
    names["summarize"] = scripted(["raise"])
    with pytest.raises(ModelError):
        names["summarize"]([])
    assert names["PatientSummarizer"]().ask([], turn=1) is None
