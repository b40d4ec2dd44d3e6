"""Conversations out of requests of which each repeats everything that was said before, as traces hold them."""

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Placed

MAX_LOOKED_AT = 20
"""A request is compared with so many conversations at most, the newest first."""
OTHER_PROMPT = noop("later requests have another system prompt, which was left out")

Key = tuple[str, str, str]


class Spoken(NamedTuple):
    """A message with that by which it is known again: who says it, its text, and its calls."""

    message: Message
    key: Key
    is_system: bool


class Request(NamedTuple):
    """The messages of one request with the reply at its end, and the row that holds it."""

    messages: tuple[Spoken, ...]
    row: Placed
    notes: tuple[str, ...] = ()


def request_of(
    messages: Iterable[Message], row: Placed, notes: tuple[str, ...] = ()
) -> Request:
    """Return the request of these messages, which ``row`` holds."""
    spoken = (
        Spoken(message, _key(message), message.role == "system") for message in messages
    )
    return Request(tuple(spoken), row, notes)


@dataclass
class Thread:
    """The messages of one conversation so far."""

    first_row: Placed
    """The row of its first request."""
    said: list[tuple[Message, str]] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    events: list[tuple[int, str]] = field(default_factory=list)
    """After how many messages its program sent less than all of them, and what it sent in their place."""
    positions: dict[Key, list[int]] = field(default_factory=dict)
    dropped: int = 0
    spoken_count: int = 0
    """Messages that are not of the system."""
    beginning: Key | None = None
    """The first of them."""

    def append(self, spoken: Spoken, place: str) -> None:
        """Add a message that is new."""
        self.positions.setdefault(spoken.key, []).append(len(self.said))
        self.said.append((spoken.message, place))
        if not spoken.is_system:
            self.spoken_count += 1
            self.beginning = self.beginning or spoken.key

    def next_position(self, spoken: Spoken, after: int) -> int:
        """Return where a message stands behind a position; -1 where it is nowhere."""
        positions = self.positions.get(spoken.key, [])
        index = bisect_right(positions, after)
        return positions[index] if index < len(positions) else -1

    def add_to(self, builder: TranscriptBuilder) -> None:
        """Add all of it to a builder."""
        events = list(self.events)
        for count, (message, place) in enumerate(self.said):
            while events and events[0][0] <= count:
                builder.add_event("compaction", events.pop(0)[1])
            builder.add_message(message, place)
        for _count, text in events:
            builder.add_event("compaction", text)
        for note in self.notes:
            builder.note(note)


def join_requests(
    requests: Iterable[Request], *, is_one: bool, may_be_new: bool
) -> list[Thread]:
    """Return the conversations that requests belong to, in the order of their beginnings.

    A request goes on with the conversation whose last messages it repeats. ``is_one``: all are of one session, so a
    request that repeats the end alone belongs to it as well. ``may_be_new``: one that holds a single message follows.
    """
    threads: list[Thread] = []
    for request in requests:
        continued_thread = None
        for thread in reversed(threads[-MAX_LOOKED_AT:]):
            if _continues(thread, request, is_one=is_one):
                continued_thread = thread
                break
        roles = [spoken.message.role for spoken in request.messages]
        is_new_alone = roles.count("user") == 1 and roles[-1] == "assistant"
        if (
            continued_thread is None
            and threads
            and is_one
            and may_be_new
            and is_new_alone
        ):
            continued_thread = threads[-1]
            _add(continued_thread, request, 0)
        elif continued_thread is not None:
            _extend(continued_thread, request)
        else:
            thread = Thread(request.row)
            threads.append(thread)
            _add(thread, request, 0)
    return threads


def _continues(thread: Thread, request: Request, *, is_one: bool) -> bool:
    """Return whether a request repeats a conversation up to its end."""
    first = next((spoken for spoken in request.messages if not spoken.is_system), None)
    if first is None or (not is_one and first.key != thread.beginning):
        return False
    positions = _find_positions(thread, request)
    return max(positions, default=-1) == len(thread.said) - 1


def _find_positions(thread: Thread, request: Request) -> list[int]:
    """Return where each message of a request stands in a conversation, in its order; -1 where it is new there."""
    last_position = -1
    positions = []
    for spoken in request.messages:
        position = (
            -1 if spoken.is_system else thread.next_position(spoken, last_position)
        )
        last_position = max(last_position, position)
        positions.append(position)
    return positions


def _extend(thread: Thread, request: Request) -> None:
    """Add what a request has behind the last message that is known, and note what it no longer has."""
    positions = _find_positions(thread, request)
    start = positions.index(max(positions)) + 1
    others = [
        spoken.message.content
        for spoken, position in zip(request.messages[:start], positions, strict=False)
        if position < 0 and not spoken.is_system
    ]
    held_count = sum(position >= 0 for position in positions)
    dropped = thread.spoken_count - held_count
    if dropped > thread.dropped:
        thread.events.append((len(thread.said), "\n".join(filter(None, others))))
    thread.dropped = max(thread.dropped, dropped)
    _add(thread, request, start)


def _add(thread: Thread, request: Request, start: int) -> None:
    for number, spoken in enumerate(request.messages):
        if spoken.is_system and thread.spoken_count:
            if thread.next_position(spoken, -1) < 0:
                thread.notes.setdefault(OTHER_PROMPT)
        elif number >= start:
            thread.append(spoken, request.row[1])
    for note in request.notes:
        thread.notes.setdefault(note)


def _key(message: Message) -> Key:
    calls = [
        f"{call.name} {_sort_arguments(call.arguments)}" for call in message.tool_calls
    ]
    return message.role, message.content.strip(), "\n".join(calls)


def _sort_arguments(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
