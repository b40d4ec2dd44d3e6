"""The blocks of a request as HTML: each message as it was sent and, where that is less than was said, as it was said.
All text is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape

from memviz.core.context import Block, Fate
from memviz.core.conversation import Message
from memviz.core.forms import FormFate
from memviz.core.memory import SUMMARY
from memviz.core.pieces import Line, Notes
from memviz.core.text.wording import counted, message_number
from memviz.dashboard.charts.palette import (
    PART_COLORS,
    PART_HELP,
    PART_TITLES,
    STEP_COLORS,
)
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.engine.assembly import reduced
from memviz.engine.records import TurnRecord
from memviz.metrics.memory_map.steps import code_of
from memviz.metrics.summaries.facts import are_facts

MORE = "the JSON below has all of them"
OWN_WORDS = "The strategy's own words"
IN_PLACE = "in full at its place in the history"
FORMED_HELP = (
    "Messages of the conversation, some of them with less in them than was said."
)


def reduced_fates(record: TurnRecord) -> Mapping[int, FormFate]:
    """What became of the messages of the log that were sent with less in them than was said, by their positions."""
    space = record.memory.space
    return {
        position: piece.form.fate
        for piece in record.parts.messages
        if piece.form is not None
        for position in reduced(space, piece)
    }


def sent_instead(record: TurnRecord, position: int) -> tuple[Message, str] | None:
    """What was sent of a message with less in it than was said, and in a few words how; ``None`` of any other."""
    log = record.memory.log
    for piece in record.parts.messages:
        if piece.form is not None and position in piece.positions:
            sent = log.sent(position, piece.form)
            return (
                None
                if sent is log[position]
                else (sent, _form_words(log[position], sent, piece.form.fate))
            )
    return None


def block_html(block: Block, record: TurnRecord, first: int = 0) -> str:
    """The block's head and its messages from number ``first`` (0-based) on."""
    fates = reduced_fates(record)
    if block.kind == "system":
        messages = "".join(_system_prompt(block, record, first))
    else:
        messages = "".join(
            _message(block, record, offset, fates)
            for offset in range(first, len(block.messages))
        )
    style = f"border-left-color: {PART_COLORS[block.kind]}"
    return f'<section class="memviz-block" style="{style}">{_head(block, record, fates)}{messages}</section>'


def block_title(block: Block, record: TurnRecord) -> str:
    """What a block is called: a summary by its track of notes, where a strategy keeps several kinds."""
    if block.kind == "history" and not block.indices:
        return OWN_WORDS
    if block.kind != "summary":
        return PART_TITLES[block.kind]
    text = record.memory.space.summaries.text
    sent = (
        piece
        for piece in record.parts.notes
        if text(piece.start, piece.stop) == block.messages[0].content
    )
    return next((notes_title(record, piece) for piece in sent), PART_TITLES["summary"])


def text_tokens(block: Block, record: TurnRecord) -> int:
    """Tokens of what was written, in all versions that a block of notes sends: without the heading that it is sent
    under."""
    versions = record.memory.space.summaries.versions
    return sum(versions[number - 1].tokens for number in sent_versions(block, record))


def sent_versions(block: Block, record: TurnRecord) -> list[int]:
    """The numbers (from 1) of all versions in a block of notes."""
    summaries = record.memory.space.summaries
    sent = (
        piece
        for piece in record.parts.notes
        if summaries.text(*piece[:2]) == block.messages[0].content
    )
    return [
        version.version
        for piece in sent
        for version in summaries.in_block(piece.start, piece.stop)
    ]


def notes_title(record: TurnRecord, piece: Notes) -> str:
    """``Summary``, or the name of another track of notes."""
    version = record.memory.space.summaries.versions[piece.stop - 1]
    if are_facts(version):
        return "Facts"
    return (
        PART_TITLES["summary"]
        if version.track == SUMMARY
        else version.track.capitalize()
    )


def _head(block: Block, record: TurnRecord, fates: Mapping[int, FormFate]) -> str:
    heading = (
        block.tokens - text_tokens(block, record) if block.kind == "summary" else 0
    )
    tokens = counted(block.tokens - heading, "token") + (
        f" and {heading:,} of its heading" if heading else ""
    )
    size = f"{tokens} · {counted(len(block.messages), 'message')}"
    if block.kind == "tools" and record.parts.tools:
        size += f", offered: {', '.join(record.parts.tools)}"
    if block.kind == "summary" and block.indices:
        size += f", standing for {counted(len(block.indices), 'message')}"
    if block.kind == "summary" and block.messages[0].role != "system":
        size += f", sent as a message of the {block.messages[0].role}"
    formed = [*form_counts(block, fates)]
    size = ", ".join([size, *_restored_words(block, record), *formed])
    help_text = FORMED_HELP if formed else PART_HELP[block.kind]
    return f'<header title="{escape(help_text)}"><b>{escape(block_title(block, record))}</b> {size}</header>'


