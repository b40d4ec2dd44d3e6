"""Whether to recall earlier messages, and which: the turns whose summaries speak of what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memviz.conversation import Message
from memviz.models.offline.context_sources import Source
from memviz.models.offline.matching import Matches
from memviz.models.offline.open_turn import OpenTurn
from memviz.models.offline.question import Question
from memviz.text import phrases
from memviz.text.sentences import passage

MAX_TURNS = 3
ENTRY_THRESHOLD = 0.3
"""The least share of a question that the summary of a turn covers if that turn is recalled. It is less than an answer
needs, because a summary may name the subject and have lost what was said about it."""
LAST_N = 20

_HEADING = re.compile(r"\s*=== .* ===[ \t]*$", re.MULTILINE)
_ENTRY = re.compile(r"^\[Turn ([0-9]{1,9})\](?: |$)", re.MULTILINE)


def wanted_recall(turn: OpenTurn) -> dict[str, list[int] | int] | None:
    """Arguments of the recall that may answer what nothing sent word for word answers; ``None`` for no recall."""
    unanswered = turn.unanswered()
    if not unanswered:
        return None
    entries = dict(_entries(turn.others))
    if not entries:
        return {"last_n": LAST_N} if turn.had_earlier_talk() else None
    chosen = _best_turns(unanswered, entries)
    return {"turn_numbers": sorted(chosen)} if chosen else None


def _best_turns(questions: Sequence[Question], entries: dict[int, str]) -> list[int]:
    """The turns whose entries hold the largest share of any of the questions, best first, the newer of equals."""
    among = [Source("summary", passage(text)) for text in entries.values()]
    shares = [max(of_entry) for of_entry in zip(*(_shares(question, among) for question in questions), strict=True)]
    ranked = sorted(((share, turn) for share, turn in zip(shares, entries, strict=True)), reverse=True)
    return [turn for share, turn in ranked[:MAX_TURNS] if share >= ENTRY_THRESHOLD]


def _shares(question: Question, among: Sequence[Source]) -> list[float]:
    """The part of the question's weight that each source holds, in any of its sentences."""
    matches = Matches(question, among)
    held = [matches.weights.keys() & _told(source) for source in among]
    for match in matches.found:
        held[match.position] |= match.hits  # words that are meant and not said
    return [matches.share(words) for words in held]


def _told(source: Source) -> frozenset[str]:
    """The words of statements: a turn in which the same was asked before, in vain, has nothing to recall."""
    told = (one for one in source.passage.sentences if not one.is_question and not phrases.admits_ignorance(one.text))
    return frozenset[str]().union(*(sentence.words for sentence in told))


def _entries(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """The accumulated summaries: turn number and text, which may have several lines."""
    last = 0
    for message in messages:
        if message.role != "system" or not _HEADING.match(message.content):
            continue
        # numbers only grow, so a line of a summary that quotes an earlier mark begins no entry
        marks = []
        for mark in _ENTRY.finditer(message.content):
            if int(mark.group(1)) > last:
                last = int(mark.group(1))
                marks.append(mark)
        for at, mark in enumerate(marks):
            stop = marks[at + 1].start() if at + 1 < len(marks) else len(message.content)
            yield int(mark.group(1)), message.content[mark.end() : stop]
