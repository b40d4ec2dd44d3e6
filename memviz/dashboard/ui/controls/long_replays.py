"""Replays that take longer than a visitor likes to wait: the page draws what there is so far, says how long the rest
takes, and can stop it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from time import monotonic

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.ui.controls.resumable_job import start_button, stop_button
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.state import Setting
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.run import Run

AT_ONCE_SECONDS = 2.5
"""So long a page waits for its replays; then it draws what there is."""
REFRESH_SECONDS = 0.5
Work = tuple[Setting, BackgroundReplay]


def replayed(at_work: Sequence[Work]) -> list[tuple[Setting, Run]]:
    """The runs of the replays that are at work, as far as they have come in a moment. Those that are not over go on
    when the page is drawn, and the page is drawn again once they are."""
    end = monotonic() + AT_ONCE_SECONDS
    for _, work in at_work:
        if not work.is_stopped:
            work.go_on()
    for _, work in at_work:
        work.wait(max(0.0, end - monotonic()))
    for _, work in at_work:
        if work.error is not None:
            show_error(work.error)
    unfinished = [(setting, work) for setting, work in at_work if not work.is_over]
    found = [
        (setting, work.so_far()) for setting, work in at_work if work.error is None
    ]
    if unfinished:
        _watch(unfinished, count())
    return [(setting, run) for setting, run in found if run.turns]


@st.fragment(run_every=REFRESH_SECONDS)
def _watch(at_work: Sequence[Work], looks: count[int]) -> None:
    """How far they are, how long the rest takes, and a way out."""
    is_first = (
        next(looks) == 0
    )  # the page is just being drawn: the replays rest meanwhile
    works = [work for _, work in at_work]
    if (
        not is_first
        and all(work.wait(0) for work in works)
        and not any(work.is_stopped for work in works)
    ):
        st.rerun()
    with st.container(border=True):
        for setting, work in at_work:
            st.progress(
                work.done / work.total,
                f"Replaying under {plain(setting.build().label)}: {how_far(work)}",
            )
        st.caption(
            "The pictures show what was replayed so far. They are drawn again when it is done."
        )
        _stop_or_go_on(works)
    if not is_first:
        for work in works:
            if not work.is_stopped:
                work.go_on()


def _stop_or_go_on(works: Sequence[BackgroundReplay]) -> None:
    if any(not work.is_stopped and not work.is_over for work in works):
        if stop_button("long-replay-stop", help="What was replayed so far is shown."):
            for work in works:
                work.cancel()
                work.wait(1.0)
            st.rerun()
    elif start_button("Go on", "long-replay-go-on", is_main=False):
        for work in works:
            work.go_on()
        st.rerun()


def how_far(work: BackgroundReplay) -> str:
    """Which turn a replay is at, and how long the rest takes or why it does not go on."""
    left, turn = work.seconds_left, f"turn {work.done:,} of {work.total:,}"
    if work.note:
        return f"{turn}. {work.note}"
    if work.is_stopped:
        return f"{turn}. Stopped."
    return (
        turn
        if left is None
        else f"{turn}, about {counted(max(1, round(left)), 'second')} more"
    )


def so_far_label(run: Run) -> str:
    """What the label of a replay that is not over says of it. A free run, whose replies a model gave, has its own
    sentence for that."""
    last = run.turns[-1] if run.turns else None
    if (
        last is None
        or last.facts is not None
        or len(run.requests) >= run.log.request_count
    ):
        return ""
    return f" · first {counted(len(run.turns), 'turn')}"
