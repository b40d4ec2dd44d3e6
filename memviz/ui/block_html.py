"""One block of a request as HTML. All text is escaped, so what users and models wrote stays text."""

from __future__ import annotations

from html import escape

from memviz.charts.palette import PART_COLORS, PART_HELP, PART_TITLES
from memviz.context import Block
from memviz.engine.records import TurnRecord
from memviz.ui.message_html import message_html
from memviz.ui.text import counted


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
    return f"{record.memory.log[position].role} · message {position + 1} · {tokens:,} tokens"
