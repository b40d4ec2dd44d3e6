"""Reads session files that hold one JSON value, which the program writes anew each time.

``folders`` makes one :class:`WholeFile` for each and calls ``read_on`` when the file changes.
The whole file is read as an import would read it, and compared with the library by digests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memviz.core.errors import TranscriptError
from memviz.core.messages import Message
from memviz.core.translation import Said, noop, to_json
from memviz.storage.watched import Growth, WatchedConversation, WatchState
from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import load_transcript
from memviz.watching.keeper import (
    Keeper,
    count_same_beginning,
    digest_of,
    find_first_words,
    folder_of,
)
from memviz.watching.rewritten import find_news

MAY_CHANGE = 4
"""The number of newest messages that may still change, as when a call gets its result."""
TOO_LARGE = noop(
    "{name} is larger than the limit of {limit:,} bytes, so what is new in it is not kept. Raise "
    "MEMVIZ_IMPORT_FILE_BYTES and start memviz watch again."
)


@dataclass(eq=False, repr=False)
class WholeFile:
    """One session, in a file that is written anew whenever it grows."""

    path: Path
    program: str
    name: str
    keeper: Keeper
    problem: str = ""
    """The reason why new messages are not stored; empty for none."""
    _size_and_time: tuple[int, float] = (0, 0.0)
    """Those of the file when it was read last."""

    def read_on(self) -> bool:
        """Read the file if it changed, and store its new messages; return whether it was
        read. A file that is just being written is read with its next change."""
        try:
            status = self.path.stat()
            size_and_time = (status.st_size, status.st_mtime)
            if size_and_time == self._size_and_time:
                return False
            limits = Limits.from_environment()
            if status.st_size > limits.file_bytes:
                self._refuse(limits.file_bytes)
                self._size_and_time = size_and_time
                return False
            transcript = load_transcript(self.path, self.program)
        except (OSError, TranscriptError):
            return False
        messages = [
            self.keeper.conceal_message(message) for message in transcript.messages
        ]
        key = self._find_key(messages[:1])
        growth = self._find_growth(key, messages, transcript.events)
        self.problem = ""
        state: WatchState = {
            "source": self.program,
            "folder": folder_of(self.path),
            "problem": self.problem,
        }
        title = transcript.title
        if title == self.path.stem:  # its readers name a file without a title by that
            title = find_first_words(messages)
        growth = replace(growth, state=state, about={"title": title})
        self.keeper.write_rows(key, growth)
        self._size_and_time = size_and_time
        return True

    def _refuse(self, limit_bytes: int) -> None:
        """Note that the file is too large, also in the stored conversation."""
        self.problem = Said(TOO_LARGE, name=self.path.name, limit=limit_bytes)
        key = self.keeper.key_of_session(
            self.program, self.name, self.path, lambda watched: False
        )
        watched = self.keeper.store.find_watched(key)
        if watched is not None and not watched.is_deleted:
            state: WatchState = {"problem": to_json(self.problem)}
            self.keeper.write_rows(key, Growth(watched.message_count, (), state))

    def _find_key(self, first_message: Sequence[Message]) -> str:
        """Return the key of the conversation that begins with ``first_message`` (of an
        empty file: none)."""
        first_digest = list(map(digest_of, first_message))
        return self.keeper.key_of_session(
            self.program,
            self.name,
            self.path,
            lambda watched: self._digests(watched, 1) == first_digest,
        )

    def _find_growth(
        self, key: str, messages: Sequence[Message], events: Sequence[RecordedEvent]
    ) -> Growth:
        """Return the part of the file that the library does not have under ``key``."""
        watched = self.keeper.store.find_watched(key)
        kept_digests = self._digests(watched)
        file_digests = list(map(digest_of, messages))
        unchanged = count_same_beginning(kept_digests, file_digests)
        if not _goes_on(kept_digests, file_digests, unchanged):
            return find_news(self.keeper, watched, messages, events).growth
        new_events = [event for event in events if event.after_message >= unchanged]
        first_event = self._count_events_before(watched, unchanged)
        return Growth(unchanged, messages[unchanged:], {}, new_events, first_event)

    def _count_events_before(
        self, watched: WatchedConversation | None, position: int
    ) -> int:
        """Return how many events the library has before a message."""
        if watched is None or watched.is_deleted:
            return 0
        events = self.keeper.store.about(watched.id).events
        return sum(event.after_message < position for event in events)

    def _digests(
        self, watched: WatchedConversation | None, most: int | None = None
    ) -> list[str]:
        """Return the digests of the stored messages, of all or of the first ``most``."""
        if watched is None or watched.is_deleted:
            return []
        count = most or watched.message_count
        return self.keeper.digests_of(watched, 0, count)


def _goes_on(
    kept_digests: Sequence[str], file_digests: Sequence[str], unchanged: int
) -> bool:
    """Return whether a file continues what the library has, apart from the newest messages,
    which may have changed. Otherwise the program compacted and wrote another beginning."""
    begins_alike = unchanged > 0 or not kept_digests
    is_no_shorter = len(file_digests) >= len(kept_digests)
    return (
        begins_alike and is_no_shorter and unchanged >= len(kept_digests) - MAY_CHANGE
    )