def _restored_words(block: Block, record: TurnRecord) -> Iterator[str]:
    """How many of the recalled messages stand in their own place, and not before the input."""
    count = (
        len(set(block.indices).intersection(record.parts.restored))
        if block.kind == "recalled"
        else 0
    )
    if count:
        where = "in full at its place" if count == 1 else "in full at their places"
        of_them = "" if count == len(block.messages) else f"{count:,} of them "
        yield f"{of_them}{where} in the history"


def form_counts(block: Block, fates: Mapping[int, FormFate]) -> Iterator[str]:
    """``3 of them sent as a placeholder``, for each form that messages of the block were sent in."""
    found = (
        Counter(fates[position] for position in block.indices if position in fates)
        if _is_said(block)
        else Counter()
    )
    for fate, words in (
        ("cleared", "sent as a placeholder"),
        ("shortened", "shortened"),
    ):
        if count := found[fate]:  # type: ignore[index]  # one of its two values
            yield f"{count:,} of them {words}"


def _is_said(block: Block) -> bool:
    """Whether it is messages of the log in their own place, which alone are sent in forms."""
    return block.kind in ("history", "input")


def _message(
    block: Block, record: TurnRecord, offset: int, fates: Mapping[int, FormFate]
) -> str:
    sent = block.messages[offset]
    position = _position(block, offset)
    if position is None or position not in fates or not _is_said(block):
        return message_html(sent, _where(block, record, position, sent), MORE)
    said, fate = record.memory.log[position], fates[position]
    tokens, color = (
        record.memory.sums.between(position, position + 1),
        STEP_COLORS[code_of(Fate[fate.upper()])],
    )
    size = counted(record.memory.sums.counter(sent.content), "token")
    what = f"{sent.role} · message {message_number(position):,} · {size} · {_form_words(said, sent, fate)}"
    return (
        f'<div class="memviz-formed" style="border-left-color: {color}">{message_html(sent, what, MORE)}'
        f"<details><summary>As it was said, {counted(tokens, 'token')}</summary>{message_html(said, '', MORE)}"
        "</details></div>"
    )


def _form_words(said: Message, sent: Message, fate: FormFate) -> str:
    if fate == "shortened":
        return "shortened"
    return (
        "sent as a placeholder"
        if sent.content != said.content
        else "sent without the arguments of its calls"
    )


def _position(block: Block, offset: int) -> int | None:
    """The log position of a message of the block; ``None`` of a summary, the system prompt, thoughts, and words of the
    strategy's own."""
    if block.kind == "tools":
        offset -= len(block.messages) - len(block.indices)  # thoughts come first
    if block.kind in ("system", "summary") or offset < 0 or not block.indices:
        return None
    return block.indices[offset]


def _where(
    block: Block, record: TurnRecord, position: int | None, sent: Message
) -> str:
    """Which message of the conversation this is, if it is one."""
    if position is None:
        return (
            f"{sent.role} · in no message of the conversation"
            if block.kind == "history"
            else ""
        )
    tokens = record.memory.sums.between(position, position + 1)
    where = f"{record.memory.log[position].role} · message {message_number(position):,} · {counted(tokens, 'token')}"
    return (
        f"{where} · {IN_PLACE}"
        if block.kind == "recalled" and position in record.parts.restored
        else where
    )


def added_to_system(record: TurnRecord) -> tuple[Notes | Line, ...]:
    """What memory put inside the system prompt."""
    return tuple(
        piece
        for piece in record.parts.pieces
        if isinstance(piece, Notes | Line) and piece.place != "message"
    )


def _system_prompt(block: Block, record: TurnRecord, first: int) -> Iterator[str]:
    """The messages of the system prompt; what memory put into the first one is marked as that."""
    added = added_to_system(record)
    if not added:
        yield from (
            message_html(message, "", MORE) for message in block.messages[first:]
        )
        return
    yield from (
        _added(record, piece) for piece in added if piece.place == "before system"
    )
    own = record.memory.space.system_messages
    if own:
        yield message_html(own[0], "the system prompt's own words", MORE)
    yield from (
        _added(record, piece) for piece in added if piece.place == "behind system"
    )
    yield from (message_html(message, "", MORE) for message in own[1:])


def _added(record: TurnRecord, piece: Notes | Line) -> str:
    """A piece inside the system prompt, in the colour of what memory wrote."""
    if isinstance(piece, Line):
        head, text = (
            "added by memory: words of the strategy's own",
            piece.message.content,
        )
    else:
        text = record.memory.space.summaries.text(piece.start, piece.stop)
        head = (
            f"added by memory: {notes_title(record, piece).lower()}, {_versions(piece)}"
        )
    tokens = counted(record.memory.sums.counter(text), "token")
    body = message_html(Message("system", text), f"{head} · {tokens}", MORE)
    return f'<div class="memviz-formed" style="border-left-color: {PART_COLORS["summary"]}">{body}</div>'


def _versions(piece: Notes) -> str:
    first, last = piece.start + 1, piece.stop
    return f"version {last:,}" if first == last else f"versions {first:,} to {last:,}"
