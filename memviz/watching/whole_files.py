"""Sessions that their program writes anew each time, as one JSON value: they are read
whole when they change, and compared with what is kept."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memviz.core.errors import TranscriptError
from memviz.storage.watched import Growth, Watched
from memviz.transcripts.base import Transcript
from memviz.transcripts.loading import load_transcript
from memviz.watching.keeper import (
    Keeper,
    count_same_beginning,
    digest_of,
    first_words,
    folder_of,
)
from memviz.watching.rewritten import find_news

MAY_CHANGE = 4
"""So many of the newest messages may still become others: a call gets its result."""


class WholeFile:
    """One session, in a file that is written anew whenever it grows."""

    def __init__(self, path: Path, program: str, name: str, keeper: Keeper) -> None:
        self._path = path
        self._program = program
        self._name = name
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
        key, growth = self._grown(told)
        self._keeper.write_rows(key, growth)
        self._read_at = read_at
        return True

    def _grown(self, told: Transcript) -> tuple[str, Growth]:
        """Return the key of the conversation, and what the file has more than it."""
        messages = [self._keeper.concealed(message) for message in told.messages]
        given = list(map(digest_of, messages))
        key = self._keeper.key_of_session(
            self._program,
            self._name,
            self._path,
            lambda kept: self._known_digests(kept, 1) == given[:1],
        )
        kept = self._keeper.store.find_watched(key)
        known = self._known_digests(kept)
        same = count_same_beginning(known, given)
        if kept is None or _goes_on(known, given, same):
            events = [event for event in told.events if event.after_message >= same]
            growth = Growth(
                same, messages[same:], {}, events, self._events_before(kept, same)
            )
        else:
            growth = find_news(self._keeper, kept, messages, told.events).growth
        # A file without a title is named by its readers.
        has_title = told.title != self._path.stem
        title = told.title if has_title else first_words(messages)
        state = {"source": self._program, "folder": folder_of(self._path)}
        return key, replace(growth, state=state, about={"title": title})

    def _events_before(self, kept: Watched | None, position: int) -> int:
        """Return how many events the library has before a message."""
        if kept is None or kept.is_deleted:
            return 0
        events = self._keeper.store.about(kept.id).events
        return sum(event.after_message < position for event in events)

    def _known_digests(
        self, kept: Watched | None, most: int | None = None
    ) -> list[str]:
        if kept is None or kept.is_deleted:
            return []
        said = self._keeper.store.said(kept.id, 0, most or kept.message_count)
        return list(map(digest_of, said))


def _goes_on(known: Sequence[str], given: Sequence[str], same: int) -> bool:
    """Return whether a file is what the library has and more, but for the newest that
    the library has; a file that begins with other words was compacted."""
    begins_alike = same > 0 or not known
    return begins_alike and len(given) >= len(known) and same >= len(known) - MAY_CHANGE
