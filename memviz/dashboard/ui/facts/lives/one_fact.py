"""One fact beside the picture of all lives: the choice of it and of one of its losses, what it takes to bring it back,
and the version of the summary that lost it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import distinct_names
from memviz.core.translation import _
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.diff_html import marked_html
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.ui.controls.recalls import bring_back
from memviz.dashboard.ui.facts.lives.story import held_before, source_of_loss
from memviz.dashboard.ui.facts.selection import (
    choose_loss,
    chosen_event,
    event_key,
    fact_key,
    first_loss,
    loss_key,
    losses_of,
    open_event,
    open_request,
    request_lost_at,
)
from memviz.dashboard.ui.facts.version_card import (
    chosen_version,
    counts_words,
    draw_changes_of_version,
    draw_version_badge,
    draw_version_head,
    fact_name,
)
from memviz.dashboard.ui.shell.elements import button, segments, show_title
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import act_words
from memviz.dashboard.words.requests import name_of
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.life_lines import LifeLine

LABEL_CHARS = 110


def _name_at(result: RetentionResult, place: int) -> str:
    return name_of(result.run, request_lost_at(result, place))


def draw_beside(result: RetentionResult, life: LifeLine) -> None:
    """Show how the chosen fact was lost, what it takes to bring it back, and the summarization that is chosen."""
    show_title(fact_name(result.retention.probes[life.probe]))
    place = _which_loss(result, life)
    lost_by = None
    if place is not None:
        lost_by = losses_of(result, life.probe)[place]
        _draw_way_back(result, life, request_lost_at(result, place))
    elif life.spans:
        st.caption(_("It was never lost under this setting."))
    number = event_beside(result, lost_by)
    if number is None:
        return
    if lost_by not in (None, number):
        st.caption(act_words(result.run.compactions[number]).not_this)
    _draw_version(result, life, number)


def event_beside(result: RetentionResult, lost_by: int | None) -> int | None:
    """Return the number of the compaction that is shown beside a fact: the one that was chosen itself; where only a
    request was, as on Compare, the one that lost the fact (``lost_by``), and what that request rests on where none
    did."""
    number = chosen_event(result.setting)
    if lost_by is None or widget_value(event_key(result.setting)) == number:
        return number
    return lost_by


def _draw_way_back(result: RetentionResult, life: LifeLine, record: TurnRecord) -> None:
    """Draw what brings the fact back into the request that lost it; where that cannot be, the way to that request."""
    evidence = sorted(result.retention.probes[life.probe].evidence)
    if bring_back(result.setting, evidence, record):
        return
    if result.run.strategy.allows_recall and life.born_turn == record.turn:
        st.caption(
            _(
                "Turn {turn:,} itself states it, and only what earlier turns said can be brought back.",
                turn=record.turn,
            )
        )
    if button(
        _("See the request that lost it"),
        "retention-lost-request",
        ":material/stacked_line_chart:",
    ):
        open_request(result.setting, record.turn, record.call)


def choose_life(result: RetentionResult, lives: Sequence[LifeLine]) -> LifeLine:
    """Draw the choice of a fact; return its life."""
    by_number = {life.probe: life for life in lives}
    probes = [result.retention.probes[number] for number in by_number]
    texts = [f"{probe.answers[0]} · {probe.question}" for probe in probes]
    names = distinct_names([shorten(text, LABEL_CHARS) for text in texts])
    labels = dict(zip(by_number, names, strict=True))
    number = st.selectbox(
        _("The story of one fact"),
        labels,
        format_func=labels.__getitem__,
        key=fact_key(),
        help=_("Type to search, or click a row of the picture."),
        on_change=_follow_choice,
        args=(result,),
        persist_state="session",
    )
    return by_number[number]


def _follow_choice(result: RetentionResult) -> None:
    choose_loss(result, widget_value(fact_key()))


def _which_loss(result: RetentionResult, life: LifeLine) -> int | None:
    """Return the place of the loss that is looked at, out of a choice where a fact came back and was lost again;
    ``None`` where it was never lost."""
    key = loss_key()
    places = list(losses_of(result, life.probe))
    if not places:
        return None
    linked("loss", key, places)
    if widget_value(key) not in places:
        # Another setting is looked at; the selection stays.
        set_widget(key, first_loss(result, life.probe))
    if len(places) == 1:
        st.caption(_("Lost at {place}.", place=_name_at(result, places[0])))
        return places[0]
    segments(
        _("Lost at"),
        places,
        format_func=partial(_name_at, result),
        key=key,
        persist_state="session",
        on_change=_follow_loss,
        args=(result, life.probe),
    )
    return int(widget_value(key))


def _follow_loss(result: RetentionResult, probe: int) -> None:
    choose_loss(result, probe, widget_value(loss_key()))


def _draw_version(result: RetentionResult, life: LifeLine, number: int) -> None:
    """Draw the compaction that is chosen: most often the one that lost the fact."""
    compaction = result.run.compactions[number]
    answers = result.retention.probes[life.probe].answers
    draw_version_badge(result.run, compaction)
    draw_version_head(result.run, compaction)
    st.caption(counts_words(chosen_version(result, number)))
    is_loss = number in losses_of(result, life.probe).values()
    if is_loss and not held_before(result, life, compaction):
        name, text = source_of_loss(result, life, compaction)
        show_title(name)
        st.html(marked_html(text[:MAX_CHARS_SHOWN], answers))
    if compaction.written is not None:
        st.markdown(f"**{_changed_words(compaction, compaction.written.version)}**")
    draw_changes_of_version(result.run, compaction, answers)
    if button(act_words(compaction).open, "retention-open", ":material/compress:"):
        open_event(result.setting, number)


def _changed_words(compaction: Compaction, version: int) -> str:
    if not compaction.replaces:
        return _("What changed: version {version}", version=version)
    return _(
        "What changed: version {before} → version {version}",
        before=compaction.replaces,
        version=version,
    )
