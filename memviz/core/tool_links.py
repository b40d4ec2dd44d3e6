"""The tool results of a log, each with the call that it answers."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memviz.core.messages import Message


class ToolPairs:
    """The tool results with the calls that they answer, kept up to date as messages arrive. All are log positions.

    Ids are reused within real conversations, so a result is paired with the nearest open call of
    that id before it, never through a dictionary of all ids.
    """

    def __init__(self) -> None:
        self.callers: list[int] = []  # messages that call tools
        self.results: list[int] = []  # tool results
        self.joined: list[int] = []  # tool results that directly follow another one
        self.uncalled: list[int] = []  # tool results that answer no call
        self.call_of: dict[
            int, int | None
        ] = {}  # tool result -> message that called it
        self.results_of: dict[int, list[int]] = {}  # calling message -> its results
        self.late: list[
            int
        ] = []  # calling messages of which a result came after the next request, in order
        self.unanswered: dict[
            int, int
        ] = {}  # calling message -> calls of it without a result yet
        self.irregular: list[
            int
        ] = []  # calling messages whose calls are not each answered before the next reply, by its name
        self._next_request = -1  # the last message that the model was called before or that a turn begins with
        self._last_role = ""
        self._spoke_last: tuple[int, Message] | None = (
            None  # the assistant's newest message
        )
        self._results_since: list[Message] = []  # and the results behind it
        self._open: dict[str, list[_OpenCall]] = {}  # by id, the newest last
        self._newest: list[
            _OpenCall
        ] = []  # of any id, the newest last; closed ones are cleared as they come up

    def add(self, position: int, message: Message) -> None:
        """Take note of one more message of the log."""
        if message.role == "user" or (message.role == "assistant" != self._last_role):
            self._next_request = position
        if message.role == self._last_role == "tool":
            self.joined.append(position)
        self._last_role = message.role
        if message.role == "assistant":
            self._note_if_irregular()
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
            caller = self._close(message.tool_call_id)
            self.results.append(position)
            self.call_of[position] = caller
            if caller is None:
                self.uncalled.append(position)
            else:
                self._answer(caller, position)

    def _note_if_irregular(self) -> None:
        """Judge the assistant's newest message: with its next one it is known which of its calls were answered."""
        if self._spoke_last is None or not self._spoke_last[1].tool_calls:
            return
        position, caller = self._spoke_last
        names = {call.id: call.name for call in caller.tool_calls}
        found = [
            result for result in self._results_since if result.tool_call_id in names
        ]
        own = all(
            result.name in (None, names[result.tool_call_id or ""]) for result in found
        )
        if (
            len(names) < len(caller.tool_calls)
            or len({one.tool_call_id for one in found}) < len(names)
            or not own
        ):
            self.irregular.append(position)

    def _answer(self, caller: int, position: int) -> None:
        self.results_of[caller].append(position)
        self.unanswered[caller] -= 1
        if not self.unanswered[caller]:
            del self.unanswered[caller]
        if self._next_request > caller and not self._is_late(caller):
            insort(self.late, caller)

    def _is_late(self, caller: int) -> bool:
        place = bisect_left(self.late, caller)
        return self.late[place : place + 1] == [caller]

    def _close(self, id: str | None) -> int | None:
        """The message whose newest open call has this id, or, where a result names none, any id."""
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
