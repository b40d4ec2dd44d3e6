"""Details of a page, closed at first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from pandas import DataFrame


@st.fragment
def folded(question: str, key: str, icon: str, show: Callable[[], None]) -> None:
    """A question that ``show`` answers; the answer is made only when somebody opens it."""
    opened = st.expander(question, icon=icon, key=key, on_change="rerun")
    if opened.open:
        with opened:
            show()


def numbers_of(
    question: str, key: str, table: Callable[[], DataFrame], alt: str
) -> None:
    """The table behind a chart. Of more turns than it has rows every so many are told."""
    folded(question, key, ":material/table:", lambda: _table(table(), alt))


def _table(table: DataFrame, alt: str) -> None:
    st.dataframe(table, hide_index=True, alt=alt)
    turns = table["Turn"].tolist()
    if len(turns) > 1 and turns[1] - turns[0] > 1:
        st.caption(
            f"Every {turns[1] - turns[0]:,} turns, as the chart cannot show each of them either."
        )
