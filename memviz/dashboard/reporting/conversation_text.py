"""The conversation as the report prints it: all of a usual one, the beginning of a huge one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memviz.core.conversation import Log
from memviz.core.messages import TIME, Message
from memviz.core.text.wording import message_number

MAX_MESSAGES = 2_000
MAX_CHARS = 2_000_000
MAX_MESSAGE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Said:
    """One message; ``number`` and ``turn`` count from 1. ``text`` may end early, ``hidden_chars`` says how much."""

    number: int
    turn: int
    message: Message
    text: str
    hidden_chars: int
    time: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation and whose replies it holds; ``hidden`` messages at its end are not shown."""

    title: str
    said: tuple[Said, ...]
    messages: int
    hidden: int


def talk(title: str, messages: Iterable[Message]) -> Talk:
    """The messages with their turns, as many as fit."""
    log = messages if isinstance(messages, Log) else Log(messages)
    said: list[Said] = []
    chars = 0
    for position, message in enumerate(log[:MAX_MESSAGES]):
        shown = message.content[:MAX_MESSAGE_CHARS]
        chars += len(shown) + sum(len(call.arguments) for call in message.tool_calls)
        if said and chars > MAX_CHARS:
            break
        hidden_chars = len(message.content) - len(shown)
        said.append(
            Said(
                message_number(position),
                log.turn_number(position),
                message,
                shown,
                hidden_chars,
                _time(message),
            )
        )
    return Talk(title, tuple(said), len(log), len(log) - len(said))


def _time(message: Message) -> str:
    return str(message.meta.get(TIME, "")) if message.meta else ""


def distinct_talks(
    imported: Sequence[Message], runs: Sequence[tuple[str, Log]]
) -> tuple[Talk, ...]:
    """The conversation, and for free runs each setting's own replies."""
    own = [(label, log) for label, log in runs if list(log) != list(imported)]
    talks = [talk("Conversation", imported)] if imported or not own else []
    return (*talks, *(talk(f"Conversation under {label}", log) for label, log in own))
