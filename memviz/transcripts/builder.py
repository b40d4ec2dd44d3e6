"""One conversation on its way from a file to a transcript, with what is odd about it noted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memviz.conversation import Log, Message
from memviz.errors import MessageError, TranscriptError
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.chat_messages import read_message
from memviz.transcripts.import_notes import Findings
from memviz.transcripts.limits import Limits

MAX_REASONS = 3
NEEDED = "Every message needs a role (system, user, assistant or tool) and a content."


class Reading:
    """Collects the messages of one conversation, each with its place in the file ("index 3", "line 4").

    What is no message is left out and counted; :meth:`transcript` ends the conversation, judges it and makes it a
    transcript with its warnings. Raises :class:`TranscriptError` for more messages than the limit.
    """

    def __init__(self, limits: Limits | None = None, place: str = "") -> None:
        self.findings = Findings()
        self.limits = limits or Limits()
        self.place = place
        self.messages: list[Message] = []
        self.events: list[RecordedEvent] = []
        self._places: list[str] = []
        self._left_out: list[str] = []

    def note(self, what: str, place: str = "") -> None:
        """Note a repair: a clause without full stop, and where it was."""
        self.findings.note(what, place)

    def add(self, message: Message, place: str) -> int:
        """Add a message; returns its log position."""
        if len(self.messages) >= self.limits.messages:
            reason = f"the conversation has more than {self.limits.messages:,} messages."
            raise TranscriptError(reason, remedy="Split it, or raise MEMVIZ_IMPORT_MESSAGES.")
        self.messages.append(message)
        self._places.append(place)
        return len(self.messages) - 1

    def say(self, role: str, content: str, place: str, **fields: Any) -> int:
        """Add a message of this role and text, with these other fields of a :class:`Message`; returns its position."""
        return self.add(Message(role, content, **fields), place)

    def take(self, item: object, place: str) -> int | None:
        """Add the message that a JSON value in the shape of the OpenAI chat API describes; returns its position,
        ``None`` for one that is left out because it is no message."""
        try:
            return self.add(read_message(item, lambda what: self.note(what, place)), place)
        except MessageError as error:
            self.leave_out(place, str(error))
            return None

    def take_all(self, items: Iterable[object], unit: str = "index", first: int = 0) -> dict[int, int]:
        """Take every item; returns the log position of the index of each that is a message."""
        taken = {index: self.take(item, f"{unit} {index + first}") for index, item in enumerate(items)}
        return {index: position for index, position in taken.items() if position is not None}

    def leave_out(self, place: str, reason: str) -> None:
        """Count something that should be a message and is none; ``reason`` completes "index 3 ..."."""
        self._left_out.append(f"{place} {reason}")

    def happened(self, event: RecordedEvent) -> None:
        """Keep what the program did to its own memory."""
        self.events.append(event)

    def transcript(self, **known: Any) -> Transcript:
        """The conversation as it was collected, with what else is ``known`` of it (fields of a transcript).

        Raises :class:`TranscriptError` where there is no message.
        """
        self._judge_left_out()
        self._note_oddities()
        return Transcript(tuple(self.messages), warnings=self.findings.sentences(), events=tuple(self.events), **known)

    def _judge_left_out(self) -> None:
        read, left_out = len(self.messages), self._left_out
        total = read + len(left_out)
        if not total:
            raise TranscriptError("the conversation has no messages.", remedy="Choose one with at least one message.")
        more = f", and {len(left_out) - MAX_REASONS} more" if len(left_out) > MAX_REASONS else ""
        reasons = ", ".join(left_out[:MAX_REASONS]) + more
        if not read:
            raise TranscriptError(f"none of the {total} messages can be read: {reasons}.", remedy=NEEDED)
        if left_out:
            self.note(f"imported {read} of {total} messages: {reasons}")

    def _note_oddities(self) -> None:
        messages, places = self.messages, self._places
        if not any(message.role == "user" for message in messages):
            self.note("there is no user message, so no turn to replay")
        tools = Log(messages).tools
        for position in tools.uncalled:
            self.note("a tool result answers no call before it", places[position])
        last_word = max((i for i, message in enumerate(messages) if message.role != "tool"), default=0)
        for caller, results in tools.results_of.items():
            if caller != last_word and len(results) < len(messages[caller].tool_calls):
                self.note("a tool call has no result", places[caller])
