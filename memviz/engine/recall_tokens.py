"""Counts the tokens that a recall adds to a request, and predicts what the next request sends word for word.

The Chat page shows both beside the messages that can be recalled, before the user types. The next message moves the
memory on: a window slides by it, and it may make a summary due. Its length is unknown, so two messages are tried: the
shortest, and one as long as the strategy's whole budget. What both agree on holds for any message.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.engine.assembly import assemble, split_input
from memviz.engine.part_tokens import count_tokens_by_part, find_whole_ranges
from memviz.engine.parts import Parts
from memviz.engine.recall import Recall, resolve_recalls
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.strategies.base import Move, Trigger
from memviz.strategies.library import LibraryStrategy


def count_added_tokens(run: Run, record: TurnRecord, recall: Recall) -> int:
    """Return the tokens that ``recall`` would add to the request of ``record`` in ``run``.

    Messages that are sent word for word already, or recalled, add nothing. Recalls change
    no summary, so nothing else changes."""
    memory = record.memory
    parts = record.parts
    earlier_recalls = record.recalled.asked if record.recalled is not None else ()
    recalls = (*earlier_recalls, recall)
    bounds = [memory.before_open_turn] * len(recalls)
    recalled = resolve_recalls(
        run.log, recalls, bounds, run.strategy.recall_limit_messages
    )
    new = assemble(memory, parts.pieces, recalled.indices)
    more = parts.with_recalled({*parts.recalled, *new.recalled})
    history = [piece for piece in more.pieces if more.kind_of(piece) != "input"]
    asked = split_input(parts.input, parts.asked, recalled.indices)
    more = more._replace(pieces=(*history, *asked))
    return _count_tokens(record, more) - _count_tokens(record, parts)


def count_recalled_tokens(record: TurnRecord) -> int:
    """Return the tokens of the recalled messages in the request, with the overhead that the
    chat format adds to each."""
    without = record.parts.with_recalled(())
    return _count_tokens(record, record.parts) - _count_tokens(record, without)


def _count_tokens(record: TurnRecord, parts: Parts) -> int:
    return sum(count_tokens_by_part(record.memory, parts).values())


def find_stating_turns(log: Log, positions: Iterable[int]) -> tuple[int, ...]:
    """Return the turns of the messages at these positions, each once and in order. The system prompt belongs to
    none."""
    history = [position for position in positions if position >= log.system_stop]
    return tuple(sorted({log.turn_number(position) for position in history}))


class NextHistory(NamedTuple):
    """The log positions that are sent word for word with the user's next message."""

    any_message: frozenset[int]
    """Those that are sent whatever the length of the message."""
    short_one: frozenset[int]
    """Those that are sent with some message, such as a short one."""


def predict_next_history(session: Session) -> NextHistory:
    """Predict which messages the next request sends word for word.

    If the user reviews summarizations, one that is due may be skipped, so both outcomes are tried. A library's strategy
    may take out anything that it sent before.
    """
    short = long = _list_possible_histories(session, "")
    if isinstance(session.strategy, LibraryStrategy):
        # Nobody knows what it will keep.
        return NextHistory(frozenset(), frozenset.union(*short))
    limit = session.strategy.budget_tokens
    fill = session.strategy.fill(session.memory)
    if limit is None and fill is not None and fill.unit == "tokens":
        limit = fill.limit
    if limit is not None:
        long = _list_possible_histories(session, "long " * limit)
    return NextHistory(frozenset.intersection(*short, *long), frozenset.union(*short))


def _list_possible_histories(session: Session, text: str) -> list[frozenset[int]]:
    """Return the positions that are sent word for word with ``text`` as the next message, for each possible outcome of
    the summarization that it makes due."""
    memory = session.memory
    positions = memory.input
    # A question without an answer is sent with the next one.
    log = session.log.prefix(positions.start if positions else len(session.log))
    log.append(Message("user", text))
    space = replace(memory.space, log=log, sums=log.token_sums(session.counter))
    cursor = min(memory.cursor, len(log))
    memory = memory._replace(space=space, length=len(log), cursor=cursor)
    unsummarized = _carry_out_plans(session, memory, writes=False)
    if not session.may_summarize:
        return [_find_whole_messages(session, unsummarized)]
    summarized = _carry_out_plans(session, memory, writes=True)
    if summarized.state == unsummarized.state:
        return [_find_whole_messages(session, unsummarized)]
    if session.review:
        return [
            _find_whole_messages(session, summarized),
            _find_whole_messages(session, unsummarized),
        ]
    return [_find_whole_messages(session, summarized)]


def _carry_out_plans(session: Session, memory: Memory, *, writes: bool) -> Memory:
    """Return the memory after all effects that are due. Without ``writes`` it stops before the first that needs a
    summarizer; with it a summary only takes its messages out, as its text is unknown."""
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


def _find_whole_messages(session: Session, memory: Memory) -> frozenset[int]:
    parts = assemble(memory, session.strategy.select(memory))
    sent_whole = set(range(memory.history_start))
    for positions in find_whole_ranges(memory.space, parts):
        sent_whole.update(positions)
    return frozenset(sent_whole.difference(parts.input))
