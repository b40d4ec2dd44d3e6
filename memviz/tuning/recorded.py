"""The strategy *As recorded*: a run that does to the memory what the program did that wrote the log.

Logs of some programs, such as coding agents, record when the program compacted its memory and with which summary.
:func:`replay_recorded` replays a log with these compactions, so that pages can show and explain what was really sent.
"""

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
"""The format of a program that keeps the newest messages of the user beside its summary, but does not log which."""

RECORDED = noop("recorded in the log")
"""The reason of a compaction where the log gives none."""


class Recorded(HandOff):
    """Compact where the log records a compaction, with the summary that the log holds.

    Where the summary is not in the log, or covers only a part of the messages and the log does not say which stayed,
    nobody can tell what the program still sent: the messages then become a block that nobody can read. What a program
    loaded again after a compaction, such as files, counts only if it is in the log.
    """

    title: ClassVar[str] = noop("As recorded")
    main_parameter: ClassVar[str] = ""
    trigger: ClassVar[Trigger] = Trigger.MESSAGE

    events: tuple[RecordedEvent, ...] = ()
    """The compactions of the log, in order."""
    edits_prompt: bool = False
    """True if the program edited its system prompt later: the log holds only the first version."""

    @property
    def label(self) -> str:
        """The title without parameters, because they are not chosen by anybody."""
        return _(self.title)

    def headroom(self, memory: Memory) -> Headroom | None:
        """Return ``None``: there is no rule that says when the next compaction comes."""
        return None

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Compact all messages so far where the log records a compaction, the input included."""
        event = self.event_after(memory.length)
        if event is None or memory.cursor >= memory.length:
            return ()
        if event.kept_newest is not None:
            return self._leave_out(memory, event)
        # If the summary covers only a part, the log does not say which messages stayed beside it.
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
        """Leave out the messages that did not stay, with a summary of them if the log has one."""
        stop = memory.length - (event.kept_newest or 0)
        if stop < memory.cursor:
            # Some messages that stayed are in the unreadable block of an earlier compaction.
            return ()
        left_out = range(max(memory.cursor, event.kept_first or 0), stop)
        reason = event.reason or RECORDED
        newest_summary = memory.summary.text if memory.summary else ""
        is_done = not left_out and event.text in ("", newest_summary)
        if is_done:
            return ()
        if event.text:
            return (Write(left_out, stop, reason, memory.summary, text=event.text),)
        return (Move(SUMMARIZED, stop, "evicted", reason, left_out),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Return the first messages if they stayed, the newest summary if there is one, and all messages since then."""
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
        """Return the compaction recorded after so many messages; of several, the last one that has a summary."""
        events = [event for event in self.events if event.after_message == messages]
        events.sort(key=lambda event: bool(event.text))
        return events[-1] if events else None


def replay_recorded(
    transcript: Transcript, counter: AnyCounter = DEFAULT_COUNTER
) -> Run | None:
    """Return the run with the compactions that the log records; ``None`` where it records none."""
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
