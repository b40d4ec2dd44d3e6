"""A conversation as a report prints it: all of a usual one, the beginning of a huge one."""

from collections.abc import Sequence
from dataclasses import dataclass

from memviz.core.conversation import Log
from memviz.core.messages import TIME, Message
from memviz.core.text.wording import message_number
from memviz.core.translation import _
from memviz.dashboard.reporting.settings import Setting

MAX_MESSAGES = 2_000
MAX_CHARS = 2_000_000
MAX_MESSAGE_CHARS = 20_000
"""The messages and the characters of a conversation that are printed, and the characters of one message."""


@dataclass(frozen=True, slots=True)
class PrintedMessage:
    """One message as it is printed."""

    number: int
    turn: int
    message: Message
    text: str
    hidden_chars: int
    """The number of characters of the message behind ``text``."""
    time: str


@dataclass(frozen=True, slots=True)
class PrintedTalk:
    """A conversation as it is printed: all of a usual one, the beginning of a huge one."""

    title: str
    printed: tuple[PrintedMessage, ...]
    messages: int
    hidden: int
    """The number of messages at the end that are left out."""


def printed_talks(
    imported: Sequence[Message], settings: Sequence[Setting]
) -> tuple[PrintedTalk, ...]:
    """Return the conversation, and for free runs each setting's own replies."""
    answering = []
    for setting in settings:
        if list(setting.run.log) != list(imported):
            answering.append(setting)
    talks = []
    if imported or not answering:
        talks.append(_talk(_("Conversation"), Log(imported)))
    for setting in answering:
        title = _("Conversation under {setting}", setting=setting.label)
        talks.append(_talk(title, setting.run.log))
    return tuple(talks)


def _talk(title: str, log: Log) -> PrintedTalk:
    printed: list[PrintedMessage] = []
    chars = 0
    for position, message in enumerate(log[:MAX_MESSAGES]):
        text = message.content[:MAX_MESSAGE_CHARS]
        chars += len(text) + sum(len(call.arguments) for call in message.tool_calls)
        if printed and chars > MAX_CHARS:
            break
        printed.append(
            PrintedMessage(
                number=message_number(position),
                turn=log.turn_number(position),
                message=message,
                text=text,
                hidden_chars=len(message.content) - len(text),
                time=str((message.meta or {}).get(TIME, "")),
            )
        )
    return PrintedTalk(title, tuple(printed), len(log), len(log) - len(printed))
