"""What the request of the next message will hold word for word, before that message is typed.

The message itself moves the memory on: a window slides by it, and it may be what makes a summary due. Its length is
unknown, so two messages are tried: the shortest, and one as long as the strategy's whole budget. What both agree on
holds for any message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memviz.core.conversation import Message
from memviz.core.memory import Memory
from memviz.engine.assembly import assemble, whole
from memviz.engine.session import Session
from memviz.strategies.base import Move, Trigger


class NextHistory(NamedTuple):
    """Positions that are sent word for word with ``any_message``, and those that are with a ``short_one`` at least."""

    any_message: frozenset[int]
    short_one: frozenset[int]


def next_history(session: Session) -> NextHistory:
    """What the request after the next message of the user will hold of the log, word for word. A summarization that
    the user will be asked about may be skipped, and one that failed may wait; then both are possible."""
    short = _held(session, "")
    budget = session.strategy.budget_tokens
    long = short if budget is None else _held(session, "long " * budget)
    return NextHistory(frozenset.intersection(*short, *long), frozenset.union(*short))


def _held(session: Session, text: str) -> list[frozenset[int]]:
    """The positions that are sent word for word with ``text`` as the next message: with the summary that it makes due,
    and without where that is possible."""
    log = session.log.prefix(len(session.log))
    if session.memory.input:
        log = log.prefix(
            session.memory.input.start
        )  # a question without an answer is sent with the next one
    log.append(Message("user", text))
    space = replace(session.memory.space, log=log, sums=log.token_sums(session.counter))
    cursor = min(session.memory.cursor, len(log))
    memory = session.memory._replace(space=space, length=len(log), cursor=cursor)
    left = _after_plans(session, memory, writes=False)
    if not session.may_summarize:
        return [_positions(session, left)]
    settled = _after_plans(session, memory, writes=True)
    if settled.state == left.state:
        return [_positions(session, left)]
    done = _positions(session, settled)
    return [done, _positions(session, left)] if session.review else [done]


def _after_plans(session: Session, memory: Memory, *, writes: bool) -> Memory:
    """The memory when everything that is due is done, with or without what a summarizer has to write; of that only
    the place counts that it frees."""
    strategy, state = session.strategy, None
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
    verbatim = (range(memory.history_start), *whole(memory.space, parts))
    return frozenset(
        position
        for part in verbatim
        for position in part
        if position not in parts.input
    )
