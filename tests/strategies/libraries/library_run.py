"""What a reference runner gives back: the requests of an installed library over one conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memviz import Message

Ask = Callable[[list[Message]], str]
"""A summarizer: what its model was sent, to what it answers. It may raise, as a model does that is not there."""


@dataclass(frozen=True)
class Asked:
    """One call of the library's own model: what it was sent, and before which request (from 0) that was."""

    before_request: int
    messages: list[Message]


@dataclass
class LibraryRun:
    """``requests[r]`` is what the library sends with request *r* of the log; ``errors`` those that a put raised."""

    requests: list[list[Message]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
