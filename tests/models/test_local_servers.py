"""Servers of models on this machine are found by what they reply, and what else answers there is one sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memviz.core.messages import Message
from memviz.core.model_errors import BadRequestError, ConnectionRefusedModelError
from memviz.core.translation import use_language
from memviz.models.access import ModelAccess
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.local_servers import LocalModel, LocalServers, find_local_servers
from memviz.models.local_servers.asking import place_of
from memviz.models.prices import context_window_tokens
from memviz.models.provider_keys import LLAMA_CPP, LM_STUDIO, OLLAMA, PROGRAMS
from memviz.models.registry import model
from memviz.models.tools import Tool
from tests.models.litellm_calls import HELLO
from tests.models.local_programs import (
    NOT_FOUND,
    PAGE,
    Reply,
    Routes,
    about,
    llama_cpp,
    lm_studio,
    lm_studio_of_2025,
    ollama,
    port,
    says,
    serving,
    vllm,
)
from tests.models.openai_server import OpenAIServer, Received, openai_server, slow, text
from tests.tables import for_each

OPENAI_KEY = "sk-of-the-user-at-openai-0123456789"


def found_at(routes: Reply) -> LocalServers:
    """What the search says of one server with these replies."""
    with serving(routes) as server:
        return find_local_servers([str(port(server))], programs=())


def models_at(routes: Reply) -> list[LocalModel]:
    found = found_at(routes)
    assert found.problems == ()
    return list(found.models)


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


# What each program tells.


def test_llama_cpp_tells_the_window_that_it_serves_and_the_one_of_the_weights() -> None:
    with serving(llama_cpp("/home/ada/models/Smol 135M.Q4_1.gguf")) as server:
        (one,) = find_local_servers([str(port(server))], programs=()).models
    assert one == LocalModel(
        "llamafile/Smol-135M.Q4_1",
        server.api_base,
        "Smol-135M.Q4_1",
        "llama.cpp",
        2048,
        8192,
    )  # no folder of this machine is in the name, which stands in links
    assert one.context_words == "2,048 tokens of context"
    assert context_window_tokens(one.name) == 2048


def test_a_llama_cpp_with_several_models_is_asked_by_their_own_names() -> None:
    one, other = models_at(llama_cpp("org/a.gguf", "b", role="router", window=0))
    assert (one.name, other.name) == ("llamafile/org/a.gguf", "llamafile/b")
    assert one.context_tokens is None
    assert one.context_words == "at most 8,192 tokens of context"


def test_ollama_tells_the_window_of_a_model_that_is_loaded_or_whose_file_sets_it() -> (
    None
):
    routes = ollama(
        {
            "llama3.2:3b": about(),
            "mistral:7b": about(
                32_768, 'stop "[INST]"\nnum_ctx                        8192'
            ),
            "gemma:2b": about(8192),
        },
        {"llama3.2:3b": 4096},
    )
    with serving(routes) as server:
        models = find_local_servers([str(port(server))], programs=()).models
    assert [one.name for one in models] == [
        "ollama_chat/llama3.2:3b",
        "ollama_chat/mistral:7b",
        "ollama_chat/gemma:2b",
    ]
    assert [(one.context_tokens, one.longest_context_tokens) for one in models] == [
        (4096, 131_072),
        (8192, 32_768),
        (None, 8192),
    ]
    assert {one.api_base for one in models} == {f"http://127.0.0.1:{port(server)}"}


def test_models_of_ollama_that_only_embed_or_run_elsewhere_are_not_listed() -> None:
    routes = ollama(
        {
            "cloud:671b": about(),
            "nomic-embed": about(capabilities=("embedding",)),
            "old:1b": {},
        },
        remote_host="https://models.example.com",
    )
    found = found_at(routes)
    assert [one.title for one in found.models] == ["old:1b"]
    assert found.models[0].context_words == "context size unknown"
    (sentence,) = found.sentences
    assert sentence.startswith("1 of the models of Ollama")


def test_lm_studio_tells_the_window_of_a_model_that_is_loaded() -> None:
    routes = lm_studio(
        {
            "type": "llm",
            "key": "openai/gpt-oss-20b",
            "max_context_length": 131_072,
            "loaded_instances": [
                {"id": "a", "config": {"context_length": 16_384}},
                {"id": "a:2", "config": {"context_length": 8192}},
            ],
        },
        {
            "type": "llm",
            "key": "qwen3-4b",
            "max_context_length": 40_960,
            "loaded_instances": [],
        },
        {
            "type": "embedding",
            "key": "nomic",
            "max_context_length": 2048,
            "loaded_instances": [],
        },
    )
    assert [
        (one.name, one.context_tokens, one.longest_context_tokens)
        for one in models_at(routes)
    ] == [
        ("lm_studio/openai/gpt-oss-20b", 8192, 131_072),
        ("lm_studio/qwen3-4b", None, 40_960),
    ]


def test_lm_studio_of_2025_and_before() -> None:
    routes = lm_studio_of_2025(
        {
            "id": "a",
            "type": "llm",
            "state": "loaded",
            "loaded_context_length": 4096,
            "max_context_length": 8192,
        },
        {"id": "b", "type": "vlm", "state": "not-loaded", "max_context_length": 32_768},
        {
            "id": "c",
            "type": "embeddings",
            "state": "not-loaded",
            "max_context_length": 2048,
        },
    )
    assert [(one.name, one.context_tokens) for one in models_at(routes)] == [
        ("lm_studio/a", 4096),
        ("lm_studio/b", None),
    ]


def test_vllm_tells_its_window() -> None:
    (one,) = models_at(vllm("Qwen/Qwen3-8B"))
    assert (one.name, one.program, one.context_tokens) == (
        "hosted_vllm/Qwen/Qwen3-8B",
        "vLLM",
        32_768,
    )


def test_any_other_server_that_speaks_openais_protocol() -> None:
    (one,) = models_at(vllm("some-model", window=None, owner="me"))
    assert (one.name, one.program) == ("hosted_vllm/some-model", "OpenAI's protocol")
    assert one.context_words == "context size unknown"


def test_the_usual_ports_are_those_of_the_programs() -> None:
    assert {program.title: program.port for program in PROGRAMS} == {
        "Ollama": 11434,
        "llama.cpp": 8080,
        "LM Studio": 1234,
        "vLLM": 8000,
    }


def test_a_program_is_told_by_its_replies_not_by_its_port() -> None:
    with serving(vllm("a")) as one, serving(llama_cpp("b")) as other:
        found = find_local_servers(
            programs=[
                OLLAMA._replace(port=port(one)),
                LM_STUDIO._replace(port=port(other)),
            ]
        )
    assert [server.program for server in found.servers] == ["vLLM", "llama.cpp"]
    assert found.sentences == ()


@pytest.mark.slow
def test_they_are_asked_at_the_same_time() -> None:
    slowly: Reply = lambda handler: (  # noqa: E731
        handler.server.closing.wait(0.4),
        NOT_FOUND(handler),
    )[1]
    with serving(slowly) as one, serving(slowly) as two, serving(slowly) as three:
        started = monotonic()
        find_local_servers(
            [str(port(server)) for server in (one, two, three)], programs=()
        )
        assert monotonic() - started < 2 * 5 * 0.4  # five questions each


# What does not answer, or answers something else.


def test_nothing_there_is_one_sentence_with_programs_and_ports() -> None:
    ports = [free_port() for _ in PROGRAMS]
    programs = [
        program._replace(port=port)
        for program, port in zip(PROGRAMS, ports, strict=True)
    ]
    found = find_local_servers(programs=programs)
    assert found.models == ()
    assert found.sentences == (
        "No server of models answers on this machine: tried "
        f"Ollama (port {ports[0]}), llama.cpp (port {ports[1]}), LM Studio (port {ports[2]}) "
        f"and vLLM (port {ports[3]}) at 127.0.0.1.",
    )


def test_one_of_two_is_there() -> None:
    silent = free_port()
    with serving(llama_cpp("a")) as server:
        programs = [LLAMA_CPP._replace(port=port(server)), OLLAMA._replace(port=silent)]
        found = find_local_servers(["127.0.0.1:9"], programs=programs)
    assert [one.title for one in found.models] == ["a"]
    assert found.sentences == (
        f"Nothing answers for 127.0.0.1:9 and Ollama (port {silent}).",
    )


@for_each(
    "routes",
    [
        PAGE,
        NOT_FOUND,
        says([]),
        says({"version": "0.9"}),  # a program of another kind that tells its version
        says({"models": 3, "data": {"id": "x"}, "default_generation_settings": []}),
        says({"data": [{"no": "id"}]}),
        says({"object": "list", "data": [{"id": 7}]}),
        says({}, 302, Location="http://127.0.0.1:9/"),
        lambda handler: handler.send(200, b'{"version": "0.24'),
        lambda handler: handler.send(200, b"\xff\xfe\x00"),
        lambda handler: handler.send(200, b"[" * 100_000),
        lambda handler: handler.send(200, b'{"version": ' + b"9" * 5000 + b"}"),
    ],
)
def test_something_else_on_the_port_is_one_sentence(routes: Reply) -> None:
    found = found_at(routes)
    assert found.models == ()
    (sentence,) = found.sentences
    assert "answers, and is no server of models." in sentence


def test_no_redirect_is_followed() -> None:
    with serving(llama_cpp("a")) as other:
        there = says({}, 307, Location=f"http://localhost:{port(other)}/props")
        found = found_at(there)
        assert found.models == ()
        assert other.requests == []


def test_a_server_that_wants_a_key_is_one_sentence() -> None:
    refuses = says({"error": {"message": "Invalid API Key"}}, 401, by="llama.cpp")
    for routes in (refuses, says({"error": "no"}, 403)):
        (sentence,) = found_at(routes).sentences
        assert "without a key" in sentence


def test_a_llama_cpp_that_is_still_loading_says_so() -> None:
    (sentence,) = found_at(
        says({"error": {"message": "Loading model"}}, 503, by="llama.cpp")
    ).sentences
    assert "still loading" in sentence


def test_a_server_without_any_model_is_one_sentence() -> None:
    (sentence,) = found_at(ollama({})).sentences
    assert sentence.startswith("Ollama answers at 127.0.0.1:")
    assert "no model" in sentence


@for_each(
    "name",
    ["with space", "x" * 300, "odd\x1bname", "hf://weights", "line\nbreak"],
)
def test_a_name_that_cannot_be_used_is_left_out_and_said(name: str) -> None:
    found = found_at(vllm("good", name))
    assert [one.title for one in found.models] == ["good"]
    (sentence,) = found.sentences
    assert sentence.startswith("1 of the models of vLLM cannot be used")
    assert name not in sentence


def test_very_many_models_are_counted() -> None:
    found = found_at(vllm(*(f"model-{number}" for number in range(150))))
    assert len(found.models) == 100
    assert "150 models" in found.sentences[0]


@pytest.mark.slow
def test_a_silent_server_is_left_after_a_moment() -> None:
    started = monotonic()
    (sentence,) = found_at(slow(30)).sentences
    assert "said nothing for 2 seconds" in sentence
    with use_language("zh"):
        (in_chinese,) = found_at(slow(30)).sentences
    assert "2 秒内没有回应。" in in_chinese
    assert monotonic() - started < 10


@pytest.mark.slow
def test_a_server_that_sends_a_byte_now_and_then_is_left() -> None:
    def dripping(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not handler.server.closing.wait(0.2):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    started = monotonic()
    (sentence,) = found_at(dripping).sentences
    assert "did not come to an end" in sentence
    assert monotonic() - started < 10


def test_a_huge_answer_is_not_read() -> None:
    sent = 0

    def endless(handler: Any) -> None:
        nonlocal sent
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**12))
        handler.end_headers()
        while not handler.server.closing.is_set():
            handler.wfile.write(b" " * 100_000)
            sent += 100_000

    (sentence,) = found_at(endless).sentences
    assert "more than 4 MB" in sentence
    assert sent < 20_000_000


def test_what_speaks_no_http_is_one_sentence() -> None:
    with _mute() as number:
        (sentence,) = find_local_servers([str(number)], programs=()).sentences
    assert "does not speak HTTP" in sentence


@contextmanager
def _mute() -> Iterator[int]:
    """Something that hangs up on whoever calls, after some bytes that are no HTTP."""
    from threading import Thread

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1000)
                    connection.sendall(b"220 mail.example.com ESMTP\r\n")

        Thread(target=hang_up, daemon=True).start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)


KEYS = (
    "version", "models", "data", "name", "model", "id", "key", "state", "type", "meta", "n_ctx", "n_ctx_train",
    "config", "context_length", "role", "loaded_instances", "capabilities", "model_info", "general.architecture",
    "default_generation_settings", "max_model_len", "owned_by", "remote_host", "parameters",
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**6) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=8,
        )
    ),
    max_leaves=25,
)


@pytest.mark.slow
@given(value=_JSON)
@settings(max_examples=60, deadline=None)
def test_whatever_a_server_replies_it_is_models_or_sentences(
    fuzzed: OpenAIServer, value: Any
) -> None:
    fuzzed.otherwise = says(value)
    started = monotonic()
    found = find_local_servers([str(port(fuzzed))], programs=())
    assert found.models or found.sentences or found.servers
    assert monotonic() - started < 4  # no thread died of it and was waited for


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        yield server


# Where is asked, and with what.


@for_each(
    "address",
    [
        "{port}",
        "127.0.0.1:{port}",
        "localhost:{port}",
        "http://localhost:{port}/v1",
        " 127.0.0.1:{port}/ ",
    ],
)
def test_an_address_may_be_typed_in_many_ways(address: str) -> None:
    with serving(llama_cpp("a")) as server:
        found = find_local_servers([address.format(port=port(server))], programs=())
    assert [one.api_base for one in found.models] == [server.api_base]


@for_each(
    "address",
    [
        "192.168.0.7:8080",
        "example.com:8080",
        "0.0.0.0:8080",
        "http://10.0.0.1:80",
        "https://127.0.0.1:8080",
        "127.0.0.1",
        "",
        "99999",
        "127.0.0.1:x",
        "169.254.169.254:80",
        "127.0.0.1@example.com:80",
        "file:///etc/passwd",
        "[::ffff:8.8.8.8]:80",
        "localhost.example.com:80",
        "2130706433:8080",
    ],
)
def test_no_other_machine_is_asked(address: str) -> None:
    with pytest.raises(BadRequestError, match="no address of this machine"):
        find_local_servers([address], programs=())


def test_no_proxy_and_no_key_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    with openai_server() as proxy, serving(ollama({"a": about()})) as server:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.api_base)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert find_local_servers([str(port(server))], programs=()).models
        assert proxy.requests == []
        sent = str([(request.headers, request.body) for request in server.requests])
        assert OPENAI_KEY not in sent
        assert "authorization" not in sent.lower()


def test_nothing_is_asked_by_importing_it_and_importing_is_quick() -> None:
    code = (
        "import sys, socket; socket.socket.connect = None\nimport memviz.models.local_servers\n"
        "assert not {'litellm', 'openai', 'streamlit'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# The models that were found can be called, and get no key that belongs elsewhere.


@pytest.fixture
def openai_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)


NATIVE = [
    {"message": {"role": "assistant", "content": "", "thinking": "Well."}, "done": False},
    {"message": {"role": "assistant", "content": "Hello "}, "done": False},
    {"message": {"role": "assistant", "content": "Ada."}, "done": False},
    {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 26,
     "eval_count": 9},
]  # fmt: skip


def native(*chunks: dict[str, Any]) -> Reply:
    """A reply by Ollama's own protocol: a line of JSON a piece."""
    import json

    head = {"model": "llama3.2", "created_at": "2026-10-01T12:00:00Z"}
    body = "".join(json.dumps({**head, **chunk}) + "\n" for chunk in chunks).encode()
    return lambda handler: handler.send(200, body, "application/x-ndjson")


