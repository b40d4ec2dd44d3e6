"""The watched conversations, and of one what is in its window right now."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple

import pandas as pd
import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.data import stage_data
from memviz.dashboard.ui.controls.conversations import WHOLE_HELP
from memviz.dashboard.ui.controls.jobs import start_button
from memviz.dashboard.ui.controls.stage_widget import stage
from memviz.dashboard.ui.controls.study import FIRST_MESSAGES, open_in_compare
from memviz.dashboard.ui.shell.elements import (
    error_shown,
    quiet_button,
    row,
    show_caption,
    show_data,
    show_title,
    show_warning,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import has_own_libraries
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.live import (
    ROLES,
    fill_words,
    forecast_words,
    grown_words,
    growth_words,
    problem_words,
    program_words,
    removed_words,
)
from memviz.storage.watched import WatchedConversation
from memviz.watching.example import begin_example, grow_example
from memviz.watching.live import LiveConversation, LiveView, WindowItem

CHOICE_KEY = "live-conversation"
LOOKED_AT = "live"
"""The key of the conversation that a visitor looks at, in their session."""
PART = "watched"
"""The part of the address that names the chosen conversation."""
ENDING_CHARS = 24
"""Of the key of a conversation, where others have its title."""
SHOWN = 50
GROWING_SECONDS = 60.0
"""What grew within so many seconds is looked at again and again."""
TICK_SECONDS = 1.5
IDLE_SECONDS = 10.0
KEPT = 2
"""Conversations that are played on in this process; others begin again when chosen."""
WHOLE_KEY = "live-whole"
"""The key under which it stands that a conversation is played from its first message on."""
STEPS = 60
"""The newest requests that the stage plays."""
MAX_SHOWN_CHARS = 160


class _Played(NamedTuple):
    """A conversation that is played on, shared by its visitors one after the other."""

    lock: Lock
    live: LiveConversation


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _play_live(path: str, key: str, newest: int | None) -> _Played:
    return _Played(Lock(), LiveConversation(workspace().store, key, newest))


def live_page() -> None:
    """Draw the list and the chosen conversation, or what to type where none is watched."""
    newest = workspace().store.newest_watched(SHOWN)
    if not newest:
        _say_nothing_watched()
        return
    by_key = {watched.key: watched for watched in newest}
    labels = _labels(newest)
    key_before = widget_value(LOOKED_AT) or st.query_params.get(PART, "")
    key = st.selectbox(
        _("Watched conversations, newest first"),
        by_key,
        # Where its label has become another, the browser no longer names it.
        index=list(by_key).index(key_before) if key_before in by_key else 0,
        key=CHOICE_KEY,
        format_func=lambda key: labels.get(key, key),
    )
    if key is None:
        return
    set_widget(LOOKED_AT, key)
    if st.query_params.get(PART) != key:
        st.query_params[PART] = key
    seconds = TICK_SECONDS if _is_growing(by_key[key]) else IDLE_SECONDS
    draw = st.fragment(_draw_conversation, run_every=seconds)
    draw(key, frozenset(by_key), seconds)


def _say_nothing_watched() -> None:
    if has_own_libraries():
        st.info(
            _(
                "Nothing is watched in a class: this is for programs on a machine of your own."
            ),
            icon=":material/sensors:",
        )
    else:
        st.info(
            _(
                "Nothing is watched yet. Type this in a terminal, and go on working with Claude Code, "
                "Codex, Gemini CLI, Copilot CLI or opencode:"
            ),
            icon=":material/sensors:",
        )
        st.code(f"memviz watch --db {workspace().store.path}", language=None)
    _offer_example()


def _offer_example() -> None:
    """Offer to watch a bundled conversation, for a visitor who wants to see first what there is to see."""
    is_clicked = start_button(_("Watch an example"), "live-example", is_main=False)
    st.caption(
        _(
            "A bundled session of a coding agent grows here message by message; it is then in the library."
        )
    )
    if is_clicked:
        with error_shown():
            set_widget(LOOKED_AT, begin_example(workspace().store))
            st.rerun()


def _labels(newest: Sequence[WatchedConversation]) -> dict[str, str]:
    """Return the labels of conversations by their keys: each another one, and the same
    while its conversation grows, for the browser knows the chosen one by it."""
    labels = {}
    for watched in newest:
        labels[watched.key] = f"{watched.title} · {_program_of(watched)}"
    times = Counter(labels.values())
    # What is called the same is told apart by the end of its key.
    for key, label in labels.items():
        if times[label] > 1:
            labels[key] = f"{label} · {key[-ENDING_CHARS:]}"
    return labels


def _program_of(watched: WatchedConversation) -> str:
    program = program_words(str(watched.state.get("source", "")))
    if watched.state.get("is_subagent"):
        return _("{program}, subagent", program=program)
    return program


def _growth_so_far(watched: WatchedConversation) -> str:
    return _(
        "{title} · {program}, {messages:,} messages, {grown}",
        title=watched.title,
        program=_program_of(watched),
        messages=watched.message_count,
        grown=grown_words(watched.grown_at, datetime.now(UTC)),
    )


def _is_growing(watched: WatchedConversation) -> bool:
    age = datetime.now(UTC) - watched.grown_at
    return age.total_seconds() < GROWING_SECONDS


def _draw_conversation(key: str, known: frozenset[str], seconds: float) -> None:
    """Draw one conversation; the page is drawn anew where another one has begun, or this
    one begins or ceases to grow."""
    newest = workspace().store.newest_watched(SHOWN)
    is_new = not known.issuperset(watched.key for watched in newest)
    with error_shown():
        is_whole = widget_value(f"{WHOLE_KEY}-{key}")
        most_messages = None if is_whole else FIRST_MESSAGES
        grow_example(workspace().store, key)
        with st.spinner(_("The conversation is played…"), show_time=True):
            played = _play_live(workspace().store.path, key, most_messages)
            with played.lock:
                view = played.live.look()
        if view is None:
            st.info(_("This conversation was deleted."))
            return
        grows = _is_growing(view.watched)
        if is_new or grows != (seconds == TICK_SECONDS):
            st.rerun()
        show_caption(_growth_so_far(view.watched))
        if view.start:
            _say_newest(view)
        problem = problem_words(view.watched)
        if problem:
            show_warning(problem)
        _draw_window(view)
        _draw_stage(view)
        _draw_largest(view.largest)
        _draw_compacted(view)
        if st.button(
            _("Compare other strategies"),
            icon=":material/stacked_line_chart:",
            key="live-compare",
        ):
            open_in_compare(view.watched.id)


def _say_newest(view: LiveView) -> None:
    """Say that the newest messages alone are played, with a way to all of them."""
    count = view.watched.message_count
    messages = counted(count, "message")
    key = f"{WHOLE_KEY}-{view.watched.key}"
    with row("live-newest", gap="xsmall"):
        words = _(
            "**So far: the newest {shown:,} of {messages}.** Numbers are about these, and turns are counted from the "
            "first of them.",
            shown=count - view.start,
            messages=messages,
        )
        st.caption(words, width="content")
        quiet_button(
            _("Show all"),
            "live-all",
            ":material/expand_more:",
            set_widget,
            key,
            True,
            help=_(WHOLE_HELP, messages=messages),
        )


def _draw_window(view: LiveView) -> None:
    """Draw how full it is, and the forecasts."""
    show_title(fill_words(view))
    if view.window_tokens:
        st.progress(min(1.0, view.used_tokens / view.window_tokens))
    st.subheader(
        _("When it compacts next"),
        anchor=False,
        help=growth_words(view.tokens_per_turn),
    )
    lines = []
    for forecast in view.forecasts:
        name = _(forecast.preset.title)
        if forecast.is_own:
            name = _("{rule} (its own rule)", rule=name)
        lines.append(f"**{plain(name)}** · {plain(forecast_words(forecast))}")
    st.markdown("  \n".join(lines))  # in one paragraph, each on a line of its own
    if not any(forecast.is_own for forecast in view.forecasts):
        st.caption(
            _("Nobody says by which rule this program compacts: these are others'.")
        )


def _draw_stage(view: LiveView) -> None:
    settings = []
    for index, (preset, run) in enumerate(view.runs):
        settings.append(SettingRun(run, _(preset.title), index))
    count = len(settings[0].run.requests)
    if not count:
        st.caption(_("The animation follows after the first reply."))
        return
    stage(
        stage_data(
            settings,
            view.transcript,
            steps=range(max(0, count - STEPS), count),
            at=count - 1,
        ),
        "live-stage",
    )
    # Below, for the window has to hold the animation and what stands above it.
    sentences = [
        _(
            "memviz replays the log here by the rules above: it is no picture of what the program sent."
        )
    ]
    if view.removed is not None:
        sentences.append(
            _("What the last compaction took out, further below, is from the log.")
        )
    st.caption(" ".join(sentences))


def _draw_largest(items: Sequence[WindowItem]) -> None:
    st.subheader(_("The largest in the window"), anchor=False)
    total = sum(item.tokens for item in items)
    if not total:
        st.caption(_("Nothing was said yet."))
        return
    rows = []
    for item in items:
        cells = {
            _("Tokens"): item.tokens,
            _("Who"): _(ROLES[item.role]),
            _("Turn"): item.turn or None,
            _("Begins"): " ".join(item.text.split())[:MAX_SHOWN_CHARS],
        }
        rows.append(cells)
    show_data(pd.DataFrame(rows), key="live-largest")


def _draw_compacted(view: LiveView) -> None:
    st.subheader(_("What the last compaction took out"), anchor=False)
    if view.removed is None:
        words = _("The program has compacted nothing yet.")
        if view.start:
            words = _("The program has compacted nothing among these messages.")
        st.caption(words)
        return
    st.text(removed_words(view.removed))
    for item in view.removed.largest:
        words = " ".join(item.text.split())[:MAX_SHOWN_CHARS]
        st.text(f"{item.tokens:,} · {_(ROLES[item.role])} · {words}")
    if view.removed.event.text:
        with st.expander(_("Its summary")):
            st.text(view.removed.event.text)
