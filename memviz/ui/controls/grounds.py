"""What the figures of a page rest on: one line where the bundled model wrote the summaries."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.summaries.authors import OFFLINE_SUMMARIES, has_offline_summary
from memviz.models.registry import OFFLINE

CHANGE_IT = "Choose another summarizer under *Change* in the sidebar."
"""How a visitor gets other summaries."""


def summaries_by(summarizer_name: str, settings: Sequence[SettingRun] | None = None) -> None:
    """Draw one caption where summaries on this page were written by the offline model, and nothing elsewhere.

    ``settings`` are the runs that the page shows: their records say who wrote. Without them (``None``) the summarizer
    that is chosen is taken as the writer, so call it only where anything was summarized.
    """
    is_chosen = summarizer_name == OFFLINE
    if is_chosen if settings is None else any(has_offline_summary(setting.run) for setting in settings):
        st.caption(f"{OFFLINE_SUMMARIES} {CHANGE_IT}" if is_chosen else OFFLINE_SUMMARIES)
