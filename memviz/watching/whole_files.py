"""Sessions that their program writes anew each time, as one JSON value: they are read
whole when they change, and compared with what is kept."""

from collections.abc import Sequence
from pathlib import Path

from memviz.core.errors import TranscriptError
from memviz.storage.watched import Growth, Watched
from memviz.transcripts.loading import load_transcript
from memviz.watching.keeper import (
    RECENT_KEYS,
    Keeper,
    digest_of,
    first_new,
    first_words,
    key_of,
    place_events,
)

MAY_CHANGE = 4
"""So many of the newest messages may still become others: a call gets its result."""


class WholeFile:
    """One session, in a file that is written anew whenever it grows."""

    def __init__(self, path: Path, program: str, name: str, keeper: Keeper) -> None:
        self._path = path
        self._program = program
        self._key = key_of(program, name)
        self._keeper = keeper
        self._read_at = (0, 0.0)

    def read_on(self) -> bool:
        """Read the file, if it is another one, and keep what there is more. One that is
        just being written is read with its next change."""
        try:
            status = self._path.stat()
            read_at = (status.st_size, status.st_mtime)
            if read_at == self._read_at:
                return False
            told = load_transcript(self._path, self._program)
        except (OSError, TranscriptError):
            return False
        messages = [self._keeper.concealed(one) for one in told.messages]
        events = [self._keeper.concealed_event(one) for one in told.events]
        kept = self._keeper.store.find_watched(self._key)
        told_before = self._keeper.events_of(kept)
        known = self._known_digests(kept)
        given = list(map(digest_of, messages))
        start = new = _same_beginning(known, given)
        if _goes_on(known, given, start):
            first_event = sum(one.after_message < start for one in told_before)
            new_events = [one for one in events if one.after_message >= start]
        else:
            # The program compacted: what it no longer has is kept.
            start = len(known)
            new = first_new(known[-RECENT_KEYS:], given)
            first_event = len(told_before)
            new_events = place_events(events, told_before, start, new)
        growth = Growth(
            start,
            messages[new:],
            {"source": self._program},
            new_events,
            first_event,
            about={"title": told.title or first_words(messages)},
        )
        self._keeper.write_rows(self._key, growth)
        self._read_at = read_at
        return True

    def _known_digests(self, kept: Watched | None) -> list[str]:
        if kept is None or kept.is_deleted:
            return []
        said = self._keeper.store.said(kept.id, 0, kept.message_count)
        return list(map(digest_of, said))


def _same_beginning(known: Sequence[str], given: Sequence[str]) -> int:
    """Return how many of the first messages are the same in both."""
    for count, (one, other) in enumerate(zip(known, given, strict=False)):
        if one != other:
            return count
    return min(len(known), len(given))


def _goes_on(known: Sequence[str], given: Sequence[str], same: int) -> bool:
    """Return whether a file is what the library has and more, but for the newest that
    the library has; a file that begins with other words was compacted."""
    begins_alike = same > 0 or not known
    return begins_alike and len(given) >= len(known) and same >= len(known) - MAY_CHANGE
