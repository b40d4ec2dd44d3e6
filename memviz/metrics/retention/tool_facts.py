"""Values that a tool returned and that a later reply, or the arguments of a later call, used.

Nobody has to say that such a value is a fact: the log itself shows that the model needed it. Where the result is no
longer sent between the two, the model could not have known it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.text.containment import PhraseIndex, contains, normal_tokens
from memviz.core.text.sentences import json_facts
from memviz.metrics.retention.message_text import readable
from memviz.transcripts.base import Probe

LINE_CHARS = 240
MOST_LINES = 2_000
"""Of one result. What is further down is seldom what a reply rests on, and would have to be read at each redraw."""
VALUE_CHARS = range(3, 61)
USED_AT_ONCE, USED_BY_A_REPLY, USED_BY_A_CALL, USED_IN_A_LATER_TURN = 2.0, 4.0, 0.5, 1.5
"""How telling a value is that only the reply to the result uses, or one after it; how much more where a call depends on
it, and where a later turn does."""
_VALUE = re.compile(
    r"""
    https?://[^\s"'<>)\]]+[\w/]
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
  | (?<!\d)(?:19|20)\d\d-\d\d-\d\d(?![\d-])
  | (?<![\w:.])\d{1,2}:\d\d(?!\d)
  | (?:~|\.{0,2})(?:/[\w.@-]+){2,}
  | (?<![\w/.-])[\w-]+(?:/[\w-]+)*\.(?:py|js|ts|json|ya?ml|toml|csv|sql|md|txt|pdf|log|conf|cfg|ini|sh|html|go|rs)\b
  | \+?\d[\d ]{6,16}\d
  | v?\d+\.\d+(?:\.\d+)*
  | (?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w+(?:-\w+)*
  | (?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?
  | (?<![\w.,-])\d{3,}(?![\w-])
  | (?<![\w-])[A-Za-z]{3,}\ +\d{1,2}(?![\w.:/-])
    """,
    re.VERBOSE,
)
_NAME = re.compile(
    r"[A-Z\u00c0-\u00de][\w'’.-]+(?: [A-Z\u00c0-\u00de]?[\w'’.-]+){0,4}|[\u4e00-\u9fff]{2,12}"
)
"""The whole value of a field, which is a name."""
_FIELD = re.compile(r"(?P<key>[\w .-]{1,80}): (?P<value>.+)", re.DOTALL)


class ToolFact(NamedTuple):
    """``answer`` stands in the tool result at ``position``, and is asked for by ``question``. The first later reply
    that uses it is at ``used_at``."""

    position: int
    question: str
    answer: str
    used_at: int
    weight: float


class _Line(NamedTuple):
    position: int
    number: int
    text: str
    answer: str
    start: int


def tool_facts(log: Log) -> list[ToolFact]:
    """The values of tool results that no message before contains and that a later reply or call of the assistant uses,
    in order; of equal values the first."""
    candidates = _new_values(log)
    if not candidates:
        return []
    answers = [one.answer for one in candidates]
    matches = PhraseIndex(answers).find([readable(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    found = []
    for number, line in enumerate(candidates):
        places = np.unique(matches.texts[bounds[number] : bounds[number + 1]]).tolist()
        uses = [
            at for at in places if at > line.position and log[at].role == "assistant"
        ]
        question = _question(log, line)
        if uses and places[0] == line.position and not contains(question, line.answer):
            found.append(
                ToolFact(
                    line.position,
                    question,
                    line.answer,
                    uses[0],
                    _weight(log, line, uses),
                )
            )
    return found


def count_unmeasured_results(log: Log, probes: Sequence[Probe]) -> int:
    """The number of tool results of ``log`` if there are ``probes`` and none of them comes from one; else 0.

    What is lost with these results shows in no measure that rests on the probes.
    """
    results = {*log.tools.results}
    if not probes or any(not results.isdisjoint(probe.evidence) for probe in probes):
        return 0
    return len(results)


def _weight(log: Log, line: _Line, uses: Sequence[int]) -> float:
    turn = log.turn_number(line.position)
    following = next(
        at for at in range(line.position + 1, len(log)) if log[at].role == "assistant"
    )
    weight = USED_AT_ONCE if uses[-1] == following else USED_BY_A_REPLY
    if any(
        log[at].tool_calls and contains(_arguments(log, at), line.answer) for at in uses
    ):
        weight += USED_BY_A_CALL
    if any(log.turn_number(at) > turn for at in uses):
        weight += USED_IN_A_LATER_TURN
    return weight


def _arguments(log: Log, position: int) -> str:
    return readable(log[position])[len(log[position].content) :]


def _question(log: Log, line: _Line) -> str:
    """The line of the result with its value blanked, and which result it is."""
    tool = log.answered_tool(line.position) or log[line.position].name or "a tool"
    spelled = re.compile(re.escape(line.answer).replace("_", "[_ ]"))
    before = spelled.sub("___", line.text[: line.start])
    after = line.text[line.start + len(line.answer) :]
    return (
        f"{before}___{after} ({tool}, message {line.position + 1}, line {line.number})"
    )


def _new_values(log: Log) -> list[_Line]:
    """Every value of a tool result, at its first place, all of whose words some reply has."""
    results = [
        (position, message.content)
        for position, message in enumerate(log)
        if message.role == "tool" and not message.is_recall_exchange
    ]
    if not results:
        return []  # before all replies are read for nothing
    said = {
        token
        for message in log
        if message.role == "assistant"
        for token in normal_tokens(readable(message))
    }
    first: dict[tuple[str, ...], _Line] = {}
    for position, content in results:
        for line in _values_of(position, content):
            tokens = normal_tokens(line.answer)
            if tokens and said.issuperset(tokens):
                first.setdefault(tokens, line)
    return list(first.values())


def _values_of(position: int, content: str) -> Iterator[_Line]:
    fields = json_facts(content) if content.lstrip().startswith(("{", "[")) else []
    for number, text in enumerate(
        (fields or content.splitlines())[:MOST_LINES], start=1
    ):
        field = _FIELD.fullmatch(text) if fields else None
        if (
            field
            and _NAME.fullmatch(field["value"])
            and len(field["value"]) in VALUE_CHARS
        ):
            if field["value"] not in ("True", "False"):
                yield _Line(
                    position, number, text, field["value"], field.start("value")
                )
            continue
        line = text[:LINE_CHARS]
        start = field.start("value") if field else 0
        for match in _VALUE.finditer(line, start):
            if len(match.group()) in VALUE_CHARS:
                yield _Line(position, number, line, match.group(), match.start())
