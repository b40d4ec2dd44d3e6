"""A small embedding: vectors of what is said, computed on this machine.

The vectors are those of wordllama, whose weights lie in its own package (the extra ``embeddings``). They are read from
there without importing it: that would set up the logging of the whole process, and how it loads them may ask another
machine.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memviz.core.errors import MissingLibraryError
from memviz.core.translation import _, noop

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
KEPT_VECTORS = 20_000
"""So many vectors are kept, a kilobyte each."""
TOKENS_AT_ONCE = 8192
"""A text may be as long as a book: the vectors of so many of its tokens are in memory at a time."""


class KeptVectors:
    """The vectors that were used last, by a hash of their text: the texts themselves may be as long as books."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = Lock()
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def clear(self) -> None:
        """Forget all of them."""
        self._vectors.clear()

    def get(self, key: bytes) -> NDArray[np.float32] | None:
        """The vector of a text with this hash, ``None`` where it is not kept."""
        with self._guard:
            if key in self._vectors:
                self._vectors.move_to_end(key)
            return self._vectors.get(key)

    def put(self, key: bytes, vector: NDArray[np.float32]) -> None:
        """Keep a vector; the one that was not used for the longest time makes room for it."""
        with self._guard:
            self._vectors[key] = vector
            if len(self._vectors) > self._most:
                self._vectors.popitem(last=False)


KEPT = KeptVectors(KEPT_VECTORS)


def hash_of(text: str) -> bytes:
    """A hash of a text, which stands for it where its vector is kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def embed(text: str) -> NDArray[np.float32]:
    """Return the vector of a text, of length 1: the mean of the vectors of its tokens; zeros where it has none. Raises
    :class:`MissingLibraryError` without wordllama."""
    import numpy as np  # only a search waits for it

    key = hash_of(text)
    known = KEPT.get(key)
    if known is not None:
        return known
    tokenizer, weights = _load()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    blocks = range(0, len(ids), TOKENS_AT_ONCE)
    sums = (weights[ids[at : at + TOKENS_AT_ONCE]].sum(axis=0) for at in blocks)
    total = sum(sums, np.zeros(DIMENSIONS, np.float32))
    vector: NDArray[np.float32] = total / (np.sqrt(total @ total) or 1)
    vector.setflags(write=False)
    KEPT.put(key, vector)
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
