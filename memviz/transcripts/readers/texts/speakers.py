"""The names under which people and models speak in tables and texts."""

from __future__ import annotations

from typing import NamedTuple

from memviz.transcripts.chat_messages import known_role

CHAT = {
    "user": ("user", "human", "you", "me", "customer"),
    "assistant": ("assistant", "ai", "bot", "chatbot", "chatgpt", "gpt", "claude", "gemini", "model", "agent"),
    "system": ("system",),
    "tool": ("tool",),
}
QUESTIONS = {"user": ("prompt", "question", "q"), "assistant": ("response", "answer", "a")}
"""Names that also head the parts of an answer: in a chat of "User" and "Assistant", "Question" is no speaker."""


class Speaker(NamedTuple):
    """The role that a name means, and whether the name is one of :data:`QUESTIONS`."""

    role: str
    asks: bool


SPEAKERS = {
    name: Speaker(role, names is QUESTIONS)
    for names in (CHAT, QUESTIONS)
    for role, members in names.items()
    for name in members
}


def role_of(name: str) -> str | None:
    """The role of a speaker's name in any letter case, or of a role's own name; ``None`` for any other."""
    speaker = SPEAKERS.get(name.strip().lower())
    return speaker.role if speaker else known_role(name)
