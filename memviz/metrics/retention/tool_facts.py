"""Values that a tool returned and that a later reply, or a later call, used.

Nobody has to say that such a value is a fact: the log itself shows that the model
needed it. Where it is no longer sent in between, the model could not have known it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.text.containment import PhraseIndex, contains, normal_tokens
from memviz.core.text.sentences import list_json_facts
from memviz.core.text.vocabulary import STOP_WORDS
from memviz.metrics.requests.message_text import read_message
from memviz.transcripts.base import Probe

LINE_CHARS = 240
"""The most characters of a line that are searched for values."""
MOST_LINES = 2_000
"""The most lines of one result that are searched.

A reply seldom rests on those further down, and they would be read at each redraw.
"""
VALUE_CHARS = range(3, 61)
"""The lengths that a value may have."""
USED_AT_ONCE = 2.0
"""The weight of a value that only the reply to the result uses."""
USED_BY_A_REPLY = 4.0
"""The weight of a value that a later reply uses."""
USED_BY_A_CALL = 0.5
"""The weight that is added where a call depends on the value."""
USED_IN_A_LATER_TURN = 1.5
"""The weight that is added where a later turn uses the value."""
_VALUE = re.compile(
    r"""
    # an address of the web: https://example.org/a
    https?://[^\s"'<>)\]]+[\w/]
    # an e-mail address: ana@example.org
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    # a date: 2025-03-17
  | (?<!\d)(?:19|20)\d\d-\d\d-\d\d(?![\d-])
    # a time: 18:30
  | (?<![\w:.])\d{1,2}:\d\d(?!\d)
    # a path: /etc/hosts, ~/notes/trip, ../src/app
  | (?:~|\.{0,2})(?:/[\w.@-]+){2,}
    # a file: src/app.py
  | (?<![\w/.-])[\w-]+(?:/[\w-]+)*\.(?:py|js|ts|json|ya?ml|toml|csv|sql|md|txt|pdf|log|conf|cfg|ini|sh|html|go|rs)\b
    # a telephone number: +49 30 901820
  | \+?\d[\d ]{6,16}\d
    # a decimal number or a version: 12.5, -25.0, v1.2.3
  | (?:(?<![\w.-])-)?v?\d+\.\d+(?:\.\d+)*
    # letters with digits: SHP-88412, gate4
  | (?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w+(?:-\w+)*
    # a number with groups of digits: 12,400.50
  | (?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?
    # a number of three digits and more: 404
  | (?<![\w.,-])\d{3,}(?![\w-])
    # a word with a number: Room 12, March 4
  | (?<![\w-])[A-Za-z]{3,}\ +\d{1,2}(?![\w.:/-])
    """,
    re.VERBOSE,
)
_NAME = re.compile(
    r"""
    # "Ana", "Okafor and Sons", "Hotel Bella Vista"
    [A-Z\u00c0-\u00de][\w'’.-]+(?:\ [A-Z\u00c0-\u00de]?[\w'’.-]+){0,4}
    # Chinese characters
  | [\u4e00-\u9fff]{2,12}
    """,
    re.VERBOSE,
)
"""The whole value of a field, which is a name."""
_FIELD = re.compile(r"(?P<key>[\w .-]{1,80}): (?P<value>.+)", re.DOTALL)
"""A field of a JSON object as a line: ``customer name: Ana Okafor``."""


class ToolFact(NamedTuple):
    """A value of a tool result that a later reply or call uses."""

    position: int
    """The log position of the tool result."""
    question: str
    """The line of the result with the value blanked."""
    answer: str
    """The value."""
    used_at: int
    """The log position of the first later message of the assistant that has it."""
    weight: float
    """The higher, the more depends on the value."""


class _ResultValue(NamedTuple):
    """A value in one line of a tool result."""

    position: int
    """The log position of the tool result."""
    line_number: int
    """The number of the line, from 1."""
    line: str
    value: str
    start: int
    """The place of the value in the line."""


def find_tool_facts(log: Log) -> list[ToolFact]:
    """Return the values of tool results that are new there and that the assistant uses.

    New is a value that no message before has. Of equal values the first counts.
    """
    candidates = _find_new_values(log)
    if not candidates:
        return []
    values = [candidate.value for candidate in candidates]
    matches = PhraseIndex(values).find([read_message(message) for message in log])
    # The matches are sorted by value: those of one lie between two bounds.
    bounds = np.searchsorted(matches.phrases, np.arange(len(values) + 1))
    facts = []
    for candidate, (start, stop) in zip(candidates, pairwise(bounds), strict=True):
        positions = np.unique(matches.texts[start:stop]).tolist()
        is_new = bool(positions) and positions[0] == candidate.position
        uses = [at for at in positions[1:] if log[at].role == "assistant"]
        if not is_new or not uses:
            continue
        question = _ask_for_value(log, candidate)
        if contains(question, candidate.value):
            continue
        fact = ToolFact(
            position=candidate.position,
            question=question,
            answer=candidate.value,
            used_at=uses[0],
            weight=_weigh_value(log, candidate, uses),
        )
        facts.append(fact)
    return facts


def count_unmeasured_results(log: Log, probes: Sequence[Probe]) -> int:
    """Return the number of tool results of ``log`` if there are ``probes`` and none of them comes from one; else 0.

    What is lost with these results shows in no measure that rests on the probes.
    """
    results = {*log.tools.results}
    if not probes or any(not results.isdisjoint(probe.evidence) for probe in probes):
        return 0
    return len(results)


def _weigh_value(log: Log, candidate: _ResultValue, uses: Sequence[int]) -> float:
    """Return how much depends on a value that messages at ``uses`` have."""
    later = range(candidate.position + 1, len(log))
    next_reply = next(at for at in later if log[at].role == "assistant")
    last_use = uses[-1]
    weight = USED_AT_ONCE if last_use == next_reply else USED_BY_A_REPLY
    if any(_uses_in_a_call(log[at], candidate.value) for at in uses):
        weight += USED_BY_A_CALL
    if log.turn_number(last_use) > log.turn_number(candidate.position):
        weight += USED_IN_A_LATER_TURN
    return weight


def _uses_in_a_call(message: Message, value: str) -> bool:
    if not message.tool_calls:
        return False
    arguments = read_message(message).removeprefix(message.content)
    return contains(arguments, value)


def _ask_for_value(log: Log, candidate: _ResultValue) -> str:
    """Return the line of the result with its value blanked, and which result it is.

    ``status of ___: sent (track, message 4, line 2)``
    """
    position = candidate.position
    line = candidate.line
    tool = log.answered_tool(position) or log[position].name or "a tool"
    spelled = re.compile(re.escape(candidate.value).replace("_", "[_ ]"))
    before = spelled.sub("___", line[: candidate.start])
    after = line[candidate.start + len(candidate.value) :]
    place = f"({tool}, message {position + 1}, line {candidate.line_number})"
    return f"{before}___{after} {place}"


def _find_new_values(log: Log) -> list[_ResultValue]:
    """Return the values of tool results whose words replies have, each at its first place."""
    results = [
        position
        for position, message in enumerate(log)
        if message.role == "tool" and not message.is_recall_exchange
    ]
    # Else all replies would be read for nothing.
    if not results:
        return []
    reply_words: set[str] = set()
    for message in log:
        if message.role == "assistant":
            reply_words.update(normal_tokens(read_message(message)))
    first: dict[tuple[str, ...], _ResultValue] = {}
    for position in results:
        for candidate in _list_values(position, log[position].content):
            tokens = normal_tokens(candidate.value)
            if tokens and reply_words.issuperset(tokens):
                first.setdefault(tokens, candidate)
    return list(first.values())


def _list_values(position: int, content: str) -> Iterator[_ResultValue]:
    """Yield the values of a result, line by line; of JSON a field is a line."""
    fields = list_json_facts(content) if content.lstrip().startswith(("{", "[")) else []
    lines = fields or content.splitlines()
    for number, text in enumerate(lines[:MOST_LINES], start=1):
        start = 0
        field = _FIELD.fullmatch(text) if fields else None
        if field:
            start = field.start("value")
            value = field["value"]
            # A field that is a name as a whole has no further values in it.
            if _NAME.fullmatch(value) and len(value) in VALUE_CHARS:
                if value not in ("True", "False"):
                    yield _ResultValue(position, number, text, value, start)
                continue
        line = text[:LINE_CHARS]
        for match in _VALUE.finditer(line, start):
            value = match.group()
            # "versions for 30 days" has no value "for 30".
            if value.partition(" ")[0].lower() in STOP_WORDS:
                continue
            if len(value) in VALUE_CHARS:
                yield _ResultValue(position, number, line, value, match.start())
