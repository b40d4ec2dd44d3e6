"""A server whose certificate proves nothing is not one where nothing answers."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from memviz.core.model_errors import ConnectionRefusedModelError
from memviz.models.litellm_client import LiteLLMModel
from tests.models.litellm_calls import HELLO, KEY, NAME, Naps, check_sentence, failure
from tests.models.openai_server import OpenAIServer, openai_server

pytestmark = pytest.mark.usefixtures("no_provider_keys")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that a server of one's own has, signed by itself, with its key in the same file."""
    if which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    key, itself = folder / "key.pem", folder / "certificate.pem"
    order = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
    ]
    names = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(key),
        "-out",
        str(itself),
    ]
    subprocess.run([*order, *names], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(key.read_bytes() + itself.read_bytes())
    return both


@pytest.fixture
def untrusted(_warm: None, certificate: Path) -> Iterator[OpenAIServer]:
    with openai_server() as running:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        running.socket = context.wrap_socket(running.socket, server_side=True)
        yield running


def asked(address: str, name: str = NAME) -> tuple[LiteLLMModel, Naps]:
    naps = Naps()
    return LiteLLMModel(
        name, api_key=KEY, api_base=address, retries=2, sleep=naps
    ), naps


@pytest.mark.parametrize(
    "name", [NAME, "mistral/mistral-small", "anthropic/claude-sonnet-4-5"]
)
def test_a_certificate_that_signed_itself_is_said_to_be_one(
    untrusted: OpenAIServer, name: str
) -> None:
    address = untrusted.api_base.replace("http:", "https:")
    model, naps = asked(address, name)
    error, _ = failure(model)
    assert type(error) is ConnectionRefusedModelError
    check_sentence(error, name)
    assert str(error).startswith(
        f"The certificate of {address} proves nothing to this machine (self-signed cert"
    )
    assert "SSL_CERT_FILE" in str(error)
    assert (untrusted.requests, naps) == ([], []), "it would be the same one again"


def test_a_server_without_https_is_said_to_be_one(server: OpenAIServer) -> None:
    model, naps = asked(server.api_base.replace("http:", "https:"))
    error, _ = failure(model)
    check_sentence(error)
    assert "does not speak HTTPS" in str(error)
    assert naps == []
    assert asked(server.api_base)[0].complete(HELLO).text == "Hello there."
