"""Carries out the plans of a strategy: moves marks, asks the summarizer, and handles its failures.

A session calls :func:`compact` where the strategy may act. A plan is a list of effects (:class:`Move`, :class:`Write`);
:class:`memviz.engine.state.State` replaces the memory and records the compaction.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from memviz.core.messages import Message
from memviz.core.model_errors import (
    BudgetSpentError,
    ScriptExhausted,
    UnreadableAnswerError,
    UnusableSummarizerError,
)
from memviz.core.summaries import OPAQUE_TEXT
from memviz.engine.drafts import INTERRUPTED, Draft, ask_for_draft
from memviz.engine.state import ChangeDetails, PendingSummarization, State
from memviz.models.base import Reply
from memviz.strategies.base import Effect, Write
from memviz.strategies.prompts import checking_request


def compact(state: State, thinking_summary: Reply | None = None) -> bool:
    """Carry out what the strategy plans now; return whether the memory changed.

    ``thinking_summary`` is a summary of the last turn by the chat model itself: no summarizer is asked for it. While
    :attr:`State.review` is on, a summarization that is due becomes pending instead.
    """
    if state.pending is not None:
        return False
    before = state.memory.state
    effects = state.strategy.plan(state.memory)
    is_done = carry_out_effects(state, effects, thinking_summary)
    return is_done and state.memory.state != before


def carry_out_effects(
    state: State, effects: Sequence[Effect], thinking_summary: Reply | None = None
) -> bool:
    """Carry out the effects of a plan in order, up to one that fails or waits for the user: later effects build on it.
    Return whether all were carried out."""
    for number, effect in enumerate(effects, 1):
        if not _carry_out(state, effect, thinking_summary):
            if state.pending is not None:
                state.pending = state.pending._replace(rest=tuple(effects[number:]))
            return False
    return True


def _carry_out(
    state: State, effect: Effect, thinking_summary: Reply | None = None
) -> bool:
    if isinstance(effect, Write):
        return _write(state, effect, thinking_summary)
    moved = state.memory.moved(effect.mark, effect.to)
    state.replace_memory(effect, moved, Draft(), ChangeDetails(kind=effect.kind))
    return True


def _write(state: State, plan: Write, thinking_summary: Reply | None) -> bool:
    # The order matters: a summary that the chat model gave needs no summarizer, so neither an earlier failure nor a
    # missing summarizer stands in its way; but the user reviews it like any other. A fixed text needs none either, but
    # stands for messages that a summarizer could not read, so it waits after a failure like what is asked for.
    draft = _draft_from_thinking(state, plan, thinking_summary)
    details = ChangeDetails()
    if plan.opaque_tokens:
        draft = _make_opaque_draft(state)
    elif draft is None:
        if not state.may_ask:
            return False
        state.tries_at_once = False
        if plan.asks_summarizer and state.summarizer is None:
            if not state.strategy.drops_without_summarizer:
                return False
            return _evict(state, plan, plan.reason)
    if state.review and plan.asks_summarizer:
        state.pending = PendingSummarization(plan, (draft,) if draft else ())
        return False
    if plan.text is not None:
        draft = Draft(plan.text)
    elif draft is None:
        *earlier, draft = _ask_and_record(state, plan)
        details = ChangeDetails(discarded=tuple(earlier))
    if draft.error is not None:
        state.record_unchanged(plan, draft, details)
        return _handle_failure(state, plan, draft.error)
    wording = state.setting.edits.get(len(state.space.summaries) + 1)
    wording = None if wording == draft.text else wording
    state.apply(plan, draft, details, wording=wording)
    return True


def _ask_and_record(state: State, plan: Write) -> tuple[Draft, ...]:
    """Return the summarizer's drafts. An interruption is recorded and raised."""
    started = perf_counter()
    try:
        return ask(state, plan)
    except ScriptExhausted:
        raise
    except BaseException as failure:
        # Ctrl-C or a stopped page is recorded, since the call may have cost something.
        is_said = isinstance(failure, (UnusableSummarizerError, BudgetSpentError))
        error = str(failure) if is_said else INTERRUPTED
        failed = Draft(error=error, seconds=perf_counter() - started)
        state.record_unchanged(plan, failed)
        raise


def _make_opaque_draft(state: State) -> Draft:
    """Return the draft of a block that only the provider can read, made from what the request would have sent."""
    tokens_by_kind = state.request().tokens
    return Draft(OPAQUE_TEXT, prompt_tokens=sum(tokens_by_kind.values()))


def _draft_from_thinking(
    state: State, plan: Write, thinking_summary: Reply | None
) -> Draft | None:
    """Return the chat model's own summary as a draft, if it is of the turn that the plan summarizes."""
    if thinking_summary is None:
        return None
    if state.log.turn_number(plan.summarize.start) != state.memory.turn:
        return None
    return Draft(thinking_summary.text, model=thinking_summary.model, by_thinking=True)


def ask(state: State, plan: Write, instruction: str | None = None) -> tuple[Draft, ...]:
    """Ask the summarizer for what ``plan`` calls for, and return its drafts, of which the last is to be used.

    A plan with ``is_checked`` makes two: the second call gets the first draft to check. The state does not change.
    """
    request = state.strategy.requests_of(state.memory, plan, instruction)
    draft = _ask_once(state, plan, request, instruction)
    if draft.error is not None or not plan.is_checked:
        return (draft,)
    checking = checking_request(request, draft.text)
    return draft, _ask_once(state, plan, checking, instruction)


def _ask_once(
    state: State, plan: Write, request: Sequence[Message], instruction: str | None
) -> Draft:
    assert state.summarizer is not None  # noqa: S101 - without one nothing is asked
    strategy = state.strategy
    source = strategy.source_of(state.memory, plan)
    draft = ask_for_draft(state.summarizer, request, source, state.counter, instruction)
    if draft.error is not None:
        return draft
    try:
        text = strategy.read_answer(plan, draft.text)
    except UnreadableAnswerError as failure:
        return replace(draft, text="", error=str(failure), answer=draft.text)
    return draft if text == draft.text else replace(draft, text=text, answer=draft.text)


def _evict(state: State, plan: Write, reason: str) -> bool:
    left_out = state.memory._replace(cursor=plan.keep_from)
    effect = replace(plan, reason=reason)
    state.replace_memory(effect, left_out, Draft(), ChangeDetails(kind="evicted"))
    return True


def _handle_failure(state: State, plan: Write, error: str) -> bool:
    """Do what the strategy does after a failed summarization, which is recorded already; return whether the memory
    changed."""
    if plan.on_failure == "drop":
        return _evict(state, plan, f"{plan.reason}; the summarizer failed")
    if plan.on_failure == "raise":
        raise UnusableSummarizerError(error)
    return plan.on_failure != "leave" and _carry_out(state, plan.on_failure)
