"""One setting of the retention page in detail: where every fact stood, and the story of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.palette import PART_COLORS, SUMMARIZATION_LINE
from memviz.charts.retention.knowledge_split import knowledge_split
from memviz.charts.retention.knowledge_words import KNOWLEDGE_COLORS, KNOWLEDGE_TITLES, SHOWN
from memviz.charts.retention.life_lines import by_birth, life_lines_of
from memviz.charts.retention.result import RetentionResult
from memviz.metrics.retention.life_lines import LifeLine
from memviz.text.wording import counted
from memviz.ui.controls.bring_back import bring_back
from memviz.ui.controls.legend import glyph, legend_item, swatch
from memviz.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.ui.controls.sidebar import choose_setting_run
from memviz.ui.facts.lives.fact_story import marked_html, source_of_loss, story
from memviz.ui.facts.summaries.page import open_event
from memviz.ui.shell.state import CompareState, set_widget, take_clicked_number, widget_value
from memviz.ui.shell.text import distinct, plain, shortened

LABEL_CHARS = 110
TEXT_PIXELS, SHORT_CHARS = 260, 350
"""The height of a text, unless it is short."""


def fact_card(state: CompareState, one: RetentionResult, lives: Sequence[LifeLine], fact_key: str) -> None:
    """The fact that is chosen, in words, and the two texts between which it was lost."""
    probes = one.retention.probes
    labels = distinct([
        shortened(f"{probes[life.probe].answers[0]} · {probes[life.probe].question}", LABEL_CHARS) for life in lives
    ])  # fmt: skip
    by_number = dict(zip((life.probe for life in lives), labels, strict=True))
    chosen = st.selectbox(
        "The story of one fact", list(by_number), format_func=by_number.__getitem__, key=fact_key,
        help="Type to search, or click a row above.",
    )  # fmt: skip
    life = next(life for life in lives if life.probe == chosen)
    with st.container(border=True):
        for sentence in story(one, life):
            st.markdown(plain(sentence))
        lost = {turn: by for (probe, turn), by in one.losses.items() if probe == life.probe}
        killed = {turn: by for turn, by in lost.items() if by is not None}
        turn = _which_loss(list(killed), fact_key) if killed else next(iter(lost), None)
        if turn is not None:
            bring_back(state, one.setting, sorted(probes[life.probe].evidence), turn, "retention-bring-back")
        if killed and turn is not None:
            _killed(one, life, killed[turn])
            _open_summarization(state, one, killed[turn])
        elif life.lost_turn is None and life.spans:
            st.caption("It was never lost under this setting.")


def _which_loss(turns: Sequence[int], fact_key: str) -> int:
    """A fact that came back can be lost several times: which of the summarizations is shown."""
    if len(turns) == 1:
        return turns[0]
    key = f"{fact_key}-loss"
    if widget_value(key) not in turns:
        set_widget(key, turns[0])
    return int(st.segmented_control("Lost in a summarization", turns, format_func="turn {}".format, key=key,
                                    required=True) or turns[0])  # fmt: skip


def _killed(one: RetentionResult, life: LifeLine, number: int) -> None:
    """What the summarization had read, and what it wrote."""
    compaction, answers = one.run.compactions[number], one.retention.probes[life.probe].answers
    before, after = st.columns(2, gap="medium")
    name, text = source_of_loss(one, life, compaction)
    written = compaction.written
    for column, title, said in (
        (before, name, text),
        (after, f"Summary after: version {written.version}" if written else "After it", written.text if written
         else "There is no summarizer, so nothing stands for these messages."),
    ):  # fmt: skip
        column.markdown(f"**{plain(title)}**")
        with column.container(height=TEXT_PIXELS if len(said) > SHORT_CHARS else "content", border=False):
            st.html(marked_html(said[:MAX_CHARS_SHOWN], answers))
            if len(said) > MAX_CHARS_SHOWN:
                st.caption(f"and {counted(len(said) - MAX_CHARS_SHOWN, 'more character')}")


def _open_summarization(state: CompareState, one: RetentionResult, number: int) -> None:
    if st.button("Open this summarization", icon=":material/compress:", key="retention-open"):
        open_event(state, one.setting, number)


SETTING_KEY, ALL_KEY, CHART_KEY = "retention-setting", "retention-all", "retention-lives"
MOST_ROWS = 40
LEGEND_STYLE = "display:flex;flex-wrap:wrap;gap:0.3rem 1.1rem"


@st.fragment
def one_setting(state: CompareState, kept: Sequence[RetentionResult]) -> None:
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


def _choose(state: CompareState, kept: Sequence[RetentionResult]) -> RetentionResult:
    """Which setting is looked at: at first the one with most losses by summarizations."""
    losses = [sum(life.lost_by is not None for life in one.lives) for one in kept]
    setting = choose_setting_run(state, [one.setting for one in kept], SETTING_KEY, losses.index(max(losses)))
    return next(one for one in kept if one.setting is setting)


def most_telling(one: RetentionResult, lives: Sequence[LifeLine]) -> LifeLine:
    """The fact that is shown at first: one that a summary had and the next one gave up, else one that is lost."""

    def telling(life: LifeLine) -> tuple[bool, bool, bool]:
        by = None if life.lost_by is None else one.run.compactions[life.lost_by]
        return by is not None and life.summarized_turn is not None, by is not None, life.lost_turn is not None

    return max(lives, key=telling)


def _legend(one: RetentionResult) -> str:
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


def _rows(one: RetentionResult, lives: Sequence[LifeLine], fact_key: str) -> None:
    many = len(lives) > MOST_ROWS
    shown = lives if not many or widget_value(ALL_KEY) else lives[:MOST_ROWS]
    st.plotly_chart(
        life_lines_of(one, shown, widget_value(fact_key)), key=CHART_KEY, config=CONFIG, selection_mode="points",
        on_select=partial(take_clicked_number, CHART_KEY, fact_key),
        alt="The life of every fact: a row a fact, a column a turn",
    )  # fmt: skip
    if many:
        st.toggle(f"Show all {len(lives):,} facts", key=ALL_KEY, help=f"At first the {MOST_ROWS} stated first.")
