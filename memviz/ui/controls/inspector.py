"""The inspector: exactly what one request sent. Why comes first, then what changed since the request before, what it is
made of, and its messages; the system prompt, which never changes, comes last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Literal

import streamlit as st

from memviz.charts.palette import PART_COLORS, PART_HELP, PART_ORDER, PART_TITLES
from memviz.context import OVER_BUDGET, Block, BlockKind
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.limits import over_limit_words
from memviz.metrics.retention.message_facts import message_facts_words, summary_facts
from memviz.reporting.request_json import request_json
from memviz.text.language import in_language
from memviz.text.wording import counted, message_number, message_range
from memviz.transcripts.base import Probe
from memviz.ui.controls.legend import swatch
from memviz.ui.controls.message_html import message_html
from memviz.ui.controls.model_work import earlier_calls
from memviz.ui.controls.request_changes import MAX_MESSAGES_SHOWN, changes, recalled_here, summarizer_calls, why
from memviz.ui.controls.selected_request import numbers_of_turn, request_number
from memviz.ui.shell.state import compare_state
from memviz.ui.shell.text import plain


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
    "orphaned_tool_message": "Orphaned tool message: a tool result is sent without its call. A real API rejects that.",
    "partial_reply": "The reply was stopped before it was complete.",
}
READING_ORDER: tuple[BlockKind, ...] = ("recalled", "summary", "history", "input", "tools", "system")
FOLDED = ("summary", "history", "system")
"""Blocks that are long, or the same in every request."""
MAX_EARLIER_SHOWN = 1_000
MAX_JSON_CHARS_SHOWN = 500_000
"""A longer request is offered as a file: of 50,000 messages it would be 30 MB in the page."""


def inspector(
    run: Run, turn: int, key: str, facts: Sequence[Probe] = (), call: int | None = None, *, whole_turn: bool = False
) -> None:
    """Show the last request of ``turn``, or that of its ``call`` (from 1); of ``facts`` which ones its summary still
    holds. What is folded and was opened stays open from request to request, by ``key``. ``whole_turn``: what changed is
    told since the turn before, and not since the call before."""
    number = request_number(run, turn, call)
    if number is None:
        st.info(plain(_no_request(run, turn)), icon=":material/info:")
        return
    record, calls = run.requests[number], numbers_of_turn(run, turn)
    for flag in record.flags:
        words = (
            plain(over_limit_words(record, run.strategy)) if flag == OVER_BUDGET else FLAG_TEXTS.get(flag, plain(flag))
        )
        st.warning(words, icon=":material/warning:")
    recalled_here(record, facts)
    changed = range(calls[0] if whole_turn else number, number + 1)
    why(run, changed)
    changes(run, changed, key, facts)
    st.html(parts_html(record))
    earlier_calls(run.requests[calls[0] : number])
    blocks = {block.kind: block for block in record.context.blocks}
    for kind in READING_ORDER:
        if kind in blocks:
            _block(blocks[kind], record, key, facts)
    summarizer_calls(run, changed, key)
    said = (message.content for block in blocks.values() for message in block.messages)
    name = f"request-turn-{turn}" + (f"-call-{record.call}" if len(calls) > 1 else "")
    _as_json(record, name, is_long=sum(map(len, said)) > MAX_JSON_CHARS_SHOWN)


def _no_request(run: Run, turn: int) -> str:
    said, attempt = f"Turn {turn} made no request", compare_state().ended_early(run)
    if attempt is None:
        return f"{said}."
    why_ended = f": {attempt.error}" if attempt.error is not None else ", where it was stopped."
    return f"{said}, because this replay ended at turn {run.turns[-1].turn:,}{why_ended} Try again above the picture."


def parts_html(record: TurnRecord) -> str:
    """The parts of a request as one thin bar in their colours, with their tokens below it."""
    parts = [(part, record.tokens[part]) for part in PART_ORDER if record.tokens.get(part)]
    total = max(1, record.total_tokens)
    bar = "".join(
        f'<span style="width:{tokens / total:.3%};background:{PART_COLORS[part]}"></span>' for part, tokens in parts
    )
    words = "".join(f"<span>{swatch(PART_COLORS[part])}{PART_TITLES[part]} {tokens:,}</span>" for part, tokens in parts)
    return f'<div class="memviz-parts"><div>{bar}</div><p>{words}</p></div>'


def _block(block: Block, record: TurnRecord, key: str, facts: Sequence[Probe]) -> None:
    if block.kind not in FOLDED:
        _messages(block, record, key)
        return
    with st.expander(_folded_label(block), key=f"{key}-{block.kind}"):
        _messages(block, record, key)
        if block.kind == "summary" and (known := summary_facts(record, facts)):
            words = in_language(message_facts_words(known))
            st.html(f'<p class="memviz-note">Of the facts in the messages it stands for: {words}</p>')


def _folded_label(block: Block) -> str:
    tokens = f"{block.tokens:,} tokens"
    if block.kind == "history":
        return f"**{_range_words(block.indices)}** word for word · {tokens}"
    if block.kind == "summary":
        return f"**{PART_TITLES[block.kind]}**, all of it · {tokens}"
    return f"**{PART_TITLES[block.kind]}** · {tokens}"


def _range_words(positions: Iterable[int]) -> str:
    """``Messages 3 to 9`` where they follow each other, else how many there are."""
    found = list(positions)
    if found and found[-1] - found[0] + 1 == len(found):
        return message_range(range(found[0], found[-1] + 1)).capitalize()
    return counted(len(found), "message")


def _messages(block: Block, record: TurnRecord, key: str) -> None:
    hidden = max(0, len(block.messages) - MAX_MESSAGES_SHOWN)
    more = min(hidden, MAX_EARLIER_SHOWN)
    if hidden and st.toggle(f"Show the {more} earlier messages too", key=f"{key}-{block.kind}-all"):
        hidden -= more
    st.html(block_html(block, record, hidden))


def _as_json(record: TurnRecord, name: str, *, is_long: bool) -> None:
    with st.popover("Request as JSON", icon=":material/data_object:"):
        if is_long:
            st.caption("Too long to be shown here.")
            _download(lambda: request_json(record), name)
            return
        text = request_json(record)
        _download(text, name)
        st.code(text, language="json", height=400)


def _download(text: str | Callable[[], str], name: str) -> None:
    st.download_button(
        "Download", text, f"{name}.json", "application/json", icon=":material/download:", on_click="ignore"
    )
