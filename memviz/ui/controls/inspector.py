"""The inspector: exactly what one request sent. Why comes first, then what changed since the request before, what it is
made of, and its messages; a system prompt that never changes comes last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import streamlit as st

from memviz.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES
from memviz.context import OVER_BUDGET, Block, joined
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.limits import over_limit_words
from memviz.metrics.requests.request_axis import numbers_of_turn
from memviz.metrics.retention.message_facts import message_facts_words, summary_facts
from memviz.metrics.summaries.compaction_words import broken_lengths_of
from memviz.reporting.request_json import request_json
from memviz.text.language import in_language
from memviz.text.wording import counted, distinct_names, message_range
from memviz.transcripts.base import Probe
from memviz.ui.controls.block_html import (
    added_to_system,
    block_html,
    block_title,
    form_counts,
    reduced_fates,
    sent_versions,
    text_tokens,
)
from memviz.ui.controls.legend import swatch
from memviz.ui.controls.model_work import earlier_calls
from memviz.ui.controls.request_changes import (
    MAX_MESSAGES_SHOWN,
    changes,
    recalled_here,
    summarizer_calls,
    why,
)
from memviz.ui.controls.selected_request import request_number
from memviz.ui.shell.state import compare_state
from memviz.ui.shell.terms import term_html
from memviz.ui.shell.text import plain

BadgeColor = Literal["gray", "violet", "blue", "orange", "green", "yellow"]
FLAG_TEXTS = {
    "orphaned_tool_message": "Orphaned tool message: a tool result is sent without its call. A real API rejects that.",
    "partial_reply": "The reply was stopped before it was complete.",
}
FOLDED = ("summary", "history", "system")
"""Blocks that are long, or the same in every request."""
MAX_EARLIER_SHOWN = 1_000
MAX_JSON_CHARS_SHOWN = 500_000
"""A longer request is offered as a file: of 50,000 messages it would be 30 MB in the page."""


def inspector(
    run: Run,
    turn: int,
    key: str,
    facts: Sequence[Probe] = (),
    call: int | None = None,
    *,
    whole_turn: bool = False,
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
            plain(over_limit_words(record, run.strategy))
            if flag == OVER_BUDGET
            else FLAG_TEXTS.get(flag, plain(flag))
        )
        st.warning(words, icon=":material/warning:")
    recalled_here(record, facts)
    changed = range(calls[0] if whole_turn else number, number + 1)
    why(run, changed)
    changes(run, changed, key, facts)
    st.html(parts_html(record))
    earlier_calls(run.requests[calls[0] : number])
    blocks = in_reading_order(record)
    for block, suffix in zip(blocks, _suffixes(blocks), strict=True):
        _block(
            block, record, f"{key}-{suffix}", facts, broken_lengths(run, block, record)
        )
    summarizer_calls(run, changed, key)
    said = (message.content for block in blocks for message in block.messages)
    name = f"request-turn-{turn}" + (f"-call-{record.call}" if len(calls) > 1 else "")
    _as_json(record, name, is_long=sum(map(len, said)) > MAX_JSON_CHARS_SHOWN)


def _no_request(run: Run, turn: int) -> str:
    said, attempt = f"Turn {turn} made no request", compare_state().ended_early(run)
    if attempt is None:
        return f"{said}."
    why_ended = (
        f": {attempt.error}" if attempt.error is not None else ", where it was stopped."
    )
    return f"{said}, because this replay ended at turn {run.turns[-1].turn:,}{why_ended} Try again above the picture."


def parts_html(record: TurnRecord) -> str:
    """The parts of a request as one thin bar in their colours, with their tokens below it."""
    parts = [
        (part, record.tokens[part]) for part in PART_ORDER if record.tokens.get(part)
    ]
    total = max(1, record.total_tokens)
    bar = "".join(
        f'<span style="width:{tokens / total:.3%};background:{PART_COLORS[part]}"></span>'
        for part, tokens in parts
    )
    words = "".join(
        f"<span>{swatch(PART_COLORS[part])}{term_html(PART_TITLES[part])} {tokens:,}</span>"
        for part, tokens in parts
    )
    return f'<div class="memviz-parts"><div>{bar}</div><p>{words}</p></div>'


def in_reading_order(record: TurnRecord) -> list[Block]:
    """The blocks of a request with messages: all that was recalled first, wherever it stands, and the rest in the order
    in which it was sent. The system prompt, which is the same in every request, comes last, unless memory put something
    into it."""
    blocks = [block for block in record.context.blocks if block.messages]
    last = () if added_to_system(record) else ("system",)
    in_order = sorted(
        blocks, key=lambda block: (block.kind in last) - (block.kind == "recalled")
    )
    return [*joined(in_order, ("recalled", "history", "input"))]


def _suffixes(blocks: Sequence[Block]) -> list[str]:
    """Names for the controls of blocks, of which several may be of one kind."""
    return [
        name.replace(" (", "-").removesuffix(")")
        for name in distinct_names([block.kind for block in blocks])
    ]


def broken_lengths(run: Run, block: Block, record: TurnRecord) -> str:
    """``asked for 120 words, got 148``, of each version in a block of summaries that is longer than was asked for;
    empty where none is."""
    versions = sent_versions(block, record) if block.kind == "summary" else ()
    return "; ".join(broken_lengths_of(run.compactions, versions))


def _block(
    block: Block, record: TurnRecord, key: str, facts: Sequence[Probe], broken: str
) -> None:
    is_line = block.kind == "history" and not block.indices
    if block.kind not in FOLDED or is_line:
        _messages(block, record, key)
        return
    with st.expander(folded_label(block, record, broken), key=key):
        _messages(block, record, key)
        if block.kind == "summary" and (known := summary_facts(record, facts)):
            words = in_language(message_facts_words(known))
            st.html(
                f'<p class="memviz-note">Of the facts in the messages it stands for: {words}</p>'
            )


def folded_label(block: Block, record: TurnRecord, broken: str = "") -> str:
    """What a folded block is called: what is in it, in which form, and how large it is; of a summary ``broken`` says
    which length it does not keep."""
    tokens = counted(block.tokens, "token")
    if block.kind == "history":
        formed = ", ".join(form_counts(block, reduced_fates(record)))
        how = f", {formed}" if formed else " word for word"
        return f"**{_range_words(block.indices)}**{how} · {tokens}"
    if block.kind == "summary":
        heading = block.tokens - text_tokens(block, record)
        with_heading = f" and {heading:,} of its heading" if heading else ""
        tokens = counted(text_tokens(block, record), "token")
        kept = f" · {broken}" if broken else ""
        return f"**{plain(block_title(block, record))}**, all of it · {tokens}{with_heading}{kept}"
    added = ", with what memory added" if added_to_system(record) else ""
    return f"**{PART_TITLES[block.kind]}**{added} · {tokens}"


def _range_words(positions: Iterable[int]) -> str:
    """``Messages 3 to 9`` where they follow each other, else how many there are."""
    found = list(positions)
    if found and found[-1] - found[0] + 1 == len(found):
        return message_range(range(found[0], found[-1] + 1)).capitalize()
    return counted(len(found), "message")


def _messages(block: Block, record: TurnRecord, key: str) -> None:
    hidden = max(0, len(block.messages) - MAX_MESSAGES_SHOWN)
    more = min(hidden, MAX_EARLIER_SHOWN)
    if hidden and st.toggle(
        f"Show the {counted(more, 'earlier message')} too", key=f"{key}-all"
    ):
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
        "Download",
        text,
        f"{name}.json",
        "application/json",
        icon=":material/download:",
        on_click="ignore",
    )
