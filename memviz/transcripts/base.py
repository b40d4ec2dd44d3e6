"""A conversation as it came from somewhere: its messages, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memviz.conversation import Message

Category = Literal["single fact", "updated fact", "number", "name", "multi-evidence"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A question whose answer the conversation states.

    ``answers`` are accepted spellings, any one of which is right. ``evidence`` holds the log
    positions (0-based) of the messages that together state the answer. ``stale`` are answers that
    were right once and were replaced. ``by_user``: typed in on a page, not part of what was imported.
    """

    question: str
    answers: tuple[str, ...]
    evidence: tuple[int, ...]
    category: Category
    stale: tuple[str, ...] = ()
    by_user: bool = False

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Probe:
        """The probe that :meth:`to_dict` described."""
        return cls(
            question=value["question"],
            answers=tuple(value["answers"]),
            evidence=tuple(value["evidence"]),
            category=value["category"],
            stale=tuple(value.get("stale", ())),
            by_user=value.get("by_user", False) is True,
        )

    def to_dict(self) -> dict[str, Any]:
        """The probe as JSON."""
        own = {"by_user": True} if self.by_user else {}
        return {
            "question": self.question,
            "answers": list(self.answers),
            "evidence": list(self.evidence),
            "category": self.category,
            "stale": list(self.stale),
            **own,
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages with a title, the format they were read from, probes and warnings of the reader."""

    messages: tuple[Message, ...]
    title: str = "Untitled conversation"
    format: str = "messages"
    probes: tuple[Probe, ...] = ()
    warnings: tuple[str, ...] = ()
    system_prompt: str | None = None
    description: str = ""
    language: str = "en"
