"""What a strategy plans is done here: marks are moved, the summarizer is asked, a failure means what the rule says.

The memory itself is replaced, and the change recorded, by the session alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from memviz.core.errors import (
    BudgetSpentError,
    ScriptExhausted,
    UnreadableAnswerError,
    UnusableSummarizerError,
)
from memviz.engine.drafts import INTERRUPTED, Draft, ask_for_draft
from memviz.models.base import Reply
from memviz.strategies.base import Effect, Move, Write

if TYPE_CHECKING:
    from memviz.engine.session import Session


class PendingSummarization(NamedTuple):
    """A summarization that is due and waits for a decision, with the drafts written for it so far. ``rest`` is what
    was planned to be done after it."""

    plan: Write
    drafts: tuple[Draft, ...] = ()
    rest: tuple[Effect, ...] = ()


def compact(session: Session, thinking_summary: Reply | None = None) -> bool:
    """Do what is due, if anything is; whether memory is another one then. A summary of the last turn that was
    ``thinking_summary`` needs no summarizer. While :attr:`Session.review` is on, a summarization that is due is made
    pending instead."""
    if session.pending is not None:
        return False
    before = session.memory.state
    is_done = do_in_order(
        session, session.strategy.plan(session.memory), thinking_summary
    )
    return is_done and session.memory.state != before


def do_in_order(
    session: Session, effects: Sequence[Effect], thinking_summary: Reply | None = None
) -> bool:
    """Carry out the effects of a plan one after the other; whether all were. What follows one that failed, or that
    waits for a decision, builds on it."""
    for number, effect in enumerate(effects, 1):
        if not _carry_out(session, effect, thinking_summary):
            if session.pending is not None:
                session.pending = session.pending._replace(rest=tuple(effects[number:]))
            return False
    return True


def _carry_out(
    session: Session, effect: Effect, thinking_summary: Reply | None = None
) -> bool:
    if isinstance(effect, Move):
        moved = session.memory.moved(effect.mark, effect.to)
        session.replace_memory(effect, moved, Draft(), kind=effect.kind)
        return True
    return _write(session, effect, thinking_summary)


def _write(session: Session, plan: Write, thinking_summary: Reply | None) -> bool:
    # The order matters: a summary that the chat model gave needs no summarizer, so neither an earlier failure nor a
    # missing summarizer stands in its way; but the user reviews it like any other. A fixed text needs none either, but
    # stands for messages that a summarizer could not read, so it waits after a failure like what is asked for.
    thought = _thought_of(session, plan, thinking_summary)
    if thought is None and not session.may_ask_now:
        return False
    if plan.text is None and thought is None and session.summarizer is None:
        return (
            _evict(session, plan, plan.reason)
            if session.strategy.drops_without_summarizer
            else False
        )
    if session.review and plan.text is None:
        session.pending = PendingSummarization(plan, (thought,) if thought else ())
        return False
    draft = (
        Draft(plan.text) if plan.text is not None else thought or _asked(session, plan)
    )
    if draft.error is not None:
        session.record_unchanged(plan, draft)
        return _after_failure(session, plan, draft.error)
    wording = session.edits.get(len(session.space.summaries) + 1)
    session.apply(plan, draft, wording=None if wording == draft.text else wording)
    return True


def _asked(session: Session, plan: Write) -> Draft:
    """What the summarizer gives. An interruption goes through, and is on record then."""
    started = perf_counter()
    try:
        return ask(session, plan)
    except ScriptExhausted:
        raise
    except BaseException as failure:  # Ctrl-C or a stopped page: recorded, since the call may have cost something
        is_said = isinstance(failure, (UnusableSummarizerError, BudgetSpentError))
        error = str(failure) if is_said else INTERRUPTED
        session.record_unchanged(
            plan, Draft(error=error, seconds=perf_counter() - started)
        )
        raise


def _thought_of(
    session: Session, plan: Write, thinking_summary: Reply | None
) -> Draft | None:
    """The chat model's own summary as a draft, if it is of the turn that the plan is about."""
    if (
        thinking_summary is None
        or session.log.turn_number(plan.summarize.start) != session.memory.turn
    ):
        return None
    return Draft(thinking_summary.text, model=thinking_summary.model, by_thinking=True)


def ask(session: Session, plan: Write, instruction: str | None = None) -> Draft:
    """Ask the summarizer for what ``plan`` calls for. Changes nothing."""
    assert session.summarizer is not None  # noqa: S101 - without one nothing is asked
    request = session.strategy.requests_of(session.memory, plan, instruction)
    source = session.strategy.source_of(session.memory, plan)
    draft = ask_for_draft(
        session.summarizer, request, source, session.counter, instruction
    )
    if draft.error is not None:
        return draft
    try:
        text = session.strategy.read_answer(plan, draft.text)
    except UnreadableAnswerError as failure:
        return replace(draft, text="", error=str(failure), answer=draft.text)
    return draft if text == draft.text else replace(draft, text=text, answer=draft.text)


def _evict(session: Session, plan: Write, reason: str) -> bool:
    left_out = session.memory._replace(cursor=plan.keep_from)
    session.replace_memory(
        replace(plan, reason=reason), left_out, Draft(), kind="evicted"
    )
    return True


def _after_failure(session: Session, plan: Write, error: str) -> bool:
    """What the strategy's rule says of a failed summarizer, which is on record already. Whether memory changed."""
    if plan.on_failure == "drop":
        return _evict(session, plan, f"{plan.reason}; the summarizer failed")
    if plan.on_failure == "raise":
        raise UnusableSummarizerError(error)
    return plan.on_failure != "leave" and _carry_out(session, plan.on_failure)
