"""Exchanges and libraries that the tests of watching share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memviz.core.messages import TIME, Message
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from memviz.watching.exchanges import Exchange
from memviz.watching.keeper import Keeper

ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


def said(words: str) -> tuple[Message, ...]:
    """Messages from "u:hello a:hi": the first letter of the role, and the text."""
    pairs = (word.split(":", 1) for word in words.split())
    return tuple(Message(ROLES[role], text) for role, text in pairs)


def exchange(sent: str, reply: str, **known: Any) -> Exchange:
    return Exchange(said(sent), said(reply), **known)


def words(messages: Sequence[Message]) -> str:
    """The opposite of :func:`said`."""
    return " ".join(f"{one.role[0]}:{one.content}" for one in messages)


def notes_of(message: Message) -> dict[str, Any]:
    """What stands beside a message, without the time at which it was said: that has
    every one."""
    assert message.said_at is not None
    notes = dict(message.meta or {})
    del notes[TIME]
    return notes


def library(folder: Path) -> Keeper:
    return Keeper(Store(folder / "watched.db"))


def kept(store: Store) -> dict[str, Transcript]:
    """The watched conversations by their keys, the oldest first."""
    found = reversed(store.newest_watched())
    return {one.key: store.conversation(one.id) for one in found}


def only(store: Store) -> Transcript:
    (transcript,) = kept(store).values()
    return transcript
