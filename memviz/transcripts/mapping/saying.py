"""The messages that a row holds, added to a conversation as a mapping says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from memviz.core.messages import TIME
from memviz.core.translation import Said, noop
from memviz.transcripts.base import CACHE_BREAK, REASONING, USAGE
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, meta_of_unknown_fields
from memviz.transcripts.document import PlacedValue
from memviz.transcripts.mapping.chat import (
    BLOCKS,
    add_chat,
    join_text,
    plain_content,
    read_tool_calls,
    read_usage,
)
from memviz.transcripts.mapping.declaration import (
    ROLES,
    FileMapping,
    Saying,
    Speaker,
    Words,
    fold_words,
)
from memviz.transcripts.mapping.paths import (
    find_field,
    find_value,
    find_values,
)
from memviz.transcripts.readers.blocks import Part, add_parts
from memviz.transcripts.readers.json_access import id_text
from memviz.transcripts.times import moment
from memviz.transcripts.user_names import is_same_name

NO_SPEAKER = noop("has no word for who speaks")
UNKNOWN_SPEAKER = noop("has the unknown speaker {name}")
MAX_DIGITS = 30


class Names(NamedTuple):
    """The names of speakers by their words: ``{"U7": "Ada"}``."""

    listed: dict[str, str]
    """Those in a list of people, which go before those that rows say."""
    in_rows: dict[str, str]


NO_NAMES = Names({}, {})


@dataclass(frozen=True, slots=True)
class RowReading:
    """The rows of one conversation on their way into a builder."""

    mapping: FileMapping
    builder: TranscriptBuilder
    first: str = ""
    """The word of the first speaker that stands under no role, see
    :func:`find_first_speaker`."""
    names: Names = NO_NAMES
    """The names of speakers whose rows may lack them."""

    def add_row(self, row: Any, place: str) -> None:
        """Add the messages that a row holds."""
        start = len(self.builder.messages)
        for rule in self.mapping.sayings:
            if rule.skip and has_wanted_values(row, rule.where):
                return
            self._apply(rule, row, place)
        if self.mapping.say:
            self._keep_beside(self.mapping, row, start)

    def _apply(self, rule: Saying, row: Any, place: str) -> None:
        """Add the messages that one rule of the mapping finds in a row."""
        for value, at in find_values(row, rule.at or ".", place):
            if rule.skip or not has_wanted_values(value, rule.where):
                continue
            start = len(self.builder.messages)
            if rule.say and rule is not self.mapping:
                for inner in rule.say:
                    self._apply(inner, value, at)
            elif rule.chat:
                for path in rule.text or (".",):
                    for content, where in find_values(value, path, at):
                        add_chat(content, rule.role or "user", self.builder, where)
            else:
                self._add_message(rule, value, at)
            self._keep_beside(rule, value, start)

    def _add_message(self, rule: Saying, value: Any, place: str) -> None:
        """Add one message, whose fields a rule names."""
        who = self._speaker_of(rule, value, place)
        if who is None:
            return
        named_role, name = who
        parts = self._parts(rule, value, place, named_role)
        # A row that holds a question and its answer may lack one of the two.
        if not parts and (rule.role or rule.speaker is None):
            return
        # Only a model calls tools, whatever the row says of its speaker.
        has_calls = any(part.kind == "call" for part in parts)
        role = "assistant" if has_calls else named_role
        answers = id_text(find_field(value, rule.answers))
        add_parts(
            self.builder,
            role,
            parts or [Part("text")],
            place,
            name=name or None,
            tool_call_id=(answers or None) if role == "tool" else None,
            meta=self._meta(rule, value, place),
        )

    def _speaker_of(
        self, rule: Saying, value: Any, place: str
    ) -> tuple[str, str] | None:
        """Return the role and the name of a message's speaker; ``None`` to leave it out.

        - By the field that the rule's ``speaker`` names: ``{"from": "Bot"}``. A notice
          that nobody says, and an unknown word, are left out.
        - By the rule's own ``role``, where it is always the same.
        - By the row's ``role``, and without one the user.
        """
        name = id_text(find_field(value, rule.name))
        name = repair_encoding(name, self.mapping)
        speaker = rule.speaker
        if speaker is None:
            role = rule.role or known_role(find_value(value, "role")) or "user"
            return role, name
        word = read_speaker_word(speaker, value)
        if word.casefold() in fold_words(speaker.skip):
            return None
        # The word may be a person's id, which some rows have without the name.
        name = self.names.listed.get(word) or name or self.names.in_rows.get(word, "")
        role_of_word = self._role_of(speaker, word, name)
        if role_of_word is None:
            self._leave_out(speaker, word, place)
            return None
        # Where anybody may speak, the word is a person's name.
        if speaker.others in ("first_is_user", "user", "assistant"):
            name = name or repair_encoding(word, self.mapping)
        return role_of_word, name

    def _parts(self, rule: Saying, value: Any, place: str, role: str) -> list[Part]:
        """Return the texts, tool calls and results of a message.

        The pieces of one value are joined by the rule's ``join``; other values stand on
        lines of their own.
        """
        note = self.builder.note_at(place)
        parts = []
        for path in rule.text:
            for text_or_parts, _at in find_values(value, path, place):
                content = plain_content(text_or_parts)
                pieces = BLOCKS.parts(content, note, role)
                parts += _join_texts(pieces, rule.join)
        if rule.calls:
            for calls, _at in find_values(value, rule.calls, place):
                parts += read_tool_calls(calls, note)
        repaired_parts = [
            part._replace(text=repair_encoding(part.text, self.mapping))
            for part in parts
        ]
        return [part for part in repaired_parts if part.text or part.kind != "text"]

    def _meta(self, rule: Saying, value: Any, place: str) -> dict[str, Any]:
        time = read_time(find_field(value, rule.time))
        thoughts = plain_content(find_field(value, rule.thoughts))
        parts = BLOCKS.parts(thoughts, self.builder.note_at(place))
        meta = {
            TIME: time.isoformat() if time else "",
            REASONING: join_text(parts, "\n"),
        }
        return {key: text for key, text in meta.items() if text}

    def _keep_beside(self, rule: Saying, value: Any, start: int) -> None:
        """Keep the recorded usage beside the last reply at ``start`` or later."""
        paths = rule.usage.model_dump() if rule.usage else {}
        recorded = {
            USAGE: read_usage(value, paths),
            CACHE_BREAK: id_text(find_field(value, rule.cache_break)),
        }
        beside = meta_of_unknown_fields(recorded, self.builder.note)
        messages = self.builder.messages
        for position in reversed(range(start, len(messages))):
            message = messages[position]
            if beside and message.role == "assistant":
                meta = {**(message.meta or {}), **beside}
                messages[position] = replace(message, meta=meta)
                return

    def _role_of(self, speaker: Speaker, word: str, name: str) -> str | None:
        """Return the role of a word for a speaker; ``None`` where it is unknown.

        The first that applies, for ``word`` "U7" with the ``name`` "Ada":

        1. Whoever loads the file named Ada, or U7, as the user.
        2. The mapping lists the word under a role.
        3. ``others`` decides: the first to speak is the user, any other one the assistant
           (``first_is_user``); always one of both (``user``, ``assistant``); or one of the
           usual names of a role (``known``), such as "bot".
        """
        builder = self.builder
        if builder.user and any(
            is_same_name(builder.user, spoken_name) for spoken_name in (word, name)
        ):
            builder.user_found = True
            return "user"
        for role in ROLES:
            if word.casefold() in fold_words(getattr(speaker, role)):
                return role
        if speaker.others == "first_is_user":
            return "user" if word == self.first else "assistant"
        if speaker.others in ("user", "assistant"):
            return speaker.others
        return known_role(word) if speaker.others == "known" else None

    def _leave_out(self, speaker: Speaker, word: str, place: str) -> None:
        if speaker.others == "skip":
            return
        if word:
            self.builder.lose(place, Said(UNKNOWN_SPEAKER, name=repr(word[:40])))
        else:
            self.builder.leave_out(place, NO_SPEAKER)


def _join_texts(pieces: list[Part], join: str) -> list[Part]:
    """Return the pieces of one value with its texts as one; as they are where each is a
    line of its own."""
    if join == "\n":
        return pieces
    others = [piece for piece in pieces if piece.kind != "text"]
    return [Part("text", join_text(pieces, join)), *others]


def read_speaker_word(speaker: Speaker, row: Any) -> str:
    """Return the word that a row has for its speaker; empty where it has none."""
    for path in speaker.field.split("|"):
        for value, _place in find_values(row, path):
            word = _as_word(value)
            if word:
                return word
    return ""


def find_first_speaker(mapping: FileMapping, rows: Sequence[PlacedValue]) -> str:
    """Return the word of the first speaker that stands under no role of ``mapping``.

    People come before programs: the bot that greets them is not the user. Empty where
    nobody speaks, or where the mapping does not make the first to speak the user.
    """
    speaker = mapping.speaker_of_people
    if speaker is None:
        return ""
    listed = fold_words(speaker.skip)
    for role in ROLES:
        listed |= fold_words(getattr(speaker, role))
    first_bot = ""
    for row, _place in rows:
        word = read_speaker_word(speaker, row)
        if (
            not word
            or word.casefold() in listed
            or not has_wanted_values(row, mapping.where)
        ):
            continue
        if not find_field(row, speaker.bot):
            return word
        first_bot = first_bot or word
    return first_bot


def find_names(mapping: FileMapping, value: Any, rows: Sequence[PlacedValue]) -> Names:
    """Return the names of those who speak in a conversation, each by the word that its
    rows have for the speaker; none where the word is no person's id."""
    speaker = mapping.speaker_of_people
    if speaker is None:
        return NO_NAMES
    names = Names({}, {})
    people = mapping.people
    if people is not None:
        for person, _place in find_values(value, people.at):
            word = id_text(find_value(person, people.id))
            if word:
                names.listed[word] = id_text(find_value(person, people.name))
    for row, _place in rows:
        name = id_text(find_field(row, mapping.name))
        if name:
            word = read_speaker_word(speaker, row)
            names.in_rows.setdefault(word, repair_encoding(name, mapping))
    return names


