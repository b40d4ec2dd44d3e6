"""The scale of the chart of tokens: what it counts in, and what of it is magnified."""

from collections.abc import Sequence

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.charts.requests.token_axis import Window
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.dollars_explained import window_tokens
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import widget_value

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
        list(names),
        index=None,
        key=PERCENT_KEY,
        format_func=names.__getitem__,
        placeholder=_("Tokens"),
    )


def is_magnified() -> bool:
    """Return true if the chart shows what is small, magnified."""
    return bool(widget_value(MAGNIFIED_KEY))


def chosen_window(settings: Sequence[SettingRun]) -> Window | None:
    """Return what tokens are given as percent of; ``None``: they are given as tokens."""
    chosen = widget_value(PERCENT_KEY)
    if chosen == OF_WINDOW:
        prices = prices_in_force()
        size = window_tokens(prices)
        if size and prices.main:
            return Window(size, _("{model}'s window", model=prices.main.model))
    elif chosen == OF_LARGEST:
        largest = max(one.run.columns.largest for one in settings)
        if largest:
            return Window(largest, _("the largest request"))
    return None
