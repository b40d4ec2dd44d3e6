"""The context inspector: exactly what one request sent, and what changed since the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

import streamlit as st

from memviz.charts.palette import PART_COLORS, PART_HELP, PART_TITLES
from memviz.context import Block, Fate
from memviz.engine.backoff import waiting_failure
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.turn_changes import left_the_window, record_of_turn
from memviz.metrics.retention.message_facts import message_facts_words, summary_facts
from memviz.metrics.summaries.compaction_words import compaction_words, error_words, tried_again
from memviz.reporting.request_json import request_json
from memviz.text.wording import counted, message_number, message_range
from memviz.transcripts.base import Probe
from memviz.ui.controls.message_html import MAX_CHARS_SHOWN, message_html
from memviz.ui.controls.model_work import earlier_calls
from memviz.ui.shell.text import plain, shortened


def block_html(block: Block, record: TurnRecord, first: int = 0) -> str:
    """The block's head and its messages from number ``first`` (0-based) on."""
    messages = "".join(_message(block, record, offset) for offset in range(first, len(block.messages)))
    style = f"border-left-color: {PART_COLORS[block.kind]}"
    return f'<section class="memviz-block" style="{style}">{_head(block, record)}{messages}</section>'


def _head(block: Block, record: TurnRecord) -> str:
    size = f"{block.tokens:,} tokens · {counted(len(block.messages), 'message')}"
    if block.kind == "tools" and record.parts.tools:
        size += f", offered: {', '.join(record.parts.tools)}"
    if block.kind == "summary" and block.indices:
        size += f", standing for {counted(len(block.indices), 'message')}"
    return f'<header title="{escape(PART_HELP[block.kind])}"><b>{PART_TITLES[block.kind]}</b> {size}</header>'


def _message(block: Block, record: TurnRecord, offset: int) -> str:
    return message_html(block.messages[offset], _where(block, record, offset), "the JSON below has all of them")


def _where(block: Block, record: TurnRecord, offset: int) -> str:
    """Which message of the conversation this is; a summary, the system prompt and thoughts are none."""
    if block.kind == "tools":
        offset -= len(block.messages) - len(block.indices)  # thoughts come first
    if block.kind in ("system", "summary") or offset < 0:
        return ""
    position = block.indices[offset]
    tokens = record.memory.sums.between(position, position + 1)
    return f"{record.memory.log[position].role} · message {message_number(position):,} · {tokens:,} tokens"


BadgeColor = Literal["gray", "violet", "blue", "orange", "green", "yellow"]
FLAG_TEXTS = {
    "over_budget": "Over budget: what counts against the budget is larger than it. The input is sent all the same.",
    "orphaned_tool_message": "Orphaned tool message: a tool result is sent without its call. A real API rejects that.",
    "partial_reply": "The reply was stopped before it was complete.",
}
MAX_MESSAGES_SHOWN, MAX_EARLIER_SHOWN = 20, 1_000
MAX_JSON_CHARS_SHOWN = 500_000
"""A longer request is offered as a file: of 50,000 messages it would be 30 MB in the page."""


def inspector(run: Run, turn: int, key: str, facts: Sequence[Probe] = ()) -> None:
    """Show the request of ``turn``; under its summary which of ``facts`` that still holds."""
    record = record_of_turn(run, turn)
    if record is None:
        st.info(f"Turn {turn} made no request.", icon=":material/info:")
        return
    for flag in record.flags:
        st.warning(FLAG_TEXTS.get(flag, plain(flag)), icon=":material/warning:")
    earlier_calls(record)
    _changes(run, record)
    blocks = record.context.blocks
    for block in blocks:
        _block(block, record, key)
        if block.kind == "summary" and (known := summary_facts(record, facts)):
            st.caption(f"Of the facts in the messages it stands for: {plain(message_facts_words(known))}")
    said = (message.content for block in blocks for message in block.messages)
    _as_json(run, turn, is_long=sum(map(len, said)) > MAX_JSON_CHARS_SHOWN)


