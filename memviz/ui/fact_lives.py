"""One setting of the retention page in detail: where every fact stood, and the story of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.kept import Kept
from memviz.charts.knowledge_split import knowledge_split
from memviz.charts.knowledge_words import KNOWLEDGE_COLORS, KNOWLEDGE_TITLES, SHOWN
from memviz.charts.life_lines import by_birth, life_lines_of
from memviz.charts.palette import PART_COLORS, SUMMARIZATION_LINE
from memviz.metrics.life_lines import LifeLine
from memviz.ui.fact_card import fact_card
from memviz.ui.legend import glyph, legend_item, swatch
from memviz.ui.state import CompareState, clicked_point, set_widget, widget_value
from memviz.ui.study import choose_line

SETTING_KEY, ALL_KEY, CHART_KEY = "retention-setting", "retention-all", "retention-lives"
MOST_ROWS = 40
LEGEND_STYLE = "display:flex;flex-wrap:wrap;gap:0.3rem 1.1rem"


@st.fragment
def one_setting(state: CompareState, kept: Sequence[Kept]) -> None:
    """Choose a setting and a fact."""
    st.subheader("When did each fact die, and what killed it?", anchor=False)
    one = _choose(state, kept)
    lives = by_birth(one.lives)
    if not lives:
        st.info("None of these facts was stated in this conversation.", icon=":material/info:")
        return
    fact_key = f"retention-fact-{state.conversation_id}"
    numbers = [life.probe for life in lives]
    if widget_value(fact_key) not in numbers:
        set_widget(fact_key, most_telling(one, lives).probe)
    st.html(_legend(one))
    st.plotly_chart(
        knowledge_split(one.retention), key="retention-split", config=CONFIG,
        alt="Where the facts stated so far stood at every request, stacked",
    )  # fmt: skip
    _rows(one, lives, fact_key)
    fact_card(state, one, lives, fact_key)


def _choose(state: CompareState, kept: Sequence[Kept]) -> Kept:
    """Which setting is looked at: at first the one with most losses by summarizations."""
    losses = [sum(life.lost_by is not None for life in one.lives) for one in kept]
    line = choose_line(state, [one.line for one in kept], SETTING_KEY, losses.index(max(losses)))
    return next(one for one in kept if one.line is line)


def most_telling(one: Kept, lives: Sequence[LifeLine]) -> LifeLine:
    """The fact that is shown at first: one that a summary had and the next one gave up, else one that is lost."""

    def telling(life: LifeLine) -> tuple[bool, bool, bool]:
        by = None if life.lost_by is None else one.run.compactions[life.lost_by]
        return by is not None and life.summarized_turn is not None, by is not None, life.lost_turn is not None

    return max(lives, key=telling)


def _legend(one: Kept) -> str:
    present = {span.state for life in one.lives for span in life.spans}
    items = [
        legend_item(swatch(KNOWLEDGE_COLORS[state]), KNOWLEDGE_TITLES[state]) for state in SHOWN if state in present
    ]
    if any(compaction.written or compaction.error for compaction in one.run.compactions):
        items.append(legend_item(glyph("◆", SUMMARIZATION_LINE), "Summarization"))
    items.append(legend_item(glyph("●", PART_COLORS["history"]), "Stated"))
    if any(by is not None for by in one.losses.values()):
        items.append(legend_item(glyph("✖", SUMMARIZATION_LINE), "Lost in a summarization"))
    if any(by is None for by in one.losses.values()):
        items.append(legend_item(glyph("✖", PART_COLORS["system"]), "No longer sent"))
    return f'<div class="memviz-legend" style="{LEGEND_STYLE}">{"".join(items)}</div>'


def _rows(one: Kept, lives: Sequence[LifeLine], fact_key: str) -> None:
    many = len(lives) > MOST_ROWS
    shown = lives if not many or widget_value(ALL_KEY) else lives[:MOST_ROWS]
    st.plotly_chart(
        life_lines_of(one, shown, widget_value(fact_key)), key=CHART_KEY, config=CONFIG, selection_mode="points",
        on_select=partial(_follow_click, fact_key), alt="The life of every fact: a row a fact, a column a turn",
    )  # fmt: skip
    if many:
        st.toggle(f"Show all {len(lives):,} facts", key=ALL_KEY, help=f"At first the {MOST_ROWS} stated first.")


def _follow_click(fact_key: str) -> None:
    point = clicked_point(CHART_KEY)
    if point and point.get("customdata") is not None:
        set_widget(fact_key, int(point["customdata"]))
