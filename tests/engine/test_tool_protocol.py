"""The recalls of a model over real HTTP: what a provider gets to see, request by request, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import memviz
from memviz.core.model_errors import MalformedReplyError, ServerError
from memviz.models.tools import TOOLS
from tests.engine.calling import RECALL, THINK, recalled
from tests.engine.probes import Digest
from tests.models import openai_server as answers
from tests.models.openai_server import Answer, OpenAIServer, openai_server
from tests.tables import for_each

CLEAR = "Recalled 2 messages. They stand right before the user's last message."
FIRST_TURN = [
    {"role": "user", "content": "My cat is Kira."},
    {"role": "assistant", "content": "Noted."},
]
QUESTION = {"role": "user", "content": "What is my cat's name?"}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


def chat_on(server: OpenAIServer, *script: Answer, **parameters: Any) -> memviz.Chat:
    """A chat of one turn whose model is behind ``server``; the server's next answers are ``script``."""
    model = memviz.model(
        "openai/gpt-4o-mini",
        api_key="sk-nobody",
        api_base=server.api_base,
        timeout=20.0,
        retries=0,
    )
    chat = memviz.Chat(
        memviz.strategy("summary_only", **parameters), model=model, summarizer=Digest()
    )
    without = memviz.strategy("summary_only", enable_recall=False)
    server.then(answers.text("Noted."))
    allowed, _ = chat.strategy, chat.change_strategy(without)
    chat.send("My cat is Kira.")
    chat.change_strategy(allowed)
    server.requests.clear()
    server.then(*script)
    return chat


def ask(chat: memviz.Chat) -> memviz.TurnRecord:
    return chat.send(str(QUESTION["content"]))


