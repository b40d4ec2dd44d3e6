"""Embedding models asked over HTTP: a vector for each text, once, within a budget, with a sentence where it fails."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import memviz
from memviz import Log, Message
from memviz.core.model_errors import (
    BadKeyError,
    BudgetSpentError,
    MalformedReplyError,
    MissingVectorsError,
    ModelError,
    UnknownModelError,
    UnusableSummarizerError,
)
from memviz.models.embedding import (
    MOST_BYTES,
    TEXTS_A_CALL,
    Embedder,
    EmbeddingModel,
    KeptVectors,
)
from memviz.models.line import Interruptible
from tests.models import openai_server as answers
from tests.models.litellm_calls import KEY, Naps
from tests.models.openai_server import OpenAIServer, letters_of

NAME = "openai/text-embedding-3-small"


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    server.otherwise = answers.vectors
    return server


def asking(server: OpenAIServer, folder: Path | None = None, **options) -> Embedder:
    options = {"retries": 0, **options}
    return memviz.embedder(
        NAME, api_key=KEY, api_base=server.api_base, cache=folder, **options
    )


def unit(text: str) -> np.ndarray:
    vector = np.array(letters_of(text))
    return vector / np.linalg.norm(vector)


def texts_asked(server: OpenAIServer) -> list[list[str]]:
    return [one.body["input"] for one in server.requests]


def test_each_text_has_its_vector_of_length_1_whatever_the_order_they_come_in(
    server: OpenAIServer,
) -> None:
    texts = ["abc", "a passport", "zoo"]
    found = asking(server)(NAME, texts)
    assert [one.path for one in server.requests] == ["/v1/embeddings"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body["model"] == "text-embedding-3-small"
    for text, vector in zip(texts, found, strict=True):
        assert vector == pytest.approx(unit(text), abs=1e-6)


def test_a_text_that_comes_twice_is_asked_for_once(server: OpenAIServer) -> None:
    found = asking(server)(NAME, ["abc", "zoo", "abc"])
    assert texts_asked(server) == [["abc", "zoo"]]
    assert np.array_equal(found[0], found[2])


def test_many_texts_are_asked_for_in_calls_of_a_bounded_size_and_long_ones_cut(
    server: OpenAIServer,
) -> None:
    texts = [f"text {'abc' * (number % 7)} {number}" for number in range(200)]
    found = asking(server)(NAME, [*texts, "x" * 100_000])
    assert len(found) == 201
    assert [len(one) for one in texts_asked(server)] == [
        TEXTS_A_CALL,
        TEXTS_A_CALL,
        201 - 2 * TEXTS_A_CALL,
    ]
    assert len(texts_asked(server)[-1][-1]) == MOST_BYTES
    server.requests.clear()
    asking(server)(NAME, [f"{number} " + "y" * 9000 for number in range(20)])
    assert [len(one) for one in texts_asked(server)] == [12, 8]


def test_no_text_is_paid_twice_by_whoever_asks_with_the_same_folder(
    server: OpenAIServer, tmp_path: Path
) -> None:
    asking(server, tmp_path)(NAME, ["one", "two"])
    again = asking(server, tmp_path)(NAME, ["two", "three", "one"])
    assert texts_asked(server) == [["one", "two"], ["three"]]
    assert again[0] == pytest.approx(unit("two"), abs=1e-6)
    kept = pickle.loads(pickle.dumps(KeptVectors(tmp_path)))  # noqa: S301
    assert kept(NAME, ["three"])[0] == pytest.approx(unit("three"), abs=1e-6)
    for model, text in ((NAME, "four"), ("openai/another", "one")):
        with pytest.raises(MissingVectorsError, match=r"was not asked .* 1 text yet"):
            kept(model, [text])
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert KEY.encode() not in content
    assert len(server.requests) == 2


def test_two_servers_of_one_name_have_vectors_of_their_own(
    server: OpenAIServer, tmp_path: Path
) -> None:
    log = Log([Message("user", "one"), Message("assistant", "two")])
    log.kept_vectors = KeptVectors(tmp_path)
    with answers.openai_server() as other:
        other.otherwise = answers.vectors_of(lambda text: [1.0, float(len(text))])
        first = asking(server, tmp_path)
        second = asking(other, tmp_path)
        assert first(NAME, ["one"])[0] == pytest.approx(unit("one"), abs=1e-6)
        assert len(second(NAME, ["one"])[0]) == 2
        # Who knows the name alone has those of the server that was asked last, also in another process.
        assert len(KeptVectors(tmp_path)(NAME, ["one"])[0]) == 2
        with first:
            assert log.vector_index(NAME).dimensions == len(unit("one"))
        with second:
            assert log.vector_index(NAME).dimensions == 2
        assert texts_asked(server) == [["one"], ["two"]] == texts_asked(other)
    again = asking(server, tmp_path)
    assert again(NAME, ["one"])[0] == pytest.approx(unit("one"), abs=1e-6)
    assert log.vector_index(NAME).dimensions == len(unit("one"))
    assert len(KeptVectors(tmp_path)(NAME, ["one"])[0]) == len(unit("one"))
    assert len(server.requests) == 2


def test_nothing_is_made_where_nothing_was_kept(tmp_path: Path) -> None:
    folder = tmp_path / "none"
    with pytest.raises(MissingVectorsError):
        KeptVectors(folder)(NAME, ["one"])
    assert not folder.exists()


def test_what_was_answered_before_a_failure_is_kept(
    server: OpenAIServer, tmp_path: Path
) -> None:
    texts = [f"text {number}" for number in range(TEXTS_A_CALL + 4)]
    server.then(answers.vectors, answers.status(500, "broken"))
    with pytest.raises(ModelError):
        asking(server, tmp_path)(NAME, texts)
    asking(server, tmp_path)(NAME, texts)
    assert [len(one) for one in texts_asked(server)] == [TEXTS_A_CALL, 4, 4]


def test_a_failure_that_may_pass_is_tried_again(server: OpenAIServer) -> None:
    naps = Naps()
    server.then(answers.status(503, "busy"), answers.status(429, "Slow down"))
    asked = asking(server, retries=3, sleep=naps)
    assert asked(NAME, ["one"])[0] == pytest.approx(unit("one"), abs=1e-6)
    assert len(server.requests) == 3


def test_the_budget_holds_before_a_call_and_books_what_it_did_cost(
    server: OpenAIServer,
) -> None:
    budget = memviz.Budget(1.0)
    asking(server, budget=budget)(NAME, ["a" * 1000])
    # The server counts a token for each letter; a million cost 0.02 dollars.
    assert budget.spent_usd == pytest.approx(1000 * 0.02 / 1e6)
    assert budget.uncertain_usd == 0
    small = memviz.Budget(1e-9)
    with pytest.raises(BudgetSpentError, match=r"allows no further call"):
        asking(server, budget=small)(NAME, ["a" * 1000])
    assert len(server.requests) == 1


def test_a_price_entered_by_hand_counts_and_an_unknown_one_is_refused(
    server: OpenAIServer,
) -> None:
    options = {"api_key": KEY, "api_base": server.api_base}
    budget = memviz.Budget(1.0)
    own = memviz.embedder("openai/own", budget=budget, usd_per_million=2.0, **options)
    own("openai/own", ["a" * 500])
    assert budget.spent_usd == pytest.approx(0.001)
    with pytest.raises(memviz.ParameterError, match="price is known"):
        memviz.embedder("openai/own", budget=budget, **options)


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1, 2]}]},
    ],
)
def test_an_answer_without_a_vector_for_each_text_is_one_sentence(
    server: OpenAIServer, body: dict
) -> None:
    server.then(answers.raw(json.dumps({"object": "list", "model": "m", **body})))
    with pytest.raises(ModelError) as caught:
        asking(server)(NAME, ["one", "two"])
    assert isinstance(caught.value, MalformedReplyError)
    assert NAME in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_wrong_key_ends_the_work_with_a_sentence_without_it(
    server: OpenAIServer,
) -> None:
    server.otherwise = answers.status(
        401, f"Incorrect API key provided: {KEY}", "invalid_api_key"
    )
    embedder = asking(server, retries=3)
    with pytest.raises(UnusableSummarizerError, match=r"refused") as caught:
        embedder(NAME, ["one"])
    assert KEY not in str(caught.value) + repr(embedder.model)
    assert len(server.requests) == 1
    plain = EmbeddingModel(NAME, api_key=KEY, api_base=server.api_base, retries=0)
    assert KEY not in repr(plain) + str(pickle.dumps(plain))
    with pytest.raises(BadKeyError):
        Embedder(plain)(NAME, ["one"])


def test_a_name_that_cannot_be_one_is_refused_and_a_key_in_its_place_not_repeated() -> (
    None
):
    with pytest.raises(UnknownModelError) as caught:
        memviz.embedder(KEY)
    assert KEY not in str(caught.value)


def test_a_call_is_left_at_once_while_the_server_says_nothing(
    server: OpenAIServer,
) -> None:
    class StoppedError(Exception):
        """Somebody clicked."""

    def look_up() -> None:
        if server.requests:
            raise StoppedError

    server.otherwise = answers.slow(30)
    asked = EmbeddingModel(NAME, api_key=KEY, api_base=server.api_base, retries=5)
    with pytest.raises(StoppedError):
        Embedder(Interruptible(asked, look_up))(NAME, ["one"])
    assert len(server.requests) == 1
