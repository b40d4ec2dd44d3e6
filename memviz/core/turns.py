"""Splits the messages of a conversation into turns and requests while they are appended.

:class:`MessageLog` is the base of :class:`memviz.core.conversation.Log`, over which all replays and live chats run. A
turn is a question of the user with all that came of it; a request is one call of the model within a turn.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memviz.core.messages import Message, ToolCall
from memviz.core.tool_links import ToolPairs


class Turn(NamedTuple):
    """One turn as a range of log positions.

    A turn starts at a user message that does not directly follow another user message,
    system messages aside. Messages before the first user message, the leading system
    messages left out, are turn 0.
    """

    number: int
    """The number of the turn, from 1; 0 for what stands before the first user message."""
    start: int
    asked: int
    """``[start, asked)`` are the leading user messages, with system messages between them;
    ``asked`` is ``start`` in turn 0."""
    stop: int
    """``[asked, stop)`` are the replies and tool results that follow."""


class Request(NamedTuple):
    """One call of the model, as the messages of a log imply it."""

    turn: int
    call: int
    """The number of the call within its turn, from 1."""
    stop: int
    """The strategy makes the context from the log before this position."""
    reply_stop: int
    """The assistant's messages at ``[stop, reply_stop)`` are the reply; tool results may
    stand behind them."""


@dataclass(eq=False, repr=False)
class _LogIndex:
    """The fields of a log: its messages, and an index of them that grows with each message."""

    _messages: list[Message] = field(default_factory=list)
    system_stop: int = 0
    """The position behind the system messages that the conversation begins with. They
    are its system prompt: they belong to no turn and are no history."""
    later_system: array[int] = field(default_factory=lambda: array("q"))
    """The positions of all other system messages, which are history."""
    tools: ToolPairs = field(default_factory=ToolPairs)
    _starts: list[int] = field(default_factory=list)
    """The positions at which turns 1, 2, ... start."""
    _asked: list[int] = field(default_factory=list)
    """The positions behind the leading user messages of turns 1, 2, ...; of the last
    turn only once something follows them."""
    _closed: list[Turn] = field(default_factory=list)
    """The turns that another one follows."""
    _closed_requests: list[list[Request]] = field(default_factory=list)
    """The requests of these turns. Every setting of a sweep asks for them."""
    _request_bounds: tuple[int, array[int]] = (0, array("q"))
    """The length of the log when its request bounds were last asked for, and the answer."""
    _input_start: tuple[int, int] = (0, 0)
    """The length for which the start of the input was asked last, and the answer."""
    _assistants: list[int] = field(default_factory=list)
    """The positions of the assistant's messages."""
    _replies: list[int] = field(default_factory=list)
    """The positions of those messages that begin the answer to a request."""
    _replies_before: list[int] = field(default_factory=list)
    """The number of such answers when turns 1, 2, ... started."""
    _last_speaker: str = ""
    """The role of the last message that is no system message."""
    _answered: dict[int, ToolCall | None] = field(default_factory=dict)
    """The call that each tool result answers, by the position of the result."""
    _called: dict[str | None, ToolCall] = field(default_factory=dict)
    """The calls of the assistant's newest message, by their ids."""


