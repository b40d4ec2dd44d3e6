"""All strategies, each with what it does, what it sent of a conversation, and a link to its page."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.dashboard.guide.examples import example_of
from memviz.dashboard.guide.strategies import StrategyPage, strategy_pages
from memviz.dashboard.ui.guide.address import STRATEGY
from memviz.dashboard.ui.guide.mini_picture import mini_picture

COLUMNS = 4
PAGE = "pages/guide.py"


def strategy_list() -> None:
    """A card for each, from the simplest to the most elaborate. The pictures come last: the first visitor of a server
    waits for their replays."""
    pages, places = list(strategy_pages().values()), dict[str, DeltaGenerator]()
    for first in range(0, len(pages), COLUMNS):
        for column, page in zip(
            st.columns(COLUMNS), pages[first : first + COLUMNS], strict=False
        ):
            with column.container(
                border=True, height="stretch", key=f"guide-card-{page.id}"
            ):
                to_strategy(page, f"**{page.title}**")
                places[page.id] = st.empty()
                st.caption(page.summary)
    for id, place in places.items():
        example = example_of(id)
        if example is not None:
            place.html(mini_picture(example.picture))


def to_strategy(page: StrategyPage, label: str, icon: str | None = None) -> None:
    """A link to the page of a strategy."""
    st.page_link(PAGE, label=label, icon=icon, query_params={STRATEGY: page.id})
