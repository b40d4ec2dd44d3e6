"""A block of a request in words: its name, its size, and the versions of the notes that it sends."""

from memviz.core.context import Block
from memviz.core.facts import OBSERVATIONS
from memviz.core.pieces import Notes
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import PART_TITLES
from memviz.dashboard.ui.controls.facts_html import facts_line_of
from memviz.engine.records import TurnRecord
from memviz.metrics.summaries.facts import are_facts

OWN_WORDS = noop("The strategy's own words")


def block_title(block: Block, record: TurnRecord) -> str:
    """Return the name of a block: a summary by its track of notes, where a strategy keeps several kinds."""
    if block.kind == "history" and not block.indices:
        return _(OWN_WORDS)
    if block.kind != "summary":
        return _(PART_TITLES[block.kind])
    if facts_line_of(block, record) is not None:
        return _("Facts")
    for piece in _notes_in(block, record):
        return notes_title(record, piece)
    return _(PART_TITLES["summary"])


def _notes_in(block: Block, record: TurnRecord) -> list[Notes]:
    """Return the pieces that a block of notes sends."""
    text = record.memory.space.summaries.text
    content = block.messages[0].content
    return [
        notes
        for notes in record.parts.notes
        if text(notes.start, notes.stop) == content
    ]


def text_tokens(block: Block, record: TurnRecord) -> int:
    """Return the tokens of what was written, in all versions that a block of notes sends: without the heading that it
    is sent under."""
    return sum(version.tokens for version in sent_versions(block, record))


def sent_versions(block: Block, record: TurnRecord) -> list[SummaryVersion]:
    """Return all versions in a block of notes."""
    summaries = record.memory.space.summaries
    versions: list[SummaryVersion] = []
    for piece in _notes_in(block, record):
        versions += summaries.in_block(piece.start, piece.stop)
    return versions


def notes_title(record: TurnRecord, piece: Notes) -> str:
    """Return ``Summary``, or the name of another track of notes."""
    version = record.memory.space.summaries.versions[piece.stop - 1]
    if version.track != OBSERVATIONS and are_facts(version):
        return _("Facts")
    if version.track == SUMMARY:
        return _(PART_TITLES["summary"])
    return _(version.track.capitalize())


def size_words(block: Block, record: TurnRecord) -> str:
    """Return a block's tokens, those of a summary's heading apart."""
    if block.kind != "summary" or facts_line_of(block, record) is not None:
        return counted(block.tokens, "token")
    text_size = text_tokens(block, record)
    words = counted(text_size, "token")
    heading = block.tokens - text_size
    if not heading:
        return words
    return _("{words} and {heading:,} of its heading", words=words, heading=heading)
