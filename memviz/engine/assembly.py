"""From a strategy's selection to the exact request: ranges, token parts, blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memviz.context import BLOCK_ORDER, TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST, Block, BlockKind, Context
from memviz.conversation import Message
from memviz.counters import Counter
from memviz.memory import Memory
from memviz.models.tools import TOOLS
from memviz.strategies.base import Selection


class Parts(NamedTuple):
    """One request as ranges: versions of summaries (0-based), log positions of history, of what is
    recalled and of the input (empty when the log ends with the assistant), the names of the tools
    offered, and the log positions of the recalls that the model made behind the input."""

    summaries: range
    history: tuple[range, ...]
    recalled: tuple[int, ...] = ()
    input: range = range(0)
    tools: tuple[str, ...] = ()
    exchange: range = range(0)

    @property
    def one_range(self) -> tuple[int, int] | None:
        """Where history and input start and stop, if they are one range and no other message of the log is sent."""
        _, history, recalled, question, tools, exchange = self
        if not question or recalled or tools or exchange:
            return None
        if not history:
            return question.start, question.stop
        return (history[0].start, question.stop) if len(history) == 1 and history[0].stop == question.start else None


def assemble(memory: Memory, selection: Selection, recalled: Sequence[int] = ()) -> Parts:
    """The parts of the request for ``memory``. The input is always one of them, and nothing is sent twice.

    Rule 2 of all strategies: the user's message, or the results of the call that is open, is never swallowed.
    """
    asked = memory.input
    stop = asked.start if asked else memory.length
    history = tuple([range(part.start, min(part.stop, stop)) for part in selection.history if part.start < stop])
    if not recalled:
        return Parts(selection.summaries, history, (), asked)
    leading = memory.history_start
    fresh = tuple(p for p in recalled if p >= leading and p not in asked and not any(p in part for part in history))
    return Parts(selection.summaries, history, fresh, asked)


@lru_cache(maxsize=64)
def schema_tokens(counter: Counter, tools: tuple[str, ...]) -> int:
    """Tokens of the schemas of these tools."""
    return sum(counter(TOOLS[name].text) for name in tools)


def message_tokens(counter: Counter, message: Message) -> int:
    """Tokens of a message: its content, the name of its speaker, and the names and arguments of its tool calls."""
    calls = sum(counter(call.name) + counter(call.arguments) for call in message.tool_calls)
    return counter(message.content) + calls + (counter(message.name) if message.name else 0)


def count(memory: Memory, parts: Parts, thoughts: Sequence[Message] = ()) -> dict[str, int]:
    """Tokens of each part of a request: content by block, the chat format's overhead, under ``names`` those of all who
    speak, and under ``tools`` the schemas offered, all tool calls, and what was said behind the input."""
    space = memory.space
    totals, call_totals, name_totals = space.sums.totals, space.sums.call_totals, space.sums.name_totals
    history = messages = names = 0
    calls = space.tool_tokens
    for part in parts.history:
        history += totals[part.stop] - totals[part.start]
        calls += call_totals[part.stop] - call_totals[part.start]
        messages += part.stop - part.start
    recalled = 0
    for position in parts.recalled:
        recalled += totals[position + 1] - totals[position]
        calls += call_totals[position + 1] - call_totals[position]
    question = totals[parts.input.stop] - totals[parts.input.start]
    messages += len(parts.input)
    summary = space.summaries.tokens(parts.summaries.start, parts.summaries.stop)
    messages += len(parts.recalled) + bool(parts.summaries) + space.system_count
    if parts.tools or parts.exchange or thoughts:
        behind = parts.exchange
        calls += schema_tokens(space.sums.counter, parts.tools)
        calls += sum(message_tokens(space.sums.counter, message) for message in thoughts)
        if behind:
            calls += totals[behind.stop] - totals[behind.start] + call_totals[behind.stop] - call_totals[behind.start]
        messages += len(behind) + len(thoughts)
    tokens = {
        "system": space.system_tokens,
        "summary": summary,
        "recalled": recalled,
        "history": history,
        "input": question,
        "overhead": TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST,
    }
    if calls:
        tokens["tools"] = calls
    if name_totals[-1]:  # nearly all logs name nobody
        sent = (range(space.system_stop), *parts.history, *map(_alone, parts.recalled), parts.input, parts.exchange)
        names = sum(name_totals[part.stop] - name_totals[part.start] for part in sent)
    if names:
        tokens["names"] = names
    return tokens


def _alone(position: int) -> range:
    return range(position, position + 1)


def build_context(memory: Memory, parts: Parts, tokens: dict[str, int], thoughts: tuple[Message, ...] = ()) -> Context:
    """Materialize a request: its blocks with their messages. ``thoughts`` stand behind the input."""
    blocks = _blocks(memory, parts, tokens, thoughts)
    return Context(tuple(sorted(blocks, key=lambda block: BLOCK_ORDER.index(block.kind))))


def _blocks(memory: Memory, parts: Parts, tokens: dict[str, int], thoughts: tuple[Message, ...]) -> Iterator[Block]:
    space = memory.space
    if space.system_count:
        yield Block("system", space.system_messages, tuple(range(space.system_stop)), tokens["system"])
    if parts.summaries:
        start, stop = parts.summaries.start, parts.summaries.stop
        covered = tuple(p for positions in space.summaries.covered(start, stop) for p in positions)
        yield Block("summary", (Message("system", space.summaries.text(start, stop)),), covered, tokens["summary"])
    history = tuple(p for positions in parts.history for p in positions)
    kinds: tuple[tuple[BlockKind, tuple[int, ...]], ...] = (
        ("history", history),
        ("recalled", parts.recalled),
        ("input", tuple(parts.input)),
    )
    for kind, positions in kinds:
        if positions:
            yield Block(kind, tuple(space.log[p] for p in positions), positions, tokens[kind])
    if parts.tools or parts.exchange or thoughts:
        said = thoughts + tuple(space.log[p] for p in parts.exchange)
        yield Block("tools", said, tuple(parts.exchange), tokens.get("tools", 0))
