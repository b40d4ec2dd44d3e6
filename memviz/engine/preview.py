"""What the request of the next message will hold word for word, before that message is typed.

The message itself moves the memory on: a window slides by it, and it may be what makes a summary due. Its length is
unknown, so two messages are tried: the shortest, and one as long as the strategy's whole budget. What both agree on
holds for any message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memviz.conversation import Message
from memviz.engine.assembly import assemble
from memviz.engine.session import Session
from memviz.memory import Memory
from memviz.strategies.base import Trigger


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
    strategy, log = session.strategy, session.log.prefix(len(session.log))
    if session.memory.input:
        log = log.prefix(session.memory.input.start)  # a question without an answer is sent with the next one
    log.append(Message("user", text))
    space = replace(session.memory.space, log=log, sums=log.token_sums(session.counter))
    memory = Memory(space, len(log), session.memory.summary_count, min(session.memory.cursor, len(log)))
    plan = strategy.plan_compaction(memory) if strategy.trigger in (Trigger.MESSAGE, Trigger.REQUEST) else None
    if plan is None or not session.may_summarize:
        return [_positions(session, memory)]
    done = _positions(session, memory._replace(cursor=plan.keep_from))
    return [done, _positions(session, memory)] if session.review else [done]


def _positions(session: Session, memory: Memory) -> frozenset[int]:
    parts = assemble(memory, session.strategy.select(memory))
    verbatim = (range(memory.history_start), *parts.history)
    return frozenset(position for part in verbatim for position in part)
