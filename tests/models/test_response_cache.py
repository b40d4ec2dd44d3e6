"""Answers kept on disk: real HTTP calls through litellm, asked once, against a server on this machine."""

from __future__ import annotations

import json
import pickle
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz.core.errors import ParameterError
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import ModelError
from memviz.core.storage_errors import StorageError
from memviz.models.base import Reply, Usage
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.response_cache import FILE_NAME, CachedModel, ResponseCache
from memviz.models.scripted import ScriptedModel
from memviz.models.tools import Tool
from tests.models import openai_server as answers
from tests.models.litellm_calls import (
    FAILURES,
    HELLO,
    KEY,
    NAME,
    SHORT_TIMEOUT,
    TIMEOUT,
    client,
)
from tests.models.openai_server import Answer, OpenAIServer, openai_server

pytestmark = pytest.mark.usefixtures("no_provider_keys")

RECALL = Tool("recall", "Look something up.", {"type": "object", "properties": {}})


def cached(
    server: OpenAIServer, folder: Path, name: str = NAME, **settings: Any
) -> CachedModel:
    return CachedModel(client(server, name, **settings), folder)


# A hit


def test_a_request_is_paid_once(server: OpenAIServer, tmp_path: Path) -> None:
    usage = {**answers.USAGE, "prompt_tokens_details": {"cached_tokens": 800}}
    server.then(answers.text("Hello", " there", usage=usage))
    first = cached(server, tmp_path).complete(HELLO)
    again = cached(server, tmp_path).complete(
        HELLO
    )  # another object, as after a restart
    assert len(server.requests) == 1
    assert (first.text, first.cached, first.usage) == (
        "Hello there",
        False,
        Usage(1000, 100, 800),
    )
    assert first.cost_usd is not None
    assert first.cost_usd > 0
    assert again == replace(first, cost_usd=0.0, cached=True)


def test_a_hit_streams_its_text_and_then_the_reply(
    server: OpenAIServer, tmp_path: Path
) -> None:
    model = cached(server, tmp_path)
    model.complete(HELLO)
    *pieces, reply = model.stream(HELLO)
    assert pieces == ["Hello there."]
    assert isinstance(reply, Reply)
    assert reply.cached


def test_a_summary_is_kept_too(server: OpenAIServer, tmp_path: Path) -> None:
    model = cached(server, tmp_path)
    assert model.summarize(HELLO).text == model.summarize(HELLO).text
    assert len(server.requests) == 1


def test_a_replay_is_paid_once_and_its_record_says_so(
    server: OpenAIServer, tmp_path: Path
) -> None:
    talk = [
        Message(role, f"{role} says {n}")
        for n in range(8)
        for role in ("user", "assistant")
    ]
    strategy = memviz.strategy("summary", buffer_size=2)
    first = memviz.replay(
        talk, strategy, model=cached(server, tmp_path), counter="chars4"
    )
    asked = len(server.requests)
    again = memviz.replay(
        talk, strategy, model=cached(server, tmp_path), counter="chars4"
    )
    assert asked == len(first.compactions) > 2
    assert len(server.requests) == asked
    assert [c.summary for c in again.compactions] == [
        c.summary for c in first.compactions
    ]
    assert [c.usage for c in again.compactions] == [Usage(1000, 100)] * asked
    assert [c.cost for c in again.compactions] == [0.0] * asked


def test_tool_calls_are_kept(server: OpenAIServer, tmp_path: Path) -> None:
    call = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "recall", "arguments": '{"n": 3}'},
    }
    server.then(answers.text(tools=[[call]], finish_reason="tool_calls"))
    model = cached(server, tmp_path)
    model.complete(HELLO, [RECALL])
    again = model.complete(HELLO, [RECALL])
    assert (again.tool_calls, again.finish_reason) == (
        (ToolCall("call_1", "recall", '{"n": 3}'),),
        "tool_calls",
    )
    assert len(server.requests) == 1


def test_unknown_usage_stays_unknown(server: OpenAIServer, tmp_path: Path) -> None:
    server.then(answers.text("Hello", usage=None))
    model = cached(server, tmp_path)
    assert model.complete(HELLO).cost_usd is None
    assert model.complete(HELLO) == Reply(
        "Hello", (), None, 0.0, NAME, "stop", cached=True
    )


def test_threads_that_ask_the_same_wait_for_one_answer(
    server: OpenAIServer, tmp_path: Path
) -> None:
    server.otherwise = answers.slow(0.3)
    models = [cached(server, tmp_path) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: models[n % 4].complete(HELLO), range(8)))
    assert [reply.text for reply in replies] == ["Late."] * 8
    assert sum(reply.cached for reply in replies) == 7
    assert len(server.requests) == 1