def _changes(run: Run, record: TurnRecord) -> None:
    for compaction in record.compactions:
        _compaction(run, compaction)
    so_far = [compaction for compaction in run.compactions if compaction.after_message < record.memory.length]
    waiting = waiting_failure(so_far)
    if waiting is not None and not any(waiting is shown for shown in record.compactions):
        _compaction(run, waiting)
    left = left_the_window(run, record.turn)
    if not left:
        return
    gone = sum(fate is Fate.DROPPED for _, fate in left)
    what = (
        f"{counted(len(left), 'message')} left since the request before: "
        f"{len(left) - gone} replaced by a summary, {gone} dropped"
    )
    with st.expander(what, icon=":material/logout:"):
        for position, fate in left[:MAX_MESSAGES_SHOWN]:
            message = run.log[position]
            now = "replaced by a summary" if fate is Fate.SUMMARIZED else "dropped"
            st.text(f"{message_number(position):,} · {message.role} · {now}: {shortened(message.content, 160)}")
        if len(left) > MAX_MESSAGES_SHOWN:
            st.caption(f"and {len(left) - MAX_MESSAGES_SHOWN} more")


def _compaction(run: Run, compaction: Compaction) -> None:
    words = compaction_words(compaction)
    messages, reason = message_range(compaction.summarized), compaction.reason
    because = f" ({plain(reason)})" if reason else ""
    if compaction.error is not None:
        why, hope = plain(error_words(compaction)), tried_again(run, compaction)
        st.error(f"{words.what} {words.where}{because}: {why}. {hope}", icon=":material/error:")
    elif compaction.kind == "skip":
        st.info(f"You skipped the summarization of {messages}{because}.", icon=":material/skip_next:")
    elif compaction.kind == "undo":
        st.info(
            f"You took back the summarization of {messages}: they are sent word for word again.",
            icon=":material/undo:",
        )
    elif compaction.kind == "edit" and compaction.revises is not None:
        with st.expander(f"You reworded version {compaction.revises} of the summary", icon=":material/edit:"):
            _wording(compaction)
    elif compaction.dropped:
        st.warning(f"{words.what}{because}: there is no summarizer.", icon=":material/delete:")
    else:
        with st.expander(f"{words.what}, because {plain(reason)}", icon=":material/compress:"):
            _summary(compaction)


def _wording(compaction: Compaction) -> None:
    mine, before = st.tabs(["Your wording", "The summarizer's"])
    mine.text(compaction.summary or "")
    before.text(compaction.proposed or "It wrote none.")


def _summary(compaction: Compaction) -> None:
    change = f"Content {compaction.tokens_before:,} → {compaction.tokens_after:,} tokens · "
    if compaction.by_thinking:
        st.caption(change + "written by the chat model when it stopped thinking, so no summarizer was asked")
        st.text(compaction.summary or "")
        return
    st.caption(
        f"{change}summarizer call {compaction.prompt_tokens:,} tokens in, {compaction.output_tokens:,} out · "
        f"{compaction.seconds:.2f} s"
    )
    if compaction.is_edited:
        _wording(compaction)
    result, prompt = st.tabs(["New summary", "Prompt sent to the summarizer"])
    result.text(compaction.summary or "")
    prompt.text(compaction.prompt[:MAX_CHARS_SHOWN])


def _block(block: Block, record: TurnRecord, key: str) -> None:
    hidden = max(0, len(block.messages) - MAX_MESSAGES_SHOWN)
    more = min(hidden, MAX_EARLIER_SHOWN)
    if hidden and st.toggle(f"Show the {more} earlier messages too", key=f"{key}-{block.kind}-all"):
        hidden -= more
    st.html(block_html(block, record, hidden))


def _as_json(run: Run, turn: int, *, is_long: bool) -> None:
    with st.popover("Request as JSON", icon=":material/data_object:"):
        if is_long:
            st.caption("Too long to be shown here.")
            _download(lambda: request_json(run, turn), turn)
            return
        text = request_json(run, turn)
        _download(text, turn)
        st.code(text, language="json", height=400)


def _download(text: str | Callable[[], str], turn: int) -> None:
    st.download_button(
        "Download", text, f"request-turn-{turn}.json", "application/json", icon=":material/download:", on_click="ignore"
    )
