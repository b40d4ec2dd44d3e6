"""Pairs the tool results of a log with the calls that they answer, while messages are appended.

``log.tools`` is a :class:`ToolPairs`. The engine uses it to keep calls and results together in requests
(:mod:`memviz.engine.tool_pairs`), strategies to find the results that they clear.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memviz.core.messages import Message


@dataclass(eq=False, repr=False)
class ToolPairs:
    """The tool results of a log with the calls that they answer, as log positions.

    Grows with the log, message by message. Ids are reused within real conversations, so a
    result is paired with the nearest open call of that id before it, never through a
    dictionary of all ids.
    """

    callers: list[int] = field(default_factory=list)
    """Messages that call tools."""
    results: list[int] = field(default_factory=list)
    """Tool results."""
    joined: list[int] = field(default_factory=list)
    """Tool results that directly follow another one."""
    uncalled: list[int] = field(default_factory=list)
    """Tool results that answer no call."""
    call_of: dict[int, int | None] = field(default_factory=dict)
    """The calling message of each tool result; ``None`` where it answers no call."""
    results_of: dict[int, list[int]] = field(default_factory=dict)
    """The results of each calling message."""
    late: list[int] = field(default_factory=list)
    """Calling messages, in order, with a result that came after the next request."""
    unanswered: dict[int, int] = field(default_factory=dict)
    """The number of calls without a result, of each calling message that has any."""
    irregular: list[int] = field(default_factory=list)
    """Calling messages with a call that no result answers under its name before the
    assistant's next message."""
    _next_request: int = -1
    """The newest message that begins a turn, or with which the assistant goes on."""
    _last_role: str = ""
    _spoke_last: tuple[int, Message] | None = None
    """The assistant's newest message, with its position."""
    _results_since: list[Message] = field(default_factory=list)
    """Tool results since the assistant's newest message."""
    _open: dict[str, list[_OpenCall]] = field(default_factory=dict)
    """Calls without a result by their id, the newest last."""
    _newest: list[_OpenCall] = field(default_factory=list)
    """Calls of any id, the newest last. Closed ones are removed as they come up."""

    def add(self, position: int, message: Message) -> None:
        """Add the next message of the log."""
        # An assistant's message behind another one of its own goes on with it, and answers no request.
        begins_reply = message.role == "assistant" and self._last_role != "assistant"
        if message.role == "user" or begins_reply:
            self._next_request = position
        if message.role == self._last_role == "tool":
            self.joined.append(position)
        self._last_role = message.role
        if message.role == "assistant":
            self._check_newest_caller()
            self._spoke_last = (position, message)
            self._results_since = []
        elif message.role == "tool":
            self._results_since.append(message)
        if message.tool_calls:
            self.callers.append(position)
            self.results_of[position] = []
            self.unanswered[position] = len(message.tool_calls)
            for call in message.tool_calls:
                opened = _OpenCall(call.id, position)
                self._open.setdefault(call.id, []).append(opened)
                self._newest.append(opened)
        elif message.role == "tool":
            caller = self._close_call(message.tool_call_id)
            self.results.append(position)
            self.call_of[position] = caller
            if caller is None:
                self.uncalled.append(position)
            else:
                self._note_answer(caller, position)

    def _check_newest_caller(self) -> None:
        """Add the assistant's newest message to ``irregular`` if it belongs there.

        Called with its next message: until then a result may still come. Irregular are

        - two calls with one id,
        - a call without a result,
        - a result that bears the name of another tool than its call.
        """
        if self._spoke_last is None or not self._spoke_last[1].tool_calls:
            return
        position, caller = self._spoke_last
        names = {call.id: call.name for call in caller.tool_calls}
        shares_an_id = len(names) < len(caller.tool_calls)
        answered_ids = set()
        has_wrong_name = False
        for result in self._results_since:
            call_id = result.tool_call_id
            if call_id is None or call_id not in names:
                continue
            answered_ids.add(call_id)
            if result.name not in (None, names[call_id]):
                has_wrong_name = True
        lacks_a_result = len(answered_ids) < len(names)
        if shares_an_id or lacks_a_result or has_wrong_name:
            self.irregular.append(position)

    def _note_answer(self, caller: int, position: int) -> None:
        self.results_of[caller].append(position)
        self.unanswered[caller] -= 1
        if not self.unanswered[caller]:
            del self.unanswered[caller]
        place = bisect_left(self.late, caller)
        is_noted = self.late[place : place + 1] == [caller]
        if self._next_request > caller and not is_noted:
            self.late.insert(place, caller)

    def _close_call(self, id: str | None) -> int | None:
        """Close the newest open call of this id, and return the position of its message.

        A result without an id closes the newest open call of all.
        """
        while self._newest and not self._newest[-1].is_open:
            self._newest.pop()
        if not id:
            id = self._newest[-1].id if self._newest else ""
        waiting = self._open.get(id)
        if not waiting:
            return None
        call = waiting.pop()
        call.is_open = False
        return call.caller


@dataclass(slots=True)
class _OpenCall:
    id: str
    caller: int
    is_open: bool = True
