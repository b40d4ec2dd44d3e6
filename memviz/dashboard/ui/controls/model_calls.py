"""The calls of the model by itself, folded: of the recall tool, rounds of thinking, and earlier calls of a turn."""

from collections.abc import Sequence

import streamlit as st

from memviz.core.messages import Message, ToolCall
from memviz.core.text.wording import counted, effort_words, listed, price_words
from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.elements import drawer
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.dashboard.words.requests import call_text
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.message_text import list_asked_calls

MOST_CALLS = 100
"""The calls before a request that have a line each: the latest ones."""
MOST_TOOLS = 5
MAX_CALL_CHARS = 160
"""The characters of one call of the model, which may call many tools with long arguments."""


def draw_recall_exchange(messages: Sequence[Message]) -> None:
    """Draw the model's calls of the recall tool in one turn, and what they gave."""
    calls = sum(len(message.tool_calls) for message in messages)
    with drawer(
        _("The model recalled: {calls}", calls=counted(calls, "call")),
        ":material/history:",
    ):
        _say_messages(messages)


def draw_thoughts(record: TurnRecord) -> None:
    """Draw the rounds of thinking before a reply, with what they cost."""
    rounds = record.thinking
    if not rounds:
        return
    label = _(
        "The model thought: {rounds}, {tokens}",
        rounds=counted(rounds, "round"),
        tokens=counted(record.thinking_tokens, "token"),
    )
    with drawer(label, ":material/psychology:"):
        _say_messages(record.thoughts)
        st.caption(
            _(
                "Tokens written: {number:,}. {price}.",
                number=record.thinking_tokens,
                price=plain(price_words(record.thinking_cost_usd)).capitalize(),
            )
        )


def _say_messages(messages: Sequence[Message]) -> None:
    for message in messages:
        if message.role == "tool":
            st.caption(f"→ {plain(message.content)}")
        elif message.content and message.role != "system":
            st.text(message.content)
        for call in message.tool_calls:
            draw_call(call)


def draw_call(call: ToolCall) -> None:
    """Draw a call of a tool with its arguments."""
    st.code(call_text(call), language=None, wrap_lines=True)


def draw_earlier_calls(earlier: Sequence[TurnRecord]) -> None:
    """Draw the calls of a turn that came before the request that is shown: they were sent, and billed, as well."""
    if not earlier:
        return
    sent = sum(call.total_tokens for call in earlier)
    label = _(
        "{calls} of the model before this one: {tokens} sent",
        calls=counted(earlier, "call"),
        tokens=counted(sent, "token"),
    )
    with drawer(label, ":material/replay:"):
        numbers = range(max(0, len(earlier) - MOST_CALLS), len(earlier))
        lines = [f"{number + 1}. {_call_words(earlier[number])}" for number in numbers]
        st.caption("\n".join(lines))


def _call_words(call: TurnRecord) -> str:
    words = _(
        "{what}: {tokens} sent, {reply_tokens:,} written",
        what=_what_was_done(call),
        tokens=counted(call.total_tokens, "token"),
        reply_tokens=call.reply_tokens,
    )
    facts = call.facts
    if facts is None:
        return _("{told}.", told=words)
    effort = effort_words(facts.seconds, facts.cost_usd, recorded=facts.recorded)
    return _("{told}, {effort}.", told=words, effort=plain(effort))


def _what_was_done(call: TurnRecord) -> str:
    if call.kind == "thinking":
        return _("It thought")
    if call.kind == "recall":
        return _("It asked to recall")
    calls = list_asked_calls(call)
    if not calls:
        return _("It answered")
    texts = [shorten(call_text(each), MAX_CALL_CHARS) for each in calls[:MOST_TOOLS]]
    template = noop("It called {tools}")
    if len(calls) > MOST_TOOLS:
        template = noop("It called {tools} and more")
    return _(template, tools=plain(listed(texts)))
