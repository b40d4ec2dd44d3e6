"""Browsers that gave the password. Known by a random word in a cookie, and only as long as the server runs."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict

_MOST_SESSIONS = 10_000


class Sessions:
    """The browsers that are in. Of each word only a digest is kept."""

    def __init__(self) -> None:
        self._digests: OrderedDict[bytes, None] = OrderedDict()

    def open(self) -> str:
        """Let one more browser in; returns the word that it has to bring along."""
        word = secrets.token_urlsafe(32)
        self._digests[_digest(word)] = None
        if len(self._digests) > _MOST_SESSIONS:
            self._digests.popitem(last=False)
        return word

    def __contains__(self, word: str) -> bool:
        return _digest(word) in self._digests


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
