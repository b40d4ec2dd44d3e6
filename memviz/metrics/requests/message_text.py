"""The text of messages for metrics, and a picture of a request beside the messages that were said before it.

- :func:`read_message` is the text in which facts and words are looked for: the content, and the arguments of calls.
- :func:`compare_said_and_sent` lays out what was said and what was sent as two rows of stretches of tokens, which pages
  and lessons draw below each other.
"""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from memviz.core.context import Block, Fate
from memviz.core.messages import Message, ToolCall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run

Looks = Literal[
    "system",
    "summary",
    "history",
    "recalled",
    "input",
    "tools",
    "names",
    "overhead",
    "cleared",
    "shortened",
    "opaque",
    "dropped",
]
"""The kinds of stretches: the part of the request that a stretch belongs to, or what became of a message."""
OF_FATE: dict[Fate, Looks] = {
    Fate.VERBATIM: "history",
    Fate.SUMMARIZED: "summary",
    Fate.RECALLED: "recalled",
    Fate.CLEARED: "cleared",
    Fate.SHORTENED: "shortened",
    Fate.OPAQUE: "opaque",
    Fate.DROPPED: "dropped",
}
CACHED_ARGUMENT_CHARS = 2_000
"""The most characters of arguments that are cached when they are read: longer ones are few and would fill memory."""
NOTES = ("summary", "opaque")
"""The kinds of stretches that replace messages."""
SPLIT = ("history", "input", "recalled")
"""The kinds of blocks whose messages are each drawn as a stretch of their own."""


def list_asked_calls(record: TurnRecord) -> list[ToolCall]:
    """Return the calls of tools in the reply to a request.

    Recalls that a live model asks for are not among them, because the log does not hold them.
    """
    log = record.memory.log
    start = record.log_length
    replies = log[start : log.reply_stop(start)]
    return [call for message in replies for call in message.tool_calls]


class ArgumentValue(NamedTuple):
    """One scalar of a call's arguments. ``name`` is its path, such as ``flights.0.date``."""

    name: str
    value: str | int | float | bool | None


def list_argument_values(call: ToolCall) -> list[ArgumentValue]:
    """Return all scalars in the arguments of ``call``, nested ones too; the whole text where it is no JSON."""
    if len(call.arguments) > CACHED_ARGUMENT_CHARS:
        return list(_read_arguments.__wrapped__(call.arguments))
    return list(_read_arguments(call.arguments))


@lru_cache(maxsize=4_096)
def _read_arguments(arguments: str) -> tuple[ArgumentValue, ...]:
    # Cached, because the same log is read again for each setting.
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return (ArgumentValue("", arguments),)
    return tuple(_list_scalars(value))


def read_message(message: Message) -> str:
    """Return the text of a message: its content, and a line for each value in the arguments of its tool calls.

    Arguments are decoded from JSON, so that no word is missed because a character in it is escaped.
    """
    if not message.tool_calls:
        return message.content
    lines = [message.content]
    for call in message.tool_calls:
        lines += [str(item.value) for item in list_argument_values(call)]
    return "\n".join(lines)


def _list_scalars(value: Any) -> Iterator[ArgumentValue]:
    """Yield all scalars in a value decoded from JSON, in their order."""
    # Without recursion, because a model may nest its arguments deeply.
    waiting = [("", value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            items = [(str(key), item) for key, item in value.items()]
        elif isinstance(value, list):
            items = [(str(at), item) for at, item in enumerate(value)]
        else:
            yield ArgumentValue(name, value)
            continue
        # Reversed, because the last item that waits is taken first.
        for key, item in reversed(items):
            waiting.append((f"{name}.{key}" if name else key, item))


class Stretch(NamedTuple):
    """A stretch of tokens that is drawn in one way."""

    looks: Looks
    start: int
    """The number of tokens before this stretch."""
    tokens: int
    position: int | None = None
    """The log position of the message; ``None`` where it is no message of the log."""


class SaidAndSent(NamedTuple):
    """The messages that were said before a request, with what became of each, and what the request sent."""

    run: Run
    record: TurnRecord
    said: tuple[Stretch, ...]
    sent: tuple[Stretch, ...]

    @property
    def said_tokens(self) -> int:
        """Tokens of the contents of all messages that were said."""
        return sum(stretch.tokens for stretch in self.said)

    @property
    def folded(self) -> tuple[range, range] | None:
        """The range of tokens said that summaries replace, and the range of tokens sent that these summaries take."""
        replaced = [stretch for stretch in self.said if stretch.looks in NOTES]
        summaries = [stretch for stretch in self.sent if stretch.looks in NOTES]
        if not replaced or not summaries:
            return None
        return _span_tokens(replaced), _span_tokens(summaries)


def compare_said_and_sent(run: Run, record: TurnRecord) -> SaidAndSent:
    """Return what was said before the request ``record`` of ``run``, and what this request sent."""
    said = tuple(_lay_out(_list_said(run, record)))
    return SaidAndSent(run, record, said, tuple(_lay_out(_list_sent(record))))


def find_telling_request(run: Run) -> TurnRecord:
    """Return the request that shows best what the strategy does: the last one with a compaction, or else the last."""
    for record in reversed(run.requests):
        if any(compaction.error is None for compaction in record.compactions):
            return record
    return run.requests[-1]


def _span_tokens(stretches: Sequence[Stretch]) -> range:
    last = stretches[-1]
    return range(stretches[0].start, last.start + last.tokens)


Unplaced = tuple[Looks, int, int | None]


def _lay_out(parts: Iterator[Unplaced]) -> Iterator[Stretch]:
    start = 0
    for looks, tokens, position in parts:
        if tokens:
            yield Stretch(looks, start, tokens, position)
            start += tokens


def _list_said(run: Run, record: TurnRecord) -> Iterator[Unplaced]:
    sums = record.memory.sums
    for position, fate in enumerate(run.fates_at(record)[: record.memory.length]):
        tokens = sums.between(position, position + 1)
        yield OF_FATE[Fate(fate)], tokens, position


def _list_sent(record: TurnRecord) -> Iterator[Unplaced]:
    for block in record.context.blocks:
        if block.kind != "tools":
            yield from _list_block(record, block)
    for kind in ("tools", "names", "overhead"):
        yield kind, record.tokens.get(kind, 0), None


def _list_block(record: TurnRecord, block: Block) -> Iterator[Unplaced]:
    looks: Looks = block.kind
    if block.kind not in SPLIT or len(block.indices) != len(block.messages):
        yield looks, block.tokens, None
        return
    log = record.memory.log
    count = record.memory.sums.counter
    for position, message in zip(block.indices, block.messages, strict=True):
        is_whole = message.content == log[position].content
        yield looks if is_whole else "cleared", count(message.content), position
