"""Models by name: what they become, what is refused, what is suggested."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from memviz.core.model_errors import MissingKeyError, UnknownModelError
from memviz.models.http_guard import load_litellm
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.offline import OfflineModel
from memviz.models.prices import price, prices
from memviz.models.provider_keys import (
    OWN_SIGN_IN,
    key_variables,
    missing_keys,
    provider_of,
)
from memviz.models.registry import known_models, model
from tests.tables import for_each


@for_each("name", ["offline", " offline\n"])
def test_offline_is_the_offline_model(name: str) -> None:
    assert isinstance(model(name), OfflineModel)


def test_options_reach_the_offline_model() -> None:
    found = model("offline", summary_budget_tokens=40)
    assert isinstance(found, OfflineModel)
    assert found.summary_budget_tokens == 40


@for_each(
    "name",
    ["openai/anything", "gpt-4o", "ollama/llama3:8b", "ft:gpt-4o-2024-08-06:org::id"],
)
def test_other_names_are_litellm_models(name: str) -> None:
    found = model(name, api_key="sk-0123456789", timeout=5, retries=1, temperature=0)
    assert isinstance(found, LiteLLMModel)
    assert (found.name, found.timeout, found.retries) == (name, 5.0, 1)


@for_each(
    ("name", "words"),
    [
        ("", "No model was named"),
        ("  ", "No model was named"),
        (None, "No model was named"),
        ("openai/", "is not a model name"),
        ("/gpt-4o", "is not a model name"),
        ("gpt 4o", "is not a model name"),
        ("openai/gpt\x004o", "is not a model name"),
        ("gpt-4o-mimi", "gpt-4o-mini"),
        ("ofline", "did you mean offline"),
        ("nothing-like-it-anywhere", "provider/model"),
        ("text-embedding-3-small", "There is no model"),
    ],
)
def test_names_that_cannot_be_one_are_refused_in_one_sentence(
    name: str, words: str
) -> None:
    with pytest.raises(UnknownModelError) as caught:
        model(name)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert message.endswith(".")


@for_each("key", ["sk-abcdefghij0123456789", "AIzaSyabcdefghij0123456789"])
def test_a_key_in_place_of_a_name_is_not_repeated(key: str) -> None:
    with pytest.raises(UnknownModelError, match="looks like an API key") as caught:
        model(key)
    assert key not in str(caught.value) + repr(vars(caught.value))


def test_no_known_model_looks_like_a_key() -> None:
    for name in [*known_models(), *prices()]:
        if name != "offline" and " " not in name:
            assert model(name, api_key="sk-0123456789").name == name


def test_suggestions_start_with_offline_and_have_a_price() -> None:
    names = known_models()
    assert names[0] == "offline"
    assert {"openai", "anthropic", "gemini", "mistral", "ollama"} <= {
        name.partition("/")[0] for name in names
    }
    assert len(names) == len(set(names))
    for name in names[1:]:
        known = price(name)
        assert known is not None
        assert known.input_usd_per_token is not None
        assert known.mode == "chat"


# Keys


@pytest.fixture
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for groups in key_variables().values():
        for name in {name for group in groups for name in group}:
            monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("_no_keys")
@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("openai/anything", ("OPENAI_API_KEY",)),
        ("gpt-4o", ("OPENAI_API_KEY",)),
        ("azure/ours", ("AZURE_API_KEY", "AZURE_API_BASE")),
        ("scaleway/anything", ("SCW_SECRET_KEY",)),
        ("offline", ()),
        ("ollama/llama3", ()),
        ("nonsense/model", ()),
        ("nonsense", ()),
    ],
)
def test_missing_keys_are_named(name: str, missing: tuple[str, ...]) -> None:
    assert missing_keys(name) == missing


@pytest.mark.usefixtures("_no_keys")
def test_one_of_several_variables_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "key-0123456789")
    assert missing_keys("gemini/gemini-2.5-pro") == ()


@pytest.mark.usefixtures("_no_keys")
def test_an_empty_variable_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert missing_keys("openai/gpt-4o") == ("OPENAI_API_KEY",)


@pytest.mark.usefixtures("_no_keys")
def test_variables_are_those_that_litellm_asks_for() -> None:
    litellm = load_litellm()
    asked = {
        provider: set(
            litellm.validate_environment(f"{provider}/some-model")["missing_keys"]
        )
        for provider in key_variables()
    }
    known = {
        provider: {name for group in groups for name in group}
        for provider, groups in key_variables().items()
    }
    agreeing = [
        provider
        for provider, names in asked.items()
        if names and names & known[provider]
    ]
    assert [
        provider
        for provider, names in asked.items()
        if names and not names & known[provider]
    ] == []
    assert len(agreeing) > 15


def test_suggested_models_are_of_providers_whose_keys_are_known() -> None:
    providers = {provider_of(name) for name in known_models()[1:]}
    assert all(
        provider in key_variables() or provider.startswith(OWN_SIGN_IN)
        for provider in providers
    )


@pytest.mark.slow
def test_neither_naming_a_model_nor_missing_its_key_imports_litellm() -> None:
    code = f"""
import json, sys
from memviz.core.messages import Message
from {MissingKeyError.__module__} import {MissingKeyError.__name__}
from memviz.models.registry import known_models, missing_keys, model
found = model("openai/x")
missing = missing_keys("openai/x"), known_models()
try:
    found.complete([Message("user", "Hello")])
except {MissingKeyError.__name__}:
    print(json.dumps(["litellm" in sys.modules, missing[0]]))
"""
    environment = {
        name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"
    }
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert json.loads(ran.stdout) == [False, ["OPENAI_API_KEY"]]


@pytest.mark.slow
def test_litellm_is_imported_without_network_dotenv_or_telemetry() -> None:
    code = """
import json, os, socket, sys
def refuse(*args, **kwargs):
    raise SystemExit("looked up " + repr(args))
socket.getaddrinfo = refuse
from memviz.models.http_guard import load_litellm
litellm = load_litellm()
wanted = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_MODE", "HF_HUB_OFFLINE")
print(json.dumps([[os.environ[name] for name in wanted], litellm.telemetry, litellm.suppress_debug_info]))
"""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LITELLM", "HF_"))
    }
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert json.loads(ran.stdout) == [["True", "PRODUCTION", "1"], False, True]
