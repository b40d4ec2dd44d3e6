"""Where statements come from: the messages of a context, with their kind and their sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memviz.core.messages import Message
from memviz.core.text.sentences import Passage, passage

_SUMMARY_HEAD = re.compile(
    r"^[^\S\n]*(?:summary of earlier conversation|previous summary)\s*:\s*|^=== .* ===\s*$|^\[Turn \d+\] "
    r"|</?(?:memory|StaticContent|ExtractedFacts|fact)>",
    re.IGNORECASE | re.MULTILINE,
)
_INSTRUCTION = re.compile(
    r"\b(?:you are|you're|your (?:task|job|role)|act as|answer|respond|reply|always)\b|你是|请|回答",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """One message. ``kind`` is user, assistant, summary, tool or system. Where a user message answers a question of the
    assistant, ``asked`` holds the words of that question: "How many guests?" "Around 45."."""

    kind: str
    passage: Passage
    asked: frozenset[str] = frozenset()


def sources(messages: Sequence[Message]) -> list[Source]:
    """One source a message, in the order of the messages."""
    found: list[Source] = []
    for position, message in enumerate(messages):
        kind = message.role
        text = message.content
        if kind == "system" and _is_summary(text, position):
            kind = "summary"
            text = _SUMMARY_HEAD.sub("", text)
        asked = (
            _closing_question(found[-1])
            if kind == "user" and found
            else frozenset[str]()
        )
        found.append(Source(kind, passage(text), asked))
    return found


def _closing_question(source: Source) -> frozenset[str]:
    sentences = source.passage.sentences
    closes = (
        source.kind == "assistant" and bool(sentences) and sentences[-1].is_question
    )
    return sentences[-1].words if closes else frozenset()


def _is_summary(text: str, position: int) -> bool:
    """Whether a system message holds a summary: it says so, or it is not the first, or instructs nobody."""
    return (
        position > 0
        or _SUMMARY_HEAD.search(text) is not None
        or _INSTRUCTION.search(text) is None
    )