def test_threads_that_ask_different_things_do_not_wait_for_each_other(
    server: OpenAIServer, tmp_path: Path
) -> None:
    server.otherwise = answers.text("Quick.")
    server.then(answers.stall(2, "Slow."))
    model = cached(server, tmp_path)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(model.complete, HELLO)
        while not server.requests:
            time.sleep(0.01)
        assert model.complete([Message("user", "Something else")]).text == "Quick."
        assert not slow.done()
        server.closing.set()
        with pytest.raises(ModelError):  # cut short
            slow.result()


# What makes a request the same


DIFFERENT: dict[str, Callable[[OpenAIServer, Path], Reply]] = {
    "message": lambda server, folder: cached(server, folder).complete(
        [Message("user", "Bye")]
    ),
    "role": lambda server, folder: cached(server, folder).complete(
        [Message("system", "Hello")]
    ),
    "model": lambda server, folder: cached(server, folder, "openai/gpt-4o").complete(
        HELLO
    ),
    "option": lambda server, folder: cached(server, folder, temperature=0.5).complete(
        HELLO
    ),
    "output limit": lambda server, folder: _limited(cached(server, folder)).complete(
        HELLO
    ),
    "tools": lambda server, folder: cached(server, folder).complete(HELLO, [RECALL]),
    "tool choice": lambda server, folder: cached(server, folder).complete(
        HELLO, [RECALL], "none"
    ),
    "folder": lambda server, folder: cached(server, folder / "other").complete(HELLO),
}


def _limited(model: CachedModel) -> memviz.Model:
    limited = model.limited(50)
    assert limited is not None
    return limited


@pytest.mark.slow
@pytest.mark.parametrize("what", DIFFERENT)
def test_another_request_is_asked_and_kept_apart(
    server: OpenAIServer, tmp_path: Path, what: str
) -> None:
    cached(server, tmp_path).complete(HELLO)
    if what == "tool choice":
        DIFFERENT["tools"](server, tmp_path)
    before = len(server.requests)
    assert not DIFFERENT[what](server, tmp_path).cached
    assert len(server.requests) == before + 1
    assert DIFFERENT[what](server, tmp_path).cached


@pytest.mark.parametrize(
    "settings", [{"api_key": "sk-another-key-0123"}, {"timeout": 5.0}, {"retries": 4}]
)
def test_key_and_patience_make_no_difference(
    server: OpenAIServer, tmp_path: Path, settings: dict[str, Any]
) -> None:
    cached(server, tmp_path).complete(HELLO)
    assert cached(server, tmp_path, **settings).complete(HELLO).cached


def test_another_address_is_another_request(
    server: OpenAIServer, tmp_path: Path
) -> None:
    cached(server, tmp_path).complete(HELLO)
    with openai_server() as elsewhere:
        elsewhere.otherwise = answers.text("From elsewhere.")
        assert cached(elsewhere, tmp_path).complete(HELLO).text == "From elsewhere."


