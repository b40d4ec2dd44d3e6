"""Compare, by tokens: what every setting sends with each request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.requests.composition import composition
from memviz.charts.requests.tokens_per_turn import SettingRun, budget_fits, tokens_per_turn
from memviz.charts.thinning import MAX_POINTS
from memviz.metrics.requests.token_use import TokenUse, token_use
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.transcripts.base import Transcript
from memviz.ui.compare.ask_all import ask_all
from memviz.ui.compare.downloads import run_downloads
from memviz.ui.compare.free_run import answers_of_turn
from memviz.ui.controls.inspector import inspector
from memviz.ui.controls.kept_figure import kept_figure
from memviz.ui.controls.known_facts import known_facts
from memviz.ui.controls.sidebar import TURN_KEY, StudyModels, choose_setting_run
from memviz.ui.shell.frame import workspace
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import CompareState, clicked_point, compare_state, set_widget, widget_value
from memviz.ui.shell.text import plain

SETTING_KEY = "compare-setting"
CHART_KEY = "compare-tokens"
LOG_KEY = "compare-log"
TURNS_KEY = "compare-turns"
INSPECTOR_PIXELS = 640
TOKENS_HELP = "Tokens sent to the chat model over all requests, against the first setting."


def tokens_view(
    state: CompareState, settings: Sequence[SettingRun], transcript: Transcript, models: StudyModels
) -> None:
    """What every setting sends: the chart, the key numbers, one request in full, and a question to all."""
    tokens_chart(settings, transcript)
    key_numbers(settings)
    details(settings, transcript, free_run=state.free_run)
    ask_all(state, settings, models.answerer, models.summarizer)


def tokens_chart(settings: Sequence[SettingRun], transcript: Transcript) -> None:
    """The main picture. A click on it moves the inspector."""
    log_scale, turns = bool(widget_value(LOG_KEY)), _choose_turns(settings)
    st.plotly_chart(
        kept_figure(
            settings[0].run, tokens_per_turn, tuple(settings), log_scale=log_scale, recorded=transcript.events,
            turns=turns,
        ),
        key=CHART_KEY, config=CONFIG, selection_mode="points",
        on_select=partial(_follow_click, [setting.index for setting in settings]),
        alt="Tokens sent per turn, one line a setting",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Log scale", key=LOG_KEY, help="Keeps small settings readable beside a growing one.")
        st.caption(
            "Diamonds mark summarizations, their drop line runs from before to after. "
            "Click a name to hide its line; click a point to see what was sent."
            + (" Dotted lines: there its own program summarized, before it was imported." if transcript.events else "")
        )
    above = [setting for setting in settings if setting.run.strategy.budget_tokens and not budget_fits(setting.run)]
    if above:
        budgets = ", ".join(f"{setting.run.strategy.budget_tokens:,} tokens of {setting.label}" for setting in above)
        st.caption(f"Not drawn, because far above everything sent: the budget of {plain(budgets)}.")


def _choose_turns(settings: Sequence[SettingRun]) -> range | None:
    """The turns to look at, where there are more than the chart can show."""
    last = settings[0].run.log.turn_count
    if last <= MAX_POINTS:
        return None
    first, stop = st.slider(
        "Turns", 1, last, (1, last), key=f"{TURNS_KEY}-{compare_state().conversation_id}",
        help="Fewer turns are drawn in more detail.",
    )  # fmt: skip
    return range(first, stop + 1)


def _follow_click(indices: Sequence[int]) -> None:
    point = clicked_point(CHART_KEY)
    if point and point.get("customdata"):
        number, turn = str(point["customdata"]).split(":")
        set_widget(TURN_KEY, int(turn))
        compare_state().looked_at = indices[int(number)]
        st.toast(f"The request of turn {turn} is shown below the table.", icon=":material/arrow_downward:")


def key_numbers(settings: Sequence[SettingRun]) -> None:
    """Tokens sent in all, each against the first setting, and the table of details."""
    uses = [token_use(setting.run) for setting in settings]
    for column, setting, use in zip(st.columns(len(settings)), settings, uses, strict=True):
        change = use.sent_tokens / uses[0].sent_tokens - 1 if uses[0].sent_tokens else 0
        column.metric(
            setting.label, f"{use.sent_tokens:,}", None if setting is settings[0] else f"{change:+.0%} tokens",
            delta_color="inverse" if change < 0 else "off", help=TOKENS_HELP,
        )  # fmt: skip
    table = settings[0].run.once((_table, tuple(settings)), lambda: _table(settings, uses))
    with st.container(key="compare-numbers"):  # style.css aligns them at the right, where digits compare
        st.table(table, border="horizontal", alt=TABLE_ALT)


TABLE_ALT = "What each setting sent and summarized, one column a setting"


def _table(settings: Sequence[SettingRun], uses: Sequence[TokenUse]) -> pd.DataFrame:
    return pd.DataFrame({plain(setting.label): _numbers(use) for setting, use in zip(settings, uses, strict=True)})


def _numbers(use: TokenUse) -> dict[str, str]:
    """A column of the table. It is a static one: a grid would load a megabyte of script before the first chart."""
    earlier = {"of them before the replies (recall, thinking)": use.earlier_tokens} if use.earlier_tokens else {}
    numbers = {
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
    # As texts: pandas' own formatting would take as long as drawing the chart.
    return {name: f"{number:,}" for name, number in numbers.items()}


@st.fragment
def details(settings: Sequence[SettingRun], transcript: Transcript, *, free_run: bool = False) -> None:
    """One setting in detail: what its requests are made of, and one request in full. With replies of its own
    also what each setting answered at that turn."""
    st.subheader("What was sent, and why?", anchor=False)
    setting = choose_setting_run(compare_state(), settings, SETTING_KEY, len(settings) - 1)
    run = setting.run
    turns = sorted({record.turn for setting in settings for record in setting.run.turns}) if free_run else (
        [record.turn for record in run.turns]
    )  # fmt: skip
    if widget_value(TURN_KEY) not in turns:
        set_widget(TURN_KEY, next((r.turn for r in reversed(run.turns) if r.compactions), turns[-1]))
    choosing, saving, sharing = st.columns([7, 1.4, 1], vertical_alignment="bottom")
    turn = choosing.select_slider("Turn", turns, key=TURN_KEY) if len(turns) > 1 else turns[0]
    with saving:
        run_downloads(settings, setting, transcript)
    with sharing:
        copy_link(compare_state(), "compare-link", turn)
    if free_run:
        answers_of_turn(settings, turn)
    picture, request = st.columns(2, gap="medium")
    with picture:
        st.plotly_chart(
            kept_figure(run, composition, run, turn), key="compare-composition", config=CONFIG,
            alt="Tokens of each part of every request, stacked",
        )  # fmt: skip
    with request:
        record = record_of_turn(run, turn)
        total = f", {record.total_tokens:,} tokens" if record else ""
        st.markdown(f"**Request of turn {turn}{total}**")
        with st.container(height=INSPECTOR_PIXELS, border=False):
            inspector(run, turn, "compare", known_facts(workspace(), compare_state().conversation_id, run.log))
