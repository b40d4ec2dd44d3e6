"""Facts, by the summaries that they live in: every version, what made it and what it kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.charts.summaries.timeline import summary_timeline
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import token_use
from memviz.metrics.summaries.events import (
    CompactionEvent,
    compaction_events,
    grows_a_list,
    never_summarizes,
    tokens_in_force,
)
from memviz.metrics.summaries.evolution import VersionFacts, summary_evolution
from memviz.text.wording import counted
from memviz.ui.controls.health import health
from memviz.ui.controls.pickers import ModelChoice
from memviz.ui.controls.recorded_compactions import recorded_events
from memviz.ui.controls.sidebar import choose_setting_run
from memviz.ui.facts.probes import facts_of
from memviz.ui.facts.summaries.charts import evolution_charts
from memviz.ui.facts.summaries.prompt_lab import try_prompts
from memviz.ui.facts.summaries.rewording import Desk
from memviz.ui.facts.summaries.version import event_label, version_noun, version_view
from memviz.ui.shell.linked import linked
from memviz.ui.shell.state import MAX_SETTINGS, CompareState, set_widget, take_clicked_number, widget_value
from memviz.ui.shell.text import plain
from memviz.ui.shell.views import FACTS_VIEW, turn_to
from memviz.workspace import Workspace

SETTING_KEY = "summaries-setting"
EVENT_KEY = "summaries-event-"
CHART_KEY = "summaries-timeline-"
CHART_ALT = "Tokens of the summary over the turns, and the messages that each version stands for"
SUGGESTED = ("summary_buffer", {"max_token_limit": 500})


def summaries_view(
    workspace: Workspace, state: CompareState, settings: Sequence[SettingRun], summarizer: ModelChoice
) -> None:
    """Every version of a summary, and what another program recorded of its own."""
    summaries(workspace, state, settings, summarizer)
    recorded_events(*workspace.conversation(state.conversation_id or ""))


def summaries(
    workspace: Workspace, state: CompareState, settings: Sequence[SettingRun], summarizer: ModelChoice
) -> None:
    """The summaries of one setting."""
    if not settings:
        return
    with_summaries = next((number for number, setting in enumerate(settings) if setting.run.compactions), 0)
    setting = choose_setting_run(state, settings, SETTING_KEY, with_summaries)
    if not setting.run.compactions:
        _nothing(state, setting)
        return
    health([setting])
    facts = summary_evolution(setting.run)
    # Another conversation or setting has other versions: its controls are others too.
    view = _view(state, setting)
    desk = Desk(state, setting, summarizer, lambda: facts_of(workspace, state).probes)
    try_prompts(desk)
    history(desk, facts, view)
    if facts:
        evolution_charts(setting.run, facts)


def _view(state: CompareState, setting: SettingRun) -> str:
    return f"{state.conversation_id}-{setting.index}-{setting.run.strategy.label}-{state.counter}"


def open_event(state: CompareState, setting: SettingRun, number: int) -> None:
    """Go to the summaries, to the compaction of this number (from 0) under the setting of ``line``."""
    state.looked_at = setting.index
    set_widget(EVENT_KEY + _view(state, setting), number)
    turn_to("facts", FACTS_VIEW, "summaries")


def _nothing(state: CompareState, setting: SettingRun) -> None:
    """Say why there are no summaries, and offer some."""
    headroom = setting.run.strategy.headroom(setting.run.memory_after(setting.run.log.turn_count))
    why = (
        "never summarizes: it sends messages word for word or not at all."
        if never_summarizes(setting.run)
        else "had no reason to summarize in this conversation"
        + (f": {headroom} would have been one." if headroom else ".")
    )
    st.info(
        f"{plain(setting.label)} {why} Choose a strategy with summaries in the sidebar, or a smaller limit.",
        icon=":material/info:",
    )
    if len(state.settings) < MAX_SETTINGS:
        st.button(
            "Add a summary buffer of 500 tokens", icon=":material/add:",
            on_click=_add_suggested, args=(state,),
        )  # fmt: skip


def _add_suggested(state: CompareState) -> None:
    state.add(*SUGGESTED)
    state.looked_at = state.settings[-1].index


def _key_numbers(run: Run, facts: Sequence[VersionFacts]) -> None:
    events, use, is_list = compaction_events(run), token_use(run), grows_a_list(run)
    count = events[-1].compaction.after.summary_count
    in_force = run.space.summaries.in_block(0 if is_list else max(0, count - 1), count)
    covered = sum(len(version.covers) for version in in_force)
    generation = max((fact.generation for fact in facts if fact.version in in_force), default=0)
    numbers = [
        ("Entries" if is_list else "Versions", f"{len(facts):,}", "Summaries written in the whole conversation."),
        ("At the end", counted(tokens_in_force(run, events[-1]), "token"), "What is sent in place of older messages."),
        ("Stands for", counted(covered, "message"), "Messages that are no longer sent word for word."),
        ("Oldest content", f"{generation}× summarized", "How many summarizations it has been through."),
        ("Summarizer", f"{use.summarizer_tokens:,} tokens", "Into and out of it, in all calls that gave a summary."),
    ]
    with st.container(horizontal=True, gap="medium"):
        for label, value, help_text in numbers:
            st.metric(label, value, help=help_text, width="content")


@st.fragment
def history(desk: Desk, facts: Sequence[VersionFacts], view: str) -> None:
    """The main picture, and one version in full. A click on the picture opens a version."""
    run = desk.setting.run
    events, event_key, chart_key = compaction_events(run), EVENT_KEY + view, CHART_KEY + view
    linked("version", event_key, range(len(events)))
    if widget_value(event_key) not in range(len(events)):
        set_widget(event_key, _most_telling(events, facts))
    selected = int(widget_value(event_key))
    st.plotly_chart(
        summary_timeline(run, selected), key=chart_key, selection_mode="points", config=CONFIG,
        on_select=partial(take_clicked_number, chart_key, event_key), alt=CHART_ALT,
    )  # fmt: skip
    st.caption("Point at a mark for why and what it cost; click it to open that version below.")
    if facts:
        _key_numbers(run, facts)
    number = _choose_event(run, events, event_key)
    event = events[number]
    version_view(desk, event, next((fact for fact in facts if fact.event.number == number), None), view)


def _most_telling(events: Sequence[CompactionEvent], facts: Sequence[VersionFacts]) -> int:
    """The event that is open at first: the version that gave up most of the one before, else the newest."""
    replacing = [fact for fact in facts if fact.carried_share is not None]
    if replacing:
        return min(replacing, key=lambda fact: fact.carried_share or 0).event.number
    return facts[-1].event.number if facts else len(events) - 1


def _choose_event(run: Run, events: Sequence[CompactionEvent], key: str) -> int:
    if len(events) == 1:
        return 0
    return int(st.select_slider(version_noun(run), range(len(events)), key=key,
                                format_func=lambda at: event_label(run, events[at])))  # fmt: skip