def test_so_is_another_address_from_the_environment(
    server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def ask(address: str) -> Reply:
        monkeypatch.setenv("OPENAI_API_BASE", address)
        return CachedModel(
            LiteLLMModel(NAME, timeout=TIMEOUT, retries=0), tmp_path
        ).complete(HELLO)

    with openai_server() as elsewhere:
        elsewhere.otherwise = answers.text("From elsewhere.")
        assert [ask(server.api_base).text, ask(elsewhere.api_base).text] == [
            "Hello there.",
            "From elsewhere.",
        ]
    assert ask(server.api_base).cached


# What is not kept


NOT_KEPT = [
    "401",
    "429",
    "500",
    "cut before any text",
    "empty text",
    "output limit",
    "slow",
    "HTML",
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", NOT_KEPT)
def test_a_failed_call_is_not_kept(
    server: OpenAIServer, tmp_path: Path, fault: str
) -> None:
    answer, kind, _ = FAILURES[fault]
    server.then(answer)
    model = cached(
        server,
        tmp_path,
        timeout=SHORT_TIMEOUT if fault == "slow" else TIMEOUT,
        sleep=lambda _: None,
    )
    with pytest.raises(kind):
        model.complete(HELLO)
    assert len(model.replies) == 0
    reply = model.complete(HELLO)
    assert (reply.text, reply.cached) == ("Hello there.", False)


@pytest.mark.parametrize(
    "answer",
    [
        answers.text("Cut off", finish_reason="length"),
        answers.text("Held", finish_reason="content_filter"),
    ],
)
def test_an_answer_that_was_cut_off_is_given_but_not_kept(
    server: OpenAIServer, tmp_path: Path, answer: Answer
) -> None:
    server.then(answer)
    model = cached(server, tmp_path)
    assert model.complete(HELLO).finish_reason in ("length", "content_filter")
    assert model.complete(HELLO).text == "Hello there."
    assert len(server.requests) == 2


def test_an_answer_that_broke_off_is_not_kept(
    server: OpenAIServer, tmp_path: Path
) -> None:
    server.then(answers.cut("Hello", " the"))
    model = cached(server, tmp_path)
    with pytest.raises(ModelError) as caught:
        model.complete(HELLO)
    assert caught.value.partial == "Hello the"
    assert not model.complete(HELLO).cached


def test_a_live_model_beside_it_is_always_asked(
    server: OpenAIServer, tmp_path: Path
) -> None:
    cached(server, tmp_path).complete(HELLO)
    assert not client(server).complete(HELLO).cached
    assert len(server.requests) == 2


# The key stays hidden


SECRETS = (KEY, "pass-word", "query-word", "header-word", "sk-of-the-environment")


def test_no_secret_and_no_message_reaches_the_disk(
    server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    address = server.api_base.replace("//", "//user:pass-word@") + "?key=query-word"
    model = cached(
        server,
        tmp_path,
        api_base=address,
        extra_headers={"X-Auth": "Bearer header-word"},
    )
    server.then(FAILURES["401"][0], answers.text("A summary."))
    with pytest.raises(ModelError):
        model.complete([Message("user", "A private question")])
    model.complete([Message("user", "A private question")])
    content = b"".join(
        path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )
    assert b"A summary." in content
    assert not any(
        secret.encode() in content for secret in (*SECRETS, "private question")
    )
    assert not any(
        secret in repr(model) + json.dumps(model.identity) for secret in SECRETS
    )


def test_a_model_that_went_to_another_process_leaves_its_key_and_takes_its_cache(
    server: OpenAIServer, tmp_path: Path
) -> None:
    model = cached(server, tmp_path)
    model.complete(HELLO)
    data = pickle.dumps(model)
    assert KEY.encode() not in data
    assert pickle.loads(data).complete(HELLO).cached  # noqa: S301 - made here
    assert len(server.requests) == 1


def test_a_hit_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
        memviz.model(NAME, cache=tmp_path, retries=0).complete(HELLO)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert memviz.model(NAME, cache=str(tmp_path), retries=0).complete(HELLO).cached


# A folder that is of no use


def test_a_file_in_the_place_of_the_folder(
    server: OpenAIServer, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(
        StorageError, match=r"taken cannot hold answers.*choose another folder"
    ):
        cached(server, tmp_path / "taken")


def test_a_file_that_is_no_cache(server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"nonsense" * 999)
    with pytest.raises(StorageError, match=f"delete {FILE_NAME} in it"):
        cached(server, tmp_path)


def test_a_database_of_another_kind(server: OpenAIServer, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database, database:
        database.execute("CREATE TABLE reply (id INTEGER)")
    with pytest.raises(StorageError, match="no such column"):
        cached(server, tmp_path)


def test_a_cache_that_breaks_later_is_no_hit_and_no_crash(
    server: OpenAIServer, tmp_path: Path
) -> None:
    model = cached(server, tmp_path)
    model.complete(HELLO)
    (tmp_path / FILE_NAME).write_bytes(b"nonsense" * 999)
    assert [model.complete(HELLO).text for _ in range(2)] == ["Hello there."] * 2
    assert len(server.requests) == 3


def test_so_is_a_folder_that_is_deleted(server: OpenAIServer, tmp_path: Path) -> None:
    model = cached(server, tmp_path / "cache")
    model.complete(HELLO)
    (tmp_path / "cache" / FILE_NAME).unlink()
    (tmp_path / "cache").rmdir()
    assert not model.complete(HELLO).cached


ROTTEN = [
    "", "{nope", "[]", "null", "{}", '"text"', '{"text": "x"}',
    '{"text": 1, "tool_calls": [], "usage": null, "model": "m", "finish_reason": "stop"}',
    '{"text": "x", "tool_calls": [{"a": 1}], "usage": null, "model": "m", "finish_reason": "stop"}',
    '{"text": "x", "tool_calls": [], "usage": {"a": 1}, "model": "m", "finish_reason": "stop"}',
]  # fmt: skip


@pytest.mark.parametrize("content", ROTTEN)
def test_a_damaged_answer_is_asked_for_again(
    server: OpenAIServer, tmp_path: Path, content: str
) -> None:
    model = cached(server, tmp_path)
    model.complete(HELLO)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database, database:
        assert (
            database.execute("UPDATE reply SET content = ?", (content,)).rowcount == 1
        )
    assert not model.complete(HELLO).cached
    assert model.complete(HELLO).cached, "and is kept whole this time"


def test_a_model_whose_answers_depend_on_who_knows_what(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="ScriptedModel"):
        CachedModel(ScriptedModel([]), tmp_path)


@pytest.mark.slow
def test_many_threads_write_to_one_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda n: ResponseCache(tmp_path).put(f"key {n}", Reply(f"text {n}")),
                range(100),
            )
        )
    kept = ResponseCache(tmp_path)
    assert len(kept) == 100
    assert kept.get("key 42") == Reply("text 42", cost_usd=0.0, cached=True)


def test_the_offline_model_needs_no_cache(tmp_path: Path) -> None:
    assert memviz.model("offline", cache=tmp_path).name == "offline"
    assert list(tmp_path.iterdir()) == []
