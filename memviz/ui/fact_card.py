"""The story of one fact under one setting, and the two texts between which it was lost."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.charts.kept import Kept
from memviz.metrics.life_lines import LifeLine
from memviz.ui.fact_story import marked_html, source_of_loss, story
from memviz.ui.message_html import MAX_CHARS_SHOWN
from memviz.ui.state import CompareState, set_widget, widget_value
from memviz.ui.summarizing import open_event
from memviz.ui.text import counted, distinct, plain, shortened

LABEL_CHARS = 110
TEXT_PIXELS, SHORT_CHARS = 260, 350
"""The height of a text, unless it is short."""


def fact_card(state: CompareState, one: Kept, lives: Sequence[LifeLine], fact_key: str) -> None:
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
        killed = {turn: by for (probe, turn), by in one.losses.items() if probe == life.probe and by is not None}
        if killed:
            turn = _which_loss(list(killed), fact_key)
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


def _killed(one: Kept, life: LifeLine, number: int) -> None:
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


def _open_summarization(state: CompareState, one: Kept, number: int) -> None:
    if st.button("Open this summarization", icon=":material/compress:", key="retention-open"):
        open_event(state, one.line, number)
