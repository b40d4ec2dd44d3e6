"""Facts, by the summaries that they live in: every version, what made it and what it kept."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core import page_titles
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.summaries.timeline import summary_timeline
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.known_facts import READ_MESSAGES, studied_facts
from memviz.dashboard.ui.controls.links import keep_address
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.pictures import (
    compaction_notes,
    picture,
    tell_audience,
)
from memviz.dashboard.ui.controls.recorded_events import draw_recorded_events
from memviz.dashboard.ui.controls.selected_request import (
    chosen_turn,
    name_in_full,
    selected_call,
    selected_turn,
)
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.facts.retention_cache import retention_results
from memviz.dashboard.ui.facts.selection import (
    chosen_event,
    event_key,
    follow_event,
    open_fact,
    view_of,
)
from memviz.dashboard.ui.facts.summaries.charts import evolution_charts, writers
from memviz.dashboard.ui.facts.summaries.idle import say_nothing_summarized
from memviz.dashboard.ui.facts.summaries.numbers import draw_numbers
from memviz.dashboard.ui.facts.summaries.prompt_lab import try_prompts
from memviz.dashboard.ui.facts.summaries.rewording import Desk
from memviz.dashboard.ui.facts.summaries.version import (
    event_label,
    has_changes_alone,
    trouble,
    version_noun,
    version_title,
    version_view,
)
from memviz.dashboard.ui.facts.version_card import (
    chosen_version,
    draw_facts_of_version,
    draw_version_head,
    draw_writer_badge,
)
from memviz.dashboard.ui.shell.elements import header
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, put_away
from memviz.dashboard.ui.shell.state import clicked_number, set_widget, widget_value
from memviz.engine.run import Run
from memviz.metrics.summaries.events import (
    CompactionEvent,
    count_tokens_in_force,
    list_compaction_events,
)
from memviz.metrics.summaries.evolution import VersionFacts, compare_versions


def summaries_view(settings: Sequence[SettingRun], summarizer: ModelChoice) -> None:
    """Draw every version of a summary, and what another program recorded of its own."""
    summaries(settings, summarizer)
    draw_recorded_events(*studied_conversation())


def summaries(settings: Sequence[SettingRun], summarizer: ModelChoice) -> None:
    """Draw the summaries of one setting, with a choice of the setting."""
    if not settings:
        return
    with put_away(Part.CONTROLS, "summaries-setting"):
        setting = choose_setting_run(
            settings, "summaries-setting", _first_to_show(settings)
        )
    if not setting.run.compactions:
        say_nothing_summarized(setting)
        return
    selected_turn(settings, setting.run)
    say_who_summarized([setting])
    say_not_recorded([setting])
    facts = compare_versions(setting.run)
    desk = Desk(setting, summarizer, lambda: studied_facts().probes)
    if hides(Part.NUMBERS):
        history(desk, facts)
        return
    try_prompts(desk)
    history(desk, facts)
    writers(setting, desk.probes())
    draw_health([setting])
    if facts:
        evolution_charts(setting.run, facts)


def _first_to_show(settings: Sequence[SettingRun]) -> int:
    """Return the number of the first setting that wrote a summary, else of the first that changed anything."""
    worth = []
    for setting in settings:
        run = setting.run
        worth.append((bool(run.summaries), bool(run.compactions)))
    return worth.index(max(worth))


_NOT_YET = {
    True: noop(
        "No summary was sent yet with the request of {name}; this is the first."
    ),
    False: noop(
        "Nothing was changed yet for the request of {name}; this is the first."
    ),
}
"""By whether the strategy writes summaries."""


@st.fragment
def history(desk: Desk, facts: Sequence[VersionFacts]) -> None:
    """Draw the main picture, and one version in full. A click on the picture chooses a version."""
    setting = desk.setting
    run = setting.run
    events = list_compaction_events(run)
    key = event_key(setting)
    view = view_of(setting)
    if linked("version", key, range(len(events))):
        follow_event(setting)
    # Before the slider is drawn: afterwards Streamlit takes no value for it in this run.
    number = chosen_event(setting)
    set_widget(key, number or 0)
    if number is None:
        turn = chosen_turn() or 0
        name = name_in_full(run, turn, selected_call(run, turn))
        st.caption(_(_NOT_YET[run.strategy.writes_notes], name=name))
    with st.container(horizontal=True, gap="medium", key="facts-beside"):
        with st.container(key="facts-picture", gap="small"):
            number = _picture(desk, events, key)
        event = events[number]
        if not hides(Part.READER):
            with st.container(key="facts-story", gap="small"):
                _draw_beside(desk, event)
    if hides(Part.NUMBERS):
        keep_address("summaries-address")
        return
    facts_by_number = {fact.event.number: fact for fact in facts}
    version_view(desk, event, facts_by_number.get(number), view)
    if facts:
        draw_numbers(run, facts)
    keep_address("summaries-address")


def _picture(desk: Desk, events: Sequence[CompactionEvent], key: str) -> int:
    """Draw the summaries over the turns, and return the number of the event that is chosen."""
    run = desk.setting.run
    chart_key = f"summaries-timeline-{view_of(desk.setting)}"
    counts = _counts(run, events)
    finding = _finding(run, counts)
    tell_audience(
        _("{label}: {counts}", label=desk.setting.label, counts=counts),
        compaction_notes([desk.setting]),
    )
    figure = summary_timeline(run, int(widget_value(key)))
    on_click = partial(_follow_click, desk, chart_key, key)
    picture(figure, chart_key, finding, on_click)
    if len(events) == 1:
        return 0
    if hides(Part.PLAYER):
        return int(widget_value(key))
    return int(
        st.select_slider(
            version_noun(run),
            range(len(events)),
            key=key,
            format_func=lambda at: event_label(run, events[at]),
            on_change=follow_event,
            args=(desk.setting,),
            persist_state="session",
        )
    )


def _follow_click(desk: Desk, chart_key: str, key: str) -> None:
    number = clicked_number(chart_key)
    if number is not None:
        set_widget(key, number)
    follow_event(desk.setting)


def _finding(run: Run, counts: str) -> str:
    """Return what the picture of the summaries shows, in one sentence that ends with its ``counts``."""
    words = noop("Tokens of the summary over the turns: {counts}")
    if has_changes_alone(run):
        words = noop(
            "Tokens of the first request after each change of what is sent: {counts}"
        )
    return _(words, counts=counts)


def _counts(run: Run, events: Sequence[CompactionEvent]) -> str:
    """Return ``3 summaries written, and at the end 240 tokens sent in place of older messages.``"""
    if has_changes_alone(run):
        return _("{changes}.", changes=counted(events, "change"))
    versions = sum(event.version is not None for event in events)
    tokens = count_tokens_in_force(run, events[-1])
    return _(
        "{summaries} written, and at the end {tokens} sent in place of older messages.",
        summaries=counted(versions, "summary"),
        tokens=counted(tokens, "token"),
    )


def _draw_beside(desk: Desk, event: CompactionEvent) -> None:
    """Draw which version is chosen, why it was written, and what it did to the facts."""
    run = desk.setting.run
    header(version_title(run, event))
    draw_writer_badge(event.compaction)
    if trouble(run, event):
        return
    draw_version_head(run, event.compaction)
    # In a long conversation looking them up takes seconds: only when it is asked for.
    if len(run.log) > READ_MESSAGES:
        linked("look-up", "summaries-facts", [False, True])
        label = _("Look the facts up in this long conversation")
        if not st.toggle(label, key="summaries-facts"):
            return
    probes = tuple(desk.probes())
    if not probes:
        st.caption(
            _(
                "No facts are known of this conversation. Add some on {facts}, under Facts looked for.",
                facts=_(page_titles.FACTS),
            )
        )
        return
    (result,) = retention_results([desk.setting], probes)
    if event.compaction.is_opaque:
        st.caption(
            _("What stands in the block, and so which facts it holds, is unknown.")
        )
        return
    draw_facts_of_version(
        chosen_version(result, event.number),
        probes,
        f"facts-at-{view_of(desk.setting)}-{event.number}",
        partial(open_fact, desk.setting),
        is_version=event.version is not None,
    )
