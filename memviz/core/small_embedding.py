"""A small embedding: vectors of what is said, computed on this machine.

The vectors are those of wordllama, whose weights lie in its own package (the extra ``embeddings``). They are read from
there without importing it: that would set up the logging of the whole process, and how it loads them may ask another
machine.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memviz.core.errors import MissingLibraryError
from memviz.core.recently_used import RecentlyUsed
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


KEPT: RecentlyUsed[bytes, NDArray[np.float32]] = RecentlyUsed(KEPT_VECTORS)
"""The vectors that were used last, by a hash of their text: the texts themselves may be as long as books."""


def hash_of(text: str) -> bytes:
    """A hash of a text, which stands for it where its vector is kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def embed(text: str) -> NDArray[np.float32]:
    """Return the vector of a text, of length 1: the mean of the vectors of its tokens; zeros where it has none. Raises
    :class:`MissingLibraryError` without wordllama."""
    import numpy as np  # only a search waits for it

    key = hash_of(text)
    kept_vector = KEPT.get(key)
    if kept_vector is not None:
        return kept_vector
    tokenizer, weights = _load()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    blocks = range(0, len(ids), TOKENS_AT_ONCE)
    sums = (
        weights[ids[start : start + TOKENS_AT_ONCE]].sum(axis=0) for start in blocks
    )
    total = sum(sums, np.zeros(DIMENSIONS, np.float32))
    vector: NDArray[np.float32] = total / (np.sqrt(total @ total) or 1)
    vector.setflags(write=False)
    return KEPT.put(key, vector)


def is_installed() -> bool:
    """Return whether wordllama's files are where they are looked for."""
    folder = _folder()
    return (folder / TOKENIZER).is_file() and (folder / WEIGHTS).is_file()


def _folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        return Path()
    return Path(spec.origin).parent


@cache
def _load() -> tuple[Tokenizer, NDArray[np.float32]]:
    if not is_installed():
        raise MissingLibraryError(_(MISSING))
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _folder()
    weights = load_file(folder / WEIGHTS)["embedding.weight"]
    return Tokenizer.from_file(str(folder / TOKENIZER)), weights.astype("float32")
