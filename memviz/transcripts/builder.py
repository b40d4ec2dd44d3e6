"""Builds one transcript. Every reader of a format gets a :class:`TranscriptBuilder`, adds the
messages and events that it finds, notes repairs, and returns what ``build`` makes of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memviz.core.errors import (
    LostMessageError,
    MessageError,
    TranscriptError,
    UnclearUserError,
)
from memviz.core.file_places import place_words
from memviz.core.message_fields import text_beside_content
from memviz.core.messages import Message
from memviz.core.text.wording import share_of
from memviz.core.tool_links import ToolPairs
from memviz.core.translation import Said, noop
from memviz.transcripts.base import EventKind, RecordedEvent, Transcript
from memviz.transcripts.chat_messages import (
    Note,
    RoleOf,
    content_text,
    known_role,
    read_message,
    speaker_of,
)
from memviz.transcripts.import_notes import ImportNotes, Refusal
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.limits import Limits
from memviz.transcripts.user_names import is_same_name, no_such_user_error

MAX_REASONS = 3
TOO_MANY_MESSAGES = Refusal(
    "the conversation has more than {limit:,} messages.",
    "Split it, or raise MEMVIZ_IMPORT_MESSAGES.",
)
NO_MESSAGES = Refusal(
    noop("the conversation has no messages."),
    noop("Choose one with at least one message."),
)
NEEDED = noop(
    "Every message needs a role (system, user, assistant or tool) and a content."
)
IMPORTED = noop("imported {imported:,} of {all:,} messages: {reasons}")
NOBODY = noop("nobody is called {name}, so the roles are those that the names show")
LOST_SPEAKERS = noop(
    "{share} cannot be read: {reasons}. Known roles are system, user, assistant and tool, and names such as human, ai "
    "or bot."
)
ONLY_ONE_UNREAD = noop("its only message cannot be read: {reasons}.")
NONE_READ = noop("none of the {number} messages can be read: {reasons}.")
NO_USER = noop("there is no user message, so no turn to replay")
NO_USER_TEXT = noop("a message of the user has no text")
UNANSWERED_CALL = noop("a tool call has no result")
UNCALLED_RESULT = noop("a tool result answers no call before it")


@dataclass(eq=False)
class TranscriptBuilder:
    """Collects the messages of one conversation, and what is odd about its file.

    A reader adds what it finds (``add_...``), each with its place in the file: "index
    3", "line 4". What it cannot add as it stands, it reports in one of three ways:

    - :meth:`note`: repaired, and imported. It becomes a warning of the transcript.
    - :meth:`leave_out`: skipped, and counted in a warning. If all messages are skipped,
      :meth:`build` refuses the conversation.
    - :meth:`lose`: a message that is there, but whose text or speaker is not found. One
      of them makes :meth:`build` refuse the conversation.

    :meth:`build` returns the transcript. Adding more messages than the limit raises
    :class:`TranscriptError`.
    """

    limits: Limits = field(default_factory=Limits)
    place: str = ""
    """The place of the conversation in its file, empty where it is the whole file."""
    user: str | None = None
    """The name under which the user speaks, if it was said."""
    user_found: bool = False
    """True once a speaker of that name was found. Readers of texts set it; for messages
    from JSON the builder does."""
    empty_is_meant: bool = False
    """True for files that memviz wrote: an empty message is not noted as one without text."""
    notes: ImportNotes = field(default_factory=ImportNotes)
    """The repairs so far."""
    messages: list[Message] = field(default_factory=list)
    events: list[RecordedEvent] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)
    """The place of each message."""
    _left_out: list[Said] = field(default_factory=list)
    """The reason for each item that was left out: "index 3 is not JSON"."""
    _lost: list[tuple[str, LostMessageError]] = field(default_factory=list)
    """The error of each lost message, with its place."""
    _names: dict[str, None] = field(default_factory=dict)
    """The names of those who speak in messages read from JSON, in order."""
    _speakers: dict[int, str] = field(default_factory=dict)
    """The speaker's name of the message at each log position."""

    def note(self, what: str, place: str = "") -> None:
        """Note a repair, as a clause without full stop: "a role was guessed"."""
        self.notes.add(what, place)

    def note_at(self, place: str) -> Note:
        """:meth:`note` for one place, to pass to functions that do not know it."""
        return lambda what: self.note(what, place)

    def add_message(self, message: Message, place: str) -> int:
        """Add a message; returns its log position."""
        limit = self.limits.messages
        if len(self.messages) >= limit:
            raise TOO_MANY_MESSAGES.error(limit=limit)
        self.messages.append(message)
        self._places.append(place)
        return len(self.messages) - 1

    def add_text(self, role: str, content: str, place: str, **fields: Any) -> int:
        """Add a message of this role and text; returns its log position.

        ``fields`` are others of :class:`Message`; an empty ``meta`` is none.
        """
        fields["meta"] = fields.get("meta") or None
        return self.add_message(Message(role, content, **fields), place)

    def add_json(self, item: Any, place: str) -> int | None:
        """Parse a JSON value in the shape of the OpenAI chat API and add it; returns
        its log position.

        Anything else is left out, and ``None`` returned. A message of somebody unknown,
        or whose text is not found, is lost: without it the rest would be another
        conversation.
        """
        try:
            message = read_message(item, self.note_at(place), self._role_of)
        except LostMessageError as error:
            self._lost.append((place, error))
        except MessageError as error:
            self.leave_out(place, error.args[0])
        else:
            position = self.add_message(message, place)
            name = item["role"].strip()
            if name in self._names:
                self._speakers[position] = name
            return position
        return None

    def add_all_json(self, items: Iterable[object]) -> dict[int, int]:
        """Add every item of a list; returns the log position of each message by its
        index in the list."""
        positions = {
            index: self.add_json(item, f"index {index}")
            for index, item in enumerate(items)
        }
        return {
            index: position
            for index, position in positions.items()
            if position is not None
        }

    def _role_of(self, role: object) -> str | None:
        """Return the role of a name, and remember the name if it is somebody's.

        If it was said who the user is, an unknown name is at first the assistant's, and
        :meth:`_assign_roles` finds the user's among them.
        """
        known_name = known_role(role)
        name = role.strip() if isinstance(role, str) else ""
        if not name or known_name in ("system", "tool"):
            return known_name
        self._names.setdefault(name)
        return known_name or ("assistant" if self.user else None)

    def _assign_roles(self) -> None:
        """Make the messages of the user's name the user's, and all others the
        assistant's.

        Does nothing where no name was said, or where nobody has it and all names show
        their role. Raises :class:`UnclearUserError` where nobody has it and they do
        not.
        """
        if self.user is None or not self._names:
            return
        if not any(is_same_name(name, self.user) for name in self._names):
            if not all(map(known_role, self._names)):
                raise no_such_user_error(self.user, tuple(self._names))
            return
        self.user_found = True
        for position, name in self._speakers.items():
            message = self.messages[position]
            role = "user" if is_same_name(name, self.user) else "assistant"
            person = None if known_role(name) else name
            self.messages[position] = replace(
                message, role=role, name=message.name or person
            )

    def parse_json(self, text: str) -> Any:
        """Parse a text inside the file as JSON. Raises :class:`TranscriptError` if it
        is something else."""
        return JsonParser(self.notes, self.limits.depth).parse(text)

    def speaker(
        self,
        item: object,
        place: str,
        *keys: str,
        called: str = "role",
        role_of: RoleOf = known_role,
    ) -> str | None:
        """Return the role of whoever says this item; leave it out and return ``None``
        if that is nobody known.

        The arguments are those of :func:`~memviz.transcripts.chat_messages.speaker_of`.
        """
        try:
            return speaker_of(item, *keys, called=called, role_of=role_of)
        except MessageError as error:
            self.leave_out(place, error.args[0])
            return None

    def leave_out(self, place: str, reason: str) -> None:
        """Skip something that should be a message, and count it; ``reason`` completes
        "index 3 ...".
        """
        self._left_out.append(_describe_place(place, reason))

    def text_elsewhere(self, item: dict[str, Any], place: str, *own_keys: str) -> str:
        """Return the text of a message that has none where its format keeps it.

        1. Empty if the message has any of ``own_keys``, which explain why: attachments.
        2. The text under another key where texts stand.
        3. Without either, the message is lost (:meth:`lose`), and the text empty.
        """
        if any(item.get(key) not in (None, "", [], {}) for key in own_keys):
            return ""
        try:
            return content_text(text_beside_content(item), self.note_at(place))
        except MessageError as error:
            self.lose(place, error.args[0])
            return ""

    def lose(self, place: str, reason: str) -> None:
        """Make :meth:`build` refuse the conversation, because a message's text is not
        found; ``reason`` completes "index 3 ...".
        """
        self._lost.append((place, LostMessageError(reason)))

    @property
    def has_left_out(self) -> bool:
        """Return whether anything was left out or lost that should be a message."""
        return bool(self._left_out or self._lost)

    def add_event(self, kind: EventKind, text: str = "", **known: Any) -> None:
        """Add what the program did to its own memory after the messages so far, such as
        a compaction.

        ``known`` are further fields of :class:`~memviz.transcripts.base.RecordedEvent`.
        """
        self.events.append(RecordedEvent(kind, len(self.messages), text, **known))

    def build(self, **known: Any) -> Transcript:
        """Return the transcript; ``known`` are further fields of it, such as the title.

        Raises :class:`TranscriptError` if a message is lost or there is none, and
        :class:`UnclearUserError` if nobody has the user's name.
        """
        self._refuse_if_any_is_lost()
        self._assign_roles()
        self._refuse_if_none_is_left()
        self._note_left_out()
        self._note_oddities()
        return Transcript(
            tuple(self.messages),
            warnings=self.notes.sentences(),
            events=tuple(self.events),
            **known,
        )

    def _refuse_if_any_is_lost(self) -> None:
        """Raise :class:`TranscriptError` if :meth:`lose` was called."""
        if not self._lost:
            return
        # A reader may have added such a message without its text.
        lost_at = {place for place, _error in self._lost}
        read_count = sum(place not in lost_at for place in self._places)
        total = read_count + len(self._left_out) + len(self._lost)
        reasons = _join_reasons(
            [_describe_place(place, error.args[0]) for place, error in self._lost]
        )
        share = share_of(len(self._lost), total, "message")
        reason = Said(
            "{share} cannot be read: {reasons}.", share=share, reasons=reasons
        )
        if all(error.name for _place, error in self._lost):
            reason = Said(LOST_SPEAKERS, share=share, reasons=reasons)
            raise UnclearUserError(reason, names=self._names)
        raise TranscriptError(reason, remedy=NEEDED)

    def _refuse_if_none_is_left(self) -> None:
        """Raise :class:`TranscriptError` if no message was added."""
        if self.messages:
            return
        total = len(self._left_out)
        if not total:
            raise NO_MESSAGES.error()
        template = NONE_READ if total > 1 else ONLY_ONE_UNREAD
        reason = Said(template, number=total, reasons=_join_reasons(self._left_out))
        raise TranscriptError(reason, remedy=NEEDED)

    def _note_left_out(self) -> None:
        """Warn how many messages were imported, if any was left out."""
        if not self._left_out:
            return
        imported = len(self.messages)
        total = imported + len(self._left_out)
        reasons = _join_reasons(self._left_out)
        self.note(Said(IMPORTED, imported=imported, all=total, reasons=reasons))

    def _note_oddities(self) -> None:
        """Warn of what the messages lack: the user, texts, the other half of tool
        calls."""
        if self.user is not None and not self.user_found:
            self.note(Said(NOBODY, name=repr(self.user[:40])))
        if not any(message.role == "user" for message in self.messages):
            self.note(NO_USER)
        if not self.empty_is_meant:
            for message, place in zip(self.messages, self._places, strict=True):
                if message.role == "user" and not message.content:
                    self.note(NO_USER_TEXT, place)
        self._note_half_tool_calls()

    def _note_half_tool_calls(self) -> None:
        """Warn of results without a call, and of calls without a result. The last
        message may wait for its results."""
        if not any(map(_is_of_tools, self.messages)):
            return
        pairs = ToolPairs()
        last_word = 0
        for position, message in enumerate(self.messages):
            pairs.add(position, message)
            if message.role != "tool":
                last_word = position
        for position in pairs.uncalled:
            self.note(UNCALLED_RESULT, self._places[position])
        for caller, results in pairs.results_of.items():
            call_count = len(self.messages[caller].tool_calls)
            if caller != last_word and len(results) < call_count:
                self.note(UNANSWERED_CALL, self._places[caller])


def _is_of_tools(message: Message) -> bool:
    """Return whether a message calls tools, or is the result of one."""
    return bool(message.tool_calls) or message.role == "tool"


def _describe_place(place: str, reason: str) -> Said:
    """Return "index 3 is not JSON"."""
    return Said("{place} {reason}", place=place_words(place), reason=Said.of(reason))


def _join_reasons(reasons: Sequence[Said]) -> Said:
    first_reasons = tuple(reasons[:MAX_REASONS])
    more = len(reasons) - MAX_REASONS
    if more > 0:
        return Said("{reasons}, and {number} more", reasons=first_reasons, number=more)
    return Said("{list}", list=first_reasons)
