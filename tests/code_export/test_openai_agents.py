"""The code for the OpenAI Agents SDK, run with that library where it is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.running import (
    load,
    pairs,
    requests,
    setting,
    summarize_with,
    talk,
    texts,
    with_code,
)

pytest.importorskip(
    "agents", reason="the OpenAI Agents SDK (openai-agents) is not installed"
)

from agents import Agent, ModelResponse, Runner, SQLiteSession, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)


def said(text: str) -> list[Any]:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return [
        ResponseOutputMessage(
            id="m", content=[part], role="assistant", status="completed", type="message"
        )
    ]


class Answering(Model):
    """Gives prepared outputs in turn, and keeps what was sent to it."""

    def __init__(self, outputs: Iterator[list[Any]]) -> None:
        self.outputs, self.inputs, self.instructions = outputs, [], []  # type: ignore[var-annotated]

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **options: Any
    ) -> ModelResponse:
        self.instructions.append(system_instructions)
        self.inputs.append(input)
        return ModelResponse(output=next(self.outputs), usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    @property
    def requests(self) -> list[list[tuple[str, str]]]:
        return [
            [(role_of(item), text_of(item)) for item in sent] for sent in self.inputs
        ]


def role_of(item: dict[str, Any]) -> str:
    return str(
        item.get(
            "role",
            "tool" if item.get("type") == "function_call_output" else "assistant",
        )
    )


def text_of(item: dict[str, Any]) -> str:
    content = item.get("content", item.get("output", ""))
    return (
        content
        if isinstance(content, str)
        else "".join(part["text"] for part in content)
    )


def numbered() -> Iterator[str]:
    return (f"Summary {number}" for number in count(1))


def names_of(wanted: Setting) -> dict[str, Any]:
    names, summaries = load("openai_agents", wanted), numbered()
    if "summarize" in names:
        names["summarize"] = lambda messages: next(summaries)
    return names


def held(wanted: Setting, talked: list[Message]) -> tuple[Answering, list[Any]]:
    """A conversation under the exported run configuration: what the model was sent, and what the session keeps."""
    names = names_of(wanted)
    model = Answering(said(reply) for _, reply in pairs(talked))
    config = replace(names["run_config"](), model=model, tracing_disabled=True)

    async def talking() -> list[Any]:
        agent, session = (
            Agent(name="Assistant", instructions=names["SYSTEM_PROMPT"]),
            SQLiteSession("one"),
        )
        for question, _ in pairs(talked):
            await Runner.run(agent, question, session=session, run_config=config)
        return await session.get_items()

    return model, asyncio.run(talking())


def simulated(wanted: Setting, talked: list[Message]) -> list[list[tuple[str, str]]]:
    return [
        texts(sent) for _, sent in requests(talked, wanted, ScriptedModel(numbered()))
    ]


@pytest.mark.parametrize("counter", ["o200k_base", "chars4"])
@pytest.mark.parametrize("id", with_code("openai_agents"))
def test_the_agent_sends_what_memviz_simulated_and_the_session_keeps_everything(
    id: str, counter: str
) -> None:
    talked = list(bundled()["trip"].messages)
    wanted = setting(id, counter=counter, system_prompt="Be kind.")
    model, kept = held(wanted, talked)
    assert model.requests == [sent[1:] for sent in simulated(wanted, talked)]
    assert set(model.instructions) == {"Be kind."}
    assert [text_of(item) for item in kept] == [message.content for message in talked]


@pytest.mark.parametrize(
    ("id", "parameters"),
    [("window", {"window_size": 1}), ("token_buffer", {"max_tokens": 3})],
)
def test_the_question_is_always_sent(id: str, parameters: dict[str, int]) -> None:
    wanted = setting(id, parameters=parameters)
    assert held(wanted, talk(3))[0].requests == simulated(wanted, talk(3))


def calls(text: str, number: int) -> list[Any]:
    return [
        ResponseFunctionToolCall(
            call_id=f"c{number}", name="look_up", arguments="{}", type="function_call"
        )
    ]


@function_tool
def look_up() -> str:
    """Look it up."""
    return "sunny all day"


@pytest.mark.parametrize("id", ["summary", "window"])
def test_within_a_run_with_tools(id: str) -> None:
    small = {"summary": {"buffer_size": 1}, "window": {"window_size": 3}}[id]
    names = names_of(setting(id, parameters=small, repair_tool_pairs=True))
    outputs = [
        output
        for n in range(3)
        for output in (calls("", n), calls("", n + 10), said(f"reply {n}"))
    ]
    model = Answering(iter(outputs))
    config = replace(names["run_config"](), model=model, tracing_disabled=True)

    async def talking() -> None:
        agent, session = Agent(name="Assistant", tools=[look_up]), SQLiteSession("two")
        for n in range(3):
            await Runner.run(agent, f"question {n}", session=session, run_config=config)

    asyncio.run(talking())
    for number, sent in enumerate(model.inputs):
        if (
            id == "window"
        ):  # the running summary may take in the question once the model has called a tool
            assert f"question {number // 3}" in [text_of(item) for item in sent]
        results = {
            item["call_id"]
            for item in sent
            if item.get("type") == "function_call_output"
        }
        assert {
            item["call_id"] for item in sent if item.get("type") == "function_call"
        } == results
    if (
        id == "window"
    ):  # named: what the agent does within the run comes on top of the window
        assert "comes on top of it" in targets()["openai_agents"].write(
            setting(id)
        ).replace("\n#   ", " ")
        assert max(map(len, model.inputs)) > 3


def test_tool_calls_stay_whole() -> None:
    talked, model = list(bundled()["support"].messages), memviz.model("offline")
    wanted = setting("summary", repair_tool_pairs=True)
    names = load("openai_agents", wanted)
    names["summarize"] = summarize_with(model)
    items: list[dict[str, Any]] = []
    for message in talked:
        if message.role == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message.tool_call_id,
                    "output": message.content,
                }
            )
            continue
        items.append({"type": "reasoning", "id": f"r{len(items)}", "summary": []})
        if message.content:
            items.append(
                {
                    "role": message.role,
                    "content": [{"type": "output_text", "text": message.content}],
                }
            )
        items += [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
            }
            for call in message.tool_calls
        ]
    messages = names["convert_items"](items)
    assert [item for m in messages for item in m["items"]] == items
    assert [m["content"] for m in messages if m["content"]] == [
        m.content for m in talked if m.content
    ]
    read = [Message.of(message) for message in messages]
    memory, expected = names["Memory"](), dict(requests(read, wanted, model))
    for length, message in enumerate(messages, start=1):
        memory.append(message)
        if length in expected:
            assert texts(memory.context()) == texts(expected[length])
    assert all(m["items"][-1].get("type") != "reasoning" for m in messages)


def test_another_conversation_starts_anew() -> None:
    names = names_of(setting("summary", parameters={"buffer_size": 1}))
    from agents.run import CallModelData, ModelInputData

    input_filter = names["run_config"]().call_model_input_filter

    def sent(messages: list[Message]) -> list[Any]:
        items = [{"role": m.role, "content": m.content} for m in messages]
        data = CallModelData(
            ModelInputData(input=items, instructions=None), Agent(name="A"), None
        )
        return asyncio.run(input_filter(data)).input

    first, other = talk(4)[:-1], [Message("user", "Something else entirely")]
    assert sent(first)[0]["content"].startswith(
        "Summary of earlier conversation: Summary "
    )
    assert sent(other) == [{"role": "user", "content": "Something else entirely"}]


def test_a_model_of_another_provider_goes_by_litellm() -> None:
    wanted = setting("summary", summarizer="anthropic/claude-sonnet-4-5")
    text = targets()["openai_agents"].write(wanted)
    assert "pip install 'openai-agents[litellm]'" in text
    assert "litellm.completion(model=SUMMARIZER_MODEL, messages=messages)" in text


@pytest.mark.parametrize("id", with_code("openai_agents"))
def test_the_example_runs(
    id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    names = names_of(setting(id))
    config = names["run_config"]
    names["run_config"] = lambda: replace(
        config(),
        model=Answering(said("I am fine.") for _ in count()),
        tracing_disabled=True,
    )
    asyncio.run(names["main"]())
    assert capsys.readouterr().out == "I am fine.\n" * 2