class MessageLog(_LogIndex, Sequence[Message]):
    """The append-only messages of a conversation. Positions are 0-based and never change.

    Every assistant message answers one request, whose context is the log before it;
    several in a row answer one. Messages of the assistant before the first user message
    answer no request.
    """

    def __init__(self, messages: Iterable[Message | Mapping[str, Any]] = ()) -> None:
        super().__init__()
        self.extend(messages)

    def append(self, message: Message | Mapping[str, Any]) -> int:
        """Add one message and return its position."""
        message = Message.of(message)
        position = len(self._messages)
        if message.role == "user":
            self._take_question(position)
        elif len(self._asked) < len(self._starts):
            self._asked.append(position)
        if message.role == "assistant":
            if self._starts and self._messages[-1].role != "assistant":
                self._replies.append(position)
            self._assistants.append(position)
            # Of several calls with one id the first is meant.
            self._called = {call.id: call for call in reversed(message.tool_calls)}
        if message.role != "system":
            self._last_speaker = message.role
        elif self.system_stop == position:
            self.system_stop += 1
        else:
            self.later_system.append(position)
        if message.role == "tool":
            self._answered[position] = self._called.get(message.tool_call_id)
        self._messages.append(message)
        self.tools.add(position, message)
        return position

    def _take_question(self, position: int) -> None:
        """Begin a turn with the user's message at ``position``, or let it join the question
        before it."""
        if not begins_turn("user", self._last_speaker):
            # A system message that stood between belongs to the question too.
            del self._asked[len(self._starts) - 1 :]
            return
        if self._starts:
            number = len(self._starts)
            turn = Turn(number, self._starts[-1], self._asked[-1], position)
            self._closed.append(turn)
            self._closed_requests.append(self._requests_of(turn))
        self._starts.append(position)
        self._replies_before.append(len(self._replies))

    def extend(self, messages: Iterable[Message | Mapping[str, Any]]) -> None:
        """Append several messages in order."""
        for message in messages:
            self.append(message)

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, index: Any) -> Any:
        return self._messages[index]

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    @property
    def turn_count(self) -> int:
        """Number of turns, turn 0 not counted."""
        return len(self._starts)

    def turn_number(self, position: int) -> int:
        """The turn of the message at ``position``: 0 before the first user message, and for
        the leading system messages, which belong to none."""
        return bisect_right(self._starts, position)

    def turn_start(self, number: int) -> int:
        """Position of the first message of turn ``number``; turn 0 starts behind the leading
        system messages."""
        return self._starts[number - 1] if number > 0 else self.system_stop

    def turn(self, number: int) -> Turn:
        """Turn ``number`` as it stands now. Raises IndexError if there is no such turn."""
        if number < 0 or number > len(self._starts):
            raise IndexError(
                f"no turn {number}: the conversation has turns up to {len(self._starts)}"
            )
        # Turns that another one follows do not change any more.
        if 0 < number <= len(self._closed):
            return self._closed[number - 1]
        length = len(self._messages)
        if number == 0:
            stop = self._starts[0] if self._starts else length
            return Turn(0, self.system_stop, self.system_stop, stop)
        asked_stop = self._asked[-1] if len(self._asked) == number else length
        return Turn(number, self._starts[-1], asked_stop, length)

    def turns(self) -> Iterator[Turn]:
        """All turns in order, without turn 0."""
        count = len(self._starts)
        yield from self._closed[: count - 1]
        if count:
            yield self.turn(count)

    def requests_of(self, turn: Turn) -> list[Request]:
        """The requests of one of the log's turns, in order; none of turn 0, and of one that
        nobody answered."""
        if turn.number == 0:
            return []
        if turn.number <= len(self._closed_requests):
            return self._closed_requests[turn.number - 1]
        return self._requests_of(turn)

    def _requests_of(self, turn: Turn) -> list[Request]:
        first = self._replies_before[turn.number - 1]
        last = len(self._replies)
        if turn.number < len(self._starts):
            last = self._replies_before[turn.number]
        stops = self._replies[first:last]
        requests = []
        for call, stop in enumerate(stops, 1):
            reply_stop = stops[call] if call < len(stops) else turn.stop
            requests.append(Request(turn.number, call, stop, reply_stop))
        return requests

    def requests(self) -> Iterator[Request]:
        """All requests in order."""
        return (request for turn in self.turns() for request in self.requests_of(turn))

    def request_bounds(self) -> array[int]:
        """Five numbers for each request, one request after the other: those of
        :class:`Request`, and where its input begins.

        Not to be changed: they are kept while the log has this length.
        """
        length, bounds = self._request_bounds
        if length != len(self._messages):
            bounds = array("q")
            for request in self.requests():
                bounds.extend((*request, self.input_start(request.stop)))
            self._request_bounds = (len(self._messages), bounds)
        return bounds

    def request_from(self, length: int) -> Request | None:
        """The first request that is made with at least ``length`` messages, if there is one,
        asked or pending."""
        if not self._starts:
            return None
        first = max(1, self.turn_number(max(0, length - 1)))
        for number in range(first, len(self._starts) + 1):
            for request in self.requests_of(self.turn(number)):
                if request.stop >= length:
                    return request
        return self.pending

    @property
    def begins_turn_next(self) -> bool:
        """True if a message of the user's would begin a turn, instead of joining a question."""
        return begins_turn("user", self._last_speaker)

    def asks_at(self, length: int) -> bool:
        """True if the user spoke last among the first ``length`` messages, system messages
        aside: what the user says next belongs to the same question."""
        for position in range(length - 1, -1, -1):
            role = self._messages[position].role
            if role != "system":
                return role == "user"
        return False

    @property
    def pending(self) -> Request | None:
        """The request that is open at the end: a user's message or tool results that nobody
        has answered yet. It is none of the :meth:`requests`."""
        if not self._starts or self._last_speaker == "assistant":
            return None
        length = len(self._messages)
        answered_calls = len(self._replies) - self._replies_before[-1]
        return Request(len(self._starts), answered_calls + 1, length, length)

    @property
    def request_count(self) -> int:
        """Number of requests."""
        return len(self.request_bounds()) // 5

    def reply_stop(self, position: int) -> int:
        """The stop of the assistant's messages that begin at ``position``; ``position``
        where none begins."""
        while (
            position < len(self._messages)
            and self._messages[position].role == "assistant"
        ):
            position += 1
        return position

    def input_start(self, length: int) -> int:
        """The start of the input among the first ``length`` messages; ``length`` where the
        assistant spoke last.

        The input stands behind the assistant's last message and the system messages that
        follow it, which are history. System messages alone are the input.
        """
        # It is asked for several times for each request.
        asked_length, start = self._input_start
        if asked_length != length:
            start = self._find_input_start(length)
            self._input_start = (length, start)
        return start

    def _find_input_start(self, length: int) -> int:
        number = bisect_left(self._assistants, length)
        behind = self._assistants[number - 1] + 1 if number else self.system_stop
        behind = min(behind, length)
        first = behind
        while first < length and self._messages[first].role == "system":
            first += 1
        return first if first < length else behind

    def answered_tool(self, position: int) -> str | None:
        """The name of the tool whose result stands at ``position``; ``None`` for any other
        message, and for a result that answers no call of the assistant's message nearest
        before it."""
        call = self._answered.get(position)
        return None if call is None else call.name


def begins_turn(role: str, last_speaker: str) -> bool:
    """Return whether a message of ``role`` begins a turn, if ``last_speaker`` spoke last, system messages aside.

    A question right behind another one belongs to the same turn.
    """
    return role == "user" and last_speaker != "user"


def count_turns(messages: Iterable[Message]) -> int:
    """Return the number of turns of a conversation without making a log of it, which takes far longer."""
    count = 0
    last_speaker = ""
    for message in messages:
        count += begins_turn(message.role, last_speaker)
        if message.role != "system":
            last_speaker = message.role
    return count
