"""The three views of Compare: the same settings over the same conversation, seen by what they send, what they cost and
what becomes of every message."""

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.ui.compare.playing import choose_stage, is_staged
from memviz.dashboard.ui.controls.links import STAGE, is_link_opened
from memviz.dashboard.ui.controls.sidebar import is_free_run
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost, View
from memviz.dashboard.ui.shell.walk import STAGE_KEY, STAGED

TOKENS = "tokens"
DOLLARS = "dollars"
MEMORY_MAP = "memory_map"
_MEMORY = noop(
    "A memory strategy decides what a model is sent: what is left out it cannot know, what is sent "
    "you pay for, an unchanged beginning at a discount."
)
_REPLAYED = noop("The same conversation and replies under every {setting}.")
_FREE_RUN = noop(
    "A {free_run}: a model answers one conversation under every {setting}."
)
_PLAYED = noop(
    "Each lane is one {request}, built of its messages. Click a lane to follow it."
)
_IN_DOLLARS = noop(
    "The same conversation under every {setting}, at a model's list prices and with its {prompt_cache}."
)
_ON_THE_MAP = noop(
    "One column a {request}, one row a {message}. Click a cell to read both, drag to zoom, double-click to go back."
)
_LOST_IN_TOKENS = Lost(
    noop(
        "Look first at the lines: each is one setting, and its height is how many tokens a request sent."
    ),
    noop(
        "Press Play below the chart or click a diamond, where a summary was written, and read what that request "
        "sent, and why."
    ),
    noop(
        "It answers how fast each strategy's requests grow, and what a summary takes out of them."
    ),
)
_LOST_IN_DOLLARS = Lost(
    noop(
        "Look first at the ends of the lines: the lowest one is the setting under which the whole "
        "conversation cost least."
    ),
    noop(
        "Change the pause between turns above the chart, and see how the lines change places."
    ),
    noop(
        "It answers which setting is cheapest at a model's prices, from which turn on, and what the prompt "
        "cache has to do with it."
    ),
)
_LOST_ON_THE_MAP = Lost(
    noop(
        "Look first at the colours of one row from left to right: they are the life of one message."
    ),
    noop(
        "Click a cell to read that message and the request of its column, or press Play to walk through "
        "the requests."
    ),
    noop(
        "It answers which messages are sent word for word, which live on in a summary, and which are gone."
    ),
)
_VIEWS = (
    View(
        TOKENS,
        noop("Tokens"),
        noop("What does each strategy send?"),
        _MEMORY,
        _LOST_IN_TOKENS,
    ),
    View(
        DOLLARS,
        noop("Dollars"),
        noop("What does it cost, turn by turn?"),
        _IN_DOLLARS,
        _LOST_IN_DOLLARS,
    ),
    View(
        MEMORY_MAP,
        noop("Memory map"),
        noop("What became of every message?"),
        _ON_THE_MAP,
        _LOST_ON_THE_MAP,
    ),
)
"""The views with the charts, in English."""


def _with_terms(sentence: str) -> str:
    """Return a sentence in which the words of the glossary are said with their meanings."""
    return _(
        sentence,
        setting=term("setting"),
        free_run=term("free run"),
        request=term("request"),
        message=term("message"),
        prompt_cache=term("prompt cache"),
    )


def compare_views() -> tuple[View, ...]:
    """Return the views, by where the replies come from. To be called before anything is drawn: a link that was just
    opened says whether they show the stage or the charts."""
    if is_link_opened():
        set_widget(STAGE_KEY, STAGED if st.query_params.get(STAGE) == STAGED else None)
    replies = _with_terms(_FREE_RUN if is_free_run() else _REPLAYED)
    on_stage = _("{replies} {lanes}", replies=replies, lanes=_with_terms(_PLAYED))
    views = []
    for view in _VIEWS:
        sentence = _with_terms(view.sentence)
        if is_staged():
            sentence = on_stage
        elif view.id == TOKENS and is_free_run():
            sentence = _("{memory} {replies}", memory=sentence, replies=replies)
        views.append(
            View(
                view.id,
                _(view.name),
                _(view.question),
                sentence,
                Lost(*map(_, view.lost)),
                choose_stage,
            )
        )
    return tuple(views)
