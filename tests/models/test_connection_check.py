"""What a test of a connection finds, over real HTTP against a server on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from memviz.models import connection_check
from memviz.models.access import ModelAccess
from memviz.models.budget import Spending
from memviz.models.budgeted import VisitorModel
from memviz.models.connection_check import (
    ORDER,
    PING,
    QUESTION,
    ConnectionReport,
    answer_tokens,
    check_bound,
    check_connection,
    is_dear,
    list_served_models,
)
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.registry import known_models
from tests.models.connection_replies import CALLED, COUNTED, listing
from tests.models.litellm_calls import FAILURES, KEY, NAME, SHORT_TIMEOUT, client
from tests.models.openai_server import Answer, OpenAIServer, raw, slow, status, text

OUR_OWN = "openai/our-own-model"
VISITOR = ModelAccess(environment_keys=False, private_base_urls=False)


def checked(
    server: OpenAIServer,
    spending: Spending | None = None,
    name: str = NAME,
    **settings: float,
) -> ConnectionReport:
    model = VisitorModel(
        client(server, name, **settings), spending or Spending(), answer_tokens(name)
    )
    return check_connection(
        model, lambda: list_served_models(name, api_key=KEY, api_base=server.api_base)
    )


def words(report: ConnectionReport) -> list[str]:
    said = [finding.words for finding in report.findings]
    assert all(KEY not in one and one.endswith(".") and "\n" not in one for one in said)
    return said


def test_a_model_that_can_do_all(server: OpenAIServer) -> None:
    server.then(COUNTED, listing("gpt-4o-mini", "another"), CALLED)
    spending = Spending()
    report = checked(server, spending)
    first, *others = words(report)
    assert first.startswith("It answers: ")
    assert others == [
        "Its server lists gpt-4o-mini.",
        "Its answers stream: this one came in 5 pieces.",
        "It takes tools: it called the one that it was offered.",
        "A million tokens cost $0.15 in and $0.60 out, by litellm's list.",
    ]
    assert report.works
    assert {finding.verdict for finding in report.findings} == {"yes"}
    assert spending.calls == 2, "and its cost counts as spent"
    asked, listed, tools = server.requests
    assert (asked.body["max_tokens"], tools.body["max_tokens"]) == (100, 100)
    assert tools.body["tools"][0]["function"]["name"] == "ping"
    assert listed.path == "/v1/models"
    assert listed.headers["authorization"] == f"Bearer {KEY}"


def test_it_costs_no_more_than_was_said(server: OpenAIServer) -> None:
    usage = {"prompt_tokens": 60, "completion_tokens": 100, "total_tokens": 160}
    server.then(text("1, 2", usage=usage), listing(), text("No.", usage=usage))
    spending = Spending()
    checked(server, spending)
    assert 0 < spending.spent_usd <= check_bound(NAME).usd < 0.01


def test_it_costs_a_fraction_of_a_cent_and_with_the_dearest_models_a_few() -> None:
    for name in known_models()[1:]:
        bound, dear = check_bound(name).usd, is_dear(name)
        assert bound < (0.02 if dear else 0.005), name
        model = VisitorModel(
            LiteLLMModel(name, api_key="x"), Spending(), answer_tokens(name)
        )
        tools = 0.0 if dear else model.most_usd(ORDER, [PING])
        assert model.most_usd(QUESTION) + tools <= bound, (
            "a budget of that much is enough"
        )


def test_of_a_dear_model_the_list_is_believed(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_check, "DEAR_USD", 1e-9)
    server.then(COUNTED, listing())
    report = checked(server)
    assert (
        "It takes tools, by litellm's list. That was not tried, since a call is dear."
        in words(report)
    )
    assert [request.path for request in server.requests] == [
        "/v1/chat/completions",
        "/v1/models",
    ]
    assert server.requests[0].body["max_tokens"] == 16
    assert check_bound(NAME).usd < 2e-4


def test_a_server_that_ignores_names_is_told_by_its_list(server: OpenAIServer) -> None:
    server.then(COUNTED, listing("qwen3", "llama"), CALLED)
    assert (
        "Its server answers to the name our-own-model, but lists qwen3 and llama."
        in words(checked(server, None, OUR_OWN))
    )


def test_what_is_not_so_sure(server: OpenAIServer) -> None:
    server.then(
        text("12345", usage=None), status(404, "no list"), text("I would rather not.")
    )
    spending = Spending()
    said = words(checked(server, spending, OUR_OWN))
    assert said[1:] == [
        "It answers under the name our-own-model.",
        "Its answer came in one piece, so it may not stream.",
        "It was offered a tool and told to call it, and answered without: it may not take tools.",
        "It does not say how many tokens it used, so each call counts as the most it may have cost.",
        "Its price is not known: its calls are counted, but no budget in dollars holds them.",
    ]
    assert spending.unpriced_calls == 2


def test_a_model_that_takes_no_tools(server: OpenAIServer) -> None:
    server.then(COUNTED, listing(), status(400, "This model does not support tools"))
    (finding,) = [one for one in checked(server).findings if one.verdict == "no"]
    assert "takes no tools" in finding.words


def test_a_model_that_thinks_for_longer_than_the_test(server: OpenAIServer) -> None:
    server.then(text("", finish_reason="length"), listing("gpt-4o-mini"), CALLED)
    report = checked(server)
    assert report.works
    assert (
        "It thinks longer than this test lets it, so whether its answers stream was not seen."
        in words(report)
    )


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(set(FAILURES) - {"output limit"}))
def test_each_failure_is_one_clear_sentence_without_the_key(
    server: OpenAIServer, fault: str
) -> None:
    answer, _, _ = FAILURES[fault]
    server.then(answer)
    server.otherwise = listing("served-model")
    report = checked(
        server,
        timeout=SHORT_TIMEOUT if fault in ("slow", "stall before any text") else 60.0,
    )
    assert not report.works
    assert report.findings[0].verdict == "no"
    assert all(KEY not in one for one in words(report))


def test_a_name_that_the_server_does_not_know_is_told_what_it_serves(
    server: OpenAIServer,
) -> None:
    server.then(
        status(404, "The model `x` does not exist", "model_not_found"),
        listing(*"abcdefg", "x" * 500),
    )
    said = words(checked(server))
    assert "There is no model" in said[0]
    assert said[1] == "Its server lists a, b, c, d, e and 3 more."


def test_an_address_where_nobody_answers(server: OpenAIServer) -> None:
    model = client(server, api_base="http://127.0.0.1:9/v1")
    (finding,) = check_connection(VisitorModel(model, Spending(), 100)).findings
    assert finding.words.startswith("Nothing answers at http://127.0.0.1:9/v1")


def test_a_budget_that_is_reached_is_said_like_any_failure(
    server: OpenAIServer,
) -> None:
    (finding,) = checked(server, Spending(0.0)).findings
    assert "The budget of $0 allows no further call" in finding.words
    assert not server.requests


# The list of models


def test_a_key_that_a_list_holds_is_not_shown(server: OpenAIServer) -> None:
    server.then(listing(f"model-{KEY}"))
    names = list_served_models(NAME, api_key=KEY, api_base=server.api_base)
    assert names
    assert KEY not in names[0]


@pytest.mark.parametrize(
    "answer",
    [
        raw("not json"),
        raw("[]"),
        raw('{"data": 1}'),
        raw('{"data": [1, {"id": 2}]}'),
        status(401, "no"),
        status(302, "", Location="http://127.0.0.1:9/v1/models"),
        raw('{"data": "' + "x" * 3_000_000 + '"}'),
    ],
)
def test_a_list_that_is_none_says_nothing(server: OpenAIServer, answer: Answer) -> None:
    server.then(answer)
    assert not list_served_models(NAME, api_key=KEY, api_base=server.api_base)


def test_a_list_that_does_not_come_is_not_waited_for(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_check, "LIST_SECONDS", 0.2)
    server.then(slow(30))
    assert list_served_models(NAME, api_key=KEY, api_base=server.api_base) is None


def test_no_other_key_goes_along_and_visitors_reach_no_private_address(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator-0123456789")
    server.otherwise = listing("gpt-4o-mini")
    assert list_served_models(NAME, api_base=server.api_base) == ("gpt-4o-mini",)
    assert "authorization" not in server.requests[0].headers
    assert (
        list_served_models(NAME, api_key=KEY, api_base=server.api_base, access=VISITOR)
        is None
    )
    assert list_served_models(NAME, api_key=KEY) is None
    assert (
        list_served_models(
            "anthropic/claude-opus-4-1", api_key=KEY, api_base=server.api_base
        )
        is None
    )
    assert len(server.requests) == 1


def test_nothing_of_it_is_written_to_disk(
    server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server.then(COUNTED, listing(), CALLED)
    checked(server)
    assert not list(tmp_path.rglob("*"))
