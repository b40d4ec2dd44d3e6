"""The sources of statements: the messages of a context, with their kind and their sentences, and summaries of turns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memviz.core.messages import Message
from memviz.core.text.sentences import Passage, split_passage

# "Summary of earlier conversation: ", "[Turn 3] ", "<memory>"
_SUMMARY_HEAD = re.compile(
    r"^[^\S\n]*(?:summary of earlier conversation|previous summary)\s*:\s*|^=== .* ===\s*$|^\[Turn \d+\] "
    r"|</?(?:memory|StaticContent|ExtractedFacts|fact)>",
    re.IGNORECASE | re.MULTILINE,
)
# "You are a travel agent.", "Answer briefly.", "请用中文"
_INSTRUCTION = re.compile(
    r"\b(?:you are|you're|your (?:task|job|role)|act as|answer|respond|reply|always)\b|你是|请|回答",
    re.IGNORECASE,
)


_HEADING = re.compile(r"\s*=== .* ===[ \t]*$", re.MULTILINE)
# "[Turn 12] "
_TURN = re.compile(r"^\[Turn ([0-9]{1,9})\](?: |$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """One message."""

    kind: str
    """``user``, ``assistant``, ``summary``, ``tool`` or ``system``."""
    passage: Passage
    asked: frozenset[str] = frozenset()
    """The words of the question that a user message answers: "How many guests?" "Around 45."."""


def sources(messages: Sequence[Message]) -> list[Source]:
    """Return one source a message, in the order of the messages."""
    all_sources: list[Source] = []
    for position, message in enumerate(messages):
        kind = message.role
        text = message.content
        if kind == "system" and _is_summary(text, position):
            kind = "summary"
            text = _SUMMARY_HEAD.sub("", text)
        # The user's answer to a question says little by itself: "In Lisbon." is about what the reply before asked.
        question_words = frozenset[str]()
        if kind == "user" and all_sources:
            question_words = _closing_question(all_sources[-1])
        all_sources.append(Source(kind, split_passage(text), question_words))
    return all_sources


def _closing_question(source: Source) -> frozenset[str]:
    if source.kind != "assistant" or not source.passage.sentences:
        return frozenset()
    last = source.passage.sentences[-1]
    return last.words if last.is_question else frozenset()


def _is_summary(text: str, position: int) -> bool:
    """Return whether a system message holds a summary: it says so, or it is not the first, or instructs nobody."""
    return (
        position > 0
        or _SUMMARY_HEAD.search(text) is not None
        or _INSTRUCTION.search(text) is None
    )


def turn_summaries(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text, which may have several lines, of each accumulated summary of a turn."""
    last = 0
    for message in messages:
        if message.role != "system" or not _HEADING.match(message.content):
            continue
        # numbers only grow, so a line of a summary that quotes an earlier mark begins no entry
        marks = []
        for mark in _TURN.finditer(message.content):
            if int(mark.group(1)) > last:
                last = int(mark.group(1))
                marks.append(mark)
        stops = [mark.start() for mark in marks[1:]]
        stops.append(len(message.content))
        for mark, stop in zip(marks, stops, strict=False):
            yield int(mark.group(1)), message.content[mark.end() : stop]
