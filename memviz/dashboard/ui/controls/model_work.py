"""What the model did by itself on the way to a reply: its recalls and its thoughts, collapsed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.core.conversation import Message
from memviz.core.text.wording import counted, effort_words, listed, price_words
from memviz.dashboard.ui.shell.text import plain, shortened
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.message_words import call_text, calls_asked_for

MOST_CALLS = 100
"""So many calls before a request are told in a line each, the latest of them."""
MOST_TOOLS, MAX_CALL_CHARS = 5, 160
"""Of one call of the model, which may call many tools with long arguments."""


def recall_exchange(messages: Sequence[Message]) -> None:
    """The model's calls of the recall tool in one turn, and what they gave."""
    calls = sum(len(message.tool_calls) for message in messages)
    with st.expander(
        f"The model recalled: {counted(calls, 'call')}", icon=":material/history:"
    ):
        _said(messages)


def thoughts(record: TurnRecord) -> None:
    """The rounds of thinking before a reply, with what they cost."""
    rounds = record.thinking
    if not rounds:
        return
    label = f"The model thought: {counted(len(rounds), 'round')}, {counted(record.thinking_tokens, 'token')}"
    with st.expander(label, icon=":material/psychology:"):
        _said(record.thoughts)
        st.caption(
            f"Tokens written: {record.thinking_tokens:,}. {plain(price_words(record.thinking_cost_usd)).capitalize()}."
        )


def _said(messages: Sequence[Message]) -> None:
    for message in messages:
        if message.role == "tool":
            st.caption(f"→ {plain(message.content)}")
        elif message.content and message.role != "system":
            st.text(message.content)
        for call in message.tool_calls:
            st.code(call_text(call), language=None, wrap_lines=True)


def earlier_calls(earlier: Sequence[TurnRecord]) -> None:
    """The calls of a turn that came before the request that is shown: they were sent, and billed, as well."""
    if not earlier:
        return
    sent = sum(call.total_tokens for call in earlier)
    label = f"{counted(len(earlier), 'call')} of the model before this one: {counted(sent, 'token')} sent"
    with st.expander(label, icon=":material/replay:"):
        shown = range(max(0, len(earlier) - MOST_CALLS), len(earlier))
        st.caption(
            "\n".join(f"{number + 1}. {_what(earlier[number])}" for number in shown)
        )


def _what(call: TurnRecord) -> str:
    did = {"thinking": "It thought", "recall": "It asked to recall"}.get(
        call.kind
    ) or _called(call)
    told = f"{did}: {counted(call.total_tokens, 'token')} sent, {call.reply_tokens:,} written"
    facts = call.facts
    effort = (
        ""
        if facts is None
        else plain(effort_words(facts.seconds, facts.cost_usd, recorded=facts.recorded))
    )
    return f"{told}." if facts is None else f"{told}, {effort}."


def _called(call: TurnRecord) -> str:
    texts = [shortened(call_text(one), MAX_CALL_CHARS) for one in calls_asked_for(call)]
    if not texts:
        return "It answered"
    return f"It called {plain(listed(texts[:MOST_TOOLS]))}{' and more' * (len(texts) > MOST_TOOLS)}"
