"""Cues, such as "no longer" and "instead of", looked up in many texts."""

from collections.abc import Iterable
from functools import lru_cache

_CHUNKS_KEPT = 65_536


class CueIndex:
    """Parts of words and phrases, in lower case, of which a text has few.

    To look for each of two hundred cues in a text takes as long as to read it. So the cues
    that one chunk between spaces may belong to are remembered: texts share most chunks.
    """

    def __init__(self, cues: Iterable[str]) -> None:
        self._fragments = [(cue, _longest_fragment(cue)) for cue in cues]
        """Each cue with the part of it that one chunk has to hold."""
        self._cues_of = lru_cache(maxsize=_CHUNKS_KEPT)(self._may_begin)

    def found_in(self, lower: str) -> list[str]:
        """Return the cues in a text in lower case, each once."""
        candidates = set[str]()
        for chunk in set(lower.split()):
            candidates.update(self._cues_of(chunk))
        return [cue for cue in candidates if cue in lower]

    def _may_begin(self, chunk: str) -> tuple[str, ...]:
        return tuple(cue for cue, fragment in self._fragments if fragment in chunk)


def _longest_fragment(cue: str) -> str:
    """``"instead of"`` -> ``"instead"``: a text with the cue has a chunk with this."""
    return max(cue.split(), key=len)