@pytest.mark.usefixtures("openai_key", "_warm")
@pytest.mark.parametrize(
    "routes",
    [llama_cpp("a"), lm_studio({"key": "a", "loaded_instances": []}), vllm("a")],
)
def test_a_model_that_was_found_answers_without_a_key(routes: Routes) -> None:
    chat = {"/v1/chat/completions": text("Hello ", "Ada.")}
    with serving(Routes({**routes.replies, **chat}, routes.otherwise)) as server:
        (one,) = find_local_servers([str(port(server))], programs=()).models
        reply = model(one.name, api_base=one.api_base, retries=0).complete(HELLO)
    assert reply.text == "Hello Ada."
    assert reply.usage is not None
    assert reply.usage.input_tokens == 1000
    assert reply.cost_usd is None
    assert server.requests[-1].body["model"] == "a"
    assert all(OPENAI_KEY not in str(request) for request in server.requests)


def chats(server: OpenAIServer) -> list[Received]:
    """The requests for a reply: litellm asks Ollama about the model besides."""
    return [request for request in server.requests if request.path == "/api/chat"]


@pytest.mark.usefixtures("openai_key", "_warm")
def test_ollama_streams_counts_and_gets_no_key() -> None:
    routes = ollama({"llama3.2:3b": about()})
    with serving(Routes({**routes.replies, "/api/chat": native(*NATIVE)})) as server:
        (one,) = find_local_servers([str(port(server))], programs=()).models
        *pieces, reply = model(one.name, api_base=one.api_base, retries=0).stream(HELLO)
    assert [piece for piece in pieces if piece] == ["Hello ", "Ada."]
    assert "" in pieces  # thinking shows as pieces without text, so that it can be left
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (26, 9)
    assert [request.body["model"] for request in chats(server)] == ["llama3.2:3b"]
    assert all(OPENAI_KEY not in str(request) for request in server.requests)


