"""The inspector: exactly what one request sent. Why comes first, then what changed since the request before, what it is
made of, and its messages; a system prompt that never changes comes last. What the model did by itself is collapsed."""

from collections.abc import Iterable, Sequence
from typing import Literal

import streamlit as st
from markupsafe import Markup

from memviz.core.context import OVER_BUDGET, Block, joined
from memviz.core.text.wording import (
    SEMICOLON,
    comma_list,
    counted,
    distinct_names,
    message_range,
)
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES
from memviz.dashboard.markup import bar_part, element, in_language, swatch
from memviz.dashboard.reporting.run_tables import request_json
from memviz.dashboard.ui.controls.block_html import added_to_system, block_html
from memviz.dashboard.ui.controls.block_words import (
    block_title,
    sent_versions,
    size_words,
)
from memviz.dashboard.ui.controls.model_calls import draw_earlier_calls
from memviz.dashboard.ui.controls.request_changes import (
    MAX_MESSAGES_SHOWN,
    draw_changes,
    draw_summarizer_calls,
)
from memviz.dashboard.ui.controls.request_reasons import draw_reasons, draw_recalled
from memviz.dashboard.ui.controls.sent_forms import form_counts, forms_sent
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import offer_file, popup, show_info
from memviz.dashboard.ui.shell.terms import term_html
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.asked_length import broken_lengths_of
from memviz.dashboard.words.authors import message_facts_words
from memviz.dashboard.words.requests import over_limit_words
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.requests.request_places import find_request_number
from memviz.metrics.retention.message_facts import find_summary_facts
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

BadgeColor = Literal["gray", "violet", "blue", "orange", "green", "yellow"]
FLAG_TEXTS = {
    "orphaned_tool_message": noop(
        "Orphaned tool message: a tool result is sent without its call. A real API rejects that."
    ),
    "partial_reply": noop("The reply was stopped before it was complete."),
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
    facts: Sequence[Probe],
    call: int | None = None,
    *,
    whole_turn: bool = False,
) -> None:
    """Show the last request of ``turn``, or that of its ``call`` (from 1); of ``facts`` which ones its summary still
    holds. What is folded and was opened stays open from request to request, by ``key``. ``whole_turn``: what changed is
    told since the turn before, and not since the call before."""
    number = find_request_number(run, turn, call)
    if number is None:
        show_info(plain(no_request_words(run, turn)))
        return
    record = run.requests[number]
    calls = find_numbers_of_turn(run, turn)
    first = calls[0] if whole_turn else number
    requests = range(first, number + 1)
    # Why it is as it is, what changed with it, and then what it holds.
    _warn_of_flags(record, run.strategy)
    draw_recalled(record, facts)
    draw_reasons(run, requests)
    draw_changes(run, requests, key, facts)
    st.html(parts_html(record))
    draw_earlier_calls(run.requests[calls[0] : number])
    blocks = in_reading_order(record)
    # Of blocks, several may be of one kind: "history (2)" is called history-2.
    names = distinct_names([block.kind for block in blocks])
    for block, name in zip(blocks, names, strict=True):
        suffix = name.replace(" (", "-").removesuffix(")")
        _draw_block(run, block, record, f"{key}-{suffix}", facts)
    draw_summarizer_calls(run, requests, key)
    name = f"request-turn-{turn}"
    if len(calls) > 1:
        name += f"-call-{record.call}"
    _draw_as_json(record, name)


def _warn_of_flags(record: TurnRecord, strategy: Strategy) -> None:
    for flag in record.flags:
        words = _(FLAG_TEXTS.get(flag, plain(flag)))
        if flag == OVER_BUDGET:
            words = plain(over_limit_words(record, strategy))
        st.warning(words, icon=":material/warning:")


def no_request_words(run: Run, turn: int) -> str:
    attempt = compare_state().ended_early(run)
    if attempt is None:
        return _("Turn {turn} made no request.", turn=turn)
    template = noop(
        "Turn {turn} made no request, because this replay ended at turn {last:,}, where it was stopped. Try again "
        "above the picture."
    )
    if attempt.error is not None:
        template = noop(
            "Turn {turn} made no request, because this replay ended at turn {last:,}: {error} Try again above the "
            "picture."
        )
    return _(template, turn=turn, last=run.turns[-1].turn, error=attempt.error)


