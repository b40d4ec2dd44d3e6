"""Messages, turns and the append-only log that every strategy reads and none may change."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from memviz.core.bounds import type_of
from memviz.core.counters import Counter, FormSums, TokenSums
from memviz.core.errors import MessageError
from memviz.core.foreign_messages import as_dictionary, with_flat_content
from memviz.core.message_fields import flat_message
from memviz.core.tool_links import ToolPairs

if TYPE_CHECKING:
    from memviz.core.forms import Form

Role = Literal["system", "user", "assistant", "tool"]
ROLES: frozenset[str] = frozenset(get_args(Role))
TIME = "time"
"""Key in a message's ``meta``: when it was said, as ISO text."""
RECALL_EXCHANGE = "recall_exchange"
"""Key in a message's ``meta``: a call of the recall tool, or its result."""


def clean_text(text: str) -> str:
    """Text without lone surrogates, which UTF-8, Arrow, SQLite and the browser all refuse."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise MessageError(f"{what} is {type_of(value)}; it has to be text.")
    return value


def _plain_role(role: Any) -> Any:
    """The text of a role that a library has as a member of an enumeration."""
    return role.value if isinstance(role, Enum) else role


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool that an assistant message asks for. ``arguments`` is JSON text, as sent."""

    id: str
    name: str
    arguments: str = "{}"

    @classmethod
    def of(cls, value: ToolCall | Mapping[str, Any]) -> ToolCall:
        """A tool call from the OpenAI shape ``{"id", "function": {"name", "arguments"}}`` or a flat one."""
        if isinstance(value, ToolCall):
            return value
        if not isinstance(value, Mapping):
            raise MessageError(
                f"A tool call is {type_of(value)}; it has to be an object with id and function."
            )
        function = value.get("function")
        source: Mapping[str, Any] = function if isinstance(function, Mapping) else value
        name = source.get("name")
        if not isinstance(name, str) or not name:
            raise MessageError("A tool call has no function name.")
        arguments = source.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(
                {} if arguments is None else arguments, ensure_ascii=False
            )
        return cls(
            clean_text(str(value.get("id") or "")),
            clean_text(name),
            clean_text(arguments),
        )

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI shape of the call."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Immutable.

    ``content`` is text (``None`` becomes the empty text, as tool-calling assistants send it);
    ``tool_calls`` takes :class:`ToolCall` objects or OpenAI dictionaries; ``tool_call_id`` names the
    call that a tool message answers; ``meta`` carries anything else and is never sent to a model.

    Raises :class:`MessageError` for an unknown role or a content that is not text.
    """

    role: str
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    meta: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or self.role not in ROLES:
            raise MessageError(
                f"Role {self.role!r} is unknown; allowed are {', '.join(sorted(ROLES))}."
            )
        content = "" if self.content is None else self.content
        if not isinstance(content, str):
            raise MessageError(
                f"The content of a {self.role} message is {type_of(content)}; it has to be text."
            )
        if content is not self.content or not content.isascii():
            object.__setattr__(self, "content", clean_text(content))
        if self.name is not None or self.tool_call_id is not None:
            self._clean_labels()
        if self.tool_calls or self.tool_calls is None:
            object.__setattr__(
                self,
                "tool_calls",
                tuple(ToolCall.of(call) for call in self.tool_calls or ()),
            )
        if self.meta is not None:
            if not isinstance(self.meta, Mapping):
                raise MessageError(
                    f"The meta of a {self.role} message is not an object of keys and values."
                )
            object.__setattr__(self, "meta", dict(self.meta))

    def _clean_labels(self) -> None:
        for label in ("name", "tool_call_id"):
            value = getattr(self, label)
            if value is not None:
                object.__setattr__(
                    self,
                    label,
                    clean_text(_text(value, f"The {label} of a {self.role} message")),
                )

    @property
    def said_at(self) -> datetime | None:
        """When it was said, in UTC where no zone is named; ``None`` where that is not known."""
        text = self.meta.get(TIME) if self.meta else None
        try:
            moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        except ValueError:
            return None
        return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)

    @property
    def is_recall_exchange(self) -> bool:
        """Whether it only says that the model recalled earlier messages: nothing that a summary should keep."""
        return self.meta is not None and bool(self.meta.get(RECALL_EXCHANGE))

    @classmethod
    def of(cls, value: object) -> Message:
        """A message from a message, from a dictionary with ``role`` and ``content``, or from a message object of
        LangChain, LlamaIndex or OpenAI's client.

        A ``content`` that is a list of parts is read as one text, a part a line. Where there is none, the text is read
        where it stands: under ``text``, ``message``, ``value``, or in the ``blocks`` of LlamaIndex's ``model_dump()``.
        Raises :class:`MessageError` where no text is found.
        """
        if isinstance(value, Message):
            return value
        value = as_dictionary(value) or value
        if not isinstance(value, Mapping):
            raise MessageError(
                f"A message is {type_of(value)}; it has to be an object with role and content."
            )
        if "role" not in value:
            raise MessageError(
                "A message has no role; give one of " + ", ".join(sorted(ROLES)) + "."
            )
        try:
            if value.get("content") in (None, ""):
                value = flat_message(value)
            elif isinstance(value["content"], list | tuple):
                value = with_flat_content(value)
        except MessageError as error:
            raise MessageError(f"A message {error}.") from None
        calls = value.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise MessageError("The tool_calls of a message have to be a list.")
        return cls(
            role=_plain_role(value["role"]),
            content=value.get("content"),  # type: ignore[arg-type]  # None and wrong types are judged above
            name=value.get("name"),
            tool_calls=tuple(calls),
            tool_call_id=value.get("tool_call_id"),
            meta=value.get("meta"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI chat shape of the message, without what is not set, plus ``meta`` if there is any."""
        out = self.to_request()
        if self.meta is not None:
            out["meta"] = dict(self.meta)
        return out

    def to_request(self) -> dict[str, Any]:
        """What is sent to a model: the OpenAI chat shape, never ``meta``."""
        out: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            out["name"] = self.name
        if self.tool_calls:
            out["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            out["tool_call_id"] = self.tool_call_id
        return out


class Turn(NamedTuple):
    """One turn as a range of log positions.

    A turn starts at a user message that does not directly follow another user message, system messages aside;
    ``[start, asked)`` are its leading user messages, with system messages between them, ``[asked, stop)`` what came of
    them.
    ``number`` is 1-based; messages before the first user message, the leading system messages left out,
    are turn 0 (``asked == start``).
    """

    number: int
    start: int
    asked: int
    stop: int


class Request(NamedTuple):
    """One call of the model that a log calls for: call number ``call`` (from 1) of turn ``turn``.

    Its context is what the strategy gives for the log before ``stop``. What is said from there on up to ``reply_stop``,
    as far as it is the assistant's, is the reply; tool results may follow it.
    """

    turn: int
    call: int
    stop: int
    reply_stop: int


class Log(Sequence[Message]):
    """The append-only conversation. Positions are 0-based and never change.

    ``system_stop`` is the position behind the system messages that the conversation begins with. They are its system
    prompt, so they belong to no turn and are no history: only a system message later in the log is.

    Every assistant message answers one request, whose context is the log before it; several in a row answer one. What
    nobody has answered yet at the end of the log is ``pending``, and none of the requests. What an assistant says
    before the first user message was asked for by nobody.

    Token counts are kept as running sums per counter (:meth:`token_sums`), so every strategy over
    this log shares them and no text is tokenized twice.
    """

    def __init__(self, messages: Iterable[Message | Mapping[str, Any]] = ()) -> None:
        self._messages: list[Message] = []
        self.system_stop = 0
        self._starts: list[int] = []  # log position at which turn 1, 2, ... starts
        self._asked: list[
            int
        ] = []  # and the position behind its leading user messages, once something follows
        self._closed: list[Turn] = []  # turns that another one follows
        self._closed_requests: list[
            list[Request]
        ] = []  # and their requests, which every setting of a sweep asks for
        self._request_bounds = (
            0,
            array("q"),
        )  # of :meth:`request_bounds`, with the length of the log they are of
        self._assistants: list[int] = []  # positions of the assistant's messages
        self._replies: list[
            int
        ] = []  # and of those which begin the answer to a request
        self._replies_before: list[
            int
        ] = []  # the number of such when turn 1, 2, ... started
        self._last_speaker = (
            ""  # the role of the last message that is no system message
        )
        self._token_sums: dict[tuple[Counter, Form | None], TokenSums] = {}
        self._answered: dict[int, str | None] = {}  # the tool of each result
        self._called: dict[
            str | None, str
        ] = {}  # by the id of its call: the tools that the newest message calls
        self.tools = ToolPairs()
        self.extend(messages)

    def append(self, message: Message | Mapping[str, Any]) -> int:
        """Add one message and return its position."""
        message = Message.of(message)
        position = len(self._messages)
        if message.role == "user":
            if self._last_speaker == "user":
                del self._asked[
                    len(self._starts) - 1 :
                ]  # a system message stood between: both are one question
            else:
                if self._starts:
                    closed = Turn(
                        len(self._starts), self._starts[-1], self._asked[-1], position
                    )
                    self._closed.append(closed)
                    self._closed_requests.append(self._requests_of(closed))
                self._starts.append(position)
                self._replies_before.append(len(self._replies))
        elif len(self._asked) < len(self._starts):
            self._asked.append(position)
        if message.role == "assistant":
            if self._starts and self._messages[-1].role != "assistant":
                self._replies.append(position)
            self._assistants.append(position)
            # Of several calls with one id the first is meant.
            self._called = {call.id: call.name for call in reversed(message.tool_calls)}
        if message.role != "system":
            self._last_speaker = message.role
        elif self.system_stop == position:
            self.system_stop += 1
        if message.role == "tool":
            self._answered[position] = self._called.get(message.tool_call_id)
        self._messages.append(message)
        self.tools.add(position, message)
        return position

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
        """The turn that the message at ``position`` belongs to (0 before the first user message, and for the leading
        system messages, which belong to none)."""
        return bisect_right(self._starts, position)

    def turn_start(self, number: int) -> int:
        """Position of the first message of turn ``number``; turn 0 starts behind the leading system messages."""
        return self._starts[number - 1] if number > 0 else self.system_stop

    def turn(self, number: int) -> Turn:
        """Turn ``number`` as it stands now. Raises IndexError if there is no such turn."""
        if number < 0 or number > len(self._starts):
            raise IndexError(
                f"no turn {number}: the conversation has turns up to {len(self._starts)}"
            )
        if 0 < number <= len(self._closed):
            return self._closed[number - 1]
        if number == 0:
            return Turn(
                0,
                self.system_stop,
                self.system_stop,
                self._starts[0] if self._starts else len(self._messages),
            )
        asked = self._asked[-1] if len(self._asked) == number else len(self._messages)
        return Turn(number, self._starts[-1], asked, len(self._messages))

    def turns(self) -> Iterator[Turn]:
        """All turns in order, without turn 0."""
        count = len(self._starts)
        yield from self._closed[: count - 1]
        if count:
            yield self.turn(count)

    def requests_of(self, turn: Turn) -> list[Request]:
        """The requests of one of the log's turns, in order; none of turn 0, and of one that nobody answered."""
        if turn.number <= len(self._closed_requests):
            return self._closed_requests[turn.number - 1] if turn.number else []
        return self._requests_of(turn)

    def _requests_of(self, turn: Turn) -> list[Request]:
        first = self._replies_before[turn.number - 1]
        last = (
            self._replies_before[turn.number]
            if turn.number < len(self._starts)
            else len(self._replies)
        )
        if first == last:
            return []
        stops = self._replies[first:last]
        bounds = zip(stops, [*stops[1:], turn.stop], strict=True)
        return [
            Request(turn.number, call, stop, until)
            for call, (stop, until) in enumerate(bounds, 1)
        ]

    def requests(self) -> Iterator[Request]:
        """All requests in order."""
        return (request for turn in self.turns() for request in self.requests_of(turn))

    def request_bounds(self) -> array[int]:
        """Five numbers for each request, one request after the other: those of :class:`Request`, and where its input
        begins. Not to be changed: they are kept while the log has this length."""
        length, flat = self._request_bounds
        if length != len(self._messages):
            flat = array(
                "q",
                (
                    n
                    for one in self.requests()
                    for n in (*one, self.input_start(one.stop))
                ),
            )
            self._request_bounds = (len(self._messages), flat)
        return flat

    def request_from(self, length: int) -> Request | None:
        """The first request that is made with at least ``length`` messages, if there is one, asked or pending."""
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
        """Whether a message of the user's would begin a turn, instead of joining a question."""
        return self._last_speaker != "user"

    def asks_at(self, length: int) -> bool:
        """Whether the user spoke last among the first ``length`` messages, but for system messages: what the user says
        next belongs to the same question."""
        roles = (
            self._messages[position].role for position in range(length - 1, -1, -1)
        )
        return next((role for role in roles if role != "system"), "") == "user"

    @property
    def pending(self) -> Request | None:
        """The request that is open at the end: a user's message or tool results that nobody has answered yet."""
        length = len(self._messages)
        if (
            not self._starts
            or not self._last_speaker
            or self._last_speaker == "assistant"
        ):
            return None
        turn = len(self._starts)
        made = len(self._replies) - self._replies_before[-1]
        return Request(turn, made + 1, length, length)

    @property
    def request_count(self) -> int:
        """Number of requests."""
        return len(self.request_bounds()) // 5

    def reply_stop(self, position: int) -> int:
        """Where the messages of the assistant that begin at ``position`` stop; ``position`` where none begins."""
        while (
            position < len(self._messages)
            and self._messages[position].role == "assistant"
        ):
            position += 1
        return position

    def input_start(self, length: int) -> int:
        """Where the input begins among the first ``length`` messages: behind the last message of the assistant and the
        system messages that follow it, which are history, or lead the log; ``length`` where the assistant spoke last.
        System messages alone are the input."""
        number = bisect_left(self._assistants, length)
        behind = min(
            self._assistants[number - 1] + 1 if number else self.system_stop, length
        )
        first = behind
        while first < length and self._messages[first].role == "system":
            first += 1
        return first if first < length else behind

    def answered_tool(self, position: int) -> str | None:
        """The name of the tool whose result stands at ``position``; ``None`` for any other message, and for a result
        that answers no call of the assistant's message nearest before it."""
        return self._answered.get(position)

    def sent(self, position: int, form: Form | None) -> Message:
        """The message at ``position`` as it is sent in ``form``."""
        message = self._messages[position]
        return (
            message
            if form is None
            else form.sent(message, self.answered_tool(position))
        )

    def token_sums(self, counter: Counter, form: Form | None = None) -> TokenSums:
        """Running token sums of all messages under ``counter``, as a whole or in one form; each message is counted
        once."""
        key = (counter, form)
        sums = self._token_sums.get(key)
        if sums is None:
            sums = self._new_token_sums(counter, form)
            sums = self._token_sums.setdefault(
                key, sums
            )  # another thread may have been faster
        sums.extend(self._messages)
        return sums

    def _new_token_sums(self, counter: Counter, form: Form | None) -> TokenSums:
        if form is None:
            return TokenSums(counter)
        return FormSums(self.token_sums(counter), form, self.answered_tool)

    def prefix(self, length: int) -> Log:
        """A new log of the first ``length`` messages, with the token sums counted so far."""
        log = Log(self._messages[:length])
        log._token_sums = {
            key: sums.prefix(length)
            for key, sums in self._token_sums.items()
            if key[1] is None
        }
        return log
