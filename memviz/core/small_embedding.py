"""A small embedding: vectors of what is said, computed on this machine, and how near messages are to a question.

The vectors are those of wordllama, whose weights lie in its own package (the extra ``embeddings``). They are read from
there without importing it: that would set up the logging of the whole process, and how it loads them may ask another
machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memviz.core.errors import MissingLibraryError
from memviz.core.messages import Message
from memviz.core.shared_growth import SharedGrowth
from memviz.core.translation import _, noop
from memviz.core.word_index import is_text, said_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

NAME = "wordllama l2_supercat"
DIMENSIONS = 256
TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
WEIGHTS = Path("weights", f"l2_supercat_{DIMENSIONS}.safetensors")
MISSING = noop(
    "A small embedding needs the package wordllama 0.4, which is not installed here. Run: "
    "pip install 'memviz[embeddings]'."
)
KEPT_TEXTS = 20_000
"""So many vectors are kept by their text, a kilobyte each."""
TOKENS_AT_ONCE = 8192
"""A text may be as long as a book: the vectors of so many of its tokens are in memory at a time."""


class VectorIndex(SharedGrowth):
    """The vectors of a log's messages, append-only: of those that can be looked up, with the name of who spoke."""

    def __init__(self) -> None:
        super().__init__()
        self._length = 0
        self._vectors: NDArray[np.float32] | None = None

    def extend(self, messages: Sequence[Message]) -> None:
        """Embed the messages that were not read yet. Raises :class:`MissingLibraryError` without wordllama."""
        import numpy as np  # only a search waits for it

        if self._length >= len(messages):
            return
        with self._extending:
            new = [
                embed(said_by(message) if is_text(message) else "")
                for message in messages[self._length :]
            ]
            vectors = np.array(new, np.float32).reshape(-1, DIMENSIONS)
            if self._vectors is not None:
                # This copies no more than one search reads.
                vectors = np.concatenate([self._vectors, vectors])
            self._vectors = vectors
            self._length = len(vectors)

    def nearness(self, question: str, start: int, stop: int) -> NDArray[np.float64]:
        """The cosines [``stop`` - ``start``] between a question and the messages at positions ``[start, stop)``; 0 for
        a message that is not looked up, and where it would be below."""
        import numpy as np  # only a search waits for it

        if self._vectors is None or stop <= start:
            return np.zeros(0)
        # Unlike a product of matrices it gives equal texts equal numbers, wherever they stand.
        cosines = np.vecdot(self._vectors[start:stop], embed(question))
        return np.array(np.maximum(cosines, 0), np.float64)


@lru_cache(maxsize=KEPT_TEXTS)
def embed(text: str) -> NDArray[np.float32]:
    """Return the vector of a text, of length 1: the mean of the vectors of its tokens; zeros where it has none. Raises
    :class:`MissingLibraryError` without wordllama."""
    import numpy as np  # only a search waits for it

    tokenizer, weights = _load()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    blocks = range(0, len(ids), TOKENS_AT_ONCE)
    sums = (weights[ids[at : at + TOKENS_AT_ONCE]].sum(axis=0) for at in blocks)
    total = sum(sums, np.zeros(DIMENSIONS, np.float32))
    vector: NDArray[np.float32] = total / (np.sqrt(total @ total) or 1)
    vector.setflags(write=False)
    return vector


def is_installed() -> bool:
    """Return whether wordllama's files are where they are looked for."""
    folder = _folder()
    return (folder / TOKENIZER).is_file() and (folder / WEIGHTS).is_file()


def _folder() -> Path:
    found = find_spec("wordllama")
    return Path(found.origin if found and found.origin else "").parent


@cache
def _load() -> tuple[Tokenizer, NDArray[np.float32]]:
    if not is_installed():
        raise MissingLibraryError(_(MISSING))
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _folder()
    weights = load_file(folder / WEIGHTS)["embedding.weight"]
    return Tokenizer.from_file(str(folder / TOKENIZER)), weights.astype("float32")
