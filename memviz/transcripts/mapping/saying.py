"""The messages that a row holds, added to a conversation as a mapping says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memviz.core.messages import TIME
from memviz.core.translation import Said, noop
from memviz.transcripts.base import CACHE_BREAK, REASONING, USAGE
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import kept_beside, known_role
from memviz.transcripts.document import Placed
from memviz.transcripts.mapping.chat import (
    BLOCKS,
    add_chat,
    calls_of,
    text_of,
    usage_of,
)
from memviz.transcripts.mapping.declaration import (
    ROLES,
    Mapping,
    Saying,
    Speaker,
    Words,
    first_words,
)
from memviz.transcripts.mapping.paths import value_at, values_at
from memviz.transcripts.readers.blocks import Part, add_parts
from memviz.transcripts.readers.json_access import id_text, json_text
from memviz.transcripts.times import moment
from memviz.transcripts.user_names import same_name

NO_SPEAKER = noop("has no word for who speaks")
UNKNOWN_SPEAKER = noop("has the unknown speaker {name}")
MAX_DIGITS = 30


@dataclass(frozen=True, slots=True)
class RowReading:
    """The rows of one conversation on their way into a builder."""

    mapping: Mapping
    builder: TranscriptBuilder
    first: str = ""
    """The name of the first to speak whose role no word says."""

    def add_row(self, row: Any, place: str) -> None:
        """Add the messages that a row holds."""
        before = len(self.builder.messages)
        for saying in self.mapping.sayings:
            if saying.skip and holds(row, saying.where):
                return
            self._say(saying, row, place)
        if self.mapping.say:
            self._keep_beside(self.mapping, row, before)

    def _say(self, saying: Saying, row: Any, place: str) -> None:
        for value, at in values_at(row, saying.at or ".", place):
            if saying.skip or not holds(value, saying.where):
                continue
            before = len(self.builder.messages)
            if saying.say and saying is not self.mapping:
                for inner in saying.say:
                    self._say(inner, value, at)
            elif saying.chat:
                for path in saying.text or (".",):
                    for one, where in values_at(value, path, at):
                        add_chat(one, saying.role or "user", self.builder, where)
            else:
                self._add_message(saying, value, at)
            self._keep_beside(saying, value, before)

    def _add_message(self, saying: Saying, value: Any, place: str) -> None:
        """Add one message whose fields a saying names."""
        role: str | None = saying.role
        name = id_text(value_at(value, saying.name)) if saying.name else ""
        speaker = saying.speaker
        if speaker is not None:
            spoken = spoken_by(speaker, value)
            if spoken.casefold() in first_words(speaker.skip):
                return
            role = self._role_of(speaker, spoken)
            if role is None:
                self._leave_out(speaker, spoken, place)
                return
            if speaker.others in ("first_is_user", "user", "assistant"):
                name = name or spoken
        role = role or known_role(value_at(value, "role")) or "user"
        parts = self._parts(saying, value, place, role)
        if not parts and (saying.role or speaker is None):
            return  # a row of pairs without this half
        if any(part.kind == "call" for part in parts):
            role = "assistant"
        answers = id_text(value_at(value, saying.answers)) if saying.answers else ""
        add_parts(
            self.builder,
            role,
            parts or [Part("text")],
            place,
            name=repaired(name, self.mapping) or None,
            tool_call_id=answers or None if role == "tool" else None,
            meta=self._meta(saying, value, place),
        )

    def _parts(self, saying: Saying, value: Any, place: str, role: str) -> list[Part]:
        note = self.builder.note_at(place)
        parts: list[Part] = []
        for path in saying.text:
            for said, _at in values_at(value, path, place):
                content = plain_content(said)
                parts += BLOCKS.parts(content, note, of_model=role == "assistant")
        if saying.calls:
            parts += calls_of(value_at(value, saying.calls), note)
        others = [part for part in parts if part.kind != "text"]
        if others and saying.join == "\n" and not self.mapping.mojibake:
            return parts
        text = repaired(text_of(parts, saying.join), self.mapping)
        return [Part("text", text), *others] if text else others

    def _meta(self, saying: Saying, value: Any, place: str) -> dict[str, Any]:
        meta: dict[str, Any] = {}
        said_at = time_of(value_at(value, saying.time)) if saying.time else None
        if said_at is not None:
            meta[TIME] = said_at.isoformat()
        if saying.thoughts:
            thought = BLOCKS.parts(
                plain_content(value_at(value, saying.thoughts)),
                self.builder.note_at(place),
            )
            meta[REASONING] = text_of(thought, "\n")
        return {key: held for key, held in meta.items() if held}

    def _keep_beside(self, saying: Saying, value: Any, start: int) -> None:
        """Keep the recorded usage beside the last reply of those from ``start``."""
        kept: dict[str, Any] = {}
        if saying.usage is not None:
            kept[USAGE] = usage_of(value, saying.usage.model_dump())
        if saying.cache_break:
            kept[CACHE_BREAK] = id_text(value_at(value, saying.cache_break))
        kept = kept_beside(kept, self.builder.note)
        messages = self.builder.messages
        for position in range(len(messages) - 1, start - 1, -1):
            message = messages[position]
            if kept and message.role == "assistant":
                meta = {**(message.meta or {}), **kept}
                messages[position] = replace(message, meta=meta)
                return

    def _role_of(self, speaker: Speaker, spoken: str) -> str | None:
        """Return the role of a word; ``None`` where nothing says whose it is."""
        builder = self.builder
        if builder.user and spoken and same_name(spoken, builder.user):
            builder.user_found = True
            return "user"
        for role in ROLES:
            if spoken.casefold() in first_words(getattr(speaker, role)):
                return role
        if speaker.others == "first_is_user":
            return "user" if spoken == self.first else "assistant"
        if speaker.others in ("user", "assistant"):
            return speaker.others
        return known_role(spoken) if speaker.others == "known" else None

    def _leave_out(self, speaker: Speaker, spoken: str, place: str) -> None:
        if speaker.others == "skip":
            return
        if spoken:
            self.builder.lose(place, Said(UNKNOWN_SPEAKER, name=repr(spoken[:40])))
        else:
            self.builder.leave_out(place, NO_SPEAKER)


def plain_content(value: Any) -> Any:
    """Return a value as content: a text of bytes or of a number as text, parts as they are."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, str | list | dict):
        return value
    return json_text(value)


