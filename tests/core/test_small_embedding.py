"""The vectors of a small embedding: those of its package, read without it and without any other machine."""

from __future__ import annotations

import pickle
import socket
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import memviz
from memviz import Log, Message
from memviz.core import small_embedding
from memviz.core.errors import MissingLibraryError
from memviz.core.small_embedding import KEPT, embed
from memviz.core.vectors import VectorIndex
from tests.strategies.looked_up import embed_by_letters
from tests.tables import for_each

needs_wordllama = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="wordllama is not installed"
)
TEXTS = (
    "Where is my passport?",
    "我的护照在蓝色抽屉里。",
    "  two\n\nlines, 3,000 and an emoji 🦙",
    "x",
    "one and another " * 3000,
)


@pytest.fixture
def nothing_kept() -> Iterator[None]:
    """Neither vectors nor the package's files, before and after the test."""
    KEPT.remove_where_key(lambda _: True)
    small_embedding._load.cache_clear()
    yield
    KEPT.remove_where_key(lambda _: True)
    small_embedding._load.cache_clear()


@needs_wordllama
@for_each("text", TEXTS)
def test_a_vector_is_that_of_the_package_itself(text: str) -> None:
    import wordllama

    folder = Path(wordllama.__file__).parent
    own = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    expected = own.embed(text, norm=True)[0]
    assert embed(text).shape == (small_embedding.DIMENSIONS,) == expected.shape
    assert embed(text) == pytest.approx(expected, abs=1e-5)


@needs_wordllama
@pytest.mark.usefixtures("nothing_kept")
def test_a_vector_is_kept_by_a_hash_of_its_text() -> None:
    text = "a long text " * 1000
    assert embed(text) is embed(text[:-1] + " ")
    assert len(KEPT) == 1
    assert not KEPT.remove_where_key(lambda key: len(key) != 32)


@needs_wordllama
def test_a_text_without_tokens_is_near_to_nothing() -> None:
    assert not embed("").any()


@needs_wordllama
@pytest.mark.usefixtures("nothing_kept")
def test_no_other_machine_is_asked_and_the_package_is_not_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_args: object, **_values: object) -> None:
        raise AssertionError("a connection")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    assert embed("Where is my passport?").any()
    assert "wordllama" not in sys.modules


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize(
    "held", [None, small_embedding.TOKENIZER, small_embedding.WEIGHTS]
)
def test_what_is_missing_is_one_sentence_with_the_command(
    held: Path | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = None
    if held is not None:  # a package of another version, with one of its files
        file = tmp_path / held
        file.parent.mkdir()
        file.touch()
        origin = str(tmp_path / "__init__.py")
        found = ModuleSpec("wordllama", None, origin=origin)
    monkeypatch.setattr(small_embedding, "find_spec", lambda name: found)
    asked = memviz.strategy("retrieval", embedding_percent=30)
    with pytest.raises(
        MissingLibraryError, match=r"pip install 'memviz\[embeddings\]'\.$"
    ):
        memviz.replay([Message("user", "Where is it?")] * 9, asked)


def test_words_alone_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_embedding, "_load", None)
    memviz.replay([Message("user", "Where?")] * 9, memviz.strategy("retrieval"))


MESSAGES = [
    Message("user", "Where is it?", name="Ana"),
    Message("assistant", "", tool_calls=({"id": "a", "function": {"name": "f"}},)),
    Message("tool", "Where is it?", tool_call_id="a"),
    Message("assistant", "Where is it?"),
    Message("user", "Nothing."),
    Message("assistant", "Where is it?"),
]


@pytest.fixture
def by_letters(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were embedded, by a stand-in."""
    asked = []

    def embed(text: str) -> np.ndarray:
        asked.append(text)
        return embed_by_letters(text)

    monkeypatch.setattr(small_embedding, "embed", embed)
    return asked


def test_each_message_that_can_be_brought_back_is_embedded_once_with_its_speaker(
    by_letters: list[str],
) -> None:
    log = Log(MESSAGES[:3])
    log.vector_index()
    log.extend(MESSAGES[3:])
    near = log.vector_index().nearness("Where is it?", 0, 6)
    assert by_letters == [
        "Ana: Where is it?",
        "",
        "",
        "Where is it?",
        "Nothing.",
        "Where is it?",
        "Where is it?",
    ]
    assert near[3] == near[5] == pytest.approx(1)
    assert 0 < near[4] < near[0] < 1
    assert not near[1:3].any()
    again = VectorIndex()
    again.extend(MESSAGES)
    assert again.nearness("Where is it?", 0, 6).tolist() == near.tolist()


@pytest.mark.usefixtures("by_letters")
def test_what_was_said_later_changes_no_score() -> None:
    short = Log(MESSAGES[:4]).vector_index().nearness("Is it near?", 1, 4)
    index = pickle.loads(pickle.dumps(Log(MESSAGES).vector_index()))  # noqa: S301
    assert index.nearness("Is it near?", 1, 4).tolist() == short.tolist()
    assert index.nearness("Is it near?", 4, 4).tolist() == []


def test_what_is_said_to_the_contrary_is_not_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def embed(text: str) -> np.ndarray:
        vector = np.zeros(small_embedding.DIMENSIONS, np.float32)
        vector[0] = -1 if text == "no" else 1
        return vector

    monkeypatch.setattr(small_embedding, "embed", embed)
    log = Log([Message("user", "no"), Message("assistant", "yes")])
    assert log.vector_index().nearness("yes", 0, 2).tolist() == [0, 1]
