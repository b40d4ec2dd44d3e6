"""Sessions that their program writes anew each time, as one JSON value: they are read
whole when they change, and compared with what is kept."""

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
        digests = list(map(digest_of, messages))
        start, new = self._place_of(digests)
        events = [one for one in told.events if one.after_message >= new]
        growth = Growth(
            start,
            messages[new:],
            {"source": self._program},
            events,
            about={"title": told.title or first_words(messages)},
        )
        self._keeper.write_rows(self._key, growth)
        self._read_at = read_at
        return True

    def _place_of(self, digests: list[str]) -> tuple[int, int]:
        """Return the position in the library from which on it differs, and that in the
        file."""
        store = self._keeper.store
        kept: Watched | None = store.find_watched(self._key)
        if kept is None or kept.is_deleted:
            return 0, 0
        count = kept.message_count
        known = list(map(digest_of, store.said(kept.id, 0, count)))
        same = 0
        while same < min(count, len(digests)) and known[same] == digests[same]:
            same += 1
        if len(digests) >= count and same >= count - MAY_CHANGE:
            return same, same
        # The program compacted: what it no longer has is kept.
        return count, first_new(known[-RECENT_KEYS:], digests)
