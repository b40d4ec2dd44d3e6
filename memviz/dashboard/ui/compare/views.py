"""The three views of Compare: the same settings over the same conversation, seen by what they send, what they cost and
what becomes of every message. Ten classic effects lead into them."""

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.lessons import lessons
from memviz.dashboard.lessons.lesson import Step, language_of_reader
from memviz.dashboard.lessons.library import classic_effects as effects
from memviz.dashboard.ui.compare.playing import (
    choose_stage,
    is_staged,
    take_linked_stage,
)
from memviz.dashboard.ui.controls.classic_effects import query_of_effect
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.controls.sidebar import is_free_run
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import (
    COMPARE_VIEW,
    FACTS_VIEW,
    Lost,
    View,
    ask_view,
)

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
    """Return the views, by where the replies come from."""
    replies = _with_terms(_FREE_RUN if is_free_run() else _REPLAYED)
    take_linked_stage()
    in_tokens = _(_MEMORY)
    if is_free_run():
        in_tokens = _("{memory} {replies}", memory=_(_MEMORY), replies=replies)
    in_dollars = _with_terms(_IN_DOLLARS)
    on_the_map = _with_terms(_ON_THE_MAP)
    if is_staged():
        lanes = _with_terms(_PLAYED)
        played = _("{replies} {lanes}", replies=replies, lanes=lanes)
        in_tokens = in_dollars = on_the_map = played
    return (
        View(
            TOKENS,
            _("Tokens"),
            _("What does each strategy send?"),
            in_tokens,
            Lost(*map(_, _LOST_IN_TOKENS)),
            choose_stage,
        ),
        View(
            DOLLARS,
            _("Dollars"),
            _("What does it cost, turn by turn?"),
            in_dollars,
            Lost(*map(_, _LOST_IN_DOLLARS)),
            choose_stage,
        ),
        View(
            MEMORY_MAP,
            _("Memory map"),
            _("What became of every message?"),
            on_the_map,
            Lost(*map(_, _LOST_ON_THE_MAP)),
            choose_stage,
        ),
    )


FIRST_LESSON = "first-look"
SHOWN_KEY = "effects-shown"
SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}


def help_key() -> str:
    """Return the key of the help: another one, so a closed one, once an effect is shown."""
    return f"lost-{widget_value(SHOWN_KEY) or 0}"


def first_steps() -> None:
    """Draw the way to the first lesson, and the classic effects: each in one sentence, and
    a click that shows it."""
    st.page_link(
        "pages/lessons.py",
        label=_(
            "The first lesson: {minutes} minutes",
            minutes=lessons()[FIRST_LESSON].minutes,
        ),
        icon=":material/school:",
        query_params={"lesson": FIRST_LESSON},
    )
    st.markdown(_("**Ten classic effects**, each on a bundled conversation"))
    for number, effect in enumerate(effects(), 1):
        _effect(number, effect)


def _effect(number: int, effect: Step) -> None:
    with st.container(gap=None, key=f"classic-effect-{number}"):
        if st.button(
            f"**{number}. {effect.title.said(language_of_reader())}**",
            key=f"show-effect-{number}",
            type="tertiary",
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            set_widget(SHOWN_KEY, (widget_value(SHOWN_KEY) or 0) + 1)
            ask_view(SWITCHES[effect.view.page], effect.view.show)
            follow(effect.view.page, query_of_effect(effect))
        st.caption(plain(effect.text.said(language_of_reader())))
