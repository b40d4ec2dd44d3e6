"""The server that the other tests ask."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.models import openai_server as answers
from tests.models.litellm_calls import client, failure
from tests.models.openai_server import openai_server


def test_a_server_that_has_ended_answers_for_no_other_on_its_port() -> None:
    """Clients keep connections by address, and the system soon gives the same port to another test's server."""
    with openai_server() as first:
        first.then(answers.status(400, "from the first"))
        assert "from the first" in str(failure(client(first))[0])
        port = urlsplit(first.api_base).port
    assert port
    with openai_server(port) as second:
        second.then(answers.status(400, "from the second"))
        assert "from the second" in str(failure(client(second))[0])
    assert (len(first.requests), len(second.requests)) == (1, 1)