def parts_html(record: TurnRecord) -> Markup:
    """Return the parts of a request as one thin bar in their colours, with their tokens below it."""
    bar = []
    words = []
    for part in PART_ORDER:
        tokens = record.tokens.get(part)
        if tokens:
            color = PART_COLORS[part]
            title = term_html(PART_TITLES[part], _(PART_TITLES[part]))
            bar.append(bar_part(tokens / max(1, record.total_tokens), color))
            words.append(element("span", swatch(color), title, f" {tokens:,}"))
    return element(
        "div", element("div", *bar), element("p", *words), class_="memviz-parts"
    )


def in_reading_order(record: TurnRecord) -> list[Block]:
    """Return the blocks of a request with messages: all that was recalled first, wherever it stands, and the rest in
    the order in which it was sent. The system prompt, which is the same in every request, comes last, unless memory put
    something into it."""
    ranks = {"recalled": 0}
    if not added_to_system(record):
        ranks["system"] = 2
    blocks = [block for block in record.context.blocks if block.messages]
    in_order = sorted(blocks, key=lambda block: ranks.get(block.kind, 1))
    return [*joined(in_order, ("recalled", "history", "input"))]


def _draw_block(
    run: Run, block: Block, record: TurnRecord, key: str, facts: Sequence[Probe]
) -> None:
    is_line = block.kind == "history" and not block.indices
    if block.kind not in FOLDED or is_line:
        _draw_messages(block, record, key)
        return
    numbers = [version.version for version in sent_versions(block, record)]
    broken = _(SEMICOLON).join(broken_lengths_of(run.compactions, numbers))
    label = folded_label(block, record, broken)
    with st.expander(label, key=key):
        _draw_messages(block, record, key)
        if block.kind != "summary":
            return
        message_facts = find_summary_facts(record, facts)
        if message_facts:
            head = _("Of the facts in the messages it stands for: ")
            words = in_language(message_facts_words(message_facts))
            st.html(element("p", head, words, class_="memviz-note"))


def folded_label(block: Block, record: TurnRecord, broken: str = "") -> str:
    """Return the label of a folded block: its content, form and size; of a summary ``broken`` says which length it does
    not keep."""
    tokens = counted(block.tokens, "token")
    if block.kind == "history":
        formed = comma_list(form_counts(block, forms_sent(record)))
        template = noop("**{messages}** word for word · {tokens}")
        if formed:
            template = noop("**{messages}**, {how} · {tokens}")
        messages = _range_words(block.indices)
        return _(template, messages=messages, how=formed, tokens=tokens)
    if block.kind == "summary":
        return _(
            "**{title}**, all of it · {size}{kept}",
            title=plain(block_title(block, record)),
            size=size_words(block, record),
            kept=f" · {broken}" if broken else "",
        )
    title = _(PART_TITLES[block.kind])
    if not added_to_system(record):
        return f"**{title}** · {tokens}"
    return _(
        "**{title}**, with what memory added · {tokens}", title=title, tokens=tokens
    )


def _range_words(positions: Iterable[int]) -> str:
    """Return ``Messages 3 to 9`` where they follow each other, else how many there are."""
    numbers = list(positions)
    if numbers and numbers[-1] - numbers[0] + 1 == len(numbers):
        return message_range(range(numbers[0], numbers[-1] + 1)).capitalize()
    return counted(numbers, "message")


def _draw_messages(block: Block, record: TurnRecord, key: str) -> None:
    hidden = max(0, len(block.messages) - MAX_MESSAGES_SHOWN)
    more = min(hidden, MAX_EARLIER_SHOWN)
    if hidden and st.toggle(
        ngettext(
            "Show the {number:,} earlier message too",
            "Show the {number:,} earlier messages too",
            more,
        ),
        key=f"{key}-all",
    ):
        hidden -= more
    st.html(block_html(block, record, hidden))


def _draw_as_json(record: TurnRecord, name: str) -> None:
    chars = sum(len(message.content) for message in record.context.messages)
    is_long = chars > MAX_JSON_CHARS_SHOWN
    with popup(_("Request as JSON"), ":material/data_object:"):
        if is_long:
            st.caption(_("Too long to be shown here."))
        offer_file(
            _("Download"),
            lambda: request_json(record),
            f"{name}.json",
            "application/json",
        )
        if not is_long:
            st.code(request_json(record), language="json", height=400)