def piece(
    index: int, id: str | None = None, name: str | None = None, arguments: str = ""
) -> dict[str, Any]:
    """One piece of a streamed call: the first has id and name, the others bits of the arguments."""
    function = (
        {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    )
    return {"index": index, "function": function} | (
        {"id": id, "type": "function"} if id else {}
    )


def calling(*chunks: list[dict[str, Any]], text: Sequence[str] = ()) -> Answer:
    return answers.text(*text, tools=chunks, finish_reason="tool_calls")


def recalling(id: str, arguments: str = '{"turn_numbers": [1]}') -> Answer:
    return calling([piece(0, id, RECALL, arguments)])


def bodies(server: OpenAIServer) -> list[dict[str, Any]]:
    return [request.body for request in server.requests]


def behind_the_input(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages behind the user's question."""
    messages: list[dict[str, Any]] = body["messages"]
    return messages[messages.index(QUESTION) + 1 :]


def without_nothing(message: dict[str, Any]) -> dict[str, Any]:
    """A message as it was sent, whether or not its empty text was."""
    return {key: value for key, value in message.items() if value not in (None, "")}


def check_protocol(server: OpenAIServer, record: memviz.TurnRecord) -> None:
    """What every provider insists on, and that the record holds the last request as it was sent."""
    for body in bodies(server):
        assert_paired(body["messages"])
        if any(message["role"] == "tool" for message in body["messages"]):
            assert body["tools"], "calls without their tool are refused"
    sent = [without_nothing(message) for message in bodies(server)[-1]["messages"]]
    assert sent == [
        without_nothing(message.to_request()) for message in record.context.messages
    ]


def assert_paired(messages: list[dict[str, Any]]) -> None:
    """Right behind each message that calls tools stand the results of its calls, and nowhere else."""
    expected: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == expected.pop(0)
        else:
            assert expected == []
            expected = [call["id"] for call in message.get("tool_calls") or ()]
    assert expected == []


def test_one_call(server: OpenAIServer) -> None:
    chat = chat_on(server, recalling("call_1"), answers.text("Kira."))
    record = ask(chat)
    first, second = bodies(server)
    assert first["messages"] == [first["messages"][0], QUESTION]
    assert second["messages"][:4] == [first["messages"][0], *FIRST_TURN, QUESTION]
    function = {"name": RECALL, "arguments": '{"turn_numbers": [1]}'}
    call, result = behind_the_input(second)
    assert call["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": function}
    ]
    assert result == {"role": "tool", "tool_call_id": "call_1", "content": CLEAR}
    for body in (first, second):
        assert body["tools"] == [TOOLS[RECALL].to_request()]
        assert body["tool_choice"] == "auto"
    assert record.reply == "Kira."
    check_protocol(server, record)


def test_calls_and_reply_are_billed_each(server: OpenAIServer) -> None:
    usage = {"prompt_tokens": 2000, "completion_tokens": 10, "total_tokens": 2010}
    chat = chat_on(server, recalling("call_1"), answers.text("Kira.", usage=usage))
    record = ask(chat)
    (call,) = record.requests[:-1]
    assert record.facts is not None
    assert (call.facts.usage, record.facts.usage) == (
        memviz.Usage(1000, 100),
        memviz.Usage(2000, 10),
    )
    assert call.facts.cost_usd == pytest.approx(1000 * 0.15e-6 + 100 * 0.6e-6)
    assert record.facts.cost_usd == pytest.approx(2000 * 0.15e-6 + 10 * 0.6e-6)


def test_parallel_calls(server: OpenAIServer) -> None:
    both = calling(
        [piece(0, "x", RECALL, '{"message_indices": [1]}')],
        [piece(1, "y", RECALL, '{"last_n": 2}')],
    )
    record = ask(chat_on(server, both, answers.text("Kira.")))
    call, *results = behind_the_input(bodies(server)[1])
    assert (
        [c["id"] for c in call["tool_calls"]]
        == [r["tool_call_id"] for r in results]
        == ["x", "y"]
    )
    assert recalled(record) == [str(message["content"]) for message in FIRST_TURN]
    check_protocol(server, record)


def test_a_call_that_comes_in_pieces_with_text_before_it(server: OpenAIServer) -> None:
    bits = (
        [piece(0, "call_1", RECALL)],
        *([piece(0, arguments=bit)] for bit in ('{"turn', '_numbers": ', "[1", "]}")),
    )
    chat = chat_on(
        server,
        calling(*bits, text=("Let me ", "look. ")),
        answers.text("It is ", "Kira."),
    )
    assert list(chat.stream(str(QUESTION["content"]))) == [
        "Let me ",
        "look. ",
        "It is ",
        "Kira.",
    ]
    record = chat.run.turns[-1]
    call, _ = behind_the_input(bodies(server)[1])
    assert call["content"] == "Let me look. "
    assert call["tool_calls"][0]["function"]["arguments"] == '{"turn_numbers": [1]}'
    assert recalled(record) == [str(message["content"]) for message in FIRST_TURN]
    assert record.reply == "It is Kira."
    check_protocol(server, record)


@for_each("arguments", ['{"turn_numbers": [1', "turn 1", '{"turns": [1]}', "[1]"])
def test_malformed_arguments_go_back_as_they_came_with_the_error_behind_them(
    server: OpenAIServer, arguments: str
) -> None:
    chat = chat_on(
        server,
        recalling("call_1", arguments),
        recalling("call_2"),
        answers.text("Kira."),
    )
    record = ask(chat)
    call, result, _, mended = behind_the_input(bodies(server)[2])
    assert call["tool_calls"][0]["function"]["arguments"] == arguments
    assert result["content"].startswith("Error: ")
    assert mended["content"] == CLEAR
    assert [body["tool_choice"] for body in bodies(server)] == ["auto"] * 3
    check_protocol(server, record)


def test_a_turn_that_is_not_there(server: OpenAIServer) -> None:
    chat = chat_on(
        server, recalling("call_1", '{"turn_numbers": [1, 12]}'), answers.text("Kira.")
    )
    record = ask(chat)
    _, result = behind_the_input(bodies(server)[1])
    assert (
        result["content"]
        == f"{CLEAR} There is no turn 12: this conversation has 1 turn so far."
    )
    assert recalled(record) == [str(message["content"]) for message in FIRST_TURN]
    check_protocol(server, record)


def test_too_many_rounds_end_with_a_request_for_the_answer(
    server: OpenAIServer,
) -> None:
    rounds = [recalling(f"call_{number}") for number in range(3)]
    record = ask(chat_on(server, *rounds, answers.text("Kira."), max_recall_contexts=2))
    assert [body["tool_choice"] for body in bodies(server)] == [
        "auto",
        "auto",
        "none",
        "none",
    ]
    assert all(body["tools"] == [TOOLS[RECALL].to_request()] for body in bodies(server))
    results = [
        m["content"]
        for m in behind_the_input(bodies(server)[-1])
        if m["role"] == "tool"
    ]
    assert results[:2] == [CLEAR, CLEAR]
    assert results[2].startswith("Error: at most 2 recalls in one turn.")
    assert (record.reply, len(record.requests[:-1])) == ("Kira.", 3)
    check_protocol(server, record)


def test_a_model_that_never_answers_is_given_up_and_can_be_asked_again(
    server: OpenAIServer,
) -> None:
    rounds = [recalling(f"call_{number}") for number in range(20)]
    chat = chat_on(server, *rounds, max_recall_contexts=1)
    with pytest.raises(MalformedReplyError, match="went on calling tools"):
        ask(chat)
    assert len(bodies(server)) < 10
    assert [message.to_request() for message in chat.log] == [*FIRST_TURN, QUESTION]
    first = bodies(server)[0]
    server.script.clear()
    server.requests.clear()
    server.then(recalling("call_1"), answers.text("Kira."))
    assert "".join(chat.retry()) == "Kira."
    assert bodies(server)[0] == first
    check_protocol(server, chat.run.turns[-1])


def test_a_line_that_breaks_after_the_recall_leaves_nothing_behind(
    server: OpenAIServer,
) -> None:
    chat = chat_on(server, recalling("call_1"), answers.cut("It is "))
    with pytest.raises(ServerError):
        ask(chat)
    assert [message.to_request() for message in chat.log] == [*FIRST_TURN, QUESTION]
    server.requests.clear()
    server.then(recalling("call_1"), answers.text("Kira."))
    assert "".join(chat.retry()) == "Kira."
    check_protocol(server, chat.run.turns[-1])


def test_thinking_and_recalling(server: OpenAIServer) -> None:
    last = json.dumps(
        {"continue_thinking": False, "summary": "The cat's name was asked."}
    )
    chat = chat_on(
        server,
        calling(
            [piece(0, "a", RECALL, '{"turn_numbers": [1]}')],
            [piece(1, "b", THINK, '{"continue_thinking": true}')],
        ),
        calling([piece(0, "c", THINK, last)], text=("It is in turn 1.",)),
        answers.text("Kira."),
        enable_reflective_thinking=True,
    )
    record = ask(chat)
    tools = [TOOLS[name].to_request() for name in (THINK, RECALL)]
    assert [body["tools"] for body in bodies(server)] == [tools] * 3
    assert [body["tool_choice"] for body in bodies(server)] == ["auto"] * 3
    assert chat.run.summaries[-1].text == "The cat's name was asked."
    assert [m.content for m in chat.log[2:]] == [QUESTION["content"], "Kira."]
    check_protocol(server, record)


def test_where_recall_is_switched_off_nothing_is_said_of_tools(
    server: OpenAIServer,
) -> None:
    chat = chat_on(server, answers.text("I do not know."), enable_recall=False)
    ask(chat)
    (body,) = bodies(server)
    assert not {"tools", "tool_choice"} & set(body)


def test_the_next_turn_starts_afresh(server: OpenAIServer) -> None:
    chat = chat_on(
        server,
        recalling("call_1"),
        answers.text("Kira."),
        answers.text("You are welcome."),
    )
    ask(chat)
    record = chat.send("Thank you.")
    assert [m["role"] for m in bodies(server)[-1]["messages"]] == ["system", "user"]
    assert record.recalled is None
    check_protocol(server, record)


def test_the_exchange_in_the_history_of_another_strategy_is_still_paired(
    server: OpenAIServer,
) -> None:
    both = calling(
        [piece(0, "x", RECALL, '{"last_n": 1}')],
        [piece(1, "y", RECALL, '{"last_n": 2}')],
    )
    chat = chat_on(server, both, answers.text("Kira."), *[answers.text("Yes.")] * 6)
    ask(chat)
    for size in range(1, 7):
        chat.change_strategy(memviz.strategy("window", window_size=size))
        chat.send("Is it?")
        assert_paired(bodies(server)[-1]["messages"])
