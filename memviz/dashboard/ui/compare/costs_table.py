"""The costs of one setting as a table, a row a turn."""

from collections.abc import Hashable, Sequence
from math import floor, log10
from typing import Any

import pandas as pd
import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.controls.pictures import step_of
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.shell.elements import offer_file
from memviz.dashboard.ui.shell.text import file_name

ALL_TURNS = "all"
_TITLES = {
    "turn": noop("Turn"), "call": noop("Call"), "requests": noop("Requests"), "input_tokens": noop("Input (tokens)"),
    "fresh_tokens": noop("Fresh (tokens)"),
    "cached_tokens": noop("Read from the cache (tokens)"), "written_tokens": noop("Written to the cache (tokens)"),
    "output_tokens": noop("Output (tokens)"), "summarizer_input_tokens": noop("Summarizer input (tokens)"),
    "summarizer_output_tokens": noop("Summarizer output (tokens)"), "main_usd": noop("Chat model (USD)"),
    "uncached_main_usd": noop("Chat model without a cache (USD)"), "summarizer_usd": noop("Summarizer (USD)"),
    "cumulative_usd": noop("Both so far (USD)"), "uncached_cumulative_usd": noop("Both so far without a cache (USD)"),
}  # fmt: skip
"""The names of the columns on the page; the file keeps the names of the library."""
_WORDS = {
    "requests": "request", "input_tokens": "token", "cached_tokens": "prompt cache", "written_tokens": "prompt cache",
    "summarizer_input_tokens": "summarizer", "summarizer_output_tokens": "summarizer", "summarizer_usd": "summarizer",
}  # fmt: skip
"""The word of the glossary that explains a column."""
_ALTS = {
    "turn": noop("Tokens and US dollars of each turn under {label}"),
    "request": noop("Tokens and US dollars of each request under {label}"),
}
_SO_FAR = ("cumulative_usd", "uncached_cumulative_usd")


def draw_costs_table(costs: Sequence[SettingCost], title: str) -> None:
    """Draw the table of the costs of one setting, a row a turn."""
    by_setting = {setting_cost.setting: setting_cost for setting_cost in costs}
    setting = choose_setting_run(list(by_setting), "costs-setting", marks=False)
    setting_cost = by_setting[setting]
    table = tabulate_costs(setting_cost)
    st.dataframe(
        table.rename(columns={name: _(title) for name, title in _TITLES.items()}),
        hide_index=True,
        column_config=_columns(table),
        alt=_(_ALTS[step_of([setting])], label=setting.label),
    )
    offer_file(
        _("Download as CSV"),
        lambda: table.to_csv(index=False, float_format="%.12g"),
        f"{file_name(title)}-{file_name(setting_cost.label)}-costs.csv",
        "text/csv",
        "costs-csv",
    )


def tabulate_costs(setting_cost: SettingCost) -> pd.DataFrame:
    """One row a turn (a request, where turns took several calls of the model), and one of totals: their turn is
    ``all``, and what was spent so far is what is spent at the end."""
    has_calls = setting_cost.setting.run.has_calls
    frame = setting_cost.cost.frame("request" if has_calls else "turn")
    total: dict[Hashable, Any] = frame.sum(skipna=False).to_dict()
    total |= {name: frame[name].iloc[-1] for name in _SO_FAR}
    turns = [*frame["turn"].astype(str), ALL_TURNS]
    last_row = pd.DataFrame([total]).astype(frame.dtypes)
    table = pd.concat([frame, last_row], ignore_index=True).assign(turn=turns)
    if has_calls:
        table = table.assign(call=[*frame["call"].astype(str), ""])
    return table


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    """Dollars with as many digits as the smallest amount needs to show two."""
    money = [name for name in table.columns if name.endswith("_usd")]
    amounts = [usd for name in money for usd in table[name].tolist() if usd > 0]
    digits = max(2, 1 - floor(log10(min(amounts)))) if amounts else 2
    columns = {}
    for name in table.columns.difference(["turn", "call"], sort=False):
        columns[_(_TITLES[name])] = st.column_config.NumberColumn(
            format=f"%.{digits}f" if name in money else "localized",
            help=tooltip(_WORDS[name]) if name in _WORDS else None,
        )
    return columns
