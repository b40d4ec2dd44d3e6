"""Beside the lives of facts: the story of the chosen one, what it takes to bring it back, and the version of the
summary that lost it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.diff_html import marked_html
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.controls.recalls import bring_back
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.facts.lives.fact_story import held_before, source_of_loss
from memviz.dashboard.ui.facts.losses import (
    choose_loss,
    first_loss,
    losses_of,
    request_lost_at,
)
from memviz.dashboard.ui.facts.selection import (
    chosen_event,
    event_key,
    fact_key,
    loss_key,
    open_event,
    open_request,
)
from memviz.dashboard.ui.facts.version_card import (
    chosen_version,
    counts_words,
    fact_name,
    version_badge,
    version_head,
    what_changed,
)
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import distinct, plain, shortened
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_axis import name_of
from memviz.metrics.retention.life_lines import LifeLine
from memviz.metrics.summaries.compaction_words import act_noun

LABEL_CHARS = 110


def _name_at(one: RetentionResult, place: int) -> str:
    return name_of(one.run, request_lost_at(one, place))


def beside(state: CompareState, one: RetentionResult, life: LifeLine) -> None:
    """How the chosen fact was lost, what it takes to bring it back, and the summarization that is chosen."""
    st.markdown(f"**{plain(fact_name(one.retention.probes[life.probe]))}**")
    place = _which_loss(state, one, life)
    if place is not None:
        _way_back(state, one, life, request_lost_at(one, place))
    elif life.spans:
        st.caption("It was never lost under this setting.")
    lost_by = None if place is None else losses_of(one, life.probe)[place]
    number = event_beside(state, one, lost_by)
    if number is None:
        return
    if lost_by not in (None, number):
        st.caption(
            f"It is not this {act_noun(one.run.compactions[number])} that lost the fact; this one is selected."
        )
    _version(state, one, life, number)


def event_beside(
    state: CompareState, one: RetentionResult, lost_by: int | None
) -> int | None:
    """The number of the compaction that is shown beside a fact: the one that was chosen itself; where only a request
    was, as on Compare, the one that lost the fact (``lost_by``), and what that request rests on where none did."""
    number = chosen_event(state, one.setting)
    if lost_by is None or widget_value(event_key(state, one.setting)) == number:
        return number
    return lost_by


def _way_back(
    state: CompareState, one: RetentionResult, life: LifeLine, record: TurnRecord
) -> None:
    """Bring the fact back into the request that lost it; where that cannot be, the way to that request."""
    evidence = sorted(one.retention.probes[life.probe].evidence)
    if bring_back(state, one.setting, evidence, record, "retention-bring-back"):
        return
    if one.run.strategy.allows_recall and life.born_turn == record.turn:
        st.caption(
            f"Turn {record.turn:,} itself states it, and only what earlier turns said can be brought back."
        )
    if st.button(
        "See the request that lost it",
        icon=":material/stacked_line_chart:",
        key="retention-lost-request",
    ):
        open_request(state, one.setting, record.turn, record.call)


def choose_life(
    state: CompareState, one: RetentionResult, lives: Sequence[LifeLine]
) -> LifeLine:
    """The fact that is chosen."""
    probes = one.retention.probes
    labels = distinct(
        [
            shortened(
                f"{probes[life.probe].answers[0]} · {probes[life.probe].question}",
                LABEL_CHARS,
            )
            for life in lives
        ]
    )
    by_number = dict(zip((life.probe for life in lives), labels, strict=True))
    chosen = st.selectbox(
        "The story of one fact",
        list(by_number),
        format_func=by_number.__getitem__,
        key=fact_key(state),
        help="Type to search, or click a row of the picture.",
        on_change=_follow_choice,
        args=(state, one),
        persist_state="session",
    )
    return next(life for life in lives if life.probe == chosen)


def _follow_choice(state: CompareState, one: RetentionResult) -> None:
    choose_loss(state, one, widget_value(fact_key(state)))


def _which_loss(
    state: CompareState, one: RetentionResult, life: LifeLine
) -> int | None:
    """A fact that came back can be lost several times: which of its losses is looked at."""
    lost, key = losses_of(one, life.probe), loss_key(state)
    places = list(lost)
    if not places:
        return None
    linked("loss", key, places)
    if (
        widget_value(key) not in places
    ):  # another setting is looked at; the selection stays
        set_widget(key, first_loss(lost, chosen_event(state, one.setting)))
    if len(places) == 1:
        st.caption(f"Lost at {_name_at(one, places[0])}.")
        return places[0]
    st.segmented_control(
        "Lost at",
        places,
        format_func=partial(_name_at, one),
        key=key,
        required=True,
        persist_state="session",
        on_change=_follow_loss,
        args=(state, one, life.probe),
    )
    return int(widget_value(key))


def _follow_loss(state: CompareState, one: RetentionResult, probe: int) -> None:
    choose_loss(state, one, probe, widget_value(loss_key(state)))


def _version(
    state: CompareState, one: RetentionResult, life: LifeLine, number: int
) -> None:
    """The compaction that is chosen: most often the one that lost the fact."""
    compaction, answers = (
        one.run.compactions[number],
        one.retention.probes[life.probe].answers,
    )
    version_badge(one.run, compaction)
    version_head(one.run, compaction)
    st.caption(counts_words(chosen_version(one, number)))
    if number in losses_of(one, life.probe).values() and not held_before(
        one, life, compaction
    ):
        name, text = source_of_loss(one, life, compaction)
        st.markdown(f"**{plain(name)}**")
        st.html(marked_html(text[:MAX_CHARS_SHOWN], answers))
    if compaction.written is not None:
        before = f"version {compaction.replaces} → " if compaction.replaces else ""
        st.markdown(f"**What changed: {before}version {compaction.written.version}**")
    what_changed(one.run, compaction, answers)
    if st.button(
        f"Open this {act_noun(compaction)}",
        icon=":material/compress:",
        key="retention-open",
    ):
        open_event(state, one.setting, number)
