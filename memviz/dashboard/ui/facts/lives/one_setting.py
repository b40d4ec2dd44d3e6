"""The lives of facts under one setting: the picture, and beside it the story of one of them."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import SEMICOLON, counted
from memviz.core.translation import _
from memviz.dashboard.charts.palette import (
    PART_COLORS,
    SUMMARIZATION_GLYPH,
    SUMMARIZATION_LINE,
)
from memviz.dashboard.charts.retention.knowledge_split import knowledge_split
from memviz.dashboard.charts.retention.life_lines import (
    draw_life_lines,
    mark_color,
    sort_by_birth,
    span_words,
)
from memviz.dashboard.charts.retention.result import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    SHOWN,
    RetentionResult,
    known_words,
)
from memviz.dashboard.charts.summaries.marks import marks_of
from memviz.dashboard.markup import glyph, swatch
from memviz.dashboard.ui.controls.links import keep_address, open_in_memviz
from memviz.dashboard.ui.controls.message_html import legend_item
from memviz.dashboard.ui.controls.pictures import chart, picture, tell_audience
from memviz.dashboard.ui.controls.selected_request import is_page_choice, selected_turn
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.facts.lives.forgotten import explain_loss
from memviz.dashboard.ui.facts.lives.one_fact import choose_life, draw_beside
from memviz.dashboard.ui.facts.lives.story import story
from memviz.dashboard.ui.facts.selection import (
    choose_event,
    choose_fact,
    chosen_event,
    event_key,
    fact_key,
    losses_of,
    opened_key,
)
from memviz.dashboard.ui.facts.version_card import fact_name
from memviz.dashboard.ui.shell.elements import drawer, show_info, show_table, switch
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import (
    Part,
    hides,
    is_bare,
    presenting,
    put_away,
    speaker_notes,
)
from memviz.dashboard.ui.shell.state import clicked_point, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.compactions import act_words
from memviz.metrics.retention.life_lines import LifeLine

ALL_KEY = "retention-all"
CHART_KEY = "retention-lives"
MOST_ROWS = 40
MOST_SPANS = 12
MOST_FAR_ROWS = 12
"""So many lives are shown to an audience, which sees them from afar."""


@st.fragment
def draw_one_setting(results: Sequence[RetentionResult]) -> None:
    """Draw the lives of the facts under one setting, with a choice of the setting and of a fact."""
    with put_away(Part.CONTROLS, "retention-setting"):
        result = _choose(results)
    selected_turn([each.setting for each in results], result.run)
    lives = sort_by_birth(result.lives)
    if not lives:
        show_info(_("None of these facts was stated in this conversation."))
        return
    linked("fact", fact_key(), [life.probe for life in lives])
    linked("version", event_key(result.setting), range(len(result.run.compactions)))
    _begin(result, lives)
    if hides(Part.READER):
        _draw_picture_alone(result, lives)
    else:
        _draw_picture_and_story(result, lives)
    keep_address("lives-address")


def _draw_picture_and_story(result: RetentionResult, lives: Sequence[LifeLine]) -> None:
    """Draw the lives, beside them the story of the chosen one, and below them all in numbers."""
    with st.container(horizontal=True, gap="medium", key="facts-beside"):
        with st.container(key="facts-picture", gap="small"):
            _draw_rows(result, lives)
            st.html(_legend_html(result))
            life = choose_life(result, lives)
            for sentence in story(result, life):
                st.markdown(plain(sentence))
        with st.container(key="facts-story", gap="small"):
            draw_beside(result, life)
            explain_loss(result, life)
    with drawer(
        _("All facts together, and as a table"),
        ":material/table_rows:",
        "facts-together",
    ):
        draw_all_facts(result, lives)


def _draw_picture_alone(result: RetentionResult, lives: Sequence[LifeLine]) -> None:
    """Draw the lives, and the story of the chosen one."""
    tell_audience(_finding(result))
    _draw_rows(result, lives)
    st.html(_legend_html(result))
    with put_away(Part.CONTROLS, "retention-fact"):
        life = choose_life(result, lives)
    name = fact_name(result.retention.probes[life.probe])
    sentences = story(result, life)
    speaker_notes([f"{name}: {' '.join(sentences)}"])
    if presenting().is_minimal:
        open_in_memviz(f"{name}: {' '.join(sentences[1:2])}")


def _begin(result: RetentionResult, lives: Sequence[LifeLine]) -> None:
    """Choose the fact that was opened on another page, or one to begin with. The request that lost it is chosen too;
    only a page that is first seen keeps the one that the visitor chose."""
    probes = [life.probe for life in lives]
    opened = widget_value(opened_key())
    set_widget(opened_key(), None)
    if opened in probes:
        choose_fact(result, opened)
    elif widget_value(fact_key()) not in probes:
        probe = most_telling(result, lives, chosen_event(result.setting)).probe
        set_widget(fact_key(), probe)
        if is_page_choice():
            choose_fact(result, probe)


def _choose(results: Sequence[RetentionResult]) -> RetentionResult:
    """Return which setting is looked at: at first the one with most losses by summarizations, else one that
    summarizes."""
    settings = [result.setting for result in results]
    telling = []
    for result in results:
        losses = [life for life in result.lives if life.lost_by is not None]
        telling.append((len(losses), bool(result.run.compactions)))
    first = telling.index(max(telling))
    setting = choose_setting_run(settings, "retention-setting", first)
    return results[settings.index(setting)]


def most_telling(
    result: RetentionResult, lives: Sequence[LifeLine], event: int | None
) -> LifeLine:
    """Return the fact that is shown at first: one that compaction ``event`` lost, else one that a summary had and the
    next one gave up, else one that is lost."""

    def rank(life: LifeLine) -> tuple[bool, ...]:
        is_lost_here = False
        if event is not None:
            is_lost_here = event in losses_of(result, life.probe).values()
        is_taken = life.lost_by is not None
        was_summarized = life.summarized_turn is not None
        is_lost = life.lost_turn is not None
        return is_lost_here, is_taken and was_summarized, is_taken, is_lost

    return max(lives, key=rank)


def _legend_html(result: RetentionResult) -> str:
    """Return the colours of states and the signs of events that occur, with their names."""
    present_states = {span.state for life in result.lives for span in life.spans}
    items = []
    for state in SHOWN:
        if state in present_states:
            color = KNOWLEDGE_COLORS[state]
            items.append(legend_item(swatch(color), _(KNOWLEDGE_TITLES[state])))
    signs = []
    for mark in marks_of(result.run.compactions):
        signs.append((mark.character, mark.color, _(mark.name)))
    signs.append(("●", PART_COLORS["history"], _("Stated")))
    for words, color in _crosses(result).items():
        signs.append(("✖", color, words))
    for character, color, words in signs:
        items.append(legend_item(glyph(character, _on_page(color)), words))
    return f'<div class="memviz-legend memviz-legend-row">{"".join(items)}</div>'


def _crosses(result: RetentionResult) -> dict[str, str]:
    """Return the colours of the crosses that occur, by what took the facts."""
    colors = {}
    takers = result.losses.values()
    for number in takers:
        if number is not None:
            compaction = result.run.compactions[number]
            colors[act_words(compaction).lost] = mark_color(compaction)
    if None in takers:
        colors[_("No longer sent")] = PART_COLORS["system"]
    return colors


def _on_page(color: str) -> str:
    """Return the colour of a mark beside text: that of the charts, but of summaries a violet that is lighter on a dark
    page."""
    is_violet = color in (SUMMARIZATION_LINE, PART_COLORS["summary"])
    return SUMMARIZATION_GLYPH if is_violet else color


def _draw_rows(result: RetentionResult, lives: Sequence[LifeLine]) -> None:
    many = len(lives) > MOST_ROWS
    if many:
        linked("all", ALL_KEY, [False, True])
    chosen = widget_value(fact_key())
    rows = lives if widget_value(ALL_KEY) else lives[:MOST_ROWS]
    if is_bare():
        rows = seen_from_afar(lives, chosen)
    figure = draw_life_lines(result, rows, chosen, chosen_event(result.setting))
    on_click = partial(_follow_click, result)
    picture(figure, CHART_KEY, _finding(result), on_click)
    if len(rows) < len(lives) and is_bare():
        st.caption(
            _(
                "{count} of {facts}: first of all those that were lost.",
                count=len(rows),
                facts=counted(lives, "fact"),
            )
        )
    elif many:
        switch(
            _("Show all {count:,} facts", count=len(lives)),
            key=ALL_KEY,
            help=_("At first the {most_rows} stated first.", most_rows=MOST_ROWS),
        )


def seen_from_afar(lives: Sequence[LifeLine], chosen: int | None) -> list[LifeLine]:
    """Return as many lives as there is room for in large letters: the chosen one, those that were lost, and then
    others, in the order of ``lives``."""
    # False comes before True: the chosen one, then those that were lost.
    ranked = sorted(
        lives, key=lambda life: (life.probe != chosen, life.lost_turn is None)
    )
    probes_shown = {life.probe for life in ranked[:MOST_FAR_ROWS]}
    return [life for life in lives if life.probe in probes_shown]


def _follow_click(result: RetentionResult) -> None:
    """Choose what was clicked: a bar is a fact, a cross one of its losses, a diamond a summarization."""
    point = clicked_point(CHART_KEY) or {}
    carried = point.get("customdata")
    if carried is None:
        return
    # Bars carry a probe, crosses a probe and a compaction, diamonds -1 and a compaction.
    probe, *further = carried if isinstance(carried, list) else [carried]
    if int(probe) < 0:
        choose_event(result.setting, int(further[0]) if further else -1)
        return
    # A cross stands at the left edge of the request that lost the fact.
    lost_at = round(point["x"] + 0.5) if further else None
    choose_fact(result, int(probe), lost_at)


def _finding(result: RetentionResult) -> str:
    """Return what the picture of the lives shows, in one sentence."""
    by_change = sum(by is not None for by in result.losses.values())
    return _(
        "The lives of {facts} under {label}: {known:,} of {born:,} are known at the end. Losses by what "
        "was summarized or cleared: {by_change:,}; because the last message that held a fact was no longer "
        "sent: {no_longer_sent:,}.",
        facts=counted(result.lives, "fact"),
        label=result.setting.label,
        known=result.retention.retained[-1].sum(),
        born=result.retention.born[-1].sum(),
        by_change=by_change,
        no_longer_sent=len(result.losses) - by_change,
    )


def draw_all_facts(result: RetentionResult, lives: Sequence[LifeLine]) -> None:
    """Draw the rows of the picture added up, and in words."""
    at_the_end = "".join(known_words(result.retention)[-1:])
    chart(
        knowledge_split(result.retention),
        "retention-split",
        _(
            "Where the facts stood at each request of {label}; {at_the_end}.",
            label=result.setting.label,
            at_the_end=at_the_end,
        ),
    )
    rows = []
    for life in lives[:MOST_ROWS]:
        spans = [span_words(span) for span in life.spans[:MOST_SPANS]]
        if len(life.spans) > MOST_SPANS:
            spans.append("…")
        stated = ""
        if life.born_turn is not None:
            stated = _("turn {born_turn:,}", born_turn=life.born_turn)
        row = {
            _("Fact"): plain(fact_name(result.retention.probes[life.probe])),
            _("Stated"): stated,
            _("Life"): _(SEMICOLON).join(spans),
        }
        rows.append(row)
    show_table(rows, _("The life of each fact, one a row"))
