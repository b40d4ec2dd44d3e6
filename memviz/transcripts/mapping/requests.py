"""Joins requests to conversations. Traces hold requests, each of which repeats the whole conversation before it.

The ``interpreter`` makes a :class:`Request` of each row of a trace; :func:`join_requests` finds which of them go on
from each other, and returns one :class:`Thread` for each conversation, with every message once.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import PlacedValue

MAX_LOOKED_AT = 20
"""The most conversations that a request is compared with, the newest first."""
OTHER_PROMPT = noop("later requests have another system prompt, which was left out")

Key = tuple[str, str, str]


class KnownMessage(NamedTuple):
    """A message with the key by which a repetition is recognised: its role, its text and its calls."""

    message: Message
    key: Key
    is_system: bool


class Request(NamedTuple):
    """The messages of one request, its reply last, and the row of the file that holds it."""

    messages: tuple[KnownMessage, ...]
    row: PlacedValue
    notes: tuple[str, ...] = ()


def make_request(
    messages: Iterable[Message], row: PlacedValue, notes: tuple[str, ...] = ()
) -> Request:
    """Return the request of these messages, which ``row`` holds."""
    spoken = (
        KnownMessage(message, _key_of_message(message), message.role == "system")
        for message in messages
    )
    return Request(tuple(spoken), row, notes)


@dataclass
class Thread:
    """The messages of one conversation so far."""

    first_row: PlacedValue
    """The row of its first request."""
    said: list[tuple[Message, str]] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    events: list[tuple[int, str]] = field(default_factory=list)
    """The compactions: the number of messages before each, and the text that was sent in their place."""
    positions: dict[Key, list[int]] = field(default_factory=dict)
    dropped: int = 0
    """The number of messages that the last request no longer had."""
    spoken_count: int = 0
    """The number of messages that are not of the system."""
    beginning: Key | None = None
    """The key of the first message that is not of the system."""

    def append(self, spoken: KnownMessage, place: str) -> None:
        """Add a message that is new."""
        self.positions.setdefault(spoken.key, []).append(len(self.said))
        self.said.append((spoken.message, place))
        if not spoken.is_system:
            self.spoken_count += 1
            self.beginning = self.beginning or spoken.key

    def next_position(self, spoken: KnownMessage, after: int) -> int:
        """Return the first position behind ``after`` with the same message; -1 if there is none."""
        positions = self.positions.get(spoken.key, [])
        index = bisect_right(positions, after)
        return positions[index] if index < len(positions) else -1

    def add_to(self, builder: TranscriptBuilder) -> None:
        """Add the messages, compactions and notes to a builder."""
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
    """Return the conversations of these requests, in the order of their beginnings.

    A request continues the conversation whose last message it repeats. Unless ``is_one`` is set, which says that all
    requests are of one session, it has to repeat the first message as well. With ``may_be_new``, too, a request that
    repeats nothing and has one message of the user continues the last conversation.
    """
    threads: list[Thread] = []
    for request in requests:
        continued_thread = None
        for thread in reversed(threads[-MAX_LOOKED_AT:]):
            if _continues(thread, request, is_one=is_one):
                continued_thread = thread
                break
        roles = [spoken.message.role for spoken in request.messages]
        is_single_turn = roles.count("user") == 1 and roles[-1] == "assistant"
        may_follow = is_one and may_be_new and is_single_turn
        if continued_thread is not None:
            _extend(continued_thread, request)
        elif threads and may_follow:
            _add(threads[-1], request, 0)
        else:
            thread = Thread(request.row)
            threads.append(thread)
            _add(thread, request, 0)
    return threads


def _continues(thread: Thread, request: Request, *, is_one: bool) -> bool:
    """Return whether a request repeats the last message of a conversation."""
    first = next((spoken for spoken in request.messages if not spoken.is_system), None)
    if first is None or (not is_one and first.key != thread.beginning):
        return False
    positions = _find_positions(thread, request)
    return max(positions, default=-1) == len(thread.said) - 1


def _find_positions(thread: Thread, request: Request) -> list[int]:
    """Return the position in the conversation of each message of a request; -1 for a new one."""
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
    """Add the new messages of a request, and a compaction if more of the earlier ones are missing."""
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
    for index, spoken in enumerate(request.messages):
        if spoken.is_system and thread.spoken_count:
            if thread.next_position(spoken, -1) < 0:
                thread.notes.setdefault(OTHER_PROMPT)
        elif index >= start:
            thread.append(spoken, request.row[1])
    for note in request.notes:
        thread.notes.setdefault(note)


def _key_of_message(message: Message) -> Key:
    calls = [
        f"{call.name} {_sort_arguments(call.arguments)}" for call in message.tool_calls
    ]
    return message.role, message.content.strip(), "\n".join(calls)


def _sort_arguments(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
