"""Chats exported from WhatsApp: a text with date, time and name before every message."""

import re
from collections.abc import Iterable, Mapping, Sequence

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.decoding import normalize_line_ends
from memviz.transcripts.document import Document
from memviz.transcripts.readers.texts.dialogues import (
    TextReader,
    line_places,
    text_mismatch_error,
)
from memviz.transcripts.readers.texts.speakers import role_of, roles_of
from memviz.transcripts.readers.texts.stamped_lines import (
    MARKS,
    StampedLine,
    date_order,
    read_stamped_lines,
)
from memviz.transcripts.times import meta_with_time, moment
from memviz.transcripts.user_names import is_same_name, no_such_user_error

_MARK = re.compile(f"^[{MARKS}]+")
_OF_THE_APP = re.compile(
    f"^[{MARKS}]*Messages and (?:phone )?calls (?:to this chat )?are [a-z ]{{0,20}}end-to-end"
)
# Phones of other languages leave a media file out in their own words, alone on a line.
_LEFT_OUT = re.compile(
    f"^[{MARKS}]*<(?:Media omitted|Medien ausgeschlossen|Multimedia omitido|Médias omis|Mídia oculta"
    "|Arquivo de mídia oculto|Media omessi|Media weggelaten)>$",
    re.MULTILINE,
)
_KIND_LEFT_OUT = re.compile(
    r"(image|video|audio|sticker|GIF|document|Contact card)\s+omitted", re.IGNORECASE
)
_FILE = re.compile(
    rf"^[{MARKS}]*(?:(?P<before>[^\n]{{0,200}}?)[{MARKS}]?<attached: (?P<ios>[^<>\n]{{1,200}})>"
    r"|(?P<android>[^\n/]{1,200}\.\w{1,5}) \(file attached\))$",
    re.MULTILINE,
)
EXPECTED = 'lines such as "[08/05/2023, 13:56:02] Ana: Hello"'
PEOPLE = noop(
    "{number} people speak: {users} is the user, all others are the assistant"
)
OF_THE_APP = noop("a line of the app itself, which nobody said, was left out")
EDITED = "<This message was edited>"
MAX_NAMED_OTHERS = 5
APP_SPEAKS = "\u200e"  # on some phones, what the app puts in place of a text starts so


class WhatsApp(TextReader):
    """A chat of people. Whoever speaks first is the user, everybody else the assistant; all keep their names."""

    name = "whatsapp"
    title = noop("WhatsApp chat")

    def conversations(
        self, document: Document
    ) -> Sequence[list[tuple[StampedLine, str]]]:
        """One conversation: all messages with their lines."""
        messages = list(read_stamped_lines(document.plain_text))
        if not any(message.speaker for message in messages):
            raise text_mismatch_error(EXPECTED, document)
        text = normalize_line_ends(document.plain_text)
        lines = line_places(text, [message.start for message in messages])
        return [list(zip(messages, lines, strict=True))]

    def read(
        self, piece: list[tuple[StampedLine, str]], builder: TranscriptBuilder
    ) -> Transcript:
        """The chat with the names of its people. What nobody said is left out and counted."""
        people = _find_people(message for message, _ in piece)
        roles, are_people = _assign_roles(people, builder)
        order = date_order([message for message, _ in piece])
        held_at = None
        for message, place in piece:
            if message.speaker not in roles or _is_of_the_app(message):
                builder.note(OF_THE_APP, place)
                continue
            role = roles[message.speaker]
            text = _read_text(message.text)
            time = message.time(order)
            name = message.speaker if are_people else None
            held_at = held_at or moment(time)
            builder.add_text(role, text, place, name=name, meta=meta_with_time(time))
        about = _describe_people(roles) if are_people else ""
        return builder.build(description=about, held_at=held_at)


def _find_people(messages: Iterable[StampedLine]) -> list[str]:
    """Return who speaks, in the order of their first words. A name with nothing but words of the app is that of the
    group."""
    speak: dict[str, bool] = {}
    for message in messages:
        if not _is_of_the_app(message):
            is_told = message.text.startswith(APP_SPEAKS)
            is_said = not is_told or _read_text(message.text).startswith("[")
            speak[message.speaker] = speak.get(message.speaker, False) or is_said
    return [name for name, speaks in speak.items() if speaks]


def _is_of_the_app(message: StampedLine) -> bool:
    return not message.speaker or any(
        _OF_THE_APP.match(text) for text in (message.speaker, message.text)
    )


def _assign_roles(
    names: list[str], builder: TranscriptBuilder
) -> tuple[dict[str, str], bool]:
    """The role of each name, and whether the names are those of people."""
    known_roles = [role_of(name) for name in names]
    # Else somebody has put a chat with a model into this shape.
    are_people = not names or not all(known_roles)
    called = [
        name for name in names if builder.user and is_same_name(name, builder.user)
    ]
    builder.user_found = bool(called)
    roles = None
    if called or any(known_roles):
        roles = roles_of(names, called[0] if called else None)
    elif builder.user is not None:
        raise no_such_user_error(builder.user, names)
    if not roles:
        roles = dict.fromkeys(names, "assistant")
        roles.update(dict.fromkeys(names[:1], "user"))
    if len(names) == 1:
        builder.note(Said("only one person speaks, {name}", name=repr(names[0][:40])))
    if are_people and len(names) > 2:
        users = tuple(name for name in names if roles[name] == "user")
        builder.note(Said(PEOPLE, number=len(names), users=users))
    return roles, are_people


def _describe_people(roles: Mapping[str, str]) -> str:
    users = [name for name, role in roles.items() if role == "user"]
    others = [name for name, role in roles.items() if role != "user"]
    if not users:
        return ""
    user = ", ".join(users)
    if not others:
        return f"Chat of {user}, who is the user."
    other = ", ".join(others[:MAX_NAMED_OTHERS])
    if len(others) > MAX_NAMED_OTHERS:
        other += " and others"
    return f"Chat of people: {user} is the user, {other} the assistant."


def _read_text(text: str) -> str:
    text = _MARK.sub("", text)
    if text.endswith(EDITED):
        text = text.removesuffix(EDITED).rstrip(f" {APP_SPEAKS}")
    kind = _KIND_LEFT_OUT.fullmatch(text)
    if kind:
        return stand_in(kind[1].lower())
    return _FILE.sub(_stand_in_for_file, _LEFT_OUT.sub(stand_in("media"), text))


def _stand_in_for_file(match: re.Match[str]) -> str:
    name = match["ios"] or _MARK.sub("", match["android"])
    return (match["before"] or "") + stand_in("file", name)