@pytest.mark.usefixtures("_warm")
def test_ollama_calls_tools_and_gets_their_results() -> None:
    calls = [
        {"function": {"name": "look", "arguments": {"at": place}}}
        for place in ("harbour", "weather")
    ]
    chunks = [
        {
            "message": {"role": "assistant", "content": "", "tool_calls": [call]},
            "done": False,
        }
        for call in calls
    ]
    look = Tool(
        "look",
        "Look at a place.",
        {"type": "object", "properties": {"at": {"type": "string"}}},
    )
    with serving(Routes({"/api/chat": native(*chunks, NATIVE[-1])})) as server:
        asked = model(
            "ollama_chat/a", api_base=f"http://127.0.0.1:{port(server)}", retries=0
        )
        reply = asked.complete(HELLO, [look])
        assert [call.arguments for call in reply.tool_calls] == [
            '{"at": "harbour"}',
            '{"at": "weather"}',
        ]
        assert reply.finish_reason == "tool_calls"
        results = [
            Message("tool", "A ferry.", tool_call_id=call.id)
            for call in reply.tool_calls
        ]
        server.otherwise = Routes({"/api/chat": native(*NATIVE)})
        said = Message("assistant", "", tool_calls=reply.tool_calls)
        assert asked.complete([*HELLO, said, *results], [look]).text == "Hello Ada."
    sent = chats(server)[-1].body["messages"]
    assert [message["role"] for message in sent] == [
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    assert [call["function"]["arguments"] for call in sent[1]["tool_calls"]] == [
        {"at": "harbour"},
        {"at": "weather"},
    ]


@pytest.mark.usefixtures("openai_key", "_warm")
@pytest.mark.parametrize("name", ["llamafile/a", "lm_studio/a", "hosted_vllm/a"])
def test_a_name_without_an_address_stays_on_this_machine(name: str) -> None:
    """A link and a reload hold the name alone; litellm would take some of these to OpenAI."""
    one = LiteLLMModel(name, retries=0)
    usual = next(
        program.port for program in PROGRAMS if name.startswith(program.prefix)
    )
    assert one.address == f"http://127.0.0.1:{usual}/v1"
    with pytest.MonkeyPatch.context() as patch, openai_server() as server:
        patch.setenv(f"{name.partition('/')[0].upper()}_API_BASE", server.api_base)
        assert LiteLLMModel(name, retries=0).complete(HELLO).text == "Hello there."
    assert OPENAI_KEY not in str(server.requests)


def test_a_visitor_of_a_shared_server_does_not_reach_it_by_the_name_alone() -> None:
    visitor = ModelAccess(environment_keys=True, private_base_urls=False)
    for name in ("llamafile/a", "lm_studio/a", "hosted_vllm/a"):
        with pytest.raises(BadRequestError, match="not open to visitors"):
            LiteLLMModel(name, access=visitor).complete(HELLO)


@pytest.mark.usefixtures("_warm")
def test_a_server_that_was_stopped_since_is_one_sentence() -> None:
    with pytest.raises(ConnectionRefusedModelError, match="Nothing answers at"):
        model(
            "llamafile/a", api_base=f"http://127.0.0.1:{free_port()}/v1", retries=0
        ).complete(HELLO)


def test_an_empty_body_is_sent_as_one() -> None:
    with serving(says({})) as server:
        place_of(str(port(server))).ask("/api/show", {})
        (received,) = server.requests
    assert received.headers["content-type"] == "application/json"
    assert received.headers["content-length"] == "2", "the two brackets of {}"