def has_wanted_values(row: Any, wanted: dict[str, Words | None]) -> bool:
    """Return whether a row has what is wanted under each path.

    For the path ``type``:

    - ``["message", "note"]``: one of these words, ``{"type": "Note"}``.
    - ``[]``: anything, ``{"type": 7}``.
    - ``None``: nothing may stand there, ``{}`` or ``{"type": ""}``.
    - ``["message", ""]``: that word, or nothing.
    """
    return all(
        _matches_words(find_value(row, path), words) for path, words in wanted.items()
    )


def _matches_words(value: Any, words: Words | None) -> bool:
    if words is None:
        return value is None
    if value is None:
        return "" in words
    if not words:
        return True
    return _fold_word(value) in fold_words(words)


def _as_word(value: Any) -> str:
    return (str(value).lower() if isinstance(value, bool) else id_text(value)).strip()


def _fold_word(value: Any) -> str:
    return _as_word(value).casefold()


def read_time(value: Any) -> datetime | None:
    """Return a time as :func:`~memviz.transcripts.times.moment` reads it.

    Besides, a number in a text is read, ``"1700000000"``, and one that MongoDB wraps,
    ``{"$date": {"$numberLong": "1700000000000"}}``.
    """
    inner = find_value(value, "$date.$numberLong | $date") or value
    if isinstance(inner, str) and inner[:1].isdecimal() and len(inner) < MAX_DIGITS:
        try:
            return moment(float(inner))
        except ValueError:
            return moment(inner.removesuffix(" UTC"))
    return moment(inner)


def repair_encoding(text: str, mapping: FileMapping) -> str:
    """Return a text as it was meant, where the mapping says that its UTF-8 was read as
    Latin-1: "cafÃ©" -> "café"."""
    if not mapping.mojibake or text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def sort_rows(rows: list[PlacedValue], order: str) -> None:
    """Sort rows by a field: ``time``, or ``-time`` for the newest first.

    A row without it stays behind the row before it.
    """
    path = order.removeprefix("-")
    last = (0, 0.0)
    keys = []
    for row, _place in rows:
        last = _order_key(find_value(row, path)) or last
        keys.append(last)
    backwards = order.startswith("-")
    places = sorted(range(len(rows)), key=lambda index: keys[index], reverse=backwards)
    rows[:] = [rows[index] for index in places]


def _order_key(value: Any) -> tuple[int, Any] | None:
    time = read_time(value)
    if time is not None:
        return (0, time.timestamp())
    try:
        return (0, float(value))
    except (TypeError, ValueError, OverflowError):
        return (1, value) if isinstance(value, str) else None