def spoken_by(speaker: Speaker, row: Any) -> str:
    """Return the word that a row has for who speaks it; empty where it has none."""
    for path in speaker.field.split("|"):
        for found, _place in values_at(row, path) or falsy_at(row, path):
            word = _word(found)
            if word:
                return word
    return ""


def falsy_at(row: Any, path: str) -> list[Placed]:
    """Return the value that stands under a path though it is false or 0."""
    *above, last = path.strip().split(".")
    holder = value_at(row, ".".join(above)) if above else row
    found = holder.get(last) if isinstance(holder, dict) else None
    return [] if found is None else [(found, "")]


def first_to_speak(mapping: Mapping, rows: Sequence[Placed]) -> str:
    """Return the name of the first to speak whose role no word says; empty where nobody's is asked for."""
    speaker = mapping.speaker
    if speaker is None or speaker.others != "first_is_user":
        return ""
    said = first_words(speaker.skip)
    for role in ROLES:
        said |= first_words(getattr(speaker, role))
    for row, _place in rows:
        spoken = spoken_by(speaker, row)
        if spoken and spoken.casefold() not in said and holds(row, mapping.where):
            return spoken
    return ""


def holds(row: Any, wanted: dict[str, Words | None]) -> bool:
    """Return whether a row has one of the wanted words under each path, or anything where none are named; nothing where
    ``None`` is wanted."""
    for path, words in wanted.items():
        found = value_at(row, path)
        if words is None:
            if found is not None:
                return False
        elif found is None or (words and _folded(found) not in first_words(words)):
            return False
    return True


def _word(value: Any) -> str:
    return (str(value).lower() if isinstance(value, bool) else id_text(value)).strip()


def _folded(value: Any) -> str:
    return _word(value).casefold()


def time_of(value: Any) -> datetime | None:
    """Return a time as :func:`~memviz.transcripts.times.moment` reads it: numbers in texts as numbers, and those that
    MongoDB wraps."""
    inner = value_at(value, "$date.$numberLong | $date") or value
    if isinstance(inner, str) and inner[:1].isdecimal() and len(inner) < MAX_DIGITS:
        try:
            return moment(float(inner))
        except ValueError:
            return moment(inner.removesuffix(" UTC"))
    return moment(inner)


def repaired(text: str, mapping: Mapping) -> str:
    """Return a text whose UTF-8 was read as Latin-1 as it was meant, where the mapping says so."""
    if not mapping.mojibake or text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def sort_rows(rows: list[Placed], order: str) -> None:
    """Sort rows by a field; those without it keep their place behind the row before them."""
    path = order.removeprefix("-")
    last: tuple[int, Any] = (0, 0.0)
    keys = []
    for row, _place in rows:
        last = _order_key(value_at(row, path)) or last
        keys.append(last)
    backwards = order.startswith("-")
    places = sorted(range(len(rows)), key=lambda at: keys[at], reverse=backwards)
    rows[:] = [rows[at] for at in places]


def _order_key(value: Any) -> tuple[int, Any] | None:
    time = time_of(value)
    if time is not None:
        return (0, time.timestamp())
    try:
        return (0, float(value))
    except (TypeError, ValueError, OverflowError):
        return (1, value) if isinstance(value, str) else None
