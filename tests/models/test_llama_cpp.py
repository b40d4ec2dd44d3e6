"""A real llama.cpp server and real weights: what no stub shows. Its replies are poor, and that is not looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from threading import Event, Timer
from time import monotonic, sleep
from typing import Any
from urllib.request import Request, urlopen

import pytest

import memviz
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import BadRequestError, ContextTooLongError
from memviz.models.base import Model, Reply
from memviz.models.line import Interruptible
from memviz.models.local_servers import LocalModel, find_local_servers
from memviz.models.prices import context_window_tokens
from memviz.models.registry import model
from tests.models.llama_cpp_server import MOST_TOKENS, WINDOW_TOKENS, llama_cpp_server

pytestmark = pytest.mark.slow

QUESTION = [
    Message("system", "You are brief."),
    Message("user", "What is the capital of Portugal?"),
]
TALK = [
    Message(role, text)
    for turn in range(1, 5)
    for role, text in (
        (
            "user",
            f"Note {turn}: the ferry to island {turn} leaves at {turn + 6} o'clock and costs {turn * 3} euros.",
        ),
        ("assistant", f"Noted: ferry {turn}, {turn + 6} o'clock, {turn * 3} euros."),
    )
]
SMALL_WINDOW_TOKENS = 256


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with llama_cpp_server() as running:
        yield running


@pytest.fixture(scope="module")
def found(address: str) -> LocalModel:
    (one,) = find_local_servers([address], programs=()).models
    return one


@pytest.fixture
def llama(found: LocalModel) -> Model:
    return model(found.name, api_base=found.api_base, retries=0)


@pytest.fixture(scope="module")
def small() -> Iterator[Model]:
    """The same model with a small window, which a long chat soon fills."""
    with llama_cpp_server(SMALL_WINDOW_TOKENS, most_tokens=16) as address:
        (one,) = find_local_servers([address], programs=()).models
        yield model(one.name, api_base=one.api_base, retries=0)


def test_it_is_found_with_the_window_that_it_serves(
    found: LocalModel, address: str
) -> None:
    assert found.program == "llama.cpp"
    assert found.api_base == f"http://{address}/v1"
    assert found.context_tokens == WINDOW_TOKENS
    assert found.longest_context_tokens is not None
    assert found.longest_context_tokens >= WINDOW_TOKENS
    assert "/" not in found.title  # the server names its file with all folders
    assert context_window_tokens(found.name) == WINDOW_TOKENS


def test_the_reply_streams_and_its_tokens_are_the_servers(
    llama: Model, address: str
) -> None:
    *pieces, reply = llama.stream(QUESTION)
    assert isinstance(reply, Reply)
    assert len([piece for piece in pieces if piece]) > 1
    assert "".join(map(str, pieces)) == reply.text
    assert reply.usage is not None
    assert reply.usage.input_tokens == counted_by(address, QUESTION)
    assert 1 <= reply.usage.output_tokens <= MOST_TOKENS
    assert reply.cost_usd is None  # nobody knows what one's own machine costs


def test_what_was_sent_before_is_read_from_the_cache(llama: Model) -> None:
    reply = llama.complete(QUESTION)
    longer = [
        *QUESTION,
        Message("assistant", reply.text),
        Message("user", "And of Spain?"),
    ]
    again = llama.complete(longer)
    assert again.usage is not None
    assert again.usage.input_tokens > again.usage.cached_tokens > 0


def test_the_servers_count_is_near_to_ours_but_not_the_same(
    llama: Model, address: str
) -> None:
    """Another tokenizer, and a system prompt that its template adds: 1.0 to 1.2 times ours for English."""
    run = memviz.replay(TALK, memviz.strategy("buffer"))
    last = run.requests[-1]
    theirs = counted_by(address, last.context.messages)
    assert sum(last.tokens.values()) * 0.9 < theirs < sum(last.tokens.values()) * 1.4


def test_a_replay_is_summarized_by_it(llama: Model, found: LocalModel) -> None:
    run = memviz.replay(TALK, memviz.strategy("summary", buffer_size=2), model=llama)
    assert run.compactions
    for compaction in run.compactions:
        assert compaction.error is None
        assert compaction.model == found.name
        assert compaction.summary
        assert compaction.seconds > 0


def test_tools_that_it_ignores_do_not_break_a_chat(llama: Model) -> None:
    chat = memviz.Chat(
        memviz.strategy("window", window_size=2), model=llama, recall_tool=True
    )
    for message in TALK[:4:2]:
        record = chat.send(message.content)
        assert record.reply is not None
    assert len(chat.run.requests) == 2


def test_a_server_that_refuses_tools_is_one_sentence_and_answers_without_them() -> None:
    with llama_cpp_server(most_tokens=8, takes_tools=False) as address:
        (one,) = find_local_servers([address], programs=()).models
        chat = memviz.Chat(
            memviz.strategy("buffer"),
            model=model(one.name, api_base=one.api_base, retries=0),
            recall_tool=True,
        )
        with pytest.raises(BadRequestError, match="takes no tools"):
            chat.send(TALK[0].content)
        chat.recall_tool = False
        assert [piece for piece in chat.go_on() if piece]
    assert [message.role for message in chat.run.log] == ["user", "assistant"]


def test_a_history_with_tools_is_taken_as_well(llama: Model) -> None:
    call = ToolCall("abc123456", "timetable", '{"island": 1}')
    said = [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "At 7 o'clock.", tool_call_id=call.id),
    ]
    reply = llama.complete([TALK[0], *said], [memviz.RECALL_CONVERSATION])
    assert reply.text or reply.tool_calls


def test_a_request_past_the_window_is_said_to_be_one(small: Model) -> None:
    with pytest.raises(ContextTooLongError, match="larger than the context window"):
        small.complete([Message("user", "word " * 2 * SMALL_WINDOW_TOKENS)])


def test_a_chat_that_outgrows_the_window_loses_nothing_and_goes_on_with_less(
    small: Model,
) -> None:
    chat = memviz.Chat(memviz.strategy("buffer"), model=small)
    with pytest.raises(ContextTooLongError):
        say_much(chat)
    said = chat.run.log[-1]
    assert said.role == "user"
    held = memviz.Chat(memviz.strategy("window", window_size=2), model=small)
    assert held.send(said.content).reply is not None


def test_a_summarizer_with_too_small_a_window_keeps_the_messages(small: Model) -> None:
    messages = [Message(message.role, message.content * 6) for message in TALK]
    run = memviz.replay(
        messages, memviz.strategy("summary", buffer_size=2), model=small
    )
    failed = [
        compaction for compaction in run.compactions if compaction.error is not None
    ]
    assert failed
    assert all(
        "larger than the context window" in str(compaction.error)
        for compaction in failed
    )
    assert run.turns[-1].turn == 4


def test_stop_ends_the_call_at_the_server_too(found: LocalModel, address: str) -> None:
    asked = model(found.name, api_base=found.api_base, retries=0, max_tokens=1500)
    stopped = Event()
    timer = Timer(1.0, stopped.set)

    class StoppedError(Exception):
        pass

    def look_up() -> None:
        if stopped.is_set():
            raise StoppedError

    timer.start()
    with pytest.raises(StoppedError):
        for _ in Interruptible(asked, look_up).stream(
            [Message("user", "Tell me a very long story. " * 40)]
        ):
            pass
    deadline = monotonic() + 60
    while is_busy(address):
        assert monotonic() < deadline, "the server still writes"
        sleep(0.1)


def say_much(chat: memviz.Chat) -> None:
    for turn in range(20):
        chat.send(f"{TALK[0].content} This is note {turn}.")


def counted_by(address: str, messages: Sequence[Message]) -> int:
    """How many tokens the server itself counts in a request with these messages."""
    sent = [message.to_request() for message in messages]
    answer = asked(address, "/v1/chat/completions", {"messages": sent, "max_tokens": 1})
    return int(answer["usage"]["prompt_tokens"])


def is_busy(address: str) -> bool:
    return any(slot["is_processing"] for slot in asked(address, "/slots"))


def asked(address: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(
        f"http://{address}{path}", data, {"Content-Type": "application/json"}
    )
    with urlopen(request, timeout=60) as reply:  # noqa: S310
        return json.loads(reply.read())
