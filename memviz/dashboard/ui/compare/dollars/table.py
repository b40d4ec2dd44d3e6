"""Every number of the dollars as a table, turn by turn, and as a file."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import floor, log10
from typing import Any

import pandas as pd
import streamlit as st

from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.controls.pictures import step_of
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.text import file_name

SETTING_KEY = "costs-setting"
ALL_TURNS = "all"
_TITLES = {
    "turn": "Turn", "call": "Call", "requests": "Requests", "input_tokens": "Input (tokens)",
    "fresh_tokens": "Fresh (tokens)",
    "cached_tokens": "Read from the cache (tokens)", "written_tokens": "Written to the cache (tokens)",
    "output_tokens": "Output (tokens)", "summarizer_input_tokens": "Summarizer input (tokens)",
    "summarizer_output_tokens": "Summarizer output (tokens)", "main_usd": "Chat model (USD)",
    "uncached_main_usd": "Chat model without a cache (USD)", "summarizer_usd": "Summarizer (USD)",
    "cumulative_usd": "Both so far (USD)", "uncached_cumulative_usd": "Both so far without a cache (USD)",
}  # fmt: skip
"""What the page calls the columns; the file keeps the names of the library."""
_WORDS = {
    "requests": "request", "input_tokens": "token", "cached_tokens": "prompt cache", "written_tokens": "prompt cache",
    "summarizer_input_tokens": "summarizer", "summarizer_output_tokens": "summarizer", "summarizer_usd": "summarizer",
}  # fmt: skip
"""What a column is about, for its tooltip."""
_SO_FAR = ("cumulative_usd", "uncached_cumulative_usd")


def turn_by_turn(costs: Sequence[SettingCost], title: str) -> None:
    """The table of one setting."""
    setting = choose_setting_run(
        compare_state(), [one.setting for one in costs], SETTING_KEY, marks=False
    )
    one = next(one for one in costs if one.setting is setting)
    table = with_totals(one)
    st.dataframe(
        table.rename(columns=_TITLES),
        hide_index=True,
        column_config=_columns(table),
        alt=f"Tokens and US dollars of each {step_of([one.setting])} under {one.label}",
    )
    st.download_button(
        "Download as CSV",
        lambda: table.to_csv(index=False, float_format="%.12g"),
        mime="text/csv",
        file_name=f"{file_name(title)}-{file_name(one.label)}-costs.csv",
        icon=":material/download:",
        key="costs-csv",
        on_click="ignore",
    )


def with_totals(one: SettingCost) -> pd.DataFrame:
    """One row a turn (a request, where turns took several calls of the model), and one of totals: their turn is
    ``all``, and what was spent so far is what is spent at the end."""
    has_calls = one.setting.run.has_calls
    frame = one.cost.frame("request" if has_calls else "turn")
    total: dict[Hashable, Any] = frame.sum(skipna=False).to_dict()
    total |= {name: frame[name].iloc[-1] for name in _SO_FAR}
    turns = [*frame["turn"].astype(str), ALL_TURNS]
    table = pd.concat(
        [frame, pd.DataFrame([total]).astype(frame.dtypes)], ignore_index=True
    )
    return table.assign(
        turn=turns, **({"call": [*frame["call"].astype(str), ""]} if has_calls else {})
    )


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    """Dollars with as many digits as the smallest amount needs to show two."""
    money = [name for name in table.columns if name.endswith("_usd")]
    amounts = [usd for name in money for usd in table[name].tolist() if usd > 0]
    digits = max(2, 1 - floor(log10(min(amounts)))) if amounts else 2
    numbers = [name for name in table.columns if name not in ("turn", "call")]
    dollars = {
        name: f"%.{digits}f" if name in money else "localized" for name in numbers
    }
    helps = {name: tooltip(word) for name, word in _WORDS.items()}
    return {
        _TITLES[name]: st.column_config.NumberColumn(
            format=format, help=helps.get(name)
        )
        for name, format in dollars.items()
    }
