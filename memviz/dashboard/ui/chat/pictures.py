"""The picture beside the chat: how full the context is, how it grew, and when it is summarized next."""

from functools import partial

import streamlit as st

from memviz.core.memory import Memory
from memviz.core.text.wording import listed
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.palette import PART_TITLES
from memviz.dashboard.charts.requests.composition import context_bar
from memviz.dashboard.charts.requests.tables import (
    finding,
    request_finding,
    tokens_table,
)
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.controls.grounds import health
from memviz.dashboard.ui.controls.inspector import BadgeColor, inspector
from memviz.dashboard.ui.controls.known_facts import known_facts
from memviz.dashboard.ui.controls.pictures import as_shown, numbers_of, step_by_step
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.engine.chat import Chat
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.limits import limit_of
from memviz.metrics.requests.token_use import token_use
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Fill, Headroom

BADGES: dict[str, BadgeColor] = {
    "system": "gray", "summary": "violet", "history": "blue", "recalled": "orange", "input": "green", "tools": "yellow",
    "names": "blue", "overhead": "gray",
}  # fmt: skip


def pictures(desk: ChatDesk) -> None:
    """Draw everything right of the talk, as of the last turn."""
    run = desk.chat.run
    state = desk.state
    _next_summarization(desk.chat)
    if not run.turns:
        st.caption("After the first reply you see here what was sent, in tokens.")
        return
    last = run.turns[-1]
    _last_request(run.strategy_at(last.turn), last)
    settings = [SettingRun(run, run.label, 0)]
    st.plotly_chart(
        as_shown(tokens_per_turn(settings, height=height_pixels.TOKENS_BESIDE_CHAT)),
        key="chat-tokens",
        config=CONFIG,
        alt=finding(settings),
    )
    if hides(Part.NUMBERS):
        return
    numbers_of(
        step_by_step(settings),
        "chat-turn-numbers",
        partial(tokens_table, settings),
        "Tokens sent with each request of this chat",
    )
    _totals(run)
    health([SettingRun(run, run.strategy.label, 0)])
    with st.expander(_sent_label(last), icon=":material/search:"):
        known = known_facts(state.conversation_id, run.log, grows=True)
        inspector(run, last.turn, "chat", known, whole_turn=True)
    if state.conversation_id is None or state.deleted:
        return
    if st.button("Compare other strategies", icon=":material/stacked_line_chart:"):
        compare_state().open(state.conversation_id)
        st.switch_page("pages/compare.py")


def _last_request(strategy: Strategy, last: TurnRecord) -> None:
    size, counts = request_size(strategy, last)
    st.markdown(f"**{size}**")
    if counts:
        st.caption(counts)
    st.plotly_chart(
        as_shown(context_bar(last.tokens, limit_of(strategy))),
        key="chat-bar",
        config={"displayModeBar": False},
        alt=request_finding(last),
    )
    badges = []
    for part, tokens in last.tokens.items():
        if tokens:
            badges.append(f":{BADGES[part]}-badge[{PART_TITLES[part]} {tokens:,}]")
    st.markdown(" ".join(badges))


def _sent_label(last: TurnRecord) -> str:
    label = f"What was sent with turn {last.turn}"
    if len(last.requests) == 1:
        return label
    return f"{label}, in the last of its {len(last.requests):,} calls"


def _next_summarization(chat: Chat) -> None:
    if chat.proposal is not None:
        st.markdown(
            ":violet-badge[:material/compress: A summarization waits for your decision]"
        )
    else:
        st.caption(
            f":material/compress: {next_summary(chat.strategy, chat.memory, chat.headroom())}",
            help=tooltip("headroom"),
        )


def _totals(run: Run) -> None:
    use = token_use(run)
    sent = f"{len(run.requests):,} calls" if run.has_calls else "turns"
    numbers = [
        ("Sent", use.sent_tokens, f"Tokens sent to the chat model, over all {sent}."),
        ("Summaries", use.summarizations, "Summaries written so far."),
    ]
    if use.thinking_tokens:
        numbers.append(
            ("Thinking", use.thinking_tokens, "Tokens the model thought in.")
        )
    words = "Tokens into and out of the summarizer."
    numbers.append(("Summarizer", use.summarizer_tokens, words))
    # It wraps where a column would cut the labels short.
    with st.container(horizontal=True, gap="xsmall"):
        for label, number, help in numbers:
            st.metric(label, f"{number:,}", width="content", help=help)


def next_summary(strategy: Strategy, memory: Memory, headroom: Headroom | None) -> str:
    """Return how far the next summary is: what is limited, how much of it there is, and what happens then. ``headroom``
    is that of the chat, which knows of failures."""
    if idle := strategy.idle_because(memory):
        return f"This setting never summarizes, and nothing is cleared, because {idle}."
    if headroom is None:
        if strategy.headroom(memory) is None:
            return _unforeseen(strategy)
        return "A summary was declined or failed, and there is room again: the next one is written in a later turn."
    if headroom.unit == "turns":
        return _in_turns(strategy, headroom.amount)
    if not headroom.amount:
        return f"{_what(strategy)} with the next message."
    fill = strategy.fill(memory)
    if fill is None or fill.unit != headroom.unit:
        return f"{_what(strategy)} after {headroom}."
    # A stopped reply counts, though the memory takes it in only with what follows it.
    held = fill.limit + 1 - headroom.amount
    unit = " tokens" if fill.unit == "tokens" else ""
    words = f"{fill.counts.capitalize()}: {held:,} of {fill.limit:,}{unit}. {_what(strategy)} when there are more."
    return words + _summary_apart(strategy, memory, fill)


def _what(strategy: Strategy) -> str:
    return (
        "A summary is written"
        if strategy.writes_notes
        else "Older messages are cleared or shortened"
    )


def _unforeseen(strategy: Strategy) -> str:
    """A strategy whose forecast is no number."""
    if strategy.trigger is Trigger.NEVER:
        return "This setting never summarizes."
    if not strategy.writes_notes:
        return (
            "This setting never summarizes: its rule clears or shortens older messages."
        )
    return "When the next summary is written cannot be said beforehand."


def _in_turns(strategy: Strategy, turns: int) -> str:
    if strategy.trigger is Trigger.TURN:
        later = (
            f" After a failure the next try is in {turns} turns." if turns > 1 else ""
        )
        return "Each turn is summarized once it is complete." + later
    when = "with the next turn" if turns == 1 else f"in {turns} turns"
    return f"A summary is due, and will be written {when}."


def _summary_apart(strategy: Strategy, memory: Memory, fill: Fill) -> str:
    """That the summary counts in a request, though not here."""
    limit = limit_of(strategy)
    if (
        memory.summary is None
        or limit is None
        or "summary" not in limit.parts
        or "summary" in fill.counts.split()
    ):
        return ""
    return " The summary counts in the size of a request, but alone sets nothing off."


def request_size(strategy: Strategy, record: TurnRecord) -> tuple[str, str]:
    """Return how large a request was, and how much of it counts toward the limit of its ``strategy`` (empty for one
    without a token limit)."""
    size = f"Last request: {record.total_tokens:,} tokens"
    limit = strategy.budget_tokens
    if limit is None:
        return size, ""
    parts = [
        part
        for part in record.tokens
        if strategy.counted_tokens({**dict.fromkeys(record.tokens, 0), part: 1})
    ]
    named = listed(PART_TITLES[part].lower() for part in parts)
    counts = strategy.counted_tokens(record.tokens)
    return (
        size,
        f"{counts:,} of them count toward the limit of {limit:,}: {named}. The rest does not count.",
    )
