"""Where requests of real providers' routes go: nowhere but to the address that was given, with no other key."""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from http.client import HTTPConnection
from typing import Any

import httpx
import pytest

from memviz.core.model_errors import (
    BadRequestError,
    ConnectionRefusedModelError,
    MissingKeyError,
    ModelError,
)
from memviz.models.access import ModelAccess
from memviz.models.credentials import OPERATOR, make_call_limits
from memviz.models.http_guard import (
    Limits,
    OtherKeyError,
    PrivateAddressError,
    check_destination,
    public_url,
)
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.provider_keys import usual_address
from memviz.models.registry import model
from tests.models.litellm_calls import HELLO, KEY, NAME, check_sentence, client, failure
from tests.models.openai_server import Answer, OpenAIServer, openai_server
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")

PROVIDERS = (
    NAME, "azure/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.0-flash", "mistral/mistral-small",
    "deepseek/deepseek-chat", "groq/llama-3.3-70b", "xai/grok-4", "ollama/llama3", "ollama_chat/llama3",
    "openrouter/some/model", "deepinfra/some/model", "cohere_chat/command-r", "together_ai/some/model",
    "hosted_vllm/some-model", "text-completion-openai/gpt-3.5-turbo-instruct", "azure_ai/some-model",
    "perplexity/sonar", "fireworks_ai/some-model", "databricks/some-model",
)  # fmt: skip
VISITOR = ModelAccess(environment_keys=False, private_base_urls=False)


@pytest.fixture
def other() -> Iterator[OpenAIServer]:
    """Another server: the same machine, another port."""
    with openai_server() as running:
        yield running


def redirect(to: str, status: int = 307) -> Answer:
    return lambda handler: handler.send(status, b"", Location=to)


@pytest.mark.slow
@for_each("name", PROVIDERS)
def test_no_redirect_is_followed(
    server: OpenAIServer, other: OpenAIServer, name: str
) -> None:
    elsewhere = other.api_base.replace("127.0.0.1", "localhost") + "/chat"
    server.otherwise = redirect(elsewhere + "?key=" + KEY)
    server.requests.clear()
    error, _ = failure(client(server, name, project_id="p", retries=2))
    assert other.requests == []
    assert type(error) is BadRequestError
    assert f"wanted the request to go to {elsewhere}." in str(error)
    check_sentence(error, name)
    assert len(server.requests) == 1


@for_each("status", [301, 302, 303, 307, 308])
@for_each("name", [NAME, "anthropic/claude-sonnet-4-5"])
def test_whatever_kind_of_redirect_it_is(
    server: OpenAIServer, other: OpenAIServer, name: str, status: int
) -> None:
    server.otherwise = redirect(other.api_base, status)
    error, _ = failure(client(server, name))
    assert other.requests == []
    assert "wanted the request to go to " + other.api_base in str(error)


@pytest.mark.parametrize(
    "place", ["/v1/elsewhere", "chat/", "javascript:alert(1)", "//[", ""]
)
def test_a_redirect_to_the_same_server_or_to_nonsense_is_not_followed_either(
    server: OpenAIServer, place: str
) -> None:
    server.otherwise = redirect(place)
    error, _ = failure(client(server))
    assert len(server.requests) == 1
    check_sentence(error)


BEFORE = """
import sys
import litellm
from memviz import Message, model
def ask_litellm(to):
    litellm.completion(name, [{"role": "user", "content": "hi"}], api_key="key", api_base=to, stream=True)
name, address = sys.argv[1:]
try:
    ask_litellm(address)
except Exception:
    pass
try:
    model(name, api_key="key", api_base=address, retries=0).complete([Message("user", "secret words")])
except Exception as error:
    print(error)
"""


