"""A conversation as it was imported: every message with its tool calls, what was noted, what its program recorded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from memviz.charts.palette import PART_COLORS
from memviz.conversation import TIME, Message
from memviz.text.wording import counted, message_number
from memviz.transcripts.base import REASONING, RecordedEvent, Transcript
from memviz.transcripts.times import moment
from memviz.ui.controls.message_html import message_html
from memviz.ui.controls.recorded_compactions import event_sentence
from memviz.ui.shell.text import plain

PAGE_SIZE = 40
ROLE_COLORS = {"user": "input", "assistant": "history", "tool": "tools", "system": "system"}
"""A role's colour is that of the part of a request in which it usually stands."""
NAMES = {"user": "User", "assistant": "Assistant", "tool": "Tool result", "system": "System"}


def conversation_view(transcript: Transcript, key: str) -> None:
    """The whole conversation, in pages."""
    for warning in transcript.warnings:
        st.caption(f":material/info: {plain(warning)}")
    if transcript.system_prompt:
        with st.expander("System prompt", icon=":material/tune:"):
            st.text(transcript.system_prompt)
    total = len(transcript.messages)
    pages = -(-total // PAGE_SIZE)
    page = (st.pagination(pages, key=f"view-page-{key}") or 1) if pages > 1 else 1
    first = (page - 1) * PAGE_SIZE
    st.html("".join(_parts(transcript, first, min(first + PAGE_SIZE, total))))
    st.caption(f"{counted(total, 'message')} in all.")


def _parts(transcript: Transcript, first: int, stop: int) -> Sequence[str]:
    parts = []
    events = sorted(transcript.events, key=lambda event: event.after_message)
    for position in range(first, stop):
        parts += [_event(event) for event in events if event.after_message == position]
        parts.append(_message(transcript.messages[position], position))
    is_end = stop == len(transcript.messages)
    return parts + [_event(event) for event in events if is_end and event.after_message >= stop]


def _message(message: Message, position: int) -> str:
    meta = message.meta or {}
    said = moment(meta.get(TIME))
    facts = [
        f"{message_number(position)} · {NAMES[message.role]}",
        message.name or "",
        f"{said:%Y-%m-%d %H:%M}" if said else "",
    ]
    body = message_html(message, " · ".join(filter(None, facts)), "Download has all of them")
    thought = meta.get(REASONING)
    if isinstance(thought, str) and thought:
        body += f"<details><summary><small>Reasoning</small></summary><p>{escape(thought)}</p></details>"
    return _section(body, PART_COLORS[ROLE_COLORS[message.role]])


def _event(event: RecordedEvent) -> str:
    text = f"<p>{escape(event.text)}</p>" if event.text else ""
    return _section(f"<small>{escape(event_sentence(event))}</small>{text}", PART_COLORS["summary"])


def _section(body: str, color: str) -> str:
    return f'<section class="memviz-block" style="border-left-color: {color}">{body}</section>'
