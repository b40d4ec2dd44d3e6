"""What the program that a conversation comes from did to its own memory, beside what memviz's strategies do."""

from __future__ import annotations

import streamlit as st

from memviz.core.conversation import Log
from memviz.core.text.wording import counted
from memviz.dashboard.ui.shell.text import plain
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.times import moment

MAX_SHOWN = 50


def event_sentence(event: RecordedEvent) -> str:
    """What happened, when and how large it was, as far as the file says so."""
    what = (
        "Its program compacted here"
        if event.kind == "compaction"
        else "A summary that its program kept"
    )
    reason = f" ({event.reason})" if event.reason else ""
    sizes = [
        f"{counted(tokens, 'token')} {when}"
        for tokens, when in _sizes(event)
        if tokens is not None
    ]
    said = moment(event.time)
    facts = [
        f"{what}{reason}",
        ", ".join(sizes),
        f"{said:%Y-%m-%d %H:%M} UTC" if said else "",
    ]
    return ". ".join(filter(None, facts)) + "."


def _sizes(event: RecordedEvent) -> list[tuple[int | None, str]]:
    return [(event.tokens_before, "before"), (event.tokens_after, "after")]


def recorded_events(transcript: Transcript, log: Log) -> None:
    """All of them, each with its text; nothing where there are none."""
    events = transcript.events
    if not events:
        return
    st.header("What its own program did", anchor=False)
    st.caption(
        f"{counted(len(events), 'event')} recorded in the file that this conversation was imported from. They are not "
        "part of any replay: compare them with what each setting did."
    )
    for number, event in enumerate(events[:MAX_SHOWN], 1):
        turn = (
            log.turn_number(min(event.after_message, len(log)) - 1)
            if event.after_message
            else 0
        )
        with st.expander(
            f"{number}. After turn {turn}: {plain(event_sentence(event))}",
            icon=":material/history_edu:",
        ):
            st.text(event.text or "The file does not say what the summary was.")
    if len(events) > MAX_SHOWN:
        st.caption(f"And {len(events) - MAX_SHOWN:,} more.")
