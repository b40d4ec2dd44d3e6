"""A run of what a recorded log says that its own program did to its memory."""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.memory import SUMMARIZED, Memory
from memviz.core.pieces import Messages, Piece
from memviz.core.translation import _, noop
from memviz.engine.replay import replay
from memviz.engine.run import Run
from memviz.strategies.base import Effect, Move, Trigger, Write
from memviz.strategies.clauses import Headroom
from memviz.strategies.hand_off import HandOff
from memviz.strategies.presets import presets
from memviz.transcripts.base import EDITED_PROMPT, RecordedEvent, Transcript

CODEX = "codex"
"""The format whose program keeps the user's newest messages beside its summary; the log does not say which."""

RECORDED = noop("recorded in the log")
"""The reason of a compaction where the log gives none."""


class Recorded(HandOff):
    """Compacts where the log says that its program did, with the summaries that the log holds.

    Of a compaction whose summary is not in the log, or stands for a part of the messages, nobody can tell what was
    left, unless the log says what stayed: it becomes a block that nobody can read. What a program read in again after
    it, such as files, is in the log only if it was said.
    """

    title: ClassVar[str] = noop("As recorded")
    main_parameter: ClassVar[str] = ""
    trigger: ClassVar[Trigger] = Trigger.MESSAGE

    events: tuple[RecordedEvent, ...] = ()
    """The compactions of the log, in order."""
    edits_prompt: bool = False
    """The program edited its system prompt later, and the log's first copy of it is all that is known."""

    @property
    def label(self) -> str:
        """The title alone: its parameters are what happened."""
        return _(self.title)

    def headroom(self, memory: Memory) -> Headroom | None:
        """Unknown: the log says when."""
        return None

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Compact everything so far where the log says so, whatever of it was the input then."""
        event = self.event_after(memory.length)
        if event is None or memory.cursor >= memory.length:
            return ()
        if event.kept_newest is not None:
            return self._leave_out(memory, event)
        # Of a summary of a part the log does not say which messages stayed beside it.
        text = "" if event.part else event.text
        effect = Write(
            range(memory.cursor, memory.length),
            memory.length,
            event.reason or RECORDED,
            memory.summary,
            text=text or None,
            opaque_tokens=0 if text else max(1, event.tokens_after or 0),
        )
        return (effect,)

    def _leave_out(self, memory: Memory, event: RecordedEvent) -> tuple[Effect, ...]:
        """Leave out what did not stay, with the summary that was sent for it, if there was one."""
        stop = memory.length - (event.kept_newest or 0)
        if stop < memory.cursor:
            return ()  # some that stayed are in the block of an earlier compaction, of which nothing more is known
        going = range(max(memory.cursor, event.kept_first or 0), stop)
        reason = event.reason or RECORDED
        newest = memory.summary.text if memory.summary else ""
        if not going and event.text in ("", newest):
            return ()  # it is done
        if event.text:
            return (Write(going, stop, reason, memory.summary, text=event.text),)
        return (Move(SUMMARIZED, stop, "evicted", reason, going),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The first messages, if they stayed, the newest summary, if one was still sent, and all messages since
        then."""
        number = bisect_right(
            self.events, memory.length, key=lambda event: event.after_message
        )
        if not number:
            return super().select(memory)
        event = self.events[number - 1]
        rest = super().select(memory)
        if event.is_window:
            if memory.cursor == event.after_message - (event.kept_newest or 0):
                rest = (Messages(memory.cursor, memory.length),)
        first = range(memory.history_start, min(event.kept_first or 0, memory.cursor))
        return (Messages(first.start, first.stop), *rest) if first else rest

    def event_after(self, messages: int) -> RecordedEvent | None:
        """Return the compaction that was recorded after so many messages; of several the last one with a summary."""
        events = [event for event in self.events if event.after_message == messages]
        events.sort(key=lambda event: bool(event.text))
        return events[-1] if events else None


def replay_recorded(
    transcript: Transcript, counter: AnyCounter = DEFAULT_COUNTER
) -> Run | None:
    """Return the run that the log records; ``None`` where its program recorded no compaction."""
    events = tuple(event for event in transcript.events if event.kind == "compaction")
    if not events:
        return None
    keep_user_tokens = 0
    if transcript.format == CODEX:
        keep_user_tokens = presets()[CODEX].parameters["keep_user_tokens"]
    edits = any(EDITED_PROMPT in warning for warning in transcript.warnings)
    strategy = Recorded(
        events=events, keep_user_tokens=keep_user_tokens, edits_prompt=edits
    )
    return replay(transcript, strategy, model=None, counter=counter)
