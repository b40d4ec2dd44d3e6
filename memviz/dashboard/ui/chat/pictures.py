"""The picture beside the chat: how full the context is, how it grew, and when it is summarized next."""

from functools import partial

import streamlit as st

from memviz.core.memory import Memory
from memviz.core.text.wording import listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.palette import PART_TITLES, SettingRun
from memviz.dashboard.charts.requests.composition import context_bar
from memviz.dashboard.charts.requests.tables import (
    request_finding,
    tokens_finding,
    tokens_table,
)
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.inspector import BadgeColor, inspector
from memviz.dashboard.ui.controls.known_facts import known_facts
from memviz.dashboard.ui.controls.pictures import as_shown, numbers_of, step_by_step
from memviz.dashboard.ui.controls.study import open_in_compare
from memviz.dashboard.ui.shell.elements import button, buttons_row, drawer
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.engine.chat import Chat
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import count_token_use, find_limit
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.clauses import Fill, Headroom

BADGES: dict[str, BadgeColor] = {
    "system": "gray", "summary": "violet", "history": "blue", "recalled": "orange", "input": "green", "tools": "yellow",
    "names": "blue", "overhead": "gray",
}  # fmt: skip


def draw_pictures(desk: ChatDesk) -> None:
    """Draw everything right of the talk, as of the last turn."""
    run = desk.chat.run
    state = desk.state
    _draw_next_summarization(desk.chat)
    if not run.turns:
        st.caption(_("After the first reply you see here what was sent, in tokens."))
        return
    last = run.turns[-1]
    _draw_last_request(run.strategy_at(last.turn), last)
    settings = [SettingRun(run, run.label, 0)]
    st.plotly_chart(
        as_shown(tokens_per_turn(settings, height=height_pixels.TOKENS_BESIDE_CHAT)),
        key="chat-tokens",
        config=CONFIG,
        alt=tokens_finding(settings),
    )
    if hides(Part.NUMBERS):
        return
    numbers_of(
        step_by_step(settings),
        "chat-turn-numbers",
        partial(tokens_table, settings),
        _("Tokens sent with each request of this chat"),
    )
    _draw_totals(run)
    draw_health([SettingRun(run, run.strategy.label, 0)])
    with drawer(_sent_label(last), ":material/search:"):
        facts = known_facts(state.conversation_id, run.log, grows=True)
        inspector(run, last.turn, "chat", facts, whole_turn=True)
    if state.conversation_id is None or state.deleted:
        return
    if button(_("Compare other strategies"), None, ":material/stacked_line_chart:"):
        open_in_compare(state.conversation_id)


def _draw_last_request(strategy: Strategy, last: TurnRecord) -> None:
    size, counts = measure_request(strategy, last)
    st.markdown(f"**{size}**")
    if counts:
        st.caption(counts)
    st.plotly_chart(
        as_shown(context_bar(last.tokens, find_limit(strategy))),
        key="chat-bar",
        config={"displayModeBar": False},
        alt=request_finding(last),
    )
    badges = []
    for part, tokens in last.tokens.items():
        if tokens:
            badges.append(f":{BADGES[part]}-badge[{_(PART_TITLES[part])} {tokens:,}]")
    st.markdown(" ".join(badges))


def _sent_label(last: TurnRecord) -> str:
    calls = len(last.requests)
    template = noop("What was sent with turn {turn}")
    if calls > 1:
        template = noop(
            "What was sent with turn {turn}, in the last of its {count:,} calls"
        )
    return _(template, turn=last.turn, count=calls)


def _draw_next_summarization(chat: Chat) -> None:
    if chat.proposal is not None:
        words = _("A summarization waits for your decision")
        st.markdown(f":violet-badge[:material/compress: {words}]")
    else:
        words = forecast_next_summary(chat.strategy, chat.memory, chat.headroom())
        st.caption(f":material/compress: {words}", help=tooltip("headroom"))


def _draw_totals(run: Run) -> None:
    use = count_token_use(run)
    sent_help = noop("Tokens sent to the chat model, over all turns.")
    if run.has_calls:
        sent_help = noop("Tokens sent to the chat model, over all {count:,} calls.")
    # It wraps where a column would cut the labels short.
    with buttons_row("xsmall"):
        _draw_total(_("Sent"), use.sent_tokens, _(sent_help, count=len(run.requests)))
        _draw_total(_("Summaries"), use.summarizations, _("Summaries written so far."))
        if use.thinking_tokens:
            thinking = _("Tokens the model thought in.")
            _draw_total(_("Thinking"), use.thinking_tokens, thinking)
        summarizer = _("Tokens into and out of the summarizer.")
        _draw_total(_("Summarizer"), use.summarizer_tokens, summarizer)


