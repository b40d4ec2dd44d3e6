"""A real library at work: what reaches its summarizer or is cleared becomes a compaction, what it would send becomes
pieces.

The library decides; nothing here repeats its rule. A message that it hands back is known by its identity, else by its
words and order. What cannot be mapped is sent as the library's own words, and is shown as such.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import dropwhile, pairwise

from memviz.core.conversation import Log
from memviz.core.errors import (
    BudgetSpentError,
    MemvizError,
    MissingLibraryError,
    ScriptExhausted,
    UnusableSummarizerError,
)
from memviz.core.forms import ClearedResults, Form
from memviz.core.memory import SUMMARIZED, MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Piece
from memviz.core.summaries import SummaryVersion
from memviz.engine.compaction import LibraryCall
from memviz.engine.drafts import Draft, ask_for_draft
from memviz.engine.parts import without_shared
from memviz.engine.records import TurnRecord
from memviz.engine.state import ChangeDetails, State
from memviz.strategies.base import Move, Write
from memviz.strategies.library import FromLibrary, LibraryStrategy

REDUCED = "reduced"
"""The mark behind the last message that the library was asked about when it last cleared or reworded something."""


class SummarizerFailedError(MemvizError):
    """Raised through a library whose summarizer failed."""

    is_retryable = False


class LibraryAtWork:
    """The library's object of one session, with what it was fed and what it asked for. Raises
    :class:`MissingLibraryError` where the library is not installed."""

    def __init__(self, state: State, strategy: LibraryStrategy) -> None:
        if reason := strategy.can_be_run():
            raise MissingLibraryError(reason)
        self._state = state
        self._strategy = strategy
        self._fed = state.space.system_stop
        self._positions: dict[str, list[int]] = {}
        """The log positions of the messages that it was fed, by their contents."""
        self._asked: list[tuple[tuple[Message, ...], Draft]] = []
        self._answers: list[str] | None = (
            None  # while it catches up: those that it got then, still to be given again
        )
        self._sent_before: Mapping[int, list[FromLibrary]] = {}
        self._object = strategy.open(self._ask, state.counter)
        self._catch_up()

    def serve(self, state: State) -> None:
        """Work for another session, which goes on where the one before stands."""
        self._state = state

    def _ask(self, request: Sequence[Message]) -> str:
        if self._answers is not None:
            if not self._answers:
                raise SummarizerFailedError(
                    "it was not asked, or failed, when this was sent"
                )
            return self._answers.pop(0)
        state = self._state
        draft = Draft(error="there is no summarizer to ask")
        if state.summarizer is not None:
            draft = ask_for_draft(state.summarizer, request, None, state.counter)
        self._asked.append((tuple(request), draft))
        if draft.error is not None:
            raise SummarizerFailedError(draft.error)
        return draft.text

    def _catch_up(self) -> None:
        """Bring a new object to where the one before was left: with the same messages, requests and answers. Asks
        nobody."""
        state = self._state
        answers: dict[int, tuple[str, ...]] = {}
        for made in state.own_compactions:
            if made.error is None:
                # Of several changes at one message the last is the one that was asked for.
                answers[made.after_message + 1] = made.answers
        asked = set(answers)
        for record in state.requests:
            if record.strategy == state.strategy:
                asked.add(record.memory.length)
        # A summary may be on record whose request is not: the chat model failed, or the page was closed before.
        for length in sorted(asked):
            if length > state.memory.length:
                break
            self._feed(length)
            self._answers = [*answers.get(length, ())]
            with suppress(Exception):  # what failed then fails again
                self._sent_before = {length: [*self._object.request()]}
        self._answers = None

    def _feed(self, length: int) -> None:
        for position in range(self._fed, length):
            message = self._state.log[position]
            self._positions.setdefault(message.content, []).append(position)
            self._object.take(position, message)
        self._fed = max(self._fed, length)

    def look(self) -> None:
        """Let the library do what it does before a request, and keep what it would send."""
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
            sent = self._sent_before.get(length) or self._object.request()
        except SummarizerFailedError:
            self._record_failure()
            return
        except (ScriptExhausted, BudgetSpentError, UnusableSummarizerError):
            raise
        except Exception as failure:  # of the library's own: recorded, for the conversation has to survive it
            state.record_unchanged(
                self._plan(length), Draft(error=f"{type(failure).__name__}: {failure}")
            )
            return
        pieces, written = self._pieces([*sent])
        self._record_reduced(pieces)
        if written is not None:
            self._record(written, pieces)
        else:
            self._record_left_out(pieces)
        state.space.sent_by_library.append(
            state.memory, tuple(_with_version(pieces, state.memory.summary))
        )

    def _plan(self, keep_from: int) -> Write:
        memory = self._state.memory
        return Write(
            range(memory.cursor, keep_from),
            keep_from,
            self._strategy.reason(memory),
            memory.summary,
        )

    def _record_failure(self) -> None:
        *earlier, (request, draft) = self._asked
        self._state.record_unchanged(
            self._plan(self._state.memory.length),
            draft,
            ChangeDetails(
                asked_by_library=LibraryCall(request, ""),
                discarded=tuple(discarded for _, discarded in earlier),
            ),
        )

    def _record(self, written: Message, pieces: Sequence[Piece]) -> None:
        """A summary was written: it stands for everything that was sent before and is not any more."""
        state = self._state
        memory = state.memory
        *earlier, (request, draft) = self._asked
        plan = self._plan(_first_sent(pieces, memory.length))
        state.write(
            plan,
            draft,
            ChangeDetails(
                asked_by_library=LibraryCall(request, draft.text),
                discarded=tuple(discarded for _, discarded in earlier),
            ),
            turn=memory.turn,
            text=written.content,
        )

    def _record_reduced(self, pieces: Sequence[Piece]) -> None:
        """Results that were sent whole are sent cleared, or words of the library's own stand in the place of messages,
        such as one line for a call and its results."""
        state = self._state
        length = state.memory.length
        sent_before = state.strategy.select(state.memory)
        new_before, new_now = without_shared(sent_before, pieces)
        if not new_before and all(piece.form is None for piece in new_now):
            # Nearly always the same is sent again, and more.
            return
        before = _forms_of(sent_before)
        now = _forms_of(pieces)
        cleared = {
            position: form
            for position, form in _forms_of(new_now).items()
            if form is not None and before.get(position) != form
        }
        start = _first_sent(pieces, length)
        reworded = [
            one for one in _forms_of(new_before) if one >= start and one not in now
        ]
        if not cleared and not reworded:
            return
        changed = range(min([*cleared, *reworded]), max([*cleared, *reworded]) + 1)
        effect = Move(REDUCED, length, "cleared", "the library cleared them", changed)
        if not cleared:
            reason = "the library put words of its own in their place"
            effect = replace(effect, kind="evicted", reason=reason)
        after = state.memory.moved(REDUCED, length)
        # A summary may follow at the same message. This is what is sent without it: up to where it reaches as before,
        # and behind that as now.
        kept: list[Piece] = []
        for piece in sent_before:
            if not isinstance(piece, Messages):
                kept.append(piece)
                continue
            for position in range(piece.start, min(piece.stop, start)):
                _add(kept, position, cleared.get(position, piece.form))
            if piece.stop > start:
                break
        behind = dropwhile(lambda piece: not _begins_behind(piece, start), pieces)
        kept += [one for one in behind if not _is_new_summary(one)]
        state.space.sent_by_library.append(after, tuple(kept))
        state.replace_memory(effect, after, Draft(), ChangeDetails(kind=effect.kind))

    def _record_left_out(self, pieces: Sequence[Piece]) -> None:
        """Nothing was summarized: what stands before all that is sent was left out, the summary too if it is not sent.
        A library may put fixed words in its place."""
        state = self._state
        memory = state.memory
        kept = _first_sent(pieces, memory.length)
        if kept <= memory.cursor:
            return
        left_out = range(memory.cursor, kept)
        reason = "the library left them out"
        effect = Move(SUMMARIZED, kept, "evicted", reason, left_out)
        after = memory._replace(cursor=kept)
        if not any(isinstance(piece, Notes) for piece in pieces):
            after = after._replace(summary_count=0)
        state.replace_memory(effect, after, Draft(), ChangeDetails(kind="evicted"))

    def _pieces(
        self, sent: Sequence[FromLibrary]
    ) -> tuple[list[Piece], Message | None]:
        """The pieces of what is sent, the summary as a line as yet; and the message that holds a new summary, empty
        where nothing that is sent is of the answers."""
        answer = self._asked[-1][1].text if self._asked else None
        known = self._state.memory.summary
        found: list[Piece] = []
        written: Message | None = None
        mapped = _mapped(
            self._state.log, sent, self._positions, self._state.memory.before_input
        )
        for message, position, is_notes in mapped:
            if position is not None:
                _add(found, position, _cleared(self._state.log, position, message))
            elif (
                answer
                and written is None
                and (is_notes or answer.strip() in message.content)
            ):
                written = message
                found.append(Notes(0, 0, "message", message.role))
            elif known is not None and message.content == known.text:
                # It may stand beside a new one.
                version = known.version
                found.append(Notes(version - 1, version, "message", message.role))
            else:
                found.append(Line(message))
        if answer and written is None:  # it was paid for all the same
            is_known = any(isinstance(piece, Notes) for piece in found)
            written = Message("user", known.text if known and is_known else "")
            found = [
                piece._replace(start=0, stop=0) if isinstance(piece, Notes) else piece
                for piece in found
            ]
        return found, written


def _add(pieces: list[Piece], position: int, form: Form | None) -> None:
    """Send the message at ``position`` next, in the piece of the one before where that has the same form."""
    last = pieces[-1] if pieces else None
    if isinstance(last, Messages) and (last.stop, last.form) == (position, form):
        pieces[-1] = last._replace(stop=position + 1)
    else:
        pieces.append(Messages(position, position + 1, form))


def _begins_behind(piece: Piece, start: int) -> bool:
    return isinstance(piece, Messages) and piece.start >= start


def _is_new_summary(piece: Piece) -> bool:
    """Return whether a summary stands here that has no number as yet."""
    return isinstance(piece, Notes) and not piece.versions


def _forms_of(pieces: Sequence[Piece]) -> dict[int, Form | None]:
    """The form of each message of the log that is sent, by its position."""
    return {
        position: piece.form
        for piece in pieces
        if isinstance(piece, Messages)
        for position in piece.positions
    }


def remember_requests(space: MemorySpace, requests: Sequence[TurnRecord]) -> None:
    """Let the strategies of these records, as far as they run a library, know once more what was sent."""
    for record in requests:
        if isinstance(record.strategy, LibraryStrategy):
            space.sent_by_library.append(
                record.memory, record.parts.with_recalled(()).pieces
            )


def _with_version(
    pieces: Sequence[Piece], summary: SummaryVersion | None
) -> Iterator[Piece]:
    """The pieces with the newest summary in its place, which has no number as yet."""
    for piece in pieces:
        if isinstance(piece, Notes) and _is_new_summary(piece) and summary is not None:
            yield piece._replace(start=summary.version - 1, stop=summary.version)
        else:
            yield piece


def _first_sent(pieces: Sequence[Piece], length: int) -> int:
    """The first message of the log that is sent behind the last of those that are left out; ``length`` where none is.
    A message that the library sends in words of its own is not left out."""
    starts = [piece.start for piece in pieces if isinstance(piece, Messages)]
    first = min([*starts, length])
    for before, piece in pairwise(pieces):
        if not isinstance(piece, Messages):
            continue
        is_gap = isinstance(before, Messages) and before.stop < piece.start
        if is_gap or isinstance(before, Notes):
            first = max(first, piece.start)
    return first


def _mapped(
    log: Log,
    sent: Sequence[FromLibrary],
    positions: Mapping[str, Sequence[int]],
    input_start: int,
) -> Iterator[FromLibrary]:
    """Each message with its log position: by identity, else the first one behind the last that was found which reads
    the same. Of the input a result that the library cleared is sent so; all else is sent whole, whatever the library
    made of it."""
    behind = log.system_stop
    for number, (message, position, is_notes) in enumerate(sent):
        if position is None:
            until = next(
                (one.position for one in sent[number:] if one.position is not None),
                len(log),
            )
            # A summary stands nowhere in a log, so it is not compared with all of it.
            alike = positions.get(message.content, ())
            position = next(
                (
                    p
                    for p in alike[bisect_left(alike, behind) :]
                    if p < until and log[p].to_request() == message.to_request()
                ),
                None,
            )
        elif (
            position < input_start
            and log[position] is not message
            and log[position].to_request() != message.to_request()
            and _cleared(log, position, message) is None
        ):
            position = None  # the library changed it: these are its words
        if position is not None:
            behind = position + 1
        yield FromLibrary(message, position, is_notes)


def _cleared(log: Log, position: int, sent: Message) -> ClearedResults | None:
    """The form of a result that the library sends with another content, such as a placeholder."""
    said = log[position]
    if said.role != "tool" or said.content == sent.content:
        return None
    form = ClearedResults(sent.content)
    return form if form.sent(said, log.answered_tool(position)) == sent else None
