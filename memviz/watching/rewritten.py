"""Compares a session that its program rewrote, after a compaction, with the library.

The file then holds only a part of the conversation, and the library goes on holding all of
it. :func:`find_news` tells which messages and events are new, for both readers of files.
"""

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
    find_first_new,
)


@dataclass(frozen=True)
class RewrittenNews:
    """The part of a rewritten session that the library does not have."""

    growth: Growth
    """The new messages and events, behind all that the library has."""
    is_half_written: bool = False
    """The file so far repeats a part of the library and does not reach its end: the
    program may still be writing the rest."""


def find_news(
    keeper: Keeper,
    kept: WatchedConversation | None,
    messages: Sequence[Message],
    events: Sequence[RecordedEvent],
    open_messages: int = 0,
) -> RewrittenNews:
    """Return the part of a rewritten session that the stored conversation ``kept`` lacks.

    ``messages`` and ``events`` are all that the file holds. Its newest ``open_messages`` may
    still change, such as a reply that is being written.
    """
    if kept is None or kept.is_deleted:
        return RewrittenNews(Growth(0, messages, {}, events))
    digests = [digest_of(keeper.conceal_message(message)) for message in messages]
    count = kept.message_count
    first_kept = keeper.digests_of(kept, 0, len(digests))
    newest_kept = keeper.digests_of(kept, max(0, count - RECENT_KEYS), count)
    same = count_same_beginning(first_kept, digests)
    known_count = max(same, find_first_new(newest_kept, digests))
    events_kept = keeper.store.about(kept.id).events
    concealed = map(keeper.conceal_event, events)
    new_events = find_new_events(concealed, events_kept, count, known_count)
    growth = Growth(count, messages[known_count:], {}, new_events, kept.event_count)
    certain = len(digests) - open_messages
    if known_count < certain:
        return RewrittenNews(growth)
    # The file begins as the library does, except for a newest message that is not complete.
    is_beginning = same > 0 and same >= certain and len(digests) <= count
    # The file repeats messages near the end of the library, and has not reached the last.
    is_in_between = same < known_count and digests[known_count - 1] != newest_kept[-1]
    has_no_news = (is_beginning or not digests) and not new_events
    return RewrittenNews(growth, is_in_between or has_no_news)


def find_new_events(
    events: Iterable[RecordedEvent],
    told_before: Iterable[RecordedEvent],
    start: int,
    known: int,
) -> list[RecordedEvent]:
    """Return the new events of a rewritten session, at their positions in the library.

    The library has ``start`` messages; its newest ones are the first ``known`` messages of
    the file. An event in front of these is the compaction after which the file was written:
    it happened after all ``start`` messages, and these stayed word for word.
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
