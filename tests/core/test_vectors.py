"""The vectors of messages by a named embedding, from wherever they come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memviz import Log, MemvizError, Message
from memviz.core.model_errors import MissingVectorsError
from memviz.core.vectors import VectorIndex, vectors_from


class Source:
    """Gives vectors of ``size`` numbers, and remembers the texts that it gave them for."""

    def __init__(self, size: int = 2) -> None:
        self.size = size
        self.asked: list[list[str]] = []

    def __call__(self, model: str, texts: Sequence[str]) -> list[np.ndarray]:
        self.asked.append([*texts])
        return [np.eye(self.size, dtype=np.float32)[len(text) % 2] for text in texts]


SAID = [Message("user", "odd"), Message("assistant", "even"), Message("user", "odd")]
CALLED = Message("assistant", "", tool_calls=({"id": "a", "function": {"name": "f"}},))


def test_each_text_is_asked_for_once_and_none_that_says_nothing() -> None:
    source = Source()
    log = Log([*SAID, Message("user", "  ")])
    with vectors_from(source):
        index = log.vector_index("some/model")
        assert index.nearness("odd", 0, 4).tolist() == [1, 0, 1, 0]
        log.append(Message("assistant", "one more"))
        index = log.vector_index("some/model")
        assert index.nearness("other", 0, 5).tolist() == [1, 0, 1, 0, 0]
        assert not index.nearness("", 0, 5).any()
    assert source.asked == [["odd", "even"], ["one more"], ["other"]]
    assert (index.name, index.dimensions) == ("some/model", 2)


def test_messages_without_a_text_wait_for_the_first_that_has_one() -> None:
    with vectors_from(Source()):
        log = Log([CALLED])
        assert log.vector_index("some/model").nearness("odd", 0, 1).tolist() == [0]
        log.extend(SAID)
        near = log.vector_index("some/model").nearness("odd", 0, 4)
    assert near.tolist() == [0, 1, 0, 1]


def test_two_models_have_vectors_of_their_own() -> None:
    first, second = Source(2), Source(3)
    log = Log(SAID)
    for name, source in (("first", first), ("second", second)):
        with vectors_from(source):
            assert log.vector_index(name).dimensions == source.size
    assert first.asked == second.asked


def test_kept_vectors_are_read_where_nobody_is_asked() -> None:
    log = Log(SAID)
    kept = Source()
    log.kept_vectors = kept
    asked = Source()
    with vectors_from(asked):
        log.prefix(1).vector_index("some/model")
    log.prefix(2).vector_index("some/model")
    assert (asked.asked, kept.asked) == ([["odd"]], [["odd", "even"]])
    with pytest.raises(MissingVectorsError, match="vectors of 2 texts"):
        Log(SAID).vector_index("some/model")


def test_vectors_of_other_lengths_are_another_models() -> None:
    index = VectorIndex("some/model")
    with vectors_from(Source(2)):
        index.extend(SAID)
    with vectors_from(Source(3)), pytest.raises(MemvizError, match="different lengths"):
        index.extend([*SAID, Message("user", "later")])
    assert index.nearness("odd", 0, 3).tolist() == [1, 0, 1]
