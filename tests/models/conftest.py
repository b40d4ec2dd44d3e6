"""What the tests of real HTTP calls share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.models.litellm_calls import HELLO, client
from tests.models.openai_server import OpenAIServer, openai_server


@pytest.fixture(scope="session")
def _warm() -> None:
    """The first call of a process takes half a second, which would count against short timeouts."""
    with openai_server() as server:
        client(server).complete(HELLO)


@pytest.fixture
def server(_warm: None) -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def no_provider_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_API_BASE",
        "OPENAI_BASE_URL",
        "MISTRAL_API_KEY",
        "NADIR_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
