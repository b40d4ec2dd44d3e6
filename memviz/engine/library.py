"""Runs a real library (LangChain, LlamaIndex, ...) as the memory of a session, and translates what it does.

Before each request a session feeds it the new messages and asks what it would send. Summaries that it writes and
messages that it clears become compactions; what it sends becomes pieces. The library decides, and no rule of its is
repeated here. A message that it returns is matched with the log by identity, else by words and order. A message without
a match is shown as the library's own words.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError, MissingLibraryError
from memviz.core.forms import ClearedResults
from memviz.core.memory import SUMMARIZED, MemorySpace
from memviz.core.messages import Message
from memviz.core.model_errors import (
    BudgetSpentError,
    ScriptExhausted,
    UnusableSummarizerError,
)
from memviz.core.pieces import Line, Notes, Piece
from memviz.engine.compaction import LibraryCall
from memviz.engine.drafts import Draft, ask_for_draft, make_library_draft
from memviz.engine.library_pieces import (
    add_message,
    find_first_sent,
    map_forms,
    number_new_summary,
    remove_new_summary,
)
from memviz.engine.records import TurnRecord
from memviz.engine.state import ChangeDetails, State
from memviz.strategies.base import Move, Write
from memviz.strategies.library import FromLibrary, LibraryStrategy

REDUCED = "reduced"
"""The name of the mark at the length of the log when the library last cleared or reworded a message."""


class SummarizerFailedError(MemvizError):
    """Raised through a library whose summarizer failed."""

    is_retryable = False


class LibraryAtWork:
    """The library's object of one session, with the messages that it was fed and the requests that it made.

    Raises :class:`MissingLibraryError` if the library is not installed.
    """

    def __init__(self, state: State, strategy: LibraryStrategy) -> None:
        if reason := strategy.reason_not_to_run():
            raise MissingLibraryError(reason)
        self._state = state
        self._strategy = strategy
        self._fed = state.space.system_stop
        self._positions: dict[str, list[int]] = {}
        """The log positions of the messages that it was fed, by content."""
        self._asked: list[tuple[tuple[Message, ...], Draft]] = []
        """Its requests to the summarizer during the current update, each with the draft that it got."""
        self._answers: list[str] | None = None
        """While it catches up: the recorded answers that it is still to be given. ``None`` otherwise."""
        self._sent_before: Mapping[int, list[FromLibrary]] = {}
        """The request that it made last while it caught up, by the length of the log then."""
        self._object = strategy.open(self._ask, state.counter)
        self._catch_up()

    def serve(self, state: State) -> None:
        """Work for another session from now on, which continues the one before."""
        self._state = state

    def _ask(self, request: Sequence[Message], answer: str | None = None) -> str:
        if self._answers is not None:
            if not self._answers:
                raise SummarizerFailedError(
                    "it was not asked, or failed, when this was sent"
                )
            return self._answers.pop(0)
        state = self._state
        draft = Draft(error="there is no summarizer to ask")
        if answer is not None:
            draft = make_library_draft(answer, request, state.counter)
        elif state.summarizer is not None:
            draft = ask_for_draft(state.summarizer, request, None, state.counter)
        self._asked.append((tuple(request), draft))
        if draft.error is not None:
            raise SummarizerFailedError(draft.error)
        return draft.text

    def _catch_up(self) -> None:
        """Bring a new object to the state of the recorded session, by the same messages, requests and answers. No model
        is asked."""
        state = self._state
        answers: dict[int, tuple[str, ...]] = {}
        for compaction in state.own_compactions:
            if compaction.error is None:
                # Of several changes at one message the last is the one that was asked for.
                answers[compaction.after_message + 1] = compaction.answers
        # A summary may be on record whose request is not: the chat model failed, or the page was closed before.
        own_records = [
            record for record in state.requests if record.strategy == state.strategy
        ]
        lengths = {record.memory.length for record in own_records}
        for length in sorted(lengths.union(answers)):
            if length > state.memory.length:
                break
            self._feed(length)
            self._answers = [*answers.get(length, ())]
            with suppress(Exception):  # a request that failed then fails again
                self._sent_before = {length: [*self._object.request()]}
        self._answers = None

    def _feed(self, length: int) -> None:
        for position in range(self._fed, length):
            message = self._state.log[position]
            self._positions.setdefault(message.content, []).append(position)
            self._object.take(position, message)
        self._fed = max(self._fed, length)

    def update_request(self) -> None:
        """Let the library act as before a request, and record what it did and what it would send."""
        state = self._state
        length = self._state.memory.length
        self._feed(length)
        self._asked.clear()
        # A summarizer that failed is left alone for a while, and the library would ask it
        # again.
        if not state.may_ask:
            return
        state.tries_at_once = False
        try:
            request = self._sent_before.get(length) or self._object.request()
        except SummarizerFailedError:
            state.record_unchanged(self._make_plan(length), *self._read_used_draft())
            return
        except (ScriptExhausted, BudgetSpentError, UnusableSummarizerError):
            raise
        except Exception as failure:
            # The library's own failure is recorded: the conversation has to survive it.
            draft = Draft(error=f"{type(failure).__name__}: {failure}")
            state.record_unchanged(self._make_plan(length), draft)
            return
        pieces, summary_message = self._make_pieces([*request])
        self._record_reduction(pieces)
        if summary_message is not None:
            self._record_summary(summary_message, pieces)
        else:
            self._record_omission(pieces)
        sent_pieces = tuple(number_new_summary(pieces, state.memory.summary))
        state.space.sent_by_library.append(state.memory, sent_pieces)

    def _make_plan(self, keep_from: int) -> Write:
        memory = self._state.memory
        return Write.up_to(memory, keep_from, self._strategy.reason(memory))

    def _read_used_draft(self) -> tuple[Draft, ChangeDetails]:
        """Return the last draft that the library got during this update, and the details of its compaction."""
        *earlier, (request, draft) = self._asked
        details = ChangeDetails(
            asked_by_library=LibraryCall(request, draft.text),
            discarded=tuple(discarded for _, discarded in earlier),
        )
        return draft, details

    def _record_summary(
        self, summary_message: Message, pieces: Sequence[Piece]
    ) -> None:
        """Record a new summary: it stands for all messages that were sent before and are not sent now."""
        state = self._state
        memory = state.memory
        plan = self._make_plan(find_first_sent(pieces, memory.length))
        draft, details = self._read_used_draft()
        state.write(
            plan, draft, details, turn=memory.turn, text=summary_message.content
        )

    def _record_reduction(self, pieces: Sequence[Piece]) -> None:
        """Record tool results that the library cleared, and messages that it replaced by words of its own, such as one
        line for a call and its results."""
        state = self._state
        length = state.memory.length
        sent_before = state.strategy.select(state.memory)
        forms_before = map_forms(sent_before)
        forms_now = map_forms(pieces)
        start = find_first_sent(pieces, length)
        cleared = {
            position: form
            for position, form in forms_now.items()
            if form is not None and forms_before.get(position) != form
        }
        reworded = [
            position
            for position in forms_before.keys() - forms_now
            if position >= start
        ]
        positions = [*cleared, *reworded]
        if not positions:
            return
        changed = range(min(positions), max(positions) + 1)
        effect = Move(REDUCED, length, "cleared", "the library cleared them", changed)
        if not cleared:
            reason = "the library put words of its own in their place"
            effect = replace(effect, kind="evicted", reason=reason)
        after = state.memory.moved(REDUCED, length)
        pieces_without_summary = remove_new_summary(sent_before, pieces, start, cleared)
        state.space.sent_by_library.append(after, pieces_without_summary)
        state.replace_memory(effect, after, Draft(), ChangeDetails(kind=effect.kind))

    def _record_omission(self, pieces: Sequence[Piece]) -> None:
        """Record messages that the library left out without a summary: those before all that it sends, and the summary
        if it is not sent."""
        state = self._state
        memory = state.memory
        start = find_first_sent(pieces, memory.length)
        if start <= memory.cursor:
            return
        left_out = range(memory.cursor, start)
        reason = "the library left them out"
        effect = Move(SUMMARIZED, start, "evicted", reason, left_out)
        after = memory._replace(cursor=start)
        if not any(isinstance(piece, Notes) for piece in pieces):
            after = after._replace(summary_count=0)
        state.replace_memory(effect, after, Draft(), ChangeDetails(kind="evicted"))

    def _make_pieces(
        self, request: Sequence[FromLibrary]
    ) -> tuple[list[Piece], Message | None]:
        """Return the pieces of the library's request, and the message that holds a new summary.

        A new summary has no version yet: its piece is ``Notes(0, 0)``. The message is ``None`` if no summary was
        written, and its text is empty or the earlier summary's if the answer is not sent.
        """
        log = self._state.log
        memory = self._state.memory
        answer = self._asked[-1][1].text if self._asked else ""
        earlier = memory.summary
        pieces: list[Piece] = []
        summary_message: Message | None = None
        mapped = _map_to_positions(log, request, self._positions, memory.before_input)
        for message, position, is_notes in mapped:
            if position is not None:
                add_message(
                    pieces, position, _find_clearing_form(log, position, message)
                )
            elif summary_message is None and _holds_answer(message, answer, is_notes):
                summary_message = message
                pieces.append(Notes(0, 0, "message", message.role))
            elif earlier is not None and message.content == earlier.text:
                # It may stand beside a new one.
                version = earlier.version
                pieces.append(Notes(version - 1, version, "message", message.role))
            else:
                pieces.append(Line(message))
        if answer and summary_message is None:
            # The answer is not sent, but it was paid for, so it is recorded.
            text = ""
            for number, piece in enumerate(pieces):
                if isinstance(piece, Notes):
                    text = earlier.text if earlier else ""
                    pieces[number] = piece._replace(start=0, stop=0)
            summary_message = Message("user", text)
        return pieces, summary_message


def remember_requests(space: MemorySpace, requests: Sequence[TurnRecord]) -> None:
    """Restore what libraries sent from the stored ``requests``, for the strategies of those that ran one."""
    for record in requests:
        if isinstance(record.strategy, LibraryStrategy):
            space.sent_by_library.append(
                record.memory, record.parts.with_recalled(()).pieces
            )


def _map_to_positions(
    log: Log,
    request: Sequence[FromLibrary],
    positions: Mapping[str, Sequence[int]],
    input_start: int,
) -> Iterator[FromLibrary]:
    """Yield each message of the request with its log position, ``None`` for the library's own words.

    The library knows the position of a message that it passes on; otherwise it is the first message with the same text
    behind the last one that was found. Messages of the input keep their position even if the library changed them: they
    are sent whole, or cleared.
    """
    behind = log.system_stop
    for number, (message, position, is_notes) in enumerate(request):
        if position is None:
            later = [other.position for other in request[number:]]
            next_known = [
                later_position for later_position in later if later_position is not None
            ]
            stop = next_known[0] if next_known else len(log)
            # A summary stands nowhere in a log, so it is not compared with all of it.
            alike = positions.get(message.content, ())
            position = _find_message(log, message, alike, range(behind, stop))
        elif position < input_start and _is_changed(log, position, message):
            # These are the library's own words.
            position = None
        if position is not None:
            behind = position + 1
        yield FromLibrary(message, position, is_notes)


def _holds_answer(message: Message, answer: str, is_notes: bool) -> bool:
    return bool(answer) and (is_notes or answer.strip() in message.content)


def _find_message(
    log: Log, message: Message, alike: Sequence[int], within: range
) -> int | None:
    """Return the first position ``within`` a range that holds an equal message, of the ``alike`` ones with its
    content."""
    for position in alike[bisect_left(alike, within.start) :]:
        if position >= within.stop:
            return None
        if log[position].to_request() == message.to_request():
            return position
    return None


def _is_changed(log: Log, position: int, message: Message) -> bool:
    """Return whether the library sends the message at ``position`` in other words that are no placeholder."""
    logged = log[position]
    if logged is message or logged.to_request() == message.to_request():
        return False
    return _find_clearing_form(log, position, message) is None


def _find_clearing_form(
    log: Log, position: int, message: Message
) -> ClearedResults | None:
    """Return the form of a tool result whose content the library replaced, such as by a placeholder; else ``None``."""
    logged = log[position]
    if logged.role != "tool" or logged.content == message.content:
        return None
    form = ClearedResults(message.content)
    return form if form.sent(logged, log.answered_tool(position)) == message else None
