"""Extractive summaries in the structured forms that some prompts ask for: facts one by one, or two blocks of memory.

:class:`memviz.models.offline.model.OfflineModel` asks here first whether a prompt wants such a form, and writes an
ordinary summary only where it does not.

- Facts: each clause in a ``<fact>``. Where triples are wanted, a clause is split at its verb into subject, relation
  and value.
- Blocks: ``<persona>`` has the rules for the assistant's behaviour, ``<human>`` everything else.
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
from memviz.models.offline.worth import is_rule

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
_BLOCK_TAG = re.compile(r"</?(?:human|persona)>")
_NO_NAME = re.compile(r"[:;,，；：]")
_END = re.compile(r"[.!。！]+$")


class FactRequest(NamedTuple):
    """A prompt that asks for facts: what to take them from, and how many and in which form."""

    entries: tuple[Entry, ...]
    """The conversation; where ``fewer_than`` is given, the known facts."""
    fewer_than: int | None = None
    """Where given, the known facts are to be reduced to fewer than this number."""
    numbered: tuple[tuple[str, str], ...] = ()
    """Known facts as (number, text). A new fact that makes one of them outdated names its number."""
    are_triples: bool = False
    """True where each fact is to be a subject, a relation and a value."""


def read_fact_request(messages: Sequence[Message]) -> FactRequest | None:
    """Return the request for facts that the prompt ``messages`` makes; ``None`` where it asks for no facts."""
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
    """Return facts: the best clauses of the conversation within ``budget_tokens``, or the best of the known facts where
    those are to be reduced: ``<facts>\\n  <fact>The rent is 900 euros.</fact>\\n</facts>``."""
    if request.fewer_than is None:
        room_tokens = condensed_tokens(request.entries, budget_tokens, count)
        lines = best_lines(request.entries, room_tokens, count)
    else:
        most_lines = max(1, request.fewer_than - 1)
        lines = best_lines(request.entries, most_lines, _count_lines)
    facts = ""
    for line in lines:
        attribute = _make_replaces_attribute(line, request.numbered)
        fact = split_triple(line) if request.are_triples else line
        facts += f"  <fact{attribute}>{fact}</fact>\n"
    return f"<facts>\n{facts}</facts>" if facts else "<facts></facts>"


def _count_lines(text: str) -> int:
    return text.count("\n")


def _make_replaces_attribute(line: str, numbered: Sequence[tuple[str, str]]) -> str:
    """Return the attribute that names the newest known fact that ``line`` supersedes: `` replaces="3"``; empty where it
    supersedes none."""
    topics = _topics_of(line) if numbered else []
    for number, fact in reversed(numbered):
        older_topics = _topics_of(fact.replace(BAR, " "))
        for topic in topics:
            if any(supersedes(topic, older) for older in older_topics):
                return f' replaces="{number}"'
    return ""


def _topics_of(line: str) -> list[Topic]:
    return [statement.topic for statement in statements_of(Entry("summary", line))]


def split_triple(clause: str) -> str:
    """Return a clause as subject, relation and value, parted by ``BAR``. A clause without a short subject or a known
    verb is returned unchanged."""
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


def asks_for_blocks(messages: Sequence[Message]) -> bool:
    """Return whether the prompt ``messages`` asks for the blocks *human* and *persona*."""
    return "<human>\n...\n</human>" in instruction_of(messages)


def write_blocks(
    entries: Sequence[Entry], most_units: int, count: Callable[[str], int]
) -> str:
    """Return the best clauses of ``entries`` as two blocks: standing rules in ``<persona>``, all others in ``<human>``.

    Together they have at most ``most_units``, in the unit of ``count``: tokens or words.
    """
    # The summary so far came with its tags, which are no part of what it states.
    untagged_entries = [
        Entry(entry.role, _BLOCK_TAG.sub("", entry.text).strip()) for entry in entries
    ]
    statements = [entry for entry in untagged_entries if entry.text]
    lines = best_lines(statements, most_units, count)
    rules = [line for line in lines if is_rule(line)]
    other_lines = [line for line in lines if line not in rules]
    human = "\n".join(f"- {line}" for line in other_lines)
    persona = "\n".join(f"- {line}" for line in rules)
    return f"<human>\n{human}\n</human>\n<persona>\n{persona}\n</persona>"
