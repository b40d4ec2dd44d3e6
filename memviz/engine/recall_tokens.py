"""The tokens that a recall adds to a request, worked out before anybody asks for it: to one that was sent, and to
the next one before its message is typed.

The next message itself moves the memory on: a window slides by it, and it may be what makes a summary due. Its length
is unknown, so two messages are tried: the shortest, and one as long as the strategy's whole budget. What both agree on
holds for any message.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.engine.assembly import assemble, input_pieces
from memviz.engine.part_tokens import tokens_by_part, whole_ranges
from memviz.engine.parts import Parts
from memviz.engine.recall import Recall, resolve
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.strategies.base import Move, Trigger
from memviz.strategies.library import LibraryStrategy


def added_tokens(run: Run, record: TurnRecord, recall: Recall) -> int:
    """Return the tokens that ``recall`` would add to the request of ``record`` in ``run``.

    Messages that are sent word for word already, or recalled, add nothing. Recalls change
    no summary, so nothing else changes."""
    memory = record.memory
    parts = record.parts
    earlier_recalls = record.recalled.asked if record.recalled is not None else ()
    recalls = (*earlier_recalls, recall)
    bounds = [memory.before_open_turn] * len(recalls)
    recalled = resolve(run.log, recalls, bounds, run.strategy.recall_limit_messages)
    new = assemble(memory, parts.pieces, recalled.indices)
    more = parts.with_recalled({*parts.recalled, *new.recalled})
    history = [piece for piece in more.pieces if more.kind_of(piece) != "input"]
    asked = input_pieces(parts.input, parts.asked, recalled.indices)
    more = more._replace(pieces=(*history, *asked))
    return _tokens(record, more) - _tokens(record, parts)


def recalled_tokens(record: TurnRecord) -> int:
    """Return the tokens of the recalled messages in the request, with the overhead that the
    chat format adds to each."""
    without = record.parts.with_recalled(())
    return _tokens(record, record.parts) - _tokens(record, without)


def _tokens(record: TurnRecord, parts: Parts) -> int:
    return sum(tokens_by_part(record.memory, parts).values())


def stating_turns(log: Log, positions: Iterable[int]) -> tuple[int, ...]:
    """The turns of the messages at these positions, each once and in order; those of the system prompt are in every
    request anyway."""
    history = [position for position in positions if position >= log.system_stop]
    return tuple(sorted({log.turn_number(position) for position in history}))


class NextHistory(NamedTuple):
    """The positions of the messages that are sent word for word with the user's next message."""

    any_message: frozenset[int]
    """With any message, however long."""
    short_one: frozenset[int]
    """With a short one at least."""


def next_history(session: Session) -> NextHistory:
    """The messages that the request after the user's next message will hold word for word. A summarization that
    the user will be asked about may be skipped, and one that failed may wait; then both are possible. A library may
    take out whatever it sent before."""
    short = long = _positions_sent(session, "")
    if isinstance(session.strategy, LibraryStrategy):
        # Nobody knows what it will keep.
        return NextHistory(frozenset(), frozenset.union(*short))
    limit = session.strategy.budget_tokens
    fill = session.strategy.fill(session.memory)
    if limit is None and fill is not None and fill.unit == "tokens":
        limit = fill.limit
    if limit is not None:
        long = _positions_sent(session, "long " * limit)
    return NextHistory(frozenset.intersection(*short, *long), frozenset.union(*short))


def _positions_sent(session: Session, text: str) -> list[frozenset[int]]:
    """The positions that are sent word for word with ``text`` as the next message: with the summary that it makes due,
    and without where that is possible."""
    memory = session.memory
    positions = memory.input
    # A question without an answer is sent with the next one.
    log = session.log.prefix(positions.start if positions else len(session.log))
    log.append(Message("user", text))
    space = replace(memory.space, log=log, sums=log.token_sums(session.counter))
    cursor = min(memory.cursor, len(log))
    memory = memory._replace(space=space, length=len(log), cursor=cursor)
    unsummarized = _after_plans(session, memory, writes=False)
    if not session.may_summarize:
        return [_positions(session, unsummarized)]
    summarized = _after_plans(session, memory, writes=True)
    if summarized.state == unsummarized.state:
        return [_positions(session, unsummarized)]
    if session.review:
        return [_positions(session, summarized), _positions(session, unsummarized)]
    return [_positions(session, summarized)]


def _after_plans(session: Session, memory: Memory, *, writes: bool) -> Memory:
    """The memory when everything that is due is done, with or without what a summarizer has to write; of that only
    the place counts that it frees."""
    strategy = session.strategy
    state = None
    if strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return memory
    while state != memory.state:
        state = memory.state
        for effect in strategy.plan(memory):
            if isinstance(effect, Move):
                memory = memory.moved(effect.mark, effect.to)
            elif writes:
                memory = memory._replace(cursor=effect.keep_from)
            else:
                return memory
        if strategy.trigger is Trigger.REQUEST:
            break
    return memory


def _positions(session: Session, memory: Memory) -> frozenset[int]:
    parts = assemble(memory, session.strategy.select(memory))
    sent_whole = set(range(memory.history_start))
    for positions in whole_ranges(memory.space, parts):
        sent_whole.update(positions)
    return frozenset(sent_whole.difference(parts.input))
