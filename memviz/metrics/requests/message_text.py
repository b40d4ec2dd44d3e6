"""Messages as one reads them, and one request beside all that was said until then.

Reading shows all that can be known of a message by its text and the tools that it calls.
Said and sent are both stretches of tokens: what a strategy makes of a conversation.
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
"""The kinds of stretches, in the words of a request's parts; a message that was said is what became of it."""
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
"""Arguments of more characters are read anew each time: they are few and large."""
NOTES = ("summary", "opaque")
"""What stands for messages."""
SPLIT = ("history", "input", "recalled")
"""Blocks that are messages of the log, each drawn by itself."""


def list_asked_calls(record: TurnRecord) -> list[ToolCall]:
    """Return the calls of tools in the reply to a request, as far as the log has them: what a live model recalls by
    itself is in none."""
    log = record.memory.log
    start = record.log_length
    replies = log[start : log.reply_stop(start)]
    return [call for message in replies for call in message.tool_calls]


class ArgumentValue(NamedTuple):
    """One scalar of a call's arguments. ``name`` is its path, such as ``flights.0.date``."""

    name: str
    value: str | int | float | bool | None


def list_argument_values(call: ToolCall) -> list[ArgumentValue]:
    """Return the scalars in the arguments of ``call``, nested ones too; its whole text where that is no JSON."""
    if len(call.arguments) > CACHED_ARGUMENT_CHARS:
        return list(_read_arguments.__wrapped__(call.arguments))
    return list(_read_arguments(call.arguments))


@lru_cache(maxsize=4_096)
def _read_arguments(arguments: str) -> tuple[ArgumentValue, ...]:
    # All messages of a log are read again for each setting that is looked at.
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return (ArgumentValue("", arguments),)
    return tuple(_list_scalars(value))


def read_message(message: Message) -> str:
    """Return the content, and one line for each value in the arguments of its tool calls.

    Arguments are read as JSON, so that an escaped character or line break does not hide a word.
    """
    if not message.tool_calls:
        return message.content
    lines = [message.content]
    for call in message.tool_calls:
        lines += [str(item.value) for item in list_argument_values(call)]
    return "\n".join(lines)


def _list_scalars(value: Any) -> Iterator[ArgumentValue]:
    """Yield all scalars without recursion: what a model writes may be nested deeply."""
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
        # In reverse, since the last one that waits is taken first.
        for key, item in reversed(items):
            waiting.append((f"{name}.{key}" if name else key, item))


class Stretch(NamedTuple):
    """A part of a request, drawn in one way."""

    looks: Looks
    start: int
    """Tokens of the request before this part."""
    tokens: int
    position: int | None = None
    """The log position of the message; ``None`` where it is none of the log."""


class SaidAndSent(NamedTuple):
    """A request of a run: the messages ``said`` before it, with what became of them, and what was ``sent``."""

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
        """The range of the tokens that were said which a summary stands for, and its range of those sent."""
        replaced = [line for line in self.said if line.looks in NOTES]
        notes = [line for line in self.sent if line.looks in NOTES]
        if not replaced or not notes:
            return None
        return _span_tokens(replaced), _span_tokens(notes)


def compare_said_and_sent(run: Run, record: TurnRecord) -> SaidAndSent:
    """Return the request of ``record``, one of ``run``, beside all that was said before it."""
    said = tuple(_lay_out(_list_said(run, record)))
    return SaidAndSent(run, record, said, tuple(_lay_out(_list_sent(record))))


def find_telling_request(run: Run) -> TurnRecord:
    """Return the request that shows best what the strategy does: the last one that something was changed for, such as
    by a summarization; where nothing ever was, the last one."""
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
