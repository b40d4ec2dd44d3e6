"""Every setting of a sweep in a table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.guide.glossary import tooltip
from memviz.strategies import strategies
from memviz.tuning.constraints import Constraints
from memviz.tuning.results import MEASURES, Sweep

TABLE_PIXELS = 420
COLUMNS = (
    "label", "retention", "usd", "uncached_usd", "summarizer_usd", "usd_per_fact", "hit_rate", "peak_tokens",
    "mean_tokens", "all_tokens", "summarizations", "front",
)  # fmt: skip
EACH = {"usd_mean": "on average", "usd_least": "at least", "usd_most": "at most"}
"""What one of several conversations costs."""


def settings_table(sweep: Sweep, constraints: Constraints) -> None:
    """Every setting in a table that sorts, filters and can be saved."""
    with st.expander("All settings in a table", icon=":material/table:"):
        table = sweep.by_setting(
            constraints.over, allow_refused=constraints.allow_refused
        ).sort_values(sweep.cost_measure, ignore_index=True)
        row = st.container(horizontal=True, vertical_alignment="bottom")
        tried = list(dict.fromkeys(setting.id for setting in sweep.settings))
        kinds = row.pills(
            "Strategies",
            tried,
            selection_mode="multi",
            format_func=lambda id: strategies()[id].title,
            key="tune-table-strategies",
            help="None chosen shows all.",
            wrap=True,
        )
        fits = row.toggle("Only those that do what is asked for", key="tune-table-fits")
        if kinds:
            table = table[table["strategy"].isin(kinds)]
        if fits:
            table = table[constraints.fits(table)]
        st.dataframe(
            table[_shown_columns(sweep)].assign(label=table["label"].map(str)),
            hide_index=True,
            height=TABLE_PIXELS,
            column_config=_columns(),
            key="tune-table",
            alt="Every setting with its measures",
        )
        st.download_button(
            "All measures as CSV",
            lambda: sweep.frame().to_csv(index=False),
            file_name="sweep.csv",
            mime="text/csv",
            icon=":material/download:",
            key="tune-csv",
            on_click="ignore",
        )


def _shown_columns(sweep: Sweep) -> list[str]:
    """The columns of the table; of several conversations with what a single one costs behind the sum."""
    each = list(EACH) if len(sweep.compared_conversations) > 1 else []
    at = COLUMNS.index("usd") + 1
    return [*COLUMNS[:at], *each, *COLUMNS[at:]]


def _columns() -> dict[str, Any]:
    shown: dict[str, Any] = {
        "label": st.column_config.TextColumn(
            "Setting", pinned=True, width="large", help=tooltip("setting")
        ),
        "front": st.column_config.CheckboxColumn("On the front", help=tooltip("front")),
    }
    for name, words in EACH.items():
        help = f"What a single conversation costs {words}."
        shown[name] = st.column_config.NumberColumn(
            f"Each {words} (USD)", help=help, format="%.4f"
        )
    for name in MEASURES:
        measure = WORDS[name]
        title = f"{measure.title} ({'USD' if measure.is_money else measure.unit})"
        format = (
            "percent"
            if measure.is_share
            else "%.4f"
            if measure.is_money
            else "localized"
        )
        shown[name] = st.column_config.NumberColumn(
            title, help=measure.help, format=format
        )
    return shown
