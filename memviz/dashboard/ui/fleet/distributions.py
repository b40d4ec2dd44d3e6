"""The chart of distributions over a fleet, and the table with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.sweeps.distributions import (
    distribution_rows,
    distributions_finding,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.controls.pictures import as_shown, chart
from memviz.dashboard.ui.shell.elements import show_info
from memviz.tuning.fleet.results import FleetSweep

if TYPE_CHECKING:
    from pandas import DataFrame

_FORMATS = {"retention": "percent", "sent_tokens": "localized", "usd": "$%.4f"}
_QUANTILE_TITLES = {
    "mean": noop("Mean"),
    "p10": noop("1 in 10 below (p10)"),
    "median": noop("Median"),
    "p90": noop("9 in 10 below (p90)"),
}
TOTAL_HELP = noop(
    "Dollars of all conversations under this setting; unknown where those of any are."
)


def draw_distributions(sweep: FleetSweep, measure: str, labels: Sequence[str]) -> None:
    """Draw how a measure is spread over the conversations of each setting: quantiles, and below them the numbers."""
    table = sweep.distributions(measure)
    table["label"] = [labels[number] for number in table["setting"]]
    if table["median"].isna().all():
        unknown = _(
            "It is not known of any conversation: facts were not looked for, or no price is known."
        )
        show_info(unknown)
    else:
        _draw_chart(table, measure)
    _draw_table(table, measure)


def _draw_chart(table: DataFrame, measure: str) -> None:
    figure = as_shown(distribution_rows(table, measure))
    chart(figure, "fleet-distributions", distributions_finding(table, measure))
    st.caption(
        _(
            "The thin line holds 8 of 10 conversations, the thick one the half in the middle; the mark is the "
            "median."
        )
    )


def _draw_table(table: DataFrame, measure: str) -> None:
    number = partial(st.column_config.NumberColumn, format=_FORMATS[measure])
    quantiles = {name: number(_(title)) for name, title in _QUANTILE_TITLES.items()}
    columns: dict[str, Any] = {
        "label": st.column_config.TextColumn(
            _("Setting"), pinned=True, help=tooltip("setting")
        ),
        "conversations": st.column_config.NumberColumn(
            _("Conversations"), format="localized"
        ),
        **quantiles,
        "usd": st.column_config.NumberColumn(
            _("All together (USD)"), format="$%.2f", help=_(TOTAL_HELP)
        ),
    }
    st.dataframe(
        table[list(columns)],
        hide_index=True,
        column_config=columns,
        key="fleet-table",
        alt=_(
            "{measure} over the conversations of each setting",
            measure=WORDS[measure].title,
        ),
    )
