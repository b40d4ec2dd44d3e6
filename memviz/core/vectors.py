"""Vectors of texts by the embedding that a strategy names: where they come from, and how near texts are to a question.

The small embedding is computed on this machine. The vectors of any other model are asked for by whoever runs the
strategy, once for each text, and kept; a strategy only reads them, so that a replay stays the same however often it is
made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memviz.core import small_embedding
from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.core.model_errors import (
    BudgetSpentError,
    MissingVectorsError,
    ModelError,
    UnusableSummarizerError,
)
from memviz.core.shared_growth import SharedGrowth
from memviz.core.small_embedding import hash_of
from memviz.core.translation import _, noop
from memviz.core.word_index import is_text, said_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = Sequence[NDArray[np.float32]]

VectorSource = Callable[[str, Sequence[str]], "Vectors"]
"""Gives the vectors, each of length 1, of different texts by the embedding model of a name. Raises
:class:`MissingVectorsError` where it does not have them and may not ask, and :class:`ModelError` where asking fails."""

OTHER_SIZES = noop(
    "The vectors of {model} have different lengths: another model has its name. Give that one a name of its own."
)
NO_VECTORS = (
    MissingVectorsError,
    ModelError,
    BudgetSpentError,
    UnusableSummarizerError,
)
"""The errors of a source that does not have the vectors that a request is chosen by."""
_SOURCE: ContextVar[VectorSource | None] = ContextVar("vectors", default=None)


@contextmanager
def vectors_from(source: VectorSource) -> Iterator[None]:
    """A block in which strategies have their vectors from ``source``, which may ask a model. One with a method
    ``server_of`` tells by the name of a model whose vectors it gives: two servers may have one name."""
    before = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(before)


def server_of_vectors(model: str, kept: VectorSource | None) -> str:
    """Return what tells the server that a model's vectors come from here and now apart from others under its name, as
    the source or else what is ``kept`` says; empty where nobody says."""
    find_server = getattr(_SOURCE.get() or kept, "server_of", None)
    return find_server(model) if model and find_server else ""


def texts_of(messages: Iterable[Message]) -> list[str]:
    """The texts of the messages that can be looked up, with the name of who spoke, each once."""
    texts = (said_by(message) for message in messages if is_text(message))
    return [text for text in dict.fromkeys(texts) if text.strip()]


@dataclass(eq=False, repr=False)
class VectorIndex(SharedGrowth):
    """The vectors of messages by one embedding, append-only: of those that can be looked up, with the name of who
    spoke."""

    model: str = ""
    """The name of the embedding model; empty for the small embedding."""
    kept: VectorSource | None = None
    """Vectors that were paid before."""
    _length: int = 0
    _vectors: NDArray[np.float32] | None = None
    _rows: dict[bytes, int] = field(default_factory=dict)
    """The row of the vector of each text, by a hash of the text."""
    _questions: dict[bytes, NDArray[np.float32]] = field(default_factory=dict)
    """The vectors of questions that are no message, by a hash of the question."""

    @property
    def name(self) -> str:
        """The name of the embedding that it is made by."""
        return self.model or small_embedding.NAME

    @property
    def dimensions(self) -> int:
        """The number of values of a vector, 0 as long as there is none."""
        return 0 if self._vectors is None else self._vectors.shape[1]

    def extend(self, messages: Sequence[Message]) -> None:
        """Embed the messages that were not read yet. Raises :class:`MissingLibraryError` without wordllama, and what
        a :data:`VectorSource` raises."""
        import numpy as np  # only a search waits for it

        if self._length >= len(messages):
            return
        with self._extending:
            texts = [
                said_by(message) if is_text(message) else ""
                for message in messages[self._length :]
            ]
            vectors = self._embed(texts)
            if self.dimensions:
                # This copies no more than one search reads.
                vectors = np.concatenate([self._vectors, vectors])
            elif self._length:
                silent = np.zeros((self._length, vectors.shape[1]), np.float32)
                vectors = np.concatenate([silent, vectors])
            if self.model:
                for row, text in enumerate(texts, self._length):
                    self._rows[hash_of(text)] = row
            self._vectors = vectors
            self._length = len(vectors)

    def nearness(self, question: str, start: int, stop: int) -> NDArray[np.float64]:
        """The cosines [``stop`` - ``start``] between a question and the messages at positions ``[start, stop)``; 0 for
        a message that is not looked up, and where it would be below."""
        import numpy as np  # only a search waits for it

        vectors = self._vectors
        if vectors is None or not self.dimensions or stop <= start:
            return np.zeros(max(0, stop - start))
        question_vector = self._embed_question(question, vectors)
        # Unlike a product of matrices it gives equal texts equal numbers, wherever they stand.
        cosines = np.vecdot(vectors[start:stop], question_vector)
        return np.array(np.maximum(cosines, 0), np.float64)

    def _embed_question(
        self, question: str, vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        if not self.model:
            return small_embedding.embed(question)
        # A question that is a message of the log has its vector there; another one is asked for once.
        key = hash_of(question)
        if key in self._rows:
            vector: NDArray[np.float32] = vectors[self._rows[key]]
            return vector
        if key not in self._questions:
            self._questions[key] = self._embed([question])[0]
        return self._questions[key]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of these texts; zeros for one that says nothing."""
        import numpy as np  # only a search waits for it

        if not self.model:
            small_vectors = [small_embedding.embed(text) for text in texts]
            rows = np.array(small_vectors, np.float32)
            return rows.reshape(-1, small_embedding.DIMENSIONS)
        filled_texts = list(dict.fromkeys(text for text in texts if text.strip()))
        if not filled_texts:
            return np.zeros((len(texts), self.dimensions), np.float32)
        source = _SOURCE.get() or self.kept
        if source is None:
            raise MissingVectorsError(self.model, len(filled_texts))
        vectors = source(self.model, filled_texts)
        sizes = {self.dimensions or len(vectors[0]), *map(len, vectors)}
        if len(sizes) > 1:
            raise MemvizError(_(OTHER_SIZES, model=self.model))
        by_text = dict(zip(filled_texts, vectors, strict=True))
        nothing = np.zeros(sizes.pop(), np.float32)
        return np.array([by_text.get(text, nothing) for text in texts], np.float32)


@dataclass(eq=False, repr=False)
class VectorIndexes:
    """The vectors of the same messages by several embeddings, those of two servers under one name apart."""

    _by_server: dict[tuple[str, str], VectorIndex] = field(default_factory=dict)
    _last_servers: dict[str, str] = field(default_factory=dict)

    def of(self, model: str, kept: VectorSource | None) -> VectorIndex:
        """The index by this embedding, of the server that its vectors come from now; where nobody says which one that
        is, of the one before."""
        server = server_of_vectors(model, kept) or self._last_servers.get(model, "")
        self._last_servers[model] = server
        unread = VectorIndex(model, kept)
        return self._by_server.setdefault((model, server), unread)
