"""Facts one by one, for a prompt that wants each in a ``<fact>``: the clauses of an extractive summary.

A prompt that wants triples gets each clause parted at its verb: subject, relation and value.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memviz.core.facts import BAR
from memviz.core.messages import Message
from memviz.core.text.words import HAN
from memviz.models.offline.statements import statements_of
from memviz.models.offline.summarizer import best_lines, condensed_tokens
from memviz.models.offline.summary_request import Entry, entries_in, instruction_of
from memviz.models.offline.topics import Topic, part_at_verb, supersedes

_FACT = re.compile(r"<fact>(.*?)</fact>", re.DOTALL)
# "<existing_facts>", a line for each fact, "</existing_facts>"
_KNOWN = re.compile(r"<existing_facts>\n(.*?)\n</existing_facts>", re.DOTALL)
_FEWER = re.compile(r"\bfewer than (\d{1,6})\b")
# '<fact number="3">likes tea</fact>'
_NUMBERED = re.compile(r'<fact number="(\d{1,9})">(.*?)</fact>', re.DOTALL)
_AS_TRIPLES = f"subject{BAR}relation{BAR}value"
LONGEST_NAME_WORDS = 6
# "lives in", "doesn't", "works"
_RELATION = re.compile(
    r"[^\W\d_]+(?:n['’]t)?(?: (?:not|in|at|on|to|from|for|with|by|of))*", re.IGNORECASE
)
_CHINESE_RELATION = re.compile(r"是|叫|为|[改变换涨降][成为到]|花了|需要")
_NO_NAME = re.compile(r"[:;,，；：]")
_END = re.compile(r"[.!。！]+$")


class FactRequest(NamedTuple):
    """The material that facts are to be made of."""

    entries: tuple[Entry, ...]
    """The conversation; where ``fewer_than`` is given, the known facts."""
    fewer_than: int | None = None
    """Of the known facts fewer than so many are to be left."""
    numbered: tuple[tuple[str, str], ...] = ()
    """The known facts with their numbers: a new fact names the one that holds no longer because of it."""
    are_triples: bool = False
    """True where each fact is to be a subject, a relation and a value."""


def fact_request(messages: Sequence[Message]) -> FactRequest | None:
    """Return the facts that ``messages`` ask for; ``None`` where they ask for a summary."""
    instruction = instruction_of(messages)
    if "<fact>" not in instruction:
        return None
    known_facts = _KNOWN.search(instruction)
    numbered: list[tuple[str, str]] = []
    if known_facts is not None:
        # "fewer than 20" asks to make the known facts fewer; else they are only shown, and new ones are asked for.
        fewer = _FEWER.search(instruction[: known_facts.start()])
        if fewer is not None:
            texts = _FACT.findall(known_facts.group(1))
            facts = tuple(Entry("summary", text.strip()) for text in texts)
            return FactRequest(facts, int(fewer.group(1)))
        numbered = _NUMBERED.findall(known_facts.group(1))
    return FactRequest(
        entries_in(messages),
        numbered=tuple(numbered),
        are_triples=_AS_TRIPLES in instruction,
    )


def write_facts(
    request: FactRequest, budget_tokens: int, count: Callable[[str], int]
) -> str:
    """Return the best clauses of the conversation within ``budget_tokens``, or the best of the known facts, each a
    fact: ``<facts>\\n  <fact>The rent is 900 euros.</fact>\\n</facts>``."""
    if request.fewer_than is None:
        room_tokens = condensed_tokens(request.entries, budget_tokens, count)
        lines = best_lines(request.entries, room_tokens, count)
    else:
        most_lines = max(1, request.fewer_than - 1)
        lines = best_lines(request.entries, most_lines, _count_lines)
    facts = ""
    for line in lines:
        replacing = _replacing(line, request.numbered)
        fact = as_triple(line) if request.are_triples else line
        facts += f"  <fact{replacing}>{fact}</fact>\n"
    return f"<facts>\n{facts}</facts>" if facts else "<facts></facts>"


def _count_lines(text: str) -> int:
    return text.count("\n")


def _replacing(line: str, numbered: Sequence[tuple[str, str]]) -> str:
    """Return the number of the newest known fact that ``line`` supersedes, as a tag has it: `` replaces="3"``; empty
    where it supersedes none."""
    topics = _topics_of(line) if numbered else []
    for number, fact in reversed(numbered):
        older_topics = _topics_of(fact.replace(BAR, " "))
        for topic in topics:
            if any(supersedes(topic, older) for older in older_topics):
                return f' replaces="{number}"'
    return ""


def _topics_of(line: str) -> list[Topic]:
    return [statement.topic for statement in statements_of(Entry("summary", line))]


def as_triple(clause: str) -> str:
    """Return a clause as subject, relation and value; one whose parts cannot be told as it is."""
    subject, predicate = part_at_verb(clause)
    subject = subject.strip()
    is_chinese = HAN.search(predicate) is not None
    relation = (_CHINESE_RELATION if is_chinese else _RELATION).match(predicate)
    is_short = len(subject.split()) <= LONGEST_NAME_WORDS
    is_name = is_short and not _NO_NAME.search(subject)
    if not subject or relation is None or not is_name:
        return clause
    value = _END.sub("", predicate[relation.end() :].strip())
    if not value or _NO_NAME.match(value):
        return clause
    return BAR.join([subject, relation.group(), value])
