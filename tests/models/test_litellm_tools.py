"""Tools over real HTTP calls through litellm: what the server is sent, and the calls that it streams back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import (
    BadRequestError,
    MalformedReplyError,
    ModelError,
    ServerError,
    UnknownModelError,
)
from memviz.models.base import Reply, ToolChoice, Usage
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, Tool
from tests.models import openai_server as answers
from tests.models.litellm_calls import (
    ERROR_EVENT,
    HELLO,
    NAME,
    TIMEOUT,
    Naps,
    check_sentence,
    client,
)
from tests.models.openai_server import Answer, OpenAIServer, chunk
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")

TOOLS = (RECALL_CONVERSATION, CONTINUE_THINKING)
Pieces = list[dict[str, Any]]


def piece(
    index: int | None,
    id: str | None = None,
    name: str | None = None,
    arguments: str | None = None,
) -> Any:
    """One piece of a streamed call, without what it does not say."""
    function = {"name": name, "arguments": arguments}
    out: dict[str, Any] = {
        "function": {key: value for key, value in function.items() if value is not None}
    }
    labels = {"index": index, "id": id, "type": "function" if name else None}
    return out | {key: value for key, value in labels.items() if value is not None}


def calling(
    *chunks: Pieces, text: Sequence[str] = (), finish_reason: str | None = "tool_calls"
) -> Answer:
    return answers.text(*text, tools=chunks, finish_reason=finish_reason)


def asked(
    server: OpenAIServer,
    answer: Answer,
    name: str = NAME,
    tools: Sequence[Tool] = TOOLS,
) -> Reply:
    server.then(answer)
    return client(server, name).complete(HELLO, tools)


def refused(
    server: OpenAIServer,
    answer: Answer,
    tools: Sequence[Tool] = TOOLS,
    name: str = NAME,
) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asked(server, answer, name, tools)
    check_sentence(caught.value, name)
    return caught.value


RECALL = "recall_conversation"
THINK = "continue_thinking"
WHOLE = [piece(0, "call_1", RECALL, '{"last_n": 3}')]

# Requests


@pytest.mark.parametrize("choice", ["auto", "none"])
def test_the_server_gets_tools_and_choice_in_openai_shape(
    server: OpenAIServer, choice: ToolChoice
) -> None:
    client(server).complete(HELLO, TOOLS, choice)
    body = server.requests[0].body
    assert body["tool_choice"] == choice
    assert [tool["type"] for tool in body["tools"]] == ["function", "function"]
    assert [tool["function"] for tool in body["tools"]] == [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        for tool in TOOLS
    ]


@pytest.mark.parametrize(
    "name", [NAME, "deepinfra/some/model", "fireworks_ai/some-model"]
)
@pytest.mark.parametrize("choice", ["auto", "none"])
def test_without_tools_the_request_says_nothing_of_them(
    server: OpenAIServer, name: str, choice: ToolChoice
) -> None:
    client(server, name).complete(HELLO, (), choice)
    assert set(server.requests[0].body) - {"stream_options"} == {
        "model",
        "messages",
        "stream",
    }


def test_calls_and_their_results_go_out_under_their_ids(server: OpenAIServer) -> None:
    calls = (
        ToolCall("call_1", RECALL, '{"last_n": 3}'),
        ToolCall("call_2", RECALL, '{"last_n": '),
    )
    conversation = (
        *HELLO,
        Message("assistant", "One moment.", tool_calls=calls),
        Message("tool", "3 messages", tool_call_id="call_1"),
        Message("tool", "That is no JSON.", tool_call_id="call_2"),
    )
    client(server).complete(conversation, TOOLS)
    _, caller, *results = server.requests[0].body["messages"]
    assert (caller["role"], caller["content"]) == ("assistant", "One moment.")
    assert caller["tool_calls"] == [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": RECALL, "arguments": '{"last_n": 3}'},
        },
        {
            "id": "call_2",
            "type": "function",
            "function": {"name": RECALL, "arguments": '{"last_n": '},
        },
    ]
    assert results == [
        {"role": "tool", "content": "3 messages", "tool_call_id": "call_1"},
        {"role": "tool", "content": "That is no JSON.", "tool_call_id": "call_2"},
    ]


def test_a_reply_can_be_answered_and_sent_back_as_it_came(server: OpenAIServer) -> None:
    reply = asked(
        server, calling([piece(0, None, RECALL, "")], [piece(1, None, RECALL, "{nope")])
    )
    caller = Message("assistant", reply.text, tool_calls=reply.tool_calls)
    results = [
        Message("tool", "Done.", tool_call_id=call.id) for call in reply.tool_calls
    ]
    client(server).complete((*HELLO, caller, *results), TOOLS)
    _, sent, *answered = server.requests[1].body["messages"]
    assert [call["id"] for call in sent["tool_calls"]] == [
        result["tool_call_id"] for result in answered
    ]
    assert [call["function"]["arguments"] for call in sent["tool_calls"]] == [
        "{}",
        "{nope",
    ]


@pytest.mark.parametrize("name", ["fireworks_ai/some-model", "azure_ai/some-model"])
def test_providers_that_litellm_thinks_know_no_tool_choice_are_asked_all_the_same(
    server: OpenAIServer, name: str
) -> None:
    reply = asked(server, calling(WHOLE), name)
    assert [call.name for call in reply.tool_calls] == [RECALL]
    assert server.requests[0].body["tool_choice"] == "auto"


# Calls, however they are streamed

ONE = (ToolCall("a", RECALL, '{"last_n": 3}'),)
TWO = (*ONE, ToolCall("b", THINK, '{"reason": "x"}'))
TWICE = (*ONE, ToolCall("b", RECALL, '{"last_n": 4}'))
WHOLE_A, WHOLE_B = '{"last_n": 3}', '{"reason": "x"}'
SHAPES: dict[str, tuple[tuple[Pieces, ...], tuple[ToolCall, ...]]] = {
    "whole in one chunk": (([piece(0, "a", RECALL, WHOLE_A)],), ONE),
    "in pieces": (
        (
            [piece(0, "a", RECALL, "")],
            [piece(0, None, None, '{"last')],
            [piece(0, None, None, '_n": 3}')],
        ),
        ONE,
    ),
    "parallel, whole": (
        ([piece(0, "a", RECALL, WHOLE_A)], [piece(1, "b", THINK, WHOLE_B)]),
        TWO,
    ),
    "parallel, in one chunk": (
        ([piece(0, "a", RECALL, WHOLE_A), piece(1, "b", THINK, WHOLE_B)],),
        TWO,
    ),
    "indexes from 1": (
        ([piece(1, "a", RECALL, WHOLE_A)], [piece(2, "b", THINK, WHOLE_B)]),
        TWO,
    ),
    "interleaved": (
        (
            [piece(0, "a", RECALL, "")],
            [piece(1, "b", THINK, "")],
            [piece(0, None, None, '{"last'), piece(1, None, None, '{"reas')],
            [piece(1, None, None, 'on": "x"}')],
            [piece(0, None, None, '_n": 3}')],
        ),
        TWO,
    ),
    "no index": (
        ([piece(None, "a", RECALL, WHOLE_A)], [piece(None, "b", THINK, WHOLE_B)]),
        TWO,
    ),
    "no index, one chunk": (
        ([piece(None, "a", RECALL, WHOLE_A), piece(None, "b", THINK, WHOLE_B)],),
        TWO,
    ),
    "no index, in pieces": (
        (
            [piece(None, "a", RECALL, "")],
            [piece(None, None, None, WHOLE_A)],
            [piece(None, "b", THINK, "")],
            [piece(None, None, None, WHOLE_B)],
        ),
        TWO,
    ),
    "always index 0": (
        ([piece(0, "a", RECALL, WHOLE_A)], [piece(0, "b", RECALL, '{"last_n": 4}')]),
        TWICE,
    ),
    "always index 0, interleaved under their ids": (
        (
            [piece(0, "a", RECALL, '{"last')],
            [piece(0, "b", THINK, '{"reas')],
            [piece(0, "a", None, '_n": 3}')],
            [piece(0, "b", None, 'on": "x"}')],
        ),
        TWO,
    ),
    "id and name with every piece": (
        ([piece(0, "a", RECALL, '{"last')], [piece(0, "a", RECALL, '_n": 3}')]),
        ONE,
    ),
    "another id with every piece": (
        ([piece(0, "a", RECALL, '{"last')], [piece(0, "z", None, '_n": 3}')]),
        ONE,
    ),
    "name without id at the end": (
        ([piece(0, "a", RECALL, WHOLE_A)], [piece(0, "", RECALL, "")]),
        ONE,
    ),
    "id after the name": (
        ([piece(0, None, RECALL, "")], [piece(0, "a", RECALL, WHOLE_A)]),
        ONE,
    ),
}


@for_each("shape", SHAPES)
def test_calls_are_put_together_however_they_are_streamed(
    server: OpenAIServer, shape: str
) -> None:
    chunks, calls = SHAPES[shape]
    reply = asked(server, calling(*chunks))
    assert reply.tool_calls == calls
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")


@for_each("content", [None, "Let me look."])
def test_everything_in_the_very_last_chunk(
    server: OpenAIServer, content: str | None
) -> None:
    last = chunk(
        {"role": "assistant", "content": content, "tool_calls": WHOLE}, "tool_calls"
    )
    reply = asked(server, answers.events(last))
    assert reply.tool_calls == (ToolCall("call_1", RECALL, '{"last_n": 3}'),)
    assert (reply.text, reply.finish_reason) == (content or "", "tool_calls")


def test_text_before_a_call_streams_and_is_kept(server: OpenAIServer) -> None:
    server.then(calling(WHOLE, text=("Let me ", "look.")))
    *pieces, reply = client(server).stream(HELLO, TOOLS)
    assert pieces == ["Let me ", "look."]
    assert isinstance(reply, Reply)
    assert (reply.text, len(reply.tool_calls)) == ("Let me look.", 1)


@for_each("said", ["tool_calls", "stop", "function_call"])
def test_a_reply_that_calls_says_so_whatever_the_server_says(
    server: OpenAIServer, said: str
) -> None:
    assert (
        asked(server, calling(WHOLE, finish_reason=said)).finish_reason == "tool_calls"
    )


def test_the_usage_and_cost_of_a_calling_reply_are_those_of_any_other(
    server: OpenAIServer,
) -> None:
    reply = asked(server, calling(WHOLE))
    assert reply.usage == Usage(1000, 100)
    assert reply.cost_usd == pytest.approx(1000 * 0.15e-6 + 100 * 0.6e-6)


# Arguments


@for_each(
    "arguments",
    [
        '{"last_n": 3',
        "{'last_n': 3}",
        "three",
        '{"last_n": 3}}',
        ' {"a": 1}\n',
        "[" * 100_000,
    ],
)
def test_arguments_stay_as_the_model_wrote_them(
    server: OpenAIServer, arguments: str
) -> None:
    (call,) = asked(server, calling([piece(0, "a", RECALL, arguments)])).tool_calls
    assert call.arguments == arguments


@for_each("arguments", ["", " \n", None])
def test_no_arguments_are_an_empty_object(
    server: OpenAIServer, arguments: str | None
) -> None:
    (call,) = asked(server, calling([piece(0, "a", RECALL, arguments)])).tool_calls
    assert call.arguments == "{}"


# Ids


@for_each("id", [None, ""])
def test_calls_without_an_id_get_one_each(server: OpenAIServer, id: str | None) -> None:
    pieces = [piece(index, id, RECALL, '{"last_n": 3}') for index in range(3)]
    calls = asked(server, calling(*([one] for one in pieces))).tool_calls
    assert len({call.id for call in calls}) == 3
    assert all(call.id.isalnum() and len(call.id) == 9 for call in calls)


def test_an_id_made_up_here_is_no_other_in_the_next_reply(server: OpenAIServer) -> None:
    chunks = [piece(0, None, RECALL, "{}")]
    assert (
        asked(server, calling(chunks)).tool_calls[0].id
        != asked(server, calling(chunks)).tool_calls[0].id
    )


def test_calls_that_share_an_id_are_told_apart(server: OpenAIServer) -> None:
    first, second = asked(
        server, calling([piece(0, "a", RECALL, "{}")], [piece(1, "a", THINK, "{}")])
    ).tool_calls
    assert (first.id, first.name, second.name) == ("a", RECALL, THINK)
    assert second.id not in ("", "a")


@for_each(
    ("first", "other"),
    [
        ('{"last_n": 3}', (RECALL, '{"last_n": 4}')),
        ('{"last_n": 3}', (THINK, "{}")),
        ("", (THINK, "{}")),
    ],
)
def test_calls_with_neither_index_nor_id_are_told_apart(
    server: OpenAIServer, first: str, other: tuple[str, str]
) -> None:
    calls = asked(
        server, calling([piece(None, None, RECALL, first)], [piece(None, None, *other)])
    ).tool_calls
    assert [(call.name, call.arguments) for call in calls] == [
        (RECALL, first or "{}"),
        other,
    ]


@for_each("names", [(RECALL, RECALL), (RECALL, None), (None, RECALL)])
def test_a_call_with_neither_index_nor_id_in_pieces_is_one(
    server: OpenAIServer, names: tuple[str | None, str | None]
) -> None:
    parts = zip(names, ('{"last', '_n": 3}'), strict=True)
    (call,) = asked(
        server, calling(*([piece(None, None, name, part)] for name, part in parts))
    ).tool_calls
    assert (call.name, call.arguments) == (RECALL, '{"last_n": 3}')


# Half calls

HALF = [piece(0, "a", RECALL, '{"last')]


def cut_within_the_arguments(handler: Any) -> None:
    handler.start_events()
    handler.send_event(chunk({"tool_calls": HALF}))
    handler.server.closing.wait(
        0.05
    )  # a reset may overtake what is still on its way to the client
    handler.reset_connection()


BREAKS: dict[str, tuple[Answer, type[ModelError], str]] = {
    "cut": (cut_within_the_arguments, ServerError, "broke off"),
    "end without a finish": (
        answers.events(chunk({"tool_calls": HALF}), done=False),
        ServerError,
        "broke off",
    ),
    "error event": (
        answers.events(chunk({"tool_calls": HALF}), ERROR_EVENT),
        ServerError,
        "overloaded",
    ),
    "output limit": (
        calling(HALF, finish_reason="length"),
        MalformedReplyError,
        "before it completed a tool call",
    ),
    "limit before arguments": (
        calling([piece(0, "a", RECALL)], finish_reason="length"),
        MalformedReplyError,
        "limit",
    ),
    "limit far inside": (
        calling([piece(0, "a", RECALL, "[" * 100_000)], finish_reason="length"),
        ModelError,
        "limit",
    ),
    "content filter": (
        calling(HALF, finish_reason="content_filter"),
        BadRequestError,
        "withheld",
    ),
    "limit in the second call": (
        calling(WHOLE, [piece(1, "b", THINK, "{")], finish_reason="length"),
        ModelError,
        "lim",
    ),
}


@for_each("fault", BREAKS)
def test_half_a_call_is_an_error(server: OpenAIServer, fault: str) -> None:
    answer, kind, words = BREAKS[fault]
    error = refused(server, answer)
    assert isinstance(error, kind)
    assert words in str(error)
    assert error.partial == ""


def test_the_text_before_half_a_call_is_kept_with_the_error(
    server: OpenAIServer,
) -> None:
    assert (
        refused(
            server, calling(HALF, text=("Let me look.",), finish_reason=None)
        ).partial
        == "Let me look."
    )


@for_each("finish_reason", ["length", "content_filter"])
def test_a_whole_call_counts_even_if_the_model_was_stopped_after_it(
    server: OpenAIServer, finish_reason: str
) -> None:
    reply = asked(server, calling(WHOLE, finish_reason=finish_reason))
    assert (len(reply.tool_calls), reply.finish_reason) == (1, finish_reason)


def test_nothing_of_half_a_call_is_left_in_the_next_try(server: OpenAIServer) -> None:
    server.then(cut_within_the_arguments, calling([piece(0, "b", RECALL, "{}")]))
    naps = Naps()
    reply = client(server, retries=1, sleep=naps).complete(HELLO, TOOLS)
    assert reply.tool_calls == (ToolCall("b", RECALL, "{}"),)
    assert (len(server.requests), len(naps)) == (2, 1)
    assert server.requests[0].body == server.requests[1].body


def test_a_call_without_a_name_is_an_error_even_after_text(
    server: OpenAIServer,
) -> None:
    error = refused(
        server, calling([piece(0, "a", None, "{}")], text=("Let me look.",))
    )
    assert type(error) is MalformedReplyError
    assert "empty name" in str(error)
    assert error.partial == "Let me look."


# Models that take no tools

REFUSALS = {
    "Ollama": (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
    "vLLM": (
        400,
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ),
    "OpenRouter": (
        404,
        "No endpoints found that support tool use. To learn more, visit the documentation",
    ),
    "DeepInfra": (405, "Tool calling is not supported for model: some/model"),
    "llama.cpp": (500, "tools param requires --jinja flag"),
    "llama.cpp, older": (500, "Unsupported param: tools"),
    "OpenAI": (
        400,
        "tools is not supported in this model. For a list of supported models, refer to the guide",
    ),
    "OpenAI, parameter": (
        400,
        "Unsupported parameter: 'tools' is not supported with this model.",
    ),
    "OpenAI, argument": (400, "Unrecognized request argument supplied: tools"),
    "Mistral": (400, "Function calling is not enabled for this model"),
    "Bedrock": (400, "This model doesn't support tool use in streaming mode."),
    "DeepSeek": (400, "deepseek-reasoner does not support Function Calling"),
    "strict server": (422, "tools: Extra inputs are not permitted"),
    "plain": (501, "Tool use is currently unsupported"),
    "plain, use": (400, "Tool use is not supported here"),
    "plain, choice": (400, "'tool_choice' is not supported by this model"),
    "plain, yet": (400, "Tools are not yet supported"),
}


@pytest.mark.parametrize("provider", REFUSALS)
def test_a_server_that_takes_no_tools_is_one_error_that_says_what_to_do(
    server: OpenAIServer, provider: str
) -> None:
    code, message = REFUSALS[provider]
    naps = Naps()
    server.then(answers.status(code, message))
    with pytest.raises(BadRequestError) as caught:
        client(server, retries=2, sleep=naps).complete(HELLO, TOOLS)
    assert type(caught.value) is BadRequestError
    assert f"Model {NAME} takes no tools (" in str(caught.value)
    assert str(caught.value).endswith(
        ": turn the recall tool off, or choose another model."
    )
    assert message.rstrip(".") in str(caught.value)
    check_sentence(caught.value)
    assert (len(server.requests), naps) == (1, [])


@pytest.mark.parametrize("name", ["perplexity/sonar", "sambanova/some-model"])
def test_a_provider_that_litellm_knows_to_take_no_tools_is_not_even_asked(
    server: OpenAIServer, name: str
) -> None:
    error = refused(server, answers.text("Hello"), name=name)
    assert type(error) is BadRequestError
    assert f"Model {name} takes no tools (" in str(error)
    assert "drop" not in str(error)
    assert server.requests == []


@for_each("name", ["perplexity/sonar", "sambanova/some-model"])
def test_without_tools_such_a_provider_answers(server: OpenAIServer, name: str) -> None:
    assert asked(server, answers.text("Hello"), name, ()).text == "Hello"


def test_another_option_that_litellm_refuses_is_told_without_advice_about_litellm(
    server: OpenAIServer,
) -> None:
    with pytest.raises(BadRequestError) as caught:
        client(server, "perplexity/sonar", logit_bias={"1": 1}).complete(HELLO)
    assert "logit_bias" in str(caught.value)
    assert "tools" not in str(caught.value)
    check_sentence(caught.value, "perplexity/sonar")


OTHER_FAULTS = {
    "no result": "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    "schema": "Invalid schema for function 'recall_conversation': In context=(), 'minimum' is not permitted.",
    "name": "Invalid 'tools[0].function.name': string does not match pattern.",
    "path": "tools.0.custom.input_schema: 'minimum' is not supported",
    "option": "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    "temperature": "temperature is not supported with this model",
    "images": "This model does not support image input. Use a tool.",
}


@pytest.mark.parametrize("fault", OTHER_FAULTS)
def test_what_is_wrong_with_a_tool_is_not_taken_for_a_model_without_tools(
    server: OpenAIServer, fault: str
) -> None:
    error = refused(server, answers.status(400, OTHER_FAULTS[fault]))
    assert type(error) is BadRequestError
    assert "refused the request" in str(error)
    assert OTHER_FAULTS[fault][:40] in str(error)


def test_where_no_tools_were_offered_none_are_to_blame(server: OpenAIServer) -> None:
    code, message = REFUSALS["OpenRouter"]
    assert type(refused(server, answers.status(code, message), ())) is UnknownModelError


def test_tools_among_the_options_count_as_offered(server: OpenAIServer) -> None:
    server.then(answers.status(*REFUSALS["Ollama"]))
    model = client(server, tools=[RECALL_CONVERSATION.to_request()], timeout=TIMEOUT)
    with pytest.raises(BadRequestError, match="takes no tools"):
        model.complete(HELLO)
