"""Turns and the append-only log of messages that every strategy reads and none may change."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memviz.core.counters import Counter, FormSums, TokenSums
from memviz.core.file_reads import FileReads
from memviz.core.importance import ImportanceIndex
from memviz.core.messages import RECALL_EXCHANGE as RECALL_EXCHANGE
from memviz.core.messages import ROLES as ROLES
from memviz.core.messages import TIME as TIME
from memviz.core.messages import Message as Message
from memviz.core.messages import ToolCall as ToolCall
from memviz.core.messages import clean_text as clean_text
from memviz.core.superseded_sums import SupersededSums
from memviz.core.tool_links import ToolPairs
from memviz.core.vectors import VectorIndex, VectorIndexes, VectorSource
from memviz.core.word_index import WordIndex

if TYPE_CHECKING:
    from memviz.core.forms import Form, Superseded


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
        self.later_system = array("q")
        """The positions of all other system messages, which are history."""
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
        self._words = WordIndex()
        self._vectors = VectorIndexes()
        self.kept_vectors: VectorSource | None = None
        """Vectors that embedding models were asked for before, where they are kept."""
        self._importance = ImportanceIndex()
        self._file_reads = FileReads()
        self._newest_superseded: dict[Hashable, SupersededSums] = {}
        self._answered: dict[int, ToolCall | None] = {}  # the call of each result
        self._called: dict[
            str | None, ToolCall
        ] = {}  # by their ids: the calls of the newest message
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
        """True if a message of the user's would begin a turn, instead of joining a question."""
        return self._last_speaker != "user"

    def asks_at(self, length: int) -> bool:
        """True if the user spoke last among the first ``length`` messages, but for system messages: what the user says
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
        """The stop of the assistant's messages that begin at ``position``; ``position`` where none begins."""
        while (
            position < len(self._messages)
            and self._messages[position].role == "assistant"
        ):
            position += 1
        return position

    def input_start(self, length: int) -> int:
        """The start of the input among the first ``length`` messages: behind the last message of the assistant and the
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
        call = self._answered.get(position)
        return None if call is None else call.name

    def form_at(self, position: int, form: Form | None) -> Form | None:
        """The form of the message at ``position`` in a stretch of ``form``: another one only of what was read again."""
        superseded = None if form is None else form.superseded
        if superseded is None:
            return form
        is_older = self.file_reads().is_superseded(position, superseded.length)
        return superseded.older if is_older else superseded.others

    def sent(self, position: int, form: Form | None) -> Message:
        """The message at ``position`` as it is sent in ``form``."""
        message = self._messages[position]
        own = self.form_at(position, form)
        return (
            message if own is None else own.sent(message, self.answered_tool(position))
        )

    def token_sums(self, counter: Counter, form: Form | None = None) -> TokenSums:
        """Running token sums of all messages under ``counter``, as a whole or in one form; each message is counted
        once."""
        if form is not None and form.superseded is not None:
            return self._superseded_sums(counter, form.superseded)
        key = (counter, form)
        sums = self._token_sums.get(key)
        if sums is None:
            sums = self._new_token_sums(counter, form)
            sums = self._token_sums.setdefault(
                key, sums
            )  # another thread may have been faster
        sums.extend(self._messages)
        return sums

    def word_index(self) -> WordIndex:
        """The words of all messages, for looking up which hold those of a question; each message is read once."""
        self._words.extend(self._messages)
        return self._words

    def vector_index(self, model: str = "") -> VectorIndex:
        """The vectors of all messages by an embedding model, or by the small embedding of this machine; each message
        is embedded once. Raises :class:`MissingLibraryError` without wordllama, and what a
        :data:`memviz.core.vectors.VectorSource` raises."""
        index = self._vectors.of(model, self.kept_vectors)
        index.extend(self._messages)
        return index

    def importance_index(self) -> ImportanceIndex:
        """The importance of all messages; each is read once."""
        self._importance.extend(self._messages)
        return self._importance

    def file_reads(self) -> FileReads:
        """The results of tools that read files, and where they were read again."""
        self._file_reads.extend(self._messages, self._answered.get)
        return self._file_reads

    def _new_token_sums(self, counter: Counter, form: Form | None) -> TokenSums:
        if form is None:
            return TokenSums(counter)
        return FormSums(self.token_sums(counter), form, self.answered_tool)

    def _superseded_sums(self, counter: Counter, form: Superseded) -> TokenSums:
        """The sums of such a form. Each time that something is read again it is another one: the newest is kept."""
        key = (counter, form.older, form.others)
        known = self._newest_superseded.get(key)
        length = len(self._messages)
        if known is None or known.form != form or len(known.totals) <= length:
            older = self.token_sums(counter, form.older)
            others = self.token_sums(counter, form.others)
            superseded = self.file_reads().superseded(form.length)
            known = SupersededSums(form, older, others, superseded)
            self._newest_superseded[key] = known
        return known

    def prefix(self, length: int) -> Log:
        """A new log of the first ``length`` messages, with the token sums counted so far."""
        log = Log(self._messages[:length])
        log._token_sums = {
            key: sums.prefix(length)
            for key, sums in self._token_sums.items()
            if key[1] is None
        }
        log.kept_vectors = self.kept_vectors
        return log