@pytest.mark.slow
def test_a_program_that_used_litellm_before_is_guarded_too(
    server: OpenAIServer, other: OpenAIServer
) -> None:
    server.otherwise = redirect(other.api_base)
    done = subprocess.run(
        [sys.executable, "-c", BEFORE, NAME, server.api_base],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env=os.environ
        | {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert "wanted the request to go to" in done.stdout
    assert len(other.requests) == 1  # litellm's own call is not ours to change
    assert "secret words" not in json.dumps(
        [request.body for request in other.requests]
    )


# Keys


SECRETS = {
    "OPENAI_API_KEY": "sk-of-the-operator", "ANTHROPIC_API_KEY": "sk-ant-of-the-operator",
    "AZURE_API_KEY": "azure-of-the-operator", "AZURE_AD_TOKEN": "token-of-the-operator",
    "GEMINI_API_KEY": "gemini-of-the-operator", "ANTHROPIC_AUTH_TOKEN": "auth-of-the-operator",
    "OLLAMA_API_KEY": "ollama-of-the-operator", "MISTRAL_API_KEY": "mistral-of-the-operator",
    "DATABRICKS_API_KEY": "databricks-of-the-operator", "WATSONX_TOKEN": "watsonx-of-the-operator",
    "AWS_BEARER_TOKEN_BEDROCK": "bedrock-of-the-operator", "COHERE_API_KEY": "cohere-of-the-operator",
}  # fmt: skip


@pytest.fixture
def operators_keys(monkeypatch: pytest.MonkeyPatch, no_provider_keys: None) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("operators_keys")
@for_each("name", PROVIDERS)
@for_each("key", [None, KEY])
def test_an_address_that_is_given_never_gets_a_key_of_the_environment(
    server: OpenAIServer, name: str, key: str | None
) -> None:
    with suppress(ModelError):  # not every provider's replies are spoken here
        client(server, name, api_key=key, project_id="p").complete(HELLO)
    assert "of-the-operator" not in json.dumps(
        [request.headers for request in server.requests]
    )
    assert "of-the-operator" not in json.dumps(
        [(request.path, request.body) for request in server.requests]
    )


@pytest.mark.usefixtures("operators_keys")
def test_no_reply_is_left_open_whatever_becomes_of_the_call(
    server: OpenAIServer,
) -> None:
    """The garbage collector would close it, perhaps within a request that holds the lock which that takes."""
    gc.disable()
    try:
        for name in PROVIDERS:
            with suppress(ModelError):
                client(server, name, api_key=KEY, project_id="p").complete(HELLO)
        replies = [
            one
            for one in gc.get_objects()
            if type(one) is httpx.Response and one._request is not None
        ]
    finally:
        gc.enable()
    assert len(server.requests) >= len(PROVIDERS) / 2
    mine = [one for one in replies if one.request.url.port == server.server_port]
    assert [one for one in mine if not one.is_closed] == []


@pytest.mark.usefixtures("operators_keys")
@for_each(
    "where",
    [{"x-extra": "Bearer sk-of-the-operator"}, {"x-extra": "sk-of-the-operator"}, {}],
)
def test_a_request_that_would_carry_another_key_is_not_sent(
    where: dict[str, str],
) -> None:
    limits = make_call_limits(
        {"api_key": KEY, "api_base": "http://127.0.0.1/v1"}, OPERATOR
    )
    query = "" if where else "?key=sk-of-the-operator"
    request = httpx.Request("POST", f"http://127.0.0.1/v1{query}", headers=where)
    with pytest.raises(OtherKeyError):
        limits.context().run(check_destination, request)
    assert "of-the-operator" not in repr(limits)
    given = make_call_limits(
        {"api_key": "sk-of-the-operator", "api_base": "http://127.0.0.1/v1"}, OPERATOR
    )
    given.context().run(check_destination, request)


@pytest.mark.usefixtures("operators_keys")
@for_each("name", [*PROVIDERS, "nadir/some-model", "lemonade/some-model"])
def test_a_visitor_without_a_key_uses_nothing_of_the_server(name: str) -> None:
    error, _ = failure(LiteLLMModel(name, access=VISITOR))
    on_the_machine = (
        usual_address(name) is not None
    )  # without a base URL that is where it is asked
    assert type(error) is (BadRequestError if on_the_machine else MissingKeyError)
    assert (
        "--allow-private-base-urls" if on_the_machine else "--allow-environment-keys"
    ) in str(error)


@pytest.mark.usefixtures("operators_keys")
def test_a_visitor_uses_the_keys_of_the_server_where_that_is_allowed(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    lent = ModelAccess(environment_keys=True, private_base_urls=False)
    LiteLLMModel(NAME, access=lent).complete(
        HELLO
    )  # the operator's own address may be a private one
    assert server.requests[0].headers["authorization"] == "Bearer sk-of-the-operator"


@for_each(
    "name",
    [
        "bedrock/anthropic.claude-3",
        "vertex_ai/gemini-2.0-flash",
        "sagemaker/some-model",
    ],
)
@for_each("key", [None, KEY])
def test_a_visitor_does_not_use_the_account_of_the_machine(
    server: OpenAIServer, name: str, key: str | None
) -> None:
    error, _ = failure(LiteLLMModel(name, api_key=key, access=VISITOR))
    assert "the account of the machine" in str(error)
    lent = ModelAccess(environment_keys=True, private_base_urls=False)
    error, _ = failure(
        LiteLLMModel(name, api_key=key, api_base=server.api_base, access=lent)
    )
    assert "the account of the machine" in str(error)
    assert server.requests == []


@for_each("provider", ["oobabooga", "huggingface", "openai"])
def test_an_address_in_a_models_name_is_refused(
    server: OpenAIServer, provider: str
) -> None:
    with pytest.raises(
        BadRequestError, match="give the address as the base URL"
    ) as caught:
        model(f"{provider}/{server.api_base}/some-model", api_key=KEY).complete(HELLO)
    assert server.api_base not in str(caught.value)
    assert server.requests == []


# Addresses


@pytest.mark.slow
@for_each(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "127.0.0.1.",
    ],
)
def test_an_address_of_this_machine_or_its_network_however_it_is_written(
    host: str,
) -> None:
    with pytest.raises((PrivateAddressError, socket.gaierror)):
        public_url(f"http://{host}:11434/v1")
    model_there = LiteLLMModel(
        NAME, api_key=KEY, api_base=f"http://{host}:11434/v1", access=VISITOR
    )
    error, _ = failure(model_there)
    assert type(error) in (BadRequestError, ConnectionRefusedModelError)
    check_sentence(error)


@for_each(
    "url",
    [
        "http://93.184.215.14/v1",
        "http://[2606:4700::1]:8000/v1",
        "https://93.184.215.14/v1",
    ],
)
def test_a_public_address_stays_as_it_is(url: str) -> None:
    assert public_url(url) == url


@for_each("name", PROVIDERS)
def test_a_visitors_base_url_reaches_no_private_address(
    server: OpenAIServer, name: str
) -> None:
    error, _ = failure(client(server, name, project_id="p", access=VISITOR))
    assert type(error) is BadRequestError
    assert server.api_base in str(error)
    assert "--allow-private-base-urls" in str(error)
    check_sentence(error, name)
    assert server.requests == []


def test_where_it_is_allowed_a_visitors_base_url_reaches_it(
    server: OpenAIServer,
) -> None:
    access = ModelAccess(environment_keys=False, private_base_urls=True)
    assert client(server, access=access).complete(HELLO).text == "Hello there."


def rebinding(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    """A name server whose answers for ``rebound.example.com`` change from one question to the next."""
    real, answers = socket.getaddrinfo, list(found)

    def getaddrinfo(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        if host in ("rebound.example.com", b"rebound.example.com"):
            host = answers.pop(0) if len(answers) > 1 else answers[0]
        return real(host, port, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize("name", [NAME, "anthropic/claude-sonnet-4-5"])
def test_a_name_that_leads_to_a_private_address_is_refused(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rebinding(monkeypatch, "127.0.0.1")
    address = server.api_base.replace("127.0.0.1", "rebound.example.com")
    error, _ = failure(client(server, name, api_base=address, access=VISITOR))
    assert "--allow-private-base-urls" in str(error)
    assert server.requests == []


@pytest.mark.parametrize("name", [NAME, "anthropic/claude-sonnet-4-5"])
def test_a_name_that_changes_its_address_after_it_was_looked_at_is_refused(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rebinding(monkeypatch, "93.184.215.14", "127.0.0.1")
    address = server.api_base.replace("127.0.0.1", "rebound.example.com")
    error, _ = failure(client(server, name, api_base=address, access=VISITOR))
    assert "--allow-private-base-urls" in str(error)
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rebinding(monkeypatch, "93.184.215.14", "127.0.0.1")
    request = httpx.Request("POST", "http://rebound.example.com:8000/v1")
    Limits(public_only=True).context().run(check_destination, request)
    assert str(request.url) == "http://93.184.215.14:8000/v1"
    assert request.headers["host"] == "rebound.example.com:8000"


def test_a_limited_or_cached_model_keeps_its_limits(
    server: OpenAIServer, tmp_path: Any
) -> None:
    limited = client(server, access=VISITOR).limited(10)
    cached = model(
        NAME, api_key=KEY, api_base=server.api_base, access=VISITOR, cache=tmp_path
    )
    pickled = pickle.loads(pickle.dumps(limited))  # noqa: S301 - made here
    for asked in (limited, cached, copy(limited), pickled):
        error, _ = failure(asked)  # type: ignore[arg-type]
        assert "--allow-private-base-urls" in str(error)


def test_the_test_server_records_what_a_redirect_makes_of_a_request(
    server: OpenAIServer,
) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_address[1])
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    assert len(server.requests) == 1
    connection.close()
