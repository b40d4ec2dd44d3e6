"""Tool calls without labels: values that a tool returned and that a later reply, or the arguments of a later call,
used; and arguments that the conversation had given before, whether they were still in the context at the call.

Nobody has to say that such a value is a fact: the log itself shows that the model needed it. Where it is no longer
sent between the two, the model could not have known it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.text.containment import PhraseIndex, contains, normal_tokens
from memviz.core.text.sentences import json_facts
from memviz.core.text.terms import IS_UNSPACED
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import argument_values, readable
from memviz.metrics.requests.request_table import (
    OtherWords,
    recalled_ranges,
    verbatim_ranges,
    versions_of,
)
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.probe_texts import Counts, ProbeTexts, in_any
from memviz.transcripts.base import Probe

LINE_CHARS = 240
MOST_LINES = 2_000
"""Of one result. What is further down is seldom what a reply rests on, and would have to be read at each redraw."""
VALUE_CHARS = range(3, 61)
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
    """Return the values of tool results that no message before contains and that a later reply or call of the assistant
    uses, in order; of equal values the first."""
    candidates = _new_values(log)
    if not candidates:
        return []
    answers = [one.answer for one in candidates]
    matches = PhraseIndex(answers).find([readable(message) for message in log])
    bounds = np.searchsorted(matches.phrases, np.arange(len(answers) + 1))
    found = []
    for line, (start, stop) in zip(candidates, pairwise(bounds), strict=True):
        first, *later = np.unique(matches.texts[start:stop]).tolist() or [-1]
        uses = [at for at in later if log[at].role == "assistant"]
        if first != line.position or not uses:
            continue
        question = _question(log, line)
        if not contains(question, line.answer):
            weight = _weight(log, line, uses)
            what = (line.position, question, line.answer)
            found.append(ToolFact(*what, uses[0], weight))
    return found


def count_unmeasured_results(log: Log, probes: Sequence[Probe]) -> int:
    """Return the number of tool results of ``log`` if there are ``probes`` and none of them comes from one; else 0.

    What is lost with these results shows in no measure that rests on the probes.
    """
    results = {*log.tools.results}
    if not probes or any(not results.isdisjoint(probe.evidence) for probe in probes):
        return 0
    return len(results)


def _weight(log: Log, line: _Line, uses: Sequence[int]) -> float:
    later = range(line.position + 1, len(log))
    following = next(at for at in later if log[at].role == "assistant")
    weight = USED_AT_ONCE if uses[-1] == following else USED_BY_A_REPLY
    if any(_uses_in_a_call(log[at], line.answer) for at in uses):
        weight += USED_BY_A_CALL
    if log.turn_number(uses[-1]) > log.turn_number(line.position):
        weight += USED_IN_A_LATER_TURN
    return weight


def _uses_in_a_call(message: Message, answer: str) -> bool:
    if not message.tool_calls:
        return False
    arguments = readable(message).removeprefix(message.content)
    return contains(arguments, answer)


def _question(log: Log, line: _Line) -> str:
    """Return the line of the result with its value blanked, and which result it is."""
    tool = log.answered_tool(line.position) or log[line.position].name or "a tool"
    spelled = re.compile(re.escape(line.answer).replace("_", "[_ ]"))
    before = spelled.sub("___", line.text[: line.start])
    after = line.text[line.start + len(line.answer) :]
    place = f"({tool}, message {line.position + 1}, line {line.number})"
    return f"{before}___{after} {place}"


def _new_values(log: Log) -> list[_Line]:
    """Return every value of a tool result, at its first place, all of whose words some reply has."""
    results = [
        position
        for position, message in enumerate(log)
        if message.role == "tool" and not message.is_recall_exchange
    ]
    # Else all replies would be read for nothing.
    if not results:
        return []
    said: set[str] = set()
    for message in log:
        if message.role == "assistant":
            said.update(normal_tokens(readable(message)))
    first: dict[tuple[str, ...], _Line] = {}
    for position in results:
        for line in _values_of(position, log[position].content):
            tokens = normal_tokens(line.answer)
            if tokens and said.issuperset(tokens):
                first.setdefault(tokens, line)
    return list(first.values())


def _values_of(position: int, content: str) -> Iterator[_Line]:
    fields = json_facts(content) if content.lstrip().startswith(("{", "[")) else []
    lines = fields or content.splitlines()
    for number, text in enumerate(lines[:MOST_LINES], start=1):
        start = 0
        field = _FIELD.fullmatch(text) if fields else None
        if field:
            start = field.start("value")
            value = field["value"]
            if _NAME.fullmatch(value) and len(value) in VALUE_CHARS:
                if value not in ("True", "False"):
                    yield _Line(position, number, text, value, start)
                continue
        line = text[:LINE_CHARS]
        for match in _VALUE.finditer(line, start):
            if len(match.group()) in VALUE_CHARS:
                yield _Line(position, number, line, match.group(), match.start())


LEAST_CHARS = 3
"""Shorter values are trivial, and so are true, false and null. Two characters of an unspaced script are enough."""


class NeededArgument(NamedTuple):
    """One argument value of one call. ``position`` is that of the calling message and ``last_seen`` that of the last
    message before it that contains the value (log positions); ``name`` is the argument's path. ``request`` is the
    number (0-based) of the request that the call answers, and ``source`` where the value stood in it, LOST if nowhere;
    what the same reply said before the call is VERBATIM."""

    position: int
    turn: int
    tool: str
    name: str
    value: str
    last_seen: int
    source: Knowledge
    request: int = -1

    @property
    def in_context(self) -> bool:
        """True where the model was sent the value."""
        return self.source != Knowledge.LOST


@dataclass(frozen=True, slots=True)
class ToolArgumentRecall:
    """All needed arguments of a run, in order."""

    arguments: tuple[NeededArgument, ...] = field(default=(), repr=False)

    @property
    def share(self) -> float | None:
        """Share of them that were in the context (0 to 1); ``None`` where none was needed."""
        if not self.arguments:
            return None
        sent = sum(argument.in_context for argument in self.arguments)
        return sent / len(self.arguments)


def tool_argument_recall(run: Run) -> ToolArgumentRecall:
    """Return the arguments of all tool calls of ``run`` whose values an earlier message contains: its content, the
    arguments of its own calls, or its result.

    Left out: trivial values (see :data:`LEAST_CHARS`), the calls of memviz's own recall tool, and calls before the
    first request. In the context of a call is what the request that it answers held, and what the reply said since.
    """
    used = list(_used_arguments(run.log))
    values = list(dict.fromkeys(argument.value for argument in used))
    probes = [Probe(value, (value,), (), "single fact") for value in values]
    texts = ProbeTexts(run.log, probes, any_mention=True)
    sources = _Sources(run, texts)
    column_of = {value: column for column, value in enumerate(values)}
    lengths = [record.log_length for record in run.requests]
    found = []
    for argument in used:
        column = column_of[argument.value]
        position = argument.position
        counts = texts.counts.answers[:, column]
        request = bisect_right(lengths, position) - 1
        if request < 0 or not counts[position]:
            continue
        source = Knowledge.VERBATIM
        if counts[position] == counts[lengths[request]]:
            source = sources.of(run.requests[request], column)
        last_seen = int(np.searchsorted(counts, counts[position])) - 1
        found.append(
            argument._replace(last_seen=last_seen, source=source, request=request)
        )
    return ToolArgumentRecall(tuple(found))


class _Sources:
    """The places of values in requests. Asked for one request and value at a time: most of the matrix [requests x
    values], which :func:`memviz.metrics.retention.retention.retention` gives, would be of no use, and it is large."""

    def __init__(self, run: Run, texts: ProbeTexts) -> None:
        self._texts = texts
        self._summaries = run.space.summaries
        prompts = texts.in_messages(run.space.system_messages)
        self._in_system = in_any(prompts.answers)
        self._in_version = texts.in_versions(self._summaries).answers
        self._words = OtherWords(run.space)
        self._in_words = np.zeros((0, len(texts.probes)), bool)

    def of(self, record: TurnRecord, column: int) -> Knowledge:
        """Return the highest place of the value number ``column``; LOST where it is nowhere."""
        besides = self._words.of(record.parts)
        self._read_words()
        versions = versions_of(record.parts, self._summaries)
        said = self._texts.counts.answers[:, column]
        in_words = self._in_words[:, column]
        if _is_in(said, verbatim_ranges(record)):
            return Knowledge.VERBATIM
        if any(in_words[part.start : part.stop].any() for part in besides.in_messages):
            return Knowledge.VERBATIM
        if _is_in(said, recalled_ranges(record)):
            return Knowledge.RECALLED
        if self._in_version[versions, column].any():
            return Knowledge.SUMMARY
        if self._in_system[column]:
            return Knowledge.SYSTEM
        if any(in_words[part.start : part.stop].any() for part in besides.in_system):
            return Knowledge.SYSTEM
        return Knowledge.LOST

    def _read_words(self) -> None:
        """Look the values up in the lines, and in what is left of messages, that came since."""
        fresh = self._words.messages[len(self._in_words) :]
        if fresh:
            held = self._texts.in_messages(fresh).answers
            self._in_words = np.concatenate((self._in_words, held))


def _is_in(counts: Counts, ranges: Iterable[range]) -> bool:
    return any(counts[part.stop] > counts[part.start] for part in ranges)


def _used_arguments(log: Log) -> Iterator[NeededArgument]:
    """Yield all values that calls use, whether they were said before or not; each once for a call and argument."""
    for position in log.tools.callers:
        message = log[position]
        if message.is_recall_exchange:
            continue
        turn = log.turn_number(position)
        for call in message.tool_calls:
            for name, value in argument_values(call):
                if not _is_trivial(value):
                    yield NeededArgument(
                        position, turn, call.name, name, str(value), -1, Knowledge.LOST
                    )


def _is_trivial(value: str | int | float | bool | None) -> bool:
    if value is None or isinstance(value, bool):
        return True
    tokens = normal_tokens(str(value))
    if tokens and all(map(IS_UNSPACED.match, tokens)):
        return len(tokens) < LEAST_CHARS - 1
    return sum(map(str.isalnum, str(value))) < LEAST_CHARS