def _draw_total(label: str, number: int, help: str) -> None:
    st.metric(label, f"{number:,}", width="content", help=help)


def forecast_next_summary(
    strategy: Strategy, memory: Memory, headroom: Headroom | None
) -> str:
    """Return how far the next summary is: what is limited, how much of it there is, and what happens then. ``headroom``
    is that of the chat, which knows of failures."""
    idle = strategy.idle_because(memory)
    if idle:
        return _(
            "This setting never summarizes, and nothing is cleared, because {idle}.",
            idle=idle,
        )
    if headroom is None:
        if strategy.headroom(memory) is None:
            return _words_without_forecast(strategy)
        return _(
            "A summary was declined or failed, and there is room again: the next one is written in a later "
            "turn."
        )
    if headroom.unit == "turns":
        return _turns_words(strategy, headroom.amount)
    what = _("Older messages are cleared or shortened")
    if strategy.writes_notes:
        what = _("A summary is written")
    if not headroom.amount:
        return _("{what} with the next message.", what=what)
    fill = strategy.fill(memory)
    if fill is None or fill.unit != headroom.unit:
        return _("{what} after {headroom}.", what=what, headroom=headroom)
    template = noop("{counts}: {held:,} of {limit:,}. {what} when there are more.")
    if fill.unit == "tokens":
        template = noop(
            "{counts}: {held:,} of {limit:,} tokens. {what} when there are more."
        )
    words = _(
        template,
        counts=_(fill.counts).capitalize(),
        # A stopped reply counts, though the memory takes it in only with what follows it.
        held=fill.limit + 1 - headroom.amount,
        limit=fill.limit,
        what=what,
    )
    return words + _mention_summary(strategy, memory, fill)


def _words_without_forecast(strategy: Strategy) -> str:
    """Return when a strategy summarizes next whose forecast is no number: ``This setting never summarizes.``"""
    if strategy.trigger is Trigger.NEVER:
        return _("This setting never summarizes.")
    if not strategy.writes_notes:
        return _(
            "This setting never summarizes: its rule clears or shortens older messages."
        )
    return _("When the next summary is written cannot be said beforehand.")


def _turns_words(strategy: Strategy, turns: int) -> str:
    if strategy.trigger is Trigger.TURN:
        words = _("Each turn is summarized once it is complete.")
        if turns > 1:
            words += _(
                " After a failure the next try is in {turns} turns.", turns=turns
            )
        return words
    return ngettext(
        "A summary is due, and will be written with the next turn.",
        "A summary is due, and will be written in {number} turns.",
        turns,
    )


def _mention_summary(strategy: Strategy, memory: Memory, fill: Fill) -> str:
    """Return a sentence that the summary counts in a request, though not in the bar of what fills up; empty where there
    is none."""
    limit = find_limit(strategy)
    if memory.summary is None or limit is None:
        return ""
    counts_in_request = "summary" in limit.parts
    counts_in_fill = "summary" in fill.counts.split()
    if counts_in_fill or not counts_in_request:
        return ""
    return _(
        " The summary counts in the size of a request, but alone sets nothing off."
    )


def measure_request(strategy: Strategy, record: TurnRecord) -> tuple[str, str]:
    """Return how large a request was, and how much of it counts toward the limit of its ``strategy`` (empty for one
    without a token limit)."""
    size = _("Last request: {tokens:,} tokens", tokens=record.total_tokens)
    limit = strategy.budget_tokens
    if limit is None:
        return size, ""
    part_names = []
    nothing = dict.fromkeys(record.tokens, 0)
    for part in record.tokens:
        # A part counts if one token of it alone does.
        if strategy.counted_tokens({**nothing, part: 1}):
            part_names.append(_(PART_TITLES[part]).lower())
    counts = _(
        "{counts:,} of them count toward the limit of {limit:,}: {named}. The rest does not count.",
        counts=strategy.counted_tokens(record.tokens),
        limit=limit,
        named=listed(part_names),
    )
    return size, counts
