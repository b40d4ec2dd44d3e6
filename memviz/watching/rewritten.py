"""A session that its program wrote anew, as it compacted: compared with what the library
has of it, which keeps all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memviz.core.messages import Message
from memviz.storage.watched import Growth, WatchedConversation
from memviz.transcripts.base import RecordedEvent
from memviz.watching.keeper import (
    RECENT_KEYS,
    Keeper,
    count_same_beginning,
    digest_of,
    first_new,
)


@dataclass(frozen=True)
class News:
    """The part of a session that was written anew which the library has not."""

    growth: Growth
    """Stands behind all that the library has."""
    is_half_written: bool = False
    """So far it says nothing else than the library, which goes on behind: the program
    may still be writing what the library has already."""


def find_news(
    keeper: Keeper,
    kept: WatchedConversation | None,
    messages: Sequence[Message],
    events: Sequence[RecordedEvent],
    open_messages: int = 0,
) -> News:
    """Return what a session, all of it that is there now, has more than ``kept``.

    Its newest ``open_messages`` may still become others, such as a reply of which the
    beginning is written.
    """
    if kept is None or kept.is_deleted:
        return News(Growth(0, messages, {}, events))
    digests = [digest_of(keeper.concealed(message)) for message in messages]
    count = kept.message_count
    first_kept = keeper.digests_of(kept, 0, len(digests))
    newest_kept = keeper.digests_of(kept, max(0, count - RECENT_KEYS), count)
    same = count_same_beginning(first_kept, digests)
    known_count = max(same, first_new(newest_kept, digests))
    events_kept = keeper.store.about(kept.id).events
    concealed = map(keeper.concealed_event, events)
    new_events = place_events(concealed, events_kept, count, known_count)
    growth = Growth(count, messages[known_count:], {}, new_events, kept.event_count)
    certain = len(digests) - open_messages
    if known_count < certain:
        return News(growth)
    # It begins as the library does, but for a newest message of which a part is written.
    is_beginning = same > 0 and same >= certain and len(digests) <= count
    # It goes through the end of the library, and is not at the newest message.
    is_in_between = same < known_count and digests[known_count - 1] != newest_kept[-1]
    has_no_news = (is_beginning or not digests) and not new_events
    return News(growth, is_in_between or has_no_news)


def place_events(
    events: Iterable[RecordedEvent],
    told_before: Iterable[RecordedEvent],
    start: int,
    known: int,
) -> list[RecordedEvent]:
    """Return the events of a session that was written anew which the library has not,
    at their places in its conversation.

    Its program compacted: the first ``known`` messages of the file are the newest of the
    ``start`` messages that the library has. An event before them is that compaction. It
    happened after all that the library has, and they stayed word for word.
    """
    earlier_events = {(event.kind, event.text, event.time) for event in told_before}
    placed = []
    for event in events:
        if (event.kind, event.text, event.time) in earlier_events:
            continue
        kept_newest = known - event.after_message
        if kept_newest > 0:
            event = replace(event, after_message=start, kept_newest=kept_newest)
        else:
            event = replace(event, after_message=start - kept_newest)
        placed.append(event)
    return placed
