"""Choosing a strategy: those that can be run here, and why others cannot."""

from __future__ import annotations

from urllib.parse import quote

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies import strategies
from memviz.strategies.base import Strategy


def refused() -> dict[str, str]:
    """Why strategies cannot be run here, by their ids."""
    reasons = {id: _reason(cls) for id, cls in strategies().items()}
    return {id: reason for id, reason in reasons.items() if reason}


def _reason(cls: type[Strategy]) -> str:
    try:
        return cls().can_be_run()
    except MemvizError:  # it has no default for a parameter, so it can say nothing yet
        return ""


def offered(chosen: str = "") -> dict[str, type[Strategy]]:
    """The strategies to choose from, by id; the one that is ``chosen`` also where it cannot be run, as a link or a file
    may ask for it."""
    left_out = refused()
    return {
        id: cls
        for id, cls in strategies().items()
        if id not in left_out or id == chosen
    }


def refused_words() -> list[str]:
    """A line on each strategy that is not offered."""
    return [
        f"Not offered: {strategies()[id].title}. {reason}"
        for id, reason in refused().items()
    ]


def say_refused() -> None:
    """The lines, where there are any."""
    for line in refused_words():
        st.caption(plain(line))


def in_the_guide(cls: type[Strategy]) -> str:
    """What a strategy does, in a sentence of Markdown with a link to its page of the guide."""
    return f"{plain(cls.summary_line())} [More in the guide](guide?strategy={quote(cls.id)})"


def strategy_control(chosen: str, key: str) -> str:
    """Choose a strategy; returns its id."""
    known = offered(chosen)
    found = st.selectbox(
        "Strategy",
        list(known),
        index=list(known).index(chosen),
        format_func=lambda id: known[id].title,
        key=key,
        help="\n\n".join(
            f"**{cls.title}**: {cls.summary_line()}" for cls in known.values()
        ),
    )
    say_refused()
    return found
