"""The pieces of the compare page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.requests.composition import composition
from memviz.charts.requests.tokens_per_turn import Line, budget_fits, tokens_per_turn
from memviz.metrics.requests.token_use import TokenUse, token_use
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.transcripts.base import Transcript
from memviz.ui.compare.downloads import run_downloads
from memviz.ui.compare.free_run import answers_of_turn
from memviz.ui.controls.inspector import inspector
from memviz.ui.controls.sidebar import TURN_KEY, answered_anew, choose_line
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import clicked_point, compare_state, set_widget, widget_value
from memviz.ui.shell.text import plain

SETTING_KEY = "compare-setting"
CHART_KEY = "compare-tokens"
LOG_KEY = "compare-log"
INSPECTOR_PIXELS = 640
TOKENS_HELP = "Tokens sent to the chat model over all requests, against the first setting."


def compare_sentence() -> str:
    """What the page shows, by where its replies come from."""
    if answered_anew():
        return "One conversation, answered anew under every setting. Diamonds mark where it was summarized, and why."
    return (
        "One conversation, replayed under every setting with the very same replies. "
        "Diamonds mark where it was summarized, and why."
    )


def tokens_chart(lines: Sequence[Line], transcript: Transcript) -> None:
    """The main picture. A click on it moves the inspector."""
    log_scale = bool(widget_value(LOG_KEY))
    st.plotly_chart(
        tokens_per_turn(lines, log_scale=log_scale, recorded=transcript.events), key=CHART_KEY, config=CONFIG,
        selection_mode="points", on_select=partial(_follow_click, [line.index for line in lines]),
        alt="Tokens sent per turn, one line a setting",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Log scale", key=LOG_KEY, help="Keeps small settings readable beside a growing one.")
        st.caption(
            "Diamonds mark summarizations, their drop line runs from before to after. "
            "Click a name to hide its line; click a point to see what was sent."
            + (" Dotted lines: there its own program summarized, before it was imported." if transcript.events else "")
        )
    above = [line for line in lines if line.run.strategy.budget_tokens and not budget_fits(line.run)]
    if above:
        budgets = ", ".join(f"{line.run.strategy.budget_tokens:,} tokens of {line.label}" for line in above)
        st.caption(f"Not drawn, because far above everything sent: the budget of {plain(budgets)}.")


def _follow_click(indices: Sequence[int]) -> None:
    point = clicked_point(CHART_KEY)
    if point and point.get("customdata"):
        number, turn = str(point["customdata"]).split(":")
        set_widget(TURN_KEY, int(turn))
        compare_state().looked_at = indices[int(number)]
        st.toast(f"The request of turn {turn} is shown below the table.", icon=":material/arrow_downward:")


def key_numbers(lines: Sequence[Line]) -> None:
    """Tokens sent in all, each against the first setting, and the table of details."""
    uses = [token_use(line.run) for line in lines]
    for column, line, use in zip(st.columns(len(lines)), lines, uses, strict=True):
        change = use.sent_tokens / uses[0].sent_tokens - 1 if uses[0].sent_tokens else 0
        column.metric(
            line.label, f"{use.sent_tokens:,}", None if line is lines[0] else f"{change:+.0%} tokens",
            delta_color="inverse" if change < 0 else "off", help=TOKENS_HELP,
        )  # fmt: skip
    columns = {plain(line.label): _numbers(use) for line, use in zip(lines, uses, strict=True)}
    st.table(pd.DataFrame(columns).style.format("{:,}"), border="horizontal", alt=TABLE_ALT)


TABLE_ALT = "What each setting sent and summarized, one column a setting"


def _numbers(use: TokenUse) -> dict[str, int]:
    """A column of the table. It is a static one: a grid would load a megabyte of script before the first chart."""
    earlier = {"of them before the replies (recall, thinking)": use.earlier_tokens} if use.earlier_tokens else {}
    return {
        "Tokens sent to the chat model": use.sent_tokens,
        **earlier,
        "Mean request": round(use.mean_tokens),
        "Largest request": use.peak_tokens,
        "at turn": use.peak_turn,
        "Summaries written": use.summarizations,
        "Summarizer calls": use.summarizer_calls,
        "of them failed (nothing is lost)": use.failed_summarizations,
        "Tokens sent to the summarizer": use.summarizer_prompt_tokens,
        "Tokens the summarizer wrote": use.summarizer_output_tokens,
        "All tokens, both models": use.all_tokens,
        "Requests over the budget": use.over_budget_requests,
    }


@st.fragment
def details(lines: Sequence[Line], transcript: Transcript, *, own_replies: bool = False) -> None:
    """One setting in detail: what its requests are made of, and one request in full. With replies of its own
    also what each setting answered at that turn."""
    st.subheader("What was sent, and why?", anchor=False)
    line = choose_line(compare_state(), lines, SETTING_KEY, len(lines) - 1)
    run = line.run
    turns = sorted({record.turn for line in lines for record in line.run.turns}) if own_replies else (
        [record.turn for record in run.turns]
    )  # fmt: skip
    if widget_value(TURN_KEY) not in turns:
        set_widget(TURN_KEY, next((r.turn for r in reversed(run.turns) if r.compactions), turns[-1]))
    choosing, saving, sharing = st.columns([7, 1.4, 1], vertical_alignment="bottom")
    turn = choosing.select_slider("Turn", turns, key=TURN_KEY) if len(turns) > 1 else turns[0]
    with saving:
        run_downloads(lines, line, transcript)
    with sharing:
        copy_link(compare_state(), "compare-link", turn)
    if own_replies:
        answers_of_turn(lines, turn)
    picture, request = st.columns(2, gap="medium")
    with picture:
        st.plotly_chart(
            composition(run, turn), key="compare-composition", config=CONFIG,
            alt="Tokens of each part of every request, stacked",
        )  # fmt: skip
    with request:
        record = record_of_turn(run, turn)
        total = f", {record.total_tokens:,} tokens" if record else ""
        st.markdown(f"**Request of turn {turn}{total}**")
        with st.container(height=INSPECTOR_PIXELS, border=False):
            inspector(run, turn, "compare")
