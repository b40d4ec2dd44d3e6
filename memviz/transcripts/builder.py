"""Builds one transcript: readers add its messages and events, and note what is odd about the file."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from memviz.core.errors import (
    LostMessageError,
    MessageError,
    TranscriptError,
    UnclearUserError,
)
from memviz.core.message_fields import text_beside_content
from memviz.core.messages import Message
from memviz.core.text.wording import share_of
from memviz.core.tool_links import ToolPairs
from memviz.transcripts.base import EventKind, RecordedEvent, Transcript
from memviz.transcripts.chat_messages import (
    Note,
    RoleOf,
    content_text,
    known_role,
    read_message,
    speaker_of,
)
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.limits import Limits
from memviz.transcripts.user_names import nobody_called, same_name

MAX_REASONS = 3
NEEDED = "Every message needs a role (system, user, assistant or tool) and a content."
KNOWN_ROLES = "Known roles are system, user, assistant and tool, and names such as human, ai or bot."


class TranscriptBuilder:
    """Collects the messages of one conversation, each with its place in the file ("index 3", "line 4").

    Readers add what they find, and say what they had to repair (:meth:`note`) or skip (:meth:`leave_out`).
    ``user`` is the name under which the user speaks, if it was said; a reader that meets it sets ``user_found``.
    A reader of what memviz wrote sets ``empty_is_meant``: an empty message was one before, and its text is not missed.
    :meth:`build` checks the result and returns it as a transcript with warnings. Raises :class:`TranscriptError` for
    more messages than the limit.
    """

    def __init__(
        self, limits: Limits | None = None, place: str = "", user: str | None = None
    ) -> None:
        self.notes = ImportNotes()
        self.limits = limits or Limits()
        self.place = place
        self.user = user
        self.user_found = False
        self.empty_is_meant = False
        self.messages: list[Message] = []
        self.events: list[RecordedEvent] = []
        self._places: list[str] = []
        self._left_out: list[str] = []
        self._lost: list[tuple[str, LostMessageError]] = []
        # The names of those who speak, of the messages that are read from JSON.
        self._names: dict[str, None] = {}
        self._spoken: dict[int, str] = {}  # log position -> who says the message

    def note(self, what: str, place: str = "") -> None:
        """Note a repair: a clause without full stop, and where it was."""
        self.notes.add(what, place)

    def note_at(self, place: str) -> Note:
        """:meth:`note` for one place, to pass to functions that do not know it."""
        return lambda what: self.note(what, place)

    def add_message(self, message: Message, place: str) -> int:
        """Add a message; returns its log position."""
        limit = self.limits.messages
        if len(self.messages) >= limit:
            reason = f"the conversation has more than {limit:,} messages."
            remedy = "Split it, or raise MEMVIZ_IMPORT_MESSAGES."
            raise TranscriptError(reason, remedy=remedy)
        self.messages.append(message)
        self._places.append(place)
        return len(self.messages) - 1

    def add_text(self, role: str, content: str, place: str, **fields: Any) -> int:
        """Add a message of this role and text, with other fields of :class:`Message`; returns its log position.
        An empty ``meta`` is none."""
        fields["meta"] = fields.get("meta") or None
        return self.add_message(Message(role, content, **fields), place)

    def add_json(self, item: Any, place: str) -> int | None:
        """Parse a JSON value in the shape of the OpenAI chat API and add it; returns its log position.

        Anything else is left out, and ``None`` returned. A message of somebody unknown, or without a text that can be
        found, makes :meth:`build` refuse the conversation, because its other half alone would be another one.
        """
        try:
            message = read_message(item, self.note_at(place), self._role_of)
        except LostMessageError as error:
            self._lost.append((place, error))
        except MessageError as error:
            self.leave_out(place, str(error))
        else:
            position = self.add_message(message, place)
            if item["role"].strip() in self._names:
                self._spoken[position] = item["role"].strip()
            return position
        return None

    def add_all_json(self, items: Iterable[object]) -> dict[int, int]:
        """Add every item of a list; returns the log position of each message by its index in the list."""
        added = {}
        for index, item in enumerate(items):
            position = self.add_json(item, f"index {index}")
            if position is not None:
                added[index] = position
        return added

    def _role_of(self, role: object) -> str | None:
        """The role of a name; if it was said who the user is, an unknown name is at first the assistant's."""
        known = known_role(role)
        if isinstance(role, str) and role.strip() and known not in ("system", "tool"):
            self._names.setdefault(role.strip())
            return known or (self.user and "assistant")
        return known

    def _assign_roles(self) -> None:
        """Give every message the role that its speaker has because it was said who the user is."""
        if self.user is None or not self._names:
            return
        if not any(same_name(name, self.user) for name in self._names):
            if all(map(known_role, self._names)):
                return
            raise nobody_called(self.user, tuple(self._names))
        self.user_found = True
        for position, name in self._spoken.items():
            message = self.messages[position]
            role = "user" if same_name(name, self.user) else "assistant"
            shown = message.name or (None if known_role(name) else name)
            self.messages[position] = replace(message, role=role, name=shown)

    def parse_json(self, text: str) -> Any:
        """Parse a text inside the file as JSON. Raises :class:`TranscriptError` if it is something else."""
        return JsonParser(self.notes, self.limits.depth).parse(text)

    def speaker(
        self,
        item: object,
        place: str,
        *keys: str,
        called: str = "role",
        role_of: RoleOf = known_role,
    ) -> str | None:
        """The role of whoever says this item, see :func:`~memviz.transcripts.chat_messages.speaker_of`.

        An item without a known speaker is left out, and ``None`` returned.
        """
        try:
            return speaker_of(item, *keys, called=called, role_of=role_of)
        except MessageError as error:
            self.leave_out(place, str(error))
            return None

    def leave_out(self, place: str, reason: str) -> None:
        """Skip something that should be a message, and count it; ``reason`` completes "index 3 ..."."""
        self._left_out.append(f"{place} {reason}")

    def text_elsewhere(self, item: dict[str, Any], place: str, *own_keys: str) -> str:
        """The text of a message that has none where its format keeps it, from another place where texts stand.

        Empty for one that has any of ``own_keys``, which explain why. Without these, and without a text under a key
        that is known, :meth:`build` refuses the conversation: the text stands somewhere, and would be lost.
        """
        if any(item.get(key) not in (None, "", [], {}) for key in own_keys):
            return ""
        try:
            return content_text(text_beside_content(item), self.note_at(place))
        except MessageError as error:
            self.lose(place, str(error))
            return ""

    def lose(self, place: str, reason: str) -> None:
        """Say that the text of a message is not found, so that :meth:`build` refuses the conversation; ``reason``
        completes "index 3 ..."."""
        self._lost.append((place, LostMessageError(reason)))

    @property
    def has_left_out(self) -> bool:
        """Return whether anything was skipped that should be a message."""
        return bool(self._left_out or self._lost)

    def add_event(self, kind: EventKind, text: str = "", **known: Any) -> None:
        """Add what the program did to its own memory after the messages so far, such as a compaction, with what else is
        ``known`` of it (fields of :class:`~memviz.transcripts.base.RecordedEvent`)."""
        self.events.append(RecordedEvent(kind, len(self.messages), text, **known))

    def build(self, **known: Any) -> Transcript:
        """The transcript, with what else is ``known`` about it (fields of :class:`Transcript`).

        Raises :class:`TranscriptError` if there is no message.
        """
        self._judge_lost()
        self._assign_roles()
        self._judge_left_out()
        self._note_oddities()
        return Transcript(
            tuple(self.messages),
            warnings=self.notes.sentences(),
            events=tuple(self.events),
            **known,
        )

    def _judge_lost(self) -> None:
        if not self._lost:
            return
        # A reader may have added such a message without its text.
        lost_at = {place for place, _ in self._lost}
        read = sum(place not in lost_at for place in self._places)
        total = read + len(self._left_out) + len(self._lost)
        reasons = _listed([f"{place} {error}" for place, error in self._lost])
        share = share_of(len(self._lost), total, "message")
        reason = f"{share} cannot be read: {reasons}."
        if all(error.name for _, error in self._lost):
            raise UnclearUserError(f"{reason} {KNOWN_ROLES}", names=self._names)
        raise TranscriptError(reason, remedy=NEEDED)

    def _judge_left_out(self) -> None:
        read = len(self.messages)
        left_out = self._left_out
        total = read + len(left_out)
        if not total:
            reason = "the conversation has no messages."
            remedy = "Choose one with at least one message."
            raise TranscriptError(reason, remedy=remedy)
        reasons = _listed(left_out)
        if not read:
            none = f"none of the {total} messages can"
            if total == 1:
                none = "its only message cannot"
            raise TranscriptError(f"{none} be read: {reasons}.", remedy=NEEDED)
        if left_out:
            self.note(f"imported {share_of(read, total, 'message')}: {reasons}")

    def _note_oddities(self) -> None:
        messages = self.messages
        places = self._places
        if self.user is not None and not self.user_found:
            self.note(
                f"nobody is called {self.user[:40]!r}, so the roles are those that the names show"
            )
        if not any(message.role == "user" for message in messages):
            self.note("there is no user message, so no turn to replay")
        tools = ToolPairs()
        last_word = 0
        for position, message in enumerate(messages):
            tools.add(position, message)
            if message.role != "tool":
                last_word = position
            is_empty = message.role == "user" and not message.content
            if is_empty and not self.empty_is_meant:
                self.note("a message of the user has no text", places[position])
        for position in tools.uncalled:
            self.note("a tool result answers no call before it", places[position])
        for caller, results in tools.results_of.items():
            if caller != last_word and len(results) < len(messages[caller].tool_calls):
                self.note("a tool call has no result", places[caller])


def _listed(reasons: Sequence[str]) -> str:
    shown = list(reasons[:MAX_REASONS])
    if len(reasons) > MAX_REASONS:
        shown.append(f"and {len(reasons) - MAX_REASONS} more")
    return ", ".join(shown)
