"""The blocks of a request as HTML: each message as it was sent and, where that is less than was said, as it was
said."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from markupsafe import Markup

from memviz.core.context import Block, Fate
from memviz.core.forms import Form
from memviz.core.messages import Message
from memviz.core.pieces import Line, Notes
from memviz.core.summaries import OPAQUE_TEXT
from memviz.core.text.wording import comma_list, counted, message_number
from memviz.core.translation import _, ngettext, noop, plural_noop
from memviz.dashboard.charts.palette import PART_COLORS, PART_HELP, STEP_COLORS
from memviz.dashboard.markup import element, section
from memviz.dashboard.ui.controls.block_words import (
    block_title,
    notes_title,
    size_words,
)
from memviz.dashboard.ui.controls.facts_html import facts_line_html, facts_line_of
from memviz.dashboard.ui.controls.message_html import formed_html, message_html
from memviz.dashboard.ui.controls.sent_forms import (
    IN_FORMS,
    form_counts,
    form_words,
    forms_sent,
    tokens_as_said,
)
from memviz.dashboard.words.requests import role_name
from memviz.engine.records import TurnRecord
from memviz.metrics.memory_map.stretches import encode_fate

IN_PLACE = plural_noop(
    "in full at its place in the history", "in full at their places in the history"
)
SOME_IN_PLACE = plural_noop(
    "{number:,} of them in full at its place in the history",
    "{number:,} of them in full at their places in the history",
)
FORMED_HELP = noop(
    "Messages of the conversation, some of them with less in them than was said."
)


def block_html(block: Block, record: TurnRecord, first: int = 0) -> Markup:
    """Return the block's head and its messages from number ``first`` (0-based) on."""
    forms = forms_sent(record)
    parts = [_head(block, record, forms)]
    facts_line = facts_line_of(block, record)
    if block.kind == "system":
        parts += _system_prompt(block, record, first)
    elif facts_line is not None:
        parts += facts_line_html(facts_line, record) if not first else ()
    else:
        offsets = range(first, len(block.messages))
        parts += [_message(block, record, offset, forms) for offset in offsets]
    return section(PART_COLORS[block.kind], *parts)


def _head(block: Block, record: TurnRecord, forms: Mapping[int, Form]) -> Markup:
    formed = form_counts(block, forms)
    details = [
        f"{size_words(block, record)} · {counted(block.messages, 'message')}",
        *_details(block, record),
        *formed,
    ]
    return element(
        "header",
        element("b", block_title(block, record)),
        f" {comma_list(details)}",
        title=_(FORMED_HELP if formed else PART_HELP[block.kind]),
    )


def _details(block: Block, record: TurnRecord) -> Iterator[str]:
    """Yield the words that only one kind of block has: the tools offered, what a summary stands for, where recalled
    messages stand."""
    if block.kind == "tools" and record.parts.tools:
        yield _("offered: {tools}", tools=", ".join(record.parts.tools))
    if block.kind == "summary":
        if block.indices:
            yield _(
                "standing for {messages}",
                messages=counted(block.indices, "message"),
            )
        role = block.messages[0].role
        if role != "system":
            yield _("sent as a message of the {role}", role=role_name(role))
    if block.kind == "recalled":
        restored = len(set(block.indices).intersection(record.parts.restored))
        if restored == len(block.messages):
            yield ngettext(*IN_PLACE, restored)
        elif restored:
            yield ngettext(*SOME_IN_PLACE, restored)


def _message(
    block: Block, record: TurnRecord, offset: int, forms: Mapping[int, Form]
) -> Markup:
    """Return one message of a block; of one that is sent in a smaller form, with what was said folded below it."""
    message = block.messages[offset]
    if message.content == OPAQUE_TEXT:
        message = replace(message, content=_(OPAQUE_TEXT))
    position = _position(block, offset)
    if position is None or position not in forms or block.kind not in IN_FORMS:
        return message_html(message, _head_words(block, record, position, message))
    form = forms[position]
    head = _(
        "{role} · message {number:,} · {size} · {form}",
        role=role_name(message.role),
        number=message_number(position),
        size=counted(record.memory.sums.counter(message.content), "token"),
        form=form_words(record, position, message, form),
    )
    as_said = _("As it was said, {tokens}", tokens=tokens_as_said(record, position))
    whole_message = element(
        "details",
        element("summary", as_said),
        message_html(record.memory.log[position]),
    )
    color = STEP_COLORS[encode_fate(Fate[form.fate.upper()])]
    return formed_html(color, message_html(message, head), whole_message)


def _position(block: Block, offset: int) -> int | None:
    """Return the log position of a message of the block; ``None`` of a summary, the system prompt, thoughts, and words
    of the strategy's own."""
    if block.kind == "tools":
        offset -= len(block.messages) - len(block.indices)  # thoughts come first
    if block.kind in ("system", "summary") or offset < 0 or not block.indices:
        return None
    return block.indices[offset]


def _head_words(
    block: Block, record: TurnRecord, position: int | None, message: Message
) -> str:
    """Return the head of a message: its number in the conversation, if it has one."""
    if position is None and block.kind == "history":
        return _(
            "{role} · in no message of the conversation", role=role_name(message.role)
        )
    if position is None:
        return ""
    where = _(
        "{role} · message {number:,} · {tokens}",
        role=role_name(record.memory.log[position].role),
        number=message_number(position),
        tokens=tokens_as_said(record, position),
    )
    if block.kind != "recalled":
        return where
    if position in record.parts.restored:
        where += f" · {ngettext(*IN_PLACE, 1)}"
    if record.strategy is None:
        return where
    why = record.strategy.why_sent(record.memory, position)
    return f"{where} · {why}" if why else where


def added_to_system(record: TurnRecord) -> tuple[Notes | Line, ...]:
    """Return the pieces that memory put inside the system prompt."""
    return tuple(
        piece
        for piece in record.parts.pieces
        if isinstance(piece, Notes | Line) and piece.place != "message"
    )


def _system_prompt(block: Block, record: TurnRecord, first: int) -> Iterator[Markup]:
    """Yield the messages of the system prompt; what memory put into the first one is marked as that."""
    added = added_to_system(record)
    messages = block.messages[first:]
    if added:
        messages = record.memory.space.system_messages
        for piece in added:
            if piece.place == "before system":
                yield _added_html(record, piece)
        for message in messages[:1]:
            yield message_html(message, _("the system prompt's own words"))
        for piece in added:
            if piece.place == "behind system":
                yield _added_html(record, piece)
        messages = messages[1:]
    for message in messages:
        yield message_html(message)


def _added_html(record: TurnRecord, piece: Notes | Line) -> Markup:
    """Return a piece inside the system prompt, in the colour of what memory wrote."""
    if isinstance(piece, Line):
        what = _("words of the strategy's own")
        text = piece.message.content
    else:
        first = piece.start + 1
        template = noop("version {last:,}")
        if first < piece.stop:
            template = noop("versions {first:,} to {last:,}")
        versions = _(template, first=first, last=piece.stop)
        title = notes_title(record, piece).lower()
        what = _("{title}, {versions}", title=title, versions=versions)
        text = record.memory.space.summaries.text(piece.start, piece.stop)
    tokens = counted(record.memory.sums.counter(text), "token")
    head = _("added by memory: {what} · {tokens}", what=what, tokens=tokens)
    html = message_html(Message("system", text), head)
    return formed_html(PART_COLORS["summary"], html)
