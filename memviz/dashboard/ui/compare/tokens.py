"""Compare, by tokens: what every setting sends with each request, in tokens or as percent of a context window or of the
largest request."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import RequestPlace, counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tables import tokens_finding, tokens_table
from memviz.dashboard.charts.requests.token_axis import Window
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.thinning import MAX_POINTS
from memviz.dashboard.ui.compare.ask_all import ask_all_settings
from memviz.dashboard.ui.compare.dollars_explained import window_tokens
from memviz.dashboard.ui.compare.free_run import draw_answers_of_turn
from memviz.dashboard.ui.compare.reader import (
    draw_beside_reader,
    shared_axis,
    tell_audience_of_request,
)
from memviz.dashboard.ui.compare.selection import read_selection, select_clicked
from memviz.dashboard.ui.compare.value_handle import draw_value_handle
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.controls.pictures import (
    compaction_notes,
    kept_figure,
    numbers_of,
    picture,
    picture_pixels,
    places,
    step_by_step,
)
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import row, show_table
from memviz.dashboard.ui.shell.linked import linked, linked_range
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.requests import table_place_words
from memviz.metrics.requests.token_use import count_token_use
from memviz.transcripts.base import Transcript

CHART_KEY = "compare-tokens"
NUMBER_PIXELS = 170
TOKENS_HELP = noop(
    "Tokens sent to the chat model over all requests, against the first setting."
)


def draw_tokens_view(
    settings: Sequence[SettingRun], transcript: Transcript, models: Models
) -> None:
    """Show what every setting sends: the chart, the key numbers, one request in full, and a question to all."""
    say_not_recorded(settings)
    is_free_run = compare_state().free_run
    answers = partial(draw_answers_of_turn, settings) if is_free_run else None
    tell_audience_of_request(tokens_finding(settings), compaction_notes(settings))
    draw_beside_reader(
        settings,
        transcript,
        partial(draw_tokens_chart, settings, transcript, models),
        {CHART_KEY: shared_axis(settings)},
        draw_notes=partial(_draw_notes, settings, transcript),
        draw_below=answers,
    )
    # Before the warnings, so that it stands in view with the picture.
    if not hides(Part.QUESTIONS):
        ask_all_settings(settings, models, transcript.probes)
    if not hides(Part.NUMBERS):
        draw_health(settings)
        draw_key_numbers(settings)


def draw_tokens_chart(
    settings: Sequence[SettingRun], transcript: Transcript, models: Models
) -> None:
    """Draw the main picture, the tokens of every turn. A click on it moves the selection."""
    if not hides(Part.CONTROLS):
        with row("compare-above"):
            looked_at = read_selection(settings).setting
            draw_value_handle(looked_at, models.summarizer, CHART_KEY)
    turns = _choose_turns(settings)
    pixels = height_pixels.add_legend_height(
        height_pixels.TOKENS_ABOVE_PLAYER, len(settings)
    )
    figure = kept_figure(
        settings[0].run,
        tokens_per_turn,
        tuple(settings),
        height=picture_pixels(pixels),
        recorded=transcript.events,
        turns=turns,
        window=chosen_window(settings),
        magnified=bool(widget_value(MAGNIFIED_KEY)),
    )
    on_click = partial(select_clicked, CHART_KEY, settings)
    picture(figure, CHART_KEY, tokens_finding(settings), on_click, pixels)


def _draw_notes(settings: Sequence[SettingRun], transcript: Transcript) -> None:
    """Show what one should know about the picture: what is not, or not so, in it."""
    say_who_summarized(settings)
    if transcript.events:
        st.caption(
            _(
                "Dotted lines: summarized by the program that the conversation was imported from."
            )
        )


def _choose_turns(settings: Sequence[SettingRun]) -> range | None:
    """Draw the choice of the turns to look at, and return them; ``None`` where the chart can show all."""
    last = settings[0].run.log.turn_count
    if last <= MAX_POINTS:
        return None
    key = f"compare-turns-{compare_state().conversation_id}"
    linked_range("turns", key, last)
    first, stop = st.slider(
        _("Turns"),
        1,
        last,
        (1, last),
        key=key,
        help=_("Fewer turns are drawn in more detail."),
    )
    return range(first, stop + 1)


def draw_key_numbers(settings: Sequence[SettingRun]) -> None:
    """Draw the tokens sent in all, each against the first setting, and the table of details."""
    first_tokens = count_token_use(settings[0].run).sent_tokens
    for column, setting in places(settings, NUMBER_PIXELS):
        tokens = count_token_use(setting.run).sent_tokens
        change = tokens / first_tokens - 1 if first_tokens else 0
        delta = None
        if setting is not settings[0]:
            delta = _("{change:+.0%} tokens", change=change)
        column.metric(
            setting.label,
            counted(tokens, "token"),
            delta,
            delta_color="inverse" if change < 0 else "off",
            help=_(TOKENS_HELP),
        )
    # style.css aligns them at the right, where digits compare.
    with st.container(key="compare-numbers"):
        show_table(_columns(settings), _(TABLE_ALT))
    numbers_of(
        step_by_step(settings),
        "compare-turn-numbers",
        partial(tokens_table, settings),
        _("Tokens sent with each request, one column a setting"),
    )


TABLE_ALT = noop("What each setting sent, cleared and summarized, one column a setting")
_REQUESTS = noop("Requests (calls of the chat model)")
_EARLIER_TOKENS = noop("of them before the last call of a turn")
_REDUCTIONS = noop("Times that messages were cleared or shortened")
_REDUCED_MESSAGES = noop("Messages cleared or shortened at the end")
_ROWS = {
    _REQUESTS: "requests",
    noop("Tokens sent to the chat model"): "sent_tokens",
    _EARLIER_TOKENS: "earlier_tokens",
    noop("Mean request"): "mean_tokens",
    noop("Largest request"): "peak_tokens",
    noop("Largest request at turn"): "peak",
    _REDUCTIONS: "reductions",
    _REDUCED_MESSAGES: "reduced_messages",
    noop("Summaries written"): "summarizations",
    noop("Summarizer calls"): "summarizer_calls",
    noop("Failed calls (messages kept)"): "failed_summarizations",
    noop("Tokens sent to the summarizer"): "summarizer_prompt_tokens",
    noop("Tokens the summarizer wrote"): "summarizer_output_tokens",
    noop("All tokens, both models"): "all_tokens",
    noop("Requests over their limit"): "over_budget_requests",
}
"""The rows of the table, each with the number of a :class:`TokenUse`."""
OF_CALLS = {_REQUESTS, _EARLIER_TOKENS}
"""The rows that are left out where every turn took one call of the model."""
OF_REDUCTIONS = {_REDUCTIONS, _REDUCED_MESSAGES}
"""The rows that are left out where no setting cleared or shortened messages."""


def _columns(settings: Sequence[SettingRun]) -> dict[str, dict[str, str]]:
    """Return the columns of the table. It is a static one: a grid would load a megabyte of script before the first
    chart."""
    uses = [count_token_use(setting.run) for setting in settings]
    left_out: set[str] = set()
    if not any(setting.run.has_calls for setting in settings):
        left_out |= OF_CALLS
    if not any(use.reductions for use in uses):
        left_out |= OF_REDUCTIONS
    columns = {}
    for setting, use in zip(settings, uses, strict=True):
        cells = {}
        for name, measure in _ROWS.items():
            if name not in left_out:
                cells[_(name)] = _cell(getattr(use, measure))
        columns[plain(setting.label)] = cells
    return columns


def _cell(value: float | RequestPlace) -> str:
    if isinstance(value, tuple):
        return table_place_words(value)
    return f"{round(value):,}"


PERCENT_KEY = "compare-percent-of"
OF_WINDOW = "window"
OF_LARGEST = "largest"
MAGNIFIED_KEY = "compare-magnified"
MAGNIFIED = "small"


def choose_scale() -> None:
    """Choose what the chart counts in and how high it is. The window is that of the model
    whose prices count under Dollars, and is offered only if it is known. Of which model and
    how large it is, the axis says."""
    names = {OF_LARGEST: _("Percent of the largest request")}
    if window_tokens(prices_in_force()):
        names[OF_WINDOW] = _("Percent of the context window")
    linked("percent-of", PERCENT_KEY, list(names))
    linked("magnified", MAGNIFIED_KEY, [MAGNIFIED])
    st.markdown(_("**Scale of the chart**"))
    st.pills(
        _("The chart shows"),
        [MAGNIFIED],
        key=MAGNIFIED_KEY,
        format_func={MAGNIFIED: _("What is small, magnified")}.__getitem__,
        help=_("The lines that go far higher leave the picture."),
    )
    st.selectbox(
        _("The chart counts in"),
        names,
        index=None,
        key=PERCENT_KEY,
        format_func=names.__getitem__,
        placeholder=_("Tokens"),
    )


def chosen_window(settings: Sequence[SettingRun]) -> Window | None:
    """Return what tokens are given as percent of; ``None``: they are given as tokens."""
    unit = widget_value(PERCENT_KEY)
    if unit == OF_WINDOW:
        prices = prices_in_force()
        size = window_tokens(prices)
        if size and prices.main:
            return Window(size, _("{model}'s window", model=prices.main.model))
    elif unit == OF_LARGEST:
        largest = max(setting.run.columns.largest for setting in settings)
        if largest:
            return Window(largest, _("the largest request"))
    return None
