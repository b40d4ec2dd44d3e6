"""The answer of a sweep in a box, with what it rests on; the best setting of each strategy; the way to the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import FACTS_VIEW, turn_to
from memviz.dashboard.ui.tune.grid import try_value
from memviz.tuning.best_of_each import StrategyBest, best_of_each
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import Grounds
from memviz.tuning.recommendation import Recommendation, recommend, share_in_words
from memviz.tuning.results import Sweep


def recommendation(sweep: Sweep, constraints: Constraints) -> Recommendation:
    """Say which setting to take, why, and on what grounds."""
    best = recommend(sweep, constraints)
    answer_box(best.headline, best.why, best.grounds, fits=best.setting is not None)
    return best


def answer_box(headline: str, text: str, grounds: Grounds, *, fits: bool) -> None:
    """An answer: green where there are facts enough to rely on it, blue on few, amber where nothing fits. It ends with
    the facts that it was measured on."""
    text = plain(f"{text} {grounds.sentence}")
    words = f"**{plain(headline)}** {text}" if headline else text
    if not fits:
        st.warning(words, icon=":material/help:")
    elif grounds.are_thin:
        st.info(words, icon=":material/lightbulb:")
    else:
        st.success(words, icon=":material/check_circle:")


def facts_button(conversations: Sequence[str]) -> None:
    """The way to the facts that the answer was measured on."""
    if st.button(
        "Open the facts", icon=":material/checklist:", key="tune-facts", type="tertiary"
    ):
        _open_facts(conversations)


def _open_facts(conversations: Sequence[str]) -> None:
    """The facts of the conversation that was swept over; of several, of the one that other pages show or the first."""
    study = compare_state()
    if study.conversation_id not in conversations:
        study.open(conversations[0])
    turn_to("facts", FACTS_VIEW, "lives")


MEASURES = ("retention", "usd", "all_tokens", "peak_tokens")
EDGE_HELP = "The best value lies at the edge of those that were tried. This adds the next one and measures it."
HELP = "Of each strategy the cheapest setting that keeps what you ask for; where none does, the one that keeps most."


def best_table(sweep: Sweep, constraints: Constraints) -> None:
    """One row a strategy, and the buttons."""
    found = best_of_each(sweep, constraints)
    if len(found) < 2:
        return
    st.header("Best of each strategy", anchor=False, help=HELP)
    unknown = "all_tokens" if sweep.cost_measure == "usd" else "usd"
    measures = [name for name in MEASURES if name != unknown]
    st.table(
        pd.DataFrame([_row(one, measures, constraints) for one in found]),
        border="horizontal",
        hide_index=True,
        alt="The best setting of each strategy",
    )
    at_edge = [one for one in found if one.edge is not None]
    if at_edge:
        st.caption(
            "Best at the edge of the values tried, so the next value may do better:"
        )
    with st.container(horizontal=True, gap="small"):
        for one in at_edge:
            edge_button(one)


def _row(one: StrategyBest, measures: list[str], asked: Constraints) -> dict[str, str]:
    label = plain(one.row["label"])
    row = {"Setting": label if one.fits else f"{label} ({missed(one.row, asked)})"}
    for name in measures:
        row[_title(name)] = plain(shown(name, one.row[name]))
    return row


def missed(row: Mapping[str, Any], asked: Constraints) -> str:
    """Return where a setting stays behind what is asked for: ``below 90%``, ``over 3,000 tokens``."""
    limit = asked.max_peak_tokens
    if limit is not None and row["peak_tokens"] > limit:
        return f"over {limit:,} tokens"
    return f"below {share_in_words(asked.min_retention, row['retention'])}"


def _title(measure: str) -> str:
    words = WORDS[measure]
    return words.title if words.is_money or words.is_share else words.axis_title


def edge_button(one: StrategyBest, *, names_strategy: bool = True) -> None:
    """The button that adds the next value to the grid and measures it; none where the best lies between others."""
    if one.edge is not None:
        value = plain(one.edge.in_code)
        label = (
            f"{plain(one.setting.title)}: try {value}"
            if names_strategy
            else f"Try {value}"
        )
        st.button(
            label,
            icon=":material/add:",
            help=EDGE_HELP,
            key=f"tune-edge-{one.setting.id}",
            on_click=try_value,
            args=(one.setting.id, one.edge),
        )
